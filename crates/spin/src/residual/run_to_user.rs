//! From a run of a text with folded processes to a run of the user's program.
//!
//! Each step of a folded process has an original for every state of its class, after steps that nobody notices. So the run is followed
//! with the state that each process has in the user's program, and those steps are put in where they are needed: right before the
//! step that follows them. A step that nobody notices and that begins an `atomic` has to wait for what comes after it, since from then
//! on nobody else moves.

use super::{Folded, Step};
use prequel_program::residual::{END, Edge, Residual, TAU};
use prequel_program::{Action, Expression, Machine, Program, Violation, Witness};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Steps of the user's program after which a cycle of a few steps has not come back: some variable that nobody reads counts.
const MOST_STEPS: usize = 100_000;

/// A step of a process of the user's program: which one, by which transition of its control state.
pub type Move = (Option<u32>, u32);

/// Where a folded process is in the user's program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Position {
    /// Its state, as if all that waits was done.
    place: u32,
    /// Steps that nobody notices and that are yet to be done.
    waiting: Vec<u32>,
}

struct Lift<'a> {
    folded: &'a Folded,
    program: &'a Program,
    emitted: &'a Program,
    machine: Machine,
    /// By process; none for those that have the user's text.
    positions: Vec<Option<Position>>,
    moves: Vec<Move>,
    /// How many moves there are up to the last that somebody can notice: a fault is in that one, and nothing comes after it.
    noticed: usize,
    /// The user's program after the first of these steps, and how many that are.
    user: Machine,
    taken: usize,
}

impl Folded {
    /// The steps of the user's program that a run of the written one stands for; none if there are none, which is a fault of ours.
    /// Both are without claims, and so are their steps: those of a claim are passed over.
    pub fn lift(&self, program: &Program, emitted: &Program, witness: &Witness) -> Option<Vec<Move>> {
        let mut lift = Lift::start(self, program, emitted)?;
        lift.steps(&witness.steps)?;
        match witness.violation {
            Violation::EndState => lift.settle_all()?,
            Violation::Fault { .. } => lift.moves.truncate(lift.noticed),
            Violation::Claim | Violation::Cycle(_) | Violation::Stuck(_) => {}
        }
        Some(lift.moves)
    }

    /// The same for a run without an end, of which the steps from `from` on are repeated for ever: where the user's program begins to repeat
    /// its steps is given besides. What a step stands for depends on where processes are in the user's program, so the cycle is taken
    /// until all of them are where they were before. Where it has to be fair, whoever does not move in the cycle first takes the steps that nobody
    /// notices: it could take them for ever.
    pub(super) fn lift_cycle(
        &self,
        program: &Program,
        emitted: &Program,
        steps: &[prequel_program::Step],
        from: usize,
        fair: bool,
    ) -> Option<(Vec<Move>, usize)> {
        let (stem, cycle) = steps.split_at_checked(from)?;
        let mut lift = Lift::start(self, program, emitted)?;
        lift.steps(stem)?;
        if cycle.iter().all(|step| step.process.is_none()) {
            // Nothing can move any more, once nobody has steps left that nobody notices.
            lift.settle_all()?;
            let end = lift.moves.len();
            return Some((lift.moves, end));
        }
        let moves = |process: usize| cycle.iter().any(|step| step.process == Some(process as u32));
        (0..lift.positions.len())
            .filter(|&process| fair && !moves(process))
            .try_for_each(|process| lift.settle(process))?;
        let mut seen: FxHashMap<(Vec<Option<Position>>, Machine), usize> = FxHashMap::default();
        let most = lift.moves.len() + MOST_STEPS.max(2 * cycle.len());
        while lift.moves.len() < most {
            lift.catch_up()?;
            let key = (lift.positions.clone(), lift.user.clone());
            if let Some(from) = seen.insert(key, lift.taken) {
                return (from < lift.taken).then_some((lift.moves, from));
            }
            lift.steps(cycle)?;
        }
        None
    }
}

/// Takes steps of the user's program, as far as there are such.
fn take_all(program: &Program, machine: &mut Machine, moves: &[Move]) -> Option<()> {
    for &(process, transition) in moves {
        let process = process? as usize + program.base();
        let kind = (process < machine.processes.len()).then(|| &program.proctypes[machine.proctype(process)])?;
        let statement = kind.states[machine.control(process)].transitions.get(transition as usize)?.statement;
        let raw = prequel_program::RawStep { process: process as u32, transition, statement, before: 0 };
        prequel_program::Step::take(program, machine, raw);
    }
    Some(())
}

impl<'a> Lift<'a> {
    fn start(folded: &'a Folded, program: &'a Program, emitted: &'a Program) -> Option<Self> {
        let (machine, user) = (Machine::initial(emitted).ok()?, Machine::initial(program).ok()?);
        let (positions, moves) = (Vec::new(), Vec::new());
        let mut lift = Self { folded, program, emitted, machine, positions, moves, noticed: 0, user, taken: 0 };
        lift.born();
        Some(lift)
    }

    /// Takes steps of the written program; those of its claim are none.
    fn steps(&mut self, steps: &[prequel_program::Step]) -> Option<()> {
        let steps: Vec<prequel_program::Step> = steps.iter().filter(|step| step.process.is_some()).cloned().collect();
        let mut at = 0;
        while at < steps.len() {
            at += self.step(&steps[at..])?;
        }
        Some(())
    }

    /// Takes the steps of the user's program that are known by now.
    fn catch_up(&mut self) -> Option<()> {
        take_all(self.program, &mut self.user, &self.moves[self.taken..])?;
        self.taken = self.moves.len();
        Some(())
    }

    fn settle_all(&mut self) -> Option<()> {
        (0..self.positions.len()).try_for_each(|process| self.settle(process))
    }

    /// Processes that are there now, and were not before.
    fn born(&mut self) {
        self.positions.truncate(self.machine.processes.len());
        for process in self.positions.len()..self.machine.processes.len() {
            let folded = self.residual(process).is_some();
            self.positions.push(folded.then(|| Position { place: 0, waiting: Vec::new() }));
        }
    }

    fn residual(&self, process: usize) -> Option<&'a Residual> {
        self.folded.residuals.get(self.machine.proctype(process))?.as_ref()
    }

    /// What a step of the written program stands for, if it is one of a folded process.
    fn written(&self, step: &prequel_program::Step) -> Option<Step> {
        let process = step.process? as usize;
        let residual = self.residual(process)?;
        let kind = &self.emitted.proctypes[self.machine.proctype(process)];
        let state = &kind.states[self.machine.control(process)];
        let transition = state.transitions.get(step.transition as usize)?;
        if transition.action == Action::End {
            let gone = residual.quotient.classes.iter().position(|class| class.gone)? as u32;
            return Some(Step { proctype: residual.proctype, class: 0, labels: vec![END], target: gone });
        }
        // The statements of a program with its claim have other numbers.
        let statement = &self.emitted.statements[transition.statement as usize];
        // Out of an `atomic` a jump is a step by itself, and stands in the line of another.
        let jumps = ["goto", "break"].iter().any(|word| statement.text.starts_with(word));
        self.folded.steps.get(&statement.line).filter(|_| !jumps).cloned()
    }

    /// Takes a step of the written program; the halves of a rendezvous at once. How many steps that were.
    fn step(&mut self, steps: &[prequel_program::Step]) -> Option<usize> {
        let process = steps[0].process? as usize;
        let after = self.taken(&steps[0])?;
        let meets = after.handshake != 0 && steps.len() > 1;
        let other = if meets { Some(steps[1].process? as usize) } else { None };
        self.catch_up()?;
        // Whoever receives has to be ready before the message is sent.
        let received = match other {
            None => None,
            Some(other) => Some(self.prepared(other, &steps[1], &self.sent(process, &steps[0])?)?),
        };
        let own = self.prepared(process, &steps[0], &self.user.clone())?;
        if let Some(label) = self.written(&steps[0]).filter(|_| self.positions[process].is_some())
            && self.waits_for_all(process, &label)
        {
            (0..self.positions.len()).filter(|&p| p != process).try_for_each(|process| self.settle(process))?;
        }
        let rest = self.done(process, &steps[0], own);
        self.machine = after;
        if let (Some(other), Some(received)) = (other, received) {
            let after = self.taken(&steps[1])?;
            let more = self.done(other, &steps[1], received);
            self.machine = after;
            self.follow(other, &more);
            // The sender goes on when it moves again: control is with the receiver.
            if let Some(position) = &mut self.positions[process] {
                position.waiting.extend(rest);
            }
        } else {
            self.follow(process, &rest);
        }
        self.born();
        Some(1 + usize::from(meets))
    }

    /// The state of the written program after a step.
    fn taken(&self, step: &prequel_program::Step) -> Option<Machine> {
        let mut machine = self.machine.clone();
        let process = step.process? as usize + self.emitted.base();
        let raw =
            prequel_program::RawStep { process: process as u32, transition: step.transition, statement: 0, before: 0 };
        if process >= machine.processes.len() {
            return None;
        }
        prequel_program::Step::take(self.emitted, &mut machine, raw);
        Some(machine)
    }

    /// The user's program once a process has sent a message that nobody has received yet.
    fn sent(&self, process: usize, step: &prequel_program::Step) -> Option<Machine> {
        let mut user = self.user.clone();
        let moves: Vec<u32> = match (self.written(step), self.residual(process), &self.positions[process]) {
            (Some(written), Some(residual), Some(position)) => {
                let (silent, edge) = self.path(process, residual, position.place, &written)?;
                let silent = silent.iter().flat_map(|passed| passed.path.iter().copied());
                position.waiting.iter().copied().chain(silent).chain(edge.map(|edge| edge.path[0])).collect()
            }
            _ => vec![step.transition],
        };
        let moves: Vec<Move> = moves.into_iter().map(|transition| (Some(process as u32), transition)).collect();
        take_all(self.program, &mut user, &moves)?;
        Some(user)
    }

    /// What a step stands for. A receive of any message stands for one of the message that is there.
    fn written_for(&self, step: &prequel_program::Step, user: &Machine) -> Option<Step> {
        let mut written = self.written(step)?;
        let process = step.process? as usize;
        if let (2.., Some(residual)) = (written.labels.len(), self.residual(process)) {
            let process = process + self.program.base();
            let fits = |label: &u32| {
                let action = &residual.unfolding.labels[*label as usize].action;
                user.enabled(self.program, process, action, false) == Ok(true)
            };
            if written.labels.iter().any(fits) {
                written.labels.retain(fits);
            }
        }
        Some(written)
    }

    /// Brings a process to where it can take a step: by steps that nobody notices. Then the edge that it takes. `user` is the user's program
    /// with the message that it receives, if it does.
    fn prepared(&mut self, process: usize, step: &prequel_program::Step, user: &Machine) -> Option<Option<Edge>> {
        let Some(written) = self.written_for(step, user) else { return Some(None) };
        let (Some(residual), Some(position)) = (self.residual(process), self.positions[process].clone()) else {
            return Some(None);
        };
        let (silent, edge) = self.path(process, residual, position.place, &written)?;
        if written.labels == [TAU] {
            return Some(edge);
        }
        self.wake(process);
        silent.iter().for_each(|passed| self.follow(process, &passed.path));
        Some(edge)
    }

    /// Does what waits.
    fn wake(&mut self, process: usize) {
        let waiting = self.positions[process].as_mut().map(|position| std::mem::take(&mut position.waiting));
        self.follow(process, &waiting.unwrap_or_default());
    }

    fn follow(&mut self, process: usize, path: &[u32]) {
        self.moves.extend(path.iter().map(|&transition| (Some(process as u32), transition)));
    }

    /// Takes a step; gives what a process does at once after it.
    fn done(&mut self, process: usize, step: &prequel_program::Step, edge: Option<Edge>) -> Vec<u32> {
        let Some(written) = self.written(step).filter(|_| self.positions[process].is_some()) else {
            // A process with the user's text takes the user's transition; a jump of a folded one is nothing at all.
            if self.positions[process].is_none() {
                self.moves.push((Some(process as u32), step.transition));
                self.noticed = self.moves.len();
            }
            return Vec::new();
        };
        let residual = self.residual(process).expect("it is a folded process");
        let Some(edge) = edge else { return Vec::new() };
        if written.labels == [TAU] {
            let place = self.positions[process].as_ref().map_or(0, |position| position.place);
            if let Some((passed, Some(_))) = self.path(process, residual, place, &written) {
                self.rest(process, &passed, &edge);
            }
            return Vec::new();
        }
        let Some(position) = &mut self.positions[process] else { return Vec::new() };
        position.place = edge.target;
        self.moves.push((Some(process as u32), edge.path[0]));
        self.noticed = self.moves.len();
        edge.path[1..].to_vec()
    }

    /// Takes a process to where a step leads that nobody notices. What can be done at once is: others may look at where the process is.
    /// What is asked on the way holds now.
    fn rest(&mut self, process: usize, passed: &[&Edge], last: &Edge) {
        let asked = passed.iter().rposition(|passed| passed.label != TAU).map_or(0, |at| at + 1);
        let wait = |lift: &mut Self, path: &[u32]| {
            lift.positions[process].iter_mut().for_each(|position| position.waiting.extend(path));
        };
        for (at, passed) in passed.iter().enumerate() {
            wait(self, &passed.path);
            if at + 1 == asked {
                self.wake(process);
            }
        }
        if let Some(position) = &mut self.positions[process] {
            position.place = last.target;
        }
        wait(self, &last.path);
        if last.label != TAU || !self.begins_atomic(process) {
            self.wake(process);
        }
    }

    /// Whether what waits ends in the middle of an `atomic`, where the class of the process has none.
    fn begins_atomic(&self, process: usize) -> bool {
        let (Some(residual), Some(position)) = (self.residual(process), &self.positions[process]) else { return false };
        let (place, _) = residual.unfolding.places.get_index(position.place as usize).expect("it is one of them");
        let states = &self.program.proctypes[residual.proctype as usize].states;
        let target = place.control;
        let last = position.waiting.last().copied();
        // The last transition leads to where the process is: whichever state it is of, it is atomic or not.
        let into =
            states.iter().filter_map(|state| state.transitions.get(last? as usize)).filter(|t| t.target == target);
        !place.held && into.into_iter().any(|transition| transition.atomic)
    }

    /// Whether a step is only possible where nothing else is.
    fn waits_for_all(&self, process: usize, written: &Step) -> bool {
        let Some(residual) = self.residual(process) else { return false };
        let mut timeout = false;
        for &label in &written.labels {
            if let Action::Condition(value) = &residual.unfolding.labels[label as usize].action {
                value.visit(&mut |part| timeout |= matches!(part, Expression::Timeout));
            }
        }
        timeout
    }

    /// Takes all steps of a process that nobody notices, as long as there are any.
    fn settle(&mut self, process: usize) -> Option<()> {
        self.wake(process);
        let Some(residual) = self.residual(process).filter(|residual| !residual.strong) else { return Some(()) };
        for _ in 0..residual.unfolding.places.len() {
            self.catch_up()?;
            let Some(position) = &self.positions[process] else { break };
            let place = position.place;
            let Some(edge) = self.silent(process, residual, place).next() else { break };
            if let Some(position) = &mut self.positions[process] {
                position.place = edge.target;
            }
            self.follow(process, &edge.path);
        }
        Some(())
    }

    /// The steps from a state of a process to states of the same class that nobody notices and that can be done now.
    fn silent(&self, process: usize, residual: &'a Residual, place: u32) -> impl Iterator<Item = &'a Edge> {
        let of = &residual.quotient.of;
        let edges = self.unnoticed(process, residual, place);
        edges.filter(move |edge| of[edge.target as usize] == of[place as usize])
    }

    /// The steps from a state of a process that nobody notices and that can be done now.
    fn unnoticed(&self, process: usize, residual: &'a Residual, place: u32) -> impl Iterator<Item = &'a Edge> {
        let edges = residual.unfolding.places[place as usize].iter().enumerate();
        edges
            .filter(move |(at, edge)| {
                let quiet = || residual.quotient.quiet.contains(&(place, *at as u32));
                edge.label == TAU || quiet() && self.can(process, residual, edge.label)
            })
            .map(|(_, edge)| edge)
    }

    /// Whether what a label says can be done now.
    fn can(&self, process: usize, residual: &Residual, label: u32) -> bool {
        let action = &residual.unfolding.labels[label as usize].action;
        self.user.enabled(self.program, process + self.program.base(), action, false) == Ok(true)
    }

    /// The steps that nobody notices from a state of a process to one that takes a step, and that step.
    fn path(
        &self,
        process: usize,
        residual: &'a Residual,
        from: u32,
        step: &Step,
    ) -> Option<(Vec<&'a Edge>, Option<Edge>)> {
        let of = &residual.quotient.of;
        let silent = step.labels == [TAU];
        let mut before: Vec<(u32, Option<(usize, &'a Edge)>)> = vec![(from, None)];
        let mut open = VecDeque::from([0usize]);
        while let Some(at) = open.pop_front() {
            let place = before[at].0;
            let plain =
                residual.unfolding.places[place as usize].iter().filter(|edge| step.labels.contains(&edge.label));
            let passing = self.unnoticed(process, residual, place).filter(|_| silent);
            if let Some(edge) = plain.chain(passing).find(|edge| of[edge.target as usize] == step.target) {
                let mut passed = Vec::new();
                let mut back = at;
                while let Some((earlier, edge)) = before[back].1 {
                    passed.push(edge);
                    back = earlier;
                }
                passed.reverse();
                return Some((passed, Some(edge.clone())));
            }
            for edge in self.silent(process, residual, place) {
                if !before.iter().any(|(place, _)| *place == edge.target) {
                    before.push((edge.target, Some((at, edge))));
                    open.push_back(before.len() - 1);
                }
            }
        }
        // A step of a process that could go on for ever: staying is enough.
        (silent && step.target == of[from as usize]).then(|| (Vec::new(), None))
    }
}
