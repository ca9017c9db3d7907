//! Siphons that are empty at first, and traps that are not.

use prequel_model::{Net, PlaceId, TransitionId};

/// Arcs that are looked at to make a trap smaller.
const MOST_LOOKED_AT: usize = 1 << 22;

/// The net from each place's point of view.
#[derive(Debug)]
pub struct Flow<'a> {
    net: &'a Net,
    takers: Vec<Vec<TransitionId>>,
    givers: Vec<Vec<TransitionId>>,
    /// Transitions that take from a siphon that is empty at first never fire.
    pub may_fire: Vec<bool>,
    /// The largest such siphon.
    pub siphon: Vec<PlaceId>,
}

impl<'a> Flow<'a> {
    /// Of a net.
    pub fn new(net: &'a Net) -> Self {
        let (takers, givers) = (net.by_place(Net::inputs), net.by_place(Net::outputs));
        // What may get a token some time: what has one, and what a transition gives to all of whose inputs may.
        let mut may_have: Vec<bool> = net.initial().iter().map(|&tokens| tokens > 0).collect();
        let mut missing: Vec<usize> = net.transitions().map(|t| net.inputs(t).len()).collect();
        let mut left: Vec<PlaceId> = net.places().filter(|p| may_have[p.at()]).collect();
        let mut may_fire: Vec<bool> = missing.iter().map(|&missing| missing == 0).collect();
        for t in net.transitions().filter(|t| missing[t.at()] == 0) {
            for arc in net.outputs(t) {
                if !std::mem::replace(&mut may_have[arc.place.at()], true) {
                    left.push(arc.place);
                }
            }
        }
        while let Some(p) = left.pop() {
            for &t in &takers[p.at()] {
                missing[t.at()] -= 1;
                if missing[t.at()] > 0 {
                    continue;
                }
                may_fire[t.at()] = true;
                for arc in net.outputs(t) {
                    if !std::mem::replace(&mut may_have[arc.place.at()], true) {
                        left.push(arc.place);
                    }
                }
            }
        }
        let siphon = net.places().filter(|p| !may_have[p.at()]).collect();
        Self { net, takers, givers, may_fire, siphon }
    }

    /// A trap among these places that has a token at first, as small as leaving out one place after the other makes it.
    pub fn marked_trap(&self, among: Vec<bool>) -> Option<Vec<PlaceId>> {
        let mut trap = self.largest_trap(among);
        let is_marked = |trap: &[bool]| self.net.places().any(|p| trap[p.at()] && self.net.initial()[p.at()] > 0);
        if !is_marked(&trap) {
            return None;
        }
        let mut tries = MOST_LOOKED_AT / (self.net.num_arcs() + self.net.places().len() + 1);
        for p in self.net.places() {
            if trap[p.at()] && tries > 0 {
                tries -= 1;
                let mut without = trap.clone();
                without[p.at()] = false;
                let without = self.largest_trap(without);
                if is_marked(&without) {
                    trap = without;
                }
            }
        }
        Some(self.net.places().filter(|p| trap[p.at()]).collect())
    }

    /// The largest trap among these places.
    fn largest_trap(&self, mut inside: Vec<bool>) -> Vec<bool> {
        let gives = |t: TransitionId| self.net.outputs(t).iter().filter(|arc| inside[arc.place.at()]).count();
        let mut gives: Vec<usize> = self.net.transitions().map(gives).collect();
        let leaks = |p: PlaceId, gives: &[usize]| {
            self.takers[p.at()].iter().any(|t| self.may_fire[t.at()] && gives[t.at()] == 0)
        };
        let mut left: Vec<PlaceId> = self.net.places().filter(|&p| inside[p.at()] && leaks(p, &gives)).collect();
        left.iter().for_each(|p| inside[p.at()] = false);
        while let Some(p) = left.pop() {
            for &t in &self.givers[p.at()] {
                gives[t.at()] -= 1;
                if gives[t.at()] > 0 || !self.may_fire[t.at()] {
                    continue;
                }
                for arc in self.net.inputs(t) {
                    if std::mem::replace(&mut inside[arc.place.at()], false) {
                        left.push(arc.place);
                    }
                }
            }
        }
        inside
    }
}
