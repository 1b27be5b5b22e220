//! Programs of a few instructions on the machine: they must write the same words as on a driver, at
//! the driver's subgroup width, and their defects must be reported.

use std::sync::Arc;

use crate::common::driver::Driver;
use anyhow::{Context as _, Result, ensure};
use multisplit_machine::{Machine, Options, Reconvergence, Rng, Schedule};
use multisplit_shaders::Kernel;
use multisplit_shaders::compile::{Source, compile};

/// Common beginning of all programs. `i` is the index of the invocation, `l` its index in the
/// workgroup, `x`, `y` and `z` are its three input words, and `put` writes one of its four results.
const HEAD: &str = "#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uint at[]; } src;
layout(set = 0, binding = 1, std430) buffer Out { uint at[]; } dst;
layout(set = 0, binding = 2, std430) buffer Sums { uint at[]; } sums;
uint i = gl_GlobalInvocationID.x;
uint l = gl_LocalInvocationIndex;
void put(uint k, uint word) { dst.at[k * 192 + i] = word; }
void put(uint k, int word) { put(k, uint(word)); }
void put(uint k, float word) { put(k, floatBitsToUint(word)); }
void put(uint k, bool word) { put(k, word ? 1u : 0u); }
";
const INVOCATIONS: usize = 192;

/// Programs, one per line: the name, declarations (often none) before ` => `, and the body of
/// `main`.
const PROGRAMS: &str = "
add_and_multiply: put(0, x + y * z); put(1, x - y); put(2, -int(x)); put(3, ~x);
divide: put(0, x / (y | 1u)); put(1, x % (y | 1u)); put(2, int(x) / int(y >> 8 | 1u)); put(3, int(x >> 1) % int(y >> 9 | 1u));
shift: put(0, x << (y & 31u)); put(1, x >> (y & 31u)); put(2, int(x) >> (y & 31u)); put(3, (x & y) | (x ^ z));
count_bits: put(0, bitCount(x)); put(1, findLSB(x & 0xFF00u)); put(2, findMSB(x >> (y & 31u))); put(3, bitfieldReverse(x));
fields: put(0, bitfieldExtract(x, 3, 11)); put(1, bitfieldExtract(int(x), 5, 9)); put(2, findMSB(int(x))); put(3, x & 1u);
extended: uint high; uint low; umulExtended(x, y, high, low); uint c; uint s = uaddCarry(x, y, c); uint b; uint d = usubBorrow(x, y, b); put(0, high ^ low); put(1, s + c); put(2, d); put(3, b);
bounds: put(0, min(x, y)); put(1, max(int(x), int(y))); put(2, clamp(x, min(y, z), max(y, z))); put(3, abs(int(x)));
compare: put(0, x < y); put(1, int(x) < int(y)); put(2, x >= y || int(x) <= int(z)); put(3, x == y ? z : y);
wide: uint64_t a = uint64_t(x) << 32 | y; uint64_t b = a * z + 7ul; put(0, uint(b)); put(1, uint(b >> 32)); put(2, uint(a / (z | 1u))); put(3, a < b);
wide_signed: int64_t a = int64_t(int(x)) * int64_t(int(y)); put(0, uint(a)); put(1, uint(a >> 40)); put(2, a < 0l); put(3, uint((a & 0x7FFFFFFFFFl) % 1000l));
pack: uint64_t a = packUint2x32(uvec2(x, y)); uvec2 b = unpackUint2x32(a + 1ul); put(0, b.x); put(1, b.y); put(2, uint(a >> 16)); put(3, 0u);
floats: float a = float(x >> 8); float b = float(y >> 8) + 1.0; put(0, a + b); put(1, a * b); put(2, a / b); put(3, a - b);
float_compare: float a = float(int(x >> 8) - 4000000); put(0, a < 0.0); put(1, a != 5.0); put(2, min(a, 3.0)); put(3, clamp(a, -7.0, 7.0));
float_round: float a = float(int(x >> 12)) / 16.0; put(0, floor(a)); put(1, ceil(a)); put(2, trunc(-a)); put(3, fract(a));
float_convert: float a = float(x >> 10) * 0.25; put(0, uint(a)); put(1, int(-a)); put(2, float(int(x))); put(3, abs(-a));
doubles: double a = double(x) + double(y) / 3.0lf; put(0, float(a)); put(1, uint(a * 0.5lf)); put(2, a > 4.0e9lf); uvec2 b = unpackDouble2x32(a); put(3, b.x ^ b.y);
vectors: uvec4 v = uvec4(x, y, z, i); uvec4 w = v.wzyx + v; put(0, w.x ^ w.w); put(1, dot(vec2(v.xy & 0xFFu), vec2(v.zw & 0xFFu))); put(2, any(lessThan(v, w))); put(3, v[i & 3u]);
arrays: uint t[5]; for (uint k = 0; k < 5; ++k) t[k] = x >> k; t[y % 5u] += z; put(0, t[z % 5u]); put(1, t[0] + t[4]); put(2, t.length()); put(3, 0u);
structs: struct Pair { uint a; uvec2 b; }; Pair turned(Pair p) { p.a += p.b.y; p.b = p.b.yx; return p; } => Pair p = turned(Pair(x, uvec2(y, z))); put(0, p.a); put(1, p.b.x); put(2, p.b.y); put(3, 0u);
calls: uint twice(inout uint a, out uint b) { b = a; a *= 2u; if ((a & 4u) != 0u) return 5u; b += 1u; return a; } => uint a = x; uint b; put(0, twice(a, b)); put(1, a); put(2, b); put(3, twice(b, a));
loops: uint s = 0; for (uint k = 0; k < (x & 15u); ++k) { if ((k & 3u) == 2u) continue; s += k * y; } uint n = 0; while ((s >> n) > 100u) ++n; uint m = 0; do { m += 3u; } while (m < (y & 31u)); put(0, s); put(1, n); put(2, m); put(3, 0u);
nested_loops: uint s = 0; for (uint k = 0; k < 6; ++k) { bool done = false; uint j = 0; while (!done) { s += j ^ k; ++j; done = j > (x >> k & 7u); } } put(0, s); put(1, 0u); put(2, 0u); put(3, 0u);
switches: uint r = 0; switch (x & 7u) { case 0: r = 1; break; case 1: case 2: r = y; break; case 5: r = 9; default: r += z; } put(0, r); put(1, 0u); put(2, 0u); put(3, 0u);
conditions: bool odd(uint a) { return (a & 1u) != 0u; } => bool a = odd(x) && odd(y) || odd(z); put(0, a); put(1, odd(x) ? (odd(y) ? 1u : 2u) : 3u); put(2, !a); put(3, a != odd(x));
reversed_through_shared: shared uint room[64]; => room[l] = x; barrier(); put(0, room[63u - l]); barrier(); room[l] = y; barrier(); put(1, room[l ^ 5u]); put(2, 0u); put(3, 0u);
scan_in_shared: shared uint room[64]; => room[l] = x & 255u; barrier(); for (uint step = 1; step < 64; step *= 2) { uint v = l >= step ? room[l - step] : 0u; barrier(); room[l] += v; barrier(); } put(0, room[l]); put(1, 0u); put(2, 0u); put(3, 0u);
atomics_in_shared: shared uint room[8]; => if (l < 8) room[l] = 0; barrier(); atomicAdd(room[x & 1u], y & 255u); atomicMax(room[2], y); atomicOr(room[3], 1u << (x & 31u)); atomicXor(room[4], z); barrier(); for (uint k = 0; k < 4; ++k) put(k, room[k] + (k == 0u ? room[4] : 0u));
atomics_in_buffers: atomicAdd(sums.at[0], x & 255u); atomicMin(sums.at[1], y); atomicMax(sums.at[2], z); atomicAnd(sums.at[3], ~(1u << (l & 31u))); atomicOr(sums.at[4], 1u << (x & 31u)); atomicXor(sums.at[5], y); put(0, 0u);
compare_and_swap: bool done = false; uint seen = 0u; while (!done) { uint found = atomicCompSwap(sums.at[6], seen, seen + (x & 15u)); done = found == seen; seen = found; } put(0, done);
subgroup_sums: uint v = x & 1023u; put(0, subgroupAdd(v)); put(1, subgroupInclusiveAdd(v)); put(2, subgroupExclusiveAdd(v)); put(3, subgroupMin(y));
subgroup_others: put(0, subgroupMax(y)); put(1, subgroupOr(x)); put(2, subgroupAnd(x)); put(3, subgroupXor(x));
subgroup_floats: float f = float(x & 255u); put(0, subgroupAdd(f)); put(1, subgroupMax(f)); put(2, subgroupInclusiveAdd(f)); put(3, subgroupMin(f));
ballots: uvec4 b = subgroupBallot((x & 1u) != 0u); put(0, b.x); put(1, subgroupBallotBitCount(b)); put(2, subgroupBallotInclusiveBitCount(b)); put(3, subgroupBallotExclusiveBitCount(b));
ballot_bits: uvec4 b = subgroupBallot((x & 3u) != 0u) | uvec4(1, 0, 0, 0); put(0, subgroupBallotFindLSB(b)); put(1, subgroupBallotFindMSB(b)); put(2, subgroupInverseBallot(b)); put(3, subgroupBallotBitExtract(b, y % gl_SubgroupSize));
votes: put(0, subgroupAll(x > 5u)); put(1, subgroupAny(x > 4000000000u)); put(2, subgroupAllEqual(gl_SubgroupID)); put(3, subgroupElect());
shuffles: put(0, subgroupShuffle(x, y % gl_SubgroupSize)); put(1, subgroupShuffleXor(x, 1u)); uint lane = gl_SubgroupInvocationID; uint up = subgroupShuffle(x, lane == 0u ? 0u : lane - 1u); put(2, up); put(3, subgroupBroadcast(x, 1u));
broadcasts: put(0, subgroupBroadcastFirst(x)); put(1, subgroupShuffle(uvec2(x, y), 0u).y); put(2, subgroupBroadcast(y, 3u)); put(3, gl_SubgroupInvocationID);
diverged_sums: uint r; if ((x & 1u) != 0u) { r = subgroupAdd(1u); } else { r = 100u + subgroupAdd(1u); } put(0, r); put(1, subgroupAdd(r)); put(2, 0u); put(3, 0u);
masks: put(0, gl_SubgroupEqMask.x); put(1, gl_SubgroupLtMask.x); put(2, gl_SubgroupLeMask.x); put(3, gl_SubgroupGtMask.x & ((1u << gl_SubgroupSize) - 1u));
identity: put(0, gl_WorkGroupID.x); put(1, gl_NumWorkGroups.x * 1000u + gl_WorkGroupSize.x); put(2, gl_SubgroupSize * 100u + gl_NumSubgroups); put(3, gl_SubgroupID);
lengths: put(0, src.at.length()); put(1, dst.at.length()); put(2, 0u); put(3, 0u);
";

/// Parses a list of programs. Returns the name, the kernel and, with `messages`, the expected
/// message of each.
fn kernels(programs: &str, messages: bool) -> Result<Vec<(&str, Arc<Kernel>, &str)>> {
    let all = programs.lines().filter(|line| !line.is_empty()).map(|line| {
        let (name, program) = line.split_once(": ").context("a program has no name")?;
        let (program, message) = match messages {
            true => program.rsplit_once(" => ").context("a program has no expected message")?,
            false => (program, ""),
        };
        Ok((name, kernel(name, program).with_context(|| name.to_owned())?, message))
    });
    all.collect()
}

/// Compiles a program from its declarations, if any, and the body of `main`.
fn kernel(name: &str, program: &str) -> Result<Arc<Kernel>> {
    let (declarations, body) = program.split_once(" => ").unwrap_or(("", program));
    let glsl = format!(
        "{HEAD}{declarations}\nvoid main() {{\nuint x = src.at[i]; uint y = src.at[i + 192u]; uint z = src.at[i + 384u];\n{body}\n}}\n"
    );
    Ok(Kernel::new(format!("test.{name}"), compile(&Source::new(name, &glsl))?)?)
}

/// The contents of `src`, by index, and zeros in the other buffers.
fn inputs(src: impl Fn(u32) -> u32) -> [Vec<u32>; 3] {
    [(0..3 * INVOCATIONS as u32).map(src).collect(), vec![0; 4 * INVOCATIONS], vec![0; 8]]
}

fn on_machine(kernel: &Kernel, options: Options, inputs: &[Vec<u32>; 3]) -> Result<[Vec<u32>; 2]> {
    let mut machine = Machine::new(options);
    let names = ["src", "dst", "sums"];
    let [src, dst, sums] = [0, 1, 2].map(|k| (names[k], machine.upload(names[k], &inputs[k])));
    machine.dispatch(kernel, &[src, dst, sums], [3, 1, 1])?;
    ensure!(machine.findings.is_empty(), "{}", machine.findings);
    Ok([dst, sums].map(|(_, buffer)| machine.download(buffer).to_vec()))
}

#[test]
fn machine_and_driver_give_the_same_results() -> Result<()> {
    let driver = Driver::open()?;
    let width = driver.width();
    let programs = kernels(PROGRAMS, false)?;
    println!("comparing {} programs at subgroup width {width}", programs.len());
    let mut rng = Rng::new(1);
    let src: Vec<u32> = (0..3 * INVOCATIONS).map(|_| rng.next_u64() as u32).collect();
    let inputs = [src, vec![0; 4 * INVOCATIONS], vec![0, u32::MAX, 0, u32::MAX, 0, 0, 0, 0]];
    for (name, kernel, _) in programs {
        let expected = driver.run(&kernel, &inputs).with_context(|| name.to_owned())?;
        for schedule in [Schedule::InOrder, Schedule::Reversed, Schedule::Random] {
            let options = Options { schedule, ..Options::new(width) };
            let got = on_machine(&kernel, options, &inputs).with_context(|| name.to_owned())?;
            for (got, expected) in got.iter().zip(&expected) {
                let wrong = got.iter().zip(expected).position(|(a, b)| a != b);
                ensure!(
                    wrong.is_none(),
                    "{name}, {schedule:?}: word {wrong:?} is {:x?} on the machine and {:x?} on the \
                     driver",
                    wrong.map(|at| got[at]),
                    wrong.map(|at| expected[at]),
                );
            }
        }
    }
    Ok(())
}

/// Programs with one defect each. The text after ` => ` is part of the message that the machine
/// must report.
const WRONG: &str = "
race_in_shared: shared uint room[64]; => room[l] = x; put(0, room[63u - l]); => data race
race_of_writes: sums.at[0] = x; => data race
atomic_and_plain: atomicAdd(sums.at[0], 1u); if (i == 5u) put(0, sums.at[0]); => data race
buffer_across_barrier: put(0, x); barrier(); put(1, dst.at[gl_WorkGroupID.x * 64u + 63u - l]); => data race
not_coherent: put(0, x); memoryBarrierBuffer(); barrier(); put(1, dst.at[gl_WorkGroupID.x * 64u + 63u - l]); => not coherent
past_the_buffer: put(0, src.at[i + 512u]); => out of bounds
past_the_array: uint t[4]; t[x & 3u] = 1; t[i & 7u] = 2; put(0, t[0]); => out of bounds
past_shared: shared uint room[32]; => if (l < 40u) room[l] = x; => out of bounds
unwritten_shared: shared uint room[64]; => if (l > 0u) room[l] = x; barrier(); put(0, room[l]); => was not written
undefined_condition: uint t; if (l > 3u) t = x; if (t > 5u) put(0, 1u); => undefined value is used: a condition
undefined_address: uint t; if (l > 3u) t = 1u; put(0, src.at[t]); => undefined value is used: an address
undefined_in_memory: uint t[4]; t[0] = x; put(0, t[l & 1u]); => undefined value is used: a stored value
undefined_read_back: shared uint room[64]; => uint t; if (l > 3u) t = 1u; room[l] = t; barrier(); put(0, room[l]); => was not written
undefined_in_a_function: uint once(bool set, uint v) { uint t; if (set) t = v; return t; } => uint a = once(true, x); put(0, a + once(false, y)); => undefined value is used: a stored value
undefined_vote: uint t; if (l > 3u) t = x; uvec4 votes = subgroupBallot(t > 5u); put(0, votes.x); => undefined value is used: a vote
barrier_for_some: if (x > 1000000000u) barrier(); => barrier
barrier_after_return: if (l == 3u) return; barrier(); => barrier
absent_lane: if ((l & 1u) == 0u) put(0, subgroupShuffle(x, 1u)); => inactive lane
endless: uint k = x; while (k != 1u) { k = k * 2u + 2u; } put(0, k); => budget
";

#[test]
fn every_defect_is_reported() -> Result<()> {
    let inputs = inputs(|k| k.wrapping_mul(0x9E37_79B9));
    for (name, kernel, expected) in kernels(WRONG, true)? {
        for width in [4, 32, 64, 128] {
            let options =
                Options { schedule: Schedule::Random, budget: 10_000_000, ..Options::new(width) };
            let found = on_machine(&kernel, options, &inputs);
            let text = found.err().map(|e| e.to_string()).unwrap_or_default();
            ensure!(
                text.contains(expected),
                "{name} at width {width}: expected {expected:?}, found {text:?}"
            );
        }
    }
    Ok(())
}

/// Undefined values are accepted if no result depends on them.
#[test]
fn unused_undefined_values_are_accepted() -> Result<()> {
    let harmless = "uint t; if (l > 3u) t = x; uint copy = t; put(0, l > 3u ? copy : 7u); put(1, (l > 3u ? 1u : 0u) * copy); bool yes = l > 3u && copy > 5u; put(2, yes); put(3, 0u);";
    let kernel = kernel("harmless", harmless)?;
    on_machine(&kernel, Options::new(16), &inputs(|_| 9)).map(|_| ())
}

#[test]
fn unknown_specialization_constant_is_rejected() -> Result<()> {
    let mut machine = Machine::new(Options::new(32));
    machine.specialize("ITEMS", 4)?;
    let error = machine.specialize("ITEMZ", 4).err().map(|e| e.to_string());
    ensure!(error.is_some_and(|e| e.contains("`ITEMZ`")));
    Ok(())
}

/// Sums over the lanes after a selection. The sum is complete only if the lanes are guaranteed to
/// have reconverged.
#[test]
fn lanes_reconverge_only_where_guaranteed() -> Result<()> {
    let outer = "if (gl_SubgroupID == 0u) { uint r = 1u; if ((x & 1u) != 0u) r = 2u; put(0, subgroupAdd(r) * 0u + subgroupAdd(1u)); }";
    let inner =
        "uint r = 0u; if (l < 7u) { if ((x & 1u) != 0u) r = 2u; r = subgroupAdd(1u); } put(0, r);";
    let inputs = inputs(|k| k * 7919);
    let sums = |body: &str, schedule, reconvergence| -> Result<u32> {
        let kernel = kernel("diverged", body)?;
        let options = Options { schedule, reconvergence, ..Options::new(16) };
        Ok(on_machine(&kernel, options, &inputs)?[0][0])
    };
    use Reconvergence::{Maximal, SubgroupUniform, WorkgroupUniform};
    let last_first = Schedule::Reversed;
    ensure!(sums(outer, last_first, Maximal)? == 16);
    ensure!(sums(outer, last_first, SubgroupUniform)? == 16);
    ensure!(sums(outer, last_first, WorkgroupUniform)? < 16);
    ensure!(sums(inner, last_first, Maximal)? == 7);
    ensure!(sums(inner, last_first, SubgroupUniform)? < 7);
    Ok(())
}

/// Runs two workgroups of a program with coherent words `data` and volatile words `flag`, on a
/// device with subgroups of 16 lanes. Returns the findings.
fn hand_off_findings(main: &str, schedule: Schedule, seed: u64) -> Result<String> {
    let glsl = format!(
        "#version 460
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0, std430) coherent buffer Data {{ uint at[]; }} data;
        layout(set = 0, binding = 1, std430) volatile buffer Flag {{ uint at[]; }} flag;
        void main() {{
            uint group = gl_WorkGroupID.x, l = gl_LocalInvocationIndex;
            {main}
        }}"
    );
    let kernel = Kernel::new("test.hand_off", compile(&Source::new("hand_off.comp", &glsl))?)?;
    let mut machine = Machine::new(Options { schedule, seed, ..Options::new(16) });
    let [data, flag] = ["data", "flag"].map(|name| (name, machine.upload(name, &[0; 4])));
    machine.dispatch(&kernel, &[data, flag], [2, 1, 1])?;
    Ok(machine.findings.to_string())
}

/// A lane hands a word over to a lane of another subgroup, which hands it over to another
/// workgroup. Without any one of the barriers, there is a data race.
#[test]
fn volatile_words_with_memory_barriers_order_accesses() -> Result<()> {
    const BARRIER: &str = "memoryBarrierBuffer();";
    let main = "
        if (group == 0u && l == 0u) {
            data.at[0] = 7u;
            memoryBarrierBuffer();
            flag.at[0] = 1u;
        }
        if (group == 0u && l == 63u) {
            while (flag.at[0] == 0u);
            memoryBarrierBuffer();
            data.at[1] = data.at[0];
            memoryBarrierBuffer();
            flag.at[1] = 1u;
        }
        if (group == 1u && l == 0u) {
            while (flag.at[1] == 0u);
            memoryBarrierBuffer();
            data.at[2] = data.at[0] + data.at[1];
        }";
    for seed in 0..8 {
        let found = hand_off_findings(main, Schedule::Random, seed)?;
        ensure!(found.is_empty(), "seed {seed}: expected no findings, found {found}");
    }
    let barriers: Vec<_> = main.match_indices(BARRIER).collect();
    ensure!(barriers.len() == 4);
    for (at, _) in barriers {
        let without = [&main[..at], &main[at + BARRIER.len()..]].concat();
        let found = hand_off_findings(&without, Schedule::Random, 1)?;
        ensure!(found.contains("data race"), "{without}: expected a data race, found {found:?}");
    }
    Ok(())
}

/// A reader that gets the old value of a volatile word is ordered after the write of that value,
/// but not after the last write.
#[test]
fn old_value_of_a_volatile_word_does_not_order_the_last_write() -> Result<()> {
    let writer = "
        if (group == 0u && l == 0u) {
            data.at[0] = 7u;
            memoryBarrierBuffer();
            flag.at[0] = 1u;
            data.at[1] = 8u;
            memoryBarrierBuffer();
            flag.at[0] = 2u;
        }";
    for (access, is_race) in [
        ("if (seen >= 1u) data.at[2] = data.at[0];", false),
        ("if (seen >= 2u) data.at[2] = data.at[1];", false),
        ("data.at[2] = data.at[1];", true),
    ] {
        let reader = "uint seen = flag.at[0]; memoryBarrierBuffer();";
        let main = format!("{writer} if (group == 1u && l == 0u) {{ {reader} {access} }}");
        let mut found = String::new();
        for seed in 0..16 {
            // The first workgroup ends before the second one begins.
            found.push_str(&hand_off_findings(&main, Schedule::InOrder, seed)?);
        }
        ensure!(
            found.contains("data race") == is_race && found.is_empty() != is_race,
            "{access} data race expected: {is_race}, found {found:?}"
        );
    }
    Ok(())
}
