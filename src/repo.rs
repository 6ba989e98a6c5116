//! A whole repository: from the walk to the results, over many files in parallel.
//!
//! Threads live here only. What a file becomes depends on its bytes, the rules, the settings and
//! the tool's version, so results are the same on any machine and with any number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::artifact::{
    Diagnostic, FileEntry, LeftAlone, Manifest, SCHEMA, State, Tool, Totals, companions_xxh3,
    map_path, sha256_hex, sites_path,
};
use crate::compile::{Compiled, Options, Output, compile};
use crate::config::Settings;
use crate::discover::{Discovery, RepoPath};
use crate::rules::Rules;
use crate::runtime;
use crate::source::RUNTIME;
use crate::verify::Proof;

/// The longest name of a file (bytes) whose companions, one extension longer, most file systems
/// can still hold.
const LONGEST_NAME: usize = 255 - ".json".len();

/// Stack of a worker: syntax trees of generated code can be deep.
const STACK_BYTES: usize = 256 << 20;

/// A repository with everything that decides what its files become.
pub struct Job<'a> {
    pub repo: &'a Path,
    pub settings: &'a Settings,
    pub rules: &'a Rules,
    pub discovery: &'a Discovery,
    /// 0: one for each core.
    pub threads: usize,
    pub proof: Proof,
    /// The previous overlay, whose files are carried over if they are as they were written.
    pub overlay: Option<&'a Path>,
}

/// What became of one file.
pub enum Fate {
    /// As the previous run left it: its outputs are carried over.
    Kept(FileEntry),
    Compiled(Compiled),
}

/// Something that went wrong while a result was handed on.
pub type Handler<'h, E> = dyn Fn(&RepoPath, Option<&Output>, bool) -> Result<(), E> + Sync + 'h;

/// A file's diagnostics with the text that they point into.
pub struct Report {
    pub path: RepoPath,
    pub state: State,
    pub diagnostics: Vec<Diagnostic>,
    pub source: Option<String>,
}

impl Job<'_> {
    /// Compiles every file and hands each result to `sink` (the file, its output if there is one,
    /// and whether the previous run's output is still right). Returns the manifest and what to
    /// tell the user, in the order of paths.
    pub fn run<E: Send>(
        &self,
        previous: Option<&Manifest>,
        sink: &Handler<'_, E>,
    ) -> Result<(Manifest, Vec<Report>), E> {
        let same_build = previous.filter(|old| self.same_build(old));
        let options = Options {
            returns: self.settings.returns,
            target: self.settings.target_python,
            proof: self.proof,
        };
        let one = |path: &RepoPath| -> Result<(RepoPath, FileEntry, Option<String>), E> {
            let old = same_build.and_then(|old| old.files.get(path.as_str()));
            match self.fate(path, old, options) {
                Fate::Kept(entry) => {
                    sink(path, None, entry.state == State::Instrumented)?;
                    Ok((path.clone(), entry, None))
                }
                Fate::Compiled(compiled) => {
                    sink(path, compiled.output.as_ref(), false)?;
                    Ok((path.clone(), compiled.entry, compiled.source))
                }
            }
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .stack_size(STACK_BYTES)
            .thread_name(|n| format!("healc-{n}"))
            .build()
            .expect("threads can be started");
        let results: Result<Vec<_>, E> =
            pool.install(|| self.discovery.files.par_iter().map(one).collect());
        let mut files = BTreeMap::new();
        let mut reports = Vec::new();
        for (path, entry, source) in results? {
            if !entry.diagnostics.is_empty() {
                reports.push(Report {
                    path: path.clone(),
                    state: entry.state,
                    diagnostics: entry.diagnostics.clone(),
                    source,
                });
            }
            files.insert(path.as_str().to_string(), entry);
        }
        Ok((self.manifest(files), reports))
    }

    fn fate(&self, path: &RepoPath, old: Option<&FileEntry>, options: Options) -> Fate {
        let bytes = match std::fs::read(path.under(self.repo)) {
            Ok(bytes) => bytes,
            Err(error) => return Fate::Compiled(unreadable(&error)),
        };
        let name = path.as_str().rsplit('/').next().map_or(0, str::len);
        if name > LONGEST_NAME {
            return Fate::Compiled(long_name(name));
        }
        if let Some(old) = old
            && old.source_sha256.as_deref() == Some(&sha256_hex(&bytes))
            // A fault of ours may be gone, and diagnostics need the text.
            && old.state != State::Failed
            && old.diagnostics.is_empty()
            && self.is_intact(path, old)
        {
            return Fate::Kept(old.clone());
        }
        let compiled = catch_unwind(AssertUnwindSafe(|| {
            compile(path.as_str(), bytes, options, self.rules)
        }));
        Fate::Compiled(compiled.unwrap_or_else(|_| panicked()))
    }

    /// Whether the previous output is still what was written.
    fn is_intact(&self, path: &RepoPath, old: &FileEntry) -> bool {
        let (Some(overlay), State::Instrumented) = (self.overlay, old.state) else {
            return true;
        };
        let read = |path: &str| std::fs::read(overlay.join(path));
        let whole = |output: Vec<u8>| old.output_sha256.as_deref() == Some(&sha256_hex(&output));
        let companions = || {
            let (map, sites) = (map_path(path.as_str()), sites_path(path.as_str()));
            Some(companions_xxh3(&read(&map).ok()?, &read(&sites).ok()?))
        };
        mode_of(&path.under(self.repo)) == mode_of(&path.under(overlay))
            && read(path.as_str()).is_ok_and(whole)
            && companions() == old.companions_xxh3
    }

    /// Whether the same tool with the same settings made `old`.
    pub fn same_build(&self, old: &Manifest) -> bool {
        old.schema == SCHEMA
            && old.tool == tool()
            && old.rules == self.rules.fingerprint()
            && old.runtime == runtime::fingerprint()
            && old.settings == self.settings_value()
    }

    fn settings_value(&self) -> serde_json::Value {
        serde_json::to_value(self.settings).expect("settings serialise")
    }

    /// The manifest for files with these entries.
    pub fn manifest(&self, files: BTreeMap<String, FileEntry>) -> Manifest {
        let left_alone = self
            .discovery
            .left_alone
            .iter()
            .map(|left| {
                let entry = LeftAlone {
                    rule: left.rule.clone(),
                    reason: left.reason.clone(),
                };
                (left.path.clone(), entry)
            })
            .collect();
        let runtime_in = self.import_roots(&files).into_iter().collect();
        Manifest {
            schema: SCHEMA,
            tool: tool(),
            rules: self.rules.fingerprint(),
            runtime: runtime::fingerprint(),
            settings: self.settings_value(),
            totals: Totals::of(&files),
            files,
            left_alone,
            runtime_in,
        }
    }

    /// Folders that instrumented modules are imported from: the nearest one above each module that
    /// is not a package, and the repository itself.
    fn import_roots(&self, files: &BTreeMap<String, FileEntry>) -> BTreeSet<String> {
        let mut roots = BTreeSet::new();
        if self.settings.runtime == crate::config::Runtime::None {
            return roots;
        }
        let mut packages: BTreeMap<PathBuf, bool> = BTreeMap::new();
        let mut is_package = |folder: &Path| {
            *packages
                .entry(folder.to_path_buf())
                .or_insert_with(|| self.repo.join(folder).join("__init__.py").is_file())
        };
        for (path, entry) in files {
            if entry.state != State::Instrumented {
                continue;
            }
            let mut folder = Path::new(path).parent();
            while let Some(at) = folder
                && is_package(at)
            {
                folder = at.parent();
            }
            // Above the repository nothing is ours to write.
            if let Some(at) = folder {
                roots.insert(at.to_string_lossy().into_owned());
                if !is_package(Path::new("")) {
                    roots.insert(String::new());
                }
            }
        }
        roots
    }
}

/// The runtime's files for the folders of a manifest, as overlay paths.
pub fn runtime_files(manifest: &Manifest) -> impl Iterator<Item = (String, &'static str)> + '_ {
    manifest.runtime_in.iter().flat_map(|folder| {
        let base = if folder.is_empty() {
            RUNTIME.to_string()
        } else {
            format!("{folder}/{RUNTIME}")
        };
        runtime::files()
            .iter()
            .map(move |(name, text)| (format!("{base}/{name}"), *text))
    })
}

/// A file's permissions, which its rewritten form has too.
pub fn mode_of(path: &Path) -> Option<u32> {
    let meta = std::fs::metadata(path).ok()?;
    Some(meta.permissions().mode() & 0o777)
}

pub fn tool() -> Tool {
    Tool {
        name: env!("CARGO_PKG_NAME").into(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

fn unreadable(error: &std::io::Error) -> Compiled {
    left(
        State::Skipped,
        "unreadable",
        format!("cannot be read: {error}"),
    )
}

fn long_name(bytes: usize) -> Compiled {
    left(
        State::Skipped,
        "long-name",
        format!(
            "the file's name has {bytes} bytes, which leaves no room for those of its source map and \
             site table; use a name of at most {LONGEST_NAME}"
        ),
    )
}

fn panicked() -> Compiled {
    left(
        State::Failed,
        "internal",
        "a fault of healc's, not of this file; it is left as it is. Please report it with the file"
            .into(),
    )
}

fn left(state: State, code: &str, message: String) -> Compiled {
    Compiled {
        entry: FileEntry {
            state,
            source_sha256: None,
            output_sha256: None,
            companions_xxh3: None,
            encoding: None,
            target: None,
            sites: 0,
            declined: Vec::new(),
            diagnostics: vec![Diagnostic {
                code: code.into(),
                line: 1,
                column: 1,
                message,
            }],
        },
        output: None,
        source: None,
    }
}
