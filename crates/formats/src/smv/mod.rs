//! SMV as the interpolation paper has it, and the common part of what NuSMV reads: modules as components that move all at once.
//!
//! The result is a circuit: variables in bits, what each component says of the first state and of steps, and what must not be
//! reached. Values that do not fit and cases for which nothing is said are told apart from those that only look so by a solver.

mod build;
mod evaluate;
mod grammar;
mod lexer;
mod report;
mod scope;
pub mod syntax;
mod value;
mod write;

pub use write::write;

pub(crate) use grammar::RESERVED;

use crate::diag::{Diagnostic, Read};
use crate::text::tokens::{Notes, Tokens};
use evaluate::Evaluator;
use lexer::LEXIS;
use prequel_model as model;
use prequel_model::{Circuit, Lit};
use report::Report;
use scope::System;
use syntax::{Module, Name, Role, Type, Variable};

/// A goal in the words of a model; `option` is what messages call it.
#[derive(Clone, Copy, Debug)]
pub struct Goal<'a> {
    /// As in `--reach`.
    pub option: &'a str,
    /// The expression.
    pub text: &'a str,
}

/// Reads a file.
pub fn read(file: &str, text: &[u8]) -> Read<Circuit> {
    read_with(file, text, None)
}

/// Reads a file; what must not be reached is what is claimed there, or the goal.
pub fn read_with(file: &str, text: &[u8], goal: Option<Goal>) -> Read<Circuit> {
    let text = String::from_utf8_lossy(text);
    let mut report = Report::new(file, text.as_bytes());
    let modules = modules(file, &text, &mut report);
    if modules.is_empty() && report.is_empty() {
        report.error(&(0..0), "there is no module in this file", "a model has at least one `MODULE name`");
    }
    let system = if report.is_empty() { System::new(&modules, &mut report) } else { System::default() };
    if !report.is_empty() {
        return Err(report.none().expect_err("something is wrong"));
    }
    let mut evaluator = Evaluator::new(&system, report);
    evaluator.build();
    evaluator.settle();
    if let (Some(goal), true) = (goal, evaluator.report.is_empty()) {
        evaluator.report.about(goal.option, goal.text.as_bytes());
        let parsed = expression(goal)?;
        evaluator.circuit.bad = evaluator.goal(&parsed);
        evaluator.settle();
    }
    evaluator.report.none()?;
    Ok((evaluator.circuit, Vec::new()))
}

/// A condition on the words of a circuit that was not read from such a file, as a function of it.
pub fn read_goal(goal: Goal, circuit: &mut Circuit) -> Result<Lit, Vec<Diagnostic>> {
    let parsed = expression(goal)?;
    let name = |text: &str| Name { text: text.into(), span: 0..0 };
    let variables = circuit.words.iter().map(|word| {
        let ty = match &word.kind {
            model::Kind::Truth => Type::Truth,
            model::Kind::Numbers(first, last) => Type::Range(*first, *last),
            model::Kind::Names(names) => Type::Names(names.iter().map(|text| name(text)).collect()),
        };
        Variable { name: name(&word.name), ty, role: Role::State }
    });
    let module = [Module { variables: variables.collect(), ..Module::new(name("main"), Vec::new()) }];
    let mut report = Report::new(goal.option, goal.text.as_bytes());
    let system = System::new(&module, &mut report);
    let mut evaluator = Evaluator::new(&system, report);
    (evaluator.words, evaluator.circuit.bits) = (circuit.words.clone(), circuit.bits);
    let condition = evaluator.goal(&parsed);
    evaluator.settle();
    evaluator.report.none()?;
    let condition = condition.expect("what is wrong was reported");
    Ok(evaluator.circuit.aig.copy(&[condition], &mut circuit.aig, |aig, input| aig.input(input))[0])
}

fn expression(goal: Goal) -> Result<syntax::Expression, Vec<Diagnostic>> {
    let help = "goals are expressions over the variables; a name with other characters stands in double quotes";
    LEXIS.goal(goal.option, goal.text, help, grammar::goal)
}

/// The modules of a file, names not looked up yet.
fn modules(file: &str, text: &str, report: &mut Report) -> Vec<Module> {
    let (tokens, faults) = LEXIS.cut(text);
    for (span, message) in faults {
        report.error(&span, message, "comments are `-- …` and `/-- … --/`");
    }
    let notes = Notes::default();
    let mut modules: Vec<Module> = Vec::new();
    let mut input = Tokens::new(&tokens, &notes);
    while let Some(first) = input.first() {
        let parsed = match modules.last_mut() {
            Some(module) if first.text != "MODULE" => {
                grammar::section(input).map(|(rest, section)| (rest, grammar::add(module, section)))
            }
            _ => grammar::module(input).map(|(rest, module)| (rest, modules.push(module))),
        };
        input = match parsed {
            Ok((rest, ())) => rest,
            Err(_) => {
                report.add(notes.diagnostic(file, text.as_bytes(), &tokens));
                input.skip_to(grammar::begins)
            }
        };
    }
    modules
}

#[cfg(test)]
mod tests;
