//! `prequel check`: decides a query, replays and prints the witness.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{NO_ANSWER, Output, counted, print, write_files};
use super::program;
use super::progress;
use super::report::{self, Answered, Verdict};
use super::witness::{NetworkWitness, Shown};
use crate::engine::otf::{Otf, Search};
use crate::engine::run::Run;
use crate::engine::{Engine, Refusal, engines};
use crate::evidence;
use crate::model::{Answer, Evidence, Network, Origin, Problem, Trace, Why};
use crate::read::model::Model;
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
    /// Which ltl formula or never claim of a Promela model is meant (the one that SPIN takes, if absent)
    #[arg(long, value_name = "NAME", help_heading = "Query")]
    ltl: Option<String>,
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
    fn search(&self) -> Search {
        if self.search == Order::Depth { Search::Depth } else { Search::Breadth }
    }

    /// The engine that was asked for, or the first that takes the problem.
    fn engine(&self, problem: &Problem) -> Result<Box<dyn Engine>, Failure> {
        let all = engines(Otf { search: self.search(), reduce: !self.no_por });
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

    /// The last line on standard output where there is no answer at all.
    pub fn no_answer(&self) -> String {
        if self.format == Form::Mcc { report::cannot_compute(&self.model) } else { NO_ANSWER.into() }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let model = args.model.read_claim(args.ltl.as_deref(), output)?;
    let run = args.limits.start();
    match model {
        Model::Network(..) if args.ltl.is_some() => {
            let help = "leave it away: a network states nothing by itself, ask with --reach and the like";
            Err(Failure::input("--ltl", "only a Promela model has ltl formulas", help))
        }
        Model::Network(network, origin) => network_answer(args, (network, origin), &run, output),
        Model::Program(program, formulas) => {
            let asked =
                program::Asked { program: &program, formulas: &formulas, query: &args.query, engine: &args.engine };
            let (answered, shown) = program::answer(&asked, args.search(), &run, output)?;
            publish(args, &answered, shown.as_ref().map(|s| s as &dyn Shown), &run, output)
        }
    }
}

fn network_answer(args: &Args, read: (Network, Origin), run: &Run, output: &Output) -> Result<Exit, Failure> {
    let (problem, origin) = args.query.ask(read, &args.model.reading, output)?;
    let components = problem.network.components().len();
    let (engine, answer) = match args.engine(&problem) {
        Ok(engine) => {
            let models = args.model.names().join(" ");
            output.remark(format!("{models}: {}, engine {}", counted(components, "component"), engine.name()));
            (engine.name(), progress::watch(run, engine.name(), output, || engine.solve(&problem, run)))
        }
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => (args.engine.as_str(), Answer::Unknown(Why::Refused(why.to_string()))),
        Err(failure) => return Err(failure),
    };
    let witness = check_evidence(&problem, &answer)?;
    let shown = witness.map(|trace| NetworkWitness::new(&problem, &origin, trace, &args.model.reading.dialect()));
    let verdict = match answer {
        Answer::True(_) => Verdict::True,
        Answer::False(_) => Verdict::False,
        Answer::Unknown(ref why) => Verdict::Unknown(why.clone()),
    };
    let query = args.query.text().expect("a query was asked");
    let answered = Answered { engine: engine.into(), verdict, effort: run.effort(), query, components };
    publish(args, &answered, shown.as_ref().map(|s| s as &dyn Shown), run, output)
}

/// Writes what was asked for, prints the answer, and gives the exit code it stands for.
fn publish(
    args: &Args,
    answered: &Answered,
    shown: Option<&dyn Shown>,
    run: &Run,
    output: &Output,
) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    let mut drawn = None;
    if let Some(shown) = shown {
        if let Some(path) = &args.witness {
            files.push((path.clone(), shown.saved(&answered.query)));
        }
        match &args.chart {
            Some(Some(path)) => files.push((path.clone(), shown.svg()?)),
            Some(None) => drawn = Some(shown.text_chart()?),
            None => {}
        }
        if let Some(path) = &args.dot {
            files.push((path.clone(), shown.dot()?));
        }
    }
    write_files(&files)?;
    let saved = args.witness.as_deref().filter(|_| shown.is_some());
    if args.format == Form::Mcc && !output.json {
        print(&answered.mcc(&args.model, run.limits.threads, !args.no_por));
    } else {
        output.object(answered.json(&args.model.names(), saved, shown));
        if let Some(shown) = shown {
            output.say(shown.table());
        }
        if let Some(chart) = drawn {
            output.say(chart);
        }
        output.say(answered.summary());
        if !output.json {
            print(&answered.result_line(saved, shown.is_some()));
        }
    }
    Ok(answered.verdict.exit())
}

/// The witness of an answer, replayed. One that does not replay never leaves the program.
fn check_evidence<'a>(problem: &Problem, answer: &'a Answer) -> Result<Option<&'a Trace>, Failure> {
    let (Answer::True(evidence) | Answer::False(evidence)) = answer else { return Ok(None) };
    let Evidence::Witness(trace) = evidence else { return Ok(None) };
    evidence::witness::check(problem, trace)
        .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
    Ok(Some(trace))
}
