//! A run as a page: its table, the values in each state, the source text and the chart, each beside the others, in one file that needs
//! nothing else.
//!
//! The data is JSON inside of the page, with every text once; the script writes it into the document as text, never as markup, and
//! makes only those rows that are in sight. So a run of ten thousand steps is a small file that opens at once.

use super::NoPicture;
use super::chart::{self, Lifelines};
use super::view::{Arrow, View};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Steps beyond which browsers no longer place rows where they belong.
const MOST_STEPS: usize = 200_000;

/// A run, ready to be shown.
#[derive(Clone, Debug)]
pub struct Page {
    /// What the run shows, in a sentence.
    pub shows: String,
    /// What the columns of the table are called, the number of the step left out.
    pub columns: Vec<&'static str>,
    /// The cells of each step.
    pub rows: Vec<Vec<String>>,
    /// The step from which on all are repeated for ever; behind the last one where nothing moves any more.
    pub cycle: Option<usize>,
    /// What has a value.
    pub values: Values,
    /// The `file:line` of each step; shorter or empty where that is not known.
    pub lines: Vec<Vec<String>>,
    /// The chart, or why there is none.
    pub chart: Result<Chart, String>,
}

/// Values in the states of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// What has one.
    pub names: Vec<String>,
    /// At the start; nothing where it is not there yet.
    pub first: Vec<Option<String>>,
    /// What each step changes: which, to what.
    pub changes: Vec<Vec<(usize, Option<String>)>>,
}

/// A text that the model was read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// As messages call it.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// What a page says besides the run.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What the model is called.
    pub model: &'a str,
    /// What was asked.
    pub question: &'a str,
    /// What the model was read from, as far as that is shown.
    pub sources: &'a [Source],
}

/// A message sequence chart for the script to draw.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    lifelines: Value,
    width: f64,
    rows: Vec<ChartRow>,
    /// Messages: row and lifeline of who sends them and of who receives them.
    arrows: Vec<([usize; 4], String)>,
}

#[derive(Clone, Debug)]
struct ChartRow {
    /// The step of the run that it begins with.
    from: usize,
    action: String,
    hidden: bool,
    /// Who takes part, by lifeline, and what is so afterwards.
    moves: Vec<(usize, String)>,
}

impl Chart {
    /// The chart of a trace; `starts` is the step of the run that each of its steps begins with.
    pub fn of(view: &View<'_>, starts: &[usize]) -> Result<Self, NoPicture> {
        let Lifelines { movers, x, width } = chart::place(view)?;
        let lifeline =
            |(&c, x): (_, &f64)| json!({ "name": view.component(c), "first": view.initial(c), "x": x.round() });
        let row = |(step, &from): (&prequel_model::Step, &usize)| ChartRow {
            from,
            action: view.action(step),
            hidden: view.is_hidden(step),
            moves: step
                .moves
                .iter()
                .filter_map(|m| Some((movers.binary_search(&m.component).ok()?, view.state(m.component, m.to))))
                .collect(),
        };
        let column = |c| movers.binary_search(&c).unwrap_or(0);
        let arrow = |Arrow { from: (sent, by), to: (received, with), message }: &Arrow| {
            ([*sent, column(*by), *received, column(*with)], message.clone())
        };
        Ok(Self {
            arrows: view.arrows.iter().map(arrow).collect(),
            lifelines: movers.iter().zip(&x).map(lifeline).collect(),
            width,
            rows: view.trace.steps.iter().zip(starts).map(row).collect(),
        })
    }
}

impl Page {
    /// The page of a path of a network: what has a value is a component, and its value is a state.
    pub fn of_trace(view: &View<'_>, shows: String) -> Self {
        let movers = view.movers();
        let place = |c| movers.binary_search(&c).expect("whoever moves is among them");
        let (steps, starts) = (&view.trace.steps, (0..view.trace.steps.len()).collect::<Vec<_>>());
        let to = |m: &prequel_model::Move| view.state(m.component, m.to);
        let row = |(at, step): (usize, &prequel_model::Step)| {
            let changes = step.moves.iter().map(|m| format!("{} → {}", view.component(m.component), to(m)));
            vec![view.action(step), changes.collect::<Vec<_>>().join(", "), view.short_lines_of(at).join(", ")]
        };
        Self {
            shows,
            columns: vec!["action", "changes", "line"],
            rows: steps.iter().enumerate().map(row).collect(),
            cycle: view.cycle,
            values: Values {
                names: movers.iter().map(|&c| view.component(c)).collect(),
                first: movers.iter().map(|&c| Some(view.initial(c))).collect(),
                changes: (steps.iter())
                    .map(|step| step.moves.iter().map(|m| (place(m.component), Some(to(m)))).collect())
                    .collect(),
            },
            lines: view.lines.to_vec(),
            chart: Chart::of(view, &starts).map_err(|why| why.to_string()),
        }
    }

    /// The whole page.
    pub fn write(&self, about: About<'_>) -> Result<Vec<u8>, NoPicture> {
        NoPicture::unless(|| "the page".into(), self.rows.len(), MOST_STEPS, "steps")?;
        // In JSON a `<` can only be inside of a text.
        let data = self.data(about).to_string().replace('<', "\\u003c");
        let (before, rest) = PAGE.split_once("/*STYLE*/").expect("a place for the style");
        let (middle, rest) = rest.split_once("/*DATA*/").expect("a place for the data");
        let (end, after) = rest.split_once("/*SCRIPT*/").expect("a place for the script");
        Ok([before, STYLE, middle, &data, end, SCRIPT, after].concat().into_bytes())
    }

    fn data(&self, about: About<'_>) -> Value {
        let mut words = Words::default();
        let mut cells = |cells: &Vec<String>| cells.iter().map(|cell| words.number(cell)).collect::<Vec<_>>();
        let rows: Vec<_> = self.rows.iter().map(&mut cells).collect();
        let mut value = |value: &Option<String>| value.as_ref().map_or(-1, |value| words.number(value) as i64);
        let first: Vec<_> = self.values.first.iter().map(&mut value).collect();
        let mut changed = |changes: &Vec<(usize, Option<String>)>| {
            changes.iter().flat_map(|(at, new)| [*at as i64, value(new)]).collect::<Vec<_>>()
        };
        let changes: Vec<_> = self.values.changes.iter().map(&mut changed).collect();
        let chart = match &self.chart {
            Ok(chart) => chart.data(&mut words),
            Err(why) => json!({ "none": why }),
        };
        json!({
            "model": about.model,
            "question": about.question,
            "shows": self.shows,
            "columns": self.columns,
            "rows": rows,
            "cycle": self.cycle,
            "names": self.values.names,
            "first": first,
            "changes": changes,
            "files": about.sources.iter().map(|file| json!({ "name": file.name, "text": file.text })).collect::<Vec<_>>(),
            "places": self.lines.iter().map(|lines| places(lines, about.sources)).collect::<Vec<_>>(),
            "chart": chart,
            "words": words.0.iter().collect::<Vec<_>>(),
        })
    }
}

/// File and line of each place in one of the sources, one after the other.
fn places(lines: &[String], sources: &[Source]) -> Vec<usize> {
    let place = |line: &String| {
        let (name, line) = line.rsplit_once(':')?;
        Some([sources.iter().position(|source| source.name == name)?, line.parse().ok()?])
    };
    lines.iter().filter_map(place).flatten().collect()
}

impl Chart {
    fn data(&self, words: &mut Words) -> Value {
        let mut row = |row: &ChartRow| {
            let head = [row.from, usize::from(row.hidden), words.number(&row.action)];
            let moves = row.moves.iter().flat_map(|(lifeline, said)| [*lifeline, words.number(said)]);
            head.into_iter().chain(moves).collect::<Vec<_>>()
        };
        let rows: Vec<_> = self.rows.iter().map(&mut row).collect();
        let mut arrow = |(ends, message): &([usize; 4], String)| {
            ends.iter().copied().chain([words.number(message)]).collect::<Vec<_>>()
        };
        let arrows: Vec<_> = self.arrows.iter().map(&mut arrow).collect();
        json!({ "lifelines": self.lifelines, "width": self.width.round(), "rows": rows, "arrows": arrows })
    }
}

/// Texts by number: most are said many times.
#[derive(Default)]
struct Words(IndexSet<String, FxBuildHasher>);

impl Words {
    fn number(&mut self, text: &str) -> usize {
        self.0.get_index_of(text).unwrap_or_else(|| self.0.insert_full(text.into()).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::tests::deadlock;

    fn page(of: &Page, sources: &[Source]) -> String {
        let about = About { model: "</title><b>", question: "<script>", sources };
        String::from_utf8(of.write(about).unwrap()).unwrap()
    }

    fn data(page: &str) -> Value {
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn a_page_holds_steps_values_places_and_the_chart_and_says_each_text_once() {
        let (network, origin, trace) = deadlock();
        let lines = [vec!["a/phil0.aut:2".to_owned(), "elsewhere:9".into()], vec!["a/phil0.aut:x".into()]];
        let view =
            View { network: &network, origin: &origin, trace: &trace, lines: &lines, cycle: Some(1), arrows: &[] };
        let file = Source { name: "a/phil0.aut".into(), text: "one\n/*DATA*/".into() };
        let data = data(&page(&Page::of_trace(&view, "a deadlock".into()), &[file]));
        let word = |number: &Value| data["words"][number.as_u64().unwrap() as usize].as_str().unwrap().to_owned();
        let cells: Vec<String> = data["rows"][0].as_array().unwrap().iter().map(word).collect();
        assert_eq!(cells, ["i (tl0)", "phil0 → left, fork0 → held as left", "phil0.aut:2, elsewhere:9"]);
        assert_eq!(data["places"], json!([[0, 2], []]), "what is in none of the files is nowhere");
        assert_eq!(data["names"], json!(["phil0", "phil1", "fork0", "fork1"]));
        let changed = data["changes"][1].as_array().unwrap();
        assert_eq!((&changed[0], word(&changed[1])), (&json!(1), "left".into()));
        assert_eq!((&data["cycle"], data["chart"]["rows"].as_array().unwrap().len()), (&json!(1), 2));
        assert_eq!(data["chart"]["rows"][0][1], 1, "a hidden step");
        assert_eq!(data["files"][0]["text"], "one\n/*DATA*/");
        let words = data["words"].as_array().unwrap();
        assert_eq!(words.iter().filter(|word| *word == "left").count(), 1);
    }

    #[test]
    fn no_text_of_a_model_is_markup() {
        let (network, origin, _) = deadlock();
        let trace = prequel_model::Trace::default();
        let view = View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] };
        let file = Source { name: "<b>".into(), text: "</script><script>alert(1)</script><!--".into() };
        let page = page(&Page::of_trace(&view, "<i>".into()), &[file]);
        assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2));
        assert!(["<b>", "<i>", "<!--", "alert(1)<"].iter().all(|markup| !page.contains(markup)));
        assert_eq!(data(&page)["files"][0]["text"], "</script><script>alert(1)</script><!--");
        let outside = ["http:", "https:", "src=", "href=", "@import", "url("];
        let own = page.replace("http://www.w3.org/2000/svg", "");
        assert!(outside.iter().all(|word| !own.contains(word)), "a page needs nothing else");
    }

    #[test]
    fn a_run_that_no_browser_shows_is_refused() {
        let (network, origin, trace) = deadlock();
        let view = View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] };
        let mut page = Page::of_trace(&view, String::new());
        page.rows = vec![Vec::new(); MOST_STEPS + 1];
        let about = About { model: "m", question: "q", sources: &[] };
        let refused = page.write(about).unwrap_err().to_string();
        assert_eq!(refused, "the page is too large to draw: 200001 steps, at most 200000 are drawn");
    }
}
