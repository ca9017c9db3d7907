//! From a name and arguments to a pattern: what is known, what is missing, what cannot be meant.

use super::grammar::{Argument, Call, Group, Label, MUTEX};
use super::{OPTION, Pattern, Section, Set};
use crate::bind;
use crate::bind::OTHERWISE;
use crate::diag::Diagnostic;
use crate::monitor::ACCEPT;
use crate::text::errors::Errors;
use crate::text::{inline, suggest};
use std::ops::Range;

/// Every pattern with its form.
const FORMS: [(&str, &str); 7] = [
    ("never", "never(a)"),
    ("precedes", "precedes(b, a)"),
    (MUTEX, "mutex(enter1/leave1, enter2/leave2, …)"),
    ("at-most", "at-most(k, a, b)"),
    ("exactly", "exactly(k, a, b)"),
    ("responds-within", "responds-within(a, {b1, b2}, k)"),
    ("excluded", "excluded(a, b, c)"),
];
/// The largest k: the automaton has a state for each number up to it.
const LARGEST: u32 = 100_000;
/// Transitions of an automaton before it is bound.
const MOST_TRANSITIONS: usize = 1 << 24;

/// The pattern that a call stands for, or everything that is wrong with it.
pub fn pattern(text: &str, call: &Call) -> Result<Pattern, Vec<Diagnostic>> {
    let Some(&(name, form)) = FORMS.iter().find(|(name, _)| *name == call.name) else {
        let forms: Vec<&str> = FORMS.iter().map(|(_, form)| *form).collect();
        let near = suggest::nearest(&call.name, FORMS.iter().map(|(name, _)| *name));
        let near = near.first().map_or(String::new(), |n| format!("did you mean `{n}`? "));
        let help = format!("{near}The patterns are {}", forms.join(", "));
        let message = format!("unknown pattern `{}`", call.name);
        return Err(vec![inline::error(OPTION, text, call.name_span.clone(), message, &help)]);
    };
    let mut meaning = Meaning { text, form, errors: Errors::default() };
    call.labels().for_each(|l| meaning.label(l));
    let pattern = meaning.typed(name, call);
    if let Some(pattern) = &pattern {
        meaning.automaton(pattern, call);
    }
    meaning.errors.none(OPTION)?;
    Ok(pattern.expect("without errors there is one"))
}

/// The labels of a group.
fn set(group: &Group) -> Set {
    Set::new(group.labels.iter().map(|l| l.text.as_str()))
}

/// Collects what is wrong.
struct Meaning<'a> {
    text: &'a str,
    form: &'static str,
    errors: Errors,
}

impl Meaning<'_> {
    fn error(&mut self, span: Range<usize>, message: impl Into<String>, help: &str) {
        let form = format!("the pattern reads `{}`", self.form);
        let help = if help.is_empty() { form } else { format!("{help}; {form}") };
        self.errors.push(|| inline::error(OPTION, self.text, span, message, &help));
    }

    /// The pattern of this name; `None` where the number of arguments is wrong.
    fn typed(&mut self, name: &str, call: &Call) -> Option<Pattern> {
        Some(match (name, &*call.arguments) {
            ("never", [a]) => Pattern::Never { a: set(&a.first) },
            ("precedes", [b, a]) => Pattern::Precedes { b: set(&b.first), a: set(&a.first) },
            ("at-most", [k, a, b]) => {
                self.some_remain(a, b, "counts as b only");
                Pattern::AtMost { k: self.number(k, 0), a: set(&a.first), b: set(&b.first) }
            }
            ("exactly", [k, a, b]) => {
                self.some_remain(a, b, "counts as b only");
                Pattern::Exactly { k: self.number(k, 0), a: set(&a.first), b: set(&b.first) }
            }
            ("responds-within", [a, b, k]) => {
                Pattern::RespondsWithin { a: set(&a.first), b: set(&b.first), k: self.number(k, 1) }
            }
            ("excluded", [a, b, c]) => {
                self.some_remain(a, c, "ends the stretch in which it is excluded");
                Pattern::Excluded { a: set(&a.first), b: set(&b.first), c: set(&c.first) }
            }
            (MUTEX, sections @ [_, _, ..]) => {
                self.distinct(sections);
                Pattern::Mutex(sections.iter().map(|s| self.section(s)).collect())
            }
            (_, arguments) => {
                let plural = if arguments.len() == 1 { "" } else { "s" };
                let message = format!("`{name}` with {} argument{plural}", arguments.len());
                self.error(call.name_span.clone(), message, "");
                return None;
            }
        })
    }

    /// Refuses a pattern whose automaton would be too large, or could never accept.
    fn automaton(&mut self, pattern: &Pattern, call: &Call) {
        let (states, labels) = (pattern.states(), call.labels().count());
        if states.saturating_mul(labels) > MOST_TRANSITIONS {
            let message = format!("{labels} labels and {states} states: the automaton would be too large");
            self.error(call.name_span.clone(), message, "use fewer labels or smaller numbers");
        } else if self.errors.is_empty() && !bind::can_accept(&pattern.automaton().0) {
            // The roles of all other patterns were looked at one by one.
            let message = "nothing can violate this: whatever enters a section leaves all others";
            self.error(call.name_span.clone(), message, "");
        }
    }

    /// Refuses labels that are no actions, or that no file could hold.
    fn label(&mut self, label: &Label) {
        let span = label.span.clone();
        match &*label.text {
            "tau" => self.error(span, "tau is no action: no observer sees it", "name visible actions"),
            ACCEPT => self.error(span, "`accept` is reserved for accepting states", "rename the action in the model"),
            OTHERWISE => self.error(span, "`*` is no action", "name the actions, or write a monitor file with `*`"),
            text if text.contains('\n') => self.error(span, "a line end in a label", "no action has one"),
            _ => {}
        }
    }

    fn number(&mut self, argument: &Argument, least: u32) -> u32 {
        let digits = |l: &&Label| l.bare && l.text.bytes().all(|b| b.is_ascii_digit());
        let single = argument.first.labels.first().filter(|_| !argument.first.braces);
        let Some(label) = single.filter(digits) else {
            self.error(argument.span.clone(), "k must be a whole number", "");
            return least;
        };
        let number = label.text.parse().ok().filter(|k| (least..=LARGEST).contains(k));
        number.unwrap_or_else(|| {
            let help = if label.text.bytes().all(|b| b == b'0') { "`never(a)` allows no a at all" } else { "" };
            self.error(argument.span.clone(), format!("k must be between {least} and {LARGEST}"), help);
            least
        })
    }

    /// Refuses a pattern without an a: every label of `a` is one of `other`, which goes first.
    fn some_remain(&mut self, a: &Argument, other: &Argument, why: &str) {
        let (a_set, other_set) = (set(&a.first), set(&other.first));
        if a_set.labels().all(|l| other_set.contains(l)) {
            let message = format!("no a is left: `{a_set}` is in both roles and then {why}");
            self.error(a.span.clone(), message, "the two must differ");
        }
    }

    fn section(&mut self, argument: &Argument) -> Section {
        if argument.second.is_none() {
            self.error(argument.span.clone(), "expected `enter/leave`", "name what leaves the section");
        }
        let leave = argument.second.as_ref().unwrap_or(&argument.first);
        Section { enter: set(&argument.first), leave: set(leave) }
    }

    /// Refuses a label that enters two sections, or enters and leaves the same one.
    fn distinct(&mut self, sections: &[Argument]) {
        for (at, section) in sections.iter().enumerate() {
            for label in &section.first.labels {
                let same = |l: &Label| l.text == label.text;
                if sections[..at].iter().any(|s| s.first.labels.iter().any(same)) {
                    let message = format!("`{}` enters two sections at once", label.text);
                    self.error(label.span.clone(), message, "each section needs entries of its own");
                }
                if section.second.iter().any(|s| s.labels.iter().any(same)) {
                    let message = format!("`{}` both enters and leaves the section", label.text);
                    self.error(label.span.clone(), message, "the two must differ");
                }
            }
        }
    }
}
