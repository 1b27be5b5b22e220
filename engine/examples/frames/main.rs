//! An engine with its own Vulkan device and two frames in flight sorts particles by depth between
//! its own two passes: `cargo run --example frames [FRAMES]`.

mod frames;
mod host;
mod passes;

use frames::{Barriers, Config};
use host::{Host, Result};
use multisplit::PipelineCache;

fn main() -> Result<()> {
    let frames = std::env::args().nth(1).map_or(Ok(100), |text| text.parse())?;
    let config = Config {
        frames,
        particles: 4096,
        varying: true,
        barriers: Barriers::Engine,
        pipeline_cache: PipelineCache::UserFolder,
        policy: None,
    };
    // SAFETY: the host outlives the loop, which finishes before the host is destroyed.
    unsafe {
        let host = Host::new(None, false)?;
        println!("{}", host.check.device);
        for unused in &host.check.unused {
            println!("  not used: {unused}");
        }
        let report = frames::run(&host, &config)?;
        host.destroy();
        println!(
            "adopted the device, planned the sort and recorded it in {:.1} ms, of which the driver took {:.1} ms to create pipelines",
            1e3 * report.first_sort.as_secs_f64(),
            1e3 * report.pipelines.as_secs_f64(),
        );
        println!("sorting: {:?} per frame", report.sorting / frames.max(1));
        match report.wrong {
            None => println!("{frames} frames, all in order"),
            Some(frame) => return Err(format!("frame {frame} is not in order").into()),
        }
    }
    Ok(())
}
