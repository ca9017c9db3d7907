//! Pictures for Graphviz: who synchronises with whom, one component, a path.

use super::view::{View, few, plain};
use crate::picture::NoPicture;
use prequel_model::{ComponentId, LabelId, Network, Origin, StateId};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// States of the largest component that is drawn.
pub const MOST_STATES: usize = 2_000;
/// Arrows of the largest component that is drawn.
pub(crate) const MOST_ARROWS: usize = 20_000;
/// Label names on one line before the rest is only counted.
const NAMES: usize = 3;
/// Label names on one arrow of a component.
const ARROW_NAMES: usize = 6;

pub(crate) const STYLE: &str = "fontname=\"Helvetica\", fontsize=11";

/// Draws the components of a network and which labels they share. A label of three or more is a small junction.
pub fn write_network(network: &Network, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "graph network {{")?;
    writeln!(out, "  graph [layout=neato, overlap=scalexy, splines=true, {STYLE}];")?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ddf4ff\", color=\"#0969da\", {STYLE}];")?;
    writeln!(out, "  edge [color=\"#57606a\", len=2.6, {STYLE}];")?;
    for c in network.ids() {
        let component = network.component(c);
        let (states, transitions) = (component.lts.num_states(), component.lts.num_transitions());
        let counts = format!("{}\\n{}", counted(states, "state"), counted(transitions, "transition"));
        writeln!(out, "  c{} [label=\"{}\\n{counts}\"];", c.0, escape(&component.name))?;
    }
    // Labels with the same participants share a line or a junction.
    let mut shared: BTreeMap<&[ComponentId], Vec<&str>> = BTreeMap::new();
    for label in network.labels().visible() {
        let who = network.participants(label);
        if who.len() > 1 {
            shared.entry(who).or_default().push(network.labels().name(label));
        }
    }
    for (junction, (who, names)) in shared.iter().enumerate() {
        let names = escape(&few(names, NAMES));
        match who {
            [a, b] => writeln!(out, "  c{} -- c{} [label=\"{names}\"];", a.0, b.0)?,
            _ => {
                writeln!(
                    out,
                    "  j{junction} [shape=point, width=0.09, fillcolor=\"#57606a\", color=\"#57606a\", xlabel=\"{names}\"];"
                )?;
                for c in *who {
                    writeln!(out, "  j{junction} -- c{} [len=1.5];", c.0)?;
                }
            }
        }
    }
    writeln!(out, "}}")
}

/// Draws one component: an arrow into the initial state, double circles for marked ones, one arrow per pair of states.
pub fn write_component(
    network: &Network,
    origin: &Origin,
    c: ComponentId,
    out: &mut impl Write,
) -> Result<(), NoPicture> {
    let component = network.component(c);
    let lts = &component.lts;
    let name = || format!("`{}`", component.name);
    NoPicture::unless(name, lts.num_states(), MOST_STATES, "states")?;
    let mut arrows: BTreeMap<(StateId, StateId), Vec<LabelId>> = BTreeMap::new();
    for t in lts.transitions() {
        arrows.entry((t.source, t.target)).or_default().push(t.label);
    }
    NoPicture::unless(name, arrows.len(), MOST_ARROWS, "arrows")?;
    writeln!(out, "digraph component {{")?;
    writeln!(out, "  graph [rankdir=LR, label=\"{}\", labelloc=t, {STYLE}];", escape(&component.name))?;
    writeln!(out, "  node [shape=ellipse, style=filled, fillcolor=\"#ddf4ff\", color=\"#0969da\", {STYLE}];")?;
    writeln!(out, "  edge [color=\"#57606a\", {STYLE}];")?;
    writeln!(
        out,
        "  start [shape=point, width=0.1, fillcolor=\"#57606a\", color=\"#57606a\"];\n  start -> s{};",
        lts.initial().0
    )?;
    for s in lts.states() {
        let marked = if lts.is_marked(s) { ", peripheries=2" } else { "" };
        writeln!(out, "  s{} [label=\"{}\"{marked}];", s.0, escape(&origin.state_name(c, s)))?;
    }
    let labels = network.labels();
    for ((from, to), on) in arrows {
        let names: Vec<&str> = on.iter().map(|&l| if l.is_tau() { "i" } else { labels.name(l) }).collect();
        // Grey when nobody outside sees any of it.
        let hidden = on.iter().all(|&l| labels.action(l).is_tau());
        let style = if hidden { ", style=dashed, fontcolor=\"#8c959f\"" } else { "" };
        writeln!(out, "  s{} -> s{} [label=\"{}\"{style}];", from.0, to.0, escape(&few(&names, ARROW_NAMES)))?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

/// Draws a path: global states in a line, each with the components that moved to get there.
pub fn write_trace(view: &View, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph trace {{")?;
    writeln!(out, "  graph [rankdir=LR, {STYLE}];")?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ddf4ff\", color=\"#0969da\", {STYLE}];")?;
    writeln!(out, "  edge [color=\"#57606a\", {STYLE}];")?;
    writeln!(out, "  g0 [label=\"initial state\"];")?;
    for (at, step) in view.trace.steps.iter().enumerate() {
        let moved = step.moves.iter().map(|m| {
            let (who, to) = (view.component(m.component), view.state(m.component, m.to));
            escape(&format!("{who}: {to}"))
        });
        let moved: Vec<String> = moved.collect();
        writeln!(out, "  g{} [label=\"{}\"];", at + 1, moved.join("\\n"))?;
        let style = if view.is_hidden(step) { ", style=dashed, fontcolor=\"#8c959f\"" } else { "" };
        writeln!(out, "  g{at} -> g{} [label=\"{}\"{style}];", at + 1, escape(&view.action(step)))?;
    }
    writeln!(out, "}}")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Text that is itself between the quotes of a label.
pub(crate) fn escape(text: &str) -> String {
    plain(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::tests::deadlock;
    use prequel_families::philo;
    use prequel_model::{Component, Labels, Lts, Transition};

    fn text(draw: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        draw(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn two_way_labels_are_lines_and_many_way_labels_junctions() {
        let network = philo::plain(3, 0).network;
        let dot = text(|out| write_network(&network, out).unwrap());
        assert!(dot.contains("c0 [label=\"phil0\\n4 states\\n4 transitions\"];"));
        assert!(dot.contains("c0 -- c3 [label=\"tl0, rl0\"];"), "{dot}");
        assert_eq!(dot.matches(" -- ").count(), 6);
        let network = philo::synchronous(3, 0).network;
        let dot = text(|out| write_network(&network, out).unwrap());
        assert_eq!((dot.matches("shape=point").count(), dot.matches(" -- ").count()), (3, 9));
        assert!(dot.contains("xlabel=\"t0, r0\""));
    }

    #[test]
    fn long_lists_of_labels_are_counted() {
        let mut labels = Labels::new();
        let all: Vec<_> = (0..9).map(|n| labels.intern(&format!("a{n}"))).collect();
        let lts = Lts::new(StateId(0), 1, all.iter().map(|&l| Transition::new(0, l, 0)).collect());
        let network = Network::new(labels, vec![Component::new("x", lts.clone()), Component::new("y", lts)]);
        let dot = text(|out| write_network(&network, out).unwrap());
        assert!(dot.contains("c0 -- c1 [label=\"a0, a1, a2, … 6 more\"];"), "{dot}");
        assert!(dot.contains("1 state\\n9 transitions"));
    }

    #[test]
    fn parallel_arrows_are_merged_marks_doubled_and_names_escaped() {
        let mut labels = Labels::new();
        let (a, b) = (labels.intern("say \"a\\n\""), labels.intern("b"));
        let transitions = vec![Transition::new(1, a, 0), Transition::new(1, b, 0), Transition::new(0, LabelId::TAU, 0)];
        let lts = Lts::new(StateId(1), 2, transitions).with_marked([StateId(0)]);
        let network = Network::new(labels, vec![Component::new("x", lts)]);
        let dot = text(|out| write_component(&network, &Origin::default(), ComponentId(0), out).unwrap());
        assert!(dot.contains("start -> s1;"));
        assert!(dot.contains("s0 [label=\"0\", peripheries=2];") && dot.contains("s1 [label=\"1\"];"));
        assert!(dot.contains(r#"s1 -> s0 [label="say \"a\\n\", b"];"#), "{dot}");
        assert!(dot.contains("s0 -> s0 [label=\"i\", style=dashed"));
    }

    #[test]
    fn a_large_component_is_refused() {
        let network = Network::new(Labels::new(), vec![Component::new("x", Lts::new(StateId(0), 2001, vec![]))]);
        let refused = write_component(&network, &Origin::default(), ComponentId(0), &mut io::sink()).unwrap_err();
        assert_eq!(refused.to_string(), "`x` is too large to draw: 2001 states, at most 2000 are drawn");
    }

    #[test]
    fn a_path_is_a_line_of_states() {
        let (network, origin, trace) = deadlock();
        let view = View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] };
        let dot = text(|out| write_trace(&view, out).unwrap());
        assert!(dot.contains("g0 -> g1 [label=\"i (tl0)\", style=dashed"));
        assert!(dot.contains("g2 [label=\"phil1: left\\nfork1: held as left\"];"), "{dot}");
    }
}
