//! The paper's models as others have written them: the same questions have the same answers there as in our families.
//!
//! Where a model exists as a real DVE, Promela or Petri net file, its answer is asked of `otf` and of `icc`, and compared with the
//! answer of the family to its question of the same meaning.

use prequel::engine::Engine;
use prequel::engine::icc::Icc;
use prequel::families::find;
use prequel::model::Problem;
use prequel::model::run::{Limits, Run};
use std::path::Path;
use std::process::Command;

const FOLDER: &str = "../shared/models";

/// A question that our family and a real file state in their own words.
struct Asked {
    family: &'static str,
    size: usize,
    /// Which of the family's questions.
    query: usize,
    file: &'static str,
    /// The options that ask it.
    options: &'static [&'static str],
    /// A file may ask for what must not be reached.
    negated: bool,
}

const fn reach(
    family: &'static str,
    size: usize,
    query: usize,
    file: &'static str,
    goal: &'static [&'static str],
) -> Asked {
    Asked { family, size, query, file, options: goal, negated: true }
}

/// Mutual exclusion is the third question about Peterson's processes; that who enters has been at the top level is the first. Of Lamport's
/// algorithms BEEM has the one for registers that are not atomic, correct and with an error: another algorithm, the same question.
const ASKED: &[Asked] = &[
    reach("peterson", 3, 2, "dve/peterson.1.dve", &["--reach", "P_0.CS && P_1.CS"]),
    reach("peterson", 3, 2, "dve/peterson.1.dve", &["--reach", "P_1.CS && P_2.CS"]),
    reach("peterson", 3, 0, "dve/peterson.1.dve", &["--reach", "P_0.CS && pos[0] != 2"]),
    reach("peterson", 3, 2, "promela/beem/peterson/peterson.1.pm", &["--from", "pml", "--reach", "P_0@CS && P_1@CS"]),
    reach("peterson", 3, 2, "petri/mcc/Peterson-PT-2.pnml", &["--reach", "CS_0 >= 1 & CS_1 >= 1"]),
    Asked { family: "peterson", size: 2, query: 2, file: "promela/spin/peterson.pml", options: &[], negated: false },
    reach("lamport", 3, 0, "dve/lamport_nonatomic.1.dve", &["--reach", "P_0.CS && P_1.CS"]),
    reach("lamport", 3, 0, "dve/lamport_nonatomic.2.dve", &["--reach", "P_0.CS && P_2.CS"]),
    reach("lamport-faulty", 3, 0, "dve/lamport_nonatomic.3.dve", &["--reach", "P_0.CS && P_1.CS"]),
];

#[test]
fn families_and_real_models_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return;
    }
    let mut answers = [0; 2];
    for asked in ASKED {
        let instance = (find(asked.family).expect("a family").build)(asked.size, 0);
        let question = &instance.queries[asked.query];
        let problem = Problem { network: instance.network, query: question.query.clone() };
        let ours = Icc::default().solve(&problem, &Run::new(Limits::default(), 0));
        let holds = ours.word() == "true";
        for engine in ["otf", "icc"] {
            let mut check = Command::new(env!("CARGO_BIN_EXE_prequel"));
            check.arg("check").arg(folder.join(asked.file)).args(asked.options).args(["--quiet", "--engine", engine]);
            let output = check.output().expect("it runs");
            let code = output.status.code();
            let told = String::from_utf8_lossy(&output.stdout);
            assert_eq!(code, Some(i32::from(holds == asked.negated)), "{} {:?}: {told}", asked.file, asked.options);
        }
        answers[usize::from(holds)] += 1;
    }
    assert!(answers[0] >= 1 && answers[1] >= 5, "{answers:?}");
}
