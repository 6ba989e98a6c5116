//! The output for a file depends on its bytes, the rules, the settings and healc's version only.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Folder, root, tree};

/// A repository of all golden inputs, each in the folder of its case.
fn repository(at: &str) -> Folder {
    let folder = Folder::new(&[]);
    for (path, text) in tree(&root().join("golden")) {
        if path.ends_with("/in.py") {
            folder.write(&format!("{at}/{path}"), text);
        }
    }
    folder.write(&format!("{at}/data.txt"), "not Python\n");
    folder
}

fn same(one: &BTreeMap<String, Vec<u8>>, two: &BTreeMap<String, Vec<u8>>) {
    let names: (Vec<_>, Vec<_>) = (one.keys().collect(), two.keys().collect());
    assert_eq!(names.0, names.1);
    for (name, bytes) in one {
        assert!(*bytes == two[name], "{name} differs");
    }
}

#[test]
fn threads_and_paths_do_not_show() {
    let here = repository("repo");
    let there = repository("another/much/deeper/folder/with another name");
    here.healc("instrument repo -o out --full -q --jobs 1")
        .code(0);
    here.healc("instrument repo -o again --full -q --jobs 2")
        .code(0);
    let one = here.tree("out");
    assert!(one.len() > 300);
    same(&one, &here.tree("again"));
    let from = there.path("another/much/deeper/folder/with another name");
    fs::rename(&from, there.path("elsewhere")).expect("moved");
    let absolute = there.path("elsewhere").to_string_lossy().into_owned();
    there
        .healc(&format!("instrument {absolute} -o out --full -q --jobs 2"))
        .code(0);
    same(&one, &there.tree("out"));
    let manifest = here.read("out/.healc/manifest.json");
    for folder in [&here, &there] {
        let path = folder.path("");
        let path = path.to_string_lossy();
        assert!(
            !manifest.contains(path.trim_end_matches('/')),
            "the manifest knows where it was made"
        );
    }
}

#[test]
fn an_incremental_run_ends_where_a_fresh_one_does() {
    let folder = repository("repo");
    folder.healc("instrument repo -o out -q").code(0);
    let unchanged = "out/classes/a_try_in_a_body/in.py";
    let modified = || {
        fs::metadata(folder.path(unchanged))
            .expect("there")
            .modified()
            .expect("a time")
    };
    let before = modified();
    folder.write("repo/layout/an_empty_file/in.py", "f()\n");
    folder.write("repo/new.py", "g()\n");
    fs::remove_file(folder.path("repo/match/cases_on_one_line/in.py")).expect("removed");
    folder.healc("instrument repo -o out -q").code(0);
    assert_eq!(before, modified(), "{unchanged} was written again");
    folder.healc("instrument repo -o fresh -q").code(0);
    same(&folder.tree("fresh"), &folder.tree("out"));
    folder.healc("instrument repo -o out --check -q").code(0);
    folder.healc("verify out repo").code(0);
}

#[test]
fn other_settings_make_another_overlay() {
    let folder = Folder::new(&[("repo/a.py", "def f(x):\n    return x\n")]);
    folder.healc("instrument repo -o out -q").code(0);
    assert!(folder.read("out/a.py").contains("_eh_rtn"));
    folder
        .healc("instrument repo -o out -q --returns inline --check")
        .code(1);
    folder
        .healc("instrument repo -o out -q --returns inline")
        .code(0);
    assert!(!folder.read("out/a.py").contains("_eh_rtn"));
    folder.healc("instrument repo -o out -q").code(0);
    assert!(folder.read("out/a.py").contains("_eh_rtn"));
}
