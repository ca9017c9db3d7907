//! Finite-state machines as the paper has them (Definition 1): several initial states, silent steps, an alphabet of their own, marks.
//!
//! The rows are those of an [`Lts`]. A mark is a flag and no transition under omega: the state after it would take part in no word that
//! ends in a marked state, and would pass for a blocking one. A machine without marked states is never content: everything blocks.

use crate::algo::explicit::{Until, explore_from};
use crate::algo::predecessors::Predecessors;
use crate::algo::product::Product;
use fixedbitset::FixedBitSet;
use prequel_model::{Component, ComponentId, Edge, LabelId, Lts, StateId, Transition};

/// A machine.
#[derive(Clone, Debug)]
pub struct Fsm {
    /// Its rows, marks and alphabet; the initial state of the rows is one of [`Fsm::initial`].
    component: Component,
    /// Where it may start: sorted, at least one.
    initial: Vec<StateId>,
}

impl Fsm {
    /// A machine from its parts; the alphabet is what is given and what its transitions use.
    pub fn new(lts: Lts, mut initial: Vec<StateId>, alphabet: impl IntoIterator<Item = LabelId>) -> Self {
        initial.sort_unstable();
        initial.dedup();
        let lts = lts.with_initial(initial[0]);
        Self { component: Component::with_alphabet("", lts, alphabet), initial }
    }

    /// A component as a machine.
    pub fn of(component: &Component) -> Self {
        Self::new(component.lts.clone(), vec![component.lts.initial()], component.alphabet().iter().copied())
    }

    /// The same states under other rows and marks.
    pub fn with_lts(&self, lts: Lts) -> Self {
        Self::new(lts, self.initial.clone(), self.alphabet().iter().copied())
    }

    /// The rows.
    pub fn lts(&self) -> &Lts {
        &self.component.lts
    }

    /// Where it may start.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The labels it takes part in.
    pub fn alphabet(&self) -> &[LabelId] {
        self.component.alphabet()
    }

    /// Whether it takes part in a label.
    pub fn takes_part(&self, label: LabelId) -> bool {
        self.component.takes_part(label)
    }

    /// As something that products are made of.
    pub fn component(&self) -> &Component {
        &self.component
    }

    /// How many states.
    pub fn len(&self) -> usize {
        self.component.lts.num_states()
    }

    /// Silent steps of a state.
    pub fn silent(&self, s: StateId) -> &[Edge] {
        self.lts().row_on(s, LabelId::TAU)
    }

    /// The machine in which some labels are silent steps, and in nobody's alphabet.
    pub fn hidden(&self, private: impl Fn(LabelId) -> bool) -> Self {
        let lts = self.lts().clone().relabelled(|l| if !l.is_tau() && private(l) { LabelId::TAU } else { l });
        Self::new(lts, self.initial.clone(), self.alphabet().iter().copied().filter(|&l| !private(l)))
    }

    /// The machine without some labels: neither their transitions nor their part in the alphabet.
    pub fn without(&self, gone: impl Fn(LabelId) -> bool) -> Self {
        let alphabet = self.alphabet().iter().copied().filter(|&l| !gone(l));
        Self::new(self.filtered(|_, e| e.label.is_tau() || !gone(e.label)), self.initial.clone(), alphabet)
    }

    /// The rows with those edges that are kept.
    pub fn filtered(&self, keep: impl Fn(StateId, &Edge) -> bool) -> Lts {
        let lts = self.lts();
        let kept = lts.transitions().filter(|t| keep(t.source, &Edge { label: t.label, target: t.target }));
        Lts::new(lts.initial(), lts.num_states(), kept.collect()).with_marked(lts.marked())
    }

    /// The quotient (Definition 7), without silent self-loops.
    pub fn quotient(&self, classes: usize, class: impl Fn(StateId) -> StateId) -> Self {
        let of = |t: Transition| Transition { source: class(t.source), label: t.label, target: class(t.target) };
        let transitions = self.lts().transitions().map(of).filter(|t| !t.label.is_tau() || t.source != t.target);
        let initial: Vec<StateId> = self.initial.iter().map(|&s| class(s)).collect();
        let lts = Lts::new(initial[0], classes, transitions.collect()).with_marked(self.lts().marked().map(&class));
        Self::new(lts, initial, self.alphabet().iter().copied())
    }

    /// The states that silent steps lead to from some states, those included.
    pub fn silently_after(&self, from: impl IntoIterator<Item = StateId>) -> FixedBitSet {
        search(self.len(), from, |s, next| next.extend(self.silent(s).iter().map(|e| e.target)))
    }

    /// The states from which silent steps lead to some states, those included.
    pub fn silently_before(&self, to: impl IntoIterator<Item = StateId>, before: &Predecessors) -> FixedBitSet {
        search(self.len(), to, |s, next| next.extend_from_slice(before.silent(s)))
    }

    /// The states from which a marked state can be reached: all others block.
    pub fn coreachable(&self, before: &Predecessors) -> FixedBitSet {
        search(self.len(), self.lts().marked(), |s, next| next.extend_from_slice(before.all(s)))
    }

    /// The part that can be reached, if that is not all, and where the states went.
    pub fn reachable(&self) -> Option<(Self, StateMap)> {
        let reached = search(self.len(), self.initial.iter().copied(), |s, next| {
            next.extend(self.lts().row(s).iter().map(|e| e.target));
        });
        (reached.count_ones(..) < self.len()).then(|| self.restricted(&reached))
    }

    /// The part made of some states, the initial ones among them.
    pub fn restricted(&self, kept: &FixedBitSet) -> (Self, StateMap) {
        let map = StateMap::numbering(self.len(), kept.ones());
        let moved = |s: StateId| map.of(s);
        let transitions = self
            .lts()
            .transitions()
            .filter_map(|t| Some(Transition { source: moved(t.source)?, label: t.label, target: moved(t.target)? }));
        let initial: Vec<StateId> = self.initial.iter().filter_map(|&s| moved(s)).collect();
        let lts = Lts::new(initial[0], kept.count_ones(..), transitions.collect());
        let lts = lts.with_marked(self.lts().marked().filter_map(moved));
        (Self::new(lts, initial, self.alphabet().iter().copied()), map)
    }
}

/// Everything that some states lead to, where `next` adds what one state leads to.
pub fn search(
    states: usize,
    from: impl IntoIterator<Item = StateId>,
    next: impl Fn(StateId, &mut Vec<StateId>),
) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(states);
    let mut todo: Vec<StateId> = from.into_iter().filter(|s| !seen.put(s.at())).collect();
    let mut found = Vec::new();
    while let Some(s) = todo.pop() {
        next(s, &mut found);
        todo.extend(found.drain(..).filter(|t| !seen.put(t.at())));
    }
    seen
}

/// Where the states of a machine went in its abstraction: the class of each, none where it was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateMap(Vec<u32>);

/// A state that was left out.
const GONE: u32 = u32::MAX;

impl StateMap {
    /// Every state stays what it is.
    pub fn identity(states: usize) -> Self {
        Self((0..states as u32).collect())
    }

    /// Each state goes to its class.
    pub fn classes(states: usize, class: impl Fn(StateId) -> StateId) -> Self {
        Self((0..states).map(|s| class(StateId::new(s)).0).collect())
    }

    /// These states are numbered in their order, the others are left out.
    pub fn numbering(states: usize, kept: impl Iterator<Item = usize>) -> Self {
        let mut map = vec![GONE; states];
        kept.enumerate().for_each(|(new, old)| map[old] = new as u32);
        Self(map)
    }

    /// Where a state went.
    pub fn of(&self, s: StateId) -> Option<StateId> {
        Some(self.0[s.at()]).filter(|&new| new != GONE).map(StateId)
    }

    /// Some state that went to this one.
    pub fn some_before(&self, new: StateId) -> Option<StateId> {
        self.0.iter().position(|&n| n == new.0).map(StateId::new)
    }

    /// This map, and then another one.
    pub fn then(&self, next: &StateMap) -> Self {
        Self(self.0.iter().map(|&s| if s == GONE { GONE } else { next.0[s as usize] }).collect())
    }
}

/// Machines put together, and who is where in each state.
pub struct Composed {
    /// The reachable part of the synchronous composition.
    pub fsm: Fsm,
    /// Local states of the parts, one state after the other.
    pub locals: Vec<StateId>,
}

/// The reachable synchronous composition of some machines; `allowed` is as in [`explore_from`].
pub fn compose<E>(
    labels: usize,
    parts: &[&Fsm],
    allowed: impl FnMut(u64, u64) -> Result<(), E>,
) -> Result<Composed, E> {
    let product = Product::new(labels, parts.iter().map(|p| p.component()).collect());
    let ids = || (0..parts.len()).map(ComponentId::new);
    let starts = starts(parts);
    let from = starts.iter().flat_map(|locals| product.pack(locals.iter().copied())).collect();
    let is_marked = |state: &[u64]| ids().all(|c| parts[c.at()].lts().is_marked(product.local(state, c)));
    let explored = explore_from(&product, from, |l| l, is_marked, Until::Exhausted, allowed)?;
    let states = explored.states.chunks_exact(product.words());
    let locals = states.flat_map(|state| ids().map(|c| product.local(state, c))).collect();
    let initial = (0..starts.len()).map(StateId::new).collect();
    let alphabet = parts.iter().flat_map(|p| p.alphabet()).copied();
    Ok(Composed { fsm: Fsm::new(explored.lts, initial, alphabet), locals })
}

/// All combinations of initial states.
pub fn starts(parts: &[&Fsm]) -> Vec<Vec<StateId>> {
    let mut starts = vec![Vec::with_capacity(parts.len())];
    for part in parts {
        starts = starts
            .iter()
            .flat_map(|before| part.initial().iter().map(move |&s| before.iter().copied().chain([s]).collect()))
            .collect();
    }
    starts
}
