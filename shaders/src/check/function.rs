//! How a user's GLSL function becomes a part of one of our kernels.
//!
//! The function is compiled on its own, in a shader that declares what it may read and nothing else.
//! So our kernel does not see the user's text (a macro could change any line of it), and messages
//! of the compiler are about the user's lines. What comes out is checked, guarded, and put in the
//! place of an empty function in the kernel.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rspirv::spirv::Word;

use super::calls::Functions;
use super::editor::Editor;
use super::error::CheckError;
use super::functions::{self, Rules};
use super::graft::graft;
use super::guard::{UnsizedArrays, guard};
use super::ids::Shape;
use super::{check_local, globals, load, memory, signature, source as text};
use crate::builtin::Builtin;
use crate::compile::{CompileError, Diagnostic, Source, compile};
use crate::sources;

/// The name of the function, and the one that messages about its text carry.
const NAME: &str = "bucket_of";
const INCLUDE: &str = "user_bucket.glsl";
const SHADER: &str = "user_function.comp";

/// What the function sees. The names are those of the kernels.
const TEMPLATE: &str = "#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { uint parameter_0; uint parameter_1; uint parameter_2; } push;
layout(set = 0, binding = 1, std430) readonly buffer Table { uint at[]; } table;
#include \"user_bucket.glsl\"
void main() { bucket_of(USER_KEY_TYPE(0)); }
";

/// A kernel with a user's function in it.
pub(crate) struct WithFunction {
    /// Accesses to `table` are clamped to its length.
    pub spirv: Vec<u32>,
    /// They are not: for a kernel that takes addresses.
    pub for_addresses: Vec<u32>,
}

/// `builtin` with the function `uint bucket_of(key)` of `source`.
pub(crate) fn kernel_with(
    builtin: &Builtin,
    key: &str,
    source: &str,
) -> Result<WithFunction, CompileError> {
    let words = compile_alone(key, source)?;
    let with = |arrays| -> Result<Vec<u32>, CompileError> {
        let (mut user, function, order) = check(&words, key, source)?;
        let which: HashSet<Word> = order.iter().copied().collect();
        guard(&mut user, &which, arrays)?;
        let by_value = !takes_pointer(&user, function);
        let host = empty_kernel(builtin, key, by_value)?;
        Ok(graft(&host, &user, function, &order)?)
    };
    Ok(WithFunction {
        spirv: with(UnsizedArrays::Clamped)?,
        for_addresses: with(UnsizedArrays::AsTheyAre)?,
    })
}

/// Checks the function in the module `words`; returns it with all that it calls.
fn check(words: &[u32], key: &str, source: &str) -> Result<(Editor, Word, Vec<Word>), CheckError> {
    let (module, interface) = load(words, Some(globals::ARITHMETIC))?;
    let user = Editor::new(module)?;
    let wanted = format!("{NAME}({};", mangled(key));
    let functions = user.module.functions.iter();
    let found = functions.filter_map(|f| f.def.as_ref()?.result_id);
    let Some(function) = found.into_iter().find(|id| user.ids.full_name(*id) == wanted) else {
        return Err(mismatch(key, source).unwrap_or_else(|| no_function(key)));
    };
    check_type(&user, function, key, source)?;
    let functions = Functions::new(&user.module, &user.ids)?;
    let order = functions.called_from(function)?;
    functions::check(&functions, &order.iter().copied().collect(), Rules::Pure, &interface)?;
    let bytes = memory::function_bytes(&user.module, &user.ids, function)?;
    check_local(NAME, bytes)?;
    Ok((user, function, order))
}

/// How the compiler writes a type in the name of a function.
fn mangled(key: &str) -> &str {
    match key {
        "uint" => "u1",
        "int" => "i1",
        "float" => "f1",
        "uint64_t" => "u641",
        "int64_t" => "i641",
        "double" => "d1",
        other => other,
    }
}

fn no_function(key: &str) -> CheckError {
    CheckError::NoFunction { name: NAME, key: key.to_owned() }
}

/// What the source says of the function, where that is not what was asked for.
fn mismatch(key: &str, source: &str) -> Option<CheckError> {
    let Some(found) = signature::find(source, NAME) else { return Some(no_function(key)) };
    let error = |found: String, expected: String| {
        Some(CheckError::FunctionType { name: NAME, found, expected, key: key.to_owned() })
    };
    if found.parameters != [key] {
        let takes = match found.parameters.is_empty() {
            true => "takes nothing".to_owned(),
            false => format!("takes `{}`", found.parameters.join(", ")),
        };
        return error(takes, format!("keys are `{key}`"));
    }
    if found.returns != "uint" {
        return error(format!("returns `{}`", found.returns), "ids are `uint`".to_owned());
    }
    None
}

fn check_type(user: &Editor, function: Word, key: &str, source: &str) -> Result<(), CheckError> {
    let functions = user.module.functions.iter();
    let def = functions.filter_map(|f| f.def.as_ref()).find(|d| d.result_id == Some(function));
    let returns = def.and_then(|d| d.result_type).map(|ty| user.ids.shape(ty));
    if returns == Some(Shape::Int { bits: 32, signed: false }) {
        return Ok(());
    }
    Err(mismatch(key, source).unwrap_or_else(|| CheckError::FunctionType {
        name: NAME,
        found: "returns another type".to_owned(),
        expected: "ids are `uint`".to_owned(),
        key: key.to_owned(),
    }))
}

/// Whether the parameter is a pointer to a copy, as it is unless it is `const`.
fn takes_pointer(user: &Editor, function: Word) -> bool {
    let functions = user.module.functions.iter();
    let mut found =
        functions.filter(|f| f.def.as_ref().and_then(|d| d.result_id) == Some(function));
    let parameter = found.next().and_then(|f| f.parameters.first()?.result_id);
    parameter.is_some_and(|id| user.ids.pointer(id).is_some())
}

fn compile_alone(key: &str, source: &str) -> Result<Vec<u32>, CompileError> {
    text::check(source)?;
    let defines = [("USER_KEY_TYPE".to_owned(), key.to_owned())];
    let includes = [(INCLUDE, source)];
    let alone = Source { name: SHADER, glsl: TEMPLATE, defines: &defines, includes: &includes };
    match compile(&alone) {
        Err(CompileError::Glsl(diagnostics)) => Err(users_own(key, source, diagnostics)),
        other => other,
    }
}

/// Messages about the user's lines alone. Where there are none, the call did not fit the function,
/// or the text ends too early.
fn users_own(key: &str, source: &str, diagnostics: Vec<Diagnostic>) -> CompileError {
    let (own, mut others): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|d| d.file == INCLUDE);
    if !own.is_empty() {
        return CompileError::Glsl(own);
    }
    if let Some(error) = mismatch(key, source) {
        return error.into();
    }
    for diagnostic in &mut others {
        INCLUDE.clone_into(&mut diagnostic.file);
        diagnostic.line = source.lines().count();
        diagnostic.excerpt = source.lines().last().map(str::to_owned);
    }
    CompileError::Glsl(others)
}

type EmptyKernels = Mutex<HashMap<(&'static str, String, bool), Arc<[u32]>>>;

/// The kernel with a function that does nothing in the place of the user's. There are as many of
/// them as kernels times types of keys, and each is compiled once.
fn empty_kernel(builtin: &Builtin, key: &str, by_value: bool) -> Result<Arc<[u32]>, CompileError> {
    static KERNELS: OnceLock<EmptyKernels> = OnceLock::new();
    let kernels = KERNELS.get_or_init(EmptyKernels::default);
    let entry = (builtin.label(), key.to_owned(), by_value);
    if let Some(words) = kernels.lock().unwrap_or_else(PoisonError::into_inner).get(&entry) {
        return Ok(words.clone());
    }
    let glsl = sources::kernel(builtin.file()).ok_or_else(|| {
        CompileError::Compiler(format!(
            "the GLSL of {} is not part of the library",
            builtin.label()
        ))
    })?;
    let mut defines: Vec<(String, String)> =
        builtin.defines().iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    defines.push(("USER_BUCKET".to_owned(), "1".to_owned()));
    defines.push(("USER_KEY_TYPE".to_owned(), key.to_owned()));
    if key == "double" {
        defines.push(("USER_DOUBLE".to_owned(), "1".to_owned()));
    }
    let qualifier = if by_value { "const " } else { "" };
    let empty = format!("uint {NAME}({qualifier}{key} key) {{ return 0u; }}");
    let includes = [(INCLUDE, empty.as_str())];
    let source = Source { name: builtin.file(), glsl, defines: &defines, includes: &includes };
    let words: Arc<[u32]> = compile(&source)?.into();
    kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(entry, words.clone());
    Ok(words)
}
