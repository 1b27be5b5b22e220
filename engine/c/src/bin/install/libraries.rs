//! Converts cargo's static library into one object that exports only the functions of the header, a static
//! library of that object, and a shared library with symbol versions.
//!
//! Cargo's static library has thousands of objects and exports all symbols of the Rust standard library and
//! of a C++ library, and cargo cannot add symbol versions to its shared library.

use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{about, interface_version};

/// Parameters for building the libraries.
pub struct Libraries<'l> {
    /// Output folder.
    pub folder: &'l Path,
    /// Linker flags of required libraries.
    pub needs: &'l [&'l str],
    /// The header, which lists the exported functions.
    pub header: &'l str,
    /// The soname of the shared library.
    pub shared: &'l str,
}

impl Libraries<'_> {
    /// Builds both libraries from `archive`, and returns their paths.
    pub fn make(&self, archive: &Path) -> Result<Vec<PathBuf>> {
        match cfg!(target_os = "linux") {
            true => self.relink(archive),
            false => self.copy(archive),
        }
    }

    /// On platforms other than Linux: copies the libraries built by cargo.
    fn copy(&self, archive: &Path) -> Result<Vec<PathBuf>> {
        let built = if cfg!(windows) { "multisplit_c.dll" } else { "libmultisplit_c.dylib" };
        let pairs = [
            (archive.to_owned(), self.folder.join("libmultisplit.a")),
            (archive.with_file_name(built), self.folder.join(self.shared)),
        ];
        for (from, to) in &pairs {
            replace(to)?;
            fs::copy(from, to).map_err(|error| about(to, &error))?;
        }
        Ok(pairs.map(|(_, to)| to).into())
    }

    fn relink(&self, archive: &Path) -> Result<Vec<PathBuf>> {
        let work = self.folder.join(".multisplit-link");
        fs::create_dir_all(&work).map_err(|error| about(&work, &error))?;
        let made = self.relink_in(&work, archive);
        let _ = fs::remove_dir_all(&work);
        made
    }

    fn relink_in(&self, work: &Path, archive: &Path) -> Result<Vec<PathBuf>> {
        let (all, object, map) = (work.join("all.o"), work.join("multisplit.o"), work.join("map"));
        // Link everything that the functions of the header need into one object.
        let mut link = Command::new("ld");
        link.args(["-r", "--gc-sections", "--force-group-allocation"]);
        for function in functions(self.header) {
            link.args(["-u", function]);
        }
        run(link.arg("-o").arg(&all).arg(archive))?;
        // Drop debug information and bitcode. Symbols shared with other Rust and C++ code must not conflict
        // with the program's own.
        let mut shed = Command::new("objcopy");
        shed.args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        // Unique symbols, of C++ and of SPIRV-Tools, must be weakened before they can be hidden.
        shed.args(["--wildcard", "--weaken-symbol=_Z*", "--weaken-symbol=spv*"]);
        run(shed.arg(&all))?;
        let mut hide = Command::new("objcopy");
        hide.args(["--wildcard", "--keep-global-symbol=multisplit_*", "--strip-unneeded"]);
        run(hide.arg(&all).arg(&object))?;
        let static_library = self.folder.join("libmultisplit.a");
        replace(&static_library)?;
        run(Command::new("ar").arg("rcs").arg(&static_library).arg(&object))?;

        let version = interface_version();
        let text = format!("MULTISPLIT_{version} {{ global: multisplit_*; local: *; }};\n");
        fs::write(&map, text).map_err(|error| about(&map, &error))?;
        let (library, plain) =
            (self.folder.join(self.shared), self.folder.join("libmultisplit.so"));
        replace(&library)?;
        replace(&plain)?;
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut link = Command::new(compiler);
        link.arg("-shared").arg("-o").arg(&library).arg(&object);
        link.arg(format!("-Wl,-soname,{}", self.shared));
        link.arg(format!("-Wl,--version-script={}", map.display()));
        link.args(["-Wl,--gc-sections", "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack", "-Wl,-s"]);
        run(link.arg("-Wl,--as-needed").args(self.needs))?;
        link_to(self.shared, &plain)?;
        Ok(vec![static_library, library, plain])
    }
}

/// The functions declared in a header.
fn functions(header: &str) -> Vec<&str> {
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
    let calls = code.filter_map(|line| line.split_once('(').map(|(before, _)| before));
    let mut names: Vec<&str> =
        calls.filter_map(|before| before.rsplit([' ', '*']).next()).collect();
    names.retain(|name| name.starts_with("multisplit_"));
    names
}

/// Removes the old file first, because overwriting a library that a running program has mapped would crash
/// it.
fn replace(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if path.exists() => Err(about(path, &error)),
        _ => Ok(()),
    }
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        Error::new(error.kind(), format!("{name}: {error}; install a C compiler and binutils"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let first = stderr.lines().take(5).collect::<Vec<_>>().join("\n  ");
    Err(Error::other(format!("{name} failed ({}): {first}", output.status)))
}

#[cfg(unix)]
fn link_to(target: &str, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(target, link).map_err(|error| about(link, &error))
}

#[cfg(not(unix))]
fn link_to(target: &str, link: &Path) -> Result<()> {
    let from = link.with_file_name(target);
    fs::copy(from, link).map(|_| ()).map_err(|error| about(link, &error))
}
