//! What programs mean, by searching them: these tests need an engine, which stands above this crate.

mod drawing;
mod dve;
mod promela;
