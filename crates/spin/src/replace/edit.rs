//! The user's text with some of its processes cut out and others put in their places; all the rest is kept byte by byte.

use super::body::{Line, Mark, Writer};
use super::plan::{Place, Plan};
use super::refusal::Refusal;
use super::words::Words;
use prequel_formats::promela::directives;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{ExpressionKind, Model, Unit};
use prequel_formats::promela::visit;
use prequel_program::Program;
use prequel_program::components::{Components, Part};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Why the text cannot be edited.
pub enum Cannot {
    /// A process cannot be replaced at all.
    Replace(Refusal),
    /// Something cannot be cut out of the user's text; without macros and inclusions it might.
    Cut(Refusal),
}

impl From<Refusal> for Cannot {
    fn from(refusal: Refusal) -> Self {
        Cannot::Replace(refusal)
    }
}

/// A statement that became a choice, and between how many.
pub type Fork = (u32, usize);

/// A text, with what its lines stand for.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The text.
    pub text: String,
    /// By line, counted from 1.
    pub marks: Vec<(usize, Mark)>,
    /// The proctype of the user that each name stands for; none for one that takes the place of a process.
    pub names: Vec<(String, Option<u32>)>,
    /// Statements of kept processes that became a choice between so many.
    pub forks: Vec<Fork>,
    line: usize,
}

impl Written {
    fn raw(&mut self, text: &str) {
        self.line += text.matches('\n').count();
        self.text += text;
    }

    fn line(&mut self, line: &Line) {
        self.marks.extend(line.mark.map(|mark| (self.line + 1, mark)));
        self.raw(&line.text);
        self.raw("\n");
    }
}

/// A `run` of the text.
struct Run<'m> {
    unit: usize,
    statement: Option<Span>,
    span: Span,
    process: &'m str,
}

/// Puts processes into a text.
pub struct Editor<'a> {
    /// The model of the text.
    pub model: &'a Model,
    /// The program, for what people know.
    pub program: &'a Program,
    /// The same program, for places in this text.
    pub spans: &'a Program,
    /// Its components.
    pub components: &'a Components,
    /// What takes the place of what.
    pub plans: &'a [Plan],
    /// What stands before the text.
    pub header: String,
}

impl<'a> Editor<'a> {
    /// The text with the processes in their places.
    pub fn write(&self) -> Result<Written, Cannot> {
        let kinds = self.kinds();
        let runs = self.runs();
        self.looked_into(&kinds)?;
        let mut taken = words_of(self.model);
        let needed = self.needed(&kinds, &runs);
        // Names first: processes start each other.
        let mut words = Words::new(self.program, self.model);
        let mut names: FxHashMap<u32, String> = FxHashMap::default();
        for plan in self.plans {
            let kind = self.kind(plan.slot);
            let plain = &*self.program.proctypes[kind as usize].name;
            let alone = self.plans.iter().filter(|other| self.kind(other.slot) == kind).count() == 1;
            let name = match plain {
                ":init:" => "init".into(),
                plain if alone && !needed.contains(&kind) => plain.into(),
                plain => fresh(&mut taken, &format!("{plain}_{}", plan.slot)),
            };
            words.replaced.insert(plan.slot, name.clone());
            names.insert(plan.slot, name);
        }
        let (edits, forks) = self.starts(&kinds, &runs, &needed, &names)?;
        let prefix = place_prefix(&taken);
        let writer = Writer { program: self.program, components: self.components, words: &words, prefix: &prefix };
        let text = self.model.sources.text_of_model();
        let mut out = Written { forks, ..Written::default() };
        out.raw(&self.header);
        let (mut at, mut later) = (0, Vec::new());
        let declares = |unit: &Unit| matches!(unit, Unit::Declaration(_) | Unit::Mtype(_));
        let declared = self.model.units.iter().rposition(declares).unwrap_or(0);
        for (number, unit) in self.model.units.iter().enumerate() {
            if let Some(what) = claim(unit) {
                // It was made for the user's processes: of others it may say something else.
                let range = self.model.sources.extent(span(unit)).ok_or_else(|| uncut_claim(what))?;
                out.raw(&apply(text, at..range.start, &edits));
                out.raw(&format!("/* the {what} of the model is not kept */"));
                at = range.end;
                continue;
            }
            let Some(&kind) = kinds.get(&number) else { continue };
            let plans: Vec<&Plan> = self.plans.iter().filter(|plan| self.kind(plan.slot) == kind).collect();
            if plans.is_empty() {
                continue;
            }
            let span = span(unit);
            let range = self.model.sources.extent(span).ok_or_else(|| self.uncut(kind))?;
            out.raw(&apply(text, at..range.start, &edits));
            at = range.end;
            let (needed, early) = (needed.contains(&kind), number < declared);
            let unit = Piece { unit, kind, range, edits: &edits, needed, early };
            self.unit(&unit, &plans, &names, &mut taken, &writer, &mut out)?;
            if number < declared {
                // What is started may use what its parameters stood for, declared after it.
                let started = plans.into_iter().filter(|plan| plan.slot as usize >= self.program.active.len());
                later.extend(started.map(|plan| (kind, plan)));
            }
        }
        out.raw(&apply(text, at..text.len(), &edits));
        for (kind, plan) in later {
            out.raw("\n\n");
            self.replaced(kind, plan, false, &names, &writer, &mut out)?;
        }
        for plan in self.plans {
            let name = &names[&plan.slot];
            out.names.push((if name == "init" { ":init:".into() } else { name.clone() }, None));
        }
        Ok(out)
    }

    fn uncut(&self, kind: u32) -> Cannot {
        let name = &self.program.proctypes[kind as usize].name;
        let message = "its text comes out of a macro or another file";
        Cannot::Cut(Refusal::new("macro or include", None, message).of(name))
    }

    /// The proctypes of units.
    fn kinds(&self) -> FxHashMap<usize, u32> {
        let units = self.model.units.iter().enumerate();
        let running = units.filter(|(_, unit)| matches!(unit, Unit::Proctype(_) | Unit::Init(_)));
        running.enumerate().map(|(kind, (unit, _))| (unit, kind as u32)).collect()
    }

    /// The proctype of a slot.
    fn kind(&self, slot: u32) -> u32 {
        if let Some(&kind) = self.program.active.get(slot as usize) {
            return kind;
        }
        let states = self.components.component(Part::Slot(slot)).map(|component| self.components.states(component));
        states.and_then(|states| states.iter().find_map(|frame| frame.first())).map_or(0, |&kind| kind as u32)
    }

    fn runs(&self) -> Vec<Run<'a>> {
        let mut runs = Vec::new();
        for (number, unit) in self.model.units.iter().enumerate() {
            visit::expressions(unit, &mut |expression, statement| {
                if let ExpressionKind::Run { process, .. } = &*expression.kind {
                    runs.push(Run { unit: number, statement, span: expression.span, process: &process.text });
                }
            });
        }
        runs
    }

    /// Nobody may look into a process that is replaced: neither its variables nor its labels are there.
    fn looked_into(&self, kinds: &FxHashMap<usize, u32>) -> Result<(), Refusal> {
        let replaced = |name: &str| {
            let plans = self.plans.iter().map(|plan| self.kind(plan.slot));
            plans.into_iter().find(|&kind| &*self.program.proctypes[kind as usize].name == name)
        };
        let mut found = None;
        let units = self.model.units.iter().enumerate();
        for (number, unit) in units.filter(|(_, unit)| claim(unit).is_none()) {
            visit::expressions(unit, &mut |expression, _| {
                if let ExpressionKind::RemoteLabel { process, .. } | ExpressionKind::RemoteVariable { process, .. } =
                    &*expression.kind
                    && replaced(&process.text).is_some()
                    && (kinds.get(&number) != replaced(&process.text).as_ref() || self.plans.len() > 1)
                {
                    found = found.or(Some((expression.span, &process.text)));
                }
            });
        }
        let Some((span, name)) = found else { return Ok(()) };
        let line = self.model.sources.line(span);
        let message = format!("a remote reference in line {line} looks into it");
        Err(Refusal::new("remote reference", None, message).of(name))
    }

    /// The proctypes whose text stays: somebody else runs as one, or a `run` that stays may start one.
    fn needed(&self, kinds: &FxHashMap<usize, u32>, runs: &[Run<'_>]) -> FxHashSet<u32> {
        let replaced: FxHashSet<u32> = self.plans.iter().map(|plan| plan.slot).collect();
        let mut needed: FxHashSet<u32> = kinds
            .values()
            .copied()
            .filter(|kind| self.plans.iter().all(|plan| self.kind(plan.slot) != *kind))
            .collect();
        for component in self.components.network.ids() {
            let Part::Slot(slot) = self.components.part(component) else { continue };
            if !replaced.contains(&slot) {
                let frames = self.components.states(component).iter();
                needed.extend(frames.filter_map(|frame| frame.first()).map(|&kind| kind as u32));
            }
        }
        loop {
            let before = needed.len();
            for run in runs {
                let stays = kinds.get(&run.unit).is_some_and(|kind| needed.contains(kind));
                let slots = self.started(run);
                if !stays {
                    continue;
                }
                if slots.is_empty() || slots.iter().any(|slot| !replaced.contains(slot)) {
                    let named = |kind: &u32| &*self.program.proctypes[*kind as usize].name == run.process;
                    needed.extend(kinds.values().copied().find(named));
                }
            }
            if needed.len() == before {
                return needed;
            }
        }
    }

    /// The slots that a `run` starts.
    fn started(&self, run: &Run<'_>) -> Vec<u32> {
        let starts = self.components.starts().iter();
        let here = |statement: u32| Some(self.spans.statements[statement as usize].span) == run.statement;
        starts.filter(|(statement, _)| here(*statement)).map(|(_, slot)| *slot).collect()
    }

    /// What becomes of each `run` that starts a replaced process.
    fn starts(
        &self,
        kinds: &FxHashMap<usize, u32>,
        runs: &[Run<'_>],
        needed: &FxHashSet<u32>,
        names: &FxHashMap<u32, String>,
    ) -> Result<(Vec<Edit>, Vec<Fork>), Cannot> {
        let (mut edits, mut forks) = (Vec::new(), Vec::new());
        for run in runs.iter().filter(|run| kinds.get(&run.unit).is_some_and(|kind| needed.contains(kind))) {
            let slots = self.started(run);
            let Some(slot) = slots.iter().find(|slot| names.contains_key(slot)) else { continue };
            let here = |statement: &u32| Some(self.spans.statements[*statement as usize].span) == run.statement;
            let statement = self.components.starts().iter().map(|(statement, _)| *statement).find(here);
            let uncut = || {
                let message = "this `run` comes out of a macro, an inline or another file";
                Cannot::Cut(Refusal::new("run in a macro or inline", statement, message).of(&names[slot]))
            };
            let range = self.model.sources.extent(run.span).ok_or_else(uncut)?;
            if slots.len() == 1 {
                edits.push((range, format!("run {}()", names[slot])));
                continue;
            }
            let whole = run.statement.and_then(|span| self.model.sources.extent(span)).ok_or_else(uncut)?;
            let text = self.model.sources.text_of_model();
            edits.push((whole.clone(), fork(text, whole, &range, &slots, names)));
            let kept = slots.iter().any(|slot| !names.contains_key(slot));
            let options = slots.iter().filter(|slot| names.contains_key(slot)).count() + usize::from(kept);
            forks.extend(statement.map(|statement| (statement, options)));
        }
        Ok((edits, forks))
    }

    /// A proctype of which some processes are replaced. The order of processes decides their numbers.
    fn unit(
        &self,
        piece: &Piece<'_>,
        plans: &[&Plan],
        names: &FxHashMap<u32, String>,
        taken: &mut FxHashSet<String>,
        writer: &Writer<'_>,
        out: &mut Written,
    ) -> Result<(), Cannot> {
        let text = self.model.sources.text_of_model();
        let kind = &self.program.proctypes[piece.kind as usize];
        let slots = 0..self.program.active.len() as u32;
        let active: Vec<u32> = slots.filter(|slot| self.program.active[*slot as usize] == piece.kind).collect();
        let plan_of = |slot: u32| plans.iter().find(|plan| plan.slot == slot);
        let mut parts: Vec<Share<'_>> = Vec::new();
        for &slot in &active {
            match (plan_of(slot), parts.last_mut()) {
                (Some(plan), _) => parts.push(Share::Replaced(plan, true)),
                (None, Some(Share::Kept(count, _))) => *count += 1,
                (None, _) => parts.push(Share::Kept(1, slot)),
            }
        }
        let copies = parts.iter().filter(|part| matches!(part, Share::Kept(..))).count();
        if copies == 0 && piece.needed {
            parts.push(Share::Kept(0, 0));
        }
        let started = plans.iter().filter(|plan| !active.contains(&plan.slot) && !piece.early);
        parts.extend(started.map(|plan| Share::Replaced(plan, false)));
        let body = &text[piece.range.clone()];
        let directives = directives_of(body);
        let includes = |line: &&&str| line[1..].trim_start().starts_with("include");
        if copies > 1 && !directives.is_empty() || directives.iter().any(|line| includes(&line)) {
            return Err(self.uncut(piece.kind));
        }
        let mut kept = false;
        let count = parts.len();
        // A text that does not begin its line gets one of its own.
        let start = text[..piece.range.start].rfind('\n').map_or(0, |at| at + 1);
        if !text[start..piece.range.start].trim().is_empty() {
            out.raw("\n");
        }
        for (at, part) in parts.into_iter().enumerate() {
            match part {
                Share::Kept(count, slot) => {
                    let name = if std::mem::replace(&mut kept, true) {
                        fresh(taken, &format!("{}_{slot}", kind.name))
                    } else {
                        kind.name.to_string()
                    };
                    out.raw(&self.kept(piece, count, &name)?);
                    out.names.push((name, Some(piece.kind)));
                }
                Share::Replaced(plan, active) => self.replaced(piece.kind, plan, active, names, writer, out)?,
            }
            if at + 1 < count {
                out.raw("\n\n");
            }
        }
        if !kept {
            // What it said to the preprocessor still counts.
            directives.iter().for_each(|line| out.raw(&format!("\n{line}")));
            if !directives.is_empty() {
                out.raw("\n");
            }
        }
        Ok(())
    }

    /// A process that takes the place of another.
    fn replaced(
        &self,
        kind: u32,
        plan: &Plan,
        active: bool,
        names: &FxHashMap<u32, String>,
        writer: &Writer<'_>,
        out: &mut Written,
    ) -> Result<(), Cannot> {
        let body = writer.body(plan)?;
        let what = &self.components.network.component(plan.component).name;
        let states = plan.places.iter().filter(|place| **place != Place::Unreached).count();
        let head = match (&*self.program.proctypes[kind as usize].name, active) {
            (":init:", _) => "init".into(),
            (_, true) => format!("active proctype {}()", names[&plan.slot]),
            (_, false) => format!("proctype {}()", names[&plan.slot]),
        };
        out.raw(&format!("/* in place of {what}: {states} states */\n{head} {{\n"));
        body.iter().for_each(|line| out.line(line));
        out.raw("}");
        Ok(())
    }

    /// The user's own text of a proctype, with another name and number of processes.
    fn kept(&self, piece: &Piece<'_>, count: usize, name: &str) -> Result<String, Cannot> {
        let text = self.model.sources.text_of_model();
        let mut edits = piece.edits.to_vec();
        if let Unit::Proctype(proctype) = piece.unit {
            let extent = |span: Span| self.model.sources.extent(span).ok_or_else(|| self.uncut(piece.kind));
            if let Some(active) = &proctype.active {
                let instances = match count {
                    0 => String::new(),
                    1 => "active".into(),
                    count => format!("active [{count}]"),
                };
                edits.push((extent(active.span)?, instances));
            }
            if name != &*proctype.name.text {
                edits.push((extent(proctype.name.span)?, name.into()));
            }
        }
        Ok(apply(text, piece.range.clone(), &edits))
    }
}

/// What stands in the place of a part of the text.
type Edit = (Range<usize>, String);

/// A proctype of the text.
struct Piece<'e> {
    unit: &'e Unit,
    kind: u32,
    range: Range<usize>,
    edits: &'e [Edit],
    needed: bool,
    /// Whether something is declared after it.
    early: bool,
}

/// What a proctype becomes.
enum Share<'p> {
    /// So many processes with the user's text, the first of which is this one.
    Kept(usize, u32),
    /// One that runs from the start, or not.
    Replaced(&'p Plan, bool),
}

/// What a claim is called.
fn claim(unit: &Unit) -> Option<&'static str> {
    match unit {
        Unit::Never(_) => Some("never claim"),
        Unit::Ltl(_) => Some("ltl formula"),
        _ => None,
    }
}

fn uncut_claim(what: &str) -> Cannot {
    Cannot::Cut(Refusal::new("macro or include", None, format!("the {what} comes out of a macro or another file")))
}

pub(crate) fn span(unit: &Unit) -> Span {
    match unit {
        Unit::Mtype(unit) => unit.span,
        Unit::Typedef(unit) => unit.span,
        Unit::Declaration(unit) => unit.span,
        Unit::Proctype(unit) => unit.span,
        Unit::Init(unit) => unit.span,
        Unit::Never(unit) => unit.span,
        Unit::Ltl(unit) => unit.span,
        Unit::Trace(unit) => unit.span,
        Unit::Inline(unit) => unit.span,
    }
}

/// How a choice between processes to start begins.
pub const FORK: &str = "if :: _nr_pr ==";

/// A statement that starts processes in several slots: which one it is depends on how many there are. Nothing moves in between.
fn fork(text: &str, whole: Range<usize>, run: &Range<usize>, slots: &[u32], names: &FxHashMap<u32, String>) -> String {
    let mut out = String::from("atomic { ");
    let replaced: Vec<u32> = slots.iter().copied().filter(|slot| names.contains_key(slot)).collect();
    for (at, slot) in replaced.iter().enumerate() {
        let run = (run.clone(), format!("run {}()", names[slot]));
        let option = if at == 0 { FORK } else { " :: _nr_pr ==" };
        out += &format!("{option} {slot} -> {}", apply(text, whole.clone(), &[run]));
    }
    if replaced.len() < slots.len() {
        let others: Vec<String> = replaced.iter().map(|slot| format!("_nr_pr != {slot}")).collect();
        out += &format!(" :: {} -> {}", others.join(" && "), &text[whole]);
    }
    out + " fi }"
}

/// The lines of a text that are for the preprocessor.
pub(crate) fn directives_of(text: &str) -> Vec<&str> {
    directives(text).into_iter().map(|range| &text[range]).collect()
}

/// A part of a text with the edits that fall into it.
pub(crate) fn apply(text: &str, range: Range<usize>, edits: &[Edit]) -> String {
    let inside = |edit: &&Edit| range.start <= edit.0.start && edit.0.end <= range.end;
    let mut edits: Vec<&Edit> = edits.iter().filter(inside).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let (mut out, mut at) = (String::new(), range.start);
    for (place, new) in edits {
        out += &text[at..place.start];
        out += new;
        at = place.end;
    }
    out + &text[at..range.end]
}

/// Every word of a model's files.
pub(crate) fn words_of(model: &Model) -> FxHashSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let texts = model.sources.texts();
    texts.flat_map(|text| text.split(move |c| !word(c))).map(str::to_owned).collect()
}

fn fresh(taken: &mut FxHashSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// How the places of replaced processes are called, with a number behind it: as nothing else is.
pub(crate) fn place_prefix(taken: &FxHashSet<String>) -> String {
    let mut prefix = String::from("s");
    let used = |prefix: &str| {
        let numbered = |word: &String| {
            let rest = word.strip_prefix("end_").unwrap_or(word).strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        taken.iter().any(numbered)
    };
    while used(&prefix) {
        prefix.push('_');
    }
    prefix
}
