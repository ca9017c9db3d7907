//! What `lazy` came to, laid out: Tables 2 and 3, how seconds grow, how many components were used.

use super::number;
use crate::job::reproduce::Table;
use prequel_formats::picture::plot;
use prequel_formats::picture::plot::{Kind, Series};
use std::fmt::Write as _;

/// A family of some size, as `lazy` decided it.
pub struct Point {
    pub family: &'static str,
    pub size: usize,
    pub verdict: bool,
    pub seconds: f64,
    /// States of all parts together.
    pub states: u64,
    pub components: usize,
    /// How many of them the answer needs, and what the first component of the goal needs alone.
    pub needed: Option<usize>,
    pub alone: Option<usize>,
    /// What the paper prints.
    pub lara: Option<String>,
    pub lola: Option<String>,
}

/// Sizes between which growth is told.
const FROM: usize = 10_000;
const TO: usize = 100_000;

/// A line for each size and a column for each family: seconds, components; then growth.
pub fn laid_out(points: &[Point]) -> Vec<Table> {
    let mut tables = vec![
        grid("Tables 2 and 3, seconds: ours | LaRA in the paper | LoLA in the paper", points, |point| {
            let printed = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "–".into());
            format!("{:.3} | {} | {}", point.seconds, printed(&point.lara), printed(&point.lola))
        }),
        grid("Components that the answer needs, of how many", points, |point| {
            point.needed.map_or("–".into(), |needed| format!("{needed} of {}", point.components))
        }),
        grid("Components that are needed to bring the first one of the goal alone where it asks", points, |point| {
            point.alone.map_or("–".into(), |alone| format!("{alone} of {}", point.components))
        }),
    ];
    let growth: Vec<Vec<String>> = families(points).into_iter().filter_map(|family| ratio(points, family)).collect();
    if !growth.is_empty() {
        let head = ["family", "10,000", "100,000", "ratio"].map(str::to_owned).to_vec();
        let rows = std::iter::once(head).chain(growth).collect();
        tables.push(Table { title: "Seconds at two sizes".into(), rows });
    }
    tables
}

fn families(points: &[Point]) -> Vec<&'static str> {
    let mut families: Vec<&str> = points.iter().map(|point| point.family).collect();
    families.dedup();
    families
}

fn find<'p>(points: &'p [Point], family: &str, size: usize) -> Option<&'p Point> {
    points.iter().find(|point| point.family == family && point.size == size)
}

fn ratio(points: &[Point], family: &str) -> Option<Vec<String>> {
    let [from, to] = [FROM, TO].map(|size| find(points, family, size));
    let (from, to) = (from?.seconds, to?.seconds);
    Some(vec![family.to_owned(), format!("{from:.4}"), format!("{to:.4}"), format!("{:.1}", to / from)])
}

fn grid(title: &str, points: &[Point], text: impl Fn(&Point) -> String) -> Table {
    let families = families(points);
    let mut sizes: Vec<usize> = points.iter().map(|point| point.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let head = std::iter::once("size".to_owned()).chain(families.iter().map(|&family| family.into())).collect();
    let row = |&size: &usize| {
        let cells = families.iter().map(|family| find(points, family, size).map_or(String::new(), &text));
        std::iter::once(size.to_string()).chain(cells).collect()
    };
    Table { title: title.into(), rows: std::iter::once(head).chain(sizes.iter().map(row)).collect() }
}

/// All points, one a line.
pub fn csv(points: &[Point]) -> String {
    let mut text = String::from(
        "family,size,verdict,seconds,states,components,components used,first alone,LaRA in the paper,LoLA in the paper\n",
    );
    for point in points {
        let Point { family, size, verdict, seconds, states, components, .. } = point;
        let count = |number: Option<usize>| number.map_or(String::new(), |n| n.to_string());
        let [needed, alone] = [point.needed, point.alone].map(count);
        let [lara, lola] = [&point.lara, &point.lola].map(|cell| cell.as_deref().unwrap_or_default());
        let _ = writeln!(
            text,
            "{family},{size},{verdict},{seconds:.6},{states},{components},{needed},{alone},{lara},{lola}"
        );
    }
    text
}

/// How seconds grow with size: ours, and beside each family LaRA's in the paper.
pub fn plot(points: &[Point]) -> String {
    let micros = |seconds: f64| (seconds * 1e6).round().max(1.0) as u64;
    let mut curves = Vec::new();
    for family in families(points) {
        let of = || points.iter().filter(|point| point.family == family);
        let ours = of().map(|point| (point.size as u64, micros(point.seconds))).collect();
        curves.push(Series { name: format!("{family}, here"), points: ours });
        let printed = |point: &Point| Some((point.size as u64, micros(number(point.lara.as_deref()?)?)));
        let printed: Vec<(u64, u64)> = of().filter_map(printed).collect();
        if !printed.is_empty() {
            curves.push(Series { name: format!("{family}, LaRA in the paper"), points: printed });
        }
    }
    plot::svg("Lazy reachability", "size", "microseconds", Kind::Powers, &curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(family: &'static str, size: usize, seconds: f64) -> Point {
        let (lara, lola) = (Some("1.50".to_owned()), None);
        let (needed, alone) = (Some(size / 2), Some(3));
        Point { family, size, verdict: true, seconds, states: 7, components: size, needed, alone, lara, lola }
    }

    #[test]
    fn growth_is_told_where_both_sizes_are_there() {
        let points =
            [point("a", 15, 0.001), point("a", 10_000, 0.1), point("a", 100_000, 1.2), point("b", 10_000, 0.5)];
        let tables = laid_out(&points);
        assert_eq!(tables.len(), 4);
        assert!(tables[0].rows.iter().any(|row| row[..2] == ["15", "0.001 | 1.50 | –"]), "{:?}", tables[0]);
        let has = |table: &Table, text: &str| table.rows.iter().flatten().any(|cell| cell == text);
        assert!(has(&tables[1], "50000 of 100000") && has(&tables[2], "3 of 100000"), "{tables:?}");
        assert_eq!(tables[3].rows.last().unwrap(), &["a", "0.1000", "1.2000", "12.0"]);
        assert_eq!(laid_out(&points[..1]).len(), 3);
        assert_eq!(csv(&points).lines().nth(2), Some("a,10000,true,0.100000,7,10000,5000,3,1.50,"));
        let svg = plot(&points);
        assert!(svg.contains("a, LaRA in the paper") && svg.contains("microseconds"), "{svg}");
    }
}
