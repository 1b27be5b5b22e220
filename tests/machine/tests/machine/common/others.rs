//! Plans of the histogram, of fills and copies, and of the probes, with inputs and expected
//! outputs.

use std::sync::Arc;

use anyhow::Result;
use multisplit::graph::{ElementType, Groups};
use multisplit::operations::histogram::{Bin, HistogramMethod, Layout};
use multisplit::operations::probe::DeviceProbe;
use multisplit::operations::{
    HistogramBuffers, bounded_groups, copy, copy_first, fill, fill_first, histogram,
};
use multisplit::shaders::builtin;
use multisplit::{Bins, KeyType};
use multisplit_machine::Rng;

use super::case::{Case, Verify};
use super::moves::{packed, words_of};
use super::primitives::{Device, limits, policy, random_words};
use super::setup::{Parameters, Setup, push_bytes};

/// Weights of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighted {
    No,
    Words,
    /// Weights so large that the sum of a few reaches or exceeds 2^32 - 1.
    Large,
    Floats,
}

#[derive(Clone, Copy, Debug)]
pub struct HistogramCase {
    pub sample: KeyType,
    pub method: HistogramMethod,
    /// Whether bins are given by splitters.
    pub range: bool,
    pub bins: u32,
    pub weighted: Weighted,
    pub wide: bool,
    /// Number of counted channels. With 3 or 4, samples have four channels; with 1, they have one.
    pub channels: u32,
    pub on_device: bool,
    pub n: u64,
    /// Number of cells of the lookup table; 0 for a binary search.
    pub cells: u32,
}

/// A range of floats whose even bins have fractional edges. Computing a bin index by multiplication
/// with the scale gives a wrong bin near some edges. With [`EDGE_BINS`], the computed end of the
/// last bin is slightly below the end of the range.
const UNEVEN: (f64, f64) = (0.1, 12.19);
/// Bin counts that select the [`UNEVEN`] range. With few bins, kernels compare only samples near an
/// edge with that edge; with many bins, they compare all samples.
pub const EDGE_BINS: u32 = 23;
pub const MANY_EDGE_BINS: u32 = 600;

/// The edges of [`UNEVEN`] bins as computed by the kernels, rounded after each operation.
fn uneven_edges(sample: KeyType, bins: u32) -> Vec<u64> {
    let of = |k: u32| match sample {
        KeyType::F32 => {
            let (lo, hi) = (UNEVEN.0 as f32, UNEVEN.1 as f32);
            u64::from((k as f32 * ((hi - lo) / bins as f32) + lo).to_bits())
        }
        _ => (f64::from(k) * ((UNEVEN.1 - UNEVEN.0) / f64::from(bins)) + UNEVEN.0).to_bits(),
    };
    let last = match sample {
        KeyType::F32 => u64::from((UNEVEN.1 as f32).to_bits()),
        _ => UNEVEN.1.to_bits(),
    };
    (0..bins).map(of).chain([last]).collect()
}

fn sample_bits(sample: KeyType, number: u64) -> u64 {
    match sample {
        KeyType::F32 => u64::from((number as f32).to_bits()),
        KeyType::F64 => (number as f64).to_bits(),
        _ => number,
    }
}

impl HistogramCase {
    pub fn new(sample: KeyType, method: HistogramMethod) -> Self {
        Self {
            sample,
            method,
            range: false,
            bins: 7,
            weighted: Weighted::No,
            wide: false,
            channels: 1,
            on_device: false,
            n: 700,
            cells: 0,
        }
    }
}

impl Parameters for HistogramCase {
    fn case(&self, device: Device) -> Result<Case> {
        let Self { sample, bins, weighted, n, channels: active, .. } = *self;
        let mut policy = policy(device);
        policy.histogram.threads = device.threads();
        policy.histogram.table_threads = device.threads();
        policy.histogram.loads = 2;
        policy.histogram.tiles = 1;
        policy.histogram.copies = 2;
        policy.histogram.cells = self.cells;
        policy.histogram.cells_per_bin = 2;
        policy.histogram.register_bins = 8;
        let mut setup = Setup::new(device, "histogram");
        let (max, count) = setup.count(n, self.on_device);
        let channels = if active > 1 { 4 } else { 1 };
        // Kernels read samples in whole words.
        let held = (max * channels).next_multiple_of(4);
        let samples = setup.buffer("samples", sample, held);
        let sum = match weighted {
            Weighted::Floats => KeyType::F32,
            _ if self.wide => KeyType::U64,
            _ => KeyType::U32,
        };
        let counts = setup.buffer("counts", sum, u64::from(bins * active));
        let outside = setup.buffer("out_of_range", sum, active.into());
        let mut buffers = HistogramBuffers::new(samples, counts).count(count).out_of_range(outside);
        if weighted != Weighted::No {
            let floats = weighted == Weighted::Floats;
            let weight = if floats { ElementType::F32 } else { ElementType::U32 };
            buffers = buffers.weights(setup.buffer("weights", weight, max));
        }
        // Samples are integers below `limit`; about a tenth of them are beyond the last bin.
        let limit = u64::from(bins) + u64::from(bins) / 10 + 1;
        let has_edge_bins = [EDGE_BINS, MANY_EDGE_BINS].contains(&bins);
        let uneven = sample.is_float() && has_edge_bins && !self.range;
        let splitters: Vec<u64> = match uneven {
            true => uneven_edges(sample, bins),
            false => (0..=u64::from(bins)).map(|k| sample_bits(sample, k)).collect(),
        };
        let function = match (self.range, sample.is_float()) {
            (true, _) => Bin::Range(splitters.clone()),
            (false, true) => Bin::Even { lo: splitters[0], hi: splitters[bins as usize] },
            (false, false) => Bin::Identity,
        };
        let mut how = Bins::of(sample, bins, function).method(self.method);
        if active > 1 {
            how = how.layout(Layout::interleaved(4, (1 << active) - 1));
        }
        histogram(&mut setup.graph, &policy, &how, &buffers)?;

        let mut rng = Rng::new(n ^ 3);
        let limit = if sample == KeyType::U8 { limit.min(256) } else { limit };
        let numbers: Vec<u64> = (0..held).map(|_| rng.below(limit)).collect();
        let bits_of = |i: usize, number: u64| match uneven {
            // Samples on the edges and just below them. Positive floats compare like their bits.
            true => splitters[number as usize % splitters.len()] - i as u64 % 2,
            false => sample_bits(sample, number),
        };
        let bin_of = |i: usize, number: u64| match uneven {
            true => {
                let bits = bits_of(i, number);
                let below = splitters.partition_point(|edge| *edge <= bits);
                if below > bins as usize { bins as usize } else { below.wrapping_sub(1) }
            }
            false => number as usize,
        };
        // The sum of the first two of four consecutive weights is exactly 2^32 - 1.
        let large = |i: u64| [u32::MAX - 7, 7, 1, 1 << 31][i as usize % 4];
        let weights: Vec<u32> = match weighted {
            Weighted::Large => (0..max).map(large).collect(),
            _ => (0..max).map(|i| (i % 7) as u32).collect(),
        };
        let mut sums = vec![0u64; (bins * active) as usize];
        // The out-of-range output counts samples, not their weights.
        let mut out_of_range = vec![0u64; active as usize];
        for (i, &weight) in weights.iter().enumerate().take(n as usize) {
            for channel in 0..active as usize {
                let at = i * channels as usize + channel;
                let bin = bin_of(at, numbers[at]);
                if bin < bins as usize {
                    let weight = if weighted == Weighted::No { 1 } else { weight };
                    sums[channel * bins as usize + bin] += u64::from(weight);
                } else {
                    out_of_range[channel] += 1;
                }
            }
        }
        let float_bits = |number: u64| u64::from((number as f32).to_bits());
        let in_type_of_sums = |sums: Vec<u64>| match weighted {
            Weighted::Floats => words_of(sum, sums.into_iter().map(float_bits)),
            _ => words_of(sum, sums),
        };
        setup.expect("counts", in_type_of_sums(sums));
        setup.expect("out_of_range", in_type_of_sums(out_of_range));
        let numbers = numbers.iter().enumerate().map(|(i, &x)| bits_of(i, x).to_le_bytes());
        let bytes = numbers.flat_map(|bytes| bytes.into_iter().take(sample.bytes() as usize));
        setup.set("samples", packed(&bytes.collect::<Vec<u8>>()));
        let weights = match weighted {
            Weighted::Floats => weights.iter().map(|w| (*w as f32).to_bits()).collect(),
            _ => weights,
        };
        setup.set("weights", weights);
        setup.finish(self)
    }
}

/// Fills and copies whole arrays, or as many words as a device count specifies.
pub fn memory_case(device: Device, n: u64, on_device: bool) -> Result<Case> {
    let policy = policy(device);
    let mut setup = Setup::new(device, "memory");
    let (max, count) = setup.count(n, on_device);
    let input = random_words(max, n);
    let mut third = vec![1; max as usize];
    third[..3].copy_from_slice(&[input[0], 1, 2]);
    let one = setup.buffer("one", ElementType::U32, max);
    let two = setup.buffer("two", ElementType::U32, max);
    setup.expect("one", vec![9; n as usize]);
    setup.expect("two", input[..n as usize].to_vec());
    let (src, three) = (setup.words("src", input), setup.result("three", third));
    let graph = &mut setup.graph;
    if on_device {
        fill_first(graph, &policy, "memory.fill", one, count, 9)?;
        copy_first(graph, &policy, "memory.copy", src, two, count)?;
    } else {
        fill(graph, &policy, "memory.fill", one, 9)?;
        copy(graph, &policy, "memory.copy", src, two)?;
    }
    // Fills and copies that the plan executes as transfer commands.
    graph.fill("fill", three, 1);
    graph.copy("copy", src.range(0, 4), three.range(0, 4));
    graph.update("update", three.range(4, 8), &[1, 0, 0, 0, 2, 0, 0, 0]);
    setup.finish(format_args!("fill and copy of {n}, device count {on_device}"))
}

/// Clamps workgroup counts of indirect dispatches that are below, at and above the device limits.
pub fn groups_case(device: Device, all_above: bool) -> Result<Case> {
    let limits = limits(device);
    let [x, y, z] = limits.max_workgroup_count;
    let words = if all_above { [x + 1, u32::MAX, z + 7] } else { [x, y - 1, 0] };
    let mut setup = Setup::new(device, "groups");
    let src = setup.words("src", [&words[..], &[5]].concat());
    let out = setup.result("out", if all_above { vec![x, y, z] } else { words.to_vec() });
    let bounded = bounded_groups(&mut setup.graph, &limits, src.range(0, 12))?;
    copy(&mut setup.graph, &policy(device), "memory.copy", bounded, out)?;
    setup.finish(format_args!("groups by {words:?}"))
}

/// The lane-order probe. It must find no violation on a device that keeps lane order.
pub fn probe_case(device: Device) -> Result<Case> {
    let mut setup = Setup::new(device, "probe");
    let exceptions = setup.result("exceptions", vec![0]);
    fill(&mut setup.graph, &policy(device), "clear", exceptions, 0)?;
    let pass = setup.graph.pass("probe.lane_order", &builtin::PROBE_LANE_ORDER.kernel()?);
    pass.bind("exceptions", exceptions)
        .push_bytes(&[1, 2, 3, 4])
        .specialize("local_size_x", device.threads())
        .specialize("SUBGROUP_SIZE", device.width)
        .dispatch(Groups::linear(16));
    Ok(Case { lane_order: true, ..setup.finish(format_args!("probe of lane order"))? })
}

/// The probe of subgroup barriers or of lockstep execution. Both must pass on a device that
/// supports them.
pub fn barrier_probe_case(device: Device, lockstep: bool) -> Result<Case> {
    let mut setup = Setup::new(device, "probe");
    let failures = setup.result("failures", vec![0]);
    fill(&mut setup.graph, &policy(device), "clear", failures, 0)?;
    let kernel = builtin::PROBE_SUBGROUP_BARRIERS.kernel()?;
    let pass = setup.graph.pass("probe.subgroup_barriers", &kernel).bind("failures", failures);
    pass.push_bytes(&push_bytes(&[lockstep.into()]))
        .specialize("local_size_x", device.threads())
        .dispatch(Groups::linear(2));
    setup.finish(format_args!("probe of subgroup barriers, lockstep {lockstep}"))
}

/// The device probe. It must find nothing wrong on a device that does what it reports.
pub fn device_probe_case(device: Device) -> Result<Case> {
    let mut setup = Setup::new(device, "probe");
    let threads = [device.threads(), device.width.max(32)];
    // Real devices never fold the few workgroups of the probe into two dimensions, so its kernel
    // does not expect additional workgroups.
    let groups = device.max_groups().min(3);
    let probe = DeviceProbe { subgroup_size: device.width, threads, groups };
    probe.declare(&mut setup.graph)?;
    setup.set("probe.totals", probe.totals());
    let verify: Verify = Arc::new(move |words| {
        let [large, small, totals] = ["probe.large", "probe.small", "probe.totals"].map(words);
        probe.fault([&large, &small, &totals]).map(|fault| fault.to_string())
    });
    Ok(Case { verify: Some(verify), ..setup.finish(format_args!("probe of the device"))? })
}
