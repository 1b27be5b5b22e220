//! Counts a million normal samples on the GPU and draws the histogram: `histogram.svg`, or the file
//! that the first argument names.

use multisplit::primitives::histogram::{Histogram, Picture, svg};
use multisplit::{Config, Context};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::open(&Config::default())?;
    let mut state = 1u64;
    // Knuth's generator; the sum of twelve uniform numbers is all but normal.
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 16_777_216.0
    };
    let samples: Vec<f32> =
        (0..1 << 20).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect();

    let histogram = Histogram::even(80, -4.0f32, 4.0);
    let result = context.histogram(&histogram, &samples)?;

    let edges = histogram.edges();
    let mut picture = Picture::new("Normal samples", &result.counts, &edges);
    picture.x_label = "standard deviations from the mean";
    picture.dropped = result.dropped.first().copied();
    let file = std::env::args().nth(1).unwrap_or_else(|| "histogram.svg".to_owned());
    std::fs::write(&file, svg(&picture)?)?;
    println!("{} samples counted ({:?}); see {file}", samples.len(), result.method);
    Ok(())
}
