//! Values that a recording may replace: the limits of a selection, and the parameters of a GLSL function.
//!
//! Both are push constants. Their offsets are found by member name when the operation is planned. A recording
//! writes the values to copies of the planned push constants on its stack, because it must not allocate.

use multisplit::PassValue;
use multisplit::graph::Plan;

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
    /// Must be 0.
    pub reserved: u32,
}

/// Name of the first push constant of each group of replaceable values: the comparison limits (`inverted`,
/// `low`, `high`), and the parameters of GLSL functions.
pub(crate) const MEMBERS: [&str; 2] = ["inverted", "parameter_0"];
/// Maximum size of push constants in bytes. Every Vulkan device supports this size.
pub(crate) const PUSH_BYTES: usize = 128;
/// Maximum number of pass labels whose push constants are replaced.
pub(crate) const MAX_REPLACED: usize = 8;

/// Converts the comparison limits of a recording to push-constant words of the kernels.
pub(crate) type Limits = Box<dyn Fn(&MultisplitValues) -> Outcome<[u32; 5]> + Send + Sync>;

/// The passes whose push constants contain replaceable values.
pub(crate) struct Replaceable {
    limits: Option<Limits>,
    passes: Vec<Push>,
    /// Whether values cannot be replaced, because passes with the same label have different push constants, or
    /// because more than [`MAX_REPLACED`] labels have replaceable values.
    is_ambiguous: bool,
}

/// Planned push constants of the passes with one label.
struct Push {
    label: String,
    bytes: Vec<u8>,
    /// Byte offset of each of [`MEMBERS`] in the push constants; `None` if there is no such member.
    offsets: [Option<usize>; 2],
}

impl Replaceable {
    pub fn new(plan: &Plan, limits: Option<Limits>) -> Self {
        let mut this = Self { limits, passes: Vec::new(), is_ambiguous: false };
        for pass in plan.steps().iter().map(|step| &step.pass).filter(|pass| pass.settable) {
            let block = pass.kernel.as_ref().and_then(|k| k.interface().push_constants.as_ref());
            let offset = |name: &&str| {
                let member = block?.members.iter().find(|member| member.name == *name)?;
                Some(member.offset as usize)
            };
            let offsets = [offset(&MEMBERS[0]), offset(&MEMBERS[1])];
            if offsets == [None; 2] {
                continue;
            }
            match this.passes.iter().find(|known| known.label == pass.label) {
                Some(known) => this.is_ambiguous |= known.bytes != pass.push,
                None => {
                    let (label, bytes) = (pass.label.clone(), pass.push.clone());
                    this.passes.push(Push { label, bytes, offsets });
                }
            }
        }
        this.is_ambiguous |= this.passes.len() > MAX_REPLACED;
        this
    }

    /// Writes the push constants of each pass with the given values to `pushes`, and returns their number.
    pub fn replace<'r>(
        &'r self,
        given: &MultisplitValues,
        pushes: &'r mut [[u8; PUSH_BYTES]],
        values: &mut [PassValue<'r>],
    ) -> Outcome<usize> {
        crate::read::reserved("MultisplitValues", given.reserved)?;
        if self.passes.is_empty() {
            return Err(Failure::invalid(
                "`values` must be NULL, because this operation has neither comparison limits nor GLSL parameters to replace",
            ));
        }
        if self.is_ambiguous {
            let text = "this operation does not support `values` in recordings; create one operation per set of values";
            return Err(Failure::new(MultisplitResult::MultisplitErrorUnsupported, text));
        }
        let limits = self.limits.as_ref().map(|limits| limits(given)).transpose()?;
        for ((pass, push), value) in self.passes.iter().zip(pushes).zip(values) {
            let bytes = &mut push[..pass.bytes.len().min(PUSH_BYTES)];
            bytes.copy_from_slice(&pass.bytes[..bytes.len()]);
            if let (Some(offset), Some(limits)) = (pass.offsets[0], limits) {
                write(bytes, offset, &limits);
            }
            if let Some(offset) = pass.offsets[1] {
                write(bytes, offset, &given.parameters);
            }
            *value = PassValue { pass: &pass.label, bytes };
        }
        Ok(self.passes.len())
    }
}

/// Writes words at a byte offset.
fn write(bytes: &mut [u8], offset: usize, words: &[u32]) {
    let to = bytes.get_mut(offset..).unwrap_or_default().chunks_exact_mut(size_of::<u32>());
    to.zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
}
