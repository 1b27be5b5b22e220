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
    pub use multisplit::ash::vk;
    pub use multisplit::graph::{Buffer, ElementType, Graph, Groups, Limits, Plan};
    pub use multisplit::operations::sort::SortMethod;
    pub use multisplit::operations::split::TileShape;
    pub use multisplit::operations::*;
    pub use multisplit::{
        Array, Bins, Buckets, BufferAt, Context, Error, Executable, ExecutableOptions, Glsl,
        GlslOperator, Key, KeyType, Operator, PipelineCache, Policy, RecordOptions, Scan, Select,
        Sort, TopK, Work, threads,
    };

    pub use crate::expect::{
        expect_compile_error, expect_equal, expect_keys, expect_message, expect_message_parts,
        expect_near, expect_no_messages, expect_value, few_groups, in_threads, pairs, run_once,
    };
    pub use crate::generate::{Rng, fractions, uniform};
    pub use crate::harness::Gpu;
    pub use crate::setup::{GUARD_WORD, SPARE, Setup};
    pub use crate::terms::{Term, bits};
    pub use crate::{
        expect_error, expect_errors, of_every_sample, of_every_type, reference, shortest, terms,
        tests,
    };
}
