//! Tests that the model rejects deliberately broken plans. If it accepted everything, the random
//! tests would be meaningless.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;
mod model;

use common::{Once as _, plan, step};
use model::{Declared, DeclaredBuffer, DeclaredPass, DeclaredUse, Kind};
use multisplit_graph::{Access, BrokenPlan, BufferPlacement, Graph, Plan};

const BYTES: u64 = 64;

/// The declaration and plan of the replayable graph in -> a -> b -> c -> out, where `a` and `c`
/// share memory.
fn chain() -> (Declared, Plan) {
    let mut g = Graph::new("chain");
    let mut declared = Declared { replayable: true, ..Declared::default() };
    let src = g.import_bytes("in", BYTES);
    let work = ["a", "b", "c"].map(|name| g.transient_bytes(name, BYTES));
    let out = g.import_bytes("out", BYTES);
    let buffers = [src, work[0], work[1], work[2], out];
    for (index, _) in buffers.iter().enumerate() {
        let kind = if index == 0 || index == 4 { Kind::Import } else { Kind::Transient };
        declared.buffers.push(DeclaredBuffer { kind, size: BYTES });
    }
    for (index, pair) in buffers.windows(2).enumerate() {
        let label = format!("p{index}");
        g.pass(&label, step()).bind("src", pair[0]).bind("dst", pair[1]).once();
        let used = |buffer: usize, writes: bool| DeclaredUse {
            buffer,
            start: 0,
            end: BYTES,
            reads: !writes,
            writes,
            scratch: false,
        };
        let uses = vec![used(index, false), used(index + 1, true)];
        declared.passes.push(DeclaredPass { label, kept: false, uses });
    }
    g.replayable();
    (declared, plan(&g))
}

#[test]
fn valid_plan_is_accepted() {
    let (declared, plan) = chain();
    assert_eq!(model::check(&declared, &plan), Ok(()));
    assert!(plan.workspace().size < plan.workspace().unaliased_size, "no buffers share memory");
}

#[test]
fn missing_barrier_is_detected() {
    let (declared, plan) = chain();
    assert_eq!(plan.barriers().count(), 4);
    for (step, _) in plan.barriers() {
        assert!(
            model::sync::sound(&declared, &plan.without_barrier(step)).is_err(),
            "the model accepts the plan without the barrier before step {step}"
        );
    }
}

#[test]
fn redundant_access_bit_is_detected() {
    let (declared, plan) = chain();
    let plan = plan.broken_by(|plan| {
        let barrier = plan.steps[1].barrier.as_mut().expect("step 1 has a barrier");
        barrier.memory[0].dst_access |= Access::UNIFORM_READ;
    });
    assert!(model::sync::sound(&declared, &plan).is_ok());
    assert!(model::sync::check(&declared, &plan).is_err());
}

/// Asserts that the semantic checks of the model reject the plan of [`chain`] after `edit`.
fn assert_detected(edit: impl FnOnce(&mut BrokenPlan<'_>)) {
    let (declared, plan) = chain();
    assert!(model::semantics::check(&declared, &plan.broken_by(edit)).is_err());
}

#[test]
fn sharing_of_memory_in_use_is_detected() {
    assert_detected(|plan| {
        for buffer in plan.buffers.iter_mut() {
            if let BufferPlacement::Transient { offset } = &mut buffer.placement {
                *offset = Some(0);
            }
        }
    });
}

#[test]
fn wrong_pass_order_is_detected() {
    assert_detected(|plan| {
        let (one, two) = (plan.steps[1].pass.clone(), plan.steps[2].pass.clone());
        (plan.steps[1].pass, plan.steps[2].pass) = (two, one);
    });
}

#[test]
fn culling_of_a_live_pass_is_detected() {
    assert_detected(|plan| plan.culled.push(plan.steps.remove(1).pass.label));
}

#[test]
fn wrong_import_contract_is_detected() {
    let (declared, plan) = chain();
    let plan = plan.broken_by(|plan| {
        let BufferPlacement::Import(contract) = &mut plan.buffers[0].placement else {
            panic!("buffer 0 is not an import")
        };
        contract.first_use = contract.first_use.map(|mut scope| {
            scope.access = Access::UNIFORM_READ;
            scope
        });
    });
    let error = model::sync::imports(&declared, &plan).expect_err("wrong contract");
    assert!(error.contains("contract of in"), "expected `contract of in` in: {error}");
}
