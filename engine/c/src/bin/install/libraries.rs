//! Makes the libraries to install. On Linux, converts cargo's static library into a static library of one object
//! with hidden symbols, and a shared library that exports only the functions of the header, with symbol versions:
//! cargo's static library has thousands of objects and exports all symbols of the Rust standard library and
//! of a C++ library, and cargo cannot add symbol versions to its shared library.

use std::fmt::Write as _;
use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::target::Target;
use super::{about, interface_version};

/// Parameters for building the libraries.
pub struct Libraries<'l> {
    /// Folder that is installed to.
    pub prefix: &'l Path,
    /// Platform of the libraries.
    pub target: Target,
    /// Linker flags of required libraries.
    pub needs: &'l [&'l str],
    /// The header, which lists the exported functions.
    pub header: &'l str,
}

impl Libraries<'_> {
    /// Makes all libraries from those in `built`, and returns the paths of the written files.
    pub fn make(&self, built: &Path) -> Result<Vec<PathBuf>> {
        for folder in ["lib", "bin"] {
            let folder = self.prefix.join(folder);
            if folder.ends_with("lib") || self.target.import().is_some() {
                fs::create_dir_all(&folder).map_err(|error| about(&folder, &error))?;
            }
        }
        match self.target {
            Target::Linux => self.relink(&built.join(self.target.built()[0])),
            _ => self.copy(built),
        }
    }

    /// On platforms other than Linux: copies the libraries built by cargo. On Windows, also makes an import library,
    /// because cargo's import library refers to the DLL by cargo's file name.
    fn copy(&self, built: &Path) -> Result<Vec<PathBuf>> {
        let to = [self.prefix.join(self.target.archive()), self.prefix.join(self.target.shared())];
        for (from, to) in self.target.built().iter().zip(&to) {
            replace(to)?;
            fs::copy(built.join(from), to).map_err(|error| about(to, &error))?;
        }
        if self.target == Target::WindowsGnu {
            // The names of internal functions are a quarter of the file.
            let mut strip = Command::new(mingw("strip"));
            run(strip.arg("--strip-unneeded").arg(&to[1]))?;
        }
        let mut files = Vec::from(to);
        if let Some(import) = self.target.import() {
            let (import, definitions) =
                (self.prefix.join(import), self.prefix.join("lib/multisplit.def"));
            let functions = functions(self.header).join("\n");
            let text = format!("LIBRARY multisplit.dll\nEXPORTS\n{functions}\n");
            fs::write(&definitions, text).map_err(|error| about(&definitions, &error))?;
            replace(&import)?;
            self.make_import(&definitions, &import)?;
            files.extend([import, definitions]);
        }
        Ok(files)
    }

    /// Makes the import library of the functions in a module definition file.
    fn make_import(&self, definitions: &Path, import: &Path) -> Result<()> {
        if self.target == Target::WindowsMsvc {
            let flag = |name, path: &Path| format!("/{name}:{}", path.display());
            let mut make = Command::new("lib");
            return run(make.args([
                "/nologo".to_owned(),
                flag("def", definitions),
                flag("out", import),
            ]));
        }
        let mut make = Command::new(mingw("dlltool"));
        run(make.arg("-d").arg(definitions).arg("-l").arg(import))
    }

    fn relink(&self, archive: &Path) -> Result<Vec<PathBuf>> {
        let work = self.prefix.join("lib/.multisplit-link");
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
        // Drop debug information and bitcode.
        let mut strip = Command::new("objcopy");
        strip.args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        run(strip.arg(&all))?;
        // Unique symbols of C++ can be hidden only after they are weakened. Only defined symbols are weakened:
        // a linker with `-static` does not search libraries for the definition of a weak reference.
        let unique = unique_symbols(&all)?;
        if !unique.is_empty() {
            let list = work.join("unique");
            fs::write(&list, unique).map_err(|error| about(&list, &error))?;
            let list = format!("--weaken-symbols={}", list.display());
            run(Command::new("objcopy").arg(list).arg(&all))?;
        }
        // Hide all symbols but `multisplit_*`: those of Rust and C++ code must not conflict with the program's own.
        let mut hide = Command::new("objcopy");
        hide.args(["--wildcard", "--keep-global-symbol=multisplit_*", "--strip-unneeded"]);
        run(hide.arg(&all).arg(&object))?;
        let static_library = self.prefix.join(self.target.archive());
        replace(&static_library)?;
        let hidden = self.hidden(work, &object)?;
        run(Command::new("ar").arg("rcs").arg(&static_library).arg(&hidden))?;

        let version = interface_version();
        let text = format!("MULTISPLIT_{version} {{ global: multisplit_*; local: *; }};\n");
        fs::write(&map, text).map_err(|error| about(&map, &error))?;
        let library = self.prefix.join(self.target.shared());
        let soname = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = library.with_file_name("libmultisplit.so");
        replace(&library)?;
        replace(&plain)?;
        let mut link = compiler();
        link.arg("-shared").arg("-o").arg(&library).arg(&object);
        link.arg(format!("-Wl,-soname,{soname}"));
        link.arg(format!("-Wl,--version-script={}", map.display()));
        link.args(["-Wl,--gc-sections", "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack", "-Wl,-s"]);
        link.arg("-Wl,--as-needed").args(self.needs.iter().map(|flag| with_static_cpp(flag)));
        run(&mut link)?;
        link_to(&soname, &plain)?;
        Ok(vec![static_library, library, plain])
    }

    /// Returns the object file for the static library, with all functions hidden. A program or library that
    /// links it always calls its own copy, even if the process contains others. To hide the functions, links the
    /// object with a second one that refers to each of them as a hidden symbol: the linker keeps the stricter
    /// visibility.
    fn hidden(&self, work: &Path, object: &Path) -> Result<PathBuf> {
        let (source, references) = (work.join("hide.s"), work.join("hide.o"));
        let mut text = String::from(".section .multisplit.hide,\"\",@progbits\n");
        for function in functions(self.header) {
            let _ = writeln!(text, ".hidden {function}\n.quad {function}");
        }
        text += ".section .note.GNU-stack,\"\",@progbits\n";
        fs::write(&source, text).map_err(|error| about(&source, &error))?;
        run(compiler().arg("-c").arg(&source).arg("-o").arg(&references))?;
        let (joined, hidden) = (work.join("joined.o"), work.join("multisplit-hidden.o"));
        run(Command::new("ld").arg("-r").arg("-o").arg(&joined).arg(object).arg(&references))?;
        let mut strip = Command::new("objcopy");
        run(strip.arg("--remove-section=.multisplit.hide").arg(&joined).arg(&hidden))?;
        Ok(hidden)
    }
}

/// Name of a program of mingw-w64's binutils.
fn mingw(tool: &str) -> String {
    format!("{}{tool}", if cfg!(windows) { "" } else { "x86_64-w64-mingw32-" })
}

fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// Replaces the linker flag of the C++ library by the path of its archive, if the compiler has one. The shared library
/// then contains the C++ library with hidden symbols, and does not need the shared C++ library at run time.
fn with_static_cpp(flag: &str) -> String {
    let archive = || {
        let output = compiler().arg("-print-file-name=libstdc++.a").output().ok()?;
        let path = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        Path::new(&path).is_absolute().then_some(path)
    };
    let path = if flag == "-lstdc++" { archive() } else { None };
    path.unwrap_or_else(|| flag.to_owned())
}

/// The functions declared in a header.
fn functions(header: &str) -> Vec<&str> {
    // Comments, and functions with a body, are not exported.
    let is_exported = |line: &&str| {
        !line.trim_start().starts_with(['/', '*']) && !line.starts_with("static inline")
    };
    let code = header.lines().filter(is_exported);
    let calls = code.filter_map(|line| line.split_once('(').map(|(before, _)| before));
    let mut names: Vec<&str> =
        calls.filter_map(|before| before.rsplit([' ', '*']).next()).collect();
    names.retain(|name| name.starts_with("multisplit_"));
    names
}

/// Names of the unique symbols that an object defines, one per line.
fn unique_symbols(object: &Path) -> Result<String> {
    let output = Command::new("nm").args(["--defined-only", "-P"]).arg(object).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        rest.starts_with('u').then_some(name)
    });
    Ok(names.flat_map(|name| [name, "\n"]).collect())
}

/// Removes the file that is to be replaced, because overwriting a library that a running program has mapped could
/// crash the program.
fn replace(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if path.exists() => Err(about(path, &error)),
        _ => Ok(()),
    }
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        Error::new(error.kind(), format!("{name}: {error}; install a C compiler and its tools"))
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
