//! `--reach 'EXPR'`: Boolean combinations of conditions on local states.
//!
//! ```text
//! EXPR := EXPR | EXPR   (also ||)        atoms: component@state, true, false
//!       | EXPR & EXPR   (also &&)        names: bare (letters, digits, _ . - # : [ ]), or in '…' or "…",
//!       | ! EXPR | ( EXPR ) | atom              where \ before the quote or another \ takes it literally
//! ```
//! `!` binds tighter than `&`, and `&` tighter than `|`.

use crate::diag::Diagnostic;
use crate::text::errors::Errors;
use crate::text::{inline, suggest};
use inline::{Parsed, fail};
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::multispace0;
use nom::combinator::opt;
use nom::sequence::preceded;
use prequel_model::{ComponentId, Goal, Network, Origin};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Parentheses and `!` within each other: bounds the recursion of everything that walks a goal.
const DEEPEST: usize = 200;
const ATOM: &str = "a condition reads `component@state`; put names with other characters in quotes";

/// A goal as it is written, before names are looked up.
enum Tree {
    Constant(bool),
    Atom(Atom),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Not(Box<Tree>),
}

/// A condition on local states. Further kinds are further variants, resolved in [`Names::resolve`].
enum Atom {
    /// `component@state`
    At { component: Name, state: Name },
}

/// A name and where it stands.
struct Name {
    text: String,
    span: Range<usize>,
}

/// Reads a goal; component and state names are those of the network and its origin. `place` is what messages call the text.
pub fn read(place: &str, text: &str, network: &Network, origin: &Origin) -> Result<Goal, Vec<Diagnostic>> {
    let tree = match (Grammar { text }).whole(text) {
        Ok((_, tree)) => tree,
        Err(stop) => return Err(vec![inline::stopped(place, text, stop)]),
    };
    let mut names = Names { place, text, network, by_name: network.by_name(), origin, errors: Errors::default() };
    let goal = names.goal(tree);
    names.errors.none(place).map(|()| goal)
}

/// Writes a goal so that [`read`] gives it back, up to nesting: `In` of several states becomes `|`.
pub fn show(goal: &Goal, network: &Network, origin: &Origin) -> String {
    let tight = |g: &Goal| {
        let text = show(g, network, origin);
        let binds = match g {
            Goal::In(_, states) => states.len() <= 1,
            Goal::And(parts) | Goal::Or(parts) => parts.is_empty(),
            Goal::Not(_) => true,
        };
        if binds { text } else { format!("({text})") }
    };
    let joined = |parts: Vec<String>, sign: &str, none: &str| {
        if parts.is_empty() { none.to_owned() } else { parts.join(sign) }
    };
    match goal {
        Goal::In(c, states) => {
            let component = shown(&network.component(*c).name);
            let atom = |&s| format!("{component}@{}", shown(&origin.state_name(*c, s)));
            joined(states.iter().map(atom).collect(), " | ", "false")
        }
        Goal::And(all) => joined(all.iter().map(tight).collect(), " & ", "true"),
        Goal::Or(any) => joined(any.iter().map(tight).collect(), " | ", "false"),
        Goal::Not(g) => format!("!{}", tight(g)),
    }
}

/// A name as it can stand in a goal.
fn shown(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(is_bare) && !matches!(name, "true" | "false");
    if bare { name.to_owned() } else { inline::in_quotes(name, '\'') }
}

/// Whether names may have a character without standing in quotes.
pub fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '#' | ':' | '[' | ']')
}

/// The grammar; it holds the whole text to tell where a name stands.
struct Grammar<'a> {
    text: &'a str,
}

impl<'a> Grammar<'a> {
    fn whole(&self, input: &'a str) -> Parsed<'a, Tree> {
        let (rest, tree) = self.or(input, 0)?;
        let (rest, _) = multispace0(rest)?;
        if rest.is_empty() {
            return Ok((rest, tree));
        }
        fail(rest, "expected `&`, `|` or the end of the expression", ATOM)
    }

    fn or(&self, input: &'a str, depth: usize) -> Parsed<'a, Tree> {
        self.chain(input, ["||", "|"], Tree::Or, |rest| {
            self.chain(rest, ["&&", "&"], Tree::And, |rest| self.not(rest, depth))
        })
    }

    /// One or more parts with a sign between them.
    fn chain(
        &self,
        input: &'a str,
        [long, short]: [&'static str; 2],
        together: fn(Vec<Tree>) -> Tree,
        part: impl Fn(&'a str) -> Parsed<'a, Tree>,
    ) -> Parsed<'a, Tree> {
        let (mut rest, first) = part(input)?;
        let mut parts = vec![first];
        loop {
            let (after, sign) = opt(preceded(multispace0, alt((tag(long), tag(short))))).parse(rest)?;
            if sign.is_none() {
                let single = parts.len() == 1;
                return Ok((rest, if single { parts.remove(0) } else { together(parts) }));
            }
            let (after, next) = part(after)?;
            parts.push(next);
            rest = after;
        }
    }

    fn not(&self, input: &'a str, depth: usize) -> Parsed<'a, Tree> {
        let (input, _) = multispace0(input)?;
        if depth > DEEPEST {
            return fail(input, format!("more than {DEEPEST} levels of `(` and `!`"), "write the expression flatter");
        }
        if let Some(rest) = input.strip_prefix('!') {
            let (rest, tree) = self.not(rest, depth + 1)?;
            return Ok((rest, Tree::Not(Box::new(tree))));
        }
        let Some(rest) = input.strip_prefix('(') else { return self.atom(input) };
        let (rest, tree) = self.or(rest, depth + 1)?;
        let (rest, _) = multispace0(rest)?;
        match rest.strip_prefix(')') {
            Some(rest) => Ok((rest, tree)),
            None => {
                let column = self.text[..self.text.len() - input.len()].chars().count() + 1;
                fail(rest, "expected `)`, `&` or `|`", format!("the `(` at column {column} is still open"))
            }
        }
    }

    fn atom(&self, input: &'a str) -> Parsed<'a, Tree> {
        let (rest, component) = self.name(input, "a condition")?;
        let (after, _) = multispace0(rest)?;
        let Some(after) = after.strip_prefix('@') else {
            return match &input[..input.len() - rest.len()] {
                "true" => Ok((rest, Tree::Constant(true))),
                "false" => Ok((rest, Tree::Constant(false))),
                _ => fail(after, format!("expected `@` and a state after `{}`", component.text), ATOM),
            };
        };
        let (after, _) = multispace0(after)?;
        let (after, state) = self.name(after, "a state after `@`")?;
        Ok((after, Tree::Atom(Atom::At { component, state })))
    }

    fn name(&self, input: &'a str, what: &str) -> Parsed<'a, Name> {
        let (rest, text) = match input.chars().next() {
            Some('\'' | '"') => inline::quoted(input)?,
            Some(c) if is_bare(c) => take_while1(is_bare).map(str::to_owned).parse(input)?,
            Some(_) => return fail(input, format!("expected {what}"), ATOM),
            None => return fail(input, format!("expected {what}, but the expression ends"), ATOM),
        };
        Ok((rest, Name { text, span: self.text.len() - input.len()..self.text.len() - rest.len() }))
    }
}

/// Looks names up and keeps all that is unknown.
struct Names<'a> {
    place: &'a str,
    text: &'a str,
    network: &'a Network,
    by_name: FxHashMap<&'a str, ComponentId>,
    origin: &'a Origin,
    errors: Errors,
}

impl Names<'_> {
    fn goal(&mut self, tree: Tree) -> Goal {
        match tree {
            Tree::Constant(true) => Goal::And(Vec::new()),
            Tree::Constant(false) => Goal::Or(Vec::new()),
            Tree::And(parts) => Goal::And(parts.into_iter().map(|t| self.goal(t)).collect()),
            Tree::Or(parts) => Goal::Or(parts.into_iter().map(|t| self.goal(t)).collect()),
            Tree::Not(tree) => Goal::Not(Box::new(self.goal(*tree))),
            // A goal with errors is not handed out, so what stands for an unknown atom does not matter.
            Tree::Atom(atom) => self.resolve(&atom).unwrap_or(Goal::Or(Vec::new())),
        }
    }

    /// The local condition an atom stands for, or an error more: the one place where kinds of atoms get their meaning.
    fn resolve(&mut self, atom: &Atom) -> Option<Goal> {
        let Atom::At { component, state } = atom;
        let Some(&c) = self.by_name.get(&*component.text) else {
            let known = self.network.components().iter().map(|c| &*c.name);
            let help = suggest::help(&component.text, "components", known);
            self.error(component, format!("no component is called `{}`", component.text), &help);
            return None;
        };
        if let Some(s) = self.origin.find_state(self.network, c, &state.text) {
            return Some(Goal::at(c, s));
        }
        let count = self.network.component(c).lts.num_states();
        let states = if count == 1 { "state" } else { "states" };
        let message = format!("`{}` has no state `{}`; it has {count} {states}", component.text, state.text);
        let help = match self.origin.of(c).and_then(|source| source.state_names.as_ref()) {
            Some(names) => suggest::help(&state.text, "states", names.iter().map(|n| &**n)),
            None => format!("its states are numbered from 0 to {}", count - 1),
        };
        self.error(state, message, &help);
        None
    }

    fn error(&mut self, name: &Name, message: String, help: &str) {
        self.errors.push(|| inline::error(self.place, self.text, name.span.clone(), message, help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;
    use prequel_model::{Component, ComponentId, Labels, Lts, Source, StateId};

    fn philosophers() -> Network {
        let lts = Lts::new(StateId(0), 3, vec![]);
        Network::new(Labels::new(), ["phil1", "phil2", "a b"].map(|n| Component::new(n, lts.clone())).into())
    }

    fn ok(text: &str) -> Goal {
        read("--reach", text, &philosophers(), &Origin::default()).unwrap()
    }

    fn errors(text: &str) -> Vec<String> {
        let errors = read("--reach", text, &philosophers(), &Origin::default()).unwrap_err();
        errors.iter().map(|e| format!("{} [{}]", e.headline(), e.help.as_deref().unwrap_or_default())).collect()
    }

    fn at(c: u32, s: u32) -> Goal {
        Goal::at(ComponentId(c), StateId(s))
    }

    #[test]
    fn precedence_is_the_usual_one() {
        let not = |g| Goal::Not(Box::new(g));
        let expected = Goal::Or(vec![Goal::And(vec![at(0, 1), not(at(1, 2))]), at(2, 0)]);
        assert_eq!(ok("phil1@1 & !phil2@2 | 'a b'@0"), expected);
        assert_eq!(ok(" phil1 @ 1&&! 'phil2'@\"2\" || \"a b\"@0 "), expected);
        assert_eq!(
            ok("phil1@1 & (phil2@2 | true)"),
            Goal::And(vec![at(0, 1), Goal::Or(vec![at(1, 2), Goal::And(vec![])])])
        );
        assert_eq!(ok("!!((false))"), not(not(Goal::Or(vec![]))));
    }

    #[test]
    fn all_unknown_names_are_reported_at_their_places() {
        assert_eq!(
            errors("phil@0 & phil2@3 | waiter@0"),
            [
                "--reach:1:1: no component is called `phil` [did you mean `phil1` or `phil2`?]",
                "--reach:1:16: `phil2` has no state `3`; it has 3 states [its states are numbered from 0 to 2]",
                "--reach:1:20: no component is called `waiter` [the components are `phil1`, `phil2`, `a b`]",
            ]
        );
        let names: Vec<Box<str>> = ["idle".into(), "eating".into(), "x".into()].into();
        let origin = Origin { sources: vec![Source { state_names: Some(names.into()), ..Source::default() }] };
        let error = &read("--reach", "phil1@eatin", &philosophers(), &origin).unwrap_err()[0];
        assert_eq!(error.help.as_deref(), Some("did you mean `eating`?"));
        assert_eq!(read("--reach", "phil1@eating", &philosophers(), &origin).unwrap(), at(0, 1));
    }

    #[test]
    fn each_fault_is_at_its_place() {
        let at = |text: &str| errors(text).remove(0);
        assert!(at("").starts_with("--reach:1:1: expected a condition, but the expression ends"));
        assert!(at("phil1@0 &").starts_with("--reach:1:10: expected a condition"));
        assert!(at("phil1@").starts_with("--reach:1:7: expected a state"));
        assert!(at("phil1 & phil2@0").starts_with("--reach:1:7: expected `@` and a state after `phil1`"));
        assert!(at("(phil1@0").contains("[the `(` at column 1 is still open]"));
        assert!(at("phil1@0)").starts_with("--reach:1:8: expected `&`, `|` or the end"));
        assert!(at("é@0 'x").starts_with("--reach:1:5"));
        assert!(at("'phil1@0").starts_with("--reach:1:1: this quote is not closed"));
    }

    #[test]
    fn many_errors_are_counted_not_listed() {
        let found = errors(&vec!["x@0"; 10_000].join("|"));
        assert!(found.len() == 21 && found[20].contains("and 9980 more"));
    }

    #[test]
    fn depth_is_bounded() {
        for deep in ["(", "!", "!(", "phil1@0&("] {
            assert!(errors(&deep.repeat(100_000))[0].contains("levels"), "{deep}");
        }
        ok(&format!("{}phil1@0{}", "(".repeat(DEEPEST), ")".repeat(DEEPEST)));
        ok(&vec!["phil1@0"; 50_000].join("|"));
    }

    /// One form for goals that differ in nesting only.
    fn normal(goal: &Goal) -> Goal {
        let flat = |parts: Vec<Goal>, and: bool| {
            let mut all = Vec::new();
            for part in parts {
                match part {
                    Goal::And(inner) if and => all.extend(inner),
                    Goal::Or(inner) if !and => all.extend(inner),
                    other => all.push(other),
                }
            }
            if all.len() == 1 {
                all.remove(0)
            } else if and {
                Goal::And(all)
            } else {
                Goal::Or(all)
            }
        };
        match goal {
            Goal::In(c, states) => flat(states.iter().map(|&s| Goal::at(*c, s)).collect(), false),
            Goal::And(parts) => flat(parts.iter().map(normal).collect(), true),
            Goal::Or(parts) => flat(parts.iter().map(normal).collect(), false),
            Goal::Not(g) => Goal::Not(Box::new(normal(g))),
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        let odd = ["plain", "a b", "it's", "true", "x@y", "\\", "", "(p)", "é[0]:a.b-c#2", "\"", "a&b"];
        for seed in 0..600 {
            let (labels, mut components) = random::network(seed, &Shape::default()).into_parts();
            let mut rng = Rng::new(seed);
            let mut origin = Origin::default();
            if seed % 2 == 0 {
                for (n, c) in components.iter_mut().enumerate() {
                    c.name = odd[(n + seed as usize) % odd.len()].into();
                    let names: Vec<Box<str>> =
                        (0..c.lts.num_states()).map(|s| odd[(n + s) % odd.len()].into()).collect();
                    let named = rng.chance(50).then(|| names.into());
                    origin.sources.push(Source { state_names: named, ..Source::default() });
                }
            }
            let network = Network::new(labels, components);
            let goal = if rng.chance(5) { Goal::In(ComponentId(0), vec![]) } else { random::goal(&mut rng, &network) };
            let text = show(&goal, &network, &origin);
            let again =
                read("--reach", &text, &network, &origin).unwrap_or_else(|e| panic!("{text}: {}", e[0].render()));
            assert_eq!(normal(&again), normal(&goal), "{text}");
        }
    }

    #[test]
    fn junk_never_panics() {
        let pieces = ["phil1", "@", "0", "&", "|", "!", "(", ")", "'", "\"", "\\", " ", "\n", "é", "true", "a b", "\0"];
        let mut rng = Rng::new(7);
        for _ in 0..20_000 {
            let text: String = (0..rng.below(12)).map(|_| *rng.pick(&pieces)).collect();
            if let Err(errors) = read("--reach", &text, &philosophers(), &Origin::default()) {
                assert!(errors.iter().all(|e| !e.render().is_empty()));
            }
        }
    }
}
