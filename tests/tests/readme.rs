//! The Rust blocks of the README, compiled and run as they stand there.
//!
//! They open devices of their own, so each finds the software driver by itself.

#[allow(
    clippy::undocumented_unsafe_blocks,
    clippy::type_complexity,
    reason = "as readers write them"
)]
mod blocks {
    include!(concat!(env!("OUT_DIR"), "/readme.rs"));
}

#[test]
fn every_block_runs() {
    assert!(blocks::BLOCKS.len() >= 5, "the README has lost its programs");
    for (name, block) in blocks::BLOCKS {
        if let Err(error) = block() {
            panic!("{name} of the README: {error}");
        }
    }
}
