//! Fill and copy, as kernels: on data-centre GPUs several times faster than the transfer
//! commands, and in the compute stage, where the barriers of the passes around them are cheapest.

use multisplit_graph::{Graph, Groups, View};
use multisplit_shaders::{builtin, push_constants};

use super::Policy;
use super::pieces::pieces;
use crate::error::{Error, Result};

push_constants! {
    struct FillPush {
        count: u32,
        value: u32,
    }
}

push_constants! {
    struct CopyPush {
        count: u32,
    }
}

const WORD: u64 = 4;
/// Bytes that one thread of either kernel moves.
const THREAD_BYTES: u64 = 16;
/// Pieces of large arrays begin at multiples of this, the largest offset alignment that Vulkan
/// lets a device ask for.
const GRANULE: u64 = 256;

/// Adds passes that set every 32-bit word of `dst` to `value`. An empty view adds none.
pub fn fill(
    graph: &mut Graph,
    policy: &Policy,
    label: &str,
    dst: impl Into<View>,
    value: u32,
) -> Result<()> {
    policy.check()?;
    let kernel = builtin::MEMORY_FILL.kernel()?;
    for dst in pieces(dst.into(), GRANULE, policy)? {
        graph
            .pass(label, &kernel)
            .bind("dst", dst)
            .push(&FillPush { count: words(dst), value })
            .specialize("local_size_x", policy.threads)
            .dispatch(groups(dst, policy));
    }
    Ok(())
}

/// Adds passes that copy `src` to `dst`, which has the same size and does not overlap it. Empty
/// views add none.
pub fn copy(
    graph: &mut Graph,
    policy: &Policy,
    label: &str,
    src: impl Into<View>,
    dst: impl Into<View>,
) -> Result<()> {
    let (src, dst) = (src.into(), dst.into());
    if src.size != dst.size {
        let (size, needed) = (dst.size, src.size);
        return Err(Error::BufferTooSmall { name: format!("{label}.dst"), size, needed });
    }
    policy.check()?;
    let kernel = builtin::MEMORY_COPY.kernel()?;
    let pairs = pieces(src, GRANULE, policy)?.into_iter().zip(pieces(dst, GRANULE, policy)?);
    for (src, dst) in pairs {
        graph
            .pass(label, &kernel)
            .bind("src", src)
            .bind("dst", dst)
            .push(&CopyPush { count: words(src) })
            .specialize("local_size_x", policy.threads)
            .dispatch(groups(src, policy));
    }
    Ok(())
}

fn words(view: View) -> u32 {
    // A piece is at most maxStorageBufferRange bytes, which is a 32-bit number.
    (view.size / WORD) as u32
}

/// One thread for each full group of four words, and one for what is left.
fn groups(view: View, policy: &Policy) -> Groups {
    let threads = view.size / THREAD_BYTES + 1;
    Groups::linear(threads.div_ceil(u64::from(policy.threads)))
}
