//! Saved firing sequences, fired again.

use super::witness::NetWitness;
use super::{about_markings, formulas, network};
use crate::job::failure::Failure;
use crate::job::models::Reading;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::job::temporal;
use crate::open::NetFile;
use prequel_evidence::Checked;
use prequel_evidence::net::Firing;
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
    if let Some(from) = saved.cycle() {
        let fired = temporal::fired(file, (sequence, from), &saved.query, question)?;
        return Ok(fired.and_then(|shown| match saved.untrue(net, shown.sequence()) {
            None => Ok(shown),
            Some(why) => Err(why),
        }));
    }
    let mut asked = about_markings(file, question)?;
    if matches!(question, Question::Formula(_)) {
        asked = formulas(file, question)?.first().and_then(|formula| formula.query.clone().ok());
    }
    let about_labels = asked.is_none() && !question.is_stated();
    let fired = match Checked::new(Firing { net: net.clone(), query: asked, sequence }) {
        Ok(fired) => fired,
        Err(why) => return Ok(Err(why.to_string())),
    };
    let sequence = &fired.run().sequence;
    if let Some(why) = saved.untrue(net, sequence) {
        return Ok(Err(why));
    }
    if about_labels {
        // Labels are those of the network.
        if let Err(why) = network::shows(file, sequence, question, reading, observer)? {
            return Ok(Err(why));
        }
    }
    Ok(Ok(NetWitness::new(file.clone(), fired, String::new())))
}
