//! A paper's experiments run again, its cells beside ours.
//!
//! One file per paper, one line in `PAPERS`; what the papers print is in benchmarks/papers.

mod abc;
mod icc;
mod interpolation;
mod lazy;
mod measure;
mod nonblocking;
mod quotient;

use super::failure::Failure;
use super::observer::Observer;
use prequel_engine::Refusal;
use prequel_harness::paper;
use prequel_harness::paper::number;
use prequel_model::Why;
use prequel_model::run::{INTERRUPTED, Limits, Run};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

/// The papers whose experiments can be run again.
const PAPERS: &[Paper] = &[quotient::PAPER, icc::PAPER, lazy::PAPER, interpolation::PAPER, nonblocking::PAPER];

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub struct Reproduce {
    /// Which paper, or `all`.
    pub paper: String,
    /// Leave away what takes long.
    pub quick: bool,
    /// Only this family of models.
    pub family: Option<String>,
    /// Models of this size; of the paper's, if there is none.
    pub size: Option<usize>,
    /// Where models are that are not ours.
    pub models: Option<PathBuf>,
    /// Whether ABC is asked, too.
    pub abc: bool,
    /// Only this column.
    pub column: Option<String>,
    /// Whether somebody wants the curve.
    pub curve: bool,
    /// Limits for each run.
    pub limits: Limits,
    /// Seed of every random choice.
    pub seed: u64,
    /// The command line as a program, for what is measured in a process of its own; without it, that is measured in this one.
    pub program: Option<PathBuf>,
}

/// A paper and its experiments.
pub struct Paper {
    /// Its name.
    pub name: &'static str,
    /// Authors and title.
    pub title: &'static str,
    /// The families of models that it looks at.
    families: &'static [&'static str],
    /// What must be known about our models to read the table.
    pub remark: &'static str,
    /// Runs the experiments; what there is when something fails, or somebody stops it, is there.
    run: fn(&Experiment<'_>, &mut Outcome) -> Result<(), Failure>,
}

impl Reproduce {
    /// The papers that are asked for. There must be one, and the family in one of them.
    pub fn papers(&self) -> Result<Vec<&'static Paper>, Failure> {
        let papers: Vec<&Paper> = PAPERS.iter().filter(|p| self.paper == "all" || p.name == self.paper).collect();
        if papers.is_empty() && paper::names().any(|name| name == self.paper) {
            let why = format!(
                "what the paper prints is in benchmarks/papers/{}.csv; no engine here can run its experiments",
                self.paper
            );
            return Err(Refusal::new(why).into());
        }
        if papers.is_empty() {
            let names: Vec<&str> = PAPERS.iter().map(|p| p.name).collect();
            let help = format!("papers are {}, all", names.join(", "));
            return Err(Failure::input("PAPER", format!("no paper is called `{}`", self.paper), help));
        }
        if let Some(family) = &self.family
            && !papers.iter().any(|paper| paper.families.contains(&family.as_str()))
        {
            let names: Vec<&str> = papers.iter().flat_map(|p| p.families).copied().collect();
            let help = format!("families of this paper are {}", names.join(", "));
            return Err(Failure::input("--family", format!("`{family}` is not in it"), help));
        }
        Ok(papers)
    }

    /// Whether a family is to be run.
    fn family(&self, name: &str) -> bool {
        self.family.as_ref().is_none_or(|wanted| wanted == name)
    }

    /// Starts a run under the limits.
    fn start(&self) -> Run {
        Run::new(self.limits.clone(), self.seed)
    }
}

/// Runs the experiments of a paper again. Each cell is told to the observer as soon as it is known.
pub fn reproduce(paper: &Paper, request: &Reproduce, observer: &dyn Observer) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.failure = (paper.run)(&Experiment { request, observer }, &mut outcome).err();
    outcome
}

/// Experiments that are being run: what is wanted, and who looks on.
struct Experiment<'a> {
    request: &'a Reproduce,
    observer: &'a dyn Observer,
}

impl Deref for Experiment<'_> {
    type Target = Reproduce;

    fn deref(&self) -> &Reproduce {
        self.request
    }
}

impl Experiment<'_> {
    /// Whether somebody wants it to end: then no other experiment is begun.
    fn over(&self) -> bool {
        INTERRUPTED.load(Relaxed)
    }
}

/// What came out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The cells, as far as they were reached.
    pub cells: Vec<Cell>,
    /// A curve of the paper, as CSV.
    pub csv: Option<String>,
    /// The same as SVG.
    pub plot: Option<String>,
    /// The cells once more, laid out as the paper does.
    pub tables: Vec<Table>,
    /// Why it ended before all of it was done.
    pub failure: Option<Failure>,
}

impl Outcome {
    fn add(&mut self, observer: &dyn Observer, cell: Cell) {
        observer.measured(&cell);
        self.cells.push(cell);
    }
}

/// A table as the paper lays it out. The first row is the head; all rows have as many columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// One cell of a table: what the paper prints and what we have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Of which model.
    pub family: &'static str,
    /// Of which size.
    pub size: usize,
    /// Which property or engine.
    pub row: String,
    /// What is measured.
    pub what: &'static str,
    /// As the paper prints it; none where it says nothing about a model of this size.
    pub paper: Option<String>,
    /// What we have; `- (why)` where there is nothing.
    pub ours: String,
    /// For a verdict: whether it is as expected. None for what is only compared.
    pub expected: Option<Expected>,
}

/// How a verdict compares with what is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// It is as expected.
    Yes,
    /// It is not.
    No,
    /// There is no verdict.
    Open(Why),
}

impl Cell {
    /// How ours compares with what the paper prints, in a word or two; nothing where the paper prints nothing.
    pub fn judgement(&self) -> String {
        match (&self.expected, &self.paper) {
            (Some(Expected::No), _) => return "not as expected".into(),
            (Some(Expected::Open(why)), _) => return format!("not reproduced: {why}"),
            (_, None) => return String::new(),
            (_, Some(paper)) if *paper == self.ours => return "agree".into(),
            _ => {}
        }
        let paper = self.paper.as_deref().unwrap_or_default();
        let is_factor = self.what.starts_with("factor");
        let is_time = self.what.contains("seconds") && !is_factor;
        if let Some(why) = self.ours.strip_prefix("- ") {
            return format!("not reproduced {why}");
        }
        match (number(paper), number(&self.ours)) {
            (Some(theirs), Some(ours)) if theirs == ours => "agree",
            // No more is known of a time below the paper's clock.
            (Some(theirs), Some(ours)) if is_time && paper.starts_with('<') && ours <= theirs => "agree",
            (Some(theirs), Some(ours)) if is_time => {
                if ours < theirs {
                    "faster"
                } else {
                    "slower"
                }
            }
            // How much faster something became: neither is it the time itself.
            (Some(theirs), Some(ours)) if is_factor => {
                if ours < theirs {
                    "smaller factor"
                } else {
                    "larger factor"
                }
            }
            (Some(theirs), Some(ours)) if !self.what.contains("share") => {
                if ours < theirs {
                    "fewer"
                } else {
                    "more"
                }
            }
            // The paper's run did not end within its limit.
            (None, Some(_)) if is_time => "faster",
            _ => "differs",
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(what: &'static str, paper: Option<&str>, ours: &str, expected: Option<Expected>) -> String {
        let (row, paper, ours) = (String::new(), paper.map(str::to_owned), ours.to_owned());
        Cell { family: "philo", size: 3, row, what, paper, ours, expected }.judgement()
    }

    #[test]
    fn cells_are_compared_for_what_they_are() {
        let of = |what, paper, ours| judged(what, Some(paper), ours, None);
        assert_eq!((of("seconds", "19", "4.00"), of("seconds", "3", "4.00")), ("faster".into(), "slower".into()));
        assert_eq!((of("seconds", "<0.01", "0.00"), of("seconds", "<0.01", "0.02")), ("agree".into(), "slower".into()));
        assert_eq!(of("seconds", "T/O", "4.00"), "faster");
        let factor = |paper, ours| of("factor of all seconds", paper, ours);
        assert_eq!((factor("4.8", "1.3"), factor("1.3", "4.8")), ("smaller factor".into(), "larger factor".into()));
        assert_eq!((of("checks", "1,061", "17"), of("checks", "3", "17")), ("fewer".into(), "more".into()));
        assert_eq!((of("classes", "j k", "j k"), of("classes", "j k", "jk")), ("agree".into(), "differs".into()));
        assert_eq!(of("seconds", "3", "- (time limit)"), "not reproduced (time limit)");
        assert_eq!(judged("seconds", None, "4.00", None), "");
        // A wrong answer is said whatever the paper prints.
        assert_eq!(judged("holds", None, "true", Some(Expected::No)), "not as expected");
    }
}
