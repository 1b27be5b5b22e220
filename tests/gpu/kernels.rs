//! User GLSL as passes of a graph: compiled at run time, reflected, planned and run.

use std::sync::Arc;

use multisplit::PassTime;
use multisplit::graph::PassBuilder;
use multisplit::requirements::Features;
use multisplit::shaders::Kernel;
use multisplit::shaders::compile::Source;
use multisplit_tests::prelude::*;

tests!(kernels:
    output_of_a_user_kernel_is_scanned, indirect_dispatch_reads_its_groups_from_the_gpu,
    indirect_dispatches_clamped_to_other_limits_are_rejected,
    transfer_commands_and_kernels_are_ordered, constants_keep_their_values_across_runs,
    kernels_run_without_push_descriptors, kernels_run_without_subgroup_size_control,
    passes_are_timed_by_label, threads_replay_the_same_executable,
    threads_share_an_executable_and_its_workspace,
    concurrent_instantiation_compiles_each_pipeline_once,
);

const TRIPLE: &str = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Src { uint at[]; } src;
layout(set = 0, binding = 1) writeonly buffer Dst { uint at[]; } dst;
layout(push_constant) uniform Push { uint count; uint factor; } push;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < push.count) dst.at[i] = push.factor * src.at[i];
}";

multisplit::shaders::push_constants! {
    struct TriplePush {
        count: u32,
        factor: u32,
    }
}

/// A pass that multiplies `count` words by `factor`.
fn triple(
    graph: &mut Graph,
    [src, dst]: [Buffer; 2],
    count: u64,
    factor: u32,
) -> Result<PassBuilder<'_>> {
    let kernel = Kernel::from_glsl("user.triple", &Source::new("triple.comp", TRIPLE))?;
    let push = TriplePush { count: count as u32, factor };
    Ok(graph.pass("user.triple", kernel).bind("src", src).bind("dst", dst).push(&push))
}

/// Multiplies the import `src` by three and scans the result into `dst`.
fn tripled<'c>(context: &'c Context, input: &[u32]) -> Result<(Setup<'c>, [Buffer; 2])> {
    let n = input.len() as u64;
    let mut setup = Setup::new(context, "tripled");
    let (src, dst) = (setup.input("src", input), setup.output::<u32>("dst", input.len()));
    let tripled = setup.graph.transient::<u32>("tripled", n);
    triple(&mut setup.graph, [src, tripled], n, 3)?.dispatch(Groups::linear(n.div_ceil(64)));
    let buffers = ScanBuffers::new(tripled, dst);
    scan(&mut setup.graph, &context.policy(), &Scan::default(), &buffers)?;
    Ok((setup, [src, dst]))
}

fn expected(input: &[u32]) -> Vec<u32> {
    let tripled: Vec<u32> = input.iter().map(|x| x.wrapping_mul(3)).collect();
    reference::exclusive_scan(&tripled)
}

fn check_on(context: &Context) -> Result<()> {
    let input = uniform(50_000, 2);
    let (mut setup, [_, dst]) = tripled(context, &input)?;
    let executable = setup.executable()?;
    for _ in 0..3 {
        setup.run_on(&executable)?;
        setup.expect(dst, &expected(&input))?;
    }
    Ok(())
}

fn check_without(gpu: &Gpu, without: Features) -> Result<()> {
    let context = gpu.open_with(|config| config.without = without)?;
    ensure!(!(without.push_descriptor && context.features().push_descriptor));
    let result = check_on(&context);
    expect_no_messages(context)?;
    result
}

fn output_of_a_user_kernel_is_scanned(gpu: &Gpu) -> Result<()> {
    check_on(gpu)
}

fn indirect_dispatch_reads_its_groups_from_the_gpu(gpu: &Gpu) -> Result<()> {
    let arguments = "#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Groups { uint at[]; } groups;
layout(push_constant) uniform Push { uint count; } push;
void main() { groups.at[64] = (push.count + 63) / 64; groups.at[65] = 1; groups.at[66] = 1; }";
    let make = Kernel::from_glsl("user.arguments", &Source::new("args.comp", arguments))?;
    for n in [0u64, 1, 1000] {
        let input = uniform(1000, n);
        let declare = |bounded: bool| -> Result<_> {
            let mut setup = Setup::new(gpu, "indirect");
            let (src, dst) = (setup.input("src", &input), setup.output::<u32>("dst", 1000));
            let graph = &mut setup.graph;
            let made = graph.transient::<u32>("made", 67);
            graph
                .pass("user.arguments", &make)
                .bind("groups", made)
                .push_bytes(&(n as u32).to_ne_bytes())
                .dispatch(Groups::linear(1));
            // All devices support this offset.
            let mut groups = made.range(256, 12);
            if bounded {
                groups = bounded_groups(graph, &gpu.limits(), groups)?.into();
            }
            triple(graph, [src, dst], n, 3)?.dispatch_indirect(groups);
            let executable = gpu.instantiate(graph.compile(&gpu.limits())?);
            Ok((setup, dst, executable))
        };
        // Workgroup counts that a user's kernel writes have no upper bound.
        expect_errors! { declare(false)?.2 => UnboundedGroups { .. } }
        let (mut setup, dst, executable) = declare(true)?;
        setup.run_on(&executable?)?;
        let tripled = input[..n as usize].iter().map(|x| x.wrapping_mul(3));
        setup.expect(dst, &tripled.collect::<Vec<u32>>())?;
    }
    Ok(())
}

/// Workgroup counts of indirect dispatches must be clamped to limits of the device that runs them.
/// Clamping to larger limits is rejected.
fn indirect_dispatches_clamped_to_other_limits_are_rejected(gpu: &Gpu) -> Result<()> {
    let honest = gpu.limits();
    let forged = Limits { max_workgroup_count: [u32::MAX; 3], ..honest };
    for (limits, sound) in [(honest, true), (forged, false)] {
        let mut graph = Graph::new("groups");
        let [src, dst, words] = ["src", "dst", "words"].map(|name| graph.import::<u32>(name, 64));
        let groups = bounded_groups(&mut graph, &limits, words)?;
        triple(&mut graph, [src, dst], 64, 3)?.dispatch_indirect(groups);
        match gpu.instantiate(graph.compile(&honest)?) {
            Ok(_) => ensure!(sound, "the dispatch with forged limits was accepted"),
            Err(Error::UnboundedGroups { .. }) => {
                ensure!(!sound, "the dispatch with the limits of the device was rejected");
            }
            Err(other) => return Err(other.into()),
        }
    }
    // An indirect dispatch reads three words, but the buffer has two.
    let mut graph = Graph::new("short");
    let short = graph.import::<u32>("words", 2);
    expect_errors! {
        bounded_groups(&mut graph, &honest, short) => BufferTooSmall { needed: 12, .. },
    }
    // The policy belongs to a device with larger limits, so the scan with a device count clamps its
    // workgroups to those.
    let mut properties = gpu.properties().clone();
    properties.limits.max_compute_work_group_count = [u32::MAX; 3];
    let mut graph = Graph::new("policy");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 100_000));
    let count = graph.import::<u32>("count", 1);
    let count = Count::Device { buffer: count, index: 0, max: 100_000 };
    let buffers = ScanBuffers::new(src, dst).count(count);
    scan(&mut graph, &Policy::for_device(&properties), &Scan::default(), &buffers)?;
    expect_errors! { gpu.instantiate(graph.compile(&honest)?) => UnboundedGroups { .. } }
    Ok(())
}

/// Transfer commands run before and after a kernel, so that barriers connect different stages.
fn transfer_commands_and_kernels_are_ordered(gpu: &Gpu) -> Result<()> {
    let n = 4096;
    let mut setup = Setup::new(gpu, "transfers");
    let dst = setup.output::<u32>("dst", n as usize);
    let graph = &mut setup.graph;
    let (a, b) = (graph.transient::<u32>("a", n), graph.transient::<u32>("b", n));
    graph.fill("fill", a, 7);
    graph.update("update", a.elements::<u32>(0, 2), bytemuck::cast_slice(&[100u32, 200]));
    triple(graph, [a, b], n, 2)?.dispatch(Groups::linear(n.div_ceil(64)));
    graph.copy("copy", b, dst);
    setup.run()?;
    let mut expected = vec![14; n as usize];
    expected[..2].copy_from_slice(&[200, 400]);
    setup.expect(dst, &expected)
}

/// Each of three executables has two constant buffers, which a kernel, a copy and an indirect
/// dispatch read.
fn constants_keep_their_values_across_runs(gpu: &Gpu) -> Result<()> {
    let mut executables = Vec::new();
    for round in 0..3u32 {
        let words: Vec<u32> = (0..1000).map(|k| k * (round + 1)).collect();
        let mut setup = Setup::new(gpu, "constants");
        let [tripled, copied] = ["a", "b"].map(|name| setup.output::<u32>(name, 1000));
        let groups = setup.graph.constant("groups", &[16u32, 1, 1]);
        let table = setup.graph.constant("table", &words);
        triple(&mut setup.graph, [table, tripled], 1000, 3)?.dispatch_indirect(groups);
        setup.graph.copy("copy", table, copied);
        let plan = setup.graph.compile(&gpu.limits())?;
        let is_plain = plan.workspace().size == 0 && plan.barriers().next().is_none();
        ensure!(is_plain, "expected no workspace and no barriers: {plan:?}");
        // SAFETY: the kernel stays within its buffers and terminates.
        let executable = unsafe { gpu.instantiate_foreign(plan, Default::default())? };
        executables.push((executable, words, setup, [tripled, copied]));
    }
    for round in [2, 1, 0, 0, 1, 2] {
        let (executable, words, setup, [tripled, copied]) = &mut executables[round];
        setup.run_on(executable)?;
        let expected: Vec<u32> = words.iter().map(|word| 3 * word).collect();
        setup.expect(*tripled, &expected)?;
        setup.expect(*copied, words)?;
    }
    Ok(())
}

/// Without push descriptors, kernels use descriptor sets, which the executable allocates.
fn kernels_run_without_push_descriptors(gpu: &Gpu) -> Result<()> {
    check_without(gpu, Features { push_descriptor: true, ..Features::default() })
}

fn kernels_run_without_subgroup_size_control(gpu: &Gpu) -> Result<()> {
    check_without(gpu, Features { subgroup_size_control: true, ..Features::default() })
}

fn passes_are_timed_by_label(gpu: &Gpu) -> Result<()> {
    let input = uniform(100_000, 3);
    let (mut setup, [_, dst]) = tripled(gpu, &input)?;
    let executable = setup.executable()?;
    let times = gpu.time_passes(&executable, &setup.upload()?)?;
    let labels = |times: &[PassTime]| times.iter().map(|t| t.label.clone()).collect::<Vec<_>>();
    let planned: Vec<_> = executable.plan().steps().iter().map(|s| s.pass.label.clone()).collect();
    expect_equal(&labels(&times), &planned)?;
    let are_sane = times.iter().all(|t| t.nanoseconds >= 0.0 && t.nanoseconds < 60e9);
    ensure!(are_sane, "expected times from 0 to 60 s, found {times:?}");
    ensure!(times.iter().map(|t| t.nanoseconds).sum::<f64>() > 0.0, "no time was measured");
    setup.expect(dst, &expected(&input))
}

/// The threads share an executable and its workspace, and each has its own recording and arrays. A
/// thread may submit while runs of other threads are in flight.
fn threads_replay_the_same_executable(gpu: &Gpu) -> Result<()> {
    let n = 20_000u64;
    let (mut setup, [src, dst]) = tripled(gpu, &vec![0; n as usize])?;
    setup.graph.replayable();
    let executable = Arc::new(setup.executable()?);
    in_threads(3, |seed| {
        for round in 0..4 {
            let input = uniform(n as usize, seed * 100 + round);
            let source = gpu.upload(&input)?;
            let output = gpu.zeroed::<u32>(n)?;
            let bound = [(src, &source), (dst, &output)];
            let mut replay = gpu.replay(executable.clone(), &bound)?;
            replay.submit(2)?;
            expect_equal(&gpu.download(&output)?, &expected(&input))?;
        }
        Ok(())
    })
}

/// Calls that use the executable's own workspace are serialized.
fn threads_share_an_executable_and_its_workspace(gpu: &Gpu) -> Result<()> {
    let n = 20_000u64;
    let (setup, [src, dst]) = tripled(gpu, &vec![0; n as usize])?;
    let executable = setup.executable()?;
    in_threads(3, |seed| {
        for round in 0..4 {
            let input = uniform(n as usize, seed * 100 + round);
            let source = gpu.upload(&input)?;
            let output = gpu.zeroed::<u32>(n)?;
            gpu.run(&executable, &[(src, &source), (dst, &output)])?;
            expect_equal(&gpu.download(&output)?, &expected(&input))?;
        }
        Ok(())
    })
}

fn concurrent_instantiation_compiles_each_pipeline_once(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|_| {})?;
    let plan = tripled(&context, &vec![0; 100_000])?.0.graph.compile(&context.limits())?;
    in_threads(3, |_| {
        context.instantiate(plan.clone())?;
        Ok(())
    })?;
    let alone = gpu.open_with(|_| {})?;
    // Requesting the policy may run a probe, which creates additional pipelines.
    alone.policy();
    alone.instantiate(plan)?;
    let (several, one) = (context.pipeline_count(), alone.pipeline_count());
    ensure!(several == one, "several threads created {several} pipelines, one thread {one}");
    [context, alone].into_iter().try_for_each(expect_no_messages)
}
