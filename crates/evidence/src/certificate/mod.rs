//! Certificates: what a verdict rests on, and whether it does.
//!
//! | the verdict says that | the certificate is | why it is one |
//! | --- | --- | --- |
//! | something is reached | a witness on the network itself | it is replayed |
//! | nothing is reached | classes of the states of components, and the smaller components | see `maps` |
//! | nothing is reached | some of the components | see `parts.rs` |
//! | nothing is reached | a set of global states | see [`super::locations`] |
//! | nothing is reached | small checks, one after the other | see `derivation` |
//! | nothing is reached | empty: a claim | it is none; whoever checks it looks at all states |
//!
//! A certificate is a header and one proof ([`CertifiedProof`]); how files spell it is known to [`CertificateFile`] alone.

mod by_name;
mod check;
mod file;
mod fingerprint;
mod maps;
mod proof;
mod reached;
mod rejected;
mod steps;

pub use super::proof::Proof;
pub use check::{check, check_changed};
pub use file::{CertificateFile, KIND, SCHEMA};
pub use fingerprint::fingerprint;
pub(crate) use maps::replacement_edges;
pub use proof::{CertifiedNeeds, CertifiedProof, CertifiedStep, Replacement};
pub use reached::reached;
pub use rejected::Rejected;
pub use steps::SavedSteps;

use super::checked::Replay;
use prequel_model::{Problem, Query};
use std::rc::Rc;

/// A certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// A number for the network and the query: see [`fingerprint`].
    pub model: String,
    /// The query, as given on the command line.
    pub query: String,
    /// The verdict; none where nothing was decided and only the maps are claimed.
    pub verdict: Option<bool>,
    /// What it rests on.
    pub proof: CertifiedProof,
}

/// How much a check may cost.
#[derive(Clone)]
pub struct Bounds {
    /// States of a smaller network that are looked at.
    pub states: usize,
    /// Asked now and then whether to give up.
    pub stop: Rc<dyn Fn() -> bool>,
}

impl From<usize> for Bounds {
    fn from(states: usize) -> Self {
        Self { states, stop: Rc::new(|| false) }
    }
}

impl Certificate {
    /// The certificate of a verdict, or of maps alone.
    pub fn new(problem: &Problem, query: &str, verdict: impl Into<Option<bool>>, proof: CertifiedProof) -> Self {
        Self { model: fingerprint(problem), query: query.into(), verdict: verdict.into(), proof }
    }

    /// What of it shows its verdict on such a query, whatever it holds.
    pub fn proof_for(&self, query: &Query) -> Proof {
        let held = self.proof.kind();
        let shows = match self.verdict {
            Some(verdict) if verdict == query.witness_shows() => held == Proof::Witness,
            Some(_) => held != Proof::Witness,
            None => held == Proof::Maps,
        };
        if shows { held } else { Proof::None }
    }

    /// Whether what it holds is of use for such a query.
    fn as_labelled(&self, query: &Query) -> Result<(), Rejected> {
        let (claimed, held) = (self.proof.kind(), self.proof_for(query));
        if claimed == held { Ok(()) } else { Err(Rejected::Mislabelled { claimed, held }) }
    }

    /// The file.
    pub fn to_json(&self) -> Vec<u8> {
        CertificateFile::from(self.clone()).to_json()
    }
}

/// A certificate as evidence on a problem.
#[derive(Clone)]
pub struct Certified<'a> {
    /// The network, and what is asked of it.
    pub problem: &'a Problem,
    /// The certificate.
    pub certificate: Certificate,
    /// How much the check may cost.
    pub bounds: Bounds,
}

impl Replay for Certified<'_> {
    /// How many states were looked at.
    type End = usize;
    type Rejected = Rejected;

    fn replay(&self) -> Result<usize, Rejected> {
        check(self.problem, &self.certificate, self.bounds.clone())
    }

    fn shows(&self) -> Option<bool> {
        self.certificate.verdict
    }

    fn proof(&self) -> Proof {
        self.certificate.proof_for(&self.problem.query)
    }
}
