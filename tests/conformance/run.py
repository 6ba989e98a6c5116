#!/usr/bin/env python3.11
"""Runs every conformance case twice, as it is and instrumented, and compares what can be seen.

    run.py --healc target/release/healc                     all cases on all interpreters
    run.py --healc ... --only 'gen_|async' --pythons 3.6,3.13
    run.py --healc ... --exact                              in exact mode: nothing at all may differ
    run.py --validate [--write]                             originals against expected.txt only

A case is a folder with `case.py`, whatever belongs to it, and `meta.toml`; README.md says what
may stand there. Python 3.11 or later, standard library only.
"""
import argparse
import difflib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
OWN_FILES = ("meta.toml", "expected.txt", "setup_case.py")
VERSIONS = ["3.%d" % minor for minor in range(6, 15)]
KEYS = {"title", "hazard", "family", "min_python", "max_python", "expect", "severity", "soft_because", "argv", "env",
        "stdin", "timeout_s", "must_change", "may_be_unchanged", "untouched", "refuse_files",
        "not_refused", "ignore_stderr", "expected", "exit_code"}


def interpreters():
    found = {}
    for exe in sorted(Path("~/.pyenv/versions").expanduser().glob("3.*/bin/python")):
        found.setdefault(".".join(exe.parts[-3].split(".")[:2]), str(exe))
    return {version: found[version] for version in VERSIONS if version in found}


def number(version):
    return tuple(int(part) for part in version.split("."))


class Case:
    def __init__(self, folder):
        self.folder, self.name = folder, folder.name
        meta = self.meta = tomllib.loads((folder / "meta.toml").read_text("utf-8"))
        unknown = set(meta) - KEYS
        if unknown:
            raise SystemExit("%s: unknown keys in meta.toml: %s" % (self.name, ", ".join(sorted(unknown))))
        self.range = number(meta.get("min_python", "3.6")), number(meta.get("max_python", "3.14"))
        self.soft = meta.get("severity") == "soft"
        self.argv = meta.get("argv", ["case.py"])
        refusing = meta.get("expect") == "refuse"
        self.refused = meta.get("refuse_files", ["case.py"] if refusing else [])
        self.untouched = meta.get("untouched", []) + self.refused
        changes = [] if refusing or meta.get("may_be_unchanged") else ["case.py"]
        self.changed = meta.get("must_change", changes)

    def runs_on(self, version):
        low, high = self.range
        return low <= number(version) <= high

    def lay_out(self, folder):
        """The program's files in `folder`, as `setup_case.py` wants them."""
        copy(self.folder, folder)
        for name in OWN_FILES[:2]:
            (folder / name).unlink(missing_ok=True)
        setup = folder / "setup_case.py"
        if setup.exists():
            subprocess.run([sys.executable, setup.name], cwd=folder, check=True, timeout=60)
            setup.unlink()


def copy(source, target):
    """A copy of a tree in which links stay links and pipes stay pipes."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(source):
        path, new = Path(entry.path), target / entry.name
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            new.symlink_to(os.readlink(path))
        elif stat.S_ISDIR(mode):
            copy(path, new)
            new.chmod(stat.S_IMODE(mode))
        elif stat.S_ISFIFO(mode):
            os.mkfifo(new)
        else:
            shutil.copy2(path, new)


# ------------------------------------------------------------------------------------ running

def run(case, command, folder, more=()):
    """(exit code, stdout, stderr) of the case's program."""
    env = {key: os.environ[key] for key in ("HOME", "USER", "LD_LIBRARY_PATH") if key in os.environ}
    env.update(PATH="/usr/local/bin:/usr/bin:/bin", LANG="C.UTF-8", LC_ALL="C.UTF-8", COLUMNS="80",
               TMPDIR=str(folder), NO_COLOR="1", PYTHON_COLORS="0", PYTHONHASHSEED="0",
               PYTHONDONTWRITEBYTECODE="1", PYTHONIOENCODING="utf-8")
    env.update(case.meta.get("env", {}))
    env.update(more)

    def fresh():
        # What was started in the background ignores SIGINT, and its children would, too.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    try:
        done = subprocess.run([*command, *case.argv], cwd=folder, env=env, preexec_fn=fresh, capture_output=True,
                              input=case.meta.get("stdin", "").encode(), timeout=case.meta.get("timeout_s", 60))
    except subprocess.TimeoutExpired:
        return "time-out", "", ""
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def instrument(case, healc, source, out):
    """Problems of the tool itself."""
    done = subprocess.run([healc, "instrument", str(source), "-o", str(out), "--full"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    said = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0 or "panicked" in said:
        return ["healc: exit code %s\n%s" % (done.returncode, said[-2000:])]
    problems = []
    for name in case.untouched:
        before, after = source / name, out / name
        if before.is_symlink():
            if not after.is_symlink():
                problems.append("%s: is no longer a link" % name)
        elif not after.exists():
            problems.append("%s: is missing" % name)
        elif before.is_file() and before.read_bytes() != after.read_bytes():
            problems.append("%s: was to be left alone" % name)
    for name in case.changed:
        if (source / name).read_bytes() == (out / name).read_bytes():
            problems.append("%s: was not instrumented" % name)
    for name in case.refused:
        if os.path.basename(name) not in said:
            problems.append("%s: nothing was said about why it is left alone" % name)
    for name in case.meta.get("not_refused", []):
        if name in said:
            problems.append("%s: something was said against it" % name)
    return problems


# ---------------------------------------------------------------------------------- comparing

# Marks below a source line. Where an emitted line holds only the failing part of an original one,
# CPython prints none, and `healc traceback` cannot know that there would have been some.
MARKS = re.compile(r"^[ |]*[~^][ ~^]*$\n?", re.M)
TOKEN = re.compile(r"\bL\d+\b")
FRAME = re.compile(r'^([ |+-]*)  File "[^"\n]*", line \d+')
WARNING = re.compile(r"^\S.*:\d+: \w*Warning: ")


def neutral(text, folder):
    """Folders, addresses, and the `L12` by which the programs print line numbers."""
    text = re.sub(r"0x[0-9a-fA-F]{4,}", "0x0", text.replace(str(folder), "<folder>"))
    return TOKEN.sub("L#", text)


def loose(text, folder):
    """Tracebacks as frames without numbers, source text and carets."""
    kept, under, warned = [], None, False
    for line in neutral(text, folder).split("\n"):
        if under is not None and line.startswith(under + "    "):
            continue
        if warned and line.startswith("  "):
            warned = False
            continue
        frame = FRAME.match(line)
        under = frame.group(1) if frame else None
        warned = bool(WARNING.match(line))
        line = re.sub(r"\bline \d+", "line #", line)
        kept.append(re.sub(r"(\.py|<string>|<stdin>|sys):\d+", r"\1:#", line))
    return "\n".join(kept)


def difference(before, after, what):
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), what + " of the original",
                                 what + " of the instrumented program", lineterm="", n=2)
    return "%s differs\n%s" % (what, "\n".join(list(lines)[:60]))


def compare(case, healc, version, folder, before, after):
    problems = []
    if before[0] != after[0]:
        problems.append("exit code %s instead of %s\n%s" % (after[0], before[0], after[2][-2000:]))
    outputs = neutral(before[1], folder), neutral(after[1], folder)
    if outputs[0] != outputs[1]:
        problems.append(difference(*outputs, "stdout"))
    if case.meta.get("ignore_stderr"):
        return problems
    errors = loose(before[2], folder), loose(after[2], folder)
    if errors[0] != errors[1]:
        problems.append(difference(*errors, "stderr"))
    mapped = subprocess.run([healc, "traceback", str(folder), "--python", version], input=after[2].encode(),
                            capture_output=True, timeout=60)
    if mapped.returncode != 0:
        problems.append("healc traceback: exit code %s\n%s" % (mapped.returncode, mapped.stderr.decode()))
    mapped = mapped.stdout.decode("utf-8", "replace")
    errors = [MARKS.sub("", neutral(text, folder)) for text in (before[2], mapped)]
    if errors[0] != errors[1]:
        problems.append(difference(*errors, "stderr, with `healc traceback`,"))
    return problems


def check_overlay(case, options, version, exe, work):
    """Problems of the overlay in the place of the original."""
    # One path for both, one after the other: programs print it.
    folder, out = work / version, work / "overlay"
    case.lay_out(folder)
    before = run(case, [exe], folder)
    shutil.rmtree(folder, ignore_errors=True)
    if before[0] == "time-out":
        return ["the original does not end in time"]
    if not out.is_dir():
        return []
    copy(out, folder)
    after = run(case, [exe], folder)
    problems = compare(case, options.healc, version, folder, before, after)
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return problems


def check_exact(case, options, version, exe, work):
    """Problems of exact mode, with nothing in the cache and with everything."""
    folder, cache = work / version, work / ("cache-" + version)
    exact = [options.healc, "run", "--exact", "--overlay", str(work / "overlay"), "--repo", str(folder), "--", exe]
    seen = []
    for command, more in ([exe], {}), (exact, {"EH_CACHE": str(cache)}), (exact, {"EH_CACHE": str(cache)}):
        case.lay_out(folder)
        seen.append(run(case, command, folder, more))
        shutil.rmtree(folder, ignore_errors=True)
    problems = []
    for what, after in zip(("cold", "warm"), seen[1:]):
        for name, *texts in zip(("exit code", "stdout", "stderr"), seen[0], after):
            if name == "stderr" and case.meta.get("ignore_stderr"):
                continue
            left, right = (re.sub(r"0x[0-9a-fA-F]{4,}", "0x0", str(text).replace(str(folder), "<folder>")) for text in texts)
            if left != right:
                problems.append(difference(left, right, "%s: %s" % (what, name)))
    if case.changed and not any(cache.glob("*-*-*/*/*")):
        problems.append("nothing was loaded with handlers in it")
    return problems


def cannot_be_exact(case, version, problems):
    """Whether a difference is one that exact mode cannot help, as README.md says."""
    changed = [line for text in problems for line in text.splitlines()[3:] if line[:1] in "+-"]
    if number(version) <= (3, 11):
        # The interpreter normalises an exception whenever it enters a handler of any kind.
        if case.name == "092_exc_metaclass_hooks":
            return set(changed) == {"+subclasscheck"}
        # The built-in that runs the script counts as two levels.
        if case.name == "327_recursion_to_the_limit":
            lines = [re.sub(r"\d+", "N", line[1:]) for line in changed]
            return lines[::2] == lines[1::2]
    # The hook is a name in builtins, and the runtime is a module.
    return case.name == "351_builtins_are_listed"


def check(case, versions, options, base):
    """{version: (state, text)} with the states `ok`, `soft` and `FAIL`."""
    work = base / case.name
    source, out = work / "original", work / "overlay"
    case.lay_out(source)
    tool = instrument(case, options.healc, source, out)
    work_in = check_exact if options.exact else check_overlay
    results = {}
    for version, exe in versions.items():
        if not case.runs_on(version):
            continue
        problems = tool + work_in(case, options, version, exe, work)
        state = "ok" if not problems else "soft" if case.soft and not options.strict else "FAIL"
        if options.exact and problems and cannot_be_exact(case, version, problems):
            state = "soft"
        results[version] = state, "\n".join(problems)
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    return results


def validate(case, versions, options, base):
    """The originals alone: do all interpreters that the case claims print what it expects?"""
    runs = {}
    for version, exe in versions.items():
        if case.runs_on(version):
            folder = base / case.name / version
            case.lay_out(folder)
            code, out, _ = run(case, [exe], folder)
            # expected.txt keeps line numbers.
            runs[version] = code, re.sub(r"0x[0-9a-fA-F]{4,}", "0xADDR", out.replace(str(folder), "<ROOT>"))
    shutil.rmtree(base / case.name, ignore_errors=True)
    expected = case.folder / "expected.txt"
    if options.write:
        agreed = len(set(runs.values())) == 1
        lines = (case.folder / "meta.toml").read_text("utf-8").splitlines()
        lines = [line for line in lines if not re.match(r"(expected|exit_code)\s*=", line)]
        if agreed:
            code, out = next(iter(runs.values()))
            expected.write_bytes(out.encode("utf-8"))
            lines += ['expected = "expected.txt"', "exit_code = %s" % json.dumps(code)]
        else:
            expected.unlink(missing_ok=True)
            lines.append('expected = "per-interpreter"')
        (case.folder / "meta.toml").write_text("\n".join(lines) + "\n", "utf-8")
        return {version: ("ok", "" if agreed else "interpreters differ") for version in runs}
    if case.meta.get("expected") != "expected.txt":
        return {version: ("ok", "") for version in runs}
    wanted = case.meta.get("exit_code", 0), expected.read_bytes().decode("utf-8")
    results = {}
    for version, got in runs.items():
        text = "" if got == wanted else "exit code %s for %s\n%s" % (
            got[0], wanted[0], difference(wanted[1], got[1], "stdout"))
        results[version] = ("FAIL" if text else "ok", text)
    return results


# -------------------------------------------------------------------------------------- shell

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--healc", help="the binary under test")
    parser.add_argument("--only", metavar="REGEX", help="on names and families of cases")
    parser.add_argument("--pythons", metavar="3.6,3.13,...", help="all that are installed by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", metavar="DIR", help="work here, and leave everything there")
    parser.add_argument("--strict", action="store_true", help="soft cases count like the others")
    parser.add_argument("--exact", action="store_true", help="in exact mode")
    parser.add_argument("--validate", action="store_true", help="originals against expected.txt")
    parser.add_argument("--write", action="store_true", help="with --validate: write expected.txt")
    options = parser.parse_args()
    if not options.validate and not options.healc:
        parser.error("--healc is needed")
    if options.healc:
        options.healc = str(Path(options.healc).resolve())
    versions = interpreters()
    if options.pythons:
        versions = {v: exe for v, exe in versions.items() if v in options.pythons.split(",")}
    if not versions:
        parser.error("none of these interpreters is installed below ~/.pyenv/versions")
    cases = []
    for folder in sorted((HERE / "cases").iterdir()):
        if not (folder / "meta.toml").exists():
            raise SystemExit("%s: no meta.toml" % folder)
        cases.append(Case(folder))
    if options.only:
        cases = [c for c in cases if re.search(options.only, c.name + " " + c.meta.get("family", ""))]
    base = Path(options.keep or tempfile.mkdtemp(prefix="healc-conformance-")).resolve()
    work = validate if options.validate else check
    try:
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda case: work(case, versions, options, base), cases))
    finally:
        if not options.keep:
            shutil.rmtree(base, ignore_errors=True)
    count = dict.fromkeys(("ok", "soft", "FAIL"), 0)
    for case, result in zip(cases, results):
        told = {}
        for version, (state, text) in result.items():
            count[state] += 1
            if text:
                told.setdefault((state, text), []).append(version)
        for (state, text), where in told.items():
            print("== %s %s on %s\n%s\n" % (state, case.name, " ".join(where), text))
    soft = ", %d soft deviations" % count["soft"] if count["soft"] else ""
    print("%d cases on %s%s" % (len(cases), " ".join(versions), soft))
    print("%d passed, %d failed" % (count["ok"], count["FAIL"]))
    return 1 if count["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
