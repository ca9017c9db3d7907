//! One smaller network for several queries: each keeps its verdict.
//!
//! A component is replaced by the quotient under the common refinement of the classes that each query allows. That is sound:
//! let `Q` be the quotient for one query and `P` a finer one. What the network does, it does with `P` in place of the component, and
//! what it does with `P`, it does with `Q`. So what is reached with `P` is reached with `Q`, and then, as `Q` keeps the verdict, in
//! the network itself. A deadlock is such a state too: classes for deadlocks enable the same labels, and so do finer ones.
//! Components are replaced one after another, so each query's way back leads over all of them.
//!
//! Before that each component may be minimised: modulo the coarsest bisimulation that keeps all of the queries. That costs next to
//! nothing, and what the process does with data of its own that nobody notices is gone.

use super::minimise::Layer;
use super::quotient::{Options, Quotient};
use super::{NotLifted, Replaced, Smaller, Stop, with_quotient};
use prequel_model::run::Run;
use prequel_model::{ClassMap, ComponentId, Lts, Network, Problem, Query, StateId, Trace};
use rustc_hash::FxHashMap;

/// A smaller network, and the way back for each query.
#[derive(Debug)]
pub struct Together {
    /// The same components by name and number, some of them smaller.
    pub network: Network,
    /// What was done to each component that was looked at.
    pub replaced: Vec<Replaced>,
    /// The queries, as they are asked of it.
    pub queries: Vec<Query>,
    stages: Vec<Stage>,
}

/// A component that was replaced.
#[derive(Debug)]
enum Stage {
    /// By a bisimilar one.
    Minimised(Box<Layer>),
    /// By a quotient: for each query, the smaller problem of its own, and its state for each common class.
    Quotient(ComponentId, Vec<(Smaller, Vec<StateId>)>),
}

/// Which components are replaced, and how far that goes.
pub struct Plan<'a> {
    /// In this order, again and again until nothing shrinks.
    pub components: &'a [ComponentId],
    /// Whether components are minimised first. They have no maps then.
    pub minimise: bool,
    /// Whether they are replaced by quotients then.
    pub quotients: bool,
    /// When to stop refining.
    pub options: Options,
    /// Whether a smaller system can stand for a component; if not, why.
    pub accept: &'a dyn Fn(ComponentId, &Lts) -> Result<(), String>,
}

/// Replaces components by smaller ones with which all queries keep their verdicts.
pub fn together(network: &Network, queries: &[Query], plan: &Plan<'_>, run: &Run) -> Result<Together, Stop> {
    let mut now: Vec<Problem> =
        queries.iter().map(|query| Problem { network: network.clone(), query: query.clone() }).collect();
    let (replaced, stages) = Default::default();
    let mut all = Together { network: network.clone(), replaced, queries: queries.to_vec(), stages };
    for &component in plan.components.iter().filter(|_| plan.minimise) {
        run.allowed()?;
        all.minimise(component, &mut now, plan);
    }
    if !plan.quotients {
        return Ok(all);
    }
    let mut pass = plan.options.shallow();
    loop {
        let (mut shrunk, mut complete) = (false, true);
        for &component in plan.components {
            if all.network.component(component).lts.num_states() < 2 || !plan.options.allow(run) {
                continue;
            }
            let quotient = Quotient { replace: vec![component], options: Options { first_pass: None, ..pass } };
            let looked = all.replace(&quotient, component, &mut now, plan, run)?;
            shrunk |= looked.shrunk;
            complete &= looked.complete;
        }
        if plan.options.target_states.is_some() {
            return Ok(all);
        }
        if !shrunk {
            match plan.options.deeper(&pass).filter(|_| !complete && plan.options.allow(run)) {
                Some(deeper) => pass = deeper,
                None => return Ok(all),
            }
        }
    }
}

/// What came of looking at a component.
struct Looked {
    /// Whether it became smaller.
    shrunk: bool,
    /// Whether nothing is left to refine.
    complete: bool,
}

impl Together {
    /// Whether a component is another one now.
    pub fn changed(&self, component: ComponentId) -> bool {
        let of = |stage: &Stage| match stage {
            Stage::Minimised(layer) => layer.component,
            Stage::Quotient(component, _) => *component,
        };
        self.stages.iter().any(|stage| of(stage) == component)
    }

    /// The report on a component.
    fn report(&mut self, component: ComponentId) -> usize {
        self.replaced.iter().position(|r| r.component == component).unwrap_or_else(|| {
            self.replaced.push(Replaced { component, map: None, steps: 0, labels: 0, kept: None });
            self.replaced.len() - 1
        })
    }

    /// Replaces a component by a bisimilar one.
    fn minimise(&mut self, component: ComponentId, now: &mut [Problem], plan: &Plan<'_>) {
        let at = self.report(component);
        let layer = Layer::new(&self.network, &self.queries, component);
        if !layer.is_smaller() {
            return;
        }
        if let Err(why) = (plan.accept)(component, &layer.small) {
            self.replaced[at].kept = Some(why);
            return;
        }
        now.iter_mut().for_each(|problem| *problem = layer.apply(problem));
        self.network = now[0].network.clone();
        self.queries = now.iter().map(|problem| problem.query.clone()).collect();
        self.stages.push(Stage::Minimised(Box::new(layer)));
    }

    /// Replaces one component by what a quotient makes of it for each query.
    fn replace(
        &mut self,
        quotient: &Quotient,
        component: ComponentId,
        now: &mut [Problem],
        plan: &Plan<'_>,
        run: &Run,
    ) -> Result<Looked, Stop> {
        let at = self.report(component);
        let mut own = Vec::new();
        let mut complete = true;
        for problem in now.iter() {
            let outcome = quotient.outcome(problem, run)?;
            complete &= outcome.complete;
            let mut smaller = outcome.smaller;
            let done = smaller.replaced.pop();
            let report = &mut self.replaced[at];
            report.steps += done.as_ref().map_or(0, |done| done.steps);
            report.labels = report.labels.max(done.as_ref().map_or(0, |done| done.labels));
            // A query for which nothing may be merged keeps all states apart.
            let Some(map) = done.and_then(|mut done| {
                report.kept = done.kept.take().or(report.kept.take());
                done.map
            }) else {
                return Ok(Looked { shrunk: false, complete });
            };
            own.push((smaller, map));
        }
        let lts = &self.network.component(component).lts;
        let mut classes: FxHashMap<Vec<StateId>, StateId> = FxHashMap::default();
        let mut members: Vec<Vec<StateId>> = Vec::new();
        let mut class_of = Vec::with_capacity(lts.num_states());
        for state in lts.states() {
            let key: Vec<StateId> = own.iter().map(|(_, map)| map.class_of[state.at()]).collect();
            let class = *classes.entry(key.clone()).or_insert_with(|| {
                members.push(key);
                StateId::new(members.len() - 1)
            });
            class_of.push(class);
        }
        if members.len() == lts.num_states() {
            return Ok(Looked { shrunk: false, complete });
        }
        let map = ClassMap::of(component, lts, class_of);
        if let Err(why) = (plan.accept)(component, &map.quotient) {
            self.replaced[at].kept = Some(why);
            return Ok(Looked { shrunk: false, complete });
        }
        for problem in now.iter_mut() {
            *problem = with_quotient(problem, &map);
        }
        self.network = now[0].network.clone();
        self.queries = now.iter().map(|problem| problem.query.clone()).collect();
        let report = &mut self.replaced[at];
        report.kept = None;
        if !plan.minimise {
            report.map = Some(report.map.take().map_or_else(|| map.clone(), |before| before.then(&map)));
        }
        let ways = own
            .into_iter()
            .enumerate()
            .map(|(number, (smaller, _))| (smaller, members.iter().map(|classes| classes[number]).collect()));
        self.stages.push(Stage::Quotient(component, ways.collect()));
        Ok(Looked { shrunk: true, complete })
    }

    /// Lifts a witness for one of the queries, by its number.
    pub fn lift(&self, query: usize, trace: &Trace) -> Result<Trace, NotLifted> {
        let mut trace = trace.clone();
        for stage in self.stages.iter().rev() {
            trace = match stage {
                Stage::Minimised(layer) => layer.lift(&self.queries[query], &trace)?,
                Stage::Quotient(component, ways) => {
                    let (smaller, class) = &ways[query];
                    for moved in trace.steps.iter_mut().flat_map(|step| &mut step.moves) {
                        if moved.component == *component {
                            moved.from = class[moved.from.at()];
                            moved.to = class[moved.to.at()];
                        }
                    }
                    smaller.lift(&trace)?
                }
            };
        }
        Ok(trace)
    }
}
