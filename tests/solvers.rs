//! Do solvers that nobody here wrote accept the proof obligations that we write? Whatever a verdict rests on is put as a set of states that
//! is not left, and z3 and cvc5 must answer `unsat` three times; of a set that is wrong they must not. A witness circuit must pass the five
//! checks of certificates of hardware, which are put here, from the two files alone, and ABC answers them.

use crate::fuzz::{first_seed, number};
use crate::oracle::{problems, truth};
use prequel::engine::Engine;
use prequel::engine::lazy::Lazy;
use prequel::engine::otf::Otf;
use prequel::engine::quotient::Quotient;
use prequel::engine::symbolic::{Encoded, Method, Symbolic, Verdict};
use prequel::evidence::certificate::{Bounds, Certificate, CertifiedProof, reached};
use prequel::families::random_circuit::circuit;
use prequel::formats::aiger;
use prequel::formats::aiger::Form;
use prequel::formats::smtlib;
use prequel::model::run::{Limits, Run};
use prequel::model::{Aig, Answer, Bit, Circuit, Lit, LocationSet, Problem};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;

const UNSAT: &str = "unsat\nunsat\nunsat\n";

/// The solvers that are here, and how each is called.
fn solvers() -> Vec<(&'static str, &'static [&'static str])> {
    let known: [(&str, &[&str]); 2] = [("z3", &[]), ("cvc5", &["--incremental"])];
    let here = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success());
    let found: Vec<_> = known.into_iter().filter(|(name, _)| here(name)).collect();
    if found.is_empty() {
        eprintln!("skipped: neither z3 nor cvc5 is installed (`make tools`)");
    }
    found
}

/// What a solver says of a text.
fn said((name, options): (&str, &[&str]), text: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("c.smt2");
    std::fs::write(&file, text).expect("room for a file");
    let ended = Command::new(name).args(options).arg(&file).output().expect("it starts");
    String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr)
}

/// What a certificate leaves of the states, if there is one that says that nothing is reached.
fn set(problem: &Problem, engine: &dyn Engine) -> Option<LocationSet> {
    let run = Run::new(Limits::default(), 0);
    engine.accepts(problem).ok()?;
    let (Answer::True(evidence) | Answer::False(evidence)) = engine.solve(problem, &run) else { return None };
    let verdict = !problem.query.witness_shows();
    let proof = CertifiedProof::of(&problem.network, &evidence, run.needed());
    let certificate = Certificate::new(problem, "random", verdict, proof);
    Some(reached(problem, &certificate, &Bounds::from(100_000)).expect("the states can be counted"))
}

#[test]
fn solvers_accept_what_every_kind_of_proof_leaves() {
    let solvers = solvers();
    let engines: [Box<dyn Engine>; 4] = [
        Box::new(Otf::default()),
        Box::new(Lazy::default()),
        Box::new(Quotient::new(Otf::default())),
        Box::new(Symbolic::new(Method::Ic3)),
    ];
    let (first, wanted) = (first_seed(), number("PREQUEL_FUZZ_NETWORKS", 0) / 20 + 120);
    let mut asked = [0u64; 4];
    for seed in first.. {
        if asked.iter().sum::<u64>() >= wanted || solvers.is_empty() {
            break;
        }
        for problem in
            problems(seed).into_iter().filter(|problem| truth(problem).verdict != problem.query.witness_shows())
        {
            // One engine for each problem, each in turn.
            let at = (seed as usize + problem.query.kind().len()) % engines.len();
            let Some(set) = set(&problem, &*engines[at]) else { continue };
            let text = smtlib::network(&problem, "random", &set).expect("a question about reaching a state");
            for &solver in &solvers {
                assert_eq!(said(solver, &text), UNSAT, "seed {seed}, {}, {}", engines[at].name(), solver.0);
            }
            asked[at] += 1;
        }
    }
    println!("{asked:?} certificates of otf, lazy, quotient and ic3");
    assert!(solvers.is_empty() || asked.iter().all(|&asked| asked > 0), "{asked:?}");
}

#[test]
fn solvers_accept_invariants_of_circuits() {
    let (solvers, mut asked) = (solvers(), 0);
    for seed in first_seed()..first_seed() + number("PREQUEL_FUZZ_NETWORKS", 0) / 20 + 80 {
        let (circuit, run) = (circuit(seed), Run::new(Limits::default(), 0));
        let Ok(Verdict::Invariant(found)) = Symbolic::new(Method::Ic3).decide(&Arc::new(circuit.clone()), &run) else {
            continue;
        };
        let text = smtlib::circuit(&circuit, "random", (&found.aig, found.holds));
        for &solver in &solvers {
            assert_eq!(said(solver, &text), UNSAT, "seed {seed}, {}", solver.0);
            asked += 1;
        }
    }
    assert!(solvers.is_empty() || asked > 20, "{asked}");
}

/// A set without the first state shows nothing.
#[test]
fn solvers_reject_sets_that_are_wrong() {
    let (solvers, mut rejected) = (solvers(), 0);
    for seed in first_seed()..first_seed() + 60 {
        for problem in
            problems(seed).into_iter().filter(|problem| truth(problem).verdict != problem.query.witness_shows())
        {
            let Some(mut set) = set(&problem, &Otf::default()) else { continue };
            // Without the state in which everybody is at first.
            let components = problem.network.components();
            let mut here = Vec::new();
            for (bit, (c, place)) in set.bits.iter().enumerate().filter(|(_, (c, _))| c.at() < components.len()) {
                let first = components[c.at()].lts.initial().0 >> place & 1 == 1;
                here.push(set.aig.input(Bit(bit as u32).now()).negated_if(!first));
            }
            let here = set.aig.all(here);
            set.holds = set.aig.and(set.holds, !here);
            let text = smtlib::network(&problem, "random", &set).expect("a question about reaching a state");
            for &solver in &solvers {
                assert!(said(solver, &text).starts_with("sat\n"), "seed {seed}, {}", solver.0);
                rejected += 1;
            }
        }
    }
    assert!(solvers.is_empty() || rejected > 20, "{rejected}");
}

/// A file of a circuit, as its lines have it.
struct Gates {
    inputs: Vec<u64>,
    /// Own, next and first literal.
    latches: Vec<[u64; 3]>,
    bad: u64,
    ands: Vec<[u64; 3]>,
    symbols: Vec<String>,
}

impl Gates {
    fn of(text: &str) -> Self {
        let mut lines = text.lines();
        let mut next = || -> Vec<u64> {
            let words = lines.next().expect("another line").split(' ');
            words.filter(|word| *word != "aag").map(|word| word.parse().expect("a number")).collect()
        };
        let header = next();
        let rows = |count: u64, next: &mut dyn FnMut() -> Vec<u64>| (0..count).map(|_| next()).collect::<Vec<_>>();
        let inputs = rows(header[1], &mut next).into_iter().map(|row| row[0]).collect();
        let latch = |row: Vec<u64>| [row[0], row[1], row.get(2).copied().unwrap_or(0)];
        let latches = rows(header[2], &mut next).into_iter().map(latch).collect();
        let bad = rows(header[5], &mut next)[0][0];
        let ands = rows(header[4], &mut next).into_iter().map(|row| [row[0], row[1], row[2]]).collect();
        let symbols = lines.take_while(|line| *line != "c").map(str::to_owned).collect();
        Self { inputs, latches, bad, ands, symbols }
    }
}

/// A question without memory in BLIF: can all of these hold?
#[derive(Default)]
struct Blif {
    inputs: Vec<String>,
    gates: String,
    fresh: usize,
}

impl Blif {
    /// The gates of a file at a time; inputs and latches are those of all files at that time.
    fn copy(&mut self, file: &Gates, called: &str, time: u32) -> impl Fn(u64) -> String + use<> {
        let own: Vec<u64> = file.inputs.iter().copied().chain(file.latches.iter().map(|latch| latch[0])).collect();
        for input in own.iter().map(|literal| format!("x{literal}@{time}")) {
            if !self.inputs.contains(&input) {
                self.inputs.push(input);
            }
        }
        let called = called.to_owned();
        let name = move |variable: u64| match variable {
            0 => "zero".to_owned(),
            _ if own.contains(&variable) => format!("x{variable}@{time}"),
            _ => format!("{called}{variable}@{time}"),
        };
        for [gate, a, b] in &file.ands {
            let (out, row) = (name(*gate), format!("{}{}", 1 - a % 2, 1 - b % 2));
            writeln!(self.gates, ".names {} {} {out}\n{row} 1", name(a & !1), name(b & !1)).expect("memory takes it");
        }
        move |literal| if literal % 2 == 1 { format!("!{}", name(literal - 1)) } else { name(literal) }
    }

    /// That two things are the same, or, with `all`, that all of these hold.
    fn gate(&mut self, parts: &[String], rows: &[&str]) -> String {
        self.fresh += 1;
        let out = format!("t{}", self.fresh);
        let plain: Vec<&str> = parts.iter().map(|part| part.trim_start_matches('!')).collect();
        writeln!(self.gates, ".names {} {out}", plain.join(" ")).expect("memory takes it");
        for row in rows {
            let bit = |(part, bit): (&String, char)| {
                if part.starts_with('!') && bit != '-' { if bit == '1' { '0' } else { '1' } } else { bit }
            };
            let row: String = parts.iter().zip(row.chars()).map(bit).collect();
            writeln!(self.gates, "{row} 1").expect("memory takes it");
        }
        out
    }

    fn same(&mut self, a: String, b: String) -> String {
        self.gate(&[a, b], &["00", "11"])
    }

    fn all(&mut self, parts: &[String]) -> String {
        let first = if parts.is_empty() { "!zero".to_owned() } else { parts[0].clone() };
        parts.iter().skip(1).fold(first, |all, part| self.gate(&[all, part.clone()], &["11"]))
    }

    /// What ABC says.
    fn ask(mut self, parts: &[String]) -> bool {
        let asked = self.all(parts);
        let asked = self.gate(&[asked], &["1"]);
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(
            ".model question\n.inputs {}\n.outputs {asked}\n.names zero\n{}.end\n",
            self.inputs.join(" "),
            self.gates
        );
        std::fs::write(folder.path().join("q.blif"), &text).expect("room for a file");
        let ended = Command::new("berkeley-abc")
            .args(["-q", "read_blif q.blif; strash; iprove"])
            .current_dir(folder.path())
            .output();
        let said = String::from_utf8_lossy(&ended.expect("it starts").stdout).into_owned();
        assert!(said.contains("SATISFIABLE"), "{said}\n{text}");
        !said.contains("UNSATISFIABLE")
    }
}

/// Which of the five checks of a witness circuit fails, by their names.
fn failed(circuit: &str, witness: &str) -> Vec<&'static str> {
    let [circuit, witness] = [circuit, witness].map(Gates::of);
    let own = witness.inputs.iter().chain(witness.latches.iter().map(|latch| &latch[0]));
    let kinds = (0..witness.inputs.len())
        .map(|at| format!("i{at}"))
        .chain((0..witness.latches.len()).map(|at| format!("l{at}")));
    let symbols: Vec<String> = kinds.zip(own).map(|(kind, literal)| format!("{kind} = {literal}")).collect();
    assert_eq!(witness.symbols, symbols, "every input and latch is one of the circuit");
    let files = [&circuit, &witness];
    let firsts = |q: &mut Blif, file: usize, at: &dyn Fn(u64) -> String| {
        let first = |q: &mut Blif, latch: &[u64; 3]| {
            let value = if latch[2] == 1 { "!zero".to_owned() } else { "zero".to_owned() };
            q.same(at(latch[0]), value)
        };
        let firsts: Vec<String> = files[file].latches.iter().map(|latch| first(q, latch)).collect();
        q.all(&firsts)
    };
    let steps = |q: &mut Blif, file: usize, at: &dyn Fn(u64) -> String, then: &dyn Fn(u64) -> String| {
        let steps: Vec<String> = files[file].latches.iter().map(|l| q.same(then(l[0]), at(l[1]))).collect();
        q.all(&steps)
    };
    let not = |part: String| part.strip_prefix('!').map_or_else(|| format!("!{part}"), str::to_owned);
    let mut failed = Vec::new();
    for check in ["reset", "transition", "property", "base", "step"] {
        let mut q = Blif::default();
        let now = [q.copy(&circuit, "m", 0), q.copy(&witness, "w", 0)];
        let then = [q.copy(&circuit, "m", 1), q.copy(&witness, "w", 1)];
        let (bad, outside) = (now[0](circuit.bad), now[1](witness.bad));
        let parts = match check {
            "reset" => {
                let [own, other] = [0, 1].map(|file| firsts(&mut q, file, &now[file]));
                vec![own, not(other)]
            }
            "transition" => {
                let [own, other] = [0, 1].map(|file| steps(&mut q, file, &now[file], &then[file]));
                vec![own, not(other)]
            }
            "property" => vec![bad, not(outside)],
            "base" => vec![firsts(&mut q, 1, &now[1]), outside],
            _ => vec![not(outside), steps(&mut q, 1, &now[1], &then[1]), then[1](witness.bad)],
        };
        if q.ask(&parts) {
            failed.push(check);
        }
    }
    failed
}

fn as_file(circuit: &Circuit, set: Option<(&Aig, Lit)>) -> String {
    let mut text = Vec::new();
    match set {
        None => aiger::write(circuit, Form::Ascii, &mut text),
        Some(set) => aiger::witness(circuit, "random", set, Form::Ascii, &mut text),
    }
    .expect("memory takes it");
    String::from_utf8(text).expect("it is text")
}

#[test]
fn witness_circuits_pass_the_checks_of_hardware() {
    if Command::new("berkeley-abc").args(["-q", "quit"]).output().is_err() {
        eprintln!("skipped: berkeley-abc is not installed (`make tools`)");
        return;
    }
    let (mut passed, mut rejected) = (0, 0);
    for seed in first_seed()..first_seed() + number("PREQUEL_FUZZ_NETWORKS", 0) / 20 + 60 {
        let (circuit, run) = (circuit(seed), Run::new(Limits::default(), 0));
        let Ok(Verdict::Invariant(found)) = Symbolic::new(Method::Ic3).decide(&Arc::new(circuit.clone()), &run) else {
            continue;
        };
        let own = as_file(&circuit, None);
        assert_eq!(failed(&own, &as_file(&circuit, Some((&found.aig, found.holds)))), [""; 0], "seed {seed}");
        passed += 1;
        // All states, and none.
        if circuit.bad() != Lit::FALSE {
            for (set, check) in [(Lit::TRUE, "property"), (Lit::FALSE, "base")] {
                rejected += u64::from(failed(&own, &as_file(&circuit, Some((&found.aig, set)))).contains(&check));
            }
        }
    }
    // Sets of networks, whatever engine they come from.
    for seed in first_seed()..first_seed() + 25 {
        for problem in
            problems(seed).into_iter().filter(|problem| truth(problem).verdict != problem.query.witness_shows())
        {
            let Some(set) = set(&problem, &Otf::default()) else { continue };
            let encoded = Encoded::new(&problem).expect("a question about reaching a state");
            let (aig, holds) = encoded.function(&problem.network, &set);
            let own = as_file(&encoded.circuit, None);
            assert_eq!(failed(&own, &as_file(&encoded.circuit, Some((&aig, holds)))), [""; 0], "network {seed}");
            passed += 1;
        }
    }
    println!("{passed} witness circuits, {rejected} rejected");
    assert!(passed > 10 && rejected > 10, "{passed} {rejected}");
}
