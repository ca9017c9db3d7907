//! The AIP assembly plant: `aip`, the rows AIP of Table I.
//!
//! R. Leduc, M. Lawford, P. Dai: *Hierarchical interface-based supervisory control of a flexible manufacturing system* (2006). Pallets go
//! round on a loop. Material one is worked on at station 1 and then at station 2, material two the other way round; station 3 does what
//! the others failed to do.
//!
//! | part | what it does |
//! | --- | --- |
//! | `io` | lets raw pallets in, of any material, and finished ones out |
//! | `turn`1 to `turn`4 | transport units: one pallet each; they pass it on round the loop, or to the station beside them (the first three), or out (the last) |
//! | `station`1 to `station`3 | one pallet each; work on it, which may fail, and give it back |
//!
//! A pallet has a material and a route: the stations' work so far. Properties of a loop: no pallet of material one leaves with the
//! route 2, or 2 and 1; none of material two with 1, or 1 and 2. So the routes are opposite. The table has 8n components and 2n
//! properties: n loops. Chosen: loops in a row, what leaves one is raw material of the next; who moves is free.

use super::BooleanSystem;
use super::draft::{Draft, Of};
use prequel_model::{Lit, Word};

/// Routes so far: nothing, and the stations in their order.
const ROUTES: [&str; 5] = ["raw", "s1", "s2", "s1s2", "s2s1"];
const RAW: usize = 0;

/// A place for a pallet.
struct Place {
    of: Of,
    material: Word,
    route: Word,
    go: Lit,
}

impl Place {
    fn new(draft: &mut Draft, name: String) -> Self {
        let of = draft.part(name);
        let material = draft.names(of, "material", &["none", "one", "two"]);
        Self { of, material, route: draft.names(of, "route", &ROUTES), go: draft.free(of, "go") }
    }

    fn empty(&self, draft: &mut Draft) -> Lit {
        draft.is(&self.material, 0)
    }

    /// That it has a pallet of a material with a route.
    fn has(&self, draft: &mut Draft, material: usize, route: usize) -> Lit {
        let (is, so_far) = (draft.is(&self.material, material), draft.is(&self.route, route));
        draft.all([is, so_far])
    }

    /// That it has something and wants to go on.
    fn goes(&self, draft: &mut Draft) -> Lit {
        let empty = self.empty(draft);
        draft.all([!empty, self.go])
    }

    /// How it changes: pallets that come from other places, then whether its own leaves.
    fn changes(&self, draft: &mut Draft, comes: &[(Lit, &Place)], leaves: Lit) {
        let none = vec![Lit::FALSE; self.material.bits.len()];
        let mut material: Vec<(Lit, Vec<Lit>)> = Vec::new();
        let mut route = Vec::new();
        for (when, from) in comes {
            material.push((*when, draft.bits(&from.material)));
            route.push((*when, draft.bits(&from.route)));
        }
        material.push((leaves, none));
        route.push((leaves, vec![Lit::FALSE; self.route.bits.len()]));
        draft.moves(self.of, &self.material, &material);
        draft.moves(self.of, &self.route, &route);
    }
}

struct Station {
    place: Place,
    /// Whether it has worked on its pallet.
    over: Word,
    fails: Lit,
}

/// A loop with its stations.
struct Loop {
    /// What leaves.
    out: Place,
    /// The material that comes in, where no loop is before this one.
    second: Lit,
    turns: Vec<Place>,
    stations: Vec<Station>,
}

impl Loop {
    fn new(draft: &mut Draft, number: usize) -> Self {
        let out = Place::new(draft, format!("io{number}"));
        let second = draft.free(out.of, "second");
        let turns = (1..=4).map(|at| Place::new(draft, format!("turn{number}.{at}"))).collect();
        let stations = (1..=3)
            .map(|at| {
                let place = Place::new(draft, format!("station{number}.{at}"));
                let over = draft.truth(place.of, "over", false);
                let fails = draft.free(place.of, "fails");
                Station { place, over, fails }
            })
            .collect();
        Self { out, second, turns, stations }
    }

    /// The pallets that a station works on, and what becomes of their route.
    fn work(station: usize) -> &'static [(usize, usize, usize)] {
        match station {
            0 => &[(1, 0, 1), (2, 2, 4)],
            1 => &[(2, 0, 2), (1, 1, 3)],
            _ => &[(1, 0, 1), (1, 1, 3), (2, 0, 2), (2, 2, 4)],
        }
    }

    /// How it changes; `before` is the place from which pallets come, and the result says when one of its own may be taken.
    fn rules(&self, draft: &mut Draft, before: Option<&Place>, taken: Option<Lit>) -> Lit {
        let mut back = Vec::new();
        let mut aside = Vec::new();
        let mut wanted = Vec::new();
        for (at, station) in self.stations.iter().enumerate() {
            let turn = &self.turns[at];
            let (goes, over, room) = (station.place.goes(draft), draft.is(&station.over, 1), turn.empty(draft));
            back.push(draft.all([goes, over, room]));
            let fit: Vec<Lit> = Self::work(at).iter().map(|&(m, r, _)| turn.has(draft, m, r)).collect();
            let fits = draft.any(fit);
            let (goes, room) = (turn.goes(draft), station.place.empty(draft));
            wanted.push(fits);
            aside.push(draft.all([goes, fits, room]));
        }
        let mut on = Vec::new();
        for (at, &wanted) in wanted.iter().enumerate() {
            let (goes, room) = (self.turns[at].goes(draft), self.turns[at + 1].empty(draft));
            let crossed = back.get(at + 1).copied().unwrap_or(Lit::FALSE);
            on.push(draft.all([goes, !wanted, room, !crossed]));
        }
        let last = &self.turns[3];
        let finished: Vec<Lit> = [3, 4].map(|route| draft.is(&last.route, route)).to_vec();
        let (finished, goes) = (draft.any(finished), last.goes(draft));
        let room = self.out.empty(draft);
        let out = draft.all([goes, finished, room]);
        let room = self.turns[0].empty(draft);
        let round = draft.all([goes, !finished, room, !back[0]]);
        // A pallet comes in where nothing else comes.
        let there = before.map_or(Lit::TRUE, |before| !before.empty(draft));
        let enters = draft.all([self.turns[0].go, room, !back[0], !round, there]);
        let leaves = taken.unwrap_or_else(|| self.out.goes(draft));
        self.out.changes(draft, &[(out, last)], leaves);
        self.enter(draft, before, enters, (back[0], round), (aside[0], on[0]));
        for at in 1..4 {
            let mut comes = vec![(on[at - 1], &self.turns[at - 1])];
            let gone = if at < 3 {
                comes.push((back[at], &self.stations[at].place));
                let mut parts = vec![aside[at]];
                parts.extend(on.get(at));
                draft.any(parts)
            } else {
                draft.any([out, round])
            };
            self.turns[at].changes(draft, &comes, gone);
        }
        for (at, station) in self.stations.iter().enumerate() {
            station.rules(draft, at, (aside[at], &self.turns[at]), back[at]);
        }
        enters
    }

    /// How the first transport unit changes: the only one that raw pallets come to.
    fn enter(
        &self,
        draft: &mut Draft,
        before: Option<&Place>,
        enters: Lit,
        (back, round): (Lit, Lit),
        (aside, on): (Lit, Lit),
    ) {
        let first = &self.turns[0];
        let (station, last) = (&self.stations[0].place, &self.turns[3]);
        let raw = match before {
            Some(before) => draft.bits(&before.material),
            None => vec![!self.second, self.second],
        };
        let none = |word: &Word| vec![Lit::FALSE; word.bits.len()];
        let gone = draft.any([aside, on]);
        let material = [
            (back, draft.bits(&station.material)),
            (round, draft.bits(&last.material)),
            (enters, raw),
            (gone, none(&first.material)),
        ];
        let route = [
            (back, draft.bits(&station.route)),
            (round, draft.bits(&last.route)),
            (draft.any([enters, gone]), none(&first.route)),
        ];
        draft.moves(first.of, &first.material, &material);
        draft.moves(first.of, &first.route, &route);
    }
}

impl Station {
    fn rules(&self, draft: &mut Draft, number: usize, (comes, from): (Lit, &Place), back: Lit) {
        let Place { of, material, route, .. } = &self.place;
        let (goes, over) = (self.place.goes(draft), draft.is(&self.over, 1));
        let works = draft.all([goes, !over]);
        draft.next(*of, &self.over, &[(works, 1), (back, 0)]);
        let (arrives, none) = (draft.bits(&from.material), vec![Lit::FALSE; material.bits.len()]);
        draft.moves(*of, material, &[(comes, arrives), (back, none)]);
        let constant = |value: usize, word: &Word| {
            (0..word.bits.len()).map(|bit| if value >> bit & 1 == 1 { Lit::TRUE } else { Lit::FALSE }).collect()
        };
        let mut cases = vec![(comes, draft.bits(&from.route)), (back, constant(RAW, route))];
        for &(of_material, before, after) in Loop::work(number) {
            let has = self.place.has(draft, of_material, before);
            cases.push((draft.all([works, has, !self.fails]), constant(after, route)));
        }
        draft.moves(*of, route, &cases);
    }
}

/// `size` loops.
pub fn loops(size: usize) -> BooleanSystem {
    let mut draft = Draft::default();
    let all: Vec<Loop> = (0..size).map(|number| Loop::new(&mut draft, number)).collect();
    // Backwards: what enters a loop leaves the one before it.
    let mut taken = None;
    for at in (0..size).rev() {
        let before = at.checked_sub(1).map(|before| &all[before].out);
        taken = Some(all[at].rules(&mut draft, before, taken));
    }
    for (number, one) in all.iter().enumerate() {
        for (material, wrong) in [(1, [2, 4]), (2, [1, 3])] {
            let wrong: Vec<Lit> = wrong.map(|route| one.out.has(&mut draft, material, route)).to_vec();
            let bad = draft.any(wrong);
            draft.never(format!("loop {number}: material {material} has not gone the other's way"), bad);
        }
    }
    draft.finish()
}
