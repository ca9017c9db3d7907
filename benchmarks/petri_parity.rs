//! `make petri-parity`: every Petri net of a folder beside what others have found out about it.
//!
//! The tables `mcc-oracle.csv` and `ll_net-oracle.csv` have numbers of markings, and whether a dead one is reachable. Where ours
//! finishes, the numbers must be equal. A question is decided on the markings, with stubborn sets and without, on the network
//! of the net's components, on the fly and by `lazy`, and by turns as where no engine is named: of these none may contradict another, nor the table. Formulas are those of the files in the folder
//! of the net that can be read for it. A difference that `docs/petri.md` does not name makes the command fail.

mod parity;

use clap::Parser;
use parity::{known as explained, limited, write_csv};
use prequel::engine::Engine;
use prequel::engine::lazy::Lazy;
use prequel::engine::otf::net::{Outcome, explore};
use prequel::engine::otf::{Otf, Search};
use prequel::evidence;
use prequel::formats::formula::Formula;
use prequel::formats::list::NetFormat;
use prequel::job::net::{NetQuestion, decide_formula};
use prequel::job::{EngineChoice, Question, Reading, Silent};
use prequel::model::{Answer, Condition, Evidence, Net, NetQuery, Problem, Query};
use prequel::net::split::{Split, split};
use prequel::open::{Format, Model, NetFile, Options, read};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: parity::Args,
    /// Differences that are explained.
    #[arg(long, default_value = "docs/petri.md")]
    known: PathBuf,
}

const WHOLE: Otf = Otf { search: Search::Breadth, reduce: false };

/// What a table says of a net.
#[derive(Clone, Default)]
struct Known {
    states: String,
    dead: Option<bool>,
}

/// The tables, by the file's path in the folder.
fn known(dir: &Path) -> HashMap<PathBuf, Known> {
    let mut all = HashMap::new();
    for (folder, states) in [("mcc", 8), ("ll_net", 3)] {
        let Ok(mut table) = csv::Reader::from_path(dir.join(format!("{folder}-oracle.csv"))) else { continue };
        for row in table.records().filter_map(Result::ok) {
            let dead = match folder {
                "mcc" => row[7].to_ascii_lowercase().parse().ok(),
                // A dead marking that was found stays one, however many markings were left.
                _ => row[4].parse().ok().map(|dead: u64| dead > 0).filter(|dead| *dead || !row[3].starts_with(">=")),
            };
            all.insert(Path::new(folder).join(&row[0]), Known { states: row[states].into(), dead });
        }
    }
    all
}

/// A question, by all routes.
#[derive(Default)]
struct Decided {
    name: String,
    /// With stubborn sets, without; through the network, on the fly and by `lazy`; by turns.
    verdicts: [Option<bool>; 5],
    /// Who answered by turns.
    by: String,
    /// Markings looked at, with stubborn sets and without.
    looked: [u64; 2],
    /// Why there is no verdict with stubborn sets.
    note: String,
}

impl Decided {
    fn verdict(&self) -> Option<bool> {
        self.verdicts.iter().flatten().next().copied()
    }

    fn contradicts(&self, known: Option<bool>) -> bool {
        let said = || self.verdicts.iter().copied().chain([known]).flatten();
        said().any(|one| Some(one) != said().next())
    }

    fn is_cross_checked(&self) -> bool {
        self.verdicts.iter().flatten().count() > 1
    }
}

fn decide(net: &Arc<Net>, split: Option<&Split>, name: &str, query: &NetQuery, limit: Duration) -> Decided {
    let mut decided = Decided { name: name.into(), ..Decided::default() };
    let shows = query.witness_shows();
    for (at, how) in [Otf::default(), WHOLE].into_iter().enumerate() {
        let run = limited(limit);
        decided.verdicts[at] = match explore(net, query, how, &run) {
            Outcome::Found(sequence) => {
                evidence::net::check(net, query, &sequence).unwrap_or_else(|e| panic!("{name}: {e}"));
                Some(shows)
            }
            Outcome::Absent => Some(!shows),
            Outcome::Unknown(why) => {
                decided.note = why.to_string();
                None
            }
        };
        decided.looked[at] = run.effort().states_peak;
    }
    let through: [&dyn Engine; 2] = [&Otf::default(), &Lazy::default()];
    for (verdict, engine) in decided.verdicts[2..4].iter_mut().zip(through) {
        *verdict = split.and_then(|split| through_network(net, split, query, engine, limit));
    }
    (decided.verdicts[4], decided.by) = by_turns(net, query, limit);
    decided
}

/// What `auto` says, and who of it.
fn by_turns(net: &Arc<Net>, query: &NetQuery, limit: Duration) -> (Option<bool>, String) {
    let file = Arc::new(NetFile { name: "net".into(), net: net.clone(), formulas: Vec::new() });
    let (question, reading, engine) = (&Question::Stated, &Reading::default(), &EngineChoice::default());
    let asked = NetQuestion { file: &file, question, reading, engine, as_network: false };
    let formula = Formula { name: "it".into(), query: Ok(query.clone()) };
    let decision = decide_formula(&asked, &formula, &limited(limit), &Silent).unwrap_or_else(|why| panic!("{why}"));
    let holds = decision.finding.verdict.holds();
    (holds, if holds.is_some() { decision.finding.engine } else { "nobody".into() })
}

/// What the network of the net's components says.
fn through_network(net: &Net, split: &Split, query: &NetQuery, engine: &dyn Engine, limit: Duration) -> Option<bool> {
    let goal = match query {
        NetQuery::Initially(_) => return None,
        NetQuery::Impossible(Condition::Dead) => Query::DeadlockFree,
        _ => Query::Reach(split.goal(net, query.condition()).ok()?),
    };
    let shows = goal.witness_shows();
    let problem = Problem { network: split.network.clone(), query: goal };
    engine.accepts(&problem).ok()?;
    let (found, evidence) = match engine.solve(&problem, &limited(limit)) {
        Answer::True(evidence) => (shows, evidence),
        Answer::False(evidence) => (!shows, evidence),
        Answer::Unknown(_) => return None,
    };
    if let Evidence::Witness(trace) = evidence {
        evidence::net::check(net, query, &split.sequence(&trace)).expect("a witness of the network is one of the net");
    }
    Some(if found { query.witness_shows() } else { !query.witness_shows() })
}

/// The network, where its components hold one token each, or it was found out that they do.
fn network(net: &Net, limit: Duration) -> Option<Split> {
    let split = split(net).ok()?;
    let Some(second) = split.second_token() else { return Some(split) };
    let problem = Problem { network: split.network.clone(), query: Query::Reach(second) };
    matches!(Otf::default().solve(&problem, &limited(limit)), Answer::False(_)).then_some(split)
}

struct Row {
    file: PathBuf,
    known: Known,
    /// Why it is not a net.
    refused: Option<String>,
    states: Option<u64>,
    deadlock: Decided,
    formulas: Vec<Decided>,
    /// Formulas that are refused.
    other: usize,
}

impl Row {
    fn states_differ(&self) -> bool {
        let Some(ours) = self.states else { return false };
        match self.known.states.strip_prefix(">=") {
            Some(least) => least.parse().is_ok_and(|least: u64| ours < least),
            None => self.known.states == "+inf" || self.known.states.parse().is_ok_and(|theirs: u64| ours != theirs),
        }
    }

    fn states_equal(&self) -> bool {
        self.states.is_some_and(|ours| self.known.states == ours.to_string())
    }

    /// A deadlock is what makes freedom of deadlocks false.
    fn free_of_deadlocks(&self) -> Option<bool> {
        self.known.dead.map(|dead| !dead)
    }

    fn is_difference(&self) -> bool {
        self.states_differ()
            || self.deadlock.contradicts(self.free_of_deadlocks())
            || self.formulas.iter().any(|f| f.contradicts(None))
    }

    fn cells(&self) -> Vec<String> {
        let word = |verdict: Option<bool>| verdict.map_or("-".into(), |v| v.to_string());
        let states = self.states.map_or("-".into(), |n| n.to_string());
        let [reduced, whole] = self.deadlock.looked;
        let formulas: Vec<String> = self.formulas.iter().map(|f| format!("{}={}", f.name, word(f.verdict()))).collect();
        vec![
            self.file.display().to_string(),
            if self.is_difference() { "DIFFERS" } else { "" }.into(),
            self.known.states.clone(),
            states,
            word(self.free_of_deadlocks()),
            word(self.deadlock.verdict()),
            reduced.to_string(),
            whole.to_string(),
            self.deadlock.by.clone(),
            formulas.join(" "),
            self.refused.clone().unwrap_or_else(|| self.deadlock.note.clone()),
        ]
    }
}

fn judge(dir: &Path, file: PathBuf, known: Known, limit: Duration) -> Row {
    let mut row =
        Row { file, known, refused: None, states: None, deadlock: Decided::default(), formulas: Vec::new(), other: 0 };
    let path = dir.join(&row.file);
    let net = match read(std::slice::from_ref(&path), &Options::default()) {
        Ok((Model::Net(file), _)) => file.net.clone(),
        Ok(_) => unreachable!("the extension is one of nets"),
        Err(errors) => {
            row.refused = Some(errors[0].headline());
            return row;
        }
    };
    let run = limited(limit);
    if explore(&net, &NetQuery::Possible(Condition::Or(Vec::new())), WHOLE, &run) == Outcome::Absent {
        row.states = Some(run.effort().states_peak);
    }
    let split = network(&net, limit);
    let ask = |name: &str, query: &NetQuery| decide(&net, split.as_ref(), name, query, limit);
    row.deadlock = ask("deadlock-free", &NetQuery::Impossible(Condition::Dead));
    for Formula { name, query } in formulas(&path) {
        match query {
            Ok(query) => row.formulas.push(ask(&name, &query)),
            Err(_) => row.other += 1,
        }
    }
    row
}

/// The formulas of a folder that are about a net.
fn formulas(net: &Path) -> Vec<Formula> {
    let files = walkdir::WalkDir::new(net.parent().expect("a file")).max_depth(1).sort_by_file_name().into_iter();
    let paths = files.filter_map(|entry| entry.ok().map(walkdir::DirEntry::into_path));
    let beside = |path: PathBuf| match read(&[net.to_owned(), path], &Options::default()) {
        Ok((Model::Net(file), _)) => file.formulas.clone(),
        _ => Vec::new(),
    };
    paths.filter(|path| Format::of(path) == Some(Format::Formula)).flat_map(beside).collect()
}

fn summary(rows: &[Row]) {
    let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
    let line = |what: &str, number: usize| println!("{what:<46} {number:>6}");
    println!();
    line("nets", rows.len());
    line("refused by name", count(&|row| row.refused.is_some()));
    line("markings counted", count(&|row| row.states.is_some()));
    line("  of these known to others", count(&|row| row.states.is_some() && row.known.states.parse::<u64>().is_ok()));
    line("  equal", count(&|row| row.states_equal()));
    line("deadlock decided", count(&|row| row.deadlock.verdict().is_some()));
    line("  without stubborn sets", count(&|row| row.deadlock.verdicts[1].is_some()));
    line("  by turns", count(&|row| row.deadlock.verdicts[4].is_some()));
    line("  by two routes or more, equal", count(&|row| row.deadlock.is_cross_checked()));
    line("  known to others", count(&|row| row.deadlock.verdict().is_some() && row.known.dead.is_some()));
    let equal = |row: &Row| row.known.dead.is_some() && row.deadlock.verdict() == row.free_of_deadlocks();
    line("  equal", count(&equal));
    let formulas: Vec<&Decided> = rows.iter().flat_map(|row| &row.formulas).collect();
    line("EF, AG and initial formulas", formulas.len());
    line("  decided", formulas.iter().filter(|f| f.verdict().is_some()).count());
    line("  by turns", formulas.iter().filter(|f| f.verdicts[4].is_some()).count());
    line("  by two routes or more, equal", formulas.iter().filter(|f| f.is_cross_checked()).count());
    line("other formulas, refused", rows.iter().map(|row| row.other).sum());
    line("differences", count(&Row::is_difference));
    // Both searches whole: what stubborn sets save.
    let both = |row: &&Row| row.deadlock.verdicts[0] == Some(true) && row.deadlock.verdicts[1] == Some(true);
    let looked = |at: usize| rows.iter().filter(both).map(|row| row.deadlock.looked[at]).sum::<u64>();
    println!(
        "\n{} nets without deadlock, both searches whole: {} markings with stubborn sets, {} without",
        rows.iter().filter(both).count(),
        looked(0),
        looked(1)
    );
}

fn main() -> ExitCode {
    let Line { args, known: explained_in } = Line::parse();
    if !args.dir.is_dir() {
        println!("skipped: there is no folder {}", args.dir.display());
        return ExitCode::SUCCESS;
    }
    let known = known(&args.dir);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build().expect("threads");
    let is_net = |path: &Path| matches!(Format::of(path), Some(Format::Net(format)) if format != NetFormat::Nupn);
    let found = walkdir::WalkDir::new(&args.dir).sort_by_file_name().into_iter();
    let files = found.filter_map(|entry| Some(entry.ok()?.path().strip_prefix(&args.dir).ok()?.to_owned()));
    let files: Vec<PathBuf> = files.filter(|f| is_net(f) && f.to_string_lossy().contains(&args.only)).collect();
    let one = |file: &PathBuf| {
        let limit = Duration::from_secs(args.seconds);
        let row = judge(&args.dir, file.clone(), known.get(file).cloned().unwrap_or_default(), limit);
        println!("{}", row.cells().join(" | "));
        row
    };
    let rows: Vec<Row> = pool.install(|| files.par_iter().with_max_len(1).map(one).collect());
    if let Some(csv) = &args.csv {
        let head = "net,outcome,states known,states,deadlock-free known,deadlock-free,looked at with stubborn sets,without,by turns,formulas,note";
        write_csv(csv, head, rows.iter().map(Row::cells));
    }
    summary(&rows);
    let explained = explained(&explained_in);
    let is_explained =
        |row: &Row| explained.iter().any(|(part, way)| way == "petri" && row.file.to_string_lossy().contains(part));
    let unknown: Vec<&Row> = rows.iter().filter(|row| row.is_difference() && !is_explained(row)).collect();
    for row in &unknown {
        println!("not explained in {}: {}", explained_in.display(), row.file.display());
    }
    if unknown.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
