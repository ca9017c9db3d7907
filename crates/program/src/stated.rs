//! What a model states, part by part: so that a verdict can say what it covers, and what the model states beyond that.

use super::compile::claims;
use prequel_formats::promela::syntax::{Model, Statement, StatementKind, Unit};
use prequel_formats::promela::visit::Visitor;

/// Something that a model states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stated {
    /// No assertion fails, and no statement goes wrong in another way.
    Assertions,
    /// No run ends where some process may not end.
    EndStates,
    /// Messages come as a `trace` or `notrace` says.
    Trace,
    /// A `never` claim, by its name.
    Never(Box<str>),
    /// An `ltl` formula, by its name.
    Formula(Box<str>),
    /// No run comes through an accept label again and again.
    AcceptLabels,
    /// No run avoids progress labels for ever.
    ProgressLabels,
}

impl Stated {
    /// For machines.
    pub fn code(&self) -> String {
        match self {
            Stated::Assertions => "assertions".into(),
            Stated::EndStates => "end-states".into(),
            Stated::Trace => "trace".into(),
            Stated::Never(name) => format!("never:{name}"),
            Stated::Formula(name) => format!("ltl:{name}"),
            Stated::AcceptLabels => "accept-labels".into(),
            Stated::ProgressLabels => "progress-labels".into(),
        }
    }

    /// For people.
    pub fn words(&self) -> String {
        match self {
            Stated::Assertions => "assertions".into(),
            Stated::EndStates => "end states".into(),
            Stated::Trace => "the trace".into(),
            Stated::Never(name) => format!("never claim {name}"),
            Stated::Formula(name) => format!("formula {name}"),
            Stated::AcceptLabels => "accept labels".into(),
            Stated::ProgressLabels => "progress labels".into(),
        }
    }

    /// The name of a claim or formula.
    pub fn claim(&self) -> Option<&str> {
        match self {
            Stated::Never(name) | Stated::Formula(name) => Some(name),
            _ => None,
        }
    }
}

/// All that a Promela model states; claims in SPIN's order. Assertions and end states are always there: indices that fit and runs
/// that end well are stated by every model.
pub fn stated(model: &Model) -> Vec<Stated> {
    let mut labels = Labels::default();
    for unit in &model.units {
        match unit {
            Unit::Proctype(proctype) => labels.sequence(&proctype.body),
            Unit::Init(init) => labels.sequence(&init.body),
            // The labels of a claim are part of the claim.
            _ => {}
        }
    }
    let mut stated = vec![Stated::Assertions, Stated::EndStates];
    stated.extend(model.units.iter().any(|unit| matches!(unit, Unit::Trace(_))).then_some(Stated::Trace));
    stated.extend(claims(model).into_iter().map(|(name, unit, _)| match unit {
        Unit::Ltl(_) => Stated::Formula(name),
        _ => Stated::Never(name),
    }));
    stated.extend(labels.accept.then_some(Stated::AcceptLabels));
    stated.extend(labels.progress.then_some(Stated::ProgressLabels));
    stated
}

/// Labels of processes that mean something to SPIN.
#[derive(Default)]
struct Labels {
    accept: bool,
    progress: bool,
}

impl<'m> Visitor<'m> for Labels {
    fn statement(&mut self, statement: &'m Statement) {
        let any = |prefix: &str| statement.labels.iter().any(|label| label.text.starts_with(prefix));
        self.accept |= any("accept");
        self.progress |= any("progress");
        match &statement.kind {
            // Expressions have no labels.
            StatementKind::Condition(_) | StatementKind::Assert(_) | StatementKind::Assign { .. } => {}
            _ => self.inside_statement(statement),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_formats::promela;
    use std::path::Path;

    fn codes(text: &str) -> Vec<String> {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        stated(&model).iter().map(Stated::code).collect()
    }

    #[test]
    fn labels_claims_and_traces_are_stated() {
        assert_eq!(codes("init { skip }"), ["assertions", "end-states"]);
        let text = "byte x; chan c = [1] of { byte };
            ltl p { [] (x < 2) } ltl { <> (x == 1) } never { accept_here: do :: x == 3 od } trace { c!1 }
            active proctype a() { do :: atomic { x == 0 -> progress_a: x = 1 } :: else -> accept: x = 0 od }";
        assert_eq!(
            codes(text),
            [
                "assertions",
                "end-states",
                "trace",
                "never:never_0",
                "ltl:p",
                "ltl:ltl_0",
                "accept-labels",
                "progress-labels"
            ]
        );
        // Those of a claim are its own.
        assert_eq!(
            codes("never { accept: do :: true od } init { skip }"),
            ["assertions", "end-states", "never:never_0"]
        );
    }
}
