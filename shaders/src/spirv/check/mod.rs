//! Checks that a user's shader is safe to run.
//!
//! Drivers trust shaders. On a software driver, the process can crash if a shader uses an index past the end of an
//! array, divides by zero, computes an address from a number, or has a barrier that only half of a workgroup reaches.
//! Other drivers may behave worse. A user's module is therefore checked before the safe API accepts it as a kernel:
//!
//! - only listed capabilities, storage classes, instructions and decorations are allowed (`globals`,
//!   `blocks`, `instructions`, `functions`);
//! - barriers must be reached by the whole workgroup or subgroup (`uniform`);
//! - operations that depend on values are rewritten: indices are clamped, divisions and shifts are guarded
//!   (`guard`);
//! - the memory use is known before a pipeline is created (`memory`).
//!
//! A user's function in a built-in kernel must not have side effects. Only its own instructions are guarded
//! (`crate::kernels::user_function`).
//!
//! Infinite loops are not prevented. They only cost time, which the watchdogs of some drivers limit. The types of
//! arithmetic instructions are not validated; they are assumed to be correct, as in the output of any compiler.

mod blocks;
pub(crate) mod calls;
pub(crate) mod error;
mod flow;
pub(crate) mod functions;
pub(crate) mod globals;
pub(crate) mod guard;
pub(crate) mod ids;
mod instructions;
pub(crate) mod memory;
mod uniform;

#[cfg(feature = "compile")]
pub(crate) mod source;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Capability, StorageClass, Word};

use crate::spirv::editor::Editor;
use crate::spirv::interface::Interface;
use crate::spirv::reflect::{parse, reflect, without_panic};
use calls::Functions;
use error::invalid;
use functions::Rules;
use guard::UnsizedArrays;

pub use error::CheckError;
pub use memory::{MAX_LOCAL_BYTES, MemoryUse};
#[cfg(feature = "compile")]
pub use source::MAX_SOURCE_BYTES;

/// Maximum number of words of a checked module: 1 MiB, over five times the size of the largest built-in kernel.
pub const MAX_WORDS: usize = 1 << 18;

/// Checks the compute shader in `spirv`, and rewrites it so that it can be run safely.
pub(crate) fn shader(spirv: &[u32]) -> Result<Vec<u32>, CheckError> {
    let (module, interface) = load(spirv, Some(globals::CAPABILITIES))?;
    let ids = ids::index(&module)?;
    let mut editor = Editor::new(module, ids);
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

/// Returns the memory use of a module; see [`crate::Kernel::memory`].
pub(crate) fn memory_of(
    spirv: &[u32],
    value_of: &dyn Fn(u32) -> Option<u32>,
) -> Result<MemoryUse, CheckError> {
    let (module, _) = load(spirv, None)?;
    memory::memory(&module, &ids::index(&module)?, value_of)
}

/// Checks that the local variables of a function and its callees fit into [`MAX_LOCAL_BYTES`].
pub(crate) fn check_local(function: &str, bytes: u64) -> Result<(), CheckError> {
    if bytes <= MAX_LOCAL_BYTES {
        return Ok(());
    }
    let problem = format!(
        "and its callees have {bytes} bytes of local variables, but at most {MAX_LOCAL_BYTES} are allowed; use \
         fewer or smaller variables"
    );
    Err(CheckError::Access { function: function.to_owned(), problem })
}

/// Parses and reflects a module. If `allowed` is given, also checks the header, and that the module declares only
/// these capabilities.
pub(crate) fn load(
    spirv: &[u32],
    allowed: Option<&[Capability]>,
) -> Result<(Module, Interface), CheckError> {
    if spirv.len() > MAX_WORDS {
        return Err(CheckError::TooLarge { words: spirv.len(), max: MAX_WORDS });
    }
    let module = parse(spirv)?;
    if let Some(allowed) = allowed {
        globals::check_header(&module, allowed)?;
    }
    // Must precede reflection, which would not terminate if a type contained itself.
    globals::check_order(&module)?;
    let interface = without_panic(|| reflect(spirv))??;
    Ok((module, interface))
}

fn entry(module: &Module) -> Result<Word, CheckError> {
    let entry = module.entry_points.first().and_then(|e| e.operands.get(1)?.id_ref_any());
    entry.ok_or_else(|| invalid("the entry point is not a function"))
}

/// Initializes private variables with zero. Moves them after the constants, because each needs a zero constant of its
/// type.
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
