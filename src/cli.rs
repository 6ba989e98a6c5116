//! The command line: arguments in, exit code out. Decides nothing about code.

use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use indicatif::{ProgressBar, ProgressStyle};

use crate::artifact::{MANIFEST, Manifest, State, map_path, sites_path};
use crate::compile::Output;
use crate::config::{Overrides, Returns, Runtime, Settings, TargetPython};
use crate::discover::{Discovery, OutputPlace, RepoPath, discover, output_place};
use crate::emit::{self, EmitError, Stage};
use crate::exact;
use crate::gate::{self, Kind, Policy};
use crate::heal::{
    self,
    command::{HealArgs, MethodArgs, ReplayArgs},
};
use crate::overlay::{Locator, Overlay};
use crate::prove;
use crate::repo::{Job, Report, mode_of, runtime_files};
use crate::report;
use crate::report::machine::{Format, document};
use crate::rules::Rules;
use crate::serve::{
    self,
    command::{Bounds, McpArgs, ServeArgs},
    run::Healing,
};
use crate::traceback::{Style, rewrite};
use crate::verify::Proof;

/// Findings, or something would change.
const FINDINGS: u8 = 1;
/// Usage, configuration or I/O.
const TROUBLE: u8 = 2;
/// A fault of healc's.
const FAULT: u8 = 3;

/// Source instrumentation compiler for Python repositories.
///
/// Wraps every executable statement in an exception handler, so that a crash can be caught and
/// healed where it happens. Without a healer an instrumented program behaves as the original.
#[derive(Parser)]
#[command(
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Instrument a repository into an overlay folder
    Instrument(Box<Instrument>),
    /// Check an overlay's fingerprints, source maps and sites
    Verify(VerifyArgs),
    /// Lead a place in an overlay to the original, or back
    Map(MapArgs),
    /// Rewrite tracebacks on standard input to original coordinates
    Traceback(TracebackArgs),
    /// List the sites of an overlay
    Sites(SitesArgs),
    /// Run a command whose Python code is instrumented and looks like the original
    Run(Box<RunArgs>),
    /// Run a test command plain and instrumented, and compare test by test
    Prove(Box<ProveArgs>),
    /// Undo `healc instrument --in-place`
    Restore(RestoreArgs),
    /// Print or install the Python runtime that instrumented code imports
    Runtime(RuntimeArgs),
    /// Judge healing code: is it HealCore, the subset that may run?
    Gate(GateArgs),
    /// Join paused executions and the agents that heal them
    Serve(Box<ServeArgs>),
    /// Answer the crashes of `healc serve`
    Heal(Box<HealArgs>),
    /// Answer crashes as a record says that they were answered
    Replay(ReplayArgs),
    /// Serve the Model Context Protocol on standard input and output, for `healc serve`
    Mcp(McpArgs),
    /// Run golden cases: folders with in.py, out.py and map.txt
    Golden(GoldenArgs),
    /// Print the JSON schema of healc.toml and [tool.healc]
    Schema,
    /// Print completions for a shell
    Completions { shell: Shell },
}

#[derive(Args, Default)]
struct Instrument {
    /// The repository, or one Python file
    repo: PathBuf,
    /// Only these files and folders of it. A file that is named always counts
    paths: Vec<PathBuf>,
    /// The overlay folder; made, or brought up to date
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["in_place", "diff"])]
    output: Option<PathBuf>,
    /// Rewrite the repository's own files; `healc restore` undoes it
    #[arg(long, conflicts_with_all = ["output", "diff", "check", "full"])]
    in_place: bool,
    /// Print unified diffs and write nothing
    #[arg(long)]
    diff: bool,
    /// Write nothing; exit with 1 if the overlay is not up to date
    #[arg(long, conflicts_with = "diff")]
    check: bool,
    /// Put the rest of the repository into the overlay too, so that it runs alone
    #[arg(long)]
    full: bool,
    /// How the rest of the repository gets there
    #[arg(long, value_enum, default_value_t = How::Copy, requires = "full")]
    full_by: How,
    /// Exit with 1 if a file had to be left alone
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    selection: Selection,
    /// Compile every instrumented file with this Python, too
    #[arg(long, value_name = "PYTHON")]
    check_with: Option<PathBuf>,
    /// Let the second parser read every byte, where it otherwise judges each shape of a statement
    /// once (about ten times slower)
    #[arg(long)]
    thorough: bool,
    /// Threads; as many as there are cores by default
    #[arg(short, long, default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// How diagnostics are written: for people on standard error, else on standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text)]
    output_format: OutputFormat,
    /// Show the files that are looked at, and what is left alone: by rule, or `all` paths with
    /// their reasons; write nothing
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "by-rule"
    )]
    show_files: Option<Which>,
    /// Show the resolved settings; write nothing
    #[arg(long)]
    show_settings: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum OutputFormat {
    #[default]
    Text,
    /// One document
    Json,
    /// Annotations of a GitHub workflow
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    ByRule,
    All,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum How {
    #[default]
    Copy,
    Hardlink,
    Symlink,
}

/// What is instrumented, and how. Flags win over `healc.toml` and `[tool.healc]`.
#[derive(Args, Clone, Default)]
struct Selection {
    /// Bring back paths that the rules leave out (glob; repeatable)
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Leave these paths alone (glob; repeatable; replaces the configured list)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Leave these paths alone, too (glob; repeatable)
    #[arg(long, value_name = "GLOB")]
    extend_exclude: Vec<String>,
    /// Do not respect .gitignore files
    #[arg(long)]
    no_ignore: bool,
    /// The oldest Python that runs the code: 3.6 to 3.14
    #[arg(long, value_name = "VERSION")]
    target_python: Option<TargetPython>,
    /// How `return` is rewritten
    #[arg(long, value_name = "FORM", value_parser = parse_returns)]
    returns: Option<Returns>,
    /// Whether the overlay carries the runtime: `embed` (default) or `none`
    #[arg(long, value_name = "HOW", value_parser = parse_runtime)]
    runtime: Option<Runtime>,
    /// A rule file that adds to, overrides or replaces the built-in rules (repeatable)
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Use this configuration file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long)]
    isolated: bool,
}

fn parse_returns(text: &str) -> Result<Returns, String> {
    match text {
        "auto" => Ok(Returns::Auto),
        "capture" => Ok(Returns::Capture),
        "inline" => Ok(Returns::Inline),
        _ => Err("there are `auto`, `capture` and `inline`".into()),
    }
}

fn parse_runtime(text: &str) -> Result<Runtime, String> {
    match text {
        "embed" => Ok(Runtime::Embed),
        "none" => Ok(Runtime::None),
        _ => Err("there are `embed` and `none`".into()),
    }
}

#[derive(Args)]
struct VerifyArgs {
    overlay: PathBuf,
    /// The repository that it was made from, to see whether it changed since
    repo: Option<PathBuf>,
    /// Compile every instrumented file with this Python, too
    #[arg(long, value_name = "PYTHON")]
    check_with: Option<PathBuf>,
}

#[derive(Args)]
struct MapArgs {
    overlay: PathBuf,
    /// PATH:LINE[:COLUMN], line and column from 1, the path inside the overlay
    place: String,
    /// The place is one of the original; lead it to the overlay
    #[arg(long)]
    reverse: bool,
}

#[derive(Args)]
struct TracebackArgs {
    overlay: PathBuf,
    /// Print file names below this folder instead of the overlay's
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// The Python that wrote the text: carets are placed as it would place them
    #[arg(long, value_name = "VERSION")]
    python: Option<TargetPython>,
}

#[derive(Args)]
struct SitesArgs {
    overlay: PathBuf,
    /// Only these files, as paths inside the overlay
    paths: Vec<String>,
    #[arg(long)]
    json: bool,
}

/// Runs COMMAND so that its Python processes load the instrumented code of a repository, while
/// tracebacks, warnings, `inspect`, debuggers and coverage show the original files and lines. The
/// repository itself is not touched.
///
/// Without `--exact` a healing side is started, too: crashes pause, `--method` or a person on the live
/// page answers them, and what happened is reported at the end.
///
/// Children get it, too, unless they ignore the environment (`-I`, `-E`, `-S`). A file that was
/// changed since it was instrumented runs as it is, with a warning.
#[derive(Args)]
#[command(after_help = "\
Examples:
  healc run --method script --answers answers.toml -- python app.py
  healc run --method healer --model NAME --base-url URL -- python -m pytest
  healc run --exact -- python -m pytest
  healc run --exact --repo src --overlay /tmp/overlay -- ./manage.py check")]
struct RunArgs {
    /// Only run, exactly as the original does: no healing side
    #[arg(long, conflicts_with_all = ["method", "record"])]
    exact: bool,
    /// The repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Use this overlay as it is. Default: one in the cache folder (EH_CACHE, else the user's
    /// own), brought up to date first
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    bounds: Bounds,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Runs COMMAND plain and instrumented, in copies of the repository, and compares the outcome of each
/// test: of pytest, unittest and CPython's `python -m test`. Of other commands, exit code and output
/// are compared. Tests that differ are run again, to tell flaky ones apart.
///
/// Two more runs show that the instrumentation was live: which sites are reached, and that a failure
/// which is forced at one of them is seen by its handler and noticed by the tests.
///
/// Packages that the command's Python has installed are copied from there, with their compiled parts.
/// The repository and the Python's environment are only read.
#[derive(Args)]
#[command(after_help = "\
Exit codes: 0 all the same, 1 a difference, or not live, 2 usage or I/O.

Examples:
  healc prove . -- python -m pytest -q
  healc prove . --html proof.html -- .venv/bin/python -m unittest discover")]
struct ProveArgs {
    /// The repository
    #[arg(default_value = ".")]
    repo: PathBuf,
    /// The Python that the command runs, if the command does not show it
    #[arg(long)]
    python: Option<PathBuf>,
    /// How often both runs are repeated if a test differs
    #[arg(long, value_name = "N", default_value_t = 2)]
    repeat: usize,
    /// The time that one run may take
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Write the proof as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the proof as a page, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Work in this new folder, and leave it behind
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    selection: Selection,
    /// The test command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Args)]
struct RestoreArgs {
    repo: PathBuf,
    /// Restore files that were changed since, too
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
struct RuntimeArgs {
    /// Install into this interpreter's site-packages
    #[arg(long, value_name = "PYTHON")]
    install: Option<PathBuf>,
}

#[derive(Args)]
struct GateArgs {
    /// A file of healing code, or `-` for standard input
    file: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Judge code that only looks, and may bind nothing that lasts
    #[arg(long)]
    probe: bool,
    /// The Python that would run the code: 3.6 to 3.14
    #[arg(long, value_name = "VERSION")]
    target_python: Option<TargetPython>,
    /// A policy file that narrows the built-in one (repeatable)
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// Let policy files allow more than the built-in policy does
    #[arg(long)]
    allow_widening: bool,
}

#[derive(Args)]
struct GoldenArgs {
    dir: PathBuf,
    /// Write what is produced as what is expected
    #[arg(long)]
    update: bool,
    /// Only cases whose path contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Verb::Instrument(args) => instrument(&args),
        Verb::Verify(args) => verify(&args),
        Verb::Map(args) => map(&args),
        Verb::Traceback(args) => traceback(&args),
        Verb::Sites(args) => sites(&args),
        Verb::Run(args) => run(*args),
        Verb::Prove(args) => prove(&args),
        Verb::Restore(args) => restore(&args),
        Verb::Runtime(args) => install_runtime(&args),
        Verb::Gate(args) => judge(&args),
        Verb::Serve(args) => serve::command::serve(&args),
        Verb::Heal(args) => heal::command::heal(&args),
        Verb::Replay(args) => heal::command::replay(&args),
        Verb::Mcp(args) => serve::command::mcp(&args),
        Verb::Golden(args) => golden(&args),
        Verb::Schema => print(&crate::config::schema()).map(|()| 0),
        Verb::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "healc", &mut text);
            print(&String::from_utf8_lossy(&text)).map(|()| 0)
        }
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if is_broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            anstream::eprintln!("healc: {error:#}");
            ExitCode::from(TROUBLE)
        }
    }
}

/// The reader of our output went away, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

// ------------------------------------------------------------------------------------ instrument

/// A repository with its settings, rules and files.
struct Input {
    repo: PathBuf,
    settings: Settings,
    rules: Rules,
    discovery: Discovery,
}

impl Input {
    fn job<'a>(&'a self, args: &Instrument, overlay: Option<&'a Path>) -> Job<'a> {
        Job {
            repo: &self.repo,
            settings: &self.settings,
            rules: &self.rules,
            discovery: &self.discovery,
            threads: args.jobs,
            proof: match args.thorough {
                true => Proof::Thorough,
                false => Proof::Usual,
            },
            overlay,
        }
    }
}

fn load(args: &Instrument) -> Result<Input> {
    let (repo, mut named) = if args.repo.is_file() {
        let parent = args.repo.parent().filter(|p| !p.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new(".")).to_path_buf();
        (parent, vec![args.repo.clone()])
    } else {
        (args.repo.clone(), Vec::new())
    };
    if !repo.is_dir() {
        bail!("{}: no such folder", repo.display());
    }
    // Paths may be given from here or from the repository.
    for path in &args.paths {
        let here = path.exists() && !repo.join(path).exists();
        named.push(if here {
            fs::canonicalize(path)?
        } else {
            path.clone()
        });
    }
    for path in &mut named {
        if path.is_relative() && !repo.join(&*path).exists() {
            *path = fs::canonicalize(&*path).with_context(|| path.display().to_string())?;
        }
    }
    let selection = &args.selection;
    let overrides = Overrides {
        include: selection.include.clone(),
        exclude: selection.exclude.clone(),
        extend_exclude: selection.extend_exclude.clone(),
        respect_gitignore: selection.no_ignore.then_some(false),
        target_python: selection.target_python,
        returns: selection.returns,
        runtime: selection.runtime,
        rules: selection.rules.clone(),
        full: args.full.then_some(true),
        config: selection.config.clone(),
        isolated: selection.isolated,
        output: args.output.clone(),
    };
    let settings = Settings::resolve(&repo, &overrides)?;
    let rules = settings.load_rules()?;
    let discovery = discover(&repo, &named, &settings, &rules)?;
    Ok(Input {
        repo,
        settings,
        rules,
        discovery,
    })
}

fn instrument(args: &Instrument) -> Result<u8> {
    let started = Instant::now();
    let input = load(args)?;
    if !args.quiet {
        for warning in &input.settings.warnings {
            anstream::eprintln!("warning: {warning}");
        }
        for problem in &input.discovery.problems {
            anstream::eprintln!("warning: {}: {}", problem.path, problem.message);
        }
    }
    if args.show_settings {
        print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&input.settings)?
        ))?;
        return Ok(0);
    }
    if let Some(which) = args.show_files {
        print(&report::files(&input.discovery, which == Which::All))?;
        return Ok(0);
    }
    if args.diff {
        return diff(args, &input);
    }
    if args.check {
        return check(args, &input);
    }
    if args.in_place {
        return in_place(args, &input, started);
    }
    let out = args.output.as_deref().expect("clap wants it");
    let place = output_place(&input.repo, out, &input.settings, &input.rules);
    let allow_inside = matches!(place, OutputPlace::Excluded);
    // What is kept is not proven anew.
    let previous = Overlay::previous(out).filter(|_| !args.thorough);
    let stage = Stage::open(out, &input.repo, allow_inside)?;
    let kept = AtomicUsize::new(0);
    let bar = progress(args, &input);
    let sink = |path: &RepoPath, output: Option<&Output>, keep: bool| -> Result<(), EmitError> {
        bar.inc(1);
        let path = path.as_str();
        match output {
            Some(output) => {
                stage.put(path, &output.bytes, mode_of(&input.repo.join(path)))?;
                stage.put(&map_path(path), &output.map, None)?;
                stage.put(&sites_path(path), output.sites.as_bytes(), None)?;
            }
            None if keep => {
                kept.fetch_add(1, Ordering::Relaxed);
                stage.keep(path)?;
                stage.keep(&map_path(path))?;
                stage.keep(&sites_path(path))?;
            }
            None => {}
        }
        Ok(())
    };
    let (manifest, reports) = input.job(args, Some(out)).run(previous.as_ref(), &sink)?;
    for (path, text) in runtime_files(&manifest) {
        if input.repo.join(&path).exists() {
            bail!(
                "{path}: the repository has a package of the runtime's name; rename it, or use --runtime none"
            );
        }
        stage.put(&path, text.as_bytes(), None)?;
    }
    if input.settings.full {
        link_rest(args, &input, &manifest, &stage)?;
    }
    stage.put(MANIFEST, manifest_text(&manifest)?.as_bytes(), None)?;
    stage.commit()?;
    finish(
        args,
        &input,
        &manifest,
        &reports,
        kept.into_inner(),
        started,
        out,
    )
}

fn manifest_text(manifest: &Manifest) -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(manifest)?))
}

/// Everything else of the repository, for an overlay that runs alone.
fn link_rest(args: &Instrument, input: &Input, manifest: &Manifest, stage: &Stage) -> Result<()> {
    let how = match args.full_by {
        How::Copy => emit::FullMode::Copy,
        How::Hardlink => emit::FullMode::Hardlink,
        How::Symlink => emit::FullMode::Symlink,
    };
    let repo = fs::canonicalize(&input.repo)?;
    let link = |path: &str| stage.link(path, &repo.join(path), how);
    for (path, entry) in &manifest.files {
        if entry.state != State::Instrumented {
            link(path)?;
        }
    }
    for path in &input.discovery.other_files {
        match path.strip_suffix('/') {
            None => link(path)?,
            Some(folder) => {
                let (files, problems) =
                    crate::discover::expand_folder(&input.repo, folder, &input.settings);
                for file in files {
                    match file.strip_suffix('/') {
                        Some(folder) => stage.folder(folder)?,
                        None => link(&file)?,
                    }
                }
                for problem in problems {
                    anstream::eprintln!("warning: {}: {}", problem.path, problem.message);
                }
            }
        }
    }
    Ok(())
}

fn finish(
    args: &Instrument,
    input: &Input,
    manifest: &Manifest,
    reports: &[Report],
    kept: usize,
    started: Instant,
    out: &Path,
) -> Result<u8> {
    show_reports(args, input, manifest, reports)?;
    let mut code = exit_code(args, manifest);
    if !args.quiet {
        let summary = report::summary(manifest, kept, started.elapsed(), "Instrumented");
        anstream::eprint!("{summary}");
        if manifest.runtime_in.is_empty()
            && manifest.totals.instrumented > 0
            && input.settings.runtime == Runtime::Embed
        {
            anstream::eprintln!(
                "note: the repository is itself a package, so its runtime has no place in the overlay; \
                 for healing, install it with `healc runtime --install PYTHON`"
            );
        }
    }
    if let Some(python) = &args.check_with
        && !compile_with(python, out, manifest)?
    {
        code = FAULT;
    }
    Ok(code)
}

fn exit_code(args: &Instrument, manifest: &Manifest) -> u8 {
    if manifest.totals.failed > 0 {
        FAULT
    } else if args.strict && manifest.totals.skipped > 0 {
        FINDINGS
    } else {
        0
    }
}

fn show_reports(
    args: &Instrument,
    input: &Input,
    manifest: &Manifest,
    reports: &[Report],
) -> Result<()> {
    let format = match args.output_format {
        OutputFormat::Text => None,
        OutputFormat::Json => Some(Format::Json),
        OutputFormat::Github => Some(Format::Github),
        OutputFormat::Sarif => Some(Format::Sarif),
    };
    if let Some(format) = format {
        let prefix = match input.repo.strip_prefix(".").unwrap_or(&input.repo) {
            repo if repo.as_os_str().is_empty() => String::new(),
            repo => format!("{}/", repo.display()),
        };
        return print(&document(format, manifest, reports, &prefix));
    }
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for report in reports {
        let read = || {
            let bytes = fs::read(report.path.under(&input.repo)).ok()?;
            // Only text can be shown, and what is unreadable is no text.
            String::from_utf8(bytes).ok()
        };
        let source = report.source.clone().or_else(read);
        let source = source
            .as_deref()
            .map(|s| s.strip_prefix('\u{feff}').unwrap_or(s));
        for diagnostic in &report.diagnostics {
            let text = report::diagnostic(report, diagnostic, source, color);
            anstream::eprint!("{text}");
        }
    }
    Ok(())
}

/// A bar on a terminal; nothing in a pipe.
fn progress(args: &Instrument, input: &Input) -> ProgressBar {
    let shown = !args.quiet && args.output_format == OutputFormat::Text;
    if !shown || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} files, {eta} left")
        .expect("a valid template");
    ProgressBar::new(input.discovery.files.len() as u64).with_style(style)
}

fn diff(args: &Instrument, input: &Input) -> Result<u8> {
    let diffs = std::sync::Mutex::new(std::collections::BTreeMap::new());
    let sink = |path: &RepoPath, output: Option<&Output>, _: bool| -> Result<(), std::io::Error> {
        if let Some(output) = output {
            let before = fs::read(path.under(&input.repo))?;
            let before = String::from_utf8_lossy(&before);
            let after = String::from_utf8_lossy(&output.bytes);
            let text = similar::TextDiff::from_lines(before.as_ref(), after.as_ref())
                .unified_diff()
                .header(&format!("a/{path}"), &format!("b/{path}"))
                .to_string();
            diffs
                .lock()
                .expect("no panics inside")
                .insert(path.clone(), text);
        }
        Ok(())
    };
    let (manifest, reports) = input.job(args, None).run(None, &sink)?;
    let diffs = diffs.into_inner().expect("no panics inside");
    for text in diffs.values() {
        print(text)?;
    }
    show_reports(args, input, &manifest, &reports)?;
    let code = exit_code(args, &manifest);
    Ok(if code == 0 && !diffs.is_empty() {
        FINDINGS
    } else {
        code
    })
}

fn check(args: &Instrument, input: &Input) -> Result<u8> {
    let out = args.output.as_deref().expect("clap wants it");
    let stale = std::sync::Mutex::new(Vec::new());
    let previous = Overlay::previous(out);
    let sink = |path: &RepoPath, output: Option<&Output>, _: bool| -> Result<(), std::io::Error> {
        if let Some(output) = output
            && fs::read(out.join(path.as_str())).ok().as_deref() != Some(&output.bytes)
        {
            stale.lock().expect("no panics inside").push(path.clone());
        }
        Ok(())
    };
    let (manifest, reports) = input.job(args, Some(out)).run(previous.as_ref(), &sink)?;
    show_reports(args, input, &manifest, &reports)?;
    let mut stale = stale.into_inner().expect("no panics inside");
    stale.sort();
    for path in &stale {
        print(&format!("{path}: would be written\n"))?;
    }
    let up_to_date = previous.as_ref() == Some(&manifest) && stale.is_empty();
    let damaged: Vec<_> = match Overlay::open(out) {
        Ok(overlay) => overlay.verify(None),
        Err(_) => Vec::new(),
    };
    for finding in &damaged {
        print(&format!("{}: {}\n", finding.path, finding.message))?;
    }
    if up_to_date && damaged.is_empty() {
        return Ok(exit_code(args, &manifest));
    }
    if !args.quiet {
        anstream::eprintln!("{}: not up to date", out.display());
    }
    Ok(exit_code(args, &manifest).max(FINDINGS))
}

fn in_place(args: &Instrument, input: &Input, started: Instant) -> Result<u8> {
    // Files can be added to those of an earlier run, but the whole was done once.
    let earlier = match emit::is_in_place(&input.repo) {
        false => None,
        true if args.repo.is_dir() && args.paths.is_empty() => {
            return Err(EmitError::AlreadyInPlace(input.repo.clone()).into());
        }
        true => Overlay::previous(&input.repo),
    };
    let outputs = std::sync::Mutex::new(std::collections::BTreeMap::new());
    let bar = progress(args, input);
    let sink = |path: &RepoPath, output: Option<&Output>, _: bool| -> Result<(), EmitError> {
        bar.inc(1);
        if let Some(output) = output {
            let output = Output {
                bytes: output.bytes.clone(),
                map: output.map.clone(),
                sites: output.sites.clone(),
            };
            outputs
                .lock()
                .expect("no panics inside")
                .insert(path.clone(), output);
        }
        Ok(())
    };
    let job = input.job(args, None);
    let (manifest, reports) = job.run(None, &sink)?;
    bar.finish_and_clear();
    let outputs = outputs.into_inner().expect("no panics inside");
    let mut extras: Vec<(String, Vec<u8>)> = Vec::new();
    let mut edits = Vec::new();
    for (path, output) in outputs {
        let path = path.as_str().to_string();
        extras.push((map_path(&path), output.map));
        extras.push((sites_path(&path), output.sites.into_bytes()));
        let original_sha256 = manifest.files[&path]
            .source_sha256
            .clone()
            .unwrap_or_default();
        edits.push(emit::InPlaceEdit {
            path,
            original_sha256,
            output: output.bytes,
        });
    }
    let mut whole = manifest.clone();
    if let Some(earlier) = earlier {
        let mut files = earlier.files;
        files.extend(whole.files);
        whole = job.manifest(files);
    }
    for (path, text) in runtime_files(&whole) {
        extras.push((path, text.into()));
    }
    extras.push((MANIFEST.into(), manifest_text(&whole)?.into_bytes()));
    emit::in_place(&input.repo, edits.into_iter(), &extras)?;
    finish(args, input, &manifest, &reports, 0, started, &input.repo)
}

/// Compiles all instrumented files with an interpreter, in one process.
fn compile_with(python: &Path, root: &Path, manifest: &Manifest) -> Result<bool> {
    const SCRIPT: &str = "import sys, warnings
warnings.simplefilter('ignore')
bad = 0
for path in sys.stdin.buffer.read().decode('utf-8', 'surrogateescape').split('\\0'):
    if path:
        try:
            with open(path, 'rb') as f: compile(f.read(), path, 'exec', dont_inherit=True)
        except Exception as e:
            bad += 1
            print('%s: %s' % (path, e), file=sys.stderr)
sys.exit(1 if bad else 0)
";
    let files: Vec<String> = manifest
        .files
        .iter()
        .filter(|(_, entry)| entry.state == State::Instrumented)
        .map(|(path, _)| root.join(path).to_string_lossy().into_owned())
        .collect();
    let mut child = Command::new(python)
        .args(["-I", "-c", SCRIPT])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .with_context(|| format!("{}: cannot be started", python.display()))?;
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(files.join("\0").as_bytes())?;
    drop(stdin);
    Ok(child.wait()?.success())
}

// ----------------------------------------------------------------------------- reading overlays

fn verify(args: &VerifyArgs) -> Result<u8> {
    let overlay = Overlay::open(&args.overlay)?;
    let findings = overlay.verify(args.repo.as_deref());
    for finding in &findings {
        print(&format!("{}: {}\n", finding.path, finding.message))?;
    }
    let mut clean = findings.is_empty();
    if let Some(python) = &args.check_with {
        clean &= compile_with(python, &overlay.root, &overlay.manifest)?;
    }
    let n = overlay.instrumented().count() as u64;
    if clean {
        anstream::eprintln!("{} verified", report::counted(n, "file"));
        Ok(0)
    } else {
        Ok(FINDINGS)
    }
}

fn map(args: &MapArgs) -> Result<u8> {
    let overlay = Overlay::open(&args.overlay)?;
    let (path, line, column) = parse_place(&args.place)?;
    let path = match Path::new(path).strip_prefix(&overlay.root) {
        Ok(inside) => inside.to_string_lossy().into_owned(),
        Err(_) => path.to_string(),
    };
    let file = overlay.file(&path)?;
    let (from, to) = if args.reverse {
        (&file.original, &file.output)
    } else {
        (&file.output, &file.original)
    };
    let from = crate::artifact::LineIndex::new(from);
    let to = crate::artifact::LineIndex::new(to);
    let start = from.offset_chars(line - 1, column.unwrap_or(1) - 1);
    let Some(start) = start.filter(|_| (line as usize) <= from.line_count()) else {
        bail!("{}: there is no such place in the file", args.place);
    };
    // Without a column the first character that is not blank stands for the line.
    let at = match column {
        Some(_) => start,
        None => {
            let text = from.line_text(line - 1).unwrap_or("");
            start + (text.len() - text.trim_start().len()) as u32
        }
    };
    let (found, exact) = if args.reverse {
        (file.to_output(at), true)
    } else if column.is_none() {
        let width = from.line_text(line - 1).map_or(0, str::len) as u32;
        let on_line = (at..start + width).find_map(|at| file.to_original(at));
        (
            on_line.or_else(|| file.nearest_original(at)),
            on_line.is_some(),
        )
    } else {
        (
            file.to_original(at).or_else(|| file.nearest_original(at)),
            file.to_original(at).is_some(),
        )
    };
    let Some(found) = found else {
        bail!("{}: this place has no counterpart", args.place);
    };
    let (line, column) = to.position(found);
    let note = if exact {
        ""
    } else {
        "  (inserted text; the statement that it serves)"
    };
    print(&format!("{path}:{}:{}{note}\n", line + 1, column + 1))?;
    Ok(0)
}

/// `PATH:LINE[:COLUMN]`.
fn parse_place(place: &str) -> Result<(&str, u32, Option<u32>)> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n > 0);
    let wrong =
        || format!("{place}: a place is written PATH:LINE or PATH:LINE:COLUMN, both from 1");
    let (head, last) = place.rsplit_once(':').with_context(wrong)?;
    let last = number(last).with_context(wrong)?;
    match head
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, number(line)?)))
    {
        Some((path, line)) => Ok((path, line, Some(last))),
        None => Ok((head, last, None)),
    }
}

fn traceback(args: &TracebackArgs) -> Result<u8> {
    let overlay = Overlay::open(&args.overlay)?;
    let locator = Locator::new(&overlay, args.repo.clone());
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let style = match args.python {
        Some(python) if python.minor() >= 13 => Style::V313,
        _ => Style::V311,
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // What is not text is passed on as well as can be.
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    print(&rewrite(&text, &locator, style))?;
    Ok(0)
}

fn sites(args: &SitesArgs) -> Result<u8> {
    let overlay = Overlay::open(&args.overlay)?;
    let paths: Vec<String> = if args.paths.is_empty() {
        overlay.instrumented().map(str::to_string).collect()
    } else {
        args.paths.clone()
    };
    let mut text = String::new();
    for path in paths {
        let table = overlay.sites(&path)?;
        if args.json {
            text.push_str(&serde_json::to_string(&table)?);
            text.push('\n');
            continue;
        }
        for site in &table.sites {
            text.push_str(&format!(
                "{path}:{}:{}: {} {} {} {} in {}\n",
                site.line,
                site.column + 1,
                site.id,
                &site.key[..16],
                site.kind,
                site.form,
                site.function.as_deref().unwrap_or("<module>"),
            ));
        }
    }
    print(&text)?;
    Ok(0)
}

fn run(args: RunArgs) -> Result<u8> {
    let overlay = match args.overlay {
        Some(overlay) => overlay,
        None => {
            let overlay = exact::overlay_folder(&args.repo)?;
            // What has to be left alone runs as it is.
            instrument(&Instrument {
                repo: args.repo.clone(),
                output: Some(overlay.clone()),
                selection: args.selection,
                quiet: true,
                ..Instrument::default()
            })?;
            overlay
        }
    };
    if args.exact {
        return exact::run(&overlay, &args.repo, &args.command);
    }
    let environment = exact::environment(&overlay, &args.repo, |name| std::env::var_os(name))?;
    let method = args.method.make()?;
    let by_hand = method.is_none();
    let rounds = args.method.rounds(None, false);
    let options = args.bounds.options()?;
    let healing = Healing::start(options, &args.repo, &overlay, method, rounds)?;
    if by_hand {
        anstream::eprintln!("healc: crashes wait at {}", healing.page());
    }
    let healed = healing.environment().into_iter();
    let healed = healed.map(|(name, value)| (name, OsString::from(value)));
    let code = serve::run::command(&args.command, environment.into_iter().chain(healed))?;
    let (report, wrong) = healing.finish()?;
    if !report.is_empty() {
        anstream::eprint!("healc: crashes\n{report}");
    }
    Ok(if wrong { code.max(FINDINGS) } else { code })
}

fn prove(args: &ProveArgs) -> Result<u8> {
    let temporary;
    let scratch = match &args.keep {
        Some(folder) => {
            if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
                bail!("{}: is not empty; name a new folder", folder.display());
            }
            fs::create_dir_all(folder)?;
            fs::canonicalize(folder)?
        }
        None => {
            temporary = tempfile::Builder::new().prefix("healc-prove-").tempdir()?;
            fs::canonicalize(temporary.path())?
        }
    };
    let steps = match !args.quiet && std::io::stderr().is_terminal() {
        true => ProgressBar::new_spinner(),
        false => ProgressBar::hidden(),
    };
    steps.enable_steady_tick(std::time::Duration::from_millis(120));
    let write_overlay = |repo: &Path, paths: &[PathBuf], out: &Path| {
        let code = instrument(&Instrument {
            repo: repo.to_path_buf(),
            paths: paths.to_vec(),
            output: Some(out.to_path_buf()),
            full: paths.is_empty(),
            selection: args.selection.clone(),
            quiet: true,
            ..Instrument::default()
        })?;
        if code == FAULT {
            bail!(
                "{}: a file cannot be instrumented because of a fault of healc's",
                repo.display()
            );
        }
        Ok(())
    };
    let proof = prove::prove(
        &prove::Options {
            repo: &args.repo,
            command: &args.command,
            python: args.python.as_deref(),
            repeat: args.repeat,
            timeout: args.timeout.map(std::time::Duration::from_secs),
            scratch: &scratch,
            progress: &|step| steps.set_message(step.to_string()),
        },
        &write_overlay,
    )?;
    steps.finish_and_clear();
    for (path, text) in [
        (
            &args.json,
            format!("{}\n", serde_json::to_string_pretty(&proof)?),
        ),
        (&args.html, prove::html(&proof)?),
    ] {
        if let Some(path) = path {
            fs::write(path, text).with_context(|| path.display().to_string())?;
        }
    }
    if !args.quiet {
        print(&report::proof(&proof))?;
    }
    Ok(if proof.holds() { 0 } else { FINDINGS })
}

fn restore(args: &RestoreArgs) -> Result<u8> {
    let restored = emit::restore(&args.repo, args.force)?;
    for path in &restored.conflicts {
        print(&format!(
            "{path}: changed since it was instrumented, left as it is (--force restores it)\n"
        ))?;
    }
    anstream::eprintln!(
        "Restored {}",
        report::counted(restored.restored.len() as u64, "file")
    );
    Ok(if restored.conflicts.is_empty() {
        0
    } else {
        FINDINGS
    })
}

fn install_runtime(args: &RuntimeArgs) -> Result<u8> {
    let Some(python) = &args.install else {
        for (name, text) in crate::runtime::FILES {
            print(&format!("# {}/{name}\n{text}\n", crate::source::RUNTIME))?;
        }
        return Ok(0);
    };
    let output = Command::new(python)
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_paths()['purelib'])",
        ])
        .output()
        .with_context(|| format!("{}: cannot be started", python.display()))?;
    if !output.status.success() {
        bail!(
            "{}: {}",
            python.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let site = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let target = site.join(crate::source::RUNTIME);
    let files: Vec<_> = crate::runtime::FILES
        .iter()
        .chain(exact::FILES)
        .copied()
        .collect();
    emit::install(&target, &files)?;
    emit::install_file(&site.join(exact::PTH_NAME), exact::PTH)?;
    anstream::eprintln!("Installed {}", target.display());
    Ok(0)
}

fn judge(args: &GateArgs) -> Result<u8> {
    let mut files = Vec::new();
    for path in &args.policy {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        files.push((path.clone(), text));
    }
    let policy = Policy::load(Policy::builtin(), &files, args.allow_widening)?;
    let (name, code) = if args.file.as_os_str() == "-" {
        let mut code = Vec::new();
        std::io::stdin().lock().read_to_end(&mut code)?;
        ("<stdin>".to_string(), code)
    } else {
        let name = args.file.display().to_string();
        let code = fs::read(&args.file).with_context(|| name.clone())?;
        (name, code)
    };
    let options = gate::Options {
        target_python: args.target_python,
        kind: if args.probe {
            Kind::Probe
        } else {
            Kind::Submit
        },
        frame: None,
    };
    let verdict = gate::check(&code, &policy, &options);
    if args.json {
        print(&gate::to_json(&verdict, &options))?;
    } else {
        let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = String::from_utf8_lossy(&code);
        print(&gate::to_text(&verdict, &name, &text, color))?;
    }
    Ok(if verdict.is_accepted() { 0 } else { FINDINGS })
}

fn golden(args: &GoldenArgs) -> Result<u8> {
    let outcome = crate::golden::run(&args.dir, args.only.as_deref(), args.update)?;
    print(&outcome.text)?;
    Ok(if outcome.failed == 0 { 0 } else { FINDINGS })
}
