//! Computes the shared and local memory that a kernel uses with given specialization constants.

use std::collections::HashMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use super::calls::Functions;
use super::error::{CheckError, invalid};
use super::globals;
use crate::spirv::fold::{Folded, fold, mask};
use crate::spirv::ids::{Ids, Shape, id_operands, is_variable, literal};

/// Maximum local memory of a checked shader or a user's function, in bytes per invocation. Software drivers allocate it
/// on the stack, once per lane.
pub const MAX_LOCAL_BYTES: u64 = 16 << 10;

/// Memory use of a kernel in addition to its buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Shared memory in bytes per workgroup. Must not exceed `maxComputeSharedMemorySize`.
    pub shared_bytes: u64,
    /// Size in bytes of all variables of one invocation, as if all calls were inlined.
    pub local_bytes: u64,
}

/// Returns the memory use of the module. `value_of` maps a `constant_id` to the value of the specialization constant,
/// or to `None` for its default.
pub(crate) fn memory(
    module: &Module,
    ids: &Ids,
    value_of: &dyn Fn(u32) -> Option<u32>,
) -> Result<MemoryUse, CheckError> {
    let constants = Constants::evaluate(module, ids, value_of)?;
    let mut shared: u64 = 0;
    // Variables are visited in module order, because padding depends on it.
    let declared = module.types_global_values.iter();
    for variable in declared.filter(|i| is_variable(i, StorageClass::Workgroup)) {
        let extent = constants.variable(variable.result_id.unwrap_or(0))?;
        shared = aligned(shared, extent.alignment).saturating_add(extent.bytes);
    }
    let mut private: u64 = 0;
    for variable in globals::variables(module, StorageClass::Private) {
        private = private.saturating_add(constants.variable(variable)?.bytes);
    }
    let entry = module.entry_points.first().and_then(|e| e.operands.get(1)?.id_ref_any());
    let local = local_bytes(module, ids, &constants, entry.unwrap_or(0))?;
    Ok(MemoryUse { shared_bytes: shared, local_bytes: private.saturating_add(local) })
}

/// Size in bytes of the variables of `function` and of all functions it calls.
#[cfg(feature = "compile")]
pub(crate) fn function_bytes(
    module: &Module,
    ids: &Ids,
    function: Word,
) -> Result<u64, CheckError> {
    let constants = Constants::evaluate(module, ids, &|_| None)?;
    local_bytes(module, ids, &constants, function)
}

fn local_bytes(
    module: &Module,
    ids: &Ids,
    constants: &Constants<'_>,
    function: Word,
) -> Result<u64, CheckError> {
    let functions = Functions::new(module, ids)?;
    let mut bytes: HashMap<Word, u64> = HashMap::new();
    for id in functions.called_from(function)? {
        let mut own: u64 = 0;
        for variable in functions.variables(id) {
            own = own.saturating_add(constants.variable(variable)?.bytes);
        }
        for callee in functions.calls(id)? {
            own = own.saturating_add(bytes.get(&callee).copied().unwrap_or(0));
        }
        bytes.insert(id, own);
    }
    Ok(bytes.get(&function).copied().unwrap_or(0))
}

#[derive(Clone, Copy)]
struct Extent {
    bytes: u64,
    alignment: u64,
}

fn aligned(offset: u64, alignment: u64) -> u64 {
    offset.saturating_add(alignment - 1) / alignment * alignment
}

/// The values of a module's constants. A scalar has one value, a vector one per component.
struct Constants<'m> {
    ids: &'m Ids,
    values: HashMap<Word, Vec<u64>>,
}

impl<'m> Constants<'m> {
    fn evaluate(
        module: &'m Module,
        ids: &'m Ids,
        value_of: &dyn Fn(u32) -> Option<u32>,
    ) -> Result<Self, CheckError> {
        let mut this = Self { ids, values: HashMap::new() };
        for global in &module.types_global_values {
            let Some(id) = global.result_id else { continue };
            let given =
                || value_of(literal(ids.decoration(id, Decoration::SpecId))?).map(u64::from);
            let value = match global.class.opcode {
                Op::SpecConstantTrue => Some(vec![u64::from(given() != Some(0))]),
                Op::SpecConstantFalse => Some(vec![u64::from(given().unwrap_or(0) != 0)]),
                Op::SpecConstant => match global.operands.first() {
                    Some(Operand::LiteralBit32(default)) => {
                        Some(vec![given().unwrap_or(u64::from(*default))])
                    }
                    _ => None,
                },
                Op::ConstantComposite | Op::SpecConstantComposite => {
                    id_operands(global).map(|part| this.scalar(part)).collect()
                }
                Op::SpecConstantOp => this.operation(global)?,
                _ => ids.constant(id).map(|value| vec![value]),
            };
            this.values.extend(value.map(|value| (id, value)));
        }
        Ok(this)
    }

    fn scalar(&self, id: Word) -> Option<u64> {
        match self.values.get(&id)?.as_slice() {
            [value] => Some(*value),
            _ => None,
        }
    }

    /// Evaluates an operation on constants, component by component. `None` if the result is not known, for example for
    /// operations that [`fold`] does not support. A division that would trap or has unknown operands is an error,
    /// because drivers would execute it.
    fn operation(&self, global: &Instruction) -> Result<Option<Vec<u64>>, CheckError> {
        let Some(Operand::LiteralSpecConstantOpInteger(op)) = global.operands.first() else {
            return Err(invalid("an operation on constants has no opcode"));
        };
        let operands: Vec<Word> = id_operands(global).collect();
        // The operand that is not selected may be unknown.
        if let (Op::Select, [condition, yes, no]) = (op, &operands[..])
            && let Some(condition) = self.scalar(*condition)
        {
            return Ok(self.values.get(if condition != 0 { yes } else { no }).cloned());
        }
        let values: Option<Vec<&Vec<u64>>> = operands.iter().map(|o| self.values.get(o)).collect();
        let divides = matches!(op, Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod);
        let Some(values) = values else {
            return if divides {
                Err(invalid("an integer division uses a constant whose value is not known"))
            } else {
                Ok(None)
            };
        };
        if *op == Op::CompositeExtract {
            let at = match global.operands.get(2) {
                Some(Operand::LiteralBit32(at)) => *at as usize,
                _ => return Ok(None),
            };
            return Ok(values.first().and_then(|v| v.get(at)).map(|v| vec![*v]));
        }
        let first = operands.first().map_or(0, |o| self.ids.type_of(*o));
        let width = |ty| match self.ids.scalar(ty) {
            Shape::Int { bits, .. } => bits,
            _ => 1,
        };
        let (from, to) = (width(first), width(global.result_type.unwrap_or(0)));
        let lanes = values.iter().map(|v| v.len()).max().unwrap_or(0);
        let mut result = Vec::new();
        for lane in 0..lanes {
            let part = |at: usize| {
                let value = values.get(at)?;
                if value.len() == 1 { value.first().copied() } else { value.get(lane).copied() }
            };
            let operands = [part(0), part(1)].map(Option::unwrap_or_default);
            match fold(*op, operands, from) {
                Folded::Value(value) => result.push(value & mask(to)),
                Folded::Unknown | Folded::Undefined => return Ok(None),
                Folded::Traps => {
                    let problem = "a constant or an array length is the result of a division by zero, or of the smallest integer by -1";
                    return Err(CheckError::Specialization(problem.to_owned()));
                }
            }
        }
        Ok(Some(result))
    }

    fn variable(&self, id: Word) -> Result<Extent, CheckError> {
        match self.ids.pointer(id) {
            Some((_, pointee)) => self.extent(pointee, &self.ids.name(id)),
            None => Err(invalid("the type of a variable is not a pointer")),
        }
    }

    /// Size and alignment of a type without an explicit layout, computed as in std430.
    fn extent(&self, ty: Word, name: &str) -> Result<Extent, CheckError> {
        const WORD: u64 = 4;
        Ok(match self.ids.shape(ty) {
            Shape::Int { bits, .. } | Shape::Float { bits } => {
                let bytes = u64::from(bits / 8).max(1);
                Extent { bytes, alignment: bytes }
            }
            Shape::Vector { component, count } => {
                let part = self.extent(component, name)?;
                let alignment = part.bytes * u64::from(count).next_power_of_two();
                Extent { bytes: part.bytes * u64::from(count), alignment }
            }
            Shape::Matrix { column, count } => {
                let part = self.extent(column, name)?;
                let stride = aligned(part.bytes, part.alignment);
                Extent { bytes: stride * u64::from(count), alignment: part.alignment }
            }
            Shape::Array { element, length } => {
                let part = self.extent(element, name)?;
                let length = self.scalar(length).filter(|n| (1..1 << 31).contains(n));
                let Some(length) = length else {
                    let problem =
                        format!("the array `{name}` does not have a length from 1 to 2147483647");
                    return Err(CheckError::Specialization(problem));
                };
                let bytes = aligned(part.bytes, part.alignment).saturating_mul(length);
                Extent { bytes, alignment: part.alignment }
            }
            Shape::Struct(members) => {
                let mut whole = Extent { bytes: 0, alignment: 1 };
                for member in members {
                    let part = self.extent(member, name)?;
                    whole.alignment = whole.alignment.max(part.alignment);
                    whole.bytes = aligned(whole.bytes, part.alignment).saturating_add(part.bytes);
                }
                whole.bytes = aligned(whole.bytes, whole.alignment);
                whole
            }
            _ => Extent { bytes: WORD, alignment: WORD },
        })
    }
}
