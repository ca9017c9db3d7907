//! Processes written anew, beside claims and for runs without an end: our own search says the same of the program before and after, and
//! every violation that it or SPIN finds afterwards is brought back to the user's program, where it is replayed.

use crate::fuzz::number;
use crate::random_promela::structured::structured;
use crate::residual::{fold_text, source};
use crate::spin;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::formats::promela::syntax::Model;
use prequel::model::run::{Limits, Run};
use prequel::program::{Claim, Endless, Program, Sought, Violation, Witness, compile, replay, stated};
use prequel::spin::file::File;
use prequel::spin::residual::Folded;
use prequel::spin::tools::{C, Options, Tools};
use std::time::Duration;

/// What is asked of a program: a claim by its name, or labels of processes.
type Asked = (Option<String>, Sought<'static>);

/// All that can be asked of a text, fair and not.
fn questions(model: &Model) -> Vec<Asked> {
    let claims: Vec<String> = stated(model).iter().filter_map(|part| part.claim()).map(str::to_owned).collect();
    let claimed = claims
        .iter()
        .flat_map(|claim| [Sought::Violation, Sought::FairViolation].map(|sought| (Some(claim.clone()), sought)));
    let labels = [Endless::ACCEPTING, Endless::NON_PROGRESS].into_iter();
    let labels = labels.flat_map(|of| [false, true].map(|fair| (None, Sought::Endless(Endless { fair, ..of }))));
    claimed.chain(labels).collect()
}

/// A text, and what became of it.
struct Pair {
    text: String,
    model: Model,
    plain: Program,
    folded: Folded,
}

/// How a question compares.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    /// Answers that both have.
    compared: usize,
    /// Violations that came back, and those of them that are cycles.
    back: usize,
    cycles: usize,
    /// Those that SPIN found.
    trails: usize,
}

impl Pair {
    fn of(text: String) -> Option<Self> {
        let (plain, folded) = fold_text(&text).ok()?;
        let read = source(&text);
        let (model, _) = promela::read(&read.name, &read.bytes, &read.folder, &read.defines).ok()?;
        Some(Self { text, model, plain, folded })
    }

    fn run() -> Run {
        Run::new(Limits { states: Some(30_000), time: Some(Duration::from_secs(20)), ..Limits::default() }, 0)
    }

    fn programs(&self, claim: Option<&str>) -> Option<[Program; 2]> {
        let claim = claim.map_or(Claim::None, Claim::Named);
        let program = |model: &Model| Some(compile(model, claim).ok()?.0);
        Some([program(&self.model)?, program(&self.folded.model).expect("the claim is still there")])
    }

    /// What is wrong with an answer.
    fn described(&self, (claim, sought): &Asked, what: &str) -> String {
        let written = String::from_utf8_lossy(&self.folded.text);
        format!("{claim:?} {sought:?}: {what}\n{}--- written\n{written}", self.text)
    }

    /// Brings a violation back; it is replayed.
    fn lift(&self, asked: &Asked, program: &Program, witness: &Witness) -> Result<Witness, String> {
        let lifted = self.folded.lift_claimed(&self.plain, program, asked.1, witness, &Self::run());
        let lost = |why: &str| self.described(asked, &format!("{why}\n{witness:#?}"));
        let lifted = lifted.map_err(|why| lost(&why))?;
        replay(program, &lifted).map_err(|why| lost(&why.to_string()))?;
        let fair = |witness: &Witness| matches!(witness.violation, Violation::Cycle(cycle) if cycle.of.fair);
        if fair(witness) && matches!(lifted.violation, Violation::Cycle(_)) && !fair(&lifted) {
            return Err(lost("it is no longer fair"));
        }
        Ok(lifted)
    }

    fn compare(&self, asked: &Asked, with_spin: bool, tally: &mut Tally) -> Result<(), String> {
        let Some([before, after]) = self.programs(asked.0.as_deref()) else { return Ok(()) };
        let search = |program: &Program| match verify(program, asked.1, Otf::plain(Search::Breadth), &Self::run()) {
            Outcome::Violated(witness) => Some(Some(witness)),
            Outcome::Holds => Some(None),
            _ => None,
        };
        let (Some(one), Some(other)) = (search(&before), search(&after)) else { return Ok(()) };
        tally.compared += 1;
        if one.is_some() != other.is_some() {
            let said = |found: &Option<Witness>| if found.is_some() { "wrong" } else { "right" };
            return Err(self.described(asked, &format!("{} before, {} after", said(&one), said(&other))));
        }
        let theirs = if with_spin { self.spins(asked, &after) } else { None };
        tally.trails += usize::from(theirs.is_some());
        for witness in [other, theirs].into_iter().flatten() {
            let lifted = self.lift(asked, &before, &witness)?;
            tally.back += 1;
            tally.cycles += usize::from(matches!(lifted.violation, Violation::Cycle(_)));
        }
        Ok(())
    }

    /// What SPIN finds in the written text.
    fn spins(&self, (claim, sought): &Asked, emitted: &Program) -> Option<Witness> {
        let text = String::from_utf8_lossy(&self.folded.text);
        let run = Run::new(Limits { time: Some(Duration::from_secs(20)), ..Limits::default() }, 0);
        let mut file = File::open(&source(&text), Tools::find().ok()?, &run).ok()?;
        let endless = sought.endless(emitted);
        let options = Options { reduce: false, c: C::Quick, without_claims: claim.is_none(), endless };
        let found = file.verify(options, claim.as_deref()).ok()?.found?;
        let witness = file.witness(emitted, &found).ok()?;
        replay(emitted, &witness).is_ok().then_some(witness)
    }
}

/// Random programs: `PREQUEL_FUZZ_KEPT` of them, from `PREQUEL_FUZZ_SEED` on; SPIN is asked about one in twenty.
#[test]
fn claims_and_runs_without_an_end_are_kept_and_come_back() {
    let (count, seed) = (number("PREQUEL_FUZZ_KEPT", 60), number("PREQUEL_FUZZ_SEED", 1));
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for seed in seed..seed + count {
        let Some(pair) = Pair::of(structured(seed)) else { continue };
        let with_spin = seed % 20 == 0 && spin::available();
        for asked in questions(&pair.model) {
            let compared = pair.compare(&asked, with_spin, &mut tally);
            wrong.extend(compared.err().map(|why| format!("seed {seed}: {why}")));
        }
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
