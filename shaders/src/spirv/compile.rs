//! Compiles GLSL to SPIR-V with shaderc (cargo feature `compile`).
//!
//! The same function compiles the built-in kernels, whose output is checked in, and GLSL that a user supplies at run
//! time. A user's function is a separate include, so that messages refer to the user's own lines.

use std::fmt;
use std::sync::OnceLock;

use crate::sources;
use crate::spirv::check::CheckError;

/// GLSL to compile.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// Name in messages, e.g. `scan/reduce.comp`.
    pub name: &'a str,
    /// The source of the compute shader.
    pub glsl: &'a str,
    /// Preprocessor definitions.
    pub defines: &'a [(String, String)],
    /// Additional sources for `#include "name"`, which take precedence over the built-in includes.
    pub includes: &'a [(&'a str, &'a str)],
}

impl<'a> Source<'a> {
    /// A shader without definitions or additional includes.
    pub fn new(name: &'a str, glsl: &'a str) -> Self {
        Self { name, glsl, defines: &[], includes: &[] }
    }
}

/// Reasons why GLSL did not compile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The compiler could not be started, or failed without a message about the GLSL.
    #[error("the GLSL compiler failed: {0}")]
    Compiler(String),
    /// The GLSL has errors. Lines are numbered from 1 in their file.
    #[error("GLSL does not compile:{}", list(.0))]
    Glsl(Vec<Diagnostic>),
    /// The GLSL was rejected by a check, before or after compilation.
    #[error(transparent)]
    Refused(#[from] CheckError),
}

/// Size of the compiler's stack in bytes. Only the pages that the compiler touches use memory.
const STACK_BYTES: usize = 256 << 20;
/// Maximum depth of nested includes. The built-in includes need at most six. The compiler itself has no limit other
/// than its stack.
const MAX_INCLUDE_DEPTH: usize = 16;

/// The lowest GLSL version number with compute shaders (`#version 310 es`). Some higher version numbers, such as 330,
/// do not have compute shaders; the compiler itself rejects them.
const MIN_VERSION: u32 = 310;

/// One message of the GLSL compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// File of the message: the shader or an include.
    pub file: String,
    /// Line in that file, from 1; 0 if the compiler does not give one.
    pub line: usize,
    /// The compiler's message.
    pub message: String,
    /// The source line, if it is available.
    pub excerpt: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)?;
        match &self.excerpt {
            Some(text) => write!(f, "\n    | {}", text.trim_end()),
            None => Ok(()),
        }
    }
}

fn list(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("\n  {d}")).collect()
}

/// Compiles one compute shader to SPIR-V for Vulkan 1.2.
///
/// The target is Vulkan 1.2, because with 1.3 the compiler emits `LocalSizeId`, which requires maintenance4. The
/// module is not optimized: reflection needs the names, and drivers optimize anyway.
pub fn compile(source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
    compile_on_large_stack(source, false)
}

/// Like [`compile`], but the module contains the GLSL and the line of each instruction, so that the validation layer,
/// debuggers and profilers can refer to the GLSL.
pub fn compile_with_debug_info(source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
    compile_on_large_stack(source, true)
}

fn compile_on_large_stack(source: &Source<'_>, debug: bool) -> Result<Vec<u32>, CompileError> {
    // The compiler recurses for each level of an expression, and a long sum is a deep tree. It therefore runs on a
    // thread with a large stack.
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("glsl.compile".to_owned());
        let started =
            thread.stack_size(STACK_BYTES).spawn_scoped(scope, || compile_here(source, debug));
        started.map(std::thread::ScopedJoinHandle::join)
    });
    match done {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(CompileError::Compiler("it ended without an error message".to_owned())),
        Err(error) => Err(CompileError::Compiler(error.to_string())),
    }
}

/// Returns the compiler of this process. It is kept, because it parses the declarations of all built-in GLSL functions
/// when it is first used, which takes longer than most shaders.
fn compiler() -> Result<&'static shaderc::Compiler, CompileError> {
    static COMPILER: OnceLock<shaderc::Compiler> = OnceLock::new();
    if let Some(compiler) = COMPILER.get() {
        return Ok(compiler);
    }
    let compiler = shaderc::Compiler::new().map_err(|e| CompileError::Compiler(e.to_string()))?;
    Ok(COMPILER.get_or_init(|| compiler))
}

fn compile_here(source: &Source<'_>, debug: bool) -> Result<Vec<u32>, CompileError> {
    check_version(source)?;
    let compiler = compiler()?;
    let mut options =
        shaderc::CompileOptions::new().map_err(|e| CompileError::Compiler(e.to_string()))?;
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_2 as u32);
    options.set_target_spirv(shaderc::SpirvVersion::V1_5);
    if debug {
        options.set_generate_debug_info();
    }
    for (name, value) in source.defines {
        options.add_macro_definition(name, Some(value));
    }
    options.set_include_callback(|requested, _, _, depth| match find_include(source, requested) {
        Some(_) if depth > MAX_INCLUDE_DEPTH => Err(format!(
            "`{requested}` is nested in more than {MAX_INCLUDE_DEPTH} includes; it probably includes itself"
        )),
        Some(content) => Ok(shaderc::ResolvedInclude {
            resolved_name: requested.to_owned(),
            content: content.to_owned(),
        }),
        None => Err(format!("there is no include file `{requested}`")),
    });
    let kind = shaderc::ShaderKind::Compute;
    match compiler.compile_into_spirv(source.glsl, kind, source.name, "main", Some(&options)) {
        Ok(artifact) => Ok(artifact.as_binary().to_vec()),
        Err(shaderc::Error::CompilationError(_, log)) => {
            Err(CompileError::Glsl(diagnostics(source, &log)))
        }
        Err(other) => Err(CompileError::Compiler(other.to_string())),
    }
}

/// Rejects a shader whose first line of code is not a `#version` directive of at least [`MIN_VERSION`].
///
/// The compiler treats a shader without `#version` as GLSL 1.10. Its own built-in functions do not compile in versions
/// before 1.50, and it prints all of them to standard output.
fn check_version(source: &Source<'_>) -> Result<(), CompileError> {
    let code = after_comments(source.glsl);
    let blank = [' ', '\t'];
    let number = code.strip_prefix('#').and_then(|directive| {
        let number = directive.trim_start_matches(blank).strip_prefix("version")?;
        let digits = number.trim_start_matches(blank);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        // `#version450` without a space is a different directive.
        digits[..end].parse::<u32>().ok().filter(|_| digits.len() < number.len())
    });
    let message = match number {
        Some(MIN_VERSION..) => return Ok(()),
        Some(old) => format!("#version {old} has no compute shaders; use `#version 460`"),
        None => "the shader must begin with a #version line; add `#version 460`".to_owned(),
    };
    let before = &source.glsl[..source.glsl.len() - code.len()];
    let line = before.matches('\n').count() + 1;
    let excerpt = source.glsl.lines().nth(line - 1).map(str::to_owned);
    let file = source.name.to_owned();
    Err(CompileError::Glsl(vec![Diagnostic { file, line, message, excerpt }]))
}

/// Returns the rest of `glsl`, from the first character that is neither whitespace nor part of a comment.
fn after_comments(glsl: &str) -> &str {
    let mut rest = glsl;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment;
            loop {
                let (line, after) = rest.split_at(rest.find(['\n', '\r']).unwrap_or(rest.len()));
                rest = after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default();
                // A backslash at the end of a line continues the comment.
                if !line.ends_with('\\') || rest.is_empty() {
                    break;
                }
            }
        } else if let Some((_, after)) = rest.strip_prefix("/*").and_then(|c| c.split_once("*/")) {
            rest = after;
        } else {
            return rest;
        }
    }
}

/// The text of an include: the source's own, or a built-in one.
fn find_include<'a>(source: &Source<'a>, requested: &str) -> Option<&'a str> {
    let own = source.includes.iter().find(|(name, _)| *name == requested).map(|(_, text)| *text);
    own.or_else(|| sources::include(requested))
}

/// Parses lines of the form `file:line: error: message`. If there are none, the whole log is one message.
fn diagnostics(source: &Source<'_>, log: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = log
        .lines()
        .filter_map(|text| {
            let (place, message) = text.split_once(": error: ")?;
            let (file, line) = match place.rsplit_once(':') {
                Some((file, line)) => (file, line.parse().unwrap_or(0)),
                None => (place, 0),
            };
            let excerpt = text_of(source, file)
                .and_then(|t| t.lines().nth(usize::checked_sub(line, 1)?))
                .map(str::to_owned);
            Some(Diagnostic { file: file.to_owned(), line, message: message.to_owned(), excerpt })
        })
        .collect();
    if found.is_empty() {
        let message = log.trim().to_owned();
        found.push(Diagnostic { file: source.name.to_owned(), line: 0, message, excerpt: None });
    }
    found
}

/// The text of a file that a message refers to: the shader or an include.
fn text_of<'a>(source: &Source<'a>, file: &str) -> Option<&'a str> {
    if file == source.name { Some(source.glsl) } else { find_include(source, file) }
}
