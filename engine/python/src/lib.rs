//! `multisplit._native`: what Python's side of the package cannot do itself. Arrays in, arrays out; how NumPy's
//! rules map to them is in `python/multisplit`.
//!
//! Nothing here is for use from outside of the package: shapes, types and overlaps are checked there first, and
//! here once more where memory is at stake.

mod array;
mod buckets;
mod buffer;
mod canonical;
mod engine;
mod error;
mod histogram;
mod process;
mod search;
mod select;
mod sort;
mod split;
mod sssp;

use pyo3::prelude::*;

/// The native half of the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::buffer::Buffer;
    #[pymodule_export]
    use crate::canonical::restore_bits;
    #[pymodule_export]
    use crate::engine::{Engine, devices};
    #[pymodule_export]
    use crate::histogram::histogram;
    #[pymodule_export]
    use crate::search::search;
    #[pymodule_export]
    use crate::select::{reduce, run_lengths, scan, topk};
    #[pymodule_export]
    use crate::sort::{argsort, sort, sort_in_place, sort_pairs};
    #[pymodule_export]
    use crate::split::{split, split_permutation};
    #[pymodule_export]
    use crate::sssp::sssp;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("HAS_GLSL", cfg!(feature = "glsl"))?;
        module.add("MAX_BUCKETS", multisplit::primitives::multisplit::MAX_BUCKETS)?;
        module.add("MAX_BINS", multisplit::primitives::histogram::MAX_BINS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
