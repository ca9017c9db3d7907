//! Algorithm 1: words of one component after the other are selected, until they make a counterexample or nothing is left.

use super::abstraction::{Monitors, seen_through};
use super::check::Check;
use super::options::Options;
use super::order::{self, shortest_word};
use super::race::{Lane, Stop};
use super::{SUBSETS, restriction};
use crate::algo::equivalence::{Equivalence, minimise};
use crate::algo::explicit::Until;
use crate::algo::trim::trim;
use crate::engine::safety::Safety;
use crate::model::{Component, LabelId, Lts, StateId, Transition};
use std::rc::Rc;

/// What a search finds.
pub enum Outcome {
    /// Nothing bad can happen.
    Holds,
    /// A bad word of the whole system.
    Violated(Vec<LabelId>),
}

/// The restrictions of one component; `None` allows everything.
#[derive(Clone, Default)]
struct Restrictions {
    /// R: what is allowed in the context of the words selected before it.
    current: Option<Rc<Component>>,
    /// R0: what is allowed in every context; R falls back to it.
    persistent: Option<Rc<Component>>,
    /// Whether the component under R0 alone is known to do something bad.
    bad_alone: bool,
}

/// A search in one order.
pub struct Search<'a> {
    safety: &'a Safety,
    options: &'a Options,
    lane: &'a Lane<'a>,
    monitors: Monitors<'a>,
    /// Which part comes at which place.
    order: Vec<usize>,
    /// L: the selected words, by place, up to the place at hand.
    selected: Vec<Component>,
    /// By part.
    restrictions: Vec<Restrictions>,
    /// How often a selection at a place was rejected since its context changed.
    rejected: Vec<usize>,
}

impl<'a> Search<'a> {
    /// A search that starts in this order.
    pub fn new(safety: &'a Safety, options: &'a Options, order: Vec<usize>, lane: &'a Lane<'a>) -> Self {
        let parts = order.len();
        Self {
            safety,
            options,
            lane,
            monitors: Monitors::new(&safety.monitor),
            order,
            selected: Vec::new(),
            restrictions: vec![Restrictions::default(); parts],
            rejected: vec![0; parts],
        }
    }

    /// Algorithm 1.
    pub fn run(mut self) -> Result<Outcome, Stop> {
        let mut place = 0;
        loop {
            let space = self.check(place)?;
            if space.has_marked() {
                if place + 1 == self.order.len() {
                    return Ok(Outcome::Violated(word_of(&space)));
                }
                self.select(place, &space);
                place += 1;
                continue;
            }
            if place == 0 {
                return Ok(Outcome::Holds);
            }
            let Some((blamed, space)) = self.blame(place, space)? else { return Ok(Outcome::Holds) };
            self.reject(blamed, place, &space)?;
            self.go_back(blamed, place);
            place = blamed;
        }
    }

    fn part(&self, place: usize) -> &'a Component {
        &self.safety.parts[self.order[place]]
    }

    /// Check_i: can the words selected so far be extended by the component at this place?
    fn check(&mut self, place: usize) -> Result<Lts, Stop> {
        if self.options.abstract_first && place > 0 {
            let space = self.check_abstract(place)?;
            if !space.has_marked() {
                return Ok(space);
            }
        }
        // Enough partial selections: select everything, so that one more rejection is the last one in this context.
        let until = if self.rejected[place] >= self.options.budget { Until::Exhausted } else { Until::Marked };
        let restriction = self.restrictions[self.order[place]].current.clone();
        self.explore(&(0..place).collect::<Vec<_>>(), self.part(place), restriction.as_deref(), until)
    }

    /// Check^1: only what the earlier components and the property see of the component, and no restriction.
    fn check_abstract(&mut self, place: usize) -> Result<Lts, Stop> {
        let earlier = self.order[..place].iter().flat_map(|&c| self.safety.parts[c].alphabet());
        let mut visible: Vec<LabelId> = earlier.chain(self.safety.monitor.alphabet()).copied().collect();
        visible.sort_unstable();
        visible.dedup();
        let seen = seen_through(self.part(place), &visible);
        self.explore(&(0..place).collect::<Vec<_>>(), &seen, None, Until::Marked)
    }

    /// Explores a component beside the words selected at some places.
    fn explore(
        &mut self,
        places: &[usize],
        component: &Component,
        restriction: Option<&Component>,
        until: Until,
    ) -> Result<Lts, Stop> {
        self.lane.may_go_on()?;
        let selected: Vec<&Component> = places.iter().map(|&at| &self.selected[at]).collect();
        let monitor = self.monitors.seen_by(selected.iter().copied().chain([component]));
        let check = Check { selected, component, restriction, monitor: &monitor };
        check.explore(self.safety.labels, self.options.leave_out, until, self.lane)
    }

    /// As [`Search::explore`], with what holds of the component at `place` in every context.
    fn explore_persistent(&mut self, places: &[usize], place: usize) -> Result<Lts, Stop> {
        let restriction = self.restrictions[self.order[place]].persistent.clone();
        self.explore(places, self.part(place), restriction.as_deref(), Until::Marked)
    }

    /// Line 5: keeps the words of the component that the check accepted.
    fn select(&mut self, place: usize, space: &Lts) {
        let part = self.part(place);
        let words = accepted_words(space, part.alphabet());
        self.selected.truncate(place);
        self.selected.push(Component::with_alphabet(part.name.clone(), words, part.alphabet().iter().copied()));
        if self.options.select_next {
            order::select_next(&mut self.order[place + 1..], &self.safety.parts, &self.selected[place].lts);
        }
    }

    /// Line 10: the first place whose selection, together with those before it, makes the check at `place` fail, and the
    /// state space that shows it; none if the component cannot do anything bad even alone.
    ///
    /// Checks with fewer selections use R0: R was learned in the context of all of them.
    fn blame(&mut self, place: usize, failed: Lts) -> Result<Option<(usize, Lts)>, Stop> {
        let c = self.order[place];
        if self.options.check_alone && !self.restrictions[c].bad_alone {
            if !self.explore_persistent(&[], place)?.has_marked() {
                return Ok(None);
            }
            self.restrictions[c].bad_alone = true;
        }
        // Fewer selections allow more, so failure is monotone in their number. `shown` is the failure with `fails` of them.
        let (mut passes, mut fails, mut shown) = (1, place, failed);
        while passes < fails {
            let count = if self.options.bisect_blame { (passes + fails) / 2 } else { passes };
            let space = self.explore_persistent(&(0..count).collect::<Vec<_>>(), place)?;
            match space.has_marked() {
                true => passes = count + 1,
                false => (fails, shown) = (count, space),
            }
        }
        Ok(Some((fails - 1, shown)))
    }

    /// Line 11: rules out what was selected at `blamed`, and all else that `space` shows to be impossible.
    fn reject(&mut self, blamed: usize, place: usize, space: &Lts) -> Result<(), Stop> {
        let d = self.order[blamed];
        let learned = self.constraint(blamed, space);
        self.restrict(d, false, &learned);
        if blamed == 0 {
            // No context, so it holds in every one.
            self.restrict(d, true, &learned);
        } else if self.options.keep_constraints {
            // Check'': the same with this one selection alone.
            let space = self.explore_persistent(&[blamed], place)?;
            if !space.has_marked() {
                let learned = self.constraint(blamed, &space);
                self.restrict(d, false, &learned);
                self.restrict(d, true, &learned);
            }
        }
        let held = self.restrictions.iter().map(|r| r.current.as_ref().map_or(0, |r| r.lts.num_states() as u64));
        self.lane.holds(held.sum());
        Ok(())
    }

    fn constraint(&self, blamed: usize, space: &Lts) -> Lts {
        let selected = &self.selected[blamed];
        restriction::constraint(space, &selected.lts, selected.alphabet())
    }

    /// Adds a constraint to R, or to R0.
    fn restrict(&mut self, part: usize, persistent: bool, constraint: &Lts) {
        let Restrictions { current, persistent: kept, bad_alone } = &mut self.restrictions[part];
        let one = if persistent { kept } else { current };
        let lts = restriction::both(one.as_ref().map(|r| &r.lts), constraint);
        let alphabet = self.safety.parts[part].alphabet().iter().copied();
        *one = Some(Rc::new(Component::with_alphabet("restriction", lts, alphabet)));
        *bad_alone &= !persistent;
    }

    /// Lines 12 and 13: everything after `blamed` starts anew; who made the check fail may come right after it.
    fn go_back(&mut self, blamed: usize, place: usize) {
        for at in blamed + 1..self.order.len() {
            let restrictions = &mut self.restrictions[self.order[at]];
            restrictions.current = restrictions.persistent.clone();
            self.rejected[at] = 0;
        }
        self.rejected[blamed] += 1;
        if self.options.move_back {
            self.order[blamed + 1..=place].rotate_right(1);
        }
        self.selected.truncate(blamed);
    }
}

/// The words over some letters that lead to marked states of an explored space: a deterministic automaton.
fn accepted_words(space: &Lts, letters: &[LabelId]) -> Lts {
    let project = |l: LabelId| if letters.binary_search(&l).is_ok() { l } else { LabelId::TAU };
    let all = minimise(&trim(space).lts.relabelled(project), Equivalence::WeakTrace, Some(SUBSETS));
    // One word is enough for a selection where all of them are too many.
    all.unwrap_or_else(|_| {
        let word: Vec<LabelId> = word_of(space).into_iter().map(project).filter(|l| !l.is_tau()).collect();
        let steps = word.iter().enumerate().map(|(at, &l)| Transition::new(at as u32, l, at as u32 + 1)).collect();
        Lts::new(StateId(0), word.len() + 1, steps).with_marked([StateId::new(word.len())])
    })
}

/// A word that leads to a marked state, without taus.
fn word_of(space: &Lts) -> Vec<LabelId> {
    let path = shortest_word(space).expect("a space with a marked state");
    path.into_iter().filter(|l| !l.is_tau()).collect()
}
