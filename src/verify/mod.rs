//! Proves a rendered file before anything is written.
//!
//! 1. It parses again, for the same target version, and a second, independent parser agrees where it
//!    knows the syntax.
//! 2. Erasing our text gives the original text back.
//! 3. Peeling our nodes gives the original tree back.
//! 4. Every planned site is there once, at its statement and in its form.
//! 5. CPython's limits on nested blocks and indentation hold wherever we added to them.

mod second;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt;

use ruff_python_ast::comparable::{ComparableExpr, ComparableStmt};
use ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtReturn, StmtTry};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

use crate::plan::{Form, Plan};
use crate::source::{HOOK, MARKER, RETURN_NAME, SourceFile, position, version};
use crate::splice::{CLASS_FILTER, PREAMBLE, RETURN_KEYWORD, Segment, Spliced, head_of_module};
use crate::suite::{SuiteKind, for_each_suite, is_compound};
use tree::Comparison;

/// How much is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Nothing: to measure what proving costs.
    None,
    /// Every check; the second parser judges each shape of a statement once.
    Usual,
    /// The second parser reads every file as a whole, and trees are compared by value, too.
    Thorough,
}

/// A check that did not hold: a fault of healc's, never of the file's.
#[derive(Debug)]
pub struct Failure {
    pub check: &'static str,
    /// What was seen, with output coordinates where there are some.
    pub detail: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.detail)
    }
}

/// Proves `spliced` to be `file` with the wrappers of `plan`, and nothing else.
pub fn verify(
    file: &SourceFile,
    plan: &Plan,
    spliced: &Spliced,
    proof: Proof,
) -> Result<(), Failure> {
    if proof == Proof::None {
        return Ok(());
    }
    erase(file.text(), &spliced.text, &spliced.segments)?;
    let options = ParseOptions::from(Mode::Module).with_target_version(version(file.target));
    let parsed = parse_unchecked(&spliced.text, options)
        .try_into_module()
        .expect("module mode yields a module");
    if let Some(error) = parsed.errors().first() {
        return Err(at(
            &spliced.text,
            "parse",
            error.location,
            &error.error.to_string(),
        ));
    }
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        return Err(at(&spliced.text, "parse", error.range, &error.to_string()));
    }
    let thorough = proof == Proof::Thorough;
    let mut peel = Peel {
        plan,
        trees: Comparison::new(&spliced.segments),
        thorough,
        text: &spliced.text,
        next_statement: 0,
        seen: vec![false; plan.sites.len()],
    };
    peel.module(file.body(), &parsed.syntax().body)?;
    if let Some(missing) = peel.seen.iter().position(|seen| !seen) {
        return Err(failure("sites", format!("site {missing} was not emitted")));
    }
    match thorough {
        true => second::by_file(file.text(), &spliced.text),
        false => second::by_shape(
            file.text(),
            &spliced.text,
            &parsed.syntax().body,
            parsed.tokens(),
        ),
    }
}

fn failure(check: &'static str, detail: String) -> Failure {
    Failure { check, detail }
}

fn at(text: &str, check: &'static str, range: ruff_text_size::TextRange, what: &str) -> Failure {
    let (line, column) = position(text, range.start());
    failure(check, format!("output {line}:{column}: {what}"))
}

/// Check 2: the segments, in order, are the original.
pub fn erase(original: &str, output: &str, segments: &[Segment]) -> Result<(), Failure> {
    let mut src = 0usize;
    let mut out = 0usize;
    for segment in segments {
        let (o, s) = (segment.out as usize, segment.src as usize);
        let (len, out_len) = (segment.len as usize, segment.out_len as usize);
        if s != src || o < out {
            return Err(failure(
                "erase",
                format!("original text from byte {src} to {s} is lost or moved"),
            ));
        }
        let kept = original.get(s..s + len);
        let same = if segment.is_copy() {
            kept.is_some() && kept == output.get(o..o + out_len)
        } else {
            kept == Some(RETURN_KEYWORD)
        };
        if !same {
            return Err(failure(
                "erase",
                format!("original text at byte {s} was changed"),
            ));
        }
        src += len;
        out = o + out_len;
    }
    if src != original.len() {
        return Err(failure(
            "erase",
            format!("original text after byte {src} is lost"),
        ));
    }
    Ok(())
}

fn is_preamble(text: &str) -> bool {
    let marked = format!("{}  {MARKER} {}", PREAMBLE[0], env!("CARGO_PKG_VERSION"));
    let expected = std::iter::once(marked.as_str()).chain(PREAMBLE[1..].iter().copied());
    // Lines may end with a carriage return alone.
    let lines = text.split(['\n', '\r']).filter(|line| !line.is_empty());
    lines.eq(expected)
}

/// Whether `text` re-raises unless site `id` says otherwise.
fn is_guard(text: &str, form: Form, id: u32) -> bool {
    let (before, after) = match form {
        Form::Class => ("if (lambda: __eh__(", "))(): raise"),
        _ => ("if __eh__(", "): raise"),
    };
    let number = text
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after));
    number == Some(itoa::Buffer::new().format(id))
}

struct Peel<'a> {
    plan: &'a Plan,
    trees: Comparison<'a>,
    thorough: bool,
    text: &'a str,
    next_statement: usize,
    seen: Vec<bool>,
}

/// Nesting of the output, counted independently of the planner.
#[derive(Clone, Copy)]
struct Depth {
    blocks: u32,
    levels: u32,
}

type Checked = Result<(), Failure>;

impl Peel<'_> {
    fn module(&mut self, original: &[Stmt], output: &[Stmt]) -> Checked {
        let depth = Depth {
            blocks: 0,
            levels: 0,
        };
        if self.plan.sites.is_empty() {
            return self.suite(original, output, depth);
        }
        let head = head_of_module(original);
        let preamble = output
            .get(head)
            .filter(|stmt| is_preamble(&self.text[stmt.range()]));
        if preamble.is_none() {
            return Err(failure(
                "peel",
                "the preamble is not where it belongs".into(),
            ));
        }
        self.suite(&original[..head], &output[..head], depth)?;
        self.suite(&original[head..], &output[head + 1..], depth)
    }

    fn suite(&mut self, original: &[Stmt], output: &[Stmt], depth: Depth) -> Checked {
        let mut out = output.iter();
        for stmt in original {
            let Some(twin) = out.next() else {
                return Err(failure(
                    "peel",
                    format!("statement {} is missing", self.next_statement),
                ));
            };
            let Some(id) = self.plan.wrapped[self.next_statement] else {
                self.statement(stmt, twin, depth)?;
                continue;
            };
            let inner = self.unwrap(id, twin, depth)?;
            let form = self.plan.sites[id as usize].form;
            let below = Depth {
                blocks: depth.blocks + 1,
                levels: depth.levels + 1,
            };
            if form == Form::ReturnCapture {
                self.captured(stmt, inner, out.next())?;
            } else {
                self.statement(stmt, inner, below)?;
            }
        }
        match out.next() {
            None => Ok(()),
            Some(extra) => Err(at(self.text, "peel", extra.range(), "a statement too many")),
        }
    }

    /// The statement inside wrapper `id`, whose shape is checked.
    fn unwrap<'s>(&mut self, id: u32, twin: &'s Stmt, depth: Depth) -> Result<&'s Stmt, Failure> {
        let text = self.text;
        let wrong = |what: &str| Err(at(text, "peel", twin.range(), what));
        let Stmt::Try(wrapper) = twin else {
            return wrong("a wrapper was expected");
        };
        let StmtTry {
            body,
            handlers,
            orelse,
            finalbody,
            ..
        } = wrapper;
        let ([inner], [ExceptHandler::ExceptHandler(handler)], [], []) =
            (&body[..], &handlers[..], &orelse[..], &finalbody[..])
        else {
            return wrong("a wrapper of another shape");
        };
        let form = self.plan.sites[id as usize].form;
        let filter = handler.type_.as_deref().map_or("", |t| &text[t.range()]);
        let name = if form == Form::Class {
            CLASS_FILTER
        } else {
            HOOK
        };
        let after = match form {
            Form::Statement => Some("if __eh__: return __eh__()"),
            Form::ReturnInline => Some("return __eh__()"),
            _ => None,
        };
        let body_matches = match (&handler.body[..], after) {
            ([guard], None) => is_guard(&text[guard.range()], form, id),
            ([guard, last], Some(after)) => {
                is_guard(&text[guard.range()], form, id) && &text[last.range()] == after
            }
            _ => false,
        };
        if filter != name || handler.name.is_some() || !body_matches {
            return wrong("a handler of another shape");
        }
        if std::mem::replace(&mut self.seen[id as usize], true) {
            return wrong("a site that was emitted twice");
        }
        if depth.blocks + 2 > 20 {
            return wrong("nested too deep for CPython's 20 blocks");
        }
        if depth.levels + 1 > 99 {
            return wrong("indented too deep for CPython's 100 levels");
        }
        Ok(inner)
    }

    fn captured(&mut self, stmt: &Stmt, inner: &Stmt, after: Option<&Stmt>) -> Checked {
        self.next_statement += 1;
        let is_name = |expr: &Expr| matches!(expr, Expr::Name(name) if name.id == RETURN_NAME);
        let value = match inner {
            Stmt::Assign(assign) if assign.targets.len() == 1 && is_name(&assign.targets[0]) => {
                Some(&assign.value)
            }
            _ => None,
        };
        let returns =
            matches!(after, Some(Stmt::Return(r)) if r.value.as_deref().is_some_and(is_name));
        let same = match (stmt, value) {
            (Stmt::Return(StmtReturn { value: Some(o), .. }), Some(value)) => {
                self.trees.same_expression(o, value)
                    && !(self.thorough && ComparableExpr::from(o) != ComparableExpr::from(value))
            }
            _ => false,
        };
        if same && returns {
            return Ok(());
        }
        Err(at(
            self.text,
            "peel",
            inner.range(),
            "a captured return of another shape",
        ))
    }

    fn statement(&mut self, original: &Stmt, output: &Stmt, depth: Depth) -> Checked {
        self.next_statement += 1;
        if !self.trees.same_statement(original, output) {
            return Err(at(
                self.text,
                "peel",
                output.range(),
                "a statement with another meaning",
            ));
        }
        if !is_compound(original) {
            if self.thorough && ComparableStmt::from(original) != ComparableStmt::from(output) {
                return Err(at(
                    self.text,
                    "peel",
                    output.range(),
                    "a statement with other values",
                ));
            }
            return Ok(());
        }
        let mut left: Vec<(SuiteKind, &[Stmt])> = Vec::new();
        for_each_suite(original, |kind, body| left.push((kind, body)));
        let mut right: Vec<(SuiteKind, &[Stmt])> = Vec::new();
        for_each_suite(output, |kind, body| right.push((kind, body)));
        if left.len() != right.len() {
            return Err(at(
                self.text,
                "peel",
                output.range(),
                "a suite more or less",
            ));
        }
        let finally = matches!(original, Stmt::Try(t) if !t.finalbody.is_empty());
        for ((kind, body), (other_kind, other_body)) in left.into_iter().zip(right) {
            if kind != other_kind {
                return Err(at(
                    self.text,
                    "peel",
                    output.range(),
                    "a suite of another kind",
                ));
            }
            let below = Depth {
                levels: depth.levels + 1,
                blocks: match kind {
                    SuiteKind::Function | SuiteKind::Class => 0,
                    SuiteKind::Branch => depth.blocks,
                    SuiteKind::LoopBody { .. } => depth.blocks + 1,
                    SuiteKind::LoopElse => depth.blocks,
                    SuiteKind::With { items } => depth.blocks + items,
                    SuiteKind::TryBody => depth.blocks + 1 + u32::from(finally),
                    SuiteKind::Handler { .. } => depth.blocks + 2 + u32::from(finally),
                    SuiteKind::TryElse => depth.blocks + u32::from(finally),
                    SuiteKind::Finally => depth.blocks + 1,
                },
            };
            self.suite(body, other_body, below)?;
        }
        Ok(())
    }
}
