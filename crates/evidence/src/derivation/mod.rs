//! Derivations, checked step by step ([`prequel_model::Derivation`]).
//!
//! Say that a *word* is what the network does until what is looked for is there: until the monitor is marked, or, where a goal or a
//! deadlock is looked for, until all components that it is about have ended and what they say of where they ended decides it (`ends`).
//! An automaton *follows* a word if it can do its letters, those that it hears, and is in a marked state at the end.
//!
//! | step | what it says | how it is checked |
//! | --- | --- | --- |
//! | assumed | nothing; the word is one that it follows | it is deterministic, so that there is one way to follow |
//! | from premises | it follows each word, if they do | all that they can do together is explored beside it |
//! | without an assumption | the same, also for words that the assumption does not follow | what the assumption cannot do, it can do and anything after it |
//! | early | it has a mark on the way, if they do | as before, up to its marks |
//!
//! Of a step that rests on assumptions, words count as far as the assumptions can do them. So such a step has to do all that its premises do;
//! of another one nothing is asked where its premises can no longer come to a mark. At the end it is asked whether the last automata can be
//! marked together.
//!
//! For deadlocks there is a second kind, about who refuses what: where the network is stuck, an automaton is in a state without steps of its
//! own in which it is ready for no label that one of its components refuses. A label may be hidden where all who take part in it are among them.
//!
//! For nonblocking there is a third: an automaton and what it is made from can take each other's place (`equal`), so that each component is
//! used once, and of the last ones all states are looked at: from each, one in which all are marked must be reached.
//!
//! Every check is as large as one of the engine's. Read off the definitions: nothing here is shared with the engines.

mod ends;
mod equal;
mod follower;
mod together;

use crate::certificate::{Bounds, Rejected};
use ends::Ends;
use equal::Graph;
use follower::Follower;
use prequel_model::{
    Component, ComponentId, Derivation, DerivationStep, Ground, LabelId, Lts, Premise, Problem, Query, Shows, StateId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use together::Together;

/// Checks a derivation; tells how many states were looked at.
pub fn check(problem: &Problem, derivation: &Derivation, bounds: &Bounds) -> Result<usize, Rejected> {
    let ends = match (&problem.query, derivation.shows) {
        (Query::DeadlockFree, Shows::NoDeadlock) | (Query::Nonblocking, Shows::Nonblocking) => Ends::default(),
        (Query::Nonblocking, _) => return Err(Rejected::Query(problem.query.kind())),
        (_, Shows::NoDeadlock) => return Err(Rejected::Unknown("it is about deadlocks, and the query is not".into())),
        (_, Shows::Nonblocking) => {
            return Err(Rejected::Unknown("it is about nonblocking, and the query is not".into()));
        }
        (query, Shows::NoWord) => Ends::of(problem, query, &derivation.order, bounds)?,
    };
    let mut checker = Checker { problem, ends, bounds, shows: derivation.shows, base: FxHashMap::default(), looked: 0 };
    let mut steps: Vec<Rc<Automaton>> = Vec::with_capacity(derivation.steps.len());
    for (at, step) in derivation.steps.iter().enumerate() {
        let checked = checker.step(&steps, step, &derivation.ends);
        let checked = checked.map_err(|why| match why {
            Fault::Ended(why) => why,
            Fault::Step(why) => Rejected::Step { step: at + 1, why },
        })?;
        steps.push(Rc::new(checked));
    }
    checker.last(&steps, &derivation.last).map_err(|why| match why {
        Fault::Ended(why) => why,
        Fault::Step(why) => Rejected::Unknown(format!("in the end {why}")),
    })?;
    Ok(checker.looked)
}

/// The label of an end in the numbers of the checker, for one in those of a derivation: a state stands for all with which it agrees on
/// what is asked.
type Named = Vec<(ComponentId, StateId)>;

/// Why a step shows nothing.
enum Fault {
    Step(String),
    Ended(Rejected),
}

impl From<Rejected> for Fault {
    fn from(why: Rejected) -> Self {
        Fault::Ended(why)
    }
}

fn fault<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Step(why.into()))
}

/// An automaton of which something is known.
struct Automaton {
    component: Component,
    /// Whether all of its states count as marked.
    all_marked: bool,
    /// Whether its mark may come before the end.
    early: bool,
    /// Whether it is an assumption.
    assumed: bool,
    /// The assumptions that it rests on, as places of steps, in order.
    rests_on: Vec<usize>,
    /// The components that it stands for, in order.
    covers: Vec<ComponentId>,
}

impl Automaton {
    fn is_marked(&self, state: StateId) -> bool {
        self.all_marked || self.component.lts.is_marked(state)
    }

    /// Whether it does no more than to follow.
    fn only_follows(&self) -> bool {
        self.all_marked && !self.early
    }
}

struct Checker<'a> {
    problem: &'a Problem,
    ends: Ends,
    bounds: &'a Bounds,
    shows: Shows,
    /// Components and the question, as premises.
    base: FxHashMap<Premise, Rc<Automaton>>,
    looked: usize,
}

impl Checker<'_> {
    fn step(&mut self, steps: &[Rc<Automaton>], step: &DerivationStep, named: &Named) -> Result<Automaton, Fault> {
        let component = self.renumbered(&step.automaton, named)?;
        let all_marked = !step.has_marks;
        let Ground::From { premises, without, early } = &step.ground else {
            if self.shows != Shows::NoWord {
                return fault("nothing can be assumed where it is not about words");
            }
            let silent = component.lts.transitions().any(|t| t.label.is_tau());
            if silent || component.lts.nondeterminism().is_some() {
                return fault("what is assumed is not deterministic");
            }
            let rests_on = vec![steps.len()];
            return Ok(Automaton { component, all_marked, early: false, assumed: true, rests_on, covers: Vec::new() });
        };
        let mut from = self.premises(steps, premises)?;
        let assumption = match without {
            None => None,
            Some(at) => match steps.get(*at).filter(|other| other.assumed) {
                Some(assumption) => Some((*at, assumption.clone())),
                None => return fault("what it no longer rests on is no assumption"),
            },
        };
        let mut rests_on: Vec<usize> = from.iter().flat_map(|other| other.rests_on.iter().copied()).collect();
        rests_on.sort_unstable();
        rests_on.dedup();
        if let Some((at, assumption)) = &assumption {
            rests_on.retain(|other| other != at);
            if !from.iter().any(|other| Rc::ptr_eq(other, assumption)) {
                from.push(assumption.clone());
            }
            if assumption.component.alphabet().iter().any(|l| !component.takes_part(*l)) {
                return fault("it does not hear all that the assumption hears");
            }
        }
        let some_early = from.iter().any(|other| other.early);
        let plain = rests_on.is_empty() && assumption.is_none();
        if (*early || some_early) && !plain {
            return fault("what may be marked early cannot rest on assumptions");
        }
        if some_early && from.iter().filter(|other| !other.only_follows()).count() > 1 {
            return fault("two of its premises have marks, and one of them may have them early");
        }
        let mut covers: Vec<ComponentId> = from.iter().flat_map(|other| other.covers.iter().copied()).collect();
        covers.sort_unstable();
        covers.dedup();
        let assumption = assumption.map(|(_, assumption)| assumption);
        let early = *early || some_early;
        let made = Automaton { component, all_marked, early, assumed: false, rests_on, covers };
        match self.shows {
            Shows::NoWord => self.follows(&from, assumption.as_ref(), &made, plain)?,
            Shows::NoDeadlock => self.refuses(&from, &made)?,
            Shows::Nonblocking => self.equals(&from, &made)?,
        }
        Ok(made)
    }

    /// The automaton with the labels of ends as they are numbered here.
    fn renumbered(&self, automaton: &Component, named: &Named) -> Result<Component, Fault> {
        let labels = self.problem.network.labels().len();
        let mut number: FxHashMap<LabelId, LabelId> = FxHashMap::from_iter([(LabelId::TAU, LabelId::TAU)]);
        for &label in automaton.alphabet() {
            let known = match label.at().checked_sub(labels) {
                None => Some(label),
                Some(at) => named.get(at).and_then(|&(c, state)| self.ends.label(c, state)),
            };
            let Some(known) = known else { return fault("it hears an end that nobody looks at") };
            number.insert(label, known);
        }
        let lts = automaton.lts.clone().relabelled(|l| number[&l]);
        let alphabet: Vec<LabelId> = automaton.alphabet().iter().map(|l| number[l]).collect();
        Ok(Component::with_alphabet(automaton.name.clone(), lts, alphabet))
    }

    fn premises(&mut self, steps: &[Rc<Automaton>], premises: &[Premise]) -> Result<Vec<Rc<Automaton>>, Fault> {
        let mut once = FxHashSet::default();
        let mut from = Vec::with_capacity(premises.len());
        for premise in premises.iter().filter(|premise| once.insert(**premise)) {
            if let Premise::Step(at) = premise {
                match steps.get(*at) {
                    Some(step) => from.push(step.clone()),
                    None => return fault(format!("it is made from step {}, which is none before it", at + 1)),
                }
                continue;
            }
            let known = match self.base.get(premise) {
                Some(known) => known.clone(),
                None => {
                    let made = Rc::new(self.base(*premise)?);
                    self.base.insert(*premise, made.clone());
                    made
                }
            };
            from.push(known);
        }
        Ok(from)
    }

    fn base(&self, premise: Premise) -> Result<Automaton, Fault> {
        let network = &self.problem.network;
        let (component, covers) = match premise {
            Premise::Component(c) if c.at() < network.components().len() => (self.ends.component(network, c), vec![c]),
            Premise::Question if self.shows == Shows::NoWord => (self.ends.question.clone(), Vec::new()),
            _ => return fault("it is made from what there is not"),
        };
        let all_marked = premise != Premise::Question && self.shows != Shows::Nonblocking;
        Ok(Automaton { component, all_marked, early: false, assumed: false, rests_on: Vec::new(), covers })
    }

    /// Whether an automaton follows what its premises do together.
    fn follows(
        &mut self,
        from: &[Rc<Automaton>],
        assumption: Option<&Rc<Automaton>>,
        made: &Automaton,
        plain: bool,
    ) -> Result<(), Fault> {
        let together = Together::new(from.iter().map(|other| &other.component).collect());
        let mut follower = Follower::new(&made.component, |s| made.is_marked(s));
        let assumed = assumption.and_then(|one| from.iter().position(|other| Rc::ptr_eq(other, one)));
        // What only the automaton hears may happen at any time.
        let free: Vec<LabelId> = made.component.alphabet().iter().copied().filter(|&l| !together.hears(l)).collect();
        let mut search = Search::new(together.initial(), follower.start());
        while let Some((state, set)) = search.next(self)? {
            let marked = |at: usize| from[at].is_marked(StateId(state[at]));
            let not_accepted = assumed.is_some_and(|at| !marked(at));
            if !follower.is_marked(set) && (not_accepted || (0..from.len()).all(marked)) {
                return fault("it is not marked where it should be");
            }
            if set == Follower::NOWHERE && !plain {
                return fault("it does not do what its premises do");
            }
            // From here on it does everything, or need not.
            if follower.does_all(set) || made.early && follower.is_marked(set) {
                continue;
            }
            if let (Some(at), Some(assumption)) = (assumed, assumption) {
                let here = StateId(state[at]);
                let lts = &assumption.component.lts;
                let cannot = assumption.component.alphabet().iter().filter(|&&l| lts.row_on(here, l).is_empty());
                for &label in cannot {
                    let next = follower.after(set, label);
                    if !follower.does_all(next) {
                        return fault("it keeps from something that the assumption does not do");
                    }
                }
            }
            together.moves(&state, &mut |label, next| {
                let hears = !label.is_tau() && made.component.takes_part(label);
                let set = if hears { follower.after(set, label) } else { set };
                search.met(next, set);
            });
            for &label in &free {
                let set = follower.after(set, label);
                search.met(&state, set);
            }
        }
        Ok(())
    }

    /// Whether an automaton can take the place of its premises.
    fn equals(&mut self, from: &[Rc<Automaton>], made: &Automaton) -> Result<(), Fault> {
        self.each_once(from, &made.covers)?;
        let together = Together::new(from.iter().map(|other| &other.component).collect());
        let own = |label: LabelId| label.is_tau() || !made.component.takes_part(label);
        for label in from.iter().flat_map(|other| other.component.alphabet()).copied().filter(|&l| own(l)) {
            if !self.is_whole(label, &made.covers) {
                return fault("it hides what others take part in");
            }
        }
        if made.component.alphabet().iter().any(|&l| !together.hears(l)) {
            return fault("it hears what none of its premises hears");
        }
        let mut graph = Graph::default();
        let lts = &made.component.lts;
        for s in lts.states() {
            graph.state(made.is_marked(s));
        }
        for t in lts.transitions() {
            graph.edges[t.source.at()].push((t.label, t.target.0));
        }
        let first = self.explored(from, &together, &mut graph, own)?;
        let stop = self.bounds.stop.clone();
        match graph.bisimilar(lts.initial().0, first, &*stop) {
            None => Err(Rejected::Stopped.into()),
            Some(false) => fault("it cannot take the place of its premises"),
            Some(true) => Ok(()),
        }
    }

    /// Whether nobody is in two of these.
    fn each_once(&self, from: &[Rc<Automaton>], covers: &[ComponentId]) -> Result<(), Fault> {
        let all: usize = from.iter().map(|other| other.covers.len()).sum();
        if all == covers.len() { Ok(()) } else { fault("a component is in two of its premises") }
    }

    /// Adds what some automata do together to a graph, and gives the first state.
    fn explored(
        &mut self,
        from: &[Rc<Automaton>],
        together: &Together<'_>,
        graph: &mut Graph,
        own: impl Fn(LabelId) -> bool,
    ) -> Result<u32, Fault> {
        let mut number: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut numbered = |graph: &mut Graph, state: &[u32]| match number.get(state) {
            Some(&known) => known,
            None => {
                let marked = from.iter().zip(state).all(|(other, &s)| other.is_marked(StateId(s)));
                let fresh = graph.state(marked);
                number.insert(state.to_vec(), fresh);
                fresh
            }
        };
        let mut search = Search::new(together.initial(), Follower::NOWHERE);
        let first = numbered(graph, &together.initial());
        while let Some((state, set)) = search.next(self)? {
            let here = numbered(graph, &state);
            together.moves(&state, &mut |label, next| {
                let to = numbered(graph, next);
                graph.edges[here as usize].push((if own(label) { LabelId::TAU } else { label }, to));
                search.met(next, set);
            });
        }
        Ok(first)
    }

    /// Whether from every state of the last automata one is reached in which all are marked.
    fn always_marked(&mut self, from: &[Rc<Automaton>], covers: &[ComponentId]) -> Result<(), Fault> {
        self.each_once(from, covers)?;
        if covers.len() != self.problem.network.components().len() {
            return fault("some component is left out");
        }
        let together = Together::new(from.iter().map(|other| &other.component).collect());
        let mut graph = Graph::default();
        self.explored(from, &together, &mut graph, |_| true)?;
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); graph.marked.len()];
        for (at, edges) in graph.edges.iter().enumerate() {
            edges.iter().for_each(|(_, to)| before[*to as usize].push(at as u32));
        }
        let mut reaches = graph.marked;
        let mut open: Vec<u32> = (0..reaches.len() as u32).filter(|&s| reaches[s as usize]).collect();
        while let Some(s) = open.pop() {
            for &other in &before[s as usize] {
                if !std::mem::replace(&mut reaches[other as usize], true) {
                    open.push(other);
                }
            }
        }
        if reaches.into_iter().all(|reaches| reaches) { Ok(()) } else { Err(Rejected::Reached.into()) }
    }

    /// Whether an automaton refuses no more than its premises do where they are stuck.
    fn refuses(&mut self, from: &[Rc<Automaton>], made: &Automaton) -> Result<(), Fault> {
        let together = Together::new(from.iter().map(|other| &other.component).collect());
        let own = |label: LabelId| label.is_tau() || !made.component.takes_part(label);
        for label in from.iter().flat_map(|other| other.component.alphabet()).copied().filter(|&l| own(l)) {
            if !self.is_whole(label, &made.covers) {
                return fault("it hides what others take part in");
            }
        }
        if made.component.alphabet().iter().any(|&l| !together.hears(l)) {
            return fault("it hears what none of its premises hears");
        }
        let mut follower = Follower::new(&made.component, |_| true);
        let mut search = Search::new(together.initial(), follower.start());
        while let Some((state, set)) = search.next(self)? {
            if set == Follower::NOWHERE {
                return fault("it does not do what its premises do");
            }
            let mut offered: FxHashSet<LabelId> = FxHashSet::default();
            let mut stable = true;
            together.moves(&state, &mut |label, next| {
                let is_own = own(label);
                stable &= !is_own;
                if !is_own {
                    offered.insert(label);
                }
                let set = if is_own { set } else { follower.after(set, label) };
                search.met(next, set);
            });
            let lts = &made.component.lts;
            let as_stuck = |s: &StateId| lts.row(*s).iter().all(|e| !e.label.is_tau() && offered.contains(&e.label));
            if stable && !follower.states(set).iter().any(as_stuck) {
                return fault("it is ready for more than its premises are");
            }
        }
        Ok(())
    }

    /// Whether all who take part in a label are among these.
    fn is_whole(&self, label: LabelId, covers: &[ComponentId]) -> bool {
        label.is_tau() || self.problem.network.participants(label).iter().all(|c| covers.binary_search(c).is_ok())
    }

    /// Whether what is looked for is not there in the end.
    fn last(&mut self, steps: &[Rc<Automaton>], last: &[Premise]) -> Result<(), Fault> {
        let from = self.premises(steps, last)?;
        if from.iter().any(|other| !other.rests_on.is_empty()) {
            return fault("it rests on an assumption");
        }
        if from.iter().any(|other| other.early) && from.iter().filter(|other| !other.only_follows()).count() > 1 {
            return fault("two of the automata have marks, and one of them may have them early");
        }
        let mut covers: Vec<ComponentId> = from.iter().flat_map(|other| other.covers.iter().copied()).collect();
        covers.sort_unstable();
        covers.dedup();
        if self.shows == Shows::Nonblocking {
            return self.always_marked(&from, &covers);
        }
        let together = Together::new(from.iter().map(|other| &other.component).collect());
        let mut search = Search::new(together.initial(), Follower::NOWHERE);
        while let Some((state, set)) = search.next(self)? {
            if self.shows == Shows::NoWord && from.iter().zip(&*state).all(|(other, &s)| other.is_marked(StateId(s))) {
                return Err(Rejected::Reached.into());
            }
            let mut moves = false;
            together.moves(&state, &mut |label, next| {
                moves |= self.shows == Shows::NoDeadlock && self.is_whole(label, &covers);
                search.met(next, set);
            });
            if self.shows == Shows::NoDeadlock && !moves {
                return Err(Rejected::Reached.into());
            }
        }
        Ok(())
    }
}

/// What is explored: where the premises are, and the set of states in which the automaton beside them may be.
struct Search {
    seen: FxHashSet<Rc<[u32]>>,
    open: Vec<Rc<[u32]>>,
    key: Vec<u32>,
}

/// States between two questions whether to go on.
const BETWEEN: usize = 1 << 8;

impl Search {
    fn new(initial: Vec<u32>, set: u32) -> Self {
        let mut search = Self { seen: FxHashSet::default(), open: Vec::new(), key: Vec::new() };
        search.met(&initial, set);
        search
    }

    fn met(&mut self, state: &[u32], set: u32) {
        self.key.clear();
        self.key.extend_from_slice(state);
        self.key.push(set);
        if !self.seen.contains(&*self.key) {
            let key: Rc<[u32]> = self.key.as_slice().into();
            self.seen.insert(key.clone());
            self.open.push(key);
        }
    }

    fn next(&mut self, checker: &mut Checker<'_>) -> Result<Option<(Vec<u32>, u32)>, Rejected> {
        let Some(key) = self.open.pop() else { return Ok(None) };
        if checker.looked.is_multiple_of(BETWEEN) && (checker.bounds.stop)() {
            return Err(Rejected::Stopped);
        }
        checker.looked += 1;
        if checker.looked > checker.bounds.states {
            return Err(Rejected::TooLarge(checker.bounds.states));
        }
        let (set, state) = key.split_last().expect("a set stands at the end");
        Ok(Some((state.to_vec(), *set)))
    }
}

/// A system that ends where it is marked: what comes after it is not looked at.
fn until_marked(lts: &Lts) -> Lts {
    let before = lts.transitions().filter(|t| !lts.is_marked(t.source)).collect();
    Lts::new(lts.initial(), lts.num_states(), before).with_marked(lts.marked())
}
