//! Everything that SPIN answers about a small program, asked in one go and without its reduction: assertions, end states, cycles
//! without progress, acceptance cycles and every formula, the endless ones with and without weak fairness.

use super::{count, errors, fastest, run};
use std::collections::BTreeMap;
use std::time::Duration;

/// What SPIN said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answers {
    /// States of a whole search without claims.
    pub states: Option<u64>,
    /// Some process can come to its end.
    pub ends: bool,
    /// Whether something is wrong, by question: `assertions`, `end states`, `formula f0`, `formula f0, fair` and so on. What took
    /// too long is not here.
    pub wrong: BTreeMap<String, bool>,
}

impl Answers {
    /// Leaves out what was asked of fair runs.
    pub fn without_fairness(&mut self) {
        self.wrong.retain(|question, _| !question.ends_with(FAIR));
    }
}

const FAIR: &str = ", fair";

/// Every error once, wherever it is.
const ONCE: &str =
    "/^pan:[0-9]/ { sub(/ \\(at depth.*/, \"\"); sub(/^pan:[0-9]*:/, \"pan:1:\"); if (seen[$0]++) next } { print }";

/// What SPIN says of a wrong program. Anything else is about the verifier itself.
const WRONG: [&str; 7] = [
    "assertion violated",
    "invalid end state",
    "block in d_step seq",
    "acceptance cycle",
    "accept stutter",
    "non-progress cycle",
    "end state in claim reached",
];

/// States of a program that is asked everything: a few with more would take most of the time.
const MOST: u32 = 20_000;

/// How the assertion looks that SPIN makes of the end of a formula's automaton.
const OF_FORMULA: &str = "assertion violated  !( !(";

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Questions {
    /// Without what SPIN does by default: dead variables reset, steps merged.
    pub plain: bool,
    /// Acceptance cycles.
    pub accept: bool,
    /// Names of formulas and claims.
    pub formulas: Vec<String>,
}

impl Questions {
    /// All that can be asked of a text that has each formula on a line of its own.
    pub fn of(text: &str, plain: bool) -> Self {
        let named = |line: &str| Some(line.strip_prefix("ltl ")?.split_whitespace().next()?.to_owned());
        let claim = text.contains("never {").then(|| "never_0".to_owned());
        let formulas = text.lines().filter_map(named).chain(claim).collect();
        Self { plain, accept: text.contains("accept"), formulas }
    }
}

/// Why there are no answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Silence {
    /// SPIN or its verifier does not take the program: what it says.
    Refused(String),
    /// It is too large for so many questions.
    Large,
}

/// Asks all of it.
pub fn ask(text: &str, questions: &Questions) -> Result<Answers, Silence> {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("model.pml"), text).expect("room for a file");
    let done = run(dir.path(), Duration::from_secs(300), &script(text, questions));
    let (done, said) = done.ok_or(Silence::Large)?;
    if !done && said.ends_with("too large\n") {
        return Err(Silence::Large);
    }
    if !done {
        return Err(Silence::Refused(said));
    }
    let mut answers = Answers { states: None, ends: false, wrong: BTreeMap::new() };
    for part in said.split("== ").skip(1) {
        let (question, said) = part.split_once('\n').expect("a question on its line");
        answers.take(question, said).map_err(Silence::Refused)?;
    }
    Ok(answers)
}

/// `spin -a`, and a verifier for each kind of question.
fn script(text: &str, questions: &Questions) -> String {
    let preprocessor = if text.contains('#') || text.contains("/*") { "" } else { "-Pcat" };
    let plain = if questions.plain { "-o1 -o2 -o3" } else { "" };
    let mut script = format!(
        "spin {preprocessor} {plain} -a model.pml >said 2>&1\n\
         test -s pan.t && ! grep -q Error said || {{ grep Error said || head -3 said; exit 1; }}\n\
         ask() {{ echo \"== $1\"; {{ timeout 2 ./pan -w16 -m50000 $2 2>&1; echo \"status $?\"; }} | awk '{ONCE}'; }}\n\
         cycles() {{ ask \"$1\" \"$2\"; ask \"$1{FAIR}\" \"$2 -f\"; }}\n"
    );
    let mut built = |definitions: &str, questions: String| {
        let compile =
            format!("{} -w -DNOREDUCE {definitions} -DVECTORSZ=8000 -o pan pan.c 2>&1 || exit 1\n", fastest());
        script += &compile;
        script += &questions;
    };
    let accept = if questions.accept { "cycles 'acceptance cycles' '-a -A -E'\n" } else { "" };
    let large = format!(
        "grep -q '^status 124' all || awk '/states, stored/ {{ large = $1 > {MOST} }} END {{ exit !large }}' all"
    );
    built("-DNOCLAIM", format!("ask safety -c0 >all\ncat all\nif {large}; then echo too large; exit 1; fi\n{accept}"));
    built("-DNP", "cycles 'non-progress cycles' '-l -A -E'\n".into());
    let named = |name: &String| format!("cycles 'formula {name}' '-c0 -a -E -N {name}'\n");
    let all: String = questions.formulas.iter().map(named).collect();
    if !all.is_empty() {
        built("", all);
    }
    script
}

impl Answers {
    /// Notes what the verifier said about a question.
    fn take(&mut self, question: &str, said: &str) -> Result<(), String> {
        if said.contains("status 124") {
            // Its time was up in the middle of a line.
            return Ok(());
        }
        let found: Vec<&str> = said.lines().filter_map(complaint).collect();
        if let Some(strange) = found.iter().find(|found| !WRONG.iter().any(|wrong| found.starts_with(wrong))) {
            return Err((*strange).into());
        }
        if let Some(refused) = said.lines().find(|line| line.starts_with("error: proctype")) {
            return Err(refused.into());
        }
        let whole = said.contains("status 0") && errors(said).is_some() && !said.contains("search depth too small");
        let about = |what: &dyn Fn(&str) -> bool| found.iter().any(|found| what(found));
        if !whole {
            return Ok(());
        }
        // SPIN stops at once there: what it has not found until then may be all the same.
        let stopped = about(&|found| found.starts_with(WRONG[2]));
        if question == "safety" {
            self.states = count(said, "states, stored").filter(|_| !stopped);
            let unreached = said.split("unreached in ").skip(1).filter(|part| !part.starts_with("claim"));
            self.ends = stopped || unreached.into_iter().any(|part| !part.contains("\"-end-\""));
            for (question, wrong) in ["assertions", "end states", "other faults"].into_iter().zip(WRONG) {
                let found = about(&|found| found.starts_with(wrong));
                if found || !stopped {
                    self.wrong.insert(question.into(), found);
                }
            }
        } else {
            // The program's own assertions are another question.
            let of_program = |found: &str| found.starts_with(WRONG[0]) || found.starts_with(WRONG[2]);
            let wrong = about(&|found| !of_program(found) || found.starts_with(OF_FORMULA));
            if wrong || !stopped {
                self.wrong.insert(question.into(), wrong);
            }
        }
        Ok(())
    }
}

/// What stands behind the number in `pan:3: invalid end state (at depth 7)`.
fn complaint(line: &str) -> Option<&str> {
    let (number, what) = line.strip_prefix("pan:")?.split_once(": ")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(what)
}
