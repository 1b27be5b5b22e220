//! Selects a sample of the cases that runs each required kernel, in many specializations.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use multisplit::shaders::manifest::entries;

use super::all::{all, kernels};
use super::case::{Case, specialized};
use super::primitives::Device;

/// Specialization constants that are ignored in comparisons of cases. Most depend on the device.
const OF_THE_DEVICE: [&str; 4] = ["local_size_x", "SUBGROUP_SIZE", "RANKING", "SPIN_LIMIT"];

/// The kernels of a case with their specializations.
fn variants(case: &Case) -> Vec<(String, Vec<(u32, u32)>)> {
    let steps = case.plan.steps().iter();
    let variants = steps.filter_map(|step| {
        let kernel = step.pass.kernel.as_ref()?;
        let of_the_device = |id: u32| {
            let constants = &kernel.interface().spec_constants;
            constants.iter().any(|c| c.id == id && OF_THE_DEVICE.contains(&c.name.as_str()))
        };
        let values = step.pass.specialization.iter().filter(|(id, _)| !of_the_device(*id));
        Some((kernel.label().to_owned(), values.copied().collect()))
    });
    variants.collect()
}

/// A sample avoids cases with more buckets per lane than this. With narrow subgroups, a few such
/// cases would take as long as all others, and cases with wider subgroups execute the same blocks.
const MAX_BUCKETS_PER_LANE: u32 = 16;

/// Number of buckets that each lane counts, in the pass with the largest number.
fn buckets_per_lane(case: &Case, device: Device) -> u32 {
    let bits = specialized(&case.plan, "BUCKET_BITS");
    (1 << bits.max().unwrap_or(0)) / device.width
}

/// The cases sampled so far: their number per width and kernel, and the specializations of each
/// kernel.
#[derive(Default)]
pub struct Seen {
    kernels: HashMap<(u32, String), usize>,
    variants: HashSet<(String, Vec<(u32, u32)>)>,
}

impl Seen {
    fn add(&mut self, kernels: Vec<(u32, String)>, variants: Vec<(String, Vec<(u32, u32)>)>) {
        for kernel in kernels.into_iter().collect::<HashSet<_>>() {
            *self.kernels.entry(kernel).or_default() += 1;
        }
        self.variants.extend(variants);
    }

    /// Whether fewer than `each` cases run a kernel.
    fn lacks(&self, kernel: &(u32, String), each: usize) -> bool {
        self.kernels.get(kernel).copied().unwrap_or(0) < each
    }
}

/// Size of a sample.
#[derive(Clone, Copy)]
pub struct Size {
    /// Minimum number of cases per required kernel, if there are enough.
    pub each: usize,
    /// One in this many kernels is required; `first` of [`sample`] selects which.
    pub one_in: usize,
    /// Maximum number of cases, unless `each` requires more.
    pub count: usize,
}

/// A sample for a device: at least `each` cases per required kernel, then cases with
/// specializations that no earlier case has.
pub fn sample(device: Device, seen: &mut Seen, first: usize, size: Size) -> Result<Vec<Case>> {
    let Size { each, one_in, count } = size;
    let makers = all(device);
    let mut taken = Vec::new();
    // The number `first` selects the case with which a sample begins. `step` is a prime that does
    // not divide the number of cases, so all of them are visited.
    let step = if makers.len().is_multiple_of(101) { 103 } else { 101 };
    let order = (0..makers.len()).map(|k| (first + k * step) % makers.len());
    let required = entries().into_iter().skip(first % one_in).step_by(one_in);
    let labels: Vec<_> = required.map(|e| (device.width, e.label)).collect();
    // Cases with many buckets per lane take long, so they are used only for kernels that no other
    // case runs.
    let mut long = Vec::new();
    let mut of_long = HashSet::new();
    for maker in order.map(|k| &makers[k]) {
        let is_seen = |label| !seen.lacks(label, each) || of_long.contains(label);
        if taken.len() >= count && labels.iter().all(is_seen) {
            break;
        }
        let case = maker()?;
        let kernels: Vec<_> = kernels(&case).into_iter().map(|k| (device.width, k)).collect();
        let variants = variants(&case);
        let rare_kernel = kernels.iter().any(|k| labels.contains(k) && seen.lacks(k, each));
        let new_variant = variants.iter().any(|v| !seen.variants.contains(v));
        if buckets_per_lane(&case, device) > MAX_BUCKETS_PER_LANE {
            let is_rare = |k| labels.contains(k) && seen.lacks(k, 1) && !of_long.contains(k);
            if kernels.iter().any(is_rare) {
                of_long.extend(kernels.iter().cloned());
                long.push((case, kernels));
            }
        } else if rare_kernel || new_variant && taken.len() < count {
            seen.add(kernels, variants);
            taken.push(case);
        }
    }
    for (case, kernels) in long {
        if kernels.iter().any(|k| seen.lacks(k, 1)) {
            seen.add(kernels, variants(&case));
            taken.push(case);
        }
    }
    Ok(taken)
}
