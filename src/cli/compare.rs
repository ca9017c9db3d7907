//! `prequel compare`: are two models equivalent, and if not, what tells them apart?

use super::exit::{Exit, Failure};
use super::input::ReadingArgs;
use super::limits::LimitArgs;
use super::output::{Output, print};
use crate::job;
use crate::job::{Compare, Comparison, Equivalence, ModelDifference};
use prequel_model::{Distinction, LabelId, Labels, Side};
use serde_json::json;
use std::path::PathBuf;

/// Tells whether two models are equivalent, with a distinguishing trace where they are not
///
/// A network counts as its product, seen from outside: hidden labels are internal steps.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel compare spec.aut impl.exp --equivalence weak-trace
  prequel compare before.aut after.aut --equivalence branching

Exit: 0 equivalent, 1 different, 2 a limit, 3 bad input.")]
pub struct Args {
    /// The first model
    #[arg(value_name = "A")]
    left: PathBuf,
    /// The second model
    #[arg(value_name = "B")]
    right: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    /// strong, branching, dp-branching, weak, trace or weak-trace
    #[arg(long, short, value_name = "EQ")]
    equivalence: Equivalence,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let models = [args.left.clone(), args.right.clone()];
    let request = Compare { models, reading: args.reading.reading(), equivalence: args.equivalence };
    let Comparison { difference, labels } = job::compare(&request, &args.limits.start(), output)?;
    let difference = difference.map(|difference| Told::of(&difference, args, &labels));
    let equivalent = difference.is_none();
    let (left, right) = (args.left.display().to_string(), args.right.display().to_string());
    output.object(json!({
        "models": [left, right],
        "equivalence": args.equivalence.name(),
        "equivalent": equivalent,
        "trace": difference.as_ref().and_then(|d| d.trace.clone()),
        "by": difference.as_ref().and_then(|d| d.by.clone()),
        "difference": difference.as_ref().map(|d| &d.text),
    }));
    output.say(match &difference {
        None => format!("{left} and {right} are {}-equivalent", args.equivalence),
        Some(told) => format!("{left} and {right} are not {}-equivalent: {}", args.equivalence, told.text),
    });
    if !output.json {
        let evidence = if equivalent { "none" } else { "inline" };
        let checked = if difference.is_some_and(|told| told.checked) { "yes" } else { "no" };
        print(&format!("RESULT {equivalent} engine=compare evidence={evidence} checked={checked}\n"));
    }
    Ok(if equivalent { Exit::Ok } else { Exit::False })
}

/// A difference in words.
struct Told {
    text: String,
    trace: Option<Vec<String>>,
    by: Option<String>,
    /// Whether it was tried on both models.
    checked: bool,
}

impl Told {
    fn of(difference: &ModelDifference, args: &Args, labels: &Labels) -> Self {
        let who = |side: &Side| match side {
            Side::Left => args.left.display().to_string(),
            Side::Right => args.right.display().to_string(),
        };
        let names = |trace: &[LabelId]| trace.iter().map(|&l| labels.name(l).to_owned()).collect::<Vec<_>>();
        let spelt = |trace: &[LabelId]| {
            if trace.is_empty() { "nothing at all".to_owned() } else { names(trace).join(" · ") }
        };
        let plain = |text: &str| Told { text: text.into(), trace: None, by: None, checked: false };
        let shown = match difference {
            ModelDifference::Shown(shown) => shown,
            ModelDifference::SilentChoice => {
                return plain("they are weakly bisimilar, but silent steps lose different options");
            }
            ModelDifference::Divergence => {
                return plain("they are branching bisimilar, but only one can go round silently for ever");
            }
            ModelDifference::Unexplained => return plain("what tells them apart is too long to be read"),
        };
        let checked = shown.verdict().is_checked();
        match &shown.run().distinction {
            Distinction::Trace { trace, by } => Told {
                text: format!("only {} can do\n  {}", who(by), spelt(trace)),
                trace: Some(names(trace)),
                by: Some(who(by)),
                checked,
            },
            Distinction::MarkedTrace { trace, by } => Told {
                text: format!("only {} can be in a marked state after\n  {}", who(by), spelt(trace)),
                trace: Some(names(trace)),
                by: Some(who(by)),
                checked,
            },
            Distinction::Formula(formula) => Told {
                text: format!(
                    "no trace tells them apart, but this is true of {} only\n  {}",
                    who(&Side::Left),
                    formula.display(labels, shown.run().steps)
                ),
                trace: None,
                by: Some(who(&Side::Left)),
                checked,
            },
        }
    }
}
