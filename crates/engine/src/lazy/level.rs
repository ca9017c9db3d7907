//! Levels of a part: partial products, explored on the fly.
//!
//! A state of a level is a row: the state of the level below that it is about, then a local state of each component that the level adds.
//! What the level below has not explored cannot be used, so a level holds no more than was found to lead to the goal below.

use super::goal::{PartialState, may_end};
use super::part::Path;
use super::system::{Owners, System};
use crate::race::{Lane, Stop};
use hashbrown::HashTable;
use prequel_model::{ComponentId, LabelId, StateId};
use rustc_hash::FxHasher;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hasher as _;

/// Rows of one width, each with a number.
struct Rows {
    width: usize,
    data: Vec<u32>,
    table: HashTable<u32>,
}

impl Rows {
    fn new(width: usize) -> Self {
        Self { width, data: Vec::new(), table: HashTable::new() }
    }

    fn len(&self) -> usize {
        self.data.len() / self.width
    }

    fn row(&self, number: u32) -> &[u32] {
        let start = number as usize * self.width;
        &self.data[start..start + self.width]
    }

    fn find(&self, row: &[u32]) -> Option<u32> {
        self.table.find(hash(row), |&n| self.row(n) == row).copied()
    }

    /// The number of a row, new if need be.
    fn intern(&mut self, row: &[u32]) -> u32 {
        if let Some(number) = self.find(row) {
            return number;
        }
        let number = self.len() as u32;
        self.data.extend_from_slice(row);
        let (data, width) = (&self.data, self.width);
        self.table.insert_unique(hash(row), number, |&n| hash(&data[n as usize * width..][..width]));
        number
    }
}

fn hash(row: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    row.iter().for_each(|&n| hasher.write_u32(n));
    hasher.finish()
}

/// A tuple (A, C, J, K) of the paper: A is C of the level below, and J all that the levels below have added.
pub struct Level {
    /// K: the components that it adds.
    pub added: Vec<ComponentId>,
    /// C: the states on paths that were chosen so far, their edges, and whether they are as the goal wants.
    rows: Rows,
    edges: Vec<Vec<(LabelId, u32)>>,
    good: Vec<bool>,
}

impl Level {
    /// With nothing but the initial state.
    pub fn new(added: Vec<ComponentId>, view: &View<'_>) -> Self {
        let mut level = Self { rows: Rows::new(added.len() + 1), added, edges: Vec::new(), good: Vec::new() };
        let initial = level.initial(view.system);
        level.state(&initial, view);
        level
    }

    /// Whether some path was chosen.
    pub fn has_path(&self) -> bool {
        self.edges.iter().any(|edges| !edges.is_empty())
    }

    fn initial(&self, system: &System<'_>) -> Vec<u32> {
        // The initial state of the level below is its first one.
        let locals = self.added.iter().map(|&c| system.component(c).lts.initial().0);
        std::iter::once(0).chain(locals).collect()
    }

    fn state(&mut self, row: &[u32], view: &View<'_>) -> u32 {
        let number = self.rows.intern(row);
        if self.edges.len() < self.rows.len() {
            self.edges.push(Vec::new());
            self.good.push(view.is_good(self, row));
        }
        number
    }

    /// Adds a path: C becomes C*.
    pub fn add(&mut self, path: &Found, view: &View<'_>) {
        let mut from = self.state(&self.initial(view.system), view);
        for (at, &label) in path.labels.iter().enumerate() {
            let row = &path.rows[at * self.rows.width..][..self.rows.width];
            let to = self.state(row, view);
            self.edge(from, label, to);
            from = to;
        }
    }

    /// Adds all paths to the goal that there are.
    pub fn add_all(&mut self, view: &View<'_>, lane: &Lane<'_>) -> Result<(), Stop> {
        let mut rows = Rows::new(self.rows.width);
        rows.intern(&self.initial(view.system));
        let mut found: Vec<(u32, LabelId, u32)> = Vec::new();
        let mut before: Vec<Vec<u32>> = vec![Vec::new()];
        let (mut out, mut labels, mut row) = (Vec::new(), Vec::new(), Vec::new());
        let (check, mut at) = (lane.check(), 0);
        while at < rows.len() {
            let (known, from) = (rows.len(), at as u32);
            row.clear();
            row.extend_from_slice(rows.row(from));
            out.clear();
            labels.clear();
            view.successors(self, &row, &mut out, &mut labels);
            for (to, &label) in out.chunks(row.len()).zip(&labels) {
                let to = rows.intern(to);
                before.resize(rows.len(), Vec::new());
                before[to as usize].push(from);
                found.push((from, label, to));
            }
            at += 1;
            check.explored((rows.len() - known) as u64, labels.len() as u64)?;
        }
        let mut leads = vec![false; rows.len()];
        let mut open: Vec<u32> = (0..rows.len() as u32).filter(|&n| view.is_good(self, rows.row(n))).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut leads[state as usize], true) {
                open.extend_from_slice(&before[state as usize]);
            }
        }
        for (from, label, to) in found.into_iter().filter(|&(from, _, to)| leads[from as usize] && leads[to as usize]) {
            let (from, to) = (self.state(rows.row(from), view), self.state(rows.row(to), view));
            self.edge(from, label, to);
        }
        Ok(())
    }

    fn edge(&mut self, from: u32, label: LabelId, to: u32) {
        let edges = &mut self.edges[from as usize];
        if !edges.contains(&(label, to)) {
            edges.push((label, to));
        }
    }

    fn has(&self, from: &[u32], label: LabelId, to: &[u32]) -> bool {
        let ends = self.rows.find(from).zip(self.rows.find(to));
        ends.is_some_and(|(from, to)| self.edges[from as usize].contains(&(label, to)))
    }
}

/// Which path is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// One that meets nobody outside (Definition 12).
    Private,
    /// One with an edge that was not chosen before: C* is more than C.
    New,
}

/// A path to the goal.
#[derive(Debug)]
pub struct Found {
    /// What happens on it.
    pub labels: Vec<LabelId>,
    /// Where each step leads, one row after the other.
    rows: Vec<u32>,
}

/// What a level must know to look further: all but the level itself.
pub struct View<'a> {
    pub system: &'a System<'a>,
    pub state: &'a PartialState,
    pub owners: &'a Owners,
    /// For each component of this part, the level that adds it and its place there.
    pub place: &'a [(u32, u32)],
    /// The part's number.
    pub id: u32,
    /// The level's number.
    pub number: u32,
    /// The level below, if there is one.
    pub below: Option<&'a Level>,
}

impl View<'_> {
    fn is_good(&self, level: &Level, row: &[u32]) -> bool {
        self.below.is_none_or(|below| below.good[row[0] as usize])
            && level.added.iter().zip(&row[1..]).all(|(&c, &s)| may_end(self.state, c, StateId(s)))
    }

    /// Who of those that this level and those below have takes part in a label, with the level that adds them.
    fn inside(&self, label: LabelId) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mine = |c: &&ComponentId| self.owners.has(self.id, **c);
        let place = |c: &ComponentId| self.place[c.at()];
        self.system.participants(label).iter().filter(mine).map(place).filter(|(level, _)| *level <= self.number)
    }

    /// Who else takes part in a label.
    pub fn outside(&self, label: LabelId) -> impl Iterator<Item = ComponentId> + '_ {
        let known = |c: &ComponentId| self.owners.has(self.id, *c) && self.place[c.at()].0 <= self.number;
        self.system.participants(label).iter().copied().filter(move |c| !known(c))
    }

    /// A path of the level to the goal, if there is such a one.
    pub fn path(&self, level: &Level, wanted: Wanted, order: Path, lane: &Lane<'_>) -> Result<Option<Found>, Stop> {
        let mut search = Search { rows: Rows::new(level.rows.width), from: Vec::new() };
        let mut open = BinaryHeap::new();
        let initial = search.rows.intern(&level.initial(self.system));
        open.push(Reverse(((0usize, 0usize), 2 * initial, None)));
        let (mut out, mut labels, mut row) = (Vec::new(), Vec::new(), Vec::new());
        let check = lane.check();
        let (mut reported, mut transitions) = (0, 0);
        while let Some(Reverse((key, node, from))) = open.pop() {
            search.from.resize(2 * search.rows.len(), None);
            if search.from[node as usize].is_some() {
                continue;
            }
            search.from[node as usize] = Some(from);
            row.clear();
            row.extend_from_slice(search.rows.row(node / 2));
            let is_new = node % 2 == 1;
            if (is_new || wanted == Wanted::Private) && self.is_good(level, &row) {
                check.explored((search.rows.len() - reported) as u64, transitions)?;
                return Ok(Some(search.back(node)));
            }
            out.clear();
            labels.clear();
            self.successors(level, &row, &mut out, &mut labels);
            for (to, &label) in out.chunks(row.len()).zip(&labels) {
                let met = self.outside(label).count();
                if wanted == Wanted::Private && met > 0 {
                    continue;
                }
                let goes_new = wanted == Wanted::New && (is_new || !level.has(&row, label, to));
                let target = 2 * search.rows.intern(to) + u32::from(goes_new);
                if search.from.get(target as usize).copied().flatten().is_none() {
                    let (few, length) = if order == Path::Few { key } else { (key.1, key.0) };
                    let (few, length) = (few + met, length + 1);
                    let key = if order == Path::Few { (few, length) } else { (length, few) };
                    open.push(Reverse((key, target, Some((node, label)))));
                }
            }
            transitions += labels.len() as u64;
            if search.rows.len() - reported >= 4096 {
                check.explored((search.rows.len() - reported) as u64, transitions)?;
                (reported, transitions) = (search.rows.len(), 0);
            }
        }
        check.explored((search.rows.len() - reported) as u64, transitions)?;
        Ok(None)
    }

    /// All steps of a row: what the level below has explored, and what the added ones do without it.
    fn successors(&self, level: &Level, row: &[u32], out: &mut Vec<u32>, labels: &mut Vec<LabelId>) {
        let width = row.len();
        let mine = |label: LabelId| self.inside(label).filter(|(at, _)| *at == self.number).map(|(_, place)| place);
        for &(label, to) in self.below.map_or(&[][..], |below| &below.edges[row[0] as usize]) {
            let start = out.len();
            out.extend_from_slice(row);
            out[start] = to;
            mine(label).all(|place| extend(self.system, level, row, place, label, start, out));
            labels.resize(out.len() / width, label);
        }
        for (place, &c) in level.added.iter().enumerate() {
            for edge in self.system.component(c).lts.row(StateId(row[place + 1])) {
                let first = || mine(edge.label).next() == Some(place as u32);
                let by_itself = || self.inside(edge.label).all(|(at, _)| at == self.number);
                if !(edge.label.is_tau() || first() && by_itself()) {
                    continue;
                }
                let start = out.len();
                out.extend_from_slice(row);
                out[start + place + 1] = edge.target.0;
                mine(edge.label).skip(1).all(|other| extend(self.system, level, row, other, edge.label, start, out));
                labels.resize(out.len() / width, edge.label);
            }
        }
    }
}

/// Adds one participant's move to all unfinished steps from `start` on; false when it blocks them.
fn extend(
    system: &System<'_>,
    level: &Level,
    row: &[u32],
    place: u32,
    label: LabelId,
    start: usize,
    out: &mut Vec<u32>,
) -> bool {
    let (width, column) = (row.len(), place as usize + 1);
    let component = system.component(level.added[place as usize]);
    let Some((first, rest)) = component.lts.row_on(StateId(row[column]), label).split_first() else {
        out.truncate(start);
        return false;
    };
    let end = out.len();
    for choice in rest {
        for from in (start..end).step_by(width) {
            let at = out.len();
            out.extend_from_within(from..from + width);
            out[at + column] = choice.target.0;
        }
    }
    (start..end).step_by(width).for_each(|from| out[from + column] = first.target.0);
    true
}

/// A search in progress. A node is twice the number of a row, and one more where the way there has something new.
struct Search {
    rows: Rows,
    /// For each node that is done, the one before it and the label between them; none for the first.
    from: Vec<Option<Option<(u32, LabelId)>>>,
}

impl Search {
    fn back(&self, mut node: u32) -> Found {
        let (mut labels, mut nodes) = (Vec::new(), Vec::new());
        while let Some((before, label)) = self.from[node as usize].expect("it is done") {
            labels.push(label);
            nodes.push(node);
            node = before;
        }
        labels.reverse();
        let rows = nodes.iter().rev().flat_map(|&node| self.rows.row(node / 2)).copied().collect();
        Found { labels, rows }
    }
}
