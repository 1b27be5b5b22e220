//! The Rust blocks of the README: all are compiled unchanged, and those without `no_run` are run.
//!
//! Each block opens a device with default settings. On a machine without a GPU, that is the
//! software driver.

#[allow(
    clippy::undocumented_unsafe_blocks,
    clippy::type_complexity,
    reason = "user code need not follow these lints"
)]
mod blocks {
    include!(concat!(env!("OUT_DIR"), "/readme.rs"));
}

#[test]
fn readme_examples_run() {
    let count = blocks::BLOCKS.len();
    assert!(count >= 5, "the README has only {count} Rust blocks; expected at least 5");
    for (name, block) in blocks::BLOCKS {
        if let Err(error) = block() {
            panic!("{name} of the README: {error}");
        }
    }
}
