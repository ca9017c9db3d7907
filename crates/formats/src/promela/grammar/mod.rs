//! The grammar of Promela, with nom over tokens.
//!
//! Which construct stands somewhere is decided by looking at a token or two, never by trying one after the other: so a
//! sequence can report its wrong statements and go on, and the report is not thrown away. Nesting is bounded.

mod expression;
mod formula;
mod statement;
mod unit;

use super::Fault;
use super::lexer::{Kind, RESERVED, is_arrow};
use super::separators::{LINE_END, Token};
use super::source::{Origin, Sources, Span};
use super::syntax::{Expression, Formula, Reference, Unit};
use crate::text::suggest::nearest;
use crate::text::tokens::{Notes, Parsed, Tokens, exactly, some};
use nom::Input;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};

type In<'t, 'a> = Tokens<'t, 'a, Kind>;
type Out<'t, 'a, T> = Parsed<'t, 'a, Kind, T>;

/// How deep statements and expressions may be nested together.
const DEEPEST: usize = 150;

/// Names that decide what a construct is.
struct Known<'a> {
    /// Proctypes, each with the number of the token that names it: SPIN knows them only from there on.
    processes: FxHashMap<&'a str, usize>,
    /// Types, likewise.
    types: FxHashMap<&'a str, usize>,
    /// Constants.
    mtypes: FxHashSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(tokens: &[Token<'a>]) -> Self {
        let mut known =
            Known { processes: FxHashMap::default(), types: FxHashMap::default(), mtypes: FxHashSet::default() };
        for (at, pair) in tokens.windows(2).enumerate() {
            let [keyword, next] = pair else { continue };
            if keyword.kind != Kind::Keyword {
                continue;
            }
            match keyword.text {
                "proctype" | "D_proctype" => {
                    known.processes.entry(next.text).or_insert(at + 1);
                }
                "typedef" => {
                    known.types.entry(next.text).or_insert(at + 1);
                }
                "mtype" => {
                    let listed = |t: &&Token<'a>| t.kind == Kind::Name || matches!(t.text, "," | "{" | "=" | ":");
                    let names = tokens[at + 1..].iter().take_while(listed).filter(|t| t.kind == Kind::Name);
                    known.mtypes.extend(names.map(|t| t.text));
                }
                _ => {}
            }
        }
        known
    }
}

/// What ends a construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closer {
    Brace,
    Fi,
    Od,
}

impl Closer {
    fn of(token: &Token<'_>) -> Option<Self> {
        [Closer::Brace, Closer::Fi, Closer::Od].into_iter().find(|closer| closer.is(token))
    }

    fn text(self) -> &'static str {
        match self {
            Closer::Brace => "}",
            Closer::Fi => "fi",
            Closer::Od => "od",
        }
    }

    fn is(self, token: &Token<'_>) -> bool {
        token.text == self.text() && matches!(token.kind, Kind::Symbol | Kind::Keyword)
    }
}

struct Grammar<'t, 'a> {
    tokens: &'t [Token<'a>],
    notes: &'t Notes,
    sources: &'t Sources,
    known: Known<'a>,
    /// What the constructs around the present place wait for, outermost first.
    closers: RefCell<Vec<Closer>>,
    /// Where the inlines around the present place return to.
    targets: RefCell<Vec<Reference>>,
    /// Loops around the present place, which `break` could leave.
    loops: Cell<usize>,
    /// Formulas know all proctypes.
    in_formula: Cell<bool>,
    faults: RefCell<Vec<Fault>>,
    /// The token of the last report: one is enough.
    reported: Cell<Option<usize>>,
}

/// Reads the units of a model, and reports what is wrong in them.
pub fn read<'a>(tokens: &[Token<'a>], sources: &Sources, faults: &mut Vec<Fault>) -> Vec<Unit> {
    let notes = Notes::default();
    let grammar = Grammar::new(tokens, &notes, sources);
    let units = grammar.units(Tokens::new(tokens, &notes));
    faults.extend(grammar.faults.into_inner());
    units
}

/// Reads the goal, which is all tokens from `first` on, in a file of its own.
pub fn read_goal<'a>(
    tokens: &[Token<'a>],
    first: usize,
    file: u32,
    sources: &Sources,
    faults: &mut Vec<Fault>,
) -> Option<Expression> {
    if first == tokens.len() {
        let origin = Origin { file, start: 0, end: 0, via: None };
        faults.push(Fault::new(origin, "expected an expression", "write a condition such as `x == 1` or `p@label`"));
        return None;
    }
    let notes = Notes::default();
    let grammar = Grammar::new(tokens, &notes, sources);
    grammar.in_formula.set(true);
    let help =
        "an expression of Promela over globals, `process@label` and `process[pid]@label`, joined by `&`, `|` and `!`";
    let goal = grammar.alone(first, |input| grammar.anywhere(input, 0), "expression", help);
    faults.extend(grammar.faults.into_inner());
    goal
}

/// Reads a formula, which is all tokens from `first` on, in a file of its own.
pub fn read_formula<'a>(
    tokens: &[Token<'a>],
    first: usize,
    file: u32,
    sources: &Sources,
    faults: &mut Vec<Fault>,
) -> Option<Formula> {
    let help = "a formula such as `[] (p -> <> q)` over globals and `process@label`";
    if first == tokens.len() {
        let origin = Origin { file, start: 0, end: 0, via: None };
        faults.push(Fault::new(origin, "expected a formula", help));
        return None;
    }
    let notes = Notes::default();
    let grammar = Grammar::new(tokens, &notes, sources);
    grammar.in_formula.set(true);
    let formula = grammar.alone(first, |input| grammar.formula(input, 0), "formula", help);
    faults.extend(grammar.faults.into_inner());
    formula
}

fn keyword<'t, 'a: 't>(text: &'static str) -> impl Fn(In<'t, 'a>) -> Out<'t, 'a, Token<'a>> {
    exactly(Kind::Keyword, text)
}

fn symbol<'t, 'a: 't>(text: &'static str) -> impl Fn(In<'t, 'a>) -> Out<'t, 'a, Token<'a>> {
    exactly(Kind::Symbol, text)
}

fn separator<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Token<'a>> {
    some("`;`", |t: &Token<'a>| t.kind == Kind::Separator)(input)
}

fn is_symbol(token: &Token<'_>, text: &str) -> bool {
    token.kind == Kind::Symbol && token.text == text
}

/// Whether statements are separated here.
fn separates(token: &Token<'_>) -> bool {
    token.kind == Kind::Separator || token.kind == Kind::Symbol && is_arrow(token.text)
}

fn is_keyword(token: &Token<'_>, text: &str) -> bool {
    token.kind == Kind::Keyword && token.text == text
}

impl<'t, 'a: 't> Grammar<'t, 'a> {
    fn new(tokens: &'t [Token<'a>], notes: &'t Notes, sources: &'t Sources) -> Self {
        Grammar {
            tokens,
            notes,
            sources,
            known: Known::of(tokens),
            closers: RefCell::default(),
            targets: RefCell::default(),
            loops: Cell::new(0),
            in_formula: Cell::new(false),
            faults: RefCell::default(),
            reported: Cell::new(None),
        }
    }

    /// What starts at a token and ends with the last.
    fn alone<T>(
        &self,
        first: usize,
        parse: impl Fn(In<'t, 'a>) -> Out<'t, 'a, T>,
        what: &str,
        help: &str,
    ) -> Option<T> {
        let input = self.at(first);
        let read = parse(input);
        let rest = match &read {
            Ok((rest, _)) if rest.first().is_none() => return read.ok().map(|(_, goal)| goal),
            Ok((rest, _)) => *rest,
            Err(_) => input,
        };
        let (position, finding) = self.notes.finding(self.tokens);
        let (position, message) = match rest.first() {
            Some(token) if read.is_ok() && position <= rest.position() => {
                (rest.position(), format!("expected an operator or the end of the {what}, found `{}`", token.text))
            }
            _ => {
                (position.max(first), finding.message.replace("the end of the file", &format!("the end of the {what}")))
            }
        };
        self.fault(position, message, finding.help.unwrap_or_else(|| help.into()));
        None
    }

    /// The input from a token on.
    fn at(&self, position: usize) -> In<'t, 'a> {
        Tokens::new(self.tokens, self.notes).take_from(position.min(self.tokens.len()))
    }

    /// From a token to the one before `rest`.
    fn span(&self, start: usize, rest: In<'t, 'a>) -> Span {
        let last = rest.position().saturating_sub(1).max(start);
        Span { first: start as u32, last: last as u32 }
    }

    /// Fails where nesting is too deep.
    fn bounded(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, ()> {
        if depth < DEEPEST {
            return Ok((input, ()));
        }
        let message = format!("statements and expressions are nested more than {DEEPEST} levels deep here");
        input.refuse_with(message, "split this up")
    }

    /// Whether a name is that of a proctype which SPIN knows at a token.
    fn is_process(&self, name: &str, position: usize) -> bool {
        self.known.processes.get(name).is_some_and(|at| *at < position || self.in_formula.get())
    }

    /// Whether a name is that of a type which SPIN knows at a token.
    fn is_type(&self, name: &str, position: usize) -> bool {
        self.known.types.get(name).is_some_and(|at| *at < position)
    }

    /// The place of a token; that behind the last one, for the end of the file.
    fn origin(&self, position: usize) -> Origin {
        match self.sources.tokens.get(position).or(self.sources.tokens.last()) {
            Some(origin) if position >= self.tokens.len() && origin.via.is_none() => {
                Origin { start: origin.end, end: origin.end + 1, ..*origin }
            }
            Some(origin) => *origin,
            None => Origin { file: 0, start: 0, end: 0, via: None },
        }
    }

    fn fault(&self, position: usize, message: String, help: String) {
        if self.reported.replace(Some(position)) != Some(position) {
            self.faults.borrow_mut().push(Fault::new(self.origin(position), message, help));
        }
    }

    /// Reports what went wrong in a statement. Gives the token where.
    fn report_here(&self, start: In<'t, 'a>) -> usize {
        let (position, finding) = self.notes.finding(self.tokens);
        let position = position.max(start.position());
        let help = finding.help.unwrap_or_else(|| self.statement_help(position, &finding.message));
        self.fault(position, finding.message, help);
        position
    }

    /// What to do about an error in a statement.
    fn statement_help(&self, position: usize, message: &str) -> String {
        let token = self.tokens.get(position);
        if let Some(near) = token.and_then(misspelt) {
            return format!("did you mean `{near}`?");
        }
        let before = position.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or("", |t| t.text);
        let named = ["a variable", "the name", "a label"].iter().any(|what| message.contains(what));
        match token {
            None => "the model breaks off here".into(),
            Some(token) if named && token.kind == Kind::Keyword => {
                format!("`{}` is reserved and cannot be used as a name", token.text)
            }
            Some(token) if Closer::of(token).is_some() => {
                "a sequence cannot be empty or break off; write `skip`".into()
            }
            Some(token) if token.text == LINE_END => {
                "a line end separates statements; end the line with an operator, or use parentheses".into()
            }
            _ if message.starts_with("expected `::`") => {
                "options start with `::`, as in `if :: condition -> statement :: else -> statement fi`".into()
            }
            _ if message.starts_with("expected `)`") => "close the parenthesis".into(),
            Some(token) if token.text == "=" && ["+", "-", "*", "/"].contains(&before) => {
                "there are no such assignments in Promela; write `x = x + 1`".into()
            }
            _ if message.starts_with("expected an expression") => "a value is missing here".into(),
            _ if before == "while" => {
                "Promela has no `while`; write `do :: condition -> statement :: else -> break od`".into()
            }
            _ => "separate statements by `;`, `->` or the end of a line".into(),
        }
    }

    /// Reports two statements without anything between them.
    fn unseparated(&self, input: In<'t, 'a>) {
        // What else could have stood here matters less than that the statement is complete.
        let (furthest, finding) = self.notes.finding(self.tokens);
        let found = input.first().map_or("the end of the file".into(), |t| format!("`{}`", t.text));
        let before = input.position().checked_sub(1).and_then(|at| self.tokens.get(at));
        if let Some(near) = before.filter(|t| t.kind == Kind::Name).and_then(misspelt) {
            let message = format!("expected `;` or an operator, found {found}");
            let at = input.position() - 1;
            return self.fault(at, message, format!("did you mean `{near}` instead of `{}`?", self.tokens[at].text));
        }
        let complete = format!("expected `;` or an operator, found {found}");
        let message = if furthest > input.position() { finding.message } else { complete };
        let help = self.statement_help(input.position(), &message);
        self.fault(input.position(), message, help);
    }

    /// Whether a closer stands here that nothing around waits for: it was meant for the innermost construct.
    fn mistaken(&self, input: In<'t, 'a>) -> bool {
        input.first().and_then(Closer::of).is_some_and(|closer| !self.closers.borrow().contains(&closer))
    }

    /// Reports that a construct is not closed.
    fn missing(&self, input: In<'t, 'a>, closer: Closer, opening: In<'t, 'a>) {
        let _ = self.notes.finding(self.tokens);
        let position = input.position();
        let text = closer.text();
        let found = input.first().map_or("the end of the file".into(), |t| format!("`{}`", t.text));
        let opener = opening.first().map_or("", |t| t.text);
        let line = self.sources.place_of(self.origin(opening.position())).line;
        // A misspelt closer looks like a variable.
        let inside = &self.tokens[opening.position()..position.min(self.tokens.len())];
        let typo = inside.iter().rposition(|t| t.kind == Kind::Name && near(t.text, text));
        match typo.filter(|_| closer != Closer::Brace) {
            Some(at) => {
                let message = format!("`{}` does not close the `{opener}` of line {line}", inside[at].text);
                self.fault(opening.position() + at, message, format!("did you mean `{text}`?"));
                self.reported.set(Some(position));
            }
            None => {
                let message = format!("expected `{text}` to close the `{opener}` of line {line}, found {found}");
                let meant = input.first().and_then(Closer::of).is_some_and(|c| !self.closers.borrow().contains(&c));
                let help =
                    if meant { format!("write `{text}` instead") } else { format!("write `{text}` before this") };
                self.fault(position, message, help);
            }
        }
    }

    /// Reports what went wrong in a unit. Gives the token where.
    fn report_unit(&self, start: In<'t, 'a>) -> usize {
        let (position, finding) = self.notes.finding(self.tokens);
        let position = position.max(start.position());
        let help = finding.help.unwrap_or_else(|| match self.tokens.get(position) {
            Some(token) => match misspelt(token) {
                Some(near) => format!("did you mean `{near}`?"),
                None if token.kind == Kind::Keyword => {
                    format!("`{}` is reserved, and has no place here", token.text)
                }
                None => {
                    "a model consists of declarations, `mtype`, `typedef`, `inline`, `proctype`, `init`, `never` and \
                         `ltl`"
                        .into()
                }
            },
            None => "the model breaks off here".into(),
        });
        self.fault(position, finding.message, help);
        position
    }
}

/// The keyword that a name was probably meant to be.
fn misspelt(token: &Token<'_>) -> Option<&'static str> {
    if token.kind != Kind::Name {
        return None;
    }
    nearest(token.text, RESERVED).first().copied()
}

/// Whether a short word is another with one letter too many, or in other case.
fn near(text: &str, other: &str) -> bool {
    text.eq_ignore_ascii_case(other) || text.starts_with(other) && text.len() == other.len() + 1
}
