//! The types of variables and message fields, and what storing in them keeps of a value.

/// The type of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueType {
    /// This many bits without a sign: `bit` and `bool` 1, `byte` and `pid` 8, `unsigned` any.
    Unsigned(u8),
    /// 8 bits that stand for a name, of this list of [`Program::names`](crate::Program::names): `mtype`.
    Name(u8),
    /// 8 bits with the number of a channel: `chan`.
    Channel,
    /// 16 bits with a sign.
    Short,
    /// 32 bits with a sign.
    Int,
}

impl ValueType {
    /// How many bits a cell of this type takes.
    pub fn bits(self) -> u8 {
        match self {
            ValueType::Unsigned(bits) => bits,
            ValueType::Name(_) | ValueType::Channel => 8,
            ValueType::Short => 16,
            ValueType::Int => 32,
        }
    }

    /// What is left of a value that is stored in a cell of this type.
    #[inline]
    pub fn store(self, value: i32) -> i32 {
        match self {
            ValueType::Unsigned(bits) if bits >= 32 => value,
            ValueType::Unsigned(bits) => value & ((1 << bits) - 1),
            ValueType::Name(_) | ValueType::Channel => value & 0xff,
            ValueType::Short => i32::from(value as i16),
            ValueType::Int => value,
        }
    }

    /// Whether its values have a sign.
    pub fn signed(self) -> bool {
        matches!(self, ValueType::Short | ValueType::Int)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_wrap_as_in_c() {
        assert_eq!(ValueType::Unsigned(8).store(256), 0);
        assert_eq!(ValueType::Unsigned(1).store(3), 1);
        assert_eq!(ValueType::Unsigned(8).store(-1), 255);
        assert_eq!((ValueType::Name(0).store(257), ValueType::Channel.store(-1)), (1, 255));
        assert_eq!(ValueType::Short.store(0x8000), -32768);
        assert_eq!(ValueType::Int.store(-5), -5);
    }
}
