//! How reading grows with the text: .aut by transitions, Promela and DVE by processes.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prequel::formats::{aut, dve, promela};
use prequel::model::Labels;
use prequel::model::rng::Rng;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

fn aut_text(transitions: usize) -> String {
    let (states, mut rng) = (transitions / 4, Rng::new(1));
    let mut text = format!("des (0, {transitions}, {states})\n");
    for _ in 0..transitions {
        let (from, to) = (rng.below(states), rng.below(states));
        let _ = writeln!(text, "({from}, \"send !{} !{}\", {to})", rng.below(20), rng.below(20));
    }
    text
}

fn promela_text(processes: usize) -> String {
    let mut text =
        String::from("#define MOST 5\nmtype = { ask, answer };\nchan wire = [2] of { mtype, byte };\nbyte total;\n");
    for n in 0..processes {
        let _ = writeln!(
            text,
            "active proctype p{n}() {{ byte x = {}; do :: wire!ask(x) -> x++ :: wire?answer(x) -> atomic {{ total = total + x; x = 0 }} \
             :: x > MOST -> break od; if :: total >= x -> assert(total < 200) :: else -> skip fi }}",
            n % 7
        );
    }
    text
}

fn dve_text(processes: usize) -> String {
    let mut text = String::from("byte turn;\nchannel c;\n");
    for n in 0..processes {
        let _ = writeln!(
            text,
            "process P{n} {{ byte x = 0; state a, b, c; init a; trans a -> b {{ guard turn == {}; effect x = x + 1; }}, b -> c {{ sync c!; }}, \
             b -> c {{ sync c?; }}, c -> a {{ effect turn = (turn + 1) % {processes}; }}; }}",
            n % 5
        );
    }
    text + "system async;\n"
}

fn parse(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    group.sample_size(10);
    for size in [1_000, 10_000, 100_000] {
        let text = aut_text(size);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("aut", size), text.as_bytes(), |b, text| {
            b.iter(|| {
                aut::read("m.aut", black_box(text), &aut::Dialect::default(), &mut Labels::default())
                    .expect("it is well formed")
            });
        });
    }
    for size in [10, 100, 1_000] {
        let text = promela_text(size);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("promela", size), text.as_bytes(), |b, text| {
            b.iter(|| promela::read("m.pml", black_box(text), Path::new("."), &[]).expect("it is well formed"));
        });
        let text = dve_text(size);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("dve", size), text.as_bytes(), |b, text| {
            b.iter(|| dve::read("m.dve", black_box(text)).expect("it is well formed"));
        });
    }
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
