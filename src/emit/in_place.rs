//! Rewriting a repository's own files, and undoing it exactly.
//!
//! Originals are copied to `.healc/original`, and `.healc/journal.json` lists every file that will
//! be touched, before the first one is. Killed at any moment, [`restore`] leads back; killed
//! itself, it can be run again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::artifact::{HEALC_DIR, SCHEMA, sha256_hex};

use super::{Done, EmitError, check_path, make_folder, write_whole};

const JOURNAL: &str = ".healc/journal.json";
const ORIGINALS: &str = ".healc/original";

/// One file to be rewritten.
pub struct InPlaceEdit {
    pub path: String,
    pub original_sha256: String,
    pub output: Vec<u8>,
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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    schema: u32,
    files: BTreeMap<String, Hashes>,
    /// Files of healc's own with their sha256.
    extras: BTreeMap<String, String>,
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

/// Rewrites files of `repo`. Files may be added to those of an earlier call.
pub fn in_place(
    repo: &Path,
    edits: impl Iterator<Item = InPlaceEdit>,
    extras: &[(String, Vec<u8>)],
) -> Done {
    let edits: Vec<InPlaceEdit> = edits.collect();
    let mut journal = match is_in_place(repo) {
        true => Journal::read(repo)?,
        false => Journal {
            schema: SCHEMA,
            files: BTreeMap::new(),
            extras: BTreeMap::new(),
        },
    };
    for (path, bytes) in extras {
        check_path(path)?;
        let target = repo.join(path);
        if target.exists() && !journal.extras.contains_key(path) {
            let own = fs::read(&target).is_ok_and(|old| old == *bytes);
            if !own {
                return Err(EmitError::InTheWay(target));
            }
        }
    }
    for edit in &edits {
        check_path(&edit.path)?;
        let path = repo.join(&edit.path);
        let meta = fs::symlink_metadata(&path).map_err(EmitError::io(&path, "cannot be read"))?;
        if !meta.is_file() {
            return Err(EmitError::InTheWay(path));
        }
        let bytes = fs::read(&path).map_err(EmitError::io(&path, "cannot be read"))?;
        if sha256_hex(&bytes) != edit.original_sha256 {
            return Err(EmitError::Changed(path));
        }
        let copy = repo.join(ORIGINALS).join(&edit.path);
        make_folder(copy.parent().expect("below a folder"))?;
        write_whole(&copy, &bytes, Some(&meta))?;
        copy_times(&copy, &meta)?;
        let hashes = Hashes {
            original: edit.original_sha256.clone(),
            output: sha256_hex(&edit.output),
        };
        journal.files.insert(edit.path.clone(), hashes);
    }
    for (path, bytes) in extras {
        journal.extras.insert(path.clone(), sha256_hex(bytes));
    }
    journal.write(repo)?;
    for (path, bytes) in extras {
        let target = repo.join(path);
        make_folder(target.parent().expect("below a folder"))?;
        write_whole(&target, bytes, None)?;
    }
    for edit in &edits {
        let path = repo.join(&edit.path);
        let meta = fs::metadata(&path).map_err(EmitError::io(&path, "cannot be read"))?;
        write_whole(&path, &edit.output, Some(&meta))?;
    }
    Ok(())
}

/// Brings the originals back. A file that was changed since is left alone unless `force`.
pub fn restore(repo: &Path, force: bool) -> Done<Restored> {
    if !is_in_place(repo) {
        return Err(EmitError::NotInPlace(repo.to_path_buf()));
    }
    let mut journal = Journal::read(repo)?;
    let mut result = Restored::default();
    for (path, hashes) in journal.files.clone() {
        check_path(&path)?;
        let target = repo.join(&path);
        let copy = repo.join(ORIGINALS).join(&path);
        let now = fs::read(&target).ok().map(|bytes| sha256_hex(&bytes));
        if now.as_deref() == Some(&hashes.original) {
            // Not replaced yet when the run was killed, or restored already.
        } else if now.as_deref() == Some(&hashes.output) || force {
            let bytes = fs::read(&copy).map_err(EmitError::io(&copy, "cannot be read"))?;
            if sha256_hex(&bytes) != hashes.original {
                return Err(EmitError::Journal {
                    path: copy,
                    detail: "is not the original any more; nothing was restored from it".into(),
                });
            }
            let meta = fs::metadata(&copy).map_err(EmitError::io(&copy, "cannot be read"))?;
            write_whole(&target, &bytes, Some(&meta))?;
            copy_times(&target, &meta)?;
            result.restored.push(path.clone());
        } else {
            result.conflicts.push(path);
            continue;
        }
        journal.files.remove(&path);
    }
    if !result.conflicts.is_empty() {
        // The rest stays, so that the restoring can go on later.
        journal.write(repo)?;
        return Ok(result);
    }
    for (path, sha256) in &journal.extras {
        check_path(path)?;
        let target = repo.join(path);
        match fs::read(&target) {
            Ok(bytes) if sha256_hex(&bytes) == *sha256 || force => {
                remove_file(&target)?;
                result.removed.push(path.clone());
            }
            Ok(_) => result.conflicts.push(path.clone()),
            Err(_) => {}
        }
        remove_empty_parents(repo, &target);
    }
    let originals = repo.join(ORIGINALS);
    match fs::remove_dir_all(&originals) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(EmitError::io(&originals, "cannot be removed")(error));
        }
        _ => {}
    }
    remove_file(&repo.join(JOURNAL))?;
    let _ = fs::remove_dir(repo.join(HEALC_DIR));
    Ok(result)
}

impl Journal {
    fn read(repo: &Path) -> Done<Journal> {
        let path = repo.join(JOURNAL);
        let invalid = |detail: String| EmitError::Journal {
            path: path.clone(),
            detail,
        };
        let text = fs::read(&path).map_err(EmitError::io(&path, "cannot be read"))?;
        let journal: Journal =
            serde_json::from_slice(&text).map_err(|e| invalid(format!("is damaged: {e}")))?;
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
        make_folder(&repo.join(HEALC_DIR))?;
        let text = serde_json::to_vec_pretty(self).expect("journals serialise");
        write_whole(&path, &text, None)?;
        let sync = fs::File::open(&path).and_then(|file| file.sync_all());
        sync.map_err(EmitError::io(&path, "cannot be synced"))
    }
}

fn copy_times(path: &Path, like: &fs::Metadata) -> Done {
    let failed = EmitError::io(path, "cannot be given its times");
    let modified = like.modified().map_err(&failed)?;
    let accessed = like.accessed().unwrap_or(modified);
    let times = fs::FileTimes::new()
        .set_modified(modified)
        .set_accessed(accessed);
    // A read-only file cannot be opened for writing, but its owner may set its times all the same.
    let file = fs::File::open(path).map_err(&failed)?;
    file.set_times(times).map_err(&failed)
}

fn remove_file(path: &Path) -> Done {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(EmitError::io(path, "cannot be removed")(error))
        }
        _ => Ok(()),
    }
}

/// Folders that only held what was removed, and bytecode of it.
fn remove_empty_parents(repo: &Path, path: &Path) {
    let mut folder = path.parent();
    while let Some(at) = folder
        && at != repo
    {
        if at.ends_with(crate::source::RUNTIME) {
            let _ = fs::remove_dir_all(at.join("__pycache__"));
        }
        if fs::remove_dir(at).is_err() {
            break;
        }
        folder = at.parent();
    }
}
