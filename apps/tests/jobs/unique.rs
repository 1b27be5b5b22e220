//! Tests of `multisplit unique`.

use crate::arrays::{Keys, in_order, words};
use crate::workdir::Workdir;

/// The first element and the length of each run, for elements of `each` bytes.
fn runs(raw: &[u8], each: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut keys, mut counts): (Vec<u8>, Vec<usize>) = (Vec::new(), Vec::new());
    for element in raw.chunks(each) {
        match counts.last_mut() {
            Some(count) if keys.ends_with(element) => *count += 1,
            _ => {
                keys.extend_from_slice(element);
                counts.push(1);
            }
        }
    }
    (keys, counts)
}

#[test]
fn runs_of_32_and_64_bit_types_are_found_with_and_without_sort_option() {
    let workdir = Workdir::new();
    for (number, keys) in Keys::of_every_type(900, 7).into_iter().enumerate() {
        workdir.write("in.npy", keys.npy());
        let sort = number % 2 == 0;
        let input = if sort { keys.sorted() } else { keys.raw.clone() };
        let option = if sort { "--sort" } else { "" };
        workdir.job(&format!("unique in.npy -o out.npy --counts c.npy {option} --verify --force"));
        let (expected, counts) = runs(&input, keys.each);
        let n = counts.len();
        workdir.expect_npy("out.npy", (keys.descr, n), &expected, keys.name);
        workdir.expect_npy("c.npy", ("<u4", n), &words(counts), keys.name);
    }
}

#[test]
fn runs_across_parts_are_joined() {
    let workdir = Workdir::new();
    // Runs of up to 700 elements, some of which continue across the boundary between two parts.
    let order: Vec<usize> = (0..9000).map(|index| index / 700 + index / 4096).collect();
    let raw = in_order(&words(0..20), 4, &order);
    workdir.write("in.bin", &raw);
    let line = "unique in.bin --type u32 --verify";
    workdir.job(&format!("{line} -o whole.bin --counts whole.txt"));
    workdir.job(&format!("{line} -o parts.bin --counts parts.txt --memory-limit 16KiB"));
    assert!(workdir.read("whole.bin") == runs(&raw, 4).0);
    assert!(workdir.read("parts.bin") == workdir.read("whole.bin"));
    assert_eq!(workdir.read("parts.txt"), workdir.read("whole.txt"));
}

#[test]
fn text_tables_and_empty_input_are_accepted() {
    let workdir = Workdir::new();
    let out = workdir.pipe("unique - -o - --type i8 --sort -q", b"3\n-1\n3\n-1\n7\n");
    assert_eq!(out, b"-1\n3\n7\n");
    workdir.write("sales.csv", "name,region\nTea,2\nMilk,\nSalt,1\nBread,2\n");
    workdir.job("unique sales.csv --column region --sort -o regions.csv --counts counts.csv");
    assert_eq!(
        (workdir.read("regions.csv"), workdir.read("counts.csv")),
        (b"1\n2\n".into(), b"1\n2\n".into())
    );
    workdir.write("empty.bin", "");
    workdir.job("unique empty.bin --type f64 -o none.bin --counts none.txt");
    assert!(workdir.read("none.bin").is_empty() && workdir.read("none.txt").is_empty());
    workdir.run("unique empty.bin --type f64").expect(2);
    workdir.run("unique empty.bin -o empty.bin --type f64").expect(1);
}
