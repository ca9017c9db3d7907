//! What a program comes to: statements that are never done, properties that hold only because nothing happens, and how large its states are.
//!
//! All states are looked at once more, in the program as it is written and without a reduction that would leave some of them out.

use crate::job::failure::Failure;
use crate::open::ProgramFile;
use prequel_formats::promela::syntax::{Formula, FormulaKind, Unit};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Expression, Layout, Machine, Program, RawStep, Sink, Violation, Work, expand, holds};
use rustc_hash::FxHashMap;

/// What a program comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// By proctype, in the order of the text: statements that no run does. Those without any are left out.
    pub never: Vec<(String, Vec<NeverDone>)>,
    /// Formulas of the model that hold whatever happens, since what they are about never happens: name and condition.
    pub vacuous: Vec<(String, String)>,
    /// States of the program as it is written.
    pub states: usize,
    /// Bytes that each of them takes here.
    pub bytes: usize,
    /// Steps to the state that is furthest away.
    pub depth: usize,
}

/// A statement that no run does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeverDone {
    /// In which file.
    pub file: String,
    /// In which line.
    pub line: usize,
    /// Its text.
    pub text: String,
}

/// Looks at all states of a program.
pub fn all_reached(file: &ProgramFile, run: &Run) -> Result<Reached, Failure> {
    let (program, _) = file.with_goal("--unreached", "true")?;
    let conditions = conditions(file);
    let mut words = Layout::first_guess(&program);
    let found = loop {
        let layout = Layout::new(&program, words);
        match Search::new(&program, &layout, &conditions).search(run)? {
            Some(found) => break found,
            None => words *= 2,
        }
    };
    let Found { done, happens, states, depth } = found;
    let mut never = Vec::new();
    for kind in &program.proctypes {
        let mut own: Vec<u32> = kind.states.iter().flat_map(|s| &s.transitions).map(|t| t.statement).collect();
        own.sort_unstable_by_key(|&at| (program.statements[at as usize].line, at));
        own.dedup();
        let missed = own.into_iter().filter(|&at| !done[at as usize]).map(|at| {
            let statement = &program.statements[at as usize];
            NeverDone { file: statement.file.to_string(), line: statement.line, text: statement.text.to_string() }
        });
        let missed: Vec<NeverDone> = missed.collect();
        if !missed.is_empty() {
            never.push((kind.name.to_string(), missed));
        }
    }
    let vacuous = conditions.into_iter().zip(happens).filter(|(_, happens)| !happens);
    let vacuous = vacuous.map(|(Condition { formula, text, .. }, _)| (formula, text)).collect();
    Ok(Reached { never, vacuous, states, bytes: words * 8, depth })
}

/// Something without which a formula says nothing.
struct Condition {
    formula: String,
    text: String,
    /// What it means, in a reading of its own.
    meaning: (Program, Expression),
}

/// The left sides of implications in the formulas of a model, as far as they are about single states.
fn conditions(file: &ProgramFile) -> Vec<Condition> {
    let Some(source) = file.source() else { return Vec::new() };
    let mut found = Vec::new();
    let mut unnamed = 0;
    for unit in &source.model.units {
        let Unit::Ltl(ltl) = unit else { continue };
        let name = ltl.name.as_ref().map_or_else(|| format!("ltl_{unnamed}"), |name| name.text.to_string());
        unnamed += usize::from(ltl.name.is_none());
        let mut sides = Vec::new();
        implications(&ltl.formula, &mut sides);
        for side in sides {
            let Some(text) = source.model.sources.text(side.span) else { continue };
            if let Ok(meaning) = file.with_goal("--unreached", text) {
                found.push(Condition { formula: name.clone(), text: text.to_owned(), meaning });
            }
        }
    }
    found
}

fn implications<'f>(formula: &'f Formula, found: &mut Vec<&'f Formula>) {
    match &*formula.kind {
        FormulaKind::Always(a) | FormulaKind::Next(a) => implications(a, found),
        FormulaKind::And(a, b) => {
            implications(a, found);
            implications(b, found);
        }
        FormulaKind::Implies(a, b) => {
            if is_of_states(a) {
                found.push(a);
            }
            implications(b, found);
        }
        _ => {}
    }
}

fn is_of_states(formula: &Formula) -> bool {
    match &*formula.kind {
        FormulaKind::Atom(_) => true,
        FormulaKind::Not(a) => is_of_states(a),
        FormulaKind::And(a, b) | FormulaKind::Or(a, b) => is_of_states(a) && is_of_states(b),
        _ => false,
    }
}

/// All states, one level after the other.
struct Search<'a> {
    program: &'a Program,
    layout: &'a Layout,
    conditions: &'a [Condition],
    /// Packed states, and how far from the start each is.
    seen: FxHashMap<Box<[u64]>, u32>,
    open: std::collections::VecDeque<Box<[u64]>>,
    done: Vec<bool>,
    happens: Vec<bool>,
    /// How far away the states are that come now.
    depth: u32,
    outgrown: bool,
    packed: Vec<u64>,
}

/// What was found.
struct Found {
    done: Vec<bool>,
    happens: Vec<bool>,
    states: usize,
    depth: usize,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, layout: &'a Layout, conditions: &'a [Condition]) -> Self {
        Self {
            program,
            layout,
            conditions,
            seen: FxHashMap::default(),
            open: std::collections::VecDeque::new(),
            done: vec![false; program.statements.len()],
            happens: vec![false; conditions.len()],
            depth: 0,
            outgrown: false,
            packed: Vec::new(),
        }
    }

    /// All there is; nothing if a state takes more room.
    fn search(mut self, run: &Run) -> Result<Option<Found>, Failure> {
        let (mut work, mut machine, mut furthest) = (Work::default(), Machine::default(), 0);
        if let Ok(first) = Machine::initial(self.program) {
            self.note(&first);
        }
        while let Some(state) = self.open.pop_front() {
            if self.outgrown {
                return Ok(None);
            }
            let here = self.seen[&state];
            (self.depth, furthest) = (here + 1, here);
            self.layout.unpack(&state, &mut machine);
            expand(self.program, &mut machine, &mut work, &mut self);
            run.allowed()?;
            if run.limits.states.is_some_and(|most| self.seen.len() as u64 > most) {
                return Err(Why::States(run.limits.states.unwrap_or_default()).into());
            }
        }
        let Self { done, happens, seen, .. } = self;
        Ok(Some(Found { done, happens, states: seen.len(), depth: furthest as usize }))
    }

    fn note(&mut self, machine: &Machine) {
        self.packed.clear();
        if self.layout.pack(machine, &mut self.packed).is_err() {
            self.outgrown = true;
        } else if !self.seen.contains_key(self.packed.as_slice()) {
            let state: Box<[u64]> = self.packed.as_slice().into();
            self.seen.insert(state.clone(), self.depth);
            self.open.push_back(state);
            for (happens, condition) in self.happens.iter_mut().zip(self.conditions) {
                let (program, expression) = &condition.meaning;
                *happens = *happens || holds(program, machine, expression) == Ok(true);
            }
        }
    }

    fn mark(&mut self, trail: &[RawStep], step: u32) {
        let steps = std::iter::successors(trail.get(step as usize), |raw| trail.get(raw.before as usize));
        steps.for_each(|raw| self.done[raw.statement as usize] = true);
    }
}

impl Sink for Search<'_> {
    const TRAIL: bool = true;

    fn state(&mut self, machine: &Machine, trail: &[RawStep], step: u32) {
        self.mark(trail, step);
        self.note(machine);
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        if let Violation::Fault { statement, .. } = violation {
            self.done[statement as usize] = true;
        }
        true
    }
}
