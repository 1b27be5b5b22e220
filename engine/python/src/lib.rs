//! `multisplit._native`: the native part of the Python package. Its functions process flat arrays;
//! `python/multisplit` implements NumPy's conventions on top.
//!
//! It is private to the package. The Python part checks shapes, types and overlaps; checks needed for memory
//! safety are repeated here.

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
mod signals;
mod sort;
mod split;
mod sssp;

use pyo3::prelude::*;

/// The native part of the package multisplit. Private.
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
    use crate::select::{reduce, reduce_segments, run_lengths, scan, scan_segments, topk};
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
        module.add("MAX_BUCKETS", multisplit::operations::split::MAX_BUCKETS)?;
        module.add("MAX_BINS", multisplit::operations::histogram::MAX_BINS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
