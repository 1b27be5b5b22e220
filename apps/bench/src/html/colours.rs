//! Colours of methods, the same in every plot of every report.

use crate::plot::COLOURS;

/// Methods by colour. Methods of the same operation have different colours.
const METHODS: [&[&str]; COLOURS] = [
    &["onesweep", "lookback", "shared", "multisplit", "kernel", "fill"],
    &["block", "r8", "reduce-then-scan", "ballots", "multisplit-passes", "vkCmdCopyBuffer"],
    &["warp", "r7", "one-workgroup", "global", "near-far"],
    &["direct", "r6", "bellman-ford"],
    &["reduced-bit-sort", "r5", "bucketing"],
    &["scan-split", "r4"],
    &["full-sort", "small", "auto"],
    &[],
];

/// Colour of a method; the last colour if the method is unknown.
pub fn colour(method: &str) -> usize {
    // The key distribution follows after a comma.
    let name = method.split(',').next().unwrap_or_default().trim();
    METHODS.iter().position(|names| names.contains(&name)).unwrap_or(COLOURS - 1)
}

#[cfg(test)]
mod tests {
    use super::{METHODS, colour};

    #[test]
    fn every_method_has_one_colour() {
        let all: Vec<&str> = METHODS.iter().flat_map(|names| names.iter().copied()).collect();
        for name in &all {
            assert_eq!(all.iter().filter(|other| other == &name).count(), 1, "{name}");
        }
        assert_eq!(colour("warp"), colour("warp, binomial"));
        assert_ne!(colour("warp"), colour("block"));
        assert_eq!(colour("something else"), METHODS.len() - 1);
    }
}
