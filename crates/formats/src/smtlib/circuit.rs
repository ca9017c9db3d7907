//! Sets of states of circuits.

use super::begin;
use super::script::{Script, all, not};
use prequel_model::{Aig, Bit, Circuit, Lit};

/// The obligations that show that a circuit reaches no bad state, by a set of its states.
pub fn circuit(circuit: &Circuit, query: &str, (aig, set): (&Aig, Lit)) -> Vec<u8> {
    let mut script = Script::default();
    begin(&mut script, &format!("They are about a circuit of {} bits.", circuit.bits), query);
    let variable = |bit: Bit, next: bool| format!("v{}{}", bit.0, if next { "+" } else { "" });
    for word in &circuit.words {
        let bits: Vec<String> = word.bits.iter().map(|&bit| variable(bit, false)).collect();
        script.comment(&format!("{}: {}, the lowest bit first", word.name, bits.join(" ")));
    }
    for bit in (0..circuit.bits).map(Bit) {
        script.declare(&variable(bit, false));
        script.declare(&variable(bit, true));
    }
    let input = |number: u32| {
        let (bit, next) = Bit::of(number);
        variable(bit, next)
    };
    script.comment("the circuit: what each part says of the first state and of a step, and the bad states");
    let (firsts, steps): (Vec<Lit>, Vec<Lit>) = circuit.parts.iter().map(|part| (part.initial, part.step)).unzip();
    let roots = [&firsts[..], &steps, &[circuit.bad()]].concat();
    let graph = script.graph(&circuit.aig, &roots, |gate| format!("g{gate}"), input);
    let terms = |functions: &[Lit]| functions.iter().map(|&f| graph.of(f)).collect::<Vec<_>>();
    script.define("first", &all(&terms(&firsts)));
    script.define("step", &all(&terms(&steps)));
    script.define("looked-for", &graph.of(circuit.bad()));
    script.comment("the set, of the state now and of the one after a step");
    for next in [false, true] {
        let mark = if next { "+" } else { "" };
        let graph =
            script.graph(aig, &[set], |gate| format!("s{gate}{mark}"), |number| variable(Bit::of(number).0, next));
        script.define(&format!("set{mark}"), &graph.of(set));
    }
    script.impossible("1. a first state outside of the set", ["first", &not("set")]);
    script.impossible("2. a step from the set to outside of it", ["set", "step", &not("set+")]);
    script.impossible("3. a state of the set that is looked for", ["set", "looked-for"]);
    script.finish()
}
