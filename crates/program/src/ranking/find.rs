//! Ranks of the states of a product, by its strongly connected components: a component is not above those that lead to it, and shares
//! its rank with others as long as some mark is missing between all of them.

use super::product::{Edge, product};
use super::{ALL, Absent, Unranked, add};
use crate::data::Program;
use crate::endless::Marks;
use indexmap::IndexSet;
use prequel_evidence::certificate::Bounds;

/// Ranks that are tried above the lowest possible one before a new one is begun.
const TRIED: u32 = 8;

/// Ranks of all states, in the order in which they are met; nothing if there is a violation after all.
pub fn find(program: &Program, absent: Absent, bounds: &Bounds) -> Result<Option<Vec<u32>>, Unranked> {
    let mut edges = Edges::default();
    let states = product(program, absent, bounds, |edge| {
        edges.add(&edge, absent.counts(&edge.marks));
        Ok(())
    })?;
    edges.starts.resize(states + 1, edges.targets.len() as u32);
    Ok(edges.ranks())
}

/// The edges that count, by the state that they leave.
#[derive(Default)]
struct Edges {
    /// For each state where its edges start; one more at the end.
    starts: Vec<u32>,
    /// Where they lead, and which of the marks they have.
    targets: Vec<(u32, u32)>,
    marks: IndexSet<Marks>,
}

impl Edges {
    fn add(&mut self, edge: &Edge, counts: bool) {
        self.starts.resize(edge.from + 1, self.targets.len() as u32);
        if counts {
            let marks = self.marks.insert_full(edge.marks).0 as u32;
            self.targets.push((edge.to as u32, marks));
        }
    }

    fn of(&self, state: u32) -> std::ops::Range<u32> {
        self.starts[state as usize]..self.starts[state as usize + 1]
    }

    /// Gives each component a rank as soon as it is complete, when all that it leads to have theirs.
    fn ranks(&self) -> Option<Vec<u32>> {
        let states = self.starts.len() - 1;
        let mut ranked = Ranked { edges: self, ranks: vec![u32::MAX; states], inside: Vec::new() };
        // R. Tarjan's algorithm: the number of each state, the least that it reaches, and the states that are in no component yet.
        let (mut number, mut least) = (vec![u32::MAX; states], vec![0u32; states]);
        let (mut open, mut path, mut count) = (Vec::new(), Vec::new(), 0);
        for root in 0..states as u32 {
            if number[root as usize] != u32::MAX {
                continue;
            }
            path.push((root, self.of(root)));
            while let Some((state, rest)) = path.last_mut() {
                let at = *state as usize;
                if number[at] == u32::MAX {
                    (number[at], least[at]) = (count, count);
                    count += 1;
                    open.push(*state);
                }
                if let Some(edge) = rest.next() {
                    let to = self.targets[edge as usize].0;
                    if number[to as usize] == u32::MAX {
                        path.push((to, self.of(to)));
                    } else if ranked.ranks[to as usize] == u32::MAX {
                        least[at] = least[at].min(number[to as usize]);
                    }
                    continue;
                }
                path.pop();
                if least[at] == number[at] {
                    let from = open.iter().rposition(|&member| member as usize == at).expect("it is open");
                    ranked.component(&open[from..])?;
                    open.truncate(from);
                }
                if let Some((before, _)) = path.last() {
                    let before = *before as usize;
                    least[before] = least[before].min(least[at]);
                }
            }
        }
        Some(ranked.ranks)
    }
}

/// Ranks as far as they are known.
struct Ranked<'e> {
    edges: &'e Edges,
    ranks: Vec<u32>,
    /// The marks of the edges between states of each rank.
    inside: Vec<Marks>,
}

impl Ranked<'_> {
    /// Gives a component its rank; nothing if its edges have all marks.
    fn component(&mut self, members: &[u32]) -> Option<()> {
        let edges = || members.iter().flat_map(|&member| self.edges.of(member)).map(|e| self.edges.targets[e as usize]);
        let rank = |to: u32| Some(self.ranks[to as usize]).filter(|&rank| rank != u32::MAX);
        let lowest = edges().filter_map(|(to, _)| rank(to)).max().unwrap_or(0);
        let (mut own, mut down) = (Marks::default(), Marks::default());
        for (to, marks) in edges() {
            let marks = &self.edges.marks[marks as usize];
            match rank(to) {
                None => add(&mut own, marks),
                Some(rank) if rank == lowest => add(&mut down, marks),
                Some(_) => {}
            }
        }
        if own == ALL {
            return None;
        }
        let together = |rank: u32| {
            let mut all = own;
            self.inside.get(rank as usize).iter().for_each(|marks| add(&mut all, marks));
            if rank == lowest {
                add(&mut all, &down);
            }
            all
        };
        let fits = |&rank: &u32| together(rank) != ALL;
        let rank = (lowest..=lowest + TRIED).find(fits).unwrap_or(self.inside.len() as u32);
        let all = together(rank);
        if self.inside.len() <= rank as usize {
            self.inside.resize(rank as usize + 1, Marks::default());
        }
        self.inside[rank as usize] = all;
        members.iter().for_each(|&member| self.ranks[member as usize] = rank);
        Some(())
    }
}
