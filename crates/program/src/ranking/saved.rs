//! Ranks as a file.

use crate::data::Program;
use prequel_formats::diag::Diagnostic;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// What `kind` says in the file.
pub const KIND: &str = "program-certificate";
/// The version of the layout.
const SCHEMA: u32 = 1;
/// Ranks that a file may stand for, however often it repeats one.
const MOST_STATES: usize = 1 << 28;

/// A certificate as it is saved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRanking {
    schema: u32,
    kind: String,
    /// What was asked, in words.
    pub query: String,
    /// The option that asks it; none for what the model states.
    pub question: Option<String>,
    /// The claim, if it is about one.
    pub claim: Option<String>,
    /// Whether only runs count that are fair to every process.
    pub fair: bool,
    /// Which program it is about, its claim included.
    pub program: String,
    /// The ranks with blanks between them; `3*20` is twenty times 3.
    ranks: String,
}

impl SavedRanking {
    /// Of ranks.
    pub fn new(
        query: String,
        question: Option<String>,
        claim: Option<String>,
        fair: bool,
        program: &Program,
        ranks: &[u32],
    ) -> Self {
        let mut text = String::new();
        for same in ranks.chunk_by(|a, b| a == b) {
            let blank = if text.is_empty() { "" } else { " " };
            let _ = match same.len() {
                1 => write!(text, "{blank}{}", same[0]),
                count => write!(text, "{blank}{}*{count}", same[0]),
            };
        }
        let (schema, kind, program) = (SCHEMA, KIND.to_owned(), fingerprint(program));
        Self { schema, kind, query, question, claim, fair, program, ranks: text }
    }

    /// The file.
    pub fn text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("plain data prints");
        text.push(b'\n');
        text
    }

    /// The ranks, or what is wrong with them.
    pub fn ranks(&self) -> Result<Vec<u32>, String> {
        let mut ranks = Vec::new();
        for word in self.ranks.split_ascii_whitespace() {
            let (rank, count) = word.split_once('*').unwrap_or((word, "1"));
            let read = rank.parse::<u32>().ok().zip(count.parse::<usize>().ok());
            let (rank, count) = read.ok_or_else(|| format!("`{word}` is no rank"))?;
            if count > MOST_STATES - ranks.len() {
                return Err(format!("more than {MOST_STATES} states have a rank"));
            }
            ranks.resize(ranks.len() + count, rank);
        }
        Ok(ranks)
    }
}

/// Reads a certificate.
pub fn read(file: &str, text: &[u8]) -> Result<SavedRanking, Vec<Diagnostic>> {
    let wrong = |message: String| {
        vec![Diagnostic::error(file, message).help("`prequel check MODEL.pml --ltl NAME --certificate FILE` saves one")]
    };
    let saved: serde_json::Value = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    match saved["kind"].as_str() {
        Some(KIND) => {}
        Some(kind) => return Err(wrong(format!("this is a `{kind}`, not a `{KIND}`"))),
        None => return Err(wrong(format!("it does not say that it is a `{KIND}`"))),
    }
    let saved: SavedRanking = serde_json::from_value(saved).map_err(|error| wrong(error.to_string()))?;
    if saved.schema != SCHEMA {
        return Err(wrong(format!("schema {}, but this version reads schema {SCHEMA}", saved.schema)));
    }
    Ok(saved)
}

/// A number for what a program means, wherever its text stands: FNV-1a in 128 bits. It tells one model from another by mistake, not
/// by malice: ranks are looked at in any case.
pub fn fingerprint(program: &Program) -> String {
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    let Program { globals, initial, channel_types, channels, proctypes, active, claim, .. } = program;
    let Program { watches_standstill, priorities, senders_last, trace, labels, last, .. } = program;
    let data = (globals, initial, channel_types, channels, proctypes, active, claim);
    let more = (watches_standstill, priorities, senders_last, trace, labels, last, program.has_formula());
    write!(hash, "{data:?} {more:?}").expect("a number takes everything");
    format!("{:032x}", hash.0)
}

struct Fnv(u128);

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        Ok(())
    }
}
