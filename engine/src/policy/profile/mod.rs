//! Profiles: text files with kernel sizes that were tuned for one device and driver, and that replace the built-in
//! sizes. Profiles affect performance, but not results, except that sums of floats, and results of GLSL operators that
//! round, may round differently.

mod check;
mod text;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::device::{Attachment, Context, DeviceProperties, ProfileChoice, hex, write_whole};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::policy::Policy;
#[cfg(feature = "tuning")]
use crate::policy::all_sizes;
use crate::policy::facts::Facts;
use crate::policy::method::Ranking;

/// Kernel sizes that were tuned for one device and driver. `multisplit tune` creates a profile;
/// [`Config::profile`](crate::Config::profile) selects the profile of a context.
///
/// The text form ([`text`](Self::text)) can be read and edited. Parsing checks every size against the limits of the
/// device. Sizes that are missing keep their built-in values.
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
    /// Origin of the profile, such as its path, for messages.
    source: String,
    device: DeviceKey,
    ballots: Policy,
    lane_order: Policy,
    /// The ranking method to use if the device keeps lane order: the faster one.
    ranking: Ranking,
    /// Whether the device may keep lane order.
    may_have_lane_order: bool,
}

/// Identifies the device of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DeviceKey {
    /// For display only.
    name: String,
    driver: String,
    /// Names and values of the device properties that must match.
    identity: [(&'static str, String); 5],
}

impl DeviceKey {
    fn of(properties: &DeviceProperties) -> Self {
        Self {
            name: one_line(&properties.name),
            driver: one_line(&properties.driver),
            identity: [
                ("vendor_id", format!("{:04x}", properties.vendor_id)),
                ("device_id", format!("{:04x}", properties.device_id)),
                ("driver_version", format!("{:08x}", properties.driver_version)),
                ("driver_build", hex(&properties.driver_uuid)),
                ("subgroup_size", properties.subgroup_size.to_string()),
            ],
        }
    }

    fn describe(&self) -> String {
        let [.., (_, subgroup_size)] = &self.identity;
        format!("{} ({}, subgroups of {subgroup_size})", self.name, self.driver)
    }
}

/// Replaces control characters by spaces. Names from the driver may contain them.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Origin of profiles that were not read from a file.
const IN_MEMORY: &str = "profile in memory";

impl Profile {
    /// The built-in sizes for a device.
    pub fn built_in(properties: &DeviceProperties) -> Self {
        let ballots = Policy::for_device(properties);
        let mut lane_order = ballots;
        lane_order.rank_by_lane_order();
        Self::new(properties, ballots, lane_order, Ranking::LaneOrder)
    }

    /// Creates a profile with these sizes, reduced to fit the device.
    pub(crate) fn new(
        properties: &DeviceProperties,
        mut ballots: Policy,
        mut lane_order: Policy,
        ranking: Ranking,
    ) -> Self {
        for policy in [&mut ballots, &mut lane_order] {
            check::reduce_tiles(policy);
        }
        let (source, device) = (IN_MEMORY.to_owned(), DeviceKey::of(properties));
        let may_have_lane_order = Facts::may_have_lane_order(properties);
        Self { source, device, ballots, lane_order, ranking, may_have_lane_order }
    }

    /// The profile that `choice` selects for a device. `None` selects the built-in sizes. If a profile in a folder is
    /// unusable, logs a warning and returns `None`.
    pub fn chosen(choice: &ProfileChoice, properties: &DeviceProperties) -> Result<Option<Self>> {
        let parse = |name: String, bytes: &[u8]| Self::parse(&name, bytes, properties);
        let from_file = |path: &Path| {
            let profile = format!("profile {}", path.display());
            match std::fs::read(path).map_err(|error| format!("cannot be read: {error}")) {
                Ok(bytes) => parse(profile, &bytes),
                Err(problem) => Err(Error::Profile { profile, problem }),
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

    /// Origin of the profile, such as its path, for messages.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Writes the profile to a file atomically. Creates missing folders.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_whole(path, self.text().as_bytes()).map_err(|error| Error::Profile {
            profile: format!("profile {}", path.display()),
            problem: format!("cannot be written: {error}"),
        })
    }

    /// Whether to rank by lane order if the device keeps it.
    pub(crate) fn prefers_lane_order(&self) -> bool {
        self.ranking.is_by_lane_order()
    }

    /// The policy for ranking by lane order or by ballots.
    pub(crate) fn policy(&self, lane_order: bool) -> Policy {
        if lane_order { self.lane_order } else { self.ballots }
    }
}

/// Copies the sizes that do not depend on the ranking method.
#[cfg(feature = "tuning")]
pub(crate) fn copy_shared(to: &mut Policy, from: &Policy) {
    all_sizes().filter(|field| !field.per_ranking).for_each(|field| (field.copy)(to, from));
}

/// The profile that a context uses.
#[derive(Default)]
struct Used(Mutex<Option<Arc<Profile>>>);

impl Attachment for Used {}

impl Context {
    /// Uses the sizes of the profile that `choice` selects.
    pub(crate) fn use_profile(&self, choice: &ProfileChoice) -> Result<()> {
        let profile = Profile::chosen(choice, self.properties())?.map(Arc::new);
        if let Some(profile) = &profile {
            tracing::info!("{} is used", profile.source());
        }
        let used = self.device.attached(|_| Ok(Used::default()))?;
        *lock(&used.0) = profile;
        Ok(())
    }

    /// The profile in use; `None` for the built-in sizes.
    pub fn used_profile(&self) -> Option<Arc<Profile>> {
        let used = self.device.attached(|_| Ok(Used::default())).ok()?;
        lock(&used.0).clone()
    }
}
