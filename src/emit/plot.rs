//! Curves as a picture that needs nothing else: steps from point to point, a legend, round numbers on the axes.

use std::fmt::Write as _;

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// From left to right; a value holds until the next point.
    pub points: Vec<(u64, u64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// Told apart without colour too: by dashes.
const STYLES: [(&str, &str); 6] = [
    ("#0969da", ""),
    ("#cf222e", "7 4"),
    ("#1a7f37", "2 3"),
    ("#8250df", "10 3 2 3"),
    ("#9a6700", "4 2"),
    ("#57606a", "1 2"),
];

/// Draws curves as SVG.
pub fn svg(title: &str, x: &str, y: &str, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|s| &s.points);
    let (most_x, most_y) = (points().map(|p| p.0).max().unwrap_or(0), points().map(|p| p.1).max().unwrap_or(0));
    let (step_x, step_y) = (round(most_x), round(most_y));
    let (end_x, end_y) = (most_x.max(1).next_multiple_of(step_x), most_y.max(1).next_multiple_of(step_y));
    let at_x = |v: u64| LEFT + v as f64 / end_x as f64 * (WIDTH - LEFT - RIGHT);
    let at_y = |v: u64| HEIGHT - BOTTOM - v as f64 / end_y as f64 * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let text = |x: f64, y: f64, more: &str, text: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {more}>{}</text>\n", escape(text))
    };
    out += &text(WIDTH / 2.0, 22.0, "text-anchor=\"middle\" font-size=\"14\"", title);
    for v in (0..=end_x).step_by(step_x as usize) {
        let x = at_x(v);
        let _ = writeln!(out, "<path d=\"M{x:.1} {:.1}V{TOP}\" stroke=\"#eaeef2\"/>", at_y(0));
        out += &text(x, at_y(0) + 18.0, "text-anchor=\"middle\" fill=\"#57606a\"", &v.to_string());
    }
    for v in (0..=end_y).step_by(step_y as usize) {
        let y = at_y(v);
        let _ = writeln!(out, "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#eaeef2\"/>", WIDTH - RIGHT);
        out += &text(LEFT - 8.0, y + 4.0, "text-anchor=\"end\" fill=\"#57606a\"", &v.to_string());
    }
    out += &text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "text-anchor=\"middle\"", x);
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    out += &text(16.0, middle, &format!("text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\""), y);
    for (at, curve) in series.iter().enumerate() {
        let (colour, dash) = STYLES[at % STYLES.len()];
        let mut path = String::new();
        for &(x, y) in &curve.points {
            let _ = match path.is_empty() {
                true => write!(path, "M{:.1} {:.1}", at_x(x), at_y(y)),
                false => write!(path, "H{:.1}V{:.1}", at_x(x), at_y(y)),
            };
        }
        let line = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"");
        let _ = writeln!(out, "<path d=\"{path}\" {line}/>");
        let y = TOP + 14.0 + 18.0 * at as f64;
        let (from, to) = (WIDTH - RIGHT - 150.0, WIDTH - RIGHT - 118.0);
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_through_its_points_and_the_axes_are_round() {
        let curve = Series { name: "a < b".into(), points: vec![(0, 64), (10, 8)] };
        let svg = svg("t", "x", "y", &[curve]);
        assert!(svg.contains("a &lt; b") && svg.contains(">60<") && svg.contains(">10<"), "{svg}");
        assert_eq!(svg.matches("<path d=\"M64.0 ").count(), 2, "an axis and the curve start on the left\n{svg}");
        assert_eq!((round(0), round(64), round(192), round(1000)), (1, 10, 20, 100));
    }
}
