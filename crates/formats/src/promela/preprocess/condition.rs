//! The integer expressions of `#if` and `#elif`.

use super::pieces::{Kind, Piece};

/// How deep parentheses and signs may be nested.
const DEEPEST: usize = 100;

/// Operators, each row binding tighter than those before.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// The value of an expression whose macros are expanded, or what is wrong with it.
pub fn value(pieces: &[Piece]) -> Result<i64, String> {
    let mut parser = Parser { rest: pieces };
    let value = parser.conditional(0)?;
    match parser.rest.first() {
        None => Ok(value),
        Some(piece) => Err(format!("`{}` does not belong in this condition", piece.text)),
    }
}

struct Parser<'a> {
    rest: &'a [Piece],
}

impl Parser<'_> {
    fn take(&mut self, text: &str) -> bool {
        let found = self.rest.first().is_some_and(|p| &*p.text == text);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn conditional(&mut self, depth: usize) -> Result<i64, String> {
        if depth > DEEPEST {
            return Err("this condition is nested too deep".into());
        }
        let condition = self.binary(0, depth)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.conditional(depth + 1)?;
        if !self.take(":") {
            return Err("`:` is missing in this condition".into());
        }
        let no = self.conditional(depth + 1)?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn binary(&mut self, level: usize, depth: usize) -> Result<i64, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        while let Some(operator) = operators.iter().find(|o| self.take(o)) {
            let right = self.binary(level + 1, depth)?;
            left = apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<i64, String> {
        if depth > DEEPEST {
            return Err("this condition is nested too deep".into());
        }
        let Some((first, rest)) = self.rest.split_first() else { return Err("this condition is incomplete".into()) };
        self.rest = rest;
        match (&*first.text, first.kind) {
            ("!", _) => Ok(i64::from(self.unary(depth + 1)? == 0)),
            ("-", _) => Ok(self.unary(depth + 1)?.wrapping_neg()),
            ("+", _) => self.unary(depth + 1),
            ("~", _) => Ok(!self.unary(depth + 1)?),
            ("(", _) => {
                let value = self.conditional(depth + 1)?;
                if self.take(")") { Ok(value) } else { Err("`)` is missing in this condition".into()) }
            }
            (text, Kind::Number) => number(text).ok_or_else(|| format!("`{text}` is no integer")),
            (text, Kind::Quoted) if text.starts_with('\'') => {
                Ok(text.chars().nth(1).map_or(0, |c| i64::from(c as u32)))
            }
            // A name that no macro has is zero.
            (_, Kind::Word) => Ok(0),
            (text, _) => Err(format!("`{text}` does not belong in this condition")),
        }
    }
}

fn apply(operator: &str, a: i64, b: i64) -> Result<i64, String> {
    let shift = b.clamp(0, 63) as u32;
    Ok(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        ">" => i64::from(a > b),
        ">=" => i64::from(a >= b),
        "<<" => a.wrapping_shl(shift),
        ">>" => a.wrapping_shr(shift),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err("this condition divides by zero".into()),
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}

fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    i64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::super::pieces::cut;
    use super::*;

    fn of(text: &str) -> Result<i64, String> {
        let (mut pieces, _) = cut(text);
        pieces.pop();
        value(&pieces)
    }

    #[test]
    fn values_are_those_of_c() {
        for (text, expected) in [
            ("1+2*3", 7),
            ("(1+2)*3 == 9 && !0", 1),
            ("1 ? 2 : 3", 2),
            ("unknown", 0),
            ("-3 < 2 || 1/1", 1),
            ("0x10 | 010", 24),
            ("7 % 4 << 1", 6),
            ("'a'", 97),
        ] {
            assert_eq!(of(text), Ok(expected), "{text}");
        }
        for text in ["", "1 +", "(1", "1 / 0", "1 2", "1 ? 2", "\"a\"", &"(".repeat(5000), &"!".repeat(5000)] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
