//! The chart as a picture that needs nothing else: no style sheet, no script, no font of its own.

use super::Lifelines;
use crate::picture::NoPicture;
use crate::picture::view::{Arrow, View, cut, few};
use prequel_model::{ComponentId, Step};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Characters of the longest name, state, box and label that are shown; tooltips have all of it.
const NAME: usize = 24;
const STATE: usize = 22;
const BOX: usize = 26;
const LABEL: usize = 40;
const SOURCE: usize = 60;

/// Pixels per character, a little more than fonts need; wider than the glyphs is only less dense.
const CHAR: f64 = 7.3;
const BOLD_CHAR: f64 = 8.2;
const SMALL_CHAR: f64 = 6.7;

/// Heights and margins in pixels.
const HEAD: f64 = 28.0;
const ROW: f64 = 58.0;
const TOP: f64 = 20.0;
const LEFT: f64 = 58.0;
const MARGIN: f64 = 24.0;
/// Free space between what belongs to neighbouring lifelines.
const SPACE: f64 = 18.0;

/// Rows beyond which names are repeated at the bottom.
const LONG: usize = 10;

/// Writes the chart as SVG.
pub fn write(view: &View, out: &mut impl Write) -> Result<(), NoPicture> {
    let layout = Layout::new(view, super::lifelines(view)?);
    let rows_start = TOP + HEAD + 34.0;
    let rows_end = rows_start + ROW * view.trace.steps.len() as f64 + 8.0;
    let foot = if view.trace.steps.len() > LONG { HEAD } else { 0.0 };
    let (width, height) = (layout.width, rows_end + foot + MARGIN);
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="12">"##
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
    for at in (1..view.trace.steps.len()).step_by(2) {
        let y = rows_start + ROW * at as f64;
        writeln!(out, "<rect x=\"0\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{ROW:.0}\" fill=\"#f6f8fa\"/>")?;
    }
    if layout.movers.is_empty() {
        let y = rows_start - 10.0;
        writeln!(out, "<text x=\"{MARGIN:.0}\" y=\"{y:.0}\" fill=\"#57606a\">no steps: the initial state</text>")?;
    }
    for (&c, &x) in layout.movers.iter().zip(&layout.x) {
        let start = TOP + HEAD;
        writeln!(
            out,
            r##"<line x1="{x:.1}" y1="{start:.0}" x2="{x:.1}" y2="{rows_end:.0}" stroke="#afb8c1" stroke-width="1.2"/>"##
        )?;
        write_head(&view.component(c), x, TOP, out)?;
        if foot > 0.0 {
            write_head(&view.component(c), x, rows_end, out)?;
        }
        write_state(&view.initial(c), x, start + 8.0, out)?;
    }
    for (at, step) in view.trace.steps.iter().enumerate() {
        write_step(view, &layout, at, step, rows_start + ROW * at as f64, out)?;
    }
    for arrow in view.arrows {
        write_arrow(&layout, arrow, rows_start, out)?;
    }
    if let Some(cycle) = view.cycle {
        write_cycle(rows_start + ROW * cycle as f64, width, out)?;
    }
    writeln!(out, "</svg>")?;
    Ok(())
}

/// A message, from the box of who sends it to the box of who receives it; of two who meet only its tip is missing.
fn write_arrow(layout: &Layout, arrow: &Arrow, rows_start: f64, out: &mut impl Write) -> io::Result<()> {
    let Arrow { from: (sent, by), to: (received, with), message } = arrow;
    let (from, to) = (layout.x_of(*by), layout.x_of(*with));
    let middle = |row: usize| rows_start + ROW * row as f64 + 24.0;
    let ahead = if to > from { 1.0 } else { -1.0 };
    if sent == received {
        let (x, y) = (to - 5.0 * ahead, middle(*sent));
        let back = x - 9.0 * ahead;
        return writeln!(
            out,
            r##"<path d="M{x:.1} {y:.1} L{back:.1} {:.1} L{back:.1} {:.1} Z" fill="#0969da"/>"##,
            y - 4.5,
            y + 4.5
        );
    }
    // From the lower edge of one box to the upper edge of the other, with a tip in that direction.
    let (top, end) = (middle(*sent) + 11.0, middle(*received) - 13.0);
    let (dx, dy) = (to - from, end - top);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (bx, by) = (to - 10.0 * ux, end - 10.0 * uy);
    writeln!(
        out,
        r##"<line x1="{from:.1}" y1="{top:.1}" x2="{bx:.1}" y2="{by:.1}" stroke="#bc4c00" stroke-width="1.4"/><path d="M{to:.1} {end:.1} L{:.1} {:.1} L{:.1} {:.1} Z" fill="#bc4c00"/>"##,
        bx - 4.5 * uy,
        by + 4.5 * ux,
        bx + 4.5 * uy,
        by - 4.5 * ux
    )?;
    let shown = cut(message, BOX);
    // Beside the line, above where it comes in.
    let (x, y) = (to - dx * 0.25, end - dy * 0.25 - 4.0);
    let width = chars(message, BOX) * SMALL_CHAR + 6.0;
    writeln!(
        out,
        r##"<rect x="{:.1}" y="{:.1}" width="{width:.1}" height="14" fill="#ffffff" fill-opacity="0.85"/><text x="{x:.1}" y="{y:.1}" text-anchor="middle" font-size="11" fill="#bc4c00">{}</text>"##,
        x - width / 2.0,
        y - 11.0,
        escape(&shown)
    )
}

/// Where lifelines stand, and how wide all is without source lines.
pub(super) fn place(view: &View, movers: Vec<ComponentId>) -> Lifelines {
    let Layout { movers, x, source_x: width, .. } = Layout::new(view, movers);
    Lifelines { movers, x, width }
}

/// A line above the steps that are repeated for ever.
fn write_cycle(y: f64, width: f64, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        r##"<line x1="0" y1="{y:.0}" x2="{width:.0}" y2="{y:.0}" stroke="#cf222e" stroke-width="1.2" stroke-dasharray="6 3"/>"##
    )?;
    let (x, above) = (width - MARGIN, y - 3.0);
    writeln!(out, r##"<text x="{x:.0}" y="{above:.0}" fill="#cf222e" text-anchor="end">again and again</text>"##)
}

/// Where the lifelines are.
struct Layout {
    movers: Vec<ComponentId>,
    x: Vec<f64>,
    /// Where source lines start.
    source_x: f64,
    width: f64,
}

impl Layout {
    fn new(view: &View, movers: Vec<ComponentId>) -> Self {
        let lifeline = |c: ComponentId| movers.binary_search(&c).expect("whoever moves has a lifeline");
        let mut half: Vec<f64> =
            (movers.iter()).map(|&c| head_width(&view.component(c)).max(state_width(&view.initial(c))) / 2.0).collect();
        for step in &view.trace.steps {
            for m in &step.moves {
                let at = lifeline(m.component);
                half[at] = half[at].max(state_width(&view.state(m.component, m.to)) / 2.0);
                if step.moves.len() == 1 {
                    half[at] = half[at].max(box_width(&view.action(step)) / 2.0);
                }
            }
        }
        let mut gaps: Vec<f64> = (0..movers.len())
            .map(|at| if at == 0 { LEFT + half[0] } else { half[at - 1] + half[at] + SPACE })
            .collect();
        // A label stands between the first and the last participant: the last gap grows until it fits.
        for step in view.trace.steps.iter().filter(|s| s.moves.len() > 1) {
            let ends = step.moves.first().zip(step.moves.last());
            let Some((first, last)) = ends.map(|(f, l)| (lifeline(f.component), lifeline(l.component))) else {
                continue;
            };
            let room: f64 = gaps[first + 1..=last].iter().sum();
            gaps[last] += (label_width(&view.action(step)) + 20.0 - room).max(0.0);
        }
        let mut at = 0.0;
        let x: Vec<f64> = gaps
            .iter()
            .map(|gap| {
                at += gap;
                at
            })
            .collect();
        let right = x.last().zip(half.last()).map_or(LEFT + 220.0, |(x, half)| x + half);
        let source = (0..view.trace.steps.len()).map(|at| source(view, at).chars().count()).max().unwrap_or(0);
        let source_x = right + MARGIN;
        let width = if source == 0 { source_x } else { source_x + source as f64 * SMALL_CHAR + MARGIN };
        Self { movers, x, source_x, width }
    }

    fn x_of(&self, c: ComponentId) -> f64 {
        self.x[self.movers.binary_search(&c).expect("whoever moves has a lifeline")]
    }
}

fn chars(text: &str, most: usize) -> f64 {
    text.chars().count().min(most) as f64
}

fn head_width(name: &str) -> f64 {
    chars(name, NAME) * BOLD_CHAR + 20.0
}

fn state_width(name: &str) -> f64 {
    chars(name, STATE) * SMALL_CHAR + 12.0
}

fn box_width(action: &str) -> f64 {
    chars(action, BOX) * CHAR + 16.0
}

fn label_width(action: &str) -> f64 {
    chars(action, LABEL) * CHAR + 8.0
}

/// The source lines of a step as shown at the right.
fn source(view: &View, step: usize) -> String {
    cut(&few(&view.short_lines_of(step), 3), SOURCE)
}

fn write_head(name: &str, x: f64, y: f64, out: &mut impl Write) -> io::Result<()> {
    let width = head_width(name);
    writeln!(
        out,
        r##"<g><title>{}</title><rect x="{:.1}" y="{y:.0}" width="{width:.1}" height="{HEAD:.0}" rx="5" fill="#0b3d5c"/><text x="{x:.1}" y="{:.1}" text-anchor="middle" font-size="13" font-weight="bold" fill="#ffffff">{}</text></g>"##,
        escape(name),
        x - width / 2.0,
        y + 18.5,
        escape(&cut(name, NAME)),
    )
}

fn write_state(name: &str, x: f64, y: f64, out: &mut impl Write) -> io::Result<()> {
    if name.is_empty() {
        return Ok(());
    }
    let width = state_width(name);
    writeln!(
        out,
        r##"<rect x="{:.1}" y="{y:.1}" width="{width:.1}" height="17" rx="8.5" fill="#ddf4ff" stroke="#b6e3ff"/><text x="{x:.1}" y="{:.1}" text-anchor="middle" font-size="11" fill="#0a3069">{}</text>"##,
        x - width / 2.0,
        y + 12.5,
        escape(&cut(name, STATE)),
    )
}

fn write_step(view: &View, layout: &Layout, at: usize, step: &Step, top: f64, out: &mut impl Write) -> io::Result<()> {
    let hidden = view.is_hidden(step);
    let (ink, line, dash) = match hidden {
        true => ("#8c959f", "#8c959f", " stroke-dasharray=\"5 4\""),
        false => ("#1f2328", "#0969da", ""),
    };
    let y = top + 24.0;
    writeln!(out, "<g><title>{}</title>", escape(&tooltip(view, at, step)))?;
    let number = at + 1;
    writeln!(
        out,
        r##"<text x="{:.0}" y="{:.1}" text-anchor="end" font-size="11" fill="#6e7781">{number}</text>"##,
        LEFT - 20.0,
        y + 4.0
    )?;
    let action = view.action(step);
    match &step.moves[..] {
        [] => {}
        [one] => {
            let (x, width) = (layout.x_of(one.component), box_width(&action));
            writeln!(
                out,
                r##"<rect x="{:.1}" y="{:.1}" width="{width:.1}" height="22" rx="3" fill="#ffffff" stroke="{line}" stroke-width="1.4"{dash}/><text x="{x:.1}" y="{:.1}" text-anchor="middle" fill="{ink}">{}</text>"##,
                x - width / 2.0,
                y - 12.0,
                y + 3.5,
                escape(&cut(&action, BOX)),
            )?;
        }
        [first, .., last] => {
            let (from, to) = (layout.x_of(first.component), layout.x_of(last.component));
            let (middle, width) = ((from + to) / 2.0, label_width(&action));
            writeln!(
                out,
                r##"<line x1="{from:.1}" y1="{y:.1}" x2="{to:.1}" y2="{y:.1}" stroke="{line}" stroke-width="1.6"{dash}/>"##
            )?;
            let ground = if at % 2 == 1 { "#f6f8fa" } else { "#ffffff" };
            writeln!(
                out,
                r##"<rect x="{:.1}" y="{:.1}" width="{width:.1}" height="15" fill="{ground}"/><text x="{middle:.1}" y="{:.1}" text-anchor="middle" fill="{ink}">{}</text>"##,
                middle - width / 2.0,
                y - 19.0,
                y - 7.5,
                escape(&cut(&action, LABEL)),
            )?;
            for m in &step.moves {
                let x = layout.x_of(m.component);
                writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="{line}"/>"##)?;
            }
        }
    }
    for m in &step.moves {
        write_state(&view.state(m.component, m.to), layout.x_of(m.component), y + 13.0, out)?;
    }
    let source = source(view, at);
    if !source.is_empty() {
        writeln!(
            out,
            r##"<text x="{:.1}" y="{:.1}" font-size="11" fill="#6e7781">{}</text>"##,
            layout.source_x,
            y + 4.0,
            escape(&source)
        )?;
    }
    writeln!(out, "</g>")
}

/// All that is known of a step, uncut.
fn tooltip(view: &View, at: usize, step: &Step) -> String {
    let mut text = format!("{}. {}", at + 1, view.action(step));
    for m in &step.moves {
        let (from, to) = (view.state(m.component, m.from), view.state(m.component, m.to));
        let _ = write!(text, "\n{}: {from} → {to}", view.component(m.component));
    }
    for line in view.lines_of(at) {
        let _ = write!(text, "\n{line}");
    }
    text
}

/// Text that is safe in XML, attributes included.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            // No XML document may hold these, escaped or not.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() && c != '\n' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::tests::deadlock;
    use prequel_model::{Component, Labels, Lts, Network, Origin, StateId, Trace, Transition};

    fn drawn(view: View) -> String {
        let mut out = Vec::new();
        write(&view, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lifelines_dots_and_hidden_steps_are_drawn() {
        let (network, origin, trace) = deadlock();
        let svg =
            drawn(View { network: &network, origin: &origin, trace: &trace, lines: &[], cycle: None, arrows: &[] });
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
        assert_eq!(svg.matches("font-weight=\"bold\"").count(), 4);
        assert!(svg.contains(">i (tl0)</text>") && svg.contains(">held as left</text>"));
        assert!(svg.contains("1. i (tl0)\nphil0: thinking → left"));
    }

    #[test]
    fn names_cannot_break_the_picture() {
        let mut labels = Labels::new();
        let odd = labels.intern("a<b>&\"c'\u{1}\u{ffff}");
        let lts = Lts::new(StateId(0), 2, vec![Transition::new(0, odd, 1)]);
        let network = Network::new(labels, vec![Component::new("x</svg>", lts)]);
        let trace = Trace { steps: network.steps(&network.initial()) };
        let svg = drawn(View {
            network: &network,
            origin: &Origin::default(),
            trace: &trace,
            lines: &[],
            cycle: None,
            arrows: &[],
        });
        assert!(svg.contains("a&lt;b&gt;&amp;&quot;c&apos;\u{fffd}\u{fffd}"), "{svg}");
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(svg.chars().all(|c| !c.is_control() || c == '\n'));
    }

    #[test]
    fn neighbouring_lifelines_leave_room_for_the_label_between_them() {
        let mut labels = Labels::new();
        let long = labels.intern(&"long".repeat(30));
        let lts = Lts::new(StateId(0), 2, vec![Transition::new(0, long, 1)]);
        let network = Network::new(labels, vec![Component::new("x", lts.clone()), Component::new("y", lts)]);
        let trace = Trace { steps: network.steps(&network.initial()) };
        let view =
            View { network: &network, origin: &Origin::default(), trace: &trace, lines: &[], cycle: None, arrows: &[] };
        let layout = Layout::new(&view, view.movers());
        assert!(layout.x[1] - layout.x[0] >= LABEL as f64 * CHAR);
        assert!(drawn(view).contains("…</text>"));
    }
}
