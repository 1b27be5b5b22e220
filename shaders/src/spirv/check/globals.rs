//! Checks that a module declares only what is allowed: capabilities, modes, types, buffers and variables.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, MemoryModel, Op, StorageClass,
    Word,
};

use super::blocks;
use super::error::{CheckError, declaration, invalid};
use super::functions::check_plain_data;
use super::instructions;
use crate::spirv::ids::{Ids, Shape, id_operands, is_variable, literal, operand};

/// Allowed versions, 1.3 to 1.5. Since 1.3, SPIR-V has a separate storage class for storage buffers. 1.5 belongs to
/// Vulkan 1.2.
const VERSIONS: std::ops::RangeInclusive<u32> = 0x0001_0300..=0x0001_0500;
/// Maximum id bound, from SPIR-V's universal limits.
const MAX_BOUND: u32 = 4_194_303;
/// Maximum nesting depth of types. Programs need less, and recursion to this depth does not overflow the stack.
const MAX_DEPTH: u32 = 64;

#[rustfmt::skip]
pub(crate) const CAPABILITIES: &[Capability] = &[
    Capability::Shader, Capability::Matrix, Capability::Int64, Capability::Float64,
    Capability::Int64Atomics, Capability::Int8, Capability::Int16,
    Capability::StorageBuffer8BitAccess, Capability::UniformAndStorageBuffer8BitAccess,
    Capability::StorageBuffer16BitAccess, Capability::UniformAndStorageBuffer16BitAccess,
    Capability::GroupNonUniform, Capability::GroupNonUniformVote,
    Capability::GroupNonUniformArithmetic, Capability::GroupNonUniformBallot,
    Capability::GroupNonUniformShuffle, Capability::GroupNonUniformShuffleRelative,
    Capability::GroupNonUniformClustered, Capability::GroupNonUniformQuad,
];

/// Capabilities that a user function without side effects may need.
#[cfg(feature = "compile")]
pub(crate) const ARITHMETIC: &[Capability] =
    &[Capability::Shader, Capability::Matrix, Capability::Int64, Capability::Float64];

const EXTENSIONS: &[&str] =
    &["SPV_KHR_storage_buffer_storage_class", "SPV_KHR_8bit_storage", "SPV_KHR_16bit_storage"];

#[rustfmt::skip]
const DECORATIONS: &[Decoration] = &[
    Decoration::RelaxedPrecision, Decoration::SpecId, Decoration::Block, Decoration::RowMajor,
    Decoration::ColMajor, Decoration::ArrayStride, Decoration::MatrixStride, Decoration::BuiltIn,
    Decoration::NoContraction, Decoration::Restrict, Decoration::Aliased, Decoration::Volatile,
    Decoration::Coherent, Decoration::NonWritable, Decoration::NonReadable, Decoration::Binding,
    Decoration::DescriptorSet, Decoration::Offset,
];

#[rustfmt::skip]
const BUILT_INS: &[BuiltIn] = &[
    BuiltIn::NumWorkgroups, BuiltIn::WorkgroupSize, BuiltIn::WorkgroupId,
    BuiltIn::LocalInvocationId, BuiltIn::GlobalInvocationId, BuiltIn::LocalInvocationIndex,
    BuiltIn::SubgroupSize, BuiltIn::NumSubgroups, BuiltIn::SubgroupId,
    BuiltIn::SubgroupLocalInvocationId, BuiltIn::SubgroupEqMask, BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask, BuiltIn::SubgroupLeMask, BuiltIn::SubgroupLtMask,
];

#[rustfmt::skip]
const GLOBALS: &[Op] = &[
    Op::TypeVoid, Op::TypeBool, Op::TypeInt, Op::TypeFloat, Op::TypeVector, Op::TypeMatrix,
    Op::TypeArray, Op::TypeRuntimeArray, Op::TypeStruct, Op::TypePointer, Op::TypeFunction,
    Op::ConstantTrue, Op::ConstantFalse, Op::Constant, Op::ConstantComposite, Op::ConstantNull,
    Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant, Op::SpecConstantComposite,
    Op::SpecConstantOp, Op::Variable, Op::Undef, Op::Line, Op::NoLine,
];

/// Checks the decorations, types, constants and module-scope variables.
pub(crate) fn check(module: &Module, ids: &Ids) -> Result<(), CheckError> {
    check_annotations(module, ids)?;
    let mut taken = HashMap::new();
    for global in &module.types_global_values {
        check_global(global, ids)?;
        if global.class.opcode == Op::Variable {
            check_variable(global, ids, &mut taken)?;
        }
    }
    Ok(())
}

/// Checks the module header, capabilities, extensions, memory model, entry points and execution modes. Only the
/// capabilities in `allowed` may be declared.
pub(crate) fn check_header(module: &Module, allowed: &[Capability]) -> Result<(), CheckError> {
    let header = module.header.as_ref().ok_or_else(|| invalid("the module has no header"))?;
    if !VERSIONS.contains(&header.version) {
        return Err(invalid("the SPIR-V version must be from 1.3 to 1.5"));
    }
    if header.bound > MAX_BOUND {
        let bound = header.bound;
        return Err(invalid(format!(
            "the id bound is {bound}, but at most {MAX_BOUND} is allowed"
        )));
    }
    for instruction in &module.capabilities {
        if let Some(Operand::Capability(capability)) = instruction.operands.first()
            && !allowed.contains(capability)
        {
            return Err(CheckError::Capability { capability: format!("{capability:?}") });
        }
    }
    let name = |i: &Instruction| match i.operands.first() {
        Some(Operand::LiteralString(name)) => name.clone(),
        _ => String::new(),
    };
    let extensions = module.extensions.iter().map(name);
    let sets = module.ext_inst_imports.iter().map(name).filter(|n| n != "GLSL.std.450");
    if let Some(extension) =
        extensions.filter(|n| !EXTENSIONS.contains(&n.as_str())).chain(sets).next()
    {
        return Err(CheckError::Extension { extension });
    }
    let logical = [
        Operand::AddressingModel(AddressingModel::Logical),
        Operand::MemoryModel(MemoryModel::GLSL450),
    ];
    if module.memory_model.as_ref().is_none_or(|m| m.operands != logical) {
        return Err(declaration(
            "the shader",
            "does not have the memory model Logical GLSL450; remove the pragma or extension that changes it",
        ));
    }
    let entries = module.entry_points.len();
    if entries != 1 {
        let problem = format!("the module has {entries} entry points, but exactly one is needed");
        return Err(invalid(problem));
    }
    for mode in &module.execution_modes {
        let Some(Operand::ExecutionMode(what)) = mode.operands.get(1) else { continue };
        if *what != ExecutionMode::LocalSize {
            return Err(declaration(
                format!("{what:?}"),
                "is an execution mode that is not allowed; use only local_size_x, _y and _z",
            ));
        }
    }
    Ok(())
}

/// Checks that types and constants use only ids that are defined earlier, and only once (pointers may be declared
/// first), and that types are not nested too deeply. Recursive functions over types, which do not follow pointers,
/// therefore terminate.
pub(crate) fn check_order(module: &Module) -> Result<(), CheckError> {
    let mut depths: HashMap<Word, u32> = HashMap::new();
    let mut pointers: HashSet<Word> = HashSet::new();
    for global in &module.types_global_values {
        let op = global.class.opcode;
        if op == Op::TypeForwardPointer {
            // Recursive functions do not follow pointers, so the pointee does not affect the depth.
            if let Some(id) = operand(global, 0) {
                depths.insert(id, 0);
                pointers.insert(id);
            }
            continue;
        }
        let mut depth = 0;
        for id in id_operands(global).chain(global.result_type) {
            match depths.get(&id) {
                Some(inner) => depth = depth.max(inner + 1),
                // An operand of OpLine is the id of a file name.
                None if matches!(op, Op::Line | Op::NoLine) => {}
                None => return Err(invalid(format!("id {id} is used before it is defined"))),
            }
        }
        let is_type = op.is_type();
        if is_type && depth > MAX_DEPTH {
            return Err(invalid(format!("types are nested more than {MAX_DEPTH} deep")));
        }
        let Some(id) = global.result_id else { continue };
        let was_declared = op == Op::TypePointer && pointers.remove(&id);
        let before = depths.insert(id, if is_type { depth } else { 0 });
        if before.is_some() && !was_declared {
            let problem = format!("id {id} is defined twice, or declared as a pointer only");
            return Err(invalid(problem));
        }
    }
    Ok(())
}

fn check_annotations(module: &Module, ids: &Ids) -> Result<(), CheckError> {
    for instruction in &module.annotations {
        let target = operand(instruction, 0).unwrap_or(0);
        let refuse = |problem: String| Err(declaration(ids.name(target), problem));
        let op = instruction.class.opcode;
        let at = match op {
            Op::Decorate => 1,
            Op::MemberDecorate => 2,
            _ => return refuse(format!("is decorated by Op{op:?}, which is not allowed")),
        };
        match instruction.operands.get(at) {
            Some(Operand::Decoration(what)) if DECORATIONS.contains(what) => {}
            Some(Operand::Decoration(what)) => {
                return refuse(format!("is decorated as {what:?}, which is not allowed"));
            }
            _ => return Err(invalid("a decoration has no kind")),
        }
        if let Some(Operand::BuiltIn(builtin)) = instruction.operands.get(at + 1)
            && !BUILT_INS.contains(builtin)
        {
            return refuse(format!("is the built-in {builtin:?}, which is not allowed"));
        }
    }
    Ok(())
}

fn check_global(global: &Instruction, ids: &Ids) -> Result<(), CheckError> {
    let op = global.class.opcode;
    let id = global.result_id.unwrap_or(0);
    let refuse = |problem: &str| Err(declaration(ids.name(id), problem));
    if !GLOBALS.contains(&op) {
        return refuse(&format!(
            "is declared by Op{op:?}, which is not allowed; use only buffers, shared memory and plain data"
        ));
    }
    if let (Op::SpecConstantOp, Some(Operand::LiteralSpecConstantOpInteger(inner))) =
        (op, global.operands.first())
        && !instructions::is_constant(*inner)
    {
        return refuse(&format!("is computed by Op{inner:?}, which is not allowed for constants"));
    }
    match (op, ids.shape(global.result_type.unwrap_or(0))) {
        (Op::SpecConstant, Shape::Int { bits: 32, .. } | Shape::Float { bits: 32 }) => Ok(()),
        (Op::SpecConstant, _) => refuse(
            "is a specialization constant that does not have 32 bits; use int, uint, float or bool",
        ),
        (Op::TypeArray, _) => {
            let Shape::Array { length, .. } = ids.shape(id) else { return Ok(()) };
            match (ids.shape_of(length), ids.constant(length)) {
                (Shape::Int { bits: 32, .. }, Some(1..=0x7FFF_FFFF) | None) => Ok(()),
                _ => refuse("is an array whose length is not a number from 1 to 2147483647"),
            }
        }
        (Op::TypeVector, _) => match ids.shape(id) {
            Shape::Vector { component, count: 2..=4 } if is_scalar(ids, component) => Ok(()),
            _ => refuse("is a vector that does not have 2 to 4 numbers"),
        },
        (Op::TypeMatrix, _) => match ids.shape(id) {
            Shape::Matrix { column, count: 2..=4 }
                if matches!(ids.shape(column), Shape::Vector { .. })
                    && matches!(ids.scalar(column), Shape::Float { .. }) =>
            {
                Ok(())
            }
            _ => refuse("is a matrix that does not have 2 to 4 columns of floats"),
        },
        (Op::TypeInt, _) => match ids.shape(id) {
            Shape::Int { bits: 8 | 16 | 32 | 64, .. } => Ok(()),
            _ => refuse("is an integer that does not have 8, 16, 32 or 64 bits"),
        },
        (Op::TypeFloat, _) => match ids.shape(id) {
            Shape::Float { bits: 32 | 64 } => Ok(()),
            _ => refuse("is a float that does not have 32 or 64 bits"),
        },
        _ => Ok(()),
    }
}

fn is_scalar(ids: &Ids, ty: Word) -> bool {
    matches!(ids.shape(ty), Shape::Bool | Shape::Int { .. } | Shape::Float { .. })
}

fn check_variable(
    variable: &Instruction,
    ids: &Ids,
    taken: &mut HashMap<u32, String>,
) -> Result<(), CheckError> {
    let id = variable.result_id.unwrap_or(0);
    let Some((class, pointee)) = ids.pointer(id) else {
        return Err(invalid("the type of a variable is not a pointer"));
    };
    let name = match ids.full_name(id) {
        "" => ids.name(pointee),
        named => named.to_owned(),
    };
    let refuse = |problem: String| Err(declaration(name.clone(), problem));
    if variable.operands.first() != Some(&Operand::StorageClass(class)) {
        return Err(invalid(format!("`{name}` has two storage classes")));
    }
    match class {
        StorageClass::Private | StorageClass::Workgroup => check_plain_data(ids, pointee),
        StorageClass::Input if ids.has(id, Decoration::BuiltIn) => check_plain_data(ids, pointee),
        StorageClass::PushConstant => blocks::check(ids, &name, pointee, false),
        StorageClass::StorageBuffer | StorageClass::Uniform => {
            if literal(ids.decoration(id, Decoration::DescriptorSet)) != Some(0) {
                return refuse("must be in descriptor set 0; write `set = 0`".into());
            }
            let Some(binding) = literal(ids.decoration(id, Decoration::Binding)) else {
                return refuse("has no binding; write `binding = N`".into());
            };
            if let Some(other) = taken.insert(binding, name.clone()) {
                return refuse(format!(
                    "has binding {binding}, like `{other}`; give each buffer its own binding"
                ));
            }
            blocks::check(ids, &name, pointee, class == StorageClass::StorageBuffer)
        }
        _ => refuse(format!(
            "is in the storage class {class:?}, which is not allowed; use only buffers, push constants and shared \
             memory"
        )),
    }
}

/// Returns the module's variables of one storage class.
pub(crate) fn variables(module: &Module, class: StorageClass) -> HashSet<Word> {
    let globals = module.types_global_values.iter();
    globals.filter(|i| is_variable(i, class)).filter_map(|i| i.result_id).collect()
}
