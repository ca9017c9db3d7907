//! Whether a trace shows what is claimed of a network.
//!
//! Read off the definitions, with nothing shared with the engines: a mistake there must not be repeated here.

use super::checked::Replay;
use prequel_model::{LabelId, Network, Problem, Query, ReplayError, StateId, Step, Trace};
use rustc_hash::FxHashSet;
use std::borrow::Borrow;
use std::sync::Arc;

/// States that are looked at before the components are looked at one after the other; then more.
const FEW_STATES: usize = 500;

/// Local states that the search behind a nonblocking witness may hold: 256 MiB of them.
const MOST_LOCAL_STATES: usize = 64 << 20;

/// Why a trace shows nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// It is no path of the network.
    #[error(transparent)]
    NoPath(#[from] ReplayError),
    /// A step names a label that the network does not have.
    #[error("step {step}: the network has no label number {label:?}")]
    NoSuchLabel {
        /// Counted from 1.
        step: usize,
        /// What the trace names.
        label: LabelId,
    },
    /// A step moves a component that the network does not have.
    #[error("step {step}: the network has no component number {component}")]
    NoSuchComponent {
        /// Counted from 1.
        step: usize,
        /// What the trace names.
        component: u32,
    },
    /// A step is said to be seen as something that it is not.
    #[error("step {step}: `{label}` is seen as `{seen}`, and not as `{claimed}`")]
    OtherAction {
        /// Counted from 1.
        step: usize,
        /// The label that is taken.
        label: String,
        /// What an observer sees of it.
        seen: String,
        /// What the witness says.
        claimed: String,
    },
    /// Claimed to be a deadlock, but something can happen.
    #[error("the last state is no deadlock: {who} can take `{label}`")]
    NoDeadlock {
        /// The label that is enabled.
        label: String,
        /// Who takes it.
        who: String,
    },
    /// The goal does not hold at the end.
    #[error("the last state does not satisfy the goal")]
    GoalMissed,
    /// The monitor is not in an accepting state at the end.
    #[error("the monitor does not accept the trace")]
    NotAccepted,
    /// Claimed to be blocking, but a marked state can still be reached.
    #[error("the last state is not blocking: {steps} further steps lead to a marked state")]
    NotBlocking {
        /// The length of a way.
        steps: usize,
    },
    /// Whether a marked state can be reached could not be found out.
    #[error("cannot tell whether the last state is blocking: more than {states} states follow it")]
    TooLarge {
        /// How many states were looked at.
        states: usize,
    },
}

/// A trace of a network as the witness of a query.
#[derive(Clone, Debug)]
pub struct NetworkRun<P = Arc<Problem>> {
    /// The network, and what is asked of it.
    pub problem: P,
    /// The path.
    pub trace: Trace,
}

impl<P: Borrow<Problem>> Replay for NetworkRun<P> {
    /// The last global state.
    type End = Vec<StateId>;
    type Rejected = Rejected;

    fn replay(&self) -> Result<Vec<StateId>, Rejected> {
        check(self.problem.borrow(), &self.trace)
    }

    fn shows(&self) -> Option<bool> {
        Some(self.problem.borrow().query.witness_shows())
    }
}

/// Replays a trace and checks that it shows the verdict that a witness of the query shows; gives the last global state.
pub fn check(problem: &Problem, trace: &Trace) -> Result<Vec<StateId>, Rejected> {
    let network = &problem.network;
    in_range(network, trace)?;
    let last = trace.replay(network)?;
    match &problem.query {
        Query::DeadlockFree => {
            if let Some((label, who)) = enabled(network, &last) {
                return Err(Rejected::NoDeadlock { label, who });
            }
        }
        Query::Reach(goal) => {
            if !goal.holds(&|c| last[c.at()]) {
                return Err(Rejected::GoalMissed);
            }
        }
        Query::Safety(monitor) => {
            if !monitor.accepts(trace.steps.iter().map(|s| s.label)) {
                return Err(Rejected::NotAccepted);
            }
        }
        Query::Nonblocking => {
            let most = MOST_LOCAL_STATES / network.components().len().max(1);
            blocking(network, &last, FEW_STATES, most)?;
        }
    }
    Ok(last)
}

/// Whether the labels of a trace are seen as a witness says; the trace is one that was checked.
pub fn seen_as(network: &Network, trace: &Trace, actions: &[String]) -> Result<(), Rejected> {
    let labels = network.labels();
    let wrong = |((_, step), action): &((usize, &Step), &String)| labels.seen(step.label) != action.as_str();
    let Some(((at, step), claimed)) = trace.steps.iter().enumerate().zip(actions).find(wrong) else { return Ok(()) };
    let (label, seen) = (labels.name(step.label).to_owned(), labels.seen(step.label).to_owned());
    Err(Rejected::OtherAction { step: at + 1, label, seen, claimed: claimed.clone() })
}

/// Replay takes indices at their word; a trace from a file or a faulty engine may name anything.
pub(crate) fn in_range(network: &Network, trace: &Trace) -> Result<(), Rejected> {
    for (at, s) in trace.steps.iter().enumerate() {
        let step = at + 1;
        if s.label.at() >= network.labels().len() {
            return Err(Rejected::NoSuchLabel { step, label: s.label });
        }
        if let Some(m) = s.moves.iter().find(|m| m.component.at() >= network.components().len()) {
            return Err(Rejected::NoSuchComponent { step, component: m.component.0 });
        }
    }
    Ok(())
}

/// Some label that is enabled in a global state and who takes it, by name.
fn enabled(network: &Network, state: &[StateId]) -> Option<(String, String)> {
    let ready = |c: usize, label| !network.components()[c].lts.row_on(state[c], label).is_empty();
    if let Some(c) = (0..state.len()).find(|&c| ready(c, LabelId::TAU)) {
        return Some((network.labels().name(LabelId::TAU).into(), network.components()[c].name.to_string()));
    }
    let together = |label: &LabelId| {
        let who = network.participants(*label);
        !who.is_empty() && who.iter().all(|c| ready(c.at(), *label))
    };
    let label = network.labels().visible().find(together)?;
    let who: Vec<&str> = network.participants(label).iter().map(|&c| &*network.component(c).name).collect();
    Some((network.labels().name(label).into(), who.join(", ")))
}

/// Some label that is enabled in a global state, by name.
pub(crate) fn possible(network: &Network, state: &[StateId]) -> Option<String> {
    enabled(network, state).map(|(label, _)| label)
}

/// Whether every component is in a marked state.
fn marked(network: &Network, state: &[StateId]) -> bool {
    network.components().iter().zip(state).all(|(c, &s)| c.lts.is_marked(s))
}

/// Whether no marked state follows a state: `Err` where one does, or where it cannot be told.
///
/// Few of the components may do: fewer can do more, and all of them must be marked at once. So the search begins with a
/// component that is not marked, and goes on with one that objects to the way that was found, until there is no way.
fn blocking(network: &Network, from: &[StateId], few: usize, most: usize) -> Result<(), Rejected> {
    let told =
        |found: Option<Vec<LabelId>>| found.map_or(Ok(()), |way| Err(Rejected::NotBlocking { steps: way.len() }));
    let all: Vec<usize> = (0..from.len()).collect();
    let mut members = Vec::new();
    // Often little follows, or few components do: neither is given much before the other had its turn.
    for (together, part) in [(few, 32 * few), (32 * few, most)] {
        if let Ok(found) = way_to_mark(network, &all, from, together.min(most)) {
            return told(found);
        }
        while let Ok(found) = way_to_mark(network, &members, from, part.min(most)) {
            let Some(way) = found else { return Ok(()) };
            match who_objects(network, &members, from, &way) {
                Some(c) => members.push(c),
                None => return told(Some(way)),
            }
        }
    }
    // Others may keep these few from most of what they could do.
    way_to_mark(network, &all, from, most).map_or(Err(Rejected::TooLarge { states: most }), told)
}

/// More states than may be held.
struct TooMany;

/// The labels of a shortest way of some components to a state in which all of them are marked; others do not matter.
fn way_to_mark(
    network: &Network,
    members: &[usize],
    from: &[StateId],
    most: usize,
) -> Result<Option<Vec<LabelId>>, TooMany> {
    let chosen = members.iter().map(|&c| network.components()[c].clone()).collect();
    let part = Network::new(network.labels().clone(), chosen);
    let start: Vec<StateId> = members.iter().map(|&c| from[c]).collect();
    let mut seen: FxHashSet<Vec<StateId>> = FxHashSet::from_iter([start.clone()]);
    // States in the order in which they were met, with the place of the one before and the label between them.
    let mut met: Vec<(Vec<StateId>, usize, LabelId)> = vec![(start, 0, LabelId::TAU)];
    let mut at = 0;
    while at < met.len() {
        if marked(&part, &met[at].0) {
            let mut way = Vec::new();
            while at != 0 {
                way.push(met[at].2);
                at = met[at].1;
            }
            way.reverse();
            return Ok(Some(way));
        }
        for step in part.steps(&met[at].0) {
            let mut next = met[at].0.clone();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            if seen.contains(&next) {
                continue;
            }
            if seen.len() >= most {
                return Err(TooMany);
            }
            seen.insert(next.clone());
            met.push((next, at, step.label));
        }
        at += 1;
    }
    Ok(None)
}

/// The component that is first, along a way of others, to object to it: it cannot go along, or is not marked at the end. One that
/// could go along after steps of its own objects too: then it has to be asked.
fn who_objects(network: &Network, members: &[usize], from: &[StateId], way: &[LabelId]) -> Option<usize> {
    let others = (0..from.len()).filter(|c| !members.contains(c));
    let objects = |c: usize| {
        let component = &network.components()[c];
        let mut states = vec![from[c]];
        for (at, &label) in way.iter().enumerate().filter(|(_, label)| component.takes_part(**label)) {
            let mut next: Vec<StateId> =
                states.iter().flat_map(|&s| component.lts.row_on(s, label)).map(|e| e.target).collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return Some((at, c));
            }
            states = next;
        }
        let content = states.iter().any(|&s| component.lts.is_marked(s));
        (!content).then_some((way.len(), c))
    };
    others.filter_map(objects).min().map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::philo;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;
    use prequel_model::{Component, ComponentId, Goal, Labels, Lts, Monitor, Move, Transition};

    /// A random walk; it ends early in a deadlock.
    fn walk(rng: &mut Rng, network: &Network, most: usize) -> (Trace, Vec<StateId>) {
        let (mut trace, mut state) = (Trace::default(), network.initial());
        for _ in 0..most {
            let mut steps = network.steps(&state);
            if steps.is_empty() {
                break;
            }
            let step = steps.swap_remove(rng.below(steps.len()));
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
            trace.steps.push(step);
        }
        (trace, state)
    }

    /// The goal that only this global state satisfies.
    fn exactly(state: &[StateId]) -> Query {
        let at = |(c, &s)| Goal::at(ComponentId::new(c), s);
        Query::Reach(Goal::And(state.iter().enumerate().map(at).collect()))
    }

    /// The definition of a path, by membership in the list of all steps.
    fn path_to(network: &Network, trace: &Trace, end: &[StateId]) -> bool {
        let mut state = network.initial();
        for step in &trace.steps {
            if !network.steps(&state).contains(step) {
                return false;
            }
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
        }
        state == end
    }

    /// Traces of three or more steps on random networks, with the problem that each is a witness of.
    fn witnesses() -> impl Iterator<Item = (Rng, Problem, Trace, Vec<StateId>)> {
        (0..1200).filter_map(|seed| {
            let network = random::network(seed, &Shape::default());
            let mut rng = Rng::new(seed ^ 0x5eed);
            let (trace, end) = walk(&mut rng, &network, 8);
            let query = exactly(&end);
            (trace.steps.len() >= 3).then(|| (rng, Problem { network, query }, trace, end))
        })
    }

    #[test]
    fn a_random_walk_is_a_witness_of_its_end() {
        let mut count = 0;
        for (_, problem, trace, end) in witnesses() {
            assert_eq!(check(&problem, &trace), Ok(end));
            count += 1;
        }
        assert!(count > 300, "only {count} walks");
    }

    #[test]
    fn a_tampered_witness_is_accepted_only_where_it_happens_to_be_another_true_one() {
        type Change = fn(&mut Rng, &Network, &mut Trace);
        let tamper: [(&str, Change); 5] = [
            ("label", |rng, network, trace| {
                let at = rng.below(trace.steps.len());
                trace.steps[at].label = LabelId::new(rng.below(network.labels().len()));
            }),
            ("mover", |rng, network, trace| {
                let at = rng.below(trace.steps.len());
                let of = rng.below(trace.steps[at].moves.len());
                trace.steps[at].moves[of].component = ComponentId::new(rng.below(network.components().len()));
            }),
            ("order", |rng, _, trace| {
                let at = rng.between(1, trace.steps.len() - 1);
                trace.steps.swap(at - 1, at);
            }),
            ("last step", |_, _, trace| drop(trace.steps.pop())),
            ("inner step", |rng, _, trace| {
                let at = rng.below(trace.steps.len());
                trace.steps.remove(at);
            }),
        ];
        for (what, change) in tamper {
            let mut rejected = 0;
            for (mut rng, problem, trace, end) in witnesses() {
                let mut changed = trace.clone();
                change(&mut rng, &problem.network, &mut changed);
                let accepted = check(&problem, &changed).is_ok();
                assert_eq!(accepted, path_to(&problem.network, &changed, &end), "{what}");
                rejected += usize::from(!accepted);
            }
            assert!(rejected > 150, "changing the {what} was noticed {rejected} times only");
        }
    }

    #[test]
    fn some_changes_are_always_rejected() {
        let other = |s: StateId| StateId(s.0 + 1);
        for (mut rng, problem, trace, _) in witnesses() {
            let at = rng.below(trace.steps.len());
            let of = rng.below(trace.steps[at].moves.len());
            let with = |change: &dyn Fn(&mut Step)| {
                let mut changed = trace.clone();
                change(&mut changed.steps[at]);
                check(&problem, &changed).map(|_| ()).unwrap_err()
            };
            with(&|s| s.moves[of].from = other(s.moves[of].from));
            with(&|s| s.moves[of].to = other(s.moves[of].to));
            with(&|s| s.moves.clear());
            with(&|s| s.moves.truncate(s.moves.len() - 1));
            with(&|s| s.moves.push(s.moves[of]));
            let foreign = with(&|s| s.label = LabelId(9999));
            assert_eq!(foreign, Rejected::NoSuchLabel { step: at + 1, label: LabelId(9999) });
            let foreign = with(&|s| s.moves[of].component = ComponentId(77));
            assert_eq!(foreign, Rejected::NoSuchComponent { step: at + 1, component: 77 });
        }
    }

    #[test]
    fn a_step_that_is_said_to_be_seen_as_something_else_is_named() {
        for (mut rng, problem, trace, _) in witnesses().take(50) {
            let labels = problem.network.labels();
            let mut actions: Vec<String> = trace.steps.iter().map(|step| labels.seen(step.label).to_owned()).collect();
            assert_eq!(seen_as(&problem.network, &trace, &actions), Ok(()));
            let at = rng.below(actions.len());
            actions[at].push('x');
            let found = seen_as(&problem.network, &trace, &actions);
            assert!(matches!(found, Err(Rejected::OtherAction { step, .. }) if step == at + 1), "{found:?}");
        }
    }

    #[test]
    fn a_deadlock_is_a_state_without_steps() {
        let (mut dead, mut alive) = (0, 0);
        for seed in 0..600 {
            let network = random::network(seed, &Shape::default());
            let (trace, end) = walk(&mut Rng::new(seed), &network, 6);
            let steps = network.steps(&end);
            let problem = Problem { network, query: Query::DeadlockFree };
            match check(&problem, &trace) {
                Ok(_) => {
                    assert!(steps.is_empty());
                    dead += 1;
                    // A deadlock cut short is none: the last step can still be taken.
                    let mut cut = trace;
                    if cut.steps.pop().is_some() {
                        assert!(matches!(check(&problem, &cut), Err(Rejected::NoDeadlock { .. })));
                    }
                }
                Err(e) => {
                    assert!(matches!(&e, Rejected::NoDeadlock { .. }) && !steps.is_empty(), "{e}");
                    alive += 1;
                }
            }
        }
        assert!(dead > 50 && alive > 50, "{dead} dead, {alive} alive");
    }

    /// A witness as long as the largest instances of the papers have: copies of the whole state would be 20 GB.
    #[test]
    fn a_long_witness_of_a_large_network_is_checked_at_once() {
        let instance = philo::plain(50_000, 0);
        let (network, asked) = (instance.network, instance.queries.last().expect("every second philosopher eats"));
        let (mut state, mut trace) = (network.initial(), Trace::default());
        for i in (0..50_000).step_by(2) {
            for label in ["tl", "tr"].map(|l| network.labels().get(&format!("{l}{i}")).unwrap()) {
                let moves = network.participants(label).iter().map(|&component| {
                    let from = state[component.at()];
                    let to = network.component(component).lts.row_on(from, label)[0].target;
                    state[component.at()] = to;
                    Move { component, from, to }
                });
                trace.steps.push(Step { label, moves: moves.collect() });
            }
        }
        let problem = Problem { query: asked.query.clone(), network };
        assert_eq!(check(&problem, &trace), Ok(state));
    }

    #[test]
    fn a_safety_witness_is_a_word_that_the_monitor_accepts_at_its_end() {
        let mut labels = Labels::new();
        let (a, b) = (labels.intern("a"), labels.intern("b"));
        let ring = Lts::new(StateId(0), 2, vec![Transition::new(0, a, 1), Transition::new(1, b, 0)]);
        let seen = Lts::new(StateId(0), 2, vec![Transition::new(0, b, 1)]).with_marked([StateId(1)]);
        let network = Network::new(labels, vec![Component::new("x", ring)]);
        let query = Query::Safety(Monitor { automaton: Component::new("m", seen) });
        let problem = Problem { network, query };
        let step = |label, from, to| Step {
            label,
            moves: vec![Move { component: ComponentId(0), from: StateId(from), to: StateId(to) }],
        };
        let mut trace = Trace { steps: vec![step(a, 0, 1), step(b, 1, 0)] };
        assert!(check(&problem, &trace).is_ok());
        trace.steps.pop();
        assert_eq!(check(&problem, &trace), Err(Rejected::NotAccepted));
    }

    /// Forward search by repeated passes, to compare with the queue.
    fn can_reach_marked(network: &Network, from: &[StateId]) -> bool {
        let mut known = vec![from.to_vec()];
        let mut at = 0;
        while at < known.len() {
            for step in network.steps(&known[at]) {
                let mut next = known[at].clone();
                step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
                if !known.contains(&next) {
                    known.push(next);
                }
            }
            at += 1;
        }
        let content = |c: &Component, s: StateId| c.lts.marked().any(|marked| marked == s);
        known.iter().any(|state| network.components().iter().zip(state).all(|(c, &s)| content(c, s)))
    }

    #[test]
    fn a_blocking_witness_ends_where_no_marked_state_can_be_reached() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let network = random::network(seed, &Shape { components: 3, states: 4, labels: 4, degree: 2 });
            let (labels, components) = network.into_parts();
            let with_marks = |mut c: Component| {
                let share = [0, 40, 70, 100][rng.below(4).max(usize::from(seed % 8 > 0))];
                let marks: Vec<StateId> = c.lts.states().filter(|_| rng.chance(share)).collect();
                c.lts = c.lts.with_marked(marks);
                c
            };
            let network = Network::new(labels, components.into_iter().map(with_marks).collect());
            let (trace, end) = walk(&mut Rng::new(seed), &network, 4);
            let expected = can_reach_marked(&network, &end);
            assert_eq!(blocking(&network, &end, 0, 1000).is_err(), expected, "seed {seed}: component by component");
            match check(&Problem { network, query: Query::Nonblocking }, &trace) {
                Ok(_) => {
                    assert!(!expected);
                    yes += 1;
                }
                Err(e) => {
                    assert!(matches!(&e, Rejected::NotBlocking { .. }) && expected, "{e}");
                    no += 1;
                }
            }
        }
        assert!(yes > 30 && no > 30, "{yes} blocking, {no} not");
    }

    #[test]
    fn blocking_is_shown_by_the_components_that_block() {
        // Twelve that count to four side by side, and one that waits for what never comes.
        let mut labels = Labels::new();
        let mut counter = |at: usize| {
            let tick = labels.intern(&format!("tick{at}"));
            let edges = (0..4).map(|s| Transition::new(s, tick, (s + 1) % 4)).collect();
            Component::new(format!("counter{at}"), Lts::new(StateId(0), 4, edges).with_marked([StateId(0)]))
        };
        let mut components: Vec<Component> = (0..12).map(&mut counter).collect();
        components.push(Component::new("stuck", Lts::new(StateId(0), 2, Vec::new()).with_marked([StateId(1)])));
        let network = Network::new(labels, components);
        let from = network.initial();
        assert_eq!(blocking(&network, &from, FEW_STATES, FEW_STATES), Ok(()), "of 4^12 states");
        let all: Vec<usize> = (0..from.len()).collect();
        assert!(way_to_mark(&network, &all, &from, FEW_STATES).is_err());
    }

    #[test]
    fn the_blocking_search_gives_up_at_its_limit() {
        let mut labels = Labels::new();
        let a = labels.intern("a");
        let line = Lts::new(StateId(0), 10, (0..8).map(|s| Transition::new(s, a, s + 1)).collect());
        let network = Network::new(labels, vec![Component::new("x", line.with_marked([StateId(9)]))]);
        let from = network.initial();
        assert_eq!(blocking(&network, &from, 0, 9), Ok(()));
        assert_eq!(blocking(&network, &from, 0, 8), Err(Rejected::TooLarge { states: 8 }));
        assert!(Rejected::TooLarge { states: 8 }.to_string().contains("more than 8 states"));
    }
}
