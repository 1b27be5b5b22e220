//! Installs the libraries, the headers and the files for build systems: `./x install-c`.
//!
//! The input is the libraries that were built together with this program, or libraries that cargo built for
//! another platform, in a given folder.

mod libraries;
mod target;

use std::env;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libraries::Libraries;
use target::Target;

const HEADER: &str = include_str!("../../../include/multisplit.h");
const CPP_HEADER: &str = include_str!("../../../include/multisplit.hpp");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Licences: destination and text.
const LICENCES: [(&str, &str); 2] = [
    ("share/licenses/multisplit/LICENSE-MIT", include_str!("../../../../../LICENSE-MIT")),
    ("share/licenses/multisplit/LICENSE-APACHE", include_str!("../../../../../LICENSE-APACHE")),
];

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
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let result = match arguments.as_slice() {
        [prefix] => {
            built_here().and_then(|folder| install(Path::new(prefix), Target::here(), &folder))
        }
        [prefix, triple, folder] => {
            let target = Target::of(&triple.to_string_lossy());
            install(Path::new(prefix), target, Path::new(folder))
        }
        _ => {
            eprintln!("usage: install-multisplit-c PREFIX [TARGET FOLDER]");
            return ExitCode::from(2);
        }
    };
    match result {
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

/// Installs the libraries in the folder `built` under `prefix`, and returns the paths of the written files.
fn install(prefix: &Path, target: Target, built: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let headers = [("include/multisplit.h", HEADER), ("include/multisplit.hpp", CPP_HEADER)];
    for (name, text) in headers.into_iter().chain(LICENCES) {
        files.push(write(prefix, name, text)?);
    }
    for (name, text) in PACKAGE {
        // Folders such as `/usr/local` are shared, so they must not get a `CMakeLists.txt`.
        let shared_folder = prefix.starts_with("/usr") || prefix == Path::new("/");
        if name != "CMakeLists.txt" || !shared_folder {
            files.push(write(prefix, name, &filled_in(text, target))?);
        }
    }
    let libraries = Libraries { prefix, target, needs: &needs(target), header: HEADER };
    files.extend(libraries.make(built)?);
    Ok(files)
}

fn write(prefix: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = prefix.join(name);
    let folder = path.parent().unwrap_or(prefix);
    fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
    fs::write(&path, text).map_err(|error| about(&path, &error))?;
    Ok(path)
}

/// The part of the version that must match for compatibility: the major version, and below 1.0 the minor version too.
fn interface_version() -> String {
    let parts: Vec<&str> = VERSION.split('.').take(2).collect();
    let kept = if parts.first() == Some(&"0") { 2 } else { 1 };
    parts.get(..kept).unwrap_or_default().join(".")
}

/// All required libraries. The GLSL compiler is C++.
fn needs(target: Target) -> Vec<&'static str> {
    let glsl = cfg!(feature = "glsl").then_some("-lstdc++");
    glsl.into_iter().chain(target.needs().iter().copied()).collect()
}

fn filled_in(text: &str, target: Target) -> String {
    let needs = needs(target);
    let soname = target.shared().rsplit('/').next().unwrap_or_default().to_owned();
    let import = target
        .import()
        .map(|file| format!("\n        IMPORTED_IMPLIB \"${{_multisplit_prefix}}/{file}\""));
    text.replace("@VERSION@", VERSION)
        .replace("@PRIVATE@", &needs.join(" "))
        .replace("@PRIVATE_LIST@", &needs.join(";"))
        .replace("@SHARED@", &target.shared())
        .replace("@SONAME@", &soname)
        .replace("@IMPORT@", &import.unwrap_or_default())
        .replace("@STATIC@", target.archive())
        .replace("@GLSL@", if cfg!(feature = "glsl") { "TRUE" } else { "FALSE" })
}

/// The folder of the libraries that were built together with this program. Cargo builds into `deps` and links the
/// files next to the program; those links may be outdated.
fn built_here() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let [name, _] = Target::here().built();
    let places = [folder.join("deps"), folder.to_owned()];
    places.into_iter().find(|place| place.join(name).exists()).ok_or_else(|| {
        let text = format!("{name} was not built; run `./x install-c PREFIX`, which builds it");
        Error::new(ErrorKind::NotFound, text)
    })
}

fn about(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {error}", path.display()))
}
