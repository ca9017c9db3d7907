//! Petri nets: what can be told of them without a question, and the way to networks and back.
//!
//! | file | holds |
//! | --- | --- |
//! | [`pump`] | walks through the markings: how many tokens places get, and sequences that can be repeated for ever |
//! | [`join`] | network → net |
//! | [`split`] | net → network: units, one-token invariants, counters |

pub mod join;
pub mod pump;
pub mod split;
