//! Which component is added.

use super::system::System;
use prequel_model::{ComponentId, LabelId};

/// Which of the components on a path is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The one that leaves the fewest labels to others.
    Interface,
    /// The one with the smallest number.
    First,
}

/// One of some components in ascending order. `comes` tells the alphabet of all that comes with a component; `inside` who is
/// there already, and `with` who is when that component has come.
pub fn choose<'l>(
    next: Next,
    companions: &[ComponentId],
    system: &System<'_>,
    comes: impl Fn(ComponentId) -> &'l [LabelId],
    inside: impl Fn(ComponentId) -> bool,
    with: impl Fn(ComponentId, ComponentId) -> bool,
) -> ComponentId {
    if next == Next::First {
        return companions[0];
    }
    // Labels that do not come with it stay what they are, so only what changes is counted.
    let opened = |c: ComponentId| -> isize {
        let change = |&label: &LabelId| {
            let participants = system.participants(label);
            let after = participants.iter().any(|&p| !inside(p) && !with(c, p));
            let before = participants.iter().any(|&p| inside(p));
            isize::from(after) - isize::from(before)
        };
        comes(c).iter().map(change).sum()
    };
    let fewest = companions.iter().copied().min_by_key(|&c| (opened(c), c));
    fewest.expect("there is one")
}
