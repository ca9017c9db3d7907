//! Saved firing sequences, fired again.

use super::witness::NetWitness;
use super::{about_markings, formulas, network};
use crate::cli::exit::Failure;
use crate::cli::input::{QueryArgs, ReadingArgs};
use crate::cli::output::Output;
use crate::open::NetFile;
use prequel_evidence::net::{check, replay};
use prequel_formats::firing::SavedFiring;
use prequel_model::TransitionId;

/// Fires a sequence again: the inner error is why it does not replay, or does not show what is asked.
pub fn replayed<'a>(
    file: &'a NetFile,
    saved: &SavedFiring,
    sequence: Vec<TransitionId>,
    query: &QueryArgs,
    reading: &ReadingArgs,
    output: &Output,
) -> Result<Result<NetWitness<'a>, String>, Failure> {
    let net = &file.net;
    let mut asked = about_markings(file, query)?;
    if query.formula.is_some() {
        asked = formulas(file, query)?.first().and_then(|formula| formula.query.clone().ok());
    }
    let fired = match &asked {
        Some(query) => check(net, query, &sequence).map_err(|why| why.to_string()),
        None => replay(net, &sequence).map_err(|why| why.to_string()),
    };
    let untrue = || saved.untrue(net, &sequence);
    if let Some(why) = fired.err().or_else(untrue) {
        return Ok(Err(why));
    }
    if asked.is_none() && query.text().is_some() {
        // Labels are those of the network.
        if let Err(why) = network::shows(file, &sequence, query, reading, output)? {
            return Ok(Err(why));
        }
    }
    let (verdict, conclusion) = (asked.as_ref().is_none_or(|query| query.witness_shows()), String::new());
    Ok(Ok(NetWitness { file, sequence, verdict, conclusion }))
}
