//! Random circuits by seed: components that say how their variables change, or something about it, over words of every kind.

use prequel_model::rng::Rng;
use prequel_model::{Bit, Circuit, Kind, Lit, Part, Word};

/// A random circuit of a few bits. Words stay within their values; some variables are free, some steps are only restricted, some
/// first states are open, and some conditions hold always.
pub fn circuit(seed: u64) -> Circuit {
    let mut rng = Rng::new(seed);
    let mut circuit = Circuit::default();
    let parts = rng.between(1, 4);
    let mut owned: Vec<Vec<Word>> = Vec::new();
    for part in 0..parts {
        let words = (0..rng.between(1, 2)).map(|at| {
            let kind = match rng.below(5) {
                0 => Kind::Numbers(rng.below(5) as i64 - 2, rng.below(3) as i64 + 3),
                1 => Kind::Names(["idle", "busy", "late"].map(Into::into).to_vec()),
                _ => Kind::Truth,
            };
            // Some are called after their component.
            let owner = if at == 0 { format!("part{part}.") } else { String::new() };
            circuit.word(format!("{owner}x{part}{at}"), kind)
        });
        owned.push(words.collect());
    }
    let bits = circuit.bits;
    for (at, words) in owned.iter().enumerate() {
        let (mut initial, mut step) = (Vec::new(), Vec::new());
        for word in words {
            initial.push(valid(&mut circuit, word, false));
            step.push(valid(&mut circuit, word, true));
            for bit in &word.bits {
                let next = circuit.aig.input(bit.next());
                let f = function(&mut rng, &mut circuit, bits, 2);
                // Of words with values left over a function could leave them: then nothing is possible, which is allowed.
                match rng.below(10) {
                    0 | 1 => {}
                    2 | 3 => step.push(circuit.aig.implies(next, f)),
                    4 => step.push(next.negated_if(rng.chance(50))),
                    _ => step.push(circuit.aig.equal(next, f)),
                }
                if rng.chance(80) {
                    initial.push(circuit.aig.input(bit.now()).negated_if(rng.chance(80)));
                }
            }
        }
        if rng.chance(20) {
            initial.push(function(&mut rng, &mut circuit, bits, 1));
        }
        let (initial, step) = (circuit.aig.all(initial), circuit.aig.all(step));
        circuit.parts.push(Part { name: format!("part{at}").into(), initial, step });
    }
    let bad: Vec<Lit> = (0..rng.between(1, 3)).map(|_| function(&mut rng, &mut circuit, bits, 1)).collect();
    circuit.bad = Some(circuit.aig.all(bad));
    circuit
}

/// That the bits of a word are one of its values.
pub fn valid(circuit: &mut Circuit, word: &Word, next: bool) -> Lit {
    let values = match &word.kind {
        Kind::Truth => 2,
        Kind::Numbers(first, last) => last.abs_diff(*first) + 1,
        Kind::Names(names) => names.len() as u64,
    };
    let others: Vec<Lit> = (values..1 << word.bits.len()).map(|code| !circuit.is(word, code, next)).collect();
    circuit.aig.all(others)
}

fn function(rng: &mut Rng, circuit: &mut Circuit, bits: u32, depth: u32) -> Lit {
    if depth == 0 || rng.chance(15) {
        return circuit.aig.input(Bit(rng.below(bits as usize) as u32).now()).negated_if(rng.chance(50));
    }
    let (a, b) = (function(rng, circuit, bits, depth - 1), function(rng, circuit, bits, depth - 1));
    match rng.below(5) {
        0 => circuit.aig.xor(a, b),
        1 | 2 => circuit.aig.or(a, b),
        _ => circuit.aig.and(a, b),
    }
}

/// Whether functions of a state, or of two, all hold.
pub fn holds(circuit: &Circuit, mut functions: impl Iterator<Item = Lit>, now: u64, next: u64) -> bool {
    let value = |input: u32| {
        let (bit, after) = Bit::of(input);
        (if after { next } else { now }) >> bit.0 & 1 == 1
    };
    functions.all(|f| circuit.aig.values(&[f], value)[0])
}

/// How many steps the nearest bad state is away, state by state; none where it is not reached.
pub fn distance(circuit: &Circuit) -> Option<u32> {
    let states = 1u64 << circuit.bits;
    let all = |f: fn(&Part) -> Lit, now: u64, next: u64| holds(circuit, circuit.parts.iter().map(f), now, next);
    let mut seen: Vec<bool> = (0..states).map(|s| all(|part| part.initial, s, s)).collect();
    let mut ring: Vec<u64> = (0..states).filter(|&s| seen[s as usize]).collect();
    for distance in 0.. {
        if ring.iter().any(|&s| holds(circuit, [circuit.bad()].into_iter(), s, s)) {
            return Some(distance);
        }
        let mut next = Vec::new();
        for t in 0..states {
            if !seen[t as usize] && ring.iter().any(|&s| all(|part| part.step, s, t)) {
                seen[t as usize] = true;
                next.push(t);
            }
        }
        if next.is_empty() {
            return None;
        }
        ring = next;
    }
    unreachable!("the rings come to an end")
}
