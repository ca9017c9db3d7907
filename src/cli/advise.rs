//! `prequel advise`: which engine or reduction to try first, and why.
//!
//! What can be tried cheaply is tried: every engine of ours that counts states gets a short time on the question. Only where none answers is the advice
//! a guess, from the shape of the network and from what the question names; it says so.

use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::output::{Output, counted};
use crate::engines::engines;
use crate::job::net::NetQuestion;
use crate::job::network::check_evidence;
use crate::job::program::{ProgramQuestion, ReplacePlan, SmallerModel};
use crate::job::reduction::usual;
use crate::job::{EngineChoice, Models, Question, Silent, Verdict, circuit, des, net, program};
use crate::open::Model;
use prequel_engine::Engine;
use prequel_engine::otf::Otf;
use prequel_formats::units::{bytes, time};
use prequel_model::run::{Effort, Limits, Run};
use prequel_model::{Answer, Network, Problem, Query, Why};
use serde_json::{Value, json};
use std::time::Duration;

/// Says which engine or reduction to try first and why, and when compositional checking is not worth it
///
/// Every engine is tried on the question for a short time. Where none answers, the advice is a guess from the shape of the network.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel advise net.exp --deadlock-free
  prequel advise model.pml                             what the model states
  prequel advise net.exp --reach 'a@1 & b@2' --each 5s

Exit: 0 there is advice, 2 no engine takes the question, 3 bad input, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// How long each engine is tried
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "1s", help_heading = "Limits")]
    each: Duration,
    /// Stop after this time with `unknown`, whoever was not tried yet (500ms, 30s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Limits")]
    time: Option<Duration>,
    /// Resident memory at which a trial ends
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "2G", help_heading = "Limits")]
    memory: u64,
}

impl Args {
    /// What all trials together may use.
    pub fn limits(&self) -> Limits {
        Limits { time: self.time, memory: Some(self.memory), ..Limits::default() }
    }
}

/// The time below which the choice of an engine does not matter, in seconds.
const AT_ONCE: f64 = 0.1;
/// A compositional engine is worth it where the search of the product takes this many times as long.
const WORTH: f64 = 2.0;
/// A question that names at most one in so many components is one for `lazy`.
const FEW: usize = 3;

/// What an engine came to.
struct Tried {
    engine: &'static str,
    verdict: Verdict,
    effort: Effort,
}

impl Tried {
    fn decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown(_))
    }

    fn refused(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(Why::Refused(_)))
    }

    fn cells(&self) -> [String; 5] {
        let (verdict, why) = match &self.verdict {
            Verdict::Unknown(why) => ("-", why.to_string()),
            decided => (decided.word(), String::new()),
        };
        let number = |n: u64| if self.refused() { "-".into() } else { n.to_string() };
        let seconds = if self.refused() { "-".into() } else { format!("{:.3}", self.effort.seconds) };
        [verdict.into(), seconds, number(self.effort.states_total), number(self.effort.states_peak), why]
    }

    fn json(&self) -> Value {
        let reason = match &self.verdict {
            Verdict::Unknown(why) => Some(why.to_string()),
            _ => None,
        };
        let kind = self.verdict.reason_kind();
        let (effort, verdict) = (&self.effort, self.verdict.word());
        json!({
            "engine": self.engine, "verdict": verdict, "reason": reason, "reason_kind": kind, "seconds": effort.seconds,
            "states_total": effort.states_total, "states_peak": effort.states_peak,
        })
    }
}

/// What the network behind the question looks like.
struct Shape {
    components: usize,
    /// The decimal logarithm of the number of global states if nobody kept anybody from anything.
    bound: f64,
    /// How many components the question names, where that can be told.
    named: Option<usize>,
}

impl Shape {
    fn of(problem: &Problem) -> Self {
        let network = &problem.network;
        let bound = network.components().iter().map(|c| (c.lts.num_states() as f64).log10()).sum();
        Self { components: network.components().len(), bound, named: Some(named(problem)) }
    }

    fn text(&self) -> String {
        let (components, bound) = (counted(self.components, "component"), self.bound);
        let named = self.named.map(|named| format!("; the question names {named}")).unwrap_or_default();
        format!("{components}, at most 10^{bound:.1} global states{named}")
    }
}

/// How many components a question is about.
fn named(problem: &Problem) -> usize {
    let monitor = match &problem.query {
        Query::Reach(goal) => return goal.support().len(),
        Query::DeadlockFree | Query::Nonblocking => return problem.network.components().len(),
        Query::Safety(monitor) => monitor,
    };
    let labels = monitor.automaton.alphabet().iter();
    let mut components: Vec<_> = labels.flat_map(|&label| problem.network.participants(label)).collect();
    components.sort_unstable();
    components.dedup();
    components.len()
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let asked = Asked { models: &args.model.models(), question: &args.query.question() };
    let all = Run::new(args.limits(), 0);
    let start = || {
        let time = args.time.map_or(args.each, |time| time.saturating_sub(all.elapsed()).min(args.each));
        Run::new(Limits { time: Some(time), ..args.limits() }, 0)
    };
    let model = asked.models.read(&all, output)?;
    let shape = shape(&asked, &model, &start())?;
    let mut tried = Vec::new();
    // Those that count no states cannot be compared with the others by their largest check.
    let circuit = matches!(model, Model::Circuit(_));
    let ours = |engine: &dyn Engine| {
        engine.external().is_none() && if circuit { engine.symbolic().is_some() } else { engine.counts_states() }
    };
    for engine in engines(Otf::default()).iter().filter(|engine| ours(&***engine)) {
        let run = start();
        let verdict = answer(&asked, &model, engine.name(), &run)?;
        if let Err(why @ (Why::Interrupted | Why::Time(_))) = all.allowed() {
            return Ok(super::undecided(output, &why.to_string(), &why));
        }
        tried.push(Tried { engine: engine.name(), verdict, effort: run.effort() });
    }
    let smaller = match &model {
        Model::Program(promela)
            if asked.question.is_stated() && promela.source().is_some() && promela.program.property.is_none() =>
        {
            let plan = ReplacePlan { replace: Vec::new(), quotients: true, options: usual(), alone: false };
            SmallerModel::new(promela, &plan, &start(), &Silent).ok().map(|reduced| {
                let (before, together) = reduced.replaced();
                states(before, &together.network)
            })
        }
        _ => None,
    };
    let advice = advice(args, &tried, shape.as_ref(), smaller);

    output.object(json!({
        "models": args.model.names(),
        "query": asked.question.text(),
        "components": shape.as_ref().map(|shape| shape.components),
        "components_named": shape.as_ref().map(|shape| shape.named),
        "log10_bound": shape.as_ref().map(|shape| shape.bound),
        "tried": tried.iter().map(Tried::json).collect::<Vec<_>>(),
        "processes": smaller.map(|(before, after)| json!({ "states_before": before, "states_after": after })),
        "command": advice.as_ref().map(|advice| &advice.command),
        "why": advice.as_ref().map(|advice| &advice.why),
        "guess": advice.as_ref().map(|advice| advice.guess),
    }));
    if let Some(shape) = &shape {
        output.say(shape.text());
    }
    output.say(table(&tried));
    let Some(advice) = advice else {
        output.say("no engine takes this question");
        return Ok(Exit::Unknown);
    };
    output.say(format!("try first: {}\n  {}", advice.command, advice.why.join("\n  ")));
    Ok(Exit::Ok)
}

/// What is asked of which model.
struct Asked<'a> {
    models: &'a Models,
    question: &'a Question,
}

/// The shape of the network that the question is put to; none where the model cannot be taken apart, which is no fault here.
fn shape(asked: &Asked<'_>, model: &Model, run: &Run) -> Result<Option<Shape>, Failure> {
    let (question, reading) = (asked.question, &asked.models.reading);
    let shape = match model {
        Model::Network(network, origin) => {
            question.ask((network.clone(), origin.clone()), reading, &Silent).map(|(problem, _)| Shape::of(&problem))
        }
        Model::Net(file) => net::problem(file, question, reading, run, &Silent).map(|(problem, _)| Shape::of(&problem)),
        Model::Circuit(file) => circuit::question(file, question).map(|question| {
            let (components, bound) = (question.circuit.parts.len(), f64::from(question.circuit.bits) * 2f64.log10());
            Shape { components, bound, named: None }
        }),
        Model::Des(of) => des::problem(of, question, reading, &Silent).map(|(problem, _)| Shape::of(&problem)),
        Model::Program(promela) => program::as_network(promela, run, &Silent).and_then(|split| {
            // An expression over variables names no components.
            let (own, named) = (split.end_states(), question.reach().is_none());
            let problem = if question.about_labels() {
                question.ask((split.network, split.origin), reading, &Silent)?.0
            } else {
                own
            };
            let shape = Shape::of(&problem);
            Ok(Shape { named: shape.named.filter(|_| named), ..shape })
        }),
    };
    match shape {
        Ok(shape) => Ok(Some(shape)),
        Err(Failure::Input(errors)) => Err(Failure::Input(errors)),
        Err(_) => Ok(None),
    }
}

/// What one engine says to the question.
fn answer(asked: &Asked<'_>, model: &Model, engine: &str, run: &Run) -> Result<Verdict, Failure> {
    let (question, reading, engine) = (asked.question, &asked.models.reading, EngineChoice::called(engine));
    let told = match model {
        Model::Network(network, origin) => {
            let (problem, _) = question.ask((network.clone(), origin.clone()), reading, &Silent)?;
            solved(&problem, &engine, run)
        }
        Model::Des(of) => solved(&des::problem(of, question, reading, &Silent)?.0, &engine, run),
        Model::Circuit(file) => {
            let question = circuit::question(file, question)?;
            circuit::answer(&question, &engine, run, &Silent).map(|answer| answer.finding.verdict)
        }
        Model::Program(promela) => {
            let (engine, as_network, before) = (&engine, false, None);
            let asked = ProgramQuestion { promela, question, reading, engine, as_network, before };
            program::answer(&asked, run, &Silent).map(|decision| decision.finding.verdict)
        }
        Model::Net(file) => {
            let asked = NetQuestion { file, question, reading, engine: &engine, as_network: false };
            match net::formulas(file, question)?.as_slice() {
                [] => net::answer(&asked, run, &Silent).map(|decision| decision.finding.verdict),
                [first, ..] => {
                    net::decide_formula(&asked, first, run, &Silent).map(|decision| decision.finding.verdict)
                }
            }
        }
    };
    match told {
        Err(Failure::Refused(why)) => Ok(Verdict::Unknown(Why::Refused(why.to_string()))),
        other => other,
    }
}

/// What an engine says to a question about a network.
fn solved(problem: &Problem, engine: &EngineChoice, run: &Run) -> Result<Verdict, Failure> {
    believed(problem, engine.choose(problem)?.solve(problem, run))
}

/// The verdict of an answer whose witness replays; one that does not is no advice to anybody.
fn believed(problem: &Problem, answer: Answer) -> Result<Verdict, Failure> {
    Ok(check_evidence(problem, &answer)?.0)
}

/// States of all components of two networks together.
fn states(before: &Network, after: &Network) -> (usize, usize) {
    let all = |network: &Network| network.components().iter().map(|c| c.lts.num_states()).sum();
    (all(before), all(after))
}

/// What to try first.
struct Advice {
    command: String,
    why: Vec<String>,
    /// Whether nothing was measured that it rests on.
    guess: bool,
}

fn advice(args: &Args, tried: &[Tried], shape: Option<&Shape>, smaller: Option<(usize, usize)>) -> Option<Advice> {
    let models = args.model.names().join(" ");
    let query = args.query.question().text().map(|text| format!(" {text}")).unwrap_or_default();
    let check = |engine: &str| format!("prequel check {models}{query} --engine {engine}");
    let measured = |engine: &Tried, why: Vec<String>| Advice { command: check(engine.engine), why, guess: false };
    let seconds = |tried: &Tried| tried.effort.seconds.max(AT_ONCE);
    let decided = || tried.iter().filter(|tried| tried.decided());
    let whole = tried.iter().find(|tried| tried.engine == "otf");

    if let Some(otf) = whole.filter(|otf| otf.decided()) {
        let best = decided().min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        let (states, time) = (otf.effort.states_total, otf.effort.seconds);
        if seconds(otf) < WORTH * seconds(best) {
            let why = format!("the search of the whole product answers in {time:.2} s with {states} states");
            return Some(measured(otf, vec![why, "taking the model apart is not worth it for this question".into()]));
        }
        let (own, largest) = (best.effort.seconds, best.effort.states_peak);
        let why = format!(
            "it answers in {own:.2} s, its largest check has {largest} states; the product takes {time:.2} s and {states}"
        );
        return Some(measured(best, vec![why]));
    }
    // Where there is no product to compare with, who is faster is all that is known.
    let time = |tried: &Tried| if whole.is_some() { seconds(tried) } else { tried.effort.seconds };
    if let Some(best) = decided().min_by(|a, b| time(a).total_cmp(&time(b))) {
        let (own, largest) = (best.effort.seconds, best.effort.states_peak);
        let why = match whole {
            Some(_) => {
                format!("it answers in {own:.2} s, its largest check has {largest} states; the product needs longer")
            }
            None => format!("it answers first, in {own:.2} s"),
        };
        return Some(measured(best, vec![why]));
    }

    let mut why = vec![format!("no engine answers in {:.1} s, so this is a guess", args.each.as_secs_f64())];
    if let Some(otf) = whole.filter(|otf| !otf.refused() && otf.effort.states_total > 0) {
        let rate = otf.effort.states_total as f64 / otf.effort.seconds.max(1e-3);
        why.push(format!("the product's search sees {rate:.0} states a second"));
    }
    if let Some((before, after)) = smaller.filter(|(before, after)| after * 2 <= *before) {
        why.push(format!(
            "smaller processes keep what the model states: {before} states of all components, {after} after"
        ));
        return Some(Advice { command: format!("prequel spin {models} --time 10m"), why, guess: true });
    }
    let takes = |name: &str| tried.iter().any(|tried| tried.engine == name && !tried.refused());
    let few = shape.is_some_and(|shape| shape.named.is_some_and(|named| named * FEW <= shape.components));
    let guess = |engine: &str, reason: &str, mut why: Vec<String>| {
        why.push(reason.into());
        Some(Advice { command: format!("{} --time 10m", check(engine)), why, guess: true })
    };
    if few && takes("lazy") {
        return guess("lazy", "the question names few of the components: the others may not matter", why);
    }
    if shape.is_some_and(|shape| shape.components > 2) && takes("icc") {
        return guess("icc", "with several components its checks can be far smaller than the product", why);
    }
    let first = tried.iter().find(|tried| !tried.refused())?;
    guess(first.engine, "there is little to take apart; what is left is a longer search", why)
}

fn table(tried: &[Tried]) -> String {
    let head = ["answer", "seconds", "states", "largest check"];
    let mut lines = vec![format!("{:<10} {:<6} {:>8} {:>10} {:>13}", "engine", head[0], head[1], head[2], head[3])];
    for one in tried {
        let [answer, seconds, states, peak, why] = one.cells();
        lines.push(
            format!("{:<10} {answer:<6} {seconds:>8} {states:>10} {peak:>13}  {why}", one.engine).trim_end().into(),
        );
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use prequel_model::{Evidence, Trace};

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn tried(engine: &'static str, verdict: Verdict, seconds: f64) -> Tried {
        let effort = Effort { seconds, states_total: 1000, states_peak: 10, ..Run::new(Limits::default(), 0).effort() };
        Tried { engine, verdict, effort }
    }

    /// What is advised for these trials, in a network of which so many components are named.
    fn command(tried: &[Tried], named: usize, smaller: Option<(usize, usize)>) -> Option<(String, bool)> {
        let args = Line::parse_from(["advise", "net.exp", "--deadlock-free"]).args;
        let shape = Shape { components: 9, bound: 9.0, named: Some(named) };
        let advice = advice(&args, tried, Some(&shape), smaller)?;
        Some((advice.command.strip_prefix("prequel ").expect("a command").to_owned(), advice.guess))
    }

    fn out_of_time() -> Verdict {
        Verdict::Unknown(Why::Time("1 s".into()))
    }

    #[test]
    fn the_product_is_advised_unless_another_engine_is_clearly_faster() {
        let free = || Verdict::absent(&Query::DeadlockFree);
        let both = |otf, icc| [tried("otf", free(), otf), tried("icc", free(), icc)];
        let (otf, icc) = ("check net.exp --deadlock-free --engine otf", "check net.exp --deadlock-free --engine icc");
        assert_eq!(command(&both(0.05, 0.001), 9, None), Some((otf.into(), false)), "both are done at once");
        assert_eq!(command(&both(0.9, 0.5), 9, None), Some((otf.into(), false)));
        assert_eq!(command(&both(0.9, 0.2), 9, None), Some((icc.into(), false)));
        let only = [tried("otf", out_of_time(), 1.0), tried("icc", free(), 0.9)];
        assert_eq!(command(&only, 9, None), Some((icc.into(), false)));
    }

    /// What is asked of two philosophers, and what an engine might make up.
    #[test]
    fn a_verdict_whose_witness_does_not_replay_is_not_printed() {
        let instance = prequel_families::philo::plain(2, 0);
        let problem = Problem { network: instance.network, query: Query::DeadlockFree };
        let made_up = Answer::False(Evidence::Witness(Trace::default()));
        assert!(matches!(believed(&problem, made_up), Err(Failure::Internal(_))));
        let bare = Answer::False(Evidence::Exhausted);
        assert!(matches!(believed(&problem, bare), Err(Failure::Internal(_))), "a verdict that needs a witness");
        let otf = Otf::default().solve(&problem, &Run::new(Limits::default(), 0));
        assert!(matches!(believed(&problem, otf), Ok(Verdict::False { .. })));
    }

    #[test]
    fn without_an_answer_it_is_a_guess_from_the_shape() {
        let none =
            [tried("otf", out_of_time(), 1.0), tried("icc", out_of_time(), 1.0), tried("lazy", out_of_time(), 1.0)];
        let guessed = |named, smaller| command(&none, named, smaller).expect("there is advice");
        assert_eq!(guessed(3, None), ("check net.exp --deadlock-free --engine lazy --time 10m".into(), true));
        assert_eq!(guessed(4, None), ("check net.exp --deadlock-free --engine icc --time 10m".into(), true));
        assert_eq!(guessed(4, Some((100, 50))), ("spin net.exp --time 10m".into(), true));
        assert_eq!(guessed(4, Some((100, 51))).0, "check net.exp --deadlock-free --engine icc --time 10m");
        let refused = Verdict::Unknown(Why::Refused("not for me".into()));
        assert_eq!(command(&[tried("otf", refused, 0.0)], 9, None), None);
    }
}
