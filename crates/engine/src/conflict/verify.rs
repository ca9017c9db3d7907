//! Compositional verification: machines are made smaller one by one, some are composed, and again, until none is left or one blocks.

use super::choose::Pool;
use super::extend::Stop;
use super::fsm::{Fsm, StateMap, compose};
use super::history::{Counterexample, History, Id, Step, Undo};
use super::options::Options;
use super::rules::Abstraction;
use super::special::{Others, Table, Uses, without_idle};
use crate::algo::predecessors::Predecessors;
use prequel_model::run::Run;
use prequel_model::{LabelId, StateId, Transition, Why};
use std::collections::BTreeSet;
use std::time::Instant;

/// How often a machine is made smaller again because others have changed.
const AGAIN: u32 = 3;

/// A counterexample of the machines, with the history that knows their runs, if there is one.
pub fn verify(
    machines: Vec<Fsm>,
    labels: usize,
    options: &Options,
    run: &Run,
) -> Result<Option<(History, Counterexample)>, Stop> {
    let started = Instant::now();
    let mut verification = Verification::new(machines, labels, options, run);
    let found = verification.decide();
    run.phase("verification", started.elapsed());
    let Some(found) = found? else { return Ok(None) };
    let undo = Undo { labels, back: options.back, most: options.extension, run };
    let concrete = verification.history.undone(found, &undo)?;
    Ok(Some((verification.history, concrete)))
}

/// A system in the making.
struct Verification<'a> {
    options: &'a Options,
    labels: usize,
    run: &'a Run,
    history: History,
    /// By machine: how it treats its labels, and how often it was looked at again.
    uses: Vec<Uses>,
    again: Vec<u32>,
    /// The machines that are there.
    there: BTreeSet<Id>,
    table: Table,
    /// By label: who takes part, of those that are there.
    takers: Vec<Vec<Id>>,
    /// Those that may become smaller.
    dirty: BTreeSet<Id>,
    pool: Pool,
}

impl<'a> Verification<'a> {
    fn new(machines: Vec<Fsm>, labels: usize, options: &'a Options, run: &'a Run) -> Self {
        let mut new = Self {
            options,
            labels,
            run,
            history: History::default(),
            uses: Vec::new(),
            again: Vec::new(),
            there: BTreeSet::new(),
            table: Table::new(labels),
            takers: vec![Vec::new(); labels],
            dirty: BTreeSet::new(),
            pool: Pool::default(),
        };
        let ids: Vec<Id> = machines.into_iter().map(|fsm| new.add(fsm)).collect();
        new.replace(&[], &ids);
        new.dirty.extend(ids);
        new
    }

    /// The counterexample of the system as it is when one is found.
    fn decide(&mut self) -> Result<Option<Counterexample>, Stop> {
        loop {
            while let Some(id) = self.dirty.pop_first() {
                self.run.allowed()?;
                if let Some(found) = self.simplify(id) {
                    return Ok(Some(found));
                }
            }
            let Some(parts) = self.next()? else { break };
            self.compose(&parts)?;
        }
        debug_assert!(self.there.is_empty(), "who meets nobody goes");
        Ok(None)
    }

    /// What is composed next.
    fn next(&mut self) -> Result<Option<Vec<Id>>, Why> {
        let (machines, labels, run) = (&self.history.machines, self.labels, self.run);
        let mut states = |members: &[Id], bound: u64| {
            let parts: Vec<&Fsm> = members.iter().map(|&m| &machines[m]).collect();
            let check = run.check();
            let mut all = 0;
            let counted = compose(labels, &parts, |states, transitions| {
                check.explored(states, transitions).map_err(Some)?;
                all += states;
                if all > bound { Err(None) } else { Ok(()) }
            });
            match counted {
                Ok(_) => Ok((all, true)),
                Err(None) => Ok((all, false)),
                Err(Some(why)) => Err(why),
            }
        };
        self.pool.best(self.options.select, &mut states)
    }

    fn compose(&mut self, parts: &[Id]) -> Result<(), Why> {
        let machines: Vec<&Fsm> = parts.iter().map(|&id| &self.history.machines[id]).collect();
        let check = self.run.check();
        let composed = compose(self.labels, &machines, |states, transitions| check.explored(states, transitions))?;
        let into = self.add(composed.fsm);
        self.history.steps.push(Step::Composed { parts: parts.to_vec(), into, locals: composed.locals });
        self.replace(parts, &[into]);
        self.dirty.insert(into);
        Ok(())
    }

    /// Hides labels of one machine alone and applies the rules; a counterexample if it blocks by itself.
    fn simplify(&mut self, id: Id) -> Option<Counterexample> {
        let fsm = &self.history.machines[id];
        let hidden: Vec<LabelId> = fsm.alphabet().iter().copied().filter(|&l| self.table.private(l)).collect();
        if hidden.len() == fsm.alphabet().len() {
            return self.alone(id);
        }
        let mut work = Work { from: id, map: StateMap::identity(fsm.len()), fsm: fsm.clone(), changed: false, hidden };
        if !work.hidden.is_empty() {
            work.step(Abstraction::same(fsm.hidden(|l| work.hidden.binary_search(&l).is_ok())));
        }
        let uses = self.uses[id].clone();
        if self.options.special {
            let others = Others::of(&self.table, &uses);
            let gone = |l: LabelId| others.block(l);
            if work.fsm.alphabet().iter().any(|&l| gone(l)) {
                work.step(Abstraction::same(work.fsm.without(gone)));
            }
            if let Some(lts) = without_idle(&work.fsm, &others) {
                work.step(Abstraction::same(work.fsm.with_lts(lts)));
            }
        }
        if let Some((fsm, map)) = work.fsm.reachable() {
            work.step(Abstraction { fsm, map, levels: None });
        }
        loop {
            let size = work.fsm.len();
            for &rule in &self.options.rules {
                let table = self.options.special.then_some(&self.table);
                let others = table.map_or_else(Others::default, |table| Others::of(table, &uses));
                let Some(applied) = rule.apply(&work.fsm, &others) else { continue };
                if applied.levels.is_some() { self.conflicts(&mut work, applied) } else { work.step(applied) }
            }
            if work.fsm.len() == size {
                break;
            }
        }
        if self.options.special {
            let uses = Uses::of(&work.fsm);
            if work.fsm.alphabet().iter().any(|&l| uses.indifferent(l)) {
                work.step(Abstraction::same(work.fsm.without(|l| uses.indifferent(l))));
            }
        }
        if work.changed {
            let into = self.finish(work);
            self.again[into] = self.again[id];
            self.replace(&[id], &[into]);
            return self.blocks_at_once(into);
        }
        self.blocks_at_once(id)
    }

    /// Notes what was done, and the machine that came out of it.
    fn finish(&mut self, work: Work) -> Id {
        let into = self.add(work.fsm);
        self.history.steps.push(Step::Simplified { from: work.from, into, hidden: work.hidden, map: work.map });
        into
    }

    /// Certain conflicts are undone in another way: what was done before and after them are steps of their own.
    fn conflicts(&mut self, work: &mut Work, applied: Abstraction) {
        let levels = applied.levels.expect("certain conflicts have levels");
        let next =
            |from, fsm: Fsm| Work { from, map: StateMap::identity(fsm.len()), fsm, changed: false, hidden: vec![] };
        let before = std::mem::replace(work, next(0, applied.fsm.clone()));
        let from = if before.changed { self.finish(before) } else { before.from };
        let into = self.add(applied.fsm);
        self.history.steps.push(Step::Conflicts { from, into, map: applied.map, levels });
        work.from = into;
        work.changed = true;
    }

    /// A machine that meets nobody: it blocks by itself, or goes.
    fn alone(&mut self, id: Id) -> Option<Counterexample> {
        if let Some(path) = shortest_to_blocking(&self.history.machines[id]) {
            let word = path.labels.into_iter().filter(|l| !l.is_tau()).collect();
            return Some(self.counterexample(word, id, path.end));
        }
        self.history.steps.push(Step::Dropped(id));
        self.replace(&[id], &[]);
        None
    }

    /// The empty word, where a machine has an initial state that blocks.
    fn blocks_at_once(&self, id: Id) -> Option<Counterexample> {
        let fsm = &self.history.machines[id];
        let can_end = fsm.coreachable(&Predecessors::of(fsm.lts()));
        let stuck = fsm.initial().iter().copied().find(|s| !can_end.contains(s.at()))?;
        Some(self.counterexample(Vec::new(), id, stuck))
    }

    /// One machine ends in this state after the word; the others have nothing to do with it and stay where they start.
    fn counterexample(&self, word: Vec<LabelId>, id: Id, end: StateId) -> Counterexample {
        let mut ends = vec![None; self.history.machines.len()];
        self.there.iter().for_each(|&other| ends[other] = Some(self.history.machines[other].initial()[0]));
        ends[id] = Some(end);
        Counterexample { word, ends }
    }

    fn add(&mut self, fsm: Fsm) -> Id {
        self.uses.push(Uses::of(&fsm));
        self.again.push(0);
        self.history.add(fsm)
    }

    /// Some machines go, others come; whoever can make use of the change is looked at again.
    fn replace(&mut self, gone: &[Id], new: &[Id]) {
        let machines = &self.history.machines;
        let mut labels: Vec<LabelId> =
            gone.iter().chain(new).flat_map(|&id| machines[id].alphabet()).copied().collect();
        labels.sort_unstable();
        labels.dedup();
        let facts = |this: &Self, id: Id, l: LabelId| {
            let others = Others::of(&this.table, &this.uses[id]);
            [others.block(l), others.always_allow(l), others.stay(l)]
        };
        // Those that stay, with what they knew before.
        let stayers: Vec<(Id, LabelId)> = labels
            .iter()
            .flat_map(|&l| self.takers[l.at()].iter().filter(|id| !gone.contains(id)).map(move |&id| (id, l)))
            .collect();
        let before: Vec<[bool; 3]> = stayers.iter().map(|&(id, l)| facts(self, id, l)).collect();
        for &id in gone {
            self.table.remove(&self.uses[id]);
            self.there.remove(&id);
            self.dirty.remove(&id);
            for l in self.history.machines[id].alphabet() {
                self.takers[l.at()].retain(|&taker| taker != id);
            }
        }
        for &id in new {
            self.table.add(&self.uses[id]);
            self.there.insert(id);
            self.history.machines[id].alphabet().iter().for_each(|l| self.takers[l.at()].push(id));
        }
        for ((id, l), before) in stayers.into_iter().zip(before) {
            let learned = || facts(self, id, l).iter().zip(before).any(|(&now, before)| now && !before);
            if self.table.private(l) {
                self.dirty.insert(id);
            } else if self.options.special && self.again[id] < AGAIN && learned() && self.dirty.insert(id) {
                self.again[id] += 1;
            }
        }
        // One that has lost all labels meets nobody any more.
        let alone = |id: &&Id| self.history.machines[**id].alphabet().is_empty();
        self.dirty.extend(new.iter().filter(alone));
        self.pool.remove(gone);
        for l in labels {
            let count = |l: LabelId| self.takers[l.at()].len();
            self.pool.add(self.options.candidates, &self.takers[l.at()], &self.history.machines, count);
        }
    }
}

/// A machine while it is made smaller.
struct Work {
    /// What it was when this part of the history began.
    from: Id,
    /// Labels that were hidden since.
    hidden: Vec<LabelId>,
    /// Where the states went since.
    map: StateMap,
    fsm: Fsm,
    changed: bool,
}

impl Work {
    fn step(&mut self, applied: Abstraction) {
        self.map = self.map.then(&applied.map);
        self.fsm = applied.fsm;
        self.changed = true;
    }
}

/// A path of one machine.
struct Path {
    labels: Vec<LabelId>,
    end: StateId,
}

/// A shortest path to a state from which no marked state can be reached.
fn shortest_to_blocking(fsm: &Fsm) -> Option<Path> {
    let can_end = fsm.coreachable(&Predecessors::of(fsm.lts()));
    let mut by: Vec<Option<Transition>> = vec![None; fsm.len()];
    let mut seen = fixedbitset::FixedBitSet::with_capacity(fsm.len());
    let mut queue: Vec<StateId> = fsm.initial().to_vec();
    queue.iter().for_each(|s| seen.insert(s.at()));
    let mut at = 0;
    while at < queue.len() {
        let s = queue[at];
        if !can_end.contains(s.at()) {
            let (mut labels, mut now) = (Vec::new(), s);
            while let Some(t) = by[now.at()] {
                labels.push(t.label);
                now = t.source;
            }
            labels.reverse();
            return Some(Path { labels, end: s });
        }
        for e in fsm.lts().row(s) {
            if !seen.put(e.target.at()) {
                by[e.target.at()] = Some(Transition { source: s, label: e.label, target: e.target });
                queue.push(e.target);
            }
        }
        at += 1;
    }
    None
}
