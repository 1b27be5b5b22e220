//! Submissions that use the same array are ordered, even if they come from different calls and
//! threads. A workspace that overlaps an import is rejected.

use std::sync::Arc;

use multisplit_tests::prelude::*;

use crate::synchronization::expect_only_hazards;
use crate::work::{ADD, add};

tests!(soundness:
    run_is_ordered_after_a_replay, plans_of_two_threads_are_ordered,
    sorts_of_two_threads_are_ordered, unordered_submissions_are_reported,
    overlapping_workspace_is_rejected,
);

const N: u64 = 20_000;

/// A plan that adds a multiple of the index to each word of its import. Unless it is replayable, it
/// contains no barrier against earlier work.
fn adding(gpu: &Gpu, addend: u32, replayable: bool) -> Result<(Executable, Buffer)> {
    let mut work = gpu.work("add");
    let data = work.import::<u32>("data", N);
    work.glsl("add", ADD)?.bind("data", data).push(&addend).dispatch(threads(N, 64));
    if replayable {
        work.parts().0.replayable();
    }
    let plan = work.plan()?;
    ensure!(plan.is_replayable() == replayable);
    ensure!(plan.barriers().count() == usize::from(replayable));
    Ok((gpu.instantiate(plan)?, data.buffer()))
}

/// A run and a download are ordered after the submissions of a replay, for which the caller does
/// not wait.
fn run_is_ordered_after_a_replay(gpu: &Gpu) -> Result<()> {
    let input = uniform(N as usize, 1);
    let array = gpu.upload(&input)?;
    let (replayed, data) = adding(gpu, 3, true)?;
    let mut graph = Graph::new("scan");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, N));
    scan(&mut graph, &gpu.policy(), &Scan::default(), &ScanBuffers::new(src, dst))?;
    let scanned = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let sums = gpu.zeroed::<u32>(N)?;
    let mut replay = gpu.replay(Arc::new(replayed), &[(data, &array)])?;
    let mut expected = input;
    for round in 0..10 {
        replay.submit(4)?;
        gpu.run(&scanned, &[(src, &array), (dst, &sums)])?;
        add(&mut expected, 12);
        expect_equal(&gpu.download(&sums)?, &reference::exclusive_scan(&expected))
            .with_context(|| format!("round {round}"))?;
        // Host writes are ordered after earlier submissions as well.
        replay.submit(4)?;
        expected = uniform(N as usize, round + 2);
        gpu.write(&array, 0, &expected)?;
    }
    Ok(())
}

fn both<A: Send, B: Send>(
    a: impl FnOnce() -> Result<A> + Send,
    b: impl FnOnce() -> Result<B> + Send,
) -> Result<(A, B)> {
    std::thread::scope(|scope| {
        let (a, b) = (scope.spawn(a), scope.spawn(b));
        let ended = |_| anyhow!("a thread ended without a result");
        Ok((a.join().map_err(ended)??, b.join().map_err(ended)??))
    })
}

/// The order of two additions does not matter, but neither may be lost.
fn plans_of_two_threads_are_ordered(gpu: &Gpu) -> Result<()> {
    const RUNS: u32 = 30;
    let mut expected = uniform(N as usize, 2);
    let array = gpu.upload(&expected)?;
    let (ones, ones_data) = adding(gpu, 1, false)?;
    let (thousands, thousands_data) = adding(gpu, 1000, true)?;
    both(
        || {
            let mut runs = 0..RUNS;
            runs.try_for_each(|_| Ok(gpu.run(&ones, &[(ones_data, &array)])?))
        },
        || {
            let mut replay = gpu.replay(Arc::new(thousands), &[(thousands_data, &array)])?;
            (0..RUNS / 2).try_for_each(|_| Ok(replay.submit(2)?))
        },
    )?;
    add(&mut expected, 1001 * RUNS);
    expect_equal(&gpu.download(&array)?, &expected)
}

/// Two clones of an array share its memory, and two threads sort them in opposite orders. Whichever
/// sort ran last, no element is lost.
fn sorts_of_two_threads_are_ordered(gpu: &Gpu) -> Result<()> {
    let keys = uniform(1_000, 3);
    let array = gpu.upload(&keys)?;
    let sorting = |mut array: Array<u32>, sort: Sort| {
        move || (0..5).try_for_each(|_| Ok(gpu.sort_in_place(&mut array, &sort)?))
    };
    both(sorting(array.clone(), Sort::ascending()), sorting(array.clone(), Sort::descending()))?;
    let mut sorted = gpu.download(&array)?;
    if sorted[0] > sorted[1] {
        sorted.reverse();
    }
    expect_equal(&sorted, &reference::sorted(&keys))
}

/// Records commands of the caller, which the library does not order.
struct Recorder<'g> {
    device: &'g multisplit::ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
}

impl<'g> Recorder<'g> {
    fn new(gpu: &'g Gpu) -> Result<Self> {
        let (device, family) = (gpu.raw_device(), gpu.properties().compute_family);
        let family = family.context("the device has no compute queue")?;
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the family of the context's queue, on a live device.
        unsafe {
            let queue = device.get_device_queue(family, 0);
            Ok(Self { device, queue, pool: device.create_command_pool(&info, None)? })
        }
    }

    /// Records commands with `body` and submits them without waiting.
    fn submit(&self, body: impl FnOnce(vk::CommandBuffer) -> Result<(), Error>) -> Result<()> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        // SAFETY: one thread records and submits, and the caller waits before anything is freed.
        unsafe {
            let commands = self.device.allocate_command_buffers(&info)?[0];
            self.device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            body(commands)?;
            self.device.end_command_buffer(commands)?;
            let submitted = [commands];
            let info = vk::SubmitInfo::default().command_buffers(&submitted);
            Ok(self.device.queue_submit(self.queue, &[info], vk::Fence::null())?)
        }
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        // SAFETY: no command buffer of the pool is pending after the wait.
        unsafe {
            let _ = self.device.queue_wait_idle(self.queue);
            self.device.destroy_command_pool(self.pool, None);
        }
    }
}

/// Control for the other tests: without the library's ordering, the layer reports a hazard.
fn unordered_submissions_are_reported(gpu: &Gpu) -> Result<()> {
    let array = gpu.zeroed::<u32>(N)?;
    let (first, first_data) = adding(gpu, 1, false)?;
    let (second, second_data) = adding(gpu, 2, false)?;
    let reported = gpu.expect_messages(|| {
        let recorder = Recorder::new(gpu)?;
        for (executable, data) in [(&first, first_data), (&second, second_data)] {
            let import = (data, BufferAt::new(array.raw(), 0));
            // SAFETY: the array is large enough and lives until the wait. Only a barrier is
            // missing, which the layer must report.
            recorder.submit(|commands| unsafe { executable.record(commands, &[import]) })?;
        }
        Ok(())
    })?;
    ensure!(!reported.is_empty(), "the layer did not report the hazard");
    expect_only_hazards(&reported)
}

fn overlapping_workspace_is_rejected(gpu: &Gpu) -> Result<()> {
    let mut graph = Graph::new("sort");
    let keys = graph.import::<u32>("keys", N);
    sort(&mut graph, &gpu.policy(), &Sort::ascending(), &SortBuffers::keys(keys))?;
    let options = ExecutableOptions::default().without_workspace();
    let executable = gpu.instantiate_with(graph.compile(&gpu.limits())?, options)?;
    let needed = executable.workspace_requirements()?;
    let alignment = executable.offset_alignment();
    let behind = (4 * N).next_multiple_of(alignment);
    let mut expected = uniform(N as usize, 4);
    let array = gpu.upload(&expected)?;
    let memory = gpu.zeroed::<u32>((2 * behind + needed.size).div_ceil(4))?;
    gpu.write(&memory, 0, &expected)?;
    let recorder = Recorder::new(gpu)?;
    let record = |keys_at: BufferAt, workspace: u64| {
        let workspace = Some(BufferAt::new(memory.raw(), workspace));
        let options = RecordOptions { workspace, ..RecordOptions::default() };
        recorder.submit(|commands| {
            // SAFETY: both lie within arrays that live until the wait.
            unsafe { executable.record_with(commands, &[(keys, keys_at)], &options) }
        })
    };
    let at = |offset| BufferAt::new(memory.raw(), offset);
    for (keys_at, workspace) in [(0, 0), (0, behind - alignment), (behind, 0), (alignment, 0)] {
        let result = record(at(keys_at), workspace);
        let refused = result.as_ref().err().and_then(|error| error.downcast_ref::<Error>());
        let named = matches!(refused, Some(Error::ImportBinding { name, .. }) if name == "keys");
        ensure!(named, "keys at {keys_at}, workspace at {workspace}: {result:?}");
    }
    record(at(0), behind)?;
    gpu.wait_idle()?;
    record(BufferAt::new(array.raw(), 0), 0)?;
    gpu.wait_idle()?;
    expected.sort_unstable();
    expect_equal(&gpu.download(&array)?, &expected)
}
