//! The head of a folded process, the variables that it keeps, and what things are called in it.

use prequel_formats::promela::syntax::{Declaration, Direction, Initial, Model, Reference, Type, Unit};
use prequel_program::residual::{Facts, LocalVariable, Residual, exclusive};
use prequel_program::text::{Naming, UserNames, Writer};
use prequel_program::{Expression, Program, Setup, ValueType};
use rustc_hash::FxHashMap;

/// What things are called in the text of one kind of process.
pub struct Names<'a> {
    program: &'a Program,
    kind: usize,
    /// By cell.
    locals: Vec<String>,
    /// What the labels became that are asked about, by kind.
    became: &'a FxHashMap<(usize, String), Vec<String>>,
}

impl<'a> Names<'a> {
    /// As the user calls them. Where two variables of a process have the same name, the later one has another.
    pub fn new(
        program: &'a Program,
        facts: &Facts<'_>,
        kind: usize,
        became: &'a FxHashMap<(usize, String), Vec<String>>,
    ) -> Self {
        let cells = &program.proctypes[kind].cells;
        let mut locals: Vec<String> = cells.iter().map(|cell| cell.name.to_string()).collect();
        let mut seen: Vec<String> = Vec::new();
        for LocalVariable { declaration, number, cells } in &facts.locals[kind] {
            let name = declaration.variables[*number].name.text.to_string();
            let mut other = name.clone();
            while seen.contains(&other) {
                other += "_";
            }
            for cell in cells.clone() {
                let rest = locals[cell as usize][name.len()..].to_owned();
                locals[cell as usize] = other.clone() + &rest;
            }
            seen.push(other);
        }
        Self { program, kind, locals, became }
    }
}

impl Naming for Names<'_> {
    fn local(&self, cell: u32) -> Option<String> {
        self.locals.get(cell as usize).cloned()
    }

    fn local_type(&self, cell: u32) -> Option<ValueType> {
        self.program.proctypes[self.kind].cells.get(cell as usize).map(|cell| cell.ty)
    }

    fn started(&self, proctype: u32) -> String {
        self.program.proctypes[proctype as usize].name.to_string()
    }

    fn labels(&self, label: u32, proctype: u32) -> Vec<String> {
        let user = UserNames { program: self.program, proctype: self.kind as u32 }.labels(label, proctype);
        let became = |label: String| match self.became.get(&(proctype as usize, label.clone())) {
            Some(names) => names.clone(),
            None => vec![label],
        };
        user.into_iter().flat_map(became).collect()
    }
}

/// The head of a process, up to its brace.
pub fn header(unit: &Unit, name: &str, model: &Model) -> String {
    let Unit::Proctype(proctype) = unit else { return "init".into() };
    let text = |span| model.sources.text(span).unwrap_or_default();
    let active = proctype.active.as_ref().map_or_else(String::new, |active| format!("{} ", text(active.span)));
    let parameter = |declaration: &Declaration| {
        let names: Vec<&str> = declaration.variables.iter().map(|variable| &*variable.name.text).collect();
        format!("{} {}", declaration.ty, names.join(", "))
    };
    let parameters: Vec<String> = proctype.parameters.iter().map(parameter).collect();
    let provided = proctype.provided.as_ref().and_then(|condition| model.sources.text(condition.span));
    let provided = provided.map_or_else(String::new, |condition| format!(" provided ({condition})"));
    format!("{active}proctype {name}({}){provided}", parameters.join("; "))
}

/// The declarations of variables that stay, a line each; none if one of them cannot be written.
pub fn declarations(
    program: &Program,
    facts: &Facts<'_>,
    residual: &Residual,
    model: &Model,
    names: &Names<'_>,
) -> Option<Vec<String>> {
    let kind = &program.proctypes[residual.proctype as usize];
    let used = residual.used_locals();
    // What others read stays too.
    let fixed = &facts.fixed[residual.proctype as usize];
    let declared: u32 = facts.locals[residual.proctype as usize].iter().map(|local| local.cells.end).max().unwrap_or(0);
    if used.iter().any(|cell| *cell >= declared) {
        // A counter of a loop that nobody declared.
        return None;
    }
    let mut lines = Vec::new();
    for local in &facts.locals[residual.proctype as usize] {
        let LocalVariable { declaration, number, cells } = local;
        if cells.start < kind.parameters {
            continue;
        }
        let variable = &declaration.variables[*number];
        let channel = matches!(variable.initial, Some(Initial::Channel(_)));
        if !channel && !cells.clone().any(|cell| used.contains(&cell) || fixed.contains(&cell)) {
            continue;
        }
        let name = names.local(cells.start)?;
        let name = name.split(['[', '.']).next().unwrap_or(&name).to_owned();
        let ty = &declaration.ty;
        if channel {
            // The number of a channel follows from the order in which they are made.
            let text = model.sources.text(variable.span)?;
            let rest = text.strip_prefix(&*variable.name.text)?;
            lines.push(format!("  {ty} {name}{rest};"));
            continue;
        }
        let size = match &variable.size {
            None => String::new(),
            Some(_) => format!("[{}]", elements(program, residual.proctype, cells.end - 1)?),
        };
        let width = variable.width.map_or_else(String::new, |width| format!(" : {width}"));
        let initial = initial(program, residual, cells.clone(), ty, names)?;
        lines.push(format!("  {ty} {name}{size}{width}{initial};"));
    }
    Some(lines)
}

/// What the process says of channels that nobody else sends to or receives from, a line each: SPIN's reduction lives on it.
pub fn promises(model: &Model, facts: &Facts<'_>, kind: usize) -> Vec<String> {
    let running = model.units.iter().filter_map(|unit| match unit {
        Unit::Proctype(proctype) => Some(&proctype.body),
        Unit::Init(init) => Some(&init.body),
        _ => None,
    });
    let found: Vec<(Direction, &Reference)> = running.skip(kind).take(1).flat_map(|body| exclusive(body)).collect();
    let declared = |name: &str| {
        let named = |local: &&LocalVariable<'_>| &*local.declaration.variables[local.number].name.text == name;
        facts.locals[kind].iter().filter(named).count()
    };
    // A name that was declared twice is not the same everywhere, nor is an index.
    let clear = |(_, channel): &&(Direction, &Reference)| {
        channel.parts.iter().all(|part| part.index.is_none()) && declared(&channel.parts[0].name.text) <= 1
    };
    let line = |(direction, channel): &(Direction, &Reference)| {
        let word = if *direction == Direction::Receive { "xr" } else { "xs" };
        Some(format!("  {word} {};", model.sources.text(channel.span)?))
    };
    found.iter().filter(clear).filter_map(line).collect()
}

/// How many elements an array has, by the name of its last cell.
fn elements(program: &Program, proctype: u32, last: u32) -> Option<u32> {
    let name = &program.proctypes[proctype as usize].cells[last as usize].name;
    let (_, rest) = name.split_once('[')?;
    let (index, _) = rest.split_once(']')?;
    index.parse::<u32>().ok().map(|index| index + 1)
}

/// What a variable starts as, written behind its name; none if that cannot be said in a declaration.
fn initial(
    program: &Program,
    residual: &Residual,
    cells: std::ops::Range<u32>,
    ty: &Type,
    names: &Names<'_>,
) -> Option<String> {
    if matches!(ty, Type::User(_)) {
        // Its fields start as their type says.
        return Some(String::new());
    }
    let kind = &program.proctypes[residual.proctype as usize];
    let mut values: Vec<Option<&Expression>> = vec![None; cells.len()];
    for setup in &kind.prologue {
        match setup {
            Setup::Value(cell, value) if cells.contains(cell) => values[(cell - cells.start) as usize] = Some(value),
            Setup::Channel(cell, _) if cells.contains(cell) => return None,
            _ => {}
        }
    }
    let Some(first) = values.iter().flatten().next() else { return Some(String::new()) };
    let mut reads = false;
    first.visit(&mut |part| reads |= matches!(part, Expression::Local(cell) if *cell >= kind.parameters));
    let writer = Writer::new(program, names);
    if values.iter().all(|value| value == &Some(*first)) && !reads {
        return Some(format!(" = {}", writer.expression(first)));
    }
    let constant = |value: &Option<&Expression>| match value {
        None => Some(0.to_string()),
        Some(Expression::Number(value)) => Some(value.to_string()),
        Some(_) => None,
    };
    let list: Option<Vec<String>> = values.iter().map(constant).collect();
    list.filter(|list| list.len() > 1).map(|list| format!(" = {{ {} }}", list.join(", ")))
}
