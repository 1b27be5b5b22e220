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

/// A stable split of `n` elements: their indices in bucket order, and the offsets of the buckets,
/// including the end of the last one.
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

/// The keys in ascending order.
pub fn sorted<K: Copy + Ord>(keys: &[K]) -> Vec<K> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys
}

/// The indices of `n` elements in stable sorted order of their keys.
pub fn order_by<K: Ord>(n: usize, key_of: impl Fn(usize) -> K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&i| key_of(i as usize));
    order
}

/// The elements at these indices.
pub fn pick<T: Copy>(elements: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&i| elements[i as usize]).collect()
}

/// The inverse permutation of `order`: the destination index of each element.
pub fn places(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
    places
}

/// The offsets of segments with these lengths, including the end of the last one.
pub fn offsets(lengths: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut offsets = vec![0];
    lengths.into_iter().for_each(|length| offsets.push(offsets[offsets.len() - 1] + length));
    offsets
}

/// The segments between consecutive offsets.
pub fn segments<'a, T>(elements: &'a [T], offsets: &[u32]) -> impl Iterator<Item = &'a [T]> {
    offsets.windows(2).map(|ends| &elements[ends[0] as usize..ends[1] as usize])
}

/// The elements with each segment sorted.
pub fn sorted_segments<K: Copy + Ord>(elements: &[K], offsets: &[u32]) -> Vec<K> {
    segments(elements, offsets).flat_map(sorted).collect()
}

/// The first element and the length of each run of equal adjacent elements.
pub fn runs<T: Copy + PartialEq>(elements: &[T]) -> (Vec<T>, Vec<u32>) {
    elements.chunk_by(T::eq).map(|run| (run[0], run.len() as u32)).unzip()
}

/// The indices of keys in stable sorted order. `images` are unsigned integers that compare like the
/// keys. Only the bits in `bits` are compared.
pub fn sort<K: Copy + Into<u64>>(
    images: &[K],
    bits: std::ops::Range<u32>,
    descending: bool,
) -> Vec<u32> {
    let width = bits.end - bits.start;
    let kept = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    // A shift by 64 would overflow.
    let part = |i: u32| -> u64 {
        let image: u64 = images[i as usize].into();
        image.checked_shr(bits.start).unwrap_or(0) & kept
    };
    let mut order: Vec<u32> = (0..images.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let ascending = part(a).cmp(&part(b));
        if descending { ascending.reverse() } else { ascending }
    });
    order
}
