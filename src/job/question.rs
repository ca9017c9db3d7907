//! What can be asked of a model.

use super::failure::Failure;
use super::models::Reading;
use super::observer::Observer;
use crate::open::bytes;
use prequel_formats::diag::Read;
use prequel_formats::{goal, marking, monitor, pattern};
use prequel_model::{Monitor, Network, Origin, Problem, Query};
use std::path::PathBuf;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Question {
    /// What the model states by itself.
    #[default]
    Stated,
    /// The traces, projected on the alphabet of the automaton in this file, are all traces of it.
    Property(PathBuf),
    /// The automaton in this file, which stands for what must not be, never accepts.
    Monitor(PathBuf),
    /// A named pattern of labels.
    Pattern(String),
    /// Some reachable state satisfies a condition.
    Reach(Reach),
    /// The formula of this name beside a Petri net.
    Formula(String),
    /// All runs satisfy this formula of linear temporal logic.
    Temporal(String),
    /// No reachable state is without a successor; for Promela: no invalid end state.
    DeadlockFree,
    /// No assertion of a program fails.
    Assertions,
    /// No run of a program comes through an accept label again and again.
    AcceptLabels,
    /// No run of a program avoids progress labels for ever.
    NonProgress,
    /// From every reachable state of a program each process can eventually move or has ended.
    NoStuck,
    /// From every reachable state a marked state can be reached.
    Nonblocking,
    /// No specification disables an uncontrollable event that the plant enables.
    Controllable,
    /// All that happens is allowed by each property automaton.
    Included,
}

/// A condition on states. One about very many components does not fit on a command line, so it may be in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    /// As the user wrote it: the expression, or `@FILE`.
    pub given: String,
    /// What messages call the expression.
    pub place: String,
    /// The expression.
    pub text: String,
    /// The file that it is in.
    pub file: Option<PathBuf>,
}

impl Reach {
    /// Reads the file where one is named.
    pub fn given(given: &str) -> Result<Self, String> {
        let given = given.to_owned();
        let Some(file) = given.strip_prefix('@') else {
            return Ok(Self { place: "--reach".into(), text: given.clone(), given, file: None });
        };
        let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        Ok(Self { place: file.to_owned(), text, file: Some(file.into()), given })
    }
}

impl Question {
    /// Whether nothing in particular is asked, so that it is what the model states.
    pub fn is_stated(&self) -> bool {
        *self == Question::Stated
    }

    /// The condition, where it is whether one is reached.
    pub fn reach(&self) -> Option<&Reach> {
        if let Question::Reach(reach) = self { Some(reach) } else { None }
    }

    /// The question as it is written on the command line; none where nothing in particular is asked.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            Question::Stated => return None,
            Question::Property(path) => format!("--property {}", path.display()),
            Question::Monitor(path) => format!("--monitor {}", path.display()),
            Question::Pattern(text) => format!("--pattern '{text}'"),
            Question::Reach(reach) => format!("--reach '{}'", reach.given),
            Question::Formula(name) => format!("--formula '{name}'"),
            Question::Temporal(text) => format!("--ltl '{text}'"),
            Question::DeadlockFree => "--deadlock-free".into(),
            Question::Assertions => "--assertions".into(),
            Question::AcceptLabels => "--accept-labels".into(),
            Question::NonProgress => "--non-progress".into(),
            Question::NoStuck => "--no-stuck".into(),
            Question::Nonblocking => "--nonblocking".into(),
            Question::Controllable => "--controllable".into(),
            Question::Included => "--included".into(),
        })
    }

    /// The question that [`Question::text`] gives this text for.
    pub fn from_text(text: &str) -> Option<Self> {
        let (option, value) = text.split_once(' ').unwrap_or((text, ""));
        let quoted = || value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')).map(str::to_owned);
        Some(match option {
            "--property" => Question::Property(value.into()),
            "--monitor" => Question::Monitor(value.into()),
            "--pattern" => Question::Pattern(quoted()?),
            "--reach" => Question::Reach(Reach::given(&quoted()?).ok()?),
            "--formula" => Question::Formula(quoted()?),
            "--ltl" => Question::Temporal(quoted()?),
            "--deadlock-free" => Question::DeadlockFree,
            "--assertions" => Question::Assertions,
            "--accept-labels" => Question::AcceptLabels,
            "--non-progress" => Question::NonProgress,
            "--no-stuck" => Question::NoStuck,
            "--nonblocking" => Question::Nonblocking,
            "--controllable" => Question::Controllable,
            "--included" => Question::Included,
            _ => return None,
        })
    }

    /// Whether it is about a part of what a program states.
    pub fn is_of_programs(&self) -> bool {
        matches!(self, Question::DeadlockFree | Question::Assertions | Question::AcceptLabels | Question::NonProgress)
    }

    /// Whether it is about the labels of a network.
    pub fn about_labels(&self) -> bool {
        matches!(self, Question::Property(_) | Question::Monitor(_) | Question::Pattern(_))
    }

    /// The file that it names.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Question::Property(path) | Question::Monitor(path) => Some(path),
            Question::Reach(reach) => reach.file.as_ref(),
            _ => None,
        }
    }

    /// Puts the question to a network.
    pub fn ask(
        &self,
        (network, origin): (Network, Origin),
        reading: &Reading,
        observer: &dyn Observer,
    ) -> Result<(Problem, Origin), Failure> {
        let dialect = &reading.dialect;
        let watched = |read: Read<Monitor>| -> Result<Query, Failure> {
            let (monitor, warnings) = read?;
            observer.warn(&warnings);
            Ok(Query::Safety(monitor))
        };
        let query = match self {
            Question::Property(path) => {
                let (file, text) = (path.display().to_string(), bytes(path)?);
                watched(monitor::property(&file, &text, dialect, &network))?
            }
            Question::Monitor(path) => {
                let (file, text) = (path.display().to_string(), bytes(path)?);
                watched(monitor::monitor(&file, &text, dialect, &network))?
            }
            Question::Pattern(text) => watched(pattern::monitor(text, &network))?,
            Question::Reach(Reach { place, text, .. }) => Query::Reach(goal::read(place, text, &network, &origin)?),
            Question::Formula(_) => {
                let help = "give a Petri net and its formula files";
                return Err(Failure::input("--formula", "there are no formulas beside this model", help));
            }
            Question::Temporal(_) => {
                let message = "formulas about runs are decided on networks, nets and programs, by `prequel check`";
                return Err(Failure::input("--ltl", message, "ask --property, --monitor or --pattern instead"));
            }
            Question::DeadlockFree => Query::DeadlockFree,
            Question::Nonblocking => {
                let (marked, warnings) = marking::marked(network, &origin, reading.marking())?;
                observer.warn(&warnings);
                return Ok((Problem { network: marked, query: Query::Nonblocking }, origin));
            }
            Question::Assertions => {
                let message = "only Promela and DVE models have assertions";
                let help = "ask --deadlock-free, --reach EXPR or --pattern TEXT";
                return Err(Failure::input("--assertions", message, help));
            }
            Question::AcceptLabels | Question::NonProgress => {
                let message = "only Promela models have accept and progress labels";
                return Err(Failure::input(self.text().unwrap_or_default(), message, "give a Promela model"));
            }
            Question::NoStuck => {
                let help = "ask --deadlock-free or --nonblocking";
                return Err(Failure::input("--no-stuck", "only Promela and DVE models have processes", help));
            }
            Question::Controllable | Question::Included => {
                let message = "only Supremica's files say what is plant, specification and property";
                return Err(Failure::input(self.text().unwrap_or_default(), message, "give a .wdes or .wmod file"));
            }
            Question::Stated => {
                let help = "add --deadlock-free, --reach EXPR, --property FILE, --monitor FILE, --pattern TEXT or --nonblocking";
                return Err(Failure::input("no query", "these models state nothing by themselves", help));
            }
        };
        Ok((Problem { network, query }, origin))
    }
}
