//! The scratch folder: two trees, plain and instrumented, that take turns at one path, so that
//! nothing but the instrumentation differs. The user's repository and environment are only read.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use walkdir::WalkDir;

use crate::artifact::{HEALC_DIR, State};
use crate::overlay::Overlay;
use crate::runtime;
use crate::source::RUNTIME;

/// Writes an overlay of a repository: all of it and the rest of the tree, or just these paths.
pub type Instrument<'a> = dyn Fn(&Path, &[PathBuf], &Path) -> Result<()> + 'a;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Instrumented,
}

pub struct Scratch {
    root: PathBuf,
    /// Where a tree has the repository: `repo`, or below it if it is itself a package.
    repo: PathBuf,
    /// Folders that come first on PYTHONPATH, below the tree.
    import_roots: Vec<PathBuf>,
    /// Packages that stand in the interpreter's site-packages, and are copied from there.
    pub installed: Vec<String>,
}

/// Where the interpreter finds a package.
#[derive(Deserialize)]
struct Place {
    name: String,
    path: PathBuf,
    installed: bool,
}

const FIND: &str = "import importlib.util, json, os, sys, sysconfig
sites = {os.path.realpath(sysconfig.get_paths()[k]) for k in ('purelib', 'platlib')}
found = []
for name in sys.argv[1:]:
    try:
        spec = importlib.util.find_spec(name)
        path = (list(spec.submodule_search_locations or []) or [spec.origin])[0]
        path = os.path.realpath(path)
        found.append({'name': name, 'path': path, 'installed': os.path.dirname(path) in sites})
    except Exception:
        pass
print(json.dumps(found))
";

impl Scratch {
    pub fn make(
        root: &Path,
        repo: &Path,
        python: &Path,
        instrument: &Instrument,
    ) -> Result<Scratch> {
        let repo = fs::canonicalize(repo).with_context(|| repo.display().to_string())?;
        let (plain, instrumented) = (root.join("plain"), root.join("instrumented"));
        fs::create_dir_all(&plain)?;
        fs::create_dir_all(&instrumented)?;
        let is_package = repo.join("__init__.py").is_file();
        let mut inside = PathBuf::from("repo");
        if is_package {
            inside.extend(repo.file_name());
        }
        fs::create_dir_all(instrumented.join("repo"))?;
        let overlay = instrumented.join(&inside);
        instrument(&repo, &[], &overlay)?;
        copy(&overlay, &plain.join(&inside))?;
        strip(&plain.join(&inside), &repo)?;
        let mut scratch = Scratch {
            root: root.to_path_buf(),
            repo: inside,
            import_roots: Vec::new(),
            installed: Vec::new(),
        };
        if is_package {
            scratch.import("repo".into());
        }
        for place in places(python, &Overlay::open(&overlay)?, root)? {
            if place.installed {
                scratch.take_installed(&place, instrument)?;
            } else if is_package {
                continue;
            } else if let Ok(inside) = place.path.strip_prefix(&repo) {
                let folder = inside.parent().unwrap_or(Path::new(""));
                scratch.import(Path::new("repo").join(folder));
            }
        }
        let tools = root.join("tools");
        fs::create_dir_all(tools.join("reach"))?;
        // Overlays of what is itself a package have no place for it.
        fs::create_dir_all(tools.join(RUNTIME))?;
        for (name, text) in runtime::files() {
            fs::write(tools.join(RUNTIME).join(name), text)?;
        }
        fs::write(
            tools.join("_healc_unittest.py"),
            include_str!("_healc_unittest.py"),
        )?;
        fs::write(
            tools.join("reach/sitecustomize.py"),
            include_str!("_reach.py"),
        )?;
        Ok(scratch)
    }

    fn import(&mut self, folder: PathBuf) {
        if !self.import_roots.contains(&folder) {
            self.import_roots.push(folder);
        }
    }

    /// Copies an installed package, compiled parts and all, and instruments the copy.
    fn take_installed(&mut self, place: &Place, instrument: &Instrument) -> Result<()> {
        let site = place.path.parent().context("a package has a folder")?;
        let name = place.path.file_name().context("a package has a name")?;
        let overlay = self.root.join("overlay").join(&place.name);
        instrument(site, std::slice::from_ref(&place.path), &overlay)?;
        let mut libraries = place.name.clone();
        libraries.push_str(".libs");
        for kind in ["plain", "instrumented"] {
            let to = self.root.join(kind).join("site");
            fs::create_dir_all(&to)?;
            copy(&place.path, &to.join(name))?;
            // Shared libraries that a wheel brings along are found beside the package.
            if site.join(&libraries).is_dir() {
                copy(&site.join(&libraries), &to.join(&libraries))?;
            }
        }
        let to = self.root.join("instrumented/site");
        let made = Overlay::open(&overlay)?;
        for path in made.instrumented() {
            fs::copy(overlay.join(path), to.join(path))
                .with_context(|| to.join(path).display().to_string())?;
        }
        for part in [RUNTIME, HEALC_DIR] {
            if overlay.join(part).is_dir() {
                copy(&overlay.join(part), &to.join(part))?;
            }
        }
        self.installed.push(place.name.clone());
        self.import("site".into());
        Ok(())
    }

    /// The path at which the trees take turns.
    pub fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    /// The repository in it.
    pub fn repo(&self) -> PathBuf {
        self.tree().join(&self.repo)
    }

    /// Puts a fresh copy of a tree there.
    pub fn lay(&self, kind: Kind) -> Result<()> {
        let tree = self.tree();
        if tree.exists() {
            fs::remove_dir_all(&tree).with_context(|| tree.display().to_string())?;
        }
        let from = match kind {
            Kind::Plain => "plain",
            Kind::Instrumented => "instrumented",
        };
        copy(&self.root.join(from), &tree)
    }

    pub fn python_path(&self, first: &[&str]) -> Result<OsString> {
        let tools = first.iter().map(|folder| self.root.join(folder));
        let roots = self.import_roots.iter().map(|root| self.tree().join(root));
        let before = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let before = std::env::split_paths(&before).filter(|path| !path.as_os_str().is_empty());
        std::env::join_paths(tools.chain(roots).chain(before)).context("PYTHONPATH")
    }

    /// Overlays in the tree, for reading sites and maps.
    pub fn overlays(&self) -> Result<Vec<Overlay>> {
        let mut overlays = vec![Overlay::open(&self.repo())?];
        for name in &self.installed {
            overlays.push(Overlay::open(&self.root.join("overlay").join(name))?);
        }
        Ok(overlays)
    }

    /// Where the tree has a file of an overlay.
    pub fn place_of(&self, overlay: &Overlay, path: &str) -> PathBuf {
        match overlay.root.starts_with(self.root.join("overlay")) {
            true => self.tree().join("site").join(path),
            false => self.repo().join(path),
        }
    }

    /// The top-level package or module that a file of an overlay belongs to.
    pub fn package_of<'p>(&self, overlay: &Overlay, path: &'p str) -> &'p str {
        package_in(&overlay.manifest.runtime_in, path).unwrap_or(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

/// Where the interpreter finds the top-level packages and modules of an overlay, started from a
/// folder that has nothing to do with them.
fn places(python: &Path, overlay: &Overlay, neutral: &Path) -> Result<Vec<Place>> {
    let roots = &overlay.manifest.runtime_in;
    let mut names: BTreeSet<String> = overlay
        .instrumented()
        .filter_map(|path| package_in(roots, path))
        .map(str::to_string)
        .collect();
    // A repository that is itself a package.
    if roots.is_empty() {
        let name = overlay.root.file_name().unwrap_or_default();
        names.insert(name.to_string_lossy().into_owned());
    }
    let output = Command::new(python)
        .args(["-c", FIND])
        .args(&names)
        .current_dir(neutral)
        .output()
        .with_context(|| format!("{}: cannot be started", python.display()))?;
    if !output.status.success() {
        bail!(
            "{}: {}",
            python.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let places: Vec<Place> = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{}: did not say where packages are", python.display()))?;
    Ok(places
        .into_iter()
        .filter(|place| place.path.exists())
        .collect())
}

/// The first part of a path behind the import root that it is below, the deepest one.
fn package_in<'p>(roots: &[String], path: &'p str) -> Option<&'p str> {
    let inside = |root: &String| match root.is_empty() {
        true => Some(path),
        false => path.strip_prefix(root.as_str())?.strip_prefix('/'),
    };
    let inside = roots
        .iter()
        .filter_map(inside)
        .min_by_key(|path| path.len())?;
    inside
        .split('/')
        .next()
        .map(|first| first.trim_end_matches(".py"))
}

/// Turns a copy of a full overlay into a copy of the repository.
fn strip(copy: &Path, repo: &Path) -> Result<()> {
    let overlay = Overlay::open(copy)?;
    for (path, entry) in &overlay.manifest.files {
        if entry.state == State::Instrumented {
            let to = copy.join(path);
            fs::remove_file(&to)?;
            fs::copy(repo.join(path), &to).with_context(|| to.display().to_string())?;
        }
    }
    for folder in &overlay.manifest.runtime_in {
        fs::remove_dir_all(copy.join(folder).join(RUNTIME))?;
    }
    fs::remove_dir_all(copy.join(HEALC_DIR))?;
    Ok(())
}

/// Copies a folder or a file; links stay links, caches stay behind.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != "__pycache__")
    {
        let entry = entry.with_context(|| from.display().to_string())?;
        let inside = entry.path().strip_prefix(from).expect("below it");
        let target = match inside.as_os_str().is_empty() {
            true => to.to_path_buf(),
            false => to.join(inside),
        };
        let kind = entry.file_type();
        let done = if kind.is_dir() {
            fs::create_dir_all(&target)
        } else if kind.is_symlink() {
            fs::read_link(entry.path()).and_then(|link| std::os::unix::fs::symlink(link, &target))
        } else if kind.is_file() {
            fs::copy(entry.path(), &target).map(drop)
        } else {
            Ok(())
        };
        done.with_context(|| target.display().to_string())?;
    }
    Ok(())
}
