//! `prequel spin`: SPIN's answer, its counterexample replayed on the model.

use super::check;
use super::evidence::EvidenceArgs;
use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::Output;
use crate::engine::Refusal;

/// Runs SPIN (`spin -a`, the C compiler, `pan`), replays its counterexample on the model, prints one verdict
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel spin --no-reduce mutex.pml            what the model states: assertions, end states, never claim, ltl formulas
  prequel spin --no-reduce mutex.pml --trail    and a trail of single statements for `spin -t -p mutex.pml`
  prequel spin --no-reduce net.exp --deadlock-free

Exit: 0 true, 1 false, 2 unknown, 3 bad input, 4 evidence rejected, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// Run SPIN on the model as it is
    #[arg(long, help_heading = "Engine")]
    no_reduce: bool,
    /// Explore every interleaving: no partial-order reduction
    #[arg(long, help_heading = "Engine")]
    no_por: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    evidence: EvidenceArgs,
}

/// Runs the command: `check` with SPIN as the engine.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    if !args.no_reduce {
        let why = "no reduction before SPIN is built in yet; with --no-reduce SPIN runs on the model as it is";
        return Err(Refusal::new(why).into());
    }
    let Args { model, query, no_por, limits, evidence, .. } = args.clone();
    check::run(&check::Args::with_spin(model, query, no_por, limits, evidence), output)
}
