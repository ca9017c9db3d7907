//! Runs of networks.

use super::stepped::{Stepped, System};
use super::{Guide, Offered, Simulate, Simulation, Taken, no_trail};
use crate::job::failure::Failure;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::job::replay::{Replay, on_network};
use crate::job::witness::Witness;
use prequel_formats::aut::Dialect;
use prequel_formats::diag::Diagnostic;
use prequel_formats::goal;
use prequel_formats::picture::view::View;
use prequel_formats::text::lines;
use prequel_model::{Goal, Network, Origin, StateId, Step, Trace};

struct Components<'a> {
    network: &'a Network,
    origin: &'a Origin,
    dialect: &'a Dialect,
}

/// Runs a network.
pub fn simulate(
    (network, origin): (Network, Origin),
    request: &Simulate,
    observer: &dyn Observer,
    with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let guide = match &request.guide {
        None => Vec::new(),
        Some(Guide::Trail(path)) => return Err(no_trail(path)),
        Some(Guide::Witness(path)) => {
            let replay =
                Replay { models: request.models.clone(), witness: path.clone(), question: Question::default() };
            let replayed = on_network((network.clone(), origin.clone()), None, &replay, observer)?;
            match replayed.shown {
                Ok(Witness::Network(witness)) => witness.trace().steps.clone(),
                Ok(Witness::Lasso(witness)) => witness.view().trace.steps.clone(),
                Ok(_) => Vec::new(),
                Err(why) => {
                    let help = "save one of this model with `prequel check --witness FILE`";
                    return Err(Failure::input(path.display().to_string(), why, help));
                }
            }
        }
    };
    let system = Components { network: &network, origin: &origin, dialect: &request.models.reading.dialect };
    with(&mut Stepped::new(system, guide))
}

impl Components<'_> {
    /// A step, shown as in tables of witnesses.
    fn shown(&self, step: &Step) -> (Offered, String) {
        let trace = Trace { steps: vec![step.clone()] };
        let lines = lines::of_trace(self.network, self.origin, &trace, self.dialect);
        let view =
            View { network: self.network, origin: self.origin, trace: &trace, lines: &lines, cycle: None, arrows: &[] };
        let who: Vec<String> = step.moves.iter().map(|m| view.component(m.component)).collect();
        let to =
            |m: &prequel_model::Move| format!("{} = {}", view.component(m.component), view.state(m.component, m.to));
        let changes: Vec<String> = step.moves.iter().map(to).collect();
        let place = lines.concat().join(", ");
        (Offered { who: who.join(", "), what: view.action(step), place }, changes.join(", "))
    }
}

impl System for Components<'_> {
    type State = Vec<StateId>;
    type Move = Step;
    type Expression = Goal;

    fn start(&self) -> Vec<StateId> {
        self.network.initial()
    }

    fn moves(&self, state: &Vec<StateId>) -> Vec<Step> {
        self.network.steps(state)
    }

    fn offered(&self, _: &Vec<StateId>, step: &Step) -> Offered {
        self.shown(step).0
    }

    fn take(&self, state: &mut Vec<StateId>, step: &Step) -> Taken {
        step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
        let (offered, changes) = self.shown(step);
        Taken { offered, changes, ..Taken::default() }
    }

    fn values(&self, state: &Vec<StateId>) -> Vec<(String, String)> {
        let value = |(c, &s)| (self.network.component(c).name.to_string(), self.origin.state_name(c, s).to_string());
        self.network.ids().zip(state).map(value).collect()
    }

    fn places(&self, state: &Vec<StateId>) -> Vec<String> {
        self.values(state).into_iter().map(|(name, state)| format!("{name} at {state}")).collect()
    }

    fn read(&self, text: &str) -> Result<Goal, Vec<Diagnostic>> {
        goal::read("expression", text, self.network, self.origin)
    }

    fn value(&self, state: &Vec<StateId>, goal: &Goal) -> String {
        goal.holds(&|c| state[c.at()]).to_string()
    }

    fn end(&self, _: &Vec<StateId>) -> Vec<String> {
        vec!["a deadlock: no component can move".into()]
    }
}
