//! Interpolants as assumptions: Algorithms 1 and 2 of the paper.

use super::bounded::{Bounded, Refuted, bounded};
use super::check::{Checker, Found};
use super::neighbours::Neighbours;
use super::{Verdict, Work};
use prequel_model::{Aig, Lit, Why};

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
    let near = Neighbours::new(circuit);
    // Who is asked whether there is a path.
    let mut asked = near.wider(&near.asked(circuit));
    loop {
        let steps: Vec<Lit> = groups.iter().flat_map(|group| group.hat.iter().copied()).collect();
        let k = match run.timed("check", || checker.check(&aig, &steps))? {
            Found::Nothing(invariant) => return Ok(Verdict::Invariant(invariant)),
            Found::Distance(k) => k,
        };
        let refuted = loop {
            let of = |group: &Group| group.parts.iter().copied().filter(|part| asked.contains(part)).collect();
            let members: Vec<Vec<usize>> = groups.iter().map(of).collect();
            match run.timed("bmc", || bounded(circuit, &members, k, run))? {
                Bounded::Path(path) if asked.len() == circuit.parts.len() => return Ok(Verdict::Path(path)),
                Bounded::Path(_) => asked = near.wider(&asked),
                Bounded::Refuted(refuted) => break refuted,
            }
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
                checker.weakened();
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
    let all = refuted.solver.interpolants().map_err(|broken| Why::Broken(broken.to_string()))?;
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
