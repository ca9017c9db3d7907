//! What programs mean, and formulas about runs, by searching: these tests need an engine, which stands above this crate.

mod claims_oracle;
mod drawing;
mod dve;
mod endless;
mod endless_random;
mod partial_order;
mod promela;
mod ranking;
mod temporal;
mod toy;
