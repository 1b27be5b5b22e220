//! GLSL operators and predicates of users, compared with the same functions on the CPU. Some
//! operators are not commutative, and some are invalid and must be rejected.

use multisplit_tests::prelude::*;

tests!(user_terms:
    scans_of_noncommutative_operators_match_the_cpu,
    reductions_of_noncommutative_operators_match_the_cpu,
    segmented_noncommutative_operators_match_the_cpu, glsl_predicates_match_the_cpu,
    invalid_operators_are_rejected, invalid_predicates_are_rejected,
);

/// Composes two affine maps x -> a x + b modulo 2^16 or 2^32: an associative operation that is not
/// commutative.
fn then(key_bits: u32, first: u64, second: u64) -> u64 {
    let half = key_bits / 2;
    let mask = (1u64 << half) - 1;
    let (a, b) = (first & mask, first >> half);
    let (c, d) = (second & mask, second >> half);
    (a.wrapping_mul(c) & mask) | ((b.wrapping_mul(c).wrapping_add(d)) & mask) << half
}

const THEN_U32: &str = "
    uint combined(uint f, const uint g) {
        uint a = (f & 0xFFFFu) * (g & 0xFFFFu);
        uint b = (f >> 16) * (g & 0xFFFFu) + (g >> 16);
        return (a & 0xFFFFu) | (b << 16);
    }";
const THEN_I64: &str = "
    int64_t combined(int64_t f, int64_t g) {
        uint c = uint(uint64_t(g));
        uint64_t a = uint64_t(uint(uint64_t(f)) * c);
        uint64_t b = uint64_t(uint(uint64_t(f) >> 32) * c + uint(uint64_t(g) >> 32));
        return int64_t(a | b << 32);
    }";

/// A type with an associative operator that is given in GLSL and in Rust.
trait Chained: Term {
    const SOURCE: &'static str;
    const IDENTITY: Self;
    fn then(self, next: Self) -> Self;
}

impl Chained for u32 {
    const SOURCE: &'static str = THEN_U32;
    const IDENTITY: Self = 1;
    fn then(self, next: Self) -> Self {
        then(32, self.into(), next.into()) as Self
    }
}

impl Chained for i64 {
    const SOURCE: &'static str = THEN_I64;
    const IDENTITY: Self = 1;
    fn then(self, next: Self) -> Self {
        then(64, self as u64, next as u64) as Self
    }
}

/// For floats, the operator returns the last value that is not NaN.
impl Chained for f32 {
    const SOURCE: &'static str =
        "float combined(float a, float b) { return b != b ? a : b; } // the last number";
    const IDENTITY: Self = f32::NAN;
    fn then(self, next: Self) -> Self {
        if next.is_nan() { self } else { next }
    }
}

fn operator<T: Chained>() -> GlslOperator {
    GlslOperator::new(T::SOURCE, T::IDENTITY)
}

fn input<T: Chained>(n: usize, seed: u64) -> Vec<T> {
    // The input contains only one NaN value, since a device may return any NaN for a NaN.
    let is_identity = |x: T| T::IDENTITY.then(x).key_bits() == T::IDENTITY.key_bits();
    let all: Vec<T> = terms::input(Operator::Max, n, seed);
    all.into_iter().map(|x| if is_identity(x) { T::IDENTITY } else { x }).collect()
}

fn scanned<T: Chained>(inclusive: bool, input: &[T]) -> Vec<T> {
    let mut so_far = T::IDENTITY;
    let step = |&x: &T| {
        let before = so_far;
        so_far = so_far.then(x);
        if inclusive { so_far } else { before }
    };
    input.iter().map(step).collect()
}

fn reduced<T: Chained>(input: &[T]) -> T {
    input.iter().fold(T::IDENTITY, |so_far, &x| so_far.then(x))
}

/// A policy by which one workgroup alone processes at most `16 * spine_threads` elements.
fn policy(gpu: &Gpu) -> Policy {
    Policy { single_group_tiles: 0, spine_tiles: 1, ..gpu.policy() }
}

fn check_scan<T: Chained>(gpu: &Gpu, policy: &Policy, inclusive: bool, n: usize) -> Result<()> {
    let input: Vec<T> = input(n + 9, 5);
    let mut setup = Setup::new(gpu, "scan");
    let (src, dst) = (setup.input("src", &input), setup.output::<T>("dst", n + 9));
    let how =
        if inclusive { Scan::inclusive(operator::<T>()) } else { Scan::exclusive(operator::<T>()) };
    let count = setup.count(inclusive, n as u32, n + 9);
    scan(&mut setup.graph, policy, &how, &ScanBuffers::new(src, dst).count(count))?;
    setup.run()?;
    setup
        .expect(dst, &scanned(inclusive, &input[..n]))
        .with_context(|| format!("{}, n = {n}, inclusive: {inclusive}", T::TYPE))
}

fn scans_of_noncommutative_operators_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let tile = policy.threads as usize * 16;
    if gpu.full {
        for n in [1, 3, tile - 1, tile, 17 * tile] {
            for inclusive in [false, true] {
                check_scan::<u32>(gpu, &policy, inclusive, n)?;
                gpu.run_or_refuse(|| check_scan::<i64>(gpu, &policy, inclusive, n))?;
                check_scan::<f32>(gpu, &policy, inclusive, n)?;
            }
        }
    }
    gpu.case(|| check_scan::<u32>(gpu, &policy, false, 5 * tile + 7))?;
    gpu.case(|| gpu.run_or_refuse(|| check_scan::<i64>(gpu, &policy, true, 5 * tile + 7)))?;
    gpu.case(|| check_scan::<f32>(gpu, &policy, false, 5 * tile + 7))
}

fn check_reduce<T: Chained>(gpu: &Gpu, policy: &Policy, n: usize) -> Result<()> {
    let input: Vec<T> = input(n, 6);
    let mut setup = Setup::new(gpu, "reduce");
    let (src, dst) = (setup.input("src", &input), setup.output::<T>("dst", 1));
    reduce(&mut setup.graph, policy, operator::<T>(), &ReduceBuffers::new(src, dst))?;
    setup.run()?;
    setup.expect(dst, &[reduced(&input)]).with_context(|| format!("{}, n = {n}", T::TYPE))
}

fn reductions_of_noncommutative_operators_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let policy = policy(gpu);
    let tile = policy.threads as usize * 16;
    // With small workgroups, the arrays have many tiles.
    let threads = gpu.properties().subgroup_size;
    let small = Policy { threads, spine_threads: threads, ..policy };
    for n in [1, tile + 3, 9 * tile + 7] {
        gpu.case(|| check_reduce::<u32>(gpu, &policy, n))?;
        gpu.case(|| check_reduce::<f32>(gpu, &small, n))?;
    }
    gpu.run_or_refuse(|| one_call_reduction_of_i64(gpu))
}

fn one_call_reduction_of_i64(context: &Context) -> Result<()> {
    let some: Vec<i64> = input(3000, 2);
    let found = context.reduce(&some, operator::<i64>())?;
    ensure!(found == reduced(&some));
    ensure!(context.reduce(&[0i64; 0], operator::<i64>())? == 1);
    Ok(())
}

fn segmented_noncommutative_operators_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 3 * gpu.policy().threads as usize * 16 + 5;
    let mut rng = Rng::new(4);
    let heads: Vec<bool> = (0..n).map(|at| at == 0 || rng.below(900) == 0).collect();
    let values: Vec<u32> = input(n, 9);
    let keys: Vec<u32> = heads
        .iter()
        .scan(0, |key, &head| {
            *key += u32::from(head);
            Some(*key)
        })
        .collect();
    let segments = terms::segments(&values, &heads);
    let expected: Vec<u32> = segments.iter().flat_map(|of| scanned(false, of)).collect();
    let how = Scan::exclusive(operator::<u32>());
    expect_equal(&gpu.scan_by_key(&keys, &values, &how)?, &expected)?;
    let expected: Vec<u32> = segments.iter().map(|of| reduced(of)).collect();
    let (_, found) = gpu.reduce_by_key(&keys, &values, operator::<u32>())?;
    expect_equal(&found, &expected)?;
    let offsets = reference::offsets(segments.iter().map(|of| of.len() as u32));
    expect_equal(&gpu.reduce_segments(&values, &offsets, operator::<u32>())?, &expected)?;
    for length in gpu.cases([4, 8, 24, 1000]) {
        let rows = &values[..values.len() / length * length];
        let expected: Vec<u32> = rows.chunks(length).map(reduced).collect();
        let found = gpu.reduce_rows(rows, length as u64, operator::<u32>())?;
        expect_equal(&found, &expected)?;
    }
    Ok(())
}

fn glsl_predicates_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let n = 3 * gpu.policy().threads as usize * 16 + 5;
    let keys: Vec<u32> = terms::input(Operator::Max, n, 3);
    let (odd, even): (Vec<u32>, Vec<u32>) = keys.iter().partition(|&&key| key % 2 == 1);
    let which = Select::glsl("bool is_selected(const uint key) { return (key & 1u) != 0u; }");
    let (found, others) = gpu.partition(&keys, &which)?;
    expect_equal(&found, &odd)?;
    expect_equal(&others, &even)?;
    let floats: Vec<f32> = terms::input(Operator::Max, 5000, 8);
    let kept: Vec<f32> = floats.iter().copied().filter(|x| x.is_finite()).collect();
    let finite = Select::glsl("bool is_selected(float x) { return !isnan(x) && !isinf(x); }");
    expect_equal(&bits(&gpu.select(&floats, &finite)?), &bits(&kept))?;
    let wide: Vec<i64> = terms::input(Operator::Max, 5000, 3);
    let table = Glsl::new(
        "bool is_selected(int64_t key) { return table.at[uint(key) & 3u] == push.parameter_1; }",
    )
    .table(&[5, 1, 5, 5])
    .parameters([0, 5, 0]);
    let kept: Vec<i64> = wide.iter().copied().filter(|key| key & 3 != 1).collect();
    expect_equal(&gpu.select(&wide, &Select::glsl(table))?, &kept)
}

fn invalid_operators_are_rejected(gpu: &Gpu) -> Result<()> {
    let reduce = |source: &str| {
        let operator = GlslOperator::new(source, 0u32);
        gpu.reduce(&[1u32, 2], operator)
    };
    for (source, expected) in [
        ("uint combined(uint a, uint b) { return a + c; }", "user_operator.glsl:1"),
        ("uint combined(uint a) { return a; }", "write `uint combined(uint a, uint b)`"),
        (
            "int combined(uint a, uint b) { return 1; }",
            "combined returns `int`, but elements are `uint`",
        ),
        ("uint combine(uint a, uint b) { return a; }", "no function `uint combined(uint, uint)`"),
        ("uint combined(uint a, uint b) { return a + push.parameter_0; }", "push"),
        ("uint x; uint combined(uint a, uint b) { x = a; return x; }", "`combined`"),
        ("uint combined(uint a, uint b) { barrier(); return a; }", "`combined`"),
        (
            "layout(set = 0, binding = 0) buffer B { uint at[]; } own; uint combined(uint a, uint b) { own.at[0] = a; return b; }",
            "own",
        ),
    ] {
        expect_compile_error(reduce(source), &[expected])?;
    }
    let other = GlslOperator::new(THEN_U32, 1u32);
    expect_errors! {
        gpu.reduce(&[1i32], other) => KeyTypeMismatch { name: "identity", .. },
    }
    Ok(())
}

fn invalid_predicates_are_rejected(gpu: &Gpu) -> Result<()> {
    let select = |source: &str| gpu.select(&[1u32, 2], &Select::glsl(source));
    for (source, expected) in [
        ("bool is_selected(uint key) { return key; }", "user_predicate.glsl:1"),
        (
            "uint is_selected(uint key) { return key; }",
            "is_selected returns `uint`, but results are `bool`",
        ),
        ("bool is_selected(float key) { return true; }", "write `bool is_selected(uint key)`"),
        ("uint y; bool is_selected(uint key) { y = key; return true; }", "`is_selected`"),
    ] {
        expect_compile_error(select(source), &[expected])?;
    }
    Ok(())
}
