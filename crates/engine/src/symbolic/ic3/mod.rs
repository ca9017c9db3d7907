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
//! | consecution, initiation | `model::Model::before`, `model::Model::begins` |
//! | ternary simulation | `lift::Lift`: unsatisfiable cores instead, since steps are relations and not functions |
//!
//! Every state of an obligation has a path of exactly so many steps to a bad state, so that the length of a path is known without
//! the path. It need not be a shortest one; the loops of `refine` need none.

mod lift;
mod model;

use super::check::{Found, Invariant};
use super::reach::Question;
use model::{Before, Model};
use prequel_model::run::Run;
use prequel_model::{Aig, Bit, Lit, Why};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States in which these variables have these values; sorted.
pub(super) type Cube = Vec<(Bit, bool)>;

/// States that must not be reached within `level` steps, since bad ones are `depth` steps from each of them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Obligation {
    level: Reverse<usize>,
    /// The later one first: it is nearer to what has just been learned.
    number: u64,
    depth: u32,
    cube: Cube,
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
}

/// Whether bad states are reached, and in how many steps, perhaps not the fewest. What an earlier search learned of the same first
/// states holds where fewer steps are allowed now.
pub fn search(question: &Question, learned: &mut Levels, run: &Run) -> Result<Found, Why> {
    let mut levels = std::mem::take(learned);
    levels.resize_with(levels.len().max(2), Vec::new);
    let mut search = Search { run, question, model: model(question, &levels, run), levels };
    let found = search.search();
    *learned = search.levels;
    found
}

/// Solvers that know what the levels say.
fn model<'a>(question: &Question<'a>, levels: &Levels, run: &'a Run) -> Model<'a> {
    let mut model = Model::new(question, run);
    for (level, cubes) in levels.iter().enumerate() {
        cubes.iter().for_each(|cube| model.exclude(cube, level));
    }
    model
}

impl Search<'_> {
    fn search(&mut self) -> Result<Found, Why> {
        let check = self.run.check();
        if self.model.bad_at(0)?.is_some() {
            return Ok(Found::Distance(0));
        }
        loop {
            check.explored(0, 0)?;
            let top = self.levels.len() - 1;
            if let Some(bad) = self.model.bad_at(top)? {
                if let Some(distance) = self.block(bad, top)? {
                    return Ok(Found::Distance(distance));
                }
                continue;
            }
            self.levels.push(Vec::new());
            if let Some(level) = self.push()? {
                return Ok(Found::Nothing(self.invariant(level)));
            }
            self.forget_what_was_replaced();
        }
    }

    /// Shows that bad states are not reached within `top` steps, or finds the length of a path to them.
    fn block(&mut self, bad: Cube, top: usize) -> Result<Option<u32>, Why> {
        let (mut open, mut number) = (BinaryHeap::new(), 0);
        let mut add = |open: &mut BinaryHeap<Obligation>, level: usize, depth: u32, cube: Cube| {
            number += 1;
            open.push(Obligation { level: Reverse(level), number, depth, cube });
        };
        if self.model.begins(&bad)? {
            return Ok(Some(0));
        }
        add(&mut open, top, 0, bad);
        while let Some(Obligation { level: Reverse(level), depth, cube, .. }) = open.pop() {
            self.run.allowed()?;
            let known = self.levels[level..].iter().flatten().any(|known| within(known, &cube));
            if known {
                continue;
            }
            match self.model.before(&cube, level - 1)? {
                Before::State(found) => {
                    if level == 1 || self.model.begins(&found)? {
                        return Ok(Some(depth + 1));
                    }
                    add(&mut open, level - 1, depth + 1, found);
                    add(&mut open, level, depth, cube);
                }
                Before::Nothing(needed) => {
                    let mut learned = self.generalise(&cube, needed, level)?;
                    let mut at = level;
                    while at < top {
                        match self.model.before(&learned, at)? {
                            Before::State(_) => break,
                            Before::Nothing(needed) => {
                                learned = self.model.beginning_kept(&learned, needed)?;
                                at += 1;
                            }
                        }
                    }
                    self.learn(learned, at);
                    if at < top {
                        add(&mut open, at + 1, depth, cube);
                    }
                }
            }
        }
        Ok(None)
    }

    /// More states than the cube that are not reached within `level` steps either; `needed` are literals that suffice to show it.
    fn generalise(&mut self, cube: &Cube, needed: Cube, level: usize) -> Result<Cube, Why> {
        let mut cube = self.model.beginning_kept(cube, needed)?;
        let mut at = 0;
        while at < cube.len() && cube.len() > 1 {
            let mut fewer = cube.clone();
            fewer.remove(at);
            if !self.model.begins(&fewer)?
                && let Before::Nothing(needed) = self.model.before(&fewer, level - 1)?
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
                self.run.allowed()?;
                match self.model.before(&cube, level)? {
                    Before::Nothing(_) => self.learn(cube, level + 1),
                    Before::State(_) => self.levels[level].push(cube),
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
