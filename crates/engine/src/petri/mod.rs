//! Petri nets, asked about their markings: those who may know.
//!
//! | contestant | what it does | what it can say |
//! | --- | --- | --- |
//! | [`levels`] | level by level | found by a shortest sequence; absent |
//! | [`walk()`] | random walks | found |
//! | [`depth`] | deep first | found; absent |
//! | [`structural()`] | state equation and traps | absent, with a proof; a hint for walks |
//!
//! Who is asked first, and that they take turns, is not known here. With one seed each comes to the same end in every run.

mod marking;
mod shorten;
pub mod structural;
pub mod walk;

pub use structural::{Structural, structural};
pub use walk::{walk, walk_along};

use crate::otf::net::{Explorer, Outcome};
use crate::otf::{Otf, Search};
use prequel_model::run::Run;
use prequel_model::{Net, NetQuery};
use shorten::shorten;

/// Level by level; with stubborn sets only where these leave out enough to be worth their while.
pub fn levels(net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
    explored(net, query, how, run)
}

/// Deep first, in the same way; what is found is made shorter.
pub fn depth(net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
    match explored(net, query, Otf { search: Search::Depth, ..how }, run) {
        Outcome::Found(sequence) => Outcome::Found(shorten(net, query, sequence)),
        other => other,
    }
}

fn explored(net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
    let mut explorer = Explorer::new(net, run.seed);
    let reduce = how.reduce && explorer.is_reduced(query, run.seed);
    explorer.explore(query, Otf { reduce, ..how }, run)
}
