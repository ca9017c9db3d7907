//! A witness as a table: one row per step, one column per component that moves.

use super::extent::{Extent, Line};
use super::view::{View, cut, few};
use std::io::{self, Write};

/// Components beyond which a table is no longer readable.
const MOST_COLUMNS: usize = 12;
/// Characters per row beyond which a table is no longer readable.
const MOST_WIDTH: usize = 160;
/// Where the list form breaks its lines.
const LIST_WIDTH: usize = 100;
/// Longest action, list of names, list of lines and state in a cell.
const ACTION: usize = 36;
const NAMES: usize = 40;
const LINES: usize = 48;
const STATE: usize = 20;

/// Writes the table, or a list of steps where a table would be too wide.
pub fn write(view: &View, extent: Extent, out: &mut impl Write) -> io::Result<()> {
    let movers = view.movers();
    if movers.len() <= MOST_COLUMNS {
        let rows = rows(view, extent);
        let shown = || rows.iter().filter_map(Line::step);
        let columns = shown().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> =
            (0..columns).map(|c| shown().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
        if widths.iter().sum::<usize>() + 2 * (widths.len() - 1) <= MOST_WIDTH {
            return write_rows(view, extent, &rows, &widths, out);
        }
    }
    write_list(view, extent, out)
}

/// Which steps are shown.
fn lines(view: &View, extent: Extent) -> Vec<Line<usize>> {
    let steps = &view.trace.steps;
    extent.lines(steps.len(), |one, other| steps[one] == steps[other])
}

/// All cells, header first.
fn rows(view: &View, extent: Extent) -> Vec<Line<Vec<String>>> {
    let movers = view.movers();
    let with_lines = view.lines.iter().any(|l| !l.is_empty());
    let row = |head: [String; 3], states: Vec<String>, lines: String| {
        let mut cells = Vec::from(head);
        cells.extend(states);
        if with_lines {
            cells.push(lines);
        }
        cells
    };
    let names = movers.iter().map(|&c| cut(&view.component(c), STATE)).collect();
    let header = row(["#".into(), "action".into(), "who".into()], names, "line".into());
    let initial = movers.iter().map(|&c| cut(&view.initial(c), STATE)).collect();
    let first = row(["0".into(), String::new(), String::new()], initial, String::new());
    let step = |at: usize| {
        let step = &view.trace.steps[at];
        let mut states = vec![String::new(); movers.len()];
        for m in &step.moves {
            let column = movers.binary_search(&m.component).expect("whoever moves has a column");
            states[column] = cut(&view.state(m.component, m.to), STATE);
        }
        let who: Vec<String> = step.moves.iter().map(|m| view.component(m.component)).collect();
        let head = [(at + 1).to_string(), cut(&view.action(step), ACTION), cut(&few(&who, 4), NAMES)];
        row(head, states, cut(&few(&view.short_lines_of(at), 3), LINES))
    };
    let steps = lines(view, extent).into_iter().map(|line| line.map(step));
    [Line::Step(header), Line::Step(first)].into_iter().chain(steps).collect()
}

/// Says before a line that the steps from there on, or from one of those that are left out, are repeated for ever.
fn write_cycle(view: &View, line: &Line<usize>, out: &mut impl Write) -> io::Result<()> {
    match (view.cycle, line) {
        (Some(from), Line::Step(at)) if from == *at => writeln!(out, "-- again and again:"),
        (Some(from), Line::LeftOut(steps)) if steps.contains(from) => {
            writeln!(out, "-- again and again, from step {} on:", from + 1)
        }
        _ => Ok(()),
    }
}

fn write_rows(
    view: &View,
    extent: Extent,
    rows: &[Line<Vec<String>>],
    widths: &[usize],
    out: &mut impl Write,
) -> io::Result<()> {
    let shown = lines(view, extent);
    for (at, row) in rows.iter().enumerate() {
        // The first two are no steps.
        if let Some(line) = at.checked_sub(2).and_then(|at| shown.get(at)) {
            write_cycle(view, line, out)?;
        }
        let row = match row {
            Line::Step(row) => row,
            Line::LeftOut(steps) => {
                writeln!(out, "{steps}")?;
                continue;
            }
        };
        let mut line = format!("{:>width$}", row[0], width = widths[0]);
        for (cell, &width) in row.iter().zip(widths).skip(1) {
            line.push_str(&format!("  {cell:<width$}"));
        }
        writeln!(out, "{}", line.trim_end())?;
        if at == 0 {
            let rule: Vec<String> = widths.iter().map(|&w| "─".repeat(w)).collect();
            writeln!(out, "{}", rule.join("  "))?;
        }
    }
    Ok(())
}

/// One paragraph per step: the action, then who moves from where to where.
fn write_list(view: &View, extent: Extent, out: &mut impl Write) -> io::Result<()> {
    let gutter = view.trace.steps.len().to_string().len();
    let indent = " ".repeat(gutter + 2);
    writeln!(out, "{:>gutter$}  initial state", 0)?;
    for line in lines(view, extent) {
        write_cycle(view, &line, out)?;
        let at = match line {
            Line::Step(at) => at,
            Line::LeftOut(steps) => {
                writeln!(out, "{steps}")?;
                continue;
            }
        };
        let step = &view.trace.steps[at];
        writeln!(out, "{:>gutter$}  {}", at + 1, view.action(step))?;
        let moves = step.moves.iter().map(|m| {
            let (from, to) = (view.state(m.component, m.from), view.state(m.component, m.to));
            format!("{}: {from} → {to}", view.component(m.component))
        });
        write_wrapped(&indent, moves, out)?;
        let lines = view.lines_of(at);
        if !lines.is_empty() {
            writeln!(out, "{indent}({})", few(lines, 4))?;
        }
    }
    Ok(())
}

/// Writes items with commas between them, as many to a line as fit.
fn write_wrapped(indent: &str, items: impl Iterator<Item = String>, out: &mut impl Write) -> io::Result<()> {
    let mut line = String::new();
    for item in items {
        if !line.is_empty() {
            line.push(',');
            // One for the blank before it, one for the comma after it.
            if indent.len() + line.chars().count() + item.chars().count() + 2 > LIST_WIDTH {
                writeln!(out, "{indent}{line}")?;
                line.clear();
            } else {
                line.push(' ');
            }
        }
        line.push_str(&item);
    }
    writeln!(out, "{indent}{line}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::tests::deadlock;
    use prequel_families::{Instance, counter};
    use prequel_model::{Origin, Trace};

    fn shown(view: View) -> String {
        let mut out = Vec::new();
        write(&view, Extent::Whole, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_small_witness_is_a_table() {
        let (network, origin, trace) = deadlock();
        let lines = [vec!["a/b/phil0.aut:2".to_owned(), "a/b/fork0.aut:2".to_owned()]];
        let text =
            shown(View { network: &network, origin: &origin, trace: &trace, lines: &lines, cycle: None, arrows: &[] });
        let expected = "\
#  action   who           phil0     phil1     fork0         fork1         line
─  ───────  ────────────  ────────  ────────  ────────────  ────────────  ────────────────────────
0                         thinking  thinking  free          free
1  i (tl0)  phil0, fork0  left                held as left                phil0.aut:2, fork0.aut:2
2  tl1      phil1, fork1            left                    held as left
";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_initial_state_alone_is_a_witness_too() {
        let (network, origin, _) = deadlock();
        let text = shown(View {
            network: &network,
            origin: &origin,
            trace: &Trace::default(),
            lines: &[],
            cycle: None,
            arrows: &[],
        });
        assert_eq!(text, "#  action  who\n─  ──────  ───\n0\n");
    }

    #[test]
    fn many_movers_make_a_list_with_short_lines() {
        let Instance { network, .. } = counter::bits(14, 0);
        let (mut trace, mut state) = (Trace::default(), network.initial());
        for _ in 0..(1 << 13) {
            let step = network.steps(&state).swap_remove(0);
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
            trace.steps.push(step);
        }
        let text = shown(View {
            network: &network,
            origin: &Origin::default(),
            trace: &trace,
            lines: &[],
            cycle: None,
            arrows: &[],
        });
        assert!(
            text.starts_with("   0  initial state\n   1  carry0\n      bit0: 0 → 1\n   2  carry1\n"),
            "{}",
            &text[..200]
        );
        assert!(text.ends_with("bit6: 1 → 0,\n      bit7: 1 → 0, bit8: 1 → 0, bit9: 1 → 0, bit10: 1 → 0, bit11: 1 → 0, bit12: 1 → 0, bit13: 0 → 1\n"), "{}", &text[text.len() - 200..]);
        assert!(text.lines().all(|l| l.chars().count() <= LIST_WIDTH));
    }
}
