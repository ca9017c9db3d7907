//! Questions about Petri nets: `--reach` conditions, LoLA formulas, and property files of the Model Checking Contest.
//!
//! What can be asked is whether a marking is reachable, whether all reachable ones satisfy a condition, and what the initial one
//! satisfies. Other temporal formulas are refused by name.

mod condition;
mod grammar;
mod lexer;
mod text;
mod xml;

use crate::diag::{Diagnostic, Place, Read};
use crate::text::tokens::{Notes, Tokens};
use crate::text::words::Token;
use condition::Names;
pub use lexer::is_bare;
use prequel_model::{Condition, Net, NetQuery};

/// A formula of a file.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is called.
    pub name: String,
    /// What it asks, or why it is refused.
    pub query: Result<NetQuery, String>,
}

/// Reads the condition of `--reach`.
pub fn reach(text: &str, net: &Net) -> Result<Condition, Vec<Diagnostic>> {
    condition("--reach", text, net)
}

/// Reads a condition on one marking; `option` is what messages call the text.
pub fn condition(option: &str, text: &str, net: &Net) -> Result<Condition, Vec<Diagnostic>> {
    let tree = match lexer::inline(text) {
        Ok(tokens) => parsed(option, text, &tokens)?,
        Err((span, message)) => {
            let help =
                "conditions compare sums of tokens, as in `p1 + p2 >= 2 & !(p3 = 0)`; other names stand in quotes";
            return Err(vec![Diagnostic::error(option, message).at(Place::in_text(text.as_bytes(), span)).help(help)]);
        }
    };
    if let Some((operator, span)) = tree.path() {
        let message = format!("`{operator}` is a path operator: {option} takes a condition on one marking");
        let help = "put the formula into a file NAME.formula and give it behind the net";
        return Err(vec![Diagnostic::error(option, message).at(Place::in_text(text.as_bytes(), span)).help(help)]);
    }
    Names::new(net).condition(&tree, option, text)
}

/// Reads a file with a LoLA formula, or with properties of the contest, in XML or as text.
pub fn read(file: &str, stem: &str, bytes: &[u8], net: &Net) -> Read<Vec<Formula>> {
    let text = crate::text::xml::decoded(bytes);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        return xml::read(file, &text, net);
    }
    if start.strip_prefix(text::FIRST).is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
        return text::read(file, &text, net);
    }
    let tokens = lexer::lola(&text).map_err(|(span, message)| {
        vec![
            Diagnostic::error(file, message)
                .at(Place::in_text(text.as_bytes(), span))
                .help("close it with `*/` or `}`"),
        ]
    })?;
    let tree = parsed(file, &text, &tokens)?;
    let query = Names::new(net).query(&tree, file, &text)?;
    Ok((vec![Formula { name: stem.into(), query }], Vec::new()))
}

fn parsed(file: &str, text: &str, tokens: &[Token<'_>]) -> Result<grammar::Tree, Vec<Diagnostic>> {
    let notes = Notes::default();
    let parsed = grammar::whole(Tokens::new(tokens, &notes));
    parsed.map(|(_, tree)| tree).map_err(|_| vec![notes.diagnostic(file, text.as_bytes(), tokens)])
}

#[cfg(test)]
mod tests;
