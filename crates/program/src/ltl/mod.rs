//! `ltl` formulas: the automata of their negations, as `never` claims.
//!
//! Two translations stand side by side. [`spin`] gives the claim that SPIN makes of a formula, state for state, so that numbers of states and
//! trails are SPIN's. The other one gives the smallest that it finds:
//!
//! | step | where |
//! | --- | --- |
//! | negation normal form, simplified as it is made; parts without time are decision diagrams | [`read`], [`term`], [`condition`] |
//! | automaton whose states are formulas, one set of edges for each until | [`steps`] |
//! | states and edges that others make superfluous are left out | [`simulation`] |
//! | one set of states instead of several sets of edges | [`degeneral`] |
//! | minimal deterministic automaton where all cycles of a component are alike | [`weak`] |
//! | the claim as Promela | [`claim`] |
//!
//! Whether a formula can tell how often a state is repeated is decided on these automata, too ([`stutter`]); for a `never` claim of the user's,
//! which has no negation at hand, on its own one and one for all other words ([`never`](mod@never), [`complement`]).

mod automaton;
mod claim;
mod complement;
mod condition;
mod degeneral;
mod excluded;
mod never;
mod read;
#[cfg(test)]
mod sample;
mod simulation;
mod spin;
mod states;
mod steps;
mod stutter;
mod term;
#[cfg(test)]
mod tests;
mod weak;

use crate::data::Program;
use automaton::Automaton;
use claim::Writer;
use condition::Conditions;
use degeneral::{Way, by_states, orders};
pub use excluded::Excluded;
use never::Assertions;
use prequel_formats::promela::syntax::{Formula, Ltl, Never};
use read::Reader;
use rustc_hash::FxHashSet;
pub use spin::{name, never};
pub use states::claim_states;
use term::{Term, Terms};

/// States beyond which only one way of waiting for sets is tried.
const MOST_TRIED: usize = 60;
/// Pairs of sets of states that are looked at when claims are compared.
const MOST_PAIRS: usize = 2_000;
/// Letters that are told apart then.
const MOST_LETTERS: usize = 256;

/// A claim that a formula does not hold with fewer states than SPIN's, or one that ends where SPIN's goes on for ever; nothing if there
/// is none. It follows a run as far as SPIN's does, so that violations on the way are met by both or by neither.
pub fn smaller(ltl: &Ltl, spins: &Never) -> Option<Never> {
    let mut reader = Reader::default();
    let formula = reader.formula(&ltl.formula);
    let automaton = buchi_of_negation(formula, &mut reader.terms)?;
    let theirs = claim::read(&spins.body, &mut reader)?;
    let better = automaton.states.len() < theirs.states.len() || is_finite(&automaton) && !is_finite(&theirs);
    if !better || reader.may_fail() || !follow_alike(&automaton, &theirs, &mut reader.terms.conditions) {
        return None;
    }
    Some(written(ltl, &automaton, &mut reader))
}

/// The smallest claim that a formula does not hold; nothing if that is too large, too.
pub fn own(ltl: &Ltl) -> Option<Never> {
    let mut reader = Reader::default();
    let formula = reader.formula(&ltl.formula);
    let automaton = buchi_of_negation(formula, &mut reader.terms)?;
    Some(written(ltl, &automaton, &mut reader))
}

fn written(ltl: &Ltl, automaton: &Automaton, reader: &mut Reader) -> Never {
    let mut writer = Writer { automaton, reader, span: ltl.formula.span };
    Never { name: ltl.name.clone(), body: writer.body(), span: ltl.span }
}

/// Whether a formula cannot tell how often a state is repeated: one without `X` cannot, and others are looked at as far as that is
/// possible; if it takes too much, the answer is no.
pub fn is_stutter_invariant(formula: &Formula) -> bool {
    !formula.has_next() || decides_stutter_invariance(formula) == Some(true)
}

/// Whether a claim that is made of a formula cannot tell how often a state is repeated, neither in what it excludes nor in how far it
/// follows a run.
pub fn claim_stutters(ltl: &Ltl, claim: &Never) -> bool {
    if !ltl.formula.has_next() {
        return true;
    }
    let mut reader = Reader::default();
    let Some(automaton) = claim::read(&claim.body, &mut reader) else { return false };
    is_stutter_invariant(&ltl.formula)
        && stutter::follows_repetitions(&automaton, &mut reader.terms.conditions) == Some(true)
}

/// Whether the claim of a program may tell how often a state is repeated: in what it excludes, or in how far it follows a run, which
/// decides what other violations are met. Where it does more than look at states, or is large, it may.
pub fn counts(program: &Program) -> bool {
    let Some(property) = program.property.as_ref().filter(|property| !property.stutters) else { return false };
    if property.formula.is_some() {
        return true;
    }
    // What becomes of an assertion that fails depends on what is looked for.
    let stutters = |assertions| {
        let mut reader = never::Reader::with(assertions);
        let claim = reader.claim(program)?;
        let follows = stutter::follows_repetitions(&claim, &mut reader.conditions)?;
        Some(follows && excludes_repetitions(&claim, &mut reader.conditions)?)
    };
    [Assertions::Tell, Assertions::Pass].into_iter().any(|assertions| stutters(assertions) != Some(true))
}

fn excludes_repetitions(claim: &Automaton, conditions: &mut Conditions) -> Option<bool> {
    let words = simulation::reduced_buchi(claim, false, conditions);
    if stutter::follows_itself(&words, conditions) {
        return Some(true);
    }
    let letters = conditions.letters(words.conditions(), MOST_LETTERS)?;
    let others = complement::complement(&words, &letters, conditions)?;
    stutter::is_invariant(&words, &others, conditions)
}

fn decides_stutter_invariance(formula: &Formula) -> Option<bool> {
    let mut reader = Reader::default();
    let formula = reader.formula(formula);
    let negation = reader.terms.not(formula);
    let words = generalised(formula, &mut reader.terms)?;
    let others = generalised(negation, &mut reader.terms)?;
    stutter::is_invariant(&words, &others, &mut reader.terms.conditions)
}

/// Whether every accepted word is known by its beginning: only the state that accepts everything is on an accepted cycle.
fn is_finite(automaton: &Automaton) -> bool {
    let components = automaton.components();
    let accepting = automaton.accepting(&components);
    (0..automaton.states.len()).all(|state| !accepting[components.of[state]] || automaton.accepts_all(state))
}

/// Whether the beginnings of words that two automata can read are the same; what accepts everything reads everything.
fn follow_alike(one: &Automaton, two: &Automaton, conditions: &mut Conditions) -> bool {
    let Some(letters) = conditions.letters([one.conditions(), two.conditions()].concat(), MOST_LETTERS) else {
        return false;
    };
    let mut next = |automaton: &Automaton, set: &[usize], letter| {
        let edges = set.iter().flat_map(|&state| &automaton.states[state]);
        let mut to: Vec<usize> =
            edges.filter(|edge| conditions.implies(letter, edge.when)).map(|edge| edge.to).collect();
        to.sort();
        to.dedup();
        to
    };
    let begin = |automaton: &Automaton| if automaton.states.is_empty() { Vec::new() } else { vec![0] };
    let mut seen = FxHashSet::default();
    let mut open = vec![(begin(one), begin(two))];
    while let Some((a, b)) = open.pop() {
        if a.is_empty() != b.is_empty() || seen.len() > MOST_PAIRS {
            return false;
        }
        // The violation is told, and nothing behind it counts.
        let ended = |automaton: &Automaton, set: &[usize]| set.iter().any(|&state| automaton.accepts_all(state));
        if ended(one, &a) || ended(two, &b) || !seen.insert((a.clone(), b.clone())) {
            continue;
        }
        open.extend(letters.iter().map(|&letter| (next(one, &a, letter), next(two, &b, letter))));
    }
    true
}

/// An automaton with sets of edges for the words of a formula.
fn generalised(formula: Term, terms: &mut Terms) -> Option<Automaton> {
    let automaton = steps::automaton(formula, terms)?;
    Some(simulation::reduced(&automaton.with_fewer_marks(false), &mut terms.conditions))
}

/// An automaton with one set of states for the words that a formula excludes.
fn buchi_of_negation(formula: Term, terms: &mut Terms) -> Option<Automaton> {
    let negation = terms.not(formula);
    let words = generalised(negation, terms)?;
    let others = generalised(formula, terms);
    Some(smallest(&words, others.as_ref(), &mut terms.conditions))
}

/// The smallest automaton with one set of states that is found; `others`, where it is known, is one for all other words.
fn smallest(words: &Automaton, others: Option<&Automaton>, conditions: &mut Conditions) -> Automaton {
    let mut best = others.and_then(|others| weak::weak(words, others, conditions));
    let mut better = |found: Automaton| {
        if best.as_ref().is_none_or(|best| found.size() < best.size()) {
            best = Some(found);
        }
    };
    for on_no_cycle in [false, true] {
        let words = words.with_fewer_marks(on_no_cycle);
        let words = simulation::reduced(&words, conditions).with_fewer_marks(false);
        let ways = orders(words.sets.count_ones()).into_iter().flat_map(|order| {
            let ways = [(false, true), (true, true), (false, false)];
            ways.map(|(enters_accepting, eager)| Way { order: order.clone(), enters_accepting, eager })
        });
        for way in ways {
            let by_states = by_states(&words, &way);
            for passing in [false, true] {
                better(simulation::reduced_buchi(&by_states, passing, conditions));
            }
            if by_states.states.len() > MOST_TRIED {
                break;
            }
        }
    }
    best.expect("one was tried")
}
