//! `prequel convert`: between any readable and any writable format, minimised on the way if asked.

use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{QueryArgs, ReadingArgs};
use super::limits::LimitArgs;
use super::output::{Output, counted, write_to_folders};
use crate::job;
use crate::job::convert::written_as;
use crate::job::{Contents, Convert, Equivalence, Models, NetworkSize};
use prequel_formats::list::OutputFormat;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Converts between formats: the output's extension chooses what is written
///
/// OUT.exp is the network with its components in OUT.d/; OUT.aut is one system: the product, where there are several
/// components; OUT.pml is Promela for SPIN, which reports a deadlock as an invalid end state; OUT.pnml and OUT.lola are Petri
/// nets; OUT.wdes are Supremica's automata; OUT.smv, OUT.aag and OUT.aig are circuits, which state that what is asked holds, or that
/// there is no deadlock; OUT.dot is a picture.
///
/// A Promela model becomes the network of its components: a step in which an assertion or something else fails is seen as
/// `error`, and a deadlock is an invalid end state. So `--pattern 'never(error)'` and `--deadlock-free` together are what the
/// model states.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel convert phil*.aut fork*.aut -o philo.exp
  prequel convert philo.exp -o product.aut
  prequel convert lts.aut -o small.aut --minimise branching
  prequel convert philo.exp -o philo.pml
  prequel convert philo.exp -o philo.dot
  prequel convert mutex.pml -o mutex.exp
  prequel convert philo.exp -o philo.aig --reach 'phil0@2 & phil2@2'
  prequel convert counter.smv -o counter.aag")]
pub struct Args {
    /// Model files
    #[arg(required = true, value_name = "IN")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[arg(short, long, value_name = "OUT", help = format!("Where to write; {}", OutputFormat::choice(|_| true)))]
    output: PathBuf,
    /// Minimise: strong, branching, dp-branching, weak, trace, weak-trace (for .exp: each component by itself)
    #[arg(long, value_name = "EQ")]
    minimise: Option<Equivalence>,
    /// What a circuit states.
    #[command(flatten)]
    query: QueryArgs,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    written_as(&args.output)?;
    let question = args.query.question();
    Places::default().read(&args.models).read(question.file()).written([&args.output]).apart()?;
    let models = Models { paths: args.models.clone(), reading: args.reading.reading() };
    let request = Convert { models, output: args.output.clone(), minimise: args.minimise, question };
    let converted = job::convert(&request, &args.limits.start(), output)?;
    write_to_folders(&converted.folders, &converted.files)?;
    let path = args.output.display().to_string();
    let mut object = json!({ "models": request.models.names(), "output": path, "files": converted.files.len() });
    for (name, count) in counts(&converted.contents) {
        object[name] = count;
    }
    if let Some(checks) = &converted.checks {
        object["checks"] = json!(checks);
    }
    output.object(object);
    output.say(format!("wrote {path} ({})", words(&converted.contents)));
    if let Some(checks) = converted.checks.filter(|checks| !checks.is_empty()) {
        output.note(format!("what the program states holds if these do: {}", checks.join("; ")));
    }
    Ok(Exit::Ok)
}

/// How much was written, for programs.
fn counts(contents: &Contents) -> Vec<(&'static str, Value)> {
    match contents {
        Contents::Network(NetworkSize { components, states, transitions, .. }) => {
            vec![("components", json!(components)), ("states", json!(states)), ("transitions", json!(transitions))]
        }
        Contents::Net { places, transitions, arcs } => {
            vec![("places", json!(places)), ("transitions", json!(transitions)), ("arcs", json!(arcs))]
        }
        Contents::Automata { automata, events, states, transitions } => vec![
            ("components", json!(automata)),
            ("events", json!(events)),
            ("states", json!(states)),
            ("transitions", json!(transitions)),
        ],
        Contents::Circuit { components, variables, bits } => {
            vec![("components", json!(components)), ("variables", json!(variables)), ("bits", json!(bits))]
        }
    }
}

/// How much was written, for people.
fn words(contents: &Contents) -> String {
    let several: Vec<String> = match contents {
        Contents::Network(NetworkSize { components, states, transitions, .. }) => {
            let parts = (*components != 1).then(|| format!("{components} components"));
            parts.into_iter().chain([counted(*states, "state"), counted(*transitions, "transition")]).collect()
        }
        Contents::Net { places, transitions, arcs } => {
            vec![counted(*places, "place"), counted(*transitions, "transition"), counted(*arcs, "arc")]
        }
        Contents::Automata { automata, events, states, transitions } => vec![
            if *automata == 1 { "1 automaton".into() } else { format!("{automata} automata") },
            counted(*events, "event"),
            counted(*states, "state"),
            counted(*transitions, "transition"),
        ],
        Contents::Circuit { components, variables, bits } => {
            vec![counted(*components, "component"), counted(*variables, "variable"), counted(*bits, "bit")]
        }
    };
    several.join(", ")
}
