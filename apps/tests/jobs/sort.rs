//! Tests of `multisplit sort`.

use crate::arrays::{Keys, in_order, npy, words};
use crate::workdir::Workdir;

#[test]
fn types_of_32_and_64_bits_are_sorted_and_argsorted() {
    let workdir = Workdir::new();
    for keys in Keys::of_every_type(900, 7) {
        workdir.write("in.npy", keys.npy());
        let way = if ["i32", "u64", "f64"].contains(&keys.name) { "--descending" } else { "" };
        let order = if way.is_empty() { &keys.ascending } else { &keys.descending };
        workdir.job(&format!("sort in.npy -o out.npy --argsort order.npy {way} --verify --force"));
        let (case, n) = (format!("{} {way}", keys.name), keys.len());
        let sorted = in_order(&keys.raw, keys.each, order);
        workdir.expect_npy("out.npy", (keys.descr, n), &sorted, &case);
        workdir.expect_npy("order.npy", ("<u4", n), &words(order.iter().copied()), &case);
    }
}

#[test]
fn values_move_with_their_keys() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 900, 8);
    workdir.write("in.bin", &keys.raw);
    for (each, option) in [(4, ""), (8, "--value-bytes 8"), (16, "--value-bytes 16")] {
        let values: Vec<u8> = (0..keys.len() * each).map(|byte| (byte * 7 / 5) as u8).collect();
        workdir.write("values.bin", &values);
        let along = format!("--values values.bin --values-out moved.bin {option}");
        workdir.job(&format!("sort in.bin -o out.bin --type u32 {along} --verify --force"));
        assert!(workdir.read("out.bin") == keys.sorted());
        let moved = in_order(&values, each, &keys.ascending);
        assert!(workdir.read("moved.bin") == moved, "values of {each} bytes differ");
    }
}

#[test]
fn values_keep_their_type() {
    let workdir = Workdir::new();
    let (keys, values) = (Keys::of("f64", 900, 9), Keys::of("f64", 900, 10));
    workdir.write("in.npy", keys.npy());
    workdir.write("values.npy", values.npy());
    // With --argsort, the sort does not move the values; they are permuted by its indices.
    let along = "--values values.npy --values-out moved.npy --argsort order.npy";
    workdir.job(&format!("sort in.npy -o out.npy {along}"));
    let moved = in_order(&values.raw, 8, &keys.ascending);
    workdir.expect_npy("moved.npy", ("<f8", 900), &moved, "values");
}

#[test]
fn all_methods_give_the_same_result() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 3000, 11);
    workdir.write("in.bin", &keys.raw);
    for method in ["--method auto", "--method onesweep", "--method multisplit --radix-bits 5"] {
        workdir.job(&format!("sort in.bin -o out.bin --type u32 {method} --force"));
        assert!(workdir.read("out.bin") == keys.sorted(), "{method}: the keys differ");
    }
}

#[test]
fn mismatched_values_are_rejected() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 10, 12);
    workdir.write("in.bin", &keys.raw);
    workdir.write("few.bin", words([1, 2, 3]));
    workdir.write("narrow.npy", npy(1, "|u1", 10, &[0; 10]));
    workdir.write("vast.npy", npy(1, "|V17", 10, &[0; 170]));
    for (values, part) in [
        ("few.bin", "few.bin has 3 values, but there are 10 keys"),
        ("narrow.npy --value-bytes 4", "narrow.npy has values of 1 bytes, but --value-bytes is 4"),
        (
            "vast.npy",
            "vast.npy has values of type '|V17' and shape [], but a value must have 1 to 16 bytes",
        ),
    ] {
        let line = "sort in.bin -o out.bin --type u32 --values-out o.bin --values";
        workdir.fails(&format!("{line} {values}"), part);
    }
}
