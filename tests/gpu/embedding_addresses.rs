//! Kernels that take buffers by address. The validation layer does not check their accesses, so
//! their results are compared with the reference for every method. Unsupported uses are rejected.

use anyhow::{Context as _, Result, ensure};
use multisplit::ash::vk;
use multisplit::graph::Graph;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::{Count, SortBuffers, copy, sort};
use multisplit::requirements::Features;
use multisplit::{Bound, BufferAt, Context, Error, ExecutableOptions, Sort};
use multisplit_tests::generate::uniform;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::{reference, tests};

use crate::embedding::quick;

tests!(embedding_addresses: sorts_by_address_match_the_cpu, unsupported_addresses_are_rejected);

const BY_ADDRESS: ExecutableOptions =
    ExecutableOptions { own_workspace: true, frames: 1, by_address: true };
/// Index of the count word.
const COUNT_INDEX: u64 = 70;

fn sorts_by_address_match_the_cpu(gpu: &Gpu) -> Result<()> {
    if !gpu.context.features().buffer_device_address {
        ensure!(!gpu.is_software(), "a software driver without bufferDeviceAddress");
        return Ok(());
    }
    // Sorts by rounds of splits are covered by the tests of primitives by address.
    let rounds = gpu.full.then_some((SortMethod::Multisplit { radix_bits: 8 }, 5000, false));
    let methods = [
        (SortMethod::Small, 400, false),
        (SortMethod::OneSweep, 9000, false),
        (SortMethod::OneSweep, 5000, true),
    ];
    for (method, n, on_device) in methods.into_iter().chain(rounds) {
        sorts(&gpu.context, method, n, on_device)
            .with_context(|| format!("{method:?}, n = {n}, on the device: {on_device}"))?;
    }
    Ok(())
}

fn sorts(context: &Context, method: SortMethod, n: usize, on_device: bool) -> Result<()> {
    let policy = quick(context.policy());
    let mut graph = Graph::new("sort");
    let max = n as u64;
    let keys = graph.import::<u32>("keys", max);
    let values = graph.import::<u64>("values", max);
    let state = graph.import::<u32>("state", COUNT_INDEX + 1);
    let device = Count::Device { buffer: state, index: COUNT_INDEX, max };
    let count = if on_device { device } else { max.into() };
    let buffers = SortBuffers::keys(keys).values(values).count(count);
    sort(&mut graph, &policy, &Sort::ascending().method(method), &buffers)?;
    let plan = graph.compile(&context.limits())?;
    let executable = context.instantiate_with(plan, BY_ADDRESS)?;
    let needs = executable.workspace_requirements()?.usage;
    ensure!(needs.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS), "{needs:?}");

    let input = uniform(n, 1);
    let numbers: Vec<u64> = (0..n as u64).map(|i| i << 32 | 7).collect();
    let device_keys = context.upload(&input)?;
    let device_values = context.upload(&numbers)?;
    let mut words = vec![0u32; COUNT_INDEX as usize];
    words.push(n as u32);
    let device_state = context.upload(&words)?;
    let bound: [Bound<'_>; 3] = [
        (keys, &device_keys).into(),
        (values, &device_values).into(),
        (state, &device_state).into(),
    ];
    context.run(&executable, &bound)?;
    let images: Vec<u64> = input.iter().map(|&k| k.into()).collect();
    let order = reference::sort(&images, 0..32, false);
    let expected: Vec<u32> = order.iter().map(|&i| input[i as usize]).collect();
    expect_equal(&context.download(&device_keys)?, &expected)?;
    let expected: Vec<u64> = order.iter().map(|&i| numbers[i as usize]).collect();
    expect_equal(&context.download(&device_values)?, &expected)
}

fn unsupported_addresses_are_rejected(gpu: &Gpu) -> Result<()> {
    let without = gpu.open_with(|config| {
        config.without = Features { buffer_device_address: true, ..Features::default() };
    })?;
    let plan = |context: &Context, by_kernel| -> Result<_> {
        let mut graph = Graph::new("copy");
        let (src, dst) = (graph.import::<u32>("src", 100), graph.import::<u32>("dst", 100));
        if by_kernel {
            copy(&mut graph, &context.policy(), "copy", src, dst)?;
        } else {
            graph.copy("copy", src, dst);
        }
        Ok((graph.compile(&context.limits())?, src, dst))
    };
    let refused = without.instantiate_with(plan(&without, true)?.0, BY_ADDRESS).err();
    let text = refused.map(|e: Error| e.to_string()).unwrap_or_default();
    ensure!(text.contains("needs bufferDeviceAddress"), "{text}");

    let context = &gpu.context;
    if !context.features().buffer_device_address {
        return Ok(());
    }
    for (by_kernel, address, expected) in [
        (false, 256, "an address was given, but a buffer is needed for `dst`"),
        (true, 8, "offset 8 of import `dst` is not a multiple of 16"),
    ] {
        let (plan, src, dst) = plan(context, by_kernel)?;
        let executable = context.instantiate_with(plan, BY_ADDRESS)?;
        let array = context.zeroed::<u32>(100)?;
        let imports = [(src, BufferAt::new(array.raw(), 0)), (dst, BufferAt::Address(address))];
        // SAFETY: the call is rejected before a command is recorded.
        let refused = unsafe { executable.record(vk::CommandBuffer::null(), &imports) };
        let text = refused.err().map(|e| e.to_string()).unwrap_or_default();
        ensure!(text.contains(expected), "{text}");
    }
    Ok(())
}
