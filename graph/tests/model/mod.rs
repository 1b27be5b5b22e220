//! A brute-force model of what a plan has to satisfy. It shares no code with the planner: it
//! looks at the plan's data, and at a plain list of what was declared, and tries everything.
//!
//! - `sync`: every two accesses to the same byte are synchronised, run after run, as Vulkan's
//!   dependency rules have it; and no bit of any barrier is too much.
//! - `meaning`: the plan computes what the declaration says, with the passes that matter, at the
//!   levels it should, in memory that nobody else uses meanwhile.
#![allow(dead_code)]

mod chains;
pub mod meaning;
pub mod sync;

use multisplit_graph::Plan;

/// A graph as it was declared.
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

/// Labels are unique, so that a planned pass can be told.
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
    /// Reads only what the pass itself has written.
    pub scratch: bool,
}

impl DeclaredUse {
    pub fn conflicts(&self, other: &Self) -> bool {
        self.buffer == other.buffer
            && self.start < other.end
            && other.start < self.end
            && (self.writes || other.writes)
    }

    pub fn feeds(&self, later: &Self) -> bool {
        self.conflicts(later) && self.writes && later.reads && !later.scratch
    }
}

/// Everything that the model knows about a plan of a declared graph.
pub fn check(declared: &Declared, plan: &Plan) -> Result<(), String> {
    meaning::check(declared, plan)?;
    sync::check(declared, plan)
}
