//! Sets of places that hold at most one token together, and bounds for the places that are in none.
//!
//! A set to which no transition gives more than it takes never gains tokens. Such a set is grown from one place: where a
//! transition gives too much, one of the places that it takes from must come in; which one is tried in order, with a budget.
//! First sets are tried that also lose nothing, since those are whole state machines.

use crate::pump;
use prequel_model::watch::{Pace, Watch};
use prequel_model::{Arc, Net, PlaceId, TransitionId, Why};
use rustc_hash::FxHashSet;

/// What becomes one component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Set {
    /// Places with at most one token together.
    OneToken {
        /// What it is called.
        name: String,
        /// The places.
        places: Vec<PlaceId>,
        /// Shown by counting arcs; otherwise the file says so.
        shown: bool,
    },
    /// A place with at most so many tokens.
    Counter(PlaceId, u32),
}

/// How many components were found in which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Method {
    /// Units of the file.
    pub units: usize,
    /// Of these, how many are not shown to hold one token by counting arcs.
    pub certified: usize,
    /// Sets that were found.
    pub invariants: usize,
    /// Places by themselves.
    pub counters: usize,
}

/// Why a net is not split.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoBound(String);

impl NoBound {
    /// Nobody knows: a limit was reached.
    pub fn stopped(why: Why) -> Self {
        Self(why.to_string())
    }
}

/// Places tried while one set is grown.
const SET_TRIES: usize = 20_000;
/// Places tried for all sets together.
const ALL_TRIES: usize = 20_000_000;
/// Markings that are looked at to find bounds.
const MARKINGS: usize = 100_000;
/// States that one counter may have.
const LARGEST_COUNTER: u32 = 1 << 16;

/// Finds what becomes components; each place is in one of them.
pub fn find(net: &Net, watch: &Watch) -> Result<(Vec<Set>, Method), NoBound> {
    let arcs = Arcs::new(net);
    let mut method = Method::default();
    if let Some(units) = net.units().filter(|units| units.safe) {
        let mut places = vec![Vec::new(); units.names.len()];
        net.places().for_each(|p| places[units.of_place[p.at()] as usize].push(p));
        let sets: Vec<Set> = places
            .into_iter()
            .zip(&units.names)
            .filter(|(places, _)| !places.is_empty())
            .map(|(places, name)| {
                let shown = never_gains(net, &arcs, &places);
                method.units += 1;
                method.certified += usize::from(!shown);
                Set::OneToken { name: name.to_string(), places, shown }
            })
            .collect();
        return Ok((sets, method));
    }
    let mut search = Search::new(net, &arcs, watch);
    let mut sets = Vec::new();
    // Marked places first: each starts a state machine of its own.
    let by_tokens = |marked: bool| net.places().filter(move |p| (net.initial()[p.at()] > 0) == marked);
    for start in by_tokens(true).chain(by_tokens(false)) {
        if search.covered[start.at()] || net.initial()[start.at()] > 1 {
            continue;
        }
        let found = search.grow(start, true, Some(1)).or_else(|| search.grow(start, false, Some(1)));
        let Some(mut places) = found else { continue };
        places.retain(|p| !search.covered[p.at()]);
        places.iter().for_each(|p| search.covered[p.at()] = true);
        places.sort_unstable();
        let first = places.iter().find(|p| net.initial()[p.at()] > 0).unwrap_or(&start);
        sets.push(Set::OneToken { name: net.place(*first).into(), places, shown: true });
        method.invariants += 1;
    }
    let mut bounds: Option<Vec<u32>> = None;
    for place in net.places() {
        if search.covered[place.at()] {
            continue;
        }
        let total = |places: Vec<PlaceId>| {
            let sum: u64 = places.iter().map(|p| u64::from(net.initial()[p.at()])).sum();
            u32::try_from(sum).unwrap_or(u32::MAX)
        };
        let by_set = search.grow(place, true, None).or_else(|| search.grow(place, false, None)).map(total);
        let bound = match by_set {
            Some(bound) => bound,
            None => {
                if bounds.is_none() {
                    bounds = Some(all_bounds(net, place, watch)?);
                }
                bounds.as_ref().expect("just found")[place.at()]
            }
        };
        if bound > LARGEST_COUNTER {
            return Err(NoBound(format!(
                "place `{}` may hold {bound} tokens: too many states for one component",
                net.place(place)
            )));
        }
        sets.push(Set::Counter(place, bound));
        method.counters += 1;
    }
    Ok((sets, method))
}

/// The most tokens of each place over all reachable markings, if they are few enough to look at.
fn all_bounds(net: &Net, place: PlaceId, watch: &Watch) -> Result<Vec<u32>, NoBound> {
    let mut most = net.initial().to_vec();
    let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
    seen.insert(net.initial().into());
    let mut left: Vec<Box<[u32]>> = vec![net.initial().into()];
    let mut pace = watch.pace();
    while let Some(marking) = left.pop() {
        pace.steps(net.places().len() + net.transitions().len()).map_err(NoBound::stopped)?;
        for t in net.transitions().filter(|&t| net.enabled(&|p: PlaceId| marking[p.at()], t)) {
            let mut next = marking.clone();
            let fits = net.fire(&mut next, t).is_ok();
            if fits && seen.contains(&next) {
                continue;
            }
            if !fits || seen.len() == MARKINGS {
                return Err(NoBound(match pump::find(net, place, watch) {
                    Some(pump) => pump.words(net),
                    None => format!("no bound was found for the tokens of place `{}`", net.place(place)),
                }));
            }
            most.iter_mut().zip(&next).for_each(|(most, &tokens)| *most = (*most).max(tokens));
            seen.insert(next.clone());
            left.push(next);
        }
    }
    Ok(most)
}

/// For each place the transitions that give to it, and those that take from it.
struct Arcs {
    givers: Vec<Vec<TransitionId>>,
    takers: Vec<Vec<TransitionId>>,
}

impl Arcs {
    fn new(net: &Net) -> Self {
        Self { givers: net.by_place(Net::outputs), takers: net.by_place(Net::inputs) }
    }
}

/// Whether places have one token at most at first, and no transition gives them more than it takes, unless it takes two.
fn never_gains(net: &Net, arcs: &Arcs, places: &[PlaceId]) -> bool {
    let tokens: u64 = places.iter().map(|p| u64::from(net.initial()[p.at()])).sum();
    let inside = |arc: &&Arc| places.binary_search(&arc.place).is_ok();
    let weight = |arcs: &[Arc]| arcs.iter().filter(inside).map(|arc| u64::from(arc.weight)).sum::<u64>();
    let fine = |&t: &TransitionId| {
        let taken = weight(net.inputs(t));
        taken > 1 || weight(net.outputs(t)) <= taken
    };
    tokens <= 1 && places.iter().flat_map(|p| &arcs.givers[p.at()]).all(fine)
}

/// The search for sets.
struct Search<'n> {
    net: &'n Net,
    arcs: &'n Arcs,
    /// Places that are in a component already: they come into sets last.
    covered: Vec<bool>,
    inside: Vec<bool>,
    /// What each transition takes from the set, and gives to it.
    taken: Vec<u64>,
    given: Vec<u64>,
    left: usize,
    pace: Pace<'n>,
}

/// A place at which the search can go on differently.
struct Choice {
    /// How many places the set had.
    size: usize,
    /// Which of them was looked at.
    cursor: usize,
    /// What else could come in, the next last.
    others: Vec<PlaceId>,
}

impl<'n> Search<'n> {
    fn new(net: &'n Net, arcs: &'n Arcs, watch: &'n Watch) -> Self {
        let (places, transitions) = (net.places().len(), net.transitions().len());
        Self {
            net,
            arcs,
            covered: vec![false; places],
            inside: vec![false; places],
            taken: vec![0; transitions],
            given: vec![0; transitions],
            left: ALL_TRIES,
            pace: watch.pace(),
        }
    }

    fn put(&mut self, p: PlaceId, sign: bool) {
        self.inside[p.at()] = sign;
        let weight = |arcs: &[Arc]| {
            let at = arcs.binary_search_by_key(&p, |arc| arc.place).expect("it is linked with the place");
            u64::from(arcs[at].weight)
        };
        for &t in &self.arcs.takers[p.at()] {
            let weight = weight(self.net.inputs(t));
            let slot = &mut self.taken[t.at()];
            *slot = if sign { *slot + weight } else { *slot - weight };
        }
        for &t in &self.arcs.givers[p.at()] {
            let weight = weight(self.net.outputs(t));
            let slot = &mut self.given[t.at()];
            *slot = if sign { *slot + weight } else { *slot - weight };
        }
    }

    /// A set with this place that never gains tokens, and, if `exact`, never loses any; with so many tokens at most.
    fn grow(&mut self, start: PlaceId, exact: bool, most: Option<u64>) -> Option<Vec<PlaceId>> {
        let mut set = vec![start];
        self.put(start, true);
        let mut tokens = u64::from(self.net.initial()[start.at()]);
        let mut choices: Vec<Choice> = Vec::new();
        let (mut cursor, mut tries) = (0, 0);
        let found = 'search: loop {
            let Some(&place) = set.get(cursor) else { break 'search true };
            let Some((t, gains)) = self.unbalanced(place, exact, most) else {
                cursor += 1;
                continue;
            };
            let wanted = if gains { self.net.inputs(t) } else { self.net.outputs(t) };
            let mut others: Vec<PlaceId> =
                wanted.iter().map(|arc| arc.place).filter(|p| !self.inside[p.at()]).collect();
            others.sort_by_key(|p| (!self.covered[p.at()], std::cmp::Reverse(*p)));
            choices.push(Choice { size: set.len(), cursor, others });
            // The next of the last choice that has one.
            loop {
                tries += 1;
                if tries > SET_TRIES || self.left == 0 || self.pace.steps(set.len()).is_err() {
                    break 'search false;
                }
                self.left -= 1;
                let Some(choice) = choices.last_mut() else { break 'search false };
                for p in set.drain(choice.size..) {
                    tokens -= u64::from(self.net.initial()[p.at()]);
                    self.put(p, false);
                }
                cursor = choice.cursor;
                match choice.others.pop() {
                    Some(p) => {
                        let more = tokens + u64::from(self.net.initial()[p.at()]);
                        if most.is_none_or(|most| more <= most) {
                            tokens = more;
                            set.push(p);
                            self.put(p, true);
                            break;
                        }
                    }
                    None => drop(choices.pop()),
                }
            }
        };
        set.iter().for_each(|&p| self.put(p, false));
        found.then_some(set)
    }

    /// A transition at a place that gives the set more than it takes, or, if `exact`, the other way round.
    fn unbalanced(&self, place: PlaceId, exact: bool, most: Option<u64>) -> Option<(TransitionId, bool)> {
        // What takes more than there is never fires.
        let fires = |t: &&TransitionId| most.is_none_or(|most| self.taken[t.at()] <= most);
        let gains = |t: &&TransitionId| self.given[t.at()] > self.taken[t.at()];
        let loses = |t: &&TransitionId| self.given[t.at()] < self.taken[t.at()];
        let giver = self.arcs.givers[place.at()].iter().filter(fires).find(gains).map(|&t| (t, true));
        let taker = || self.arcs.takers[place.at()].iter().filter(fires).find(loses).map(|&t| (t, false));
        giver.or_else(|| if exact { taker() } else { None })
    }
}
