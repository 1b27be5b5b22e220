//! Fuzz tests of the readers with thousands of seeded mutations of files. Readers may accept or reject a file, but must
//! not panic or hang.
//!
//! A normal run takes a sample; `MULTISPLIT_FULL=1` runs all. A failure prints the seed, which reproduces the
//! file.

use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use multisplit_bench::data::SplitMix64;
use multisplit_bench::network::{LoadOptions, dijkstra, load};
use multisplit_bench::progress::Bars;

use crate::formats::{Element, Place, npy};
use crate::inputs::{Shape, open_values, read};
use crate::tables::{Dialect, Table};

/// Mutations per kind of file: in a normal run and in a full run.
const RUNS: (u64, u64) = (60, 1820);
/// Files that take longer than this count as a hang. Normal files take milliseconds.
const MAX_TIME: Duration = Duration::from_secs(120);
/// Networks that a mutation enlarges beyond this are not searched.
const MAX_VERTICES: u32 = 1 << 20;

/// Files of several kinds, before mutation. All are valid except `a.npz`, which only begins like a zip archive.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let words: Vec<u8> = (0..40u32).flat_map(|word| (word * 77).to_le_bytes()).collect();
    let array = [npy::header_of(Element::U32, 40), words.clone()].concat();
    let fields = "[('a', '<u2'), ('b', '>f4', (2,))]";
    let rows = [npy::header(fields, &[16]), words.clone()].concat();
    let table = "\u{feff}name,price,n\r\n\"a, \"\"b\"\"\",2.5,1\r\nc,,2\r\n\"d\ne\",-1e3,3\r\n";
    let symmetric =
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 3\n2 1 0.5\n3 2 7\n4 4 1\n";
    vec![
        ("a.npy", array.clone()),
        ("rows.npy", rows),
        ("a.bin", words),
        ("a.txt", b"# numbers\n1\n-2.5\n\n3e300\nnan\n18446744073709551615\n".to_vec()),
        ("t.csv", table.as_bytes().to_vec()),
        ("t.tsv", table.replace(',', "\t").into_bytes()),
        ("g.mtx", symmetric.as_bytes().to_vec()),
        ("g.gr", b"c roads\np sp 4 3\na 1 2 7\na 2 3 1\na 4 1 9\n".to_vec()),
        ("g.el", b"# edges\n0 1\n1 2\n3 0\n".to_vec()),
        ("a.npz", [b"PK\x03\x04\x14\0\0\0\0\0".to_vec(), array.clone()].concat()),
        ("packed", gzip(&array)),
        ("packed.csv.zst", zstd::encode_all(table.as_bytes(), 0).unwrap_or_default()),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    encoder.write_all(bytes).expect("compression succeeds");
    encoder.finish().expect("compression succeeds")
}

/// Byte sequences that often break readers.
const ODD: [&[u8]; 14] = [
    b"99999999999999999999",
    b"-1",
    b"4294967295",
    b"18446744073709551616",
    b"1e999",
    b"nan",
    b"\n\n\n",
    b"\"",
    b"\r",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"((((((((",
    b"'shape': (9,),",
    b",,,,",
];

/// Applies one to four random changes to a file.
fn mutated(bytes: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.draw() % 4 {
        let len = bytes.len().max(1);
        let at = (random.draw() as usize % len).min(bytes.len());
        let end = (at + 1 + random.draw() as usize % 16).min(bytes.len());
        match random.draw() % 7 {
            0 if !bytes.is_empty() => bytes[at.min(len - 1)] ^= 1 << (random.draw() % 8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].repeat(1 + random.draw() as usize % 50);
                bytes.splice(at..at, part);
            }
            4 => drop(bytes.splice(at..end, ODD[random.draw() as usize % ODD.len()].to_vec())),
            5 => drop(bytes.splice(at..at, random.draw().to_le_bytes())),
            _ => bytes[at..end].iter_mut().for_each(|byte| {
                if byte.is_ascii_digit() {
                    *byte = b'9';
                }
            }),
        }
    }
    bytes
}

/// Reads a file as an array, as values, as a table and as a network.
fn try_everything(path: &Path) {
    let place = Place::new(path);
    for asked in [None, Some(Element::U32), Some(Element::F64), Some(Element::F16)] {
        for shape in [Shape::Line, Shape::Any] {
            drop(read(&place, asked, shape, Bars::none()));
        }
    }
    for bytes in [None, Some(5)] {
        drop(open_values(&place, bytes, Bars::none()).map(|values| values.elements.load()));
    }
    let text = std::fs::read(path).expect("the file is readable");
    for columns in [["2", "price"], ["n", "1"]] {
        let columns = columns.map(str::to_owned);
        let dialect = Dialect { separator: place.separator(), no_header: columns[1] == "1" };
        let Ok(table) = Table::new("t".to_owned(), text.clone(), dialect, &columns) else {
            continue;
        };
        for column in &columns {
            if let Ok(column) = table.column(column, None) {
                assert_eq!(column.keys.len() + column.missing.len(), table.len());
            }
        }
        let rows = table.len() as u32;
        for separator in [table.separator(), b'\t'] {
            // Every row that was read can also be written.
            table
                .write(&mut std::io::sink(), separator, (0..rows).rev())
                .expect("the table can be written");
        }
    }
    if let Ok(loaded) = load(path, &LoadOptions::default())
        && loaded.network.vertices() <= MAX_VERTICES
    {
        drop(dijkstra(&loaded.network, 0));
    }
}

/// Starts a watchdog, and returns the sender of its messages. If no message arrives within [`MAX_TIME`], it prints
/// the last one and exits the process.
fn watch() -> mpsc::Sender<String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut last = String::new();
        loop {
            match receive.recv_timeout(MAX_TIME) {
                Ok(text) => last = text,
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    eprintln!("not done after {MAX_TIME:?}: {last}");
                    std::process::exit(1);
                }
            }
        }
    });
    send
}

#[test]
fn mutated_files_are_read_or_rejected() {
    let full = std::env::var("MULTISPLIT_FULL").is_ok_and(|v| !v.is_empty() && v != "0");
    let runs = if full { RUNS.1 } else { RUNS.0 };
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let watched = watch();
    for (index, (name, bytes)) in seeds().into_iter().enumerate() {
        let path = folder.path().join(name);
        for run in 0..runs {
            let seed = (index as u64) << 32 | run;
            let mut random = SplitMix64::after(seed, 0);
            watched.send(format!("{name}, seed {seed:#x}")).expect("the watchdog runs");
            std::fs::write(&path, mutated(&bytes, &mut random)).expect("the file can be written");
            let outcome = std::panic::catch_unwind(|| try_everything(&path));
            assert!(outcome.is_ok(), "a reader panicked: {name}, seed {seed:#x}");
        }
    }
}
