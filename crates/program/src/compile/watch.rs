//! What properties look at: a jump that carries a watched label is a state, whether or not the property is looked at.

use prequel_formats::promela::syntax::{ExpressionKind, Model, Name, Pattern, Reference, Unit};
use prequel_formats::promela::visit::expressions;
use rustc_hash::FxHashSet;

/// What claims and formulas look at.
#[derive(Default)]
pub struct Watched<'m> {
    /// Labels of proctypes.
    pub labels: Vec<(&'m Name, &'m Name)>,
    /// Names of variables.
    pub names: FxHashSet<&'m str>,
    /// Variables of processes.
    pub remote: bool,
}

/// What the claims and formulas of a model look at.
pub fn in_properties(model: &Model) -> Watched<'_> {
    let mut found = Watched::default();
    for unit in model.units.iter().filter(|unit| matches!(unit, Unit::Never(_) | Unit::Ltl(_))) {
        expressions(unit, &mut |expression, _| match &*expression.kind {
            ExpressionKind::RemoteLabel { process, label, .. } => found.labels.push((process, label)),
            ExpressionKind::RemoteVariable { .. } => found.remote = true,
            ExpressionKind::Reference(reference) => found.name(reference),
            ExpressionKind::Poll { arguments, .. } => {
                for argument in arguments {
                    if let Pattern::Reference(reference) = argument {
                        found.name(reference);
                    }
                }
            }
            _ => {}
        });
    }
    found
}

impl<'m> Watched<'m> {
    fn name(&mut self, reference: &'m Reference) {
        self.names.extend(reference.parts.first().map(|part| &*part.name.text));
    }
}
