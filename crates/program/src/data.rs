//! A program: processes as automata over shared cells and channels.

use super::expression::{Expression, Place, Receive};
use super::value::ValueType;
use prequel_formats::promela::source::Span;

/// A program whose names are resolved.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Global variables, one cell each; a channel variable holds the number of its channel.
    pub globals: Vec<Cell>,
    /// What the global cells start as.
    pub initial: Vec<i32>,
    /// Every kind of channel that a declaration makes.
    pub channel_types: Vec<ChannelType>,
    /// Channels that exist from the start, by type; the first one is number 1.
    pub channels: Vec<u32>,
    /// The variables that these channels start in.
    pub channel_names: Vec<Box<str>>,
    /// What can be run.
    pub proctypes: Vec<Proctype>,
    /// Processes that run from the start, with their arguments: the process number is the position.
    pub active: Vec<u32>,
    /// The proctype of the `never` claim, if there is one.
    pub claim: Option<u32>,
    /// What the claim says.
    pub property: Option<Property>,
    /// The claim asks whether any process can move: `timeout` and `np_` depend on it.
    pub watches_standstill: bool,
    /// Processes have priorities: the last cell of each.
    pub priorities: bool,
    /// Both sides of a rendezvous look at the state before it: the receiver moves first and the sender last, as in DVE.
    pub senders_last: bool,
    /// What sends and receives must look like.
    pub trace: Option<Trace>,
    /// The states that remote references to labels mean; none if the label is never reached.
    pub labels: Vec<Option<u32>>,
    /// Where the number of the last moving process is kept, if the program asks for it.
    pub last: Option<u32>,
    /// Every statement, for people.
    pub statements: Vec<Statement>,
    /// The constants of each kind of `mtype`, by their numbers from 1.
    pub names: Vec<Vec<Box<str>>>,
    /// The same program with fewer states, if that is what is to be searched.
    pub optimised: Option<Box<Program>>,
    /// The same program with a smaller claim for the same formula, if that is what is to be searched.
    pub smaller_claim: Option<Box<Program>>,
}

impl Program {
    /// What is to be searched for violations of the claim. What is found there has to be [`restated`](super::restated()).
    pub fn with_smaller_claim(&self) -> &Program {
        self.smaller_claim.as_deref().unwrap_or(self)
    }

    /// Whether the claim is the negation of a formula.
    pub fn has_formula(&self) -> bool {
        self.property.as_ref().is_some_and(|property| property.formula.is_some())
    }

    /// What people call a channel, by its position.
    pub fn channel_name(&self, position: usize) -> String {
        self.channel_names.get(position).map_or_else(|| format!("channel {}", position + 1), ToString::to_string)
    }

    /// How many channels a process of a proctype makes when it starts.
    pub fn own_channels(&self, proctype: u32) -> usize {
        let setups = &self.proctypes[proctype as usize].prologue;
        setups.iter().filter(|setup| matches!(setup, Setup::Channel(..))).count()
    }
}

/// A `trace` or `notrace`: an automaton that moves with the sends and receives on its channels.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// `notrace`: it must not come to its end.
    pub negated: bool,
    /// The global cell that keeps its state.
    pub cell: u32,
    /// It starts in state 0.
    pub states: Vec<TraceState>,
    /// The state behind its last event.
    pub end: u32,
    /// Where it stands, for people.
    pub statement: u32,
}

/// A state of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceState {
    /// Events that it takes, and where they lead.
    pub events: Vec<(Event, u32)>,
    /// The program may end here.
    pub end: bool,
}

/// A send or receive that is looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Otherwise a receive.
    pub send: bool,
    /// On which channel.
    pub channel: Expression,
    /// What the fields must be; nothing where they may be anything.
    pub fields: Box<[Option<Expression>]>,
}

/// A claim as people know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// As declared, or as SPIN calls it.
    pub name: Box<str>,
    /// The formula, if it was one: then an assertion of the claim that fails shows that it does not hold.
    pub formula: Option<Box<str>>,
    /// In which file.
    pub file: Box<str>,
    /// In which line.
    pub line: usize,
    /// Runs without an end can violate it too.
    pub cyclic: bool,
    /// A run that ends counts as one whose last state is repeated; otherwise it is none.
    pub repeats_ends: bool,
    /// The formula does not count: a run and one that repeats some of its states both satisfy it, or neither does. A claim of the
    /// user's is asked itself (`ltl::counts`).
    pub stutters: bool,
}

impl Property {
    /// What it is called in messages.
    pub fn title(&self) -> String {
        format!("{} {}", if self.formula.is_some() { "formula" } else { "never claim" }, self.name)
    }
}

/// A cell of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What people call it: `x`, `a[2].b`.
    pub name: Box<str>,
    /// What it keeps.
    pub ty: ValueType,
    /// Whether it can differ between states; what never changes, or is hidden and never read, is no part of a state.
    pub stored: bool,
}

/// A kind of channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelType {
    /// Zero for rendezvous.
    pub capacity: u32,
    /// Of a message.
    pub fields: Vec<ValueType>,
}

/// A kind of process.
#[derive(Clone, PartialEq, Debug)]
pub struct Proctype {
    /// As declared; `:init:` and `never` for those that have no name.
    pub name: Box<str>,
    /// Its cells, parameters first.
    pub cells: Vec<Cell>,
    /// How many of the cells are parameters.
    pub parameters: u32,
    /// What is done when it starts.
    pub prologue: Vec<Setup>,
    /// `D_proctype`: it never has a choice.
    pub deterministic: bool,
    /// Its priority, if it runs from the start.
    pub priority: u8,
    /// It moves only when this holds.
    pub provided: Option<Expression>,
    /// Its automaton; it starts in state 0.
    pub states: Vec<State>,
}

impl Proctype {
    /// Whether a control state can be left and come back to.
    pub fn returns_to(&self, state: u32) -> bool {
        let (mut seen, mut open) = (vec![false; self.states.len()], vec![state]);
        while let Some(at) = open.pop() {
            for target in self.states[at as usize].transitions.iter().filter_map(|t| t.target) {
                if target == state {
                    return true;
                }
                if !std::mem::replace(&mut seen[target as usize], true) {
                    open.push(target);
                }
            }
        }
        false
    }
}

/// What sets up a cell of a new process.
#[derive(Clone, PartialEq, Debug)]
pub enum Setup {
    /// The cell takes a value.
    Value(u32, Expression),
    /// The cell takes the number of a new channel of this type.
    Channel(u32, u32),
}

/// A control state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Tried in this order.
    pub transitions: Vec<Transition>,
    /// A process may end its days here.
    pub end: bool,
    /// What people call it, where the language has names for states.
    pub name: Option<Box<str>>,
    /// No run may come here again and again.
    pub accept: bool,
    /// Whoever rests here or comes here again and again makes progress.
    pub progress: bool,
    /// The labels that stand here, in the order of the text.
    pub labels: Box<[Box<str>]>,
}

impl State {
    /// Whether some of its transitions are only possible where others are not.
    pub fn is_ranked(&self) -> bool {
        self.transitions.iter().any(|transition| transition.action == Action::Else || transition.escape != 0)
    }
}

/// A step that a process may take.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// What is done.
    pub action: Action,
    /// The next state; none when the process ends.
    pub target: Option<u32>,
    /// No other process moves in between, unless this one is blocked.
    pub atomic: bool,
    /// Zero, or which escape it belongs to: once a transition of an escape was possible, only those of the same one are.
    pub escape: u32,
    /// Which statement, for people.
    pub statement: u32,
    /// Which element of its body: the same in a program and in its optimised twin.
    pub element: u32,
    /// What is done in the same step after it: in optimised programs, and as the effects of a DVE transition.
    pub then: Box<[Then]>,
}

/// What is done in the same step after an action. It never blocks.
#[derive(Clone, PartialEq, Debug)]
pub enum Then {
    /// A cell of the process, which nobody reads any more, becomes zero.
    Reset(u32),
    /// Another statement that nobody else can notice.
    Do {
        /// What is done.
        action: Action,
        /// Which statement, for people.
        statement: u32,
        /// Which element of the body.
        element: u32,
    },
}

/// What a step does.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Nothing.
    Skip,
    /// Possible when no transition before it is.
    Else,
    /// Possible when it holds.
    Condition(Expression),
    /// Sets a cell; none for `_`.
    Assign(Option<Place>, Expression),
    /// A fault unless it holds.
    Assert(Expression),
    /// Computes and prints.
    Print(Box<[Expression]>),
    /// Sends a message.
    Send(Box<Send>),
    /// Receives a message.
    Receive(Box<Receive>),
    /// Starts a process.
    Run(Box<Run>),
    /// Gives a process a priority.
    SetPriority(Box<(Expression, Expression)>),
    /// The process goes away, once it is the youngest.
    End,
    /// Several steps as one.
    Steps(Box<Steps>),
}

/// Sends a message.
#[derive(Clone, PartialEq, Debug)]
pub struct Send {
    /// Possible only when it holds.
    pub guard: Option<Expression>,
    /// To which channel.
    pub channel: Expression,
    /// Put in by its value, not at the end.
    pub sorted: bool,
    /// Its fields.
    pub arguments: Box<[Expression]>,
}

/// Starts a process.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Which kind.
    pub proctype: u32,
    /// Values of its parameters.
    pub arguments: Box<[Expression]>,
    /// Its priority.
    pub priority: u8,
    /// Where its number goes.
    pub into: Option<Place>,
}

/// The automaton of a `d_step`: it starts at node 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps {
    /// Its nodes.
    pub nodes: Vec<Node>,
}

/// A node of a `d_step`.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// Does something, then goes on at a node. The last is the statement.
    Do(Action, u32, u32),
    /// Goes on at the first node that can be executed.
    Choose(Vec<u32>),
    /// Goes on elsewhere.
    Jump(u32),
    /// The end.
    Exit,
}

/// A statement as people know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// In which file.
    pub file: Box<str>,
    /// In which line, counted from 1.
    pub line: usize,
    /// Its text.
    pub text: Box<str>,
    /// Its tokens in the model.
    pub span: Span,
}
