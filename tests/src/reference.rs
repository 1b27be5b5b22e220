//! Simple CPU references.

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

/// A stable split: the order of the elements (by index), and the offset of each bucket.
pub fn split(n: usize, buckets: u32, bucket_of: impl Fn(usize) -> u32) -> (Vec<u32>, Vec<u32>) {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); buckets as usize];
    for i in 0..n {
        members[bucket_of(i) as usize].push(i as u32);
    }
    let mut offsets = vec![0];
    for bucket in &members {
        offsets.push(offsets[offsets.len() - 1] + bucket.len() as u32);
    }
    (members.concat(), offsets)
}

/// The stable order (by index) of keys given as unsigned integers that compare like the keys. Only
/// the bits in `bits` are compared.
pub fn sort(images: &[u64], bits: std::ops::Range<u32>, descending: bool) -> Vec<u32> {
    let width = bits.end - bits.start;
    let kept = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    // A shift by 64 would overflow.
    let part = |i: u32| images[i as usize].checked_shr(bits.start).unwrap_or(0) & kept;
    let mut order: Vec<u32> = (0..images.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let ascending = part(a).cmp(&part(b));
        if descending { ascending.reverse() } else { ascending }
    });
    order
}
