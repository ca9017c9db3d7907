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
        let (plain, folded) = fold_text(&text, true).ok()?;
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

/// Compares all that can be asked of these texts; SPIN is asked about some of them. Fails with all that is wrong.
fn compare_all(texts: impl Iterator<Item = (String, String)>, with_spin: impl Fn(usize) -> bool) -> Tally {
    let (mut tally, mut wrong, spins) = (Tally::default(), Vec::new(), spin::available());
    for (at, (name, text)) in texts.enumerate() {
        let Some(pair) = Pair::of(text) else { continue };
        for asked in questions(&pair.model) {
            let compared = pair.compare(&asked, spins && with_spin(at), &mut tally);
            wrong.extend(compared.err().map(|why| format!("{name}: {why}")));
        }
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    tally
}

/// Random programs: `PREQUEL_FUZZ_KEPT` of them, from `PREQUEL_FUZZ_SEED` on.
fn seeds(share: u64) -> std::ops::Range<u64> {
    let (count, seed) = (number("PREQUEL_FUZZ_KEPT", 60) / share, number("PREQUEL_FUZZ_SEED", 1));
    seed..seed + count
}

#[test]
fn claims_and_runs_without_an_end_are_kept_and_come_back() {
    let texts = seeds(1).map(|seed| (format!("seed {seed}"), structured(seed)));
    let tally = compare_all(texts, |at| at % 20 == 0);
    assert!(tally.cycles * 10 > tally.compared, "too few cycles to show anything");
}

/// Claims of all kinds: the first five do not count steps, though not all of them are known not to; the others do, the last two in how
/// far they follow a run alone.
const CLAIMS: [&str; 11] = [
    "T0: do :: P -> goto accept :: true od; accept: do :: true -> goto T0 od",
    "T0: do :: P && !Q -> goto accept :: true od; accept: do :: !Q od",
    "T0: if :: true -> goto T0 :: P -> goto S3 :: (!Q && P) -> goto accept fi; \
     accept: if :: true -> goto S3 fi; S3: if :: true -> goto S3 :: !Q -> goto accept fi",
    "do :: atomic { P && !Q -> assert(!(P && !Q)) } :: true od",
    "do :: !P :: P -> break od; do :: P :: Q -> break od",
    "do :: true :: P -> break od; Q",
    "accept: do :: P -> skip :: !Q od",
    "T0: do :: P -> goto accept :: else od; accept: do :: Q -> goto T0 :: else -> skip od",
    "do :: true :: timeout && P -> break od; accept: do :: true od",
    "P; P; do :: !P od",
    "do :: P -> skip; Q :: !P -> Q od",
];

#[test]
fn never_claims_are_kept_and_come_back() {
    let text = |seed: u64| {
        let program = structured(seed);
        let lines = program.lines().filter(|line| !line.starts_with("ltl "));
        let body = CLAIMS[seed as usize % CLAIMS.len()];
        let body =
            body.replace('P', &format!("(g0 == {})", seed % 3)).replace('Q', &format!("(g1 < {})", 1 + seed % 2));
        lines.map(|line| format!("{line}\n")).collect::<String>() + &format!("never {{\n{body}\n}}\n")
    };
    compare_all(seeds(1).map(|seed| (format!("seed {seed}"), text(seed))), |at| at % 30 == 0);
}

/// A claim that excludes nothing decides how far runs are followed, and what is wrong there.
#[test]
fn claims_that_follow_runs_step_by_step_keep_what_is_wrong_there() {
    let text = "byte g;\nactive proctype P() { byte x; if :: x = 1 :: x = 2 fi; x = 0; g = 1; assert(g == 0) }\nnever { CLAIM }\n";
    for claim in ["(g == 0); (g == 0); (g == 0); (g == 1); false", "do :: g == 0 :: g == 1 -> false od"] {
        let text = text.replace("CLAIM", claim);
        let tally = compare_all([(claim.to_owned(), text)].into_iter(), |_| false);
        assert!(tally.back > 0, "{claim}: {tally:?}");
    }
}

#[test]
fn no_trap_is_fallen_into_beside_claims() {
    let traps = crate::residual::TRAPS.split("// == ").skip(1);
    let named = traps.map(|trap| trap.split_once('\n').expect("a title and a program"));
    compare_all(named.map(|(title, text)| (title.to_owned(), text.to_owned())), |at| at % 6 == 0);
}

/// A receive of any message stands for that of the one that is there: what the process does next depends on it.
#[test]
fn a_message_that_nobody_looks_at_comes_back() {
    let text = "chan q = [1] of { byte };\nchan r = [0] of { byte };\nbyte g;\n\
        active proctype S() { q!1; r!1; do :: q!2; r!2 od }\n\
        active proctype R() { byte x; do :: q?x; if :: x == 1 -> skip :: x == 2 -> x = 0; x = 3 fi; g = 1 - g;\n\
        r?x; if :: x == 1 -> skip :: x == 2 -> x = 0; x = 3 fi; g = 1 - g od }\nltl p { [] <> (g == 2) }\n";
    let (_, folded) = fold_text(text, true).expect("it becomes smaller");
    let written = String::from_utf8_lossy(&folded.text).into_owned();
    assert!(written.contains("q?_") && written.contains("r?_"), "{written}");
    let tally = compare_all([("messages".to_owned(), text.to_owned())].into_iter(), |_| true);
    assert!(tally.cycles >= 2, "{tally:?}");
}

/// Models of others with claims or labels, where they are at hand: those that are searched soon.
#[test]
fn claims_of_models_at_hand_are_kept_and_come_back() {
    let folder = std::path::Path::new("../shared/models/promela");
    let Ok(list) = std::fs::read_to_string(folder.join("oracle-claims.tsv")) else {
        eprintln!("skipped: no models in {}", folder.display());
        return;
    };
    let small = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[6].parse::<u64>().ok()? < 3_000).then(|| cells[0].to_owned())
    };
    let mut names: Vec<String> = list.lines().skip(1).filter_map(small).collect();
    names.dedup();
    let texts =
        names.into_iter().filter_map(|name| Some((name.clone(), std::fs::read_to_string(folder.join(name)).ok()?)));
    compare_all(texts, |at| at % 8 == 0);
}
