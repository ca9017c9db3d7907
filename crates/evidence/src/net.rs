//! Firing sequences of Petri nets, replayed with the plain firing rule.

use super::checked::Replay;
use prequel_model::{Net, NetQuery, PlaceId, TransitionId};
use std::sync::Arc;

/// Why a sequence of transitions does not show a verdict.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// There is no such transition.
    #[error("step {step}: there is no transition number {number}")]
    NoTransition {
        /// Counted from 1.
        step: usize,
        /// The number that stands for none.
        number: u32,
    },
    /// A transition cannot fire.
    #[error("step {step}: `{transition}` cannot fire: `{place}` has {tokens} of {weight} tokens")]
    NotEnabled {
        /// Counted from 1.
        step: usize,
        /// The transition.
        transition: String,
        /// A place that has too few tokens.
        place: String,
        /// How many it has.
        tokens: u32,
        /// How many are taken.
        weight: u32,
    },
    /// A place gets more tokens than can be counted.
    #[error("step {step}: `{place}` gets too many tokens to count")]
    TooMany {
        /// Counted from 1.
        step: usize,
        /// The place.
        place: String,
    },
    /// The last marking does not satisfy the condition.
    #[error("the last marking does not satisfy the condition")]
    NotSatisfied,
    /// A statement about the initial marking needs no steps.
    #[error("the statement is about the initial marking, and there are {0} steps")]
    NotInitial(usize),
}

/// A firing sequence of a net.
#[derive(Clone, Debug)]
pub struct Firing {
    /// The net.
    pub net: Arc<Net>,
    /// What is asked of the marking at its end, if anything is.
    pub query: Option<NetQuery>,
    /// The transitions in order.
    pub sequence: Vec<TransitionId>,
}

impl Replay for Firing {
    /// The marking at the end.
    type End = Vec<u32>;
    type Rejected = Rejected;

    fn replay(&self) -> Result<Vec<u32>, Rejected> {
        match &self.query {
            Some(query) => check(&self.net, query, &self.sequence),
            None => replay(&self.net, &self.sequence),
        }
    }

    fn shows(&self) -> Option<bool> {
        self.query.as_ref().map(NetQuery::witness_shows)
    }
}

/// Fires the transitions in order and gives the marking at the end.
pub fn replay(net: &Net, sequence: &[TransitionId]) -> Result<Vec<u32>, Rejected> {
    let mut marking = net.initial().to_vec();
    for (at, &t) in sequence.iter().enumerate() {
        let step = at + 1;
        if t.at() >= net.transitions().len() {
            return Err(Rejected::NoTransition { step, number: t.0 });
        }
        for arc in net.inputs(t) {
            let tokens = marking[arc.place.at()];
            if tokens < arc.weight {
                let (transition, place) = (net.transition(t).into(), net.place(arc.place).into());
                return Err(Rejected::NotEnabled { step, transition, place, tokens, weight: arc.weight });
            }
        }
        net.fire(&mut marking, t).map_err(|p| Rejected::TooMany { step, place: net.place(p).into() })?;
    }
    Ok(marking)
}

/// Checks that a sequence leads to a marking that satisfies the condition of a query, and gives that marking.
pub fn check(net: &Net, query: &NetQuery, sequence: &[TransitionId]) -> Result<Vec<u32>, Rejected> {
    if matches!(query, NetQuery::Initially(_)) && !sequence.is_empty() {
        return Err(Rejected::NotInitial(sequence.len()));
    }
    let marking = replay(net, sequence)?;
    if query.condition().holds(net, &|p: PlaceId| marking[p.at()]) { Ok(marking) } else { Err(Rejected::NotSatisfied) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::net::Parts;
    use prequel_model::{Arc as Weighted, Comparison, Condition};

    #[test]
    fn only_what_can_fire_and_ends_where_it_should_is_accepted() {
        let (t, place) = (TransitionId(0), PlaceId(0));
        let parts = Parts {
            places: vec![("p".into(), 2)],
            transitions: vec![("t".into(), 1)],
            inputs: vec![(t, Weighted { place, weight: 1 })],
            ..Parts::default()
        };
        let net = Net::new(parts).unwrap();
        let dead = NetQuery::Impossible(Condition::Dead);
        assert_eq!(check(&net, &dead, &[t, t]), Ok(vec![0]));
        assert_eq!(check(&net, &dead, &[t]), Err(Rejected::NotSatisfied));
        let too_many = check(&net, &dead, &[t, t, t]).unwrap_err().to_string();
        assert_eq!(too_many, "step 3: `t` cannot fire: `p` has 0 of 1 tokens");
        assert_eq!(replay(&net, &[TransitionId(7)]), Err(Rejected::NoTransition { step: 1, number: 7 }));
        let one = Condition::Tokens(vec![(place, 1)], Comparison::Equal, 2);
        assert!(check(&net, &NetQuery::Initially(one.clone()), &[]).is_ok());
        assert_eq!(check(&net, &NetQuery::Initially(one), &[t]), Err(Rejected::NotInitial(1)));
    }
}
