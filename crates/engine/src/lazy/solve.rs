//! What the question about one partial state comes to.

use super::goal::PartialState;
use super::system::System;
use super::{Lazy, complete, on_the_fly};
use crate::race::{Lane, Stop};
use prequel_model::{ComponentId, LabelId};

/// How the question about one partial state ends.
pub enum Found {
    /// These components reach it, and need nobody else.
    Reached(Vec<Share>),
    /// These components alone cannot reach their share of it, whatever the others do.
    Refuted(Vec<ComponentId>),
}

/// What a component does on the way to the goal.
pub struct Share {
    /// Which.
    pub component: ComponentId,
    /// The labels on its way that others take part in, too.
    pub letters: Vec<LabelId>,
}

/// Decides whether one partial state is reachable.
pub fn solve(system: &System<'_>, state: &PartialState, options: &Lazy, lane: &Lane<'_>) -> Result<Found, Stop> {
    if options.complete {
        complete::solve(system, state, options, lane)
    } else {
        on_the_fly::solve(system, state, options, lane)
    }
}
