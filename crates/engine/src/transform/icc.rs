//! Each component cut down to what incremental counterexample construction has not ruled out.
//!
//! A. Wijs and T. Neele, *Compositional Model Checking with Incremental Counter-Example Construction*, CAV 2017, learn restrictions
//! while they look for a counterexample ([`crate::icc`]). The persistent ones (R0 of Section 4) hold in every context: if w is a
//! counterexample, then R0 of each component allows w's projection. So a component may be replaced by what its R0 leaves of it, at
//! any time of the search:
//!
//! - what the smaller network does, the network does, because each state of it is a state of the component and one of R0;
//! - a counterexample of the network is one of the smaller network, because no R0 stands in its way.
//!
//! | here | what it does |
//! | --- | --- |
//! | `Cut::new` | M_i ||| R0_i, without what cannot become an allowed word any more (R0 may be pruned, R may not) |
//! | `Icc::apply` | cuts all components, then [`Minimise`]s them |
//! | `selected` | the components L_1 … L_n of a counterexample that was found: nothing else is left |
//!
//! Where few labels (`level`) or the search show that nothing bad can happen, nothing is left of any component: then every restriction
//! is right. A component that is not connected to what is asked stands still. Deadlocks are refused: what is cut may get stuck where the
//! network does not.

use super::minimise::Minimise;
use super::{Lift, NotLifted, Replaced, Smaller, Stop, Transform};
use crate::Refusal;
use crate::algo::trim;
use crate::icc;
use crate::icc::Options;
use crate::safety::Safety;
use prequel_model::run::{Limits, Run};
use prequel_model::{
    Component, ComponentId, Goal, LabelId, Lts, Network, Problem, Query, StateId, Trace, Transition, Why,
};
use rustc_hash::FxHashMap;

/// The transform.
#[derive(Clone, Debug, Default)]
pub struct Icc {
    /// Which components to replace; all of them where the list is empty.
    pub replace: Vec<ComponentId>,
    /// How the search works, and how many checks it may do.
    pub options: Options,
    /// Keep no more than the counterexamples that were found, where there are any.
    pub selected: bool,
}

impl Transform for Icc {
    fn name(&self) -> &'static str {
        "icc"
    }

    fn apply(&self, problem: &Problem, run: &Run) -> Result<Smaller, Stop> {
        if matches!(problem.query, Query::DeadlockFree | Query::Nonblocking) {
            let why = format!("icc keeps the verdict of safety and reach, not of {}", problem.query.kind());
            return Err(Refusal::new(why).into());
        }
        if self.selected && !matches!(problem.query, Query::Safety(_)) {
            return Err(Refusal::new("what icc selects are words: that is for safety properties only").into());
        }
        let safety = Safety::of(problem, self.options.minimise).map_err(|why| match why {
            Why::Refused(why) => Stop::Refused(Refusal::new(why)),
            limit => Stop::Limit(limit),
        })?;
        let learned = icc::Icc { options: self.options }.learn(&safety, run);
        if let Some(why @ Why::Interrupted) = learned.stopped {
            return Err(why.into());
        }
        let is_wanted = |c: ComponentId| self.replace.is_empty() || self.replace.contains(&c);
        if let Some(words) = learned.selected.filter(|_| self.selected) {
            return Ok(selected(problem, safety, words, is_wanted));
        }
        let cuts: Vec<Cut> = problem
            .network
            .ids()
            .map(|c| {
                let place = safety.ids.iter().position(|&id| id == c);
                let component = problem.network.component(c);
                match place {
                    _ if !is_wanted(c) => Cut::none(component),
                    None => Cut::still(component),
                    Some(at) => match &learned.allowed[at] {
                        None => Cut::none(component),
                        Some(allowed) => Cut::new(component, &safety.parts[at], allowed, |s| safety.end(c, s)),
                    },
                }
            })
            .collect();
        let (labels, mut components) = problem.network.clone().into_parts();
        for (component, cut) in components.iter_mut().zip(&cuts) {
            *component =
                Component::with_alphabet(component.name.clone(), cut.lts.clone(), component.alphabet().to_vec());
        }
        let query = match &problem.query {
            Query::Reach(goal) => Query::Reach(before(goal, &cuts)),
            other => other.clone(),
        };
        let cut = Problem { network: Network::new(labels, components), query };
        // The time may be up: what was learned by then is written all the same.
        let unlimited = Run::new(Limits::default(), run.seed);
        let smaller = Minimise { replace: self.replace.clone() }.apply(&cut, &unlimited)?;
        let (after, replaced) = (smaller.problem.clone(), smaller.replaced.clone());
        Ok(Smaller::new(after, replaced, Box::new(Uncut { cuts, smaller })))
    }
}

/// A component without what was ruled out.
#[derive(Debug)]
struct Cut {
    lts: Lts,
    /// The state of the component that each state was.
    was: Vec<StateId>,
}

impl Cut {
    /// The component as it is.
    fn none(component: &Component) -> Self {
        Self { lts: component.lts.clone(), was: component.lts.states().collect() }
    }

    /// The component in its initial state for ever.
    fn still(component: &Component) -> Self {
        Self { lts: Lts::new(StateId(0), 1, Vec::new()), was: vec![component.lts.initial()] }
    }

    /// Component and restriction side by side. `part` tells which labels the restriction is about, `end` under which one the
    /// component may end in a state.
    fn new(component: &Component, part: &Component, allowed: &Lts, end: impl Fn(StateId) -> Option<LabelId>) -> Self {
        let start = (component.lts.initial(), allowed.initial());
        let mut number: FxHashMap<(StateId, StateId), u32> = FxHashMap::from_iter([(start, 0)]);
        let (mut pairs, mut transitions, mut at) = (vec![start], Vec::new(), 0);
        while at < pairs.len() {
            let (s, r) = pairs[at];
            for e in component.lts.row(s) {
                let next = match part.takes_part(e.label) {
                    false => Some(r),
                    true => allowed.row_on(r, e.label).first().map(|e| e.target),
                };
                let Some(r) = next else { continue };
                let fresh = pairs.len() as u32;
                let target = *number.entry((e.target, r)).or_insert(fresh);
                if target == fresh {
                    pairs.push((e.target, r));
                }
                transitions.push(Transition::new(at as u32, e.label, target));
            }
            at += 1;
        }
        let ends = |s: StateId, r: StateId| {
            let over = end(s).filter(|&l| part.takes_part(l)).and_then(|l| allowed.row_on(r, l).first());
            over.is_some_and(|e| allowed.is_marked(e.target))
        };
        let hopeful = |&at: &usize| allowed.is_marked(pairs[at].1) || ends(pairs[at].0, pairs[at].1);
        let marked: Vec<StateId> = (0..pairs.len()).filter(hopeful).map(StateId::new).collect();
        let trimmed = trim::trim(&Lts::new(StateId(0), pairs.len(), transitions).with_marked(marked));
        let kept = pairs.iter().zip(&trimmed.new_of).filter(|(_, new)| new.is_some());
        let was: Vec<StateId> = kept.map(|((s, _), _)| *s).collect();
        let lts = trimmed.lts.with_marked([]);
        // A restriction that needs more states than it takes away is not worth it.
        match lts.num_states() <= component.lts.num_states() || lts.num_transitions() < component.lts.num_transitions()
        {
            true => Self { lts, was },
            false => Self::none(component),
        }
    }
}

/// What must hold where a goal holds, asked of the states that are left.
fn before(goal: &Goal, cuts: &[Cut]) -> Goal {
    let all = |goals: &[Goal]| goals.iter().map(|g| before(g, cuts)).collect();
    match goal {
        Goal::In(c, states) => {
            let was = &cuts[c.at()].was;
            let left = (0..was.len()).filter(|&s| states.binary_search(&was[s]).is_ok());
            Goal::In(*c, left.map(StateId::new).collect())
        }
        Goal::And(goals) => Goal::And(all(goals)),
        Goal::Or(goals) => Goal::Or(all(goals)),
        Goal::Not(goal) => Goal::Not(Box::new(before(goal, cuts))),
    }
}

/// The way back over minimised and cut components.
#[derive(Debug)]
struct Uncut {
    cuts: Vec<Cut>,
    smaller: Smaller,
}

impl Lift for Uncut {
    fn lift(&self, trace: &Trace) -> Result<Trace, NotLifted> {
        let mut trace = self.smaller.lift(trace)?;
        for moved in trace.steps.iter_mut().flat_map(|step| &mut step.moves) {
            let was = &self.cuts[moved.component.at()].was;
            (moved.from, moved.to) = (was[moved.from.at()], was[moved.to.at()]);
        }
        Ok(trace)
    }
}

/// The network of the words that were selected. Parts take no part in labels of theirs alone: those come back with the lift.
fn selected(
    problem: &Problem,
    safety: Safety,
    words: Vec<Component>,
    is_wanted: impl Fn(ComponentId) -> bool,
) -> Smaller {
    let (labels, mut components) = problem.network.clone().into_parts();
    let mut replaced = Vec::new();
    for c in problem.network.ids().filter(|&c| is_wanted(c)) {
        let old = &mut components[c.at()];
        let lts = match safety.ids.iter().position(|&id| id == c) {
            Some(at) => words[at].lts.clone().with_marked([]),
            None => Cut::still(old).lts,
        };
        *old = Component::with_alphabet(old.name.clone(), lts, old.alphabet().to_vec());
        replaced.push(Replaced { component: c, map: None, steps: 0, labels: 0, kept: None });
    }
    let small = Problem { network: Network::new(labels, components), query: problem.query.clone() };
    let network = problem.network.clone();
    Smaller::new(small, replaced, Box::new(Words { network, safety }))
}

/// The way back from selected words.
#[derive(Debug)]
struct Words {
    network: Network,
    safety: Safety,
}

impl Lift for Words {
    fn lift(&self, trace: &Trace) -> Result<Trace, NotLifted> {
        let heard = |l: &LabelId| self.safety.parts.iter().any(|part| part.takes_part(*l));
        let word: Vec<LabelId> = trace.steps.iter().map(|step| step.label).filter(heard).collect();
        Ok(self.safety.trace(&self.network, &word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::find;
    use std::time::Duration;

    /// A limit ends the search, not the reduction.
    #[test]
    fn what_was_learned_in_no_time_is_written() {
        let mut instance = (find("peterson").expect("a family").build)(3, 0);
        let problem = Problem { network: instance.network, query: instance.queries.swap_remove(0).query };
        for limits in [
            Limits { time: Some(Duration::ZERO), ..Limits::default() },
            Limits { states: Some(1), ..Limits::default() },
        ] {
            let smaller = Icc::default().apply(&problem, &Run::new(limits, 0)).expect("a smaller network");
            assert_eq!(smaller.problem.network.components().len(), problem.network.components().len());
        }
    }
}
