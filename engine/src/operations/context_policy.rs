//! The policy of a context: from its profile, and from the observed behaviour of its device and driver.

use crate::device::context::Context;
use crate::policy::Policy;

impl Context {
    /// Returns the sizes and methods for this device. Keys are ranked by lane order only if
    /// [`Config::ranking`](crate::Config::ranking) allows it, the device has passed the lane-order probe, and no
    /// kernel has since detected a violation. Plans are simpler if the driver could not create a pipeline
    /// ([`plan_form`](Self::plan_form)).
    pub fn policy(&self) -> Policy {
        #[cfg(feature = "broken-plans")]
        if let Some(mut policy) = replaced::policy(self) {
            if !self.keeps_lane_order() {
                policy.rank_by_ballots();
            }
            return policy.in_form(self.plan_form());
        }
        let profile = self.used_profile();
        let lane_order = profile.as_ref().is_none_or(|profile| profile.prefers_lane_order());
        self.sizes(lane_order && self.has_lane_order())
    }

    /// The policy for ranking by lane order or by ballots, from the profile if there is one.
    fn sizes(&self, lane_order: bool) -> Policy {
        if let Some(profile) = self.used_profile() {
            return profile.policy(lane_order).in_form(self.plan_form());
        }
        let mut policy = Policy::for_device(self.properties());
        if lane_order {
            policy.rank_by_lane_order();
        }
        policy.in_form(self.plan_form())
    }

    /// Like [`policy`](Self::policy), but relies only on behaviour that Vulkan guarantees.
    pub fn promised_policy(&self) -> Policy {
        self.sizes(false)
    }

    /// Like [`policy`](Self::policy), but runs the probe now, and ranks by lane order if the device passes it. For
    /// tests and measurements.
    #[cfg(feature = "tuning")]
    pub fn probed_policy(&self, seed: u32) -> crate::error::Result<Policy> {
        Ok(self.sizes(crate::operations::probe::lane_order(self, seed)?))
    }
}

/// Replaces the policy of a context, to test devices that violate lane order.
#[cfg(feature = "broken-plans")]
mod replaced {
    use std::sync::Mutex;

    use crate::device::context::Context;
    use crate::device::shared::{Attachment, Device};
    use crate::error::Result;
    use crate::lock::lock;
    use crate::memory::status::StatusWord;
    use crate::policy::Policy;

    #[derive(Default)]
    struct Replaced(Mutex<Option<Policy>>);

    impl Attachment for Replaced {
        unsafe fn release(&self, _: &Device) {}
    }

    pub(in crate::operations) fn policy(context: &Context) -> Option<Policy> {
        let replaced = context.device.attached(|_| Ok(Replaced::default())).ok()?;
        *lock(&replaced.0)
    }

    impl Context {
        /// Replaces the result of [`policy`](Self::policy), or restores the device's own policy if `policy` is
        /// `None`. If a kernel detects a violation of lane order from now on, the replacement switches to ballots.
        /// Earlier violations are forgotten.
        ///
        /// No work that ranks keys may be in flight.
        #[doc(hidden)]
        pub fn replace_policy(&self, policy: Option<Policy>) -> Result<()> {
            let replaced = self.device.attached(|_| Ok(Replaced::default()))?;
            StatusWord::of(&self.device)?.clear();
            *lock(&replaced.0) = policy;
            Ok(())
        }
    }
}
