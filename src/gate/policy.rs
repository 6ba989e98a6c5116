//! The policy: `rules/healcore.toml`, and what a user's files take from it or add to it.
//!
//! Text in, values out; nothing here touches the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::rules::{TomlError, nearest};

const HEALCORE: &str = include_str!("../../rules/healcore.toml");
const HEALCORE_NAME: &str = "rules/healcore.toml";
const VERSION: u32 = 1;

pub(super) type Names = BTreeSet<String>;

/// What is allowed.
#[derive(Debug, Clone)]
pub struct Policy {
    data: Data,
    pub(super) limits: Limits,
    /// A user's file added something.
    widened: bool,
    fingerprint: String,
}

/// Why there is no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error(transparent)]
    File(#[from] TomlError),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Data {
    version: u32,
    limits: Limits,
    probe: Probe,
    syntax: Syntax,
    names: NamePolicy,
    builtins: Builtins,
    attributes: Attributes,
    codecs: Codecs,
    module: BTreeMap<String, Module>,
    same_module: BTreeMap<String, String>,
    denied_modules: DeniedModules,
    instead: BTreeMap<String, String>,
    advice: BTreeMap<String, String>,
    /// From users' files.
    #[serde(default)]
    own_attributes: Names,
    #[serde(default)]
    own_names: Names,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    pub(super) bytes: usize,
    pub(super) brackets: usize,
    pub(super) indents: usize,
    pub(super) chain: usize,
    pub(super) branches: usize,
    pub(super) findings: usize,
    pub(super) int_digits: usize,
    pub(super) int_bits: usize,
    pub(super) repeat: usize,
    pub(super) factorial: usize,
}

/// No user's file may go beyond these: what the code relies on for its own safety.
const CEILING: Limits = Limits {
    bytes: 1 << 20,
    brackets: 100,
    indents: 40,
    chain: 2000,
    branches: 1000,
    findings: 1000,
    int_digits: 100_000,
    int_bits: 1 << 24,
    repeat: 1 << 32,
    factorial: 1 << 20,
};

impl Limits {
    fn fields(&mut self) -> [(&'static str, &mut usize); 10] {
        [
            ("bytes", &mut self.bytes),
            ("brackets", &mut self.brackets),
            ("indents", &mut self.indents),
            ("chain", &mut self.chain),
            ("branches", &mut self.branches),
            ("findings", &mut self.findings),
            ("int-digits", &mut self.int_digits),
            ("int-bits", &mut self.int_bits),
            ("repeat", &mut self.repeat),
            ("factorial", &mut self.factorial),
        ]
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Probe {
    reject: Names,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Syntax {
    statements: Names,
    expressions: Names,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamePolicy {
    reserved_prefix: String,
    return_slot: String,
    denied: Names,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Builtins {
    values: Names,
    call_only: Names,
    lazy: Names,
    eager: Names,
    type_tests: Names,
    base_only: Names,
    denied: Names,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Attributes {
    dunders: Names,
    protocols: Names,
    internal_prefixes: Names,
    internal: Names,
    effects: Names,
    reflection: Names,
    modules: Names,
    no_arguments: Names,
    call_only: Names,
    keywords_only: BTreeMap<String, Names>,
    self_only: Names,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Codecs {
    names: Names,
    errors: Names,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Module {
    #[serde(default)]
    pub(super) importable: bool,
    #[serde(default)]
    pub(super) name_only: bool,
    #[serde(default)]
    pub(super) members: Names,
    #[serde(default)]
    pub(super) modules: Names,
    #[serde(default)]
    pub(super) lazy: Names,
    #[serde(default)]
    pub(super) endless: Names,
    #[serde(default)]
    pub(super) eager: Names,
    #[serde(default)]
    pub(super) type_tests: Names,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DeniedModules {
    name_only: Names,
    others: Names,
    members: Names,
}

/// A user's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    #[serde(default)]
    narrow: Change,
    widen: Option<Spanned<Change>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Change {
    #[serde(default)]
    statements: Vec<Spanned<String>>,
    #[serde(default)]
    expressions: Vec<Spanned<String>>,
    #[serde(default)]
    builtins: Vec<Spanned<String>>,
    #[serde(default)]
    names: Vec<Spanned<String>>,
    #[serde(default)]
    attributes: Vec<Spanned<String>>,
    #[serde(default)]
    members: Vec<Spanned<String>>,
    #[serde(default)]
    codecs: Vec<Spanned<String>>,
    #[serde(default)]
    probe: Vec<Spanned<String>>,
    #[serde(default)]
    limits: BTreeMap<String, Spanned<usize>>,
}

/// What a probe may be refused.
pub(super) const PROBE_KINDS: [&str; 6] = [
    "attribute-store",
    "item-store",
    "delete",
    "return-slot",
    "import",
    "raise",
];

/// How a built-in of some name may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    No,
    Value,
    CallOnly,
    Denied,
}

/// Why an attribute name is not allowed, or under what condition it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeRule {
    Plain,
    Dunder,
    ReadableDunder,
    Mangled,
    Reserved,
    Internal,
    Effect,
    Reflection,
    Module,
    NoArguments,
    CallOnly,
    KeywordsOnly,
    SelfOnly,
    Format,
    User,
}

/// What is known of a module by its dotted name.
#[derive(Debug, Clone, Copy)]
pub(super) enum ModuleRule<'a> {
    Listed(&'a Module),
    Denied,
    /// A module of the project or of a third party.
    Open,
}

impl Policy {
    /// The policy that healc comes with.
    ///
    /// # Panics
    /// If the embedded file is malformed, which a test rules out.
    pub fn builtin() -> Self {
        match toml::from_str::<Data>(HEALCORE) {
            Ok(data) => Self::of(data, false),
            Err(error) => panic!("{}", TomlError::read(HEALCORE_NAME, HEALCORE, &error)),
        }
    }

    /// Name and text of the built-in policy, for users to read.
    pub fn builtin_text() -> (&'static str, &'static str) {
        (HEALCORE_NAME, HEALCORE)
    }

    /// `base` with users' files on top, in order. The paths only name files in errors.
    pub fn load(
        base: Self,
        files: &[(PathBuf, String)],
        allow_widening: bool,
    ) -> Result<Self, PolicyError> {
        let Self {
            mut data,
            mut widened,
            ..
        } = base;
        for (path, text) in files {
            let file = &*path.to_string_lossy();
            let pack: Pack =
                toml::from_str(text).map_err(|error| TomlError::read(file, text, &error))?;
            let at = |offset: usize, message: String| TomlError::at(file, text, offset, message);
            narrow(&mut data, &pack.narrow).map_err(|(offset, message)| at(offset, message))?;
            if let Some(change) = pack.widen {
                if !allow_widening {
                    let message = "this file adds to what healing code may do; say --allow-widening if that is meant";
                    return Err(at(change.span().start, message.into()).into());
                }
                widen(&mut data, change.get_ref())
                    .map_err(|(offset, message)| at(offset, message))?;
                widened = true;
            }
        }
        Ok(Self::of(data, widened))
    }

    fn of(data: Data, widened: bool) -> Self {
        assert_eq!(
            data.version, VERSION,
            "the policy's version is the checker's"
        );
        let text =
            serde_json::to_vec(&("healc healcore 1", &data)).expect("a policy is plain data");
        let mut fingerprint = String::with_capacity(64);
        for byte in Sha256::digest(text) {
            let _ = write!(fingerprint, "{byte:02x}");
        }
        Self {
            limits: data.limits.clone(),
            data,
            widened,
            fingerprint,
        }
    }

    /// SHA-256, in hex, of what the policy says; comments, layout and order do not count.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub fn version(&self) -> u32 {
        self.data.version
    }

    /// Whether a user's file added something.
    pub fn is_widened(&self) -> bool {
        self.widened
    }

    /// The built-ins that healing code may name at all: what the runtime may leave in its
    /// namespace, and nothing else.
    pub fn builtin_names(&self) -> BTreeSet<&str> {
        let builtins = &self.data.builtins;
        let sets = [&builtins.values, &builtins.call_only, &builtins.type_tests];
        sets.into_iter().flatten().map(|name| &**name).collect()
    }

    /// Advice for the most exact of `names` that has any, else the rule's own.
    pub(super) fn instead(&self, rule: &str, names: &[&str]) -> String {
        let own = names.iter().find_map(|name| self.data.advice.get(*name));
        own.or_else(|| self.data.instead.get(rule))
            .cloned()
            .unwrap_or_default()
    }

    pub(super) fn allows_statement(&self, kind: &str) -> bool {
        self.data.syntax.statements.contains(kind)
    }

    pub(super) fn allows_expression(&self, kind: &str) -> bool {
        self.data.syntax.expressions.contains(kind)
    }

    pub(super) fn probe_rejects(&self, what: &str) -> bool {
        self.data.probe.reject.contains(what)
    }

    pub(super) fn is_reserved(&self, name: &str) -> bool {
        name.starts_with(&self.data.names.reserved_prefix)
    }

    pub(super) fn return_slot(&self) -> &str {
        &self.data.names.return_slot
    }

    pub(super) fn denies_name(&self, name: &str) -> bool {
        self.data.names.denied.contains(name)
    }

    pub(super) fn user_denies_name(&self, name: &str) -> bool {
        self.data.own_names.contains(name)
    }

    pub(super) fn builtin_rule(&self, name: &str) -> Builtin {
        let builtins = &self.data.builtins;
        if builtins.call_only.contains(name) {
            Builtin::CallOnly
        } else if builtins.denied.contains(name) {
            Builtin::Denied
        } else if builtins.values.contains(name) {
            Builtin::Value
        } else {
            Builtin::No
        }
    }

    pub(super) fn is_lazy_builtin(&self, name: &str) -> bool {
        self.data.builtins.lazy.contains(name)
    }

    pub(super) fn is_eager_builtin(&self, name: &str) -> bool {
        self.data.builtins.eager.contains(name)
    }

    pub(super) fn is_type_test(&self, name: &str) -> bool {
        self.data.builtins.type_tests.contains(name)
    }

    pub(super) fn is_base_only(&self, name: &str) -> bool {
        self.data.builtins.base_only.contains(name)
    }

    pub(super) fn is_protocol(&self, name: &str) -> bool {
        self.data.attributes.protocols.contains(name)
    }

    pub(super) fn attribute_rule(&self, name: &str) -> AttributeRule {
        let rules = &self.data.attributes;
        if is_dunder(name) {
            return if rules.dunders.contains(name) {
                AttributeRule::ReadableDunder
            } else {
                AttributeRule::Dunder
            };
        }
        let sets = [
            (&self.data.own_attributes, AttributeRule::User),
            (&rules.internal, AttributeRule::Internal),
            (&rules.effects, AttributeRule::Effect),
            (&rules.reflection, AttributeRule::Reflection),
            (&rules.no_arguments, AttributeRule::NoArguments),
            (&rules.call_only, AttributeRule::CallOnly),
            (&rules.self_only, AttributeRule::SelfOnly),
        ];
        if self.is_reserved(name) {
            AttributeRule::Reserved
        } else if let Some((_, rule)) = sets.iter().find(|(set, _)| set.contains(name)) {
            *rule
        } else if rules.keywords_only.contains_key(name) {
            AttributeRule::KeywordsOnly
        } else if name == "format" {
            AttributeRule::Format
        } else if rules.modules.contains(name.trim_start_matches('_')) {
            AttributeRule::Module
        } else if rules
            .internal_prefixes
            .iter()
            .any(|prefix| name.starts_with(&**prefix))
        {
            AttributeRule::Internal
        } else if name.starts_with("__") && !name.bytes().all(|byte| byte == b'_') {
            AttributeRule::Mangled
        } else {
            AttributeRule::Plain
        }
    }

    pub(super) fn allows_keyword(&self, attribute: &str, keyword: &str) -> bool {
        let keywords = self.data.attributes.keywords_only.get(attribute);
        keywords.is_some_and(|keywords| keywords.contains(keyword))
    }

    pub(super) fn allows_codec(&self, name: &str) -> bool {
        let plain = name.to_ascii_lowercase().replace(['-', ' '], "_");
        self.data.codecs.names.contains(&plain)
    }

    pub(super) fn allows_error_handler(&self, name: &str) -> bool {
        self.data.codecs.errors.contains(name)
    }

    /// By its dotted name.
    pub(super) fn module(&self, dotted: &str) -> ModuleRule<'_> {
        if let Some(module) = self.data.module.get(dotted) {
            return ModuleRule::Listed(module);
        }
        let root = dotted.split('.').next().unwrap_or(dotted);
        let denied = &self.data.denied_modules;
        if denied.name_only.contains(root)
            || denied.others.contains(root)
            || self.data.module.contains_key(root)
            || root == "_eh_runtime"
        {
            ModuleRule::Denied
        } else {
            ModuleRule::Open
        }
    }

    /// The name that the policy knows a frame's module by.
    pub(super) fn canonical<'a>(&'a self, module: &'a str) -> &'a str {
        self.data
            .same_module
            .get(module)
            .map_or(module, |name| name)
    }

    /// The name stands for the module wherever it stands.
    pub(super) fn is_module_name(&self, name: &str) -> bool {
        self.data.denied_modules.name_only.contains(name)
            || self
                .data
                .module
                .get(name)
                .is_some_and(|module| module.name_only)
    }

    /// The name may be a module of the standard library, or anything.
    pub(super) fn may_be_module(&self, name: &str) -> bool {
        self.data.denied_modules.others.contains(name) || self.data.module.contains_key(name)
    }

    /// `signal.alarm` and the like, where `signal` may be anything.
    pub(super) fn denies_member(&self, name: &str, member: &str) -> bool {
        let leak = member.trim_start_matches('_');
        let modules = &self.data.attributes.modules;
        self.data.denied_modules.members.contains(&format!("{name}.{member}"))
            || modules.contains(leak)
            // A module of the standard library inside another one.
            || self.may_be_module(name)
                && !self.is_listed_member(name, member)
                && (self.may_be_module(leak) || self.is_module_name(leak))
    }

    fn is_listed_member(&self, name: &str, member: &str) -> bool {
        self.data
            .module
            .get(name)
            .is_some_and(|module| module.has(member))
    }
}

impl Module {
    pub(super) fn has(&self, member: &str) -> bool {
        [&self.members, &self.modules, &self.lazy, &self.type_tests]
            .iter()
            .any(|set| set.contains(member))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [&self.members, &self.modules, &self.lazy, &self.type_tests]
            .into_iter()
            .flatten()
            .map(|name| &**name)
    }
}

/// Two underscores at both ends, and something between them.
pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4
        && name.starts_with("__")
        && name.ends_with("__")
        && !name.bytes().all(|byte| byte == b'_')
}

type Problem = (usize, String);

/// A list of the policy that a change takes from, or adds to.
fn unknown(what: &str, item: &Spanned<String>, allowed: &Names) -> Problem {
    let given = item.get_ref();
    let mut message = format!("`{given}` is not {what}");
    if let Some(name) = nearest(given, allowed.iter().map(|name| &**name)) {
        let _ = write!(message, "; did you mean `{name}`?");
    }
    (item.span().start, message)
}

fn narrow(data: &mut Data, change: &Change) -> Result<(), Problem> {
    for (items, set, what) in [
        (
            &change.statements,
            &mut data.syntax.statements,
            "an allowed statement",
        ),
        (
            &change.expressions,
            &mut data.syntax.expressions,
            "an allowed expression",
        ),
        (&change.codecs, &mut data.codecs.names, "an allowed codec"),
    ] {
        for item in items {
            if !set.remove(item.get_ref()) {
                return Err(unknown(what, item, set));
            }
        }
    }
    for item in &change.builtins {
        let builtins = &mut data.builtins;
        let name = item.get_ref();
        if !builtins.values.remove(name) & !builtins.call_only.remove(name) {
            return Err(unknown("an allowed built-in", item, &builtins.values));
        }
        builtins.denied.insert(name.clone());
        for set in [&mut builtins.base_only, &mut builtins.type_tests] {
            set.remove(name);
        }
    }
    data.own_names
        .extend(change.names.iter().map(|name| name.get_ref().clone()));
    data.own_attributes
        .extend(change.attributes.iter().map(|name| name.get_ref().clone()));
    for item in &change.members {
        let dotted = item.get_ref();
        if let Some(gone) = data.module.remove(dotted) {
            let below = format!("{dotted}.");
            data.module.retain(|name, _| !name.starts_with(&below));
            if let Some((outer, name)) = dotted.rsplit_once('.') {
                if let Some(module) = data.module.get_mut(outer) {
                    module.modules.remove(name);
                }
            } else {
                // What the name alone gave away, it still does.
                let denied = &mut data.denied_modules;
                let names = if gone.name_only {
                    &mut denied.name_only
                } else {
                    &mut denied.others
                };
                names.insert(dotted.clone());
            }
            continue;
        }
        let (module, member) = dotted.rsplit_once('.').unwrap_or((dotted, ""));
        let all: Names = data.module.keys().cloned().collect();
        let Some(module) = data.module.get_mut(module) else {
            return Err(unknown(
                "a module of the policy, nor a member of one",
                item,
                &all,
            ));
        };
        let sets = [
            &mut module.members,
            &mut module.lazy,
            &mut module.type_tests,
        ];
        let gone = sets
            .into_iter()
            .fold(false, |gone, set| set.remove(member) | gone);
        // Also where only the frame could say that the name is the module.
        data.denied_modules.members.insert(dotted.clone());
        if !gone {
            return Err(unknown("an allowed member", item, &all));
        }
    }
    for item in &change.probe {
        if !PROBE_KINDS.contains(&&**item.get_ref()) {
            let all = PROBE_KINDS.iter().map(ToString::to_string).collect();
            return Err(unknown("something that a probe can be refused", item, &all));
        }
        data.probe.reject.insert(item.get_ref().clone());
    }
    limits(
        data,
        change,
        |new, old| new <= old,
        "only lower a limit here",
    )
}

fn widen(data: &mut Data, change: &Change) -> Result<(), Problem> {
    let text = |item: &Spanned<String>| item.get_ref().clone();
    // The checker knows no other kinds: here one can only take back what was narrowed.
    let all = Policy::builtin().data.syntax;
    for (items, set, all) in [
        (
            &change.statements,
            &mut data.syntax.statements,
            &all.statements,
        ),
        (
            &change.expressions,
            &mut data.syntax.expressions,
            &all.expressions,
        ),
    ] {
        for item in items {
            if !all.contains(item.get_ref()) {
                return Err(unknown("a kind that HealCore can allow", item, all));
            }
            set.insert(text(item));
        }
    }
    data.codecs.names.extend(change.codecs.iter().map(text));
    for item in &change.builtins {
        let name = item.get_ref();
        data.builtins.denied.remove(name);
        if !data.builtins.call_only.contains(name) {
            data.builtins.values.insert(name.clone());
        }
    }
    for item in &change.names {
        data.names.denied.remove(item.get_ref());
        data.own_names.remove(item.get_ref());
    }
    for item in &change.attributes {
        let name = item.get_ref();
        if is_dunder(name) {
            data.attributes.dunders.insert(name.clone());
        }
        let rules = &mut data.attributes;
        for set in [
            &mut data.own_attributes,
            &mut rules.internal,
            &mut rules.effects,
            &mut rules.reflection,
            &mut rules.modules,
            &mut rules.no_arguments,
            &mut rules.call_only,
            &mut rules.self_only,
        ] {
            set.remove(name);
        }
        rules.keywords_only.remove(name);
    }
    for item in &change.members {
        let Some((outer, member)) = item.get_ref().rsplit_once('.') else {
            let message = format!("name the members one by one: {}.member", item.get_ref());
            return Err((item.span().start, message));
        };
        let root = outer.split('.').next().unwrap_or(outer);
        let name_only = data.denied_modules.name_only.remove(root);
        data.denied_modules.others.remove(root);
        data.module.entry(root.to_string()).or_default().name_only |= name_only;
        data.denied_modules.members.remove(item.get_ref());
        let mut at = String::new();
        for part in outer.split('.') {
            if !at.is_empty() {
                data.module
                    .entry(at.clone())
                    .or_default()
                    .modules
                    .insert(part.to_string());
                at.push('.');
            }
            at.push_str(part);
            data.module.entry(at.clone()).or_default().importable = true;
        }
        data.module
            .entry(at)
            .or_default()
            .members
            .insert(member.to_string());
    }
    for item in &change.probe {
        data.probe.reject.remove(item.get_ref());
    }
    limits(
        data,
        change,
        |new, old| new >= old,
        "only raise a limit here",
    )
}

fn limits(
    data: &mut Data,
    change: &Change,
    fits: impl Fn(usize, usize) -> bool,
    advice: &str,
) -> Result<(), Problem> {
    let mut ceiling = CEILING;
    for (name, value) in &change.limits {
        let start = value.span().start;
        let fields = data.limits.fields();
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        let Some(index) = names.iter().position(|field| field == name) else {
            let message = format!("`{name}` is not a limit: {}", names.join(", "));
            return Err((start, message));
        };
        let (old, most) = (&mut *fields[index].1, *ceiling.fields()[index].1);
        if !fits(*value.get_ref(), *old) {
            return Err((start, format!("`{name}` is {old} now; {advice}")));
        }
        if *value.get_ref() > most {
            return Err((start, format!("`{name}` cannot be more than {most}")));
        }
        *old = *value.get_ref();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An import that does not run makes a name mean something else than the gate believes. So
    /// nothing may be allowed of a listed module that is not allowed of any object.
    #[test]
    fn members_are_ordinary_attributes() {
        let policy = Policy::builtin();
        for (name, module) in &policy.data.module {
            for member in module
                .members
                .iter()
                .chain(&module.lazy)
                .chain(&module.modules)
            {
                assert_eq!(
                    policy.attribute_rule(member),
                    AttributeRule::Plain,
                    "{name}.{member}"
                );
            }
            for set in [&module.eager, &module.endless] {
                assert!(set.iter().all(|member| module.has(member)), "{name}");
            }
            for inner in &module.modules {
                assert!(
                    policy.data.module.contains_key(&format!("{name}.{inner}")),
                    "{name}.{inner}"
                );
            }
        }
    }

    #[test]
    fn every_rule_has_advice() {
        let data = Policy::builtin().data;
        assert!(
            data.instead
                .values()
                .chain(data.advice.values())
                .all(|text| !text.is_empty())
        );
        for kind in ["lazy", "eager"] {
            let set = if kind == "lazy" {
                &data.builtins.lazy
            } else {
                &data.builtins.eager
            };
            let known = |name: &&String| {
                data.builtins.values.contains(*name) || data.builtins.call_only.contains(*name)
            };
            assert!(set.iter().all(|name| known(&name)), "{kind}");
        }
    }
}
