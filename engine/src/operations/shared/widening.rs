//! Widens keys of 8 and 16 bits for kernels that do not support them. Each key becomes a word, in a form that the
//! kernel can process. Keys in the result are packed again.

use multisplit_graph::{Buffer, Graph, View};
use multisplit_shaders::builtin::{Builtin, KEYS_NARROW, KEYS_WIDEN};

use crate::elements::key::{FLOAT, KeyType, SIGNED, UNSIGNED};
use crate::error::Result;
use crate::operations::shared::{
    Count, ELEMENTS_PER_THREAD, Lengths, WORD, builtin_pass, push_words, single,
};
use crate::policy::Policy;

/// Number of keys that a thread of either kernel converts at a time.
const KEYS_AT_A_TIME: u64 = 4;

/// Representation of an 8-bit or 16-bit key in a 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The same bits, as a `u32`.
    Bits,
    /// A `u32` that has the same order as the keys.
    Ordered,
    /// The same value, as a `u32`, `i32` or `f32`.
    Number,
}

impl Form {
    /// Key type of the words, for the kernels that process them.
    pub fn wide(self, key: KeyType) -> KeyType {
        match (self, key.kind()) {
            (Self::Number, SIGNED) => KeyType::I32,
            (Self::Number, FLOAT) => KeyType::F32,
            _ => KeyType::U32,
        }
    }

    /// Value of the specialization constant FORM; must match `narrow_forms.glsl`.
    fn constant(self, key: KeyType) -> u32 {
        match (self, key) {
            (Self::Bits, _) => 0,
            (Self::Ordered, _) => 1,
            (Self::Number, KeyType::F16) => 3,
            (Self::Number, KeyType::Bf16) => 4,
            (Self::Number, key) if key.kind() == UNSIGNED => 0,
            (Self::Number, _) => 2,
        }
    }
}

/// The keys that are widened or packed.
#[derive(Clone, Copy, Debug)]
pub struct NarrowKeys {
    pub key: KeyType,
    pub form: Form,
    pub n: Count,
}

impl NarrowKeys {
    /// Adds the passes that widen the keys in `from` to words in `to`.
    pub fn widen(self, graph: &mut Graph, policy: &Policy, from: Buffer, to: Buffer) -> Result<()> {
        let (narrow, wide) = (self.narrow_view(from), self.wide_view(to));
        self.convert(graph, policy, &KEYS_WIDEN, (narrow, wide))
    }

    /// Adds the passes that pack the words in `from` into keys in `to`. Memory past the last key is not changed.
    pub fn narrow(
        self,
        graph: &mut Graph,
        policy: &Policy,
        from: Buffer,
        to: Buffer,
    ) -> Result<()> {
        let (wide, narrow) = (self.wide_view(from), self.narrow_view(to));
        self.convert(graph, policy, &KEYS_NARROW, (wide, narrow))
    }

    fn narrow_view(self, keys: Buffer) -> View {
        keys.range(0, self.key.array_bytes(self.n.max()))
    }

    fn wide_view(self, words: Buffer) -> View {
        words.range(0, self.n.max().saturating_mul(WORD))
    }

    fn convert(
        self,
        graph: &mut Graph,
        policy: &Policy,
        kernel: &Builtin,
        (src, dst): (View, View),
    ) -> Result<()> {
        if self.n.max() == 0 {
            return Ok(());
        }
        let (mut lengths, n) = Lengths::new(self.n)?;
        let groups =
            lengths.parts(n, KEYS_AT_A_TIME * ELEMENTS_PER_THREAD * u64::from(policy.threads))?;
        let prepared = lengths.prepare(graph, policy, "keys.prepare")?;
        let (src, dst) = (single(src, policy)?, single(dst, policy)?);
        // Memory after the last key must be preserved, unless the buffer is transient.
        let unwritten = graph.is_transient(dst.buffer);
        let constants = [
            ("local_size_x", policy.threads),
            ("NARROW_BITS", self.key.bits()),
            ("NARROW_KIND", self.key.kind()),
            ("FORM", self.form.constant(self.key)),
        ];
        let pass = builtin_pass(graph, kernel, &constants)?
            .bind("src", src)
            .push(&push_words! { count: prepared.pushed(n) });
        let pass = if unwritten { pass.scratch("dst", dst) } else { pass.bind("dst", dst) };
        prepared.dispatch(prepared.bind(pass, src), groups);
        Ok(())
    }
}
