//! `spin`: the network as Promela, SPIN's verdict, its trail lifted back.

use super::report::Fault;
use super::tools::{self, Options, Tools};
use super::trail_to_trace::lift;
use crate::promela;
use prequel_engine::{Engine, External, Refusal};
use prequel_model::run::Run;
use prequel_model::{Answer, Evidence, Origin, Problem, Query, Trace, Why};

/// SPIN as an engine.
#[derive(Clone, Copy, Debug)]
pub struct Spin {
    /// How it searches.
    pub options: Options,
}

impl Engine for Spin {
    fn name(&self) -> &'static str {
        "spin"
    }

    fn about(&self) -> &'static str {
        "writes the network as Promela and runs SPIN on it; its trail is lifted back"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn external(&self) -> Option<External> {
        Some(External { version: Tools::find().ok().and_then(Tools::version).map(str::to_owned) })
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Refusal> {
        self.decides(problem)?;
        Tools::find().map_err(Refusal::new)?;
        promela::write(problem, &Origin::default()).map_err(|e| Refusal::new(e.to_string()))?;
        Ok(())
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        match self.search(problem, run) {
            Err(why) => Answer::Unknown(why),
            Ok(None) if problem.query.witness_shows() => Answer::False(Evidence::Exhausted),
            Ok(None) => Answer::True(Evidence::Exhausted),
            Ok(Some(trace)) if problem.query.witness_shows() => Answer::True(Evidence::Witness(trace)),
            Ok(Some(trace)) => Answer::False(Evidence::Witness(trace)),
        }
    }
}

impl Spin {
    /// A trace to what is looked for, if there is one.
    fn search(&self, problem: &Problem, run: &Run) -> Result<Option<Trace>, Why> {
        let tools = Tools::find().map_err(|why| Why::Refused(why.into()))?;
        let promela = promela::write(problem, &Origin::default()).map_err(|e| Why::Refused(e.to_string()))?;
        let check = run.check();
        let reduce = self.options.reduce && promela.reducible;
        let searched = tools::search(tools, &promela, Options { reduce, ..self.options }, run)?;
        let counted = check.explored(searched.report.stored, searched.report.transitions);
        let Some((fault, lines)) = searched.fault else { return counted.map(|()| None) };
        let expected =
            if matches!(problem.query, Query::DeadlockFree) { Fault::InvalidEndState } else { Fault::Assertion };
        if fault != expected {
            return Err(Why::External(format!("SPIN reports {fault:?}, which was not asked")));
        }
        let trace = lift(problem, &promela, &lines);
        trace.map(Some).map_err(|why| Why::Broken(format!("SPIN's trail is no path of the network: {why}")))
    }
}
