//! Rules of the repository that no compiler checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use healc::rules::Rules;

use crate::support::{root, tree};

/// Lines of a file in front of its own tests.
const LONGEST: usize = 900;
/// Files that are longer: a table, and some that are to be split and must not grow until then.
const LONG: &[(&str, usize)] = &[
    ("src/emit/stage.rs", 1000),
    ("src/encoding/tables.rs", usize::MAX),
    ("src/discover.rs", 1150),
    ("src/rules.rs", 1050),
    ("src/traceback.rs", 950),
];

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["src", "tests/main", "benches"] {
        for (path, text) in tree(&root().join(folder)) {
            if path.ends_with(".rs") {
                let text = String::from_utf8(text).expect("UTF-8");
                found.push((format!("{folder}/{path}"), text));
            }
        }
    }
    assert!(found.len() > 20, "where are the sources?");
    found
}

/// The part of a file in front of its own tests.
fn without_tests(text: &str) -> &str {
    text.find("\nmod tests {").map_or(text, |at| &text[..at])
}

#[test]
fn every_module_says_what_it_is() {
    for (path, text) in sources() {
        let first = text.lines().next().unwrap_or_default();
        let says = first.strip_prefix("//! ").is_some_and(|doc| doc.len() > 10);
        assert!(
            says || path.ends_with("/tables.rs") || path.ends_with("/tests.rs"),
            "{path}: begin with a `//!` about its job"
        );
    }
}

#[test]
fn no_file_is_too_long() {
    let mut problems = Vec::new();
    for (path, text) in sources() {
        if path.ends_with("/tests.rs") {
            continue;
        }
        let lines = without_tests(&text).lines().count();
        let limit = LONG
            .iter()
            .find(|(long, _)| *long == path)
            .map_or(LONGEST, |(_, limit)| *limit);
        if lines > limit {
            problems.push(format!("{path}: {lines} lines without its tests; split it"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_module_is_on_the_map() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (path, _) in sources() {
        let Some(module) = path.strip_prefix("src/") else {
            continue;
        };
        let module = module.trim_end_matches(".rs").trim_end_matches("/mod");
        // What lies inside of a module is its own business, but for the passes.
        let module = match module.split_once('/') {
            Some(("pass", _)) | None => module,
            Some((outer, _)) => outer,
        };
        if ["lib", "pass"].contains(&module) {
            continue;
        }
        assert!(
            map.contains(&format!("`{module}`")),
            "ARCHITECTURE.md: name `{module}` in its table"
        );
    }
}

#[test]
fn every_module_of_the_map_is_there() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let rows = map.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut seen = 0;
    for row in rows {
        let cell = row.split(" |").next().unwrap_or_default();
        for name in cell.split(',').map(|name| name.trim_matches([' ', '`'])) {
            let file = root().join(format!("src/{name}.rs"));
            let folder = root().join(format!("src/{name}/mod.rs"));
            assert!(
                file.exists() || folder.exists(),
                "ARCHITECTURE.md: there is no module `{name}`"
            );
            seen += 1;
        }
    }
    assert!(seen > 15, "where is the table?");
}

#[test]
fn the_rule_files_are_whole() {
    let rules = Rules::builtin();
    let ids: BTreeSet<&str> = rules
        .decorators
        .iter()
        .map(|rule| rule.id.as_str())
        .collect();
    assert_eq!(ids.len(), rules.decorators.len(), "an id is used twice");
    let mut names = BTreeSet::new();
    for rule in &rules.decorators {
        assert!(!rule.names.is_empty(), "{}: no names", rule.id);
        for name in &rule.names {
            assert!(name.contains('.'), "{}: `{name}` says no module", rule.id);
            assert!(names.insert(name), "{}: `{name}` is there twice", rule.id);
        }
    }
    for (path, bytes) in tree(&root().join("rules")) {
        let text = String::from_utf8(bytes).expect("UTF-8");
        let table: toml::Table = text
            .parse()
            .unwrap_or_else(|error| panic!("rules/{path}: {error}"));
        for (kind, rules) in &table {
            let rules = rules.as_array().into_iter().flatten();
            for rule in rules.filter(|rule| rule.is_table()) {
                let why = rule
                    .get("why")
                    .and_then(toml::Value::as_str)
                    .unwrap_or_default();
                assert!(
                    why.len() > 10,
                    "rules/{path}: a [[{kind}]] does not say why: {rule}"
                );
            }
        }
    }
}

#[test]
fn conformance_cases_are_whole_and_numbered_once() {
    let cases = root().join("tests/conformance/cases");
    let mut numbers = BTreeSet::new();
    for entry in fs::read_dir(&cases).expect("the cases").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            entry.path().join("meta.toml").exists(),
            "{name}: no meta.toml"
        );
        let meta = fs::read_to_string(entry.path().join("meta.toml")).expect("readable");
        let meta: toml::Table = meta
            .parse()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for key in ["title", "hazard", "family"] {
            assert!(meta.contains_key(key), "{name}: meta.toml says no {key}");
        }
        let wants_text = meta.get("expected").and_then(toml::Value::as_str) == Some("expected.txt");
        assert_eq!(
            wants_text,
            entry.path().join("expected.txt").exists(),
            "{name}: expected.txt"
        );
        let number = name.split('_').next().unwrap_or_default().to_string();
        assert!(
            number.len() == 3 && numbers.insert(number),
            "{name}: the number is taken"
        );
    }
    assert!(numbers.len() > 200, "where are the cases?");
}

#[test]
fn the_documents_name_the_command_that_tests() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let ci = fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
    let command = "\ncargo test --release\n";
    assert!(
        readme.contains(command) && ci.contains(command),
        "README.md and .ci/run must agree"
    );
    for document in ["README.md", "ARCHITECTURE.md"] {
        let text = fs::read_to_string(root().join(document)).expect("readable");
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let inside = !link.contains("://") && !link.starts_with('#');
            assert!(
                !inside || Path::new(&root().join(link)).exists(),
                "{document}: {link} is not there"
            );
        }
    }
}
