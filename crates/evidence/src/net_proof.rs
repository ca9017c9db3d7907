//! Proofs that no reachable marking of a net satisfies a condition, checked arc by arc.
//!
//! Nothing is shared with whoever made the proof but its form: the condition becomes clauses here, by code of its own, lemmas are
//! added up here in wide numbers, and whether the clauses leave an alternative is asked here.

use super::checked::Replay;
use super::proof::Proof;
use prequel_model::{Comparison, Condition, Net, NetQuery, PlaceId, TransitionId};
use prequel_model::{Inequality, Lemma, NetProof};
use prequel_sat::{Outcome, Solver};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Why a proof shows nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// A statement about the initial marking is looked at, not proved.
    #[error("the statement is about the initial marking")]
    Initial,
    /// There is no such place or trap.
    #[error("there is no {what} number {number}")]
    NoSuch {
        /// Place or trap.
        what: &'static str,
        /// The number that stands for none.
        number: usize,
    },
    /// A set of places is no siphon that stays empty.
    #[error("`{0}` of the siphon may get a token")]
    NotASiphon(String),
    /// A set of places is no trap that keeps a token.
    #[error("trap {trap}: {why}")]
    NotATrap {
        /// By its number.
        trap: usize,
        /// How it loses its tokens.
        why: String,
    },
    /// A lemma says nothing.
    #[error("lemma {lemma}: {why}")]
    NotALemma {
        /// By its number.
        lemma: usize,
        /// Why not.
        why: String,
    },
    /// The lemmas leave an alternative.
    #[error("the lemmas leave a way to satisfy the condition")]
    NotAll,
    /// It was stopped.
    #[error("stopped before the proof was checked")]
    Stopped,
}

/// A proof that no reachable marking of a net satisfies the condition of a query.
pub struct Unreachable<'a> {
    /// The net.
    pub net: &'a Net,
    /// What is asked.
    pub query: &'a NetQuery,
    /// The proof.
    pub proof: &'a NetProof,
    /// Asked now and then whether to give up.
    pub stop: Rc<dyn Fn() -> bool>,
}

impl Replay for Unreachable<'_> {
    type End = ();
    type Rejected = Rejected;

    fn replay(&self) -> Result<(), Rejected> {
        let stop = self.stop.clone();
        check(self.net, self.query, self.proof, move || stop())
    }

    fn shows(&self) -> Option<bool> {
        Some(!self.query.witness_shows())
    }

    fn proof(&self) -> Proof {
        Proof::Invariant
    }
}

/// Checks that no reachable marking satisfies the condition of a query. `stop` is asked now and then whether to give up.
pub fn check(
    net: &Net,
    query: &NetQuery,
    proof: &NetProof,
    stop: impl FnMut() -> bool + 'static,
) -> Result<(), Rejected> {
    if matches!(query, NetQuery::Initially(_)) {
        return Err(Rejected::Initial);
    }
    let fires = transitions_without(net, &proof.siphon)?;
    for (number, trap) in proof.traps.iter().enumerate() {
        is_trap(net, trap, &fires).map_err(|why| Rejected::NotATrap { trap: number, why })?;
    }
    let mut clauses = Clauses { solver: Solver::new(false), inequalities: FxHashMap::default() };
    clauses.demand(net, query.condition(), true, Vec::new());
    for (number, lemma) in proof.lemmas.iter().enumerate() {
        let rejected = |why| Rejected::NotALemma { lemma: number, why };
        contradicts(net, proof, lemma, &fires).map_err(rejected)?;
        let mut clause = Vec::new();
        for (inequality, _) in &lemma.inequalities {
            let key = (wide(&inequality.sum), i128::from(inequality.most));
            let known =
                clauses.inequalities.get(&key).ok_or_else(|| rejected("an inequality of something else".into()))?;
            clause.push(-known);
        }
        clauses.solver.add(0, &clause);
    }
    match clauses.solver.solve(stop) {
        Outcome::Unsatisfiable => Ok(()),
        Outcome::Satisfiable => Err(Rejected::NotAll),
        Outcome::Stopped => Err(Rejected::Stopped),
    }
}

/// The transitions that take from none of these places, which must be empty and stay so.
fn transitions_without(net: &Net, siphon: &[PlaceId]) -> Result<Vec<TransitionId>, Rejected> {
    let places: FxHashSet<PlaceId> = siphon.iter().copied().collect();
    if let Some(p) = siphon.iter().find(|p| p.at() >= net.places().len()) {
        return Err(Rejected::NoSuch { what: "place", number: p.at() });
    }
    if let Some(&p) = siphon.iter().find(|p| net.initial()[p.at()] > 0) {
        return Err(Rejected::NotASiphon(net.place(p).into()));
    }
    let takes = |t: TransitionId| net.inputs(t).iter().any(|arc| places.contains(&arc.place));
    let without: Vec<TransitionId> = net.transitions().filter(|&t| !takes(t)).collect();
    let given = without.iter().flat_map(|&t| net.outputs(t)).find(|arc| places.contains(&arc.place));
    match given {
        Some(arc) => Err(Rejected::NotASiphon(net.place(arc.place).into())),
        None => Ok(without),
    }
}

/// Whether places have a token at first, and each transition that takes from them gives to them.
fn is_trap(net: &Net, trap: &[PlaceId], fires: &[TransitionId]) -> Result<(), String> {
    let places: FxHashSet<PlaceId> = trap.iter().copied().collect();
    if places.len() < trap.len() || trap.iter().any(|p| p.at() >= net.places().len()) {
        return Err("no set of places".into());
    }
    if trap.iter().all(|p| net.initial()[p.at()] == 0) {
        return Err("it has no token at first".into());
    }
    let touches = |arcs: &[prequel_model::Arc]| arcs.iter().any(|arc| places.contains(&arc.place));
    match fires.iter().find(|&&t| touches(net.inputs(t)) && !touches(net.outputs(t))) {
        Some(&t) => Err(format!("`{}` takes from it and gives nothing to it", net.transition(t))),
        None => Ok(()),
    }
}

/// Whether the inequalities of a lemma, added up as it says, contradict what transitions can do.
fn contradicts(net: &Net, proof: &NetProof, lemma: &Lemma, fires: &[TransitionId]) -> Result<(), String> {
    let too_large = || "numbers that are too large".to_owned();
    let mut weights = vec![0i128; net.places().len()];
    let mut most = 0i128;
    let mut add = |p: PlaceId, factor: i128, times: u64| {
        let weight = weights.get_mut(p.at()).ok_or_else(|| format!("there is no place number {}", p.at()))?;
        let more = factor.checked_mul(times.into()).and_then(|more| weight.checked_add(more));
        *weight = more.ok_or_else(too_large)?;
        Ok::<(), String>(())
    };
    for (Inequality { sum, most: number }, times) in &lemma.inequalities {
        sum.iter().try_for_each(|&(p, factor)| add(p, factor.into(), *times))?;
        let more = i128::from(*number).checked_mul((*times).into()).and_then(|more| most.checked_add(more));
        most = more.ok_or_else(too_large)?;
    }
    for &(trap, times) in &lemma.traps {
        let places = proof.traps.get(trap).ok_or_else(|| format!("there is no trap number {trap}"))?;
        places.iter().try_for_each(|&p| add(p, -1, times))?;
        most = most.checked_sub(times.into()).ok_or_else(too_large)?;
    }
    lemma.places.iter().try_for_each(|&(p, times)| add(p, -1, times))?;
    // So the weighted sum of tokens is at most this number; it is never less than at first if no transition makes it less.
    let mut at_first = 0i128;
    for p in net.places() {
        let part = weights[p.at()].checked_mul(net.initial()[p.at()].into());
        at_first = part.and_then(|part| at_first.checked_add(part)).ok_or_else(too_large)?;
    }
    if at_first <= most {
        return Err("the initial marking does not contradict it".into());
    }
    for &t in fires {
        let mut change = 0i128;
        for (arcs, sign) in [(net.inputs(t), -1), (net.outputs(t), 1)] {
            for arc in arcs {
                let part = weights[arc.place.at()].checked_mul(sign * i128::from(arc.weight));
                change = part.and_then(|part| change.checked_add(part)).ok_or_else(too_large)?;
            }
        }
        if change < 0 {
            return Err(format!("`{}` makes the sum smaller", net.transition(t)));
        }
    }
    Ok(())
}

/// A sum as it is compared: places in order, each once, without factors of 0.
type Sum = Vec<(PlaceId, i128)>;

fn wide(sum: &[(PlaceId, i64)]) -> Sum {
    let mut factors: FxHashMap<PlaceId, i128> = FxHashMap::default();
    for &(p, factor) in sum {
        *factors.entry(p).or_default() += i128::from(factor);
    }
    let mut sum: Sum = factors.into_iter().filter(|&(_, factor)| factor != 0).collect();
    sum.sort_unstable_by_key(|part| part.0);
    sum
}

/// A condition as clauses: a variable for each inequality, and for each part that is not one.
struct Clauses {
    solver: Solver,
    inequalities: FxHashMap<(Sum, i128), i32>,
}

impl Clauses {
    /// The variable for a sum being at most a number.
    fn at_most(&mut self, sum: Sum, most: i128) -> i32 {
        *self.inequalities.entry((sum, most)).or_insert_with(|| self.solver.variable())
    }

    fn at_least(&mut self, sum: &Sum, least: i128) -> i32 {
        self.at_most(sum.iter().map(|&(p, factor)| (p, -factor)).collect(), -least)
    }

    /// A variable that implies a condition, or its opposite.
    fn implies(&mut self, net: &Net, condition: &Condition, wanted: bool) -> i32 {
        let variable = self.solver.variable();
        self.demand(net, condition, wanted, vec![-variable]);
        variable
    }

    /// Demands a condition, or its opposite, or one of the literals.
    fn demand(&mut self, net: &Net, condition: &Condition, wanted: bool, or: Vec<i32>) {
        let clause = |clauses: &mut Self, more: &[i32]| clauses.solver.add(0, &[or.as_slice(), more].concat());
        match condition {
            Condition::Not(inner) => self.demand(net, inner, !wanted, or),
            Condition::And(parts) | Condition::Or(parts) => {
                if matches!(condition, Condition::And(_)) == wanted {
                    parts.iter().for_each(|part| self.demand(net, part, wanted, or.clone()));
                } else {
                    let any: Vec<i32> = parts.iter().map(|part| self.implies(net, part, wanted)).collect();
                    clause(self, &any);
                }
            }
            Condition::Dead if wanted => {
                net.transitions().for_each(|t| self.demand(net, &Condition::Fireable(t), false, or.clone()));
            }
            Condition::Dead => {
                let each = net.transitions().map(|t| self.implies(net, &Condition::Fireable(t), true));
                let any: Vec<i32> = each.collect();
                clause(self, &any);
            }
            Condition::Fireable(t) => {
                let arcs = net.inputs(*t).iter().map(|arc| (vec![(arc.place, 1)], i128::from(arc.weight)));
                if wanted {
                    for (sum, weight) in arcs {
                        let enough = self.at_least(&sum, weight);
                        clause(self, &[enough]);
                    }
                } else {
                    let any: Vec<i32> = arcs.map(|(sum, weight)| self.at_most(sum, weight - 1)).collect();
                    clause(self, &any);
                }
            }
            Condition::Tokens(sum, comparison, number) => {
                let (sum, number) = (wide(sum), i128::from(*number));
                match (comparison, wanted) {
                    _ if sum.is_empty() => {
                        if comparison.holds(0, number) != wanted {
                            clause(self, &[]);
                        }
                    }
                    (Comparison::AtMost, true) => {
                        let one = self.at_most(sum, number);
                        clause(self, &[one]);
                    }
                    (Comparison::AtLeast, true) => {
                        let one = self.at_least(&sum, number);
                        clause(self, &[one]);
                    }
                    (Comparison::AtMost, false) => {
                        let one = self.at_least(&sum, number + 1);
                        clause(self, &[one]);
                    }
                    (Comparison::AtLeast, false) => {
                        let one = self.at_most(sum, number - 1);
                        clause(self, &[one]);
                    }
                    (Comparison::Equal, true) => {
                        let both = [self.at_least(&sum, number), self.at_most(sum, number)];
                        both.iter().for_each(|one| clause(self, &[*one]));
                    }
                    (Comparison::Equal, false) => {
                        let either = [self.at_least(&sum, number + 1), self.at_most(sum, number - 1)];
                        clause(self, &either);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::Arc;
    use prequel_model::net::Parts;

    /// `a` loses a token as long as it has two, `b` and `c` exchange one, and `d` gets some only from `e`, which has none.
    fn net() -> Net {
        let arc = |t: u32, place: u32, weight: u32| (TransitionId(t), Arc { place: PlaceId(place), weight });
        Net::new(Parts {
            places: [("a", 3), ("b", 1), ("c", 0), ("d", 0), ("e", 0)].map(|(name, n)| (name.into(), n)).to_vec(),
            transitions: ["lose", "there", "back", "make"].map(|name| (name.into(), 0)).to_vec(),
            inputs: vec![arc(0, 0, 2), arc(1, 1, 1), arc(2, 2, 1), arc(3, 4, 1)],
            outputs: vec![arc(0, 0, 1), arc(1, 2, 1), arc(2, 1, 1), arc(3, 3, 1), arc(3, 4, 1)],
            ..Parts::default()
        })
        .unwrap()
    }

    fn at_most(sum: &[(u32, i64)], most: i64) -> Inequality {
        Inequality { sum: sum.iter().map(|&(p, factor)| (PlaceId(p), factor)).collect(), most }
    }

    fn lemma(inequality: Inequality, traps: &[(usize, u64)]) -> Lemma {
        Lemma { inequalities: vec![(inequality, 1)], traps: traps.to_vec(), places: Vec::new() }
    }

    /// `a` is never empty, nor are `b` and `c` both, and `d` is always: by a trap, an invariant and a siphon.
    fn honest() -> (NetQuery, NetProof) {
        let tokens = |sum: &[(u32, i64)], comparison, number| {
            Condition::Tokens(sum.iter().map(|&(p, factor)| (PlaceId(p), factor)).collect(), comparison, number)
        };
        let query = NetQuery::Possible(Condition::Or(vec![
            tokens(&[(0, 1)], Comparison::AtMost, 0),
            tokens(&[(1, 1), (2, 1)], Comparison::Equal, 0),
            tokens(&[(3, 1)], Comparison::AtLeast, 1),
        ]));
        let lemmas = vec![
            lemma(at_most(&[(0, 1)], 0), &[(0, 1)]),
            lemma(at_most(&[(1, 1), (2, 1)], 0), &[]),
            lemma(at_most(&[(3, -1)], -1), &[]),
        ];
        (query, NetProof { siphon: vec![PlaceId(3), PlaceId(4)], traps: vec![vec![PlaceId(0)]], lemmas })
    }

    #[test]
    fn an_honest_proof_is_accepted_and_each_forged_number_is_not() {
        let (query, proof) = honest();
        let check = |proof: &NetProof| check(&net(), &query, proof, || false);
        assert_eq!(check(&proof), Ok(()));
        let forged = |change: &dyn Fn(&mut NetProof)| {
            let mut other = proof.clone();
            change(&mut other);
            check(&other).unwrap_err()
        };
        let not_a_lemma = |why: Rejected| matches!(why, Rejected::NotALemma { .. });
        assert!(
            not_a_lemma(forged(&|proof| proof.lemmas[0].traps[0].1 = 2)),
            "`lose` makes the sum larger only by one"
        );
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[0].traps.clear())));
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[0].traps[0].0 = 1)));
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[1].inequalities[0].0.most = 1)));
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[1].inequalities[0].0.sum[0].1 = 2)));
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[1].inequalities[0].1 = 0)));
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[1].places.push((PlaceId(2), 1)))));
        assert!(not_a_lemma(forged(&|proof| proof.lemmas[1].places.push((PlaceId(9), 1)))));
        assert!(not_a_lemma(forged(&|proof| proof.siphon.clear())));
        assert_eq!(forged(&|proof| proof.siphon = vec![PlaceId(3)]), Rejected::NotASiphon("d".into()));
        assert_eq!(forged(&|proof| proof.siphon.push(PlaceId(1))), Rejected::NotASiphon("b".into()));
        assert_eq!(forged(&|proof| proof.siphon.push(PlaceId(9))), Rejected::NoSuch { what: "place", number: 9 });
        assert!(matches!(forged(&|proof| proof.traps[0] = vec![PlaceId(2)]), Rejected::NotATrap { .. }));
        assert!(matches!(forged(&|proof| proof.traps[0] = vec![PlaceId(1)]), Rejected::NotATrap { .. }));
        assert!(matches!(forged(&|proof| proof.traps[0] = vec![PlaceId(0); 2]), Rejected::NotATrap { .. }));
        for at in 0..3 {
            assert_eq!(forged(&|proof| drop(proof.lemmas.remove(at))), Rejected::NotAll);
        }
    }

    #[test]
    fn a_proof_of_something_else_shows_nothing() {
        let (_, proof) = honest();
        let dead = NetQuery::Impossible(Condition::Dead);
        assert!(matches!(check(&net(), &dead, &proof, || false), Err(Rejected::NotALemma { .. })));
        let none = NetProof::default();
        assert_eq!(check(&net(), &dead, &none, || false), Err(Rejected::NotAll));
        assert_eq!(check(&net(), &NetQuery::Initially(Condition::Dead), &none, || false), Err(Rejected::Initial));
        let nothing = NetQuery::Possible(Condition::Or(Vec::new()));
        assert_eq!(check(&net(), &nothing, &none, || false), Ok(()));
    }
}
