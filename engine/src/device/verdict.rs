//! Stores probe results on disk. A file is ignored unless its header matches this version of the library, the device
//! and the driver.

use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use crate::device::{DeviceProperties, hex, write_whole};

/// The result of a probe, as stored on disk.
pub(crate) trait ProbeResult: Copy + PartialEq + 'static {
    /// The file's extension.
    const EXTENSION: &str;
    /// The results that can be stored, each with the line that represents it in the file.
    const LINES: &[(Self, &str)];
}

/// Whether the device passed the lane-order probe.
impl ProbeResult for bool {
    const EXTENSION: &str = "probe";
    const LINES: &[(Self, &str)] = &[(true, "lane order kept"), (false, "lane order not kept")];
}

/// The file that stores the result of one probe on one device.
#[derive(Clone, Debug)]
pub(crate) struct VerdictFile<R> {
    path: PathBuf,
    /// Header of the file: the library version, the device, the driver and the subgroup size.
    head: String,
    result: PhantomData<R>,
}

impl<R: ProbeResult> VerdictFile<R> {
    pub fn new(folder: &Path, properties: &DeviceProperties) -> Self {
        let uuid = hex(&properties.device_uuid);
        let name = format!("{uuid}-{}.{}", properties.subgroup_size, R::EXTENSION);
        let head = format!(
            "multisplit {}\ndevice {:04x}-{:04x} {uuid}\ndriver {:08x} {}\nsubgroup size {}\n",
            env!("CARGO_PKG_VERSION"),
            properties.vendor_id,
            properties.device_id,
            properties.driver_version,
            hex(&properties.driver_uuid),
            properties.subgroup_size,
        );
        Self { path: folder.join(name), head, result: PhantomData }
    }

    /// Loads the result; `None` if the file is missing, damaged, or belongs to another device, driver or version.
    pub fn load(&self) -> Option<R> {
        let text = fs::read_to_string(&self.path).ok()?;
        let known = R::LINES.iter().find(|(_, line)| text == self.text(line));
        if known.is_none() {
            tracing::debug!(path = %self.path.display(), "probe result ignored: damaged, or from another driver or version");
        }
        known.map(|(result, _)| *result)
    }

    /// Stores the result. If it cannot be written, a warning is logged and the next process probes again.
    pub fn save(&self, result: R) {
        let Some((_, line)) = R::LINES.iter().find(|(other, _)| *other == result) else { return };
        if let Err(error) = write_whole(&self.path, self.text(line).as_bytes()) {
            tracing::warn!(path = %self.path.display(), %error, "cannot save the probe result");
        }
    }

    fn text(&self, line: &str) -> String {
        format!("{}{line}\n", self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::files::TestFolder;

    fn properties() -> DeviceProperties {
        DeviceProperties { driver_version: 7, subgroup_size: 32, ..Default::default() }
    }

    #[test]
    fn saved_probe_results_are_loaded() {
        let folder = TestFolder::new("verdict");
        let file = VerdictFile::new(&folder.0.join("new"), &properties());
        assert_eq!(file.load(), None);
        for kept in [true, false, true] {
            file.save(kept);
            assert_eq!(file.load(), Some(kept));
        }
    }

    #[test]
    fn damaged_files_and_files_of_other_drivers_are_ignored() {
        let folder = TestFolder::new("verdict-damaged");
        let file = VerdictFile::new(&folder.0, &properties());
        file.save(true);
        for other in [
            DeviceProperties { driver_version: 8, ..properties() },
            DeviceProperties { driver_uuid: [1; 16], ..properties() },
            DeviceProperties { device_id: 1, ..properties() },
        ] {
            assert_eq!(VerdictFile::<bool>::new(&folder.0, &other).load(), None);
        }
        let whole = fs::read(&file.path).expect("the saved file can be read");
        for length in 0..whole.len() {
            fs::write(&file.path, &whole[..length]).expect("the file can be written");
            assert_eq!(file.load(), None, "truncated to {length} bytes");
        }
        fs::write(&file.path, [0xFF; 64]).expect("the file can be written");
        assert_eq!(file.load(), None);
        file.save(false);
        assert_eq!(file.load(), Some(false));
    }

    /// Tests a folder path that is a file, and a file path that is a folder.
    #[test]
    fn write_failures_are_ignored() {
        let folder = TestFolder::new("verdict-unwritable");
        fs::create_dir_all(&folder.0).expect("the folder can be created");
        fs::write(folder.0.join("file"), "").expect("the file can be written");
        let file = VerdictFile::new(&folder.0.join("file"), &properties());
        file.save(true);
        assert_eq!(file.load(), None);
        let file = VerdictFile::new(&folder.0, &properties());
        fs::create_dir_all(&file.path).expect("the folder can be created");
        file.save(true);
        assert_eq!(file.load(), None);
    }
}
