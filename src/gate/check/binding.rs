//! Which names the code binds, and where an assignment may go.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, ExprContext, Pattern, Stmt};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::super::policy::{Builtin, is_dunder};
use super::{Checker, ImportMap, Role, Thing};

/// What an import binds a name to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Imported {
    Module(String),
    Member(String, String),
}

/// Names that are bound anywhere in the code: by then the order does not count, since nothing
/// tells which statements really run.
#[derive(Default)]
pub(super) struct Bindings<'a> {
    pub(super) imports: ImportMap<'a>,
    pub(super) stored: HashSet<&'a str>,
    pub(super) deleted: HashSet<&'a str>,
    /// Names that an import on the top level binds, and where it ends: after it, it has run.
    pub(super) sure: HashMap<&'a str, TextSize>,
    /// Names that are bound to the result of `type(...)`.
    pub(super) classes: HashSet<&'a str>,
    /// Imports that bind a name to something else than an earlier one.
    clashes: Vec<(&'a str, TextRange)>,
    places: HashMap<&'a str, TextRange>,
    top_level: bool,
}

impl<'a> Bindings<'a> {
    pub(super) fn of(body: &'a [Stmt]) -> Self {
        let mut bindings = Self::default();
        for stmt in body {
            bindings.top_level = matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_));
            bindings.visit_stmt(stmt);
        }
        bindings
    }

    fn store(&mut self, name: &'a str, range: TextRange) {
        self.stored.insert(name);
        self.places.entry(name).or_insert(range);
    }

    fn import(&mut self, name: &'a str, what: Imported, range: TextRange) {
        if self.imports.get(name).is_some_and(|old| *old != what) {
            self.clashes.push((name, range));
        }
        self.imports.insert(name, what);
        if self.top_level {
            self.sure.entry(name).or_insert(range.end());
        }
    }
}

impl<'a> Visitor<'a> for Bindings<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(s) => {
                for alias in &s.names {
                    let dotted = alias.name.as_str();
                    let (name, module, range) = match &alias.asname {
                        Some(name) => (name.as_str(), dotted, name.range()),
                        None => {
                            let root = dotted.split('.').next().unwrap_or(dotted);
                            (root, root, alias.name.range())
                        }
                    };
                    self.import(name, Imported::Module(module.to_string()), range);
                }
            }
            Stmt::ImportFrom(s) => {
                for alias in &s.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    let module = s.module.as_ref().map_or("", |module| module.as_str());
                    let what = Imported::Member(module.to_string(), alias.name.to_string());
                    self.import(name.as_str(), what, name.range());
                }
            }
            Stmt::Assign(s) => {
                let typed = matches!(&*s.value, Expr::Call(call)
                    if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "type"));
                for target in &s.targets {
                    if let (Expr::Name(name), true) = (target, typed) {
                        self.classes.insert(name.id.as_str());
                    }
                }
            }
            Stmt::FunctionDef(s) => self.store(s.name.as_str(), s.name.range()),
            Stmt::ClassDef(s) => self.store(s.name.as_str(), s.name.range()),
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            match name.ctx {
                ExprContext::Store => self.store(name.id.as_str(), name.range()),
                ExprContext::Del => {
                    self.deleted.insert(name.id.as_str());
                }
                _ => {}
            }
        }
        visitor::walk_expr(self, expr);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.store(name.as_str(), name.range());
            // The name is unbound when the handler ends.
            self.deleted.insert(name.as_str());
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_parameter(&mut self, parameter: &'a ast::Parameter) {
        self.store(parameter.name.as_str(), parameter.name.range());
        visitor::walk_parameter(self, parameter);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(p) => p.name.as_ref(),
            Pattern::MatchStar(p) => p.name.as_ref(),
            Pattern::MatchMapping(p) => p.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.store(name.as_str(), name.range());
        }
        visitor::walk_pattern(self, pattern);
    }
}

impl<'a> Checker<'a> {
    /// Names whose meaning depends on which statements run.
    pub(super) fn binding_conflicts(&mut self) {
        for (name, range) in std::mem::take(&mut self.bindings.clashes) {
            self.report(
                range,
                "module-rebound",
                format!("`{name}` is imported twice, as different things"),
            );
        }
        let mut both: Vec<_> = self
            .bindings
            .imports
            .keys()
            .filter_map(|name| self.bindings.places.get(name).map(|range| (*range, *name)))
            .collect();
        both.sort_by_key(|(range, _)| range.start());
        for (range, name) in both {
            self.report(
                range,
                "module-rebound",
                format!("`{name}` is both imported and assigned"),
            );
        }
    }

    /// The target of an assignment or deletion.
    pub(super) fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) if name.ctx == ExprContext::Del => {
                self.probe(name, "delete", "delete names");
                self.binding_name(name.id.as_str(), name.range());
                if name.id.as_str() == self.policy.return_slot() {
                    self.report(
                        name,
                        "reserved-name",
                        format!("`{}` can only be assigned", name.id),
                    );
                }
            }
            Expr::Name(name) if name.id.as_str() == self.policy.return_slot() => {
                self.probe(name, "return-slot", "set the return value");
            }
            Expr::Name(name) => self.binding_name(name.id.as_str(), name.range()),
            Expr::Tuple(_) | Expr::List(_) | Expr::Starred(_) => {
                let (kind, _, what) = super::expression_kind(target);
                if !self.policy.allows_expression(kind) {
                    self.report(
                        target,
                        "expression",
                        format!("{what} is not part of HealCore"),
                    );
                }
                match target {
                    Expr::Tuple(tuple) => tuple.iter().for_each(|element| self.target(element)),
                    Expr::List(list) => list.iter().for_each(|element| self.target(element)),
                    Expr::Starred(starred) => self.target(&starred.value),
                    _ => {}
                }
            }
            Expr::Attribute(attribute) => {
                match attribute.ctx {
                    ExprContext::Del => self.probe(target, "delete", "delete attributes"),
                    _ => self.probe(target, "attribute-store", "assign attributes"),
                }
                self.module_store(target, &attribute.value);
                self.expr(target, Role::Value);
            }
            Expr::Subscript(subscript) => {
                match subscript.ctx {
                    ExprContext::Del => self.probe(target, "delete", "delete items"),
                    _ => self.probe(target, "item-store", "assign items"),
                }
                self.module_store(target, &subscript.value);
                self.expr(target, Role::Value);
            }
            _ => {
                self.report(target, "target", "this cannot be assigned to");
                self.expr(target, Role::Value);
            }
        }
    }

    /// Where only names are bound: loops, comprehensions, `:=`.
    pub(super) fn loop_target(&mut self, target: &'a Expr, what: &str) {
        match target {
            Expr::Name(name) => {
                self.binding_name(name.id.as_str(), name.range());
                if name.id.as_str() == self.policy.return_slot() {
                    self.report(
                        name,
                        "reserved-name",
                        format!("`{}` can only be assigned", name.id),
                    );
                }
            }
            Expr::Tuple(tuple) => tuple
                .iter()
                .for_each(|element| self.loop_target(element, what)),
            Expr::List(list) => list
                .iter()
                .for_each(|element| self.loop_target(element, what)),
            Expr::Starred(starred) => self.loop_target(&starred.value, what),
            _ => {
                self.report(target, "target", format!("a {what} target must be a name"));
                if let Expr::Attribute(attribute) = target {
                    self.module_store(target, &attribute.value);
                }
                self.expr(target, Role::Value);
            }
        }
    }

    pub(super) fn with_target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(_) => self.loop_target(target, "with"),
            _ => {
                self.report(target, "target", "the target of `with` must be a name");
                self.expr(target, Role::Value);
            }
        }
    }

    /// A store into a module or class of the standard library.
    fn module_store(&mut self, target: &'a Expr, base: &'a Expr) {
        if let thing @ (Thing::Module(_) | Thing::Member(..)) = self.root_thing(base) {
            let what = match thing {
                Thing::Module(module) => format!("the module `{module}`"),
                Thing::Member(module, name) => format!("`{module}.{name}`"),
                _ => return,
            };
            self.report(
                target,
                "module-store",
                format!("{what} belongs to the whole process"),
            );
        }
    }

    /// What the beginning of a chain of attributes and items is.
    fn root_thing(&self, mut expr: &'a Expr) -> Thing {
        loop {
            match self.thing(expr) {
                Thing::Live => {}
                thing => return thing,
            }
            expr = match expr {
                Expr::Attribute(attribute) => &attribute.value,
                Expr::Subscript(subscript) => &subscript.value,
                _ => return Thing::Live,
            };
        }
    }

    /// A name that the code binds, by whatever construct.
    pub(super) fn binding_name(&mut self, name: &str, range: TextRange) {
        if is_dunder(name) {
            self.report_for(
                range,
                "dunder-name",
                format!("`{name}` is a name of the interpreter"),
                &[name],
            );
        } else if name.starts_with("__") && !name.bytes().all(|byte| byte == b'_') {
            self.report(
                range,
                "dunder-name",
                format!("`{name}` begins with two underscores"),
            );
        } else if self.policy.is_reserved(name) && name != self.policy.return_slot() {
            self.report(
                range,
                "reserved-name",
                format!("`{name}` belongs to the runtime"),
            );
        } else if self.policy.user_denies_name(name) {
            self.report(
                range,
                "user-name",
                format!("the policy denies the name `{name}`"),
            );
        } else if self.policy.is_module_name(name) && !self.is_shadowed(name) {
            self.report(
                range,
                "module-rebound",
                format!("`{name}` is the name of a module"),
            );
        }
    }

    /// A name that an import binds.
    pub(super) fn imported_name(&mut self, name: &str, range: TextRange, what: &Imported) {
        let same = matches!(what, Imported::Module(module) if module == name)
            || matches!(what, Imported::Member(module, member) if module == "os" && member == name);
        if !same {
            self.binding_name(name, range);
        }
        if name == self.policy.return_slot() {
            self.report(
                range,
                "reserved-name",
                format!("`{name}` can only be assigned"),
            );
        }
        // Such a name keeps the rules of the built-in, which may be what it still is.
        if matches!(
            self.policy.builtin_rule(name),
            Builtin::CallOnly | Builtin::Denied
        ) {
            self.report(
                range,
                "module-rebound",
                format!("`{name}` is the name of a built-in"),
            );
        }
    }
}
