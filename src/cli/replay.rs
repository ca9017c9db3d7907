//! `prequel replay`: a saved witness on a model, step by step.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::BoundArgs;
use super::output::{Output, counted, print};
use super::witness::Shown as _;
use crate::job::{Models, NetworkWitness, Question, circuit, des, net, program};
use crate::open as model;
use crate::open::{CircuitFile, Model, NetFile, ProgramFile};
use prequel_evidence::Checked;
use prequel_evidence::witness::{NetworkRun, seen_as};
use prequel_formats::firing;
use prequel_formats::witness;
use prequel_model::run::Run;
use prequel_model::{Goal, Problem, Query};
use prequel_program::saved_run;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Replays a saved witness on a model, step by step
///
/// Without a query it is checked that the witness is a path of the model; with one, also that its end shows the verdict. A run of
/// a Promela model or a path of a circuit must show what was asked when it was saved.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel check net.exp --deadlock-free --witness w.json
  prequel replay net.exp --witness w.json
  prequel replay net.exp --witness w.json --deadlock-free

Exit: 0 it replays, 1 it does not, 2 a limit was reached, 3 bad input.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The witness, as `prequel check --witness` saved it
    #[arg(long, value_name = "FILE")]
    witness: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// Draw it as a message sequence chart instead of a table
    #[arg(long)]
    chart: bool,
    /// What it may use.
    #[command(flatten)]
    pub limits: BoundArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let (models, question) = (args.model.models(), args.query.question());
    let run = Run::new(args.limits.limits(), 0);
    let (network, origin, asked) = match models.read(&run, output)? {
        Model::Network(network, origin) => (network, origin, None),
        Model::Des(des) => {
            let (problem, origin) = des::problem(&des, &question, &models.reading, output)?;
            let query = (!question.is_stated()).then_some(problem.query);
            (problem.network, origin, query)
        }
        Model::Program(promela) => return run_again(args, &promela, &question, output),
        Model::Net(file) => return fire_again(args, &file, (&models, &question), output),
        Model::Circuit(file) => return walk_again(args, &file, &question, output),
    };
    let text = model::bytes(&args.witness)?;
    let (saved, warnings) = witness::read(&args.witness.display().to_string(), &text, &network, &origin)?;
    output.warn(&warnings);
    let (problem, origin) = match asked {
        Some(query) => (Problem { network, query }, origin),
        None if !question.is_stated() => question.ask((network, origin), &models.reading, output)?,
        // Every end shows that something is reachable, so only the path itself is checked.
        None => (Problem { network, query: Query::Reach(Goal::And(vec![])) }, origin),
    };
    let steps = saved.trace.steps.len();
    let checked = Checked::new(NetworkRun { problem: Arc::new(problem), trace: saved.trace })
        .and_then(|run| seen_as(&run.run().problem.network, &run.run().trace, &saved.actions).map(|()| run));
    let reason = checked.as_ref().err().map(ToString::to_string);
    if let Ok(run) = checked {
        let shown = NetworkWitness::new(run, origin, &models.reading.dialect);
        output.say(if args.chart { shown.text_chart()? } else { shown.table() });
    }
    Ok(report(args, &saved.query.text, steps, reason, output))
}

/// Does a run of a program again.
fn run_again(args: &Args, promela: &ProgramFile, question: &Question, output: &Output) -> Result<Exit, Failure> {
    let saved = saved_run::read(&args.witness.display().to_string(), &model::bytes(&args.witness)?)?;
    let replayed = program::replayed(promela, &saved, question)?;
    if let Ok(shown) = &replayed {
        output.say(if args.chart { shown.text_chart()? } else { shown.table() });
    }
    let reason = replayed.err().map(|why| why.to_string());
    Ok(report(args, &saved.query, saved.len(), reason, output))
}

/// Fires a sequence of a net again.
fn fire_again(
    args: &Args,
    file: &Arc<NetFile>,
    (models, question): (&Models, &Question),
    output: &Output,
) -> Result<Exit, Failure> {
    let text = model::bytes(&args.witness)?;
    let (saved, sequence) = firing::read(&args.witness.display().to_string(), &text, &file.net)?;
    let steps = sequence.len();
    let replayed = net::replayed(file, &saved, sequence, question, &models.reading, output)?;
    if let Ok(shown) = &replayed {
        output.say(if args.chart { shown.text_chart()? } else { shown.table() });
    }
    Ok(report(args, &saved.query, steps, replayed.err(), output))
}

/// Walks along a path of a circuit again.
fn walk_again(args: &Args, file: &CircuitFile, question: &Question, output: &Output) -> Result<Exit, Failure> {
    let (saved, steps, replayed) = circuit::replayed(file, &args.witness, question)?;
    if let Ok(shown) = &replayed {
        output.say(if args.chart { shown.text_chart()? } else { shown.table() });
    }
    Ok(report(args, &saved.query, steps, replayed.err(), output))
}

/// Says whether it could be done, and why not.
fn report(args: &Args, saved_query: &str, steps: usize, reason: Option<String>, output: &Output) -> Exit {
    let replays = reason.is_none();
    output.object(json!({
        "models": args.model.names(),
        "witness": args.witness.display().to_string(),
        "query": args.query.question().text(),
        "saved_query": saved_query,
        "replays": replays,
        "reason": reason,
        "steps": steps,
    }));
    output.say(match &reason {
        None => format!("the witness replays: {}", counted(steps, "step")),
        Some(why) => format!("the witness does not replay: {why}"),
    });
    if !output.json {
        let evidence = args.witness.display();
        print(&format!("RESULT {replays} engine=replay evidence={evidence} checked=yes\n"));
    }
    if replays { Exit::Ok } else { Exit::False }
}
