//! The words that were selected before, put together and made small.
//!
//! Side by side, selections have as many states as a product has. Beyond the paper: those that share labels become one system, in
//! which labels that neither the property nor any component still to come takes part in are hidden, and which is minimised. That
//! keeps the words over all other labels, and where they are accepted: all that a check looks at. What was hidden comes back
//! by running a word again.

use super::abstraction::deterministic;
use crate::algo::bisimulation::{Bisimulation, quotient};
use crate::algo::explicit::{Until, explore};
use crate::algo::product::Product;
use crate::race::{Lane, Stop};
use crate::weave::{interleave, run_on};
use prequel_model::{Component, ComponentId, LabelId, Lts};
use std::rc::Rc;

/// Selections that were put together.
pub struct Group {
    /// What is seen of them.
    pub component: Component,
    /// The step of the derivation that is about it.
    pub step: usize,
    /// The same before anything was hidden, and what it was made of; none for a single selection.
    made_of: Option<(Lts, Vec<Rc<Group>>)>,
}

impl Group {
    /// One selection.
    pub fn single(selection: Component, step: usize) -> Rc<Self> {
        Rc::new(Self { component: selection, step, made_of: None })
    }

    /// Puts back into a word what was hidden in this group. Hidden labels are nobody else's: where they stand between the
    /// letters of the group does not matter to others.
    fn tell(&self, word: Vec<LabelId>) -> Vec<LabelId> {
        let Some((whole, members)) = &self.made_of else { return word };
        let seen = |l: LabelId| self.component.takes_part(l);
        let letters: Vec<LabelId> = word.iter().copied().filter(|&l| seen(l)).collect();
        let run =
            run_on(whole, &letters, |l| !seen(l), |s| whole.is_marked(s)).expect("a group has what is seen of it");
        // A tau is a step of a member, which tells itself what it hides.
        let run = run.into_iter().map(|step| step.label).filter(|l| !l.is_tau()).collect();
        let told = interleave(&word, &[run], |_, l| seen(l));
        members.iter().fold(told, |word, member| member.tell(word))
    }
}

/// The word with all that was hidden in these groups.
pub fn tell(groups: &[Rc<Group>], word: Vec<LabelId>) -> Vec<LabelId> {
    groups.iter().fold(word, |word, group| group.tell(word))
}

/// Some groups and one more selection, which is put together with those that it shares labels with. `needed` tells what must
/// stay visible, `most` how many states they may have together; `note` writes down what a new group is made of.
pub fn with(
    groups: &[Rc<Group>],
    single: Rc<Group>,
    labels: usize,
    needed: impl Fn(LabelId) -> bool,
    most: u64,
    lane: &Lane,
    note: impl FnOnce(&Component, &[Rc<Group>]) -> usize,
) -> Result<Vec<Rc<Group>>, Stop> {
    let shares = |g: &Group| single.component.alphabet().iter().any(|&l| g.component.takes_part(l));
    let (mut members, mut all): (Vec<Rc<Group>>, Vec<Rc<Group>>) = groups.iter().cloned().partition(|g| shares(g));
    members.push(single);
    // Groups that were too large to be put together still share labels.
    let needed = |l| needed(l) || all.iter().any(|g| g.component.takes_part(l));
    match put_together(&members, labels, needed, most, lane)? {
        Some(mut group) => {
            group.step = note(&group.component, &members);
            all.push(Rc::new(group));
        }
        None => all.extend(members),
    }
    Ok(all)
}

/// Why nothing was put together.
enum Ended {
    Large,
    Stop(Stop),
}

fn put_together(
    members: &[Rc<Group>],
    labels: usize,
    needed: impl Fn(LabelId) -> bool,
    most: u64,
    lane: &Lane,
) -> Result<Option<Group>, Stop> {
    let parts: Vec<&Component> = members.iter().map(|m| &m.component).collect();
    let mut visible: Vec<LabelId> = parts.iter().flat_map(|c| c.alphabet()).copied().collect();
    visible.sort_unstable();
    visible.dedup();
    let before = visible.len();
    visible.retain(|&l| needed(l));
    if members.len() == 1 && visible.len() == before {
        return Ok(None);
    }
    let product = Product::new(labels, parts.clone());
    let accepts = |state: &[u64]| {
        let mut each = parts.iter().enumerate();
        each.all(|(at, part)| part.lts.is_marked(product.local(state, ComponentId::new(at))))
    };
    let (counted, mut states) = (lane.check(), 0);
    let allowed = |more, transitions| {
        states += more;
        counted.explored(more, transitions).map_err(Ended::Stop)?;
        if states > most { Err(Ended::Large) } else { Ok(()) }
    };
    let whole = match explore(&product, |label| label, accepts, Until::Exhausted, allowed) {
        Ok(explored) => explored.lts,
        Err(Ended::Large) => return Ok(None),
        Err(Ended::Stop(stop)) => return Err(stop),
    };
    let hidden = whole.clone().relabelled(|l| if visible.binary_search(&l).is_ok() { l } else { LabelId::TAU });
    let small = quotient(&hidden, Bisimulation::Branching).expect("only weak bisimulation can be too large");
    // The same words, if that makes it smaller.
    let small = deterministic(&small).filter(|d| d.num_states() <= small.num_states()).unwrap_or(small);
    let component = Component::with_alphabet("selections", small, visible);
    Ok(Some(Group { component, step: 0, made_of: Some((whole, members.to_vec())) }))
}
