//! Programs that cannot be put into components, and why.

use crate::data::{Action, Node, Program, Setup, Then, Transition};
use crate::expression::Expression;
use prequel_formats::diag::{Diagnostic, Place};

/// Why a program cannot be put into components.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What it is about, in a few words that do not depend on the model.
    pub construct: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where, if it is one statement.
    pub statement: Option<u32>,
}

impl Refusal {
    /// About a statement.
    pub fn at(construct: &'static str, statement: u32, message: impl Into<String>) -> Self {
        Self { construct, message: message.into(), statement: Some(statement) }
    }

    /// About the program as a whole.
    pub fn of(construct: &'static str, message: impl Into<String>) -> Self {
        Self { construct, message: message.into(), statement: None }
    }

    /// For people.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        let place = self.statement.and_then(|number| program.statements.get(number as usize));
        let file = place.or(program.statements.first()).map_or("-", |statement| &*statement.file);
        let mut found = Diagnostic::error(file, self.message.clone());
        if let Some(statement) = place {
            let text = statement.text.as_bytes();
            found = found.at(Place::in_line(statement.line, text, 0..text.len()));
        }
        let who = if program.senders_last { "`otf` takes" } else { "`otf` and SPIN take" };
        found.help(format!("this model cannot be split into components; the engine {who} it as it is"))
    }
}

/// Constructs that no component can have, each once per statement.
pub fn unsuitable(program: &Program) -> Vec<Refusal> {
    let mut scan = Scan { found: Vec::new(), statement: 0 };
    if let Some(trace) = &program.trace {
        scan.statement = trace.statement;
        scan.note("trace", "a `trace` moves with every process that sends or receives");
    }
    if let Some(claim) = program.claim {
        let first = program.proctypes[claim as usize].states.iter().find_map(|state| state.transitions.first());
        scan.statement = first.map_or(0, |transition| transition.statement);
        scan.note("never", "a `never` claim moves with every process");
    }
    if program.priorities {
        scan.found.push(Refusal::of("priority", "a priority looks at whether processes of a higher one can move"));
    }
    if program.last.is_some() {
        scan.found.push(Refusal::of("_last", "`_last` is set by every step of every process"));
    }
    let (runnable, started) = runnable(program);
    for number in runnable {
        let kind = &program.proctypes[number as usize];
        if kind.deterministic {
            scan.found.push(Refusal::of("D_proctype", format!("`{}` is watched for choices", kind.name)));
        }
        kind.provided.iter().for_each(|provided| scan.value(provided));
        for setup in &kind.prologue {
            match setup {
                Setup::Value(_, value) => scan.value(value),
                Setup::Channel(..) if started.contains(&number) => {
                    scan.found.push(Refusal::of(
                        "own channel",
                        format!("`{}` is started by `run` and makes a channel of its own", kind.name),
                    ));
                }
                Setup::Channel(..) => {}
            }
        }
        for state in &kind.states {
            let escape = |t: &&Transition| t.escape != 0 && t.action == Action::Else;
            if let Some(transition) = state.transitions.iter().find(escape) {
                scan.statement = transition.statement;
                scan.note("unless", "an escape starts with `else`");
            }
            for transition in &state.transitions {
                scan.statement = transition.statement;
                scan.action(&transition.action);
                for then in &transition.then {
                    if let Then::Do { action, .. } = then {
                        scan.action(action);
                    }
                }
            }
        }
    }
    scan.found.dedup();
    scan.found
}

/// The proctypes that can be running, and those that are started by `run`.
fn runnable(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let (mut found, mut started): (Vec<u32>, Vec<u32>) = Default::default();
    let mut open = program.active.clone();
    while let Some(number) = open.pop() {
        if found.contains(&number) {
            continue;
        }
        found.push(number);
        let transitions = program.proctypes[number as usize].states.iter().flat_map(|state| &state.transitions);
        for transition in transitions {
            match &transition.action {
                Action::Run(run) => started.push(run.proctype),
                Action::Steps(steps) => started.extend(steps.nodes.iter().filter_map(|node| match node {
                    Node::Do(Action::Run(run), ..) => Some(run.proctype),
                    _ => None,
                })),
                _ => {}
            }
        }
        open.extend(&started);
    }
    found.sort_unstable();
    (found, started)
}

struct Scan {
    found: Vec<Refusal>,
    statement: u32,
}

impl Scan {
    fn note(&mut self, construct: &'static str, message: &str) {
        self.found.push(Refusal::at(construct, self.statement, message));
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(value) | Action::Assert(value) => self.value(value),
            Action::Assign(place, value) => {
                self.value(value);
                let indices = place.iter().flat_map(|place| &place.indices);
                indices.for_each(|index| self.value(&index.at));
            }
            Action::Print(values) => values.iter().for_each(|value| self.value(value)),
            Action::Send(send) => {
                send.guard.iter().for_each(|guard| self.value(guard));
                self.value(&send.channel);
                send.arguments.iter().for_each(|value| self.value(value));
            }
            Action::Receive(receive) => receive.visit(&mut |inner| self.look(inner)),
            Action::SetPriority(_) => {}
            Action::Run(run) => run.arguments.iter().for_each(|value| self.value(value)),
            Action::Steps(steps) => {
                for node in &steps.nodes {
                    if let Node::Do(action, _, statement) = node {
                        self.statement = *statement;
                        self.action(action);
                    }
                }
            }
        }
    }

    fn value(&mut self, value: &Expression) {
        value.visit(&mut |inner| self.look(inner));
    }

    fn look(&mut self, inner: &Expression) {
        match inner {
            Expression::Timeout => self.note("timeout", "`timeout` looks at whether any process can move"),
            Expression::Enabled(_) => self.note("enabled", "`enabled` looks at whether another process can move"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::components::{Limits, components};
    use crate::{Claim, compile};
    use std::path::Path;

    /// What is said of a program that cannot be put into components.
    fn said(text: &str) -> Vec<String> {
        let (model, _) =
            prequel_formats::promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        let (program, _) = compile(&model, Claim::Never).expect("a program");
        let found = components(&program, Limits::default()).expect_err("a refusal");
        assert!(
            found.iter().all(|one| one.help.as_ref().is_some_and(|help| help.contains("otf") && help.contains("SPIN")))
        );
        found.iter().map(|one| one.headline()).collect()
    }

    #[test]
    fn every_statement_that_stands_in_the_way_is_named() {
        let found =
            said("byte x;\nactive proctype p() {\n  do\n  :: timeout -> x = 1\n  :: x == 1 && timeout\n  od\n}");
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("m.pml:4:") && found[0].contains("`timeout`"), "{found:?}");
        assert!(found[1].starts_with("m.pml:5:"), "{found:?}");
    }

    #[test]
    fn what_grows_is_named() {
        let found = said("int counter;\nactive proctype p() { do :: counter++ od }");
        assert!(found[0].contains("`counter` takes more than"), "{found:?}");
        let found = said("active proctype p() { int i; do :: i++ od }");
        assert!(found[0].contains("process 0 (`p`)"), "{found:?}");
        let found = said("proctype p() { skip }\ninit { do :: run p() od }");
        assert!(found[0].starts_with("m.pml:2:") && found[0].contains("more processes"), "{found:?}");
    }

    #[test]
    fn a_claim_is_refused() {
        let found = said("byte x;\nactive proctype p() { x = 1 }\nnever { do :: x == 0 od }");
        assert!(found[0].contains("`never`"), "{found:?}");
    }
}
