//! `prequel convert`: between any readable and any writable format, minimised on the way if asked.

use super::exit::{Exit, Failure};
use super::input::ReadingArgs;
use super::limits::LimitArgs;
use super::output::{Output, print, write_files};
use super::progress;
use super::witness::in_memory;
use crate::algo::equivalence::{Equivalence, minimise};
use crate::algo::product::explicit;
use crate::emit::{self, aut, dot, exp};
use crate::model::{Component, Lts, Network};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Converts between formats: the output's extension chooses what is written
///
/// OUT.exp is the network with its components in OUT.d/; OUT.aut is one system: the product, where there are several
/// components; OUT.dot is a picture.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel convert phil*.aut fork*.aut -o philo.exp
  prequel convert philo.exp -o product.aut
  prequel convert lts.aut -o small.aut --minimise branching
  prequel convert philo.exp -o philo.dot")]
pub struct Args {
    /// Model files
    #[arg(required = true, value_name = "IN")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Where to write; .aut, .exp or .dot
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Minimise: strong, branching, dp-branching, weak, trace, weak-trace (for .exp: each component by itself)
    #[arg(long, value_name = "EQ")]
    minimise: Option<Equivalence>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let target = args.output.extension().and_then(|e| e.to_str()).unwrap_or_default().to_owned();
    if !emit::WRITABLE.contains(&target.as_str()) {
        let help = format!("writable are .{}", emit::WRITABLE.join(", ."));
        return Err(Failure::input(args.output.display().to_string(), "unknown extension of the output", help));
    }
    let (network, origin) = args.reading.read(&args.models, output)?;
    let refuse = |why: String| Failure::input(args.output.display().to_string(), why, "choose another format");
    let (files, states, transitions) = match target.as_str() {
        "aut" => {
            let Some(lts) = product(args, &network, output)? else { return Ok(Exit::Unknown) };
            let lts = minimised(lts, args, output)?;
            let mistakable = aut::mistakable(network.labels(), &lts.used_labels());
            if !mistakable.is_empty() {
                return Err(refuse(format!("label `{}` would be read back as the internal step", mistakable[0])));
            }
            let text = in_memory(|out| aut::write(&lts, |l| network.labels().name(l), out));
            (vec![(args.output.clone(), text)], lts.num_states(), lts.num_transitions())
        }
        "exp" => {
            let network = each_minimised(network, args, output)?;
            let total = |count: fn(&Lts) -> usize| network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
            let stem = args.output.file_stem().unwrap_or_default().to_string_lossy();
            let files = exp::write(&network, &stem).map_err(|e| refuse(e.to_string()))?;
            let folder = args.output.parent().unwrap_or(Path::new(""));
            let files = files.into_iter().map(|(path, text)| (folder.join(path), text)).collect();
            (files, total(Lts::num_states), total(Lts::num_transitions))
        }
        _ => {
            let network = each_minimised(network, args, output)?;
            let text = match network.components() {
                [one] => in_memory_or(|out| dot::component(&network, &origin, one, out)).map_err(refuse)?,
                _ => in_memory(|out| dot::interaction(&network, out)),
            };
            (vec![(args.output.clone(), text)], network.components().len(), 0)
        }
    };
    write_files(&files)?;
    output.object(json!({
        "models": args.models.iter().map(|m| m.display().to_string()).collect::<Vec<_>>(),
        "output": args.output.display().to_string(),
        "files": files.len(),
        "states": states,
        "transitions": transitions,
    }));
    output.say(format!("wrote {} ({states} states, {transitions} transitions)", args.output.display()));
    Ok(Exit::Ok)
}
