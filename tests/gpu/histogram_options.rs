//! Options of histograms: layouts, weights, accumulation, 64-bit counts, device counts, cumulative
//! counts, and GLSL bin functions, compared with a CPU reference.

use multisplit::Bound;
use multisplit::operations::histogram::{HistogramMethod, Layout};
use multisplit_tests::histogram::{Reference, Spread, count, range_bin};
use multisplit_tests::prelude::*;

use crate::histogram_run::{Input, Weights, run, run_all};

tests!(histogram:
    pixel_channels_match_the_cpu, wide_channels_match_the_cpu, strided_samples_match_the_cpu,
    integer_weights_match_the_cpu, float_weights_match_the_cpu, accumulated_counts_match_the_cpu,
    wide_counts_match_the_cpu, counts_beyond_32_bits_do_not_wrap, device_count_limits_the_samples,
    cumulative_counts_match_the_cpu, replayed_histogram_clears_its_counts, glsl_bins_match_the_cpu,
    glsl_bins_read_tables_and_parameters, one_call_on_an_empty_array_gives_zeros,
);

/// Counts `samples` in this layout and compares each channel with the CPU reference.
fn check_layout<S: Reference>(gpu: &Gpu, layout: Layout, m: u32, samples: &[S]) -> Result<()> {
    let (lo, hi) = S::domain();
    let size = size_of::<S>();
    let bytes: &[u8] = bytemuck::cast_slice(samples);
    let stride = layout.stride.map_or(layout.channels as usize * size, |s| s as usize);
    let offset = layout.offset as usize;
    let n = (bytes.len() - offset) / stride;
    let policy = gpu.policy();
    let input = Input { layout, ..Input::default() };
    let got = run(gpu, &policy, &Bins::even(lo..hi, m), bytes, n as u64, input)?;
    let channels = (0..layout.channels as usize).filter(|c| layout.active >> c & 1 == 1);
    for (place, channel) in channels.enumerate() {
        let value = |i: usize| {
            let at = offset + i * stride + channel * size;
            bytemuck::pod_read_unaligned::<S>(&bytes[at..at + size])
        };
        let (counts, out_of_range) = count(n, m, |i| value(i).even_bin(lo, hi, m), |_| 1);
        let first = place * m as usize;
        expect_equal(&got.counts[first..first + m as usize], &counts)
            .with_context(|| format!("{layout:?}, channel {channel}"))?;
        let what = || format!("{layout:?}: the out-of-range count at {place}");
        expect_value(what(), &got.out_of_range[place], &out_of_range)?;
    }
    Ok(())
}

fn samples<S: Reference>(n: usize) -> Vec<S> {
    Spread::Uniform.samples(n, 1, &[S::at(0.0)], 3)
}

/// Counts all or some channels of RGBA8 pixels in one pass, channels of pixels with two channels,
/// and channels of pixels with three channels, which straddle words.
fn pixel_channels_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let bytes = samples::<u8>(4 * 5003);
    for active in [0b1111, 0b0111, 0b1000] {
        check_layout(gpu, Layout::interleaved(4, active), 256, &bytes)?;
    }
    check_layout(gpu, Layout::interleaved(2, 0b10), 100, &bytes)?;
    check_layout(gpu, Layout::interleaved(3, 0b101), 100, &bytes)
}

fn wide_channels_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let floats = samples::<f32>(4 * 3001);
    check_layout(gpu, Layout::interleaved(4, 0b1010), 33, &floats)?;
    check_layout(gpu, Layout::interleaved(2, 0b11), 33, &floats)?;
    // An element of 32 bytes needs more than one load.
    check_layout(gpu, Layout::interleaved(4, 0b0110), 33, &samples::<u64>(4 * 777))
}

/// Counts one field of each record, or packed samples that begin after an offset.
fn strided_samples_match_the_cpu(gpu: &Gpu) -> Result<()> {
    check_layout(gpu, Layout::strided(12, 20), 33, &samples::<f32>(7000))?;
    check_layout(gpu, Layout::strided(1, 3), 33, &samples::<u8>(7000))?;
    check_layout(gpu, Layout::strided(514, 6), 33, &samples::<u16>(7000))?;
    check_layout(gpu, Layout { offset: 1024, ..Layout::PACKED }, 33, &samples::<f32>(7000))?;
    check_layout(gpu, Layout { offset: 4, ..Layout::PACKED }, 33, &samples::<u64>(999))
}

fn integer_weights_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (policy, n) = (gpu.policy(), 9001);
    let (values, weights) = (samples::<f32>(n), uniform(n, 8));
    let (lo, hi) = f32::domain();
    for (m, method) in [(33, HistogramMethod::Shared), (33, HistogramMethod::Global)] {
        let bin_of = |i: usize| values[i].even_bin(lo, hi, m);
        let (sums, out_of_range) = count(n, m, bin_of, |i| weights[i].into());
        let bins = Bins::even(lo..hi, m).method(method);
        let input = Input { weights: Weights::U32(&weights), ..Input::default() };
        let got = run_all(gpu, &policy, &bins, &values, input)?;
        let narrow: Vec<u64> = sums.iter().map(|&sum| sum & 0xFFFF_FFFF).collect();
        expect_equal(&got.counts, &narrow).with_context(|| format!("{method:?}"))?;
        // Out-of-range samples are counted without their weights.
        expect_equal(&got.out_of_range, &[out_of_range])?;
        // With 64-bit counts, sums of weights may exceed 32 bits.
        let bins = bins.method(HistogramMethod::Auto);
        let got = run_all(gpu, &policy, &bins, &values, Input { wide: true, ..input })?;
        expect_equal(&got.counts, &sums)?;
    }
    Ok(())
}

/// Weights are chosen so that their sums are exact in any order.
fn float_weights_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (policy, n, m) = (gpu.policy(), 6007, 50);
    let values = samples::<u16>(n);
    let mut rng = Rng::new(4);
    let eighths: Vec<i64> = (0..n).map(|_| rng.below(1000) as i64 - 300).collect();
    let weights: Vec<f32> = eighths.iter().map(|&w| w as f32 / 8.0).collect();
    let (lo, hi) = u16::domain();
    let mut sums = vec![0i64; m as usize];
    for (value, &weight) in values.iter().zip(&eighths) {
        if let Some(bin) = value.even_bin(lo, hi, m) {
            sums[bin as usize] += weight;
        }
    }
    let expected: Vec<f32> = sums.iter().map(|&sum| 100.0 + sum as f32 / 8.0).collect();
    for method in [HistogramMethod::Shared, HistogramMethod::Global] {
        let bins = Bins::even(lo..hi, m).accumulate().method(method);
        let before = u64::from(100f32.to_bits());
        let input = Input { weights: Weights::F32(&weights), before, ..Input::default() };
        let got = run_all(gpu, &policy, &bins, &values, input)?;
        let got: Vec<f32> = got.counts.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
        expect_equal(&got, &expected).with_context(|| format!("{method:?}"))?;
    }
    Ok(())
}

fn accumulated_counts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (policy, n) = (gpu.policy(), 5000);
    let values = samples::<f32>(n);
    let (lo, hi) = f32::domain();
    let (counts, out_of_range) = count(n, 33, |i| values[i].even_bin(lo, hi, 33), |_| 1);
    let bins = Bins::even(lo..hi, 33).accumulate();
    let input = Input { before: 1000, ..Input::default() };
    let counts = counts.iter().map(|count| count + 1000).collect();
    let got = run_all(gpu, &policy, &bins, &values, input)?;
    got.expect(&(counts, out_of_range + 1000))?;
    // An empty input leaves the counts unchanged.
    let got = run(gpu, &policy, &bins, &[], 0, input)?;
    expect_equal(&got.counts, &[1000; 33])
}

/// With every method, 64-bit counts cross a multiple of 2^32 during a pass.
fn wide_counts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (policy, n) = (gpu.policy(), 9000);
    let values = samples::<u32>(n);
    let (lo, hi) = u32::domain();
    let before = (5 << 32) - 30;
    for method in [HistogramMethod::Ballots, HistogramMethod::Shared, HistogramMethod::Global] {
        let (counts, out_of_range) = count(n, 33, |i| values[i].even_bin(lo, hi, 33), |_| 1);
        let bins = Bins::even(lo..hi, 33).accumulate().method(method);
        let input = Input { wide: true, before, ..Input::default() };
        let counts = counts.iter().map(|count| count + before).collect();
        run_all(gpu, &policy, &bins, &values, input)?
            .expect(&(counts, out_of_range + before))
            .with_context(|| format!("{method:?}"))?;
    }
    Ok(())
}

/// On a GPU, counts more samples than a 32-bit counter can hold. A software driver would take too
/// long for so many, so it counts fewer.
fn counts_beyond_32_bits_do_not_wrap(gpu: &Gpu) -> Result<()> {
    let (n, times) = if gpu.is_software() { (1u64 << 16, 5) } else { (1 << 28, 20) };
    let mut graph = Graph::new("histogram");
    let samples = graph.import::<u8>("samples", n);
    let counts = graph.import::<u64>("counts", 256);
    let bins = Bins::even(0u8..255, 256).accumulate();
    histogram(&mut graph, &gpu.policy(), &bins, &HistogramBuffers::new(samples, counts))?;
    graph.replayable();
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let device_samples = gpu.upload(&vec![1u8; n as usize])?;
    let device_counts = gpu.upload(&[0u64; 256])?;
    let bound: [Bound<'_>; 2] =
        [(samples, &device_samples).into(), (counts, &device_counts).into()];
    gpu.run_repeatedly(&executable, &bound, times)?;
    let mut expected = [0u64; 256];
    expected[1] = n * u64::from(times);
    expect_equal(&gpu.download(&device_counts)?, &expected)
}

/// Device counts are zero, below, equal to, and above the length of the buffer.
fn device_count_limits_the_samples(gpu: &Gpu) -> Result<()> {
    let values = samples::<f32>(20_000);
    let (lo, hi) = f32::domain();
    let bins = Bins::even(lo..hi, 33);
    let whole = gpu.policy();
    let in_pieces = whole.lowered(|facts| facts.max_storage_range = 20_000);
    for policy in [whole, in_pieces] {
        for n in [0u32, 1, 12_345, 20_000, u32::MAX] {
            let seen = (n as usize).min(values.len());
            let expected = count(seen, 33, |i| values[i].even_bin(lo, hi, 33), |_| 1);
            let input = Input { on_device: Some(n), ..Input::default() };
            let got = run_all(gpu, &policy, &bins, &values, input)?;
            got.expect(&expected).with_context(|| format!("n = {n}"))?;
        }
    }
    Ok(())
}

fn cumulative_counts_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let values = samples::<u16>(9000);
    for m in [1, 257, 5000] {
        let (lo, hi) = u16::domain();
        let bins = Bins::even(lo..hi, m);
        let input = Input { cumulative: true, ..Input::default() };
        let got = run_all(gpu, &policy, &bins, &values, input)?;
        let counts: Vec<u32> = got.counts.iter().map(|&count| count as u32).collect();
        expect_equal(&got.cumulative, &reference::exclusive_scan(&counts))?;
    }
    Ok(())
}

fn replayed_histogram_clears_its_counts(gpu: &Gpu) -> Result<()> {
    let values = samples::<f32>(10_000);
    let splitters = [0.0f32, 1.0, 10.0, 100.0, 200.0, 300.0, 500.0, 600.0, 700.0, 800.0];
    let m = splitters.len() - 1;
    let mut setup = Setup::new(gpu, "histogram");
    let (input, counts) = (setup.input("samples", &values), setup.output::<u32>("counts", m));
    let (policy, bins) = (gpu.policy(), Bins::range(&splitters));
    histogram(&mut setup.graph, &policy, &bins, &HistogramBuffers::new(input, counts))?;
    setup.graph.replayable();
    let executable = setup.executable()?;
    gpu.run_repeatedly(&executable, &setup.upload()?, 3)?;
    let bin_of = |i: usize| range_bin(values[i], &splitters);
    let (expected, _) = count(values.len(), m as u32, bin_of, |_| 1);
    let expected: Vec<u32> = expected.iter().map(|&count| count as u32).collect();
    setup.expect(counts, &expected)
}

/// Counts samples of several types by GLSL functions. Bin ids of at least m are out of range.
fn glsl_bins_match_the_cpu(gpu: &Gpu) -> Result<()> {
    fn check<S: Reference>(gpu: &Gpu, source: &str, bin_of: impl Fn(S) -> u32) -> Result<()> {
        let values: Vec<S> = Spread::Uniform.samples(5000, 1, &[S::at(0.0)], 6);
        let got =
            gpu.histogram(&values, Bins::glsl(20, source)).with_context(|| source.to_owned())?;
        let bin = |i: usize| Some(bin_of(values[i])).filter(|&bin| bin < 20);
        let (counts, out_of_range) = count(values.len(), 20, bin, |_| 1);
        expect_equal(&got.counts, &counts).with_context(|| source.to_owned())?;
        expect_equal(&got.out_of_range, &[out_of_range])
    }
    check::<u8>(gpu, "uint bucket_of(uint key) { return key % 23u; }", |x| u32::from(x) % 23)?;
    check::<f32>(gpu, "uint bucket_of(float key) { return uint(abs(key)) / 50u; }", |x| {
        x.abs() as u32 / 50
    })?;
    if gpu.full {
        check::<u16>(gpu, "uint bucket_of(uint key) { return key & 31u; }", |x| u32::from(x) & 31)?;
        check::<i32>(gpu, "uint bucket_of(int key) { return key < 0 ? 1u : 25u; }", |x| {
            if x < 0 { 1 } else { 25 }
        })?;
    }
    check::<u64>(gpu, "uint bucket_of(uint64_t key) { return uint(key >> 40) & 31u; }", |x| {
        (x >> 40) as u32 & 31
    })?;
    check::<i64>(
        gpu,
        "uint bucket_of(int64_t key) { return key < -5 ? 3u : uint(key >> 58); }",
        |x| {
            if x < -5 { 3 } else { (x >> 58) as u32 }
        },
    )?;
    check::<f64>(gpu, "uint bucket_of(double key) { return uint(abs(key)) / 50u; }", |x| {
        x.abs() as u32 / 50
    })
}

fn glsl_bins_read_tables_and_parameters(gpu: &Gpu) -> Result<()> {
    let values = uniform(5000, 9);
    let table: Vec<u32> = vec![3, 0, 2, 1, 7];
    let source =
        "uint bucket_of(uint key) { return table.at[key % push.parameter_1] + push.parameter_0; }";
    let mut setup = Setup::new(gpu, "table");
    let (input, words) = (setup.input("samples", &values), setup.input("table", &table));
    let counts = setup.output::<u32>("counts", 5);
    let function = Glsl::new(source).parameters([1, 5, 0]).table_buffer(words);
    let bins = Bins::<u32>::glsl(5, function);
    let buffers = HistogramBuffers::new(input, counts);
    histogram(&mut setup.graph, &gpu.policy(), &bins, &buffers)?;
    setup.run()?;
    let bin_of = |i: usize| Some(table[values[i] as usize % 5] + 1).filter(|&bin| bin < 5);
    let (expected, _) = count(values.len(), 5, bin_of, |_| 1);
    let expected: Vec<u32> = expected.iter().map(|&count| count as u32).collect();
    setup.expect(counts, &expected)
}

fn one_call_on_an_empty_array_gives_zeros(gpu: &Gpu) -> Result<()> {
    let result = gpu.histogram(&[0u16; 0], Bins::even(0..9, 7))?;
    expect_equal(&result.counts, &[0; 7])?;
    expect_equal(&result.out_of_range, &[0])
}
