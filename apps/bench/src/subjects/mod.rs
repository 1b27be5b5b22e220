//! The subjects of `multisplit bench`.

pub mod cases;
pub mod family;
pub mod histogram;
pub mod host;
mod segments;
pub mod sort;
pub mod split;
pub mod sssp;
pub mod topk;
