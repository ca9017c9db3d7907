//! `prequel check`: decides a query, replays and prints the witness.

use super::choice::EngineArgs;
use super::evidence::EvidenceArgs;
use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{NO_ANSWER, Output};
use super::publication::{Form, Publication};
use super::reached;
use super::reached::Unreached;
use super::remarks;
use super::report;
use crate::job;
use crate::job::{CertificateForm, Check};
use std::path::PathBuf;

/// Decides the query, prints the verdict, replays and prints the witness
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel check phil*.aut fork*.aut --deadlock-free
  prequel check net.exp --reach 'phil0@2 & phil2@2' --witness w.json
  prequel check abp.exp --pattern 'precedes(send, recv)' --chart=w.svg
  prequel check mutex.pml                                  what the model states
  prequel check mutex.pml --ltl '[] (trying -> <> inside)' --fair
  prequel check mutex.pml --non-progress                   runs that make no progress, as SPIN's -l
  prequel check mutex.pml --no-stuck                       nobody stays blocked for ever
  prequel check model.dve --reach 'P_0.CS and P_1.CS'      a DVE expression over variables and states
  prequel check net.pnml --reach 'p1 + p2 >= 2'            tokens of a Petri net
  prequel check net.exp --ltl '[] (a@2 -> <> action(b))'   runs without an end of a network, a net or a DVE model
  prequel check net.pnml ReachabilityCardinality.xml --format mcc
  prequel check plant.wmod                                 nonblocking, as Supremica asks it
  prequel check plant.wmod --controllable
  prequel check counter.smv                                the invariants that it states
  prequel check counter.aig --engine bdd --certificate c.json
  prequel check net.exp --deadlock-free --engine citp-pa --certificate c.json
  prequel check net.exp --deadlock-free --certificate c.smt2    and then, for example, `z3 c.smt2`: three times `unsat`
  prequel check mutex.pml --reach 'inside == 2 & user@cs'  a Promela expression over globals and labels
  prequel check big.exp --monitor bad.aut --time 60s --memory 4G --threads 2 --json

Exit: 0 true, 1 false, 2 unknown, 3 bad input, 4 evidence rejected, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    engine: EngineArgs,
    /// Search a Promela program as it is written: no unused variables reset, no unnoticed steps merged (with `--no-por`: a
    /// shortest run to an error)
    #[arg(long, overrides_with = "optimise", help_heading = "Engine")]
    no_optimise: bool,
    /// The opposite, which is usual
    #[arg(long, overrides_with = "no_optimise", hide = true)]
    optimise: bool,
    /// Put a Promela program or Petri net into components first, also where the engine could run it as it is
    #[arg(long, help_heading = "Engine")]
    as_network: bool,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    evidence: EvidenceArgs,
    /// Save what the verdict rests on, for `prequel audit`; into FILE.smt2 for SMT solvers, FILE.aag for checkers of hardware
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    certificate: Option<PathBuf>,
    /// Form of the answer on standard output
    #[arg(long, value_enum, default_value_t = Form::Text, help_heading = "Output")]
    format: Form,
    /// Tell also which statements of a program no run does, which formulas hold for nothing, and how large its states are; `warn`
    /// makes these remarks warnings
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "list", help_heading = "Output")]
    unreached: Option<Unreached>,
}

impl Args {
    /// The last line on standard output where there is no answer at all.
    pub fn no_answer(&self) -> String {
        let model = self.model.models[0].display().to_string();
        match self.format {
            Form::Text => NO_ANSWER.into(),
            Form::Mcc => report::cannot_compute(&self.model),
            Form::Sarif => remarks::sarif(&[remarks::of_reason(&model, "no answer was found")], Exit::Unknown as u8),
            Form::Github => remarks::github(&remarks::of_reason(&model, "no answer was found")),
        }
    }

    /// Whether what is found is printed as remarks beside the code.
    pub fn prints_remarks(&self) -> bool {
        matches!(self.format, Form::Sarif | Form::Github)
    }

    /// Prints why there is no answer as remarks.
    pub fn remark(&self, failure: &Failure, exit: Exit) {
        let remarks = match failure {
            Failure::Input(found) | Failure::Unsuitable(found) => found.iter().map(remarks::of_diagnostic).collect(),
            other => vec![remarks::of_reason(&self.model.models[0].display().to_string(), &other.to_string())],
        };
        self.format.print(&remarks, exit);
    }

    /// The same where a limit was reached before: then it is the engine that was asked for that has no answer.
    pub fn stopped(&self) -> String {
        let none = if self.engine.name == "auto" { "none" } else { &self.engine.name };
        self.no_answer().replace("engine=none", &format!("engine={none}"))
    }

    /// What is asked.
    fn request(&self) -> Check {
        let mut models = self.model.models();
        models.reading.as_written = self.no_optimise;
        Check {
            models,
            question: self.query.question(),
            engine: self.engine.choice(),
            as_network: self.as_network,
            certificate: self.certificate.as_deref().map(CertificateForm::of),
            before: None,
            one_witness: self.evidence.wanted(),
            reached: self.unreached.is_some(),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let request = args.request();
    request.engine.named()?;
    let Args { model, evidence, certificate, format, .. } = args;
    let publication = Publication { model, evidence, certificate: certificate.as_ref(), format: *format };
    publication.publish(&request.question, &args.limits, output, |run, observer| {
        let decision = job::check(&request, run, observer)?;
        if let Some((reached, how)) = decision.finding.reached.as_ref().zip(args.unreached) {
            match how {
                Unreached::List => observer.say(&reached::told(reached)),
                Unreached::Warn => observer.warn(&reached::warnings(reached)),
            }
        }
        Ok(decision)
    })
}
