//! Scans, compared with a CPU reference. Outputs lie between guard words. Cases combine element
//! type, operator, inclusive or exclusive, method, input size, and the location of the count (host
//! or device).

use multisplit_tests::prelude::*;

tests!(scan_types:
    #[every_type] combinations_of_options_match_the_cpu;
    in turn: float_sums_are_reproducible,
    arrays_of_64_bit_elements_larger_than_a_binding_match_the_cpu,
    recursively_scanned_tile_totals_match_the_cpu
);

#[derive(Clone, Copy, Debug)]
struct Case {
    operator: Operator,
    inclusive: bool,
    on_device: bool,
}

/// Scans the first `n` elements on the GPU. Returns the output.
fn scanned<'g, T: Term>(
    gpu: &'g Gpu,
    policy: &Policy,
    case: Case,
    input: &[T],
    n: usize,
) -> Result<(Setup<'g>, Buffer)> {
    let mut setup = Setup::new(gpu, "scan");
    let (src, dst) = (setup.input("src", input), setup.output::<T>("dst", input.len()));
    let count = setup.count(case.on_device, n as u32, input.len());
    scan(
        &mut setup.graph,
        policy,
        &terms::scan_of(case.operator, case.inclusive),
        &ScanBuffers::new(src, dst).count(count),
    )?;
    setup.run_by(policy)?;
    Ok((setup, dst))
}

fn check<T: Term>(gpu: &Gpu, policy: &Policy, case: Case, n: usize) -> Result<()> {
    let spare = if case.on_device { SPARE } else { 0 };
    let input: Vec<T> = terms::input(case.operator, n + spare, n as u64 + 3);
    let (setup, dst) = scanned(gpu, policy, case, &input, n)?;
    setup
        .expect(dst, &terms::scan(case.operator, case.inclusive, &input[..n]))
        .with_context(|| format!("{}, {case:?}, {:?}, n = {n}", T::TYPE, policy.scan))
}

fn policy(gpu: &Gpu, scan: ScanMethod) -> Policy {
    // One workgroup alone scans at most `16 * spine_threads` elements.
    Policy { scan, single_group_tiles: 0, spine_tiles: 1, ..gpu.policy() }
}

fn combinations_of_options_match_the_cpu<T: Term>(gpu: &Gpu) -> Result<()> {
    // Each type starts at another number, so that a sample uses other cases for each type.
    let mut number = 7 * T::TYPE as usize;
    let methods = [ScanMethod::LookBack, ScanMethod::ReduceThenScan];
    for ((operator, inclusive), (method, on_device)) in
        pairs(&pairs(&Operator::ALL, &[false, true]), &pairs(&methods, &[false, true]))
    {
        number += 1;
        let policy = policy(gpu, method);
        let items = match (method, T::TYPE.bits()) {
            (ScanMethod::LookBack, 32) => 40,
            (ScanMethod::LookBack, _) => 20,
            _ => 16,
        };
        let tile = policy.threads as usize * items;
        let case = Case { operator, inclusive, on_device };
        let (small, large) = ([1, 3, tile - 1, tile], [5 * tile + 7]);
        let (few, rest) =
            if inclusive { (&small[..], &large[..]) } else { (&large[..], &small[..]) };
        let more = [rest, &[2, 4, 5, tile + 1, 17 * tile, (1 << 20) - 5]].concat();
        for n in gpu.sizes(number.is_multiple_of(17), few, &more) {
            gpu.run_or_refuse(|| check::<T>(gpu, &policy, case, n))?;
        }
    }
    Ok(())
}

/// Sums of floats differ from exact sums by rounding errors, but do not depend on timing.
fn float_sums_are_reproducible(gpu: &Gpu) -> Result<()> {
    // Small workgroups, so that the array has many tiles at every subgroup size.
    let policy = Policy {
        threads: gpu.properties().subgroup_size.max(16),
        small_scans_up_to: 0,
        ..policy(gpu, ScanMethod::LookBack)
    };
    let n = 300 * policy.threads as usize * 40 + 5;
    let input = fractions(n, 5);
    let case = Case { operator: Operator::Sum, inclusive: true, on_device: false };
    let (setup, dst) = scanned(gpu, &policy, case, &input, n)?;
    let first: Vec<f32> = setup.found(dst)?;
    // With a spin limit of 0, every missing predecessor tile is recomputed.
    for (spin_limit, tickets) in [(policy.spin_limit, true), (0, true), (0, false)] {
        let policy = Policy { spin_limit, tickets, ..policy };
        let (again, dst) = scanned(gpu, &policy, case, &input, n)?;
        again.expect(dst, &first)?;
    }
    let mut sum = 0.0;
    for (at, (x, got)) in input.iter().zip(&first).enumerate() {
        sum += f64::from(*x);
        expect_near(*got, sum, 1e-5).with_context(|| format!("element {at}"))?;
    }
    Ok(())
}

/// Arrays exceed `maxStorageBufferRange`, which the test lowers.
fn arrays_of_64_bit_elements_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let threads = gpu.properties().subgroup_size;
    let tile = threads as usize * 16;
    for (method, operator) in
        [(ScanMethod::LookBack, Operator::Sum), (ScanMethod::ReduceThenScan, Operator::Max)]
    {
        for piece in [5, 130].into_iter().filter(|_| gpu.mine()) {
            let max_storage_range = (piece * tile * 8 + 100) as u64;
            let policy = Policy { threads, small_scans_up_to: 0, ..policy(gpu, method) };
            let policy = policy.lowered(|facts| facts.max_storage_range = max_storage_range);
            let case = Case { operator, inclusive: true, on_device: false };
            gpu.run_or_refuse(|| check::<i64>(gpu, &policy, case, 2 * piece * tile + 1))?;
        }
    }
    Ok(())
}

/// The totals of tiles have another type than the elements, and there are more totals than one
/// workgroup can scan.
fn recursively_scanned_tile_totals_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let threads = gpu.properties().subgroup_size;
    let base = policy(gpu, ScanMethod::ReduceThenScan);
    let policy = Policy { threads, spine_threads: threads, ..base };
    let n = threads as usize * 16 * threads as usize * 16 + 5;
    let case = |operator, on_device| Case { operator, inclusive: false, on_device };
    gpu.case(|| gpu.run_or_refuse(|| check::<f64>(gpu, &policy, case(Operator::Sum, false), n)))?;
    if gpu.mine() || gpu.mine() {
        check::<f32>(gpu, &policy, case(Operator::Max, true), n)?;
    }
    Ok(())
}
