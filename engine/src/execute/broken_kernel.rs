//! For tests of the tests: replaces one kernel by an empty one, which the checks of results must detect.

/// Environment variable with the label of the kernel to replace.
const VARIABLE: &str = "MULTISPLIT_BROKEN_KERNEL";

// Opcodes of SPIR-V.
const ENTRY_POINT: u32 = 15;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
const LABEL: u32 = 248;
const RETURN: u32 = 253;
/// Words before the first instruction.
const HEADER: usize = 5;

/// Returns the module with an empty entry point, if the environment variable names this kernel.
pub(super) fn broken(label: &str, spirv: &[u32]) -> Option<Vec<u32>> {
    let named = std::env::var(VARIABLE).is_ok_and(|name| name == label);
    named.then(|| with_empty_entry_point(spirv))
}

fn with_empty_entry_point(spirv: &[u32]) -> Vec<u32> {
    let (header, mut rest) = spirv.split_at(HEADER.min(spirv.len()));
    let mut words = header.to_vec();
    let (mut entry, mut inside, mut skipped) = (None, false, false);
    while let Some(&first) = rest.first() {
        let length = ((first >> 16).max(1) as usize).min(rest.len());
        let (instruction, others) = rest.split_at(length);
        rest = others;
        // The second operand of both instructions is the function.
        match first & 0xFFFF {
            ENTRY_POINT => entry = instruction.get(2),
            FUNCTION => inside = instruction.get(2) == entry,
            FUNCTION_END => (inside, skipped) = (false, false),
            LABEL if inside && !skipped => {
                words.extend(instruction);
                words.push(1 << 16 | RETURN);
                skipped = true;
            }
            _ => {}
        }
        if !skipped {
            words.extend(instruction);
        }
    }
    words
}
