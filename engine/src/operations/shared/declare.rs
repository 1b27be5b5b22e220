//! Steps that most operations share: checks of limits and arrays, views of arrays, and passes with built-in kernels.

use std::sync::Arc;

use multisplit_graph::{Buffer, ElementType, Graph, PassBuilder, View};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

/// Names and values of specialization constants.
pub(in crate::operations) type Constants<'c> = [(&'c str, u32)];

/// Checks the policy, and declares what the graph is planned for.
pub(in crate::operations) fn begin(graph: &mut Graph, policy: &Policy) -> Result<()> {
    policy.check()?;
    planned_for(graph, policy);
    Ok(())
}

/// Declares the subgroup size and the form that the graph is planned for.
pub(in crate::operations) fn planned_for(graph: &mut Graph, policy: &Policy) {
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    policy.facts.form.declare_in(graph);
}

/// Returns an error if the requested number exceeds the limit.
pub(in crate::operations) fn check_limit(
    what: &'static str,
    asked: u64,
    limit: impl Into<u64>,
) -> Result<()> {
    let limit = limit.into();
    if asked > limit { Err(Error::TooLarge { what, asked, limit }) } else { Ok(()) }
}

/// Checks the element types of arrays, then their lengths in elements. Skips arrays that are `None`. In errors about
/// short arrays, `operation` precedes the name of the array.
pub(in crate::operations) fn check_arrays(
    operation: &str,
    arrays: &[(&'static str, Option<Buffer>, ElementType, u64)],
) -> Result<()> {
    for &(name, array, element, _) in arrays {
        array.map_or(Ok(()), |array| check_element(name, array, element))?;
    }
    for &(name, array, element, len) in arrays {
        let Some(array) = array else { continue };
        let bytes = u64::from(element.bytes().unwrap_or(4));
        check_size(&format!("{operation}.{name}"), array, len.saturating_mul(bytes))?;
    }
    Ok(())
}

/// View of the first `n` elements of an array, which must fit one storage binding. Contains at least one element,
/// because bindings cannot be empty; kernels do not access elements past the count.
pub(in crate::operations) fn first_elements(
    array: Buffer,
    n: u64,
    bytes: u64,
    policy: &Policy,
) -> Result<View> {
    single(array.range(0, n.saturating_mul(bytes).max(bytes)), policy)
}

/// Starts a pass, and sets those of the constants that the kernel declares (see [`specialize`]).
pub(in crate::operations) fn start_pass<'g>(
    graph: &'g mut Graph,
    label: &str,
    kernel: &Arc<Kernel>,
    constants: &Constants<'_>,
) -> PassBuilder<'g> {
    specialize(graph.own_pass(label, kernel), kernel, constants)
}

/// Starts a pass with the kernel for keys of 32 or of 64 bits. The label of the pass is always that of the 32-bit
/// kernel.
pub(in crate::operations) fn keyed_pass<'g>(
    graph: &'g mut Graph,
    kernels: [&'static Builtin; 2],
    key: KeyType,
    constants: &Constants<'_>,
) -> Result<PassBuilder<'g>> {
    let kernel = kernels[usize::from(key.bits() == 64)].kernel()?;
    let constants = [constants, &[("KEY_KIND", key.kind())]].concat();
    Ok(start_pass(graph, kernels[0].label(), &kernel, &constants))
}

impl Terms<'_> {
    /// Starts a pass with the kernel for these terms. The label of the pass is always that of the first kernel.
    pub fn pass<'g>(
        self,
        graph: &'g mut Graph,
        kernels: &[&'static Builtin],
        constants: &Constants<'_>,
    ) -> Result<PassBuilder<'g>> {
        let constants = [&self.constants()[..], constants].concat();
        Ok(start_pass(graph, kernels[0].label(), &self.kernel(kernels)?, &constants))
    }
}
