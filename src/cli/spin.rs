//! `prequel spin`: smaller processes, SPIN's answer, its counterexample lifted back and replayed on the model.

use super::evidence::EvidenceArgs;
use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::Output;
use super::publication::{Form, Publication};
use super::reduce::ReductionArgs;
use crate::job;
use crate::job::{BeforeSpin, Spin};

/// Replaces processes by smaller ones, runs SPIN on the result, replays its counterexample on the model, prints one verdict
///
/// A Promela model keeps its text but for the processes that become smaller (see `prequel reduce`); where none does, SPIN runs on
/// the model as it is, and the reason is said. With --threads 2 SPIN runs on the model as it is at the same time, and who is done
/// first answers: so a model that gains nothing costs nothing. SPIN's counterexample is lifted back to the model and replayed
/// there.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel spin model.pml                        what the model states: assertions, end states
  prequel spin model.pml --threads 2            the smaller model and the model as it is, at once: the first answer counts
  prequel spin model.pml --compare              the smaller model, then the model as it is, and the numbers of both
  prequel spin model.pml --no-reduce --trail    SPIN alone; a trail of single statements for `spin -t -p model.pml`
  prequel spin net.exp --deadlock-free

Exit: 0 true, 1 false, 2 unknown, 3 bad input, 4 evidence rejected, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// Run SPIN on the model as it is
    #[arg(long, help_heading = "Reduction", conflicts_with_all = ["compare", "replace", "steps", "target_states"])]
    no_reduce: bool,
    /// Run SPIN on the model as it is, too, and print both counts and times
    #[arg(long, help_heading = "Reduction")]
    compare: bool,
    #[command(flatten)]
    reduction: ReductionArgs,
    /// Explore every interleaving: no partial-order reduction by SPIN
    #[arg(long, help_heading = "Engine")]
    no_por: bool,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    evidence: EvidenceArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let Args { model, query, no_por, limits, evidence, no_reduce, compare, reduction } = args;
    let reduction = reduction.choice();
    // What is printed depends on who is first: so only where more than one thread is asked for.
    let race = limits.threads > 1 && !compare && !reduction.is_set();
    let before = (!no_reduce).then_some(BeforeSpin { reduction, compare: *compare, race });
    let question = query.question();
    let (models, one_witness) = (model.models(), evidence.wanted());
    let request = Spin { models, question: question.clone(), before, reduce: !no_por, one_witness };
    let publication = Publication { model, evidence, certificate: None, format: Form::Text };
    publication.publish(&question, limits, output, |run, observer| job::spin(request, run, observer))
}
