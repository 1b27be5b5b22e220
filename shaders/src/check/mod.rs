//! Is a shader that a user supplies safe to run?
//!
//! A driver trusts a shader: an index past the end of an array, a division by zero, a barrier that
//! half of a workgroup reaches, or an address made from a number ends the process on a software
//! driver, and may do worse. So a user's module is checked before it becomes a kernel that safe
//! calls accept:
//!
//! - only what is on a list is allowed: capabilities, storage classes, instructions, decorations
//!   (`globals`, `instructions`, `functions`);
//! - barriers are where the whole workgroup arrives (`uniform`);
//! - what depends on values is rewritten: indices are clamped, divisions and shifts guarded
//!   (`guard`);
//! - the memory that it takes is known before a pipeline is made (`memory`).
//!
//! A user's function inside one of our kernels is compiled on its own and checked to do nothing but
//! compute; then its instructions, and none of ours, are guarded and put into the kernel (`function`,
//! `graft`).
//!
//! Not prevented are loops without end: what they cost is time, and the driver's watch over that
//! is the device's. Arithmetic is taken to be typed as SPIR-V demands, which every compiler's output
//! is; this is no validator.

mod calls;
mod editor;
mod error;
mod flow;
mod functions;
mod globals;
mod guard;
mod ids;
mod instructions;
mod memory;
mod uniform;

#[cfg(feature = "compile")]
pub(crate) mod function;
#[cfg(feature = "compile")]
mod graft;
#[cfg(feature = "compile")]
mod role;
#[cfg(feature = "compile")]
mod signature;
#[cfg(feature = "compile")]
pub(crate) mod source;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Capability, StorageClass, Word};

use crate::kernel::Interface;
use crate::reflect::{self, ReflectError};
use calls::Functions;
use editor::Editor;
use functions::Rules;
use guard::UnsizedArrays;
use ids::Ids;

pub use error::CheckError;
pub use memory::{MAX_LOCAL_BYTES, MemoryUse};
#[cfg(feature = "compile")]
pub use role::UserFunction;
#[cfg(feature = "compile")]
pub use source::MAX_SOURCE_BYTES;

/// The most words of a module that is checked: 1 MiB, many times what our largest kernel has.
pub const MAX_WORDS: usize = 1 << 18;

/// Checks the compute shader in `spirv` and rewrites it so that it can be run safely.
pub(crate) fn shader(spirv: &[u32]) -> Result<Vec<u32>, CheckError> {
    let (module, interface) = load(spirv, Some(globals::CAPABILITIES))?;
    let mut editor = Editor::new(module)?;
    globals::check(&editor.module, &editor.ids)?;
    let entry = entry(&editor.module)?;
    let functions = Functions::new(&editor.module, &editor.ids)?;
    let all = functions.all();
    for function in &all {
        functions.called_from(*function)?;
    }
    functions::check(&functions, &all, Rules::Shader, &interface)?;
    uniform::check_barriers(&editor.module, &editor.ids)?;
    let memory = memory::memory(&editor.module, &editor.ids, &|_| None)?;
    check_local(&editor.ids.name(entry), memory.local_bytes)?;
    guard::guard(&mut editor, &all, UnsizedArrays::Clamped)?;
    clear_private(&mut editor);
    Ok(editor.finish())
}

/// The memory that a module takes; see [`crate::Kernel::memory`].
pub(crate) fn memory_of(
    spirv: &[u32],
    value_of: &dyn Fn(u32) -> Option<u32>,
) -> Result<MemoryUse, CheckError> {
    let (module, _) = load(spirv, None)?;
    let ids = Ids::index(&module)?;
    memory::memory(&module, &ids, value_of)
}

pub(crate) fn check_local(function: &str, bytes: u64) -> Result<(), CheckError> {
    if bytes <= MAX_LOCAL_BYTES {
        return Ok(());
    }
    let problem = format!(
        "and what it calls have {bytes} bytes of local variables, at most {MAX_LOCAL_BYTES} are allowed: use shared memory or a buffer"
    );
    Err(CheckError::Access { function: function.to_owned(), problem })
}

/// Parses a module; where capabilities are given, it may have these alone.
fn load(spirv: &[u32], allowed: Option<&[Capability]>) -> Result<(Module, Interface), CheckError> {
    if spirv.len() > MAX_WORDS {
        return Err(CheckError::TooLarge { words: spirv.len(), max: MAX_WORDS });
    }
    let malformed = |what: String| CheckError::Module(ReflectError::Malformed(what));
    // rspirv panics on some malformed streams, and sums of sizes that make no sense overflow.
    let gave_up = |_| malformed("the parser gave up".to_owned());
    let module = catch_unwind(AssertUnwindSafe(|| load_words(spirv)))
        .map_err(gave_up)?
        .map_err(|state| malformed(state.to_string()))?;
    if let Some(allowed) = allowed {
        globals::check_header(&module, allowed)?;
    }
    // Before reflection, which walks types, and would not come back from one that contains itself.
    globals::check_order(&module)?;
    let interface = catch_unwind(|| reflect::reflect(spirv)).map_err(gave_up)??;
    Ok((module, interface))
}

fn entry(module: &Module) -> Result<Word, CheckError> {
    let entry = module.entry_points.first().and_then(|e| e.operands.get(1)?.id_ref_any());
    entry.ok_or_else(|| ids::invalid("its entry point is no function"))
}

/// Variables of an invocation begin as zero. They move behind the constants, where zero is.
fn clear_private(editor: &mut Editor) {
    let private = globals::variables(&editor.module, StorageClass::Private);
    let is_unset = |i: &Instruction| {
        i.operands.len() == 1 && i.result_id.is_some_and(|id| private.contains(&id))
    };
    let globals = std::mem::take(&mut editor.module.types_global_values);
    let (unset, kept): (Vec<_>, Vec<_>) = globals.into_iter().partition(is_unset);
    editor.module.types_global_values = kept;
    for mut variable in unset {
        if let Some((_, pointee)) = variable.result_id.and_then(|id| editor.ids.pointer(id)) {
            let zero = editor.null(pointee);
            variable.operands.push(Operand::IdRef(zero));
        }
        editor.module.types_global_values.push(variable);
    }
}
