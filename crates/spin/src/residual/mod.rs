//! The user's text with folded processes in the places of its own; all the rest is kept byte by byte.
//!
//! | step | module |
//! | --- | --- |
//! | what is declared, and what things are called | `declare` |
//! | the text of one kind of process | `body` |
//! | from a run of the new text to one of the user's | `run_to_user` |
//! | the same beside a claim, and for runs without an end | `claimed_run` |
//!
//! A process is replaced where that makes it smaller, and where its text does not grow beyond measure. What was written is read again
//! and compared with what was meant, so that a mistake in writing leaves the user's process where it stood.

mod body;
mod claimed_run;
mod declare;
mod run_to_user;

pub use body::Step;

use crate::replace::{apply, directives_of, place_prefix, span, words_of};
use body::{Body, Line};
use declare::{Names, declarations, header, promises};
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{ExpressionKind, Model, Unit};
use prequel_formats::promela::visit;
use prequel_formats::promela::{self, Text};
use prequel_model::watch::Watch;
use prequel_program::residual::{Facts, Left, Options, Residual, facts, residuals};
use prequel_program::{Claim, Proctype, Program, compile, optimised};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A written process may be so many times as long as the user's.
const LONGER: usize = 2;
/// So many characters are not too long in any case.
const SHORT: usize = 1000;

/// Why a process stays as it is whose text would be longer than what is gained.
const TOO_LONG: &str = "its text would become too long";
/// A process with so few states is not folded less.
const FEW: usize = 16;

/// What became of one kind of process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What it is called.
    pub name: String,
    /// Its states before, control and folded variables, and its classes afterwards.
    pub states: [usize; 2],
    /// Its steps before and after.
    pub transitions: [usize; 2],
    /// Different statements that are left.
    pub labels: usize,
    /// Lines of its text before and after.
    pub lines: [usize; 2],
    /// Variables that were folded.
    pub folded: Vec<String>,
    /// Why it stays as it is, if it does.
    pub left: Option<String>,
}

impl Change {
    /// What was forgotten of it, in words.
    pub fn explained(&self) -> String {
        let Self { name, states: [before, after], folded, left, .. } = self;
        if let Some(why) = left {
            return format!("{name} stays as it is: {why}");
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
    /// By line, counted from 1: the steps of folded processes.
    steps: FxHashMap<usize, Step>,
    /// By proctype: its folded form where it was replaced.
    residuals: Vec<Option<Residual>>,
}

impl Folded {
    /// Whether any process was replaced.
    pub fn is_smaller(&self) -> bool {
        self.residuals.iter().any(Option::is_some)
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
    if !alone || model.sources.texts().count() <= 1 {
        let header: String = text.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        if let Ok(folded) = Fold::new(text, model, options, only, header, watch)?.write() {
            return Ok(folded);
        }
    }
    let refused = || NotFolded::Refused("the text cannot be read once macros and inclusions are put in".into());
    let Text { name, bytes, folder, defines, .. } = text;
    let plain = promela::preprocessed(name, bytes, folder, defines, &model.sources).ok_or_else(refused)?;
    let (model, _) = promela::read(name, plain.as_bytes(), folder, &[]).map_err(|_| refused())?;
    let folded = Fold::new(text, &model, options, only, String::new(), watch)?.write().map_err(|Uncut| refused())?;
    Ok(Folded { preprocessed: true, ..folded })
}

struct Fold<'a> {
    text: &'a Text,
    model: &'a Model,
    program: Program,
    facts: Facts<'a>,
    residuals: Vec<Result<Residual, Left>>,
    /// Control states that SPIN stores of each kind, once it has merged statements.
    merged: Vec<usize>,
    /// States that each kind may have.
    most: Vec<usize>,
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

impl<'a> Fold<'a> {
    fn new(
        text: &'a Text,
        model: &'a Model,
        options: Options,
        only: &'a [String],
        header: String,
        watch: &'a Watch,
    ) -> Result<Self, NotFolded> {
        let refused = |why: &str| NotFolded::Refused(why.into());
        let (program, _) =
            compile(model, Claim::None).map_err(|_| refused("the text has no meaning without its claims"))?;
        let facts = facts(model, &program).ok_or_else(|| refused("the program was not made of this text"))?;
        let most = vec![options.states; program.proctypes.len()];
        let residuals = residuals(&program, &facts, options.strong, &most, watch).ok_or(NotFolded::Stopped)?;
        let prefix = place_prefix(&words_of(model));
        let merged = optimised(model, Claim::None).map_or_else(|_| Vec::new(), |(program, _)| stored(&program));
        let merged = (0..program.proctypes.len()).map(|kind| merged.get(kind).copied().unwrap_or(usize::MAX)).collect();
        Ok(Self { text, model, program, facts, residuals, merged, most, options, header, prefix, only, watch })
    }

    /// The text with all processes that became smaller, less those that were not written as they were meant.
    fn write(mut self) -> Result<Folded, Uncut> {
        let mut chosen: Vec<Option<String>> = (0..self.residuals.len()).map(|kind| self.not_worth(kind)).collect();
        loop {
            let (written, lengths) = self.attempt(&mut chosen)?;
            if chosen.iter().any(|left| left.as_deref() == Some(TOO_LONG)) && self.fold_less(&chosen) {
                chosen = (0..self.residuals.len()).map(|kind| self.not_worth(kind)).collect();
                continue;
            }
            let text = self.encoded(written.text);
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
                return Ok(Folded { text, model, preprocessed: false, changes, counted, steps, residuals });
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
            let states = self.residuals[kind].as_ref().map_or(0, |residual| residual.unfolding.places.len());
            if left.as_deref() == Some(TOO_LONG) && states > FEW {
                self.most[kind] = states / 2;
                less = true;
            }
        }
        let again = less.then(|| residuals(&self.program, &self.facts, self.options.strong, &self.most, self.watch));
        match again.flatten() {
            Some(residuals) => {
                self.residuals = residuals;
                true
            }
            None => false,
        }
    }

    /// Why a kind of process is better left alone, before it is written.
    fn not_worth(&self, kind: usize) -> Option<String> {
        let name = &*self.program.proctypes[kind].name;
        if !self.only.is_empty() && !self.only.iter().any(|wanted| wanted == name) {
            return Some("it was not asked for".into());
        }
        match &self.residuals[kind] {
            Err(Left(why)) => Some((*why).into()),
            Ok(residual) if !residual.is_smaller() => Some("it has no states that may be put together".into()),
            // Where nothing is folded, all that is gained are steps that SPIN takes together with others by itself.
            Ok(residual) if residual.plan.folded().is_empty() && residual.smaller_size()[0] >= self.merged[kind] => {
                Some("SPIN puts as many of its states together by itself".into())
            }
            Ok(_) => None,
        }
    }

    /// What was no UTF-8 was read as Latin-1.
    fn encoded(&self, text: String) -> Vec<u8> {
        match std::str::from_utf8(&self.text.bytes) {
            Ok(_) => text.into_bytes(),
            Err(_) => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        }
    }

    /// The labels of each class that others ask about, by kind; what each of the user's labels became.
    fn labels(&self, chosen: &[Option<String>]) -> (Vec<Vec<Vec<String>>>, Became) {
        let (mut by_class, mut became): (_, Became) = (Vec::new(), FxHashMap::default());
        for (kind, residual) in self.residuals.iter().enumerate() {
            let Some(residual) = residual.as_ref().ok().filter(|_| chosen[kind].is_none()) else {
                by_class.push(Vec::new());
                continue;
            };
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
                let at: Vec<usize> = (0..classes.len())
                    .filter(|&class| here(class).is_some_and(|labels| labels.contains(label)))
                    .collect();
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
            by_class.push(labels);
        }
        (by_class, became)
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
                let names = Names::new(&self.program, &self.facts, kind, &became);
                let residual = self.residuals[kind].as_ref().expect("only what was folded is chosen");
                let body = Body::new(&self.program, residual, &names, &self.prefix, labels[kind].clone()).write();
                let declared = declarations(&self.program, &self.facts, residual, self.model, &names);
                let (Some(body), Some(mut declared)) = (body, declared) else {
                    chosen[kind] = Some("what it does cannot be written in Promela".into());
                    again = true;
                    break;
                };
                declared.extend(promises(unit, self.model));
                let (before, directives) = (&text[range.clone()], directives_of(&text[range.clone()]));
                let after: usize = body.iter().map(|line| line.text.len() + 1).sum();
                lengths[kind] = [before.lines().count(), body.len() + declared.len() + 2];
                if after > (before.len() * LONGER).max(SHORT) || directives.iter().any(|line| line.contains("include"))
                {
                    chosen[kind] = Some(TOO_LONG.into());
                    again = true;
                    break;
                }
                out.raw(&apply(text, at..range.start, &edits));
                at = range.end;
                let [before, after] = [residual.size()[0], residual.smaller_size()[0]];
                out.raw(&format!("/* {}: {after} of {before} states */\n", self.program.proctypes[kind].name));
                out.raw(&header(unit, &self.program.proctypes[kind].name, self.model));
                out.raw(" {\n");
                declared.iter().for_each(|line| out.raw(&format!("{line}\n")));
                out.lines(body);
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
        let Some(facts) = facts(model, emitted) else { return false };
        let names = Names::new(&self.program, &self.facts, kind, became);
        residual.is_written_in(&self.program, &names, emitted, &facts, &self.facts.labels[kind], &self.prefix)
    }

    fn changes(&self, chosen: &[Option<String>], lengths: &[[usize; 2]]) -> Vec<Change> {
        let running = self.model.units.iter().filter(|unit| matches!(unit, Unit::Proctype(_) | Unit::Init(_))).count();
        let change = |kind: usize| {
            let residual = self.residuals[kind].as_ref().ok();
            let before = residual.map_or([0, 0], Residual::size);
            let after = residual.filter(|_| chosen[kind].is_none()).map_or(before, Residual::smaller_size);
            let (states, transitions) = ([before[0], after[0]], [before[1], after[1]]);
            let labels = residual.map_or(0, |residual| residual.unfolding.labels.len());
            let folded = residual
                .filter(|_| chosen[kind].is_none())
                .map_or_else(Vec::new, |residual| residual.folded_names(&self.program));
            let (name, left) = (self.program.proctypes[kind].name.to_string(), chosen[kind].clone());
            Change { name, states, transitions, labels, lines: lengths[kind], folded, left }
        };
        (0..running).map(change).collect()
    }
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
