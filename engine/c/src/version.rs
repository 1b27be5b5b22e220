//! Version of the library and compatibility check of the caller's version.

use std::ffi::c_char;

use crate::result::{Failure, MultisplitResult};

/// Major version of this header.
pub const MULTISPLIT_VERSION_MAJOR: u32 = 0;
/// Minor version of this header.
pub const MULTISPLIT_VERSION_MINOR: u32 = 7;
/// Patch version of this header.
pub const MULTISPLIT_VERSION_PATCH: u32 = 0;
/// Version of this header as one number, encoded like Vulkan versions. Use it for members called `version`.
pub const MULTISPLIT_VERSION: u32 =
    (MULTISPLIT_VERSION_MAJOR << 22) | (MULTISPLIT_VERSION_MINOR << 12) | MULTISPLIT_VERSION_PATCH;

/// Returns the version of the library, encoded like `MULTISPLIT_VERSION`. It may be newer than the header.
#[unsafe(no_mangle)]
pub extern "C" fn multisplit_version() -> u32 {
    MULTISPLIT_VERSION
}

/// Returns the version of the library as text. Never `NULL`; must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn multisplit_version_string() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// Checks that a caller compiled for `version` can use this library.
pub(crate) fn check(version: u32) -> Result<(), Failure> {
    let parts = |version: u32| (version >> 22, (version >> 12) & 0x3FF);
    let (theirs, ours) = (parts(version), parts(MULTISPLIT_VERSION));
    // Before 1.0, every minor version may change the interface.
    if theirs.0 == ours.0 && (theirs.1 == ours.1 || (ours.0 > 0 && theirs.1 < ours.1)) {
        return Ok(());
    }
    let text = format!(
        "`version` is {}.{}, but the library has version {}.{}; set it to MULTISPLIT_VERSION, and use the header of \
         this library",
        theirs.0, theirs.1, ours.0, ours.1
    );
    Err(Failure::new(MultisplitResult::MultisplitErrorVersion, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_version_matches_the_package() {
        let parts = [MULTISPLIT_VERSION_MAJOR, MULTISPLIT_VERSION_MINOR, MULTISPLIT_VERSION_PATCH];
        assert_eq!(parts.map(|part| part.to_string()).join("."), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn only_the_patch_version_may_differ() {
        assert!(check(MULTISPLIT_VERSION).is_ok());
        assert!(check(MULTISPLIT_VERSION + 7).is_ok());
        assert!(check(MULTISPLIT_VERSION + (1 << 12)).is_err());
        assert!(check(MULTISPLIT_VERSION + (1 << 22)).is_err());
        assert!(check(0).is_err());
    }
}
