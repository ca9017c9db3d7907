//! Reachability with decision diagrams: states ring by ring, from the first ones on or back from the bad ones.
//!
//! What a step allows is a conjunction of many functions. It is never multiplied out: functions are joined into clusters of moderate
//! size, and a variable is quantified as soon as no later cluster has it (J. Burch, E. Clarke, D. Long: *Symbolic model checking
//! with partitioned transition relations*, 1991; the order in which clusters come is that of R. Ranjan et al., IWLS 1995).

use super::diagram::{Bdd, Diagrams, Stop};
use oxidd::{BooleanFunction, BooleanFunctionQuant, Function};
use prequel_model::run::Run;
use prequel_model::{Aig, Bit, Lit};

/// Functions are joined while their conjunction has no more nodes than this.
const CLUSTER: usize = 2500;

/// The question: from the first states, by steps that all these functions allow, to bad states.
pub struct Question<'a> {
    /// The graph that the functions are in.
    pub aig: &'a Aig,
    /// All of them hold in the first state.
    pub initial: &'a [Lit],
    /// All of them hold of a step.
    pub steps: &'a [Lit],
    /// The states to be reached.
    pub bad: Lit,
}

/// Where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// With the first states.
    Forward,
    /// With the bad ones.
    Backward,
}

/// What is reached.
pub struct Reached {
    direction: Direction,
    /// States by their distance from those that it begins with.
    rings: Vec<Bdd>,
    /// The states of the last ring that are looked for, if there are any.
    hit: Option<Bdd>,
    /// All of them. Forward, perhaps more: what no step and no bad state looks at is left out.
    all: Bdd,
    /// The first states, with all that is said of them.
    start: Bdd,
    relation: Vec<Cluster>,
}

struct Cluster {
    allows: Bdd,
    /// The variables to be quantified that nobody later has: those of now, or backward those of after the step.
    done: Bdd,
}

impl Reached {
    /// How many steps the bad states are away, if they are reached.
    pub fn distance(&self) -> Option<u32> {
        self.hit.as_ref().map(|_| self.rings.len() as u32 - 1)
    }

    /// States that are never left, where bad ones are not reached.
    pub fn invariant(&self) -> Result<Bdd, Stop> {
        Ok(match self.direction {
            Direction::Forward => self.all.clone(),
            Direction::Backward => self.all.not()?,
        })
    }

    /// Explores until what is looked for is found or nothing is new.
    pub fn explore(
        diagrams: &mut Diagrams,
        question: &Question,
        direction: Direction,
        run: &Run,
    ) -> Result<Self, Stop> {
        let check = run.check();
        let relation = clusters(diagrams, question, run)?;
        let bad = diagrams.of(question.aig, question.bad)?;
        let start = first_states(diagrams, question, run)?;
        let (first, wanted) = match direction {
            Direction::Forward => (without_the_ignored(diagrams, &start, &relation, &bad)?, bad),
            Direction::Backward => (bad, start.clone()),
        };
        let (before, done) = schedule(diagrams, &relation, direction)?;
        let relation: Vec<Cluster> =
            relation.into_iter().zip(done).map(|(allows, done)| Cluster { allows, done }).collect();
        let mut found = Reached { direction, rings: vec![first.clone()], hit: None, all: first, start, relation };
        loop {
            let ring = found.rings.last().expect("there is a first ring").clone();
            let hit = ring.and(&wanted)?;
            if hit.satisfiable() {
                found.hit = Some(hit);
                return Ok(found);
            }
            let mut image = match direction {
                Direction::Forward => ring.exists(&before)?,
                Direction::Backward => diagrams.renamed_next(&ring)?.exists(&before)?,
            };
            for Cluster { allows, done } in &found.relation {
                image = diagrams.and_exists(&image, allows, done)?;
                check.explored(0, 0)?;
            }
            let next = match direction {
                Direction::Forward => diagrams.renamed(&image)?,
                Direction::Backward => image,
            };
            let fresh = next.and(&found.all.not()?)?;
            if !fresh.satisfiable() {
                return Ok(found);
            }
            found.all = found.all.or(&fresh)?;
            found.rings.push(fresh);
            diagrams.tidy();
            check.explored(0, 0)?;
        }
    }

    /// A shortest path to a bad state, state by state.
    pub fn path(&self, diagrams: &Diagrams, bits: u32) -> Result<Option<Vec<Vec<bool>>>, Stop> {
        let Some(mut set) = self.hit.clone() else { return Ok(None) };
        let mut path: Vec<Vec<bool>> = Vec::new();
        if self.direction == Direction::Backward {
            path.extend(diagrams.state(&set));
            for ring in self.rings.iter().rev().skip(1) {
                let now = path.last().expect("there is a first state");
                let now = diagrams.assignment((0..bits).map(|bit| (Bit(bit).now(), now[bit as usize])))?;
                let mut after = diagrams.constant(true);
                for cluster in &self.relation {
                    after = after.and(&cluster.allows.restrict(&now)?)?;
                }
                path.extend(diagrams.state(&diagrams.renamed(&after)?.and(ring)?));
            }
            return Ok(Some(path));
        }
        for (at, ring) in self.rings.iter().enumerate().rev() {
            if let Some(next) = path.last() {
                let next = diagrams.assignment((0..bits).map(|bit| (Bit(bit).next(), next[bit as usize])))?;
                set = ring.clone();
                for cluster in &self.relation {
                    set = set.and(&cluster.allows.restrict(&next)?)?;
                }
            }
            if at == 0 {
                set = set.and(&self.start)?;
            }
            path.extend(diagrams.state(&set));
        }
        path.reverse();
        Ok(Some(path))
    }
}

/// The functions of a step, joined into clusters, in the order in which they are used.
fn clusters(diagrams: &mut Diagrams, question: &Question, run: &Run) -> Result<Vec<Bdd>, Stop> {
    let mut left = Vec::new();
    for &f in question.steps {
        let mut pieces: Vec<Bdd> = Vec::new();
        for piece in diagrams.all(question.aig, &question.aig.conjuncts(f))? {
            join(&mut pieces, piece)?;
            run.allowed()?;
        }
        left.extend(pieces.into_iter().map(|piece| (piece.clone(), diagrams.support(&piece))));
    }
    // Next is the one after which most variables are done, and that brings in the fewest new ones.
    let mut users = vec![0u32; diagrams.inputs()];
    left.iter().flat_map(|(_, support)| support).for_each(|&input| users[input as usize] += 1);
    let mut seen = vec![false; users.len()];
    let mut ordered: Vec<Bdd> = Vec::new();
    while !left.is_empty() {
        let gain = |support: &[u32]| -> i64 {
            let one = |&input: &u32| match Bit::of(input) {
                (_, false) => i64::from(users[input as usize] == 1) * 2 - i64::from(!seen[input as usize]),
                (_, true) => -i64::from(!seen[input as usize]),
            };
            support.iter().map(one).sum()
        };
        let best = (0..left.len()).max_by_key(|&at| (gain(&left[at].1), std::cmp::Reverse(at))).expect("some are left");
        let (diagram, support) = left.remove(best);
        for input in support {
            users[input as usize] -= 1;
            seen[input as usize] = true;
        }
        join(&mut ordered, diagram)?;
        run.allowed()?;
    }
    Ok(ordered)
}

/// Joins a function to the last one, unless that becomes too large.
fn join(functions: &mut Vec<Bdd>, f: Bdd) -> Result<(), Stop> {
    if let Some(last) = functions.last_mut()
        && last.node_count() + f.node_count() <= CLUSTER
    {
        let joined = last.and(&f)?;
        if joined.node_count() <= CLUSTER {
            *last = joined;
            return Ok(());
        }
    }
    functions.push(f);
    Ok(())
}

/// The first states.
fn first_states(diagrams: &mut Diagrams, question: &Question, run: &Run) -> Result<Bdd, Stop> {
    let mut parts: Vec<Lit> = question.initial.iter().flat_map(|&f| question.aig.conjuncts(f)).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut first = diagrams.constant(true);
    for f in diagrams.all(question.aig, &parts)? {
        first = first.and(&f)?;
        run.allowed()?;
    }
    Ok(first)
}

/// A set of states without what neither a step nor the bad states look at.
fn without_the_ignored(diagrams: &Diagrams, set: &Bdd, relation: &[Bdd], bad: &Bdd) -> Result<Bdd, Stop> {
    let mut looked_at = vec![false; diagrams.inputs()];
    for input in relation.iter().chain([bad]).flat_map(|f| diagrams.support(f)) {
        looked_at[input as usize] = true;
    }
    let ignored: Vec<u32> = diagrams.support(set).into_iter().filter(|&input| !looked_at[input as usize]).collect();
    Ok(set.exists(&diagrams.cube(ignored)?)?)
}

/// The variables that can be quantified before the first cluster, and after each of them.
fn schedule(diagrams: &Diagrams, relation: &[Bdd], direction: Direction) -> Result<(Bdd, Vec<Bdd>), Stop> {
    let mut last: Vec<Option<usize>> = vec![None; diagrams.inputs()];
    for (at, cluster) in relation.iter().enumerate() {
        diagrams.support(cluster).into_iter().for_each(|input| last[input as usize] = Some(at));
    }
    let next = direction == Direction::Backward;
    let done = |at: Option<usize>| {
        let quantified = |input: &u32| Bit::of(*input).1 == next && last[*input as usize] == at;
        (0..last.len() as u32).filter(quantified).collect::<Vec<u32>>()
    };
    let after: Result<Vec<Bdd>, _> = (0..relation.len()).map(|at| diagrams.cube(done(Some(at)))).collect();
    Ok((diagrams.cube(done(None))?, after?))
}
