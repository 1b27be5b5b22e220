//! Recorded work in which passes use counts that earlier passes wrote to device memory: selections,
//! runs, minima and maxima, and segments.

use multisplit_tests::prelude::*;

tests!(work_found:
    runs_argmin_and_argmax_of_selected_elements_match_the_cpu, partitioned_segments_match_the_cpu,
);

const N: u64 = 9_000;

/// Selects elements by flags, finds their runs, and then the smallest and largest key of the runs.
fn runs_argmin_and_argmax_of_selected_elements_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(31);
    let keys: Vec<i32> = (0..N).map(|at| (at / 40) as i32 * 7 % 101 - 50).collect();
    let flags: Vec<u32> = (0..N).map(|_| rng.below(3) as u32).collect();
    let (src, flag_words) = (gpu.upload(&keys)?, gpu.upload(&flags)?);
    let [kept, runs, once] = [gpu.zeroed(N)?, gpu.zeroed(N)?, gpu.zeroed(N)?];
    let lengths = gpu.zeroed::<u32>(N)?;
    let [count, found, again] = [gpu.zeroed(1)?, gpu.zeroed(1)?, gpu.zeroed(1)?];
    let [least, greatest] = [gpu.zeroed::<i32>(1)?, gpu.zeroed::<i32>(1)?];
    let [least_at, greatest_at] = [gpu.zeroed::<u32>(1)?, gpu.zeroed::<u32>(1)?];
    let mut work = gpu.work("found");
    work.select_flagged(&src, &flag_words, &kept, &count)?;
    let n = work.count_in(&count, N);
    work.run_lengths(kept.first(n), &runs, &lengths, &found)?;
    work.unique(kept.first(n), &once, &again)?;
    let number = work.count_in(&found, N);
    work.argmin(runs.first(number), &least, &least_at)?;
    work.argmax(runs.first(number), &greatest, &greatest_at)?;
    work.record()?.submit()?;

    let taken = keys.iter().zip(&flags).filter(|(_, flag)| **flag != 0).map(|(key, _)| *key);
    let (expected, how_long) = reference::runs(&taken.collect::<Vec<i32>>());
    let len = expected.len();
    expect_equal(&gpu.download(&found)?, &[len as u32])?;
    expect_equal(&gpu.download(&again)?, &[len as u32])?;
    expect_equal(&gpu.download(&runs)?[..len], &expected)?;
    expect_equal(&gpu.download(&once)?[..len], &expected)?;
    expect_equal(&gpu.download(&lengths)?[..len], &how_long)?;
    for (ends, at, end) in [
        (&least, &least_at, expected.iter().min()),
        (&greatest, &greatest_at, expected.iter().max()),
    ] {
        let first = expected.iter().position(|key| Some(key) == end).unwrap_or(len);
        expect_equal(&gpu.download(ends)?, &[end.copied().unwrap_or(0)])?;
        expect_equal(&gpu.download(at)?, &[first as u32])?;
    }
    Ok(())
}

/// Partitions an array, scans its first part in segments that flags define, and reduces segments
/// whose number of elements is known only on the device.
fn partitioned_segments_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let keys: Vec<u32> = (0..N as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect();
    let heads: Vec<u32> = (0..N as u32).map(|at| u32::from(at % 97 == 5)).collect();
    let limit = 3_000;
    let low: Vec<u32> = keys.iter().copied().filter(|key| *key < limit).collect();
    let high: Vec<u32> = keys.iter().copied().filter(|key| *key >= limit).collect();
    let cuts = [0, 1, 1, 2_000, low.len() as u32 - 1, N as u32];
    let (src, head_words, offsets) = (gpu.upload(&keys)?, gpu.upload(&heads)?, gpu.upload(&cuts)?);
    let [small, large, scanned] = [gpu.zeroed(N)?, gpu.zeroed(N)?, gpu.zeroed(N)?];
    let (count, sums) = (gpu.zeroed::<u32>(1)?, gpu.zeroed::<u32>(5)?);
    let mut work = gpu.work("parts");
    work.partition(&src, (&small, &large), &count, &Select::less_than(limit))?;
    let n = work.count_in(&count, N);
    let how = Scan::inclusive(Operator::Sum);
    work.scan_by_heads(&head_words, small.first(n), &scanned, &how)?;
    work.reduce_segments(small.first(n), &offsets, &sums, Operator::Sum)?;
    work.record()?.submit()?;

    expect_equal(&gpu.download(&small)?[..low.len()], &low)?;
    expect_equal(&gpu.download(&large)?[..high.len()], &high)?;
    let mut sum = 0;
    let scan = low.iter().zip(&heads).map(|(key, head)| {
        sum = if *head != 0 { *key } else { sum + key };
        sum
    });
    let scan: Vec<u32> = scan.collect();
    expect_equal(&gpu.download(&scanned)?[..low.len()], &scan)?;
    let total = |pair: &[u32]| {
        let [begin, end] = [pair[0], pair[1]].map(|at| (at as usize).min(low.len()));
        low[begin..end].iter().sum::<u32>()
    };
    let expected: Vec<u32> = cuts.windows(2).map(total).collect();
    expect_equal(&gpu.download(&sums)?, &expected)
}
