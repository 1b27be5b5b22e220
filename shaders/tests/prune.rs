//! Tests that pruned modules are valid and not larger than before.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{instructions, tool};
use multisplit_shaders::address::by_address;
use multisplit_shaders::builtin;
use multisplit_shaders::freeze::{frozen, rolled};
use multisplit_shaders::prune::pruned;

/// The errors of `spirv-val` for the module, if any.
fn invalid(spirv: &[u32]) -> Option<String> {
    tool("spirv-val", &["--target-env", "vulkan1.3"], spirv).err()
}

/// Returns one of the typical values of a specialization constant. `turn` selects the value.
fn values(name: &str, turn: usize) -> u32 {
    let of = |all: &[u32]| all[turn % all.len()];
    match name {
        "SUBGROUP_SIZE" => of(&[4, 8, 16, 32, 64, 128]),
        "ITEMS" => of(&[1, 2, 4, 7, 8, 11, 15, 16, 20, 22]),
        "BUCKET_BITS" => of(&[8, 1, 5, 3]),
        "local_size_x" => of(&[256, 64, 128, 384, 512]),
        _ => of(&[0, 1, 2, 3, 4]),
    }
}

/// A full run validates each kernel with two sets of constants and with addresses, a plain run only one of the three.
#[test]
fn pruned_built_in_kernels_are_valid() {
    let full = std::env::var("MULTISPLIT_FULL").is_ok_and(|v| !v.is_empty() && v != "0");
    for (number, builtin) in builtin::ALL.iter().enumerate() {
        let kernel = builtin.kernel().unwrap();
        let whole = kernel.spirv();
        // Not every kernel can be rewritten to use addresses.
        let addresses = by_address(kernel.spirv_for_addresses(), kernel.interface()).ok();
        for (turn, spirv) in [Some(whole), Some(whole), addresses.as_deref()].iter().enumerate() {
            let Some(spirv) = spirv else { continue };
            if !full && turn != number % 3 {
                continue;
            }
            let value_of = |id: u32| {
                let mut constants = kernel.interface().spec_constants.iter().enumerate();
                let (at, constant) = constants.find(|(_, constant)| constant.id == id)?;
                Some(values(&constant.name, turn * 5 + at * turn))
            };
            let less = pruned(spirv, value_of);
            assert!(less.len() <= spirv.len());
            if let Some(problem) = invalid(&less) {
                panic!("{}, turn {turn}: {problem}", builtin.label());
            }
        }
    }
}

#[test]
fn pruning_removes_over_a_quarter_of_a_ranking_kernel() {
    let kernel = builtin::SORT_ROUND_KEYS.kernel().unwrap();
    let ids = |name: &str| kernel.interface().spec_constant(name).unwrap().id;
    let given = [(ids("ITEMS"), 4), (ids("SUBGROUP_SIZE"), 8), (ids("RANKING"), 0)];
    let less = pruned(kernel.spirv(), |id| given.iter().find(|(i, _)| *i == id).map(|(_, v)| *v));
    println!("{} of {} words", less.len(), kernel.spirv().len());
    assert!(less.len() < kernel.spirv().len() * 3 / 4);
}

/// Number of instructions of the entry point after inlining all calls.
fn inlined_instructions(spirv: &[u32]) -> usize {
    const ENTRY_POINT: u32 = 15;
    const FUNCTION: u32 = 54;
    const CALL: u32 = 57;
    let mut entry = 0;
    let mut functions: Vec<(u32, usize, Vec<u32>)> = Vec::new();
    for words in instructions(spirv) {
        match words[0] & 0xFFFF {
            ENTRY_POINT => entry = words[2],
            FUNCTION => functions.push((words[2], 0, Vec::new())),
            _ => {}
        }
        if let Some((_, count, calls)) = functions.last_mut() {
            *count += 1;
            calls.extend((words[0] & 0xFFFF == CALL).then(|| words[3]));
        }
    }
    fn inlined(functions: &[(u32, usize, Vec<u32>)], id: u32) -> usize {
        let (_, count, calls) = functions.iter().find(|(other, ..)| *other == id).unwrap();
        count + calls.iter().map(|&call| inlined(functions, call)).sum::<usize>()
    }
    inlined(&functions, entry)
}

/// Some drivers inline all functions, and take more than linear time and memory in the size of the
/// result.
#[test]
fn kernels_with_frozen_constants_are_valid_and_small() {
    const MAX_WORDS: usize = 50_000;
    const MAX_INLINED: usize = 60_000;
    let (mut words, mut inlined) = ((0, ""), (0, ""));
    for builtin in builtin::ALL {
        let kernel = builtin.kernel().unwrap();
        let value_of = |id: u32| {
            let constants = &kernel.interface().spec_constants;
            let constant = constants.iter().find(|constant| constant.id == id)?;
            match constant.name.as_str() {
                // The test uses the smallest subgroups, and the largest item count of sorting
                // rounds on a GPU that was not measured.
                "SUBGROUP_SIZE" => Some(4),
                "ITEMS" => Some(14),
                "BUCKET_BITS" => Some(8),
                "local_size_x" => Some(256),
                _ => None,
            }
        };
        let spirv = kernel.spirv();
        words = words.max((spirv.len(), builtin.label()));
        let plain = pruned(&rolled(&frozen(spirv, value_of)), |_| None);
        if let Some(problem) = invalid(&plain) {
            panic!("{}: {problem}", builtin.label());
        }
        inlined = inlined.max((inlined_instructions(&plain), builtin.label()));
    }
    println!("largest module: {words:?} words; largest kernel: {inlined:?} instructions, inlined");
    assert!(words.0 <= MAX_WORDS, "{words:?} words, more than {MAX_WORDS}");
    assert!(inlined.0 <= MAX_INLINED, "{inlined:?} instructions, more than {MAX_INLINED}");
}

#[test]
fn invalid_modules_are_returned_unchanged() {
    let kernel = builtin::SCAN_REDUCE.kernel().unwrap();
    let cut_off = &kernel.spirv()[..kernel.spirv().len() - 3];
    assert_eq!(pruned(cut_off, |_| None), cut_off);
    for words in [&[][..], &[1, 2, 3]] {
        assert_eq!(pruned(words, |_| None), words);
        assert_eq!(frozen(words, |_| None), words);
    }
}
