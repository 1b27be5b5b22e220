//! Clamps workgroup counts that other passes have computed for indirect dispatches.

use multisplit_graph::{Buffer, Graph, Groups, Limits, View};
use multisplit_shaders::builtin;

use crate::error::{Error, Result};
use crate::operations::shared::{builtin_pass, push_words};

/// Number of words of an indirect dispatch: workgroup counts in x, y and z.
const WORDS: u64 = 3;

/// Adds a pass that clamps the three words of `groups`, which may have any value, to the maximum workgroup counts
/// that `limits` allow. Returns the clamped arguments for an indirect dispatch. Safe calls may run passes that use
/// these arguments, if `limits` do not exceed those of the device.
///
/// ```
/// use multisplit::graph::Graph;
/// use multisplit::operations::bounded_groups;
///
/// # let gpu = multisplit::Context::new()?;
/// let mut graph = Graph::new("indirect");
/// let words = graph.import::<u32>("words", 3);
/// let groups = bounded_groups(&mut graph, &gpu.limits(), words)?;
/// assert_eq!(groups.len(), 3);
/// # Ok::<(), multisplit::Error>(())
/// ```
pub fn bounded_groups(
    graph: &mut Graph,
    limits: &Limits,
    groups: impl Into<View>,
) -> Result<Buffer> {
    let view = groups.into();
    let needed = WORDS * size_of::<u32>() as u64;
    if view.size < needed {
        let (name, size) = ("groups".to_owned(), view.size);
        return Err(Error::BufferTooSmall { name, size, needed });
    }
    let bounded = graph.transient::<u32>("groups", WORDS);
    let [max_x, max_y, max_z] = limits.max_workgroup_count;
    builtin_pass(graph, &builtin::COUNT_GROUPS, &[])?
        .bind("source", View { size: needed, ..view })
        .bind("groups", bounded)
        .push(&push_words! { max_x, max_y, max_z })
        .dispatch(Groups::linear(1));
    Ok(bounded)
}
