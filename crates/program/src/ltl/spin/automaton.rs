//! The Büchi automaton of a tableau: one copy of the nodes for each until that has to be kept, merged as far as SPIN merges.

use super::formula::{F, Formula, Normaliser, Op, join, same};
use super::tableau::{INIT, Node, Tableau};
use std::rc::Rc;

/// Rounds after which merging is given up.
const MOST_ROUNDS: usize = 9;

/// What a state is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// A node of the tableau in one of its copies.
    Node(Tier, usize),
    /// Everything is accepted from here.
    All,
}

/// Which copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tier {
    /// The one in which all untils were kept.
    Accept,
    /// One in which so many were.
    Kept(usize),
}

/// A transition.
#[derive(Debug)]
pub struct Transition {
    /// To where.
    pub to: Name,
    /// When; nothing for always.
    pub condition: Option<F>,
    /// Others do what it does.
    pub redundant: bool,
}

/// A state.
#[derive(Debug)]
pub struct State {
    /// What it is called.
    pub name: Name,
    /// Whether runs that come here again and again are accepted.
    pub accepting: bool,
    /// Whether it is part of the automaton.
    pub reachable: bool,
    /// In order.
    pub transitions: Vec<Transition>,
    redundant: bool,
}

/// The automaton; state [`Automaton::first`] is where it starts.
pub struct Automaton {
    /// The youngest first.
    pub states: Vec<State>,
    /// Whether [`Name::All`] can be reached.
    pub accepts_all: bool,
    promises: usize,
}

const FIRST: Name = Name::Node(Tier::Kept(0), INIT);

fn equal(a: &Option<F>, b: &Option<F>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        (Some(one), None) | (None, Some(one)) => **one == Formula::True,
    }
}

/// Builds the automaton.
pub fn build(tableau: &Tableau, normal: &mut Normaliser) -> Automaton {
    let mut automaton = Automaton { states: Vec::new(), accepts_all: false, promises: tableau.promises };
    for kept in 0..=tableau.promises {
        for node in tableau.nodes.iter().filter(|node| !node.outgoing.is_empty()) {
            if kept != 0 && node.name == INIT && tableau.promises != 0 {
                continue;
            }
            let tier = if kept == tableau.promises && node.name != INIT { Tier::Accept } else { Tier::Kept(kept) };
            automaton.add(tableau, node, Name::Node(tier, node.name), kept, normal);
        }
    }
    // The youngest first.
    automaton.states.reverse();
    automaton.drop_contradictions();
    if tableau.promises == 0
        && let Some(first) = automaton.first()
    {
        automaton.states[first].accepting = true;
    }
    automaton.merge_states(false);
    loop {
        automaton.reach();
        automaton.merge_transitions(normal);
        if automaton.merge_states(true) == 0 {
            break;
        }
    }
    automaton.merge_pairs();
    automaton.reach();
    automaton
}

/// The copy that a step to a node leads to.
fn tier(tableau: &Tableau, kept: usize, to: &Node) -> Tier {
    if tableau.promises == 0 {
        return Tier::Accept;
    }
    if kept >= tableau.promises {
        return Tier::Kept(0);
    }
    let owed = |number: &usize| to.red.contains(number) && !to.green.contains(number);
    match (kept + 1..=tableau.promises).find(owed) {
        Some(number) => Tier::Kept(number - 1),
        None => Tier::Accept,
    }
}

/// What can be seen of a formula in one state.
fn seen(formula: &F) -> Option<F> {
    match &**formula {
        Formula::Binary(Op::Or, a, b) => Some(join(Op::Or, seen(a)?, seen(b)?)),
        Formula::Binary(Op::And, a, b) => match (seen(a), seen(b)) {
            (Some(a), Some(b)) => Some(join(Op::And, a, b)),
            (a, b) => a.or(b),
        },
        Formula::Binary(..) => None,
        _ => Some(formula.clone()),
    }
}

/// A condition without what it says of the next state.
fn without_next(formula: &F) -> Option<F> {
    match &**formula {
        Formula::Next(_) | Formula::Binary(Op::Until | Op::Release, ..) => None,
        Formula::Binary(Op::Or, a, b) => Some(match (without_next(a), without_next(b)) {
            (Some(a), Some(b)) => join(Op::Or, a, b),
            _ => Rc::new(Formula::True),
        }),
        Formula::Binary(Op::And, a, b) => match (without_next(a), without_next(b)) {
            (Some(a), Some(b)) => Some(join(Op::And, a, b)),
            (a, b) => a.or(b),
        },
        _ => Some(formula.clone()),
    }
}

/// Whether a conjunction of literals holds an atom and its negation.
fn contradicts(formula: &F) -> bool {
    let (mut literals, mut rest) = (Vec::new(), formula);
    while let Some((a, b)) = rest.parts(Op::And) {
        literals.push(a);
        rest = b;
    }
    literals.push(rest);
    let simple = |f: &&F| matches!(***f, Formula::Atom(_) | Formula::Not(_) | Formula::Next(_));
    literals.iter().all(simple)
        && literals.iter().any(|f| matches!(&***f, Formula::Not(atom) if literals.contains(&atom)))
}

impl Automaton {
    fn add(&mut self, tableau: &Tableau, node: &Node, name: Name, kept: usize, normal: &mut Normaliser) {
        let accepting = matches!(name, Name::Node(Tier::Accept, _));
        let mut transitions = Vec::new();
        for next in &node.outgoing {
            let Some(next) = tableau.position(*next).map(|at| &tableau.nodes[at]) else { continue };
            let to =
                if next.outgoing.is_empty() { Name::All } else { Name::Node(tier(tableau, kept, next), next.name) };
            let condition = next.now.as_ref().and_then(seen).map(|formula| normal.normal(&formula));
            transitions.push(Transition { to, condition, redundant: false });
        }
        self.states.push(State { name, accepting, reachable: false, transitions, redundant: false });
    }

    /// Where it starts.
    pub fn first(&self) -> Option<usize> {
        self.find(FIRST)
    }

    /// The state of a name; one that was not copied is its accepting copy.
    pub fn find(&self, name: Name) -> Option<usize> {
        let find = |name: Name| self.states.iter().position(|state| state.name == name);
        find(name).or_else(|| match name {
            Name::Node(Tier::Kept(_), node) => find(Name::Node(Tier::Accept, node)),
            _ => None,
        })
    }

    fn drop_contradictions(&mut self) {
        for state in &mut self.states {
            let alone = state.transitions.len() == 1;
            for transition in &mut state.transitions {
                if transition.condition.as_ref().is_some_and(contradicts) {
                    transition.condition = Some(Rc::new(Formula::False));
                }
                if transition.condition.as_ref().is_some_and(|f| **f == Formula::False) && !alone {
                    transition.redundant = true;
                }
            }
        }
    }

    fn reach(&mut self) {
        self.states.iter_mut().for_each(|state| state.reachable = false);
        self.accepts_all = false;
        let mut open: Vec<usize> = self.first().into_iter().collect();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut self.states[at].reachable, true) {
                continue;
            }
            let targets: Vec<Name> =
                self.states[at].transitions.iter().filter(|t| !t.redundant).map(|t| t.to).collect();
            self.accepts_all |= targets.contains(&Name::All);
            open.extend(targets.into_iter().filter_map(|to| self.find(to)));
        }
    }

    /// Transitions of a state to the same state become one.
    fn merge_transitions(&mut self, normal: &mut Normaliser) {
        for state in self.states.iter_mut().filter(|state| state.reachable) {
            // SPIN's lists run from the youngest to the oldest.
            for at in (0..state.transitions.len()).rev() {
                if state.transitions[at].redundant {
                    continue;
                }
                let to = state.transitions[at].to;
                let Some(other) =
                    (0..at).rev().find(|&t| !state.transitions[t].redundant && state.transitions[t].to == to)
                else {
                    continue;
                };
                let joined = match (&state.transitions[at].condition, &state.transitions[other].condition) {
                    (Some(a), Some(b)) => match (without_next(a), without_next(b)) {
                        (Some(a), Some(b)) => join(Op::Or, a, b),
                        _ => Rc::new(Formula::True),
                    },
                    _ => Rc::new(Formula::True),
                };
                state.transitions[other].condition = Some(normal.normal(&joined));
                state.transitions[at].redundant = true;
            }
        }
    }

    fn redirect(&mut self, from: Name, to: Name) {
        for state in &mut self.states {
            if state.name == from {
                state.redundant = true;
                continue;
            }
            for transition in state.transitions.iter_mut().filter(|t| t.to == from) {
                transition.to = to;
            }
        }
    }

    /// Sends what leads to one state to another.
    fn replace(&mut self, from: usize, to: usize) {
        let (from, to) = (self.states[from].name, self.states[to].name);
        self.redirect(from, to);
        if let Name::Node(Tier::Accept, node) = from
            && self.promises == 0
        {
            self.redirect(Name::Node(Tier::Kept(0), node), to);
        }
    }

    /// Whether every transition of one state is matched by one of the other, both ways.
    fn matched(a: &State, b: &State, pairs: impl Fn(&Transition, &Transition) -> bool) -> bool {
        let all = |from: &State, to: &State, swap: bool| {
            from.transitions.iter().filter(|t| !t.redundant).all(|s| {
                to.transitions.iter().filter(|t| !t.redundant).any(|t| if swap { pairs(t, s) } else { pairs(s, t) })
            })
        };
        all(a, b, false) && all(b, a, true)
    }

    /// States with the same transitions become one; gives the number of rounds that changed something.
    fn merge_states(&mut self, reachable_only: bool) -> usize {
        let mut rounds = 0;
        loop {
            let mut merged = false;
            for a in 0..self.states.len() {
                if self.states[a].redundant || reachable_only && !self.states[a].reachable {
                    continue;
                }
                let partner = (a + 1..self.states.len()).find(|&b| {
                    let (a, b) = (&self.states[a], &self.states[b]);
                    !b.redundant
                        && (b.reachable || !reachable_only)
                        && a.accepting == b.accepting
                        && Self::matched(a, b, |s, t| s.to == t.to && equal(&s.condition, &t.condition))
                });
                if let Some(b) = partner {
                    self.replace(a, b);
                    merged = true;
                }
            }
            if !merged || rounds == MOST_ROUNDS {
                return rounds;
            }
            rounds += 1;
        }
    }

    /// States that lead to each other under the same conditions become one.
    fn merge_pairs(&mut self) {
        for _ in 0..=MOST_ROUNDS {
            let mut merged = false;
            for a in 0..self.states.len() {
                if self.states[a].redundant || !self.states[a].reachable {
                    continue;
                }
                let partner = (a + 1..self.states.len()).find(|&b| {
                    let (a, b) = (&self.states[a], &self.states[b]);
                    !b.redundant
                        && b.reachable
                        && Self::matched(a, b, |s, t| {
                            equal(&s.condition, &t.condition)
                                && (s.to == b.name && t.to == a.name || s.to == t.to && s.to == Name::All)
                        })
                });
                let Some(b) = partner else { continue };
                merged = true;
                if self.states[a].accepting && !self.states[b].accepting {
                    if self.states[b].name == FIRST {
                        self.states[b].accepting = true;
                        self.replace(a, b);
                    } else {
                        self.replace(b, a);
                    }
                } else {
                    self.replace(a, b);
                }
            }
            if !merged {
                return;
            }
        }
    }
}
