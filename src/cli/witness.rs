//! A checked witness, in every form that a command shows it.

use crate::job::convert::in_memory;
use crate::job::{Failure, LassoWitness, NetworkWitness, Witness};
use prequel_formats::picture::NoPicture;
use prequel_formats::picture::extent::Extent;
use prequel_formats::picture::page::{About, Page};
use prequel_formats::picture::view::View;
use prequel_formats::picture::{chart, dot, table};
use prequel_formats::promela::Text;
use prequel_formats::witness;
use prequel_formats::witness::{Saved, SavedQuery};
use prequel_model::run::Run;

/// A checked witness, for people and programs.
pub trait Shown {
    /// The witness file.
    fn saved(&self, query: &str) -> Vec<u8>;

    /// The steps as `--json` shows them.
    fn steps_json(&self) -> serde_json::Value;

    /// The step, counted from 1, from which on all are repeated for ever.
    fn repeated_from(&self) -> Option<usize> {
        None
    }

    /// The table, one row a step, of so much of it.
    fn table(&self, extent: Extent) -> String;

    /// The message sequence chart as text; with `channels`, the channels of a program have lanes too.
    fn text_chart(&self, channels: bool) -> Result<String, Failure>;

    /// The message sequence chart as SVG.
    fn svg(&self, channels: bool) -> Result<Vec<u8>, Failure>;

    /// The path as a Graphviz picture.
    fn dot(&self) -> Result<Vec<u8>, Failure>;

    /// The run as a page.
    fn page(&self, channels: bool) -> Page;

    /// The run as a trail for SPIN, which followed it. `text` is the Promela model.
    fn trail(&self, text: Option<&Text>, run: &Run) -> Result<Vec<u8>, Failure>;
}

fn saved_form(witness: &NetworkWitness, query: &str) -> Saved {
    let asked = &witness.problem().query;
    let query = SavedQuery { kind: asked.kind().into(), text: query.into() };
    witness::saved(&witness.view(), query, asked.witness_shows())
}

impl Shown for NetworkWitness {
    fn saved(&self, query: &str) -> Vec<u8> {
        in_memory(|out| witness::write(&saved_form(self, query), out))
    }

    fn steps_json(&self) -> serde_json::Value {
        serde_json::to_value(saved_form(self, "").steps).expect("steps are plain data")
    }

    fn table(&self, extent: Extent) -> String {
        text(|out| table::write(&self.view(), extent, out))
    }

    fn text_chart(&self, _: bool) -> Result<String, Failure> {
        pictures::text_chart(&self.view())
    }

    fn svg(&self, _: bool) -> Result<Vec<u8>, Failure> {
        pictures::svg(&self.view())
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        Ok(pictures::dot(&self.view()))
    }

    fn page(&self, _: bool) -> Page {
        Page::of_trace(&self.view(), "the end of this path shows the answer".into())
    }

    fn trail(&self, _: Option<&Text>, _: &Run) -> Result<Vec<u8>, Failure> {
        Err(no_trail())
    }
}

impl Shown for LassoWitness {
    fn saved(&self, query: &str) -> Vec<u8> {
        let query = SavedQuery { kind: "ltl".into(), text: query.into() };
        in_memory(|out| witness::write(&witness::saved(&self.view(), query, false), out))
    }

    fn steps_json(&self) -> serde_json::Value {
        let query = SavedQuery { kind: "ltl".into(), text: String::new() };
        serde_json::to_value(witness::saved(&self.view(), query, false).steps).expect("steps are plain data")
    }

    fn repeated_from(&self) -> Option<usize> {
        Some(self.from() + 1)
    }

    fn table(&self, extent: Extent) -> String {
        text(|out| table::write(&self.view(), extent, out)) + &self.conclusion()
    }

    fn text_chart(&self, _: bool) -> Result<String, Failure> {
        pictures::text_chart(&self.view())
    }

    fn svg(&self, _: bool) -> Result<Vec<u8>, Failure> {
        pictures::svg(&self.view())
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        Ok(pictures::dot(&self.view()))
    }

    fn page(&self, _: bool) -> Page {
        Page::of_trace(&self.view(), self.conclusion())
    }

    fn trail(&self, _: Option<&Text>, _: &Run) -> Result<Vec<u8>, Failure> {
        Err(no_trail())
    }
}

fn no_trail() -> Failure {
    let help = "leave it away, or save the witness with --witness FILE";
    Failure::input("--trail", "a trail is a run of a Promela model, and this is a network", help)
}

/// A witness of whatever kind, to be shown.
pub fn shown(witness: &Witness) -> &dyn Shown {
    match witness {
        Witness::Network(witness) => witness,
        Witness::Lasso(witness) => witness,
        Witness::Program(witness) => witness,
        Witness::Net(witness) => witness,
        Witness::Circuit(witness) => witness,
    }
}

/// Pictures of traces.
pub mod pictures {
    use super::{About, Failure, NoPicture, Page, View, chart, in_memory};

    /// The run as one page.
    pub fn html(page: &Page, about: About<'_>) -> Result<Vec<u8>, Failure> {
        let help = "leave --html away, or save the witness with --witness FILE";
        page.write(about).map_err(|why| Failure::input("--html", why.to_string(), help))
    }

    /// The message sequence chart as text.
    pub fn text_chart(view: &View<'_>) -> Result<String, Failure> {
        let mut out = Vec::new();
        chart::write_text(view, &mut out).map_err(no_chart)?;
        Ok(String::from_utf8(out).expect("text is UTF-8"))
    }

    /// The message sequence chart as SVG.
    pub fn svg(view: &View<'_>) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        chart::write_svg(view, &mut out).map_err(no_chart)?;
        Ok(out)
    }

    /// The path as a Graphviz picture.
    pub fn dot(view: &View<'_>) -> Vec<u8> {
        in_memory(|out| super::dot::write_trace(view, out))
    }

    fn no_chart(why: NoPicture) -> Failure {
        Failure::input("--chart", why.to_string(), "leave --chart away: the table shows the witness in any case")
    }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    String::from_utf8(in_memory(write)).expect("text is UTF-8")
}
