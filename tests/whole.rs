//! All tests from outside but the command-line sessions, as one program: it is linked once. A test is chosen by its path, for
//! example `cargo test --test whole engines::`.

// What they share.
mod corpus;
mod damage;
mod fuzz;
mod mutants;
mod nonblocking;
mod oracle;
mod random_dve;
mod random_promela;
mod spin;

mod assumptions;
mod bundled_models;
mod claims_kept;
mod commands;
mod components;
mod dve;
mod editor;
mod engines;
mod examples;
mod external;
mod formats;
mod harness;
mod layers;
mod lazy;
mod library;
mod limits;
mod minimise;
mod modules;
mod packages;
mod page;
mod parsers;
mod partial_order;
mod petri;
mod petri_turns;
mod portfolio;
mod promela_spin;
mod quotient;
mod real_models;
mod reduce;
mod remarks;
mod remembered;
mod replace;
mod residual;
mod simulate;
mod solvers;
mod spin_programs;
mod supremica;
mod told;
