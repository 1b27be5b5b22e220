//! Shared test code: the harness that runs tests on a real driver, input generators, and CPU
//! references.

pub mod counting;
pub mod expect;
pub mod extent;
pub mod generate;
pub mod harness;
pub mod histogram;
pub mod reference;
pub mod refusals;
pub mod setup;
pub mod shortest;
pub mod slowest;
pub mod terms;

/// Items that many test files use.
pub mod prelude {
    pub use anyhow::{Context as _, Result, anyhow, bail, ensure};

    pub use crate::expect::{
        expect_equal, expect_message, expect_no_messages, few_groups, in_threads, run_once,
    };
    pub use crate::generate::{Rng, uniform};
    pub use crate::harness::Gpu;
    pub use crate::setup::{GUARD_WORD, Setup};
    pub use crate::terms::{Term, bits};
    pub use crate::{expect_errors, of_every_type, reference, shortest, terms, tests};
}
