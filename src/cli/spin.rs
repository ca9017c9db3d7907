//! `prequel spin`: SPIN on the model, with smaller processes and our own search beside it; counterexamples replayed on the model.

use super::evidence::EvidenceArgs;
use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::{LimitArgs, two_at_most};
use super::output::Output;
use super::publication::{Form, Publication};
use super::reduce::ReductionArgs;
use crate::job;
use crate::job::{BeforeSpin, CertificateForm, Others, Spin};
use std::path::PathBuf;

/// Asks SPIN, with our own engines and smaller processes beside it; replays counterexamples on the model, prints one verdict
///
/// SPIN starts on the model as it is at once. Beside it, on a second thread, our own engines take turns for a while, as in `prequel
/// check`; then processes become smaller (see `prequel reduce`), and our search and SPIN are asked about those. The first answer
/// counts, all others are stopped, and the last line says whose it is. So it never takes much longer than SPIN alone. With --threads 1 the
/// same is done with a small share before SPIN. With --compare and with options that say how to reduce, SPIN answers on the smaller
/// model, and on the model as it is where nothing became smaller. SPIN's counterexample is lifted back to the model and
/// replayed there, its cycles beside a claim too.
#[derive(clap::Args, Clone, Debug)]
#[command(mut_arg("threads", |threads| threads.default_value(two_at_most())))]
#[command(after_help = "\
Examples:
  prequel spin model.pml                        what the model states: assertions, end states, claims
  prequel spin model.pml --threads 1            on one thread: a short search and a quick reduction, then SPIN
  prequel spin model.pml --compare              SPIN on the smaller model, then on the model as it is: times and sizes of both
  prequel spin model.pml --compare --without split     the same, with one text for all processes of a kind
  prequel spin model.pml --no-reduce --trail    SPIN alone; a trail of single statements for `spin -t -p model.pml`
  prequel spin model.pml --ltl '[] (p -> <> q)' --fair    smaller processes beside a formula; a cycle comes back to the model
  prequel spin model.pml --certificate c.json   a `true` is shown by all states once more, and `prequel audit` does that again
  prequel spin net.exp --deadlock-free

Exit: 0 true, 1 false, 2 unknown, 3 bad input, 4 evidence rejected, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// Run SPIN on the model as it is
    #[arg(long, help_heading = "Reduction", conflicts_with_all = ["compare", "replace", "steps", "target_states", "without"])]
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
    /// Look at all states once more, without any reduction, and save what a `true` rests on, for `prequel audit`
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    certificate: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let Args { model, query, no_por, limits, evidence, certificate, no_reduce, compare, reduction } = args;
    let reduction = reduction.choice();
    let others = match limits.limits().threads {
        _ if *compare || reduction.is_set() => Others::None,
        1 => Others::InTurn,
        _ => Others::AtOnce,
    };
    let before = (!no_reduce).then_some(BeforeSpin { reduction, compare: *compare, others });
    let (models, one_witness) = (model.models(), evidence.wanted());
    let (question, certificate) = (query.question(), certificate.as_ref());
    let request = Spin {
        models,
        question: question.clone(),
        before,
        reduce: !no_por,
        certificate: certificate.map(|path| CertificateForm::of(path)),
        one_witness,
    };
    let publication = Publication { model, evidence, certificate, format: Form::Text };
    publication.publish(&question, limits, output, |run, observer| job::spin(request, run, observer))
}
