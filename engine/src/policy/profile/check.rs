//! Checks that a device supports the sizes of a profile.

use crate::error::Error;
use crate::policy::Policy;
use crate::policy::facts::DeviceFacts;
use crate::policy::tile::TileShape;

/// A tile shape in the policy, with the bits of a bucket id and the bytes of a key, which determine
/// the shared memory of the tile's kernel.
struct Tile<'p> {
    field: &'static str,
    shape: &'p mut TileShape,
    bits: u32,
    key_bytes: u32,
}

const DIGIT_BITS: u32 = 8;

/// All tiles that planning reduces to fit in shared memory.
fn ranked_tiles(policy: &mut Policy) -> impl Iterator<Item = Tile<'_>> {
    let (sort, split) = (&mut policy.sort, &mut policy.split);
    let of_sort = |field, shape, key_bytes| Tile { field, shape, bits: DIGIT_BITS, key_bytes };
    let keys = sort.keys.iter_mut().map(move |(_, shape)| of_sort("sort.keys", shape, 4));
    let pairs = sort.pairs.iter_mut().map(move |(_, shape)| of_sort("sort.pairs", shape, 4));
    let wide = sort.wide_keys.iter_mut().map(move |(_, shape)| of_sort("sort.wide_keys", shape, 8));
    let small = std::iter::once(of_sort("sort.small", &mut sort.small, 4));
    let of_split = [
        ("split.block_keys", &mut split.block_keys),
        ("split.labelled_keys", &mut split.labelled_keys),
        ("split.block_pairs", &mut split.block_pairs),
        ("split.onesweep", &mut split.onesweep),
    ];
    let of_split = of_split.into_iter().flat_map(|(field, shapes)| {
        let tile = move |(shape, bits)| Tile { field, shape, bits, key_bytes: 4 };
        shapes.iter_mut().zip(1..).map(tile)
    });
    keys.chain(pairs).chain(wide).chain(small).chain(of_split)
}

/// Reduces tiles to fit the device, as planning does.
pub(super) fn reduce_tiles(policy: &mut Policy) {
    let limits = *policy;
    for Tile { shape, bits, key_bytes, .. } in ranked_tiles(policy) {
        *shape = limits.fit_tile(*shape, bits, key_bytes, |_| 0);
    }
    policy.split.warp = policy.split.warp.of_subgroups(&limits.facts);
    policy.sort.histogram = policy.sort.histogram(&limits.facts);
}

/// Rejects sizes that the device or the kernels do not support.
pub(super) fn check(policy: &Policy) -> Result<(), String> {
    policy.check_all().map_err(|error| match error {
        Error::Policy { problem } => problem,
        other => other.to_string(),
    })?;
    let mut cut = *policy;
    reduce_tiles(&mut cut);
    let mut given = *policy;
    let tiles = ranked_tiles(&mut given).zip(ranked_tiles(&mut cut));
    for (Tile { field, shape, .. }, Tile { shape: fitting, .. }) in tiles {
        check_tile(policy, field, *shape, *fitting)?;
    }
    check_tile(policy, "split.warp", policy.split.warp, cut.split.warp)?;
    check_tile(policy, "sort.histogram", policy.sort.histogram, cut.sort.histogram)
}

/// Rejects a tile that does not fit the device. Planning would replace it by a smaller tile that
/// was not measured.
fn check_tile(
    policy: &Policy,
    field: &str,
    shape: TileShape,
    fitting: TileShape,
) -> Result<(), String> {
    if shape == fitting {
        return Ok(());
    }
    let TileShape { threads, items, turns } = shape;
    let DeviceFacts { subgroup_size, max_threads, shared_memory, .. } = *policy.facts;
    Err(format!(
        "`{field}` has a tile of {threads}x{items}/{turns}, which does not fit the device (at most {max_threads} \
         threads, in multiples of {subgroup_size}, and {shared_memory} bytes of shared memory)"
    ))
}
