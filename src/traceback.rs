//! Leads tracebacks of instrumented programs back to the original's lines, text and columns.
//!
//! The input is a text that may hold anything, such as a log. An entry is rewritten if [`Locate`]
//! knows its file and line; source below it is rewritten if it is the overlay's line, which is then
//! printed the way the interpreter would have printed the original's. Everything else passes
//! through unchanged, byte for byte.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// How a file name and a line of a traceback lead to the original.
pub trait Locate {
    /// `None`: not a file of the overlay, or a line that the original has no counterpart of.
    fn locate(&self, file: &str, line: u32) -> Option<Located>;
}

/// A line of the overlay, and the original's line that it shows a piece of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// What to print as the file name.
    pub file: String,
    /// Line in the original, from 1.
    pub line: u32,
    /// The original's line in full, without its line end.
    pub original_line: String,
    /// The overlay's line in full, without its line end.
    pub overlay_line: String,
    /// Pieces that were copied: column in the overlay, column in the original, length; in
    /// characters, ascending.
    pub runs: Vec<(u32, u32, u32)>,
}

/// How an interpreter marks columns. The text of a traceback does not name its version, so that
/// this is a default: what a traceback shows goes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// CPython 3.11 and 3.12. Those before print no marks, and are served as well.
    #[default]
    V311,
    /// CPython 3.13: calls have anchors, spans of several lines are printed, and the call that an
    /// assignment or a `return` consists of has no marks.
    V313,
}

/// Rewrites all entries of `input` that `locate` knows.
pub fn rewrite(input: &str, locate: &dyn Locate, style: Style) -> String {
    let lines: Vec<Line<'_>> = input.split_inclusive('\n').map(Line::new).collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let piece = Entry::parse(&lines, at, locate)
            .map_or(Piece::Line(at), |entry| Piece::Entry(Box::new(entry)));
        at = piece.end();
        pieces.push(piece);
    }
    // What an entry proves holds for those behind it, and for those before the first proof.
    let proof = |piece: &Piece<'_>| match piece {
        Piece::Line(_) => None,
        Piece::Entry(entry) => entry.proof(),
    };
    let mut style = pieces.iter().find_map(proof).unwrap_or(style);
    let mut out = String::with_capacity(input.len());
    for piece in &pieces {
        style = proof(piece).unwrap_or(style);
        match piece {
            Piece::Line(index) => lines[*index].write(&mut out),
            Piece::Entry(entry) => entry.write(&lines, style, &mut out),
        }
    }
    out
}

/// Lines that one entry may span. A number in a log is not to be trusted.
const MAX_SPAN: u32 = 100_000;

/// A line of the input and its line end.
#[derive(Clone, Copy)]
struct Line<'a> {
    body: &'a str,
    end: &'a str,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Line<'a> {
        let body = line.strip_suffix('\n').unwrap_or(line);
        let body = body.strip_suffix('\r').unwrap_or(body);
        let (body, end) = line.split_at(body.len());
        Line { body, end }
    }

    fn write(self, out: &mut String) {
        out.push_str(self.body);
        out.push_str(self.end);
    }
}

enum Piece<'a> {
    Line(usize),
    Entry(Box<Entry<'a>>),
}

impl Piece<'_> {
    fn end(&self) -> usize {
        match self {
            Piece::Line(index) => index + 1,
            Piece::Entry(entry) => entry.lines.end,
        }
    }
}

/// What names a file and a line.
struct Header<'a> {
    kind: Kind,
    /// The line is `before`, file, `between`, line number, `after`.
    before: &'a str,
    between: &'a str,
    after: &'a str,
    located: Located,
    file: &'a str,
    number: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `File "x", line 3, in f`: source of one or more lines, with marks.
    Frame,
    /// `File "x", line 3`, the place of a syntax error or an allocation, or faulthandler's
    /// `File "x", line 3 in f`: marks stay, wherever they are.
    Place,
    /// `x:3: UserWarning: text`, `x:3: in f`: source after any indentation, maybe behind more text.
    Colons,
    /// `> x(3)f()`: source behind an arrow.
    Debugger,
}

static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"^(?<before>.*?File ")(?<file>[^"]+)(?<between>", line(?:no)? )(?<line>\d+)(?<after>, in .*| in .*|)$"#;
    Regex::new(pattern).expect("a valid pattern")
});
static COLONS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r":(\d+):(?:\s|$)").expect("a valid pattern"));
static DEBUGGER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"^(?<before>> ?|\s*)(?<file>\S.*?)(?<between>\()(?<line>\d+)(?<after>\)(?:[\w.]+|<\w+>)\(.*)$";
    Regex::new(pattern).expect("a valid pattern")
});
static ELISION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\.\.\.<(\d+) lines>\.\.\.$").expect("a valid pattern"));

impl<'a> Header<'a> {
    fn parse(body: &'a str, locate: &dyn Locate) -> Option<Header<'a>> {
        let text = |captures: &regex::Captures<'a>, name| captures.name(name).map(|m| m.as_str());
        if body.contains("File \"")
            && let Some(captures) = FRAME.captures(body)
        {
            let after = text(&captures, "after")?;
            let kind = if after.starts_with(',') {
                Kind::Frame
            } else {
                Kind::Place
            };
            let (file, number) = (text(&captures, "file")?, text(&captures, "line")?);
            let number = number.parse().ok()?;
            return Some(Header {
                kind,
                before: text(&captures, "before")?,
                between: text(&captures, "between")?,
                after,
                located: locate.locate(file, number)?,
                file,
                number,
            });
        }
        let colons = COLONS
            .captures_iter(body)
            .filter_map(|captures| captures.get(1));
        if let Some(header) = colons
            .filter_map(|line| Header::at_colon(body, line, locate))
            .next()
        {
            return Some(header);
        }
        let captures = DEBUGGER.captures(body)?;
        let (file, number) = (
            text(&captures, "file")?,
            text(&captures, "line")?.parse().ok()?,
        );
        Some(Header {
            kind: Kind::Debugger,
            before: text(&captures, "before")?,
            between: text(&captures, "between")?,
            after: text(&captures, "after")?,
            located: locate.locate(file, number)?,
            file,
            number,
        })
    }

    /// `line` is a number between colons.
    fn at_colon(body: &'a str, line: regex::Match<'a>, locate: &dyn Locate) -> Option<Header<'a>> {
        let number = line.as_str().parse().ok()?;
        let head = &body[..line.start() - 1];
        // The name starts at the line's start, or behind what the line was prefixed with.
        let breaks = head.match_indices([' ', '\t', ':', '"', '\'', '(', '[', '|']);
        let starts = breaks.map(|(at, text)| at + text.len());
        std::iter::once(0).chain(starts).find_map(|start| {
            let (before, file) = head.split_at(start);
            if file.is_empty() || file.starts_with([' ', '\t']) {
                return None;
            }
            Some(Header {
                kind: Kind::Colons,
                before,
                between: ":",
                after: &body[line.end()..],
                located: locate.locate(file, number)?,
                file,
                number,
            })
        })
    }

    fn write(&self, out: &mut String) {
        let Header {
            before,
            between,
            after,
            located,
            ..
        } = self;
        out.push_str(before);
        out.push_str(&located.file);
        out.push_str(between);
        out.push_str(&located.line.to_string());
        out.push_str(after);
    }
}

/// A header and the source below it.
struct Entry<'a> {
    header: Header<'a>,
    /// Lines of the input.
    lines: Range<usize>,
    /// Lines of the overlay that the source spans, from the header's on; empty without source.
    /// Lines of ours are `None`.
    span: Vec<Option<Located>>,
    rows: Vec<Row<'a>>,
    /// How many characters of indentation the source is printed without.
    dedent: usize,
}

/// A line of the input below a header.
struct Row<'a> {
    /// Index in the input.
    index: usize,
    /// What is left of the source.
    head: &'a str,
    text: &'a str,
    content: Content,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The line of this index in the span.
    Source(usize),
    /// Marks below that line.
    Marks(usize),
    Other,
}

impl<'a> Entry<'a> {
    fn parse(lines: &[Line<'a>], start: usize, locate: &dyn Locate) -> Option<Entry<'a>> {
        let header = Header::parse(lines[start].body, locate)?;
        let mut entry = Entry {
            header,
            lines: start..start + 1,
            span: Vec::new(),
            rows: Vec::new(),
            dedent: 0,
        };
        match entry.header.kind {
            Kind::Frame | Kind::Place => entry.parse_below(lines, locate),
            Kind::Colons => entry.parse_further(lines),
            Kind::Debugger => entry.parse_arrow(lines),
        }
        Some(entry)
    }

    /// The source, two columns to the right of the header, and marks.
    fn parse_below(&mut self, lines: &[Line<'a>], locate: &dyn Locate) {
        let indent = self.header.before.chars().count() - "File \"".len() + 2;
        let row = |index: usize| split_head(lines.get(index)?.body, indent);
        let start = self.lines.start;
        let Some((head, text)) = row(start + 1) else {
            return;
        };
        let overlay = self.header.located.overlay_line.trim_end();
        match overlay.strip_suffix(text.trim_end()) {
            Some(cut) if cut.trim().is_empty() && !text.trim().is_empty() => {
                self.dedent = cut.chars().count();
            }
            _ => return,
        }
        self.span.push(Some(self.header.located.clone()));
        self.push(start + 1, head, text, Content::Source(0));
        let mut marked = false;
        loop {
            let index = self.lines.end;
            let Some((head, text)) = row(index) else {
                return;
            };
            let last = self.span.len() - 1;
            let above_is_source = self
                .rows
                .last()
                .is_some_and(|row| row.content == Content::Source(last));
            let above_is_blank = self
                .rows
                .last()
                .is_some_and(|row| row.text.trim().is_empty());
            if above_is_source
                && (is_marks(text) || marked && above_is_blank && text.trim().is_empty())
            {
                marked = true;
                self.push(index, head, text, Content::Marks(last));
                continue;
            }
            if self.header.kind != Kind::Frame {
                return;
            }
            let elided = ELISION
                .captures(text)
                .and_then(|captures| captures[1].parse().ok());
            let ahead = if elided.is_some() { 1 } else { 0 };
            let Some((next_head, next_text)) = row(index + ahead) else {
                return;
            };
            let Some(further) = self.locate_further(elided.unwrap_or(0) + 1, locate) else {
                return;
            };
            let is_next = match further.last() {
                Some(Some(next)) => {
                    skip_chars(next.overlay_line.trim_end(), self.dedent) == next_text.trim_end()
                }
                // No text to compare with.
                _ => next_text.trim().is_empty() || is_ours(next_text),
            };
            if !is_next {
                return;
            }
            self.span.extend(further);
            if elided.is_some() {
                self.push(index, head, text, Content::Other);
            }
            let last = self.span.len() - 1;
            self.push(index + ahead, next_head, next_text, Content::Source(last));
        }
    }

    /// The next `count` lines of the overlay, if they lead on from those so far.
    fn locate_further(&self, count: usize, locate: &dyn Locate) -> Option<Vec<Option<Located>>> {
        if count > MAX_SPAN as usize {
            return None;
        }
        let Header { file, number, .. } = self.header;
        let mut further = Vec::with_capacity(count);
        let mut reached = self.span.iter().rev().flatten().next()?.line;
        for ahead in self.span.len()..self.span.len() + count {
            let line = number.checked_add(u32::try_from(ahead).ok()?)?;
            let located = locate.locate(file, line);
            if let Some(located) = &located {
                let distance = located.line.checked_sub(self.header.located.line)?;
                if located.line < reached || distance > MAX_SPAN {
                    return None;
                }
                reached = located.line;
            }
            further.push(located);
        }
        Some(further)
    }

    /// The source on one of the next lines: a warning's text may have several.
    fn parse_further(&mut self, lines: &[Line<'a>]) {
        const AHEAD: usize = 10;
        let overlay = self.header.located.overlay_line.trim();
        let start = self.lines.start;
        for index in start + 1..lines.len().min(start + 1 + AHEAD) {
            let body = lines[index].body;
            let text = body.trim_start();
            let head = &body[..body.len() - text.len()];
            if !head.is_empty() && !overlay.is_empty() && text.trim_end() == overlay {
                for (index, line) in lines.iter().enumerate().take(index).skip(start + 1) {
                    self.push(index, "", line.body, Content::Other);
                }
                self.push_only(index, head, text);
                if let Some((head, text)) = lines
                    .get(index + 1)
                    .and_then(|line| split_head(line.body, head.len()))
                    && is_marks(text)
                {
                    self.push(index + 1, head, text, Content::Marks(0));
                }
                return;
            }
            if COLONS.is_match(body) {
                return;
            }
        }
    }

    fn parse_arrow(&mut self, lines: &[Line<'a>]) {
        let index = self.lines.end;
        let Some(line) = lines.get(index) else { return };
        let Some(text) = line.body.trim_start().strip_prefix("-> ") else {
            return;
        };
        let head = &line.body[..line.body.len() - text.len()];
        if text.trim() == self.header.located.overlay_line.trim() {
            self.push_only(index, head, text);
        }
    }

    fn push_only(&mut self, index: usize, head: &'a str, text: &'a str) {
        let overlay = &self.header.located.overlay_line;
        self.dedent = indent_of(overlay).chars().count();
        self.span.push(Some(self.header.located.clone()));
        self.push(index, head, text, Content::Source(0));
    }

    fn push(&mut self, index: usize, head: &'a str, text: &'a str, content: Content) {
        self.rows.push(Row {
            index,
            head,
            text,
            content,
        });
        self.lines.end = index + 1;
    }

    fn marks(&self, line: usize) -> Option<&'a str> {
        let row = self
            .rows
            .iter()
            .find(|row| row.content == Content::Marks(line))?;
        Some(row.text.trim_end())
    }

    /// What the marks say about the interpreter.
    fn proof(&self) -> Option<Style> {
        if self.header.kind != Kind::Frame || self.span.is_empty() {
            return None;
        }
        if self.span.len() > 1 {
            return Some(Style::V313);
        }
        let marks = self.marks(0)?;
        let line = skip_chars(self.header.located.overlay_line.trim_end(), self.dedent);
        let span = slice_chars(
            line,
            chars_at(line, first_mark(marks)),
            chars_at(line, width(marks)),
        );
        // Only 3.13 sets a call's arguments off.
        match marks.rfind('~') {
            Some(last)
                if marks.ends_with('^')
                    && !marks.trim_start().trim_start_matches('~').contains('~') =>
            {
                let arguments = skip_chars(line, chars_at(line, last + 1));
                arguments.starts_with('(').then_some(Style::V313)
            }
            None if call_shape(span).is_some() => Some(Style::V311),
            _ => None,
        }
    }

    fn write(&self, lines: &[Line<'a>], style: Style, out: &mut String) {
        self.header.write(out);
        out.push_str(lines[self.lines.start].end);
        if self.span.is_empty() {
            self.rows.iter().for_each(|row| lines[row.index].write(out));
        } else if self.is_line_by_line() {
            self.write_rows(lines, style, out);
        } else {
            self.write_statement(lines, out);
        }
    }

    /// No line of ours is between those of the source, and none was broken into several.
    fn is_line_by_line(&self) -> bool {
        let first = self.header.located.line as usize;
        let ours = |row: &Row<'_>| match row.content {
            Content::Source(line) => self.span[line].is_none() && !row.text.trim().is_empty(),
            Content::Marks(_) | Content::Other => false,
        };
        let mut span = self.span.iter().enumerate();
        let in_step = span.all(|(ahead, located)| {
            located
                .as_ref()
                .is_none_or(|located| located.line as usize == first + ahead)
        });
        in_step && !self.rows.iter().any(ours)
    }

    fn write_rows(&self, lines: &[Line<'a>], style: Style, out: &mut String) {
        let text = |line: fn(&Located) -> &str| -> Vec<&str> {
            let span = self.span.iter();
            span.map(|located| {
                located
                    .as_ref()
                    .map_or("", |located| line(located).trim_end())
            })
            .collect()
        };
        let overlay = text(|line| &line.overlay_line);
        let original = text(|line| &line.original_line);
        let shown = dedented(&original);
        if dedented(&overlay) == shown {
            self.rows.iter().for_each(|row| lines[row.index].write(out));
            return;
        }
        let margin = original[0].chars().count() - shown[0].chars().count();
        let marks = self.span.iter().enumerate().map(|(index, located)| {
            let marks = self.marks(index)?;
            let Some(located) = located else {
                return Some(String::new());
            };
            Some(move_marks(marks, located, self.dedent, margin))
        });
        let marks: Vec<Option<String>> = marks.collect();
        let keep = self.header.kind != Kind::Frame || are_marks_shown(style, &shown, &marks);
        for row in &self.rows {
            let text = match row.content {
                Content::Other => row.text,
                Content::Source(line) => shown[line],
                Content::Marks(_) if !keep => continue,
                Content::Marks(line) => marks[line].as_deref().unwrap_or_default(),
            };
            out.push_str(row.head);
            out.push_str(text);
            out.push_str(lines[row.index].end);
        }
    }

    /// Source that spans statements, as a class does when 3.13 shows where it is made. Such source
    /// has no marks; its first and last line are shown, and one between.
    fn write_statement(&self, lines: &[Line<'a>], out: &mut String) {
        let first = self.header.located.line as usize;
        let mut original = Vec::new();
        for located in self.span.iter().flatten() {
            let index = located.line as usize - first;
            original.resize(original.len().max(index + 1), "");
            original[index] = located.original_line.trim_end();
        }
        let shown = dedented(&original);
        let (head, end) = (self.rows[0].head, lines[self.rows[0].index].end);
        let elision;
        let texts = match shown[..] {
            [] => vec![],
            [only] => vec![only],
            [first, last] => vec![first, last],
            [first, middle, last] => vec![first, middle, last],
            [first, .., last] => {
                elision = format!("...<{} lines>...", shown.len() - 2);
                vec![first, &elision, last]
            }
        };
        for text in texts {
            out.push_str(head);
            out.push_str(text);
            out.push_str(end);
        }
    }
}

/// Text of ours on a line that the original has no counterpart of.
fn is_ours(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("try:") || text.starts_with("except") || text.contains("_eh_")
}

/// Whether the interpreter would print `marks` below `lines`, the original's, given that they were
/// printed below the overlay's.
fn are_marks_shown(style: Style, lines: &[&str], marks: &[Option<String>]) -> bool {
    let (Some(Some(first)), Some(Some(last))) = (marks.first(), marks.last()) else {
        return true;
    };
    let (first_line, last_line) = (lines[0], lines[lines.len() - 1]);
    let start = chars_at(first_line, first_mark(first));
    let end = chars_at(last_line, width(last.trim_end()));
    let before = slice_chars(first_line, 0, start);
    let after = skip_chars(last_line, end);
    if style == Style::V313 && is_plain_statement(before, after, lines, start, end) {
        return false;
    }
    let anchored = marks.iter().flatten().any(|marks| marks.contains('~'));
    anchored || !before.trim_start().is_empty() || !after.trim_end().is_empty()
}

/// 3.13's exception: the marks span all of the call in `name = call` or `return name(...)`.
fn is_plain_statement(before: &str, after: &str, lines: &[&str], start: usize, end: usize) -> bool {
    let span = match lines {
        [line] => slice_chars(line, start, end).to_owned(),
        [first, inner @ .., last] => {
            let mut parts = vec![skip_chars(first, start)];
            parts.extend(inner);
            parts.push(slice_chars(last, 0, end));
            parts.join("\n")
        }
        [] => return false,
    };
    let Some(function) = call_shape(&span) else {
        return false;
    };
    let after = after.trim_start();
    if !(after.is_empty() || after.starts_with(['#', ';'])) {
        return false;
    }
    // It compares columns in bytes with columns in characters.
    let last = lines[lines.len() - 1];
    if !before.is_ascii() || !slice_chars(last, 0, end).is_ascii() {
        return false;
    }
    match before.trim_end().strip_suffix('=') {
        Some(target) => is_name(target.trim_end()) && !is_keyword(target.trim_end()),
        None => before.trim_end() == "return" && is_name(function),
    }
}

/// If `text` is a call from its first character to its last: what is called.
fn call_shape(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut opened = 0;
    let mut last_group = None;
    let mut chars = text.char_indices().peekable();
    let mut previous = ' ';
    while let Some((at, c)) = chars.next() {
        match c {
            '"' | '\'' => skip_string(text, at, &mut chars),
            '#' => while chars.next_if(|&(_, c)| c != '\n').is_some() {},
            '(' | '[' | '{' => {
                if depth == 0 {
                    opened = at;
                }
                depth += 1;
            }
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                last_group = Some((opened, at + 1, c));
            }
            _ if depth > 0 => {}
            ' ' => {
                // Two words side by side, like `not f()` or `await f()`.
                let next = chars.peek().map_or(' ', |&(_, c)| c);
                if is_word(previous) && is_word(next) {
                    return None;
                }
            }
            '.' => {}
            _ if is_word(c) => {}
            _ => return None,
        }
        if c != ' ' {
            previous = c;
        }
    }
    let (start, end, close) = last_group?;
    let function = text[..start].trim_end();
    let called = depth == 0 && end == text.len() && close == ')' && !function.is_empty();
    (called && !is_keyword(function)).then_some(function)
}

/// Moves `chars` behind the string that starts with the quote at `start`.
fn skip_string(
    text: &str,
    start: usize,
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
) {
    let rest = &text[start..];
    let quote = &rest[..1];
    let triple = quote.repeat(3);
    let quote = if rest.starts_with(&triple) {
        &triple
    } else {
        quote
    };
    let mut at = start + quote.len();
    while at < text.len() && !text[at..].starts_with(quote) {
        let step = text[at..]
            .chars()
            .take(if text[at..].starts_with('\\') { 2 } else { 1 });
        at += step.map(char::len_utf8).sum::<usize>();
    }
    at += quote.len();
    while chars.next_if(|&(next, _)| next < at).is_some() {}
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '"' || c == '\''
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && text.chars().next().is_some_and(|c| !c.is_numeric())
}

/// Keywords that may stand before a parenthesis or an equals sign.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "assert"
            | "await"
            | "del"
            | "elif"
            | "else"
            | "for"
            | "from"
            | "if"
            | "in"
            | "is"
            | "lambda"
            | "not"
            | "or"
            | "raise"
            | "return"
            | "while"
            | "with"
            | "yield"
    )
}

/// Moves marks from below the overlay's line to below the original's.
fn move_marks(marks: &str, line: &Located, dedent: usize, margin: usize) -> String {
    let shown = skip_chars(line.overlay_line.trim_end(), dedent);
    let original = line.original_line.trim_end();
    let start = chars_at(shown, first_mark(marks)) + dedent;
    let end = chars_at(shown, width(marks)) + dedent;
    let contains = |&(over, _, len): &(u32, u32, u32), column: usize| {
        (over as usize..over as usize + len as usize).contains(&column)
    };
    let run = line.runs.iter().find(|run| contains(run, start));
    let column = |column: u32| width(slice_chars(original, margin, column as usize));
    match run {
        Some(run) if contains(run, end.saturating_sub(1)) || end <= start => {
            let from = width(slice_chars(&line.overlay_line, dedent, run.0 as usize));
            let into = column(run.1);
            let target = (first_mark(marks) + into).saturating_sub(from);
            " ".repeat(target) + marks.trim_start()
        }
        _ => {
            // The marks span text of ours, or begin in it: each copied character takes its own.
            let glyphs: Vec<char> = marks.chars().collect();
            let mut cells: Vec<char> = Vec::new();
            for &(over, orig, len) in &line.runs {
                for ahead in 0..len {
                    let at = (over + ahead) as usize;
                    let (from, into) = (at.saturating_sub(dedent), column(orig + ahead));
                    let source = width(slice_chars(shown, 0, from));
                    if !(start..end).contains(&at) {
                        continue;
                    }
                    let glyph = glyphs.get(source).copied().unwrap_or('^');
                    let cell = slice_chars(
                        original,
                        (orig + ahead) as usize,
                        (orig + ahead) as usize + 1,
                    );
                    cells.resize(cells.len().max(into), ' ');
                    cells.extend(std::iter::repeat_n(glyph, width(cell)));
                }
            }
            let first = cells.iter().position(|&c| c != ' ').unwrap_or(0);
            cells
                .iter()
                .enumerate()
                .map(|(at, &c)| if at > first && c == ' ' { '^' } else { c })
                .collect()
        }
    }
}

/// Splits a line behind `indent` characters, of which the last two are blank.
fn split_head(body: &str, indent: usize) -> Option<(&str, &str)> {
    let at = body
        .char_indices()
        .map(|(at, _)| at)
        .chain([body.len()])
        .nth(indent)?;
    let (head, text) = body.split_at(at);
    head.ends_with("  ").then_some((head, text))
}

fn is_marks(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '~' | '^')) && text.contains(['~', '^'])
}

/// The column of the first mark.
fn first_mark(marks: &str) -> usize {
    marks.len() - marks.trim_start().len()
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// `textwrap.dedent`.
fn dedented<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indents = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent_of(line));
    let margin = indents.reduce(|one, other| {
        let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
        &one[..same.count()]
    });
    let margin = margin.unwrap_or("");
    lines
        .iter()
        .map(|line| line.strip_prefix(margin).unwrap_or(""))
        .collect()
}

fn byte_at(text: &str, chars: usize) -> usize {
    text.char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at)
}

fn skip_chars(text: &str, chars: usize) -> &str {
    &text[byte_at(text, chars)..]
}

fn slice_chars(text: &str, start: usize, end: usize) -> &str {
    let end = byte_at(text, end);
    &text[byte_at(text, start).min(end)..end]
}

/// How many characters fill the columns left of `column`.
fn chars_at(text: &str, column: usize) -> usize {
    let mut filled = 0;
    text.chars()
        .take_while(|&c| {
            let left = filled < column;
            filled += char_width(c);
            left
        })
        .count()
}

/// Columns on a terminal, as the interpreter counts them for marks.
fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().map(char_width).sum()
    }
}

fn char_width(c: char) -> usize {
    let c = u32::from(c);
    let after = WIDE.partition_point(|&(_, last)| last < c);
    match WIDE.get(after) {
        Some(&(first, _)) if first <= c => 2,
        _ => 1,
    }
}

/// Characters whose `unicodedata.east_asian_width` is W or F in Python 3.13.
#[rustfmt::skip]
const WIDE: &[(u32, u32)] = &[
    (0x1100, 0x115f), (0x231a, 0x231b), (0x2329, 0x232a), (0x23e9, 0x23ec), (0x23f0, 0x23f0),
    (0x23f3, 0x23f3), (0x25fd, 0x25fe), (0x2614, 0x2615), (0x2648, 0x2653), (0x267f, 0x267f),
    (0x2693, 0x2693), (0x26a1, 0x26a1), (0x26aa, 0x26ab), (0x26bd, 0x26be), (0x26c4, 0x26c5),
    (0x26ce, 0x26ce), (0x26d4, 0x26d4), (0x26ea, 0x26ea), (0x26f2, 0x26f3), (0x26f5, 0x26f5),
    (0x26fa, 0x26fa), (0x26fd, 0x26fd), (0x2705, 0x2705), (0x270a, 0x270b), (0x2728, 0x2728),
    (0x274c, 0x274c), (0x274e, 0x274e), (0x2753, 0x2755), (0x2757, 0x2757), (0x2795, 0x2797),
    (0x27b0, 0x27b0), (0x27bf, 0x27bf), (0x2b1b, 0x2b1c), (0x2b50, 0x2b50), (0x2b55, 0x2b55),
    (0x2e80, 0x2e99), (0x2e9b, 0x2ef3), (0x2f00, 0x2fd5), (0x2ff0, 0x303e), (0x3041, 0x3096),
    (0x3099, 0x30ff), (0x3105, 0x312f), (0x3131, 0x318e), (0x3190, 0x31e3), (0x31ef, 0x321e),
    (0x3220, 0x3247), (0x3250, 0x4dbf), (0x4e00, 0xa48c), (0xa490, 0xa4c6), (0xa960, 0xa97c),
    (0xac00, 0xd7a3), (0xf900, 0xfaff), (0xfe10, 0xfe19), (0xfe30, 0xfe52), (0xfe54, 0xfe66),
    (0xfe68, 0xfe6b), (0xff01, 0xff60), (0xffe0, 0xffe6), (0x16fe0, 0x16fe4), (0x16ff0, 0x16ff1),
    (0x17000, 0x187f7), (0x18800, 0x18cd5), (0x18d00, 0x18d08), (0x1aff0, 0x1aff3),
    (0x1aff5, 0x1affb), (0x1affd, 0x1affe), (0x1b000, 0x1b122), (0x1b132, 0x1b132),
    (0x1b150, 0x1b152), (0x1b155, 0x1b155), (0x1b164, 0x1b167), (0x1b170, 0x1b2fb),
    (0x1f004, 0x1f004), (0x1f0cf, 0x1f0cf), (0x1f18e, 0x1f18e), (0x1f191, 0x1f19a),
    (0x1f200, 0x1f202), (0x1f210, 0x1f23b), (0x1f240, 0x1f248), (0x1f250, 0x1f251),
    (0x1f260, 0x1f265), (0x1f300, 0x1f320), (0x1f32d, 0x1f335), (0x1f337, 0x1f37c),
    (0x1f37e, 0x1f393), (0x1f3a0, 0x1f3ca), (0x1f3cf, 0x1f3d3), (0x1f3e0, 0x1f3f0),
    (0x1f3f4, 0x1f3f4), (0x1f3f8, 0x1f43e), (0x1f440, 0x1f440), (0x1f442, 0x1f4fc),
    (0x1f4ff, 0x1f53d), (0x1f54b, 0x1f54e), (0x1f550, 0x1f567), (0x1f57a, 0x1f57a),
    (0x1f595, 0x1f596), (0x1f5a4, 0x1f5a4), (0x1f5fb, 0x1f64f), (0x1f680, 0x1f6c5),
    (0x1f6cc, 0x1f6cc), (0x1f6d0, 0x1f6d2), (0x1f6d5, 0x1f6d7), (0x1f6dc, 0x1f6df),
    (0x1f6eb, 0x1f6ec), (0x1f6f4, 0x1f6fc), (0x1f7e0, 0x1f7eb), (0x1f7f0, 0x1f7f0),
    (0x1f90c, 0x1f93a), (0x1f93c, 0x1f945), (0x1f947, 0x1f9ff), (0x1fa70, 0x1fa7c),
    (0x1fa80, 0x1fa88), (0x1fa90, 0x1fabd), (0x1fabf, 0x1fac5), (0x1face, 0x1fadb),
    (0x1fae0, 0x1fae8), (0x1faf0, 0x1faf8), (0x20000, 0x2fffd), (0x30000, 0x3fffd),
];

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;

    /// A twin with the number of the original's line before each line, or `-` before ours.
    struct Table {
        twin: Vec<String>,
        lines: Vec<Option<usize>>,
        original: Vec<String>,
        /// What file names start with, in the twin's output and in the original's.
        prefixes: (String, String),
    }

    impl Table {
        fn new(original: &str, twin: &str) -> Table {
            let rows = twin.lines().filter(|row| !row.is_empty());
            let rows = rows.map(|row| row.split_once('|').unwrap());
            let (numbers, twin): (Vec<_>, Vec<_>) = rows.unzip();
            Table {
                twin: twin.into_iter().map(str::to_owned).collect(),
                lines: numbers
                    .into_iter()
                    .map(|number| number.trim().parse().ok())
                    .collect(),
                original: original.lines().map(str::to_owned).collect(),
                prefixes: (String::new(), String::new()),
            }
        }
    }

    impl Locate for Table {
        fn locate(&self, file: &str, line: u32) -> Option<Located> {
            let name = file.strip_prefix(&self.prefixes.0)?;
            if name != "case.py" {
                return None;
            }
            let index = (line as usize).checked_sub(1)?;
            let number = (*self.lines.get(index)?)?;
            let (overlay, original) = (&self.twin[index], &self.original[number - 1]);
            let copied = overlay.trim_start();
            let copied = copied.strip_prefix("try: ").unwrap_or(copied);
            let copied = copied.strip_prefix("_eh_rtn =").unwrap_or(copied);
            let chars = |text: &str| u32::try_from(text.chars().count()).unwrap();
            let at = original
                .find(copied)
                .unwrap_or_else(|| panic!("{copied:?} in {original:?}"));
            let over = chars(overlay) - chars(copied);
            Some(Located {
                file: format!("{}{name}", self.prefixes.1),
                line: u32::try_from(number).unwrap(),
                runs: vec![(over, chars(&original[..at]), chars(copied))],
                original_line: original.clone(),
                overlay_line: overlay.clone(),
            })
        }
    }

    /// Interpreters under pyenv, by version, oldest first; none where there is no pyenv.
    fn pythons() -> Vec<((u32, u32), PathBuf)> {
        let root = std::env::var_os("PYENV_ROOT")
            .map(PathBuf::from)
            .or_else(|| {
                let home = std::env::var_os("HOME")?;
                Some(Path::new(&home).join(".pyenv"))
            });
        let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
        let mut found: Vec<_> = versions
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let mut parts = name.split('.').map_while(|part| part.parse().ok());
                let version = (parts.next()?, parts.next()?);
                let python = entry.path().join("bin/python");
                (version >= (3, 6) && python.exists()).then_some((version, python))
            })
            .collect();
        found.sort();
        found.dedup_by_key(|(version, _)| *version);
        found
    }

    fn stderr(python: &Path, directory: &Path, text: &str) -> String {
        std::fs::create_dir_all(directory).unwrap();
        std::fs::write(directory.join("case.py"), text).unwrap();
        let mut command = Command::new(python);
        let command = command.arg("case.py").current_dir(directory);
        let command = command
            .env("PYTHONIOENCODING", "utf-8")
            .env_remove("FORCE_COLOR");
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    }

    /// Runs both on every interpreter from `since` on and compares what they write.
    fn check(since: (u32, u32), original: &str, twin: &str) {
        let mut table = Table::new(original, twin);
        let thread = Regex::new("thread 0x[0-9a-f]+").unwrap();
        let masked = |text: String| thread.replace_all(&text, "thread").into_owned();
        for (version, python) in pythons() {
            if version < since {
                continue;
            }
            let root = tempfile::tempdir().unwrap();
            // `__main__` is known by its full name since 3.9.
            let directories =
                ["orig", "twin"].map(|name| root.path().canonicalize().unwrap().join(name));
            let theirs = masked(stderr(&python, &directories[0], original));
            let ours = masked(stderr(
                &python,
                &directories[1],
                &(table.twin.join("\n") + "\n"),
            ));
            let prefix = |directory: &Path| match ours.contains("File \"case.py\"") {
                true => String::new(),
                false => format!("{}/", directory.display()),
            };
            table.prefixes = (prefix(&directories[1]), prefix(&directories[0]));
            assert!(ours.contains("case.py"), "{ours}");
            assert_ne!(ours, theirs, "{version:?}: the twin shows nothing");
            let style = if version >= (3, 13) {
                Style::V313
            } else {
                Style::V311
            };
            let rewritten = rewrite(&ours, &table, style);
            let show = |text: &str| text.replace(' ', "·");
            assert!(
                rewritten == theirs,
                "{version:?}\n--- twin\n{ours}\n--- rewritten\n{}\n--- original\n{}",
                show(&rewritten),
                show(&theirs)
            );
        }
    }

    #[test]
    fn statements() {
        check(
            (3, 6),
            "\
def none(*a): return None
def call(x):
    boom(x)
def boom(x):
    y = x + 1 + none()
    return y
def item(x):
    return none()[x]
def deep(x):
    y = call(x)
    return y
def attribute(x):
    value = none(x).name  # why
def returned(x):
    return call(x)
def method(x):
    return str.join(1, x)
def wide(x):
    y = '漢字' + str(x) + '漢' + none()
def spread(x):
    a = '漢'; b = none(x).字; c = 3
def header(x):
    if none(x) + 1:
        pass
def oneline(x):
    if x: none(x).a
def raised(x):
    raise ValueError(x)
def nested(x):
    for i in range(3):
        with open('case.py') as f:
            é = none(i)[0]
def asserted(x):
    assert x == 2, 'message'
def targets(x):
    x.y = call(x)
def augmented(x):
    x += call(x)
def condition(x):
    z = call(x) if x else 1
def commented(x):
    z = call(x)  # (comment)
def semicolon(x):
    z = call(x); pass
def unicode(x):
    é = call(x)
def negative(x):
    -none(x)
def yields(x):
    list(i + None for i in [x])
def function(x):
    return none(x)(1)
class C:
    def __getattr__(self, name): return self[name]
def magic(x):
    C().field
def loop(x):
    while call(x): pass
import traceback
for f in [call, item, deep, attribute, returned, method, wide, spread, header, oneline, raised, nested]:
    try: f(1)
    except Exception: traceback.print_exc()
for f in [asserted, targets, augmented, condition, commented, semicolon, unicode, negative, yields]:
    try: f(1)
    except Exception: traceback.print_exc()
for f in [function, magic, loop]:
    try: f(1)
    except Exception: traceback.print_exc()
deep(1)
",
            "
 -|__eh__ = ()
 1|def none(*a): return None
 2|def call(x):
 3|    try: boom(x)
 -|    except __eh__: raise
 4|def boom(x):
 5|    try: y = x + 1 + none()
 -|    except __eh__: raise
 6|    return y
 7|def item(x):
 8|    try: _eh_rtn = none()[x]
 -|    except __eh__: raise
 -|    return _eh_rtn
 9|def deep(x):
10|    try: y = call(x)
 -|    except __eh__: raise
11|    return y
12|def attribute(x):
13|    try: value = none(x).name  # why
 -|    except __eh__: raise
14|def returned(x):
15|    try: _eh_rtn = call(x)
 -|    except __eh__: raise
 -|    return _eh_rtn
16|def method(x):
17|    try: return str.join(1, x)
 -|    except __eh__: raise
18|def wide(x):
19|    try: y = '漢字' + str(x) + '漢' + none()
 -|    except __eh__: raise
20|def spread(x):
21|    try: a = '漢'
 -|    except __eh__: raise
21|    try: b = none(x).字
 -|    except __eh__: raise
21|    try: c = 3
 -|    except __eh__: raise
22|def header(x):
 -|    try:
23|        if none(x) + 1:
24|            pass
 -|    except __eh__: raise
25|def oneline(x):
 -|    try:
26|        if x:
26|            try: none(x).a
 -|            except __eh__: raise
 -|    except __eh__: raise
27|def raised(x):
28|    try: raise ValueError(x)
 -|    except __eh__: raise
29|def nested(x):
 -|    try:
30|        for i in range(3):
 -|            try:
31|                with open('case.py') as f:
32|                    try: é = none(i)[0]
 -|                    except __eh__: raise
 -|            except __eh__: raise
 -|    except __eh__: raise
33|def asserted(x):
34|    try: assert x == 2, 'message'
 -|    except __eh__: raise
35|def targets(x):
36|    try: x.y = call(x)
 -|    except __eh__: raise
37|def augmented(x):
38|    try: x += call(x)
 -|    except __eh__: raise
39|def condition(x):
40|    try: z = call(x) if x else 1
 -|    except __eh__: raise
41|def commented(x):
42|    try: z = call(x)  # (comment)
 -|    except __eh__: raise
43|def semicolon(x):
44|    try: z = call(x)
 -|    except __eh__: raise
44|    pass
45|def unicode(x):
46|    try: é = call(x)
 -|    except __eh__: raise
47|def negative(x):
48|    try: -none(x)
 -|    except __eh__: raise
49|def yields(x):
50|    try: list(i + None for i in [x])
 -|    except __eh__: raise
51|def function(x):
52|    try: return none(x)(1)
 -|    except __eh__: raise
53|class C:
54|    def __getattr__(self, name):
54|        try: return self[name]
 -|        except __eh__: raise
55|def magic(x):
56|    try: C().field
 -|    except __eh__: raise
57|def loop(x):
 -|    try:
58|        while call(x): pass
 -|    except __eh__: raise
59|import traceback
60|for f in [call, item, deep, attribute, returned, method, wide, spread, header, oneline, raised, nested]:
61|    try: f(1)
62|    except Exception: traceback.print_exc()
63|for f in [asserted, targets, augmented, condition, commented, semicolon, unicode, negative, yields]:
64|    try: f(1)
65|    except Exception: traceback.print_exc()
66|for f in [function, magic, loop]:
67|    try: f(1)
68|    except Exception: traceback.print_exc()
69|try: deep(1)
 -|except __eh__: raise
",
        );
    }

    #[test]
    fn several_lines() {
        check(
            (3, 6),
            "\
def none(*a): return None
def call(x):
    y = boom(
        x,
        1,
    )
    return y
def boom(*x):
    return (x[0] +
            x[1] +
            none(3,
                 4,
                 5,
                 6))
def whole(x):
    boom(
        x, 1
    )
def inner(x):
    z = [
        none(1),
        none(x).name,
        key(a=boom(x, 1)),
    ]
def keyword(x):
    z = dict(
        b=1,
        a=boom(x, 1)
    )
def text(x):
    return '''
 less
      more''' + none(
        x)
def deeper(x):
    if x:
        return none(
    x,

  x)[
       1]
def attribute(x):
    z = (none(x)
         .name
         .other)
def subscripted(x):
    z = {
        '漢': 1,
    }['字'
    ]
key = dict
import traceback
for f in [call, whole, inner, keyword, text, deeper, attribute, subscripted]:
    try: f(1)
    except Exception: traceback.print_exc()
call(
    1
)
",
            "
 -|__eh__ = ()
 1|def none(*a): return None
 2|def call(x):
 3|    try: y = boom(
 4|        x,
 5|        1,
 6|    )
 -|    except __eh__: raise
 7|    return y
 8|def boom(*x):
 9|    try: return (x[0] +
10|            x[1] +
11|            none(3,
12|                 4,
13|                 5,
14|                 6))
 -|    except __eh__: raise
15|def whole(x):
16|    try: boom(
17|        x, 1
18|    )
 -|    except __eh__: raise
19|def inner(x):
20|    try: z = [
21|        none(1),
22|        none(x).name,
23|        key(a=boom(x, 1)),
24|    ]
 -|    except __eh__: raise
25|def keyword(x):
26|    try: z = dict(
27|        b=1,
28|        a=boom(x, 1)
29|    )
 -|    except __eh__: raise
30|def text(x):
31|    try: _eh_rtn = '''
32| less
33|      more''' + none(
34|        x)
 -|    except __eh__: raise
 -|    return _eh_rtn
35|def deeper(x):
 -|    try:
36|        if x:
37|            try: return none(
38|        x,
39|
40|      x)[
41|           1]
 -|            except __eh__: raise
 -|    except __eh__: raise
42|def attribute(x):
43|    try: z = (none(x)
44|         .name
45|         .other)
 -|    except __eh__: raise
46|def subscripted(x):
47|    try: z = {
48|        '漢': 1,
49|    }['字'
50|    ]
 -|    except __eh__: raise
51|key = dict
52|import traceback
53|for f in [call, whole, inner, keyword, text, deeper, attribute, subscripted]:
54|    try: f(1)
55|    except Exception: traceback.print_exc()
56|try: call(
57|    1
58|)
 -|except __eh__: raise
",
        );
    }

    #[test]
    fn chains_recursion_decorators_and_classes() {
        check(
            (3, 6),
            "\
import functools, traceback
def boom(x):
    raise KeyError(x)
def chained(x):
    try:
        boom(x)
    except KeyError as e:
        raise ValueError(x) from e
def context(x):
    try:
        chained(x)
    except ValueError:
        boom(x + 1)
def recurse(x):
    if x == 0:
        boom(x)
    return recurse(x - 1)
def decorate(f):
    @functools.wraps(f)
    def wrapper(*a):
        return f(*a)
    return wrapper
@decorate
def decorated(x):
    boom(x)
def bad(x): boom(x)
def classes(x):
    @decorate
    @bad
    class C: pass
def body(x):
    class C:
        y = boom(x)
def closing(x):
    try:
        boom(x)
    finally:
        context(x)
def lambdas(x):
    f = lambda y: boom(y); f(x)
def longer(x):
    class C:

        a = 1
        # comment
        b = boom(x)

        c = '''
 less'''
def short(x):
    class C: a = 1; b = boom(x); c = 3
def three(x):
    class C:
        a = 1
        b = boom(x)
def hooked(x):
    class C(Base, a=1): a = 1; b = 2
class Base:
    def __init_subclass__(cls, a): boom(a)
for f in [chained, context, decorated, classes, body, closing, lambdas, longer, short, three, hooked]:
    try: f(1)
    except Exception: traceback.print_exc()
try: recurse(20)
except KeyError: context(2)
",
            "
 -|__eh__ = ()
 1|import functools, traceback
 2|def boom(x):
 3|    try: raise KeyError(x)
 -|    except __eh__: raise
 4|def chained(x):
 5|    try:
 6|        try: boom(x)
 -|        except __eh__: raise
 7|    except KeyError as e:
 8|        try: raise ValueError(x) from e
 -|        except __eh__: raise
 9|def context(x):
10|    try:
11|        try: chained(x)
 -|        except __eh__: raise
12|    except ValueError:
13|        try: boom(x + 1)
 -|        except __eh__: raise
14|def recurse(x):
15|    if x == 0:
16|        try: boom(x)
 -|        except __eh__: raise
17|    try: _eh_rtn = recurse(x - 1)
 -|    except __eh__: raise
 -|    return _eh_rtn
18|def decorate(f):
19|    @functools.wraps(f)
20|    def wrapper(*a):
21|        try: return f(*a)
 -|        except __eh__: raise
22|    return wrapper
23|@decorate
24|def decorated(x):
25|    try: boom(x)
 -|    except __eh__: raise
26|def bad(x):
26|    try: boom(x)
 -|    except __eh__: raise
27|def classes(x):
 -|    try:
28|        @decorate
29|        @bad
30|        class C: pass
 -|    except __eh__: raise
31|def body(x):
 -|    try:
32|        class C:
33|            try: y = boom(x)
 -|            except __eh__: raise
 -|    except __eh__: raise
34|def closing(x):
35|    try:
36|        try: boom(x)
 -|        except __eh__: raise
37|    finally:
38|        try: context(x)
 -|        except __eh__: raise
39|def lambdas(x):
40|    try: f = lambda y: boom(y)
 -|    except __eh__: raise
40|    try: f(x)
 -|    except __eh__: raise
41|def longer(x):
 -|    try:
42|        class C:
43|
44|            try: a = 1
 -|            except __eh__: raise
45|            # comment
46|            try: b = boom(x)
 -|            except __eh__: raise
47|
48|            try: c = '''
49| less'''
 -|            except __eh__: raise
 -|    except __eh__: raise
50|def short(x):
 -|    try:
51|        class C:
51|            a = 1
51|            try: b = boom(x)
 -|            except __eh__: raise
51|            c = 3
 -|    except __eh__: raise
52|def three(x):
 -|    try:
53|        class C:
54|            try: a = 1
 -|            except __eh__: raise
55|            try: b = boom(x)
 -|            except __eh__: raise
 -|    except __eh__: raise
56|def hooked(x):
 -|    try:
57|        class C(Base, a=1):
57|            try: a = 1
 -|            except __eh__: raise
57|            try: b = 2
 -|            except __eh__: raise
 -|    except __eh__: raise
58|class Base:
59|    def __init_subclass__(cls, a):
59|        try: boom(a)
 -|        except __eh__: raise
60|for f in [chained, context, decorated, classes, body, closing, lambdas, longer, short, three, hooked]:
61|    try: f(1)
62|    except Exception: traceback.print_exc()
63|try: recurse(20)
64|except KeyError: context(2)
",
        );
    }

    #[test]
    fn groups() {
        check(
            (3, 11),
            "\
import traceback
def boom(x):
    raise KeyError(x)
def collect():
    found = []
    for x in range(2):
        try:
            boom(x)
        except KeyError as e:
            found.append(e)
    try:
        1 + None
    except TypeError as e:
        found.append(ExceptionGroup('inner', [e]))
    raise ExceptionGroup(
        'outer',
        found)
try: collect()
except Exception: traceback.print_exc()
y = collect()
",
            "
 -|__eh__ = ()
 1|import traceback
 2|def boom(x):
 3|    try: raise KeyError(x)
 -|    except __eh__: raise
 4|def collect():
 5|    found = []
 -|    try:
 6|        for x in range(2):
 7|            try:
 8|                try: boom(x)
 -|                except __eh__: raise
 9|            except KeyError as e:
10|                found.append(e)
 -|    except __eh__: raise
11|    try:
12|        try: 1 + None
 -|        except __eh__: raise
13|    except TypeError as e:
14|        found.append(ExceptionGroup('inner', [e]))
15|    try: raise ExceptionGroup(
16|        'outer',
17|        found)
 -|    except __eh__: raise
18|try: collect()
19|except Exception: traceback.print_exc()
20|try: y = collect()
 -|except __eh__: raise
",
        );
    }

    #[test]
    fn displays_other_than_tracebacks() {
        check(
            (3, 6),
            "\
import faulthandler, sys, traceback, warnings
def warn():
    warnings.warn('one\\ntwo')
    warnings.warn('caller', stacklevel=2)
    warnings.warn_explicit('explicit', UserWarning, 'other.py', 3)
def dump():
    faulthandler.dump_traceback()
def compiled():
    exec('x = (1\\ny = 2\\n')
def stack():
    traceback.print_stack()
def logged():
    try:
        compiled()
    except SyntaxError:
        lines = traceback.format_exc().splitlines()
        for line in lines: sys.stderr.write('ERROR app: ' + line + '\\r\\n')
def frames():
    sys.stderr.write(str(sys._getframe().f_lineno))
warn()
dump()
stack()
logged()
compiled()
",
            "
 -|__eh__ = ()
 1|import faulthandler, sys, traceback, warnings
 2|def warn():
 3|    try: warnings.warn('one\\ntwo')
 -|    except __eh__: raise
 4|    try: warnings.warn('caller', stacklevel=2)
 -|    except __eh__: raise
 5|    try: warnings.warn_explicit('explicit', UserWarning, 'other.py', 3)
 -|    except __eh__: raise
 6|def dump():
 7|    try: faulthandler.dump_traceback()
 -|    except __eh__: raise
 8|def compiled():
 9|    try: exec('x = (1\\ny = 2\\n')
 -|    except __eh__: raise
10|def stack():
11|    try: traceback.print_stack()
 -|    except __eh__: raise
12|def logged():
13|    try:
14|        try: compiled()
 -|        except __eh__: raise
15|    except SyntaxError:
16|        lines = traceback.format_exc().splitlines()
17|        for line in lines: sys.stderr.write('ERROR app: ' + line + '\\r\\n')
18|def frames():
19|    try: sys.stderr.write(str(sys._getframe().f_lineno))
 -|    except __eh__: raise
20|try: warn()
 -|except __eh__: raise
21|try: dump()
 -|except __eh__: raise
22|try: stack()
 -|except __eh__: raise
23|try: logged()
 -|except __eh__: raise
24|try: compiled()
 -|except __eh__: raise
",
        );
    }

    #[test]
    fn other_tools() {
        let original = "def f():\n    return g(1)\n";
        let table = Table::new(
            original,
            " -|__eh__ = ()\n 1|def f():\n 2|    try: return g(1)\n -|    except __eh__: raise\n",
        );
        for (input, expected) in [
            // pdb
            (
                "> case.py(3)f()\n-> try: return g(1)\n(Pdb) ",
                "> case.py(2)f()\n-> return g(1)\n(Pdb) ",
            ),
            (
                "  case.py(2)<module>()\r\n-> def f():\r\n",
                "  case.py(1)<module>()\r\n-> def f():\r\n",
            ),
            (
                "> case.py(3)f()->None\n-> other\n",
                "> case.py(2)f()->None\n-> other\n",
            ),
            // pytest
            (
                "case.py:3: in f\n    try: return g(1)\nE   ValueError: x\n",
                "case.py:2: in f\n    return g(1)\nE   ValueError: x\n",
            ),
            (
                "case.py:3: in f\n    try: return g(1)\n         ^^^^^^^^^^^\n",
                "case.py:2: in f\n    return g(1)\n    ^^^^^^^^^^^\n",
            ),
            ("case.py:3: ValueError", "case.py:2: ValueError"),
            ("case.py:3:", "case.py:2:"),
            (
                "10:30:05: WARNING:py.warnings:case.py:3: UserWarning: x:1: y\n  try: return g(1)\n",
                "10:30:05: WARNING:py.warnings:case.py:2: UserWarning: x:1: y\n  return g(1)\n",
            ),
            ("(case.py:3: x", "(case.py:2: x"),
            // tracemalloc
            (
                "Object allocated at (most recent call last):\n  File \"case.py\", lineno 3\n    try: return g(1)\n",
                "Object allocated at (most recent call last):\n  File \"case.py\", lineno 2\n    return g(1)\n",
            ),
            (
                "File \"case.py\", line 3\n  try: return g(1)",
                "File \"case.py\", line 2\n  return g(1)",
            ),
            // a place keeps its marks
            (
                "  File \"case.py\", line 3\n    try: return g(1)\n         ^^^^^^^^^^^\nSyntaxError: x",
                "  File \"case.py\", line 2\n    return g(1)\n    ^^^^^^^^^^^\nSyntaxError: x",
            ),
            // source that is not the overlay's
            (
                "  File \"case.py\", line 3, in f\n    something else\n    ^^^^\n",
                "  File \"case.py\", line 2, in f\n    something else\n    ^^^^\n",
            ),
            // marks that begin in our text, or span it
            (
                "  File \"case.py\", line 3, in f\n    try: return g(1)\n    ^^^^^^^^^^^^^\n",
                "  File \"case.py\", line 2, in f\n    return g(1)\n    ^^^^^^^^\n",
            ),
        ] {
            assert_eq!(rewrite(input, &table, Style::V311), expected);
            for end in (0..input.len()).filter(|&end| input.is_char_boundary(end)) {
                rewrite(&input[..end], &table, Style::V313);
                rewrite(&input[end..], &table, Style::V313);
            }
        }
        for input in [
            "",
            "\n",
            "\r\n\r",
            "  File \"case.py\", line 1, in f",
            "  File \"case.py\", line 4, in f\n    except __eh__: raise\n",
            "  File \"case.py\", line 99999999999, in f\n",
            "  File \"other.py\", line 3, in f\n    try: return g(1)\n",
            "other.py:3: in f\n    try: return g(1)\n",
            "> other.py(3)f()\n-> try: return g(1)\n",
            "xcase.py:3: in f\n",
            "case.py:3:5: E501\n",
            "  [Previous line repeated 993 more times]\n",
        ] {
            assert_eq!(rewrite(input, &table, Style::V311), input);
        }
    }

    /// The marks of a call tell 3.13 from its predecessors, whatever the caller assumes.
    #[test]
    fn style_is_seen() {
        let original = "def f():\n    x = g(1)\n";
        let table = Table::new(
            original,
            " -|__eh__ = ()\n 1|def f():\n 2|    try: x = g(1)\n -|    except __eh__: raise\n",
        );
        let header = "  File \"case.py\", line 3, in f\n    try: x = g(1)\n";
        let expected = "  File \"case.py\", line 2, in f\n    x = g(1)\n";
        for style in [Style::V311, Style::V313] {
            let new = format!("{header}             ~^^^\n");
            assert_eq!(rewrite(&new, &table, style), expected);
            let old = format!("{header}             ^^^^\n");
            assert_eq!(
                rewrite(&old, &table, style),
                format!("{expected}        ^^^^\n")
            );
        }
    }

    #[test]
    fn shapes_of_calls() {
        for (text, function) in [
            ("f()", "f"),
            ("f(a)(b)", "f(a)"),
            ("a.b[1].c('(', \"it's\", '''\\'''(''')", "a.b[1].c"),
            ("'%s'.join(x)", "'%s'.join"),
            ("f(\n 1,  # :-)\n)", "f"),
        ] {
            assert_eq!(call_shape(text), Some(function));
        }
        for text in [
            "",
            "f",
            "(f)",
            "f() + g()",
            "not f()",
            "await f()",
            "f(a)[0]",
            "lambda: f()",
            "-f()",
            "f(",
            "f)",
            "()",
            "'f()'",
        ] {
            assert_eq!(call_shape(text), None, "{text}");
        }
    }
}
