//! Whether the promise of `local` is kept: that only one process uses a global variable.

use prequel_formats::promela::syntax::{ExpressionKind, Name, Unit};
use prequel_formats::promela::visit::{Visitor, expressions};

/// Whether no two processes use a variable. A process that is started may be started twice.
pub fn is_kept(units: &[Unit], variable: &str) -> bool {
    let users = units.iter().map(|unit| {
        let mut uses = Uses { variable, found: false };
        let mut instances = 1;
        match unit {
            Unit::Proctype(proctype) => {
                proctype.provided.iter().for_each(|value| uses.value(value));
                uses.sequence(&proctype.body);
                let alone = proctype.active.as_ref().is_some_and(|active| active.count.is_none());
                if !alone || units.iter().any(|unit| starts(unit, &proctype.name.text)) {
                    instances = 2;
                }
            }
            Unit::Init(init) => uses.sequence(&init.body),
            Unit::Never(never) => uses.sequence(&never.body),
            Unit::Ltl(ltl) => ltl.formula.atoms(&mut |value| uses.value(value)),
            Unit::Mtype(_) | Unit::Typedef(_) | Unit::Declaration(_) | Unit::Trace(_) | Unit::Inline(_) => {}
        }
        if uses.found { instances } else { 0 }
    });
    users.sum::<u32>() <= 1
}

/// Whether something may start a proctype.
fn starts(unit: &Unit, proctype: &str) -> bool {
    let mut found = false;
    expressions(unit, &mut |value, _| {
        found |= matches!(&*value.kind, ExpressionKind::Run { process, .. } if *process.text == *proctype);
    });
    found
}

struct Uses<'v> {
    variable: &'v str,
    found: bool,
}

impl<'m> Visitor<'m> for Uses<'_> {
    fn variable(&mut self, name: &'m Name) {
        self.found |= *name.text == *self.variable;
    }
}
