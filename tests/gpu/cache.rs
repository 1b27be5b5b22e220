//! The pipeline cache on disk: used when it is good, ignored and replaced when it is not.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use multisplit::PipelineCache;
use multisplit_tests::harness::{Gpu, expect_equal};
use multisplit_tests::tests;

tests!(cache: a_damaged_or_foreign_file_is_replaced);

fn scan_with_cache(gpu: &Gpu, folder: PathBuf) -> Result<()> {
    let context = gpu.open_with(|c| c.pipeline_cache = PipelineCache::Folder(folder))?;
    expect_equal(&context.scan(&[1, 2, 3])?, &[0, 1, 3])?;
    let messages = context.messages();
    drop(context);
    ensure!(messages.take().is_empty(), "validation messages");
    Ok(())
}

fn a_damaged_or_foreign_file_is_replaced(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    scan_with_cache(gpu, folder.path().to_owned())?;
    let file = fs::read_dir(folder.path())?.next().context("no cache file was written")??.path();
    let good = fs::read(&file)?;
    let mut foreign = good.clone();
    foreign[16 + 8] ^= 0xFF; // the vendor id in Vulkan's own header
    let mut damaged = good.clone();
    *damaged.last_mut().context("an empty file")? ^= 1;
    let bad = [Vec::new(), b"nonsense".to_vec(), good[..good.len() / 2].to_vec(), foreign, damaged];
    for bytes in bad {
        fs::write(&file, bytes)?;
        scan_with_cache(gpu, folder.path().to_owned())?;
        ensure!(fs::read(&file)?.len() > good.len() / 2, "not replaced");
        ensure!(fs::read(&file)?.starts_with(b"MSPIPE01"), "not replaced");
    }
    ensure!(fs::read_dir(folder.path())?.count() == 1, "temporary files were left");
    // A folder that cannot be written costs nothing but the cache.
    scan_with_cache(gpu, PathBuf::from("/proc/nowhere"))
}
