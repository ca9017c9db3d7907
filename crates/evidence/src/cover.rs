//! Whether an assumption still covers a process that was changed.
//!
//! An assumption A stands for a process N. When N is changed to N', its old map from states to classes means nothing. What counts is
//! whether A *simulates* N': there is a relation between states of N' and classes of A that holds of the initial ones, and
//! where it holds of (s, c), every step s -a-> s' has a step c -a-> c' to a pair that it holds of. A tau of N' may also leave
//! c where it is. Then every path of the network with N' is one of the network with A, up to such taus, and what the latter does
//! not reach, the former does not either. A homomorphism is such a relation; N' need not have one.
//!
//! Where deadlocks are asked for, a pair must be stuck together: a state has every label that its class has, or a step of its own.
//!
//! The converse does not hold: N' may do less than A, so that what the network with A reaches need not be reached with N'. Only
//! verdicts that nothing is reached carry over.
//!
//! The alphabets must agree on what is shared: a label that A takes part in and N' does not would no longer wait for N'. A label
//! that is new and N's own, watched by nobody, is as good as tau.

use super::certificate::{Rejected, Replacement, replacement_edges};
use prequel_model::{Component, ComponentId, LabelId, Lts, Network, Problem, Query, StateId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why an assumption does not cover a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uncovered {
    /// Labels of the way to the place, from the initial state; tau is none.
    pub path: Vec<Option<String>>,
    /// The state that does, or lacks, something.
    pub state: StateId,
    /// The class that would have to do the same.
    pub class: u32,
    /// What differs.
    pub what: Difference,
}

/// What a state does that a class does not, or the other way round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The state has this step, and the class has none with this label.
    Step {
        /// Its label; none is tau.
        label: Option<String>,
        /// Where it leads.
        to: StateId,
    },
    /// The class has this label, and the state lacks it: it may be stuck where the class is not.
    Stuck {
        /// What it lacks.
        label: String,
    },
}

/// The assumption as a component in the place of the changed process, where their alphabets fit.
pub(super) fn assumption(problem: &Problem, c: ComponentId, given: &Replacement) -> Result<Component, Rejected> {
    let (network, component) = (&problem.network, problem.network.component(c));
    let unknown = |what: String| Rejected::Unknown(format!("`{}`: {what}", given.component));
    let Some(names) = &given.alphabet else {
        return Err(unknown("the certificate does not say in which labels it takes part; make it anew".into()));
    };
    match &problem.query {
        Query::Reach(goal) if !goal.conditions(c).is_empty() => {
            return Err(unknown("the goal is about its states, and those are others now".into()));
        }
        Query::Nonblocking => return Err(Rejected::Query(problem.query.kind())),
        _ => {}
    }
    let watched = |l: LabelId| matches!(&problem.query, Query::Safety(m) if m.automaton.takes_part(l));
    let own = |l: LabelId| network.participants(l) == [c] && !watched(l);
    // A label that the model no longer has is one that nobody waits for.
    let alphabet: FxHashSet<LabelId> = names.iter().filter_map(|name| network.labels().get(name)).collect();
    for &l in component.alphabet() {
        if !alphabet.contains(&l) && !own(l) {
            let name = network.labels().name(l);
            return Err(unknown(format!("it takes part in `{name}` now, and its assumption does not")));
        }
    }
    for &l in &alphabet {
        if !component.takes_part(l) && (!network.participants(l).is_empty() || watched(l)) {
            let name = network.labels().name(l);
            return Err(unknown(format!("it no longer takes part in `{name}`, and its assumption does")));
        }
    }
    let classes = given.class_of.iter().map(|&class| class as usize + 1).max().unwrap_or(0);
    if given.initial as usize >= classes {
        return Err(unknown(format!("class {} of {classes}", given.initial)));
    }
    let edges = replacement_edges(network, given, classes, true)?;
    let assumption = Lts::new(StateId(given.initial), classes, edges);
    Ok(Component::with_alphabet(component.name.clone(), assumption, alphabet))
}

/// What the changed process does that its assumption does not, if anything. Labels that are `impossible` are never taken.
pub(super) fn uncovered(
    problem: &Problem,
    c: ComponentId,
    assumption: &Component,
    impossible: &FxHashSet<LabelId>,
) -> Option<Uncovered> {
    let network = &problem.network;
    // What is new in the alphabet is its own and watched by nobody.
    let silent = |l: LabelId| l.is_tau() || !assumption.takes_part(l);
    let alone = || network.labels().visible().filter(|&l| network.participants(l).len() == 1).collect();
    let stuck = matches!(problem.query, Query::DeadlockFree).then(|| Stuck { alone: alone(), impossible });
    let (changed, assumption) = (&network.component(c).lts, &assumption.lts);
    Simulation { network, changed, assumption, silent: &silent, stuck }.uncovered()
}

/// What deadlocks need: which labels are a step of one process alone, and which nobody can ever take.
struct Stuck<'a> {
    alone: FxHashSet<LabelId>,
    impossible: &'a FxHashSet<LabelId>,
}

/// The search for the largest simulation.
struct Simulation<'a, F> {
    network: &'a Network,
    changed: &'a Lts,
    assumption: &'a Lts,
    /// Steps that may leave the class where it is.
    silent: &'a F,
    stuck: Option<Stuck<'a>>,
}

/// The pairs that are not in the relation, in the order in which that was found, and why.
type Out = FxHashMap<(StateId, StateId), (usize, Why)>;

/// Why a pair is not in the relation. What that rests on was found before.
#[derive(Clone, Copy)]
enum Why {
    /// No step of the class answers this one.
    Step { label: LabelId, to: StateId },
    /// The state lacks this label.
    Lacks(LabelId),
}

impl<F: Fn(LabelId) -> bool> Simulation<'_, F> {
    /// Takes pairs out until the rest is a simulation; none where the initial ones are still in it.
    fn uncovered(&self) -> Option<Uncovered> {
        let mut out: Out = FxHashMap::default();
        let start = (self.changed.initial(), self.assumption.initial());
        // Only pairs that can be met together are looked at.
        let (mut pairs, mut seen) = (vec![start], FxHashSet::from_iter([start]));
        let mut at = 0;
        while at < pairs.len() {
            let (s, c) = pairs[at];
            for e in self.changed.row(s) {
                for answer in self.answers(c, e.label) {
                    if seen.insert((e.target, answer)) {
                        pairs.push((e.target, answer));
                    }
                }
            }
            at += 1;
        }
        loop {
            let before = out.len();
            for &(s, c) in &pairs {
                if !out.contains_key(&(s, c))
                    && let Some(why) = self.fails(s, c, &out)
                {
                    out.insert((s, c), (out.len(), why));
                }
            }
            if out.len() == before {
                return None;
            }
            if out.contains_key(&start) {
                return Some(self.told(start, &out));
            }
        }
    }

    /// The classes that a step with this label may lead to.
    fn answers(&self, class: StateId, label: LabelId) -> impl Iterator<Item = StateId> {
        let stays = (self.silent)(label).then_some(class);
        self.assumption.row_on(class, label).iter().map(|e| e.target).chain(stays)
    }

    /// Why a pair cannot be in the relation, given those that are not.
    fn fails(&self, s: StateId, c: StateId, out: &Out) -> Option<Why> {
        let row = self.changed.row(s);
        let lost = row.iter().find(|e| self.answers(c, e.label).all(|to| out.contains_key(&(e.target, to))));
        if let Some(e) = lost {
            return Some(Why::Step { label: e.label, to: e.target });
        }
        let stuck = self.stuck.as_ref()?;
        if row.iter().any(|e| e.label.is_tau() || stuck.alone.contains(&e.label)) {
            return None;
        }
        let lacks = |l: LabelId| self.changed.row_on(s, l).is_empty() && !stuck.impossible.contains(&l);
        self.assumption.row(c).iter().map(|e| e.label).find(|&l| lacks(l)).map(Why::Lacks)
    }

    /// Follows the reasons from a pair to the place where something is missing.
    fn told(&self, (mut s, mut c): (StateId, StateId), out: &Out) -> Uncovered {
        let name = |l: LabelId| (!l.is_tau()).then(|| self.network.labels().name(l).to_owned());
        let mut path = Vec::new();
        loop {
            match out[&(s, c)].1 {
                Why::Lacks(l) => {
                    let what = Difference::Stuck { label: self.network.labels().name(l).to_owned() };
                    return Uncovered { path, state: s, class: c.0, what };
                }
                Why::Step { label, to } => {
                    // Of several answers, the one that was found to fail first has the shortest reason.
                    let Some(answer) = self.answers(c, label).min_by_key(|&answer| out[&(to, answer)].0) else {
                        let what = Difference::Step { label: name(label), to };
                        return Uncovered { path, state: s, class: c.0, what };
                    };
                    path.push(name(label));
                    (s, c) = (to, answer);
                }
            }
        }
    }
}
