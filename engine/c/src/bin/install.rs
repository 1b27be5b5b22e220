//! Puts the libraries, the header and the pkg-config file where C compilers look: `./x install-c`.
//!
//! The libraries are those that were built together with this program.

use std::env;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HEADER: &str = include_str!("../../include/multisplit.h");
const CPP_HEADER: &str = include_str!("../../include/multisplit.hpp");
const PKG_CONFIG: &str = include_str!("../../multisplit.pc.in");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What a program needs besides that links the static library on Linux: what
/// `rustc --print native-static-libs` says, without what every program has.
const PRIVATE: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl";

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

/// Installs under `prefix`, and gives what was written.
fn install(prefix: &Path) -> Result<Vec<PathBuf>> {
    let (lib, include) = (prefix.join("lib"), prefix.join("include"));
    let pkg_config = lib.join("pkgconfig");
    for folder in [&pkg_config, &include] {
        fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
    }
    let mut files = Vec::new();
    for (path, text) in [
        (include.join("multisplit.h"), HEADER),
        (include.join("multisplit.hpp"), CPP_HEADER),
        (pkg_config.join("multisplit.pc"), &filled_in()),
    ] {
        fs::write(&path, text).map_err(|error| about(&path, &error))?;
        files.push(path);
    }
    let archive = lib.join("libmultisplit.a");
    copy(&built("libmultisplit_c.a")?, &archive)?;
    files.push(archive);
    if cfg!(target_os = "macos") {
        let library = lib.join("libmultisplit.dylib");
        copy(&built("libmultisplit_c.dylib")?, &library)?;
        files.push(library);
    } else {
        let (library, link) = (lib.join(soname()), lib.join("libmultisplit.so"));
        copy(&built("libmultisplit_c.so")?, &library)?;
        link_to(&soname(), &link)?;
        files.extend([library, link]);
    }
    Ok(files)
}

/// The name that programs look for when they start: the build script gives the library the same.
fn soname() -> String {
    let parts: Vec<&str> = VERSION.split('.').take(2).collect();
    let kept = if parts.first() == Some(&"0") { 2 } else { 1 };
    format!("libmultisplit.so.{}", parts.get(..kept).unwrap_or_default().join("."))
}

fn filled_in() -> String {
    // The GLSL compiler is C++.
    let glsl = if cfg!(feature = "glsl") { "-lstdc++ " } else { "" };
    PKG_CONFIG.replace("@VERSION@", VERSION).replace("@PRIVATE@", &format!("{glsl}{PRIVATE}"))
}

/// A library that was built together with this program. Cargo builds into `deps`, and puts links
/// beside the program, which may be older ones.
fn built(name: &str) -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [folder.join("deps").join(name), folder.join(name)];
    places.into_iter().find(|place| place.exists()).ok_or_else(|| {
        let text = format!("{name} was not built; run this by `./x install-c PREFIX`");
        Error::new(ErrorKind::NotFound, text)
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    // A library that a running program has mapped must not be written to.
    let _ = fs::remove_file(to);
    fs::copy(from, to).map(|_| ()).map_err(|error| about(to, &error))
}

#[cfg(unix)]
fn link_to(target: &str, link: &Path) -> Result<()> {
    let _ = fs::remove_file(link);
    std::os::unix::fs::symlink(target, link).map_err(|error| about(link, &error))
}

#[cfg(not(unix))]
fn link_to(target: &str, link: &Path) -> Result<()> {
    copy(&link.with_file_name(target), link)
}

fn about(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {error}", path.display()))
}
