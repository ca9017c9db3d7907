//! temporary
use crate::model::*;
/// temporary
pub fn check(problem: &Problem, trace: &Trace) -> Result<(), String> {
    let end = trace.end(&problem.network).map_err(|e| e.to_string())?;
    let shown = match &problem.query {
        Query::DeadlockFree => problem.network.steps(&end).is_empty(),
        Query::Reach(goal) => goal.holds(&|c: ComponentId| end[c.at()]),
        Query::Safety(m) => m.accepts(trace.steps.iter().map(|s| s.label)),
        Query::Nonblocking => false,
    };
    if shown { Ok(()) } else { Err("not shown".into()) }
}
