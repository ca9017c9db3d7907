//! `prequel replay`: a saved witness on a model, step by step.

use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{ModelArgs, QueryArgs};
use super::limits::BoundArgs;
use super::output::{Output, counted, print, write_files};
use super::witness::{pictures, shown};
use crate::job;
use crate::job::{Replay, Replayed};
use prequel_formats::picture::extent::Extent;
use prequel_formats::picture::page::About;
use prequel_model::run::Run;
use serde_json::json;
use std::path::PathBuf;

/// Replays a saved witness on a model, step by step
///
/// Without a query it is checked that the witness is a path of the model; with one, also that its end shows the verdict. A run of
/// a Promela model, a run without an end or a path of a circuit must show what was asked when it was saved.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel check net.exp --deadlock-free --witness w.json
  prequel replay net.exp --witness w.json
  prequel replay net.exp --witness w.json --deadlock-free
  prequel replay model.pml --witness run.json --html run.html

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
    /// Give buffered channels lanes of their own in charts of programs
    #[arg(long)]
    channel_lanes: bool,
    /// Show it as a page for a browser, too: table, values, source and chart, step by step
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// What it may use.
    #[command(flatten)]
    pub limits: BoundArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let (read, witness) = (&args.model.models, &args.witness);
    Places::default().read(read).read([witness]).read(args.query.question().file()).written(&args.html).apart()?;
    let (models, question, witness) = (args.model.models(), args.query.question(), args.witness.clone());
    let request = Replay { models, witness, question };
    let replayed = job::replay(&request, &Run::new(args.limits.limits(), 0), output)?;
    if let Ok(witness) = &replayed.shown {
        let shown = shown(witness);
        if let Some(path) = &args.html {
            let Replayed { saved_query: question, sources, .. } = &replayed;
            let about = About { model: &args.model.names().join(" "), question, sources };
            write_files(&[(path.clone(), pictures::html(&shown.page(args.channel_lanes), about)?)])?;
        }
        output.say(if args.chart { shown.text_chart(args.channel_lanes)? } else { shown.table(Extent::Whole) });
    }
    Ok(report(args, &replayed, output))
}

/// Says whether it could be done, and why not.
fn report(args: &Args, Replayed { saved_query, steps, shown, .. }: &Replayed, output: &Output) -> Exit {
    let reason = shown.as_ref().err();
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
        None => format!("the witness replays: {}", counted(*steps, "step")),
        Some(why) => format!("the witness does not replay: {why}"),
    });
    if !output.json {
        let evidence = args.witness.display();
        print(&format!("RESULT {replays} engine=replay evidence={evidence} checked=yes\n"));
    }
    if replays { Exit::Ok } else { Exit::False }
}
