//! Formulas of linear temporal logic on the command line, whatever their atoms are written in.
//!
//! ```text
//! F := F -> F | F <-> F | F || F | F && F | F U F | F W F | F V F | ! F | [] F | <> F | X F | ( F ) | true | false | atom
//! ```
//! The words of SPIN do as well (`always`, `eventually`, `next`, `until`, `weakuntil`, `release`, `implies`, `equivalent`), and so do
//! `and`, `or`, `not` and `imply`. What is left between operators is an atom: it is read by the language that it is written in, with the
//! comparisons and sums in it. `!`, `[]`, `<>` and `X` bind tightest, then `U`, `W` and `V`, then `&&`, `||`, and `->` with `<->`.
//! Where people disagree on what `a U b U c` or `a -> b -> c` means, parentheses are asked for.

pub mod dve;
mod grammar;
pub mod net;
pub mod network;

use crate::diag::Diagnostic;
use crate::text::inline;
use prequel_model::Temporal;
use std::ops::Range;

/// What messages call the text of a formula.
const OPTION: &str = "--ltl";

/// How the atoms of a language are told from what is around them.
pub struct Idiom<'a> {
    /// What names are made of.
    pub bare: fn(char) -> bool,
    /// Names with other characters stand in quotes.
    pub quotes: bool,
    /// `&` and `|` are operators of logic; otherwise they are part of atoms.
    pub single: bool,
    /// `!` before a comparison is about all of it; otherwise parentheses are asked for.
    pub denies_comparisons: bool,
    /// `NAME->` is part of an atom for these names.
    pub owners: &'a [&'a str],
}

/// Reads a formula. An atom is given as a text with blanks around it, so that places in it are those in the whole text.
pub fn read<A>(
    text: &str,
    idiom: &Idiom<'_>,
    mut atom: impl FnMut(&str) -> Result<Temporal<A>, Vec<Diagnostic>>,
) -> Result<Temporal<A>, Vec<Diagnostic>> {
    let formula = grammar::formula(text, idiom)?;
    let mut errors = Vec::new();
    let atoms: Temporal<Temporal<A>> = formula.map(&mut |span: &Range<usize>| {
        atom(&alone(text, span)).unwrap_or_else(|found| {
            errors.extend(found.into_iter().map(|error| in_whole(error, text)));
            Temporal::Constant(false)
        })
    });
    if errors.is_empty() { Ok(flat(atoms)) } else { Err(errors) }
}

/// A part of a text, with blanks for the rest.
fn alone(text: &str, span: &Range<usize>) -> String {
    let blanks = |part: &str| part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect::<String>();
    blanks(&text[..span.start]) + &text[span.clone()] + &blanks(&text[span.end..])
}

/// The same finding with the line of the whole text.
fn in_whole(mut error: Diagnostic, text: &str) -> Diagnostic {
    if let Some(place) = &mut error.place
        && let Some(line) = text.split('\n').nth(place.line - 1)
    {
        place.text = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    }
    error
}

fn flat<A>(formula: Temporal<Temporal<A>>) -> Temporal<A> {
    match formula {
        Temporal::Constant(holds) => Temporal::Constant(holds),
        Temporal::Atom(inner) => inner,
        Temporal::One(op, a) => Temporal::one(op, flat(*a)),
        Temporal::Two(op, a, b) => Temporal::two(op, flat(*a), flat(*b)),
    }
}

/// The name in `action(NAME)`, and where it stands, if an atom has this form.
fn action(atom: &str) -> Option<Result<(String, Range<usize>), Diagnostic>> {
    let start = atom.len() - atom.trim_start().len();
    let behind = atom[start..].strip_prefix("action")?.trim_start();
    let behind = behind.strip_prefix('(')?;
    let end = atom.trim_end();
    let open = atom.len() - behind.len();
    let Some(inside) = end.strip_suffix(')').and_then(|text| text.get(open..)) else {
        let message = "expected `)` behind the name of an action";
        return Some(Err(inline::error(OPTION, atom, end.len()..end.len(), message, "write `action(NAME)`")));
    };
    let name = inside.trim();
    let from = open + inside.len() - inside.trim_start().len();
    let span = from..from + name.len();
    if name.starts_with(['\'', '"']) {
        return Some(match inline::quoted(name) {
            Ok(("", text)) => Ok((text, span)),
            _ => Err(inline::error(OPTION, atom, span, "this name in quotes does not end here", "close the quote")),
        });
    }
    Some(Ok((name.to_owned(), span)))
}

#[cfg(test)]
mod tests;
