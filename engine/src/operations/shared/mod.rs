//! Code that several operations share.

pub(crate) mod bounded_groups;
pub(crate) mod checks;
pub(crate) mod count;
pub(crate) mod cut;
mod declare;
pub(crate) mod each;
pub(crate) mod edge_values;
mod even_parts;
pub(crate) mod fill;
#[cfg(feature = "glsl")]
pub(crate) mod glsl;
mod look_back;
mod lookup_table;
pub(crate) mod operator;
mod pieces;
mod push;
mod segment_sweep;
mod terms;
mod tiles;
pub(crate) mod widening;

pub(in crate::operations) use checks::*;
pub(in crate::operations) use count::*;
pub(in crate::operations) use cut::*;
pub(in crate::operations) use declare::*;
pub(in crate::operations) use each::*;
pub(in crate::operations) use edge_values::*;
pub(in crate::operations) use even_parts::*;
pub(in crate::operations) use fill::*;
pub(in crate::operations) use look_back::*;
pub(in crate::operations) use lookup_table::*;
pub(in crate::operations) use operator::*;
pub(in crate::operations) use pieces::*;
pub(in crate::operations) use push::*;
pub(in crate::operations) use segment_sweep::*;
pub(in crate::operations) use terms::*;
pub(in crate::operations) use tiles::*;
pub(in crate::operations) use widening::*;
