//! Every built-in kernel, rewritten to take addresses, is still a valid module; what cannot be
//! rewritten says why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

use multisplit_shaders::address::{AddressError, address_offset, by_address, push_bytes};
use multisplit_shaders::builtin::ALL;

/// Kernels that ask a binding for its length.
const BOUND_ONLY: &str = "sssp.";

#[test]
fn rewritten_kernels_are_valid() {
    let folder = std::env::temp_dir().join(format!("multisplit-address-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for builtin in ALL {
        let kernel = builtin.kernel().unwrap();
        let words = match by_address(kernel.spirv(), kernel.interface()) {
            Ok(words) => words,
            Err(AddressError::Unsupported(why)) if builtin.label().starts_with(BOUND_ONLY) => {
                assert!(why.contains("ArrayLength"), "{why}");
                continue;
            }
            Err(error) => panic!("{}: {error}", builtin.label()),
        };
        assert!(push_bytes(kernel.interface()) <= 128, "{}", builtin.label());
        assert!(address_offset(kernel.interface()).is_multiple_of(8));
        assert_eq!(words, by_address(kernel.spirv(), kernel.interface()).unwrap(), "not the same");
        let file = folder.join(format!("{}.spv", builtin.label()));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&file, bytes).unwrap();
        files.push(file);
    }
    assert!(files.len() > 50, "{} kernels", files.len());
    for file in &files {
        let mut validator = Command::new("spirv-val");
        let done = validator.args(["--target-env", "vulkan1.2"]).arg(file).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{}: {said}", file.display());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
