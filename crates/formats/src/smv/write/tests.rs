//! What is written is read back as the same behaviour, state by state.

use super::*;
use crate::smv;
use prequel_engine::symbolic::Encoded;
use prequel_families::random;
use prequel_families::random_circuit::{circuit, distance, valid};
use prequel_model::rng::Rng;
use prequel_model::{Part, Problem, Query};

fn written(circuit: &Circuit) -> String {
    let mut text = Vec::new();
    write(circuit, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn read(text: &str) -> Circuit {
    let read = smv::read("t.smv", text.as_bytes());
    read.unwrap_or_else(|errors| panic!("{text}\n{:?}", errors.iter().map(|e| e.render()).collect::<Vec<_>>())).0
}

/// Whether two circuits over the same variables begin, step and go wrong alike, wherever words have values.
fn alike(one: &Circuit, other: &Circuit) -> Result<(), String> {
    // Words may come in another order: by component.
    let mut place = vec![0; one.bits as usize];
    for word in &one.words {
        let same = |other: &&Word| (&other.name, &other.kind) == (&word.name, &word.kind);
        let again = other.words.iter().find(same).ok_or_else(|| format!("{word:?} is not in {:?}", other.words))?;
        word.bits.iter().zip(&again.bits).for_each(|(bit, again)| place[again.0 as usize] = bit.0);
    }
    if one.bits != other.bits {
        return Err(format!("{} bits beside {}", one.bits, other.bits));
    }
    let mut valid_at = one.clone();
    let valid: Vec<[Lit; 2]> =
        one.words.iter().map(|w| [false, true].map(|next| valid(&mut valid_at, w, next))).collect();
    let states = 1u64 << one.bits;
    for (now, next) in (0..states).flat_map(|now| (0..states).map(move |next| (now, next))) {
        let value = |input: u32| {
            let (bit, after) = Bit::of(input);
            (if after { next } else { now }) >> bit.0 & 1 == 1
        };
        if !valid_at.aig.values(&valid.concat(), value).into_iter().all(|v| v) {
            continue;
        }
        let said = |circuit: &Circuit, value: &dyn Fn(u32) -> bool| {
            let all = |f: fn(&Part) -> Lit| {
                circuit.aig.values(&circuit.parts.iter().map(f).collect::<Vec<_>>(), value).into_iter().all(|v| v)
            };
            (all(|part| part.initial), all(|part| part.step), circuit.aig.values(&[circuit.bad()], value))
        };
        let elsewhere = |input: u32| {
            let (bit, after) = Bit::of(input);
            let bit = Bit(place[bit.0 as usize]);
            value(if after { bit.next() } else { bit.now() })
        };
        let (before, again) = (said(one, &value), said(other, &elsewhere));
        if before != again {
            return Err(format!("{now:b} to {next:b}: {before:?} and {again:?}"));
        }
    }
    Ok(())
}

#[test]
fn random_circuits_come_back_as_they_were() {
    let mut rng = Rng::new(1);
    let mut asked = 0;
    while asked < 100 {
        let circuit = circuit(rng.next_u64());
        if circuit.bits > 5 {
            continue;
        }
        asked += 1;
        let text = written(&circuit);
        alike(&circuit, &read(&text)).unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
}

#[test]
fn networks_come_back_as_they_were() {
    let mut asked = 0;
    for seed in 0.. {
        let shape = random::Shape { components: 2, states: 3, labels: 3, degree: 2 };
        let network = random::network(seed, &shape);
        let goal = random::goal(&mut Rng::new(seed), &network);
        let query = if seed % 2 == 0 { Query::DeadlockFree } else { Query::Reach(goal) };
        let encoded = Encoded::new(&Problem { network, query }).unwrap();
        if encoded.circuit.bits > 6 {
            continue;
        }
        let text = written(&encoded.circuit);
        let again = read(&text);
        alike(&encoded.circuit, &again).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!(distance(&encoded.circuit), distance(&again));
        asked += 1;
        if asked == 20 {
            return;
        }
    }
}

#[test]
fn odd_names_wide_words_and_long_conditions_are_written_so_that_they_are_read() {
    let mut circuit = Circuit::default();
    let odd = circuit.word("a.b c", Kind::Truth);
    let same = circuit.word("a_b_c", Kind::Names(["next".into(), "1x".into(), "a.b c".into()].to_vec()));
    let wide = circuit.word("wide", Kind::Numbers(-5, 3000));
    let many: Vec<Word> = (0..1500).map(|n| circuit.word(format!("m{n}"), Kind::Truth)).collect();
    let all: Vec<Lit> = many.iter().map(|word| circuit.aig.input(word.bits[0].now())).collect();
    let nested = all.iter().fold(Lit::TRUE, |so_far, &f| {
        let both = circuit.aig.and(so_far, f);
        circuit.aig.xor(both, so_far)
    });
    let bits = [circuit.aig.input(wide.bits[3].now()), !circuit.aig.input(wide.bits[7].next())];
    let (all, step) = (circuit.aig.all(all), circuit.aig.all(bits));
    let (is, odd) = (circuit.is(&same, 2, false), circuit.aig.input(odd.bits[0].now()));
    let initial = circuit.aig.all([is, odd, all]);
    circuit.parts.push(Part { name: "MODULE".into(), initial, step });
    circuit.bad = Some(nested);
    let text = written(&circuit);
    let again = read(&text);
    assert_eq!(again.bits, circuit.bits);
    for row in 0..64u64 {
        let mut rng = Rng::new(row);
        let values: Vec<bool> = (0..2 * circuit.bits).map(|_| rng.chance(50)).collect();
        let value = |input: u32| match Bit::of(input).0.0 {
            // Words have values: `wide` and `a_b_c` have codes left over.
            bit if wide.bits[10..].iter().chain(&same.bits[..1]).any(|b| b.0 == bit) => false,
            bit if row < 32 && bit > 20 => true,
            _ => values[input as usize],
        };
        let said = |circuit: &Circuit| {
            let all = |f: fn(&Part) -> Lit| {
                circuit.aig.values(&circuit.parts.iter().map(f).collect::<Vec<_>>(), value).into_iter().all(|v| v)
            };
            (all(|part| part.initial), all(|part| part.step), circuit.aig.values(&[circuit.bad()], value))
        };
        assert_eq!(said(&circuit), said(&again), "{row}");
    }
}

#[test]
fn names_that_are_words_of_the_language_are_written_as_others() {
    let mut circuit = Circuit::default();
    for name in ["G", "AG", "next", "main", "count"] {
        let word = circuit.word(name, Kind::Truth);
        let (initial, step) = (circuit.is(&word, 0, false), circuit.stays(&word));
        circuit.parts.push(Part { name: name.into(), initial, step });
    }
    assert_eq!(read(&written(&circuit)).words.len(), 5);
}
