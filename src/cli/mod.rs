//! The command line: arguments in, exit code out. Decides nothing about code.

mod args;
mod instrument;

use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::{CommandFactory, Parser};
use indicatif::ProgressBar;

use crate::emit;
use crate::exact;
use crate::gate::{self, Kind, Policy};
use crate::heal;
use crate::overlay::{Locator, Overlay};
use crate::prove;
use crate::report;
use crate::serve::command::HEAL_POLICY;
use crate::serve::{self, run::Healing};
use crate::traceback::{Style, rewrite};

use args::*;
use instrument::{compile_with, dry_run, instrument};

/// Findings, or something would change.
const FINDINGS: u8 = 1;
/// Usage, configuration or I/O.
const TROUBLE: u8 = 2;
/// A fault of healc's.
const FAULT: u8 = 3;

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Verb::Instrument(args) => instrument(&args),
        Verb::Check(args) => dry_run(*args),
        Verb::Verify(args) => verify(&args),
        Verb::Map(args) => map(&args),
        Verb::Traceback(args) => traceback(&args),
        Verb::Sites(args) => sites(&args),
        Verb::Run(args) => run(*args),
        Verb::Serve(args) => serve::command::serve(&args),
        Verb::Heal(args) => heal::command::heal(&args),
        Verb::Replay(args) => heal::command::replay(&args),
        Verb::Mcp(args) => serve::command::mcp(&args),
        Verb::Prove(args) => prove(&args),
        Verb::Restore(args) => restore(&args),
        Verb::Runtime(args) => install_runtime(&args),
        Verb::Gate(args) => judge(&args),
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
    let rules = args.bounds.heal_rules()?;
    let rules = rules.iter().map(|file| (HEAL_POLICY, file.path().into()));
    let environment = environment.into_iter().chain(healed).chain(rules);
    let code = serve::run::command(&args.command, environment)?;
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
        for (name, text) in crate::runtime::files() {
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
    let files: Vec<_> = crate::runtime::files()
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
