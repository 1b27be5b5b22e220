//! What becomes of the archive that cargo builds: one object in which only what the header declares is
//! visible, an archive of it, and a shared library whose symbols have a version.
//!
//! Cargo's own archive has thousands of objects with everything that the standard library and a C++ library
//! export, and its own shared library cannot have versions.

use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{about, interface_version};

/// What is made, and of what.
pub struct Libraries<'l> {
    /// Where they go.
    pub folder: &'l Path,
    /// What they are linked with.
    pub needs: &'l [&'l str],
    /// The header: it says which functions there are.
    pub header: &'l str,
    /// The name that programs look for when they start.
    pub shared: &'l str,
}

impl Libraries<'_> {
    /// Makes both of `archive`, and gives their files.
    pub fn make(&self, archive: &Path) -> Result<Vec<PathBuf>> {
        match cfg!(target_os = "linux") {
            true => self.relink(archive),
            false => self.copy(archive),
        }
    }

    /// Elsewhere than on Linux: as cargo has built them.
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
        // One object of everything that the functions of the header need, and of nothing else.
        let mut link = Command::new("ld");
        link.args(["-r", "--gc-sections", "--force-group-allocation"]);
        for function in functions(self.header) {
            link.args(["-u", function]);
        }
        run(link.arg("-o").arg(&all).arg(archive))?;
        // What it shares with other programs in Rust and C++ must not meet theirs. Bitcode and debug
        // information are for nobody who links it.
        let mut shed = Command::new("objcopy");
        shed.args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        // Symbols that C++ wants once in a process cannot be hidden before they are weak.
        run(shed.args(["--wildcard", "--weaken-symbol=_Z*"]).arg(&all))?;
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

/// The functions that a header declares.
fn functions(header: &str) -> Vec<&str> {
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
    let calls = code.filter_map(|line| line.split_once('(').map(|(before, _)| before));
    let mut names: Vec<&str> =
        calls.filter_map(|before| before.rsplit([' ', '*']).next()).collect();
    names.retain(|name| name.starts_with("multisplit_"));
    names
}

/// A library that a running program has mapped must not be written to.
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
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().take(5).collect::<Vec<_>>().join("\n  ");
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
