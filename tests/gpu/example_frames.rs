//! The modules of the example `frames`, as used by the embedding tests.

#[path = "../../engine/examples/frames/frames.rs"]
pub mod frames;
#[path = "../../engine/examples/frames/host.rs"]
pub mod host;
#[path = "../../engine/examples/frames/passes.rs"]
mod passes;
