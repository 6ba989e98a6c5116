//! An overlay in the making. It lies beside the overlay and takes its place in one step.
//!
//! Until something differs from the previous overlay nothing is written at all: files that stay
//! are only noted, and become hard links to the old ones when the new tree is made.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use walkdir::WalkDir;

use crate::artifact::MANIFEST;

use super::{Done, EmitError, check_path, is_in_place, make_folder};

/// How files that are not instrumented get into a full overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullMode {
    Copy,
    Hardlink,
    Symlink,
}

/// What publishing came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Published {
    pub written: usize,
    pub kept: usize,
    /// The old overlay was right already; nothing was touched.
    pub unchanged: bool,
}

/// Where the new tree is made, in the work folder.
const TREE: &str = "tree";
const LOCK: &str = "lock";

/// Used by many threads through `&self`. Dropped without [`Stage::commit`] it leaves no trace.
pub struct Stage {
    out: PathBuf,
    /// There is an overlay to carry files over from.
    has_old: bool,
    work: PathBuf,
    lock: Option<File>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The tree folder exists.
    started: bool,
    kept: Vec<String>,
    folders: HashSet<String>,
    /// Folders that were made in the tree.
    made: HashSet<PathBuf>,
    written: usize,
}

impl Stage {
    /// Prepares to write `out`. Refuses folders that are not healc's to replace.
    pub fn open(out: &Path, repo: &Path, allow_inside: bool) -> Done<Stage> {
        let out = resolve(out)?;
        let repo = fs::canonicalize(repo).map_err(EmitError::io(repo, "cannot be found"))?;
        if repo.starts_with(&out) {
            return Err(EmitError::AroundRepository(out));
        }
        if out.starts_with(&repo) && !allow_inside {
            return Err(EmitError::InsideRepository(out));
        }
        let has_old = match fs::symlink_metadata(&out) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(EmitError::io(&out, "cannot be read")(error)),
            Ok(meta) if !meta.is_dir() => return Err(EmitError::NotAFolder(out)),
            Ok(_) if is_ours(&out) => true,
            Ok(_) => {
                let mut entries =
                    fs::read_dir(&out).map_err(EmitError::io(&out, "cannot be read"))?;
                if entries.next().is_some() {
                    return Err(EmitError::Foreign(out));
                }
                false
            }
        };
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let work = out.with_file_name(format!(".{name}.healc-work"));
        let lock = take_lock(&work)?;
        let stage = Stage {
            out,
            has_old,
            work,
            lock: Some(lock),
            state: Mutex::default(),
        };
        // What a run that was killed left behind.
        remove_tree(&stage.tree())?;
        Ok(stage)
    }

    fn tree(&self) -> PathBuf {
        self.work.join(TREE)
    }

    /// Puts a file into the overlay; keeps the old one if it has the same bytes.
    pub fn put(&self, path: &str, bytes: &[u8], mode: Option<u32>) -> Done {
        check_path(path)?;
        if self.has_old && same_file(&self.out.join(path), bytes, mode) {
            return self.keep(path);
        }
        let target = self.target(path)?;
        fs::write(&target, bytes).map_err(EmitError::io(&target, "cannot be written"))?;
        if let Some(mode) = mode {
            set_mode(&target, mode)?;
        }
        Ok(())
    }

    /// Carries a file over from the old overlay, unread.
    pub fn keep(&self, path: &str) -> Done {
        check_path(path)?;
        self.lock_state().kept.push(path.to_string());
        Ok(())
    }

    /// An empty folder.
    pub fn folder(&self, path: &str) -> Done {
        check_path(path)?;
        self.lock_state().folders.insert(path.to_string());
        Ok(())
    }

    /// Puts a file or symbolic link of the repository into the overlay as it is.
    pub fn link(&self, path: &str, source: &Path, how: FullMode) -> Done {
        check_path(path)?;
        let failed = EmitError::io(source, "cannot be taken over");
        let meta = fs::symlink_metadata(source).map_err(&failed)?;
        let old = self.out.join(path);
        if meta.is_symlink() || how == FullMode::Symlink {
            let to = match meta.is_symlink() {
                true => fs::read_link(source).map_err(&failed)?,
                false => source.to_path_buf(),
            };
            if self.has_old && fs::read_link(&old).is_ok_and(|old| old == to) {
                return self.keep(path);
            }
            let target = self.target(path)?;
            return symlink(&to, &target).map_err(EmitError::io(&target, "cannot be written"));
        }
        if self.has_old && how == FullMode::Hardlink && same_inode(&old, &meta) {
            return self.keep(path);
        }
        if self.has_old && how == FullMode::Copy && same_content(&old, source, &meta) {
            return self.keep(path);
        }
        let target = self.target(path)?;
        if how == FullMode::Hardlink && fs::hard_link(source, &target).is_ok() {
            return Ok(());
        }
        // Also where hard links cannot reach: another file system.
        fs::copy(source, &target).map_err(failed)?;
        Ok(())
    }

    /// Makes the new tree the overlay. Until then the old one is whole, after that the new one.
    pub fn commit(mut self) -> Done<Published> {
        let state = std::mem::take(&mut *self.lock_state());
        let result = Published {
            written: state.written,
            kept: state.kept.len(),
            unchanged: false,
        };
        if self.has_old && !state.started && self.is_same_set(&state) {
            return Ok(Published {
                unchanged: true,
                ..result
            });
        }
        let tree = self.tree();
        make_folder(&tree)?;
        let mut made = state.made;
        for path in &state.kept {
            let target = tree.join(path);
            make_parent(&target, &mut made)?;
            let old = self.out.join(path);
            if fs::hard_link(&old, &target).is_err() {
                fs::copy(&old, &target).map_err(EmitError::io(&old, "cannot be carried over"))?;
            }
        }
        for folder in &state.folders {
            make_folder(&tree.join(folder))?;
        }
        self.exchange(&tree)?;
        self.clean();
        Ok(result)
    }

    fn exchange(&self, tree: &Path) -> Done {
        let failed = EmitError::io(&self.out, "cannot be replaced");
        if !self.has_old {
            // An empty folder gives way to a renamed one.
            return fs::rename(tree, &self.out).map_err(failed);
        }
        match renameat_with(CWD, tree, CWD, &self.out, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            Err(
                rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP,
            ) => {}
            Err(error) => return Err(failed(error.into())),
        }
        // File systems without exchange: there is a moment without an overlay, but never half of one.
        let aside = self.work.join("old");
        remove_tree(&aside)?;
        fs::rename(&self.out, &aside).map_err(&failed)?;
        if let Err(error) = fs::rename(tree, &self.out) {
            let _ = fs::rename(&aside, &self.out);
            return Err(failed(error));
        }
        Ok(())
    }

    /// The old overlay holds just what is kept.
    fn is_same_set(&self, state: &State) -> bool {
        let kept: HashSet<&str> = state.kept.iter().map(String::as_str).collect();
        let mut files = 0;
        for entry in WalkDir::new(&self.out).min_depth(1) {
            let Ok(entry) = entry else { return false };
            if entry.file_type().is_dir() {
                continue;
            }
            let Ok(inside) = entry.path().strip_prefix(&self.out) else {
                return false;
            };
            let Some(inside) = inside.to_str() else {
                return false;
            };
            // Bytecode of runs over the overlay is nobody's business.
            if inside.split('/').any(|part| part == "__pycache__") {
                continue;
            }
            if !kept.contains(inside) {
                return false;
            }
            files += 1;
        }
        files == kept.len()
            && state
                .folders
                .iter()
                .all(|folder| self.out.join(folder).is_dir())
    }

    /// Where a file that differs is written.
    fn target(&self, path: &str) -> Done<PathBuf> {
        let target = self.tree().join(path);
        let mut state = self.lock_state();
        if !state.started {
            make_folder(&self.tree())?;
            state.started = true;
        }
        state.written += 1;
        make_parent(&target, &mut state.made)?;
        Ok(target)
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn clean(&mut self) {
        let _ = remove_tree(&self.tree());
        let _ = remove_tree(&self.work.join("old"));
        if let Some(lock) = self.lock.take() {
            // While the lock is held: whoever waits for it sees that its file is gone.
            let _ = fs::remove_file(self.work.join(LOCK));
            let _ = fs::remove_dir(&self.work);
            drop(lock);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.clean();
    }
}

/// Follows links, so that the folder itself is replaced, and makes the path absolute.
fn resolve(out: &Path) -> Done<PathBuf> {
    if let Ok(real) = fs::canonicalize(out) {
        return Ok(real);
    }
    let parent = out.parent().filter(|p| !p.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    make_folder(parent)?;
    let real = fs::canonicalize(parent).map_err(EmitError::io(parent, "cannot be found"))?;
    match out.file_name() {
        Some(name) => Ok(real.join(name)),
        None => Err(EmitError::NotAFolder(out.to_path_buf())),
    }
}

/// An overlay that healc made: its manifest says so.
fn is_ours(out: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        tool: crate::artifact::Tool,
    }
    if is_in_place(out) {
        return false;
    }
    fs::read(out.join(MANIFEST))
        .ok()
        .and_then(|text| serde_json::from_slice::<Head>(&text).ok())
        .is_some_and(|head| head.tool.name == env!("CARGO_PKG_NAME"))
}

fn take_lock(work: &Path) -> Done<File> {
    let path = work.join(LOCK);
    let failed = EmitError::io(&path, "cannot be locked");
    loop {
        make_folder(work)?;
        let lock = match File::create(&path) {
            Ok(lock) => lock,
            // Another run has just removed the work folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(error)),
        };
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(EmitError::Busy(work.to_path_buf())),
            Err(error) => return Err(failed(error.into())),
        }
        let held = lock.metadata().map_err(&failed)?;
        if same_inode(&path, &held) {
            return Ok(lock);
        }
    }
}

fn remove_tree(path: &Path) -> Done {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(EmitError::io(path, "cannot be removed")(error))
        }
        _ => Ok(()),
    }
}

fn make_parent(target: &Path, made: &mut HashSet<PathBuf>) -> Done {
    let parent = target.parent().unwrap_or(target);
    if !made.contains(parent) {
        make_folder(parent)?;
        made.insert(parent.to_path_buf());
    }
    Ok(())
}

fn same_file(old: &Path, bytes: &[u8], mode: Option<u32>) -> bool {
    let Ok(meta) = fs::symlink_metadata(old) else {
        return false;
    };
    meta.is_file()
        && meta.len() == bytes.len() as u64
        && mode.is_none_or(|mode| mode_of(&meta) == mode)
        && fs::read(old).is_ok_and(|old| old == bytes)
}

fn same_content(old: &Path, source: &Path, meta: &fs::Metadata) -> bool {
    let Ok(old_meta) = fs::symlink_metadata(old) else {
        return false;
    };
    old_meta.is_file()
        && old_meta.len() == meta.len()
        && mode_of(&old_meta) == mode_of(meta)
        && matches!((fs::read(old), fs::read(source)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(unix)]
fn same_inode(path: &Path, meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).is_ok_and(|m| m.ino() == meta.ino() && m.dev() == meta.dev())
}

#[cfg(unix)]
fn mode_of(meta: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o7777
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Done {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(EmitError::io(path, "cannot be given its mode"))
}

#[cfg(unix)]
fn symlink(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}
