//! Certificates as files.
//!
//! In a file each proof has a field of its own, and all of them may be there or not; in the program there is one proof or none. Between
//! the two stands [`Certificate::try_from`], which says what is wrong with a file that holds two, or another than it says.

use super::proof::{CertifiedNeeds, CertifiedProof, CertifiedStep, Replacement};
use super::steps::SavedSteps;
use super::{Certificate, Rejected};
use crate::proof::Proof;
use crate::set::SavedSet;
use serde::{Deserialize, Serialize};

/// The version of the layout.
pub const SCHEMA: u32 = 1;

/// What `kind` says in a certificate file.
pub const KIND: &str = "certificate";

/// A certificate file: well-formed, which says nothing yet of what it holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CertificateFile {
    schema: u32,
    kind: String,
    model: String,
    query: String,
    /// `true`, `false`, or `unknown` where nothing was decided and only the maps are claimed.
    verdict: String,
    /// What it says that it holds; files of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proof: Option<Proof>,
    replaced: Vec<Replacement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    witness: Option<Vec<CertifiedStep>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    needs: Option<CertifiedNeeds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<Vec<String>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invariant: Option<SavedSet<Option<String>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<SavedSteps>,
}

impl CertificateFile {
    /// The query, as given on the command line.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// The verdict, in its own word.
    pub fn verdict(&self) -> &str {
        &self.verdict
    }

    /// The components that are replaced.
    pub fn replaced(&self) -> impl Iterator<Item = &str> {
        self.replaced.iter().map(|map| &*map.component)
    }

    /// The set of states that it holds.
    pub fn invariant(&self) -> Option<&SavedSet<Option<String>>> {
        self.invariant.as_ref()
    }

    /// What is written.
    pub fn to_json(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("plain data");
        text.push(b'\n');
        text
    }
}

impl From<Certificate> for CertificateFile {
    fn from(certificate: Certificate) -> Self {
        let Certificate { model, query, verdict, proof } = certificate;
        let mut file = Self {
            schema: SCHEMA,
            kind: KIND.into(),
            model,
            query,
            verdict: verdict.map_or_else(|| "unknown".into(), |verdict| verdict.to_string()),
            proof: Some(proof.kind()),
            replaced: Vec::new(),
            witness: None,
            needs: None,
            parts: None,
            invariant: None,
            steps: None,
        };
        match proof {
            CertifiedProof::Witness { steps, needs } => (file.witness, file.needs) = (Some(steps), needs),
            CertifiedProof::Maps(maps) => file.replaced = maps,
            CertifiedProof::Parts(parts) => file.parts = Some(parts),
            CertifiedProof::Invariant(set) => file.invariant = Some(set),
            CertifiedProof::Steps(steps) => file.steps = Some(steps),
            CertifiedProof::Nothing => {}
        }
        file
    }
}

impl TryFrom<CertificateFile> for Certificate {
    type Error = Rejected;

    fn try_from(file: CertificateFile) -> Result<Self, Rejected> {
        let CertificateFile {
            model,
            query,
            verdict,
            proof: claimed,
            replaced,
            witness,
            needs,
            parts,
            invariant,
            steps,
            ..
        } = file;
        let verdict = match &*verdict {
            "true" => Some(true),
            "false" => Some(false),
            "unknown" => None,
            _ => return Err(Rejected::Verdict(verdict)),
        };
        let witness = witness.map(|steps| CertifiedProof::Witness { steps, needs });
        let maps = Some(replaced).filter(|maps| !maps.is_empty()).map(CertifiedProof::Maps);
        let parts = parts.map(CertifiedProof::Parts);
        let (invariant, steps) = (invariant.map(CertifiedProof::Invariant), steps.map(CertifiedProof::Steps));
        let mut held = [witness, parts, invariant, steps, maps].into_iter().flatten();
        let proof = held.next().unwrap_or(CertifiedProof::Nothing);
        if let Some(other) = held.next() {
            return Err(Rejected::Several(proof.kind(), other.kind()));
        }
        match claimed {
            Some(claimed) if claimed != proof.kind() => Err(Rejected::Mislabelled { claimed, held: proof.kind() }),
            _ => Ok(Self { model, query, verdict, proof }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(verdict: &str, rest: &str) -> Result<Certificate, Rejected> {
        let head = r#""schema": 1, "kind": "certificate", "model": "0", "query": "--deadlock-free""#;
        let text = format!(r#"{{{head}, "verdict": "{verdict}", {rest}}}"#);
        serde_json::from_str::<CertificateFile>(&text).unwrap().try_into()
    }

    const MAP: &str = r#"{"component": "a", "class_of": [0], "initial": 0, "edges": []}"#;

    #[test]
    fn each_proof_comes_back_from_its_file() {
        let proofs = [
            r#""replaced": []"#.to_owned(),
            format!(r#""proof": "maps", "replaced": [{MAP}]"#),
            r#""proof": "parts", "replaced": [], "parts": [["a"], []]"#.to_owned(),
            r#""proof": "witness", "replaced": [], "witness": [], "needs": {"components": [], "labels": []}"#
                .to_owned(),
            r#""replaced": [], "invariant": {"inputs": [], "gates": [], "holds": 1}"#.to_owned(),
            r#""replaced": [], "steps": {"shows": "no-word", "labels": ["l", ["a", 1]], "automata": [
                {"hears": [0, 1], "edges": [[0, 1, 1], [1, null, 0]], "marked": [0]},
                {"from": ["a", null, 0], "without": 0, "hears": [], "edges": []}], "last": [1]}"#
                .to_owned(),
        ];
        for proof in proofs {
            let certificate = read("true", &proof).unwrap();
            let again = CertificateFile::from(certificate.clone());
            assert_eq!(Certificate::try_from(again), Ok(certificate), "{proof}");
        }
    }

    #[test]
    fn what_is_no_verdict_is_told() {
        assert_eq!(read("maybe", r#""replaced": []"#).unwrap_err().to_string(), "`maybe` is no verdict");
        assert_eq!(read("unknown", r#""replaced": []"#).unwrap().verdict, None);
    }

    #[test]
    fn a_file_that_holds_something_else_than_it_says_is_rejected() {
        let why = read("true", r#""proof": "invariant", "replaced": []"#).unwrap_err();
        assert_eq!(why.to_string(), "it says that its proof is `invariant`, and what it holds is `none`");
        let why = read("true", &format!(r#""proof": "none", "replaced": [{MAP}]"#)).unwrap_err();
        assert_eq!(why.to_string(), "it says that its proof is `none`, and what it holds is `maps`");
    }

    #[test]
    fn a_file_with_two_proofs_is_rejected() {
        let why = read("true", &format!(r#""proof": "parts", "replaced": [{MAP}], "parts": []"#)).unwrap_err();
        assert_eq!(why.to_string(), "it holds more than one proof: `parts` and `maps`");
    }
}
