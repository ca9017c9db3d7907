//! Modules → circuit: variables as words, what components say as functions.

use super::evaluate::{Context, Doubt, Evaluator, Time};
use super::report::Report;
use super::scope::{Meaning, System};
use super::syntax::{Expression, ExpressionKind, Path, Role, Statement, Type, When};
use crate::text::expression::Nested as _;
use prequel_model::{Bit, Circuit, Kind, Lit, Part};
use prequel_sat::{Encoder, Outcome, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of an enumeration of numbers may be so far apart.
const WIDEST: i64 = 1 << 20;

/// How often a solver asks whether it should give up, before it does.
const PATIENCE: u32 = 100_000;

impl<'m, 'r, 's> Evaluator<'m, 'r, 's> {
    /// Declares all variables, and evaluates all definitions, in an order in which none needs a later one.
    pub fn new(system: &'s System<'m>, report: Report<'r>) -> Self {
        let defined = vec![[const { None }; 2]; system.defines.len()];
        let about_steps = vec![false; system.defines.len()];
        let (circuit, words, doubts) = (Circuit::default(), Vec::new(), Vec::new());
        let mut new = Self { circuit, system, report, doubts, words, defined, about_steps, matters: Lit::TRUE };
        for declared in &system.words {
            let kind = match declared.ty {
                Type::Truth => Kind::Truth,
                Type::Range(first, last) => Kind::Numbers(*first, *last),
                Type::Numbers(numbers) => {
                    let (first, last) = (numbers.iter().min(), numbers.iter().max());
                    let (first, last) = (*first.expect("there is one"), *last.expect("there is one"));
                    if last - first > WIDEST {
                        new.report.error(&declared.place.span, "these numbers are too far apart", "use smaller ones");
                        Kind::Truth
                    } else {
                        Kind::Numbers(first, last)
                    }
                }
                Type::Names(names) => {
                    let mut seen = FxHashSet::default();
                    for name in names.iter().filter(|name| !seen.insert(&name.text)) {
                        let help = "each name once";
                        new.report.error(&name.span, format!("a second `{}` in this set", name.text), help);
                    }
                    Kind::Names(names.iter().map(|name| name.text.clone()).collect())
                }
                Type::Instance(..) => unreachable!("instances are no variables"),
            };
            let word = new.circuit.word(declared.name.clone(), kind);
            new.words.push(word);
        }
        new.define();
        new
    }

    /// Evaluates all definitions. Those that need each other in a circle are reported.
    fn define(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            No,
            Open,
            Done,
        }
        let mut seen = vec![Seen::No; self.system.defines.len()];
        for start in 0..seen.len() {
            let mut open = vec![start];
            while let Some(&at) = open.last() {
                let (scope, name, expression) = self.system.defines[at];
                if seen[at] == Seen::Done {
                    open.pop();
                    continue;
                }
                let (needs, about_steps) = self.needs(expression, scope);
                if seen[at] == Seen::No {
                    seen[at] = Seen::Open;
                    if let Some(&back) = needs.iter().find(|&&need| seen[need] == Seen::Open) {
                        let from = open.iter().rposition(|&o| o == back).unwrap_or(0);
                        let mut names: Vec<&str> = Vec::new();
                        for &at in open[from..].iter().filter(|&&o| seen[o] == Seen::Open) {
                            names.push(&self.system.defines[at].1.text);
                        }
                        names.push(names[0]);
                        let message = format!("a circle of definitions: {}", names.join(" needs "));
                        self.report.error(
                            &name.span,
                            message,
                            "a variable with `next` can look back, a definition not",
                        );
                        seen[at] = Seen::Done;
                        continue;
                    }
                    open.extend(needs.iter().filter(|&&need| seen[need] == Seen::No));
                    continue;
                }
                seen[at] = Seen::Done;
                self.about_steps[at] = about_steps || needs.iter().any(|&need| self.about_steps[need]);
                for time in [Time::Now, Time::Next] {
                    if time == Time::Now || !self.about_steps[at] {
                        let context = Context { scope, time, steps: self.about_steps[at] };
                        self.defined[at][time as usize] = self.value(expression, context);
                    }
                }
            }
        }
    }

    /// The definitions that an expression needs at once, and whether it is about a step itself.
    fn needs(&self, e: &Expression, scope: usize) -> (Vec<usize>, bool) {
        let (mut needs, mut about_steps) = (Vec::new(), false);
        let mut open = vec![(e, scope)];
        while let Some((e, scope)) = open.pop() {
            about_steps |= matches!(*e.kind, ExpressionKind::Next(_));
            if let ExpressionKind::Name(path) = &*e.kind {
                match self.system.look_up(scope, path) {
                    Ok(Meaning::Define(define)) => needs.push(define),
                    Ok(Meaning::Given(given, scope)) => open.push((given, scope)),
                    _ => {}
                }
            }
            open.extend(e.kind.parts().into_iter().map(|part| (part, scope)));
        }
        needs.sort_unstable();
        needs.dedup();
        (needs, about_steps)
    }

    /// What all components say, and what is claimed.
    pub fn build(&mut self) {
        // What is said of each variable, by whom.
        let mut claims: Option<Lit> = None;
        let assigned = self.assignments();
        let mut of_words: Vec<(Vec<Lit>, Vec<Lit>)> = vec![(Vec::new(), Vec::new()); self.system.scopes.len()];
        for at in 0..self.words.len() {
            let (initial, step) = &mut of_words[self.system.words[at].scope];
            self.domain(at, &assigned, initial, step);
        }
        for (scope, (mut initial, mut step)) in of_words.into_iter().enumerate() {
            let Some(module) = self.system.scopes[scope].module else { continue };
            for assignment in &module.assignments {
                let Some(word) = self.target(scope, &assignment.target) else { continue };
                let mut say = |time, context: Context, into: &mut Vec<Lit>| {
                    into.extend(self.assigned(word, time, &assignment.value, context));
                };
                let now = Context { scope, time: Time::Now, steps: false };
                match assignment.when {
                    When::First => say(Time::Now, now, &mut initial),
                    When::Next => say(Time::Next, Context { steps: true, ..now }, &mut step),
                    When::Always => {
                        say(Time::Now, now, &mut initial);
                        say(Time::Next, Context { time: Time::Next, ..now }, &mut step);
                    }
                }
            }
            for (statement, expression) in &module.statements {
                let now = Context { scope, time: Time::Now, steps: false };
                match statement {
                    Statement::Init => initial.extend(self.truth(expression, now)),
                    Statement::Trans => step.extend(self.truth(expression, Context { steps: true, ..now })),
                    Statement::Invar => {
                        initial.extend(self.truth(expression, now));
                        step.extend(self.truth(expression, Context { time: Time::Next, ..now }));
                    }
                    Statement::Claim => {
                        let Some(claim) = self.truth(expression, now) else { continue };
                        let so_far = claims.unwrap_or(Lit::TRUE);
                        claims = Some(self.circuit.aig.and(so_far, claim));
                    }
                }
            }
            // One that only has instances inside says nothing itself.
            if !(initial.is_empty() && step.is_empty()) {
                let (initial, step) = (self.circuit.aig.all(initial), self.circuit.aig.all(step));
                let name = &*self.system.scopes[scope].name;
                let name = if name.is_empty() { "main" } else { name }.into();
                self.circuit.parts.push(Part { name, initial, step });
            }
        }
        self.circuit.bad = claims.map(|claims| !claims);
    }

    /// A goal: a condition on one state, read where goals are read.
    pub fn goal(&mut self, goal: &Expression) -> Option<Lit> {
        self.truth(goal, Context { scope: 0, time: Time::Now, steps: false })
    }

    /// Which variables have an assignment for the first state, and which for the next.
    fn assignments(&mut self) -> [FxHashMap<usize, std::ops::Range<usize>>; 2] {
        let mut assigned: [FxHashMap<usize, std::ops::Range<usize>>; 2] = Default::default();
        for (scope, of) in self.system.scopes.iter().enumerate() {
            for assignment in of.module.iter().flat_map(|module| &module.assignments) {
                let path = &assignment.target;
                let Some(word) = self.named(scope, path) else { continue };
                let declared = &self.system.words[word];
                let (name, owner) = (&declared.name, &self.system.scopes[declared.scope].name);
                let owner = if owner.is_empty() { "main" } else { owner };
                if declared.scope != scope {
                    let message = format!("`{name}` belongs to `{owner}`, and is assigned by another component");
                    self.report.error(
                        &path.span,
                        message,
                        "assign it there, or say with TRANS how the two are related",
                    );
                    continue;
                }
                match (declared.role, assignment.when) {
                    (Role::Input, _) => {
                        let message = format!("`{name}` is an input, and nobody assigns inputs");
                        self.report.error(&path.span, message, "declare it with VAR");
                    }
                    (Role::Frozen, When::Next | When::Always) => {
                        let message = format!("`{name}` is frozen: it stays what it was at first");
                        self.report.error(&path.span, message, "declare it with VAR");
                    }
                    _ => {}
                }
                let kinds: &[usize] = match assignment.when {
                    When::First => &[0],
                    When::Next => &[1],
                    When::Always => &[0, 1],
                };
                for &kind in kinds {
                    if let Some(first) = assigned[kind].insert(word, path.span.clone()) {
                        self.report.second(&path.span, "assignment to", name, &first);
                    }
                }
            }
        }
        assigned
    }

    /// The variable that is assigned; what is none is reported.
    fn named(&mut self, scope: usize, path: &Path) -> Option<usize> {
        match self.system.look_up(scope, path) {
            Ok(Meaning::Word(word)) => Some(word),
            Ok(Meaning::Given(expression, outer)) => match &*expression.kind {
                ExpressionKind::Name(inner) => self.named(outer, &Path { span: path.span.clone(), ..inner.clone() }),
                _ => self.wrong(&path.span, "this parameter is no variable", "only variables are assigned"),
            },
            Ok(_) => self.wrong(&path.span, "this is no variable", "only variables are assigned"),
            Err((message, help)) => self.wrong(&path.span, message, help),
        }
    }

    /// The component's own variable that is assigned; others were reported.
    fn target(&mut self, scope: usize, path: &Path) -> Option<usize> {
        match self.system.look_up(scope, path) {
            Ok(Meaning::Word(word)) if self.system.words[word].scope == scope => Some(word),
            _ => None,
        }
    }

    /// What the type of a variable says, where no assignment says more.
    fn domain(
        &mut self,
        at: usize,
        assigned: &[FxHashMap<usize, std::ops::Range<usize>>; 2],
        initial: &mut Vec<Lit>,
        step: &mut Vec<Lit>,
    ) {
        let word = self.words[at].clone();
        if self.system.words[at].role == Role::Frozen {
            step.push(self.circuit.stays(&word));
        }
        for (kind, time, into) in [(0, Time::Now, initial), (1, Time::Next, step)] {
            let allowed = self.allowed(at, time);
            if allowed != Lit::TRUE && !assigned[kind].contains_key(&at) {
                into.push(allowed);
            }
        }
    }

    /// That the bits of a variable are one of its values.
    fn allowed(&mut self, at: usize, time: Time) -> Lit {
        let word = self.words[at].clone();
        let codes = match (&word.kind, self.system.words[at].ty) {
            (Kind::Truth, _) => return Lit::TRUE,
            (Kind::Numbers(first, _), Type::Numbers(numbers)) => {
                let mut codes: Vec<u64> = numbers.iter().map(|number| number.abs_diff(*first)).collect();
                codes.sort_unstable();
                codes.dedup();
                if codes.len() == 1 << word.bits.len() {
                    return Lit::TRUE;
                }
                let codes: Vec<Lit> =
                    codes.into_iter().map(|code| self.circuit.is(&word, code, time == Time::Next)).collect();
                return self.circuit.aig.any(codes);
            }
            (Kind::Numbers(first, last), _) => last.abs_diff(*first) + 1,
            (Kind::Names(names), _) => names.len() as u64,
        };
        // Less than the number of codes, bit by bit from the lowest.
        let mut less = Lit::FALSE;
        if codes == 1 << word.bits.len() {
            return Lit::TRUE;
        }
        for (place, bit) in word.bits.iter().enumerate() {
            let value = self.circuit.aig.input(if time == Time::Next { bit.next() } else { bit.now() });
            let aig = &mut self.circuit.aig;
            less = if codes >> place & 1 == 1 { aig.or(!value, less) } else { aig.and(!value, less) };
        }
        less
    }

    /// Asks a solver whether what must not be possible is, for some values of the variables.
    pub fn settle(&mut self) {
        for Doubt { possible, span, message, help } in std::mem::take(&mut self.doubts) {
            let support: FxHashSet<(Bit, bool)> = self.circuit.aig.support(possible).into_iter().map(Bit::of).collect();
            let mut about: Vec<(usize, Time)> = Vec::new();
            let mut asked = vec![possible];
            for at in 0..self.words.len() {
                for time in [Time::Now, Time::Next] {
                    if self.words[at].bits.iter().any(|bit| support.contains(&(*bit, time == Time::Next))) {
                        about.push((at, time));
                        asked.push(self.allowed(at, time));
                    }
                }
            }
            let all = self.circuit.aig.all(asked);
            let (mut solver, mut inputs) = (Solver::new(false), FxHashMap::default());
            Encoder::new(&self.circuit.aig, 0).demand(&mut solver, all, &mut |solver, input| {
                *inputs.entry(input).or_insert_with(|| solver.variable())
            });
            let mut patience = PATIENCE;
            let outcome = solver.solve(move || {
                patience = patience.saturating_sub(1);
                patience == 0
            });
            let example = match outcome {
                Outcome::Unsatisfiable => continue,
                Outcome::Stopped => "whether it is possible is hard to tell; put it in a simpler way".to_owned(),
                Outcome::Satisfiable => {
                    let mut state = [vec![false; self.circuit.bits as usize], vec![false; self.circuit.bits as usize]];
                    for (&input, &variable) in &inputs {
                        let (bit, next) = Bit::of(input);
                        state[usize::from(next)][bit.0 as usize] = solver.value(variable);
                    }
                    let tell = |&(at, time): &(usize, Time)| {
                        let word = &self.words[at];
                        let name =
                            if time == Time::Next { format!("next({})", word.name) } else { word.name.to_string() };
                        format!("{name} = {}", word.shown(&state[time as usize]))
                    };
                    let few: Vec<String> = about.iter().take(4).map(tell).collect();
                    if few.is_empty() { String::new() } else { format!("this is so with {}", few.join(", ")) }
                }
            };
            let told: Vec<&str> = [&*example, &*help].into_iter().filter(|text| !text.is_empty()).collect();
            self.report.error(&span, message, told.join("; "));
        }
    }
}
