//! The second opinion: RustPython's parser on what was emitted.
//!
//! It takes many times as long as the first parser, so it is not asked the same thing twice. What
//! stands on one line was copied byte for byte; what healc decides is where lines begin and what
//! stands around them. So a file is taken apart into statements, in each of which a suite is one
//! `pass`, and the parser judges each *shape* (the kind of statement, its clauses, whether a suite
//! begins a line) and each *joint* (the tokens around a line break within a statement) once in the
//! life of a thread, with the first statement that has it. That the parts fit together is a matter
//! of indentation, which is compared as text. Whatever is unusual, or not to the parser's taste, is
//! decided by the whole file. The thorough proof asks about whole files only.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{self as ast, AnyNodeRef, Stmt};
use ruff_text_size::Ranged;
use rustpython_parser::Parse;
use rustpython_parser::ast::{ModModule, Suite};

use super::{Failure, failure};
use crate::source::{HOOK, position};
use crate::splice::CLASS_FILTER;
use crate::suite::{SuiteKind, for_each_suite};

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// What the parser has accepted.
type Known = HashSet<Shape, BuildHasherDefault<Spread>>;

/// A line break, among the kinds of tokens.
const BREAK: u64 = u64::MAX;

/// A hash that grows with what is added to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape(u64);

impl Shape {
    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A shape is its own hash.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are shapes");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key ^ (key >> 32);
    }
}

/// Judges `output`, which parsed to `body` and `tokens`, by its shapes.
pub fn by_shape(
    original: &str,
    output: &str,
    body: &[Stmt],
    tokens: &[Token],
) -> Result<(), Failure> {
    let accepted = KNOWN.with_borrow_mut(|known| {
        let mut parts = Parts {
            output,
            tokens,
            known,
            sample: String::new(),
        };
        parts.suite(body, Some(""))
    });
    match accepted {
        true => Ok(()),
        false => by_file(original, output),
    }
}

/// Judges the whole of `output`: it has to be accepted if the original is.
pub fn by_file(original: &str, output: &str) -> Result<(), Failure> {
    match ModModule::parse(output, "output") {
        Ok(_) => Ok(()),
        Err(_) if ModModule::parse(original, "original").is_err() => Ok(()),
        Err(error) => {
            let offset = ruff_text_size::TextSize::new(error.offset.to_u32());
            let (line, column) = position(output, offset);
            Err(failure(
                "second opinion",
                format!("output {line}:{column}: {}", error.error),
            ))
        }
    }
}

/// Where a statement stands.
enum Place<'a> {
    /// First on its line, behind these blanks.
    Line(&'a str),
    /// Behind a header or another statement.
    Behind,
    /// Behind a form feed, or joined to a line.
    Odd,
}

struct Parts<'a> {
    output: &'a str,
    tokens: &'a [Token],
    known: &'a mut Known,
    /// What the parser is asked about.
    sample: String,
}

impl<'a> Parts<'a> {
    /// `indent` is what the suite's lines must begin with; its first statement says if it is `None`.
    fn suite(&mut self, body: &'a [Stmt], mut indent: Option<&'a str>) -> bool {
        body.iter().all(|stmt| {
            let own = match self.place(stmt) {
                Place::Line(own) => Some(own),
                Place::Behind => None,
                Place::Odd => return false,
            };
            match (own, indent) {
                (Some(own), Some(indent)) if own != indent => return false,
                (Some(own), None) => indent = Some(own),
                _ => {}
            }
            self.statement(stmt, own)
        })
    }

    fn place(&self, stmt: &Stmt) -> Place<'a> {
        let before = &self.output.as_bytes()[..stmt.start().to_usize()];
        let blanks = before
            .iter()
            .rev()
            .take_while(|b| matches!(b, b' ' | b'\t'));
        let line = before.len() - blanks.count();
        match before[..line].last() {
            None | Some(b'\n' | b'\r') => Place::Line(&self.output[line..before.len()]),
            Some(b':' | b';') => Place::Behind,
            _ => Place::Odd,
        }
    }

    fn statement(&mut self, stmt: &'a Stmt, indent: Option<&'a str>) -> bool {
        let mut shape = Shape(AnyNodeRef::from(stmt).kind() as u64);
        let mut fresh = Vec::new();
        // From where the statement's own text goes on.
        let mut own = stmt.start().to_usize();
        let mut sound = true;
        for_each_suite(stmt, |kind, body| {
            let (Some(first), Some(last)) = (body.first(), body.last()) else {
                return;
            };
            if self.is_ours(stmt, kind) {
                // In the sample as it is. There are no others than those of `Form`.
                shape.add(5 + body.len() as u64 * 256 + AnyNodeRef::from(last).kind() as u64);
                own = last.end().to_usize();
                return;
            }
            let inner = match self.place(first) {
                Place::Line(inner) => Some(inner),
                _ => None,
            };
            let deeper = match (indent, inner) {
                (Some(indent), Some(inner)) => {
                    inner.len() > indent.len() && inner.starts_with(indent)
                }
                (None, Some(_)) => false,
                (_, None) => true,
            };
            sound = sound && deeper && self.suite(body, inner);
            self.stretch(
                own..first.start().to_usize(),
                indent,
                &mut shape,
                &mut fresh,
            );
            shape.add(1 + u64::from(inner.is_some()));
            own = last.end().to_usize();
        });
        if !sound {
            return false;
        }
        self.stretch(own..stmt.end().to_usize(), indent, &mut shape, &mut fresh);
        self.meet(shape, &mut fresh);
        if fresh.is_empty() {
            return true;
        }
        self.render(stmt, indent.unwrap_or(""));
        let accepted = Suite::parse(&self.sample, "sample").is_ok();
        if accepted {
            self.known.extend(fresh);
        }
        accepted
    }

    /// Whether a suite is our handler, whose text was compared with the plan.
    fn is_ours(&self, stmt: &Stmt, kind: SuiteKind) -> bool {
        if let (Stmt::Try(wrapper), SuiteKind::Handler { named: false }) = (stmt, kind)
            && let [ast::ExceptHandler::ExceptHandler(handler)] = &wrapper.handlers[..]
            && let Some(filter) = &handler.type_
        {
            let filter = &self.output[filter.range()];
            return filter == HOOK || filter == CLASS_FILTER;
        }
        false
    }

    /// Takes down what was not judged yet.
    fn meet(&self, shape: Shape, fresh: &mut Vec<Shape>) {
        if !self.known.contains(&shape) {
            fresh.push(shape);
        }
    }

    /// A stretch of a statement's own text: adds to its shape where a clause begins, and meets each
    /// line break within.
    fn stretch(
        &self,
        range: Range<usize>,
        indent: Option<&str>,
        shape: &mut Shape,
        fresh: &mut Vec<Shape>,
    ) {
        let text = &self.output[range.clone()];
        let line = text.trim_start_matches(['\n', '\r']);
        if line.len() < text.len() {
            // A clause, level with the statement.
            let level = indent.is_some_and(|indent| {
                line.strip_prefix(indent)
                    .is_some_and(|rest| !rest.starts_with([' ', '\t']))
            });
            shape.add(3 + u64::from(level));
        }
        let line = line.trim_end_matches([' ', '\t', '\n', '\r']);
        if memchr::memchr3(b'\n', b'\r', b'\x0c', line.as_bytes()).is_none() {
            return;
        }
        let bytes = self.output.as_bytes();
        let breaks = |from: usize, to: usize| {
            to > from + 1 && memchr::memchr3(b'\n', b'\r', b'\x0c', &bytes[from..to]).is_some()
        };
        let from = self
            .tokens
            .partition_point(|token| token.start().to_usize() < range.start);
        let mut before = [0, 0];
        let mut at = range.start;
        for token in &self.tokens[from..] {
            let (start, end) = (token.start().to_usize(), token.end().to_usize());
            if start >= range.end {
                break;
            }
            let kind = token.kind() as u64;
            let newline = matches!(
                token.kind(),
                TokenKind::NonLogicalNewline | TokenKind::Newline
            );
            // A break between tokens: the two in front of it and the one behind. A string with
            // breaks, a backslash that joins lines, a form feed: the tokens around it.
            let joint = before[1] == BREAK || breaks(at, start) || (!newline && breaks(start, end));
            if joint {
                let mut joint = Shape(before[0]);
                for part in [before[1], kind, u64::from(breaks(at, start))] {
                    joint.add(part);
                }
                self.meet(joint, fresh);
            }
            before = [before[1], if newline { BREAK } else { kind }];
            at = end;
        }
    }

    /// The statement with one `pass` for each suite, at its indentation.
    fn render(&mut self, stmt: &Stmt, indent: &str) {
        self.sample.clear();
        if !indent.is_empty() {
            self.sample.push_str("if x:\n");
            self.sample.push_str(indent);
        }
        let mut own = stmt.start().to_usize();
        for_each_suite(stmt, |kind, body| {
            if let (Some(first), Some(last)) = (body.first(), body.last())
                && !self.is_ours(stmt, kind)
            {
                self.sample
                    .push_str(&self.output[own..first.start().to_usize()]);
                self.sample.push_str("pass");
                own = last.end().to_usize();
            }
        });
        self.sample
            .push_str(&self.output[own..stmt.end().to_usize()]);
        self.sample.push('\n');
    }
}
