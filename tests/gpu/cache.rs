//! Tests that an invalid pipeline cache on disk does not affect results and is replaced.

use std::fs;
use std::path::{Path, PathBuf};

use multisplit_tests::prelude::*;

tests!(cache: invalid_cache_files_do_not_affect_results);

fn scan_with_cache(gpu: &Gpu, folder: PathBuf) -> Result<()> {
    let context = gpu.open_with(|c| c.pipeline_cache = PipelineCache::Folder(folder))?;
    expect_equal(&context.scan(&[1, 2, 3])?, &[0, 1, 3])?;
    expect_no_messages(context)
}

/// The first bytes of a cache file.
const MAGIC: &[u8] = b"MSPIPE01";

fn names_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut names: Vec<PathBuf> = entries.collect::<Result<_>>()?;
    names.sort();
    Ok(names)
}

fn invalid_cache_files_do_not_affect_results(gpu: &Gpu) -> Result<()> {
    let folder = tempfile::tempdir()?;
    scan_with_cache(gpu, folder.path().to_owned())?;
    let written = names_in(folder.path())?;
    // The folder also contains probe results.
    let is_cache = |path: &&PathBuf| fs::read(path).is_ok_and(|bytes| bytes.starts_with(MAGIC));
    let file = written.iter().find(is_cache).context("no cache file was written")?;
    // The first context also ran probes, whose pipelines are in its file. Later contexts read the
    // results of the probes, so let one of them write the file whose size is compared below.
    fs::remove_file(file)?;
    scan_with_cache(gpu, folder.path().to_owned())?;
    let good = fs::read(file)?;
    let mut foreign = good.clone();
    foreign[16 + 8] ^= 0xFF; // the vendor id in Vulkan's own header
    let mut damaged = good.clone();
    *damaged.last_mut().context("the cache file is empty")? ^= 1;
    let bad = [Vec::new(), b"nonsense".to_vec(), good[..good.len() / 2].to_vec(), foreign, damaged];
    for bytes in bad {
        fs::write(file, &bytes)?;
        scan_with_cache(gpu, folder.path().to_owned())?;
        let replaced = fs::read(file)?;
        ensure!(replaced != bytes, "the invalid cache file was not replaced");
        // The driver need not return the same bytes for the same pipelines.
        let is_whole = replaced.starts_with(MAGIC) && replaced.len() > good.len() / 2;
        ensure!(is_whole, "the file that replaced the invalid one is not a whole cache");
    }
    ensure!(names_in(folder.path())? == written, "temporary files were left");
    // If the folder cannot be created, scans run without a cache.
    scan_with_cache(gpu, PathBuf::from("/proc/nowhere"))
}
