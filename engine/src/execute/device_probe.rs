//! The device probe. It tests the device behaviour that all kernels rely on: subgroups of the reported size, ballots,
//! shuffles, subgroup arithmetic, atomics and barriers. On a device or driver that fails a test (docs/portability.md
//! has examples), kernels would give wrong results without any error.

use ash::vk;
use multisplit_graph::{Buffer, Graph, Groups, Plan};
use multisplit_shaders::builtin as kernels;
use multisplit_shaders::push_constants;

use crate::device::{Attachment, Context, DeviceProperties, ProbeResult, VerdictFile};
use crate::error::{Error, Result};
use crate::execute::{ExecutableOptions, OwnPasses, SubgroupBarriers};
use crate::fault::DeviceFault;

/// Files do not contain the reported subgroup size, so it is 0 in these results.
impl ProbeResult for Option<DeviceFault> {
    const EXTENSION: &str = "device";
    const LINES: &[(Self, &str)] = &[
        (None, "device passed"),
        (Some(lanes(1)), "subgroups of 1"),
        (Some(lanes(2)), "subgroups of 2"),
        (Some(lanes(4)), "subgroups of 4"),
        (Some(lanes(8)), "subgroups of 8"),
        (Some(lanes(16)), "subgroups of 16"),
        (Some(lanes(32)), "subgroups of 32"),
        (Some(lanes(64)), "subgroups of 64"),
        (Some(lanes(128)), "subgroups of 128"),
        (Some(DeviceFault::Ballots), "ballots wrong"),
        (Some(DeviceFault::Numbers), "numbers of threads wrong"),
        (Some(DeviceFault::Shuffles), "shuffles wrong"),
        (Some(DeviceFault::Arithmetic), "subgroup arithmetic wrong"),
        (Some(DeviceFault::SharedAtomics), "shared atomics wrong"),
        (Some(DeviceFault::BufferAtomics), "buffer atomics wrong"),
        (Some(DeviceFault::Barriers), "barriers wrong"),
    ];
}

const fn lanes(observed: u32) -> DeviceFault {
    DeviceFault::SubgroupSize { reported: 0, observed }
}

fn with_reported(fault: DeviceFault, reported: u32) -> DeviceFault {
    match fault {
        DeviceFault::SubgroupSize { observed, .. } => {
            DeviceFault::SubgroupSize { reported, observed }
        }
        other => other,
    }
}

struct Probed(Option<DeviceFault>);

impl Attachment for Probed {}

/// Index of each test's bit in the first word of a record, and the fault if the bit is set. Ordered by priority: the
/// tests after a failed test are meaningless.
const TESTS: [(u32, DeviceFault); 7] = [
    // The record contains the observed number of lanes, which replaces the 0.
    (0, lanes(0)),
    (1, DeviceFault::Ballots),
    (6, DeviceFault::Barriers),
    (2, DeviceFault::Numbers),
    (3, DeviceFault::Shuffles),
    (4, DeviceFault::Arithmetic),
    (5, DeviceFault::SharedAtomics),
];

/// Words of the record that each thread writes: failed tests, lanes in a ballot, `gl_SubgroupSize`, ticket.
const RECORD: usize = 4;
/// Initial totals, which all threads update with atomics: tickets, sum, minimum, maximum, bitwise or.
const TOTALS: [u32; 5] = [0, 0, u32::MAX, 0, 0];

/// Number of workgroups of a dispatch. They occupy many multiprocessors of a large GPU, and take about 0.1 ms.
const GROUPS: u32 = 64;
/// Number of workgroups of a dispatch on software drivers.
const SOFTWARE_GROUPS: u32 = 2;
/// Number of bits of a lane index, for the largest subgroups.
const LANE_BITS: u32 = 7;
/// Number of rounds of the test of barriers.
const ROUNDS: u32 = 12;
/// Threads per workgroup of the first dispatch: several subgroups on most devices.
const LARGE_WORKGROUP: u32 = 256;
/// Threads per workgroup of the second dispatch. Some drivers remove the barriers of workgroups of up to this size.
const SMALL_WORKGROUP: u32 = 32;

/// The device probe as passes of a graph, for programs that run it themselves.
#[derive(Clone, Copy, Debug)]
pub struct DeviceProbe {
    /// Number of lanes that the driver reports.
    pub subgroup_size: u32,
    /// Workgroup size of each dispatch.
    pub threads: [u32; 2],
    /// Number of workgroups of each dispatch.
    pub groups: u32,
}

impl DeviceProbe {
    /// Creates the probe for a device.
    pub fn new(properties: &DeviceProperties) -> Self {
        let width = properties.subgroup_size.max(1);
        let max_threads = properties.limits.max_compute_work_group_invocations;
        let threads = [LARGE_WORKGROUP, SMALL_WORKGROUP]
            .map(|threads| (threads.min(max_threads) / width).max(1) * width);
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        let groups = if software { SOFTWARE_GROUPS } else { GROUPS };
        Self { subgroup_size: width, threads, groups }
    }

    fn thread_counts(&self) -> [u32; 2] {
        self.threads.map(|threads| threads * self.groups)
    }

    /// Adds the passes to `graph`. Returns three imports: the records of each of the two dispatches, and the totals.
    /// Before the run, the totals must contain [`totals`](Self::totals).
    pub fn declare(&self, graph: &mut Graph) -> Result<[Buffer; 3]> {
        let kernel = kernels::PROBE_DEVICE.kernel()?;
        let totals = graph.import::<u32>("probe.totals", TOTALS.len() as u64);
        let names = ["probe.large", "probe.small"];
        let (mut first, lanes) = (0, self.subgroup_size);
        let mut dispatch = |k: usize| {
            let words = RECORD as u64 * u64::from(self.thread_counts()[k]);
            let records = graph.import::<u32>(names[k], words);
            graph
                .own_pass("probe.device", &kernel)
                .bind("records", records)
                .bind("totals", totals)
                .push(&ProbePush { first, lanes, bits: LANE_BITS, rounds: ROUNDS })
                .specialize("local_size_x", self.threads[k])
                .specialize("SUBGROUP_SIZE", lanes)
                // The first dispatch has tested the operations of subgroups.
                .specialize("ONLY_WORKGROUPS", u32::from(k > 0))
                .dispatch(Groups::linear(self.groups.into()));
            first += self.thread_counts()[k];
            records
        };
        Ok([dispatch(0), dispatch(1), totals])
    }

    /// The totals before the probe runs.
    pub fn totals(&self) -> Vec<u32> {
        TOTALS.to_vec()
    }

    /// Length of the records of each dispatch, in words.
    pub fn lengths(&self) -> [u64; 2] {
        self.thread_counts().map(|count| RECORD as u64 * u64::from(count))
    }

    /// Checks the records and totals of a run. Returns the first fault, if any.
    pub fn fault(&self, [large, small, totals]: [&[u32]; 3]) -> Option<DeviceFault> {
        let records = || [large, small].into_iter().flat_map(|words| words.chunks_exact(RECORD));
        let failed = records().fold(0, |all, record| all | record[0]);
        match TESTS.iter().find(|(bit, _)| failed >> bit & 1 != 0) {
            Some((_, DeviceFault::SubgroupSize { .. })) => {
                let reported = self.subgroup_size;
                let mut sizes = records().flat_map(|record| [record[1], record[2]]);
                let observed = sizes.find(|&size| size != reported).unwrap_or(reported);
                Some(DeviceFault::SubgroupSize { reported, observed })
            }
            Some((_, fault)) => Some(*fault),
            None => {
                let count: u32 = self.thread_counts().iter().sum();
                let mut tickets: Vec<u32> = records().map(|record| record[3]).collect();
                tickets.sort_unstable();
                let mut expected = TOTALS;
                for thread in 0..count {
                    let number = mixed(thread);
                    expected[0] += 1;
                    expected[1] = expected[1].wrapping_add(number);
                    expected[2] = expected[2].min(number);
                    expected[3] = expected[3].max(number);
                    expected[4] |= 1 << (thread % u32::BITS);
                }
                let exact = tickets.into_iter().eq(0..count) && totals == expected;
                (!exact).then_some(DeviceFault::BufferAtomics)
            }
        }
    }
}

push_constants! {
    struct ProbePush {
        /// Number of threads of earlier dispatches.
        pub first: u32,
        pub lanes: u32,
        /// Number of bits of a lane index. Must be at least that of 128 lanes.
        pub bits: u32,
        pub rounds: u32,
    }
}

/// Hash of a thread number. Must match `mixed` in `probe/device.comp`.
fn mixed(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x7FEB_352D);
    let x = (x ^ x >> 15).wrapping_mul(0x846C_A68B);
    x ^ x >> 16
}

impl Context {
    /// Returns the fault that the device probe finds, if any. Runs the probe unless this context or an earlier run on
    /// this device and driver already did.
    ///
    /// The probe submits two small dispatches and waits for their results. It tests what all kernels rely on: the
    /// number and order of the lanes of a subgroup, ballots, shuffles, subgroup arithmetic, atomics of many threads on
    /// one address, and barriers of a workgroup. [`Config::faulty_devices`](crate::Config::faulty_devices) selects
    /// whether a context runs the probe automatically.
    pub fn probe_device(&self) -> Result<Option<DeviceFault>> {
        let probed = self.device.attached(|device| {
            let file = device.verdict_file();
            if let Some(known) = file.as_ref().and_then(VerdictFile::load) {
                return Ok(Probed(known));
            }
            let found = self.run_device_probe()?;
            tracing::debug!(?found, "probed the device");
            let found = found.map(|fault| with_reported(fault, 0));
            if let Some(file) = file {
                file.save(found);
            }
            Ok(Probed(found))
        })?;
        Ok(probed.0.map(|fault| with_reported(fault, self.properties().subgroup_size)))
    }

    fn run_device_probe(&self) -> Result<Option<DeviceFault>> {
        let _span = tracing::debug_span!("probe.device").entered();
        let probe = DeviceProbe::new(self.properties());
        let mut graph = Graph::new("probe.device");
        let [large, small, totals] = probe.declare(&mut graph)?;
        let plan = graph.compile(&self.limits())?;
        let options = ExecutableOptions::default();
        let executable = self.instantiate_for(plan, options, SubgroupBarriers::Kept)?;
        // All bits are set, so that a record that the kernel does not write counts as failed.
        let unwritten = |words: u64| self.upload(&vec![u32::MAX; words as usize]);
        let [in_large, in_small] = probe.lengths().map(unwritten);
        let (in_large, in_small) = (in_large?, in_small?);
        let in_totals = self.upload(&probe.totals())?;
        let bound = [(large, &in_large), (small, &in_small), (totals, &in_totals)];
        // The caller did not start this run, so it is not reported to the observer.
        self.run_repeatedly(&executable, &bound, 1)?;
        let words = [&in_large, &in_small, &in_totals].map(|array| self.download(array));
        let [large, small, totals] = words;
        Ok(probe.fault([&large?, &small?, &totals?]))
    }

    /// Refuses plans with kernels if the device fails the probe.
    pub(super) fn refuse_faulty_device(&self, plan: &Plan) -> Result<()> {
        let device = &self.device;
        let has_kernels = plan.steps().iter().any(|step| step.pass.kernel.is_some());
        // A driver that runs without its GPU reports no device memory.
        if !device.refuses_faults || !has_kernels || device.properties.device_memory == 0 {
            return Ok(());
        }
        let fault = if device.is_adopted() {
            let stored = device.verdict_file::<Option<DeviceFault>>().and_then(|file| file.load());
            stored.flatten().map(|fault| with_reported(fault, device.properties.subgroup_size))
        } else {
            // If the probe cannot run, for example because memory is exhausted, this plan is not refused. The next plan
            // runs the probe again.
            self.probe_device().unwrap_or_else(|error| {
                tracing::warn!(%error, "the device probe could not run");
                None
            })
        };
        let Some(fault) = fault else { return Ok(()) };
        Err(Error::FaultyDevice { device: device.properties.name.clone(), fault })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records and totals of a device without faults.
    fn faultless(probe: &DeviceProbe) -> [Vec<u32>; 3] {
        let [large, small] = probe.thread_counts();
        let width = probe.subgroup_size;
        let records = |range: std::ops::Range<u32>| {
            range.flat_map(|ticket| [0, width, width, ticket]).collect::<Vec<_>>()
        };
        let mut totals = TOTALS;
        for thread in 0..large + small {
            totals[0] += 1;
            totals[1] = totals[1].wrapping_add(mixed(thread));
            totals[2] = totals[2].min(mixed(thread));
            totals[3] = totals[3].max(mixed(thread));
            totals[4] |= 1 << (thread % 32);
        }
        [records(0..large), records(large..large + small), totals.to_vec()]
    }

    fn fault(probe: &DeviceProbe, [large, small, totals]: &[Vec<u32>; 3]) -> Option<DeviceFault> {
        probe.fault([large, small, totals])
    }

    #[test]
    fn wrong_records_and_totals_are_reported_as_faults() {
        let mut properties = DeviceProperties { subgroup_size: 32, ..Default::default() };
        properties.limits.max_compute_work_group_invocations = 1024;
        let probe = DeviceProbe::new(&properties);
        assert_eq!(probe.threads, [256, 32]);
        let words = faultless(&probe);
        assert_eq!(fault(&probe, &words), None);
        for (bit, expected) in [
            (1, DeviceFault::Ballots),
            (2, DeviceFault::Numbers),
            (3, DeviceFault::Shuffles),
            (4, DeviceFault::Arithmetic),
            (5, DeviceFault::SharedAtomics),
            (6, DeviceFault::Barriers),
        ] {
            let mut wrong = words.clone();
            wrong[1][8] = 1 << bit;
            assert_eq!(fault(&probe, &wrong), Some(expected));
        }
        let mut wrong = words.clone();
        (wrong[0][4], wrong[0][5]) = (3, 8);
        let lanes = DeviceFault::SubgroupSize { reported: 32, observed: 8 };
        assert_eq!(fault(&probe, &wrong), Some(lanes));
        for (array, word) in [(0, 7), (1, 3), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4)] {
            let mut wrong = words.clone();
            wrong[array][word] ^= 1;
            assert_eq!(fault(&probe, &wrong), Some(DeviceFault::BufferAtomics));
        }
    }

    #[test]
    fn workgroups_fit_small_devices_and_wide_subgroups() {
        for (width, max_threads, expected) in
            [(4, 128, [128, 32]), (64, 128, [128, 64]), (128, 128, [128, 128]), (0, 256, [256, 32])]
        {
            let mut properties = DeviceProperties { subgroup_size: width, ..Default::default() };
            properties.limits.max_compute_work_group_invocations = max_threads;
            assert_eq!(DeviceProbe::new(&properties).threads, expected);
        }
    }
}
