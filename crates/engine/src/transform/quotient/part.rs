//! One part of the system behind a partition of its states: may and must edges between classes.
//!
//! | | may c -a-> c' | must |
//! | --- | --- | --- |
//! | forward | some w in c, w' in c' with w -a-> w' | every w' in c' has an a-predecessor in c |
//! | backward | the same | every w in c has an a-successor in c' |
//!
//! Backward is forward on reversed edges: "every w in c has an edge into c'" is, read against the arrows, "every target in c is
//! reached from c'". So there is one definition, and a direction says which way the arrows are read.

use super::partition::{Class, Partition};
use prequel_model::{LabelId, Lts, StateId};
use rustc_hash::FxHashMap;

/// Which way the arrows are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the initial state: what is reachable.
    Forward,
    /// From the error: what can reach it.
    Backward,
}

/// An edge between classes, in the direction of the analysis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClassEdge {
    /// What it does.
    pub label: LabelId,
    /// The class at its other end.
    pub target: Class,
    /// Whether it is a must edge.
    pub must: bool,
}

/// How many members of a class have an edge on a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    /// None.
    None,
    /// Some, but not all.
    Some,
    /// All.
    All,
}

/// A part and its classes.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// As it is.
    lts: &'a Lts,
    /// With its arrows turned round.
    reversed: Lts,
    direction: Direction,
    /// Its classes.
    pub partition: Partition,
    /// Edges of each class in the direction of the analysis, sorted; none for classes that were split.
    rows: Vec<Vec<ClassEdge>>,
    /// How many members of each class have an edge, as it is, on each label; sorted by label.
    offers: Vec<Vec<(LabelId, u32)>>,
}

impl<'a> Part<'a> {
    /// A part behind a partition.
    pub fn new(lts: &'a Lts, direction: Direction, partition: Partition) -> Self {
        let mut part =
            Self { lts, reversed: lts.reversed(), direction, partition, rows: Vec::new(), offers: Vec::new() };
        for class in 0..part.partition.len() as Class {
            part.rows.push(part.outgoing(class));
            part.offers.push(part.offered(class));
        }
        part
    }

    /// The edges in the direction of the analysis.
    fn ahead(&self) -> &Lts {
        if self.direction == Direction::Forward { self.lts } else { &self.reversed }
    }

    /// The edges against it.
    fn behind(&self) -> &Lts {
        if self.direction == Direction::Forward { &self.reversed } else { self.lts }
    }

    /// The edges of a class in the direction of the analysis.
    #[inline]
    pub fn row(&self, class: Class) -> &[ClassEdge] {
        &self.rows[class as usize]
    }

    /// The edges of a class on a label.
    #[inline]
    pub fn row_on(&self, class: Class, label: LabelId) -> &[ClassEdge] {
        let row = self.row(class);
        let start = row.partition_point(|e| e.label < label);
        let len = row[start..].iter().take_while(|e| e.label == label).count();
        &row[start..start + len]
    }

    /// How many members of a class have an edge on a label, whatever the direction of the analysis.
    #[inline]
    pub fn offer(&self, class: Class, label: LabelId) -> Offer {
        let offers = &self.offers[class as usize];
        match offers.binary_search_by_key(&label, |(l, _)| *l) {
            Err(_) => Offer::None,
            Ok(at) if offers[at].1 as usize == self.partition.size(class) => Offer::All,
            Ok(_) => Offer::Some,
        }
    }

    /// The labels that some member of a class has an edge on.
    pub fn offered_labels(&self, class: Class) -> impl Iterator<Item = LabelId> + '_ {
        self.offers[class as usize].iter().map(|(label, _)| *label)
    }

    /// Whether a state has an edge on a label, whatever the direction of the analysis.
    pub fn offers(&self, s: StateId, label: LabelId) -> bool {
        !self.lts.row_on(s, label).is_empty()
    }

    /// Splits the class at the end of an edge into the states that the edge reaches and the others.
    pub fn split_reached(&mut self, from: Class, label: LabelId, to: Class) -> [Class; 2] {
        let (behind, classes) = (self.behind(), &self.partition);
        let reached: Vec<bool> = (classes.members(to).iter())
            .map(|&s| behind.row_on(s, label).iter().any(|e| classes.contains(from, e.target)))
            .collect();
        let place: FxHashMap<StateId, bool> = classes.members(to).iter().copied().zip(reached).collect();
        self.split(to, |s| place[&s])
    }

    /// Splits a class into the states that have an edge on a label and the others.
    pub fn split_offering(&mut self, class: Class, label: LabelId) -> [Class; 2] {
        let lts = self.lts;
        self.split(class, |s| !lts.row_on(s, label).is_empty())
    }

    /// Splits a class into the given states, sorted, and the others.
    pub fn split_by(&mut self, class: Class, states: &[StateId]) -> [Class; 2] {
        self.split(class, |s| states.binary_search(&s).is_ok())
    }

    fn split(&mut self, class: Class, condition: impl Fn(StateId) -> bool) -> [Class; 2] {
        let halves = self.partition.split(class, condition);
        self.rows[class as usize] = Vec::new();
        self.offers[class as usize] = Vec::new();
        for half in halves {
            let (row, offered) = (self.outgoing(half), self.offered(half));
            self.rows.push(row);
            self.offers.push(offered);
        }
        // Edges of other classes into the old class become edges into its halves.
        let mut sources: Vec<Class> = Vec::new();
        let incoming = halves.map(|half| self.incoming(half));
        for (half, edges) in halves.into_iter().zip(incoming) {
            let size = self.partition.size(half);
            for ((source, label), reached) in edges {
                if !halves.contains(&source) {
                    self.rows[source as usize].push(ClassEdge { label, target: half, must: reached as usize == size });
                    sources.push(source);
                }
            }
        }
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let row = &mut self.rows[source as usize];
            row.retain(|e| e.target != class);
            row.sort_unstable();
        }
        halves
    }

    /// The edges from a class, counted at their ends.
    fn outgoing(&self, class: Class) -> Vec<ClassEdge> {
        let ahead = self.ahead();
        let mut ends: Vec<(LabelId, StateId)> =
            self.partition.members(class).iter().flat_map(|&s| ahead.row(s)).map(|e| (e.label, e.target)).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut ends: Vec<(LabelId, Class)> =
            ends.into_iter().map(|(label, s)| (label, self.partition.class(s))).collect();
        ends.sort_unstable();
        let edge = |same: &[(LabelId, Class)]| {
            let (label, target) = same[0];
            ClassEdge { label, target, must: same.len() == self.partition.size(target) }
        };
        ends.chunk_by(|a, b| a == b).map(edge).collect()
    }

    /// How many members of a class each other class reaches by each label.
    fn incoming(&self, class: Class) -> Vec<((Class, LabelId), u32)> {
        let behind = self.behind();
        let mut reached: Vec<(Class, LabelId, StateId)> = Vec::new();
        for &s in self.partition.members(class) {
            reached.extend(behind.row(s).iter().map(|e| (self.partition.class(e.target), e.label, s)));
        }
        reached.sort_unstable();
        reached.dedup();
        reached
            .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .map(|same| ((same[0].0, same[0].1), same.len() as u32))
            .collect()
    }

    fn offered(&self, class: Class) -> Vec<(LabelId, u32)> {
        let mut labels: Vec<LabelId> = Vec::new();
        for &s in self.partition.members(class) {
            labels.extend(self.lts.row(s).chunk_by(|a, b| a.label == b.label).map(|same| same[0].label));
        }
        labels.sort_unstable();
        labels.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_model::Transition;
    use prequel_model::rng::Rng;

    /// Straight from the table above.
    fn by_definition(lts: &Lts, direction: Direction, partition: &Partition, c: Class) -> Vec<ClassEdge> {
        let mut edges = Vec::new();
        let current = (0..partition.len() as Class).filter(|&c| !partition.is_split(c));
        for (target, label) in current.flat_map(|t| lts.used_labels().into_iter().map(move |l| (t, l))) {
            let (from, to) = (partition.members(c), partition.members(target));
            let edge = |w: &StateId, v: &StateId| match direction {
                Direction::Forward => lts.has(*w, label, *v),
                Direction::Backward => lts.has(*v, label, *w),
            };
            if from.iter().any(|w| to.iter().any(|v| edge(w, v))) {
                // Forward: all targets; backward, where c is at the arrow's head: all sources.
                let must = to.iter().all(|v| from.iter().any(|w| edge(w, v)));
                edges.push(ClassEdge { label, target, must });
            }
        }
        edges.sort_unstable();
        edges
    }

    #[test]
    fn edges_after_any_splits_are_those_of_the_definition() {
        let mut splits = 0;
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let lts = random::lts(&mut rng, 8, &[LabelId(1), LabelId(2)], 3);
            for direction in [Direction::Forward, Direction::Backward] {
                let all = vec![0; lts.num_states()];
                let mut part = Part::new(&lts, direction, Partition::by_keys(&all));
                loop {
                    let current: Vec<Class> =
                        (0..part.partition.len() as Class).filter(|&c| !part.partition.is_split(c)).collect();
                    let mut weak = Vec::new();
                    for &c in &current {
                        assert_eq!(part.row(c), by_definition(&lts, direction, &part.partition, c), "seed {seed}");
                        weak.extend(part.row(c).iter().filter(|e| !e.must).map(|e| (c, e.label, e.target)));
                        for label in [LabelId::TAU, LabelId(1), LabelId(2)] {
                            let members = part.partition.members(c);
                            let count = members.iter().filter(|s| !lts.row_on(**s, label).is_empty()).count();
                            let expected = match count {
                                0 => Offer::None,
                                n if n == members.len() => Offer::All,
                                _ => Offer::Some,
                            };
                            assert_eq!(part.offer(c, label), expected);
                        }
                    }
                    if weak.is_empty() {
                        break;
                    }
                    let (from, label, to) = *rng.pick(&weak);
                    part.split_reached(from, label, to);
                    splits += 1;
                }
            }
        }
        assert!(splits > 1000, "only {splits} splits");
    }

    /// Random systems do not tell the two must definitions apart: this one does.
    #[test]
    fn must_is_about_all_targets_forward_and_all_sources_backward() {
        // 0 -a-> 2, 1 has no edge: not every source moves. 0 -b-> 2 and 0 -b-> 3: every target of {2, 3} is reached.
        let (a, b) = (LabelId(1), LabelId(2));
        let lts = Lts::new(
            StateId(0),
            4,
            vec![
                Transition::new(0, a, 2),
                Transition::new(1, a, 2),
                Transition::new(0, b, 2),
                Transition::new(0, b, 3),
            ],
        );
        let halves = || Partition::by_keys(&[0, 0, 1, 1]);
        let forward = Part::new(&lts, Direction::Forward, halves());
        let edge = |label, target, must| ClassEdge { label, target, must };
        assert_eq!(forward.row(0), [edge(a, 1, false), edge(b, 1, true)], "3 has no a-predecessor");
        let backward = Part::new(&lts, Direction::Backward, halves());
        assert_eq!(backward.row(1), [edge(a, 0, true), edge(b, 0, false)], "1 has no b-successor");
    }
}
