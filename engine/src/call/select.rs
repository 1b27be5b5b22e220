//! One-call selections from host or device arrays.

use std::ops::Range;

use multisplit_graph::ElementType;

use super::parts::Footprint;
use super::{Like, Pairs, check_count, continues};
use crate::device::Context;
use crate::elements::key::{Key, KeyType};
use crate::error::{Error, Result};
use crate::memory::{AnyArray, AnyOutput, Elements, Input};
use crate::operations::SelectBuffers;
use crate::operations::select::{By, Select, select_by};

impl Context {
    /// Returns the elements of `input` that meet `condition`, in their original order.
    ///
    /// Arrays that exceed a storage binding, and host arrays that exceed the device's memory, are
    /// processed in parts. This does not change the result. The same applies to the other selection
    /// functions.
    ///
    /// ```
    /// use multisplit::Select;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.select(&[3u32, 1, 4, 1, 5], &Select::greater_than(2))?, [3, 4, 5]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn select<A>(&self, input: &A, condition: &Select<A::Item>) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let selection = Selection::new(input, condition, Extra::Nothing);
        self.one_output::<A::Place, _>(|output| selection.run(self, &mut [output]))
    }

    /// Returns the elements of `input` whose flag is not zero, in their original order. There must
    /// be one flag for each element.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.select_flagged(&[3u32, 1, 4], &[1u32, 0, 7])?, [3, 4]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn select_flagged<A, F>(&self, input: &A, flags: &F) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
        F: Elements<Item = u32> + ?Sized,
    {
        let (condition, flags) = (Select::flagged(), flags.input());
        let selection = Selection::new(input, &condition, Extra::Flags(flags));
        if selection.input.len() != flags.len() {
            return Err(Error::Selection {
                problem: "input and flags have different lengths; give one flag per element",
            });
        }
        self.one_output::<A::Place, _>(|output| selection.run(self, &mut [output]))
    }

    /// Returns the elements of `input` that meet `condition`, and the remaining ones. Both keep
    /// their original order.
    ///
    /// ```
    /// use multisplit::Select;
    /// # let gpu = multisplit::Context::new()?;
    /// let (low, high) = gpu.partition(&[3u32, 1, 4, 1, 5], &Select::less_than(3))?;
    /// assert_eq!((low, high), (vec![1, 1], vec![3, 4, 5]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn partition<A>(&self, input: &A, condition: &Select<A::Item>) -> Result<Pairs<A, A>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let selection = Selection::new(input, condition, Extra::Rejected);
        self.two_outputs::<A::Place, _, _>(|outputs| selection.run(self, outputs))
    }

    /// Returns the first element of each run of equal neighbours. If the input is sorted, these are
    /// its distinct elements.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.unique(&[1u32, 1, 2, 7, 7, 7])?, [1, 2, 7]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn unique<A>(&self, input: &A) -> Result<Like<A, A::Item>>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        self.select(input, &Select::first_of_runs())
    }

    /// Returns the first element and the length of each run of equal neighbours: a run-length
    /// encoding.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let (keys, counts) = gpu.run_lengths(&[1u32, 1, 2, 7, 7, 7])?;
    /// assert_eq!((keys, counts), (vec![1, 2, 7], vec![2, 1, 3]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "the results are in the same memory as the inputs")]
    pub fn run_lengths<A>(&self, input: &A) -> Result<(Like<A, A::Item>, Like<A, u32>)>
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let runs = Select::first_of_runs();
        let selection = Selection::new(input, &runs, Extra::RunLengths);
        self.two_outputs::<A::Place, _, _>(|outputs| selection.run(self, outputs))
    }
}

/// Parameters of a selection whose element type is known only at run time.
struct Selection<'a> {
    key: KeyType,
    by: &'a By,
    input: Input<'a>,
    extra: Extra<'a>,
}

/// Additional array of a selection, besides its input and its output.
#[derive(Clone, Copy)]
enum Extra<'a> {
    Nothing,
    Flags(Input<'a>),
    Rejected,
    RunLengths,
}

impl<'a> Selection<'a> {
    fn new<A>(input: &'a A, condition: &'a Select<A::Item>, extra: Extra<'a>) -> Self
    where
        A: Elements<Item: Key> + ?Sized,
    {
        let (key, by) = (<A::Item as Key>::TYPE, condition.condition());
        Self { key, by, input: input.input(), extra }
    }

    fn run(&self, context: &Context, outputs: &mut [&mut dyn AnyOutput]) -> Result<()> {
        let what = "number of elements of a selection";
        check_count(what, self.input.len())?;
        let bytes = self.input.element_bytes();
        let extra = match self.extra {
            Extra::Nothing => 0,
            Extra::Rejected => bytes,
            Extra::Flags(_) | Extra::RunLengths => 4,
        };
        let footprint = Footprint::new(self.input, &[bytes, bytes, extra]);
        context.in_parts(footprint, outputs, &|part| self.part(context, part), &|outputs, ends| {
            self.join(outputs, ends)
        })
    }

    /// Selects from a range of elements, with one plan.
    fn part(&self, context: &Context, part: Range<u64>) -> Result<Vec<AnyArray>> {
        let (n, element) = (part.end - part.start, self.input.element());
        let uninit = |name, element| AnyArray::uninit(context, name, element, n);
        let extra = match self.extra {
            Extra::Nothing => None,
            Extra::Flags(flags) => Some(flags.part(context, "flags", part.clone())?),
            Extra::Rejected => Some(uninit("rejected", element)?),
            Extra::RunLengths => Some(uninit("run_lengths", ElementType::U32)?),
        };
        let (input, output) =
            (self.input.part(context, "input", part)?, uninit("output", element)?);
        let found = context.call_count("select", |work, found| {
            let extra = extra.as_ref().map(|extra| work.array(extra));
            let (src, dst) = (work.array(&input), work.array(&output));
            let buffers = SelectBuffers::new(src, dst, work.array(found)).count(n);
            let buffers = match (self.extra, extra) {
                (Extra::Flags(_), Some(flags)) => buffers.flags(flags),
                (Extra::Rejected, Some(rejected)) => buffers.rejected(rejected),
                (Extra::RunLengths, Some(lengths)) => buffers.run_lengths(lengths),
                _ => buffers,
            };
            let (graph, policy) = work.parts();
            select_by(graph, policy, (self.key, self.by), &buffers)
        })?;
        let extra = match self.extra {
            Extra::Rejected => extra.map(|rejected| rejected.truncated(n.saturating_sub(found))),
            Extra::RunLengths => extra.map(|lengths| lengths.truncated(found)),
            _ => None,
        };
        Ok([output.truncated(found)].into_iter().chain(extra).collect())
    }

    /// If the last run of the previous part continues in this part, removes the first element that
    /// this part has selected, because it does not begin a run.
    fn join(&self, outputs: &mut [&mut dyn AnyOutput], ends: &[usize]) -> Result<()> {
        let [keys, also @ ..] = outputs else { return Ok(()) };
        if !matches!(self.by, By::Heads) || !continues(*keys, ends[0]) {
            return Ok(());
        }
        let key = keys.remove(ends[0]);
        match (self.extra, also) {
            (Extra::Rejected, [rejected]) => rejected.insert(ends[1], &key)?,
            (Extra::RunLengths, [lengths]) => {
                let more: u32 = bytemuck::pod_read_unaligned(&lengths.remove(ends[1]));
                let last = lengths.element(ends[1] - 1);
                let sum = bytemuck::pod_read_unaligned::<u32>(last) + more;
                last.copy_from_slice(bytemuck::bytes_of(&sum));
            }
            _ => {}
        }
        Ok(())
    }
}
