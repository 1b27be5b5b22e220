//! Tests of format detection for files without a known extension, and of format options.

use crate::arrays::{Keys, bytes_of, npy, npy_with, words};
use crate::common::gzip;
use crate::workdir::Workdir;

/// Text, compressed text and arrays are detected by their first bytes, on standard input and in files without
/// a known extension. Standard output gets the format of the input.
#[test]
fn format_is_detected_from_the_contents() {
    let workdir = Workdir::new();
    let text = "\u{feff}3\n-1.5\n2e3\n";
    let sorted = "-1.5\n3.0\n2000.0\n";
    let packed = zstd::encode_all(text.as_bytes(), 0).expect("compression succeeds");
    for (input, bytes) in [
        ("-", text.as_bytes()),
        ("/dev/stdin", text.as_bytes()),
        ("-", &gzip(text.as_bytes())[..]),
        ("-", &packed[..]),
    ] {
        let out = workdir.pipe(&format!("sort {input} -o - --type f64"), bytes);
        assert_eq!(String::from_utf8_lossy(&out), sorted);
    }
    workdir.write("numbers.tsv", "3\n-1.5\n2e3\n");
    workdir.job("sort numbers.tsv -o out.txt --type f64");
    assert_eq!(workdir.text("out.txt"), sorted);
    let keys = Keys::of("i32", 100, 70);
    workdir.write("keys", gzip(&keys.npy()));
    workdir.job("sort keys -o out.npy");
    assert!(workdir.npy("out.npy").2 == keys.sorted());
}

#[test]
fn text_is_not_read_as_raw_numbers() {
    let workdir = Workdir::new();
    workdir.write("in.bin", "3\n1\n2\n4\n");
    workdir.fails("sort in.bin -o out.bin --type u32", "in.bin looks like text");
    let utf16: Vec<u16> = "\u{feff}3\n1\n".encode_utf16().collect();
    workdir.write("utf16", bytes_of(&utf16));
    workdir.fails("sort utf16 -o out.bin --type u32", "UTF-16");
    workdir.write("in.npz", b"PK\x03\x04\x14\x00\x00\x00");
    workdir.fails("sort in.npz -o out.bin --type u32", ".npz");
    workdir.job("sort in.bin -o out.bin --type u32 --format raw");
    assert_eq!(workdir.read("out.bin").len(), 8);
    workdir.job("sort in.bin -o out --type u32 --format text --output-format npy");
    assert_eq!(workdir.npy("out").2, words([1, 2, 3, 4]));
}

#[test]
fn big_endian_half_and_time_arrays_are_sorted() {
    let workdir = Workdir::new();
    workdir.write("big.npy", npy(1, ">u4", 3, bytes_of(&[3u32, 1, 256].map(u32::to_be))));
    workdir.job("sort big.npy -o out.npy");
    assert_eq!(workdir.npy("out.npy"), ("<u4".to_owned(), 3, words([1, 3, 256])));
    workdir.write("bytes.npy", npy(1, "|i1", 4, &[5, 0x80, 0xff, 0]));
    workdir.job("sort bytes.npy -o out.npy --force --verify");
    assert_eq!(workdir.npy("out.npy"), ("|i1".to_owned(), 4, vec![0x80, 0xff, 0, 5]));
    // The numbers 1.0, -2.0, infinity and 2^-24.
    workdir.write("half.npy", npy(1, "<f2", 4, bytes_of(&[0x3c00u16, 0xc000, 0x7c00, 1])));
    workdir.job("sort half.npy -o out.txt --verify --force");
    assert_eq!(workdir.text("out.txt"), "-2.0\n5.9604645e-8\n1.0\ninf\n");
    // "Not a time" sorts last.
    workdir.write("times.npy", npy(1, "<M8[ns]", 3, bytes_of(&[7, i64::MIN, -3])));
    workdir.job("sort times.npy -o out.npy --force --argsort order.txt");
    let expected = bytes_of(&[-3, 7, i64::MIN]).to_vec();
    assert_eq!(workdir.npy("out.npy"), ("<M8[ns]".to_owned(), 3, expected));
    assert_eq!(workdir.text("order.txt"), "2\n0\n1\n");
}

/// Values of up to 16 bytes are moved with their keys, and keep their type.
#[test]
fn values_may_be_structs_or_arrays() {
    let workdir = Workdir::new();
    workdir.write("keys.txt", "2\n0\n1\n");
    let descr = "[('x', '<f4'), ('y', '>u2')]";
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
    let rows: Vec<u8> = (0..18).collect();
    workdir.write("rows.npy", npy_with(1, &header, &rows));
    let line = "sort keys.txt -o out.txt --type u8 --values rows.npy --values-out moved.npy";
    workdir.job(line);
    let moved = workdir.read("moved.npy");
    let text = String::from_utf8_lossy(&moved[..moved.len() - 18]).into_owned();
    assert!(text.contains(descr) && text.contains("(3,)"), "{text}");
    assert_eq!(moved[moved.len() - 18..], [&rows[6..12], &rows[12..], &rows[..6]].concat());
    // Column-major order, as in Fortran.
    let header = "{'descr': '<u4', 'fortran_order': True, 'shape': (3, 2), }";
    workdir.write("rows.npy", npy_with(1, header, &words([1, 2, 3, 10, 20, 30])));
    workdir.job(&format!("{line} --force"));
    let moved = workdir.read("moved.npy");
    let text = String::from_utf8_lossy(&moved[..moved.len() - 24]).into_owned();
    assert!(text.contains("'fortran_order': False, 'shape': (3, 2)"), "{text}");
    assert_eq!(moved[moved.len() - 24..], words([2, 20, 3, 30, 1, 10]));
}
