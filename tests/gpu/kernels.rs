//! User GLSL in a graph: compiled at run time, reflected, planned and run.

use std::sync::Arc;

use anyhow::{Result, ensure};
use multisplit::Policy;
use multisplit::graph::{Graph, Groups, Limits};
use multisplit::operations::{Count, ScanBuffers, bounded_groups, scan};
use multisplit::requirements::Features;
use multisplit::shaders::Kernel;
use multisplit::shaders::compile::Source;
use multisplit::{Error, PassTime, Scan};
use multisplit_tests::generate::uniform;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

tests!(kernels:
    user_kernel_runs_between_primitives, indirect_dispatch_reads_its_groups_from_the_gpu,
    groups_bounded_by_other_limits_are_rejected, transfers_mix_with_kernels,
    constants_keep_their_values_across_runs, kernels_run_without_push_descriptors,
    kernels_run_without_subgroup_size_control, passes_are_timed_by_label,
    threads_replay_the_same_executable, threads_share_an_executable_and_its_workspace,
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

/// Multiplies `src` by three and scans the result.
struct Tripled {
    graph: Graph,
    src: multisplit::graph::Buffer,
    dst: multisplit::graph::Buffer,
}

fn tripled(policy: &Policy, n: u64) -> Result<Tripled> {
    let kernel = Kernel::from_glsl("user.triple", &Source::new("triple.comp", TRIPLE))?;
    let mut graph = Graph::new("tripled");
    let src = graph.import::<u32>("src", n);
    let dst = graph.import::<u32>("dst", n);
    let tripled = graph.transient::<u32>("tripled", n);
    graph
        .pass("user.triple", kernel)
        .bind("src", src)
        .bind("dst", tripled)
        .push(&TriplePush { count: n as u32, factor: 3 })
        .dispatch(Groups::linear(n.div_ceil(64)));
    scan(&mut graph, policy, &Scan::default(), &ScanBuffers::new(tripled, dst))?;
    Ok(Tripled { graph, src, dst })
}

fn expected(input: &[u32]) -> Vec<u32> {
    let tripled: Vec<u32> = input.iter().map(|x| x.wrapping_mul(3)).collect();
    multisplit_tests::reference::exclusive_scan(&tripled)
}

fn check_on(context: &multisplit::Context) -> Result<()> {
    let input = uniform(50_000, 2);
    let Tripled { graph, src, dst } = tripled(&context.policy(), input.len() as u64)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let source = context.upload(&input)?;
    let output = context.zeroed::<u32>(input.len() as u64)?;
    for _ in 0..3 {
        context.run(&executable, &[(src, &source), (dst, &output)])?;
        expect_equal(&context.download(&output)?, &expected(&input))?;
    }
    Ok(())
}

fn user_kernel_runs_between_primitives(gpu: &Gpu) -> Result<()> {
    check_on(&gpu.context)
}

fn indirect_dispatch_reads_its_groups_from_the_gpu(gpu: &Gpu) -> Result<()> {
    let arguments = "#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Groups { uint at[]; } groups;
layout(push_constant) uniform Push { uint count; } push;
void main() { groups.at[4] = (push.count + 63) / 64; groups.at[5] = 1; groups.at[6] = 1; }";
    let context = &gpu.context;
    let make = Kernel::from_glsl("user.arguments", &Source::new("args.comp", arguments))?;
    let triple = Kernel::from_glsl("user.triple", &Source::new("triple.comp", TRIPLE))?;
    for n in [0u64, 1, 1000] {
        let declare = |bounded: bool| -> Result<_> {
            let mut graph = Graph::new("indirect");
            let src = graph.import::<u32>("src", 1000);
            let dst = graph.import::<u32>("dst", 1000);
            let made = graph.transient::<u32>("made", 8);
            graph
                .pass("user.arguments", &make)
                .bind("groups", made)
                .push_bytes(&(n as u32).to_ne_bytes())
                .dispatch(Groups::linear(1));
            let mut groups = made.range(16, 12);
            if bounded {
                groups = bounded_groups(&mut graph, &context.limits(), groups)?.into();
            }
            graph
                .pass("user.triple", &triple)
                .bind("src", src)
                .bind("dst", dst)
                .push(&TriplePush { count: n as u32, factor: 3 })
                .dispatch_indirect(groups);
            Ok((context.instantiate(graph.compile(&context.limits())?), src, dst))
        };
        // The words that a user's kernel writes are not bounded.
        let refused = declare(false)?.0.err();
        ensure!(matches!(refused, Some(Error::UnboundedGroups { .. })), "{refused:?}");
        let (executable, src, dst) = declare(true)?;
        let executable = executable?;
        let input = uniform(1000, n);
        let (source, output) = (context.upload(&input)?, context.upload(&[5u32; 1000])?);
        context.run(&executable, &[(src, &source), (dst, &output)])?;
        let triple = |(i, x): (usize, &u32)| if (i as u64) < n { x.wrapping_mul(3) } else { 5 };
        let expected: Vec<u32> = input.iter().enumerate().map(triple).collect();
        expect_equal(&context.download(&output)?, &expected)?;
    }
    Ok(())
}

/// Indirect workgroup counts must be bounded by the limits of the device that runs them, not by the
/// limits they were declared with.
fn groups_bounded_by_other_limits_are_rejected(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let triple = Kernel::from_glsl("user.triple", &Source::new("triple.comp", TRIPLE))?;
    let honest = context.limits();
    let forged = Limits { max_workgroup_count: [u32::MAX; 3], ..honest };
    for (limits, sound) in [(honest, true), (forged, false)] {
        let mut graph = Graph::new("groups");
        let [src, dst, words] = ["src", "dst", "words"].map(|name| graph.import::<u32>(name, 64));
        let groups = bounded_groups(&mut graph, &limits, words)?;
        graph
            .pass("user.triple", &triple)
            .bind("src", src)
            .bind("dst", dst)
            .push(&TriplePush { count: 64, factor: 3 })
            .dispatch_indirect(groups);
        match context.instantiate(graph.compile(&honest)?) {
            Ok(_) => ensure!(sound, "forged limits are taken"),
            Err(Error::UnboundedGroups { .. }) => ensure!(!sound),
            Err(other) => return Err(other.into()),
        }
    }
    // Three words are read.
    let mut graph = Graph::new("short");
    let short = graph.import::<u32>("words", 2);
    let refused = bounded_groups(&mut graph, &honest, short);
    ensure!(matches!(refused, Err(Error::BufferTooSmall { needed: 12, .. })), "{refused:?}");
    // A policy of a device with larger limits, for a device count.
    let mut properties = context.properties().clone();
    properties.limits.max_compute_work_group_count = [u32::MAX; 3];
    let mut graph = Graph::new("policy");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 100_000));
    let count = graph.import::<u32>("count", 1);
    let count = Count::Device { buffer: count, index: 0, max: 100_000 };
    let buffers = ScanBuffers::new(src, dst).count(count);
    scan(&mut graph, &Policy::for_device(&properties), &Scan::default(), &buffers)?;
    let refused = context.instantiate(graph.compile(&honest)?).err();
    ensure!(matches!(refused, Some(Error::UnboundedGroups { .. })), "{refused:?}");
    Ok(())
}

/// Fill, update and copy commands between kernels, so that barriers connect different stages.
fn transfers_mix_with_kernels(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let n = 4096u64;
    let triple = Kernel::from_glsl("user.triple", &Source::new("triple.comp", TRIPLE))?;
    let mut graph = Graph::new("transfers");
    let dst = graph.import::<u32>("dst", n);
    let (a, b) = (graph.transient::<u32>("a", n), graph.transient::<u32>("b", n));
    graph.fill("fill", a, 7);
    graph.update("update", a.elements::<u32>(0, 2), bytemuck::cast_slice(&[100u32, 200]));
    graph
        .pass("user.triple", &triple)
        .bind("src", a)
        .bind("dst", b)
        .push(&TriplePush { count: n as u32, factor: 2 })
        .dispatch(Groups::linear(n.div_ceil(64)));
    graph.copy("copy", b, dst);
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let output = context.zeroed::<u32>(n)?;
    context.run(&executable, &[(dst, &output)])?;
    let mut expected = vec![14; n as usize];
    expected[..2].copy_from_slice(&[200, 400]);
    expect_equal(&context.download(&output)?, &expected)
}

/// Two constants that are read by kernels, copies and indirect dispatches, in several executables.
fn constants_keep_their_values_across_runs(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let triple = Kernel::from_glsl("user.triple", &Source::new("triple.comp", TRIPLE))?;
    let mut executables = Vec::new();
    for round in 0..3u32 {
        let words: Vec<u32> = (0..1000).map(|k| k * (round + 1)).collect();
        let mut graph = Graph::new("constants");
        let (tripled, copied) = (graph.import::<u32>("a", 1000), graph.import::<u32>("b", 1000));
        let groups = graph.constant("groups", &[16u32, 1, 1]);
        let table = graph.constant("table", &words);
        graph
            .pass("user.triple", &triple)
            .bind("src", table)
            .bind("dst", tripled)
            .push(&TriplePush { count: 1000, factor: 3 })
            .dispatch_indirect(groups);
        graph.copy("copy", table, copied);
        let plan = graph.compile(&context.limits())?;
        ensure!(plan.workspace().size == 0 && plan.barriers().next().is_none(), "{plan:?}");
        // SAFETY: the kernel stays within its buffers and terminates.
        let executable = unsafe { context.instantiate_foreign(plan, Default::default())? };
        executables.push((executable, words, tripled, copied));
    }
    let outputs = [context.zeroed::<u32>(1000)?, context.zeroed::<u32>(1000)?];
    for (executable, words, tripled, copied) in executables.iter().rev().chain(&executables) {
        context.run(executable, &[(*tripled, &outputs[0]), (*copied, &outputs[1])])?;
        let expected: Vec<u32> = words.iter().map(|word| 3 * word).collect();
        expect_equal(&context.download(&outputs[0])?, &expected)?;
        expect_equal(&context.download(&outputs[1])?, words)?;
    }
    Ok(())
}

/// Devices without push descriptors bind descriptor sets that were written in advance.
fn kernels_run_without_push_descriptors(gpu: &Gpu) -> Result<()> {
    let without = Features { push_descriptor: true, ..Features::default() };
    let context = gpu.open_with(|config| config.without = without)?;
    ensure!(!context.features().push_descriptor);
    let result = check_on(&context);
    let messages = context.messages();
    drop(context);
    ensure!(messages.take().is_empty(), "validation messages");
    result
}

fn kernels_run_without_subgroup_size_control(gpu: &Gpu) -> Result<()> {
    let without = Features { subgroup_size_control: true, ..Features::default() };
    let context = gpu.open_with(|config| config.without = without)?;
    let result = check_on(&context);
    let messages = context.messages();
    drop(context);
    ensure!(messages.take().is_empty(), "validation messages");
    result
}

fn passes_are_timed_by_label(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let input = uniform(100_000, 3);
    let Tripled { graph, src, dst } = tripled(&context.policy(), input.len() as u64)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    let source = context.upload(&input)?;
    let output = context.zeroed::<u32>(input.len() as u64)?;
    let times = context.time_passes(&executable, &[(src, &source), (dst, &output)])?;
    let labels = |times: &[PassTime]| times.iter().map(|t| t.label.clone()).collect::<Vec<_>>();
    let planned: Vec<_> = executable.plan().steps().iter().map(|s| s.pass.label.clone()).collect();
    expect_equal(&labels(&times), &planned)?;
    ensure!(times.iter().all(|t| t.nanoseconds >= 0.0 && t.nanoseconds < 60e9), "{times:?}");
    ensure!(times.iter().map(|t| t.nanoseconds).sum::<f64>() > 0.0, "no time passed");
    expect_equal(&context.download(&output)?, &expected(&input))
}

/// Each thread has its own recording and arrays; the executable and its workspace are shared. Runs
/// of one thread are still in flight when another thread submits.
fn threads_replay_the_same_executable(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let n = 20_000u64;
    let Tripled { mut graph, src, dst } = tripled(&context.policy(), n)?;
    graph.replayable();
    let executable = Arc::new(context.instantiate(graph.compile(&context.limits())?)?);
    in_threads(|seed| {
        for round in 0..4 {
            let input = uniform(n as usize, seed * 100 + round);
            let source = context.upload(&input)?;
            let output = context.zeroed::<u32>(n)?;
            let bound = [(src, &source), (dst, &output)];
            let mut replay = context.replay(executable.clone(), &bound)?;
            replay.submit(2)?;
            expect_equal(&context.download(&output)?, &expected(&input))?;
        }
        Ok(())
    })
}

/// Calls that use the executable's own workspace are serialized.
fn threads_share_an_executable_and_its_workspace(gpu: &Gpu) -> Result<()> {
    let context = &gpu.context;
    let n = 20_000u64;
    let Tripled { graph, src, dst } = tripled(&context.policy(), n)?;
    let executable = context.instantiate(graph.compile(&context.limits())?)?;
    in_threads(|seed| {
        for round in 0..4 {
            let input = uniform(n as usize, seed * 100 + round);
            let source = context.upload(&input)?;
            let output = context.zeroed::<u32>(n)?;
            context.run(&executable, &[(src, &source), (dst, &output)])?;
            expect_equal(&context.download(&output)?, &expected(&input))?;
        }
        Ok(())
    })
}

/// Several threads need the same pipelines at the same time; each pipeline exists once afterwards.
fn concurrent_instantiation_compiles_each_pipeline_once(gpu: &Gpu) -> Result<()> {
    let context = gpu.open_with(|_| {})?;
    let plan = tripled(&context.policy(), 100_000)?.graph.compile(&context.limits())?;
    in_threads(|_| {
        context.instantiate(plan.clone())?;
        Ok(())
    })?;
    let alone = gpu.open_with(|_| {})?;
    // When its policy is requested, a context may probe the device with additional pipelines.
    alone.policy();
    alone.instantiate(plan)?;
    let (several, one) = (context.pipeline_count(), alone.pipeline_count());
    ensure!(several == one, "{several} pipelines, where one thread has {one}");
    for context in [context, alone] {
        let messages = context.messages();
        drop(context);
        ensure!(messages.take().is_empty(), "validation messages");
    }
    Ok(())
}

fn in_threads(body: impl Fn(u64) -> Result<()> + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        let body = &body;
        let threads: Vec<_> = (0..3).map(|seed| scope.spawn(move || body(seed))).collect();
        threads.into_iter().try_for_each(|t| t.join().map_err(|_| anyhow::anyhow!("panicked"))?)
    })
}
