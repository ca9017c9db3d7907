//! The NUPN section: units as a tree, each place in one of them.

use super::{child, elements, tag_span};
use crate::diag::Span;
use crate::draft::Draft;
use prequel_model::Units;
use roxmltree::Node;
use rustc_hash::FxHashMap;

/// A unit as it is written.
struct Unit<'a> {
    span: Span,
    places: &'a str,
    subunits: &'a str,
}

/// Reads the section; nothing, and a warning, where some place is in no unit.
pub fn read(draft: &mut Draft<'_>, section: Node<'_, '_>) -> Option<Units> {
    let structure = child(section, "structure")?;
    let safe = structure.attribute("safe") == Some("true");
    let mut names: Vec<Box<str>> = Vec::new();
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut index: FxHashMap<&str, usize> = FxHashMap::default();
    for node in elements(structure).filter(|n| n.tag_name().name() == "unit") {
        let Some(id) = node.attribute("id") else {
            draft.findings.error(tag_span(node), "a unit without id", "give it an attribute id");
            continue;
        };
        let text = |name: &str| child(node, name).and_then(|n| n.text()).unwrap_or_default();
        if index.insert(id, units.len()).is_some() {
            draft.findings.error(tag_span(node), format!("a second unit `{id}`"), "rename one of them");
        }
        names.push(id.into());
        units.push(Unit { span: tag_span(node), places: text("places"), subunits: text("subunits") });
    }
    const NONE: u32 = u32::MAX;
    let mut of_place = vec![NONE; draft.places.len()];
    let mut parent = vec![NONE; units.len()];
    for (at, unit) in units.iter().enumerate() {
        for name in unit.places.split_ascii_whitespace() {
            let Some(place) = draft.known_place(name, unit.span.clone()) else { continue };
            let slot = &mut of_place[place.at()];
            if *slot != NONE {
                let message =
                    format!("place `{name}` is in two units, `{}` and `{}`", names[*slot as usize], names[at]);
                draft.findings.error(unit.span.clone(), message, "each place is in one unit");
            }
            *slot = at as u32;
        }
        for name in unit.subunits.split_ascii_whitespace() {
            let Some(&sub) = index.get(name) else {
                draft.findings.error(
                    unit.span.clone(),
                    format!("there is no unit `{name}`"),
                    "add it, or leave it away",
                );
                continue;
            };
            if parent[sub] != NONE {
                draft.findings.error(unit.span.clone(), format!("unit `{name}` is in two others"), "units form a tree");
            }
            parent[sub] = at as u32;
        }
    }
    must_be_a_tree(draft, structure, &index, &parent, &units);
    if let Some(outside) = of_place.iter().position(|&unit| unit == NONE) {
        let place = draft.places.get_index(outside).map_or("", |(name, _)| name).to_owned();
        let message = format!("the units are passed over: place `{place}` is in none of them");
        draft.findings.warn(tag_span(structure), message, "name each place in one unit");
        return None;
    }
    Some(Units { names, of_place, safe })
}

/// One root, from which every unit is reached.
fn must_be_a_tree(
    draft: &mut Draft<'_>,
    structure: Node<'_, '_>,
    index: &FxHashMap<&str, usize>,
    parent: &[u32],
    units: &[Unit<'_>],
) {
    let Some(root) = structure.attribute_node("root") else { return };
    let Some(&root_at) = index.get(root.value()) else {
        let message = format!("there is no unit `{}` to be the root", root.value());
        return draft.findings.error(root.range_value(), message, "name one of the units");
    };
    // Each unit has at most one parent: what does not hang on the root is another root, or a ring.
    let mut below = vec![false; units.len()];
    below[root_at] = true;
    let mut path = Vec::new();
    for start in 0..units.len() {
        let mut at = start;
        while !below[at] && path.len() <= units.len() && parent[at] != u32::MAX {
            path.push(at);
            at = parent[at] as usize;
        }
        if below[at] {
            path.drain(..).for_each(|unit| below[unit] = true);
        } else {
            path.clear();
            let help = "every unit but the root is a subunit of one other";
            return draft.findings.error(units[start].span.clone(), "this unit does not hang on the root", help);
        }
    }
}
