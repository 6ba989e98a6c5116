//! The statement lists inside a statement, in source order.
//!
//! Every walk of healc numbers statements in this order (a statement before the statements in it),
//! so that a plan made by one walk can be read by another.

use ruff_python_ast::{ElifElseClause, ExceptHandler, MatchCase, Stmt};
use ruff_text_size::Ranged;

/// What a suite belongs to, as far as nesting and scopes care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteKind {
    Function,
    Class,
    LoopBody { is_async: bool },
    LoopElse,
    Branch,
    With { items: u32 },
    TryBody,
    Handler { named: bool },
    TryElse,
    Finally,
}

/// Calls `f` for each suite of `stmt`.
pub fn for_each_suite<'a>(stmt: &'a Stmt, mut f: impl FnMut(SuiteKind, &'a [Stmt])) {
    match stmt {
        Stmt::FunctionDef(s) => f(SuiteKind::Function, &s.body),
        Stmt::ClassDef(s) => f(SuiteKind::Class, &s.body),
        Stmt::For(s) => {
            let is_async = s.is_async;
            f(SuiteKind::LoopBody { is_async }, &s.body);
            some(SuiteKind::LoopElse, &s.orelse, &mut f);
        }
        Stmt::While(s) => {
            f(SuiteKind::LoopBody { is_async: false }, &s.body);
            some(SuiteKind::LoopElse, &s.orelse, &mut f);
        }
        Stmt::If(s) => {
            f(SuiteKind::Branch, &s.body);
            for ElifElseClause { body, .. } in &s.elif_else_clauses {
                f(SuiteKind::Branch, body);
            }
        }
        Stmt::With(s) => {
            let items = s.items.len() as u32;
            f(SuiteKind::With { items }, &s.body);
        }
        Stmt::Match(s) => {
            for MatchCase { body, .. } in &s.cases {
                f(SuiteKind::Branch, body);
            }
        }
        Stmt::Try(s) => {
            f(SuiteKind::TryBody, &s.body);
            for ExceptHandler::ExceptHandler(handler) in &s.handlers {
                let named = handler.name.is_some();
                f(SuiteKind::Handler { named }, &handler.body);
            }
            some(SuiteKind::TryElse, &s.orelse, &mut f);
            some(SuiteKind::Finally, &s.finalbody, &mut f);
        }
        _ => {}
    }
}

fn some<'a>(kind: SuiteKind, body: &'a [Stmt], f: &mut impl FnMut(SuiteKind, &'a [Stmt])) {
    if !body.is_empty() {
        f(kind, body);
    }
}

/// Whether the statement has suites.
pub fn is_compound(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::If(_)
            | Stmt::With(_)
            | Stmt::Match(_)
            | Stmt::Try(_)
    )
}

/// Where the statement's own header ends: the start of its first suite, or the statement's end.
pub fn header_end(stmt: &Stmt) -> u32 {
    let mut end = None;
    for_each_suite(stmt, |_, body| {
        if end.is_none() {
            end = body.first().map(|first| first.start().to_u32());
        }
    });
    end.unwrap_or(stmt.end().to_u32())
}
