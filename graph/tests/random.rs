//! Thousands of random graphs against the brute-force model: the plan is synchronised, exactly,
//! and computes what was declared.

// A panic is how a test reports.
#![allow(clippy::expect_used, clippy::panic)]

mod common;
mod drawn;
mod model;

use common::limits;
use drawn::{Builder, Drawn, drawn};
use model::Declared;
use multisplit_graph::{GraphError, Plan};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

fn planned(drawn: &Drawn) -> Result<Option<(Declared, Plan)>, TestCaseError> {
    let (graph, declared) = Builder::build(drawn);
    match graph.compile(&limits()) {
        Ok(plan) if !model::meaning::has_cycle(&declared) => Ok(Some((declared, plan))),
        Err(GraphError::Cycle { .. }) if model::meaning::has_cycle(&declared) => Ok(None),
        other => Err(TestCaseError::fail(format!("{other:?}"))),
    }
}

/// `PROPTEST_CASES` says otherwise.
fn config(cases: u32) -> ProptestConfig {
    let cases =
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn plans_agree_with_the_model(drawn in drawn()) {
        if let Some((declared, plan)) = planned(&drawn)? {
            model::check(&declared, &plan).map_err(|error| {
                TestCaseError::fail(format!("{error}\n{}", plan.to_text()))
            })?;
        }
    }

    #[test]
    fn the_model_misses_any_barrier(drawn in drawn()) {
        if let Some((declared, plan)) = planned(&drawn)? {
            for (step, _) in plan.barriers() {
                prop_assert!(model::sync::sound(&declared, &plan.without_barrier(step)).is_err());
            }
        }
    }

    #[test]
    fn plans_are_deterministic(drawn in drawn()) {
        let dump = || Ok::<_, TestCaseError>(planned(&drawn)?.map(|(_, plan)| (plan.to_text(), plan.to_dot(), plan.to_json())));
        prop_assert_eq!(dump()?, dump()?);
    }
}

/// The random graphs are worth something only if what can go wrong comes up in them.
#[test]
fn everything_comes_up() {
    use multisplit_graph::HazardKind::{
        Entry, Exit, Order, ReadAfterWrite, WriteAfterRead, WriteAfterWrite,
    };
    use proptest::strategy::ValueTree;

    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let mut count =
        |what: &str, holds: bool| *seen.entry(what.to_owned()).or_default() += usize::from(holds);
    for _ in 0..1000 {
        let drawn = drawn().new_tree(&mut runner).expect("a graph").current();
        let plan = planned(&drawn).expect("a plan or a cycle");
        count("cycle", plan.is_none());
        let Some((_, plan)) = plan else { continue };
        let hazards = || plan.barriers().flat_map(|(_, barrier)| &barrier.hazards);
        for kind in [ReadAfterWrite, WriteAfterRead, WriteAfterWrite, Order, Entry, Exit] {
            count(kind.short_name(), hazards().any(|hazard| hazard.kind == kind));
        }
        count("aliased", hazards().any(|hazard| hazard.aliased));
        count("replay", hazards().any(|hazard| hazard.replay));
        count("aliased replay", hazards().any(|hazard| hazard.aliased && hazard.replay));
        count("culled", !plan.culled().is_empty());
        count("parallel", plan.steps().len() > plan.levels() as usize);
        count(
            "several barriers in a call",
            plan.barriers().any(|(_, barrier)| barrier.memory.len() > 1),
        );
        count("deep", plan.levels() > 4);
    }
    for (what, graphs) in &seen {
        assert!(*graphs >= 20, "{what} in {graphs} graphs of 1000: {seen:?}");
    }
}
