//! From a pattern to an automaton for its negation.
//!
//! Each pattern is a step function: from a state and the roles of an action to the next state, or `None` for a violation.

use super::{Pattern, Section, Set};
use crate::bind::OTHERWISE;
use prequel_model::{LabelId, Labels, Lts, StateId, Transition};

/// The automaton of a pattern; its last state is marked and reached by violations only.
pub fn of(pattern: &Pattern) -> (Lts, Labels) {
    match pattern {
        Pattern::Never { a } => table(&[a], false, 1, |_, [is_a]| (!is_a).then_some(0)),
        // 0: no b yet, 1: some b.
        Pattern::Precedes { b, a } => table(&[b, a], false, 2, |s, [is_b, is_a]| match s {
            0 if is_a => None,
            0 => Some(u32::from(is_b)),
            _ => Some(1),
        }),
        Pattern::Mutex(sections) => mutex(sections),
        Pattern::AtMost { k, a, b } => counted(*k, a, b, false),
        Pattern::Exactly { k, a, b } => counted(*k, a, b, true),
        // 0: nothing is asked, 1 + r: r actions have passed since the oldest open question.
        // The oldest one is enough: it runs out first, and what answers it answers all.
        Pattern::RespondsWithin { a, b, k } => table(&[a, b], true, k + 1, |s, [is_a, is_b]| match s {
            0 => Some(u32::from(is_a)),
            _ if is_b => Some(u32::from(is_a)),
            _ => (s < *k).then_some(s + 1),
        }),
        // 0: closed, 1: after a b and before the next c.
        Pattern::Excluded { a, b, c } => table(&[a, b, c], false, 2, |s, [is_a, is_b, is_c]| {
            let open = s == 1 && !is_c;
            if open && is_a { None } else { Some(u32::from(open || is_b)) }
        }),
    }
}

/// 0: no b yet, 1 + n: n a's since the last b.
fn counted(k: u32, a: &Set, b: &Set, exact: bool) -> (Lts, Labels) {
    table(&[a, b], false, k + 2, |s, [is_a, is_b]| {
        let full = s == k + 1;
        match s {
            0 => Some(u32::from(is_b)),
            _ if is_b => (full || !exact).then_some(1),
            _ if is_a => (!full).then_some(s + 1),
            _ => Some(s),
        }
    })
}

/// 0: all sections are free, 1 + i: section i is occupied. Two occupied ones are a violation, so one is enough to remember.
fn mutex(sections: &[Section]) -> (Lts, Labels) {
    let roles: Vec<&Set> = sections.iter().flat_map(|s| [&s.enter, &s.leave]).collect();
    let (labels, alphabet) = alphabet(&roles);
    let safe = sections.len() as u32 + 1;
    let mut transitions = Vec::new();
    for &(label, name) in &alphabet {
        let entered: Vec<u32> = (1..safe).filter(|&i| sections[i as usize - 1].enter.contains(name)).collect();
        for s in 0..safe {
            let left = s > 0 && sections[s as usize - 1].leave.contains(name);
            let mut occupied = entered.clone();
            if s > 0 && !left && !occupied.contains(&s) {
                occupied.push(s);
            }
            let target = match *occupied {
                [] => 0,
                [one] => one,
                _ => safe,
            };
            transitions.push(Transition::new(s, label, target));
        }
    }
    (Lts::new(StateId(0), safe as usize + 1, transitions).with_marked([StateId(safe)]), labels)
}

/// Tabulates a step function over states `0..safe` and the roles of each label; with `otherwise`, also of all other actions.
fn table<const N: usize>(
    roles: &[&Set; N],
    otherwise: bool,
    safe: u32,
    step: impl Fn(u32, [bool; N]) -> Option<u32>,
) -> (Lts, Labels) {
    let (mut labels, named) = alphabet(roles);
    let mut events: Vec<(LabelId, [bool; N])> =
        named.iter().map(|&(label, name)| (label, roles.map(|set| set.contains(name)))).collect();
    if otherwise {
        events.push((labels.intern(OTHERWISE), [false; N]));
    }
    let next = |s: u32| {
        let step = &step;
        events.iter().map(move |&(label, roles)| Transition::new(s, label, step(s, roles).unwrap_or(safe)))
    };
    let transitions = (0..safe).flat_map(next).collect();
    (Lts::new(StateId(0), safe as usize + 1, transitions).with_marked([StateId(safe)]), labels)
}

/// A table of all labels in these roles.
fn alphabet<'a>(roles: &[&'a Set]) -> (Labels, Vec<(LabelId, &'a str)>) {
    let mut labels = Labels::new();
    let mut all: Vec<(LabelId, &str)> =
        roles.iter().flat_map(|set| set.labels()).map(|name| (labels.intern(name), name)).collect();
    all.sort_unstable_by_key(|&(label, _)| label);
    all.dedup_by_key(|&mut (label, _)| label);
    (labels, all)
}
