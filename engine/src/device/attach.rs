//! Objects that higher layers attach to a device for its lifetime, such as the memory heap and the pipeline cache. The
//! device does not know their types; it only releases them before it is destroyed.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::shared::Device;
use crate::error::Result;

/// An object that is created once per device and released with it.
pub(crate) trait Attachment: Any + Send + Sync {
    /// Destroys the Vulkan objects that the attachment holds.
    ///
    /// # Safety
    /// Called once, by the device, when no other code uses the attachment's objects.
    unsafe fn release(&self, device: &Device);
}

/// All attachments of one device.
#[derive(Default)]
pub(crate) struct Attachments(Mutex<Vec<Arc<dyn Attachment>>>);

impl Attachments {
    fn find<T: Attachment>(&self) -> Option<Arc<T>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find_map(|one| {
            let any: Arc<dyn Any + Send + Sync> = one.clone();
            any.downcast().ok()
        })
    }

    /// Adds `made` and returns it. If another thread has already added an attachment of this type, returns that one and
    /// hands `made` back.
    fn add<T: Attachment>(&self, made: T) -> (Arc<T>, Option<T>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for one in all.iter() {
            let any: Arc<dyn Any + Send + Sync> = one.clone();
            if let Ok(found) = any.downcast() {
                return (found, Some(made));
            }
        }
        let made = Arc::new(made);
        all.push(made.clone());
        (made, None)
    }

    /// Releases all attachments in reverse order of creation.
    ///
    /// # Safety
    /// The attachments' objects are no longer in use.
    pub unsafe fn release(&self, device: &Device) {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        while let Some(one) = all.pop() {
            // SAFETY: by the caller's contract; it has been taken out, so this happens once.
            unsafe { one.release(device) };
        }
    }
}

impl Device {
    /// Returns the attachment of this type and creates it on first use. `make` runs without the lock because it may
    /// request other attachments.
    pub fn attached<T: Attachment>(&self, make: impl FnOnce(&Self) -> Result<T>) -> Result<Arc<T>> {
        if let Some(found) = self.attachments.find() {
            return Ok(found);
        }
        let (kept, spare) = self.attachments.add(make(self)?);
        if let Some(spare) = spare {
            // SAFETY: newly created and not in use.
            unsafe { spare.release(self) };
        }
        Ok(kept)
    }
}
