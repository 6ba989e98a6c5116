//! Renders a plan: the original text with wrappers spliced in.
//!
//! The original is never reprinted. Text is only inserted, but for the keyword of a captured
//! `return`, which `_eh_rtn =` takes the place of. A wrapped statement moves one level to the right
//! below its `try:`, continuations with it, so that tracebacks show the source line that they showed
//! before. Lines that begin within a string never move. The segments that tell copied text from ours
//! are written in the same loop as the text, so the two cannot drift apart.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::plan::{Form, Plan};
use crate::source::{HOOK, Line, MARKER, RETURN_NAME, Row, RowKind, SourceFile};
use crate::suite::for_each_suite;

/// A stretch of output text that leads back to the original. What lies between is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Offset in the output text.
    pub out: u32,
    /// Offset in the original text.
    pub src: u32,
    /// Length in the original.
    pub len: u32,
    /// Length in the output: equal to `len` but for a keyword that was replaced.
    pub out_len: u32,
}

impl Segment {
    pub fn is_copy(&self) -> bool {
        self.len == self.out_len
    }
}

/// The rendered file, as UTF-8 text without a byte order mark.
pub struct Spliced {
    pub text: String,
    pub segments: Vec<Segment>,
}

/// What a handler in a class body catches: looked up past the class namespace.
pub const CLASS_FILTER: &str = "(lambda: __eh__)()";

/// The keyword that a captured return gives up.
pub const RETURN_KEYWORD: &str = "return";

/// Lines that find the runtime, or do without, and leave no name behind. `lambda` keeps look-ups
/// away from a namespace that watches them; the finalizers put the name back when the interpreter
/// restores `builtins` at its end, and again when it clears them, before the last destructors run.
pub const PREAMBLE: &[&str] = &[
    "try: (lambda: __eh__)()",
    "except:",
    "    try: (lambda: (__import__('_eh_runtime'), __eh__))()",
    "    except:",
    "        try: (lambda: (lambda b: (setattr(b, '__eh__', type('', (tuple,), {'__del__': lambda s: b.__setattr__('__eh__', type('', (tuple,), {'__del__': lambda s: b.__setattr__('__eh__', ())})())})()), __eh__))(__import__('builtins')))()",
    "        except:",
    "            try: (lambda: __builtins__.__setitem__('__eh__', ()))()",
    "            except:",
    "                try: (lambda: __builtins__.__setattr__('__eh__', ()))()",
    "                except: pass",
];

pub fn splice(file: &SourceFile, plan: &Plan) -> Spliced {
    let text = file.text();
    let mut splicer = Splicer {
        file,
        plan,
        text,
        out: String::with_capacity(text.len() * 5 / 4 + plan.sites.len() * 140 + 1024),
        segments: Vec::with_capacity(plan.sites.len() * 3),
        copied: 0,
        next_statement: 0,
        next_row: 0,
        shifts: Vec::new(),
        preamble_due: !plan.sites.is_empty(),
        last_line: Cell::new(0),
    };
    splicer.suite(file.body(), None);
    splicer.copy_to(text.len() as u32);
    Spliced {
        text: splicer.out,
        segments: splicer.segments,
    }
}

/// Lines of a wrapped statement that move one level to the right.
struct Shift {
    /// The lines that move as a whole: all but the first, which follows our `try:`. Continuations
    /// of the first move, too.
    lines: Range<usize>,
    /// Where on the line the indentation goes in: behind the statement's own.
    prefix: usize,
    unit: &'static str,
}

struct Splicer<'a> {
    file: &'a SourceFile,
    plan: &'a Plan,
    text: &'a str,
    out: String,
    segments: Vec<Segment>,
    /// How far the original has been copied.
    copied: u32,
    next_statement: usize,
    /// The next row whose start was not reached yet.
    next_row: usize,
    shifts: Vec<Shift>,
    preamble_due: bool,
    last_line: Cell<usize>,
}

impl<'a> Splicer<'a> {
    /// Renders a suite; `header` is the line of the statement that it belongs to, and the
    /// indentation that the output gives to that line.
    fn suite(&mut self, body: &'a [Stmt], header: Option<(usize, &str)>) {
        let Some(first) = body.first() else { return };
        let on_header_line = header.is_some() && !self.starts_line(first);
        let breaks = on_header_line && self.any_wrapped(body);
        let own_indent: Option<Rc<str>> = match header {
            Some((line, header)) if on_header_line => {
                let start = first.start().to_u32();
                // `else:` and `case` have lines of their own, moved with the compound.
                let header = if self.line_at(start) == line {
                    header.to_string()
                } else {
                    self.indent_of(self.blanks(start)).to_string()
                };
                Some(Rc::from(format!("{header}{}", self.unit(&header))))
            }
            _ => None,
        };
        let skip = if header.is_none() {
            head_of_module(body)
        } else {
            0
        };
        let mut previous: Option<Wrapper> = None;
        // Statements of a suite share their indentation; those on one line, that of the line.
        let mut shared: Option<(&str, Rc<str>)> = None;
        for (index, stmt) in body.iter().enumerate() {
            let start = stmt.start().to_u32();
            let starts_line = self.starts_line(stmt);
            let indent = match (&own_indent, &shared) {
                (Some(indent), _) => Rc::clone(indent),
                (None, Some((blanks, indent))) if *blanks == self.blanks(start) => {
                    Rc::clone(indent)
                }
                (None, _) => {
                    let blanks = self.blanks(start);
                    let indent = self.indent_of(blanks);
                    shared = Some((blanks, Rc::clone(&indent)));
                    indent
                }
            };
            let wrapped = self.plan.wrapped[self.next_statement].is_some();
            let preamble = self.preamble_due && header.is_none() && index == skip;
            if !starts_line {
                let needs_line = wrapped || previous.is_some() || preamble;
                if (index == 0 && breaks) || (index > 0 && needs_line) {
                    self.copy_to(start);
                    self.insert(self.file.newline);
                    if let Some(wrapper) = previous.take() {
                        self.close(&wrapper);
                    }
                    if preamble {
                        self.preamble();
                    }
                    self.insert(&indent);
                }
            } else if preamble {
                let line = self.line_at(start);
                self.copy_to(self.file.lines[line].start);
                self.preamble();
            }
            debug_assert!(previous.is_none());
            previous = self.statement(stmt, indent);
            let next_on_same_line = body
                .get(index + 1)
                .is_some_and(|next| !self.starts_line(next));
            if !next_on_same_line && let Some(wrapper) = previous.take() {
                self.finish_line(stmt.end().to_u32());
                self.close(&wrapper);
            }
        }
    }

    /// Renders one statement; returns the wrapper that is still to be closed.
    fn statement(&mut self, stmt: &'a Stmt, indent: Rc<str>) -> Option<Wrapper> {
        let number = self.next_statement;
        self.next_statement += 1;
        let start = stmt.start().to_u32();
        let Some(id) = self.plan.wrapped[number] else {
            if crate::suite::is_compound(stmt) {
                let line = self.line_at(header_line_offset(stmt));
                for_each_suite(stmt, |_, body| self.suite(body, Some((line, &indent))));
            }
            return None;
        };
        let form = self.plan.sites[id as usize].form;
        let unit = self.unit(&indent);
        self.copy_to(start);
        self.insert("try:");
        self.insert(self.file.newline);
        self.insert(&indent);
        self.insert(unit);
        let first = self.line_at(start);
        let last = self.line_at(stmt.end().to_u32().saturating_sub(1).max(start));
        let Line {
            start,
            first: blank,
            ..
        } = self.file.lines[first];
        self.shifts.push(Shift {
            lines: first + 1..last + 1,
            prefix: self.file.indentation(start, blank).len(),
            unit,
        });
        if form == Form::ReturnCapture {
            self.replace_keyword();
        }
        if crate::suite::is_compound(stmt) {
            let inner = format!("{indent}{unit}");
            for_each_suite(stmt, |_, body| self.suite(body, Some((first, &inner))));
            self.finish_line(stmt.end().to_u32());
        } else {
            self.copy_to(stmt.end().to_u32());
        }
        self.shifts.pop();
        Some(Wrapper {
            id,
            form,
            indent,
            unit,
        })
    }

    /// Copies up to and with the end of the line that holds `end`.
    fn finish_line(&mut self, end: u32) {
        let line = self.file.lines[self.line_at(end.saturating_sub(1))];
        self.copy_to(line.end);
        // A handler that was just closed ended the line already.
        if !line.terminated && !self.ends_with_ours() {
            self.insert(self.file.newline);
        }
    }

    fn close(&mut self, wrapper: &Wrapper) {
        let Wrapper {
            id,
            form,
            indent,
            unit,
        } = wrapper;
        let mut number = itoa::Buffer::new();
        let id = number.format(*id);
        let mut line = |depth: &str, parts: [&str; 3]| {
            self.out.push_str(indent);
            self.out.push_str(depth);
            for part in parts {
                self.out.push_str(part);
            }
            self.out.push_str(self.file.newline);
        };
        match form {
            Form::Class => {
                line("", ["except ", CLASS_FILTER, ":"]);
                line(unit, ["if (lambda: __eh__(", id, "))(): raise"]);
            }
            _ => {
                line("", ["except ", HOOK, ":"]);
                line(unit, ["if __eh__(", id, "): raise"]);
            }
        }
        match form {
            Form::Statement => line(unit, ["if __eh__: return __eh__()", "", ""]),
            Form::ReturnInline => line(unit, ["return __eh__()", "", ""]),
            Form::ReturnCapture => line("", ["return ", RETURN_NAME, ""]),
            Form::NoReturn | Form::Class => {}
        }
    }

    fn preamble(&mut self) {
        self.preamble_due = false;
        for (index, line) in PREAMBLE.iter().enumerate() {
            self.insert(line);
            if index == 0 {
                self.insert("  ");
                self.insert(MARKER);
                self.insert(" ");
                self.insert(env!("CARGO_PKG_VERSION"));
            }
            self.insert(self.file.newline);
        }
    }

    /// Copies the original up to `end`, shifting the lines of wrapped statements.
    fn copy_to(&mut self, end: u32) {
        while let Some(row) = self.file.rows.get(self.next_row) {
            if row.start >= end {
                break;
            }
            self.next_row += 1;
            // What was copied already stands behind our text.
            if row.start >= self.copied && !self.shifts.is_empty() {
                self.shift(row);
            }
        }
        self.copy_raw(end);
    }

    fn shift(&mut self, row: &Row) {
        let blanks = self.file.indentation(row.start, row.first);
        if row.kind != RowKind::Logical && !self.is_uniform(&blanks) {
            // Here indentation means nothing, and some parsers mind blanks before tabs.
            return;
        }
        let line = row.line as usize;
        for i in 0..self.shifts.len() {
            let Shift {
                ref lines,
                prefix,
                unit,
            } = self.shifts[i];
            let continues = row.kind == RowKind::Continuation && line + 1 == lines.start;
            if continues || lines.contains(&line) {
                self.copy_raw((blanks.start + prefix).min(blanks.end) as u32);
                self.insert(unit);
            }
        }
    }

    /// Whether blanks and all that would be put into them are of one kind.
    fn is_uniform(&self, blanks: &Range<usize>) -> bool {
        let units = self.shifts.iter().map(|shift| shift.unit.as_bytes()[0]);
        let mut bytes = self.text.as_bytes()[blanks.clone()]
            .iter()
            .copied()
            .chain(units);
        match bytes.next() {
            Some(first) => bytes.all(|byte| byte == first),
            None => true,
        }
    }

    fn copy_raw(&mut self, end: u32) {
        if end <= self.copied {
            return;
        }
        let (src, len) = (self.copied, end - self.copied);
        let out = self.out.len() as u32;
        self.out.push_str(&self.text[src as usize..end as usize]);
        self.copied = end;
        match self.segments.last_mut() {
            Some(last)
                if last.is_copy() && last.out + last.len == out && last.src + last.len == src =>
            {
                last.len += len;
                last.out_len += len;
            }
            _ => self.segments.push(Segment {
                out,
                src,
                len,
                out_len: len,
            }),
        }
    }

    /// Whether the last thing written was ours.
    fn ends_with_ours(&self) -> bool {
        self.segments
            .last()
            .is_none_or(|last| last.out + last.out_len < self.out.len() as u32)
    }

    fn insert(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// `return` becomes `_eh_rtn =`.
    fn replace_keyword(&mut self) {
        let src = self.copied;
        let len = RETURN_KEYWORD.len() as u32;
        debug_assert_eq!(
            &self.text[src as usize..(src + len) as usize],
            RETURN_KEYWORD
        );
        let out = self.out.len() as u32;
        self.out.push_str(RETURN_NAME);
        self.out.push_str(" =");
        self.segments.push(Segment {
            out,
            src,
            len,
            out_len: self.out.len() as u32 - out,
        });
        self.copied = src + len;
    }

    /// The line that holds an offset; it is mostly near the one that was asked for last.
    fn line_at(&self, offset: u32) -> usize {
        let lines = &self.file.lines;
        let last = self.last_line.get();
        let holds =
            |line: usize| offset < lines[line].end && (line == 0 || lines[line - 1].end <= offset);
        let mut near = last.saturating_sub(1)..lines.len().min(last + 6);
        let line = near.find(|line| holds(*line));
        let line = line.unwrap_or_else(|| self.file.line_at(offset));
        self.last_line.set(line);
        line
    }

    fn starts_line(&self, stmt: &Stmt) -> bool {
        let start = stmt.start().to_u32();
        self.file.lines[self.line_at(start)].token == start
    }

    /// Whether any statement of a suite on its header's line is wrapped. Such a suite holds simple
    /// statements only.
    fn any_wrapped(&self, body: &[Stmt]) -> bool {
        self.plan.wrapped[self.next_statement..self.next_statement + body.len()]
            .iter()
            .any(Option::is_some)
    }

    /// The blanks that the line of the statement at `start` begins with.
    fn blanks(&self, start: u32) -> &'a str {
        let Line { start, first, .. } = self.file.lines[self.line_at(start)];
        &self.text[self.file.indentation(start, first)]
    }

    /// The indentation that the output gives to a line that begins with `blanks`.
    fn indent_of(&self, blanks: &str) -> Rc<str> {
        if self.shifts.is_empty() {
            return Rc::from(blanks);
        }
        let mut indent = String::with_capacity(blanks.len() + self.shifts.len() * 4);
        let mut at = 0;
        for shift in &self.shifts {
            let to = shift.prefix.clamp(at, blanks.len().max(at));
            indent.push_str(&blanks[at..to]);
            indent.push_str(shift.unit);
            at = to;
        }
        indent.push_str(&blanks[at..]);
        Rc::from(indent)
    }

    /// One more level below `indent`, in the file's own way.
    fn unit(&self, indent: &str) -> &'static str {
        let tabs = match indent.as_bytes().last() {
            Some(last) => *last == b'\t',
            None => self.file.indent.starts_with('\t'),
        };
        if tabs {
            return "\t";
        }
        match self.file.indent.as_str() {
            " " => " ",
            "  " => "  ",
            "   " => "   ",
            "        " => "        ",
            _ => "    ",
        }
    }
}

/// A wrapper whose handler is still to be written.
struct Wrapper {
    id: u32,
    form: Form,
    indent: Rc<str>,
    unit: &'static str,
}

/// An offset on the line that ends with the first suite's colon: behind decorators.
fn header_line_offset(stmt: &Stmt) -> u32 {
    match stmt {
        Stmt::FunctionDef(def) => def.name.start().to_u32(),
        Stmt::ClassDef(def) => def.name.start().to_u32(),
        _ => stmt.start().to_u32(),
    }
}

/// Statements that must stay in front of the preamble: the docstring and `from __future__`. Up to
/// 3.12 CPython takes `from .__future__` for one, too.
pub fn head_of_module(body: &[Stmt]) -> usize {
    let mut index = 0;
    if let Some(Stmt::Expr(first)) = body.first()
        && matches!(*first.value, Expr::StringLiteral(_))
    {
        index = 1;
    }
    while let Some(Stmt::ImportFrom(import)) = body.get(index)
        && import.module.as_deref() == Some("__future__")
    {
        index += 1;
    }
    index
}
