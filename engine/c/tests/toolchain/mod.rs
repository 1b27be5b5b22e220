//! Helpers that build C and C++ programs against the installed library and run them.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use multisplit::Context;
use multisplit::ash::vk;

/// Vector widths in bits that lavapipe supports correctly, the default of `./x` first.
const LAVAPIPE_WIDTHS: [&str; 3] = ["256", "128", "512"];

/// A folder that contains the installed library and the built programs.
pub struct Installed {
    folder: PathBuf,
    device: String,
}

/// The library that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Shared,
    Static,
}

/// A built program.
pub struct Built {
    path: PathBuf,
    library: Library,
}

/// A program to build.
pub struct Program<'p> {
    pub name: &'p str,
    /// Paths relative to the package.
    pub sources: &'p [&'p str],
    /// Compiler flags in addition to the common ones.
    pub flags: &'p [&'p str],
    pub library: Library,
}

impl<'p> Program<'p> {
    /// A program without additional flags, linked with the shared library.
    pub fn new(name: &'p str, sources: &'p [&'p str]) -> Self {
        Self { name, sources, flags: &[], library: Library::Shared }
    }
}

const C: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"];
const CXX: [&str; 6] = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"];

/// Whether the full test suite runs (`./x test --full`).
fn is_full() -> bool {
    std::env::var("MULTISPLIT_FULL").is_ok_and(|v| !v.is_empty() && v != "0")
}

impl Installed {
    /// Installs like `./x install-c`, once for all tests of this binary.
    pub fn get() -> Result<&'static Self> {
        static ONCE: OnceLock<Result<Installed, String>> = OnceLock::new();
        let once = ONCE.get_or_init(|| Self::new().map_err(|error| format!("{error:#}")));
        once.as_ref().map_err(|text| anyhow!("{text}"))
    }

    fn new() -> Result<Self> {
        // A temporary folder may be in memory, which is too small. Each test binary has its own folder,
        // because two may run concurrently.
        let name = format!("installed-{}", env!("CARGO_CRATE_NAME"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut install = Command::new(env!("CARGO_BIN_EXE_install-multisplit-c"));
        succeed(install.arg(&folder))?;
        Ok(Self { folder, device: device()? })
    }

    /// Installs a separate build without GLSL: `./x install-c --no-glsl`.
    pub fn without_glsl() -> Result<Self> {
        Ok(Self { folder: install_without_glsl("without-glsl", &[])?, device: device()? })
    }

    /// Libraries for Windows, built with mingw-w64.
    pub fn for_windows() -> Result<Self> {
        let folder = install_without_glsl("windows", &["--target", "x86_64-pc-windows-gnu"])?;
        Ok(Self { folder, device: String::new() })
    }

    /// Builds `tests/cmake/windows` for Windows, and returns the path of the program.
    pub fn build_for_windows(&self, library: &str) -> Result<PathBuf> {
        let name = format!("cmake-{}", library.replace("::", "-"));
        // A folder with only Vulkan's headers, because the other headers of this system are not for Windows.
        let headers = self.path("vulkan-headers");
        std::fs::create_dir_all(&headers)?;
        for part in ["vulkan", "vk_video"] {
            let from = Path::new("/usr/include").join(part);
            succeed(Command::new("cp").arg("-r").arg(from).arg(&headers))?;
        }
        let build = self.cmake("tests/cmake/windows", &name, |configure| {
            configure.arg(format!("-DLIBRARY={library}"));
            configure
                .args(["-DCMAKE_SYSTEM_NAME=Windows", "-DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc"]);
            configure.arg(format!("-DCMAKE_PREFIX_PATH={}", self.folder.display()));
            configure.arg(format!("-DVULKAN_HEADERS={}", headers.display()));
        })?;
        Ok(build.join("consumer.exe"))
    }

    /// Configures a CMake project with the arguments that `add` adds, and builds it. Returns the build folder.
    fn cmake(&self, project: &str, name: &str, add: impl FnOnce(&mut Command)) -> Result<PathBuf> {
        let build = self.path(name);
        let mut configure = Command::new("cmake");
        add(configure.arg("-S").arg(root().join(project)).arg("-B").arg(&build));
        succeed(&mut configure)?;
        succeed(Command::new("cmake").arg("--build").arg(&build))?;
        Ok(build)
    }

    /// Output of objdump for a program or a DLL for Windows, with the names that it imports and exports.
    pub fn imports_of(&self, program: &Path) -> Result<String> {
        let output = succeed(Command::new("x86_64-w64-mingw32-objdump").arg("-p").arg(program))?;
        Ok(text(&output.stdout))
    }

    /// A file in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// A program from the guide: the code block after `<!-- program: NAME -->`.
    pub fn guide_program(&self, name: &str) -> Result<PathBuf> {
        let guide = std::fs::read_to_string(root().join("../../docs/embedding-c.md"))?;
        let (_, after) = guide
            .split_once(&format!("<!-- program: {name} -->\n"))
            .with_context(|| format!("the guide has no program {name}"))?;
        let (_, block) =
            after.split_once('\n').context("the program of the guide has no code block")?;
        let (text, _) =
            block.split_once("\n```").context("the code block of the program does not end")?;
        let path = self.path(name);
        std::fs::write(&path, format!("{text}\n"))?;
        Ok(path)
    }

    /// A second copy of the shared library under another file name.
    pub fn second_copy(&self) -> Result<PathBuf> {
        let copy = self.path("second-copy.so");
        std::fs::copy(self.path("lib/libmultisplit.so"), &copy)?;
        Ok(copy)
    }

    /// Vector widths to run a program at: all of them in a full run on lavapipe, otherwise only the default.
    pub fn widths(&self) -> &'static [&'static str] {
        let all = is_full() && self.device.contains("llvmpipe");
        &LAVAPIPE_WIDTHS[..if all { LAVAPIPE_WIDTHS.len() } else { 1 }]
    }

    /// Output of pkg-config for the installed library.
    pub fn pkg_config(&self, options: &[&str]) -> Result<Vec<String>> {
        self.pkg_config_of("multisplit", options)
    }

    /// Output of pkg-config for a package.
    pub fn pkg_config_of(&self, package: &str, options: &[&str]) -> Result<Vec<String>> {
        let mut command = Command::new("pkg-config");
        command.args(options).arg(package);
        command.env("PKG_CONFIG_PATH", self.path("lib/pkgconfig"));
        let output = succeed(&mut command)?;
        Ok(text(&output.stdout).split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// Builds a program; any compiler warning is an error.
    pub fn build(&self, program: &Program<'_>) -> Result<Built> {
        let path = self.path(program.name);
        let mut objects = Vec::new();
        for (count, source) in program.sources.iter().enumerate() {
            let object = self.path(format!("{}.{count}.o", program.name));
            let mut compile = compiler(source);
            compile.args(program.flags).args(self.pkg_config(&["--cflags"])?);
            // The examples and tests include headers from their own folders.
            compile.arg("-I").arg(root().join("examples")).arg("-I").arg(root().join("tests"));
            // Sources outside the package are given by absolute path.
            succeed(compile.arg("-c").arg(root().join(source)).arg("-o").arg(&object))?;
            objects.push(object);
        }
        let main = program.sources.first().copied().unwrap_or_default();
        let mut link = compiler(main);
        link.args(program.flags).args(objects).args(self.link(program.library)?);
        succeed(link.args(["-lvulkan", "-lm", "-ldl", "-pthread", "-o"]).arg(&path))?;
        Ok(Built { path, library: program.library })
    }

    /// Compiles a file that includes only the header.
    pub fn check_header(&self, header: &str, standard: &str) -> Result<()> {
        let source =
            self.path(format!("{standard}.{}", if standard.contains('+') { "cpp" } else { "c" }));
        std::fs::write(&source, format!("#include <{header}>\n"))?;
        let mut compile = compiler(&source.display().to_string());
        compile.arg(format!("-std={standard}")).args(["-Wconversion", "-fsyntax-only"]);
        succeed(compile.args(self.pkg_config(&["--cflags"])?).arg(&source))?;
        Ok(())
    }

    /// Whether a source compiles. `name` determines the language.
    pub fn compiles(&self, name: &str, text: &str) -> Result<bool> {
        let source = self.path(name);
        std::fs::write(&source, text)?;
        let mut compile = compiler(name);
        compile.arg("-fsyntax-only").args(self.pkg_config(&["--cflags"])?).arg(&source);
        Ok(compile.output()?.status.success())
    }

    fn link(&self, library: Library) -> Result<Vec<String>> {
        match library {
            Library::Shared => self.pkg_config(&["--libs"]),
            Library::Static => self.pkg_config_of("multisplit-static", &["--libs"]),
        }
    }

    /// Builds `tests/cmake` as a separate project that links a target of the multisplit package.
    pub fn build_with_cmake(&self, library: &str, fetched: bool) -> Result<Built> {
        let name = format!("cmake-{}-{fetched}", library.replace("::", "-"));
        let variable = if fetched { "FETCH" } else { "CMAKE_PREFIX_PATH" };
        let build = self.cmake("tests/cmake", &name, |configure| {
            configure.arg(format!("-DLIBRARY={library}"));
            configure.arg(format!("-DEXAMPLES={}", root().join("examples").display()));
            configure.arg(format!("-D{variable}={}", self.folder.display()));
        })?;
        // CMake sets the run path of the program, so no environment variable is needed.
        Ok(Built { path: build.join("consumer"), library: Library::Static })
    }

    /// Symbols of a library, as listed by nm.
    pub fn symbols(&self, library: &str, options: &[&str]) -> Result<Vec<String>> {
        let output = succeed(Command::new("nm").args(options).arg(self.path(library)))?;
        let all = text(&output.stdout);
        Ok(all.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect())
    }

    /// Whether a file contains a text.
    pub fn contains(&self, file: &str, text: &str) -> Result<bool> {
        let bytes = std::fs::read(self.path(file))?;
        Ok(bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    }

    /// Links a C source with a package of pkg-config, and returns the path of the result.
    pub fn link_source(
        &self,
        name: &str,
        text: &str,
        flags: &[&str],
        package: &str,
        options: &[&str],
    ) -> Result<PathBuf> {
        let (source, path) = (self.path(format!("{name}.c")), self.path(name));
        std::fs::write(&source, text)?;
        let mut link = compiler("c");
        link.args(flags).arg(&source).arg("-o").arg(&path);
        let options = [options, &["--cflags", "--libs"]].concat();
        succeed(link.args(self.pkg_config_of(package, &options)?))?;
        Ok(path)
    }

    /// The size of a stripped program that links the functions for sorts from the static library.
    pub fn bytes_of_sorts(&self) -> Result<u64> {
        let source = "#include <multisplit.h>\n\
            void *const used[] = {(void *)multisplit_context_create, (void *)multisplit_sort_pairs_create,\n\
            (void *)multisplit_record_sort, (void *)multisplit_operation_destroy, (void *)multisplit_context_destroy};\n\
            int main(int argc, char **argv) { return used[argc] == argv[0]; }\n";
        let flags = ["-O1", "-s", "-Wno-pedantic", "-Wl,--gc-sections"];
        let path = self.link_source("sorts", source, &flags, "multisplit-static", &[])?;
        Ok(std::fs::metadata(path)?.len())
    }

    /// Configures `tests/cmake/two` with this installation and a copy of it.
    pub fn configure_two(&self, mix: &str) -> Result<Output> {
        let other = self.path("second-prefix");
        let build = self.path(format!("two-{mix}"));
        let _ = std::fs::remove_dir_all(&build);
        std::fs::create_dir_all(&other)?;
        for part in ["include", "lib"] {
            succeed(Command::new("cp").arg("-a").arg(self.path(part)).arg(&other))?;
        }
        let mut configure = Command::new("cmake");
        configure.arg("-S").arg(root().join("tests/cmake/two")).arg("-B").arg(build);
        configure.arg(format!("-DONE={}", self.folder.display()));
        configure.arg(format!("-DOTHER={}", other.display())).arg(format!("-DMIX={mix}"));
        Ok(configure.output()?)
    }

    pub fn bytes(&self, file: &str) -> Result<u64> {
        Ok(std::fs::metadata(self.path(file))?.len())
    }

    /// Runs a program on the device under test with validation enabled, including hazards between
    /// submissions.
    pub fn run(&self, program: &Built, width: &str) -> Result<Output> {
        let mut command = Command::new(&program.path);
        command.args(["--validate", "--device", &self.device]);
        // A program with the static library must run without the shared one.
        if program.library == Library::Shared {
            command.env("LD_LIBRARY_PATH", self.path("lib"));
        }
        command.env("LP_NATIVE_VECTOR_WIDTH", width);
        // Mesa's disk cache ignores the width, and would return code for another width.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("mesa");
        let cache = folder.join(width);
        std::fs::create_dir_all(&cache)?;
        command.env("MESA_SHADER_CACHE_DIR", cache).env("MESA_SHADER_CACHE_DISABLE", "false");
        let enables = "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";
        command.env("VK_LAYER_ENABLES", enables);
        // Recent layers track shader accesses only if this is set.
        command.env("VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "true");
        command.output().with_context(|| program.path.display().to_string())
    }

    /// Runs a program and checks that it succeeds.
    pub fn run_well(&self, program: &Built, width: &str) -> Result<String> {
        let output = self.run(program, width)?;
        ensure!(
            output.status.success(),
            "{} at width {width}: {}\n{}{}",
            program.path.display(),
            output.status,
            text(&output.stdout),
            text(&output.stderr)
        );
        Ok(text(&output.stdout))
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Builds and installs the library without GLSL into a folder of its own, and returns the folder.
fn install_without_glsl(name: &str, options: &[&str]) -> Result<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let folder = target.join("installed");
    let mut build = Command::new(root().join("../../x"));
    build.arg("install-c").arg(&folder).args(["--no-glsl", "--no-install"]).args(options);
    succeed(build.env("CARGO_TARGET_DIR", &target).current_dir(root()))?;
    Ok(folder)
}

/// The compiler for the language of a source, with warnings enabled.
fn compiler(source: &str) -> Command {
    let (name, default, flags) = match Path::new(source).extension().and_then(OsStr::to_str) {
        Some("cpp") => ("CXX", "c++", CXX),
        _ => ("CC", "cc", C),
    };
    let mut command = Command::new(std::env::var_os(name).unwrap_or_else(|| default.into()));
    command.args(flags);
    command
}

fn succeed(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}\n{}", output.status, text(&output.stderr));
    }
    Ok(output)
}

/// The name of the device under test: the device that `MULTISPLIT_DEVICE` selects, otherwise a software
/// driver, otherwise the device that the library chooses by default.
fn device() -> Result<String> {
    let devices = Context::devices()?;
    let software = devices.iter().find(|d| d.properties.device_type == vk::PhysicalDeviceType::CPU);
    let named = std::env::var(multisplit::DEVICE_VARIABLE).is_ok_and(|v| !v.is_empty());
    let chosen = match software {
        Some(software) if !named => software,
        _ => multisplit::DeviceChoice::Auto.pick(&devices)?,
    };
    // lavapipe appends its vector width to its name.
    let name = chosen.properties.name.split(" (").next();
    Ok(name.unwrap_or_default().to_owned())
}
