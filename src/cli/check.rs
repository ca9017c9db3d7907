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
  prequel check mutex.pml                                  what the model states
  prequel check mutex.pml --reach 'inside == 2 & user@cs'  a Promela expression over globals and labels
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
    /// Put a Promela program into components first, also where the engine could run it as it is
    #[arg(long, help_heading = "Engine")]
    as_network: bool,
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
    fn otf(&self) -> Otf {
        let search = if self.search == Order::Depth { Search::Depth } else { Search::Breadth };
        Otf { search, reduce: !self.no_por }
    }

    /// The last line on standard output where there is no answer at all.
    pub fn no_answer(&self) -> String {
        if self.format == Form::Mcc { report::cannot_compute(&self.model) } else { NO_ANSWER.into() }
    }
}

/// The engine of this name, or the first that takes the problem.
pub fn choose(name: &str, otf: Otf, problem: &Problem) -> Result<Box<dyn Engine>, Failure> {
    let all = engines(otf);
    if name == "auto" {
        let mut refusals = Vec::new();
        for engine in all.into_iter().filter(|e| e.external().is_none()) {
            match engine.accepts(problem) {
                Ok(()) => return Ok(engine),
                Err(refusal) => refusals.push(refusal.to_string()),
            }
        }
        return Err(Refusal::new(format!("no engine takes this query: {}", refusals.join("; "))).into());
    }
    exists(name, otf)?;
    let engine = all.into_iter().find(|e| e.name() == name).expect("it exists");
    engine.accepts(problem)?;
    Ok(engine)
}

/// Whether there is an engine of this name.
pub fn exists(name: &str, otf: Otf) -> Result<(), Failure> {
    let all = engines(otf);
    if name == "auto" || all.iter().any(|engine| engine.name() == name) {
        return Ok(());
    }
    let names: Vec<&str> = all.iter().map(|engine| engine.name()).collect();
    Err(Failure::input(
        "--engine",
        format!("no engine is called `{name}`"),
        format!("engines are auto, {}; `prequel engines` tells more", names.join(", ")),
    ))
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let model = args.model.read(output)?;
    let run = args.limits.start();
    match model {
        Model::Network(network, origin) => network_answer(args, (network, origin), &run, output),
        Model::Program(promela) => {
            let asked = program::Asked {
                promela: &promela,
                query: &args.query,
                reading: &args.model.reading,
                engine: &args.engine,
                otf: args.otf(),
                as_network: args.as_network,
            };
            let (answered, shown) = program::answer(&asked, &run, output)?;
            publish(args, &answered, shown.as_ref().map(|s| s as &dyn Shown), &run, output)
        }
    }
}

fn network_answer(args: &Args, read: (Network, Origin), run: &Run, output: &Output) -> Result<Exit, Failure> {
    let (problem, origin) = args.query.ask(read, &args.model.reading, output)?;
    let components = problem.network.components().len();
    let (engine, answer) = match choose(&args.engine, args.otf(), &problem) {
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
