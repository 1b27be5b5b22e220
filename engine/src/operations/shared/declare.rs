//! Steps that most operations share: checks of limits and arrays, views of arrays, and passes with built-in kernels.

use std::sync::Arc;

use multisplit_graph::{Buffer, ElementType, Graph, PassBuilder, View};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::{Builtin, CONSTANT_IDS};

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::{Terms, check_element, check_size, single};
use crate::policy::Policy;

/// Names and values of specialization constants.
pub type Constants<'c> = [(&'c str, u32)];

/// Checks the policy, and declares what the graph is planned for.
pub fn begin(graph: &mut Graph, policy: &Policy) -> Result<()> {
    policy.check()?;
    planned_for(graph, policy);
    Ok(())
}

/// Declares the subgroup size and the form that the graph is planned for.
pub fn planned_for(graph: &mut Graph, policy: &Policy) {
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    policy.facts.form.declare_in(graph);
}

/// Checks the element types of arrays, then their lengths in elements. Skips arrays that are `None`. In errors about
/// short arrays, `operation` precedes the name of the array.
pub fn check_arrays(
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
pub fn first_elements(array: Buffer, n: u64, bytes: u64, policy: &Policy) -> Result<View> {
    single(array.range(0, n.saturating_mul(bytes).max(bytes)), policy)
}

/// Starts a pass, and sets those of the constants that the kernel declares. Skips constants that only other built-in
/// kernels declare. Sets unknown names anyway, so that the graph reports an error.
pub fn start_pass<'g>(
    graph: &'g mut Graph,
    label: &str,
    kernel: &Arc<Kernel>,
    constants: &Constants<'_>,
) -> PassBuilder<'g> {
    let mut pass = graph.own_pass(label, kernel);
    for (name, value) in constants {
        let of_kernel = kernel.interface().spec_constant(name).is_some();
        let of_another = CONSTANT_IDS.iter().any(|(known, _)| known == name);
        if of_kernel || !of_another {
            pass = pass.specialize(*name, *value);
        }
    }
    pass
}

/// Starts a pass with a built-in kernel, whose label is that of the pass.
pub fn builtin_pass<'g>(
    graph: &'g mut Graph,
    kernel: &Builtin,
    constants: &Constants<'_>,
) -> Result<PassBuilder<'g>> {
    Ok(start_pass(graph, kernel.label(), &kernel.kernel()?, constants))
}

/// Starts a pass with the kernel for keys of 32 or of 64 bits.
pub fn keyed_pass<'g>(
    graph: &'g mut Graph,
    label: &str,
    kernels: [&'static Builtin; 2],
    key: KeyType,
    constants: &Constants<'_>,
) -> Result<PassBuilder<'g>> {
    let kernel = kernels[usize::from(key.bits() == 64)].kernel()?;
    let constants = [constants, &[("KEY_KIND", key.kind())]].concat();
    Ok(start_pass(graph, label, &kernel, &constants))
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

#[cfg(test)]
mod tests {
    use multisplit_graph::{GraphError, Groups, Limits};
    use multisplit_shaders::builtin;

    use super::*;
    use crate::operations::shared::push_words;

    fn number(constants: &Constants<'_>) -> std::result::Result<(), GraphError> {
        let mut graph = Graph::new("test");
        let kernel = builtin::MULTISPLIT_NUMBER.kernel().expect("built-in kernels are valid");
        let (sources, counts) =
            (graph.import::<u32>("sources", 64), graph.import::<u32>("counts", 4));
        start_pass(&mut graph, "number", &kernel, constants)
            .bind("sources", sources)
            .bind("counts", counts)
            .push(&push_words! { count: 64 })
            .dispatch(Groups::linear(1));
        graph.compile(&Limits::default()).map(drop)
    }

    #[test]
    fn constants_of_other_kernels_are_skipped_and_misspelled_ones_rejected() {
        number(&[("local_size_x", 64), ("TURNS", 2)]).expect("other kernels have TURNS");
        let error = number(&[("local_size_x", 64), ("TRUNS", 2)]).expect_err("no kernel has it");
        assert!(
            matches!(&error, GraphError::UnknownConstant { constant, .. } if constant == "TRUNS"),
            "{error}"
        );
    }
}
