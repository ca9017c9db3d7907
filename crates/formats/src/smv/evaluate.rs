//! Expressions → functions of the variables, now and after a step.

use super::report::Report;
use super::scope::{Meaning, System};
use super::syntax::{Binary, Expression, ExpressionKind, Span};
use super::value::{Number, Value};
use crate::text::suggest;
use prequel_model::{Circuit, Kind, Lit, Word};

/// Something that must not be possible: a value that does not fit, a case for which nothing is said, a division by zero.
pub struct Doubt {
    /// When it would happen.
    pub possible: Lit,
    /// Where it is said.
    pub span: Span,
    /// What is wrong then.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Whether an expression is about the state before a step or after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// Before.
    Now,
    /// After.
    Next,
}

/// What an expression may be about, and in which component it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context {
    /// The component.
    pub scope: usize,
    /// Which state.
    pub time: Time,
    /// Whether `next` may be used.
    pub steps: bool,
}

/// Evaluates expressions of a system.
pub struct Evaluator<'m, 'r, 's> {
    /// The circuit that is made.
    pub circuit: Circuit,
    /// What names mean.
    pub system: &'s System<'m>,
    /// What is wrong.
    pub report: Report<'r>,
    /// What must not be possible.
    pub doubts: Vec<Doubt>,
    /// Variables in the order of the system.
    pub words: Vec<Word>,
    /// The definitions' values now and after the step, as far as they were asked for.
    pub defined: Vec<[Option<Value>; 2]>,
    /// Definitions that are about steps.
    pub about_steps: Vec<bool>,
    /// When the expression matters that is looked at.
    pub matters: Lit,
}

impl<'m> Evaluator<'m, '_, '_> {
    /// The value of an expression; none where something is wrong, which is reported.
    pub fn value(&mut self, e: &Expression, at: Context) -> Option<Value> {
        match &*e.kind {
            ExpressionKind::Truth(truth) => Some(Value::Truth(if *truth { Lit::TRUE } else { Lit::FALSE })),
            ExpressionKind::Number(number) => Some(Value::Number(Number::constant(*number))),
            ExpressionKind::Name(path) => match self.system.look_up(at.scope, path) {
                Ok(meaning) => self.meaning(meaning, &e.span, at),
                Err((message, help)) => self.wrong(&e.span, message, help),
            },
            ExpressionKind::Range(..) | ExpressionKind::Set(_) => {
                let help = "a set can be assigned, or asked with `in`";
                self.wrong(&e.span, "a set of values stands where one value is needed", help)
            }
            ExpressionKind::Not(a) => {
                let a = self.truth(a, at)?;
                Some(Value::Truth(!a))
            }
            ExpressionKind::Minus(a) => {
                let a = self.number(a, at)?;
                let negative = Number::constant(0).subtract(&a, &mut self.circuit.aig);
                self.fits(negative, &e.span)
            }
            ExpressionKind::Next(a) => {
                let at = self.next(&e.span, at)?;
                self.value(a, at)
            }
            ExpressionKind::Binary(operator, a, b) => self.binary(*operator, a, b, &e.span, at),
            ExpressionKind::Case(branches) => self.case(branches, &e.span, at),
        }
    }

    /// Reports what is wrong.
    pub fn wrong<T>(&mut self, span: &Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.report.error(span, message, help);
        None
    }

    fn next(&mut self, span: &Span, at: Context) -> Option<Context> {
        if !at.steps {
            let help = "`next` is for TRANS and for what is assigned to `next(…)`";
            return self.wrong(span, "`next` is about a step, and this is about one state", help);
        }
        if at.time == Time::Next {
            return self.wrong(span, "`next` inside of `next`", "a step has one state before it and one after it");
        }
        Some(Context { time: Time::Next, ..at })
    }

    fn meaning(&mut self, meaning: Meaning<'m>, span: &Span, at: Context) -> Option<Value> {
        match meaning {
            Meaning::Word(word) => Some(self.word(word, at.time)),
            Meaning::Symbol(symbol) => Some(Value::Name(vec![(symbol, Lit::TRUE)])),
            Meaning::Scope(_) => self.wrong(span, "this is an instance, and has no value", "name one of its variables"),
            Meaning::Define(define) => {
                if self.about_steps[define] && (!at.steps || at.time == Time::Next) {
                    let help = "what it is defined as has `next` in it";
                    return self.wrong(span, "this is about a step, and here is only one state", help);
                }
                // What could not be made sense of was reported where it stands.
                self.defined[define][at.time as usize].clone()
            }
            Meaning::Given(expression, scope) => self.value(expression, Context { scope, ..at }),
        }
    }

    /// The value of a variable.
    pub fn word(&mut self, at: usize, time: Time) -> Value {
        let word = self.words[at].clone();
        match &word.kind {
            Kind::Names(names) => {
                let symbols = names.iter().enumerate().map(|(code, name)| {
                    let symbol = self.system.symbol(name).expect("all names of types are known");
                    (symbol, self.circuit.is(&word, code as u64, time == Time::Next))
                });
                Value::Name(symbols.collect())
            }
            kind => {
                let bits = word.bits.iter().map(|bit| if time == Time::Next { bit.next() } else { bit.now() });
                let bits: Vec<Lit> = bits.map(|input| self.circuit.aig.input(input)).collect();
                let Kind::Numbers(first, last) = kind else { return Value::Truth(bits[0]) };
                let number = Number::counted(bits, last - first);
                if *first == 0 {
                    return Value::Number(number);
                }
                let number = number.add(&Number::constant(*first), &mut self.circuit.aig);
                Value::Number(number.expect("numbers of types are small"))
            }
        }
    }

    /// A condition.
    pub fn truth(&mut self, e: &Expression, at: Context) -> Option<Lit> {
        match self.value(e, at)? {
            Value::Truth(truth) => Some(truth),
            other => {
                let help = "truth values are TRUE and FALSE; compare numbers and names, as in `x = 1`";
                self.wrong(&e.span, format!("a truth value is needed here, and this is {}", other.kind()), help)
            }
        }
    }

    fn number(&mut self, e: &Expression, at: Context) -> Option<Number> {
        match self.value(e, at)? {
            Value::Number(number) => Some(number),
            other => {
                let help = "numbers are calculated with; `c ? 1 : 0` makes one of a condition";
                self.wrong(&e.span, format!("a number is needed here, and this is {}", other.kind()), help)
            }
        }
    }

    fn fits(&mut self, number: Option<Number>, span: &Span) -> Option<Value> {
        match number {
            Some(number) => Some(Value::Number(number)),
            None => self.wrong(span, "this number can be too large", "numbers have at most 44 bits"),
        }
    }

    /// The same kind of value on both sides.
    fn mismatch<T>(&mut self, span: &Span, a: &Value, b: &Value) -> Option<T> {
        let message = format!("{} and {} have nothing to do with each other", a.kind(), b.kind());
        self.wrong(span, message, "both must be truth values, or numbers, or names")
    }

    fn binary(&mut self, operator: Binary, a: &Expression, b: &Expression, span: &Span, at: Context) -> Option<Value> {
        use Binary::{
            Add, And, Divide, Equal, Greater, GreaterEqual, Implies, In, Less, LessEqual, Modulo, Multiply, NotEqual,
            Or, Same, Subtract, Union, Xnor, Xor,
        };
        match operator {
            Implies | Same | Or | Xor | Xnor | And => {
                let (a, b) = (self.truth(a, at), self.truth(b, at));
                let (a, b, aig) = (a?, b?, &mut self.circuit.aig);
                Some(Value::Truth(match operator {
                    Implies => aig.implies(a, b),
                    Or => aig.or(a, b),
                    And => aig.and(a, b),
                    Xor => aig.xor(a, b),
                    _ => aig.equal(a, b),
                }))
            }
            Equal | NotEqual => {
                let (left, right) = (self.value(a, at), self.value(b, at));
                let (left, right) = (left?, right?);
                self.same_names(&left, &right, b);
                match left.equal(&right, &mut self.circuit.aig) {
                    Some(equal) => Some(Value::Truth(equal.negated_if(operator == NotEqual))),
                    None => self.mismatch(span, &left, &right),
                }
            }
            Less | LessEqual | Greater | GreaterEqual => {
                let (a, b) = (self.number(a, at), self.number(b, at));
                let (a, b, aig) = (a?, b?, &mut self.circuit.aig);
                Some(Value::Truth(match operator {
                    Less => a.less(&b, aig),
                    LessEqual => !b.less(&a, aig),
                    Greater => b.less(&a, aig),
                    _ => !a.less(&b, aig),
                }))
            }
            In => {
                let (left, choices) = (self.value(a, at), self.choices(b, at));
                let (left, choices) = (left?, choices?);
                let mut among = Vec::new();
                for (when, choice) in choices {
                    match left.equal(&choice, &mut self.circuit.aig) {
                        Some(equal) => among.push(self.circuit.aig.and(when, equal)),
                        None => return self.mismatch(span, &left, &choice),
                    }
                }
                Some(Value::Truth(self.circuit.aig.any(among)))
            }
            Union => {
                let help = "a set can be assigned, or asked with `in`";
                self.wrong(span, "a set of values stands where one value is needed", help)
            }
            Add | Subtract | Multiply | Divide | Modulo => {
                let (left, right) = (self.number(a, at), self.number(b, at));
                let (left, right) = (left?, right?);
                if matches!(operator, Divide | Modulo) {
                    let zero = right.equal(&Number::constant(0), &mut self.circuit.aig);
                    self.doubt(zero, &b.span, "this can be zero, and is divided by".into(), "rule that out".into());
                }
                let aig = &mut self.circuit.aig;
                let number = match operator {
                    Add => left.add(&right, aig),
                    Subtract => left.subtract(&right, aig),
                    Multiply => left.multiply(&right, aig),
                    Divide => Some(left.divide(&right, aig).0),
                    _ => Some(left.divide(&right, aig).1),
                };
                self.fits(number, span)
            }
        }
    }

    /// A name that a variable never is, is a slip.
    fn same_names(&mut self, left: &Value, right: &Value, e: &Expression) {
        let (Value::Name(left), Value::Name(right)) = (left, right) else { return };
        if left.iter().any(|(name, _)| right.iter().any(|(other, _)| name == other)) {
            return;
        }
        let names = |of: &[(u32, Lit)]| of.iter().map(|(n, _)| self.system.symbols[*n as usize]).collect::<Vec<_>>();
        let (left, right) = (names(left), names(right));
        let help = suggest::help(right.first().copied().unwrap_or_default(), "values there", left.iter().copied());
        self.report.error(&e.span, "both sides are never the same: they have no value in common", help);
    }

    /// Notes what must not be possible where the expression matters.
    fn doubt(&mut self, possible: Lit, span: &Span, message: String, help: String) {
        let possible = self.circuit.aig.and(self.matters, possible);
        if possible != Lit::FALSE {
            self.doubts.push(Doubt { possible, span: span.clone(), message, help });
        }
    }

    /// When each branch is the one that counts; that one of them does is noted.
    fn conditions(&mut self, branches: &[(Expression, Expression)], span: &Span, at: Context) -> Option<Vec<Lit>> {
        let outside = self.matters;
        let (mut before, mut when) = (Lit::FALSE, Vec::new());
        for (condition, _) in branches {
            let holds = self.truth(condition, at);
            let Some(holds) = holds else {
                self.matters = outside;
                return None;
            };
            when.push(self.circuit.aig.and(holds, !before));
            before = self.circuit.aig.or(before, holds);
            self.matters = self.circuit.aig.and(outside, !before);
        }
        self.matters = outside;
        let help = "add a last line `TRUE : …;`";
        self.doubt(!before, span, "there can be a case for which nothing is said here".into(), help.into());
        Some(when)
    }

    fn case(&mut self, branches: &[(Expression, Expression)], span: &Span, at: Context) -> Option<Value> {
        let when = self.conditions(branches, span, at)?;
        let outside = self.matters;
        let mut values = Vec::new();
        for ((_, value), &when) in branches.iter().zip(&when) {
            self.matters = self.circuit.aig.and(outside, when);
            values.push(self.value(value, at).map(|v| (when, v, value)));
        }
        self.matters = outside;
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let (_, mut chosen, _) = values.last().expect("there is a branch").clone();
        for (when, value, e) in values.iter().rev().skip(1) {
            chosen = match value.choose(*when, &chosen, &mut self.circuit.aig) {
                Some(chosen) => chosen,
                None => return self.mismatch(&e.span, value, &chosen),
            };
        }
        Some(chosen)
    }

    /// The values that an expression can have, each with when: sets have several.
    pub fn choices(&mut self, e: &Expression, at: Context) -> Option<Vec<(Lit, Value)>> {
        /// More values of a range are not put one by one.
        const MOST: i64 = 1 << 12;
        match &*e.kind {
            ExpressionKind::Range(first, last) => {
                if last - first >= MOST {
                    let help = "leave the variable without an assignment, and say what it can be with TRANS or INIT";
                    return self.wrong(&e.span, format!("a set of more than {MOST} values"), help);
                }
                Some((*first..=*last).map(|n| (Lit::TRUE, Value::Number(Number::constant(n)))).collect())
            }
            ExpressionKind::Set(parts) => {
                let choices: Vec<_> = parts.iter().map(|part| self.choices(part, at)).collect();
                Some(choices.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
            ExpressionKind::Binary(Binary::Union, a, b) => {
                let (a, b) = (self.choices(a, at), self.choices(b, at));
                Some([a?, b?].concat())
            }
            ExpressionKind::Case(branches) => {
                let when = self.conditions(branches, &e.span, at)?;
                let outside = self.matters;
                let mut all = Vec::new();
                for ((_, value), &when) in branches.iter().zip(&when) {
                    self.matters = self.circuit.aig.and(outside, when);
                    let choices = self.choices(value, at);
                    all.push(choices.map(|choices| (when, choices)));
                }
                self.matters = outside;
                let mut flat = Vec::new();
                for (when, choices) in all.into_iter().collect::<Option<Vec<_>>>()? {
                    for (also, value) in choices {
                        flat.push((self.circuit.aig.and(when, also), value));
                    }
                }
                Some(flat)
            }
            _ => Some(vec![(Lit::TRUE, self.value(e, at)?)]),
        }
    }

    /// That a variable has one of the values of an expression; that these fit is noted.
    pub fn assigned(&mut self, word: usize, time: Time, e: &Expression, at: Context) -> Option<Lit> {
        let target = self.word(word, time);
        let (name, kind) = (self.words[word].name.clone(), self.words[word].kind.clone());
        let mut among = Vec::new();
        for (when, value) in self.choices(e, at)? {
            let Some(equal) = target.equal(&value, &mut self.circuit.aig) else {
                let help = match kind {
                    Kind::Truth => "a truth value is TRUE or FALSE".to_owned(),
                    Kind::Numbers(first, last) => format!("`{name}` is one of {first}..{last}"),
                    Kind::Names(_) => format!("`{name}` is one of {{{}}}", shown(&kind)),
                };
                let message = format!("`{name}` is {}, and this is {}", target.kind(), value.kind());
                return self.wrong(&e.span, message, help);
            };
            let outside = match (&value, &kind) {
                (Value::Number(number), Kind::Numbers(first, last)) => {
                    let aig = &mut self.circuit.aig;
                    let (first, last) = (Number::constant(*first), Number::constant(*last));
                    let (below, above) = (number.less(&first, aig), last.less(number, aig));
                    aig.or(below, above)
                }
                (Value::Name(names), Kind::Names(own)) => {
                    let is_own = |name: u32| own.iter().any(|o| **o == *self.system.symbols[name as usize]);
                    let others: Vec<Lit> = names.iter().filter(|(n, _)| !is_own(*n)).map(|(_, when)| *when).collect();
                    self.circuit.aig.any(others)
                }
                _ => Lit::FALSE,
            };
            let outside = self.circuit.aig.and(when, outside);
            let message = format!("a value that does not fit: `{name}` is one of {}", shown(&kind));
            self.doubt(outside, &e.span, message, String::new());
            among.push(self.circuit.aig.and(when, equal));
        }
        Some(self.circuit.aig.any(among))
    }
}

/// What a word can be, for messages.
fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Truth => "TRUE, FALSE".into(),
        Kind::Numbers(first, last) => format!("{first}..{last}"),
        Kind::Names(names) => names.join(", "),
    }
}
