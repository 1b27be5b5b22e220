//! Tests of `multisplit merge`, `multisplit search` and `multisplit sort --rows`.

use crate::arrays::{Keys, bytes_of, in_order, npy, words};
use crate::workdir::Workdir;

#[test]
fn sorted_arrays_of_32_and_64_bit_types_are_merged() {
    let workdir = Workdir::new();
    for keys in Keys::of_every_type(1201, 3) {
        // Every other element of a sorted array: both halves are sorted, and equal elements have equal bits.
        let sorted = keys.sorted();
        let half = |from| -> Vec<u8> {
            sorted.chunks(keys.each).skip(from).step_by(2).flatten().copied().collect()
        };
        workdir.write("a.npy", npy(1, keys.descr, 601, &half(0)));
        workdir.write("b.npy", npy(1, keys.descr, 600, &half(1)));
        workdir.job("merge a.npy b.npy -o ab.npy --verify --force");
        workdir.expect_npy("ab.npy", (keys.descr, 1201), &sorted, keys.name);
    }
}

#[test]
fn descending_large_and_empty_merges_are_correct() {
    let workdir = Workdir::new();
    let first: Vec<u32> = (0..9000).map(|i| 90_000 - i * 7).collect();
    let second: Vec<u32> = (0..5000).map(|i| 70_000 - i * 3).collect();
    workdir.write("a.bin", bytes_of(&first));
    workdir.write("b.bin", bytes_of(&second));
    let line = "merge a.bin b.bin --type u32 --descending --verify";
    workdir.job(&format!("{line} -o whole.bin"));
    workdir.job(&format!("{line} -o parts.bin --memory-limit 24KiB"));
    let mut all = [first, second].concat();
    all.sort_unstable_by(|a, b| b.cmp(a));
    assert!(workdir.read("whole.bin") == bytes_of(&all));
    assert!(workdir.read("parts.bin") == workdir.read("whole.bin"));
    workdir.write("none.bin", "");
    workdir.job("merge none.bin none.bin --type f64 -o nothing.bin");
    assert!(workdir.read("nothing.bin").is_empty());
    workdir.write("n.txt", "1\n5\n");
    assert_eq!(workdir.pipe("merge n.txt - -o - --type i8 -q", b"-3\n5\n9\n"), b"-3\n1\n5\n5\n9\n");
}

#[test]
fn search_returns_insertion_positions() {
    let workdir = Workdir::new();
    let sorted: Vec<u32> = (0..6000).map(|i| i / 3 * 10).collect();
    let needles: Vec<u32> = (0..2500).map(|i| i * 7919 % 25_000).collect();
    workdir.write("s.npy", npy(1, "<u4", 6000, bytes_of(&sorted)));
    workdir.write("n.bin", bytes_of(&needles));
    for (side, equal) in [("left", false), ("right", true)] {
        let line = format!("search s.npy n.bin --side {side} --verify --force");
        workdir.job(&format!("{line} -o p.npy"));
        workdir.job(&format!("{line} -o parts.npy --memory-limit 24KiB"));
        let before = |needle: &u32| {
            sorted.iter().filter(|&key| key < needle || (equal && key == needle)).count() as u32
        };
        let expected: Vec<u32> = needles.iter().map(before).collect();
        for name in ["p.npy", "parts.npy"] {
            workdir.expect_npy(name, ("<u4", 2500), bytes_of(&expected), side);
        }
    }
    workdir.write("edges.txt", "-inf\n0.5\n0.5\n");
    assert_eq!(workdir.pipe("search edges.txt - -o - --type f32 -q", b"0.5\nnan\n"), b"1\n3\n");
    workdir.write("sales.csv", "name,price\nTea,1\nMilk,\nSalt,4\n");
    workdir.write("wanted.csv", "price\n2\n4\n");
    workdir.job("search sales.csv wanted.csv --column price -o at.txt --verify");
    assert_eq!(workdir.text("at.txt"), "1\n1\n");
}

/// Input that is unsorted or of mixed types is rejected before writing anything.
#[test]
fn unsorted_input_is_rejected() {
    let workdir = Workdir::new();
    workdir.write("up.bin", words([1, 2, 3]));
    workdir.write("down.bin", words([3, 2, 2]));
    workdir.write("floats.npy", npy(1, "<f4", 1, &words([0])));
    for (line, part) in [
        ("merge up.bin down.bin --type u32 -o o", "down.bin is not sorted: element 1"),
        ("merge down.bin up.bin --type u32 -o o", "down.bin is not sorted: element 1"),
        ("merge down.bin up.bin --type u32 --descending -o o", "up.bin is not sorted from large"),
        ("search down.bin up.bin --type u32 -o o", "down.bin is not sorted: element 1"),
        ("merge floats.npy up.bin --type u32 -o o", "has type f32, but type u32 is required"),
        ("search up.bin floats.npy -o o", "give --type"),
        ("merge - - --type u32 -o o", "standard input can be only one"),
        ("merge up.bin none.bin --type u32 -o o", "none.bin"),
    ] {
        workdir.fails(line, part);
    }
    workdir.write("doubles.npy", npy(1, "<f8", 0, &[]));
    workdir.fails("merge floats.npy doubles.npy -o o", "both must have the same type");
    for line in
        ["merge up.bin -o o", "search up.bin down.bin", "search up.bin up.bin -o o --side middle"]
    {
        workdir.run(line).expect(2);
    }
    // `unique` accepts unsorted input, but prints a note.
    workdir.write("apart.bin", words([1, 2, 1]));
    for (line, noted) in [("down.bin", false), ("apart.bin", true), ("apart.bin --sort", false)] {
        let ran = workdir.job(&format!("unique {line} --type u32 -o runs.bin --force"));
        assert_eq!(ran.err.contains("the numbers are not sorted"), noted, "{line}: {}", ran.err);
    }
}

#[test]
fn rows_are_sorted_separately() {
    let workdir = Workdir::new();
    let all: Vec<u32> = (0..12_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 22).collect();
    workdir.write("m.npy", npy(1, "<u4", 12_000, bytes_of(&all)));
    workdir.write("v.bin", words(0..12_000));
    for length in [40usize, 4000] {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.chunks_mut(length).for_each(|row| row.sort_by_key(|&at| u32::MAX - all[at]));
        let line = format!("sort m.npy --rows {length} --descending --force");
        let along = "--values v.bin --values-out w.bin --value-bytes 4";
        workdir.job(&format!("{line} -o plain.npy"));
        workdir.job(&format!("{line} -o k.npy --argsort i.npy --verify"));
        workdir.job(&format!("{line} -o parts.npy {along} --memory-limit 40KB --verify"));
        let expected = in_order(bytes_of(&all), 4, &order);
        for name in ["k.npy", "plain.npy", "parts.npy"] {
            assert!(workdir.npy(name).2 == expected, "{name} differs for rows of {length}");
        }
        let within = words(order.iter().map(|&at| at % length));
        assert!(workdir.npy("i.npy").2 == within, "the indices differ for rows of {length}");
        assert!(workdir.read("w.bin") == words(order), "the values differ for rows of {length}");
    }
    workdir.write("small.txt", "3\n1\n2\n0\n");
    assert_eq!(workdir.pipe("sort small.txt -o - --type u8 --rows 2 -q", b""), b"1\n3\n0\n2\n");
    let part = "12,000 elements, which is not a multiple of --rows 7";
    workdir.fails("sort m.npy --rows 7 -o o.npy", part);
    for line in
        ["sort m.npy --rows 0 -o o.npy", "sort m.npy --rows 40 --method multisplit -o o.npy"]
    {
        workdir.run(line).expect(2);
    }
}
