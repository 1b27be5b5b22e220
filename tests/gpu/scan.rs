//! Exclusive scans of u32, compared with a CPU reference: every method, sizes around tile
//! boundaries, and special values. Also scans of rows.

use multisplit_tests::prelude::*;

tests!(scan:
    sizes_around_tile_boundaries_match_the_cpu, random_cases_match_the_cpu;
    in turn: special_values_match_the_cpu, look_back_with_few_polls_matches_the_cpu,
    one_call_functions_match_the_cpu, empty_scan_gives_an_empty_result,
    arrays_larger_than_a_binding_match_the_cpu, large_pieces_of_one_stage_are_independent,
    sizes_beyond_any_device_are_rejected, invalid_policies_are_rejected,
    two_dimensional_dispatches_match_the_cpu, recursively_scanned_tile_sums_match_the_cpu,
    large_arrays_match_the_cpu,
    rows_have_the_bits_of_separate_scans, device_count_limits_the_scanned_rows,
    invalid_rows_are_rejected
);

const METHODS: [ScanMethod; 2] = [ScanMethod::ReduceThenScan, ScanMethod::LookBack];

/// Scans on the GPU, with guard words around the output, and compares with the CPU reference.
fn check(gpu: &Gpu, policy: &Policy, limits: &Limits, input: &[u32]) -> Result<()> {
    let mut setup = Setup::new(gpu, "scan");
    let (src, dst) = (setup.input("src", input), setup.output::<u32>("dst", input.len()));
    scan(&mut setup.graph, policy, &Scan::default(), &ScanBuffers::new(src, dst))?;
    setup.run_within(limits)?;
    let say = || format!("{:?}, n = {}", policy.scan, input.len());
    setup.expect(dst, &reference::exclusive_scan(input)).with_context(say)
}

fn check_all_methods(gpu: &Gpu, input: &[u32]) -> Result<()> {
    for method in METHODS {
        let policy = Policy { scan: method, ..gpu.policy() };
        check(gpu, &policy, &gpu.limits(), input)?;
    }
    Ok(())
}

fn tile(gpu: &Gpu) -> usize {
    gpu.policy().threads as usize * 16
}

fn sizes_around_tile_boundaries_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let tile = tile(gpu);
    let mut sizes = vec![1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 1000];
    for k in 1..=5 {
        sizes.extend([k * tile - 1, k * tile, k * tile + 1]);
    }
    sizes.extend([3 * tile + 7, 64 * tile, 64 * tile + 1, (1 << 20) + 3]);
    if gpu.full {
        sizes.extend(tile - 40..tile + 40);
        sizes.extend((0..200).map(|k| 2 * tile + 37 * k));
    }
    for n in sizes.into_iter().filter(|_| gpu.mine()) {
        check_all_methods(gpu, &uniform(n, n as u64))?;
    }
    Ok(())
}

fn special_values_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 5 * tile(gpu) + 77;
    for value in [0, 1, 0xFFFF, 0x1_0000, 0x8000_0000, u32::MAX] {
        check_all_methods(gpu, &vec![value; n])?;
    }
    Ok(())
}

fn one_call_functions_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let input = uniform(100_000, 7);
    expect_equal(&gpu.scan(&input)?, &reference::exclusive_scan(&input))
}

fn empty_scan_gives_an_empty_result(gpu: &Gpu) -> Result<()> {
    expect_equal(&gpu.scan(&[0u32; 0])?, &[])?;
    let mut graph = Graph::new("empty");
    let [src, dst] = ["src", "dst"].map(|name| graph.import::<u32>(name, 1));
    let buffers = ScanBuffers::new(src, dst).count(0);
    scan(&mut graph, &gpu.policy(), &Scan::default(), &buffers)?;
    let plan = graph.compile(&gpu.limits())?;
    ensure!(plan.steps().is_empty(), "a scan of an empty array has passes");
    Ok(())
}

/// Arrays that exceed `maxStorageBufferRange` are scanned in pieces. The test lowers the limit.
fn arrays_larger_than_a_binding_match_the_cpu(gpu: &Gpu) -> Result<()> {
    // The pieces must begin at aligned offsets.
    let threads = gpu.properties().subgroup_size.max(16);
    let tile = threads as usize * 16;
    // Tiles per piece. Reduce-then-scan can scan pieces of 128 tiles independently of each other,
    // but not pieces of 5 tiles.
    for piece in [5, 128] {
        let max_storage_range = (piece * tile * 4 + 100) as u64;
        let limits = Limits { max_storage_range, ..gpu.limits() };
        for method in METHODS {
            let policy = Policy { scan: method, threads, small_scans_up_to: 0, ..gpu.policy() };
            let policy = policy.lowered(|facts| facts.max_storage_range = max_storage_range);
            for n in [piece, 2 * piece, 3 * piece + 1].map(|tiles| tiles * tile) {
                check(gpu, &policy, &limits, &uniform(n, 3))?;
                check(gpu, &policy, &limits, &uniform(n + 1, 3))?;
            }
        }
    }
    Ok(())
}

/// Pieces of at least 64 tiles are independent of others in their stage, so they can run at once.
fn large_pieces_of_one_stage_are_independent(gpu: &Gpu) -> Result<()> {
    let tile = tile(gpu) as u64;
    let method = ScanMethod::ReduceThenScan;
    for (piece_tiles, pieces, levels) in [(64, 1, 3), (64, 5, 3), (100, 5, 3), (3, 5, 7)] {
        let max_storage_range = piece_tiles * tile * 4 + 100;
        let policy = Policy { scan: method, ..gpu.policy() };
        let policy = policy.lowered(|facts| facts.max_storage_range = max_storage_range);
        let limits = Limits { max_storage_range, ..gpu.limits() };
        // If possible, a piece contains a multiple of 64 tiles.
        let aligned = if piece_tiles >= 64 { piece_tiles / 64 * 64 } else { piece_tiles };
        let n = pieces * aligned * tile;
        let mut graph = Graph::new("scan");
        let (src, dst) = (graph.import::<u32>("src", n), graph.import::<u32>("dst", n));
        scan(&mut graph, &policy, &Scan::default(), &ScanBuffers::new(src, dst))?;
        let plan = graph.compile(&limits)?;
        let got = (plan.steps().len() as u64, plan.levels());
        let what = format!("{pieces} pieces of {piece_tiles} tiles: the pair of passes and levels");
        expect_value(what, &got, &(2 * pieces + 1, levels))?;
    }
    Ok(())
}

fn sizes_beyond_any_device_are_rejected(gpu: &Gpu) -> Result<()> {
    for method in METHODS {
        let policy = Policy { scan: method, ..gpu.policy() };
        for n in [1 << 50, 1 << 62, u64::MAX] {
            let mut graph = Graph::new("absurd");
            let (src, dst) = (graph.import::<u32>("src", n), graph.import::<u32>("dst", n));
            let buffers = ScanBuffers::new(src, dst).count(n);
            let result = scan(&mut graph, &policy, &Scan::default(), &buffers);
            expect_error!(result, TooLarge { .. }, "{method:?}, {n}");
            let result = fill(&mut graph, &policy, "fill", dst, 0);
            expect_error!(result, TooLarge { .. }, "fill, {n}");
        }
    }
    Ok(())
}

/// The error contains the name of the invalid field.
fn invalid_policies_are_rejected(gpu: &Gpu) -> Result<()> {
    for method in METHODS {
        let base = Policy { scan: method, ..gpu.policy() };
        let absurd = [
            ("`threads`", Policy { threads: 0, ..base }),
            ("`threads`", Policy { threads: base.threads + 1, ..base }),
            ("`spine_threads`", Policy { spine_threads: 1, ..base }),
            ("`spine_tiles`", Policy { spine_tiles: 0, ..base }),
            ("`look_back_tiles`", Policy { look_back_tiles: 33, ..base }),
            ("`spin_limit`", Policy { spin_limit: u32::MAX, ..base }),
            (
                "the limit `max_storage_range` is 0",
                base.lowered(|facts| facts.max_storage_range = 0),
            ),
        ];
        for (named, policy) in absurd {
            let result = check(gpu, &policy, &gpu.limits(), &uniform(1000, 1));
            let text = result.err().map(|error| error.to_string()).unwrap_or_default();
            ensure!(text.starts_with("policy: ") && text.contains(named), "{named}: {text}");
        }
    }
    Ok(())
}

fn two_dimensional_dispatches_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let limits = Limits { max_workgroup_count: [7, 65535, 65535], ..gpu.limits() };
    for method in METHODS {
        let policy = Policy { scan: method, ..gpu.policy() };
        for tiles in [7, 8, 20, 50] {
            check(gpu, &policy, &limits, &uniform(tiles * tile(gpu) - 3, 11))?;
        }
    }
    Ok(())
}

/// With a spin limit of 0, workgroups recompute predecessor tiles instead of polling for them.
fn look_back_with_few_polls_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    for (spin_limit, tickets) in [(0, true), (1, false), (5, true)] {
        let method = ScanMethod::LookBack;
        let policy = Policy { scan: method, spin_limit, tickets, ..gpu.policy() };
        check(gpu, &policy, &gpu.limits(), &uniform(70 * tile(gpu) + 9, 5))?;
    }
    Ok(())
}

/// If one workgroup cannot scan all tile sums, they are scanned in tiles themselves.
fn recursively_scanned_tile_sums_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let (threads, spine_tiles) = (gpu.properties().subgroup_size, 1);
    let method = ScanMethod::ReduceThenScan;
    let policy =
        Policy { scan: method, threads, spine_threads: threads, spine_tiles, ..gpu.policy() };
    let tile = threads as usize * 16;
    for n in [tile * tile, tile * tile + 1, 3 * tile * tile + 5] {
        check(gpu, &policy, &gpu.limits(), &uniform(n, 13))?;
    }
    Ok(())
}

fn random_cases_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(17);
    let subgroup = gpu.properties().subgroup_size;
    for _ in 0..if gpu.full { 500 } else { 30 } {
        let threads = subgroup << rng.below(4).min(u64::from((256 / subgroup).ilog2()));
        let policy = Policy {
            threads,
            scan: METHODS[rng.below(2) as usize],
            spin_limit: rng.below(40) as u32,
            tickets: rng.below(2) == 0,
            ..gpu.policy()
        };
        let (n, seed) = (1 + rng.below(200_000) as usize, rng.next_u64());
        gpu.case(|| {
            check(gpu, &policy, &gpu.limits(), &uniform(n, seed))
                .with_context(|| format!("{threads} threads"))
        })?;
    }
    Ok(())
}

/// In a full run on a software driver, the array exceeds a binding. On a GPU, it has 1 GiB.
fn large_arrays_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = match (gpu.full, gpu.is_software()) {
        (false, true) => (1 << 22) + 1,
        (true, true) => (1 << 25) + (1 << 12) + 3,
        (_, false) => (1 << 28) + 5,
    };
    check_all_methods(gpu, &uniform(n, 23))
}

/// Scans all rows in one call, and some of them alone.
fn check_rows<T: Key>(context: &Context, rows: usize, input: &[T]) -> Result<()> {
    let length = input.len() / rows;
    for how in [Scan::inclusive(Operator::Sum), Scan::exclusive(Operator::Max)] {
        let found = context.scan_with(input, &how.clone().rows(length as u64))?;
        let array = context.upload(input)?;
        let on_device = context.scan_with(&array, &how.clone().rows(length as u64))?;
        expect_keys(&context.download(&on_device)?, &found)?;
        for row in [0, 1, rows / 2, rows - 1] {
            let range = row * length..(row + 1) * length;
            let alone = context.scan_with(&input[range.clone()], &how)?;
            let say = || format!("row {row} of {rows}, {length} elements, {how:?}");
            expect_keys(&found[range], &alone).with_context(say)?;
        }
    }
    Ok(())
}

fn rows_have_the_bits_of_separate_scans(gpu: &Gpu) -> Result<()> {
    let max = gpu.max_scan_row() as usize;
    let lengths = [(3, 4), (500, 16), (7, 1004), (2, tile(gpu)), (3, max)];
    // Rows whose lengths are not multiples of 16 bytes.
    let unaligned = [(9, 1), (70, 3), (5, 1001), (2, max - 1)];
    for (rows, length) in gpu.cases(lengths.into_iter().chain(unaligned)) {
        let words = uniform(rows * length, length as u64);
        let floats: Vec<f32> = words.iter().map(|&x| x as f32 / 3.0).collect();
        check_rows(gpu, rows, &floats)?;
    }
    for length in gpu.cases([502, 501]) {
        let doubles: Vec<f64> = (0..7 * length).map(|x| f64::from(x) / 3.0).collect();
        gpu.run_or_refuse(|| check_rows(gpu, 7, &doubles))?;
    }
    // More rows than workgroups in the x dimension of a dispatch on some devices.
    check_rows(gpu, 66_000, &uniform(4 * 66_000, 1))?;
    expect_equal(&gpu.scan_with(&[0f32; 0], &Scan::default().rows(4))?, &[])
}

fn invalid_rows_are_rejected(gpu: &Gpu) -> Result<()> {
    let rows = |n: usize, length| gpu.scan_with(&vec![1u32; n], &Scan::default().rows(length));
    let keys = [1u32; 8];
    expect_errors! {
        rows(8, 3) => Rows { n: 8, length: 3 },
        rows(8, 0) => Rows { n: 8, length: 0 },
        gpu.scan_by_key(&keys, &keys, &Scan::default().rows(4)) => Segments { .. },
    }
    Ok(())
}

/// The row that contains the last counted element ends there.
fn device_count_limits_the_scanned_rows(gpu: &Gpu) -> Result<()> {
    for (length, n) in [(4, 22), (5, 21), (7, 0), (300, 1000), (1, 37)] {
        let input = uniform(length * 40, n as u64);
        let mut setup = Setup::new(gpu, "rows");
        let (src, dst) = (setup.input("src", &input), setup.output::<u32>("dst", input.len()));
        let count = setup.count(true, n as u32, input.len());
        let buffers = ScanBuffers::new(src, dst).count(count);
        let how = Scan::default().rows(length as u64);
        scan(&mut setup.graph, &gpu.policy(), &how, &buffers)?;
        setup.run()?;
        let rows = input[..n].chunks(length);
        let expected: Vec<u32> = rows.flat_map(reference::exclusive_scan).collect();
        setup.expect(dst, &expected).with_context(|| format!("{n} elements, rows of {length}"))?;
    }
    Ok(())
}
