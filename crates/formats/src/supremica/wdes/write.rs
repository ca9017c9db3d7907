//! Discrete event systems as `.wdes`.
//!
//! An automaton whose states are all marked is written without a word about marks, which means the same.

use crate::pnml::Escaped;
use prequel_model::des::{Des, Role, Start};
use prequel_model::{ComponentId, Lts, Network, Origin, StateId};
use std::io::{self, Write};

/// Writes a system; `:accepting` is what marks states.
pub fn write(des: &Des, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<ProductDES xmlns=\"http://waters.sourceforge.net/xsd/des\" Name=\"{}\">", Escaped(&des.name))?;
    writeln!(out, "<EventList>")?;
    writeln!(out, "<Event Kind=\"PROPOSITION\" Name=\"{ACCEPTING}\"/>")?;
    if des.forbidden.iter().any(|states| !states.is_empty()) {
        writeln!(out, "<Event Kind=\"PROPOSITION\" Name=\"{FORBIDDEN}\"/>")?;
    }
    for event in des.events() {
        let kind = if des.controllable[event.at()] { "CONTROLLABLE" } else { "UNCONTROLLABLE" };
        writeln!(out, "<Event Kind=\"{kind}\" Name=\"{}\"/>", Escaped(des.network.labels().name(event)))?;
    }
    writeln!(out, "</EventList>\n<AutomataList>")?;
    for c in des.network.ids() {
        automaton(des, c, out)?;
    }
    writeln!(out, "</AutomataList>\n</ProductDES>")
}

const ACCEPTING: &str = ":accepting";
const FORBIDDEN: &str = ":forbidden";

fn automaton(des: &Des, c: ComponentId, out: &mut impl Write) -> io::Result<()> {
    let component = des.network.component(c);
    let (lts, start, forbidden) = (&component.lts, des.starts[c.at()], &des.forbidden[c.at()]);
    // What was added to have one initial state is taken away again.
    let count = if start == Start::One { lts.num_states() } else { lts.num_states() - 1 };
    let states = || (0..count).map(StateId::new);
    let all_marked = states().all(|s| lts.is_marked(s));
    let kind = match des.roles[c.at()] {
        Role::Plant => "PLANT",
        Role::Spec => "SPEC",
        Role::Supervisor => "SUPERVISOR",
        Role::Property => "PROPERTY",
    };
    writeln!(out, "<Automaton Kind=\"{kind}\" Name=\"{}\">\n<EventRefList>", Escaped(&component.name))?;
    let propositions = [(ACCEPTING, !all_marked), (FORBIDDEN, !forbidden.is_empty())];
    for (name, _) in propositions.iter().filter(|(_, used)| *used) {
        writeln!(out, "<EventRef Name=\"{name}\"/>")?;
    }
    for &event in component.alphabet() {
        writeln!(out, "<EventRef Name=\"{}\"/>", Escaped(des.network.labels().name(event)))?;
    }
    writeln!(out, "</EventRefList>\n<StateList>")?;
    for s in states() {
        let initial = match start {
            Start::One => s == lts.initial(),
            Start::Several => lts.row(lts.initial()).iter().any(|e| e.target == s),
            Start::Nowhere => false,
        };
        let name = des.origin.state_name(c, s);
        write!(out, "<State{} Name=\"{}\"", if initial { " Initial=\"true\"" } else { "" }, Escaped(&name))?;
        let here = [(ACCEPTING, !all_marked && lts.is_marked(s)), (FORBIDDEN, forbidden.binary_search(&s).is_ok())];
        if here.iter().any(|(_, holds)| *holds) {
            writeln!(out, ">\n<EventRefList>")?;
            for (name, _) in here.iter().filter(|(_, holds)| *holds) {
                writeln!(out, "<EventRef Name=\"{name}\"/>")?;
            }
            writeln!(out, "</EventRefList>\n</State>")?;
        } else {
            writeln!(out, "/>")?;
        }
    }
    writeln!(out, "</StateList>\n<TransitionList>")?;
    for t in lts.transitions().filter(|t| t.source.at() < count) {
        let (source, target) = (des.origin.state_name(c, t.source), des.origin.state_name(c, t.target));
        let event = Escaped(des.network.labels().name(t.label));
        let (source, target) = (Escaped(&source), Escaped(&target));
        writeln!(out, "<Transition Source=\"{source}\" Event=\"{event}\" Target=\"{target}\"/>")?;
    }
    writeln!(out, "</TransitionList>\n</Automaton>")
}

/// A network as a system of plants in which every event can be prevented; nothing where a component has a step of its own without a
/// name, which the format does not have.
pub fn plants(network: Network, origin: Origin, name: &str) -> Option<Des> {
    let components = network.components();
    let silent = |lts: &Lts| lts.transitions().any(|t| t.label.is_tau());
    if components.iter().any(|c| silent(&c.lts)) {
        return None;
    }
    let count = components.len();
    let mut controllable = vec![true; network.labels().len()];
    controllable[0] = false;
    let (roles, starts, forbidden) = (vec![Role::Plant; count], vec![Start::One; count], vec![Vec::new(); count]);
    Some(Des { name: name.into(), network, origin, roles, starts, forbidden, controllable })
}
