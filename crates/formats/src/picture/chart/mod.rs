//! A witness as a message sequence chart: a lifeline per component that moves, a row per step.
//!
//! A step of one component is a box on its lifeline; a step of several is a line with a dot at each of them and the action
//! above. Below are the states they move to. Hidden steps are dashed and grey.

mod svg;
mod text;

pub use svg::write as write_svg;
pub use text::write as write_text;

use super::view::View;
use crate::picture::NoPicture;
use prequel_model::ComponentId;

/// Lifelines beyond which nobody finds anything in a chart.
pub(crate) const MOST_LIFELINES: usize = 200;
/// Steps beyond which nobody does; a chart in characters has a cell for each step and lifeline.
pub const MOST_STEPS: usize = 20_000;

/// Where the lifelines of a chart stand, for who draws it with means of its own.
pub(super) struct Lifelines {
    /// Who has one, from left to right.
    pub movers: Vec<ComponentId>,
    /// Where they are.
    pub x: Vec<f64>,
    /// How wide all of it is.
    pub width: f64,
}

/// Places the lifelines as in the picture, which names source lines beside them.
pub(super) fn place(view: &View) -> Result<Lifelines, NoPicture> {
    Ok(svg::place(view, lifelines(view)?))
}

/// The components that get a lifeline, if the chart is small enough to be drawn.
fn lifelines(view: &View) -> Result<Vec<ComponentId>, NoPicture> {
    let (movers, what) = (view.movers(), || "the chart".to_owned());
    NoPicture::unless(what, movers.len(), MOST_LIFELINES, "lifelines")?;
    NoPicture::unless(what, view.trace.steps.len(), MOST_STEPS, "steps")?;
    Ok(movers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::{Instance, philo};
    use prequel_model::Trace;

    #[test]
    fn a_chart_of_hundreds_of_lifelines_is_refused() {
        let Instance { network, origin, .. } = philo::synchronous(202, 0);
        let (mut state, mut trace) = (network.initial(), Trace::default());
        for _ in 0..101 {
            let step = network.steps(&state).into_iter().find(|s| state[s.moves[0].component.at()].0 == 0).unwrap();
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
            trace.steps.push(step);
        }
        let view = View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] };
        let refused = write_text(&view, &mut std::io::sink()).unwrap_err().to_string();
        assert_eq!(refused, "the chart is too large to draw: 303 lifelines, at most 200 are drawn");
        assert_eq!(write_svg(&view, &mut std::io::sink()).unwrap_err().to_string(), refused);
    }
}
