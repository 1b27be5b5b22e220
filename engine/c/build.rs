//! Gives the shared library the name that programs look for when they start.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    // Below 1.0 a minor version may break what the one before promised.
    let (major, minor) = (variable("CARGO_PKG_VERSION_MAJOR"), variable("CARGO_PKG_VERSION_MINOR"));
    let version = if major == "0" { format!("{major}.{minor}") } else { major };
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmultisplit.so.{version}");
}
