//! Boolean systems in the sizes of Table I of S.-W. Lin, J. Sun, T. K. Nguyen, Y. Liu, J. S. Dong, "Interpolation Guided Compositional
//! Verification" (ASE 2015), and its running example.
//!
//! The paper's own files are not at hand. These are written after its words and the papers that it names; each file says what was
//! chosen. Numbers of components and properties are those of the table: they grow by whole copies of a plant for `fms-smv`, `aip-smv` and
//! `sba` (eight devices and six buffers, eight stations and two materials, four nodes and six pairs), and by nodes for `dining` and
//! `msi`. All components move at once, and every choice is a free variable.

pub mod aip;
mod bit_counter;
pub mod dining;
mod draft;
pub mod fms;
pub mod msi;
pub mod sba;

use prequel_model::{Circuit, Lit};

/// A family of Boolean systems, one for each size.
#[derive(Clone, Copy, Debug)]
pub struct BooleanFamily {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What its rows in Table I are called, with the size after a dash; nothing where it is not in the table.
    pub row: Option<&'static str>,
    /// One line about it.
    pub about: &'static str,
    /// The smallest size.
    pub smallest: usize,
    /// The largest size that is sensible.
    pub largest: usize,
    /// Sizes are multiples of this.
    pub step: usize,
    /// Builds the system of a size, which must be one of the family's.
    pub build: fn(size: usize) -> BooleanSystem,
}

impl BooleanFamily {
    /// Whether there is a system of this size; what to say if not.
    pub fn has(&self, size: usize) -> Result<(), String> {
        let Self { name, smallest, largest, step, .. } = self;
        if (*smallest..=*largest).contains(&size) && size.is_multiple_of(*step) {
            return Ok(());
        }
        let multiples = if *step > 1 { format!(" in steps of {step}") } else { String::new() };
        Err(format!("{name} has sizes from {smallest} to {largest}{multiples}, not {size}"))
    }
}

/// A system with what must not happen in it, each by itself.
#[derive(Clone, Debug)]
pub struct BooleanSystem {
    /// The components; no bad states yet.
    pub circuit: Circuit,
    /// The properties.
    pub properties: Vec<Property>,
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub struct Property {
    /// What is claimed.
    pub name: String,
    /// The states in which it is not so.
    pub bad: Lit,
}

impl BooleanSystem {
    /// The system with the bad states of one property.
    pub fn question(&self, property: &Property) -> Circuit {
        Circuit { bad: Some(property.bad), ..self.circuit.clone() }
    }
}

/// All of them.
pub const FAMILIES: &[BooleanFamily] = &[
    BooleanFamily {
        name: "fms-smv",
        row: Some("FSM"),
        about: "flexible manufacturing cells in a row, buffers of one place; two for each cell",
        smallest: 2,
        largest: 1000,
        step: 2,
        build: fms::cells,
    },
    BooleanFamily {
        name: "dining",
        row: Some("DP"),
        about: "dining philosophers with their forks, all at once",
        smallest: 2,
        largest: 1000,
        step: 1,
        build: dining::philosophers,
    },
    BooleanFamily {
        name: "aip-smv",
        row: Some("AIP"),
        about: "assembly loops in a row, two materials on opposite routes",
        smallest: 1,
        largest: 500,
        step: 1,
        build: aip::loops,
    },
    BooleanFamily {
        name: "sba",
        row: Some("SBA"),
        about: "synchronous bus arbiters of four cells each",
        smallest: 1,
        largest: 1000,
        step: 1,
        build: sba::arbiters,
    },
    BooleanFamily {
        name: "msi",
        row: Some("MSI"),
        about: "MSI cache coherence of nodes on one bus",
        smallest: 2,
        largest: 64,
        step: 1,
        build: msi::nodes,
    },
    BooleanFamily {
        name: "bit-counter",
        row: None,
        about: "the n-bit counter of the paper's example, a cell for each bit",
        smallest: 1,
        largest: 2000,
        step: 1,
        build: bit_counter::cells,
    },
];

/// The family of this name.
pub fn find(name: &str) -> Option<&'static BooleanFamily> {
    FAMILIES.iter().find(|family| family.name == name)
}

#[cfg(test)]
mod tests;
