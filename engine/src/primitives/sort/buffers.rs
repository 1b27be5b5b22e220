//! Where the arrays of a sort are, and what they may be arrays of.

use multisplit_graph::{Buffer, ElementType, PassBuilder};

use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::arrays::check_element;
use crate::primitives::count::Count;
use crate::primitives::key::value_bytes;
use crate::primitives::pieces::single;

/// Where the arrays of a sort are in a graph. The result goes where the input was, unless
/// [`between`](Self::between) says otherwise.
#[derive(Clone, Copy, Debug)]
pub struct SortBuffers {
    pub(in crate::primitives) n: Count,
    pub(in crate::primitives) keys: Buffer,
    pub(in crate::primitives) values: SortValues,
    pub(in crate::primitives) place: SortPlace,
    /// Offsets of segments, and how many segments there are.
    pub(in crate::primitives) segments: Option<(Buffer, Count)>,
}

impl SortBuffers {
    /// Keys alone, all that the buffer has.
    pub fn keys(keys: Buffer) -> Self {
        let n = Count::Host(keys.len());
        let (values, place) = (SortValues::None, SortPlace::InPlace);
        Self { n, keys, values, place, segments: None }
    }

    /// Each key takes a value along.
    #[must_use]
    pub fn values(self, values: Buffer) -> Self {
        let bytes = values.element().bytes().unwrap_or(0);
        Self { values: SortValues::Values { buffer: values, bytes }, ..self }
    }

    /// `indices` gets, for each place, which element of the input comes there. It is not read.
    #[must_use]
    pub fn indices(self, indices: Buffer) -> Self {
        Self { values: SortValues::Indices(indices), ..self }
    }

    /// The first `n` elements, by a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Each of so many segments on its own: `offsets`, of `u32`, has where each begins and, one more, where the
    /// last one ends. They are read when the passes run, and never lead out of the array: one that is past
    /// its end counts as the end, one below an earlier one as that. What lies before the first and past the
    /// last stays as it is. Indices count from where their segment begins.
    #[must_use]
    pub fn segments(self, offsets: Buffer, segments: impl Into<Count>) -> Self {
        Self { segments: Some((offsets, segments.into())), ..self }
    }

    /// The result goes into the buffers of the input, or into these others of the same sizes,
    /// whichever takes fewer copies; the workspace is then smaller. `half` is one word: 0 when the
    /// result is where the input was, 1 when it is in the others.
    #[must_use]
    pub fn between(self, keys: Buffer, values: Option<Buffer>, half: Buffer) -> Self {
        Self { place: SortPlace::DoubleBuffer { keys, values, half }, ..self }
    }
}

/// What keys take along.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) enum SortValues {
    None,
    Values { buffer: Buffer, bytes: u32 },
    Indices(Buffer),
}

/// Where the result of a sort goes.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) enum SortPlace {
    InPlace,
    DoubleBuffer { keys: Buffer, values: Option<Buffer>, half: Buffer },
}

/// What goes along and where it goes is of the types that it has to be.
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

    /// Binds those of the first `n` elements to a pass that sorts them where they are.
    pub(super) fn bind<'g>(
        self,
        pass: PassBuilder<'g>,
        policy: &Policy,
        n: u64,
    ) -> Result<PassBuilder<'g>> {
        let Some((buffer, bytes)) = self.buffer() else { return Ok(pass) };
        let view = single(buffer.range(0, n * u64::from(bytes)), policy)?;
        Ok(match self {
            // Numbers are only written.
            Self::Indices(_) => pass.scratch("values", view),
            _ => pass.bind("values", view),
        })
    }
}
