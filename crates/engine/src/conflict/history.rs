//! What was done to the system, and the way back.
//!
//! A counterexample of a system of machines is a *word* of visible labels and the *last state* of each machine: each has a run on its letters
//! of the word that ends there, with silent steps that are nobody else's business, and together the last states block. The steps are
//! undone from the last to the first:
//!
//! | step | undone by |
//! | --- | --- |
//! | machines were composed | the last state says where each of them is |
//! | labels were hidden and rules applied | Algorithm 1: a run of the original on the word; hidden letters come into the word |
//! | certain conflicts were merged | Algorithm 2: the word goes on to the lowest level that can be reached |
//! | a machine that meets nobody went | it stays where it starts |
//!
//! Algorithm 3 can undo the second and third kind as well.

use super::expand::{self, interleaved, run_on};
use super::extend::{self, Stop};
use super::fsm::{Fsm, StateMap};
use super::less_conflicting;
use prequel_model::run::Run;
use prequel_model::{LabelId, StateId};
use std::time::Instant;

/// A machine of the history.
pub type Id = usize;

/// Something that was done.
pub enum Step {
    /// Machines were composed.
    Composed {
        /// Which ones.
        parts: Vec<Id>,
        /// The composition.
        into: Id,
        /// Where they are in each state of it.
        locals: Vec<StateId>,
    },
    /// Labels that only this machine takes part in were hidden, and rules applied.
    Simplified {
        /// The original.
        from: Id,
        /// The abstraction.
        into: Id,
        /// The hidden labels, sorted.
        hidden: Vec<LabelId>,
        /// Where the states went.
        map: StateMap,
    },
    /// Certain conflicts were merged.
    Conflicts {
        /// The original.
        from: Id,
        /// The abstraction.
        into: Id,
        /// Where the states went.
        map: StateMap,
        /// The level of each state that is a certain conflict.
        levels: Vec<Option<u32>>,
    },
    /// A machine that meets nobody, and does not block by itself, went.
    Dropped(Id),
}

/// Machines and what was done with them.
#[derive(Default)]
pub struct History {
    /// All machines that there ever were.
    pub machines: Vec<Fsm>,
    /// What was done, in order.
    pub steps: Vec<Step>,
}

/// A way to go back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Back {
    /// Algorithms 1 and 2; Algorithm 3 where they find nothing, which is never.
    Expansion,
    /// Algorithm 3; Algorithms 1 and 2 where that has too many pairs.
    Pairs,
}

/// A counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// Visible labels in order.
    pub word: Vec<LabelId>,
    /// Where each machine is at the end; none for those that are not there.
    pub ends: Vec<Option<StateId>>,
}

/// How to go back, and how far.
pub struct Undo<'a> {
    /// The size of the label table.
    pub labels: usize,
    /// By which algorithms.
    pub back: Back,
    /// States of one extension.
    pub most: u64,
    /// Limits and counters.
    pub run: &'a Run,
}

impl History {
    /// A machine more.
    pub fn add(&mut self, fsm: Fsm) -> Id {
        self.machines.push(fsm);
        self.machines.len() - 1
    }

    /// The counterexample of the first system.
    pub fn undone(&self, mut found: Counterexample, undo: &Undo) -> Result<Counterexample, Stop> {
        for step in self.steps.iter().rev() {
            undo.run.allowed()?;
            match step {
                Step::Dropped(id) => found.ends[*id] = Some(self.machines[*id].initial()[0]),
                Step::Composed { parts, into, locals } => {
                    let end = found.take(*into);
                    let locals = &locals[end.at() * parts.len()..(end.at() + 1) * parts.len()];
                    parts.iter().zip(locals).for_each(|(&part, &local)| found.ends[part] = Some(local));
                }
                Step::Simplified { from, into, hidden, map } => {
                    let started = Instant::now();
                    self.simplified(*from, *into, hidden, map, &mut found, undo)?;
                    undo.run.phase("expansion", started.elapsed());
                }
                Step::Conflicts { from, into, map, levels } => {
                    let started = Instant::now();
                    self.conflicts(*from, *into, map, levels, &mut found, undo)?;
                    undo.run.phase("extension", started.elapsed());
                }
            }
            debug_assert!(self.is_accepted(&found), "every machine has a run on the word to its last state");
        }
        Ok(found)
    }

    /// Algorithm 1.
    fn simplified(
        &self,
        from: Id,
        into: Id,
        hidden: &[LabelId],
        map: &StateMap,
        found: &mut Counterexample,
        undo: &Undo,
    ) -> Result<(), Stop> {
        let machine = &self.machines[from];
        let is_hidden = |l: LabelId| hidden.binary_search(&l).is_ok();
        if undo.back == Back::Pairs && self.by_pairs(&machine.hidden(is_hidden), from, into, found, undo)? {
            // The pairs know nothing of hidden letters: a run on the word they found.
            let end = found.ends[from];
            return self.expanded(from, is_hidden, |s| Some(s) == end, found).ok_or(Stop::TooLarge);
        }
        let end = found.ends[into];
        match self.expanded(from, is_hidden, |s| map.of(s) == end, found) {
            Some(()) => found.ends[into] = None,
            None if self.by_pairs(&machine.hidden(is_hidden), from, into, found, undo)? => {
                let end = found.ends[from];
                self.expanded(from, is_hidden, |s| Some(s) == end, found).ok_or(Stop::TooLarge)?;
            }
            None => return Err(Stop::TooLarge),
        }
        Ok(())
    }

    /// A run of a machine on the word that ends where it may; its hidden letters come into the word.
    fn expanded(
        &self,
        machine: Id,
        is_hidden: impl Fn(LabelId) -> bool,
        may_end: impl Fn(StateId) -> bool,
        found: &mut Counterexample,
    ) -> Option<()> {
        let fsm = &self.machines[machine];
        let takes_part = |l: LabelId| fsm.takes_part(l) && !is_hidden(l);
        let letters: Vec<LabelId> = found.word.iter().copied().filter(|&l| takes_part(l)).collect();
        let run = run_on(fsm, &letters, |l| l.is_tau() || is_hidden(l), may_end)?;
        found.ends[machine] = Some(run.end());
        found.word = interleaved(&found.word, &run, takes_part);
        Some(())
    }

    /// Algorithm 2.
    fn conflicts(
        &self,
        from: Id,
        into: Id,
        map: &StateMap,
        levels: &[Option<u32>],
        found: &mut Counterexample,
        undo: &Undo,
    ) -> Result<(), Stop> {
        if undo.back == Back::Pairs && self.by_pairs(&self.machines[from], from, into, found, undo)? {
            return Ok(());
        }
        let original = &self.machines[from];
        let end = found.take(into);
        let in_conflict = (0..levels.len()).map(StateId::new).find(|s| levels[s.at()].is_some());
        let bottom = in_conflict.and_then(|s| map.of(s));
        let before = |s: StateId| map.some_before(s).expect("a state that is no conflict stays");
        // How much of the word is kept, and where the machine is then.
        let (kept, locals) = if Some(end) != bottom {
            (found.word.len(), vec![before(end)])
        } else {
            let fsm = &self.machines[into];
            let letters: Vec<LabelId> = found.word.iter().copied().filter(|&l| fsm.takes_part(l)).collect();
            let run = run_on(fsm, &letters, LabelId::is_tau, |s| s == end).ok_or(Stop::TooLarge)?;
            match run.steps.last() {
                None => {
                    let initial = original.initial().iter().copied();
                    (0, initial.filter(|s| levels[s.at()].is_some()).collect())
                }
                Some(last) => {
                    let read = run.steps.iter().filter(|t| !t.label.is_tau()).count();
                    let own = (0..found.word.len()).filter(|&at| fsm.takes_part(found.word[at]));
                    let position = own.clone().nth(read - 1).expect("the run reads the letters of the word");
                    (position, vec![before(last.source)])
                }
            }
        };
        let others = self.others(from, found, kept)?;
        let starts: Vec<Vec<StateId>> =
            locals.iter().map(|&s| [s].into_iter().chain(others.iter().map(|&(_, s)| s)).collect()).collect();
        let ids: Vec<Id> = [from].into_iter().chain(others.iter().map(|&(id, _)| id)).collect();
        let parts: Vec<&Fsm> = ids.iter().map(|&id| &self.machines[id]).collect();
        undo.run.count("extensions", 1);
        match extend::lowest(undo.labels, &parts, &starts, |s| levels[s.at()], undo.most, undo.run)? {
            None => found.ends[from] = Some(before(end)),
            Some(extension) => {
                found.word.truncate(kept);
                found.word.extend(extension.labels);
                ids.iter().zip(extension.ends).for_each(|(&id, end)| found.ends[id] = Some(end));
            }
        }
        Ok(())
    }

    /// Algorithm 3; false where there are too many pairs.
    fn by_pairs(
        &self,
        original: &Fsm,
        from: Id,
        into: Id,
        found: &mut Counterexample,
        undo: &Undo,
    ) -> Result<bool, Stop> {
        let end = found.ends[into].expect("it is there");
        if original.alphabet() != self.machines[into].alphabet() {
            // Labels went that others decide about: there the word has letters that the abstraction does not know.
            return Ok(false);
        }
        let letters: Vec<LabelId> = found.word.iter().copied().filter(|&l| original.takes_part(l)).collect();
        let Some(critical) = less_conflicting::critical(original, &self.machines[into], &letters, end) else {
            return Ok(false);
        };
        found.ends[into] = None;
        let own = (0..found.word.len()).filter(|&at| original.takes_part(found.word[at]));
        let kept = if critical.letters == letters.len() {
            found.word.len()
        } else {
            own.clone().nth(critical.letters).expect("there are more letters")
        };
        let others = self.others(from, found, kept)?;
        let start = [critical.start].into_iter().chain(others.iter().map(|&(_, s)| s)).collect();
        let parts: Vec<&Fsm> =
            [&critical.graph].into_iter().chain(others.iter().map(|&(id, _)| &self.machines[id])).collect();
        let level = |s: StateId| critical.levels[s.at()];
        let extension = extend::lowest(undo.labels, &parts, &[start], level, undo.most, undo.run)?;
        let extension = extension.expect("the critical pair has a level itself");
        found.word.truncate(kept);
        found.word.extend(extension.labels);
        others.iter().zip(&extension.ends[1..]).for_each(|(&(id, _), &end)| found.ends[id] = Some(end));
        found.ends[from] = critical.witness(extension.ends[0]);
        Ok(true)
    }

    /// The machines that are there, one apart, and where they are after a part of the word.
    fn others(&self, apart: Id, found: &Counterexample, kept: usize) -> Result<Vec<(Id, StateId)>, Stop> {
        let there = found.ends.iter().enumerate().filter_map(|(id, end)| Some((id, (*end)?)));
        let place = |(id, end): (Id, StateId)| {
            if kept == found.word.len() {
                return Ok((id, end));
            }
            let fsm = &self.machines[id];
            let read = found.word[..kept].iter().filter(|&&l| fsm.takes_part(l)).count();
            let run = self.run(id, found).ok_or(Stop::TooLarge)?;
            let visible = (0..run.steps.len()).filter(|&at| !run.steps[at].label.is_tau());
            let steps = if read == 0 { 0 } else { visible.clone().nth(read - 1).expect("it reads them all") + 1 };
            Ok((id, run.after(steps)))
        };
        there.filter(|&(id, _)| id != apart).map(place).collect()
    }

    /// A run of a machine on its letters of the word that ends in its last state.
    pub fn run(&self, id: Id, found: &Counterexample) -> Option<expand::Run> {
        let (fsm, end) = (&self.machines[id], found.ends[id]?);
        let letters: Vec<LabelId> = found.word.iter().copied().filter(|&l| fsm.takes_part(l)).collect();
        run_on(fsm, &letters, LabelId::is_tau, |s| s == end)
    }

    /// Whether every machine that is there has a run.
    fn is_accepted(&self, found: &Counterexample) -> bool {
        // Looking at thousands of machines after each of thousands of steps would take for ever.
        self.machines.len() > 64
            || (0..found.ends.len()).all(|id| found.ends[id].is_none() || self.run(id, found).is_some())
    }
}

impl Counterexample {
    fn take(&mut self, id: Id) -> StateId {
        self.ends[id].take().expect("it is there")
    }
}
