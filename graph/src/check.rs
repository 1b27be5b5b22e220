//! Checks the views, sizes and workgroup counts of a pass.

use crate::error::GraphError;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::plan::PlannedView;
use crate::resource::View;

/// Required alignment of fills, updates and indirect parameters, in bytes.
pub(crate) const WORD: u64 = 4;

/// Checks one pass. Errors contain its label, `pass`.
pub(crate) struct Checker<'a> {
    pub graph: &'a Graph,
    pub limits: &'a Limits,
    pub pass: &'a str,
}

impl Checker<'_> {
    /// Names of the pass and of a buffer, for errors.
    pub fn pass_and_buffer(&self, buffer: usize) -> (String, String) {
        (self.pass.to_owned(), self.graph.buffers[buffer].name.clone())
    }

    /// Resolves a view. Fails if the buffer belongs to another graph, the view is empty, or it
    /// exceeds the buffer.
    pub fn view(&self, name: &str, view: View) -> Result<PlannedView, GraphError> {
        let at = || format!("pass `{}`, `{name}`", self.pass);
        let buffer = self.graph.buffer_decl(view.buffer, at)?;
        let View { offset, size, .. } = view;
        if size == 0 {
            let pass = Some(self.pass.to_owned());
            return Err(GraphError::EmptyBuffer { pass, buffer: buffer.name.clone() });
        }
        match offset.checked_add(size) {
            Some(end) if end <= buffer.size => {
                Ok(PlannedView { buffer: view.buffer.index, offset, size })
            }
            _ => Err(GraphError::ViewOutOfBounds {
                pass: self.pass.to_owned(),
                buffer: buffer.name.clone(),
                offset,
                size,
                buffer_size: buffer.size,
            }),
        }
    }

    /// Resolves a view whose offset and size must be multiples of [`WORD`].
    pub fn word_view(&self, name: &str, view: View) -> Result<PlannedView, GraphError> {
        let view = self.view(name, view)?;
        self.check_aligned(view, "offset", view.offset, WORD)?;
        self.check_aligned(view, "size", view.size, WORD)?;
        Ok(view)
    }

    pub fn check_aligned(
        &self,
        view: PlannedView,
        what: &'static str,
        value: u64,
        alignment: u64,
    ) -> Result<(), GraphError> {
        if value.is_multiple_of(alignment.max(1)) {
            return Ok(());
        }
        let (pass, buffer) = self.pass_and_buffer(view.buffer);
        Err(GraphError::Misaligned { pass, buffer, what, value, alignment })
    }

    pub fn check_min_size(
        &self,
        binding: &str,
        view: PlannedView,
        needed: u64,
    ) -> Result<(), GraphError> {
        if view.size >= needed {
            return Ok(());
        }
        let (pass, buffer) = self.pass_and_buffer(view.buffer);
        let (binding, size) = (binding.to_owned(), view.size);
        Err(GraphError::ViewTooSmall { pass, binding, buffer, size, needed })
    }

    pub fn check_same_size(&self, view: PlannedView, given: u64) -> Result<(), GraphError> {
        if view.size == given {
            return Ok(());
        }
        let (pass, buffer) = self.pass_and_buffer(view.buffer);
        Err(GraphError::SizeMismatch { pass, buffer, size: view.size, given })
    }

    pub fn check_limit(
        &self,
        at: &str,
        limit: &'static str,
        value: u64,
        max: u64,
    ) -> Result<(), GraphError> {
        if value <= max { Ok(()) } else { Err(self.limit_exceeded(at, limit, value, max)) }
    }

    pub fn limit_exceeded(
        &self,
        at: &str,
        limit: &'static str,
        value: u64,
        max: u64,
    ) -> GraphError {
        GraphError::LimitExceeded { at: format!("pass `{}`, `{at}`", self.pass), limit, value, max }
    }
}

/// Returns workgroup counts in x and y (z is 1) whose product is at least `count`, or `None` if y
/// would exceed its maximum or a maximum is 0. Uses the smallest possible y, and then the smallest
/// x, so there are fewer than y surplus workgroups. All counts are 0 if `count` is 0.
pub(crate) fn fold_groups(count: u64, max: [u32; 3]) -> Option<[u32; 3]> {
    if count == 0 {
        return Some([0; 3]);
    }
    if max.contains(&0) {
        return None;
    }
    let rows = count.div_ceil(u64::from(max[0]));
    let row = count.div_ceil(rows);
    let (x, y) = (u32::try_from(row).ok()?, u32::try_from(rows).ok()?);
    (y <= max[1]).then_some([x, y, 1])
}

#[cfg(test)]
mod tests {
    use super::fold_groups;

    #[test]
    fn large_workgroup_counts_extend_in_y() {
        let max = [65535, 65535, 65535];
        assert_eq!(fold_groups(0, max), Some([0, 0, 0]));
        assert_eq!(fold_groups(1, max), Some([1, 1, 1]));
        assert_eq!(fold_groups(65535, max), Some([65535, 1, 1]));
        assert_eq!(fold_groups(65536, max), Some([32768, 2, 1]));
        assert_eq!(fold_groups(131_071, max), Some([43691, 3, 1]));
        assert_eq!(fold_groups(65535 * 65535, max), Some([65535, 65535, 1]));
        assert_eq!(fold_groups(65535 * 65535 + 1, max), None);
        assert_eq!(fold_groups(u64::MAX, max), None);
    }

    #[test]
    fn folding_adds_fewer_workgroups_than_there_are_rows() {
        let max = [7, 100, 1];
        for count in 1..=700 {
            let [x, y, z] = fold_groups(count, max).map_or([0; 3], |groups| groups.map(u64::from));
            assert!(
                x <= 7 && y <= 100 && z == 1,
                "{count} groups became {x} x {y} x {z} (zeros: rejected); the maximum is {max:?}"
            );
            assert!(
                x * y >= count && x * y - count < y,
                "{count} groups became {x} x {y}; expected fewer than {y} surplus groups"
            );
        }
        assert_eq!(fold_groups(701, max), None);
    }
}
