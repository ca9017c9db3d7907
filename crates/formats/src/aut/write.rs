//! Aldebaran `.aut` out: every label quoted, tau as `i`, transitions in row order.

use prequel_model::{LabelId, Labels, Lts};
use std::io::{self, Write};

/// Labels that readers of `.aut` take for tau, and that a visible label therefore must not be called.
const TAU_NAMES: [&str; 2] = ["i", "tau"];

/// Writes a system. `name` says what each label is called: [`Labels::name`] for a component, [`Labels::seen`] for a product.
pub fn write<'a>(lts: &Lts, name: impl Fn(LabelId) -> &'a str, out: &mut impl Write) -> io::Result<()> {
    let (initial, transitions, states) = (lts.initial().0, lts.num_transitions(), lts.num_states());
    writeln!(out, "des ({initial},{transitions},{states})")?;
    for t in lts.transitions() {
        if t.label.is_tau() {
            writeln!(out, "({},i,{})", t.source.0, t.target.0)?;
        } else {
            writeln!(out, "({},\"{}\",{})", t.source.0, name(t.label), t.target.0)?;
        }
    }
    Ok(())
}

/// The visible labels that would be read back as tau, if any: such a system cannot be written faithfully.
pub fn mistakable<'a>(labels: &'a Labels, used: &[LabelId]) -> Vec<&'a str> {
    let visible = used.iter().filter(|l| !l.is_tau());
    visible.map(|&l| labels.name(l)).filter(|name| TAU_NAMES.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aut;
    use prequel_model::{StateId, Transition};

    #[test]
    fn what_is_written_is_read_back() {
        let mut labels = Labels::new();
        let (a, b) = (labels.intern("a, \"b\""), labels.intern("c"));
        let tau = LabelId::TAU;
        let lts = Lts::new(
            StateId(2),
            4,
            vec![Transition::new(0, b, 1), Transition::new(0, a, 1), Transition::new(2, tau, 0)],
        );
        let mut text = Vec::new();
        write(&lts, |l| labels.name(l), &mut text).unwrap();
        assert_eq!(String::from_utf8_lossy(&text), "des (2,3,4)\n(0,\"a, \"b\"\",1)\n(0,\"c\",1)\n(2,i,0)\n");
        let mut again = Labels::new();
        let (read, _) = aut::read("x", &text, &aut::Dialect::default(), &mut again).unwrap();
        assert_eq!(read, lts);
        assert!(mistakable(&labels, &lts.used_labels()).is_empty());
    }
}
