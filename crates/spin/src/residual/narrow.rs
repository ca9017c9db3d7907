//! Types that are no wider than the values of their variables need, where that makes SPIN's states shorter.
//!
//! Only declarations change. A value that is in the narrower type is the same number there, in expressions as in comparisons, so nothing
//! else can tell; a variable of which not all values are known keeps its type, and so does one whose type has names (`mtype`, `chan`) or
//! that a claim sets.

use super::storage::{Kept, Owner, Stored, most_head};
use crate::replace::span;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{Declaration, Model, Reference, Type, Unit, Visibility};
use prequel_formats::promela::visit::Visitor;
use prequel_model::watch::Watch;
use prequel_program::residual::{Facts, Folding, Rule, Rules, Variable, facts};
use prequel_program::{Program, ValueType};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A variable with a narrower type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Narrowed {
    /// Its process; nothing if it is everybody's.
    pub process: Option<String>,
    /// What it is called.
    pub name: String,
    /// Its type before and after, as it is written.
    pub types: [String; 2],
}

/// What is written instead of a declaration, and what becomes narrower in it.
pub struct Edit {
    /// Where the declaration stands.
    pub range: Range<usize>,
    /// What stands there now.
    pub text: String,
    /// Which variables.
    pub narrowed: Vec<Narrowed>,
}

/// A variable that may become narrower.
struct Candidate<'m> {
    declaration: &'m Declaration,
    number: usize,
    before: Stored,
    after: Stored,
}

/// The declarations of a text that can be narrower.
pub fn narrower(model: &Model, program: &Program, watch: &Watch) -> Vec<Edit> {
    let Some(mut all) = facts(model, program, Rules::default()) else { return Vec::new() };
    let Some(facts) = facts(model, program, Rules::without(&[Rule::Unread])) else { return Vec::new() };
    let Some(values) = Folding::of_values(program, &facts, watch) else { return Vec::new() };
    let hidden = all.unread.pop().unwrap_or_default();
    let narrow = Narrow { model, program, facts: &facts, values: &values, set: set_by_claims(model), hidden };
    let mut edits = narrow.of_everybody();
    (0..facts.locals.len()).for_each(|kind| edits.extend(narrow.of_process(kind)));
    edits
}

struct Narrow<'a, 'm> {
    model: &'m Model,
    program: &'a Program,
    facts: &'a Facts<'m>,
    values: &'a Folding<'a>,
    /// Names of variables that a claim sets.
    set: FxHashSet<Box<str>>,
    /// What nobody reads: SPIN leaves it out of its states.
    hidden: FxHashSet<Variable>,
}

impl<'m> Narrow<'_, 'm> {
    fn of_everybody(&self) -> Vec<Edit> {
        let declarations = self.model.units.iter().filter_map(|unit| match unit {
            Unit::Declaration(declaration) if declaration.visibility != Some(Visibility::Hidden) => Some(declaration),
            _ => None,
        });
        let mut variables = Vec::new();
        for declaration in declarations {
            for (number, variable) in declaration.variables.iter().enumerate() {
                let name = &*variable.name.text;
                let of = |cell: &str| {
                    cell == name || cell.strip_prefix(name).is_some_and(|rest| rest.starts_with(['[', '.']))
                };
                let cells = (0..self.program.globals.len()).filter(|&cell| of(&self.program.globals[cell].name));
                let cells: Vec<Variable> = cells.map(|cell| Variable::Global(cell as u32)).collect();
                if !cells.iter().all(|cell| self.hidden.contains(cell)) {
                    variables.push((declaration, number, cells, self.set.contains(name)));
                }
            }
        }
        self.edits(Owner::Everybody, None, variables)
    }

    fn of_process(&self, kind: usize) -> Vec<Edit> {
        let mut variables = Vec::new();
        for local in &self.facts.locals[kind] {
            let cells = local.cells.clone().map(Variable::Local).collect();
            variables.push((local.declaration, local.number, cells, false));
        }
        self.edits(Owner::Process(most_head(self.model, self.program)), Some(kind), variables)
    }

    /// The declarations of an owner with what may be narrower and makes its variables shorter.
    fn edits(
        &self,
        owner: Owner,
        kind: Option<usize>,
        variables: Vec<(&'m Declaration, usize, Vec<Variable>, bool)>,
    ) -> Vec<Edit> {
        let mut stored: Vec<Stored> = Vec::new();
        let mut candidates: Vec<(usize, Candidate<'m>)> = Vec::new();
        for (declaration, number, cells, fixed) in variables {
            let Some(before) = Stored::of(declaration, number, cells.len()) else { continue };
            let after = if fixed { before } else { self.after(declaration, before, &cells, kind) };
            if after != before && self.text_of(declaration).is_some() {
                candidates.push((stored.len(), Candidate { declaration, number, before, after }));
            }
            stored.push(before);
        }
        let size = |chosen: &[bool]| {
            let mut narrow = stored.clone();
            for ((at, candidate), _) in candidates.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
                narrow[*at] = candidate.after;
            }
            (owner.size(&narrow), owner.keeps_all(&narrow))
        };
        let mut chosen = vec![true; candidates.len()];
        for at in 0..chosen.len() {
            if size(&chosen).1 {
                break;
            }
            chosen[at] = false;
        }
        let (least, whole) = size(&chosen);
        if !whole || least >= owner.size(&stored) {
            return Vec::new();
        }
        // Whatever can stay without making it longer stays.
        for at in 0..chosen.len() {
            chosen[at] = false;
            chosen[at] = size(&chosen) != (least, true);
        }
        let chosen: Vec<&Candidate<'m>> = candidates
            .iter()
            .zip(&chosen)
            .filter(|(_, chosen)| **chosen)
            .map(|((_, candidate), _)| candidate)
            .collect();
        let mut edits: Vec<Edit> = Vec::new();
        let mut at = 0;
        while at < chosen.len() {
            let declaration = chosen[at].declaration;
            let same = chosen[at..].iter().take_while(|other| std::ptr::eq(other.declaration, declaration)).count();
            edits.extend(self.edit(declaration, &chosen[at..at + same], kind));
            at += same;
        }
        edits
    }

    /// How a variable may be kept, for its values.
    fn after(&self, declaration: &Declaration, before: Stored, cells: &[Variable], kind: Option<usize>) -> Stored {
        if !matches!(declaration.ty, Type::Byte | Type::Short | Type::Int | Type::Unsigned) || cells.is_empty() {
            return before;
        }
        let range = |cell: &Variable| self.values.range(*cell, kind.unwrap_or(0) as u32);
        let ranges: Option<Vec<(i32, i32)>> = cells.iter().map(range).collect();
        let Some(ranges) = ranges else { return before };
        let least = ranges.iter().map(|range| range.0).min().unwrap_or(0);
        let most = ranges.iter().map(|range| range.1).max().unwrap_or(0);
        // Parameters are written as they are in every program: bit-fields are for variables.
        let parameter = |kind: usize| {
            cells
                .iter()
                .any(|cell| matches!(cell, Variable::Local(cell) if *cell < self.program.proctypes[kind].parameters))
        };
        let fields = before.array.is_none() && !kind.is_some_and(parameter);
        let bits = (u32::BITS - (most.max(0) as u32).leading_zeros()).max(1);
        let kept = match (least, most) {
            (0.., 0..=1) if before.array.is_none() => Kept::Bit,
            (0.., 0..=127) if fields => Kept::Unsigned(bits),
            (0.., 0..=255) => Kept::Byte,
            (-32768.., ..=32767) => Kept::Short,
            _ => return before,
        };
        let width = |kept: Kept| match kept {
            Kept::Unsigned(bits) => bits,
            Kept::Bit => 1,
            Kept::Byte | Kept::Name => 8,
            Kept::Short => 16,
            Kept::Int | Kept::User => 32,
        };
        if width(kept) < width(before.kept) { Stored { kept, ..before } } else { before }
    }

    /// Where a declaration stands in the text, if the user wrote all of it there.
    fn text_of(&self, declaration: &Declaration) -> Option<Range<usize>> {
        let plain = |span: Span| self.model.sources.extent(span);
        declaration.variables.iter().all(|variable| plain(variable.span).is_some()).then(|| plain(declaration.span))?
    }

    /// A declaration with narrower types for some of its variables: one after another, as they stood.
    fn edit(&self, declaration: &Declaration, chosen: &[&Candidate<'_>], kind: Option<usize>) -> Option<Edit> {
        let text = self.model.sources.text_of_model();
        let range = self.text_of(declaration)?;
        let first = self.model.sources.extent(declaration.variables.first()?.span)?;
        // What stands before the first variable: `show byte`.
        let head = text.get(range.start..first.start)?.trim();
        let (mut parts, mut narrowed): (Vec<(String, Vec<String>)>, Vec<Narrowed>) = (Vec::new(), Vec::new());
        for (number, variable) in declaration.variables.iter().enumerate() {
            let own = text.get(self.model.sources.extent(variable.span)?)?;
            let rest = own.strip_prefix(&*variable.name.text)?;
            let candidate = chosen.iter().find(|candidate| candidate.number == number);
            let (ty, written) = match candidate {
                None => (head.to_owned(), own.to_owned()),
                Some(candidate) => {
                    let rest = match declaration.ty {
                        Type::Unsigned => rest
                            .trim_start()
                            .strip_prefix(':')?
                            .trim_start()
                            .trim_start_matches(|c: char| c.is_ascii_digit()),
                        _ => rest,
                    };
                    let (word, width) = match candidate.after.kept {
                        Kept::Unsigned(bits) => ("unsigned", format!(" : {bits}")),
                        Kept::Bit => ("bit", String::new()),
                        Kept::Byte => ("byte", String::new()),
                        Kept::Short => ("short", String::new()),
                        _ => return None,
                    };
                    let name = &variable.name.text;
                    let types = [words(candidate.before.kept), words(candidate.after.kept)];
                    let process = kind.map(|kind| self.program.proctypes[kind].name.to_string());
                    narrowed.push(Narrowed { process, name: name.to_string(), types });
                    let visible = head.rsplit_once(char::is_whitespace).map_or("", |(before, _)| before);
                    (format!("{visible} {word}").trim().to_owned(), format!("{name}{width}{rest}"))
                }
            };
            match parts.last_mut() {
                Some((before, variables)) if *before == ty => variables.push(written),
                _ => parts.push((ty, vec![written])),
            }
        }
        let parts: Vec<String> = parts.iter().map(|(ty, variables)| format!("{ty} {}", variables.join(", "))).collect();
        let mut new = parts.join("; ");
        // Lines keep their numbers.
        let lines = |text: &str| text.matches('\n').count();
        new += &"\n".repeat(lines(&text[range.clone()]).checked_sub(lines(&new))?);
        Some(Edit { range, text: new, narrowed })
    }
}

/// A type as it is written.
fn words(kept: Kept) -> String {
    match kept {
        Kept::Unsigned(bits) => format!("unsigned : {bits}"),
        Kept::Bit => "bit".into(),
        Kept::Byte => "byte".into(),
        Kept::Short => "short".into(),
        Kept::Int => "int".into(),
        Kept::Name | Kept::User => unreachable!("only numbers become narrower"),
    }
}

/// The names of variables that stand in a claim or trace other than a formula: they may be set there, and no process knows of it.
fn set_by_claims(model: &Model) -> FxHashSet<Box<str>> {
    struct Names(FxHashSet<Box<str>>);
    impl<'m> Visitor<'m> for Names {
        fn reference(&mut self, reference: &'m Reference) {
            self.0.extend(reference.parts.first().map(|part| part.name.text.clone()));
        }
    }
    let mut names = Names(FxHashSet::default());
    for unit in &model.units {
        match unit {
            Unit::Never(never) => names.sequence(&never.body),
            Unit::Trace(trace) => names.sequence(&trace.body),
            _ => {}
        }
    }
    names.0
}

/// Whether one program is another with narrower types.
pub fn is_narrower(program: &Program, other: &Program) -> bool {
    let narrower = |one: ValueType, other: ValueType| other == one || other.bits() < one.bits();
    let cells = |one: &[prequel_program::Cell], other: &[prequel_program::Cell]| {
        one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| one.name == other.name && narrower(one.ty, other.ty))
    };
    cells(&program.globals, &other.globals)
        && program.initial == other.initial
        && program.channels == other.channels
        && program.active == other.active
        && program.proctypes.len() == other.proctypes.len()
        && program.proctypes.iter().zip(&other.proctypes).all(|(one, other)| {
            let transitions = |kind: &prequel_program::Proctype| -> Vec<(usize, Vec<Option<u32>>)> {
                let state = |state: &prequel_program::State| {
                    (state.transitions.len(), state.transitions.iter().map(|transition| transition.target).collect())
                };
                kind.states.iter().map(state).collect()
            };
            one.name == other.name
                && cells(&one.cells, &other.cells)
                && one.parameters == other.parameters
                && one.prologue.len() == other.prologue.len()
                && transitions(one) == transitions(other)
        })
}

/// Where the statements of a process begin in the text: behind the brace.
pub fn body_of(model: &Model, unit: &Unit) -> Option<usize> {
    let text = model.sources.text_of_model();
    let range = model.sources.extent(span(unit))?;
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let passed = if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n')?
        } else if rest.starts_with('{') {
            return Some(at + 1);
        } else {
            rest.chars().next()?.len_utf8()
        };
        at += passed;
    }
    None
}
