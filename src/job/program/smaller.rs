//! A Promela model with smaller processes: what it states keeps its verdict, and the rest of the text stays the user's.

use super::network::components_within;
use super::{ProgramWitness, rejected, violated};
use crate::job::failure::Failure;
use crate::job::finding::ProcessChange;
use crate::job::observer::Observer;
use crate::open::{ProgramFile, PromelaSource};
use prequel_engine::Refusal;
use prequel_engine::transform::quotient::Options;
use prequel_engine::transform::together::{Plan, Together, together};
use prequel_engine::transform::{NotLifted, Stop};
use prequel_formats::promela;
use prequel_model::run::Run;
use prequel_model::{ComponentId, Lts, Network, Origin, Query};
use prequel_program::components::{Components, Limits, Part};
use prequel_program::{Claim, Program, Shown, Stated, Violation, Witness, compile};
use prequel_spin::replace::{Original, Replaced as Text, Source};

/// Which processes are replaced, and how far that goes.
#[derive(Clone, Debug)]
pub struct ReplacePlan {
    /// These; all of them where the list is empty.
    pub replace: Vec<String>,
    /// Whether they become quotients, or are only minimised.
    pub quotients: bool,
    /// When to stop refining.
    pub options: Options,
    /// Whether the text has to stand in another folder, without what it includes.
    pub alone: bool,
    /// Whether a program of which that takes long is not put into components.
    pub quick: bool,
}

/// What refining may cost where it has to be done in some hundredths of a second.
pub const QUICK_EFFORT: u64 = 50_000;

/// What is put into components in some hundredths of a second.
const QUICK: Limits<'static> = Limits {
    states: 5_000,
    values: 1_000,
    labels: 20_000,
    transitions: 100_000,
    paths: 100_000,
    looks: 1 << 22,
    watch: None,
};

/// A model with smaller processes, and the way back from it.
pub struct SmallerModel {
    program: Program,
    split: Components,
    together: Together,
    text: Text,
    source: promela::Text,
    /// The query each kind of violation is about.
    queries: Vec<Query>,
}

impl SmallerModel {
    /// Replaces processes as long as that makes them smaller. Assertions and end states keep their verdicts; claims and formulas
    /// are no part of what comes out.
    pub fn new(
        promela: &ProgramFile,
        wanted: &ReplacePlan,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<Self, Failure> {
        let program = promela.without_claim()?;
        let source =
            promela.source().ok_or_else(|| Refusal::new("only a Promela model is written with smaller processes"))?;
        Self::of(program, source, wanted, run, observer)
    }

    /// The same of a text and the program that it means, without claims.
    pub fn of(
        program: Program,
        source: &PromelaSource,
        wanted: &ReplacePlan,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<Self, Failure> {
        let limits = if wanted.quick { QUICK } else { Limits::default() };
        let split = components_within(&program, limits, run).map_err(Failure::Unsuitable)?;
        let (source, read) = (source.text.clone(), source.model.clone());
        let slots = slots(&split, &wanted.replace)?;
        let queries = vec![split.end_states().query, split.assertions().query];
        let slot = |component: ComponentId| match split.part(component) {
            Part::Slot(slot) => slot,
            Part::Cell(_) | Part::Channel(_) => unreachable!("only processes are replaced"),
        };
        let promela::Text { name, bytes, folder, defines, .. } = &source;
        let given = Source { file: name, text: bytes, dir: folder, defines, alone: wanted.alone };
        let original = Original::new(given, read);
        let write = |replacements: &[(u32, Lts)]| original.attempt(&program, &split, replacements);
        let accept = |component: ComponentId, lts: &Lts| match write(&[(slot(component), lts.clone())]) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(refusal.diagnostic(&program).message),
        };
        let (quotients, options) = (wanted.quotients, wanted.options);
        let plan = Plan { components: &slots, minimise: true, quotients, options, accept: &accept };
        let together =
            observer.during(run, "quotient", || together(&split.network, &queries, &plan, run)).map_err(stopped)?;
        let changed = together.replaced.iter().filter(|replaced| together.changed(replaced.component));
        let replacements: Vec<(u32, Lts)> =
            changed.map(|r| (slot(r.component), together.network.component(r.component).lts.clone())).collect();
        let text = write(&replacements).map_err(|refusal| Failure::Unsuitable(vec![refusal.diagnostic(&program)]))?;
        Ok(Self { program, split, together, text, source, queries })
    }

    /// The smaller model, for SPIN: it stands where the user's does, for what it includes.
    pub fn model(&self) -> promela::Text {
        promela::Text { bytes: self.text.text.clone(), defines: Vec::new(), ..self.source.clone() }
    }

    /// What became of each process.
    pub fn changes(&self) -> Vec<ProcessChange> {
        ProcessChange::all(&self.split.network, &self.together.network, &self.together.replaced)
    }

    /// Whether any process became smaller.
    pub fn is_smaller(&self) -> bool {
        self.together.replaced.iter().any(|replaced| self.together.changed(replaced.component))
    }

    /// Whether the user's text had to be preprocessed as a whole.
    pub fn preprocessed(&self) -> bool {
        self.text.preprocessed
    }

    /// What of the user's text says something that is not kept, and so is not there any more.
    pub fn left_out(promela: &ProgramFile) -> Vec<Stated> {
        let kept = |part: &&Stated| matches!(part, Stated::Assertions | Stated::EndStates);
        promela.stated.iter().filter(|part| !kept(part)).cloned().collect()
    }

    /// The components before and after, and what was done to each.
    pub fn replaced(&self) -> (&Network, &Together) {
        (&self.split.network, &self.together)
    }

    /// What the states of components are called.
    pub fn origin(&self) -> &Origin {
        &self.split.origin
    }

    /// The smaller model as we read it, and the program that it means.
    pub fn emitted(&self) -> Result<(&promela::syntax::Model, Program), Failure> {
        let (program, _) = compile(&self.text.model, Claim::None)?;
        Ok((&self.text.model, program))
    }

    /// The run of the user's model that a run of the smaller one stands for, replayed.
    pub fn lift(&self, emitted: &Program, witness: &Witness) -> Result<ProgramWitness, Failure> {
        let lost = |what: &str| rejected(format!("a run of the smaller model does not come back: {what}"));
        let trace = self.text.trace(&self.program, &self.split, emitted, witness);
        let trace = trace.ok_or_else(|| lost("it is no trace of its network"))?;
        let stuck = witness.violation == Violation::EndState;
        let wanted = |query: &Query| matches!(query, Query::DeadlockFree) == stuck;
        let query = self.queries.iter().position(wanted).ok_or_else(|| lost("nothing like this was asked"))?;
        let trace = self.together.lift(query, &trace).map_err(|e: NotLifted| lost(&e.to_string()))?;
        let lifted = self.split.lift(&self.program, &trace);
        match lifted.ok_or_else(|| lost("its trace is no run of the program"))? {
            (steps, Some(Shown::Violation(violation))) => violated(self.program.clone(), Witness { steps, violation }),
            _ => Err(lost("the program does nothing wrong at its end")),
        }
    }
}

/// The processes that may be replaced, those with most states first.
fn slots(split: &Components, wanted: &[String]) -> Result<Vec<ComponentId>, Failure> {
    let network = &split.network;
    let is_process = |c: &ComponentId| matches!(split.part(*c), Part::Slot(_));
    let processes = || network.ids().filter(is_process);
    if wanted.is_empty() {
        let mut slots: Vec<ComponentId> = processes().collect();
        slots.sort_by_key(|&c| (std::cmp::Reverse(network.component(c).lts.num_states()), c));
        return Ok(slots);
    }
    let named = |name: &String| {
        let found = processes().find(|&c| *network.component(c).name == **name);
        found.ok_or_else(|| {
            let names: Vec<&str> = processes().take(20).map(|c| &*network.component(c).name).collect();
            let help = format!("processes are {}", names.join(", "));
            Failure::input("--replace", format!("no process is called `{name}`"), help)
        })
    };
    wanted.iter().map(named).collect()
}

fn stopped(stop: Stop) -> Failure {
    match stop {
        Stop::Refused(why) => why.into(),
        Stop::Limit(why) => Failure::Undecided(format!("nothing is smaller yet: {why}"), why),
        Stop::Broken(why) => Failure::Internal(why.to_string()),
    }
}
