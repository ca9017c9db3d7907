//! Runs of Petri nets.

use super::{Lasso, Outcome, System, find};
use crate::otf::net::{Explorer, NetSpace};
use prequel_model::run::Run;
use prequel_model::{Net, NetAtom, Temporal, TransitionId, Why};
use prequel_program::Excluded;

/// Looks for a run of a net that a formula excludes.
pub fn net(net: &Net, formula: &Temporal<NetAtom>, run: &Run) -> Outcome<TransitionId> {
    let (atoms, numbered) = formula.numbered();
    let Some(excluded) = Excluded::by(&numbered) else {
        return Outcome::Unknown(Why::Refused(
            "the automaton of the formula is too large: split the formula up".into(),
        ));
    };
    let found = Explorer::new(net, run.seed).with_room(run, |space| {
        let markings = Markings { space, atoms: &atoms };
        find(&markings, &excluded, run)
    });
    match found {
        Ok(Outcome::Found(Lasso { steps, from })) => {
            Outcome::Found(Lasso { steps: steps.into_iter().map(|(_, t, _)| t).collect(), from })
        }
        Ok(Outcome::Absent) => Outcome::Absent,
        Ok(Outcome::Unknown(why)) | Err(why) => Outcome::Unknown(why),
    }
}

/// The markings of a net and the atoms of a formula about it.
struct Markings<'a> {
    space: &'a NetSpace<'a>,
    atoms: &'a [&'a NetAtom],
}

impl System for Markings<'_> {
    type Deed = TransitionId;

    fn words(&self) -> usize {
        crate::otf::Space::words(self.space)
    }

    fn initial(&self) -> Vec<u64> {
        crate::otf::Space::initial(self.space)
    }

    fn steps(&self, state: &[u64], out: &mut Vec<u64>, deeds: &mut Vec<TransitionId>) -> bool {
        self.space.fire_all(state, out, |t| deeds.push(t))
    }

    fn holds(&self, atom: u32, state: &[u64], deed: Option<TransitionId>) -> bool {
        match self.atoms[atom as usize] {
            NetAtom::Holds(condition) => condition.holds(self.space.net(), &|p| self.space.tokens(state, p)),
            NetAtom::Fires(t) => deed == Some(*t),
        }
    }
}
