//! Every kind of operation, recorded into an engine's command buffer: numbers of elements that the
//! host, the recording or the device knows, scratch memory of either side, and nothing written
//! outside of what the contract names.

use anyhow::{Context as _, Result, anyhow, ensure};
use multisplit::ash::vk;
use multisplit::embed::{
    Along, Elements, HistogramTask, Operation, OperationOptions, Recording, Role, ScanTask,
    SortTask, SplitOutputs, SplitTask, Task,
};
use multisplit::graph::Scope;
use multisplit::primitives::histogram::{Histogram, SampleType};
use multisplit::primitives::multisplit::{Bucket, KeyType, Split, UserBucket};
use multisplit::primitives::sort::Sort;
use multisplit::{BufferAt, Context, PipelineCache, TimestampQueries, Timing, WorkspaceBinding};
use multisplit_tests::counting::ALLOCATIONS;
use multisplit_tests::generate::uniform;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};
use std::sync::atomic::Ordering;

use crate::embedding::{host, quick};
use crate::example_frames::host::{Host, HostBuffer};

tests!(embedding_operations: every_kind);

/// Elements that there are, and that there could be.
const N: usize = 1000;
const MOST: u64 = 1500;
const GUARD: u32 = 0xDEAD_BEEF;
/// Which word says how many there are.
const COUNT_INDEX: u64 = 3;
const BUCKETS: u32 = 8;

/// Words of a role's buffer, from its first on.
type Words = (Role, Vec<u32>);

/// What goes in, and what must be there afterwards; words not named stay as they were.
struct Case {
    name: &'static str,
    task: Task,
    inputs: Vec<Words>,
    expected: Vec<Words>,
}

impl Case {
    fn new(name: &'static str, task: impl Into<Task>, inputs: &[(Role, &[u32])]) -> Self {
        let inputs = inputs.iter().map(|(role, words)| (*role, words.to_vec())).collect();
        Self { name, task: task.into(), inputs, expected: Vec::new() }
    }

    fn expect(mut self, role: Role, words: Vec<u32>) -> Self {
        self.expected.push((role, words));
        self
    }
}

/// The three ways to say how many there are.
fn ways() -> [Elements; 3] {
    [
        Elements::Fixed(N as u64),
        Elements::Recorded { most: MOST },
        Elements::Device { most: MOST, index: COUNT_INDEX },
    ]
}

fn permuted(words: &[u32], order: &[u32]) -> Vec<u32> {
    order.iter().map(|&i| words[i as usize]).collect()
}

fn sorts(n: Elements) -> Vec<Case> {
    let (keys, values) = (uniform(N, 1), uniform(N, 2));
    let images: Vec<u64> = keys.iter().map(|&k| k.into()).collect();
    let order = reference::sort(&images, 0..32, false);
    let falling = reference::sort(&images, 0..32, true);
    let sort = |along| SortTask { along, ..SortTask::new(Sort::new(KeyType::U32), n) };
    let mut descending = sort(Along::Indices);
    descending.sort = descending.sort.descending();
    vec![
        Case::new(
            "pairs",
            sort(Along::Values { bytes: 4 }),
            &[(Role::Keys, &keys), (Role::Values, &values)],
        )
        .expect(Role::Keys, permuted(&keys, &order))
        .expect(Role::Values, permuted(&values, &order)),
        Case::new("indices", descending, &[(Role::Keys, &keys)])
            .expect(Role::Keys, permuted(&keys, &falling))
            .expect(Role::Indices, falling),
    ]
}

fn splits(n: Elements) -> Vec<Case> {
    let (keys, values, table) = (uniform(N, 3), uniform(N, 4), uniform(16, 5));
    let by = |bucket| Split::new(KeyType::U32, BUCKETS, bucket);
    let digit = by(Bucket::Digit { shift: 5, bits: 3 });
    let (order, offsets) = reference::split(N, BUCKETS, |i| keys[i] >> 5 & 7);
    let user = UserBucket::new("uint bucket_of(uint key) { return table.at[key & 15u] & 7u; }");
    let (user_order, user_offsets) =
        reference::split(N, BUCKETS, |i| table[keys[i] as usize & 15] & 7);
    let mut places = vec![0; N];
    user_order.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
    vec![
        Case::new(
            "split pairs",
            SplitTask {
                outputs: SplitOutputs::Pairs { value_bytes: 4 },
                outside: true,
                ..SplitTask::new(digit, n)
            },
            &[(Role::Keys, &keys), (Role::Values, &values), (Role::Outside, &[0])],
        )
        .expect(Role::KeysOut, permuted(&keys, &order))
        .expect(Role::ValuesOut, permuted(&values, &order))
        .expect(Role::Offsets, offsets)
        .expect(Role::Outside, vec![0]),
        Case::new(
            "split by a user's function",
            SplitTask {
                outputs: SplitOutputs::Permutation,
                table_words: 16,
                ..SplitTask::new(by(Bucket::Glsl(user)), n)
            },
            &[(Role::Keys, &keys), (Role::Table, &table)],
        )
        .expect(Role::Permutation, places)
        .expect(Role::Offsets, user_offsets),
    ]
}

fn others(n: Elements) -> Vec<Case> {
    let samples: Vec<u32> = uniform(N, 6).iter().map(|x| x % 20).collect();
    let mut counts = vec![0; 16];
    let mut dropped = 0;
    for &sample in &samples {
        counts.get_mut(sample as usize).map_or_else(|| dropped += 1, |count| *count += 1);
    }
    let histogram = HistogramTask {
        dropped: true,
        cumulative: true,
        ..HistogramTask::new(Histogram::identity(SampleType::U32, 16), n)
    };
    let numbers = uniform(N, 7);
    vec![
        Case::new("histogram", histogram, &[(Role::Samples, &samples)])
            .expect(Role::Cumulative, reference::exclusive_scan(&counts))
            .expect(Role::Counts, counts)
            .expect(Role::Dropped, vec![dropped]),
        Case::new("scan", ScanTask { n }, &[(Role::Input, &numbers)])
            .expect(Role::Output, reference::exclusive_scan(&numbers)),
    ]
}

fn every_kind(gpu: &Gpu) -> Result<()> {
    // SAFETY: the host outlives everything made from it.
    unsafe {
        let host = host(gpu)?;
        let context = Context::adopt(host.adopted(PipelineCache::Off))?;
        let mut checks = Checks::new(&host, &context)?;
        for (way, n) in ways().into_iter().enumerate() {
            for (k, case) in [sorts(n), splits(n), others(n)].into_iter().flatten().enumerate() {
                for by_address in [false, true] {
                    if by_address && !context.features().buffer_device_address {
                        continue;
                    }
                    let options = OperationOptions {
                        own_workspace: (way + k).is_multiple_of(2),
                        by_address,
                        ..Default::default()
                    };
                    let what = || format!("{} {n:?}, by address: {by_address}", case.name);
                    checks.run(&case, n, options).with_context(what)?;
                }
            }
        }
        checks.destroy();
        ensure!(context.memory_report().allocations == 0, "scratch memory was left");
        drop(context);
        let said = host.destroy();
        ensure!(said.is_empty(), "{}", said[0]);
    }
    Ok(())
}

/// What recordings are made and run with.
struct Checks<'h> {
    host: &'h Host,
    context: &'h Context,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    /// In which every second operation is recorded.
    secondary: vk::CommandBuffer,
    queries: vk::QueryPool,
}

const QUERIES: u32 = 64;

impl<'h> Checks<'h> {
    unsafe fn new(host: &'h Host, context: &'h Context) -> Result<Self> {
        let device = &host.device;
        // SAFETY: plain Vulkan set-up with valid structures throughout.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default()
                .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
                .queue_family_index(host.family);
            let pool = device.create_command_pool(&info, None)?;
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            let info = info.level(vk::CommandBufferLevel::SECONDARY);
            let secondary = device.allocate_command_buffers(&info)?[0];
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TIMESTAMP)
                .query_count(QUERIES);
            let queries = device.create_query_pool(&info, None)?;
            Ok(Self { host, context, pool, commands, secondary, queries })
        }
    }

    unsafe fn destroy(self) {
        // SAFETY: everything has run.
        unsafe {
            self.host.device.destroy_query_pool(self.queries, None);
            self.host.device.destroy_command_pool(self.pool, None);
        }
    }

    unsafe fn run(
        &mut self,
        case: &Case,
        n: Elements,
        mut options: OperationOptions,
    ) -> Result<()> {
        options.policy = Some(quick(self.context.policy()));
        for (role, _) in &case.expected {
            options = options.exit(*role, Scope::HOST_READ);
        }
        let operation = self.context.operation(&case.task, &options)?;
        let needs = operation.workspace_requirements()?;
        ensure!(needs == self.context.workspace_of(&case.task, &options)?);
        let mut count_words = vec![0; COUNT_INDEX as usize];
        count_words.push(N as u32);
        // SAFETY: buffers are as the contracts say; everything has run before they go.
        unsafe {
            let mut buffers = Vec::new();
            for contract in operation.contracts() {
                let input = case.inputs.iter().find(|(role, _)| *role == contract.role);
                let input = input.map_or(&[][..], |(_, words)| words);
                let input = if contract.role == Role::Count { &count_words } else { input };
                buffers.push(Guarded::new(self.host, &operation, contract.role, input)?);
            }
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let scratch_size = needs.alignment + needs.size.max(16);
            let scratch =
                self.host.buffer(scratch_size, needs.usage, local).map_err(|e| anyhow!("{e}"))?;
            let given = WorkspaceBinding { buffer: scratch.raw, offset: needs.alignment };
            let at = |b: &Guarded| (b.role, b.at(self.host, options.by_address));
            let at: Vec<_> = buffers.iter().map(at).collect();
            let recording = Recording {
                buffers: &at,
                frame: 1,
                workspace: (!options.own_workspace).then_some(given),
                count: matches!(n, Elements::Recorded { .. }).then_some(N as u64),
                timing: self.timing(&operation)?,
            };
            self.submit(&operation, &recording, options.own_workspace)?;
            for buffer in &buffers {
                let expected = case.expected.iter().find(|(role, _)| *role == buffer.role);
                let expected = expected.map_or(&[][..], |(_, words)| words);
                buffer.check(expected).with_context(|| format!("{:?}", buffer.role))?;
                self.host.free(&buffer.buffer);
            }
            self.host.free(&scratch);
        }
        let said = self.host.take_messages();
        ensure!(said.is_empty(), "{}", said[0]);
        Ok(())
    }

    fn timing(&self, operation: &Operation) -> Result<Timing<'static>> {
        let count = operation.timestamp_count(true);
        ensure!(count <= QUERIES && count == operation.plan().steps().len() as u32 + 1);
        let queries =
            TimestampQueries { pool: self.queries, first: QUERIES - count, each_pass: true };
        Ok(Timing::Queries(queries))
    }

    unsafe fn submit(
        &self,
        operation: &Operation,
        recording: &Recording<'_>,
        in_secondary: bool,
    ) -> Result<()> {
        let (device, commands) = (&self.host.device, self.commands);
        let recorded = if in_secondary { self.secondary } else { commands };
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: recording is in order, and everything has run when this returns.
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_reset_query_pool(commands, self.queries, 0, QUERIES);
            if in_secondary {
                device.begin_command_buffer(recorded, &begin)?;
            }
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            operation.record(recorded, recording)?;
            let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
            ensure!(allocated == 0, "recording allocated {allocated} times");
            if in_secondary {
                device.end_command_buffer(recorded)?;
                device.cmd_execute_commands(commands, &[recorded]);
            }
            device.end_command_buffer(commands)?;
            let submitted = [commands];
            let info = vk::SubmitInfo::default().command_buffers(&submitted);
            device.queue_submit(self.host.queue, &[info], vk::Fence::null())?;
            device.queue_wait_idle(self.host.queue)?;
            let count = operation.timestamp_count(true);
            let mut ticks = vec![0u64; count as usize];
            let flags = vk::QueryResultFlags::TYPE_64;
            device.get_query_pool_results(self.queries, QUERIES - count, &mut ticks, flags)?;
            ensure!(ticks.is_sorted(), "{ticks:?}");
        }
        Ok(())
    }
}

/// A buffer of the engine's with guard words before and after.
struct Guarded {
    role: Role,
    buffer: HostBuffer,
    offset: u64,
    words: Vec<u32>,
}

impl Guarded {
    unsafe fn new(host: &Host, operation: &Operation, role: Role, input: &[u32]) -> Result<Self> {
        let contract = operation.contract(role).context("a contract")?;
        let offset = contract.alignment;
        let size = offset + contract.bytes + 256;
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let mut words = vec![GUARD; size as usize / 4];
        words[offset as usize / 4..][..input.len()].copy_from_slice(input);
        // SAFETY: as many words as the buffer has.
        let buffer = unsafe {
            let buffer = host.buffer(size, contract.usage, visible).map_err(|e| anyhow!("{e}"))?;
            buffer.mapped.copy_from_nonoverlapping(words.as_ptr(), words.len());
            buffer
        };
        Ok(Self { role, buffer, offset, words })
    }

    fn at(&self, host: &Host, by_address: bool) -> BufferAt {
        if !by_address {
            return BufferAt::new(self.buffer.raw, self.offset);
        }
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.buffer.raw);
        // SAFETY: a live buffer with the usage for it.
        let address = unsafe { host.device.get_buffer_device_address(&info) };
        BufferAt::Address(address + self.offset)
    }

    /// These words from the beginning on, and everything else as it was.
    unsafe fn check(&self, expected: &[u32]) -> Result<()> {
        let mut all = self.words.clone();
        all[self.offset as usize / 4..][..expected.len()].copy_from_slice(expected);
        // SAFETY: everything has run.
        expect_equal(unsafe { self.buffer.words(all.len()) }, &all)
    }
}
