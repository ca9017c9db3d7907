//! Place/transition nets in compressed rows: places with tokens, transitions with weighted arcs, and the units of a NUPN.
//!
//! A read arc is a loop: an arc in and an arc out of the same weight. The firing rule here is the plain one on counts of tokens;
//! engines have faster ones, and evidence is checked with this.

use super::index::{PlaceId, TransitionId};

/// One end of a transition: so many tokens of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Arc {
    /// The place.
    pub place: PlaceId,
    /// How many tokens; never 0.
    pub weight: u32,
}

/// For each transition its arcs, sorted by place, each place once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Rows {
    offsets: Vec<u32>,
    arcs: Vec<Arc>,
}

impl Rows {
    /// Arcs of one place and transition add up. Gives the arc whose weight is too large for a number, if there is one.
    fn new(transitions: usize, mut arcs: Vec<(TransitionId, Arc)>) -> Result<Self, (TransitionId, PlaceId)> {
        arcs.sort_unstable();
        let mut rows = Self { offsets: Vec::with_capacity(transitions + 1), arcs: Vec::with_capacity(arcs.len()) };
        rows.offsets.push(0);
        let mut rest = arcs.as_slice();
        for t in (0..transitions).map(TransitionId::new) {
            let start = rows.arcs.len();
            while let Some((&(of, arc), tail)) = rest.split_first()
                && of == t
            {
                match rows.arcs[start..].last_mut().filter(|last| last.place == arc.place) {
                    Some(last) => last.weight = last.weight.checked_add(arc.weight).ok_or((t, arc.place))?,
                    None => rows.arcs.push(arc),
                }
                rest = tail;
            }
            rows.offsets.push(rows.arcs.len() as u32);
        }
        Ok(rows)
    }

    fn of(&self, t: TransitionId) -> &[Arc] {
        &self.arcs[self.offsets[t.at()] as usize..self.offsets[t.at() + 1] as usize]
    }
}

/// Units of a nested-unit Petri net: a tree, with each place in one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Units {
    /// What they are called.
    pub names: Vec<Box<str>>,
    /// The unit that each place is in.
    pub of_place: Vec<u32>,
    /// The file says that two marked places are never in the same unit, nor in nested ones.
    pub safe: bool,
}

/// What nodes are called beside their names, where a file has ids for names; in order of nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Titles {
    /// Of places.
    pub places: Vec<(PlaceId, Box<str>)>,
    /// Of transitions.
    pub transitions: Vec<(TransitionId, Box<str>)>,
}

/// A place/transition net with its initial marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    places: Vec<Box<str>>,
    initial: Vec<u32>,
    transitions: Vec<Box<str>>,
    /// Line of each transition in its file; 0 where there is none.
    lines: Vec<u32>,
    inputs: Rows,
    outputs: Rows,
    units: Option<Units>,
    titles: Titles,
}

/// What a net is made of.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Names of places, all different, with their tokens.
    pub places: Vec<(Box<str>, u32)>,
    /// Names of transitions, all different, with the line each stands in.
    pub transitions: Vec<(Box<str>, u32)>,
    /// What transitions take; arcs of one place and transition add up.
    pub inputs: Vec<(TransitionId, Arc)>,
    /// What they give.
    pub outputs: Vec<(TransitionId, Arc)>,
    /// Units, where the file has them.
    pub units: Option<Units>,
    /// Titles, where the file has them.
    pub titles: Titles,
}

impl Net {
    /// Builds the rows. Gives the transition and the place between which arcs add up to more than fits a number.
    pub fn new(parts: Parts) -> Result<Self, (TransitionId, PlaceId)> {
        let Parts { places, transitions, inputs, outputs, units, titles } = parts;
        let inputs = Rows::new(transitions.len(), inputs)?;
        let outputs = Rows::new(transitions.len(), outputs)?;
        let (places, initial) = places.into_iter().unzip();
        let (transitions, lines) = transitions.into_iter().unzip();
        Ok(Self { places, initial, transitions, lines, inputs, outputs, units, titles })
    }

    /// All places in order.
    pub fn places(&self) -> impl ExactSizeIterator<Item = PlaceId> + Clone + use<> {
        (0..self.places.len()).map(PlaceId::new)
    }

    /// All transitions in order.
    pub fn transitions(&self) -> impl ExactSizeIterator<Item = TransitionId> + Clone + use<> {
        (0..self.transitions.len()).map(TransitionId::new)
    }

    /// What a place is called.
    pub fn place(&self, p: PlaceId) -> &str {
        &self.places[p.at()]
    }

    /// What a transition is called.
    pub fn transition(&self, t: TransitionId) -> &str {
        &self.transitions[t.at()]
    }

    /// What else a place is called.
    pub fn place_title(&self, p: PlaceId) -> Option<&str> {
        let titles = &self.titles.places;
        titles.binary_search_by_key(&p, |title| title.0).ok().map(|at| &*titles[at].1)
    }

    /// What else a transition is called.
    pub fn transition_title(&self, t: TransitionId) -> Option<&str> {
        let titles = &self.titles.transitions;
        titles.binary_search_by_key(&t, |title| title.0).ok().map(|at| &*titles[at].1)
    }

    /// The line that a transition stands in, where it is known.
    pub fn line(&self, t: TransitionId) -> Option<u32> {
        Some(self.lines[t.at()]).filter(|&line| line > 0)
    }

    /// What a transition takes, in order of places.
    #[inline]
    pub fn inputs(&self, t: TransitionId) -> &[Arc] {
        self.inputs.of(t)
    }

    /// What a transition gives, in order of places.
    #[inline]
    pub fn outputs(&self, t: TransitionId) -> &[Arc] {
        self.outputs.of(t)
    }

    /// How many arcs there are.
    pub fn num_arcs(&self) -> usize {
        self.inputs.arcs.len() + self.outputs.arcs.len()
    }

    /// Tokens at first.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The units, where the file has them.
    pub fn units(&self) -> Option<&Units> {
        self.units.as_ref()
    }

    /// Whether a transition can fire; `tokens` gives the tokens of a place.
    pub fn enabled(&self, tokens: &impl Fn(PlaceId) -> u32, t: TransitionId) -> bool {
        self.inputs(t).iter().all(|arc| tokens(arc.place) >= arc.weight)
    }

    /// Whether nothing can fire.
    pub fn is_dead(&self, tokens: &impl Fn(PlaceId) -> u32) -> bool {
        !self.transitions().any(|t| self.enabled(tokens, t))
    }

    /// Fires a transition that is enabled. Gives a place that cannot hold so many tokens, if there is one; the marking means
    /// nothing then.
    pub fn fire(&self, marking: &mut [u32], t: TransitionId) -> Result<(), PlaceId> {
        for arc in self.inputs(t) {
            marking[arc.place.at()] -= arc.weight;
        }
        for arc in self.outputs(t) {
            let tokens = &mut marking[arc.place.at()];
            *tokens = tokens.checked_add(arc.weight).ok_or(arc.place)?;
        }
        Ok(())
    }

    /// The places that a transition leaves with another number of tokens, in order, and by how much.
    pub fn changes(&self, t: TransitionId) -> Vec<(PlaceId, i64)> {
        let taken = self.inputs(t).iter().map(|arc| (arc.place, -i64::from(arc.weight)));
        let given = self.outputs(t).iter().map(|arc| (arc.place, i64::from(arc.weight)));
        let mut all: Vec<(PlaceId, i64)> = taken.chain(given).collect();
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 += next.1;
                true
            }
        });
        all.retain(|&(_, change)| change != 0);
        all
    }

    /// Fires a transition as [`Net::fire`] does, and tells which places change, from how many tokens to how many.
    pub fn fired(&self, marking: &mut [u32], t: TransitionId) -> Result<Vec<(PlaceId, u32, u32)>, PlaceId> {
        let mut places: Vec<PlaceId> = self.inputs(t).iter().chain(self.outputs(t)).map(|arc| arc.place).collect();
        places.sort_unstable();
        places.dedup();
        let before: Vec<u32> = places.iter().map(|p| marking[p.at()]).collect();
        self.fire(marking, t)?;
        let changed = places.into_iter().zip(before).map(|(p, before)| (p, before, marking[p.at()]));
        Ok(changed.filter(|(_, before, after)| before != after).collect())
    }

    /// For each place the transitions that one side of the arcs links it with, in order.
    pub fn by_place(&self, arcs: impl Fn(&Self, TransitionId) -> &[Arc]) -> Vec<Vec<TransitionId>> {
        let mut of = vec![Vec::new(); self.places.len()];
        for t in self.transitions() {
            arcs(self, t).iter().for_each(|arc| of[arc.place.at()].push(t));
        }
        of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(place: u32, weight: u32) -> Arc {
        Arc { place: PlaceId(place), weight }
    }

    #[test]
    fn arcs_add_up_and_firing_moves_tokens() {
        let t = TransitionId(0);
        let parts = Parts {
            places: vec![("p".into(), 3), ("q".into(), 0)],
            transitions: vec![("t".into(), 1)],
            inputs: vec![(t, arc(0, 1)), (t, arc(0, 1))],
            outputs: vec![(t, arc(1, 5)), (t, arc(0, 1))],
            ..Parts::default()
        };
        let net = Net::new(parts).unwrap();
        assert_eq!(net.inputs(t), [arc(0, 2)]);
        let mut marking = net.initial().to_vec();
        assert!(net.enabled(&|p: PlaceId| marking[p.at()], t));
        net.fire(&mut marking, t).unwrap();
        assert_eq!(marking, [2, 5]);
        net.fire(&mut marking, t).unwrap();
        assert_eq!(marking, [1, 10]);
        assert!(net.is_dead(&|p: PlaceId| marking[p.at()]));
    }

    #[test]
    fn weights_and_tokens_too_large_for_a_number_are_found() {
        let t = TransitionId(0);
        let net = |weights: [u32; 2]| {
            let outputs = weights.map(|w| (t, arc(0, w))).to_vec();
            Net::new(Parts {
                places: vec![("p".into(), 1)],
                transitions: vec![("t".into(), 1)],
                outputs,
                ..Parts::default()
            })
        };
        assert_eq!(net([u32::MAX, 1]), Err((t, PlaceId(0))));
        let net = net([u32::MAX - 1, 1]).unwrap();
        assert_eq!(net.fire(&mut [1], t), Err(PlaceId(0)));
    }
}
