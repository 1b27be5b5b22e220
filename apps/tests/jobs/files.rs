//! Tests of reading and writing every file format.

use std::io::Read as _;

use crate::arrays::{Keys, npy, npy_parts, words};
use crate::common::{gzip, is_full, multisplit, start};
use crate::workdir::Workdir;

const FORMS: [&str; 4] = ["npy", "bin", "csv", "txt"];
const PACKED: [&str; 3] = ["", ".gz", ".zst"];

fn pack(bytes: Vec<u8>, packed: &str) -> Vec<u8> {
    match packed {
        ".gz" => gzip(&bytes),
        ".zst" => zstd::encode_all(&bytes[..], 0).expect("compression succeeds"),
        _ => bytes,
    }
}

fn unpack(bytes: Vec<u8>, packed: &str) -> Vec<u8> {
    let mut plain = Vec::new();
    match packed {
        ".gz" => {
            let mut decoder = flate2::read::MultiGzDecoder::new(&bytes[..]);
            decoder.read_to_end(&mut plain).expect("the file is complete");
        }
        ".zst" => plain = zstd::decode_all(&bytes[..]).expect("the file is complete"),
        _ => plain = bytes,
    }
    plain
}

/// In a full run, every type in every format with every compression; otherwise one format and compression per type.
#[test]
fn types_of_32_and_64_bits_round_trip_through_files() {
    let full = is_full();
    let workdir = Workdir::new();
    for (row, keys) in Keys::finite(300, 3).iter().enumerate() {
        for (column, form) in FORMS.into_iter().enumerate() {
            if !full && column != row % FORMS.len() {
                continue;
            }
            let wanted = |(index, _): &(usize, &str)| full || *index == row % 3;
            for (_, packed) in PACKED.into_iter().enumerate().filter(wanted) {
                let (input, output) = (format!("in.{form}{packed}"), format!("out.{form}{packed}"));
                let plain = match form {
                    "npy" => npy(1 + (row % 3) as u8, keys.descr, keys.len(), &keys.raw),
                    "bin" => keys.raw.clone(),
                    _ => keys.text(),
                };
                workdir.write(&input, pack(plain, packed));
                let name = keys.name;
                workdir.job(&format!("sort {input} -o {output} --type {name} --force"));
                let out = unpack(workdir.read(&output), packed);
                let found = match form {
                    "npy" => {
                        let (descr, len, raw) = npy_parts(&out);
                        assert_eq!((descr.as_str(), len), (keys.descr, keys.len()));
                        raw.to_vec()
                    }
                    "bin" => out,
                    _ => keys.of_text(&out),
                };
                assert!(
                    found == keys.sorted(),
                    "{name} in {form}{packed}: the sorted numbers differ"
                );
            }
        }
    }
}

#[test]
fn raw_files_contain_only_the_numbers() {
    let workdir = Workdir::new();
    let keys = Keys::of("i64", 500, 4);
    workdir.write("in", &keys.raw);
    workdir.job("sort in -o out.data --type i64");
    assert!(workdir.read("out.data") == keys.sorted());
    assert_eq!(workdir.names(), ["in", "out.data"]);
}

#[test]
fn text_has_one_number_per_line() {
    let workdir = Workdir::new();
    workdir.write("in.csv", "# numbers\n2.5\r\n-1e300\n\n inf \nNaN\n-0\n0.1\n");
    workdir.job("sort in.csv -o out.txt --type f64");
    assert_eq!(workdir.text("out.txt"), "-1e300\n-0.0\n0.1\n2.5\ninf\nNaN\n");
}

#[test]
fn pipes_are_read_and_written() {
    let workdir = Workdir::new();
    let keys = Keys::of("u32", 500, 5);
    assert!(workdir.pipe("sort - -o - --type u32", &keys.raw) == keys.sorted());
    // `.npy` data in a pipe is detected by its first bytes, and written in the same format.
    let out = workdir.pipe("sort - -o -", &keys.npy());
    assert!(npy_parts(&out).2 == keys.sorted());
    assert!(workdir.pipe("sort - -o - --output-format raw", &keys.npy()) == keys.sorted());
    assert!(workdir.pipe("sort /dev/stdin -o /dev/stdout --type u32", &keys.raw) == keys.sorted());
    assert!(workdir.names().is_empty());
}

/// A reader may close the pipe early; that is not an error and causes no message.
#[test]
fn closed_reader_is_not_an_error() {
    let workdir = Workdir::new();
    workdir.write("in.bin", Keys::of("u32", 100_000, 6).raw);
    let line = "split in.bin -o - --type u32 --buckets 2 --by delta -q";
    let mut child = start(workdir.command(multisplit()), line);
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the process ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn empty_inputs_are_sorted_and_split() {
    let workdir = Workdir::new();
    workdir.write("in.npy", npy(1, "<f4", 0, &[]));
    workdir.write("empty.csv", "");
    workdir.job("sort in.npy -o out.npy --argsort order.bin");
    assert_eq!(workdir.npy("out.npy"), ("<f4".to_owned(), 0, vec![]));
    assert!(workdir.read("order.bin").is_empty());
    let split = "--type u32 --buckets 3 --by delta --offsets begins.bin";
    workdir.job(&format!("split empty.csv -o out.csv {split}"));
    assert!(workdir.read("out.csv").is_empty());
    assert_eq!(workdir.read("begins.bin"), words([0, 0, 0, 0]));
}
