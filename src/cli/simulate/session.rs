//! A run by hand: one command a line.

use super::{Args, cells, watches};
use crate::cli::columns::Columns;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Output, counted, print};
use crate::job::simulate::{Simulation, Taken};
use prequel_model::rng::Rng;
use prequel_model::run::INTERRUPTED;
use std::io::{BufRead as _, IsTerminal as _};
use std::sync::atomic::Ordering;

const HELP: &str = "\
  NUMBER           take the step with this number
  next [N]         the next N steps of the witness or trail
  random [N]       N steps by chance
  continue         steps by chance, or along the witness or trail, up to a breakpoint or the end
  back [N]         undo N steps; `restart` undoes all
  list             what may be done next
  where            where everybody is
  values [TEXT]    all values, or those whose names have TEXT in them
  watch EXPR       show the value of an expression after each step
  break LINE       stop behind a step in this line (or FILE:LINE)
  break EXPR       stop when this holds; `breaks` lists all, `delete N` takes one away
  trace            the steps so far
  quit";

/// Steps by chance after which `continue` asks again.
const MOST: usize = 100_000;

/// Where a run stops by itself.
enum Break {
    /// Behind a step in a line, as `file:line` ends.
    Line(String),
    /// When an expression holds that did not before.
    Holds(usize, String),
}

struct Session<'a> {
    simulation: &'a mut dyn Simulation,
    output: &'a Output,
    rng: Rng,
    watched: Vec<(usize, String)>,
    breaks: Vec<Break>,
    trace: Vec<Vec<String>>,
}

/// Reads commands until there are no more.
pub fn hold(simulation: &mut dyn Simulation, args: &Args, output: &Output) -> Result<Exit, Failure> {
    let watched = watches(simulation, &args.watch)?;
    let (breaks, trace) = (Vec::new(), Vec::new());
    let mut session = Session { simulation, output, rng: Rng::new(args.limits.seed), watched, breaks, trace };
    let asks = std::io::stdin().is_terminal();
    session.list();
    loop {
        if asks {
            print("> ");
        }
        let mut line = Vec::new();
        let read = std::io::stdin().lock().read_until(b'\n', &mut line);
        if read.map_or(true, |read| read == 0) || INTERRUPTED.load(Ordering::Relaxed) {
            break;
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        if matches!(word, "quit" | "q" | "exit") {
            break;
        }
        session.command(word, rest.trim());
    }
    Ok(Exit::Ok)
}

impl Session<'_> {
    fn say(&self, text: impl AsRef<str>) {
        self.output.say(text);
    }

    fn command(&mut self, word: &str, rest: &str) {
        let number = || if rest.is_empty() { Some(1) } else { rest.parse::<usize>().ok() };
        if let Ok(choice) = word.parse::<usize>() {
            return self.choose(choice);
        }
        match (word, number()) {
            ("", _) => self.list(),
            ("help" | "h" | "?", _) => self.say(HELP),
            ("next" | "n", Some(times)) => self.go(times, true),
            ("random" | "r", Some(times)) => self.go(times, false),
            ("continue" | "c", _) => self.go(MOST, self.simulation.guided().is_some()),
            ("back" | "b", Some(times)) => self.back(times),
            ("restart", _) => self.back(self.simulation.steps()),
            ("list" | "l", _) => self.list(),
            ("where" | "w", _) => self.say(self.simulation.places().join("\n")),
            ("values" | "v", _) => self.values(rest),
            ("watch", _) if !rest.is_empty() => self.watch(rest),
            ("break", _) if !rest.is_empty() => self.stop_at(rest),
            ("breaks", _) => self.breaks(),
            ("delete", Some(number)) if !rest.is_empty() => self.delete(number),
            ("trace" | "t", _) => self.trace(),
            _ => self.say(format!("`{word} {rest}` is nothing that I understand; `help` lists what can be said")),
        }
    }

    /// What may be done next, or why nothing may.
    fn list(&self) {
        let offered = self.simulation.offered();
        let next = self.simulation.guided();
        let rows: Vec<Vec<String>> = (offered.iter().enumerate())
            .map(|(at, offered)| {
                let mark = if next == Some(at) { "next" } else { "" };
                vec![
                    (at + 1).to_string(),
                    offered.who.clone(),
                    offered.what.clone(),
                    offered.place.clone(),
                    mark.into(),
                ]
            })
            .collect();
        self.say(format!("behind {}:", counted(self.simulation.steps(), "step")));
        if rows.is_empty() {
            return self.say(self.simulation.end().join("\n"));
        }
        let columns = Columns::new(&[""; 5], rows.iter().map(Vec::as_slice));
        self.say(rows.iter().map(|row| format!("  {}", columns.line(row))).collect::<Vec<_>>().join("\n"));
    }

    fn choose(&mut self, choice: usize) {
        let several = self.simulation.offered().len();
        match choice.checked_sub(1).filter(|&choice| choice < several) {
            Some(choice) => {
                self.step(choice);
                self.list();
            }
            None if several == 0 => self.list(),
            None => self.say(format!("there is no step {choice}: choose one of 1 to {several}")),
        }
    }

    /// Takes a step and tells of it; tells whether a run stops there.
    fn step(&mut self, choice: usize) -> bool {
        let before = self.holding();
        let taken = self.simulation.take(choice);
        let row = cells(self.simulation.steps(), &taken);
        self.say(row.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join("  "));
        self.trace.push(row);
        for (number, text) in &self.watched {
            self.say(format!("   {text} = {}", self.simulation.watched(*number)));
        }
        if let Some(fault) = &taken.fault {
            self.say(fault);
        }
        self.stops(&taken, &before) || taken.fault.is_some()
    }

    /// Which of the breakpoints hold now that are expressions.
    fn holding(&self) -> Vec<bool> {
        let holds = |stop: &Break| match stop {
            Break::Line(_) => false,
            Break::Holds(number, _) => !matches!(self.simulation.watched(*number).as_str(), "0" | "false"),
        };
        self.breaks.iter().map(holds).collect()
    }

    fn stops(&self, taken: &Taken, before: &[bool]) -> bool {
        let now = self.holding();
        let place = &taken.offered.place;
        let hit = self.breaks.iter().enumerate().find(|(at, stop)| match stop {
            Break::Line(line) => place.split(", ").any(|place| {
                place == line || place.strip_suffix(line.as_str()).is_some_and(|rest| rest.ends_with([':', '/']))
            }),
            Break::Holds(..) => now[*at] && !before[*at],
        });
        if let Some((number, _)) = hit {
            self.say(format!("breakpoint {}", number + 1));
        }
        hit.is_some()
    }

    /// Several steps by chance, or along the run to follow.
    fn go(&mut self, times: usize, guided: bool) {
        for _ in 0..times {
            if INTERRUPTED.swap(false, Ordering::Relaxed) {
                self.say("interrupted");
                break;
            }
            let choice = match (guided, self.simulation.offered().len()) {
                (true, _) => self.simulation.guided(),
                (false, 0) => None,
                (false, several) => Some(self.rng.below(several)),
            };
            let Some(choice) = choice else {
                if guided && !self.simulation.offered().is_empty() {
                    let why = match (self.simulation.guide(), self.simulation.steps()) {
                        (0, _) => "there is no run to follow: --witness FILE or --trail gives one",
                        (all, steps) if steps >= all => "the end of the run to follow",
                        _ => "another step was taken than in the run to follow: `back` leads to it",
                    };
                    self.say(why);
                }
                break;
            };
            if self.step(choice) {
                break;
            }
        }
        self.list();
    }

    fn back(&mut self, times: usize) {
        for _ in 0..times {
            if !self.simulation.back() {
                self.say("this is the beginning");
                break;
            }
            self.trace.pop();
        }
        self.list();
    }

    fn values(&self, part: &str) {
        let values = self.simulation.values();
        let shown =
            values.iter().filter(|(name, _)| name.contains(part)).map(|(name, value)| format!("  {name} = {value}"));
        let shown: Vec<String> = shown.collect();
        self.say(if shown.is_empty() { format!("nothing is called {part}") } else { shown.join("\n") });
    }

    /// The number of an expression that could be read.
    fn read(&mut self, text: &str) -> Option<usize> {
        match self.simulation.watch(text) {
            Ok(number) => Some(number),
            Err(wrong) => {
                self.say(wrong.iter().map(|finding| finding.render()).collect::<Vec<_>>().join("\n"));
                None
            }
        }
    }

    fn watch(&mut self, text: &str) {
        if let Some(number) = self.read(text) {
            self.say(format!("   {text} = {}", self.simulation.watched(number)));
            self.watched.push((number, text.to_owned()));
        }
    }

    fn stop_at(&mut self, text: &str) {
        let line = text.rsplit(':').next().unwrap_or(text);
        let is_line = !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
        let stop = if is_line {
            Some(Break::Line(text.to_owned()))
        } else {
            self.read(text).map(|number| Break::Holds(number, text.to_owned()))
        };
        if let Some(stop) = stop {
            self.breaks.push(stop);
            self.breaks();
        }
    }

    fn breaks(&self) {
        let shown = |(number, stop): (usize, &Break)| match stop {
            Break::Line(line) => format!("  {} behind a step in line {line}", number + 1),
            Break::Holds(_, text) => format!("  {} when {text}", number + 1),
        };
        let shown: Vec<String> = self.breaks.iter().enumerate().map(shown).collect();
        self.say(if shown.is_empty() { "no breakpoints".into() } else { shown.join("\n") });
    }

    fn delete(&mut self, number: usize) {
        match number.checked_sub(1).filter(|&at| at < self.breaks.len()) {
            Some(at) => {
                self.breaks.remove(at);
                self.breaks();
            }
            None => self.say(format!("there is no breakpoint {number}")),
        }
    }

    fn trace(&self) {
        let columns = Columns::new(&super::HEAD, self.trace.iter().map(Vec::as_slice));
        self.say(self.trace.iter().map(|row| columns.line(row)).collect::<Vec<_>>().join("\n"));
    }
}
