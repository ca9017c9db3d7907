//! Reachability without decision diagrams: clauses that hold after so many steps, until they hold for ever.
//!
//! A. Bradley: *SAT-based model checking without unrolling* (VMCAI 2011); N. Eén, A. Mishchenko, R. Brayton: *Efficient implementation of
//! property directed reachability* (FMCAD 2011).
//!
//! | step of the papers | here |
//! | --- | --- |
//! | a frame F_i: what holds within i steps | `Search::levels`, each clause at the highest level that it is known for |
//! | blocking of proof obligations | `Search::block` |
//! | generalisation (MIC, by dropping literals) | `Search::generalise` |
//! | propagation | `Search::push` |
//! | consecution, initiation | `model::Model::before` and `unreached`, `model::Model::begins` |
//! | ternary simulation | `model::Model::enough`: unsatisfiable cores instead, since steps may be relations and not functions |
//! | the path of a counterexample | `Search::to_bad`, walked state by state by `model::Model::walk` |
//!
//! Every state of an obligation has a path of exactly so many steps to a bad state. It need not be a shortest one; the loops of
//! `refine` need none, and only its length.
//!
//! The solver is one for very many small questions ([`prequel_sat::Prober`]). It is asked about the part of the circuit that decides
//! the cube in question, and only what was asked for is there as clauses (`gates`). So a state that it finds may break clauses about
//! other variables; it is a state from which bad ones are reached all the same, and is excluded like any other.

mod functions;
mod gates;
mod model;

use super::check::Invariant;
use super::reach::Question;
use model::{Before, Found, Model};
use prequel_model::run::Run;
use prequel_model::{Aig, Bit, Lit, Why};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States in which these variables have these values; sorted.
pub(super) type Cube = Vec<(Bit, bool)>;

/// States that must not be reached within `level` steps.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Obligation {
    level: Reverse<usize>,
    /// The later one first: it is nearer to what has just been learned.
    number: u64,
    /// Which states: a place in `Search::to_bad`.
    place: usize,
}

/// States each of which has a step to the next ones.
struct Waypoint {
    states: Found,
    /// The next ones; none where these are bad.
    next: Option<usize>,
}

/// So many clauses that say nothing new are no burden.
const FEW: usize = 500;
/// Nor are they while there are at most so many times more than needed.
const REPLACED: usize = 2;

/// By level, what is not reached within so many steps, and not known not to be in one more. There is nothing at level 0.
pub type Levels = Vec<Vec<Cube>>;

struct Search<'a> {
    run: &'a Run,
    question: &'a Question<'a>,
    model: Model<'a>,
    levels: Levels,
    /// What leads to bad states, as far as it is under way.
    to_bad: Vec<Waypoint>,
}

/// States from a first one to a bad one; or what is never left.
type Ended = Result<Vec<Found>, Invariant>;

/// Whether bad states are reached, and in how many steps, perhaps not the fewest. What an earlier search learned of the same first
/// states holds where fewer steps are allowed now.
pub fn search(question: &Question, learned: &mut Levels, run: &Run) -> Result<Result<u32, Invariant>, Why> {
    let mut levels = std::mem::take(learned);
    levels.resize_with(levels.len().max(2), Vec::new);
    let mut search = Search::new(question, levels, run);
    let found = search.search();
    *learned = search.levels;
    Ok(found?.map(|path| path.len() as u32 - 1))
}

/// The states of so many variables along a path to a bad one, perhaps not the shortest; or what is never left.
pub fn path(question: &Question, bits: u32, run: &Run) -> Result<Result<Vec<Vec<bool>>, Invariant>, Why> {
    let mut search = Search::new(question, vec![Vec::new(); 2], run);
    Ok(match search.search()? {
        Ok(path) => Ok(search.model.walk(bits, &path)?),
        Err(invariant) => Err(invariant),
    })
}

/// A solver that knows what the levels say.
fn model<'a>(question: &Question<'a>, levels: &Levels, run: &'a Run) -> Model<'a> {
    let mut model = Model::new(question, run);
    for (level, cubes) in levels.iter().enumerate() {
        cubes.iter().for_each(|cube| model.exclude(cube, level));
    }
    model
}

impl<'a> Search<'a> {
    fn new(question: &'a Question<'a>, levels: Levels, run: &'a Run) -> Self {
        Self { run, question, model: model(question, &levels, run), levels, to_bad: Vec::new() }
    }

    fn search(&mut self) -> Result<Ended, Why> {
        let check = self.run.check();
        if let Some(bad) = self.model.bad_at(0)? {
            return Ok(Ok(vec![bad]));
        }
        loop {
            check.explored(0, 0)?;
            let top = self.levels.len() - 1;
            if let Some(bad) = self.model.bad_at(top)? {
                if let Some(path) = self.block(bad, top)? {
                    return Ok(Ok(path));
                }
                continue;
            }
            self.levels.push(Vec::new());
            if let Some(level) = self.push()? {
                return Ok(Err(self.invariant(level)));
            }
            self.forget_what_was_replaced();
        }
    }

    /// Shows that bad states are not reached within `top` steps, or finds a path to them.
    fn block(&mut self, bad: Found, top: usize) -> Result<Option<Vec<Found>>, Why> {
        if self.model.begins(&bad.cube)? {
            return Ok(Some(vec![bad]));
        }
        self.to_bad = vec![Waypoint { states: bad, next: None }];
        let (mut open, mut number) = (BinaryHeap::new(), 0);
        let mut add = |open: &mut BinaryHeap<Obligation>, level: usize, place: usize| {
            number += 1;
            open.push(Obligation { level: Reverse(level), number, place });
        };
        add(&mut open, top, 0);
        while let Some(Obligation { level: Reverse(level), place, .. }) = open.pop() {
            let cube = &self.to_bad[place].states.cube;
            if self.levels[level..].iter().flatten().any(|known| within(known, cube)) {
                continue;
            }
            match self.model.before(cube, level - 1)? {
                Before::State(states) => {
                    let begins = level == 1 || self.model.begins(&states.cube)?;
                    self.to_bad.push(Waypoint { states, next: Some(place) });
                    let before = self.to_bad.len() - 1;
                    if begins {
                        return Ok(Some(self.path_from(before)));
                    }
                    add(&mut open, level - 1, before);
                    add(&mut open, level, place);
                }
                Before::Nothing(needed) => {
                    let cube = cube.clone();
                    let mut learned = self.generalise(&cube, needed, level)?;
                    let mut at = level;
                    while at < top {
                        let Some(needed) = self.model.unreached(&learned, at)? else { break };
                        learned = self.model.beginning_kept(&learned, needed)?;
                        at += 1;
                    }
                    self.learn(learned, at);
                    if at < top {
                        add(&mut open, at + 1, place);
                    }
                }
            }
        }
        Ok(None)
    }

    fn path_from(&mut self, place: usize) -> Vec<Found> {
        let places = std::iter::successors(Some(place), |&place| self.to_bad[place].next).collect::<Vec<_>>();
        places.into_iter().map(|place| std::mem::take(&mut self.to_bad[place].states)).collect()
    }

    /// More states than the cube that are not reached within `level` steps either; `needed` are literals that suffice to show it.
    fn generalise(&mut self, cube: &Cube, needed: Cube, level: usize) -> Result<Cube, Why> {
        let mut cube = self.model.beginning_kept(cube, needed)?;
        let mut at = 0;
        while at < cube.len() && cube.len() > 1 {
            let mut fewer = cube.clone();
            fewer.remove(at);
            if !self.model.begins(&fewer)?
                && let Some(needed) = self.model.unreached(&fewer, level - 1)?
            {
                let kept = self.model.beginning_kept(&fewer, needed)?;
                // What comes before this place cannot go: those literals have been tried, with more around them.
                at = cube[..at].iter().filter(|literal| kept.contains(literal)).count();
                cube = kept;
            } else {
                at += 1;
            }
        }
        Ok(cube)
    }

    /// From now on these states are not reached within `level` steps.
    fn learn(&mut self, cube: Cube, level: usize) {
        self.model.exclude(&cube, level);
        for known in &mut self.levels[..=level] {
            known.retain(|known| !within(&cube, known));
        }
        self.levels[level].push(cube);
    }

    /// Moves clauses up where one more step keeps them; the level after which nothing is lost any more, if there is one.
    fn push(&mut self) -> Result<Option<usize>, Why> {
        for level in 1..self.levels.len() - 1 {
            for cube in std::mem::take(&mut self.levels[level]) {
                match self.model.unreached(&cube, level)? {
                    Some(_) => self.learn(cube, level + 1),
                    None => self.levels[level].push(cube),
                }
            }
            if self.levels[level].is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// Solvers keep clauses that others have replaced or that hold longer by now; where these are most, it is quicker without.
    fn forget_what_was_replaced(&mut self) {
        let known = self.levels.iter().map(Vec::len).sum::<usize>();
        if self.model.clauses() > FEW + known * REPLACED {
            self.model = model(self.question, &self.levels, self.run);
        }
    }

    /// What is known above a level.
    fn invariant(&self, level: usize) -> Invariant {
        let mut aig = Aig::default();
        let clauses: Vec<Lit> = self.levels[level + 1..]
            .iter()
            .flatten()
            .map(|cube| {
                let literals: Vec<Lit> =
                    cube.iter().map(|&(bit, value)| aig.input(bit.now()).negated_if(value)).collect();
                aig.any(literals)
            })
            .collect();
        let holds = aig.all(clauses);
        Invariant { aig, holds }
    }
}

/// Whether all states of the second cube are in the first one.
fn within(outer: &Cube, inner: &Cube) -> bool {
    outer.iter().all(|literal| inner.binary_search(literal).is_ok())
}
