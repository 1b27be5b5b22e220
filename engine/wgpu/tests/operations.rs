//! Compares every operation with the CPU on a plain wgpu device, combined with wgpu commands, without
//! errors from the validation layer.

mod common;

use anyhow::{Context as _, Result, ensure};
use common::{Gpu, has_errors, noise, open, run_validated, validated};
use multisplit_wgpu::{Bins, Buckets, Count, Operator, Scan, Select, Sort, TopK};
use wgpu::hal::api::Vulkan;

/// Number of elements. Exceeds the number that one workgroup can sort.
const N: usize = 20_000;

fn keys() -> Vec<u32> {
    (0..N as u32).map(|i| noise(i) % 50_000).collect()
}

fn sorted_pairs(keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&i| keys[i as usize]);
    (order.iter().map(|&i| keys[i as usize]).collect(), order)
}

#[test]
fn sorts_match_the_cpu() -> Result<()> {
    validated("sorts_match_the_cpu", || {
        let gpu = open()?;
        let keys = keys();
        let (expected, order) = sorted_pairs(&keys);
        let numbers: Vec<u32> = (0..N as u32).collect();
        let sort = gpu.multisplit.sort_pairs::<u32, u32>(N as u64, &Sort::ascending())?;
        let (key, value, copy) = (gpu.empty::<u32>(N), gpu.filled(&numbers), gpu.empty::<u32>(N));
        let from = gpu.filled(&keys);
        let mut commands = gpu.commands();
        // wgpu copies before and after the sort need barriers.
        commands.encoder().copy_buffer_to_buffer(&from, 0, &key, 0, key.size());
        sort.encode(&mut commands, &key, &value, Count::All)?;
        commands.encoder().copy_buffer_to_buffer(&key, 0, &copy, 0, key.size());
        commands.submit();
        ensure!(gpu.read::<u32>(&copy)? == expected);
        ensure!(gpu.read::<u32>(&value)? == order);

        // A descending argsort of floats into an uninitialised buffer.
        let floats: Vec<f32> = keys.iter().map(|&key| key as f32 - 20_000.5).collect();
        let argsort = gpu.multisplit.argsort::<f32>(N as u64, &Sort::descending())?;
        let (key, places) = (gpu.filled(&floats), gpu.empty::<u32>(N));
        gpu.run(|commands| argsort.encode(commands, &key, &places, Count::All))?;
        let mut order: Vec<u32> = numbers.clone();
        order.sort_by(|&a, &b| floats[b as usize].total_cmp(&floats[a as usize]));
        ensure!(gpu.read::<u32>(&places)? == order);

        // Two sorts of the same keys in one submission, which must run in order.
        let alone = gpu.multisplit.sort::<u32>(N as u64, &Sort::ascending())?;
        let down = gpu.multisplit.sort::<u32>(N as u64, &Sort::descending())?;
        let key = gpu.filled(&keys);
        let mut commands = gpu.commands();
        down.encode(&mut commands, &key, Count::All)?;
        alone.encode(&mut commands, &key, Count::All)?;
        commands.submit();
        ensure!(gpu.read::<u32>(&key)? == expected);
        Ok(())
    })
}

#[test]
fn splits_match_the_cpu() -> Result<()> {
    validated("splits_match_the_cpu", || {
        let gpu = open()?;
        let keys = keys();
        let buckets = Buckets::<u32>::delta(0, 10_000, 5);
        let by_bucket = |key: u32| key / 10_000;
        let mut order: Vec<u32> = (0..N as u32).collect();
        order.sort_by_key(|&i| by_bucket(keys[i as usize]));
        let expected: Vec<u32> = order.iter().map(|&i| keys[i as usize]).collect();
        let begin = |b: u32| keys.iter().filter(|&&key| by_bucket(key) < b).count() as u32;
        let begins: Vec<u32> = (0..=5).map(begin).collect();

        let split = gpu.multisplit.split::<u32>(N as u64, &buckets)?;
        let (key, out, offsets) =
            (gpu.filled(&keys), gpu.empty::<u32>(N), gpu.empty::<u32>(begins.len()));
        gpu.run(|commands| split.encode(commands, &key, &out, &offsets, Count::All))?;
        ensure!(gpu.read::<u32>(&out)? == expected);
        ensure!(gpu.read::<u32>(&offsets)? == begins);

        let pairs = gpu.multisplit.split_pairs::<u32, [u32; 2]>(N as u64, &buckets)?;
        let values: Vec<[u32; 2]> = (0..N as u32).map(|i| [i, !i]).collect();
        let (value, value_out) = (gpu.filled(&values), gpu.empty::<[u32; 2]>(N));
        gpu.run(|commands| {
            pairs.encode(commands, (&key, &value), (&out, &value_out), &offsets, Count::All)
        })?;
        ensure!(gpu.read::<u32>(&out)? == expected);
        let moved: Vec<[u32; 2]> = order.iter().map(|&i| [i, !i]).collect();
        ensure!(gpu.read::<[u32; 2]>(&value_out)? == moved);
        Ok(())
    })
}

#[test]
fn histogram_and_scan_match_the_cpu() -> Result<()> {
    validated("histogram_and_scan_match_the_cpu", || {
        let gpu = open()?;
        let samples: Vec<f32> = (0..N as u32).map(|i| (noise(i) % 1000) as f32 / 1000.0).collect();
        let histogram = gpu.multisplit.histogram(N as u64, &Bins::even(0.0f32..1.0, 64))?;
        let scan = gpu.multisplit.scan::<u32>(64, &Scan::default())?;
        let (sample, counts, sums) =
            (gpu.filled(&samples), gpu.empty::<u32>(64), gpu.empty::<u32>(64));
        let mut commands = gpu.commands();
        // Two dependent operations in one submission.
        histogram.encode(&mut commands, &sample, &counts, Count::All)?;
        scan.encode(&mut commands, &counts, &sums, Count::All)?;
        commands.submit();
        let mut expected = vec![0u32; 64];
        for sample in samples {
            expected[(sample * 64.0) as usize] += 1;
        }
        ensure!(gpu.read::<u32>(&counts)? == expected);
        let before = |i: usize| expected[..i].iter().sum::<u32>();
        ensure!(gpu.read::<u32>(&sums)? == (0..64).map(before).collect::<Vec<_>>());
        Ok(())
    })
}

/// Covers host counts, and device counts that a wgpu pass writes.
#[test]
fn host_and_device_counts_limit_the_sort() -> Result<()> {
    validated("host_and_device_counts_limit_the_sort", || {
        let gpu = open()?;
        let keys = keys();
        let sort = gpu.multisplit.sort::<u32>(N as u64, &Sort::ascending())?;
        let partly = |n: usize| {
            let mut expected = keys.clone();
            expected[..n].sort_unstable();
            expected
        };
        for n in [0u32, 1, 777, N as u32] {
            let key = gpu.filled(&keys);
            gpu.run(|commands| sort.encode(commands, &key, Count::Host(n)))?;
            ensure!(
                gpu.read::<u32>(&key)? == partly(n as usize),
                "with a host count of {n}, the keys differ from the CPU's"
            );
        }
        for n in [0u32, 1, 7777, N as u32, u32::MAX] {
            let (key, words) = (gpu.filled(&keys), gpu.empty::<u32>(3));
            let mut commands = gpu.commands();
            write_word(&gpu, commands.encoder(), &words, n);
            sort.encode(&mut commands, &key, Count::Buffer { buffer: &words, word: 2 })?;
            commands.submit();
            let taken = (n as usize).min(N);
            ensure!(
                gpu.read::<u32>(&key)? == partly(taken),
                "with a device count of {n}, the keys differ from the CPU's"
            );
        }
        Ok(())
    })
}

/// Writes the third word of a buffer with a WGSL compute pass.
fn write_word(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, words: &wgpu::Buffer, value: u32) {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1) fn main() {{ words[2] = {value}u; }}"
    );
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: words.as_entire_binding() }],
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
}

/// Writes a buffer twice with raw Vulkan commands, without a barrier in between. The next test checks that the
/// validation layer reports this.
#[test]
#[ignore = "has a missing barrier on purpose; the next test runs it"]
fn missing_barrier_causes_a_hazard() -> Result<()> {
    let gpu = open()?;
    let buffer = gpu.empty::<u32>(64);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.clear_buffer(&buffer, 0, None);
    gpu.queue.submit([encoder.finish()]);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    // SAFETY: the buffer is alive until the device is idle, and nothing is destroyed.
    unsafe {
        let raw = buffer.as_hal::<Vulkan>().context("the device does not use Vulkan")?.raw_handle();
        let device = gpu
            .device
            .as_hal::<Vulkan>()
            .context("the device does not use Vulkan")?
            .raw_device()
            .clone();
        encoder.as_hal_mut::<Vulkan, _, _>(|encoder| {
            let commands = encoder.context("the device does not use Vulkan")?.raw_handle();
            device.cmd_fill_buffer(commands, raw, 0, 256, 1);
            device.cmd_fill_buffer(commands, raw, 0, 256, 2);
            anyhow::Ok(())
        })?;
    }
    gpu.queue.submit([encoder.finish()]);
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    Ok(())
}

#[test]
fn validation_layer_reports_missing_barrier() -> Result<()> {
    let output = run_validated("missing_barrier_causes_a_hazard")?;
    ensure!(
        has_errors(&output) && output.contains("SYNC-HAZARD-WRITE-AFTER-WRITE"),
        "the validation layer reports no SYNC-HAZARD-WRITE-AFTER-WRITE:\n{output}"
    );
    Ok(())
}

/// Submits a thousand frames without waiting. Each sorts the output of the previous frame in the opposite direction.
#[test]
fn thousand_frames_without_waiting_match_the_cpu() -> Result<()> {
    validated("thousand_frames_without_waiting_match_the_cpu", || {
        const KEYS: usize = 2000;
        let gpu = open()?;
        let keys: Vec<u32> = (0..KEYS as u32).map(noise).collect();
        let up = gpu.multisplit.sort_pairs::<u32, u32>(KEYS as u64, &Sort::ascending())?;
        let down = gpu.multisplit.sort_pairs::<u32, u32>(KEYS as u64, &Sort::descending())?;
        let numbers: Vec<u32> = (0..KEYS as u32).collect();
        let (key, value) = (gpu.filled(&keys), gpu.filled(&numbers));
        for frame in 0..1000 {
            let sort = if frame % 2 == 0 { &down } else { &up };
            gpu.run(|commands| sort.encode(commands, &key, &value, Count::All))?;
        }
        let (expected, order) = sorted_pairs(&keys);
        ensure!(gpu.read::<u32>(&key)? == expected);
        ensure!(gpu.read::<u32>(&value)? == order);
        // All frames have finished, so all scratch memory is unused. Its amount depends on how many frames were pending
        // at the same time.
        let idle = up.idle() + down.idle();
        ensure!((2..=1000).contains(&idle), "{idle} unused executables; expected from 2 to 1000");
        Ok(())
    })
}

/// The count that a selection writes on the device is the element count of a top-k.
#[test]
fn selected_count_limits_the_topk() -> Result<()> {
    validated("selected_count_limits_the_topk", || {
        let gpu = open()?;
        let keys = keys();
        let select = gpu.multisplit.select::<u32>(N as u64, &Select::less_than(20_000))?;
        let topk = gpu.multisplit.topk::<u32>(N as u64, &TopK::largest(100))?;
        let (key, kept, selected) = (gpu.filled(&keys), gpu.empty::<u32>(N), gpu.empty::<u32>(1));
        let (best, places) = (gpu.empty::<u32>(100), gpu.empty::<u32>(100));
        let mut commands = gpu.commands();
        select.encode(&mut commands, &key, &kept, &selected, Count::All)?;
        let count = Count::Buffer { buffer: &selected, word: 0 };
        topk.encode(&mut commands, &kept, &best, &places, count)?;
        commands.submit();
        let expected: Vec<u32> = keys.iter().copied().filter(|&key| key < 20_000).collect();
        ensure!(gpu.read::<u32>(&selected)? == [expected.len() as u32]);
        ensure!(gpu.read::<u32>(&kept)?[..expected.len()] == expected);
        let mut order: Vec<u32> = (0..expected.len() as u32).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(expected[i as usize]));
        order.truncate(100);
        ensure!(gpu.read::<u32>(&places)? == order);
        let sorted: Vec<u32> = order.iter().map(|&i| expected[i as usize]).collect();
        ensure!(gpu.read::<u32>(&best)? == sorted);
        Ok(())
    })
}

#[test]
fn segments_with_offsets_in_a_buffer_are_sorted() -> Result<()> {
    validated("segments_with_offsets_in_a_buffer_are_sorted", || {
        let gpu = open()?;
        let mut keys = keys();
        let sort = gpu.multisplit.sort_segments::<u32>(N as u64, 4, &Sort::ascending())?;
        let ends = [0u32, 10, 10, 9_000, N as u32];
        let (key, offsets) = (gpu.filled(&keys), gpu.filled(&ends));
        gpu.run(|commands| sort.encode(commands, &key, &offsets, Count::All))?;
        for ends in ends.windows(2) {
            keys[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        ensure!(gpu.read::<u32>(&key)? == keys);
        Ok(())
    })
}

#[test]
fn scans_of_rows_and_segments_match_the_cpu() -> Result<()> {
    validated("scans_of_rows_and_segments_match_the_cpu", || {
        let gpu = open()?;
        let numbers: Vec<i32> = keys().iter().map(|&key| key as i32 - 25_000).collect();
        let sums =
            gpu.multisplit.scan::<i32>(N as u64, &Scan::exclusive(Operator::Sum).rows(50))?;
        let maxima = Scan::inclusive(Operator::Max);
        let maxima = gpu.multisplit.scan_segments::<i32>(N as u64, 4, &maxima)?;
        let ends = [0u32, 10, 10, 9_000, N as u32];
        let (src, offsets) = (gpu.filled(&numbers), gpu.filled(&ends));
        let (in_rows, in_segments) = (gpu.empty::<i32>(N), gpu.empty::<i32>(N));
        let mut commands = gpu.commands();
        sums.encode(&mut commands, &src, &in_rows, Count::Host(777))?;
        maxima.encode(&mut commands, &src, &offsets, &in_segments, Count::All)?;
        commands.submit();
        let mut expected = vec![0; 777];
        for (i, sum) in expected.iter_mut().enumerate() {
            *sum = numbers[i - i % 50..i].iter().sum::<i32>();
        }
        ensure!(gpu.read::<i32>(&in_rows)?[..777] == expected);
        let mut expected = numbers;
        for i in 1..N {
            if !ends.contains(&(i as u32)) {
                expected[i] = expected[i].max(expected[i - 1]);
            }
        }
        ensure!(gpu.read::<i32>(&in_segments)? == expected);
        Ok(())
    })
}
