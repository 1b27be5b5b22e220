//! Compresses the SPIR-V of the built-in kernels, which is very similar from kernel to kernel, to a third of
//! its size. The library decompresses a kernel on first use.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Maximum deflate level; it takes a second per build for all kernels.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=spv");
    let from = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("spv");
    let to = PathBuf::from(env::var("OUT_DIR")?);
    for file in fs::read_dir(from)? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "spv") {
            continue;
        }
        let packed = miniz_oxide::deflate::compress_to_vec(&fs::read(&path)?, LEVEL);
        fs::write(to.join(path.file_name().unwrap_or_default()), packed)?;
    }
    Ok(())
}
