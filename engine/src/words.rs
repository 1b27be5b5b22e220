//! Translates internal names of kernels and arrays to names that users know, for error messages, and
//! gives advice on errors.

use ash::vk;

use crate::fallback::PlanForm;

/// Names of the operations, by the first part of kernel labels, plan names and array names.
const OPERATIONS: [(&str, &str); 25] = [
    ("copy", "the copy"),
    ("count", "the device count"),
    ("fill", "the fill"),
    ("histogram", "the histogram"),
    ("keys", "the conversion of 8- and 16-bit keys"),
    ("memory", "the fill or copy"),
    ("merge", "the merge"),
    ("multisplit", "the split"),
    ("pieces", "the sort or split of a large array"),
    ("probe", "the probe of the device"),
    ("reduce", "the reduction"),
    ("reduce by key", "the reduction by key"),
    ("reduce rows", "the reduction of rows"),
    ("reduce segments", "the segmented reduction"),
    ("reduce_by_key", "the reduction by key"),
    ("reduce_segments", "the segmented reduction"),
    ("scan", "the scan"),
    ("scan by key", "the scan by key"),
    ("scan segments", "the segmented scan"),
    ("search", "the search"),
    ("select", "the selection"),
    ("sort", "the sort"),
    ("split", "the split"),
    ("sssp", "the shortest-path search"),
    ("topk", "top-k"),
];

/// The name of the operation that a built-in kernel belongs to.
pub(crate) fn operation(label: &str) -> String {
    let first = label.split('.').next().unwrap_or(label);
    let found = OPERATIONS.iter().find(|(name, _)| *name == first);
    found.map_or_else(|| format!("`{first}`"), |(_, words)| (*words).to_owned())
}

/// Description of a kernel. Users do not know the labels of built-in kernels, so these are described by their
/// operation.
pub(crate) fn kernel(label: &str) -> String {
    match multisplit_shaders::builtin::LABELS.contains(&label) {
        true => format!("a kernel of {}", operation(label)),
        false => format!("kernel `{label}`"),
    }
}

/// Description of an array. If the name begins with an operation, as `topk.workspace.0` does, the description contains
/// the operation.
pub(crate) fn array(name: &str) -> String {
    match name.split_once('.') {
        None if name == "staging" => "the staging memory of a transfer".to_owned(),
        None => format!("array `{name}`"),
        Some((of, rest)) if rest.starts_with("workspace") => {
            format!("the workspace of {}", operation(of))
        }
        Some((of, rest)) => format!("array `{rest}` of {}", operation(of)),
    }
}

/// Advice for a Vulkan call that failed with this result; may be empty.
pub(crate) fn advice(result: vk::Result) -> &'static str {
    match result {
        vk::Result::ERROR_DEVICE_LOST => {
            "; the context is no longer usable: drop it and its arrays, and open a new one"
        }
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => "; free arrays, or process less data at a time",
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => "; the host is out of memory",
        _ => "",
    }
}

/// Advice for a pipeline that could not be created.
pub(crate) fn remedy(next: Option<PlanForm>, is_callers: bool) -> String {
    match next {
        Some(form) => format!("declare the work again, the context now plans with {form}"),
        None if is_callers => "simplify the kernel, or give it smaller workgroups".into(),
        None => {
            "update the driver, use smaller sizes or another method, or use another device".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_named_without_internal_prefixes() {
        assert_eq!(array("keys"), "array `keys`");
        assert_eq!(array("topk.workspace.0"), "the workspace of top-k");
        assert_eq!(array("fuzz.workspace.1"), "the workspace of `fuzz`");
        assert_eq!(array("histogram.samples"), "array `samples` of the histogram");
        assert_eq!(array("scan by key.workspace.0"), "the workspace of the scan by key");
    }

    #[test]
    fn messages_name_built_in_kernels_by_operation() {
        let fill = multisplit_shaders::builtin::MEMORY_FILL.label();
        assert_eq!(kernel(fill), "a kernel of the fill or copy");
        assert_eq!(kernel("user.fill"), "kernel `user.fill`");
    }

    #[test]
    fn every_built_in_kernel_belongs_to_an_operation() {
        for kernel in multisplit_shaders::builtin::ALL {
            let label = kernel.label();
            assert!(!operation(label).contains('`'), "`{label}` belongs to no operation");
        }
    }
}
