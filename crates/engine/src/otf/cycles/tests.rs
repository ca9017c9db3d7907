//! Random graphs with marks: one thread and several say what the definition says, and what they show is there.

use super::*;
use prequel_model::rng::Rng;
use prequel_model::run::Limits;

/// All marks: two that edges may have or not, and the rest that all have.
const ALL: u64 = u64::MAX;

/// States by number, and the edges of each with their marks.
struct Drawn {
    edges: Vec<Vec<(u64, u64)>>,
    seeks: Seeks,
}

impl Drawn {
    fn random(rng: &mut Rng, seeks: Seeks) -> Self {
        let states = 1 + rng.below(40);
        let edge = |rng: &mut Rng| {
            let marks = [0, 1, 2, 3][rng.below(4)];
            (rng.below(states) as u64, ALL - 3 + marks)
        };
        let edges = (0..states).map(|_| (0..rng.below(4)).map(|_| edge(rng)).collect()).collect();
        Self { edges, seeks }
    }

    /// The edges that can be part of what is looked for.
    fn counted(&self, from: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.edges[from as usize].iter().copied().filter(|&(_, marks)| self.seeks.counts(&[marks]))
    }

    /// What can be reached from a state, without the state itself where it is on no cycle.
    fn behind(&self, state: u64, counted: bool) -> Vec<u64> {
        let (mut found, mut open) = (Vec::new(), vec![state]);
        while let Some(at) = open.pop() {
            for &(next, marks) in &self.edges[at as usize] {
                if (!counted || self.seeks.counts(&[marks])) && !found.contains(&next) {
                    found.push(next);
                    open.push(next);
                }
            }
        }
        found
    }

    /// Whether there is what is looked for, by the definition.
    fn has(&self) -> bool {
        let mut met = self.behind(0, false);
        met.push(0);
        let marks = |state: u64, members: &[u64]| {
            let inside = self.counted(state).filter(|(next, _)| members.contains(next));
            inside.fold(0, |all, (_, marks)| all | marks)
        };
        match self.seeks {
            Seeks::Cycle(_) => met.iter().any(|&state| {
                let members: Vec<u64> =
                    self.behind(state, true).into_iter().filter(|&m| self.behind(m, true).contains(&state)).collect();
                !members.is_empty() && members.iter().fold(0, |all, &m| all | marks(m, &members)) == ALL
            }),
            Seeks::Trap => met.iter().any(|&state| {
                let mut members = self.behind(state, false);
                members.push(state);
                members.iter().fold(0, |all, &m| all | marks(m, &members)) != ALL
            }),
        }
    }

    /// Whether what was found is there.
    fn shows(&self, found: &Found<1>) -> bool {
        let leads = |from: &[u64], to: &[u64], marks: u64| {
            self.edges[from[0] as usize].iter().any(|&(next, has)| next == to[0] && marks & !has == 0)
        };
        let is_path = |path: &[Vec<u64>]| path[0] == [0] && path.windows(2).all(|pair| leads(&pair[0], &pair[1], 0));
        match found {
            Found::Target(_) => false,
            Found::Trap(path) => {
                let last = path.last().expect("a path has states")[0];
                let mut members = self.behind(last, false);
                members.push(last);
                let all = members.iter().flat_map(|&m| self.counted(m)).fold(0, |all, (_, marks)| all | marks);
                is_path(path) && all != ALL
            }
            Found::Lasso(stem, cycle) => {
                let next = |at: usize| &cycle[(at + 1) % cycle.len()].0;
                let edges = cycle
                    .iter()
                    .enumerate()
                    .all(|(at, (state, marks))| leads(state, next(at), marks[0]) && self.seeks.counts(marks));
                let all = cycle.iter().fold(0, |all, (_, marks)| all | marks[0]);
                is_path(stem) && stem.last() == Some(&cycle[0].0) && edges && all == ALL
            }
        }
    }
}

impl MarkedSpace<1> for Drawn {
    type Scratch = ();

    fn scratch(&self) {}

    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> Vec<u64> {
        vec![0]
    }

    fn edges(&self, state: &[u64], (): &mut (), out: &mut Vec<u64>) -> Expansion {
        out.extend(self.edges[state[0] as usize].iter().flat_map(|&(next, marks)| [next, marks]));
        Expansion::Complete
    }

    fn seeks(&self) -> Seeks {
        self.seeks
    }
}

#[test]
fn one_thread_and_several_find_what_there_is() {
    let mut rng = Rng::new(20);
    let (mut found, mut absent) = (0, 0);
    for round in 0..6_000 {
        let seeks = [Seeks::Cycle(None), Seeks::Cycle(Some(1)), Seeks::Trap][round % 3];
        let graph = Drawn::random(&mut rng, seeks);
        let has = graph.has();
        let run = || Run::new(Limits { threads: 2, ..Limits::default() }, 0);
        let (alone, together) = (run(), run());
        let ways = [search(&graph, &alone).unwrap(), levels::search(&graph, &together).unwrap()];
        for way in &ways {
            assert_eq!(way.is_some(), has, "round {round}");
            assert!(way.as_ref().is_none_or(|found| graph.shows(found)), "round {round}: {way:?}");
        }
        if !has {
            let [one, several] = [alone.effort(), together.effort()];
            assert_eq!((one.states_total, one.transitions), (several.states_total, several.transitions));
        }
        *if has { &mut found } else { &mut absent } += 1;
    }
    assert!(found > 500 && absent > 500, "{found} with, {absent} without");
}
