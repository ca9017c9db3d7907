//! `prequel check`: decides a query, replays and prints the witness.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{NO_ANSWER, Output, counted, print, write_files};
use super::progress;
use super::witness::Shown;
use crate::engine::otf::{Otf, Search};
use crate::engine::run::{Effort, Run, peak_resident_bytes};
use crate::engine::{Engine, Refusal, engines};
use crate::evidence;
use crate::model::{Answer, Evidence, Problem, Trace, Why};
use serde_json::json;
use std::path::PathBuf;

/// Decides the query, prints the verdict, replays and prints the witness
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel check phil*.aut fork*.aut --deadlock-free
  prequel check net.exp --reach 'phil0@2 & phil2@2' --witness w.json
  prequel check abp.exp --pattern 'precedes(send, recv)' --chart=w.svg
  prequel check big.exp --monitor bad.aut --time 60s --memory 4G --threads 2 --json

Exit: 0 true, 1 false, 2 unknown, 3 bad input, 4 evidence rejected, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// Which engine answers (see `prequel engines`)
    #[arg(long, value_name = "ENGINE", default_value = "auto", help_heading = "Engine")]
    engine: String,
    /// Order of the on-the-fly search
    #[arg(long, value_enum, default_value_t = Order::Breadth, help_heading = "Engine")]
    search: Order,
    /// Explore every interleaving: no partial-order reduction
    #[arg(long, help_heading = "Engine")]
    no_por: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Save the witness as JSON
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    witness: Option<PathBuf>,
    /// Draw the witness as a message sequence chart: as text, or into FILE.svg
    #[arg(long, value_name = "FILE.svg", num_args = 0..=1, require_equals = true, help_heading = "Evidence")]
    chart: Option<Option<PathBuf>>,
    /// Draw the witness as a Graphviz path into FILE.dot
    #[arg(long, value_name = "FILE.dot", help_heading = "Evidence")]
    dot: Option<PathBuf>,
    /// Form of the answer on standard output
    #[arg(long, value_enum, default_value_t = Form::Text, help_heading = "Output")]
    format: Form,
}

/// The order of the on-the-fly search.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Level by level; shortest witness
    Breadth,
    /// Deep first; one thread
    Depth,
}

/// The form of the answer.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// For people, with the RESULT line at the end
    Text,
    /// As the Model Checking Contest prints it
    Mcc,
}

impl Args {
    /// The engine that was asked for, or the first that takes the problem.
    fn engine(&self, problem: &Problem) -> Result<Box<dyn Engine>, Failure> {
        let search = if self.search == Order::Depth { Search::Depth } else { Search::Breadth };
        let all = engines(Otf { search, reduce: !self.no_por });
        if self.engine == "auto" {
            let mut refusals = Vec::new();
            for engine in all.into_iter().filter(|e| e.external().is_none()) {
                match engine.accepts(problem) {
                    Ok(()) => return Ok(engine),
                    Err(refusal) => refusals.push(refusal.to_string()),
                }
            }
            return Err(Refusal::new(format!("no engine takes this query: {}", refusals.join("; "))).into());
        }
        let names: Vec<&str> = all.iter().map(|e| e.name()).collect();
        let unknown = || {
            Failure::input(
                "--engine",
                format!("no engine is called `{}`", self.engine),
                format!("engines are auto, {}; `prequel engines` tells more", names.join(", ")),
            )
        };
        let at = names.iter().position(|n| *n == self.engine).ok_or_else(unknown)?;
        let engine = all.into_iter().nth(at).expect("it has a position");
        engine.accepts(problem)?;
        Ok(engine)
    }

    /// What the Model Checking Contest calls the formula: here after the first model.
    fn formula(&self) -> String {
        self.model.models[0].file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn cannot_compute(&self) -> String {
        format!("FORMULA {} CANNOT_COMPUTE\n", self.formula())
    }

    /// The last line on standard output where there is no answer at all.
    pub fn no_answer(&self) -> String {
        if self.format == Form::Mcc { self.cannot_compute() } else { NO_ANSWER.into() }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let (problem, origin) = args.query.ask(args.model.read(output)?, &args.model.reading, output)?;
    let run = args.limits.start();
    let (engine, answer) = match args.engine(&problem) {
        Ok(engine) => {
            output.remark(format!(
                "{}: {}, engine {}",
                args.model.names().join(" "),
                counted(problem.network.components().len(), "component"),
                engine.name()
            ));
            (engine.name(), progress::watch(&run, engine.name(), output, || engine.solve(&problem, &run)))
        }
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => (args.engine.as_str(), Answer::Unknown(Why::Refused(why.to_string()))),
        Err(failure) => return Err(failure),
    };
    let effort = run.effort();

    let witness = check_evidence(&problem, &answer)?;
    let query = args.query.text().expect("a query was asked");
    let shown = witness.map(|trace| Shown::new(&problem, &origin, trace, &args.model.reading.dialect()));
    let mut files = Vec::new();
    if let Some(shown) = &shown {
        if let Some(path) = &args.witness {
            files.push((path.clone(), shown.saved(&query)));
        }
        if let Some(Some(path)) = &args.chart {
            files.push((path.clone(), shown.svg()?));
        }
        if let Some(path) = &args.dot {
            files.push((path.clone(), shown.dot()));
        }
    }
    let drawn = match &shown {
        Some(shown) if args.chart == Some(None) => Some(shown.text_chart()?),
        _ => None,
    };
    write_files(&files)?;

    let report = Report { args, problem: &problem, engine, answer: &answer, effort, run: &run, query };
    if args.format == Form::Mcc && !output.json {
        print(&report.mcc());
    } else {
        output.object(report.json(shown.as_ref()));
        if let Some(shown) = &shown {
            output.say(shown.table());
        }
        if let Some(chart) = drawn {
            output.say(chart);
        }
        output.say(report.summary());
        if !output.json {
            print(&report.result_line(shown.is_some()));
        }
    }
    Ok(match answer {
        Answer::True(_) => Exit::Ok,
        Answer::False(_) => Exit::False,
        Answer::Unknown(Why::Interrupted) => Exit::Interrupted,
        Answer::Unknown(_) => Exit::Unknown,
    })
}

/// The witness of an answer, replayed. One that does not replay never leaves the program.
fn check_evidence<'a>(problem: &Problem, answer: &'a Answer) -> Result<Option<&'a Trace>, Failure> {
    let (Answer::True(evidence) | Answer::False(evidence)) = answer else { return Ok(None) };
    let Evidence::Witness(trace) = evidence else { return Ok(None) };
    evidence::witness::check(problem, trace)
        .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
    Ok(Some(trace))
}

/// Everything that is said about an answer.
struct Report<'a> {
    args: &'a Args,
    problem: &'a Problem,
    engine: &'a str,
    answer: &'a Answer,
    effort: Effort,
    run: &'a Run,
    query: String,
}

impl Report<'_> {
    fn reason(&self) -> Option<String> {
        match self.answer {
            Answer::Unknown(why) => Some(why.to_string()),
            _ => None,
        }
    }

    /// One sentence for people, and what it took.
    fn summary(&self) -> String {
        let Effort { seconds, states_total, transitions, .. } = self.effort;
        let verdict = match self.reason() {
            Some(why) => format!("undecided: {why}"),
            None => format!("{} is {}", self.query, self.answer.word()),
        };
        let (states, transitions) = (counted(states_total, "state"), counted(transitions, "transition"));
        format!("{verdict} ({states}, {transitions}, {seconds:.3} s)")
    }

    fn result_line(&self, witness: bool) -> String {
        let evidence = match (&self.args.witness, witness) {
            (Some(path), true) => path.display().to_string(),
            (None, true) => "inline".into(),
            (_, false) => "none".into(),
        };
        let checked = if witness { "yes" } else { "no" };
        format!("RESULT {} engine={} evidence={evidence} checked={checked}\n", self.answer.word(), self.engine)
    }

    fn json(&self, shown: Option<&Shown>) -> serde_json::Value {
        let Effort { seconds, states_total, states_peak, transitions, checks } = self.effort;
        let components = self.problem.network.components().len();
        let path = self.args.witness.as_ref().filter(|_| shown.is_some()).map(|p| p.display().to_string());
        json!({
            "models": self.args.model.names(),
            "query": self.query,
            "engine": self.engine,
            "verdict": self.answer.word(),
            "reason": self.reason(),
            "evidence": {
                "kind": if shown.is_some() { "witness" } else { "none" },
                "path": path,
                "checked": shown.is_some(),
                "steps": shown.map(Shown::steps_json),
            },
            "effort": {
                "seconds": seconds,
                "states_total": states_total,
                "states_peak": states_peak,
                "transitions": transitions,
                "checks": checks,
                "components_used": components,
                "components": components,
                "peak_rss_bytes": peak_resident_bytes(),
            },
        })
    }

    /// `FORMULA id TRUE TECHNIQUES …`
    fn mcc(&self) -> String {
        let id = self.args.formula();
        let threads = if self.run.limits.threads > 1 { "PARALLEL_PROCESSING" } else { "SEQUENTIAL_PROCESSING" };
        let reduction = if self.args.no_por { "" } else { " STUBBORN_SETS" };
        match self.answer {
            Answer::Unknown(_) => self.args.cannot_compute(),
            answer => {
                let verdict = answer.word().to_uppercase();
                format!("FORMULA {id} {verdict} TECHNIQUES {threads} EXPLICIT{reduction}\n")
            }
        }
    }
}
