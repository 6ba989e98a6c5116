//! A read-only view of the original repository: list, read, search.
//!
//! Everything goes through a directory handle of `cap-std`, which lets no path leave it: neither
//! `..` nor links nor a race between a check and an open.

use std::io::Read;
use std::path::{Component, Path};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use regex::bytes::RegexBuilder;
use serde::Serialize;

/// Entries of a folder that are listed.
const ENTRIES: usize = 2000;
/// Bytes of a file that are looked at.
const FILE_BYTES: u64 = 4 << 20;
/// Bytes of an answer.
const ANSWER_BYTES: usize = 256 << 10;
const HITS: usize = 200;
const SEARCHED_FILES: usize = 50_000;
const SEARCH_TIME: Duration = Duration::from_secs(5);

pub struct Repository {
    root: Dir,
}

#[derive(Debug, Serialize)]
pub struct Entry {
    pub path: String,
    /// `file`, `folder`, `link` or `other`.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct Listing {
    pub path: String,
    pub entries: Vec<Entry>,
    pub truncated: bool,
}

#[derive(Debug, Serialize)]
pub struct Text {
    pub path: String,
    pub lines: usize,
    pub start: usize,
    pub end: usize,
    pub text: String,
    pub truncated: bool,
}

#[derive(Debug, Serialize)]
pub struct Hit {
    pub path: String,
    pub line: usize,
    pub text: String,
}

#[derive(Debug, Serialize)]
pub struct Hits {
    pub hits: Vec<Hit>,
    pub files: usize,
    pub truncated: bool,
}

impl Repository {
    pub fn open(root: &Path) -> Result<Repository> {
        let root = Dir::open_ambient_dir(root, ambient_authority())
            .with_context(|| format!("{}: no readable folder", root.display()))?;
        Ok(Repository { root })
    }

    /// What is in a folder, in the order of names.
    pub fn list(&self, path: &str) -> Result<Listing> {
        let path = inside(path)?;
        let dir = self.root.open_dir(at(&path)).map_err(|e| told(&path, &e))?;
        let mut entries = entries(&dir, &path)?;
        let truncated = entries.len() > ENTRIES;
        entries.truncate(ENTRIES);
        Ok(Listing {
            path,
            entries,
            truncated,
        })
    }

    /// Lines `start` to `end` of a file, from 1, the last one included.
    pub fn read(&self, path: &str, start: Option<usize>, end: Option<usize>) -> Result<Text> {
        let path = inside(path)?;
        let (bytes, whole) = self.bytes(&self.root, &path, &path)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let start = start.unwrap_or(1).max(1);
        let end = end.unwrap_or(lines.len()).min(lines.len());
        let mut shown = String::new();
        let mut last = start.saturating_sub(1);
        for line in lines.iter().take(end).skip(start - 1) {
            if shown.len() + line.len() > ANSWER_BYTES {
                break;
            }
            shown.push_str(line);
            last += 1;
        }
        Ok(Text {
            path,
            lines: lines.len(),
            start,
            end: last,
            text: shown,
            truncated: last < end || !whole,
        })
    }

    /// Lines that match a regular expression, below a folder or in a file. Hidden folders and
    /// caches are passed over, links are not followed.
    pub fn search(&self, pattern: &str, path: &str) -> Result<Hits> {
        let regex = RegexBuilder::new(pattern)
            .size_limit(1 << 20)
            .build()
            .map_err(|error| anyhow!("the pattern is no regular expression: {error}"))?;
        let path = inside(path)?;
        let mut found = Hits {
            hits: Vec::new(),
            files: 0,
            truncated: false,
        };
        let until = Instant::now() + SEARCH_TIME;
        let kind = self
            .root
            .metadata(at(&path))
            .map_err(|error| told(&path, &error))?;
        if kind.is_file() {
            self.search_file(&self.root, &path, &path, &regex, &mut found)?;
            return Ok(found);
        }
        let mut size = 0;
        let mut waiting = vec![path];
        while let Some(folder) = waiting.pop() {
            // A folder that went away or may not be read hides nothing else.
            let Ok(dir) = self.root.open_dir(at(&folder)) else {
                continue;
            };
            let mut folders = Vec::new();
            for entry in entries(&dir, &folder).unwrap_or_default() {
                let name = entry.path.rsplit('/').next().unwrap_or_default();
                match entry.kind {
                    "folder" if !name.starts_with('.') && name != "__pycache__" => {
                        folders.push(entry.path);
                    }
                    "file" => {
                        let before = found.hits.len();
                        let _ = self.search_file(&dir, name, &entry.path, &regex, &mut found);
                        size += found.hits[before..]
                            .iter()
                            .map(|hit| hit.text.len() + hit.path.len())
                            .sum::<usize>();
                    }
                    _ => {}
                }
                if found.hits.len() >= HITS
                    || found.files >= SEARCHED_FILES
                    || size > ANSWER_BYTES
                    || Instant::now() > until
                {
                    found.truncated = true;
                    return Ok(found);
                }
            }
            waiting.extend(folders.into_iter().rev());
        }
        Ok(found)
    }

    fn search_file(
        &self,
        dir: &Dir,
        name: &str,
        path: &str,
        regex: &regex::bytes::Regex,
        found: &mut Hits,
    ) -> Result<()> {
        let (bytes, _) = self.bytes(dir, name, path)?;
        if memchr::memchr(0, &bytes[..bytes.len().min(4096)]).is_some() {
            return Ok(());
        }
        found.files += 1;
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if regex.is_match(line) {
                if found.hits.len() >= HITS {
                    found.truncated = true;
                    break;
                }
                let text = String::from_utf8_lossy(line);
                found.hits.push(Hit {
                    path: path.to_string(),
                    line: number + 1,
                    text: text.trim_end_matches('\r').chars().take(400).collect(),
                });
            }
        }
        Ok(())
    }

    /// The bytes of a file, and whether they are all of them.
    fn bytes(&self, dir: &Dir, name: &str, path: &str) -> Result<(Vec<u8>, bool)> {
        let mut options = OpenOptions::new();
        options.read(true);
        // A named pipe without a writer must not block the server.
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::custom_flags(
            &mut options,
            rustix::fs::OFlags::NONBLOCK.bits() as i32,
        );
        let file = dir
            .open_with(name, &options)
            .map_err(|error| told(path, &error))?;
        if !file
            .metadata()
            .map_err(|error| told(path, &error))?
            .is_file()
        {
            bail!("{path}: not a file");
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| told(path, &error))?;
        let whole = bytes.len() as u64 <= FILE_BYTES;
        bytes.truncate(FILE_BYTES as usize);
        Ok((bytes, whole))
    }
}

/// A path from outside, checked and in one spelling; empty is the root.
fn inside(path: &str) -> Result<String> {
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_string_lossy()),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => bail!(
                "{path}: paths are relative to the repository and stay inside of it, without `..`"
            ),
        }
    }
    if path.contains('\0') {
        bail!("a path has no NUL");
    }
    Ok(parts.join("/"))
}

fn at(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

/// What a client may know of an error: not where the repository is.
fn told(path: &str, error: &std::io::Error) -> anyhow::Error {
    use std::io::ErrorKind;
    let why = match error.kind() {
        ErrorKind::NotFound => "there is no such path in the repository",
        ErrorKind::NotADirectory => "not a folder",
        ErrorKind::IsADirectory => "a folder; list it",
        // cap-std says so of paths that lead outside.
        ErrorKind::PermissionDenied => "may not be read, or leads out of the repository",
        _ => "cannot be read",
    };
    anyhow!("{}: {why}", at(path))
}

fn entries(dir: &Dir, folder: &str) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    for entry in dir.entries().map_err(|error| told(folder, &error))? {
        let Ok(entry) = entry else { continue };
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push(Entry {
            path: if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            },
            size: (kind.is_file())
                .then(|| entry.metadata().ok().map(|meta| meta.len()))
                .flatten(),
            kind: match () {
                () if kind.is_symlink() => "link",
                () if kind.is_dir() => "folder",
                () if kind.is_file() => "file",
                () => "other",
            },
        });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn example() -> (tempfile::TempDir, Repository) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        fs::create_dir_all(root.join("pkg/.git")).unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        fs::write(root.join("pkg/mod.py"), "a = 1\nb = a\r\nc = 3").unwrap();
        fs::write(root.join("pkg/.git/config"), "a = 1").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("../secret", root.join("out")).unwrap();
            symlink(dir.path(), root.join("absolute")).unwrap();
            symlink("pkg/mod.py", root.join("in")).unwrap();
            symlink("loop", root.join("loop")).unwrap();
            symlink("..", root.join("pkg/up")).unwrap();
        }
        let repository = Repository::open(&root).unwrap();
        (dir, repository)
    }

    #[test]
    fn lists_reads_and_searches() {
        let (_dir, repo) = example();
        let paths: Vec<_> = repo.list("./pkg//").unwrap().entries;
        assert_eq!(paths[1].path, "pkg/mod.py");
        assert_eq!((paths[1].kind, paths[1].size), ("file", Some(18)));
        let text = repo.read("pkg/mod.py", Some(2), Some(9)).unwrap();
        assert_eq!(
            (text.text.as_str(), text.start, text.end),
            ("b = a\r\nc = 3", 2, 3)
        );
        assert_eq!(repo.read("pkg/mod.py", Some(9), None).unwrap().text, "");
        let hits = repo.search(r"\ba\b", "").unwrap().hits;
        let lines: Vec<_> = hits
            .iter()
            .map(|hit| (hit.path.as_str(), hit.line))
            .collect();
        assert_eq!(lines, [("pkg/mod.py", 1), ("pkg/mod.py", 2)]);
        assert_eq!(hits[1].text, "b = a");
        assert!(repo.search("(", "").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn nothing_outside_is_reached() {
        let (dir, repo) = example();
        for path in [
            "..",
            "../secret",
            "pkg/../../secret",
            "/etc/passwd",
            "out",
            "absolute/secret",
            "absolute",
            "loop",
            "pkg/up/../secret",
            "pkg/up/out",
            "\0",
            "pkg/up/absolute/secret",
        ] {
            for error in [
                repo.read(path, None, None).map(|_| ()),
                repo.list(path).map(|_| ()),
                repo.search("s", path).map(|_| ()),
            ] {
                let error = error.expect_err(path).to_string();
                let outside = dir.path().to_string_lossy().into_owned();
                assert!(!error.contains(&outside), "{error}");
            }
        }
        assert!(repo.read("in", None, None).is_ok(), "links inside are fine");
    }

    #[test]
    #[cfg(unix)]
    fn special_files_do_not_block() {
        let (dir, repo) = example();
        let pipe = dir.path().join("repo/pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert!(repo.read("pipe", None, None).is_err());
        assert!(repo.search("x", "").is_ok());
    }
}
