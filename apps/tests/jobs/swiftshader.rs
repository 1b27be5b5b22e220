//! Tests on SwiftShader, a software driver that comes with Chromium. Its compiler needs minutes and gigabytes
//! for some kernels with specialization constants and unrolled loops.

use std::path::Path;
use std::process::Command;

use crate::common::run_line;
use crate::failures::limited;
use crate::workdir::Workdir;

/// The driver manifest in Debian's package.
const DRIVER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";
/// Maximum address space of a command, in kilobytes.
const MAX_KILOBYTES: u32 = 2_000_000;

/// The command on SwiftShader, or `None` if its tests are switched off.
pub fn on_swiftshader(mut command: Command) -> Option<Command> {
    if std::env::var_os("MULTISPLIT_CHROMIUM").is_some_and(|name| name == "none") {
        return None;
    }
    assert!(Path::new(DRIVER).exists(), "install chromium, or set MULTISPLIT_CHROMIUM=none");
    command.env("VK_ICD_FILENAMES", DRIVER).env("VK_DRIVER_FILES", DRIVER);
    command.env_remove("VK_ADD_DRIVER_FILES").env_remove("MULTISPLIT_DEVICE");
    Some(command)
}

/// Runs a command for each family of kernels that SwiftShader's compiler once failed to compile.
#[test]
#[cfg(target_os = "linux")]
fn swiftshader_compiles_kernels_that_once_failed() {
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
        let command = limited(&workdir, &format!("ulimit -v {MAX_KILOBYTES}"));
        let Some(command) = on_swiftshader(command) else { return };
        run_line(command, line).expect(0);
    }
}
