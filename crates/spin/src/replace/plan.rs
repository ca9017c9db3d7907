//! What the text of a replaced process has to say, and whether Promela's processes can say it.
//!
//! A label is known by what is asked and done; a process only knows its own part of that. So the text can be written where the
//! replacement makes no difference between labels in which its part is the same, and does not hinder what others do without
//! it. Both hold for the component itself and for its quotients by bisimulations; for any other replacement it is checked.

use super::act::{Act, act, value};
use super::refusal::Refusal;
use prequel_model::{ComponentId, LabelId, Lts, StateId, Transition};
use prequel_program::components::{Change, Components, Fact, Message, Part, Role, Touch};
use rustc_hash::{FxHashMap, FxHashSet};

/// A way to go on from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What the process does.
    pub act: Act,
    /// For one of the labels in which it does that.
    pub transition: Transition,
}

/// What becomes of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Never reached.
    Unreached,
    /// A place in the text.
    Inside,
    /// The end of the body, where the process can only go away.
    Closing,
    /// There is no such process.
    Gone,
}

/// What is to be written for one slot.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which slot.
    pub slot: u32,
    /// Its component.
    pub component: ComponentId,
    /// What it becomes.
    pub lts: Lts,
    /// Where a process starts.
    pub start: StateId,
    /// What becomes of each state.
    pub places: Vec<Place>,
    /// Whether the program may end in a state.
    pub ends: Vec<bool>,
    /// The ways to go on from each state.
    pub choices: Vec<Vec<Choice>>,
}

/// A way of sending, and what is taken of it in one state: what is asked and done, whether it goes wrong, and the target.
type Sending<'a> = (u32, &'a [Touch], &'a [(bool, i32, Message)]);
type Taken<'a> = (&'a [Touch], bool, StateId);

struct Planner<'a> {
    components: &'a Components,
    slot: u32,
    lts: &'a Lts,
    alphabet: Vec<LabelId>,
    acts: FxHashMap<LabelId, Act>,
    reached: Vec<bool>,
    gone: Vec<bool>,
    /// States in which something went wrong: nothing is asked of what comes after.
    wrong: FxHashSet<StateId>,
}

/// Sees what has to be written for a slot.
pub fn plan(components: &Components, slot: u32, lts: &Lts) -> Result<Plan, Refusal> {
    let Some(component) = components.component(Part::Slot(slot)) else {
        return Err(Refusal::new("no such process", None, format!("there is no process {slot}")));
    };
    let original = components.network.component(component);
    let mut planner = Planner {
        components,
        slot,
        lts,
        alphabet: original.alphabet().to_vec(),
        acts: FxHashMap::default(),
        reached: vec![false; lts.num_states()],
        gone: vec![false; lts.num_states()],
        wrong: FxHashSet::default(),
    };
    planner.run(component).map_err(|refusal| refusal.of(&original.name))
}

impl<'a> Planner<'a> {
    fn run(&mut self, component: ComponentId) -> Result<Plan, Refusal> {
        self.read()?;
        self.presence();
        let start = self.start()?;
        self.reach(start);
        self.watching(start)?;
        self.sending()?;
        self.receiving()?;
        self.write(component, start)
    }

    fn role(&self, label: LabelId) -> Option<&'a Role> {
        self.components.role(label)
    }

    /// What the process does in each label.
    fn read(&mut self) -> Result<(), Refusal> {
        let (used, alphabet) = (self.lts.used_labels(), &self.alphabet);
        if let Some(&label) = used.iter().find(|label| !label.is_tau() && alphabet.binary_search(label).is_err()) {
            let message = format!("it takes part in `{}`", self.components.network.labels().name(label));
            return Err(Refusal::new("foreign label", None, message));
        }
        for &label in used.iter().chain(alphabet) {
            let moves = self.role(label).is_some_and(|role| role.slot == self.slot);
            if moves && used.binary_search(&label).is_err() {
                // Nothing that has to be written.
                continue;
            }
            let act = act(self.components, self.slot, label)?;
            self.acts.insert(label, act);
        }
        Ok(())
    }

    fn targets(&self, state: StateId, label: LabelId) -> impl Iterator<Item = StateId> + '_ {
        self.lts.row_on(state, label).iter().map(|edge| edge.target)
    }

    /// What a label that others move by asks about whether the process is there, and whether it starts it.
    fn asks(&self, label: LabelId) -> (Option<bool>, bool) {
        let touches = self.role(label).map_or(&[][..], |role| &role.touches);
        let touch = touches.iter().find(|touch| touch.part == Part::Slot(self.slot));
        let facts = touch.map_or(&[][..], |touch| &touch.facts);
        let there = facts.iter().find_map(|fact| if let Fact::Present(there) = fact { Some(*there) } else { None });
        let starts = touch.is_some_and(|touch| !touch.changes.is_empty());
        (if starts { Some(false) } else { there }, starts)
    }

    /// Where others find that there is no such process.
    fn presence(&mut self) {
        for state in self.lts.states() {
            let row = self.lts.row(state).iter();
            let mut watched = row.filter(|edge| self.acts.get(&edge.label) == Some(&Act::Watch));
            self.gone[state.at()] = watched.any(|edge| self.asks(edge.label).0 == Some(false));
        }
        if self.alphabet.iter().all(|&label| self.asks(label).0.is_none()) {
            self.unnoticed();
        }
    }

    /// Nobody notices whether the process is there: it goes away where it can only wait for ever at an end, if those who come there
    /// can do nothing else.
    fn unnoticed(&mut self) {
        let waits = |state: &StateId| {
            let row = self.lts.row(*state);
            let ends = row.iter().any(|edge| self.acts.get(&edge.label) == Some(&Act::End));
            ends && row.iter().all(|edge| edge.target == *state && !self.moves(edge.label))
        };
        let waiting: FxHashSet<StateId> = self.lts.states().filter(waits).collect();
        self.gone = self.lts.states().map(|state| waiting.contains(&state)).collect();
        // Whoever comes to such a state comes by going away.
        let mut lively: FxHashSet<StateId> = std::iter::once(self.lts.initial()).collect();
        for state in self.lts.states().filter(|state| !waiting.contains(state)) {
            let moves = || self.lts.row(state).iter().filter(|edge| self.moves(edge.label));
            let ends = self.lts.row(state).iter().any(|edge| self.acts.get(&edge.label) == Some(&Act::End));
            let first = state == self.lts.initial();
            if first || !ends || !moves().all(|edge| self.dies(&self.acts[&edge.label], edge.target)) {
                lively.extend(moves().map(|edge| edge.target));
            }
        }
        for state in lively {
            self.gone[state.at()] = false;
        }
    }

    /// Whether the process does something in a label.
    fn moves(&self, label: LabelId) -> bool {
        !matches!(self.acts.get(&label), None | Some(Act::End | Act::Watch))
    }

    /// Where a process starts: only one place can be the first.
    fn start(&self) -> Result<StateId, Refusal> {
        let mut starts: Vec<StateId> = Vec::new();
        let initial = self.lts.initial();
        if !self.gone[initial.at()] {
            starts.push(initial);
        }
        for t in self.lts.transitions().filter(|t| self.acts.get(&t.label) == Some(&Act::Watch)) {
            if self.asks(t.label).1 && !starts.contains(&t.target) {
                starts.push(t.target);
            }
        }
        match starts.as_slice() {
            [start] => Ok(*start),
            _ => Err(Refusal::new("several starts", None, "it does not always start in the same state")),
        }
    }

    /// Whether an edge is written as something that leads to its target.
    fn leads(&self, label: LabelId) -> bool {
        !matches!(self.acts.get(&label), None | Some(Act::Own { wrong: true, .. } | Act::End))
    }

    fn reach(&mut self, start: StateId) {
        let mut open = vec![self.lts.initial(), start];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut self.reached[state.at()], true) {
                for edge in self.lts.row(state) {
                    if self.leads(edge.label) {
                        open.push(edge.target);
                    }
                    if let Some(Act::Receive { wrong: true, .. }) = self.acts.get(&edge.label) {
                        self.wrong.insert(edge.target);
                    }
                }
            }
        }
    }

    fn states(&self) -> impl Iterator<Item = StateId> + use<'_, 'a> {
        self.lts.states().filter(|state| self.reached[state.at()] && !self.wrong.contains(state))
    }

    /// Whether a state takes one of the messages of a kind that nobody takes.
    fn takes(&self, state: StateId, refused: &[(bool, i32, Message)], wanted: Option<bool>) -> bool {
        let refused = |channel: u32, message: &Message| {
            refused.iter().any(|(late, c, m)| wanted.is_none_or(|w| w == *late) && *c as u32 == channel && m == message)
        };
        self.lts.row(state).iter().any(|edge| match self.acts.get(&edge.label) {
            Some(Act::Receive { channel, message, .. }) => refused(*channel, message),
            _ => false,
        })
    }

    /// What others do without the process neither moves it nor waits for it.
    fn watching(&self, start: StateId) -> Result<(), Refusal> {
        let labels = self.alphabet.iter().filter(|label| self.acts.get(label) == Some(&Act::Watch));
        for &label in labels {
            let (there, starts) = self.asks(label);
            let refused = self.role(label).map_or(&[][..], |role| &role.refused);
            for state in self.states() {
                let gone = self.gone[state.at()];
                let goes = there.is_none_or(|there| there != gone) && (gone || !self.takes(state, refused, None));
                let to = if starts { start } else { state };
                let targets: Vec<StateId> = self.targets(state, label).collect();
                if targets != if goes { vec![to] } else { vec![] } {
                    let began = self.role(label).and_then(|role| role.began.first().copied());
                    let message = "the replacement moves with a step of another process, or stops it";
                    return Err(Refusal::new("step of another process", began, message));
                }
            }
        }
        Ok(())
    }

    /// Who takes a message is not for the sender to know.
    fn sending(&self) -> Result<(), Refusal> {
        let mut groups: FxHashMap<&Act, Vec<LabelId>> = FxHashMap::default();
        for (label, act) in self.acts.iter().filter(|(_, act)| matches!(act, Act::Send(..))) {
            groups.entry(act).or_default().push(*label);
        }
        // Labels of the same message that the replacement never has.
        for &label in self.alphabet.iter().filter(|label| !self.acts.contains_key(label)) {
            let Some(role) = self.role(label) else { continue };
            let Some(meeting) = role.meeting.as_ref().filter(|meeting| meeting.before.is_empty()) else { continue };
            if let Some(group) = groups.get_mut(&Act::Send(meeting.channel, meeting.message.clone())) {
                group.push(label);
            }
        }
        for labels in groups.values() {
            for state in self.states() {
                let all: FxHashSet<StateId> = labels.iter().flat_map(|&label| self.targets(state, label)).collect();
                for &label in labels.iter().filter(|_| !all.is_empty()) {
                    let refused = self.role(label).map_or(&[][..], |role| &role.refused);
                    let mut meant = all.iter().filter(|target| !self.takes(**target, refused, Some(true))).count();
                    for target in self.targets(state, label) {
                        meant = meant.wrapping_sub(usize::from(all.contains(&target)));
                    }
                    if meant != 0 {
                        let role = self.role(label).and_then(|role| role.meeting.as_ref());
                        let began = role.and_then(|meeting| meeting.began.first().copied());
                        let message = "the replacement makes a difference between those who take its message";
                        return Err(Refusal::new("rendezvous told apart", began, message));
                    }
                }
            }
        }
        Ok(())
    }

    /// Who sent a message is not for the receiver to know, but for what it sees in shared variables.
    fn receiving(&self) -> Result<(), Refusal> {
        let mut messages: FxHashMap<(u32, &Message), Vec<(Sending<'a>, LabelId)>> = FxHashMap::default();
        for &label in &self.alphabet {
            if let (Some(Act::Receive { channel, message, .. }), Some(role)) = (self.acts.get(&label), self.role(label))
            {
                let before = role.meeting.as_ref().map_or(&[][..], |meeting| &meeting.before);
                let sending = (role.slot, before, &role.refused[..]);
                messages.entry((*channel, message)).or_default().push((sending, label));
            }
        }
        for labels in messages.values() {
            let mut sendings: Vec<Sending<'a>> = labels.iter().map(|(sending, _)| *sending).collect();
            sendings.sort_unstable();
            sendings.dedup();
            for state in self.states() {
                let taken = |sending: &Sending<'a>| -> Vec<Taken<'_>> {
                    let labels = labels.iter().filter(|(of, _)| of == sending);
                    labels.flat_map(|(_, label)| self.taken(state, *label)).collect()
                };
                let taken: Vec<Vec<Taken<'_>>> = sendings.iter().map(taken).collect();
                for (sending, own) in sendings.iter().zip(&taken) {
                    if self.takes(state, sending.2, Some(false)) {
                        continue;
                    }
                    let fits = |taken: &Taken<'_>| covered(sending.1, taken, own);
                    if !taken.iter().flatten().all(fits) {
                        let began = self.role(labels[0].1).and_then(|role| role.began.first().copied());
                        let message = "the replacement makes a difference between those who send it a message";
                        return Err(Refusal::new("rendezvous told apart", began, message));
                    }
                }
            }
        }
        Ok(())
    }

    fn taken(&self, state: StateId, label: LabelId) -> Vec<Taken<'_>> {
        let Some(Act::Receive { touches, wrong, .. }) = self.acts.get(&label) else { return Vec::new() };
        self.targets(state, label).map(|target| (&touches[..], *wrong, target)).collect()
    }

    /// Whether the process only goes away in a step.
    fn dies(&self, act: &Act, target: StateId) -> bool {
        let next = Part::Slot(self.slot + 1);
        let last = |touch: &Touch| touch.part == next && touch.changes.is_empty();
        self.gone[target.at()]
            && match act {
                Act::Tau => true,
                Act::Own { touches, wrong: false } => touches.iter().all(last),
                _ => false,
            }
    }

    fn write(&self, component: ComponentId, start: StateId) -> Result<Plan, Refusal> {
        let states = self.lts.num_states();
        let mut plan = Plan {
            slot: self.slot,
            component,
            lts: self.lts.clone(),
            start,
            places: vec![Place::Unreached; states],
            ends: vec![false; states],
            choices: vec![Vec::new(); states],
        };
        for state in self.lts.states().filter(|state| self.reached[state.at()]) {
            let at = state.at();
            let mut choices: Vec<Choice> = Vec::new();
            for edge in self.lts.row(state) {
                let transition = Transition { source: state, label: edge.label, target: edge.target };
                match self.acts.get(&edge.label) {
                    None | Some(Act::Watch) => {}
                    Some(Act::End) if edge.target == state => plan.ends[at] = true,
                    Some(Act::End) => {
                        let message = "it moves where the program ends";
                        return Err(Refusal::new("end", None, message));
                    }
                    Some(act) => {
                        let same = |other: &Choice| other.act == *act && other.transition.target == edge.target;
                        if !choices.iter().any(same) {
                            choices.push(Choice { act: act.clone(), transition });
                        }
                    }
                }
            }
            let dying = |choice: &Choice| self.dies(&choice.act, choice.transition.target);
            plan.places[at] = if self.gone[at] {
                if !choices.is_empty() {
                    let message = "it goes on where others find that it is gone";
                    return Err(Refusal::new("life after death", None, message));
                }
                Place::Gone
            } else if plan.ends[at] && state != start && !choices.is_empty() && choices.iter().all(dying) {
                choices.clear();
                Place::Closing
            } else {
                Place::Inside
            };
            plan.choices[at] = choices;
        }
        Ok(plan)
    }
}

/// Whether a sender that left `before` behind may meet a receiver in a way that is known of another sender: either it cannot
/// come to it, or it is one of its own ways.
fn covered(before: &[Touch], (touches, wrong, target): &Taken<'_>, own: &[Taken<'_>]) -> bool {
    let mut known: FxHashMap<Part, Vec<&Fact>> = FxHashMap::default();
    let left: Vec<(Part, Fact)> = before
        .iter()
        .filter_map(|touch| value(&touch.changes).map(|value| (touch.part, Fact::Value(value))))
        .filter(|(part, _)| matches!(part, Part::Cell(_)))
        .collect();
    let unchanged = before.iter().filter(|touch| touch.changes.is_empty());
    let facts = unchanged.flat_map(|touch| touch.facts.iter().map(|fact| (touch.part, fact)));
    for (part, fact) in left.iter().map(|(part, fact)| (*part, fact)).chain(facts) {
        known.entry(part).or_default().push(fact);
    }
    for touch in *touches {
        for fact in &touch.facts {
            let facts = known.entry(touch.part).or_default();
            if facts.iter().any(|other| matches!((other, fact), (Fact::Value(a), Fact::Value(b)) if a != b)) {
                return true;
            }
            facts.push(fact);
        }
    }
    let implied = |touch: &Touch| {
        let facts = known.get(&touch.part).map_or(&[][..], |facts| facts);
        touch.facts.iter().all(|fact| facts.contains(&fact))
    };
    let effect = |touches: &[Touch]| -> Vec<(Part, Vec<Change>)> {
        let changes = touches.iter().filter(|touch| !touch.changes.is_empty());
        let kept = changes.filter(|touch| {
            let facts = known.get(&touch.part).map_or(&[][..], |facts| facts);
            value(&touch.changes).is_none_or(|value| !facts.contains(&&Fact::Value(value)))
        });
        kept.map(|touch| (touch.part, touch.changes.clone())).collect()
    };
    own.iter()
        .any(|(mine, w, t)| w == wrong && t == target && mine.iter().all(implied) && effect(mine) == effect(touches))
}
