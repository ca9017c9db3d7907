//! Saved witnesses in: JSON by names, resolved against the model at hand.

mod write;

pub use write::{KIND, SCHEMA, Saved, SavedMove, SavedQuery, SavedStep, saved, write};

use crate::diag::{Diagnostic, Place, Read};
use crate::text::json_place;
use crate::text::json_place::Part;
use prequel_model::{ComponentId, LabelId, Move, Network, Origin, StateId, Step, Trace};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Faults reported per file before the rest is only counted.
pub(super) const MOST_FAULTS: usize = 20;

/// A witness whose names all mean something in a network. Whether it is a path is for replay to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What was asked when it was saved.
    pub query: SavedQuery,
    /// What it is to show.
    pub verdict: bool,
    /// The step from which on all are repeated for ever.
    pub cycle: Option<usize>,
    /// The path.
    pub trace: Trace,
    /// What an observer is said to see of each step.
    pub actions: Vec<String>,
}

/// What must be known before the rest can be made sense of.
#[derive(Deserialize)]
pub(super) struct Head {
    pub schema: u32,
    pub kind: String,
}

/// Reads a witness file for a network.
pub fn read(file: &str, text: &[u8], network: &Network, origin: &Origin) -> Read<Witness> {
    let help = "a witness file is JSON as `--witness FILE` writes it";
    let syntax = |e: serde_json::Error| vec![syntax_error(file, text, &e, help)];
    let about = |key, message| vec![at_value(Diagnostic::error(file, message), text, &[Part::Key(key)])];
    let head: Head = serde_json::from_slice(text).map_err(syntax)?;
    if head.kind != KIND {
        let found = about("kind", format!("this is a `{}`, not a `{KIND}`", head.kind));
        return Err(found.into_iter().map(|d| d.help("`prequel check … --witness FILE` saves a witness")).collect());
    }
    if head.schema != SCHEMA {
        let found = about("schema", format!("schema {}, but this version reads schema {SCHEMA}", head.schema));
        return Err(found.into_iter().map(|d| d.help("save the witness again with this version")).collect());
    }
    let saved: Saved = serde_json::from_slice(text).map_err(syntax)?;
    Resolving::new(file, text, network, origin).witness(saved)
}

/// Points at the place where the JSON text goes wrong.
pub(super) fn syntax_error(file: &str, text: &[u8], e: &serde_json::Error, help: &str) -> Diagnostic {
    // serde_json appends the place to its message; ours is in front.
    let message = e.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    let d = Diagnostic::error(file, message).help(help);
    let Some(line) = e.line().checked_sub(1).and_then(|at| text.split(|&b| b == b'\n').nth(at)) else { return d };
    // Columns are bytes counted from 1; at the end of a line there is nothing to point at but its last character.
    let start = e.column().saturating_sub(1).min(line.len().saturating_sub(1));
    d.at(Place::in_line(e.line(), line, start..start + 1))
}

/// Points at a value of the file.
pub(super) fn at_value(d: Diagnostic, text: &[u8], path: &[Part]) -> Diagnostic {
    match json_place::find(text, path) {
        Some(span) => d.at(Place::in_text(text, span)),
        None => d,
    }
}

/// Looks names up and collects what cannot be found.
struct Resolving<'a> {
    file: &'a str,
    text: &'a [u8],
    network: &'a Network,
    origin: &'a Origin,
    components: FxHashMap<&'a str, ComponentId>,
    /// Named states of the components met so far: names may be many, and steps too.
    states: FxHashMap<ComponentId, FxHashMap<&'a str, StateId>>,
    errors: Vec<Diagnostic>,
    faults: usize,
    warnings: Vec<Diagnostic>,
}

impl<'a> Resolving<'a> {
    fn new(file: &'a str, text: &'a [u8], network: &'a Network, origin: &'a Origin) -> Self {
        let components = network.ids().map(|c| (&*network.component(c).name, c)).collect();
        let (states, errors, warnings) = (FxHashMap::default(), Vec::new(), Vec::new());
        Self { file, text, network, origin, components, states, errors, faults: 0, warnings }
    }

    fn error(&mut self, path: &[Part], message: String, help: &str) {
        self.faults += 1;
        if self.faults <= MOST_FAULTS {
            self.errors.push(at_value(Diagnostic::error(self.file, message).help(help), self.text, path));
        }
    }

    fn witness(mut self, saved: Saved) -> Read<Witness> {
        for (at, name) in saved.components.iter().enumerate() {
            if self.components.contains_key(name.as_str()) {
                continue;
            }
            self.error(
                &[Part::Key("components"), Part::At(at)],
                format!("the witness is about a component `{name}` that the model does not have"),
                "give the model files that the witness was found on",
            );
        }
        let beyond = self.network.components().len().saturating_sub(saved.components.len());
        if beyond > 0 && self.faults == 0 {
            let message = format!("the model has {beyond} components that the witness does not know of");
            self.warnings.push(Diagnostic::warning(self.file, message));
        }
        let verdict = match saved.verdict.as_str() {
            "true" => true,
            "false" => false,
            other => {
                self.error(&[Part::Key("verdict")], format!("verdict `{other}`"), "a witness shows `true` or `false`");
                false
            }
        };
        let steps = saved.steps.iter().enumerate().filter_map(|(at, step)| self.step(at + 1, step)).collect();
        if self.faults > MOST_FAULTS {
            let message = format!("{} more errors", self.faults - MOST_FAULTS);
            self.errors.push(Diagnostic::error(self.file, message));
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let cycle = saved.cycle.map(|first| first.saturating_sub(1));
        let actions = saved.steps.into_iter().map(|step| step.action).collect();
        Ok((Witness { query: saved.query, verdict, cycle, trace: Trace { steps }, actions }, self.warnings))
    }

    /// Gives nothing when something of the step is unknown, which is then reported.
    fn step(&mut self, number: usize, step: &SavedStep) -> Option<Step> {
        let (labels, here) = (self.network.labels(), [Part::Key("steps"), Part::At(number - 1)]);
        let label = labels.get(&step.label);
        if label.is_none() {
            self.error(
                &[&here[..], &[Part::Key("label")]].concat(),
                format!("step {number}: unknown label `{}`", step.label),
                "no component of the model has a transition with this label",
            );
        }
        let mut moves: Vec<Move> = Vec::with_capacity(step.moves.len());
        for (at, m) in step.moves.iter().enumerate() {
            let of_move = |key| [&here[..], &[Part::Key("moves"), Part::At(at), Part::Key(key)]].concat();
            let Some(&component) = self.components.get(m.component.as_str()) else {
                let message = format!("step {number}: unknown component `{}`", m.component);
                self.error(
                    &of_move("component"),
                    message,
                    "a component is called after its file, without the extension",
                );
                continue;
            };
            let [from, to] = [("from", &m.from), ("to", &m.to)].map(|(key, name)| {
                let found = self.state(component, name);
                if found.is_none() {
                    let message = format!("step {number}: `{}` has no state `{name}`", m.component);
                    self.error(&of_move(key), message, "states of an .aut file are called by their numbers");
                }
                found
            });
            if let (Some(from), Some(to)) = (from, to) {
                moves.push(Move { component, from, to });
            }
        }
        // The files may have been given in another order than when the witness was saved.
        moves.sort_by_key(|m| m.component);
        if let Some(twice) = moves.windows(2).find(|w| w[0].component == w[1].component) {
            let name = &self.network.component(twice[0].component).name;
            let message = format!("step {number}: `{name}` moves twice");
            self.error(&here, message, "a component moves at most once in a step");
        }
        Some(Step { label: label.unwrap_or(LabelId::TAU), moves }).filter(|_| label.is_some())
    }

    fn state(&mut self, c: ComponentId, name: &str) -> Option<StateId> {
        let Some(names) = self.origin.of(c).and_then(|source| source.state_names.as_ref()) else {
            return self.origin.find_state(self.network, c, name);
        };
        let by_name = self.states.entry(c).or_insert_with(|| {
            // The first of equal names, as `Origin::find_state` has it.
            let named = names.iter().enumerate().rev();
            named.map(|(s, n)| (&**n, StateId::new(s))).collect()
        });
        by_name.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::View;
    use crate::witness::{saved, write};
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_families::{Instance, philo};
    use prequel_model::rng::Rng;

    /// A witness file of a random walk of two philosophers.
    fn sample(seed: u64) -> (Network, Origin, Trace, Vec<u8>) {
        let Instance { network, origin, .. } = philo::dictionary(2, 0);
        let trace = walk(&mut Rng::new(seed), &network);
        let text = text(&network, &origin, &trace);
        (network, origin, trace, text)
    }

    fn walk(rng: &mut Rng, network: &Network) -> Trace {
        let (mut trace, mut state) = (Trace::default(), network.initial());
        for _ in 0..6 {
            let steps = network.steps(&state);
            if steps.is_empty() {
                break;
            }
            let step = rng.pick(&steps).clone();
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
            trace.steps.push(step);
        }
        trace
    }

    fn text(network: &Network, origin: &Origin, trace: &Trace) -> Vec<u8> {
        let lines = [vec!["phil0.aut:2".to_owned(), "fork0.aut:3".to_owned()]];
        let query = SavedQuery { kind: "reach".into(), text: "--reach 'phil0@2'".into() };
        let mut text = Vec::new();
        write(
            &saved(&View { network, origin, trace, lines: &lines, cycle: None, arrows: &[] }, query, true),
            &mut text,
        )
        .unwrap();
        text
    }

    #[test]
    fn what_is_saved_is_read_back_whatever_the_order_of_components() {
        let mut longest = 0;
        for seed in 0..200 {
            let network = random::network(seed, &Shape::default());
            let trace = walk(&mut Rng::new(seed), &network);
            let text = text(&network, &Origin::default(), &trace);
            let (labels, mut components) = network.into_parts();
            components.reverse();
            let reversed = Network::new(labels, components);
            let (read, warnings) = read("w", &text, &reversed, &Origin::default()).unwrap();
            assert!(warnings.is_empty() && read.verdict && read.query.kind == "reach");
            let names = |network: &Network, trace: &Trace| -> Vec<Vec<(String, Move)>> {
                let moves = trace.steps.iter().map(|s| {
                    let mut named: Vec<_> = (s.moves.iter())
                        .map(|m| {
                            (network.component(m.component).name.to_string(), Move { component: ComponentId(0), ..*m })
                        })
                        .collect();
                    named.sort_by(|a, b| a.0.cmp(&b.0));
                    named
                });
                moves.collect()
            };
            let again = random::network(seed, &Shape::default());
            assert_eq!(names(&reversed, &read.trace), names(&again, &trace));
            assert!(read.trace.replay(&reversed).is_ok());
            longest = longest.max(trace.steps.len());
        }
        assert_eq!(longest, 6);
    }

    #[test]
    fn names_of_states_survive() {
        for seed in 0..20 {
            let (network, origin, trace, text) = sample(seed);
            let (read, _) = read("w", &text, &network, &origin).unwrap();
            assert_eq!(read.trace, trace);
        }
    }

    #[test]
    fn the_layout_is_as_promised() {
        let (_, _, _, text) = sample(0);
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["schema", "kind", "query", "verdict", "components", "steps"]);
        assert_eq!(
            (&value["schema"], &value["kind"], &value["verdict"]),
            (&1.into(), &"witness".into(), &"true".into())
        );
        assert_eq!(value["steps"][0]["line"], "phil0.aut:2, fork0.aut:3");
        assert!(value["steps"][1].get("line").is_none());
        assert!(value["steps"][0]["moves"][0]["from"].is_string());
    }

    /// The first error, on one line.
    fn fault(text: &str) -> String {
        let (network, origin, ..) = sample(0);
        read("w.json", text.as_bytes(), &network, &origin).unwrap_err()[0].headline()
    }

    #[test]
    fn faults_are_named() {
        let (.., text) = sample(0);
        let text = String::from_utf8(text).unwrap();
        let with = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            fault(&text.replacen(from, to, 1))
        };
        assert_eq!(fault("{\n  \"schema\": 1,\n  oops\n}"), "w.json:3:3: key must be a string");
        assert_eq!(fault(""), "w.json:1:1: EOF while parsing a value");
        assert!(with("\"schema\": 1", "\"schema\": 2").contains("reads schema 1"));
        assert!(with("\"kind\": \"witness\"", "\"kind\": \"certificate\"").contains("not a `witness`"));
        assert!(with("\"verdict\": \"true\"", "\"verdict\": \"maybe\"").contains("verdict `maybe`"));
        assert!(with("\"component\": \"phil", "\"component\": \"paul").contains("step 1: unknown component `paul"));
        assert!(with("\"label\": \"", "\"label\": \"x").contains("step 1: unknown label `x"));
        assert!(with("\"from\": \"", "\"from\": \"x").contains("has no state `x"));
        let place = fault(&text.replacen("\"from\": \"", "\"from\": \"x", 1));
        let line = text.lines().position(|l| l.contains("\"from\"")).unwrap() + 1;
        assert!(place.starts_with(&format!("w.json:{line}:19: step 1: ")), "{place}");
        assert!(with("\"fork1\"\n", "\"spoon\"\n").contains("about a component `spoon`"));
        let step = text.find("\"moves\": [").unwrap();
        let (start, end) = (step + text[step..].find('{').unwrap(), step + text[step..].find('}').unwrap() + 1);
        let twice = format!("{},{}", &text[start..end], &text[start..]);
        assert!(fault(&format!("{}{twice}", &text[..start])).ends_with("moves twice"));
        assert!(with("\"steps\"", "\"stairs\"").contains("missing field `steps`"));
    }

    #[test]
    fn any_bytes_give_an_answer() {
        let (network, origin, _, text) = sample(0);
        let mut rng = Rng::new(1);
        let mut rejected = 0;
        for _ in 0..3000 {
            let mut bytes = text.clone();
            for _ in 0..rng.between(1, 4) {
                let at = rng.below(bytes.len());
                match rng.below(4) {
                    0 => bytes[at] = rng.below(256) as u8,
                    1 => drop(bytes.splice(at..(at + rng.below(40)).min(text.len()).min(bytes.len()), [])),
                    2 => bytes.insert(at, *rng.pick(b"\"{}[],:0\n\xff")),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            if let Err(errors) = read("w", &bytes, &network, &origin) {
                assert!(!errors.is_empty());
                errors.iter().for_each(|d| drop(d.render()));
                rejected += 1;
            }
        }
        assert!(rejected > 1500, "{rejected}");
    }
}
