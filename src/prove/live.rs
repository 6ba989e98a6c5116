//! Whether the instrumentation was live: which sites a run reaches, and whether a failure that is
//! forced at one of them is seen by its handler and by the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use super::scratch::Scratch;
use crate::artifact::{LineIndex, SiteRecord};
use crate::overlay::Overlay;

pub const FAILURE: &str = "healc prove: forced failure";

/// Sites of the instrumented files, and how many of them a run reached.
#[derive(Debug, Clone, Serialize)]
pub struct Reach {
    pub sites: usize,
    pub reached: usize,
}

/// A site at which a failure can be forced.
pub struct Candidate {
    /// The file in the tree.
    pub file: PathBuf,
    /// Line of the output, from 1, that holds the wrapped statement.
    line: usize,
    pub key: String,
    /// `path:line` of the original.
    pub place: String,
}

/// A top-level package or module of one overlay.
struct Package {
    name: String,
    sites: usize,
    reached: usize,
    candidates: Vec<Candidate>,
}

impl Package {
    fn of(name: &str) -> Package {
        Package {
            name: name.to_string(),
            sites: 0,
            reached: 0,
            candidates: Vec::new(),
        }
    }
}

/// Reads what `_reach.py` wrote: the lines of each file that ran, in any process.
fn lines_that_ran(folder: &Path) -> Result<BTreeMap<PathBuf, BTreeSet<usize>>> {
    let mut ran: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let text = fs::read(entry?.path())?;
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some((path, numbers)) = line.split_once('\t') {
                ran.entry(path.into())
                    .or_default()
                    .extend(numbers.split(' ').filter_map(|n| n.parse::<usize>().ok()));
            }
        }
    }
    Ok(ran)
}

/// What a run reached, and sites that suit for a forced failure, the best first.
pub fn reach(scratch: &Scratch, folder: &Path) -> Result<(Reach, Vec<Candidate>)> {
    let ran = lines_that_ran(folder)?;
    let nothing = BTreeSet::new();
    let mut packages: Vec<Package> = Vec::new();
    for overlay in scratch.overlays()? {
        let first = packages.len();
        for path in overlay.instrumented() {
            let name = scratch.package_of(&overlay, path);
            let at = packages[first..].iter().position(|one| one.name == name);
            let at = at.map_or(packages.len(), |at| first + at);
            if at == packages.len() {
                packages.push(Package::of(name));
            }
            let package = &mut packages[at];
            let file = scratch.place_of(&overlay, path);
            let lines = ran.get(&file).unwrap_or(&nothing);
            for (site, line) in sites(&overlay, path, lines)? {
                package.sites += 1;
                let Some(line) = line else { continue };
                package.reached += 1;
                // Where nothing around it catches what is raised, and there is a function to fail.
                if site.tries.is_empty() && site.function.is_some() && site.form != "class" {
                    package.candidates.push(Candidate {
                        file: file.clone(),
                        line,
                        key: site.key,
                        place: format!("{path}:{}", site.line),
                    });
                }
            }
        }
    }
    // Of a package that is there twice, in the repository and installed, the tests use one.
    let used: BTreeSet<String> = packages
        .iter()
        .filter(|package| package.reached > 0)
        .map(|package| package.name.clone())
        .collect();
    packages.retain(|package| package.reached > 0 || !used.contains(&package.name));
    let reach = Reach {
        sites: packages.iter().map(|package| package.sites).sum(),
        reached: packages.iter().map(|package| package.reached).sum(),
    };
    let candidates: Vec<Candidate> = packages
        .into_iter()
        .flat_map(|package| package.candidates)
        .collect();
    // A few of them, from all over the code.
    let step = (candidates.len() / 5).max(1);
    let chosen = candidates.into_iter().step_by(step).take(5).collect();
    Ok((reach, chosen))
}

/// The sites of a file, each with the output line of its statement if one of its lines ran.
fn sites(
    overlay: &Overlay,
    path: &str,
    ran: &BTreeSet<usize>,
) -> Result<Vec<(SiteRecord, Option<usize>)>> {
    let table = overlay.sites(path)?;
    let file = overlay.file(path)?;
    let (from, to) = (LineIndex::new(&file.original), LineIndex::new(&file.output));
    let line_of = |line: u32, column: u32| {
        let at = from.offset_chars(line - 1, column)?;
        let out = file.to_output(at)?;
        Some(to.position(out).0 as usize + 1)
    };
    Ok(table
        .sites
        .into_iter()
        .map(|site| {
            let first = line_of(site.line, site.column);
            let last = line_of(site.end_line, site.end_column.saturating_sub(1));
            let hit = first.filter(|first| {
                let last = last.unwrap_or(*first).max(*first);
                ran.range(*first..=last).next().is_some()
            });
            (site, hit)
        })
        .collect())
}

/// Makes the statement of a site fail, in the tree. False: not in this file.
pub fn force(candidate: &Candidate) -> Result<bool> {
    let bytes = fs::read(&candidate.file)?;
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let Some(line) = lines.get(candidate.line - 1) else {
        return Ok(false);
    };
    let blanks = line
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let mut failing = line[..blanks].to_vec();
    failing.extend(format!("raise RuntimeError({FAILURE:?})\n").bytes());
    lines.insert(candidate.line - 1, &failing);
    fs::write(&candidate.file, lines.concat())?;
    Ok(true)
}
