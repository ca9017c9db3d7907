//! TINA's nets, `.net`: a line a declaration; the net is all of them together.
//!
//! ```text
//! net NAME | tr NAME [: LABEL] [interval] [{in} -> {out}] | pl NAME [: LABEL] [(tokens)] [{in} -> {out}] | lb … | nt …
//! in, out := NAME [*weight | ?weight]     weight, tokens := number, with K, M or G behind it for thousands
//! ```
//! Refused by name: times other than `[0,w[`, priorities, inhibitor and stopwatch arcs.

use super::draft::{Draft, Way};
use crate::diag::Read;
use crate::diag::Span;
use prequel_model::Net;

/// Reads a file.
pub fn read(file: &str, bytes: &[u8]) -> Read<Net> {
    let text = String::from_utf8_lossy(bytes);
    let mut draft = Draft::new(file, text.as_bytes());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut reader = Line { text: line.trim_end(), at: 0, start, draft: &mut draft };
        // What is wrong was told already; the next line may be right.
        let _ = reader.declaration();
        start += line.len();
    }
    draft.finish(None)
}

/// A line while it is read.
struct Line<'l, 'd, 'a> {
    text: &'l str,
    at: usize,
    /// Where the line starts in the text.
    start: usize,
    draft: &'d mut Draft<'a>,
}

/// The line was given up, and why was told.
struct Told;

/// One side of an arc list.
struct End {
    name: String,
    span: Span,
    weight: u32,
    reads: bool,
}

impl Line<'_, '_, '_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn span(&self, from: usize) -> Span {
        self.start + from..self.start + self.at.max(from + 1)
    }

    fn wrong<T>(&mut self, from: usize, message: impl Into<String>, help: &str) -> Result<T, Told> {
        let span = self.span(from);
        self.draft.findings.error(span, message, help);
        Err(Told)
    }

    /// Takes a sign if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn declaration(&mut self) -> Result<(), Told> {
        self.blanks();
        if self.rest().is_empty() || self.rest().starts_with('#') {
            return Ok(());
        }
        let from = self.at;
        let length = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
        self.at += length;
        match &self.text[from..self.at] {
            "net" | "lb" | "nt" => Ok(()),
            "tr" => self.transition(),
            "pl" => self.place(),
            "pr" => self.wrong(from, "priorities are refused", "make the net one without priorities"),
            word => {
                let message = format!("there is no declaration `{word}`");
                self.wrong(from, message, "a line starts with net, tr, pl, lb or nt, or is a comment with #")
            }
        }
    }

    fn transition(&mut self) -> Result<(), Told> {
        let (name, span) = self.name()?;
        let transition = self.draft.some_transition(&name, span);
        self.label()?;
        self.interval()?;
        let (ins, outs) = self.ends()?;
        for (way, ends) in [(Way::In, ins), (Way::Out, outs)] {
            for end in ends {
                let place = self.draft.some_place(&end.name, end.span);
                self.draft.arc(if end.reads { Way::Read } else { way }, transition, place, end.weight);
            }
        }
        Ok(())
    }

    fn place(&mut self) -> Result<(), Told> {
        let (name, span) = self.name()?;
        let place = self.draft.some_place(&name, span.clone());
        self.label()?;
        if self.sign("(") {
            let tokens = self.number("the marking")?;
            if !self.sign(")") {
                return self.wrong(self.at, "expected `)`", "tokens are written as (3)");
            }
            match self.draft.places[place.at()].tokens.checked_add(tokens) {
                Some(sum) => self.draft.places[place.at()].tokens = sum,
                None => {
                    self.draft.findings.error(span, "the marking is too large", format!("at most {} tokens", u32::MAX))
                }
            }
        }
        let (ins, outs) = self.ends()?;
        // Seen from the place: what gives to it, then what takes from it.
        for (way, ends) in [(Way::Out, ins), (Way::In, outs)] {
            for end in ends {
                let transition = self.draft.some_transition(&end.name, end.span);
                self.draft.arc(if end.reads { Way::Read } else { way }, transition, place, end.weight);
            }
        }
        Ok(())
    }

    /// A bare name, or one in braces in which `\` takes the next character literally.
    fn name(&mut self) -> Result<(String, Span), Told> {
        self.blanks();
        let from = self.at;
        if !self.rest().starts_with('{') {
            let is_bare = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
            self.at += self.rest().find(|c| !is_bare(c)).unwrap_or(self.rest().len());
            if from == self.at {
                return self.wrong(from, "expected a name", "names are letters, digits and _; others stand in {…}");
            }
            return Ok((self.text[from..self.at].to_owned(), self.span(from)));
        }
        let mut name = String::new();
        let mut chars = self.rest()[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '}' => {
                    self.at = from + 1 + at + 1;
                    return Ok((name, self.span(from)));
                }
                '\\' => name.extend(chars.next().map(|(_, c)| c)),
                c => name.push(c),
            }
        }
        self.wrong(from, "this brace is not closed", "end the name with }")
    }

    fn label(&mut self) -> Result<(), Told> {
        if self.sign(":") { self.name().map(|_| ()) } else { Ok(()) }
    }

    fn number(&mut self, what: &str) -> Result<u32, Told> {
        self.blanks();
        let from = self.at;
        let sign = usize::from(self.rest().starts_with('-'));
        self.at += sign;
        self.at += self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let digits = self.text[from..self.at].to_owned();
        let Some(number) = self.draft.number(&digits, self.start + from..self.start + self.at.max(from + 1), what)
        else {
            return Err(Told);
        };
        let factor = match self.rest().chars().next() {
            Some('K') => 1_000,
            Some('M') => 1_000_000,
            Some('G') => 1_000_000_000,
            _ => return Ok(number),
        };
        self.at += 1;
        match number.checked_mul(factor) {
            Some(number) => Ok(number),
            None => self.wrong(from, format!("{what} is too large"), "at most 4294967295 can be counted"),
        }
    }

    /// Only the interval that allows every time is taken.
    fn interval(&mut self) -> Result<(), Told> {
        self.blanks();
        if !self.rest().starts_with(['[', ']']) {
            return Ok(());
        }
        let from = self.at;
        let end = self.rest()[1..].find(['[', ']']).map_or(self.rest().len(), |at| at + 2);
        self.at += end;
        let text: String = self.text[from..self.at].chars().filter(|c| !c.is_whitespace()).collect();
        if text == "[0,w[" {
            return Ok(());
        }
        self.wrong(from, "a timed net is refused", "leave the times away if the untimed net is what you ask about")
    }

    fn ends(&mut self) -> Result<(Vec<End>, Vec<End>), Told> {
        let mut sides = (Vec::new(), Vec::new());
        let mut behind = false;
        loop {
            self.blanks();
            if self.rest().is_empty() {
                return Ok(sides);
            }
            if self.sign("->") {
                if behind {
                    return self.wrong(self.at - 2, "a second `->`", "a declaration has one");
                }
                behind = true;
                continue;
            }
            let end = self.end()?;
            if behind { sides.1.push(end) } else { sides.0.push(end) }
        }
    }

    fn end(&mut self) -> Result<End, Told> {
        let (name, span) = self.name()?;
        let from = self.at;
        let (mut weight, mut reads) = (1, false);
        if self.rest().starts_with('*') {
            self.at += 1;
            weight = self.number("the weight")?;
        } else if self.rest().starts_with("?-") {
            self.at += 2;
            return self.wrong(from, "inhibitor arcs are refused", "leave them away, or model them with places");
        } else if self.rest().starts_with('?') {
            self.at += 1;
            reads = true;
            weight = self.number("the weight")?;
        } else if self.rest().starts_with('!') {
            self.at += 1;
            return self.wrong(from, "a timed net (stopwatch arc) is refused", "leave the times away");
        }
        Ok(End { name, span, weight, reads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        read("n.net", text.as_bytes()).unwrap_err().iter().map(|d| d.headline()).collect()
    }

    #[test]
    fn the_net_is_all_declarations_together() {
        let text = "# c\nnet {a-b}\ntr t1 : l [0,w[ p*2 {q.1}?1 -> r\npl p (6K)\npl r t2*3 -> t1\npl s (2)\npl s (1)\n";
        let (net, _) = read("n.net", text.as_bytes()).unwrap();
        let places: Vec<&str> = net.places().map(|p| net.place(p)).collect();
        assert_eq!(places, ["p", "q.1", "r", "s"]);
        assert_eq!(net.initial(), [6000, 0, 0, 3]);
        let arcs = |arcs: &[prequel_model::Arc]| arcs.iter().map(|a| (a.place.0, a.weight)).collect::<Vec<_>>();
        let [t1, t2] = [0, 1].map(prequel_model::TransitionId);
        assert_eq!(arcs(net.inputs(t1)), [(0, 2), (1, 1), (2, 1)]);
        assert_eq!((arcs(net.outputs(t1)), arcs(net.outputs(t2))), (vec![(1, 1), (2, 1)], vec![(2, 3)]));
        assert!(read("n.net", b"# nothing left\n").is_ok(), "a net may be empty");
    }

    #[test]
    fn what_is_more_than_a_net_is_refused_by_name() {
        assert_eq!(
            errors("tr t [1,2] p -> q\ntr u p?-1 -> \ntr v p!2 ->\npr a > b\nxx\ntr {a\npl p (-1)\npl p (5000000K)"),
            [
                "n.net:1:6: a timed net is refused",
                "n.net:2:7: inhibitor arcs are refused",
                "n.net:3:7: a timed net (stopwatch arc) is refused",
                "n.net:4:1: priorities are refused",
                "n.net:5:1: there is no declaration `xx`",
                "n.net:6:4: this brace is not closed",
                "n.net:7:7: the marking -1 is negative",
                "n.net:8:7: the marking is too large",
            ]
        );
    }
}
