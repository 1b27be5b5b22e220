//! Helpers that describe kernels and passes, for tests that plan without SPIR-V.
#![allow(dead_code)]

use multisplit_graph::{Graph, GraphError, Groups, Limits, PassBuilder, PassId, PassKernel, Plan};
use multisplit_shaders::{Binding, BindingAccess, BindingKind, Interface, PushBlock, SpecConstant};

/// A kernel under construction. Its storage bindings are arrays of `uint`.
pub struct Described {
    label: String,
    interface: Interface,
}

pub fn kernel(label: &str) -> Described {
    Described { label: label.to_owned(), interface: Interface::default() }
}

/// A kernel that reads `src` and writes `dst`.
pub fn step() -> Described {
    kernel("step").read("src").write("dst")
}

pub trait Once {
    /// Adds the pass to the graph with one workgroup.
    fn once(self) -> PassId;
}

impl Once for PassBuilder<'_> {
    fn once(self) -> PassId {
        self.dispatch(Groups::linear(1))
    }
}

pub fn plan(g: &Graph) -> Plan {
    g.compile(&limits()).expect("valid graph")
}

pub fn error(g: &Graph) -> GraphError {
    g.compile(&limits()).expect_err("invalid graph")
}

impl Described {
    pub fn read(self, name: &str) -> Self {
        self.binding(name, BindingKind::Storage, BindingAccess::Read)
    }

    pub fn write(self, name: &str) -> Self {
        self.binding(name, BindingKind::Storage, BindingAccess::Write)
    }

    pub fn update(self, name: &str) -> Self {
        self.binding(name, BindingKind::Storage, BindingAccess::ReadWrite)
    }

    pub fn uniform(self, name: &str) -> Self {
        self.binding(name, BindingKind::Uniform, BindingAccess::Read)
    }

    pub fn binding(mut self, name: &str, kind: BindingKind, access: BindingAccess) -> Self {
        let binding = u32::try_from(self.interface.bindings.len()).expect("few bindings");
        let (fixed_size, element_stride) = match kind {
            BindingKind::Storage => (0, Some(4)),
            BindingKind::Uniform => (4, None),
        };
        let name = name.to_owned();
        let binding = Binding { name, set: 0, binding, kind, access, fixed_size, element_stride };
        self.interface.bindings.push(binding);
        self
    }

    pub fn push(mut self, size: u32) -> Self {
        self.interface.push_constants = Some(PushBlock { size, members: Vec::new() });
        self
    }

    pub fn constant(mut self, name: &str, id: u32, default: u32) -> Self {
        self.interface.spec_constants.push(SpecConstant { name: name.to_owned(), id, default });
        self
    }

    /// Applies any other change to the interface.
    pub fn with(mut self, change: impl FnOnce(&mut Interface)) -> Self {
        change(&mut self.interface);
        self
    }

    pub fn done(self) -> PassKernel {
        PassKernel::described(self.label, self.interface)
    }
}

impl From<Described> for PassKernel {
    fn from(described: Described) -> Self {
        described.done()
    }
}

/// Default limits with small alignments, so that tests can use small offsets.
pub fn limits() -> Limits {
    Limits { storage_alignment: 4, uniform_alignment: 4, ..Limits::default() }
}

/// Asserts that the error message contains all names.
pub fn assert_names(error: &GraphError, names: &[&str]) {
    let message = error.to_string();
    for name in names {
        assert!(message.contains(name), "`{name}` is missing in: {message}");
    }
}
