//! Algorithms 1 and 2 as they stand: partial products are explored on the fly, path by path, and taken back where they lead nowhere.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | an element (Left, (A, C, I, J, K), Right) of Ls | `Line`: levels, and which is the current one |
//! | complete (Definition 12) | a path that is [`Wanted::Private`] |
//! | line 4: C* that is more than C and reaches the goal | a path that is [`Wanted::New`] |
//! | line 7: forth again, with what is remembered | `Lines::concretise`, a level above is there |
//! | lines 10 to 12: K' among those that the path meets | `Lines::concretise`, no level is above |
//! | lines 15 to 19: back, FORGET | `Lines::concretise`, no path |
//! | MERGE | `Lines::merge` |
//!
//! **Departures.** Whether a part is complete, and whom it lacks, is asked of one path, and not of all that was explored: else
//! components are added that no path to the goal needs. MERGE keeps nothing but what is asked of the components. Paths one by one
//! can be very many: after some were taken back, C* is all that leads to the goal, which the paper allows as well.

use super::Lazy;
use super::goal::PartialState;
use super::level::{Level, View, Wanted};
use super::next::choose;
use super::solve::{Found, Share};
use super::system::{Owners, System};
use crate::race::{Lane, Stop};
use prequel_model::{ComponentId, LabelId};

/// What is forgotten of the levels above when a path is taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forget {
    /// Who was added, and what was explored with them.
    All,
    /// Nothing.
    Nothing,
}

/// The levels of a part, each with more components than the one below.
struct Line {
    /// I: the components that the goal mentions.
    wanted: Vec<ComponentId>,
    levels: Vec<Level>,
    /// The current one: those below are Left, those above are Right.
    at: usize,
    /// The labels of a path that meets nobody outside, once there is one.
    complete: Vec<LabelId>,
    /// How many more paths may be taken back one by one.
    patience: u64,
}

/// How a line goes on.
enum Step {
    /// It reaches its share of the goal alone.
    Complete,
    /// It needs a component that this line has.
    Meets(u32),
    /// These components cannot reach their share of the goal.
    Refuted(Vec<ComponentId>),
}

struct Lines<'a> {
    system: &'a System<'a>,
    state: &'a PartialState,
    options: &'a Lazy,
    lane: &'a Lane<'a>,
    owners: Owners,
    /// For each component of a line, the level that adds it and its place there.
    place: Vec<(u32, u32)>,
    lines: Vec<Option<Line>>,
}

/// Decides whether one partial state is reachable.
pub fn solve(system: &System<'_>, state: &PartialState, options: &Lazy, lane: &Lane<'_>) -> Result<Found, Stop> {
    let (owners, place) = (Owners::none(system), vec![(0, 0); system.len()]);
    let mut all = Lines { system, state, options, lane, owners, place, lines: Vec::new() };
    for (at, (c, _)) in state.iter().enumerate() {
        let line = all.line(vec![*c], at as u32);
        all.lines.push(Some(line));
    }
    for at in 0..all.lines.len() {
        // It may have become a piece of another one.
        let Some(mut line) = all.lines[at].take() else { continue };
        let id = at as u32;
        loop {
            match all.concretise(&mut line, id)? {
                Step::Complete => break,
                Step::Meets(other) => line = all.merge(line, id, other),
                Step::Refuted(by) => return Ok(Found::Refuted(by)),
            }
        }
        all.lines[at] = Some(line);
    }
    Ok(Found::Reached(all.shares()))
}

impl Lines<'_> {
    /// A line with one level: all that the goal mentions.
    fn line(&mut self, wanted: Vec<ComponentId>, id: u32) -> Line {
        let first = self.level(wanted.clone(), id, &[]);
        Line { wanted, levels: vec![first], at: 0, complete: Vec::new(), patience: self.options.patience }
    }

    /// A level above others that adds these components to a line.
    fn level(&mut self, added: Vec<ComponentId>, id: u32, below: &[Level]) -> Level {
        self.owners.give(&added, id);
        added.iter().zip(0..).for_each(|(c, place)| self.place[c.at()] = (below.len() as u32, place));
        Level::new(added, &self.view(below, id))
    }

    /// What the level above these sees.
    fn view<'a>(&'a self, below: &'a [Level], id: u32) -> View<'a> {
        let Self { system, state, owners, place, .. } = self;
        View { system, state, owners, place, id, number: below.len() as u32, below: below.last() }
    }

    /// Algorithm 2, CONCRETISE, until the line is complete or needs what another one has.
    fn concretise(&mut self, line: &mut Line, id: u32) -> Result<Step, Stop> {
        let (order, lane) = (self.options.path, self.lane);
        // Who the last level was that could not go on.
        let mut refuted_by = Vec::new();
        loop {
            let (below, above) = line.levels.split_at_mut(line.at);
            let (level, right) = above.split_first_mut().expect("the current level");
            let is_last = right.is_empty();
            let view = self.view(below, id);
            let at = line.at;
            if let Some(path) = view.path(level, Wanted::Private, order, lane)? {
                line.complete = path.labels;
                self.forget(line, at + 1);
                return Ok(Step::Complete);
            }
            match view.path(level, Wanted::New, order, lane)? {
                Some(path) => {
                    match line.patience {
                        0 => level.add_all(&view, lane)?,
                        _ => level.add(&path, &view),
                    }
                    if is_last {
                        let mut met: Vec<ComponentId> = path.labels.iter().flat_map(|&l| view.outside(l)).collect();
                        met.sort_unstable();
                        met.dedup();
                        let comes = |c: ComponentId| self.system.component(c).alphabet();
                        let inside = |c: ComponentId| self.owners.has(id, c);
                        let next = choose(self.options.next, &met, self.system, comes, inside, |c, p| c == p);
                        if let Some(other) = self.owners.part_of(next) {
                            return Ok(Step::Meets(other));
                        }
                        let above = self.level(vec![next], id, &line.levels);
                        line.levels.push(above);
                    }
                    line.at += 1;
                }
                None => {
                    if !level.has_path() {
                        refuted_by = line.levels[..=at].iter().flat_map(|l| &l.added).copied().collect();
                    }
                    if at == 0 {
                        return Ok(Step::Refuted(refuted_by));
                    }
                    if self.options.forget == Forget::All {
                        self.forget(line, at);
                    }
                    line.patience = line.patience.saturating_sub(1);
                    line.at -= 1;
                }
            }
        }
    }

    /// Takes levels back, from this number on.
    fn forget(&mut self, line: &mut Line, from: usize) {
        line.levels.drain(from..).for_each(|level| self.owners.release(&level.added));
    }

    /// MERGE: a line for what is asked of both.
    fn merge(&mut self, mut line: Line, id: u32, other: u32) -> Line {
        let mut other = self.lines[other as usize].take().expect("lines own their components");
        self.forget(&mut line, 0);
        self.forget(&mut other, 0);
        line.wanted.append(&mut other.wanted);
        self.line(line.wanted, id)
    }

    /// What each component does on the paths of all lines.
    fn shares(&self) -> Vec<Share> {
        let lines = || self.lines.iter().flatten();
        let mut letters: Vec<Vec<LabelId>> = vec![Vec::new(); self.system.len()];
        for &label in lines().flat_map(|line| &line.complete).filter(|&&l| !self.system.alone(l)) {
            self.system.participants(label).iter().for_each(|c| letters[c.at()].push(label));
        }
        let members = lines().flat_map(|line| &line.levels).flat_map(|level| &level.added);
        members.map(|&component| Share { component, letters: std::mem::take(&mut letters[component.at()]) }).collect()
    }
}
