//! Splits in one call, of arrays on the host or on the device.

#![expect(
    clippy::needless_pass_by_value,
    reason = "descriptions are made where they are given: `gpu.split(&keys, Buckets::even(..))`"
)]

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::large::split_large;
use super::split;
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::execute::import::Bound;
use crate::memory::{Array, Elements, Place, check_lengths};
use crate::primitives::key::{Key, Value};
use crate::primitives::large::{Extent, check_numbers};
use crate::primitives::multisplit::{Buckets, Method, SplitBuffers};
use crate::primitives::probe::redo_by_ballots;

/// Bytes of what narrow keys are split as.
const WORD_BYTES: usize = size_of::<u32>();
/// What has a limit of 2^32 - 1.
const COUNTED: &str = "number of keys of a split (offsets have 32 bits)";

/// What a split of keys gives: `Vec`s for keys on the host, arrays for keys on the device.
#[derive(Debug)]
pub struct SplitKeys<P: Place, K: Pod> {
    /// The keys, in the order of their buckets, stable within a bucket.
    pub keys: P::Array<K>,
    /// Where each bucket begins, and n.
    pub offsets: P::Array<u32>,
    /// How it was done.
    pub method: Method,
}

/// What a split of key-value pairs gives.
#[derive(Debug)]
pub struct SplitPairs<P: Place, K: Pod, V: Pod> {
    /// The keys, in the order of their buckets, stable within a bucket.
    pub keys: P::Array<K>,
    /// The values, in the order of the keys.
    pub values: P::Array<V>,
    /// Where each bucket begins, and n.
    pub offsets: P::Array<u32>,
    /// How it was done.
    pub method: Method,
}

/// What a split that moves nothing gives.
#[derive(Debug)]
pub struct SplitPermutation<P: Place> {
    /// Where each element would go.
    pub permutation: P::Array<u32>,
    /// Where each bucket begins, and n.
    pub offsets: P::Array<u32>,
    /// How it was done.
    pub method: Method,
}

impl Context {
    /// Puts `keys`, of which there are at most 2^32 - 1, into contiguous buckets, stable within a bucket.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let split = gpu.split(&[0.9f32, 0.1, 0.6, 0.2], multisplit::Buckets::even(0.0..1.0, 2))?;
    /// assert_eq!(split.keys, [0.1, 0.2, 0.9, 0.6]);
    /// assert_eq!(split.offsets, [0, 2, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn split<A>(
        &self,
        keys: &A,
        buckets: Buckets<A::Item>,
    ) -> Result<SplitKeys<A::Place, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        check_numbers(COUNTED, keys.count())?;
        let keys = keys.on_device(self, "keys")?;
        let in_place = self.can_end_in_place::<A>(&buckets, keys.len(), 0);
        let out = self.split_output(&keys, "keys.out", in_place)?;
        let (offsets, method) = self.split_arrays(&keys, Output::<_, u32>::Keys(&out), &buckets)?;
        Ok(SplitKeys {
            keys: A::Place::take(self, out)?,
            offsets: A::Place::take(self, offsets)?,
            method,
        })
    }

    /// Puts `keys` into contiguous buckets; each takes its value along.
    pub fn split_pairs<A, B>(
        &self,
        keys: &A,
        values: &B,
        buckets: Buckets<A::Item>,
    ) -> Result<SplitPairs<A::Place, A::Item, B::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        B: Elements<Item: Value, Place = A::Place> + ?Sized,
    {
        let () = <B::Item as Value>::CHECKED;
        check_lengths("values", values.count(), "keys", keys.count())?;
        check_numbers(COUNTED, keys.count())?;
        let keys = keys.on_device(self, "keys")?;
        let values = values.on_device(self, "values")?;
        let value_bytes = size_of::<B::Item>();
        let in_place = self.can_end_in_place::<A>(&buckets, keys.len(), value_bytes);
        let out = self.split_output(&keys, "keys.out", in_place)?;
        let values_out = self.split_output(&values, "values.out", in_place)?;
        let output = Output::Pairs { keys: &out, values: (&values, &values_out) };
        let (offsets, method) = self.split_arrays(&keys, output, &buckets)?;
        Ok(SplitPairs {
            keys: A::Place::take(self, out)?,
            values: A::Place::take(self, values_out)?,
            offsets: A::Place::take(self, offsets)?,
            method,
        })
    }

    /// Where a split would move each key.
    pub fn split_permutation<A>(
        &self,
        keys: &A,
        buckets: Buckets<A::Item>,
    ) -> Result<SplitPermutation<A::Place>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        check_numbers(COUNTED, keys.count())?;
        let keys = keys.on_device(self, "keys")?;
        let out = Array::uninit(self, "permutation", keys.len())?;
        let output = Output::<_, u32>::Permutation(&out);
        let (offsets, method) = self.split_arrays(&keys, output, &buckets)?;
        Ok(SplitPermutation {
            permutation: A::Place::take(self, out)?,
            offsets: A::Place::take(self, offsets)?,
            method,
        })
    }

    /// Whether the result of a split that is too large for one plan may go where its input is: where the
    /// call has uploaded that itself, and reads nothing of it once the first element is moved.
    fn can_end_in_place<A>(&self, buckets: &Buckets<A::Item>, n: u64, value_bytes: usize) -> bool
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let widest = size_of::<A::Item>().max(WORD_BYTES).max(value_bytes) as u64;
        let moved = buckets.split().method != Method::FullSort;
        !A::Place::BORROWED && moved && !Extent::fits(&self.policy(), n, widest)
    }

    fn split_output<T: Pod>(
        &self,
        input: &Array<T>,
        name: &str,
        in_place: bool,
    ) -> Result<Array<T>> {
        if in_place { Ok(input.clone()) } else { Array::uninit(self, name, input.len()) }
    }

    /// Where lanes turn out to come in another order, the context ranks by ballots from then on, and the
    /// split is done again: its input is where it was.
    fn split_arrays<K: Key, V: Pod>(
        &self,
        keys: &Array<K>,
        output: Output<'_, K, V>,
        buckets: &Buckets<K>,
    ) -> Result<(Array<u32>, Method)> {
        redo_by_ballots(|| {
            let policy = self.policy();
            if Extent::fits(&policy, keys.len(), output.widest()) {
                self.split_once(keys, output, buckets)
            } else {
                split_large((self, &policy), keys, output, buckets)
            }
        })
    }

    fn split_once<K: Key, V: Pod>(
        &self,
        keys: &Array<K>,
        output: Output<'_, K, V>,
        buckets: &Buckets<K>,
    ) -> Result<(Array<u32>, Method)> {
        let n = keys.len();
        // Graphs have no empty buffers; a split of nothing touches only the offsets.
        let len = n.max(1);
        let mut graph = Graph::new("split");
        let from = graph.import::<K>("keys", K::TYPE.array_len(len));
        let ends = u64::from(buckets.count()).saturating_add(1);
        let offsets = graph.import::<u32>("offsets", ends);
        let out_of_range = graph.import::<u32>("out_of_range", 1);
        let device_offsets = Array::uninit(self, "offsets", ends)?;
        let device_out_of_range = Array::<u32>::uninit(self, "out_of_range", 1)?;
        let mut bound: Vec<Bound<'_>> = vec![
            (from, keys).into(),
            (offsets, &device_offsets).into(),
            (out_of_range, &device_out_of_range).into(),
        ];
        let buffers = match output {
            Output::Keys(out) => {
                let to = graph.import::<K>("keys.out", K::TYPE.array_len(len));
                bound.push((to, out).into());
                SplitBuffers::keys(from, to, offsets)
            }
            Output::Pairs { keys: out, values: (values, values_out) } => {
                let to = graph.import::<K>("keys.out", K::TYPE.array_len(len));
                let values_from = graph.import::<V>("values", len);
                let values_to = graph.import::<V>("values.out", len);
                bound.push((to, out).into());
                bound.push((values_from, values).into());
                bound.push((values_to, values_out).into());
                SplitBuffers::pairs((from, values_from), (to, values_to), offsets)
            }
            Output::Permutation(out) => {
                let to = graph.import::<u32>("permutation", len);
                bound.push((to, out).into());
                SplitBuffers::permutation(from, to, offsets)
            }
        };
        let buffers = buffers.count(n).out_of_range(out_of_range);
        let added = split(&mut graph, &self.policy(), buckets, &buffers)?;
        let executable = self.instantiate(graph.compile(&self.limits())?)?;
        self.run(&executable, &bound)?;
        match self.download(&device_out_of_range)?.first() {
            Some(&keys) if keys > 0 => {
                Err(Error::BucketOutOfRange { keys: keys.into(), buckets: buckets.count() })
            }
            _ => Ok((device_offsets, added.method)),
        }
    }
}

/// What a split writes.
pub(super) enum Output<'a, K, V> {
    Keys(&'a Array<K>),
    Pairs { keys: &'a Array<K>, values: (&'a Array<V>, &'a Array<V>) },
    Permutation(&'a Array<u32>),
}

impl<K, V> Output<'_, K, V> {
    /// Bytes of the widest elements that are read or written.
    fn widest(&self) -> u64 {
        let other = match self {
            Self::Keys(_) => 0,
            Self::Pairs { .. } => size_of::<V>(),
            Self::Permutation(_) => size_of::<u32>(),
        };
        // Narrow keys are split as words.
        size_of::<K>().max(WORD_BYTES).max(other) as u64
    }
}

// Not derived, which would ask the same of the elements.
impl<K, V> Clone for Output<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Output<'_, K, V> {}
