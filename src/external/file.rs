//! SPIN on a Promela text of the user's own, run as the user would run it, with SPIN's usual optimisations.
//!
//! The text goes through the C preprocessor first, as SPIN itself would send it there: so files that it includes are found, and
//! lines keep their numbers. What `pan` searches depends on the claims:
//!
//! | the text has | searches |
//! | --- | --- |
//! | no claim | assertions and end states |
//! | a `never` claim | that claim, with the assertions on its paths, as SPIN does |
//! | `ltl` formulas | assertions and end states, then each formula |
//!
//! A claim that is not stutter-invariant, or of which we do not know, is searched without partial-order reduction: SPIN only warns.

use super::report::{Fault, Report};
use super::session::{Build, FILE, Phases, Session};
use super::spin::{Options, Tools};
use super::steps;
use super::table::{self, Kind, Numbered, Table};
use super::trail::Trail;
use crate::engine::run::Run;
use crate::model::Why;
use crate::program::{Program, Step, Violation, Witness};
use crate::read::promela::Text;

/// What the text is called before the preprocessor has seen it.
const UNPROCESSED: &str = "model.c";
/// What a trail of ours is called in the folder.
const TRAIL: &str = "ours.trail";

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trouble {
    /// SPIN does not take the text.
    #[error("SPIN does not take the model: {0}")]
    Rejected(String),
    /// A limit, or a search that was not whole.
    #[error("{0}")]
    Undecided(Why),
    /// SPIN's steps and ours do not fit together.
    #[error("SPIN's steps and ours do not fit together: {0}")]
    Lost(String),
}

impl From<Why> for Trouble {
    fn from(why: Why) -> Self {
        Trouble::Undecided(why)
    }
}

/// A search.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The claim or formula; none for assertions and end states.
    pub claim: Option<String>,
    /// What `pan` says.
    pub report: Report,
    /// Whether partial-order reduction was on.
    pub reduced: bool,
}

/// A violation that SPIN found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What kind.
    pub fault: Fault,
    /// Of which claim or formula.
    pub claim: Option<String>,
    trail: Trail,
    /// The transitions of the `pan` that wrote the trail.
    tables: Vec<Table>,
}

/// What SPIN says of a text.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The searches, in order. Each was whole, but for one that found a violation.
    pub passes: Vec<Pass>,
    /// What the last of them found.
    pub found: Option<Found>,
    /// Where the time went.
    pub phases: Phases,
}

/// A text in SPIN's hands.
#[derive(Debug)]
pub struct File<'a> {
    session: Session<'a>,
    /// Where C files that the text includes are.
    include: String,
    /// The transitions of a `pan` in which each statement is a step of its own.
    single: Option<Vec<Table>>,
}

impl<'a> File<'a> {
    /// Runs the preprocessor.
    pub fn open(source: &Text, tools: &'a Tools, run: &'a Run) -> Result<Self, Trouble> {
        let mut session = Session::open(tools, run)?;
        let folder = if source.folder.as_os_str().is_empty() { "." } else { &*source.folder.to_string_lossy() };
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        let name = source.name.replace('\\', "\\\\").replace('"', "\\\"");
        let mut text = format!("#line 1 \"{name}\"\n").into_bytes();
        text.extend(&source.bytes);
        session.write(UNPROCESSED, &text)?;
        let include = folder.to_string_lossy().into_owned();
        let mut arguments = vec!["-iquote".into(), include.clone(), "-o".into(), FILE.into()];
        arguments.extend(source.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
        arguments.push(UNPROCESSED.into());
        let ended = session.preprocess(&arguments)?;
        if !ended.success {
            return Err(Trouble::Rejected(ended.first_words().into()));
        }
        Ok(Self { session, include, single: None })
    }

    /// Searches. Stops at the first violation.
    pub fn verify(&mut self, options: Options) -> Result<Verified, Trouble> {
        let said = self.generate(false)?;
        let formulas = formulas(&said);
        let mut verified = Verified { passes: Vec::new(), found: None, phases: Phases::default() };
        // What SPIN writes for a text without claims does not count them.
        let has_claim = self.session.read("pan.h").is_some_and(|text| text.contains("#define NCLAIMS\t"));
        let mut searches = Vec::new();
        if has_claim {
            let build = self.build(options, &[]);
            self.session.compile(&build)?;
            let of_formula = |name: &String| formulas.iter().any(|(formula, _)| formula == name);
            let claims: Vec<String> = self.tables()?.into_iter().filter_map(Table::claim).collect();
            if claims.iter().all(of_formula) {
                searches.push((None, self.build(options, &["-DSAFETY", "-DNOCLAIM"])));
            }
            for claim in claims {
                let invariant = formulas.iter().any(|(name, text)| *name == claim && !has_next(text));
                searches.push((Some(claim), Build { reduce: options.reduce && invariant, ..build.clone() }));
            }
        } else {
            searches.push((None, self.build(options, &["-DSAFETY"])));
        }
        for (claim, build) in searches {
            let arguments = claim.iter().flat_map(|name| ["-a".into(), "-N".into(), name.clone()]);
            let (report, build) = self.session.search(build, &arguments.collect::<Vec<_>>())?;
            if let Some((fault, _)) = report.fault {
                verified.found = Some(self.found(fault, claim.clone())?);
            }
            verified.passes.push(Pass { claim, report, reduced: build.reduce });
            if verified.found.is_some() {
                break;
            }
        }
        verified.phases = self.session.phases;
        Ok(verified)
    }

    /// The steps of our program to what SPIN found.
    pub fn witness(&mut self, program: &Program, found: &Found) -> Result<Witness, Trouble> {
        let numbers = self.numbers(program)?;
        steps::witness(program, &numbers, &found.tables, &found.trail, found.fault).map_err(Trouble::Lost)
    }

    /// A trail for steps of our program, followed by SPIN up to their end and the violation there.
    pub fn trail(&mut self, program: &Program, steps: &[Step], shown: Option<Violation>) -> Result<String, Trouble> {
        let numbers = self.numbers(program)?;
        let (trail, locations) = steps::trail(program, &numbers, steps).map_err(Trouble::Lost)?;
        let text = trail.to_string();
        self.session.write(TRAIL, text.as_bytes())?;
        let said = self.session.follow(Some(TRAIL))?;
        steps::follows(&said, trail.steps.len(), &locations, shown).map_err(Trouble::Lost)?;
        Ok(text)
    }

    /// SPIN's numbers for the statements of our program: those of a `pan` in which each is a step of its own.
    fn numbers(&mut self, program: &Program) -> Result<Vec<Result<Numbered, String>>, Trouble> {
        if self.single.is_none() {
            self.generate(true)?;
            let build = self.build(Options { reduce: false, optimise: false }, &["-DSAFETY"]);
            self.session.compile(&build)?;
            self.single = Some(self.tables()?);
        }
        Ok(table::number(program, self.single.as_deref().unwrap_or_default()))
    }

    /// `spin -a`; gives what it said. Warnings are none of our business here.
    fn generate(&mut self, plain: bool) -> Result<String, Trouble> {
        let ended = self.session.generate(plain)?;
        if !ended.success || self.session.read("pan.t").is_none() {
            let said = ended.stdout.lines().chain(ended.stderr.lines());
            let error = said.map(str::trim).find(|line| line.contains("rror")).unwrap_or(ended.first_words());
            return Err(Trouble::Rejected(error.trim_start_matches("spin: ").into()));
        }
        Ok(ended.stdout)
    }

    fn build(&self, options: Options, definitions: &[&str]) -> Build {
        let Options { reduce, optimise } = options;
        let own = ["-I".to_owned(), self.include.clone()];
        let flags = definitions.iter().map(|&flag| flag.to_owned()).chain(own).collect();
        Build { reduce, optimise, flags, vector: 0 }
    }

    fn tables(&self) -> Result<Vec<Table>, Trouble> {
        Ok(table::read(&self.session.pan(&["-d".into()])?.stdout))
    }

    fn found(&self, fault: Fault, claim: Option<String>) -> Result<Found, Trouble> {
        let nothing = || Why::External(format!("SPIN reports {fault:?}, but wrote no trail"));
        let text = self.session.read(&format!("{FILE}.trail")).ok_or_else(nothing)?;
        let trail = Trail::read(&text).map_err(|line| Trouble::Lost(format!("`{line}` is no line of a trail")))?;
        Ok(Found { fault, claim, trail, tables: self.tables()? })
    }
}

impl Table {
    fn claim(self) -> Option<String> {
        if let Kind::Claim(name) = self.kind { Some(name) } else { None }
    }
}

/// The formulas, by name, from what `spin -a` says: `ltl p1: [] (<> ((x==1)))`.
fn formulas(said: &str) -> Vec<(String, String)> {
    let formula = |line: &str| {
        let (name, text) = line.strip_prefix("ltl ")?.split_once(": ")?;
        Some((name.to_owned(), text.to_owned()))
    };
    said.lines().filter_map(formula).collect()
}

/// Whether a formula speaks of the next state.
fn has_next(formula: &str) -> bool {
    formula.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == "X")
}
