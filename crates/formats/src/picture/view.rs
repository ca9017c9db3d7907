//! A trace with all that is known for showing it to people.

use prequel_model::{ComponentId, Network, Origin, StateId, Step, Trace};

/// A trace, the network it is a path of, and where that came from.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The system.
    pub network: &'a Network,
    /// Names of states.
    pub origin: &'a Origin,
    /// A path of the network.
    pub trace: &'a Trace,
    /// For each step the `file:line` of its transitions; shorter or empty where not known.
    pub lines: &'a [Vec<String>],
    /// The step from which on all are repeated for ever.
    pub cycle: Option<usize>,
    /// Messages, in the order in which they are received.
    pub arrows: &'a [Arrow],
}

/// A message from one component to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// The step in which it is sent, and by whom.
    pub from: (usize, ComponentId),
    /// The step in which it is received, which may be the same, and by whom.
    pub to: (usize, ComponentId),
    /// What it says.
    pub message: String,
}

impl View<'_> {
    /// What a step is called: its action, and for an action that nobody sees `i` and the hidden label.
    pub fn action(&self, step: &Step) -> String {
        let labels = self.network.labels();
        match (step.label.is_tau(), labels.action(step.label).is_tau()) {
            (true, _) => "i".into(),
            (false, true) => format!("i ({})", plain(labels.name(step.label))),
            (false, false) => plain(labels.seen(step.label)),
        }
    }

    /// Whether an observer sees nothing of a step.
    pub fn is_hidden(&self, step: &Step) -> bool {
        self.network.labels().action(step.label).is_tau()
    }

    /// The messages that are received in a step.
    pub(crate) fn received(&self, step: usize) -> &[Arrow] {
        let first = self.arrows.partition_point(|arrow| arrow.to.0 < step);
        let after = self.arrows.partition_point(|arrow| arrow.to.0 <= step);
        &self.arrows[first..after]
    }

    /// The components that move somewhere in the trace, in order.
    pub fn movers(&self) -> Vec<ComponentId> {
        let mut movers: Vec<_> = self.trace.steps.iter().flat_map(|s| &s.moves).map(|m| m.component).collect();
        movers.sort_unstable();
        movers.dedup();
        movers
    }

    /// What a component is called.
    pub fn component(&self, c: ComponentId) -> String {
        plain(&self.network.component(c).name)
    }

    /// What a state of a component is called.
    pub fn state(&self, c: ComponentId, s: StateId) -> String {
        plain(&self.origin.state_name(c, s))
    }

    /// What a component's initial state is called.
    pub fn initial(&self, c: ComponentId) -> String {
        self.state(c, self.network.component(c).lts.initial())
    }

    /// The source lines of a step, counted from 0.
    pub(crate) fn lines_of(&self, step: usize) -> &[String] {
        self.lines.get(step).map_or(&[], Vec::as_slice)
    }

    /// The same without folders, which are the same for most components.
    pub(crate) fn short_lines_of(&self, step: usize) -> Vec<&str> {
        self.lines_of(step).iter().map(|line| line.rsplit(['/', '\\']).next().unwrap_or_default()).collect()
    }
}

/// A name on one line: whatever it holds, rows and columns stay in place.
pub(crate) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// At most `most` characters, the last one an ellipsis where some are left out.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The first few of a list, then how many more.
pub(crate) fn few<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let rest = names.len() - shown.len();
    let shown = shown.join(", ");
    if rest == 0 { shown } else { format!("{shown}, … {rest} more") }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use prequel_families::{Instance, philo};
    use prequel_model::LabelId;

    /// Two philosophers up to their deadlock, the first step hidden.
    pub fn deadlock() -> (Network, Origin, Trace) {
        let Instance { network, origin, .. } = philo::plain(2, 0);
        let (mut labels, components) = network.into_parts();
        let hidden = labels.get("tl0").unwrap();
        labels.show(hidden, LabelId::TAU);
        let network = Network::new(labels, components);
        let (mut state, mut steps) = (network.initial(), Vec::new());
        for name in ["tl0", "tl1"] {
            let label = network.labels().get(name).unwrap();
            let step = network.steps(&state).into_iter().find(|s| s.label == label).unwrap();
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
            steps.push(step);
        }
        (network, origin, Trace { steps })
    }

    #[test]
    fn hidden_steps_keep_their_name() {
        let (network, origin, trace) = deadlock();
        let view = View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] };
        assert_eq!(view.action(&trace.steps[0]), "i (tl0)");
        assert_eq!(view.action(&trace.steps[1]), "tl1");
        assert_eq!(view.movers().len(), 4);
    }

    #[test]
    fn names_stay_on_one_line_and_are_cut_by_characters() {
        assert_eq!(plain("a\nb\tc"), "a\u{fffd}b\u{fffd}c");
        assert_eq!((cut("äöü", 3), cut("äöüß", 3)), ("äöü".into(), "äö…".into()));
        assert_eq!(few(&["a", "b", "c"], 2), "a, b, … 1 more");
    }
}
