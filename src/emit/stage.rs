//! An overlay in the making. It lies beside the overlay and takes its place in one step.
//!
//! Until something differs from the previous overlay nothing is written at all: files that stay
//! are only noted, and become hard links to the old ones when the new tree is made. A re-run with
//! nothing to do costs one listing of the old overlay and touches nothing, not even a lock file:
//! the lock is on the old overlay's folder itself.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{
    DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink,
};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, FlockOperation, OFlags, RenameFlags, flock, linkat, renameat_with};
use rustix::io::Errno;
use walkdir::WalkDir;

use crate::artifact::{MANIFEST, sha256_hex};

use super::{
    Done, EmitError, Held, Lock, check_path, identity, is_in_place, lock, look, may_die_here,
    mode_of, remove_tree, write_new,
};

/// How files that are not instrumented get into a full overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullMode {
    Copy,
    Hardlink,
    Symlink,
}

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Written,
    /// The previous overlay has the same.
    Kept,
}

/// What publishing came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Published {
    pub written: usize,
    pub kept: usize,
    /// Files of the old overlay that the new one does not have.
    pub removed: usize,
    /// The old overlay was right already; nothing was touched.
    pub unchanged: bool,
}

/// Names inside the work folder.
const TREE: &str = "tree";
const ASIDE: &str = "old";
const MARKER: &str = "healc-stage";
const MAGIC: &[u8] = b"A stage of healc's. Without a healc that runs it can be removed.\npid ";

const DEFAULT_MODE: u32 = 0o644;

/// An overlay in the making, used by many threads through `&self`. Dropped without
/// [`Stage::commit`] it leaves no trace.
pub struct Stage {
    out: PathBuf,
    old: Option<Old>,
    /// On the folder that is replaced.
    _lock: Option<Held>,
    durable: bool,
    work: OnceLock<Work>,
    starting: Mutex<()>,
    claims: Mutex<HashMap<String, Claim>>,
    /// Folders that were made in the tree.
    made: Mutex<HashSet<String>>,
    published: AtomicBool,
}

/// What the previous overlay holds.
struct Old {
    root: File,
    files: HashMap<String, fs::FileType>,
    folders: HashSet<String>,
    /// Files whose names are not UTF-8.
    odd: usize,
}

/// The folder beside the overlay in which the new one is made.
struct Work {
    dir: PathBuf,
    tree: PathBuf,
    root: File,
    /// Locked as long as its process lives.
    /// `None`: the file system knows no locks, and the process id has to do.
    _marker: Option<Held>,
    /// Folders above the overlay that were missing.
    parents: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Kept,
    Written,
    Folder,
}

impl Stage {
    /// Prepares to write `out`. Refuses folders that are not healc's to replace, and a second run
    /// on the same one.
    pub fn open(out: &Path, repo: &Path, allow_inside: bool) -> Done<Stage> {
        let out = resolve(out)?;
        let repo = fs::canonicalize(repo).map_err(EmitError::io(repo, "cannot be found"))?;
        if is_within(&repo, &out) {
            return Err(EmitError::AroundRepository(out));
        }
        if is_within(&out, &repo) && !allow_inside {
            return Err(EmitError::InsideRepository(out));
        }
        // Fail on foreign folders before anything is cleaned up or made.
        let _ = Place::of(&out)?;
        let _others = Others::wait(&out);
        let live = remove_dead_stages(&out)?;
        let place = Place::of(&out)?;
        let mut eager = place == Place::Absent;
        let mut held = None;
        if eager && live {
            return Err(EmitError::Busy(out));
        }
        if place != Place::Absent {
            match lock(open_folder(&out)?, &out)? {
                Lock::Held(folder) => held = Some(folder),
                Lock::Unsupported if !live => eager = true,
                Lock::Unsupported | Lock::Taken => return Err(EmitError::Busy(out)),
            }
        }
        if let Some(folder) = &held {
            // Replaced by another run between looking and locking.
            let meta = folder
                .0
                .metadata()
                .map_err(EmitError::io(&out, "cannot be read"))?;
            if look(&out)?.is_none_or(|now| identity(&now) != identity(&meta)) {
                return Err(EmitError::Busy(out));
            }
        }
        let old = match place {
            Place::Ours => Some(Old::list(&out)?),
            Place::Absent | Place::Empty => None,
        };
        let stage = Stage {
            out,
            old,
            _lock: held,
            durable: false,
            work: OnceLock::new(),
            starting: Mutex::default(),
            claims: Mutex::default(),
            made: Mutex::default(),
            published: AtomicBool::new(false),
        };
        if eager {
            // Its marker tells others that somebody is at work on this overlay.
            stage.work()?;
        }
        Ok(stage)
    }

    /// Syncs the file system once before the overlay is replaced, so that also a loss of power
    /// leaves the old one or the new one.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Stage {
        self.durable = durable;
        self
    }

    /// The previous overlay, if there is one.
    pub fn previous(&self) -> Option<&Path> {
        self.old.as_ref().map(|_| self.out.as_path())
    }

    /// Whether the previous overlay has this file, with these contents if a hash is given. What
    /// lacks must be put, not kept.
    pub fn holds(&self, path: &str, sha256: Option<&str>) -> bool {
        let Some(old) = &self.old else { return false };
        match (old.files.get(path), sha256) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(kind), Some(sha256)) => {
                kind.is_file()
                    && fs::read(self.out.join(path)).is_ok_and(|old| sha256_hex(&old) == sha256)
            }
        }
    }

    /// Puts a file into the overlay (mode 0644 if none is given); keeps the old one if it is the
    /// same.
    pub fn put(&self, path: &str, bytes: &[u8], mode: Option<u32>) -> Done<Outcome> {
        check_path(path)?;
        let mode = mode.map_or(DEFAULT_MODE, |mode| mode & 0o777);
        if self.is_old_file(path) && same_file(&self.out.join(path), bytes, mode) {
            return self.claim(path, Claim::Kept);
        }
        self.write(path, |target| write_new(target, bytes, mode))
    }

    /// Carries a file over from the old overlay, unread.
    pub fn keep(&self, path: &str) -> Done {
        check_path(path)?;
        if !self.holds(path, None) {
            return Err(EmitError::Gone(self.out.join(path)));
        }
        self.claim(path, Claim::Kept)?;
        Ok(())
    }

    /// A folder, even if nothing is put into it.
    pub fn folder(&self, path: &str) -> Done {
        check_path(path)?;
        match self.claims().insert(path.to_string(), Claim::Folder) {
            None | Some(Claim::Folder) => Ok(()),
            Some(_) => Err(EmitError::Clash(self.out.join(path))),
        }
    }

    /// Puts a file or symbolic link of the repository into the overlay. Links stay links; one that
    /// leads out of the repository by a relative way leads to the same place from the overlay.
    pub fn link(&self, path: &str, source: &Path, how: FullMode) -> Done {
        check_path(path)?;
        let failed = EmitError::io(source, "cannot be taken over");
        let meta = fs::symlink_metadata(source).map_err(&failed)?;
        let kind = meta.file_type();
        if kind.is_dir() {
            return self.folder(path);
        }
        let special =
            kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device();
        if kind.is_symlink() || how == FullMode::Symlink || special {
            let to = match kind.is_symlink() {
                true => self.same_target(path, source, &fs::read_link(source).map_err(&failed)?),
                false => self.way_to(path, &absolute(source)),
            };
            let old = self.old.as_ref().and_then(|old| old.files.get(path));
            if old.is_some_and(fs::FileType::is_symlink)
                && fs::read_link(self.out.join(path)).is_ok_and(|old| old == to)
            {
                return self.claim(path, Claim::Kept).map(drop);
            }
            return self.write(path, |target| symlink(&to, target)).map(drop);
        }
        if self.is_old_file(path) {
            let at = self.out.join(path);
            let old = fs::symlink_metadata(&at).map_err(EmitError::io(&at, "cannot be read"))?;
            let same = match how {
                FullMode::Hardlink if old.dev() == meta.dev() => old.ino() == meta.ino(),
                _ => identity(&old) != identity(&meta) && same_content(&at, &old, source, &meta),
            };
            if same {
                return self.claim(path, Claim::Kept).map(drop);
            }
        }
        self.write(path, |target| match how {
            FullMode::Hardlink if fs::hard_link(source, target).is_ok() => Ok(()),
            // Also where hard links cannot reach: another file system.
            _ => copy_new(source, target),
        })
        .map(drop)
    }

    /// Makes the new tree the overlay. Until then the old one is whole, after that the new one.
    /// If nothing differs nothing is touched.
    pub fn commit(self) -> Done<Published> {
        let claims = std::mem::take(&mut *self.claims());
        let count = |what| claims.values().filter(|claim| **claim == what).count();
        let (written, kept) = (count(Claim::Written), count(Claim::Kept));
        let result = Published {
            written,
            kept,
            removed: self.old.as_ref().map_or(0, |old| old.removed(&claims)),
            unchanged: false,
        };
        if written == 0 {
            let same = |old: &Old| result.removed == 0 && old.has_folders_of(&claims);
            if self.old.as_ref().is_some_and(same) {
                return Ok(Published {
                    unchanged: true,
                    ..result
                });
            }
        }
        let work = self.work()?;
        let mut paths: Vec<(&String, Claim)> =
            claims.iter().map(|(path, claim)| (path, *claim)).collect();
        paths.sort_unstable_by_key(|(path, _)| *path);
        for (path, claim) in paths {
            match claim {
                Claim::Written => {}
                Claim::Kept => self.carry_over(work, path)?,
                Claim::Folder => {
                    self.make_parents(work, path)?;
                    self.make_folders(work, path)?;
                }
            }
        }
        if self.durable {
            sync(&work.root).map_err(EmitError::io(&self.out, "cannot be synced"))?;
        }
        may_die_here();
        self.exchange(work)?;
        self.published.store(true, Ordering::Relaxed);
        // The new overlay is in place; dropping removes the old one.
        Ok(result)
    }

    fn is_old_file(&self, path: &str) -> bool {
        let old = self.old.as_ref().and_then(|old| old.files.get(path));
        old.is_some_and(fs::FileType::is_file)
    }

    fn claims(&self) -> MutexGuard<'_, HashMap<String, Claim>> {
        guard(&self.claims)
    }

    /// Each path is given once: a second writer could write through a link that the first made.
    fn claim(&self, path: &str, claim: Claim) -> Done<Outcome> {
        if self.claims().insert(path.to_string(), claim).is_some() {
            return Err(EmitError::Twice(path.to_string()));
        }
        Ok(match claim {
            Claim::Written => Outcome::Written,
            Claim::Kept | Claim::Folder => Outcome::Kept,
        })
    }

    fn write(&self, path: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> Done<Outcome> {
        let outcome = self.claim(path, Claim::Written)?;
        let work = self.work()?;
        self.make_parents(work, path)?;
        may_die_here();
        write(&work.tree.join(path)).map_err(|error| self.cannot_write(path, error))?;
        Ok(outcome)
    }

    fn cannot_write(&self, path: &str, error: io::Error) -> EmitError {
        match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                EmitError::Clash(self.out.join(path))
            }
            _ => EmitError::io(&self.out.join(path), "cannot be written")(error),
        }
    }

    fn make_parents(&self, work: &Work, path: &str) -> Done {
        match path.rsplit_once('/') {
            Some((parent, _)) => self.make_folders(work, parent),
            None => Ok(()),
        }
    }

    /// Makes folders one by one and remembers them: what exists but is not known is not a folder,
    /// perhaps a link to one, and must not be gone through.
    fn make_folders(&self, work: &Work, folder: &str) -> Done {
        let mut made = guard(&self.made);
        if made.contains(folder) {
            return Ok(());
        }
        let ends = folder.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([folder.len()]) {
            let folder = &folder[..end];
            if !made.contains(folder) {
                fs::create_dir(work.tree.join(folder))
                    .map_err(|error| self.cannot_write(folder, error))?;
                made.insert(folder.to_string());
            }
        }
        Ok(())
    }

    fn carry_over(&self, work: &Work, path: &str) -> Done {
        let Some(old) = &self.old else {
            return Err(EmitError::Gone(self.out.join(path)));
        };
        self.make_parents(work, path)?;
        may_die_here();
        match linkat(&old.root, path, &work.root, path, AtFlags::empty()) {
            Ok(()) => return Ok(()),
            Err(Errno::NOENT) => return Err(EmitError::Gone(self.out.join(path))),
            Err(Errno::EXIST) => return Err(EmitError::Clash(self.out.join(path))),
            // No hard links here, or too many of this one.
            Err(_) => {}
        }
        let (from, to) = (self.out.join(path), work.tree.join(path));
        let copied = fs::symlink_metadata(&from).and_then(|meta| match meta.is_symlink() {
            true => symlink(fs::read_link(&from)?, &to),
            false => copy_new(&from, &to),
        });
        copied.map_err(EmitError::io(&from, "cannot be carried over"))
    }

    /// The work folder; made when it is first needed.
    fn work(&self) -> Done<&Work> {
        if let Some(work) = self.work.get() {
            return Ok(work);
        }
        let _starting = guard(&self.starting);
        if let Some(work) = self.work.get() {
            return Ok(work);
        }
        let work = Work::make(&self.out)?;
        Ok(self.work.get_or_init(|| work))
    }

    fn exchange(&self, work: &Work) -> Done {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices => {
                EmitError::MountPoint(self.out.clone())
            }
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
                EmitError::Foreign(self.out.clone())
            }
            _ => EmitError::io(&self.out, "cannot be replaced")(error),
        };
        if self.old.is_none() {
            // A folder that is renamed takes the place of an empty one, never of another.
            return fs::rename(&work.tree, &self.out).map_err(failed);
        }
        match renameat_with(CWD, &work.tree, CWD, &self.out, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(error) => return Err(failed(error.into())),
        }
        self.rename_twice(work).map_err(failed)
    }

    /// For file systems without exchange: there is a moment without an overlay, but never half of
    /// one; the next run brings the old one back if this one dies there.
    fn rename_twice(&self, work: &Work) -> io::Result<()> {
        let aside = work.dir.join(ASIDE);
        fs::rename(&self.out, &aside)?;
        may_die_here();
        if let Err(error) = fs::rename(&work.tree, &self.out) {
            let _ = fs::rename(&aside, &self.out);
            return Err(error);
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn commit_without_exchange(self) -> Done {
        let claims = std::mem::take(&mut *self.claims());
        let work = self.work()?;
        for (path, _) in claims.iter().filter(|(_, claim)| **claim == Claim::Kept) {
            self.carry_over(work, path)?;
        }
        self.rename_twice(work)
            .map_err(EmitError::io(&self.out, "cannot be replaced"))?;
        self.published.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The text of a link from `path` in the overlay to `to`: relative unless they have nothing
    /// but the root in common.
    fn way_to(&self, path: &str, to: &Path) -> PathBuf {
        let at = self.out.join(path);
        let from: Vec<Component> = at.parent().unwrap_or(&at).components().collect();
        let parts: Vec<Component> = to.components().collect();
        let common = from.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        if common <= 1 {
            return to.to_path_buf();
        }
        let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
        up.chain(parts[common..].iter().copied()).collect()
    }

    /// What a link of the repository becomes in the overlay.
    fn same_target(&self, path: &str, source: &Path, to: &Path) -> PathBuf {
        let mut depth = path.matches('/').count();
        for part in to.components() {
            match part {
                Component::Normal(_) => depth += 1,
                Component::ParentDir if depth == 0 => {
                    // Out of the repository: the overlay stands somewhere else.
                    let parent = absolute(source).parent().map(Path::to_path_buf);
                    return self.way_to(path, &normal(&parent.unwrap_or_default().join(to)));
                }
                Component::ParentDir => depth -= 1,
                Component::RootDir | Component::Prefix(_) => break,
                Component::CurDir => {}
            }
        }
        to.to_path_buf()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        #[cfg(test)]
        if super::tests::is_dead() {
            return;
        }
        if let Some(work) = self.work.take() {
            work.remove();
            if !self.published.load(Ordering::Relaxed) {
                for parent in work.parents.iter().rev() {
                    let _ = fs::remove_dir(parent);
                }
            }
        }
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Stage");
        shown.field("out", &self.out);
        shown.finish_non_exhaustive()
    }
}

impl Old {
    fn list(out: &Path) -> Done<Old> {
        let mut old = Old {
            root: open_folder(out)?,
            files: HashMap::new(),
            folders: HashSet::new(),
            odd: 0,
        };
        for entry in WalkDir::new(out).min_depth(1) {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(out).to_path_buf();
                EmitError::io(&path, "cannot be read")(error.into())
            })?;
            let inside = entry.path().strip_prefix(out).ok().and_then(Path::to_str);
            match inside {
                Some(path) if entry.file_type().is_dir() => {
                    old.folders.insert(path.to_string());
                }
                Some(path) => {
                    old.files.insert(path.to_string(), entry.file_type());
                }
                None => old.odd += 1,
            }
        }
        Ok(old)
    }

    /// How many files the new overlay lacks. Bytecode of runs over the overlay does not count.
    fn removed(&self, claims: &HashMap<String, Claim>) -> usize {
        let gone = |path: &&String| !claims.contains_key(*path) && !is_bytecode(path);
        self.odd + self.files.keys().filter(gone).count()
    }

    fn has_folders_of(&self, claims: &HashMap<String, Claim>) -> bool {
        let mut wanted: HashSet<&str> = HashSet::new();
        for (path, claim) in claims {
            let mut at = match claim {
                Claim::Folder => Some(path.as_str()),
                _ => parent_of(path),
            };
            while let Some(folder) = at
                && wanted.insert(folder)
            {
                at = parent_of(folder);
            }
        }
        let known = |folder: &String| wanted.contains(folder.as_str()) || is_bytecode(folder);
        self.folders.iter().all(known) && wanted.iter().all(|folder| self.folders.contains(*folder))
    }
}

fn parent_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

fn is_bytecode(path: &str) -> bool {
    path.split('/').any(|part| part == "__pycache__")
}

impl Work {
    fn make(out: &Path) -> Done<Work> {
        let mut parents = Vec::new();
        let missing = |path: &&Path| !path.exists();
        let parent = out.parent().unwrap_or(out);
        let wanted: Vec<&Path> = parent.ancestors().take_while(missing).collect();
        for folder in wanted.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => parents.push(folder.to_path_buf()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(EmitError::io(folder, "cannot make the folder")(error)),
            }
        }
        let work = Work::make_beside(out, parents);
        work.map_err(EmitError::io(parent, "cannot make a work folder in it"))
    }

    fn make_beside(out: &Path, parents: Vec<PathBuf>) -> io::Result<Work> {
        let mut name = stage_prefix(out);
        let random = RandomState::new().build_hasher().finish();
        name.push(format!("{}-{random:016x}", std::process::id()));
        let dir = out.with_file_name(name);
        fs::DirBuilder::new().mode(0o755).create(&dir)?;
        may_die_here();
        let made = (|| {
            let mut marker = File::create_new(dir.join(MARKER))?;
            may_die_here();
            // Waits for a run that looks for dead ones just now.
            let locked = flock(&marker, FlockOperation::LockExclusive).is_ok();
            let pid = format!("{}\n", std::process::id());
            io::Write::write_all(&mut marker, &[MAGIC, pid.as_bytes()].concat())?;
            may_die_here();
            let tree = dir.join(TREE);
            fs::create_dir(&tree)?;
            let root = File::open(&tree)?;
            Ok((tree, root, locked.then_some(Held(marker))))
        })();
        match made {
            Ok((tree, root, marker)) => Ok(Work {
                dir,
                tree,
                root,
                _marker: marker,
                parents,
            }),
            Err(error) => {
                let _ = fs::remove_dir_all(&dir);
                for parent in parents.iter().rev() {
                    let _ = fs::remove_dir(parent);
                }
                Err(error)
            }
        }
    }

    /// What is not removed now is removed by the next run.
    fn remove(&self) {
        remove_stage(&self.dir);
    }
}

/// The marker goes last: as long as anything is there it says whose it is.
fn remove_stage(dir: &Path) {
    let trees = [TREE, ASIDE].map(|name| remove_tree(&dir.join(name)));
    if trees.iter().all(Result::is_ok) {
        may_die_here();
        let _ = fs::remove_file(dir.join(MARKER));
        may_die_here();
        let _ = fs::remove_dir(dir);
    }
}

/// How the names of work folders for `out` begin.
fn stage_prefix(out: &Path) -> OsString {
    let name = out.file_name().unwrap_or_default();
    let mut prefix = OsString::from(".");
    if name.len() > 200 {
        prefix.push(&sha256_hex(name.as_bytes())[..32]);
    } else {
        prefix.push(name);
    }
    prefix.push(".healc-stage-");
    prefix
}

/// Removes what killed runs left beside `out`, and brings back an overlay that one had moved
/// aside. Returns whether a run is at work on it.
fn remove_dead_stages(out: &Path) -> Done<bool> {
    let mut live = false;
    let prefix = stage_prefix(out);
    let Some(Ok(entries)) = out.parent().map(fs::read_dir) else {
        return Ok(false);
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = stage_pid(&name, &prefix) else {
            continue;
        };
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let dir = entry.path();
        match owner(&dir, pid) {
            Owner::Alive => live = true,
            Owner::Unknown => {}
            Owner::Dead(_held) => {
                let aside = dir.join(ASIDE);
                if look(&aside)?.is_some() && look(out)?.is_none() {
                    fs::rename(&aside, out)
                        .map_err(EmitError::io(out, "cannot be brought back"))?;
                }
                remove_stage(&dir);
            }
        }
    }
    Ok(live)
}

/// The process id in the name of a work folder.
fn stage_pid(name: &OsStr, prefix: &OsStr) -> Option<u32> {
    let rest = name.as_bytes().strip_prefix(prefix.as_bytes())?;
    let (pid, random) = std::str::from_utf8(rest).ok()?.split_once('-')?;
    let hex = |byte: u8| byte.is_ascii_hexdigit();
    (random.len() == 16 && random.bytes().all(hex)).then(|| pid.parse().ok())?
}

enum Owner {
    Alive,
    /// With the marker, locked.
    Dead(Option<Held>),
    /// Not provably a stage of ours.
    Unknown,
}

fn owner(dir: &Path, pid: u32) -> Owner {
    let path = dir.join(MARKER);
    let mut options = fs::OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let opened = options.open(&path);
    let Ok(mut marker) = opened else {
        // Killed before it had a marker, or after: then it is empty, which is all that goes.
        if opened.is_err_and(|e| e.kind() == io::ErrorKind::NotFound) && !is_alive(pid) {
            let _ = fs::remove_dir(dir);
        }
        return Owner::Unknown;
    };
    let mut text = Vec::new();
    if marker.by_ref().take(1024).read_to_end(&mut text).is_err() {
        return Owner::Unknown;
    }
    let held = match lock(marker, &path) {
        Ok(Lock::Held(held)) => Some(held),
        Ok(Lock::Unsupported) if !is_alive(pid) => None,
        _ => return Owner::Alive,
    };
    if text.starts_with(MAGIC) {
        return Owner::Dead(held);
    }
    // Killed before it could write into its marker: there is nothing else yet.
    let alone = || fs::read_dir(dir).is_ok_and(|entries| entries.count() == 1);
    match text.is_empty() && !is_alive(pid) && alone() {
        true => Owner::Dead(held),
        false => Owner::Unknown,
    }
}

/// Where that cannot be told: yes.
fn is_alive(pid: u32) -> bool {
    let proc = Path::new("/proc/self");
    !proc.exists() || Path::new(&format!("/proc/{pid}")).exists()
}

/// A lock on the folder around the overlay while a run starts, so that of two runs that start at
/// once the second sees the first.
struct Others(#[expect(dead_code, reason = "held, not read")] Option<Held>);

impl Others {
    fn wait(out: &Path) -> Others {
        let Some(parent) = out.parent() else {
            return Others(None);
        };
        for _ in 0..200 {
            let Ok(folder) = File::open(parent) else {
                break;
            };
            match lock(folder, parent) {
                Ok(Lock::Held(file)) => return Others(Some(file)),
                Ok(Lock::Taken) => std::thread::sleep(Duration::from_millis(10)),
                _ => break,
            }
        }
        Others(None)
    }
}

/// What stands where the overlay is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Absent,
    Empty,
    Ours,
}

impl Place {
    fn of(out: &Path) -> Done<Place> {
        let Some(meta) = look(out)? else {
            return Ok(Place::Absent);
        };
        if meta.is_symlink() {
            let to = fs::read_link(out).unwrap_or_default();
            let path = out.to_path_buf();
            return Err(EmitError::OutputIsLink { path, to });
        }
        if !meta.is_dir() {
            return Err(EmitError::NotAFolder(out.to_path_buf()));
        }
        let place = if is_ours(out) {
            Place::Ours
        } else {
            let mut entries = fs::read_dir(out).map_err(EmitError::io(out, "cannot be read"))?;
            if entries.next().is_some() {
                return Err(EmitError::Foreign(out.to_path_buf()));
            }
            Place::Empty
        };
        let around = out.parent().and_then(|parent| fs::metadata(parent).ok());
        if around.is_some_and(|around| around.dev() != meta.dev()) {
            return Err(EmitError::MountPoint(out.to_path_buf()));
        }
        Ok(place)
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

/// The real place of `out`, which need not exist. A link at `out` itself is not followed.
fn resolve(out: &Path) -> Done<PathBuf> {
    let failed = EmitError::io(out, "cannot be found");
    let Some(name) = out.file_name() else {
        return fs::canonicalize(out).map_err(failed);
    };
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut existing = parent.unwrap_or(Path::new("."));
    let mut missing = vec![name];
    loop {
        match fs::canonicalize(existing) {
            Ok(mut path) => {
                path.extend(missing.into_iter().rev());
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let Some(name) = existing.file_name() else {
                    return Err(failed(error));
                };
                missing.push(name);
                let above = existing
                    .parent()
                    .filter(|above| !above.as_os_str().is_empty());
                existing = above.unwrap_or(Path::new("."));
            }
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Whether `path` is `folder` or inside it, by whatever names (bind mounts, letter case).
fn is_within(path: &Path, folder: &Path) -> bool {
    if path.starts_with(folder) {
        return true;
    }
    let Ok(folder) = fs::symlink_metadata(folder) else {
        return false;
    };
    let same =
        |at: &Path| fs::symlink_metadata(at).is_ok_and(|at| identity(&at) == identity(&folder));
    path.ancestors().any(same)
}

fn open_folder(path: &Path) -> Done<File> {
    let mut options = fs::OpenOptions::new();
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
        .open(path)
        .map_err(EmitError::io(path, "cannot be opened"))
}

fn same_file(old: &Path, bytes: &[u8], mode: u32) -> bool {
    let Ok(meta) = fs::symlink_metadata(old) else {
        return false;
    };
    meta.len() == bytes.len() as u64
        && mode_of(&meta) == mode
        && fs::read(old).is_ok_and(|old| old == bytes)
}

fn same_content(old: &Path, old_meta: &fs::Metadata, source: &Path, meta: &fs::Metadata) -> bool {
    old_meta.len() == meta.len()
        && mode_of(old_meta) == mode_of(meta) & 0o777
        && matches!((File::open(old), File::open(source)), (Ok(a), Ok(b)) if same_bytes(&a, &b))
}

fn same_bytes(mut a: &File, mut b: &File) -> bool {
    const CHUNK: usize = 64 << 10;
    let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let Ok(n) = a.read(&mut left) else {
            return false;
        };
        if n == 0 {
            return matches!(b.read(&mut right), Ok(0));
        }
        if b.read_exact(&mut right[..n]).is_err() || left[..n] != right[..n] {
            return false;
        }
    }
}

/// Copies contents and mode to a new file; set-id bits stay behind.
fn copy_new(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mode = source.metadata()?.mode() & 0o777;
    let mut options = fs::OpenOptions::new();
    let mut target = options.write(true).create_new(true).mode(0o600).open(to)?;
    io::copy(&mut source, &mut target)?;
    target.set_permissions(fs::Permissions::from_mode(mode))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Without `..`, by the text alone.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            part => result.push(part),
        }
    }
    result
}

fn sync(folder: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(folder)?;
    #[cfg(not(target_os = "linux"))]
    folder.sync_all()?;
    Ok(())
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
