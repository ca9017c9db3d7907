//! The experiments of the quotient paper: mutual exclusion (Figures 3 and 5) and the sliding window protocol (Section 7, Figure 7).

use super::{Cell, Expected, Experiment, Outcome, Paper};
use crate::job::Failure;
use prequel_engine::Engine;
use prequel_engine::otf::Otf;
use prequel_engine::transform::quotient::{Options, Quotient};
use prequel_engine::transform::{Smaller, Stop, Transform as _};
use prequel_evidence::witness;
use prequel_families::{Instance, mutex, sliding_window};
use prequel_formats::picture::plot;
use prequel_formats::picture::plot::{Kind, Series};
use prequel_harness::paper;
use prequel_harness::paper::number;
use prequel_model::run::Run;
use prequel_model::{Answer, ComponentId, Evidence, Problem, Query};
use prequel_spin::engine::Spin;
use prequel_spin::tools::{Options as SpinOptions, Tools};
use std::fmt::Write as _;
use std::time::Instant;

/// B. Finkbeiner, S. Schewe, M. Brill.
pub const PAPER: Paper = Paper {
    name: "quotient",
    title: "B. Finkbeiner, S. Schewe, M. Brill: Automatic Synthesis of Assumptions for Compositional Model Checking",
    families: &["mutex", "sliding-window"],
    remark: "The paper's processes are not printed in it. Ours were written after its words and fitted to what it says of the results:\n\
        the mutex has the classes that the paper names, the window's receiver was changed until property D was kept small.",
    run,
};

/// The second process is replaced, in both examples.
const REPLACED: ComponentId = ComponentId(1);
/// The window of the paper, one with processes about as large as the paper's, and one where SPIN has something to search.
const WINDOWS: [usize; 3] = [2, 3, 4];

/// The paper's properties, in the order of the family's.
const PROPERTIES: [&str; 4] = ["Property A", "Property B", "Property C", "Property D"];

fn run(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let cells = paper::cells("quotient");
    if wanted.family("mutex") && wanted.size.is_none_or(|size| size == 2) {
        mutual_exclusion(wanted, &cells, outcome)?;
    }
    if wanted.family("sliding-window") {
        let sizes = match wanted.size {
            Some(size) if (1..=5).contains(&size) => vec![size],
            Some(size) => {
                let message = format!("there is no window of {size} messages here");
                return Err(Failure::input("--size", message, "choose one from 1 to 5"));
            }
            None if wanted.quick => WINDOWS[..1].to_vec(),
            None => WINDOWS.to_vec(),
        };
        for (at, &size) in sizes.iter().enumerate() {
            sliding_windows(wanted, size, wanted.curve && at == 0, &cells, outcome)?;
        }
    }
    Ok(())
}

/// Figures 3 and 5.
fn mutual_exclusion(wanted: &Experiment<'_>, cells: &[paper::Cell], outcome: &mut Outcome) -> Result<(), Failure> {
    let Instance { network, origin, .. } = mutex::pair(2, 0);
    let query = Query::Safety(mutex::property(&network));
    let problem = Problem { network, query };
    let run = wanted.start();
    let printed = |figure: &str, column: &str| paper::printed(cells, figure, "N", column).map(str::to_owned);
    let mut cell = |what, paper, ours: String, expected| {
        let row = "N".into();
        outcome.add(wanted.observer, Cell { family: "mutex", size: 2, row, what, paper, ours, expected });
    };
    let classes = |smaller: &Smaller| {
        let Some(map) = smaller.replaced.iter().find_map(|r| r.map.as_ref()) else { return "none".to_owned() };
        let name = |states: &Vec<_>| states.iter().map(|&s| origin.state_name(REPLACED, s)).collect::<String>();
        map.members().iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let forward = reduced(&problem, Some(0), &run)?;
    let whole = reduced(&problem, None, &run)?;
    let states = |smaller: &Smaller| smaller.problem.network.component(REPLACED).lts.num_states();
    cell(
        "states",
        printed("quotient Figure 3", "states"),
        problem.network.component(REPLACED).lts.num_states().to_string(),
        None,
    );
    cell("classes of Figure 5", printed("quotient Figure 5", "classes"), classes(&forward), None);
    cell("classes of Figure 3", printed("quotient Figure 3", "classes"), classes(&whole), None);
    let assumption = printed("quotient Figure 3", "states of the assumption");
    cell("states of the assumption", assumption, states(&whole).to_string(), None);
    let (ours, expected) = verdict(&problem, &whole, true, &Otf::default(), &run)?;
    cell("verdict", printed("quotient Figure 3", "satisfied").map(word), ours, Some(expected));
    Ok(())
}

/// One window size: the four properties, and the curve of the first size.
fn sliding_windows(
    wanted: &Experiment<'_>,
    size: usize,
    curve: bool,
    cells: &[paper::Cell],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let instance = sliding_window::protocol(size, 0);
    let mut curves = Vec::new();
    for (property, asked) in PROPERTIES.into_iter().zip(&instance.queries).take_while(|_| !wanted.over()) {
        let problem = Problem { network: instance.network.clone(), query: asked.query.clone() };
        let run = wanted.start();
        let known = asked.expected.expect("the family knows its answers");
        let printed = |row: &str, column: &str| {
            let found = paper::printed(cells, "quotient Section 7", row, column);
            found.filter(|_| size == WINDOWS[0]).map(str::to_owned)
        };
        let satisfied = printed(property, "satisfied").map(word);
        let mut cell = |what, paper: Option<String>, ours: String, expected| {
            let (family, row) = ("sliding-window", property.to_owned());
            outcome.add(wanted.observer, Cell { family, size, row, what, paper, ours, expected });
        };
        let before = Instant::now();
        let smaller = wanted.observer.during(&run, property, || reduced(&problem, None, &run))?;
        let reducing = before.elapsed().as_secs_f64();
        let states = |problem: &Problem| problem.network.component(REPLACED).lts.num_states().to_string();
        let steps: u64 = smaller.replaced.iter().map(|r| r.steps).sum();
        cell("states of the receiver", printed("receiver", "states"), states(&problem), None);
        let assumption = printed(property, "states of the assumption");
        cell("states of the assumption", assumption, states(&smaller.problem), None);
        cell("steps", printed(property, "steps"), steps.to_string(), None);
        let (ours, expected) = verdict(&problem, &smaller, known, &Otf::default(), &run)?;
        cell("verdict", satisfied.clone(), ours, Some(expected));
        if Tools::find().is_ok() && !(wanted.quick && wanted.size.is_none()) {
            // The optimiser would take most of the time, on both sides.
            let spin = Spin { options: SpinOptions { reduce: true, ..SpinOptions::default() } };
            let [original, small] = [wanted.start(), wanted.start()];
            let whole = Smaller::new(problem.clone(), Vec::new(), Box::new(Same));
            let (ours, expected) = verdict(&problem, &whole, known, &spin, &original)?;
            cell("SPIN's verdict", satisfied.clone(), ours, Some(expected));
            let (ours, expected) = verdict(&problem, &smaller, known, &spin, &small)?;
            cell("SPIN's verdict, assumption", satisfied.clone(), ours, Some(expected));
            let [was, is] = [&original, &small].map(|run| run.effort().states_total);
            cell("states that SPIN stores", None, format!("{was} → {is}"), None);
            let [was, is] = [&original, &small].map(searched);
            cell("seconds of SPIN's search", None, format!("{was:.2} → {is:.2}"), None);
            let [was, is] = [&original, &small].map(spent);
            let times = ["time with the receiver", "time with the assumption"].map(|column| printed(property, column));
            let [paper_was, paper_is] = &times;
            let both = paper_was.as_ref().zip(paper_is.as_ref());
            let paper = both.map(|(was, is)| format!("{was} → {is}"));
            cell("seconds of SPIN", paper, format!("{was:.2} → {is:.2}"), None);
            let factor = both.and_then(|(was, is)| Some(format!("{:.1}", number(was)? / number(is)?)));
            cell("factor of all seconds", factor, format!("{:.1}", was / is), None);
        }
        cell("seconds of reduction", None, format!("{reducing:.2}"), None);
        if curve {
            curves.push(figure(&problem, property, &run)?);
        }
    }
    if curve && !curves.is_empty() {
        outcome.csv = Some(csv(&curves));
        let title = format!("Sliding window protocol, window {size}: the receiver's quotient");
        outcome.plot = Some(plot::svg(&title, "refinement steps", "states", Kind::Steps, &curves));
    }
    Ok(())
}

/// An answer as we write it.
fn word(printed: String) -> String {
    (printed == "Y").to_string()
}

/// The problem with the second process replaced after so many steps.
fn reduced(problem: &Problem, steps: Option<u64>, run: &Run) -> Result<Smaller, Failure> {
    let options = Options { steps, ..Quotient::default().options };
    (Quotient { replace: vec![REPLACED], options }).apply(problem, run).map_err(|stop| match stop {
        Stop::Refused(why) => why.into(),
        Stop::Limit(why) => Failure::Undecided(format!("there is no assumption: {why}"), why),
        Stop::Broken(why) => Failure::Internal(why.to_string()),
    })
}

/// An engine's verdict on a smaller problem; a witness is lifted and replayed on the original.
fn verdict(
    problem: &Problem,
    smaller: &Smaller,
    expected: bool,
    engine: &dyn Engine,
    run: &Run,
) -> Result<(String, Expected), Failure> {
    let answer = engine.solve(&smaller.problem, run);
    if let Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) = &answer {
        let lifted = smaller.lift(trace).map_err(|why| Failure::Internal(why.to_string()))?;
        witness::check(problem, &lifted)
            .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
    }
    let expected = match &answer {
        Answer::Unknown(why) => Expected::Open(why.clone()),
        _ if answer.word() == expected.to_string() => Expected::Yes,
        _ => Expected::No,
    };
    Ok((answer.word().to_string(), expected))
}

/// Nothing was replaced: the way back is none.
#[derive(Debug)]
struct Same;

impl prequel_engine::transform::Lift for Same {
    fn lift(&self, trace: &prequel_model::Trace) -> Result<prequel_model::Trace, prequel_engine::transform::NotLifted> {
        Ok(trace.clone())
    }
}

/// Seconds of `pan`.
fn searched(run: &Run) -> f64 {
    run.effort().phases.iter().filter(|(name, _)| *name == "search").map(|(_, seconds)| seconds).sum()
}

/// Seconds of SPIN: generation, compilation and search.
fn spent(run: &Run) -> f64 {
    run.effort().phases.iter().map(|(_, seconds)| seconds).sum()
}

/// Figure 7: the states of the quotient when the refinement is interrupted after each step.
fn figure(problem: &Problem, property: &str, run: &Run) -> Result<Series, Failure> {
    let mut points = Vec::new();
    for steps in 0.. {
        // A target that is never met: what the paper's figure shows is one pass.
        let options = Options { steps: Some(steps), target_states: Some(0), ..Quotient::default().options };
        let outcome = (Quotient { replace: vec![REPLACED], options }).apply(problem, run);
        let Ok(smaller) = outcome else { break };
        points.push((steps, smaller.problem.network.component(REPLACED).lts.num_states() as u64));
        if smaller.replaced.iter().all(|r| r.steps < steps) {
            break;
        }
    }
    Ok(Series { name: property.to_owned(), points })
}

/// One line a step, one column a property; a curve that has ended keeps its last value.
fn csv(curves: &[Series]) -> String {
    let mut text = String::from("steps");
    for curve in curves {
        let _ = write!(text, ",{}", curve.name);
    }
    text.push('\n');
    let longest = curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0);
    for at in 0..longest {
        let _ = write!(text, "{at}");
        for curve in curves {
            let value = curve.points.get(at).or(curve.points.last()).map_or(0, |point| point.1);
            let _ = write!(text, ",{value}");
        }
        text.push('\n');
    }
    text
}
