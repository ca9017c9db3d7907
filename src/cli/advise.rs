//! `prequel advise`: which engine or reduction to try first, and why.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::output::{Output, counted};
use crate::job;
use crate::job::portfolio::rules::Entry;
use crate::job::{Advice, Advise, Advised, First, Shape, Trial, Verdict};
use prequel_formats::units::{bytes, time};
use prequel_model::run::Limits;
use serde_json::{Value, json};
use std::time::Duration;

/// Says which engine or reduction to try first and why, and when compositional checking is not worth it
///
/// Every engine is tried on the question for a short time. Where none answers, the advice is a guess from the shape of the network.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel advise net.exp --deadlock-free
  prequel advise model.pml                             what the model states
  prequel advise net.exp --reach 'a@1 & b@2' --each 5s

Exit: 0 there is advice, 2 no engine takes the question, 3 bad input, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// How long each engine is tried
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "1s", help_heading = "Limits")]
    each: Duration,
    /// Stop after this time with `unknown`, whoever was not tried yet (500ms, 30s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Limits")]
    time: Option<Duration>,
    /// Resident memory at which a trial ends
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "2G", help_heading = "Limits")]
    memory: u64,
}

impl Args {
    /// What all trials together may use.
    pub fn limits(&self) -> Limits {
        Limits { time: self.time, memory: Some(self.memory), ..Limits::default() }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let (models, question) = (args.model.models(), args.query.question());
    let request = Advise { models, question, each: args.each, limits: args.limits() };
    let Advised { shape, trials, smaller, advice } = job::advise(&request, output)?;
    let command = advice.as_ref().map(|advice| command(&request, advice));
    output.object(json!({
        "models": args.model.names(),
        "query": request.question.text(),
        "components": shape.as_ref().map(|shape| shape.components),
        "components_named": shape.as_ref().map(|shape| shape.named),
        "log10_bound": shape.as_ref().map(|shape| shape.bound),
        "auto": shape.as_ref().map(|shape| shape.lineup.iter().map(entry_json).collect::<Vec<_>>()),
        "tried": trials.iter().map(trial_json).collect::<Vec<_>>(),
        "processes": smaller.map(|[before, after]| json!({ "states_before": before, "states_after": after })),
        "command": command,
        "why": advice.as_ref().map(|advice| &advice.why),
        "guess": advice.as_ref().map(|advice| advice.guess),
    }));
    if let Some(shape) = &shape {
        output.say(shape_text(shape));
        output.say(lineup_text(&shape.lineup));
    }
    output.say(table(&trials));
    let (Some(advice), Some(command)) = (advice, command) else {
        output.say("no engine takes this question");
        return Ok(Exit::Unknown);
    };
    output.say(format!("try first: {command}\n  {}", advice.why.join("\n  ")));
    Ok(Exit::Ok)
}

/// What is advised, as a command.
fn command(request: &Advise, advice: &Advice) -> String {
    let models = request.models.names().join(" ");
    let query = request.question.text().map(|text| format!(" {text}")).unwrap_or_default();
    let time = if advice.guess { " --time 10m" } else { "" };
    match advice.first {
        First::Engine(engine) => format!("prequel check {models}{query} --engine {engine}{time}"),
        First::SpinOnSmaller => format!("prequel spin {models}{time}"),
    }
}

fn shape_text(shape: &Shape) -> String {
    let (components, bound) = (counted(shape.components, "component"), shape.bound);
    let named = shape.named.map(|named| format!("; the question names {named}")).unwrap_or_default();
    format!("{components}, at most 10^{bound:.1} global states{named}")
}

/// Whom `auto` asks, a line each.
fn lineup_text(lineup: &[Entry]) -> String {
    let lines = lineup.iter().map(|entry| format!("  {:<16} {}", entry.name, entry.why));
    std::iter::once("auto asks, in turns:".to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn entry_json(entry: &Entry) -> Value {
    json!({ "engine": entry.engine, "name": entry.name, "why": entry.why })
}

fn trial_json(trial: &Trial) -> Value {
    let Trial { engine, verdict, effort } = trial;
    json!({
        "engine": engine, "verdict": verdict.word(), "reason": verdict.reason().map(ToString::to_string),
        "reason_kind": verdict.reason_kind(), "seconds": effort.seconds,
        "states_total": effort.states_total, "states_peak": effort.states_peak,
    })
}

fn table(trials: &[Trial]) -> String {
    let head = ["answer", "seconds", "states", "largest check"];
    let mut lines = vec![format!("{:<10} {:<6} {:>8} {:>10} {:>13}", "engine", head[0], head[1], head[2], head[3])];
    for trial in trials {
        let [answer, seconds, states, peak, why] = cells(trial);
        lines.push(
            format!("{:<10} {answer:<6} {seconds:>8} {states:>10} {peak:>13}  {why}", trial.engine).trim_end().into(),
        );
    }
    lines.join("\n")
}

fn cells(trial: &Trial) -> [String; 5] {
    let (verdict, why) = match &trial.verdict {
        Verdict::Unknown(why) => ("-", why.to_string()),
        decided => (decided.word(), String::new()),
    };
    let number = |n: u64| if trial.refused() { "-".into() } else { n.to_string() };
    let seconds = if trial.refused() { "-".into() } else { format!("{:.3}", trial.effort.seconds) };
    [verdict.into(), seconds, number(trial.effort.states_total), number(trial.effort.states_peak), why]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn advice_is_a_command() {
        let args = Line::parse_from(["advise", "net.exp", "--deadlock-free"]).args;
        let (models, question) = (args.model.models(), args.query.question());
        let request = Advise { models, question, each: args.each, limits: args.limits() };
        let advised = |first, guess| command(&request, &Advice { first, why: Vec::new(), guess });
        let icc = "prequel check net.exp --deadlock-free --engine icc";
        assert_eq!(advised(First::Engine("icc"), false), icc);
        assert_eq!(advised(First::Engine("icc"), true), format!("{icc} --time 10m"));
        assert_eq!(advised(First::SpinOnSmaller, true), "prequel spin net.exp --time 10m");
    }
}
