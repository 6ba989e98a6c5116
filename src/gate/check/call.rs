//! Calls: of what, and in which shape.

use ruff_python_ast::{self as ast, Arguments, Expr};
use ruff_text_size::Ranged;

use super::super::constants::size;
use super::super::pattern;
use super::super::policy::{ModuleRule, is_dunder};
use super::{Checker, Role, Thing};

/// A text literal.
fn literal(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::StringLiteral(text) => Some(text.value.to_str()),
        _ => None,
    }
}

fn has_star(arguments: &Arguments) -> bool {
    arguments.args.iter().any(Expr::is_starred_expr)
        || arguments.keywords.iter().any(|k| k.arg.is_none())
}

fn keyword<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Expr> {
    let found = |k: &&ast::Keyword| k.arg.as_ref().is_some_and(|arg| arg.as_str() == name);
    arguments.keywords.iter().find(found).map(|k| &k.value)
}

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, call: &'a ast::ExprCall, role: Role) {
        let arguments = &call.arguments;
        match &*call.func {
            Expr::Attribute(attribute) => {
                if !self.policy.allows_expression("attribute") {
                    self.report(
                        attribute,
                        "expression",
                        "an attribute is not part of HealCore",
                    );
                }
                self.attribute(attribute, Role::Callee, Some(call));
            }
            func => self.expr(func, Role::Callee),
        }
        for keyword in &arguments.keywords {
            if let Some(name) = &keyword.arg {
                let id = name.as_str();
                if is_dunder(id) || self.policy.is_reserved(id) {
                    self.report(
                        name,
                        "keyword-name",
                        format!("`{id}` is not a name for an argument"),
                    );
                }
            }
        }
        let thing = self.thing(&call.func);
        let builtin = match &*call.func {
            Expr::Name(name) if !self.is_shadowed(name.id.as_str()) => name.id.as_str(),
            _ => "",
        };
        self.shape(call, builtin);
        self.lazy(call, &thing, builtin, role);
        self.arguments(arguments, &thing, builtin, &call.func, role);
        self.codecs(call, &thing, builtin);
        self.amounts(call, &thing, builtin);
        self.pattern(call, &thing);
    }

    /// Built-ins that are something else in another shape.
    fn shape(&mut self, call: &'a ast::ExprCall, builtin: &str) {
        let arguments = &call.arguments;
        let (args, plain) = (
            &arguments.args,
            !has_star(arguments) && arguments.keywords.is_empty(),
        );
        match builtin {
            "getattr" | "hasattr" => {
                let most = if builtin == "getattr" { 3 } else { 2 };
                let name = args.get(1).and_then(literal);
                match name {
                    Some(name) if plain && args.len() <= most => {
                        let asks = builtin == "hasattr" && self.policy.is_protocol(name);
                        if !asks {
                            self.attribute_name(name, args[1].range(), ast::ExprContext::Load);
                        }
                    }
                    _ => {
                        let message = format!("the name that `{builtin}` reads must be a literal");
                        self.report(call, "getattr-name", message);
                    }
                }
            }
            "type" => {
                if !plain || args.len() != 1 {
                    self.report_for(
                        call,
                        "call-shape",
                        "`type` may only be called with one object",
                        &["type"],
                    );
                } else if self.looks_like_class(&args[0]) {
                    let message = "the type of a class is a metaclass, which makes classes";
                    self.report_for(call, "call-shape", message, &["type"]);
                }
            }
            "iter" if !plain || args.len() != 1 => {
                let instead = "use iter(sequence), or call the function in a loop".to_string();
                self.report_with(
                    call,
                    "call-shape",
                    "`iter` with two arguments makes a call that happens later",
                    instead,
                );
            }
            "print" => {
                for keyword in &arguments.keywords {
                    let name = keyword.arg.as_ref().map_or("**", |name| name.as_str());
                    if !matches!(name, "sep" | "end" | "flush") {
                        let message = "`print` may only be given sep, end and flush";
                        let instead = "print without file=; the output is shown to you".to_string();
                        self.report_with(keyword, "call-shape", message, instead);
                    }
                }
            }
            _ => {}
        }
        // What a metaclass is called with, however it was come by.
        if let [Expr::StringLiteral(_), Expr::Tuple(_), Expr::Dict(_)] = &**args
            && builtin != "type"
        {
            self.report(
                call,
                "call-shape",
                "a call in the shape of a class definition",
            );
        }
    }

    /// By its name or origin: a class that goes by the name of an object is not recognised.
    fn looks_like_class(&self, expr: &Expr) -> bool {
        const CLASSES: [&str; 18] = [
            "bool",
            "bytearray",
            "bytes",
            "cls",
            "complex",
            "dict",
            "float",
            "frozenset",
            "int",
            "klass",
            "list",
            "object",
            "range",
            "set",
            "slice",
            "str",
            "tuple",
            "type",
        ];
        // `CamelCase`, but not `CONSTANT`.
        let is_camel = |name: &str| {
            let name = name.trim_start_matches('_');
            name.starts_with(|c: char| c.is_uppercase())
                && name.contains(|c: char| c.is_lowercase())
        };
        match expr {
            Expr::Call(inner) => {
                matches!(&*inner.func, Expr::Name(name) if name.id.as_str() == "type")
            }
            Expr::Name(name) => {
                let name = name.id.as_str();
                CLASSES.contains(&name) || is_camel(name) || self.bindings.classes.contains(name)
            }
            Expr::Attribute(attribute) => is_camel(attribute.attr.as_str()),
            Expr::Named(named) => self.looks_like_class(&named.value),
            _ => false,
        }
    }

    /// The function's name stands for what an import binds it to: the import has run by then.
    fn is_sure(&self, func: &Expr) -> bool {
        match func {
            Expr::Name(name) => match self.bindings.imports.get(name.id.as_str()) {
                Some(_) => self
                    .bindings
                    .sure
                    .get(name.id.as_str())
                    .is_some_and(|at| *at < name.start()),
                None => true,
            },
            Expr::Attribute(attribute) => self.is_sure(&attribute.value),
            _ => true,
        }
    }

    /// An iterator that works later must be consumed here.
    fn lazy(&mut self, call: &'a ast::ExprCall, thing: &Thing, builtin: &str, role: Role) {
        let lazy = self.policy.is_lazy_builtin(builtin)
            || matches!(thing, Thing::Member(module, member) if self.is_lazy(module, member));
        if lazy && !matches!(role, Role::Consumed | Role::Eager) {
            let name = &self.text[call.func.range()];
            let message = format!("`{name}(...)` works later, when its items are taken");
            self.report(call, "lazy-iterator", message);
        }
    }

    fn arguments(
        &mut self,
        arguments: &'a Arguments,
        thing: &Thing,
        builtin: &str,
        func: &'a Expr,
        role: Role,
    ) {
        // Where the name may mean something else, nothing is known to be consumed.
        let hidden =
            self.bindings.stored.contains(builtin) || self.bindings.imports.contains_key(builtin);
        let sure = self.is_sure(func);
        // Which positional arguments are iterated over here and now, and how.
        let all_consumed = self.policy.is_lazy_builtin(builtin) && !hidden
            || sure
                && matches!(thing, Thing::Member(module, member)
                if self.is_lazy(module, member) && !matches!(&**member, "repeat" | "product"));
        let first = if !hidden && self.policy.is_eager_builtin(builtin) {
            // The largest of two iterators is one of them.
            let alone = !matches!(builtin, "max" | "min") || arguments.args.len() == 1;
            if alone { Role::Eager } else { Role::Value }
        } else if builtin == "iter" && !hidden {
            if matches!(role, Role::Consumed | Role::Eager) {
                Role::Consumed
            } else {
                Role::Value
            }
        } else if let Thing::Member(module, member) = thing {
            match self.policy.module(module) {
                ModuleRule::Listed(listed) if sure && listed.eager.contains(member) => Role::Eager,
                _ => Role::Value,
            }
        } else if is_literal_join(func) {
            Role::Eager
        } else {
            Role::Value
        };
        let reduces = matches!(thing, Thing::Member(module, member) if module == "functools" && member == "reduce");
        let array = matches!(thing, Thing::Member(module, member) if module == "array" && member == "array");
        let tests = !hidden && matches!(builtin, "isinstance" | "issubclass");
        for (index, arg) in arguments.args.iter().enumerate() {
            let role = match index {
                _ if all_consumed => Role::Consumed,
                0 => first,
                1 if tests => Role::TypeTest,
                1 if sure && (reduces || array) => Role::Eager,
                _ => Role::Value,
            };
            self.expr(arg, role);
        }
        for keyword in &arguments.keywords {
            self.expr(&keyword.value, Role::Value);
        }
    }

    /// Codecs run code of their own; the common ones are known.
    fn codecs(&mut self, call: &'a ast::ExprCall, thing: &Thing, builtin: &str) {
        let arguments = &call.arguments;
        let skip = match (&*call.func, builtin) {
            (Expr::Attribute(attribute), _)
                if matches!(attribute.attr.as_str(), "encode" | "decode") =>
            {
                0
            }
            (_, "str" | "bytes" | "bytearray") => 1,
            _ => return,
        };
        if matches!(thing, Thing::Member(..)) || arguments.is_empty() {
            return;
        }
        if skip == 0 && has_star(arguments)
            || skip == 1 && has_star(arguments) && arguments.len() > 1
        {
            self.report(call, "codec", "the codec's name is not a literal");
            return;
        }
        let codec = arguments
            .args
            .get(skip)
            .or_else(|| keyword(arguments, "encoding"));
        let errors = arguments
            .args
            .get(skip + 1)
            .or_else(|| keyword(arguments, "errors"));
        if let Some(codec) = codec {
            match literal(codec) {
                Some(name) if self.policy.allows_codec(name) => {}
                Some(name) => self.report(
                    codec,
                    "codec",
                    format!("`{name}` is not one of the allowed codecs"),
                ),
                // What cannot be a codec's name goes to some other `encode`.
                None if skip == 0 && (is_structure(codec) || size(codec).is_some()) => return,
                None => self.report(codec, "codec", "the codec's name is not a literal"),
            }
        }
        if let Some(errors) = errors {
            match literal(errors) {
                Some(name) if self.policy.allows_error_handler(name) => {}
                _ if skip == 0 && codec.is_none_or(|codec| literal(codec).is_none()) => {}
                _ => {
                    let instead = "one of 'strict', 'ignore', 'replace', 'backslashreplace', 'surrogateescape'".to_string();
                    self.report_with(
                        errors,
                        "codec",
                        "the error handler is not one of the allowed literals",
                        instead,
                    );
                }
            }
        }
    }

    /// Constants that ask for too much.
    fn amounts(&mut self, call: &'a ast::ExprCall, thing: &Thing, builtin: &str) {
        let limits = &self.policy.limits;
        let beyond = |expr: Option<&Expr>, most: usize| {
            let found = expr.and_then(size);
            found.is_some_and(|size| {
                size.value
                    .map_or(size.bits > 64.0, |value| value > most as i128)
            })
        };
        let args = &call.arguments.args;
        let too_much = match (&*call.func, builtin) {
            (_, "bytes" | "bytearray") => beyond(args.first(), limits.repeat),
            (_, name) if self.policy.is_eager_builtin(name) => match args.first() {
                Some(Expr::Call(inner)) => {
                    let range =
                        matches!(&*inner.func, Expr::Name(name) if name.id.as_str() == "range");
                    range
                        && inner
                            .arguments
                            .args
                            .iter()
                            .any(|arg| beyond(Some(arg), limits.repeat))
                        || self.is_endless(inner)
                }
                _ => false,
            },
            (Expr::Attribute(attribute), _)
                if matches!(
                    attribute.attr.as_str(),
                    "ljust" | "rjust" | "center" | "zfill" | "expandtabs"
                ) =>
            {
                beyond(args.first(), limits.repeat)
            }
            (_, "pow") => {
                let long = args
                    .get(1)
                    .and_then(size)
                    .is_some_and(|s| s.value.is_none_or(|v| v > limits.int_bits as i128));
                args.len() == 2 && long
            }
            (_, "format") => args
                .get(1)
                .and_then(literal)
                .is_some_and(|s| super::template::too_wide(s, limits.repeat)),
            _ => match thing {
                Thing::Member(module, member) if module == "math" => {
                    matches!(&**member, "factorial" | "comb" | "perm")
                        && args.iter().any(|arg| beyond(Some(arg), limits.factorial))
                }
                _ => false,
            },
        };
        if too_much {
            self.report(call, "resource", "this would take too much memory or time");
        }
    }

    /// Whether the call makes an iterator that never ends.
    fn is_endless(&self, call: &'a ast::ExprCall) -> bool {
        match self.thing(&call.func) {
            Thing::Member(module, member) => match self.policy.module(&module) {
                ModuleRule::Listed(listed) => {
                    listed.endless.contains(&member)
                        && !(member == "repeat" && call.arguments.len() > 1)
                }
                _ => false,
            },
            _ => {
                let passes_on = matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "map" | "filter" | "enumerate" | "iter"));
                passes_on
                    && call
                        .arguments
                        .args
                        .iter()
                        .any(|arg| matches!(arg, Expr::Call(inner) if self.is_endless(inner)))
            }
        }
    }

    fn pattern(&mut self, call: &'a ast::ExprCall, thing: &Thing) {
        const TAKE_PATTERNS: [&str; 9] = [
            "compile",
            "findall",
            "finditer",
            "fullmatch",
            "match",
            "search",
            "split",
            "sub",
            "subn",
        ];
        let member = match (thing, &*call.func) {
            (Thing::Member(module, member), _) if module == "re" => member.as_str(),
            (Thing::Live, Expr::Attribute(attribute)) => match &*attribute.value {
                Expr::Name(name) if name.id.as_str() == "re" => attribute.attr.as_str(),
                _ => return,
            },
            _ => return,
        };
        if !TAKE_PATTERNS.contains(&member) {
            return;
        }
        let first = call
            .arguments
            .args
            .first()
            .or_else(|| keyword(&call.arguments, "pattern"));
        let text = match first {
            Some(Expr::StringLiteral(text)) => text.value.to_str().to_string(),
            Some(Expr::BytesLiteral(bytes)) => bytes.value.bytes().map(char::from).collect(),
            _ => return,
        };
        if pattern::explodes(&text) {
            let message = "the pattern repeats a group that can itself repeat";
            self.report(
                first.map_or(call.range(), Ranged::range),
                "pattern",
                message,
            );
        }
    }
}

/// Displays and text that is made here: nothing that names a codec.
fn is_structure(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Dict(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Set(_)
            | Expr::ListComp(_)
            | Expr::DictComp(_)
    )
}

/// `','.join`, whose receiver cannot keep its argument.
fn is_literal_join(func: &Expr) -> bool {
    matches!(func, Expr::Attribute(attribute)
        if attribute.attr.as_str() == "join"
            && matches!(&*attribute.value, Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::FString(_)))
}
