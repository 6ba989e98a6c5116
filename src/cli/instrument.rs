//! `healc instrument`, in all its ways of writing.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::artifact::{MANIFEST, Manifest, State, map_path, sites_path};
use crate::compile::Output;
use crate::config::{Overrides, Runtime, Settings};
use crate::discover::{Discovery, OutputPlace, RepoPath, discover, output_place};
use crate::emit::{self, EmitError, Stage};
use crate::overlay::Overlay;
use crate::repo::{Job, Report, mode_of, runtime_files};
use crate::report;
use crate::report::machine::{Format, document};
use crate::rules::Rules;
use crate::verify::Proof;

use super::args::{CheckArgs, How, Instrument, OutputFormat, Which};
use super::{FAULT, FINDINGS, print};

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

pub(super) fn instrument(args: &Instrument) -> Result<u8> {
    let started = Instant::now();
    let input = load(args)?;
    warn(args, &input);
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

/// Everything but writing.
pub(super) fn dry_run(args: CheckArgs) -> Result<u8> {
    let started = Instant::now();
    let args = Instrument {
        repo: args.repo,
        paths: args.paths,
        selection: args.selection,
        strict: true,
        thorough: args.thorough,
        jobs: args.jobs,
        quiet: args.quiet,
        output_format: args.output_format,
        ..Instrument::default()
    };
    let input = load(&args)?;
    warn(&args, &input);
    let bar = progress(&args, &input);
    let sink = |_: &RepoPath, _: Option<&Output>, _: bool| -> Result<(), EmitError> {
        bar.inc(1);
        Ok(())
    };
    let (manifest, reports) = input.job(&args, None).run(None, &sink)?;
    bar.finish_and_clear();
    show_reports(&args, &input, &manifest, &reports)?;
    if !args.quiet {
        let summary = report::summary(&manifest, 0, started.elapsed(), "Would instrument");
        anstream::eprint!("{summary}");
    }
    Ok(exit_code(&args, &manifest))
}

/// What configuration and walk had to say.
fn warn(args: &Instrument, input: &Input) {
    if args.quiet {
        return;
    }
    for warning in &input.settings.warnings {
        anstream::eprintln!("warning: {warning}");
    }
    for problem in &input.discovery.problems {
        anstream::eprintln!("warning: {}: {}", problem.path, problem.message);
    }
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
pub(super) fn compile_with(python: &Path, root: &Path, manifest: &Manifest) -> Result<bool> {
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
