//! The table of the contract in `docs/embedding.md`, held against every kind of operation; and what
//! recordings are refused for.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use multisplit::ash::vk;
use multisplit::embed::{
    Along, Elements, HistogramTask, OperationOptions, Recording, Role, RoleContract, ScanTask,
    SortTask, SplitOutputs, SplitTask, Task,
};
use multisplit::graph::{Access, Scope, Stages};
use multisplit::primitives::Policy;
use multisplit::primitives::histogram::{Histogram, SampleType, Weight};
use multisplit::primitives::multisplit::{Bucket, KeyType, Split, UserBucket};
use multisplit::primitives::sort::{Sort, SortMethod};
use multisplit::{BufferAt, Error};
use multisplit_tests::harness::Gpu;
use multisplit_tests::tests;

use crate::embedding::quick;

tests!(embedding_contract:
    the_table_is_right, workspaces_are_as_documented, errors_name_what_is_wrong,
);

const PAGE: &str = include_str!("../../docs/embedding.md");
const USER: &str = "uint bucket_of(uint key) { return table.at[key & 15u] & 7u; }";

/// A row of the table: call, role, and what is done with it first and last.
struct Row {
    call: &'static str,
    role: &'static str,
    uses: [Access; 2],
}

fn rows() -> Vec<Row> {
    let access = |text: &str| {
        let one = |word: &str| match word.trim() {
            "storage_read" => Access::SHADER_STORAGE_READ,
            "storage_write" => Access::SHADER_STORAGE_WRITE,
            other => panic!("`{other}` is no access of the table"),
        };
        text.split(',').map(one).fold(Access::empty(), Access::union)
    };
    let row = |line: &'static str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [call, role, first, last] = cells[..] else { return None };
        let is_row = ["sort", "split", "histogram", "scan"].contains(&call);
        is_row.then(|| Row { call, role, uses: [access(first), access(last)] })
    };
    PAGE.lines().filter(|line| line.starts_with('|')).filter_map(row).collect()
}

/// Every kind of task, with every role that there is.
fn tasks(n: Elements) -> Vec<(&'static str, Task)> {
    let mut tasks = Vec::new();
    for along in [Along::Nothing, Along::Values { bytes: 4 }, Along::Indices] {
        for double_buffered in [false, true] {
            for method in
                [SortMethod::Auto, SortMethod::OneSweep, SortMethod::Multisplit { radix_bits: 8 }]
            {
                let sort = Sort::new(KeyType::U32).by(method);
                let task = SortTask { along, double_buffered, ..SortTask::new(sort, n) };
                tasks.push(("sort", task.into()));
            }
        }
    }
    let pairs = SplitOutputs::Pairs { value_bytes: 4 };
    for outputs in [SplitOutputs::Keys, pairs, SplitOutputs::Permutation] {
        for (buckets, bucket, table_words) in [
            (8, Bucket::Delta { min: 0, width: 1 << 29 }, 0),
            (1000, Bucket::Delta { min: 0, width: 1 << 20 }, 0),
            (8, Bucket::Glsl(UserBucket::new(USER)), 16),
        ] {
            let split = Split::new(KeyType::U32, buckets, bucket);
            let task =
                SplitTask { outputs, outside: true, table_words, ..SplitTask::new(split, n) };
            tasks.push(("split", task.into()));
        }
    }
    let identity = Histogram::identity(SampleType::U32, 256);
    let user = Histogram::glsl(SampleType::U32, 8, UserBucket::new(USER));
    for histogram in
        [identity.clone(), identity.clone().accumulating(), identity.weighted(Weight::U32), user]
    {
        let table_words = if histogram.bins == 8 { 16 } else { 0 };
        let (dropped, cumulative) = (true, true);
        tasks.push((
            "histogram",
            HistogramTask { histogram, n, dropped, cumulative, table_words }.into(),
        ));
    }
    tasks.push(("scan", ScanTask { n }.into()));
    tasks
}

/// Policies of software drivers and of GPUs; few elements and many.
fn every_task(
    gpu: &Gpu,
    mut body: impl FnMut(&'static str, Elements, &Task, &OperationOptions) -> Result<()>,
) -> Result<()> {
    let own = gpu.context.policy();
    let (subgroup_size, max_groups) = (own.subgroup_size, own.max_groups);
    let other = Policy { subgroup_size, max_groups, ..Policy::default() };
    let most = 1 << 20;
    for policy in [own, other] {
        let options = OperationOptions { policy: Some(policy), ..OperationOptions::default() };
        for n in [
            Elements::Fixed(100),
            Elements::Fixed(most),
            Elements::Recorded { most },
            Elements::Device { most, index: 0 },
        ] {
            for (call, task) in tasks(n) {
                body(call, n, &task, &options).with_context(|| format!("{task:?}"))?;
            }
        }
    }
    Ok(())
}

fn the_table_is_right(gpu: &Gpu) -> Result<()> {
    let rows = rows();
    let mut seen = BTreeSet::new();
    every_task(gpu, |call, _, task, options| {
        for contract in gpu.context.contracts_of(task, options)? {
            let name = contract.role.name();
            let row = rows.iter().position(|row| (row.call, row.role) == (call, name));
            let row = row.with_context(|| format!("no row for `{name}` of {call}"))?;
            seen.insert(row);
            agrees(&rows[row], &contract)?;
        }
        Ok(())
    })?;
    let unseen: Vec<_> = rows
        .iter()
        .enumerate()
        .filter(|(row, _)| !seen.contains(row))
        .map(|(_, r)| r.role)
        .collect();
    ensure!(unseen.is_empty(), "rows without an operation: {unseen:?}");
    ensure!(!rows.is_empty(), "no table");
    Ok(())
}

fn agrees(row: &Row, contract: &RoleContract) -> Result<()> {
    ensure!(contract.usage == vk::BufferUsageFlags::STORAGE_BUFFER, "{contract:?}");
    for (documented, used) in row.uses.iter().zip([contract.first_use, contract.last_use]) {
        // Of two buffers, a sort by one workgroup uses one.
        let Some(used) = used else { continue };
        ensure!(used.stages == Stages::COMPUTE_SHADER, "{contract:?}");
        ensure!(documented.contains(used.access), "{contract:?}");
    }
    Ok(())
}

/// Usages that the page names, and no others.
fn workspaces_are_as_documented(gpu: &Gpu) -> Result<()> {
    use vk::BufferUsageFlags as Usage;
    every_task(gpu, |_, n, task, options| {
        let needs = gpu.context.workspace_of(task, options)?;
        let allowed = match n {
            Elements::Fixed(_) => Usage::STORAGE_BUFFER,
            _ => Usage::STORAGE_BUFFER | Usage::INDIRECT_BUFFER | Usage::TRANSFER_DST,
        };
        // Splitters and other tables are written by the recording too.
        ensure!((allowed | Usage::TRANSFER_DST).contains(needs.usage), "{needs:?}");
        ensure!(needs.memory_type_bits != 0 && needs.alignment >= 16, "{needs:?}");
        Ok(())
    })
}

fn errors_name_what_is_wrong(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let task = |n| Task::from(ScanTask { n });
    let options = OperationOptions { policy: Some(quick(context.policy())), ..Default::default() };
    let operation = context.operation(&task(Elements::Recorded { most: 100 }), &options)?;
    let (src, dst) = (context.buffer::<u32>("src", 100)?, context.buffer::<u32>("dst", 100)?);
    let (src, dst) = (BufferAt::new(src.raw(), 0), BufferAt::new(dst.raw(), 0));
    let both = [(Role::Input, src), (Role::Output, dst)];
    let good = Recording { buffers: &both, count: Some(5), ..Default::default() };
    let refused = |recording: Recording<'_>| {
        // SAFETY: it is refused before a command is recorded.
        let result = unsafe { operation.record(vk::CommandBuffer::null(), &recording) };
        result.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let three = [both[0], both[1], both[0]];
    let misplaced = [(Role::Input, src), (Role::Keys, dst)];
    let odd = [both[0], (Role::Output, BufferAt::new(vk::Buffer::null(), 4))];
    let address = [both[0], (Role::Output, BufferAt::Address(256))];
    for (recording, expected) in [
        (Recording { buffers: &both[..1], ..good }, "no buffer was given for `output`"),
        (Recording { buffers: &three, ..good }, "two buffers are given for `input`"),
        (Recording { buffers: &misplaced, ..good }, "it has no `keys`"),
        (Recording { buffers: &odd, ..good }, "is not a multiple of"),
        (Recording { buffers: &address, ..good }, "no address can be given for `output`"),
        (Recording { count: None, ..good }, "does not say the `count`"),
        (Recording { count: Some(101), ..good }, "number of elements of 101"),
        (Recording { frame: 2, ..good }, "slot of 2 is past the limit of 1"),
    ] {
        let text = refused(recording);
        ensure!(text.contains(expected), "`{text}` instead of `{expected}`");
    }
    let unknown = options.entry(Role::Keys, Scope::TRANSFER_WRITE);
    let refused = context.operation(&task(10.into()), &unknown).err();
    ensure!(matches!(refused, Some(Error::ImportBinding { name, .. }) if name == "keys"));
    Ok(())
}
