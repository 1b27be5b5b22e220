//! Values that a recording may replace: the limits of a selection, the edges of a split or histogram, and the
//! parameters of a GLSL function.
//!
//! All of them are push constants, except tables of edges, which a pass of their own writes. The offsets of push
//! constants are found by member name when the operation is planned. A recording writes the values to copies of the
//! planned push constants on its stack. Only new edges allocate, and only host memory.

use std::ffi::c_void;

use multisplit::graph::Plan;
use multisplit::{EdgeValues, PassValue};

use crate::read;
use crate::result::{Failure, MultisplitResult, Outcome};
use crate::types::MultisplitNumber;

/// Values for one recording, which replace those that the operation was created with. All members that the
/// operation uses must be set; other members are ignored.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitValues {
    /// For a selection by comparison: `first` of `MultisplitSelectInfo`.
    pub first: MultisplitNumber,
    /// For `WITHIN`: `last` of `MultisplitSelectInfo`.
    pub last: MultisplitNumber,
    /// For a GLSL function of a split, histogram or selection: `push.parameter_0`, `_1` and `_2`.
    pub parameters: [u32; 3],
    /// For a split or histogram with `settable_edges`: the number of edges, which is that of the operation.
    pub edge_count: u32,
    /// For a split or histogram with `settable_edges`: the edges, as in its structure. Copied.
    pub edges: *const c_void,
    /// For a split by `DELTA` with `settable_edges`: the number of integers per bucket.
    pub width: u64,
}

/// Maximum size of push constants in bytes. Every Vulkan device supports this size.
pub(crate) const PUSH_BYTES: usize = 128;
/// Maximum number of pass labels whose push constants are replaced.
pub(crate) const MAX_REPLACED: usize = 8;
/// Maximum number of values that one recording replaces: those push constants, and a table of edges.
pub(crate) const MAX_VALUES: usize = MAX_REPLACED + 1;

/// Converts the comparison limits of a recording to push-constant words of the kernels.
pub(crate) type Limits = Box<dyn Fn(&MultisplitValues) -> Outcome<[u32; 5]> + Send + Sync>;
/// Converts edges, given as the bits of elements, and the width of `DELTA` to the values of the passes.
pub(crate) type ToValues = Box<dyn Fn(Vec<u64>, u64) -> Outcome<EdgeValues> + Send + Sync>;

/// Values that a recording may replace.
pub(crate) enum Setting {
    /// The limits of a selection.
    Limits(Limits),
    /// The parameters of a GLSL function.
    Parameters,
    Edges(Edges),
}

/// The edges of a split or histogram.
pub(crate) struct Edges {
    pub convert: ToValues,
    /// Bytes per edge.
    pub bytes: u32,
    /// The values of the edges that the operation was created with.
    pub planned: EdgeValues,
}

impl Setting {
    /// Name of the first push constant that is replaced; `None` if push constants do not change.
    pub fn member(&self) -> Option<&'static str> {
        match self {
            Self::Limits(_) => Some("inverted"),
            Self::Parameters => Some("parameter_0"),
            Self::Edges(edges) => edges.planned.push().map(|(member, _)| member),
        }
    }

    /// # Safety
    /// The pointers of `given` are null or valid.
    unsafe fn convert(&self, given: &MultisplitValues) -> Outcome<NewValues> {
        Ok(match self {
            Self::Limits(limits) => NewValues::Limits(limits(given)?),
            Self::Parameters => NewValues::Parameters(given.parameters),
            // SAFETY: by the caller's contract.
            Self::Edges(edges) => NewValues::Edges(unsafe { edges.convert(given)? }),
        })
    }
}

impl Edges {
    /// # Safety
    /// The pointers of `given` are null or valid.
    unsafe fn convert(&self, given: &MultisplitValues) -> Outcome<EdgeValues> {
        // SAFETY: by the caller's contract.
        let edges = unsafe { read::numbers("edges", given.edges, given.edge_count, self.bytes)? };
        let values = (self.convert)(edges, given.width)?;
        if values.fit(&self.planned) {
            return Ok(values);
        }
        let text = "these edges need another kernel than those that the operation was created with; create an \
                    operation for them";
        Err(Failure::new(MultisplitResult::MultisplitErrorUnsupported, text))
    }
}

/// The values of one recording, converted for the kernels.
pub(crate) enum NewValues {
    Limits([u32; 5]),
    Parameters([u32; 3]),
    Edges(EdgeValues),
}

impl NewValues {
    /// The words of the push constants.
    fn push(&self) -> &[u32] {
        match self {
            Self::Limits(words) => words,
            Self::Parameters(words) => words,
            Self::Edges(edges) => edges.push().map_or(&[], |(_, words)| words),
        }
    }

    /// The data of the pass that writes the table of edges.
    fn table(&self) -> Option<PassValue<'_>> {
        let Self::Edges(edges) = self else { return None };
        edges.table()
    }
}

/// The passes whose push constants contain replaceable values.
pub(crate) struct Replaceable {
    setting: Option<Setting>,
    passes: Vec<Push>,
    /// Whether values cannot be replaced, because passes with the same label have different push constants, or
    /// because more than [`MAX_REPLACED`] labels have replaceable values.
    is_ambiguous: bool,
}

/// Planned push constants of the passes with one label.
struct Push {
    label: String,
    bytes: Vec<u8>,
    /// Byte offset of the first push constant that is replaced.
    offset: usize,
}

impl Replaceable {
    pub fn new(plan: &Plan, setting: Option<Setting>) -> Self {
        let member = setting.as_ref().and_then(Setting::member);
        let mut this = Self { setting, passes: Vec::new(), is_ambiguous: false };
        for pass in plan.steps().iter().map(|step| &step.pass).filter(|pass| pass.settable) {
            let block = pass.kernel.as_ref().and_then(|k| k.interface().push_constants.as_ref());
            let found = block
                .zip(member)
                .and_then(|(block, name)| block.members.iter().find(|member| member.name == name));
            let Some(found) = found else { continue };
            match this.passes.iter().find(|known| known.label == pass.label) {
                Some(known) => this.is_ambiguous |= known.bytes != pass.push,
                None => this.passes.push(Push {
                    label: pass.label.clone(),
                    bytes: pass.push.clone(),
                    offset: found.offset as usize,
                }),
            }
        }
        this.is_ambiguous |= this.passes.len() > MAX_REPLACED;
        this
    }

    /// Converts the values of a recording.
    ///
    /// # Safety
    /// The pointers of `given` are null or valid.
    pub unsafe fn convert(&self, given: &MultisplitValues) -> Outcome<NewValues> {
        let Some(setting) = &self.setting else {
            return Err(Failure::invalid(
                "`values` must be NULL, because this operation has neither comparison limits, nor settable edges, nor GLSL parameters",
            ));
        };
        if self.is_ambiguous {
            let text = "this operation does not support `values` in recordings; create one operation per set of values";
            return Err(Failure::new(MultisplitResult::MultisplitErrorUnsupported, text));
        }
        // SAFETY: by the caller's contract.
        unsafe { setting.convert(given) }
    }

    /// Writes the push constants of each pass with the new values to `pushes`, and the values of all passes to
    /// `values`. Returns the number of values.
    pub fn replace<'r>(
        &'r self,
        new: &'r NewValues,
        pushes: &'r mut [[u8; PUSH_BYTES]],
        values: &mut [PassValue<'r>],
    ) -> usize {
        let mut count = 0;
        for ((pass, push), value) in self.passes.iter().zip(pushes).zip(&mut *values) {
            let bytes = &mut push[..pass.bytes.len().min(PUSH_BYTES)];
            bytes.copy_from_slice(&pass.bytes[..bytes.len()]);
            write(bytes, pass.offset, new.push());
            *value = PassValue { pass: &pass.label, bytes };
            count += 1;
        }
        for (value, table) in values[count..].iter_mut().zip(new.table()) {
            *value = table;
            count += 1;
        }
        count
    }
}

/// Writes words at a byte offset.
fn write(bytes: &mut [u8], offset: usize, words: &[u32]) {
    let to = bytes.get_mut(offset..).unwrap_or_default().chunks_exact_mut(size_of::<u32>());
    to.zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
}
