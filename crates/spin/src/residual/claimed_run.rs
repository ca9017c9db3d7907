//! From a run of a text with folded processes beside a claim, or of one without an end, to such a run of the user's program.
//!
//! The steps of the processes are lifted as they are without a claim. What the claim does beside them is found anew, since between the
//! letters that it read there are others now, of steps that nobody notices; so is where the run begins to repeat itself, and whether it
//! is fair.

use super::Folded;
use super::run_to_user::Move;
use prequel_engine::otf::guided::{Guide, follow};
use prequel_engine::otf::program::Outcome;
use prequel_model::run::Run;
use prequel_program::{Claim, Program, Sought, Violation, Witness, compile};

impl Folded {
    /// The run of the user's program that a run of the written one stands for, or why there is none. `program` is the user's without its
    /// claim, `asked` the same with the claim that is asked about, if one is; `witness` is of the written program, with that claim.
    pub fn lift_claimed(
        &self,
        program: &Program,
        asked: &Program,
        sought: Sought<'_>,
        witness: &Witness,
        run: &Run,
    ) -> Result<Witness, String> {
        let (emitted, _) = compile(&self.model, Claim::None).map_err(|errors| errors[0].headline())?;
        let program = self.folded(program);
        let Violation::Cycle(cycle) = witness.violation else {
            let moves = self.lift(program, &emitted, witness).ok_or("it has no steps of the model")?;
            return along(asked, sought, &moves, None, run);
        };
        let lifted = |fair| {
            let lifted = self.lift_cycle(program, &emitted, &witness.steps, cycle.from, fair);
            let (moves, from) = lifted.ok_or("its cycle does not come back in the steps of the model")?;
            along(asked, sought, &moves, Some(from), run)
        };
        match lifted(cycle.of.fair) {
            // Whoever rests may do so best where it is.
            Err(_) if cycle.of.fair => lifted(false),
            lifted => lifted,
        }
    }
}

/// The run of a program and its claim along these steps of processes.
fn along(
    asked: &Program,
    sought: Sought<'_>,
    moves: &[Move],
    from: Option<usize>,
    run: &Run,
) -> Result<Witness, String> {
    let moves = moves.iter().filter_map(|&(process, transition)| Some((process?, transition))).collect();
    match follow(asked, sought, &Guide { moves, from }, run) {
        Outcome::Violated(witness) => Ok(witness),
        Outcome::Unknown(why) => Err(format!("its steps were followed until {why}")),
        _ => Err("its steps show nothing wrong with the model".into()),
    }
}
