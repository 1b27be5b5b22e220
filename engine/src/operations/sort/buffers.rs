//! Arrays of a sort in a graph, and checks of their types.

use multisplit_graph::{Buffer, ElementType, PassBuilder};

use crate::elements::key::value_bytes;
use crate::error::Result;
use crate::operations::shared::checks::check_element;
use crate::operations::shared::count::Count;
use crate::operations::shared::pieces::single;
use crate::policy::Policy;

/// Arrays of a sort in a graph. The sort is in place unless [`between`](Self::between) is used.
#[derive(Clone, Copy, Debug)]
pub struct SortBuffers {
    pub(in crate::operations) n: Count,
    pub(in crate::operations) keys: Buffer,
    pub(in crate::operations) values: SortValues,
    pub(in crate::operations) place: SortPlace,
    /// Offsets and number of the segments.
    pub(in crate::operations) segments: Option<(Buffer, Count)>,
}

impl SortBuffers {
    /// Sorts all keys of the buffer, without values.
    pub fn keys(keys: Buffer) -> Self {
        let n = Count::Host(keys.len());
        let (values, place) = (SortValues::None, SortPlace::InPlace);
        Self { n, keys, values, place, segments: None }
    }

    /// Adds a value to each key.
    #[must_use]
    pub fn values(self, values: Buffer) -> Self {
        let bytes = values.element().bytes().unwrap_or(0);
        Self { values: SortValues::Values { buffer: values, bytes }, ..self }
    }

    /// Writes the index of the input element at each output position to `indices`. Its contents are not read.
    #[must_use]
    pub fn indices(self, indices: Buffer) -> Self {
        Self { values: SortValues::Indices(indices), ..self }
    }

    /// Sorts only the first `n` elements. `n` is a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Sorts each segment independently. `offsets` is an array of `u32` with the start of each segment and the
    /// end of the last one. It is read when the passes run. Accesses always stay within the array: an offset
    /// past its end is clamped to the end, and an offset below an earlier one is raised to that one. Elements
    /// before the first segment and after the last one are not modified. Indices are relative to the start of
    /// their segment.
    #[must_use]
    pub fn segments(self, offsets: Buffer, segments: impl Into<Count>) -> Self {
        Self { segments: Some((offsets, segments.into())), ..self }
    }

    /// Allows the result to be in these other buffers, of the same sizes as the input, if that saves a copy.
    /// This also reduces the workspace. `half` is one word: 0 if the result is in the input buffers, 1 if it is
    /// in the others.
    #[must_use]
    pub fn between(self, keys: Buffer, values: Option<Buffer>, half: Buffer) -> Self {
        Self { place: SortPlace::DoubleBuffer { keys, values, half }, ..self }
    }
}

/// Values that move with the keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) enum SortValues {
    None,
    Values { buffer: Buffer, bytes: u32 },
    Indices(Buffer),
}

/// Location of the result.
#[derive(Clone, Copy, Debug)]
pub(in crate::operations) enum SortPlace {
    InPlace,
    DoubleBuffer { keys: Buffer, values: Option<Buffer>, half: Buffer },
}

/// Checks the types of the values and of the output buffers.
pub(super) fn check_types(buffers: &SortBuffers) -> Result<()> {
    match buffers.values {
        SortValues::None => {}
        SortValues::Values { buffer, .. } => {
            value_bytes(buffer)?;
        }
        SortValues::Indices(buffer) => check_element("indices", buffer, ElementType::U32)?,
    }
    if let SortPlace::DoubleBuffer { keys, values, half } = buffers.place {
        check_element("keys.other", keys, buffers.keys.element())?;
        if let (Some(other), Some((given, _))) = (values, buffers.values.buffer()) {
            check_element("values.other", other, given.element())?;
        }
        check_element("half", half, ElementType::U32)?;
    }
    Ok(())
}

impl SortValues {
    pub(super) fn buffer(self) -> Option<(Buffer, u32)> {
        match self {
            Self::None => None,
            Self::Values { buffer, bytes } => Some((buffer, bytes)),
            Self::Indices(buffer) => Some((buffer, 4)),
        }
    }

    pub(super) fn bytes(self) -> Option<u32> {
        self.buffer().map(|(_, bytes)| bytes)
    }

    /// Binds the values of the first `n` elements to a pass that sorts in place.
    pub(super) fn bind<'g>(
        self,
        pass: PassBuilder<'g>,
        policy: &Policy,
        n: u64,
    ) -> Result<PassBuilder<'g>> {
        let Some((buffer, bytes)) = self.buffer() else { return Ok(pass) };
        let view = single(buffer.range(0, n * u64::from(bytes)), policy)?;
        Ok(match self {
            // Indices are only written.
            Self::Indices(_) => pass.scratch("values", view),
            _ => pass.bind("values", view),
        })
    }
}
