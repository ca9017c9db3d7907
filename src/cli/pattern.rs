//! `prequel pattern`: the monitor that a pattern stands for, as a file.

use super::exit::{Exit, Failure};
use super::output::{Output, counted, write_files};
use crate::job::convert::in_memory;
use prequel_formats::aut;
use prequel_formats::pattern;
use serde_json::json;
use std::path::PathBuf;

/// Writes the monitor a pattern stands for: an automaton for its negation, as `--monitor` reads it
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Patterns (a, b, c are labels, bare or \"quoted\", or sets {a1, a2}):
  never(a)                      a does not occur
  precedes(b, a)                every a has an earlier b
  mutex(enter1/leave1, enter2/leave2, …)
                                at most one is between its enter and its leave
  at-most(k, a, b)              at most k a's between consecutive b's
  exactly(k, a, b)              exactly k a's between consecutive b's
  responds-within(a, {b…}, k)   after an a, one of b… is among the next k visible actions
  excluded(a, b, c)             no a between a b and the next c

Examples:
  prequel pattern 'mutex(enter1/leave1, enter2/leave2)' -o mutex.aut
  prequel check net.exp --monitor mutex.aut")]
pub struct Args {
    /// The pattern
    text: String,
    /// Where to write the monitor
    #[arg(short, long, value_name = "FILE.aut")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let pattern = pattern::read(&args.text)?;
    let (lts, labels) = pattern.file();
    let text = in_memory(|out| aut::write(&lts, |l| labels.name(l), out));
    write_files(&[(args.output.clone(), text)])?;
    let (states, transitions) = (lts.num_states(), lts.num_transitions());
    output.object(json!({
        "pattern": pattern.to_string(),
        "output": args.output.display().to_string(),
        "states": states,
        "transitions": transitions,
    }));
    let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
    output.say(format!("wrote {} ({states}, {transitions})", args.output.display()));
    Ok(Exit::Ok)
}
