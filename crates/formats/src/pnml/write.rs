//! Petri nets as PNML, with their units as a NUPN section.

use prequel_model::{Arc, Net, TransitionId, Units};
use std::io::{self, Write};

/// Writes a net. Ids are `p0`, `p1`, … and `t0`, `t1`, … where a name cannot be one; names are written in any case.
pub fn write(net: &Net, name: &str, out: &mut impl Write) -> io::Result<()> {
    let ids = Ids::of(net);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">")?;
    writeln!(out, " <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">")?;
    writeln!(out, "  <name><text>{}</text></name>", Escaped(name))?;
    writeln!(out, "  <page id=\"page\">")?;
    for p in net.places() {
        let name = Escaped(net.place_title(p).unwrap_or_else(|| net.place(p)));
        write!(out, "   <place id=\"{}\"><name><text>{name}</text></name>", ids.place(p.at()))?;
        match net.initial()[p.at()] {
            0 => {}
            tokens => write!(out, "<initialMarking><text>{tokens}</text></initialMarking>")?,
        }
        writeln!(out, "</place>")?;
    }
    for t in net.transitions() {
        let name = Escaped(net.transition_title(t).unwrap_or_else(|| net.transition(t)));
        writeln!(
            out,
            "   <transition id=\"{}\"><name><text>{name}</text></name></transition>",
            ids.transition(t.at())
        )?;
    }
    let mut number = 0;
    for t in net.transitions() {
        for (arcs, takes) in [(net.inputs(t), true), (net.outputs(t), false)] {
            for arc in arcs {
                write_arc(out, &ids, t, arc, takes, number)?;
                number += 1;
            }
        }
    }
    if let Some(units) = net.units() {
        write_units(out, net, &ids, units)?;
    }
    writeln!(out, "  </page>\n </net>\n</pnml>")
}

fn write_arc(
    out: &mut impl Write,
    ids: &Ids<'_>,
    t: TransitionId,
    arc: &Arc,
    takes: bool,
    number: usize,
) -> io::Result<()> {
    let (place, transition) = (ids.place(arc.place.at()), ids.transition(t.at()));
    let (source, target) = if takes { (place, transition) } else { (transition, place) };
    write!(out, "   <arc id=\"{}\" source=\"{source}\" target=\"{target}\"", ids.arc(number))?;
    match arc.weight {
        1 => writeln!(out, "/>"),
        weight => writeln!(out, "><inscription><text>{weight}</text></inscription></arc>"),
    }
}

fn write_units(out: &mut impl Write, net: &Net, ids: &Ids<'_>, units: &Units) -> io::Result<()> {
    let mut places: Vec<Vec<String>> = vec![Vec::new(); units.names.len()];
    for p in net.places() {
        places[units.of_place[p.at()] as usize].push(ids.place(p.at()));
    }
    // How units were nested is not kept: with the root above, what is said about them stays true of each by itself.
    let (count, safe) = (units.names.len() + 1, units.safe);
    let subunits: Vec<String> = (1..count).map(|n| format!("u{n}")).collect();
    writeln!(out, "   <toolspecific tool=\"nupn\" version=\"1.1\">")?;
    let (p, t, a) = (net.places().len(), net.transitions().len(), net.num_arcs());
    writeln!(out, "    <size places=\"{p}\" transitions=\"{t}\" arcs=\"{a}\"/>")?;
    writeln!(out, "    <structure units=\"{count}\" root=\"u0\" safe=\"{safe}\">")?;
    writeln!(out, "     <unit id=\"u0\"><places/><subunits>{}</subunits></unit>", subunits.join(" "))?;
    for (unit, places) in subunits.iter().zip(places) {
        writeln!(out, "     <unit id=\"{unit}\"><places>{}</places><subunits/></unit>", places.join(" "))?;
    }
    writeln!(out, "    </structure>\n   </toolspecific>")
}

/// Ids of nodes: their names where all of them can be ids and differ, numbers otherwise.
struct Ids<'a> {
    net: &'a Net,
    by_name: bool,
}

impl<'a> Ids<'a> {
    fn of(net: &'a Net) -> Self {
        let names = || net.places().map(|p| net.place(p)).chain(net.transitions().map(|t| net.transition(t)));
        let fine = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#'))
        };
        let mut seen = rustc_hash::FxHashSet::default();
        let reserved = |name: &str| name.starts_with("arc-") || matches!(name, "net" | "page");
        Self { net, by_name: names().all(|name| fine(name) && !reserved(name) && seen.insert(name)) }
    }

    fn place(&self, at: usize) -> String {
        if self.by_name { self.net.place(prequel_model::PlaceId::new(at)).into() } else { format!("p{at}") }
    }

    fn transition(&self, at: usize) -> String {
        if self.by_name { self.net.transition(TransitionId::new(at)).into() } else { format!("t{at}") }
    }

    fn arc(&self, at: usize) -> String {
        format!("arc-{at}")
    }
}

/// Text in which XML's own signs, and characters that XML does not have, are replaced.
pub struct Escaped<'a>(pub &'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_str("\u{fffd}")?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}
