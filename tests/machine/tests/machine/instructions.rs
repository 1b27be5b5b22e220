//! Compares the machine with a driver: small programs of a few instructions must give the same
//! words on both, at the driver's subgroup width.

use crate::common::driver::Driver;
use crate::common::programs::PROGRAMS;
use anyhow::{Context as _, Result, ensure};
use multisplit_machine::{Machine, Options, Reconvergence, Rng, Schedule};
use multisplit_shaders::Kernel;
use multisplit_shaders::compile::{Source, compile};

/// Common beginning of all programs: `i` is the invocation, `x`, `y` and `z` are three of its
/// words, and `put` writes one of four results.
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

fn spirv(name: &str, declarations: &str, body: &str) -> Result<Vec<u32>> {
    let glsl = format!(
        "{HEAD}{declarations}\nvoid main() {{\nuint x = src.at[i]; uint y = src.at[i + 192u]; uint z = src.at[i + 384u];\n{body}\n}}\n"
    );
    Ok(compile(&Source::new(name, &glsl))?)
}

fn on_machine(kernel: &Kernel, options: Options, inputs: &[Vec<u32>; 3]) -> Result<[Vec<u32>; 2]> {
    let mut machine = Machine::new(options);
    let [src, dst, sums] = ["src", "dst", "sums"].map(|name| name);
    let a = machine.upload(src, &inputs[0]);
    let b = machine.upload(dst, &inputs[1]);
    let c = machine.upload(sums, &inputs[2]);
    machine.dispatch(kernel, &[], &[], &[(src, a), (dst, b), (sums, c)], [3, 1, 1])?;
    ensure!(machine.findings().is_empty(), "{}", machine.findings());
    Ok([machine.download(b).to_vec(), machine.download(c).to_vec()])
}

#[test]
fn machine_and_driver_give_the_same_results() -> Result<()> {
    let driver = Driver::open()?;
    let width = driver.width();
    println!("{} programs at width {width}", PROGRAMS.len());
    let mut rng = Rng::new(1);
    let src: Vec<u32> = (0..3 * INVOCATIONS).map(|_| rng.next_u64() as u32).collect();
    let inputs = [src, vec![0; 4 * INVOCATIONS], vec![0, u32::MAX, 0, u32::MAX, 0, 0, 0, 0]];
    for (name, declarations, body) in PROGRAMS {
        let words = spirv(name, declarations, body).context(*name)?;
        let kernel = Kernel::new(format!("test.{name}"), words)?;
        let expected = driver.run(&kernel, &inputs).context(*name)?;
        for schedule in [Schedule::InOrder, Schedule::Reversed, Schedule::Random] {
            let options = Options { schedule, ..Options::new(width) };
            let got = on_machine(&kernel, options, &inputs).context(*name)?;
            for (got, expected) in got.iter().zip(&expected) {
                let wrong = got.iter().zip(expected).position(|(a, b)| a != b);
                ensure!(
                    wrong.is_none(),
                    "{name}, {schedule:?}: word {wrong:?} of result and invocation: {:x?} by the \
                     machine, {:x?} by the driver",
                    wrong.map(|at| got[at]),
                    wrong.map(|at| expected[at]),
                );
            }
        }
    }
    Ok(())
}

/// Each of these programs has one defect that must be found.
const WRONG: &[(&str, &str, &str, &str)] = &[
    ("race_in_shared", "shared uint room[64];", "room[l] = x; put(0, room[63u - l]);", "data race"),
    ("race_of_writes", "", "sums.at[0] = x;", "data race"),
    (
        "atomic_and_plain",
        "",
        "atomicAdd(sums.at[0], 1u); if (i == 5u) put(0, sums.at[0]);",
        "data race",
    ),
    (
        "buffer_across_barrier",
        "",
        "put(0, x); barrier(); put(1, dst.at[gl_WorkGroupID.x * 64u + 63u - l]);",
        "data race",
    ),
    (
        "not_coherent",
        "",
        "put(0, x); memoryBarrierBuffer(); barrier(); put(1, dst.at[gl_WorkGroupID.x * 64u + 63u - l]);",
        "not coherent",
    ),
    ("past_the_buffer", "", "put(0, src.at[i + 512u]);", "out of bounds"),
    (
        "past_the_array",
        "",
        "uint t[4]; t[x & 3u] = 1; t[i & 7u] = 2; put(0, t[0]);",
        "out of bounds",
    ),
    ("past_shared", "shared uint room[32];", "if (l < 40u) room[l] = x;", "out of bounds"),
    (
        "unwritten_shared",
        "shared uint room[64];",
        "if (l > 0u) room[l] = x; barrier(); put(0, room[l]);",
        "nobody wrote",
    ),
    (
        "undefined_condition",
        "",
        "uint t; if (l > 3u) t = x; if (t > 5u) put(0, 1u);",
        "undefined value is used: a condition",
    ),
    (
        "undefined_address",
        "",
        "uint t; if (l > 3u) t = 1u; put(0, src.at[t]);",
        "undefined value is used: an address",
    ),
    (
        "undefined_in_memory",
        "",
        "uint t[4]; t[0] = x; put(0, t[l & 1u]);",
        "undefined value is used: what is stored",
    ),
    (
        "undefined_read_back",
        "shared uint room[64];",
        "uint t; if (l > 3u) t = 1u; room[l] = t; barrier(); put(0, room[l]);",
        "nobody wrote",
    ),
    (
        "undefined_in_a_function",
        "uint once(bool set, uint v) { uint t; if (set) t = v; return t; }",
        "uint a = once(true, x); put(0, a + once(false, y));",
        "undefined value is used: what is stored",
    ),
    (
        "undefined_vote",
        "",
        "uint t; if (l > 3u) t = x; uvec4 votes = subgroupBallot(t > 5u); put(0, votes.x);",
        "undefined value is used: a vote",
    ),
    ("barrier_for_some", "", "if (x > 1000000000u) barrier();", "barrier"),
    ("barrier_after_return", "", "if (l == 3u) return; barrier();", "barrier"),
    (
        "absent_lane",
        "",
        "if ((l & 1u) == 0u) put(0, subgroupShuffle(x, 1u));",
        "does not take part",
    ),
    ("endless", "", "uint k = x; while (k != 1u) { k = k * 2u + 2u; } put(0, k);", "budget"),
];

#[test]
fn every_defect_is_found() -> Result<()> {
    let inputs = [
        (0..3 * INVOCATIONS as u32).map(|k| k.wrapping_mul(0x9E37_79B9)).collect(),
        vec![0; 4 * INVOCATIONS],
        vec![0; 8],
    ];
    for (name, declarations, body, expected) in WRONG {
        let kernel = Kernel::new(format!("test.{name}"), spirv(name, declarations, body)?)?;
        for width in [4, 32, 64, 128] {
            let options =
                Options { schedule: Schedule::Random, budget: 10_000_000, ..Options::new(width) };
            let found = on_machine(&kernel, options, &inputs);
            let text = found.err().map(|e| e.to_string()).unwrap_or_default();
            ensure!(text.contains(expected), "{name} at width {width}: {text:?}");
        }
    }
    Ok(())
}

/// Undefined values that do not affect a result.
#[test]
fn unused_undefined_values_are_accepted() -> Result<()> {
    let harmless = "uint t; if (l > 3u) t = x; uint copy = t; put(0, l > 3u ? copy : 7u); put(1, (l > 3u ? 1u : 0u) * copy); bool yes = l > 3u && copy > 5u; put(2, yes); put(3, 0u);";
    let kernel = Kernel::new("test.harmless", spirv("harmless", "", harmless)?)?;
    let inputs = [vec![9; 3 * INVOCATIONS], vec![0; 4 * INVOCATIONS], vec![0; 8]];
    on_machine(&kernel, Options::new(16), &inputs).map(|_| ())
}

#[test]
fn unknown_specialization_constant_is_rejected() -> Result<()> {
    let mut machine = Machine::new(Options::new(32));
    machine.specialize("ITEMS", 4)?;
    let error = machine.specialize("ITEMZ", 4).err().map(|e| e.to_string());
    ensure!(error.is_some_and(|e| e.contains("`ITEMZ`")));
    Ok(())
}

/// Adds up the lanes after a selection. The sum is complete only if the lanes are guaranteed to
/// reconverge.
#[test]
fn lanes_reconverge_only_where_guaranteed() -> Result<()> {
    let outer = "if (gl_SubgroupID == 0u) { uint r = 1u; if ((x & 1u) != 0u) r = 2u; put(0, subgroupAdd(r) * 0u + subgroupAdd(1u)); }";
    let inner =
        "uint r = 0u; if (l < 7u) { if ((x & 1u) != 0u) r = 2u; r = subgroupAdd(1u); } put(0, r);";
    let inputs = [
        (0..3 * INVOCATIONS as u32).map(|k| k * 7919).collect(),
        vec![0; 4 * INVOCATIONS],
        vec![0; 8],
    ];
    let sums = |body: &str, schedule, reconvergence| -> Result<u32> {
        let kernel = Kernel::new("test.diverged", spirv("diverged", "", body)?)?;
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
