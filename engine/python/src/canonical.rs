//! Conversion between the engine's order of floats and NumPy's. The engine uses a total order of the bits:
//! -NaN first, -0 before 0, NaN last. In NumPy both zeros are equal, and all NaNs are equal and last. For
//! NumPy's order, keys are uploaded with a single zero and a single NaN. Sorts of host arrays then restore the
//! original bits.

use std::sync::atomic::{AtomicBool, Ordering};

use multisplit::half::f16;
use multisplit::{Array, Context, Key};
use pyo3::prelude::*;

use crate::array::{Element, HostArray, Kind};
use crate::error::{self, Stop};
use crate::signals::Signals;

/// A key type, and its values that are equal although their bits differ (zeros, NaNs).
pub(crate) trait Numeric: Key + Element {
    /// Whether the type has equal values with different bits.
    const HAS_EQUALS: bool;

    /// The representative of all values equal to this one.
    fn canonical(self) -> Self;

    /// Whether the value is a zero.
    fn is_zero(self) -> bool;

    /// Whether the value is a NaN.
    fn is_nan(self) -> bool;
}

macro_rules! integers {
    ($($rust:ty)*) => {
        $(impl Numeric for $rust {
            const HAS_EQUALS: bool = false;

            fn canonical(self) -> Self {
                self
            }

            fn is_zero(self) -> bool {
                self == 0
            }

            fn is_nan(self) -> bool {
                false
            }
        })*
    };
}

macro_rules! floats {
    ($($rust:ident)*) => {
        $(impl Numeric for $rust {
            const HAS_EQUALS: bool = true;

            fn canonical(self) -> Self {
                if self == 0.0 {
                    0.0
                } else if self != self {
                    $rust::NAN
                } else {
                    self
                }
            }

            fn is_zero(self) -> bool {
                self == 0.0
            }

            fn is_nan(self) -> bool {
                self != self
            }
        })*
    };
}

integers! { u8 i8 u16 i16 u32 i32 u64 i64 }
floats! { f32 f64 }

impl Numeric for f16 {
    const HAS_EQUALS: bool = true;

    fn canonical(self) -> Self {
        if self.is_zero() {
            Self::ZERO
        } else if self.is_nan() {
            Self::NAN
        } else {
            self
        }
    }

    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    fn is_nan(self) -> bool {
        Self::is_nan(self)
    }
}

/// Uploads keys. If `canonicalize` is set, replaces zeros and NaNs by a single zero and a single NaN. Also returns
/// whether any key differs from its canonical form.
pub(crate) fn upload<K: Numeric>(
    context: &Context,
    keys: &[K],
    canonicalize: bool,
) -> Result<(Array<K>, bool), Stop> {
    if !K::HAS_EQUALS {
        return Ok((upload_bits(context, keys)?, false));
    }
    let (changed, signals) = (AtomicBool::new(false), Signals::watch());
    let array = context.upload_with(keys.len() as u64, |first, chunk: &mut [K]| {
        signals.check()?;
        let from = &keys[first as usize..][..chunk.len()];
        let mut differences = 0;
        for (to, &key) in chunk.iter_mut().zip(from) {
            let canonical = key.canonical();
            differences |= canonical.key_bits() ^ key.key_bits();
            *to = if canonicalize { canonical } else { key };
        }
        if differences != 0 {
            changed.store(true, Ordering::Relaxed);
        }
        Ok::<(), Stop>(())
    })?;
    Ok((array, changed.into_inner()))
}

/// Uploads elements without changes.
pub(crate) fn upload_bits<T: Element>(context: &Context, from: &[T]) -> Result<Array<T>, Stop> {
    let signals = Signals::watch();
    context.upload_with(from.len() as u64, |first, chunk: &mut [T]| {
        signals.check()?;
        chunk.copy_from_slice(&from[first as usize..][..chunk.len()]);
        Ok(())
    })
}

/// Replaces the zeros and NaNs in each row of `sorted` by the zeros and NaNs in the same row of `keys`, in their
/// original order. A row has `row` keys. Afterwards, `sorted` equals a stable sort of the original keys.
#[pyfunction]
pub(crate) fn restore_bits(
    py: Python<'_>,
    keys: &Bound<'_, PyAny>,
    sorted: &Bound<'_, PyAny>,
    row: usize,
) -> PyResult<()> {
    let (keys, mut sorted) = (HostArray::of(keys)?, HostArray::of(sorted)?);
    sorted.check_apart_from(&keys)?;
    if keys.len() != sorted.len() || row == 0 {
        return Err(error::argument(
            "the row length must not be 0, and both arrays must have the same length",
        ));
    }
    match keys.kind() {
        Kind::F16 => restore_rows::<f16>(py, &keys, &mut sorted, row),
        Kind::F32 => restore_rows::<f32>(py, &keys, &mut sorted, row),
        Kind::F64 => restore_rows::<f64>(py, &keys, &mut sorted, row),
        _ => Ok(()),
    }
}

fn restore_rows<K: Numeric>(
    py: Python<'_>,
    keys: &HostArray<'_>,
    sorted: &mut HostArray<'_>,
    row: usize,
) -> PyResult<()> {
    let (keys, sorted) = (keys.elements::<K>()?, sorted.elements_mut::<K>()?);
    py.detach(|| {
        for (keys, sorted) in keys.chunks(row).zip(sorted.chunks_mut(row)) {
            restore(keys, sorted, <K as Numeric>::is_zero);
            restore(keys, sorted, <K as Numeric>::is_nan);
        }
    });
    Ok(())
}

/// Restores the keys for which `is_equal` is true: all zeros, or all NaNs. They are adjacent in `sorted`, because a
/// sort in either direction treats them as equal.
fn restore<K: Numeric>(keys: &[K], sorted: &mut [K], is_equal: fn(K) -> bool) {
    let mut originals = keys.iter().copied().filter(|&key| is_equal(key));
    let places = sorted.iter_mut().skip_while(|key| !is_equal(**key));
    for (place, original) in places.zip(&mut originals) {
        *place = original;
    }
}
