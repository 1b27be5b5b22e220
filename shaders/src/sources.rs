//! The GLSL sources of this crate, for compilation at run time: kernels with a user's function, and includes.

// The lists `INCLUDES` and `KERNELS`, written by the build script.
include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The text of `glsl/include/<name>`, if it exists.
pub fn include(name: &str) -> Option<&'static str> {
    INCLUDES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The text of the kernel `glsl/<file>`, if it exists.
pub fn kernel(file: &str) -> Option<&'static str> {
    KERNELS.iter().find(|(n, _)| *n == file).map(|(_, text)| *text)
}
