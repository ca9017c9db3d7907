//! How the cost of reading and exploring grows with size: `.aut` text, and the on-the-fly engine with and without reduction.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prequel::engine::Engine;
use prequel::engine::otf::{Otf, Search};
use prequel::families::find;
use prequel::formats::aut;
use prequel::model::run::{Limits, Run};
use prequel::model::{Goal, Labels, Problem, Query};
use std::fmt::Write as _;
use std::hint::black_box;

/// The whole state space, so that states per second can be compared between sizes.
fn exhaustive(c: &mut Criterion) {
    let mut group = c.benchmark_group("explore everything");
    group.sample_size(10);
    for (family, sizes) in [("philo", [8, 10, 12]), ("cyclic", [5, 6, 7])] {
        for size in sizes {
            let network = (find(family).expect("a family").build)(size, 0).network;
            let problem = Problem { network, query: Query::Reach(Goal::Or(vec![])) };
            for threads in [1, 2] {
                let explore = || {
                    let run = Run::new(Limits { threads, ..Limits::default() }, 0);
                    black_box(Otf { search: Search::Breadth, reduce: false }.solve(&problem, &run));
                    run.effort().states_total
                };
                group.throughput(Throughput::Elements(explore()));
                group.bench_function(BenchmarkId::new(format!("{family}, {threads} thread(s)"), size), |b| {
                    b.iter(explore)
                });
            }
        }
    }
}

/// A deadlock with stubborn sets: the cost of finding it grows with the number of philosophers, not with their product.
fn reduced(c: &mut Criterion) {
    let mut group = c.benchmark_group("find the deadlock with stubborn sets");
    group.sample_size(10);
    for size in [10, 20, 40, 80] {
        let network = (find("philo").expect("a family").build)(size, 0).network;
        let problem = Problem { network, query: Query::DeadlockFree };
        group.bench_function(BenchmarkId::new("philo", size), |b| {
            b.iter(|| black_box(Otf::default().solve(&problem, &Run::new(Limits::default(), 0))));
        });
    }
}

/// `.aut` text in memory, in bytes per second.
fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("read .aut");
    group.sample_size(10);
    for transitions in [10_000, 100_000, 1_000_000] {
        let states = transitions / 4;
        let mut text = format!("des (0,{transitions},{states})\n");
        for n in 0..transitions {
            let _ = writeln!(text, "({}, \"ACT_{} !{}\", {})", n / 4, n % 50, n % 7, (n * 31 + 1) % states);
        }
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(transitions), |b| {
            b.iter(|| {
                aut::read("bench", text.as_bytes(), &aut::Dialect::default(), &mut Labels::new()).expect("valid")
            });
        });
    }
}

criterion_group!(benches, exhaustive, reduced, reading);
criterion_main!(benches);
