//! `prequel check`: decides a query, replays and prints the witness.

use super::audit;
use super::choice::EngineArgs;
use super::circuit;
use super::des;
use super::evidence::{EvidenceArgs, Made};
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{ModelArgs, QueryArgs, no_network};
use super::limits::LimitArgs;
use super::net;
use super::output::{NO_ANSWER, Output, counted, print, write_files};
use super::program;
use super::progress;
use super::reduce;
use super::report::{self, Answered, Kept, Verdict};
use super::scope::Scope;
use super::spin::BeforeArgs;
use super::watchdog;
use super::witness::{NetworkWitness, Shown};
use crate::open::{CircuitFile, Model, NetFile};
use prequel_engine::algo::trapped::trapped;
use prequel_engine::transform::Stop;
use prequel_engine::{Engine, Refusal};
use prequel_evidence as evidence;
use prequel_evidence::certificate::{Certificate, Proof, Rejected};
use prequel_formats::formula::Formula;
use prequel_formats::promela::Text;
use prequel_model::run::{Needs, Run};
use prequel_model::{Answer, Evidence, Origin, Problem, Query, StateId, Trace, Why};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// States after a blocking one that are looked at to tell what can still happen.
const MOST_TRAPPED: u64 = 1 << 12;

/// Decides the query, prints the verdict, replays and prints the witness
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel check phil*.aut fork*.aut --deadlock-free
  prequel check net.exp --reach 'phil0@2 & phil2@2' --witness w.json
  prequel check abp.exp --pattern 'precedes(send, recv)' --chart=w.svg
  prequel check mutex.pml                                  what the model states
  prequel check model.dve --reach 'P_0.CS and P_1.CS'      a DVE expression over variables and states
  prequel check net.pnml --reach 'p1 + p2 >= 2'            tokens of a Petri net
  prequel check net.pnml ReachabilityCardinality.xml --format mcc
  prequel check plant.wmod                                 nonblocking, as Supremica asks it
  prequel check plant.wmod --controllable
  prequel check counter.smv                                the invariants that it states
  prequel check counter.aig --engine bdd --certificate c.json
  prequel check net.exp --deadlock-free --engine citp-pa --certificate c.json
  prequel check mutex.pml --reach 'inside == 2 & user@cs'  a Promela expression over globals and labels
  prequel check big.exp --monitor bad.aut --time 60s --memory 4G --threads 2 --json

Exit: 0 true, 1 false, 2 unknown, 3 bad input, 4 evidence rejected, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    engine: EngineArgs,
    /// Search a Promela program as SPIN does by default: unused variables reset, unnoticed steps merged
    #[arg(long, help_heading = "Engine")]
    optimise: bool,
    /// Put a Promela program or Petri net into components first, also where the engine could run it as it is
    #[arg(long, help_heading = "Engine")]
    as_network: bool,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    evidence: EvidenceArgs,
    /// Save what the verdict rests on, for `prequel audit`
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    certificate: Option<PathBuf>,
    /// What `prequel spin` does first.
    #[arg(skip)]
    before: Option<BeforeArgs>,
    /// Form of the answer on standard output
    #[arg(long, value_enum, default_value_t = Form::Text, help_heading = "Output")]
    format: Form,
}

/// The form of the answer.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// For people, with the RESULT line at the end
    Text,
    /// As the Model Checking Contest prints it
    Mcc,
}

impl Args {
    /// What `prequel spin` asks.
    pub fn with_spin(
        model: ModelArgs,
        query: QueryArgs,
        no_por: bool,
        limits: LimitArgs,
        evidence: EvidenceArgs,
        before: Option<BeforeArgs>,
    ) -> Self {
        let engine = EngineArgs::spin(no_por);
        let (optimise, as_network, certificate, format) = (false, false, None, Form::Text);
        Self { model, query, engine, optimise, as_network, limits, evidence, certificate, format, before }
    }

    /// The last line on standard output where there is no answer at all.
    pub fn no_answer(&self) -> String {
        if self.format == Form::Mcc { report::cannot_compute(&self.model) } else { NO_ANSWER.into() }
    }
}

impl Args {
    /// The same where a limit was reached before: then it is the engine that was asked for that has no answer.
    pub fn stopped(&self) -> String {
        let none = if self.engine.name == "auto" { "none" } else { &self.engine.name };
        self.no_answer().replace("engine=none", &format!("engine={none}"))
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    args.engine.named()?;
    let trail = args.evidence.trail(&args.model)?;
    let places = Places::default().read(&args.model.models).read(args.query.files());
    places.written(args.evidence.files(trail.as_ref())).written(&args.certificate).apart()?;
    let run = args.limits.start();
    let mut asked = args.model.clone();
    asked.reading.optimise = args.optimise;
    // Of a model that only SPIN reads it can only be asked what it states by itself.
    let by_itself = args.query.text().is_none() && asked.reading.ltl.is_none();
    let model = match asked.read(&run, output) {
        Err(Failure::Input(errors)) if args.engine.name == "spin" && by_itself => {
            let Some(text) = args.model.reading.promela_text(&args.model.models) else { return Err(errors.into()) };
            let answered = program::unread(&text, errors, &run, output)?;
            return publish(args, &answered, None, Some(&text), None, &run, output);
        }
        read => read?,
    };
    match model {
        Model::Network(network, origin) => {
            let asked = args.query.ask((network, origin), &args.model.reading, output)?;
            network_answer(args, asked, true, &run, output)
        }
        Model::Des(des) => {
            let asked = des::question(&des, &args.query, &args.model.reading, output)?;
            network_answer(args, asked, des.without_start().is_none(), &run, output)
        }
        // Certificates and reductions are those of the network.
        Model::Net(file) if args.certificate.is_some() || args.before.is_some() => {
            let asked = net::problem(&file, &args.query, &args.model.reading, &run, output)?;
            network_answer(args, asked, true, &run, output)
        }
        Model::Net(file) => net_answer(args, &file, &run, output),
        Model::Circuit(file) if args.before.is_some() => Err(no_network(&file)),
        Model::Circuit(file) => circuit_answer(args, &file, &run, output),
        Model::Program(_) if args.certificate.is_some() => {
            Err(Refusal::new("certificates are for networks: `prequel convert` makes one of a Promela model").into())
        }
        Model::Program(_) if args.before.as_ref().is_some_and(|b| b.reduction.method != reduce::Method::Quotient) => {
            let why = "a Promela model keeps its text by quotients only: `prequel reduce` writes it as a network";
            Err(Refusal::new(why).into())
        }
        Model::Program(promela) => {
            if args.optimise && promela.program.claim.is_some() {
                output.note("not optimised: the claim of this model moves with every statement");
            }
            let asked = program::Asked {
                promela: &promela,
                query: &args.query,
                reading: &args.model.reading,
                engine: &args.engine,
                as_network: args.as_network,
                before: args.before.as_ref().map(|before| program::Before {
                    wanted: program::Wanted {
                        replace: &before.reduction.replace,
                        quotients: true,
                        options: before.options(),
                        alone: false,
                    },
                    compare: before.compare,
                    race: before.race,
                }),
            };
            let (answered, shown) = program::answer(&asked, &run, output)?;
            publish(
                args,
                &answered,
                shown.as_ref().map(|s| s as &dyn Shown),
                promela.source().as_ref(),
                None,
                &run,
                output,
            )
        }
    }
}

fn circuit_answer(args: &Args, file: &CircuitFile, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let question = circuit::question(file, &args.query)?;
    let told = circuit::answer(&question, &args.engine, run, output)?;
    let certificate = match &args.certificate {
        Some(path) => circuit::certificate(&question, &told, run)?.map(|text| (path.clone(), text, true)),
        None => None,
    };
    let shown = told.shown.as_ref().map(|shown| shown as &dyn Shown);
    publish(args, &told.answered, shown, None, certificate, run, output)
}

fn net_answer(args: &Args, file: &NetFile, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let asked = net::Asked {
        file,
        query: &args.query,
        reading: &args.model.reading,
        engine: &args.engine,
        as_network: args.as_network,
    };
    let (answered, shown) = match net::formulas(file, &args.query)?.as_slice() {
        [] if args.query.text().is_none() => {
            let help =
                "add --deadlock-free, --reach EXPR or a query about labels, or give formula files beside the net";
            return Err(Failure::input("no query", "this net states nothing by itself", help));
        }
        [] => net::answer(&asked, run, output)?,
        [one] => net::decide_formula(&asked, one, run, output)?,
        many => return formulas(args, &asked, many, run, output),
    };
    publish(args, &answered, shown.as_ref().map(|s| s as &dyn Shown), None, None, run, output)
}

/// Decides several formulas one after the other: a line each, and true where all are.
fn formulas(
    args: &Args,
    asked: &net::Asked<'_>,
    many: &[&Formula],
    run: &Run,
    output: &Output,
) -> Result<Exit, Failure> {
    if let Some(option) = args.evidence.wanted() {
        let help = "choose one with --formula NAME";
        return Err(Failure::input(option, "there are several formulas, and this is for one witness", help));
    }
    let mut all = Verdict::True;
    let mut told = Vec::new();
    for formula in many {
        let own = run.again();
        let (answered, shown) = net::decide_formula(asked, formula, &own, output)?;
        run.add(&answered.effort);
        if args.format == Form::Mcc && !output.json {
            print(&answered.mcc_as(&formula.name, run.limits.threads));
        } else {
            output.say(answered.summary());
        }
        told.push(answered.json(&args.model.names(), None, shown.as_ref().map(|s| s as &dyn Shown)));
        all = match (all, answered.verdict) {
            (Verdict::False, _) | (_, Verdict::False) => Verdict::False,
            (Verdict::Unknown(why), _) | (_, Verdict::Unknown(why)) => Verdict::Unknown(why),
            _ => Verdict::True,
        };
    }
    let query = format!("all {} formulas", many.len());
    let answered = Answered::new("otf", all, query, run.effort(), 1);
    if args.format == Form::Mcc && !output.json {
        watchdog::answer();
        return Ok(answered.verdict.exit());
    }
    let mut object = answered.json(&args.model.names(), None, None);
    object["formulas"] = told.into();
    output.object(object);
    output.say(answered.summary());
    if !output.json {
        print(&answered.result_line(None, false));
    }
    Ok(answered.verdict.exit())
}

/// Answers a question about a network; where it has no initial state (`starts`), no state is reachable and nobody is asked.
fn network_answer(
    args: &Args,
    (problem, origin): (Problem, Origin),
    starts: bool,
    run: &Run,
    output: &Output,
) -> Result<Exit, Failure> {
    let components = problem.network.components().len();
    let (engine, (answer, reduction)) = match args.engine.choose(&problem) {
        Ok(_) if !starts => ("none", (Answer::found(&problem.query, Ok(None)), None)),
        Ok(engine) => {
            let models = args.model.names().join(" ");
            output.remark(format!("{models}: {}, engine {}", counted(components, "component"), engine.name()));
            (
                engine.name(),
                progress::watch(run, engine.name(), output, || solve(args, &*engine, &problem, run, output))?,
            )
        }
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => {
            (args.engine.name.as_str(), (Answer::Unknown(Why::Refused(why.to_string())), None))
        }
        Err(failure) => return Err(failure),
    };
    let (answer, witness) = check_evidence(&problem, answer)?;
    let end = match (&problem.query, &witness) {
        (Query::Nonblocking, Some((_, last))) => {
            let trapped = trapped(&problem.network, last, MOST_TRAPPED);
            Some((des::tell(&problem.network, trapped.as_ref()), des::json(&problem.network, trapped.as_ref())))
        }
        _ => None,
    };
    let shown =
        witness.as_ref().map(|(trace, _)| NetworkWitness::new(&problem, &origin, trace, &args.model.reading.dialect()));
    let verdict = match answer {
        Answer::True(_) => Verdict::True,
        Answer::False(_) => Verdict::False,
        Answer::Unknown(ref why) => Verdict::Unknown(why.clone()),
    };
    let unasked = if matches!(problem.query, Query::Nonblocking) { des::STATED } else { "the formula" };
    let query = args.query.text().unwrap_or_else(|| unasked.into());
    let certificate = match &args.certificate {
        Some(path) => certificate(&problem, &query, &answer, run, path)?,
        None => None,
    };
    let components_used = run.needed().map_or(components, |needs| needs.components.len());
    let scope = run.needed().map(|needs| Scope::new(&problem.network, needs));
    let stubborn = !args.engine.no_por && !matches!(problem.query, Query::Nonblocking);
    let answered = Answered::new(engine, verdict, query, run.effort(), components);
    let answered = Answered { components_used, scope, stubborn, reduction, end, ..answered };
    publish(args, &answered, shown.as_ref().map(|s| s as &dyn Shown), None, certificate, run, output)
}

/// An answer, and what was done to the network before, for machines.
type Solved = (Answer, Option<Value>);

/// The engine's answer, on smaller components where `prequel spin` makes them; a witness is lifted back.
fn solve(args: &Args, engine: &dyn Engine, problem: &Problem, run: &Run, output: &Output) -> Result<Solved, Failure> {
    let Some(before) = &args.before else { return Ok((engine.solve(problem, run), None)) };
    let transform = before.reduction.transform(&problem.network, before.options())?;
    let (reducing, before_it) = (run.again(), run.elapsed());
    let smaller = match transform.apply(problem, &reducing) {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => return Ok((Answer::Unknown(why), None)),
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let time = reducing.elapsed().saturating_sub(before_it);
    run.phase("reduce", time);
    let (own, small) = (&problem.network, &smaller.problem.network);
    output.say(reduce::table(own, small, &smaller.replaced));
    let reduction = program::reduction(Ok(reduce::rows(own, small, &smaller.replaced)), time);
    let lift = |evidence| match evidence {
        Evidence::Witness(trace) => smaller.lift(&trace).map(Evidence::Witness),
        other => Ok(other),
    };
    let answer = engine.solve(&smaller.problem, run);
    if before.compare {
        let beside = run.again();
        let original = engine.solve(problem, &beside);
        for (what, answer, run) in [("original", &original, &beside), ("smaller", &answer, run)] {
            let (effort, word) = (run.effort(), answer.word());
            let search = effort.phases.iter().find(|(name, _)| *name == "search").map_or(0.0, |(_, seconds)| *seconds);
            let (states, transitions) = (effort.states_total, effort.transitions);
            output.say(format!(
                "SPIN on the {what} model: {word}, {states} states, {transitions} transitions, {search:.3} s of search"
            ));
        }
    }
    let lifted = match answer {
        Answer::True(evidence) => lift(evidence).map(Answer::True),
        Answer::False(evidence) => lift(evidence).map(Answer::False),
        unknown => Ok(unknown),
    };
    lifted.map(|answer| (answer, Some(reduction))).map_err(|why| Failure::Internal(why.to_string()))
}

/// A file to be written, where there is one, and whether it holds a proof.
type File = Option<(PathBuf, Vec<u8>, bool)>;

/// The certificate of an answer, checked where it holds a proof. Where there is no answer there is none.
fn certificate(problem: &Problem, query: &str, answer: &Answer, run: &Run, path: &Path) -> Result<File, Failure> {
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(_) => return Ok(None),
    };
    let certificate = match evidence {
        Evidence::Witness(trace) => Certificate::new(problem, query, verdict, &[], Some(trace)),
        Evidence::Quotients(maps) => Certificate::new(problem, query, verdict, maps, None),
        Evidence::Exhausted => Certificate::new(problem, query, verdict, &[], None),
        Evidence::Parts(parts) => {
            Certificate::new(problem, query, verdict, &[], None).with_parts(&problem.network, parts)
        }
        Evidence::Invariant(set) => {
            Certificate::new(problem, query, verdict, &[], None).with_invariant(&problem.network, set)
        }
    };
    let certificate = match (evidence, run.needed()) {
        (Evidence::Witness(_), Some(Needs { components, labels })) => {
            certificate.with_needs(&problem.network, components, labels)
        }
        _ => certificate,
    };
    if certificate.proof_for(&problem.query) == Proof::None && !matches!(problem.query, Query::Nonblocking) {
        return Ok(Some((path.to_owned(), certificate.to_json(), false)));
    }
    match evidence::certificate::check(problem, &certificate, audit::bounds(run)) {
        Ok(_) => Ok(Some((path.to_owned(), certificate.to_json(), true))),
        Err(Rejected::Query(kind)) => Err(Refusal::new(format!("no certificate: {}", Rejected::Query(kind))).into()),
        Err(why @ Rejected::TooLarge(most)) => {
            Err(Failure::Undecided(format!("no certificate: {why}"), Why::States(most as u64)))
        }
        Err(why @ Rejected::Stopped) => Err(audit::stopped(format!("no certificate: {why}"), run)),
        Err(why) => Err(Failure::Internal(format!("the certificate does not show the verdict: {why}"))),
    }
}

/// Writes what was asked for, prints the answer, and gives the exit code it stands for.
fn publish(
    args: &Args,
    answered: &Answered,
    shown: Option<&dyn Shown>,
    text: Option<&Text>,
    certificate: File,
    run: &Run,
    output: &Output,
) -> Result<Exit, Failure> {
    let answered = &answered.clone().unless_stopped(run);
    let mut made = match shown {
        Some(shown) => args.evidence.make(shown, &answered.query, &args.model, text, run)?,
        None => Made::default(),
    };
    let certified = certificate.as_ref().map(|(path, _, proof)| (path.clone(), *proof));
    made.files.extend(certificate.map(|(path, text, _)| (path, text)));
    write_files(&made.files)?;
    let witness = args.evidence.witness.as_deref().filter(|_| shown.is_some());
    let witness = witness.map(|path| Kept { path, proof: true });
    let saved = witness.or(certified.as_ref().map(|(path, proof)| Kept { path, proof: *proof }));
    if args.format == Form::Mcc && !output.json {
        watchdog::answer();
        print(&answered.mcc(&args.model, run.limits.threads));
    } else {
        output.object(answered.json(&args.model.names(), saved, shown));
        if let Some(shown) = shown {
            output.say(shown.table());
        }
        if let Some((end, _)) = &answered.end {
            output.say(end);
        }
        if let Some(chart) = made.chart {
            output.say(chart);
        }
        if let Some(phases) = answered.phases() {
            output.say(phases);
        }
        if let Some(scope) = &answered.scope {
            output.say(scope.to_string());
        }
        answered.coverage_words().iter().for_each(|words| output.say(words));
        if saved.is_some_and(|kept| !kept.proof) {
            output.say(format!(
                "the certificate holds no proof, only what {} says; `prequel audit` looks at all states by code of its own",
                answered.engine
            ));
        }
        output.say(answered.summary());
        if !output.json {
            print(&answered.result_line(saved, shown.is_some()));
        }
    }
    Ok(answered.verdict.exit())
}

/// A witness, and the global state at its end.
pub type Replayed = (Trace, Vec<StateId>);

/// The witness of an answer, replayed. One that does not replay never leaves the program, nor does a verdict that needs one and has
/// none; and an answer whose witness cannot be checked is none.
pub fn check_evidence(problem: &Problem, answer: Answer) -> Result<(Answer, Option<Replayed>), Failure> {
    let (Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace))) = &answer else {
        if answer.word() == problem.query.witness_shows().to_string() {
            return Err(Failure::Internal("there is no witness for a verdict that needs one".into()));
        }
        return Ok((answer, None));
    };
    match evidence::witness::check(problem, trace) {
        Ok(last) => {
            let replayed = (trace.clone(), last);
            Ok((answer, Some(replayed)))
        }
        Err(why @ evidence::witness::Rejected::TooLarge { .. }) => {
            let steps = counted(trace.steps.len(), "step");
            let why = format!("a witness of {steps} was found but not checked: {why}");
            Ok((Answer::Unknown(Why::Incomplete(why)), None))
        }
        Err(why) => Err(Failure::Internal(format!("the witness does not show the verdict: {why}"))),
    }
}
