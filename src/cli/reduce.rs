//! `prequel reduce`: processes are replaced by smaller ones with the same verdict, and the smaller model is written.

use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{Output, counted, write_to_folders};
use super::report::processes_json;
use crate::job;
use crate::job::convert::written_as;
use crate::job::reduction::{Method, ReductionChoice, Rule};
use crate::job::{ProcessChange, Reduce, SmallerFiles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;
use std::path::PathBuf;

/// Replaces processes by smaller ones with the same verdict and writes the smaller model
///
/// The output's extension chooses what is written, as for `convert`. A limit stops the refinement, not the command: what there
/// is by then has the same verdict and is written. Without --time, --states or --steps the refinement ends after some seconds.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel reduce model.pml -o small.pml          your text, with smaller processes
  prequel reduce net.exp --property p.aut -o small.pml
  prequel reduce net.exp --deadlock-free --replace server --steps 50 -o small.exp
  prequel reduce net.exp --reach 'a@3 & b@1' --method minimise -o small.exp
  prequel reduce net.exp --pattern 'never(bad)' --method icc --steps 100 -o small.exp
  prequel reduce model.pml --without split --without constants -o small.pml
  prequel reduce net.exp --property p.aut --explain=a.dot    what is assumed of each process, in words and as a picture

Exit: 0 done, 2 refused, 3 bad input, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    reduction: ReductionArgs,
    /// Where to write; .aut, .exp, .pml or .dot
    #[arg(short, long, value_name = "OUT", required_unless_present = "explain")]
    output: Option<PathBuf>,
    /// Tell what each assumption says and which changes it allows; with a file, draw them too
    #[arg(long, value_name = "FILE.dot", num_args = 0..=1, require_equals = true, help_heading = "Evidence")]
    explain: Option<Option<PathBuf>>,
    /// Save the map from states to classes
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    certificate: Option<PathBuf>,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Which processes are replaced, and how far that goes.
#[derive(clap::Args, Clone, Debug)]
pub struct ReductionArgs {
    /// How processes are replaced [default: residual for Promela texts, else quotient]
    #[arg(long, value_enum, help_heading = "Reduction")]
    method: Option<MethodArg>,
    /// What else is kept, besides all that the model states: with residual, every step of a run
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Reduction")]
    keep: Vec<KeepArg>,
    /// Leave out one of the reductions of residual; may be given several times
    #[arg(long, value_name = "RULE", value_parser = rules(), help_heading = "Reduction")]
    without: Vec<Rule>,
    /// Replace only this process; may be given several times, in the order of replacement
    #[arg(long, value_name = "NAME", help_heading = "Reduction")]
    replace: Vec<String>,
    /// Refinement steps for each process; for icc, checks
    #[arg(long, value_name = "N", help_heading = "Reduction")]
    steps: Option<u64>,
    /// Stop refining once a process has no more states than this
    #[arg(long, value_name = "N", help_heading = "Reduction")]
    target_states: Option<usize>,
    /// With icc: where a counterexample is found, keep the words that make it and nothing else
    #[arg(long, help_heading = "Reduction")]
    selected: bool,
}

/// How processes are replaced, on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodArg {
    /// By quotients that keep whether the error is reachable
    Quotient,
    /// By bisimilar components
    Minimise,
    /// By what a search for counterexamples has not ruled out
    Icc,
    /// By what is left of a Promela model's statements once local variables are part of control
    Residual,
}

/// What is kept, on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum KeepArg {
    /// Assertions: always kept
    Assertions,
    /// End states: always kept by residual
    EndStates,
    /// Formulas and claims: always kept by residual
    Ltl,
    /// Progress and acceptance: always kept by residual
    Progress,
    /// Weak fairness, also where processes meet by rendezvous; `--fair` asks for it too
    Fairness,
    /// Every step: only values that nobody reads any more are forgotten
    States,
}

/// The reductions by their names.
fn rules() -> impl TypedValueParser<Value = Rule> {
    let value = |rule: Rule| PossibleValue::new(rule.name()).help(rule.about());
    let named = |name: String| Rule::ALL.into_iter().find(|rule| rule.name() == name).ok_or("no rule is called so");
    PossibleValuesParser::new(Rule::ALL.map(value)).try_map(named)
}

impl ReductionArgs {
    /// What is chosen.
    pub fn choice(&self) -> ReductionChoice {
        let method = self.method.map(|method| match method {
            MethodArg::Quotient => Method::Quotient,
            MethodArg::Minimise => Method::Minimise,
            MethodArg::Icc => Method::Icc,
            MethodArg::Residual => Method::Residual,
        });
        let keep_states = self.keep.contains(&KeepArg::States);
        let keep_fairness = self.keep.contains(&KeepArg::Fairness);
        let (replace, selected, steps) = (self.replace.clone(), self.selected, self.steps);
        let (target_states, without) = (self.target_states, self.without.clone());
        ReductionChoice {
            method,
            replace,
            steps,
            target_states,
            selected,
            keep_states,
            keep_fairness,
            without,
            ..ReductionChoice::default()
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let request = Reduce {
        models: args.model.models(),
        question: args.query.question(),
        reduction: args.reduction.choice(),
        output: args.output.clone(),
        explain: args.explain.clone(),
        certificate: args.certificate.clone(),
    };
    if let Some(path) = &args.output {
        written_as(path)?;
    }
    let places = Places::default().read(&args.model.models).read(request.question.file());
    places.written(&args.output).written(&args.certificate).written(args.explain.iter().flatten()).apart()?;
    let smaller = job::reduce(&request, &args.limits.start(), output)?;
    write_to_folders(&smaller.folders, &smaller.files)?;
    smaller.notes.iter().for_each(|note| output.note(note));
    report(args, &smaller, output);
    Ok(Exit::Ok)
}

fn report(args: &Args, smaller: &SmallerFiles, output: &Output) {
    let SmallerFiles { query, method, changes, states, transitions, asked, size, explained, seconds, beside, .. } =
        smaller;
    let steps: u64 = changes.iter().map(|change| change.steps).sum();
    output.object(json!({
        "models": args.model.names(),
        "query": query,
        "method": method.name(),
        "output": args.output.as_ref().map(|path| path.display().to_string()),
        "query_on_output": if let [one] = asked.as_slice() { Some(one) } else { None },
        "queries_on_output": asked,
        "processes": processes_json(changes),
        "narrowed": beside.narrowed.iter().map(|narrowed| json!({
            "process": narrowed.process,
            "name": narrowed.name,
            "type_before": narrowed.types[0],
            "type_after": narrowed.types[1],
        })).collect::<Vec<_>>(),
        "exclusive": beside.exclusive.iter().map(|exclusive| json!({
            "process": exclusive.process,
            "promise": exclusive.word,
            "channel": exclusive.channel,
        })).collect::<Vec<_>>(),
        "states_before": states[0],
        "states_after": states[1],
        "transitions_before": transitions[0],
        "transitions_after": transitions[1],
        "steps": steps,
        "seconds": seconds,
    }));
    output.say(ProcessChange::table(changes));
    beside.lines().into_iter().for_each(|line| output.say(line));
    if !asked.is_empty() {
        output.say(format!("to be asked of it: {}", asked.join("; ")));
    }
    let steps = counted(steps, "step");
    match &args.output {
        Some(path) => output.say(format!("wrote {} ({size}; {steps}, {seconds:.3} s)", path.display())),
        None => output.say(format!("wrote nothing ({size}; {steps}, {seconds:.3} s)")),
    }
    if let Some(explained) = explained {
        output.say(explained);
    }
}
