//! Fill, copy, upload and download.

use std::sync::atomic::{AtomicU32, Ordering};

use multisplit_tests::prelude::*;

tests!(memory:
    fill_writes_only_the_given_words, copy_writes_only_the_given_words,
    arrays_larger_than_a_binding_are_filled_and_copied, upload_and_download_round_trip,
    ranges_are_written_and_read, threads_transfer_each_chunk_once,
    transfer_callbacks_may_start_transfers, allocations_stay_within_the_memory_limit,
);

const SIZES: [u64; 14] = [1, 2, 3, 4, 5, 7, 8, 1023, 1024, 1025, 4095, 65_536, 65_537, 1_000_003];
const GUARD: u64 = 64;

fn check_fill(gpu: &Gpu, policy: &Policy, limits: &Limits, n: u64) -> Result<()> {
    let mut expected = uniform((n + 2 * GUARD) as usize, n);
    let mut setup = Setup::new(gpu, "fill");
    let dst = setup.input("dst", &expected);
    fill(&mut setup.graph, policy, "fill", dst.elements::<u32>(GUARD, n), 0xABCD_1234)?;
    setup.run_within(limits)?;
    expected[GUARD as usize..(GUARD + n) as usize].fill(0xABCD_1234);
    setup.expect(dst, &expected).with_context(|| format!("n = {n}"))
}

fn check_copy(gpu: &Gpu, policy: &Policy, limits: &Limits, n: u64) -> Result<()> {
    let input = uniform((n + GUARD) as usize, n);
    let mut expected = vec![9; (n + 2 * GUARD) as usize];
    let mut setup = Setup::new(gpu, "copy");
    let (src, dst) = (setup.input("src", &input), setup.input("dst", &expected));
    let (from, to) = (src.elements::<u32>(GUARD, n), dst.elements::<u32>(GUARD, n));
    copy(&mut setup.graph, policy, "copy", from, to)?;
    setup.run_within(limits)?;
    expected[GUARD as usize..(GUARD + n) as usize].copy_from_slice(&input[GUARD as usize..]);
    setup.expect(dst, &expected).with_context(|| format!("n = {n}"))
}

fn fill_writes_only_the_given_words(gpu: &Gpu) -> Result<()> {
    SIZES.iter().try_for_each(|&n| check_fill(gpu, &gpu.policy(), &gpu.limits(), n))
}

fn copy_writes_only_the_given_words(gpu: &Gpu) -> Result<()> {
    SIZES.iter().try_for_each(|&n| check_copy(gpu, &gpu.policy(), &gpu.limits(), n))
}

fn arrays_larger_than_a_binding_are_filled_and_copied(gpu: &Gpu) -> Result<()> {
    let max_storage_range = 150_000;
    let limits =
        Limits { max_storage_range, max_workgroup_count: [9, 65535, 65535], ..gpu.limits() };
    let policy = gpu.policy().lowered(|facts| facts.max_storage_range = max_storage_range);
    for n in [32_768, 32_769, 100_001] {
        check_fill(gpu, &policy, &limits, n)?;
        check_copy(gpu, &policy, &limits, n)?;
    }
    Ok(())
}

/// The array is larger than one staging buffer.
fn upload_and_download_round_trip(gpu: &Gpu) -> Result<()> {
    let data = uniform((20 << 20) + 5, 1);
    let buffer = gpu.upload(&data)?;
    expect_equal(&gpu.download(&buffer)?, &data)?;
    expect_equal(&gpu.download_range(&buffer, 0..3)?, &data[..3])?;
    let empty: Vec<u32> = gpu.download_range(&buffer, 0..0)?;
    expect_equal(&empty, &[])
}

/// Ranges have any alignment. Elements before and after the range do not change.
fn ranges_are_written_and_read(gpu: &Gpu) -> Result<()> {
    let mut expected: Vec<u8> = (0..4099u32).map(|i| i as u8).collect();
    let buffer = gpu.upload(&expected)?;
    for (offset, len) in [(0, 1), (1, 2), (1000, 1024), (4098, 1), (4099, 0)] {
        let part: Vec<u8> = (0..len).map(|i| 200 ^ i as u8).collect();
        gpu.write(&buffer, offset as u64, &part)?;
        expected[offset..offset + len].copy_from_slice(&part);
        expect_equal(&gpu.download(&buffer)?, &expected)?;
        let got = gpu.download_range(&buffer, offset as u64..(offset + len) as u64)?;
        expect_equal(&got, &part)?;
    }
    for (offset, len) in [(4099, 1), (0, 4100), (u64::MAX, 1), (4100, 0)] {
        let outcomes = [
            gpu.download_range(&buffer, offset..offset.saturating_add(len)).map(|_| ()),
            gpu.write(&buffer, offset, &vec![0u8; len as usize]),
        ];
        for outcome in outcomes {
            expect_error!(
                outcome,
                OutOfBounds { first, array: 4099, .. } if first == offset,
                "{len} elements from {offset}"
            );
        }
    }
    expect_equal(&gpu.download(&buffer)?, &expected)
}

/// The callback of a transfer may start another transfer, even if all staging slots are in use.
fn transfer_callbacks_may_start_transfers(gpu: &Gpu) -> Result<()> {
    let limited = gpu.open_with(|config| config.memory_limit = Some(1 << 20))?;
    let small = limited.upload(&[3u32, 1, 2])?;
    let array = limited.upload_with(3, |_, chunk: &mut [u32]| {
        chunk.copy_from_slice(&limited.download(&small)?);
        Ok::<(), Error>(())
    })?;
    expect_equal(&limited.download(&array)?, &[3, 1, 2])?;
    drop((small, array));
    expect_no_messages(limited)?;

    let n = 20_000_000;
    let large = gpu.zeroed::<u32>(5_000_000)?;
    in_threads(4, |_| {
        let uploaded = gpu.upload_with(n, |first, chunk: &mut [u32]| {
            chunk.fill(first as u32);
            if first == 0 {
                ensure!(gpu.download(&large)?.iter().all(|&word| word == 0));
            }
            Ok(())
        });
        uploaded.map(drop)
    })
}

/// The chunks of a transfer contain each element exactly once, regardless of the order in which
/// threads run. An error in one chunk ends the transfer.
fn threads_transfer_each_chunk_once(gpu: &Gpu) -> Result<()> {
    for n in [0, 1, 16_384, 16_385, 5_000_011] {
        let data = uniform(n, 3);
        let array = gpu.upload_with(n as u64, |first, chunk: &mut [u32]| {
            chunk.copy_from_slice(&data[first as usize..][..chunk.len()]);
            Ok::<(), Error>(())
        })?;
        let (begin, end) = (n as u64 / 3, n as u64);
        let found: Vec<AtomicU32> = data.iter().map(|_| AtomicU32::new(0)).collect();
        gpu.download_with(&array, begin..end, |first, chunk| {
            for (place, &word) in found[first as usize..].iter().zip(chunk) {
                place.fetch_add(word, Ordering::Relaxed);
            }
            Ok::<(), Error>(())
        })?;
        let found: Vec<u32> = found.into_iter().map(AtomicU32::into_inner).collect();
        let (before, found) = found.split_at(begin as usize);
        let is_unchanged = before.iter().all(|&word| word == 0);
        ensure!(is_unchanged, "n = {n}: a chunk lies outside of the range");
        expect_equal(found, &data[begin as usize..])?;
    }
    let fails = |first: u64| match first {
        0 => Ok(()),
        _ => Err(anyhow!("chunk {first}")),
    };
    let outcome = gpu.upload_with(5_000_011, |first, _: &mut [u32]| fails(first));
    ensure!(outcome.is_err_and(|error| error.to_string().starts_with("chunk")));
    let array = gpu.zeroed::<u32>(5_000_011)?;
    let outcome = gpu.download_with(&array, 0..5_000_011, |first, _| fails(first));
    ensure!(outcome.is_err_and(|error| error.to_string().starts_with("chunk")));
    let past = gpu.download_with(&array, 1..5_000_012, |_, _| Ok::<(), Error>(()));
    expect_errors! { past => OutOfBounds { .. } }
    // Concurrent transfers share the available staging memory.
    let data = uniform(3_000_001, 4);
    in_threads(6, |_| expect_equal(&gpu.download(&gpu.upload(&data)?)?, &data))
}

/// Allocations beyond the memory limit are rejected, staging memory counts towards it, and freed
/// memory can be reused.
fn allocations_stay_within_the_memory_limit(gpu: &Gpu) -> Result<()> {
    let limit = 100_000;
    let context = gpu.open_with(|config| config.memory_limit = Some(limit))?;
    let data = uniform(20_000, 2);
    let buffer = context.upload(&data)?;
    expect_equal(&context.download(&buffer)?, &data)?;
    let report = context.memory_report();
    ensure!(report.reserved_bytes <= limit, "more than {limit} bytes are reserved: {report:?}");
    expect_errors! { context.zeroed::<u32>(10_000) => OutOfMemory { size: 40_000, .. } }
    drop(buffer);
    ensure!(context.zeroed::<u32>(25_000).is_ok());
    Ok(())
}
