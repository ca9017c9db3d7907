//! Texts with a few things wrong in them, made of valid ones by seeded damage.

use prequel::model::rng::Rng;

/// Pieces that parsers look out for, and some that they do not expect.
const PIECES: [&str; 32] = [
    "(",
    ")",
    ",",
    "\"",
    "\\",
    "des",
    "0",
    "99999999999999999999",
    "-1",
    "1/2",
    "\n",
    "\r\n",
    "\t",
    "\u{4}",
    "\0",
    "||",
    "|[",
    "]|",
    "->",
    "par",
    "end",
    "hide",
    "in",
    "@",
    "!",
    "&",
    "{",
    "}",
    ":",
    "é",
    "*",
    "accept",
];

/// A range of positions within a text.
fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let from = rng.below(length + 1);
    from..(from + rng.below(9)).min(length)
}

/// Words, numbers and blanks as they are; every other byte by itself.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let kind = |b: &u8| {
        if b.is_ascii_alphanumeric() {
            1
        } else if b.is_ascii_whitespace() {
            2
        } else {
            0
        }
    };
    text.chunk_by(|a, b| kind(a) == kind(b) && kind(a) != 0).collect()
}

/// A damaged copy of one of several valid texts.
pub fn damaged(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut text = rng.pick(seeds).clone();
    for _ in 0..rng.between(1, 4) {
        match rng.below(8) {
            0 if !text.is_empty() => {
                let at = rng.below(text.len());
                text[at] ^= 1 << rng.below(8);
            }
            1 => drop(text.drain(range(rng, text.len()))),
            2 => {
                let at = rng.below(text.len() + 1);
                text.splice(at..at, [rng.below(256) as u8]);
            }
            3 => {
                let at = rng.below(text.len() + 1);
                text.splice(at..at, rng.pick(&PIECES).bytes());
            }
            4 => text.truncate(rng.below(text.len() + 1)),
            5 => {
                let other = rng.pick(seeds);
                let tail = &other[rng.below(other.len() + 1)..];
                text.truncate(rng.below(text.len() + 1));
                text.extend_from_slice(tail);
            }
            6 => {
                let twice = text[range(rng, text.len())].to_vec();
                let at = rng.below(text.len() + 1);
                text.splice(at..at, twice);
            }
            _ => {
                let mut parts = tokens(&text);
                if parts.len() > 1 {
                    let (a, b) = (rng.below(parts.len()), rng.below(parts.len()));
                    parts.swap(a, b);
                    text = parts.concat();
                }
            }
        }
    }
    text
}

/// Numbers at which something may end.
#[allow(dead_code)] // for tests of whole files
const NUMBERS: [&str; 12] =
    ["0", "1", "2", "3", "-1", "7", "255", "256", "65536", "2147483647", "4294967296", "18446744073709551616"];

/// A copy of a whole file with a line, a word or a number of it changed, and perhaps damaged besides.
#[allow(dead_code)] // not every test has whole files
pub fn mutant(rng: &mut Rng, text: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..rng.between(1, 2) {
        text = match rng.below(6) {
            0 | 1 => lines(rng, &text),
            2 | 3 => number(rng, &text),
            4 => word(rng, &text),
            _ => {
                let seeds: Vec<Vec<u8>> = others.iter().cloned().chain([text]).collect();
                let last = seeds.len() - 1;
                // Mostly the text itself; the others are there to be cut and joined with it.
                let first = if rng.chance(70) { last } else { 0 };
                damaged(rng, &seeds[first..])
            }
        };
    }
    text
}

/// A line that is gone, there twice, or elsewhere.
fn lines(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let line = lines[rng.below(lines.len())];
    match rng.below(3) {
        0 => drop(lines.remove(rng.below(lines.len()))),
        1 => lines.insert(rng.below(lines.len() + 1), line),
        _ => {
            let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
            lines.swap(a, b);
        }
    }
    lines.join(&b'\n')
}

/// Another number in the place of one.
fn number(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let mut parts = tokens(text);
    let found: Vec<usize> = (0..parts.len()).filter(|&at| parts[at].iter().all(u8::is_ascii_digit)).collect();
    if !found.is_empty() {
        parts[*rng.pick(&found)] = rng.pick(&NUMBERS).as_bytes();
    }
    parts.concat()
}

/// A word in the place of another one.
fn word(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let mut parts = tokens(text);
    let found: Vec<usize> = (0..parts.len()).filter(|&at| parts[at][0].is_ascii_alphabetic()).collect();
    if !found.is_empty() {
        parts[*rng.pick(&found)] = parts[*rng.pick(&found)];
    }
    parts.concat()
}
