//! Forms of plans, for drivers that cannot create the pipelines of the usual form.

use std::fmt;

/// Form of the plans of a context. If a driver cannot create a pipeline, the context plans in the next form from then
/// on ([`Config::pipeline_fallback`](crate::Config::pipeline_fallback)). The form affects performance, never results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PlanForm {
    /// The sizes and methods of the profile or of the built-in table.
    #[default]
    Usual,
    /// Workgroups of at most 128 threads, and tiles of at most 4 elements per thread.
    SmallTiles,
    /// Like `SmallTiles`, with methods in three stages instead of one pass with look-back.
    Staged,
}

/// Maximum workgroup size of small tiles: the smallest maximum that Vulkan allows a device to have, so every driver
/// can compile workgroups of this size.
const MAX_THREADS: u32 = 128;

impl PlanForm {
    /// Maximum workgroup size of plans in this form, unless a subgroup is larger; `u32::MAX` if only the device limits
    /// it.
    pub fn max_threads(self) -> u32 {
        match self {
            Self::Usual => u32::MAX,
            Self::SmallTiles | Self::Staged => MAX_THREADS,
        }
    }

    /// The form to try after this one.
    pub(crate) fn next(self) -> Option<Self> {
        match self {
            Self::Usual => Some(Self::SmallTiles),
            Self::SmallTiles => Some(Self::Staged),
            Self::Staged => None,
        }
    }
}

impl fmt::Display for PlanForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usual => "the usual sizes and methods",
            Self::SmallTiles => "small tiles",
            Self::Staged => "small tiles and methods in three stages",
        })
    }
}
