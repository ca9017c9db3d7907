//! Markings packed into words, a field of bits for each place.

use prequel_model::{Net, PlaceId};

/// Where the tokens of a place stand in a packed marking.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// In which word.
    pub word: u32,
    /// From which bit on.
    pub shift: u32,
    /// The largest number it can hold.
    pub most: u64,
}

impl Field {
    /// The tokens.
    #[inline]
    pub fn get(self, marking: &[u64]) -> u64 {
        marking[self.word as usize] >> self.shift & self.most
    }

    /// The bits of the field within its word.
    pub fn bits(self) -> u64 {
        self.most << self.shift
    }
}

/// Which place has which bits.
#[derive(Clone, Debug)]
pub struct Fields {
    fields: Vec<Field>,
    /// For each bit the place that it belongs to.
    owner: Vec<u32>,
}

/// The widest field.
pub const WIDEST: u32 = 32;

impl Fields {
    /// Fields of these widths, in order; none goes over the end of a word.
    pub fn new(widths: &[u32]) -> Self {
        let (mut word, mut shift) = (0, 0);
        let mut fields = Vec::with_capacity(widths.len());
        let mut owner = Vec::new();
        for (place, &width) in widths.iter().enumerate() {
            if shift + width > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            fields.push(Field { word, shift, most: (1 << width) - 1 });
            owner.resize((word * u64::BITS + shift + width) as usize, place as u32);
            shift += width;
        }
        Self { fields, owner }
    }

    /// Words of a marking; one even where there are no places.
    pub fn words(&self) -> usize {
        self.fields.last().map_or(1, |last| last.word as usize + 1)
    }

    /// The field of a place.
    #[inline]
    pub fn of(&self, p: PlaceId) -> Field {
        self.fields[p.at()]
    }

    /// The place that a bit belongs to.
    #[inline]
    pub fn owner(&self, word: usize, bit: u32) -> PlaceId {
        PlaceId(self.owner[word * u64::BITS as usize + bit as usize])
    }

    /// The initial marking, packed; the widths must do for it.
    pub fn initial(&self, net: &Net) -> Vec<u64> {
        let mut words = vec![0; self.words()];
        for (field, &tokens) in self.fields.iter().zip(net.initial()) {
            words[field.word as usize] |= u64::from(tokens) << field.shift;
        }
        words
    }
}

/// Bits that a number of tokens needs, at least one.
pub fn width(tokens: u32) -> u32 {
    (u32::BITS - tokens.leading_zeros()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_goes_over_the_end_of_a_word() {
        let widths = [1, 32, 31, 2, 1, 32, 30];
        let fields = Fields::new(&widths);
        assert_eq!(fields.words(), 3);
        for (place, width) in widths.iter().enumerate() {
            let field = fields.of(PlaceId::new(place));
            assert!(field.shift + width <= 64 && field.most.count_ones() == *width);
            for bit in 0..*width {
                assert_eq!(fields.owner(field.word as usize, field.shift + bit).at(), place);
            }
        }
        assert_eq!([width(0), width(1), width(2), width(255), width(u32::MAX)], [1, 1, 2, 8, 32]);
    }
}
