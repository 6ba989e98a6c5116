//! Writing to disk: overlays that replace the old one in one step, rewriting in place that can be
//! undone exactly, and the runtime in an interpreter's site-packages.
//!
//! Nothing is ever left half written when a run fails or is killed. What is promised is atomicity
//! against the death of the process; against the loss of power files are not synced one by one,
//! which would cost more than compiling them. [`Stage::durable`] syncs the file system once; the
//! journal of in-place runs is always synced before the first file is touched.

mod in_place;
mod stage;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

pub use in_place::{InPlaceEdit, Restored, Rewritten, in_place, is_in_place, restore};
pub use stage::{FullMode, Outcome, Published, Stage};

/// Why something could not be written. Each names the path and what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    #[error("{path}: {action}: {error}{}", advice(.error))]
    Io {
        path: PathBuf,
        action: &'static str,
        error: io::Error,
    },
    #[error("{0}: is not a folder; choose another output folder")]
    NotAFolder(PathBuf),
    #[error("{path}: is a symbolic link to {to}; name that folder itself as the output folder")]
    OutputIsLink { path: PathBuf, to: PathBuf },
    #[error(
        "{0}: is a mount point, which cannot be replaced in one step; choose a folder inside it"
    )]
    MountPoint(PathBuf),
    #[error(
        "{0}: was not made by healc and is not empty; it is left alone. Choose another output folder, or remove it yourself"
    )]
    Foreign(PathBuf),
    #[error("{0}: the output folder cannot be the repository or a folder around it")]
    AroundRepository(PathBuf),
    #[error(
        "{0}: the output folder is inside the repository, where the next run would find it; choose one outside, or exclude it"
    )]
    InsideRepository(PathBuf),
    #[error("{0}: another healc is writing here; wait for it to end")]
    Busy(PathBuf),
    #[error("{0:?} is not a path inside an overlay")]
    BadPath(String),
    #[error("{0}: would be written twice, which is a fault of healc's; please report it")]
    Twice(String),
    #[error("{0}: a file and a folder of this name are wanted in the same overlay")]
    Clash(PathBuf),
    #[error("{0}: is missing from the previous overlay; remove that overlay and run again")]
    Gone(PathBuf),
    #[error("{0}: exists and is not healc's; move it out of the way")]
    InTheWay(PathBuf),
    #[error(
        "{0}: is not a regular file below folders of the repository; only those are rewritten in place"
    )]
    NotPlain(PathBuf),
    #[error("{0}: is instrumented in place already; `healc restore` undoes that")]
    AlreadyInPlace(PathBuf),
    #[error(
        "{0}: rewriting in place was interrupted here; run `healc restore`, then instrument again"
    )]
    Interrupted(PathBuf),
    #[error("{error}; some files are rewritten already: `healc restore` undoes that")]
    HalfWay { error: Box<EmitError> },
    #[error("{0}: not instrumented in place: there is no .healc/journal.json")]
    NotInPlace(PathBuf),
    #[error("{path}: {detail}")]
    Journal { path: PathBuf, detail: String },
    #[error("{0}: changed while it was being instrumented; run again")]
    Changed(PathBuf),
}

impl EmitError {
    pub(crate) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> EmitError {
        move |error| EmitError::Io {
            path: path.to_path_buf(),
            action,
            error,
        }
    }
}

/// What a user can do about an error of the operating system.
fn advice(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        InvalidFilename, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    match error.kind() {
        StorageFull | QuotaExceeded => {
            ". Nothing was replaced; make room, or write to another disk"
        }
        PermissionDenied => ". Check who may write there, or choose another folder",
        ReadOnlyFilesystem => ". Choose a folder that can be written",
        InvalidFilename => ". Exclude this file, or choose an output folder with a shorter path",
        _ => "",
    }
}

type Done<T = ()> = Result<T, EmitError>;

/// A relative path with forward slashes that stays inside.
fn check_path(path: &str) -> Done {
    let odd = |part: &str| matches!(part, "" | "." | "..");
    if path.contains('\0') || path.split('/').any(odd) {
        return Err(EmitError::BadPath(path.to_string()));
    }
    Ok(())
}

/// A lock that dies with its process.
#[derive(Debug)]
struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        // Closing alone is not enough while a child that is just being started has the file too.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

enum Lock {
    Held(Held),
    /// Another process has it.
    Taken,
    /// The file system knows no locks.
    Unsupported,
}

/// Folders are locked themselves, so that locking leaves no trace.
fn lock(file: File, path: &Path) -> Done<Lock> {
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Lock::Held(Held(file))),
        Err(Errno::WOULDBLOCK) => Ok(Lock::Taken),
        // NFS wants folders open for writing, which nobody can have.
        Err(Errno::BADF | Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::NOLCK) => {
            Ok(Lock::Unsupported)
        }
        Err(error) => Err(EmitError::io(path, "cannot be locked")(error.into())),
    }
}

fn make_folder(path: &Path) -> Done {
    fs::create_dir_all(path).map_err(EmitError::io(path, "cannot make the folder"))
}

/// Writes a file that does not exist yet: never through a link, never into another file.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use io::Write;
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)?;
    // Whatever the umask is, the result is the same.
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Writes a file under another name first, so that the name always stands for a whole file.
fn write_whole(path: &Path, bytes: &[u8]) -> Done {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.healc-{}", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        EmitError::io(path, "cannot be written")(error)
    })
}

fn remove_file(path: &Path) -> Done {
    absent_is_fine(path, fs::remove_file(path))
}

fn remove_tree(path: &Path) -> Done {
    absent_is_fine(path, fs::remove_dir_all(path))
}

fn absent_is_fine(path: &Path, result: io::Result<()>) -> Done {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(EmitError::io(path, "cannot be removed")(error))
        }
        _ => Ok(()),
    }
}

/// What a path is, not what a link there leads to. `None`: nothing.
fn look(path: &Path) -> Done<Option<fs::Metadata>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(EmitError::io(path, "cannot be read")(error)),
    }
}

fn identity(meta: &fs::Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

fn mode_of(meta: &fs::Metadata) -> u32 {
    meta.mode() & 0o7777
}

/// Writes the runtime package into a site-packages folder.
pub fn install(target: &Path, files: &[(&str, &str)]) -> Done {
    if target.exists() {
        let init = fs::read_to_string(target.join("__init__.py")).unwrap_or_default();
        if !init.contains("__eh__") {
            return Err(EmitError::InTheWay(target.to_path_buf()));
        }
    }
    make_folder(target)?;
    for (name, text) in files {
        write_whole(&target.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Writes one more file into a site-packages folder.
pub fn install_file(target: &Path, text: &str) -> Done {
    write_whole(target, text.as_bytes())
}

/// A moment at which the process may die. Tests let it die at each.
#[inline(always)]
fn may_die_here() {
    #[cfg(test)]
    tests::may_die_here();
}
