//! One Python file, decoded and parsed: the facts that passes and the splice need.
//!
//! A [`SourceFile`] cannot exist with a syntax error in it. All offsets are byte offsets into
//! [`SourceFile::text`], which is UTF-8 without a byte order mark; [`Decoded`] leads them back to
//! the file's own bytes. This module knows nothing of rules, edits or the disk.

use std::ops::Range;

use ruff_python_ast::token::{Token, TokenKind, Tokens};
use ruff_python_ast::{ModModule, PythonVersion, Stmt};
use ruff_python_parser::{
    Mode, ParseOptions, Parsed, UnsupportedSyntaxError, UnsupportedSyntaxErrorKind, parse_unchecked,
};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::config::TargetPython;
use crate::encoding::{DecodeError, Decoded};
use crate::semantics;

/// The one name that emitted code uses. It lives in `builtins`.
pub const HOOK: &str = "__eh__";
/// The local of the published return form, and the word that healing code uses.
pub const RETURN_NAME: &str = "_eh_rtn";
/// The package that emitted code imports.
pub const RUNTIME: &str = "_eh_runtime";
/// What marks the first line of the preamble, and so a file that healc wrote.
pub const MARKER: &str = "# healc: instrumented";

/// So many brackets inside each other leave the old parser of 3.6 and 3.7 no room for wrappers.
pub const DEEP_BRACKETS: u32 = 50;

/// A logical line or a comment on a line of its own, at bracket depth zero.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Start of its first physical line.
    pub start: u32,
    /// Its first character that is not blank (for a leading backslash: the backslash).
    pub first: u32,
    /// Its first token.
    pub token: u32,
    /// Just after its line end (the end of the file if it has none).
    pub end: u32,
    /// It has a line end that counts (not the end of the file, nor a continuation before it).
    pub terminated: bool,
    pub is_comment: bool,
}

/// A physical line whose blanks may grow without a change of meaning: the start of a [`Line`], or a
/// continuation (in brackets, or behind a backslash) that does not begin within a string.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub start: u32,
    /// Its first character that is not blank.
    pub first: u32,
    /// Index of the line that it belongs to.
    pub line: u32,
    pub kind: RowKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    Logical,
    Comment,
    Continuation,
}

/// A file that was read and understood.
pub struct SourceFile {
    pub decoded: Decoded,
    pub parsed: Parsed<ModModule>,
    /// Logical lines and own-line comments, in order.
    pub lines: Vec<Line>,
    /// All physical lines that can be indented, in order.
    pub rows: Vec<Row>,
    /// Comments that talk to healc.
    pub switches: Vec<Switch>,
    /// The line end that inserted lines use.
    pub newline: &'static str,
    /// One level of indentation, as the file writes it.
    pub indent: String,
    /// The file names something that can see locals, frames or code objects.
    pub introspects: bool,
    /// The file has a `nonlocal` statement.
    pub has_nonlocal: bool,
    /// Offsets of `yield` tokens.
    pub yields: Vec<u32>,
    /// Offsets of brackets that open [`DEEP_BRACKETS`] levels deep.
    pub deep_brackets: Vec<u32>,
    /// The file itself uses the name `_eh_rtn`.
    pub uses_return_name: bool,
    /// `from __future__ import annotations`.
    pub future_annotations: bool,
    /// The lowest version whose grammar takes the file, or the version asked for if that is higher.
    pub target: TargetPython,
}

/// A comment such as `# healc: skip`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    pub kind: SwitchKind,
    pub at: u32,
    /// The comment stands on a line of its own.
    pub own_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchKind {
    SkipFile,
    Off,
    On,
    Skip,
    Unknown,
}

/// Why a file is left as it is.
#[derive(Debug)]
pub enum Skip {
    Decode(DecodeError),
    Syntax {
        line: u32,
        column: u32,
        message: String,
    },
    NewerSyntax {
        line: u32,
        column: u32,
        message: String,
    },
    AlreadyInstrumented {
        line: u32,
    },
    NameClash {
        line: u32,
        column: u32,
        name: String,
    },
    TooLarge {
        bytes: usize,
    },
    SkipFile {
        line: u32,
    },
}

impl Skip {
    /// A short identifier for summaries and the manifest.
    pub fn code(&self) -> &'static str {
        match self {
            Skip::Decode(_) => "undecodable",
            Skip::Syntax { .. } => "syntax-error",
            Skip::NewerSyntax { .. } => "newer-syntax",
            Skip::AlreadyInstrumented { .. } => "already-instrumented",
            Skip::NameClash { .. } => "name-clash",
            Skip::TooLarge { .. } => "too-large",
            Skip::SkipFile { .. } => "skip-file",
        }
    }

    /// Line and column (both from 1, columns in characters) and the message.
    pub fn describe(&self) -> (u32, u32, String) {
        match self {
            Skip::Decode(error) => (
                error.line() as u32,
                error.column() as u32,
                error.to_string(),
            ),
            Skip::Syntax {
                line,
                column,
                message,
            }
            | Skip::NewerSyntax {
                line,
                column,
                message,
            } => (*line, *column, message.clone()),
            Skip::AlreadyInstrumented { line } => (
                *line,
                1,
                "already instrumented; instrument the original repository, not an overlay".into(),
            ),
            Skip::NameClash { line, column, name } => (
                *line,
                *column,
                format!(
                    "the file uses `{name}`, a name that instrumented code needs; rename it or exclude the file"
                ),
            ),
            Skip::TooLarge { bytes } => (
                1,
                1,
                format!(
                    "file of {bytes} bytes is larger than the 1 GiB that can be handled; exclude it"
                ),
            ),
            Skip::SkipFile { line } => (*line, 1, "left alone by `# healc: skip-file`".into()),
        }
    }
}

/// Names through which a program can see its own locals, frames or code.
const INTROSPECTION: &[&str] = &[
    "ag_frame",
    "cgitb",
    "co_code",
    "co_cellvars",
    "co_consts",
    "co_names",
    "co_nlocals",
    "co_varnames",
    "cr_frame",
    "currentframe",
    "dir",
    "eval",
    "exc_info",
    "exec",
    "f_back",
    "f_locals",
    "f_trace",
    "format_exc",
    "func_code",
    "__code__",
    "__traceback__",
    "_getframe",
    "_current_frames",
    "gc",
    "get_objects",
    "get_referrers",
    "getargvalues",
    "getframe",
    "getinnerframes",
    "getouterframes",
    "getrefcount",
    "gi_frame",
    "inspect",
    "locals",
    "setprofile",
    "settrace",
    "stack",
    "tb_frame",
    "trace",
    "traceback",
    "vars",
    "weakref",
];

/// Which combinations of length and first letter the names above have: almost every name of a
/// program is told apart by that.
const INTROSPECTION_SHAPES: [u32; 128] = {
    let mut shapes = [0; 128];
    let mut i = 0;
    while i < INTROSPECTION.len() {
        let name = INTROSPECTION[i].as_bytes();
        shapes[name[0] as usize] |= 1 << name.len();
        i += 1;
    }
    shapes
};

fn is_introspection(name: &str) -> bool {
    let first = name.as_bytes()[0];
    first < 128
        && name.len() < 32
        && INTROSPECTION_SHAPES[first as usize] & (1 << name.len()) != 0
        && INTROSPECTION.contains(&name)
}

impl SourceFile {
    /// Decodes and parses `bytes`. `target` is what the user asked for, if anything.
    pub fn parse(bytes: Vec<u8>, target: Option<TargetPython>) -> Result<SourceFile, Skip> {
        if bytes.len() > 1 << 30 {
            return Err(Skip::TooLarge { bytes: bytes.len() });
        }
        let decoded = Decoded::decode(bytes).map_err(Skip::Decode)?;
        let text = decoded.text();
        // The parser skips one more byte order mark than CPython does.
        if text.starts_with('\u{feff}') {
            return Err(Skip::Syntax {
                line: 1,
                column: 1,
                message: "syntax error: a second byte order mark".into(),
            });
        }
        let asked = target.unwrap_or(TargetPython::OLDEST);
        let options = ParseOptions::from(Mode::Module).with_target_version(version(asked));
        let parsed = parse_unchecked(text, options)
            .try_into_module()
            .expect("module mode yields a module");
        if let Some(error) = parsed.errors().first() {
            let (line, column) = position(text, error.location.start());
            return Err(Skip::Syntax {
                line,
                column,
                message: syntax_message(text, error.location, &error.error.to_string()),
            });
        }
        let mut lowest = asked;
        for error in parsed.unsupported_syntax_errors() {
            match needed_version(&error.to_string()) {
                // Without a target the file decides, as long as any version takes it.
                Some(needed) if target.is_none() => lowest = lowest.max(needed),
                _ => return Err(newer_syntax(text, error)),
            }
        }
        // What no interpreter that healc knows runs is not for it to touch unasked.
        if target.is_none() && lowest == TargetPython::NEWEST {
            return Err(newer_syntax(text, &parsed.unsupported_syntax_errors()[0]));
        }
        let body = &parsed.syntax().body;
        let deferred = future_annotations(body);
        let judged = version(target.unwrap_or(TargetPython::NEWEST));
        if let Some((range, message)) = semantics::first_error(text, body, judged, deferred) {
            let (line, column) = position(text, range.start());
            return Err(Skip::Syntax {
                line,
                column,
                message: format!("syntax error: {message}"),
            });
        }
        let facts = Facts::scan(text, parsed.tokens())?;
        Ok(SourceFile {
            lines: facts.lines,
            rows: facts.rows,
            switches: facts.switches,
            newline: facts.newline,
            indent: facts.indent,
            introspects: facts.introspects,
            has_nonlocal: facts.has_nonlocal,
            yields: facts.yields,
            deep_brackets: facts.deep_brackets,
            uses_return_name: facts.uses_return_name,
            target: lowest,
            future_annotations: deferred,
            parsed,
            decoded,
        })
    }

    pub fn text(&self) -> &str {
        self.decoded.text()
    }

    pub fn body(&self) -> &[Stmt] {
        &self.parsed.syntax().body
    }

    pub fn tokens(&self) -> &Tokens {
        self.parsed.tokens()
    }

    /// Index into [`SourceFile::lines`] of the line that holds `offset`.
    pub fn line_at(&self, offset: u32) -> usize {
        self.lines.partition_point(|line| line.end <= offset)
    }

    /// The blanks between a line's start and its first character, without what a form feed cancels.
    pub fn indentation(&self, start: u32, first: u32) -> Range<usize> {
        let blanks = &self.text()[start as usize..first as usize];
        let feed = blanks.bytes().rposition(|byte| byte == 0x0c);
        let skip = feed.map_or(0, |at| at + 1);
        start as usize + skip..first as usize
    }

    pub fn slice(&self, range: TextRange) -> &str {
        &self.text()[range]
    }
}

pub fn version(target: TargetPython) -> PythonVersion {
    PythonVersion {
        major: 3,
        minor: target.minor(),
    }
}

/// Line and column of an offset, both from 1, the column in characters.
pub fn position(text: &str, at: TextSize) -> (u32, u32) {
    let at = (at.to_usize()).min(text.len());
    let (mut line, mut start) = (1, 0);
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < at {
        match bytes[i] {
            b'\n' => (line, start) = (line + 1, i + 1),
            b'\r' if bytes.get(i + 1) != Some(&b'\n') => (line, start) = (line + 1, i + 1),
            _ => {}
        }
        i += 1;
    }
    let column = text
        .get(start..at)
        .map_or(at - start, |s| s.chars().count());
    (line, column as u32 + 1)
}

fn future_annotations(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::ImportFrom(import) => {
            import.level == 0
                && import.module.as_deref() == Some("__future__")
                && import
                    .names
                    .iter()
                    .any(|alias| alias.name.as_str() == "annotations")
        }
        _ => false,
    })
}

/// The parser's word on a version: "... (syntax was added in Python 3.10)".
fn needed_version(message: &str) -> Option<TargetPython> {
    let (_, rest) = message.rsplit_once("added in Python ")?;
    let digits: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    digits.parse().ok()
}

fn newer_syntax(text: &str, error: &UnsupportedSyntaxError) -> Skip {
    let (line, column) = position(text, error.range.start());
    let mut message = error.to_string();
    if let Some(needed) = needed_version(&message) {
        message += &format!("; pass --target-python {needed} if that is what runs it");
    }
    if error.kind == UnsupportedSyntaxErrorKind::UnparenthesizedExceptionTypes {
        message = format!("Python 2's `except Type, name`, or: {message}");
    }
    Skip::NewerSyntax {
        line,
        column,
        message,
    }
}

/// A Python 2 file deserves to be called one.
fn syntax_message(text: &str, at: TextRange, message: &str) -> String {
    let start = text[..at.start().to_usize()]
        .rfind(['\n', '\r'])
        .map_or(0, |i| i + 1);
    let line = text[start..].lines().next().unwrap_or("").trim_start();
    let python2 = line.starts_with("print ")
        || line.starts_with("exec ")
        || line.starts_with("raise ") && line.contains(',')
        || line.starts_with("except ") && line.contains(',')
        || line.contains("<>")
        || line.contains('`');
    if python2 {
        format!("Python 2 syntax: {message}")
    } else {
        format!("syntax error: {message}")
    }
}

#[derive(Default)]
struct Facts {
    lines: Vec<Line>,
    rows: Vec<Row>,
    switches: Vec<Switch>,
    newline: &'static str,
    indent: String,
    introspects: bool,
    has_nonlocal: bool,
    yields: Vec<u32>,
    deep_brackets: Vec<u32>,
    uses_return_name: bool,
}

impl Facts {
    /// One pass over the tokens.
    fn scan(text: &str, tokens: &Tokens) -> Result<Facts, Skip> {
        let mut facts = Facts {
            newline: first_newline(text),
            ..Facts::default()
        };
        // Where the current line starts, and its first token.
        let mut start = 0u32;
        let mut first: Option<u32> = None;
        let mut depth = 0u32;
        // Interpolated strings around the current token: nothing in them may move.
        let mut in_string = 0u32;
        // Starts of continuations of the current line.
        let mut continued: Vec<u32> = Vec::new();
        let mut previous_end = 0u32;
        let end_of_text = text.len() as u32;
        for token in tokens.iter() {
            let (kind, range) = token.as_tuple();
            let gap = previous_end as usize..range.start().to_usize();
            previous_end = range.end().to_u32();
            if gap.len() > 1 && first.is_some() && in_string == 0 {
                behind_backslashes(text, gap, &mut continued);
            }
            match kind {
                TokenKind::Newline => {
                    if let Some(first) = first.take() {
                        facts.push(
                            text,
                            start,
                            first,
                            range.end().to_u32(),
                            !range.is_empty(),
                            false,
                        );
                        facts.push_continuations(text, &mut continued);
                    }
                    start = range.end().to_u32();
                    depth = 0;
                }
                TokenKind::NonLogicalNewline => {
                    if depth == 0 && first.is_none() {
                        start = range.end().to_u32();
                    } else if in_string == 0 {
                        continued.push(range.end().to_u32());
                    }
                }
                TokenKind::Comment => {
                    let own_line = depth == 0 && first.is_none();
                    facts.comment(text, *token, own_line)?;
                    if own_line {
                        let at = range.start().to_u32();
                        let end = line_end(text, range.end().to_u32());
                        facts.push(text, start, at, end, true, true);
                    }
                }
                TokenKind::Indent => {
                    if facts.indent.is_empty() {
                        let blanks = &text[start as usize..range.end().to_usize()];
                        let feed = blanks.bytes().rposition(|byte| byte == 0x0c);
                        let blanks = &blanks[feed.map_or(0, |at| at + 1)..];
                        if !blanks.contains('\\') {
                            facts.indent = blanks.to_string();
                        }
                    }
                }
                TokenKind::Dedent | TokenKind::EndOfFile => {}
                _ => {
                    if first.is_none() {
                        first = Some(range.start().to_u32());
                    }
                    match kind {
                        TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                            depth += 1;
                            if depth == DEEP_BRACKETS {
                                facts.deep_brackets.push(range.start().to_u32());
                            }
                        }
                        TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                            depth = depth.saturating_sub(1);
                        }
                        TokenKind::FStringStart | TokenKind::TStringStart => in_string += 1,
                        TokenKind::FStringEnd | TokenKind::TStringEnd => {
                            in_string = in_string.saturating_sub(1);
                        }
                        TokenKind::Nonlocal => facts.has_nonlocal = true,
                        TokenKind::Yield => facts.yields.push(range.start().to_u32()),
                        TokenKind::Name => facts.name(text, range)?,
                        _ => {}
                    }
                }
            }
        }
        if let Some(first) = first {
            facts.push(text, start, first, end_of_text, false, false);
            facts.push_continuations(text, &mut continued);
        }
        if facts.indent.is_empty() {
            facts.indent = "    ".into();
        }
        Ok(facts)
    }

    fn push(
        &mut self,
        text: &str,
        start: u32,
        token: u32,
        end: u32,
        terminated: bool,
        is_comment: bool,
    ) {
        // A line can begin with a backslash continuation, whose blanks are the indentation.
        let lead = &text.as_bytes()[start as usize..token as usize];
        let first = lead
            .iter()
            .position(|b| *b == b'\\')
            .map_or(token, |i| start + i as u32);
        self.rows.push(Row {
            start,
            first,
            line: self.lines.len() as u32,
            kind: if is_comment {
                RowKind::Comment
            } else {
                RowKind::Logical
            },
        });
        self.lines.push(Line {
            start,
            first,
            token,
            end,
            terminated,
            is_comment,
        });
    }

    /// Continuations of the line that was pushed last.
    fn push_continuations(&mut self, text: &str, starts: &mut Vec<u32>) {
        let line = self.lines.len() as u32 - 1;
        for start in starts.drain(..) {
            let rest = &text.as_bytes()[start as usize..];
            let blanks = rest
                .iter()
                .take_while(|b| matches!(b, b' ' | b'\t' | b'\x0c'))
                .count();
            // An empty line stays empty.
            if rest
                .get(blanks)
                .is_some_and(|b| !matches!(b, b'\n' | b'\r'))
            {
                self.rows.push(Row {
                    start,
                    first: start + blanks as u32,
                    line,
                    kind: RowKind::Continuation,
                });
            }
        }
    }

    fn name(&mut self, text: &str, range: TextRange) -> Result<(), Skip> {
        let name = &text[range];
        match name {
            HOOK | RUNTIME => {
                let (line, column) = position(text, range.start());
                // Our own preamble is recognised by its marker, whatever else is in the file.
                if text.contains(MARKER) {
                    return Err(Skip::AlreadyInstrumented { line });
                }
                return Err(Skip::NameClash {
                    line,
                    column,
                    name: name.to_string(),
                });
            }
            RETURN_NAME => self.uses_return_name = true,
            _ => {
                if !self.introspects && is_introspection(name) {
                    self.introspects = true;
                }
            }
        }
        Ok(())
    }

    fn comment(&mut self, text: &str, token: Token, own_line: bool) -> Result<(), Skip> {
        let comment = &text[token.range()];
        let Some(word) = comment
            .trim_start_matches('#')
            .trim_start()
            .strip_prefix("healc:")
        else {
            return Ok(());
        };
        let word = word.trim();
        let kind = match word.split_whitespace().next().unwrap_or("") {
            "skip-file" => {
                let (line, _) = position(text, token.start());
                return Err(Skip::SkipFile { line });
            }
            "off" => SwitchKind::Off,
            "on" => SwitchKind::On,
            "skip" => SwitchKind::Skip,
            "instrumented" => return Ok(()),
            _ => SwitchKind::Unknown,
        };
        self.switches.push(Switch {
            kind,
            at: token.start().to_u32(),
            own_line,
        });
        Ok(())
    }
}

/// Adds the starts of lines that backslashes in `gap` lead to. Between two tokens of a line there is
/// nothing else than blanks and backslashes.
fn behind_backslashes(text: &str, gap: Range<usize>, starts: &mut Vec<u32>) {
    let bytes = text.as_bytes();
    let mut at = gap.start;
    while at + 1 < gap.end {
        if bytes[at] == b'\\' {
            let crlf = bytes[at + 1] == b'\r' && bytes.get(at + 2) == Some(&b'\n');
            at += 2 + usize::from(crlf);
            starts.push(at as u32);
        } else {
            at += 1;
        }
    }
}

fn first_newline(text: &str) -> &'static str {
    let bytes = text.as_bytes();
    match bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) {
        Some(at) if bytes[at] == b'\r' => {
            if bytes.get(at + 1) == Some(&b'\n') {
                "\r\n"
            } else {
                "\r"
            }
        }
        _ => "\n",
    }
}

/// The offset just after the line end that follows `from`.
fn line_end(text: &str, from: u32) -> u32 {
    let bytes = text.as_bytes();
    let mut at = from as usize;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => return at as u32 + 1,
            b'\r' => return at as u32 + 1 + u32::from(bytes.get(at + 1) == Some(&b'\n')),
            _ => at += 1,
        }
    }
    at as u32
}
