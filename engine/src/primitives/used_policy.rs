//! The policy that a context uses: by its profile, and by what its device was observed to do.

use super::Policy;
#[cfg(feature = "tuning")]
use super::probe;
use crate::device::context::Context;
#[cfg(feature = "tuning")]
use crate::error::Result;

impl Context {
    /// The sizes and methods that suit this device, with ranking by lane order where
    /// [`Config::ranking`](crate::Config::ranking) allows it and the device was seen to keep it, and
    /// not since found not to.
    pub fn policy(&self) -> Policy {
        #[cfg(feature = "broken-plans")]
        if let Some(mut policy) = replaced::policy(self) {
            if !self.keeps_lane_order() {
                policy.rank_by_ballots();
            }
            return policy;
        }
        let profile = self.used_profile();
        let wanted = profile.as_ref().is_none_or(|profile| profile.wants_lane_order());
        self.sizes(wanted && self.has_lane_order())
    }

    /// The sizes for a ranking: those of the profile, where there is one.
    fn sizes(&self, lane_order: bool) -> Policy {
        if let Some(profile) = self.used_profile() {
            return profile.policy(lane_order);
        }
        let mut policy = Policy::for_device(self.properties());
        if lane_order {
            policy.rank_by_lane_order();
        }
        policy
    }

    /// The same, with nothing that Vulkan does not promise, whatever the device was seen to do.
    pub fn promised_policy(&self) -> Policy {
        self.sizes(false)
    }

    /// The same, with ranking by lane order on any device that is seen to keep it now: for tests and
    /// measurements.
    #[cfg(feature = "tuning")]
    pub fn probed_policy(&self, seed: u32) -> Result<Policy> {
        Ok(self.sizes(probe::lane_order(self, seed)?))
    }
}

/// A policy in the place of the one that suits, for tests of what a context does when a device turns
/// out not to keep lane order.
#[cfg(feature = "broken-plans")]
mod replaced {
    use std::sync::{Mutex, PoisonError};

    use super::Policy;
    use crate::device::attach::Attachment;
    use crate::device::context::Context;
    use crate::device::shared::Device;
    use crate::error::Result;
    use crate::memory::status::StatusWord;

    #[derive(Default)]
    struct Replaced(Mutex<Option<Policy>>);

    impl Attachment for Replaced {
        unsafe fn release(&self, _: &Device) {}
    }

    pub(super) fn policy(context: &Context) -> Option<Policy> {
        let replaced = context.device.attached(|_| Ok(Replaced::default())).ok()?;
        *replaced.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Context {
        /// From here on, [`policy`](Self::policy) is this one, or that of the device again; by ballots
        /// once a kernel has found that lane order is not kept. What was found before is forgotten.
        ///
        /// Nothing that ranks is in flight.
        #[doc(hidden)]
        pub fn replace_policy(&self, policy: Option<Policy>) -> Result<()> {
            let replaced = self.device.attached(|_| Ok(Replaced::default()))?;
            StatusWord::of(&self.device)?.clear();
            *replaced.0.lock().unwrap_or_else(PoisonError::into_inner) = policy;
            Ok(())
        }
    }
}
