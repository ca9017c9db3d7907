//! Runs of programs as charts.

use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_formats::picture::chart;
use prequel_formats::promela;
use prequel_model::run::{Limits, Run};
use prequel_program::drawing::drawing;
use prequel_program::{Claim, Sought, compile};
use std::path::Path;

/// The chart of the run to the violation of a program, with lanes for channels or without.
fn charted(text: &str, channels: bool) -> String {
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
    let (program, _) = compile(&model, Claim::None).expect("a program");
    let run = Run::new(Limits::default(), 0);
    let Outcome::Violated(witness) = verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &run) else {
        panic!("it is violated")
    };
    let drawing = drawing(&program, &witness.steps, None, channels);
    assert!(drawing.trace.replay(&drawing.network).is_ok(), "what is drawn is a path of what is drawn");
    let mut out = Vec::new();
    chart::write_text(&drawing.view(), &mut out).expect("a chart");
    String::from_utf8(out).expect("text")
}

const BOTH: &str = "chan r = [0] of { byte }; chan b = [2] of { byte };\n\
    active proctype p() { r!7; b!8 }\n\
    active proctype q() { byte x; r?x; b?x; assert(x == 0) }";

#[test]
fn messages_are_arrows_from_the_sender_to_the_receiver() {
    let chart = charted(BOTH, false);
    let heads = chart.lines().next().expect("a first line");
    assert_eq!(heads.split_whitespace().collect::<Vec<_>>(), ["p(0)", "q(1)"], "{chart}");
    assert_eq!(chart.lines().filter(|line| line.contains("●─") && line.contains("▶●")).count(), 1, "{chart}");
    let arrow = chart.lines().find(|line| line.contains('╌')).expect("an arrow");
    assert!(arrow.contains("8 (of 2)") && arrow.contains('▶'), "{chart}");
    assert!(chart.contains("r!7") && chart.contains("q(1):x = 7"), "{chart}");
}

#[test]
fn channels_have_lanes_where_people_want_them() {
    let chart = charted(BOTH, true);
    let heads = chart.lines().next().expect("a first line");
    assert_eq!(heads.split_whitespace().collect::<Vec<_>>(), ["p(0)", "q(1)", "b"], "{chart}");
    assert_eq!(chart.lines().filter(|line| line.contains("●")).count(), 3, "{chart}");
    assert!(chart.contains("[8]") && !chart.contains('▶'), "{chart}");
}
