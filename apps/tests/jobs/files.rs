//! Every form of file goes in, and comes out.

use crate::arrays::{Keys, npy, npy_parts, words};
use crate::desk::Desk;

#[test]
fn forms_go_in_and_out() {
    let desk = Desk::new();
    for (index, keys) in Keys::of_every_type(600, 3).iter().enumerate() {
        // Each type by some form, each form by some type; a NaN's bits have no text.
        let forms = [
            (1, ".npy"),
            (2, ".npy.gz"),
            (3, ".npy.zst"),
            (1, ".csv.gz"),
            (1, ".txt"),
            (1, ".bin.zst"),
        ];
        let (version, ending) = forms[index];
        desk.write("in.npy", npy(version, keys.descr, keys.len(), &keys.raw));
        desk.job(&format!("sort in.npy -o out{ending} --force"));
        let name = keys.name;
        // Back again: what was written by one run is read by the next.
        desk.run(&format!("sort out{ending} -o back.npy --type {name} --force")).expect(0);
        let back = desk.read("back.npy");
        let (descr, len, raw) = npy_parts(&back);
        assert_eq!((descr.as_str(), len), (keys.descr, keys.len()));
        assert!(raw == keys.sorted(), "{name} by {ending}");
    }
}

#[test]
fn raw_files_are_the_numbers_and_nothing_else() {
    let desk = Desk::new();
    let keys = Keys::of("i64", 500, 4);
    desk.write("in", &keys.raw);
    desk.job("sort in -o out.data --type i64");
    assert!(desk.read("out.data") == keys.sorted());
    assert_eq!(desk.names(), ["in", "out.data"]);
}

#[test]
fn text_has_a_number_a_line() {
    let desk = Desk::new();
    desk.write("in.csv", "# numbers\n2.5\r\n-1e300\n\n inf \nNaN\n-0\n0.1\n");
    desk.job("sort in.csv -o out.txt --type f64");
    let text = String::from_utf8(desk.read("out.txt")).expect("text");
    assert_eq!(text, "-1e300\n-0.0\n0.1\n2.5\ninf\nNaN\n");
}

#[test]
fn pipes_go_in_and_out() {
    let desk = Desk::new();
    let keys = Keys::of("u32", 500, 5);
    assert!(desk.pipe("sort - -o - --type u32", &keys.raw) == keys.sorted());
    // What NumPy writes to a pipe is known by its first bytes.
    assert!(desk.pipe("sort - -o -", &keys.npy()) == keys.sorted());
    assert!(desk.pipe("sort /dev/stdin -o /dev/stdout --type u32", &keys.raw) == keys.sorted());
    assert!(desk.names().is_empty());
}

#[test]
fn nothing_is_sorted_and_split_too() {
    let desk = Desk::new();
    desk.write("in.npy", npy(1, "<f4", 0, &[]));
    desk.write("empty.csv", "");
    desk.job("sort in.npy -o out.npy --argsort order.bin");
    assert_eq!(npy_parts(&desk.read("out.npy")), ("<f4".to_owned(), 0, &[][..]));
    assert!(desk.read("order.bin").is_empty());
    desk.job("split empty.csv -o out.csv --type u32 --buckets 3 --by delta --offsets begins.bin");
    assert!(desk.read("out.csv").is_empty());
    assert_eq!(desk.read("begins.bin"), words([0, 0, 0, 0]));
}
