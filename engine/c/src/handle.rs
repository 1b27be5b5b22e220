//! What a handle is: a number that names an object, and never an address. So a handle that is
//! wrong, of another kind, or used after its object was destroyed, is noticed and never followed.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::result::{Failure, MultisplitResult, Outcome};

/// Objects of one kind, by their numbers; `H` is the type that C has for them.
pub(crate) struct Registry<H, T> {
    /// What an object of the kind is called in messages.
    kind: &'static str,
    objects: RwLock<BTreeMap<usize, Arc<T>>>,
    handle: std::marker::PhantomData<fn() -> H>,
}

/// Numbers look like aligned addresses, for tools that believe them to be some.
const STEP: usize = 16;

/// The bits below those that tell two copies of the library in one process apart: of as many handles,
/// times the step, as a program will ever ask for.
const COUNT_BITS: u32 = if usize::BITS >= 64 { 40 } else { 24 };

/// What the numbers of this copy of the library begin with: the page that it was loaded to, as far as
/// there is room for it. Copies that are less than 64 GiB apart differ; others may be the same by chance,
/// once in 2^24.
fn first() -> usize {
    const PAGE: usize = 4096;
    static HERE: u8 = 0;
    ((&raw const HERE).addr() / PAGE) << COUNT_BITS
}

/// A number that was never given before, of any kind.
fn next() -> Outcome<usize> {
    static NEXT: AtomicUsize = AtomicUsize::new(STEP);
    let more = |next: usize| next.checked_add(STEP).filter(|&end| end >> COUNT_BITS == 0);
    let number = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    let number = number.map_err(|_| {
        Failure::new(MultisplitResult::MultisplitErrorTooLarge, "no handle is left to give")
    })?;
    Ok(first() | number)
}

impl<H, T> Registry<H, T> {
    pub const fn new(kind: &'static str) -> Self {
        let handle = std::marker::PhantomData;
        Self { kind, objects: RwLock::new(BTreeMap::new()), handle }
    }

    /// Keeps an object until it is taken out.
    pub fn insert(&self, object: T) -> Outcome<*mut H> {
        let number = next()?;
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        objects.insert(number, Arc::new(object));
        Ok(ptr::without_provenance_mut(number))
    }

    /// The object, which stays whole while the caller holds it, whoever destroys it meanwhile.
    pub fn get(&self, handle: *const H) -> Outcome<Arc<T>> {
        let objects = self.objects.read().unwrap_or_else(PoisonError::into_inner);
        objects.get(&handle.addr()).cloned().ok_or_else(|| self.unknown(handle))
    }

    /// Takes an object out, unless `refuse` says why not: nobody gets hold of it meanwhile. `NULL` names
    /// nothing, and that is fine.
    pub fn remove(&self, handle: *const H, refuse: impl FnOnce(&Arc<T>) -> Outcome) -> Outcome {
        if handle.is_null() {
            return Ok(());
        }
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        let object = objects.get(&handle.addr()).ok_or_else(|| self.unknown(handle))?;
        refuse(object)?;
        let object = objects.remove(&handle.addr());
        // What an object does when it goes is no business of the others.
        drop(objects);
        drop(object);
        Ok(())
    }

    fn unknown(&self, handle: *const H) -> Failure {
        if handle.is_null() {
            return Failure::null(&format!("the {}", self.kind));
        }
        let text =
            format!("{handle:p} is not a valid {}: it was destroyed or never created", self.kind);
        Failure::new(MultisplitResult::MultisplitErrorHandle, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_is_noticed() {
        static NUMBERS: Registry<u8, u32> = Registry::new("number");
        let insert = |number| NUMBERS.insert(number).expect("a handle");
        let (seven, eight) = (insert(7), insert(8));
        assert_eq!(*NUMBERS.get(seven).expect("seven"), 7);
        assert!(NUMBERS.remove(seven, |_| Err(Failure::invalid("not now"))).is_err());
        assert!(NUMBERS.remove(seven, |_| Ok(())).is_ok());
        assert!(NUMBERS.remove(seven, |_| Ok(())).is_err());
        assert!(NUMBERS.get(seven).is_err() && NUMBERS.get(ptr::null()).is_err());
        assert!(NUMBERS.remove(ptr::null(), |_| Ok(())).is_ok());
        assert_ne!(insert(9), seven);
        assert_eq!(seven.addr() >> COUNT_BITS, eight.addr() >> COUNT_BITS);
        assert_eq!(*NUMBERS.get(eight).expect("eight"), 8);
    }
}
