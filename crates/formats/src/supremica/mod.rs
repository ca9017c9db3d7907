//! Supremica's files: `.wdes` holds automata as they are, `.wmod` modules that describe them.
//!
//! Both become a [`Des`](prequel_model::Des). Marks are a proposition, `:accepting` unless another is chosen: an automaton that
//! does not have it among its events has all states marked.
//!
//! A component has one initial state, an automaton any number. Where there are several, one more state is the initial one, not
//! marked, and tau leads from it to each of them: from it the same can be reached as from all of them, and it can do nothing
//! else, so it is blocking only where each of them is, and the answer stays what it was. Where there is none, no state of the
//! system is reachable; the component is there to be shown, and is not searched ([`Des::without_start`](prequel_model::Des)).

mod draft;
pub mod wdes;
pub mod wmod;

/// The proposition that marks states, unless another is chosen.
pub const ACCEPTING: &str = ":accepting";
/// The proposition of states that are not to be reached.
const FORBIDDEN: &str = ":forbidden";
