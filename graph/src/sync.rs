//! The barriers of a plan, and the hazards that they cover.

use std::fmt;

use crate::access::{Access, Scope, Stages};

/// One `vkCmdPipelineBarrier2` call, and the hazards it covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// The memory barriers of the call.
    pub memory: Vec<MemoryBarrier>,
    /// The hazards that require the barrier, because no earlier barrier covers them.
    pub hazards: Vec<Hazard>,
}

/// A `VkMemoryBarrier2`. If both access masks are empty, it is an execution dependency only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryBarrier {
    /// The stages to wait for (`srcStageMask`).
    pub src_stages: Stages,
    /// The writes to make available (`srcAccessMask`).
    pub src_access: Access,
    /// The stages that wait (`dstStageMask`).
    pub dst_stages: Stages,
    /// The accesses to which those writes become visible (`dstAccessMask`).
    pub dst_access: Access,
}

impl fmt::Display for MemoryBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (src, dst) = (
            Scope::new(self.src_stages, self.src_access),
            Scope::new(self.dst_stages, self.dst_access),
        );
        if self.src_access.is_empty() && self.dst_access.is_empty() {
            write!(f, "{} -> {} (execution only)", src.stages, dst.stages)
        } else {
            write!(f, "{src} -> {dst}")
        }
    }
}

/// The reason for a barrier: two accesses to the same bytes, or two passes with an explicit order,
/// that must not overlap in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The kind of dependency.
    pub kind: HazardKind,
    /// Whether the two sides use different buffers that share memory.
    pub aliased: bool,
    /// Whether `from` belongs to the previous run.
    pub replay: bool,
    /// The earlier side.
    pub from: HazardSide,
    /// The later side.
    pub to: HazardSide,
    /// The masks of a barrier that covers only this hazard.
    pub masks: MemoryBarrier,
}

/// The kind of dependency that causes a [`Hazard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HazardKind {
    /// A read depends on the data of an earlier write.
    ReadAfterWrite,
    /// A write must wait for an earlier read. An execution dependency.
    WriteAfterRead,
    /// A write must wait for an earlier write.
    WriteAfterWrite,
    /// An explicit order ([`Graph::order`](crate::Graph::order)). An execution dependency.
    Order,
    /// An access of the plan to an import must wait for the caller's entry accesses.
    Entry,
    /// The caller's exit accesses to an import must wait for earlier accesses.
    Exit,
}

impl HazardKind {
    /// The short name: `RAW`, `WAR`, `WAW`, `order`, `entry` or `exit`.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::ReadAfterWrite => "RAW",
            Self::WriteAfterRead => "WAR",
            Self::WriteAfterWrite => "WAW",
            Self::Order => "order",
            Self::Entry => "entry",
            Self::Exit => "exit",
        }
    }
}

/// One side of a [`Hazard`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HazardSide {
    /// Label of the pass; `None` for the caller.
    pub pass: Option<String>,
    /// Index of the pass into [`Plan::steps`](crate::Plan::steps); `None` for the caller.
    pub step: Option<usize>,
    /// Index into [`Plan::buffers`](crate::Plan::buffers); `None` for an explicit order.
    pub buffer: Option<usize>,
    /// Byte range in that buffer; empty for an explicit order.
    pub bytes: ByteRange,
}

/// The half-open byte range `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl ByteRange {
    /// Size in bytes.
    pub fn size(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}
