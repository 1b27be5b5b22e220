//! Kernels that access buffers by device address. The validation layer does not check such
//! accesses, so the results of sorts are compared with the CPU reference. Unsupported uses are
//! rejected.

use multisplit::requirements::Features;
use multisplit_tests::prelude::*;

use crate::embedding::quick;

tests!(embedding_addresses: sorts_by_address_match_the_cpu, unsupported_addresses_are_rejected);

const BY_ADDRESS: ExecutableOptions =
    ExecutableOptions { own_workspace: true, frames: 1, by_address: true };

fn sorts_by_address_match_the_cpu(gpu: &Gpu) -> Result<()> {
    if !gpu.features().buffer_device_address {
        ensure!(
            !gpu.is_software(),
            "the software driver does not support bufferDeviceAddress, so nothing would be tested"
        );
        return Ok(());
    }
    // Sorts by rounds of splits run only in a full run: `embedding_primitives` runs splits by
    // address.
    let rounds = gpu.full.then_some((SortMethod::Multisplit { radix_bits: 8 }, 5000, false));
    let methods = [
        (SortMethod::Small, 400, false),
        (SortMethod::OneSweep, 9000, false),
        (SortMethod::OneSweep, 5000, true),
    ];
    for (method, n, on_device) in methods.into_iter().chain(rounds) {
        check_sort(gpu, method, n, on_device)
            .with_context(|| format!("{method:?}, n = {n}, device count: {on_device}"))?;
    }
    Ok(())
}

fn check_sort(context: &Context, method: SortMethod, n: usize, on_device: bool) -> Result<()> {
    let input = uniform(n, 1);
    let numbers: Vec<u64> = (0..n as u64).map(|i| i << 32 | 7).collect();
    let mut setup = Setup::new(context, "sort");
    let (keys, values) = (setup.input("keys", &input), setup.input("values", &numbers));
    let count = setup.count(on_device, n as u32, n);
    let buffers = SortBuffers::keys(keys).values(values).count(count);
    let how = Sort::ascending().method(method);
    sort(&mut setup.graph, &quick(context.policy()), &how, &buffers)?;
    let plan = setup.graph.compile(&context.limits())?;
    let executable = context.instantiate_with(plan, BY_ADDRESS)?;
    let needs = executable.workspace_requirements()?.usage;
    ensure!(
        needs.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS),
        "the workspace has no address usage: {needs:?}"
    );
    setup.run_on(&executable)?;
    let order = reference::sort(&input, 0..32, false);
    setup.expect(keys, &reference::pick(&input, &order))?;
    setup.expect(values, &reference::pick(&numbers, &order))
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
    let refused = without.instantiate_with(plan(&without, true)?.0, BY_ADDRESS);
    expect_message(refused, "needs bufferDeviceAddress")?;

    let context: &Context = gpu;
    if !context.features().buffer_device_address {
        return Ok(());
    }
    for (by_kernel, address, expected) in [
        (false, 256, "an address was given, but a buffer is required for import `dst`"),
        (true, 8, "8, the offset or address of `dst`, is not a multiple of 16"),
    ] {
        let (plan, src, dst) = plan(context, by_kernel)?;
        let executable = context.instantiate_with(plan, BY_ADDRESS)?;
        let array = context.zeroed::<u32>(100)?;
        let imports = [(src, BufferAt::new(array.raw(), 0)), (dst, BufferAt::Address(address))];
        // SAFETY: the call is rejected before a command is recorded.
        let refused = unsafe { executable.record(vk::CommandBuffer::null(), &imports) };
        expect_message(refused, expected)?;
    }
    Ok(())
}
