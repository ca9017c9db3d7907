//! The user's text with folded processes in the places of its own; all the rest is kept byte by byte.
//!
//! | step | module |
//! | --- | --- |
//! | what is declared, and what things are called | `declare` |
//! | the text of one kind of process | `body` |
//! | a text for each process of a kind, where that pays | `split` |
//! | types that are no wider than needed, as SPIN keeps them | `narrow`, `storage` |
//! | these, and what SPIN may know of channels, put into the text | `finish` |
//! | from a run of the new text to one of the user's | `run_to_user` |
//! | the same beside a claim, and for runs without an end | `claimed_run` |
//!
//! A process is replaced where that makes it smaller, and where its text does not grow beyond measure. What was written is read again
//! and compared with what was meant, so that a mistake in writing leaves the user's process where it stood.

mod body;
mod claimed_run;
mod declare;
mod finish;
mod narrow;
mod run_to_user;
mod split;
pub(crate) mod storage;

pub use body::Step;
pub use finish::Exclusive;
pub use narrow::Narrowed;

use crate::replace::{apply, directives_of, place_prefix, span, words_of};
use body::{Body, Line};
use declare::{Names, declarations, header, promises};
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{ExpressionKind, Model, Unit};
use prequel_formats::promela::visit;
use prequel_formats::promela::{self, Text};
use prequel_model::watch::Watch;
use prequel_program::residual::{Facts, Folding, Left, Options, Residual, Rule, Rules, Variable, facts};
use prequel_program::{Claim, Proctype, Program, compile, optimised};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A written process may be so many times as long as the user's.
const LONGER: usize = 2;
/// A line has at least so many characters.
const LINE: usize = 8;
/// So many characters are not too long in any case.
const SHORT: usize = 1000;
/// Nor are so many for a whole text in which each process has its own.
const SHORT_TEXT: usize = 4500;
/// Each of several processes has to become so many times smaller by that.
const GAIN: usize = 2;

/// Why a process stays as it is whose text would be longer than what is gained.
const TOO_LONG: &str = "its text would become too long";

/// What became of one kind of process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What it is called.
    pub name: String,
    /// Its states before, control and folded variables, and its classes afterwards.
    pub states: [usize; 2],
    /// Its steps before and after.
    pub transitions: [usize; 2],
    /// States that a search still tells apart, variables that were not folded among them.
    pub apart: usize,
    /// Different statements that are left.
    pub labels: usize,
    /// Lines of its text before and after.
    pub lines: [usize; 2],
    /// Variables that were folded.
    pub folded: Vec<String>,
    /// How many values each of them has.
    pub values: Vec<usize>,
    /// Whether it stands still now, since no assertion depends on it.
    pub outside: bool,
    /// Why it stays as it is, if it does.
    pub left: Option<String>,
}

impl Change {
    /// How many states a search tells apart of what a process was before, if more of it is folded now.
    fn apart_before(&self, before: &Change) -> usize {
        let more = self.folded.iter().zip(&self.values).filter(|(name, _)| !before.folded.contains(name));
        more.fold(before.apart, |apart, (_, values)| apart.saturating_mul(*values))
    }

    /// What was forgotten of it, in words.
    pub fn explained(&self) -> String {
        let Self { name, states: [before, after], folded, left, .. } = self;
        if let Some(why) = left {
            return format!("{name} stays as it is: {why}");
        }
        if self.outside {
            return format!("{name} stands still: no assertion depends on it, and end states are not kept");
        }
        let variables = match &folded[..] {
            [] => "no variable of it is folded".into(),
            [one] => format!("the value of {one} is part of where control is"),
            more => format!("the values of {} are part of where control is", more.join(", ")),
        };
        format!(
            "{name}: {variables}; of its {before} states {after} can be told apart by what the process still does to globals, \
             channels and other processes, and steps between those that cannot are forgotten"
        )
    }
}

/// A text with folded processes.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The text, in the encoding of the user's.
    pub text: Vec<u8>,
    /// What is read in it.
    pub model: Model,
    /// Whether all of it had to be preprocessed, because something came out of a macro or another file.
    pub preprocessed: bool,
    /// What became of each kind of process.
    pub changes: Vec<Change>,
    /// Why every step of every process had to stay one, if it had to.
    pub counted: Option<&'static str>,
    /// Variables that have a narrower type.
    pub narrowed: Vec<Narrowed>,
    /// What SPIN is told of channels.
    pub exclusive: Vec<Exclusive>,
    /// The text before SPIN was told of channels, and what is read in it.
    untold: Option<Box<(Vec<u8>, Model)>>,
    /// By line, counted from 1: the steps of folded processes.
    steps: FxHashMap<usize, Step>,
    /// By proctype: its folded form where it was replaced.
    residuals: Vec<Option<Residual>>,
    /// The program that was folded, if it has more kinds of processes than the user's; its steps are the same.
    split: Option<Box<Program>>,
}

impl Folded {
    /// Whether any process was replaced.
    pub fn is_smaller(&self) -> bool {
        self.residuals.iter().any(Option::is_some)
    }

    /// Whether anything at all is written otherwise.
    pub fn is_changed(&self) -> bool {
        self.is_smaller() || !self.narrowed.is_empty() || !self.exclusive.is_empty()
    }

    /// The program whose processes were folded: the user's, or one with the same steps and a kind for each process.
    pub fn folded<'a>(&'a self, program: &'a Program) -> &'a Program {
        self.split.as_deref().unwrap_or(program)
    }
}

/// Why nothing can be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotFolded {
    /// A limit was reached.
    #[error("the time is up")]
    Stopped,
    /// The text could not be read in the way that the program was.
    #[error("{0}")]
    Refused(String),
}

/// What the labels became that are asked about, by kind.
type Became = FxHashMap<(usize, String), Vec<String>>;

/// Something has to be changed that stands in a macro or in another file.
struct Uncut;

/// Folds the processes of a text.
///
/// `model` is what was read in the text. Where `alone`, the result may not include files: it will stand elsewhere.
pub fn fold(
    text: &Text,
    model: &Model,
    options: Options,
    only: &[String],
    alone: bool,
    watch: &Watch,
) -> Result<Folded, NotFolded> {
    let folded = fold_processes(text, model, options, only, alone, watch)?;
    Ok(if only.is_empty() { folded.finished(text, options.rules, watch) } else { folded })
}

/// The same before the last changes.
fn fold_processes(
    text: &Text,
    model: &Model,
    options: Options,
    only: &[String],
    alone: bool,
    watch: &Watch,
) -> Result<Folded, NotFolded> {
    if !alone || model.sources.texts().count() <= 1 {
        let header: String = text.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        if let Ok(folded) = fold_as_it_is(text, model, options, only, header, watch)? {
            return Ok(folded);
        }
    }
    let refused = || NotFolded::Refused("the text cannot be read once macros and inclusions are put in".into());
    let Text { name, bytes, folder, defines, .. } = text;
    let plain = promela::preprocessed(name, bytes, folder, defines, &model.sources).ok_or_else(refused)?;
    let (model, _) = promela::read(name, plain.as_bytes(), folder, &[]).map_err(|_| refused())?;
    let folded = fold_as_it_is(text, &model, options, only, String::new(), watch)?.map_err(|Uncut| refused())?;
    Ok(Folded { preprocessed: true, ..folded })
}

/// Folds the processes of a text in which all stands that has to be changed; each with a text of its own where that pays.
fn fold_as_it_is(
    text: &Text,
    model: &Model,
    options: Options,
    only: &[String],
    header: String,
    watch: &Watch,
) -> Result<Result<Folded, Uncut>, NotFolded> {
    let folded = match fold_kinds(text, model, options, only, header.clone(), watch)? {
        Ok(folded) if only.is_empty() && options.rules.has(Rule::Split) => folded,
        other => return Ok(other),
    };
    let Ok((program, _)) = compile(model, Claim::None) else { return Ok(Ok(folded)) };
    let mut wanted = split::kinds(model, &program);
    while !wanted.is_empty() {
        let Some(split) = split::split(text, model, &program, &wanted) else { break };
        let Ok(copied) = fold_kinds(&split.text, &split.model, options, only, header.clone(), watch)? else { break };
        let pays = |kind: &usize| {
            let before = &folded.changes[*kind];
            let mut copies = copied.changes.iter().zip(&split.of).filter(|(_, of)| *of == kind);
            copies.all(|(copy, _)| copy.left.is_none() && copy.apart.saturating_mul(GAIN) <= copy.apart_before(before))
        };
        let (paid, idle): (Vec<usize>, Vec<usize>) = wanted.iter().copied().partition(pays);
        let room = (text.bytes.len() * LONGER).max(SHORT_TEXT);
        if idle.is_empty() && copied.text.len() <= room {
            let split = compile(&split.model, Claim::None).ok().map(|(program, _)| Box::new(program));
            return Ok(Ok(if split.is_some() { Folded { split, ..copied } } else { folded }));
        }
        if idle.is_empty() {
            break;
        }
        wanted = paid;
    }
    Ok(Ok(folded))
}

/// Folds the processes of a text, each kind once.
fn fold_kinds(
    text: &Text,
    model: &Model,
    options: Options,
    only: &[String],
    header: String,
    watch: &Watch,
) -> Result<Result<Folded, Uncut>, NotFolded> {
    let refused = |why: &str| NotFolded::Refused(why.into());
    let (program, _) =
        compile(model, Claim::None).map_err(|_| refused("the text has no meaning without its claims"))?;
    let facts =
        facts(model, &program, options.rules).ok_or_else(|| refused("the program was not made of this text"))?;
    let kept = vec![Vec::new(); program.proctypes.len()];
    // A claim is about more than assertions.
    let claims = |unit: &Unit| matches!(unit, Unit::Never(_) | Unit::Ltl(_) | Unit::Trace(_));
    let options = Options { ends: options.ends || model.units.iter().any(claims), ..options };
    let folding = Folding::new(&program, &facts, options, &kept, watch).ok_or(NotFolded::Stopped)?;
    let residuals: Vec<Result<Residual, Left>> = (0..kept.len()).map(|kind| folding.residual(kind)).collect();
    let whole = residuals.clone();
    let merged = optimised(model, Claim::None).map_or_else(|_| Vec::new(), |(program, _)| stored(&program));
    let merged = (0..kept.len()).map(|kind| merged.get(kind).copied().unwrap_or(usize::MAX)).collect();
    let prefix = place_prefix(&words_of(model));
    let (program, facts) = (&program, &facts);
    let fold = Fold {
        text,
        model,
        program,
        facts,
        folding,
        residuals,
        whole,
        kept,
        merged,
        options,
        header,
        prefix,
        only,
        watch,
    };
    Ok(fold.write())
}

struct Fold<'a> {
    text: &'a Text,
    model: &'a Model,
    program: &'a Program,
    facts: &'a Facts<'a>,
    folding: Folding<'a>,
    residuals: Vec<Result<Residual, Left>>,
    /// The same with all folded that can be, however long it is.
    whole: Vec<Result<Residual, Left>>,
    /// Variables of each kind that are not folded, for its text would be too long.
    kept: Vec<Vec<Variable>>,
    /// Control states that SPIN stores of each kind, once it has merged statements.
    merged: Vec<usize>,
    options: Options,
    watch: &'a Watch,
    header: String,
    prefix: String,
    only: &'a [String],
}

/// A text in the making, with what its lines stand for.
#[derive(Default)]
struct Written {
    text: String,
    steps: FxHashMap<usize, Step>,
    line: usize,
}

impl Written {
    fn raw(&mut self, text: &str) {
        self.line += text.matches('\n').count();
        self.text += text;
    }

    fn lines(&mut self, lines: Vec<Line>) {
        for Line { text, step } in lines {
            self.steps.extend(step.map(|step| (self.line + 1, step)));
            self.raw(&text);
            self.raw("\n");
        }
    }
}

impl Fold<'_> {
    /// The text with all processes that became smaller, less those that were not written as they were meant.
    fn write(mut self) -> Result<Folded, Uncut> {
        let mut chosen: Vec<Option<String>> = (0..self.residuals.len()).map(|kind| self.not_worth(kind)).collect();
        loop {
            let (written, lengths) = self.attempt(&mut chosen)?;
            if chosen.iter().any(|left| left.as_deref() == Some(TOO_LONG)) && self.fold_less(&chosen) {
                chosen = (0..self.residuals.len()).map(|kind| self.not_worth(kind)).collect();
                continue;
            }
            let text = encoded(self.text, written.text);
            let Text { name, folder, .. } = self.text;
            let read = promela::read_beside(name, &text, folder, &[], &self.model.sources).ok();
            let compiled = read.and_then(|(model, _)| Some((compile(&model, Claim::None).ok()?.0, model)));
            let Some((emitted, model)) = compiled else {
                // Whatever was written, it does not stand where it was put: all stays as it is.
                if chosen.iter().all(Option::is_some) {
                    return Err(Uncut);
                }
                chosen
                    .iter_mut()
                    .for_each(|left| *left = left.take().or(Some("its names mean something else there".into())));
                continue;
            };
            let (_, became) = self.labels(&chosen);
            let wrong = |kind: &usize| chosen[*kind].is_none() && !self.is_as_meant(*kind, &model, &emitted, &became);
            let mistaken: Vec<usize> = (0..chosen.len()).filter(wrong).collect();
            if mistaken.is_empty() {
                let (changes, counted) = (self.changes(&chosen, &lengths), self.facts.counted);
                let residuals = self.residuals.into_iter().zip(&chosen);
                let residuals = residuals.map(|(residual, left)| residual.ok().filter(|_| left.is_none())).collect();
                let steps = written.steps;
                return Ok(Folded {
                    text,
                    model,
                    preprocessed: false,
                    changes,
                    counted,
                    narrowed: Vec::new(),
                    exclusive: Vec::new(),
                    untold: None,
                    steps,
                    residuals,
                    split: None,
                });
            }
            for kind in mistaken {
                chosen[kind] = Some("what it does cannot be written in Promela".into());
            }
        }
    }

    /// Folds less of those whose text is too long; whether that is possible.
    fn fold_less(&mut self, chosen: &[Option<String>]) -> bool {
        let mut less = false;
        for (kind, left) in chosen.iter().enumerate() {
            if left.as_deref() == Some(TOO_LONG)
                && let Ok(residual) = &self.residuals[kind]
                && let Some(shorter) = self.shorter(kind, residual)
            {
                let gone = |variable: &&Variable| shorter.plan.position(**variable).is_none();
                let kept: Vec<Variable> = residual.plan.folded().iter().filter(gone).copied().collect();
                self.kept[kind].extend(kept);
                less = true;
            }
        }
        let again = less.then(|| Folding::new(self.program, self.facts, self.options, &self.kept, self.watch));
        if let Some(folding) = again.flatten() {
            self.residuals = (0..self.kept.len()).map(|kind| folding.residual(kind)).collect();
            self.folding = folding;
            return true;
        }
        false
    }

    /// A kind of process with less of it folded: what is short enough and leaves fewest states, else what comes closest to both.
    fn shorter(&self, kind: usize, residual: &Residual) -> Option<Residual> {
        let whole = self.whole[kind].as_ref().ok()?;
        let room = self.room(kind)?;
        let mut residual = residual.clone();
        loop {
            let folded = residual.plan.folded();
            let mut best: Option<(bool, usize, Residual)> = None;
            for (at, &variable) in folded.iter().enumerate() {
                let group = residual.plan.group(variable);
                if self.watch.allowed().is_err() || folded[..at].iter().any(|earlier| group.contains(earlier)) {
                    continue;
                }
                let Some(less) = self.folding.with_kept(&residual, variable) else { continue };
                let (length, apart) = (self.length(kind, &less, room).unwrap_or(usize::MAX), less.told_apart(whole));
                let fits = length <= room;
                let cost = if fits { apart } else { apart.saturating_mul(length) };
                if best.as_ref().is_none_or(|(other, least, _)| (!fits, cost) < (!other, *least)) {
                    best = Some((fits, cost, less));
                }
            }
            let (fits, _, less) = best?;
            if fits {
                return Some(less);
            }
            residual = less;
        }
    }

    /// How long the text of a kind of process may become.
    fn room(&self, kind: usize) -> Option<usize> {
        let unit =
            self.model.units.iter().filter(|unit| matches!(unit, Unit::Proctype(_) | Unit::Init(_))).nth(kind)?;
        Some((self.model.sources.extent(span(unit))?.len() * LONGER).max(SHORT))
    }

    /// How long the text of a folded process is at least; none where it cannot be written.
    fn length(&self, kind: usize, residual: &Residual, room: usize) -> Option<usize> {
        let classes = residual.quotient.classes.len();
        if classes * LINE > room {
            // It need not be written to know that.
            return Some(classes * LINE);
        }
        let mut became = FxHashMap::default();
        let labels = self.labels_of(kind, residual, &mut became);
        let names = Names::new(self.program, self.facts, kind, &became);
        Some(length(&self.lines(kind, residual, &names, &labels, false)?))
    }

    /// The lines of a folded process, variables and steps, with or without the lines of the user's statements as comments.
    fn lines(
        &self,
        kind: usize,
        residual: &Residual,
        names: &Names<'_>,
        labels: &[Vec<String>],
        comments: bool,
    ) -> Option<Vec<Line>> {
        let body = Body::new(self.program, residual, names, &self.prefix, labels.to_vec(), comments).write()?;
        let declared = declarations(self.program, self.facts, residual, self.model, names)?;
        let promised = promises(self.model, self.facts, kind);
        let silent = |text: String| Line { text, step: None };
        Some(declared.into_iter().chain(promised).map(silent).chain(body).collect())
    }

    /// Why a kind of process is better left alone, before it is written.
    fn not_worth(&self, kind: usize) -> Option<String> {
        let name = &*self.program.proctypes[kind].name;
        if !self.only.is_empty() && !self.only.iter().any(|wanted| wanted == name) {
            return Some("it was not asked for".into());
        }
        match &self.residuals[kind] {
            Err(Left(why)) => Some((*why).into()),
            Ok(residual) if residual.outside => None,
            Ok(residual) if !residual.is_smaller() => Some("it has no states that may be put together".into()),
            // Where nothing is folded, all that is gained are steps that SPIN takes together with others by itself.
            Ok(residual) if residual.plan.folded().is_empty() && residual.smaller_size()[0] >= self.merged[kind] => {
                Some("SPIN puts as many of its states together by itself".into())
            }
            Ok(_) => None,
        }
    }

    /// The labels of each class that others ask about, by kind; what each of the user's labels became.
    fn labels(&self, chosen: &[Option<String>]) -> (Vec<Vec<Vec<String>>>, Became) {
        let mut became = Became::default();
        let by_class = self.residuals.iter().enumerate().map(|(kind, residual)| match residual {
            Ok(residual) if chosen[kind].is_none() => self.labels_of(kind, residual, &mut became),
            _ => Vec::new(),
        });
        (by_class.collect(), became)
    }

    /// The labels of each class of one kind that others ask about.
    fn labels_of(&self, kind: usize, residual: &Residual, became: &mut Became) -> Vec<Vec<String>> {
        let states = &self.program.proctypes[kind].states;
        let classes = &residual.quotient.classes;
        let here = |class: usize| {
            let (place, _) = residual.unfolding.places.get_index(classes[class].member as usize)?;
            Some(&states[place.control? as usize].labels)
        };
        let mut labels = vec![Vec::new(); classes.len()];
        let mut watched: Vec<&Box<str>> = self.facts.labels[kind].iter().collect();
        watched.sort();
        for label in watched {
            let stands = |class: &usize| here(*class).is_some_and(|labels| labels.contains(label));
            let at: Vec<usize> = (0..classes.len()).filter(stands).collect();
            let name = |class: usize| {
                if at.len() == 1 { label.to_string() } else { format!("{label}_{}{class}", self.prefix) }
            };
            let names: Vec<String> = at.iter().map(|&class| name(class)).collect();
            at.iter().zip(&names).for_each(|(&class, name)| labels[class].push(name.clone()));
            became.insert((kind, label.to_string()), names);
        }
        // Acceptance and progress count wherever they stand, whatever the rest of the label is.
        for (class, labels) in labels.iter_mut().enumerate() {
            for what in ["accept", "progress"] {
                let stands = here(class).is_some_and(|labels| labels.iter().any(|label| label.starts_with(what)));
                if stands && !labels.iter().any(|label: &String| label.starts_with(what)) {
                    labels.push(format!("{what}_{}{class}", self.prefix));
                }
            }
        }
        labels
    }

    /// The text with those that are chosen; whoever is too long is left alone.
    fn attempt(&self, chosen: &mut [Option<String>]) -> Result<(Written, Vec<[usize; 2]>), Uncut> {
        let text = self.model.sources.text_of_model();
        let kinds = kinds(self.model);
        loop {
            let (labels, became) = self.labels(chosen);
            let edits = self.references(&kinds, chosen, &became)?;
            let mut lengths = vec![[0, 0]; chosen.len()];
            let mut out = Written::default();
            out.raw(&self.header);
            let (mut at, mut again) = (0, false);
            for (number, unit) in self.model.units.iter().enumerate() {
                let Some(&kind) = kinds.get(&number) else { continue };
                if chosen[kind].is_some() {
                    continue;
                }
                let range = self.model.sources.extent(span(unit)).ok_or(Uncut)?;
                let names = Names::new(self.program, self.facts, kind, &became);
                let residual = self.residuals[kind].as_ref().expect("only what was folded is chosen");
                let lines = |comments| self.lines(kind, residual, &names, &labels[kind], comments);
                let room = self.room(kind).ok_or(Uncut)?;
                let fits = |lines: &Vec<Line>| length(lines) <= room;
                let directives = directives_of(&text[range.clone()]);
                let includes = directives.iter().any(|line| line.contains("include"));
                let written = match lines(true) {
                    None => Err("what it does cannot be written in Promela"),
                    Some(written) => {
                        // Comments go first.
                        let written = Some(written).filter(fits).or_else(|| lines(false).filter(fits));
                        written.filter(|_| !includes).ok_or(TOO_LONG)
                    }
                };
                let written = match written {
                    Ok(written) => written,
                    Err(why) => {
                        chosen[kind] = Some(why.into());
                        again = true;
                        break;
                    }
                };
                lengths[kind] = [text[range.clone()].lines().count(), written.len() + 2];
                out.raw(&apply(text, at..range.start, &edits));
                at = range.end;
                let [before, after] = [residual.size()[0], residual.smaller_size()[0]];
                out.raw(&format!("/* {}: {after} of {before} states */\n", self.program.proctypes[kind].name));
                out.raw(&header(unit, &self.program.proctypes[kind].name, self.model));
                out.raw(" {\n");
                out.lines(written);
                out.raw("}");
                // What it said to the preprocessor still counts.
                directives.iter().for_each(|line| out.raw(&format!("\n{line}")));
                if !directives.is_empty() {
                    out.raw("\n");
                }
            }
            if !again {
                out.raw(&apply(text, at..text.len(), &edits));
                return Ok((out, lengths));
            }
        }
    }

    /// What becomes of references to labels of folded processes in the text that stays.
    fn references(
        &self,
        kinds: &FxHashMap<usize, usize>,
        chosen: &[Option<String>],
        became: &Became,
    ) -> Result<Vec<(Range<usize>, String)>, Uncut> {
        let named = |name: &str| self.program.proctypes.iter().position(|kind| &*kind.name == name);
        let mut found: Vec<(Span, &Vec<String>)> = Vec::new();
        for (number, unit) in self.model.units.iter().enumerate() {
            if kinds.get(&number).is_some_and(|&kind| chosen[kind].is_none()) {
                continue;
            }
            visit::expressions(unit, &mut |expression, _| {
                if let ExpressionKind::RemoteLabel { process, label, .. } = &*expression.kind
                    && let Some(kind) = named(&process.text)
                    && let Some(names) = became.get(&(kind, label.text.to_string()))
                    && names[..] != [label.text.to_string()]
                {
                    found.push((expression.span, names));
                }
            });
        }
        let text = self.model.sources.text_of_model();
        let edit = |(span, names): (Span, &Vec<String>)| {
            let range = self.model.sources.extent(span).ok_or(Uncut)?;
            let (process, _) = text[range.clone()].rsplit_once('@').ok_or(Uncut)?;
            let process = process.trim_start_matches('(');
            let each: Vec<String> = names.iter().map(|name| format!("{process}@{name}")).collect();
            let new = if each.is_empty() { "false".into() } else { format!("({})", each.join(" || ")) };
            Ok((range, new))
        };
        found.into_iter().map(edit).collect()
    }

    /// Whether what was written does what was meant, as we read it.
    fn is_as_meant(&self, kind: usize, model: &Model, emitted: &Program, became: &Became) -> bool {
        let residual = self.residuals[kind].as_ref().expect("only what was folded is chosen");
        // What need not be asked any more is written all the same.
        let Some(facts) = facts(model, emitted, Rules::without(&[Rule::Unread])) else { return false };
        let names = Names::new(self.program, self.facts, kind, became);
        residual.is_written_in(self.program, &names, emitted, &facts, &self.facts.labels[kind], &self.prefix)
    }

    fn changes(&self, chosen: &[Option<String>], lengths: &[[usize; 2]]) -> Vec<Change> {
        let running = self.model.units.iter().filter(|unit| matches!(unit, Unit::Proctype(_) | Unit::Init(_))).count();
        let change = |kind: usize| {
            let residual = self.residuals[kind].as_ref().ok();
            let before = residual.map_or([0, 0], Residual::size);
            let after = residual.filter(|_| chosen[kind].is_none()).map_or(before, Residual::smaller_size);
            let (states, transitions) = ([before[0], after[0]], [before[1], after[1]]);
            let apart = match (&self.whole[kind], residual) {
                (Ok(whole), Some(residual)) if chosen[kind].is_none() => residual.told_apart(whole),
                _ => self.program.proctypes[kind].states.len(),
            };
            let labels = residual.map_or(0, |residual| residual.unfolding.labels.len());
            let folded = residual
                .filter(|_| chosen[kind].is_none())
                .map_or_else(Vec::new, |residual| residual.folded_names(self.program));
            let values = residual.filter(|_| chosen[kind].is_none()).map_or_else(Vec::new, Residual::folded_values);
            let (name, left) = (self.program.proctypes[kind].name.to_string(), chosen[kind].clone());
            let outside = left.is_none() && residual.is_some_and(|residual| residual.outside);
            Change { name, states, transitions, apart, labels, lines: lengths[kind], folded, values, outside, left }
        };
        (0..running).map(change).collect()
    }
}

/// A text in the encoding of another: what was no UTF-8 was read as Latin-1.
fn encoded(text: &Text, new: String) -> Vec<u8> {
    match std::str::from_utf8(&text.bytes) {
        Ok(_) => new.into_bytes(),
        Err(_) => new.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
    }
}

/// How many characters lines are.
fn length(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.text.len() + 1).sum()
}

/// By kind of process: control states that a search stops at once statements are merged, as SPIN does.
fn stored(program: &Program) -> Vec<usize> {
    let merged = program.optimised.as_deref().unwrap_or(program);
    let count = |kind: &Proctype| {
        let mut stops: FxHashSet<u32> = FxHashSet::from_iter([0]);
        let transitions = kind.states.iter().flat_map(|state| &state.transitions);
        stops.extend(transitions.filter(|transition| !transition.atomic).filter_map(|transition| transition.target));
        stops.len()
    };
    merged.proctypes.iter().map(count).collect()
}

/// The proctypes of units.
fn kinds(model: &Model) -> FxHashMap<usize, usize> {
    let units = model.units.iter().enumerate();
    let running = units.filter(|(_, unit)| matches!(unit, Unit::Proctype(_) | Unit::Init(_)));
    running.enumerate().map(|(kind, (unit, _))| (unit, kind)).collect()
}
