//! What a Promela model declares: names with their kinds, types and places.

use prequel_formats::diag::Place;
use prequel_formats::promela::source::{Sources, Span};
use prequel_formats::promela::syntax::{
    Choice, Declaration, Model, Name, Sequence, Statement, StatementKind, Type, Unit,
};

/// A name that is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// As written.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its declaration in brief.
    pub detail: String,
    /// The process, type or other unit that it belongs to.
    pub inside: Option<String>,
    /// Where the name stands, and in which file.
    pub place: Place,
    /// That file, as messages call it.
    pub file: String,
    /// The lines of the whole, counted from 1.
    pub lines: [usize; 2],
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A proctype, `init` or a claim.
    Process,
    /// A variable.
    Variable,
    /// A channel with its buffer.
    Channel,
    /// A constant of an `mtype`.
    Constant,
    /// A label.
    Label,
    /// An inline or a macro.
    Inline,
    /// A `typedef`.
    Type,
    /// A field of one.
    Field,
    /// A formula.
    Formula,
}

/// All names of a model, in the order of the text; macros of its own file too.
pub fn symbols(model: &Model) -> Vec<Symbol> {
    let mut found = Found { sources: &model.sources, inside: None, symbols: Vec::new() };
    model.units.iter().for_each(|unit| found.unit(unit));
    found.macros();
    let mut symbols = found.symbols;
    // An inline that is called twice declares its variables twice, at the same place.
    let mut seen = std::collections::HashSet::new();
    symbols.retain(|symbol| {
        seen.insert((symbol.file.clone(), symbol.place.line, symbol.place.span.start, symbol.inside.clone()))
    });
    symbols
}

struct Found<'m> {
    sources: &'m Sources,
    inside: Option<String>,
    symbols: Vec<Symbol>,
}

impl Found<'_> {
    fn add(&mut self, name: &Name, kind: Kind, detail: String, whole: Span) {
        self.add_at(&name.text, name.span, kind, detail, whole);
    }

    fn add_at(&mut self, name: &str, at: Span, kind: Kind, detail: String, whole: Span) {
        let Some(place) = self.sources.place(at) else { return };
        let first = self.sources.place(whole).map_or(place.line, |place| place.line);
        let length = self.sources.text(whole).map_or(0, |text| text.matches('\n').count());
        self.symbols.push(Symbol {
            name: name.to_owned(),
            kind,
            detail,
            inside: self.inside.clone(),
            file: self.sources.file(at).to_owned(),
            lines: [first.min(place.line), first + length],
            place,
        });
    }

    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Mtype(mtype) => {
                let kind =
                    mtype.kind.as_ref().map_or_else(|| "mtype".to_owned(), |kind| format!("mtype:{}", kind.text));
                for (at, constant) in mtype.constants.iter().enumerate() {
                    // SPIN numbers them from the last one.
                    let detail = format!("{kind}, {} of its declaration from behind", mtype.constants.len() - at);
                    self.add(constant, Kind::Constant, detail, constant.span);
                }
            }
            Unit::Typedef(typedef) => {
                self.add(&typedef.name, Kind::Type, "typedef".into(), typedef.span);
                self.within(&typedef.name.text.clone(), |found| {
                    typedef.fields.iter().for_each(|field| found.declared(field, true));
                });
            }
            Unit::Declaration(declaration) => self.declared(declaration, false),
            Unit::Proctype(proctype) => {
                let parameters =
                    proctype.parameters.iter().filter_map(|declaration| self.sources.text(declaration.span));
                let detail = format!("proctype {}({})", proctype.name.text, parameters.collect::<Vec<_>>().join("; "));
                self.add(&proctype.name, Kind::Process, detail, proctype.span);
                self.within(&proctype.name.text.clone(), |found| {
                    proctype.parameters.iter().for_each(|parameter| found.declared(parameter, false));
                    found.sequence(&proctype.body);
                });
            }
            Unit::Init(init) => {
                self.add_at("init", init.span, Kind::Process, "init".into(), init.span);
                self.within("init", |found| found.sequence(&init.body));
            }
            Unit::Never(never) => {
                let name = never.name.as_ref().map_or("never", |name| &name.text).to_owned();
                let at = never.name.as_ref().map_or(never.span, |name| name.span);
                self.add_at(&name, at, Kind::Process, "never claim".into(), never.span);
                self.within(&name, |found| found.sequence(&never.body));
            }
            Unit::Ltl(ltl) => {
                let name = ltl.name.as_ref().map_or("ltl", |name| &name.text).to_owned();
                let at = ltl.name.as_ref().map_or(ltl.span, |name| name.span);
                let formula = self.sources.text(ltl.formula.span).unwrap_or_default();
                self.add_at(&name, at, Kind::Formula, format!("ltl {{ {formula} }}"), ltl.span);
            }
            Unit::Trace(trace) => self.sequence(&trace.body),
            Unit::Inline(inline) => {
                let parameters: Vec<&str> = inline.parameters.iter().map(|name| &*name.text).collect();
                let detail = format!("inline {}({})", inline.name.text, parameters.join(", "));
                self.add(&inline.name, Kind::Inline, detail, inline.span);
            }
        }
    }

    fn within(&mut self, name: &str, look: impl FnOnce(&mut Self)) {
        let before = self.inside.replace(name.to_owned());
        look(self);
        self.inside = before;
    }

    fn declared(&mut self, declaration: &Declaration, field: bool) {
        for variable in &declaration.variables {
            let kind = match declaration.ty {
                _ if field => Kind::Field,
                Type::Chan => Kind::Channel,
                _ => Kind::Variable,
            };
            let text = self.sources.text(variable.span).unwrap_or(&variable.name.text);
            let detail = format!("{} {text}", declaration.ty);
            self.add(&variable.name, kind, detail, variable.span);
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        sequence.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        for label in &statement.labels {
            self.add(label, Kind::Label, "label".into(), label.span);
        }
        match &statement.kind {
            StatementKind::Declaration(declaration) => self.declared(declaration, false),
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                choices.iter().for_each(|Choice { body, .. }| self.sequence(body));
            }
            StatementKind::For { body, .. }
            | StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body)
            | StatementKind::Inlined { body, .. } => self.sequence(body),
            StatementKind::Unless { body, escape } => {
                self.statement(body);
                self.statement(escape);
            }
            _ => {}
        }
    }

    /// `#define NAME …` in the model itself.
    fn macros(&mut self) {
        let Some((file, text)) = self.sources.named_texts().next() else { return };
        for (number, line) in text.lines().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
            let Some(rest) = rest.strip_prefix("define").filter(|rest| rest.starts_with([' ', '\t'])) else { continue };
            let rest = rest.trim_start();
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let start = line.len() - rest.len();
            if length > 0 {
                let place = Place::in_line(number + 1, line.as_bytes(), start..start + length);
                self.symbols.push(Symbol {
                    name: rest[..length].to_owned(),
                    kind: Kind::Inline,
                    detail: line.trim().to_owned(),
                    inside: None,
                    file: file.to_owned(),
                    lines: [number + 1; 2],
                    place,
                });
            }
        }
    }
}
