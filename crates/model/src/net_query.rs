//! What is asked of a Petri net: conditions on markings, and statements about the reachable ones.

use super::index::{PlaceId, TransitionId};
use super::net::Net;

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

impl Comparison {
    /// Whether it is true of two numbers.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Comparison::AtMost => left <= right,
            Comparison::AtLeast => left >= right,
            Comparison::Equal => left == right,
        }
    }
}

/// A condition on a marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A sum of tokens, each place with a factor, compared with a number.
    Tokens(Vec<(PlaceId, i64)>, Comparison, i64),
    /// The transition can fire.
    Fireable(TransitionId),
    /// Nothing can fire.
    Dead,
    /// All of them; the empty one is true.
    And(Vec<Condition>),
    /// One of them; the empty one is false.
    Or(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
}

impl Condition {
    /// Whether a marking satisfies it; `tokens` gives the tokens of a place. Sums are wide enough for any tokens and factors.
    pub fn holds(&self, net: &Net, tokens: &impl Fn(PlaceId) -> u32) -> bool {
        match self {
            Condition::Tokens(sum, comparison, number) => {
                let part = |&(p, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(tokens(p));
                comparison.holds(sum.iter().map(part).sum(), i128::from(*number))
            }
            Condition::Fireable(t) => net.enabled(tokens, *t),
            Condition::Dead => net.is_dead(tokens),
            Condition::And(all) => all.iter().all(|c| c.holds(net, tokens)),
            Condition::Or(any) => any.iter().any(|c| c.holds(net, tokens)),
            Condition::Not(c) => !c.holds(net, tokens),
        }
    }

    /// The opposite.
    pub fn negated(self) -> Condition {
        match self {
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }
}

/// A statement about a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetQuery {
    /// Some reachable marking satisfies the condition.
    Possible(Condition),
    /// No reachable marking satisfies the condition.
    Impossible(Condition),
    /// The initial marking satisfies the condition.
    Initially(Condition),
}

impl NetQuery {
    /// The condition that a witness ends in.
    pub fn condition(&self) -> &Condition {
        match self {
            NetQuery::Possible(condition) | NetQuery::Impossible(condition) | NetQuery::Initially(condition) => {
                condition
            }
        }
    }

    /// The verdict that a path to a marking with the condition shows.
    pub fn witness_shows(&self) -> bool {
        !matches!(self, NetQuery::Impossible(_))
    }
}
