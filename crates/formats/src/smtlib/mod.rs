//! Proof obligations as SMT-LIB 2, for solvers that nobody here wrote.
//!
//! That nothing that is looked for is reached follows from a set of states that has these properties:
//!
//! | the set | the question, which must be answered `unsat` |
//! | --- | --- |
//! | has all first states | is there a first state outside of it? |
//! | is not left | is there a step from a state in it to one outside of it? |
//! | has nothing in it that is looked for | is there a state in it that is looked for? |
//!
//! A file asks these three of one set, one after the other, in the logic of truth values alone (`QF_UF`). All of the model that they are about
//! stands in it, written from the definitions and not from how an engine encodes it, so that a reader can compare it with the model.

mod circuit;
mod network;
mod script;

pub use circuit::circuit;
pub use network::network;

use script::Script;

/// How a file begins: what it is about, and what it asks.
fn begin(script: &mut Script, about: &str, query: &str) {
    for words in [
        "Proof obligations, written by prequel. Any solver that reads SMT-LIB 2 must answer `unsat` three times.",
        about,
        &format!("The question was: {query}"),
        "What is looked for is not reached, since there is a set of states (`set`)",
        "  1. that has all first states,",
        "  2. that no step leads out of,",
        "  3. and in which nothing is that is looked for.",
        "A name that ends with + is about the state after a step.",
    ] {
        script.comment(words);
    }
    script.command("set-logic QF_UF");
}

#[cfg(test)]
mod tests;
