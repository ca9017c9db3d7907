//! Symmetric interpolants: what each part of an unsatisfiable set of clauses contributes, in the words that others know.
//!
//! R. Jhala, K. McMillan: *Interpolant-based transition relation approximation* (2005), with McMillan's rules. All parts in one pass
//! over one refutation: a part follows each of its clauses' shared literals; a resolution on a variable that only one part has is a
//! disjunction for that part and a conjunction for the others. So each part implies its interpolant, an interpolant has variables
//! that another part has too, and all of them together are unsatisfiable. Interpolants from different proofs would not be.

use super::proof::{Broken, Recorder, Step};
use prequel_model::{Aig, Lit};
use rustc_hash::FxHashMap;

/// Interpolants of all parts; input `n` of the graph is the solver's variable `n`.
#[derive(Debug)]
pub struct Interpolants {
    /// The graph that they are in.
    pub aig: Aig,
    /// By part; a part that is not here contributes nothing: its interpolant is `true`.
    pub of: FxHashMap<u32, Lit>,
}

/// Which parts have a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    One(u32),
    Several,
}

/// Partial interpolants of a clause by part, sorted; a part that is not there has `true`.
type Partial = Vec<(u32, Lit)>;

impl Interpolants {
    pub(super) fn new(recorder: &Recorder) -> Result<Self, Broken> {
        let mut owners: Vec<Owner> = Vec::new();
        for (part, clause) in recorder.given() {
            for literal in clause {
                let variable = literal.unsigned_abs() as usize;
                if owners.len() <= variable {
                    owners.resize(variable + 1, Owner::Nobody);
                }
                owners[variable] = match owners[variable] {
                    Owner::Nobody => Owner::One(part),
                    Owner::One(other) if other == part => Owner::One(part),
                    _ => Owner::Several,
                };
            }
        }
        let mut aig = Aig::default();
        let mut partial: FxHashMap<u32, Partial> = FxHashMap::default();
        let mut last = Partial::new();
        recorder.replay(|at, step| {
            last = match step {
                Step::Given(part, clause) => {
                    let shared = clause.iter().filter(|l| owners[l.unsigned_abs() as usize] == Owner::Several);
                    let literals: Vec<Lit> = shared.map(|l| aig.input(l.unsigned_abs()).negated_if(*l < 0)).collect();
                    match aig.any(literals) {
                        Lit::TRUE => Vec::new(),
                        entry => vec![(part, entry)],
                    }
                }
                Step::Derived(first, chain) => {
                    let mut own = partial[&first].clone();
                    for (other, pivot) in chain {
                        let local = match owners[*pivot as usize] {
                            Owner::One(part) => Some(part),
                            Owner::Nobody | Owner::Several => None,
                        };
                        own = resolve(&mut aig, &own, &partial[other], local);
                    }
                    own
                }
            };
            partial.insert(at, last.clone());
        })?;
        Ok(Self { aig, of: last.into_iter().collect() })
    }
}

/// The partial interpolants of a resolvent; `local` is the part that alone has the variable.
fn resolve(aig: &mut Aig, a: &Partial, b: &Partial, local: Option<u32>) -> Partial {
    let mut found = Partial::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let part = match (a.get(i), b.get(j)) {
            (Some((p, _)), Some((q, _))) => *p.min(q),
            (Some((p, _)), None) | (None, Some((p, _))) => *p,
            (None, None) => unreachable!("one of them goes on"),
        };
        let take = |list: &Partial, at: &mut usize| match list.get(*at) {
            Some(&(p, entry)) if p == part => {
                *at += 1;
                entry
            }
            _ => Lit::TRUE,
        };
        let (x, y) = (take(a, &mut i), take(b, &mut j));
        let entry = if local == Some(part) { aig.or(x, y) } else { aig.and(x, y) };
        if entry != Lit::TRUE {
            found.push((part, entry));
        }
    }
    found
}
