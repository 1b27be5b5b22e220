//! Condition and arrays of a selection.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use multisplit_graph::{Buffer, ElementType};

use crate::elements::key::{Key, KeyType};
use crate::error::{Error, Result};
#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::Glsl;
use crate::operations::shared::{Count, check_arrays, halves};

/// Condition that selects elements of type `K`.
///
/// Floats are compared in the order of `total_cmp`, as in a sort: -0 is less than 0. NaNs whose sign bit is clear are
/// greater than all other values, and NaNs whose sign bit is set are less. Floats are equal if their bits are equal.
#[derive(Clone, Debug)]
pub struct Select<K> {
    by: By,
    key: PhantomData<fn() -> K>,
}

/// Kind of a condition.
#[derive(Clone, Debug)]
pub(crate) enum By {
    /// Elements whose flag is not zero.
    Flags,
    /// Bounds as unsigned integers in the sort order of the keys. `inverted` selects the keys outside the bounds.
    Range { low: u64, high: u64, inverted: bool },
    /// The first element of each run of equal neighbours.
    Heads,
    /// A user function.
    #[cfg(feature = "glsl")]
    Glsl(Glsl),
}

impl<K: Key> Select<K> {
    fn by(by: By) -> Self {
        Self { by, key: PhantomData }
    }

    /// The condition without the static key type.
    pub(crate) fn condition(&self) -> &By {
        &self.by
    }

    /// The push constants `inverted`, `low` and `high` of a condition that compares elements; the low word of each
    /// bound comes first. `None` for other conditions. A recording may replace these push constants of the selection
    /// ([`Graph::settable_with`](crate::graph::Graph::settable_with)).
    pub fn limits(&self) -> Option<[u32; 5]> {
        let By::Range { low, high, inverted } = self.by else { return None };
        let ([a, b], [c, d]) = (halves(low), halves(high));
        Some([inverted.into(), a, b, c, d])
    }

    fn ordered(key: K) -> u64 {
        K::TYPE.ordered(key.key_bits())
    }

    fn range(low: u64, high: u64, inverted: bool) -> Self {
        Self::by(By::Range { low, high, inverted })
    }

    /// Selects elements whose flag in [`SelectBuffers::flags`] is not zero.
    pub fn flagged() -> Self {
        Self::by(By::Flags)
    }

    /// Selects elements within the range, including both ends. Selects nothing if the start of the
    /// range exceeds its end.
    ///
    /// ```
    /// use multisplit::Select;
    /// # let gpu = multisplit::Context::new()?;
    /// assert_eq!(gpu.select(&[3i32, -1, 4, 1, 5], &Select::within(1..=4))?, [3, 4, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn within(range: RangeInclusive<K>) -> Self {
        Self::range(Self::ordered(*range.start()), Self::ordered(*range.end()), false)
    }

    /// Selects elements less than `key`.
    pub fn less_than(key: K) -> Self {
        Self::range(Self::ordered(key), u64::MAX, true)
    }

    /// Selects elements less than or equal to `key`.
    pub fn at_most(key: K) -> Self {
        Self::range(0, Self::ordered(key), false)
    }

    /// Selects elements greater than `key`.
    pub fn greater_than(key: K) -> Self {
        Self::range(0, Self::ordered(key), true)
    }

    /// Selects elements greater than or equal to `key`.
    pub fn at_least(key: K) -> Self {
        Self::range(Self::ordered(key), u64::MAX, false)
    }

    /// Selects elements equal to `key`.
    pub fn equal_to(key: K) -> Self {
        Self::within(key..=key)
    }

    /// Selects elements not equal to `key`.
    pub fn not_equal_to(key: K) -> Self {
        Self::range(Self::ordered(key), Self::ordered(key), true)
    }

    /// Selects the first element of each run of equal neighbours. In a sorted array, these are the distinct elements.
    pub fn first_of_runs() -> Self {
        Self::by(By::Heads)
    }

    /// Selects elements for which a GLSL function `bool is_selected(K key)` returns true. K is
    /// `uint`, `int`, `float`, `uint64_t`, `int64_t` or `double`, according to the element type.
    /// See [`Glsl`] for the inputs and restrictions of the function.
    ///
    /// ```
    /// use multisplit::{Glsl, Select};
    /// # let gpu = multisplit::Context::new()?;
    /// let odd = Select::glsl("bool is_selected(uint key) { return (key & 1u) != 0u; }");
    /// assert_eq!(gpu.select(&[3u32, 1, 4, 1, 5], &odd)?, [3, 1, 1, 5]);
    /// let limit = Glsl::new("bool is_selected(float x) { return x * x < push.parameter_0; }");
    /// let near = Select::glsl(limit.parameters([4, 0, 0]));
    /// assert_eq!(gpu.select(&[3.0f32, -1.5, 0.5], &near)?, [-1.5, 0.5]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[cfg(feature = "glsl")]
    pub fn glsl(function: impl Into<Glsl>) -> Self {
        Self::by(By::Glsl(function.into()))
    }
}

/// Arrays of a selection in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SelectBuffers {
    pub(super) n: Count,
    pub(super) src: Buffer,
    pub(super) dst: Buffer,
    pub(super) selected: Buffer,
    pub(super) flags: Option<Buffer>,
    pub(super) rejected: Option<Buffer>,
    pub(super) run_lengths: Option<Buffer>,
}

impl SelectBuffers {
    /// Writes the selected elements of `src` to `dst`, in their original order, and their count to the first word of
    /// `selected`. `dst` must have room for all elements of `src`. Elements of `dst` past the count are not modified.
    pub fn new(src: Buffer, dst: Buffer, selected: Buffer) -> Self {
        let n = Count::Host(src.len());
        Self { n, src, dst, selected, flags: None, rejected: None, run_lengths: None }
    }

    /// Selects from only the first `n` elements. `n` is a host count or a device count.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Flags for [`Select::flagged`]: one `u32` for each element.
    pub fn flags(self, flags: Buffer) -> Self {
        Self { flags: Some(flags), ..self }
    }

    /// Writes the elements that are not selected to `rejected`, in their original order. `rejected`
    /// must have room for all elements of `src`.
    pub fn rejected(self, rejected: Buffer) -> Self {
        Self { rejected: Some(rejected), ..self }
    }

    /// Writes the length of each run to `run_lengths`: one `u32` for each selected element. Requires the condition
    /// [`Select::first_of_runs`]. `run_lengths` must have room for as many elements as `src`.
    pub fn run_lengths(self, run_lengths: Buffer) -> Self {
        Self { run_lengths: Some(run_lengths), ..self }
    }

    pub(super) fn check(&self, key: KeyType, by: &By) -> Result<()> {
        let problem = match (by, self.flags, self.rejected, self.run_lengths) {
            (By::Flags, None, ..) => {
                "Select::flagged needs an array of flags; call select_flagged, or set SelectBuffers::flags"
            }
            (By::Heads, None, Some(_), Some(_)) => {
                "rejected elements and run lengths cannot both be written; request one of them"
            }
            (By::Flags, Some(_), _, None) | (By::Heads, None, ..) => "",
            (_, _, _, Some(_)) => {
                "run lengths are available only with Select::first_of_runs, without flags"
            }
            (_, Some(_), ..) => {
                "flags were given, but the condition does not use them; use Select::flagged, or remove the flags"
            }
            _ => "",
        };
        if !problem.is_empty() {
            return Err(Error::Selection { problem });
        }
        let (key, elements) = (ElementType::from(key), self.n.max());
        let arrays = [
            ("src", Some(self.src), key, elements),
            ("dst", Some(self.dst), key, elements),
            ("selected", Some(self.selected), ElementType::U32, 1),
            ("flags", self.flags, ElementType::U32, elements),
            ("rejected", self.rejected, key, elements),
            ("run_lengths", self.run_lengths, ElementType::U32, elements),
        ];
        check_arrays("select", &arrays)
    }
}
