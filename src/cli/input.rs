//! Models and queries on the command line → a problem.

use super::des;
use super::exit::Failure;
use super::net;
use super::output::Output;
use super::program::as_network;
use crate::open as model;
use crate::open::{CircuitFile, Claims, Format, Model};
use prequel_engine::Refusal;
use prequel_formats::promela::Text;
use prequel_formats::{aut, goal, marking, monitor, pattern};
use prequel_model::run::{Run, Watch};
use prequel_model::{Network, Origin, Problem, Query};
use prequel_program::components::Components;
use std::path::PathBuf;

/// Which model, and how to read it.
#[derive(clap::Args, Clone, Debug)]
pub struct ModelArgs {
    /// Model files; several .aut files form one network; formula files stand beside a Petri net; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How to read files.
#[derive(clap::Args, Clone, Debug)]
pub struct ReadingArgs {
    /// Format of the models, whatever their extension (aut, exp, pml, dve, pnml, lola, ll_net, net, nupn, wdes, wmod, smv, aag,
    /// aig)
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// Labels of .aut files that stand for the internal step
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ["i".to_owned(), "tau".to_owned()])]
    pub tau: Vec<String>,
    /// Define a macro for a Promela model, as SPIN's -D does
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<(String, String)>,
    /// A Promela program is searched in its optimised form; an option of `check` alone.
    #[arg(skip)]
    pub optimise: bool,
    /// Which ltl formulas and never claims of a Promela model are asked: NAME, all (if absent) or none
    #[arg(long, value_name = "NAME|all|none", value_parser = |text: &str| Ok::<_, std::convert::Infallible>(Claims::from(text)))]
    pub ltl: Option<Claims>,
    /// What marks a state, for --nonblocking: a self-loop with this label in .aut and .exp files (omega, if absent), this
    /// proposition in Supremica's files (:accepting, if absent)
    #[arg(long, value_name = "LABEL")]
    pub marking: Option<String>,
    /// Let SPIN compile and run the C that is embedded in a Promela model: with it, the model is a program that may do anything
    #[arg(long)]
    pub allow_c: bool,
}

/// `NAME=VALUE`, or `NAME`, which is 1 then.
fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if name.is_empty() || !is_name {
        Err(format!("`{name}` is no name of a macro"))
    } else {
        Ok((name.into(), value.into()))
    }
}

impl ReadingArgs {
    /// The dialect of `.aut` files.
    pub fn dialect(&self) -> aut::Dialect {
        aut::Dialect { tau: self.tau.clone() }
    }

    /// The label whose loops mark states.
    pub fn marking(&self) -> &str {
        self.marking.as_deref().unwrap_or(marking::OMEGA)
    }

    fn options(&self, watch: Watch) -> model::Options {
        let (defines, claims, optimise) = (self.define.clone(), self.ltl.clone().unwrap_or_default(), self.optimise);
        let marking = self.marking.clone();
        let (from, dialect, allow_c) = (self.from, self.dialect(), self.allow_c);
        model::Options { from, dialect, defines, claims, optimise, marking, allow_c, watch }
    }

    /// The text of a Promela model that could not be read.
    pub fn promela_text(&self, models: &[PathBuf]) -> Option<Text> {
        model::promela_text(models, &self.options(Watch::default()))
    }

    /// Reads models; warnings go to standard error.
    pub fn read(&self, models: &[PathBuf], run: &Run, output: &Output) -> Result<Model, Failure> {
        let (model, warnings) = model::read(models, &self.options(run.watch()))?;
        output.warn(&warnings);
        let promela = matches!(&model, Model::Program(file) if file.source().is_some());
        if self.ltl.is_some() && !promela {
            let help = "leave it away: this model states none";
            return Err(Failure::input("--ltl", "only a Promela model has ltl formulas and claims", help));
        }
        Ok(model)
    }

    /// Reads models as a network; a program is put into components.
    pub fn read_network(&self, models: &[PathBuf], run: &Run, output: &Output) -> Result<(Network, Origin), Failure> {
        self.network_of(self.read(models, run, output)?, run, output)
    }

    /// A model as a network.
    pub fn network_of(&self, model: Model, run: &Run, output: &Output) -> Result<(Network, Origin), Failure> {
        match model {
            Model::Network(network, origin) => Ok((network, origin)),
            Model::Program(promela) => {
                as_network(&promela, run, output).map(|Components { network, origin, .. }| (network, origin))
            }
            Model::Net(file) => net::as_network(&file, run, output).map(|split| (split.network, split.origin)),
            Model::Des(des) => Ok(des.system()),
            Model::Circuit(file) => Err(no_network(&file)),
        }
    }
}

/// Why a command for networks does nothing with a circuit.
pub fn no_network(file: &CircuitFile) -> Failure {
    let why =
        format!("{}: a circuit is no network: `check` answers questions about it, `convert` writes it", file.name);
    Refusal::new(why).into()
}

impl ModelArgs {
    /// Reads the models.
    pub fn read(&self, run: &Run, output: &Output) -> Result<Model, Failure> {
        self.reading.read(&self.models, run, output)
    }

    /// The models as the user wrote them.
    pub fn names(&self) -> Vec<String> {
        self.models.iter().map(|m| m.display().to_string()).collect()
    }
}

/// What is asked. At most one.
#[derive(clap::Args, Clone, Debug, Default)]
#[group(multiple = false)]
pub struct QueryArgs {
    /// The traces, projected on FILE's alphabet, are all traces of FILE, a deterministic LTS
    #[arg(long, value_name = "FILE.aut", help_heading = "Query")]
    pub property: Option<PathBuf>,
    /// FILE, an automaton for the negation, never accepts (accepting states have a self-loop `accept`)
    #[arg(long, value_name = "FILE.aut", help_heading = "Query")]
    pub monitor: Option<PathBuf>,
    /// A named pattern, such as 'precedes(b, a)' (see `prequel pattern --help`)
    #[arg(long, value_name = "TEXT", help_heading = "Query")]
    pub pattern: Option<String>,
    /// Some reachable state satisfies EXPR: comp@state with & | ! and parentheses; for Promela and DVE, one of its own expressions
    /// over globals and proc@label or process.state; for Petri nets, comparisons of tokens such as p1 + p2 >= 2; for circuits, an
    /// SMV expression over the variables; @FILE reads it from a file
    #[arg(long, value_name = "EXPR", value_parser = Reach::given, help_heading = "Query")]
    pub reach: Option<Reach>,
    /// The formula of this name in the formula files beside a Petri net (all of them, if no query is given)
    #[arg(long, value_name = "NAME", help_heading = "Query")]
    pub formula: Option<String>,
    /// No reachable state is without a successor (for Promela: no invalid end state)
    #[arg(long, help_heading = "Query")]
    pub deadlock_free: bool,
    /// No assertion of a Promela or DVE model fails; how it ends and its claims are not asked
    #[arg(long, help_heading = "Query")]
    pub assertions: bool,
    /// From every reachable state a marked state can be reached
    #[arg(long, help_heading = "Query")]
    pub nonblocking: bool,
    /// No specification or supervisor of a Supremica file disables an uncontrollable event that the plant enables
    #[arg(long, help_heading = "Query")]
    pub controllable: bool,
    /// All that a Supremica file does is allowed by each of its PROPERTY automata
    #[arg(long, help_heading = "Query")]
    pub included: bool,
}

/// What `--reach` asks. A goal about very many components does not fit on a command line, so it may be in a file.
#[derive(Clone, Debug)]
pub struct Reach {
    /// As the user wrote it: the expression, or `@FILE`.
    pub given: String,
    /// What messages call the expression.
    pub place: String,
    /// The expression.
    pub text: String,
    /// The file that it is in.
    file: Option<PathBuf>,
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

impl QueryArgs {
    /// The query as the user wrote it; `None` where there is none.
    pub fn text(&self) -> Option<String> {
        let file = |option: &str, path: &PathBuf| format!("{option} {}", path.display());
        let quoted = |option: &str, text: &String| format!("{option} '{text}'");
        let flag = |set: bool, option: &str| set.then(|| option.to_owned());
        (self.property.as_ref().map(|p| file("--property", p)))
            .or(self.monitor.as_ref().map(|p| file("--monitor", p)))
            .or(self.pattern.as_ref().map(|t| quoted("--pattern", t)))
            .or(self.reach.as_ref().map(|reach| quoted("--reach", &reach.given)))
            .or(self.formula.as_ref().map(|t| quoted("--formula", t)))
            .or(flag(self.deadlock_free, "--deadlock-free"))
            .or(flag(self.assertions, "--assertions"))
            .or(flag(self.nonblocking, "--nonblocking"))
            .or(flag(self.controllable, "--controllable"))
            .or(flag(self.included, "--included"))
    }

    /// The query that [`QueryArgs::text`] gives this text for.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut query = Self::default();
        let (option, value) = text.split_once(' ').unwrap_or((text, ""));
        let quoted = || value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')).map(str::to_owned);
        match option {
            "--property" => query.property = Some(value.into()),
            "--monitor" => query.monitor = Some(value.into()),
            "--pattern" => query.pattern = Some(quoted()?),
            "--reach" => query.reach = Some(Reach::given(&quoted()?).ok()?),
            "--formula" => query.formula = Some(quoted()?),
            "--deadlock-free" => query.deadlock_free = true,
            "--assertions" => query.assertions = true,
            "--nonblocking" => query.nonblocking = true,
            "--controllable" => query.controllable = true,
            "--included" => query.included = true,
            _ => return None,
        }
        Some(query)
    }

    /// Whether it is about a part of what a program states.
    pub fn is_of_programs(&self) -> bool {
        self.deadlock_free || self.assertions
    }

    /// Files that it names.
    pub fn files(&self) -> Vec<&PathBuf> {
        let reach = self.reach.as_ref().and_then(|reach| reach.file.as_ref());
        self.property.iter().chain(&self.monitor).chain(reach).collect()
    }

    /// Whether it is about the labels of a network.
    pub fn about_labels(&self) -> bool {
        self.property.is_some() || self.monitor.is_some() || self.pattern.is_some()
    }

    /// Puts the query to the network of a model, whatever the model is.
    pub fn ask_model(
        &self,
        model: Model,
        reading: &ReadingArgs,
        run: &Run,
        output: &Output,
    ) -> Result<(Problem, Origin), Failure> {
        match model {
            Model::Net(file) => net::problem(&file, self, reading, run, output),
            Model::Des(des) => des::problem(&des, self, reading, output),
            other => self.ask(reading.network_of(other, run, output)?, reading, output),
        }
    }

    /// Puts the query to a network.
    pub fn ask(
        &self,
        (network, origin): (Network, Origin),
        reading: &ReadingArgs,
        output: &Output,
    ) -> Result<(Problem, Origin), Failure> {
        let dialect = reading.dialect();
        let read = |path: &PathBuf| -> Result<(String, Vec<u8>), Failure> {
            Ok((path.display().to_string(), model::bytes(path)?))
        };
        let watched = |read: prequel_formats::diag::Read<prequel_model::Monitor>| -> Result<Query, Failure> {
            let (monitor, warnings) = read?;
            output.warn(&warnings);
            Ok(Query::Safety(monitor))
        };
        let query = if let Some(path) = &self.property {
            let (file, text) = read(path)?;
            watched(monitor::property(&file, &text, &dialect, &network))?
        } else if let Some(path) = &self.monitor {
            let (file, text) = read(path)?;
            watched(monitor::monitor(&file, &text, &dialect, &network))?
        } else if let Some(text) = &self.pattern {
            watched(pattern::monitor(text, &network))?
        } else if let Some(Reach { place, text, .. }) = &self.reach {
            Query::Reach(goal::read(place, text, &network, &origin)?)
        } else if self.formula.is_some() {
            let help = "give a Petri net and its formula files";
            return Err(Failure::input("--formula", "there are no formulas beside this model", help));
        } else if self.deadlock_free {
            Query::DeadlockFree
        } else if self.nonblocking {
            let (marked, warnings) = marking::marked(network, &origin, reading.marking())?;
            output.warn(&warnings);
            return Ok((Problem { network: marked, query: Query::Nonblocking }, origin));
        } else if self.assertions {
            let message = "only Promela and DVE models have assertions";
            return Err(Failure::input("--assertions", message, "ask --deadlock-free, --reach EXPR or --pattern TEXT"));
        } else if self.controllable || self.included {
            let option = if self.controllable { "--controllable" } else { "--included" };
            let message = "only Supremica's files say what is plant, specification and property";
            return Err(Failure::input(option, message, "give a .wdes or .wmod file"));
        } else {
            let help =
                "add --deadlock-free, --reach EXPR, --property FILE, --monitor FILE, --pattern TEXT or --nonblocking";
            return Err(Failure::input("no query", "these models state nothing by themselves", help));
        };
        Ok((Problem { network, query }, origin))
    }
}
