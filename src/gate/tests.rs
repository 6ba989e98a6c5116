use std::time::{Duration, Instant};

use serde::Deserialize;

use super::*;

const FILES: [(&str, &str); 3] = [
    ("labelled", include_str!("../../tests/gate/labelled.jsonl")),
    ("cases", include_str!("../../tests/gate/cases.jsonl")),
    ("repairs", include_str!("../../tests/gate/repairs.jsonl")),
];

#[derive(Deserialize)]
struct Case {
    id: String,
    code: String,
    verdict: String,
    rule: Option<String>,
    target_python: Option<TargetPython>,
    reason: String,
}

fn cases() -> Vec<Case> {
    let lines = FILES
        .iter()
        .flat_map(|(_, text)| text.lines())
        .filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).expect("a case per line"))
        .collect()
}

fn judge(code: &str) -> Verdict {
    check(code.as_bytes(), &Policy::builtin(), &Options::default())
}

fn rules(verdict: &Verdict) -> Vec<&'static str> {
    verdict
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect()
}

#[track_caller]
fn accepted(code: &str) {
    let verdict = judge(code);
    assert!(verdict.is_accepted(), "{code:?}: {:?}", verdict.findings);
}

#[track_caller]
fn rejected(code: &str, rule: &str) {
    let verdict = judge(code);
    assert!(
        rules(&verdict).contains(&rule),
        "{code:?}: {:?}",
        verdict.findings
    );
}

/// The labelled set, the attacks and the repairs: tests/gate/*.jsonl.
#[test]
fn every_case_has_its_verdict() {
    let policy = Policy::builtin();
    let mut wrong = Vec::new();
    let all = cases();
    assert!(all.len() > 650, "{}", all.len());
    for case in &all {
        let options = Options {
            target_python: case.target_python,
            ..Options::default()
        };
        let verdict = check(case.code.as_bytes(), &policy, &options);
        let expected = match case.verdict.as_str() {
            "accept" => true,
            "reject" => false,
            other => panic!("{}: {other}", case.id),
        };
        let by_rule = case
            .rule
            .as_deref()
            .is_none_or(|rule| rules(&verdict).contains(&rule));
        if verdict.is_accepted() != expected || !by_rule {
            wrong.push(format!(
                "{} ({}): {:?}: {:?}",
                case.id, case.reason, case.code, verdict.findings
            ));
        }
        for finding in &verdict.findings {
            assert!(
                !finding.message.is_empty() && !finding.instead.is_empty(),
                "{}: {finding:?}",
                case.id
            );
            let ends = (finding.end_line, finding.end_column) >= (finding.line, finding.column);
            assert!(
                finding.line >= 1 && finding.column >= 1 && ends,
                "{}: {finding:?}",
                case.id
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_finding_is_reported_with_its_place() {
    let verdict = judge("x = 1\nimport sys\nname = obj.__class__; é = eval('2')\n");
    let found: Vec<_> = verdict
        .findings
        .iter()
        .map(|f| (f.line, f.column, f.end_column, f.rule))
        .collect();
    assert_eq!(
        found,
        [
            (2, 8, 11, "import-root"),
            (3, 12, 21, "dunder-attribute"),
            (3, 27, 31, "builtin-denied")
        ]
    );
}

#[test]
fn what_cannot_be_decoded_has_one_finding() {
    for code in [&b"x = \xff"[..], b"\x80", b"\xc3", b"x = '\xed\xa0\x80'"] {
        let verdict = check(code, &Policy::builtin(), &Options::default());
        assert_eq!(rules(&verdict), ["encoding"]);
    }
}

#[test]
fn too_deep_code_is_pointed_at_where_it_becomes_too_deep() {
    let verdict = judge(&format!(
        "x = 1\ny = {}1{}\n",
        "(".repeat(500),
        ")".repeat(500)
    ));
    let finding = &verdict.findings[0];
    assert_eq!(
        (finding.rule, finding.line, finding.column),
        ("nesting", 2, 45)
    );
}

#[test]
fn findings_are_capped_and_counted() {
    let verdict = judge(&"eval(1)\n".repeat(80));
    assert_eq!((verdict.findings.len(), verdict.unreported), (50, 30));
}

#[test]
fn frames_say_what_names_are() {
    let policy = Policy::builtin();
    let with = |code: &str, modules: &[(&str, &str)], shadowed: &[&str]| {
        let frame = Frame {
            modules: modules
                .iter()
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .collect(),
            shadowed: shadowed.iter().map(ToString::to_string).collect(),
        };
        let options = Options {
            frame: Some(frame),
            ..Options::default()
        };
        rules(&check(code.as_bytes(), &policy, &options))
    };
    let none: [&str; 0] = [];
    // An alias that an earlier submission left behind.
    assert_eq!(
        with("o.remove('x')", &[("o", "os")], &[]),
        ["module-member"]
    );
    assert_eq!(with("x = o.path.join('a')", &[("o", "os")], &[]), none);
    assert_eq!(with("x = [o]", &[("o", "os")], &[]), ["module-value"]);
    assert_eq!(with("x = f(np)", &[("np", "numpy")], &[]), ["module-value"]);
    assert_eq!(with("np.random = None", &[("np", "numpy")], &[]), none);
    assert_eq!(
        with("x = r.functools", &[("r", "re")], &[]),
        ["module-member"]
    );
    assert_eq!(
        with("log.shutdown()", &[("log", "logging")], &[]),
        ["module-denied"]
    );
    assert_eq!(
        with(
            "x = ET.fromstring(s)",
            &[("ET", "xml.etree.ElementTree")],
            &[]
        ),
        none
    );
    assert_eq!(
        with("signal.alarm(1)", &[("signal", "signal")], &[]),
        ["module-denied"]
    );
    let osp = [("osp", "posixpath")];
    assert_eq!(with("x = osp.join('a', 'b')", &osp, &[]), none);
    assert_eq!(with("x = osp.genericpath", &osp, &[]), ["module-member"]);
    // Variables with such names.
    assert_eq!(with("signal.alarm(1)", &[], &[]), none);
    assert_eq!(with("input = input + 1", &[], &["input"]), none);
    assert_eq!(
        with("x = f(input, dir, sys)", &[], &["input", "dir", "sys"]),
        none
    );
    // But not if the name may mean the built-in again.
    assert_eq!(
        with("del input\nx = input('?')", &[], &["input"]),
        ["builtin-denied"]
    );
    let handler = "try:\n    f(1)\nexcept ValueError as input:\n    pass\nx = input('?')";
    assert_eq!(with(handler, &[], &["input"]), ["builtin-denied"]);
    // Never the interpreter's own names.
    assert_eq!(
        with("x = __builtins__", &[], &["__builtins__"]),
        ["dunder-name"]
    );
}

#[test]
fn probes_are_judged_like_submissions_unless_the_policy_says_otherwise() {
    let probe = Options {
        kind: Kind::Probe,
        ..Options::default()
    };
    let code = b"self.a = 1\nd['k'] = 2\ndel d['k']\n_eh_rtn = 3\nimport math\nraise ValueError\n";
    assert!(check(code, &Policy::builtin(), &probe).is_accepted());
    let pack = "[narrow]\nprobe = ['attribute-store', 'item-store', 'delete', 'return-slot', 'import', 'raise']";
    let policy = Policy::load(Policy::builtin(), &[("p.toml".into(), pack.into())], false).unwrap();
    assert_eq!(rules(&check(code, &policy, &probe)), ["probe"; 6]);
    assert!(check(code, &policy, &Options::default()).is_accepted());
}

#[test]
fn user_policies_narrow() {
    let load =
        |text: &str| Policy::load(Policy::builtin(), &[("p.toml".into(), text.into())], false);
    let policy = load(
        "[narrow]\nstatements = ['with']\nexpressions = ['named']\nbuiltins = ['print']\nnames = ['session']\n\
         attributes = ['commit']\nmembers = ['os.path.exists', 'statistics', 'collections.abc']\ncodecs = ['idna']\n\
         limits = { bytes = 200 }",
    )
    .unwrap();
    let rules = |code: &str| rules(&check(code.as_bytes(), &policy, &Options::default()));
    assert_eq!(rules("with lock:\n    pass"), ["statement"]);
    assert_eq!(rules("(x := 1)"), ["expression"]);
    assert_eq!(rules("print(1)"), ["builtin-denied"]);
    assert_eq!(
        rules("session = 1\nx = session"),
        ["user-name", "user-name"]
    );
    assert_eq!(
        rules("db.commit()\ngetattr(db, 'commit')()"),
        ["user-attribute", "user-attribute"]
    );
    assert_eq!(
        rules("import os\nx = os.path.exists('a')"),
        ["module-member"]
    );
    assert_eq!(rules("import statistics"), ["import-root"]);
    assert_eq!(rules("import collections.abc"), ["import-root"]);
    assert_eq!(rules("x = 'a'.encode('idna')"), ["codec"]);
    assert_eq!(rules(&"x = 1\n".repeat(50)), ["size"]);
    // Taking away must not make the gate see less.
    let policy = load("[narrow]\nmembers = ['os', 're.sub']").unwrap();
    let denies = |code: &str, rule: &str| {
        let verdict = check(code.as_bytes(), &policy, &Options::default());
        assert!(
            verdict.findings.iter().any(|f| f.rule == rule),
            "{code}: {verdict:?}"
        );
    };
    denies("os.remove('x')", "module-denied");
    denies("import os.path", "import-root");
    denies("x = [os]", "module-denied");
    denies("x = re.sub('a', 'b', s)", "module-member");
    assert!(!policy.is_widened());
    assert_ne!(policy.fingerprint(), Policy::builtin().fingerprint());

    for (text, error) in [
        (
            "[narrow]\nbuiltins = ['prnt']",
            "p.toml:2:13: `prnt` is not an allowed built-in; did you mean `print`?",
        ),
        (
            "[narrow]\nlimits = { bytes = 1000000 }",
            "p.toml:2:20: `bytes` is 65536 now; only lower a limit here",
        ),
        (
            "[narrow]\nlimits = { byte = 1 }",
            "p.toml:2:19: `byte` is not a limit",
        ),
        (
            "[narrow]\nmembers = ['os.system']",
            "p.toml:2:12: `os.system` is not an allowed member",
        ),
        (
            "[narow]\nbuiltins = []",
            "p.toml:1:2: unknown key `narow`; did you mean `narrow`?",
        ),
        (
            "[widen]\nbuiltins = ['open']",
            "this file adds to what healing code may do; say --allow-widening",
        ),
    ] {
        let message = load(text).unwrap_err().to_string();
        assert!(message.contains(error), "{message}");
    }
}

#[test]
fn user_policies_widen_when_that_is_allowed() {
    let text = "[widen]\nmembers = ['json.loads', 'logging.getLogger']\nattributes = ['__version__', 'unlink']\n\
                builtins = ['open']\nlimits = { bytes = 100000 }";
    let policy = Policy::load(Policy::builtin(), &[("p.toml".into(), text.into())], true).unwrap();
    assert!(policy.is_widened());
    let code = "import json\nimport logging\nx = json.loads(open('a').read())\ny = np.__version__\np.unlink()\n\
                logging.getLogger('a').info('b')";
    let verdict = check(code.as_bytes(), &policy, &Options::default());
    assert!(verdict.is_accepted(), "{:?}", verdict.findings);
    let code = "logging.shutdown()";
    assert_eq!(
        rules(&check(code.as_bytes(), &policy, &Options::default())),
        ["module-member"]
    );
    let text = "[widen]\nstatements = ['def']";
    let error =
        Policy::load(Policy::builtin(), &[("p.toml".into(), text.into())], true).unwrap_err();
    assert!(error.to_string().contains("`def` is not a kind"), "{error}");
    let text = "[widen]\nlimits = { chain = 1000000 }";
    let error =
        Policy::load(Policy::builtin(), &[("p.toml".into(), text.into())], true).unwrap_err();
    assert!(
        error.to_string().contains("cannot be more than 2000"),
        "{error}"
    );
}

#[test]
fn the_fingerprint_is_that_of_the_meaning() {
    let (_, text) = Policy::builtin_text();
    assert!(text.starts_with("# HealCore"));
    let policy = Policy::builtin();
    assert_eq!(policy.fingerprint().len(), 64);
    assert_eq!(policy.version(), 1);
    assert_eq!(judge("x = 1").fingerprint, policy.fingerprint());
    let empty = Policy::load(
        Policy::builtin(),
        &[("p.toml".into(), "# nothing\n".into())],
        false,
    )
    .unwrap();
    assert_eq!(policy.fingerprint(), empty.fingerprint());
}

#[test]
fn verdicts_are_rendered() {
    let code = "x = 1\ny = obj.__dict__['a']\n";
    let verdict = judge(code);
    assert_eq!(
        to_text(&verdict, "heal.py", code, false),
        "heal.py:2:9: `__dict__` is an attribute of the interpreter [dunder-attribute]\n    \
         y = obj.__dict__['a']\n            ^^^^^^^^\n    \
         instead: read the attributes that you need: obj.name\nrejected: heal.py: 1 finding\n"
    );
    let json: serde_json::Value =
        serde_json::from_str(&to_json(&verdict, &Options::default())).unwrap();
    assert_eq!(json["accepted"], false);
    assert_eq!(json["findings"][0]["rule"], "dunder-attribute");
    assert_eq!(json["findings"][0]["line"], 2);
    assert_eq!(
        to_text(&judge("x = 1"), "-", "x = 1", false),
        "accepted: -\n"
    );
}

#[test]
fn signatures_are_those_of_the_python_verifier() {
    let long = "k".repeat(100);
    let all: Vec<u8> = (0..=255).collect();
    for (key, session, crash, code, expected) in [
        (
            &b"key"[..],
            "session",
            "crash",
            "x = 1\n",
            "da2fae17dab1c52bdfe8cdb77d48a66aad7b52d15750beda229a16ac0781efe1",
        ),
        (
            b"",
            "",
            "",
            "",
            "a1aed365cf66052dd0a808643854bbb0a8ed1d68f46dd2a48d37fc5f76544bf7",
        ),
        (
            long.as_bytes(),
            "sess",
            "ioncrash",
            "x = 1\n",
            "1d8aef0f2f6e79d64ef92e749385a278a4abc6f610ae42c218d6fd3f6d35aea8",
        ),
        (
            b"key",
            "sessioncrash",
            "",
            "x = 1\n",
            "e729916e9d1eecd0fffa1f42e6d9a2de29e91bece06b0a864a13da787a807e83",
        ),
        (
            &all,
            "ünicode",
            "17",
            "x = \"名\"\n",
            "295724b60af57a0a5435f6841318d14a3deabcb81962dd7a2b9d99058b0dbe61",
        ),
    ] {
        assert_eq!(sign(key, session, crash, code.as_bytes()), expected);
    }
    assert_ne!(
        signed_message("ab", "c", b""),
        signed_message("a", "bc", b"")
    );
    assert_ne!(signed_message("a", "", b"b"), signed_message("a", "b", b""));
}

#[test]
fn templates_and_patterns() {
    for good in [
        "",
        "{}",
        "{0} {1:>10}",
        "{name!r:{width}}",
        "{{}}",
        "{{{}}}",
        "{:%Y-%m-%d}",
        "{:{}.{}}",
    ] {
        assert_eq!(template::fault(good, 1000), None, "{good}");
    }
    for bad in [
        "{",
        "}",
        "{a.b}",
        "{0[x]}",
        "{:{a.b}}",
        "{a!x}",
        "{a!r",
        "{__class__}",
        "{:{:{}}}",
        "{:9999}",
        "{a b}",
        "{:{{}",
    ] {
        assert!(template::fault(bad, 1000).is_some(), "{bad}");
    }
    for bad in [
        "(a+)+",
        "(a*)*b",
        "(?:a+)+$",
        "((a+)+)",
        "(a|b+)*",
        r"(\w+\s*)+",
        "(?P<n>x*)+",
        "(a+){2,}",
        "x(y(z+)*)*",
        "([^)]+)+",
    ] {
        assert!(pattern::explodes(bad), "{bad}");
    }
    for good in [
        "a+b+",
        "(ab)+",
        "([a-z]+,)*",
        r"(\d+\.)+\d+",
        "(a+)",
        "(a+)?",
        "(a+){2}",
        "(?i)x+",
        r"\(a+\)+",
        "[(a+)+]",
        "(",
        ")",
        "a)+",
        "(?#(a+)+)",
        "(?<=a)+b",
        "(?:x|yz)+",
        "",
    ] {
        assert!(!pattern::explodes(good), "{good}");
    }
}

#[test]
fn repetition_and_nesting_of_findings() {
    // The parts of what is rejected are looked at as well.
    rejected("def f():\n    return eval('1')", "builtin-denied");
    rejected("class A:\n    x = obj.__dict__", "dunder-attribute");
    rejected("x = lambda: sys.modules", "module-denied");
    rejected(
        "match x:\n    case {'a': b} if eval('1'):\n        pass",
        "builtin-denied",
    );
    rejected("x = t'{eval(1)}'", "builtin-denied");
    rejected("x: eval('1') = 1", "builtin-denied");
    rejected(
        "async def f():\n    async with eval('1') as x:\n        await y",
        "builtin-denied",
    );
    // One finding for a power of powers, not three.
    assert_eq!(rules(&judge("x = 9 ** 9 ** 9 + 1")), ["resource"]);
    accepted("");
    accepted("\n\n# nothing\n");
}

/// xorshift: the same inputs on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

const SPICE: [&str; 46] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ":",
    ",",
    "'",
    "\"",
    "f'",
    "rb'",
    "\\",
    "\n",
    "#",
    "!r",
    "=",
    ":=",
    "*",
    "**",
    "lambda ",
    " for x in ",
    " if ",
    " else ",
    "os",
    "sys.",
    ".format",
    "import ",
    "from . ",
    "\t",
    " ",
    "{{",
    "\"\"\"",
    "async ",
    "await ",
    "@",
    "match x:\n case ",
    "\u{0}",
    "\r",
    "\u{feff}",
    "ｅ",
    "é",
    "0x",
    "1e",
    "\x0c",
];

fn mutated(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut code = seeds[dice.roll(seeds.len())].clone();
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(code.len() + 1);
        match dice.roll(6) {
            0 => {
                code.splice(at..at, SPICE[dice.roll(SPICE.len())].bytes());
            }
            1 => {
                let end = (at + dice.roll(5)).min(code.len());
                code.drain(at..end);
            }
            2 => {
                let other = &seeds[dice.roll(seeds.len())];
                let start = dice.roll(other.len() + 1);
                let end = (start + dice.roll(30)).min(other.len());
                code.splice(at..at, other[start..end].iter().copied());
            }
            3 => {
                let byte = dice.roll(256) as u8;
                code.insert(at, byte);
            }
            4 => {
                let end = (at + dice.roll(20)).min(code.len());
                let again = code[at..end].repeat(dice.roll(40));
                code.splice(at..at, again);
            }
            _ => {
                if let Some(byte) = code.get_mut(at) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
        }
    }
    code
}

#[test]
fn no_input_panics_or_takes_long() {
    let policy = Policy::builtin();
    let seeds: Vec<Vec<u8>> = cases()
        .into_iter()
        .map(|case| case.code.into_bytes())
        .filter(|code| code.len() < 2000)
        .collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let options = Options::default();
    let (mut accepted, mut slowest) = (0, Duration::ZERO);
    for round in 0..20_000 {
        let code = if round % 10 == 0 {
            (0..dice.roll(200)).map(|_| dice.roll(256) as u8).collect()
        } else {
            mutated(&mut dice, &seeds)
        };
        let start = Instant::now();
        let verdict = check(&code, &policy, &options);
        slowest = slowest.max(start.elapsed());
        accepted += usize::from(verdict.is_accepted());
        if round % 40 == 0 {
            fuzz(&code, &policy);
        }
    }
    assert!(accepted > 500, "{accepted}");
    // Far above what it takes, and far below what a hang is.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

/// As large as the limits let through, and as mean as can be thought of.
#[test]
fn the_worst_inputs_are_bounded() {
    let policy = Policy::builtin();
    let fill = |unit: &str| unit.repeat(65_000 / unit.len());
    let mut inputs: Vec<String> = [
        "(",
        "[",
        "{",
        "(((",
        "f'{",
        "f\"{f'{",
        "-",
        "not ",
        "a.",
        "a(",
        "a[",
        "lambda:",
        "lambda a,b:",
        "if x:\n ",
        "x=",
        "'",
        "\"\"\"",
        "'a' ",
        "eval(1)\n",
        "import os as o\n",
        "x=1\n",
        "\\\n",
        "\n",
        "\r\n",
        "#\n",
        " ",
        "\t\n",
        "é",
        "ｅ",
        "ｅ ",
        "🙂",
        "a,",
        "a:=",
        "@a\n",
        "try:\n",
        "else:\n",
        "async ",
        "await ",
        "yield ",
        "1**",
        "9**9**",
        "1<<",
        "'%9'%",
        "{:{}}",
        "\u{0}",
        "x[",
        "*",
        "**",
        "match ",
        "case ",
        "0",
        "1_",
        ";",
        ":",
        "x if ",
        "and ",
        "a<",
        "f'{a!r:{b}}'",
        "f'{{",
        "type ",
        "with a as ",
        "del ",
        "global a\n",
        "=",
    ]
    .into_iter()
    .map(fill)
    .collect();
    inputs.push(format!("x = '{}'.format(1)", fill("{")));
    inputs.push(format!("import re\nre.match('{}', s)", fill("(")));
    inputs.push(format!("import re\nre.match('{}', s)", fill("(a+)+")));
    inputs.push(
        (0..4000)
            .map(|i| format!("a{i} = b{i}.__dict__\n"))
            .collect(),
    );
    inputs.push(
        (0..100)
            .map(|i| format!("{}for x{i} in y:\n", " ".repeat(i)))
            .collect(),
    );
    inputs.push(format!("x = [{}]", fill("map(f,v),")));
    inputs.push(format!("{}1{}", "(".repeat(30_000), ")".repeat(30_000)));
    inputs.push(format!("{}1{}", "f(".repeat(39), ")".repeat(39)));
    inputs.push(format!("x = {}1", "a if b else ".repeat(90)));
    inputs.push(format!("x = {}", vec!["a"; 195].join("**")));
    inputs.push(format!("x = {}", "[".repeat(40) + &"]".repeat(40)));
    let mut slowest = (Duration::ZERO, String::new());
    for code in inputs {
        for minor in [6, 14] {
            let options = Options {
                target_python: TargetPython::new(minor),
                ..Options::default()
            };
            let start = Instant::now();
            let verdict = check(code.as_bytes(), &policy, &options);
            let took = start.elapsed();
            assert!(verdict.findings.len() <= 50);
            if took > slowest.0 {
                slowest = (took, code.chars().take(20).collect());
            }
        }
    }
    println!("slowest: {slowest:?}");
    assert!(slowest.0 < Duration::from_secs(5), "{slowest:?}");
}

/// `cargo test --release gate::tests::timing -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn timing() {
    let start = Instant::now();
    let policy = Policy::builtin();
    println!("policy: {:?}", start.elapsed());
    let options = Options::default();
    let repairs: Vec<Case> = FILES[2]
        .1
        .lines()
        .map(|line| serde_json::from_str(line).expect("a case per line"))
        .collect();
    let mut each: Vec<(Duration, usize)> = Vec::new();
    for case in &repairs {
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let start = Instant::now();
                assert!(check(case.code.as_bytes(), &policy, &options).is_accepted());
                start.elapsed()
            })
            .collect();
        times.sort();
        each.push((times[100], case.code.len()));
    }
    each.sort();
    println!(
        "{} repairs: median {:?}, slowest {:?} ({} bytes)",
        each.len(),
        each[each.len() / 2].0,
        each[each.len() - 1].0,
        each[each.len() - 1].1
    );
    let large: String = (0..200)
        .map(|i| {
            format!("if d{i} is None:\n    d{i} = [str(v) for v in vals if v.name != 'x{i}']\n")
        })
        .collect();
    let start = Instant::now();
    for _ in 0..50 {
        assert!(check(large.as_bytes(), &policy, &options).is_accepted());
    }
    println!("{} bytes: {:?}", large.len(), start.elapsed() / 50);
}
