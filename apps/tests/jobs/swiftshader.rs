//! Tests on SwiftShader, a software driver that comes with Chromium. Its compiler needs minutes and gigabytes
//! for some kernels with specialization constants and unrolled loops.

use std::path::Path;

use crate::common::{RunOutput, run_line};
use crate::failures::limited;
use crate::workdir::Workdir;

/// The driver manifest in Debian's package.
const DRIVER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";
/// Maximum address space of a command, in kilobytes.
const MAX_KILOBYTES: u32 = 2_000_000;

/// Runs the binary on SwiftShader, in limited memory.
#[track_caller]
fn run(workdir: &Workdir, line: &str) -> RunOutput {
    let mut command = limited(workdir, &format!("ulimit -v {MAX_KILOBYTES}"));
    command.env("VK_ICD_FILENAMES", DRIVER).env("VK_DRIVER_FILES", DRIVER);
    run_line(command, line)
}

/// Runs a command for each family of kernels that SwiftShader's compiler once failed to compile.
#[test]
#[cfg(target_os = "linux")]
fn swiftshader_compiles_every_kind_of_kernel() {
    if std::env::var_os("MULTISPLIT_CHROMIUM").is_some_and(|name| name == "none") {
        return;
    }
    assert!(Path::new(DRIVER).exists(), "install chromium, or set MULTISPLIT_CHROMIUM=none");
    let workdir = Workdir::new();
    let keys = |n: u32| (0..n).flat_map(|i| i.wrapping_mul(0x9E37_79B9).to_le_bytes());
    workdir.write("few.bin", keys(700).collect::<Vec<_>>());
    workdir.write("keys.bin", keys(20_000).collect::<Vec<_>>());
    for line in [
        "sort few.bin -o sorted.bin --type u32 --verify",
        "sort few.bin --argsort order.bin --type u16 --verify",
        "reduce keys.bin --type u32 --op argmin --verify",
        "unique keys.bin -o unique.bin --type u32 --sort --verify",
        "split keys.bin -o block.bin --type u32 --buckets 8 --by delta --method block --verify",
        "split keys.bin -o warp.bin --type u32 --buckets 8 --by delta --method warp --verify",
    ] {
        run(&workdir, line).expect(0);
    }
}
