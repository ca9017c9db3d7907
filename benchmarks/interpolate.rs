//! How refuting and interpolating grow with the length of the paths: an n-bit counter that does not reach its last value in k steps, each step
//! a part of its own. Both are timed, the refutation with its proof recorded and without, and the interpolants apart.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use prequel::model::{Aig, Bit, Lit};
use prequel::sat::{Encoder, Outcome, Solver};
use std::hint::black_box;

const BITS: u32 = 8;

/// That the counter counts: a bit changes when all lower ones are set and `in`, one more variable, is.
fn counts(aig: &mut Aig) -> Lit {
    let mut carry = aig.input(Bit(BITS).now());
    let mut bits = Vec::new();
    for bit in (0..BITS).map(Bit) {
        let (now, next) = (aig.input(bit.now()), aig.input(bit.next()));
        let sum = aig.xor(now, carry);
        bits.push(aig.equal(next, sum));
        carry = aig.and(now, carry);
    }
    aig.all(bits)
}

/// That all bits are `set`.
fn all(aig: &mut Aig, set: bool) -> Lit {
    let bits: Vec<Lit> = (0..BITS).map(|bit| aig.input(Bit(bit).now()).negated_if(!set)).collect();
    aig.all(bits)
}

/// The question whether the last value is reached after so many steps, from the first; it is not.
fn question(steps: u32, proofs: bool) -> Solver {
    let mut aig = Aig::default();
    let (first, step, last) = (all(&mut aig, false), counts(&mut aig), all(&mut aig, true));
    let mut solver = Solver::new(proofs);
    let wide = BITS as i32 + 1;
    for _ in 0..wide * (steps as i32 + 1) {
        solver.variable();
    }
    let mut demand = |part: u32, f: Lit, time: u32| {
        let at = move |_: &mut Solver, input: u32| {
            let (bit, next) = Bit::of(input);
            1 + bit.0 as i32 + wide * (time + u32::from(next)) as i32
        };
        Encoder::new(&aig, part).demand(&mut solver, f, &mut { at });
    };
    demand(0, first, 0);
    (0..steps).for_each(|time| demand(1 + time, step, time));
    demand(1 + steps, last, steps);
    solver
}

fn refuted(steps: u32, proofs: bool) -> Solver {
    let mut solver = question(steps, proofs);
    assert!(matches!(solver.solve(|| false), Outcome::Unsatisfiable), "it counts to {} in more steps", (1 << BITS) - 1);
    solver
}

fn interpolate(c: &mut Criterion) {
    let mut group = c.benchmark_group("interpolate");
    group.sample_size(10);
    for steps in [25, 50, 100] {
        group.bench_with_input(BenchmarkId::new("refute", steps), &steps, |b, &steps| {
            b.iter(|| refuted(black_box(steps), false));
        });
        group.bench_with_input(BenchmarkId::new("refute with proof", steps), &steps, |b, &steps| {
            b.iter(|| refuted(black_box(steps), true));
        });
        let solver = refuted(steps, true);
        group.bench_with_input(BenchmarkId::new("interpolants of all steps", steps), &solver, |b, solver| {
            b.iter(|| solver.interpolants().expect("a proof that replays"));
        });
    }
    group.finish();
}

criterion_group!(benches, interpolate);
criterion_main!(benches);
