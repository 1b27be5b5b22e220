//! Divides arrays that exceed one storage binding into pieces.

use multisplit_graph::View;

use crate::error::{Error, Result};
use crate::operations::shared::check_limit;
use crate::policy::Policy;

/// Bytes of a `u32`.
pub const WORD: u64 = 4;
/// Maximum offset alignment that Vulkan allows a device to require, in bytes.
pub const ALIGNMENT: u64 = 256;
/// Maximum number of pieces per array. Larger arrays cause an error instead of a huge plan. Allows arrays of 128 GiB
/// with the minimum `maxStorageBufferRange` that Vulkan guarantees.
const MAX_PIECES: u64 = 1024;

/// Divides `view` into pieces, if it does not fit into a storage binding. All pieces except the last are multiples of
/// `granule` bytes. Returns no pieces for an empty view.
pub fn pieces(view: View, granule: u64, policy: &Policy) -> Result<Vec<View>> {
    if 0 < view.size && view.size <= policy.facts.max_storage_range {
        return Ok(vec![view]);
    }
    let piece = policy.facts.max_storage_range / granule * granule;
    if piece == 0 {
        let (asked, limit) = (granule, policy.facts.max_storage_range);
        return Err(Error::TooLarge { what: "tile size in bytes", asked, limit });
    }
    let limit = piece.saturating_mul(MAX_PIECES);
    if view.size > limit || view.offset.checked_add(view.size).is_none() {
        return Err(Error::TooLarge { what: "array size in bytes", asked: view.size, limit });
    }
    let starts = (0..view.size.div_ceil(piece)).map(|k| k * piece);
    let cut = |start| view.buffer.range(view.offset + start, piece.min(view.size - start));
    Ok(starts.map(cut).collect())
}

/// Returns `view`, or an error if it exceeds a storage binding.
pub fn single(view: View, policy: &Policy) -> Result<View> {
    let what = "size of an array in bytes (maxStorageBufferRange of the device)";
    check_limit(what, view.size, policy.facts.max_storage_range)?;
    Ok(view)
}

#[cfg(test)]
mod tests {
    use multisplit_graph::Graph;

    use super::*;
    use crate::policy::test_policy;

    fn sizes(bytes: u64, granule: u64, max_storage_range: u64) -> Result<Vec<(u64, u64)>> {
        let policy =
            test_policy(32, 256).with_facts(|facts| facts.max_storage_range = max_storage_range);
        let buffer = Graph::new("pieces").import_bytes("data", bytes);
        let cut = pieces(buffer.into(), granule, &policy)?;
        Ok(cut.iter().map(|view| (view.offset, view.size)).collect())
    }

    #[test]
    fn pieces_are_multiples_of_the_granule_and_cover_the_view() {
        assert_eq!(sizes(0, 16, 100).ok(), Some(vec![]));
        assert_eq!(sizes(96, 16, 100).ok(), Some(vec![(0, 96)]));
        assert_eq!(sizes(200, 16, 100).ok(), Some(vec![(0, 96), (96, 96), (192, 8)]));
    }

    #[test]
    fn oversized_granules_and_too_many_pieces_are_rejected() {
        let refused = |result| matches!(result, Err(Error::TooLarge { .. }));
        assert!(refused(sizes(101, 128, 100)));
        assert_eq!(sizes(100, 128, 100).ok(), Some(vec![(0, 100)]));
        assert!(refused(sizes(u64::MAX, 4, 1 << 27)));
        assert!(refused(sizes(1 << 62, 4, u64::from(u32::MAX))));
        assert_eq!(sizes(64 * 1024, 64, 64).map(|all| all.len()).ok(), Some(1024));
        assert!(refused(sizes(64 * 1024 + 1, 64, 64)));
    }
}
