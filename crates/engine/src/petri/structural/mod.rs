//! `structural`: conditions that no reachable marking satisfies, shown without looking at any.
//!
//! A reachable marking solves the state equation (it is the initial one plus the changes of transitions, each fired some number of
//! times), has a token in every trap that has one at first, and none in a siphon that is empty at first. The condition is a
//! combination of inequalities. SAT chooses enough of them to make it true, and linear arithmetic says whether they have a solution
//! together. Where they have none, it says which of them are to blame, and SAT chooses others. Where they have one that leaves a
//! marked trap without tokens, the trap is one more inequality. Where SAT has no choice left no marking satisfies the condition, and
//! what linear arithmetic said is the proof. A solution that nothing forbids may be reachable or not; then it is at least a hint
//! which transitions to fire.
//!
//! After Esparza and Melzer, *Verification of safety properties using integer programming* (2000), and Esparza, Ledesma-Garza,
//! Majumdar, Meyer, Niksic, *An SMT-based approach to coverability analysis* (2014), who add the traps and check by SMT.

mod formula;
mod simplex;
mod traps;

use formula::{Formula, Inequalities, variable};
use prequel_model::run::{Run, Watch};
use prequel_model::{Inequality, Lemma, NetProof};
use prequel_model::{Net, NetQuery, PlaceId, Why};
use prequel_sat::{Outcome as Answer, Solver};
use rustc_hash::FxHashMap;
use simplex::{Multiple, Simplex, Solved, Variable};
use traps::Flow;

/// What became of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Structural {
    /// No reachable marking satisfies the condition.
    Proved(NetProof),
    /// A solution that nothing forbids: how often each transition is to be fired, rounded up.
    Hint(Vec<u64>),
    /// It was given up.
    Unknown(Why),
}

/// Terms of linear arithmetic written before it is given up, unless the limit of states says otherwise: one state, so many terms.
const TERMS_A_STATE: u64 = 1 << 6;
/// Terms between two looks at the limits.
const BETWEEN: u64 = 1 << 12;
/// Terms that are as much work as a state of a search.
const TERMS_A_UNIT: u64 = 1 << 4;
/// Where nothing is said.
const MOST_TERMS: u64 = 1 << 30;

/// Tries to show that no reachable marking satisfies the condition of a query.
pub fn structural(net: &Net, query: &NetQuery, run: &Run) -> Structural {
    let most = run.limits.states.map_or(MOST_TERMS, |states| states.saturating_mul(TERMS_A_STATE));
    let mut inequalities = Inequalities::default();
    let formula = inequalities.formula(net, query.condition(), true);
    let prover = formula.and_then(|formula| Prover::new(net, formula, inequalities, most, run.watch()));
    match prover {
        Some(prover) => prover.prove(),
        None => given_up(run),
    }
}

fn given_up(run: &Run) -> Structural {
    let why = || Why::Incomplete("the numbers of this net are too large for linear arithmetic".into());
    Structural::Unknown(run.allowed().err().unwrap_or_else(why))
}

/// What is bounded by an inequality.
#[derive(Clone, Copy, Debug)]
struct Bound {
    variable: Variable,
    upper: bool,
    number: i64,
}

struct Prover<'a> {
    net: &'a Net,
    flow: Flow<'a>,
    formula: Formula,
    inequalities: Inequalities,
    /// What each inequality bounds.
    bounds: Vec<Bound>,
    simplex: Simplex,
    /// How often each transition is fired, of those that may.
    fired: Vec<Option<Variable>>,
    /// How many tokens each place has more than at first.
    gained: Vec<Variable>,
    /// The tokens of each trap together, likewise.
    of_trap: Vec<Variable>,
    solver: Solver,
    proof: NetProof,
    most: u64,
    watch: Watch,
}

impl<'a> Prover<'a> {
    fn new(net: &'a Net, formula: Formula, inequalities: Inequalities, most: u64, watch: Watch) -> Option<Self> {
        let flow = Flow::new(net);
        let mut simplex = Simplex::default();
        let fired: Vec<Option<Variable>> =
            net.transitions().map(|t| flow.may_fire[t.at()].then(|| simplex.variable())).collect();
        fired.iter().flatten().for_each(|&variable| simplex.bound(variable, Some(0), None));
        let mut terms: Vec<Vec<(Variable, i64)>> = vec![Vec::new(); net.places().len()];
        for t in net.transitions() {
            let Some(variable) = fired[t.at()] else { continue };
            net.changes(t).into_iter().for_each(|(p, change)| terms[p.at()].push((variable, change)));
        }
        let gained: Vec<Variable> = terms.iter().map(|terms| simplex.sum(terms)).collect::<Option<_>>()?;
        let mut solver = Solver::new(false);
        inequalities.all.iter().for_each(|_| {
            solver.variable();
        });
        let proof = NetProof { siphon: flow.siphon.clone(), ..NetProof::default() };
        let (bounds, of_trap) = (Vec::new(), Vec::new());
        let mut prover = Self {
            net,
            flow,
            formula,
            inequalities,
            bounds,
            simplex,
            fired,
            gained,
            of_trap,
            solver,
            proof,
            most,
            watch,
        };
        prover.bounds = prover.bounded()?;
        Some(prover)
    }

    /// The variable and the bound of each inequality: two about the same sum share it.
    fn bounded(&mut self) -> Option<Vec<Bound>> {
        let mut sums: FxHashMap<Vec<(PlaceId, i64)>, Variable> = FxHashMap::default();
        let (all, gained, simplex) = (&self.inequalities.all, &self.gained, &mut self.simplex);
        let mut bound = |Inequality { sum, most }: &Inequality| {
            let upper = sum[0].1 > 0;
            let turned: Vec<(PlaceId, i64)> = match upper {
                true => sum.clone(),
                false => sum.iter().map(|&(p, factor)| Some((p, factor.checked_neg()?))).collect::<Option<_>>()?,
            };
            let at_first: i128 =
                turned.iter().map(|&(p, f)| i128::from(f) * i128::from(self.net.initial()[p.at()])).sum();
            let number = if upper { i128::from(*most) } else { -i128::from(*most) } - at_first;
            let variable = match (turned.as_slice(), sums.get(&turned)) {
                (&[(p, 1)], _) => gained[p.at()],
                (_, Some(&known)) => known,
                _ => {
                    let terms: Vec<(Variable, i64)> = turned.iter().map(|&(p, f)| (gained[p.at()], f)).collect();
                    let new = simplex.sum(&terms)?;
                    sums.insert(turned, new);
                    new
                }
            };
            Some(Bound { variable, upper, number: i64::try_from(number).ok()? })
        };
        all.iter().map(&mut bound).collect()
    }

    fn prove(mut self) -> Structural {
        let mut nothing = Vec::new();
        self.formula.demand(&mut self.solver, &mut nothing);
        loop {
            let watch = self.watch.clone();
            match self.solver.solve(move || watch.allowed().is_err()) {
                Answer::Unsatisfiable => return Structural::Proved(self.proof),
                Answer::Stopped => return self.given_up(),
                Answer::Satisfiable => {}
            }
            let values: Vec<bool> = (0..self.bounds.len()).map(|n| self.solver.value(variable(n))).collect();
            let mut chosen = vec![false; self.bounds.len()];
            self.formula.implicant(&|number| values[number], &self.inequalities.occurs, &mut chosen);
            match self.refute(&chosen) {
                Ok(lemma) => {
                    let numbers = lemma.inequalities.iter().map(|(inequality, _)| self.inequalities.number(inequality));
                    let clause: Vec<i32> = numbers.map(|number| -variable(number)).collect();
                    self.solver.add(0, &clause);
                    self.proof.lemmas.push(lemma);
                }
                Err(ended) => return ended,
            }
        }
    }

    fn given_up(&self) -> Structural {
        let why = || Why::Incomplete("linear arithmetic took too long".into());
        Structural::Unknown(self.watch.allowed().err().unwrap_or_else(why))
    }

    /// Shows that the chosen inequalities have no solution together; or what came of it.
    fn refute(&mut self, chosen: &[bool]) -> Result<Lemma, Structural> {
        let reasons = self.set_bounds(chosen);
        loop {
            let watch = self.watch.clone();
            let solved = self.simplex.solve(self.most, stop(watch));
            match solved {
                Solved::GivenUp => return Err(self.given_up()),
                Solved::Infeasible(multiples) => return Ok(self.lemma(&multiples, &reasons)),
                Solved::Feasible => {
                    let is_empty =
                        |p: PlaceId| self.simplex.is_at(self.gained[p.at()], -i64::from(self.net.initial()[p.at()]));
                    let empty = self.net.places().map(is_empty).collect();
                    match self.flow.marked_trap(empty) {
                        Some(trap) => self.demand_trap(trap).ok_or_else(|| self.given_up())?,
                        None => return Err(Structural::Hint(self.hint())),
                    }
                }
            }
        }
    }

    /// Bounds as the chosen inequalities say; of several for one variable the narrowest, with the one that says so.
    fn set_bounds(&mut self, chosen: &[bool]) -> FxHashMap<(Variable, bool), usize> {
        let mut narrowest: FxHashMap<(Variable, bool), (i64, usize)> = FxHashMap::default();
        for p in self.net.places() {
            self.simplex.bound(self.gained[p.at()], Some(-i64::from(self.net.initial()[p.at()])), None);
        }
        for (number, bound) in self.bounds.iter().enumerate() {
            if self.gained.binary_search(&bound.variable).is_err() {
                self.simplex.bound(bound.variable, None, None);
            }
            if !chosen[number] {
                continue;
            }
            let entry = narrowest.entry((bound.variable, bound.upper)).or_insert((bound.number, number));
            let is_narrower = if bound.upper { bound.number < entry.0 } else { bound.number > entry.0 };
            if is_narrower {
                *entry = (bound.number, number);
            }
        }
        let mut reasons = FxHashMap::default();
        let mut variables: Vec<Variable> = narrowest.keys().map(|key| key.0).collect();
        variables.sort_unstable();
        variables.dedup();
        for variable in variables {
            let of_place = self.gained.binary_search(&variable).ok();
            let natural = of_place.map(|at| -i64::from(self.net.initial()[at]));
            let chosen = |upper: bool| narrowest.get(&(variable, upper)).copied();
            // A place has no token less than none: a chosen bound that says no more is none.
            let lower = chosen(false).filter(|&(number, _)| natural.is_none_or(|natural| number > natural));
            let upper = chosen(true);
            reasons.extend(lower.map(|(_, reason)| ((variable, false), reason)));
            reasons.extend(upper.map(|(_, reason)| ((variable, true), reason)));
            self.simplex.bound(variable, lower.map(|bound| bound.0).or(natural), upper.map(|bound| bound.0));
        }
        reasons
    }

    /// One more inequality: the trap keeps a token.
    fn demand_trap(&mut self, trap: Vec<PlaceId>) -> Option<()> {
        let terms: Vec<(Variable, i64)> = trap.iter().map(|p| (self.gained[p.at()], 1)).collect();
        let at_first: i64 = trap.iter().map(|p| i64::from(self.net.initial()[p.at()])).sum();
        let variable = self.simplex.sum(&terms)?;
        self.simplex.bound(variable, Some(1 - at_first), None);
        self.of_trap.push(variable);
        self.proof.traps.push(trap);
        Some(())
    }

    /// What a contradiction says of inequalities, traps and places.
    fn lemma(&self, multiples: &[Multiple], reasons: &FxHashMap<(Variable, bool), usize>) -> Lemma {
        let mut lemma = Lemma { inequalities: Vec::new(), traps: Vec::new(), places: Vec::new() };
        for &Multiple { of, upper, times } in multiples {
            if let Some(&number) = reasons.get(&(of, upper)) {
                lemma.inequalities.push((self.inequalities.all[number].clone(), times));
            } else if let Ok(trap) = self.of_trap.binary_search(&of) {
                lemma.traps.push((trap, times));
            } else if let Ok(place) = self.gained.binary_search(&of) {
                lemma.places.push((PlaceId::new(place), times));
            }
            // What is left are transitions, which are fired 0 times at least: that needs no word.
        }
        lemma
    }

    /// How often each transition is fired in the solution.
    fn hint(&self) -> Vec<u64> {
        let count = |variable: Option<Variable>| {
            variable.map_or(0, |variable| u64::try_from(self.simplex.rounded_up(variable)).unwrap_or(u64::MAX))
        };
        self.fired.iter().map(|&variable| count(variable)).collect()
    }
}

/// Looks at limits now and then, and says what was done until then.
fn stop(watch: Watch) -> impl FnMut(u64) -> bool {
    let mut terms = 0;
    move |more| {
        terms += more;
        if terms < BETWEEN {
            return false;
        }
        watch.allowed_after(std::mem::take(&mut terms) / TERMS_A_UNIT).is_err()
    }
}

/// Terms written to find out whether an invariant bounds a place.
const MOST_TERMS_OF_A_BOUND: u64 = 1 << 22;

/// Whether a weighted sum of tokens, the place's among them, is never made larger by a transition: then the place is bounded.
pub fn is_bounded(net: &Net, place: PlaceId, watch: &Watch) -> bool {
    let mut simplex = Simplex::default();
    let weights: Vec<Variable> = net.places().map(|_| simplex.variable()).collect();
    for p in net.places() {
        simplex.bound(weights[p.at()], Some(i64::from(p == place)), None);
    }
    for t in net.transitions() {
        let terms: Vec<(Variable, i64)> =
            net.changes(t).into_iter().map(|(p, change)| (weights[p.at()], change)).collect();
        let Some(change) = simplex.sum(&terms) else { return false };
        simplex.bound(change, None, Some(0));
    }
    simplex.solve(MOST_TERMS_OF_A_BOUND, stop(watch.clone())) == Solved::Feasible
}
