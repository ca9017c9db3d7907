//! `make certificate-table`: what certificates cost. For families and engines: the time of the answer without a proof, with one, the size of
//! the certificate as it is written, and the time of its audit, all of the processor, and the states that engine and audit looked at.
//! Only answers that nothing is reached are shown; a witness is replayed step by step.

use prequel_engine::Engine;
use prequel_engine::conflict::Conflict;
use prequel_engine::icc::Icc;
use prequel_engine::lazy::Lazy;
use prequel_engine::learn::Learn;
use prequel_engine::minimise::Minimise;
use prequel_engine::otf::Otf;
use prequel_engine::quotient::Quotient;
use prequel_engine::symbolic::{Method, Symbolic};
use prequel_evidence::certificate::{Certificate, CertifiedProof, Proof, check};
use prequel_formats::certificate;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Evidence, Problem};
use std::time::{Duration, Instant};

/// Families with sizes.
const MODELS: [(&str, usize); 10] = [
    ("cyclic", 40),
    ("philo-dict", 8),
    ("token-ring", 30),
    ("dac", 30),
    ("lann", 6),
    ("gas-station", 3),
    ("lamport", 3),
    ("szymanski", 3),
    ("transit", 6),
    ("line", 10),
];

/// Seconds for one answer.
const SECONDS: u64 = 4;
/// Seconds of the processor after which a time can be told.
const ENOUGH: f64 = 0.2;

fn main() {
    println!(
        "model, question | engine | answer s | with proof s | bytes | audit s | audit/answer | states | audited | proof"
    );
    let (mut worst, mut shown) = (0.0f64, 0);
    for (family, size) in MODELS {
        let instance = (prequel_families::find(family).expect("a family").build)(size, 0);
        for asked in instance.queries {
            let problem = Problem { network: instance.network.clone(), query: asked.query };
            for (name, engine) in engines() {
                if engine.accepts(&problem).is_err() {
                    continue;
                }
                let Some(row) = Row::of(&problem, &*engine) else { continue };
                // What is too fast cannot be compared.
                let ratio = row.audit / row.answer.max(0.001);
                if row.proof != Proof::None {
                    worst = worst.max(ratio);
                    shown += 1;
                }
                println!(
                    "{family} {size}, {} | {name} | {:.4} | {:.4} | {} | {:.4} | {ratio:.2} | {} | {} | {}",
                    asked.text,
                    row.answer,
                    row.proving,
                    row.bytes,
                    row.audit,
                    row.states,
                    row.audited,
                    row.proof.word()
                );
            }
        }
    }
    println!(
        "{shown} answers with a proof; the longest audit takes {worst:.2} times as long as its answer (of 1 ms at least)"
    );
}

fn engines() -> Vec<(&'static str, Box<dyn Engine>)> {
    let mut search = Icc::default();
    search.set("level", "0").expect("an option");
    vec![
        ("icc", Box::new(Icc::default())),
        ("icc level=0", Box::new(search)),
        ("minimise", Box::new(Minimise::default())),
        ("learn", Box::new(Learn)),
        ("lazy", Box::new(Lazy::default())),
        ("quotient", Box::new(Quotient::new(Otf::default()))),
        ("ic3", Box::new(Symbolic::new(Method::Ic3))),
        ("conflict", Box::new(Conflict::default())),
    ]
}

struct Row {
    answer: f64,
    proving: f64,
    bytes: usize,
    audit: f64,
    states: u64,
    audited: usize,
    proof: Proof,
}

impl Row {
    /// None where there is no answer, or a witness.
    fn of(problem: &Problem, engine: &dyn Engine) -> Option<Self> {
        // Once, to see whether there is an answer.
        solve(problem, engine, false).0?;
        let (answer, (_, states)) = timed(|| solve(problem, engine, false));
        let (proving, (found, _)) = timed(|| solve(problem, engine, true));
        let proof = CertifiedProof::of(&problem.network, &found?, None);
        let certificate = Certificate::new(problem, "", !problem.query.witness_shows(), proof);
        let text = certificate.to_json();
        let proof = certificate.proof.kind();
        if proof == Proof::None {
            return Some(Self { answer, proving, bytes: text.len(), audit: 0.0, states, audited: 0, proof });
        }
        let (audit, audited) = timed(|| {
            let (file, _) = certificate::read("c.json", &text).expect("it was written by us");
            check(problem, &Certificate::try_from(file).expect("it was written by us"), usize::MAX)
        });
        let audited = audited.unwrap_or_else(|why| panic!("{}: {why}", engine.name()));
        Some(Self { answer, proving, bytes: text.len(), audit, states, audited, proof })
    }
}

/// The evidence that nothing is reached, and how many states were explored.
fn solve(problem: &Problem, engine: &dyn Engine, proves: bool) -> (Option<Evidence>, u64) {
    let run = Run::new(Limits { time: Some(Duration::from_secs(SECONDS)), ..Limits::default() }, 0);
    if proves {
        run.prove();
    }
    match engine.solve(problem, &run) {
        Answer::True(Evidence::Witness(_)) | Answer::False(Evidence::Witness(_)) | Answer::Unknown(_) => (None, 0),
        Answer::True(evidence) | Answer::False(evidence) => (Some(evidence), run.effort().states_total),
    }
}

/// The time of the processor that some work takes, done until that can be told, and what it gives.
fn timed<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let (began, clock) = (processor(), Instant::now());
    let mut times = 0;
    loop {
        let found = work();
        times += 1;
        let took = processor().zip(began).map_or_else(|| clock.elapsed().as_secs_f64(), |(now, began)| now - began);
        if took >= ENOUGH || clock.elapsed() > Duration::from_secs(SECONDS) {
            return (took / f64::from(times), found);
        }
    }
}

/// Seconds that the program has had, threads that have ended included, where the system tells: in hundredths.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let ticks = |at: usize| after_name.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
