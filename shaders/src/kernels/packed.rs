//! Packed SPIR-V: how the build script stores the built-in kernels, and how the library unpacks one.
//!
//! Variants of a kernel are nearly equal, but their ids differ, and therefore most of their words. Storing ids
//! relative to the latest result id turns equal code into equal bytes. The modules of a group are then
//! concatenated, long repetitions are replaced by references to any earlier byte (deflate reaches back only 32
//! KiB), and the rest is deflated.
//!
//! The build script includes this file for the parts that both sides must agree on.

/// Words before the first instruction of a module.
const HEADER_WORDS: usize = 5;
/// Minimum length of a repetition that is stored as a reference.
pub(crate) const MIN_REPEAT: usize = 16;
/// Number of operand positions in the table of id operands. All later operands share the last position.
pub(crate) const POSITIONS: usize = 10;
/// Bytes per row of the table of id operands: two for the opcode, and two with a bit per position.
const ROW: usize = 4;

/// The predicted position of an instruction's result id among its operands; `None` if it has no result. A wrong
/// prediction makes a packed module larger, but not incorrect.
pub(crate) fn result_position(op: u32) -> Option<usize> {
    match op {
        // Debug information, modes, annotations, stores, barriers and branches have no result.
        3..=6 | 8 | 10 | 14..=17 | 62 | 63 | 71 | 72 | 218..=220 | 224 | 225 | 228 => None,
        246 | 247 | 249..=255 | 331 => None,
        // Types, strings, imports and labels have a result, but no result type.
        7 | 11 | 19..=39 | 73 | 248 => Some(0),
        _ => Some(1),
    }
}

/// The table of id operands: the operands that are stored relative to the latest result id. Each opcode has one bit per
/// position.
pub(crate) struct Relative([u16; OPCODES]);

/// Number of opcodes in the table. Operands of higher opcodes are stored unchanged.
const OPCODES: usize = 512;

impl Relative {
    /// Reads the rows that the build script has written.
    pub fn new(rows: &[u8]) -> Self {
        let mut masks = [0; OPCODES];
        for row in rows.chunks_exact(ROW) {
            if let Some(mask) = masks.get_mut(usize::from(row[0]) | usize::from(row[1]) << 8) {
                *mask = u16::from(row[2]) | u16::from(row[3]) << 8;
            }
        }
        Self(masks)
    }

    /// Whether the operand at `position` is stored relative to the latest result id.
    pub fn is(&self, op: u32, position: usize) -> bool {
        let mask = self.0.get(op as usize).copied().unwrap_or_default();
        mask >> position.min(POSITIONS - 1) & 1 != 0
    }
}

/// Reads numbers of variable length: seven bits per byte, lowest bits first. The top bit is set in every byte but the
/// last.
struct Reader<'b>(std::slice::Iter<'b, u8>);

impl Reader<'_> {
    fn number(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.0.next()?;
            number |= u32::from(byte & 0x7F).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                return Some(number);
            }
        }
    }

    /// Reads a signed difference, whose lowest bit is the sign.
    fn difference(&mut self) -> Option<u32> {
        let number = self.number()?;
        Some((number >> 1) ^ 0u32.wrapping_sub(number & 1))
    }

    /// Reads the words of one module.
    fn module(&mut self, relative: &Relative) -> Option<Vec<u32>> {
        let count = self.number()? as usize;
        let mut words = Vec::with_capacity(count);
        for _ in 0..HEADER_WORDS {
            words.push(self.number()?);
        }
        let mut latest = 0u32;
        while words.len() < count {
            let (op, operands) = (self.number()?, self.number()?);
            words.push((operands + 1) << 16 | op);
            let result = result_position(op);
            for position in 0..operands as usize {
                words.push(if result == Some(position) {
                    latest = latest.wrapping_add(self.difference()?);
                    latest
                } else if relative.is(op, position) {
                    latest.wrapping_sub(self.difference()?)
                } else {
                    self.number()?
                });
            }
        }
        Some(words)
    }
}

/// Restores repeated bytes; `None` if `packed` is damaged. `packed` consists of the length of the references in bytes,
/// the references, and literal bytes. A reference is the number of literal bytes to copy, the number of earlier bytes
/// to repeat (less [`MIN_REPEAT`]), and their distance.
fn expand(packed: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader(packed.iter());
    let length = reader.number()? as usize;
    let (references, mut literals) = reader.0.as_slice().split_at_checked(length)?;
    let mut references = Reader(references.iter());
    let mut bytes = Vec::new();
    while let Some(take) = references.number() {
        let (taken, rest) = literals.split_at_checked(take as usize)?;
        bytes.extend_from_slice(taken);
        literals = rest;
        let Some(repeat) = references.number() else { break };
        let distance = references.number()? as usize;
        for _ in 0..repeat as usize + MIN_REPEAT {
            bytes.push(*bytes.get(bytes.len().checked_sub(distance)?)?);
        }
    }
    Some(bytes)
}

/// Unpacks the first modules of a group, up to and including number `last`; `None` if the group is damaged.
pub(crate) fn unpack(group: &[u8], relative: &Relative, last: usize) -> Option<Vec<Vec<u32>>> {
    let bytes = expand(&miniz_oxide::inflate::decompress_to_vec(group).ok()?)?;
    let mut reader = Reader(bytes.iter());
    (0..=last).map(|_| reader.module(relative)).collect()
}
