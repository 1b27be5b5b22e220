//! Sets the specialization constants of a kernel from a list that many kernels share.

use multisplit_graph::PassBuilder;
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::CONSTANT_IDS;

/// Sets the constants that the kernel declares. Skips constants that only other built-in kernels declare. Sets
/// unknown names anyway, so that the graph reports an error.
pub(in crate::operations) fn specialize<'g>(
    mut pass: PassBuilder<'g>,
    kernel: &Kernel,
    constants: &[(&str, u32)],
) -> PassBuilder<'g> {
    for (name, value) in constants {
        let of_kernel = kernel.interface().spec_constant(name).is_some();
        let of_another = CONSTANT_IDS.iter().any(|(known, _)| known == name);
        if of_kernel || !of_another {
            pass = pass.specialize(*name, *value);
        }
    }
    pass
}

#[cfg(test)]
mod tests {
    use multisplit_graph::{Graph, GraphError, Groups, Limits};
    use multisplit_shaders::builtin;

    use super::*;

    fn number(constants: &[(&str, u32)]) -> Result<(), GraphError> {
        multisplit_shaders::push_constants! {
            struct Push { count: u32 }
        }
        let mut graph = Graph::new("test");
        let kernel = builtin::MULTISPLIT_NUMBER.kernel().expect("built-in kernels are valid");
        let (sources, counts) =
            (graph.import::<u32>("sources", 64), graph.import::<u32>("counts", 4));
        let pass = graph.pass("number", &kernel).bind("sources", sources).bind("counts", counts);
        let pass = pass.push(&Push { count: 64 });
        specialize(pass, &kernel, constants).dispatch(Groups::linear(1));
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
