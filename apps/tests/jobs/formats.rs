//! Tests of format detection for files without a known extension, and of format options.

use std::io::Write as _;

use crate::arrays::{Keys, npy, npy_parts, npy_with, words};
use crate::workdir::Workdir;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    encoder.write_all(bytes).expect("packed");
    encoder.finish().expect("packed")
}

#[track_caller]
fn sorted_text(workdir: &Workdir, line: &str, input: &[u8]) -> String {
    String::from_utf8(workdir.pipe(line, input)).expect("text")
}

/// Text, compressed text and arrays are detected by their first bytes, on standard input and in files without
/// a known extension. The output has the same format.
#[test]
fn unnamed_formats_are_detected_by_first_bytes() {
    let workdir = Workdir::new();
    let text = "\u{feff}3\n-1.5\n2e3\n";
    let sorted = "-1.5\n3.0\n2000.0\n";
    assert_eq!(sorted_text(&workdir, "sort - -o - --type f64", text.as_bytes()), sorted);
    assert_eq!(sorted_text(&workdir, "sort /dev/stdin -o - --type f64", text.as_bytes()), sorted);
    assert_eq!(sorted_text(&workdir, "sort - -o - --type f64", &gzip(text.as_bytes())), sorted);
    let packed = zstd::encode_all(text.as_bytes(), 0).expect("packed");
    assert_eq!(sorted_text(&workdir, "sort - -o - --type f64", &packed), sorted);
    workdir.write("numbers.tsv", "3\n-1.5\n2e3\n");
    workdir.job("sort numbers.tsv -o out.txt --type f64");
    assert_eq!(workdir.read("out.txt"), sorted.as_bytes());
    let keys = Keys::of("i32", 100, 70);
    workdir.write("keys", gzip(&keys.npy()));
    workdir.job("sort keys -o out.npy");
    assert!(npy_parts(&workdir.read("out.npy")).2 == keys.sorted());
}

/// Text is not mistaken for raw numbers.
#[test]
fn text_is_not_read_as_raw_numbers() {
    let workdir = Workdir::new();
    workdir.write("in.bin", "3\n1\n2\n4\n");
    let ran = workdir.run("sort in.bin -o out.bin --type u32").expect(1);
    assert!(ran.error_line().contains("in.bin looks like text"), "{}", ran.err);
    workdir.write(
        "utf16",
        "\u{feff}3\n1\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
    );
    let ran = workdir.run("sort utf16 -o out.bin --type u32").expect(1);
    assert!(ran.error_line().contains("UTF-16"), "{}", ran.err);
    workdir.write("in.npz", b"PK\x03\x04\x14\x00\x00\x00");
    let ran = workdir.run("sort in.npz -o out.bin --type u32").expect(1);
    assert!(ran.error_line().contains(".npz"), "{}", ran.err);
    assert_eq!(workdir.names(), ["in.bin", "in.npz", "utf16"]);
    workdir.job("sort in.bin -o out.bin --type u32 --format raw");
    assert_eq!(workdir.read("out.bin").len(), 8);
    workdir.job("sort in.bin -o out --type u32 --format text --output-format npy");
    assert_eq!(npy_parts(&workdir.read("out")).2, words([1, 2, 3, 4]));
}

/// Big-endian numbers, 16-bit floats, and times.
#[test]
fn big_endian_half_and_time_arrays_are_sorted() {
    let workdir = Workdir::new();
    let big: Vec<u8> = [3u32, 1, 256].iter().flat_map(|word| word.to_be_bytes()).collect();
    workdir.write("big.npy", npy(1, ">u4", 3, &big));
    workdir.job("sort big.npy -o out.npy");
    assert_eq!(npy_parts(&workdir.read("out.npy")), ("<u4".to_owned(), 3, &words([1, 3, 256])[..]));
    workdir.write("bytes.npy", npy(1, "|i1", 4, &[5, 0x80, 0xff, 0]));
    workdir.job("sort bytes.npy -o out.npy --force --verify");
    assert_eq!(npy_parts(&workdir.read("out.npy")), ("|i1".to_owned(), 4, &[0x80, 0xff, 0, 5][..]));
    // 1.0, -2.0, inf, 2^-24.
    let half: Vec<u8> =
        [0x3c00u16, 0xc000, 0x7c00, 1].iter().flat_map(|h| h.to_le_bytes()).collect();
    workdir.write("half.npy", npy(1, "<f2", 4, &half));
    workdir.job("sort half.npy -o out.txt --verify --force");
    assert_eq!(workdir.read("out.txt"), b"-2.0\n5.9604645e-8\n1.0\ninf\n");
    // "Not a time" sorts last.
    let times: Vec<u8> = [7i64, i64::MIN, -3].iter().flat_map(|time| time.to_le_bytes()).collect();
    workdir.write("times.npy", npy(1, "<M8[ns]", 3, &times));
    workdir.job("sort times.npy -o out.npy --force --argsort order.txt");
    let expected: Vec<u8> = [-3, 7, i64::MIN].iter().flat_map(|time| time.to_le_bytes()).collect();
    assert_eq!(npy_parts(&workdir.read("out.npy")), ("<M8[ns]".to_owned(), 3, &expected[..]));
    assert_eq!(workdir.read("order.txt"), b"2\n0\n1\n");
}

/// Rows of up to 16 bytes are moved with their keys, and keep their type.
#[test]
fn values_may_be_rows_of_any_type() {
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
