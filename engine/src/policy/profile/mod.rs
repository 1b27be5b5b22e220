//! Sizes of kernels that were tuned for one device and driver, as a text file: what a policy is made
//! of in the place of the built-in table. Results never depend on them.

mod check;
mod text;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::attach::Attachment;
use crate::device::context::Context;
use crate::device::profile_choice::ProfileChoice;
use crate::device::properties::DeviceProperties;
use crate::device::shared::Device;
use crate::device::whole_file::write_whole;
use crate::error::{Error, Result};
use crate::policy::Policy;
#[cfg(feature = "tuning")]
use crate::policy::all_sizes;
use crate::policy::facts::Facts;
use crate::policy::method::Ranking;

/// Sizes of kernels that were tuned for one device and driver. `multisplit tune` makes one;
/// [`Config::profile`](crate::Config::profile) says which a context uses.
///
/// As text ([`text`](Self::text)) it can be read and changed by a person. Every size is checked when it
/// is read, by what the device has; a size that is left out is the built-in one.
///
/// ```
/// use multisplit::{Context, Profile};
///
/// let devices = Context::devices()?;
/// let built_in = Profile::built_in(&devices[0].properties);
/// let text = built_in.text();
/// assert_eq!(Profile::parse("mine", text.as_bytes(), &devices[0].properties)?.text(), text);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Where it comes from, for messages.
    source: String,
    /// What it says of the device.
    device: text::DeviceKey,
    ballots: Policy,
    lane_order: Policy,
    /// The ranking that is faster where the device keeps lane order.
    ranking: Ranking,
    /// Whether the device may keep it.
    may_have_lane_order: bool,
}

/// What profiles that were not read from a file are called.
const IN_MEMORY: &str = "profile in memory";

impl Profile {
    /// The built-in sizes for a device.
    pub fn built_in(properties: &DeviceProperties) -> Self {
        let ballots = Policy::for_device(properties);
        let mut lane_order = ballots;
        lane_order.rank_by_lane_order();
        Self::new(properties, ballots, lane_order, Ranking::LaneOrder)
    }

    /// A profile of these sizes, cut down to what the device has room for.
    pub(crate) fn new(
        properties: &DeviceProperties,
        mut ballots: Policy,
        mut lane_order: Policy,
        ranking: Ranking,
    ) -> Self {
        for policy in [&mut ballots, &mut lane_order] {
            check::cut_down(policy);
        }
        let (source, device) = (IN_MEMORY.to_owned(), text::DeviceKey::of(properties));
        let may_have_lane_order = Facts::may_have_lane_order(properties);
        Self { source, device, ballots, lane_order, ranking, may_have_lane_order }
    }

    /// Reads the text of a profile for a device; `source` says in messages where it comes from. One
    /// that is damaged, of another version, device or driver, or has sizes that the device cannot have,
    /// is an [`Error::Profile`].
    pub fn parse(source: &str, bytes: &[u8], properties: &DeviceProperties) -> Result<Self> {
        let named = |problem| Error::Profile { profile: source.to_owned(), problem };
        let profile = text::read(bytes, properties).map_err(named)?;
        Ok(Self { source: source.to_owned(), ..profile })
    }

    /// The profile that `choice` falls on for a device; `None` for the built-in sizes. One in a folder
    /// that cannot be used is logged as a warning, and is none.
    pub fn chosen(choice: &ProfileChoice, properties: &DeviceProperties) -> Result<Option<Self>> {
        let parse = |name: String, bytes: &[u8]| Self::parse(&name, bytes, properties);
        let from_file = |path: &Path| {
            let profile = format!("profile {}", path.display());
            match std::fs::read(path) {
                Ok(bytes) => parse(profile, &bytes),
                Err(error) => {
                    Err(Error::Profile { profile, problem: format!("cannot be read: {error}") })
                }
            }
        };
        match choice {
            ProfileChoice::BuiltIn => Ok(None),
            ProfileChoice::Bytes(bytes) => parse(IN_MEMORY.to_owned(), bytes).map(Some),
            ProfileChoice::File(path) => from_file(path).map(Some),
            ProfileChoice::UserFolder | ProfileChoice::Folder(_) => {
                let path = choice.path(properties).filter(|path| path.exists());
                let found = path.map(|path| from_file(&path)).transpose();
                Ok(found.unwrap_or_else(|error| {
                    tracing::warn!("{error}; the built-in sizes are used");
                    None
                }))
            }
        }
    }

    /// Where it comes from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The profile as text, which [`parse`](Self::parse) reads.
    pub fn text(&self) -> String {
        text::write(self)
    }

    /// Writes it to a file, whole or not at all; folders are made as needed.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_whole(path, self.text().as_bytes()).map_err(|error| Error::Profile {
            profile: format!("profile {}", path.display()),
            problem: format!("cannot be written: {error}"),
        })
    }

    /// Whether ranking by lane order is to be used where the device keeps it.
    pub(crate) fn wants_lane_order(&self) -> bool {
        self.ranking.is_by_lane_order()
    }

    /// The sizes for kernels that rank by ballots, or by lane order.
    pub(crate) fn policy(&self, lane_order: bool) -> Policy {
        if lane_order { self.lane_order } else { self.ballots }
    }
}

/// The sizes that every ranking shares, from one policy to another.
#[cfg(feature = "tuning")]
pub(crate) fn copy_shared(to: &mut Policy, from: &Policy) {
    all_sizes().filter(|field| !field.per_ranking).for_each(|field| (field.copy)(to, from));
}

/// The profile of a context.
#[derive(Default)]
struct Used(Mutex<Option<Arc<Profile>>>);

impl Attachment for Used {
    unsafe fn release(&self, _: &Device) {}
}

impl Context {
    /// Takes the sizes of the profile that `choice` falls on.
    pub(crate) fn use_profile(&self, choice: &ProfileChoice) -> Result<()> {
        let profile = Profile::chosen(choice, self.properties())?.map(Arc::new);
        if let Some(profile) = &profile {
            tracing::info!("{} is used", profile.source());
        }
        let used = self.device.attached(|_| Ok(Used::default()))?;
        *used.0.lock().unwrap_or_else(PoisonError::into_inner) = profile;
        Ok(())
    }

    /// The profile whose sizes are used; `None` for the built-in ones.
    pub fn used_profile(&self) -> Option<Arc<Profile>> {
        let used = self.device.attached(|_| Ok(Used::default())).ok()?;
        used.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
