//! The progress line: once a second on standard error, when that is a terminal.

use super::output::Output;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use prequel_model::run::Run;
use std::io::IsTerminal as _;
use std::sync::mpsc;
use std::time::Duration;

/// Does some work while a line tells how far it is.
pub fn watch<T>(run: &Run, what: &str, output: &Output, work: impl FnOnce() -> T) -> T {
    if output.quiet || output.json || !std::io::stderr().is_terminal() {
        return work();
    }
    let (done, over) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let style = ProgressStyle::with_template("{spinner} {msg}").expect("a valid template");
            let bar = ProgressBar::new_spinner().with_style(style);
            let mut before = 0;
            while over.recv_timeout(Duration::from_secs(1)) == Err(mpsc::RecvTimeoutError::Timeout) {
                let states = run.states();
                let (rate, seconds) = (HumanCount(states.saturating_sub(before)), run.elapsed().as_secs());
                let news = run.news();
                bar.set_message(match news.is_empty() {
                    true => format!("{what}: {} states, {rate}/s, {seconds} s", HumanCount(states)),
                    false => format!("{what}: {news}; {seconds} s"),
                });
                bar.tick();
                before = states;
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}
