//! Whether a text that was written for a folded process does what was meant: read again, it is unfolded and compared.

use super::domain::Domains;
use super::facts::Facts;
use super::quotient::{Graph, is_equivalent};
use super::unfold::{END, TAU};
use super::{Kind, Place, Plan, Residual, Variable};
use crate::data::{Action, Program, State};
use crate::expression::Expression;
use crate::text::{Naming, UserNames, Writer};
use rustc_hash::{FxHashMap, FxHashSet};

/// A text that was written has no more states than that.
const MOST: usize = 20_000;

/// What others see of a place: labels that they ask about, acceptance, progress, and what it is ready for.
type Looks = (Vec<String>, bool, bool, Vec<String>, bool, bool);

impl Residual {
    /// How many states there are before they are put together, and how many steps.
    pub fn size(&self) -> [usize; 2] {
        let counted = self.unfolding.places.iter().filter(|(place, _)| !place.held && place.control.is_some());
        [counted.count(), self.unfolding.places.values().map(Vec::len).sum()]
    }

    /// The same afterwards.
    pub fn smaller_size(&self) -> [usize; 2] {
        let classes = &self.quotient.classes;
        // A process that can only go away is written with a step before that.
        let counted =
            classes.iter().filter(|class| !class.held && !class.gone).chain(self.only_ends().then_some(&classes[0]));
        [counted.count(), classes.iter().map(|class| class.options.len()).sum()]
    }

    /// Whether the process does nothing that anybody notices but to go away.
    pub fn only_ends(&self) -> bool {
        self.quotient.classes[0].closes()
    }

    /// Whether anything is gained.
    pub fn is_smaller(&self) -> bool {
        self.outside || self.smaller_size()[0] < self.size()[0]
    }

    /// How many states of the process a search tells apart that keeps what is not folded here as variables: of all states that `whole`
    /// finds, where more is folded.
    pub fn told_apart(&self, whole: &Residual) -> usize {
        let folded = self.plan.folded();
        let at: Vec<Option<usize>> = folded.iter().map(|&variable| whole.plan.position(variable)).collect();
        let kept: Vec<usize> =
            (0..whole.plan.folded().len()).filter(|&at| !folded.contains(&whole.plan.folded()[at])).collect();
        let mut apart: FxHashSet<(usize, Option<u32>, Vec<i32>)> = FxHashSet::default();
        for place in whole.unfolding.places.keys().filter(|place| !place.held && place.control.is_some()) {
            let values: Box<[i32]> = at.iter().map(|at| at.map_or(0, |at| place.values[at])).collect();
            let here = |held| self.unfolding.places.get_index_of(&Place { values: values.clone(), held, ..*place });
            let class = here(false).or_else(|| here(true)).map(|state| self.quotient.of[state] as usize);
            let control = if class.is_some() { None } else { place.control };
            apart.insert((class.unwrap_or(usize::MAX), control, kept.iter().map(|&at| place.values[at]).collect()));
        }
        apart.len()
    }

    /// The names of folded variables.
    pub fn folded_names(&self, program: &Program) -> Vec<String> {
        let name = |variable: &Variable| match variable {
            Variable::Global(cell) => &program.globals[*cell as usize].name,
            Variable::Local(cell) => &program.proctypes[self.proctype as usize].cells[*cell as usize].name,
        };
        self.plan.folded().iter().map(|variable| name(variable).to_string()).collect()
    }

    /// How many values each folded variable has.
    pub fn folded_values(&self) -> Vec<usize> {
        let places = || self.unfolding.places.keys().filter(|place| place.control.is_some());
        let values = |at: usize| places().map(|place| place.values[at]).collect::<FxHashSet<i32>>().len();
        (0..self.plan.folded().len()).map(values).collect()
    }

    /// The cells of the process that its labels read or set.
    pub fn used_locals(&self) -> FxHashSet<u32> {
        let labels = self.quotient.classes.iter().flat_map(|class| &class.options).map(|choice| choice.label);
        let labels: FxHashSet<u32> = labels.collect();
        let mut used = FxHashSet::default();
        for label in labels {
            cells_of(&self.unfolding.labels[label as usize].action, &mut used);
        }
        used
    }

    /// Whether the text of a program has this process in it, as we read it: `names` are those that it was written with.
    pub fn is_written_in(
        &self,
        program: &Program,
        names: &dyn Naming,
        emitted: &Program,
        facts: &Facts<'_>,
        watched: &FxHashSet<Box<str>>,
        prefix: &str,
    ) -> bool {
        let kind = Kind::new(emitted, facts, self.proctype, self.strong);
        if kind.left.is_some() {
            return false;
        }
        let mut plan = Plan::new(Vec::new(), Vec::new(), self.plan.constants.clone());
        plan.pid = self.plan.pid;
        let domains = Domains::new(emitted, facts.pids.clone());
        let Ok(unfolding) = kind.wanted(&plan, &domains, MOST).unfold() else { return false };
        let mut numbers = Numbers::default();
        let meant = self.meant(program, names, watched, &mut numbers);
        // The same, of what was read.
        let theirs = UserNames { program: emitted, proctype: self.proctype };
        let writer = Writer::new(emitted, &theirs);
        let states = &emitted.proctypes[self.proctype as usize].states;
        let mut read = Graph::default();
        let texts: Vec<String> = unfolding.labels.values().map(|label| plain(&writer.action(&label.action))).collect();
        for (place, edges) in &unfolding.places {
            let state = place.control.map(|control| &states[control as usize]);
            let urgent = |label: u32| self.urgent.has(emitted, &unfolding.labels[label as usize].action);
            let ready = edges.iter().filter(|edge| urgent(edge.label)).map(|edge| texts[edge.label as usize].clone());
            read.looks.push(numbers.looks(looks(state, watched, prefix, ready.collect(), place.held)));
            read.ends.push(state.is_none_or(|state| state.end));
            let edge = |edge: &super::Edge| (numbers.label(edge.label, &texts[edge.label as usize]), edge.target);
            read.edges.push(edges.iter().map(edge).collect());
        }
        is_equivalent(&meant, &read, self.strong)
    }

    /// What was meant: the classes as states.
    fn meant(
        &self,
        program: &Program,
        names: &dyn Naming,
        watched: &FxHashSet<Box<str>>,
        numbers: &mut Numbers,
    ) -> Graph {
        let states = &program.proctypes[self.proctype as usize].states;
        let writer = Writer::new(program, names);
        let mut graph = Graph::default();
        for (number, class) in self.quotient.classes.iter().enumerate() {
            let (place, _) = self.unfolding.places.get_index(class.member as usize).expect("it is one of them");
            let state = place.control.map(|control| &states[control as usize]);
            let text = |label: u32| plain(&writer.action(&self.unfolding.labels[label as usize].action));
            let urgent = |label: u32| self.urgent.has(program, &self.unfolding.labels[label as usize].action);
            let options = || class.options.iter().map(|choice| choice.label);
            let ready = options().filter(|label| urgent(*label)).map(text).collect();
            graph.looks.push(numbers.looks(looks(state, watched, "", ready, class.held)));
            graph.ends.push(class.end);
            let mut edges: Vec<(u32, u32)> = class
                .options
                .iter()
                .map(|choice| (numbers.label(choice.label, &text(choice.label)), choice.target))
                .collect();
            if class.diverges {
                edges.push((TAU, number as u32));
            }
            graph.edges.push(edges);
        }
        graph
    }
}

fn looks(
    state: Option<&State>,
    watched: &FxHashSet<Box<str>>,
    prefix: &str,
    mut ready: Vec<String>,
    held: bool,
) -> Looks {
    ready.sort();
    ready.dedup();
    let Some(state) = state else { return (Vec::new(), false, false, ready, held, true) };
    let mut labels: Vec<String> = Vec::new();
    for label in &state.labels {
        let stem = label
            .rsplit_once('_')
            .filter(|(_, rest)| !prefix.is_empty() && rest.starts_with(prefix))
            .map(|(stem, _)| stem);
        labels.extend(
            [Some(&**label), stem].into_iter().flatten().find(|name| watched.contains(*name)).map(str::to_owned),
        );
    }
    labels.sort();
    (labels, state.accept, state.progress, ready, held, false)
}

/// Numbers for labels and looks, the same on both sides.
#[derive(Default)]
struct Numbers {
    labels: FxHashMap<String, u32>,
    looks: FxHashMap<Looks, u64>,
}

impl Numbers {
    fn label(&mut self, label: u32, text: &str) -> u32 {
        if label == TAU || label == END {
            return label;
        }
        let next = self.labels.len() as u32 + END + 1;
        *self.labels.entry(text.to_owned()).or_insert(next)
    }

    fn looks(&mut self, looks: Looks) -> u64 {
        let next = self.looks.len() as u64;
        *self.looks.entry(looks).or_insert(next)
    }
}

/// A text without the names of labels, which several may have that stand in one place.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        out += &rest[..=at];
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    }
    out + rest
}

fn cells_of(action: &Action, used: &mut FxHashSet<u32>) {
    super::places(action, &mut |place| {
        if place.local {
            used.extend(super::domain::cells(place));
        }
    });
    super::values(action, &mut |value| {
        value.visit(&mut |part| {
            if let Expression::Local(cell) = part {
                used.insert(*cell);
            }
        });
    });
}
