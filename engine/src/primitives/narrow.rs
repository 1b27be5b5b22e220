//! Keys of 8 and 16 bits in kernels for keys of 32: each gets a word of its own, in a form that the kernel can
//! work with, and is put back among its neighbours at the end.

use bytemuck::Pod;
use multisplit_graph::{Buffer, Graph, View};
use multisplit_shaders::builtin::{Builtin, KEYS_NARROW, KEYS_WIDEN};
use multisplit_shaders::push_constants;

use super::Policy;
use super::count::{Count, Lengths};
use super::key::{FLOAT, Key, KeyType, SIGNED, UNSIGNED};
use super::large::Extent;
use super::multisplit::EACH;
use super::pieces::single;
use crate::device::context::Context;
use crate::error::Result;
use crate::execute::import::Bound;
use crate::execute::own_pass::OwnPasses;
use crate::memory::Array;

push_constants! {
    struct KeysPush {
        count: u32,
    }
}

const WORD: u64 = 4;
/// Keys that a thread of either kernel takes at a time.
const FOUR: u64 = 4;
/// Pieces of large arrays begin at multiples of so many keys: the largest offset alignment that Vulkan lets a
/// device ask for, of keys of a byte.
const ALIGNMENT: u64 = 256;

/// What a narrow key is in a word of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::primitives) enum Form {
    /// The same bits, as a `u32`.
    Bits,
    /// The `u32` that compares like the key.
    Ordered,
    /// The same number: a `u32`, an `i32` or an `f32`.
    Number,
}

impl Form {
    /// The type of the word.
    pub fn wide(self, key: KeyType) -> KeyType {
        match (self, key.kind()) {
            (Self::Number, SIGNED) => KeyType::I32,
            (Self::Number, FLOAT) => KeyType::F32,
            _ => KeyType::U32,
        }
    }

    /// The kernels' FORM; `narrow_forms.glsl` has the same.
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

/// Narrow keys, some of which are given words of their own.
#[derive(Clone, Copy, Debug)]
pub(in crate::primitives) struct NarrowKeys {
    pub key: KeyType,
    pub form: Form,
    pub n: Count,
}

impl NarrowKeys {
    /// Adds the passes that give each of the keys in `from` a word of `to`.
    pub fn widen(self, graph: &mut Graph, policy: &Policy, from: Buffer, to: Buffer) -> Result<()> {
        let (narrow, wide) = (self.narrow_view(from), self.wide_view(to));
        self.convert(graph, policy, &KEYS_WIDEN, (narrow, wide))
    }

    /// Adds the passes that make keys in `to` of the words in `from` again. What lies behind the last one
    /// stays as it is.
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
        let groups = lengths.parts(n, FOUR * EACH * u64::from(policy.threads))?;
        let prepared = lengths.prepare(graph, policy, "keys.prepare")?;
        let (src, dst) = (single(src, policy)?, single(dst, policy)?);
        // A transient that nobody has written has nothing behind its last key that should stay.
        let unwritten = graph.is_transient(dst.buffer);
        let pass = graph
            .own_pass(kernel.label(), &kernel.kernel()?)
            .bind("src", src)
            .push(&KeysPush { count: prepared.pushed(n) })
            .specialize("local_size_x", policy.threads)
            .specialize("NARROW_BITS", self.key.bits())
            .specialize("NARROW_KIND", self.key.kind())
            .specialize("FORM", self.form.constant(self.key));
        let pass = if unwritten { pass.scratch("dst", dst) } else { pass.bind("dst", dst) };
        prepared.dispatch(prepared.bind(pass, src), groups);
        Ok(())
    }
}

/// All keys of an array, each in a word of its own: `W` is the type of [`Form::wide`].
pub(in crate::primitives) fn widen_array<K: Key, W: Pod>(
    at: (&Context, &Policy),
    form: Form,
    keys: &Array<K>,
) -> Result<Array<W>> {
    let words = Array::uninit(at.0, "keys.words", keys.len())?;
    convert_arrays(at, form, keys, &words, NarrowKeys::widen)?;
    Ok(words)
}

/// The other way, into an array that is there.
pub(in crate::primitives) fn narrow_array<K: Key, W: Pod>(
    at: (&Context, &Policy),
    form: Form,
    words: &Array<W>,
    keys: &Array<K>,
) -> Result<()> {
    convert_arrays(at, form, keys, words, |narrow, graph, policy, from, to| {
        narrow.narrow(graph, policy, to, from)
    })
}

/// Piece by piece: arrays may be larger than a binding. `add` gets the keys, then the words.
fn convert_arrays<K: Key, W: Pod>(
    (context, policy): (&Context, &Policy),
    form: Form,
    keys: &Array<K>,
    words: &Array<W>,
    add: impl Fn(NarrowKeys, &mut Graph, &Policy, Buffer, Buffer) -> Result<()>,
) -> Result<()> {
    let piece = (Extent::of(policy, WORD).piece / ALIGNMENT * ALIGNMENT).max(ALIGNMENT);
    for begin in (0..keys.len()).step_by(usize::try_from(piece).unwrap_or(usize::MAX)) {
        let n = piece.min(keys.len() - begin);
        let mut graph = Graph::new("keys");
        let narrow = graph.import_bytes("keys", K::TYPE.array_bytes(n));
        let wide = graph.import_bytes("words", n * WORD);
        let count = Count::Host(n);
        add(NarrowKeys { key: K::TYPE, form, n: count }, &mut graph, policy, narrow, wide)?;
        let executable = context.instantiate(graph.compile(&context.limits())?)?;
        let bound = [
            Bound::untyped(narrow, keys, begin * size_of::<K>() as u64),
            Bound::untyped(wide, words, begin * WORD),
        ];
        context.run(&executable, &bound)?;
    }
    Ok(())
}
