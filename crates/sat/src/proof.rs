//! What CaDiCaL tells of its refutation, and its replay as resolution.

use cadical_sys::ProofTracer;
use rustc_hash::FxHashMap;

/// A proof that is not one by resolution. Nothing is concluded from such a proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the solver's proof cannot be replayed: {0}")]
pub struct Broken(pub String);

/// A clause and where it comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// It was given, as a clause of this part.
    Part(u32),
    /// It follows from these clauses: a range of `antecedents`.
    Learned(u32, u32),
}

/// Clauses as they come, in flat lists.
#[derive(Default, Debug)]
pub(super) struct Recorder {
    /// The part of the clauses that are given now.
    pub part: u32,
    literals: Vec<i32>,
    ends: Vec<u32>,
    origins: Vec<Origin>,
    antecedents: Vec<i64>,
    by_id: FxHashMap<i64, u32>,
    root: Option<u32>,
    broken: Option<String>,
}

/// A step of the replay.
pub(super) enum Step<'a> {
    /// A given clause of a part.
    Given(u32, &'a [i32]),
    /// A clause by resolution: the first one, then others with the variable that each is resolved on.
    Derived(u32, &'a [(u32, i32)]),
}

impl Recorder {
    fn push(&mut self, id: i64, clause: &[i32], origin: Origin) {
        let at = self.origins.len() as u32;
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len() as u32);
        self.origins.push(origin);
        self.by_id.insert(id, at);
        if clause.is_empty() && self.root.is_none() {
            self.root = Some(at);
        }
    }

    fn clause(&self, at: u32) -> &[i32] {
        let start = if at == 0 { 0 } else { self.ends[at as usize - 1] };
        &self.literals[start as usize..self.ends[at as usize] as usize]
    }

    /// All given clauses, with their parts.
    pub fn given(&self) -> impl Iterator<Item = (u32, &[i32])> {
        (0..self.origins.len() as u32).filter_map(|at| match self.origins[at as usize] {
            Origin::Part(part) => Some((part, self.clause(at))),
            Origin::Learned(..) => None,
        })
    }

    fn lookup(&self, id: i64) -> Result<u32, Broken> {
        self.by_id.get(&id).copied().ok_or_else(|| Broken(format!("there is no clause {id}")))
    }

    /// The clauses that the empty one rests on, in the order in which they came.
    fn needed(&self) -> Result<Vec<u32>, Broken> {
        if let Some(why) = &self.broken {
            return Err(Broken(why.clone()));
        }
        let root = self.root.ok_or_else(|| Broken("there is no empty clause".into()))?;
        let mut needed = vec![false; root as usize + 1];
        needed[root as usize] = true;
        for at in (0..=root).rev().filter(|&at| self.origins.len() > at as usize) {
            if let (true, Origin::Learned(from, to)) = (needed[at as usize], self.origins[at as usize]) {
                for &id in &self.antecedents[from as usize..to as usize] {
                    let before = self.lookup(id)?;
                    if before >= at {
                        return Err(Broken(format!("clause {id} comes after what rests on it")));
                    }
                    needed[before as usize] = true;
                }
            }
        }
        Ok((0..=root).filter(|&at| needed[at as usize]).collect())
    }

    /// Goes through what the empty clause rests on, given clauses and resolutions, in order; `step` learns the number of the clause
    /// and how it comes about. The last one is the empty clause.
    pub fn replay(&self, mut step: impl FnMut(u32, Step<'_>)) -> Result<(), Broken> {
        // The sign of each variable in the clause under way; 0 where it is not in it.
        let variables = self.literals.iter().map(|l| l.unsigned_abs()).max().unwrap_or(0) as usize;
        let mut sign = vec![0i8; variables + 1];
        let mut chain = Vec::new();
        for at in self.needed()? {
            let (from, to) = match self.origins[at as usize] {
                Origin::Part(part) => {
                    step(at, Step::Given(part, self.clause(at)));
                    continue;
                }
                Origin::Learned(from, to) => (from as usize, to as usize),
            };
            let ids = &self.antecedents[from..to];
            let Some((&last, before)) = ids.split_last() else {
                return Err(Broken("a clause without antecedents".into()));
            };
            let first = self.lookup(last)?;
            let mut size = 0usize;
            for &literal in self.clause(first) {
                let sign = &mut sign[literal.unsigned_abs() as usize];
                size += usize::from(*sign == 0);
                *sign = literal.signum() as i8;
            }
            chain.clear();
            for &id in before.iter().rev() {
                let other = self.lookup(id)?;
                let clashes = |l: &&i32| sign[l.unsigned_abs() as usize] == -(l.signum() as i8);
                let mut found = self.clause(other).iter().filter(clashes);
                let Some(&pivot) = found.next() else { continue };
                if found.next().is_some() {
                    return Err(Broken(format!("clause {id} clashes more than once")));
                }
                for &literal in self.clause(other) {
                    let sign = &mut sign[literal.unsigned_abs() as usize];
                    size += usize::from(*sign == 0);
                    *sign = literal.signum() as i8;
                }
                sign[pivot.unsigned_abs() as usize] = 0;
                size -= 1;
                chain.push((other, pivot.abs()));
            }
            // What was derived must be in the clause that is claimed, and is forgotten.
            let claimed = self.clause(at);
            let mut inside = 0;
            for &literal in claimed {
                let sign = &mut sign[literal.unsigned_abs() as usize];
                inside += usize::from(*sign == literal.signum() as i8);
                *sign = 0;
            }
            if inside != size {
                return Err(Broken("a derived clause has more literals than is claimed".into()));
            }
            step(at, Step::Derived(first, &chain));
        }
        Ok(())
    }
}

impl ProofTracer for Recorder {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        if !restored {
            self.push(id, clause, Origin::Part(self.part));
        }
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, witness: i32, clause: &[i32], antecedents: &[i64]) {
        if witness != 0 {
            self.broken = Some("a clause does not follow from the others".into());
        }
        let from = self.antecedents.len() as u32;
        self.antecedents.extend_from_slice(antecedents);
        self.push(id, clause, Origin::Learned(from, self.antecedents.len() as u32));
    }

    fn delete_clause(&mut self, _id: i64, _redundant: bool, _clause: &[i32]) {}
    fn weaken_minus(&mut self, _id: i64, _clause: &[i32]) {}
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _literal: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn add_assumption_clause(&mut self, _id: i64, _clause: &[i32], _antecedents: &[i64]) {}
    fn conclude_sat(&mut self, _kind: i32, _model: &[i32]) {}
    fn conclude_unsat(&mut self, _kind: i32, _ids: &[i64]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}
