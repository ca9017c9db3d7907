//! `make promela-parity`: every Promela model of a folder beside SPIN, run on the spot.
//!
//! Three comparisons, all without partial-order reduction: the program as it is written (`spin -a -o1 -o2 -o3`, claim left
//! out), the same with its claim, and the program with what SPIN does by default (`spin -a`: dead variables reset, steps
//! merged). Where both sides finish, verdicts and numbers of stored states are compared; SPIN's verifier gets three times
//! as many seconds. A difference that
//! `docs/promela-parity.md` does not name makes the command fail.

mod parity;
#[path = "../tests/spin/mod.rs"]
mod spin;
#[allow(dead_code)] // options and verdicts are for the table of reductions
mod suite;

use clap::Parser;
use parity::{known, limited, write_csv};
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::formats::promela::syntax::{Model, Unit};
use prequel::model::Why;
use prequel::program::{Claim, Program, Sought, compile, optimised};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: parity::Args,
    /// Differences that are explained.
    #[arg(long, default_value = "docs/promela-parity.md")]
    known: PathBuf,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    Plain,
    Claim,
    Default,
}

const WAYS: [Way; 3] = [Way::Plain, Way::Claim, Way::Default];

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Plain => "plain",
            Way::Claim => "claim",
            Way::Default => "default",
        })
    }
}

/// States, and whether an assertion or claim is violated and an invalid end state is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Found {
    states: u64,
    wrong: bool,
    end_state: bool,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |yes: bool, letter: char| if yes { letter } else { '-' };
        write!(f, "{}{}{}", self.states, mark(self.wrong, 'A'), mark(self.end_state, 'E'))
    }
}

/// How a comparison came out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Unread,
    Refused,
    OursTooLong,
    SpinTooLong,
    SpinStops,
    VerdictDiffers,
    StatesDiffer,
    Equal,
}

impl Stage {
    fn is_difference(&self) -> bool {
        matches!(self, Stage::Unread | Stage::VerdictDiffers | Stage::StatesDiffer | Stage::SpinStops)
    }

    fn text(&self) -> &'static str {
        match self {
            Stage::Unread => "not read",
            Stage::Refused => "refused",
            Stage::OursTooLong => "ours too long",
            Stage::SpinTooLong => "SPIN too long",
            Stage::SpinStops => "SPIN stops",
            Stage::VerdictDiffers => "verdict differs",
            Stage::StatesDiffer => "states differ",
            Stage::Equal => "equal",
        }
    }
}

struct Row {
    file: String,
    way: Way,
    stage: Stage,
    ours: Option<Found>,
    spin: Option<Found>,
    note: String,
}

/// What we find, or how far we come.
fn ours(program: &Program, limit: Duration) -> Result<(Found, bool), u64> {
    let run = limited(limit);
    let outcome = verify(program, Sought::Nothing, Otf::plain(Search::Breadth), &run);
    let states = run.effort().states_peak;
    match outcome {
        Outcome::Explored(seen) => {
            let wrong = seen.assertion || seen.claim || seen.other;
            let end_state = (seen.end_state || seen.other) && program.claim.is_none();
            Ok((Found { states, wrong, end_state }, seen.other))
        }
        // It cannot even start.
        Outcome::Unknown(Why::Refused(_)) => Ok((Found { states, wrong: true, end_state: false }, true)),
        Outcome::Violated(_) | Outcome::Reached(_) | Outcome::Holds | Outcome::Unknown(_) => Err(states),
    }
}

fn compare(path: &Path, way: Way, model: &Model, limit: Duration) -> (Stage, Option<Found>, Option<Found>, String) {
    let program = match way {
        Way::Plain => compile(model, Claim::None),
        Way::Claim => compile(model, Claim::Never),
        Way::Default => optimised(model, Claim::None),
    };
    let program = match program {
        Ok((program, _)) => program,
        Err(errors) => return (Stage::Refused, None, None, errors[0].headline()),
    };
    let (ours, stopped) = match ours(&program, limit) {
        Ok(found) => found,
        Err(states) => return (Stage::OursTooLong, None, None, format!("{states} states so far")),
    };
    let ask = spin::Ask {
        claim: way == Way::Claim,
        optimised: way == Way::Default,
        reduce: false,
        compiler: spin::fastest(),
    };
    let pan = match spin::verify(path, ask, limit * 3) {
        spin::Said::Done(pan) => pan,
        spin::Said::Time => return (Stage::SpinTooLong, Some(ours), None, String::new()),
        spin::Said::Refused(said) => {
            let lines = said.lines().filter(|line| !line.trim().is_empty());
            let note = lines.take(2).collect::<Vec<_>>().join(" | ");
            // It stops where we go on and report.
            let stage = if stopped { Stage::Equal } else { Stage::SpinStops };
            return (stage, Some(ours), None, note);
        }
    };
    let end_state = pan.end_state && way != Way::Claim;
    let theirs = Found { states: pan.states, wrong: pan.assertion, end_state };
    let stage = if (ours.wrong, ours.end_state) != (theirs.wrong, theirs.end_state) {
        Stage::VerdictDiffers
    } else if ours.states != theirs.states {
        Stage::StatesDiffer
    } else {
        Stage::Equal
    };
    (stage, Some(ours), Some(theirs), String::new())
}

fn judge(path: &Path, file: &str, limit: Duration) -> Vec<Row> {
    let text = std::fs::read(path).expect("the model is there");
    let dir = path.parent().unwrap_or(Path::new("."));
    let model = match promela::read(file, &text, dir, &[]) {
        Ok((model, _)) => model,
        Err(errors) => {
            let note = errors[0].headline();
            let row =
                |way| Row { file: file.into(), way, stage: Stage::Unread, ours: None, spin: None, note: note.clone() };
            return vec![row(Way::Plain)];
        }
    };
    let claimed = model.units.iter().any(|unit| matches!(unit, Unit::Never(_)));
    let ways = WAYS.into_iter().filter(|&way| way != Way::Claim || claimed);
    let row = |way| {
        let (stage, ours, spin, note) = compare(path, way, &model, limit);
        Row { file: file.into(), way, stage, ours, spin, note }
    };
    ways.map(row).collect()
}

fn show(found: &Option<Found>) -> String {
    found.map_or("-".into(), |found| found.to_string())
}

fn summary(rows: &[Row]) {
    println!("\n{:<18} {:>7} {:>7} {:>7}", "", "plain", "claim", "default");
    let line = |name: &str, holds: &dyn Fn(&Row) -> bool| {
        let count = |way: Way| rows.iter().filter(|row| row.way == way && holds(row)).count();
        println!("{name:<18} {:>7} {:>7} {:>7}", count(Way::Plain), count(Way::Claim), count(Way::Default));
    };
    line("models", &|_| true);
    line("read", &|row| row.stage != Stage::Unread);
    line("supported", &|row| row.stage > Stage::Refused);
    line("both finish", &|row| row.stage >= Stage::SpinStops);
    line("verdict equal", &|row| row.stage >= Stage::StatesDiffer);
    line("states equal", &|row| row.stage == Stage::Equal);
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.way == Way::Plain && row.stage <= Stage::Refused) {
        let what = row.note.rsplit_once("error: ").map_or(row.note.as_str(), |(_, what)| what);
        *refused.entry(what).or_insert(0) += 1;
    }
    for (what, count) in refused {
        println!("  {count:>4} × {what}");
    }
}

fn main() -> ExitCode {
    let Line { args, known: explained_in } = Line::parse();
    if !spin::ready(&args.dir) {
        return ExitCode::SUCCESS;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build().expect("threads");
    let limit = Duration::from_secs(args.seconds);
    let paths: Vec<PathBuf> =
        suite::models(&args.dir).into_iter().filter(|path| path.to_string_lossy().contains(&args.only)).collect();
    let all = |path: &PathBuf| {
        let file = path.strip_prefix(&args.dir).unwrap_or(path).display().to_string();
        let rows = judge(path, &file, limit);
        for row in &rows {
            let (ours, spin) = (show(&row.ours), show(&row.spin));
            println!("{:<16} {:<8} {:<52} ours {ours}, SPIN {spin} {}", row.stage.text(), row.way, row.file, row.note);
        }
        rows
    };
    let rows: Vec<Row> = pool.install(|| paths.par_iter().with_max_len(1).flat_map_iter(all).collect());
    if let Some(csv) = &args.csv {
        let cells = |row: &Row| {
            let (ours, spin) = (show(&row.ours), show(&row.spin));
            vec![row.file.clone(), row.way.to_string(), row.stage.text().into(), ours, spin, row.note.clone()]
        };
        write_csv(csv, "model,comparison,outcome,ours,spin,note", rows.iter().map(cells));
    }
    summary(&rows);
    let known = known(&explained_in);
    let explained = |row: &&Row| {
        known
            .iter()
            .any(|(part, way)| row.file.contains(part.as_str()) && (way == "all" || *way == row.way.to_string()))
    };
    let unknown: Vec<&Row> = rows.iter().filter(|row| row.stage.is_difference() && !explained(row)).collect();
    for row in &unknown {
        println!("not explained in {}: {} ({}): {}", explained_in.display(), row.file, row.way, row.stage.text());
    }
    if unknown.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
