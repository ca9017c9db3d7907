//! Runs of Petri nets.

use super::stepped::{Stepped, System};
use super::{Guide, Offered, Simulate, Simulation, Taken, no_trail};
use crate::job::failure::Failure;
use crate::open::{NetFile, bytes};
use prequel_formats::diag::Diagnostic;
use prequel_formats::{firing, formula};
use prequel_model::{Condition, Net, PlaceId, TransitionId};

struct Tokens<'a> {
    name: &'a str,
    net: &'a Net,
}

/// Runs a net.
pub fn simulate(
    file: &NetFile,
    request: &Simulate,
    with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let guide = match &request.guide {
        None => Vec::new(),
        Some(Guide::Trail(path)) => return Err(no_trail(path)),
        Some(Guide::Witness(path)) => {
            let name = path.display().to_string();
            let (saved, sequence) = firing::read(&name, &bytes(path)?, &file.net)?;
            let rejected = prequel_evidence::net::replay(&file.net, &sequence).err().map(|why| why.to_string());
            if let Some(why) = rejected.or_else(|| saved.untrue(&file.net, &sequence)) {
                return Err(Failure::input(name, why, "save one of this net with `prequel check --witness FILE`"));
            }
            sequence
        }
    };
    with(&mut Stepped::new(Tokens { name: &file.name, net: &file.net }, guide))
}

impl Tokens<'_> {
    fn titled(name: &str, title: Option<&str>) -> String {
        title.map_or_else(|| name.to_owned(), |title| format!("{name} '{title}'"))
    }

    fn place(&self, place: PlaceId) -> String {
        Self::titled(self.net.place(place), self.net.place_title(place))
    }
}

impl System for Tokens<'_> {
    type State = Vec<u32>;
    type Move = TransitionId;
    type Expression = Condition;

    fn start(&self) -> Vec<u32> {
        self.net.initial().to_vec()
    }

    fn moves(&self, marking: &Vec<u32>) -> Vec<TransitionId> {
        let tokens = |place: PlaceId| marking[place.at()];
        // A place can hold no more than a number can count.
        let fits = |&t: &TransitionId| self.net.fire(&mut marking.clone(), t).is_ok();
        self.net.transitions().filter(|&t| self.net.enabled(&tokens, t)).filter(fits).collect()
    }

    fn offered(&self, _: &Vec<u32>, &t: &TransitionId) -> Offered {
        let what = Self::titled(self.net.transition(t), self.net.transition_title(t));
        let place = self.net.line(t).map_or_else(String::new, |line| format!("{}:{line}", self.name));
        Offered { who: String::new(), what, place }
    }

    fn take(&self, marking: &mut Vec<u32>, t: &TransitionId) -> Taken {
        let offered = self.offered(marking, t);
        let change = |(p, from, to)| format!("{} {from}→{to}", self.place(p));
        let changes = self.net.fired(marking, *t).unwrap_or_default().into_iter().map(change).collect::<Vec<_>>();
        Taken { offered, changes: changes.join(", "), ..Taken::default() }
    }

    fn values(&self, marking: &Vec<u32>) -> Vec<(String, String)> {
        self.net.places().zip(marking).map(|(p, tokens)| (self.place(p), tokens.to_string())).collect()
    }

    fn places(&self, marking: &Vec<u32>) -> Vec<String> {
        let marked = self.net.places().zip(marking).filter(|(_, tokens)| **tokens > 0);
        marked.map(|(p, tokens)| format!("{}: {tokens}", self.place(p))).collect()
    }

    fn read(&self, text: &str) -> Result<Condition, Vec<Diagnostic>> {
        formula::reach(text, self.net)
    }

    fn value(&self, marking: &Vec<u32>, condition: &Condition) -> String {
        condition.holds(self.net, &|place| marking[place.at()]).to_string()
    }

    fn end(&self, _: &Vec<u32>) -> Vec<String> {
        vec!["a deadlock: no transition can fire".into()]
    }
}
