//! Petri nets as LoLA's low-level nets, and questions about them as its formulas.

use crate::lola::lexer::is_name;
use prequel_model::{Arc, Comparison, Condition, Net, NetQuery, PlaceId};
use rustc_hash::FxHashSet;
use std::io::{self, Write};

/// What the nodes of a net are called in its file: what LoLA cannot have in a name becomes `_`, with a number where that makes two
/// names one.
struct Names {
    places: Vec<String>,
    transitions: Vec<String>,
}

impl Names {
    fn of(net: &Net) -> Self {
        let places = names(net.places().map(|p| net.place(p)));
        Self { places, transitions: names(net.transitions().map(|t| net.transition(t))) }
    }
}

/// Writes a net.
pub fn write(net: &Net, out: &mut impl Write) -> io::Result<()> {
    let Names { places, transitions } = Names::of(net);
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

/// Writes a question about a net, whose file has the names that [`write()`] gives.
pub fn write_formula(net: &Net, query: &NetQuery, out: &mut impl Write) -> io::Result<()> {
    let names = Names::of(net);
    match query {
        NetQuery::Possible(_) => write!(out, "EF ")?,
        NetQuery::Impossible(_) => write!(out, "AG NOT ")?,
        NetQuery::Initially(_) => {}
    }
    names.condition(query.condition(), out)?;
    writeln!(out)
}

impl Names {
    fn condition(&self, condition: &Condition, out: &mut impl Write) -> io::Result<()> {
        match condition {
            Condition::Tokens(sum, comparison, number) => {
                let (more, less): (Vec<_>, Vec<_>) = sum.iter().partition(|(_, factor)| *factor > 0);
                let sign = match comparison {
                    Comparison::AtMost => "<=",
                    Comparison::AtLeast => ">=",
                    Comparison::Equal => "=",
                };
                // LoLA has no negative numbers: what would be one stands on the other side.
                let (left, right) = (self.sum(&more, -number), self.sum(&less, *number));
                write!(out, "({left} {sign} {right})")
            }
            Condition::Fireable(t) => write!(out, "FIREABLE ( {} )", self.transitions[t.at()]),
            Condition::Dead => write!(out, "DEADLOCK"),
            Condition::And(all) => self.several(all, " AND ", "TRUE", out),
            Condition::Or(any) => self.several(any, " OR ", "FALSE", out),
            Condition::Not(inner) => {
                write!(out, "NOT ")?;
                self.condition(inner, out)
            }
        }
    }

    fn sum(&self, parts: &[&(PlaceId, i64)], number: i64) -> String {
        let part = |(p, factor): &&(PlaceId, i64)| match factor.unsigned_abs() {
            1 => self.places[p.at()].clone(),
            factor => format!("{factor} * {}", self.places[p.at()]),
        };
        let number = (number > 0 || parts.is_empty()).then(|| number.max(0).to_string());
        parts.iter().map(part).chain(number).collect::<Vec<_>>().join(" + ")
    }

    fn several(&self, all: &[Condition], between: &str, none: &str, out: &mut impl Write) -> io::Result<()> {
        let Some((first, rest)) = all.split_first() else { return write!(out, "{none}") };
        write!(out, "(")?;
        self.condition(first, out)?;
        for condition in rest {
            write!(out, "{between}")?;
            self.condition(condition, out)?;
        }
        write!(out, ")")
    }
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

    fn written(net: &Net) -> [Net; 2] {
        let (mut lola, mut pnml) = (Vec::new(), Vec::new());
        write(net, &mut lola).unwrap();
        crate::pnml::write(net, "n", &mut pnml).unwrap();
        [crate::lola::read("n.lola", &lola).unwrap().0, crate::pnml::read("n.pnml", &pnml).unwrap().0]
    }

    #[test]
    fn what_is_written_is_read_back_with_other_names_at_most() {
        let text = "PEP\nPTNet\nFORMAT_N\nPL\n\"a b\"M2\n\"a_b\"\n\"a:b\"\n\"<&>\"\nTR\n\"PLACE\"\n\"a b\"\n\"/*\"\nTP\n1<2w3\nPT\n1>1\n3>2\n4>3\n";
        let net = crate::ll_net::read("n", text.as_bytes()).unwrap().0;
        for back in written(&net) {
            assert_eq!(back.initial(), net.initial());
            for t in net.transitions() {
                assert_eq!((back.inputs(t), back.outputs(t)), (net.inputs(t), net.outputs(t)));
            }
        }
        let [lola, pnml] = written(&net);
        let places: Vec<&str> = lola.places().map(|p| lola.place(p)).collect();
        assert_eq!(places, ["a_b_2", "a_b", "a_b_3", "<&>"]);
        assert_eq!(pnml.place(prequel_model::PlaceId(3)), "p3");
    }

    #[test]
    fn a_formula_is_read_back_as_it_was() {
        let text = "PLACE p, q; MARKING p; TRANSITION t CONSUME p; PRODUCE q: 2;";
        let net = crate::lola::read("n", text.as_bytes()).unwrap().0;
        let sum = |factors: [i64; 2], comparison, number| {
            Condition::Tokens(vec![(PlaceId(0), factors[0]), (PlaceId(1), factors[1])], comparison, number)
        };
        let fireable = Condition::Or(vec![Condition::Fireable(prequel_model::TransitionId(0))]);
        let conditions = [
            sum([1, 1], Comparison::AtLeast, 2),
            sum([3, -2], Comparison::Equal, -4),
            sum([-1, -1], Comparison::AtMost, -1),
            Condition::And(vec![Condition::Dead, fireable.clone().negated(), sum([1, 2], Comparison::AtMost, 0)]),
            Condition::Or(vec![sum([1, 1], Comparison::Equal, 1), Condition::Or(Vec::new())]),
        ];
        for condition in conditions {
            for query in [NetQuery::Possible(condition.clone()), NetQuery::Impossible(condition.clone())] {
                let mut text = Vec::new();
                write_formula(&net, &query, &mut text).unwrap();
                let (formulas, _) = crate::formula::read("f.formula", "f", &text, &net).unwrap();
                assert_eq!(formulas[0].query, Ok(query), "{}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn names_stay_where_they_can() {
        let text = "PLACE p.1, q; MARKING p.1; TRANSITION t-1 CONSUME p.1; PRODUCE q: 2;";
        let net = crate::lola::read("n", text.as_bytes()).unwrap().0;
        for back in written(&net) {
            assert_eq!(
                (back.place(prequel_model::PlaceId(0)), back.transition(prequel_model::TransitionId(0))),
                ("p.1", "t-1")
            );
        }
    }
}
