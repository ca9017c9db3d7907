//! What a process can do with what is known of it: residual actions, and what is known afterwards.

use super::domain::Domains;
use super::fold::{Known, Residue, Target, Unfoldable, is_truth, may_fail, negated};
use super::plan::{Plan, Variable};
use super::steps;
use crate::data::{Action, Program, Run, Send};
use crate::expression::{Binary, Expression, Pattern, Place, Receive};
use rustc_hash::FxHashSet;

/// An assignment of something that is not known becomes at most so many conditions.
const MOST_ASSIGNED: usize = 8;
/// A receive becomes at most so many.
const MOST_RECEIVED: usize = 24;

/// A way in which an action can be done.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What is left to do; nothing if nobody else can notice it.
    pub action: Option<Action>,
    /// The values of the folded cells afterwards.
    pub values: Box<[i32]>,
}

/// A kind of process that is unfolded.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// Which kind.
    pub proctype: u32,
    /// What is folded.
    pub plan: &'a Plan,
    /// What things can be.
    pub domains: &'a Domains<'a>,
    /// Cells that nobody ever reads: of the process, and global.
    pub unread: &'a FxHashSet<Variable>,
}

impl<'a> Context<'a> {
    /// With these values of the folded cells.
    pub fn known<'v>(&'v self, values: &'v [i32]) -> Known<'v> {
        Known { program: self.program, plan: self.plan, values }
    }

    /// The ways in which an action can be done; none if it cannot. `else` is always possible here.
    pub fn outcomes(&self, action: &Action, values: &[i32]) -> Residue<Vec<Outcome>> {
        let known = self.known(values);
        let same = |action: Option<Action>| vec![Outcome { action, values: values.into() }];
        Ok(match action {
            Action::Skip | Action::Else => same(None),
            Action::Condition(value) => match known.fold(value)? {
                Expression::Number(0) => Vec::new(),
                Expression::Number(_) => same(None),
                value => same(Some(Action::Condition(value))),
            },
            Action::Assign(place, value) => self.assign(&known, place.as_ref(), value)?,
            Action::Assert(value) => match known.fold(value)? {
                Expression::Number(value) if value != 0 => same(None),
                value => same(Some(Action::Assert(value))),
            },
            Action::Print(printed) => {
                let printed: Vec<Expression> = printed.iter().map(|value| known.fold(value)).collect::<Residue<_>>()?;
                let failing: Box<[Expression]> = printed.into_iter().filter(may_fail).collect();
                same((!failing.is_empty()).then_some(Action::Print(failing)))
            }
            Action::Send(send) => {
                let arguments: Vec<Expression> =
                    send.arguments.iter().map(|value| known.fold(value)).collect::<Residue<_>>()?;
                let channel = known.fold(&send.channel)?;
                same(Some(Action::Send(Box::new(Send { channel, arguments: arguments.into(), ..(**send).clone() }))))
            }
            Action::Receive(receive) => self.receive(&known, receive)?,
            Action::Run(run) => self.run(&known, run)?,
            Action::SetPriority(pair) => {
                let pair = (known.fold(&pair.0)?, known.fold(&pair.1)?);
                same(Some(Action::SetPriority(Box::new(pair))))
            }
            Action::End => same(Some(Action::End)),
            Action::Steps(inner) => steps::outcomes(self, inner, values)?,
        })
    }

    fn with(values: &[i32], at: usize, value: i32) -> Box<[i32]> {
        let mut values: Box<[i32]> = values.into();
        values[at] = value;
        values
    }

    fn assign(&self, known: &Known<'_>, place: Option<&Place>, value: &Expression) -> Residue<Vec<Outcome>> {
        let values = known.values;
        let one = |action| vec![Outcome { action, values: values.into() }];
        let value = known.fold(value)?;
        let Some(place) = place else {
            return Ok(one(may_fail(&value).then_some(Action::Assign(None, value))));
        };
        Ok(match (known.target(place)?, value) {
            (Target::Folded(at), Expression::Number(value)) => {
                vec![Outcome { action: None, values: Self::with(values, at, place.ty.store(value)) }]
            }
            (Target::Folded(at), value) => {
                let Some(split) = self.domains.of(&value, self.proctype).values(MOST_ASSIGNED).cloned() else {
                    return Err(Unfoldable(self.plan.folded()[at]));
                };
                let is = |to: i32| match (is_truth(&value), to) {
                    (true, 0) => negated(value.clone()),
                    (true, _) => value.clone(),
                    _ => Expression::binary(Binary::Equal, value.clone(), Expression::Number(to)),
                };
                let way = |to: i32| Outcome {
                    action: Some(Action::Condition(is(to))),
                    values: Self::with(values, at, place.ty.store(to)),
                };
                split.into_iter().map(way).collect()
            }
            (Target::Kept(place), value) => {
                let unread = place.indices.is_empty() && self.unread.contains(&Variable::of(&place));
                let silent = unread && !may_fail(&value);
                one((!silent).then_some(Action::Assign(Some(place), value)))
            }
        })
    }

    fn receive(&self, known: &Known<'_>, receive: &Receive) -> Residue<Vec<Outcome>> {
        let channel = known.fold(&receive.channel)?;
        let mut patterns = Vec::new();
        // Which folded cell a field goes to.
        let mut taken: Vec<(usize, usize, Place)> = Vec::new();
        for (field, pattern) in receive.patterns.iter().enumerate() {
            patterns.push(match pattern {
                Pattern::Match(value) => Pattern::Match(known.fold(value)?),
                Pattern::Ignore => Pattern::Ignore,
                Pattern::Store(place) => {
                    // An index may read what an earlier field was stored in, and nobody knows that yet.
                    for index in &place.indices {
                        if let Some((at, ..)) = taken.iter().find(|(at, ..)| reads(&index.at, self.plan.folded()[*at]))
                        {
                            return Err(Unfoldable(self.plan.folded()[*at]));
                        }
                    }
                    match known.target(place)? {
                        Target::Folded(at) => {
                            taken.push((at, field, place.clone()));
                            Pattern::Ignore
                        }
                        Target::Kept(place) => {
                            let unread = place.indices.is_empty() && self.unread.contains(&Variable::of(&place));
                            if unread { Pattern::Ignore } else { Pattern::Store(place) }
                        }
                    }
                }
            });
        }
        // Any message will do for a variable, but not for a value: which one is taken depends on it.
        if let Some((at, ..)) = taken.first().filter(|_| receive.random) {
            return Err(Unfoldable(self.plan.folded()[*at]));
        }
        let mut ways = vec![(patterns, known.values.to_vec())];
        for (at, field, place) in taken {
            let domain = self.domains.field(&channel, field);
            let Some(values) = domain.values(MOST_RECEIVED).filter(|v| v.len() * ways.len() <= MOST_RECEIVED) else {
                return Err(Unfoldable(self.plan.folded()[at]));
            };
            let values: Vec<i32> = values.iter().copied().collect();
            let split = |(patterns, before): (Vec<Pattern>, Vec<i32>)| {
                let place = place.clone();
                values.clone().into_iter().map(move |value| {
                    let (mut patterns, mut after) = (patterns.clone(), before.clone());
                    patterns[field] = Pattern::Match(Expression::Number(value));
                    after[at] = place.ty.store(value);
                    (patterns, after)
                })
            };
            ways = ways.into_iter().flat_map(split).collect();
        }
        let way = |(patterns, values): (Vec<Pattern>, Vec<i32>)| {
            let receive = Receive { channel: channel.clone(), patterns: patterns.into(), ..receive.clone() };
            Outcome { action: Some(Action::Receive(Box::new(receive))), values: values.into() }
        };
        Ok(ways.into_iter().map(way).collect())
    }

    fn run(&self, known: &Known<'_>, run: &Run) -> Residue<Vec<Outcome>> {
        let arguments: Vec<Expression> = run.arguments.iter().map(|value| known.fold(value)).collect::<Residue<_>>()?;
        let into = match &run.into {
            None => None,
            Some(place) => match known.target(place)? {
                Target::Folded(at) => return Err(Unfoldable(self.plan.folded()[at])),
                Target::Kept(place) => Some(place),
            },
        };
        let run = Run { arguments: arguments.into(), into, ..run.clone() };
        Ok(vec![Outcome { action: Some(Action::Run(Box::new(run))), values: known.values.into() }])
    }
}

/// Whether an expression reads a cell.
fn reads(expression: &Expression, variable: Variable) -> bool {
    let mut found = false;
    expression.visit(&mut |part| {
        found |= match part {
            Expression::Local(cell) => variable == Variable::Local(*cell),
            Expression::Global(cell) => variable == Variable::Global(*cell),
            // An index of an index: which cell it is does not matter.
            Expression::Element(place) => place.local == matches!(variable, Variable::Local(_)),
            _ => false,
        };
    });
    found
}
