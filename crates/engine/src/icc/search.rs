//! Algorithm 1: words of one component after the other are selected, until they make a counterexample or nothing is left.

use super::abstraction::{Monitors, deterministic, seen_through};
use super::check::{Check, Shown};
use super::context::{self, Group};
use super::options::Options;
use super::order::{self, shortest_word};
use super::restriction;
use super::reuse::{Explored, Made};
use crate::algo::explicit::Until;
use crate::algo::trim::trim;
use crate::race::{Lane, Stop};
use crate::safety::{Derived, Safety};
use prequel_model::{Component, Derivation, Ground, LabelId, Lts, Premise, StateId, Transition};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a search finds.
pub enum Outcome {
    /// Nothing bad can happen; with the proof, if it was asked for.
    Holds(Option<Box<Derivation>>),
    /// A bad word of the whole system.
    Violated(Vec<LabelId>),
}

/// An automaton, and the step of the derivation that is about it.
#[derive(Clone)]
struct Noted {
    automaton: Rc<Component>,
    step: usize,
}

impl Noted {
    fn shown(&self) -> Shown<'_> {
        (&self.automaton, self.step)
    }
}

/// The restrictions of one component; `None` allows everything.
#[derive(Clone, Default)]
struct Restrictions {
    /// R: what is allowed in the context of the words selected before it.
    current: Option<Noted>,
    /// R0: what is allowed in every context; R falls back to it.
    persistent: Option<Noted>,
    /// Whether the component under R0 alone is known to do something bad.
    bad_alone: bool,
    /// Where all that the component can do was rejected in the present context, the step that says so.
    exhausted: Option<usize>,
}

/// What a check has explored, and the steps that it was made from.
#[derive(Clone)]
struct Space {
    lts: Rc<Lts>,
    made_from: Vec<usize>,
}

/// L: the words that were selected of a component.
struct Selection {
    words: Noted,
    /// Whether these are all words of the component.
    whole: bool,
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
    selected: Vec<Selection>,
    /// The selections before a place put together, as far as that was asked for.
    contexts: Vec<Vec<Rc<Group>>>,
    /// By part.
    restrictions: Vec<Restrictions>,
    /// How often a selection at a place was rejected since its context changed.
    rejected: Vec<usize>,
    explored: Explored,
    derived: Derived,
    /// The steps about the property as some components see it.
    monitor_steps: FxHashMap<*const Component, usize>,
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
            contexts: Vec::new(),
            restrictions: vec![Restrictions::default(); parts],
            rejected: vec![0; parts],
            explored: Explored::new(parts, options.reuse),
            derived: Derived::of(safety, lane.proves()),
            monitor_steps: FxHashMap::default(),
        }
    }

    /// Algorithm 1.
    pub fn run(&mut self) -> Result<Outcome, Stop> {
        let mut place = 0;
        loop {
            let failed = match self.restrictions[self.order[place]].exhausted {
                Some(step) => Err(step),
                None => Ok(self.check(place)?),
            };
            if let Some(space) = failed.as_ref().ok().filter(|space| space.lts.has_marked()) {
                if place + 1 == self.order.len() {
                    return Ok(Outcome::Violated(self.found(place, &space.lts)));
                }
                self.select(place, &space.lts)?;
                place += 1;
                continue;
            }
            // Nothing is left of the first component, or of any when everything was selected of all before it.
            if self.selected.iter().all(|selection| selection.whole) {
                return Ok(match failed {
                    Ok(space) => self.holds(&space.made_from),
                    Err(step) => self.holds(&[step]),
                });
            }
            let blamed = match failed {
                Ok(space) => self.blame(place, space)?,
                // In this context the check had passed, and so would all with fewer selections.
                Err(step) => Blamed::Place(place - 1, Err(step)),
            };
            let (blamed, why) = match blamed {
                Blamed::Place(blamed, why) => (blamed, why),
                Blamed::Nobody(alone) => return Ok(self.holds(&alone.made_from)),
            };
            if let Left::Nothing(space) = self.reject(blamed, place, &why)? {
                return Ok(self.holds(&space.made_from));
            }
            self.go_back(blamed, place);
            place = blamed;
        }
    }

    /// That nothing bad can happen, since these are never marked together.
    fn holds(&mut self, last: &[usize]) -> Outcome {
        Outcome::Holds(self.derived.ended(last.iter().copied()).map(Box::new))
    }

    /// The bad word that the last check has found; its words are selected too.
    fn found(&mut self, place: usize, space: &Lts) -> Vec<LabelId> {
        let words = accepted_words(space, self.part(place).alphabet());
        self.keep(place, words, false);
        let groups = self.contexts.get(place.saturating_sub(1)).map_or(&[][..], |groups| groups);
        context::tell(groups, word_of(space))
    }

    fn part(&self, place: usize) -> &'a Component {
        &self.safety.parts[self.order[place]]
    }

    /// Check_i: can the words selected so far be extended by the component at this place?
    fn check(&mut self, place: usize) -> Result<Space, Stop> {
        if self.options.abstract_first && place > 0 {
            let space = self.check_abstract(place)?;
            if !space.lts.has_marked() {
                return Ok(space);
            }
        }
        let until = if self.is_spent(place) && !self.options.whole { Until::Exhausted } else { Until::Marked };
        self.check_until(place, until)
    }

    fn check_until(&mut self, place: usize, until: Until) -> Result<Space, Stop> {
        let restriction = self.restrictions[self.order[place]].current.clone();
        self.explore(Beside::First(place), place, None, restriction, until)
    }

    /// Enough partial selections: everything is to be selected, so that one more rejection is the last one in this context.
    fn is_spent(&self, place: usize) -> bool {
        let patience = self.options.patience.saturating_mul(self.order.len() as u64);
        self.rejected[place] >= self.options.budget || self.lane.checks() > patience
    }

    /// Check^1: only what the earlier components and the property see of the component, and no restriction.
    fn check_abstract(&mut self, place: usize) -> Result<Space, Stop> {
        let earlier = self.order[..place].iter().flat_map(|&c| self.safety.parts[c].alphabet());
        let mut visible: Vec<LabelId> = earlier.chain(self.safety.monitor.alphabet()).copied().collect();
        visible.sort_unstable();
        visible.dedup();
        let seen = seen_through(self.part(place), &visible);
        self.explore(Beside::First(place), place, Some(&seen), None, Until::Marked)
    }

    /// Explores the component at a place, or what is seen of it, beside selected words, unless that was done before.
    fn explore(
        &mut self,
        beside: Beside,
        place: usize,
        seen: Option<&Component>,
        restriction: Option<Noted>,
        until: Until,
    ) -> Result<Space, Stop> {
        self.lane.may_go_on()?;
        let (first, last) = match beside {
            Beside::First(0) => (0, None),
            Beside::First(count) => (count - 1, Some(count - 1)),
            Beside::Only(place) => (0, Some(place)),
        };
        let words = self.selected[..first].iter().chain(last.map(|at| &self.selected[at])).map(|s| &s.words.automaton);
        let limit = restriction.as_ref().map(|r| &r.automaton);
        let made = Made::of(words, self.order[place], seen.is_some(), limit, until);
        let known = self.explored.find(&made);
        if let Some(lts) = &known {
            // It counts: a search that goes in circles has to end.
            self.lane.check();
            if !self.derived.is_asked() {
                return Ok(Space { lts: lts.clone(), made_from: Vec::new() });
            }
        }
        let part = Derived::part(self.order[place]);
        let component = match seen {
            Some(seen) => (seen, self.derived.add(|| Ground::from(vec![Premise::Step(part)]), seen, false)),
            None => (self.part(place), part),
        };
        let groups = if self.options.fold { self.context(first)? } else { Vec::new() };
        let before = if self.options.fold { &[] } else { &self.selected[..first] };
        let words = before.iter().chain(last.map(|at| &self.selected[at])).map(|selection| selection.words.shown());
        let selected: Vec<Shown> = groups.iter().map(|g| (&g.component, g.step)).chain(words).collect();
        let monitor = self.monitors.seen_by(selected.iter().map(|s| s.0).chain([component.0]));
        let property = || Ground::from(vec![Premise::Step(Derived::MONITOR)]);
        let derived = &mut self.derived;
        let step =
            *self.monitor_steps.entry(Rc::as_ptr(&monitor)).or_insert_with(|| derived.add(property, &monitor, true));
        let restriction = restriction.as_ref().map(Noted::shown);
        let check = Check { selected, component, restriction, monitor: (&monitor, step) };
        let parts = check.parts(self.options.leave_out);
        let made_from = parts.iter().map(|part| part.1).collect();
        let lts = match known {
            Some(lts) => lts,
            None => self.explored.keep(made, Check::explore(&parts, self.safety.labels, until, self.lane)?),
        };
        Ok(Space { lts, made_from })
    }

    /// The selections at the first `count` places, put together.
    fn context(&mut self, count: usize) -> Result<Vec<Rc<Group>>, Stop> {
        self.contexts.truncate(self.selected.len() + 1);
        if self.contexts.is_empty() {
            self.contexts.push(Vec::new());
        }
        while self.contexts.len() <= count {
            let made = self.contexts.len();
            let to_come = &self.order[made..];
            let parts = &self.safety.parts;
            let needed = |l| self.safety.monitor.takes_part(l) || to_come.iter().any(|&c| parts[c].takes_part(l));
            let selection = &self.selected[made - 1].words;
            let single = Group::single((*selection.automaton).clone(), selection.step);
            let (groups, labels, most) = (&self.contexts[made - 1], self.safety.labels, self.options.folded);
            let derived = &mut self.derived;
            let note = |group: &Component, members: &[Rc<Group>]| {
                let members = || members.iter().map(|member| Premise::Step(member.step)).collect::<Vec<_>>();
                derived.add(|| Ground::from(members()), group, true)
            };
            let next = context::with(groups, single, labels, needed, most, self.lane, note)?;
            self.contexts.push(next);
        }
        Ok(self.contexts[count].clone())
    }

    /// As [`Search::explore`], with what holds of the component at `place` in every context.
    fn explore_persistent(&mut self, beside: Beside, place: usize) -> Result<Space, Stop> {
        let restriction = self.restrictions[self.order[place]].persistent.clone();
        self.explore(beside, place, None, restriction, Until::Marked)
    }

    /// Line 5: keeps the words of the component that the check accepted.
    fn select(&mut self, place: usize, space: &Lts) -> Result<(), Stop> {
        let part = self.part(place);
        let whole = if self.options.whole && self.is_spent(place) { self.whole(place) } else { None };
        let is_whole = whole.is_some();
        let words = match whole {
            Some(words) => words,
            None if self.options.whole && self.is_spent(place) => {
                let space = self.check_until(place, Until::Exhausted)?;
                accepted_words(&space.lts, part.alphabet())
            }
            None => accepted_words(space, part.alphabet()),
        };
        self.contexts.truncate(place + 1);
        self.keep(place, words, is_whole);
        if self.options.select_next {
            order::select_next(
                &mut self.order[place + 1..],
                &self.safety.parts,
                &self.selected[place].words.automaton.lts,
            );
        }
        Ok(())
    }

    fn keep(&mut self, place: usize, words: Lts, whole: bool) {
        let part = self.part(place);
        let words = Component::with_alphabet(part.name.clone(), words, part.alphabet().iter().copied());
        let automaton = self.explored.kept(self.order[place], words);
        // All words of a component are no assumption about it.
        let part = Premise::Step(Derived::part(self.order[place]));
        let ground = || if whole { Ground::from(vec![part]) } else { Ground::Assumed };
        let step = self.derived.add(ground, &automaton, true);
        self.selected.truncate(place);
        self.selected.push(Selection { words: Noted { automaton, step }, whole });
    }

    /// R0 of each part, where it forbids anything.
    pub fn persistent(&self) -> Vec<Option<Lts>> {
        self.restrictions.iter().map(|r| r.persistent.as_ref().map(|r| r.automaton.lts.clone())).collect()
    }

    /// L of each part; only after a violation was found there is one for all of them.
    pub fn selections(&self) -> Vec<Option<Component>> {
        let mut by_part = vec![None; self.order.len()];
        for (&part, selected) in self.order.iter().zip(&self.selected) {
            by_part[part] = Some((*selected.words.automaton).clone());
        }
        by_part
    }

    /// All words of the component at a place; none if they are too many to be told apart.
    ///
    /// The words that the check accepts are among them, so they do as a last selection. Those that it accepts know all
    /// about the context; these know the component only, and that is less to remember.
    fn whole(&self, place: usize) -> Option<Lts> {
        let lts = &self.part(place).lts;
        deterministic(&lts.clone().with_marked(lts.states()))
    }

    /// Line 10: the first place whose selection, together with those before it, makes the check at `place` fail, and the
    /// state space that shows it; none if the component cannot do anything bad even alone.
    ///
    /// Checks with fewer selections use R0: R was learned in the context of all of them.
    fn blame(&mut self, place: usize, failed: Space) -> Result<Blamed, Stop> {
        let c = self.order[place];
        if self.options.check_alone && !self.restrictions[c].bad_alone {
            let alone = self.explore_persistent(Beside::First(0), place)?;
            if !alone.lts.has_marked() {
                return Ok(Blamed::Nobody(alone));
            }
            self.restrictions[c].bad_alone = true;
        }
        // Fewer selections allow more, so failure is monotone in their number. `shown` is the failure with `fails` of them.
        let (mut passes, mut fails, mut shown) = (1, place, failed);
        while passes < fails {
            let count = if self.options.bisect_blame { (passes + fails) / 2 } else { passes };
            let space = self.explore_persistent(Beside::First(count), place)?;
            match space.lts.has_marked() {
                true => passes = count + 1,
                false => (fails, shown) = (count, space),
            }
        }
        Ok(Blamed::Place(fails - 1, Ok(shown)))
    }

    /// Line 11: rules out what was selected at `blamed`, and all else that the space, where there is one, shows to be impossible.
    fn reject(&mut self, blamed: usize, place: usize, why: &Failed) -> Result<Left, Stop> {
        let d = self.order[blamed];
        let whole = self.selected[blamed].whole;
        if whole {
            let from = why.made_from();
            let nothing = Component::new("nothing", Lts::new(StateId(0), 1, Vec::new()));
            let step = self.derived.add(|| Ground::from(steps(from)), &nothing, true);
            self.restrictions[d].exhausted = Some(step);
        } else {
            let learned = self.constraint(blamed, why);
            self.restrict(d, false, &learned);
            if blamed == 0 {
                // No context, so it holds in every one.
                self.restrict(d, true, &learned);
            }
        }
        if blamed > 0 && self.options.keep_constraints && why.is_ok() {
            // Check'': the same with this one selection alone.
            let space = self.explore_persistent(Beside::Only(blamed), place)?;
            if !space.lts.has_marked() {
                if whole {
                    return Ok(Left::Nothing(space));
                }
                let learned = self.constraint(blamed, &Ok(space));
                self.restrict(d, false, &learned);
                self.restrict(d, true, &learned);
            }
        }
        let states = |r: &Restrictions| r.current.as_ref().map_or(0, |r| r.automaton.lts.num_states() as u64);
        let held = self.restrictions.iter().map(states);
        self.lane.holds(held.sum());
        Ok(Left::Some)
    }

    fn constraint(&mut self, blamed: usize, why: &Failed) -> Noted {
        let Noted { automaton: words, step } = &self.selected[blamed].words;
        let lts = match why {
            Ok(space) => restriction::constraint(&space.lts, &words.lts, words.alphabet()),
            Err(_) => restriction::all_but(&words.lts, words.alphabet()),
        };
        let automaton = Component::with_alphabet("constraint", lts, words.alphabet().iter().copied());
        let (premises, without) = (steps(why.made_from()), Some(*step));
        let step = self.derived.add(|| Ground::From { premises, without, early: false }, &automaton, true);
        Noted { automaton: Rc::new(automaton), step }
    }

    /// Adds a constraint to R, or to R0.
    fn restrict(&mut self, part: usize, persistent: bool, constraint: &Noted) {
        let Restrictions { current, persistent: kept, bad_alone, .. } = &mut self.restrictions[part];
        let one = if persistent { kept } else { current };
        let lts = restriction::both(one.as_ref().map(|r| &r.automaton.lts), &constraint.automaton.lts);
        let alphabet = self.safety.parts[part].alphabet().iter().copied();
        let automaton = self.explored.kept(part, Component::with_alphabet("restriction", lts, alphabet));
        let both: Vec<usize> = one.iter().map(|r| r.step).chain([constraint.step]).collect();
        let step = self.derived.add(|| Ground::from(steps(&both)), &automaton, true);
        *one = Some(Noted { automaton, step });
        *bad_alone &= !persistent;
    }

    /// Lines 12 and 13: everything after `blamed` starts anew; who made the check fail may come right after it.
    fn go_back(&mut self, blamed: usize, place: usize) {
        for at in blamed + 1..self.order.len() {
            let restrictions = &mut self.restrictions[self.order[at]];
            restrictions.current = restrictions.persistent.clone();
            restrictions.exhausted = None;
            self.rejected[at] = 0;
        }
        self.rejected[blamed] += 1;
        if self.options.move_back {
            self.order[blamed + 1..=place].rotate_right(1);
        }
        self.selected.truncate(blamed);
        self.contexts.truncate(blamed + 1);
    }
}

/// What shows a failure: the state space that was explored, or the step which says that nothing is left.
type Failed = Result<Space, usize>;

/// The steps that a failure is made from.
trait MadeFrom {
    fn made_from(&self) -> &[usize];
}

impl MadeFrom for Failed {
    fn made_from(&self) -> &[usize] {
        match self {
            Ok(space) => &space.made_from,
            Err(step) => std::slice::from_ref(step),
        }
    }
}

fn steps(numbers: &[usize]) -> Vec<Premise> {
    numbers.iter().map(|&step| Premise::Step(step)).collect()
}

/// Who is to blame for a failure.
enum Blamed {
    /// The place, and what shows it.
    Place(usize, Failed),
    /// Nobody: the component cannot do anything bad even alone.
    Nobody(Space),
}

/// What is left of a component after a rejection.
enum Left {
    Some,
    /// None of its words is part of a counterexample, as this space shows.
    Nothing(Space),
}

/// Which selections are part of a check.
#[derive(Clone, Copy)]
enum Beside {
    /// Those at the first places.
    First(usize),
    /// The one at this place.
    Only(usize),
}

/// The words over some letters that lead to marked states of an explored space: a deterministic automaton.
fn accepted_words(space: &Lts, letters: &[LabelId]) -> Lts {
    let project = |l: LabelId| if letters.binary_search(&l).is_ok() { l } else { LabelId::TAU };
    // One word is enough for a selection where all of them are too many.
    deterministic(&trim(space).lts.relabelled(project)).unwrap_or_else(|| {
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
