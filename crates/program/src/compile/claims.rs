//! Which claim of a model is looked at: SPIN takes one of its `never` claims and formulas at a time.

use super::super::data::Property;
use super::super::ltl;
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{Model, Never, Unit};
use prequel_formats::text::suggest;

/// Which property of the model becomes part of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Claim<'a> {
    /// None: assertions and end states only.
    #[default]
    None,
    /// The one that SPIN takes: the first `never` claim, or else the first formula. None if the model has neither.
    Never,
    /// The one of this name.
    Named(&'a str),
}

/// A claim that was chosen.
#[derive(Clone)]
pub struct Chosen {
    /// As a claim, also if it is written as a formula: the one that SPIN makes of it, unless that is too much work.
    pub never: Never,
    /// What people know of it.
    pub property: Property,
}

/// The claims of a model as SPIN counts them: `never` claims first, formulas then, each with its name.
pub fn claims(model: &Model) -> Vec<(Box<str>, &Unit, Span)> {
    let (mut nevers, mut formulas, mut nameless) = (Vec::new(), Vec::new(), 0);
    for unit in &model.units {
        match unit {
            Unit::Never(never) => {
                let name = never.name.as_ref().map(|name| name.text.clone());
                let name = name.unwrap_or_else(|| format!("never_{}", nevers.len()).into());
                nevers.push((name, unit, never.span));
            }
            Unit::Ltl(formula) => {
                formulas.push((ltl::name(formula, nameless), unit, formula.span));
                nameless += usize::from(formula.name.is_none());
            }
            _ => {}
        }
    }
    nevers.extend(formulas);
    nevers
}

/// An error if two claims have the same name: nobody could say which one is meant, and SPIN takes no such model.
fn distinct(model: &Model, claims: &[(Box<str>, &Unit, Span)]) -> Result<(), Vec<Diagnostic>> {
    for (at, (name, _, span)) in claims.iter().enumerate() {
        let Some((.., first)) = claims[..at].iter().find(|(other, ..)| other == name) else { continue };
        let line = model.sources.line(*first);
        let message = format!("another claim or formula is called `{name}`, in line {line}");
        let found = Diagnostic::error(model.sources.file(*span), message).help("give each a name of its own");
        return Err(vec![match model.sources.place(*span) {
            Some(place) => found.at(place),
            None => found,
        }]);
    }
    Ok(())
}

/// The claim to look at.
pub fn choose(model: &Model, claim: Claim<'_>) -> Result<Option<Chosen>, Vec<Diagnostic>> {
    let claims = claims(model);
    if claim != Claim::None {
        distinct(model, &claims)?;
    }
    let (name, unit, span) = match claim {
        Claim::None => return Ok(None),
        Claim::Never => match claims.first() {
            None => return Ok(None),
            Some(first) => first,
        },
        Claim::Named(wanted) => claims.iter().find(|(name, ..)| &**name == wanted).ok_or_else(|| {
            let found = Diagnostic::error("--ltl", format!("no claim or formula is called `{wanted}`"));
            vec![found.help(suggest::help(wanted, "claims and formulas", claims.iter().map(|(name, ..)| &**name)))]
        })?,
    };
    let at = |found: Diagnostic| match model.sources.place(*span) {
        Some(place) => found.at(place),
        None => found,
    };
    let file = model.sources.file(*span);
    let (never, formula, stutters) = match unit {
        Unit::Never(never) => (never.clone(), None, false),
        Unit::Ltl(formula) => {
            // SPIN may take minutes for what is small in the end.
            let never = ltl::never(formula).or_else(|| ltl::own(formula)).ok_or_else(|| {
                let found = at(Diagnostic::error(file, "the automaton of this formula is too large"));
                vec![found.help("split the formula into several, each with a name of its own")]
            })?;
            let text = model.sources.text(formula.formula.span).unwrap_or_default();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
            let stutters = ltl::claim_stutters(formula, &never);
            (never, Some(text), stutters)
        }
        _ => return Ok(None),
    };
    let line = model.sources.line(*span);
    let (name, file) = (name.clone(), file.into());
    let property = Property { name, formula, file, line, cyclic: false, repeats_ends: true, stutters };
    Ok(Some(Chosen { never, property }))
}

impl Chosen {
    /// The same with a smaller claim, if there is one.
    pub fn smaller(&self, model: &Model) -> Option<Self> {
        let formula = claims(model).into_iter().find_map(|(name, unit, _)| match unit {
            Unit::Ltl(formula) if name == self.property.name => Some(formula),
            _ => None,
        })?;
        let never = ltl::smaller(formula, &self.never)?;
        Some(Self { never, property: self.property.clone() })
    }
}
