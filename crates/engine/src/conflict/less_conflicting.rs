//! Algorithm 3: from an abstract counterexample to a concrete one by *less conflicting pairs*, whatever the rules were.
//!
//! S. Ware, R. Malik: the conflict preorder; here Section 5 of the paper. For an abstraction H of G, pairs of sets of states that both may be
//! in after the same word. Exponential: the fall-back, and a second opinion on Algorithms 1 and 2.
//!
//! | of the paper | here |
//! | --- | --- |
//! | Definition 12, subset construction | `Graph::pair`, `Graph::next` |
//! | Definitions 13, 14, Theorem 20: LC-pairs through MC-triples | `Graph::levels` |
//! | lines 2 to 8, the first critical pair | `critical` |
//! | lines 13 to 19, extension | [`super::extend::lowest`] with the pairs as a machine |
//! | line 21, a state that is no MC-triple | [`Critical::witness`] |
//!
//! Departures: the first subset is closed under silent steps (formula (25) as printed gives the raw initial states, and then no LC-pair is
//! found). Level 0 does occur, contrary to the text: a set with a blocking state is in it by (27); there a blocking state is taken.

use super::fsm::Fsm;
use crate::algo::predecessors::Predecessors;
use fixedbitset::FixedBitSet;
use prequel_model::{LabelId, Lts, StateId, Transition};
use rustc_hash::FxHashMap;

/// Pairs beyond which it is given up.
const MOST_PAIRS: usize = 1 << 13;

/// A pair with what is behind it.
pub struct Critical {
    /// How many letters lead to it.
    pub letters: usize,
    /// The pairs as a machine.
    pub graph: Fsm,
    /// The critical pair among them.
    pub start: StateId,
    /// The level of each LC-pair.
    pub levels: Vec<Option<u32>>,
    /// For each LC-pair a state of the original that blocks if no lower level can be reached.
    witness: Vec<Option<StateId>>,
}

impl Critical {
    /// The state of the original at the end of an extension.
    pub fn witness(&self, pair: StateId) -> Option<StateId> {
        self.witness[pair.at()]
    }
}

/// The first critical pair on a word that leads the abstraction to a blocking state; none where there are too many pairs, or the
/// abstraction is not less conflicting.
pub fn critical(original: &Fsm, abstraction: &Fsm, letters: &[LabelId], end: StateId) -> Option<Critical> {
    let mut graph = Graph::new(original, abstraction);
    let closed = original.silently_after(original.initial().iter().copied());
    let whole: Vec<StateId> = closed.ones().map(StateId::new).collect();
    // Certain conflicts on the way: pairs with nothing on the side of the abstraction.
    let root = graph.pair(Vec::new(), whole)?;
    graph.explore()?;
    let (levels, witness) = graph.levels();
    let mut now = root;
    for read in 0..=letters.len() {
        if levels[now.at()].is_some() {
            return Some(Critical { letters: read, graph: graph.machine(), start: now, levels, witness });
        }
        let Some(&letter) = letters.get(read) else { break };
        now = graph.next(now, letter)?;
    }
    let reached = graph.pairs[now.at()].1.clone();
    let start = graph.pair(vec![end], reached)?;
    graph.explore()?;
    let (levels, witness) = graph.levels();
    levels[start.at()].is_some().then(|| Critical {
        letters: letters.len(),
        graph: graph.machine(),
        start,
        levels,
        witness,
    })
}

type Pair = (Vec<StateId>, Vec<StateId>);

struct Graph<'a> {
    original: &'a Fsm,
    abstraction: &'a Fsm,
    pairs: Vec<Pair>,
    number: FxHashMap<Pair, u32>,
    edges: Vec<Transition>,
    explored: usize,
}

impl<'a> Graph<'a> {
    fn new(original: &'a Fsm, abstraction: &'a Fsm) -> Self {
        Self { original, abstraction, pairs: Vec::new(), number: FxHashMap::default(), edges: Vec::new(), explored: 0 }
    }

    /// The number of a pair, new if need be.
    fn pair(&mut self, of_abstraction: Vec<StateId>, of_original: Vec<StateId>) -> Option<StateId> {
        let pair = (of_abstraction, of_original);
        let fresh = self.pairs.len() as u32;
        let number = *self.number.entry(pair.clone()).or_insert(fresh);
        if number == fresh {
            self.pairs.push(pair);
        }
        (self.pairs.len() <= MOST_PAIRS).then_some(StateId(number))
    }

    /// What weak steps under a label lead to.
    fn after(fsm: &Fsm, from: &[StateId], label: LabelId) -> Vec<StateId> {
        let before = fsm.silently_after(from.iter().copied());
        let steps = before.ones().flat_map(|s| fsm.lts().row_on(StateId::new(s), label)).map(|e| e.target);
        fsm.silently_after(steps).ones().map(StateId::new).collect()
    }

    /// Finds all pairs behind those that are there. A pair without a state of the original is never an LC-pair: nothing is behind it.
    fn explore(&mut self) -> Option<()> {
        while self.explored < self.pairs.len() {
            let source = StateId::new(self.explored);
            let (of_abstraction, of_original) = self.pairs[source.at()].clone();
            for &label in self.original.alphabet() {
                let next = Self::after(self.original, &of_original, label);
                if !next.is_empty() {
                    let target = self.pair(Self::after(self.abstraction, &of_abstraction, label), next)?;
                    self.edges.push(Transition { source, label, target });
                }
            }
            self.explored += 1;
        }
        Some(())
    }

    fn next(&self, pair: StateId, label: LabelId) -> Option<StateId> {
        self.edges.iter().find(|t| t.source == pair && t.label == label).map(|t| t.target)
    }

    fn machine(&self) -> Fsm {
        let lts = Lts::new(StateId(0), self.pairs.len(), self.edges.clone());
        Fsm::new(lts, vec![StateId(0)], self.original.alphabet().iter().copied())
    }

    /// The level of each LC-pair, and its witness.
    fn levels(&self) -> (Vec<Option<u32>>, Vec<Option<StateId>>) {
        let original = self.original.lts();
        let machine = self.machine();
        let can_end = self.original.coreachable(&Predecessors::of(original));
        // Triples are numbered pair by pair, and in a pair as its states are.
        let mut offsets = vec![0usize];
        self.pairs.iter().for_each(|(_, x)| offsets.push(offsets[offsets.len() - 1] + x.len()));
        let triple = |pair: StateId, x: StateId| {
            offsets[pair.at()] + self.pairs[pair.at()].1.binary_search(&x).expect("sets are closed under weak steps")
        };
        let (mut before, mut final_triples) = (vec![Vec::new(); *offsets.last().expect("a sentinel")], Vec::new());
        for pair in (0..self.pairs.len()).map(StateId::new) {
            let (of_abstraction, of_original) = &self.pairs[pair.at()];
            let content = self.abstraction.silently_after(of_abstraction.iter().copied());
            let content = content.ones().any(|s| self.abstraction.lts().is_marked(StateId::new(s)));
            for &x in of_original {
                let own = triple(pair, x);
                if original.is_marked(x) && !content {
                    final_triples.push((pair, own));
                }
                for e in original.row(x) {
                    let next = if e.label.is_tau() { Some(pair) } else { edge(&machine, pair, e.label) };
                    let next = next.expect("the original can go there");
                    before[triple(next, e.target)].push((pair, own));
                }
            }
        }
        let blocking = |pair: &Pair| pair.1.iter().copied().find(|x| !can_end.contains(x.at()));
        let mut witness: Vec<Option<StateId>> = self.pairs.iter().map(blocking).collect();
        let mut levels: Vec<Option<u32>> = witness.iter().map(|w| w.map(|_| 0)).collect();
        for level in 1.. {
            // MC-triples: those that can end without passing an LC-pair.
            let mut more = FixedBitSet::with_capacity(before.len());
            let open = |pair: &StateId| levels[pair.at()].is_none();
            let mut todo: Vec<usize> =
                final_triples.iter().filter(|(p, t)| open(p) && !more.put(*t)).map(|&(_, t)| t).collect();
            while let Some(t) = todo.pop() {
                todo.extend(before[t].iter().filter(|(p, t)| open(p) && !more.put(*t)).map(|&(_, t)| t));
            }
            let mut changed = false;
            for pair in (0..self.pairs.len()).map(StateId::new).filter(|p| levels[p.at()].is_none()).collect::<Vec<_>>()
            {
                let found = self.pairs[pair.at()].1.iter().copied().find(|&x| !more.contains(triple(pair, x)));
                if found.is_some() {
                    (levels[pair.at()], witness[pair.at()], changed) = (Some(level), found, true);
                }
            }
            if !changed {
                break;
            }
        }
        (levels, witness)
    }
}

/// Where a deterministic machine goes.
fn edge(machine: &Fsm, s: StateId, label: LabelId) -> Option<StateId> {
    machine.lts().row_on(s, label).first().map(|e| e.target)
}
