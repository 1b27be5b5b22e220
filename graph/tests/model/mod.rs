//! A brute-force model that checks plans against a plain list of declarations. It shares only data
//! types with the planner.
//!
//! - `sync` checks that all conflicting accesses are synchronised under Vulkan's dependency rules,
//!   within and between runs, and that every bit of every barrier is required.
//! - `semantics` checks that the plan contains exactly the live passes at the right levels, that
//!   buffers in use do not share memory, and that the results are those of the declaration.
#![allow(dead_code)]

mod chains;
pub mod semantics;
pub mod sync;

use multisplit_graph::Plan;

/// A declared graph.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    pub buffers: Vec<DeclaredBuffer>,
    pub passes: Vec<DeclaredPass>,
    pub orders: Vec<(usize, usize)>,
    pub replayable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Import,
    Transient,
    Persistent,
    Constant,
}

#[derive(Clone, Debug)]
pub struct DeclaredBuffer {
    pub kind: Kind,
    pub size: u64,
}

/// A declared pass. Its label is unique, so that the planned pass can be found.
#[derive(Clone, Debug)]
pub struct DeclaredPass {
    pub label: String,
    pub kept: bool,
    pub uses: Vec<DeclaredUse>,
}

#[derive(Clone, Copy, Debug)]
pub struct DeclaredUse {
    pub buffer: usize,
    pub start: u64,
    pub end: u64,
    pub reads: bool,
    pub writes: bool,
    /// Whether the pass reads only bytes that it has written itself.
    pub scratch: bool,
}

impl DeclaredUse {
    /// Whether both accesses have bytes in common, and at least one of them is a write.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.buffer == other.buffer
            && self.start < other.end
            && other.start < self.end
            && (self.writes || other.writes)
    }

    /// Whether `later` reads bytes that this access writes.
    pub fn feeds(&self, later: &Self) -> bool {
        self.conflicts(later) && self.writes && later.reads && !later.scratch
    }
}

/// Runs all checks of the model on a plan.
pub fn check(declared: &Declared, plan: &Plan) -> Result<(), String> {
    semantics::check(declared, plan)?;
    sync::check(declared, plan)
}
