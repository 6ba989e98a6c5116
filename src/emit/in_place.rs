//! Rewriting a repository's own files, and undoing it exactly.
//!
//! A run goes through these steps; killed at any moment, [`restore`] leads back, and killed itself
//! it can be run again:
//!
//! 1. The journal says that a run has begun.
//! 2. Everything that will be written is written to `.healc/new`, and each original gets a second
//!    name below `.healc/original` (a hard link, so that its times, owner, attributes and other
//!    links survive as they are; a copy where links are impossible). Full disks show here.
//! 3. The journal lists every file with its hashes before and after. It is synced.
//! 4. Files are replaced, each by one rename. Nothing is written through a link of either kind.
//! 5. The journal says that the run is complete.
//!
//! Restoring renames the originals back.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use crate::artifact::{HEALC_DIR, SCHEMA, sha256_hex};

use super::{
    Done, EmitError, Held, Lock, check_path, identity, lock, look, make_folder, may_die_here,
    mode_of, remove_file, remove_tree, write_new,
};

const JOURNAL: &str = ".healc/journal.json";
const NEW_JOURNAL: &str = ".healc/journal.json.new";
const ORIGINALS: &str = ".healc/original";
const PREPARED: &str = ".healc/new";

/// One file to be rewritten.
pub struct InPlaceEdit {
    pub path: String,
    pub original_sha256: String,
    pub output: Vec<u8>,
}

/// What [`in_place`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rewritten {
    pub replaced: usize,
    /// Files of healc's that were added or brought up to date.
    pub added: usize,
}

/// What [`restore`] did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Restored {
    pub restored: Vec<String>,
    /// Files of healc's that were removed.
    pub removed: Vec<String>,
    /// Changed since, and left as they are.
    pub conflicts: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, Default)]
#[serde(deny_unknown_fields)]
struct Journal {
    schema: u32,
    /// A run is at work, or was when it was killed.
    #[serde(default)]
    running: bool,
    files: BTreeMap<String, Hashes>,
    /// Files of healc's own with their sha256.
    extras: BTreeMap<String, String>,
    /// Hashes that extras had before this run brought them up to date.
    #[serde(default)]
    earlier: BTreeMap<String, Vec<String>>,
    /// Folders that were made for extras.
    #[serde(default)]
    folders: BTreeSet<String>,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Hashes {
    original: String,
    output: String,
}

/// Whether `repo` is (or was half) instrumented in place.
pub fn is_in_place(repo: &Path) -> bool {
    repo.join(JOURNAL).exists()
}

/// Rewrites files of `repo` and adds `extras`. Files may be added to those of an earlier call, but
/// none is rewritten twice. If it fails everything is as before.
pub fn in_place(
    repo: &Path,
    edits: impl Iterator<Item = InPlaceEdit>,
    extras: &[(String, Vec<u8>)],
) -> Done<Rewritten> {
    let _lock = lock_repository(repo)?;
    let earlier = match is_in_place(repo) {
        true => Some(Journal::read(repo)?),
        false => None,
    };
    match &earlier {
        Some(journal) if journal.running => {
            return Err(EmitError::Interrupted(repo.to_path_buf()));
        }
        Some(_) => {}
        None => {
            // Without a journal nobody knows what these are.
            for path in [ORIGINALS, PREPARED].map(|path| repo.join(path)) {
                if look(&path)?.is_some() {
                    return Err(EmitError::InTheWay(path));
                }
            }
        }
    }
    let mut run = Run {
        repo,
        journal: earlier.clone().unwrap_or_else(|| Journal {
            schema: SCHEMA,
            ..Journal::default()
        }),
        real_folders: HashSet::new(),
        files: Vec::new(),
        extras: Vec::new(),
        replaced: 0,
    };
    run.check_extras(extras)?;
    let prepared = run.prepare(earlier.as_ref(), edits, extras);
    if let Err(error) = prepared {
        run.abandon(earlier.as_ref());
        return Err(error);
    }
    if let Err(error) = run.replace() {
        let undone = match earlier {
            None => run.undo(),
            // What extras were before is not known any more.
            Some(_) => false,
        };
        return Err(match undone {
            true => error,
            false => EmitError::HalfWay {
                error: Box::new(error),
            },
        });
    }
    Ok(Rewritten {
        replaced: run.files.len(),
        added: run.extras.len(),
    })
}

/// Brings the originals back. A file that was changed since is left alone unless `force`.
pub fn restore(repo: &Path, force: bool) -> Done<Restored> {
    let _lock = lock_repository(repo)?;
    restore_locked(repo, force)
}

/// A run of [`in_place`].
struct Run<'r> {
    repo: &'r Path,
    journal: Journal,
    /// Folders of the repository that are known to be no links.
    real_folders: HashSet<PathBuf>,
    /// What is to be replaced, with the original's look.
    files: Vec<(String, Look)>,
    extras: Vec<String>,
    replaced: usize,
}

/// What changes if a file does.
type Look = ((u64, u64), u64, (i64, i64));

fn look_of(meta: &fs::Metadata) -> Look {
    (
        identity(meta),
        meta.len(),
        (meta.mtime(), meta.mtime_nsec()),
    )
}

impl Run<'_> {
    /// Before anything is written: are the places of the extras free?
    fn check_extras(&mut self, extras: &[(String, Vec<u8>)]) -> Done {
        let mut seen = HashSet::new();
        for (path, bytes) in extras {
            check_path(path)?;
            if !seen.insert(path) {
                return Err(EmitError::Twice(path.clone()));
            }
            self.must_be_plain(path)?;
            let target = self.repo.join(path);
            let Some(meta) = look(&target)? else {
                self.extras.push(path.clone());
                continue;
            };
            let same = meta.is_file() && hash_of(&target)?.as_deref() == Some(&sha256_hex(bytes));
            match self.journal.extras.contains_key(path) {
                true if same => {}
                true if meta.is_file() => self.extras.push(path.clone()),
                // The user's own file with the same contents stays the user's.
                false if same => {}
                _ => return Err(EmitError::InTheWay(target)),
            }
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        earlier: Option<&Journal>,
        edits: impl Iterator<Item = InPlaceEdit>,
        extras: &[(String, Vec<u8>)],
    ) -> Done {
        self.journal.running = true;
        self.journal.earlier.clear();
        self.journal.write(self.repo)?;
        may_die_here();
        for edit in edits {
            if earlier.is_some_and(|journal| journal.files.contains_key(&edit.path)) {
                return Err(EmitError::AlreadyInPlace(self.repo.join(&edit.path)));
            }
            self.prepare_edit(&edit)?;
        }
        let wanted: HashSet<&str> = self.extras.iter().map(String::as_str).collect();
        for (path, bytes) in extras
            .iter()
            .filter(|(path, _)| wanted.contains(path.as_str()))
        {
            let at = self.repo.join(PREPARED).join(path);
            make_folder(at.parent().unwrap_or(&at))?;
            write_new(&at, bytes, 0o644).map_err(EmitError::io(&at, "cannot be written"))?;
            if let Some(old) = self.journal.extras.insert(path.clone(), sha256_hex(bytes)) {
                self.journal.earlier.insert(path.clone(), vec![old]);
            }
            for folder in Path::new(path).ancestors().skip(1) {
                let is_ours = folder.starts_with(HEALC_DIR) || folder == Path::new("");
                if let Some(name) = folder.to_str()
                    && !is_ours
                    && look(&self.repo.join(folder))?.is_none()
                {
                    self.journal.folders.insert(name.to_string());
                }
            }
            may_die_here();
        }
        self.journal.write(self.repo)
    }

    fn prepare_edit(&mut self, edit: &InPlaceEdit) -> Done {
        check_path(&edit.path)?;
        self.must_be_plain(&edit.path)?;
        let path = self.repo.join(&edit.path);
        let failed = EmitError::io(&path, "cannot be read");
        let meta = fs::symlink_metadata(&path).map_err(&failed)?;
        if !meta.is_file() {
            return Err(EmitError::NotPlain(path.clone()));
        }
        if sha256_hex(&fs::read(&path).map_err(&failed)?) != edit.original_sha256 {
            return Err(EmitError::Changed(path.clone()));
        }
        let folder = path.parent().unwrap_or(&path);
        access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
            EmitError::io(folder, "files in it cannot be replaced")(error.into())
        })?;
        let hashes = Hashes {
            original: edit.original_sha256.clone(),
            output: sha256_hex(&edit.output),
        };
        if self
            .journal
            .files
            .insert(edit.path.clone(), hashes)
            .is_some()
        {
            return Err(EmitError::Twice(edit.path.clone()));
        }
        self.files.push((edit.path.clone(), look_of(&meta)));

        let new = self.repo.join(PREPARED).join(&edit.path);
        make_folder(new.parent().unwrap_or(&new))?;
        may_die_here();
        let written =
            write_new(&new, &edit.output, 0o600).and_then(|()| give_owner_and_mode(&new, &meta));
        written.map_err(EmitError::io(&new, "cannot be written"))?;

        let original = self.repo.join(ORIGINALS).join(&edit.path);
        make_folder(original.parent().unwrap_or(&original))?;
        may_die_here();
        if fs::hard_link(&path, &original).is_err() {
            let copied = copy_exactly(&path, &meta, &original);
            copied.map_err(EmitError::io(&original, "cannot be written"))?;
        }
        may_die_here();
        Ok(())
    }

    fn replace(&mut self) -> Done {
        for path in &self.extras {
            let target = self.repo.join(path);
            make_folder(target.parent().unwrap_or(&target))?;
            may_die_here();
            move_over(&self.repo.join(PREPARED).join(path), &target)?;
        }
        for (path, before) in &self.files {
            may_die_here();
            let target = self.repo.join(path);
            if look(&target)?.is_none_or(|now| look_of(&now) != *before) {
                return Err(EmitError::Changed(target));
            }
            move_over(&self.repo.join(PREPARED).join(path), &target)?;
            self.replaced += 1;
        }
        may_die_here();
        remove_tree(&self.repo.join(PREPARED))?;
        may_die_here();
        self.journal.running = false;
        self.journal.earlier.clear();
        self.journal.write(self.repo)
    }

    /// Undoes [`Run::replace`] as far as it came. What it did not replace is none of its business,
    /// whatever happened to that since.
    fn undo(&mut self) -> bool {
        for (path, _) in &self.files[self.replaced..] {
            self.journal.files.remove(path);
        }
        self.journal.write(self.repo).is_ok()
            && restore_locked(self.repo, false).is_ok_and(|done| done.conflicts.is_empty())
    }

    /// Undoes [`Run::prepare`] as far as it came. What cannot be removed is left to `restore`.
    fn abandon(&self, earlier: Option<&Journal>) {
        let _ = remove_tree(&self.repo.join(PREPARED));
        let originals = self.repo.join(ORIGINALS);
        match earlier {
            Some(journal) => {
                for (path, _) in &self.files {
                    let _ = remove_file(&originals.join(path));
                }
                remove_empty_folders(&originals);
                let _ = journal.write(self.repo);
            }
            None => {
                if remove_tree(&originals).is_ok() {
                    remove_journal(self.repo);
                }
            }
        }
    }

    /// No folder on the way may be a link: it could lead out of the repository.
    fn must_be_plain(&mut self, path: &str) -> Done {
        for folder in Path::new(path).ancestors().skip(1) {
            if folder == Path::new("") || self.real_folders.contains(folder) {
                break;
            }
            let at = self.repo.join(folder);
            match look(&at)? {
                Some(meta) if meta.is_dir() => self.real_folders.insert(folder.to_path_buf()),
                Some(_) => return Err(EmitError::NotPlain(self.repo.join(path))),
                None => false,
            };
        }
        Ok(())
    }
}

fn restore_locked(repo: &Path, force: bool) -> Done<Restored> {
    if !is_in_place(repo) {
        // A run that was killed before it had a journal had nothing else either.
        remove_journal(repo);
        return Err(EmitError::NotInPlace(repo.to_path_buf()));
    }
    let mut journal = Journal::read(repo)?;
    let mut result = Restored::default();
    remove_tree(&repo.join(PREPARED))?;
    let mut remaining = BTreeMap::new();
    for (path, hashes) in std::mem::take(&mut journal.files) {
        may_die_here();
        match put_back(repo, &path, &hashes, force)? {
            Fate::Untouched => {}
            Fate::Restored => result.restored.push(path),
            Fate::Conflict => {
                result.conflicts.push(path.clone());
                remaining.insert(path, hashes);
            }
        }
    }
    if !remaining.is_empty() {
        // The rest stays, so that restoring can go on later.
        journal.files = remaining;
        journal.write(repo)?;
        return Ok(result);
    }
    may_die_here();
    remove_tree(&repo.join(ORIGINALS))?;
    let mut remaining = BTreeMap::new();
    for (path, sha256) in std::mem::take(&mut journal.extras) {
        may_die_here();
        check_path(&path)?;
        let target = repo.join(&path);
        let Some(now) = hash_of(&target)? else {
            continue;
        };
        let earlier = journal
            .earlier
            .get(&path)
            .is_some_and(|hashes| hashes.contains(&now));
        if now == sha256 || earlier || force {
            remove_file(&target)?;
            result.removed.push(path);
        } else {
            result.conflicts.push(path.clone());
            remaining.insert(path, sha256);
        }
    }
    for folder in journal.folders.iter().rev() {
        check_path(folder)?;
        remove_bytecode(&repo.join(folder));
        let _ = fs::remove_dir(repo.join(folder));
    }
    remove_empty_folders(&repo.join(HEALC_DIR));
    if !remaining.is_empty() {
        journal.extras = remaining;
        journal.write(repo)?;
        return Ok(result);
    }
    may_die_here();
    remove_file(&repo.join(JOURNAL))?;
    remove_journal(repo);
    Ok(result)
}

enum Fate {
    /// It has its original contents: not replaced yet, or restored already.
    Untouched,
    Restored,
    Conflict,
}

fn put_back(repo: &Path, path: &str, hashes: &Hashes, force: bool) -> Done<Fate> {
    check_path(path)?;
    let target = repo.join(path);
    let original = repo.join(ORIGINALS).join(path);
    remove_file(&temporary(&target))?;
    let now = look(&target)?;
    let hash = match &now {
        Some(meta) if meta.is_file() => hash_of(&target)?,
        _ => None,
    };
    if let (Some(now), Some(original)) = (&now, look(&original)?)
        && identity(now) == identity(&original)
    {
        // The original itself; edited since perhaps, but never replaced.
        return Ok(Fate::Untouched);
    }
    if hash.as_deref() == Some(&hashes.original) {
        return Ok(Fate::Untouched);
    }
    let ours = hash.as_deref() == Some(&hashes.output);
    let is_folder = now.is_some_and(|meta| meta.is_dir());
    if !(ours || force) || is_folder {
        return Ok(Fate::Conflict);
    }
    // It is the very file: if it had another name it may have been changed by that.
    let backup = hash_of(&original)?;
    if backup.is_none() || (backup.as_deref() != Some(&hashes.original) && !force) {
        return Ok(Fate::Conflict);
    }
    let folder = target.parent().unwrap_or(&target);
    if look(folder)?.is_none() {
        make_folder(folder)?;
    }
    may_die_here();
    move_over(&original, &target)?;
    Ok(Fate::Restored)
}

impl Journal {
    fn read(repo: &Path) -> Done<Journal> {
        let path = repo.join(JOURNAL);
        let invalid = |detail: String| EmitError::Journal {
            path: path.clone(),
            detail,
        };
        let text = fs::read(&path).map_err(EmitError::io(&path, "cannot be read"))?;
        let journal: Journal = serde_json::from_slice(&text).map_err(|error| {
            invalid(format!(
                "is damaged ({error}); the originals are in {}",
                repo.join(ORIGINALS).display()
            ))
        })?;
        if journal.schema != SCHEMA {
            return Err(invalid(format!(
                "was written in format {}, this healc reads {SCHEMA}",
                journal.schema
            )));
        }
        Ok(journal)
    }

    /// Written whole and synced: everything that follows relies on it.
    fn write(&self, repo: &Path) -> Done {
        let path = repo.join(JOURNAL);
        let folder = repo.join(HEALC_DIR);
        if look(&folder)?.is_some_and(|meta| !meta.is_dir()) {
            return Err(EmitError::InTheWay(folder));
        }
        make_folder(&folder)?;
        let mut text = serde_json::to_vec_pretty(self).expect("journals serialise");
        text.push(b'\n');
        let new = repo.join(NEW_JOURNAL);
        remove_file(&new)?;
        may_die_here();
        let written = (|| {
            write_new(&new, &text, 0o644)?;
            File::open(&new)?.sync_all()?;
            may_die_here();
            fs::rename(&new, &path)?;
            File::open(&folder)?.sync_all()
        })();
        written.map_err(EmitError::io(&path, "cannot be written"))
    }
}

/// And the folder, if nothing else is in it.
fn remove_journal(repo: &Path) {
    for name in [JOURNAL, NEW_JOURNAL] {
        let _ = fs::remove_file(repo.join(name));
    }
    let _ = fs::remove_dir(repo.join(HEALC_DIR));
}

fn lock_repository(repo: &Path) -> Done<Option<Held>> {
    let folder = File::open(repo).map_err(EmitError::io(repo, "cannot be opened"))?;
    match lock(folder, repo)? {
        Lock::Held(held) => Ok(Some(held)),
        Lock::Unsupported => Ok(None),
        Lock::Taken => Err(EmitError::Busy(repo.to_path_buf())),
    }
}

/// `None`: there is no such file.
fn hash_of(path: &Path) -> Done<Option<String>> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::read(path) {
        Ok(bytes) => Ok(Some(sha256_hex(&bytes))),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | IsADirectory) => Ok(None),
        Err(error) => Err(EmitError::io(path, "cannot be read")(error)),
    }
}

/// Where a file is put together whose prepared form lies on another file system.
fn temporary(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".healc-new");
    target.with_file_name(name)
}

fn move_over(from: &Path, to: &Path) -> Done {
    let failed = EmitError::io(to, "cannot be replaced");
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        result => return result.map_err(failed),
    }
    // A file system that is mounted inside the repository.
    let temporary = temporary(to);
    remove_file(&temporary)?;
    let moved = (|| {
        let meta = fs::metadata(from)?;
        copy_exactly(from, &meta, &temporary)?;
        may_die_here();
        fs::rename(&temporary, to)
    })();
    moved.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        failed(error)
    })
}

/// Contents, owner, mode and times, on disk when it returns: it may be all that is left.
fn copy_exactly(from: &Path, meta: &fs::Metadata, to: &Path) -> io::Result<()> {
    write_new(to, &fs::read(from)?, 0o600)?;
    let file = File::open(to)?;
    let modified = meta.modified()?;
    let times = fs::FileTimes::new().set_modified(modified);
    file.set_times(times.set_accessed(meta.accessed().unwrap_or(modified)))?;
    give_owner_and_mode(to, meta)?;
    file.sync_all()
}

fn give_owner_and_mode(path: &Path, like: &fs::Metadata) -> io::Result<()> {
    let now = fs::metadata(path)?;
    let mut mode = mode_of(like);
    let differs = (now.uid(), now.gid()) != (like.uid(), like.gid());
    // Only the superuser can give files away. A file that got another owner gets no set-id bits.
    if differs && chown(path, Some(like.uid()), Some(like.gid())).is_err() {
        mode &= 0o777;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Bytecode in a folder that healc made.
fn remove_bytecode(folder: &Path) {
    let cache = folder.join("__pycache__");
    let Ok(entries) = fs::read_dir(&cache) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.path().extension().is_some_and(|end| end == "pyc") {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(&cache);
}

/// The folder itself too, if nothing is left in it.
fn remove_empty_folders(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty_folders(&entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}
