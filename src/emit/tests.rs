use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;
use crate::artifact::sha256_hex;

const MANIFEST: &str = r#"{"schema": 1, "tool": {"name": "healc", "version": "0"}}"#;

// Dying: a panic at the n-th place where a kill would be worst. Nothing cleans up after it.

thread_local! {
    static COUNTDOWN: Cell<u32> = const { Cell::new(u32::MAX) };
}

pub(super) fn may_die_here() {
    COUNTDOWN.with(|left| match left.get() {
        u32::MAX => {}
        0 => panic!("killed"),
        n => left.set(n - 1),
    });
}

pub(super) fn is_dead() -> bool {
    COUNTDOWN.with(|left| left.get() == 0)
}

/// Runs `action` until it would die for the n-th time; `None` if it did.
fn dying_at<T>(n: u32, action: impl FnOnce() -> T) -> Option<T> {
    COUNTDOWN.with(|left| left.set(n));
    let result = catch_unwind(AssertUnwindSafe(action));
    COUNTDOWN.with(|left| left.set(u32::MAX));
    result.ok()
}

/// Kills `action` at each of its steps in turn until it lives through; returns how often it died.
fn at_each_step(mut action: impl FnMut(u32) -> bool) -> u32 {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&"killed") {
            hook(info);
        }
    }));
    (0..1000).find(|n| action(*n)).expect("it ends")
}

struct Place {
    dir: TempDir,
    repo: PathBuf,
    out: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (repo, out) = (root.join("repo"), root.join("out"));
    fs::create_dir(&repo).unwrap();
    Place { dir, repo, out }
}

impl Place {
    fn open(&self) -> Stage {
        Stage::open(&self.out, &self.repo, false).unwrap()
    }

    fn refused(&self) -> String {
        Stage::open(&self.out, &self.repo, false)
            .unwrap_err()
            .to_string()
    }

    fn publish(&self, files: &[(&str, &str)]) -> Published {
        let stage = self.open();
        put_all(&stage, files);
        stage.commit().unwrap()
    }

    /// Nothing but these is beside each other.
    fn only(&self, names: &[&str]) {
        let mut found: Vec<String> = fs::read_dir(self.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found, names);
    }
}

fn put_all(stage: &Stage, files: &[(&str, &str)]) {
    for (path, text) in files {
        stage.put(path, text.as_bytes(), None).unwrap();
    }
    stage
        .put(".healc/manifest.json", MANIFEST.as_bytes(), None)
        .unwrap();
}

/// Every path with everything that can be told about it.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root) {
        let entry = entry.unwrap();
        let meta = entry.metadata().unwrap();
        let content = match meta.is_file() {
            true => String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned(),
            false => String::new(),
        };
        // Folders change when something in them does.
        let times = match meta.is_file() {
            true => (meta.mtime(), meta.mtime_nsec()),
            false => (0, 0),
        };
        let about = format!(
            "{:o} {times:?} {}:{} {} {content}",
            meta.mode(),
            meta.uid(),
            meta.gid(),
            meta.nlink() * u64::from(meta.is_file()),
        );
        all.insert(entry.into_path(), about);
    }
    all
}

/// Inode, modification and status change of everything.
fn stamps(root: &Path) -> BTreeMap<PathBuf, [i64; 5]> {
    let all = walkdir::WalkDir::new(root).into_iter().map(|entry| {
        let entry = entry.unwrap();
        let m = entry.metadata().unwrap();
        let inode = m.ino().cast_signed();
        let stamp = [inode, m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec()];
        (entry.into_path(), stamp)
    });
    all.collect()
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

fn texts(root: &Path) -> BTreeMap<String, String> {
    let files = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let inside = entry.path().strip_prefix(root).unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            (inside.to_str().unwrap().to_string(), text)
        })
        .collect()
}

const ONE: &[(&str, &str)] = &[("a.py", "a\n"), ("p/b.py", "b\n"), ("p/q/c.py", "c\n")];

// Overlays.

#[test]
fn a_first_overlay_appears_whole_with_default_modes() {
    let at = place();
    let stage = at.open();
    assert_eq!(stage.previous(), None);
    put_all(&stage, ONE);
    stage.put("run.py", b"x", Some(0o755)).unwrap();
    assert!(!at.out.exists());
    let done = stage.commit().unwrap();
    assert_eq!(
        (done.written, done.kept, done.removed, done.unchanged),
        (5, 0, 0, false)
    );
    assert_eq!(texts(&at.out)["p/q/c.py"], "c\n");
    let mode = |path: &str| fs::metadata(at.out.join(path)).unwrap().mode() & 0o7777;
    assert_eq!((mode("a.py"), mode("run.py")), (0o644, 0o755));
    at.only(&["out", "repo"]);
}

#[test]
fn a_rerun_with_nothing_to_do_touches_nothing() {
    let at = place();
    at.publish(ONE);
    // Bytecode of a run over the overlay is not a difference.
    fs::create_dir(at.out.join("p/__pycache__")).unwrap();
    fs::write(at.out.join("p/__pycache__/b.pyc"), "").unwrap();
    let before = stamps(at.dir.path());
    let done = at.publish(ONE);
    assert!(done.unchanged);
    assert_eq!((done.written, done.kept, done.removed), (0, 4, 0));
    let stage = at.open();
    assert_eq!(stage.previous(), Some(at.out.as_path()));
    for path in ["a.py", "p/b.py", "p/q/c.py", ".healc/manifest.json"] {
        stage.keep(path).unwrap();
    }
    assert!(stage.commit().unwrap().unchanged);
    assert_eq!(stamps(at.dir.path()), before);
}

#[test]
fn one_changed_file_leaves_the_others_their_inodes() {
    let at = place();
    at.publish(ONE);
    let (a, b) = (inode(&at.out.join("a.py")), inode(&at.out.join("p/b.py")));
    let written = fs::metadata(at.out.join("a.py"))
        .unwrap()
        .modified()
        .unwrap();
    let stage = at.open();
    stage.keep("a.py").unwrap();
    assert_eq!(stage.put("p/b.py", b"b\n", None).unwrap(), Outcome::Kept);
    at.only(&["out", "repo"]);
    assert_eq!(
        stage.put("p/q/c.py", b"new\n", None).unwrap(),
        Outcome::Written
    );
    stage.keep(".healc/manifest.json").unwrap();
    assert_eq!(texts(&at.out)["p/q/c.py"], "c\n");
    let done = stage.commit().unwrap();
    assert_eq!((done.written, done.kept, done.unchanged), (1, 3, false));
    assert_eq!(texts(&at.out)["p/q/c.py"], "new\n");
    assert_eq!(
        (inode(&at.out.join("a.py")), inode(&at.out.join("p/b.py"))),
        (a, b)
    );
    assert_eq!(
        fs::metadata(at.out.join("a.py"))
            .unwrap()
            .modified()
            .unwrap(),
        written
    );
    at.only(&["out", "repo"]);
}

#[test]
fn what_is_not_given_again_disappears() {
    let at = place();
    at.publish(ONE);
    fs::write(at.out.join("stray.txt"), "").unwrap();
    let done = at.publish(&ONE[..1]);
    assert_eq!((done.written, done.kept, done.removed), (0, 2, 3));
    let paths: Vec<String> = texts(&at.out).into_keys().collect();
    assert_eq!(paths, [".healc/manifest.json", "a.py"]);
    assert!(!at.out.join("p").exists());
}

#[test]
fn folders_count() {
    let at = place();
    let with = |folder: Option<&str>| {
        let stage = at.open();
        put_all(&stage, ONE);
        if let Some(folder) = folder {
            stage.folder(folder).unwrap();
        }
        stage.commit().unwrap().unchanged
    };
    with(Some("p/empty/deep"));
    assert!(at.out.join("p/empty/deep").is_dir());
    assert!(with(Some("p/empty/deep")));
    assert!(!with(None));
    assert!(!at.out.join("p/empty").exists());
    assert!(with(Some("p/q")));
}

#[test]
fn a_changed_mode_is_a_change_and_leaves_the_old_overlay_its_own() {
    let at = place();
    at.publish(ONE);
    let stage = at.open();
    assert_eq!(
        stage.put("a.py", b"a\n", Some(0o755)).unwrap(),
        Outcome::Written
    );
    assert_eq!(
        fs::metadata(at.out.join("a.py")).unwrap().mode() & 0o777,
        0o644
    );
}

#[test]
fn foreign_folders_are_left_alone() {
    let at = place();
    fs::create_dir_all(at.out.join(".healc")).unwrap();
    assert!(at.refused().contains("cannot be the") || at.refused().contains("not made by healc"));
    for manifest in ["", "{}", r#"{"tool": {"name": "other", "version": "1"}}"#] {
        fs::write(at.out.join(".healc/manifest.json"), manifest).unwrap();
        assert!(at.refused().contains("was not made by healc"));
    }
    // The manifest of a repository that is instrumented in place.
    fs::write(at.out.join(".healc/manifest.json"), MANIFEST).unwrap();
    fs::write(at.out.join(".healc/journal.json"), "{}").unwrap();
    assert!(at.refused().contains("was not made by healc"));
    fs::remove_dir_all(&at.out).unwrap();
    fs::write(&at.out, "").unwrap();
    assert!(at.refused().contains("is not a folder"));
    fs::remove_file(&at.out).unwrap();
    fs::create_dir(at.dir.path().join("real")).unwrap();
    symlink("real", &at.out).unwrap();
    assert!(at.refused().contains("is a symbolic link to real"));
    fs::remove_file(&at.out).unwrap();
    symlink("nowhere", &at.out).unwrap();
    assert!(at.refused().contains("is a symbolic link to nowhere"));
    at.only(&["out", "real", "repo"]);
}

#[test]
fn an_empty_folder_may_be_filled() {
    let at = place();
    fs::create_dir(&at.out).unwrap();
    at.publish(ONE);
    assert_eq!(texts(&at.out).len(), 4);
}

#[test]
fn a_folder_that_was_filled_meanwhile_is_not_replaced() {
    let at = place();
    let stage = at.open();
    put_all(&stage, ONE);
    fs::create_dir(&at.out).unwrap();
    fs::write(at.out.join("mine"), "").unwrap();
    assert!(matches!(stage.commit().unwrap_err(), EmitError::Foreign(_)));
    assert_eq!(texts(&at.out).len(), 1);
    at.only(&["out", "repo"]);
}

#[test]
fn the_repository_is_never_the_output() {
    let at = place();
    let root = at.dir.path();
    let open = |out: PathBuf, inside| Stage::open(&out, &at.repo, inside).map(drop);
    fs::create_dir(at.repo.join("sub")).unwrap();
    symlink(&at.repo, root.join("alias")).unwrap();
    for out in [
        at.repo.clone(),
        root.to_path_buf(),
        at.repo.join("sub/.."),
        PathBuf::from("/"),
    ] {
        for inside in [false, true] {
            assert!(
                matches!(
                    open(out.clone(), inside),
                    Err(EmitError::AroundRepository(_))
                ),
                "{out:?}"
            );
        }
    }
    for out in [
        at.repo.join("out"),
        at.repo.join("x/y/z"),
        root.join("alias/out"),
    ] {
        assert!(
            matches!(
                open(out.clone(), false),
                Err(EmitError::InsideRepository(_))
            ),
            "{out:?}"
        );
        open(out, true).unwrap();
    }
    assert!(open(at.repo.join("missing/../out"), true).is_err());
    assert_eq!(
        fs::read_dir(&at.repo).unwrap().count(),
        1,
        "missing parents are removed again"
    );
}

#[test]
fn odd_paths_are_refused() {
    let at = place();
    let stage = at.open();
    for path in ["", "/a", "a/", "../a", "a/../b", ".", "a//b", "a\0b"] {
        assert!(
            matches!(stage.put(path, b"", None), Err(EmitError::BadPath(_))),
            "{path:?}"
        );
        assert!(stage.keep(path).is_err() && stage.folder(path).is_err());
    }
    stage.put("..a/b..", b"", None).unwrap();
    assert!(matches!(
        stage.put("..a/b..", b"", None),
        Err(EmitError::Twice(_))
    ));
    assert!(matches!(
        stage.put("..a", b"", None),
        Err(EmitError::Clash(_))
    ));
    assert!(matches!(
        stage.put("..a/b../c", b"", None),
        Err(EmitError::Clash(_))
    ));
    let long = "x".repeat(300);
    let error = stage.put(&long, b"", None).unwrap_err().to_string();
    assert!(error.contains("Exclude this file"), "{error}");
}

#[test]
fn nothing_is_written_through_a_link() {
    let at = place();
    fs::create_dir(at.repo.join("real")).unwrap();
    symlink("real", at.repo.join("linked")).unwrap();
    let stage = at.open();
    stage
        .link("linked", &at.repo.join("linked"), FullMode::Copy)
        .unwrap();
    assert!(matches!(
        stage.put("linked/a.py", b"", None),
        Err(EmitError::Clash(_))
    ));
    assert_eq!(fs::read_dir(at.repo.join("real")).unwrap().count(), 0);
}

#[test]
fn keeping_what_is_not_there_is_an_error_that_names_it() {
    let at = place();
    at.publish(ONE);
    fs::remove_file(at.out.join("a.py")).unwrap();
    fs::write(at.out.join("p/b.py"), "edited").unwrap();
    let stage = at.open();
    assert!(!stage.holds("a.py", None) && stage.holds("p/b.py", None));
    assert!(!stage.holds("p/b.py", Some(&sha256_hex(b"b\n"))));
    assert!(stage.holds("p/q/c.py", Some(&sha256_hex(b"c\n"))));
    assert!(
        stage
            .keep("a.py")
            .unwrap_err()
            .to_string()
            .contains("out/a.py")
    );
}

#[test]
fn many_threads_put_at_once() {
    let at = place();
    for round in 0..3 {
        let stage = at.open();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let stage = &stage;
                scope.spawn(move || {
                    for n in (thread..800).step_by(8) {
                        let path = format!("p{}/q{}/f{n}.py", n % 7, n % 11);
                        let text = format!("{n} {}", if n % 100 == 0 { round } else { 0 });
                        stage.put(&path, text.as_bytes(), None).unwrap();
                    }
                });
            }
        });
        stage
            .put(".healc/manifest.json", MANIFEST.as_bytes(), None)
            .unwrap();
        let done = stage.commit().unwrap();
        let expected = if round == 0 { (801, 0) } else { (8, 793) };
        assert_eq!((done.written, done.kept), expected);
        assert_eq!(texts(&at.out).len(), 801);
    }
}

#[test]
fn a_stage_that_is_dropped_leaves_no_trace() {
    let at = place();
    let out = at.out.join("deep/er");
    drop(Stage::open(&out, &at.repo, false).unwrap());
    at.only(&["repo"]);
    at.publish(ONE);
    let before = stamps(&at.out);
    let stage = at.open();
    put_all(&stage, &[("new.py", "")]);
    assert_eq!(fs::read_dir(at.dir.path()).unwrap().count(), 3);
    drop(stage);
    assert_eq!(stamps(&at.out), before);
    at.only(&["out", "repo"]);
}

#[test]
fn links_files_and_odd_things_of_the_repository_come_along() {
    let at = place();
    let repo = &at.repo;
    fs::create_dir(repo.join("d")).unwrap();
    fs::write(repo.join("d/data"), "data").unwrap();
    fs::set_permissions(repo.join("d/data"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::write(at.dir.path().join("outside"), "far").unwrap();
    symlink("data", repo.join("d/near")).unwrap();
    symlink("../../outside", repo.join("d/far")).unwrap();
    symlink("/nowhere", repo.join("d/dangling")).unwrap();
    symlink(".", repo.join("d/loop")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(repo.join("d/pipe"))
            .status()
            .unwrap()
            .success()
    );
    let links = ["near", "far", "dangling", "loop"];
    for how in [FullMode::Copy, FullMode::Hardlink, FullMode::Symlink] {
        let run = || {
            // Of another depth than the repository.
            let stage = Stage::open(&at.out.join("x/y"), repo, false).unwrap();
            for name in ["data", "pipe"].into_iter().chain(links) {
                stage
                    .link(&format!("d/{name}"), &repo.join("d").join(name), how)
                    .unwrap();
            }
            put_all(&stage, &[]);
            stage.commit().unwrap()
        };
        let first = run();
        assert!(first.written > 0);
        let again = run();
        assert!(again.unchanged, "{how:?} {again:?}");
        let d = at.out.join("x/y/d");
        assert_eq!(fs::read_to_string(d.join("data")).unwrap(), "data");
        assert_eq!(fs::metadata(d.join("data")).unwrap().mode() & 0o777, 0o555);
        assert_eq!(fs::read_to_string(d.join("near")).unwrap(), "data");
        assert_eq!(fs::read_to_string(d.join("far")).unwrap(), "far");
        assert_eq!(
            fs::read_link(d.join("dangling")).unwrap(),
            Path::new("/nowhere")
        );
        assert_eq!(fs::read_link(d.join("near")).unwrap(), Path::new("data"));
        let same = inode(&d.join("data")) == inode(&repo.join("d/data"));
        assert_eq!(same, how != FullMode::Copy);
        if how == FullMode::Symlink {
            let to = fs::read_link(d.join("data")).unwrap();
            assert_eq!(to, Path::new("../../../../repo/d/data"));
        }
    }
}

#[test]
fn two_runs_at_once_are_refused() {
    let at = place();
    let first = at.open();
    assert!(at.refused().contains("another healc"));
    put_all(&first, ONE);
    first.commit().unwrap();
    // Now the lock is on the overlay itself.
    let second = at.open();
    assert!(at.refused().contains("another healc"));
    put_all(&second, &ONE[..1]);
    assert!(at.refused().contains("another healc"));
    second.commit().unwrap();
    drop(at.open());
}

#[test]
fn only_stages_that_are_provably_ours_and_dead_are_removed() {
    let at = place();
    let dead = "4194999";
    let make = |name: String, marker: Option<&str>| {
        let dir = at.dir.path().join(name);
        fs::create_dir_all(dir.join("tree/x")).unwrap();
        if let Some(text) = marker {
            fs::write(dir.join("healc-stage"), text).unwrap();
        }
    };
    let magic = "A stage of healc's. Without a healc that runs it can be removed.\npid 4194999\n";
    let random = "0123456789abcdef";
    make(format!(".out.healc-stage-{dead}-{random}"), Some(magic));
    make(format!(".out.healc-stage-{dead}-1{}", &random[1..]), None);
    make(
        format!(".out.healc-stage-{dead}-2{}", &random[1..]),
        Some("mine"),
    );
    make(format!(".out.healc-stage-{dead}-x{random}"), Some(magic));
    make(format!(".other.healc-stage-{dead}-{random}"), Some(magic));
    fs::create_dir(
        at.dir
            .path()
            .join(format!(".out.healc-stage-{dead}-3{}", &random[1..])),
    )
    .unwrap();
    at.publish(ONE);
    at.only(&[
        &format!(".other.healc-stage-{dead}-{random}"),
        &format!(".out.healc-stage-{dead}-1{}", &random[1..]),
        &format!(".out.healc-stage-{dead}-2{}", &random[1..]),
        &format!(".out.healc-stage-{dead}-x{random}"),
        "out",
        "repo",
    ]);
}

#[test]
fn a_run_that_dies_at_any_step_leaves_the_old_overlay_or_the_new_one() {
    const TWO: &[(&str, &str)] = &[("a.py", "a\n"), ("p/b.py", "2\n"), ("new/d.py", "d\n")];
    for exchange in [true, false] {
        let deaths = at_each_step(|n| {
            let at = place();
            at.publish(ONE);
            let old = texts(&at.out);
            let done = dying_at(n, || {
                let stage = at.open();
                put_all(&stage, TWO);
                match exchange {
                    true => stage.commit().map(drop).unwrap(),
                    false => stage.commit_without_exchange().unwrap(),
                }
            });
            if exchange {
                let now = texts(&at.out);
                assert!(
                    now == old || now.len() == 4 && now["p/b.py"] == "2\n",
                    "step {n}"
                );
            }
            // The next run cleans up; a stage without a marker lives as long as its process.
            drop(at.open());
            let now = texts(&at.out);
            assert!(
                now == old || now.len() == 4 && now["p/b.py"] == "2\n",
                "step {n}"
            );
            assert!(done.is_none() || now != old);
            let left = fs::read_dir(at.dir.path()).unwrap().count();
            assert!(left == 2 || done.is_none() && left == 3, "step {n}");
            done.is_some()
        });
        assert!(deaths >= 6, "{deaths}");
    }
}

#[test]
fn a_durable_overlay() {
    let at = place();
    let stage = at.open().durable(true);
    put_all(&stage, ONE);
    stage.commit().unwrap();
    assert_eq!(texts(&at.out).len(), 4);
}

// Other processes: this binary again, told by its environment what to do.

const CHILD: &str = "HEALC_EMIT_TEST_CHILD";

fn child(what: &str, root: &Path) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = std::thread::current()
        .name()
        .unwrap_or_default()
        .to_string();
    let module = name.rsplit_once("::").unwrap().0;
    command.args(["--exact", &format!("{module}::as_a_child"), "--nocapture"]);
    command.env(CHILD, what).env("HEALC_EMIT_TEST_ROOT", root);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("at work")));
    child
}

fn generation(n: usize) -> Vec<(String, String)> {
    let file = |i: usize| {
        let changing = i.is_multiple_of(3);
        (
            format!("p{}/f{i}.py", i % 5),
            format!("{i} {}", if changing { n } else { 0 }),
        )
    };
    (0..60)
        .map(file)
        .chain([("generation".into(), n.to_string())])
        .collect()
}

/// Does nothing as an ordinary test.
#[test]
fn as_a_child() {
    let Ok(what) = std::env::var(CHILD) else {
        return;
    };
    let root = PathBuf::from(std::env::var("HEALC_EMIT_TEST_ROOT").unwrap());
    let repo = root.join("repo");
    println!("at work");
    match what.as_str() {
        "overlays" => {
            for n in 1.. {
                let stage = Stage::open(&root.join("out"), &repo, false).unwrap();
                for (path, text) in generation(n) {
                    stage.put(&path, text.as_bytes(), None).unwrap();
                }
                put_all(&stage, &[]);
                stage.commit().unwrap();
            }
        }
        "in place" => loop {
            rewrite(&repo).unwrap();
            restore(&repo, false).unwrap();
        },
        _ => unreachable!(),
    }
}

/// Kills a child after a while, 50 times; `check` looks at what is left and says whether the child
/// got far enough. The while grows until it does, since nobody knows how busy the machine is.
fn kill_often(
    what: &str,
    root: &Path,
    mut before: impl FnMut(u32),
    mut check: impl FnMut(u32) -> bool,
) {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut window, mut far) = (20_000, 0);
    for round in 0..50 {
        before(round);
        let mut child = child(what, root);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(random % window));
        child.kill().unwrap();
        child.wait().unwrap();
        match check(round) {
            true => far += 1,
            false => window = (window * 5 / 4).min(1_000_000),
        }
    }
    assert!(far > 5, "{far}");
}

#[test]
fn a_run_that_is_killed_at_any_moment_leaves_a_whole_overlay() {
    let at = place();
    // Every fifth time there is none to begin with.
    let is_new = |round: u32| round % 5 == 4;
    let before = |round| {
        if at.out.exists() {
            fs::remove_dir_all(&at.out).unwrap();
        }
        if !is_new(round) {
            let stage = at.open();
            for (path, text) in generation(0) {
                stage.put(&path, text.as_bytes(), None).unwrap();
            }
            put_all(&stage, &[]);
            stage.commit().unwrap();
        }
    };
    kill_often("overlays", at.dir.path(), before, |round| {
        let whole = || {
            let mut now = texts(&at.out);
            assert_eq!(now.remove(".healc/manifest.json").unwrap(), MANIFEST);
            let n = now["generation"].parse().unwrap();
            assert_eq!(now, generation(n).into_iter().collect(), "round {round}");
            n
        };
        assert!(at.out.exists() || is_new(round), "round {round}");
        let n = if at.out.exists() { whole() } else { 0 };
        drop(at.open());
        let names = fs::read_dir(at.dir.path()).unwrap().count();
        assert_eq!(names, 1 + usize::from(at.out.exists()), "round {round}");
        n > 0
    });
}

// In place.

fn fill(repo: &Path) {
    let files = [
        ("a.py", "a\n", 0o644),
        ("pkg/__init__.py", "", 0o600),
        ("pkg/run.py", "run\n", 0o4755),
        ("pkg/deep/read_only.py", "r\n", 0o444),
        ("data.txt", "data", 0o644),
    ];
    for (n, (path, text, mode)) in files.into_iter().enumerate() {
        let path = repo.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000 + n as u64, 123_456_789);
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
    }
    fs::hard_link(repo.join("a.py"), repo.join("a_too.txt")).unwrap();
}

const EDITED: [&str; 4] = [
    "a.py",
    "pkg/__init__.py",
    "pkg/run.py",
    "pkg/deep/read_only.py",
];

fn edit(repo: &Path, path: &str) -> InPlaceEdit {
    let bytes = fs::read(repo.join(path)).unwrap();
    InPlaceEdit {
        path: path.into(),
        original_sha256: sha256_hex(&bytes),
        output: [b"new ", bytes.as_slice()].concat(),
    }
}

fn extras() -> Vec<(String, Vec<u8>)> {
    vec![
        (".healc/manifest.json".into(), MANIFEST.into()),
        (".healc/maps/pkg/run.py.map".into(), b"map".into()),
        ("pkg/_eh_runtime/__init__.py".into(), b"runtime".into()),
    ]
}

fn rewrite(repo: &Path) -> Done<Rewritten> {
    let edits: Vec<_> = EDITED.iter().map(|path| edit(repo, path)).collect();
    in_place(repo, edits.into_iter(), &extras())
}

#[test]
fn in_place_and_back_is_exact() {
    let at = place();
    let repo = &at.repo;
    fill(repo);
    let before = snapshot(repo);
    let done = rewrite(repo).unwrap();
    assert_eq!((done.replaced, done.added), (4, 3));
    assert!(is_in_place(repo));
    let now = texts(repo);
    assert_eq!(now["pkg/run.py"], "new run\n");
    assert_eq!(now["a_too.txt"], "a\n", "never written through a hard link");
    assert_eq!(now[".healc/original/pkg/run.py"], "run\n");
    let meta = fs::metadata(repo.join("pkg/run.py")).unwrap();
    assert_eq!(meta.mode() & 0o7777, 0o4755);
    // Python ran.
    fs::create_dir(repo.join("pkg/_eh_runtime/__pycache__")).unwrap();
    fs::write(repo.join("pkg/_eh_runtime/__pycache__/x.pyc"), "").unwrap();
    let restored = restore(repo, false).unwrap();
    assert_eq!(restored.restored.len(), 4);
    assert_eq!(restored.removed.len(), 3);
    assert!(restored.conflicts.is_empty());
    assert_eq!(snapshot(repo), before);
    let error = restore(repo, false).unwrap_err().to_string();
    assert!(error.contains("no .healc/journal.json"), "{error}");
}

#[test]
fn no_file_is_rewritten_twice_but_more_can_be_added() {
    let at = place();
    let repo = &at.repo;
    fill(repo);
    let before = snapshot(repo);
    let first = [edit(repo, "a.py")];
    in_place(repo, first.into_iter(), &extras()).unwrap();
    let once = snapshot(repo);
    let again = [edit(repo, "pkg/run.py"), edit(repo, "a.py")];
    let refused = in_place(repo, again.into_iter(), &extras());
    assert!(matches!(refused, Err(EmitError::AlreadyInPlace(_))));
    let journal = repo.join(".healc/journal.json");
    let without_journal = |mut all: BTreeMap<PathBuf, String>| {
        all.remove(&journal);
        all
    };
    assert_eq!(without_journal(snapshot(repo)), without_journal(once));
    let mut more = extras();
    more[0].1.push(b'\n');
    more.push(("_eh_runtime/__init__.py".into(), b"runtime".into()));
    let second = [edit(repo, "pkg/run.py")];
    let done = in_place(repo, second.into_iter(), &more).unwrap();
    assert_eq!((done.replaced, done.added), (1, 2));
    let restored = restore(repo, false).unwrap();
    assert_eq!(restored.restored, ["a.py", "pkg/run.py"]);
    assert_eq!(snapshot(repo), before);
}

#[test]
fn what_was_changed_since_is_left_alone_unless_forced() {
    let at = place();
    let repo = &at.repo;
    fill(repo);
    let before = snapshot(repo);
    rewrite(repo).unwrap();
    fs::write(repo.join("pkg/__init__.py"), "edited").unwrap();
    fs::remove_file(repo.join("a.py")).unwrap();
    for _ in 0..2 {
        let restored = restore(repo, false).unwrap();
        assert_eq!(restored.conflicts, ["a.py", "pkg/__init__.py"]);
        assert_eq!(texts(repo)["pkg/__init__.py"], "edited");
        assert_eq!(texts(repo)["pkg/run.py"], "run\n");
        assert!(is_in_place(repo));
    }
    let restored = restore(repo, true).unwrap();
    assert_eq!(restored.restored, ["a.py", "pkg/__init__.py"]);
    assert_eq!(snapshot(repo), before);
}

#[test]
fn an_extra_that_was_changed_is_a_conflict_too() {
    let at = place();
    fill(&at.repo);
    let before = snapshot(&at.repo);
    rewrite(&at.repo).unwrap();
    fs::write(at.repo.join("pkg/_eh_runtime/__init__.py"), "mine").unwrap();
    let restored = restore(&at.repo, false).unwrap();
    assert_eq!(restored.conflicts, ["pkg/_eh_runtime/__init__.py"]);
    assert_eq!(restored.restored.len(), 4);
    assert!(restore(&at.repo, true).unwrap().conflicts.is_empty());
    assert_eq!(snapshot(&at.repo), before);
}

#[test]
fn an_original_that_was_changed_through_its_other_name_is_a_conflict() {
    let at = place();
    fill(&at.repo);
    rewrite(&at.repo).unwrap();
    fs::write(at.repo.join("a_too.txt"), "other").unwrap();
    assert_eq!(restore(&at.repo, false).unwrap().conflicts, ["a.py"]);
    restore(&at.repo, true).unwrap();
    assert_eq!(texts(&at.repo)["a.py"], "other");
}

#[test]
fn a_failed_run_leaves_everything_as_it_was() {
    let at = place();
    let repo = &at.repo;
    fill(repo);
    let outside = at.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x.py"), "x\n").unwrap();
    symlink("../outside", repo.join("linked")).unwrap();
    symlink("a.py", repo.join("link.py")).unwrap();
    let before = snapshot(at.dir.path());
    let stale = |path: &str| InPlaceEdit {
        original_sha256: sha256_hex(b"other"),
        ..edit(repo, path)
    };
    let missing = InPlaceEdit {
        path: "missing.py".into(),
        original_sha256: String::new(),
        output: Vec::new(),
    };
    let bad = [
        stale("pkg/run.py"),
        missing,
        edit(repo, "linked/x.py"),
        edit(repo, "link.py"),
        edit(repo, "a.py"),
    ];
    for last in bad {
        let edits = [edit(repo, "a.py"), last];
        in_place(repo, edits.into_iter(), &extras()).unwrap_err();
        assert_eq!(snapshot(at.dir.path()), before);
    }
    for (path, bytes) in [
        ("data.txt", "x"),
        ("linked/x.py", "x"),
        ("pkg", ""),
        ("linked/new", ""),
    ] {
        let extra = [(path.to_string(), bytes.into())];
        in_place(repo, [edit(repo, "a.py")].into_iter(), &extra).unwrap_err();
        assert_eq!(snapshot(at.dir.path()), before);
    }
    // A file that changes after it was read.
    let edits = ["a.py", "pkg/run.py"]
        .into_iter()
        .map(|path| edit(repo, path));
    let meddling = edits.chain(std::iter::once_with(|| {
        let edit = edit(repo, "data.txt");
        fs::write(repo.join("pkg/run.py"), "meddled").unwrap();
        edit
    }));
    let error = in_place(repo, meddling, &extras()).unwrap_err();
    assert!(matches!(error, EmitError::Changed(_)), "{error}");
    assert_eq!(texts(repo)["pkg/run.py"], "meddled");
    assert_eq!(texts(repo)["a.py"], "a\n");
    assert!(!repo.join(".healc").exists());
}

#[test]
fn an_extra_that_is_there_already_stays_the_users() {
    let at = place();
    fill(&at.repo);
    let extra = [("data.txt".to_string(), b"data".to_vec())];
    in_place(&at.repo, [edit(&at.repo, "a.py")].into_iter(), &extra).unwrap();
    restore(&at.repo, false).unwrap();
    assert!(at.repo.join("data.txt").exists());
}

#[test]
fn two_runs_in_the_same_repository_are_refused() {
    let at = place();
    fill(&at.repo);
    let lock = lock(fs::File::open(&at.repo).unwrap(), &at.repo).unwrap();
    assert!(matches!(rewrite(&at.repo), Err(EmitError::Busy(_))));
    assert!(matches!(restore(&at.repo, false), Err(EmitError::Busy(_))));
    drop(lock);
    rewrite(&at.repo).unwrap();
}

#[test]
fn in_place_that_dies_at_any_step_can_be_restored() {
    let deaths = at_each_step(|n| {
        let at = place();
        fill(&at.repo);
        let before = snapshot(&at.repo);
        let lived = dying_at(n, || rewrite(&at.repo).unwrap()).is_some();
        if !lived && is_in_place(&at.repo) {
            let running = fs::read_to_string(at.repo.join(".healc/journal.json")).unwrap();
            if running.contains("\"running\": true") {
                let again = in_place(&at.repo, std::iter::empty(), &[]);
                assert!(matches!(again, Err(EmitError::Interrupted(_))));
            }
        }
        match restore(&at.repo, false) {
            Ok(restored) => assert!(restored.conflicts.is_empty(), "step {n}"),
            Err(EmitError::NotInPlace(_)) => {}
            Err(error) => panic!("{error}"),
        }
        assert_eq!(snapshot(&at.repo), before, "step {n}");
        lived
    });
    assert!(deaths > 20, "{deaths}");
}

#[test]
fn a_second_in_place_run_that_dies_at_any_step_can_be_restored() {
    at_each_step(|n| {
        let at = place();
        fill(&at.repo);
        let before = snapshot(&at.repo);
        in_place(&at.repo, [edit(&at.repo, "a.py")].into_iter(), &extras()).unwrap();
        let mut more = extras();
        more[0].1.push(b'\n');
        let lived = dying_at(n, || {
            in_place(&at.repo, [edit(&at.repo, "pkg/run.py")].into_iter(), &more).unwrap()
        });
        assert!(
            restore(&at.repo, false).unwrap().conflicts.is_empty(),
            "step {n}"
        );
        assert_eq!(snapshot(&at.repo), before, "step {n}");
        lived.is_some()
    });
}

#[test]
fn a_restore_that_dies_at_any_step_can_be_repeated() {
    let deaths = at_each_step(|n| {
        let at = place();
        fill(&at.repo);
        let before = snapshot(&at.repo);
        rewrite(&at.repo).unwrap();
        let lived = dying_at(n, || restore(&at.repo, false).unwrap()).is_some();
        if !lived {
            restore(&at.repo, false).unwrap();
        }
        assert_eq!(snapshot(&at.repo), before, "step {n}");
        lived
    });
    assert!(deaths > 8, "{deaths}");
}

#[test]
fn in_place_that_is_killed_at_any_moment_can_be_restored() {
    let at = place();
    fill(&at.repo);
    let before = snapshot(&at.repo);
    kill_often("in place", at.dir.path(), drop, |round| {
        let restored = match restore(&at.repo, false) {
            Ok(restored) => restored,
            Err(EmitError::NotInPlace(_)) => Restored::default(),
            Err(error) => panic!("{error}"),
        };
        assert!(restored.conflicts.is_empty(), "round {round}");
        assert_eq!(snapshot(&at.repo), before, "round {round}");
        !restored.restored.is_empty()
    });
}

// Disks that are full or read-only. Only the superuser can make such; others skip.

struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path) -> Option<Mounted> {
        fs::create_dir(at).unwrap();
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(at)
            .stderr(Stdio::null())
            .status();
        done.is_ok_and(|status| status.success())
            .then(|| Mounted(at.to_path_buf()))
    }

    fn remount(&self, option: &str) {
        let option = format!("remount,{option}");
        let status = Command::new("mount")
            .args(["-o", &option])
            .arg(&self.0)
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_or_read_only_disk_leaves_the_old_overlay_whole() {
    let mut at = place();
    let Some(disk) = Mounted::new(&at.dir.path().join("disk")) else {
        return;
    };
    let mount = Stage::open(&disk.0, &at.repo, false).unwrap_err();
    assert!(matches!(mount, EmitError::MountPoint(_)), "{mount}");
    at.out = disk.0.join("out");
    at.publish(ONE);
    let before = stamps(&disk.0);
    let stage = at.open();
    let big = vec![b'x'; 100 << 10];
    let error = (0..5).find_map(|n| stage.put(&format!("big{n}"), &big, None).err());
    let error = error.unwrap().to_string();
    assert!(
        error.contains("/out/big") && error.contains("make room"),
        "{error}"
    );
    drop(stage);
    assert_eq!(stamps(&at.out), {
        let mut all = before.clone();
        all.remove(&disk.0);
        all
    });
    disk.remount("ro");
    assert!(at.publish(ONE).unchanged, "nothing to do needs no writing");
    let stage = at.open();
    let error = stage.put("a.py", b"changed", None).unwrap_err().to_string();
    assert!(
        error.contains("Choose a folder that can be written"),
        "{error}"
    );
    disk.remount("rw");

    // In place, on the same disk.
    let repo = disk.0.join("repo");
    fs::create_dir(&repo).unwrap();
    fill(&repo);
    let before = snapshot(&repo);
    let mut edits: Vec<_> = EDITED.iter().map(|path| edit(&repo, path)).collect();
    edits[3].output = vec![b'x'; 400 << 10];
    let error = in_place(&repo, edits.into_iter(), &extras())
        .unwrap_err()
        .to_string();
    assert!(error.contains("make room"), "{error}");
    assert_eq!(snapshot(&repo), before);
}

#[test]
fn a_disk_that_is_mounted_inside_the_repository() {
    let at = place();
    let Some(disk) = Mounted::new(&at.repo.join("disk")) else {
        return;
    };
    fill(&at.repo);
    fill(&disk.0);
    let before = snapshot(&at.repo);
    let edits = ["a.py", "disk/a.py", "disk/pkg/run.py"].map(|path| edit(&at.repo, path));
    in_place(&at.repo, edits.into_iter(), &extras()).unwrap();
    assert_eq!(texts(&at.repo)["disk/pkg/run.py"], "new run\n");
    restore(&at.repo, false).unwrap();
    let mut now = snapshot(&at.repo);
    // The one thing that cannot be brought back: other names of a file on the other disk.
    for name in ["a.py", "a_too.txt"] {
        let path = disk.0.join(name);
        assert_eq!(fs::metadata(&path).unwrap().nlink(), 1);
        now.insert(path.clone(), before[&path].clone());
    }
    assert_eq!(now, before);
}

#[test]
fn a_folder_that_may_not_be_written_is_an_error_before_anything_changes() {
    if rustix::fs::access("/root", rustix::fs::Access::WRITE_OK).is_ok() {
        // The superuser may write anywhere.
        return;
    }
    let at = place();
    fill(&at.repo);
    let before = snapshot(&at.repo);
    let locked = at.repo.join("pkg/deep");
    let set = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    let error = rewrite(&at.repo).unwrap_err().to_string();
    set(0o755);
    assert!(
        error.contains("pkg/deep") && error.contains("Check who may write"),
        "{error}"
    );
    assert_eq!(snapshot(&at.repo), before);
}
