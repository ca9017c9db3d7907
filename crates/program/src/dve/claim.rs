//! What is to be said of runs without an end: a formula, or the property process of the model.

use super::{Compiler, View, ltl};
use crate::data::{Proctype, Program, Property, Statement};
use prequel_formats::diag::{Diagnostic, Place, Read};
use prequel_formats::dve::syntax::{Expression as Ast, Process, System};
use prequel_model::Temporal;

/// A formula that is given beside a model.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// What messages call its text.
    pub option: &'a str,
    /// What it is called itself.
    pub name: &'a str,
    /// As it is written.
    pub text: &'a str,
    /// What it says.
    pub formula: &'a Temporal<Ast>,
}

/// The bare system beside a claim that a formula does not hold. As everywhere else, the last state of a run that ends is repeated.
pub fn with_formula(system: &System, given: Given<'_>) -> Read<Program> {
    let Given { option, name, text, formula } = given;
    let mut compiler = Compiler::new(system, View::Bare);
    let mut program = compiler.system(system);
    compiler.findings.about(option, text.as_bytes());
    let formula = formula.map(&mut |atom| compiler.value(None, atom));
    let warnings = compiler.findings.none()?;
    let statement = program.statements.len() as u32;
    let Some(states) = ltl::claim_states(&formula, statement) else {
        let found = Diagnostic::error(option, "the automaton of this formula is too large");
        return Err(vec![found.help("split the formula into several")]);
    };
    let written: Box<str> = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
    program.statements.push(Statement {
        file: option.into(),
        line: 1,
        text: written.clone(),
        span: Default::default(),
    });
    program.labels = compiler.labels;
    let never = Proctype {
        name: "never".into(),
        cells: Vec::new(),
        parameters: 0,
        prologue: Vec::new(),
        deterministic: false,
        priority: 1,
        provided: None,
        states,
    };
    let property = Property {
        name: name.into(),
        formula: Some(written),
        file: option.into(),
        line: 1,
        cyclic: false,
        repeats_ends: true,
        stutters: false,
    };
    Ok((watched(program, never, property), warnings))
}

/// The bare system beside its property process, which moves with each of its steps: what comes through an accepting state again and
/// again is excluded. It has no step of its own, so that runs which end are none.
pub fn with_property(system: &System) -> Read<Program> {
    let mut compiler = Compiler::new(system, View::Bare);
    let mut program = compiler.system(system);
    let named = system.property.as_ref().map(|name| &name.text);
    let process = system.processes.iter().find(|process| Some(&process.name.text) == named);
    compiler.statements = std::mem::take(&mut program.statements);
    let watching = process.map(|process| compiler.watching(process));
    let warnings = compiler.findings.none()?;
    let (Some(process), Some(never)) = (process, watching) else { return Ok((program, warnings)) };
    program.statements = compiler.statements;
    program.labels = compiler.labels;
    let property = Property {
        name: process.name.text.clone(),
        formula: None,
        file: system.file.as_str().into(),
        line: Place::in_text(system.text.as_bytes(), process.name.span.clone()).line,
        cyclic: false,
        repeats_ends: false,
        stutters: false,
    };
    Ok((watched(program, never, property), warnings))
}

/// A program with a claim.
fn watched(program: Program, never: Proctype, property: Property) -> Program {
    let cyclic = (0..never.states.len()).any(|s| never.states[s].accept && never.returns_to(s as u32));
    let mut proctypes = program.proctypes;
    proctypes.push(never);
    let claim = Some(proctypes.len() as u32 - 1);
    Program { proctypes, claim, property: Some(Property { cyclic, ..property }), ..program }
}

impl<'s> Compiler<'s> {
    /// The automaton of the property process. It looks at the others and changes nothing but its own variables.
    fn watching(&mut self, process: &'s Process) -> Proctype {
        let number = self.processes.len();
        self.process(process);
        // It is none of those that can be named.
        self.shared.processes.remove(&*process.name.text);
        self.property = Some(number);
        for transition in &process.transitions {
            if let Some(sync) = &transition.sync {
                let help = "it moves with every step of the system: look at states and variables instead";
                self.error(&sync.channel.span, "a property process sends and receives nothing", help);
            }
            for (target, _) in &transition.effects {
                if !process.locals.variables.iter().any(|variable| variable.name.text == target.name.text) {
                    let help = "it looks at the system: only variables of its own can be set";
                    self.error(&target.name.span, "a property process changes nothing of the system", help);
                }
            }
        }
        if let Some((name, _)) = process.assertions.first() {
            let help = "say it with an accepting state, or in another process";
            self.error(&name.span, "a property process has no assertions", help);
        }
        let mut proctype = self.proctype(number, process);
        for name in &process.accepting {
            if let Some(state) = self.state(number, name) {
                proctype.states[state as usize].accept = true;
            }
        }
        proctype
    }
}
