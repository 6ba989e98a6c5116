//! One file: bytes in, proven bytes out. No disk, no clock, no other file.
//!
//! ```text
//! decode, parse      plan            render     prove      describe
//! source          -> pass/*       -> splice  -> verify  -> artifact
//! ```

use crate::artifact::{
    DeclinedRecord, Diagnostic, FileEntry, LineIndex, State, companions_xxh3, sha256_hex,
    site_table, source_map,
};
use crate::config::{Returns, TargetPython};
use crate::pass;
use crate::plan::Plan;
use crate::rules::Rules;
use crate::source::{Skip, SourceFile, SwitchKind};
use crate::splice::{Spliced, splice};
use crate::verify::{Failure, Proof, verify};

/// What a file is compiled with, besides the rules.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub returns: Returns,
    pub target: Option<TargetPython>,
    /// How much is proven of each file before it is handed out.
    pub proof: Proof,
}

/// The result for one file.
pub struct Compiled {
    pub entry: FileEntry,
    /// Present if the file was instrumented.
    pub output: Option<Output>,
    /// The original text, if there are diagnostics to show in it.
    pub source: Option<String>,
}

/// What the overlay gets for an instrumented file.
pub struct Output {
    pub bytes: Vec<u8>,
    pub map: Vec<u8>,
    pub sites: String,
}

/// Compiles one file. Never fails: what went wrong is in the entry.
pub fn compile(path: &str, bytes: Vec<u8>, options: Options, rules: &Rules) -> Compiled {
    let source_sha256 = sha256_hex(&bytes);
    let mut entry = FileEntry {
        state: State::Unchanged,
        source_sha256: Some(source_sha256.clone()),
        output_sha256: None,
        companions_xxh3: None,
        encoding: None,
        target: None,
        sites: 0,
        declined: Vec::new(),
        diagnostics: Vec::new(),
    };
    let file = match SourceFile::parse(bytes, options.target) {
        Ok(file) => file,
        Err(skip) => {
            entry.state = State::Skipped;
            entry.diagnostics.push(diagnostic(&skip));
            return Compiled {
                entry,
                output: None,
                source: None,
            };
        }
    };
    let mut plan = Plan::default();
    pass::handlers::run(&file, rules, options.returns, &mut plan);
    let index = LineIndex::new(file.text());
    describe(&file, &plan, &index, &mut entry);
    if plan.sites.is_empty() {
        return finished(entry, None, &file);
    }
    let spliced = splice(&file, &plan);
    if let Err(failure) = verify(&file, &plan, &spliced, options.proof) {
        return failed(entry, &failure, file);
    }
    let map = source_map(
        path,
        &index,
        &LineIndex::new(&spliced.text),
        &spliced.segments,
    );
    let bytes = encode(&file, spliced);
    let output_sha256 = sha256_hex(&bytes);
    let sites = site_table(path, &file, &plan, &index, &source_sha256, &output_sha256);
    entry.state = State::Instrumented;
    entry.output_sha256 = Some(output_sha256);
    entry.companions_xxh3 = Some(companions_xxh3(&map, sites.as_bytes()));
    entry.sites = plan.sites.len() as u64;
    finished(entry, Some(Output { bytes, map, sites }), &file)
}

fn finished(entry: FileEntry, output: Option<Output>, file: &SourceFile) -> Compiled {
    let source = (!entry.diagnostics.is_empty()).then(|| file.text().to_string());
    Compiled {
        entry,
        output,
        source,
    }
}

fn failed(mut entry: FileEntry, failure: &Failure, file: SourceFile) -> Compiled {
    entry.state = State::Failed;
    entry.diagnostics.push(Diagnostic {
        code: "internal".into(),
        line: 1,
        column: 1,
        message: format!(
            "a fault of healc's, not of this file; it is left as it is. Please report it with the file: {failure}"
        ),
    });
    finished(entry, None, &file)
}

fn diagnostic(skip: &Skip) -> Diagnostic {
    let (line, column, message) = skip.describe();
    Diagnostic {
        code: skip.code().into(),
        line,
        column,
        message,
    }
}

/// Fills in what the manifest says of a parsed file.
fn describe(file: &SourceFile, plan: &Plan, index: &LineIndex, entry: &mut FileEntry) {
    entry.encoding = Some(file.decoded.encoding().to_string());
    entry.target = Some(file.target.to_string());
    entry.declined = plan
        .declined
        .iter()
        .map(|declined| {
            let (line, column) = index.position(declined.range.start);
            let (end_line, end_column) = index.position(declined.range.end);
            DeclinedRecord {
                line: line + 1,
                column,
                end_line: end_line + 1,
                end_column,
                reason: declined.reason.code(),
                by_choice: declined.reason.is_choice(),
                statements: declined.statements,
            }
        })
        .collect();
    for at in &plan.unused_switches {
        let unknown = file
            .switches
            .iter()
            .any(|switch| switch.at == *at && switch.kind == SwitchKind::Unknown);
        let (line, column) = index.position(*at);
        let (code, message) = if unknown {
            (
                "unknown-switch",
                "unknown switch; there are `healc: skip-file`, `off`, `on` and `skip`",
            )
        } else {
            (
                "unused-switch",
                "this switch has no effect; remove it, or put `skip` on the line of a statement",
            )
        };
        entry.diagnostics.push(Diagnostic {
            code: code.into(),
            line: line + 1,
            column: column + 1,
            message: message.into(),
        });
    }
}

/// The output in the file's own encoding: original bytes where text was copied.
fn encode(file: &SourceFile, spliced: Spliced) -> Vec<u8> {
    let decoded = &file.decoded;
    let original = decoded.original();
    if original == decoded.text().as_bytes() {
        // UTF-8 without a mark, as nearly all files are.
        return spliced.text.into_bytes();
    }
    let text = spliced.text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len() + 3);
    // A byte order mark is not part of the text.
    bytes.extend_from_slice(&original[..decoded.byte_offset(0)]);
    let mut out = 0usize;
    for segment in &spliced.segments {
        bytes.extend_from_slice(&text[out..segment.out as usize]);
        out = (segment.out + segment.out_len) as usize;
        if segment.is_copy() {
            let from = decoded.byte_offset(segment.src as usize);
            let to = decoded.byte_offset((segment.src + segment.len) as usize);
            bytes.extend_from_slice(&original[from..to]);
        } else {
            bytes.extend_from_slice(&text[segment.out as usize..out]);
        }
    }
    bytes.extend_from_slice(&text[out..]);
    bytes
}
