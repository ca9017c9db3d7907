//! `make aiger-parity`: circuits beside ABC's `pdr`, from the same AIGER files, in one run.
//!
//! The files are written on the spot: Boolean families, and what is asked of families of networks; or they are those of a folder.
//! Ours is `prequel check` with one thread, `auto` unless another engine is named. Each has so many seconds of processor for a file, so
//! that it does not matter what else the machine does (`prlimit`), and these are what is shown. Verdicts that differ make the command
//! fail. Without ABC on PATH our own column is all there is.

use clap::Parser;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use prequel::engine::symbolic::Encoded;
use prequel::families;
use prequel::families::boolean;
use prequel::formats::aiger;
use prequel::formats::aiger::Form;
use prequel::model::{Circuit, Problem};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

#[derive(Parser)]
struct Args {
    /// AIGER files, in place of those that are written here.
    dir: Option<PathBuf>,
    /// Seconds of processor for each file.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Only files whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Options for `prequel check`, as in `--with=--engine=bdd`.
    #[arg(long, allow_hyphen_values = true)]
    with: Vec<String>,
    /// Where the files stay that are written here; nowhere otherwise.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where to save the table, one line for each file.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// Boolean families with sizes: the first and the last property are a file each; those in between are like them.
const SYSTEMS: [(&str, &[usize]); 6] = [
    ("fms-smv", &[4, 30]),
    ("dining", &[8, 70]),
    ("aip-smv", &[4, 12]),
    ("sba", &[4, 10]),
    ("msi", &[3, 5]),
    ("bit-counter", &[6, 12]),
];

/// Families of networks with sizes: every question that goes with them is a file.
const NETWORKS: [(&str, &[usize]); 21] = [
    ("philo", &[6, 12, 24]),
    ("philo-dict", &[6, 12]),
    ("cyclic", &[6, 12]),
    ("token-ring", &[6, 12, 24]),
    ("dac", &[6, 12]),
    ("rw", &[6, 12]),
    ("over", &[3, 5]),
    ("gas_nq", &[3, 5]),
    ("mmgt", &[2, 4]),
    ("ring", &[4, 8]),
    ("ftp", &[2]),
    ("key", &[2, 4]),
    ("counter", &[6, 12]),
    ("peterson", &[2, 3]),
    ("lamport", &[2, 3]),
    ("lamport-faulty", &[2, 3]),
    ("szymanski", &[2, 3]),
    ("gas-station", &[3, 5]),
    ("mutex", &[4, 12]),
    ("sliding-window", &[1, 2]),
    ("elevator", &[2, 3]),
];

/// What one program says, and after how many seconds of processor.
struct Told {
    verdict: &'static str,
    seconds: f64,
    /// Who answered.
    by: String,
}

impl Told {
    fn decided(&self) -> bool {
        matches!(self.verdict, "true" | "false")
    }
}

fn save(circuit: &Circuit, path: &Path) {
    let mut text = Vec::new();
    aiger::write(circuit, Form::Binary, &mut text).expect("a vector takes everything");
    std::fs::write(path, text).expect("room for a file");
}

/// Writes all files.
fn write(folder: &Path) {
    for (name, sizes) in SYSTEMS {
        let family = boolean::find(name).expect("a family");
        for &size in sizes {
            let system = (family.build)(size);
            let last = system.properties.len() - 1;
            for (at, property) in system.properties.iter().enumerate().filter(|(at, _)| [0, last].contains(at)) {
                save(&system.question(property), &folder.join(format!("{name}-{size}-{}.aig", at + 1)));
            }
        }
    }
    for (name, sizes) in NETWORKS {
        let family = families::find(name).expect("a family");
        for &size in sizes {
            let instance = (family.build)(size, 0);
            for (at, asked) in instance.queries.into_iter().enumerate() {
                let problem = Problem { network: instance.network.clone(), query: asked.query };
                if let Some(encoded) = Encoded::new(&problem) {
                    save(&encoded.circuit, &folder.join(format!("{name}-{size}-{}.aig", at + 1)));
                }
            }
        }
    }
}

fn files(folder: &Path, only: &str) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let paths = all.map(walkdir::DirEntry::into_path);
    let circuits = paths.filter(|path| path.extension().is_some_and(|e| e == "aig" || e == "aag"));
    circuits.filter(|path| path.to_string_lossy().contains(only)).collect()
}

/// A program that is ended after so many seconds of processor.
fn limited(program: &Path, seconds: u64) -> Command {
    let mut command = Command::new("prlimit");
    command.arg(format!("--cpu={seconds}")).arg(program);
    command
}

/// What a program prints, and the seconds of processor that it takes.
fn measured(command: &mut Command) -> std::io::Result<(Output, f64)> {
    let spent = || {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
        (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
    };
    let before = spent();
    let output = command.output()?;
    Ok((output, spent() - before))
}

fn ours(file: &Path, seconds: u64, with: &[String]) -> Told {
    let program = std::env::current_exe().expect("a path").with_file_name("prequel");
    let mut command = limited(&program, seconds);
    command.arg("check").arg(file).args(["--threads", "1", "--json"]).args(with);
    let (output, seconds) = measured(&mut command).expect("prlimit starts");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let verdict = match (told["verdict"].as_str(), output.status.code()) {
        (Some("true"), _) => "true",
        (Some("false"), _) => "false",
        // It was ended.
        (Some("unknown"), _) | (_, None) => "unknown",
        _ => "failed",
    };
    let won = told["portfolio"].as_array().into_iter().flatten().find(|one| one["outcome"] == "won");
    let by = won.map_or(&told["engine"], |one| &one["engine"]).as_str().unwrap_or_default().to_owned();
    Told { verdict, seconds, by }
}

/// Nothing where ABC is not here.
fn abc(file: &Path, seconds: u64) -> Option<Told> {
    let program = Path::new("berkeley-abc");
    Command::new(program).args(["-q", "version"]).output().ok()?;
    let script = format!("read_aiger {}; pdr; print_status", file.display());
    let (output, seconds) = measured(limited(program, seconds).args(["-q", &script])).ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    // It ends with 0 whatever happens, so only what it says counts.
    let verdict = match [said.contains("Property proved"), said.contains("was asserted in frame")] {
        [true, false] => "true",
        [false, true] => "false",
        _ => "unknown",
    };
    Some(Told { verdict, seconds, by: String::new() })
}

fn save_table(path: &Path, rows: &[(String, Told, Option<Told>)]) -> csv::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(["file", "verdict", "seconds", "engine", "abc_verdict", "abc_seconds"])?;
    for (name, ours, abc) in rows {
        let seconds = |told: &Told| format!("{:.3}", told.seconds);
        let (other, time) =
            abc.as_ref().map_or((String::new(), String::new()), |abc| (abc.verdict.into(), seconds(abc)));
        writer.write_record([name.clone(), ours.verdict.into(), seconds(ours), ours.by.clone(), other, time])?;
    }
    Ok(writer.flush()?)
}

fn main() -> ExitCode {
    let args = Args::parse();
    let own = tempfile::tempdir().expect("a folder");
    let folder = args.dir.as_deref().or(args.keep.as_deref()).unwrap_or(own.path());
    if args.dir.is_none() {
        std::fs::create_dir_all(folder).expect("a folder");
        write(folder);
    }
    println!("{:<28} {:>8} {:>8}  {:>8} {:>8}  who of ours", "", "ours", "seconds", "abc pdr", "seconds");
    let mut rows: Vec<(String, Told, Option<Told>)> = Vec::new();
    for file in files(folder, &args.only) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (ours, abc) = (ours(&file, args.seconds, &args.with), abc(&file, args.seconds));
        let (other, time) = abc.as_ref().map_or(("-", 0.0), |abc| (abc.verdict, abc.seconds));
        println!("{name:<28} {:>8} {:>8.2}  {other:>8} {time:>8.2}  {}", ours.verdict, ours.seconds, ours.by);
        rows.push((name, ours, abc));
        if let Some(path) = &args.csv {
            // What there is so far stays, should the rest be interrupted.
            save_table(path, &rows).expect("the table can be written");
        }
    }
    let decided = rows.iter().filter(|(_, ours, _)| ours.decided()).count();
    let others = rows.iter().filter(|(_, _, abc)| abc.as_ref().is_some_and(Told::decided)).count();
    let differs = |(_, ours, abc): &&(String, Told, Option<Told>)| {
        let contradicted = abc.as_ref().is_some_and(|abc| abc.decided() && abc.verdict != ours.verdict);
        ours.verdict == "failed" || ours.decided() && contradicted
    };
    let different = rows.iter().filter(differs).count();
    println!(
        "\n{} files, {} s of processor each: ours decides {decided}, ABC's pdr {others}",
        rows.len(),
        args.seconds
    );
    let both = rows.iter().filter_map(|(_, ours, abc)| {
        let abc = abc.as_ref().filter(|abc| abc.decided() && ours.decided())?;
        Some(ours.seconds / abc.seconds.max(1e-3))
    });
    let mut ratios: Vec<f64> = both.collect();
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        println!("ours / ABC's where both decide: {median:.2} (median of {})", ratios.len());
    }
    println!("verdicts that differ: {different}");
    if different > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
