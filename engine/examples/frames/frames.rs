//! Frame loop of an engine with two frames in flight. Each frame sorts particles by depth between two of the engine's
//! own passes, with exactly the barriers that the sort requires (`Executable::contract`).

use std::time::{Duration, Instant};

use multisplit::ash::vk;
use multisplit::embed::barrier;
use multisplit::graph::Scope;
use multisplit::operations::Count;
use multisplit::{
    BufferAt, Context, Executable, ExecutableOptions, PassValue, PipelineCache, Policy,
    RecordOptions, Sort, TimestampQueries, Timing, WorkArray,
};

use super::host::{Host, HostBuffer, Result};
use super::passes::{Pass, Passes, depth};

/// Frames in flight.
const FLIGHT: usize = 2;
const QUERIES: u32 = 2;
/// Name of the particle count, which each recording sets if the count varies.
const COUNT: &str = "particles";

/// Parameters of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of frames.
    pub frames: u32,
    /// Maximum number of particles per frame.
    pub particles: u32,
    /// Whether the number of particles changes from frame to frame.
    pub varying: bool,
    pub barriers: Barriers,
    /// Storage of compiled pipelines between runs.
    pub pipeline_cache: PipelineCache,
    /// Overrides the sizes and methods chosen for the device.
    pub policy: Option<Policy>,
}

/// Who records the barriers between the engine's passes and the sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barriers {
    /// The engine, with the scopes of the first and last accesses of the sort.
    Engine,
    /// The recording of the sort, which has been given the scopes of the engine's passes before and after it.
    Recording,
    /// The engine, but it omits the barrier before the sort: intentionally WRONG.
    EngineWithoutEntry,
    /// The engine, but it omits the barrier after the sort: intentionally WRONG.
    EngineWithoutExit,
}

/// Results of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Time to adopt the device, plan the sort, and record the first frame.
    pub first_sort: Duration,
    /// Part of `first_sort` that the driver spent creating pipelines.
    pub pipelines: Duration,
    /// GPU time of all sorts.
    pub sorting: Duration,
    /// The first frame whose particles are in the wrong order.
    pub wrong: Option<u32>,
}

/// Objects of one frame in flight.
struct Frame {
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    depths: HostBuffer,
    order: HostBuffer,
    picture: HostBuffer,
    /// Particle count and frame number, if the frame has been submitted but not yet checked.
    pending: Option<[u32; 2]>,
}

/// The loop and its state.
struct Loop<'h> {
    host: &'h Host,
    config: &'h Config,
    sort: DepthSort,
    passes: Passes,
    pool: vk::CommandPool,
    queries: vk::QueryPool,
    frames: Vec<Frame>,
    /// One buffer that contains a workspace for each frame in flight.
    workspaces: HostBuffer,
    workspace_stride: u64,
    report: Report,
}

/// The sort with its imported buffers and their scopes.
struct DepthSort {
    executable: Executable,
    depths: WorkArray<f32>,
    order: WorkArray<u32>,
    /// The sort's first access to the depths.
    first_use: Scope,
    /// The sort's last access to the depths and the order.
    last_use: Scope,
}

impl DepthSort {
    /// Plans the sort: it finds the order of the particles from far to near, and does not change the depths.
    fn new(context: &Context, config: &Config) -> Result<Self> {
        let max = u64::from(config.particles);
        let mut work = context.work("particles.sort");
        if let Some(policy) = config.policy {
            work.set_policy(policy);
        }
        let depths = work.import::<f32>("depths", max);
        let order = work.import::<u32>("order", max);
        let count = if config.varying { work.count(COUNT, max) } else { Count::Host(max) };
        work.argsort(depths.first(count), order, &Sort::descending())?;
        if config.barriers == Barriers::Recording {
            work.entry(depths, Scope::COMPUTE_WRITE);
            work.exit(depths, Scope::COMPUTE_READ);
            work.exit(order, Scope::COMPUTE_READ);
        }
        let options = ExecutableOptions::default().frames(FLIGHT).without_workspace();
        let executable = work.executable(options)?;
        let contract = |import| executable.contract(import).ok_or("an import is not in the plan");
        let (keys, indices) = (contract(depths.buffer())?, contract(order.buffer())?);
        let first_use = keys.first_use.unwrap_or_default();
        let last_use =
            keys.last_use.unwrap_or_default().union(indices.last_use.unwrap_or_default());
        Ok(Self { executable, depths, order, first_use, last_use })
    }
}

/// Runs the frame loop.
///
/// # Safety
/// `host` must be valid. Like this function, nearly all Vulkan calls are `unsafe`.
pub unsafe fn run(host: &Host, config: &Config) -> Result<Report> {
    let begin = Instant::now();
    // SAFETY: the host outlives the context, and its queue is used by this thread alone.
    unsafe {
        let context = Context::adopt(host.adopted(config.pipeline_cache.clone()))?;
        let sort = DepthSort::new(&context, config)?;
        let planning = begin.elapsed();
        let mut frames = Loop::new(host, config, sort)?;
        let begin = Instant::now();
        frames.record(0, [config.particles, 0])?;
        frames.report.first_sort = planning + begin.elapsed();
        frames.report.pipelines = context.pipeline_creation_time();
        for frame in 0..config.frames {
            frames.frame(frame)?;
        }
        (0..FLIGHT).try_for_each(|index| frames.finish(index))?;
        Ok(frames.destroy())
    }
}

impl<'h> Loop<'h> {
    unsafe fn new(host: &'h Host, config: &'h Config, sort: DepthSort) -> Result<Self> {
        let device = &host.device;
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let usage = |import| sort.executable.import_usage(import) | storage;
        let (depths, order) = (sort.depths.buffer(), sort.order.buffer());
        let needs = sort.executable.workspace_requirements()?;
        // A sort by one workgroup needs no workspace, but Vulkan does not allow empty buffers.
        let workspace_stride = needs.size.max(1).next_multiple_of(needs.alignment.max(16));
        // SAFETY: plain Vulkan set-up with valid structures throughout.
        unsafe {
            let workspaces = host.buffer(workspace_stride * FLIGHT as u64, needs.usage, local)?;
            let info = vk::CommandPoolCreateInfo::default()
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
                .queue_family_index(host.family);
            let pool = device.create_command_pool(&info, None)?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .command_buffer_count(FLIGHT as u32);
            let mut frames = Vec::new();
            for commands in device.allocate_command_buffers(&info)? {
                frames.push(Frame {
                    commands,
                    fence: device.create_fence(&vk::FenceCreateInfo::default(), None)?,
                    depths: host.buffer(depths.size(), usage(depths), local)?,
                    order: host.buffer(order.size(), usage(order), local)?,
                    picture: host.buffer(2 * order.size(), storage, visible)?,
                    pending: None,
                });
            }
            let buffers: Vec<_> =
                frames.iter().map(|f| [&f.depths, &f.order, &f.picture]).collect();
            let passes = Passes::new(host, &buffers)?;
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TIMESTAMP)
                .query_count(FLIGHT as u32 * QUERIES);
            let queries = device.create_query_pool(&info, None)?;
            let report = Report::default();
            Ok(Self {
                host,
                config,
                sort,
                passes,
                pool,
                queries,
                frames,
                workspaces,
                workspace_stride,
                report,
            })
        }
    }

    /// Waits for the previous frame with the same index, then records this frame and submits it.
    unsafe fn frame(&mut self, frame: u32) -> Result<()> {
        let index = frame as usize % FLIGHT;
        let fewer =
            if self.config.varying { frame * 7 % (self.config.particles / 2).max(1) } else { 0 };
        let count = self.config.particles - fewer;
        // SAFETY: the commands have finished before they are recorded again.
        unsafe {
            self.finish(index)?;
            self.record(index, [count, frame])?;
            let Frame { commands, fence, pending, .. } = &mut self.frames[index];
            let commands = [*commands];
            let info = vk::SubmitInfo::default().command_buffers(&commands);
            self.host.device.queue_submit(self.host.queue, &[info], *fence)?;
            *pending = Some([count, frame]);
        }
        Ok(())
    }

    /// Records the commands of one frame. `work` is its particle count and its number.
    unsafe fn record(&self, index: usize, work: [u32; 2]) -> Result<()> {
        let (device, frame) = (&self.host.device, &self.frames[index]);
        let commands = frame.commands;
        let first_query = index as u32 * QUERIES;
        let engine = self.config.barriers != Barriers::Recording;
        let sort = &self.sort;
        let imports = [
            sort.depths.at(BufferAt::new(frame.depths.raw, 0)),
            sort.order.at(BufferAt::new(frame.order.raw, 0)),
        ];
        let offset = index as u64 * self.workspace_stride;
        let count = work[0].to_ne_bytes();
        let count = [PassValue { pass: COUNT, bytes: &count }];
        let options = RecordOptions {
            workspace: Some(BufferAt::new(self.workspaces.raw, offset)),
            frame: Some(index),
            values: if self.config.varying { &count } else { &[] },
            timing: Timing::Queries(TimestampQueries {
                pool: self.queries,
                first: first_query,
                each_pass: false,
            }),
        };
        // SAFETY: the commands have finished, and everything they use lives as long as the loop.
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_reset_query_pool(commands, self.queries, first_query, QUERIES);
            self.passes.record(self.host, commands, Pass::Depths, index, work);
            if engine && self.config.barriers != Barriers::EngineWithoutEntry {
                self.barrier(commands, Scope::COMPUTE_WRITE, sort.first_use);
            }
            sort.executable.record_with(commands, &imports, &options)?;
            if engine && self.config.barriers != Barriers::EngineWithoutExit {
                self.barrier(commands, sort.last_use, Scope::COMPUTE_READ);
            }
            self.passes.record(self.host, commands, Pass::Picture, index, work);
            self.barrier(commands, Scope::COMPUTE_WRITE, Scope::HOST_READ);
            Ok(device.end_command_buffer(commands)?)
        }
    }

    unsafe fn barrier(&self, commands: vk::CommandBuffer, before: Scope, after: Scope) {
        let memory = [barrier(before, after)];
        let info = vk::DependencyInfo::default().memory_barriers(&memory);
        // SAFETY: the command buffer is recording.
        unsafe { self.host.device.cmd_pipeline_barrier2(commands, &info) };
    }

    /// Waits for a frame in flight and checks its result.
    unsafe fn finish(&mut self, index: usize) -> Result<()> {
        let device = &self.host.device;
        let Some([count, number]) = self.frames[index].pending.take() else { return Ok(()) };
        let frame = &self.frames[index];
        let mut ticks = [0u64; QUERIES as usize];
        // SAFETY: the fence is signalled after the submission has written picture and queries.
        let picture = unsafe {
            device.wait_for_fences(&[frame.fence], true, u64::MAX)?;
            device.reset_fences(&[frame.fence])?;
            let (first, flags) = (index as u32 * QUERIES, vk::QueryResultFlags::TYPE_64);
            device.get_query_pool_results(self.queries, first, &mut ticks, flags)?;
            frame.picture.words(2 * count as usize)
        };
        let period = f64::from(self.tick_nanoseconds());
        let nanoseconds = ticks[1].saturating_sub(ticks[0]) as f64 * period;
        self.report.sorting += Duration::from_nanos(nanoseconds as u64);
        if self.report.wrong.is_none() && !in_order(picture, number) {
            self.report.wrong = Some(number);
        }
        Ok(())
    }

    fn tick_nanoseconds(&self) -> f32 {
        // SAFETY: a physical device of this instance.
        let properties =
            unsafe { self.host.instance.get_physical_device_properties(self.host.physical) };
        properties.limits.timestamp_period
    }

    /// # Safety
    /// All submitted commands must have finished.
    unsafe fn destroy(self) -> Report {
        let device = &self.host.device;
        // SAFETY: by the caller's contract.
        unsafe {
            self.passes.destroy(self.host);
            device.destroy_query_pool(self.queries, None);
            device.destroy_command_pool(self.pool, None);
            self.host.free(&self.workspaces);
            for frame in &self.frames {
                device.destroy_fence(frame.fence, None);
                for buffer in [&frame.depths, &frame.order, &frame.picture] {
                    self.host.free(buffer);
                }
            }
        }
        self.report
    }
}

/// Whether a picture contains the particles of a frame from far to near, and particles of equal depth in their original
/// order.
fn in_order(picture: &[u32], frame: u32) -> bool {
    let mut expected: Vec<(u32, f32)> =
        (0..picture.len() as u32 / 2).map(|i| (i, depth(i, frame))).collect();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1));
    let expected = expected.iter().flat_map(|(i, depth)| [*i, depth.to_bits()]);
    picture.iter().copied().eq(expected)
}
