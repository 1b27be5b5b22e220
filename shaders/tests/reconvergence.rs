//! Tests that every built-in kernel can declare a reconvergence mode. The module changes only by one extension and
//! one execution mode. The modules of the `multisplit.` kernels are valid if the validator supports the extension.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{instructions, validate};
use multisplit_shaders::builtin::ALL;
use multisplit_shaders::reconvergence::{Reconvergence, with_reconvergence};
use multisplit_shaders::reflect::reflect;

const BOTH: [(Reconvergence, u32, &str); 2] = [
    (Reconvergence::Maximal, 6023, "SPV_KHR_maximal_reconvergence"),
    (Reconvergence::UniformControlFlow, 4421, "SPV_KHR_subgroup_uniform_control_flow"),
];

/// `OpExecutionMode` with three words.
const EXECUTION_MODE: u32 = 3 << 16 | 16;

/// Execution modes without operands, of all entry points.
fn modes(spirv: &[u32]) -> Vec<u32> {
    let modes = instructions(spirv).filter(|instruction| instruction[0] == EXECUTION_MODE);
    modes.map(|instruction| instruction[2]).collect()
}

fn extension_words(name: &str) -> Vec<u32> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let first = (bytes.len() as u32 / 4 + 1) << 16 | 10;
    let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    [first].into_iter().chain(words).collect()
}

#[test]
fn reconvergence_mode_is_added_to_every_kernel() {
    for builtin in ALL {
        let kernel = builtin.kernel().unwrap();
        for (reconvergence, mode, name) in BOTH {
            let words = with_reconvergence(kernel.spirv(), reconvergence).unwrap();
            assert!(modes(&words).contains(&mode), "{}: no {name}", builtin.label());
            assert!(
                !modes(kernel.spirv()).contains(&mode),
                "{}: the built-in kernel already has the execution mode of {name}",
                builtin.label()
            );
            let extension = extension_words(name);
            let extended = words.windows(extension.len()).any(|w| w == extension);
            assert!(extended, "{}: no extension {name}", builtin.label());
            // Only an execution mode of three words and the extension are added.
            assert_eq!(words.len(), kernel.spirv().len() + 3 + extension.len());
            assert_eq!(&reflect(&words).unwrap(), kernel.interface(), "{}", builtin.label());
            let again = with_reconvergence(&words, reconvergence).unwrap();
            assert_eq!(words, again, "a second call changes the module");
        }
    }
}

#[test]
fn invalid_modules_are_rejected() {
    for words in [&[][..], &[1, 2, 3], &[0x0723_0203, 0x0001_0500, 0, 8, 0, 3 << 16]] {
        assert!(with_reconvergence(words, Reconvergence::Maximal).is_err(), "{words:?} accepted");
    }
}

#[test]
fn validator_accepts_known_reconvergence_modes() {
    for builtin in ALL.iter().filter(|b| b.label().starts_with("multisplit.")) {
        let kernel = builtin.kernel().unwrap();
        for (reconvergence, _, name) in BOTH {
            let words = with_reconvergence(kernel.spirv(), reconvergence).unwrap();
            let Err(problem) = validate(&words) else { continue };
            // A validator that is older than the extension reports an unknown execution mode.
            let unknown = problem.contains("Invalid execution mode operand: 6023");
            assert!(
                reconvergence == Reconvergence::Maximal && unknown,
                "{} with {name}: {problem}",
                builtin.label()
            );
        }
    }
}
