//! What `pan` prints, read with suspicion: it ends with 0 whatever it finds, and says `errors: 0` of searches it gave up.

/// What `pan` found wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A state in which nothing can happen.
    InvalidEndState,
    /// An assertion that does not hold, or an index out of bounds.
    Assertion,
    /// The claim was matched to its end.
    Claim,
    /// A cycle through an accepting state.
    AcceptanceCycle,
    /// A cycle without progress.
    NonProgressCycle,
    /// A statement that cannot be computed.
    RunTime,
    /// An event that a `trace` or `notrace` does not allow.
    Trace,
}

impl Fault {
    /// How `pan` words each.
    const WORDS: [(&str, Fault); 19] = [
        ("invalid end state", Fault::InvalidEndState),
        ("assertion violated", Fault::Assertion),
        ("end state in claim reached", Fault::Claim),
        ("acceptance cycle", Fault::AcceptanceCycle),
        ("accept stutter", Fault::AcceptanceCycle),
        ("non-progress cycle", Fault::NonProgressCycle),
        ("ref to uninitialized chan name", Fault::RunTime),
        ("error to poll rendezvous channel", Fault::RunTime),
        ("too few parameters in send stmnt", Fault::RunTime),
        ("too many parameters in send stmnt", Fault::RunTime),
        ("missing pars in receive", Fault::RunTime),
        ("wrong nr of msg fields in rcv", Fault::RunTime),
        ("too many fields in recv", Fault::RunTime),
        ("block in d_step seq", Fault::RunTime),
        ("blocking sel in d_step", Fault::RunTime),
        ("rv-attempt in d_step", Fault::RunTime),
        ("too many processes", Fault::RunTime),
        ("too many queues", Fault::RunTime),
        ("event_trace error", Fault::Trace),
    ];

    /// In a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Fault::InvalidEndState => "an invalid end state",
            Fault::Assertion => "a violated assertion",
            Fault::Claim => "a run that matches the claim to its end",
            Fault::AcceptanceCycle => "an acceptance cycle",
            Fault::NonProgressCycle => "a cycle without progress",
            Fault::RunTime => "a statement that cannot be computed",
            Fault::Trace => "an event that the trace does not allow",
        }
    }

    /// The fault in `assertion violated (x==1) (at depth 3)`, and its depth. What a program has room for is `pan`'s own limit
    /// where it does not tell the depth.
    fn of(what: &str) -> Option<(Fault, u64)> {
        let (_, fault) = Self::WORDS.into_iter().find(|(words, _)| what.starts_with(words))?;
        let depth = what.rsplit_once("(at depth ")?.1;
        // The first state itself is at depth -1.
        Some((fault, if depth.starts_with("-1") { 0 } else { number(depth)? }))
    }
}

/// Why a search says nothing about the states it did not see.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Incomplete {
    /// Longer paths than `-m` allows.
    #[error("the search depth was too small")]
    Depth,
    /// States larger than `-DVECTORSZ` allows.
    #[error("the state vector was too small")]
    Vector,
    /// `-DMEMLIM`, or no more memory to be had.
    #[error("it ran out of memory")]
    Memory,
    /// Two states may have been taken for one.
    #[error("states were stored by hash only")]
    Hashed,
    /// A signal.
    #[error("it was interrupted")]
    Interrupted,
    /// Some steps may not be left out, and were.
    #[error("its partial-order reduction does not fit the model")]
    Reduction,
    /// Something else that it says of itself.
    #[error("it says `{0}`")]
    Said(String),
    /// There is no report, or not all of it.
    #[error("its report is not whole")]
    NoReport,
    /// A part of the report is missing or there more than once.
    #[error("its report is not whole: {0}")]
    Part(&'static str),
    /// Parts of the report that do not fit together.
    #[error("its report contradicts itself: {0}")]
    Contradiction(&'static str),
}

/// Parts that a whole report has, each once, and how each is told from others.
const PARTS: [(&str, &str); 5] = [
    ("the version", "(Spin Version "),
    ("what was searched for", "statespace search for:"),
    ("the number of states", " states, stored"),
    ("the number of transitions", " transitions (= "),
    ("its end", "pan: elapsed time "),
];

/// A report.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// How many errors it counts.
    pub errors: u64,
    /// The first error that is one of the model, and at which depth.
    pub fault: Option<(Fault, u64)>,
    /// Distinct states.
    pub stored: u64,
    /// States as often as they were looked at.
    visited: u64,
    /// Transitions explored.
    pub transitions: u64,
    /// The longest path.
    pub depth: u64,
    /// All memory that it used, by its own count, in bytes.
    pub memory: u64,
    /// Bytes of a state.
    pub vector: u64,
    /// Each reason for which the search was not whole. One that stopped at a fault has none for that alone.
    pub incomplete: Vec<Incomplete>,
}

impl Report {
    /// Reads what `pan` printed on both of its outputs.
    pub fn read(text: &str) -> Report {
        let mut report = Report::default();
        let (mut counted, mut stopped, mut matched) = (0, false, None);
        let mut parts = [0; PARTS.len()];
        let mark = |report: &mut Report, why| {
            if !report.incomplete.contains(&why) {
                report.incomplete.push(why);
            }
        };
        for line in text.lines().map(str::trim) {
            let lower = line.to_ascii_lowercase();
            // First what holds names and expressions of the model, which may look like anything.
            let error = line.strip_prefix("pan:").and_then(|rest| rest.split_once(": ")).map(|(_, what)| what);
            if let Some(found) = error.and_then(Fault::of) {
                report.fault = report.fault.or(Some(found));
                continue;
            }
            let reduced = [
                "partial order reduction invalid",
                "violates po reduction",
                "use of a rendezvous stmnts in the escape",
                // How `xr` and `xs` that are wrong begin; the reduction rests on them.
                "assertion violated: access to chan ",
                "chans cannot be used for rv",
            ];
            if reduced.iter().any(|m| lower.contains(m)) {
                mark(&mut report, Incomplete::Reduction);
                continue;
            }
            if line.starts_with("never claim") || line.starts_with("pan: ltl formula") {
                continue;
            }
            for ((_, mark), seen) in PARTS.iter().zip(&mut parts) {
                *seen += u32::from(line.contains(mark));
            }
            if let Some((_, errors)) = line.split_once("errors: ") {
                counted += u32::from(number(errors).is_some());
                report.errors = number(errors).unwrap_or(0);
                report.vector = number_after(line, "State-vector ").unwrap_or(0);
                report.depth = number_after(line, "depth reached ").unwrap_or(0);
            } else if line.ends_with("states, stored") || line.contains("states, stored (") {
                report.stored = number(line).unwrap_or(0);
                report.visited = number_after(line, "stored (").unwrap_or(report.stored);
            } else if line.ends_with("states, matched") {
                matched = number(line);
            } else if line.contains("transitions (= ") {
                report.transitions = number(line).unwrap_or(0);
            } else if line.contains("total actual memory usage") {
                let mebibytes: f64 = line.split_ascii_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
                report.memory = (mebibytes * f64::from(1 << 20)) as u64;
            } else if line.contains("Search not completed") {
                stopped = true;
            } else if lower.contains("max search depth too small") {
                mark(&mut report, Incomplete::Depth);
            } else if lower.contains("vectorsz") {
                mark(&mut report, Incomplete::Vector);
            } else if ["out of memory", "memlim bound", "insufficient memory"].iter().any(|m| lower.contains(m)) {
                mark(&mut report, Incomplete::Memory);
            } else if ["bit statespace", "hash-compact", "hash factor"].iter().any(|m| lower.contains(m)) {
                mark(&mut report, Incomplete::Hashed);
            } else if lower.contains("interrupted") {
                mark(&mut report, Incomplete::Interrupted);
            } else if let Some(what) = error {
                // `pan: error: too many processes`
                mark(&mut report, Incomplete::Said(what.into()));
            } else if lower.starts_with("error") || lower.starts_with("pan: error") || lower.contains("abort") {
                mark(&mut report, Incomplete::Said(line.into()));
            }
        }
        if stopped && report.fault.is_none() && report.incomplete.is_empty() {
            mark(&mut report, Incomplete::Said("Search not completed".into()));
        }
        if counted == 0 || (report.errors > 0 && report.fault.is_none() && report.incomplete.is_empty()) {
            mark(&mut report, Incomplete::NoReport);
        }
        if report.incomplete.is_empty() {
            report.incomplete.extend(report.gap(counted, parts, matched));
        }
        report
    }

    /// What is missing in a report that says nothing else against itself, or does not fit.
    fn gap(&self, counted: u32, parts: [u32; PARTS.len()], matched: Option<u64>) -> Option<Incomplete> {
        if counted != 1 {
            return Some(Incomplete::Part("the number of errors is there more than once"));
        }
        let wrong = PARTS.iter().zip(parts).find(|(_, times)| *times != 1);
        if let Some(((what, _), _)) = wrong {
            return Some(Incomplete::Part(what));
        }
        let Some(matched) = matched else { return Some(Incomplete::Part("the number of states that were seen again")) };
        // Large numbers are rounded.
        if (self.visited + matched).abs_diff(self.transitions) > self.transitions / 10_000 {
            return Some(Incomplete::Contradiction("its numbers of states and transitions"));
        }
        if (self.errors > 0) != self.fault.is_some() {
            return Some(Incomplete::Contradiction("the number of errors and the errors"));
        }
        (self.stored == 0).then_some(Incomplete::Contradiction("a search without states"))
    }

    /// Whether all of the report is there.
    pub fn whole(&self) -> bool {
        use Incomplete::{Contradiction, NoReport, Part};
        !self.incomplete.iter().any(|why| matches!(why, NoReport | Part(_) | Contradiction(_)))
    }

    /// Whether every state was seen and none was at fault.
    pub fn clean(&self) -> bool {
        self.errors == 0 && self.fault.is_none() && self.incomplete.is_empty()
    }
}

/// The number that a text begins with; `pan` writes large ones as `1.234e+07`.
fn number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && !"e+.".contains(c)).unwrap_or(text.len());
    text[..end].parse::<f64>().ok().map(|n| n as u64)
}

fn number_after(text: &str, mark: &str) -> Option<u64> {
    number(text.split_once(mark)?.1)
}

/// The lines of the program that a trail executes, from what `spin -t -p` prints: the first line of each step.
pub fn trail(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut before = None;
    for row in text.lines() {
        let Some((step, line)) = executed(row) else { continue };
        // A `d_step` is one step, of which each statement is printed.
        if before != Some(step) {
            lines.push(line);
            before = Some(step);
        }
    }
    lines
}

/// The step and the line of `  5: proc  0 (network:1) m.pml:16 (state 27) [((at_p==1))]`.
fn executed(row: &str) -> Option<(u64, usize)> {
    let (step, rest) = row.split_once(":\tproc ")?;
    let (place, _) = rest.split_once(" (state ").filter(|(_, statement)| statement.contains('['))?;
    Some((step.trim().parse().ok()?, place.rsplit(':').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed by 6.5.2; `first` is what comes before the report, `head` what follows the version.
    fn report(first: &str, head: &str, errors: u32) -> Report {
        Report::read(&text(first, head, errors))
    }

    fn text(first: &str, head: &str, errors: u32) -> String {
        format!(
            "{first}
(Spin Version 6.5.2 -- 6 December 2019)
{head}
Full statespace search for:
	never claim         	- (none specified)
	assertion violations	+
	cycle checks       	- (disabled by -DSAFETY)
	invalid end states	+

State-vector 36 byte, depth reached 1234, errors: {errors}
  1331714 states, stored
 12442398 states, matched
 13774112 transitions (= stored+matched)
       12 atomic steps
hash conflicts:    321 (resolved)

Stats on memory usage (in Megabytes):
    0.000	equivalent memory usage for states (stored*(State-vector + overhead))
  128.500	total actual memory usage

unreached in proctype p
	m.pml:26, state 7, \"-end-\"
	(1 of 7 states)

pan: elapsed time 0.01 seconds
pan: rate 1e+06 states/second
"
        )
    }

    #[test]
    fn a_whole_search_without_errors_is_clean() {
        let report = report("", "", 0);
        assert!(report.clean(), "{report:?}");
        assert_eq!((report.stored, report.transitions, report.depth), (1_331_714, 13_774_112, 1234));
        assert_eq!((report.vector, report.memory), (36, (128 << 20) + (1 << 19)));
    }

    #[test]
    fn a_fault_stops_the_search_and_is_an_answer() {
        let end = "pan:1: invalid end state (at depth 3)\npan: wrote m.pml.trail\n";
        let stopped = report(end, "Warning: Search not completed", 1);
        assert_eq!((stopped.fault, &*stopped.incomplete), (Some((Fault::InvalidEndState, 3)), &[][..]));
        let failed = "pan:1: assertion violated  !((at_p==1)) (at depth 10)\npan: wrote m.pml.trail\n";
        let stopped = report(failed, "Warning: Search not completed", 1);
        assert_eq!((stopped.fault, stopped.clean()), (Some((Fault::Assertion, 10)), false));
    }

    #[test]
    fn a_fault_in_the_first_state_is_one() {
        let stuck = report("pan:1: invalid end state (at depth -1)", "Warning: Search not completed", 1);
        assert_eq!(stuck.fault, Some((Fault::InvalidEndState, 0)));
    }

    #[test]
    fn half_a_report_is_no_answer() {
        let whole = text("", "", 0);
        assert!(Report::read(&whole).clean());
        let all: Vec<&str> = whole.lines().collect();
        // However far it came, and whatever was lost on the way.
        for end in 0..all.len() {
            let half = all[..end].join("\n");
            let said = all[end..].iter().any(|line| line.contains("elapsed time"));
            assert_eq!(Report::read(&half).clean(), !said, "{half}");
        }
        for (at, line) in all.iter().enumerate() {
            let lines: Vec<&str> = all.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, l)| *l).collect();
            let counts = ["Spin Version", "search for:", "errors:", "stored", "matched", "transitions", "elapsed"];
            let counts = counts.iter().any(|mark| line.contains(mark)) && !line.contains("memory");
            assert_eq!(Report::read(&lines.join("\n")).clean(), !counts, "without `{line}`");
        }
    }

    #[test]
    fn a_report_that_does_not_fit_is_no_answer() {
        let whole = text("", "", 0);
        assert!(!Report::read(&format!("{whole}{whole}")).clean(), "two reports");
        assert!(!Report::read(&whole.replace("1331714", "1331")).clean(), "other numbers");
        let none = whole.replace("1331714", "0").replace("12442398", "0").replace("13774112", "0");
        assert!(!Report::read(&none).clean(), "no states");
        let failed = "pan:1: assertion violated (x) (at depth 10)";
        let denied = report(failed, "Warning: Search not completed", 0);
        assert_eq!((denied.clean(), denied.whole()), (false, false), "an error that is not counted");
        let cut = text(failed, "Warning: Search not completed", 1);
        let cut = Report::read(cut.split_once("errors:").unwrap().0);
        assert_eq!((cut.fault.is_some(), cut.whole()), (true, false), "an error without a report");
    }

    #[test]
    fn names_of_the_model_are_no_marks() {
        let failed =
            "pan: ltl formula aborted\npan:1: assertion violated  !((interrupted==memlim bound)) (at depth 10)\n";
        let stopped = report(failed, "Warning: Search not completed", 1);
        assert_eq!((stopped.fault, &*stopped.incomplete), (Some((Fault::Assertion, 10)), &[][..]));
        assert!(report("pan: ltl formula aborted", "\tnever claim         \t+ (interrupted)", 0).clean());
    }

    #[test]
    fn every_mark_of_an_incomplete_search_counts() {
        let said = |text: &str| Incomplete::Said(text.into());
        let marks = [
            ("error: max search depth too small", "", 0, Incomplete::Depth),
            ("", "Warning: Search not completed", 0, said("Search not completed")),
            (
                "pan: reached -DMEMLIM bound\n\t2.1e+09 bytes used",
                "Warning: Search not completed",
                0,
                Incomplete::Memory,
            ),
            ("pan: out of memory\n\thint: to reduce memory, recompile with", "", 0, Incomplete::Memory),
            ("Interrupted", "Warning: Search not completed", 0, Incomplete::Interrupted),
            ("pan: error, VECTORSZ too small, recompile pan.c with -DVECTORSZ=N", "", 1, Incomplete::Vector),
            ("pan:1: VECTORSZ is too small, edit pan.h (at depth 0)", "", 1, Incomplete::Vector),
            ("", "\nBit statespace search for:", 0, Incomplete::Hashed),
            ("", "hash factor: 21.4 (best if > 100.)", 0, Incomplete::Hashed),
            ("", "\nHash-Compact 4 search for:", 0, Incomplete::Hashed),
            ("pan:1: bad queue - qsend (at depth 0)", "", 1, said("bad queue - qsend (at depth 0)")),
            ("pan: error: too many processes -- current", "", 0, said("too many processes -- current")),
            (
                "warning: use of a rendezvous stmnts in the escape\n\tof an unless clause, if present",
                "",
                0,
                Incomplete::Reduction,
            ),
            (
                "pan:1: xs assertion violated, partial order reduction invalid (at depth 3)",
                "",
                1,
                Incomplete::Reduction,
            ),
            ("pan: xs assertion violated: access to chan <q> (0)", "", 1, Incomplete::Reduction),
            ("pan:1: xr chans cannot be used for rv (at depth 0)", "", 1, Incomplete::Reduction),
            ("pan:1: rand receive on xr channel violates po reduction (at depth 1)", "", 1, Incomplete::Reduction),
            ("pan:1: aborting (at depth 0)", "", 1, said("aborting (at depth 0)")),
            ("", "", 1, Incomplete::NoReport),
        ];
        for (first, head, errors, why) in marks {
            let report = report(first, head, errors);
            assert_eq!(report.incomplete, [why], "{first}{head}");
            assert!(!report.clean() && report.fault.is_none());
        }
        for text in ["", "Segmentation fault", "State-vector 36 byte, depth reached 12"] {
            assert_eq!(Report::read(text).incomplete, [Incomplete::NoReport], "{text}");
        }
    }

    #[test]
    fn a_trail_is_the_first_line_of_each_step() {
        let text = "\
spin: m.pml:20, Error: assertion violated
  1:	proc  0 (network:1) m.pml:6 (state 1)	[(((at_p==0)&&(at_q<=1)))]
  2:	proc  0 (network:1) a:9 (b/m.pml:8 (state 4)	[((at_p==0))]
  2:	proc  0 (network:1) m.pml:8 (state 3)	[at_p = 1]
  3:	proc 12 (p_q:1) m.pml:21 (state 3)	[tl?1]
spin: trail ends after 11 steps
 11:	proc  0 (network:1) m.pml:5 (state 31) <valid end state>
";
        assert_eq!(trail(text), [6, 8, 21]);
    }
}
