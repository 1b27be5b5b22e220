//! Code that several operations share.

pub(crate) mod bounded_groups;
pub(crate) mod checks;
pub(crate) mod count;
pub(crate) mod cut;
pub(crate) mod declare;
pub(crate) mod each;
pub(crate) mod edge_values;
pub(crate) mod even_parts;
pub(crate) mod fill;
#[cfg(feature = "glsl")]
pub(crate) mod glsl;
pub(crate) mod look_back;
pub(crate) mod lookup_table;
pub(crate) mod operator;
pub(crate) mod pieces;
pub(crate) mod segment_sweep;
pub(crate) mod specialize;
pub(crate) mod terms;
pub(crate) mod tiles;
pub(crate) mod widening;
