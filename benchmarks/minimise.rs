//! How minimisation grows with the system: products of independent cells, and random systems.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prequel::engine::algo::bisimulation::{Bisimulation, quotient};
use prequel::model::rng::Rng;
use prequel::model::{LabelId, Lts, StateId, Transition};
use std::hint::black_box;

const KINDS: [(&str, Bisimulation); 4] = [
    ("strong", Bisimulation::Strong),
    ("branching", Bisimulation::Branching),
    ("dp-branching", Bisimulation::DpBranching),
    ("weak", Bisimulation::Weak),
];

/// The product of independent cells, each a ring of `size` states: `size^cells` states with `cells` edges each.
///
/// Every `hide`-th step of a ring is hidden; the others have a label of their own.
fn cells(cells: u32, size: u32, hide: u32) -> Lts {
    let states = size.pow(cells);
    let mut transitions = Vec::with_capacity((states * cells) as usize);
    for s in 0..states {
        let mut weight = 1;
        for cell in 0..cells {
            let local = s / weight % size;
            let label = if local.is_multiple_of(hide) { LabelId::TAU } else { LabelId(1 + cell * size + local) };
            transitions.push(Transition::new(s, label, s - local * weight + (local + 1) % size * weight));
            weight *= size;
        }
    }
    Lts::new(StateId(0), states as usize, transitions)
}

/// Three edges a state to anywhere, one in seven silent, five labels.
fn random(states: u32) -> Lts {
    let mut rng = Rng::new(1);
    let transitions = (0..3 * states)
        .map(|n| {
            let label = if rng.chance(15) { LabelId::TAU } else { LabelId::new(rng.between(1, 5)) };
            Transition::new(n / 3, label, rng.below(states as usize) as u32)
        })
        .collect();
    Lts::new(StateId(0), states as usize, transitions)
}

fn minimise(c: &mut Criterion) {
    let systems = [
        ("cells, every 3rd step hidden", [cells(3, 12, 3), cells(4, 12, 3), cells(5, 12, 3)]),
        ("cells, every 2nd step hidden", [cells(3, 12, 2), cells(4, 12, 2), cells(5, 12, 2)]),
        ("random", [random(3_000), random(30_000), random(300_000)]),
    ];
    for (family, sizes) in &systems {
        let mut group = c.benchmark_group(*family);
        group.sample_size(10);
        for lts in sizes {
            group.throughput(Throughput::Elements(lts.num_transitions() as u64));
            for (name, kind) in KINDS {
                group.bench_with_input(BenchmarkId::new(name, lts.num_states()), lts, |b, lts| {
                    b.iter(|| quotient(black_box(lts), kind).expect("small enough"));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, minimise);
criterion_main!(benches);
