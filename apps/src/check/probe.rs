//! Times the device probe, without and with a stored result.

use std::time::{Duration, Instant};

use anyhow::Result;
use multisplit::{Config, DeviceFault, FaultyDevices, PipelineCache};

use crate::device::Devices;

/// Result of the device probe, and the time that it adds to the first plan of a context.
pub struct Probed {
    pub fault: Option<DeviceFault>,
    /// Time of the first probe: its pipelines are compiled, and its result is stored.
    pub time: Duration,
    /// Time of the probe of a second context, which reads the stored result.
    pub stored_time: Duration,
}

/// Probes the device with two contexts, one after the other, which share a new cache folder.
pub fn probe(devices: &Devices) -> Result<Probed> {
    let folder = tempfile::tempdir()?;
    let run = || -> Result<(Option<DeviceFault>, Duration)> {
        let gpu = devices.open_with(Config {
            pipeline_cache: PipelineCache::Folder(folder.path().to_owned()),
            faulty_devices: FaultyDevices::Used,
            ..Config::default()
        })?;
        let begin = Instant::now();
        let fault = gpu.probe_device()?;
        Ok((fault, begin.elapsed()))
    };
    let ((fault, time), (_, stored_time)) = (run()?, run()?);
    Ok(Probed { fault, time, stored_time })
}
