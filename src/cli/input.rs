//! Models and queries on the command line → what a job is asked.

use crate::job::{Models, Question, Reach, Reading};
use crate::open::{Claims, Format};
use prequel_formats::aut;
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
    #[arg(long, value_name = "FORMAT", help = format!("Format of the models, whatever their extension ({})", Format::names()))]
    from: Option<Format>,
    /// Labels of .aut files that stand for the internal step
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ["i".to_owned(), "tau".to_owned()])]
    tau: Vec<String>,
    /// Define a macro for a Promela model, as SPIN's -D does
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    define: Vec<(String, String)>,
    /// Which ltl formulas and never claims of a Promela model, or property process of a DVE model, are asked: NAME, all (if absent)
    /// or none; or a formula such as '[] (p -> <> q)' instead: for networks over comp@state and action(NAME), for Petri nets over
    /// comparisons of tokens and action(TRANSITION)
    #[arg(long, value_name = "NAME|all|none|FORMULA", value_parser = |text: &str| Ok::<_, std::convert::Infallible>(Claims::from(text)))]
    ltl: Option<Claims>,
    /// Of runs of a Promela model without an end, count only those that are fair: every process moves or cannot move again and again
    #[arg(long)]
    fair: bool,
    /// What marks a state, for --nonblocking: a self-loop with this label in .aut and .exp files (omega, if absent), this
    /// proposition in Supremica's files (:accepting, if absent)
    #[arg(long, value_name = "LABEL")]
    marking: Option<String>,
    /// Let SPIN compile and run the C that is embedded in a Promela model: with it, the model is a program that may do anything
    #[arg(long)]
    allow_c: bool,
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
    /// What is asked for.
    pub fn reading(&self) -> Reading {
        Reading {
            from: self.from,
            dialect: aut::Dialect { tau: self.tau.clone() },
            defines: self.define.clone(),
            as_written: false,
            claims: self.ltl.clone(),
            fair: self.fair,
            marking: self.marking.clone(),
            allow_c: self.allow_c,
        }
    }
}

impl ModelArgs {
    /// What is asked for.
    pub fn models(&self) -> Models {
        Models { paths: self.models.clone(), reading: self.reading.reading() }
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
    property: Option<PathBuf>,
    /// FILE, an automaton for the negation, never accepts (accepting states have a self-loop `accept`)
    #[arg(long, value_name = "FILE.aut", help_heading = "Query")]
    monitor: Option<PathBuf>,
    /// A named pattern, such as 'precedes(b, a)' (see `prequel pattern --help`)
    #[arg(long, value_name = "TEXT", help_heading = "Query")]
    pattern: Option<String>,
    /// Some reachable state satisfies EXPR: comp@state with & | ! and parentheses; for Promela and DVE, one of its own expressions
    /// over globals and proc@label or process.state; for Petri nets, comparisons of tokens such as p1 + p2 >= 2; for circuits, an
    /// SMV expression over the variables; @FILE reads it from a file
    #[arg(long, value_name = "EXPR", value_parser = Reach::given, help_heading = "Query")]
    reach: Option<Reach>,
    /// The formula of this name in the formula files beside a Petri net (all of them, if no query is given)
    #[arg(long, value_name = "NAME", help_heading = "Query")]
    formula: Option<String>,
    /// No reachable state is without a successor (for Promela: no invalid end state)
    #[arg(long, help_heading = "Query")]
    deadlock_free: bool,
    /// No assertion of a Promela or DVE model fails; how it ends and its claims are not asked
    #[arg(long, help_heading = "Query")]
    assertions: bool,
    /// No run of a Promela model comes through an accept label of a process again and again; claims are not asked
    #[arg(long, help_heading = "Query")]
    accept_labels: bool,
    /// No run of a Promela model avoids progress labels for ever, as SPIN's -l asks it; claims are not asked
    #[arg(long, help_heading = "Query")]
    non_progress: bool,
    /// No process of a Promela or DVE model stays blocked for ever: from every reachable state each can eventually move or has ended
    #[arg(long, help_heading = "Query")]
    no_stuck: bool,
    /// From every reachable state a marked state can be reached
    #[arg(long, help_heading = "Query")]
    nonblocking: bool,
    /// No specification or supervisor of a Supremica file disables an uncontrollable event that the plant enables
    #[arg(long, help_heading = "Query")]
    controllable: bool,
    /// All that a Supremica file does is allowed by each of its PROPERTY automata
    #[arg(long, help_heading = "Query")]
    included: bool,
}

impl QueryArgs {
    /// The one that is given.
    pub fn question(&self) -> Question {
        let flag = |set: bool, question: Question| set.then_some(question);
        (self.property.clone().map(Question::Property))
            .or(self.monitor.clone().map(Question::Monitor))
            .or(self.pattern.clone().map(Question::Pattern))
            .or(self.reach.clone().map(Question::Reach))
            .or(self.formula.clone().map(Question::Formula))
            .or(flag(self.deadlock_free, Question::DeadlockFree))
            .or(flag(self.assertions, Question::Assertions))
            .or(flag(self.accept_labels, Question::AcceptLabels))
            .or(flag(self.non_progress, Question::NonProgress))
            .or(flag(self.no_stuck, Question::NoStuck))
            .or(flag(self.nonblocking, Question::Nonblocking))
            .or(flag(self.controllable, Question::Controllable))
            .or(flag(self.included, Question::Included))
            .unwrap_or_default()
    }
}
