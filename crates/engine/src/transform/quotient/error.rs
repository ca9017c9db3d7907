//! What is to be avoided, as a condition on tuples of classes: it holds for all members, for none, or there is a doubt.
//!
//! | query | the error | what classes of the replaced process must agree on |
//! | --- | --- | --- |
//! | safety | a step of the monitor into an accepting state (π) | nothing |
//! | reach | a state in which the goal holds | the goal's conditions on this process |
//! | deadlock-free | a state in which nothing can happen | which labels they enable |
//!
//! *Why this is enough for deadlocks and goals, which no trace shows.* Let classes of N agree on the conditions of the last column.
//! Then the error holds of (m, [n]) in M || N/~ exactly if it holds of (m, n'), for each n' in [n]: for a goal this is said of
//! each condition; for deadlocks, [n] enables the labels that one of its members enables, which are those that each member
//! enables. *Forward*: (m, [n]) is reachable in the quotient iff (m, n) is reachable, as always, and the error is the same for
//! both. *Backward*: by induction on the length of a path from (m, [n]) to an error, (m, n') has one for each n' in [n]: where the
//! path is empty, the error holds of (m, n') too; otherwise its first step is one of a member, and by the definition of ~B what
//! one member can reach all of them can. Nothing else in the method looks at what the error is.
//!
//! Two states that each have a step of their own, by tau or a label that nobody else takes part in, agree for deadlocks whatever
//! else they enable: neither is ever stuck. Labels that some participant never enables do not count.
//!
//! The step into π has the target "any": it is a must step where every member has *some* edge on the label. With one must
//! class as its target the refinement could not go on (`Q_must_edge_to_pi_needs_one_target_class`).

use super::part::Offer;
use super::partition::Class;
use super::system::{Abstract, System, Via};
use super::triples::Key;
use prequel_model::{ComponentId, Goal, LabelId, Lts, StateId};
use rustc_hash::FxHashMap;

/// What is to be avoided.
#[derive(Debug)]
pub enum Error<'a> {
    /// The monitor comes into an accepting state.
    Accepting {
        /// Which part it is.
        monitor: usize,
        /// Its system.
        lts: &'a Lts,
        /// The labels on which each of its states has an edge into an accepting state.
        into: Vec<Vec<LabelId>>,
    },
    /// The goal holds.
    Goal(&'a Goal),
    /// Nothing can happen.
    Stuck,
}

/// Whether the error holds of a tuple of classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Of no member.
    No,
    /// Of all members; for safety, by which step it is reached.
    Yes(Option<Via>),
    /// Perhaps; after enough splits of such classes there is no doubt.
    Doubt(Doubt),
}

/// A class whose members differ in something that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// Of which part.
    pub part: usize,
    /// The class.
    pub class: Class,
    /// In what.
    pub about: About,
}

/// What the members of a class differ in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// Whether they have an edge on this label.
    Offers(LabelId),
    /// Whether they are one of these states.
    In(Vec<StateId>),
}

impl<'a> Error<'a> {
    /// The error state of a monitor.
    pub fn accepting(monitor: usize, lts: &'a Lts) -> Self {
        let labels = |s: StateId| {
            let mut labels: Vec<LabelId> =
                lts.row(s).iter().filter(|e| lts.is_marked(e.target)).map(|e| e.label).collect();
            labels.dedup();
            labels
        };
        Error::Accepting { monitor, lts, into: lts.states().map(labels).collect() }
    }

    /// Whether a part's state is π itself, which is in no triple.
    pub fn is_pi(&self, part: usize, state: StateId) -> bool {
        matches!(self, Error::Accepting { monitor, lts, .. } if *monitor == part && lts.is_marked(state))
    }

    /// What states of a part must agree on to be merged: those with equal numbers do.
    pub fn seeds(&self, system: &System<'_>, part: usize) -> Vec<u32> {
        let lts = system.lts(part);
        match self {
            Error::Accepting { .. } => vec![0; lts.num_states()],
            Error::Goal(goal) => {
                let conditions = goal.conditions(ComponentId::new(part));
                numbered(
                    lts.states().map(|s| {
                        conditions.iter().map(|states| states.binary_search(&s).is_ok()).collect::<Vec<bool>>()
                    }),
                )
            }
            Error::Stuck => {
                let alone = |l: LabelId| l.is_tau() || system.participants(l).len() == 1;
                let used: Vec<Vec<LabelId>> = (0..system.parts.len()).map(|p| system.lts(p).used_labels()).collect();
                let possible = |l: LabelId| system.participants(l).all(|p| used[p].binary_search(&l).is_ok());
                numbered(lts.states().map(|s| {
                    let mut labels: Vec<LabelId> = lts.row(s).iter().map(|e| e.label).collect();
                    labels.dedup();
                    if labels.iter().any(|&l| alone(l)) {
                        return None;
                    }
                    labels.retain(|&l| possible(l));
                    Some(labels)
                }))
            }
        }
    }
}

/// Numbers values in the order in which they first occur.
pub(in crate::transform) fn numbered<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> Vec<u32> {
    let mut numbers = FxHashMap::default();
    values
        .map(|value| {
            let next = numbers.len() as u32;
            *numbers.entry(value).or_insert(next)
        })
        .collect()
}

impl Abstract<'_, '_> {
    /// Whether the error holds of a tuple.
    pub fn error(&self, key: Key) -> Holds {
        match &self.system.error {
            Error::Accepting { monitor, into, .. } => self.accepts(key, *monitor, into),
            Error::Goal(goal) => match self.goal(goal, key) {
                Ok(true) => Holds::Yes(None),
                Ok(false) => Holds::No,
                Err(doubt) => Holds::Doubt(doubt),
            },
            Error::Stuck => self.stuck(key),
        }
    }

    fn accepts(&self, key: Key, monitor: usize, into: &[Vec<LabelId>]) -> Holds {
        let mut holds = Holds::No;
        // Classes of the monitor are its states.
        for &label in &into[self.layout.get(key, monitor) as usize] {
            if label.is_tau() {
                return Holds::Yes(Some(Via::tau(monitor)));
            }
            match self.enabled(key, label, |part| part != monitor) {
                Ok(true) => return Holds::Yes(Some(Via::label(label))),
                Ok(false) => {}
                Err(doubt) if holds == Holds::No => holds = Holds::Doubt(doubt),
                Err(_) => {}
            }
        }
        holds
    }

    /// Whether all participants that are asked have an edge on a label; where they have one in some members only, who.
    fn enabled(&self, key: Key, label: LabelId, asked: impl Fn(usize) -> bool) -> Result<bool, Doubt> {
        let mut doubt = None;
        for part in self.system.participants(label).filter(|&p| asked(p)) {
            let class = self.layout.get(key, part);
            match self.parts[part].offer(class, label) {
                Offer::None => return Ok(false),
                Offer::All => {}
                Offer::Some if doubt.is_none() => doubt = Some(Doubt { part, class, about: About::Offers(label) }),
                Offer::Some => {}
            }
        }
        doubt.map_or(Ok(true), Err)
    }

    fn stuck(&self, key: Key) -> Holds {
        let mut holds = Holds::Yes(None);
        for (at, part) in self.parts.iter().enumerate() {
            let class = self.layout.get(key, at);
            for label in part.offered_labels(class) {
                let enabled = if !label.is_tau() {
                    // The first participant proposes.
                    if self.system.participants(label).next() != Some(at) {
                        continue;
                    }
                    self.enabled(key, label, |_| true)
                } else if part.offer(class, label) == Offer::All {
                    Ok(true)
                } else {
                    Err(Doubt { part: at, class, about: About::Offers(label) })
                };
                match enabled {
                    Ok(true) => return Holds::No,
                    Ok(false) => {}
                    Err(doubt) if holds == Holds::Yes(None) => holds = Holds::Doubt(doubt),
                    Err(_) => {}
                }
            }
        }
        holds
    }

    fn goal(&self, goal: &Goal, key: Key) -> Result<bool, Doubt> {
        // A conjunction is false where one part is, whatever else is in doubt; a disjunction the other way round.
        let combine = |goals: &[Goal], decisive: bool| {
            let mut doubt = None;
            for g in goals {
                match self.goal(g, key) {
                    Ok(value) if value == decisive => return Ok(decisive),
                    Ok(_) => {}
                    Err(d) => doubt = doubt.or(Some(d)),
                }
            }
            doubt.map_or(Ok(!decisive), Err)
        };
        match goal {
            Goal::In(component, states) => {
                let (part, class) = (component.at(), self.layout.get(key, component.at()));
                let mut inside =
                    self.parts[part].partition.members(class).iter().map(|s| states.binary_search(s).is_ok());
                let first = inside.next().expect("classes are not empty");
                if inside.all(|other| other == first) {
                    return Ok(first);
                }
                Err(Doubt { part, class, about: About::In(states.clone()) })
            }
            Goal::And(goals) => combine(goals, false),
            Goal::Or(goals) => combine(goals, true),
            Goal::Not(goal) => self.goal(goal, key).map(|value| !value),
        }
    }
}
