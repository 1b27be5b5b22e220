//! Two threads record many frames into their own command buffers, and one executable runs many
//! times. Results are correct, and neither memory use nor the number of Vulkan objects grows.

use std::sync::Mutex;

use multisplit::graph::Scope;
use multisplit::requirements::Features;
use multisplit::{AdoptedDevice, PassValue, WorkArray};
use multisplit_tests::prelude::*;

use crate::counted_device::{calls, counted};
use crate::embedding::{quick, with_silent_host};
use crate::example_frames::host::{Host, HostBuffer};

tests!(embedding_threads:
    frames_of_two_threads_do_not_leak, frames_of_two_threads_do_not_leak_without_push_descriptors,
    repeated_runs_create_at_most_descriptor_sets,
);

const THREADS: usize = 2;
/// Frames in flight per thread.
const FLIGHT: usize = 2;
const N: usize = 48;
/// Every `SCANS`th frame also scans, with a count set at recording time.
const SCANS: u32 = 16;
const COUNT: &str = "count";
/// Number of warm-up frames per thread; afterwards, memory use must not grow.
const WARM: u32 = 50;
/// Tolerated growth of the process in bytes. The validation layer's bookkeeping grows slightly, and
/// allocators reserve memory in chunks.
const SLACK: u64 = 16 << 20;

fn frames_of_two_threads_do_not_leak(gpu: &Gpu) -> Result<()> {
    frames(gpu, if gpu.full { 10_000 } else { 1000 }, &Features::default())
}

/// Without push descriptors, each frame in flight has its own descriptor sets.
fn frames_of_two_threads_do_not_leak_without_push_descriptors(gpu: &Gpu) -> Result<()> {
    frames(gpu, 400, &Features { push_descriptor: true, ..Features::default() })
}

/// Runs `body` on an adopted device whose calls are counted. Fails on any validation message.
fn on_counted_device(
    gpu: &Gpu,
    without: &Features,
    body: impl FnOnce(&Host, &Context) -> Result<()>,
) -> Result<()> {
    with_silent_host(gpu, |host| {
        let mut adopted = host.adopted(PipelineCache::Off);
        adopted.features.push_descriptor &= !without.push_descriptor;
        // SAFETY: the host outlives everything created from it; the queue is used under a lock or
        // by one thread.
        let context = unsafe {
            let device = counted(&host.instance, host.device.handle());
            Context::adopt(AdoptedDevice { device, ..adopted })?
        };
        body(host, &context)
    })
}

fn frames(gpu: &Gpu, count: u32, without: &Features) -> Result<()> {
    on_counted_device(gpu, without, |host, context| {
        let shared = Shared::new(host, context)?;
        run(&shared, 0..WARM)?;
        let (created, memory, resident) = (calls(), context.memory_report(), resident()?);
        run(&shared, WARM..count / THREADS as u32)?;
        ensure!(calls() == created, "{} objects were created after the warm-up", calls() - created);
        expect_value("the memory report", &context.memory_report(), &memory)?;
        let grown = self::resident()?.saturating_sub(resident);
        ensure!(grown < SLACK, "the process has grown by {grown} bytes");
        Ok(())
    })
}

/// Each run reuses the command buffer of the previous one. Without push descriptors, each run creates
/// a descriptor pool and allocates its sets.
fn repeated_runs_create_at_most_descriptor_sets(gpu: &Gpu) -> Result<()> {
    on_counted_device(gpu, &Features::default(), |_, context| {
        let n = 1000;
        let mut setup = Setup::new(context, "sums");
        let (src, dst) = (setup.input("src", &vec![1u32; n]), setup.output::<u32>("dst", n));
        let buffers = ScanBuffers::new(src, dst);
        scan(&mut setup.graph, &context.policy(), &Scan::default(), &buffers)?;
        let executable = setup.executable()?;
        let bound = setup.upload()?;
        context.run(&executable, &bound)?;
        let created = calls();
        for _ in 0..20 {
            context.run(&executable, &bound)?;
        }
        let allowed = if context.features().push_descriptor { 0 } else { 20 * 2 };
        let created = calls() - created;
        ensure!(created <= allowed, "{created} objects were created, expected at most {allowed}");
        setup.expect(dst, &(0..n as u32).collect::<Vec<_>>())
    })
}

/// Work with one source and one destination array.
struct OnArrays {
    executable: Executable,
    from: WorkArray<u32>,
    to: WorkArray<u32>,
}

/// State shared by both threads.
struct Shared<'h> {
    host: &'h Host,
    sort: OnArrays,
    scan: OnArrays,
    queue: Mutex<vk::Queue>,
}

impl<'h> Shared<'h> {
    fn new(host: &'h Host, context: &Context) -> Result<Self> {
        let options = ExecutableOptions::default().frames(THREADS * FLIGHT);
        let begin = |name| {
            let mut work = context.work(name);
            work.set_policy(quick(context.policy()));
            let [from, to] = ["from", "to"].map(|name| work.import::<u32>(name, N as u64));
            (work, from, to)
        };
        let (mut work, from, to) = begin("sort");
        let (graph, policy) = work.parts();
        let buffers = SortBuffers::keys(from.buffer()).indices(to.buffer());
        sort(graph, policy, &Sort::ascending(), &buffers)?;
        // The scan reads the sorted array, so the exit scope includes compute reads.
        work.exit(from, Scope::HOST_READ.union(Scope::COMPUTE_READ));
        work.exit(to, Scope::HOST_READ);
        let sort = OnArrays { executable: work.executable(options)?, from, to };
        let (mut work, from, to) = begin("scan");
        let count = work.count(COUNT, N as u64);
        work.scan(from.first(count), to, &Scan::default())?;
        work.exit(to, Scope::HOST_READ);
        let scan = OnArrays { executable: work.executable(options)?, from, to };
        Ok(Self { host, sort, scan, queue: Mutex::new(host.queue) })
    }

    /// Waits for a fence. The layer's tracking of submissions is not thread-safe: it reports false
    /// hazards if one thread waits while another one submits. Therefore a wait polls the fence
    /// under the lock that submissions take, and releases the lock between polls.
    fn wait(&self, fence: vk::Fence) -> Result<()> {
        loop {
            let queue = self.queue.lock().map_err(|_| anyhow!("a thread panicked"))?;
            // SAFETY: a fence that a submission signals.
            match unsafe { self.host.device.wait_for_fences(&[fence], true, 0) } {
                Err(vk::Result::TIMEOUT) => drop(queue),
                other => return Ok(other?),
            }
            std::thread::yield_now();
        }
    }
}

fn run(shared: &Shared<'_>, rounds: std::ops::Range<u32>) -> Result<()> {
    std::thread::scope(|scope| {
        let spawn = |thread| {
            let rounds = rounds.clone();
            scope.spawn(move || Thread::run(shared, thread, rounds))
        };
        let threads: Vec<_> = (0..THREADS).map(spawn).collect();
        let ended = threads.into_iter().map(|thread| {
            thread.join().map_err(|_| anyhow!("a thread panicked")).and_then(|result| result)
        });
        let pools: Vec<vk::CommandPool> = ended.collect::<Result<_>>()?;
        // Destroyed after all threads have finished recording: some validation layers crash if one
        // thread destroys a command pool while another one records a label.
        for pool in pools {
            // SAFETY: all submissions have completed.
            unsafe { shared.host.device.destroy_command_pool(pool, None) };
        }
        Ok(())
    })
}

/// State of one thread.
struct Thread<'s> {
    shared: &'s Shared<'s>,
    pool: vk::CommandPool,
    frames: Vec<Frame>,
}

struct Frame {
    /// Index among the frames in flight of both threads.
    index: usize,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    keys: HostBuffer,
    indices: HostBuffer,
    sums: HostBuffer,
    /// The keys of the frame in flight, and the number of elements that it scans.
    pending: Option<([u32; N], usize)>,
}

impl<'s> Thread<'s> {
    fn run(
        shared: &'s Shared<'s>,
        thread: usize,
        rounds: std::ops::Range<u32>,
    ) -> Result<vk::CommandPool> {
        let mut this = Self::new(shared, thread)?;
        for round in rounds {
            let turn = round as usize % FLIGHT;
            this.finish(turn)?;
            this.submit(turn, round, thread as u32)?;
        }
        (0..FLIGHT).try_for_each(|turn| this.finish(turn))?;
        Ok(this.destroy())
    }

    fn new(shared: &'s Shared<'s>, thread: usize) -> Result<Self> {
        let (host, device) = (shared.host, &shared.host.device);
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        // SAFETY: plain Vulkan set-up with valid structures.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default()
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
                .queue_family_index(host.family);
            let pool = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .command_buffer_count(FLIGHT as u32);
            let buffer = || host.buffer(4 * N as u64, storage, visible).map_err(|e| anyhow!("{e}"));
            let mut frames = Vec::new();
            for (turn, commands) in device.allocate_command_buffers(&info)?.into_iter().enumerate()
            {
                frames.push(Frame {
                    index: thread * FLIGHT + turn,
                    commands,
                    fence: device.create_fence(&vk::FenceCreateInfo::default(), None)?,
                    keys: buffer()?,
                    indices: buffer()?,
                    sums: buffer()?,
                    pending: None,
                });
            }
            Ok(Self { shared, pool, frames })
        }
    }

    fn submit(&mut self, turn: usize, round: u32, thread: u32) -> Result<()> {
        let Shared { host, sort, scan, queue } = self.shared;
        let (device, frame) = (&host.device, &mut self.frames[turn]);
        let commands = frame.commands;
        let keys: [u32; N] = std::array::from_fn(|i| {
            (i as u32 + N as u32 * (2 * round + thread)).wrapping_mul(0x9E37_79B9) >> 24
        });
        let scanned = if round.is_multiple_of(SCANS) { 1 + round as usize / 3 % N } else { 0 };
        let at = |buffer: &HostBuffer| BufferAt::new(buffer.raw, 0);
        // SAFETY: the frame is not in use, and all resources live until the submission completes.
        unsafe {
            frame.keys.mapped.copy_from_nonoverlapping(keys.as_ptr(), N);
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            let imports = [sort.from.at(at(&frame.keys)), sort.to.at(at(&frame.indices))];
            let options = RecordOptions { frame: Some(frame.index), ..Default::default() };
            sort.executable.record_with(commands, &imports, &options)?;
            if scanned > 0 {
                let imports = [scan.from.at(at(&frame.keys)), scan.to.at(at(&frame.sums))];
                let count = (scanned as u32).to_ne_bytes();
                let values = [PassValue { pass: COUNT, bytes: &count }];
                let options = RecordOptions { values: &values, ..options };
                scan.executable.record_with(commands, &imports, &options)?;
            }
            device.end_command_buffer(commands)?;
            let submitted = [commands];
            let info = vk::SubmitInfo::default().command_buffers(&submitted);
            let queue = queue.lock().map_err(|_| anyhow!("a thread panicked"))?;
            device.queue_submit(*queue, &[info], frame.fence)?;
        }
        frame.pending = Some((keys, scanned));
        Ok(())
    }

    /// Waits for frame in flight number `turn`, and checks its results.
    fn finish(&mut self, turn: usize) -> Result<()> {
        let (device, frame) = (&self.shared.host.device, &mut self.frames[turn]);
        let Some((keys, scanned)) = frame.pending.take() else { return Ok(()) };
        self.shared.wait(frame.fence)?;
        // SAFETY: the submission has written the buffers when it signals the fence.
        let (sorted, indices, sums) = unsafe {
            device.reset_fences(&[frame.fence])?;
            (frame.keys.words(N), frame.indices.words(N), frame.sums.words(scanned))
        };
        let mut order: [u32; N] = std::array::from_fn(|i| i as u32);
        order.sort_by_key(|&i| keys[i as usize]);
        ensure!(indices == order, "the indices are {indices:?}, expected {order:?}");
        let expected = order.iter().map(|&i| &keys[i as usize]);
        ensure!(
            sorted.iter().eq(expected),
            "the sorted keys are {sorted:?}, expected the keys in the order {order:?}"
        );
        let mut sum = 0;
        for (found, key) in sums.iter().zip(sorted) {
            ensure!(*found == sum, "the result is {found}, expected {sum}");
            sum += key;
        }
        Ok(())
    }

    /// Destroys everything except the pool, which the caller destroys.
    fn destroy(self) -> vk::CommandPool {
        let (host, device) = (self.shared.host, &self.shared.host.device);
        // SAFETY: all submissions have completed.
        unsafe {
            for frame in &self.frames {
                device.destroy_fence(frame.fence, None);
                for buffer in [&frame.keys, &frame.indices, &frame.sums] {
                    host.free(buffer);
                }
            }
        }
        self.pool
    }
}

/// Resident memory of the process in bytes.
fn resident() -> Result<u64> {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = text.split_whitespace().nth(1).unwrap_or_default().parse()?;
    Ok(pages * PAGE)
}
