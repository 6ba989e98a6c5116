//! What healc leaves on disk beside the code: site tables, source maps, the manifest.
//!
//! Lines count from 1 and columns from 0, in characters, in everything but source maps, which count
//! lines from 0 and columns in UTF-16 units, as ECMA-426 wants it. Nothing here depends on the
//! clock, the machine or absolute paths.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::{BuildHasherDefault, Hasher};

use ruff_python_ast::token::TokenKind;
use ruff_text_size::{Ranged, TextSize};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sourcemap::SourceMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::plan::{Plan, Site};
use crate::source::SourceFile;
use crate::splice::{RETURN_KEYWORD, Segment};

/// Version of every format below. A reader refuses another one.
pub const SCHEMA: u32 = 1;
/// The folder in an overlay (or, in place, in the repository) that holds these files.
pub const HEALC_DIR: &str = ".healc";
pub const MANIFEST: &str = ".healc/manifest.json";

pub fn sites_path(path: &str) -> String {
    format!("{HEALC_DIR}/sites/{path}.json")
}

pub fn map_path(path: &str) -> String {
    format!("{HEALC_DIR}/maps/{path}.map")
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Tells a damaged source map or site table from a sound one; their contents are proven elsewhere.
pub fn companions_xxh3(map: &[u8], sites: &[u8]) -> String {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    hash.update(&(map.len() as u64).to_le_bytes());
    hash.update(map);
    hash.update(sites);
    hex(&hash.digest().to_be_bytes())
}

pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(bytes, &mut text);
    text
}

fn push_hex(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for chunk in bytes.chunks(32) {
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(chunk) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        let digits = &digits[..chunk.len() * 2];
        text.push_str(str::from_utf8(digits).expect("digits are ASCII"));
    }
}

/// Starts of the lines of a text, for turning offsets into lines and columns.
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<u32>,
    ascii: bool,
    /// The line that was asked for last: the next one is mostly near.
    last: Cell<usize>,
}

impl<'a> LineIndex<'a> {
    pub fn new(text: &'a str) -> LineIndex<'a> {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 24 + 1);
        starts.push(0);
        if memchr::memchr(b'\r', bytes).is_none() {
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        } else {
            let ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
                .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
            starts.extend(ends.map(|at| at as u32 + 1));
        }
        LineIndex {
            text,
            starts,
            ascii: text.is_ascii(),
            last: Cell::new(0),
        }
    }

    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Line (from 0) and column (from 0, in characters).
    pub fn position(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        (line as u32, self.column(line, offset, char_count))
    }

    /// Line (from 0) and column (from 0, in UTF-16 units).
    fn position_utf16(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        (line as u32, self.column(line, offset, utf16_count))
    }

    fn line(&self, offset: u32) -> usize {
        let holds = |line: usize| {
            self.starts[line] <= offset
                && self.starts.get(line + 1).is_none_or(|next| offset < *next)
        };
        let last = self.last.get();
        let line = match (last..self.starts.len().min(last + 8)).find(|line| holds(*line)) {
            Some(line) => line,
            None => self.starts.partition_point(|start| *start <= offset) - 1,
        };
        self.last.set(line);
        line
    }

    fn column(&self, line: usize, offset: u32, count: fn(&str) -> u32) -> u32 {
        let start = self.starts[line];
        if self.ascii {
            return offset - start;
        }
        count(&self.text[start as usize..offset as usize])
    }

    /// Text of a line (from 0) without its line end.
    pub fn line_text(&self, line: u32) -> Option<&'a str> {
        let start = *self.starts.get(line as usize)? as usize;
        let end = self
            .starts
            .get(line as usize + 1)
            .map_or(self.text.len(), |next| *next as usize);
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// Offset of a line (from 0) and a column in UTF-16 units.
    pub fn offset_utf16(&self, line: u32, column: u32) -> Option<u32> {
        self.offset(line, column, |c| c.len_utf16() as u32)
    }

    /// Offset of a line (from 0) and a column in characters.
    pub fn offset_chars(&self, line: u32, column: u32) -> Option<u32> {
        self.offset(line, column, |_| 1)
    }

    fn offset(&self, line: u32, column: u32, width: fn(char) -> u32) -> Option<u32> {
        let start = *self.starts.get(line as usize)?;
        let end = self
            .starts
            .get(line as usize + 1)
            .map_or(self.text.len() as u32, |next| *next);
        if self.ascii {
            return (start + column <= end).then_some(start + column);
        }
        let mut seen = 0;
        for (at, c) in self.text[start as usize..end as usize].char_indices() {
            if seen >= column {
                return Some(start + at as u32);
            }
            seen += width(c);
        }
        (seen >= column).then_some(end)
    }
}

fn char_count(text: &str) -> u32 {
    text.chars().count() as u32
}

fn utf16_count(text: &str) -> u32 {
    // Characters of four bytes are two units.
    char_count(text) + text.bytes().filter(|byte| *byte >= 0xf0).count() as u32
}

// ---------------------------------------------------------------------------------- site tables

/// `.healc/sites/<path>.json`.
#[derive(Debug, Serialize, Deserialize)]
pub struct SiteTable {
    pub schema: u32,
    pub path: String,
    /// sha256 of the original file's bytes.
    pub source_sha256: String,
    /// sha256 of the instrumented file's bytes.
    pub output_sha256: String,
    pub sites: Vec<SiteRecord>,
    /// `try` statements of the original that enclose sites.
    pub tries: Vec<TryRecord>,
}

/// One site. Its index in the table is its dense id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SiteRecord {
    pub id: u32,
    /// XXH3 (128 bits) over kind, qualified name, normalised text and ordinal among twins.
    pub key: String,
    pub kind: String,
    pub form: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Qualified name of the function or class; absent at module level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Enclosing `try` statements whose body holds the site, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TryRecord {
    pub line: u32,
    pub end_line: u32,
    /// Text of each handler's type, in order; null for a bare `except:`.
    pub handlers: Vec<Option<String>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub star: bool,
}

/// The site table of one file, as text with one record a line.
pub fn site_table(
    path: &str,
    file: &SourceFile,
    plan: &Plan,
    index: &LineIndex,
    source_sha256: &str,
    output_sha256: &str,
) -> String {
    let keys = site_keys(file, plan);
    let mut out = String::with_capacity(plan.sites.len() * 220 + 512);
    let _ = writeln!(
        out,
        "{{\n\"schema\": {SCHEMA},\n\"path\": {},\n\"source_sha256\": \"{source_sha256}\",\n\"output_sha256\": \"{output_sha256}\",\n\"sites\": [",
        json_string(path)
    );
    let functions: Vec<String> = plan
        .functions
        .iter()
        .map(|name| json_string(name))
        .collect();
    let mut number = itoa::Buffer::new();
    for (id, (site, key)) in plan.sites.iter().zip(&keys).enumerate() {
        let (line, column) = index.position(site.range.start);
        let (end_line, end_column) = index.position(site.range.end);
        // By hand: most of what healc writes is written here.
        let mut field = |out: &mut String, name: &str, value: u32| {
            out.push_str(name);
            out.push_str(number.format(value));
        };
        field(&mut out, "{\"id\":", id as u32);
        out.push_str(",\"key\":\"");
        push_hex(key, &mut out);
        for part in [
            "\",\"kind\":\"",
            site.kind,
            "\",\"form\":\"",
            site.form.as_str(),
            "\"",
        ] {
            out.push_str(part);
        }
        field(&mut out, ",\"line\":", line + 1);
        field(&mut out, ",\"column\":", column);
        field(&mut out, ",\"end_line\":", end_line + 1);
        field(&mut out, ",\"end_column\":", end_column);
        if let Some(function) = site.function {
            out.push_str(",\"function\":");
            out.push_str(&functions[function as usize]);
        }
        let mut scope = site.in_try;
        if scope.is_some() {
            out.push_str(",\"tries\":[");
            while let Some(at) = scope {
                field(&mut out, "", at);
                scope = plan.tries[at as usize].outer;
                if scope.is_some() {
                    out.push(',');
                }
            }
            out.push(']');
        }
        out.push('}');
        out.push_str(if id + 1 < plan.sites.len() {
            ",\n"
        } else {
            "\n"
        });
    }
    out.push_str("],\n\"tries\": [");
    for (at, scope) in plan.tries.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        let record = TryRecord {
            line: index.position(scope.range.start).0 + 1,
            end_line: index.position(scope.range.end).0 + 1,
            handlers: scope
                .handlers
                .iter()
                .map(|range| {
                    let range = range.as_ref()?;
                    Some(file.text()[range.start as usize..range.end as usize].to_string())
                })
                .collect(),
            star: scope.is_star,
        };
        out.push_str(&serde_json::to_string(&record).expect("records serialise"));
    }
    out.push_str("\n]\n}\n");
    out
}

fn json_string(text: &str) -> String {
    serde_json::to_string(text).expect("strings serialise")
}

type Key = [u8; 16];

/// Keys are hashes already.
#[derive(Default)]
struct FirstBytes(u64);

impl Hasher for FirstBytes {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 = u64::from_ne_bytes(*first);
        }
    }

    fn write_usize(&mut self, _: usize) {}
}

/// The stable keys of all sites: they survive edits elsewhere in the file, and new layout.
fn site_keys(file: &SourceFile, plan: &Plan) -> Vec<Key> {
    let mut twins: HashMap<Key, u32, BuildHasherDefault<FirstBytes>> = HashMap::default();
    twins.reserve(plan.sites.len());
    let mut text = String::new();
    // Sites come in the order of the file.
    let mut token = 0;
    plan.sites
        .iter()
        .map(|site| {
            text.clear();
            let function = site
                .function
                .map_or("", |function| plan.functions[function as usize].as_str());
            for part in [site.kind, "\0", function, "\0"] {
                text.push_str(part);
            }
            normalised(file, site, &mut token, &mut text);
            let base = xxh3_128(text.as_bytes()).to_be_bytes();
            let twin = twins.entry(base).or_insert(0);
            let ordinal = *twin;
            *twin += 1;
            if ordinal == 0 {
                return base;
            }
            let mut both = [0; 20];
            both[..16].copy_from_slice(&base);
            both[16..].copy_from_slice(&ordinal.to_le_bytes());
            xxh3_128(&both).to_be_bytes()
        })
        .collect()
}

/// The header's tokens with single blanks between them, comments left out. `from` is a token at or
/// in front of it, and is led to its first one.
fn normalised(file: &SourceFile, site: &Site, from: &mut usize, text: &mut String) {
    let (start, end) = (
        TextSize::new(site.header.start),
        TextSize::new(site.header.end),
    );
    let tokens = &file.tokens()[*from..];
    let skipped = tokens.iter().take_while(|token| token.start() < start);
    let skipped = skipped.count();
    *from += skipped;
    for token in tokens[skipped..]
        .iter()
        .take_while(|token| token.start() < end)
    {
        match token.kind() {
            TokenKind::Comment
            | TokenKind::Newline
            | TokenKind::NonLogicalNewline
            | TokenKind::Indent
            | TokenKind::Dedent => {}
            _ => {
                text.push_str(file.slice(token.range()));
                text.push(' ');
            }
        }
    }
}

// ---------------------------------------------------------------------------------- source maps

/// The Source Map v3 of one file: copied text leads to the original, our text to nothing. The name
/// of a segment is the original keyword that ours took the place of.
pub fn source_map(
    path: &str,
    original: &LineIndex,
    output: &LineIndex,
    segments: &[Segment],
) -> Vec<u8> {
    let name = json_string(path);
    let mut mappings = Mappings::default();
    // Most segments are a line, of some four digits.
    let lines = output.line_count() + original.line_count();
    mappings.text.reserve(segments.len() * 4 + lines * 5 + 128);
    mappings.text.extend_from_slice(
        format!("{{\"version\":3,\"file\":{name},\"sources\":[{name}],\"names\":[\"{RETURN_KEYWORD}\"],\"mappings\":\"").as_bytes(),
    );
    let mut out_end = 0u32;
    for segment in segments {
        if segment.out > out_end {
            mappings.unmapped(output.position_utf16(out_end));
        }
        let (mut dst_line, dst_col) = output.position_utf16(segment.out);
        let (mut src_line, src_col) = original.position_utf16(segment.src);
        mappings.mapped((dst_line, dst_col), (src_line, src_col), !segment.is_copy());
        out_end = segment.out + segment.out_len;
        // A copied stretch goes on over line ends.
        while let Some(start) = output.starts.get(dst_line as usize + 1)
            && *start < out_end
        {
            dst_line += 1;
            src_line += 1;
            mappings.mapped((dst_line, 0), (src_line, 0), false);
        }
    }
    if (out_end as usize) < output.text.len() {
        mappings.unmapped(output.position_utf16(out_end));
    }
    mappings.text.extend_from_slice(b"\"}\n");
    mappings.text
}

/// Writes the `mappings` of a source map. By hand, for it is a good part of what a run costs; that
/// the `sourcemap` crate reads the same from it is a test, and what `healc verify` goes by.
#[derive(Default)]
struct Mappings {
    text: Vec<u8>,
    line: u32,
    /// The current line has a segment.
    follows: bool,
    dst_col: u32,
    src_line: u32,
    src_col: u32,
}

impl Mappings {
    fn begin(&mut self, (line, col): (u32, u32)) {
        while self.line < line {
            self.line += 1;
            self.text.push(b';');
            self.dst_col = 0;
            self.follows = false;
        }
        if self.follows {
            self.text.push(b',');
        }
        self.follows = true;
        self.number(col, self.dst_col);
        self.dst_col = col;
    }

    fn mapped(&mut self, dst: (u32, u32), src: (u32, u32), named: bool) {
        self.begin(dst);
        // The only source, and the only name.
        self.text.push(b'A');
        self.number(src.0, self.src_line);
        self.number(src.1, self.src_col);
        (self.src_line, self.src_col) = src;
        if named {
            self.text.push(b'A');
        }
    }

    fn unmapped(&mut self, dst: (u32, u32)) {
        self.begin(dst);
    }

    /// The difference to the one before, in base 64 with the sign in the lowest bit.
    fn number(&mut self, value: u32, before: u32) {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let difference = i64::from(value) - i64::from(before);
        let mut rest = difference.unsigned_abs() << 1 | u64::from(difference < 0);
        while rest > 31 {
            self.text.push(DIGITS[(rest & 31 | 32) as usize]);
            rest >>= 5;
        }
        self.text.push(DIGITS[rest as usize]);
    }
}

/// The segments that a map describes, so that an overlay file and its map give the original back.
/// `None` if the map does not fit the text.
pub fn segments_of(map: &SourceMap, output: &str) -> Option<Vec<Segment>> {
    let index = LineIndex::new(output);
    let tokens: Vec<_> = map.tokens().collect();
    let mut segments: Vec<Segment> = Vec::new();
    let mut src = 0u32;
    for (at, token) in tokens.iter().enumerate() {
        if !token.has_source() {
            continue;
        }
        let out = index.offset_utf16(token.get_dst_line(), token.get_dst_col())?;
        let end = match tokens.get(at + 1) {
            Some(next) => index.offset_utf16(next.get_dst_line(), next.get_dst_col())?,
            None => output.len() as u32,
        };
        let out_len = end.checked_sub(out)?;
        let named = token.get_name() == Some(RETURN_KEYWORD);
        let len = if named {
            RETURN_KEYWORD.len() as u32
        } else {
            out_len
        };
        segments.push(Segment {
            out,
            src,
            len,
            out_len,
        });
        src += len;
    }
    Some(segments)
}

/// The original text that an overlay file was made from.
pub fn original_text(output: &str, segments: &[Segment]) -> String {
    let mut text = String::with_capacity(output.len() / 2);
    for segment in segments {
        if segment.is_copy() {
            text.push_str(&output[segment.out as usize..(segment.out + segment.out_len) as usize]);
        } else {
            text.push_str(RETURN_KEYWORD);
        }
    }
    text
}

// ------------------------------------------------------------------------------------- manifest

/// `.healc/manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub schema: u32,
    pub tool: Tool,
    /// sha256 over the rules in force.
    pub rules: String,
    /// sha256 over the runtime's files.
    pub runtime: String,
    /// The resolved configuration.
    pub settings: serde_json::Value,
    pub totals: Totals,
    /// Python files that were looked at, by path.
    pub files: BTreeMap<String, FileEntry>,
    /// Paths that no file was looked at below, each with the rule that says so.
    pub left_alone: BTreeMap<String, LeftAlone>,
    /// Folders that hold a copy of the runtime (`""` is the root).
    pub runtime_in: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub files: usize,
    pub instrumented: usize,
    /// Files with nothing to wrap.
    pub unchanged: usize,
    pub skipped: usize,
    pub failed: usize,
    pub sites: u64,
    /// Statements left without a handler because one would be unsafe, by reason.
    pub declined: BTreeMap<String, u64>,
    /// Statements left alone because a rule or a comment says so.
    pub left_alone: BTreeMap<String, u64>,
}

impl Totals {
    pub fn of(files: &BTreeMap<String, FileEntry>) -> Totals {
        let mut totals = Totals {
            files: files.len(),
            ..Totals::default()
        };
        for entry in files.values() {
            match entry.state {
                State::Instrumented => totals.instrumented += 1,
                State::Unchanged => totals.unchanged += 1,
                State::Skipped => totals.skipped += 1,
                State::Failed => totals.failed += 1,
            }
            totals.sites += entry.sites;
            for declined in &entry.declined {
                let counts = match declined.by_choice {
                    true => &mut totals.left_alone,
                    false => &mut totals.declined,
                };
                *counts.entry(declined.reason.clone()).or_default() +=
                    u64::from(declined.statements);
            }
        }
        totals
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftAlone {
    pub rule: String,
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Rewritten; the overlay holds it.
    Instrumented,
    /// Nothing in it can raise; the overlay does not hold it.
    Unchanged,
    /// Left alone for the reason given.
    Skipped,
    /// A fault of healc's; left alone.
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub state: State,
    /// sha256 of the original; absent if the file could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
    /// XXH3 of the source map and the site table: whether a re-run may keep them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companions_xxh3: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The oldest Python that the file is valid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sites: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<DeclinedRecord>,
    /// Why the file was skipped, or what a note is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclinedRecord {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub reason: String,
    /// A rule or a comment says so; it is not that a handler would be unsafe.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_choice: bool,
    pub statements: u32,
}

/// Something to tell the user about a file. Line and column count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub code: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_readers_find_in_a_map_what_was_put_in() {
        let places = [
            ((0, 0), Some((0, 0))),
            ((0, 15), Some((1_000_000, 16))),
            ((0, 31), None),
            ((3, 4_000_000_000), Some((0, 4_000_000_000))),
            ((3, 4_000_000_001), Some((4_000_000_000, 0))),
        ];
        let mut mappings = Mappings::default();
        mappings.text.extend_from_slice(
            b"{\"version\":3,\"sources\":[\"a.py\"],\"names\":[\"return\"],\"mappings\":\"",
        );
        for (dst, src) in places {
            match src {
                Some(src) => mappings.mapped(dst, src, dst.1 == 15),
                None => mappings.unmapped(dst),
            }
        }
        mappings.text.extend_from_slice(b"\"}");
        let map = SourceMap::from_slice(&mappings.text).unwrap();
        let found: Vec<_> = map
            .tokens()
            .map(|token| {
                assert_eq!(token.has_name(), token.get_dst_col() == 15);
                let src = token.has_source().then_some(token.get_src());
                (token.get_dst(), src)
            })
            .collect();
        assert_eq!(found, places);
    }
}
