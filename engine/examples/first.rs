//! The first program of the README: sorts, splits and counts on the best available device.

use multisplit::{Bins, Buckets, Context};

fn main() -> Result<(), multisplit::Error> {
    let keys: Vec<f32> = (0..1000).map(|i| (i as f32 * 0.37).sin().abs()).collect();
    let values: Vec<u32> = (0..1000).collect();
    let samples = keys.clone();

    let gpu = Context::new()?;
    let sorted = gpu.sort(&keys)?;
    let order = gpu.argsort(&keys)?;
    let split = gpu.split(&keys, Buckets::even(0.0..1.0, 8))?;
    let histogram = gpu.histogram(&samples, Bins::even(0.0..1.0, 8))?;
    let (keys, values) = gpu.sort_pairs(&keys, &values)?;

    assert!(sorted.is_sorted() && sorted == keys && order == values);
    println!("{} comes first, it was number {}", sorted[0], order[0]);
    println!("buckets begin at {:?}, bins hold {:?}", split.offsets, histogram.counts);
    Ok(())
}
