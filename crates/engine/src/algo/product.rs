//! The product of components, never built: packed global states and their successors.
//!
//! A global state is a row of 64-bit words in which each component has a bit field, none across a word boundary.
//! A move changes a field by one exclusive-or, so a successor costs a copy and as many of those as components move.

use prequel_model::{Component, ComponentId, Edge, LabelId, Move, Participants, StateId, Step};

/// Where a component's local state is in a packed state.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u8,
    mask: u64,
}

/// Who moves on a label, decided once so that the inner loop looks at one small record.
#[derive(Clone, Copy, Debug)]
struct Sync {
    /// The participant that proposes the label; the others are asked.
    owner: ComponentId,
    kind: SyncKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncKind {
    Alone,
    With(ComponentId),
    Many,
}

/// Components side by side, with the layout of their packed states.
#[derive(Debug)]
pub struct Product<'a> {
    parts: Vec<&'a Component>,
    participants: Participants,
    fields: Vec<Field>,
    words: usize,
    syncs: Vec<Sync>,
    /// The components that own a label or have a tau: the only ones that propose steps.
    proposers: Vec<ComponentId>,
}

impl<'a> Product<'a> {
    /// Lays out the components; `labels` is the size of the label table that they share.
    pub fn new(labels: usize, parts: Vec<&'a Component>) -> Self {
        let participants = Participants::of(labels, parts.iter().copied());
        let mut fields = Vec::with_capacity(parts.len());
        let (mut word, mut used) = (0u32, 0u32);
        for part in &parts {
            let bits = usize::BITS - (part.lts.num_states() - 1).leading_zeros();
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
            // A component with one state has no bits; its shift must still be a legal one.
            fields.push(Field { word, shift: (used % 64) as u8, mask });
            used += bits;
        }
        let alone = Sync { owner: ComponentId(0), kind: SyncKind::Alone };
        let mut syncs = vec![alone; labels];
        let mut proposes = vec![false; parts.len()];
        for label in (1..labels).map(LabelId::new) {
            let kind = match participants.of_label(label) {
                [] => continue,
                [_] => SyncKind::Alone,
                [_, other] => SyncKind::With(*other),
                _ => SyncKind::Many,
            };
            let owner = participants.of_label(label)[0];
            syncs[label.at()] = Sync { owner, kind };
            proposes[owner.at()] = true;
        }
        for (c, part) in parts.iter().enumerate() {
            proposes[c] |= part.lts.transitions().any(|t| t.label.is_tau());
        }
        let proposers = (0..parts.len()).filter(|&c| proposes[c]).map(ComponentId::new).collect();
        Self { parts, participants, fields, words: word as usize + 1, syncs, proposers }
    }

    /// How many 64-bit words a packed state has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many components.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is no component at all.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// One of the components.
    pub fn part(&self, c: ComponentId) -> &'a Component {
        self.parts[c.at()]
    }

    /// Who takes part in a label.
    #[inline]
    pub fn participants(&self, label: LabelId) -> &[ComponentId] {
        self.participants.of_label(label)
    }

    /// The packed state in which all components are in their initial states.
    pub fn initial(&self) -> Vec<u64> {
        self.pack(self.parts.iter().map(|part| part.lts.initial()))
    }

    /// The packed state of these local states, one for each component in order.
    pub fn pack(&self, locals: impl IntoIterator<Item = StateId>) -> Vec<u64> {
        let mut packed = vec![0; self.words];
        for (field, local) in self.fields.iter().zip(locals) {
            packed[field.word as usize] |= u64::from(local.0) << field.shift;
        }
        packed
    }

    /// A component's local state in a packed state.
    #[inline]
    pub fn local(&self, state: &[u64], c: ComponentId) -> StateId {
        let field = self.fields[c.at()];
        StateId(((state[field.word as usize] >> field.shift) & field.mask) as u32)
    }

    /// The edges of a component on a label in a packed state.
    #[inline]
    pub fn offers(&self, state: &[u64], c: ComponentId, label: LabelId) -> &'a [Edge] {
        self.parts[c.at()].lts.row_on(self.local(state, c), label)
    }

    /// Appends all successors of a packed state to `out`, `words` words each, and tells how many.
    #[inline]
    pub fn successors(&self, state: &[u64], out: &mut Vec<u64>) -> usize {
        let before = out.len();
        for &c in &self.proposers {
            self.proposed_by(c, state, out);
        }
        (out.len() - before) / self.words
    }

    /// Appends the successors with their labels, as many labels as successors.
    pub fn labelled_successors(&self, state: &[u64], out: &mut Vec<u64>, labels: &mut Vec<LabelId>) {
        for &c in &self.proposers {
            self.propose(c, state, out, |label, upto| labels.resize(upto, label));
        }
    }

    /// Appends the successors by labels that component `c` owns, and by its taus.
    #[inline]
    pub fn proposed_by(&self, c: ComponentId, state: &[u64], out: &mut Vec<u64>) {
        self.propose(c, state, out, |_, _| ());
    }

    /// As [`Product::proposed_by`]; `note` is told each label and how many successors `out` holds after it.
    #[inline]
    fn propose(&self, c: ComponentId, state: &[u64], out: &mut Vec<u64>, mut note: impl FnMut(LabelId, usize)) {
        let local = self.local(state, c);
        for edge in self.parts[c.at()].lts.row(local) {
            if edge.label.is_tau() {
                self.push(state, &[(c, local, edge.target)], out);
                note(edge.label, out.len() / self.words);
                continue;
            }
            let sync = self.syncs[edge.label.at()];
            if sync.owner != c {
                continue;
            }
            match sync.kind {
                SyncKind::Alone => self.push(state, &[(c, local, edge.target)], out),
                SyncKind::With(other) => {
                    let theirs = self.local(state, other);
                    for partner in self.parts[other.at()].lts.row_on(theirs, edge.label) {
                        self.push(state, &[(c, local, edge.target), (other, theirs, partner.target)], out);
                    }
                }
                SyncKind::Many => {
                    // Extend from the owner's move, participant by participant; each choice multiplies what is there.
                    let start = out.len();
                    self.push(state, &[(c, local, edge.target)], out);
                    for &other in &self.participants(edge.label)[1..] {
                        if !self.extend(state, other, edge.label, start, out) {
                            break;
                        }
                    }
                }
            }
            note(edge.label, out.len() / self.words);
        }
    }

    /// Adds one participant's move to all unfinished successors from `start` on; false when it blocks them.
    fn extend(&self, state: &[u64], other: ComponentId, label: LabelId, start: usize, out: &mut Vec<u64>) -> bool {
        let field = self.fields[other.at()];
        let theirs = self.local(state, other);
        let Some((first, rest)) = self.parts[other.at()].lts.row_on(theirs, label).split_first() else {
            out.truncate(start);
            return false;
        };
        let end = out.len();
        let delta = |target: StateId| u64::from(theirs.0 ^ target.0) << field.shift;
        for choice in rest {
            for from in (start..end).step_by(self.words) {
                let at = out.len();
                out.extend_from_within(from..from + self.words);
                out[at + field.word as usize] ^= delta(choice.target);
            }
        }
        for from in (start..end).step_by(self.words) {
            out[from + field.word as usize] ^= delta(first.target);
        }
        true
    }

    /// Appends `state` with some components moved.
    #[inline]
    fn push(&self, state: &[u64], moves: &[(ComponentId, StateId, StateId)], out: &mut Vec<u64>) {
        let at = out.len();
        if let [word] = state {
            let moved =
                moves.iter().fold(*word, |w, &(c, from, to)| w ^ u64::from(from.0 ^ to.0) << self.fields[c.at()].shift);
            return out.push(moved);
        }
        out.extend_from_slice(state);
        for &(c, from, to) in moves {
            let field = self.fields[c.at()];
            out[at + field.word as usize] ^= u64::from(from.0 ^ to.0) << field.shift;
        }
    }

    /// A step that leads from one packed state to another: the first in label order, if there is one.
    pub fn step_between(&self, from: &[u64], to: &[u64]) -> Option<Step> {
        let ids = || (0..self.parts.len()).map(ComponentId::new);
        let change = |component| Move { component, from: self.local(from, component), to: self.local(to, component) };
        let changed: Vec<ComponentId> = ids().filter(|&c| self.local(from, c) != self.local(to, c)).collect();
        // A step whose movers are exactly known: taus of the one that changed, labels of everybody that did.
        let possible = |step: &Step| {
            let moves_all = changed.iter().all(|c| step.moves.iter().any(|m| m.component == *c));
            let exist = step.moves.iter().all(|m| self.part(m.component).lts.has(m.from, step.label, m.to));
            moves_all && exist
        };
        // Who can be asked for labels: any changed component takes part; where nothing changed, anybody may loop.
        let askable: Vec<ComponentId> = if changed.is_empty() { ids().collect() } else { vec![changed[0]] };
        let mut best: Option<Step> = None;
        for c in askable {
            for edge in self.part(c).lts.row(self.local(from, c)) {
                let moves = match edge.label.is_tau() {
                    true => vec![change(c)],
                    false => self.participants(edge.label).iter().map(|&p| change(p)).collect(),
                };
                let step = Step { label: edge.label, moves };
                if best.as_ref().is_none_or(|b| step.label < b.label) && possible(&step) {
                    best = Some(step);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random::{Shape, network};
    use std::collections::HashSet;

    /// On thousands of random networks, along random walks: the same successors as the definition, and a step for each.
    #[test]
    fn successors_are_those_of_the_definition() {
        let wide = Shape { components: 40, states: 9, labels: 30, degree: 3 };
        let seeds = (0..1500).map(|seed| (seed, Shape::default())).chain((0..150).map(|seed| (seed, wide)));
        for (seed, shape) in seeds {
            let network = network(seed, &shape);
            let product = Product::new(network.labels().len(), network.components().iter().collect());
            let unpack = |s: &[u64]| network.ids().map(|c| product.local(s, c)).collect::<Vec<_>>();
            let mut state = product.initial();
            assert_eq!(unpack(&state), network.initial());
            for walk in 0..6 {
                let mut out = Vec::new();
                let count = product.successors(&state, &mut out);
                let steps = network.steps(&unpack(&state));
                assert_eq!(count, steps.len(), "seed {seed}");
                let by_definition: HashSet<Vec<StateId>> = steps
                    .iter()
                    .map(|step| {
                        let mut next = unpack(&state);
                        step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
                        next
                    })
                    .collect();
                let packed: HashSet<Vec<StateId>> = out.chunks(product.words()).map(unpack).collect();
                assert_eq!(packed, by_definition, "seed {seed}");
                for next in out.chunks(product.words()) {
                    let step = product.step_between(&state, next).expect("a successor has a step");
                    assert!(steps.contains(&step), "seed {seed}: {step:?}");
                }
                if count == 0 {
                    break;
                }
                let pick = (seed as usize + walk) % count;
                state = out[pick * product.words()..(pick + 1) * product.words()].to_vec();
            }
        }
    }
}
