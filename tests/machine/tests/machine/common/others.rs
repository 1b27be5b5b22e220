//! Plans of the histogram, of fills and copies, and of the probes, with inputs and expected
//! outputs.

use anyhow::Result;
use multisplit::graph::{Graph, Groups};
use multisplit::operations::histogram::{Bin, HistogramMethod, Layout};
use multisplit::operations::{
    HistogramBuffers, bounded_groups, copy, copy_first, fill, fill_first, histogram,
};
use multisplit::shaders::builtin;
use multisplit::{Bins, SampleType};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, count_words, counted, limits, policy, random_words};

/// The weight of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighted {
    No,
    Words,
    /// So large that the sum of a few reaches and exceeds 2^32 - 1.
    Large,
    Floats,
}

#[derive(Clone, Copy, Debug)]
pub struct HistogramCase {
    pub sample: SampleType,
    pub method: HistogramMethod,
    /// Whether bins are given by splitters, instead of even bins or the samples themselves.
    pub range: bool,
    pub bins: u32,
    pub weighted: Weighted,
    pub wide: bool,
    /// Number of counted channels: 1 of one, or 3 or 4 of four.
    pub channels: u32,
    pub on_device: bool,
    pub n: u64,
    /// Number of cells of the lookup table; 0 for a binary search.
    pub cells: u32,
}

/// Range of floats whose even bins have fractional edges: scaling places some edges slightly off,
/// and the last bin ends slightly before the end of the range.
const UNEVEN: (f64, f64) = (0.1, 12.19);
/// Bin count that selects the [`UNEVEN`] range.
pub const EDGE_BINS: u32 = 23;

/// The edges of [`UNEVEN`] bins as computed by the kernels, rounded after each operation.
fn uneven_edges(sample: SampleType) -> Vec<u64> {
    let of = |k: u32| match sample {
        SampleType::F32 => {
            let (lo, hi) = (UNEVEN.0 as f32, UNEVEN.1 as f32);
            u64::from((k as f32 * ((hi - lo) / EDGE_BINS as f32) + lo).to_bits())
        }
        _ => (f64::from(k) * ((UNEVEN.1 - UNEVEN.0) / f64::from(EDGE_BINS)) + UNEVEN.0).to_bits(),
    };
    let last = match sample {
        SampleType::F32 => u64::from((UNEVEN.1 as f32).to_bits()),
        _ => UNEVEN.1.to_bits(),
    };
    (0..EDGE_BINS).map(of).chain([last]).collect()
}

/// The bits of a sample in [0, `limit`).
fn sample_bits(sample: SampleType, number: u64, limit: u64) -> u64 {
    let number = number % limit;
    match sample {
        SampleType::F32 => u64::from((number as f32).to_bits()),
        SampleType::F64 => (number as f64).to_bits(),
        _ => number,
    }
}

fn import_samples(graph: &mut Graph, sample: SampleType, n: u64) -> multisplit::graph::Buffer {
    match sample {
        SampleType::U8 => graph.import::<u8>("samples", n),
        SampleType::U16 => graph.import::<u16>("samples", n),
        SampleType::U32 => graph.import::<u32>("samples", n),
        SampleType::I32 => graph.import::<i32>("samples", n),
        SampleType::U64 => graph.import::<u64>("samples", n),
        SampleType::I64 => graph.import::<i64>("samples", n),
        SampleType::F32 => graph.import::<f32>("samples", n),
        SampleType::F64 => graph.import::<f64>("samples", n),
    }
}

fn bytes_of(sample: SampleType) -> u64 {
    match sample {
        SampleType::U8 => 1,
        SampleType::U16 => 2,
        SampleType::U32 | SampleType::I32 | SampleType::F32 => 4,
        SampleType::U64 | SampleType::I64 | SampleType::F64 => 8,
    }
}

pub fn histogram_case(device: Device, of: HistogramCase) -> Result<Case> {
    let HistogramCase { sample, method, bins, weighted, wide, on_device, n, .. } = of;
    let mut policy = policy(device);
    policy.histogram.threads = device.threads();
    policy.histogram.lookup_threads = device.threads();
    policy.histogram.loads = 2;
    policy.histogram.tiles = 1;
    policy.histogram.copies = 2;
    policy.histogram.cells = of.cells;
    policy.histogram.cells_per_bin = 2;
    policy.histogram.register_bins = 8;
    let mut graph = Graph::new("histogram");
    let (max, count) = counted(&mut graph, n, on_device);
    let channels = if of.channels > 1 { 4 } else { 1 };
    // Samples are read in whole words.
    let held = (max * channels).next_multiple_of(4);
    let samples = import_samples(&mut graph, sample, held);
    let active = of.channels;
    let words = u64::from(bins * active);
    let counts = match (weighted, wide) {
        (Weighted::Floats, _) => graph.import::<f32>("counts", words),
        (_, true) => graph.import::<u64>("counts", words),
        _ => graph.import::<u32>("counts", words),
    };
    let outside = match (weighted, wide) {
        (Weighted::Floats, _) => graph.import::<f32>("out_of_range", active.into()),
        (_, true) => graph.import::<u64>("out_of_range", active.into()),
        _ => graph.import::<u32>("out_of_range", active.into()),
    };
    let mut buffers = HistogramBuffers::new(samples, counts).count(count).out_of_range(outside);
    buffers = match weighted {
        Weighted::No => buffers,
        Weighted::Words | Weighted::Large => buffers.weights(graph.import::<u32>("weights", max)),
        Weighted::Floats => buffers.weights(graph.import::<f32>("weights", max)),
    };
    // Samples are integers below `limit`; a tenth of them are beyond the last bin.
    let limit = u64::from(bins) + u64::from(bins) / 10 + 1;
    let floats = matches!(sample, SampleType::F32 | SampleType::F64);
    let uneven = floats && bins == EDGE_BINS && !of.range;
    let splitters: Vec<u64> = match uneven {
        true => uneven_edges(sample),
        false => (0..=u64::from(bins)).map(|k| sample_bits(sample, k, u64::MAX)).collect(),
    };
    let function = match (of.range, floats) {
        (true, _) => Bin::Range(splitters.clone()),
        (false, true) => Bin::Even { lo: splitters[0], hi: splitters[bins as usize] },
        (false, false) => Bin::Identity,
    };
    let mut how = Bins::of(sample, bins, function).method(method);
    if of.channels > 1 {
        how = how.layout(Layout::interleaved(4, (1 << of.channels) - 1));
    }
    histogram(&mut graph, &policy, &how, &buffers)?;

    let mut rng = Rng::new(n ^ 3);
    let limit = if sample == SampleType::U8 { limit.min(256) } else { limit };
    let numbers: Vec<u64> = (0..held).map(|_| rng.below(limit)).collect();
    let bits_of = |i: usize, number: u64| match uneven {
        // Samples on the edges and just below: positive floats compare like their bits.
        true => splitters[number as usize % splitters.len()] - i as u64 % 2,
        false => sample_bits(sample, number, u64::MAX),
    };
    let bin_of = |i: usize, number: u64| match uneven {
        true => {
            let bits = bits_of(i, number);
            let at_or_below = splitters.partition_point(|edge| *edge <= bits);
            if at_or_below > bins as usize { bins as usize } else { at_or_below.wrapping_sub(1) }
        }
        false => number as usize,
    };
    // Partial sums of consecutive weights equal 2^32 - 1.
    let large = |i: u64| [u32::MAX - 7, 7, 1, 1 << 31][i as usize % 4];
    let weights: Vec<u32> = match weighted {
        Weighted::Large => (0..max).map(large).collect(),
        _ => (0..max).map(|i| (i % 7) as u32).collect(),
    };
    let mut sums = vec![0u64; words as usize];
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
    let as_words = |sums: &[u64]| -> Vec<u32> {
        match wide {
            true => sums.iter().flat_map(|s| [*s as u32, (*s >> 32) as u32]).collect(),
            false => sums.iter().map(|s| *s as u32).collect(),
        }
    };
    let in_type_of_sums = |sums: &[u64]| match weighted {
        Weighted::Floats => sums.iter().map(|s| (*s as f32).to_bits()).collect(),
        _ => as_words(sums),
    };
    let expected = in_type_of_sums(&sums);
    // Counts samples, not weights.
    let out_of_range = in_type_of_sums(&out_of_range);
    let size = bytes_of(sample) as usize;
    let bytes: Vec<u8> = numbers
        .iter()
        .enumerate()
        .flat_map(|(i, &x)| bits_of(i, x).to_le_bytes().into_iter().take(size))
        .collect();
    let packed = bytes.chunks(4).map(|b| b.iter().rev().fold(0, |w, x| w << 8 | u32::from(*x)));
    let weights = match weighted {
        Weighted::Floats => weights.iter().map(|w| (*w as f32).to_bits()).collect(),
        _ => weights,
    };
    Ok(Case {
        name: format!("{of:?} for {device:?}"),
        plan: graph.compile(&limits(device))?,
        inputs: vec![("samples", packed.collect()), ("weights", weights), count_words(n)],
        outputs: vec![
            Output { name: "counts", expected },
            Output { name: "out_of_range", expected: out_of_range },
        ],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Fills and copies of whole arrays, and of a device count of words.
pub fn memory_case(device: Device, n: u64, on_device: bool) -> Result<Case> {
    let policy = policy(device);
    let mut graph = Graph::new("memory");
    let (max, count) = counted(&mut graph, n, on_device);
    let src = graph.import::<u32>("src", max);
    let (one, two) = (graph.import::<u32>("one", max), graph.import::<u32>("two", max));
    let three = graph.import::<u32>("three", max);
    if on_device {
        fill_first(&mut graph, &policy, "memory.fill", one, count, 9)?;
        copy_first(&mut graph, &policy, "memory.copy", src, two, count)?;
    } else {
        fill(&mut graph, &policy, "memory.fill", one, 9)?;
        copy(&mut graph, &policy, "memory.copy", src, two)?;
    }
    // With the planner's own transfers.
    graph.fill("fill", three, 1);
    graph.copy("copy", src.range(0, 4), three.range(0, 4));
    graph.update("update", three.range(4, 8), &[1, 0, 0, 0, 2, 0, 0, 0]);
    let input = random_words(max, n);
    let mut third = vec![1; max as usize];
    third[..3].copy_from_slice(&[input[0], 1, 2]);
    Ok(Case {
        name: format!("fill and copy of {n}, device count {on_device}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs: vec![
            Output { name: "one", expected: vec![9; n as usize] },
            Output { name: "two", expected: input[..n as usize].to_vec() },
            Output { name: "three", expected: third },
        ],
        inputs: vec![("src", input), count_words(n)],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Workgroup counts of indirect dispatches from words below, at and above the device limits.
pub fn groups_case(device: Device, all_above: bool) -> Result<Case> {
    let (limits, policy) = (limits(device), policy(device));
    let [x, y, z] = limits.max_workgroup_count;
    let words = if all_above { [x + 1, u32::MAX, z + 7] } else { [x, y - 1, 0] };
    let mut graph = Graph::new("groups");
    let src = graph.import::<u32>("src", 4);
    let out = graph.import::<u32>("out", 3);
    let bounded = bounded_groups(&mut graph, &limits, src.range(0, 12))?;
    copy(&mut graph, &policy, "memory.copy", bounded, out)?;
    let expected = if all_above { vec![x, y, z] } else { words.to_vec() };
    Ok(Case {
        name: format!("groups by {words:?}, for {device:?}"),
        plan: graph.compile(&limits)?,
        outputs: vec![Output { name: "out", expected }],
        inputs: vec![("src", [&words[..], &[5]].concat())],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// The lane-order probe, which must find no exception on a device that keeps lane order.
pub fn probe_case(device: Device) -> Result<Case> {
    let mut graph = Graph::new("probe");
    let exceptions = graph.import::<u32>("exceptions", 1);
    fill(&mut graph, &policy(device), "clear", exceptions, 0)?;
    graph
        .pass("probe.lane_order", &builtin::PROBE_LANE_ORDER.kernel()?)
        .bind("exceptions", exceptions)
        .push_bytes(&[1, 2, 3, 4])
        .specialize("local_size_x", device.threads())
        .specialize("SUBGROUP_SIZE", device.width)
        .dispatch(Groups::linear(16));
    Ok(Case {
        name: format!("probe of lane order for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs: vec![Output { name: "exceptions", expected: vec![0] }],
        inputs: Vec::new(),
        lane_order: true,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// The probe of subgroup barriers, or that of lockstep. Neither may fail on a device that supports
/// both.
pub fn barrier_probe_case(device: Device, lockstep: bool) -> Result<Case> {
    let mut graph = Graph::new("probe");
    let failures = graph.import::<u32>("failures", 1);
    fill(&mut graph, &policy(device), "clear", failures, 0)?;
    graph
        .pass("probe.subgroup_barriers", &builtin::PROBE_SUBGROUP_BARRIERS.kernel()?)
        .bind("failures", failures)
        .push_bytes(&u32::from(lockstep).to_le_bytes())
        .specialize("local_size_x", device.threads())
        .dispatch(Groups::linear(2));
    Ok(Case {
        name: format!("probe of subgroup barriers for {device:?}, lockstep {lockstep}"),
        plan: graph.compile(&limits(device))?,
        outputs: vec![Output { name: "failures", expected: vec![0] }],
        inputs: Vec::new(),
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}
