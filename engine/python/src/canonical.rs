//! How the engine's order of floats becomes NumPy's. The engine has a total order, by bits: -NaN first, -0 before
//! 0, NaN last. To NumPy both zeros are equal, and so are all NaNs, which come last. Keys are uploaded with one
//! zero and one NaN, and what is sorted gets its own bits back.

use std::sync::atomic::{AtomicBool, Ordering};

use multisplit::half::f16;
use multisplit::{Array, Context, Error, Key};
use pyo3::prelude::*;

use crate::array::{Element, HostArray, Kind};
use crate::error;

/// A type of keys, and which of its values are equal without having the same bits.
pub(crate) trait Numeric: Key + Element {
    /// Whether there are such values at all.
    const HAS_EQUALS: bool;

    /// The one among its equals that keys are uploaded as.
    fn canonical(self) -> Self;

    /// Whether it is a zero.
    fn is_zero(self) -> bool;

    /// Whether it is a NaN.
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

/// Uploads keys, with one zero and one NaN if `make` is set; and says whether the keys have more than these.
pub(crate) fn upload<K: Numeric>(
    context: &Context,
    keys: &[K],
    make: bool,
) -> Result<(Array<K>, bool), Error> {
    if !K::HAS_EQUALS {
        return Ok((context.upload(keys)?, false));
    }
    let changed = AtomicBool::new(false);
    let array = context.upload_with(keys.len() as u64, |first, chunk: &mut [K]| {
        let from = &keys[first as usize..][..chunk.len()];
        let mut differences = 0;
        for (to, &key) in chunk.iter_mut().zip(from) {
            let canonical = key.canonical();
            differences |= canonical.key_bits() ^ key.key_bits();
            *to = if make { canonical } else { key };
        }
        if differences != 0 {
            changed.store(true, Ordering::Relaxed);
        }
        Ok::<(), Error>(())
    })?;
    Ok((array, changed.into_inner()))
}

/// Gives zeros and NaNs in `sorted`, rows of `row` keys each, the bits they have in `keys`, in their order there:
/// what a stable sort of the keys themselves leaves.
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
        return Err(error::argument("rows of no length, or arrays of two lengths"));
    }
    match keys.kind() {
        Kind::F16 => {
            let (keys, sorted) = (keys.elements::<f16>()?, sorted.elements_mut::<f16>()?);
            py.detach(|| restore_rows(keys, sorted, row));
        }
        Kind::F32 => {
            let (keys, sorted) = (keys.elements::<f32>()?, sorted.elements_mut::<f32>()?);
            py.detach(|| restore_rows(keys, sorted, row));
        }
        Kind::F64 => {
            let (keys, sorted) = (keys.elements::<f64>()?, sorted.elements_mut::<f64>()?);
            py.detach(|| restore_rows(keys, sorted, row));
        }
        _ => {}
    }
    Ok(())
}

fn restore_rows<K: Numeric>(keys: &[K], sorted: &mut [K], row: usize) {
    for (keys, sorted) in keys.chunks(row).zip(sorted.chunks_mut(row)) {
        restore(keys, sorted, <K as Numeric>::is_zero);
        restore(keys, sorted, <K as Numeric>::is_nan);
    }
}

/// Keys that are equal lie side by side where they are sorted, in whichever direction.
fn restore<K: Numeric>(keys: &[K], sorted: &mut [K], is_one: fn(K) -> bool) {
    let mut originals = keys.iter().copied().filter(|&key| is_one(key));
    let places = sorted.iter_mut().skip_while(|key| !is_one(**key));
    for (place, original) in places.zip(&mut originals) {
        *place = original;
    }
}
