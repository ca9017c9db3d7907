//! PEP's low-level nets, `.ll_net`: one object a line, fields in any order and without separators.
//!
//! The blocks that matter are `PL` (places), `TR` (transitions), `TP` and `PT` (arcs) and the read arcs `RA` and `RD`. Reset arcs
//! are refused; drawing, text and phantom transitions are passed over.

use super::draft::{Draft, Way};
use crate::diag::Read;
use crate::diag::Span;
use crate::text::xml::decoded;
use prequel_model::{Net, PlaceId, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the lines of a block are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    Places,
    Transitions,
    /// `first` names the transition, then the place; or the other way round.
    Arcs {
        way: Way,
        transition_first: bool,
    },
    Resets,
    Ignored,
}

impl Block {
    fn of(word: &str) -> Option<Block> {
        Some(match word {
            "PL" => Block::Places,
            "TR" => Block::Transitions,
            "TP" => Block::Arcs { way: Way::Out, transition_first: true },
            "PT" => Block::Arcs { way: Way::In, transition_first: false },
            "RA" => Block::Arcs { way: Way::Read, transition_first: true },
            "RD" => Block::Arcs { way: Way::Read, transition_first: false },
            "RS" => Block::Resets,
            "BL" | "PTR" | "PTP" | "PPT" | "TX" | "DBL" | "DPL" | "DTR" | "DPT" => Block::Ignored,
            _ => return None,
        })
    }
}

/// The fields of a line that say something about the net.
#[derive(Default)]
struct Fields<'a> {
    name: Option<&'a str>,
    /// The number of a node.
    id: Option<&'a str>,
    /// The two ends of an arc.
    ends: Option<(&'a str, &'a str)>,
    marking: Option<&'a str>,
    weight: Option<&'a str>,
    capacity: Option<&'a str>,
}

/// Nodes by their numbers.
#[derive(Default)]
struct Numbers {
    places: FxHashMap<i64, PlaceId>,
    transitions: FxHashMap<i64, TransitionId>,
    /// Arcs that were there already.
    arcs: FxHashSet<(bool, TransitionId, PlaceId)>,
}

/// Reads a file.
pub fn read(file: &str, bytes: &[u8]) -> Read<Net> {
    let text = decoded(bytes);
    let mut draft = Draft::new(file, text.as_bytes());
    let mut numbers = Numbers::default();
    let mut block = Block::Ignored;
    let mut header = ["PEP", "", "FORMAT_N"].iter();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (at, content) = (start, content(line));
        start += line.len();
        let skipped = content.len() - content.trim_start().len();
        let (at, content) = (at + skipped, content.trim());
        if let Some(expected) = header.next() {
            if !content.starts_with(expected) {
                let help = "such a file starts with PEP, PTNet or PetriBox, and FORMAT_N, a line each";
                draft.findings.error(at..at + content.len(), format!("expected `{expected}`"), help);
                return draft.finish(None);
            }
            continue;
        }
        if content.is_empty() {
            continue;
        }
        if content.len() >= 2 && content.bytes().take(2).all(|b| b.is_ascii_uppercase()) {
            let word = content.split(|c: char| !c.is_ascii_uppercase()).next().unwrap_or_default();
            match Block::of(word) {
                Some(found) => block = found,
                None => {
                    let help = "blocks are PL, TR, TP, PT, RA, RD and those that draw";
                    draft.findings.error(at..at + word.len(), format!("there is no block `{word}`"), help);
                    block = Block::Ignored;
                }
            }
            continue;
        }
        if block == Block::Ignored {
            continue;
        }
        match fields(content, block) {
            Ok(fields) => numbers.add(&mut draft, block, &fields, at..at + content.len()),
            Err((offset, message)) => {
                let help = "a field is a number, a name in quotes, or a letter with its value";
                draft.findings.error(at + offset..at + offset + 1, message, help);
            }
        }
    }
    if header.next().is_some() {
        draft.findings.error(
            0..0,
            "this is no PEP net",
            "such a file starts with PEP, PTNet or PetriBox, and FORMAT_N",
        );
    }
    draft.finish(None)
}

/// A line without its comment; `%` in quotes starts none.
fn content(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '%') => return &line[..at],
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    line
}

/// Cuts a line into its fields, or says at which byte it is none.
fn fields(line: &str, block: Block) -> Result<Fields<'_>, (usize, String)> {
    let mut fields = Fields::default();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        at += if c.is_whitespace() || c == '\u{8}' {
            c.len_utf8()
        } else if c == '"' || c == '\'' {
            let length = quoted(rest).ok_or_else(|| (at, "this quote is not closed".to_owned()))?;
            fields.name = Some(&rest[1..length - 1]);
            length
        } else if c.is_ascii_digit() || c == '-' {
            let first = integer(rest);
            match rest[first..].chars().next() {
                Some(sign @ ('@' | '<' | '>')) => {
                    let second = integer(&rest[first + 1..]);
                    if second == 0 {
                        return Err((at + first + 1, format!("expected a number behind `{sign}`")));
                    }
                    if sign != '@' {
                        fields.ends = Some((&rest[..first], &rest[first + 1..first + 1 + second]));
                    }
                    first + 1 + second
                }
                _ if first == 0 || rest[..first].ends_with('-') => return Err((at, "expected a number".into())),
                _ => {
                    fields.id = Some(&rest[..first]);
                    first
                }
            }
        } else if c.is_ascii_alphabetic() || c == ',' {
            let value = &rest[1..];
            let length = match value.chars().next() {
                Some('"' | '\'') => quoted(value).ok_or_else(|| (at + 1, "this quote is not closed".to_owned()))?,
                _ => {
                    let first = integer(value);
                    match value[first..].strip_prefix('@') {
                        Some(second) => first + 1 + integer(second),
                        None => first,
                    }
                }
            };
            // Flags have no value: what follows is another field.
            let flag = matches!((c, block), ('e' | 'x', Block::Places) | ('S' | 'r', Block::Transitions));
            let length = if flag { 0 } else { length };
            let value = &value[..length];
            match (c, block) {
                ('M', Block::Places) => fields.marking = Some(value),
                ('k', Block::Places) => fields.capacity = Some(value),
                ('w', Block::Arcs { .. }) => fields.weight = Some(value),
                _ => {}
            }
            1 + length
        } else {
            return Err((at, format!("`{}` is no field", c.escape_debug())));
        };
    }
    Ok(fields)
}

/// The length of the quoted text that a line starts with, both quotes included; there are no escapes.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    text[1..].find(quote).map(|end| end + 2)
}

/// The length of the integer that a text starts with.
fn integer(text: &str) -> usize {
    let sign = usize::from(text.starts_with('-'));
    sign + text[sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - sign)
}

impl Numbers {
    fn add(&mut self, draft: &mut Draft<'_>, block: Block, fields: &Fields<'_>, span: Span) {
        match block {
            Block::Places => self.place(draft, fields, span),
            Block::Transitions => self.transition(draft, fields, span),
            Block::Arcs { way, transition_first } => self.arc(draft, (way, transition_first), fields, span),
            Block::Resets => {
                draft.findings.error(span, "reset arcs are refused", "leave them away, or model them with places")
            }
            Block::Ignored => {}
        }
    }

    /// The number of a node: its own, or how manieth it is.
    fn number(draft: &mut Draft<'_>, fields: &Fields<'_>, nth: usize, span: &Span) -> Option<i64> {
        let Some(id) = fields.id else { return Some(nth as i64 + 1) };
        let number = id.parse().ok();
        if number.is_none() {
            draft.findings.error(span.clone(), format!("number {id} is too large"), "number the nodes from 1");
        }
        number
    }

    fn place(&mut self, draft: &mut Draft<'_>, fields: &Fields<'_>, span: Span) {
        let Some(number) = Self::number(draft, fields, self.places.len(), &span) else { return };
        let Some(tokens) = fields.marking.map_or(Some(0), |m| draft.number(m, span.clone(), "the marking")) else {
            return;
        };
        if let Some(capacity) = fields.capacity.filter(|k| !k.starts_with('-') && *k != "0" && *k != "1") {
            let message = format!("the capacity {capacity} is passed over");
            draft.findings.warn(span.clone(), message, "what is reachable may be more than PEP would reach");
        }
        let name = self.unused(draft, fields.name, "p", number, |draft, name| draft.places.contains_key(name));
        if self.places.insert(number, PlaceId::new(draft.places.len())).is_some() {
            return draft.findings.error(
                span,
                format!("a second place with the number {number}"),
                "renumber one of them",
            );
        }
        draft.place(&name, tokens, span);
    }

    fn transition(&mut self, draft: &mut Draft<'_>, fields: &Fields<'_>, span: Span) {
        let Some(number) = Self::number(draft, fields, self.transitions.len(), &span) else { return };
        let taken = |draft: &Draft<'_>, name: &str| draft.transitions.contains_key(name);
        let name = self.unused(draft, fields.name, "t", number, taken);
        if self.transitions.contains_key(&number) {
            let message = format!("a second transition with the number {number}");
            return draft.findings.error(span, message, "renumber one of them");
        }
        let transition = draft.transition(&name, span);
        self.transitions.insert(number, transition);
    }

    /// The name of a node. Several nodes may share one, or have none: then the number tells them apart.
    fn unused(
        &self,
        draft: &Draft<'_>,
        name: Option<&str>,
        letter: &str,
        number: i64,
        taken: impl Fn(&Draft<'_>, &str) -> bool,
    ) -> String {
        let name = name.filter(|name| !name.is_empty()).map_or_else(|| format!("{letter}{number}"), str::to_owned);
        if !taken(draft, &name) {
            return name;
        }
        let numbered = format!("{name}#{number}");
        if !taken(draft, &numbered) {
            return numbered;
        }
        let more = (2u32..).map(|n| format!("{numbered}#{n}")).find(|name| !taken(draft, name));
        more.expect("some number is unused")
    }

    fn arc(&mut self, draft: &mut Draft<'_>, (way, transition_first): (Way, bool), fields: &Fields<'_>, span: Span) {
        let Some((first, second)) = fields.ends else {
            return draft.findings.error(span, "an arc without ends", "an arc reads `1<2` or `1>2`");
        };
        let (transition, place) = if transition_first { (first, second) } else { (second, first) };
        let transition_at = transition.parse().ok().and_then(|n: i64| self.transitions.get(&n).copied());
        let place_at = place.parse().ok().and_then(|n: i64| self.places.get(&n).copied());
        let Some(transition_at) = transition_at else {
            return draft.findings.error(
                span,
                format!("there is no transition with the number {transition}"),
                NUMBERED,
            );
        };
        let Some(place_at) = place_at else {
            return draft.findings.error(span, format!("there is no place with the number {place}"), NUMBERED);
        };
        let Some(weight) = fields.weight.map_or(Some(1), |w| draft.number(w, span.clone(), "the weight")) else {
            return;
        };
        // Some files list an arc twice and mean one.
        let ways: &[bool] = if way == Way::Read { &[] } else { &[way == Way::In] };
        if ways.iter().any(|&inwards| !self.arcs.insert((inwards, transition_at, place_at))) {
            return draft.findings.warn(
                span,
                "this arc is there already; it counts once",
                "remove it, or give the first a weight",
            );
        }
        draft.arc(way, transition_at, place_at, weight);
    }
}

const NUMBERED: &str = "nodes have the numbers that stand before them, or are counted from 1";

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "PEP\nPTNet\nFORMAT_N2\n";

    fn errors(text: &str) -> Vec<String> {
        read("n", format!("{HEAD}{text}").as_bytes()).unwrap_err().iter().map(|d| d.headline()).collect()
    }

    #[test]
    fn fields_come_in_any_order_with_and_without_numbers() {
        let text = "DPL s7n10@-9t2\nPL\n7\"P7\"1890@240u\"(4,5)\"\n3\"P=3 a\"10@-20eM1m1\n% c\nTR\n\"T\"1@2\n5\"T\"S\nTP\n1<7J2@3\nPT\n3>1w1\nRA\n5<7\n";
        let (net, _) = read("n", format!("{HEAD}{text}").as_bytes()).unwrap();
        let places: Vec<&str> = net.places().map(|p| net.place(p)).collect();
        assert_eq!(places, ["P7", "P=3 a"]);
        assert_eq!(net.initial(), [0, 1]);
        let transitions: Vec<&str> = net.transitions().map(|t| net.transition(t)).collect();
        assert_eq!(transitions, ["T", "T#5"]);
        assert_eq!(net.inputs(TransitionId(1)), net.outputs(TransitionId(1)), "a read arc is a loop");
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        assert_eq!(
            errors("PL\n\"a\nTR\nTP\n1<2\nPT\n4>1"),
            [
                "n:5:1: this quote is not closed",
                "n:8:1: there is no transition with the number 1",
                "n:10:1: there is no transition with the number 1"
            ]
        );
        assert!(errors("PL\n1M-1\n")[0].contains("the marking -1 is negative"));
        assert!(errors("RS\n1>1\n")[0].contains("reset arcs are refused"));
        assert!(errors("XX\n")[0].contains("no block `XX`"));
        assert!(read("n", b"PEP\nPTNet").is_err() && read("n", b"").is_err() && read("n", b"\xff\xfe").is_err());
    }

    #[test]
    fn an_arc_that_is_listed_twice_counts_once() {
        let (net, warnings) = read("n", format!("{HEAD}PL\n\"a\"M1\nTR\n\"t\"\nPT\n1>1\n1>1\n").as_bytes()).unwrap();
        assert_eq!((net.inputs(TransitionId(0))[0].weight, warnings.len()), (1, 1));
    }
}
