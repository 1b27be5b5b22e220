//! Top-k of 8-bit and 16-bit keys, which are widened to words with the same order.

use multisplit_graph::Graph;

use super::passes::found;
use super::plan::Shape;
use super::{TopK, TopKBuffers, TopKMethod, passes};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::shared::widening::{Form, NarrowKeys};
use crate::policy::Policy;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    topk: &TopK,
    (key, buffers): (KeyType, &TopKBuffers),
    shape: &Shape,
    method: TopKMethod,
) -> Result<()> {
    let words = graph.transient::<u32>("topk.words", buffers.n.max());
    let words_out = graph.transient::<u32>("topk.words.out", shape.rows * shape.k);
    let form = Form::Ordered;
    NarrowKeys { key, form, n: buffers.n }.widen(graph, policy, buffers.keys, words)?;
    let of_words = TopKBuffers { keys: words, keys_out: words_out, ..*buffers };
    passes::add(graph, policy, topk, &of_words, shape, method)?;
    let n = found(buffers, shape);
    NarrowKeys { key, form, n }.narrow(graph, policy, words_out, buffers.keys_out)
}
