//! Checks that the ids of a module are consistent.

use std::collections::HashSet;

use rspirv::dr::Module;
use rspirv::spirv::Op;

use super::error::{CheckError, invalid};
use crate::spirv::ids::{Ids, Shape, id_operands};

/// Indexes a module. Checks that every id is defined once and is less than the module's bound, and that every used id
/// is defined.
pub(crate) fn index(module: &Module) -> Result<Ids, CheckError> {
    let bound = module.header.as_ref().map_or(0, |h| h.bound);
    let mut defined = HashSet::new();
    for id in module.all_inst_iter().filter_map(|i| i.result_id) {
        if id == 0 || id >= bound {
            return Err(invalid(format!("id {id} is 0 or not below the bound {bound}")));
        }
        if !defined.insert(id) {
            return Err(invalid(format!("id {id} is defined twice")));
        }
    }
    let ids = Ids::new(module);
    for instruction in module.all_inst_iter() {
        for id in id_operands(instruction).chain(instruction.result_type) {
            // Compilers may leave the names of removed ids in a module, which is harmless.
            if !defined.contains(&id) && instruction.class.opcode != Op::Name {
                return Err(invalid(format!("id {id} is used but not defined")));
            }
        }
    }
    for ty in module.all_inst_iter().filter_map(|i| i.result_type) {
        if matches!(ids.shape(ty), Shape::Other(_)) {
            return Err(invalid(format!("id {ty} is used as a type, but is not a type")));
        }
    }
    Ok(ids)
}
