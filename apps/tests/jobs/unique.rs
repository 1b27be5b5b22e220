//! Tests of `multisplit unique`.

use crate::arrays::{Keys, in_order, npy_parts, words};
use crate::desk::Desk;

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
fn every_type_works_sorted_and_unsorted() {
    let desk = Desk::new();
    for (number, keys) in Keys::of_every_type(900, 7).into_iter().enumerate() {
        desk.write("in.npy", keys.npy());
        let sort = number % 2 == 0;
        let input = if sort { keys.sorted() } else { keys.raw.clone() };
        let option = if sort { "--sort" } else { "" };
        desk.job(&format!("unique in.npy -o out.npy --counts c.npy {option} --verify --force"));
        let (expected, counts) = runs(&input, keys.each);
        let (out, found) = (desk.read("out.npy"), desk.read("c.npy"));
        let (descr, len, raw) = npy_parts(&out);
        assert_eq!((descr.as_str(), len), (keys.descr, counts.len()), "{}", keys.name);
        assert!(raw == expected, "{}", keys.name);
        let (descr, _, found) = npy_parts(&found);
        assert_eq!(descr, "<u4");
        assert!(found == words(counts), "counts of {}", keys.name);
    }
}

#[test]
fn runs_across_parts_are_joined() {
    let desk = Desk::new();
    // Runs that begin, end, or continue at the boundary of parts.
    let order: Vec<usize> = (0..9000).map(|index| index / 700 + index / 4096).collect();
    let raw = in_order(&words(0..20), 4, &order);
    desk.write("in.bin", &raw);
    let line = "unique in.bin --type u32 --verify";
    desk.job(&format!("{line} -o whole.bin --counts whole.txt"));
    desk.job(&format!("{line} -o parts.bin --counts parts.txt --memory-limit 16KiB"));
    assert!(desk.read("whole.bin") == runs(&raw, 4).0);
    assert!(desk.read("parts.bin") == desk.read("whole.bin"));
    assert_eq!(desk.read("parts.txt"), desk.read("whole.txt"));
}

#[test]
fn text_tables_and_empty_input_work() {
    let desk = Desk::new();
    let out = desk.pipe("unique - -o - --type i8 --sort -q", b"3\n-1\n3\n-1\n7\n");
    assert_eq!(out, b"-1\n3\n7\n");
    desk.write("sales.csv", "name,region\nTea,2\nMilk,\nSalt,1\nBread,2\n");
    desk.job("unique sales.csv --column region --sort -o regions.csv --counts counts.csv");
    assert_eq!(
        (desk.read("regions.csv"), desk.read("counts.csv")),
        (b"1\n2\n".into(), b"1\n2\n".into())
    );
    desk.write("empty.bin", "");
    desk.job("unique empty.bin --type f64 -o none.bin --counts none.txt");
    assert!(desk.read("none.bin").is_empty() && desk.read("none.txt").is_empty());
    desk.run("unique empty.bin --type f64").expect(2);
    desk.run("unique empty.bin -o empty.bin --type f64").expect(1);
}
