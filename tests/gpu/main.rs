//! Every test that needs a Vulkan driver.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adopt;
mod by_key;
mod cache;
mod canary;
mod counted_device;
mod counts;
mod descriptors;
mod embedding;
mod embedding_addresses;
mod embedding_cases;
mod embedding_contract;
mod embedding_primitives;
mod embedding_threads;
mod environment;
mod errors;
mod example_frames;
mod extremes;
mod family_cost;
mod histogram_cases;
mod histogram_closed;
mod histogram_errors;
mod histogram_options;
mod histogram_product;
mod histogram_run;
mod hostile_merges;
mod hostile_rig;
mod hostile_scans;
mod hostile_sorts;
mod kernels;
mod large;
mod large_limits;
mod large_split;
mod matrices;
mod memory;
mod merge;
mod multisplit_cases;
mod multisplit_full_sort;
mod multisplit_functions;
mod multisplit_keys;
mod multisplit_labels;
mod multisplit_large;
mod narrow;
mod narrow_splits;
mod narrow_topk;
mod observe;
mod parts;
mod policies;
mod policy_fields;
mod probe;
mod profiles;
mod reduce;
mod reduce_segments;
mod replay;
mod replay_family;
mod scan;
mod scan_types;
mod search;
mod segments_calls;
mod select;
mod sort_cases;
mod sort_few;
mod sort_options;
mod sort_run;
mod sort_segments;
mod soundness;
mod soundness_glsl;
mod soundness_order;
mod sssp_methods;
mod sssp_results;
mod sssp_tuning;
mod synchronization;
mod terms_calls;
mod topk;
mod topk_run;
mod user_terms;
mod validation;
mod work;
mod work_found;

use std::process::ExitCode;

use multisplit_tests::harness::{self, every_width, in_turn, one_width};

fn main() -> ExitCode {
    let subjects = vec![
        every_width(scan::tests()),
        every_width(scan_types::tests()),
        every_width(reduce::tests()),
        every_width(by_key::tests()),
        in_turn(reduce_segments::tests()),
        in_turn(user_terms::tests()),
        in_turn(merge::tests()),
        in_turn(search::tests()),
        in_turn(work_found::tests()),
        every_width(select::tests()),
        every_width(sssp_methods::tests()),
        in_turn(sssp_results::tests()),
        in_turn(sssp_tuning::tests()),
        in_turn(hostile_scans::tests()),
        in_turn(hostile_sorts::tests()),
        in_turn(hostile_merges::tests()),
        in_turn(counts::tests()),
        every_width(multisplit_cases::tests()),
        in_turn(multisplit_full_sort::tests()),
        in_turn(multisplit_functions::tests()),
        in_turn(multisplit_keys::tests()),
        every_width(multisplit_labels::tests()),
        in_turn(multisplit_large::tests()),
        every_width(histogram_cases::tests()),
        in_turn(histogram_closed::tests()),
        in_turn(histogram_options::tests()),
        in_turn(histogram_product::tests()),
        every_width(sort_cases::tests()),
        every_width(sort_few::tests()),
        in_turn(sort_options::tests()),
        every_width(sort_segments::tests()),
        every_width(topk::tests()),
        every_width(narrow::tests()),
        in_turn(narrow_splits::tests()),
        in_turn(narrow_topk::tests()),
        in_turn(kernels::tests()),
        in_turn(matrices::tests()),
        in_turn(large::tests()),
        in_turn(large_split::tests()),
        in_turn(parts::tests()),
        in_turn(policies::tests()),
        in_turn(probe::tests()),
        in_turn(replay::tests()),
        in_turn(replay_family::tests()),
        in_turn(synchronization::tests()),
        in_turn(canary::tests()),
        one_width(family_cost::tests()),
        one_width(memory::tests()),
        one_width(profiles::tests()),
        one_width(large_limits::tests()),
        one_width(histogram_errors::tests()),
        one_width(descriptors::tests()),
        one_width(observe::tests()),
        one_width(soundness::tests()),
        one_width(soundness_glsl::tests()),
        one_width(soundness_order::tests()),
        one_width(work::tests()),
        one_width(terms_calls::tests()),
        one_width(segments_calls::tests()),
        one_width(adopt::tests()),
        one_width(embedding::tests()),
        one_width(embedding_addresses::tests()),
        one_width(embedding_contract::tests()),
        one_width(embedding_primitives::tests()),
        one_width(embedding_threads::tests()),
        one_width(cache::tests()),
        one_width(errors::tests()),
        one_width(validation::tests()),
        one_width(extremes::tests()),
        one_width(environment::tests()),
    ];
    harness::main(subjects)
}
