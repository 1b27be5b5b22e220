//! Passes of kernels that process elements independently.

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::builtin::{Builtin, MULTISPLIT_INVERT, MULTISPLIT_NUMBER};

use crate::error::Result;
use crate::operations::shared::{Count, Lengths, builtin_pass, push_words};
use crate::policy::Policy;

/// Elements per thread; must match `each.glsl`.
pub const ELEMENTS_PER_THREAD: u64 = 4;

/// Adds a pass of a kernel that processes elements independently. `keys` is any array that the kernel does not write;
/// for a host count, it is bound in place of the count records.
pub fn each(
    graph: &mut Graph,
    policy: &Policy,
    kernel: &Builtin,
    (n, keys): (Count, Buffer),
    bound: &[(&str, Buffer)],
) -> Result<()> {
    let (mut lengths, n) = Lengths::new(n)?;
    let groups = lengths.parts(n, ELEMENTS_PER_THREAD * u64::from(policy.threads))?;
    let prepared = lengths.prepare(graph, policy, "multisplit.prepare")?;
    let mut pass = builtin_pass(graph, kernel, &[("local_size_x", policy.threads)])?
        .push(&push_words! { count: prepared.pushed(n) });
    for &(name, buffer) in bound {
        pass = pass.bind(name, buffer);
    }
    prepared.dispatch(prepared.bind(pass, keys.into()), groups);
    Ok(())
}

/// Adds a pass that writes the index of each element: 0, 1, 2, and so on.
pub fn number_elements(
    graph: &mut Graph,
    policy: &Policy,
    elements: (Count, Buffer),
    numbers: Buffer,
) -> Result<()> {
    each(graph, policy, &MULTISPLIT_NUMBER, elements, &[("sources", numbers)])
}

/// Adds a pass that inverts a permutation: from the source index of each output element, it computes the destination
/// index of each input element.
pub fn invert(
    graph: &mut Graph,
    policy: &Policy,
    elements: (Count, Buffer),
    sources: Buffer,
    permutation: Buffer,
) -> Result<()> {
    let bound = [("sources", sources), ("permutation", permutation)];
    each(graph, policy, &MULTISPLIT_INVERT, elements, &bound)
}
