//! The walk over the syntax tree.
//!
//! Every node is met exactly once, by `stmt` or `expr`; what has no rule of its own is rejected
//! by its kind and walked all the same, so that everything in it is reported too.

mod attribute;
mod binding;
mod call;
mod import;
mod name;

use std::collections::{HashMap, HashSet};

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    self as ast, CmpOp, Comprehension, ExceptHandler, Expr, ExprContext, InterpolatedStringElement,
    Operator, Pattern, Stmt,
};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};
use unicode_normalization::UnicodeNormalization;

use super::constants::{Size, size};
use super::{Kind, Options, Policy, Raw, template};
use crate::config::TargetPython;
use crate::semantics;
use crate::source::version;

use binding::{Bindings, Imported};

/// What becomes of an expression's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is kept or given away.
    Value,
    /// Iterated over at once, and gone.
    Consumed,
    /// The same, as the direct argument of an eager built-in: a generator expression may stand.
    Eager,
    /// An attribute or item of it is used.
    Base,
    /// It is called.
    Callee,
    /// The class in `isinstance(x, ...)`.
    TypeTest,
    /// The class in `except ...`.
    Handler,
}

/// What a name or dotted name is known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Thing {
    /// A module that the policy lists or denies, by its dotted name.
    Module(String),
    /// A module of the project or of a third party.
    OpenModule,
    /// Something from a listed module.
    Member(String, String),
    /// A built-in that nothing in the code hides.
    Builtin,
    /// Anything else.
    Live,
}

struct Checker<'a> {
    text: &'a str,
    policy: &'a Policy,
    options: &'a Options,
    bindings: Bindings<'a>,
    found: Vec<Raw>,
    /// Comprehensions around the place.
    comprehensions: u32,
    /// Definitions and lambdas around the place, which are findings themselves.
    definitions: u32,
    /// Loops around the place within the innermost `finally`; none outside of one.
    in_finally: Option<u32>,
    /// Constants that were reported, so that what is built on them is not.
    reported: HashSet<TextRange>,
}

/// All findings of code whose depth is bounded.
pub(super) fn judge(text: &str, policy: &Policy, options: &Options) -> Vec<Raw> {
    let target = options.target_python.unwrap_or(TargetPython::NEWEST);
    let parse = ParseOptions::from(Mode::Module).with_target_version(version(target));
    let parsed = parse_unchecked(text, parse)
        .try_into_module()
        .expect("module mode yields a module");
    let body = &parsed.syntax().body;
    let mut checker = Checker {
        text,
        policy,
        options,
        bindings: Bindings::default(),
        found: Vec::new(),
        comprehensions: 0,
        definitions: 0,
        in_finally: None,
        reported: HashSet::new(),
    };
    for error in parsed.errors() {
        // Later errors mostly follow from the first ones.
        if checker.found.len() < 5 {
            checker.report(
                error.location,
                "syntax",
                format!("syntax error: {}", error.error),
            );
        }
    }
    if !checker.found.is_empty() {
        return checker.found;
    }
    for error in parsed.unsupported_syntax_errors() {
        checker.report(
            error.range,
            "newer-syntax",
            format!("Python {target}: {error}"),
        );
    }
    for token in parsed.tokens() {
        let word = &text[token.range()];
        if token.kind() == TokenKind::Name && !word.is_ascii() && !word.nfkc().eq(word.chars()) {
            let plain: String = word.nfkc().collect();
            let message = format!("`{word}` is another spelling of `{plain}`");
            checker.report(token.range(), "look-alike", message);
        }
    }
    checker.bindings = Bindings::of(body);
    checker.binding_conflicts();
    checker.body(body);
    if checker.found.is_empty()
        && let Some((range, message)) = semantics::first_error(text, body, version(target), false)
    {
        checker.report(range, "syntax", format!("syntax error: {message}"));
    }
    checker.found
}

impl<'a> Checker<'a> {
    fn report(&mut self, at: impl Ranged, rule: &'static str, message: impl Into<String>) {
        self.report_for(at, rule, message, &[]);
    }

    /// With advice for one of the names, if there is any.
    fn report_for(
        &mut self,
        at: impl Ranged,
        rule: &'static str,
        message: impl Into<String>,
        names: &[&str],
    ) {
        let instead = self.policy.instead(rule, names);
        self.found.push(Raw {
            range: at.range(),
            rule,
            message: message.into(),
            instead,
        });
    }

    fn report_with(
        &mut self,
        at: impl Ranged,
        rule: &'static str,
        message: impl Into<String>,
        instead: String,
    ) {
        self.found.push(Raw {
            range: at.range(),
            rule,
            message: message.into(),
            instead,
        });
    }

    /// What only a probe is refused.
    fn probe(&mut self, at: impl Ranged, what: &str, does: &str) {
        if self.options.kind == Kind::Probe && self.policy.probe_rejects(what) {
            self.report(at, "probe", format!("a probe may not {does}"));
        }
    }

    // ---- statements ----

    fn body(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        let (kind, rule, what) = statement_kind(stmt);
        let inside = self.definitions > 0 && matches!(stmt, Stmt::Return(_));
        let allowed = self.policy.allows_statement(kind) && rule == "statement";
        if !allowed && !inside {
            self.report_for(
                head(stmt),
                rule,
                format!("{what} is not part of HealCore"),
                &[kind],
            );
        }
        match stmt {
            Stmt::Assign(s) => {
                let unpacked = s
                    .targets
                    .iter()
                    .all(|target| matches!(target, Expr::Tuple(_) | Expr::List(_)));
                self.expr(
                    &s.value,
                    if unpacked {
                        Role::Consumed
                    } else {
                        Role::Value
                    },
                );
                for target in &s.targets {
                    self.target(target);
                }
            }
            Stmt::AugAssign(s) => {
                self.aug_assign(s);
            }
            Stmt::AnnAssign(s) => {
                self.expr(&s.annotation, Role::Value);
                if let Some(value) = &s.value {
                    self.expr(value, Role::Value);
                }
                self.target(&s.target);
            }
            Stmt::Expr(s) => self.expr(&s.value, Role::Value),
            Stmt::If(s) => {
                self.expr(&s.test, Role::Value);
                self.body(&s.body);
                for clause in &s.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.expr(test, Role::Value);
                    }
                    self.body(&clause.body);
                }
            }
            Stmt::For(s) => {
                if s.is_async {
                    self.report(head(stmt), "async", "`async for` is not part of HealCore");
                }
                self.expr(&s.iter, Role::Consumed);
                self.loop_target(&s.target, "loop");
                self.loop_body(&s.body);
                self.body(&s.orelse);
            }
            Stmt::While(s) => {
                self.expr(&s.test, Role::Value);
                self.loop_body(&s.body);
                self.body(&s.orelse);
            }
            Stmt::Break(_) | Stmt::Continue(_) => {
                if self.in_finally == Some(0) {
                    let message = "leaving a finally block this way swallows the exception";
                    self.report(stmt, "finally-jump", message);
                }
            }
            Stmt::Try(s) => self.try_stmt(s),
            Stmt::Raise(s) => {
                self.probe(head(stmt), "raise", "raise exceptions");
                for expr in s.exc.iter().chain(&s.cause) {
                    self.expr(expr, Role::Value);
                }
            }
            Stmt::With(s) => {
                if s.is_async {
                    self.report(head(stmt), "async", "`async with` is not part of HealCore");
                }
                for item in &s.items {
                    self.expr(&item.context_expr, Role::Value);
                    if let Some(target) = &item.optional_vars {
                        self.with_target(target);
                    }
                }
                self.body(&s.body);
            }
            Stmt::Delete(s) => {
                for target in &s.targets {
                    self.target(target);
                }
            }
            Stmt::Import(s) => self.import(s),
            Stmt::ImportFrom(s) => self.import_from(s),
            Stmt::Pass(_) => {}
            // What follows is rejected by its kind; its parts are looked at all the same.
            Stmt::FunctionDef(s) => {
                self.binding_name(s.name.as_str(), s.name.range());
                self.definitions += 1;
                let outer = self.in_finally.take();
                visitor::walk_stmt(self, stmt);
                self.in_finally = outer;
                self.definitions -= 1;
            }
            Stmt::ClassDef(s) => {
                self.binding_name(s.name.as_str(), s.name.range());
                self.definitions += 1;
                visitor::walk_stmt(self, stmt);
                self.definitions -= 1;
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn loop_body(&mut self, body: &'a [Stmt]) {
        self.in_finally = self.in_finally.map(|loops| loops + 1);
        self.body(body);
        self.in_finally = self.in_finally.map(|loops| loops - 1);
    }

    fn try_stmt(&mut self, s: &'a ast::StmtTry) {
        if s.is_star {
            self.report(
                s.range().sub_end_to(3),
                "except-star",
                "`except*` is not part of HealCore",
            );
        }
        self.body(&s.body);
        for ExceptHandler::ExceptHandler(handler) in &s.handlers {
            match &handler.type_ {
                None => self.report(
                    handler.range().sub_end_to(6),
                    "broad-except",
                    "a bare `except:` also catches the signals of the runtime",
                ),
                Some(kinds) => self.handler_type(kinds),
            }
            if let Some(name) = &handler.name {
                self.binding_name(name.as_str(), name.range());
            }
            self.body(&handler.body);
        }
        self.body(&s.orelse);
        let outer = self.in_finally.replace(0);
        self.body(&s.finalbody);
        self.in_finally = outer;
    }

    fn handler_type(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Tuple(tuple) => {
                for element in tuple {
                    self.handler_type(element);
                }
            }
            Expr::Name(_) | Expr::Attribute(_) => self.expr(expr, Role::Handler),
            _ => {
                self.report(
                    expr,
                    "handler-type",
                    "the exceptions that a handler catches must be named",
                );
                self.expr(expr, Role::Value);
            }
        }
    }

    fn aug_assign(&mut self, s: &'a ast::StmtAugAssign) {
        self.expr(&s.value, Role::Value);
        if let Expr::Name(name) = &*s.target
            && name.id.as_str() == self.policy.return_slot()
        {
            self.report(
                name,
                "reserved-name",
                format!("`{}` cannot be read", name.id),
            );
        }
        self.target(&s.target);
        self.arithmetic(s.range(), &s.target, s.op, &s.value);
    }

    // ---- expressions ----

    fn expr(&mut self, expr: &'a Expr, role: Role) {
        let (kind, rule, what) = expression_kind(expr);
        if rule != "expression" || !self.policy.allows_expression(kind) {
            self.report_for(
                expr,
                rule,
                format!("{what} is not part of HealCore"),
                &[kind],
            );
        }
        match expr {
            Expr::Name(name) => self.name(name, role),
            Expr::Attribute(attribute) => self.attribute(attribute, role, None),
            Expr::Call(call) => self.call(call, role),
            Expr::Subscript(subscript) => {
                self.expr(&subscript.value, Role::Base);
                self.typing_text(subscript);
                self.expr(&subscript.slice, Role::Value);
            }
            // The value is that of one of the parts.
            Expr::If(e) => {
                self.expr(&e.test, Role::Value);
                self.expr(&e.body, inherited(role));
                self.expr(&e.orelse, inherited(role));
            }
            Expr::BoolOp(e) => {
                for value in &e.values {
                    self.expr(value, inherited(role));
                }
            }
            Expr::Named(e) => {
                if self.comprehensions > 0 {
                    let message = "`:=` in a comprehension binds a name outside of it";
                    self.report(e, "walrus-scope", message);
                }
                self.expr(&e.value, Role::Value);
                self.loop_target(&e.target, "walrus");
            }
            Expr::BinOp(e) => {
                let inner = if role == Role::TypeTest && e.op == Operator::BitOr {
                    role
                } else {
                    Role::Value
                };
                self.expr(&e.left, inner);
                self.expr(&e.right, inner);
                self.arithmetic(e.range(), &e.left, e.op, &e.right);
            }
            Expr::UnaryOp(e) => self.expr(&e.operand, Role::Value),
            Expr::Compare(e) => {
                self.expr(&e.left, Role::Value);
                for (op, right) in e.ops.iter().zip(&e.comparators) {
                    let contains = matches!(op, CmpOp::In | CmpOp::NotIn);
                    self.expr(
                        right,
                        if contains {
                            Role::Consumed
                        } else {
                            Role::Value
                        },
                    );
                }
            }
            Expr::Starred(e) => self.expr(&e.value, Role::Consumed),
            Expr::Tuple(e) if role == Role::TypeTest => {
                for element in e {
                    self.expr(element, role);
                }
            }
            Expr::ListComp(e) => self.comprehension(&[Some(&e.elt)], &e.generators),
            Expr::SetComp(e) => self.comprehension(&[Some(&e.elt)], &e.generators),
            Expr::DictComp(e) => {
                self.comprehension(&[e.key.as_deref(), Some(&e.value)], &e.generators)
            }
            Expr::Generator(e) => {
                if role != Role::Eager {
                    let message = "a generator expression that is kept or passed on runs after the gate is closed";
                    self.report(e, "generator-expression", message);
                }
                self.comprehension(&[Some(&e.elt)], &e.generators);
            }
            Expr::FString(e) => {
                for part in &e.value {
                    if let ast::FStringPart::FString(part) = part {
                        self.interpolations(&part.elements, false);
                    }
                }
            }
            Expr::NumberLiteral(e) => self.number(e),
            Expr::Lambda(_) => {
                self.definitions += 1;
                visitor::walk_expr(self, expr);
                self.definitions -= 1;
            }
            // Displays, slices, literals; and what is rejected by its kind.
            _ => visitor::walk_expr(self, expr),
        }
    }

    /// `Optional['text']` compiles the text.
    fn typing_text(&mut self, subscript: &'a ast::ExprSubscript) {
        if !matches!(self.thing(&subscript.value), Thing::Member(module, _) if module == "typing") {
            return;
        }
        let mut parts = vec![&*subscript.slice];
        while let Some(part) = parts.pop() {
            match part {
                Expr::Tuple(tuple) => parts.extend(tuple),
                Expr::List(list) => parts.extend(list),
                Expr::StringLiteral(_) | Expr::FString(_) => {
                    self.report(part, "typing-text", "text in a type is compiled as code");
                }
                _ => {}
            }
        }
    }

    fn comprehension(&mut self, elements: &[Option<&'a Expr>], generators: &'a [Comprehension]) {
        self.comprehensions += 1;
        for generator in generators {
            if generator.is_async {
                self.report(
                    generator.range(),
                    "async",
                    "an asynchronous comprehension is not part of HealCore",
                );
            }
            self.expr(&generator.iter, Role::Consumed);
            self.loop_target(&generator.target, "comprehension");
            for test in &generator.ifs {
                self.expr(test, Role::Value);
            }
        }
        for element in elements.iter().flatten() {
            self.expr(element, Role::Value);
        }
        self.comprehensions -= 1;
    }

    fn interpolations(&mut self, elements: &'a ast::InterpolatedStringElements, in_spec: bool) {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => {
                    if in_spec && template::too_wide(&literal.value, self.policy.limits.repeat) {
                        self.report(literal.range(), "resource", "the width is too large");
                    }
                }
                InterpolatedStringElement::Interpolation(e) => {
                    if e.debug_text.is_some() && self.target_minor() < 8 {
                        let message = format!(
                            "Python 3.{}: `=` in an f-string was added in Python 3.8",
                            self.target_minor()
                        );
                        self.report(e.range(), "newer-syntax", message);
                    }
                    self.expr(&e.expression, Role::Value);
                    if let Some(spec) = &e.format_spec {
                        self.interpolations(&spec.elements, true);
                    }
                }
            }
        }
    }

    fn target_minor(&self) -> u8 {
        self.options
            .target_python
            .unwrap_or(TargetPython::NEWEST)
            .minor()
    }

    // ---- constants ----

    fn number(&mut self, e: &'a ast::ExprNumberLiteral) {
        let digits = self.text[e.range()].len();
        if digits > self.policy.limits.int_digits {
            self.reported.insert(e.range());
            self.report(e, "resource", format!("a number of {digits} digits"));
        }
    }

    /// An operation whose result is too large, if its operands are constants.
    fn arithmetic(&mut self, range: TextRange, left: &'a Expr, op: Operator, right: &'a Expr) {
        if self.reported.contains(&left.range()) || self.reported.contains(&right.range()) {
            self.reported.insert(range);
            return;
        }
        let limits = &self.policy.limits;
        let (bits, repeat) = (limits.int_bits as f64, limits.repeat as i128);
        let small = Size {
            value: None,
            bits: 2.0,
        };
        let too_large = |size: Option<Size>, most: i128| {
            size.is_some_and(|size| size.value.map_or(size.bits > 64.0, |value| value > most))
        };
        let message = match op {
            // The base may be a variable.
            Operator::Pow => {
                let base = size(left).unwrap_or(small).bits.max(2.0);
                let float = matches!(left, Expr::NumberLiteral(n) if !matches!(n.value, ast::Number::Int(_)));
                let exponent = size(right).map_or(0.0, |size| {
                    size.value.map_or(f64::INFINITY, |v| v.max(0) as f64)
                });
                (!float && base * exponent > bits).then_some("the power is too large")
            }
            Operator::LShift => {
                too_large(size(right), bits as i128).then_some("the shift is too far")
            }
            Operator::Mult
                if is_sequence(left) && too_large(size(right), repeat)
                    || is_sequence(right) && too_large(size(left), repeat) =>
            {
                Some("the sequence is too long")
            }
            Operator::Mult => {
                let product = size(left).zip(size(right)).map(|(a, b)| a.bits + b.bits);
                product
                    .is_some_and(|product| product > bits)
                    .then_some("the product is too large")
            }
            Operator::Mod => {
                let wide = match left {
                    Expr::StringLiteral(text) => {
                        template::too_wide(text.value.to_str(), limits.repeat)
                    }
                    _ => false,
                };
                wide.then_some("the width is too large")
            }
            _ => None,
        };
        if let Some(message) = message {
            self.reported.insert(range);
            self.report(range, "resource", message);
        }
    }
}

/// A part's role, given the role of the whole that it may be the value of.
fn inherited(role: Role) -> Role {
    match role {
        Role::Eager => Role::Consumed,
        Role::Base | Role::Callee | Role::Handler => Role::Value,
        role => role,
    }
}

fn is_sequence(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::FString(_)
    )
}

/// Where a rejected statement is pointed at: its first word and name, not its whole body.
fn head(stmt: &Stmt) -> TextRange {
    match stmt {
        Stmt::FunctionDef(s) => TextRange::new(s.range().start(), s.name.end()),
        Stmt::ClassDef(s) => TextRange::new(s.range().start(), s.name.end()),
        Stmt::For(s) => TextRange::new(s.range().start(), s.target.end()),
        Stmt::While(s) => TextRange::new(s.range().start(), s.test.end()),
        Stmt::If(s) => TextRange::new(s.range().start(), s.test.end()),
        Stmt::Match(s) => TextRange::new(s.range().start(), s.subject.end()),
        Stmt::With(s) => s.items.first().map_or(s.range(), |item| {
            TextRange::new(s.range().start(), item.range().end())
        }),
        Stmt::Try(s) => s.range().sub_end_to(3),
        _ => stmt.range(),
    }
}

trait SubEnd {
    /// Its first bytes.
    fn sub_end_to(self, bytes: u32) -> TextRange;
}

impl SubEnd for TextRange {
    fn sub_end_to(self, bytes: u32) -> TextRange {
        TextRange::at(self.start(), self.len().min(bytes.into()))
    }
}

/// The kind's name in the policy, the rule for kinds that it cannot allow, and what people say.
fn statement_kind(stmt: &Stmt) -> (&'static str, &'static str, &'static str) {
    match stmt {
        Stmt::Assign(_) => ("assign", "statement", "an assignment"),
        Stmt::AugAssign(_) => ("aug-assign", "statement", "an augmented assignment"),
        Stmt::Expr(_) => ("expr", "statement", "an expression statement"),
        Stmt::If(_) => ("if", "statement", "an `if` statement"),
        Stmt::For(_) => ("for", "statement", "a `for` loop"),
        Stmt::While(_) => ("while", "statement", "a `while` loop"),
        Stmt::Break(_) => ("break", "statement", "`break`"),
        Stmt::Continue(_) => ("continue", "statement", "`continue`"),
        Stmt::Pass(_) => ("pass", "statement", "`pass`"),
        Stmt::Try(_) => ("try", "statement", "a `try` statement"),
        Stmt::Raise(_) => ("raise", "statement", "`raise`"),
        Stmt::Assert(_) => ("assert", "statement", "`assert`"),
        Stmt::With(_) => ("with", "statement", "a `with` statement"),
        Stmt::Delete(_) => ("delete", "statement", "`del`"),
        Stmt::Import(_) => ("import", "statement", "an import"),
        Stmt::ImportFrom(_) => ("import-from", "statement", "a `from` import"),
        Stmt::FunctionDef(s) if s.is_async => ("async-def", "async", "an asynchronous function"),
        Stmt::FunctionDef(_) => ("def", "definition", "a function definition"),
        Stmt::ClassDef(_) => ("class", "definition", "a class definition"),
        Stmt::Return(_) => ("return", "return", "`return`"),
        Stmt::TypeAlias(_) => ("type-alias", "definition", "a type alias"),
        Stmt::AnnAssign(_) => ("ann-assign", "annotation", "an annotation"),
        Stmt::Match(_) => ("match", "match", "a `match` statement"),
        Stmt::Global(_) => ("global", "scope", "a `global` declaration"),
        Stmt::Nonlocal(_) => ("nonlocal", "scope", "a `nonlocal` declaration"),
        Stmt::IpyEscapeCommand(_) => ("escape", "syntax", "an escape command"),
    }
}

fn expression_kind(expr: &Expr) -> (&'static str, &'static str, &'static str) {
    match expr {
        Expr::BoolOp(_) => ("bool-op", "expression", "`and` or `or`"),
        Expr::Named(_) => ("named", "expression", "`:=`"),
        Expr::BinOp(_) => ("bin-op", "expression", "an operation"),
        Expr::UnaryOp(_) => ("unary-op", "expression", "an operation"),
        Expr::If(_) => ("if", "expression", "a conditional expression"),
        Expr::Dict(_) => ("dict", "expression", "a dict display"),
        Expr::Set(_) => ("set", "expression", "a set display"),
        Expr::ListComp(_) => ("list-comp", "expression", "a list comprehension"),
        Expr::SetComp(_) => ("set-comp", "expression", "a set comprehension"),
        Expr::DictComp(_) => ("dict-comp", "expression", "a dict comprehension"),
        Expr::Generator(_) => ("generator", "expression", "a generator expression"),
        Expr::Compare(_) => ("compare", "expression", "a comparison"),
        Expr::Call(_) => ("call", "expression", "a call"),
        Expr::FString(_) => ("f-string", "expression", "an f-string"),
        Expr::StringLiteral(_) => ("string", "expression", "a string"),
        Expr::BytesLiteral(_) => ("bytes", "expression", "a bytes literal"),
        Expr::NumberLiteral(_) => ("number", "expression", "a number"),
        Expr::BooleanLiteral(_) => ("boolean", "expression", "a truth value"),
        Expr::NoneLiteral(_) => ("none", "expression", "`None`"),
        Expr::EllipsisLiteral(_) => ("ellipsis", "expression", "`...`"),
        Expr::Attribute(_) => ("attribute", "expression", "an attribute"),
        Expr::Subscript(_) => ("subscript", "expression", "a subscript"),
        Expr::Starred(_) => ("starred", "expression", "a starred expression"),
        Expr::Name(_) => ("name", "expression", "a name"),
        Expr::List(_) => ("list", "expression", "a list display"),
        Expr::Tuple(_) => ("tuple", "expression", "a tuple"),
        Expr::Slice(_) => ("slice", "expression", "a slice"),
        Expr::Lambda(_) => ("lambda", "definition", "a lambda"),
        Expr::Await(_) => ("await", "async", "`await`"),
        Expr::Yield(_) | Expr::YieldFrom(_) => ("yield", "generator", "`yield`"),
        Expr::TString(_) => ("t-string", "format-template", "a template string"),
        Expr::IpyEscapeCommand(_) => ("escape", "syntax", "an escape command"),
    }
}

/// The parts of what is rejected by its kind, and of displays.
impl<'a> Visitor<'a> for Checker<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.stmt(stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.expr(expr, Role::Value);
    }

    fn visit_annotation(&mut self, expr: &'a Expr) {
        self.expr(expr, Role::Value);
    }

    fn visit_parameter(&mut self, parameter: &'a ast::Parameter) {
        self.binding_name(parameter.name.as_str(), parameter.name.range());
        visitor::walk_parameter(self, parameter);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Pattern::MatchClass(class) = pattern {
            for keyword in &class.arguments.keywords {
                self.attribute_name(
                    keyword.attr.as_str(),
                    keyword.attr.range(),
                    ExprContext::Load,
                );
            }
        }
        visitor::walk_pattern(self, pattern);
    }
}

// Kept here so that the modules below need no imports of their own for it.
type ImportMap<'a> = HashMap<&'a str, Imported>;
