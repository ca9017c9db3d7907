//! From a formula to an automaton whose states are formulas: what has to hold now, and what from the next state on.
//!
//! P. Gastin, D. Oddoux: *Fast LTL to Büchi automata translation*, CAV 2001, with states that are simplified formulas as by
//! J.-M. Couvreur (FM 1999). There is a set of edges for each until: those that do not put it off.

use super::automaton::{Automaton, Edge};
use super::condition::{ALWAYS, Condition, NEVER};
use super::term::{FALSE, Shape, TRUE, Term, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// States that an automaton may have.
const MOST_STATES: usize = 2_000;
/// Ways to go on that a formula may have.
const MOST_STEPS: usize = 2_000;

/// A way to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    when: Condition,
    /// What has to hold from the next state on, in order.
    next: Vec<Term>,
    /// The untils that are put off, a bit each.
    owed: u64,
}

struct Builder<'t> {
    terms: &'t mut Terms,
    untils: Vec<Term>,
    known: FxHashMap<Term, Rc<[Step]>>,
}

/// The automaton of a formula; nothing if it is too large.
pub fn automaton(formula: Term, terms: &mut Terms) -> Option<Automaton> {
    let mut builder = Builder { terms, untils: Vec::new(), known: FxHashMap::default() };
    let (mut numbers, mut order, mut states) = (FxHashMap::default(), vec![formula], Vec::new());
    numbers.insert(formula, 0);
    while states.len() < order.len() {
        let steps = builder.steps(order[states.len()])?;
        let mut edges = Vec::new();
        for step in steps.iter() {
            let owed = builder.really_owed(step)?;
            let next = builder.terms.state(&step.next);
            if next == FALSE {
                continue;
            }
            let to = *numbers.entry(next).or_insert_with(|| {
                order.push(next);
                order.len() - 1
            });
            edges.push(Edge { to, when: step.when, marks: owed });
        }
        if order.len() > MOST_STATES {
            return None;
        }
        states.push(edges);
    }
    let count = builder.untils.len();
    let sets = if count == 64 { u64::MAX } else { (1 << count) - 1 };
    states.iter_mut().flatten().for_each(|edge| edge.marks = sets & !edge.marks);
    Some(Automaton { states, sets }.trimmed(&mut terms.conditions))
}

impl Builder<'_> {
    fn number(&mut self, until: Term) -> Option<u64> {
        let known = self.untils.iter().position(|&other| other == until);
        let number = known.unwrap_or_else(|| {
            self.untils.push(until);
            self.untils.len() - 1
        });
        (number < 64).then(|| 1 << number)
    }

    fn steps(&mut self, term: Term) -> Option<Rc<[Step]>> {
        if let Some(known) = self.known.get(&term) {
            return Some(known.clone());
        }
        let all = |next: Vec<Term>, owed: u64| Step { when: ALWAYS, next, owed };
        let steps = match self.terms.shape(term).clone() {
            Shape::Now(NEVER) => Vec::new(),
            Shape::Now(when) => vec![Step { when, next: Vec::new(), owed: 0 }],
            Shape::And(parts) => {
                let mut steps = vec![all(Vec::new(), 0)];
                for &part in &parts {
                    let other = self.steps(part)?;
                    steps = self.both(&steps, &other)?;
                }
                steps
            }
            Shape::Or(parts) => {
                let mut steps = Vec::new();
                for &part in &parts {
                    steps.extend(self.steps(part)?.iter().cloned());
                }
                self.fewer(steps)?
            }
            Shape::Next(next) => vec![all(self.terms.parts(next), 0)],
            Shape::Until(a, b) => {
                let owed = self.number(term)?;
                let (a, b) = (self.steps(a)?, self.steps(b)?);
                let mut steps = self.both(&a, &[all(vec![term], owed)])?;
                steps.extend(b.iter().cloned());
                self.fewer(steps)?
            }
            Shape::Release(a, b) => {
                let (a, b) = (self.steps(a)?, self.steps(b)?);
                let mut ends = a.to_vec();
                ends.push(all(vec![term], 0));
                self.both(&ends, &b)?
            }
        };
        let steps: Rc<[Step]> = steps.into();
        self.known.insert(term, steps.clone());
        Some(steps)
    }

    fn both(&mut self, one: &[Step], two: &[Step]) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for a in one {
            for b in two {
                let when = self.terms.conditions.and(a.when, b.when);
                if when == NEVER {
                    continue;
                }
                let mut next = [&a.next[..], &b.next[..]].concat();
                next.sort();
                next.dedup();
                steps.push(Step { when, next, owed: a.owed | b.owed });
            }
            if steps.len() > MOST_STEPS {
                return None;
            }
        }
        self.fewer(steps)
    }

    /// Without those that others make superfluous.
    fn fewer(&mut self, steps: Vec<Step>) -> Option<Vec<Step>> {
        if steps.len() > MOST_STEPS {
            return None;
        }
        let mut fewer: Vec<Step> = Vec::new();
        for step in steps {
            let conditions = &mut self.terms.conditions;
            let mut better = |a: &Step, b: &Step| {
                a.owed & !b.owed == 0 && is_subset(&a.next, &b.next) && conditions.implies(b.when, a.when)
            };
            if fewer.iter().any(|other| better(other, &step)) {
                continue;
            }
            fewer.retain(|other| !better(&step, other));
            match fewer.iter_mut().find(|other| other.next == step.next && other.owed == step.owed) {
                Some(same) => same.when = self.terms.conditions.or(same.when, step.when),
                None => fewer.push(step),
            }
        }
        Some(fewer)
    }

    /// The untils that a step puts off, without those that it keeps all the same.
    fn really_owed(&mut self, step: &Step) -> Option<u64> {
        let mut owed = step.owed;
        for number in 0..self.untils.len() {
            if step.owed >> number & 1 == 0 {
                continue;
            }
            let Shape::Until(_, goal) = *self.terms.shape(self.untils[number]) else { continue };
            let kept = self.steps(goal)?.iter().any(|way| {
                way.owed & !(step.owed & !(1 << number)) == 0
                    && is_subset(&way.next, &step.next)
                    && self.terms.conditions.implies(step.when, way.when)
            });
            if kept {
                owed &= !(1 << number);
            }
        }
        Some(owed)
    }
}

fn is_subset(a: &[Term], b: &[Term]) -> bool {
    a.iter().all(|term| *term == TRUE || b.binary_search(term).is_ok())
}
