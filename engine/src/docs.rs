//! Guides in `docs/`, whose Rust blocks are compiled and run as doc tests.

#[doc = include_str!("../../docs/sort.md")]
pub struct Sort;

/// Requires the feature `glsl`, because one example defines a custom bucket function.
#[cfg(feature = "glsl")]
#[doc = include_str!("../../docs/multisplit.md")]
pub struct Multisplit;

#[doc = include_str!("../../docs/topk.md")]
pub struct TopK;

#[doc = include_str!("../../docs/histogram.md")]
pub struct Histogram;

#[doc = include_str!("../../docs/family.md")]
pub struct Family;

/// Requires the feature `glsl`, because one example defines a custom pass.
#[cfg(feature = "glsl")]
#[doc = include_str!("../../docs/graph.md")]
pub struct Graph;
