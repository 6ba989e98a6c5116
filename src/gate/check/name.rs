//! Names that are read, and what they stand for.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

use super::super::policy::{Builtin, ModuleRule, is_dunder};
use super::binding::Imported;
use super::{Checker, Role, Thing};

impl<'a> Checker<'a> {
    /// The frame binds the name to something that is no module and not the built-in.
    pub(super) fn is_shadowed(&self, name: &str) -> bool {
        let frame = self.options.frame.as_ref();
        frame.is_some_and(|frame| frame.shadowed.contains(name) && !frame.modules.contains_key(name))
            // After `del` the name means the built-in again.
            && !self.bindings.deleted.contains(name)
            && !self.bindings.imports.contains_key(name)
    }

    /// What an expression is known to be, without reporting anything.
    pub(super) fn thing(&self, expr: &Expr) -> Thing {
        match expr {
            Expr::Name(name) => self.thing_of_name(name.id.as_str()),
            Expr::Attribute(attribute) => self.thing_of_attribute(attribute),
            _ => Thing::Live,
        }
    }

    pub(super) fn thing_of_attribute(&self, attribute: &ast::ExprAttribute) -> Thing {
        let name = attribute.attr.as_str();
        match self.thing(&attribute.value) {
            Thing::Module(module) => match self.policy.module(&module) {
                ModuleRule::Listed(listed) if listed.modules.contains(name) => {
                    Thing::Module(format!("{module}.{name}"))
                }
                _ => Thing::Member(module, name.to_string()),
            },
            // itertools.chain.from_iterable
            Thing::Member(module, member) if self.is_lazy(&module, &member) => {
                Thing::Member(module, member)
            }
            _ => Thing::Live,
        }
    }

    fn thing_of_name(&self, name: &str) -> Thing {
        if self.is_shadowed(name) {
            return Thing::Live;
        }
        match self.bindings.imports.get(name) {
            Some(Imported::Module(module)) => return Thing::Module(module.clone()),
            Some(Imported::Member(module, member)) => {
                // `from os import path`
                let dotted = format!("{module}.{member}");
                return match self.policy.module(&dotted) {
                    ModuleRule::Listed(_) => Thing::Module(dotted),
                    _ => Thing::Member(module.clone(), member.clone()),
                };
            }
            None => {}
        }
        let frame = self.options.frame.as_ref();
        if let Some(module) = frame.and_then(|frame| frame.modules.get(name)) {
            let module = self.policy.canonical(module);
            return match self.policy.module(module) {
                ModuleRule::Open => Thing::OpenModule,
                _ => Thing::Module(module.to_string()),
            };
        }
        if self.policy.is_module_name(name) {
            return Thing::Module(name.to_string());
        }
        match self.policy.builtin_rule(name) {
            Builtin::No => Thing::Live,
            _ if self.bindings.stored.contains(name) => Thing::Live,
            _ => Thing::Builtin,
        }
    }

    pub(super) fn is_lazy(&self, module: &str, member: &str) -> bool {
        matches!(self.policy.module(module), ModuleRule::Listed(listed) if listed.lazy.contains(member))
    }

    pub(super) fn name(&mut self, name: &'a ast::ExprName, role: Role) {
        let id = name.id.as_str();
        // Stores come through `target` and `loop_target`; the rest of the tree is loads.
        if name.ctx.is_store() || name.ctx.is_del() {
            self.binding_name(id, name.range());
            return;
        }
        if is_dunder(id) {
            self.report_for(
                name,
                "dunder-name",
                format!("`{id}` is a name of the interpreter"),
                &[id],
            );
            return;
        }
        if self.policy.is_reserved(id) {
            let message = if id == self.policy.return_slot() {
                format!("`{id}` can only be assigned")
            } else {
                format!("`{id}` belongs to the runtime")
            };
            self.report_for(name, "reserved-name", message, &[id]);
            return;
        }
        if self.policy.user_denies_name(id) {
            self.report(
                name,
                "user-name",
                format!("the policy denies the name `{id}`"),
            );
        }
        if self.is_shadowed(id) {
            return;
        }
        if self.policy.denies_name(id) && role != Role::TypeTest {
            let message = format!("`{id}` gives a way out of HealCore");
            self.report_for(name, "name-denied", message, &[id]);
            return;
        }
        self.builtin(name, role);
        match self.thing_of_name(id) {
            Thing::Module(module) => self.module_use(name, &module, role),
            Thing::OpenModule if !matches!(role, Role::Base) => {
                let message = format!("the module `{id}` is used as a value");
                self.report(name, "module-value", message);
            }
            Thing::Member(module, member) => self.member_use(name, &module, &member, role),
            _ => {}
        }
    }

    /// The rules of a built-in hold for its name wherever it stands, since an assignment to the
    /// name may not run.
    fn builtin(&mut self, name: &'a ast::ExprName, role: Role) {
        let id = name.id.as_str();
        if matches!(role, Role::TypeTest) && self.policy.is_type_test(id) {
            return;
        }
        match self.policy.builtin_rule(id) {
            Builtin::Denied if role == Role::Base && self.policy.is_base_only(id) => {}
            Builtin::Denied if role == Role::Handler => {
                let message = format!("`except {id}` also catches the signals of the runtime");
                self.report_for(name, "broad-except", message, &[id]);
            }
            Builtin::Denied => {
                self.report_for(
                    name,
                    "builtin-denied",
                    format!("`{id}` is not part of HealCore"),
                    &[id],
                );
            }
            Builtin::CallOnly if role != Role::Callee => {
                self.report_for(
                    name,
                    "builtin-value",
                    format!("`{id}` may only be called, not stored or passed on"),
                    &[],
                );
            }
            _ => {}
        }
    }

    /// A module by itself; its members come through `attribute`.
    fn module_use(&mut self, name: &'a ast::ExprName, module: &str, role: Role) {
        if matches!(
            self.policy.module(module),
            ModuleRule::Denied | ModuleRule::Open
        ) {
            // A bad import is reported where it stands.
            if !self.bindings.imports.contains_key(name.id.as_str()) {
                let message = format!("the module `{module}` is not available to healing code");
                self.report_for(name, "module-denied", message, &[module]);
            }
        } else if role != Role::Base {
            self.report(
                name,
                "module-value",
                format!("the module `{module}` is used as a value"),
            );
        }
    }

    /// A listed member by a name of its own or after its module.
    pub(super) fn member_use(&mut self, at: impl Ranged, module: &str, member: &str, role: Role) {
        let ModuleRule::Listed(listed) = self.policy.module(module) else {
            return;
        };
        if listed.type_tests.contains(member) && !matches!(role, Role::TypeTest) {
            let message = format!("`{module}.{member}` may only be tested for");
            let instead = self.policy.instead("builtin-value", &[member]);
            let instead = if instead == self.policy.instead("builtin-value", &[]) {
                format!("isinstance(value, {member})")
            } else {
                instead
            };
            self.report_with(at, "module-member", message, instead);
        } else if listed.lazy.contains(member) && !matches!(role, Role::Callee | Role::Base) {
            let message =
                format!("`{module}.{member}` may only be called, not stored or passed on");
            self.report(at, "builtin-value", message);
        }
    }
}
