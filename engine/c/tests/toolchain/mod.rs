//! How tests build programs in C and C++ against the installed library, and run them.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use multisplit::Context;
use multisplit::ash::vk;

/// Vector widths in bits at which lavapipe is right.
const LAVAPIPE_WIDTHS: [&str; 3] = ["128", "256", "512"];

/// A folder in which the library is installed and programs are built.
pub struct Installed {
    folder: PathBuf,
    device: String,
}

/// Which of the two libraries a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Shared,
    Static,
}

/// A program that was built.
pub struct Built {
    path: PathBuf,
    library: Library,
}

/// A program to build.
pub struct Program<'p> {
    pub name: &'p str,
    /// Relative to the package.
    pub sources: &'p [&'p str],
    /// For the compiler, besides what all have.
    pub flags: &'p [&'p str],
    pub library: Library,
}

const C: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"];
const CXX: [&str; 6] = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"];

/// Whether everything is run (`./x test --full`).
fn is_full() -> bool {
    std::env::var_os("MULTISPLIT_FULL").is_some()
}

impl Installed {
    /// Installed as `./x install-c` does, once for all tests.
    pub fn get() -> Result<&'static Self> {
        static ONCE: OnceLock<Result<Installed, String>> = OnceLock::new();
        let once = ONCE.get_or_init(|| Self::new().map_err(|error| format!("{error:#}")));
        once.as_ref().map_err(|text| anyhow!("{text}"))
    }

    fn new() -> Result<Self> {
        // Large, so not in memory, where temporary files may be. Each test binary has its own, since
        // two may run at the same time.
        let name = format!("installed-{}", env!("CARGO_CRATE_NAME"));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut install = Command::new(env!("CARGO_BIN_EXE_install-multisplit-c"));
        succeed(install.arg(&folder))?;
        Ok(Self { folder, device: device()? })
    }

    /// The library without GLSL, built apart: as it is shipped where every case is run, else quickly.
    pub fn without_glsl() -> Result<Self> {
        let full = is_full();
        let profile = if full { "release-c" } else { "dev" };
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-glsl");
        let folder = target.join("installed");
        let mut build = Command::new(env!("CARGO"));
        build.args(["run", "--quiet", "-p", "multisplit-c", "--no-default-features"]);
        build.args(["--bin", "install-multisplit-c", "--profile", profile, "--target-dir"]);
        succeed(build.arg(&target).arg("--").arg(&folder).current_dir(root()))?;
        Ok(Self { folder, device: device()? })
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// A program of the guide: the block of code after `<!-- program: NAME -->`.
    pub fn guide_program(&self, name: &str) -> Result<PathBuf> {
        let guide = std::fs::read_to_string(root().join("../../docs/embedding-c.md"))?;
        let (_, after) = guide
            .split_once(&format!("<!-- program: {name} -->\n"))
            .with_context(|| format!("the guide has no program {name}"))?;
        let (_, block) = after.split_once('\n').context("a block of code")?;
        let (text, _) = block.split_once("\n```").context("the end of the block")?;
        let path = self.path(name);
        std::fs::write(&path, format!("{text}\n"))?;
        Ok(path)
    }

    /// Another copy of the shared library, under another name.
    pub fn second_copy(&self) -> Result<PathBuf> {
        let copy = self.path("second-copy.so");
        std::fs::copy(self.path("lib/libmultisplit.so"), &copy)?;
        Ok(copy)
    }

    /// The widths to run a program at, of which a plain run leaves one out; other drivers than lavapipe do not
    /// look at them.
    pub fn widths(&self) -> &'static [&'static str] {
        match self.device.contains("llvmpipe") {
            true if is_full() => &LAVAPIPE_WIDTHS,
            true => &LAVAPIPE_WIDTHS[..2],
            false => &LAVAPIPE_WIDTHS[..1],
        }
    }

    /// What pkg-config says of the installed library.
    pub fn pkg_config(&self, options: &[&str]) -> Result<Vec<String>> {
        self.pkg_config_of("multisplit", options)
    }

    /// What it says of a package.
    pub fn pkg_config_of(&self, package: &str, options: &[&str]) -> Result<Vec<String>> {
        let mut command = Command::new("pkg-config");
        command.args(options).arg(package);
        command.env("PKG_CONFIG_PATH", self.path("lib/pkgconfig"));
        let output = succeed(&mut command)?;
        Ok(text(&output.stdout).split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// Builds a program, without a single warning.
    pub fn build(&self, program: &Program<'_>) -> Result<Built> {
        let path = self.path(program.name);
        let mut objects = Vec::new();
        for (count, source) in program.sources.iter().enumerate() {
            let object = self.path(format!("{}.{count}.o", program.name));
            let mut compile = compiler(source);
            compile.args(program.flags).args(self.pkg_config(&["--cflags"])?);
            // Next to the sources are the headers that are theirs.
            compile.arg("-I").arg(root().join("examples")).arg("-I").arg(root().join("tests"));
            // A source that is not the package's has its whole path.
            succeed(compile.arg("-c").arg(root().join(source)).arg("-o").arg(&object))?;
            objects.push(object);
        }
        let main = program.sources.first().copied().unwrap_or_default();
        let mut link = compiler(main);
        link.args(program.flags).args(objects).args(self.link(program.library)?);
        succeed(link.args(["-lvulkan", "-lm", "-ldl", "-pthread", "-o"]).arg(&path))?;
        Ok(Built { path, library: program.library })
    }

    /// Compiles a file that includes the header and nothing else.
    pub fn check_header(&self, header: &str, standard: &str) -> Result<()> {
        let source =
            self.path(format!("{standard}.{}", if standard.contains('+') { "cpp" } else { "c" }));
        std::fs::write(&source, format!("#include <{header}>\n"))?;
        let mut compile = compiler(&source.display().to_string());
        compile.arg(format!("-std={standard}")).args(["-Wconversion", "-fsyntax-only"]);
        succeed(compile.args(self.pkg_config(&["--cflags"])?).arg(&source))?;
        Ok(())
    }

    fn link(&self, library: Library) -> Result<Vec<String>> {
        match library {
            Library::Shared => self.pkg_config(&["--libs"]),
            Library::Static => self.pkg_config_of("multisplit-static", &["--libs"]),
        }
    }

    /// Builds `tests/cmake` as a project of its own, with a target of multisplit's package.
    pub fn build_with_cmake(&self, library: &str, fetched: bool) -> Result<Built> {
        let build = self.path(format!("cmake-{}-{fetched}", library.replace("::", "-")));
        let mut configure = Command::new("cmake");
        configure.arg("-S").arg(root().join("tests/cmake")).arg("-B").arg(&build);
        configure.arg(format!("-DLIBRARY={library}"));
        configure.arg(format!("-DEXAMPLES={}", root().join("examples").display()));
        match fetched {
            true => configure.arg(format!("-DFETCH={}", self.folder.display())),
            false => configure.arg(format!("-DCMAKE_PREFIX_PATH={}", self.folder.display())),
        };
        succeed(&mut configure)?;
        succeed(Command::new("cmake").arg("--build").arg(&build))?;
        // CMake gives a program the folder of its libraries: nothing is set to run it.
        Ok(Built { path: build.join("consumer"), library: Library::Static })
    }

    /// Symbols of a library, by nm.
    pub fn symbols(&self, library: &str, options: &[&str]) -> Result<Vec<String>> {
        let output = succeed(Command::new("nm").args(options).arg(self.path(library)))?;
        let all = text(&output.stdout);
        Ok(all.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect())
    }

    /// The size of a file.
    pub fn bytes(&self, file: &str) -> Result<u64> {
        Ok(std::fs::metadata(self.path(file))?.len())
    }

    /// Runs a program on the device under test, validation on, hazards between submissions too.
    pub fn run(&self, program: &Built, width: &str) -> Result<Output> {
        let mut command = Command::new(&program.path);
        command.args(["--validate", "--device", &self.device]);
        // A program with the static library must not need the other one.
        if program.library == Library::Shared {
            command.env("LD_LIBRARY_PATH", self.path("lib"));
        }
        command.env("LP_NATIVE_VECTOR_WIDTH", width);
        // Mesa's disk cache ignores the width and hands back code of another one.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("mesa");
        let cache = folder.join(width);
        std::fs::create_dir_all(&cache)?;
        command.env("MESA_SHADER_CACHE_DIR", cache).env("MESA_SHADER_CACHE_DISABLE", "false");
        let enables = "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";
        command.env("VK_LAYER_ENABLES", enables);
        // New layers follow accesses of shaders only when this is set.
        command.env("VK_KHRONOS_VALIDATION_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "true");
        command.output().with_context(|| program.path.display().to_string())
    }

    /// The same, and it must end well.
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

/// The compiler that a source is for, with its warnings on.
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

/// The name of the device under test: as everywhere, `MULTISPLIT_DEVICE`, else the software driver,
/// else what there is.
fn device() -> Result<String> {
    let devices = Context::devices()?;
    let software = devices.iter().find(|d| d.properties.device_type == vk::PhysicalDeviceType::CPU);
    let named = std::env::var(multisplit::DEVICE_VARIABLE).is_ok_and(|v| !v.is_empty());
    let chosen = match software {
        Some(software) if !named => software,
        _ => multisplit::DeviceChoice::Auto.pick(&devices)?,
    };
    // lavapipe's name goes on with its width.
    let name = chosen.properties.name.split(" (").next();
    Ok(name.unwrap_or_default().to_owned())
}
