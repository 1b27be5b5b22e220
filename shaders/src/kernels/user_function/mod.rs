//! Inserts a user's GLSL function into a built-in kernel.
//!
//! The function is compiled separately, in a shader that declares only what the function may read. The user's text
//! (such as a macro) thus cannot change the kernel, and compiler messages refer to the user's lines. The compiled
//! function is checked and guarded. It then replaces an empty function in the kernel.

mod graft;
mod role;
mod signature;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rspirv::spirv::Word;

use super::embedded::Builtin;
use crate::sources;
use crate::spirv::check::calls::Functions;
use crate::spirv::check::functions::{self, Rules};
use crate::spirv::check::guard::{UnsizedArrays, guard};
use crate::spirv::check::{CheckError, check_local, globals, ids, load, memory, source as text};
use crate::spirv::compile::{CompileError, Diagnostic, Source, compile};
use crate::spirv::editor::Editor;
use crate::spirv::ids::function_id;
use crate::spirv::kernel::Kernel;
use graft::graft;

pub use role::UserFunction;

const SHADER: &str = "user_function.comp";

/// The required function, and the user's source that should contain it.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    role: UserFunction,
    /// GLSL type of the keys.
    key: &'a str,
    source: &'a str,
}

impl Kernel {
    /// Returns the built-in kernel with a user's GLSL function `uint bucket_of(KEY key)`, where `KEY` is the GLSL
    /// type of its keys or samples. The function may read its parameter, `push.parameter_0`, `_1` and `_2`, and
    /// `table.at[]`. A function with side effects is rejected.
    pub fn with_function(
        builtin: &Builtin,
        key: &str,
        source: &str,
    ) -> Result<Arc<Self>, CompileError> {
        Self::with_user_function(builtin, UserFunction::Bucket, key, source)
    }

    /// Like [`with_function`](Self::with_function), for a function with any [`UserFunction`] role.
    pub fn with_user_function(
        builtin: &Builtin,
        role: UserFunction,
        key: &str,
        source: &str,
    ) -> Result<Arc<Self>, CompileError> {
        let wanted = Wanted { role, key, source };
        let words = wanted.compile_alone()?;
        let with = |arrays| -> Result<Vec<u32>, CompileError> {
            let (mut user, function, order) = wanted.check(&words)?;
            let which: HashSet<Word> = order.iter().copied().collect();
            guard(&mut user, &which, arrays)?;
            let by_value = are_values(&user, function);
            let host = empty_kernel(builtin, (role, key), &by_value)?;
            Ok(graft(&host, &user, function, &order)?)
        };
        let label = format!("{}.user", builtin.label());
        let (spirv, for_addresses) =
            (with(UnsizedArrays::Clamped)?, with(UnsizedArrays::Unclamped)?);
        let kernel = Self::with_checked_function(label, spirv, for_addresses);
        Ok(kernel.map_err(CheckError::from)?)
    }
}

impl Wanted<'_> {
    /// Checks the function in the module `words`. Returns the module, the id of the function, and the ids of all its
    /// callees and of the function itself.
    fn check(&self, words: &[u32]) -> Result<(Editor, Word, Vec<Word>), CheckError> {
        let (module, interface) = load(words, Some(globals::ARITHMETIC))?;
        let ids = ids::index(&module)?;
        let user = Editor::new(module, ids);
        let parameters = format!("{};", mangled(self.key)).repeat(self.role.parameters().len());
        let wanted = format!("{}({parameters}", self.role.name());
        let functions = user.module.functions.iter();
        let found = functions.filter_map(function_id);
        let Some(function) = found.into_iter().find(|id| user.ids.full_name(*id) == wanted) else {
            return Err(self.mismatch().unwrap_or_else(|| self.no_function()));
        };
        self.check_type(&user, function)?;
        let functions = Functions::new(&user.module, &user.ids)?;
        let order = functions.called_from(function)?;
        functions::check(&functions, &order.iter().copied().collect(), Rules::Pure, &interface)?;
        let bytes = memory::function_bytes(&user.module, &user.ids, function)?;
        check_local(self.role.name(), bytes)?;
        Ok((user, function, order))
    }

    fn no_function(&self) -> CheckError {
        let wanted = self.role.written(self.key, false);
        CheckError::NoFunction { name: self.role.name(), wanted }
    }

    fn wrong_type(&self, found: String, expected: String) -> CheckError {
        let wanted = self.role.written(self.key, true);
        CheckError::FunctionType { name: self.role.name(), found, expected, wanted }
    }

    /// Returns the error if the source does not declare the required function; `None` if it does.
    fn mismatch(&self) -> Option<CheckError> {
        let (role, key) = (self.role, self.key);
        let Some(found) = signature::find(self.source, role.name()) else {
            return Some(self.no_function());
        };
        if found.parameters != vec![key; role.parameters().len()] {
            let takes = match found.parameters.is_empty() {
                true => "has no parameters".to_owned(),
                false => format!("takes `{}`", found.parameters.join(", ")),
            };
            return Some(self.wrong_type(takes, format!("{} are `{key}`", role.parameter_noun())));
        }
        if found.returns != role.returns(key) {
            let returns = format!("returns `{}`", found.returns);
            let expected = format!("{} are `{}`", role.result_noun(), role.returns(key));
            return Some(self.wrong_type(returns, expected));
        }
        None
    }

    /// Checks the result type of the compiled function.
    fn check_type(&self, user: &Editor, function: Word) -> Result<(), CheckError> {
        let functions = user.module.functions.iter();
        let def = functions.filter_map(|f| f.def.as_ref()).find(|d| d.result_id == Some(function));
        let returns = def.and_then(|d| d.result_type).map(|ty| user.ids.shape(ty));
        if returns.is_some() && returns == self.role.shape(self.key) {
            return Ok(());
        }
        Err(self.mismatch().unwrap_or_else(|| {
            let (role, key) = (self.role, self.key);
            let expected = format!("{} are `{}`", role.result_noun(), role.returns(key));
            self.wrong_type("returns another type".to_owned(), expected)
        }))
    }

    /// Compiles the user's source in a shader that declares only what the function may read.
    fn compile_alone(&self) -> Result<Vec<u32>, CompileError> {
        text::check(self.source)?;
        let defines = [("USER_KEY_TYPE".to_owned(), self.key.to_owned())];
        let includes = [(self.role.include(), self.source)];
        let glsl = &self.role.template();
        let alone = Source { name: SHADER, glsl, defines: &defines, includes: &includes };
        match compile(&alone) {
            Err(CompileError::Glsl(diagnostics)) => Err(self.about_user_lines(diagnostics)),
            other => other,
        }
    }

    /// Keeps only messages about the user's lines. If there are none, either the call of the function does not match
    /// its declaration, or the source ends prematurely, for which the last line is reported.
    fn about_user_lines(&self, diagnostics: Vec<Diagnostic>) -> CompileError {
        let include = self.role.include();
        let (own, mut rest): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(|d| d.file == include);
        if !own.is_empty() {
            return CompileError::Glsl(own);
        }
        if let Some(error) = self.mismatch() {
            return error.into();
        }
        for diagnostic in &mut rest {
            include.clone_into(&mut diagnostic.file);
            diagnostic.line = self.source.lines().count();
            diagnostic.excerpt = self.source.lines().last().map(str::to_owned);
        }
        CompileError::Glsl(rest)
    }
}

/// The compiler's encoding of a type in function names.
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

/// Returns, for each parameter, whether it is passed by value (`const`). Others are passed as a pointer to a copy.
fn are_values(user: &Editor, function: Word) -> Vec<bool> {
    let mut functions = user.module.functions.iter();
    let found = functions.find(|f| function_id(f) == Some(function));
    let parameters = found.iter().flat_map(|f| &f.parameters);
    let is_value = |id: Option<Word>| id.is_none_or(|id| user.ids.pointer(id).is_none());
    parameters.map(|parameter| is_value(parameter.result_id)).collect()
}

/// Kernels with an empty user function, by label, key type, and whether each parameter is passed by value.
type EmptyKernels = Mutex<HashMap<(&'static str, String, Vec<bool>), Arc<[u32]>>>;

/// Returns the kernel with an empty function in place of the user's. Kernels are cached by label, key type and
/// parameter passing.
fn empty_kernel(
    builtin: &Builtin,
    (role, key): (UserFunction, &str),
    by_value: &[bool],
) -> Result<Arc<[u32]>, CompileError> {
    static KERNELS: OnceLock<EmptyKernels> = OnceLock::new();
    let kernels = KERNELS.get_or_init(EmptyKernels::default);
    let entry = (builtin.label(), key.to_owned(), by_value.to_vec());
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
    defines.push((role.define().to_owned(), "1".to_owned()));
    defines.push(("USER_KEY_TYPE".to_owned(), key.to_owned()));
    if key == "double" {
        defines.push(("USER_DOUBLE".to_owned(), "1".to_owned()));
    }
    let parameter = |(name, by_value): (&&str, &bool)| {
        format!("{}{key} {name}", if *by_value { "const " } else { "" })
    };
    let parameters: Vec<String> = role.parameters().iter().zip(by_value).map(parameter).collect();
    let (returns, name) = (role.returns(key), role.name());
    let empty = format!("{returns} {name}({}) {{ return {returns}(0); }}", parameters.join(", "));
    let includes = [(role.include(), empty.as_str())];
    let source = Source { name: builtin.file(), glsl, defines: &defines, includes: &includes };
    let words: Arc<[u32]> = compile(&source)?.into();
    kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(entry, words.clone());
    Ok(words)
}
