//! Declares the buffers and counts of an operation as imports of the planned work.

use multisplit::graph::{Buffer, ElementType, Graph, Scope};
use multisplit::operations::{Count, DISPATCH_WORDS, dispatch_arguments};
use multisplit::{Context, Policy, Work};

use crate::read::{self, Sized32};
use crate::result::{Failure, Outcome};
use crate::types::{
    MultisplitBarriers, MultisplitCommonInfo, MultisplitCount, MultisplitOtherCount,
    MultisplitRole, MultisplitRoleScope,
};
use crate::values::Setting;

/// The parameters of an operation. Implemented by the macro `operation_info`.
pub(crate) trait OperationInfo: Sized32 {
    /// Declares the buffers and passes of the operation. Safe to call if the pointers of the parameters are
    /// null or valid.
    const DECLARE: unsafe fn(&Context, &Self) -> Outcome<Declaration>;

    fn common(&self) -> &MultisplitCommonInfo;
}

/// Implements `OperationInfo` for a structure whose last required member is `common.n`.
macro_rules! operation_info {
    ($name:ident, $declare:ident) => {
        // SAFETY: satisfies the requirements of the trait.
        unsafe impl $crate::read::Sized32 for $name {
            const NAME: &'static str = stringify!($name);
            const REQUIRED: usize = std::mem::offset_of!(Self, common) + $crate::types::COUNT_END;
        }

        impl $crate::declare::OperationInfo for $name {
            const DECLARE: unsafe fn(
                &multisplit::Context,
                &Self,
            ) -> $crate::result::Outcome<$crate::declare::Declaration> = $declare;

            fn common(&self) -> &$crate::types::MultisplitCommonInfo {
                &self.common
            }
        }
    };
}
pub(crate) use operation_info;

/// Name of the element count in plans.
pub(crate) const COUNT: &str = MultisplitRole::Count.name();

/// Minimum buffer size: Vulkan does not allow empty buffers, and kernels read words.
const MIN_BYTES: u64 = 4;

/// An operation that is being declared.
pub(crate) struct Declaration {
    pub work: Work,
    /// The buffer for each role.
    pub roles: Vec<(MultisplitRole, Buffer)>,
    /// The element count, and the count of a second array or of segments.
    pub counts: [RecordedCount; 2],
    /// Values that recordings may replace; set before [`add`](Self::add).
    pub setting: Option<Setting>,
}

/// A count that may be set by recordings.
pub(crate) struct RecordedCount {
    /// Name in the plan, the same as the member name in `MultisplitRecordInfo`.
    pub name: &'static str,
    /// Maximum of the count; `None` if recordings do not set it.
    pub max: Option<u64>,
}

impl Declaration {
    pub fn new(context: &Context, name: &str) -> Self {
        let counts = [MultisplitRole::Count, MultisplitRole::OtherCount]
            .map(|role| RecordedCount { name: role.name(), max: None });
        Self { work: context.work(name), roles: Vec::new(), counts, setting: None }
    }

    /// Adds the passes that `operation` declares.
    pub fn add<T>(
        mut self,
        operation: impl FnOnce(&mut Graph, &Policy) -> multisplit::Result<T>,
    ) -> Outcome<Self> {
        let (graph, policy) = self.work.parts();
        operation(graph, policy)?;
        if let Some(member) = self.setting.as_ref().and_then(Setting::member) {
            graph.settable_with(member);
        }
        Ok(self)
    }

    /// Imports the caller's buffer for a role: an array of `len` elements, padded to whole words.
    pub fn import(&mut self, role: MultisplitRole, element: ElementType, len: u64) -> Buffer {
        let of_word = MIN_BYTES / u64::from(element.bytes().unwrap_or(1)).clamp(1, MIN_BYTES);
        let len = len.max(1).checked_next_multiple_of(of_word).unwrap_or(u64::MAX);
        let buffer = self.work.parts().0.import_array(role.name(), element, len);
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
        let graph = self.work.parts().0;
        let buffer = graph.import_bytes(role.name(), size.max(MIN_BYTES)).reinterpret(element);
        self.roles.push((role, buffer));
        buffer
    }

    /// Declares the element count.
    pub fn count(&mut self, common: &MultisplitCommonInfo) -> Outcome<Count> {
        let MultisplitCommonInfo { n, count, count_index, .. } = *common;
        let given = MultisplitOtherCount { n, count, count_index };
        self.any_count(0, MultisplitRole::Count, &given)
    }

    /// Declares the length of a second array, or the number of segments.
    pub fn other_count(&mut self, other: &MultisplitOtherCount) -> Outcome<Count> {
        self.any_count(1, MultisplitRole::OtherCount, other)
    }

    fn any_count(
        &mut self,
        which: usize,
        role: MultisplitRole,
        given: &MultisplitOtherCount,
    ) -> Outcome<Count> {
        let max = given.n;
        Ok(match read::choice(given.count)? {
            MultisplitCount::Fixed => Count::Host(max),
            MultisplitCount::Recorded => {
                self.counts[which].max = Some(max);
                self.work.count(role.name(), max)
            }
            MultisplitCount::Device => {
                let index = u64::from(given.count_index);
                let buffer = self.import(role, ElementType::U32, index + 1);
                Count::Device { buffer, index, max }
            }
        })
    }

    /// Imports the segment offsets: the start of each segment and the end of the last one.
    pub fn offsets(&mut self, segments: Count) -> Buffer {
        let words = segments.max().saturating_add(1);
        self.import(MultisplitRole::Offsets, ElementType::U32, words)
    }

    /// Adds the pass that writes the arguments of indirect dispatches over `found` elements, with `threads`
    /// elements per workgroup. Adds no pass if `threads` is 0.
    pub fn dispatch(&mut self, found: Buffer, max: u64, threads: u32) -> Outcome {
        if threads == 0 {
            return Ok(());
        }
        let command = self.import(MultisplitRole::Dispatch, ElementType::U32, DISPATCH_WORDS);
        let (graph, policy) = self.work.parts();
        let count = Count::Device { buffer: found, index: 0, max };
        Ok(dispatch_arguments(graph, policy, count, threads, command)?)
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
    Failure::invalid(format!(
        "the operation has no buffer `{}`; its structure lists its roles and when they are used",
        role.name()
    ))
}
