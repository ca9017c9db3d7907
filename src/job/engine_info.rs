//! Who can answer what.

use crate::engines::engines;
use prequel_engine::otf::Otf;
use prequel_engine::symbolic::Method;
use prequel_engine::{Engine, EngineOption, External};

/// What is known of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineInfo {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The kinds of query that it decides.
    pub queries: &'static [&'static str],
    /// Whether it takes circuits.
    pub takes_circuits: bool,
    /// The program of others that it runs, if it is not ours.
    pub external: Option<External>,
    /// What can be switched.
    pub options: Vec<EngineOption>,
    /// How it goes about it.
    pub technique: Technique,
}

/// How an engine goes about it, as the Model Checking Contest tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// It looks at states one by one.
    Explicit,
    /// Decision diagrams.
    DecisionDiagrams,
    /// A SAT solver.
    Sat,
    /// Both of them.
    SatAndDecisionDiagrams,
}

impl EngineInfo {
    /// All engines, in the order in which `auto` asks them; external ones, which it does not ask, are at the end.
    pub fn all() -> Vec<Self> {
        engines(Otf::default()).iter().map(|engine| Self::of(&**engine)).collect()
    }

    /// The engine of this name.
    pub fn called(name: &str) -> Option<Self> {
        engines(Otf::default()).iter().find(|engine| engine.name() == name).map(|engine| Self::of(&**engine))
    }

    fn of(engine: &dyn Engine) -> Self {
        let technique = match engine.symbolic().map(|symbolic| symbolic.method) {
            None => Technique::Explicit,
            Some(Method::Bdd) => Technique::DecisionDiagrams,
            Some(Method::Bmc | Method::Ic3) => Technique::Sat,
            Some(Method::Itp | Method::Citp | Method::CitpA | Method::CitpPa) => Technique::SatAndDecisionDiagrams,
        };
        Self {
            name: engine.name(),
            about: engine.about(),
            queries: engine.queries(),
            takes_circuits: engine.symbolic().is_some(),
            external: engine.external(),
            options: engine.options(),
            technique,
        }
    }
}
