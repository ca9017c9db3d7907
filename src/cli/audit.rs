//! `prequel audit`: a saved certificate checked again, by code that shares nothing with the engines but the data model.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{Output, counted, print};
use crate::job;
use crate::job::circuit::CircuitAudit;
use crate::job::program::ProgramAudit;
use crate::job::{Accepted, Audit, Audited, Certificate, CertifiedProof, NetworkAudit, Proof};
use serde_json::json;
use std::path::PathBuf;

/// Checks a saved certificate with code that shares nothing with the engines but the data model
///
/// A verdict that something is reached comes with a witness, which is replayed. One that nothing is reached comes with what shows
/// it. Maps from the states of components to classes: it is checked that they are homomorphisms, and that the smaller network does
/// not reach it. A few components: they are explored. A set of states, from symbolic engines: a SAT solver is asked whether the model
/// begins in it, whether a step leads out of it, and whether something that is looked for is in it. Ranks of the states of a program: it is
/// looked at each step whether a run that goes on for ever could be a violation. A certificate may hold no proof at
/// all: then all states of the network are looked at here, and it is said that nothing of the file was checked. Without a query, the
/// one that the certificate names is asked.
///
/// With `--changed` the model may be another one: it is checked that each replaced process, as it is now, does nothing that its
/// assumption does not, and that the network with the assumptions still does not reach what was not reached; of a set of states,
/// that the changed model does not leave it either.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel check net.exp --deadlock-free --engine quotient --certificate c.json
  prequel audit net.exp --certificate c.json
  prequel audit changed.exp --certificate c.json --changed
  prequel check net.exp --reach 'a@1 & b@1' --engine citp-pa --certificate set.json
  prequel audit net.exp --certificate set.json
  prequel check model.pml --ltl live --certificate ranks.json
  prequel audit model.pml --certificate ranks.json

Exit: 0 the certificate is right, 1 it is not (or does not cover the change), 2 a limit was reached, 3 bad input, or another model.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// The certificate, as `--certificate` saved it
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
    /// Whether the certificate still covers a model whose processes were changed
    #[arg(long)]
    changed: bool,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let request = Audit {
        models: args.model.models(),
        question: args.query.question(),
        certificate: args.certificate.clone(),
        changed: args.changed,
    };
    Ok(match job::audit(&request, &args.limits.start(), output)? {
        Audited::Circuit(audit) => tell_circuit(args, audit, output),
        Audited::Program(audit) => tell_program(args, &audit, output),
        Audited::Network(audit) => tell_network(args, *audit, output),
    })
}

/// Says what was found out about the certificate of a network.
fn tell_network(args: &Args, audit: NetworkAudit, output: &Output) -> Exit {
    let NetworkAudit { query, file, proof, shown } = audit;
    let name = args.certificate.display().to_string();
    output.object(json!({
        "models": args.model.names(),
        "certificate": name,
        "query": query,
        "verdict": file.verdict(),
        "proof": proof.word(),
        "changed": args.changed,
        "accepted": shown.is_ok(),
        "reason": shown.as_ref().err(),
        "replaced": file.replaced().collect::<Vec<_>>(),
        "states": shown.as_ref().ok().map(|accepted| accepted.states),
    }));
    output.say(match &shown {
        Err(why) if args.changed => why.clone(),
        Err(why) => format!("the certificate shows nothing: {why}"),
        Ok(accepted) => what_is_shown(accepted, proof, args.changed),
    });
    if !output.json {
        print(&result_line(shown.is_ok(), &name, proof));
    }
    if shown.is_ok() { Exit::Ok } else { Exit::False }
}

/// What a certificate that was accepted shows.
fn what_is_shown(accepted: &Accepted, proof: Proof, changed: bool) -> String {
    let Accepted { certificate: Certificate { query, verdict, proof: held, .. }, states } = accepted;
    let replaced = held.replaced().len();
    let reaches = "what the smaller network does not reach, this one does not reach either";
    let Some(verdict) = verdict else {
        return match (proof, changed) {
            (Proof::None, _) => "the certificate claims nothing: it replaces no component".into(),
            (_, true) => format!("still covered ({}): {reaches}", counted(replaced, "assumption")),
            (_, false) => format!("{reaches} ({})", counted(replaced, "replaced component")),
        };
    };
    if proof == Proof::None {
        let network = if changed { "the changed network" } else { "the network" };
        let states = counted(*states, "state");
        return format!(
            "{query} is {verdict}: the certificate holds no proof; {network} was looked at here, all of it ({states})"
        );
    }
    let shown = rests_on(held, *states);
    match held {
        _ if !changed => format!("{query} is {verdict}: the certificate shows it ({shown})"),
        CertifiedProof::Invariant(_) | CertifiedProof::Steps(_) => {
            format!("still covered: {query} is {verdict} ({shown})")
        }
        _ => {
            let replaced = counted(replaced, "assumption");
            format!("still covered ({replaced}): {query} is {verdict} ({shown})")
        }
    }
}

/// The last line on standard output. What is not there was not checked, whatever was found out about the model instead.
fn result_line(accepted: bool, file: &str, proof: Proof) -> String {
    let checked = if proof == Proof::None { "no" } else { "yes" };
    format!("RESULT {accepted} engine=audit evidence={file} checked={checked}\n")
}

/// What was looked at.
fn rests_on(proof: &CertifiedProof, states: usize) -> String {
    let set = match proof {
        CertifiedProof::Invariant(set) => set,
        CertifiedProof::Steps(steps) => {
            return format!("{} in {}", counted(states, "state"), counted(steps.len() + 1, "check"));
        }
        _ => return counted(states, "state"),
    };
    let mut components: Vec<_> = set.inputs.iter().filter_map(|(name, _)| name.as_ref()).collect();
    components.sort_unstable();
    components.dedup();
    let (gates, components) = (counted(set.gates.len(), "gate"), counted(components.len(), "component"));
    let monitor = if set.inputs.iter().any(|(name, _)| name.is_none()) { " and the monitor" } else { "" };
    format!("an invariant of {gates} about {components}{monitor}")
}

/// Says what was found out about the certificate of a circuit.
fn tell_circuit(args: &Args, audit: CircuitAudit, output: &Output) -> Exit {
    let CircuitAudit { query, verdict, proof, reason } = audit;
    let (name, accepted) = (args.certificate.display().to_string(), reason.is_none());
    output.say(match &reason {
        Some(why) => format!("the certificate shows nothing: {why}"),
        None => format!("{query} is {verdict}: the certificate shows it"),
    });
    output.object(json!({
        "models": args.model.names(),
        "certificate": name,
        "query": query,
        "verdict": verdict,
        "proof": proof.word(),
        "accepted": accepted,
        "reason": reason,
    }));
    if !output.json {
        print(&result_line(accepted, &name, proof));
    }
    if accepted { Exit::Ok } else { Exit::False }
}

/// Says what was found out about the certificate of a program.
fn tell_program(args: &Args, ProgramAudit { query, proof, shown }: &ProgramAudit, output: &Output) -> Exit {
    let name = args.certificate.display().to_string();
    output.say(match shown {
        Err(why) => format!("the certificate shows nothing: {why}"),
        Ok(states) => format!("{query} is true: the certificate shows it ({})", counted(*states, "state")),
    });
    output.object(json!({
        "models": args.model.names(),
        "certificate": name,
        "query": query,
        "verdict": "true",
        "proof": proof.word(),
        "accepted": shown.is_ok(),
        "reason": shown.as_ref().err(),
        "states": shown.as_ref().ok(),
    }));
    if !output.json {
        print(&result_line(shown.is_ok(), &name, *proof));
    }
    if shown.is_ok() { Exit::Ok } else { Exit::False }
}
