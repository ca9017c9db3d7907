//! From formulas as they are written to conditions and questions: names looked up, sums put on one side.

use super::grammar::{Name, Path, Sign, Summand, Tree};
use crate::diag::{Diagnostic, Place};
use crate::text::errors::Errors;
use crate::text::suggest;
use prequel_model::{Comparison, Condition, Net, NetQuery, PlaceId, TransitionId};
use rustc_hash::FxHashMap;

/// The names of a net, for looking up many of them.
pub struct Names<'n> {
    net: &'n Net,
    places: FxHashMap<&'n str, PlaceId>,
    transitions: FxHashMap<&'n str, TransitionId>,
    errors: Errors,
}

/// Why a formula is no question that can be answered.
const REFUSED: &str = "only reachability (EF), invariants (AG) and conditions on the initial marking are decided";

impl<'n> Names<'n> {
    /// All names of a net.
    pub fn new(net: &'n Net) -> Self {
        let places = net.places().map(|p| (net.place(p), p)).collect();
        let transitions = net.transitions().map(|t| (net.transition(t), t)).collect();
        Self { net, places, transitions, errors: Errors::default() }
    }

    /// A condition on one marking; the tree has no path operators.
    pub fn condition(mut self, tree: &Tree, file: &str, text: &str) -> Result<Condition, Vec<Diagnostic>> {
        let at = (file, text);
        let condition = self.condition_of(tree, at).unwrap_or(Condition::Dead);
        self.errors.none(file).map(|()| condition)
    }

    /// What a formula asks, or why it is refused.
    pub fn query(mut self, tree: &Tree, file: &str, text: &str) -> Result<Result<NetQuery, String>, Vec<Diagnostic>> {
        let query = self.query_of(tree, (file, text));
        self.errors.none(file).map(|()| query)
    }

    /// The same for one of several formulas, whose errors are collected.
    pub fn query_of(&mut self, tree: &Tree, at: (&str, &str)) -> Result<NetQuery, String> {
        let (mut tree, mut negated) = (tree, false);
        while let Tree::Not(inner) = tree {
            if inner.path().is_none() {
                break;
            }
            (tree, negated) = (inner, !negated);
        }
        let query = match tree {
            Tree::Path(path, _, inner) => {
                let condition = self.condition_of(inner, at)?;
                match path {
                    Path::Possible => NetQuery::Possible(condition),
                    Path::Always => NetQuery::Impossible(condition.negated()),
                    Path::Impossible => NetQuery::Impossible(condition),
                    Path::Other => return Err(REFUSED.into()),
                }
            }
            other => NetQuery::Initially(self.condition_of(other, at)?),
        };
        Ok(match (negated, query) {
            (false, query) => query,
            (true, NetQuery::Possible(condition)) => NetQuery::Impossible(condition),
            (true, NetQuery::Impossible(condition)) => NetQuery::Possible(condition),
            (true, NetQuery::Initially(condition)) => NetQuery::Initially(condition.negated()),
        })
    }

    /// All errors so far, if there are any.
    pub fn finish(self, file: &str) -> Result<(), Vec<Diagnostic>> {
        self.errors.none(file)
    }

    fn condition_of(&mut self, tree: &Tree, at: (&str, &str)) -> Result<Condition, String> {
        let mut all = |trees: &[Tree]| trees.iter().map(|t| self.condition_of(t, at)).collect::<Result<Vec<_>, _>>();
        Ok(match tree {
            Tree::Constant(true) => Condition::And(Vec::new()),
            Tree::Constant(false) => Condition::Or(Vec::new()),
            Tree::Dead => Condition::Dead,
            Tree::Initial => {
                let tokens = self.net.places().zip(self.net.initial());
                let is = |(p, &n): (PlaceId, &u32)| Condition::Tokens(vec![(p, 1)], Comparison::Equal, n.into());
                Condition::And(tokens.map(is).collect())
            }
            Tree::Fireable(names) => Condition::Or(
                names.iter().filter_map(|name| self.transition(name, at)).map(Condition::Fireable).collect(),
            ),
            Tree::Compare(left, sign, right) => self.compare(left, *sign, right, at),
            Tree::And(trees) => Condition::And(all(trees)?),
            Tree::Or(trees) => Condition::Or(all(trees)?),
            Tree::Xor(a, b) => {
                let (a, b) = (self.condition_of(a, at)?, self.condition_of(b, at)?);
                let one = Condition::And(vec![a.clone(), b.clone().negated()]);
                Condition::Or(vec![one, Condition::And(vec![a.negated(), b])])
            }
            Tree::Not(inner) => self.condition_of(inner, at)?.negated(),
            Tree::Path(..) => return Err(REFUSED.into()),
        })
    }

    /// Everything with places to the left, numbers to the right.
    fn compare(&mut self, left: &[Summand], sign: Sign, right: &[Summand], at: (&str, &str)) -> Condition {
        let mut factors: FxHashMap<PlaceId, i64> = FxHashMap::default();
        let mut number = 0i64;
        for (part, side) in left.iter().map(|part| (part, 1)).chain(right.iter().map(|part| (part, -1))) {
            match &part.place {
                None => number -= side * part.factor,
                Some(name) => {
                    let Some(place) = self.place(name, at) else { continue };
                    *factors.entry(place).or_default() += side * part.factor;
                }
            }
        }
        let mut sum: Vec<(PlaceId, i64)> = factors.into_iter().filter(|(_, factor)| *factor != 0).collect();
        sum.sort_unstable();
        match sign {
            Sign::Equal => Condition::Tokens(sum, Comparison::Equal, number),
            Sign::Different => Condition::Tokens(sum, Comparison::Equal, number).negated(),
            Sign::Less => Condition::Tokens(sum, Comparison::AtMost, number - 1),
            Sign::AtMost => Condition::Tokens(sum, Comparison::AtMost, number),
            Sign::More => Condition::Tokens(sum, Comparison::AtLeast, number + 1),
            Sign::AtLeast => Condition::Tokens(sum, Comparison::AtLeast, number),
        }
    }

    fn place(&mut self, (name, span): &Name, (file, text): (&str, &str)) -> Option<PlaceId> {
        let found = self.places.get(name.as_str()).copied();
        if found.is_none() {
            let help = || suggest::help(name, "places", self.net.places().map(|p| self.net.place(p)));
            self.errors.push(|| {
                let error = Diagnostic::error(file, format!("there is no place `{name}`"));
                error.at(Place::in_text(text.as_bytes(), span.clone())).help(help())
            });
        }
        found
    }

    fn transition(&mut self, (name, span): &Name, (file, text): (&str, &str)) -> Option<TransitionId> {
        let found = self.transitions.get(name.as_str()).copied();
        if found.is_none() {
            let help = || suggest::help(name, "transitions", self.net.transitions().map(|t| self.net.transition(t)));
            self.errors.push(|| {
                let error = Diagnostic::error(file, format!("there is no transition `{name}`"));
                error.at(Place::in_text(text.as_bytes(), span.clone())).help(help())
            });
        }
        found
    }
}
