//! Saved firing sequences of Petri nets in: by names, so that a sequence survives another order in the file.

use crate::diag::Diagnostic;
use crate::text::suggest;
use prequel_model::{Net, PlaceId, TransitionId};
use serde::Deserialize;

/// What `kind` says in the file of a firing sequence.
pub const KIND: &str = "net-witness";
/// The version of the layout.
pub const SCHEMA: u32 = 1;

/// A saved firing sequence.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SavedFiring {
    schema: u32,
    kind: String,
    /// What was asked when it was saved.
    pub query: String,
    /// The step, counted from 1, from which on all are repeated for ever.
    #[serde(default)]
    cycle: Option<usize>,
    steps: Vec<SavedStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct SavedStep {
    transition: String,
    /// What people call it.
    #[serde(default)]
    title: Option<String>,
    /// What it does to tokens.
    #[serde(default)]
    changes: Option<Vec<SavedChange>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct SavedChange {
    place: String,
    from: u32,
    to: u32,
}

impl SavedFiring {
    /// The steps before those that are repeated for ever.
    pub fn cycle(&self) -> Option<usize> {
        self.cycle.map(|first| first.saturating_sub(1))
    }

    /// What is said of a step and is not so, beginning with its number; the sequence is one that can be fired.
    pub fn untrue(&self, net: &Net, sequence: &[TransitionId]) -> Option<String> {
        let mut marking = net.initial().to_vec();
        for (at, (saved, &t)) in self.steps.iter().zip(sequence).enumerate() {
            let (step, name) = (at + 1, net.transition(t));
            if let Some(title) = saved.title.as_ref().filter(|title| net.transition_title(t) != Some(title.as_str())) {
                let titled =
                    net.transition_title(t).map_or("has no title".into(), |title| format!("is called '{title}'"));
                return Some(format!("step {step}: `{name}` {titled}, and is not called '{title}'"));
            }
            let changes = net.fired(&mut marking, t).ok()?;
            let same = |((p, from, to), saved): (&(PlaceId, u32, u32), &SavedChange)| {
                (net.place(*p), *from, *to) == (saved.place.as_str(), saved.from, saved.to)
            };
            let told = |told: &Vec<SavedChange>| told.len() == changes.len() && changes.iter().zip(told).all(same);
            if !saved.changes.as_ref().is_none_or(told) {
                return Some(format!("step {step}: `{name}` does not change tokens as the witness says"));
            }
        }
        None
    }
}

/// Reads the file of a firing sequence; whether it can be fired is for replay to say.
pub fn read(file: &str, text: &[u8], net: &Net) -> Result<(SavedFiring, Vec<TransitionId>), Vec<Diagnostic>> {
    const HELP: &str = "`prequel check NET.pnml --witness FILE` saves a firing sequence";
    let wrong = |message: String, help: String| vec![Diagnostic::error(file, message).help(help)];
    let saved: SavedFiring = serde_json::from_slice(text).map_err(|error| wrong(error.to_string(), HELP.into()))?;
    if saved.kind != KIND {
        return Err(wrong(format!("this is a `{}`, not a `{KIND}`", saved.kind), HELP.into()));
    }
    if saved.schema != SCHEMA {
        let message = format!("schema {}, but this version reads schema {SCHEMA}", saved.schema);
        return Err(wrong(message, HELP.into()));
    }
    let index: rustc_hash::FxHashMap<&str, TransitionId> = net.transitions().map(|t| (net.transition(t), t)).collect();
    let sequence = saved.steps.iter().enumerate().map(|(at, step)| {
        index.get(step.transition.as_str()).copied().ok_or_else(|| {
            let help = suggest::help(&step.transition, "transitions", net.transitions().map(|t| net.transition(t)));
            wrong(format!("step {}: the net has no transition `{}`", at + 1, step.transition), help)
        })
    });
    let sequence = sequence.collect::<Result<_, _>>()?;
    Ok((saved, sequence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::Arc;
    use prequel_model::net::Parts;

    /// `t` moves a token from `p` to `q`.
    fn net() -> Net {
        let (t, arc) = (TransitionId(0), |place| Arc { place: PlaceId(place), weight: 1 });
        Net::new(Parts {
            places: vec![("p".into(), 2), ("q".into(), 0)],
            transitions: vec![("t".into(), 1)],
            inputs: vec![(t, arc(0))],
            outputs: vec![(t, arc(1))],
            ..Parts::default()
        })
        .unwrap()
    }

    #[test]
    fn what_is_said_of_a_step_must_be_so() {
        let untrue = |second: &str| {
            let first = r#"{"transition": "t", "changes": [{"place": "p", "from": 2, "to": 1}, {"place": "q", "from": 0, "to": 1}]}"#;
            let head = r#""schema": 1, "kind": "net-witness", "query": "--deadlock-free""#;
            let text = format!("{{{head}, \"steps\": [{first}, {{\"transition\": \"t\"{second}}}]}}");
            let (saved, sequence) = read("w", text.as_bytes(), &net()).unwrap();
            saved.untrue(&net(), &sequence)
        };
        assert_eq!(untrue(""), None);
        assert_eq!(
            untrue(
                r#", "title": null, "changes": [{"place": "p", "from": 1, "to": 0}, {"place": "q", "from": 1, "to": 2}]"#
            ),
            None
        );
        let changes = Some("step 2: `t` does not change tokens as the witness says".to_owned());
        assert_eq!(untrue(r#", "changes": [{"place": "p", "from": 1, "to": 0}]"#), changes);
        assert_eq!(
            untrue(r#", "changes": [{"place": "p", "from": 1, "to": 0}, {"place": "q", "from": 1, "to": 9}]"#),
            changes
        );
        let title = untrue(r#", "title": "open the door""#).unwrap();
        assert_eq!(title, "step 2: `t` has no title, and is not called 'open the door'");
    }
}
