//! A condition as a combination of inequalities, without negation.

use prequel_model::Inequality;
use prequel_model::{Comparison, Condition, Net, PlaceId, TransitionId};
use prequel_sat::Solver;
use rustc_hash::FxHashMap;

/// A combination of inequalities, which have numbers.
#[derive(Debug)]
pub enum Formula {
    /// One of them.
    Inequality(usize),
    /// All of these.
    All(Vec<Formula>),
    /// One of these.
    Any(Vec<Formula>),
}

/// The inequalities of a condition.
#[derive(Debug, Default)]
pub struct Inequalities {
    /// By their numbers.
    pub all: Vec<Inequality>,
    numbers: FxHashMap<Inequality, usize>,
    /// How often each occurs.
    pub occurs: Vec<usize>,
}

impl Inequalities {
    /// A sum that is at most a number; what needs no places is decided at once. `None` where a number is too large.
    fn at_most(&mut self, sum: &[(PlaceId, i128)], most: i128) -> Option<Formula> {
        let mut sum = sum.to_vec();
        sum.sort_unstable_by_key(|part| part.0);
        sum.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 += next.1;
                true
            }
        });
        sum.retain(|part| part.1 != 0);
        if sum.is_empty() {
            return Some(if most >= 0 { Formula::All(Vec::new()) } else { Formula::Any(Vec::new()) });
        }
        let sum = sum.into_iter().map(|(p, factor)| Some((p, i64::try_from(factor).ok()?))).collect::<Option<_>>()?;
        let inequality = Inequality { sum, most: i64::try_from(most).ok()? };
        let number = *self.numbers.entry(inequality).or_insert_with_key(|inequality| {
            self.all.push(inequality.clone());
            self.occurs.push(0);
            self.all.len() - 1
        });
        self.occurs[number] += 1;
        Some(Formula::Inequality(number))
    }

    /// The number of one that occurs.
    pub fn number(&self, inequality: &Inequality) -> usize {
        self.numbers[inequality]
    }

    fn at_least(&mut self, sum: &[(PlaceId, i128)], least: i128) -> Option<Formula> {
        let turned: Vec<(PlaceId, i128)> = sum.iter().map(|&(p, factor)| (p, -factor)).collect();
        self.at_most(&turned, -least)
    }

    /// A condition, or its opposite; `None` where a number is too large.
    pub fn formula(&mut self, net: &Net, condition: &Condition, wanted: bool) -> Option<Formula> {
        let mut parts = |parts: &[Condition]| -> Option<Vec<Formula>> {
            parts.iter().map(|part| self.formula(net, part, wanted)).collect()
        };
        match condition {
            Condition::Not(inner) => self.formula(net, inner, !wanted),
            Condition::And(all) if wanted => Some(Formula::All(parts(all)?)),
            Condition::Or(any) if wanted => Some(Formula::Any(parts(any)?)),
            Condition::And(any) => Some(Formula::Any(parts(any)?)),
            Condition::Or(all) => Some(Formula::All(parts(all)?)),
            Condition::Fireable(t) => self.fireable(net, *t, wanted),
            Condition::Dead => {
                let each = net.transitions().map(|t| self.fireable(net, t, !wanted)).collect::<Option<_>>()?;
                Some(if wanted { Formula::All(each) } else { Formula::Any(each) })
            }
            Condition::Tokens(sum, comparison, number) => {
                let sum: Vec<(PlaceId, i128)> = sum.iter().map(|&(p, factor)| (p, factor.into())).collect();
                let number = i128::from(*number);
                match (comparison, wanted) {
                    (Comparison::AtMost, true) => self.at_most(&sum, number),
                    (Comparison::AtMost, false) => self.at_least(&sum, number + 1),
                    (Comparison::AtLeast, true) => self.at_least(&sum, number),
                    (Comparison::AtLeast, false) => self.at_most(&sum, number - 1),
                    (Comparison::Equal, true) => {
                        Some(Formula::All(vec![self.at_most(&sum, number)?, self.at_least(&sum, number)?]))
                    }
                    (Comparison::Equal, false) => {
                        Some(Formula::Any(vec![self.at_most(&sum, number - 1)?, self.at_least(&sum, number + 1)?]))
                    }
                }
            }
        }
    }

    fn fireable(&mut self, net: &Net, t: TransitionId, wanted: bool) -> Option<Formula> {
        let arcs = net.inputs(t).iter().map(|arc| ([(arc.place, 1)], i128::from(arc.weight)));
        if wanted {
            Some(Formula::All(arcs.map(|(sum, weight)| self.at_least(&sum, weight)).collect::<Option<_>>()?))
        } else {
            Some(Formula::Any(arcs.map(|(sum, weight)| self.at_most(&sum, weight - 1)).collect::<Option<_>>()?))
        }
    }
}

impl Formula {
    /// Demands it, or one of these literals; inequality `n` is the variable `n + 1`. As no negation occurs, parts imply their
    /// whole only.
    pub fn demand(&self, solver: &mut Solver, or: &mut Vec<i32>) {
        match self {
            Formula::Inequality(number) => {
                or.push(variable(*number));
                solver.add(0, or);
                or.pop();
            }
            Formula::All(parts) => parts.iter().for_each(|part| part.demand(solver, or)),
            Formula::Any(parts) => {
                let before = or.len();
                for part in parts {
                    match part {
                        Formula::Inequality(number) => or.push(variable(*number)),
                        _ => {
                            let helper = solver.variable();
                            part.demand(solver, &mut vec![-helper]);
                            or.push(helper);
                        }
                    }
                }
                solver.add(0, or);
                or.truncate(before);
            }
        }
    }

    fn holds(&self, chosen: &impl Fn(usize) -> bool) -> bool {
        match self {
            Formula::Inequality(number) => chosen(*number),
            Formula::All(parts) => parts.iter().all(|part| part.holds(chosen)),
            Formula::Any(parts) => parts.iter().any(|part| part.holds(chosen)),
        }
    }

    /// Inequalities out of those that are true which make it true: of alternatives one is taken, best of all one that others
    /// need too.
    pub fn implicant(&self, is_true: &impl Fn(usize) -> bool, occurs: &[usize], needed: &mut Vec<bool>) {
        match self {
            Formula::Inequality(number) => needed[*number] = true,
            Formula::All(parts) => parts.iter().for_each(|part| part.implicant(is_true, occurs, needed)),
            Formula::Any(parts) => {
                if parts.iter().any(|part| part.holds(&|number| needed[number])) {
                    return;
                }
                let rank = |part: &&Formula| match part {
                    Formula::Inequality(number) => occurs[*number],
                    _ => 0,
                };
                let chosen = parts.iter().filter(|part| part.holds(is_true)).max_by_key(rank);
                chosen.expect("the formula is true").implicant(is_true, occurs, needed);
            }
        }
    }
}

/// The variable of an inequality.
pub fn variable(number: usize) -> i32 {
    number as i32 + 1
}
