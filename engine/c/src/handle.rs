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

impl<H, T> Registry<H, T> {
    pub const fn new(kind: &'static str) -> Self {
        let handle = std::marker::PhantomData;
        Self { kind, objects: RwLock::new(BTreeMap::new()), handle }
    }

    /// Keeps an object until it is taken out.
    pub fn insert(&self, object: T) -> *mut H {
        // Of all kinds, so that no two handles are the same; never used again.
        static NEXT: AtomicUsize = AtomicUsize::new(STEP);
        let number = NEXT.fetch_add(STEP, Ordering::Relaxed);
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        objects.insert(number, Arc::new(object));
        ptr::without_provenance_mut(number)
    }

    /// The object, which stays whole while the caller holds it, whoever destroys it meanwhile.
    pub fn get(&self, handle: *const H) -> Outcome<Arc<T>> {
        let objects = self.objects.read().unwrap_or_else(PoisonError::into_inner);
        objects.get(&handle.addr()).cloned().ok_or_else(|| self.unknown(handle))
    }

    /// Takes an object out, unless `refuse` says why not. `NULL` names nothing, and that is fine.
    pub fn remove(&self, handle: *const H, refuse: impl FnOnce(&T) -> Outcome) -> Outcome {
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
        let (seven, eight) = (NUMBERS.insert(7), NUMBERS.insert(8));
        assert_eq!(*NUMBERS.get(seven).expect("seven"), 7);
        assert!(NUMBERS.remove(seven, |_| Err(Failure::invalid("not now"))).is_err());
        assert!(NUMBERS.remove(seven, |_| Ok(())).is_ok());
        assert!(NUMBERS.remove(seven, |_| Ok(())).is_err());
        assert!(NUMBERS.get(seven).is_err() && NUMBERS.get(ptr::null()).is_err());
        assert!(NUMBERS.remove(ptr::null(), |_| Ok(())).is_ok());
        assert_ne!(NUMBERS.insert(9), seven);
        assert_eq!(*NUMBERS.get(eight).expect("eight"), 8);
    }
}
