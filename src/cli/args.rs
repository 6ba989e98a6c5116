//! What the command line says.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::config::{Returns, Runtime, TargetPython};
use crate::heal::command::{HealArgs, MethodArgs, ReplayArgs};
use crate::serve::command::{Bounds, McpArgs, ServeArgs};

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
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Verb,
}

#[derive(Subcommand)]
pub(super) enum Verb {
    /// Instrument a repository into an overlay folder
    Instrument(Box<Instrument>),
    /// See what would be instrumented, prove it, and write nothing
    Check(Box<CheckArgs>),
    /// Check an overlay's fingerprints, source maps and sites
    Verify(VerifyArgs),
    /// Lead a place in an overlay to the original, or back
    Map(MapArgs),
    /// Rewrite tracebacks on standard input to original coordinates
    Traceback(TracebackArgs),
    /// List the sites of an overlay
    Sites(SitesArgs),
    /// Run a command whose Python code is instrumented, and heal it
    Run(Box<RunArgs>),
    /// Join paused executions and the agents that heal them
    Serve(Box<ServeArgs>),
    /// Answer the crashes of `healc serve`
    Heal(Box<HealArgs>),
    /// Answer crashes as a record says that they were answered
    Replay(ReplayArgs),
    /// Serve the Model Context Protocol on standard input and output, for `healc serve`
    Mcp(McpArgs),
    /// Run a test command plain and instrumented, and compare test by test
    Prove(Box<ProveArgs>),
    /// Undo `healc instrument --in-place`
    Restore(RestoreArgs),
    /// Print or install the Python runtime that instrumented code imports
    Runtime(RuntimeArgs),
    /// Judge healing code: is it HealCore, the subset that may run?
    Gate(GateArgs),
    /// Run golden cases: folders with in.py, out.py and map.txt
    Golden(GoldenArgs),
    /// Print the JSON schema of healc.toml and [tool.healc]
    Schema,
    /// Print completions for a shell
    Completions { shell: Shell },
}

#[derive(Args, Default)]
pub(super) struct Instrument {
    /// The repository, or one Python file
    pub(super) repo: PathBuf,
    /// Only these files and folders of it. A file that is named always counts
    pub(super) paths: Vec<PathBuf>,
    /// The overlay folder; made, or brought up to date
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["in_place", "diff"])]
    pub(super) output: Option<PathBuf>,
    /// Rewrite the repository's own files; `healc restore` undoes it
    #[arg(long, conflicts_with_all = ["output", "diff", "check", "full"])]
    pub(super) in_place: bool,
    /// Print unified diffs and write nothing
    #[arg(long)]
    pub(super) diff: bool,
    /// Write nothing; exit with 1 if the overlay is not up to date
    #[arg(long, conflicts_with = "diff")]
    pub(super) check: bool,
    /// Put the rest of the repository into the overlay too, so that it runs alone
    #[arg(long)]
    pub(super) full: bool,
    /// How the rest of the repository gets there
    #[arg(long, value_enum, default_value_t = How::Copy, requires = "full")]
    pub(super) full_by: How,
    /// Exit with 1 if a file had to be left alone
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Compile every instrumented file with this Python, too
    #[arg(long, value_name = "PYTHON")]
    pub(super) check_with: Option<PathBuf>,
    /// Let the second parser read every byte, where it otherwise judges each shape of a statement
    /// once (about ten times slower)
    #[arg(long)]
    pub(super) thorough: bool,
    /// Threads; as many as there are cores by default
    #[arg(short, long, default_value_t = 0, hide_default_value = true)]
    pub(super) jobs: usize,
    /// Say nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// How diagnostics are written: for people on standard error, else on standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text)]
    pub(super) output_format: OutputFormat,
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
    pub(super) show_files: Option<Which>,
    /// Show the resolved settings; write nothing
    #[arg(long)]
    pub(super) show_settings: bool,
}

/// Compiles and proves every file without writing anything, and says which have to be left alone.
///
/// For hooks and continuous integration: exits with 1 if a file cannot be instrumented.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// The repository, or one Python file
    #[arg(default_value = ".")]
    pub(super) repo: PathBuf,
    /// Only these files and folders of it. A file that is named always counts
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Let the second parser read every byte (about ten times slower)
    #[arg(long)]
    pub(super) thorough: bool,
    /// Threads; as many as there are cores by default
    #[arg(short, long, default_value_t = 0, hide_default_value = true)]
    pub(super) jobs: usize,
    /// Say nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// How diagnostics are written: for people on standard error, else on standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text)]
    pub(super) output_format: OutputFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum OutputFormat {
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
pub(super) enum Which {
    ByRule,
    All,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(super) enum How {
    #[default]
    Copy,
    Hardlink,
    Symlink,
}

/// What is instrumented, and how. Flags win over `healc.toml` and `[tool.healc]`.
#[derive(Args, Clone, Default)]
pub(super) struct Selection {
    /// Bring back paths that the rules leave out (glob; repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(super) include: Vec<String>,
    /// Leave these paths alone (glob; repeatable; replaces the configured list)
    #[arg(long, value_name = "GLOB")]
    pub(super) exclude: Vec<String>,
    /// Leave these paths alone, too (glob; repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(super) extend_exclude: Vec<String>,
    /// Do not respect .gitignore files
    #[arg(long)]
    pub(super) no_ignore: bool,
    /// The oldest Python that runs the code: 3.6 to 3.14
    #[arg(long, value_name = "VERSION")]
    pub(super) target_python: Option<TargetPython>,
    /// How `return` is rewritten
    #[arg(long, value_name = "FORM", value_parser = parse_returns)]
    pub(super) returns: Option<Returns>,
    /// Whether the overlay carries the runtime: `embed` (default) or `none`
    #[arg(long, value_name = "HOW", value_parser = parse_runtime)]
    pub(super) runtime: Option<Runtime>,
    /// A rule file that adds to, overrides or replaces the built-in rules (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(super) rules: Vec<PathBuf>,
    /// Use this configuration file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub(super) config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long)]
    pub(super) isolated: bool,
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
pub(super) struct VerifyArgs {
    pub(super) overlay: PathBuf,
    /// The repository that it was made from, to see whether it changed since
    pub(super) repo: Option<PathBuf>,
    /// Compile every instrumented file with this Python, too
    #[arg(long, value_name = "PYTHON")]
    pub(super) check_with: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct MapArgs {
    pub(super) overlay: PathBuf,
    /// PATH:LINE[:COLUMN], line and column from 1, the path inside the overlay
    pub(super) place: String,
    /// The place is one of the original; lead it to the overlay
    #[arg(long)]
    pub(super) reverse: bool,
}

#[derive(Args)]
pub(super) struct TracebackArgs {
    pub(super) overlay: PathBuf,
    /// Print file names below this folder instead of the overlay's
    #[arg(long, value_name = "DIR")]
    pub(super) repo: Option<PathBuf>,
    /// The Python that wrote the text: carets are placed as it would place them
    #[arg(long, value_name = "VERSION")]
    pub(super) python: Option<TargetPython>,
}

#[derive(Args)]
pub(super) struct SitesArgs {
    pub(super) overlay: PathBuf,
    /// Only these files, as paths inside the overlay
    pub(super) paths: Vec<String>,
    #[arg(long)]
    pub(super) json: bool,
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
pub(super) struct RunArgs {
    /// Only run, exactly as the original does: no healing side
    #[arg(long, conflicts_with_all = ["method", "record"])]
    pub(super) exact: bool,
    /// The repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) repo: PathBuf,
    /// Use this overlay as it is. Default: one in the cache folder (EH_CACHE, else the user's
    /// own), brought up to date first
    #[arg(long, value_name = "DIR")]
    pub(super) overlay: Option<PathBuf>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) method: MethodArgs,
    #[command(flatten)]
    pub(super) bounds: Bounds,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
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
pub(super) struct ProveArgs {
    /// The repository
    #[arg(default_value = ".")]
    pub(super) repo: PathBuf,
    /// The Python that the command runs, if the command does not show it
    #[arg(long)]
    pub(super) python: Option<PathBuf>,
    /// How often both runs are repeated if a test differs
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) repeat: usize,
    /// The time that one run may take
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<u64>,
    /// Write the proof as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the proof as a page, too
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Work in this new folder, and leave it behind
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    /// The test command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

#[derive(Args)]
pub(super) struct RestoreArgs {
    pub(super) repo: PathBuf,
    /// Restore files that were changed since, too
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Args)]
pub(super) struct RuntimeArgs {
    /// Install into this interpreter's site-packages
    #[arg(long, value_name = "PYTHON")]
    pub(super) install: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct GateArgs {
    /// A file of healing code, or `-` for standard input
    pub(super) file: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Judge code that only looks, and may bind nothing that lasts
    #[arg(long)]
    pub(super) probe: bool,
    /// The Python that would run the code: 3.6 to 3.14
    #[arg(long, value_name = "VERSION")]
    pub(super) target_python: Option<TargetPython>,
    /// A policy file that narrows the built-in one (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Vec<PathBuf>,
    /// Let policy files allow more than the built-in policy does
    #[arg(long)]
    pub(super) allow_widening: bool,
}

#[derive(Args)]
pub(super) struct GoldenArgs {
    pub(super) dir: PathBuf,
    /// Write what is produced as what is expected
    #[arg(long)]
    pub(super) update: bool,
    /// Only cases whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(super) only: Option<String>,
}
