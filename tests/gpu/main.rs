//! Every test that needs a Vulkan driver.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adopt;
mod cache;
mod counts;
mod descriptors;
mod environment;
mod errors;
mod kernels;
mod memory;
mod multisplit_cases;
mod multisplit_functions;
mod multisplit_keys;
mod multisplit_large;
mod replay;
mod scan;
mod sort_cases;
mod sssp_methods;
mod sssp_results;
mod synchronization;

use std::process::ExitCode;

fn main() -> ExitCode {
    let subjects = [
        memory::tests(),
        scan::tests(),
        sssp_methods::tests(),
        sssp_results::tests(),
        counts::tests(),
        multisplit_cases::tests(),
        multisplit_functions::tests(),
        multisplit_keys::tests(),
        multisplit_large::tests(),
        sort_cases::tests(),
        kernels::tests(),
        descriptors::tests(),
        replay::tests(),
        synchronization::tests(),
        adopt::tests(),
        cache::tests(),
        errors::tests(),
        environment::tests(),
    ];
    multisplit_tests::harness::main(subjects.into_iter().flatten().collect())
}
