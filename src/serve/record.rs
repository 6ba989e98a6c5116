//! The record: one JSON document a line, only ever appended.
//!
//! Every line has `record` (the version of the format), `at` (milliseconds since 1970), `n` (from 1,
//! without gaps, for each run of a server) and `event`:
//!
//! | event | members |
//! |---|---|
//! | `start` | `healc`, `policy` (fingerprint of the gate's), `gate` |
//! | `session` | `session`, `repository`, `overlay` |
//! | `crash` | `session`, `crash`, `order`, `context` |
//! | `action` | `session`, `crash`, `seq` (null if the gate rejected it), `id`, `action`, `submit`, `code`, `kind`, `reason`, `tokens`, `agent`, `findings` if rejected |
//! | `result` | `session`, `crash`, `seq`, `id`, and what the execution side said |
//! | `end` | `session`, `crash`, `outcome`, `reason` |
//! | `stop` | |

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

pub const VERSION: u64 = 1;
pub const FILE: &str = "record.jsonl";

/// Where the record goes; without a file it goes nowhere.
pub struct Record {
    file: Option<File>,
    n: u64,
}

impl Record {
    pub fn none() -> Record {
        Record { file: None, n: 0 }
    }

    /// Appends to `folder`'s record, which only its owner may read: locals of programs are in it.
    pub fn open(folder: &Path) -> Result<Record> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        options.append(true).read(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options
            .open(&path)
            .with_context(|| path.display().to_string())?;
        // A run that was killed may have left half a line; it must not swallow the next one.
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(Record {
            file: Some(file),
            n: 0,
        })
    }

    /// Appends one event, in one write.
    pub fn write(&mut self, event: &str, members: Value) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        // Ours come last: some members are what a program said.
        let mut line = members;
        line["record"] = json!(VERSION);
        line["n"] = json!(self.n + 1);
        line["at"] = json!(now());
        line["event"] = json!(event);
        let mut bytes = serde_json::to_vec(&line)?;
        bytes.push(b'\n');
        file.write_all(&bytes)?;
        self.n += 1;
        Ok(())
    }
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// Reads a record, given as its file or folder. Half a line, as a killed server leaves it, is passed
/// over; anything else that is no record is an error with its line.
pub fn read(path: &Path) -> Result<Vec<Value>> {
    let file: PathBuf = if path.is_dir() {
        path.join(FILE)
    } else {
        path.to_path_buf()
    };
    let mut reader = BufReader::new(File::open(&file).with_context(|| file.display().to_string())?);
    let mut events = Vec::new();
    let mut cut: Option<usize> = None;
    let mut bytes = Vec::new();
    let mut number = 0;
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        number += 1;
        let line = match serde_json::from_slice::<Value>(&bytes) {
            Ok(line) => line,
            Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => continue,
            // Cut by a kill: the next line must begin another run, or not be there.
            Err(_) if cut.is_none() => {
                cut = Some(number);
                continue;
            }
            Err(error) => bail!(
                "{}:{number}: not a line of a record: {error}",
                file.display()
            ),
        };
        match line["record"].as_u64() {
            Some(VERSION) => {}
            Some(other) => bail!(
                "{}:{number}: written in version {other} of the record, this healc reads version {VERSION}",
                file.display()
            ),
            None => bail!("{}:{number}: not a line of a record", file.display()),
        }
        if let Some(at) = cut.take()
            && line["event"] != "start"
        {
            bail!("{}:{at}: not a line of a record", file.display());
        }
        events.push(line);
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_ends_a_run_and_swallows_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = Record::open(dir.path()).unwrap();
        record.write("start", json!({})).unwrap();
        record.write("crash", json!({"crash": "c-1"})).unwrap();
        drop(record);
        let path = dir.path().join(FILE);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
        let mut record = Record::open(dir.path()).unwrap();
        record.write("start", json!({})).unwrap();
        drop(record);
        let events = read(dir.path()).unwrap();
        assert_eq!(events.len(), 2);
        assert!(events.iter().all(|event| event["event"] == "start"));
        fs::write(&path, "{\"record\": 9}\n").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(
            error.contains("record.jsonl:1: written in version 9"),
            "{error}"
        );
        fs::write(&path, "x\ny\n").unwrap();
        assert!(read(&path).is_err());
    }
}
