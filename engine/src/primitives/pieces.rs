//! How an array larger than one binding can be is worked on in pieces.

use multisplit_graph::View;

use super::Policy;
use crate::error::{Error, Result};

/// Cuts `view` into pieces that a storage binding can hold, each but the last a multiple of
/// `granule` bytes. There is no piece of an empty view.
pub(crate) fn pieces(view: View, granule: u64, policy: &Policy) -> Result<Vec<View>> {
    let piece = policy.max_storage_range / granule * granule;
    if piece == 0 {
        let (asked, limit) = (granule, policy.max_storage_range);
        return Err(Error::TooLarge { what: "bytes of a tile", asked, limit });
    }
    let starts = (0..view.size.div_ceil(piece)).map(|k| k * piece);
    let cut = |start| view.buffer.range(view.offset + start, piece.min(view.size - start));
    Ok(starts.map(cut).collect())
}
