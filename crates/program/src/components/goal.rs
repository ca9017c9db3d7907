//! A goal of the program as one of the network: a Boolean combination of local states.
//!
//! `!`, `&&` and `||` stay what they are. Anything else is looked at for every combination of states of the parts that it depends on,
//! as long as these are not too many.

use super::Components;
use super::part::Part;
use crate::data::Program;
use crate::expression::{Binary, Expression, Pattern, Place, Receive, Remote, Unary};
use crate::sought::holds;
use prequel_model::{ComponentId, Goal, StateId};
use std::collections::BTreeSet;

/// Combinations of states that one condition may be looked at for.
const MOST_COMBINATIONS: usize = 200_000;

impl Components {
    /// The goal in terms of local states, or why there is none.
    pub fn goal(&self, program: &Program, goal: &Expression) -> Result<Goal, String> {
        let translation = Translation { components: self, program };
        // The program has no state in which something went wrong.
        let fine = self.errors.iter().map(|&(c, error)| Goal::Not(Box::new(Goal::at(c, error))));
        let mut all = vec![translation.goal(goal)?];
        all.extend(fine);
        Ok(Goal::And(all))
    }
}

struct Translation<'a> {
    components: &'a Components,
    program: &'a Program,
}

impl Translation<'_> {
    fn goal(&self, goal: &Expression) -> Result<Goal, String> {
        match goal {
            Expression::Binary(Binary::And, pair) => Ok(Goal::And(vec![self.goal(&pair.0)?, self.goal(&pair.1)?])),
            Expression::Binary(Binary::Or, pair) => Ok(Goal::Or(vec![self.goal(&pair.0)?, self.goal(&pair.1)?])),
            Expression::Unary(Unary::Not, a) => Ok(Goal::Not(Box::new(self.goal(a)?))),
            Expression::Binary(op @ (Binary::BitAnd | Binary::BitOr), pair)
                if is_condition(&pair.0) && is_condition(&pair.1) =>
            {
                let both = vec![self.goal(&pair.0)?, self.goal(&pair.1)?];
                Ok(if *op == Binary::BitAnd { Goal::And(both) } else { Goal::Or(both) })
            }
            Expression::At(remote, _) if remote.pid.is_none() => self.first_at(remote, goal),
            other => self.condition(other),
        }
    }

    /// Whether the first process of a proctype is at a label: one of the numbers is its, and no smaller one is.
    fn first_at(&self, remote: &Remote, at: &Expression) -> Result<Goal, String> {
        let Expression::At(_, label) = at else { return self.condition(at) };
        let control = self.program.labels[*label as usize].map(|state| state as i32);
        let kind = remote.proctype as i32;
        let (mut before, mut any) = (Vec::new(), Vec::new());
        for (number, part) in self.components.parts.iter().enumerate() {
            let Part::Slot(_) = part else { continue };
            let chosen = |test: &dyn Fn(&[i32]) -> bool| {
                let states = self.components.states[number].iter().enumerate();
                let states = states.filter(|(_, frame)| test(frame)).map(|(state, _)| StateId::new(state)).collect();
                Goal::In(ComponentId::new(number), states)
            };
            let mut here: Vec<Goal> = before.clone();
            here.push(chosen(&|frame| frame.first() == Some(&kind) && frame.get(1).copied() == control));
            any.push(Goal::And(here));
            before.push(Goal::Not(Box::new(chosen(&|frame| frame.first() == Some(&kind)))));
        }
        Ok(Goal::Or(any))
    }

    /// Looks at a condition in every combination of states that it depends on.
    fn condition(&self, condition: &Expression) -> Result<Goal, String> {
        let mut parts = BTreeSet::new();
        self.depends(condition, &mut parts);
        let position = |part: &Part| self.components.parts.iter().position(|other| other == part);
        let on: Vec<usize> = parts.iter().filter_map(position).collect();
        let sizes: Vec<usize> = on.iter().map(|&c| self.components.states[c].len()).collect();
        let combinations = sizes.iter().fold(1usize, |product, size| product.saturating_mul(*size));
        if combinations > MOST_COMBINATIONS {
            return Err(format!(
                "a condition of the goal depends on {combinations} combinations of states, more than {MOST_COMBINATIONS}"
            ));
        }
        let mut state = self.components.network.initial();
        let (mut any, mut chosen) = (Vec::new(), vec![0usize; on.len()]);
        let last = on.len().saturating_sub(1);
        let mut of_last = Vec::new();
        for _ in 0..combinations {
            for (&component, &local) in on.iter().zip(&chosen) {
                state[component] = StateId::new(local);
            }
            let machine = self.components.machine(self.program, &state).ok_or("a state that stands for nothing")?;
            let holds = holds(self.program, &machine, condition)
                .map_err(|fault| format!("the goal cannot be computed in every combination of states: {fault}"))?;
            if holds {
                of_last.push(chosen.get(last).map_or(StateId(0), |&local| StateId::new(local)));
            }
            // The last one counts fastest; its states are gathered for each combination of the others.
            for at in (0..on.len()).rev() {
                chosen[at] += 1;
                if at == last && chosen[at] == sizes[at] && !of_last.is_empty() {
                    let mut all: Vec<Goal> =
                        (0..last).map(|at| Goal::at(ComponentId::new(on[at]), StateId::new(chosen[at]))).collect();
                    all.push(Goal::In(ComponentId::new(on[last]), std::mem::take(&mut of_last)));
                    any.push(Goal::And(all));
                }
                if chosen[at] < sizes[at] {
                    break;
                }
                chosen[at] = 0;
            }
        }
        if on.is_empty() && !of_last.is_empty() {
            return Ok(Goal::And(vec![]));
        }
        Ok(Goal::Or(any))
    }

    /// The parts that an expression depends on.
    fn depends(&self, expression: &Expression, parts: &mut BTreeSet<Part>) {
        match expression {
            Expression::Number(_) | Expression::Local(_) | Expression::Pid | Expression::Timeout => {}
            Expression::Global(cell) => _ = parts.insert(Part::Cell(*cell)),
            Expression::Element(place) => self.place(place, parts),
            Expression::Unary(_, a) => self.depends(a, parts),
            Expression::Binary(_, pair) => {
                self.depends(&pair.0, parts);
                self.depends(&pair.1, parts);
            }
            Expression::Conditional(three) => {
                [&three.0, &three.1, &three.2].into_iter().for_each(|part| self.depends(part, parts));
            }
            Expression::Length(channel) | Expression::Probe(_, channel) => self.channel(channel, parts),
            Expression::Poll(receive) => self.receive(receive, parts),
            Expression::At(remote, _) => self.remote(remote, parts),
            Expression::RemoteCell(remote, place) => {
                self.remote(remote, parts);
                place.indices.iter().for_each(|index| self.depends(&index.at, parts));
            }
            Expression::ProcessCount | Expression::NonProgress | Expression::Enabled(_) | Expression::Priority(_) => {
                parts.extend(self.slots())
            }
        }
    }

    fn place(&self, place: &Place, parts: &mut BTreeSet<Part>) {
        let mut cells = vec![place.offset];
        for index in &place.indices {
            self.depends(&index.at, parts);
            let elements = |cell: &u32| (0..index.length).map(|at| *cell + at * index.stride).collect::<Vec<_>>();
            cells = cells.iter().flat_map(elements).collect();
        }
        parts.extend(cells.into_iter().map(Part::Cell));
    }

    /// A channel and what says which one it is.
    fn channel(&self, channel: &Expression, parts: &mut BTreeSet<Part>) {
        let mut named = BTreeSet::new();
        self.depends(channel, &mut named);
        named.retain(|part| self.components.parts.contains(part));
        let all = || self.components.parts.iter().filter(|part| matches!(part, Part::Channel(_))).copied();
        match (channel, named.is_empty()) {
            (Expression::Global(cell), true) => {
                parts.insert(Part::Channel(self.program.initial[*cell as usize].max(0) as u32));
            }
            _ => parts.extend(all()),
        }
        parts.extend(named);
    }

    fn receive(&self, receive: &Receive, parts: &mut BTreeSet<Part>) {
        self.channel(&receive.channel, parts);
        for pattern in &receive.patterns {
            if let Pattern::Match(value) = pattern {
                self.depends(value, parts);
            }
        }
    }

    fn remote(&self, remote: &Remote, parts: &mut BTreeSet<Part>) {
        match &remote.pid {
            Some(Expression::Number(pid)) => parts.extend(u32::try_from(*pid).ok().map(Part::Slot)),
            pid => {
                pid.iter().for_each(|pid| self.depends(pid, parts));
                parts.extend(self.slots());
            }
        }
    }

    fn slots(&self) -> impl Iterator<Item = Part> + '_ {
        self.components.parts.iter().filter(|part| matches!(part, Part::Slot(_))).copied()
    }
}

/// Whether an expression is 0 or 1 by its form.
fn is_condition(expression: &Expression) -> bool {
    match expression {
        Expression::Unary(op, _) => *op == Unary::Not,
        Expression::Binary(Binary::BitAnd | Binary::BitOr | Binary::BitXor, pair) => {
            is_condition(&pair.0) && is_condition(&pair.1)
        }
        Expression::Binary(op, _) => op.is_condition(),
        Expression::Probe(..) | Expression::Poll(_) | Expression::At(..) => true,
        _ => false,
    }
}
