//! `healc run --exact`: starts a command whose Python processes run instrumented code that looks
//! like the original from everywhere. The work is done by the runtime (`_exact*.py`); here it is
//! put where interpreters find it, and the environment is made that tells them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::artifact::hex;
use crate::overlay::Overlay;
use crate::runtime;
use crate::source::RUNTIME;

/// The part of the runtime that exact mode needs; overlays do without.
pub const FILES: &[(&str, &str)] = &[
    ("_exact.py", include_str!("runtime/_eh_runtime/_exact.py")),
    (
        "_exact_build.py",
        include_str!("runtime/_eh_runtime/_exact_build.py"),
    ),
    (
        "_exact_main.py",
        include_str!("runtime/_eh_runtime/_exact_main.py"),
    ),
    (
        "_exact_site.py",
        include_str!("runtime/_eh_runtime/_exact_site.py"),
    ),
    (
        "_exact_store.py",
        include_str!("runtime/_eh_runtime/_exact_store.py"),
    ),
];

/// What `site` runs at the start of each interpreter that has the folder on its path.
const SITECUSTOMIZE: &str = include_str!("runtime/_eh_runtime/_exact_sitecustomize.py");

/// `healc runtime --install` writes it into site-packages, beside the runtime: there nothing has
/// to be on PYTHONPATH, and EH_EXACT alone starts exact mode.
pub const PTH_NAME: &str = "healc-exact.pth";
pub const PTH: &str = "import os; os.environ.get('EH_EXACT') and \
    __import__('_eh_runtime._exact', fromlist=['install']).install()\n";

/// Where compiled code and the runtime are kept: `EH_CACHE`, else a folder of the user's own.
/// The runtime follows the same rules.
pub fn cache_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(folder) = set("EH_CACHE").filter(|value| value != "off") {
        return Some(PathBuf::from(folder));
    }
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        set("LOCALAPPDATA").and_then(absolute)
    } else {
        set("XDG_CACHE_HOME").and_then(absolute).or_else(|| {
            let below = if cfg!(target_os = "macos") {
                "Library/Caches"
            } else {
                ".cache"
            };
            set("HOME").and_then(absolute).map(|home| home.join(below))
        })
    };
    base.map(|base| base.join("healc"))
}

/// The folder for PYTHONPATH, made if it is not there: the runtime and a `sitecustomize`.
pub fn activation(cache: &Path) -> io::Result<PathBuf> {
    let package = |name: &str| format!("{RUNTIME}/{name}");
    let files: Vec<(String, &str)> = runtime::files()
        .iter()
        .chain(FILES)
        .map(|(name, text)| (package(name), *text))
        .chain([("sitecustomize.py".to_string(), SITECUSTOMIZE)])
        .collect();
    let mut hash = Sha256::new();
    for (name, text) in &files {
        for part in [name.as_str(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    let folder = cache.join(format!("runtime-{}", &hex(&hash.finalize())[..16]));
    let is_whole = || {
        files
            .iter()
            .all(|(name, text)| fs::read(folder.join(name)).is_ok_and(|old| old == text.as_bytes()))
    };
    if is_whole() {
        return Ok(folder);
    }
    make_private(cache)?;
    // Written beside it and renamed: another process may be at it, too.
    let new = tempfile::Builder::new()
        .prefix("runtime-new-")
        .tempdir_in(cache)?;
    fs::create_dir(new.path().join(RUNTIME))?;
    for (name, text) in &files {
        fs::write(new.path().join(name), text)?;
    }
    let damaged = cache.join(format!("runtime-old-{}", std::process::id()));
    for _ in 0..3 {
        match fs::rename(new.path(), &folder) {
            Ok(()) => return Ok(folder),
            Err(_) if is_whole() => return Ok(folder),
            Err(error) if !folder.exists() => return Err(error),
            Err(_) => {
                fs::rename(&folder, &damaged)?;
                fs::remove_dir_all(&damaged)?;
            }
        }
    }
    Err(io::Error::other("it changes all the time"))
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Where the overlay of a repository is kept if the user names none.
pub fn overlay_folder(repo: &Path) -> Result<PathBuf> {
    let repo = canonical(repo)?;
    let Some(cache) = cache_folder(|name| std::env::var_os(name)) else {
        bail!("there is no HOME for a cache; name an overlay with --overlay");
    };
    let key = hex(&Sha256::digest(repo.as_os_str().as_encoded_bytes()));
    let folder = cache.join("overlays");
    make_private(&folder).with_context(|| {
        format!(
            "{}: cannot be made; name an overlay with --overlay",
            folder.display()
        )
    })?;
    Ok(folder.join(&key[..16]))
}

/// What the environment of a process gets so that its interpreters run in exact mode.
pub fn environment(
    overlay: &Path,
    repo: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<(&'static str, OsString)>> {
    let overlay = canonical(overlay)?;
    Overlay::open(&overlay)?;
    let repo = canonical(repo)?;
    let Some(cache) = cache_folder(&variable) else {
        bail!("there is no HOME for a cache; name a folder for it with EH_CACHE");
    };
    let folder = activation(&cache)
        .and_then(fs::canonicalize)
        .with_context(|| {
            format!(
                "{}: cannot be written; name another cache folder with EH_CACHE",
                cache.display()
            )
        })?;
    let separator = if cfg!(windows) { ";" } else { ":" };
    if folder.to_string_lossy().contains(separator) {
        bail!(
            "{}: a folder for PYTHONPATH cannot have `{separator}` in its name; name another with EH_CACHE",
            folder.display()
        );
    }
    let mut path = folder.into_os_string();
    if let Some(rest) = variable("PYTHONPATH").filter(|rest| !rest.is_empty()) {
        path.push(separator);
        path.push(rest);
    }
    let mut env = vec![
        ("EH_EXACT", overlay.into_os_string()),
        ("EH_REPO", repo.into_os_string()),
        ("PYTHONPATH", path),
    ];
    if variable("EH_CACHE").is_some_and(|value| !value.is_empty() && value != "off") {
        // Children may run elsewhere.
        env.push(("EH_CACHE", canonical(&cache)?.into_os_string()));
    }
    Ok(env)
}

fn canonical(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).with_context(|| path.display().to_string())
}

/// Runs `command` in exact mode. On Unix it takes the place of this process; elsewhere the result
/// is its exit code.
pub fn run(overlay: &Path, repo: &Path, command: &[OsString]) -> Result<u8> {
    let Some((program, arguments)) = command.split_first() else {
        bail!("there is no command; write it after `--`");
    };
    let env = environment(overlay, repo, |name| std::env::var_os(name))?;
    let mut process = Command::new(program);
    process.args(arguments).envs(env);
    start(process).with_context(|| format!("{}: cannot be started", display(program)))
}

#[cfg(unix)]
fn start(mut process: Command) -> io::Result<u8> {
    use std::os::unix::process::CommandExt;
    Err(process.exec())
}

#[cfg(not(unix))]
fn start(mut process: Command) -> io::Result<u8> {
    let status = process.status()?;
    Ok(status.code().map_or(1, |code| code as u8))
}

fn display(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_user_says_or_in_a_folder_of_his_own() {
        let with = |pairs: &'static [(&str, &str)]| {
            cache_folder(move |name| {
                pairs
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.into())
            })
        };
        assert_eq!(
            with(&[("EH_CACHE", "/c"), ("HOME", "/h")]),
            Some("/c".into())
        );
        assert_eq!(with(&[("EH_CACHE", "off")]), None);
        if cfg!(target_os = "linux") {
            assert_eq!(with(&[("HOME", "/h")]), Some("/h/.cache/healc".into()));
            assert_eq!(
                with(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]),
                Some("/h/.cache/healc".into())
            );
            assert_eq!(with(&[("XDG_CACHE_HOME", "/x")]), Some("/x/healc".into()));
        }
    }

    #[test]
    fn the_activation_folder_is_made_once_and_mended() {
        let cache = tempfile::tempdir().unwrap();
        let folder = activation(cache.path()).unwrap();
        assert!(folder.join("sitecustomize.py").is_file());
        assert!(folder.join(RUNTIME).join("_exact.py").is_file());
        fs::write(folder.join("sitecustomize.py"), "").unwrap();
        assert_eq!(activation(cache.path()).unwrap(), folder);
        assert_eq!(
            fs::read_to_string(folder.join("sitecustomize.py")).unwrap(),
            SITECUSTOMIZE
        );
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
    }
}
