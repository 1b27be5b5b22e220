//! Forms of plans, for drivers that cannot create the pipelines of the usual form.

use std::fmt;

use multisplit_graph::{Graph, Plan};

/// Form of the plans of a context. If a driver cannot create the pipeline of a built-in kernel, the context plans in the
/// form after that of the failed plan from then on ([`Config::pipeline_fallback`](crate::Config::pipeline_fallback)).
/// Results are the same in all forms, except that sums of floats, and results of GLSL operators that round, may round
/// differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PlanForm {
    /// The sizes and methods of the profile or of the built-in table.
    #[default]
    Usual,
    /// Workgroups of at most 128 threads, and tiles of sorts and splits with at most 4 elements per thread. Other kernels
    /// keep their number of elements per thread.
    SmallTiles,
    /// Like `SmallTiles`, with methods in several passes instead of one pass whose workgroups wait for others, such as
    /// reduce-then-scan instead of look-back. Selections, sorts of segments that exceed a tile, searches for shortest
    /// paths by resident workgroups, and methods that the caller requests are the same as in `SmallTiles`.
    Staged,
}

impl PlanForm {
    /// All forms, in the order in which they are tried.
    const ALL: [Self; 3] = [Self::Usual, Self::SmallTiles, Self::Staged];

    /// Declares that passes of `graph` have the sizes and methods of this form. The
    /// [`operations`](crate::operations) declare the form of their policy. Libraries whose own passes take their sizes
    /// from a policy must declare it, too: if the driver cannot create a pipeline of a plan without a form, the context
    /// does not change the form of later plans.
    pub fn declare_in(self, graph: &mut Graph) {
        graph.planned_in(self as u32);
    }

    /// The form in which a plan was made; `None` if no form was declared.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        Self::ALL.into_iter().find(|form| plan.variant() == Some(*form as u32))
    }

    /// The form to try after this one.
    pub(crate) fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|form| *form > self)
    }
}

impl fmt::Display for PlanForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usual => "the usual sizes and methods",
            Self::SmallTiles => "small tiles",
            Self::Staged => "small tiles and methods in several passes",
        })
    }
}
