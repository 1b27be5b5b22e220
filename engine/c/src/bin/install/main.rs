//! Installs the libraries, the headers and the files for build systems: `./x install-c`.
//!
//! The libraries are made from the static library that was built together with this program.

mod libraries;

use std::env;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libraries::Libraries;

const HEADER: &str = include_str!("../../../include/multisplit.h");
const CPP_HEADER: &str = include_str!("../../../include/multisplit.hpp");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Libraries that a program on Linux needs to link the static library: the output of
/// `rustc --print native-static-libs`, without those that every program links.
const PRIVATE: [&str; 6] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// Files for build systems: destination and template.
const PACKAGE: [(&str, &str); 5] = [
    ("lib/pkgconfig/multisplit.pc", include_str!("../../../package/multisplit.pc.in")),
    (
        "lib/pkgconfig/multisplit-static.pc",
        include_str!("../../../package/multisplit-static.pc.in"),
    ),
    (
        "lib/cmake/multisplit/multisplitConfig.cmake",
        include_str!("../../../package/multisplitConfig.cmake.in"),
    ),
    (
        "lib/cmake/multisplit/multisplitConfigVersion.cmake",
        include_str!("../../../package/multisplitConfigVersion.cmake.in"),
    ),
    ("CMakeLists.txt", include_str!("../../../package/CMakeLists.txt")),
];

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let (Some(prefix), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: install-multisplit-c PREFIX");
        return ExitCode::from(2);
    };
    match install(Path::new(&prefix)) {
        Ok(files) => {
            files.iter().for_each(|file| println!("{}", file.display()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Installs under `prefix`, and returns the paths of the written files.
fn install(prefix: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (name, text) in [("include/multisplit.h", HEADER), ("include/multisplit.hpp", CPP_HEADER)] {
        files.push(write(prefix, name, text)?);
    }
    for (name, text) in PACKAGE {
        // Folders such as `/usr/local` are shared, so they must not get a `CMakeLists.txt`.
        let shared_folder = prefix.starts_with("/usr") || prefix == Path::new("/");
        if name != "CMakeLists.txt" || !shared_folder {
            files.push(write(prefix, name, &filled_in(text))?);
        }
    }
    let lib = prefix.join("lib");
    let libraries = Libraries { folder: &lib, needs: &needs(), header: HEADER, shared: &shared() };
    files.extend(libraries.make(&built("libmultisplit_c.a")?)?);
    Ok(files)
}

fn write(prefix: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = prefix.join(name);
    let folder = path.parent().unwrap_or(prefix);
    fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
    fs::write(&path, text).map_err(|error| about(&path, &error))?;
    Ok(path)
}

/// The part of the version that must match for compatibility: below 1.0 it includes the minor version.
fn interface_version() -> String {
    let parts: Vec<&str> = VERSION.split('.').take(2).collect();
    let kept = if parts.first() == Some(&"0") { 2 } else { 1 };
    parts.get(..kept).unwrap_or_default().join(".")
}

/// The soname of the shared library.
fn shared() -> String {
    match cfg!(target_os = "macos") {
        true => "libmultisplit.dylib".to_owned(),
        false => format!("libmultisplit.so.{}", interface_version()),
    }
}

/// All required libraries. The GLSL compiler is C++.
fn needs() -> Vec<&'static str> {
    let glsl = cfg!(feature = "glsl").then_some("-lstdc++");
    glsl.into_iter().chain(PRIVATE).collect()
}

fn filled_in(text: &str) -> String {
    let needs = needs();
    text.replace("@VERSION@", VERSION)
        .replace("@PRIVATE@", &needs.join(" "))
        .replace("@PRIVATE_LIST@", &needs.join(";"))
        .replace("@SHARED@", &shared())
        .replace("@GLSL@", if cfg!(feature = "glsl") { "TRUE" } else { "FALSE" })
}

/// A library built together with this program. Cargo builds into `deps` and links the files next to the
/// program; those links may be outdated.
fn built(name: &str) -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [folder.join("deps").join(name), folder.join(name)];
    places.into_iter().find(|place| place.exists()).ok_or_else(|| {
        let text = format!("{name} was not built; run this by `./x install-c PREFIX`");
        Error::new(ErrorKind::NotFound, text)
    })
}

fn about(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {error}", path.display()))
}
