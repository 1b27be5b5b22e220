// Written by compile-kernels; do not edit.

use crate::builtin::Builtin;

/// `memory.fill`: `glsl/memory/fill.comp`.
pub static MEMORY_FILL: Builtin =
    Builtin::new("memory.fill", &[], include_bytes!("../spv/memory.fill.spv"));

/// `memory.copy`: `glsl/memory/copy.comp`.
pub static MEMORY_COPY: Builtin =
    Builtin::new("memory.copy", &[], include_bytes!("../spv/memory.copy.spv"));

/// `scan.reduce`: `glsl/scan/reduce.comp` with `ROWS=4`.
pub static SCAN_REDUCE: Builtin =
    Builtin::new("scan.reduce", &[("ROWS", "4")], include_bytes!("../spv/scan.reduce.spv"));

/// `scan.spine`: `glsl/scan/spine.comp` with `ROWS=4`.
pub static SCAN_SPINE: Builtin =
    Builtin::new("scan.spine", &[("ROWS", "4")], include_bytes!("../spv/scan.spine.spv"));

/// `scan.downsweep`: `glsl/scan/downsweep.comp` with `ROWS=4`.
pub static SCAN_DOWNSWEEP: Builtin =
    Builtin::new("scan.downsweep", &[("ROWS", "4")], include_bytes!("../spv/scan.downsweep.spv"));

/// `scan.lookback`: `glsl/scan/lookback.comp` with `ROWS=4`.
pub static SCAN_LOOKBACK: Builtin =
    Builtin::new("scan.lookback", &[("ROWS", "4")], include_bytes!("../spv/scan.lookback.spv"));

/// Every built-in kernel, in the order of `glsl/kernels.txt`.
pub static ALL: &[&Builtin] = &[
    &MEMORY_FILL,
    &MEMORY_COPY,
    &SCAN_REDUCE,
    &SCAN_SPINE,
    &SCAN_DOWNSWEEP,
    &SCAN_LOOKBACK,
];
