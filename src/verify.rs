//! Proves a rendered file before anything is written.
//!
//! 1. It parses again, for the same target version, and a second, independent parser agrees where it
//!    knows the syntax.
//! 2. Erasing our text gives the original text back.
//! 3. Peeling our nodes gives the original tree back.
//! 4. Every planned site is there once, at its statement and in its form.
//! 5. CPython's limits on nested blocks and indentation hold wherever we added to them.

use std::fmt;

use ruff_python_ast::comparable::{
    ComparableArguments, ComparableDecorator, ComparableExpr, ComparableParameters,
    ComparablePattern, ComparableStmt, ComparableTypeParams, ComparableWithItem,
};
use ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtTry};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

use crate::plan::{Form, Plan};
use crate::source::{HOOK, RETURN_NAME, SourceFile, position, version};
use crate::splice::{PREAMBLE, RETURN_KEYWORD, Segment, Spliced, head_of_module};
use crate::suite::{SuiteKind, for_each_suite};

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
pub fn verify(file: &SourceFile, plan: &Plan, spliced: &Spliced) -> Result<(), Failure> {
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
    let mut peel = Peel {
        plan,
        text: &spliced.text,
        next_statement: 0,
        seen: vec![false; plan.sites.len()],
    };
    peel.module(file.body(), &parsed.syntax().body)?;
    if let Some(missing) = peel.seen.iter().position(|seen| !seen) {
        return Err(failure("sites", format!("site {missing} was not emitted")));
    }
    second_opinion(file.text(), &spliced.text)
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

/// Check 1, second half: RustPython's parser takes the output if it takes the original.
fn second_opinion(original: &str, output: &str) -> Result<(), Failure> {
    use rustpython_parser::Parse;
    use rustpython_parser::ast::ModModule;
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

struct Peel<'a> {
    plan: &'a Plan,
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
            .filter(|stmt| self.text[stmt.range()].starts_with(PREAMBLE[0]));
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
        let mut expected = match form {
            Form::Class => vec![format!("if (lambda: {HOOK}({id}))(): raise")],
            _ => vec![format!("if {HOOK}({id}): raise")],
        };
        match form {
            Form::Statement => expected.push(format!("if {HOOK}: return {HOOK}()")),
            Form::ReturnInline => expected.push(format!("return {HOOK}()")),
            _ => {}
        }
        let name = if form == Form::Class {
            "(lambda: __eh__)()"
        } else {
            HOOK
        };
        let body_matches = handler.body.len() == expected.len()
            && handler
                .body
                .iter()
                .zip(&expected)
                .all(|(stmt, expected)| &text[stmt.range()] == expected);
        if filter.trim() != name || handler.name.is_some() || !body_matches {
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
            (Stmt::Return(original), Some(value)) => original
                .value
                .as_ref()
                .is_some_and(|o| ComparableExpr::from(o) == ComparableExpr::from(value)),
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
        if !crate::suite::is_compound(original) {
            if ComparableStmt::from(original) == ComparableStmt::from(output) {
                return Ok(());
            }
            return Err(at(
                self.text,
                "peel",
                output.range(),
                "a statement with another meaning",
            ));
        }
        if !same_header(original, output) {
            return Err(at(
                self.text,
                "peel",
                output.range(),
                "a compound statement with another meaning",
            ));
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

/// Everything of a compound statement but its suites.
fn same_header(a: &Stmt, b: &Stmt) -> bool {
    fn expr(a: &Expr, b: &Expr) -> bool {
        ComparableExpr::from(a) == ComparableExpr::from(b)
    }
    fn optional(a: Option<&Expr>, b: Option<&Expr>) -> bool {
        a.map(ComparableExpr::from) == b.map(ComparableExpr::from)
    }
    fn each<'a, T, C: PartialEq + From<&'a T>>(a: &'a [T], b: &'a [T]) -> bool {
        a.iter().map(C::from).eq(b.iter().map(C::from))
    }
    match (a, b) {
        (Stmt::FunctionDef(a), Stmt::FunctionDef(b)) => {
            a.is_async == b.is_async
                && a.name.as_str() == b.name.as_str()
                && each::<_, ComparableDecorator>(&a.decorator_list, &b.decorator_list)
                && ComparableParameters::from(&a.parameters)
                    == ComparableParameters::from(&b.parameters)
                && a.type_params.as_ref().map(ComparableTypeParams::from)
                    == b.type_params.as_ref().map(ComparableTypeParams::from)
                && optional(a.returns.as_deref(), b.returns.as_deref())
        }
        (Stmt::ClassDef(a), Stmt::ClassDef(b)) => {
            a.name.as_str() == b.name.as_str()
                && each::<_, ComparableDecorator>(&a.decorator_list, &b.decorator_list)
                && a.arguments.as_ref().map(ComparableArguments::from)
                    == b.arguments.as_ref().map(ComparableArguments::from)
                && a.type_params.as_ref().map(ComparableTypeParams::from)
                    == b.type_params.as_ref().map(ComparableTypeParams::from)
        }
        (Stmt::For(a), Stmt::For(b)) => {
            a.is_async == b.is_async && expr(&a.target, &b.target) && expr(&a.iter, &b.iter)
        }
        (Stmt::While(a), Stmt::While(b)) => expr(&a.test, &b.test),
        (Stmt::If(a), Stmt::If(b)) => {
            let tests = |s: &'_ ruff_python_ast::StmtIf| s.elif_else_clauses.len();
            expr(&a.test, &b.test)
                && tests(a) == tests(b)
                && a.elif_else_clauses
                    .iter()
                    .zip(&b.elif_else_clauses)
                    .all(|(a, b)| optional(a.test.as_ref(), b.test.as_ref()))
        }
        (Stmt::With(a), Stmt::With(b)) => {
            a.is_async == b.is_async && each::<_, ComparableWithItem>(&a.items, &b.items)
        }
        (Stmt::Match(a), Stmt::Match(b)) => {
            expr(&a.subject, &b.subject)
                && a.cases.len() == b.cases.len()
                && a.cases.iter().zip(&b.cases).all(|(a, b)| {
                    ComparablePattern::from(&a.pattern) == ComparablePattern::from(&b.pattern)
                        && optional(a.guard.as_deref(), b.guard.as_deref())
                })
        }
        (Stmt::Try(a), Stmt::Try(b)) => {
            a.is_star == b.is_star
                && a.handlers.len() == b.handlers.len()
                && a.handlers.iter().zip(&b.handlers).all(|(a, b)| {
                    let (ExceptHandler::ExceptHandler(a), ExceptHandler::ExceptHandler(b)) = (a, b);
                    optional(a.type_.as_deref(), b.type_.as_deref())
                        && a.name.as_ref().map(|n| n.as_str())
                            == b.name.as_ref().map(|n| n.as_str())
                })
        }
        _ => false,
    }
}
