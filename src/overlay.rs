//! Reading an overlay: is it what its manifest says, and where does a place in it come from?

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Serialize;

use crate::artifact::{
    FileEntry, LineIndex, MANIFEST, Manifest, SCHEMA, SiteTable, State, companions_xxh3, map_path,
    original_text, segments_of, sha256_hex, sites_path, source_map,
};
use crate::encoding::Decoded;
use crate::repo::runtime_files;
use crate::splice::Segment;
use crate::traceback::{Locate, Located};

/// Why an overlay, or a file of it, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OverlayError {
    #[error(
        "{0}: no overlay of healc's here: it has no {MANIFEST}. Make one with `healc instrument`"
    )]
    NotAnOverlay(PathBuf),
    #[error("{path}: cannot be read: {error}")]
    Unreadable {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{path}: not a valid file of healc's: {detail}. Instrument again")]
    Invalid { path: PathBuf, detail: String },
    #[error(
        "{path}: written in format {found}, this healc reads format {SCHEMA}. Instrument again"
    )]
    Schema { path: PathBuf, found: u64 },
    #[error("{0}: not an instrumented file of this overlay; `healc sites` lists those")]
    NotInstrumented(String),
}

/// An overlay on disk.
pub struct Overlay {
    pub root: PathBuf,
    pub manifest: Manifest,
}

/// What a check of an overlay found.
#[derive(Debug, Serialize)]
pub struct Finding {
    pub path: String,
    pub message: String,
}

impl Overlay {
    pub fn open(root: &Path) -> Result<Overlay, OverlayError> {
        let path = root.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(OverlayError::NotAnOverlay(root.to_path_buf()));
            }
            Err(error) => return Err(OverlayError::Unreadable { path, error }),
        };
        let manifest = parse_schema(&path, &text)?;
        Ok(Overlay {
            root: root.to_path_buf(),
            manifest,
        })
    }

    /// The previous overlay's manifest, if there is one that this healc can read.
    pub fn previous(root: &Path) -> Option<Manifest> {
        Overlay::open(root).ok().map(|overlay| overlay.manifest)
    }

    pub fn instrumented(&self) -> impl Iterator<Item = &str> {
        self.manifest
            .files
            .iter()
            .filter(|(_, entry)| entry.state == State::Instrumented)
            .map(|(path, _)| path.as_str())
    }

    pub fn sites(&self, path: &str) -> Result<SiteTable, OverlayError> {
        self.must_be_instrumented(path)?;
        let file = self.root.join(sites_path(path));
        let text = read(&file)?;
        parse_schema(&file, &text)
    }

    pub fn file(&self, path: &str) -> Result<OverlayFile, OverlayError> {
        self.must_be_instrumented(path)?;
        let output_path = self.root.join(path);
        let invalid = |detail: String| OverlayError::Invalid {
            path: output_path.clone(),
            detail,
        };
        let bytes = read(&output_path)?;
        let decoded = Decoded::decode(bytes).map_err(|error| invalid(error.to_string()))?;
        let output = decoded.text().to_string();
        let map_file = self.root.join(map_path(path));
        let map = sourcemap::SourceMap::from_slice(&read(&map_file)?).map_err(|error| {
            OverlayError::Invalid {
                path: map_file.clone(),
                detail: error.to_string(),
            }
        })?;
        let segments = segments_of(&map, &output)
            .ok_or_else(|| invalid("its source map is of another version of it".into()))?;
        let original = original_text(&output, &segments);
        Ok(OverlayFile {
            decoded,
            output,
            original,
            segments,
        })
    }

    fn must_be_instrumented(&self, path: &str) -> Result<(), OverlayError> {
        match self.manifest.files.get(path) {
            Some(entry) if entry.state == State::Instrumented => Ok(()),
            _ => Err(OverlayError::NotInstrumented(path.to_string())),
        }
    }

    /// Every byte of the source map and the site table is what was written.
    fn verify_companions(&self, path: &str, entry: &FileEntry) -> Result<(), String> {
        let read =
            |path: String| fs::read(self.root.join(&path)).map_err(|e| format!("{path}: {e}"));
        let (map, sites) = (read(map_path(path))?, read(sites_path(path))?);
        if entry.companions_xxh3.as_ref() != Some(&companions_xxh3(&map, &sites)) {
            return Err("its source map or site table was changed after it was written".into());
        }
        Ok(())
    }

    /// Checks fingerprints, maps and sites; with a repository also that it did not change since.
    pub fn verify(&self, repo: Option<&Path>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut found = |path: &str, message: String| {
            findings.push(Finding {
                path: path.to_string(),
                message,
            });
        };
        for (path, entry) in &self.manifest.files {
            if let Some(repo) = repo {
                match (fs::read(repo.join(path)), &entry.source_sha256) {
                    (Ok(bytes), Some(sha)) if sha256_hex(&bytes) != *sha => {
                        found(
                            path,
                            "the repository's file changed since it was instrumented".into(),
                        );
                    }
                    (Err(error), Some(_)) => {
                        found(
                            path,
                            format!("the repository's file cannot be read: {error}"),
                        );
                    }
                    _ => {}
                }
            }
            if entry.state != State::Instrumented {
                continue;
            }
            match fs::read(self.root.join(path)) {
                Err(error) => found(path, format!("cannot be read: {error}")),
                Ok(bytes) if entry.output_sha256.as_deref() != Some(&sha256_hex(&bytes)) => {
                    found(path, "was changed after it was written".into());
                }
                Ok(_) => {
                    let checked = self
                        .verify_file(path, entry.source_sha256.as_deref())
                        .and_then(|()| self.verify_companions(path, entry));
                    if let Err(message) = checked {
                        found(path, message);
                    }
                }
            }
        }
        for (path, text) in runtime_files(&self.manifest) {
            match fs::read(self.root.join(&path)) {
                Ok(bytes) if bytes == text.as_bytes() => {}
                Ok(_) => found(&path, "is not this healc's runtime".into()),
                Err(error) => found(&path, format!("cannot be read: {error}")),
            }
        }
        findings
    }

    fn verify_file(&self, path: &str, source_sha256: Option<&str>) -> Result<(), String> {
        let file = self.file(path).map_err(|error| error.to_string())?;
        if source_sha256 != Some(&sha256_hex(&file.original_bytes())) {
            return Err("erasing the inserted text does not give the original".into());
        }
        let index = LineIndex::new(&file.original);
        let map = source_map(path, &index, &LineIndex::new(&file.output), &file.segments);
        if read(&self.root.join(map_path(path))).map_err(|error| error.to_string())? != map {
            return Err("its source map was changed after it was written".into());
        }
        let table = self.sites(path).map_err(|error| error.to_string())?;
        for (at, site) in table.sites.iter().enumerate() {
            let start = index.offset_chars(site.line.saturating_sub(1), site.column);
            let mapped = start.and_then(|start| file.to_output(start));
            if site.id as usize != at || mapped.is_none() {
                return Err(format!("site {at} has no place in the source map"));
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, OverlayError> {
    fs::read(path).map_err(|error| OverlayError::Unreadable {
        path: path.to_path_buf(),
        error,
    })
}

fn parse_schema<T: serde::de::DeserializeOwned>(
    path: &Path,
    text: &[u8],
) -> Result<T, OverlayError> {
    let invalid = |error: serde_json::Error| OverlayError::Invalid {
        path: path.to_path_buf(),
        detail: error.to_string(),
    };
    #[derive(serde::Deserialize)]
    struct Versioned {
        schema: u64,
    }
    let Versioned { schema } = serde_json::from_slice(text).map_err(invalid)?;
    if schema != u64::from(SCHEMA) {
        return Err(OverlayError::Schema {
            path: path.to_path_buf(),
            found: schema,
        });
    }
    serde_json::from_slice(text).map_err(invalid)
}

/// One instrumented file with its way back to the original.
pub struct OverlayFile {
    decoded: Decoded,
    pub output: String,
    pub original: String,
    segments: Vec<Segment>,
}

impl OverlayFile {
    /// The original text's offset for an output offset, if that text was copied.
    pub fn to_original(&self, out: u32) -> Option<u32> {
        let after = self.segments.partition_point(|segment| segment.out <= out);
        let segment = self.segments[..after].last()?;
        let delta = out - segment.out;
        (delta < segment.out_len).then(|| segment.src + delta.min(segment.len.saturating_sub(1)))
    }

    /// The output's offset for an offset of the original text.
    pub fn to_output(&self, src: u32) -> Option<u32> {
        let after = self.segments.partition_point(|segment| segment.src <= src);
        let segment = self.segments[..after].last()?;
        let delta = src - segment.src;
        (delta < segment.len).then(|| segment.out + delta.min(segment.out_len.saturating_sub(1)))
    }

    /// The statement of ours that an inserted place serves: the copied text before it.
    pub fn nearest_original(&self, out: u32) -> Option<u32> {
        self.to_original(out).or_else(|| {
            let after = self.segments.partition_point(|segment| segment.out <= out);
            let segment = self.segments[..after].last()?;
            Some(segment.src + segment.len.saturating_sub(1))
        })
    }

    fn original_bytes(&self) -> Vec<u8> {
        let bytes = self.decoded.original();
        let mut original = bytes[..self.decoded.byte_offset(0)].to_vec();
        for segment in &self.segments {
            if segment.is_copy() {
                let from = self.decoded.byte_offset(segment.out as usize);
                let to = self
                    .decoded
                    .byte_offset((segment.out + segment.out_len) as usize);
                original.extend_from_slice(&bytes[from..to]);
            } else {
                original.extend_from_slice(crate::splice::RETURN_KEYWORD.as_bytes());
            }
        }
        original
    }

    /// The original of an output line (from 1), with the pieces of it that were copied.
    fn located(&self, file: &str, line: u32) -> Option<Located> {
        let output = LineIndex::new(&self.output);
        let original = LineIndex::new(&self.original);
        let start = output.offset_chars(line.checked_sub(1)?, 0)?;
        let overlay_line = output.line_text(line - 1)?.to_string();
        let end = start + overlay_line.len() as u32;
        let mut runs = Vec::new();
        let mut original_at = None;
        let from = self
            .segments
            .partition_point(|segment| segment.out + segment.out_len <= start);
        for segment in &self.segments[from..] {
            if segment.out >= end.max(start + 1) {
                break;
            }
            let out_from = segment.out.max(start);
            let out_to = (segment.out + segment.out_len).min(end);
            let src_from = segment.src
                + if segment.is_copy() {
                    out_from - segment.out
                } else {
                    0
                };
            let text = self
                .output
                .get(out_from as usize..out_to.max(out_from) as usize)?;
            // Blanks alone do not say which line this is: indentation can be split by ours.
            if original_at.is_none() && (!text.trim().is_empty() || start == end) {
                original_at = Some(src_from);
            }
            let (_, out_column) = output.position(out_from);
            let (_, src_column) = original.position(src_from);
            if segment.is_copy() {
                runs.push((out_column, src_column, text.chars().count() as u32));
            }
        }
        // A line of ours serves the statement before it.
        let original_at = match original_at {
            Some(at) => at,
            None => self.nearest_original(start)?,
        };
        let (original_line, _) = original.position(original_at);
        Some(Located {
            file: file.to_string(),
            line: original_line + 1,
            original_line: original.line_text(original_line)?.to_string(),
            overlay_line,
            runs,
        })
    }
}

/// Finds the originals of file names as tracebacks print them.
pub struct Locator<'a> {
    overlay: &'a Overlay,
    root: PathBuf,
    /// Print this folder instead of the overlay's.
    replace_root: Option<PathBuf>,
    files: RefCell<HashMap<String, Option<Rc<OverlayFile>>>>,
}

impl<'a> Locator<'a> {
    pub fn new(overlay: &'a Overlay, replace_root: Option<PathBuf>) -> Locator<'a> {
        Locator {
            overlay,
            root: fs::canonicalize(&overlay.root).unwrap_or_else(|_| overlay.root.clone()),
            replace_root,
            files: RefCell::default(),
        }
    }

    /// The repository path of a printed file name: below the overlay, or relative to it.
    fn repo_path(&self, file: &str) -> Option<String> {
        let path = Path::new(file);
        let known = |inside: &Path| {
            let inside = inside.to_str()?.replace('\\', "/");
            let files = &self.overlay.manifest.files;
            files.contains_key(&inside).then_some(inside)
        };
        if path.is_absolute() {
            let inside = path.strip_prefix(&self.root);
            return known(
                inside
                    .or_else(|_| path.strip_prefix(&self.overlay.root))
                    .ok()?,
            );
        }
        // Relative to the overlay, where programs mostly run; else to here.
        let plain: PathBuf = path
            .components()
            .filter(|part| !matches!(part, std::path::Component::CurDir))
            .collect();
        known(&plain).or_else(|| {
            let real = fs::canonicalize(&plain).ok()?;
            known(real.strip_prefix(&self.root).ok()?)
        })
    }
}

impl Locate for Locator<'_> {
    fn locate(&self, file: &str, line: u32) -> Option<Located> {
        let path = self.repo_path(file)?;
        let mut files = self.files.borrow_mut();
        let overlay_file = files
            .entry(path.clone())
            .or_insert_with(|| self.overlay.file(&path).ok().map(Rc::new))
            .clone()?;
        let shown = match &self.replace_root {
            Some(root) => root.join(&path).to_string_lossy().into_owned(),
            None => file.to_string(),
        };
        overlay_file.located(&shown, line)
    }
}
