//! Tests that no built-in kernel reduces 32-bit integers over a subgroup in a loop.
//!
//! The compiler of one driver miscompiled such reductions. glsl/include/lane_totals.glsl explains this, and contains
//! the replacement.
#![cfg(feature = "compile")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{HashMap, HashSet};

use multisplit_shaders::builtin;
use multisplit_shaders::compile::{Source, compile};
use rspirv::dr::{Block, Function, Instruction, Module, Operand, load_words};
use rspirv::spirv::{GroupOperation, Op, Word};

/// A kernel with such reductions in a function that is called in a loop. It lost keys on the driver with this bug.
const LOST_KEYS: &[u8] = include_bytes!(
    "../../tests/machine/tests/machine/modules/before-27112e0.multisplit.block.postscan.pairs.spv"
);

fn label(block: &Block) -> Word {
    block.label.as_ref().and_then(|label| label.result_id).expect("a block has a label")
}

/// The successors of a block.
fn targets(block: &Block) -> Vec<Word> {
    let last = block.instructions.last().expect("a block ends");
    match last.class.opcode {
        Op::Branch | Op::BranchConditional | Op::Switch => {
            let first = usize::from(last.class.opcode != Op::Branch); // skip the condition
            last.operands[first..].iter().filter_map(Operand::id_ref_any).collect()
        }
        _ => Vec::new(),
    }
}

/// The blocks reachable from a block in at least one step, without passing `end`.
fn reached(blocks: &HashMap<Word, &Block>, from: Word, end: Option<Word>) -> HashSet<Word> {
    let mut found = HashSet::new();
    let mut open = targets(blocks[&from]);
    while let Some(at) = open.pop() {
        if Some(at) != end && found.insert(at) {
            open.extend(targets(blocks[&at]));
        }
    }
    found
}

/// The blocks of a function's loops: those between a loop's header and its merge block, including early
/// exits, and all blocks that can repeat.
fn in_loops(function: &Function) -> HashSet<Word> {
    let blocks: HashMap<Word, &Block> = function.blocks.iter().map(|b| (label(b), b)).collect();
    let mut found = HashSet::new();
    for (&at, block) in &blocks {
        let merge = block.instructions.iter().find(|i| i.class.opcode == Op::LoopMerge);
        if let Some(merge) = merge {
            found.insert(at);
            found.extend(reached(&blocks, at, merge.operands[0].id_ref_any()));
        } else if reached(&blocks, at, None).contains(&at) {
            found.insert(at);
        }
    }
    found
}

/// Whether the type is a 32-bit integer, or a vector of them.
fn is_word(module: &Module, id: Word) -> bool {
    let ty = module.types_global_values.iter().find(|i| i.result_id == Some(id)).expect("a type");
    match ty.class.opcode {
        Op::TypeInt => ty.operands[0] == Operand::LiteralBit32(32),
        Op::TypeVector => is_word(module, ty.operands[0].unwrap_id_ref()),
        _ => false,
    }
}

fn is_reduction(module: &Module, instruction: &Instruction) -> bool {
    matches!(
        instruction.class.opcode,
        Op::GroupNonUniformIAdd
            | Op::GroupNonUniformSMin
            | Op::GroupNonUniformUMin
            | Op::GroupNonUniformSMax
            | Op::GroupNonUniformUMax
            | Op::GroupNonUniformBitwiseAnd
            | Op::GroupNonUniformBitwiseOr
            | Op::GroupNonUniformBitwiseXor
    ) && instruction.operands.iter().any(|operand| {
        let reduce = Operand::GroupOperation(GroupOperation::Reduce);
        *operand == reduce || *operand == Operand::GroupOperation(GroupOperation::ClusteredReduce)
    }) && is_word(module, instruction.result_type.expect("has a result"))
}

fn name_of(module: &Module, id: Word) -> String {
    let names =
        |i: &&Instruction| i.class.opcode == Op::Name && i.operands[0].id_ref_any() == Some(id);
    match module.debug_names.iter().find(names).and_then(|i| i.operands.get(1)) {
        Some(Operand::LiteralString(name)) => name.clone(),
        _ => format!("%{id}"),
    }
}

/// Returns the reductions of 32-bit integers in a loop, or in a function that is called in a loop, as `function:
/// operation`.
fn reductions_in_loops(spirv: &[u32]) -> Vec<String> {
    let module = load_words(spirv).expect("a module");
    let id_of = |function: &Function| function.def.as_ref().and_then(|d| d.result_id).unwrap();
    let functions: HashMap<Word, &Function> =
        module.functions.iter().map(|f| (id_of(f), f)).collect();
    let mut found = Vec::new();
    let mut repeated = HashSet::new(); // functions called from a loop
    let mut called = Vec::new();
    let mut look = |function: Word, block: &Block, called: &mut Vec<Word>| {
        for instruction in &block.instructions {
            if instruction.class.opcode == Op::FunctionCall {
                called.push(instruction.operands[0].unwrap_id_ref());
            } else if is_reduction(&module, instruction) {
                let name = name_of(&module, function);
                found.push(format!("{name}: {:?}", instruction.class.opcode));
            }
        }
    };
    let looped: HashMap<Word, HashSet<Word>> =
        functions.iter().map(|(&id, f)| (id, in_loops(f))).collect();
    for (&id, function) in &functions {
        for block in function.blocks.iter().filter(|b| looped[&id].contains(&label(b))) {
            look(id, block, &mut called);
        }
    }
    while let Some(id) = called.pop() {
        if repeated.insert(id) {
            // The loops of the function itself have already been searched.
            let blocks = functions[&id].blocks.iter();
            for block in blocks.filter(|b| !looped[&id].contains(&label(b))) {
                look(id, block, &mut called);
            }
        }
    }
    found.sort();
    found
}

/// Returns the reductions found in a shader with these functions. Its buffer is `data.at[]`.
fn found_in(functions: &str) -> Vec<String> {
    let head = "#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Data { uint at[]; } data;
";
    reductions_in_loops(&compile(&Source::new("test.comp", &format!("{head}{functions}"))).unwrap())
}

#[test]
fn no_built_in_kernel_has_integer_subgroup_reductions_in_loops() {
    let mut wrong = Vec::new();
    for builtin in builtin::ALL {
        let found = reductions_in_loops(builtin.kernel().expect("built-in").spirv());
        wrong.extend(found.iter().map(|place| format!("{}, {place}", builtin.label())));
    }
    assert!(
        wrong.is_empty(),
        "these reductions are in loops, which a driver compiles wrongly; use lane_totals.glsl:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn known_miscompiled_kernel_is_detected() {
    let words: Vec<u32> = LOST_KEYS
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    let found = reductions_in_loops(&words);
    let sums = found.iter().filter(|place| place.starts_with("sum_of_earlier_subgroups("));
    assert_eq!(sums.count(), 2, "{found:?}");
}

#[test]
fn reductions_in_loops_are_detected() {
    for (functions, expected) in [
        (
            "void main() { for (uint i = 0; i < data.at[1]; ++i) data.at[i] = subgroupAdd(i); }",
            "main: GroupNonUniformIAdd",
        ),
        // This block exits the loop, but still counts as part of it.
        (
            "void main() { while (true) if (data.at[0] > 3) { data.at[1] = subgroupMax(data.at[2]); break; } }",
            "main: GroupNonUniformUMax",
        ),
        (
            "int smallest(int x) { return subgroupMin(x); }
            int smallest_of(int x) { return x > 3 ? smallest(x) : 0; }
            void main() { do { data.at[1] = smallest_of(int(data.at[0])); } while (data.at[0] > 3); }",
            "smallest(i1;: GroupNonUniformSMin",
        ),
        (
            "void main() { while (data.at[0] > 3) data.at[1] = subgroupClusteredOr(uvec2(data.at[2]), 4).x; }",
            "main: GroupNonUniformBitwiseOr",
        ),
    ] {
        assert_eq!(found_in(functions), [expected], "{functions}");
    }
}

#[test]
fn other_subgroup_operations_are_allowed() {
    for functions in [
        // Reductions before and after a loop are allowed.
        "uint sum(uint x) { return subgroupAdd(x); }
        void main() {
            uint total = sum(data.at[0]);
            for (uint i = 0; i < total; ++i) data.at[i] = i;
            data.at[0] = sum(data.at[1]);
        }",
        // Scans, ballot counts, and reductions of floats are allowed.
        "void main() {
            for (uint i = 0; i < data.at[1]; ++i)
                data.at[i] = subgroupInclusiveAdd(i) + subgroupBallotBitCount(subgroupBallot(i > 3))
                    + uint(subgroupAdd(float(i)));
        }",
    ] {
        assert_eq!(found_in(functions), [""; 0], "{functions}");
    }
}
