//! Handles are numbers, not addresses. A handle that is wrong, of another kind, or used after its object was
//! destroyed is therefore detected and never dereferenced.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::read::Out;
use crate::result::{Failure, MultisplitResult, Outcome, guard};

/// Objects of one kind, by handle number; `H` is their handle type in C.
pub(crate) struct Registry<H, T> {
    /// Name of the object kind in messages.
    kind: &'static str,
    objects: RwLock<BTreeMap<usize, Arc<T>>>,
    handle: std::marker::PhantomData<fn() -> H>,
}

/// Difference between consecutive handles. Handles look like aligned addresses, for tools that assume that
/// they are pointers.
const STEP: usize = 16;

/// Number of low bits that count handles, in steps of `STEP`; enough for any program. The bits above
/// distinguish copies of the library in one process.
const COUNT_BITS: u32 = if usize::BITS >= 64 { 40 } else { 24 };

/// High bits of all handles of this copy of the library, taken from its load address. On 64-bit systems, copies
/// that are loaded less than 64 GiB apart have different bits; other copies have equal bits with a probability
/// of 1 in 2^24.
fn first() -> usize {
    const PAGE: usize = 4096;
    static HERE: u8 = 0;
    ((&raw const HERE).addr() / PAGE) << COUNT_BITS
}

/// Returns a new handle number, unique across all kinds.
fn next() -> Outcome<usize> {
    static NEXT: AtomicUsize = AtomicUsize::new(STEP);
    let more = |next: usize| next.checked_add(STEP).filter(|&end| end >> COUNT_BITS == 0);
    let number = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    let number = number.map_err(|_| {
        Failure::new(
            MultisplitResult::MultisplitErrorTooLarge,
            "all handle numbers have been used, and none is used twice; restart the program",
        )
    })?;
    Ok(first() | number)
}

impl<H, T> Registry<H, T> {
    pub const fn new(kind: &'static str) -> Self {
        let handle = std::marker::PhantomData;
        Self { kind, objects: RwLock::new(BTreeMap::new()), handle }
    }

    /// Stores an object until it is removed.
    pub fn insert(&self, object: T) -> Outcome<*mut H> {
        let number = next()?;
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        objects.insert(number, Arc::new(object));
        Ok(ptr::without_provenance_mut(number))
    }

    /// The object, which stays valid while the caller holds it, even if it is removed in the meantime.
    pub fn get(&self, handle: *const H) -> Outcome<Arc<T>> {
        let objects = self.objects.read().unwrap_or_else(PoisonError::into_inner);
        objects.get(&handle.addr()).cloned().ok_or_else(|| self.unknown(handle))
    }

    /// Writes a value of an object to `out`, which messages call `what`.
    ///
    /// # Safety
    /// `out` is null or writable.
    pub unsafe fn query<V>(
        &self,
        handle: *const H,
        what: &str,
        out: *mut V,
        value: impl FnOnce(&T) -> Outcome<V>,
    ) -> MultisplitResult {
        guard(|| {
            let object = self.get(handle)?;
            // SAFETY: by the caller's contract.
            let out = unsafe { Out::new(what, out)? };
            out.set(value(&object)?);
            Ok(())
        })
    }

    /// Removes an object, unless `refuse` returns an error. Other threads cannot obtain the object during the
    /// check. `NULL` is ignored.
    pub fn remove(&self, handle: *const H, refuse: impl FnOnce(&Arc<T>) -> Outcome) -> Outcome {
        if handle.is_null() {
            return Ok(());
        }
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        let object = objects.get(&handle.addr()).ok_or_else(|| self.unknown(handle))?;
        refuse(object)?;
        let object = objects.remove(&handle.addr());
        // Drop the object without holding the lock.
        drop(objects);
        drop(object);
        Ok(())
    }

    fn unknown(&self, handle: *const H) -> Failure {
        if handle.is_null() {
            return Failure::null(&format!("the {}", self.kind));
        }
        let text = format!(
            "{handle:p} is not a valid {}: it was destroyed, is of another kind, or was never created",
            self.kind
        );
        Failure::new(MultisplitResult::MultisplitErrorHandle, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_handles_are_rejected_and_not_reused() {
        static NUMBERS: Registry<u8, u32> = Registry::new("number");
        let insert = |number| NUMBERS.insert(number).expect("the registry accepts a new entry");
        let (seven, eight) = (insert(7), insert(8));
        assert_eq!(*NUMBERS.get(seven).expect("seven is stored"), 7);
        assert!(NUMBERS.remove(seven, |_| Err(Failure::invalid("not now"))).is_err());
        assert!(NUMBERS.remove(seven, |_| Ok(())).is_ok());
        assert!(NUMBERS.remove(seven, |_| Ok(())).is_err());
        assert!(NUMBERS.get(seven).is_err() && NUMBERS.get(ptr::null()).is_err());
        assert!(NUMBERS.remove(ptr::null(), |_| Ok(())).is_ok());
        assert_ne!(insert(9), seven);
        assert_eq!(seven.addr() >> COUNT_BITS, eight.addr() >> COUNT_BITS);
        assert_eq!(*NUMBERS.get(eight).expect("eight is stored"), 8);
    }
}
