//! Rules are data: which paths are left alone, and which decorators protect a function.
//!
//! The built-in packs are `rules/exclude.toml` and `rules/decline.toml`. A user's pack is
//! the same TOML: it adds rules, replaces a rule by its id, switches one off
//! (`enabled = false`) or starts from nothing (`replace = true`). Packs are read
//! strictly: a key that means nothing is an error, with its place and a suggestion,
//! because a rule that silently does nothing is worse than none.
//!
//! This module sees text, never the disk. [`PathGlob`], the one glob syntax of the
//! whole tool, lives here because rules, settings and discovery share it.

use std::collections::HashMap;
use std::fmt;
use std::fmt::Write as _;
use std::path::PathBuf;

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::Spanned;

/// How much of a file the text matchers see.
pub const HEAD_BYTES: usize = 4096;

/// Rule ids that belong to discovery itself. They need the disk or the user's
/// settings, so a pack can neither define nor switch them off.
pub const BUILT_IN_IDS: [&str; 11] = [
    "exclude",
    "git-ignore",
    "healc",
    "healcignore",
    "hidden",
    "not-named",
    "not-utf8-name",
    "overlay",
    "special-file",
    "symlink",
    "unreadable-folder",
];

const EXCLUDE_PACK: &str = include_str!("../rules/exclude.toml");
const DECLINE_PACK: &str = include_str!("../rules/decline.toml");

/// Everything that is data about what to leave alone.
#[derive(Debug, Clone)]
pub struct Rules {
    /// In order of precedence: the first rule that matches is the one that is reported.
    pub exclude: Vec<ExcludeRule>,
    /// Decorators whose functions are left alone, by the name that an import resolves to.
    pub decorators: Vec<NameRule>,
    /// Calls whose functions are left alone.
    pub calls: Vec<NameRule>,
    matchers: Matchers,
}

/// One named reason to leave a path alone. It holds if any of its matchers does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcludeRule {
    pub id: String,
    pub why: String,
    /// Globs on a folder's name, compared without regard to ASCII case.
    pub dirs: Vec<String>,
    /// Globs on a file's name.
    pub files: Vec<String>,
    /// Globs on the path from the repository's root, see [`PathGlob`].
    pub paths: Vec<String>,
    /// Ends of file names.
    pub suffixes: Vec<String>,
    /// A folder that contains this path is the match.
    pub marker: Option<String>,
    /// Text in the comments that a file begins with.
    pub header: Vec<String>,
    /// Text anywhere in the first [`HEAD_BYTES`].
    pub content: Vec<String>,
    /// How the first line that is not blank begins.
    pub starts: Vec<String>,
    /// What saves a folder from this rule's `dirs`.
    pub unless: Option<Unless>,
    /// Only an include glob that spells the name out gets past this rule.
    pub firm: bool,
    /// These paths are not part of the repository, but come and go as tools run.
    pub transient: bool,
}

/// What saves a folder from a rule that goes by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unless {
    /// The folder holds an `__init__.py`.
    Package,
    /// The folder and the folder around it both hold an `__init__.py`.
    Subpackage,
}

/// Names in code because of which a function is left alone: of decorators that compile, or read
/// again, what they decorate, or of calls through which a function can see where its lines are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NameRule {
    pub id: String,
    pub why: String,
    /// Fully qualified dotted names, sorted.
    pub names: Vec<String>,
}

/// What is wrong in a TOML file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TomlError {
    pub file: String,
    /// Line and column, from 1, in characters.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for TomlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl TomlError {
    /// A problem at a byte offset of `text`.
    pub fn at(file: &str, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            file: file.to_string(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    /// What the TOML reader said, in our words where it has a choice to offer.
    pub fn read(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let offset = error.span().map_or(0, |span| span.start);
        Self::at(file, text, offset, choices(error.message()))
    }
}

/// Turns serde's ``unknown field `a`, expected one of `b`, `c` `` into a suggestion.
fn choices(message: &str) -> String {
    let what = if message.starts_with("unknown field ") {
        "unknown key"
    } else if message.starts_with("unknown variant ") {
        "unknown value"
    } else {
        return message.to_string();
    };
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(given) = quoted.next() else {
        return message.to_string();
    };
    let allowed: Vec<&str> = quoted.collect();
    let mut text = format!("{what} `{given}`");
    match nearest(given, allowed.iter().copied()) {
        Some(name) => {
            let _ = write!(text, "; did you mean `{name}`?");
        }
        None => text.push(';'),
    }
    let _ = write!(text, " allowed: {}", allowed.join(", "));
    text
}

/// The allowed name that was probably meant.
pub fn nearest<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase().replace('_', "-");
    allowed
        .into_iter()
        .map(|name| {
            (
                strsim::jaro_winkler(&given, &name.replace('_', "-")),
                strsim::osa_distance(&given, &name.replace('_', "-")),
                name,
            )
        })
        .filter(|(alike, apart, _)| *alike >= 0.86 || *apart <= 2)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)).then(b.2.cmp(a.2)))
        .map(|(_, _, name)| name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Pack {
    #[serde(default)]
    replace: bool,
    #[serde(default)]
    exclude: Vec<RawExclude>,
    #[serde(default)]
    decorator: Vec<RawNames>,
    #[serde(default)]
    call: Vec<RawNames>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawExclude {
    id: Spanned<String>,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    why: String,
    #[serde(default)]
    dirs: Vec<Spanned<String>>,
    #[serde(default)]
    files: Vec<Spanned<String>>,
    #[serde(default)]
    paths: Vec<Spanned<String>>,
    #[serde(default)]
    suffixes: Vec<Spanned<String>>,
    marker: Option<Spanned<String>>,
    #[serde(default)]
    header: Vec<Spanned<String>>,
    #[serde(default)]
    content: Vec<Spanned<String>>,
    #[serde(default)]
    starts: Vec<Spanned<String>>,
    unless: Option<Unless>,
    #[serde(default)]
    firm: bool,
    #[serde(default)]
    transient: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawNames {
    id: Spanned<String>,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    why: String,
    #[serde(default)]
    names: Vec<Spanned<String>>,
}

fn yes() -> bool {
    true
}

impl Rules {
    /// The packs that healc comes with.
    ///
    /// # Panics
    /// If an embedded pack is malformed, which a test rules out.
    pub fn builtin() -> Self {
        let mut exclude = Vec::new();
        let mut decorators = Vec::new();
        let mut calls = Vec::new();
        for (file, text) in Self::builtin_packs() {
            if let Err(error) = add_pack(&mut exclude, &mut decorators, &mut calls, file, text) {
                panic!("the built-in rules are malformed: {error}");
            }
        }
        Self::of(exclude, decorators, calls)
    }

    /// Name and text of the built-in packs, for users to read and copy from.
    pub fn builtin_packs() -> [(&'static str, &'static str); 2] {
        [
            ("rules/exclude.toml", EXCLUDE_PACK),
            ("rules/decline.toml", DECLINE_PACK),
        ]
    }

    /// `base` with a user's packs on top, in order. The paths only name files in errors.
    pub fn load(base: Self, extra_files: &[(PathBuf, String)]) -> Result<Self, TomlError> {
        let Self {
            mut exclude,
            mut decorators,
            mut calls,
            ..
        } = base;
        for (path, text) in extra_files {
            add_pack(
                &mut exclude,
                &mut decorators,
                &mut calls,
                &path.to_string_lossy(),
                text,
            )?;
        }
        Ok(Self::of(exclude, decorators, calls))
    }

    fn of(exclude: Vec<ExcludeRule>, decorators: Vec<NameRule>, calls: Vec<NameRule>) -> Self {
        let matchers = Matchers::new(&exclude);
        Self {
            exclude,
            decorators,
            calls,
            matchers,
        }
    }

    /// SHA-256, in hex, of what the rules say. Comments, layout and the order inside a
    /// list of matchers do not count; the order of rules does, since it decides which
    /// of them a path is reported under.
    pub fn fingerprint(&self) -> String {
        let text = serde_json::to_vec(&(
            "healc rules 1",
            &self.exclude,
            &self.decorators,
            &self.calls,
        ))
        .expect("rules are plain data");
        let mut hex = String::with_capacity(64);
        for byte in Sha256::digest(text) {
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }

    /// The rule of that id.
    pub fn exclude_rule(&self, id: &str) -> Option<&ExcludeRule> {
        self.exclude.iter().find(|rule| rule.id == id)
    }

    /// Rules that leave a folder alone by its name or path, in order. A rule with
    /// `unless` still has to be checked against the disk.
    pub fn for_folder(&self, names: &[&str]) -> Vec<&ExcludeRule> {
        let mut found = Vec::new();
        if let Some(name) = names.last() {
            self.matchers
                .dirs
                .find(&name.to_ascii_lowercase(), &mut found);
        }
        self.for_path(names, true, found)
    }

    /// Rules that leave a file alone by its name or path, in order.
    pub fn for_file(&self, names: &[&str]) -> Vec<&ExcludeRule> {
        let mut found = Vec::new();
        if let Some(name) = names.last() {
            self.matchers.files.find(name, &mut found);
        }
        self.for_path(names, false, found)
    }

    fn for_path(&self, names: &[&str], is_dir: bool, mut found: Vec<usize>) -> Vec<&ExcludeRule> {
        for (rule, glob) in &self.matchers.paths {
            if glob.matches(names, is_dir) {
                found.push(*rule);
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|rule| &self.exclude[rule]).collect()
    }

    /// Rules that know a folder by what it contains: a path below it, and the rule.
    pub fn markers(&self) -> impl Iterator<Item = (&str, &ExcludeRule)> {
        self.exclude
            .iter()
            .filter_map(|rule| Some((rule.marker.as_deref()?, rule)))
    }

    /// Whether [`Rules::for_text`] can answer anything.
    pub fn read_text(&self) -> bool {
        self.matchers.reads_text
    }

    /// The first rule that leaves a file alone by how it begins, with the text that did
    /// it. `head` is the first [`HEAD_BYTES`] of the file, or all of it.
    pub fn for_text(&self, head: &[u8]) -> Option<(&ExcludeRule, &str)> {
        let head = &head[..head.len().min(HEAD_BYTES)];
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let start = head.trim_ascii_start();
        let begins = self
            .matchers
            .starts
            .iter()
            .filter(|(_, text)| start.starts_with(text.as_bytes()))
            .map(|(rule, text)| (*rule, text.as_str()));
        let header = self.matchers.header.find(file_header(head));
        let content = self.matchers.content.find(head);
        begins
            .chain(header)
            .chain(content)
            .min_by_key(|(rule, _)| *rule)
            .map(|(rule, text)| (&self.exclude[rule], text))
    }
}

/// The blank lines and comments that a file begins with. A generator's own source holds
/// its banner too, but further down.
fn file_header(head: &[u8]) -> &[u8] {
    let mut end = 0;
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let code = line.trim_ascii();
        if !code.is_empty() && !code.starts_with(b"#") {
            break;
        }
        end += line.len();
    }
    &head[..end]
}

fn add_pack(
    exclude: &mut Vec<ExcludeRule>,
    decorators: &mut Vec<NameRule>,
    calls: &mut Vec<NameRule>,
    file: &str,
    text: &str,
) -> Result<(), TomlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let pack: Pack = toml::from_str(text).map_err(|error| TomlError::read(file, text, &error))?;
    let pack_reader = PackReader { file, text };
    if pack.replace {
        exclude.clear();
        decorators.clear();
        calls.clear();
    }
    let mut seen = Vec::new();
    for raw in pack.exclude {
        pack_reader.check_id(&raw.id, &mut seen)?;
        let place = exclude.iter().position(|rule| rule.id == *raw.id.as_ref());
        if !raw.enabled {
            let ids = exclude.iter().map(|rule| rule.id.as_str());
            let place = place.ok_or_else(|| pack_reader.no_such_rule(&raw.id, ids))?;
            exclude.remove(place);
            continue;
        }
        let rule = pack_reader.exclude(raw)?;
        match place {
            Some(place) => exclude[place] = rule,
            None => exclude.push(rule),
        }
    }
    for (named, raws) in [(decorators, pack.decorator), (calls, pack.call)] {
        let mut seen = Vec::new();
        for raw in raws {
            pack_reader.check_id(&raw.id, &mut seen)?;
            let place = named.iter().position(|rule| rule.id == *raw.id.as_ref());
            if !raw.enabled {
                let ids = named.iter().map(|rule| rule.id.as_str());
                let place = place.ok_or_else(|| pack_reader.no_such_rule(&raw.id, ids))?;
                named.remove(place);
                continue;
            }
            let rule = pack_reader.names(raw)?;
            match place {
                Some(place) => named[place] = rule,
                None => named.push(rule),
            }
        }
    }
    Ok(())
}

/// Checks what the grammar of a pack does not.
struct PackReader<'a> {
    file: &'a str,
    text: &'a str,
}

impl PackReader<'_> {
    fn at<T>(&self, place: &Spanned<T>, message: impl Into<String>) -> TomlError {
        TomlError::at(self.file, self.text, place.span().start, message)
    }

    fn check_id(&self, id: &Spanned<String>, seen: &mut Vec<String>) -> Result<(), TomlError> {
        let name: &str = id.as_ref();
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(kebab) {
            return Err(self.at(
                id,
                format!("rule id `{name}` must be lower-case letters, digits and `-`"),
            ));
        }
        if BUILT_IN_IDS.contains(&name) {
            return Err(self.at(
                id,
                format!("`{name}` is not a rule of a pack: healc decides it by itself"),
            ));
        }
        if seen.iter().any(|other| other == name) {
            return Err(self.at(id, format!("rule `{name}` is defined twice in this file")));
        }
        seen.push(name.to_string());
        Ok(())
    }

    fn no_such_rule<'a>(
        &self,
        id: &Spanned<String>,
        known: impl Iterator<Item = &'a str>,
    ) -> TomlError {
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let mut message = format!("no rule `{}` to switch off", id.as_ref());
        match nearest(id.as_ref(), known.iter().copied()) {
            Some(name) => {
                let _ = write!(message, "; did you mean `{name}`?");
            }
            None => message.push(';'),
        }
        let _ = write!(message, " known: {}", known.join(", "));
        self.at(id, message)
    }

    fn exclude(&self, raw: RawExclude) -> Result<ExcludeRule, TomlError> {
        for pattern in raw.dirs.iter().chain(&raw.files) {
            name_glob(pattern.as_ref()).map_err(|problem| self.at(pattern, problem))?;
        }
        for pattern in &raw.paths {
            PathGlob::new(pattern.as_ref()).map_err(|problem| self.at(pattern, problem))?;
        }
        for text in raw.header.iter().chain(&raw.content) {
            if text.as_ref().len() < 4 {
                return Err(self.at(
                    text,
                    "text to look for must have at least 4 bytes, or it matches by accident",
                ));
            }
        }
        for text in raw.starts.iter().chain(&raw.suffixes) {
            if text.as_ref().is_empty() || text.as_ref().trim_ascii_start() != text.as_ref() {
                return Err(self.at(text, "must not be empty or begin with white space"));
            }
        }
        if let Some(marker) = &raw.marker {
            let path: &str = marker.as_ref();
            if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
                return Err(self.at(
                    marker,
                    "must be a relative path below the folder, such as `pyvenv.cfg`",
                ));
            }
        }
        if raw.unless.is_some() && raw.dirs.is_empty() {
            return Err(self.at(&raw.id, "`unless` qualifies `dirs`, and there are none"));
        }
        let sorted = |list: Vec<Spanned<String>>| -> Vec<String> {
            let mut list: Vec<String> = list.into_iter().map(Spanned::into_inner).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let (id, id_span) = (raw.id.as_ref().clone(), raw.id);
        let rule = ExcludeRule {
            id,
            why: raw.why.trim().to_string(),
            dirs: sorted(raw.dirs),
            files: sorted(raw.files),
            paths: sorted(raw.paths),
            suffixes: sorted(raw.suffixes),
            marker: raw.marker.map(Spanned::into_inner),
            header: sorted(raw.header),
            content: sorted(raw.content),
            starts: sorted(raw.starts),
            unless: raw.unless,
            firm: raw.firm,
            transient: raw.transient,
        };
        if rule.why.is_empty() {
            return Err(self.at(&id_span, self.no_reason(&rule.id)));
        }
        let lists = [
            &rule.dirs,
            &rule.files,
            &rule.paths,
            &rule.suffixes,
            &rule.header,
            &rule.content,
            &rule.starts,
        ];
        if rule.marker.is_none() && lists.iter().all(|list| list.is_empty()) {
            return Err(self.at(
                &id_span,
                format!(
                    "rule `{}` matches nothing: give dirs, files, paths, suffixes, marker, \
                     header, content or starts",
                    rule.id
                ),
            ));
        }
        Ok(rule)
    }

    fn names(&self, raw: RawNames) -> Result<NameRule, TomlError> {
        for name in &raw.names {
            let text: &str = name.as_ref();
            let identifier = |part: &str| {
                let mut chars = part.chars();
                chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
                    && chars.all(|c| c.is_alphanumeric() || c == '_')
            };
            if !text.split('.').all(identifier) {
                return Err(self.at(
                    name,
                    format!("`{text}` is not a dotted name, such as `numba.njit`"),
                ));
            }
        }
        let mut names: Vec<String> = raw.names.into_iter().map(Spanned::into_inner).collect();
        names.sort_unstable();
        names.dedup();
        let id: &str = raw.id.as_ref();
        let why = raw.why.trim().to_string();
        if why.is_empty() {
            return Err(self.at(&raw.id, self.no_reason(id)));
        }
        if names.is_empty() {
            return Err(self.at(
                &raw.id,
                format!("rule `{id}` matches nothing: give `names`"),
            ));
        }
        Ok(NameRule {
            id: id.to_string(),
            why,
            names,
        })
    }

    fn no_reason(&self, id: &str) -> String {
        format!("rule `{id}` needs `why`: it is what the manifest says about each path")
    }
}

/// The rules' matchers, compiled. Numbers are places in `Rules::exclude`.
#[derive(Debug, Clone)]
struct Matchers {
    dirs: Names,
    files: Names,
    paths: Vec<(usize, PathGlob)>,
    header: Needles,
    content: Needles,
    starts: Vec<(usize, String)>,
    reads_text: bool,
}

impl Matchers {
    fn new(rules: &[ExcludeRule]) -> Self {
        let mut dirs = Vec::new();
        let mut files = Vec::new();
        let mut paths = Vec::new();
        let mut header = Vec::new();
        let mut content = Vec::new();
        let mut starts = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            dirs.extend(rule.dirs.iter().map(|g| (place, g.to_ascii_lowercase())));
            files.extend(rule.files.iter().map(|g| (place, g.clone())));
            files.extend(
                rule.suffixes
                    .iter()
                    .map(|suffix| (place, format!("*{}", globset::escape(suffix)))),
            );
            paths.extend(rule.paths.iter().map(|text| {
                let glob = PathGlob::new(text).expect("checked when the pack was read");
                (place, glob)
            }));
            header.extend(rule.header.iter().map(|text| (place, text.clone())));
            content.extend(rule.content.iter().map(|text| (place, text.clone())));
            starts.extend(rule.starts.iter().map(|text| (place, text.clone())));
        }
        Self {
            dirs: Names::new(&dirs),
            files: Names::new(&files),
            paths,
            reads_text: !(header.is_empty() && content.is_empty() && starts.is_empty()),
            header: Needles::new(header),
            content: Needles::new(content),
            starts,
        }
    }
}

/// Globs on one name, each with the rule that it belongs to.
#[derive(Debug, Clone)]
struct Names {
    set: GlobSet,
    rules: Vec<usize>,
}

impl Names {
    fn new(patterns: &[(usize, String)]) -> Self {
        let mut set = GlobSetBuilder::new();
        for (_, pattern) in patterns {
            set.add(glob(pattern).expect("checked when the pack was read"));
        }
        Self {
            set: set.build().expect("checked when the pack was read"),
            rules: patterns.iter().map(|(rule, _)| *rule).collect(),
        }
    }

    fn find(&self, name: &str, found: &mut Vec<usize>) {
        found.extend(self.set.matches(name).iter().map(|glob| self.rules[*glob]));
    }
}

/// Many texts looked for in one pass, by their first two bytes.
#[derive(Debug, Clone)]
struct Needles {
    texts: Vec<(usize, String)>,
    by_pair: HashMap<[u8; 2], Vec<usize>>,
    first: Box<[bool; 256]>,
}

impl Needles {
    fn new(texts: Vec<(usize, String)>) -> Self {
        let mut by_pair: HashMap<[u8; 2], Vec<usize>> = HashMap::new();
        let mut first = Box::new([false; 256]);
        for (place, (_, text)) in texts.iter().enumerate() {
            let bytes = text.as_bytes();
            first[usize::from(bytes[0])] = true;
            by_pair.entry([bytes[0], bytes[1]]).or_default().push(place);
        }
        Self {
            texts,
            by_pair,
            first,
        }
    }

    /// The text whose rule comes first, with that rule.
    fn find(&self, head: &[u8]) -> Option<(usize, &str)> {
        let mut best: Option<usize> = None;
        for (at, pair) in head.windows(2).enumerate() {
            if !self.first[usize::from(pair[0])] {
                continue;
            }
            let Some(places) = self.by_pair.get(pair) else {
                continue;
            };
            for &place in places {
                if best.is_none_or(|best| place < best)
                    && head[at..].starts_with(self.texts[place].1.as_bytes())
                {
                    best = Some(place);
                }
            }
        }
        best.map(|place| (self.texts[place].0, self.texts[place].1.as_str()))
    }
}

fn glob(pattern: &str) -> Result<globset::Glob, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| format!("pattern `{pattern}`: {}", error.kind()))
}

fn name_glob(pattern: &str) -> Result<globset::Glob, String> {
    if pattern.is_empty() {
        return Err("an empty pattern matches nothing".to_string());
    }
    if pattern.contains('/') {
        return Err(format!(
            "pattern `{pattern}` is for a name and cannot contain `/`; use `paths`"
        ));
    }
    glob(pattern)
}

/// A glob on a path from the repository's root, as everybody writes them:
///
/// * without a slash (or with one only at its end) it matches a name at any depth;
/// * with a slash it starts at the root: `src/*.py`, `/setup.py`;
/// * a slash at the end, or `/**`, makes it match folders only;
/// * `*`, `?` and `[a-z]` stay within a name, `{a,b}` are choices, `**` is any number of
///   folders.
///
/// What a match means for the things below a folder is up to the caller.
#[derive(Debug, Clone)]
pub struct PathGlob {
    text: String,
    parts: Vec<Part>,
    folder_only: bool,
}

#[derive(Debug, Clone)]
enum Part {
    AnyDepth,
    Name(String),
    Pattern {
        glob: Box<GlobMatcher>,
        has_letters: bool,
    },
}

/// How a glob gets into a folder, see [`PathGlob::reaches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Not at all, or only by a leading `**`.
    No,
    /// It may match below the folder.
    Pattern,
    /// The same, and it spells the folder's name out.
    Literal,
}

/// Where in its parts a glob can be after some names. Bit `n`: `n` parts are used up.
#[derive(Clone, Copy)]
struct States {
    all: u64,
    /// Those that have matched a name by something other than `**`.
    named: u64,
    /// Those that have just matched a name letter by letter.
    literal: u64,
}

impl PathGlob {
    /// # Errors
    /// A sentence that says what is wrong with the pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        let pattern = text.strip_prefix("./").unwrap_or(text);
        if pattern.trim_matches('/').is_empty() {
            return Err("an empty pattern matches nothing".to_string());
        }
        if pattern.starts_with('!') {
            return Err(format!(
                "pattern `{text}`: there is no negation; `include` brings back what a rule leaves out"
            ));
        }
        let mut folder_only = pattern.ends_with('/');
        let pattern = pattern.trim_end_matches('/');
        let anchored = pattern.contains('/');
        let mut names: Vec<&str> = pattern
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        if names.contains(&"..") {
            return Err(format!(
                "pattern `{text}`: `..` leads out of the repository"
            ));
        }
        while names.last() == Some(&"**") {
            names.pop();
            folder_only = true;
        }
        if names.is_empty() {
            names.push("*");
            folder_only = false;
        }
        let mut parts = Vec::new();
        if !anchored {
            parts.push(Part::AnyDepth);
        }
        for name in names {
            if name == "**" {
                if !matches!(parts.last(), Some(Part::AnyDepth)) {
                    parts.push(Part::AnyDepth);
                }
            } else if name.contains(['*', '?', '[', ']', '{', '}', '\\']) {
                let compiled = glob(name).map_err(|problem| {
                    if text.contains('/') && text.contains(['{', '[']) {
                        format!("{problem} (a slash inside braces or brackets is not supported)")
                    } else {
                        problem
                    }
                })?;
                parts.push(Part::Pattern {
                    glob: Box::new(compiled.compile_matcher()),
                    has_letters: name.contains(|c: char| c.is_alphanumeric() || c == '_'),
                });
            } else {
                parts.push(Part::Name(name.to_string()));
            }
        }
        if parts.len() > 60 {
            return Err(format!("pattern `{text}` has more than 60 folders"));
        }
        Ok(Self {
            text: text.to_string(),
            parts,
            folder_only,
        })
    }

    /// As the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether this very path matches.
    pub fn matches(&self, names: &[&str], is_dir: bool) -> bool {
        self.end(names).all & self.done() != 0 && (is_dir || !self.folder_only)
    }

    /// Whether this path, or a folder that it is in, matches.
    pub fn covers(&self, names: &[&str], is_dir: bool) -> bool {
        let mut states = self.start();
        for (place, name) in names.iter().enumerate() {
            let inner = place + 1 < names.len();
            states = self.step(states, name);
            if states.all & self.done() != 0 && (inner || is_dir || !self.folder_only) {
                return true;
            }
            if states.all == 0 {
                return false;
            }
        }
        false
    }

    /// Whether the file is matched by more than wildcards, so that it was meant.
    pub fn means_file(&self, names: &[&str]) -> bool {
        let meant = match self.parts.last() {
            Some(Part::Name(_)) => true,
            Some(Part::Pattern { has_letters, .. }) => *has_letters,
            _ => false,
        };
        meant && self.matches(names, false)
    }

    /// Whether something below this folder can match. A leading `**` does not lead into
    /// folders by itself: it would mean every folder there is.
    pub fn reaches(&self, names: &[&str]) -> Reach {
        let states = self.end(names);
        if states.literal != 0 {
            Reach::Literal
        } else if states.named != 0 || self.covers(names, true) {
            Reach::Pattern
        } else {
            Reach::No
        }
    }

    fn done(&self) -> u64 {
        1 << self.parts.len()
    }

    fn start(&self) -> States {
        States {
            all: self.close(1),
            named: 0,
            literal: 0,
        }
    }

    fn end(&self, names: &[&str]) -> States {
        let mut states = self.start();
        for name in names {
            states = self.step(states, name);
            if states.all == 0 {
                break;
            }
        }
        states
    }

    fn step(&self, from: States, name: &str) -> States {
        let (mut all, mut named, mut literal) = (0, 0, 0);
        for (place, part) in self.parts.iter().enumerate() {
            let here = 1 << place;
            if from.all & here == 0 {
                continue;
            }
            match part {
                Part::AnyDepth => {
                    all |= here;
                    named |= from.named & here;
                }
                Part::Name(text) if text == name => {
                    all |= here << 1;
                    named |= here << 1;
                    literal |= here << 1;
                }
                Part::Pattern { glob, .. } if glob.is_match(name) => {
                    all |= here << 1;
                    named |= here << 1;
                }
                Part::Name(_) | Part::Pattern { .. } => {}
            }
        }
        States {
            all: self.close(all),
            named: self.close(named),
            literal,
        }
    }

    /// `**` also matches no folder at all.
    fn close(&self, mut states: u64) -> u64 {
        for (place, part) in self.parts.iter().enumerate() {
            if matches!(part, Part::AnyDepth) && states & (1 << place) != 0 {
                states |= 1 << (place + 1);
            }
        }
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules with one pack on top, or the error.
    #[track_caller]
    fn check(pack: &str, expected: Result<&[&str], &str>) {
        let base = Rules::load(
            Rules::builtin(),
            &[(
                PathBuf::from("base.toml"),
                "replace = true\n[[exclude]]\nid = 'one'\nwhy = 'w'\ndirs = ['one']\n\
                 [[exclude]]\nid = 'two'\nwhy = 'w'\nfiles = ['two.py']\n\
                 [[decorator]]\nid = 'three'\nwhy = 'w'\nnames = ['a.b']\n"
                    .to_string(),
            )],
        )
        .unwrap();
        let result = Rules::load(base, &[(PathBuf::from("my.toml"), pack.to_string())]);
        match (result, expected) {
            (Ok(rules), Ok(expected)) => {
                let ids = rules.exclude.iter().map(|rule| &*rule.id);
                let ids: Vec<&str> = ids
                    .chain(rules.decorators.iter().map(|rule| &*rule.id))
                    .collect();
                assert_eq!(ids, expected);
            }
            (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
            (Ok(_), Err(expected)) => panic!("no error, but expected: {expected}"),
            (Err(error), Ok(_)) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn check_glob(glob: &str, matching: &[&str], others: &[&str]) {
        let glob = PathGlob::new(glob).unwrap();
        for (paths, expected) in [(matching, true), (others, false)] {
            for path in paths {
                let names: Vec<&str> = path.trim_end_matches('/').split('/').collect();
                let matches = glob.matches(&names, path.ends_with('/'));
                assert_eq!(matches, expected, "{} on {path}", glob.as_str());
            }
        }
    }

    #[track_caller]
    fn check_reach(glob: &str, folders: &[(&str, Reach)]) {
        let glob = PathGlob::new(glob).unwrap();
        for (folder, expected) in folders {
            let names: Vec<&str> = folder.split('/').collect();
            assert_eq!(
                glob.reaches(&names),
                *expected,
                "{} {folder}",
                glob.as_str()
            );
        }
    }

    #[track_caller]
    fn check_text(text: &str, expected: Option<&str>) {
        let rules = Rules::builtin();
        let found = rules.for_text(text.as_bytes());
        assert_eq!(found.map(|(rule, _)| &*rule.id), expected, "{text}");
    }

    #[test]
    fn packs_add_replace_and_switch_off() {
        check("", Ok(&["one", "two", "three"]));
        check(
            "[[exclude]]\nid = 'new'\nwhy = 'w'\nsuffixes = ['.x']",
            Ok(&["one", "two", "new", "three"]),
        );
        check(
            "[[exclude]]\nid = 'one'\nwhy = 'other'\nmarker = 'm'",
            Ok(&["one", "two", "three"]),
        );
        check(
            "[[exclude]]\nid = 'one'\nenabled = false",
            Ok(&["two", "three"]),
        );
        check(
            "[[decorator]]\nid = 'three'\nenabled = false",
            Ok(&["one", "two"]),
        );
        check("replace = true", Ok(&[]));
    }

    #[test]
    fn errors_say_where_and_what_is_allowed() {
        check(
            "[[exclude]]\nid = 'x'\n  dir = ['a']",
            Err(
                "my.toml:3:3: unknown key `dir`; did you mean `dirs`? allowed: id, enabled, why, \
                 dirs, files, paths, suffixes, marker, header, content, starts, unless, firm, transient",
            ),
        );
        check(
            "[[excludes]]\nid = 'x'",
            Err(
                "my.toml:1:3: unknown key `excludes`; did you mean `exclude`? allowed: replace, \
                 exclude, decorator, call",
            ),
        );
        check(
            "[[exclude]]\nid = 'x'\nunless = 'packages'",
            Err(
                "my.toml:3:10: unknown value `packages`; did you mean `package`? allowed: \
                 package, subpackage",
            ),
        );
        check(
            "[[exclude]]\nid = 'x'\nwhy = 'w'\nfiles = ['ok', 'a[']",
            Err("my.toml:4:16: pattern `a[`: unclosed character class; missing ']'"),
        );
        check(
            "[[exclude]]\nid = 'x'\nwhy = 'w'\ndirs = ['a/b']",
            Err("my.toml:4:9: pattern `a/b` is for a name and cannot contain `/`; use `paths`"),
        );
        check(
            "[[exclude]]\nid = 'onee'\nenabled = false",
            Err("my.toml:2:6: no rule `onee` to switch off; did you mean `one`? known: one, two"),
        );
        check(
            "[[exclude]]\nid = 'symlink'\nenabled = false",
            Err("my.toml:2:6: `symlink` is not a rule of a pack: healc decides it by itself"),
        );
        check(
            "[[exclude]]\nid = 'x'\nwhy = 'w'",
            Err(
                "my.toml:2:6: rule `x` matches nothing: give dirs, files, paths, suffixes, \
                 marker, header, content or starts",
            ),
        );
        check(
            "[[exclude]]\nid = 'x'\ndirs = ['x']",
            Err("my.toml:2:6: rule `x` needs `why`: it is what the manifest says about each path"),
        );
        check(
            "[[exclude]]\nid = 'x'\nwhy='w'\ndirs = ['x']\n[[exclude]]\nid = 'x'\nenabled=false",
            Err("my.toml:6:6: rule `x` is defined twice in this file"),
        );
        check(
            "[[decorator]]\nid = 'x'\nwhy='w'\nnames = ['numba.jit', 'numba jit']",
            Err("my.toml:4:23: `numba jit` is not a dotted name, such as `numba.njit`"),
        );
        check(
            "[[exclude]]\nid = 'Big One'\nwhy='w'",
            Err("my.toml:2:6: rule id `Big One` must be lower-case letters, digits and `-`"),
        );
        check(
            "[[exclude]]\nid = 'x'\nwhy = 'w'\nmarker = '../x'",
            Err("my.toml:4:10: must be a relative path below the folder, such as `pyvenv.cfg`"),
        );
        check(
            "[[exclude]]\nid = 'x'\nwhy = 'w'\ncontent = ['gen']",
            Err(
                "my.toml:4:12: text to look for must have at least 4 bytes, or it matches by \
                 accident",
            ),
        );
        check(
            "[[exclude]]\nid = 'ä'\nwhy = 3",
            Err("my.toml:3:7: invalid type: integer `3`, expected a string"),
        );
    }

    #[test]
    fn the_fingerprint_is_about_what_rules_say() {
        let with = |text: &str| {
            let pack = format!("replace = true\n{text}");
            Rules::load(Rules::builtin(), &[(PathBuf::from("p"), pack)])
                .unwrap()
                .fingerprint()
        };
        let plain = with("[[exclude]]\nid = 'x'\nwhy = 'w'\ndirs = ['b', 'a']");
        assert_eq!(plain.len(), 64);
        assert_eq!(
            plain,
            with("# note\n[[exclude]]\ndirs = [\n'a', \"b\", 'a']\nwhy = ' w '\nid='x'\n")
        );
        assert_ne!(
            plain,
            with("[[exclude]]\nid = 'x'\nwhy = 'w'\ndirs = ['b']")
        );
        assert_ne!(
            plain,
            with("[[exclude]]\nid = 'x'\nwhy = 'v'\ndirs = ['b', 'a']")
        );
        assert_eq!(
            Rules::builtin().fingerprint(),
            Rules::builtin().fingerprint()
        );
    }

    #[test]
    fn built_in_packs_are_in_order() {
        let rules = Rules::builtin();
        assert!(rules.exclude.len() > 20);
        let numba = rules.decorators.iter().find(|rule| rule.id == "numba");
        assert!(numba.unwrap().names.contains(&"numba.njit".to_string()));
        let mut names: Vec<&String> = rules.decorators.iter().flat_map(|r| &r.names).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "a decorator is listed twice");
    }

    #[test]
    fn globs_match_names_anywhere_and_paths_from_the_root() {
        check_glob(
            "a.py",
            &["a.py", "x/a.py", "x/y/a.py/"],
            &["a.pyc", "x/ba.py"],
        );
        check_glob("/a.py", &["a.py"], &["x/a.py"]);
        check_glob("./x/a.py", &["x/a.py"], &["y/x/a.py"]);
        check_glob("x/*.py", &["x/a.py"], &["x/y/a.py", "a.py", "z/x/a.py"]);
        check_glob(
            "x/**/a.py",
            &["x/a.py", "x/y/z/a.py"],
            &["a.py", "y/x/a.py"],
        );
        check_glob("**/x/*.py", &["x/a.py", "y/x/a.py"], &["x/y/a.py"]);
        check_glob("x/", &["x/", "y/x/"], &["x"]);
        check_glob("x/**", &["x/"], &["x", "y/x/", "x/a.py"]);
        check_glob("**", &["a.py", "x/", "x/a.py"], &[]);
        check_glob(
            "t{est,ests}_[ab]?",
            &["test_ab", "x/tests_bb"],
            &["test_a", "test_cb"],
        );
        check_glob("a b/ü*", &["a b/über.py"], &["a b/x"]);
    }

    #[test]
    fn folders_cover_what_is_in_them() {
        let covers = |glob: &str, path: &str| {
            let names: Vec<&str> = path.split('/').collect();
            PathGlob::new(glob).unwrap().covers(&names, false)
        };
        for glob in [
            "tests/", "tests/**", "tests", "**", "*", "tests/*", "**/unit",
        ] {
            assert!(covers(glob, "tests/unit/a.py"), "{glob}");
        }
        for glob in ["a.py/", "unit/*", "test", "/unit", "tests/*.py"] {
            assert!(!covers(glob, "tests/unit/a.py"), "{glob}");
        }
    }

    #[test]
    fn globs_lead_into_folders_from_their_first_name_on() {
        use Reach::{Literal, No, Pattern};
        check_reach(
            "tests/**",
            &[("tests", Literal), ("tests/x", Pattern), ("src", No)],
        );
        check_reach("*.py", &[("tests", No), ("x.py", Pattern)]);
        check_reach("**/a.py", &[("tests", No), ("tests/x", No)]);
        check_reach(
            "**/tests/a.py",
            &[("x", No), ("x/tests", Literal), ("tests/x", No)],
        );
        check_reach(
            "src/**/a.py",
            &[("src", Literal), ("src/x", Pattern), ("x", No)],
        );
        check_reach("te*/a.py", &[("tests", Pattern), ("tests/x", No)]);
        check_reach(
            ".venv/lib/*/a/**",
            &[(".venv/lib/python3.9", Pattern), (".venv", Literal)],
        );
    }

    #[test]
    fn bad_globs_are_explained() {
        for (glob, problem) in [
            ("", "an empty pattern matches nothing"),
            ("/", "an empty pattern matches nothing"),
            ("../x", "pattern `../x`: `..` leads out of the repository"),
            (
                "!x",
                "pattern `!x`: there is no negation; `include` brings back what a rule leaves out",
            ),
            (
                "{a/b,c}",
                "pattern `{a`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?) \
                 (a slash inside braces or brackets is not supported)",
            ),
        ] {
            assert_eq!(PathGlob::new(glob).unwrap_err(), problem);
        }
        let deep = vec!["x"; 70].join("/");
        assert!(PathGlob::new(&deep).is_err());
    }

    #[test]
    fn text_rules_look_where_generators_write() {
        let protoc = "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO \
                      NOT EDIT!\n# source: a.proto\nimport x\n";
        check_text(protoc, Some("generated"));
        check_text(&format!("\u{feff}\r\n\r\n{protoc}"), Some("generated"));
        check_text(
            "# Generated from Foo.g4 by ANTLR 4.7.2\n",
            Some("generated"),
        );
        check_text(
            "#!/usr/bin/python\n# file generated by setuptools_scm\n",
            Some("generated"),
        );
        check_text("\"\"\"Writes\n# DO NOT EDIT!\n\"\"\"\n", None);
        check_text("import os\n# DO NOT EDIT!\n", None);
        check_text(
            "T = '''\n# Generated by the protocol buffer compiler\n'''\n",
            None,
        );
        check_text(
            "# coding: utf-8\n\"\"\"\n    Generated by: https://openapi-generator.tech\n\"\"\"\n",
            Some("generated"),
        );
        check_text("\n{% if x %}\nimport y\n", Some("template"));
        check_text("NAME = '{{ cookiecutter.name }}'\n", Some("template"));
        check_text("\"\"\"\n{% for x in y %}\n\"\"\"\n", None);
        check_text("{'a': 1}\n", None);
        check_text("", None);
        check_text(&format!("{}# @generated\n", "#\n".repeat(HEAD_BYTES)), None);
    }
}
