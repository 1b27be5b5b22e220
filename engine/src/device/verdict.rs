//! What was found out about a device, on disk: whether it keeps lane order. A file that is not
//! exactly as this version would write it for this device and driver is ignored.

use std::fs;
use std::path::{Path, PathBuf};

use crate::device::properties::DeviceProperties;
use crate::device::whole_file::write_whole;

/// The file of one device.
#[derive(Clone, Debug)]
pub(crate) struct VerdictFile {
    path: PathBuf,
    /// What the file begins with: everything that the verdict depends on.
    head: String,
}

impl VerdictFile {
    pub fn new(folder: &Path, properties: &DeviceProperties) -> Self {
        let uuid = hex(&properties.device_uuid);
        let name = format!("{uuid}-{}.probe", properties.subgroup_size);
        let head = format!(
            "multisplit {}\ndevice {:04x}-{:04x} {uuid}\ndriver {:08x} {}\nsubgroup size {}\n",
            env!("CARGO_PKG_VERSION"),
            properties.vendor_id,
            properties.device_id,
            properties.driver_version,
            hex(&properties.driver_uuid),
            properties.subgroup_size,
        );
        Self { path: folder.join(name), head }
    }

    /// What is known: nothing where the file is missing, damaged, or of another device, driver or
    /// version.
    pub fn load(&self) -> Option<bool> {
        let text = fs::read_to_string(&self.path).ok()?;
        let known = [true, false].into_iter().find(|&kept| text == self.text(kept));
        if known.is_none() {
            tracing::debug!(path = %self.path.display(), "what was found out is of another driver, or damaged");
        }
        known
    }

    /// A verdict that cannot be written is found again: that is logged and forgotten.
    pub fn save(&self, lane_order: bool) {
        if let Err(error) = write_whole(&self.path, self.text(lane_order).as_bytes()) {
            tracing::warn!(path = %self.path.display(), %error, "what was found out was not written");
        }
    }

    fn text(&self, lane_order: bool) -> String {
        format!("{}lane order {}\n", self.head, if lane_order { "kept" } else { "not kept" })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, removed when it ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("multisplit-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn properties() -> DeviceProperties {
        DeviceProperties { driver_version: 7, subgroup_size: 32, ..Default::default() }
    }

    #[test]
    fn a_verdict_is_read_back() {
        let folder = Folder::new("verdict");
        let file = VerdictFile::new(&folder.0.join("new"), &properties());
        assert_eq!(file.load(), None);
        for kept in [true, false, true] {
            file.save(kept);
            assert_eq!(file.load(), Some(kept));
        }
    }

    #[test]
    fn what_is_damaged_or_of_another_driver_is_ignored() {
        let folder = Folder::new("verdict-damaged");
        let file = VerdictFile::new(&folder.0, &properties());
        file.save(true);
        for other in [
            DeviceProperties { driver_version: 8, ..properties() },
            DeviceProperties { driver_uuid: [1; 16], ..properties() },
            DeviceProperties { device_id: 1, ..properties() },
        ] {
            assert_eq!(VerdictFile::new(&folder.0, &other).load(), None);
        }
        let whole = fs::read(&file.path).expect("just written");
        for length in 0..whole.len() {
            fs::write(&file.path, &whole[..length]).expect("written");
            assert_eq!(file.load(), None, "{length} bytes");
        }
        fs::write(&file.path, [0xFF; 64]).expect("written");
        assert_eq!(file.load(), None);
        file.save(false);
        assert_eq!(file.load(), Some(false));
    }

    /// Neither is an error: a folder that is a file, and a file that is a folder.
    #[test]
    fn what_cannot_be_written_is_forgotten() {
        let folder = Folder::new("verdict-unwritable");
        fs::create_dir_all(&folder.0).expect("made");
        fs::write(folder.0.join("file"), "").expect("written");
        let file = VerdictFile::new(&folder.0.join("file"), &properties());
        file.save(true);
        assert_eq!(file.load(), None);
        let file = VerdictFile::new(&folder.0, &properties());
        fs::create_dir_all(&file.path).expect("made");
        file.save(true);
        assert_eq!(file.load(), None);
    }
}
