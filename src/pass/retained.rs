//! May a returned value stay in a local of its frame without anybody being able to tell?
//!
//! A frame can outlive its call: a callee that stores an exception keeps the traceback, and with it
//! every frame below. A value that `_eh_rtn` holds there lives longer than in the original, which
//! destructors and weak references notice. So `--returns auto` captures only values that the
//! frame keeps anyway (its own locals), or whose lifetime cannot be seen (a bool, a new string, a
//! tuple of such).

use ruff_python_ast::{CmpOp, Expr, Stmt, StmtFunctionDef, UnaryOp};

use crate::source::SourceFile;
use crate::suite::for_each_suite;

pub fn is_retained(file: &SourceFile, def: &StmtFunctionDef, value: &Expr) -> bool {
    match value {
        Expr::Name(name) => !file.has_nonlocal && is_local(def, &name.id),
        Expr::UnaryOp(op) => op.op == UnaryOp::Not,
        Expr::Compare(compare) => compare
            .ops
            .iter()
            .all(|op| matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn)),
        Expr::FString(_)
        | Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().all(|item| is_retained(file, def, item)),
        _ => false,
    }
}

fn is_local(def: &StmtFunctionDef, name: &str) -> bool {
    let parameter = def
        .parameters
        .iter()
        .any(|parameter| parameter.name().as_str() == name);
    let mut found = Found::default();
    bindings(&def.body, name, &mut found);
    !found.global && (parameter || found.bound)
}

#[derive(Default)]
struct Found {
    bound: bool,
    global: bool,
}

/// Looks for plain bindings of `name` in the function's own scope. Rarer forms (walrus, patterns)
/// are not looked for: missing one means the inline form, never a wrong one.
fn bindings(body: &[Stmt], name: &str, found: &mut Found) {
    for stmt in body {
        match stmt {
            Stmt::Assign(s) => found.bound |= s.targets.iter().any(|t| binds(t, name)),
            Stmt::AnnAssign(s) => found.bound |= s.value.is_some() && binds(&s.target, name),
            Stmt::AugAssign(s) => found.bound |= binds(&s.target, name),
            Stmt::For(s) => found.bound |= binds(&s.target, name),
            Stmt::With(s) => {
                found.bound |= s.items.iter().any(|item| {
                    item.optional_vars
                        .as_deref()
                        .is_some_and(|t| binds(t, name))
                });
            }
            Stmt::Global(s) => found.global |= s.names.iter().any(|n| n.as_str() == name),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => continue,
            _ => {}
        }
        for_each_suite(stmt, |_, inner| bindings(inner, name, found));
    }
}

fn binds(target: &Expr, name: &str) -> bool {
    match target {
        Expr::Name(target) => target.id.as_str() == name,
        Expr::Tuple(tuple) => tuple.elts.iter().any(|t| binds(t, name)),
        Expr::List(list) => list.elts.iter().any(|t| binds(t, name)),
        Expr::Starred(starred) => binds(&starred.value, name),
        _ => false,
    }
}
