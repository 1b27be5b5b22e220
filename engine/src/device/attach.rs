//! What the layers above keep with a device for as long as it lives: memory its heap, execution its
//! pipelines. The device does not know them; it only ends them before itself.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::shared::Device;
use crate::error::Result;

/// Something that is made once for a device and ends with it.
pub(crate) trait Attachment: Any + Send + Sync {
    /// Ends it: destroys the Vulkan objects that it holds.
    ///
    /// # Safety
    /// Called once, by the device, when nothing else uses what it holds.
    unsafe fn release(&self, device: &Device);
}

/// Everything that is attached to one device.
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

    /// Adds `made`, unless another thread was faster: then that one's, and `made` back.
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

    /// Ends all, the last one first.
    ///
    /// # Safety
    /// Nothing uses what they hold any more.
    pub unsafe fn release(&self, device: &Device) {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        while let Some(one) = all.pop() {
            // SAFETY: by the caller's contract; it has been taken out, so this happens once.
            unsafe { one.release(device) };
        }
    }
}

impl Device {
    /// The attachment of this type, made when it is first asked for. Not under the lock, since
    /// making one may ask for others.
    pub fn attached<T: Attachment>(&self, make: impl FnOnce(&Self) -> Result<T>) -> Result<Arc<T>> {
        if let Some(found) = self.attachments.find() {
            return Ok(found);
        }
        let (kept, spare) = self.attachments.add(make(self)?);
        if let Some(spare) = spare {
            // SAFETY: just made, used by nothing.
            unsafe { spare.release(self) };
        }
        Ok(kept)
    }
}
