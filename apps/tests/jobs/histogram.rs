//! `multisplit histogram`.

use serde_json::Value;

use crate::arrays::{Keys, npy, words};
use crate::desk::Desk;

fn counts(object: &Value) -> Vec<u64> {
    let numbers = object["counts"].as_array().expect("counts");
    numbers.iter().map(|number| number.as_u64().expect("a count")).collect()
}

#[track_caller]
fn json(desk: &Desk, line: &str) -> Value {
    let ran = desk.job(&format!("histogram {line} --json --verify"));
    serde_json::from_str(&ran.out).expect("one object")
}

#[test]
fn every_type_is_counted() {
    let desk = Desk::new();
    // 0 to 99 and some that are out of range; exact in every type.
    let numbers: Vec<u8> = (0..3000u32).map(|index| (index * 37 % 110) as u8).collect();
    let mut expected = [0u64; 10];
    numbers.iter().filter(|&&x| x < 100).for_each(|&x| expected[usize::from(x / 10)] += 1);
    let out_of_range = numbers.iter().filter(|&&x| x >= 100).count();
    for (name, descr) in [
        ("u8", "|u1"),
        ("u16", "<u2"),
        ("u32", "<u4"),
        ("i32", "<i4"),
        ("f32", "<f4"),
        ("u64", "<u8"),
        ("i64", "<i8"),
        ("f64", "<f8"),
    ] {
        let raw: Vec<u8> = match name {
            "u8" => numbers.clone(),
            "u16" => numbers.iter().flat_map(|&x| u16::from(x).to_le_bytes()).collect(),
            "f32" => numbers.iter().flat_map(|&x| f32::from(x).to_le_bytes()).collect(),
            "f64" => numbers.iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect(),
            "u64" | "i64" => numbers.iter().flat_map(|&x| u64::from(x).to_le_bytes()).collect(),
            _ => words(numbers.iter().map(|&x| usize::from(x))),
        };
        desk.write("in.npy", npy(1, descr, numbers.len(), &raw));
        let object = json(&desk, "in.npy --bins 10 --range 0 100");
        assert_eq!(counts(&object), expected, "{name}");
        assert_eq!(object["out_of_range"], out_of_range, "{name}");
        let edges: Vec<f64> = (0..=10).map(|tenth| f64::from(10 * tenth)).collect();
        assert_eq!(object["edges"], serde_json::json!(edges), "{name}");
        assert_eq!(object["type"], name);
    }
}

#[test]
fn splitters_and_functions_of_ones_own() {
    let desk = Desk::new();
    desk.write("in.csv", "-1.5\n-1\n0\n0.25\n0.5\n7\nNaN\n");
    desk.write("at.csv", "-1\n0\n0.5\n7\n");
    let object = json(&desk, "in.csv --type f64 --splitters at.csv");
    assert_eq!(counts(&object), [1, 2, 1]);
    assert_eq!(object["out_of_range"], 3);
    desk.write("words.bin", words([1, 2, 3, 4, 9]));
    desk.write("odd.glsl", "uint bucket_of(uint x) { return x > 8u ? 7u : x & 1u; }");
    let object = json(&desk, "words.bin --type u32 --bins 2 --glsl odd.glsl");
    assert_eq!((counts(&object), &object["out_of_range"]), (vec![2, 2], &1.into()));
}

#[test]
fn it_is_shown_and_written() {
    let desk = Desk::new();
    desk.write("in.bin", words([0, 1, 1, 2, 9]));
    let ran = desk.job("histogram in.bin --type u32 --bins 3 --range 0 3");
    assert_eq!(ran.out.lines().count(), 4, "{}", ran.out);
    for part in ["[1, 2)", "█", "out of range: 1"] {
        assert!(ran.out.contains(part), "no `{part}` in\n{}", ran.out);
    }
    let files = "--csv counts.csv --svg picture.svg";
    let ran = desk.job(&format!("histogram in.bin --type u32 --bins 3 --range 0 3 {files}"));
    assert!(ran.out.is_empty() && ran.err.contains("1 out of range"), "{}{}", ran.out, ran.err);
    let text = String::from_utf8(desk.read("counts.csv")).expect("text");
    assert_eq!(text, "lo,hi,count\n0.0,1.0,1\n1.0,2.0,2\n2.0,3.0,1\n");
    assert!(desk.read("picture.svg").starts_with(b"<svg"));
}

#[test]
fn less_memory_counts_the_same() {
    let desk = Desk::new();
    let keys = Keys::of("f32", 30_000, 60);
    desk.write("in.npy", keys.npy());
    let line = "in.npy --bins 7 --range -1000 1000";
    let whole = json(&desk, line);
    assert_eq!(json(&desk, &format!("{line} --memory-limit 12000")), whole);
}

#[test]
fn what_cannot_be_counted_is_told() {
    let desk = Desk::new();
    desk.write("in.bin", words([1, 2]));
    desk.write("down.bin", words([2, 1]));
    for (line, part) in [
        ("--bins 2 --range 0 x", "`x` is not a number of type u32"),
        ("--bins 2 --range 5 5", "range"),
        ("--splitters down.bin", "sorted"),
        ("--bins 2 --glsl none.glsl", "cannot read none.glsl"),
    ] {
        let ran = desk.run(&format!("histogram in.bin --type u32 {line} --csv out.csv")).expect(1);
        assert!(ran.complaint().contains(part), "{line}: {}", ran.err);
        assert_eq!(desk.names(), ["down.bin", "in.bin"]);
    }
    for line in ["--bins 2", "--range 0 1", "--bins 2 --splitters down.bin", "--bins 0 --range 0 1"]
    {
        desk.run(&format!("histogram in.bin --type u32 {line}")).expect(2);
    }
}
