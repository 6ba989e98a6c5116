//! Wraps every executable statement in an exception handler.
//!
//! ```python
//! x = f(a)            try:
//!                         x = f(a)
//!                     except __eh__:
//!                         if __eh__(0): raise
//!                         if __eh__: return __eh__()
//! ```
//!
//! `__eh__` is an empty tuple until a healer is attached, so the handler's body is never entered.
//! Decided here: which statements can raise, which form each takes, and where CPython's limits do
//! not leave room. Inner wrappers come first: an outer one is declined when both do not fit.

use std::collections::HashMap;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    ExceptHandler, Expr, Stmt, StmtAnnAssign, StmtAssign, StmtClassDef, StmtFunctionDef, StmtTry,
};
use ruff_text_size::{Ranged, TextSize};

use crate::config::{Returns, TargetPython};
use crate::plan::{Declined, Form, Plan, Reason, Site, TryScope};
use crate::rules::Rules;
use crate::source::{SourceFile, SwitchKind};
use crate::suite::{SuiteKind, for_each_suite, header_end, is_compound};

use super::retained;

/// CPython allows 20 statically nested blocks; a handler's own body takes two
/// (measured on 3.6 to 3.13; on 3.6 to 3.8 too deep a nest can abort the process).
const MAX_BLOCKS: u32 = 20;
/// CPython allows 100 levels of indentation, the outermost (none) included.
const MAX_LEVELS: u32 = 99;

/// The last version with the old parser's small stack.
const OLD_PARSER: TargetPython = match TargetPython::new(7) {
    Some(version) => version,
    None => TargetPython::OLDEST,
};

/// Decides the wrappers of one file.
pub fn run(file: &SourceFile, rules: &Rules, returns: Returns, plan: &mut Plan) {
    let mut pass = Handlers {
        file,
        rules,
        returns,
        plan,
        pending: Vec::new(),
        used_switches: vec![false; file.switches.len()],
        off: off_regions(file),
        aliases: None,
        calls: Vec::new(),
    };
    pass.find_calls();
    let place = Place {
        blocks: 0,
        level: 0,
        in_star: false,
        in_finally: false,
        may_notice: false,
        in_try: None,
        left_alone: false,
    };
    pass.suite(file.body(), place, &Scope::Module);
    pass.finish();
}

/// The code object that a statement belongs to.
enum Scope<'a> {
    Module,
    Class {
        def: &'a StmtClassDef,
        name: String,
        index: u32,
    },
    Function {
        def: &'a StmtFunctionDef,
        name: String,
        index: u32,
        generator: bool,
    },
}

impl Scope<'_> {
    fn qualify(&self, name: &str) -> String {
        match self {
            Scope::Module => name.to_string(),
            Scope::Class { name: outer, .. } => format!("{outer}.{name}"),
            Scope::Function { name: outer, .. } => format!("{outer}.<locals>.{name}"),
        }
    }

    fn index(&self) -> Option<u32> {
        match self {
            Scope::Module => None,
            Scope::Class { index, .. } | Scope::Function { index, .. } => Some(*index),
        }
    }
}

/// Where a suite stands in its code object.
#[derive(Clone, Copy)]
struct Place {
    /// Blocks of the original around it, counted as CPython does (never too low).
    blocks: u32,
    /// Indentation levels around it.
    level: u32,
    /// Inside an `except*` body, where `return` is illegal.
    in_star: bool,
    /// Inside a `finally` body, where `return` warns from 3.14 on.
    in_finally: bool,
    /// Inside a `try` or `with`: code may run between a captured value and the return.
    may_notice: bool,
    in_try: Option<u32>,
    /// Inside something that is left alone as a whole.
    left_alone: bool,
}

/// What a suite needs below the place where it stands, wrappers included.
#[derive(Clone, Copy, Default)]
struct Need {
    blocks: u32,
    levels: u32,
}

impl Need {
    fn max(self, other: Need) -> Need {
        Need {
            blocks: self.blocks.max(other.blocks),
            levels: self.levels.max(other.levels),
        }
    }
}

struct Handlers<'a> {
    file: &'a SourceFile,
    rules: &'a Rules,
    returns: Returns,
    plan: &'a mut Plan,
    /// One entry for each statement, by number; ids are given at the end.
    pending: Vec<Option<Site>>,
    used_switches: Vec<bool>,
    /// `# healc: off` regions: start, end, index of the switch that opened it.
    off: Vec<(u32, u32, usize)>,
    /// What names imported in this file stand for; made when first asked for.
    aliases: Option<HashMap<&'a str, String>>,
    /// Calls because of which the function around them is left alone: offset, rule.
    calls: Vec<(u32, &'a str)>,
}

impl<'a> Handlers<'a> {
    fn suite(&mut self, body: &'a [Stmt], place: Place, scope: &Scope<'a>) -> Need {
        let mut need = Need::default();
        for stmt in body {
            need = need.max(self.statement(stmt, place, scope));
        }
        need
    }

    fn statement(&mut self, stmt: &'a Stmt, mut place: Place, scope: &Scope<'a>) -> Need {
        let number = self.pending.len();
        self.pending.push(None);
        if is_compound(stmt) && !place.left_alone && self.skip_switch(stmt) {
            self.decline(stmt, Reason::Switch);
            place.left_alone = true;
        }
        match stmt {
            Stmt::FunctionDef(def) => return self.function(def, place, scope),
            Stmt::ClassDef(def) => return self.class(def, place, scope),
            _ => {}
        }
        let inner = self.children(stmt, place, scope);
        if place.left_alone || !self.can_raise(stmt, scope) {
            return inner;
        }
        if self.is_off(stmt) || !is_compound(stmt) && self.skip_switch(stmt) {
            self.decline_one(stmt, Reason::Switch);
            return inner;
        }
        if matches!(scope, Scope::Class { .. })
            && self.file.target >= TargetPython::NEWEST
            && matches!(stmt, Stmt::AnnAssign(a) if a.simple)
        {
            self.decline_one(stmt, Reason::ClassAnnotation);
            return inner;
        }
        let deep = |at: &u32| stmt.range().contains(TextSize::new(*at));
        if self.file.target <= OLD_PARSER && self.file.deep_brackets.iter().any(deep) {
            self.decline_one(stmt, Reason::BracketDepth);
            return inner;
        }
        let wrapped = Need {
            blocks: (inner.blocks + 1).max(2),
            levels: inner.levels + 1,
        };
        if place.blocks + wrapped.blocks > MAX_BLOCKS {
            self.decline_one(stmt, Reason::BlockDepth);
            return inner;
        }
        if place.level + wrapped.levels > MAX_LEVELS {
            self.decline_one(stmt, Reason::IndentDepth);
            return inner;
        }
        let range = stmt.range();
        self.pending[number] = Some(Site {
            statement: number as u32,
            form: self.form(stmt, place, scope),
            kind: kind(stmt),
            range: range.start().to_u32()..range.end().to_u32(),
            header: range.start().to_u32()..header_end(stmt),
            function: scope.index(),
            in_try: place.in_try,
        });
        wrapped
    }

    /// Plans the suites of a statement; what they need, seen from the statement's own place.
    fn children(&mut self, stmt: &'a Stmt, place: Place, scope: &Scope<'a>) -> Need {
        let mut need = Need::default();
        let has_finally = matches!(stmt, Stmt::Try(t) if !t.finalbody.is_empty());
        let is_star = matches!(stmt, Stmt::Try(t) if t.is_star);
        let try_scope = match stmt {
            Stmt::Try(t) => Some(self.try_scope(t, place.in_try)),
            _ => None,
        };
        for_each_suite(stmt, |kind, body| {
            let mut inner = Place {
                level: place.level + 1,
                ..place
            };
            let blocks = match kind {
                SuiteKind::Branch => 0,
                SuiteKind::LoopBody { is_async } => 1 + u32::from(is_async),
                SuiteKind::LoopElse => 1,
                SuiteKind::With { items } => {
                    inner.may_notice = true;
                    items
                }
                SuiteKind::TryBody => {
                    inner.may_notice = true;
                    inner.in_try = try_scope;
                    1 + u32::from(has_finally)
                }
                SuiteKind::Handler { named } => {
                    inner.may_notice = true;
                    inner.in_star |= is_star;
                    2 + u32::from(named) + u32::from(has_finally) + u32::from(is_star)
                }
                SuiteKind::TryElse => {
                    inner.may_notice = true;
                    u32::from(has_finally)
                }
                SuiteKind::Finally => {
                    inner.may_notice = true;
                    inner.in_finally = true;
                    2
                }
                SuiteKind::Function | SuiteKind::Class => {
                    unreachable!("declarations have their own walk")
                }
            };
            inner.blocks += blocks;
            let below = self.suite(body, inner, scope);
            need = need.max(Need {
                blocks: below.blocks + blocks,
                levels: below.levels + 1,
            });
        });
        need
    }

    fn try_scope(&mut self, stmt: &StmtTry, outer: Option<u32>) -> u32 {
        let handlers = stmt
            .handlers
            .iter()
            .map(|ExceptHandler::ExceptHandler(handler)| {
                let range = handler.type_.as_ref()?.range();
                Some(range.start().to_u32()..range.end().to_u32())
            })
            .collect();
        self.plan.tries.push(TryScope {
            range: stmt.start().to_u32()..stmt.end().to_u32(),
            handlers,
            is_star: stmt.is_star,
            outer,
        });
        self.plan.tries.len() as u32 - 1
    }

    fn function(&mut self, def: &'a StmtFunctionDef, place: Place, scope: &Scope<'a>) -> Need {
        let left_alone =
            place.left_alone || self.compiled_elsewhere(def.into()) || self.knows_its_lines(def);
        let name = scope.qualify(&def.name);
        self.plan.functions.push(name.clone());
        let inner = Scope::Function {
            def,
            name,
            index: self.plan.functions.len() as u32 - 1,
            generator: self.has_own_yield(def),
        };
        let below = self.suite(&def.body, Place::code_object(place, left_alone), &inner);
        Need {
            blocks: 0,
            levels: below.levels + 1,
        }
    }

    fn class(&mut self, def: &'a StmtClassDef, place: Place, scope: &Scope<'a>) -> Need {
        let left_alone = place.left_alone || self.compiled_elsewhere(def.into());
        let name = scope.qualify(&def.name);
        self.plan.functions.push(name.clone());
        let inner = Scope::Class {
            def,
            name,
            index: self.plan.functions.len() as u32 - 1,
        };
        let below = self.suite(&def.body, Place::code_object(place, left_alone), &inner);
        Need {
            blocks: 0,
            levels: below.levels + 1,
        }
    }

    /// Whether a decorator compiles or re-reads the declaration; says so in the plan.
    fn compiled_elsewhere(&mut self, def: Declaration<'a>) -> bool {
        if def.decorators().is_empty() {
            return false;
        }
        let file = self.file;
        let aliases = self.aliases.get_or_insert_with(|| imports(file.body()));
        for decorator in def.decorators() {
            let Some(name) = dotted(&decorator.expression, aliases) else {
                continue;
            };
            let rule = self
                .rules
                .decorators
                .iter()
                .find(|rule| rule.names.contains(&name));
            if let Some(rule) = rule {
                self.plan.declined.push(Declined {
                    range: def.range(),
                    reason: Reason::Decorator(rule.id.clone()),
                    statements: count(def.body()),
                });
                return true;
            }
        }
        false
    }

    /// Looks for the calls that rules name, in files where their names occur at all.
    fn find_calls(&mut self) {
        let file = self.file;
        let rules = self.rules;
        let mentioned = |name: &str| {
            let last = name.rsplit('.').next().unwrap_or(name);
            file.text().contains(last)
        };
        if !rules
            .calls
            .iter()
            .flat_map(|rule| &rule.names)
            .any(|name| mentioned(name))
        {
            return;
        }
        let aliases = self.aliases.get_or_insert_with(|| imports(file.body()));
        let mut finder = Calls {
            rules,
            aliases,
            found: Vec::new(),
        };
        for stmt in file.body() {
            finder.visit_stmt(stmt);
        }
        self.calls = finder.found;
    }

    /// Whether a call in the function can see where its lines are; says so in the plan.
    fn knows_its_lines(&mut self, def: &StmtFunctionDef) -> bool {
        let range = def.start().to_u32()..def.end().to_u32();
        let Some((_, rule)) = self.calls.iter().find(|(at, _)| range.contains(at)) else {
            return false;
        };
        self.plan.declined.push(Declined {
            range,
            reason: Reason::Call((*rule).to_string()),
            statements: count(&def.body),
        });
        true
    }

    fn has_own_yield(&self, def: &StmtFunctionDef) -> bool {
        let range = def.range();
        let yields = &self.file.yields;
        let from = yields.partition_point(|at| *at < range.start().to_u32());
        let own = yields[from..]
            .iter()
            .take_while(|at| **at < range.end().to_u32());
        let mut nested = Vec::new();
        let mut looked = false;
        for at in own {
            if !looked {
                looked = true;
                nested_functions(&def.body, &mut nested);
            }
            if !nested.iter().any(|(start, end)| start <= at && at < end) {
                return true;
            }
        }
        false
    }

    fn form(&self, stmt: &Stmt, place: Place, scope: &Scope<'a>) -> Form {
        let Scope::Function { def, generator, .. } = scope else {
            return match scope {
                Scope::Class { .. } => Form::Class,
                _ => Form::NoReturn,
            };
        };
        if let Stmt::Return(stmt) = stmt {
            // A generated second `return` would warn in a `finally` body.
            let inline = if place.in_finally {
                Form::NoReturn
            } else {
                Form::ReturnInline
            };
            let capture = match self.returns {
                Returns::Inline => false,
                Returns::Capture => !(def.is_async && *generator),
                Returns::Auto => {
                    !def.is_async
                        && !generator
                        && !place.may_notice
                        && !self.file.introspects
                        && stmt
                            .value
                            .as_deref()
                            .is_some_and(|value| retained::is_retained(self.file, def, value))
                }
            };
            return if capture && !self.file.uses_return_name {
                Form::ReturnCapture
            } else {
                inline
            };
        }
        if place.in_star || place.in_finally || def.is_async && *generator {
            Form::NoReturn
        } else {
            Form::Statement
        }
    }

    /// Statements that evaluate nothing that could fail, and declarations, are not wrapped.
    fn can_raise(&self, stmt: &Stmt, scope: &Scope<'a>) -> bool {
        match stmt {
            Stmt::Pass(_)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::FunctionDef(_)
            | Stmt::ClassDef(_) => false,
            Stmt::Expr(s) => !is_constant(&s.value),
            Stmt::Return(s) => s.value.as_deref().is_some_and(|value| !is_constant(value)),
            // Up to 3.12 `from .__future__` has to stand where `from __future__` has.
            Stmt::ImportFrom(s) => s.module.as_deref() != Some("__future__"),
            Stmt::Assign(StmtAssign { targets, value, .. }) => {
                !(plain_namespace(scope)
                    && targets.iter().all(Expr::is_name_expr)
                    && is_constant(value))
            }
            Stmt::AnnAssign(s) => self.annotation_can_raise(s, scope),
            // The value of a type alias is evaluated when it is asked for.
            Stmt::TypeAlias(_) => !plain_namespace(scope),
            _ => true,
        }
    }

    fn annotation_can_raise(&self, stmt: &StmtAnnAssign, scope: &Scope<'a>) -> bool {
        if !stmt.target.is_name_expr() {
            return true;
        }
        let evaluates_annotation = stmt.simple
            && !matches!(scope, Scope::Function { .. })
            && !self.file.future_annotations
            && self.file.target < TargetPython::NEWEST;
        let value_can_raise = match &stmt.value {
            Some(value) => !is_constant(value) || !plain_namespace(scope),
            None => false,
        };
        evaluates_annotation || value_can_raise
    }

    /// A `# healc: skip` on the statement's (header) line.
    fn skip_switch(&mut self, stmt: &Stmt) -> bool {
        if self.file.switches.is_empty() {
            return false;
        }
        let start = stmt.start().to_u32();
        let end = {
            let header = header_end(stmt);
            let mut line = self.file.line_at(header.saturating_sub(1).max(start));
            if is_compound(stmt) && self.file.lines[line].start > start {
                // The header's own line, not a comment line between it and the body.
                while line > 0 && self.file.lines[line].is_comment {
                    line -= 1;
                }
            }
            self.file.lines[line].end
        };
        let mut found = false;
        for (index, switch) in self.file.switches.iter().enumerate() {
            if switch.kind == SwitchKind::Skip
                && !switch.own_line
                && start <= switch.at
                && switch.at < end
            {
                self.used_switches[index] = true;
                found = true;
            }
        }
        found
    }

    fn is_off(&mut self, stmt: &Stmt) -> bool {
        let at = stmt.start().to_u32();
        match self
            .off
            .iter()
            .find(|(start, end, _)| *start <= at && at < *end)
        {
            Some((_, _, switch)) => {
                self.used_switches[*switch] = true;
                true
            }
            None => false,
        }
    }

    fn decline(&mut self, stmt: &Stmt, reason: Reason) {
        let statements = count(std::slice::from_ref(stmt));
        self.push_declined(stmt, reason, statements);
    }

    fn decline_one(&mut self, stmt: &Stmt, reason: Reason) {
        self.push_declined(stmt, reason, 1);
    }

    fn push_declined(&mut self, stmt: &Stmt, reason: Reason, statements: u32) {
        self.plan.declined.push(Declined {
            range: stmt.start().to_u32()..stmt.end().to_u32(),
            reason,
            statements,
        });
    }

    fn finish(mut self) {
        for site in std::mem::take(&mut self.pending) {
            let id = site.map(|site| {
                self.plan.sites.push(site);
                self.plan.sites.len() as u32 - 1
            });
            self.plan.wrapped.push(id);
        }
        for (index, switch) in self.file.switches.iter().enumerate() {
            // An `on` is judged with the `off` that it ends.
            let used = match switch.kind {
                SwitchKind::On => self.off.iter().any(|(_, end, _)| *end == switch.at),
                _ => self.used_switches[index],
            };
            if !used {
                self.plan.unused_switches.push(switch.at);
            }
        }
        self.plan
            .declined
            .sort_by_key(|d| (d.range.start, d.range.end));
    }
}

impl Place {
    /// The place of a declaration's body: a code object of its own.
    fn code_object(outer: Place, left_alone: bool) -> Place {
        Place {
            blocks: 0,
            level: outer.level + 1,
            in_star: false,
            in_finally: false,
            may_notice: false,
            in_try: None,
            left_alone,
        }
    }
}

/// A function or class, as far as its decorators matter.
#[derive(Clone, Copy)]
enum Declaration<'a> {
    Function(&'a StmtFunctionDef),
    Class(&'a StmtClassDef),
}

impl<'a> From<&'a StmtFunctionDef> for Declaration<'a> {
    fn from(def: &'a StmtFunctionDef) -> Self {
        Declaration::Function(def)
    }
}

impl<'a> From<&'a StmtClassDef> for Declaration<'a> {
    fn from(def: &'a StmtClassDef) -> Self {
        Declaration::Class(def)
    }
}

impl<'a> Declaration<'a> {
    fn decorators(self) -> &'a [ruff_python_ast::Decorator] {
        match self {
            Declaration::Function(def) => &def.decorator_list,
            Declaration::Class(def) => &def.decorator_list,
        }
    }

    fn body(self) -> &'a [Stmt] {
        match self {
            Declaration::Function(def) => &def.body,
            Declaration::Class(def) => &def.body,
        }
    }

    fn range(self) -> std::ops::Range<u32> {
        let range = match self {
            Declaration::Function(def) => def.range(),
            Declaration::Class(def) => def.range(),
        };
        range.start().to_u32()..range.end().to_u32()
    }
}

/// Collects calls that rules name.
struct Calls<'a, 'n> {
    rules: &'a Rules,
    aliases: &'n HashMap<&'a str, String>,
    found: Vec<(u32, &'a str)>,
}

impl<'a> Visitor<'a> for Calls<'a, '_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr
            && let Some(name) = dotted(&call.func, self.aliases)
            && let Some(rule) = self
                .rules
                .calls
                .iter()
                .find(|rule| rule.names.contains(&name))
        {
            self.found.push((call.start().to_u32(), rule.id.as_str()));
        }
        visitor::walk_expr(self, expr);
    }
}

/// A scope whose namespace is a plain dictionary, in which storing a name cannot fail.
fn plain_namespace(scope: &Scope) -> bool {
    match scope {
        Scope::Module | Scope::Function { .. } => true,
        Scope::Class { def, .. } => def.arguments.as_ref().is_none_or(|a| a.is_empty()),
    }
}

fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_)
        | Expr::EllipsisLiteral(_) => true,
        Expr::UnaryOp(op) => op.operand.is_number_literal_expr(),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_constant),
        _ => false,
    }
}

fn off_regions(file: &SourceFile) -> Vec<(u32, u32, usize)> {
    let mut regions = Vec::new();
    let mut open: Option<(u32, usize)> = None;
    for (index, switch) in file.switches.iter().enumerate() {
        match (switch.kind, open) {
            (SwitchKind::Off, None) => open = Some((switch.at, index)),
            (SwitchKind::On, Some((start, by))) => {
                regions.push((start, switch.at, by));
                open = None;
            }
            _ => {}
        }
    }
    if let Some((start, by)) = open {
        regions.push((start, u32::MAX, by));
    }
    regions
}

/// Number of statements in `body`, nested ones included.
fn count(body: &[Stmt]) -> u32 {
    let mut n = 0;
    for stmt in body {
        n += 1;
        for_each_suite(stmt, |_, inner| n += count(inner));
    }
    n
}

fn nested_functions(body: &[Stmt], found: &mut Vec<(u32, u32)>) {
    for stmt in body {
        if let Stmt::FunctionDef(def) = stmt {
            found.push((def.start().to_u32(), def.end().to_u32()));
        } else {
            for_each_suite(stmt, |_, inner| nested_functions(inner, found));
        }
    }
}

/// What each imported name of the file stands for.
fn imports(body: &[Stmt]) -> HashMap<&str, String> {
    let mut names = HashMap::new();
    collect_imports(body, &mut names);
    names
}

fn collect_imports<'a>(body: &'a [Stmt], names: &mut HashMap<&'a str, String>) {
    for stmt in body {
        match stmt {
            Stmt::Import(import) => {
                for alias in &import.names {
                    match &alias.asname {
                        Some(asname) => {
                            names.insert(asname.as_str(), alias.name.to_string());
                        }
                        None => {
                            let root = alias.name.split('.').next().unwrap_or_default();
                            names.insert(root, root.to_string());
                        }
                    }
                }
            }
            Stmt::ImportFrom(import) if import.level == 0 => {
                let module = import.module.as_deref().unwrap_or_default();
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    names.insert(name.as_str(), format!("{module}.{}", alias.name));
                }
            }
            _ => for_each_suite(stmt, |_, inner| collect_imports(inner, names)),
        }
    }
}

/// The dotted name of a decorator, its arguments left out, through the file's imports.
fn dotted(expr: &Expr, aliases: &HashMap<&str, String>) -> Option<String> {
    match expr {
        Expr::Call(call) => dotted(&call.func, aliases),
        Expr::Attribute(attribute) => {
            let base = dotted(&attribute.value, aliases)?;
            Some(format!("{base}.{}", attribute.attr))
        }
        Expr::Name(name) => Some(
            aliases
                .get(name.id.as_str())
                .cloned()
                .unwrap_or_else(|| name.id.to_string()),
        ),
        _ => None,
    }
}

fn kind(stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::FunctionDef(_) => "function-def",
        Stmt::ClassDef(_) => "class-def",
        Stmt::Return(_) => "return",
        Stmt::Delete(_) => "delete",
        Stmt::TypeAlias(_) => "type-alias",
        Stmt::Assign(_) => "assign",
        Stmt::AugAssign(_) => "aug-assign",
        Stmt::AnnAssign(_) => "ann-assign",
        Stmt::For(s) if s.is_async => "async-for",
        Stmt::For(_) => "for",
        Stmt::While(_) => "while",
        Stmt::If(_) => "if",
        Stmt::With(s) if s.is_async => "async-with",
        Stmt::With(_) => "with",
        Stmt::Match(_) => "match",
        Stmt::Raise(_) => "raise",
        Stmt::Try(s) if s.is_star => "try-star",
        Stmt::Try(_) => "try",
        Stmt::Assert(_) => "assert",
        Stmt::Import(_) => "import",
        Stmt::ImportFrom(_) => "import-from",
        Stmt::Global(_) => "global",
        Stmt::Nonlocal(_) => "nonlocal",
        Stmt::Expr(_) => "expr",
        Stmt::Pass(_) => "pass",
        Stmt::Break(_) => "break",
        Stmt::Continue(_) => "continue",
        Stmt::IpyEscapeCommand(_) => "ipython-escape",
    }
}
