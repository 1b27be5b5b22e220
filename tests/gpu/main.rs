//! Every test that needs a Vulkan driver.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adopt;
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
mod histogram_cases;
mod histogram_errors;
mod histogram_options;
mod histogram_run;
mod kernels;
mod memory;
mod multisplit_cases;
mod multisplit_full_sort;
mod multisplit_functions;
mod multisplit_keys;
mod multisplit_large;
mod observe;
mod policies;
mod probe;
mod profiles;
mod replay;
mod scan;
mod sort_cases;
mod sort_options;
mod sort_run;
mod sort_segments;
mod soundness;
mod soundness_glsl;
mod soundness_order;
mod sssp_methods;
mod sssp_results;
mod synchronization;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    let subjects = [
        memory::tests(),
        profiles::tests(),
        scan::tests(),
        sssp_methods::tests(),
        sssp_results::tests(),
        counts::tests(),
        multisplit_cases::tests(),
        multisplit_full_sort::tests(),
        multisplit_functions::tests(),
        multisplit_keys::tests(),
        multisplit_large::tests(),
        histogram_cases::tests(),
        histogram_options::tests(),
        histogram_errors::tests(),
        sort_cases::tests(),
        sort_options::tests(),
        sort_segments::tests(),
        kernels::tests(),
        descriptors::tests(),
        observe::tests(),
        policies::tests(),
        probe::tests(),
        replay::tests(),
        synchronization::tests(),
        soundness::tests(),
        soundness_glsl::tests(),
        soundness_order::tests(),
        work::tests(),
        adopt::tests(),
        embedding::tests(),
        embedding_addresses::tests(),
        embedding_contract::tests(),
        embedding_primitives::tests(),
        embedding_threads::tests(),
        cache::tests(),
        canary::tests(),
        errors::tests(),
        environment::tests(),
    ];
    multisplit_tests::harness::main(subjects.into_iter().flatten().collect())
}
