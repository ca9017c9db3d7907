//! Saved paths and invariants of circuits, by the names of their words, so that they survive another order in the file.

use crate::diag::Diagnostic;
use crate::text::suggest;
use prequel_evidence::set::SavedSet;
use prequel_model::{Aig, Bit, Circuit, Kind, Lit, Word};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `kind` says in the file of a path.
pub const PATH: &str = "circuit-witness";
/// What `kind` says in the file of a certificate.
pub const CERTIFICATE: &str = "circuit-certificate";
/// The version of the layout.
pub const SCHEMA: u32 = 1;

/// The value of each word in a state.
pub(crate) type SavedState = BTreeMap<String, String>;

/// A saved path, or what else a verdict rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The version of the layout.
    pub schema: u32,
    /// A path or a certificate.
    pub kind: String,
    /// What was asked when it was saved.
    pub query: String,
    /// What was answered.
    pub verdict: String,
    /// The states of a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<SavedState>>,
    /// A set that is not left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant: Option<SavedSet>,
}

/// Reads a file; `kind` is what it should be.
pub fn read(file: &str, text: &[u8], kind: &str) -> Result<Saved, Vec<Diagnostic>> {
    let option = if kind == PATH { "--witness" } else { "--certificate" };
    let wrong = |message: String| {
        vec![Diagnostic::error(file, message).help(format!("`prequel check MODEL {option} FILE` saves one"))]
    };
    let saved: Saved = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    if saved.kind != kind {
        return Err(wrong(format!("this is a `{}`, not a `{kind}`", saved.kind)));
    }
    if saved.schema != SCHEMA {
        return Err(wrong(format!("schema {}, but this version reads schema {SCHEMA}", saved.schema)));
    }
    Ok(saved)
}

/// The states of a path as they are saved.
pub fn states(circuit: &Circuit, path: &[Vec<bool>]) -> Vec<SavedState> {
    let state =
        |state: &Vec<bool>| circuit.words.iter().map(|word| (word.name.to_string(), word.shown(state))).collect();
    path.iter().map(state).collect()
}

/// The states of a circuit for saved ones; what is wrong with them is told.
pub fn path(file: &str, saved: &[SavedState], circuit: &Circuit) -> Result<Vec<Vec<bool>>, Vec<Diagnostic>> {
    let wrong = |message: String, help: String| vec![Diagnostic::error(file, message).help(help)];
    let known: FxHashMap<&str, &Word> = circuit.words.iter().map(|word| (&*word.name, word)).collect();
    let one = |(at, saved): (usize, &SavedState)| {
        let mut state = vec![false; circuit.bits as usize];
        for (name, value) in saved {
            let word = known.get(&**name).ok_or_else(|| {
                let help = suggest::help(name, "variables", circuit.words.iter().map(|word| &*word.name));
                wrong(format!("state {at}: the model has no variable `{name}`"), help)
            })?;
            let code = code(word, value).ok_or_else(|| {
                let help = "was it saved for this model?".to_owned();
                wrong(format!("state {at}: `{value}` is no value of `{name}`"), help)
            })?;
            for (place, bit) in word.bits.iter().enumerate() {
                state[bit.0 as usize] = code >> place & 1 == 1;
            }
        }
        match circuit.words.iter().find(|word| !saved.contains_key(&*word.name)) {
            None => Ok(state),
            Some(word) => {
                let help = "was it saved for this model?".to_owned();
                Err(wrong(format!("state {at} says nothing of `{}`", word.name), help))
            }
        }
    };
    saved.iter().enumerate().map(one).collect()
}

/// The code of a value as [`Word::shown`] shows it.
fn code(word: &Word, value: &str) -> Option<u64> {
    let code = match &word.kind {
        Kind::Truth => u64::from(value.parse::<bool>().ok()?),
        Kind::Numbers(first, _) => u64::try_from(value.parse::<i64>().ok()?.checked_sub(*first)?).ok()?,
        Kind::Names(names) => match names.iter().position(|name| **name == *value) {
            Some(code) => code as u64,
            None => value.strip_prefix('#')?.parse().ok()?,
        },
    };
    (code >> word.bits.len().min(63) == 0).then_some(code)
}

/// A set of states of a circuit as it is saved.
pub fn saved_set(circuit: &Circuit, aig: &Aig, set: Lit) -> SavedSet {
    SavedSet::new(aig, set, |input| {
        let bit = Bit::of(input).0;
        let words = circuit.words.iter();
        let found = words.filter_map(|word| Some((word, word.bits.iter().position(|b| *b == bit)?))).next();
        found.map(|(word, place)| (word.name.to_string(), place)).expect("every bit is one of a word")
    })
}

/// The set of states of a circuit for a saved one; what is wrong with it is told.
pub fn set(file: &str, saved: &SavedSet, circuit: &Circuit) -> Result<(Aig, Lit), Vec<Diagnostic>> {
    let wrong = |message: String| {
        let help = "give the model that it was made for";
        vec![Diagnostic::error(file, message).help(help)]
    };
    let known: FxHashMap<&str, &Word> = circuit.words.iter().map(|word| (&*word.name, word)).collect();
    let mut aig = Aig::default();
    let mut inputs = Vec::with_capacity(saved.inputs.len());
    for (name, place) in &saved.inputs {
        let bit = known.get(&**name).and_then(|word| word.bits.get(*place));
        let bit = bit.ok_or_else(|| wrong(format!("the model has no bit {place} of `{name}`")))?;
        inputs.push(aig.input(bit.now()));
    }
    let holds = saved.function(&mut aig, inputs).map_err(|undefined| wrong(undefined.to_string()))?;
    Ok((aig, holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_sets_come_back_as_they_were() {
        let mut circuit = Circuit::default();
        let words = [
            circuit.word("b", Kind::Truth),
            circuit.word("n", Kind::Numbers(-2, 3)),
            circuit.word("at", Kind::Names(["idle", "busy", "late"].map(Into::into).to_vec())),
        ];
        let all: Vec<Vec<bool>> =
            (0..1u32 << circuit.bits).map(|s| (0..circuit.bits).map(|bit| s >> bit & 1 == 1).collect()).collect();
        assert_eq!(path("w", &states(&circuit, &all), &circuit), Ok(all));
        let (one, other) = (circuit.is(&words[1], 3, false), circuit.is(&words[2], 1, false));
        let both = circuit.aig.or(one, !other);
        for f in [both, !both, Lit::TRUE, Lit::FALSE] {
            let (aig, again) = set("c", &saved_set(&circuit, &circuit.aig, f), &circuit).unwrap();
            for state in 0..1u32 << circuit.bits {
                let value = |input: u32| state >> Bit::of(input).0.0 & 1 == 1;
                assert_eq!(aig.values(&[again], value), circuit.aig.values(&[f], value));
            }
        }
    }

    #[test]
    fn what_does_not_fit_the_model_is_told() {
        let mut circuit = Circuit::default();
        circuit.word("n", Kind::Numbers(0, 3));
        let state = |name: &str, value: &str| vec![SavedState::from([(name.to_owned(), value.to_owned())])];
        let told = |saved: &[SavedState]| path("w", saved, &circuit).unwrap_err()[0].headline();
        assert_eq!(told(&state("m", "1")), "w: state 0: the model has no variable `m`");
        assert_eq!(told(&state("n", "4")), "w: state 0: `4` is no value of `n`");
        assert_eq!(told(&[SavedState::new()]), "w: state 0 says nothing of `n`");
        let wild = SavedSet { inputs: vec![("n".into(), 0)], gates: vec![(2, 99)], holds: 4 };
        assert_eq!(
            set("c", &wild, &circuit).unwrap_err()[0].headline(),
            "c: the literal 99 is not defined before it is used"
        );
    }
}
