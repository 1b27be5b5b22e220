//! Tile sizes of scans and reductions.

use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::SCAN_SPINE;

use crate::policy::Policy;

pub const LOAD_BYTES: u64 = 16;
/// A tile has `ROWS` (a definition of the kernel) times this number of elements per thread.
const ROW_ELEMENTS: u64 = 4;

/// Number of elements per tile of `kernel`. Some kernels have smaller tiles in their 64-bit variants.
pub fn tile_elements(kernel: &Builtin, policy: &Policy) -> u64 {
    u64::from(policy.threads) * u64::from(kernel.define("ROWS").unwrap_or(1)) * ROW_ELEMENTS
}

/// Number of elements per tile of a scan by a single workgroup (the spine).
pub fn spine_tile(policy: &Policy) -> u64 {
    tile_elements(SCAN_SPINE[0], &Policy { threads: policy.spine_threads, ..*policy })
}

/// Maximum number of elements that a single workgroup may scan.
pub fn spine_elements(policy: &Policy) -> u64 {
    spine_tile(policy).saturating_mul(u64::from(policy.spine_tiles.max(1)))
}

/// Maximum number of elements for which a single workgroup is the fastest method.
pub fn max_single_group_elements(policy: &Policy) -> u64 {
    (spine_tile(policy) * u64::from(policy.single_group_tiles.max(1))).min(spine_elements(policy))
}

/// Workgroup size for scanning `n` elements by a single workgroup. The size is halved, down to 256
/// threads, while one tile still contains all elements.
pub fn spine_threads(policy: &Policy, n: u64) -> u32 {
    const MIN_THREADS: u32 = 256;
    halved_while(policy, policy.spine_threads, |threads| {
        threads / 2 >= MIN_THREADS && half_is_enough(policy, threads, n)
    })
}

/// Workgroup size of a scan of many rows of `n` elements, with one workgroup each. Surplus subgroups
/// would only contribute identities, so results do not depend on the size.
pub fn row_threads(policy: &Policy, n: u64) -> u32 {
    halved_while(policy, policy.spine_threads, |threads| half_is_enough(policy, threads, n))
}

/// Whether one tile of half the workgroup size contains `n` elements.
fn half_is_enough(policy: &Policy, threads: u32, n: u64) -> bool {
    n <= spine_tile(&Policy { spine_threads: threads / 2, ..*policy })
}

/// Halves a workgroup size while `too_large` returns true and the half is a multiple of the subgroup size.
pub fn halved_while(policy: &Policy, mut threads: u32, too_large: impl Fn(u32) -> bool) -> u32 {
    while threads.is_multiple_of(2 * policy.facts.subgroup_size) && too_large(threads) {
        threads /= 2;
    }
    threads
}
