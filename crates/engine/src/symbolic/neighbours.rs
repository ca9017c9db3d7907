//! Who is near to whom: a path that some components rule out is ruled out, whatever the others do. So those near to what matters are
//! asked first, and what is far away only where these allow the path.

use prequel_model::{Bit, Circuit, Lit};

/// Which components speak of the same variables.
pub struct Neighbours {
    /// The variables of each component.
    bits: Vec<Vec<Bit>>,
    /// The components of each variable.
    parts: Vec<Vec<usize>>,
}

impl Neighbours {
    /// Of a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        let mut parts = vec![Vec::new(); circuit.bits as usize];
        let bits: Vec<Vec<Bit>> = circuit.parts.iter().map(|part| bits(circuit, part.step)).collect();
        for (part, bits) in bits.iter().enumerate() {
            bits.iter().for_each(|bit| parts[bit.0 as usize].push(part));
        }
        Self { bits, parts }
    }

    /// The components that speak of variables of the bad states.
    pub fn asked(&self, circuit: &Circuit) -> Vec<usize> {
        self.of(&bits(circuit, circuit.bad()))
    }

    fn of(&self, bits: &[Bit]) -> Vec<usize> {
        let mut found: Vec<usize> = bits.iter().flat_map(|bit| &self.parts[bit.0 as usize]).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// These and their neighbours; all components where they have none.
    pub fn wider(&self, parts: &[usize]) -> Vec<usize> {
        let seen: Vec<Bit> = parts.iter().flat_map(|&part| self.bits[part].iter().copied()).collect();
        let wider = self.of(&seen);
        // Who speaks of nothing that others do cannot be reached from them.
        if wider.len() <= parts.len() { (0..self.bits.len()).collect() } else { wider }
    }
}

fn bits(circuit: &Circuit, f: Lit) -> Vec<Bit> {
    let mut bits: Vec<Bit> = circuit.aig.support(f).into_iter().map(|input| Bit::of(input).0).collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}
