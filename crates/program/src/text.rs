//! Expressions and actions of a program as Promela text.
//!
//! Everything stands in parentheses that could be read in two ways, and nothing is longer than a line: the same action always has the
//! same text, so that a text can stand for what it does. What people read may be briefer.

use super::data::{Action, Node, Program, Send, Steps};
use super::expression::{Binary, Expression, Index, Pattern, Place, Probe, Receive, Remote, Unary};
use super::value::ValueType;
use std::fmt::Write;

/// What things are called in the text of one process.
pub trait Naming {
    /// A variable of the process itself, by its cell: `x`, `a[2].b`; none if there is no such cell.
    fn local(&self, cell: u32) -> Option<String>;
    /// The type of such a variable.
    fn local_type(&self, cell: u32) -> Option<ValueType>;
    /// A proctype, where a process is started.
    fn started(&self, proctype: u32) -> String;
    /// The labels that stand where a label of the program stood, by its number in [`Program::labels`].
    fn labels(&self, label: u32, proctype: u32) -> Vec<String>;
}

/// What the user calls things.
#[derive(Debug)]
pub struct UserNames<'a> {
    /// The program.
    pub program: &'a Program,
    /// Of which process.
    pub proctype: u32,
}

impl Naming for UserNames<'_> {
    fn local(&self, cell: u32) -> Option<String> {
        self.program.proctypes[self.proctype as usize].cells.get(cell as usize).map(|cell| cell.name.to_string())
    }

    fn local_type(&self, cell: u32) -> Option<ValueType> {
        self.program.proctypes[self.proctype as usize].cells.get(cell as usize).map(|cell| cell.ty)
    }

    fn started(&self, proctype: u32) -> String {
        self.program.proctypes[proctype as usize].name.to_string()
    }

    fn labels(&self, label: u32, proctype: u32) -> Vec<String> {
        let state = self.program.labels[label as usize];
        let named = state.map(|state| &self.program.proctypes[proctype as usize].states[state as usize].labels);
        named.and_then(|labels| labels.first()).map(|label| label.to_string()).into_iter().collect()
    }
}

/// Writes expressions and actions of one process.
pub struct Writer<'a> {
    program: &'a Program,
    names: &'a dyn Naming,
    brief: bool,
}

impl<'a> Writer<'a> {
    /// With these names.
    pub fn new(program: &'a Program, names: &'a dyn Naming) -> Self {
        Self { program, names, brief: false }
    }

    /// Without parentheses that nobody needs.
    pub fn brief(self) -> Self {
        Self { brief: true, ..self }
    }

    /// A value that stands by itself.
    fn value(&self, value: &Expression) -> String {
        let mut asks_channel = false;
        value.visit(&mut |part| asks_channel |= matches!(part, Expression::Probe(..) | Expression::Poll(_)));
        // SPIN has a grammar of its own for questions about channels.
        if self.brief && !asks_channel { self.operand(value, 0) } else { self.expression(value) }
    }

    /// An expression beside an operator that binds as strongly as said.
    fn operand(&self, value: &Expression, beside: u8) -> String {
        match value {
            Expression::Unary(Unary::Not, a) if beside <= binding(Binary::And) + 1 => {
                format!("!{}", self.operand(a, TIGHT))
            }
            Expression::Binary(op, pair) => {
                let own = binding(*op);
                let [left, right] = match op {
                    Binary::And | Binary::Or | Binary::Add | Binary::Subtract => [own, own + 1],
                    _ if op.is_condition() => [binding(Binary::Add); 2],
                    _ => [TIGHT; 2],
                };
                let [a, b] = [(&pair.0, &pair.1, left), (&pair.1, &pair.0, right)].map(|(value, other, beside)| {
                    let named = op.is_condition().then(|| self.named(value, self.type_of(other))).flatten();
                    named.unwrap_or_else(|| self.operand(value, beside))
                });
                let text = format!("{a} {} {b}", sign(*op));
                if own < beside { format!("({text})") } else { text }
            }
            _ => self.expression(value),
        }
    }

    /// A constant by its name, where people read it and it stands for one of a type.
    fn named(&self, value: &Expression, ty: Option<ValueType>) -> Option<String> {
        match (value, ty) {
            (Expression::Number(value), Some(ty @ ValueType::Name(_))) if self.brief => {
                Some(self.program.worded(ty, *value))
            }
            _ => None,
        }
    }

    /// The type of a cell that is read.
    fn type_of(&self, value: &Expression) -> Option<ValueType> {
        match value {
            Expression::Global(cell) => Some(self.program.globals[*cell as usize].ty),
            Expression::Local(cell) => self.names.local_type(*cell),
            Expression::Element(place) | Expression::RemoteCell(_, place) => Some(place.ty),
            _ => None,
        }
    }

    /// The type of a field of the messages of a channel, where it is known which one that is.
    fn field_type(&self, channel: &Expression, field: usize) -> Option<ValueType> {
        let program = self.program;
        let position = match channel {
            Expression::Number(number) => usize::try_from(*number).ok()?.checked_sub(1)?,
            Expression::Global(cell) => {
                let name = &program.globals[*cell as usize].name;
                program.channel_names.iter().position(|other| other == name)?
            }
            _ => return None,
        };
        let kind = *program.channels.get(position)?;
        program.channel_types[kind as usize].fields.get(field).copied()
    }

    /// A cell that is read or set.
    pub fn place(&self, place: &Place) -> String {
        let name = |cell: u32| match place.local {
            true => self.names.local(cell),
            false => self.program.globals.get(cell as usize).map(|cell| cell.name.to_string()),
        };
        let first = name(place.offset).unwrap_or_default();
        self.indexed(&first, &place.indices, |other| name(place.offset + other))
    }

    /// The name of the first cell with the indices put in: each belongs to the brackets that lead its stride further.
    fn indexed(&self, first: &str, indices: &[Index], name: impl Fn(u32) -> Option<String>) -> String {
        let brackets = first.matches('[').count();
        let mut out = String::new();
        let (mut rest, mut left) = (first, indices);
        let mut unplaced = brackets;
        while let Some(open) = rest.find('[') {
            let close = rest[open..].find(']').map_or(rest.len(), |at| open + at);
            out += &rest[..=open];
            let here = left.first().filter(|index| {
                // As many brackets as indices are left, or the next cell in this direction has the same name but for them.
                unplaced == left.len()
                    || name(index.stride).is_some_and(|other| {
                        let at = first.len() - rest.len() + open;
                        other.len() > at && other[..=at] == first[..=at] && other[at..] != first[at..]
                    })
            });
            match here {
                Some(index) => {
                    out += &self.value(&index.at);
                    left = &left[1..];
                }
                None => out += &rest[open + 1..close],
            }
            unplaced -= 1;
            rest = &rest[close..];
        }
        out += rest;
        // A variable that is no array may have an index all the same.
        for index in left {
            let _ = write!(out, "[{}]", self.value(&index.at));
        }
        out
    }

    /// An expression, in parentheses where it is an operation.
    pub fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Number(value) if *value < 0 => format!("({value})"),
            Expression::Number(value) => value.to_string(),
            Expression::Global(cell) => self.program.globals[*cell as usize].name.to_string(),
            Expression::Local(cell) => self.names.local(*cell).unwrap_or_default(),
            Expression::Element(place) => self.place(place),
            Expression::Unary(op, a) => format!("({}{})", unary(*op), self.expression(a)),
            Expression::Binary(op, pair) => {
                format!("({} {} {})", self.expression(&pair.0), sign(*op), self.expression(&pair.1))
            }
            Expression::Conditional(parts) => {
                let [a, b, c] = [&parts.0, &parts.1, &parts.2].map(|part| self.expression(part));
                format!("({a} -> {b} : {c})")
            }
            Expression::Length(channel) => format!("len({})", self.expression(channel)),
            Expression::Probe(what, channel) => format!("{}({})", probe(*what), self.expression(channel)),
            Expression::Poll(receive) => {
                let mark = if receive.random { "??" } else { "?" };
                format!("{}{mark}[{}]", self.expression(&receive.channel), self.patterns(receive))
            }
            Expression::Timeout => "timeout".into(),
            Expression::NonProgress => "np_".into(),
            Expression::Pid => "_pid".into(),
            Expression::ProcessCount => "_nr_pr".into(),
            Expression::At(remote, label) => {
                let process = self.remote(remote);
                let at = |name: String| format!("{process}@{name}");
                let places: Vec<String> = self.names.labels(*label, remote.proctype).into_iter().map(at).collect();
                match places.len() {
                    0 => "false".into(),
                    1 => places.concat(),
                    _ => format!("({})", places.join(" || ")),
                }
            }
            Expression::RemoteCell(remote, place) => {
                let cells = &self.program.proctypes[remote.proctype as usize].cells;
                let name = |cell: u32| cells.get(cell as usize).map(|cell| cell.name.to_string());
                let first = name(place.offset).unwrap_or_default();
                let cell = self.indexed(&first, &place.indices, |other| name(place.offset + other));
                format!("{}:{cell}", self.remote(remote))
            }
            Expression::Enabled(pid) => format!("enabled({})", self.expression(pid)),
            Expression::Priority(pid) => format!("get_priority({})", self.expression(pid)),
        }
    }

    fn remote(&self, remote: &Remote) -> String {
        let name = &self.program.proctypes[remote.proctype as usize].name;
        match &remote.pid {
            None => name.to_string(),
            Some(pid) => format!("{name}[{}]", self.expression(pid)),
        }
    }

    /// What the fields of a message are matched with or stored in.
    pub fn patterns(&self, receive: &Receive) -> String {
        let pattern = |(field, pattern): (usize, &Pattern)| match pattern {
            Pattern::Match(value @ Expression::Number(number)) => {
                self.named(value, self.field_type(&receive.channel, field)).unwrap_or_else(|| number.to_string())
            }
            Pattern::Match(value) => format!("eval({})", self.expression(value)),
            Pattern::Store(place) => self.place(place),
            Pattern::Ignore => "_".into(),
        };
        receive.patterns.iter().enumerate().map(pattern).collect::<Vec<_>>().join(",")
    }

    /// Values behind one another.
    pub fn list(&self, values: &[Expression]) -> String {
        values.iter().map(|value| self.expression(value)).collect::<Vec<_>>().join(",")
    }

    /// A statement, on one line.
    pub fn action(&self, action: &Action) -> String {
        match action {
            Action::Skip => "true".into(),
            Action::Else => "else".into(),
            Action::Condition(value @ Expression::Binary(..)) => self.value(value),
            Action::Condition(value) => condition(self.expression(value)),
            Action::Assign(place, value) => {
                let named = self.named(value, place.as_ref().map(|place| place.ty));
                let place = place.as_ref().map_or_else(|| "_".into(), |place| self.place(place));
                format!("{place} = {}", named.unwrap_or_else(|| self.value(value)))
            }
            Action::Assert(value) => format!("assert({})", bare(&self.value(value))),
            Action::Print(values) => {
                let format = "%d".repeat(values.len());
                format!(
                    "printf(\"{format}\"{})",
                    values.iter().map(|v| format!(", {}", self.expression(v))).collect::<String>()
                )
            }
            Action::Send(send) => self.send(send),
            Action::Receive(receive) => self.receive(receive),
            Action::Run(run) => {
                let into = run.into.as_ref().map_or_else(String::new, |place| format!("{} = ", self.place(place)));
                format!("{into}run {}({})", self.names.started(run.proctype), self.list(&run.arguments))
            }
            Action::SetPriority(pair) => {
                format!("set_priority({}, {})", self.expression(&pair.0), self.expression(&pair.1))
            }
            Action::End => "-end-".into(),
            Action::Steps(steps) => format!("d_step {{ {} }}", self.steps(steps)),
        }
    }

    fn send(&self, send: &Send) -> String {
        let mark = if send.sorted { "!!" } else { "!" };
        let argument = |(field, value): (usize, &Expression)| {
            self.named(value, self.field_type(&send.channel, field)).unwrap_or_else(|| self.expression(value))
        };
        let arguments: Vec<String> = send.arguments.iter().enumerate().map(argument).collect();
        format!("{}{mark}{}", self.expression(&send.channel), arguments.join(","))
    }

    fn receive(&self, receive: &Receive) -> String {
        let mark = if receive.random { "??" } else { "?" };
        let patterns = self.patterns(receive);
        let patterns = if receive.keep { format!("<{patterns}>") } else { patterns };
        format!("{}{mark}{patterns}", self.expression(&receive.channel))
    }

    /// The statements of a `d_step`: places that are come to from several others have a label.
    fn steps(&self, steps: &Steps) -> String {
        let mut entered = vec![0u32; steps.nodes.len()];
        entered[0] = 1;
        let mut open = vec![0u32];
        while let Some(at) = open.pop() {
            for &to in steps.nodes[at as usize].targets() {
                entered[to as usize] += 1;
                if entered[to as usize] == 1 {
                    open.push(to);
                }
            }
        }
        let mut written = vec![false; steps.nodes.len()];
        self.node(steps, 0, &entered, &mut written).join("; ")
    }

    fn node(&self, steps: &Steps, at: u32, entered: &[u32], written: &mut [bool]) -> Vec<String> {
        let place = at as usize;
        if matches!(steps.nodes[place], Node::Exit) {
            return Vec::new();
        }
        if std::mem::replace(&mut written[place], true) {
            return vec![format!("goto d{place}")];
        }
        let mut out = match &steps.nodes[place] {
            Node::Exit => Vec::new(),
            Node::Jump(to) => self.node(steps, *to, entered, written),
            Node::Do(action, to, _) => {
                let mut out = vec![self.action(action)];
                out.extend(self.node(steps, *to, entered, written));
                out
            }
            Node::Choose(options) => {
                let mut text = String::from("if");
                for &option in options {
                    let body = self.node(steps, option, entered, written);
                    let body = if body.is_empty() { "skip".into() } else { body.join("; ") };
                    let _ = write!(text, " :: {body}");
                }
                vec![text + " fi"]
            }
        };
        if entered[place] > 1 {
            match out.first_mut() {
                Some(first) => *first = format!("d{place}: {first}"),
                None => out.push(format!("d{place}: skip")),
            }
        }
        out
    }
}

impl Node {
    /// Where it goes on.
    pub fn targets(&self) -> &[u32] {
        match self {
            Node::Do(_, to, _) | Node::Jump(to) => std::slice::from_ref(to),
            Node::Choose(options) => options,
            Node::Exit => &[],
        }
    }

    /// The same, to be changed.
    pub fn targets_mut(&mut self) -> &mut [u32] {
        match self {
            Node::Do(_, to, _) | Node::Jump(to) => std::slice::from_mut(to),
            Node::Choose(options) => options,
            Node::Exit => &mut [],
        }
    }
}

/// A condition as a statement: SPIN reads an operation without parentheses too, but a lone name looks odd.
fn condition(text: String) -> String {
    if text.starts_with('(') { text } else { format!("({text})") }
}

/// Without the parentheses around the whole.
fn bare(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut depth = 0i32;
    let mut balanced = |inner: &str| {
        inner.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        })
    };
    inner.filter(|inner| balanced(inner)).unwrap_or(text)
}

/// Binds more than any operator.
const TIGHT: u8 = u8::MAX;

/// How strongly an operator binds. Those whose place in the order few people know bind least, and their operands stand in parentheses.
fn binding(op: Binary) -> u8 {
    match op {
        Binary::Or => 2,
        Binary::And => 3,
        Binary::Add | Binary::Subtract => 6,
        Binary::Multiply | Binary::Divide | Binary::Remainder => 7,
        op if op.is_condition() => 4,
        _ => 1,
    }
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Minus => "-",
        Unary::Not => "!",
        Unary::Complement => "~",
    }
}

/// How an operator between two operands is written.
pub(crate) fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::BitAnd => "&",
        Binary::BitXor => "^",
        Binary::BitOr => "|",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}

fn probe(probe: Probe) -> &'static str {
    match probe {
        Probe::Full => "full",
        Probe::Empty => "empty",
        Probe::NotFull => "nfull",
        Probe::NotEmpty => "nempty",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, compile};
    use prequel_formats::promela;

    /// The conditions of the first process of a program.
    fn conditions(text: &str) -> (Program, Vec<Action>) {
        let (model, _) = promela::read("m.pml", text.as_bytes(), "".as_ref(), &[]).expect("it can be read");
        let (program, _) = compile(&model, Claim::None).expect("it means something");
        let states = &program.proctypes[0].states;
        let actions = states.iter().flat_map(|state| &state.transitions).map(|step| step.action.clone()).collect();
        (program, actions)
    }

    fn text(conditions: &[String]) -> String {
        let lines: String = conditions.iter().map(|condition| format!("  {condition};\n")).collect();
        format!("byte a; byte b; byte c; byte v[4];\nactive proctype P() {{\n{lines}  a = 1\n}}\n")
    }

    /// All expressions of three operators, and some with negations: brief, and read again.
    #[test]
    fn a_brief_text_means_the_same() {
        let operators =
            ["+", "-", "*", "/", "%", "<<", ">>", "&", "^", "|", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
        let mut written = Vec::new();
        for one in operators {
            for other in operators {
                for last in ["-", "==", "&&", "||", "&", "%"] {
                    written.push(format!("((a {one} b) {other} (c {last} v[a {one} 1]))"));
                    written.push(format!("((a {one} (b {other} c)) {last} a)"));
                    written.push(format!("(a {last} ((b {one} c) {other} !a))"));
                    written.push(format!("(!(a {one} b) {last} -(b {other} (-c)))"));
                }
            }
        }
        let (program, actions) = conditions(&text(&written));
        let names = UserNames { program: &program, proctype: 0 };
        let brief = |action: &Action| Writer::new(&program, &names).brief().action(action);
        let full = |action: &Action| Writer::new(&program, &names).action(action);
        let shown = actions.iter().filter(|action| matches!(action, Action::Condition(_)));
        let again: Vec<String> = shown.clone().map(brief).collect();
        assert!(again.len() > 7000 && again.concat().len() < written.concat().len());
        let (other, read) = conditions(&text(&again));
        assert_eq!(program.globals.len(), other.globals.len());
        let read: Vec<String> = read.iter().filter(|action| matches!(action, Action::Condition(_))).map(full).collect();
        for ((action, brief), read) in shown.zip(&again).zip(&read) {
            assert_eq!(&full(action), read, "{brief}");
        }
    }
}
