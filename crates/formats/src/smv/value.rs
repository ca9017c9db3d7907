//! Values of expressions as functions: truth values, numbers in two's complement, names out of several.

use prequel_model::{Aig, Lit};

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// True or false.
    Truth(Lit),
    /// A number.
    Number(Number),
    /// One of these names, with when it is that one.
    Name(Vec<(u32, Lit)>),
}

impl Value {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Truth(_) => "a truth value",
            Value::Number(_) => "a number",
            Value::Name(_) => "a name",
        }
    }

    /// That both are the same; none where they are of different kinds.
    pub fn equal(&self, other: &Value, aig: &mut Aig) -> Option<Lit> {
        Some(match (self, other) {
            (Value::Truth(a), Value::Truth(b)) => aig.equal(*a, *b),
            (Value::Number(a), Value::Number(b)) => a.equal(b, aig),
            (Value::Name(a), Value::Name(b)) => {
                let both = |(name, when): &(u32, Lit)| {
                    let (_, other) = b.iter().find(|(other, _)| other == name)?;
                    Some((*when, *other))
                };
                let same: Vec<(Lit, Lit)> = a.iter().filter_map(both).collect();
                let same: Vec<Lit> = same.into_iter().map(|(a, b)| aig.and(a, b)).collect();
                aig.any(same)
            }
            _ => return None,
        })
    }

    /// This where the condition holds, the other elsewhere; none where they are of different kinds.
    pub fn choose(&self, condition: Lit, other: &Value, aig: &mut Aig) -> Option<Value> {
        Some(match (self, other) {
            (Value::Truth(a), Value::Truth(b)) => Value::Truth(aig.choose(condition, *a, *b)),
            (Value::Number(a), Value::Number(b)) => Value::Number(a.choose(condition, b, aig)),
            (Value::Name(a), Value::Name(b)) => {
                let mut names: Vec<u32> = a.iter().chain(b).map(|(name, _)| *name).collect();
                names.sort_unstable();
                names.dedup();
                let when = |names: &[(u32, Lit)], name: u32| {
                    names.iter().find(|(other, _)| *other == name).map_or(Lit::FALSE, |(_, when)| *when)
                };
                let of = |name| (name, aig.choose(condition, when(a, name), when(b, name)));
                Value::Name(names.into_iter().map(of).collect())
            }
            _ => return None,
        })
    }
}

/// A number, and between which numbers it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    /// The lowest first; the last is the sign.
    bits: Vec<Lit>,
    /// Never less.
    pub low: i64,
    /// Never more.
    pub high: i64,
}

/// Numbers beyond this are too large to calculate with.
const LARGEST: i64 = 1 << 44;

/// How many bits all numbers between two need.
fn width(low: i64, high: i64) -> usize {
    let of = |number: i64| 65 - (if number < 0 { !number } else { number }).leading_zeros() as usize;
    of(low).max(of(high))
}

impl Number {
    /// One number.
    pub fn constant(number: i64) -> Self {
        let bits = (0..width(number, number)).map(|at| if number >> at & 1 == 1 { Lit::TRUE } else { Lit::FALSE });
        Self { bits: bits.collect(), low: number, high: number }
    }

    /// Bits that count from zero, and are at most so many.
    pub fn counted(mut bits: Vec<Lit>, most: i64) -> Self {
        bits.push(Lit::FALSE);
        Self { bits, low: 0, high: most }
    }

    fn bit(&self, at: usize) -> Lit {
        self.bits.get(at).copied().unwrap_or(self.bits[self.bits.len() - 1])
    }

    /// A number between these, made bit by bit; none where it is too large.
    fn within(low: i128, high: i128) -> Option<(i64, i64, usize)> {
        let fits = |number: i128| i64::try_from(number).ok().filter(|n| n.abs() <= LARGEST);
        let (low, high) = (fits(low)?, fits(high)?);
        Some((low, high, width(low, high)))
    }

    /// The sum; none where it is too large.
    pub fn add(&self, other: &Number, aig: &mut Aig) -> Option<Number> {
        let (low, high) = (self.low as i128 + other.low as i128, self.high as i128 + other.high as i128);
        let (low, high, width) = Self::within(low, high)?;
        let mut carry = Lit::FALSE;
        let bits = (0..width).map(|at| full_adder(self.bit(at), other.bit(at), &mut carry, aig)).collect();
        Some(Number { bits, low, high })
    }

    /// The difference; none where it is too large.
    pub fn subtract(&self, other: &Number, aig: &mut Aig) -> Option<Number> {
        let (low, high) = (self.low as i128 - other.high as i128, self.high as i128 - other.low as i128);
        Self::within(low, high)?;
        Some(self.minus(other, aig))
    }

    /// The difference of numbers that are small enough.
    fn minus(&self, other: &Number, aig: &mut Aig) -> Number {
        let (low, high) = (self.low - other.high, self.high - other.low);
        let mut carry = Lit::TRUE;
        let bits = (0..width(low, high)).map(|at| full_adder(self.bit(at), !other.bit(at), &mut carry, aig)).collect();
        Number { bits, low, high }
    }

    /// The product; none where it is too large.
    pub fn multiply(&self, other: &Number, aig: &mut Aig) -> Option<Number> {
        let corners = [self.low, self.high].map(|a| [other.low, other.high].map(|b| a as i128 * b as i128));
        let corners = corners.concat();
        let low = *corners.iter().min().expect("there are four");
        let high = *corners.iter().max().expect("there are four");
        let (low, high, width) = Self::within(low, high)?;
        let mut sum = vec![Lit::FALSE; width];
        for shift in 0..width {
            let mut carry = Lit::FALSE;
            for (at, digit) in sum[shift..].iter_mut().enumerate() {
                let summand = aig.and(self.bit(at), other.bit(shift));
                *digit = full_adder(*digit, summand, &mut carry, aig);
            }
        }
        Some(Number { bits: sum, low, high })
    }

    /// Quotient and remainder as C has them, where the divisor is not zero: the quotient is cut towards zero, the remainder has the
    /// sign of the dividend.
    pub fn divide(&self, other: &Number, aig: &mut Aig) -> (Number, Number) {
        let (a, b) = (self.magnitude(aig), other.magnitude(aig));
        let mut rest = Number::constant(0);
        let mut quotient = vec![Lit::FALSE; a.bits.len()];
        for at in (0..a.bits.len()).rev() {
            let mut bits = vec![a.bits[at]];
            bits.extend(&rest.bits);
            let shifted = Number { bits, low: 0, high: rest.high.saturating_mul(2).saturating_add(1).min(2 * b.high) };
            let fits = !shifted.less(&b, aig);
            quotient[at] = fits;
            let left = shifted.minus(&b, aig);
            rest = left.choose(fits, &shifted, aig);
            // What is left is less than the divisor: fewer bits hold it.
            let high = (b.high - 1).max(0).min(a.high);
            rest = Number { bits: (0..width(0, high)).map(|at| rest.bit(at)).collect(), low: 0, high };
        }
        let quotient = Number { bits: quotient, low: 0, high: a.high };
        let differ = aig.xor(self.sign(), other.sign());
        let zero = Number::constant(0);
        let (minus_quotient, minus_rest) = (zero.minus(&quotient, aig), zero.minus(&rest, aig));
        let mut quotient = minus_quotient.choose(differ, &quotient, aig);
        let mut rest = minus_rest.choose(self.sign(), &rest, aig);
        if self.low >= 0 {
            rest = Number { bits: rest.bits, low: 0, high: rest.high.min(self.high) };
            if other.low > 0 {
                quotient = Number { bits: quotient.bits, low: self.low / other.high, high: self.high / other.low };
            }
        }
        (quotient, rest)
    }

    fn sign(&self) -> Lit {
        self.bits[self.bits.len() - 1]
    }

    fn magnitude(&self, aig: &mut Aig) -> Number {
        if self.low >= 0 {
            return self.clone();
        }
        let negated = Number::constant(0).minus(self, aig);
        let high = self.high.max(-self.low);
        let chosen = negated.choose(self.sign(), self, aig);
        Number { bits: chosen.bits, low: 0, high }
    }

    /// That it is less.
    pub fn less(&self, other: &Number, aig: &mut Aig) -> Lit {
        let width = self.bits.len().max(other.bits.len()) + 1;
        let mut carry = Lit::TRUE;
        let mut sign = Lit::FALSE;
        for at in 0..width {
            sign = full_adder(self.bit(at), !other.bit(at), &mut carry, aig);
        }
        sign
    }

    /// That both are the same.
    pub fn equal(&self, other: &Number, aig: &mut Aig) -> Lit {
        let width = self.bits.len().max(other.bits.len());
        let bits: Vec<Lit> = (0..width).map(|at| aig.equal(self.bit(at), other.bit(at))).collect();
        aig.all(bits)
    }

    fn choose(&self, condition: Lit, other: &Number, aig: &mut Aig) -> Number {
        let width = self.bits.len().max(other.bits.len());
        let bits = (0..width).map(|at| aig.choose(condition, self.bit(at), other.bit(at))).collect();
        Number { bits, low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// One bit of a sum.
fn full_adder(a: Lit, b: Lit, carry: &mut Lit, aig: &mut Aig) -> Lit {
    let half = aig.xor(a, b);
    let sum = aig.xor(half, *carry);
    *carry = aig.choose(half, *carry, a);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Number {
        /// The number that its bits are, where these have values.
        pub fn value(&self, aig: &Aig, input: impl Fn(u32) -> bool) -> i64 {
            let values = aig.values(&self.bits, input);
            let sign = values.len() - 1;
            let bits = values.iter().enumerate().map(|(at, &value)| i64::from(value) << at);
            bits.enumerate().map(|(at, value)| if at == sign { -value } else { value }).sum()
        }
    }

    /// A number of these bits of the inputs, counted from somewhere.
    fn number(aig: &mut Aig, inputs: std::ops::Range<u32>, first: i64) -> Number {
        let most = (1 << inputs.len()) - 1;
        let bits: Vec<Lit> = inputs.map(|n| aig.input(n)).collect();
        Number::counted(bits, most).add(&Number::constant(first), aig).unwrap()
    }

    #[test]
    fn arithmetic_is_that_of_numbers() {
        for (first_a, first_b) in [(0, 0), (-5, 0), (0, -3), (-4, -8), (7, 1), (-8, 3)] {
            let mut aig = Aig::default();
            let a = number(&mut aig, 0..3, first_a);
            let b = number(&mut aig, 3..6, first_b);
            let sum = a.add(&b, &mut aig).unwrap();
            let difference = a.subtract(&b, &mut aig).unwrap();
            let product = a.multiply(&b, &mut aig).unwrap();
            let (quotient, rest) = a.divide(&b, &mut aig);
            let (less, equal) = (a.less(&b, &mut aig), a.equal(&b, &mut aig));
            for row in 0..64i64 {
                let input = |n: u32| row >> n & 1 == 1;
                let (x, y) = (first_a + (row & 7), first_b + (row >> 3));
                let of = |number: &Number| {
                    let value = number.value(&aig, input);
                    assert!((number.low..=number.high).contains(&value), "{x} and {y}: {value} is not in {number:?}");
                    value
                };
                assert_eq!((of(&a), of(&b)), (x, y));
                assert_eq!((of(&sum), of(&difference), of(&product)), (x + y, x - y, x * y));
                assert_eq!(aig.values(&[less, equal], input), [x < y, x == y]);
                if y != 0 {
                    assert_eq!((of(&quotient), of(&rest)), (x / y, x % y), "{x} by {y}");
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_is_none() {
        let mut aig = Aig::default();
        let large = Number::constant(LARGEST);
        assert!(large.add(&large, &mut aig).is_none() && large.multiply(&large, &mut aig).is_none());
    }
}
