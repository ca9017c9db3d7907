//! `prequel simulate`: a run of a model, by chance, along a saved run, or by hand.

mod session;

use super::columns::Columns;
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::ModelArgs;
use super::limits::LimitArgs;
use super::output::{Output, counted};
use crate::job;
use crate::job::simulate::{Guide, Simulate, Simulation, Taken};
use prequel_model::rng::Rng;
use prequel_model::run::Run;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs a model step by step: by chance, along a witness or trail, or by hand
///
/// Claims and formulas take no part, but in a run that was saved for one. By hand, steps are chosen by number; `help` tells what else
/// can be said.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel simulate mutex.pml --seed 7                 a random run, the same each time with this seed
  prequel simulate mutex.pml --trail                  along mutex.pml.trail, as `spin -t -p` does
  prequel simulate net.pnml --witness w.json          along a witness that `prequel check` saved
  prequel simulate mutex.pml --interactive            choose each step yourself; go back, watch, stop at lines
  echo 'random 5' | prequel simulate mutex.pml -i     the same from a file or a pipe

Exit: 0 it ran, 1 something went wrong in the run or nothing can move, 2 a limit was reached, 3 bad input.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Follow a witness that `prequel check --witness FILE` saved
    #[arg(long, value_name = "FILE", conflicts_with = "trail")]
    witness: Option<PathBuf>,
    /// Follow a trail of SPIN's: MODEL.trail, or FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    trail: Option<Option<PathBuf>>,
    /// Choose steps by hand: commands are read from standard input
    #[arg(long, short)]
    interactive: bool,
    /// Stop a random run after so many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    steps: usize,
    /// Show also, behind each step, the value of an expression over the model; may be repeated
    #[arg(long, value_name = "EXPR")]
    watch: Vec<String>,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

impl Args {
    fn guide(&self) -> Option<Guide> {
        let beside = || {
            let mut name = self.model.models[0].clone().into_os_string();
            name.push(".trail");
            PathBuf::from(name)
        };
        let trail = self.trail.clone().map(|path| Guide::Trail(path.unwrap_or_else(beside)));
        self.witness.clone().map(Guide::Witness).or(trail)
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let guide = args.guide();
    let named = guide.iter().map(|guide| match guide {
        Guide::Witness(path) | Guide::Trail(path) => path,
    });
    Places::default().read(&args.model.models).read(named).apart()?;
    let standard_input = args.model.models.iter().any(|path| path.as_os_str() == "-");
    if args.interactive && standard_input {
        let help = "name a file: commands are read from standard input";
        return Err(Failure::input("-", "the model cannot be there too", help));
    }
    let request = Simulate { models: args.model.models(), guide };
    let run = args.limits.start();
    let mut exit = Exit::Ok;
    job::simulate::simulate(&request, &run, output, &mut |simulation| {
        exit = if args.interactive {
            session::hold(simulation, args, output)?
        } else {
            automatic(simulation, args, &run, output)?
        };
        Ok(())
    })?;
    Ok(exit)
}

/// Numbers of expressions that are watched, with their texts.
fn watches(simulation: &mut dyn Simulation, texts: &[String]) -> Result<Vec<(usize, String)>, Failure> {
    texts.iter().map(|text| Ok((simulation.watch(text)?, text.clone()))).collect()
}

/// The cells of a step, as far as they are the same everywhere.
fn cells(number: usize, taken: &Taken) -> Vec<String> {
    let Taken { offered, message, changes, .. } = taken;
    [&number.to_string(), &offered.who, &offered.what, message, changes, &offered.place].map(String::clone).to_vec()
}

const HEAD: [&str; 6] = ["#", "who", "what", "message", "changes", "line"];

/// Along the run to follow, or by chance, until it ends.
fn automatic(simulation: &mut dyn Simulation, args: &Args, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let watched = watches(simulation, &args.watch)?;
    let mut rng = Rng::new(args.limits.seed);
    let (mut rows, mut steps, mut fault) = (Vec::new(), Vec::new(), None);
    let most = if simulation.guide() > 0 || args.guide().is_some() { simulation.guide() } else { args.steps };
    while fault.is_none() && simulation.steps() < most {
        run.allowed()?;
        let choice = match simulation.guided() {
            Some(choice) => choice,
            None if args.guide().is_some() => break,
            None => match simulation.offered().len() {
                0 => break,
                several => rng.below(several),
            },
        };
        let taken = simulation.take(choice);
        let mut row = cells(simulation.steps(), &taken);
        let values = watched.iter().map(|(number, text)| (text.clone(), simulation.watched(*number)));
        let values: Vec<(String, String)> = values.collect();
        row.extend(values.iter().map(|(_, value)| value.clone()));
        if output.json {
            steps.push(object(&taken, &values));
        }
        rows.push(row);
        fault = taken.fault;
    }
    let over = simulation.offered().is_empty();
    let end = match &fault {
        Some(fault) => vec![fault.clone()],
        None if over => simulation.end(),
        None => vec![format!("stopped after {}", counted(simulation.steps(), "step"))],
    };
    let stuck = fault.is_some() || over && !end[0].starts_with("the end");
    output.object(json!({
        "models": args.model.names(),
        "seed": args.limits.seed,
        "guided": args.guide().is_some(),
        "steps": steps,
        "end": end.join("\n"),
        "values": values_json(&simulation.values()),
    }));
    let head: Vec<&str> = HEAD.into_iter().chain(watched.iter().map(|(_, text)| text.as_str())).collect();
    let columns = Columns::new(&head, rows.iter().map(Vec::as_slice));
    let lines: Vec<String> = rows.iter().map(|row| columns.line(row)).collect();
    output.say([vec![columns.line(&head)], lines, end].concat().join("\n"));
    Ok(if stuck { Exit::False } else { Exit::Ok })
}

fn values_json(values: &[(String, String)]) -> Value {
    values.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn object(taken: &Taken, watched: &[(String, String)]) -> Value {
    let Taken { offered, process, message, changes, fault } = taken;
    json!({
        "process": process,
        "who": offered.who,
        "what": offered.what,
        "line": offered.place,
        "message": (!message.is_empty()).then_some(message),
        "changes": changes,
        "watched": values_json(watched),
        "fault": fault,
    })
}
