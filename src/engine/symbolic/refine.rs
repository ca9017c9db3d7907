//! Interpolants as assumptions: Algorithms 1, 2 and 4 of the paper.

use super::bounded::{Bounded, Refuted, bounded};
use super::check::{Checker, Found};
use super::{Verdict, Work};
use crate::model::{Aig, Bit, Circuit, Lit, Why};

/// A group of components and what is assumed of its steps.
struct Group {
    parts: Vec<usize>,
    /// All of these hold of a step: what the components say themselves, or interpolants.
    hat: Vec<Lit>,
    /// Whether `hat` is what the components say themselves.
    concrete: bool,
}

/// Algorithm 1: all components are one group, of which nothing is known at first.
pub fn transition_interpolation(work: &Work) -> Result<Verdict, Why> {
    let all = Group { parts: (0..work.circuit.parts.len()).collect(), hat: Vec::new(), concrete: false };
    refine(work, vec![all], false)
}

/// Algorithm 2: `first` is taken as it is, of the others nothing is known at first; with `abstracting`, line 14 too.
pub fn compositional(work: &Work, first: Vec<usize>, abstracting: bool) -> Result<Verdict, Why> {
    let second = (0..work.circuit.parts.len()).filter(|part| !first.contains(part)).collect();
    let hat = first.iter().map(|&part| work.circuit.parts[part].step).collect();
    let groups =
        vec![Group { parts: first, hat, concrete: true }, Group { parts: second, hat: Vec::new(), concrete: false }];
    refine(work, groups, abstracting)
}

/// The common loop: check what is assumed; where that has a path of length k, see whether the system has one; if not, assume
/// the interpolants of each group's steps in the refutation.
fn refine(work: &Work, mut groups: Vec<Group>, abstracting: bool) -> Result<Verdict, Why> {
    let Work { circuit, run, .. } = work;
    let mut aig = circuit.aig.clone();
    let mut checker = Checker::new(work);
    let members: Vec<Vec<usize>> = groups.iter().map(|group| group.parts.clone()).collect();
    loop {
        let steps: Vec<Lit> = groups.iter().flat_map(|group| group.hat.iter().copied()).collect();
        let k = match run.timed("check", || checker.check(&aig, &steps))? {
            Found::Nothing(invariant) => return Ok(Verdict::Invariant(invariant)),
            Found::Distance(k) => k,
        };
        let refuted = match run.timed("bmc", || bounded(circuit, &members, k, run))? {
            Bounded::Path(path) => return Ok(Verdict::Path(path)),
            Bounded::Refuted(refuted) => refuted,
        };
        run.count("refinements", 1);
        let found = run.timed("interpolants", || interpolants(&refuted, groups.len(), k, &mut aig))?;
        let mut progress = false;
        for (group, found) in groups.iter_mut().zip(found) {
            if group.concrete {
                if !abstracting {
                    continue;
                }
                // Line 14 drops what the first group says itself. It does so once: later interpolants are added, as for the second group.
                (group.hat, group.concrete) = (Vec::new(), false);
                progress = true;
            }
            for f in found.into_iter().filter(|&f| f != Lit::TRUE) {
                if !group.hat.contains(&f) {
                    group.hat.push(f);
                    progress = true;
                }
            }
        }
        if !progress {
            return Err(Why::Broken(format!("no interpolant excludes the path of {k} steps")));
        }
    }
}

/// For each group, the interpolants of its steps, with the primes removed.
fn interpolants(refuted: &Refuted, groups: usize, steps: u32, aig: &mut Aig) -> Result<Vec<Vec<Lit>>, Why> {
    let all = refuted.solver.interpolants().map_err(|broken| Why::External(broken.to_string()))?;
    let mut found = vec![Vec::new(); groups];
    for time in 0..steps {
        for (group, found) in found.iter_mut().enumerate() {
            if let Some(&f) = all.of.get(&refuted.part(group, time)) {
                let copied = all.aig.copy(&[f], aig, |aig, v| aig.input(refuted.frames.seen_from(v, time)));
                found.extend(copied);
            }
        }
    }
    Ok(found)
}

/// Algorithm 4, as what it comes to: components are taken as they are, or nothing is known of them; those whose steps a
/// refutation needs are taken as they are from then on. The first ones come from paths of length two.
pub fn partition(work: &Work) -> Result<Verdict, Why> {
    const FIRST_LENGTH: u32 = 2;
    let Work { circuit, run, .. } = work;
    let near = Neighbours::new(circuit);
    let mut first = match run.timed("bmc", || near.bounded(work, &near.asked(circuit), FIRST_LENGTH))? {
        Near::Path(path) => return Ok(Verdict::Path(path)),
        Near::Needed(parts) => parts,
    };
    let mut checker = Checker::new(work);
    loop {
        let steps: Vec<Lit> = first.iter().map(|&part| circuit.parts[part].step).collect();
        let k = match run.timed("check", || checker.check(&circuit.aig, &steps))? {
            Found::Nothing(invariant) => return Ok(Verdict::Invariant(invariant)),
            Found::Distance(k) => k,
        };
        let needed = match run.timed("bmc", || near.bounded(work, &first, k))? {
            Near::Path(path) => return Ok(Verdict::Path(path)),
            Near::Needed(parts) => parts,
        };
        run.count("repartitions", 1);
        let before = first.len();
        first.extend(needed.into_iter().filter(|part| !first.contains(part)).collect::<Vec<_>>());
        if first.len() == before {
            return Err(Why::Broken(format!("the refutation of {k} steps needs nobody new")));
        }
    }
}

/// Which components speak of the same variables.
///
/// Beyond the paper, which asks all components for every path: a path that some of them rule out is ruled out. Those that are near to
/// what matters are asked first, and what is far away only where these allow the path.
struct Neighbours {
    /// The variables of each component.
    bits: Vec<Vec<Bit>>,
    /// The components of each variable.
    parts: Vec<Vec<usize>>,
}

/// What became of a path of some length.
enum Near {
    /// There is one.
    Path(Vec<Vec<bool>>),
    /// There is none, and that is shown with the steps of these.
    Needed(Vec<usize>),
}

impl Neighbours {
    fn new(circuit: &Circuit) -> Self {
        let mut parts = vec![Vec::new(); circuit.bits as usize];
        let bits: Vec<Vec<Bit>> = circuit.parts.iter().map(|part| bits(circuit, part.step)).collect();
        for (part, bits) in bits.iter().enumerate() {
            bits.iter().for_each(|bit| parts[bit.0 as usize].push(part));
        }
        Self { bits, parts }
    }

    /// The components that speak of variables of the bad states.
    fn asked(&self, circuit: &Circuit) -> Vec<usize> {
        self.of(&bits(circuit, circuit.bad()))
    }

    fn of(&self, bits: &[Bit]) -> Vec<usize> {
        let mut found: Vec<usize> = bits.iter().flat_map(|bit| &self.parts[bit.0 as usize]).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether there is a path of `steps` steps; `first` and their neighbours are asked first, then theirs, at last all.
    fn bounded(&self, work: &Work, first: &[usize], steps: u32) -> Result<Near, Why> {
        let Work { circuit, run, .. } = work;
        let mut asked = first.to_vec();
        loop {
            let seen: Vec<Bit> = asked.iter().flat_map(|&part| self.bits[part].iter().copied()).collect();
            let mut wider = self.of(&seen);
            // Who speaks of nothing that others do cannot be reached from them.
            if wider.len() <= asked.len() {
                wider = (0..circuit.parts.len()).collect();
            }
            asked = wider;
            let alone: Vec<Vec<usize>> = asked.iter().map(|&part| vec![part]).collect();
            match bounded(circuit, &alone, steps, run)? {
                Bounded::Refuted(refuted) => {
                    return Ok(Near::Needed(refuted.used()?.into_iter().map(|group| asked[group]).collect()));
                }
                Bounded::Path(path) if asked.len() == circuit.parts.len() => return Ok(Near::Path(path)),
                Bounded::Path(_) => {}
            }
        }
    }
}

fn bits(circuit: &Circuit, f: Lit) -> Vec<Bit> {
    let mut bits: Vec<Bit> = circuit.aig.support(f).into_iter().map(|input| Bit::of(input).0).collect();
    bits.sort_unstable();
    bits.dedup();
    bits
}
