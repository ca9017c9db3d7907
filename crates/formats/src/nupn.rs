//! NUPN as text, `.nupn`: the nested-unit Petri nets of CADP.
//!
//! ```text
//! !unit_safe                      pragmas; this one certifies one token in each unit and those within it
//! places #3 0...2                 how many, and from where to where they are numbered
//! initial place 0                 or: initial places #2 0 1
//! units #2 0...1
//! root unit 0
//! U0 #1 0...0 #1 1                its places, an interval (none: #0 1...0); the units in it
//! U1 #2 1...2 #0
//! transitions #1 0...0
//! T0 #1 0 #2 1 2                  takes from these, gives to those
//! labels 1 1 0 5                  optional, then p0 NAME, t0 NAME, u0 NAME
//! ```
//!
//! Arcs have no weight. A file that says that it was made from a net with weights or several tokens is read, with a warning.

use super::draft::{Draft, Way};
use crate::diag::Read;
use crate::diag::Span;
use crate::text::xml::decoded;
use prequel_model::{Net, PlaceId, TransitionId, Units};
use std::ops::RangeInclusive;
use std::str::SplitWhitespace;

/// Reads a file.
pub fn read(file: &str, bytes: &[u8]) -> Read<Net> {
    let text = decoded(bytes);
    let mut draft = Draft::new(file, text.as_bytes());
    let mut reader = Reader { lines: lines(&text), at: 0, safe: false };
    let units = match reader.net(&mut draft) {
        Ok(units) => units,
        Err(Wrong { span, message, help }) => {
            draft.findings.error(span, message, help);
            None
        }
    };
    draft.finish(units)
}

/// What ends the reading: the sections of a file depend on each other.
struct Wrong {
    span: Span,
    message: String,
    help: &'static str,
}

/// The lines that are not blank, with where each starts.
fn lines(text: &str) -> Vec<(&str, usize)> {
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            all.push((line.trim_end(), start));
        }
        start += line.len();
    }
    // What is expected behind the last line is told there.
    all.push(("", text.trim_end().len()));
    all
}

struct Reader<'t> {
    lines: Vec<(&'t str, usize)>,
    at: usize,
    safe: bool,
}

/// Nodes in a file: at most so many, so that a number alone does not fill the memory.
const MOST: u64 = 1 << 24;

impl<'t> Reader<'t> {
    fn line(&self) -> (&'t str, Span) {
        let (line, start) = self.lines[self.at];
        (line, start..start + line.len().max(1))
    }

    fn wrong<T>(&self, message: String, help: &'static str) -> Result<T, Wrong> {
        Err(Wrong { span: self.line().1, message, help })
    }

    /// The words behind the next line's first ones, which must be these.
    fn expect(&mut self, words: &str, shape: &'static str) -> Result<SplitWhitespace<'t>, Wrong> {
        let (line, _) = self.line();
        match line.strip_prefix(words).filter(|rest| rest.is_empty() || rest.starts_with([' ', '#'])) {
            Some(rest) => Ok(rest.split_whitespace()),
            None => self.wrong(format!("expected `{words}`"), shape),
        }
    }

    fn number(&self, word: Option<&str>, sign: &str) -> Result<u64, Wrong> {
        let number = word.and_then(|word| word.strip_prefix(sign)).and_then(|digits| digits.parse().ok());
        match number {
            Some(number) if number <= MOST => Ok(number),
            Some(number) => self.wrong(format!("{number} is too many"), "a file has at most 16777216 nodes of a kind"),
            None => self.wrong(
                match word {
                    Some(word) => format!("`{word}` is no number{}", if sign.is_empty() { "" } else { " behind #" }),
                    None => "a number is missing".into(),
                },
                "numbers are written as in `#2 0 1`",
            ),
        }
    }

    /// `#COUNT min...max`, which must agree.
    fn interval(&self, words: &mut SplitWhitespace<'t>) -> Result<RangeInclusive<u64>, Wrong> {
        const HELP: &str = "an interval is written as in `#3 0...2`, an empty one as `#0 1...0`";
        let count = self.number(words.next(), "#")?;
        let Some((from, to)) = words.next().and_then(|word| word.split_once("...")) else {
            return self.wrong("an interval is missing".into(), HELP);
        };
        let (from, to) = (self.number(Some(from), "")?, self.number(Some(to), "")?);
        let length = (to + 1).saturating_sub(from);
        if length != count {
            return self.wrong(format!("{from}...{to} is {length} numbers, not {count}"), HELP);
        }
        Ok(from..=to)
    }

    /// `#COUNT n n …`, each of an interval.
    fn list(&self, words: &mut SplitWhitespace<'t>, of: &RangeInclusive<u64>, what: &str) -> Result<Vec<u64>, Wrong> {
        let count = self.number(words.next(), "#")?;
        (0..count).map(|_| self.one(words, of, what)).collect()
    }

    fn one(&self, words: &mut SplitWhitespace<'t>, of: &RangeInclusive<u64>, what: &str) -> Result<u64, Wrong> {
        let number = self.number(words.next(), "")?;
        if of.contains(&number) {
            return Ok(number);
        }
        self.wrong(format!("there is no {what} {number}"), "the file says how they are numbered")
    }

    /// Nothing may be left of the line.
    fn end(&mut self, mut words: SplitWhitespace<'t>) -> Result<(), Wrong> {
        if let Some(word) = words.next() {
            return self.wrong(format!("`{word}` is too much"), "the numbers behind # say how many follow");
        }
        self.at += 1;
        Ok(())
    }

    fn net(&mut self, draft: &mut Draft<'_>) -> Result<Option<Units>, Wrong> {
        self.pragmas(draft);
        let mut words = self.expect("places", "a file starts with its places, as in `places #3 0...2`")?;
        let places = self.interval(&mut words)?;
        let span = self.line().1;
        self.end(words)?;
        let mut marked = vec![0u32; places.clone().count()];
        for number in self.initial(&places)? {
            marked[(number - places.start()) as usize] = 1;
        }
        for (number, &tokens) in places.clone().zip(&marked) {
            draft.place(&format!("p{number}"), tokens, span.clone());
        }
        let units = self.units(&places)?;
        self.transitions(draft, &places)?;
        Ok(Some(units))
    }

    fn pragmas(&mut self, draft: &mut Draft<'_>) {
        while let (line, span) = self.line()
            && let Some(pragma) = line.strip_prefix('!')
        {
            match pragma.split_whitespace().next() {
                Some("unit_safe") => self.safe = true,
                Some(lost @ ("multiple_arcs" | "multiple_initial_tokens")) => {
                    let message = format!("`{lost}`: the net that this was made from meant more than this file says");
                    draft.findings.warn(span, message, "ask that net, if the difference matters");
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn initial(&mut self, places: &RangeInclusive<u64>) -> Result<Vec<u64>, Wrong> {
        const SHAPE: &str = "behind the places stands `initial place 0` or `initial places #2 0 1`";
        if self.line().0.starts_with("initial places") {
            let mut words = self.expect("initial places", SHAPE)?;
            let marked = self.list(&mut words, places, "place")?;
            self.end(words)?;
            return Ok(marked);
        }
        let mut words = self.expect("initial place", SHAPE)?;
        let marked = self.one(&mut words, places, "place")?;
        self.end(words)?;
        Ok(vec![marked])
    }

    fn units(&mut self, places: &RangeInclusive<u64>) -> Result<Units, Wrong> {
        const NONE: u32 = u32::MAX;
        let mut words = self.expect("units", "then the units, as in `units #2 0...1`")?;
        let units = self.interval(&mut words)?;
        self.end(words)?;
        let mut words = self.expect("root unit", "then the root, as in `root unit 0`")?;
        let root = self.one(&mut words, &units, "unit")?;
        self.end(words)?;
        let mut of_place = vec![NONE; places.clone().count()];
        let mut inside = vec![false; units.clone().count()];
        inside[(root - units.start()) as usize] = true;
        for unit in units.clone() {
            let mut words = self.expect(&format!("U{unit}"), "a line for each unit, as in `U1 #2 1...2 #0`")?;
            for place in self.interval(&mut words)? {
                if !places.contains(&place) {
                    return self.wrong(format!("there is no place {place}"), "the file says how they are numbered");
                }
                let slot = &mut of_place[(place - places.start()) as usize];
                if *slot != NONE {
                    return self.wrong(format!("place {place} is in two units"), "each place is in one unit");
                }
                *slot = (unit - units.start()) as u32;
            }
            for sub in self.list(&mut words, &units, "unit")? {
                if std::mem::replace(&mut inside[(sub - units.start()) as usize], true) {
                    return self.wrong(format!("unit {sub} is in two others, or the root"), "units form a tree");
                }
            }
            self.end(words)?;
        }
        if let Some(at) = of_place.iter().position(|&unit| unit == NONE) {
            let message = format!("place {} is in no unit", places.start() + at as u64);
            return self.wrong(message, "each place is in one unit");
        }
        if let Some(at) = inside.iter().position(|&inside| !inside) {
            let message = format!("unit {} does not hang on the root", units.start() + at as u64);
            return self.wrong(message, "every unit but the root is in one other");
        }
        let names = units.map(|unit| format!("u{unit}").into()).collect();
        Ok(Units { names, of_place, safe: self.safe })
    }

    fn transitions(&mut self, draft: &mut Draft<'_>, places: &RangeInclusive<u64>) -> Result<(), Wrong> {
        let mut words = self.expect("transitions", "then the transitions, as in `transitions #1 0...0`")?;
        let transitions = self.interval(&mut words)?;
        self.end(words)?;
        let place = |number: u64| PlaceId::new((number - places.start()) as usize);
        for number in transitions.clone() {
            let mut words = self.expect(&format!("T{number}"), "a line for each transition, as in `T0 #1 0 #2 1 2`")?;
            let t = draft.transition(&format!("t{number}"), self.line().1);
            for way in [Way::In, Way::Out] {
                let mut linked = self.list(&mut words, places, "place")?;
                linked.sort_unstable();
                linked.dedup();
                linked.into_iter().for_each(|number| draft.arc(way, t, place(number), 1));
            }
            self.end(words)?;
        }
        self.labels(draft, places, &transitions)
    }

    /// What nodes are called beside their numbers.
    fn labels(
        &mut self,
        draft: &mut Draft<'_>,
        places: &RangeInclusive<u64>,
        transitions: &RangeInclusive<u64>,
    ) -> Result<(), Wrong> {
        if self.line().0.is_empty() {
            return Ok(());
        }
        self.expect("labels", "behind the transitions come labels, or nothing")?;
        self.at += 1;
        while let (line, _) = self.line()
            && !line.is_empty()
        {
            let (node, label) = line.split_once(' ').unwrap_or((line, ""));
            let of = |all: &RangeInclusive<u64>, letter: &str| {
                let number = node.strip_prefix(letter)?.parse().ok().filter(|number| all.contains(number))?;
                Some((number - all.start()) as usize)
            };
            if let Some(at) = of(places, "p") {
                draft.place_title_of(PlaceId::new(at), label);
            } else if let Some(at) = of(transitions, "t") {
                draft.transition_title(TransitionId::new(at), label);
            } else if !node.starts_with('u') {
                return self.wrong(format!("there is no node `{node}`"), "labels are for p0, t0 or u0 and so on");
            }
            self.at += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &str = "!creator me\n!unit_safe\nplaces #4 0...3\ninitial places #2 0 2\nunits #3 0...2\nroot unit 0\n\
        U0 #0 1...0 #2 1 2\nU1 #2 0...1 #0\nU2 #2 2...3 #0\ntransitions #2 0...1\nT0 #2 0 2 #2 1 3\nT1 #1 3 #1 2\n\
        labels 1 1 0 4\np1 far\nt1 back\n";

    fn errors(text: &str) -> Vec<String> {
        read("n.nupn", text.as_bytes()).unwrap_err().iter().map(|d| d.headline()).collect()
    }

    #[test]
    fn a_net_with_its_units() {
        let (net, warnings) = read("n.nupn", NET.as_bytes()).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(net.initial(), [1, 0, 1, 0]);
        let linked = |arcs: &[prequel_model::Arc]| arcs.iter().map(|a| a.place.0).collect::<Vec<_>>();
        let [t0, t1] = [0, 1].map(TransitionId);
        assert_eq!((linked(net.inputs(t0)), linked(net.outputs(t0))), (vec![0, 2], vec![1, 3]));
        assert_eq!((linked(net.inputs(t1)), linked(net.outputs(t1))), (vec![3], vec![2]));
        let units = net.units().unwrap();
        assert!(units.safe && units.of_place == [1, 1, 2, 2]);
        let (_, warnings) = read("n.nupn", format!("!multiple_arcs #1 2...2\n{NET}").as_bytes()).unwrap();
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn mistakes_have_their_line() {
        for (from, to, expected) in [
            ("#4 0...3", "#5 0...3", "n.nupn:3:1: 0...3 is 4 numbers, not 5"),
            ("#2 0 2\n", "#2 0 9\n", "n.nupn:4:1: there is no place 9"),
            ("#2 0 2\n", "#2 0\n", "n.nupn:4:1: a number is missing"),
            ("root unit 0\n", "", "n.nupn:6:1: expected `root unit`"),
            ("U1 #2 0...1", "U1 #3 0...2", "n.nupn:9:1: place 2 is in two units"),
            ("#2 2...3 #0", "#1 2...2 #0", "n.nupn:10:1: place 3 is in no unit"),
            ("#2 1 2\nU1", "#1 1\nU1", "n.nupn:10:1: unit 2 does not hang on the root"),
            ("T1 #1 3 #1 2", "T1 #1 3 #1 2 2", "n.nupn:12:1: `2` is too much"),
            ("T1 #1 3 #1 2", "T1 1 3 #1 2", "n.nupn:12:1: `1` is no number behind #"),
            ("p1 far", "x1 far", "n.nupn:14:1: there is no node `x1`"),
            ("places #4 0...3", "places #99999999999 0...99999999998", "n.nupn:3:1: 99999999999 is too many"),
        ] {
            assert_eq!(errors(&NET.replacen(from, to, 1)), [expected], "{to}");
        }
        assert!(errors("").len() == 1 && errors("places").len() == 1);
        // Every way to cut the file off is an error with a place, or a smaller net.
        for end in 0..NET.len() {
            if let Err(errors) = read("n.nupn", &NET.as_bytes()[..end]) {
                assert!(errors.iter().all(|e| e.place.is_some()), "{end}: {errors:?}");
            }
        }
    }
}
