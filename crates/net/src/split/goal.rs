//! Conditions on markings as goals on the components' states.

use super::Split;
use prequel_model::{Comparison, ComponentId, Condition, Goal, Net, PlaceId, StateId, TransitionId};
use rustc_hash::FxHashMap;

/// Parts that a goal may have before it is given up.
const LARGEST: usize = 100_000;

/// What a component adds to a sum: for each number the states that add it.
type Added = (ComponentId, Vec<(i64, Vec<StateId>)>);

impl Split {
    /// The goal that a condition stands for, or why there is none.
    pub fn goal(&self, net: &Net, condition: &Condition) -> Result<Goal, String> {
        let mut size = 0;
        self.goal_of(net, condition, &mut size)
    }

    fn goal_of(&self, net: &Net, condition: &Condition, size: &mut usize) -> Result<Goal, String> {
        *size += 1;
        if *size > LARGEST {
            return Err(too_large());
        }
        let mut all = |conditions: &[Condition]| -> Result<Vec<Goal>, String> {
            conditions.iter().map(|c| self.goal_of(net, c, size)).collect()
        };
        Ok(match condition {
            Condition::And(conditions) => Goal::And(all(conditions)?),
            Condition::Or(conditions) => Goal::Or(all(conditions)?),
            Condition::Not(inner) => Goal::Not(Box::new(self.goal_of(net, inner, size)?)),
            Condition::Fireable(t) => self.fireable(*t),
            Condition::Dead => {
                *size += net.transitions().len();
                Goal::And(net.transitions().map(|t| Goal::Not(Box::new(self.fireable(t)))).collect())
            }
            Condition::Tokens(sum, comparison, number) => {
                let added = self.added(sum);
                // The least and the most that the components from each on can add.
                let mut range = vec![(0, 0)];
                for (_, values) in added.iter().rev() {
                    let (low, high) = *range.last().expect("never empty");
                    let least = values.iter().map(|(value, _)| value).min().copied().unwrap_or(0);
                    let most = values.iter().map(|(value, _)| value).max().copied().unwrap_or(0);
                    range.push((low + least, high + most));
                }
                range.reverse();
                sum_goal(&added, &range, *comparison, *number, size)?
            }
        })
    }

    /// Every component that takes part allows it.
    fn fireable(&self, t: TransitionId) -> Goal {
        let label = self.labels[t.at()];
        let allows = |&c: &ComponentId| {
            let lts = &self.network.component(c).lts;
            Goal::In(c, lts.states().filter(|&s| !lts.row_on(s, label).is_empty()).collect())
        };
        Goal::And(self.network.participants(label).iter().map(allows).collect())
    }

    /// What each component adds to a sum of tokens.
    fn added(&self, sum: &[(PlaceId, i64)]) -> Vec<Added> {
        let mut by_component: FxHashMap<ComponentId, FxHashMap<StateId, i64>> = FxHashMap::default();
        for &(p, factor) in sum {
            let home = self.home(p);
            let values = by_component.entry(home.component).or_default();
            for &(state, tokens) in &home.tokens {
                *values.entry(state).or_default() += factor * i64::from(tokens);
            }
        }
        let mut added: Vec<Added> = by_component
            .into_iter()
            .map(|(c, values)| {
                let mut by_value: FxHashMap<i64, Vec<StateId>> = FxHashMap::default();
                for s in self.network.component(c).lts.states() {
                    by_value.entry(values.get(&s).copied().unwrap_or(0)).or_default().push(s);
                }
                let mut by_value: Vec<_> = by_value.into_iter().collect();
                by_value.sort_unstable();
                (c, by_value)
            })
            .collect();
        added.sort_unstable_by_key(|(c, _)| *c);
        added
    }
}

/// The sum of what is left compared with a number: by cases of the first component, cut off where the rest cannot matter.
fn sum_goal(
    added: &[Added],
    range: &[(i64, i64)],
    comparison: Comparison,
    number: i64,
    size: &mut usize,
) -> Result<Goal, String> {
    *size += 1;
    if *size > LARGEST {
        return Err(too_large());
    }
    let (low, high) = range[0];
    let decided = match comparison {
        Comparison::AtMost if high <= number => Some(true),
        Comparison::AtMost if low > number => Some(false),
        Comparison::AtLeast if low >= number => Some(true),
        Comparison::AtLeast if high < number => Some(false),
        Comparison::Equal if low > number || high < number => Some(false),
        Comparison::Equal if low == high => Some(true),
        _ => None,
    };
    if let Some(holds) = decided {
        return Ok(if holds { Goal::And(Vec::new()) } else { Goal::Or(Vec::new()) });
    }
    let (component, values) = &added[0];
    let cases = values.iter().map(|(value, states)| {
        let rest = sum_goal(&added[1..], &range[1..], comparison, number - value, size)?;
        let here = Goal::In(*component, states.clone());
        Ok(match rest {
            Goal::Or(never) if never.is_empty() => None,
            Goal::And(always) if always.is_empty() => Some(here),
            rest => Some(Goal::And(vec![here, rest])),
        })
    });
    let cases: Vec<Option<Goal>> = cases.collect::<Result<_, String>>()?;
    Ok(Goal::Or(cases.into_iter().flatten().collect()))
}

fn too_large() -> String {
    format!("the condition has more than {LARGEST} parts over the components")
}
