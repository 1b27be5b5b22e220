//! Shaders and functions of users: safe calls reject accesses that could leave their buffers, or
//! keep them in bounds. Unchecked SPIR-V requires `unsafe`.

use multisplit::shaders::compile::{CompileError, Source, compile};
use multisplit::shaders::{Kernel, builtin};
use multisplit_tests::prelude::*;

tests!(soundness:
    functions_with_side_effects_are_rejected, shaders_with_addresses_are_rejected,
    excessive_shared_memory_is_rejected, shader_accesses_stay_within_bindings,
    splits_survive_out_of_range_table_reads, unchecked_spirv_requires_unsafe,
    built_in_kernels_in_user_graphs_are_rejected,
);

/// Checks that both a split and a histogram reject the function.
fn expect_refused(gpu: &Gpu, source: &str) -> Result<()> {
    let outcomes = [
        gpu.split(&[1u32, 2], Buckets::glsl(4, source)).map(|_| ()),
        gpu.histogram(&[1u32, 2], Bins::glsl(4, source)).map(|_| ()),
    ];
    for outcome in outcomes {
        expect_error!(
            outcome,
            Compile(CompileError::Refused(_) | CompileError::Glsl(_)),
            "{source}"
        );
    }
    Ok(())
}

/// Bucket functions may only compute: writes to memory, barriers and addresses are rejected.
fn functions_with_side_effects_are_rejected(gpu: &Gpu) -> Result<()> {
    expect_refused(
        gpu,
        "#extension GL_EXT_buffer_reference : require
layout(buffer_reference) buffer Any { uint word; };
uint bucket_of(uint key) { Any(uint64_t(key)).word = 1u; return 0u; }",
    )?;
    expect_refused(gpu, "uint bucket_of(uint key) { barrier(); return 0u; }")?;
    expect_refused(
        gpu,
        "shared uint words[8];
uint bucket_of(uint key) { words[key] = key; return words[key + 1u]; }",
    )?;
    expect_refused(
        gpu,
        "layout(set = 0, binding = 9) buffer Own { uint at[]; } own;
uint bucket_of(uint key) { own.at[key] = 1u; return 0u; }",
    )?;
    expect_refused(gpu, "uint bucket_of(uint key) { table.at[key] = 1u; return 0u; }")?;
    // After a rejected function, the context and other functions still work.
    let split =
        gpu.split(&[5u32, 2], Buckets::glsl(4, "uint bucket_of(uint k) { return k & 3u; }"))?;
    expect_equal(&split.keys, &[5, 2])
}

fn shaders_with_addresses_are_rejected(gpu: &Gpu) -> Result<()> {
    let source = "#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Any { uint word; };
layout(set = 0, binding = 0) buffer Data { uvec2 address; } data;
void main() { Any(data.address).word = 1u; }";
    let mut work = gpu.work("addresses");
    expect_errors! { work.glsl("user.addresses", source) => Compile(CompileError::Refused(_)) }
    Ok(())
}

/// Four MiB of shared memory are rejected before the driver compiles the shader.
fn excessive_shared_memory_is_rejected(gpu: &Gpu) -> Result<()> {
    let source = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
shared uint words[1 << 20];
void main() {
    words[gl_LocalInvocationIndex] = data.at[0];
    barrier();
    data.at[gl_LocalInvocationIndex] = words[gl_LocalInvocationIndex ^ 1u];
}";
    let array = gpu.zeroed::<u32>(64)?;
    let mut work = gpu.work("shared");
    match work.glsl("user.shared", source) {
        Ok(pass) => pass.bind("data", &array).dispatch(threads(64, 64)),
        Err(Error::Compile(CompileError::Refused(_))) => return Ok(()),
        Err(other) => bail!("expected the shader to be refused, found {other}"),
    }
    let result = work.record();
    ensure!(result.is_err(), "the shader was recorded");
    Ok(())
}

/// A shader computes arbitrary indices. Words outside of its bindings do not change.
fn shader_accesses_stay_within_bindings(gpu: &Gpu) -> Result<()> {
    let source = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
layout(push_constant) uniform Push { uint far; } push;
shared uint words[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i + push.far] = i;
    barrier();
    data.at[i * push.far + push.far] = words[i * push.far] / (i & 1u);
    data.at[i] = 7u;
}";
    let guards = [gpu.upload(&[3u32; 1024])?, gpu.upload(&[3u32; 1024])?];
    let array = gpu.zeroed::<u32>(64)?;
    let mut work = gpu.work("far");
    work.glsl("user.far", source)?.bind("data", &array).dispatch(threads(64, 64));
    let mut frame = work.record()?;
    for far in [64u32, 1 << 16, 1 << 29, u32::MAX] {
        frame.set("user.far", &far)?;
        frame.submit()?;
    }
    frame.wait()?;
    for guard in &guards {
        expect_equal(&gpu.download(guard)?, &[3; 1024])?;
    }
    // A write beyond the end may change the last word of the binding.
    expect_equal(&gpu.download_range(&array, 0..63)?, &[7; 63])
}

/// A bucket function reads beyond the end of its table, or from an empty table. Each key still gets
/// a bucket.
fn splits_survive_out_of_range_table_reads(gpu: &Gpu) -> Result<()> {
    let source = "uint bucket_of(uint key) { return min(table.at[key * 100000007u], 3u); }";
    let keys: Vec<u32> = (0..5_000).collect();
    for table in [&[][..], &[1], &[2, 0, 1]] {
        let buckets = Buckets::glsl(4, Glsl::new(source).table(table));
        let mut split = gpu.split(&keys, buckets)?;
        expect_equal(&[split.offsets[0], split.offsets[4]], &[0, 5_000])?;
        split.keys.sort_unstable();
        expect_equal(&split.keys, &keys)?;
    }
    Ok(())
}

fn unchecked_spirv_requires_unsafe(gpu: &Gpu) -> Result<()> {
    let source = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint at[]; } data;
void main() { data.at[gl_LocalInvocationIndex] = 9u; }";
    let kernel = Kernel::new("user.nine", compile(&Source::new("nine.comp", source))?)?;
    let mut graph = Graph::new("foreign");
    let data = graph.import::<u32>("data", 64);
    graph.pass("user.nine", kernel).bind("data", data).dispatch(Groups::linear(1));
    let plan = graph.compile(&gpu.limits())?;
    let options = ExecutableOptions::default();
    expect_errors! {
        gpu.instantiate(plan.clone()) => ForeignKernel { kernel } if kernel == "user.nine",
        gpu.prepare_step(&plan, 0, options) => ForeignKernel { .. },
    }
    // SAFETY: a valid shader whose 64 threads write one word each of a 64-word binding.
    let executable = unsafe {
        gpu.prepare_foreign_step(&plan, 0, options)?;
        gpu.instantiate_foreign(plan, options)?
    };
    let array = gpu.zeroed::<u32>(64)?;
    gpu.run(&executable, &[(data, &array)])?;
    expect_equal(&gpu.download(&array)?, &[9; 64])
}

/// Users may not add built-in kernels to their graphs, because the push constants of such passes
/// would not be checked.
fn built_in_kernels_in_user_graphs_are_rejected(gpu: &Gpu) -> Result<()> {
    let mut graph = Graph::new("by hand");
    let dst = graph.import::<u32>("dst", 64);
    let past_the_end = [u32::MAX, 1];
    graph
        .pass("fill", builtin::MEMORY_FILL.kernel()?)
        .bind("dst", dst)
        .push_bytes(bytemuck::bytes_of(&past_the_end))
        .dispatch(Groups::linear(1));
    let plan = graph.compile(&gpu.limits())?;
    expect_errors! {
        gpu.instantiate(plan) => ForeignKernel { kernel } if kernel == "memory.fill",
    }

    // A user's pass may have the label of a built-in pass. Values set by that label do not affect
    // the built-in pass.
    let (keys, flags) = (gpu.upload(&[3u32, 1, 2])?, gpu.zeroed::<u32>(64)?);
    let source = "#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Flags { uint at[]; } flags;
layout(push_constant) uniform Push { uint words[32]; } push;
void main() { flags.at[gl_LocalInvocationIndex] = push.words[0]; }";
    let labels = {
        let mut work = gpu.work("labels");
        work.sort(&keys, &Sort::ascending())?;
        work.plan()?.steps().iter().map(|step| step.pass.label.clone()).collect::<Vec<_>>()
    };
    for label in labels {
        let mut work = gpu.work("same label");
        work.glsl(&label, source)?.bind("flags", &flags).dispatch(Groups::linear(1));
        work.sort(&keys, &Sort::ascending())?;
        let mut frame = work.record()?;
        frame.set(&label, &[u32::MAX; 32])?;
        frame.submit()?;
        frame.wait()?;
        expect_equal(&gpu.download(&keys)?, &[1, 2, 3])?;
        let is_set = gpu.download(&flags)?.first() == Some(&u32::MAX);
        ensure!(is_set, "{label}: the push constants were not set");
    }
    Ok(())
}
