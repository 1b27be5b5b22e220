//! Compares the picture of the example with one painted by the CPU: the same splats, blended in depth order.
//! Also checks that the comparison detects a picture drawn without the sort.

mod common;
#[allow(dead_code, reason = "the main function of the example is not called")]
#[path = "../examples/splats.rs"]
mod splats;

use anyhow::{Result, ensure};
use common::validated;
use splats::{SIDE, SPLATS};

fn hash(x: u32) -> u32 {
    let h = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let h = ((h >> ((h >> 28) + 4)) ^ h).wrapping_mul(277_803_737);
    (h >> 22) ^ h
}

fn part(i: u32, k: u32) -> f32 {
    (hash(i.wrapping_mul(8).wrapping_add(k)) >> 8) as f32 / 16_777_216.0
}

/// The expected picture as RGBA bytes, rounded after every splat like a render target.
fn painted() -> Vec<u8> {
    let mut order: Vec<u32> = (0..SPLATS).collect();
    let depth = |i: u32| part(i, 2) * 2.0 - 1.0;
    order.sort_by(|&a, &b| depth(b).total_cmp(&depth(a)));
    let side = SIDE as usize;
    let mut pixels = vec![[0.0f32, 0.0, 0.0, 1.0]; side * side];
    for i in order {
        let (x, y) = (part(i, 0) * 2.0 - 1.0, part(i, 1) * 2.0 - 1.0);
        let half = 2.0 * (0.03 + 0.05 * part(i, 7));
        let alpha = 0.5 + 0.4 * part(i, 6);
        let color = [part(i, 3), part(i, 4), part(i, 5)];
        for row in 0..side {
            // Pixels are sampled at their centre, rows from the top.
            let v = 1.0 - (row as f32 + 0.5) / side as f32 * 2.0;
            let v = (v - y) / half;
            if v.abs() >= 1.0 {
                continue;
            }
            for column in 0..side {
                let u = ((column as f32 + 0.5) / side as f32 * 2.0 - 1.0 - x) / half;
                if u.abs() >= 1.0 {
                    continue;
                }
                let a = alpha * (-4.0 * (u * u + v * v)).exp();
                let pixel = &mut pixels[row * side + column];
                for (old, new) in pixel.iter_mut().zip(color) {
                    *old = ((new * a + *old * (1.0 - a)) * 255.0).round() / 255.0;
                }
            }
        }
    }
    pixels.iter().flatten().map(|part| (part * 255.0).round() as u8).collect()
}

/// Mean and maximum difference of two pictures, out of 255.
fn difference(a: &[u8], b: &[u8]) -> (f64, u8) {
    // Compare only colours, not alpha.
    let parts = || {
        a.chunks_exact(4)
            .zip(b.chunks_exact(4))
            .flat_map(|(a, b)| a[..3].iter().zip(&b[..3]).map(|(a, b)| a.abs_diff(*b)))
    };
    let sum: u64 = parts().map(u64::from).sum();
    (sum as f64 / parts().count().max(1) as f64, parts().max().unwrap_or(0))
}

#[test]
fn splats_are_drawn_from_far_to_near() -> Result<()> {
    validated("splats_are_drawn_from_far_to_near", || {
        let expected = painted();
        let (mean, max) = difference(&splats::render(true)?, &expected);
        println!("with the sort, colours differ by {mean:.3} on average, {max} at most");
        // Devices round blended colours differently, and pixels at the edges of squares may be covered or
        // not.
        ensure!(mean < 1.0, "the mean difference is {mean}, but must be less than 1");
        let (mean, max) = difference(&splats::render(false)?, &expected);
        println!("without the sort, colours differ by {mean:.3} on average, {max} at most");
        ensure!(mean > 10.0, "without the sort, the mean difference is {mean}, but must exceed 10");
        Ok(())
    })
}
