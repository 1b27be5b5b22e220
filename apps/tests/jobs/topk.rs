//! Tests of `multisplit topk`: every type, rows, ties, and rejected input.

use crate::arrays::{npy, words};
use crate::workdir::Workdir;

#[test]
fn topk_supports_every_type() {
    let workdir = Workdir::new();
    let numbers = "3\n1\n4\n1\n5\n9\n2\n6\n5\n3\n";
    workdir.write("n.txt", numbers);
    for element in "u8 i8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64".split(' ') {
        let point = if element.contains('f') { ".0" } else { "" };
        let topk = "topk n.txt -k 4 -o k.txt --indices i.txt --verify --force";
        workdir.job(&format!("{topk} --type {element}"));
        let keys: Vec<String> = [9, 6, 5, 5].iter().map(|key| format!("{key}{point}")).collect();
        assert_eq!(workdir.lines("k.txt"), keys, "{element}");
        assert_eq!(workdir.lines("i.txt"), ["5", "7", "4", "8"], "{element}");
    }
    workdir.run("topk n.txt --type u32 -k 0 -o none.txt").expect(2);
    workdir.job("topk n.txt --type i64 -k 10 --smallest --indices all.txt --verify");
    assert_eq!(workdir.lines("all.txt"), ["1", "3", "6", "0", "9", "2", "4", "8", "7", "5"]);
}

#[test]
fn topk_searches_rows_separately() {
    let workdir = Workdir::new();
    let matrix = (0..6_000).map(|i| i * 7919 % 1000);
    workdir.write("line.npy", npy(1, "<u4", 6_000, &words(matrix)));
    workdir.job("topk line.npy -k 2 --rows 1000 --smallest -o k.txt --indices i.txt --verify");
    assert_eq!(workdir.lines("k.txt"), ["0", "1"].repeat(6));
    assert_eq!(workdir.lines("i.txt").len(), 12);
    for (line, part) in [
        (
            "topk line.npy -k 2 --rows 999 -o x.npy",
            "6,000 elements, which is not a multiple of --rows 999",
        ),
        ("topk line.npy -k 1001 --rows 1000 -o x.npy", "a row has 1000 elements"),
        ("topk line.npy -k 6001 -o x.npy", "line.npy has 6,000 elements"),
    ] {
        workdir.fails(line, part);
    }
    workdir.run("topk line.npy -k 1").expect(2);
    workdir.run("topk line.npy -o x.npy").expect(2);
}
