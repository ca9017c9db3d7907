//! One row of the results, and files of them.

use prequel_formats::diag::{Diagnostic, Read};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What became of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// The expected answer.
    Correct,
    /// The other one.
    Wrong,
    /// No answer, by itself.
    Unknown,
    /// Time was up.
    Timeout,
    /// Memory was.
    OutOfMemory,
    /// It failed.
    Error,
    /// An answer that nothing is known about.
    Unverified,
}

impl Category {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Category::Correct => "correct",
            Category::Wrong => "wrong",
            Category::Unknown => "unknown",
            Category::Timeout => "timeout",
            Category::OutOfMemory => "out of memory",
            Category::Error => "error",
            Category::Unverified => "unverified",
        }
    }
}

/// One run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The suite.
    pub suite: String,
    /// The model's name in it.
    pub model: String,
    /// What was asked.
    pub query: String,
    /// Who was asked.
    pub engine: String,
    /// Which run of the same, counted from 1.
    pub repetition: u32,
    /// What became of it.
    pub category: Category,
    /// `true`, `false` or `unknown`.
    pub verdict: String,
    /// The answer that is known; empty if none is.
    pub expected: String,
    /// How it is known.
    pub source: String,
    /// Seconds of wall time, all phases.
    pub seconds: f64,
    /// Seconds of CPU time.
    pub cpu: f64,
    /// Seconds of each phase.
    pub phases: String,
    /// Peak resident bytes of the largest process.
    pub largest_process: u64,
    /// Peak resident bytes of all processes together.
    pub memory: u64,
    /// States explored, all checks together.
    pub states: Option<u64>,
    /// States of the largest check.
    pub states_peak: Option<u64>,
    /// Checks.
    pub checks: Option<u64>,
    /// Whether the tool says that its evidence was checked.
    pub checked: Option<bool>,
    /// Why there is no answer.
    pub reason: String,
    /// The command lines.
    pub command: String,
    /// Where what it printed is kept, below the results.
    pub output: String,
    /// The program, with its version.
    pub tool: String,
    /// Limit of wall time, in seconds.
    pub limit_seconds: f64,
    /// Limit of CPU time, in seconds.
    pub limit_cpu: f64,
    /// Limit of memory, in bytes.
    pub limit_memory: u64,
    /// What memory was limited by.
    pub isolation: String,
    /// The cores that it could run on.
    pub cores: String,
    /// Position in the random order.
    pub position: u64,
    /// Seed of that order.
    pub seed: u64,
    /// When it started, in seconds since 1970.
    pub date: u64,
    /// The night that it belongs to: all runs of one command have the same.
    pub night: String,
    /// The commit of the folder of the suite, if it is under version control.
    pub commit: String,
    /// Whether files were changed since.
    pub dirty: bool,
    /// The machine's name.
    pub host: String,
    /// Its processor.
    pub processor: String,
    /// How many cores it has.
    pub host_cores: usize,
    /// How much memory, in bytes.
    pub host_memory: u64,
    /// Its system.
    pub kernel: String,
    /// What this program was compiled with.
    pub compiler: String,
}

/// How the first line of a file of results begins.
const COLUMNS: &str = "suite,model,query,engine,repetition,category,verdict,expected,source,seconds,cpu,phases,largest_process,memory,\
    states,states_peak,checks,checked,reason,command,output,tool,limit_seconds,limit_cpu,limit_memory,isolation,cores,position,seed,\
    date,night,commit,dirty,host,processor,host_cores,host_memory,kernel,compiler";

/// What makes a run the same in two sets of results.
pub type Key = (String, String, String);

impl Record {
    /// Model, query and engine.
    pub fn key(&self) -> Key {
        (self.model.clone(), self.query.clone(), self.engine.clone())
    }
}

/// A file that runs are added to, each as soon as it is done. It appears with the first of them.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: Option<File>,
    synced: Instant,
}

/// Between two waits for the disk. A process that is killed loses nothing in between; a power cut might, and `--resume` runs it again.
const SYNCED: Duration = Duration::from_secs(1);

impl Log {
    /// A log at this place; says at once if nothing can be written there.
    pub fn open(path: &Path) -> io::Result<Log> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if path.exists() {
            OpenOptions::new().append(true).open(path)?;
        } else {
            tempfile::tempfile_in(folder)?;
        }
        Ok(Log { path: path.to_owned(), file: None, synced: Instant::now() })
    }

    /// Adds a run. One write, so that it is there as a whole or cut off at the end.
    pub fn add(&mut self, record: &Record) -> io::Result<()> {
        let (file, begun) = match self.file.take() {
            Some(file) => (self.file.insert(file), true),
            None => {
                let (file, begun) = continued(&self.path)?;
                (self.file.insert(file), begun)
            }
        };
        let mut writer = csv::WriterBuilder::new().has_headers(!begun).from_writer(Vec::new());
        writer.serialize(record).map_err(io::Error::other)?;
        let row = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        file.write_all(&row)?;
        if self.synced.elapsed() < SYNCED {
            return Ok(());
        }
        self.synced = Instant::now();
        file.sync_data()
    }
}

/// The file, made if it is not there, and whether it has its line of names. A row that was cut off at its end is ended, so that it
/// cannot run into the next one; a line of names that was is begun again.
fn continued(path: &Path) -> io::Result<(File, bool)> {
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    if !text.contains(&b'\n') {
        if !COLUMNS.as_bytes().starts_with(&text) {
            return Err(io::Error::other("this is no file of results"));
        }
        file.set_len(0)?;
        return Ok((file, false));
    }
    if inside_quotes(&text) {
        file.write_all(b"\"\n")?;
    } else if text.last() != Some(&b'\n') {
        file.write_all(b"\n")?;
    }
    Ok((file, true))
}

/// Whether a text of rows ends inside of a quoted cell.
fn inside_quotes(text: &[u8]) -> bool {
    let (mut quoted, mut first) = (false, true);
    for &byte in text {
        match byte {
            // Two in a row are one that is meant: out and in again.
            b'"' if quoted => quoted = false,
            b'"' if first => quoted = true,
            _ => {}
        }
        first = !quoted && matches!(byte, b',' | b'\n' | b'"');
    }
    quoted
}

impl Drop for Log {
    fn drop(&mut self) {
        // Whoever wants to know whether rows were written asked when they were added.
        if let Some(file) = &self.file {
            let _ = file.sync_data();
        }
    }
}

/// The runs of a file, and a warning for every row that is none.
pub fn read(path: &Path) -> Read<Vec<Record>> {
    let name = path.display().to_string();
    let text = std::fs::read(path).map_err(|why| {
        vec![
            Diagnostic::error(name.clone(), format!("cannot read: {why}"))
                .help("results are what `prequel bench` wrote"),
        ]
    })?;
    if !text.contains(&b'\n') && COLUMNS.as_bytes().starts_with(&text) {
        let what = if text.is_empty() { "it is empty" } else { "its first line is cut off" };
        let found = Diagnostic::warning(name, format!("{what}: there is no run in it"));
        return Ok((
            Vec::new(),
            vec![found.help("an interruption before the first run was done left it; it can be deleted")],
        ));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&text[..]);
    let header = reader.headers().cloned().unwrap_or_default();
    if !header.iter().eq(["suite", "model"].into_iter().chain(header.iter().skip(2))) || header.len() < 2 {
        let found = Diagnostic::error(name, "this is no file of results");
        return Err(vec![found.help("results are what `prequel bench` wrote, with a first line of column names")]);
    }
    let (mut records, mut warnings) = (Vec::new(), Vec::new());
    for row in reader.records() {
        let (line, record) = match &row {
            Ok(row) => (row.position().map_or(0, csv::Position::line), row.deserialize::<Record>(Some(&header))),
            Err(error) => (
                error.position().map_or(0, csv::Position::line),
                Err(csv::Error::from(io::Error::other(error.to_string()))),
            ),
        };
        match record {
            Ok(record) => records.push(record),
            Err(why) => {
                let found = Diagnostic::warning(name.clone(), format!("line {line} is no run and is left out: {why}"));
                warnings.push(found.help("a run that was interrupted leaves such a line; it can be deleted"));
            }
        }
    }
    Ok((records, warnings))
}

#[cfg(test)]
/// Runs for other tests, too.
pub mod tests {
    use super::*;

    /// A run with these names and this time.
    pub fn record(model: &str, engine: &str, repetition: u32, seconds: f64) -> Record {
        Record {
            suite: "s".into(),
            model: model.into(),
            query: "--deadlock-free".into(),
            engine: engine.into(),
            repetition,
            category: Category::Correct,
            verdict: "true".into(),
            expected: "true".into(),
            source: "known, \"well\"".into(),
            seconds,
            cpu: seconds,
            phases: String::new(),
            largest_process: 1 << 20,
            memory: 1 << 20,
            states: Some(10),
            states_peak: None,
            checks: Some(1),
            checked: Some(true),
            reason: String::new(),
            command: "prequel check\nm.aut".into(),
            output: String::new(),
            tool: "prequel 0.1".into(),
            limit_seconds: 10.0,
            limit_cpu: 20.0,
            limit_memory: 1 << 30,
            isolation: "rlimit".into(),
            cores: "0".into(),
            position: 0,
            seed: 0,
            date: 0,
            night: "one".into(),
            commit: "abc".into(),
            dirty: false,
            host: "h".into(),
            processor: "p".into(),
            host_cores: 2,
            host_memory: 1 << 34,
            kernel: "k".into(),
            compiler: "rustc".into(),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let runs = [record("a", "otf", 1, 0.5), record("b", "icc", 2, 1.5)];
        for run in &runs {
            // Opened anew each time, as after an interruption.
            Log::open(&path).unwrap().add(run).unwrap();
        }
        assert_eq!(read(&path).unwrap(), (runs.to_vec(), vec![]));
    }

    #[test]
    fn a_row_that_was_cut_off_is_named_and_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        Log::open(&path).unwrap().add(&record("a", "otf", 1, 0.5)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut log = Log::open(&path).unwrap();
        log.add(&record("b", "otf", 1, 0.5)).unwrap();
        let both = std::fs::read(&path).unwrap();
        for length in whole.len() + 1..both.len() - 1 {
            std::fs::write(&path, &both[..length]).unwrap();
            Log::open(&path).unwrap().add(&record("c", "otf", 1, 0.5)).unwrap();
            let (runs, warnings) = read(&path).unwrap();
            let models: Vec<&str> = runs.iter().map(|run| &*run.model).collect();
            assert!(models == ["a", "c"] || models == ["a", "b", "c"], "{length}: {models:?}");
            assert!(models.contains(&"b") || !warnings.is_empty(), "{length}");
        }
    }

    #[test]
    fn a_file_without_a_run_is_begun_again_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        drop(Log::open(&path).unwrap());
        assert!(!path.exists(), "nothing is left where nothing was done");
        Log::open(&path).unwrap().add(&record("a", "otf", 1, 0.5)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let names = whole.iter().position(|&byte| byte == b'\n').unwrap();
        assert_eq!(&whole[..names], COLUMNS.as_bytes());
        for length in 0..names {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (runs, warnings) = read(&path).unwrap();
            assert!(runs.is_empty() && warnings[0].message.contains("there is no run in it"), "{length}");
            Log::open(&path).unwrap().add(&record("a", "otf", 1, 0.5)).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{length}");
        }
    }

    #[test]
    fn other_files_are_no_results() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        std::fs::write(&path, "x,y\n1,2\n").unwrap();
        assert!(read(&path).unwrap_err()[0].message.contains("no file of results"));
        assert!(read(&folder.path().join("none.csv")).is_err());
        assert!(read(folder.path()).unwrap_err()[0].message.contains("directory"));
    }
}
