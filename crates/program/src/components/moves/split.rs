//! What a path has to know before it goes on: it is split by the answers.

use super::{Attempt, Moves};
use crate::components::domain::{Domains, States};
use crate::components::needs::{Need, Needs, Stop};
use crate::components::part::{Fact, Part};
use crate::components::path::Path;
use crate::components::refusal::Refusal;
use crate::machine::HEAD;
use rustc_hash::FxHashSet;

/// Paths that are followed for one state of one process.
const MOST_PATHS: usize = 200_000;

impl<'a> Moves<'a> {
    /// Counts a path; there are not too many of them.
    pub(super) fn pay(&mut self, statement: u32) -> Attempt<()> {
        self.paths += 1;
        if self.paths <= MOST_PATHS {
            return Ok(());
        }
        let message = format!("one step has more than {MOST_PATHS} cases from here on");
        Err(Refusal::at("cases of one step", statement, message))
    }

    /// Computes something in the state of a path, which is split until nothing is missing.
    pub(super) fn resolve<T>(
        &mut self,
        path: Path,
        statement: u32,
        computation: impl Fn(&Path, &Needs<'_>) -> T,
    ) -> Attempt<Vec<(Path, T)>> {
        let mut ready = Vec::new();
        let mut open = vec![path];
        while let Some(path) = open.pop() {
            match self.needs(&path).compute(|needs| computation(&path, needs)) {
                Ok(value) => ready.push((path, value)),
                Err(Stop::Need(need)) => self.split(path, need, statement, &mut open)?,
                Err(Stop::LooksAtSender) => {
                    let message = "this looks at a process that it has a rendezvous with in the same step";
                    return Err(Refusal::at("remote reference", statement, message));
                }
            }
        }
        Ok(ready)
    }

    /// What a path knows.
    pub(super) fn needs<'p>(&'p self, path: &'p Path) -> Needs<'p> {
        Needs::new(self.program, path, self.domains.slots.len())
    }

    /// Splits a path by the answers to a question.
    fn split(&mut self, path: Path, need: Need, statement: u32, into: &mut Vec<Path>) -> Attempt<()> {
        let value = |contents: &[i32]| contents.first().copied().unwrap_or(0);
        match need {
            Need::Value(cell) => self.refine(&path, Part::Cell(cell), statement, into, |c| Fact::Value(value(c))),
            Need::Present(channel) => {
                self.refine(&path, Part::Channel(channel), statement, into, |c| Fact::Present(!c.is_empty()))
            }
            Need::Room(channel) => {
                let at = path.machine.channels[channel as usize - 1] as usize;
                let slots = self.program.channel_types[path.machine.cells[at] as usize].slots() as i32;
                self.refine(&path, Part::Channel(channel), statement, into, |c| Fact::Room(slots, value(c) < slots))
            }
            Need::Some(channel) => {
                self.refine(&path, Part::Channel(channel), statement, into, |c| Fact::Some(value(c) > 0))
            }
            Need::Head(channel) => self.refine(&path, Part::Channel(channel), statement, into, |c| match value(c) {
                0 => Fact::Some(false),
                length => Fact::Head(c[1..1 + (c.len() - 1) / length as usize].into()),
            }),
            Need::Length(channel) => {
                self.refine(&path, Part::Channel(channel), statement, into, |c| Fact::Length(value(c)))
            }
            Need::Whole(channel) => {
                self.refine(&path, Part::Channel(channel), statement, into, |c| Fact::Whole(c.into()))
            }
            Need::Younger => {
                let next = Part::Slot(path.pid as u32 + 1);
                self.refine(&path, next, statement, into, |c| Fact::Present(!c.is_empty()))
            }
            Need::Kind(slot) => self.refine(&path, Part::Slot(slot), statement, into, |c| match c.first() {
                None => Fact::Present(false),
                Some(&kind) => Fact::Kind(kind),
            }),
            Need::At(slot, control) => {
                let control = control as i32;
                let at = |c: &[i32]| Fact::At(control, c.get(1) == Some(&control));
                self.refine(&path, Part::Slot(slot), statement, into, at)
            }
            Need::Local(slot, cell) => {
                let at = HEAD + cell as usize;
                let local = |c: &[i32]| Fact::Local(cell, c.get(at).copied().unwrap_or(0));
                self.refine(&path, Part::Slot(slot), statement, into, local)
            }
            Need::Count => self.count(&path, statement, into),
        }
    }

    fn ask(&mut self, part: Part) -> &'a States {
        let domains: &'a Domains = self.domains;
        let states = domains.of(part);
        self.asked.insert(part, states.len());
        states
    }

    fn refine(
        &mut self,
        path: &Path,
        part: Part,
        statement: u32,
        into: &mut Vec<Path>,
        fact: impl Fn(&[i32]) -> Fact,
    ) -> Attempt<()> {
        let mut seen = FxHashSet::default();
        let before = self.last.as_ref().map_or(0, |last| last.get(&part).copied().unwrap_or(0));
        let skip = if self.leads_to_old(path, part) { before } else { 0 };
        for (number, contents) in self.ask(part).iter().enumerate().skip(skip) {
            if !path.admits(part, contents) {
                continue;
            }
            let fact = fact(contents);
            if seen.insert(fact.clone()) {
                self.pay(statement)?;
                let mut path = path.clone();
                path.fresh |= number >= before;
                path.learn(part, fact, contents);
                into.push(path);
            }
        }
        Ok(())
    }

    /// Whether a value that was there the last time can lead to nothing new: nothing else that grew is still to be asked for.
    fn leads_to_old(&self, path: &Path, part: Part) -> bool {
        let settled = |other: &Part| *other == part || matches!(other, Part::Cell(_)) && path.known.contains_key(other);
        matches!(part, Part::Cell(_)) && !path.fresh && self.last.is_some() && self.grown.iter().all(settled)
    }

    /// There are so many processes: the last of them is there, and the next is not.
    fn count(&mut self, path: &Path, statement: u32, into: &mut Vec<Path>) -> Attempt<()> {
        self.asked_count = true;
        let known = path.sender.map_or(path.pid, |sender| sender.max(path.pid));
        for count in self.counts.clone().filter(|&count| count > known) {
            let mut ways = vec![path.clone()];
            let last = count - 1;
            for (slot, there) in [(last, true), (count, false)] {
                if there && (slot == path.pid || path.sender == Some(slot)) {
                    continue;
                }
                let part = Part::Slot(slot as u32);
                let mut next = Vec::new();
                for way in ways {
                    let states = self.ask(part);
                    let example = states.iter().find(|c| c.is_empty() != there && way.admits(part, c));
                    if let Some(example) = example {
                        self.pay(statement)?;
                        let mut way = way;
                        // Numbers of processes are rarely asked for: all of it is looked at again.
                        way.fresh = true;
                        way.learn(part, Fact::Present(there), example);
                        next.push(way);
                    }
                }
                ways = next;
            }
            for mut way in ways {
                way.extend_to(count);
                way.counted = true;
                into.push(way);
            }
        }
        Ok(())
    }
}
