//! Tests that all kernels with a user's predicate or operator accept functions for every type, with
//! bindings and with addresses.
#![cfg(feature = "compile")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::expect_valid;
use multisplit_shaders::UserFunction;
use multisplit_shaders::address::by_address;
use multisplit_shaders::builtin::{Builtin, variants};
use multisplit_shaders::{CheckError, Kernel};

const TYPES: [&str; 6] = ["uint", "int", "float", "uint64_t", "int64_t", "double"];

fn check(builtin: &Builtin, role: UserFunction, key: &str, source: &str) {
    let label = builtin.label();
    let kernel = Kernel::with_user_function(builtin, role, key, source)
        .unwrap_or_else(|e| panic!("{label}, {key}: {e}"));
    assert!(!kernel.is_built_in() && !kernel.is_foreign());
    expect_valid(label, kernel.spirv());
    let addresses = by_address(kernel.spirv_for_addresses(), kernel.interface());
    expect_valid(label, &addresses.unwrap_or_else(|e| panic!("{label}: {e}")));
}

#[test]
fn kernels_accept_operators_of_every_type() {
    for (number, key) in TYPES.into_iter().enumerate() {
        // A user's operator is compiled into the kernels for sums: variant 0 has 32-bit terms, variant 2 has 64-bit
        // terms.
        let variant = if number < 3 { 0 } else { 2 };
        let source = format!(
            "{key} one({key} x) {{ return x; }}
             {key} combined(const {key} a, {key} b) {{ b += one(a); return b; }}"
        );
        for kernels in [
            &variants::SCAN_REDUCE,
            &variants::SCAN_SPINE,
            &variants::SCAN_DOWNSWEEP,
            &variants::SCAN_LOOKBACK,
            &variants::SCAN_LOOKBACK_SMALL,
            &variants::SCAN_OPEN_TOTALS,
            &variants::SCAN_OPEN_SPINE,
            &variants::SCAN_BY_KEY_DOWNSWEEP,
            &variants::REDUCE_BY_KEY_DOWNSWEEP,
            &variants::REDUCE_SEGMENTS,
            &variants::REDUCE_JOIN,
            &variants::REDUCE_LONG_SEGMENTS,
            &variants::REDUCE_LONG_JOIN,
            &variants::REDUCE_POLLED_SEGMENTS,
            &variants::REDUCE_ROWS,
            &variants::REDUCE_TERMS,
        ] {
            check(kernels[variant], UserFunction::Operator, key, &source);
        }
    }
}

#[test]
fn kernels_accept_predicates_of_every_type() {
    for (number, key) in TYPES.into_iter().enumerate() {
        let source = format!(
            "bool is_selected({key} x) {{ return x < {key}(3) && table.at[push.parameter_2] > 1u; }}"
        );
        for kernels in
            [&variants::SELECT_SWEEP, &variants::SELECT_SWEEP_SMALL, &variants::SELECT_PARTITION]
        {
            check(kernels[number / 3], UserFunction::Predicate, key, &source);
        }
    }
}

/// Operators must not be able to read the kernel's data, not even by declaring a variable of the
/// same name.
#[test]
fn operators_cannot_read_kernel_data() {
    for (declaration, read) in
        [("uint count[64]", "count[b & 63u]"), ("uvec4 count", "count.w"), ("uint count", "count")]
    {
        let source = format!(
            "layout(push_constant) uniform P {{ {declaration}; }} push;
             uint combined(uint a, uint b) {{ return a + b + push.{read}; }}"
        );
        let kernel = variants::REDUCE_TERMS[0];
        let refused = Kernel::with_user_function(kernel, UserFunction::Operator, "uint", &source);
        let text = refused.expect_err("it reads data of the kernel").to_string();
        assert!(text.contains("push"), "`push` is not in: {text}");
    }
}

/// A function for one purpose must not be accepted for another.
#[test]
fn functions_are_rejected_for_other_roles() {
    let bucket = "uint bucket_of(uint key) { return key; }";
    for (role, wanted) in [
        (UserFunction::Operator, "uint combined(uint, uint)"),
        (UserFunction::Predicate, "bool is_selected(uint)"),
    ] {
        let refused = Kernel::with_user_function(variants::SCAN_REDUCE[0], role, "uint", bucket);
        let text = refused.expect_err("the source has another function").to_string();
        assert_eq!(text, format!("the GLSL has no function `{wanted}`"));
    }
    let error = CheckError::SideEffect { function: "f".to_owned(), problem: "writes".to_owned() };
    assert!(
        error.to_string().starts_with("`f` writes; the function and its callees may read only")
    );
}
