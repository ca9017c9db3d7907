//! Unbounded places, found by a sequence that can be repeated for ever (Karp and Miller 1969).
//!
//! A marking that covers an earlier one of the same path, with more tokens somewhere, can do again what led from the one to the
//! other: the places that gained are unbounded. A depth-first search through infinitely many markings has an infinite path on
//! its stack, and every infinite path has such a pair (Dickson), so a search that looks at its stack finds one in the end; here
//! it has a budget. No marking is accelerated: what is found is a firing sequence, and can be replayed.

use prequel_model::watch::Watch;
use prequel_model::{Net, PlaceId, TransitionId};
use rustc_hash::FxHashSet;

/// How a place gains tokens without end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pump {
    /// A place that gains.
    pub place: PlaceId,
    /// Fired first.
    pub before: Vec<TransitionId>,
    /// Then fired again and again.
    pub again: Vec<TransitionId>,
}

impl Pump {
    /// Says how the place gains tokens for ever.
    pub fn words(&self, net: &Net) -> String {
        const MOST: usize = 6;
        let again: Vec<&str> = self.again.iter().take(MOST).map(|&t| net.transition(t)).collect();
        let more =
            if self.again.len() > MOST { format!(" … {} more", self.again.len() - MOST) } else { String::new() };
        let (place, before) = (net.place(self.place), self.before.len());
        format!(
            "place `{place}` is unbounded: after {before} step{}, {}{more} can be repeated for ever and adds to it",
            if before == 1 { "" } else { "s" },
            again.join(", ")
        )
    }
}

/// Transitions looked at by walks before anything is searched.
const WALK_LOOKS: usize = 1 << 16;
/// Steps of one walk.
const WALK_STEPS: usize = 1 << 10;
/// Numbers and arcs looked at by the search for a pump.
const PUMP_LOOKS: usize = 1 << 24;
/// Longest path of that search.
const PUMP_DEEPEST: usize = 1 << 12;

/// The most tokens that a few walks see in each place; the first is where the packing of markings starts.
pub fn most_seen(net: &Net, seed: u64) -> Vec<u32> {
    let mut most = net.initial().to_vec();
    let transitions = net.transitions().len();
    if transitions == 0 {
        return most;
    }
    let mut random = seed.wrapping_mul(2).wrapping_add(1);
    let mut looks = 0;
    while looks < WALK_LOOKS {
        let mut marking = net.initial().to_vec();
        for _ in 0..WALK_STEPS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let start = ((u128::from(random) * transitions as u128) >> 64) as usize;
            let mut order = (start..transitions).chain(0..start).map(TransitionId::new);
            let found = order.position(|t| net.enabled(&|p: PlaceId| marking[p.at()], t));
            looks += found.map_or(transitions, |at| at + 1);
            let Some(at) = found else { break };
            let t = TransitionId::new((start + at) % transitions);
            if net.fire(&mut marking, t).is_err() {
                break;
            }
            for arc in net.outputs(t) {
                let most = &mut most[arc.place.at()];
                *most = (*most).max(marking[arc.place.at()]);
            }
        }
        looks += 1;
    }
    most
}

/// A marking on the path of the search.
struct Frame {
    marking: Box<[u32]>,
    total: u64,
    /// What led here.
    by: Option<TransitionId>,
    /// What is still to be fired here, the last first.
    left: Vec<TransitionId>,
}

/// Looks for a pump, best of all one of this place, for a while.
pub fn find(net: &Net, place: PlaceId, watch: &Watch) -> Option<Pump> {
    let mut pace = watch.pace();
    let mut visited: FxHashSet<Box<[u32]>> = FxHashSet::default();
    let initial: Box<[u32]> = net.initial().into();
    visited.insert(initial.clone());
    let mut looks = 0;
    let mut stack = vec![frame(net, initial, None, place)];
    while let Some(top) = stack.last_mut() {
        let Some(t) = top.left.pop() else {
            stack.pop();
            continue;
        };
        let mut next = top.marking.clone();
        if net.fire(&mut next, t).is_err() {
            continue;
        }
        let total = sum(&next);
        let before = looks;
        for (at, earlier) in stack.iter().enumerate().rev().filter(|(_, frame)| frame.total < total) {
            looks += 8;
            let covers = earlier.marking.iter().zip(&next).all(|(a, b)| {
                looks += 1;
                a <= b
            });
            if covers {
                let gains = |p: &PlaceId| earlier.marking[p.at()] < next[p.at()];
                let place = Some(place).filter(gains).or_else(|| net.places().find(gains));
                let path: Vec<TransitionId> = stack.iter().filter_map(|frame| frame.by).chain([t]).collect();
                let (before, again) = path.split_at(at);
                return place.map(|place| Pump { place, before: before.to_vec(), again: again.to_vec() });
            }
        }
        looks += next.len();
        if looks > PUMP_LOOKS || pace.steps(looks - before + net.transitions().len()).is_err() {
            return None;
        }
        if stack.len() < PUMP_DEEPEST && visited.insert(next.clone()) {
            stack.push(frame(net, next, Some(t), place));
            looks += net.transitions().len();
        }
    }
    None
}

fn sum(marking: &[u32]) -> u64 {
    marking.iter().map(|&tokens| u64::from(tokens)).sum()
}

/// What gives most to the place is tried first.
fn frame(net: &Net, marking: Box<[u32]>, by: Option<TransitionId>, place: PlaceId) -> Frame {
    let mut left: Vec<TransitionId> =
        net.transitions().filter(|&t| net.enabled(&|p: PlaceId| marking[p.at()], t)).collect();
    let weight =
        |arcs: &[prequel_model::Arc]| arcs.iter().find(|arc| arc.place == place).map_or(0, |arc| i64::from(arc.weight));
    left.sort_by_key(|&t| weight(net.outputs(t)) - weight(net.inputs(t)));
    Frame { total: sum(&marking), marking, by, left }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net(text: &str) -> Net {
        prequel_formats::lola::read("n", text.as_bytes()).unwrap().0
    }

    #[test]
    fn a_pump_can_be_repeated_and_gains() {
        let net = net("PLACE a, b, c; MARKING a; TRANSITION go CONSUME a; PRODUCE b; \
            TRANSITION back CONSUME b; PRODUCE a, c; TRANSITION end CONSUME a; PRODUCE;");
        let pump = find(&net, PlaceId(2), &Watch::default()).unwrap();
        let mut marking = net.initial().to_vec();
        let mut before = Vec::new();
        for round in 0..5 {
            let word = if round == 0 { &pump.before } else { &pump.again };
            for &t in word {
                assert!(net.enabled(&|p: PlaceId| marking[p.at()], t));
                net.fire(&mut marking, t).unwrap();
            }
            before.push(marking[pump.place.at()]);
        }
        assert!(before.windows(2).all(|pair| pair[0] < pair[1]), "{before:?}");
    }

    #[test]
    fn a_bounded_net_has_none() {
        let net =
            net("PLACE a, b; MARKING a: 5; TRANSITION go CONSUME a; PRODUCE b; TRANSITION back CONSUME b; PRODUCE a;");
        assert_eq!(find(&net, PlaceId(1), &Watch::default()), None);
        assert_eq!(most_seen(&net, 0), [5, 5]);
    }
}
