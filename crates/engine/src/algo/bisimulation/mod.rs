//! Bisimulations: which states cannot be told apart, and the smallest system in which none are left.
//!
//! All kinds run on one refinement by signatures (`refine`); branching kinds on a system whose silent
//! cycles were collapsed, weak bisimulation on the weak steps of the branching quotient (van Glabbeek and Weijland 1996: a
//! branching bisimilar system is a weakly bisimilar one). States with different marks are never together.

mod collapse;
mod partition;
mod refine;
mod saturate;

#[cfg(test)]
pub(in crate::algo) mod naive;

pub use partition::Partition;
pub(in crate::algo) use saturate::saturate;
pub(crate) use saturate::{saturate_within, without_redundant_in};

use super::{TooLarge, trim};
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, LabelId, Lts, StateId};
use refine::{Silent, refine, refine_while};

/// A kind of bisimulation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bisimulation {
    /// Tau is a label like any other.
    Strong,
    /// Silent steps that change no options do not count; neither does going round silently for ever.
    Branching,
    /// Branching, but a state that can go round for ever without changing its options differs from one that cannot.
    DpBranching,
    /// A step may be matched by itself among any silent steps.
    Weak,
}

/// The coarsest partition of all states, reachable or not, into bisimilar ones. Only the weak one can be too large.
pub fn partition(lts: &Lts, kind: Bisimulation) -> Result<Partition, TooLarge> {
    Ok(match kind {
        Bisimulation::Strong => refine(lts, Silent::Ordinary, &FixedBitSet::new()),
        Bisimulation::Branching => branching(lts, false).0,
        Bisimulation::DpBranching => branching(lts, true).0,
        Bisimulation::Weak => weak(lts)?.0,
    })
}

/// The smallest system bisimilar to the given one, made of the classes of its reachable states.
///
/// Smallest in states; in transitions as well, except where tau cycles among differently marked states are concerned.
pub fn quotient(lts: &Lts, kind: Bisimulation) -> Result<Lts, TooLarge> {
    quotient_while(lts, kind, &|| true)
}

/// As [`quotient`], unless it is to stop before the end; it asks now and then.
pub fn quotient_while(lts: &Lts, kind: Bisimulation, go_on: &dyn Fn() -> bool) -> Result<Lts, TooLarge> {
    let lts = &trim::trim_reachable(lts).lts;
    Ok(match kind {
        Bisimulation::Strong => strong(lts, go_on)?.1,
        Bisimulation::Branching => branching_while(lts, false, go_on)?.1,
        Bisimulation::DpBranching => branching_while(lts, true, go_on)?.1,
        Bisimulation::Weak => full_quotient(lts, kind)?.1,
    })
}

/// The partition of all states and the quotient of all classes, reachable or not.
pub(crate) fn full_quotient(lts: &Lts, kind: Bisimulation) -> Result<(Partition, Lts), TooLarge> {
    Ok(match kind {
        Bisimulation::Strong => strong(lts, &|| true)?,
        Bisimulation::Branching => branching(lts, false),
        Bisimulation::DpBranching => branching(lts, true),
        Bisimulation::Weak => {
            let (classes, quotient) = weak(lts)?;
            (classes, saturate::without_redundant(&quotient)?)
        }
    })
}

fn strong(lts: &Lts, go_on: &dyn Fn() -> bool) -> Result<(Partition, Lts), TooLarge> {
    let none = FixedBitSet::new();
    let classes = refine_while(lts, Silent::Ordinary, &none, go_on).ok_or(TooLarge::Stopped)?;
    let quotient = of_representatives(lts, |s| classes.class(s), classes.firsts(), &none);
    Ok((classes, quotient))
}

/// Branching bisimulation, with or without regard to divergence.
fn branching(lts: &Lts, divergence: bool) -> (Partition, Lts) {
    branching_while(lts, divergence, &|| true).expect("nobody stops it")
}

fn branching_while(lts: &Lts, divergence: bool, go_on: &dyn Fn() -> bool) -> Result<(Partition, Lts), TooLarge> {
    let collapse::Collapsed { lts: collapsed, components, mut divergent } = collapse::collapse(lts);
    if !divergence {
        divergent.clear();
    }
    let classes = refine_while(&collapsed, Silent::Inherited, &divergent, go_on).ok_or(TooLarge::Stopped)?;
    let all = Partition::from_keys(lts.states().map(|s| classes.class(StateId(components.of(s))).0));
    // Classes of collapsed states are numbered by collapsed states; the quotient follows the original ones. Inert edges
    // lead to lower numbers, so the first state of a class has none: its own pairs are the signature of the class.
    let first_of = |&s: &StateId| classes.firsts()[classes.class(StateId(components.of(s))).at()];
    let representatives: Vec<StateId> = all.firsts().iter().map(first_of).collect();
    let mut renumbered = vec![0u32; classes.len()];
    for (new, &s) in representatives.iter().enumerate() {
        renumbered[classes.class(s).at()] = new as u32;
    }
    let class = |s: StateId| StateId(renumbered[classes.class(s).at()]);
    let mut diverging = FixedBitSet::with_capacity(all.len());
    divergent.ones().for_each(|s| diverging.insert(class(StateId::new(s)).at()));
    let quotient = of_representatives(&collapsed, class, &representatives, &diverging);
    Ok((all, quotient))
}

/// The coarsest partition into weakly bisimilar states, or into branching bisimilar ones where there are more than `most` weak steps.
pub(crate) fn weak_partition_within(lts: &Lts, most: usize) -> Partition {
    let (fine, small) = branching(lts, false);
    match saturate_within(&small, most) {
        Ok(weak) => fine.then(&refine(&weak, Silent::Ignored, &FixedBitSet::new())),
        Err(_) => fine,
    }
}

/// Weak bisimulation; the quotient still has all edges between classes.
fn weak(lts: &Lts) -> Result<(Partition, Lts), TooLarge> {
    let (fine, small) = branching(lts, false);
    let coarse = refine(&saturate(&small)?, Silent::Ignored, &FixedBitSet::new());
    let mut transitions: Vec<_> = small.transitions().collect();
    for t in &mut transitions {
        (t.source, t.target) = (coarse.class(t.source), coarse.class(t.target));
    }
    transitions.retain(|t| !(t.label.is_tau() && t.source == t.target));
    let quotient = Lts::new(coarse.class(small.initial()), coarse.len(), transitions)
        .with_marked(small.marked().map(|s| coarse.class(s)));
    Ok((fine.then(&coarse), quotient))
}

/// The quotient in which each class has the edges of its representative, and a tau self-loop if it is in `loops`.
fn of_representatives(
    lts: &Lts,
    class: impl Fn(StateId) -> StateId,
    representatives: &[StateId],
    loops: &FixedBitSet,
) -> Lts {
    let mut offsets = vec![0u32];
    let mut edges = Vec::new();
    for (own, &s) in representatives.iter().enumerate() {
        if loops.contains(own) {
            edges.push(Edge { label: LabelId::TAU, target: StateId::new(own) });
        }
        edges.extend(lts.row(s).iter().map(|e| Edge { label: e.label, target: class(e.target) }));
        offsets.push(edges.len() as u32);
    }
    let marked = representatives.iter().enumerate().filter(|&(_, &s)| lts.is_marked(s));
    Lts::from_unsorted_rows(class(lts.initial()), offsets, edges).with_marked(marked.map(|(own, _)| StateId::new(own)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::Transition;

    const KINDS: [Bisimulation; 4] =
        [Bisimulation::Strong, Bisimulation::Branching, Bisimulation::DpBranching, Bisimulation::Weak];
    const A: LabelId = LabelId(1);
    const B: LabelId = LabelId(2);

    fn same_partition(partition: &Partition, classes: &[usize]) -> bool {
        let states = || (0..classes.len()).map(StateId::new);
        states().all(|s| states().all(|t| partition.together(s, t) == (classes[s.at()] == classes[t.at()])))
    }

    #[test]
    fn partitions_agree_with_naive_refinement() {
        for seed in 0..4000 {
            let lts = naive::sample(seed);
            for kind in KINDS {
                let found = partition(&lts, kind).unwrap();
                assert!(same_partition(&found, &naive::classes(&lts, kind)), "seed {seed}, {kind:?}: {lts:?}");
            }
        }
    }

    /// Blocks must be large and shrink in many rounds for the remembered signatures to matter.
    #[test]
    fn partitions_of_repetitive_systems_agree_with_naive_refinement() {
        use prequel_model::rng::Rng;
        for seed in 0..60 {
            let mut rng = Rng::new(seed);
            let states = rng.between(30, 90) as u32;
            let tau = rng.between(5, 80);
            let mut transitions = Vec::new();
            for s in 0..states {
                let label = if rng.chance(tau) { LabelId::TAU } else { A };
                transitions.push(Transition::new(s, label, (s + 1) % states));
                if rng.chance(8) {
                    let label = *rng.pick(&[A, B, LabelId::TAU]);
                    transitions.push(Transition::new(s, label, rng.below(states as usize) as u32));
                }
            }
            let lts = Lts::new(StateId(0), states as usize, transitions);
            let lts = if rng.chance(30) { lts.with_marked([StateId(7)]) } else { lts };
            for kind in KINDS {
                let found = partition(&lts, kind).unwrap();
                assert!(same_partition(&found, &naive::classes(&lts, kind)), "seed {seed}, {kind:?}");
            }
        }
    }

    #[test]
    fn quotients_are_bisimilar_and_cannot_shrink() {
        for seed in 0..2000 {
            let lts = naive::sample(seed);
            let reachable = trim::trim_reachable(&lts).lts;
            for kind in KINDS {
                let small = quotient(&lts, kind).unwrap();
                let shift = small.num_states() as u32;
                let transitions = small
                    .transitions()
                    .chain(
                        reachable
                            .transitions()
                            .map(|t| Transition::new(t.source.0 + shift, t.label, t.target.0 + shift)),
                    )
                    .collect();
                let marked = small.marked().chain(reachable.marked().map(|s| StateId(s.0 + shift)));
                let both = Lts::new(small.initial(), small.num_states() + reachable.num_states(), transitions)
                    .with_marked(marked);
                let classes = naive::classes(&both, kind);
                let counterpart = reachable.initial().at() + small.num_states();
                assert_eq!(classes[small.initial().at()], classes[counterpart], "seed {seed}, {kind:?}: {lts:?}");
                let mut own: Vec<usize> = classes[..small.num_states()].to_vec();
                own.sort_unstable();
                own.dedup();
                assert_eq!(own.len(), small.num_states(), "seed {seed}, {kind:?}");
                assert!(classes.iter().all(|c| own.binary_search(c).is_ok()), "seed {seed}, {kind:?}");
                assert!(small.num_transitions() <= reachable.num_transitions(), "seed {seed}, {kind:?}");
                assert_eq!(
                    quotient(&small, kind).unwrap().num_transitions(),
                    small.num_transitions(),
                    "seed {seed}, {kind:?}"
                );
            }
        }
    }

    #[test]
    fn only_divergence_leaves_a_silent_loop() {
        // A silent cycle of two with a way out by a.
        let cycle =
            vec![Transition::new(0, LabelId::TAU, 1), Transition::new(1, LabelId::TAU, 0), Transition::new(1, A, 2)];
        let lts = Lts::new(StateId(0), 3, cycle);
        let sizes = |kind| {
            let small = quotient(&lts, kind).unwrap();
            (small.num_states(), small.num_transitions())
        };
        assert_eq!(sizes(Bisimulation::Strong), (3, 3));
        assert_eq!(sizes(Bisimulation::Branching), (2, 1));
        assert_eq!(sizes(Bisimulation::Weak), (2, 1));
        assert_eq!(sizes(Bisimulation::DpBranching), (2, 2));
        assert!(quotient(&lts, Bisimulation::DpBranching).unwrap().has(StateId(0), LabelId::TAU, StateId(0)));
    }

    #[test]
    fn weak_forgets_an_intermediate_choice_that_branching_keeps() {
        // a.(b + tau.c) + a.c against a.(b + tau.c): the second tau law of weak bisimulation.
        let c = LabelId(3);
        let lts = Lts::new(
            StateId(0),
            5,
            vec![
                Transition::new(0, A, 1),
                Transition::new(1, B, 4),
                Transition::new(1, LabelId::TAU, 2),
                Transition::new(2, c, 4),
                Transition::new(0, A, 3),
                Transition::new(3, c, 4),
            ],
        );
        assert_eq!(quotient(&lts, Bisimulation::Branching).unwrap().num_transitions(), 5);
        assert_eq!(quotient(&lts, Bisimulation::Weak).unwrap().num_transitions(), 4);
    }
}
