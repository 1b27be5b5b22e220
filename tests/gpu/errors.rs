//! Invalid input returns a typed error, and the context remains usable.

use multisplit::graph::GraphError;
use multisplit::shaders::Kernel;
use multisplit::shaders::compile::{CompileError, Source, compile};
use multisplit::{Config, DeviceChoice};
use multisplit_tests::prelude::*;

tests!(errors:
    unknown_device_is_rejected, glsl_compile_error_is_reported, mismatched_bindings_are_rejected,
    empty_arrays_give_empty_results, small_buffers_are_rejected, huge_allocations_are_rejected,
    missing_imports_are_rejected, overlapping_imports_are_rejected, misaligned_offsets_are_rejected,
    invalid_descriptions_are_rejected_for_empty_arrays, huge_dispatch_is_rejected,
    arrays_of_another_context_are_rejected, arrays_of_zero_sized_elements_have_lengths_and_bounds,
    excessive_frame_and_run_counts_are_rejected,
);

fn still_works(gpu: &Gpu) -> Result<()> {
    expect_equal(&gpu.scan(&[5, 6, 7])?, &[0, 5, 11])
}

fn unknown_device_is_rejected(gpu: &Gpu) -> Result<()> {
    for wanted in ["no such GPU", "999"] {
        let device = DeviceChoice::Named(wanted.into());
        let opened = Context::open(&Config { device, ..Config::default() });
        expect_message_parts(opened, &[wanted, &gpu.properties().name])?;
    }
    still_works(gpu)
}

fn glsl_compile_error_is_reported(gpu: &Gpu) -> Result<()> {
    let wrong = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() { uint x = y; }\n";
    let source = Source::new("wrong.comp", wrong);
    expect_errors! {
        compile(&source) => CompileError::Glsl(d) if d[0].line == 3 && d[0].file == "wrong.comp",
    }
    still_works(gpu)
}

fn mismatched_bindings_are_rejected(gpu: &Gpu) -> Result<()> {
    let kernel = multisplit::shaders::builtin::MEMORY_COPY.kernel()?;
    let limits = gpu.limits();
    let mut graph = Graph::new("unbound");
    let dst = graph.import::<u32>("dst", 64);
    graph.pass("copy", &kernel).bind("dst", dst).push_bytes(&[0; 4]).dispatch(Groups::linear(1));
    expect_message_parts(graph.compile(&limits), &["copy", "src"])?;

    let mut graph = Graph::new("unknown");
    let dst = graph.import::<u32>("dst", 64);
    graph
        .pass("fill", multisplit::shaders::builtin::MEMORY_FILL.kernel()?)
        .bind("target", dst)
        .push_bytes(&[0; 8])
        .dispatch(Groups::linear(1));
    expect_message_parts(graph.compile(&limits), &["fill", "target"])?;

    let set1 = "#version 460
layout(local_size_x = 1) in;
layout(set = 1, binding = 0) buffer Data { uint at[]; } data;
void main() { data.at[0] = 1; }";
    let kernel = Kernel::new("user.set1", compile(&Source::new("set1.comp", set1))?)?;
    let mut graph = Graph::new("set1");
    let data = graph.import::<u32>("data", 64);
    graph.pass("user.set1", kernel).bind("data", data).dispatch(Groups::linear(1));
    let options = ExecutableOptions::default();
    // SAFETY: the kernel writes one word of its only binding, which is larger.
    let result = unsafe { gpu.instantiate_foreign(graph.compile(&limits)?, options) };
    expect_errors! { result => Kernel { kernel, .. } if kernel == "user.set1" }
    still_works(gpu)
}

/// Arrays may be empty, and operations on them return empty results. Buffers of a graph may not be
/// empty.
fn empty_arrays_give_empty_results(gpu: &Gpu) -> Result<()> {
    let (zeroed, uploaded) = (gpu.zeroed::<u32>(0)?, gpu.upload::<u32>(&[])?);
    for array in [&zeroed, &uploaded] {
        ensure!(array.is_empty() && gpu.download(array)?.is_empty());
        ensure!(gpu.sort(array)?.is_empty() && gpu.argsort(array)?.is_empty());
        ensure!(gpu.scan(array)?.is_empty());
        gpu.write(array, 0, &[])?;
        expect_errors! {
            gpu.write(array, 0, &[1]) => OutOfBounds { first: 0, len: 1, array: 0 },
        }
    }
    let mut graph = Graph::new("empty");
    let nothing = graph.transient::<u32>("nothing", 0);
    graph.fill("fill", nothing, 0);
    expect_message(graph.compile(&gpu.limits()), "nothing")?;
    still_works(gpu)
}

fn invalid_descriptions_are_rejected_for_empty_arrays(gpu: &Gpu) -> Result<()> {
    let full: &[f32] = &[2.0, 1.0];
    for keys in [&[], full] {
        let bits = Sort::descending().bits(8..40);
        let values: Vec<u64> = vec![7; keys.len()];
        let array = gpu.upload(keys)?;
        for outcome in [
            gpu.sort_with(keys, &bits).map(drop),
            gpu.sort_with(&array, &bits).map(drop),
            gpu.sort_into(keys, &bits, &mut vec![0.0; keys.len()]),
            gpu.sort_in_place(&mut gpu.upload(keys)?, &bits),
            gpu.sort_pairs_with(keys, &values, &bits).map(drop),
            gpu.argsort_with(keys, &bits).map(drop),
        ] {
            expect_errors! {
                outcome => SortBits { key_bits: 32, start: 8, end: 40, ref key } if key == "f32",
            }
        }
        for offsets in [&[][..], &[1], &[0, 3], &[0, 2, 1]] {
            let segments = Sort::ascending().segments(offsets);
            expect_errors! { gpu.sort_with(keys, &segments) => Segments { .. } }
        }
        let rounds = Sort::ascending().method(SortMethod::Multisplit { radix_bits: 9 });
        check_mismatched_lengths(gpu, keys)?;
        expect_errors! {
            gpu.sort_with(keys, &rounds) => Method { .. },
            gpu.split(keys, Buckets::even(1.0..1.0, 4)) => Bucket { .. },
            gpu.split(keys, Buckets::even(0.0..f32::NAN, 4)) => Bucket { .. },
            gpu.split(keys, Buckets::range(&[2.0, 1.0])) => Bucket { .. },
            gpu.histogram(keys, Bins::even(1.0..1.0, 4)) => Histogram { .. },
            gpu.histogram(keys, Bins::range(&[2.0, 1.0])) => Histogram { .. },
            gpu.histogram(keys, Bins::even(0.0..1.0, 0)) => Histogram { .. },
        }
    }
    still_works(gpu)
}

/// Makes calls with one value (or weight, or output) more than there are keys, and checks their
/// errors.
fn check_mismatched_lengths(context: &Context, keys: &[f32]) -> Result<()> {
    let n = keys.len();
    let (values, weights) = (vec![7u32; n + 1], vec![7.0f32; n + 1]);
    let (array, more) = (context.upload(keys)?, context.upload(&values)?);
    let (mut keys_out, mut values_out) = (vec![0.0; n], vec![0u32; n]);
    let halves = || Buckets::even(0.0..4.0, 2);
    let bins = || Bins::even(0.0..4.0, 2);
    let (given, into) = ((keys, &values[..]), (&mut keys_out[..], &mut values_out[..]));
    for outcome in [
        context.sort_pairs(keys, &values).map(drop),
        context.sort_pairs(&array, &more).map(drop),
        context.sort_into(keys, &Sort::ascending(), &mut vec![0.0; n + 1]),
        context.split_pairs(keys, &values, halves()).map(drop),
        context.split_pairs(&array, &more, halves()).map(drop),
        context.histogram_weighted(keys, &values, bins()).map(drop),
        context.histogram_weighted_f32(keys, &weights, bins()).map(drop),
        context.sort_pairs_into(given, &Sort::ascending(), into),
    ] {
        let (more, less) = (n as u64 + 1, n as u64);
        expect_errors! {
            outcome => LengthMismatch { len, other_len, .. } if (len, other_len) == (more, less),
        }
    }
    Ok(())
}

fn small_buffers_are_rejected(gpu: &Gpu) -> Result<()> {
    let (small, large) = (gpu.zeroed::<u32>(10)?, gpu.zeroed::<u32>(100)?);
    expect_errors! {
        gpu.write(&small, 0, &[0u32; 11]) => OutOfBounds { first: 0, len: 11, array: 10 },
        gpu.download_range(&small, 3..11) => OutOfBounds { first: 3, len: 8, array: 10 },
        gpu.download_into(&small, &mut [0; 9]) => LengthMismatch { len: 9, other_len: 10, .. },
    }
    let mut graph = Graph::new("scan");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 100));
    let (policy, how, buffers) = (gpu.policy(), Scan::default(), ScanBuffers::new(src, dst));
    let half = dst.elements::<u32>(0, 50);
    expect_errors! {
        scan(&mut graph, &policy, &how, &buffers.count(101)) => BufferTooSmall { needed: 404, .. },
        copy(&mut graph, &policy, "copy", src, half) => BufferTooSmall { .. },
    }
    scan(&mut graph, &policy, &how, &buffers)?;
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let too_small = [(src, &large), (dst, &small)];
    let too_late = [(src, &large, 0), (dst, &large, 256)];
    expect_errors! {
        gpu.run(&executable, &too_small) => BufferTooSmall { size: 40, needed: 400, .. },
        gpu.run(&executable, &too_late) => BufferTooSmall { .. },
    }
    still_works(gpu)
}

fn huge_allocations_are_rejected(gpu: &Gpu) -> Result<()> {
    let device = gpu.properties();
    let report = gpu.memory_report();
    let too_many = device.device_memory + 1;
    let mut graph = Graph::new("huge");
    let huge = graph.transient::<u8>("huge", 1 << 50);
    let out = graph.import::<u8>("out", 16);
    graph.fill("fill", huge, 0);
    graph.copy("copy", huge.range(0, 16), out);
    expect_errors! {
        gpu.zeroed::<u8>(too_many) => OutOfMemory { size, .. } if size >= too_many,
        gpu.zeroed::<u64>(u64::MAX / 2) => TooLarge { .. },
        graph.compile(&gpu.limits()) => GraphError::LimitExceeded { .. },
    }
    ensure!(gpu.memory_report() == report, "device memory was not freed");
    still_works(gpu)
}

/// A plan that fills its import `dst`, of 100 words, with ones.
fn filling(context: &Context) -> Result<(Plan, Buffer)> {
    let mut graph = Graph::new("fill");
    let dst = graph.import::<u32>("dst", 100);
    fill(&mut graph, &context.policy(), "fill", dst, 1)?;
    graph.replayable();
    Ok((graph.compile(&context.limits())?, dst))
}

fn missing_imports_are_rejected(gpu: &Gpu) -> Result<()> {
    let (plan, dst) = filling(gpu)?;
    let executable = gpu.instantiate(plan)?;
    let buffer = gpu.zeroed::<u32>(100)?;
    let nothing: [(Buffer, &Array<u32>); 0] = [];
    let stranger = Graph::new("other").import::<u32>("dst", 100);
    expect_errors! {
        gpu.run(&executable, &nothing) =>
            ImportBinding { plan, name, .. } if plan == "fill" && name == "dst",
        gpu.run(&executable, &[(dst, &buffer), (stranger, &buffer)]) => ImportBinding { .. },
    }
    still_works(gpu)
}

/// The planner does not order a write to one import against accesses to another, so overlapping
/// imports would race.
fn overlapping_imports_are_rejected(gpu: &Gpu) -> Result<()> {
    let mut graph = Graph::new("copies");
    let imports = ["a", "b", "c"].map(|name| graph.import::<u32>(name, 128));
    let [a, b, c] = imports;
    let both = graph.transient::<u32>("both", 256);
    copy(&mut graph, &gpu.policy(), "copy.a", a, both.elements::<u32>(0, 128))?;
    copy(&mut graph, &gpu.policy(), "copy.b", b, both.elements::<u32>(128, 128))?;
    copy(&mut graph, &gpu.policy(), "copy.c", both.elements::<u32>(64, 128), c)?;
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let buffer = gpu.upload(&(0..384).collect::<Vec<u32>>())?;
    let bind = |offsets: [u64; 3]| {
        let bound: Vec<_> =
            imports.into_iter().zip(offsets).map(|(i, o)| (i, &buffer, o)).collect();
        gpu.run(&executable, &bound)
    };
    for overlapping in [[0, 512, 0], [0, 512, 512], [0, 1024, 512 + 256], [0, 1024, 256]] {
        expect_error!(bind(overlapping), ImportBinding { .. }, "offsets {overlapping:?}");
    }
    // Imports that are only read may overlap. Adjacent imports do not overlap.
    bind([0, 512, 1024])?;
    bind([0, 0, 1024])?;
    let expected: Vec<u32> = (64..128).chain(0..64).collect();
    expect_equal(&gpu.download_range(&buffer, 256..384)?, &expected)?;
    still_works(gpu)
}

fn arrays_of_another_context_are_rejected(gpu: &Gpu) -> Result<()> {
    let other = gpu.open_with(|_| {})?;
    let context: &Context = gpu;
    let (plan, dst) = filling(context)?;
    let executable = std::sync::Arc::new(context.instantiate(plan)?);
    let (ours, theirs) = (context.zeroed::<u32>(100)?, other.zeroed::<u32>(100)?);
    let bound = [(dst, &theirs)];
    let recorded = |array| {
        let mut work = context.work("work");
        work.sort(array, &Sort::ascending())?;
        work.record().map(|_| ())
    };
    expect_errors! {
        context.run(&executable, &bound) => OtherContext { .. },
        context.replay(executable.clone(), &bound) => OtherContext { .. },
        context.sort(&theirs) => OtherContext { .. },
        context.sort_pairs(&ours, &theirs) => OtherContext { .. },
        context.scan(&theirs) => OtherContext { .. },
        context.split(&theirs, Buckets::identity(2)) => OtherContext { .. },
        context.histogram(&theirs, Bins::identity(2)) => OtherContext { .. },
        recorded(&theirs) => OtherContext { .. },
        other.run(&executable, &bound) => OtherContext { name } if name == "fill",
        other.replay(executable.clone(), &bound) => OtherContext { .. },
        other.time_runs(&executable, &bound, 1) => OtherContext { .. },
        other.time_passes(&executable, &bound) => OtherContext { .. },
        other.write(&ours, 0, &[1u32]) => OtherContext { .. },
        other.download(&ours) => OtherContext { .. },
    }
    recorded(&ours)?;
    // A clone refers to the same context.
    context.clone().run(&executable, &[(dst, &ours)])?;
    expect_equal(&context.download(&ours)?, &[1u32; 100])?;
    drop(theirs);
    expect_no_messages(other)?;
    still_works(gpu)
}

fn arrays_of_zero_sized_elements_have_lengths_and_bounds(gpu: &Gpu) -> Result<()> {
    let nothing = gpu.zeroed::<[u32; 0]>(7)?;
    gpu.write(&nothing, 4, &[[0u32; 0]; 3])?;
    expect_errors! { gpu.write(&nothing, 5, &[[0u32; 0]; 3]) => OutOfBounds { .. } }
    expect_equal(&gpu.download(&nothing)?, &[[0u32; 0]; 7])?;
    expect_equal(&gpu.download(&gpu.upload(&[[0u32; 0]; 3])?)?, &[[0u32; 0]; 3])
}

fn excessive_frame_and_run_counts_are_rejected(gpu: &Gpu) -> Result<()> {
    let (plan, dst) = filling(gpu)?;
    let executable = gpu.instantiate(plan.clone())?;
    let options = ExecutableOptions::default().frames(usize::MAX);
    let buffer = gpu.zeroed::<u32>(100)?;
    let bound = [(dst, &buffer)];
    expect_errors! {
        gpu.instantiate_with(plan, options) => TooLarge { .. },
        gpu.time_runs(&executable, &bound, u32::MAX) => TooLarge { .. },
    }
    ensure!(gpu.time_runs(&executable, &bound, 0)?.is_empty());
    still_works(gpu)
}

fn misaligned_offsets_are_rejected(gpu: &Gpu) -> Result<()> {
    let (plan, dst) = filling(gpu)?;
    let executable = gpu.instantiate(plan)?;
    let buffer = gpu.zeroed::<u32>(200)?;
    let bound = [(dst, &buffer, 4)];
    expect_errors! {
        gpu.run(&executable, &bound) => Misaligned { name, offset: 4, .. } if name == "dst",
    }
    still_works(gpu)
}

fn huge_dispatch_is_rejected(gpu: &Gpu) -> Result<()> {
    let kernel = multisplit::shaders::builtin::MEMORY_FILL.kernel()?;
    let mut graph = Graph::new("many");
    let dst = graph.import::<u32>("dst", 64);
    graph
        .pass("many", kernel)
        .bind("dst", dst)
        .push_bytes(&[0; 8])
        .dispatch(Groups::linear(1 << 62));
    expect_errors! { graph.compile(&gpu.limits()) => GraphError::LimitExceeded { .. } }
    still_works(gpu)
}
