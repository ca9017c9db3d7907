//! Petri nets as LoLA's low-level nets.

use crate::model::{Arc, Net};
use crate::read::lola::lexer::is_name;
use rustc_hash::FxHashSet;
use std::io::{self, Write};

/// Writes a net. What LoLA cannot have in a name becomes `_`, with a number where that makes two names one.
pub fn write(net: &Net, out: &mut impl Write) -> io::Result<()> {
    let places = names(net.places().map(|p| net.place(p)));
    let transitions = names(net.transitions().map(|t| net.transition(t)));
    let list = |arcs: &[Arc]| -> String {
        let item = |arc: &Arc| format!("{}: {}", places[arc.place.at()], arc.weight);
        arcs.iter().map(item).collect::<Vec<_>>().join(", ")
    };
    let marked = net.places().zip(net.initial()).filter(|(_, tokens)| **tokens > 0);
    let marking: Vec<String> = marked.map(|(p, tokens)| format!("{}: {tokens}", places[p.at()])).collect();
    // LoLA has no net without places; one without arcs and tokens changes nothing.
    let listed = if places.is_empty() { "nowhere".into() } else { places.join(",\n  ") };
    writeln!(out, "PLACE\n  {listed};\n")?;
    writeln!(out, "MARKING\n  {};\n", marking.join(",\n  "))?;
    for t in net.transitions() {
        let name = &transitions[t.at()];
        let (takes, gives) = (list(net.inputs(t)), list(net.outputs(t)));
        writeln!(out, "TRANSITION {name}\n  CONSUME {takes};\n  PRODUCE {gives};")?;
    }
    Ok(())
}

fn names<'a>(all: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    // Names that can stay are taken before any other becomes like them.
    let mut taken: FxHashSet<String> = all.clone().filter(|name| is_name(name)).map(str::to_owned).collect();
    let plain = |name: &str| -> String {
        let kept = |c: char| if c.is_whitespace() || ",;:(){}".contains(c) { '_' } else { c };
        let text: String = name.chars().map(kept).collect();
        if is_name(&text) { text } else { format!("_{}", text.trim_start_matches('/')) }
    };
    let mut next = |name: &str| {
        if is_name(name) {
            return name.to_owned();
        }
        let plain = plain(name);
        let numbered = (2u64..).map(|n| format!("{plain}_{n}"));
        let found = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
        let found = found.expect("some number is unused");
        taken.insert(found.clone());
        found
    };
    all.map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn written(net: &Net) -> [Net; 2] {
        let (mut lola, mut pnml) = (Vec::new(), Vec::new());
        write(net, &mut lola).unwrap();
        crate::emit::pnml::write(net, "n", &mut pnml).unwrap();
        [read::lola::read("n.lola", &lola).unwrap().0, read::pnml::read("n.pnml", &pnml).unwrap().0]
    }

    #[test]
    fn what_is_written_is_read_back_with_other_names_at_most() {
        let text = "PEP\nPTNet\nFORMAT_N\nPL\n\"a b\"M2\n\"a_b\"\n\"a:b\"\n\"<&>\"\nTR\n\"PLACE\"\n\"a b\"\n\"/*\"\nTP\n1<2w3\nPT\n1>1\n3>2\n4>3\n";
        let net = read::ll_net::read("n", text.as_bytes()).unwrap().0;
        for back in written(&net) {
            assert_eq!(back.initial(), net.initial());
            for t in net.transitions() {
                assert_eq!((back.inputs(t), back.outputs(t)), (net.inputs(t), net.outputs(t)));
            }
        }
        let [lola, pnml] = written(&net);
        let places: Vec<&str> = lola.places().map(|p| lola.place(p)).collect();
        assert_eq!(places, ["a_b_2", "a_b", "a_b_3", "<&>"]);
        assert_eq!(pnml.place(crate::model::PlaceId(3)), "p3");
    }

    #[test]
    fn names_stay_where_they_can() {
        let text = "PLACE p.1, q; MARKING p.1; TRANSITION t-1 CONSUME p.1; PRODUCE q: 2;";
        let net = read::lola::read("n", text.as_bytes()).unwrap().0;
        for back in written(&net) {
            assert_eq!(
                (back.place(crate::model::PlaceId(0)), back.transition(crate::model::TransitionId(0))),
                ("p.1", "t-1")
            );
        }
    }
}
