//! A firing sequence, in every form that a command shows it.

use crate::cli::witness::{Shown, pictures};
use crate::job::Failure;
use crate::job::net::{Change, NetWitness};
use prequel_formats::firing::{KIND, SCHEMA};
use prequel_formats::picture::extent::{Extent, Line};
use prequel_formats::picture::page::{Chart, Page, Values};
use prequel_formats::picture::view::View;
use prequel_formats::promela::Text;
use prequel_model::run::Run;
use prequel_model::{PlaceId, TransitionId};
use serde_json::{Value, json};

/// Names listed in a row before the rest is only counted.
const MOST_NAMES: usize = 8;

/// A place by its name, and by its title where it has one.
fn place(witness: &NetWitness, p: PlaceId) -> String {
    titled(witness.net().place(p), witness.net().place_title(p))
}

/// Marked places, each with its tokens where they are more than one.
fn marking(witness: &NetWitness, marking: &[u32]) -> String {
    let marked: Vec<String> = witness
        .net()
        .places()
        .zip(marking)
        .filter(|(_, tokens)| **tokens > 0)
        .map(|(p, &tokens)| {
            let name = place(witness, p);
            if tokens == 1 { name } else { format!("{name} ({tokens})") }
        })
        .collect();
    few(marked, "nothing")
}

/// The same run of the network, for pictures.
fn drawn<T>(witness: &NetWitness, draw: impl FnOnce(&View<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
    let split = witness.split()?;
    let trace = split.trace(witness.sequence());
    let lines: Vec<Vec<String>> = witness.sequence().iter().map(|&t| witness.line(t).into_iter().collect()).collect();
    draw(&View {
        network: &split.network,
        origin: &split.origin,
        trace: &trace,
        lines: &lines,
        cycle: witness.cycle(),
        arrows: &[],
    })
}

fn titled(name: &str, title: Option<&str>) -> String {
    match title {
        Some(title) => format!("{name} '{title}'"),
        None => name.to_owned(),
    }
}

/// The first few names, and how many more there are.
fn few(names: Vec<String>, none: &str) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    if names.is_empty() {
        return none.into();
    }
    let tail = if more > 0 { format!(" … {more} more") } else { String::new() };
    format!("{}{tail}", names.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join(", "))
}

impl Shown for NetWitness {
    fn saved(&self, query: &str) -> Vec<u8> {
        let mut saved = json!({
            "schema": SCHEMA,
            "kind": KIND,
            "query": query,
            "verdict": self.verdict().word(),
            "shows": self.conclusion(),
            "steps": self.steps_json(),
        });
        if let Some(from) = self.repeated_from() {
            saved["cycle"] = from.into();
        }
        let mut text = serde_json::to_vec_pretty(&saved).expect("a JSON value prints");
        text.push(b'\n');
        text
    }

    fn steps_json(&self) -> Value {
        let net = self.net();
        let (changes, _) = self.changes();
        let step = |(&t, changes): (&TransitionId, &Vec<Change>)| {
            let changes = changes.iter().map(
                |&(p, from, to)| json!({ "place": net.place(p), "title": net.place_title(p), "from": from, "to": to }),
            );
            json!({
                "transition": net.transition(t),
                "title": net.transition_title(t),
                "line": self.line(t),
                "changes": changes.collect::<Vec<_>>(),
            })
        };
        self.sequence().iter().zip(&changes).map(step).collect()
    }

    fn repeated_from(&self) -> Option<usize> {
        self.cycle().map(|from| from + 1)
    }

    fn table(&self, extent: Extent) -> String {
        let net = self.net();
        let (changes, end) = self.changes();
        let head = ["#".to_owned(), "transition".into(), "tokens".into(), "line".into()];
        let first = ["0".into(), String::new(), marking(self, net.initial()), String::new()];
        let row = |at: usize| {
            let t = self.sequence()[at];
            let change = |&(p, from, to): &Change| format!("{} {from}→{to}", place(self, p));
            let told = few(changes[at].iter().map(change).collect(), "");
            let fired = titled(net.transition(t), net.transition_title(t));
            [(at + 1).to_string(), fired, told, self.line(t).unwrap_or_default()]
        };
        let fired = self.sequence();
        let shown = extent.lines(changes.len(), |one, other| fired[one] == fired[other]);
        let steps = shown.iter().cloned().map(|line| line.map(row));
        let rows: Vec<Line<[String; 4]>> = [head, first].map(Line::Step).into_iter().chain(steps).collect();
        let cells = |column: usize| rows.iter().filter_map(Line::step).map(move |row| row[column].chars().count());
        let widths: Vec<usize> = (0..4).map(|column| cells(column).max().unwrap_or(0)).collect();
        let mut text = String::new();
        for (number, row) in rows.iter().enumerate() {
            // The first two are no steps.
            let shown = number.checked_sub(2).and_then(|number| shown.get(number));
            let step = shown.and_then(Line::step);
            if step.is_some() && step.copied() == self.cycle() {
                text += "-- again and again:\n";
            }
            match row {
                Line::Step(row) => {
                    let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
                    text += cells.collect::<Vec<_>>().join("  ").trim_end();
                }
                Line::LeftOut(steps) => {
                    text += &steps.to_string();
                    if let Some(from) = self.cycle().filter(|&from| steps.contains(from)) {
                        text += &format!("\n-- again and again, from step {} on:", from + 1);
                    }
                }
            }
            text.push('\n');
        }
        format!("{text}marked at the end: {}\n{}", marking(self, &end), self.conclusion())
    }

    fn text_chart(&self, _: bool) -> Result<String, Failure> {
        drawn(self, pictures::text_chart)
    }

    fn svg(&self, _: bool) -> Result<Vec<u8>, Failure> {
        drawn(self, pictures::svg)
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        drawn(self, |view| Ok(pictures::dot(view)))
    }

    fn page(&self, _: bool) -> Page {
        let net = self.net();
        let (changes, _) = self.changes();
        let told = |&(p, _, to): &Change| (p.at(), Some(to.to_string()));
        let row = |(&t, changes): (&TransitionId, &Vec<Change>)| {
            let change = |&(p, from, to): &Change| format!("{} {from}→{to}", place(self, p));
            let tokens = changes.iter().map(change).collect::<Vec<_>>().join(", ");
            vec![titled(net.transition(t), net.transition_title(t)), tokens, self.line(t).unwrap_or_default()]
        };
        let starts: Vec<usize> = (0..changes.len()).collect();
        let chart = |view: &View<'_>| Ok(Chart::of(view, &starts).map_err(|why| why.to_string()));
        let no_network = |_| Err("there is no chart: the net is not put into components".to_owned());
        Page {
            shows: self.conclusion().to_owned(),
            columns: vec!["transition", "tokens", "line"],
            rows: self.sequence().iter().zip(&changes).map(row).collect(),
            cycle: self.cycle(),
            values: Values {
                names: net.places().map(|p| place(self, p)).collect(),
                first: net.initial().iter().map(|tokens| Some(tokens.to_string())).collect(),
                changes: changes.iter().map(|step| step.iter().map(told).collect()).collect(),
            },
            lines: Vec::new(),
            chart: drawn(self, chart).unwrap_or_else(no_network),
        }
    }

    fn trail(&self, _: Option<&Text>, _: &Run) -> Result<Vec<u8>, Failure> {
        let help = "leave it away, or save the witness with --witness FILE";
        Err(Failure::input("--trail", "a trail is a run of a Promela model, and this is a Petri net", help))
    }
}
