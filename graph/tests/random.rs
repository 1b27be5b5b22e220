//! Checks the plans of thousands of random graphs against the brute-force model: barriers are
//! sufficient and minimal, and the results are those of the declared graph.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;
mod model;
mod random_graph;

use common::limits;
use model::Declared;
use multisplit_graph::{GraphError, Plan};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use random_graph::{Builder, RandomGraph, random_graph};

/// Compiles a random graph. Returns `None` if it has a cycle. Fails if the planner and the model
/// disagree about whether it has one.
fn planned(sample: &RandomGraph) -> Result<Option<(Declared, Plan)>, TestCaseError> {
    let (graph, declared) = Builder::build(sample);
    match graph.compile(&limits()) {
        Ok(plan) if !model::semantics::has_cycle(&declared) => Ok(Some((declared, plan))),
        Err(GraphError::Cycle { .. }) if model::semantics::has_cycle(&declared) => Ok(None),
        other => Err(TestCaseError::fail(format!("{other:?}"))),
    }
}

/// Runs `cases` cases, unless the environment variable `PROPTEST_CASES` sets another number.
fn config(cases: u32) -> ProptestConfig {
    let cases =
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn plans_agree_with_the_model(sample in random_graph()) {
        if let Some((declared, plan)) = planned(&sample)? {
            model::check(&declared, &plan).map_err(|error| {
                TestCaseError::fail(format!("{error}\n{}", plan.to_text()))
            })?;
        }
    }

    #[test]
    fn model_detects_every_missing_barrier(sample in random_graph()) {
        if let Some((declared, plan)) = planned(&sample)? {
            for (step, _) in plan.barriers() {
                prop_assert!(
                    model::sync::sound(&declared, &plan.without_barrier(step)).is_err(),
                    "the model accepts the plan without the barrier before step {step}"
                );
            }
        }
    }

    #[test]
    fn plans_are_deterministic(sample in random_graph()) {
        let dump = || Ok::<_, TestCaseError>(planned(&sample)?.map(|(_, plan)| (plan.to_text(), plan.to_dot(), plan.to_json())));
        prop_assert_eq!(dump()?, dump()?);
    }
}

/// Every kind of hazard and every feature must occur in at least 2% of the random graphs.
#[test]
fn random_graphs_cover_all_features() {
    use multisplit_graph::HazardKind::{
        Entry, Exit, Order, ReadAfterWrite, WriteAfterRead, WriteAfterWrite,
    };
    use proptest::strategy::ValueTree;

    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut occurrences = std::collections::BTreeMap::<String, usize>::new();
    let mut count = |feature: &str, occurs: bool| {
        *occurrences.entry(feature.to_owned()).or_default() += usize::from(occurs);
    };
    for _ in 0..1000 {
        let sample = random_graph().new_tree(&mut runner).expect("a graph").current();
        let plan = planned(&sample).expect("a plan or a cycle");
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
    for (feature, graphs) in &occurrences {
        assert!(
            *graphs >= 20,
            "{feature} occurs in {graphs} of 1000 graphs, expected at least 20: {occurrences:?}"
        );
    }
}
