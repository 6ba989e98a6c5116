//! Which exceptions pause an execution (`rules/heal.toml`), as the runtime reads it: JSON.

use std::path::PathBuf;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::gate::Policy;

const BUILTIN: &str = include_str!("../../rules/heal.toml");
const SCHEMA: u32 = 1;

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Rules {
    #[serde(skip_serializing)]
    schema: u32,
    /// False in a user's file: nothing of the built-in rules is kept.
    #[serde(default = "yes", skip_serializing)]
    builtin: bool,
    raise_statement: Option<Pausing>,
    assert_statement: Option<Pausing>,
    broad_handlers: Option<Counting>,
    unclear_managers: Option<Counting>,
    unawaited: Option<Waiting>,
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    #[serde(default)]
    never: Never,
    #[serde(default)]
    surface: Vec<Surface>,
    #[serde(default)]
    transparent: Vec<Transparent>,
    #[serde(default)]
    transport: Vec<Transport>,
    #[serde(default)]
    manager: Vec<Manager>,
    #[serde(default)]
    call: Vec<Call>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Pausing {
    Pause,
    Decline,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Counting {
    Expected,
    Ignored,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Waiting {
    Pause,
    Expected,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Never {
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    functions: Vec<String>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Surface {
    /// For people.
    #[serde(default)]
    why: String,
    r#where: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Transparent {
    /// For people.
    #[serde(default)]
    why: String,
    r#where: Vec<String>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Transport {
    /// For people.
    #[serde(default)]
    why: String,
    r#where: Vec<String>,
    future: String,
    unawaited: Option<Waiting>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Manager {
    /// For people.
    #[serde(default)]
    why: String,
    r#where: Vec<String>,
    types: String,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Call {
    /// For people.
    #[serde(default)]
    why: String,
    r#where: Vec<String>,
    #[serde(default)]
    from: u32,
    #[serde(default)]
    functions: Vec<String>,
    types: Vec<String>,
}

impl Rules {
    fn parse(text: &str) -> Result<Rules> {
        let rules: Rules = toml::from_str(text)?;
        if rules.schema != SCHEMA {
            bail!(
                "schema = {}: this healc reads schema {SCHEMA}",
                rules.schema
            );
        }
        let places = (rules.surface.iter().map(|rule| &rule.r#where))
            .chain(rules.transparent.iter().map(|rule| &rule.r#where))
            .chain(rules.transport.iter().map(|rule| &rule.r#where))
            .chain(rules.manager.iter().map(|rule| &rule.r#where))
            .chain(rules.call.iter().map(|rule| &rule.r#where));
        for place in places.flatten() {
            if place.matches(':').count() != 1 {
                bail!("where = \"{place}\": a function is written `module:qualified.name`");
            }
        }
        for manager in &rules.manager {
            let types = &manager.types;
            let numbered = types
                .split_once(' ')
                .is_some_and(|(number, name)| number.parse::<u8>().is_ok() && !name.is_empty());
            let attribute = types.strip_prefix('.').is_some_and(|name| !name.is_empty());
            if !numbered && !attribute && !["arguments", "none", "all"].contains(&&**types) {
                bail!(
                    "types = \"{types}\": expected \"arguments\", \"none\", \"all\", \".attribute\" or \
                     a position and a keyword such as \"0 expected_exception\""
                );
            }
        }
        Ok(rules)
    }

    /// `self` with what `other`, a later file, says: its values count, its rules come first.
    fn then(self, other: Rules) -> Rules {
        let base = if other.builtin {
            self
        } else {
            Rules {
                never: Never::default(),
                surface: Vec::new(),
                transparent: Vec::new(),
                transport: Vec::new(),
                manager: Vec::new(),
                call: Vec::new(),
                ..self
            }
        };
        fn join<T>(mut first: Vec<T>, then: Vec<T>) -> Vec<T> {
            first.extend(then);
            first
        }
        Rules {
            schema: SCHEMA,
            builtin: true,
            raise_statement: other.raise_statement.or(base.raise_statement),
            assert_statement: other.assert_statement.or(base.assert_statement),
            broad_handlers: other.broad_handlers.or(base.broad_handlers),
            unclear_managers: other.unclear_managers.or(base.unclear_managers),
            unawaited: other.unawaited.or(base.unawaited),
            include: other.include.or(base.include),
            exclude: other.exclude.or(base.exclude),
            never: Never {
                types: join(other.never.types, base.never.types),
                functions: join(other.never.functions, base.never.functions),
            },
            surface: join(other.surface, base.surface),
            transparent: join(other.transparent, base.transparent),
            transport: join(other.transport, base.transport),
            manager: join(other.manager, base.manager),
            call: join(other.call, base.call),
        }
    }
}

/// The built-in rules and, after them, those of users' files, for the runtime: with the built-ins
/// that healing code has.
pub fn json(files: &[(PathBuf, String)]) -> Result<String> {
    let mut rules = Rules::parse(BUILTIN).context("rules/heal.toml")?;
    for (path, text) in files {
        let own = Rules::parse(text).with_context(|| path.display().to_string())?;
        rules = rules.then(own);
    }
    let policy = Policy::builtin();
    let text = json!({ "heal": rules, "builtins": policy.builtin_names() });
    Ok(format!("{text:#}\n"))
}

/// What a runtime has if nobody says otherwise.
pub fn builtin() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| json(&[]).expect("the built-in rules are tested"));
    &TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Result<serde_json::Value> {
        let files = [(PathBuf::from("own.toml"), text.to_string())];
        Ok(serde_json::from_str(&json(&files)?)?)
    }

    #[test]
    fn the_built_in_rules_are_whole() {
        let found: serde_json::Value = serde_json::from_str(builtin()).unwrap();
        assert_eq!(found["heal"]["raise-statement"], "pause");
        assert!(found["heal"]["never"]["types"].as_array().unwrap().len() > 5);
        let builtins = found["builtins"].as_array().unwrap();
        assert!(builtins.contains(&"len".into()) && !builtins.contains(&"eval".into()));
    }

    #[test]
    fn files_of_users_say_more_or_something_else() {
        let found = with(
            "schema = 1\nbroad-handlers = \"ignored\"\n[never]\ntypes = [\"app.Stop\"]\n\
             [[manager]]\nwhere = [\"app:quiet\"]\ntypes = \"all\"\n",
        )
        .unwrap();
        assert_eq!(found["heal"]["broad-handlers"], "ignored");
        assert_eq!(found["heal"]["assert-statement"], "pause");
        assert_eq!(found["heal"]["never"]["types"][0], "app.Stop");
        assert_eq!(found["heal"]["manager"][0]["where"][0], "app:quiet");
        let bare = with("schema = 1\nbuiltin = false\n").unwrap();
        assert_eq!(bare["heal"]["surface"], json!([]));
        assert_eq!(bare["heal"]["include"], json!(["*"]));
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| format!("{:#}", with(text).unwrap_err());
        assert!(said("schema = 2\n").contains("own.toml: schema = 2"));
        assert!(said("schema = 1\nbroad = 1\n").contains("unknown field `broad`"));
        assert!(said("schema = 1\nunawaited = \"maybe\"\n").contains("line 2"));
        let place = said("schema = 1\n[[transparent]]\nwhere = [\"app.f\"]\n");
        assert!(place.contains("module:qualified.name"), "{place}");
        let types = said("schema = 1\n[[manager]]\nwhere = [\"a:b\"]\ntypes = \"first\"\n");
        assert!(types.contains("\"arguments\""), "{types}");
    }
}
