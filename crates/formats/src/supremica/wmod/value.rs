//! Values, and expressions over variables before and after a step.

use std::fmt;

/// A value: numbers stand for truth too, 0 for false.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A number.
    Int(i64),
    /// A member of an enumeration, by its number among all atoms.
    Atom(u32),
    /// What an operator gives that is asked for the impossible, such as division by 0. A guard with it is not true.
    Undefined,
}

impl Value {
    /// Whether it is true.
    pub fn holds(self) -> bool {
        matches!(self, Value::Int(number) if number != 0)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Int(i64::from(truth))
    }
}

/// Operators with two sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `&`
    And,
    /// `|`
    Or,
}

impl Operator {
    /// The operator as files write it.
    pub fn of(sign: &str) -> Option<Self> {
        Some(match sign {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "%" => Operator::Modulo,
            "==" => Operator::Equal,
            "!=" => Operator::Unequal,
            "<" => Operator::Less,
            "<=" => Operator::AtMost,
            ">" => Operator::Greater,
            ">=" => Operator::AtLeast,
            "&" | "&&" => Operator::And,
            "|" | "||" => Operator::Or,
            _ => return None,
        })
    }

    fn apply(self, left: Value, right: Value) -> Value {
        match self {
            Operator::Equal | Operator::Unequal if left != Value::Undefined && right != Value::Undefined => {
                return ((left == right) == (self == Operator::Equal)).into();
            }
            _ => {}
        }
        let (Value::Int(a), Value::Int(b)) = (left, right) else { return Value::Undefined };
        let number = match self {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::Divide => a.checked_div(b),
            Operator::Modulo => a.checked_rem(b),
            Operator::Less => return (a < b).into(),
            Operator::AtMost => return (a <= b).into(),
            Operator::Greater => return (a > b).into(),
            Operator::AtLeast => return (a >= b).into(),
            Operator::And => return (a != 0 && b != 0).into(),
            Operator::Or => return (a != 0 || b != 0).into(),
            Operator::Equal | Operator::Unequal => unreachable!("decided above"),
        };
        number.map_or(Value::Undefined, Value::Int)
    }
}

/// A variable before or after a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable {
    /// Its number among all variables.
    pub number: u32,
    /// Its value after the step is meant.
    pub next: bool,
}

/// An expression in which what can be computed is.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A value.
    Value(Value),
    /// The value of a variable.
    Variable(Variable),
    /// Not true.
    Not(Box<Expression>),
    /// Two sides.
    Both(Operator, Box<(Expression, Expression)>),
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Value(value) => write!(f, "{value:?}"),
            Expression::Variable(v) => write!(f, "v{}{}", v.number, if v.next { "'" } else { "" }),
            Expression::Not(inner) => write!(f, "!{inner:?}"),
            Expression::Both(operator, sides) => write!(f, "({:?} {operator:?} {:?})", sides.0, sides.1),
        }
    }
}

impl Expression {
    /// Two sides with an operator between them, computed as far as possible.
    pub fn both(operator: Operator, left: Expression, right: Expression) -> Self {
        use Expression::Value as V;
        match (operator, &left, &right) {
            (_, V(a), V(b)) if !matches!(operator, Operator::And | Operator::Or) => V(operator.apply(*a, *b)),
            // One side may decide, even where the other is undefined.
            (Operator::And, V(v), _) | (Operator::And, _, V(v)) if *v == Value::Int(0) => V(Value::Int(0)),
            (Operator::Or, V(v), _) | (Operator::Or, _, V(v)) if v.holds() => V(Value::Int(1)),
            (Operator::And | Operator::Or, V(a), V(b)) => V(operator.apply(*a, *b)),
            _ => Expression::Both(operator, Box::new((left, right))),
        }
    }

    /// Not true.
    pub fn negated(self) -> Self {
        match self {
            Expression::Value(Value::Int(number)) => Expression::Value((number == 0).into()),
            Expression::Value(_) => Expression::Value(Value::Undefined),
            other => Expression::Not(Box::new(other)),
        }
    }

    /// With a variable's values before and after the step put in.
    pub fn with(&self, number: u32, before: Value, after: Value) -> Self {
        match self {
            Expression::Variable(v) if v.number == number => Expression::Value(if v.next { after } else { before }),
            Expression::Value(_) | Expression::Variable(_) => self.clone(),
            Expression::Not(inner) => inner.with(number, before, after).negated(),
            Expression::Both(operator, sides) => {
                Expression::both(*operator, sides.0.with(number, before, after), sides.1.with(number, before, after))
            }
        }
    }

    /// Adds its variables to a list.
    pub fn variables(&self, into: &mut Vec<Variable>) {
        match self {
            Expression::Value(_) => {}
            Expression::Variable(v) => into.push(*v),
            Expression::Not(inner) => inner.variables(into),
            Expression::Both(_, sides) => {
                sides.0.variables(into);
                sides.1.variables(into);
            }
        }
    }
}
