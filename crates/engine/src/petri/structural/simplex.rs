//! Whether linear inequalities have a rational solution, in exact integers; where they have none, the multipliers that show it.
//!
//! The simplex of Dutertre and de Moura, *A fast linear-arithmetic solver for DPLL(T)* (2006): all variables have bounds, some are
//! sums of the others, and a variable beyond its bound changes places with one that can still move. Bounds can be taken back at no
//! cost, so that questions that differ little cost little. Bounds are integers and so are the values of all variables that are no
//! sums: a row is a sum of integers over one denominator, and no fraction is ever reduced on its own. A number that does not fit
//! ends it.

/// A variable.
pub type Variable = u32;

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Solved {
    /// There is a solution, and the variables have its values.
    Feasible,
    /// There is none, since the sum of these bounds, each so many times, is contradictory.
    Infeasible(Vec<Multiple>),
    /// It took more work than it was allowed, or a number became too large.
    GivenUp,
}

/// A bound with how many times it is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiple {
    /// Of which variable.
    pub of: Variable,
    /// The upper one, not the lower.
    pub upper: bool,
    /// How many times.
    pub times: u64,
}

/// A number does not fit, or there is too much to do.
#[derive(Debug)]
struct TooMuch;

/// `denominator * basic` is the sum of the terms.
#[derive(Clone, Debug)]
struct Row {
    basic: Variable,
    denominator: i64,
    /// Sorted by variable, none of them basic.
    terms: Vec<(Variable, i64)>,
    /// What the terms add up to.
    sum: i128,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    lower: Option<i64>,
    upper: Option<i64>,
}

/// Variables, sums of them, and bounds.
#[derive(Debug, Default)]
pub struct Simplex {
    rows: Vec<Row>,
    /// The row of a variable that is a sum.
    row_of: Vec<Option<u32>>,
    /// Of variables that are no sums.
    value: Vec<i64>,
    bounds: Vec<Bounds>,
    /// For each variable the rows that it may be a term of.
    columns: Vec<Vec<u32>>,
    /// Terms written so far, and how many may be.
    work: u64,
    most_work: u64,
}

/// After so many exchanges the first variable is taken that will do, so that it comes to an end (Bland's rule).
const GREEDY: usize = 1 << 10;

impl Simplex {
    /// A variable that is no sum, at 0.
    pub fn variable(&mut self) -> Variable {
        let variable = self.value.len() as Variable;
        self.row_of.push(None);
        self.value.push(0);
        self.bounds.push(Bounds::default());
        self.columns.push(Vec::new());
        variable
    }

    /// A variable that is a sum of others; `None` where a number becomes too large.
    pub fn sum(&mut self, terms: &[(Variable, i64)]) -> Option<Variable> {
        let mut row = Row { basic: 0, denominator: 1, terms: terms.to_vec(), sum: 0 };
        row.terms.sort_unstable();
        for &(variable, _) in terms {
            if let Some(at) = self.row_of[variable as usize] {
                self.work += eliminate(&mut row, &self.rows[at as usize]).ok()? as u64;
            }
        }
        row.basic = self.variable();
        row.sum = self.add_up(&row.terms).ok()?;
        let at = self.rows.len() as u32;
        row.terms.iter().for_each(|&(variable, _)| self.columns[variable as usize].push(at));
        self.row_of[row.basic as usize] = Some(at);
        let basic = row.basic;
        self.rows.push(row);
        Some(basic)
    }

    /// Sets the bounds of a variable, in place of those that it had.
    pub fn bound(&mut self, variable: Variable, lower: Option<i64>, upper: Option<i64>) {
        self.bounds[variable as usize] = Bounds { lower, upper };
    }

    /// Whether a variable has this value in the solution.
    pub fn is_at(&self, variable: Variable, number: i64) -> bool {
        match self.row_of[variable as usize] {
            Some(at) => {
                let row = &self.rows[at as usize];
                row.sum == i128::from(number) * i128::from(row.denominator)
            }
            None => self.value[variable as usize] == number,
        }
    }

    /// The value of a variable in the solution, rounded up.
    pub fn rounded_up(&self, variable: Variable) -> i128 {
        match self.row_of[variable as usize] {
            Some(at) => {
                let row = &self.rows[at as usize];
                -(-row.sum).div_euclid(i128::from(row.denominator))
            }
            None => i128::from(self.value[variable as usize]),
        }
    }

    /// Looks for values within all bounds, until so much work is done or it is stopped by who is told of the work since the last time.
    pub fn solve(&mut self, most_work: u64, mut stop: impl FnMut(u64) -> bool) -> Solved {
        self.most_work = most_work;
        if self.within_own_bounds().is_err() {
            return Solved::GivenUp;
        }
        for exchanges in 0usize.. {
            let before = self.work;
            self.work += self.rows.len() as u64;
            let Some((row, rises)) = self.beyond(exchanges < GREEDY) else { return Solved::Feasible };
            let Some(entering) = self.entering(row, rises, exchanges < GREEDY) else {
                return Solved::Infeasible(self.contradiction(row, rises));
            };
            if self.exchange(row, entering, rises).is_err() || stop(self.work - before) {
                return Solved::GivenUp;
            }
        }
        Solved::GivenUp
    }

    /// Moves the variables that are no sums to their bounds, where they are beyond them.
    fn within_own_bounds(&mut self) -> Result<(), TooMuch> {
        for variable in 0..self.value.len() {
            if self.row_of[variable].is_some() {
                continue;
            }
            let Bounds { lower, upper } = self.bounds[variable];
            let value = self.value[variable];
            let to = lower.filter(|&l| value < l).or(upper.filter(|&u| value > u));
            let Some(to) = to else { continue };
            self.value[variable] = to;
            let moved = i128::from(to) - i128::from(value);
            for at in 0..self.columns[variable].len() {
                let row = &mut self.rows[self.columns[variable][at] as usize];
                if let Some(factor) = factor(row, variable as Variable) {
                    let change = i128::from(factor).checked_mul(moved).ok_or(TooMuch)?;
                    row.sum = row.sum.checked_add(change).ok_or(TooMuch)?;
                }
            }
        }
        Ok(())
    }

    /// A row whose variable is beyond a bound, and whether it has to rise: the one farthest beyond, or the first.
    fn beyond(&self, farthest: bool) -> Option<(usize, bool)> {
        let mut best: Option<(usize, bool, i128)> = None;
        for (at, row) in self.rows.iter().enumerate() {
            let Bounds { lower, upper } = self.bounds[row.basic as usize];
            let scaled = |bound: i64| i128::from(bound) * i128::from(row.denominator);
            let (far, rises) = match (lower, upper) {
                (Some(l), _) if row.sum < scaled(l) => (scaled(l).saturating_sub(row.sum), true),
                (_, Some(u)) if row.sum > scaled(u) => (row.sum.saturating_sub(scaled(u)), false),
                _ => continue,
            };
            let far = far / i128::from(row.denominator);
            let is_better = match best {
                None => true,
                Some((_, _, other)) if farthest => far > other,
                Some((other, _, _)) => row.basic < self.rows[other].basic,
            };
            if is_better {
                best = Some((at, rises, far));
            }
        }
        best.map(|(at, rises, _)| (at, rises))
    }

    /// A term of a row that can move so that the row's variable rises, or falls: one that few rows have, or the first.
    fn entering(&self, row: usize, rises: bool, sparse: bool) -> Option<Variable> {
        let can_move = |&&(variable, factor): &&(Variable, i64)| {
            let (Bounds { lower, upper }, value) = (self.bounds[variable as usize], self.value[variable as usize]);
            if (factor > 0) == rises { upper.is_none_or(|u| value < u) } else { lower.is_none_or(|l| value > l) }
        };
        let mut can = self.rows[row].terms.iter().filter(can_move).map(|&(variable, _)| variable);
        if sparse { can.min_by_key(|&v| (self.columns[v as usize].len(), v)) } else { can.next() }
    }

    /// The bounds that keep a row's variable from rising, or falling, to its own.
    fn contradiction(&self, row: usize, rises: bool) -> Vec<Multiple> {
        let row = &self.rows[row];
        let own = Multiple { of: row.basic, upper: !rises, times: row.denominator.unsigned_abs() };
        let term = |&(of, factor): &(Variable, i64)| Multiple {
            of,
            upper: (factor > 0) == rises,
            times: factor.unsigned_abs(),
        };
        row.terms.iter().map(term).chain([own]).collect()
    }

    /// Makes a term of a row a sum, and the row's variable a term, at the bound that it was beyond.
    fn exchange(&mut self, at: usize, entering: Variable, rises: bool) -> Result<(), TooMuch> {
        let leaving = self.rows[at].basic;
        let Bounds { lower, upper } = self.bounds[leaving as usize];
        self.value[leaving as usize] = if rises { lower } else { upper }.expect("it was beyond a bound");
        self.row_of[leaving as usize] = None;
        self.row_of[entering as usize] = Some(at as u32);
        solve_for(&mut self.rows[at], entering)?;
        let source = self.rows[at].clone();
        let columns = std::mem::take(&mut self.columns[entering as usize]);
        for &other in columns.iter().filter(|&&other| other as usize != at) {
            let row = &mut self.rows[other as usize];
            if factor(row, entering).is_none() {
                continue;
            }
            self.work += eliminate(row, &source)? as u64;
            if self.work > self.most_work {
                return Err(TooMuch);
            }
            row.sum = add_up(&self.value, &row.terms)?;
            for &(variable, _) in &source.terms {
                // A list may name a row twice, or one that has no such term any more: that is looked at where it is used.
                let column = &mut self.columns[variable as usize];
                if column.last() != Some(&other) {
                    column.push(other);
                }
            }
        }
        self.columns[leaving as usize].push(at as u32);
        self.rows[at].sum = self.add_up(&source.terms)?;
        for &(variable, _) in &source.terms {
            self.tidy(variable);
        }
        Ok(())
    }

    /// Leaves each row once in the list of a variable, and none that does not have it.
    fn tidy(&mut self, variable: Variable) {
        let column = &mut self.columns[variable as usize];
        column.sort_unstable();
        column.dedup();
        column.retain(|&at| factor(&self.rows[at as usize], variable).is_some());
    }

    fn add_up(&self, terms: &[(Variable, i64)]) -> Result<i128, TooMuch> {
        add_up(&self.value, terms)
    }
}

fn add_up(value: &[i64], terms: &[(Variable, i64)]) -> Result<i128, TooMuch> {
    let mut sum = 0i128;
    for &(variable, factor) in terms {
        let part = i128::from(factor) * i128::from(value[variable as usize]);
        sum = sum.checked_add(part).ok_or(TooMuch)?;
    }
    Ok(sum)
}

/// The factor of a variable in a row, if it has it.
fn factor(row: &Row, variable: Variable) -> Option<i64> {
    row.terms.binary_search_by_key(&variable, |term| term.0).ok().map(|at| row.terms[at].1)
}

/// Turns a row round, so that one of its terms is the variable that it is a row of.
fn solve_for(row: &mut Row, entering: Variable) -> Result<(), TooMuch> {
    let at = row.terms.binary_search_by_key(&entering, |term| term.0).expect("a term of the row");
    let (_, factor) = row.terms.remove(at);
    // denominator * basic = factor * entering + rest
    let sign = if factor > 0 { 1 } else { -1 };
    for term in &mut row.terms {
        term.1 = term.1.checked_mul(-sign).ok_or(TooMuch)?;
    }
    let place = row.terms.partition_point(|term| term.0 < row.basic);
    row.terms.insert(place, (row.basic, row.denominator * sign));
    row.basic = entering;
    row.denominator = factor.checked_abs().ok_or(TooMuch)?;
    Ok(())
}

/// Replaces a variable in a row by the sum that it is; tells how many terms there are then.
fn eliminate(row: &mut Row, source: &Row) -> Result<usize, TooMuch> {
    let Some(factor) = factor(row, source.basic) else { return Ok(0) };
    let common = gcd(factor.unsigned_abs(), source.denominator.unsigned_abs()) as i64;
    let (own, theirs) = (i128::from(source.denominator / common), i128::from(factor / common));
    let mut sums: Vec<(Variable, i128)> = Vec::with_capacity(row.terms.len() + source.terms.len());
    let (mut a, mut b) = (row.terms.iter().peekable(), source.terms.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(one), None) | (None, Some(one)) => one.0,
            (None, None) => break,
        };
        let mine = a.next_if(|term| term.0 == next).map_or(0, |term| i128::from(term.1));
        let other = b.next_if(|term| term.0 == next).map_or(0, |term| i128::from(term.1));
        let sum = mine * own + other * theirs;
        if next != source.basic && sum != 0 {
            sums.push((next, sum));
        }
    }
    let denominator = i128::from(row.denominator) * own;
    let mut common = denominator.unsigned_abs();
    for &(_, sum) in &sums {
        if common == 1 {
            break;
        }
        common = gcd_wide(common, sum.unsigned_abs());
    }
    let fit = |number: i128| {
        let number = i64::try_from(number / common as i128).map_err(|_| TooMuch)?;
        // The one number whose opposite does not fit.
        if number == i64::MIN { Err(TooMuch) } else { Ok(number) }
    };
    row.denominator = fit(denominator)?;
    row.terms.clear();
    for (variable, sum) in sums {
        row.terms.push((variable, fit(sum)?));
    }
    Ok(row.terms.len())
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The same for wide numbers, which most are not.
fn gcd_wide(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return gcd(a, b).into();
        }
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    /// Random inequalities: a solution is one, a contradiction is one.
    #[test]
    fn a_solution_is_within_bounds_and_a_contradiction_adds_up_to_one() {
        let mut seen = [0; 2];
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let (n, sums) = (rng.between(1, 6), rng.between(1, 8));
            let mut simplex = Simplex::default();
            let own: Vec<Variable> = (0..n).map(|_| simplex.variable()).collect();
            own.iter().for_each(|&v| simplex.bound(v, Some(0), None));
            let mut terms: Vec<Vec<(Variable, i64)>> = Vec::new();
            for _ in 0..sums {
                let mut factor = || if rng.chance(60) { rng.between(0, 6) as i64 - 3 } else { 0 };
                let row = own.iter().map(|&v| (v, factor())).filter(|term| term.1 != 0);
                let row: Vec<(Variable, i64)> = row.collect();
                simplex.sum(&row).unwrap();
                terms.push(row);
            }
            // Asked several times with other bounds: what was exchanged before must not matter.
            for _ in 0..4 {
                let all = own.len() + terms.len();
                for at in own.len()..all {
                    let low = rng.between(0, 8) as i64 - 4;
                    let bounds = [None, Some(low), Some(low + rng.below(3) as i64)];
                    let (lower, upper) =
                        *rng.pick(&[(bounds[1], bounds[2]), (bounds[1], None), (None, bounds[2]), (None, None)]);
                    simplex.bound(at as Variable, lower, upper);
                }
                match simplex.solve(u64::MAX, |_| false) {
                    Solved::Feasible => {
                        seen[0] += 1;
                        for (variable, bounds) in simplex.bounds.iter().enumerate() {
                            let (sum, by) = match simplex.row_of[variable] {
                                Some(at) => (simplex.rows[at as usize].sum, simplex.rows[at as usize].denominator),
                                None => (simplex.value[variable].into(), 1),
                            };
                            assert!(bounds.lower.is_none_or(|l| i128::from(l) * i128::from(by) <= sum), "{seed}");
                            assert!(bounds.upper.is_none_or(|u| i128::from(u) * i128::from(by) >= sum), "{seed}");
                        }
                    }
                    Solved::Infeasible(multiples) => {
                        seen[1] += 1;
                        let mut total = vec![0i128; own.len()];
                        let mut right = 0i128;
                        for Multiple { of, upper, times } in multiples {
                            let sign = if upper { 1 } else { -1 } * i128::from(times);
                            let bounds = simplex.bounds[of as usize];
                            right += sign * i128::from(if upper { bounds.upper } else { bounds.lower }.unwrap());
                            match (of as usize).checked_sub(own.len()) {
                                None => total[of as usize] += sign,
                                Some(at) => {
                                    terms[at].iter().for_each(|&(v, f)| total[v as usize] += sign * i128::from(f))
                                }
                            }
                        }
                        assert!(total.iter().all(|&t| t == 0) && right < 0, "{seed}: {total:?} <= {right}");
                    }
                    Solved::GivenUp => panic!("{seed}"),
                }
            }
        }
        assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
    }
}
