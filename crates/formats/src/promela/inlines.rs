//! `inline`: calls are replaced by the text of the definition, as SPIN does it.
//!
//! The tokens of a body stand at their definition, and know the call that brought them; those of an argument stand at the
//! call. A definition leaves its head behind, for the grammar to check.

use super::Fault;
use super::lexer::{Kind, Lexeme};
use super::source::{Origin, Sources, Via};
use prequel_model::watch::{Pace, Watch};
use rustc_hash::FxHashMap;

/// How deep calls may be nested.
const DEEPEST: usize = 100;

/// Most tokens that may come out.
const LONGEST: usize = 2_000_000;

/// Most tokens of one call: arguments that are passed on twice multiply too, long before anything is written.
const LONGEST_BODY: usize = LONGEST / 4;

struct Definition<'a> {
    parameters: Vec<&'a str>,
    /// With its braces.
    body: Vec<Lexeme<'a>>,
}

/// Replaces all calls.
pub fn expand<'a>(
    lexemes: &[Lexeme<'a>],
    watch: &Watch,
    sources: &mut Sources,
    faults: &mut Vec<Fault>,
) -> Vec<Lexeme<'a>> {
    let (known, out, active, full) = (FxHashMap::default(), Vec::new(), Vec::new(), false);
    let mut run = Run { sources, faults, pace: watch.pace(), known, out, active, full };
    let (mut at, mut depth) = (0, 0usize);
    while let Some(lexeme) = lexemes.get(at) {
        if depth == 0 && lexeme.is("inline") {
            at += run.define(&lexemes[at..]);
            continue;
        }
        match lexeme.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += run.one(&lexemes[at..], depth > 0);
    }
    run.out
}

struct Run<'a, 's> {
    sources: &'s mut Sources,
    faults: &'s mut Vec<Fault>,
    pace: Pace<'s>,
    known: FxHashMap<&'a str, Definition<'a>>,
    out: Vec<Lexeme<'a>>,
    /// Inlines whose bodies are being written, outermost first.
    active: Vec<&'a str>,
    full: bool,
}

impl<'a> Run<'a, '_> {
    /// Notes a definition and writes its head. Gives how many tokens it takes.
    fn define(&mut self, lexemes: &[Lexeme<'a>]) -> usize {
        let open = lexemes.iter().position(|l| l.is("{")).unwrap_or(lexemes.len());
        let (head, rest) = lexemes.split_at(open);
        let named = head.len() >= 4 && head[1].kind == Kind::Name && head[2].is("(") && head[head.len() - 1].is(")");
        let parameters = head.get(3..head.len().saturating_sub(1)).unwrap_or_default();
        let alternate = |(at, l): (usize, &Lexeme<'_>)| if at % 2 == 0 { l.kind == Kind::Name } else { l.is(",") };
        if !named || !parameters.iter().enumerate().all(alternate) {
            // The grammar says what is wrong with it.
            self.out.push(lexemes[0]);
            return 1;
        }
        self.out.extend(head);
        let Some(close) = closing(rest, "{", "}") else {
            let help = "close it with `}`";
            self.faults.push(Fault::new(head[1].origin, "the body of this inline does not end", help));
            return lexemes.len();
        };
        let name = head[1].text;
        let body = rest[..=close].to_vec();
        let parameters = parameters.iter().step_by(2).map(|l| l.text).collect();
        if self.known.insert(name, Definition { parameters, body }).is_some() {
            let message = format!("the inline `{name}` is defined twice");
            self.faults.push(Fault::new(head[1].origin, message, "give one of them another name"));
        }
        open + close + 1
    }

    /// Writes the first token, or the expansion of the call that it starts. Gives how many tokens that takes.
    fn one(&mut self, lexemes: &[Lexeme<'a>], in_body: bool) -> usize {
        let first = lexemes[0];
        let called = in_body && first.kind == Kind::Name && lexemes.get(1).is_some_and(|l| l.is("("));
        if !called || !self.known.contains_key(first.text) {
            if self.out.len() < LONGEST {
                self.out.push(first);
            } else {
                self.stop(first);
            }
            return 1;
        }
        let Some(close) = closing(&lexemes[1..], "(", ")") else {
            let message = format!("the arguments of `{}` do not end", first.text);
            self.faults.push(Fault::new(first.origin, message, "close them with `)`"));
            return lexemes.len();
        };
        self.call(first, &lexemes[2..=close]);
        close + 2
    }

    /// Ends for good, and says so once.
    fn stop(&mut self, at: Lexeme<'a>) {
        if !std::mem::replace(&mut self.full, true) {
            let help = "an inline that calls another several times multiplies its text; shorten them";
            let message = "the inlines of this model expand to more text than can be read";
            self.faults.push(Fault::new(at.origin, message, help).fatal());
        }
    }

    fn call(&mut self, name: Lexeme<'a>, arguments: &[Lexeme<'a>]) {
        // Stands for the call where it cannot be expanded.
        let skip = Lexeme { kind: Kind::Number, text: "1", ..name };
        let definition = &self.known[name.text];
        let arguments = split(arguments);
        if arguments.len() != definition.parameters.len() {
            let expected = definition.parameters.len();
            let message = format!("`{}` takes {expected} arguments, here are {}", name.text, arguments.len());
            self.faults.push(Fault::new(name.origin, message, "give as many as its definition names"));
            return self.out.push(skip);
        }
        if self.active.contains(&name.text) || self.active.len() >= DEEPEST {
            let message = match self.active.as_slice() {
                [.., last] if *last == name.text => format!("`{}` calls itself", name.text),
                _ if self.active.len() >= DEEPEST => "calls are nested too deep here".into(),
                active => format!("`{}` calls itself through `{}`", name.text, active[active.len() - 1]),
            };
            let help = "an inline is replaced by its text, which would never end; use a loop or a proctype";
            self.faults.push(Fault::new(name.origin, message, help));
            return self.out.push(skip);
        }
        let via = self.sources.vias.len() as u32;
        self.sources.vias.push(Via::Call { name: name.text.into(), call: name.origin });
        let mut body: Vec<Lexeme<'a>> = Vec::new();
        for lexeme in &definition.body {
            let parameter = definition.parameters.iter().position(|p| lexeme.kind == Kind::Name && *p == lexeme.text);
            match parameter {
                Some(at) => {
                    let start = body.len();
                    body.extend(arguments[at]);
                    // Line ends within the parentheses of a call separate nothing; those of the body do.
                    let parameter = Origin { via: Some(via), ..lexeme.origin };
                    for passed in &mut body[start..] {
                        passed.fresh = false;
                        let own = passed.origin.via;
                        passed.origin.via = Some(self.sources.vias.len() as u32);
                        self.sources.vias.push(Via::Argument { parameter, own });
                    }
                    if let Some(first) = body.get_mut(start) {
                        first.fresh = lexeme.fresh;
                    }
                }
                None => body.push(Lexeme { origin: Origin { via: Some(via), ..lexeme.origin }, ..*lexeme }),
            }
        }
        if let Some(brace) = body.first_mut() {
            brace.fresh = false;
        }
        if body.len() > LONGEST_BODY || self.out.len() >= LONGEST || self.pace.steps(body.len()).is_err() {
            return self.stop(name);
        }
        self.out.push(Lexeme { kind: Kind::Call, ..name });
        self.active.push(name.text);
        let mut at = 0;
        while at < body.len() && !self.full {
            at += self.one(&body[at..], true);
        }
        self.active.pop();
    }
}

/// Where the bracket closes that the tokens start with.
fn closing(lexemes: &[Lexeme<'_>], open: &str, close: &str) -> Option<usize> {
    let mut depth = 0usize;
    lexemes.iter().position(|l| {
        if l.is(open) {
            depth += 1;
        } else if l.is(close) {
            depth = depth.saturating_sub(1);
        }
        depth == 0
    })
}

/// Arguments with commas between them.
fn split<'l, 'a>(lexemes: &'l [Lexeme<'a>]) -> Vec<&'l [Lexeme<'a>]> {
    if lexemes.is_empty() {
        return Vec::new();
    }
    let mut depth = 0usize;
    let separates = |l: &Lexeme<'_>| {
        match l.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && l.is(",")
    };
    lexemes.split(separates).collect()
}
