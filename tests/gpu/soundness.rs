//! Misuse that safe calls must reject: arrays of the wrong type or length, unsupported value sizes
//! and key bits, plans for other devices, buffers of another graph. The errors report the cause,
//! e.g. the wrong type, size, range or limit.

use multisplit::DeviceProperties;
use multisplit::graph::GraphError;
use multisplit_tests::prelude::*;

tests!(soundness:
    mismatched_key_types_are_rejected, mismatched_array_types_are_rejected,
    unsupported_value_sizes_are_rejected, bits_beyond_the_key_are_rejected,
    lengths_are_compared_in_elements, plans_for_larger_limits_are_rejected,
    plans_for_other_subgroup_sizes_are_rejected, one_call_functions_read_their_tables,
    push_constants_of_operations_cannot_be_set,
);

/// The name of an array, its type, and the type it must have.
pub type Mismatch = (&'static str, &'static str, &'static str);

pub fn expect_mismatch<T>(result: Result<T, Error>, mismatch: Mismatch) -> Result<()> {
    let (array, is, _) = mismatch;
    match result {
        Err(Error::KeyTypeMismatch { name, found, expected }) => {
            expect_value("the reported mismatch", &(name, &*found, &*expected), &mismatch)
        }
        Err(other) => bail!("{array} of type {is}: unexpected error: {other}"),
        Ok(_) => bail!("{array} of type {is} was accepted"),
    }
}

/// Splits an array of `T` by buckets for keys of type `K`.
fn split_as<T: bytemuck::Pod, K: Key>(gpu: &Gpu, buckets: &Buckets<K>) -> Result<(), Error> {
    let mut graph = Graph::new("typed");
    let [keys, out] = ["keys", "out"].map(|name| graph.import::<T>(name, 8));
    let offsets = graph.import::<u32>("offsets", 9);
    let buffers = SplitBuffers::keys(keys, out, offsets);
    split(&mut graph, &gpu.policy(), buckets, &buffers).map(|_| ())
}

/// Buckets must have the key type of the array. A sort takes the key type from the array.
fn mismatched_key_types_are_rejected(gpu: &Gpu) -> Result<()> {
    let digit = Buckets::<u32>::digit(0..2);
    expect_mismatch(split_as::<u64, u32>(gpu, &digit), ("keys", "u64", "u32"))?;
    expect_mismatch(split_as::<f32, u32>(gpu, &Buckets::range(&[2])), ("keys", "f32", "u32"))?;
    let even = Buckets::even(0.0f64..1.0, 2);
    expect_mismatch(split_as::<i64, f64>(gpu, &even), ("keys", "i64", "f64"))?;
    const ANY: &str = "u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64 or f64";
    expect_mismatch(split_as::<[u8; 4], u32>(gpu, &digit), ("keys", "4-byte elements", ANY))?;
    let sort_as = |element| {
        let mut graph = Graph::new("typed");
        let keys = graph.import_array("keys", element, 8);
        sort(&mut graph, &gpu.policy(), &Sort::ascending(), &SortBuffers::keys(keys))
    };
    for (element, name) in
        [(ElementType::Other(4), "4-byte elements"), (ElementType::Untyped, "untyped bytes")]
    {
        expect_mismatch(sort_as(element), ("keys", name, ANY))?;
    }
    Ok(())
}

/// Arrays other than the keys (values, offsets, counts and so on) have wrong types.
fn mismatched_array_types_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let mut graph = Graph::new("typed");
    let words = ["a", "b", "c"].map(|name| graph.import::<u32>(name, 9));
    let floats = ["d", "e"].map(|name| graph.import::<f32>(name, 9));
    let [a, b, c] = words;
    let buckets = Buckets::<u32>::digit(0..2);
    for (buffers, mismatch) in [
        (SplitBuffers::keys(a, floats[0], c), ("keys.out", "f32", "u32")),
        (SplitBuffers::keys(a, b, floats[0]), ("offsets", "f32", "u32")),
        (SplitBuffers::permutation(a, floats[0], c), ("permutation", "f32", "u32")),
        (SplitBuffers::pairs((a, floats[0]), (b, c), c), ("values.out", "u32", "f32")),
        (SplitBuffers::keys(a, b, c).out_of_range(floats[0]), ("out_of_range", "f32", "u32")),
    ] {
        expect_mismatch(split(&mut graph, &policy, &buckets, &buffers), mismatch)?;
    }
    let keys = SortBuffers::keys(a);
    for (buffers, mismatch) in [
        (keys.indices(floats[0]), ("indices", "f32", "u32")),
        (keys.between(floats[0], None, b), ("keys.other", "f32", "u32")),
        (keys.values(b).between(c, Some(floats[0]), b), ("values.other", "f32", "u32")),
        (keys.between(b, None, floats[0]), ("half", "f32", "u32")),
    ] {
        expect_mismatch(sort(&mut graph, &policy, &Sort::ascending(), &buffers), mismatch)?;
    }
    for (src, dst, mismatch) in
        [(floats[0], a, ("dst", "u32", "f32")), (a, floats[0], ("dst", "f32", "u32"))]
    {
        let result = scan(&mut graph, &policy, &Scan::default(), &ScanBuffers::new(src, dst));
        expect_mismatch(result, mismatch)?;
    }
    // Types are also checked when arrays are bound to the imports of a plan.
    let mut graph = Graph::new("run");
    let keys = graph.import::<f32>("keys", 9);
    sort(&mut graph, &policy, &Sort::ascending(), &SortBuffers::keys(keys))?;
    let executable = gpu.instantiate(graph.compile(&gpu.limits())?)?;
    let words = gpu.upload(&[7u32; 9])?;
    match gpu.run(&executable, &[(keys, &words)]) {
        Err(Error::ElementTypeMismatch { found, expected }) => {
            ensure!((found, expected) == (ElementType::U32, ElementType::F32));
        }
        other => bail!("expected an error for the element type, found {other:?}"),
    }
    Ok(())
}

fn unsupported_value_sizes_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    for size in [0, 1, 2, 3, 12, 17, 32] {
        let mut graph = Graph::new("values");
        let [keys, out] = ["keys", "out"].map(|name| graph.import::<u32>(name, 8));
        let element = ElementType::Other(size);
        let [values, moved] = ["a", "b"].map(|name| graph.import_array(name, element, 8));
        let offsets = graph.import::<u32>("offsets", 5);
        let sorted = SortBuffers::keys(keys).values(values);
        let pairs = SplitBuffers::pairs((keys, values), (out, moved), offsets);
        let outcomes = [
            sort(&mut graph, &policy, &Sort::ascending(), &sorted).map(|_| ()),
            split(&mut graph, &policy, &Buckets::<u32>::digit(0..2), &pairs).map(|_| ()),
        ];
        for outcome in outcomes {
            let Err(Error::ValueSize { bytes }) = outcome else {
                bail!("values of {size} bytes: {outcome:?}")
            };
            ensure!(bytes == size, "the error reports {bytes} bytes, expected {size}");
        }
    }
    Ok(())
}

/// The error contains the valid range of bits.
fn bits_beyond_the_key_are_rejected(gpu: &Gpu) -> Result<()> {
    let result = gpu.sort_with(&[1.0f32, 0.0], &Sort::descending().bits(8..40));
    expect_errors! {
        result => ref e if e.to_string()
            == "cannot sort f32 keys by bits 8..40; the range must be within 0..32",
    }
    let wide = Sort::ascending().bits(8..65);
    expect_errors! {
        gpu.argsort_with(&[1u64, 0], &wide) =>
            SortBits { key_bits: 64, start: 8, end: 65, .. },
    }
    expect_equal(&gpu.sort_with(&[256u64, 3], &Sort::ascending().bits(0..8))?, &[256, 3])
}

fn lengths_are_compared_in_elements(gpu: &Gpu) -> Result<()> {
    let (two, one) = (gpu.upload(&[2u32, 1])?, gpu.upload(&[[7u32; 4]])?);
    let outcomes = [
        gpu.sort_pairs(&[2u64, 1], &[7u32]).map(|_| ()),
        gpu.sort_pairs(&two, &one).map(|_| ()),
        gpu.split_pairs(&[2u64, 1], &[7u32], Buckets::digit(0..1)).map(|_| ()),
        gpu.histogram_weighted(&[2u8, 1], &[7], Bins::identity(4)).map(|_| ()),
        gpu.histogram_weighted_f32(&[2u8, 1], &[7.0], Bins::identity(4)).map(|_| ()),
        gpu.sort_into(&[2u64, 1], &Sort::ascending(), &mut [0]),
    ];
    for outcome in outcomes {
        expect_errors! { outcome => LengthMismatch { len: 1, other_len: 2, .. } }
    }
    Ok(())
}

/// The error names the limit of the plan that the device does not meet.
fn plans_for_larger_limits_are_rejected(gpu: &Gpu) -> Result<()> {
    let limits = gpu.limits();
    let compiled = |limits: &Limits| -> Result<_> {
        let mut graph = Graph::new("fill");
        let dst = graph.import::<u32>("dst", 64);
        fill(&mut graph, &gpu.policy(), "fill", dst, 1)?;
        Ok(graph.compile(limits)?)
    };
    let [x, y, z] = limits.max_workgroup_count;
    let twice = |limit: u32| limit.saturating_mul(2);
    let (range, size) = (limits.max_storage_range, limits.max_buffer_size);
    let wider = [
        ("maxStorageBufferRange", Limits { max_storage_range: range.saturating_mul(2), ..limits }),
        ("maxComputeWorkGroupCount", Limits { max_workgroup_count: [x, twice(y), z], ..limits }),
        (
            "maxComputeWorkGroupInvocations",
            Limits { max_workgroup_invocations: twice(limits.max_workgroup_invocations), ..limits },
        ),
        ("maxPushConstantsSize", Limits { max_push_bytes: twice(limits.max_push_bytes), ..limits }),
        ("maxBufferSize", Limits { max_buffer_size: size.saturating_mul(2), ..limits }),
        (
            "maxComputeSharedMemorySize",
            Limits { max_shared_bytes: twice(limits.max_shared_bytes), ..limits },
        ),
        (
            "minStorageBufferOffsetAlignment",
            Limits { storage_alignment: (limits.storage_alignment / 2).max(1), ..limits },
        ),
        ("subgroupSize", Limits { subgroup_size: twice(limits.subgroup_size), ..limits }),
    ];
    let mut refused = 0;
    for (name, wider) in wider {
        // Skips limits that cannot be wider.
        if wider == limits {
            continue;
        }
        match gpu.instantiate(compiled(&wider)?) {
            Err(Error::OtherLimits { limit, .. }) if limit == name => refused += 1,
            other => bail!("{name}: expected an error for this limit, found {:?}", other.err()),
        }
    }
    ensure!(refused >= 4, "only {refused} plans with wider limits were rejected");
    gpu.instantiate(compiled(&limits)?)?;
    // Plans for any subgroup size (0) run on this device.
    gpu.instantiate(compiled(&Limits { subgroup_size: 0, ..limits })?)?;
    Ok(())
}

/// Passes that were declared with the policy of another device are rejected.
fn plans_for_other_subgroup_sizes_are_rejected(gpu: &Gpu) -> Result<()> {
    let policy = gpu.policy();
    let lanes = policy.facts.subgroup_size * 2;
    let properties = DeviceProperties { subgroup_size: lanes, ..gpu.properties().clone() };
    let other = Policy::for_device(&properties);
    type Declare = fn(&mut Graph, &Policy, [Buffer; 3]) -> Result<(), Error>;
    let primitives: [Declare; 3] = [
        |graph, policy, [a, _, _]| {
            sort(graph, policy, &Sort::ascending(), &SortBuffers::keys(a)).map(|_| ())
        },
        |graph, policy, [a, b, c]| {
            let buffers = SplitBuffers::keys(a, b, c);
            split(graph, policy, &Buckets::<u32>::digit(0..2), &buffers).map(|_| ())
        },
        |graph, policy, [a, b, _]| scan(graph, policy, &Scan::default(), &ScanBuffers::new(a, b)),
    ];
    for declare in primitives {
        let mut graph = Graph::new("other");
        let words = ["a", "b", "c"].map(|name| graph.import::<u32>(name, 5_000));
        declare(&mut graph, &other, words)?;
        let result = graph.compile(&gpu.limits());
        let Err(GraphError::SubgroupSize { lanes: sized, device }) = &result else {
            bail!("expected GraphError::SubgroupSize, found {result:?}");
        };
        let sizes = (lanes, policy.facts.subgroup_size);
        expect_value("the reported pair of subgroup sizes", &(*sized, *device), &sizes)?;
        // The graph contains passes for two subgroup sizes, so no device can run it.
        declare(&mut graph, &policy, words)?;
        let limits = Limits { subgroup_size: lanes, ..gpu.limits() };
        expect_errors! { graph.compile(&limits) => GraphError::SubgroupSize { .. } }
    }
    Ok(())
}

/// Calls that accept a user function bind the function's table.
fn one_call_functions_read_their_tables(gpu: &Gpu) -> Result<()> {
    const SOURCE: &str =
        "uint bucket_of(uint key) { return table.at[key % push.parameter_0] ^ push.parameter_1; }";
    let (keys, table) = (uniform(3_000, 5), [3u32, 0, 2, 1, 3]);
    let function = Glsl::new(SOURCE).parameters([5, 1, 0]).table(&table);
    let (order, offsets) =
        reference::split(keys.len(), 4, |i| table[keys[i] as usize % table.len()] ^ 1);
    let moved = reference::pick(&keys, &order);
    let buckets = || Buckets::glsl(4, function.clone());
    let values: Vec<u32> = (0..3_000).collect();
    let pairs = gpu.split_pairs(&keys, &values, buckets())?;
    expect_equal(&pairs.keys, &moved)?;
    expect_equal(&pairs.values, &order)?;
    expect_equal(&pairs.offsets, &offsets)?;
    let on_device = gpu.split(&gpu.upload(&keys)?, buckets())?;
    expect_equal(&gpu.download(&on_device.keys)?, &moved)?;
    let places = gpu.split_permutation(&keys, buckets())?.permutation;
    expect_equal(&places, &reference::places(&order))?;
    let counts = gpu.histogram(&keys, Bins::glsl(4, function))?.counts;
    let expected: Vec<u64> = offsets.windows(2).map(|both| u64::from(both[1] - both[0])).collect();
    expect_equal(&counts, &expected)?;
    // A one-call function creates its own graph, so it rejects buffers of other graphs.
    let strange = Graph::new("strange").import::<u32>("table", 5);
    let foreign = Glsl::new(SOURCE).parameters([5, 1, 0]).table_buffer(strange);
    expect_errors! {
        gpu.split(&keys, Buckets::glsl(4, foreign)) => Graph(GraphError::ForeignBuffer { .. }),
    }
    Ok(())
}

/// A graph may declare the passes of an operation settable, but safe calls cannot set their push
/// constants: with another count, the kernel would access memory past its buffers.
fn push_constants_of_operations_cannot_be_set(gpu: &Gpu) -> Result<()> {
    let keys = gpu.upload(&[3u32, 1, 2])?;
    let mut work = gpu.work("sort");
    work.sort(&keys, &Sort::ascending())?;
    work.parts().0.settable_with("count");
    let mut frame = work.record()?;
    let mut passes = frame.plan().steps().iter().map(|step| &step.pass);
    let pass = passes.find(|pass| pass.settable).context("no pass has a count")?;
    let label = pass.label.clone();
    let refused = frame.set(&label, &0u32);
    expect_error!(refused, UnknownPass { .. }, "{label}");
    frame.submit()?;
    frame.wait()?;
    ensure!(gpu.download(&keys)? == [1, 2, 3]);
    Ok(())
}
