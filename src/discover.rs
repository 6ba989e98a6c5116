//! Which files of a repository are instrumented, and why the others are not.
//!
//! What decides about a path, the first that has an opinion:
//!
//! 1. **named**: a file that the user names always counts, and a folder that the user
//!    names is walked, whatever it is called. Below it everything else holds again,
//!    except for the rules that would have left the folder itself out: to name `tests`
//!    is to ask for the tests in it.
//! 2. **exclude**: the user's `exclude` globs and `.healcignore` files.
//! 3. **include**: the user's `include` globs, and `!` lines of a `.healcignore`. They
//!    bring back what 4 leaves out. A glob leads into an excluded folder from the first
//!    name that it gives: `tests/**`, `tests/unit/*.py` and `**/tests/*.py` do, `*.py` and
//!    `**/helper.py` do not. Folders under a *firm* rule (environments, caches, version
//!    control) are entered only if the glob spells their name out. A file that is not
//!    `*.py` or `*.pyw` counts if the glob gives its name (`bin/tool`, `*.tac`), or if it
//!    has no extension and begins with a `#!` line for Python.
//! 4. **default rules**: the packs of [`crate::rules`], then `.gitignore` files, then
//!    hidden names, then the rules that look into a file.
//!
//! Never, even if named: symbolic links are not followed, and pipes, sockets and devices
//! are not opened. A named link to a file of the repository names that file.
//!
//! The result depends on the repository's content alone. Git's global and per-clone
//! excludes, ignore files above the repository and `.ignore` files (which are about
//! searching) do not count; nor does it matter where there is a `.git`.
//!
//! The matchers are those of the `ignore` crate. Its walker is not used, because it
//! cannot say what it left out, and why, which is half of the job here.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};

use crate::config::Settings;
use crate::rules::{ExcludeRule, HEAD_BYTES, PathGlob, Reach, Rules, Unless};

/// Our own folder in an overlay, or in a repository that was instrumented in place.
pub const HEALC_FOLDER: &str = ".healc";
/// The user's own ignore file, with the syntax of a `.gitignore`.
pub const IGNORE_FILE: &str = ".healcignore";

const MANIFEST: &str = "manifest.json";

/// A path inside the repository: relative, with forward slashes, in UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepoPath(String);

impl RepoPath {
    /// # Errors
    /// What makes the text no repository path.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let odd = |part: &str| matches!(part, "" | "." | "..");
        if text.split('/').any(odd) || text.contains('\0') {
            return Err(format!("`{text}` is not a path inside the repository"));
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where the file is on disk.
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// What was found. Every list is sorted by bytes and holds a path once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery {
    /// To instrument.
    pub files: Vec<RepoPath>,
    /// Python files, folders and links that are not, each with its reason. A folder ends
    /// in `/` and stands for everything in it.
    pub left_alone: Vec<LeftAlone>,
    /// The same for what is not part of the repository but comes and goes as tools run:
    /// version control, caches, healc's own output. A manifest that listed these would
    /// change whenever the program has run.
    pub transient: Vec<LeftAlone>,
    /// What went wrong on the way, and patterns without effect.
    pub problems: Vec<Problem>,
    /// What a full copy of the repository needs besides `files`: other files, links, and
    /// (ending in `/`) folders that are left alone or empty, see [`expand_folder`].
    pub other_files: Vec<String>,
}

/// A path that is not instrumented.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftAlone {
    pub path: String,
    /// The id of a rule in a pack, or one of [`crate::rules::BUILT_IN_IDS`].
    pub rule: String,
    pub reason: String,
}

/// Something that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    pub path: String,
    pub message: String,
}

/// Why there is no result at all.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("cannot read the repository {path}: {error}", path = path.display())]
    Repository { path: PathBuf, error: io::Error },
    #[error("{path} does not exist in the repository", path = path.display())]
    Missing { path: PathBuf },
    #[error("{path} is not in the repository", path = path.display())]
    Outside { path: PathBuf },
    #[error("{0}")]
    Pattern(String),
}

/// Finds what to instrument in `repo`.
///
/// `named` are files and folders in the repository, absolute or relative to it; empty
/// means all of it. What is not named is then left alone under the rule `not-named`.
pub fn discover(
    repo: &Path,
    named: &[PathBuf],
    settings: &Settings,
    rules: &Rules,
) -> Result<Discovery, DiscoverError> {
    let unreadable = |error| DiscoverError::Repository {
        path: repo.to_path_buf(),
        error,
    };
    fs::read_dir(repo).map_err(unreadable)?;
    let real_repo = repo.canonicalize().map_err(unreadable)?;
    let globs = |patterns: &[String]| -> Result<Vec<PathGlob>, DiscoverError> {
        let globs = patterns.iter().map(|pattern| PathGlob::new(pattern));
        globs
            .collect::<Result<_, _>>()
            .map_err(DiscoverError::Pattern)
    };
    let include = globs(&settings.include)?;
    let mut walk = Walk {
        repo,
        rules,
        exclude: globs(&settings.exclude)?,
        included: vec![false; include.len()],
        include,
        respect_gitignore: settings.respect_gitignore,
        output: settings
            .output
            .as_deref()
            .and_then(|output| path_in(&real_repo, output)),
        named: Named::default(),
        stack: Vec::new(),
        files: BTreeSet::new(),
        left_alone: BTreeSet::new(),
        transient: BTreeSet::new(),
        other_files: BTreeSet::new(),
        problems: BTreeSet::new(),
    };
    for path in named {
        walk.name(&real_repo, path)?;
    }
    walk.run(named.is_empty());
    Ok(walk.finish())
}

/// What is below a folder of [`Discovery::other_files`], for a full copy: files, links
/// and, ending in `/`, empty folders. Not the output folder, overlays, or what is neither
/// file, folder nor link.
pub fn expand_folder(
    repo: &Path,
    folder: &str,
    settings: &Settings,
) -> (Vec<String>, Vec<Problem>) {
    let output = settings.output.as_deref().and_then(|output| {
        let real_repo = repo.canonicalize().ok()?;
        path_in(&real_repo, output)
    });
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut stack = vec![folder.trim_end_matches('/').to_string()];
    while let Some(folder) = stack.pop() {
        let entries = match list(&repo.join(&folder)) {
            Ok(entries) => entries,
            Err(error) => {
                problems.push(Problem {
                    path: format!("{folder}/"),
                    message: format!("cannot read the folder: {error}"),
                });
                continue;
            }
        };
        if entries.is_empty() {
            found.push(format!("{folder}/"));
        }
        if is_overlay(repo, &folder, &entries) {
            continue;
        }
        for entry in entries {
            let path = join(&folder, &entry.name);
            match entry.kind {
                _ if !entry.utf8 => problems.push(Problem {
                    path,
                    message: "the name is not UTF-8, so it is not copied".to_string(),
                }),
                Kind::Folder => {
                    if output.as_deref() != Some(&path) && entry.name != HEALC_FOLDER {
                        stack.push(path);
                    }
                }
                Kind::File | Kind::Link => found.push(path),
                Kind::Special => {}
            }
        }
    }
    found.sort_unstable();
    problems.sort_unstable();
    (found, problems)
}

/// Where an output folder lies, which need not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPlace {
    Outside,
    /// It is the repository.
    Root,
    /// In the repository, in or at a folder that is left alone anyway.
    Excluded,
    /// In the repository, among what is instrumented.
    Inside,
}

/// Tells whether an output folder would end up among the sources.
pub fn output_place(repo: &Path, output: &Path, settings: &Settings, rules: &Rules) -> OutputPlace {
    let inside = repo.canonicalize().ok();
    let Some(inside) = inside.and_then(|real| path_in(&real, output)) else {
        return OutputPlace::Outside;
    };
    if inside.is_empty() {
        return OutputPlace::Root;
    }
    let names: Vec<&str> = inside.split('/').collect();
    let excluded = settings
        .exclude
        .iter()
        .filter_map(|pattern| PathGlob::new(pattern).ok())
        .any(|glob| glob.covers(&names, true));
    if excluded || names.iter().any(|name| name.starts_with('.')) {
        return OutputPlace::Excluded;
    }
    for end in 1..=names.len() {
        let folder = repo.join(names[..end - 1].join("/"));
        for file in [".gitignore", IGNORE_FILE] {
            if file == ".gitignore" && !settings.respect_gitignore || !folder.join(file).is_file() {
                continue;
            }
            let mut builder = GitignoreBuilder::new("");
            builder.add(folder.join(file));
            let below = names[end - 1..].join("/");
            if let Ok(globs) = builder.build()
                && globs.matched_path_or_any_parents(below, true).is_ignore()
            {
                return OutputPlace::Excluded;
            }
        }
        if !rules.for_folder(&names[..end]).is_empty() {
            return OutputPlace::Excluded;
        }
    }
    OutputPlace::Inside
}

/// What the user named, by path from the root.
#[derive(Default)]
struct Named {
    files: HashSet<String>,
    folders: HashSet<String>,
    /// Folders that have something named below them.
    ancestors: HashSet<String>,
}

/// A reason to leave something alone.
#[derive(Debug, Clone)]
struct Reason {
    rule: String,
    text: String,
    /// Whether only an include that spells the name out gets past it.
    firm: bool,
    /// Whether it is about something that is not part of the repository.
    transient: bool,
}

impl Reason {
    fn built_in(rule: &str, text: impl Into<String>) -> Self {
        Self {
            rule: rule.to_string(),
            text: text.into(),
            firm: false,
            transient: false,
        }
    }

    fn of(rule: &ExcludeRule) -> Self {
        Self {
            rule: rule.id.clone(),
            text: rule.why.clone(),
            firm: rule.firm,
            transient: rule.transient,
        }
    }
}

/// What the user's own patterns or the defaults say about a path.
enum Verdict {
    Fine,
    /// Whatever the defaults say, it is wanted.
    Wanted,
    /// The user does not want it.
    Unwanted(Reason),
}

/// A folder that is to be read.
struct Folder {
    /// From the root, without a slash at the end; empty for the root.
    path: String,
    ignores: Option<Rc<Ignores>>,
    /// Set inside a folder that is left alone, of which only parts are wanted.
    outside: Option<Rc<Reason>>,
    /// Which include globs count here.
    active: Rc<[usize]>,
    /// Whether the user asked for this folder, by naming it or nothing.
    selected: bool,
    /// Whether this very folder was named, so that markers in it do not count.
    explicit: bool,
    /// Ids of rules that do not hold here, because a folder was named in spite of them.
    lifted: Rc<[String]>,
}

/// The ignore files that hold in a folder: its own, and those of the folders around it.
struct Ignores {
    outer: Option<Rc<Ignores>>,
    git: Option<Gitignore>,
    healc: Option<Gitignore>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
    Special,
}

struct Entry {
    /// With bytes that are not UTF-8 written as `\xNN`.
    name: String,
    utf8: bool,
    kind: Kind,
}

struct Walk<'a> {
    repo: &'a Path,
    rules: &'a Rules,
    include: Vec<PathGlob>,
    /// Which of them had an effect.
    included: Vec<bool>,
    exclude: Vec<PathGlob>,
    respect_gitignore: bool,
    output: Option<String>,
    named: Named,
    stack: Vec<Folder>,
    files: BTreeSet<RepoPath>,
    left_alone: BTreeSet<LeftAlone>,
    transient: BTreeSet<LeftAlone>,
    other_files: BTreeSet<String>,
    problems: BTreeSet<Problem>,
}

impl Walk<'_> {
    /// Takes note of a path that the user names.
    fn name(&mut self, real_repo: &Path, path: &Path) -> Result<(), DiscoverError> {
        let full = self.repo.join(path);
        let is_link = match full.symlink_metadata() {
            Ok(metadata) => metadata.is_symlink(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(DiscoverError::Missing {
                    path: path.to_path_buf(),
                });
            }
            Err(_) => false,
        };
        let shown = || match path_in(real_repo, &full) {
            Some(inside) => inside,
            None => path.to_string_lossy().into_owned(),
        };
        let real = match full.canonicalize() {
            Ok(real) => real,
            Err(error) if is_link => {
                let text = format!("is a symbolic link that leads nowhere: {error}");
                self.leave(&shown(), &Reason::built_in("symlink", text));
                return Ok(());
            }
            Err(error) => {
                self.problem(&shown(), format!("cannot be reached: {error}"));
                return Ok(());
            }
        };
        let Ok(inside) = real.strip_prefix(real_repo) else {
            let written = full
                .strip_prefix(self.repo)
                .or_else(|_| full.strip_prefix(real_repo))
                .unwrap_or(path);
            let leaves = written
                .components()
                .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
            if leaves {
                return Err(DiscoverError::Outside {
                    path: path.to_path_buf(),
                });
            }
            let text = "leads out of the repository through a symbolic link";
            let shown = written.to_string_lossy().replace('\\', "/");
            self.leave(&shown, &Reason::built_in("symlink", text));
            return Ok(());
        };
        let (inside, utf8) = text_of(inside);
        if !utf8 {
            self.leave(&inside, &not_utf8());
            return Ok(());
        }
        let kind = real.symlink_metadata().map(|metadata| metadata.file_type());
        match kind {
            Ok(kind) if kind.is_dir() => {
                self.named.folders.insert(inside.clone());
            }
            Ok(kind) if kind.is_file() => {
                self.named.files.insert(inside.clone());
                self.files.insert(RepoPath(inside.clone()));
            }
            Ok(_) => self.leave(&inside, &special_file()),
            Err(error) => self.problem(&inside, format!("cannot be reached: {error}")),
        }
        if !inside.is_empty() {
            self.named.ancestors.insert(String::new());
            for (slash, _) in inside.match_indices('/') {
                self.named.ancestors.insert(inside[..slash].to_string());
            }
        }
        Ok(())
    }

    fn run(&mut self, everything: bool) {
        self.stack.push(Folder {
            path: String::new(),
            ignores: None,
            outside: None,
            active: (0..self.include.len()).collect(),
            selected: everything || self.named.folders.contains(""),
            explicit: true,
            lifted: Rc::new([]),
        });
        while let Some(folder) = self.stack.pop() {
            self.read(folder);
        }
    }

    fn finish(mut self) -> Discovery {
        for (place, glob) in self.include.iter().enumerate() {
            if !self.included[place] {
                self.problems.insert(Problem {
                    path: glob.as_str().to_string(),
                    message: "this include pattern brings in no file".to_string(),
                });
            }
        }
        let files = self.files;
        Discovery {
            left_alone: self.left_alone.into_iter().collect(),
            transient: self.transient.into_iter().collect(),
            problems: self.problems.into_iter().collect(),
            other_files: self
                .other_files
                .into_iter()
                .filter(|path| !files.contains(path.as_str()))
                .collect(),
            files: files.into_iter().collect(),
        }
    }

    fn leave(&mut self, path: &str, reason: &Reason) {
        let list = if reason.transient {
            &mut self.transient
        } else {
            &mut self.left_alone
        };
        list.insert(LeftAlone {
            path: path.to_string(),
            rule: reason.rule.clone(),
            reason: reason.text.clone(),
        });
    }

    fn leave_folder(&mut self, path: &str, reason: &Reason) {
        let path = format!("{path}/");
        self.leave(&path, reason);
        if !reason.transient {
            self.other_files.insert(path);
        }
    }

    fn problem(&mut self, path: &str, message: impl Into<String>) {
        self.problems.insert(Problem {
            path: path.to_string(),
            message: message.into(),
        });
    }

    /// Reads a folder and decides about everything in it.
    fn read(&mut self, mut folder: Folder) {
        let entries = match list(&self.repo.join(&folder.path)) {
            Ok(entries) => entries,
            Err(error) => {
                let text = format!("cannot be read: {error}");
                let shown = format!("{}/", folder.path);
                self.leave(&shown, &Reason::built_in("unreadable-folder", &*text));
                self.problem(&shown, text);
                return;
            }
        };
        if !folder.explicit && !self.enter(&mut folder, &entries) {
            return;
        }
        if entries.is_empty() && !folder.path.is_empty() {
            self.other_files.insert(format!("{}/", folder.path));
        }
        folder.ignores = self.ignores(&folder, &entries);
        let in_package = has(&entries, "__init__.py", Kind::File);
        for entry in &entries {
            let path = join(&folder.path, &entry.name);
            if !entry.utf8 {
                let slash = if entry.kind == Kind::Folder { "/" } else { "" };
                self.leave(&format!("{path}{slash}"), &not_utf8());
                continue;
            }
            match entry.kind {
                Kind::Folder => self.folder(&folder, path, &entry.name, in_package),
                Kind::File => self.file(&folder, path, &entry.name),
                Kind::Link => {
                    let text = "is a symbolic link, and links are never followed";
                    self.leave(&path, &Reason::built_in("symlink", text));
                    self.other_files.insert(path);
                }
                Kind::Special => self.leave(&path, &special_file()),
            }
        }
    }

    /// What a folder's own content says against it. Whether to go on with it.
    fn enter(&mut self, folder: &mut Folder, entries: &[Entry]) -> bool {
        let on_the_way = self.named.ancestors.contains(&folder.path);
        if is_overlay(self.repo, &folder.path, entries) {
            if !on_the_way {
                self.leave(&format!("{}/", folder.path), &overlay());
                return false;
            }
            folder.outside = Some(Rc::new(overlay()));
            folder.active = Rc::new([]);
        }
        let marked = self.rules.markers().find(|(marker, _)| {
            let first = marker.split('/').next().unwrap_or(marker);
            entries.iter().any(|entry| entry.name == first)
                && (first == *marker || self.exists(&folder.path, marker))
        });
        if let Some((_, rule)) = marked {
            let reason = Reason::of(rule);
            if let Some(active) = self.ways_into(folder, &folder.path, &reason, on_the_way) {
                folder.active = active;
                folder.outside = Some(Rc::new(reason));
            } else {
                self.leave_folder(&folder.path, &reason);
                return false;
            }
        }
        true
    }

    fn folder(&mut self, parent: &Folder, path: String, name: &str, in_package: bool) {
        let below = |path, outside, active| Folder {
            path,
            ignores: parent.ignores.clone(),
            outside,
            active,
            selected: parent.selected,
            explicit: false,
            lifted: parent.lifted.clone(),
        };
        if self.named.folders.contains(&path) {
            self.stack.push(Folder {
                lifted: self.lifted_by(&path),
                path,
                ignores: parent.ignores.clone(),
                outside: None,
                active: (0..self.include.len()).collect(),
                selected: true,
                explicit: true,
            });
            return;
        }
        let on_the_way = self.named.ancestors.contains(&path);
        let ours = if name == HEALC_FOLDER {
            Some(Reason {
                transient: true,
                ..Reason::built_in("healc", "is where healc keeps its own files")
            })
        } else if self.output.as_deref() == Some(&path) {
            Some(overlay())
        } else {
            None
        };
        if let Some(reason) = ours {
            if on_the_way {
                let active = Rc::new([]);
                self.stack.push(below(path, Some(Rc::new(reason)), active));
            } else {
                self.leave_folder(&path, &reason);
            }
            return;
        }
        let names: Vec<&str> = path.split('/').collect();
        if !parent.selected {
            if on_the_way {
                self.stack.push(below(path, None, parent.active.clone()));
            } else {
                let mut rules = self.rules.for_folder(&names).into_iter();
                let transient = rules.find(|rule| rule.transient);
                let reason = transient.map_or_else(not_named, Reason::of);
                self.leave_folder(&path, &reason);
            }
            return;
        }
        let reason = match self.user_verdict(parent, &path, &names, true) {
            Verdict::Unwanted(reason) => {
                if on_the_way {
                    let active = Rc::new([]);
                    self.stack.push(below(path, Some(Rc::new(reason)), active));
                } else {
                    self.leave_folder(&path, &reason);
                }
                return;
            }
            Verdict::Wanted => None,
            Verdict::Fine => self
                .default_for_folder(parent, &path, &names, name, in_package)
                .or_else(|| parent.outside.as_deref().cloned()),
        };
        match reason {
            None => {
                let outside = parent.outside.clone();
                self.stack.push(below(path, outside, parent.active.clone()));
            }
            Some(reason) => match self.ways_into(parent, &path, &reason, on_the_way) {
                Some(active) => self.stack.push(below(path, Some(Rc::new(reason)), active)),
                None => self.leave_folder(&path, &reason),
            },
        }
    }

    /// The rules that would leave out a folder that was named, or a folder above it.
    fn lifted_by(&self, path: &str) -> Rc<[String]> {
        let names: Vec<&str> = path.split('/').collect();
        (1..=names.len())
            .flat_map(|end| self.rules.for_folder(&names[..end]))
            .map(|rule| rule.id.clone())
            .collect()
    }

    /// The include globs that lead into a folder which is otherwise left alone.
    fn ways_into(
        &self,
        parent: &Folder,
        path: &str,
        reason: &Reason,
        on_the_way: bool,
    ) -> Option<Rc<[usize]>> {
        let names: Vec<&str> = path.split('/').collect();
        let needed = if reason.firm {
            Reach::Literal
        } else {
            Reach::Pattern
        };
        let active: Rc<[usize]> = parent
            .active
            .iter()
            .copied()
            .filter(|glob| self.include[*glob].reaches(&names) >= needed)
            .collect();
        (on_the_way || !active.is_empty()).then_some(active)
    }

    fn file(&mut self, parent: &Folder, path: String, name: &str) {
        if self.named.files.contains(&path) {
            return;
        }
        let names: Vec<&str> = path.split('/').collect();
        let is_python = is_python_name(name);
        let mut rules = self.rules.for_file(&names).into_iter();
        let rule = rules.find(|rule| !parent.lifted.contains(&rule.id));
        if rule.is_none_or(|rule| !rule.transient) {
            self.other_files.insert(path.clone());
        }
        if !parent.selected {
            if is_python {
                self.leave(&path, &not_named());
            }
            return;
        }
        let verdict = self.user_verdict(parent, &path, &names, false);
        if let Verdict::Unwanted(reason) = verdict {
            if is_python || rule.is_some() {
                self.leave(&path, &reason);
            }
            return;
        }
        if self.is_included(parent, &path, &names, name) {
            self.files.insert(RepoPath(path));
            return;
        }
        let wanted = matches!(verdict, Verdict::Wanted);
        if let Some(reason) = parent.outside.as_deref().filter(|_| is_python && !wanted) {
            self.leave(&path, reason);
        } else if let Some(rule) = rule.filter(|_| !(is_python && wanted)) {
            self.leave(&path, &Reason::of(rule));
        } else if is_python {
            let reason = if wanted {
                None
            } else {
                self.default_for_python(parent, &path, name)
            };
            match reason {
                Some(reason) => self.leave(&path, &reason),
                None => {
                    self.files.insert(RepoPath(path));
                }
            }
        }
    }

    /// What `exclude` and `.healcignore` say.
    fn user_verdict(&self, parent: &Folder, path: &str, names: &[&str], is_dir: bool) -> Verdict {
        if let Some(glob) = self.exclude.iter().find(|glob| glob.matches(names, is_dir)) {
            let text = format!("matches `{}` in the user's exclude", glob.as_str());
            return Verdict::Unwanted(Reason::built_in("exclude", text));
        }
        match parent.ignores.as_deref().map(|i| i.healc(path, is_dir)) {
            Some(Match::Ignore(glob)) => {
                let text = format!("matches `{}` in {}", glob.original(), shown_file(glob));
                Verdict::Unwanted(Reason::built_in("healcignore", text))
            }
            Some(Match::Whitelist(_)) => Verdict::Wanted,
            _ => Verdict::Fine,
        }
    }

    fn is_included(&mut self, parent: &Folder, path: &str, names: &[&str], name: &str) -> bool {
        let mut wanted = false;
        let mut sniffed = None;
        for &place in parent.active.iter() {
            let glob = &self.include[place];
            if !glob.covers(names, false) {
                continue;
            }
            let counts = is_python_name(name)
                || glob.means_file(names)
                || (!name.contains('.')
                    && *sniffed.get_or_insert_with(|| is_python_script(&self.head(path))));
            if counts {
                self.included[place] = true;
                wanted = true;
            }
        }
        wanted
    }

    fn default_for_folder(
        &self,
        parent: &Folder,
        path: &str,
        names: &[&str],
        name: &str,
        in_package: bool,
    ) -> Option<Reason> {
        let by_name = self.rules.for_folder(names).into_iter().find(|rule| {
            let saved = match rule.unless {
                None => false,
                Some(Unless::Package) => self.exists(path, "__init__.py"),
                Some(Unless::Subpackage) => in_package && self.exists(path, "__init__.py"),
            };
            !saved && !parent.lifted.contains(&rule.id)
        });
        if let Some(rule) = by_name {
            return Some(Reason::of(rule));
        }
        let reason = self.git_verdict(parent, path, true);
        let hidden = || name.starts_with('.').then(|| hidden("folder"));
        let reason = reason.map_or_else(hidden, Some)?;
        // `.venv/` is hidden and often ignored, but that is not what it is.
        let mut markers = self.rules.markers();
        let marked = markers.find(|(marker, _)| self.exists(path, marker));
        Some(marked.map_or(reason, |(_, rule)| Reason::of(rule)))
    }

    fn default_for_python(&self, parent: &Folder, path: &str, name: &str) -> Option<Reason> {
        if let Some(reason) = self.git_verdict(parent, path, false) {
            return Some(reason);
        }
        if name.starts_with('.') {
            return Some(hidden("file"));
        }
        if !self.rules.read_text() {
            return None;
        }
        let head = self.head(path);
        let (rule, text) = self.rules.for_text(&head)?;
        let mut reason = Reason::of(rule);
        reason.text = format!("{} (`{text}`)", reason.text);
        Some(reason)
    }

    fn git_verdict(&self, parent: &Folder, path: &str, is_dir: bool) -> Option<Reason> {
        match parent.ignores.as_deref()?.git(path, is_dir) {
            Match::Ignore(glob) => {
                let text = format!("matches `{}` in {}", glob.original(), shown_file(glob));
                Some(Reason::built_in("git-ignore", text))
            }
            _ => None,
        }
    }

    /// A file's first bytes; none if it cannot be read, which is for others to report.
    fn head(&self, path: &str) -> Vec<u8> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        if let Ok(file) = File::open(self.repo.join(path)) {
            let _ = file.take(HEAD_BYTES as u64).read_to_end(&mut head);
        }
        head
    }

    fn exists(&self, folder: &str, name: &str) -> bool {
        let path = self.repo.join(folder).join(name);
        path.symlink_metadata().is_ok()
    }

    fn ignores(&mut self, folder: &Folder, entries: &[Entry]) -> Option<Rc<Ignores>> {
        let git = if self.respect_gitignore {
            self.ignore_file(folder, entries, ".gitignore")
        } else {
            None
        };
        let healc = self.ignore_file(folder, entries, IGNORE_FILE);
        if git.is_none() && healc.is_none() {
            return folder.ignores.clone();
        }
        Some(Rc::new(Ignores {
            outer: folder.ignores.clone(),
            git,
            healc,
        }))
    }

    fn ignore_file(&mut self, folder: &Folder, entries: &[Entry], name: &str) -> Option<Gitignore> {
        // As git does, a link in its place is not read.
        if !has(entries, name, Kind::File) {
            return None;
        }
        let shown = join(&folder.path, name);
        let bytes = match fs::read(self.repo.join(&shown)) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.problem(&shown, format!("cannot be read: {error}"));
                return None;
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut builder = GitignoreBuilder::new(&folder.path);
        for (place, line) in text.lines().enumerate() {
            if let Err(error) = builder.add_line(Some(PathBuf::from(&shown)), line) {
                let message = format!("line {}: {}", place + 1, without_path(&error));
                self.problem(&shown, message);
            }
        }
        match builder.build() {
            Ok(globs) if globs.is_empty() => None,
            Ok(globs) => Some(globs),
            Err(error) => {
                self.problem(&shown, without_path(&error));
                None
            }
        }
    }
}

impl Ignores {
    fn git(&self, path: &str, is_dir: bool) -> Match<&ignore::gitignore::Glob> {
        if let Some(globs) = &self.git {
            let found = globs.matched(path, is_dir);
            if !found.is_none() {
                return found;
            }
        }
        match &self.outer {
            Some(outer) => outer.git(path, is_dir),
            None => Match::None,
        }
    }

    fn healc(&self, path: &str, is_dir: bool) -> Match<&ignore::gitignore::Glob> {
        if let Some(globs) = &self.healc {
            let found = globs.matched(path, is_dir);
            if !found.is_none() {
                return found;
            }
        }
        match &self.outer {
            Some(outer) => outer.healc(path, is_dir),
            None => Match::None,
        }
    }
}

fn not_named() -> Reason {
    Reason::built_in("not-named", "is not among the paths that were named")
}

fn not_utf8() -> Reason {
    Reason::built_in(
        "not-utf8-name",
        "its name is not UTF-8, so that nothing could refer to it",
    )
}

fn special_file() -> Reason {
    Reason::built_in("special-file", "is a pipe, a socket or a device")
}

fn hidden(what: &str) -> Reason {
    Reason::built_in("hidden", format!("is a hidden {what}"))
}

fn overlay() -> Reason {
    Reason {
        transient: true,
        ..Reason::built_in("overlay", "is output of healc")
    }
}

fn shown_file(glob: &ignore::gitignore::Glob) -> String {
    let from = glob.from().unwrap_or(Path::new(""));
    from.to_string_lossy().into_owned()
}

fn without_path(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            without_path(err)
        }
        error => error.to_string(),
    }
}

fn is_python_name(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "py" || extension == "pyw")
        || matches!(name, ".py" | ".pyw")
}

/// `#!/usr/bin/env python3`, `#!/opt/pypy/bin/pypy -u`, and the like.
fn is_python_script(head: &[u8]) -> bool {
    let Some(line) = head.strip_prefix(b"#!") else {
        return false;
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or(line);
    String::from_utf8_lossy(line)
        .split([' ', '\t', '/', '\r'])
        .any(|word| word.starts_with("python") || word.starts_with("pypy"))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_string()
    } else {
        format!("{folder}/{name}")
    }
}

fn has(entries: &[Entry], name: &str, kind: Kind) -> bool {
    entries
        .iter()
        .any(|entry| entry.kind == kind && entry.name == name)
}

fn is_overlay(repo: &Path, folder: &str, entries: &[Entry]) -> bool {
    has(entries, HEALC_FOLDER, Kind::Folder) && {
        let manifest = repo.join(folder).join(HEALC_FOLDER).join(MANIFEST);
        manifest.symlink_metadata().is_ok()
    }
}

fn list(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let kind = if kind.is_symlink() {
            Kind::Link
        } else if kind.is_dir() {
            Kind::Folder
        } else if kind.is_file() {
            Kind::File
        } else {
            Kind::Special
        };
        let (name, utf8) = text_of(Path::new(&entry.file_name()));
        entries.push(Entry { name, utf8, kind });
    }
    Ok(entries)
}

/// A path as text with forward slashes, and whether it is UTF-8. Other bytes are escaped.
fn text_of(path: &Path) -> (String, bool) {
    if let Some(text) = path.to_str() {
        let text = if cfg!(windows) {
            text.replace('\\', "/")
        } else {
            text.to_string()
        };
        return (text, true);
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    (text, false)
}

/// A path that need not exist, from the root of the repository, if it is in there.
fn path_in(real_repo: &Path, path: &Path) -> Option<String> {
    let full = std::path::absolute(path).ok()?;
    let mut missing = Vec::new();
    let mut known: &Path = &full;
    let real = loop {
        if let Ok(real) = known.canonicalize() {
            break real;
        }
        missing.push(known.file_name()?);
        known = known.parent()?;
    };
    let mut real = real;
    real.extend(missing.iter().rev());
    let (text, utf8) = text_of(real.strip_prefix(real_repo).ok()?);
    utf8.then_some(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// A tree from lines: `path`, `path = content`, `folder/`, `path -> target`, and
    /// `path |` for a pipe.
    fn tree(lines: &str) -> tempfile::TempDir {
        let repo = tempfile::tempdir().unwrap();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let make = |name: &str| {
                let path = repo.path().join(name.trim());
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                path
            };
            if let Some((name, target)) = line.split_once(" -> ") {
                symlink(target, make(name)).unwrap();
            } else if let Some((name, content)) = line.split_once(" = ") {
                fs::write(make(name), content.replace("\\n", "\n")).unwrap();
            } else if let Some(name) = line.strip_suffix(" |") {
                let status = Command::new("mkfifo").arg(make(name)).status();
                assert!(status.unwrap().success());
            } else if line.ends_with('/') {
                fs::create_dir_all(make(line)).unwrap();
            } else {
                fs::write(make(line), "x = 1\n").unwrap();
            }
        }
        repo
    }

    struct Case {
        named: Vec<PathBuf>,
        settings: Settings,
        rules: Rules,
    }

    fn plain() -> Case {
        Case {
            named: Vec::new(),
            settings: Settings::default(),
            rules: Rules::builtin(),
        }
    }

    fn include(globs: &[&str]) -> Case {
        let mut case = plain();
        case.settings.include = globs.iter().map(ToString::to_string).collect();
        case
    }

    fn exclude(globs: &[&str]) -> Case {
        let mut case = plain();
        case.settings.exclude = globs.iter().map(ToString::to_string).collect();
        case
    }

    fn named(paths: &[&str]) -> Case {
        let mut case = plain();
        case.named = paths.iter().map(PathBuf::from).collect();
        case
    }

    impl Case {
        fn on(&self, repo: &Path) -> Discovery {
            let found = discover(repo, &self.named, &self.settings, &self.rules).unwrap();
            let again = discover(repo, &self.named, &self.settings, &self.rules).unwrap();
            assert_eq!(found, again);
            // A file is instrumented or left alone, never both, and a full copy lacks none.
            for file in &found.files {
                let path = file.as_str();
                assert!(
                    found.left_alone.iter().all(|left| left.path != path),
                    "{path}"
                );
                assert!(
                    !found.other_files.iter().any(|other| other == path),
                    "{path}"
                );
                for left in found.left_alone.iter().filter(|l| l.path.ends_with('/')) {
                    assert!(!path.starts_with(&left.path), "{path} is in {}", left.path);
                }
            }
            found
        }
    }

    fn show(found: &Discovery) -> String {
        let mut text = String::new();
        for file in &found.files {
            text.push_str(&format!("{file}\n"));
        }
        let left = found.left_alone.iter().map(|left| (left, "-"));
        let transient = found.transient.iter().map(|left| (left, "~"));
        let mut left: Vec<_> = left.chain(transient).collect();
        left.sort_unstable();
        for (left, sign) in left {
            text.push_str(&format!("{sign} {} {}\n", left.path, left.rule));
        }
        for problem in &found.problems {
            text.push_str(&format!("! {} {}\n", problem.path, problem.message));
        }
        text
    }

    fn lines(text: &str) -> String {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// Files, then `- path rule` (`~` for what is transient), then `! path message`.
    #[track_caller]
    fn check(repo: &str, case: &Case, expected: &str) {
        let repo = tree(repo);
        let found = case.on(repo.path());
        assert_eq!(show(&found), lines(expected));
    }

    #[track_caller]
    fn check_others(repo: &str, case: &Case, expected: &[&str]) {
        let repo = tree(repo);
        assert_eq!(case.on(repo.path()).other_files, expected);
    }

    #[test]
    fn python_is_py_and_pyw() {
        check(
            "a.py\n b.pyw\n c.PY\n d.pyc\n e\n f.txt\n pkg/__init__.py\n pkg/data.json",
            &plain(),
            "a.py\n b.pyw\n pkg/__init__.py",
        );
        check("", &plain(), "");
    }

    #[test]
    fn tests_are_left_alone() {
        check(
            "pkg/core.py\n pkg/testing.py\n pkg/contest.py\n pkg/latest.py\n pkg/attestation/a.py
             pkg/test.py\n pkg/tests.py\n pkg/test_a.py\n pkg/a_test.py\n pkg/conftest.py
             pkg/testing/a.py\n pkg/tests/a.py\n Tests/a.py\n r2e_tests/a.py\n my_tests/a.py
             test_pkg/a.py\n unittest/a.py\n runtests.py",
            &plain(),
            "pkg/attestation/a.py\n pkg/contest.py\n pkg/core.py\n pkg/latest.py\n pkg/testing.py
             unittest/a.py
             - Tests/ tests
             - my_tests/ tests
             - pkg/a_test.py tests
             - pkg/conftest.py tests
             - pkg/test.py tests
             - pkg/test_a.py tests
             - pkg/testing/ tests
             - pkg/tests.py tests
             - pkg/tests/ tests
             - r2e_tests/ tests
             - runtests.py tests
             - test_pkg/ tests",
        );
    }

    #[test]
    fn what_is_not_the_program_is_left_alone() {
        check(
            "a.py\n doc/conf.py\n docs/conf.py\n examples/a.py\n demo/a.py\n benchmarks/a.py
             asv_bench/a.py\n vendor/a.py\n pkg/_vendor/a.py\n extern/a.py\n third_party/a.py
             vendored-meson/a.py\n node_modules/a/b.py\n build/lib/a.py\n dist/a.py\n x.egg-info/a.py
             __pycache__/a.pyc\n .git/hooks/a.py\n .tox/py/a.py\n .eggs/a.py\n lib/site-packages/a.py
             setup.py\n noxfile.py\n fabfile.py\n versioneer.py\n _eh_runtime/__init__.py",
            &plain(),
            "a.py
             - .eggs/ installed-packages
             ~ .git/ version-control
             ~ .tox/ tool-environments
             ~ __pycache__/ caches
             ~ _eh_runtime/ healc-runtime
             - asv_bench/ benchmarks
             - benchmarks/ benchmarks
             - build/ build-output
             - demo/ samples
             - dist/ build-output
             - doc/ documentation
             - docs/ documentation
             - examples/ examples
             - extern/ third-party
             - fabfile.py build-script
             - lib/site-packages/ installed-packages
             - node_modules/ node-modules
             - noxfile.py build-script
             - pkg/_vendor/ third-party
             - setup.py build-script
             - third_party/ third-party
             - vendor/ third-party
             - vendored-meson/ third-party
             - versioneer.py build-script
             - x.egg-info/ package-metadata",
        );
    }

    #[test]
    fn packages_with_such_names_are_code() {
        check(
            "botocore/__init__.py\n botocore/docs/__init__.py\n src/build/__init__.py
             sympy/__init__.py\n sympy/external/__init__.py\n external/a.py
             docs/__init__.py\n demo/__init__.py",
            &plain(),
            "botocore/__init__.py\n botocore/docs/__init__.py\n src/build/__init__.py
             sympy/__init__.py\n sympy/external/__init__.py
             - demo/ samples
             - docs/ documentation
             - external/ external-folder",
        );
    }

    #[test]
    fn environments_are_known_by_what_is_in_them() {
        check(
            "a.py\n .venv/pyvenv.cfg\n .venv/lib/python3.9/site-packages/x.py
             tools/py/pyvenv.cfg\n tools/py/lib/x.py\n tools/a.py
             old/bin/activate_this.py\n old/lib/x.py\n cond/conda-meta/history\n cond/x.py
             venv/__init__.py\n env/bin/x.py",
            &plain(),
            "a.py\n env/bin/x.py\n tools/a.py\n venv/__init__.py
             - .venv/ virtual-environment
             - cond/ conda-environment
             - old/ old-virtual-environment
             - tools/py/ virtual-environment",
        );
        // The root is what the user asked for, even if it is an environment.
        check("pyvenv.cfg\n a.py", &plain(), "a.py");
    }

    #[test]
    fn cython_stubs_templates_and_generated_files() {
        check(
            "a.pyx\n a.pxd\n a.pxi\n a.pyx.in\n a.pyi\n a.py\n {{cookiecutter.slug}}/b.py
             {{ name }}.py\n hooks/post.py = N = '{{ cookiecutter.x }}'
             t.py = {% if x %}\\nimport y\n g_pb2.py = # Generated by the protocol buffer compiler.
             h.py = x = '# Generated by the protocol buffer compiler.'",
            &plain(),
            "a.py\n h.py
             - a.pxd cython
             - a.pxi cython
             - a.pyi stub
             - a.pyx cython
             - a.pyx.in cython
             - g_pb2.py generated
             - hooks/post.py template
             - t.py template
             - {{ name }}.py template-path
             - {{cookiecutter.slug}}/ template-path",
        );
    }

    #[test]
    fn ignore_files_of_the_repository_count() {
        let repo = ".gitignore = /gen/\\n*.tmp.py\\n!keep.tmp.py
             gen/a.py\n pkg/gen/a.py\n a.tmp.py\n keep.tmp.py\n pkg/.gitignore = *_v1.py
             pkg/a_v1.py\n a_v1.py\n .ignore = a_v1.py\n .healcignore = legacy/
             pkg/legacy/a.py\n data.tmp";
        check(
            repo,
            &plain(),
            "a_v1.py\n keep.tmp.py\n pkg/gen/a.py
             - a.tmp.py git-ignore
             - gen/ git-ignore
             - pkg/a_v1.py git-ignore
             - pkg/legacy/ healcignore",
        );
        let mut case = plain();
        case.settings.respect_gitignore = false;
        check(
            repo,
            &case,
            "a.tmp.py\n a_v1.py\n gen/a.py\n keep.tmp.py\n pkg/a_v1.py\n pkg/gen/a.py
             - pkg/legacy/ healcignore",
        );
        let found = plain().on(tree(repo).path());
        assert_eq!(
            found.left_alone[2].reason,
            "matches `*_v1.py` in pkg/.gitignore"
        );
    }

    #[test]
    fn ignore_files_around_the_repository_do_not_count() {
        let outer =
            tree(".gitignore = *.py\n .healcignore = *.py\n repo/a.py\n .git/info/exclude = a.py");
        let found = plain().on(&outer.path().join("repo"));
        assert_eq!(show(&found), "a.py\n");
        // Nor does it make a difference where a `.git` is.
        check(
            ".gitignore = a.py\n sub/.git = gitdir: x\n sub/a.py\n a.py\n .git/info/exclude = b.py\n b.py",
            &plain(),
            "b.py
             ~ .git/ version-control
             - a.py git-ignore
             ~ sub/.git version-control
             - sub/a.py git-ignore",
        );
    }

    #[test]
    fn healcignore_takes_and_gives() {
        check(
            ".healcignore = !tests/\\n!tests/**\\nvendor\\n!hooks/.x.py
             tests/test_a.py\n tests/sub/a.py\n vendor/a.py\n hooks/.x.py\n test_b.py",
            &plain(),
            "hooks/.x.py\n tests/sub/a.py\n tests/test_a.py
             - test_b.py tests
             - vendor/ healcignore",
        );
    }

    #[test]
    fn ignore_files_mean_what_the_walker_of_ignore_says() {
        let repo = tree(
            ".gitignore = *.gen.py\\n/top\\nsub/*/x.py\\n!keep.gen.py\\n**/deep/\\na?.py\\n\\\\#.py\\nsp.py  \\n
             .healcignore = b[0-9].py\\n!a1.py\\n
             a.gen.py\n keep.gen.py\n top/a.py\n sub/top/a.py\n sub/y/x.py\n sub/x.py\n a1.py\n a2.py
             q/deep/a.py\n q/deep.py\n #.py\n sp.py\n b1.py\n bb.py\n sub/.gitignore = !*.gen.py\\n/x.py
             sub/z.gen.py\n sub/.healcignore = !b1.py\n sub/b1.py\n sub/b2.py\n nest/.git/HEAD
             nest/.gitignore = n.py\n nest/n.py\n nest/a2.py\n nest/m.gen.py\n nest/in/m.gen.py",
        );
        let mut case = plain();
        let pack = (PathBuf::from("p"), "replace = true".to_string());
        case.rules = Rules::load(Rules::builtin(), &[pack]).unwrap();
        let ours: Vec<String> = case
            .on(repo.path())
            .files
            .iter()
            .map(RepoPath::to_string)
            .collect();
        let mut theirs: Vec<String> = ignore::WalkBuilder::new(repo.path())
            .require_git(false)
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .ignore(false)
            .add_custom_ignore_filename(IGNORE_FILE)
            .build()
            .map(|entry| entry.unwrap().into_path())
            .filter(|path| path.is_file() && path.extension().is_some_and(|e| e == "py"))
            .map(|path| text_of(path.strip_prefix(repo.path()).unwrap()).0)
            .collect();
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
        assert!(ours.len() >= 8, "{ours:?}");
    }

    #[test]
    fn bad_lines_in_ignore_files_are_problems() {
        check(
            ".gitignore = ok.py\\n\\n{a\\nb.py\n ok.py\n b.py\n c.py",
            &plain(),
            "c.py
             - b.py git-ignore
             - ok.py git-ignore
             ! .gitignore line 3: error parsing glob '{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        );
    }

    #[test]
    fn hidden_things_are_left_alone() {
        check(
            "a.py\n .github/x.py\n .hid.py\n pkg/.sub/a.py\n .pre-commit.yaml",
            &plain(),
            "a.py
             - .github/ hidden
             - .hid.py hidden
             - pkg/.sub/ hidden",
        );
    }

    #[test]
    fn include_brings_back_what_rules_leave_out() {
        let repo =
            "a.py\n tests/test_a.py\n tests/data.csv\n tests/sub/vendor/b.py\n sub/tests/c.py
             tests/.venv/pyvenv.cfg\n tests/.venv/d.py\n .gitignore = gen.py\n gen.py\n setup.py";
        check(
            repo,
            &include(&["tests/**"]),
            "a.py\n tests/sub/vendor/b.py\n tests/test_a.py
             - gen.py git-ignore
             - setup.py build-script
             - sub/tests/ tests
             - tests/.venv/ virtual-environment",
        );
        check(
            repo,
            &include(&["tests"]),
            "a.py\n sub/tests/c.py\n tests/sub/vendor/b.py\n tests/test_a.py
             - gen.py git-ignore
             - setup.py build-script
             - tests/.venv/ virtual-environment",
        );
        check(
            repo,
            &include(&["*.py"]),
            "a.py\n gen.py\n setup.py
             - sub/tests/ tests
             - tests/ tests",
        );
        check(
            repo,
            &include(&["tests/.venv/*.py", "nothing/*"]),
            "a.py\n tests/.venv/d.py
             - gen.py git-ignore
             - setup.py build-script
             - sub/tests/ tests
             - tests/sub/ tests
             - tests/test_a.py tests
             ! nothing/* this include pattern brings in no file",
        );
    }

    #[test]
    fn folders_are_entered_for_what_is_included_only() {
        let repo =
            "tests/a.py\n tests/b.py\n tests/unit/a.py\n tests/unit/b.py\n tests/x.txt\n x.py";
        check(
            repo,
            &include(&["tests/**/b.py"]),
            "tests/b.py\n tests/unit/b.py\n x.py
             - tests/a.py tests
             - tests/unit/a.py tests",
        );
        check_others(
            repo,
            &include(&["tests/b.py"]),
            &["tests/a.py", "tests/unit/", "tests/x.txt"],
        );
        // A pattern that does not lead into the folder does not count in there.
        check(
            repo,
            &include(&["a.py", "tests/b.py"]),
            "tests/b.py\n x.py
             - tests/a.py tests
             - tests/unit/ tests
             ! a.py this include pattern brings in no file",
        );
    }

    #[test]
    fn include_can_mean_files_of_other_types() {
        check(
            "bin/tool = #!/usr/bin/env python3\\n\n bin/sh = #!/bin/sh\n bin/data = \\0\n bin/x.py
             app.tac\n lib/a.so\n lib/a.py\n run = #!python",
            &include(&["bin/*", "*.tac", "lib/*"]),
            "app.tac\n bin/tool\n bin/x.py\n lib/a.py",
        );
        check("bin/sh = #!/bin/sh", &include(&["bin/sh"]), "bin/sh");
    }

    #[test]
    fn exclude_beats_include() {
        let repo = "a.py\n gui/a.py\n gui/b.py\n sub/gui/c.py\n x.txt";
        check(
            repo,
            &exclude(&["gui"]),
            "a.py\n - gui/ exclude\n - sub/gui/ exclude",
        );
        check(
            repo,
            &exclude(&["gui/*.py"]),
            "a.py\n sub/gui/c.py\n - gui/a.py exclude\n - gui/b.py exclude",
        );
        check(
            repo,
            &exclude(&["*"]),
            "- a.py exclude\n - gui/ exclude\n - sub/ exclude",
        );
        let mut both = exclude(&["/gui/**"]);
        both.settings.include = vec!["gui/a.py".to_string()];
        check(
            repo,
            &both,
            "a.py\n sub/gui/c.py\n - gui/ exclude\n ! gui/a.py this include pattern brings in no file",
        );
    }

    #[test]
    fn what_is_named_always_counts() {
        let repo = "a.py\n tests/test_a.py\n tests/unit/test_b.py\n .git/x.py\n tool = x\n x.txt
             vendor/v/a.py\n vendor/v/tests/b.py\n vendor/w/c.py\n .gitignore = vendor";
        check(
            repo,
            &named(&["tests/test_a.py", "./tool", ".git/x.py", "vendor/../a.py"]),
            ".git/x.py\n a.py\n tests/test_a.py\n tool
             - tests/unit/ not-named
             - vendor/ not-named",
        );
        check(
            repo,
            &named(&["vendor/v", "."]),
            "a.py\n vendor/v/a.py
             ~ .git/ version-control
             - tests/ tests
             - vendor/v/tests/ tests
             - vendor/w/ third-party",
        );
        check(
            repo,
            &named(&["tests/"]),
            "tests/test_a.py
             tests/unit/test_b.py
             ~ .git/ version-control
             - a.py not-named
             - vendor/ not-named",
        );
        check_others(
            repo,
            &named(&["vendor/v/tests"]),
            &[
                ".gitignore",
                "a.py",
                "tests/",
                "tool",
                "vendor/v/a.py",
                "vendor/w/",
                "x.txt",
            ],
        );
    }

    #[test]
    fn naming_a_folder_beats_its_marker_and_the_users_exclude() {
        let mut case = named(&["env", "gui"]);
        case.settings.exclude = vec!["gui/**".to_string(), "gui/b.py".to_string()];
        check(
            "env/pyvenv.cfg\n env/a.py\n gui/a.py\n gui/b.py",
            &case,
            "env/a.py\n gui/a.py\n - gui/b.py exclude",
        );
    }

    #[test]
    fn named_links_name_their_target() {
        let outside = tree("x.py\n sub/y.py");
        let repo = tree(
            "a.py\n l.py -> a.py\n dead.py -> nowhere\n loop.py -> loop.py\n d -> sub\n sub/b.py",
        );
        symlink(outside.path().join("x.py"), repo.path().join("out.py")).unwrap();
        symlink(outside.path(), repo.path().join("outer")).unwrap();
        let paths = [
            "l.py",
            "dead.py",
            "loop.py",
            "out.py",
            "outer/sub/y.py",
            "d/b.py",
        ];
        let found = named(&paths).on(repo.path());
        let files: Vec<&str> = found.files.iter().map(RepoPath::as_str).collect();
        assert_eq!(files, ["a.py", "sub/b.py"]);
        let text = show(&found);
        for path in ["dead.py", "loop.py", "out.py", "outer/sub/y.py"] {
            assert!(text.contains(&format!("- {path} symlink")), "{text}");
        }
    }

    #[test]
    fn paths_that_are_not_there_are_errors() {
        let outer = tree("x.py\n repo/a.py");
        let repo = outer.path().join("repo");
        let error = |path: &str| {
            let named = [PathBuf::from(path)];
            let result = discover(&repo, &named, &Settings::default(), &Rules::builtin());
            result.unwrap_err().to_string()
        };
        assert_eq!(error("b.py"), "b.py does not exist in the repository");
        assert_eq!(error("../x.py"), "../x.py is not in the repository");
        assert_eq!(error("/"), "/ is not in the repository");
        let gone = discover(
            &repo.join("no"),
            &[],
            &Settings::default(),
            &Rules::builtin(),
        );
        assert!(
            gone.unwrap_err()
                .to_string()
                .starts_with("cannot read the repository")
        );
        let file = discover(
            &repo.join("a.py"),
            &[],
            &Settings::default(),
            &Rules::builtin(),
        );
        assert!(file.is_err());
    }

    #[test]
    fn links_and_special_files_are_not_followed() {
        check(
            "a.py\n l.py -> a.py\n self -> .\n up -> ..\n sub/back -> ../sub\n r2e_tests -> /nowhere
             p.py |\n .gitignore -> p.py\n pyvenv -> pyvenv.cfg",
            &plain(),
            "a.py
             - .gitignore symlink
             - l.py symlink
             - p.py special-file
             - pyvenv symlink
             - r2e_tests symlink
             - self symlink
             - sub/back symlink
             - up symlink",
        );
        check(
            "p.py |\n a.py",
            &named(&["p.py"]),
            "- a.py not-named\n - p.py special-file",
        );
        check_others("a.py\n l -> a.py\n p |", &plain(), &["l"]);
    }

    #[test]
    fn our_own_output_is_left_alone() {
        check(
            "a.py\n out/.healc/manifest.json = {}\n out/a.py\n .healc/manifest.json = {}\n x/.healc/a.py",
            &plain(),
            "a.py
             ~ .healc/ healc
             ~ out/ overlay
             ~ x/.healc/ healc",
        );
        // Whether it is there already must make no difference.
        let mut case = plain();
        for (repo, expected) in [
            ("a.py", "a.py\n"),
            (
                "a.py\n ov/er/a.py\n ov/x.py",
                "a.py\nov/x.py\n~ ov/er/ overlay\n",
            ),
        ] {
            let repo = tree(repo);
            case.settings.output = Some(repo.path().join("ov/er"));
            case.settings.exclude = vec!["er/".to_string()];
            assert_eq!(show(&case.on(repo.path())), expected);
        }
    }

    #[test]
    fn where_the_output_goes_is_known_before_it_exists() {
        let repo = tree(".gitignore = gen/\n sub/.gitignore = /x/\n sub/a.py");
        let settings = Settings {
            exclude: vec!["/ov/er".to_string()],
            ..Settings::default()
        };
        let rules = Rules::builtin();
        for (output, expected) in [
            ("../elsewhere", OutputPlace::Outside),
            ("", OutputPlace::Root),
            ("src/out", OutputPlace::Inside),
            ("sub", OutputPlace::Inside),
            ("ov", OutputPlace::Inside),
            ("ov/er", OutputPlace::Excluded),
            ("ov/er/x/y", OutputPlace::Excluded),
            ("build/out", OutputPlace::Excluded),
            (".out", OutputPlace::Excluded),
            ("gen/out", OutputPlace::Excluded),
            ("sub/x", OutputPlace::Excluded),
            ("x", OutputPlace::Inside),
        ] {
            let output = repo.path().join(output);
            let place = output_place(repo.path(), &output, &settings, &rules);
            assert_eq!(place, expected, "{}", output.display());
        }
    }

    #[test]
    fn unreadable_folders_are_problems() {
        // Root may read whatever there is, but a path of 5000 bytes is too long for all.
        let repo = tree("a.py\n sub/b.py");
        let name = "d".repeat(250);
        let (upper, lower) = (repo.path().join("upper"), repo.path().join("lower"));
        let steps = |folder: &Path| (0..10).fold(folder.to_path_buf(), |path, _| path.join(&name));
        fs::create_dir_all(steps(&upper)).unwrap();
        fs::create_dir_all(steps(&lower)).unwrap();
        fs::write(steps(&lower).join("c.py"), "").unwrap();
        fs::rename(&lower, steps(&upper).join("lower")).unwrap();
        let found = plain().on(repo.path());
        assert_eq!(found.files.len(), 2);
        assert_eq!(found.problems.len(), 1);
        assert!(found.problems[0].message.starts_with("cannot be read: "));
        assert_eq!(found.left_alone[0].rule, "unreadable-folder");
        assert_eq!(found.left_alone[0].path, found.problems[0].path);
    }

    #[test]
    fn odd_names_work() {
        let repo = tree(
            "a b.py\n q'\"q.py\n dot./x.py\n ünï😀.py\n -rf.py\n back\\slash.py\n [x].py\n CON.py",
        );
        fs::write(repo.path().join("new\nline.py"), "").unwrap();
        fs::write(repo.path().join(OsStr::from_bytes(b"bad\xff.py")), "").unwrap();
        fs::create_dir(repo.path().join(OsStr::from_bytes(b"d\xfe"))).unwrap();
        let found = plain().on(repo.path());
        let files: Vec<&str> = found.files.iter().map(RepoPath::as_str).collect();
        assert_eq!(
            files,
            [
                "-rf.py",
                "CON.py",
                "[x].py",
                "a b.py",
                "back\\slash.py",
                "dot./x.py",
                "new\nline.py",
                "q'\"q.py",
                "ünï😀.py",
            ]
        );
        let left: Vec<&str> = found.left_alone.iter().map(|left| &*left.path).collect();
        assert_eq!(left, ["bad\\xff.py", "d\\xfe/"]);
        assert!(
            found
                .left_alone
                .iter()
                .all(|left| left.rule == "not-utf8-name")
        );
    }

    #[test]
    fn deep_trees_need_no_stack() {
        let repo = tempfile::tempdir().unwrap();
        let path = repo.path().join("d/".repeat(1500));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("a.py"), "").unwrap();
        let found = plain().on(repo.path());
        assert_eq!(found.files.len(), 1);
    }

    #[test]
    fn a_full_copy_gets_the_rest() {
        let repo =
            "a.py\n a.so\n tests/t.py\n tests/sub/x\n .git/x\n empty/\n pkg/__pycache__/x.pyc
             pkg/l -> ../a.py\n pkg/test_x.py\n .healc/m\n x.pyi";
        check_others(
            repo,
            &plain(),
            &[
                "a.so",
                "empty/",
                "pkg/l",
                "pkg/test_x.py",
                "tests/",
                "x.pyi",
            ],
        );
        let repo = tree(
            "t/a\n t/sub/b.py\n t/e/\n t/l -> a\n t/ov/.healc/manifest.json\n t/ov/x\n t/out/y",
        );
        let settings = Settings {
            output: Some(repo.path().join("t/out")),
            ..Settings::default()
        };
        let (files, problems) = expand_folder(repo.path(), "t/", &settings);
        assert_eq!(files, ["t/a", "t/e/", "t/l", "t/sub/b.py"]);
        assert_eq!(problems, []);
    }

    #[test]
    fn without_rules_everything_counts_but_what_healc_cannot_take() {
        let mut case = plain();
        let pack = (PathBuf::from("p"), "replace = true".to_string());
        case.rules = Rules::load(Rules::builtin(), &[pack]).unwrap();
        check(
            "tests/test_a.py\n setup.py\n .git/a.py\n env/pyvenv.cfg\n env/a.py\n l.py -> setup.py",
            &case,
            "env/a.py\n setup.py\n tests/test_a.py\n - .git/ hidden\n - l.py symlink",
        );
    }

    #[test]
    fn rules_can_go_by_path() {
        let mut case = plain();
        let pack = "[[exclude]]\nid = 'gui'\nwhy = 'w'\npaths = ['src/*/gui/', 'src/*_ui.py']";
        let pack = (PathBuf::from("p"), pack.to_string());
        case.rules = Rules::load(Rules::builtin(), &[pack]).unwrap();
        check(
            "src/a/gui/x.py\n src/gui/x.py\n src/x_ui.py\n x_ui.py",
            &case,
            "src/gui/x.py\n x_ui.py\n - src/a/gui/ gui\n - src/x_ui.py gui",
        );
    }

    #[test]
    fn repo_paths_are_relative_and_clean() {
        for (text, good) in [
            ("a/b.py", true),
            ("a.py", true),
            ("", false),
            ("/a", false),
            ("a//b", false),
            ("a/", false),
            ("../a", false),
            ("a/./b", false),
            ("a\0", false),
        ] {
            assert_eq!(RepoPath::new(text).is_ok(), good, "{text:?}");
        }
    }
}
