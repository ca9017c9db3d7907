//! The question at the level of few labels, then of more, as they turn out to matter.
//!
//! Beyond the paper, which looks at one new component with only the labels of others first (Check^1). Here all components are seen
//! through the labels that are kept so far (the abstraction of Section 2), together. Hiding lets a component do more, so what is
//! impossible at a level is impossible. A word that is possible at a level is told by one component after the other on all of its
//! labels; who cannot follow names a smallest set of labels that keeps it from doing so. Told in several orders, a word gives
//! several such sets. That one is kept from then on whose level is explored with the fewest states.
//! (M. Gheorghiu, D. Giannakopoulou, C. Păsăreanu, *Refining Interface Alphabets for Compositional Verification*, TACAS 2007, find the
//! labels of learned assumptions in a similar way.)
//!
//! That a ring has one token is settled by the labels of tokens, however much else goes round; and a counterexample that needs
//! little is found with little. Short ways to a counterexample and small levels may lead astray, and so may orders that are drawn: so
//! attempts with one order and with several take turns, and each turn may do more than the one before.

use super::abstraction::seen_through;
use super::options::{ClassOrder, Options};
use super::order::{self, shortest_word};
use super::search::Outcome;
use crate::algo::explicit::{Until, explore};
use crate::algo::product::Product;
use crate::race::{Lane, Stop};
use crate::safety::{Derived, Safety};
use crate::weave::{interleave, run_on};
use prequel_model::rng::Rng;
use prequel_model::{Component, ComponentId, Derivation, Ground, LabelId, Premise};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How often levels are built anew, each time with twice the states.
const TURNS: u32 = 4;
/// Orders in which a word is told, in the attempts of a turn.
const ORDERS: [u64; 2] = [1, 8];
/// How much smaller than an attempt each of its checks must be.
const CHECKS: u64 = 8;
/// States of components that may be run through for one state that may be explored.
const RUN_THROUGH: u64 = 128;

/// The answer, where some level gives it before `options.level` states were explored.
pub fn decide(safety: &Safety, options: &Options, seed: u64, lane: &Lane) -> Result<Option<Outcome>, Stop> {
    for (turn, orders) in (0..TURNS).flat_map(|turn| ORDERS.map(|orders| (turn, orders))) {
        // All of them together stay below the states of the options.
        let states = options.level >> (TURNS + 1 - turn);
        let rng = Rng::new(seed.wrapping_add(u64::from(turn)));
        match Attempt::new(safety, options, orders, states, rng, lane).run() {
            Ok(outcome) => return Ok(Some(outcome)),
            Err(Ended::Large) => {}
            Err(Ended::Stop(stop)) => return Err(stop),
        }
    }
    Ok(None)
}

/// Why an attempt, or a check of it, did not end.
enum Ended {
    Large,
    Stop(Stop),
}

/// What was explored with these labels.
struct Level {
    kept: Vec<LabelId>,
    states: u64,
    /// A bad word, if there is one.
    word: Option<Vec<LabelId>>,
}

/// What becomes of a word when it is told on all labels.
enum Told {
    Word(Vec<LabelId>),
    /// It is not told in the same way again if these labels are kept.
    Needs(Vec<LabelId>),
}

/// From the labels of the property to an answer.
struct Attempt<'a> {
    safety: &'a Safety,
    options: &'a Options,
    orders: u64,
    rng: Rng,
    lane: &'a Lane<'a>,
    explored: u64,
    run_through: u64,
    /// How many states may be explored.
    states: u64,
    /// Parts through some of their labels.
    seen: FxHashMap<(usize, Box<[LabelId]>), Rc<Component>>,
}

impl<'a> Attempt<'a> {
    fn new(safety: &'a Safety, options: &'a Options, orders: u64, states: u64, rng: Rng, lane: &'a Lane<'a>) -> Self {
        Self { safety, options, orders, rng, lane, explored: 0, run_through: 0, states, seen: FxHashMap::default() }
    }

    fn run(mut self) -> Result<Outcome, Ended> {
        let mut level = self.level(self.safety.monitor.alphabet().to_vec())?;
        while let Some(word) = level.word {
            let mut needed: Vec<Vec<LabelId>> = Vec::new();
            for number in 0..self.orders {
                match self.tell(number, &level.kept, word.clone())? {
                    Told::Word(word) => return Ok(Outcome::Violated(word)),
                    Told::Needs(labels) if needed.contains(&labels) => {}
                    Told::Needs(labels) => needed.push(labels),
                }
            }
            let mut best: Option<Level> = None;
            for mut kept in needed {
                kept.extend_from_slice(&level.kept);
                kept.sort_unstable();
                let other = match self.level(kept) {
                    Ok(other) => other,
                    Err(Ended::Large) => continue,
                    Err(stop) => return Err(stop),
                };
                let rank = |level: &Level| (level.word.is_some(), level.states, level.kept.len());
                if best.as_ref().is_none_or(|best| rank(&other) < rank(best)) {
                    best = Some(other);
                }
            }
            level = best.ok_or(Ended::Large)?;
        }
        Ok(Outcome::Holds(self.proof(&level.kept).map(Box::new)))
    }

    /// The parts as they are seen through these labels; those that hear none of them are left out.
    fn seen(&mut self, kept: &[LabelId]) -> Vec<(usize, Rc<Component>)> {
        let mut parts = Vec::new();
        for (at, part) in self.safety.parts.iter().enumerate() {
            let visible: Box<[LabelId]> =
                part.alphabet().iter().copied().filter(|l| kept.binary_search(l).is_ok()).collect();
            if visible.is_empty() {
                continue;
            }
            let run_through = &mut self.run_through;
            let seen = self.seen.entry((at, visible)).or_insert_with_key(|(_, visible)| {
                *run_through += part.lts.num_states() as u64;
                Rc::new(seen_through(part, visible))
            });
            parts.push((at, seen.clone()));
        }
        parts
    }

    /// That nothing bad is possible at the level of these labels.
    fn proof(&mut self, kept: &[LabelId]) -> Option<Derivation> {
        let mut derived = Derived::of(self.safety, self.lane.proves());
        let mut last = vec![Derived::MONITOR];
        for (at, seen) in self.seen(kept) {
            let part = Premise::Step(Derived::part(at));
            last.push(derived.add(|| Ground::from(vec![part]), &seen, false));
        }
        derived.ended(last)
    }

    /// Explores all components at the level of these labels.
    fn level(&mut self, kept: Vec<LabelId>) -> Result<Level, Ended> {
        let parts: Vec<Rc<Component>> = self.seen(&kept).into_iter().map(|(_, seen)| seen).collect();
        let monitor = ComponentId::new(parts.len());
        let parts: Vec<&Component> = parts.iter().map(|part| &**part).chain([&self.safety.monitor]).collect();
        let product = Product::new(self.safety.labels, parts);
        let accepts = |state: &[u64]| self.safety.monitor.lts.is_marked(product.local(state, monitor));
        let (counted, mut states) = (self.lane.check(), 0);
        let allowed = |more, transitions| {
            states += more;
            self.explored += more;
            counted.explored(more, transitions).map_err(Ended::Stop)?;
            let large = states > self.states / CHECKS || self.explored > self.states;
            if large { Err(Ended::Large) } else { Ok(()) }
        };
        let space = explore(&product, |label| label, accepts, Until::Marked, allowed)?.lts;
        let word = shortest_word(&space).map(|word| word.into_iter().filter(|l| !l.is_tau()).collect());
        Ok(Level { kept, states, word })
    }

    /// Tells a word over the kept labels on all labels: each part goes through the letters that are known already, of its own or of
    /// those before it, and adds its other ones.
    fn tell(&mut self, number: u64, kept: &[LabelId], mut word: Vec<LabelId>) -> Result<Told, Ended> {
        let drawn =
            Options { class_order: ClassOrder::Random, dependency_order: number.is_multiple_of(2), ..*self.options };
        let options = if number == 0 { *self.options } else { drawn };
        let order = order::initial(&self.safety.parts, &self.safety.monitor, &options, self.rng.next_u64());
        let mut known = vec![false; self.safety.labels];
        kept.iter().for_each(|l| known[l.at()] = true);
        for part in order.into_iter().map(|at| &self.safety.parts[at]) {
            let heard: Vec<LabelId> = part.alphabet().iter().copied().filter(|l| known[l.at()]).collect();
            let Some(run) = self.follow(part, &word, &heard)? else {
                let (always, mut asked): (Vec<LabelId>, Vec<LabelId>) =
                    heard.into_iter().partition(|l| kept.binary_search(l).is_ok());
                if number > 0 {
                    // There may be several smallest sets.
                    self.rng.shuffle(&mut asked);
                }
                return self.needed(part, &word, always, asked).map(Told::Needs);
            };
            word = interleave(&word, &[run], |_, l| heard.binary_search(&l).is_ok());
            part.alphabet().iter().for_each(|l| known[l.at()] = true);
        }
        Ok(Told::Word(word))
    }

    /// The visible letters of a run of a component that reads, of the letters that are heard, those of the word.
    fn follow(&mut self, part: &Component, word: &[LabelId], heard: &[LabelId]) -> Result<Option<Vec<LabelId>>, Ended> {
        self.run_through += part.lts.num_states() as u64;
        if self.run_through > self.states.saturating_mul(RUN_THROUGH) {
            return Err(Ended::Large);
        }
        let is_heard = |l: LabelId| heard.binary_search(&l).is_ok();
        let letters: Vec<LabelId> = word.iter().copied().filter(|&l| is_heard(l)).collect();
        let run = run_on(&part.lts, &letters, |l| !is_heard(l), |_| true);
        Ok(run.map(|run| run.into_iter().map(|step| step.label).filter(|l| !l.is_tau()).collect()))
    }

    /// A part cannot follow the word on all these labels; as few as possible of those asked that it cannot follow either.
    fn needed(
        &mut self,
        part: &Component,
        word: &[LabelId],
        always: Vec<LabelId>,
        mut asked: Vec<LabelId>,
    ) -> Result<Vec<LabelId>, Ended> {
        // Large pieces first: most labels do not matter.
        let mut piece = asked.len();
        while piece > 1 {
            piece = piece.div_ceil(2);
            let mut at = 0;
            while at < asked.len() {
                let mut fewer = asked.clone();
                fewer.drain(at..asked.len().min(at + piece));
                let mut heard: Vec<LabelId> = always.iter().chain(&fewer).copied().collect();
                heard.sort_unstable();
                if self.follow(part, word, &heard)?.is_none() {
                    asked = fewer;
                } else {
                    at += piece;
                }
            }
        }
        asked.sort_unstable();
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Icc;
    use super::*;
    use crate::Engine;
    use crate::race;
    use crate::race::Most;
    use prequel_families::find;
    use prequel_model::run::{Limits, Run};
    use prequel_model::{Answer, Problem};

    /// The first query of a family.
    fn problem(family: &str, size: usize) -> Problem {
        let mut instance = (find(family).expect("a family").build)(size, 0);
        Problem { network: instance.network, query: instance.queries.swap_remove(0).query }
    }

    /// Only tokens matter to the token, so the labels of claims, which are most of them, are hardly looked at.
    #[test]
    fn claims_that_do_not_matter_are_not_looked_at() {
        let run = Run::new(Limits::default(), 0);
        assert!(matches!(Icc::default().solve(&problem("lann", 8), &run), Answer::True(_)));
        let effort = run.effort();
        assert!(effort.states_total < Options::default().level && effort.states_peak < 2000, "{effort:?}");
    }

    /// Why there is no small check for Szymanski's algorithm: without any one of these labels processes are no longer kept apart, and
    /// with all of them most of the product is left.
    #[test]
    fn mutual_exclusion_of_szymanski_is_about_most_labels() {
        let problem = problem("szymanski", 3);
        let safety = Safety::of(&problem, true).unwrap();
        let mut all: Vec<LabelId> = safety.parts.iter().flat_map(|part| part.alphabet()).copied().collect();
        all.sort_unstable();
        all.dedup();
        // Reads that only make a process wait may be left out.
        let name = |l: LabelId| problem.network.labels().name(l);
        let is_one = |l: LabelId| name(l).strip_suffix("=1").is_some_and(|flag| flag.ends_with(char::is_numeric));
        let either_way = |l: LabelId| name(l).ends_with("!=4") || is_one(l);
        let needed: Vec<LabelId> = all.iter().copied().filter(|&l| !either_way(l)).collect();
        let options = Options::default();
        race::alone(&Run::new(Limits::default(), 0), Most::UNBOUNDED, |lane| {
            let mut attempt = Attempt::new(&safety, &options, 1, 1 << 20, Rng::new(0), lane);
            let mut level = |labels: &[LabelId]| attempt.level(labels.to_vec()).ok().expect("a small system");
            let (whole, least) = (level(&all), level(&needed));
            assert!(whole.word.is_none() && least.word.is_none());
            assert!(
                needed.len() * 4 > all.len() * 3 && least.states * 2 > whole.states,
                "{} {}",
                least.states,
                whole.states
            );
            for label in needed.iter().filter(|&&l| !safety.monitor.takes_part(l)) {
                let fewer: Vec<LabelId> = needed.iter().copied().filter(|l| l != label).collect();
                assert!(level(&fewer).word.is_some(), "{} is not needed", name(*label));
            }
        });
    }

    /// Whatever is left of the states, the search that comes after decides.
    #[test]
    fn few_states_are_no_answer() {
        for level in [0, 1, 1 << TURNS, 1 << 10] {
            let options = Options { level, ..Options::default() };
            let run = Run::new(Limits::default(), 0);
            assert!(matches!(Icc { options }.solve(&problem("szymanski", 2), &run), Answer::True(_)));
        }
    }
}
