//! What compiling costs, against reading, hashing and parsing alone, on the same files in one run.
//!
//! ```text
//! cargo bench --bench pipeline -- FOLDER...
//! ```
//!

use std::hint::black_box;
use std::path::{Path, PathBuf};

use healc::compile::{Options, compile};
use healc::config::Returns;
use healc::rules::Rules;
use healc::verify::Proof;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use sha2::{Digest, Sha256};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 5;
const STACK_BYTES: usize = 256 << 20;

fn main() {
    let folders: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .map(PathBuf::from)
        .collect();
    if folders.is_empty() {
        println!("name the folders whose .py files are to be compiled");
        return;
    }
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let done = worker.spawn(move || run(&folders)).expect("a thread");
    done.join().expect("no panic");
}

fn run(folders: &[PathBuf]) {
    let files = python_files(folders);
    let lines: usize = files
        .iter()
        .map(|path| memchr::memchr_iter(b'\n', &std::fs::read(path).expect("readable")).count())
        .sum();
    let bytes: u64 = files
        .iter()
        .map(|path| path.metadata().map_or(0, |m| m.len()))
        .sum();
    println!(
        "{} files, {lines} lines, {:.1} MB",
        files.len(),
        bytes as f64 / 1e6
    );
    let rules = Rules::builtin();
    let options = |proof| Options {
        returns: Returns::Auto,
        target: None,
        proof,
    };
    // Each round on a thread of its own: the verifier remembers by thread what it has judged.
    let whole = |proof| {
        let all = || {
            for path in &files {
                let bytes = std::fs::read(path).expect("readable");
                black_box(compile("file.py", bytes, options(proof), &rules));
            }
        };
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, all)
                .expect("a thread");
        });
    };
    let steps: [(&str, &dyn Fn()); 4] = [
        ("read, sha256, parse", &|| parse_all(&files)),
        ("whole pipeline, unverified", &|| whole(Proof::None)),
        ("whole pipeline, verified", &|| whole(Proof::Usual)),
        ("whole pipeline, thorough", &|| whole(Proof::Thorough)),
    ];
    if let Some(only) =
        std::env::args().find_map(|arg| arg.strip_prefix("--only=").map(str::to_owned))
    {
        let step: usize = only.parse().expect("a number");
        for _ in 0..ROUNDS {
            (steps[step].1)();
        }
        return;
    }
    let mut times = vec![Vec::new(); steps.len()];
    for _ in 0..ROUNDS {
        for (step, times) in steps.iter().zip(&mut times) {
            let start = cpu_seconds();
            (step.1)();
            times.push(cpu_seconds() - start);
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect();
    for ((name, _), median) in steps.iter().zip(&medians) {
        println!(
            "{name:28} {median:7.2} s  {:6.2} s per million lines  {:.2}x",
            median / lines as f64 * 1e6,
            median / medians[0]
        );
    }
    let verify = medians[2] - medians[1];
    println!(
        "verification alone           {verify:7.2} s  {:24}{:.2}x",
        "",
        verify / medians[0]
    );
}

fn parse_all(files: &[PathBuf]) {
    for path in files {
        let bytes = std::fs::read(path).expect("readable");
        black_box(Sha256::digest(&bytes));
        if let Ok(text) = std::str::from_utf8(&bytes) {
            black_box(parse_unchecked(text, ParseOptions::from(Mode::Module)));
        }
    }
}

fn python_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let is_python = |path: &Path| path.extension().is_some_and(|ext| ext == "py");
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| {
            walkdir::WalkDir::new(folder)
                .into_iter()
                .filter_map(Result::ok)
        })
        .filter(|entry| entry.file_type().is_file() && is_python(entry.path()))
        .map(walkdir::DirEntry::into_path)
        .collect();
    files.sort();
    files
}

fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
