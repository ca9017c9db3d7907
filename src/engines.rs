//! The one list of engines, ours and those of others.

use prequel_engine::Engine;
use prequel_engine::conflict::Conflict;
use prequel_engine::icc::Icc;
use prequel_engine::lazy::Lazy;
use prequel_engine::learn::Learn;
use prequel_engine::minimise::Minimise;
use prequel_engine::otf::Otf;
use prequel_engine::quotient::Quotient;
use prequel_engine::symbolic::{Method, Symbolic};
use prequel_spin::engine::Spin;
use prequel_spin::tools::{C, Options};

/// All engines, external ones at the end. Whom `auto` asks is in [`crate::job::portfolio::rules`].
pub fn engines(otf: Otf) -> Vec<Box<dyn Engine>> {
    let spin = Spin { options: Options { reduce: otf.reduce, c: C::QuickFirst, ..Options::default() } };
    vec![
        Box::new(otf),
        Box::new(Quotient::new(otf)),
        Box::new(Icc::default()),
        Box::new(Minimise::default()),
        Box::new(Lazy::default()),
        Box::new(Symbolic::new(Method::Bdd)),
        Box::new(Symbolic::new(Method::Itp)),
        Box::new(Symbolic::new(Method::Citp)),
        Box::new(Symbolic::new(Method::CitpA)),
        Box::new(Symbolic::new(Method::CitpPa)),
        Box::new(Symbolic::new(Method::Ic3)),
        Box::new(Symbolic::new(Method::Bmc)),
        Box::new(Learn),
        Box::new(Conflict::default()),
        Box::new(spin),
    ]
}
