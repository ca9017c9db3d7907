//! The chart in characters.

use crate::picture::NoPicture;
use crate::picture::view::{Arrow, View, cut};
use prequel_model::ComponentId;
use std::io::{self, Write};

/// Longest name, state or box on a lifeline.
const MOST: usize = 24;

/// Writes the chart as text.
pub fn write(view: &View, out: &mut impl Write) -> Result<(), NoPicture> {
    let movers = super::lifelines(view)?;
    if movers.is_empty() {
        writeln!(out, "no steps: the initial state")?;
        return Ok(());
    }
    let grid = Grid::new(view, movers);
    let each = |name: &dyn Fn(ComponentId) -> String| -> Vec<(usize, String)> {
        grid.movers.iter().enumerate().map(|(at, &c)| (at, cut(&name(c), MOST))).collect()
    };
    let mut names = grid.blank();
    each(&|c| view.component(c)).iter().for_each(|(at, name)| grid.centre(&mut names, *at, name));
    grid.line("", &names, out)?;
    let mut states = grid.lifelines();
    each(&|c| view.initial(c)).iter().for_each(|(at, name)| grid.centre(&mut states, *at, name));
    grid.line("", &states, out)?;
    grid.line("", &grid.lifelines(), out)?;
    for (number, step) in view.trace.steps.iter().enumerate() {
        if view.cycle == Some(number) {
            writeln!(out, "-- again and again:")?;
        }
        let at: Vec<usize> = step.moves.iter().filter_map(|m| grid.movers.binary_search(&m.component).ok()).collect();
        let (action, mut row) = (view.action(step), grid.lifelines());
        for arrow in view.received(number).iter().filter(|arrow| arrow.from.0 != number) {
            grid.line("", &grid.arrow(arrow), out)?;
        }
        if let [one] = at[..] {
            grid.centre(&mut row, one, &format!("[{}]", cut(&action, MOST - 2)));
        } else if let (Some(&first), Some(&last)) = (at.first(), at.last()) {
            let mut above = grid.lifelines();
            let (from, to) = (grid.x[first], grid.x[last]);
            let length = action.chars().count();
            // In the middle where there is room, else from the first dot on.
            let start = if length + 3 <= to - from { (from + to + 1 - length) / 2 } else { from + 2 };
            put(&mut above, start, &action);
            grid.line("", &above, out)?;
            let (dash, crossing) = if view.is_hidden(step) { ('╌', '┆') } else { ('─', '┼') };
            (from..=to).for_each(|x| row[x] = if row[x] == '│' { crossing } else { dash });
            at.iter().for_each(|&l| row[grid.x[l]] = '●');
            for arrow in view.received(number).iter().filter(|arrow| arrow.from.0 == number) {
                let [from, to] = grid.ends(arrow);
                row[if to > from { to - 1 } else { to + 1 }] = if to > from { '▶' } else { '◀' };
            }
        }
        grid.line(&(number + 1).to_string(), &row, out)?;
        let mut states = grid.lifelines();
        for (m, &lifeline) in step.moves.iter().zip(&at) {
            grid.centre(&mut states, lifeline, &cut(&view.state(m.component, m.to), MOST));
        }
        grid.line("", &states, out)?;
    }
    grid.line("", &grid.lifelines(), out)?;
    Ok(())
}

/// Where the lifelines are.
struct Grid {
    movers: Vec<ComponentId>,
    x: Vec<usize>,
    width: usize,
    gutter: usize,
}

impl Grid {
    fn new(view: &View, movers: Vec<ComponentId>) -> Self {
        let length = |text: String| text.chars().count().min(MOST);
        let mut widths: Vec<usize> =
            movers.iter().map(|&c| length(view.component(c)).max(length(view.initial(c)))).collect();
        for step in &view.trace.steps {
            for m in &step.moves {
                let width = &mut widths[movers.binary_search(&m.component).expect("whoever moves has a lifeline")];
                *width = (*width).max(length(view.state(m.component, m.to)));
                if step.moves.len() == 1 {
                    *width = (*width).max((view.action(step).chars().count() + 2).min(MOST));
                }
            }
        }
        let mut x = Vec::with_capacity(movers.len());
        let mut width = 0;
        for w in widths {
            x.push(width + w / 2 + 1);
            width += w + 3;
        }
        let gutter = view.trace.steps.len().to_string().len();
        Self { movers, x, width, gutter }
    }

    fn blank(&self) -> Vec<char> {
        vec![' '; self.width]
    }

    fn lifelines(&self) -> Vec<char> {
        let mut row = self.blank();
        self.x.iter().for_each(|&x| row[x] = '│');
        row
    }

    /// Where a message comes from and goes to.
    fn ends(&self, arrow: &Arrow) -> [usize; 2] {
        [arrow.from.1, arrow.to.1].map(|c| self.x[self.movers.binary_search(&c).expect("whoever moves has a lifeline")])
    }

    /// A message that was sent in an earlier step, with its number.
    fn arrow(&self, arrow: &Arrow) -> Vec<char> {
        let ([from, to], mut row) = (self.ends(arrow), self.lifelines());
        let (left, right) = (from.min(to), from.max(to));
        (left + 1..right).for_each(|x| row[x] = '╌');
        row[if to > from { to - 1 } else { to + 1 }] = if to > from { '▶' } else { '◀' };
        let text = format!(" {} (of {}) ", cut(&arrow.message, MOST), arrow.from.0 + 1);
        let length = text.chars().count();
        // In the middle where there is room, else behind the lifeline on the right.
        let start = if length + 4 <= right - left { (left + right + 1 - length) / 2 } else { right + 1 };
        put(&mut row, start, &text);
        row
    }

    /// Writes a text around a lifeline.
    fn centre(&self, row: &mut Vec<char>, lifeline: usize, text: &str) {
        put(row, self.x[lifeline] - text.chars().count() / 2, text);
    }

    fn line(&self, number: &str, row: &[char], out: &mut impl Write) -> io::Result<()> {
        let row: String = row.iter().collect();
        let line = format!("{number:>width$}  {row}", width = self.gutter);
        writeln!(out, "{}", line.trim_end())
    }
}

/// Writes a text over a row, which grows if need be.
fn put(row: &mut Vec<char>, start: usize, text: &str) {
    for (at, c) in text.chars().enumerate() {
        match row.get_mut(start + at) {
            Some(cell) => *cell = c,
            None => row.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::tests::deadlock;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;
    use prequel_model::{Origin, Trace};

    fn shown(view: View) -> String {
        let mut out = Vec::new();
        write(&view, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_join_the_participants_and_cross_the_others() {
        let (network, origin, trace) = deadlock();
        let text =
            shown(View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] });
        let expected = "
      phil0      phil1        fork0          fork1
    thinking   thinking       free           free
        │          │            │              │
        │        i (tl0)        │              │
1       ●╌╌╌╌╌╌╌╌╌╌┆╌╌╌╌╌╌╌╌╌╌╌╌●              │
      left         │      held as left         │
        │          │            tl1            │
2       │          ●────────────┼──────────────●
        │        left           │        held as left
        │          │            │              │
";
        assert_eq!(format!("\n{text}"), expected);
    }

    #[test]
    fn every_trace_has_a_chart() {
        for seed in 0..200 {
            let network = random::network(seed, &Shape::default());
            let (mut trace, mut state, mut rng) = (Trace::default(), network.initial(), Rng::new(seed));
            while let Some(steps) = Some(network.steps(&state)).filter(|s| !s.is_empty() && trace.steps.len() < 9) {
                let step = rng.pick(&steps).clone();
                step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
                trace.steps.push(step);
            }
            let view = View {
                network: &network,
                origin: &Origin::default(),
                trace: &trace,
                lines: &[],
                cycle: None,
                arrows: &[],
            };
            let text = shown(view);
            let together = trace.steps.iter().filter(|s| s.moves.len() > 1);
            assert_eq!(text.matches('●').count(), together.map(|s| s.moves.len()).sum::<usize>());
            let alone = trace.steps.iter().filter(|s| s.moves.len() == 1).count();
            assert_eq!(text.matches('[').count(), alone);
        }
    }
}
