//! What a check comes to: the answer, and what shows that it is right.

use super::finding::Finding;
use super::witness::Witness;
use prequel_evidence::Verdict;
use prequel_formats::picture::page::Source;
use prequel_formats::promela::Text;

/// An answer with what shows it.
#[derive(Debug)]
pub struct Decision {
    /// The answer.
    pub finding: Finding,
    /// A run that shows it, replayed, where there is one.
    pub witness: Option<Witness>,
    /// What the verdict rests on, where that was asked for and there is a verdict.
    pub certificate: Option<SavedCertificate>,
    /// The text of a Promela model, which trails are about.
    pub text: Option<Text>,
    /// What a program was read from.
    pub sources: Vec<Source>,
    /// The answers to each of several questions, where there were several.
    pub parts: Vec<Decision>,
}

/// A certificate in its written form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedCertificate {
    text: Vec<u8>,
    verdict: Option<Verdict>,
}

impl SavedCertificate {
    /// One that holds evidence, and what that shows once it was checked.
    pub(super) fn proved(text: Vec<u8>, verdict: Verdict) -> Self {
        Self { text, verdict: Some(verdict) }
    }

    /// One that only says what the verdict is.
    pub(super) fn claim(text: Vec<u8>) -> Self {
        Self { text, verdict: None }
    }

    /// The contents of the file.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What it shows, where it holds evidence, which was checked, and not a claim only.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }
}

impl Decision {
    /// An answer and the run that shows it, if one does.
    pub fn new(finding: Finding, witness: Option<impl Into<Witness>>) -> Self {
        Self {
            finding,
            witness: witness.map(Into::into),
            certificate: None,
            text: None,
            sources: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// An answer that no run shows.
    pub fn bare(finding: Finding) -> Self {
        Self::new(finding, None::<Witness>)
    }
}
