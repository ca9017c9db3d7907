//! Curves as a picture that needs nothing else: axes with round numbers, a legend beside them.

use std::fmt::Write as _;

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// From left to right.
    pub points: Vec<(u64, u64)>,
}

/// What kind of picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A value holds until the next point.
    Steps,
    /// Values at sizes: straight lines between points, every power of ten as high as the last.
    Growth,
    /// The same with every power of ten as wide as the last: what grows by a power is a straight line.
    Powers,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// What a letter of the legend takes.
const LETTER: f64 = 6.4;
/// Told apart without colour too: by dashes.
const STYLES: [(&str, &str); 12] = [
    ("#0969da", ""),
    ("#cf222e", "7 4"),
    ("#1a7f37", "2 3"),
    ("#8250df", "10 3 2 3"),
    ("#9a6700", "4 2"),
    ("#57606a", "1 2"),
    ("#bf3989", "12 4"),
    ("#0b7285", "6 2 1 2"),
    ("#e16f24", "3 5"),
    ("#24292f", "14 3 3 3 3 3"),
    ("#2da44e", "1 4"),
    ("#a371f7", "9 2 9 2 2 2"),
];

/// An axis: where its lines are, and how far along it a value is, from 0 to 1.
struct Axis {
    lines: Vec<u64>,
    place: Box<dyn Fn(u64) -> f64>,
}

impl Axis {
    fn linear(most: u64) -> Self {
        let step = round(most);
        let end = most.max(1).next_multiple_of(step);
        Self { lines: (0..=end).step_by(step as usize).collect(), place: Box::new(move |v| v as f64 / end as f64) }
    }

    fn powers(most: u64) -> Self {
        // The last line is at the largest value or above it.
        let below = (most.max(10) - 1).ilog10();
        let powers = below + 1;
        let place = move |v: u64| (v.max(1) as f64).log10() / f64::from(powers);
        Self { lines: (0..=powers).map(|power| 10u64.saturating_pow(power)).collect(), place: Box::new(place) }
    }
}

/// Draws curves as SVG.
pub fn svg(title: &str, x: &str, y: &str, kind: Kind, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|s| &s.points);
    let (most_x, most_y) = (points().map(|p| p.0).max().unwrap_or(0), points().map(|p| p.1).max().unwrap_or(0));
    let across = if kind == Kind::Powers { Axis::powers(most_x) } else { Axis::linear(most_x) };
    let up = if kind == Kind::Steps { Axis::linear(most_y) } else { Axis::powers(most_y) };
    let at_x = |v: u64| LEFT + (across.place)(v) * (WIDTH - LEFT);
    let at_y = |v: u64| HEIGHT - BOTTOM - (up.place)(v) * (HEIGHT - TOP - BOTTOM);
    let longest = series.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
    let width = (WIDTH + 72.0 + LETTER * longest as f64).ceil();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" viewBox=\"0 0 {width} {HEIGHT}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let text = |x: f64, y: f64, more: &str, text: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {more}>{}</text>\n", escape(text))
    };
    out += &text(width / 2.0, 22.0, "text-anchor=\"middle\" font-size=\"14\"", title);
    let bottom = HEIGHT - BOTTOM;
    for &v in &across.lines {
        let x = at_x(v);
        let _ = writeln!(out, "<path d=\"M{x:.1} {bottom:.1}V{TOP}\" stroke=\"#eaeef2\"/>");
        out += &text(x, bottom + 18.0, "text-anchor=\"middle\" fill=\"#57606a\"", &short(v));
    }
    for &v in &up.lines {
        let y = at_y(v);
        let _ = writeln!(out, "<path d=\"M{LEFT} {y:.1}H{WIDTH}\" stroke=\"#eaeef2\"/>");
        out += &text(LEFT - 8.0, y + 4.0, "text-anchor=\"end\" fill=\"#57606a\"", &short(v));
    }
    out += &text((LEFT + WIDTH) / 2.0, HEIGHT - 12.0, "text-anchor=\"middle\"", x);
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    out += &text(14.0, middle, &format!("text-anchor=\"middle\" transform=\"rotate(-90 14 {middle})\""), y);
    for (at, curve) in series.iter().enumerate() {
        let (colour, dash) = STYLES[at % STYLES.len()];
        let mut path = String::new();
        for &(x, y) in &curve.points {
            let (x, y) = (at_x(x), at_y(y));
            let _ = match (path.is_empty(), kind) {
                (true, _) => write!(path, "M{x:.1} {y:.1}"),
                (false, Kind::Steps) => write!(path, "H{x:.1}V{y:.1}"),
                (false, Kind::Growth | Kind::Powers) => write!(path, "L{x:.1} {y:.1}"),
            };
            if kind != Kind::Steps {
                let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>");
            }
        }
        let line = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"");
        let _ = writeln!(out, "<path d=\"{path}\" {line}/>");
        let y = TOP + 14.0 + 18.0 * at as f64;
        let (from, to) = (WIDTH + 16.0, WIDTH + 48.0);
        let _ = writeln!(out, "<path d=\"M{from} {y}H{to}\" {line}/>");
        out += &text(to + 8.0, y + 4.0, "", &curve.name);
    }
    out + "</svg>\n"
}

/// A distance of 1, 2 or 5 times a power of ten, for ten lines at most.
fn round(most: u64) -> u64 {
    let mut unit = 1;
    loop {
        for factor in [1, 2, 5] {
            if most <= 10 * factor * unit {
                return factor * unit;
            }
        }
        unit *= 10;
    }
}

/// Whole millions and more with a letter: there is little room beside an axis.
fn short(v: u64) -> String {
    match v {
        1_000_000_000.. if v.is_multiple_of(1_000_000_000) => format!("{}G", v / 1_000_000_000),
        1_000_000.. if v.is_multiple_of(1_000_000) => format!("{}M", v / 1_000_000),
        _ => v.to_string(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_through_its_points_and_the_axes_are_round() {
        let curve = Series { name: "a < b".into(), points: vec![(0, 64), (10, 8)] };
        let svg = svg("t", "x", "y", Kind::Steps, &[curve]);
        assert!(svg.contains("a &lt; b") && svg.contains(">60<") && svg.contains(">10<"), "{svg}");
        assert_eq!(svg.matches("<path d=\"M76.0 ").count(), 2, "an axis and the curve start on the left\n{svg}");
        assert!(svg.contains("H520.0V"), "values hold until the next point\n{svg}");
        let labels = [0, 100_000, 1_500_000, 20_000_000, 3_000_000_000].map(short);
        assert_eq!(labels, ["0", "100000", "1500000", "20M", "3G"]);
        assert_eq!((round(0), round(64), round(192), round(1000)), (1, 10, 20, 100));
    }

    #[test]
    fn growth_is_drawn_by_powers_of_ten() {
        let curve = Series { name: "n".into(), points: vec![(1, 1), (2, 100), (3, 10_000)] };
        let svg = svg("t", "x", "y", Kind::Growth, &[curve]);
        assert!(svg.contains(">1<") && svg.contains(">10000<") && !svg.contains(">100000<"), "{svg}");
        let heights: Vec<f64> =
            svg.split(" cy=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
        assert_eq!(heights.len(), 3);
        assert!((heights[0] - heights[1] - (heights[1] - heights[2])).abs() < 0.2, "{heights:?}");
    }

    #[test]
    fn what_grows_by_a_power_is_a_straight_line() {
        let curve = Series { name: "n".into(), points: vec![(1, 10), (10, 100), (1000, 10_000)] };
        let svg = svg("t", "x", "y", Kind::Powers, &[curve]);
        let of = |name: &str| -> Vec<f64> {
            svg.split(name).skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
        };
        let (x, y) = (of(" cx=\""), of(" cy=\""));
        let slope = |a: usize, b: usize| (y[b] - y[a]) / (x[b] - x[a]);
        assert!((slope(0, 1) - slope(1, 2)).abs() < 0.01, "{x:?} {y:?}");
    }
}
