//! Aldebaran `.aut`, in all dialects met in the wild.
//!
//! The text is read in blocks that end at a line end, the blocks are parsed in parallel, and only transitions are kept:
//! a file of any size needs a few times the memory of its in-memory system.

mod line;
mod write;

pub use write::{mistakable, write};

use crate::diag::{Diagnostic, Place, Read};
use hashbrown::HashTable;
use line::Header;
use prequel_model::{LabelId, Labels, Lts, StateId, Transition};
use rayon::prelude::*;
use rustc_hash::FxHasher;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hasher as _;
use std::io;

/// What is open to choice in the format.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The labels that stand for tau.
    pub tau: Vec<String>,
}

impl Default for Dialect {
    /// `i` is CADP's, `tau` is mCRL2's.
    fn default() -> Self {
        Self { tau: vec!["i".into(), "tau".into()] }
    }
}

/// Bytes per block; large enough to feed both cores, small beside any file that needs blocks.
const BLOCK: usize = 8 << 20;
/// Bytes of the first buffer.
const SMALL: usize = 16 << 10;
/// Bytes per piece of a block, the unit of parallel work.
const PIECE: usize = 512 << 10;
/// Errors reported per file before the rest is only counted.
const MOST_ERRORS: usize = 20;
/// States that a header may declare beyond those that occur.
const UNMENTIONED: u64 = 16 << 20;
/// One less than what `u32` holds, so that `u32::MAX` stays free as a sentinel.
const MOST: u64 = u32::MAX as u64 - 1;

/// Reads a system that is in memory. Labels are added to `labels`.
pub fn read(file: &str, text: &[u8], dialect: &Dialect, labels: &mut Labels) -> Read<Lts> {
    read_from(file, text, dialect, labels)
}

/// Reads a system from a stream. Labels are added to `labels`.
pub fn read_from(file: &str, mut input: impl io::Read, dialect: &Dialect, labels: &mut Labels) -> Read<Lts> {
    let mut reading = Reading::new(file, dialect, labels);
    // Most files fit the first buffer: one read for the text and one that finds its end.
    let mut block = vec![0; SMALL];
    let mut filled = 0;
    loop {
        match input.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => {
                let error = Diagnostic::error(file, format!("cannot read: {e}"));
                return Err(vec![error.help("it must be a readable file")]);
            }
        }
        if filled < block.len() {
            continue;
        }
        // A block ends after its last line end; the rest waits for the next one.
        if let Some(end) = memchr::memrchr(b'\n', &block).map(|at| at + 1).filter(|_| block.len() >= BLOCK) {
            reading.block(&block[..end]);
            block.copy_within(end.., 0);
            filled = block.len() - end;
        } else {
            let larger = (2 * block.len()).max(BLOCK);
            block.resize(larger, 0);
        }
    }
    reading.block(&block[..filled]);
    reading.finish()
}

/// Where a label first stands in a file.
pub(crate) fn find_label(text: &[u8], label: &str) -> Option<Place> {
    text.split(|&b| b == b'\n').enumerate().find_map(|(at, raw)| {
        let found = line::transition(raw.strip_suffix(b"\r").unwrap_or(raw)).filter(|t| name(t.label) == label)?;
        let start = found.label.as_ptr() as usize - raw.as_ptr() as usize;
        Some(Place::in_line(at + 1, raw, start..start + found.label.len()))
    })
}

/// The line numbers of some transitions, each the first that fits; `None` where there is none.
///
/// Lines are looked up when a witness needs them instead of being kept for every transition.
pub(crate) fn find_lines(mut input: impl io::BufRead, wanted: &[(StateId, &[&str], StateId)]) -> Vec<Option<usize>> {
    let mut between: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
    for (at, (source, _, target)) in wanted.iter().enumerate() {
        between.entry((u64::from(source.0), u64::from(target.0))).or_default().push(at);
    }
    let mut found = vec![None; wanted.len()];
    let mut missing = wanted.len();
    let mut raw = Vec::new();
    for number in 1.. {
        raw.clear();
        if missing == 0 || !input.read_until(b'\n', &mut raw).is_ok_and(|read| read > 0) {
            break;
        }
        let Some(t) = line::transition(raw.trim_ascii_end()) else { continue };
        for &at in between.get(&(t.source, t.target)).into_iter().flatten() {
            if found[at].is_none() && wanted[at].1.iter().any(|l| *l == name(t.label)) {
                found[at] = Some(number);
                missing -= 1;
            }
        }
    }
    found
}

/// What a label is called: its text as UTF-8 or, where it is none, as Latin-1.
fn name(label: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(label) {
        Ok(name) => name.into(),
        Err(_) => label.iter().map(|&b| char::from(b)).collect::<String>().into(),
    }
}

/// A transition whose label is numbered within its piece.
type Raw = (u32, u32, u32);

/// What one piece of a block holds.
#[derive(Default)]
struct Piece<'a> {
    transitions: Vec<Raw>,
    names: Vec<&'a [u8]>,
    lines: usize,
    /// Line within the piece, the line, what is wrong.
    faults: Vec<(usize, &'a [u8], line::Fault)>,
    fault_count: usize,
    /// The largest state.
    largest: u32,
}

/// The state of reading one file.
struct Reading<'a> {
    file: &'a str,
    dialect: &'a Dialect,
    labels: &'a mut Labels,
    header: Option<(Header, Place)>,
    transitions: Vec<Transition>,
    /// Highest state that occurs.
    largest: u32,
    lines: usize,
    errors: Vec<Diagnostic>,
    error_count: usize,
    warnings: Vec<Diagnostic>,
}

impl<'a> Reading<'a> {
    fn new(file: &'a str, dialect: &'a Dialect, labels: &'a mut Labels) -> Self {
        let (errors, warnings) = (Vec::new(), Vec::new());
        let (header, transitions) = (None, Vec::new());
        Self { file, dialect, labels, header, transitions, largest: 0, lines: 0, errors, error_count: 0, warnings }
    }

    fn error(&mut self, number: usize, line: &[u8], fault: line::Fault) {
        self.error_count += 1;
        if self.errors.len() < MOST_ERRORS {
            let place = Place::in_line(number, line, fault.span);
            self.errors.push(Diagnostic::error(self.file, fault.message).at(place).help(fault.help));
        }
    }

    /// Takes in a block of whole lines (the last block of a file may lack its line end).
    fn block(&mut self, mut block: &[u8]) {
        while self.header.is_none() && !block.is_empty() && self.error_count == 0 {
            let (first, rest) = split_line(block);
            block = rest;
            self.lines += 1;
            self.head(first);
        }
        let limit = self.header.as_ref().map_or(MOST, |(h, _)| h.states);
        let pieces = cut(block);
        // One piece is the common case of small files: no need to wake the pool.
        let parsed: Vec<Piece> = match pieces.as_slice() {
            [one] => vec![Piece::parse(one, limit)],
            many => many.par_iter().map(|p| Piece::parse(p, limit)).collect(),
        };
        for piece in parsed {
            self.merge(piece);
        }
    }

    /// Looks at a line where the header is expected.
    fn head(&mut self, first: &[u8]) {
        if line::is_empty(first) {
            return;
        }
        let span = first.len() - first.trim_ascii_start().len()..first.trim_ascii_end().len();
        let Some(header) = line::header(first) else {
            return self.error(self.lines, first, line::header_fault(first));
        };
        let mut refuse =
            |message: String, help| self.error(self.lines, first, line::Fault { span: span.clone(), message, help });
        if header.states > MOST || header.transitions > MOST {
            let (n, what) =
                if header.states > MOST { (header.states, "states") } else { (header.transitions, "transitions") };
            refuse(
                format!("the header declares {n} {what}; at most {MOST} are supported"),
                "the header reads `des (INITIAL, TRANSITIONS, STATES)`: correct the number",
            );
        } else if header.initial >= header.states {
            refuse(
                format!("initial state {}, but the header declares {} states", header.initial, header.states),
                "states are numbered from 0: the initial state must be below the number of states",
            );
        }
        self.header = Some((header, Place::in_line(self.lines, first, span)));
    }

    fn merge(&mut self, piece: Piece) {
        for (number, line, fault) in piece.faults {
            self.error(self.lines + number, line, fault);
            self.error_count -= 1;
        }
        self.error_count += piece.fault_count;
        self.lines += piece.lines;
        self.largest = self.largest.max(piece.largest);
        let ids: Vec<LabelId> = piece.names.iter().map(|name| self.label(name)).collect();
        self.transitions.extend(
            piece
                .transitions
                .into_iter()
                .map(|(source, label, target)| Transition::new(source, ids[label as usize], target)),
        );
    }

    fn label(&mut self, label: &[u8]) -> LabelId {
        let name = name(label);
        if matches!(name, Cow::Owned(_)) {
            let message = format!("label `{name}` is not UTF-8; read as Latin-1");
            if !self.warnings.iter().any(|w| w.message == message) && self.warnings.len() < MOST_ERRORS {
                self.warnings.push(Diagnostic::warning(self.file, message));
            }
        }
        if self.dialect.tau.iter().any(|t| *t == name) { LabelId::TAU } else { self.labels.intern(&name) }
    }

    fn finish(mut self) -> Read<Lts> {
        let Some((header, place)) = self.header.take() else {
            if self.errors.is_empty() {
                let error = Diagnostic::error(self.file, "the file is empty");
                self.errors.push(error.help("an .aut file starts with `des (INITIAL, TRANSITIONS, STATES)`"));
            }
            return Err(self.errors);
        };
        if self.error_count > self.errors.len() {
            let more = self.error_count - self.errors.len();
            self.errors.push(Diagnostic::error(self.file, format!("and {more} more errors like these")));
        }
        if self.errors.is_empty() {
            let found = self.transitions.len() as u64;
            if found != header.transitions {
                let less = if found < header.transitions { " (is the file cut off?)" } else { "" };
                let message =
                    format!("the header declares {} transitions, the file has {found}{less}", header.transitions);
                let fixed =
                    format!("if the file is complete, write `des ({}, {found}, {})`", header.initial, header.states);
                self.errors.push(Diagnostic::error(self.file, message).at(place.clone()).help(fixed));
            }
            let mentioned = u64::from(self.largest).max(header.initial) + 1;
            if header.states > mentioned {
                let message =
                    format!("the header declares {} states, but none above {} occurs", header.states, mentioned - 1);
                if header.states - mentioned > UNMENTIONED {
                    let help = format!("write `des ({}, {found}, {mentioned})`", header.initial);
                    self.errors.push(Diagnostic::error(self.file, message).at(place).help(help));
                } else {
                    self.warnings.push(Diagnostic::warning(self.file, message).at(place));
                }
            }
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let lts = Lts::new(StateId(header.initial as u32), header.states as usize, self.transitions);
        Ok((lts, self.warnings))
    }
}

impl<'a> Piece<'a> {
    /// Parses whole lines; states must be below `limit`.
    fn parse(mut text: &'a [u8], limit: u64) -> Self {
        let mut piece = Piece { transitions: Vec::with_capacity(text.len() / 16), ..Piece::default() };
        let mut table: HashTable<u32> = HashTable::new();
        let mut last: u32 = 0;
        while !text.is_empty() {
            let (raw, rest) = split_line(text);
            text = rest;
            piece.lines += 1;
            let Some(t) = line::transition(raw) else {
                if !line::is_empty(raw) {
                    piece.fault(raw, line::transition_fault(raw));
                }
                continue;
            };
            if t.source >= limit || t.target >= limit {
                let state = t.source.max(t.target);
                let at = memchr::memmem::find(raw, state.to_string().as_bytes()).unwrap_or(0);
                piece.fault(
                    raw,
                    line::Fault {
                        span: at..at + state.to_string().len(),
                        message: format!("state {state}, but the header declares {limit} states"),
                        help: "states are numbered from 0: correct the state, or the last number of the header",
                    },
                );
                continue;
            }
            // Runs of one label are common; they skip the table.
            if piece.names.get(last as usize) != Some(&t.label) {
                let names = &mut piece.names;
                last = *table
                    .entry(hash(t.label), |&n| names[n as usize] == t.label, |&n| hash(names[n as usize]))
                    .or_insert_with(|| names.len() as u32)
                    .get();
                if last as usize == piece.names.len() {
                    piece.names.push(t.label);
                }
            }
            piece.largest = piece.largest.max(t.source as u32).max(t.target as u32);
            piece.transitions.push((t.source as u32, last, t.target as u32));
        }
        piece
    }

    fn fault(&mut self, raw: &'a [u8], fault: line::Fault) {
        self.fault_count += 1;
        if self.faults.len() < MOST_ERRORS {
            self.faults.push((self.lines, raw, fault));
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// The first line without its end (`\n` or `\r\n`), and what follows.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match memchr::memchr(b'\n', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &text[text.len()..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// Cuts a block into pieces of about [`PIECE`] bytes that end at line ends.
fn cut(mut block: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while block.len() > PIECE {
        let end = memchr::memchr(b'\n', &block[PIECE..]).map_or(block.len(), |at| PIECE + at + 1);
        pieces.push(&block[..end]);
        block = &block[end..];
    }
    if !block.is_empty() {
        pieces.push(block);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(text: &str) -> (Lts, Labels, Vec<Diagnostic>) {
        let mut labels = Labels::new();
        let (lts, warnings) = read("m.aut", text.as_bytes(), &Dialect::default(), &mut labels).unwrap();
        (lts, labels, warnings)
    }

    fn errors(text: &str) -> Vec<String> {
        let read = read("m.aut", text.as_bytes(), &Dialect::default(), &mut Labels::new());
        read.unwrap_err().iter().map(Diagnostic::headline).collect()
    }

    #[test]
    fn reads_crlf_comments_padding_and_a_missing_final_newline() {
        let (lts, labels, warnings) =
            ok("# made by hand\r\ndes (1, 3, 2)     \r\n\r\n(1, a, 0)\r\n(0,\"a\",1)  \r\n-- x\r\n(0,\"i\",0)");
        assert_eq!((lts.initial(), lts.num_states(), lts.num_transitions()), (StateId(1), 2, 3));
        assert!(lts.has(StateId(0), LabelId::TAU, StateId(0)));
        assert_eq!(labels.len(), 2, "`a` and `\"a\"` are one label");
        assert!(warnings.is_empty());
    }

    #[test]
    fn duplicate_transitions_count_in_the_header_and_collapse() {
        assert_eq!(ok("des (0,2,1)\n(0,a,0)\n(0,a,0)\n").0.num_transitions(), 1);
    }

    #[test]
    fn all_errors_of_a_file_are_reported() {
        let found = errors("des (0,3,2)\n(0,a,5)\n(0,b\n(0,c,1)\n");
        assert_eq!(found[0], "m.aut:2:6: state 5, but the header declares 2 states");
        assert!(found[1].starts_with("m.aut:3:1: only one comma"), "{found:?}");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn lying_headers_are_diagnosed() {
        assert!(
            errors("des (0,2,2)\n(0,a,1)\n")[0]
                .contains("declares 2 transitions, the file has 1 (is the file cut off?)")
        );
        assert!(errors("des (0,1,10000000000)\n(0,a,1)\n")[0].contains("at most 4294967294"));
        assert!(errors("des (0,1,4000000000)\n(0,a,1)\n")[0].contains("none above 1 occurs"));
        assert!(errors("des (5,0,2)\n")[0].contains("initial state 5"));
        assert_eq!(ok("des (0,1,9)\n(0,a,1)\n").2.len(), 1, "a few unmentioned states are a warning");
        assert!(errors("")[0].contains("empty"));
    }

    #[test]
    fn many_errors_are_counted_not_listed() {
        let text = format!("des (0,1,1)\n{}", "junk\n".repeat(100));
        let found = errors(&text);
        assert_eq!(found.len(), MOST_ERRORS + 1);
        assert!(found[MOST_ERRORS].contains("and 80 more"));
    }

    #[test]
    fn blocks_and_pieces_do_not_change_what_is_read() {
        let count = 60_000;
        let mut text = format!("des (0,{count},{count})\n");
        for n in 0..count {
            text += &format!("({n},\"label {}\",{})\n", n % 97, (n * 7) % count);
        }
        assert!(text.len() > 2 * PIECE);
        let (lts, labels, _) = ok(&text);
        assert_eq!((lts.num_transitions(), labels.len()), (count, 98));
        // A reader that hands out few bytes at a time gives the same.
        struct Drip<'a>(&'a [u8]);
        impl io::Read for Drip<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let n = into.len().min(self.0.len()).min(1013);
                into[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let mut again = Labels::new();
        let (dripped, _) = read_from("m.aut", Drip(text.as_bytes()), &Dialect::default(), &mut again).unwrap();
        assert_eq!(dripped, lts);
    }

    #[test]
    fn labels_and_lines_are_found_again() {
        let text = b"des (0,2,2)\n(0, \"b\", 1)\n(1, \"a c\", 0)\n";
        let place = find_label(text, "a c").unwrap();
        assert_eq!((place.line, place.column()), (3, 6));
        let wanted: [(StateId, &[&str], StateId); 2] =
            [(StateId(1), &["a c"], StateId(0)), (StateId(1), &["b"], StateId(0))];
        assert_eq!(find_lines(&text[..], &wanted), [Some(3), None]);
    }

    #[test]
    fn labels_that_are_not_utf8_are_found_again() {
        let text = b"des (0,1,2)\n(0,\"caf\xe9\",1)\n";
        let mut labels = Labels::new();
        let (lts, warnings) = read("x.aut", text, &Dialect::default(), &mut labels).unwrap();
        assert!(warnings[0].message.contains("Latin-1"));
        let t = lts.transitions().next().unwrap();
        let name = labels.name(t.label);
        assert_eq!(find_label(text, name).map(|p| (p.line, p.column())), Some((2, 5)));
        assert_eq!(find_lines(&text[..], &[(t.source, &[name], t.target)]), [Some(2)]);
    }
}
