//! `prequel audit`: a saved certificate checked again, by code that shares nothing with the engines but the data model.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{Output, counted, print};
use crate::job;
use crate::job::{Question, bounds, stopped};
use crate::open as model;
use crate::open::{CircuitFile, Model};
use prequel_engine::Refusal;
use prequel_evidence::certificate::{Certificate, Proof, Rejected, check, check_changed};
use prequel_formats::certificate;
use prequel_model::Why;
use prequel_model::run::Run;
use serde_json::json;
use std::path::PathBuf;

/// Checks a saved certificate with code that shares nothing with the engines but the data model
///
/// A verdict that something is reached comes with a witness, which is replayed. One that nothing is reached comes with what shows
/// it. Maps from the states of components to classes: it is checked that they are homomorphisms, and that the smaller network does
/// not reach it. A few components: they are explored. A set of states, from symbolic engines: a SAT solver is asked whether the model
/// begins in it, whether a step leads out of it, and whether something that is looked for is in it. A certificate may hold no proof at
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
    let (run, models, asked) = (args.limits.start(), args.model.models(), args.query.question());
    let model = match models.read(&run, output)? {
        Model::Circuit(file) => return audit_circuit(args, &file, &asked, &run, output),
        model => model,
    };
    let file = args.certificate.display().to_string();
    let (certificate, warnings) = certificate::read(&file, &model::bytes(&args.certificate)?)?;
    output.warn(&warnings);
    let query = match asked.is_stated() {
        false => asked,
        true => Question::from_text(&certificate.query).ok_or_else(|| {
            let message = format!("`{}` is no query", certificate.query);
            Failure::input(file.clone(), message, "give the query on the command line")
        })?,
    };
    let (problem, _) = query.ask_model(model, &models.reading, &run, output)?;
    let bounds = bounds(&run);
    let checked = match args.changed {
        true => check_changed(&problem, &certificate, bounds),
        false => check(&problem, &certificate, bounds),
    };
    let proof = certificate.proof_for(&problem.query);
    match &checked {
        Err(why @ Rejected::Other { .. }) => {
            let help = "give the model and the query that it was made for; for a changed model, add --changed";
            return Err(Failure::input(file, why.to_string(), help));
        }
        Err(why @ (Rejected::Witnessed | Rejected::Query(_))) => {
            return Err(Refusal::new(why.to_string()).into());
        }
        Err(why @ Rejected::Stopped) => return Err(stopped(why.to_string(), &run)),
        Err(why @ Rejected::TooLarge(most)) => {
            let text = format!("{}; raise it with --states", rejection(proof, why));
            return Err(Failure::Undecided(text, Why::States(*most as u64)));
        }
        _ => {}
    }
    let reason = checked.as_ref().err().map(|why| rejection(proof, why));
    output.object(json!({
        "models": args.model.names(),
        "certificate": file,
        "query": query.text(),
        "verdict": certificate.verdict,
        "proof": proof.word(),
        "changed": args.changed,
        "accepted": reason.is_none(),
        "reason": reason,
        "replaced": certificate.replaced.iter().map(|r| &r.component).collect::<Vec<_>>(),
        "states": checked.as_ref().ok(),
    }));
    output.say(match (&reason, certificate.verdict.as_str(), &checked) {
        (Some(why), ..) if args.changed => why.clone(),
        (Some(why), ..) => format!("the certificate shows nothing: {why}"),
        (None, "unknown", _) if proof == Proof::None => "the certificate claims nothing: it replaces no component".into(),
        (None, verdict, checked) if proof == Proof::None => {
            let states = counted(*checked.as_ref().unwrap_or(&0), "state");
            let network = if args.changed { "the changed network" } else { "the network" };
            let query = &certificate.query;
            format!("{query} is {verdict}: the certificate holds no proof; {network} was looked at here, all of it ({states})")
        }
        (None, verdict, checked) if args.changed => {
            let replaced = counted(certificate.replaced.len(), "assumption");
            match (verdict, rests_on(&certificate, *checked.as_ref().unwrap_or(&0))) {
                ("unknown", _) => format!("still covered ({replaced}): what the smaller network does not reach, this one does not reach either"),
                (verdict, shown) if certificate.invariant.is_some() => {
                    format!("still covered: {} is {verdict} ({shown})", certificate.query)
                }
                (verdict, shown) => format!("still covered ({replaced}): {} is {verdict} ({shown})", certificate.query),
            }
        }
        (None, "unknown", _) => {
            let replaced = counted(certificate.replaced.len(), "replaced component");
            format!("what the smaller network does not reach, this one does not reach either ({replaced})")
        }
        (None, verdict, checked) => {
            let shown = rests_on(&certificate, *checked.as_ref().unwrap_or(&0));
            format!("{} is {verdict}: the certificate shows it ({shown})", certificate.query)
        }
    });
    let accepted = reason.is_none();
    if !output.json {
        print(&result_line(accepted, &file, proof));
    }
    Ok(if accepted { Exit::Ok } else { Exit::False })
}

/// The last line on standard output. What is not there was not checked, whatever was found out about the model instead.
fn result_line(accepted: bool, file: &str, proof: Proof) -> String {
    let checked = if proof == Proof::None { "no" } else { "yes" };
    format!("RESULT {accepted} engine=audit evidence={file} checked={checked}\n")
}

/// Why a certificate shows nothing; an empty one has no smaller network.
fn rejection(proof: Proof, why: &Rejected) -> String {
    match (proof, why) {
        (Proof::None, Rejected::Reached) => {
            "it holds no proof, and the network reaches what the verdict says is not reached".into()
        }
        (Proof::None, Rejected::TooLarge(most)) => {
            format!("the certificate holds no proof, and the network has more than {most} states")
        }
        _ => why.to_string(),
    }
}

/// What was looked at.
fn rests_on(certificate: &Certificate, states: usize) -> String {
    let Some(set) = &certificate.invariant else { return counted(states, "state") };
    let mut components: Vec<_> = set.inputs.iter().filter_map(|(name, _)| name.as_ref()).collect();
    components.sort_unstable();
    components.dedup();
    let (gates, components) = (counted(set.gates.len(), "gate"), counted(components.len(), "component"));
    let monitor = if set.inputs.iter().any(|(name, _)| name.is_none()) { " and the monitor" } else { "" };
    format!("an invariant of {gates} about {components}{monitor}")
}

/// Checks the certificate of a circuit again.
fn audit_circuit(
    args: &Args,
    file: &CircuitFile,
    asked: &Question,
    run: &Run,
    output: &Output,
) -> Result<Exit, Failure> {
    if args.changed {
        return Err(Refusal::new("a certificate of a circuit replaces no process: leave --changed away").into());
    }
    let audit = job::circuit::audit(file, &args.certificate, asked, run)?;
    let job::circuit::CircuitAudit { query, verdict, proof, reason } = audit;
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
    Ok(if accepted { Exit::Ok } else { Exit::False })
}
