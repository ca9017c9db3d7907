//! Files that a witness is saved to or drawn in.

use super::exit::Failure;
use super::input::ModelArgs;
use super::witness::{Shown, pictures};
use prequel_formats::picture::page::{About, Source};
use prequel_formats::promela::Text;
use prequel_model::run::Run;
use std::path::PathBuf;

/// What is made of a witness beside the table.
#[derive(clap::Args, Clone, Debug)]
pub struct EvidenceArgs {
    /// Save the witness as JSON
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    pub witness: Option<PathBuf>,
    /// Write a trail that `spin -t -p MODEL` replays: beside the Promela model as MODEL.trail, or into FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Evidence")]
    trail: Option<Option<PathBuf>>,
    /// Draw the witness as a message sequence chart: as text, or into FILE.svg
    #[arg(long, value_name = "FILE.svg", num_args = 0..=1, require_equals = true, help_heading = "Evidence")]
    chart: Option<Option<PathBuf>>,
    /// Give buffered channels lanes of their own in charts of programs
    #[arg(long, help_heading = "Evidence")]
    channel_lanes: bool,
    /// Show the witness as a page for a browser: table, values, source and chart, step by step
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    html: Option<PathBuf>,
    /// Draw the witness as a Graphviz path into FILE.dot
    #[arg(long, value_name = "FILE.dot", help_heading = "Evidence")]
    dot: Option<PathBuf>,
}

/// What was made of a witness.
#[derive(Default)]
pub struct Made {
    /// Files to write.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// A chart to print.
    pub chart: Option<String>,
}

impl EvidenceArgs {
    /// The option of something that is made of a witness, if there is one.
    pub fn wanted(&self) -> Option<&'static str> {
        let of = |wanted: bool, option| wanted.then_some(option);
        of(self.witness.is_some(), "--witness")
            .or(of(self.trail.is_some(), "--trail"))
            .or(of(self.chart.is_some(), "--chart"))
            .or(of(self.html.is_some(), "--html"))
            .or(of(self.dot.is_some(), "--dot"))
    }

    /// The files that it goes to.
    pub fn files<'a>(&'a self, trail: Option<&'a PathBuf>) -> impl Iterator<Item = &'a PathBuf> {
        let chart = self.chart.as_ref().and_then(Option::as_ref);
        let named = [self.witness.as_ref(), trail, chart, self.html.as_ref(), self.dot.as_ref()];
        named.into_iter().flatten()
    }

    /// Where the trail goes, if one is wanted.
    pub fn trail(&self, model: &ModelArgs) -> Result<Option<PathBuf>, Failure> {
        self.trail.as_ref().map(|path| path.clone().map_or_else(|| beside(model), Ok)).transpose()
    }

    /// Makes all that was asked for. `text` is the Promela model, if it is one, and `sources` what a program was read from.
    pub fn make(
        &self,
        shown: &dyn Shown,
        query: &str,
        model: &ModelArgs,
        (text, sources): (Option<&Text>, &[Source]),
        run: &Run,
    ) -> Result<Made, Failure> {
        let mut made = Made::default();
        if let Some(path) = &self.witness {
            made.files.push((path.clone(), shown.saved(query)));
        }
        if let Some(path) = self.trail(model)? {
            made.files.push((path, shown.trail(text, run)?));
        }
        match &self.chart {
            Some(Some(path)) => made.files.push((path.clone(), shown.svg(self.channel_lanes)?)),
            Some(None) => made.chart = Some(shown.text_chart(self.channel_lanes)?),
            None => {}
        }
        if let Some(path) = &self.html {
            let about = About { model: &model.names().join(" "), question: query, sources };
            made.files.push((path.clone(), pictures::html(&shown.page(self.channel_lanes), about)?));
        }
        if let Some(path) = &self.dot {
            made.files.push((path.clone(), shown.dot()?));
        }
        Ok(made)
    }
}

/// Where SPIN looks for the trail of a model.
fn beside(model: &ModelArgs) -> Result<PathBuf, Failure> {
    let path = &model.models[0];
    if path.as_os_str() == "-" {
        let help = "name the file, as in --trail=model.pml.trail";
        return Err(Failure::input("--trail", "a model on standard input has no name to call the trail after", help));
    }
    let mut name = path.clone().into_os_string();
    name.push(".trail");
    Ok(name.into())
}
