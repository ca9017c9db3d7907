//! Typed indices: a state is not a label is not a component.

/// Defines a `u32` index type that cannot be mixed up with another one.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a subscript.
            #[inline]
            pub fn at(self) -> usize {
                self.0 as usize
            }

            /// The index for a subscript. Every container is checked against `u32` when it is built.
            #[inline]
            pub fn new(at: usize) -> Self {
                debug_assert!(u32::try_from(at).is_ok());
                Self(at as u32)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

index!(
    /// A state of one component.
    StateId
);
index!(
    /// A label of a network: a way in which components move together. [`LabelId::TAU`] never synchronises.
    LabelId
);
index!(
    /// A component of a network.
    ComponentId
);

index!(
    /// A place of a Petri net.
    PlaceId
);
index!(
    /// A transition of a Petri net.
    TransitionId
);

impl LabelId {
    /// The internal step: each component takes it alone, and no observer sees it.
    pub const TAU: LabelId = LabelId(0);

    /// Whether this is [`LabelId::TAU`].
    #[inline]
    pub fn is_tau(self) -> bool {
        self == Self::TAU
    }
}
