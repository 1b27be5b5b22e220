//! Arrays that exceed the limits of the device itself, in a full run: more than 2^30 elements, or
//! more bytes than a storage binding.

use multisplit_tests::prelude::*;

tests!(large_limits:
    more_than_2_to_30_keys_are_sorted, wide_pairs_beyond_device_limits_are_sorted,
    values_larger_than_a_binding_are_sorted, more_than_2_to_30_elements_are_split,
    histogram_of_samples_larger_than_a_binding_matches_the_cpu,
    topk_searches_and_runs_larger_than_a_binding_match_the_cpu,
);

/// Whether a test runs: in a full run, if the device has memory for `copies` copies of `n` elements
/// of `bytes` bytes and half a copy more. Many devices have too little memory for more than 2^30
/// elements.
fn fits_memory(gpu: &Gpu, n: u64, bytes: u64, copies: u64) -> bool {
    let needed = n * bytes * copies + n * bytes / 2;
    let has = gpu.properties().device_memory >= needed;
    if gpu.full && !has {
        eprintln!("skipped: {n} elements of {bytes} bytes take {needed} bytes of device memory");
    }
    gpu.full && has
}

fn random<T>(n: u64, seed: u64, of: impl Fn(u64) -> T) -> Vec<T> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| of(rng.next_u64())).collect()
}

fn more_than_2_to_30_keys_are_sorted(gpu: &Gpu) -> Result<()> {
    let n = (1 << 30) + 12_345;
    if !fits_memory(gpu, n, 4, 2) {
        return Ok(());
    }
    let keys = random(n, 1, |bits| bits as u32);
    let mut sorted = vec![0; keys.len()];
    gpu.sort_into(&keys, &Sort::ascending(), &mut sorted)?;
    let mut expected = keys;
    expected.sort_unstable();
    expect_equal(&sorted, &expected)
}

/// Checks pairs whose values are the original indices: values match their keys, each occurs once,
/// and they ascend among equal keys.
fn check_pairs<V>(
    keys: &[u64],
    sorted: &[u64],
    values: &[V],
    number: impl Fn(&V) -> u64,
) -> Result<()> {
    ensure!(sorted.len() == keys.len() && values.len() == keys.len(), "elements are missing");
    let mut seen = vec![false; keys.len()];
    for (place, value) in values.iter().enumerate() {
        let from = number(value) as usize;
        let right = seen.get(from) == Some(&false) && sorted[place] == keys[from];
        ensure!(right, "element {from} moved to the wrong place {place}");
        seen[from] = true;
        let before = place.checked_sub(1).map(|before| (sorted[before], number(&values[before])));
        let is_ordered = before.is_none_or(|b| b < (sorted[place], from as u64));
        ensure!(is_ordered, "element {place} is out of order");
    }
    Ok(())
}

fn wide_pairs_beyond_device_limits_are_sorted(gpu: &Gpu) -> Result<()> {
    let n = (1 << 29) + 1;
    if !fits_memory(gpu, n, 12, 2) {
        return Ok(());
    }
    // Clears low bits so that some keys are equal.
    let keys = random(n, 2, |bits| bits >> 36 << 36);
    let values: Vec<u32> = (0..n as u32).collect();
    let (sorted, values) = gpu.sort_pairs(&keys, &values)?;
    check_pairs(&keys, &sorted, &values, |&value| value.into())
}

/// The array of values exceeds a binding by at most one value.
fn values_larger_than_a_binding_are_sorted(gpu: &Gpu) -> Result<()> {
    let n = gpu.limits().max_storage_range / 16 + 1;
    if !fits_memory(gpu, n, 24, 2) {
        return Ok(());
    }
    let keys = random(n, 3, |bits| bits >> 44);
    let values: Vec<[u64; 2]> = (0..n).map(|i| [i, !i]).collect();
    let (sorted, values) = gpu.sort_pairs(&keys, &values)?;
    ensure!(values.iter().all(|[number, other]| *other == !number));
    check_pairs(&keys, &sorted, &values, |value| value[0])
}

fn more_than_2_to_30_elements_are_split(gpu: &Gpu) -> Result<()> {
    let n = (1 << 30) + 12_345;
    if !fits_memory(gpu, n, 4, 2) {
        return Ok(());
    }
    let keys = random(n, 4, |bits| bits as u32);
    let split = gpu.split(&keys, Buckets::digit(3..11))?;
    let bucket_of = |key: u32| (key >> 3) as usize & 255;
    let mut counts = vec![0u32; 256];
    keys.iter().for_each(|&key| counts[bucket_of(key)] += 1);
    let mut next = vec![0; 257];
    (0..256).for_each(|bucket| next[bucket + 1] = next[bucket] + counts[bucket]);
    expect_equal(&split.offsets, &next).context("offsets differ")?;
    for (i, &key) in keys.iter().enumerate() {
        let place = &mut next[bucket_of(key)];
        let is_right = split.keys.get(*place as usize) == Some(&key);
        ensure!(is_right, "element {i} moved to the wrong place {place}");
        *place += 1;
    }
    Ok(())
}

fn histogram_of_samples_larger_than_a_binding_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = if gpu.is_software() { gpu.limits().max_storage_range + 5 } else { 1 << 31 };
    if !fits_memory(gpu, n, 1, 1) {
        return Ok(());
    }
    let words = random(n.div_ceil(8), 5, |bits| bits);
    let samples = &bytemuck::cast_slice::<u64, u8>(&words)[..n as usize];
    let mut expected = vec![0u64; 256];
    samples.iter().for_each(|&sample| expected[usize::from(sample)] += 1);
    let found = gpu.histogram(samples, Bins::identity(256))?;
    expect_equal(&found.counts, &expected)
}

/// The input is 32 MiB larger than a binding: 160 MiB on lavapipe.
fn topk_searches_and_runs_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = gpu.limits().max_storage_range / 4 + (8 << 20);
    if !fits_memory(gpu, n, 4, 3) {
        return Ok(());
    }
    let keys = random(n, 6, |bits| (bits >> 38) as u32);
    let mut order: Vec<u32> = (0..n as u32).collect();
    let by_rank = |&index: &u32| (!keys[index as usize], index);
    order.select_nth_unstable_by_key(1000, by_rank);
    order.truncate(1000);
    order.sort_by_key(by_rank);
    let found = gpu.topk(&keys, &TopK::largest(1000))?;
    expect_equal(&found.indices, &order).context("the top-k differs")?;
    ensure!(found.keys.iter().zip(&order).all(|(&key, &index)| key == keys[index as usize]));

    let needles = random(1 << 20, 7, |bits| (bits >> 37) as u32);
    let mut sorted = keys;
    sorted.sort_unstable();
    let less = |&needle: &u32| sorted.partition_point(|&key| key < needle) as u32;
    let expected: Vec<u32> = needles.iter().map(less).collect();
    expect_equal(&gpu.lower_bound(&sorted, &needles)?, &expected)
        .context("search results differ")?;

    let (firsts, lengths) = reference::runs(&sorted);
    let (found, found_lengths) = gpu.run_lengths(&sorted)?;
    expect_equal(&found, &firsts).context("keys of runs differ")?;
    expect_equal(&found_lengths, &lengths).context("run lengths differ")?;
    expect_equal(&gpu.unique(&sorted)?, &firsts).context("unique elements differ")?;
    eprintln!("{} bytes: top-k, search and runs are correct", 4 * n);
    Ok(())
}
