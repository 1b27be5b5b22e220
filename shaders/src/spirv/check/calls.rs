//! Indexes the functions of a module and their calls.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Function, Module};
use rspirv::spirv::{Op, Word};

use super::error::{CheckError, invalid};
use crate::spirv::ids::{Ids, function_id, operand};

/// The functions of a module, by id.
pub(crate) struct Functions<'m> {
    by_id: HashMap<Word, &'m Function>,
    /// The ids of all functions, in module order.
    order: Vec<Word>,
    pub ids: &'m Ids,
}

impl<'m> Functions<'m> {
    pub fn new(module: &'m Module, ids: &'m Ids) -> Result<Self, CheckError> {
        let mut by_id = HashMap::new();
        let mut order = Vec::new();
        for function in &module.functions {
            if let Some(id) = function_id(function) {
                if function.blocks.is_empty() {
                    let name = ids.name(id);
                    return Err(invalid(format!("the function `{name}` has no body")));
                }
                by_id.insert(id, function);
                order.push(id);
            }
        }
        Ok(Self { by_id, order, ids })
    }

    /// The ids of all functions.
    pub fn all(&self) -> HashSet<Word> {
        self.by_id.keys().copied().collect()
    }

    /// Returns `first` and all functions that it calls, directly or indirectly. Callees precede their callers.
    /// Recursion is an error.
    pub fn called_from(&self, first: Word) -> Result<Vec<Word>, CheckError> {
        let mut done = HashSet::new();
        let mut order = Vec::new();
        let mut open = HashSet::new();
        // Functions that are being visited, each with its remaining calls. The stack is explicit, because the user
        // controls the depth of calls.
        let mut stack = vec![(first, self.calls(first)?)];
        open.insert(first);
        while let Some((function, calls)) = stack.last_mut() {
            let function = *function;
            match calls.pop() {
                Some(callee) if open.contains(&callee) => {
                    return Err(CheckError::Recursion { function: self.ids.name(callee) });
                }
                Some(callee) if done.contains(&callee) => {}
                Some(callee) => {
                    open.insert(callee);
                    stack.push((callee, self.calls(callee)?));
                }
                None => {
                    stack.pop();
                    open.remove(&function);
                    done.insert(function);
                    order.push(function);
                }
            }
        }
        Ok(order)
    }

    /// The ids of a function's local variables.
    pub fn variables(&self, function: Word) -> Vec<Word> {
        let blocks = self.by_id.get(&function).into_iter().flat_map(|f| &f.blocks);
        let all = blocks.flat_map(|b| &b.instructions);
        all.filter(|i| i.class.opcode == Op::Variable).filter_map(|i| i.result_id).collect()
    }

    /// The functions that a function calls, one entry for each call.
    pub fn calls(&self, function: Word) -> Result<Vec<Word>, CheckError> {
        let function = self
            .by_id
            .get(&function)
            .ok_or_else(|| invalid("the target of a call is not a function"))?;
        let all = function.blocks.iter().flat_map(|b| &b.instructions);
        let calls = all.filter(|i| i.class.opcode == Op::FunctionCall);
        Ok(calls.filter_map(|i| operand(i, 0)).collect())
    }

    /// The functions in module order.
    pub fn in_order(&self) -> impl Iterator<Item = (Word, &'m Function)> {
        self.order.iter().filter_map(|id| Some((*id, *self.by_id.get(id)?)))
    }

    /// The types of a function's parameters.
    pub fn parameter_types(&self, function: Word) -> Option<Vec<Word>> {
        let parameters = &self.by_id.get(&function)?.parameters;
        Some(parameters.iter().filter_map(|p| p.result_type).collect())
    }
}
