//! Changes one kernel, to test that the checks of results, or of data races, detect the change.

/// Environment variable with the label of the kernel that is changed to do nothing.
const BROKEN: &str = "MULTISPLIT_BROKEN_KERNEL";
/// Environment variable with the label of the kernel whose barriers are removed, so that its threads race.
const RACING: &str = "MULTISPLIT_RACING_KERNEL";

// Opcodes of SPIR-V.
const ENTRY_POINT: u32 = 15;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
const CONTROL_BARRIER: u32 = 224;
const MEMORY_BARRIER: u32 = 225;
const LABEL: u32 = 248;
const RETURN: u32 = 253;
/// Words before the first instruction.
const HEADER: usize = 5;

/// Returns the changed module, if an environment variable names this kernel.
pub(super) fn broken(label: &str, spirv: &[u32]) -> Option<Vec<u32>> {
    let is_named = |variable| std::env::var(variable).is_ok_and(|name| name == label);
    let (header, rest) = spirv.split_at(HEADER.min(spirv.len()));
    let changed = match (is_named(BROKEN), is_named(RACING)) {
        (true, _) => with_empty_entry_point(rest),
        (_, true) => without_barriers(rest),
        _ => return None,
    };
    Some([header, &changed].concat())
}

fn with_empty_entry_point(spirv: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    let (mut entry, mut inside, mut skipped) = (None, false, false);
    for instruction in instructions(spirv) {
        // The second operand of both instructions is the function.
        match opcode(instruction) {
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

fn without_barriers(spirv: &[u32]) -> Vec<u32> {
    let is_barrier = |op| matches!(op, CONTROL_BARRIER | MEMORY_BARRIER);
    instructions(spirv).filter(|words| !is_barrier(opcode(words))).flatten().copied().collect()
}

/// The instructions of a module without its header.
fn instructions(mut words: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let length = (words.first()? >> 16).max(1) as usize;
        let (instruction, rest) = words.split_at(length.min(words.len()));
        words = rest;
        Some(instruction)
    })
}

fn opcode(instruction: &[u32]) -> u32 {
    instruction[0] & 0xFFFF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn racing_kernels_lose_only_their_barriers() {
        let kernel = [1 << 16 | RETURN, 4 << 16 | CONTROL_BARRIER, 2, 2, 264, 2 << 16 | LABEL, 7];
        let kernel =
            [&kernel[..], &[3 << 16 | MEMORY_BARRIER, 1, 72, 1 << 16 | FUNCTION_END]].concat();
        let expected = [1 << 16 | RETURN, 2 << 16 | LABEL, 7, 1 << 16 | FUNCTION_END];
        assert_eq!(without_barriers(&kernel), expected);
    }
}
