//! Writing to disk: overlays that replace the old one in one step, rewriting in place that can be
//! undone exactly, and the runtime in an interpreter's site-packages.
//!
//! Nothing is ever left half written when a run fails or is killed. What is promised is atomicity
//! against the death of the process; against the loss of power files are not synced one by one.

mod in_place;
mod stage;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use in_place::{InPlaceEdit, Restored, in_place, is_in_place, restore};
pub use stage::{FullMode, Published, Stage};

/// Why something could not be written. Each names the path and what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    #[error("{path}: {action}: {error}")]
    Io {
        path: PathBuf,
        action: &'static str,
        error: io::Error,
    },
    #[error("{0}: is not a folder; choose another output folder")]
    NotAFolder(PathBuf),
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
    #[error("{0}: another healc is writing this overlay; wait for it to end")]
    Busy(PathBuf),
    #[error("{0:?} is not a path inside an overlay")]
    BadPath(String),
    #[error("{0}: exists and is not healc's; move it out of the way")]
    InTheWay(PathBuf),
    #[error("{0}: is instrumented in place already; `healc restore` undoes that")]
    AlreadyInPlace(PathBuf),
    #[error("{0}: not instrumented in place: there is no .healc/journal.json")]
    NotInPlace(PathBuf),
    #[error("{path}: {detail}")]
    Journal { path: PathBuf, detail: String },
    #[error("{0}: changed while it was being instrumented; run again")]
    Changed(PathBuf),
}

impl EmitError {
    pub(crate) fn io<'p>(
        path: &'p Path,
        action: &'static str,
    ) -> impl Fn(io::Error) -> EmitError + 'p {
        move |error| EmitError::Io {
            path: path.to_path_buf(),
            action,
            error,
        }
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

fn make_folder(path: &Path) -> Done {
    fs::create_dir_all(path).map_err(EmitError::io(path, "cannot make the folder"))
}

/// Writes a file under another name first, so that the name always stands for a whole file.
fn write_whole(path: &Path, bytes: &[u8], like: Option<&fs::Metadata>) -> Done {
    let temporary = temporary_name(path);
    let written = (|| {
        fs::write(&temporary, bytes)?;
        if let Some(like) = like {
            fs::set_permissions(&temporary, like.permissions())?;
            keep_owner(&temporary, like);
        }
        fs::rename(&temporary, path)
    })();
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        EmitError::io(path, "cannot be written")(error)
    })
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.healc-{}", std::process::id()))
}

#[cfg(unix)]
fn keep_owner(path: &Path, like: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    // Only the superuser can give files away; for others the owner is the same anyway.
    let _ = std::os::unix::fs::chown(path, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}

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
        write_whole(&target.join(name), text.as_bytes(), None)?;
    }
    Ok(())
}
