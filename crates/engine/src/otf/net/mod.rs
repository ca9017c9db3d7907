//! `otf` on a Petri net.
//!
//! Markings are packed with as many bits for a place as walks have seen tokens there. A search that outgrows them starts again
//! with more bits for the place that did. Where that place turns out to be unbounded the search goes on all the same, for a
//! while: what is looked for may be near.

mod marking;
mod space;
mod stubborn;

use super::{Expansion, Otf, Space, Stop, search};
use crate::petri::structural::is_bounded;
use marking::{WIDEST, width};
use prequel_model::rng::Rng;
use prequel_model::run::Run;
use prequel_model::{Condition, Net, NetQuery, PlaceId, TransitionId, Why};
use prequel_net::pump;
use prequel_net::pump::Pump;
pub(super) use space::NetSpace;

/// Markings of a net that is known to be unbounded, unless a limit says otherwise.
const MOST_OF_INFINITE: u64 = 1 << 18;
/// Bits of a place that outgrew its own in such a net: nothing is learnt from few.
const MANY_BITS: u32 = 8;
/// Markings in which stubborn sets are looked at to find out whether they pay.
const SAMPLE: usize = 1 << 9;
/// They do not where they hold so many of 100 transitions that can fire.
const WORTHWHILE: usize = 95;
/// A place that outgrows so many bits is looked at once more.
const VERY_MANY_BITS: u32 = 16;

/// What became of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// These transitions, fired in order, lead to a marking that satisfies the condition.
    Found(Vec<TransitionId>),
    /// No reachable marking satisfies it.
    Absent,
    /// The search did not come to an end.
    Unknown(Why),
}

/// Searches the reachable markings for one that satisfies the query's condition.
pub fn explore(net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
    Explorer::new(net, run.seed).explore(query, how, run)
}

/// Searches a net more than once: what it learnt about the numbers of tokens is kept.
#[derive(Debug)]
pub struct Explorer<'a> {
    net: &'a Net,
    /// Bits of each place.
    widths: Vec<u32>,
    /// A sequence that can be repeated for ever, once it was looked for.
    pump: Option<Option<Pump>>,
}

impl<'a> Explorer<'a> {
    /// Of a net; the seed is that of the walks which tell how many tokens to expect.
    pub fn new(net: &'a Net, seed: u64) -> Self {
        Self { net, widths: first_widths(net, seed), pump: None }
    }

    /// Searches the reachable markings for one that satisfies the query's condition.
    pub fn explore(&mut self, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
        let net = self.net;
        let condition = query.condition();
        if let NetQuery::Initially(condition) = query {
            let holds = condition.holds(net, &|p: PlaceId| net.initial()[p.at()]);
            return if holds { Outcome::Found(Vec::new()) } else { Outcome::Absent };
        }
        loop {
            let space = NetSpace::new(net, &self.widths, condition, how.reduce);
            let before = run.effort();
            let place = match search(&space, how.search, run) {
                Err(Stop::Outgrown) => space.outgrown(),
                ended => return outcome(&space, ended),
            };
            run.set_back(&before);
            match self.widen(place, run) {
                Ok(()) => {}
                Err(Narrow::Unbounded(why)) => {
                    return among_infinitely_many(net, query, how, self.widths.clone(), &why, run);
                }
                Err(Narrow::Refused(why)) => return Outcome::Unknown(Why::Refused(why)),
            }
            if let Err(why) = run.allowed() {
                return Outcome::Unknown(why);
            }
        }
    }

    /// Does something with all markings, in fields that hold as much as turns out to be needed: it gives nothing where they do not.
    pub(super) fn with_room<T>(
        &mut self,
        run: &Run,
        mut search: impl FnMut(&NetSpace<'_>) -> Option<T>,
    ) -> Result<T, Why> {
        loop {
            let space = NetSpace::new(self.net, &self.widths, &Condition::Dead, false);
            let before = run.effort();
            if let Some(found) = search(&space) {
                return Ok(found);
            }
            run.set_back(&before);
            self.widen(space.outgrown(), run).map_err(|narrow| match narrow {
                Narrow::Unbounded(why) => Why::Incomplete(why),
                Narrow::Refused(why) => Why::Refused(why),
            })?;
            run.allowed()?;
        }
    }

    /// Whether stubborn sets leave out enough to be worth their while: so it is along a walk. The order of a search must not
    /// matter for what it looks at, so this is asked before it.
    pub fn is_reduced(&self, query: &NetQuery, seed: u64) -> bool {
        let space = NetSpace::new(self.net, &self.widths, query.condition(), true);
        let (mut scratch, mut rng) = (space.scratch(), Rng::new(seed));
        let (mut state, mut successors) = (space.initial(), Vec::new());
        let (mut chosen, mut all) = (0, 0);
        for _ in 0..SAMPLE {
            successors.clear();
            let expansion = space.successors(&state, &mut scratch, &mut successors);
            space.candidates(&state, |t| all += usize::from(space.enabled(t, &state)));
            let count = successors.len() / space.words();
            chosen += count;
            state = match expansion {
                Expansion::Complete if count > 0 => {
                    let at = rng.below(count) * space.words();
                    successors[at..at + space.words()].to_vec()
                }
                _ => space.initial(),
            };
        }
        chosen * 100 < all * WORTHWHILE
    }

    /// More bits for a place, or why there is no point in them.
    fn widen(&mut self, place: PlaceId, run: &Run) -> Result<(), Narrow> {
        let name = self.net.place(place);
        if is_said_to_be_safe(self.net) {
            let why = format!("place `{name}` gets a second token, but the NUPN section says that the net is safe");
            return Err(Narrow::Refused(why));
        }
        let net = self.net;
        if let Some(found) = self.pump(place, run) {
            return Err(Narrow::Unbounded(found.words(net)));
        }
        let bits = &mut self.widths[place.at()];
        if *bits == WIDEST {
            return Err(Narrow::Refused(format!("place `{name}` gets more than {} tokens", u32::MAX)));
        }
        *bits = (*bits * 2).min(WIDEST);
        Ok(())
    }

    /// A sequence that can be repeated for ever. It is looked for once, and again for a place with very many tokens, unless an
    /// invariant bounds the place.
    fn pump(&mut self, place: PlaceId, run: &Run) -> Option<&Pump> {
        let is_known = match &self.pump {
            None => false,
            Some(None) => self.widths[place.at()] < VERY_MANY_BITS,
            Some(Some(_)) => true,
        };
        if !is_known && !is_bounded(self.net, place, &run.watch()) {
            self.pump = Some(pump::find(self.net, place, &run.watch()));
        }
        self.pump.as_ref()?.as_ref()
    }
}

/// Searches a net that is unbounded, as `why` says, for a while.
fn among_infinitely_many(net: &Net, query: &NetQuery, how: Otf, mut widths: Vec<u32>, why: &str, run: &Run) -> Outcome {
    loop {
        let space = NetSpace::new(net, &widths, query.condition(), how.reduce);
        let mut bounded = run.again();
        bounded.limits.states.get_or_insert(MOST_OF_INFINITE);
        let found = search(&space, how.search, &bounded);
        match found {
            Err(Stop::Outgrown) if widths[space.outgrown().at()] < WIDEST && bounded.allowed().is_ok() => {
                let bits = &mut widths[space.outgrown().at()];
                *bits = (*bits * 2).max(MANY_BITS);
            }
            Err(_) => {
                run.add(&bounded.effort());
                let incomplete = || Why::Incomplete(why.to_owned());
                return Outcome::Unknown(run.allowed().err().unwrap_or_else(incomplete));
            }
            // Stubborn sets may be few where there are infinitely many markings.
            Ok(_) => {
                run.add(&bounded.effort());
                return outcome(&space, found);
            }
        }
    }
}

fn outcome(space: &NetSpace, ended: Result<Option<Vec<Vec<u64>>>, Stop>) -> Outcome {
    match ended {
        Ok(None) => Outcome::Absent,
        Ok(Some(path)) => Outcome::Found(space.fired(&path)),
        Err(Stop::Limit(why)) => Outcome::Unknown(why),
        Err(Stop::Outgrown) => unreachable!("a search that outgrew its markings starts again"),
    }
}

/// Whether the file says that no place gets a second token.
fn is_said_to_be_safe(net: &Net) -> bool {
    net.units().is_some_and(|units| units.safe)
}

fn first_widths(net: &Net, seed: u64) -> Vec<u32> {
    if is_said_to_be_safe(net) {
        return net.initial().iter().map(|&tokens| width(tokens)).collect();
    }
    pump::most_seen(net, seed).into_iter().map(width).collect()
}

/// Why a place gets no more bits.
enum Narrow {
    /// It would need ever more.
    Unbounded(String),
    /// Numbers end here, or the file says that it needs none.
    Refused(String),
}
