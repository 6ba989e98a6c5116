//! Attributes, by whatever route their names come.

use ruff_python_ast::{self as ast, Expr, ExprContext};
use ruff_text_size::{Ranged, TextRange};

use super::super::policy::{AttributeRule, ModuleRule};
use super::super::template::{self, Fault};
use super::{Checker, Role, Thing};

impl<'a> Checker<'a> {
    /// `call` is the call whose function the attribute is.
    pub(super) fn attribute(
        &mut self,
        e: &'a ast::ExprAttribute,
        role: Role,
        call: Option<&'a ast::ExprCall>,
    ) {
        let name = e.attr.as_str();
        self.expr(&e.value, Role::Base);
        match self.thing(&e.value) {
            Thing::Module(module) => {
                match self.policy.module(&module) {
                    ModuleRule::Listed(listed) if listed.has(name) => {}
                    ModuleRule::Listed(_) => {
                        self.bad_member("module-member", e, &module, name);
                        return;
                    }
                    // Reported at the module's name.
                    ModuleRule::Denied | ModuleRule::Open => return,
                }
                match self.thing_of_attribute(e) {
                    Thing::Module(inner) if role != Role::Base => {
                        self.report(
                            e,
                            "module-value",
                            format!("the module `{inner}` is used as a value"),
                        );
                    }
                    Thing::Member(module, member) => self.member_use(e, &module, &member, role),
                    _ => {}
                }
                return;
            }
            Thing::Live => {
                if let Expr::Name(base) = &*e.value {
                    let base = base.id.as_str();
                    let known = self.options.frame.is_some();
                    if !known
                        && self.policy.may_be_module(base)
                        && self.policy.denies_member(base, name)
                    {
                        let message = format!("`{base}.{name}` is not available to healing code");
                        self.report_for(e, "module-member", message, &[name]);
                        return;
                    }
                }
            }
            Thing::Member(module, member) => {
                let whole = format!("{module}.{member}.{name}");
                if self.is_lazy(&module, &member) && role != Role::Callee {
                    self.report(
                        e,
                        "builtin-value",
                        format!("`{whole}` may only be called, not stored or passed on"),
                    );
                } else if name == "register" {
                    let message = format!("`{whole}` changes the class for the whole process");
                    self.report(e, "module-store", message);
                }
            }
            _ => {}
        }
        let rule = self.policy.attribute_rule(name);
        let fits = match rule {
            AttributeRule::NoArguments => call.is_some_and(|call| call.arguments.is_empty()),
            AttributeRule::CallOnly => call.is_some(),
            AttributeRule::KeywordsOnly => call.is_some_and(|call| {
                let allowed = |k: &ast::Keyword| {
                    k.arg
                        .as_ref()
                        .is_some_and(|arg| self.policy.allows_keyword(name, arg))
                };
                call.arguments.args.is_empty() && call.arguments.keywords.iter().all(allowed)
            }),
            AttributeRule::SelfOnly => matches!(&*e.value, Expr::Name(base)
                if base.id.as_str() == "self" && !self.bindings.stored.contains("self")
                    && !self.bindings.imports.contains_key("self")),
            AttributeRule::Format => match (&*e.value, call) {
                _ if e.ctx != ExprContext::Load => true,
                (Expr::StringLiteral(text), Some(_)) => {
                    self.template(text);
                    return;
                }
                _ => false,
            },
            AttributeRule::Plain => return,
            AttributeRule::Reflection => role == Role::TypeTest,
            _ => false,
        };
        if fits {
            return;
        }
        if rule == AttributeRule::Format {
            let message = if call.is_some() {
                "the template of `.format` is not a literal: its fields could name any attribute"
            } else {
                "`.format` may only be called on a literal"
            };
            self.report(e.attr.range(), "format-template", message);
            return;
        }
        self.attribute_name(name, e.attr.range(), e.ctx);
    }

    /// A name that is used as an attribute's, in no particular shape.
    pub(super) fn attribute_name(
        &mut self,
        name: &str,
        range: TextRange,
        ctx: ExprContext,
    ) -> bool {
        let (rule, message) = match self.policy.attribute_rule(name) {
            AttributeRule::Plain => return true,
            AttributeRule::ReadableDunder if ctx == ExprContext::Load => return true,
            AttributeRule::ReadableDunder => {
                ("dunder-attribute", format!("`{name}` may only be read"))
            }
            AttributeRule::Dunder => (
                "dunder-attribute",
                format!("`{name}` is an attribute of the interpreter"),
            ),
            AttributeRule::Mangled => {
                ("mangled-attribute", format!("`{name}` is not mangled here"))
            }
            AttributeRule::Reserved => {
                ("reserved-name", format!("`{name}` belongs to the runtime"))
            }
            AttributeRule::Internal => (
                "internal-attribute",
                format!("`{name}` leads to frames, code or the interpreter"),
            ),
            AttributeRule::Effect => (
                "effect-attribute",
                format!("`{name}` has effects outside of the program's state"),
            ),
            AttributeRule::Reflection => (
                "reflection-attribute",
                format!("`{name}` turns text into names, or makes classes"),
            ),
            AttributeRule::Module => (
                "module-attribute",
                format!("`{name}` is a module inside another object"),
            ),
            AttributeRule::NoArguments => (
                "attribute-shape",
                format!("`{name}` may only be called, without arguments"),
            ),
            AttributeRule::CallOnly => ("attribute-shape", format!("`{name}` may only be called")),
            AttributeRule::KeywordsOnly => (
                "attribute-shape",
                format!("`{name}` may only be called with keyword arguments"),
            ),
            AttributeRule::SelfOnly => (
                "attribute-shape",
                format!("`{name}` may only be read from `self`"),
            ),
            AttributeRule::Format => (
                "format-template",
                format!("`{name}` may only be called on a literal"),
            ),
            AttributeRule::User => (
                "user-attribute",
                format!("the policy denies the attribute `{name}`"),
            ),
        };
        self.report_for(range, rule, message, &[name]);
        false
    }

    fn template(&mut self, text: &'a ast::ExprStringLiteral) {
        let (rule, message) = match template::fault(text.value.to_str(), self.policy.limits.repeat)
        {
            None => return,
            Some(Fault::Path) => (
                "format-template",
                "a field of the template reads an attribute or item",
            ),
            Some(Fault::Name) => (
                "format-template",
                "a field of the template has a reserved name",
            ),
            Some(Fault::Malformed) => ("format-template", "the template is malformed"),
            Some(Fault::TooWide) => ("resource", "the width is too large"),
        };
        self.report(text, rule, message);
    }
}
