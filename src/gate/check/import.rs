//! Imports: the root, then each member.

use ruff_python_ast as ast;
use ruff_text_size::Ranged;

use super::super::policy::ModuleRule;
use super::Checker;
use super::binding::Imported;
use crate::rules::nearest;

impl<'a> Checker<'a> {
    pub(super) fn import(&mut self, s: &'a ast::StmtImport) {
        self.probe(s, "import", "import modules");
        if s.is_lazy {
            self.report(s, "import-root", "a lazy import is not part of HealCore");
        }
        for alias in &s.names {
            let dotted = alias.name.as_str();
            match self.policy.module(dotted) {
                ModuleRule::Listed(module) if module.importable => {}
                _ => self.bad_root(dotted, alias),
            }
            let root = dotted.split('.').next().unwrap_or(dotted);
            match &alias.asname {
                Some(name) => {
                    let what = Imported::Module(dotted.to_string());
                    self.imported_name(name.as_str(), name.range(), &what);
                }
                None => self.imported_name(
                    root,
                    alias.name.range(),
                    &Imported::Module(root.to_string()),
                ),
            }
        }
    }

    pub(super) fn import_from(&mut self, s: &'a ast::StmtImportFrom) {
        self.probe(s, "import", "import modules");
        if s.is_lazy {
            self.report(s, "import-root", "a lazy import is not part of HealCore");
        }
        if s.level > 0 {
            self.report(
                s,
                "import-relative",
                "a relative import is not part of HealCore",
            );
            return;
        }
        let dotted = s.module.as_ref().map_or("", |module| module.as_str());
        let module = match self.policy.module(dotted) {
            ModuleRule::Listed(module) if module.importable => Some(module),
            _ => {
                let range = s.module.as_ref().map_or(s.range(), Ranged::range);
                self.bad_root(dotted, range);
                None
            }
        };
        for alias in &s.names {
            let member = alias.name.as_str();
            if member == "*" {
                self.report(alias, "import-star", "a star import hides what it binds");
                continue;
            }
            if let Some(module) = module
                && !module.has(member)
            {
                self.bad_member("import-member", alias, dotted, member);
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            let what = Imported::Member(dotted.to_string(), member.to_string());
            self.imported_name(name.as_str(), name.range(), &what);
        }
    }

    fn bad_root(&mut self, dotted: &str, at: impl Ranged) {
        let root = dotted.split('.').next().unwrap_or(dotted);
        let message = format!("healing code may not import `{dotted}`");
        self.report_for(at, "import-root", message, &[dotted, root]);
    }

    /// A member that a listed module has not, with the nearest that it has.
    pub(super) fn bad_member(
        &mut self,
        rule: &'static str,
        at: impl Ranged,
        module: &str,
        member: &str,
    ) {
        let message = format!("`{module}.{member}` is not available to healing code");
        let mut instead = self
            .policy
            .instead(rule, &[&format!("{module}.{member}"), member]);
        if let ModuleRule::Listed(listed) = self.policy.module(module)
            && instead == self.policy.instead(rule, &[])
        {
            let names: Vec<&str> = listed.names().collect();
            if let Some(name) = nearest(member, names.iter().copied()) {
                instead = format!("did you mean `{module}.{name}`?");
            } else if names.len() <= 24 {
                instead = format!("of `{module}` there are: {}", names.join(", "));
            }
        }
        self.report_with(at, rule, message, instead);
    }
}
