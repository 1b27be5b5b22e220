//! Declares the buffers and counts of an operation as imports of the planned work.

use multisplit::graph::{Buffer, ElementType, Graph, Scope};
use multisplit::operations::Count;
use multisplit::{Context, Policy, Work};

use crate::read;
use crate::result::{Failure, Outcome};
use crate::types::{
    MultisplitBarriers, MultisplitCommonInfo, MultisplitCount, MultisplitOtherCount,
    MultisplitRole, MultisplitRoleScope,
};

/// Names under which a recording sets the count and the count of a second array.
pub(crate) const COUNT: &str = "count";
pub(crate) const OTHER_COUNT: &str = "other_count";

/// Minimum buffer size: Vulkan does not allow empty buffers, and kernels read words.
const MIN_BYTES: u64 = 4;

/// An operation that is being declared.
pub(crate) struct Declaration {
    pub work: Work,
    /// The buffer for each role.
    pub roles: Vec<(MultisplitRole, Buffer)>,
    /// The maximum count, if each recording sets the count.
    pub max_count: Option<u64>,
    /// The same for a second array.
    pub max_other: Option<u64>,
}

impl Declaration {
    pub fn new(context: &Context, name: &str) -> Self {
        let work = context.work(name);
        Self { work, roles: Vec::new(), max_count: None, max_other: None }
    }

    /// The graph and the policy, as required by the functions that add a primitive.
    pub fn parts(&mut self) -> (&mut Graph, &Policy) {
        self.work.parts()
    }

    /// Imports the caller's buffer for a role: an array of `len` elements, padded to whole words.
    pub fn import(&mut self, role: MultisplitRole, element: ElementType, len: u64) -> Buffer {
        let of_word = MIN_BYTES / u64::from(element.bytes().unwrap_or(1)).clamp(1, MIN_BYTES);
        let len = len.max(1).checked_next_multiple_of(of_word).unwrap_or(u64::MAX);
        let buffer = self.parts().0.import_array(role.name(), element, len);
        self.roles.push((role, buffer));
        buffer
    }

    /// Imports the caller's buffer for a role: `size` bytes that contain elements at any stride.
    pub fn import_bytes(
        &mut self,
        role: MultisplitRole,
        element: ElementType,
        size: u64,
    ) -> Buffer {
        let graph = self.parts().0;
        let buffer = graph.import_bytes(role.name(), size.max(MIN_BYTES)).reinterpret(element);
        self.roles.push((role, buffer));
        buffer
    }

    /// The element count.
    pub fn count(&mut self, common: &MultisplitCommonInfo) -> Outcome<Count> {
        let max = common.n;
        Ok(match read::choice(common.count)? {
            MultisplitCount::Fixed => Count::Host(max),
            MultisplitCount::Recorded => {
                self.max_count = Some(max);
                self.work.count(COUNT, max)
            }
            MultisplitCount::Device => {
                self.device_count(MultisplitRole::Count, common.count_index, max)
            }
        })
    }

    /// The length of a second array, or the number of segments.
    pub fn other_count(&mut self, other: &MultisplitOtherCount) -> Outcome<Count> {
        let max = other.n;
        Ok(match read::choice(other.count)? {
            MultisplitCount::Fixed => Count::Host(max),
            MultisplitCount::Recorded => {
                self.max_other = Some(max);
                self.work.count(OTHER_COUNT, max)
            }
            MultisplitCount::Device => {
                self.device_count(MultisplitRole::OtherCount, other.count_index, max)
            }
        })
    }

    fn device_count(&mut self, role: MultisplitRole, index: u32, max: u64) -> Count {
        let index = u64::from(index);
        let buffer = self.import(role, ElementType::U32, index + 1);
        Count::Device { buffer, index, max }
    }

    /// Imports the segment offsets: the start of each segment and the end of the last one.
    pub fn offsets(&mut self, segments: Count) -> Buffer {
        let words = segments.max().saturating_add(1);
        self.import(MultisplitRole::Offsets, ElementType::U32, words)
    }

    /// Imports the table of a GLSL function; `None` if `words` is 0.
    pub fn table(&mut self, words: u32) -> Option<Buffer> {
        let words = u64::from(words);
        (words > 0).then(|| self.import(MultisplitRole::Table, ElementType::U32, words))
    }

    /// Adds the caller's scopes, which determine the barriers before and after the operation.
    pub fn scopes(
        &mut self,
        scopes: &[MultisplitRoleScope],
        others: MultisplitBarriers,
    ) -> Outcome {
        if others == MultisplitBarriers::Full {
            self.full_barriers(scopes);
        }
        for around in scopes {
            read::reserved("MultisplitRoleScope", around.reserved)?;
            let role = read::choice(around.role)?;
            let found = self.roles.iter().find(|(other, _)| *other == role);
            let &(_, buffer) = found.ok_or_else(|| no_buffer(role))?;
            let (graph, _) = self.work.parts();
            if let Some(before) = around.before.scope() {
                graph.entry(buffer, before);
            }
            if let Some(after) = around.after.scope() {
                graph.exit(buffer, after);
            }
        }
        Ok(())
    }
}

impl Declaration {
    /// Adds full barriers at each `before` and `after` that has no scope.
    fn full_barriers(&mut self, scopes: &[MultisplitRoleScope]) {
        for (role, buffer) in &self.roles {
            let of = |around: &&MultisplitRoleScope| read::choice(around.role).ok() == Some(*role);
            let given = scopes.iter().filter(of);
            let (graph, _) = self.work.parts();
            if given.clone().all(|around| around.before.scope().is_none()) {
                graph.entry(*buffer, Scope::ANYTHING);
            }
            if given.clone().all(|around| around.after.scope().is_none()) {
                graph.exit(*buffer, Scope::ANYTHING);
            }
        }
    }
}

pub(crate) fn no_buffer(role: MultisplitRole) -> Failure {
    Failure::invalid(format!("the operation has no buffer `{}`", role.name()))
}
