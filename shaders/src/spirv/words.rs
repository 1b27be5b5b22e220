//! Splits the words of a module into instructions, for code that runs for every pipeline.

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::Op;

/// The first word of a module.
pub(crate) const MAGIC: u32 = 0x0723_0203;
/// Number of words before the first instruction.
pub(crate) const HEADER_WORDS: usize = 5;

/// The header of a module; `None` if there are too few words.
pub(crate) fn header(spirv: &[u32]) -> Option<&[u32]> {
    spirv.get(..HEADER_WORDS)
}

/// The words of one instruction.
#[derive(Clone, Copy)]
pub(crate) struct Instruction<'m> {
    pub words: &'m [u32],
}

/// The instructions of a module; `None` if their lengths do not add up to the size of the module.
pub(crate) fn instructions(spirv: &[u32]) -> Option<Vec<Instruction<'_>>> {
    let mut rest = spirv.get(HEADER_WORDS..)?;
    let mut instructions = Vec::with_capacity(rest.len() / 4);
    while let Some(first) = rest.first() {
        let (words, after) = rest.split_at_checked((first >> 16) as usize)?;
        if words.is_empty() {
            return None;
        }
        instructions.push(Instruction { words });
        rest = after;
    }
    Some(instructions)
}

impl<'m> Instruction<'m> {
    pub fn op(self) -> u32 {
        self.words.first().map_or(0, |first| first & 0xFFFF)
    }

    pub fn is(self, op: Op) -> bool {
        self.op() == op as u32
    }

    /// Whether the instruction assigns a name or a decoration to an id.
    pub fn describes(self) -> bool {
        let descriptions = [Op::Name, Op::Decorate, Op::DecorateId, Op::DecorateString];
        descriptions.into_iter().any(|op| self.is(op))
    }

    pub fn word(self, at: usize) -> Option<u32> {
        self.words.get(at).copied()
    }

    /// The words from index `from` on.
    pub fn operands(self, from: usize) -> &'m [u32] {
        self.words.get(from..).unwrap_or_default()
    }

    /// The result id; `None` if the instruction has no result.
    pub fn result(self) -> Option<u32> {
        let grammar = INSTRUCTION_TABLE.lookup_opcode(self.op())?;
        let mut kinds = grammar.operands.iter().map(|operand| operand.kind);
        match kinds.next()? {
            OperandKind::IdResult => self.word(1),
            OperandKind::IdResultType => self.word(2),
            _ => None,
        }
    }
}

/// Returns the words of an instruction with these operands.
pub(crate) fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let first = ((operands.len() as u32 + 1) << 16) | op as u32;
    [&[first], operands].concat()
}
