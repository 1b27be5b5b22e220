//! The pipeline cache on disk. A file that is damaged or belongs to another driver is ignored and replaced.

use std::fs;
use std::path::{Path, PathBuf};

use crate::device::properties::DeviceProperties;
use crate::device::files::write_whole;

const MAGIC: [u8; 8] = *b"MSPIPE01";
const HEADER: usize = MAGIC.len() + 8;

/// The cache file of one device and driver.
#[derive(Clone, Debug)]
pub(crate) struct CacheFile {
    path: PathBuf,
    /// Expected fields of the Vulkan cache header: vendor, device and driver build.
    identity: Vec<u8>,
}

impl CacheFile {
    /// The name contains the subgroup size because a software driver can run at several sizes with the same device id.
    pub fn new(folder: &Path, properties: &DeviceProperties) -> Self {
        let uuid: String =
            properties.pipeline_cache_uuid.iter().map(|b| format!("{b:02x}")).collect();
        let name = format!(
            "{:04x}-{:04x}-{uuid}-{}.pipelines",
            properties.vendor_id, properties.device_id, properties.subgroup_size
        );
        let mut identity = Vec::new();
        identity.extend(properties.vendor_id.to_le_bytes());
        identity.extend(properties.device_id.to_le_bytes());
        identity.extend(properties.pipeline_cache_uuid);
        Self { path: folder.join(name), identity }
    }

    /// The cached data; empty if the file is missing, damaged, or belongs to another driver.
    pub fn load(&self) -> Vec<u8> {
        let Ok(file) = fs::read(&self.path) else { return Vec::new() };
        match self.checked(&file) {
            Some(data) => data.to_vec(),
            None => {
                tracing::warn!(path = %self.path.display(), "pipeline cache ignored: damaged, or from another driver");
                Vec::new()
            }
        }
    }

    fn checked<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        let data = file.get(HEADER..)?;
        let checksum = file.get(MAGIC.len()..HEADER)?;
        let intact = file.starts_with(&MAGIC) && checksum == fnv1a(data).to_le_bytes();
        // Layout of `VkPipelineCacheHeaderVersionOne`: length, version, vendor, device, UUID.
        let same_driver = data.get(8..8 + self.identity.len())? == self.identity;
        (intact && same_driver).then_some(data)
    }

    /// Saves the cache. Errors are only logged, since pipelines can be compiled again.
    pub fn save(&self, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let mut file = Vec::with_capacity(HEADER + data.len());
        file.extend(MAGIC);
        file.extend(fnv1a(data).to_le_bytes());
        file.extend(data);
        if fs::read(&self.path).is_ok_and(|old| old == file) {
            return;
        }
        if let Err(error) = write_whole(&self.path, &file) {
            tracing::warn!(path = %self.path.display(), %error, "cannot save the pipeline cache");
        }
    }
}

/// FNV-1a, sufficient to detect a damaged file.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
