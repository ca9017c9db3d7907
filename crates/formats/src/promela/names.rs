//! Names that nothing declares: where a keyword is misspelt, it usually reads as a variable.
//!
//! A name must be declared before its use, in the text or in a block around it; formulas know all globals.

use super::Fault;
use super::lexer::RESERVED;
use super::source::Sources;
use super::syntax::{Expression, Name, Sequence, Unit};
use super::visit::Visitor;
use crate::text::suggest::nearest;
use rustc_hash::FxHashSet;

/// Names that are always there.
const PREDEFINED: [&str; 6] = ["_", "_pid", "_nr_pr", "_last", "_priority", "STDIN"];

/// Reports every use of a name that is not declared, in the units and in a goal.
pub fn check(units: &[Unit], goal: Option<&Expression>, sources: &Sources, faults: &mut Vec<Fault>) {
    let processes = units.iter().filter_map(|unit| match unit {
        Unit::Proctype(process) => Some(&*process.name.text),
        _ => None,
    });
    let globals = PREDEFINED.into_iter().collect();
    let mut run =
        Run { sources, faults, processes: processes.collect(), scopes: vec![globals], reported: FxHashSet::default() };
    for unit in units {
        run.unit(unit);
    }
    // SPIN reads formulas last.
    for unit in units {
        if let Unit::Ltl(ltl) = unit {
            ltl.formula.atoms(&mut |atom| run.value(atom));
        }
    }
    if let Some(goal) = goal {
        run.value(goal);
    }
}

struct Run<'a, 'f> {
    sources: &'a Sources,
    faults: &'f mut Vec<Fault>,
    processes: FxHashSet<&'a str>,
    /// Declared names, the innermost block last.
    scopes: Vec<FxHashSet<&'a str>>,
    /// One report per name is enough.
    reported: FxHashSet<&'a str>,
}

impl<'a> Run<'a, '_> {
    fn unit(&mut self, unit: &'a Unit) {
        match unit {
            Unit::Mtype(mtype) => mtype.constants.iter().for_each(|name| self.declared(name)),
            Unit::Typedef(typedef) => {
                // Fields are names of the type only; their sizes and values are looked at.
                self.scopes.push(FxHashSet::default());
                typedef.fields.iter().for_each(|field| self.declaration(field));
                self.scopes.pop();
            }
            Unit::Declaration(declaration) => self.declaration(declaration),
            Unit::Proctype(process) => {
                self.scopes.push(FxHashSet::default());
                process.parameters.iter().for_each(|parameter| self.declaration(parameter));
                process.provided.iter().for_each(|condition| self.value(condition));
                self.sequence(&process.body);
                self.scopes.pop();
            }
            Unit::Init(init) => self.block(&init.body),
            Unit::Never(never) => self.block(&never.body),
            Unit::Trace(trace) => self.block(&trace.body),
            Unit::Ltl(_) | Unit::Inline(_) => {}
        }
    }

    fn report(&mut self, name: &'a Name, message: String, help: String) {
        if let Some(origin) = self.sources.origin(name.span.first)
            && self.reported.insert(&name.text)
        {
            self.faults.push(Fault::new(*origin, message, help));
        }
    }
}

impl<'a> Visitor<'a> for Run<'a, '_> {
    fn block(&mut self, body: &'a Sequence) {
        self.scopes.push(FxHashSet::default());
        self.sequence(body);
        self.scopes.pop();
    }

    fn declared(&mut self, name: &'a Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(&name.text);
        }
    }

    fn variable(&mut self, name: &'a Name) {
        if !self.scopes.iter().any(|scope| scope.contains(&*name.text)) {
            let near = {
                let known = self.scopes.iter().flatten().copied().filter(|name| !PREDEFINED.contains(name));
                nearest(&name.text, known.chain(RESERVED)).first().map(|near| format!("did you mean `{near}`?"))
            };
            let help = near.unwrap_or_else(|| "declare it before its use".into());
            self.report(name, format!("`{}` is not declared", name.text), help);
        }
    }

    fn process(&mut self, name: &'a Name) {
        if !self.processes.contains(&*name.text) {
            let near = nearest(&name.text, self.processes.iter().copied())
                .first()
                .map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| "define it with `proctype`".into());
            self.report(name, format!("there is no proctype `{}`", name.text), help);
        }
    }
}
