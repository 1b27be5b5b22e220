//! Work: passes that are declared and planned together, and recorded once.
//!
//! ```
//! use multisplit::{Context, Scan, threads};
//!
//! # #[cfg(feature = "glsl")]
//! # fn main() -> Result<(), multisplit::Error> {
//! const FLAG: &str = "
//!     #version 460
//!     layout(local_size_x = 64) in;
//!     layout(set = 0, binding = 0) readonly buffer Src { float at[]; } src;
//!     layout(set = 0, binding = 1) writeonly buffer Flags { uint at[]; } flags;
//!     layout(push_constant) uniform Push { float least; } push;
//!     void main() {
//!         uint i = gl_GlobalInvocationID.x;
//!         if (i < src.at.length()) flags.at[i] = src.at[i] >= push.least ? 1 : 0;
//!     }";
//!
//! let gpu = Context::new()?;
//! let (src, places) = (gpu.upload(&[0.5f32, 2.0, 0.25, 3.0])?, gpu.zeroed::<u32>(4)?);
//! let mut work = gpu.work("frame");
//! let flags = work.transient::<u32>("flags", 4);
//! work.glsl("flag", FLAG)?
//!     .bind("src", &src)
//!     .bind("flags", flags)
//!     .push(&1.0f32)
//!     .dispatch(threads(4, 64));
//! work.scan(flags, &places, &Scan::default())?;
//! let mut frame = work.record()?;
//! frame.submit()?;
//! assert_eq!(gpu.download(&places)?, [0, 0, 1, 1]);
//! frame.set("flag", &0.3f32)?;
//! frame.submit()?;
//! assert_eq!(gpu.download(&places)?, [0, 1, 2, 2]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "glsl"))]
//! # fn main() {}
//! ```

mod found;
mod frame;
mod operand;
mod pass;
mod segments;
mod sorted;

pub use frame::Frame;
pub use operand::{First, Operand, WorkArray};
pub use pass::{WorkPass, threads};

use std::marker::PhantomData;

use bytemuck::Pod;
use multisplit_graph::{self as graph, Graph, Plan, Scope};
use operand::{Declared, Source, check_same};

use crate::device::Context;
use crate::elements::key::{Key, Sample, Value};
use crate::error::Result;
use crate::execute::{Bound, Executable, ExecutableOptions};
use crate::memory::{AnyArray, Buffer};
use crate::operations::shared::checks::check_size;
use crate::operations::{
    self, Count, HistogramBuffers, ReduceBuffers, ScanBuffers, SortBuffers, SplitBuffers,
    TopKBuffers,
};
use crate::policy::Policy;
use crate::{AnyOperator, Bins, Buckets, Scan, Sort, TopK};

/// Passes over arrays. Each pass observes the results of the passes declared before it.
/// [`record`](Self::record) creates a [`Frame`] that can be submitted repeatedly.
/// [`executable`](Self::executable) creates an [`Executable`] that records into command buffers of
/// the caller.
///
/// Operations have the names of the corresponding one-call functions of [`Context`].
pub struct Work {
    context: Context,
    graph: Graph,
    policy: Policy,
    arrays: Vec<GivenArray>,
}

/// An array used by the work, and the import that represents it in the graph.
struct GivenArray {
    import: graph::Buffer,
    buffer: Buffer,
    /// Offset of the import in the buffer, in bytes.
    offset: u64,
}

impl GivenArray {
    fn bound(&self) -> Bound<'_> {
        Bound::new(self.import, &self.buffer).at(self.offset)
    }
}

/// Work that is ready to run once.
pub(crate) struct OneRun {
    context: Context,
    /// `None` if there are no passes.
    executable: Option<Executable>,
    arrays: Vec<GivenArray>,
}

impl OneRun {
    /// Runs the work and waits for it.
    pub fn run(self) -> Result<()> {
        let Some(executable) = &self.executable else { return Ok(()) };
        let bound: Vec<_> = self.arrays.iter().map(GivenArray::bound).collect();
        self.context.run(executable, &bound)
    }
}

impl Context {
    /// Creates empty work. The name appears in dumps, traces and debuggers.
    pub fn work(&self, name: impl Into<String>) -> Work {
        Work::new(self, name, self.policy())
    }
}

impl Work {
    pub(crate) fn new(context: &Context, name: impl Into<String>, policy: Policy) -> Self {
        let (context, graph) = (context.clone(), Graph::new(name));
        Self { context, graph, policy, arrays: Vec::new() }
    }

    /// Declares an array whose contents are undefined at the start of every run. It may share
    /// memory with transients that are not in use at the same time.
    pub fn transient<T: Pod>(&mut self, name: impl Into<String>, len: u64) -> WorkArray<T> {
        WorkArray { buffer: self.graph.transient::<T>(name, len), element: PhantomData }
    }

    /// Declares an array whose memory is provided by each recording, as a buffer or an address.
    pub fn import<T: Pod>(&mut self, name: impl Into<String>, len: u64) -> WorkArray<T> {
        WorkArray { buffer: self.graph.import::<T>(name, len), element: PhantomData }
    }

    /// Declares the last access to an import before each run, by the embedding program. The
    /// recording then contains the required barrier. Without this declaration, the program must
    /// insert a barrier whose second scope is
    /// [`BufferContract::first_use`](crate::embed::BufferContract::first_use).
    pub fn entry<T>(&mut self, import: WorkArray<T>, scope: Scope) {
        self.graph.entry(import.buffer, scope);
    }

    /// Declares the first access to an import after each run, by the embedding program. The
    /// recording then ends with the required barrier. Without this declaration, the program must
    /// insert a barrier whose first scope is
    /// [`BufferContract::last_use`](crate::embed::BufferContract::last_use).
    pub fn exit<T>(&mut self, import: WorkArray<T>, scope: Scope) {
        self.graph.exit(import.buffer, scope);
    }

    /// Declares a count of at most `max` that can be set for each run by this name ([`Frame::set`],
    /// [`RecordOptions::values`](crate::RecordOptions::values)). The count is 0 until it is set.
    pub fn count(&mut self, name: impl Into<String>, max: u64) -> Count {
        let name = name.into();
        let buffer = self.graph.transient::<u32>(name.clone(), 1);
        let update = self.graph.update(name, buffer, &[0; 4]);
        self.graph.settable(update);
        Count::Device { buffer, index: 0, max }
    }

    /// Returns a count of at most `max` that earlier passes write to the first element of `array`,
    /// such as the number of elements that [`select`](Self::select) found.
    pub fn count_in<A: Operand<Item = u32>>(&mut self, array: A, max: u64) -> Count {
        Count::Device { buffer: self.declare(array).buffer, index: 0, max }
    }

    /// Sorts `keys` in place.
    pub fn sort<A: Operand<Item: Key>>(&mut self, keys: A, sort: &Sort) -> Result<()> {
        let keys = self.declare(keys);
        self.add_sort(sort, &SortBuffers::keys(keys.buffer).count(keys.n))
    }

    /// Sorts `keys` and `values` in place, by key.
    pub fn sort_pairs<A, B>(&mut self, keys: A, values: B, sort: &Sort) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item: Value>,
    {
        let buffers = self.pair_buffers(keys, values)?;
        self.add_sort(sort, &buffers)
    }

    /// Writes the permutation that sorts `keys` to `order`: for each sorted position, the index of
    /// its key. Does not modify `keys`.
    pub fn argsort<A, B>(&mut self, keys: A, order: B, sort: &Sort) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = u32>,
    {
        let buffers = self.argsort_buffers(keys, order)?;
        self.add_sort(sort, &buffers)
    }

    /// Splits `keys` into m buckets. Writes the keys to `keys_out`, and the start of each bucket,
    /// followed by the number of keys, to the m + 1 elements of `offsets`.
    pub fn split<A, B, C>(
        &mut self,
        keys: A,
        keys_out: B,
        offsets: C,
        buckets: &Buckets<A::Item>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        let (keys, out) = (self.declare(keys), self.declare(keys_out));
        let offsets = self.declare(offsets).buffer;
        let buffers = SplitBuffers::keys(keys.buffer, out.buffer, offsets).count(keys.n);
        operations::split(&mut self.graph, &self.policy, buckets, &buffers).map(|_| ())
    }

    /// Splits pairs into buckets by key, like [`split`](Self::split).
    pub fn split_pairs<A, V>(
        &mut self,
        (keys, values): (A, V),
        (keys_out, values_out): (impl Operand<Item = A::Item>, impl Operand<Item = V::Item>),
        offsets: impl Operand<Item = u32>,
        buckets: &Buckets<A::Item>,
    ) -> Result<()>
    where
        A: Operand<Item: Key>,
        V: Operand<Item: Value>,
    {
        let () = <V::Item as Value>::CHECKED;
        let (keys, values) = (self.declare(keys), self.declare(values));
        let to = (self.declare(keys_out).buffer, self.declare(values_out).buffer);
        let offsets = self.declare(offsets).buffer;
        values.check_beside("values", ("keys", keys.n))?;
        let from = (keys.buffer, values.buffer);
        let buffers = SplitBuffers::pairs(from, to, offsets).count(keys.n);
        operations::split(&mut self.graph, &self.policy, buckets, &buffers).map(|_| ())
    }

    /// Counts `samples` into `counts`, an array of `u32` or `u64`. If `samples` is limited to its
    /// first n elements, n counts elements of the layout of `bins` (such as pixels of several
    /// channels), not single samples.
    pub fn histogram<A, B>(&mut self, samples: A, counts: B, bins: &Bins<A::Item>) -> Result<()>
    where
        A: Operand<Item: Sample>,
        B: Operand,
    {
        let (samples, counts) = (self.declare(samples), self.declare(counts));
        let n = match samples.n {
            Count::Host(held) if samples.limit.is_none() => Count::Host(bins.elements_in(held)),
            n => n,
        };
        let buffers = HistogramBuffers::new(samples.buffer, counts.buffer).count(n);
        operations::histogram(&mut self.graph, &self.policy, bins, &buffers).map(|_| ())
    }

    /// Writes the k largest or smallest of `keys` to `keys_out`, and their indices to
    /// `indices_out`. If a device count is less than k, only that many elements are written. Does
    /// not modify `keys`.
    pub fn topk<A, B, C>(&mut self, keys: A, keys_out: B, indices_out: C, topk: &TopK) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
        C: Operand<Item = u32>,
    {
        let (keys, out) = (self.declare(keys), self.declare(keys_out));
        let indices = self.declare(indices_out).buffer;
        let buffers = TopKBuffers::new(keys.buffer, out.buffer, indices).count(keys.n);
        operations::topk(&mut self.graph, &self.policy, topk, &buffers).map(|_| ())
    }

    /// Writes the scan of `src` to `dst`.
    pub fn scan<A, B>(&mut self, src: A, dst: B, scan: &Scan) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
    {
        let (src, dst) = (self.declare(src), self.declare(dst));
        let buffers = ScanBuffers::new(src.buffer, dst.buffer).count(src.n);
        operations::scan(&mut self.graph, &self.policy, scan, &buffers)
    }

    /// Writes the reduction of `src` to the first element of `dst`.
    pub fn reduce<A, B>(&mut self, src: A, dst: B, operator: impl Into<AnyOperator>) -> Result<()>
    where
        A: Operand<Item: Key>,
        B: Operand<Item = A::Item>,
    {
        let (src, dst) = (self.declare(src), self.declare(dst));
        let buffers = ReduceBuffers::new(src.buffer, dst.buffer).count(src.n);
        operations::reduce(&mut self.graph, &self.policy, operator, &buffers)
    }

    /// Sets every 32-bit word of `dst` to `value`. If `dst` is limited to its first elements, their
    /// total size must be a multiple of 4 bytes.
    pub fn fill<A: Operand>(&mut self, dst: A, value: u32) -> Result<()> {
        let (label, dst) = ("fill", self.declare(dst));
        let Some(n) = dst.limit else {
            return operations::fill(&mut self.graph, &self.policy, label, dst.buffer, value);
        };
        let words = dst.words(label, n)?;
        operations::fill_first(&mut self.graph, &self.policy, label, dst.buffer, words, value)
    }

    /// Copies `src` to `dst`, which must have the same length. If `src` is limited to its first
    /// elements, `dst` may be longer, and the total size of these elements must be a multiple of 4
    /// bytes.
    pub fn copy<A, B>(&mut self, src: A, dst: B) -> Result<()>
    where
        A: Operand,
        B: Operand<Item = A::Item>,
    {
        let (label, src, dst) = ("copy", self.declare(src), self.declare(dst));
        if src.limit.is_none() || dst.limit.is_some() {
            check_same(("dst", dst.n), ("src", src.n))?;
        }
        let (from, to) = (src.buffer, dst.buffer);
        let Some(n) = src.limit.or(dst.limit) else {
            return operations::copy(&mut self.graph, &self.policy, label, from, to);
        };
        let words = src.words(label, n)?;
        operations::copy_first(&mut self.graph, &self.policy, label, from, to, words)
    }

    /// Returns the graph and the policy, for functions in [`operations`](crate::operations) that
    /// have no corresponding method of `Work`.
    pub fn parts(&mut self) -> (&mut Graph, &Policy) {
        (&mut self.graph, &self.policy)
    }

    /// Sets the policy of passes declared from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// Plans the order, the barriers and the memory of the passes. Does not create Vulkan objects.
    pub fn plan(&self) -> Result<Plan> {
        Ok(self.graph.compile(&self.context.limits())?)
    }

    /// Creates an executable that records into command buffers of the caller. Arrays used by the
    /// passes become imports that each recording must bind.
    ///
    /// The caller must synchronize according to [`Executable::contracts`], also between consecutive
    /// recordings. If the graph is declared [replayable](Graph::replayable) through
    /// [`parts`](Self::parts), the barriers of the plan cover consecutive recordings.
    pub fn executable(&self, options: ExecutableOptions) -> Result<Executable> {
        self.context.instantiate_with(self.plan()?, options)
    }

    /// Records the work, with up to two submissions in flight.
    pub fn record(self) -> Result<Frame> {
        self.record_in_flight(2)
    }

    /// Records the work, with up to `submissions` submissions in flight. A further submission waits
    /// for the oldest one.
    pub fn record_in_flight(mut self, submissions: usize) -> Result<Frame> {
        self.graph.replayable();
        let executable = self.executable(ExecutableOptions::default().without_workspace())?;
        Frame::new(&self.context, executable, self.arrays, submissions)
    }

    pub(crate) fn into_run(self) -> Result<OneRun> {
        let plan = self.plan()?;
        let executable = match plan.steps().is_empty() {
            true => None,
            false => Some(self.context.instantiate_for_one_run(plan)?),
        };
        Ok(OneRun { context: self.context, executable, arrays: self.arrays })
    }

    fn pair_buffers<V: Operand<Item: Value>>(
        &mut self,
        keys: impl Operand,
        values: V,
    ) -> Result<SortBuffers> {
        let () = <V::Item as Value>::CHECKED;
        let (keys, values) = (self.declare(keys), self.declare(values));
        values.check_beside("values", ("keys", keys.n))?;
        Ok(SortBuffers::keys(keys.buffer).count(keys.n).values(values.buffer))
    }

    /// Adds a pass that copies `keys`. Returns the buffers of a sort of this copy that writes the
    /// permutation to `order`.
    fn argsort_buffers<A>(&mut self, keys: A, order: impl Operand) -> Result<SortBuffers>
    where
        A: Operand<Item: Key>,
    {
        let (label, key) = ("sort.copy", <A::Item as Key>::TYPE);
        let Declared { buffer: from, n, .. } = self.declare(keys);
        let bytes = key.array_bytes(n.max());
        check_size("sort.keys", from, bytes)?;
        let copy = self.graph.transient::<A::Item>("sort.keys.copy", key.array_len(n.max().max(1)));
        match n {
            Count::Device { .. } if key.bits() == 32 => {
                operations::copy_first(&mut self.graph, &self.policy, label, from, copy, n)?;
            }
            _ => {
                let (from, to) = (from.range(0, bytes), copy.range(0, bytes));
                operations::copy(&mut self.graph, &self.policy, label, from, to)?;
            }
        }
        Ok(SortBuffers::keys(copy).count(n).indices(self.declare(order).buffer))
    }

    fn add_sort(&mut self, sort: &Sort, buffers: &SortBuffers) -> Result<()> {
        operations::sort(&mut self.graph, &self.policy, sort, buffers).map(|_| ())
    }

    fn declare(&mut self, operand: impl Operand) -> Declared {
        let given = operand.given();
        let (buffer, len) = match given.source {
            Source::Array(array) => (self.array(array), array.len()),
            Source::Buffer(buffer) => (buffer, buffer.len()),
        };
        Declared { buffer, n: given.limit.unwrap_or(Count::Host(len)), limit: given.limit }
    }

    /// Imports an array into the graph. Repeated calls return the same import.
    pub(crate) fn array(&mut self, array: &AnyArray) -> graph::Buffer {
        self.slice(array, 0, array.len())
    }

    /// Imports `len` elements of an array, starting at `begin`, into the graph. The byte offset of
    /// `begin` must be a multiple of the device's alignment of storage buffer offsets.
    pub(crate) fn slice(&mut self, array: &AnyArray, begin: u64, len: u64) -> graph::Buffer {
        let (buffer, bytes, element) = (array.buffer(), array.element_bytes(), array.element());
        // Graphs do not support empty buffers. Kernels read elements of 8 and 16 bits as 32-bit
        // words, so the size is rounded up to whole words.
        let per_word = (4 / bytes.max(1)).max(1);
        let (offset, len) = (begin * bytes, len.max(1).next_multiple_of(per_word));
        let known = self.arrays.iter().find(|known| {
            let import = known.import;
            known.buffer.is(buffer)
                && (known.offset, import.element(), import.len()) == (offset, element, len)
        });
        match known {
            Some(known) => known.import,
            None => self.add_import(buffer, offset, element, len),
        }
    }

    /// Imports the whole memory of an array as 32-bit words.
    pub(crate) fn words(&mut self, array: &AnyArray) -> graph::Buffer {
        let words = array.buffer().size() / 4;
        self.add_import(array.buffer(), 0, graph::ElementType::U32, words)
    }

    fn add_import(
        &mut self,
        buffer: &Buffer,
        offset: u64,
        element: graph::ElementType,
        len: u64,
    ) -> graph::Buffer {
        let name = format!("{}.{}", buffer.name(), self.arrays.len());
        let import = self.graph.import_array(name, element, len);
        self.arrays.push(GivenArray { import, buffer: buffer.clone(), offset });
        import
    }
}
