//! From a run of the program with replaced processes to a trace of the network with the same components replaced.
//!
//! Every state of the run is looked at between two steps of the network: shared variables and buffers are what they are, kept
//! processes are where the user's text has them, and a replaced process is at a place of its text. So the trace is a path of
//! the network through states that fit.

use super::Replaced;
use super::edit::FORK;
use super::plan::Place;
use prequel_model::{ComponentId, StateId, Step, Trace};
use prequel_program::components::{Components, Contents, Part};
use prequel_program::{Action, Machine, Proctype, Program, Violation, Witness};

/// A state on the way: where the network is, the entry of the level before, and the step between.
type Entry = (Vec<StateId>, usize, Option<Step>);

impl Replaced {
    /// The trace of the reduced network that a witness of the emitted program stands for. None if there is none, which is a
    /// fault of one of the two.
    pub fn trace(
        &self,
        program: &Program,
        components: &Components,
        emitted: &Program,
        witness: &Witness,
    ) -> Option<Trace> {
        // Mostly a process that comes to the end of its text is gone in the network by then. Where others still count it, it has not
        // gone yet.
        let trace = |late| self.trace_with(program, components, emitted, witness, late);
        trace(false).or_else(|| trace(true))
    }

    /// The same; processes at the end of their text may be `late` to go there in the network.
    fn trace_with(
        &self,
        program: &Program,
        components: &Components,
        emitted: &Program,
        witness: &Witness,
        late: bool,
    ) -> Option<Trace> {
        let back = Back { replaced: self, components, emitted, kinds: self.kinds(program, emitted)?, late };
        let machines = witness.states(emitted)?;
        let (first, rest) = machines.split_first()?;
        let initial = self.network.initial();
        if !fits(&back.project(first)?, &initial) {
            return None;
        }
        let mut levels: Vec<Vec<Entry>> = vec![vec![(initial, 0, None)]];
        let wrong = matches!(witness.violation, Violation::Fault { .. });
        let rest = if wrong { &rest[..rest.len().saturating_sub(1)] } else { rest };
        for machine in rest {
            let allowed = back.project(machine)?;
            let mut next: Vec<Entry> = Vec::new();
            for (at, (state, ..)) in levels.last()?.iter().enumerate() {
                // The end of a body and the end of its process can be one in the network.
                if fits(&allowed, state) {
                    add(&mut next, (state.clone(), at, None));
                }
                for step in self.network.steps(state) {
                    let after = after(state, &step);
                    if fits(&allowed, &after) {
                        add(&mut next, (after, at, Some(step)));
                    }
                }
            }
            levels.push(next);
        }
        let mut steps = Vec::new();
        let mut at = 0;
        if wrong {
            let process = witness.steps.last()?.process?;
            let last = levels.last()?.iter().enumerate();
            let found = last.flat_map(|(at, (state, ..))| {
                self.network
                    .steps(state)
                    .into_iter()
                    .filter(|step| components.is_wrong(step.label))
                    .map(move |s| (at, s))
            });
            let (number, step) = found.max_by_key(|(_, step)| {
                let role = components.role(step.label);
                role.is_some_and(|role| {
                    role.slot == process || role.meeting.as_ref().is_some_and(|meeting| meeting.receiver == process)
                })
            })?;
            steps.push(step);
            at = number;
        }
        for level in levels.iter().rev() {
            let (_, before, step) = level.get(at)?;
            steps.extend(step.clone());
            at = *before;
        }
        steps.reverse();
        Some(Trace { steps })
    }

    /// The user's proctype of each emitted one, and the user's control state of each of its; none for those that were put in.
    fn kinds(&self, program: &Program, emitted: &Program) -> Option<Vec<Option<Kind>>> {
        let kind = |proctype: &Proctype| {
            let touched = self.names.iter().find(|(name, _)| *name == *proctype.name).map(|(_, kind)| *kind);
            let plain = || program.proctypes.iter().position(|kind| kind.name == proctype.name).map(|at| at as u32);
            let Some(number) = touched.unwrap_or_else(plain) else { return Some(None) };
            let controls = self.controls(&program.proctypes[number as usize], emitted, proctype)?;
            Some(Some(Kind { number, controls }))
        };
        emitted.proctypes.iter().map(kind).collect()
    }

    /// Pairs the control states of a proctype with those of its emitted text, which differs by forked statements alone.
    fn controls(&self, user: &Proctype, emitted: &Program, kind: &Proctype) -> Option<Vec<Option<u32>>> {
        let mut paired: Vec<Option<u32>> = vec![None; kind.states.len()];
        let mut open = vec![(0u32, 0u32)];
        while let Some((theirs, ours)) = open.pop() {
            match paired[ours as usize].replace(theirs) {
                Some(before) if before == theirs => continue,
                Some(_) => return None,
                None => {}
            }
            let mut rest = kind.states[ours as usize].transitions.iter();
            for transition in &user.states[theirs as usize].transitions {
                let fork = self.forks.iter().find(|(statement, _)| *statement == transition.statement);
                let Some((_, options)) = fork else {
                    let other = rest.next()?;
                    open.extend(transition.target.zip(other.target));
                    continue;
                };
                // A guard, then the same statement, for each option.
                for guard in rest.by_ref().take(*options) {
                    let run = kind.states[guard.target? as usize].transitions.first()?;
                    let mut target = run.target?;
                    // At the end of an `atomic`, to leave the choice is a step, though no state is stored before it.
                    if let [leave] = &kind.states[target as usize].transitions[..]
                        && emitted.statements[leave.statement as usize].text.starts_with(FORK)
                    {
                        target = leave.target?;
                    }
                    open.extend(transition.target.map(|theirs| (theirs, target)));
                }
            }
            if rest.next().is_some() {
                return None;
            }
        }
        Some(paired)
    }
}

/// A proctype of the user's.
struct Kind {
    number: u32,
    /// By emitted control state.
    controls: Vec<Option<u32>>,
}

/// What a channel holds; nothing if it is not there.
fn queue(program: &Program, machine: &Machine, channel: u32) -> Contents {
    let Some(&at) = machine.channels.get(channel as usize - 1) else { return Contents::default() };
    let at = at as usize;
    let width = program.channel_types[machine.cells[at] as usize].fields.len();
    machine.cells[at + 1..at + 2 + machine.cells[at + 1] as usize * width].into()
}

fn fits(allowed: &[Vec<StateId>], state: &[StateId]) -> bool {
    allowed.iter().zip(state).all(|(allowed, state)| allowed.contains(state))
}

fn after(state: &[StateId], step: &Step) -> Vec<StateId> {
    let mut state = state.to_vec();
    for moved in &step.moves {
        state[moved.component.at()] = moved.to;
    }
    state
}

fn add(level: &mut Vec<Entry>, entry: Entry) {
    if !level.iter().any(|(state, ..)| *state == entry.0) {
        level.push(entry);
    }
}

struct Back<'a> {
    replaced: &'a Replaced,
    components: &'a Components,
    emitted: &'a Program,
    kinds: Vec<Option<Kind>>,
    /// Whether a process at the end of its text may have that step before it in the network.
    late: bool,
}

impl Back<'_> {
    /// For each component the states that a state of the emitted program may stand for.
    fn project(&self, machine: &Machine) -> Option<Vec<Vec<StateId>>> {
        self.components.network.ids().map(|component| self.states(machine, component)).collect()
    }

    fn states(&self, machine: &Machine, component: ComponentId) -> Option<Vec<StateId>> {
        let contents: Contents = match self.components.part(component) {
            Part::Cell(cell) => [machine.cells[cell as usize]].into(),
            Part::Channel(channel) => queue(self.emitted, machine, channel),
            Part::Slot(slot) => {
                if let Some(plan) = self.replaced.plans.iter().find(|plan| plan.slot == slot) {
                    return Some(self.places(machine, plan));
                }
                match machine.processes.get(slot as usize) {
                    None => Contents::default(),
                    Some(&at) => {
                        let kind = machine.proctype(slot as usize);
                        let cells = self.emitted.proctypes[kind].cells.len();
                        let mut frame: Contents = machine.cells[at as usize..at as usize + 2 + cells].into();
                        let kind = self.kinds[kind].as_ref()?;
                        frame[0] = kind.number as i32;
                        frame[1] = kind.controls[frame[1] as usize]? as i32;
                        frame
                    }
                }
            }
        };
        self.components.states(component).get_index_of(&contents).map(|state| vec![StateId::new(state)])
    }

    /// The states of a replaced process that its place in the text stands for.
    fn places(&self, machine: &Machine, plan: &super::plan::Plan) -> Vec<StateId> {
        let all = |wanted: &dyn Fn(StateId) -> bool| plan.lts.states().filter(|&state| wanted(state)).collect();
        let place = |state: StateId| plan.places[state.at()];
        if plan.slot as usize >= machine.processes.len() {
            return all(&|state| place(state) == Place::Gone);
        }
        let pid = plan.slot as usize;
        let control = &self.emitted.proctypes[machine.proctype(pid)].states[machine.control(pid)];
        if control.transitions.iter().any(|transition| transition.action == Action::End) {
            let leaves = |state: StateId| {
                let mut choices = plan.choices[state.at()].iter();
                self.late && choices.any(|choice| place(choice.transition.target).is_end())
            };
            return all(&|state| place(state).is_end() || leaves(state));
        }
        let lines = control.transitions.iter().map(|t| self.emitted.statements[t.statement as usize].line);
        let mut marks = lines.filter_map(|line| self.replaced.mark(line)).filter(|mark| mark.slot == plan.slot);
        match marks.next() {
            Some(mark) => vec![mark.state],
            None => all(&|state| place(state) == Place::Inside && plan.choices[state.at()].is_empty()),
        }
    }
}
