//! Errors that CPython's compiler finds after parsing: a file that has one never runs, and is left
//! as it is, so that nothing we insert can turn an invalid file into a valid one.
//!
//! The checks are ruff's; this module tells them where in the program they are.

use std::cell::RefCell;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::{Ranged, TextRange};

use crate::suite::for_each_suite;

/// The first such error of the file.
pub fn first_error(
    text: &str,
    body: &[Stmt],
    version: PythonVersion,
    future_annotations: bool,
) -> Option<(TextRange, String)> {
    let mut walk = Walk {
        checker: SemanticSyntaxChecker::new(),
        context: Context {
            text,
            version,
            future_annotations,
            scopes: vec![Scope::Module],
            loops: vec![0],
            errors: RefCell::default(),
        },
        star: None,
        own: None,
    };
    for stmt in body {
        walk.visit_stmt(stmt);
        if walk.own.is_some() || !walk.context.errors.borrow().is_empty() {
            break;
        }
    }
    if let Some((range, message)) = walk.own {
        return Some((range, message.to_string()));
    }
    let errors = walk.context.errors.into_inner();
    let error = errors.into_iter().min_by_key(|error| error.range.start())?;
    Some((error.range, error.to_string()))
}

enum Scope<'a> {
    Module,
    Class,
    Function {
        is_async: bool,
        range: TextRange,
        parameters: Option<&'a ast::Parameters>,
        globals: Vec<(&'a str, TextRange)>,
    },
    Lambda {
        parameters: Option<&'a ast::Parameters>,
    },
    Comprehension {
        is_async: bool,
        is_generator: bool,
    },
}

struct Walk<'a> {
    checker: SemanticSyntaxChecker,
    context: Context<'a>,
    /// In an `except*` body: the number of loops around it in its code object.
    star: Option<u32>,
    /// What ruff's checks do not know.
    own: Option<(TextRange, &'static str)>,
}

struct Context<'a> {
    text: &'a str,
    version: PythonVersion,
    future_annotations: bool,
    scopes: Vec<Scope<'a>>,
    /// Loops around the current place, for each code object.
    loops: Vec<u32>,
    errors: RefCell<Vec<SemanticSyntaxError>>,
}

impl Context<'_> {
    /// The scope that code belongs to, comprehensions aside.
    fn owner(&self) -> &Scope<'_> {
        self.scopes
            .iter()
            .rev()
            .find(|scope| !matches!(scope, Scope::Comprehension { .. }))
            .unwrap_or(&Scope::Module)
    }
}

impl SemanticSyntaxContext for Context<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        self.future_annotations
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        self.version
    }

    fn source(&self) -> &str {
        self.text
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        match self.scopes.last()? {
            Scope::Function { globals, .. } => globals
                .iter()
                .find(|(global, _)| *global == name)
                .map(|(_, range)| *range),
            _ => None,
        }
    }

    /// Lenient: an enclosing function that mentions the name at all may bind it.
    fn has_nonlocal_binding(&self, name: &str) -> bool {
        // The compiler itself binds names such as `__class__`; a class body is not looked into.
        if name.starts_with("__") || matches!(self.scopes.last(), Some(Scope::Class)) {
            return true;
        }
        let mut functions = self.scopes.iter().rev().filter_map(|scope| match scope {
            Scope::Function { range, .. } => Some(*range),
            _ => None,
        });
        let Some(own) = functions.next() else {
            return true;
        };
        functions.any(|outer| {
            let before = &self.text[outer.start().to_usize()..own.start().to_usize()];
            let after = &self.text[own.end().to_usize()..outer.end().to_usize()];
            before.contains(name) || after.contains(name)
        })
    }

    fn in_async_context(&self) -> bool {
        // A comprehension is as asynchronous as what it stands in, or more.
        for scope in self.scopes.iter().rev() {
            match scope {
                Scope::Comprehension { is_async: true, .. } => return true,
                Scope::Comprehension { .. } => {}
                Scope::Function { is_async, .. } => return *is_async,
                _ => return false,
            }
        }
        false
    }

    fn in_await_allowed_context(&self) -> bool {
        matches!(self.owner(), Scope::Function { .. } | Scope::Lambda { .. })
    }

    fn in_yield_allowed_context(&self) -> bool {
        matches!(
            self.scopes.last(),
            Some(Scope::Function { .. } | Scope::Lambda { .. })
        )
    }

    fn in_sync_comprehension(&self) -> bool {
        self.scopes
            .iter()
            .rev()
            .take_while(|scope| matches!(scope, Scope::Comprehension { .. }))
            .any(|scope| {
                matches!(
                    scope,
                    Scope::Comprehension {
                        is_async: false,
                        ..
                    }
                )
            })
    }

    fn in_class_body_comprehension(&self) -> bool {
        matches!(self.scopes.last(), Some(Scope::Comprehension { .. }))
            && matches!(self.owner(), Scope::Class)
    }

    fn in_module_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.owner(), Scope::Function { .. } | Scope::Lambda { .. })
    }

    fn in_generator_context(&self) -> bool {
        matches!(
            self.scopes.last(),
            Some(Scope::Comprehension {
                is_generator: true,
                ..
            })
        )
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.errors.borrow_mut().push(error);
    }

    fn in_loop_context(&self) -> bool {
        self.loops.last().is_some_and(|loops| *loops > 0)
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        let parameters = match self.scopes.last() {
            Some(Scope::Function { parameters, .. } | Scope::Lambda { parameters }) => *parameters,
            _ => None,
        };
        parameters.is_some_and(|p| p.iter().any(|p| p.name().as_str() == name))
    }
}

impl<'a> Walk<'a> {
    fn code_object(&mut self, scope: Scope<'a>, body: impl FnOnce(&mut Self)) {
        self.context.scopes.push(scope);
        self.context.loops.push(0);
        let star = self.star.take();
        body(self);
        self.star = star;
        self.context.loops.pop();
        self.context.scopes.pop();
    }

    fn try_statement(&mut self, stmt: &'a ast::StmtTry) {
        self.visit_body(&stmt.body);
        for (index, ast::ExceptHandler::ExceptHandler(handler)) in stmt.handlers.iter().enumerate()
        {
            match &handler.type_ {
                Some(type_) => self.visit_expr(type_),
                None if index + 1 < stmt.handlers.len() => {
                    self.own
                        .get_or_insert((handler.range(), "default `except:` must be last"));
                }
                None => {}
            }
            let star = self.star;
            if stmt.is_star {
                self.star = self.context.loops.last().copied();
            }
            self.visit_body(&handler.body);
            self.star = star;
        }
        self.visit_body(&stmt.orelse);
        self.visit_body(&stmt.finalbody);
    }

    fn out_of_star(&mut self, stmt: &Stmt) {
        self.own.get_or_insert((
            stmt.range(),
            "`break`, `continue` and `return` cannot appear in an `except*` block",
        ));
    }

    fn in_loop(&mut self, body: &'a [Stmt]) {
        *self.context.loops.last_mut().expect("never empty") += 1;
        self.visit_body(body);
        *self.context.loops.last_mut().expect("never empty") -= 1;
    }

    fn comprehension(
        &mut self,
        elements: &[Option<&'a Expr>],
        generators: &'a [ast::Comprehension],
        is_generator: bool,
    ) {
        // The first iterable is evaluated outside.
        let (first, rest) = generators.split_first().expect("the grammar wants one");
        self.visit_expr(&first.iter);
        self.context.scopes.push(Scope::Comprehension {
            is_async: generators.iter().any(|generator| generator.is_async),
            is_generator,
        });
        self.visit_expr(&first.target);
        for condition in &first.ifs {
            self.visit_expr(condition);
        }
        for generator in rest {
            self.visit_comprehension(generator);
        }
        for element in elements.iter().flatten() {
            self.visit_expr(element);
        }
        self.context.scopes.pop();
    }
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.checker.visit_stmt(stmt, &self.context);
        match stmt {
            Stmt::FunctionDef(def) => {
                for decorator in &def.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(type_params) = &def.type_params {
                    self.visit_type_params(type_params);
                }
                self.visit_parameters(&def.parameters);
                if let Some(returns) = &def.returns {
                    self.visit_annotation(returns);
                }
                let mut globals = Vec::new();
                collect_globals(&def.body, &mut globals);
                let scope = Scope::Function {
                    is_async: def.is_async,
                    range: def.range(),
                    parameters: Some(&def.parameters),
                    globals,
                };
                self.code_object(scope, |walk| walk.visit_body(&def.body));
            }
            Stmt::ClassDef(def) => {
                for decorator in &def.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(type_params) = &def.type_params {
                    self.visit_type_params(type_params);
                }
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                self.code_object(Scope::Class, |walk| walk.visit_body(&def.body));
            }
            Stmt::For(s) => {
                self.visit_expr(&s.iter);
                self.visit_expr(&s.target);
                self.in_loop(&s.body);
                self.visit_body(&s.orelse);
            }
            Stmt::While(s) => {
                self.visit_expr(&s.test);
                self.in_loop(&s.body);
                self.visit_body(&s.orelse);
            }
            Stmt::Try(s) => self.try_statement(s),
            Stmt::Return(_) if self.star.is_some() => self.out_of_star(stmt),
            Stmt::Break(_) | Stmt::Continue(_)
                if self.star.is_some() && self.star == self.context.loops.last().copied() =>
            {
                self.out_of_star(stmt);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.checker.visit_expr(expr, &self.context);
        match expr {
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                let scope = Scope::Lambda {
                    parameters: lambda.parameters.as_deref(),
                };
                self.code_object(scope, |walk| walk.visit_expr(&lambda.body));
            }
            Expr::ListComp(c) => self.comprehension(&[Some(&c.elt)], &c.generators, false),
            Expr::SetComp(c) => self.comprehension(&[Some(&c.elt)], &c.generators, false),
            Expr::Generator(c) => self.comprehension(&[Some(&c.elt)], &c.generators, true),
            Expr::DictComp(c) => {
                self.comprehension(&[c.key.as_deref(), Some(&c.value)], &c.generators, false);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

fn collect_globals<'a>(body: &'a [Stmt], globals: &mut Vec<(&'a str, TextRange)>) {
    for stmt in body {
        match stmt {
            Stmt::Global(global) => {
                globals.extend(global.names.iter().map(|n| (n.as_str(), global.range())));
            }
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => for_each_suite(stmt, |_, inner| collect_globals(inner, globals)),
        }
    }
}
