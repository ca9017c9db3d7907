//! Saved firing sequences, fired again.

use super::witness::NetWitness;
use super::{about_markings, formulas, network};
use crate::job::failure::Failure;
use crate::job::models::Reading;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::open::NetFile;
use prequel_evidence::net::{check, replay};
use prequel_formats::firing::SavedFiring;
use prequel_model::TransitionId;
use std::sync::Arc;

/// Fires a sequence again: the inner error is why it does not replay, or does not show what is asked.
pub fn replayed(
    file: &Arc<NetFile>,
    saved: &SavedFiring,
    sequence: Vec<TransitionId>,
    question: &Question,
    reading: &Reading,
    observer: &dyn Observer,
) -> Result<Result<NetWitness, String>, Failure> {
    let net = &file.net;
    let mut asked = about_markings(file, question)?;
    if matches!(question, Question::Formula(_)) {
        asked = formulas(file, question)?.first().and_then(|formula| formula.query.clone().ok());
    }
    let fired = match &asked {
        Some(query) => check(net, query, &sequence).map_err(|why| why.to_string()),
        None => replay(net, &sequence).map_err(|why| why.to_string()),
    };
    let untrue = || saved.untrue(net, &sequence);
    if let Some(why) = fired.err().or_else(untrue) {
        return Ok(Err(why));
    }
    if asked.is_none() && !question.is_stated() {
        // Labels are those of the network.
        if let Err(why) = network::shows(file, &sequence, question, reading, observer)? {
            return Ok(Err(why));
        }
    }
    let (verdict, conclusion) = (asked.as_ref().is_none_or(|query| query.witness_shows()), String::new());
    Ok(Ok(NetWitness::new(file.clone(), sequence, verdict, conclusion)))
}
