//! Runs one case of a primitive inside an application's command buffer, with given options, and
//! compares the outputs and the guard words around them.

use std::sync::atomic::Ordering;

use multisplit::embed::BufferContract;
use multisplit::graph::Scope;
use multisplit::{Import, PassValue, TimestampQueries, Timing};
use multisplit_tests::counting::ALLOCATIONS;
use multisplit_tests::prelude::*;

use crate::embedding::{quick, with_silent_host};
use crate::example_frames::host::{Host, HostBuffer};

/// Element count.
pub const N: usize = 1000;
/// Capacity of counts that are set at recording time or on the device.
pub const MAX: u64 = 1500;
/// Name of a count that is set by the recording, and of the buffer of a device count.
const COUNT: &str = "count";
/// Index of the count in that buffer.
const COUNT_INDEX: u64 = 3;

/// The name of an import, and its initial words.
pub type Words = (&'static str, Vec<u32>);

/// Adds passes on the first `Count` elements of imports. Returns the imports.
pub type Declare = fn(&mut Work, Count) -> multisplit::Result<Vec<Buffer>>;

/// A case: the initial contents of its imports, and the expected contents after the run. Words that
/// are not listed must not change.
pub struct Case {
    pub name: &'static str,
    declare: Declare,
    inputs: Vec<Words>,
    expected: Vec<Words>,
}

impl Case {
    pub fn new(name: &'static str, declare: Declare, inputs: &[(&'static str, &[u32])]) -> Self {
        let inputs = inputs.iter().map(|(name, words)| (*name, words.to_vec())).collect();
        Self { name, declare, inputs, expected: Vec::new() }
    }

    pub fn expect(mut self, name: &'static str, words: Vec<u32>) -> Self {
        self.expected.push((name, words));
        self
    }
}

/// The time at which the element count is set, and the memory that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// At declaration time, on the host.
    Host,
    /// At recording time, on the host.
    Recording,
    /// In a word of device memory.
    Device,
}

/// Runs `body` on an adopted device. Fails if `body` leaks memory or causes a validation message.
pub fn checked(gpu: &Gpu, body: impl FnOnce(&mut Checks<'_>) -> Result<()>) -> Result<()> {
    with_silent_host(gpu, |host| {
        // SAFETY: the host outlives everything created from it.
        let context = unsafe { Context::adopt(host.adopted(PipelineCache::Off))? };
        let mut checks = Checks::new(host, &context)?;
        body(&mut checks)?;
        // SAFETY: all submissions have completed.
        unsafe {
            host.device.destroy_query_pool(checks.queries, None);
            host.device.destroy_command_pool(checks.pool, None);
        }
        ensure!(context.memory_report().allocations == 0, "workspaces are still allocated");
        Ok(())
    })
}

/// The device and command buffers for recordings.
pub struct Checks<'h> {
    host: &'h Host,
    pub context: &'h Context,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    /// Secondary command buffer, used if the executable has its own workspace.
    secondary: vk::CommandBuffer,
    queries: vk::QueryPool,
}

const QUERIES: u32 = 64;

impl<'h> Checks<'h> {
    fn new(host: &'h Host, context: &'h Context) -> Result<Self> {
        let device = &host.device;
        // SAFETY: plain Vulkan set-up with valid structures.
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

    /// Records and runs a case. `given` is the count that the recording sets or that device memory
    /// contains.
    pub fn run(
        &mut self,
        case: &Case,
        counted: Counted,
        given: Option<u32>,
        options: ExecutableOptions,
    ) -> Result<()> {
        let mut work = self.context.work(case.name);
        work.set_policy(quick(self.context.policy()));
        let mut imports = Vec::new();
        let count = match counted {
            Counted::Host => Count::Host(N as u64),
            Counted::Recording => work.count(COUNT, MAX),
            Counted::Device => {
                let buffer = work.import::<u32>(COUNT, COUNT_INDEX + 1).buffer();
                imports.push(buffer);
                Count::Device { buffer, index: COUNT_INDEX, max: MAX }
            }
        };
        imports.extend((case.declare)(&mut work, count)?);
        for &import in &imports {
            work.parts().0.exit(import, Scope::HOST_READ);
        }
        let plan = work.plan()?;
        let executable = match options.by_address {
            // SAFETY: the test functions read only their tables.
            true => unsafe { self.context.instantiate_foreign(plan.clone(), options)? },
            false => work.executable(options)?,
        };
        let needs = executable.workspace_requirements()?;
        ensure!(needs == self.context.workspace_requirements_with(&plan, options)?);
        ensure!(executable.contracts() == self.context.contracts(&plan, options));

        let mut count_words = vec![0; COUNT_INDEX as usize];
        count_words.extend(given);
        let count_bytes = given.unwrap_or_default().to_ne_bytes();
        let value = [PassValue { pass: COUNT, bytes: &count_bytes }];
        let set = counted == Counted::Recording && given.is_some();
        // SAFETY: buffers match the contracts, and are freed after all submissions have completed.
        unsafe {
            let mut buffers = Vec::new();
            for &import in &imports {
                let contract = executable.contract(import).context("the import has no contract")?;
                let input = case.inputs.iter().find(|(name, _)| *name == contract.name);
                let input = input.map_or(&[][..], |(_, words)| words);
                let input = if contract.name == COUNT { &count_words } else { input };
                buffers.push(Guarded::new(self.host, import, contract, input)?);
            }
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let size = needs.alignment + needs.size.max(16);
            let workspace =
                self.host.buffer(size, needs.usage, local).map_err(|e| anyhow!("{e}"))?;
            let at: Vec<Import> =
                buffers.iter().map(|b| (b.import, b.at(self.host, options.by_address))).collect();
            let recording = RecordOptions {
                workspace: (!options.own_workspace)
                    .then_some(BufferAt::new(workspace.raw, needs.alignment)),
                frame: Some(1),
                values: if set { &value } else { &[] },
                timing: self.timing(&executable)?,
            };
            self.submit(&executable, (&at, &recording), options.own_workspace)?;
            for buffer in &buffers {
                let name = &buffer.contract.name;
                let expected = case.expected.iter().find(|(expected, _)| expected == name);
                let expected = expected.map_or(&[][..], |(_, words)| words);
                buffer.check(expected).with_context(|| name.clone())?;
                self.host.free(&buffer.buffer);
            }
            self.host.free(&workspace);
        }
        let messages = self.host.take_messages();
        ensure!(messages.is_empty(), "{}", messages[0]);
        Ok(())
    }

    fn timing(&self, executable: &Executable) -> Result<Timing<'static>> {
        let count = executable.timestamp_count(true);
        ensure!(count <= QUERIES && count == executable.plan().steps().len() as u32 + 1);
        let queries =
            TimestampQueries { pool: self.queries, first: QUERIES - count, each_pass: true };
        Ok(Timing::Queries(queries))
    }

    fn submit(
        &self,
        executable: &Executable,
        (imports, recording): (&[Import], &RecordOptions<'_>),
        in_secondary: bool,
    ) -> Result<()> {
        let (device, commands) = (&self.host.device, self.commands);
        let recorded = if in_secondary { self.secondary } else { commands };
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: commands are recorded in a valid order, and have completed when this returns.
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_reset_query_pool(commands, self.queries, 0, QUERIES);
            if in_secondary {
                device.begin_command_buffer(recorded, &begin)?;
            }
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            executable.record_with(recorded, imports, recording)?;
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
            let count = executable.timestamp_count(true);
            let mut ticks = vec![0u64; count as usize];
            let flags = vk::QueryResultFlags::TYPE_64;
            device.get_query_pool_results(self.queries, QUERIES - count, &mut ticks, flags)?;
            ensure!(ticks.is_sorted(), "the timestamps do not ascend: {ticks:?}");
        }
        Ok(())
    }
}

/// A buffer of the application with guard words before and after its data.
struct Guarded {
    import: Buffer,
    contract: BufferContract,
    buffer: HostBuffer,
    offset: u64,
    words: Vec<u32>,
}

impl Guarded {
    fn new(host: &Host, import: Buffer, contract: BufferContract, input: &[u32]) -> Result<Self> {
        let offset = contract.alignment;
        let size = offset + contract.bytes + 256;
        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let mut words = vec![GUARD_WORD; size as usize / 4];
        words[offset as usize / 4..][..input.len()].copy_from_slice(input);
        // SAFETY: the buffer has as many words.
        let buffer = unsafe {
            let buffer = host.buffer(size, contract.usage, visible).map_err(|e| anyhow!("{e}"))?;
            buffer.mapped.copy_from_nonoverlapping(words.as_ptr(), words.len());
            buffer
        };
        Ok(Self { import, contract, buffer, offset, words })
    }

    fn at(&self, host: &Host, by_address: bool) -> BufferAt {
        if !by_address {
            return BufferAt::new(self.buffer.raw, self.offset);
        }
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.buffer.raw);
        // SAFETY: a live buffer with the required usage.
        let address = unsafe { host.device.get_buffer_device_address(&info) };
        BufferAt::Address(address + self.offset)
    }

    /// Checks that the buffer begins with these words and is otherwise unchanged.
    fn check(&self, expected: &[u32]) -> Result<()> {
        let mut all = self.words.clone();
        all[self.offset as usize / 4..][..expected.len()].copy_from_slice(expected);
        // SAFETY: all submissions have completed.
        expect_equal(unsafe { self.buffer.words(all.len()) }, &all)
    }
}
