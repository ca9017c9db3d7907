//! SPIN on a Promela text of the user's own, run as the user would run it, with SPIN's usual optimisations.
//!
//! The text goes through the C preprocessor first, as SPIN itself would send it there: so files that it includes are found, and
//! lines keep their numbers.
//!
//! Without a claim, assertions and end states are looked at. With one, the claim and the assertions on its paths are, and cycles
//! through its accepting states; of several claims one is looked at, the named one or the one that SPIN takes. A claim that is not stutter-invariant, or of which that is not
//! known, is searched without partial-order reduction: SPIN would only warn. So are fair runs, and runs that come to accept or progress
//! labels of processes; statements are not merged for the latter either, since a label may stand where another statement is merged
//! away.

use super::embedded;
use super::report::{Fault, Report};
use super::session::{Build, FILE, Phases, Session};
use super::table::{self, Numbered, Table};
use super::tools::{C, Options, Tools};
use super::trail::Trail;
use super::trail_to_run;
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela::Text;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Endless, EndlessKind, Program, Step, Violation, Witness};

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
    /// SPIN was built without `X`, and a formula of the text uses it.
    #[error(
        "SPIN does not take the model: {0} uses `X`, and this SPIN was built without it (-DNXT); `prequel check` searches by itself, and \
         SPIN takes the text without that formula"
    )]
    Next(String),
    /// It holds C that would be run, and nobody allowed that.
    #[error("{}", .0.headline())]
    Embedded(Box<Diagnostic>),
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

/// A violation that SPIN found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What kind.
    pub fault: Fault,
    trail: Trail,
    /// The transitions of the `pan` that wrote the trail.
    tables: Vec<Table>,
}

/// The claim that SPIN looks at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// As SPIN calls it.
    pub name: String,
    /// The formula that it is made of.
    pub formula: Option<String>,
    /// It is one of several, of which `pan` is told.
    chosen: bool,
}

/// What SPIN says of a text.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What `pan` reports. It found a fault, or its search was whole.
    pub report: Report,
    /// The claim that was looked at.
    pub claim: Option<Claim>,
    /// The names of all claims of the text, the one that SPIN takes by itself first.
    pub claims: Vec<String>,
    /// Whether partial-order reduction was on.
    pub reduced: bool,
    /// What was found.
    pub found: Option<Found>,
    /// Where the time went.
    pub phases: Phases,
}

/// Whether SPIN makes a verifier of a text.
pub fn accepts(source: &Text, tools: &Tools, run: &Run) -> Result<(), Trouble> {
    File::open(source, tools, run)?.generate(false)
}

/// A text in SPIN's hands.
#[derive(Debug)]
pub struct File<'a> {
    session: Session<'a>,
    /// Where C files that the text includes are.
    include: String,
    /// The claim that was asked for.
    wanted: Option<String>,
    /// How SPIN was asked.
    options: Options,
    /// The claim that SPIN looks at, once `spin -a` has told.
    claim: Option<Claim>,
    /// All claims of the text, once `spin -a` has told.
    claims: Vec<String>,
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
        if !ended.success() {
            return Err(Trouble::Rejected(ended.first_words().into()));
        }
        if !source.allow_c {
            let text = session.read(FILE).ok_or_else(|| Trouble::Rejected("the preprocessor wrote nothing".into()))?;
            embedded::find(&source.name, &text).map_or(Ok(()), |found| Err(Trouble::Embedded(Box::new(found))))?;
        }
        let (wanted, options, claim, claims, single) = Default::default();
        Ok(Self { session, include, wanted, options, claim, claims, single })
    }

    /// The text as SPIN sees it.
    pub fn processed(&self) -> String {
        self.session.read(FILE).unwrap_or_default()
    }

    /// Searches for a violation; `claim` names one of several claims.
    pub fn verify(&mut self, options: Options, claim: Option<&str>) -> Result<Verified, Trouble> {
        (self.wanted, self.options) = (claim.map(str::to_owned), options);
        self.search(false)
    }

    /// Runs `pan`; `plain` with each statement a step of its own.
    fn search(&mut self, plain: bool) -> Result<Verified, Trouble> {
        let labels = self.options.endless.filter(|_| self.options.without_claims);
        self.generate(plain || labels.is_some())?;
        let (claim, options) = (self.claim.clone(), self.options);
        let stutters = claim.as_ref().is_none_or(Claim::is_stutter_invariant);
        let fair = options.endless.is_some_and(|endless| endless.fair);
        let options = Options { reduce: options.reduce && stutters && labels.is_none() && !fair, ..options };
        let (definition, mut arguments) = match (&claim, labels.map(|labels| labels.kind)) {
            (_, Some(EndlessKind::NonProgress)) => (Some("-DNP"), vec!["-l", "-A", "-E"]),
            (_, Some(EndlessKind::Accepting)) => (None, vec!["-a", "-A", "-E"]),
            (None, None) => (Some("-DSAFETY"), vec![]),
            (Some(claim), None) if claim.chosen => (None, vec!["-a", "-N", &claim.name]),
            (Some(_), None) => (None, vec!["-a"]),
        };
        arguments.extend(fair.then_some("-f"));
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let build = self.build(options, definition);
        let (report, build) = self.session.search(build, &arguments)?;
        let found = match report.fault {
            Some((fault, _)) => Some(self.found(fault)?),
            None => None,
        };
        let claims = self.claims.clone();
        Ok(Verified { report, claim, claims, reduced: build.reduce, found, phases: self.session.phases })
    }

    /// The steps of our program to what SPIN found.
    pub fn witness(&mut self, program: &Program, found: &Found) -> Result<Witness, Trouble> {
        let numbers = self.numbers(program)?;
        let endless = self.options.endless.unwrap_or(Endless::ACCEPTING);
        let witness = |Found { fault, trail, tables }: &Found| {
            trail_to_run::witness(program, &numbers, tables, trail, *fault, endless)
        };
        let merged = match witness(found) {
            Err(_) if self.claim.is_some() && found.trail.merged => self.search(true)?.found,
            witness => return witness.map_err(Trouble::Lost),
        };
        // The claim does not move between statements that SPIN takes as one; in the program it does.
        let found = merged.ok_or_else(|| Trouble::Lost("without merged statements SPIN finds nothing".into()))?;
        witness(&found).map_err(Trouble::Lost)
    }

    /// The steps of our program that a trail stands for that SPIN wrote some time ago.
    pub fn follow(&mut self, program: &Program, trail: &Trail) -> Result<Vec<Step>, Trouble> {
        self.wanted = program.property.as_ref().map(|property| property.name.to_string());
        let numbers = self.numbers(program)?;
        let (kind, claim) = (program.claim.map(|claim| &numbers[claim as usize]), trail.claim);
        if let (Some(Ok(numbered)), Some(claim)) = (kind, claim)
            && numbered.proctype != claim
        {
            return Err(Trouble::Lost("it was written with another claim".into()));
        }
        let steps = |tables: &[Table]| trail_to_run::steps(program, &numbers, tables, trail).map_err(Trouble::Lost);
        if !trail.merged {
            return steps(self.single.as_deref().unwrap_or_default());
        }
        self.generate(false)?;
        let build = self.build(Options { reduce: false, c: C::Quick, ..self.options }, Some("-DSAFETY"));
        self.session.compile(&build)?;
        let tables = self.tables()?;
        steps(&tables)
    }

    /// A trail for steps of our program, followed by SPIN up to their end and the violation there.
    pub fn trail(&mut self, program: &Program, steps: &[Step], shown: Option<Violation>) -> Result<String, Trouble> {
        self.wanted = program.property.as_ref().map(|property| property.name.to_string());
        let numbers = self.numbers(program)?;
        let (trail, locations) = trail_to_run::trail(program, &numbers, steps, shown).map_err(Trouble::Lost)?;
        let text = trail.to_string();
        self.session.write(TRAIL, text.as_bytes())?;
        let said = self.session.follow(Some(TRAIL))?;
        trail_to_run::follows(&said, trail.steps.len(), &locations, shown).map_err(Trouble::Lost)?;
        Ok(text)
    }

    /// SPIN's numbers for the statements of our program: those of a `pan` in which each is a step of its own.
    fn numbers(&mut self, program: &Program) -> Result<Vec<Result<Numbered, String>>, Trouble> {
        if self.single.is_none() {
            self.generate(true)?;
            let build = self.build(Options { reduce: false, c: C::Quick, ..self.options }, Some("-DSAFETY"));
            self.session.compile(&build)?;
            self.single = Some(self.tables()?);
        }
        let claim = self.claim.as_ref().map(|claim| &*claim.name);
        Ok(table::number(program, self.single.as_deref().unwrap_or_default(), claim))
    }

    /// `spin -a`. Warnings are none of our business here.
    fn generate(&mut self, plain: bool) -> Result<(), Trouble> {
        let ended = self.session.generate(plain)?;
        if !ended.success() {
            if let Some(formula) = with_next(&ended.stdout, &ended.stderr) {
                return Err(Trouble::Next(formula));
            }
            let mut said = ended.stdout.lines().chain(ended.stderr.lines()).map(str::trim);
            let error = said.find(|line| line.contains("rror")).unwrap_or(ended.first_words());
            return Err(Trouble::Rejected(error.trim_start_matches("spin: ").into()));
        }
        // What SPIN writes for a text without claims does not count them.
        let counts = |text: String| text.contains("#define NCLAIMS\t");
        let claims = !self.options.without_claims && self.session.read("pan.h").is_some_and(counts);
        // SPIN would search without any claim, and find nothing wrong.
        if let Some(wanted) = self.wanted.as_ref().filter(|_| !claims && !self.options.without_claims) {
            return Err(Trouble::Rejected(format!("it has no claim `{wanted}`")));
        }
        self.claim = claims.then(|| Claim::of(&ended.stdout, self.wanted.as_deref()));
        self.claims = if claims { Claim::all(&ended.stdout) } else { Vec::new() };
        Ok(())
    }

    fn build(&self, options: Options, definition: Option<&str>) -> Build {
        let Options { reduce, c, .. } = options;
        let own = ["-I".to_owned(), self.include.clone()];
        // Cycles without progress are found by a claim of SPIN's own.
        let unclaimed = self.options.without_claims && definition != Some("-DNP");
        let unclaimed = unclaimed.then(|| "-DNOCLAIM".to_owned());
        let flags = definition.map(str::to_owned).into_iter().chain(unclaimed).chain(own).collect();
        Build { reduce, c, flags, vector: 0 }
    }

    fn tables(&self) -> Result<Vec<Table>, Trouble> {
        Ok(table::read(&self.session.pan(&["-d".into()])?.stdout))
    }

    fn found(&self, fault: Fault) -> Result<Found, Trouble> {
        let nothing = || Why::External(format!("SPIN reports {fault:?}, but wrote no trail"));
        let text = self.session.read(&format!("{FILE}.trail")).ok_or_else(nothing)?;
        let trail = Trail::read(&text).map_err(|line| Trouble::Lost(format!("`{line}` is no line of a trail")))?;
        let trail = if fault == Fault::NonProgressCycle { trail.without_claim() } else { trail };
        Ok(Found { fault, trail, tables: self.tables()? })
    }
}

/// The formula that SPIN stopped at, if that is one with `X`, which most builds of it do not know.
fn with_next(said: &str, complained: &str) -> Option<String> {
    [said, complained].iter().find(|text| text.contains("expected predicate, saw 'X'"))?;
    let formula = said.lines().filter_map(|line| line.strip_prefix("ltl ")?.split_once(": ")).next_back();
    Some(formula.map_or("a formula".into(), |(name, _)| format!("formula `{name}`")))
}

impl Claim {
    /// The claim that `pan` looks at, from what `spin -a` says: the formulas, as in `ltl p: [] ((x==1))`, and among several claims
    /// the one that it `defaults to`, unless another is wanted.
    fn of(said: &str, wanted: Option<&str>) -> Claim {
        let formulas = || said.lines().filter_map(|line| line.strip_prefix("ltl ")?.split_once(": "));
        let default = said.split_once("(defaults to -N ").and_then(|(_, rest)| rest.split(')').next());
        let name = wanted.or(default).or(formulas().next().map(|(name, _)| name)).unwrap_or("never_0");
        let formula = formulas().find(|(other, _)| *other == name).map(|(_, text)| text.to_owned());
        Claim { name: name.into(), formula, chosen: default.is_some() }
    }

    /// The names of all claims, from `the model contains 3 never claims: q, ltl_0, never_0`, the one that `pan` takes by itself first.
    fn all(said: &str) -> Vec<String> {
        let first = Claim::of(said, None).name;
        let listed = said.lines().find_map(|line| line.trim().strip_prefix("the model contains ")?.split_once(": "));
        let others = listed.map_or("", |(_, names)| names).split(", ").map(str::trim);
        let others = others.filter(|name| !name.is_empty() && *name != first).map(str::to_owned);
        std::iter::once(first.clone()).chain(others).collect()
    }

    /// Whether steps that change nothing do not matter: so it is for a formula that does not speak of the next state.
    fn is_stutter_invariant(&self) -> bool {
        let words =
            |formula: &String| formula.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == "X");
        self.formula.as_ref().is_some_and(|formula| !words(formula))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_that_is_not_taken_is_named() {
        let said = "ltl live: <> ((n==3))\nltl steps: [] ((! ((n==1))) || (X ((n==2))))\n";
        let stopped = "tl_spin: expected predicate, saw 'X'\n";
        assert_eq!(with_next(said, stopped).as_deref(), Some("formula `steps`"));
        assert_eq!(with_next("", stopped).as_deref(), Some("a formula"), "a claim of the command line has no name");
        assert_eq!(with_next(said, "tl_spin: unexpected end of line"), None);
    }

    #[test]
    fn the_claim_is_the_one_that_pan_takes() {
        let claim = |said: &str| Claim::of(said, None);
        let formula = |name: &str, text: &str, chosen| Claim { name: name.into(), formula: Some(text.into()), chosen };
        assert_eq!(claim(""), Claim { name: "never_0".into(), formula: None, chosen: false });
        assert_eq!(claim("ltl p: [] ((x==1))\n"), formula("p", "[] ((x==1))", false));
        let several = "ltl q: <> ((g==3))\nltl ltl_0: X ((g<1))\n  the model contains 3 never claims: ltl_0, q, never_0\n  \
            choose which one with ./pan -a -N name (defaults to -N ltl_0)\n";
        assert_eq!(claim(several), formula("ltl_0", "X ((g<1))", true));
        assert_eq!(Claim::of(several, Some("q")), formula("q", "<> ((g==3))", true));
        assert_eq!(Claim::all(several), ["ltl_0", "q", "never_0"]);
        assert_eq!(Claim::all("ltl p: [] ((x==1))\n"), ["p"]);
        assert!(claim("ltl p: [] ((X1==1))\n").is_stutter_invariant());
        assert!(!claim(several).is_stutter_invariant() && !claim("").is_stutter_invariant());
    }
}
