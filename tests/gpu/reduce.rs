//! Reductions, compared with a CPU reference. Outputs lie between guard words. Cases combine
//! element type, operator, with or without index, input size, and the location of the count (host
//! or device).

use multisplit::operations::reduce::NO_INDEX;
use multisplit_tests::prelude::*;

tests!(reduce:
    #[every_type] combinations_of_options_match_the_cpu;
    in turn: empty_input_gives_the_identity, index_of_the_first_equal_element_is_returned,
    arrays_larger_than_a_binding_match_the_cpu, two_dimensional_dispatches_match_the_cpu,
    device_counts_above_the_array_length_are_clamped, float_sums_are_reproducible,
    large_arrays_match_the_cpu
);

#[derive(Clone, Copy, Debug)]
struct Case {
    operator: Operator,
    index: bool,
    on_device: bool,
}

/// Reduces the first `n` elements on the GPU. Returns the result, and the index if requested.
fn reduced<T: Term>(
    gpu: &Gpu,
    policy: &Policy,
    case: Case,
    input: &[T],
    n: u32,
) -> Result<(T, Option<u32>)> {
    let mut setup = Setup::new(gpu, "reduce");
    let (src, dst) = (setup.input("src", input), setup.output::<T>("dst", 1));
    let index = setup.output::<u32>("index", 1);
    let mut buffers =
        ReduceBuffers::new(src, dst).count(setup.count(case.on_device, n, input.len()));
    if case.index {
        buffers = buffers.index(index);
    }
    reduce(&mut setup.graph, policy, case.operator, &buffers)?;
    setup.run_by(policy)?;
    let (got, found) = (setup.found::<T>(dst)?[0], setup.found::<u32>(index)?[0]);
    Ok((got, case.index.then_some(found)))
}

fn check_input<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, input: &[T], n: u32) -> Result<()> {
    let (got, index) = reduced(gpu, policy, case, input, n)?;
    let counted = &input[..(n as usize).min(input.len())];
    let say = || format!("{}, {case:?}, n = {n} of {}", T::TYPE, input.len());
    expect_equal(&bits(&[got]), &bits(&[terms::reduce(case.operator, counted)]))
        .with_context(say)?;
    if let Some(index) = index {
        expect_equal(&[index], &[terms::index(case.operator, counted)]).with_context(say)?;
    }
    Ok(())
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, n: usize) -> Result<()> {
    let spare = if case.on_device { SPARE } else { 0 };
    let input: Vec<T> = terms::input(case.operator, n + spare, n as u64 + 3);
    check_input(gpu, policy, case, &input, n as u32)
}

/// A policy by which one workgroup alone reduces at most `16 * spine_threads` elements.
fn policy(gpu: &Gpu) -> Policy {
    Policy { single_group_tiles: 0, spine_tiles: 1, ..gpu.policy() }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for on_device in [false, true] {
        for operator in Operator::ALL {
            cases.push(Case { operator, index: false, on_device });
            if operator != Operator::Sum {
                cases.push(Case { operator, index: true, on_device });
            }
        }
    }
    cases
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let tile = policy.threads as usize * 16;
    for (number, case) in cases().into_iter().enumerate() {
        let few = [1, 3, tile - 1, tile, 5 * tile + 7];
        let more = [2, 4, 5, tile + 1, 17 * tile, 99 * tile + 2, (1 << 20) - 5];
        let is_sampled = (number + T::TYPE as usize).is_multiple_of(6);
        for n in gpu.sizes(is_sampled, &few, &more) {
            gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, n))?;
        }
    }
    Ok(())
}

/// The count is 0, on the host or on the device. Plans have one pass or two, depending on the
/// capacity.
fn empty_input_gives_the_identity(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    for n in [1, 20_000] {
        let input: Vec<f32> = terms::input(Operator::Max, n, 1);
        for case in cases().into_iter().step_by(if gpu.full { 1 } else { 3 }).filter(|_| gpu.mine())
        {
            check_input(gpu, &policy, case, &input, 0)?;
            if case.index {
                let (_, index) = reduced(gpu, &policy, case, &input, 0)?;
                expect_value(format!("{case:?}: the index"), &index, &Some(NO_INDEX))?;
            }
        }
    }
    Ok(())
}

/// All elements are equal, and in some inputs they equal the identity; or only the last element
/// differs, and is the result.
fn index_of_the_first_equal_element_is_returned(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let n = 5 * policy.threads as usize * 16 + 3;
    for operator in [Operator::Min, Operator::Max] {
        let case = Case { operator, index: true, on_device: false };
        for value in [0, 7, u32::MAX] {
            check_input(gpu, &policy, case, &vec![value; n], n as u32)?;
        }
        let mut last = vec![7u32; n];
        last[n - 1] = if operator == Operator::Min { 0 } else { u32::MAX };
        check_input(gpu, &policy, case, &last, n as u32)?;
    }
    Ok(())
}

fn arrays_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let threads = gpu.properties().subgroup_size;
    let tile = threads as usize * 16;
    let max_storage_range = (6 * tile * 8 + 100) as u64;
    let policy = Policy { threads, ..policy(gpu) };
    let policy = policy.lowered(|facts| facts.max_storage_range = max_storage_range);
    for tiles in [6, 7, 31] {
        for (operator, index) in [(Operator::Sum, false), (Operator::Min, true)] {
            let case = Case { operator, index, on_device: false };
            let check = if index { check::<f32> } else { check::<i64> };
            gpu.run_or_refuse(|| check(gpu, &policy, case, tiles * tile + 1))?;
        }
    }
    Ok(())
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = few_groups(policy(gpu));
    let tile = policy.threads as usize * 16;
    for on_device in [false, true] {
        for tiles in [7, 8, 20] {
            let case = Case { operator: Operator::Max, index: true, on_device };
            check::<u32>(gpu, &policy, case, tiles * tile - 3)?;
        }
    }
    Ok(())
}

fn device_counts_above_the_array_length_are_clamped(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let input: Vec<u32> = terms::input(Operator::Sum, 3 * policy.threads as usize * 16 + 1, 9);
    for n in [input.len() as u32 + 1, u32::MAX] {
        let case = Case { operator: Operator::Sum, index: false, on_device: true };
        check_input(gpu, &policy, case, &input, n)?;
    }
    Ok(())
}

fn float_sums_are_reproducible(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let n = 40 * policy.threads * 16 + 5;
    let input = fractions(n as usize, 5);
    let case = Case { operator: Operator::Sum, index: false, on_device: false };
    let (first, _) = reduced(gpu, &policy, case, &input, n)?;
    for _ in 0..3 {
        let (again, _) = reduced(gpu, &policy, case, &input, n)?;
        expect_keys(&[again], &[first])?;
    }
    let sum: f64 = input.iter().map(|&x| f64::from(x)).sum();
    expect_near(first, sum, 1e-5)
}

/// Each workgroup of the first pass reduces several tiles.
fn large_arrays_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let small = Policy { threads: gpu.properties().subgroup_size, ..policy };
    let (policy, n) = match (gpu.full, gpu.is_software()) {
        // More tiles than the first pass has workgroups.
        (false, true) => (small, 3 * 2048 * 16 * small.threads as usize + 1),
        (true, true) => (policy, (1 << 25) + (1 << 12) + 3),
        (_, false) => (policy, (1 << 28) + 5),
    };
    for (operator, index) in [(Operator::Sum, false), (Operator::Max, true)] {
        check::<u32>(gpu, &policy, Case { operator, index, on_device: false }, n)?;
    }
    Ok(())
}
