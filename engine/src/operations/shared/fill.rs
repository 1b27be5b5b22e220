//! Passes that fill and copy buffers. On an H200, a copy is several times as fast as `vkCmdCopyBuffer`.

use multisplit_graph::{Buffer, Graph, Groups, View};
use multisplit_shaders::builtin;

use crate::error::{Error, Result};
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::{
    ALIGNMENT, Count, Length, Lengths, Prepared, WORD, check_size, pieces, push_words, single,
};
use crate::policy::Policy;

/// Maximum number of bytes that one thread of either kernel writes.
const THREAD_BYTES: u64 = 16;
const THREAD_WORDS: u64 = THREAD_BYTES / WORD;

/// Adds passes that set every 32-bit word of `dst` to `value`. Adds none if the view is empty.
pub fn fill(
    graph: &mut Graph,
    policy: &Policy,
    label: &str,
    dst: impl Into<View>,
    value: u32,
) -> Result<()> {
    policy.check()?;
    policy.facts.form.declare_in(graph);
    let kernel = builtin::MEMORY_FILL.kernel()?;
    for dst in pieces(dst.into(), ALIGNMENT, policy)? {
        graph
            .own_pass(label, &kernel)
            .bind("dst", dst)
            .push(&push_words! { count: words(dst), value })
            .specialize("local_size_x", policy.threads)
            .dispatch(groups(dst, policy));
    }
    Ok(())
}

/// Adds passes that copy every 32-bit word of `src` to `dst`. Both must have the same size and must not overlap. Adds
/// none if the views are empty.
pub fn copy(
    graph: &mut Graph,
    policy: &Policy,
    label: &str,
    src: impl Into<View>,
    dst: impl Into<View>,
) -> Result<()> {
    let (src, dst) = (src.into(), dst.into());
    if src.size != dst.size {
        let (array, size, needed) = match src.size < dst.size {
            true => ("src", src.size, dst.size),
            false => ("dst", dst.size, src.size),
        };
        return Err(Error::BufferTooSmall { name: format!("{label}.{array}"), size, needed });
    }
    policy.check()?;
    policy.facts.form.declare_in(graph);
    let kernel = builtin::MEMORY_COPY.kernel()?;
    let pairs = pieces(src, ALIGNMENT, policy)?.into_iter().zip(pieces(dst, ALIGNMENT, policy)?);
    for (src, dst) in pairs {
        let pass = graph
            .own_pass(label, &kernel)
            .bind("src", src)
            .bind("dst", dst)
            .push(&push_words! { count: words(src) })
            .specialize("local_size_x", policy.threads);
        Prepared::default().bind(pass, src).dispatch(groups(src, policy));
    }
    Ok(())
}

/// Adds passes that set the first `n` 32-bit words of `dst` to `value`.
pub fn fill_first(
    graph: &mut Graph,
    policy: &Policy,
    label: &str,
    dst: Buffer,
    n: impl Into<Count>,
    value: u32,
) -> Result<()> {
    policy.check()?;
    policy.facts.form.declare_in(graph);
    let (mut lengths, n) = Lengths::new(n.into())?;
    let filling = Filling::plan(policy, &mut lengths, n)?;
    let prepared = lengths.prepare(graph, policy, &format!("{label}.prepare"))?;
    filling.add(graph, policy, prepared, label, dst, value)
}

/// Adds passes that copy the first `n` 32-bit words of `src` to `dst`. The two must not overlap.
pub fn copy_first(
    graph: &mut Graph,
    policy: &Policy,
    label: &str,
    src: Buffer,
    dst: Buffer,
    n: impl Into<Count>,
) -> Result<()> {
    policy.check()?;
    policy.facts.form.declare_in(graph);
    let (mut lengths, n) = Lengths::new(n.into())?;
    let (src, dst) =
        (first(&format!("{label}.src"), src, n)?, first(&format!("{label}.dst"), dst, n)?);
    if n.is_known() || n.max == 0 {
        return copy(graph, policy, label, src, dst);
    }
    let groups = lengths.parts(n, THREAD_WORDS * u64::from(policy.threads))?;
    let prepared = lengths.prepare(graph, policy, &format!("{label}.prepare"))?;
    let pass = graph
        .own_pass(label, &builtin::MEMORY_COPY.kernel()?)
        .bind("src", single(src, policy)?)
        .bind("dst", dst)
        .push(&push_words! { count: prepared.pushed(n) })
        .specialize("local_size_x", policy.threads);
    prepared.dispatch(prepared.bind(pass, src), groups);
    Ok(())
}

/// A planned fill of the first words of a buffer. The host knows the number of words, or it is derived from a device
/// count.
#[derive(Clone, Copy, Debug)]
pub struct Filling {
    words: Length,
    groups: Length,
}

impl Filling {
    pub fn plan(policy: &Policy, lengths: &mut Lengths, words: Length) -> Result<Self> {
        let groups = lengths.parts(words, THREAD_WORDS * u64::from(policy.threads))?;
        Ok(Self { words, groups })
    }

    pub fn add(
        self,
        graph: &mut Graph,
        policy: &Policy,
        prepared: Prepared,
        label: &str,
        dst: Buffer,
        value: u32,
    ) -> Result<()> {
        let dst = first(&format!("{label}.dst"), dst, self.words)?;
        if self.words.is_known() || self.words.max == 0 {
            return fill(graph, policy, label, dst, value);
        }
        let pass = graph
            .own_pass(label, &builtin::MEMORY_FILL_COUNTED.kernel()?)
            .bind("dst", single(dst, policy)?)
            .push(&push_words! { count: prepared.pushed(self.words), value })
            .specialize("local_size_x", policy.threads);
        prepared.dispatch(prepared.bind(pass, dst), self.groups);
        Ok(())
    }
}

/// The first `n` words of a buffer.
fn first(name: &str, buffer: Buffer, n: Length) -> Result<View> {
    let needed = n.max.saturating_mul(WORD);
    check_size(name, buffer, needed)?;
    Ok(buffer.range(0, needed))
}

fn words(view: View) -> u32 {
    // The cast is lossless: a piece has at most `maxStorageBufferRange` bytes, a 32-bit number.
    (view.size / WORD) as u32
}

/// One thread per four words, and one for the remaining words.
fn groups(view: View, policy: &Policy) -> Groups {
    let threads = view.size / THREAD_BYTES + 1;
    Groups::linear(threads.div_ceil(u64::from(policy.threads)))
}
