//! Tests of the engine and of shortest paths on a Vulkan driver.
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
mod histogram_edges;
mod histogram_errors;
mod histogram_options;
mod histogram_product;
mod histogram_run;
mod hostile_merges;
mod hostile_rig;
mod hostile_scans;
mod hostile_sorts;
mod kept_state;
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
mod pipeline_fallback;
mod policies;
mod policy_fields;
mod probe;
mod profiles;
mod reduce;
mod reduce_segments;
mod replay;
mod replay_family;
mod scan;
mod scan_segments;
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

/// The tests of files, in this order.
macro_rules! subjects {
    ($($widths:ident: $($file:ident),*;)*) => { vec![$($($widths($file::tests())),*),*] };
}

fn main() -> ExitCode {
    harness::main(subjects! {
        every_width: scan, scan_types, scan_segments, reduce, by_key;
        in_turn: reduce_segments, user_terms, merge, search, work_found;
        every_width: select, sssp_methods;
        in_turn: sssp_results, sssp_tuning, hostile_scans, hostile_sorts, hostile_merges, counts;
        every_width: multisplit_cases;
        in_turn: multisplit_full_sort, multisplit_functions, multisplit_keys;
        every_width: multisplit_labels;
        in_turn: multisplit_large;
        every_width: histogram_cases;
        in_turn: histogram_closed, histogram_edges, histogram_options, histogram_product;
        every_width: sort_cases, sort_few;
        in_turn: sort_options;
        every_width: sort_segments, topk, narrow;
        in_turn: narrow_splits, narrow_topk, kernels, matrices, large, large_split, parts, policies,
            probe, replay, replay_family, kept_state, synchronization, canary;
        one_width: family_cost, memory, pipeline_fallback, profiles, large_limits, histogram_errors, descriptors,
            observe, soundness, soundness_glsl, soundness_order, work, terms_calls, segments_calls,
            adopt, embedding, embedding_addresses, embedding_contract, embedding_primitives,
            embedding_threads, cache, errors, validation, extremes, environment;
    })
}
