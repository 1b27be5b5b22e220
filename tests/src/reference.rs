//! What the results must be, computed on the CPU in the plainest way.

/// Exclusive prefix sums, modulo 2^32.
pub fn exclusive_scan(input: &[u32]) -> Vec<u32> {
    let mut sum = 0u32;
    let step = |&x: &u32| {
        let before = sum;
        sum = sum.wrapping_add(x);
        before
    };
    input.iter().map(step).collect()
}
