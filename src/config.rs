//! Settings: what `[tool.healc]`, a `healc.toml` and the command line ask for.
//!
//! One file counts, the first of `healc.toml`, `.healc.toml` and a `pyproject.toml` with
//! a `[tool.healc]` table in the repository's root; files are not merged. Flags beat the
//! file key by key. `extend-exclude` and `rules` add up, since adding is what they are
//! for. A key that is unknown, of the wrong type or holds a bad glob is an error with its
//! place: a setting that silently does nothing is the worst answer.
//!
//! A `pyproject.toml` that is not valid TOML belongs to somebody else, so it is a warning;
//! unless it seems to have a `[tool.healc]` table, which must not be ignored silently.

use std::fmt;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::rules::{PathGlob, Rules, TomlError};

/// The files that are looked for, in this order.
pub const CONFIG_FILES: [&str; 3] = ["healc.toml", ".healc.toml", "pyproject.toml"];

/// The file's keys, resolved. Serialises with stable order and without machine paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Globs that bring back what the rules leave out, and may match other file types.
    pub include: Vec<String>,
    /// Globs that are left alone. This is `exclude` and `extend-exclude` together.
    pub exclude: Vec<String>,
    pub respect_gitignore: bool,
    /// `None`: nobody said, so the compiler decides file by file.
    pub target_python: Option<TargetPython>,
    pub returns: Returns,
    pub runtime: Runtime,
    /// Extra rule files.
    pub rules: Vec<RuleFile>,
    /// Whether the overlay gets the rest of the repository, too.
    pub full: bool,
    /// The file that was read, relative to the repository.
    pub config_file: Option<String>,
    /// Who decided `target_python`, for people.
    pub target_python_from: Option<String>,
    /// Where the overlay goes. Not a setting, but discovery must not walk into it.
    #[serde(skip)]
    pub output: Option<PathBuf>,
    /// What deserves a warning but stops nothing.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            respect_gitignore: true,
            target_python: None,
            returns: Returns::default(),
            runtime: Runtime::default(),
            rules: Vec::new(),
            full: false,
            config_file: None,
            target_python_from: None,
            output: None,
            warnings: Vec::new(),
        }
    }
}

/// What the command line gives; `None` and empty mean that it says nothing.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Replaces the file's `include`.
    pub include: Vec<String>,
    /// Replaces the file's `exclude`.
    pub exclude: Vec<String>,
    /// Adds to whatever `exclude` came out as.
    pub extend_exclude: Vec<String>,
    pub respect_gitignore: Option<bool>,
    pub target_python: Option<TargetPython>,
    pub returns: Option<Returns>,
    pub runtime: Option<Runtime>,
    /// Adds to the file's `rules`. Relative to the working directory.
    pub rules: Vec<PathBuf>,
    pub full: Option<bool>,
    /// This file, whatever it is called, instead of looking for one.
    pub config: Option<PathBuf>,
    /// No configuration file at all.
    pub isolated: bool,
    pub output: Option<PathBuf>,
}

/// How `return` is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Returns {
    #[default]
    Auto,
    Capture,
    Inline,
}

/// Whether the overlay carries the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    #[default]
    Embed,
    None,
}

impl fmt::Display for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Capture => "capture",
            Self::Inline => "inline",
        })
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embed => "embed",
            Self::None => "none",
        })
    }
}

/// An extra rule file: how it is called in messages, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// Relative to the repository if it is in there, else as it was written.
    pub name: String,
    pub path: PathBuf,
}

impl Serialize for RuleFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

/// A Python version that emitted code must compile on: 3.6 to 3.14.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetPython {
    minor: u8,
}

impl TargetPython {
    pub const OLDEST: Self = Self { minor: 6 };
    pub const NEWEST: Self = Self { minor: 14 };

    /// Python `3.minor`, if it is supported.
    pub const fn new(minor: u8) -> Option<Self> {
        if minor >= 6 && minor <= 14 {
            Some(Self { minor })
        } else {
            None
        }
    }

    pub fn minor(self) -> u8 {
        self.minor
    }

    /// Every supported version, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (6..=14).map(|minor| Self { minor })
    }
}

impl fmt::Display for TargetPython {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "3.{}", self.minor)
    }
}

impl FromStr for TargetPython {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // `py38`, which is how black and ruff spell it, cannot be misunderstood.
        let minor = text
            .strip_prefix("3.")
            .or_else(|| text.strip_prefix("py3"))
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok());
        minor.and_then(Self::new).ok_or_else(|| {
            format!(
                "`{text}` is not a Python version that healc knows: {} to {}",
                Self::OLDEST,
                Self::NEWEST
            )
        })
    }
}

impl Serialize for TargetPython {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TargetPython {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(transparent)]
    File(#[from] TomlError),
    #[error("cannot read {name}: {error}")]
    Unreadable { name: String, error: io::Error },
    #[error("{flag}: {message}")]
    Flag { flag: &'static str, message: String },
}

/// healc's settings, in `healc.toml` or below `[tool.healc]` in `pyproject.toml`.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "healc")]
struct RawSettings {
    /// Globs of paths to look at although a rule leaves them alone.
    #[schemars(with = "Option<Vec<String>>")]
    include: Option<Vec<Spanned<String>>>,
    /// Globs of paths to leave alone.
    #[schemars(with = "Option<Vec<String>>")]
    exclude: Option<Vec<Spanned<String>>>,
    /// More globs of paths to leave alone.
    #[schemars(with = "Option<Vec<String>>")]
    extend_exclude: Option<Vec<Spanned<String>>>,
    /// Whether paths that git ignores are left alone. Default: true.
    respect_gitignore: Option<bool>,
    /// The oldest Python that runs the code: "3.6" to "3.14". Default: from `requires-python`, else
    /// what each file needs.
    #[schemars(with = "Option<String>", regex(pattern = r"^(3\.|py3)([6-9]|1[0-4])$"))]
    target_python: Option<TargetPython>,
    /// How `return` is rewritten. Default: "auto".
    returns: Option<Returns>,
    /// Whether the overlay carries the runtime. Default: "embed".
    runtime: Option<Runtime>,
    /// Rule files that add to, override or replace the built-in rules, relative to this file.
    #[schemars(with = "Option<Vec<String>>")]
    rules: Option<Vec<Spanned<String>>>,
    /// Whether the overlay holds the rest of the repository, too. Default: false.
    full: Option<bool>,
}

/// The JSON schema of a configuration file.
pub fn schema() -> String {
    let schema = schemars::schema_for!(RawSettings);
    format!("{:#}\n", schema.as_value())
}

#[derive(Deserialize)]
struct RawPyproject {
    tool: RawTool,
}

#[derive(Deserialize)]
struct RawTool {
    healc: RawSettings,
}

/// A configuration file that was found and read.
struct Found {
    name: String,
    path: PathBuf,
    raw: RawSettings,
}

impl Settings {
    /// The settings for a repository: flags, then its configuration file, then defaults.
    pub fn resolve(repo: &Path, overrides: &Overrides) -> Result<Self, ConfigError> {
        let mut warnings = Vec::new();
        let found = if let Some(path) = &overrides.config {
            Some(named_config(repo, path)?)
        } else if overrides.isolated {
            None
        } else {
            find_config(repo, &mut warnings)?
        };
        check_flag_globs(overrides)?;
        let (name, file_path, raw) = match found {
            Some(found) => (Some(found.name), found.path, found.raw),
            None => (None, PathBuf::new(), RawSettings::default()),
        };

        let plain = |list: Option<Vec<Spanned<String>>>| -> Vec<String> {
            list.unwrap_or_default()
                .into_iter()
                .map(Spanned::into_inner)
                .collect()
        };
        let mut include = plain(raw.include);
        if !overrides.include.is_empty() {
            include.clone_from(&overrides.include);
        }
        let mut exclude = plain(raw.exclude);
        if !overrides.exclude.is_empty() {
            exclude.clone_from(&overrides.exclude);
        }
        exclude.extend(plain(raw.extend_exclude));
        exclude.extend_from_slice(&overrides.extend_exclude);

        let config_folder = file_path.parent().unwrap_or(Path::new(""));
        let rules = plain(raw.rules)
            .into_iter()
            .map(|rule| config_folder.join(rule))
            .chain(overrides.rules.iter().cloned())
            .map(|path| RuleFile {
                name: name_in(repo, &path),
                path,
            })
            .collect();

        let (target_python, target_python_from) = match (overrides.target_python, raw.target_python)
        {
            (Some(target), _) => (Some(target), Some("--target-python".to_string())),
            (None, Some(target)) => (Some(target), name.clone()),
            (None, None) => match required_python(repo) {
                Some((target, from)) => (Some(target), Some(from)),
                None => (None, None),
            },
        };
        Ok(Self {
            include,
            exclude,
            respect_gitignore: overrides
                .respect_gitignore
                .or(raw.respect_gitignore)
                .unwrap_or(true),
            target_python,
            returns: overrides.returns.or(raw.returns).unwrap_or_default(),
            runtime: overrides.runtime.or(raw.runtime).unwrap_or_default(),
            rules,
            full: overrides.full.or(raw.full).unwrap_or(false),
            config_file: name,
            target_python_from,
            output: overrides.output.clone(),
            warnings,
        })
    }

    /// The built-in rules with the extra rule files of these settings on top.
    pub fn load_rules(&self) -> Result<Rules, ConfigError> {
        let mut packs = Vec::new();
        for rule in &self.rules {
            let text = fs::read_to_string(&rule.path).map_err(|error| ConfigError::Unreadable {
                name: rule.name.clone(),
                error,
            })?;
            packs.push((PathBuf::from(&rule.name), text));
        }
        Ok(Rules::load(Rules::builtin(), &packs)?)
    }

    /// SHA-256, in hex, of what changes the output: not who asked for it, and not which
    /// rule files there are, whose content has a fingerprint of its own.
    pub fn fingerprint(&self) -> String {
        let text = serde_json::to_vec(&(
            "healc settings 1",
            &self.include,
            &self.exclude,
            self.respect_gitignore,
            self.target_python,
            self.returns,
            self.runtime,
            self.full,
        ))
        .expect("settings are plain data");
        let mut hex = String::with_capacity(64);
        for byte in Sha256::digest(text) {
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }
}

fn check_flag_globs(overrides: &Overrides) -> Result<(), ConfigError> {
    let lists = [
        ("--include", &overrides.include),
        ("--exclude", &overrides.exclude),
        ("--extend-exclude", &overrides.extend_exclude),
    ];
    for (flag, patterns) in lists {
        for pattern in patterns {
            PathGlob::new(pattern).map_err(|message| ConfigError::Flag { flag, message })?;
        }
    }
    Ok(())
}

fn named_config(repo: &Path, path: &Path) -> Result<Found, ConfigError> {
    let name = name_in(repo, path);
    let text = fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
        name: name.clone(),
        error,
    })?;
    let raw = if path.file_name() == Some("pyproject.toml".as_ref()) {
        let table: toml::Table = toml::from_str(strip_bom(&text))
            .map_err(|error| TomlError::read(&name, strip_bom(&text), &error))?;
        if !has_healc_table(&table) {
            return Err(ConfigError::Flag {
                flag: "--config",
                message: format!("{name} has no [tool.healc] table"),
            });
        }
        read_pyproject(&name, &text)?
    } else {
        read_settings(&name, &text)?
    };
    Ok(Found {
        name,
        path: path.to_path_buf(),
        raw,
    })
}

fn find_config(repo: &Path, warnings: &mut Vec<String>) -> Result<Option<Found>, ConfigError> {
    let mut found: Option<Found> = None;
    for name in CONFIG_FILES {
        let path = repo.join(name);
        if !path.is_file() {
            continue;
        }
        let optional = name == "pyproject.toml";
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if optional => {
                warnings.push(format!("cannot read {name}: {error}; it is ignored"));
                continue;
            }
            Err(error) => {
                return Err(ConfigError::Unreadable {
                    name: name.to_string(),
                    error,
                });
            }
        };
        let text = if optional {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match toml::from_str::<toml::Table>(strip_bom(&text)) {
                Ok(table) if has_healc_table(&table) => text,
                Ok(_) => continue,
                Err(error) => {
                    let error = TomlError::read(name, strip_bom(&text), &error);
                    if found.is_none() && mentions_healc_table(&text) {
                        return Err(error.into());
                    }
                    warnings.push(format!("{}; the file is ignored", one_line(&error)));
                    continue;
                }
            }
        } else {
            String::from_utf8(bytes).map_err(|error| {
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
                TomlError::at(name, &text, text.len(), "the file is not UTF-8")
            })?
        };
        if let Some(first) = &found {
            warnings.push(format!(
                "{name} is ignored, since {} comes first; files are not merged",
                first.name
            ));
            continue;
        }
        let raw = if optional {
            read_pyproject(name, &text)?
        } else {
            read_settings(name, &text)?
        };
        found = Some(Found {
            name: name.to_string(),
            path,
            raw,
        });
    }
    Ok(found)
}

fn one_line(error: &TomlError) -> String {
    error.to_string().lines().collect::<Vec<_>>().join(", ")
}

fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn has_healc_table(table: &toml::Table) -> bool {
    table
        .get("tool")
        .and_then(|tool| tool.as_table())
        .is_some_and(|tool| tool.contains_key("healc"))
}

/// Whether a broken file looks as if it had settings for us.
fn mentions_healc_table(text: &str) -> bool {
    text.lines().any(|line| {
        let line: String = line.split_whitespace().collect();
        line.starts_with("[tool.healc")
    })
}

fn read_pyproject(name: &str, text: &str) -> Result<RawSettings, TomlError> {
    let text = strip_bom(text);
    let pyproject: RawPyproject =
        toml::from_str(text).map_err(|error| TomlError::read(name, text, &error))?;
    checked(name, text, pyproject.tool.healc)
}

fn read_settings(name: &str, text: &str) -> Result<RawSettings, TomlError> {
    let text = strip_bom(text);
    let raw: RawSettings =
        toml::from_str(text).map_err(|error| TomlError::read(name, text, &error))?;
    checked(name, text, raw)
}

fn checked(name: &str, text: &str, raw: RawSettings) -> Result<RawSettings, TomlError> {
    let globs = [&raw.include, &raw.exclude, &raw.extend_exclude];
    for pattern in globs.into_iter().flatten().flatten() {
        PathGlob::new(pattern.as_ref())
            .map_err(|problem| TomlError::at(name, text, pattern.span().start, problem))?;
    }
    for path in raw.rules.iter().flatten() {
        if path.as_ref().is_empty() {
            return Err(TomlError::at(
                name,
                text,
                path.span().start,
                "a rule file needs a name",
            ));
        }
    }
    Ok(raw)
}

/// How a file is called in messages and manifests: never by an absolute path.
fn name_in(repo: &Path, path: &Path) -> String {
    let inside = |repo: &Path, path: &Path| -> Option<String> {
        let inside = path.strip_prefix(repo).ok()?;
        Some(inside.to_string_lossy().replace('\\', "/"))
    };
    let real = || inside(&repo.canonicalize().ok()?, &path.canonicalize().ok()?);
    inside(repo, path).or_else(real).unwrap_or_else(|| {
        if path.is_absolute() {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        } else {
            path.to_string_lossy().into_owned()
        }
    })
}

/// The oldest supported Python that the repository says it runs on.
///
/// Read from `[project] requires-python`, else `python_requires` in setup.cfg, else
/// poetry's `python` dependency, else a literal `python_requires=` in setup.py. `None` if
/// none of them says anything that is understood.
pub fn requires_python(repo: &Path) -> Option<TargetPython> {
    required_python(repo).map(|(target, _)| target)
}

fn required_python(repo: &Path) -> Option<(TargetPython, String)> {
    let read = |name: &str| {
        let path = repo.join(name);
        let bytes = path.is_file().then(|| fs::read(&path).ok())??;
        Some(strip_bom(&String::from_utf8_lossy(&bytes)).to_string())
    };
    let pyproject: Option<toml::Table> =
        read("pyproject.toml").and_then(|text| toml::from_str(&text).ok());
    let entry = |keys: &[&str]| -> Option<&toml::Value> {
        let (last, tables) = keys.split_last()?;
        let mut table = pyproject.as_ref()?;
        for key in tables {
            table = table.get(*key)?.as_table()?;
        }
        table.get(*last)
    };
    let from = |target: TargetPython, place: &str, text: &str| {
        let text: Vec<&str> = text.split_whitespace().collect();
        Some((target, format!("{place} {}", text.join(" "))))
    };

    if let Some(text) = entry(&["project", "requires-python"]).and_then(toml::Value::as_str)
        && let Some(target) = lowest(text)
    {
        return from(target, "pyproject.toml: requires-python", text);
    }
    if let Some(text) = read("setup.cfg").and_then(|cfg| setup_cfg_requires(&cfg))
        && let Some(target) = lowest(&text)
    {
        return from(target, "setup.cfg: python_requires", &text);
    }
    let poetry = entry(&["tool", "poetry", "dependencies", "python"]);
    let poetry = poetry.and_then(|value| match value {
        toml::Value::Table(table) => table.get("version")?.as_str(),
        value => value.as_str(),
    });
    if let Some(text) = poetry
        && let Some(target) = lowest_poetry(text)
    {
        return from(target, "pyproject.toml: poetry's python", text);
    }
    if let Some(text) = read("setup.py").and_then(|code| setup_py_requires(&code))
        && let Some(target) = lowest(&text)
    {
        return from(target, "setup.py: python_requires", &text);
    }
    None
}

/// The oldest supported minor version of which some release satisfies the specifiers.
fn lowest(specifiers: &str) -> Option<TargetPython> {
    let specifiers = VersionSpecifiers::from_str(specifiers).ok()?;
    if specifiers.is_empty() {
        return None;
    }
    TargetPython::all().find(|target| {
        (0..=40)
            .any(|patch| specifiers.contains(&Version::new([3, u64::from(target.minor()), patch])))
    })
}

/// Poetry's constraints: PEP 440 plus `^`, `~`, bare versions, wildcards and `||`.
fn lowest_poetry(constraint: &str) -> Option<TargetPython> {
    constraint
        .replace("||", "|")
        .split('|')
        .filter_map(|choice| {
            let clauses: Option<Vec<String>> = split_clauses(choice)
                .iter()
                .map(|clause| poetry_clause(clause))
                .collect();
            lowest(&clauses?.join(","))
        })
        .min()
}

/// `>= 3.8 , <4` and `>=3.8 <4` into `[">=3.8", "<4"]`.
fn split_clauses(text: &str) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        match clauses.last_mut() {
            // An operator that stood alone.
            Some(last) if !last.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '*') => {
                last.push_str(word);
            }
            _ => clauses.push(word.to_string()),
        }
    }
    clauses
}

fn poetry_clause(clause: &str) -> Option<String> {
    if clause == "*" {
        return Some(">=0".to_string());
    }
    let numbers = |text: &str| -> Option<Vec<u64>> {
        text.trim()
            .split('.')
            .map(|part| part.parse().ok())
            .collect()
    };
    if let Some(version) = clause.strip_prefix('^') {
        let parts = numbers(version)?;
        // Up to the next change of the leftmost number that is not zero.
        let place = parts
            .iter()
            .position(|part| *part != 0)
            .unwrap_or(parts.len() - 1);
        return Some(format!(
            ">={},<{}",
            version.trim(),
            next_after(&parts[..=place])
        ));
    }
    if let Some(version) = clause.strip_prefix('~').filter(|v| !v.starts_with('=')) {
        let parts = numbers(version)?;
        let fixed = parts.len().min(2);
        return Some(format!(
            ">={},<{}",
            version.trim(),
            next_after(&parts[..fixed])
        ));
    }
    if clause.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!("=={clause}"));
    }
    Some(clause.to_string())
}

fn next_after(parts: &[u64]) -> String {
    let mut parts = parts.to_vec();
    if let Some(last) = parts.last_mut() {
        *last += 1;
    }
    let parts: Vec<String> = parts.iter().map(u64::to_string).collect();
    parts.join(".")
}

/// `python_requires` in `[options]`, as Python's `configparser` reads it.
fn setup_cfg_requires(text: &str) -> Option<String> {
    let mut in_options = false;
    let mut value: Option<String> = None;
    for line in text.lines() {
        let code = line.trim();
        if code.starts_with(['#', ';']) {
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if let Some(value) = &mut value {
            if indented && !code.is_empty() {
                value.push(' ');
                value.push_str(code);
                continue;
            }
            break;
        }
        if !indented && let Some(section) = code.strip_prefix('[') {
            in_options = section.split(']').next()?.trim() == "options";
        } else if in_options
            && !indented
            && let Some((key, rest)) = code.split_once(['=', ':'])
            && matches!(
                key.trim().to_ascii_lowercase().replace('-', "_").as_str(),
                "python_requires"
            )
        {
            value = Some(rest.trim().to_string());
        }
    }
    value.filter(|value| !value.is_empty())
}

/// The string literal of a `python_requires=` or `'python_requires':`.
fn setup_py_requires(code: &str) -> Option<String> {
    let mut rest = code;
    while let Some(at) = rest.find("python_requires") {
        let line_start = rest[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let comment = rest[line_start..at].contains('#');
        rest = &rest[at + "python_requires".len()..];
        let value = rest.trim_start_matches(['\'', '"']).trim_start();
        let Some(value) = value.strip_prefix(['=', ':']).filter(|_| !comment) else {
            continue;
        };
        let value = value.trim_start();
        let Some(quote) = value.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            continue;
        };
        let Some((text, _)) = value[1..].split_once(quote) else {
            continue;
        };
        if !text.is_empty() {
            return Some(text.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo(files: &[(&str, &str)]) -> tempfile::TempDir {
        let repo = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = repo.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        repo
    }

    /// Resolves without flags and compares the serialised settings, as far as given.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: Result<&[(&str, &str)], &str>) -> Vec<String> {
        check_with(files, &Overrides::default(), expected)
    }

    #[track_caller]
    fn check_with(
        files: &[(&str, &str)],
        overrides: &Overrides,
        expected: Result<&[(&str, &str)], &str>,
    ) -> Vec<String> {
        let repo = repo(files);
        let mut overrides = overrides.clone();
        overrides.config = overrides.config.map(|path| repo.path().join(path));
        match (Settings::resolve(repo.path(), &overrides), expected) {
            (Ok(settings), Ok(expected)) => {
                let json = serde_json::to_value(&settings).unwrap();
                for (key, value) in expected {
                    assert_eq!(json[key].to_string(), *value, "{key}");
                }
                assert!(!json.to_string().contains(repo.path().to_str().unwrap()));
                settings.warnings
            }
            (Err(error), Err(expected)) => {
                assert_eq!(error.to_string(), expected);
                Vec::new()
            }
            (Ok(settings), Err(expected)) => panic!("{settings:?} instead of: {expected}"),
            (Err(error), Ok(_)) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn check_target(files: &[(&str, &str)], expected: Option<&str>) {
        let repo = repo(files);
        let target = requires_python(repo.path()).map(|target| target.to_string());
        assert_eq!(target.as_deref(), expected, "{files:?}");
    }

    #[test]
    fn every_key_has_a_default() {
        let repo = repo(&[]);
        let settings = Settings::resolve(repo.path(), &Overrides::default()).unwrap();
        assert_eq!(settings, Settings::default());
        assert_eq!(
            serde_json::to_string(&settings).unwrap(),
            r#"{"include":[],"exclude":[],"respect-gitignore":true,"target-python":null,"returns":"auto","runtime":"embed","rules":[],"full":false,"config-file":null,"target-python-from":null}"#
        );
    }

    #[test]
    fn every_key_is_read_from_every_file() {
        let keys = "include = ['a']\nexclude = ['b']\nextend-exclude = ['c/']\n\
                    respect-gitignore = false\ntarget-python = '3.9'\nreturns = 'inline'\n\
                    runtime = 'none'\nrules = ['ci/r.toml']\nfull = true\n";
        let table = format!("[tool.healc]\n{keys}");
        for (name, text) in [
            ("healc.toml", keys),
            (".healc.toml", keys),
            ("pyproject.toml", table.as_str()),
        ] {
            let warnings = check(
                &[(name, text)],
                Ok(&[
                    ("include", r#"["a"]"#),
                    ("exclude", r#"["b","c/"]"#),
                    ("respect-gitignore", "false"),
                    ("target-python", r#""3.9""#),
                    ("returns", r#""inline""#),
                    ("runtime", r#""none""#),
                    ("rules", r#"["ci/r.toml"]"#),
                    ("full", "true"),
                    ("config-file", &format!("\"{name}\"")),
                    ("target-python-from", &format!("\"{name}\"")),
                ]),
            );
            assert_eq!(warnings, [""; 0]);
        }
    }

    #[test]
    fn the_first_file_counts_and_the_others_are_mentioned() {
        let warnings = check(
            &[
                ("healc.toml", "\u{feff}full = true"),
                (".healc.toml", "nonsense = 1"),
                ("pyproject.toml", "[tool.healc]\nreturns = 'inline'"),
            ],
            Ok(&[("full", "true"), ("returns", r#""auto""#)]),
        );
        assert_eq!(warnings.len(), 2);
        assert_eq!(
            warnings[0],
            ".healc.toml is ignored, since healc.toml comes first; files are not merged"
        );
        let none = check(
            &[
                ("healc.toml", "full = true"),
                ("pyproject.toml", "[tool.black]\nx = 1"),
            ],
            Ok(&[("full", "true")]),
        );
        assert_eq!(none, [""; 0]);
    }

    #[test]
    fn flags_beat_the_file() {
        let files = [(
            "healc.toml",
            "include = ['a']\nexclude = ['b']\nextend-exclude = ['c']\nfull = true\n\
             target-python = '3.9'\nrules = ['r.toml']",
        )];
        let overrides = Overrides {
            include: vec!["A".to_string()],
            exclude: vec!["B".to_string()],
            extend_exclude: vec!["C".to_string()],
            full: Some(false),
            target_python: TargetPython::new(12),
            respect_gitignore: Some(false),
            rules: vec![PathBuf::from("mine/s.toml")],
            ..Overrides::default()
        };
        check_with(
            &files,
            &overrides,
            Ok(&[
                ("include", r#"["A"]"#),
                ("exclude", r#"["B","c","C"]"#),
                ("full", "false"),
                ("target-python", r#""3.12""#),
                ("target-python-from", r#""--target-python""#),
                ("respect-gitignore", "false"),
                ("rules", r#"["r.toml","mine/s.toml"]"#),
            ]),
        );
        let isolated = Overrides {
            isolated: true,
            ..Overrides::default()
        };
        check_with(
            &files,
            &isolated,
            Ok(&[("include", "[]"), ("config-file", "null")]),
        );
        let bad = Overrides {
            exclude: vec!["a[".to_string()],
            ..Overrides::default()
        };
        check_with(
            &files,
            &bad,
            Err("--exclude: pattern `a[`: unclosed character class; missing ']'"),
        );
    }

    #[test]
    fn a_named_file_counts_alone() {
        let files = [
            ("healc.toml", "full = true"),
            ("ci/strict.toml", "rules = ['r.toml']\ninclude = ['x']"),
            ("pyproject.toml", "[tool.black]"),
        ];
        let with = |name: &str| Overrides {
            config: Some(PathBuf::from(name)),
            ..Overrides::default()
        };
        check_with(
            &files,
            &with("ci/strict.toml"),
            Ok(&[
                ("full", "false"),
                ("include", r#"["x"]"#),
                ("rules", r#"["ci/r.toml"]"#),
                ("config-file", r#""ci/strict.toml""#),
            ]),
        );
        check_with(
            &files,
            &with("pyproject.toml"),
            Err("--config: pyproject.toml has no [tool.healc] table"),
        );
        check_with(
            &files,
            &with("no.toml"),
            Err("cannot read no.toml: No such file or directory (os error 2)"),
        );
    }

    #[test]
    fn errors_say_where_and_what_is_allowed() {
        let allowed = "allowed: include, exclude, extend-exclude, respect-gitignore, \
                       target-python, returns, runtime, rules, full";
        check(
            &[(
                "pyproject.toml",
                "[project]\nname = 'x'\n[tool.healc]\n inclde = ['a']",
            )],
            Err(&format!(
                "pyproject.toml:4:2: unknown key `inclde`; did you mean `include`? {allowed}"
            )),
        );
        check(
            &[("healc.toml", "respect_gitignore = true")],
            Err(&format!(
                "healc.toml:1:1: unknown key `respect_gitignore`; did you mean \
                 `respect-gitignore`? {allowed}"
            )),
        );
        check(
            &[("healc.toml", "zzz = true")],
            Err(&format!("healc.toml:1:1: unknown key `zzz`; {allowed}")),
        );
        check(
            &[("healc.toml", "returns = 'captur'")],
            Err(
                "healc.toml:1:11: unknown value `captur`; did you mean `capture`? allowed: auto, \
                 capture, inline",
            ),
        );
        check(
            &[("healc.toml", "full = 'yes'")],
            Err("healc.toml:1:8: invalid type: string \"yes\", expected a boolean"),
        );
        check(
            &[("healc.toml", "target-python = '3.5'")],
            Err("healc.toml:1:17: `3.5` is not a Python version that healc knows: 3.6 to 3.14"),
        );
        check(
            &[("healc.toml", "include = [\n  'ok',\n  '../x',\n]")],
            Err("healc.toml:3:3: pattern `../x`: `..` leads out of the repository"),
        );
        check(
            &[("healc.toml", "full = true\nfull = true")],
            Err("healc.toml:2:1: duplicate key"),
        );
    }

    #[test]
    fn a_broken_pyproject_stops_only_those_who_need_it() {
        let warnings = check(
            &[("pyproject.toml", "[project\nname = ")],
            Ok(&[("config-file", "null")]),
        );
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("pyproject.toml:1:"), "{warnings:?}");
        assert!(
            warnings[0].ends_with("; the file is ignored"),
            "{warnings:?}"
        );
        let repo = repo(&[("pyproject.toml", "[tool.healc]\nfull = true\n[project\n")]);
        assert!(Settings::resolve(repo.path(), &Overrides::default()).is_err());
        check(
            &[("pyproject.toml", "tool = 3")],
            Ok(&[("config-file", "null")]),
        );
        check(&[("pyproject.toml", "")], Ok(&[("config-file", "null")]));
    }

    #[test]
    fn the_fingerprint_is_about_effects() {
        let file = repo(&[("healc.toml", "target-python = '3.9'")]);
        let none = repo(&[]);
        let flag = Overrides {
            target_python: TargetPython::new(9),
            output: Some(PathBuf::from("/somewhere")),
            ..Overrides::default()
        };
        let by_file = Settings::resolve(file.path(), &Overrides::default()).unwrap();
        let by_flag = Settings::resolve(none.path(), &flag).unwrap();
        assert_eq!(by_file.fingerprint(), by_flag.fingerprint());
        assert_ne!(by_file.fingerprint(), Settings::default().fingerprint());
    }

    #[test]
    fn rule_files_are_loaded_and_named() {
        let repo = repo(&[
            ("healc.toml", "rules = ['a.toml', 'b.toml']"),
            (
                "a.toml",
                "[[exclude]]\nid = 'mine'\nwhy = 'w'\ndirs = ['gui']",
            ),
            (
                "b.toml",
                "[[exclude]]\nid = 'mine'\nwhy = 'w'\ndris = ['gui']",
            ),
        ]);
        let mut settings = Settings::resolve(repo.path(), &Overrides::default()).unwrap();
        let error = settings.load_rules().unwrap_err().to_string();
        assert!(error.starts_with("b.toml:4:1: unknown key `dris`; did you mean `dirs`?"));
        settings.rules.pop();
        assert!(
            settings
                .load_rules()
                .unwrap()
                .exclude_rule("mine")
                .is_some()
        );
        settings.rules[0].path = repo.path().join("gone.toml");
        assert!(
            settings
                .load_rules()
                .unwrap_err()
                .to_string()
                .starts_with("cannot read a.toml")
        );
    }

    #[test]
    fn targets_are_what_healc_supports() {
        for (text, expected) in [
            ("3.6", Some(6)),
            ("3.14", Some(14)),
            ("py38", Some(8)),
            ("py310", Some(10)),
            ("3.5", None),
            ("3.15", None),
            ("3", None),
            ("3.8.1", None),
            ("2.7", None),
            ("3.+8", None),
            ("", None),
        ] {
            let target: Option<TargetPython> = text.parse().ok();
            assert_eq!(target.map(TargetPython::minor), expected, "{text}");
        }
    }

    #[test]
    fn the_oldest_python_is_found_where_projects_say_it() {
        let project = |text: &str| format!("[project]\nrequires-python = '{text}'");
        for (specifier, expected) in [
            (">=3.8", Some("3.8")),
            (">=3.8.1", Some("3.8")),
            (">3.8", Some("3.8")),
            (">=2.7", Some("3.6")),
            (">=2.7, !=3.0.*, !=3.6.*, <4", Some("3.7")),
            ("==3.11.*", Some("3.11")),
            ("~=3.9", Some("3.9")),
            ("<3.8", Some("3.6")),
            ("==3.10.4", Some("3.10")),
            (">=3.15", None),
            (">=2.7,<3", None),
            ("", None),
            ("three", None),
        ] {
            check_target(&[("pyproject.toml", &project(specifier))], expected);
        }
        let poetry = |text: &str| format!("[tool.poetry.dependencies]\npython = {text}");
        for (constraint, expected) in [
            ("'^3.8'", Some("3.8")),
            ("'^3.8.1'", Some("3.8")),
            ("'~3.9'", Some("3.9")),
            ("'~3'", Some("3.6")),
            ("'~=3.9'", Some("3.9")),
            ("'>=3.7,<4.0'", Some("3.7")),
            ("'>= 3.7 < 4.0'", Some("3.7")),
            ("'3.10.*'", Some("3.10")),
            ("'3.10'", Some("3.10")),
            ("'*'", Some("3.6")),
            ("'^2.7 || ^3.9'", Some("3.9")),
            ("'~2.7 | ^3.5'", Some("3.6")),
            ("{ version = '^3.11' }", Some("3.11")),
            ("'^x'", None),
            ("'^'", None),
            ("3", None),
        ] {
            check_target(&[("pyproject.toml", &poetry(constraint))], expected);
        }
        let cfg = "[metadata]\npython_requires = >=3.12\n[options]\n# no\nname = x\n\
                   Python-Requires =\n    >=3.7,\n    !=3.7.*\npackages = find:\n";
        check_target(&[("setup.cfg", cfg)], Some("3.8"));
        check_target(
            &[(
                "setup.cfg",
                "[options]\npackages =\n  python_requires=>=3.9\n",
            )],
            None,
        );
        check_target(
            &[(
                "setup.py",
                "setup(\n  # python_requires='>=3.7'\n  python_requires = \">=3.9\",\n)",
            )],
            Some("3.9"),
        );
        check_target(
            &[("setup.py", "d = {'python_requires': '>=3.9'}")],
            Some("3.9"),
        );
        check_target(&[("setup.py", "python_requires=VERSION")], None);
        check_target(
            &[
                ("pyproject.toml", "[project]\nname = 'x'"),
                ("setup.cfg", "[options]\npython_requires = >=3.7"),
                ("setup.py", "python_requires='>=3.9'"),
            ],
            Some("3.7"),
        );
        check_target(
            &[
                ("pyproject.toml", "broken"),
                ("setup.py", "python_requires='>=3.9'"),
            ],
            Some("3.9"),
        );
        check_target(&[], None);
    }
}
