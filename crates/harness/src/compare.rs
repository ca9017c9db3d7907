//! Two sets of results side by side: changed verdicts first, then times and memory beyond the noise.
//!
//! For each model, query and engine the ratio of the medians is given with a bootstrap confidence interval (Efron 1979): both
//! sets of repetitions are drawn anew, with replacement, many times over. A change is called one only if the interval lies on one
//! side of 1 and the change is larger than what the clock of a busy machine makes of equal runs.

use super::record::{Category, Key, Record};
use prequel_model::rng::Rng;
use std::collections::BTreeMap;

/// Drawings of the bootstrap.
const DRAWINGS: usize = 2000;
/// Of these, how many are inside the interval, in percent.
const CONFIDENCE: f64 = 95.0;
/// Changes of the median below this factor are none.
const NOTICED: f64 = 1.10;
/// Nor are changes below so many seconds.
const SECONDS: f64 = 0.02;
/// Nor below so many bytes.
const BYTES: f64 = (4 << 20) as f64;
/// Fewer repetitions than this say nothing about noise; then only changes of this factor count.
const FEW: usize = 3;
const LARGE: f64 = 2.0;

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Wall time, in seconds.
    Time,
    /// Memory, in bytes.
    Memory,
}

/// How a measure changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Which.
    pub measure: Measure,
    /// The median before.
    pub before: f64,
    /// The median after.
    pub after: f64,
    /// After divided by before.
    pub ratio: f64,
    /// The confidence interval of the ratio.
    pub interval: (f64, f64),
}

/// How the answers to a question changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turned {
    /// Model, query, engine.
    pub key: Key,
    /// What it was.
    pub before: (Category, String),
    /// What it is.
    pub after: (Category, String),
}

/// What is different.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Other categories or verdicts.
    pub turned: Vec<Turned>,
    /// Slower, or more memory.
    pub worse: Vec<(Key, Change)>,
    /// Faster, or less memory.
    pub better: Vec<(Key, Change)>,
    /// Within the noise.
    pub same: usize,
    /// Only before.
    pub gone: Vec<Key>,
    /// Only after.
    pub new: Vec<Key>,
}

impl Turned {
    /// Whether what is now is worse than what was: an answer is better than none, and nothing is worse than a wrong one.
    pub(crate) fn is_worse(&self) -> bool {
        let rank = |category: Category| match category {
            Category::Correct | Category::Unverified => 0,
            Category::Unknown | Category::Timeout | Category::OutOfMemory => 1,
            Category::Error => 2,
            Category::Wrong => 3,
        };
        rank(self.after.0) > rank(self.before.0) || rank(self.before.0) == 0 && self.before.1 != self.after.1
    }
}

impl Comparison {
    /// Whether something is worse than it was.
    pub fn is_regression(&self) -> bool {
        !self.worse.is_empty() || self.turned.iter().any(Turned::is_worse)
    }
}

/// Compares two sets of runs.
pub fn compare(before: &[Record], after: &[Record]) -> Comparison {
    let (before, after) = (by_key(before), by_key(after));
    let mut found = Comparison::default();
    for (key, old) in &before {
        let Some(new) = after.get(key) else {
            found.gone.push(key.clone());
            continue;
        };
        let (was, is) = (answer(old), answer(new));
        if was != is {
            found.turned.push(Turned { key: key.clone(), before: was, after: is });
            continue;
        }
        // The time of a run that was stopped is the limit.
        if !matches!(was.0, Category::Correct | Category::Unverified | Category::Unknown) {
            found.same += 1;
            continue;
        }
        let mut noticed = false;
        for measure in [Measure::Time, Measure::Memory] {
            let change = change(measure, old, new);
            match change.direction() {
                0 => continue,
                1 => found.worse.push((key.clone(), change)),
                _ => found.better.push((key.clone(), change)),
            }
            noticed = true;
        }
        found.same += usize::from(!noticed);
    }
    found.new = after.keys().filter(|key| !before.contains_key(*key)).cloned().collect();
    let largest = |changes: &mut Vec<(Key, Change)>| {
        changes.sort_by(|(_, a), (_, b)| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
    };
    largest(&mut found.worse);
    largest(&mut found.better);
    found
}

fn by_key(records: &[Record]) -> BTreeMap<Key, Vec<&Record>> {
    let mut found: BTreeMap<Key, Vec<&Record>> = BTreeMap::new();
    for record in records {
        found.entry(record.key()).or_default().push(record);
    }
    found
}

/// The worst of several runs: one wrong answer is a wrong answer.
fn answer(runs: &[&Record]) -> (Category, String) {
    let worst = [Category::Wrong, Category::Error, Category::OutOfMemory, Category::Timeout, Category::Unknown];
    let found = worst.iter().find_map(|category| runs.iter().find(|run| run.category == *category)).unwrap_or(&runs[0]);
    (found.category, found.verdict.clone())
}

fn change(measure: Measure, before: &[&Record], after: &[&Record]) -> Change {
    let value = |run: &&Record| match measure {
        Measure::Time => run.seconds,
        Measure::Memory => run.memory as f64,
    };
    let (old, new): (Vec<f64>, Vec<f64>) = (before.iter().map(value).collect(), after.iter().map(value).collect());
    let (was, is) = (median(&old), median(&new));
    Change { measure, before: was, after: is, ratio: ratio(is, was), interval: interval(&old, &new) }
}

impl Change {
    /// 1 for worse, -1 for better, 0 for neither.
    fn direction(&self) -> i8 {
        let least = match self.measure {
            Measure::Time => SECONDS,
            Measure::Memory => BYTES,
        };
        if (self.after - self.before).abs() < least {
            return 0;
        }
        match self.interval {
            (low, _) if low > 1.0 && self.ratio >= NOTICED => 1,
            (_, high) if high < 1.0 && self.ratio <= 1.0 / NOTICED => -1,
            _ => 0,
        }
    }
}

fn ratio(after: f64, before: f64) -> f64 {
    // What takes no time at all is taken for the shortest that a clock tells.
    after.max(1e-6) / before.max(1e-6)
}

/// The median; of an even number of values, the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// The confidence interval of the ratio of medians.
fn interval(before: &[f64], after: &[f64]) -> (f64, f64) {
    let found = ratio(median(after), median(before));
    if before.len() < FEW || after.len() < FEW {
        return (found / LARGE, found * LARGE);
    }
    let mut random = Rng::new(before.len() as u64);
    let mut drawn = |from: &[f64]| median(&(0..from.len()).map(|_| *random.pick(from)).collect::<Vec<_>>());
    let mut ratios: Vec<f64> = (0..DRAWINGS).map(|_| ratio(drawn(after), drawn(before))).collect();
    ratios.sort_by(f64::total_cmp);
    let outside = (DRAWINGS as f64 * (100.0 - CONFIDENCE) / 200.0) as usize;
    (ratios[outside], ratios[DRAWINGS - 1 - outside])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    fn runs(model: &str, seconds: &[f64]) -> Vec<Record> {
        seconds.iter().zip(1..).map(|(&seconds, number)| record(model, "otf", number, seconds)).collect()
    }

    #[test]
    fn equal_runs_are_no_change() {
        let noise = [1.00, 1.04, 0.97, 1.02, 0.99];
        let found = compare(&runs("a", &noise), &runs("a", &[1.03, 0.98, 1.01, 1.05, 0.96]));
        assert_eq!((found.same, found.is_regression()), (1, false), "{found:?}");
    }

    #[test]
    fn slower_and_faster_runs_are_told_apart() {
        let before = [runs("a", &[1.0, 1.01, 1.02]), runs("b", &[1.0, 1.01, 1.02])].concat();
        let after = [runs("a", &[1.5, 1.51, 1.52]), runs("b", &[0.5, 0.51, 0.52])].concat();
        let found = compare(&before, &after);
        assert_eq!((found.worse.len(), found.better.len()), (1, 1));
        let (key, change) = &found.worse[0];
        assert_eq!(key.0, "a");
        assert!(
            (1.45..1.55).contains(&change.ratio) && change.interval.0 > 1.4 && change.interval.1 < 1.6,
            "{change:?}"
        );
        assert!(found.is_regression() && !compare(&before[3..], &after[3..]).is_regression());
    }

    #[test]
    fn few_repetitions_only_show_large_changes() {
        assert!(!compare(&runs("a", &[1.0]), &runs("a", &[1.5])).is_regression());
        assert!(compare(&runs("a", &[1.0]), &runs("a", &[2.5])).is_regression());
    }

    #[test]
    fn milliseconds_are_noise() {
        assert!(!compare(&runs("a", &[0.001; 5]), &runs("a", &[0.009; 5])).is_regression());
    }

    #[test]
    fn another_verdict_comes_first() {
        let mut after = runs("a", &[1.0, 1.0, 1.0]);
        after[1].category = Category::Wrong;
        after[1].verdict = "false".into();
        let found = compare(&runs("a", &[1.0, 1.0, 1.0]), &after);
        assert_eq!((found.turned.len(), found.turned[0].after.0), (1, Category::Wrong));
        assert!(found.is_regression());
        let mut solved = runs("a", &[1.0]);
        solved[0].category = Category::Timeout;
        solved[0].verdict = "unknown".into();
        assert!(!compare(&solved, &runs("a", &[1.0])).is_regression());
    }

    #[test]
    fn what_is_new_or_gone_is_named() {
        let found = compare(&runs("a", &[1.0]), &runs("b", &[1.0]));
        assert_eq!((found.gone[0].0.as_str(), found.new[0].0.as_str()), ("a", "b"));
    }
}
