//! The two forms of AIGER files: lines of numbers, and the same with gates in binary.

use super::{Draft, Latch, Literal, Reset};
use crate::diag::{Diagnostic, Span};
use crate::text::findings::Findings;

/// Variables that a file may have.
const MOST_VARIABLES: u64 = 1 << 24;

/// The numbers of the header.
struct Header {
    binary: bool,
    counts: [u64; 9],
    span: Span,
}

/// The places of the counts in the header.
const INPUTS: usize = 1;
const LATCHES: usize = 2;
const OUTPUTS: usize = 3;
const ANDS: usize = 4;
const BAD: usize = 5;
const CONSTRAINTS: usize = 6;
const JUSTICE: usize = 7;
const FAIRNESS: usize = 8;

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    most: u64,
    findings: Findings<'a>,
}

/// Reading stops; why was told.
struct Stopped;

/// Reads a file as it is written.
pub fn read(file: &str, text: &[u8]) -> Result<Draft, Vec<Diagnostic>> {
    let mut reader = Reader { text, at: 0, most: 0, findings: Findings::new(file, text) };
    let mut draft = Draft::default();
    // Where reading stopped, the reason is among the errors.
    let _: Result<(), Stopped> = reader.header().and_then(|header| reader.body(&header, &mut draft));
    reader.findings.none()?;
    Ok(draft)
}

impl<'a> Reader<'a> {
    fn stop<T>(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Result<T, Stopped> {
        self.findings.error(span, message, help);
        Err(Stopped)
    }

    /// The next line without its end; none at the end of the file.
    fn line(&mut self) -> Option<Span> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let line = self.at..self.at + length;
        self.at = (line.end + 1).min(self.text.len());
        let end = if self.text[line.clone()].ends_with(b"\r") { line.end - 1 } else { line.end };
        Some(line.start..end)
    }

    /// The words of a line and where they stand.
    fn words(&self, line: Span) -> Vec<Span> {
        let mut words = Vec::new();
        let mut start = None;
        for at in line.clone().chain([line.end]) {
            let blank = at == line.end || matches!(self.text[at], b' ' | b'\t');
            match (start, blank) {
                (None, false) => start = Some(at),
                (Some(from), true) => {
                    words.push(from..at);
                    start = None;
                }
                _ => {}
            }
        }
        words
    }

    fn number(&mut self, word: &Span) -> Result<u64, Stopped> {
        let text = std::str::from_utf8(&self.text[word.clone()]).ok();
        match text.filter(|t| t.bytes().all(|b| b.is_ascii_digit())).and_then(|t| t.parse().ok()) {
            Some(number) => Ok(number),
            None => self.stop(word.clone(), "this is no number", "AIGER has numbers from 0 on here"),
        }
    }

    fn header(&mut self) -> Result<Header, Stopped> {
        let line = self.line().unwrap_or(0..0);
        let words = self.words(line.clone());
        let form = words.first().map_or(&b""[..], |word| &self.text[word.clone()]);
        let help = "the first line is `aag M I L O A`, or `aig M I L O A`, with up to four numbers more";
        if form != b"aag" && form != b"aig" {
            let span = words.first().cloned().unwrap_or(line);
            return self.stop(span, "this is no AIGER file", help);
        }
        let binary = form == b"aig";
        if !(6..=10).contains(&words.len()) {
            return self.stop(line, format!("the header has {} numbers", words.len() - 1), help);
        }
        let mut counts = [0; 9];
        for (count, word) in counts.iter_mut().zip(&words[1..]) {
            *count = self.number(word)?;
        }
        let [most, inputs, latches, _, ands, ..] = counts;
        let used = inputs.saturating_add(latches).saturating_add(ands);
        if used > most || (binary && used != most) {
            let relation = if binary { "just" } else { "at least" };
            let message = format!("{most} variables, but inputs, latches and gates are {used}");
            return self.stop(words[1].clone(), message, format!("the first number is {relation} their sum"));
        }
        if most > MOST_VARIABLES {
            let message = format!("more than {MOST_VARIABLES} variables");
            return self.stop(words[1].clone(), message, "this is more than can be checked");
        }
        for (place, name) in [(JUSTICE, "justice properties"), (FAIRNESS, "fairness constraints")] {
            if counts[place] > 0 {
                let help = "leave them away, or ask a checker for liveness";
                self.findings.error(
                    words[place + 1].clone(),
                    format!("{name} are about infinite runs, and are not read"),
                    help,
                );
            }
        }
        if counts[JUSTICE] > 0 || counts[FAIRNESS] > 0 {
            return Err(Stopped);
        }
        self.most = most;
        Ok(Header { binary, counts, span: line })
    }

    fn body(&mut self, header: &Header, draft: &mut Draft) -> Result<(), Stopped> {
        let counts = &header.counts;
        let nowhere = header.span.clone();
        if header.binary {
            let own = |variable: u64| Literal { number: 2 * variable, span: nowhere.clone() };
            draft.inputs = (1..=counts[INPUTS]).map(own).collect();
        } else {
            draft.inputs = self.literals(counts[INPUTS], "inputs")?;
        }
        for at in 0..counts[LATCHES] {
            let words = self.row(at, counts[LATCHES], "latches")?;
            let mut numbers = words.into_iter();
            let own = if header.binary {
                let place = self.at.saturating_sub(1);
                Some(Literal { number: 2 * (counts[INPUTS] + at + 1), span: place..place })
            } else {
                numbers.next()
            };
            let (Some(own), Some(next)) = (own, numbers.next()) else {
                let place = self.at.saturating_sub(1);
                return self.stop(place..place, "a latch has no next value", "latches are `[LITERAL] NEXT [RESET]`");
            };
            let reset = match numbers.next() {
                None => Reset::Value(false),
                Some(reset) if reset.number < 2 => Reset::Value(reset.number == 1),
                Some(reset) if reset.number == own.number => Reset::Any,
                Some(reset) => {
                    let help = format!("it is 0, 1 or the latch itself ({}), which is for any value", own.number);
                    self.findings.error(reset.span, "no first value of this latch", help);
                    Reset::Any
                }
            };
            self.no_more(numbers)?;
            draft.latches.push(Latch { own, next, reset });
        }
        draft.outputs = self.literals(counts[OUTPUTS], "outputs")?;
        draft.bad = self.literals(counts[BAD], "bad literals")?;
        draft.constraints = self.literals(counts[CONSTRAINTS], "constraints")?;
        if header.binary {
            self.binary_ands(header, draft)?;
        } else {
            for at in 0..counts[ANDS] {
                let mut numbers = self.row(at, counts[ANDS], "gates")?.into_iter();
                let (Some(own), Some(a), Some(b)) = (numbers.next(), numbers.next(), numbers.next()) else {
                    let place = self.at.saturating_sub(1);
                    return self.stop(place..place, "a gate is three literals", "its own, and the two it is made of");
                };
                self.no_more(numbers)?;
                draft.ands.push([own, a, b]);
            }
        }
        self.symbols(header, draft);
        Ok(())
    }

    /// The literals of a line.
    fn row(&mut self, at: u64, all: u64, what: &str) -> Result<Vec<Literal>, Stopped> {
        let Some(line) = self.line() else {
            let end = self.text.len();
            let message = format!("the file ends after {at} of {all} {what}");
            return self.stop(end.saturating_sub(1)..end, message, "the header says how many there are");
        };
        let mut literals = Vec::new();
        for span in self.words(line) {
            let number = self.number(&span)?;
            if number > 2 * self.most + 1 {
                let help = format!("the header says that there are {} variables", self.most);
                self.findings.error(span.clone(), format!("the literal {number} is too large"), help);
            }
            literals.push(Literal { number, span });
        }
        Ok(literals)
    }

    fn literals(&mut self, count: u64, what: &str) -> Result<Vec<Literal>, Stopped> {
        let mut all = Vec::new();
        for at in 0..count {
            let mut numbers = self.row(at, count, what)?.into_iter();
            let Some(one) = numbers.next() else {
                let place = self.at.saturating_sub(1);
                return self.stop(place..place, "a literal is missing", format!("{what} are one literal a line"));
            };
            self.no_more(numbers)?;
            all.push(one);
        }
        Ok(all)
    }

    fn no_more(&mut self, mut numbers: impl Iterator<Item = Literal>) -> Result<(), Stopped> {
        match numbers.next() {
            None => Ok(()),
            Some(more) => {
                let help = "the counts of the header tell what stands in which line: are they right?";
                self.stop(more.span, "a number too many in this line", help)
            }
        }
    }

    fn binary_ands(&mut self, header: &Header, draft: &mut Draft) -> Result<(), Stopped> {
        let (count, first) = (header.counts[ANDS], header.counts[INPUTS] + header.counts[LATCHES] + 1);
        for at in 0..count {
            let own = 2 * (first + at);
            let start = self.at;
            let mut deltas = [0; 2];
            for delta in &mut deltas {
                *delta = match self.delta() {
                    Ok(delta) => delta,
                    Err(what) => {
                        let message = format!("{what} in gate {} of {count}, at byte {start}", at + 1);
                        return self.stop(header.span.clone(), message, "is the file complete, and copied as binary?");
                    }
                };
            }
            let parts = (own.checked_sub(deltas[0])).and_then(|a| Some((a, a.checked_sub(deltas[1])?)));
            let Some((a, b)) = parts.filter(|_| deltas[0] > 0) else {
                let message =
                    format!("gate {} of {count}, at byte {start}, is not made of what comes before it", at + 1);
                return self.stop(header.span.clone(), message, "is the file complete, and copied as binary?");
            };
            let literal = |number| Literal { number, span: header.span.clone() };
            draft.ands.push([literal(own), literal(a), literal(b)]);
        }
        Ok(())
    }

    /// A number in groups of seven bits, the lowest first.
    fn delta(&mut self) -> Result<u64, &'static str> {
        let mut number = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = *self.text.get(self.at).ok_or("the file ends")?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number is too long")
    }

    /// Names, up to the comment.
    fn symbols(&mut self, header: &Header, draft: &mut Draft) {
        const KINDS: [(u8, usize); 5] =
            [(b'i', INPUTS), (b'l', LATCHES), (b'o', OUTPUTS), (b'b', BAD), (b'c', CONSTRAINTS)];
        while let Some(line) = self.line() {
            let text = &self.text[line.clone()];
            if text == b"c" {
                return;
            }
            if text.is_empty() {
                continue;
            }
            let space = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
            let kind = KINDS.iter().find(|(kind, _)| *kind == text[0]);
            let number = std::str::from_utf8(&text[1..space.max(1)]).ok().and_then(|t| t.parse::<usize>().ok());
            let known = kind.zip(number).filter(|((_, place), number)| (*number as u64) < header.counts[*place]);
            match known {
                Some(((kind, _), number)) => {
                    let name = String::from_utf8_lossy(&text[(space + 1).min(text.len())..]).trim().to_owned();
                    if !name.is_empty() {
                        draft.names.insert((*kind, number), name);
                    }
                }
                None => {
                    let help = "names are `i0 NAME`, `l0 NAME`, `o0 NAME`, `b0 NAME`, `c0 NAME`; a line `c` begins the comment";
                    self.findings.error(line, "this names nothing; are the counts of the header right?", help);
                }
            }
        }
    }
}
