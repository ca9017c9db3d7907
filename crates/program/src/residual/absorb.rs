//! Guards that do nothing: a step that only asks changes control and nothing else.
//!
//! Where a process can go to a class without being asked, whatever it would be asked on other ways there need not be asked; and where
//! one of several conditions always holds, all of which lead to one class, it can always go there. Either way the process can do the
//! same as before in every state of the program, so this keeps all that classes keep, and each of the steps that are left out is one
//! that nobody notices. A condition that only leads back stays where nothing else is possible: whoever can go round in circles is
//! not stuck. So does one that asks for `timeout`, which others can make true.

use super::domain::Domains;
use super::fold::{may_fail, negated};
use super::quotient::{Choice, Class, Quotient};
use super::unfold::{TAU, Unfolding};
use crate::data::Action;
use crate::expression::{Binary, Expression, Unary};
use std::collections::BTreeSet;

/// Values that a variable in a condition may have so that each of them is tried.
const MOST_VALUES: usize = 32;
/// Ways to give all variables values.
const MOST_WAYS: usize = 256;

/// Leaves out guards of the classes, and puts those together that cannot be told apart any more; `looks` is what is seen at once, by state.
pub fn absorb(quotient: &mut Quotient, unfolding: &Unfolding, looks: &[u64], domains: &Domains<'_>, proctype: u32) {
    let guards = Guards { unfolding, domains, proctype };
    while guards.leave_out(quotient) {
        quotient.minimise(looks);
    }
}

struct Guards<'a> {
    unfolding: &'a Unfolding,
    domains: &'a Domains<'a>,
    proctype: u32,
}

impl Guards<'_> {
    /// Leaves out what need not be asked; whether there was anything.
    fn leave_out(&self, quotient: &mut Quotient) -> bool {
        let mut found = false;
        for number in 0..quotient.classes.len() as u32 {
            for target in self.open(&quotient.classes, number) {
                self.note_quiet(quotient, number, target);
                let class = &mut quotient.classes[number as usize];
                match target == number {
                    true => class.diverges = true,
                    false => class.options.push(Choice { label: TAU, of: vec![TAU], target }),
                }
            }
            let class = &mut quotient.classes[number as usize];
            let mut free: Vec<u32> = class.options.iter().filter(|c| c.label == TAU).map(|c| c.target).collect();
            free.extend(class.diverges.then_some(number));
            let before = class.options.len();
            class.options.retain(|choice| !self.is_idle(choice, &free));
            found |= class.options.len() < before;
        }
        found
    }

    /// Whether an option is for nothing beside steps to these classes that are always possible.
    fn is_idle(&self, choice: &Choice, free: &[u32]) -> bool {
        let otherwise = self.unfolding.labels[choice.label as usize].action == Action::Else;
        !free.is_empty() && otherwise || free.contains(&choice.target) && self.guard(choice.label).is_some()
    }

    /// What a step asks that does nothing else, if it can be asked at any time.
    fn guard(&self, label: u32) -> Option<&Expression> {
        let Action::Condition(guard) = &self.unfolding.labels[label as usize].action else { return None };
        let mut waits = false;
        guard.visit(&mut |part| waits |= matches!(part, Expression::Timeout));
        (!waits && !may_fail(guard)).then_some(guard)
    }

    /// The classes that a process can always go to, whichever condition it is that holds.
    fn open(&self, classes: &[Class], number: u32) -> Vec<u32> {
        let class = &classes[number as usize];
        let mut targets: Vec<u32> = class.options.iter().map(|choice| choice.target).collect();
        targets.sort_unstable();
        targets.dedup();
        // Circles inside of an `atomic` cannot be written without something to ask.
        targets.retain(|&target| !(class.held && classes[target as usize].held));
        targets.retain(|&target| {
            let guards = class.options.iter().filter(|choice| choice.target == target);
            let guards: Vec<&Expression> = guards.filter_map(|choice| self.guard(choice.label)).collect();
            self.one_holds(&guards)
        });
        targets
    }

    /// The steps of states of a class that ask and lead to another pass for steps that nobody notices.
    fn note_quiet(&self, quotient: &mut Quotient, number: u32, target: u32) {
        for (state, (_, edges)) in self.unfolding.places.iter().enumerate().filter(|(at, _)| quotient.of[*at] == number)
        {
            for (at, edge) in edges.iter().enumerate() {
                if quotient.of[edge.target as usize] == target && self.guard(edge.label).is_some() {
                    quotient.quiet.insert((state as u32, at as u32));
                }
            }
        }
    }

    /// Whether one of some conditions holds, whatever the state of the program.
    fn one_holds(&self, guards: &[&Expression]) -> bool {
        let mut unknowns = Unknowns::default();
        guards.iter().for_each(|guard| unknowns.add(guard, &|term| self.values(term)));
        if unknowns.ways() <= MOST_WAYS {
            return unknowns.always(guards);
        }
        // Of many only two may be needed.
        let pairs =
            guards.iter().enumerate().flat_map(|(at, one)| guards[at + 1..].iter().map(move |other| [*one, *other]));
        guards.len() > 2 && pairs.into_iter().any(|pair| self.one_holds(&pair))
    }

    /// The values of a variable, or whatever else is no operation, if they are known.
    fn values(&self, term: &Expression) -> Option<BTreeSet<i32>> {
        self.domains.of(term, self.proctype).values(MOST_VALUES).cloned()
    }
}

/// What conditions depend on: variables with their values, and conditions of which nothing is known, which hold or do not.
#[derive(Default)]
struct Unknowns(Vec<(Expression, Vec<i32>)>);

impl Unknowns {
    fn add(&mut self, condition: &Expression, values: &impl Fn(&Expression) -> Option<BTreeSet<i32>>) {
        match condition {
            Expression::Number(_) => {}
            Expression::Unary(Unary::Not, inner) => self.add(inner, values),
            Expression::Binary(Binary::And | Binary::Or, pair) => {
                self.add(&pair.0, values);
                self.add(&pair.1, values);
            }
            _ => {
                let mut terms = Vec::new();
                let known = terms_of(condition, &mut |term| {
                    let values = values(term);
                    let known = values.is_some();
                    terms.extend(values.map(|values| (term.clone(), values.into_iter().collect())));
                    known
                });
                if !known {
                    terms = vec![(condition.clone(), vec![0, 1])];
                    if self.position(&negated(condition.clone())).is_some() {
                        return;
                    }
                }
                for (term, values) in terms {
                    if self.position(&term).is_none() {
                        self.0.push((term, values));
                    }
                }
            }
        }
    }

    fn position(&self, term: &Expression) -> Option<usize> {
        self.0.iter().position(|(other, _)| other == term)
    }

    fn ways(&self) -> usize {
        self.0.iter().fold(1, |ways, (_, values)| ways.saturating_mul(values.len()))
    }

    /// Whether one of the conditions holds in each way.
    fn always(&self, conditions: &[&Expression]) -> bool {
        let holds = |mut way: usize| {
            let chosen = self.0.iter().map(|(_, values)| {
                let value = values[way % values.len()];
                way /= values.len();
                value
            });
            let chosen: Vec<i32> = chosen.collect();
            conditions.iter().any(|condition| self.value(condition, &chosen).is_some_and(|value| value != 0))
        };
        (0..self.ways()).all(holds)
    }

    /// The value of a condition; none where it has none.
    fn value(&self, condition: &Expression, chosen: &[i32]) -> Option<i32> {
        if let Some(at) = self.position(condition) {
            return Some(chosen[at]);
        }
        match condition {
            Expression::Number(value) => Some(*value),
            Expression::Unary(op, inner) => Some(op.apply(self.value(inner, chosen)?)),
            Expression::Binary(Binary::And, pair) => match self.value(&pair.0, chosen)? {
                0 => Some(0),
                _ => self.value(&pair.1, chosen),
            },
            Expression::Binary(Binary::Or, pair) => match self.value(&pair.0, chosen)? {
                0 => self.value(&pair.1, chosen),
                _ => Some(1),
            },
            Expression::Binary(op, pair) => match self.position(&negated(condition.clone())) {
                Some(at) => Some(i32::from(chosen[at] == 0)),
                None => op.apply(self.value(&pair.0, chosen)?, self.value(&pair.1, chosen)?),
            },
            _ => None,
        }
    }
}

/// Shows the operands of an expression that are no operations themselves, as long as they are `known`; whether all of them are.
fn terms_of(expression: &Expression, known: &mut impl FnMut(&Expression) -> bool) -> bool {
    match expression {
        Expression::Number(_) => true,
        Expression::Unary(_, inner) => terms_of(inner, known),
        Expression::Binary(_, pair) => terms_of(&pair.0, known) && terms_of(&pair.1, known),
        term => known(term),
    }
}
