//! Counts 2^20 approximately normally distributed samples on the GPU and prints the histogram.

use multisplit::{Bins, Context};

/// Length of the longest bar in characters.
const LONGEST: u64 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Context::new()?;
    let mut state = 1u64;
    // Knuth's linear congruential generator. A sum of twelve uniform numbers is approximately normal.
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 16_777_216.0
    };
    let samples: Vec<f32> =
        (0..1 << 20).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect();

    let bins = Bins::even(-4.0..4.0, 16);
    let edges = bins.edges();
    let result = gpu.histogram(&samples, bins)?;

    let max = result.counts.iter().copied().max().unwrap_or(0).max(1);
    for (ends, &count) in edges.windows(2).zip(&result.counts) {
        let bar = "#".repeat((count * LONGEST / max) as usize);
        println!("[{:4.1}, {:4.1}) {count:7} {bar}", ends[0], ends[1]);
    }
    println!("{} samples counted ({:?})", samples.len(), result.method);
    Ok(())
}
