//! A Boolean system while it is written down: variables first, then how they change.

use super::{BooleanSystem, Property};
use prequel_model::{Circuit, Kind, Lit, Part, Word};

/// The components so far; what each says of the first state and of a step.
#[derive(Debug, Default)]
pub struct Draft {
    circuit: Circuit,
    parts: Vec<(String, Vec<Lit>, Vec<Lit>)>,
    properties: Vec<Property>,
}

/// A component, by its place.
#[derive(Clone, Copy, Debug)]
pub struct Of(usize);

impl Draft {
    /// A component.
    pub fn part(&mut self, name: impl Into<String>) -> Of {
        self.parts.push((name.into(), Vec::new(), Vec::new()));
        Of(self.parts.len() - 1)
    }

    fn called(&self, of: Of, name: &str) -> String {
        format!("{}.{name}", self.parts[of.0].0)
    }

    /// A variable of a component that is one of these, at first the first of them.
    pub fn names(&mut self, of: Of, name: &str, values: &[&str]) -> Word {
        let kind = Kind::Names(values.iter().map(|&value| value.into()).collect());
        self.starts(of, name, kind, 0)
    }

    /// A number below `many`, at first 0.
    pub fn number(&mut self, of: Of, name: &str, many: usize) -> Word {
        self.starts(of, name, Kind::Numbers(0, many as i64 - 1), 0)
    }

    /// A truth value that is this at first.
    pub fn truth(&mut self, of: Of, name: &str, first: bool) -> Word {
        self.starts(of, name, Kind::Truth, u64::from(first))
    }

    fn starts(&mut self, of: Of, name: &str, kind: Kind, first: u64) -> Word {
        let word = self.circuit.word(self.called(of, name), kind);
        let initial = self.circuit.is(&word, first, false);
        self.parts[of.0].1.push(initial);
        word
    }

    /// A truth value of a component that is anything, at first and after every step.
    pub fn free(&mut self, of: Of, name: &str) -> Lit {
        let word = self.open(of, name);
        self.circuit.aig.input(word.bits[0].now())
    }

    /// A truth value of a component that is anything at first, and of which nothing else is said yet.
    pub fn open(&mut self, of: Of, name: &str) -> Word {
        self.circuit.word(self.called(of, name), Kind::Truth)
    }

    /// A number below `many` that is anything, at first and after every step.
    pub fn free_number(&mut self, of: Of, name: &str, many: usize) -> Word {
        self.circuit.word(self.called(of, name), Kind::Numbers(0, many as i64 - 1))
    }

    /// That a variable has a value.
    pub fn is(&mut self, word: &Word, value: usize) -> Lit {
        self.circuit.is(word, value as u64, false)
    }

    /// All of them.
    pub fn all(&mut self, all: impl IntoIterator<Item = Lit>) -> Lit {
        self.circuit.aig.all(all)
    }

    /// One of them at least.
    pub fn any(&mut self, any: impl IntoIterator<Item = Lit>) -> Lit {
        self.circuit.aig.any(any)
    }

    /// How a variable changes: to the value of the first case that holds; it stays where none does.
    pub fn next(&mut self, of: Of, word: &Word, cases: &[(Lit, usize)]) {
        let bits = |value: usize, at: usize| if value >> at & 1 == 1 { Lit::TRUE } else { Lit::FALSE };
        let cases: Vec<(Lit, Vec<Lit>)> = cases
            .iter()
            .map(|&(case, value)| (case, (0..word.bits.len()).map(|at| bits(value, at)).collect()))
            .collect();
        self.moves(of, word, &cases);
    }

    /// The same where values may be those of other variables.
    pub fn moves(&mut self, of: Of, word: &Word, cases: &[(Lit, Vec<Lit>)]) {
        for (at, bit) in word.bits.iter().enumerate() {
            let aig = &mut self.circuit.aig;
            let mut value = aig.input(bit.now());
            for (case, then) in cases.iter().rev() {
                value = aig.choose(*case, then[at], value);
            }
            let next = aig.input(bit.next());
            let step = aig.equal(next, value);
            self.parts[of.0].2.push(step);
        }
    }

    /// The bits of a variable, as another one can take them.
    pub fn bits(&mut self, word: &Word) -> Vec<Lit> {
        word.bits.iter().map(|bit| self.circuit.aig.input(bit.now())).collect()
    }

    /// Claims that these states are not reached.
    pub fn never(&mut self, name: impl Into<String>, bad: Lit) {
        self.properties.push(Property { name: name.into(), bad });
    }

    /// The system.
    pub fn finish(mut self) -> BooleanSystem {
        for (name, initial, step) in self.parts {
            let (initial, step) = (self.circuit.aig.all(initial), self.circuit.aig.all(step));
            self.circuit.parts.push(Part { name: name.into(), initial, step });
        }
        BooleanSystem { circuit: self.circuit, properties: self.properties }
    }
}
