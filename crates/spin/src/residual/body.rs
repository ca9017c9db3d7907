//! The text of a folded process: a place for each class of its states, a line for each step.
//!
//! What goes on at once after a step is written inside of the same `atomic`; whatever else is a place with a label. The only way to
//! the end of a process that costs no step is out of a loop, so a process that ends stands in one.

use prequel_program::Program;
use prequel_program::residual::{Choice, Class, END, Residual, TAU};
use prequel_program::text::{Naming, Writer};
use rustc_hash::FxHashSet;

/// A line, and what it stands for.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The step that it is.
    pub step: Option<Step>,
}

/// A step of a folded process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Of which kind of process.
    pub proctype: u32,
    /// The class before it.
    pub class: u32,
    /// Its labels: one of them is done.
    pub labels: Vec<u32>,
    /// The class after it.
    pub target: u32,
}

/// Writes the body of one kind of process.
pub struct Body<'a> {
    /// The program.
    pub program: &'a Program,
    /// The process.
    pub residual: &'a Residual,
    /// What things are called.
    pub names: &'a dyn Naming,
    /// What places are called, before their numbers.
    pub prefix: &'a str,
    /// By class: more labels that stand there.
    pub labels: Vec<Vec<String>>,
    /// Whether the lines of the user's statements stand as comments.
    comments: bool,
    lines: Vec<Line>,
    /// Labels that were written inside of an `atomic`, and whether one had to be written twice.
    inner: FxHashSet<String>,
    twice: bool,
}

/// What is written inside of one `atomic`.
struct Inside {
    /// Classes with a place of their own in it, and how often they are come to.
    entered: Vec<(u32, usize)>,
    written: Vec<u32>,
    /// Where all of it leads, if that is one class: then it goes there behind the brace.
    exit: Option<u32>,
    /// Tells the places of different `atomic` apart.
    number: usize,
}

impl<'a> Body<'a> {
    /// For a kind of process.
    pub fn new(
        program: &'a Program,
        residual: &'a Residual,
        names: &'a dyn Naming,
        prefix: &'a str,
        labels: Vec<Vec<String>>,
        comments: bool,
    ) -> Self {
        let (lines, inner) = Default::default();
        Self { program, residual, names, prefix, labels, comments, lines, inner, twice: false }
    }

    /// The lines between the braces; none where they cannot be written.
    pub fn write(mut self) -> Option<Vec<Line>> {
        let classes = &self.residual.quotient.classes;
        if self.residual.only_ends() {
            return Some(self.nothing());
        }
        // What goes on for ever without giving others a turn is not ours to write.
        if classes[0].held || classes.iter().any(|class| class.held && class.diverges) {
            return None;
        }
        let ends = classes.iter().any(|class| class.closes());
        let places: Vec<u32> = self.places();
        let mut falls = vec![false; classes.len()];
        for (at, &class) in places.iter().enumerate() {
            let next = places.get(at + 1).copied();
            // What leads to the next place and nowhere else needs no jump.
            falls[class as usize] = !(at == 0 && ends) && next.is_some() && self.falls_to(class) == next;
        }
        for (at, &class) in places.iter().enumerate() {
            self.place(class, at == 0 && ends, at + 1 == places.len(), &falls);
        }
        if ends {
            self.line("od");
        }
        (!self.twice).then_some(self.lines)
    }

    /// The text of a process that can go away at once: it has to do something before.
    fn nothing(mut self) -> Vec<Line> {
        for label in self.labels[0].clone() {
            self.line(format!("{label}:"));
        }
        let step = Step { proctype: self.residual.proctype, class: 0, labels: vec![TAU], target: 0 };
        self.lines.push(Line { text: "  true".into(), step: Some(step) });
        self.lines
    }

    /// The classes that have a place of their own, in the order of the text.
    fn places(&self) -> Vec<u32> {
        let classes = &self.residual.quotient.classes;
        let (mut order, mut open) = (Vec::new(), vec![0u32]);
        let mut seen = vec![false; classes.len()];
        while let Some(class) = open.pop() {
            if std::mem::replace(&mut seen[class as usize], true) {
                continue;
            }
            let here = &classes[class as usize];
            if !here.held && !here.closes() && !here.gone {
                order.push(class);
            }
            open.extend(here.options.iter().rev().map(|choice| choice.target));
        }
        order
    }

    /// Where a place leads by its only option, if that is one line.
    fn falls_to(&self, class: u32) -> Option<u32> {
        let here = &self.residual.quotient.classes[class as usize];
        match &here.options[..] {
            [only] if !here.diverges && !self.residual.quotient.classes[only.target as usize].held => Some(only.target),
            _ => None,
        }
    }

    /// Whether somebody jumps to a place.
    fn is_entered(&self, class: u32, falls: &[bool]) -> bool {
        let classes = self.residual.quotient.classes.iter().enumerate();
        let jumps = |(from, here): (usize, &Class)| {
            (here.diverges && from == class as usize)
                || (!falls[from] && here.options.iter().any(|choice| choice.target == class))
        };
        classes.into_iter().any(jumps)
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), step: None });
    }

    fn name(&self, class: u32) -> String {
        let end = if self.residual.quotient.classes[class as usize].end { "end_" } else { "" };
        format!("{end}{}{class}", self.prefix)
    }

    /// One place: its label and what can be done there.
    fn place(&mut self, class: u32, outer: bool, last: bool, falls: &[bool]) {
        let here = self.residual.quotient.classes[class as usize].clone();
        for label in self.labels[class as usize].clone() {
            self.line(format!("{label}:"));
        }
        let name = self.name(class);
        if here.end || self.is_entered(class, falls) {
            self.line(format!("{name}:"));
        }
        let labelled = self.lines.last().is_some_and(|line| line.text.ends_with(':'));
        let mut options = here.options.clone();
        if here.diverges {
            options.push(Choice { label: TAU, of: vec![TAU], target: class });
        }
        let stop = if last { "" } else { ";" };
        match (&options[..], outer) {
            ([], false) => self.line(format!("  false{stop}")),
            ([only], false) if !(labelled && self.is_block(only)) => {
                self.option(class, only, "  ", falls[class as usize]);
                let text = self.lines.last_mut().expect("an option is at least a line");
                text.text += stop;
            }
            _ => {
                self.line(if outer { "  do" } else { "  if" });
                let first = self.lines.len();
                for choice in &options {
                    self.option(class, choice, "  :: ", falls[class as usize]);
                }
                self.beside_else(first);
                match (outer, last) {
                    (false, _) => self.line(format!("  fi{stop}")),
                    (true, true) => {}
                    // The other places stand where control never comes by itself.
                    (true, false) => self.line("  :: false ->"),
                }
            }
        }
    }

    /// SPIN takes no plain operation on a channel beside `else`, but a block that begins with one.
    fn beside_else(&mut self, first: usize) {
        let options = &mut self.lines[first..];
        if !options.iter().any(|line| line.text.starts_with("  :: else")) {
            return;
        }
        for line in options {
            let Some(option) = line.text.strip_prefix("  :: ") else { continue };
            let plain = !option.starts_with("atomic") && !option.starts_with("d_step");
            if let Some((statement, next)) = option.rsplit_once(" -> ").filter(|_| plain)
                && statement != "else"
                && ["?", "!", "len(", "full(", "empty("].iter().any(|part| statement.contains(part))
            {
                line.text = format!("  :: atomic {{ {statement} }} -> {next}");
            }
        }
    }

    /// Whether an option begins with something that may not have a label before it.
    fn is_block(&self, choice: &Choice) -> bool {
        self.statement(0, choice).starts_with("d_step")
    }

    /// One option, with where it leads.
    fn option(&mut self, class: u32, choice: &Choice, before: &str, falls: bool) {
        let statement = self.statement(class, choice);
        let step = Some(self.step(class, choice));
        let target = &self.residual.quotient.classes[choice.target as usize];
        if !target.held {
            let next = if falls { String::new() } else { format!(" -> {}", self.next(choice.target)) };
            let about = self.about(choice);
            self.lines.push(Line { text: format!("{before}{statement}{next}{about}"), step });
            return;
        }
        let about = self.about(choice);
        self.lines.push(Line { text: format!("{before}atomic {{ {statement};{about}"), step });
        let mut inside = self.inside(choice.target);
        self.held(choice.target, &mut inside, 2);
        match inside.exit {
            Some(exit) => {
                let next = self.next(exit);
                self.line(format!("     }} -> {next}"));
            }
            None => self.line("     }"),
        }
    }

    fn step(&self, class: u32, choice: &Choice) -> Step {
        Step { proctype: self.residual.proctype, class, labels: choice.of.clone(), target: choice.target }
    }

    fn next(&self, class: u32) -> String {
        match self.residual.quotient.classes[class as usize].closes() {
            true => "break".into(),
            false => format!("goto {}", self.name(class)),
        }
    }

    /// The classes inside of an `atomic` that is entered at one, and where they lead.
    fn inside(&self, class: u32) -> Inside {
        let classes = &self.residual.quotient.classes;
        let mut entered: Vec<(u32, usize)> = vec![(class, 1)];
        let mut exits: Vec<u32> = Vec::new();
        let mut at = 0;
        while at < entered.len() {
            for choice in &classes[entered[at].0 as usize].options {
                if !classes[choice.target as usize].held {
                    if !exits.contains(&choice.target) {
                        exits.push(choice.target);
                    }
                } else if let Some(known) = entered.iter_mut().find(|(class, _)| *class == choice.target) {
                    known.1 += 1;
                } else {
                    entered.push((choice.target, 1));
                }
            }
            at += 1;
        }
        let exit = if let [exit] = exits[..] { Some(exit) } else { None };
        Inside { entered, written: Vec::new(), exit, number: self.lines.len() }
    }

    /// What is done at a class inside of an `atomic`, to the end of it.
    fn held(&mut self, class: u32, inside: &mut Inside, depth: usize) {
        let indent = "  ".repeat(depth);
        let name = format!("{}{class}_{}", self.prefix, inside.number);
        if inside.written.contains(&class) {
            self.line(format!("{indent}goto {name}"));
            return;
        }
        inside.written.push(class);
        for label in self.labels[class as usize].clone() {
            self.twice |= !self.inner.insert(label.clone());
            self.line(format!("{indent}{label}:"));
        }
        if inside.entered.iter().any(|(other, count)| *other == class && *count > 1) {
            self.line(format!("{indent}{name}:"));
        }
        let options = self.residual.quotient.classes[class as usize].options.clone();
        if let [only] = &options[..]
            && !self.is_block(only)
        {
            self.held_option(class, only, inside, depth, &indent);
            return;
        }
        if options.is_empty() {
            self.line(format!("{indent}false"));
            return;
        }
        self.line(format!("{indent}if"));
        for choice in &options {
            self.held_option(class, choice, inside, depth + 1, &format!("{indent}:: "));
        }
        self.line(format!("{indent}fi"));
    }

    fn held_option(&mut self, class: u32, choice: &Choice, inside: &mut Inside, depth: usize, before: &str) {
        let (statement, about) = (self.statement(class, choice), self.about(choice));
        let step = Some(self.step(class, choice));
        let held = self.residual.quotient.classes[choice.target as usize].held;
        let next =
            if held || inside.exit.is_some() { String::new() } else { format!(" -> {}", self.next(choice.target)) };
        let more = if held { ";" } else { "" };
        self.lines.push(Line { text: format!("{before}{statement}{next}{more}{about}"), step });
        if held {
            self.held(choice.target, inside, depth);
        }
    }

    fn statement(&self, class: u32, choice: &Choice) -> String {
        if choice.label == TAU {
            // SPIN takes a `true` that leads to itself for a mistake.
            return if self.silently_back(class, choice.target) { "(_pid >= 0)".into() } else { "true".into() };
        }
        let label = &self.residual.unfolding.labels[choice.label as usize];
        Writer::new(self.program, self.names).brief().action(&label.action)
    }

    /// Whether steps that nobody notices lead from one class to another, or such that SPIN may merge with one of them inside of an
    /// `atomic`.
    fn silently_back(&self, goal: u32, from: u32) -> bool {
        let classes = &self.residual.quotient.classes;
        let (mut seen, mut open) = (vec![false; classes.len()], vec![from]);
        while let Some(class) = open.pop() {
            if class == goal {
                return true;
            }
            if !std::mem::replace(&mut seen[class as usize], true) {
                let Class { options, held, .. } = &classes[class as usize];
                open.extend(options.iter().filter(|choice| choice.label == TAU || *held).map(|choice| choice.target));
            }
        }
        false
    }

    /// The line of the user's own statement, as a comment.
    fn about(&self, choice: &Choice) -> String {
        if choice.label == TAU || choice.label == END || !self.comments {
            return String::new();
        }
        let label = &self.residual.unfolding.labels[choice.label as usize];
        let statement = self.program.statements.get(label.statement as usize);
        statement.map_or_else(String::new, |statement| format!(" /* {} */", statement.line))
    }
}
