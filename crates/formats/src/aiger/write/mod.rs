//! AIGER out: a circuit as an and-inverter graph with latches, in ASCII or binary.
//!
//! A variable whose next value is a function of the state is a latch with this function. Where components only say which steps are
//! allowed, the next values are free inputs, called `next x`, and the latch takes them over. A latch `ok`, which is 1 at first, records that all
//! steps so far were allowed and that the first state was one; a latch `later` tells the first state from the others. A state is
//! bad where the circuit says so and `ok` still holds. So a path of the file to a bad state is one of the circuit, and the other way
//! round, step by step. A latch `x` that can be anything at first is 0 in the file, and an input `first x` is read in its place in the
//! first state: not all programs know latches without a first value. There is always an input: some programs cannot do without.
//!
//! A set of states that is not left is written as a *witness circuit*: the same inputs and latches, with the states outside of the set
//! as the bad ones. Each is called `= 6` after its literal in the file of the circuit, so that programs that check certificates of
//! hardware know which is which. Where steps are recorded, a state is outside only if all steps so far were allowed.

mod latches;

use latches::Latches;
use prequel_model::{Aig, Bit, Circuit, Kind, Lit, Node};
use rustc_hash::FxHashMap;
use std::io::{self, Write};

/// Which form of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Lines of numbers: `.aag`.
    Ascii,
    /// The gates in binary: `.aig`.
    Binary,
}

/// A latch as it is written.
struct Latch {
    name: String,
    bit: Bit,
    next: Lit,
    reset: bool,
}

/// A graph with the inputs, latches and the one bad function of a file.
struct File {
    aig: Aig,
    /// Names and numbers of inputs of the graph.
    inputs: Vec<(String, u32)>,
    latches: Vec<Latch>,
    bad: Option<Lit>,
    /// Lines before the last one.
    about: Vec<String>,
}

/// Writes a circuit.
pub fn write(circuit: &Circuit, form: Form, out: &mut impl Write) -> io::Result<()> {
    file(circuit, None).write(form, out)
}

/// Writes the witness circuit of a set that a circuit does not leave. `about` says in a line what was asked.
pub fn witness(circuit: &Circuit, about: &str, set: (&Aig, Lit), form: Form, out: &mut impl Write) -> io::Result<()> {
    let mut file = file(circuit, Some(set));
    let names =
        file.inputs.iter_mut().map(|(name, _)| name).chain(file.latches.iter_mut().map(|latch| &mut latch.name));
    names.enumerate().for_each(|(at, name)| *name = format!("= {}", 2 * (at + 1)));
    file.about = vec![format!("WITNESS b0 {}", plain(about))];
    file.write(form, out)
}

/// A name in one line.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What a variable is called.
fn names(circuit: &Circuit) -> FxHashMap<Bit, String> {
    let of = |word: &prequel_model::Word| {
        let name = plain(&word.name);
        let bit = |(at, &bit): (usize, &Bit)| match word.kind {
            Kind::Truth => (bit, name.clone()),
            _ => (bit, format!("{name}[{at}]")),
        };
        word.bits.iter().enumerate().map(bit).collect::<Vec<_>>()
    };
    circuit.words.iter().flat_map(of).collect()
}

/// The file of a circuit; its bad states are those outside of a set, if there is one.
fn file(circuit: &Circuit, set: Option<(&Aig, Lit)>) -> File {
    let names = names(circuit);
    let name = |bit: Bit| names.get(&bit).cloned().unwrap_or_else(|| format!("x{}", bit.0));
    let Latches { aig: source, next, reset, initial, steps, always } = Latches::of(circuit);
    // Variables of our own come behind those of the circuit; the last ones are the first values of latches that have none.
    let [ok, later, unused] = [0, 1, 2].map(|at| Bit(circuit.bits + at));
    let first = |bit: Bit| Bit(circuit.bits + 3 + bit.0).now();
    let open = |bit: Bit| next.contains_key(&bit) && !reset.contains_key(&bit);
    let bits = || (0..circuit.bits).map(Bit);
    let free = bits().filter(|bit| !next.contains_key(bit)).map(|bit| (name(bit), bit.now()));
    let chosen =
        bits().filter(|bit| next.get(bit) == Some(&None)).map(|bit| (format!("next {}", name(bit)), bit.next()));
    let opened = bits().filter(|&bit| open(bit)).map(|bit| (format!("first {}", name(bit)), first(bit)));
    let mut inputs: Vec<(String, u32)> = free.chain(chosen).chain(opened).collect();
    if inputs.is_empty() {
        inputs.push(("unused".into(), unused.now()));
    }

    let mut aig = Aig::default();
    let copy_of = |source: &Aig, functions: &[Lit], aig: &mut Aig| {
        source.copy(functions, aig, |aig, input| match Bit::of(input) {
            (bit, false) if open(bit) => {
                let (later, now, first) = (aig.input(later.now()), aig.input(input), aig.input(first(bit)));
                aig.choose(later, now, first)
            }
            _ => aig.input(input),
        })
    };
    let copy = |functions: &[Lit], aig: &mut Aig| copy_of(&source, functions, aig);
    let latched: Vec<(Bit, Option<Lit>)> = bits().filter_map(|bit| Some((bit, *next.get(&bit)?))).collect();
    let functions: Vec<Lit> = latched.iter().filter_map(|(_, function)| *function).collect();
    let mut functions = copy(&functions, &mut aig).into_iter();
    let mut latches: Vec<Latch> = Vec::new();
    for (bit, function) in latched {
        let next = match function {
            Some(_) => functions.next().expect("each was copied"),
            None => aig.input(bit.next()),
        };
        latches.push(Latch { name: name(bit), bit, next, reset: reset.get(&bit).copied().unwrap_or(false) });
    }
    let mut here = copy(&always, &mut aig);
    if initial != Lit::TRUE {
        let (is_later, initial) = (aig.input(later.now()), copy(&[initial], &mut aig)[0]);
        here.push(aig.or(is_later, initial));
    }
    if initial != Lit::TRUE || bits().any(open) {
        latches.push(Latch { name: "later".into(), bit: later, next: Lit::TRUE, reset: false });
    }
    let recorded = steps != Lit::TRUE || !here.is_empty();
    if recorded {
        here.push(aig.input(ok.now()));
    }
    let here = aig.all(here);
    if recorded {
        let steps = copy(&[steps], &mut aig)[0];
        let next = aig.and(here, steps);
        latches.push(Latch { name: "ok".into(), bit: ok, next, reset: true });
    }
    let bad = match set {
        Some((source, set)) => Some(!copy_of(source, &[set], &mut aig)[0]),
        None => circuit.bad.map(|bad| copy(&[bad], &mut aig)[0]),
    };
    let bad = bad.map(|bad| aig.and(here, bad));
    File { aig, inputs, latches, bad, about: Vec::new() }
}

impl File {
    fn write(&self, form: Form, out: &mut impl Write) -> io::Result<()> {
        let roots: Vec<Lit> = self.latches.iter().map(|latch| latch.next).chain(self.bad).collect();
        let cone = self.aig.cone(&roots);
        // Variables: inputs, latches, gates, in this order.
        let mut variable: FxHashMap<u32, u64> = FxHashMap::default();
        let own = self.inputs.iter().map(|(_, input)| *input).chain(self.latches.iter().map(|latch| latch.bit.now()));
        for (at, input) in own.enumerate() {
            variable.insert(input, at as u64 + 1);
        }
        let first = variable.len() as u64 + 1;
        let mut of_node: FxHashMap<usize, u64> = FxHashMap::default();
        let mut gates = Vec::new();
        for &node in &cone {
            let number = match self.aig.nodes()[node] {
                Node::False => 0,
                Node::Input(input) => variable[&input],
                Node::And(a, b) => {
                    gates.push((a, b));
                    first + gates.len() as u64 - 1
                }
            };
            of_node.insert(node, number);
        }
        let literal = |f: Lit| 2 * of_node[&f.node()] + u64::from(f.is_negated());
        let word = if form == Form::Ascii { "aag" } else { "aig" };
        let (inputs, latches, bad) = (self.inputs.len(), self.latches.len(), usize::from(self.bad.is_some()));
        writeln!(out, "{word} {} {inputs} {latches} 0 {} {bad}", inputs + latches + gates.len(), gates.len())?;
        if form == Form::Ascii {
            (0..inputs).try_for_each(|at| writeln!(out, "{}", 2 * (at + 1)))?;
        }
        for (at, latch) in self.latches.iter().enumerate() {
            if form == Form::Ascii {
                write!(out, "{} ", 2 * (inputs + at + 1))?;
            }
            let reset = if latch.reset { " 1" } else { "" };
            writeln!(out, "{}{reset}", literal(latch.next))?;
        }
        if let Some(bad) = self.bad {
            writeln!(out, "{}", literal(bad))?;
        }
        for (at, &(a, b)) in gates.iter().enumerate() {
            let (own, a, b) = (2 * (first + at as u64), literal(a), literal(b));
            let (a, b) = (a.max(b), a.min(b));
            match form {
                Form::Ascii => writeln!(out, "{own} {a} {b}")?,
                Form::Binary => [own - a, a - b].into_iter().try_for_each(|delta| number(delta, out))?,
            }
        }
        for (at, (name, _)) in self.inputs.iter().enumerate() {
            writeln!(out, "i{at} {name}")?;
        }
        for (at, latch) in self.latches.iter().enumerate() {
            writeln!(out, "l{at} {}", latch.name)?;
        }
        writeln!(out, "c")?;
        self.about.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "written by prequel")
    }
}

/// A number in groups of seven bits, the lowest first.
fn number(mut number: u64, out: &mut impl Write) -> io::Result<()> {
    while number >= 0x80 {
        out.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}

#[cfg(test)]
mod tests;
