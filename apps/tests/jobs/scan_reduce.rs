//! Tests of `multisplit scan` and `multisplit reduce`.

use serde_json::Value;

use crate::arrays::{TYPES, npy, npy_with, raw, words};
use crate::common::is_full;
use crate::workdir::Workdir;

/// Numbers that are exact in every type. Their sums are exact in types of 32 and 64 bits.
fn numbers(n: usize) -> Vec<u8> {
    (0..n).map(|index| (index * 37 % 101) as u8).collect()
}

#[track_caller]
fn reduced(workdir: &Workdir, line: &str) -> Value {
    workdir.job(&format!("reduce {line} --json --verify")).json()
}

#[test]
fn integers_and_wide_floats_are_scanned() {
    let workdir = Workdir::new();
    // The sums and maxima of these numbers fit in a signed byte.
    let numbers: Vec<u64> = (0..100).map(|index| u64::from(index % 9 == 4) + index / 90).collect();
    for (number, (name, descr)) in TYPES.into_iter().enumerate() {
        workdir.write("in.npy", npy(1, descr, numbers.len(), &raw(name, &numbers)));
        let (op, inclusive) = (["sum", "max"][number % 2], number % 3 != 0 || number % 2 == 1);
        let mut through = 0;
        let scan = |&x: &u64| {
            let before = through;
            through = if op == "sum" { through + x } else { through.max(x) };
            if inclusive { through } else { before }
        };
        let expected: Vec<u64> = numbers.iter().map(scan).collect();
        let option = if inclusive { "--inclusive" } else { "" };
        workdir.job(&format!("scan in.npy -o out.npy --op {op} {option} --verify --force"));
        let case = format!("{name} {op} {option}");
        workdir.expect_npy("out.npy", (descr, numbers.len()), &raw(name, &expected), case);
    }
}

#[test]
fn exclusive_scan_begins_with_the_identity() {
    let workdir = Workdir::new();
    for (kind, op, expected) in [
        ("u32", "sum", "0\n3\n4\n"),
        ("u32", "min", "4294967295\n3\n1\n"),
        ("i8", "min", "127\n3\n1\n"),
        ("i8", "max", "-128\n3\n3\n"),
        ("i16", "max", "-32768\n3\n3\n"),
        ("f16", "max", "NaN\n3\n3\n"),
        ("f64", "min", "NaN\n3.0\n1.0\n"),
    ] {
        let out = workdir.pipe(&format!("scan - -o - --type {kind} --op {op} -q"), b"3\n1\n4\n");
        let text = String::from_utf8_lossy(&out).replace(".0", "");
        assert_eq!(text, expected.replace(".0", ""), "{kind} {op}");
    }
}

#[test]
fn memory_limit_does_not_change_scans_and_reductions() {
    let workdir = Workdir::new();
    let numbers = numbers(20_000);
    workdir.write("in.bin", words(numbers.iter().map(|&x| usize::from(x))));
    // A plain run leaves out the second one of each pair.
    let each = if is_full() { 1 } else { 2 };
    for option in ["--inclusive", "", "--op max", "--op min --inclusive"].into_iter().step_by(each)
    {
        let line = format!("scan in.bin --type u32 {option} --verify --force");
        workdir.job(&format!("{line} -o whole.bin"));
        workdir.job(&format!("{line} -o parts.bin --memory-limit 16KiB"));
        workdir.expect_bytes("parts.bin", &workdir.read("whole.bin"), option);
    }
    for op in ["sum", "min", "argmin", "argmax"].into_iter().step_by(each) {
        let line = format!("in.bin --type u32 --op {op}");
        let whole = reduced(&workdir, &line);
        assert_eq!(whole, reduced(&workdir, &format!("{line} --memory-limit 16KiB")), "{op}");
    }
}

/// Offsets that divide 20,000 elements into segments. Some segments are empty.
const OFFSETS: [usize; 7] = [0, 0, 3, 9000, 9000, 19_999, 20_000];

/// Rows, and segments with offsets from a raw, a `.npy` and a text file, with and without a memory limit. A plain run
/// has one kind of scan for each input, and limits the memory of two.
#[test]
fn rows_and_segments_are_scanned_separately() {
    let workdir = Workdir::new();
    let numbers = numbers(20_000);
    let matrix = "{'descr': '<u4', 'fortran_order': False, 'shape': (800, 25), }";
    let input = words(numbers.iter().map(|&x| usize::from(x)));
    workdir.write("in.npy", npy(1, "<u4", numbers.len(), &input));
    workdir.write("matrix.npy", npy_with(1, matrix, &input));
    workdir.write("ends.bin", words(OFFSETS));
    let wide: Vec<u64> = OFFSETS.iter().map(|&at| at as u64).collect();
    workdir.write("ends.npy", npy(1, "<i8", wide.len(), &raw("i64", &wide)));
    workdir.write("ends.txt", OFFSETS.map(|at| format!("{at}\n")).concat());
    let rows: Vec<usize> = (0..=20_000).step_by(25).collect();
    let scan = |ends: &[usize], inclusive: bool| {
        let segment = |pair: &[usize]| {
            let mut through = 0;
            let step = move |&x: &u8| {
                through += usize::from(x);
                if inclusive { through } else { through - usize::from(x) }
            };
            numbers[pair[0]..pair[1]].iter().map(step).collect::<Vec<_>>()
        };
        words(ends.windows(2).flat_map(segment))
    };
    let inputs = [
        ("in.npy --rows 25", &rows[..]),
        ("matrix.npy --rows 25", &rows[..]),
        ("in.npy --segments ends.bin", &OFFSETS[..]),
        ("in.npy --segments ends.npy", &OFFSETS[..]),
        ("in.npy --segments ends.txt", &OFFSETS[..]),
    ];
    for (number, (line, ends)) in inputs.into_iter().enumerate() {
        for (option, inclusive) in [("", false), ("--inclusive", true)] {
            if !is_full() && inclusive != (number % 2 == 1) {
                continue;
            }
            let expected = scan(ends, inclusive);
            let line = format!("scan {line} {option} --verify --force");
            workdir.job(&format!("{line} -o whole.npy"));
            workdir.expect_npy("whole.npy", ("<u4", numbers.len()), &expected, &line);
            if !is_full() && ![1, 4].contains(&number) {
                continue;
            }
            workdir.job(&format!("{line} -o parts.npy --memory-limit 16KiB"));
            workdir.expect_npy("parts.npy", ("<u4", numbers.len()), &expected, &line);
        }
    }
    let ran = workdir.job("scan in.npy --rows 25 -o out.npy");
    ran.expect_err("scanned 20,000 u32 in 800 rows in ");
    let ran = workdir.job("scan in.npy --segments ends.txt -o out.npy --force");
    ran.expect_err("scanned 20,000 u32 in 6 segments in ");
    // Each row begins with the identity of a signed byte.
    let out = workdir.pipe("scan - -o - --type i8 --op min --rows 2 -q", b"3\n1\n4\n1\n");
    assert_eq!(out, b"127\n3\n127\n4\n");
}

#[test]
fn invalid_rows_and_segments_are_rejected() {
    let workdir = Workdir::new();
    workdir.write("in.txt", "1\n2\n3\n4\n5\n");
    workdir.write("none.txt", "");
    workdir.write("late.txt", "1\n5\n");
    workdir.write("falling.txt", "0\n3\n2\n5\n");
    workdir.write("short.txt", "0\n4\n");
    workdir.write("half.npy", npy(1, "<f4", 2, &raw("f32", &[0, 5])));
    workdir.write("negative.npy", npy(1, "<i4", 2, &words([u32::MAX as usize, 5])));
    for (option, part) in [
        ("--rows 2", "in.txt has 5 elements, which is not a multiple of --rows 2"),
        ("--segments none.txt", "none.txt is empty"),
        ("--segments late.txt", "late.txt begins with 1; the first offset must be 0"),
        ("--segments falling.txt", "falling.txt: offset 2, counted from 0, is less"),
        ("--segments short.txt", "short.txt ends with 4, but in.txt has 5 elements"),
        ("--segments negative.npy", "negative.npy has numbers that are not offsets"),
        ("--segments no.txt", "no.txt"),
    ] {
        workdir.fails(&format!("scan in.txt --type u32 -o out.npy {option}"), part);
    }
    workdir.job("scan in.txt --type u32 -o out.npy --segments half.npy");
    for line in [
        "--rows 0",
        "--rows 5 --segments late.txt",
        "--column a --rows 5",
        "--column a --segments late.txt",
    ] {
        workdir.run(&format!("scan in.txt --type u32 -o out.npy {line}")).expect(2);
    }
}

#[test]
fn integers_and_wide_floats_are_reduced() {
    let workdir = Workdir::new();
    let numbers = numbers(3000);
    let wide: Vec<u64> = numbers.iter().map(|&x| x.into()).collect();
    let sum: u64 = wide.iter().sum();
    let greatest = wide.iter().max().copied().expect("there are numbers");
    let at = wide.iter().position(|&x| x == greatest).expect("the maximum is one of the numbers");
    for (number, (name, descr)) in TYPES.into_iter().enumerate() {
        workdir.write("in.npy", npy(1, descr, wide.len(), &raw(name, &wide)));
        // Sums of bytes do not fit in a byte.
        let (op, value, index) = match number % 2 {
            0 => ("sum", sum, Value::Null),
            _ => ("argmax", greatest, at.into()),
        };
        let object = reduced(&workdir, &format!("in.npy --op {op}"));
        assert_eq!(object["value"].as_f64(), Some(value as f64), "{name}");
        assert_eq!((&object["op"], &object["index"]), (&op.into(), &index), "{name}");
        assert_eq!((&object["type"], &object["n"]), (&name.into(), &3000.into()));
    }
    let ran = workdir.job("reduce in.npy --op min");
    assert_eq!(ran.out.trim().trim_end_matches(".0"), "0");
    let ran = workdir.job("reduce in.npy --op argmax");
    assert!(ran.out.starts_with(&format!("{at} {greatest}")), "{}", ran.out);
}

#[test]
fn sums_are_not_limited_to_the_input_type() {
    let workdir = Workdir::new();
    workdir.write("in.txt", "4294967295\n4294967295\n");
    assert_eq!(reduced(&workdir, "in.txt --type u32 --op sum")["value"], 8_589_934_590u64);
    workdir.write("in.txt", "-2147483648\n-2147483648\n");
    assert_eq!(reduced(&workdir, "in.txt --type i32 --op sum")["value"], -4_294_967_296i64);
    // Sums of 16-bit floats are not rounded to 16 bits.
    workdir.write("ones.txt", "1\n".repeat(2049));
    for kind in ["f16", "bf16"] {
        let line = format!("ones.txt --type {kind} --op sum");
        assert_eq!(reduced(&workdir, &line)["value"].as_f64(), Some(2049.0), "{kind}");
    }
    workdir.write("in.txt", "0.1\n0.2\n");
    let object = reduced(&workdir, "in.txt --type f32 --op max");
    assert_eq!(object["value"].to_string(), "0.2");
}

#[test]
fn scans_and_reductions_skip_empty_cells() {
    let workdir = Workdir::new();
    workdir.write("sales.csv", "name,price\nTea,2.5\nMilk,\nSalt,0.8\nBread,2.5\n");
    let object = reduced(&workdir, "sales.csv --column price --op argmin");
    assert_eq!((&object["index"], &object["value"]), (&2.into(), &0.8.into()));
    let object = reduced(&workdir, "sales.csv --column price --op argmax");
    assert_eq!(object["index"], 0);
    workdir.job("scan sales.csv --column price -o totals.csv --inclusive");
    assert_eq!(workdir.read("totals.csv"), b"2.5\n3.3\n5.8\n");
}

#[test]
fn invalid_scans_and_reductions_are_rejected() {
    let workdir = Workdir::new();
    workdir.write("empty.bin", "");
    workdir.write("t.npy", npy(1, "<M8[s]", 2, &[0; 16]));
    workdir.write("two.csv", "a,b\n1,2\n");
    for (line, part) in [
        (
            "reduce empty.bin --type f32 --op argmin",
            "empty.bin has no numbers; --op argmin needs at least one",
        ),
        ("reduce t.npy --op sum", "--op sum does not support type"),
        ("scan t.npy -o out.npy", "--op sum does not support type"),
        ("reduce two.csv --column a --column b --op sum", "one --column, but 2 are given"),
        ("scan no.bin --type u32 -o out.npy", "no.bin"),
    ] {
        workdir.fails(line, part);
    }
    assert_eq!(reduced(&workdir, "empty.bin --type u32 --op sum")["value"], 0);
    workdir.job("scan empty.bin --type u32 -o out.bin");
    assert!(workdir.read("out.bin").is_empty());
    workdir.run("reduce empty.bin --type u32").expect(2);
    workdir.run("reduce empty.bin --type u32 --op mean").expect(2);
    workdir.run("scan empty.bin --type u32").expect(2);
}

/// Indices refer to C order, so files in Fortran order are rejected instead of misread.
#[test]
fn indices_of_fortran_arrays_are_rejected() {
    let workdir = Workdir::new();
    let header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2), }";
    workdir.write("fortran.npy", npy_with(1, header, &words([1, 9, 5, 2])));
    workdir.run("reduce fortran.npy --op argmax").expect(1);
    workdir.run("reduce fortran.npy --op max").expect(0);
}

/// bf16 has too few digits for sums of many numbers, so the sum has type f32, as for f16.
#[test]
fn sums_of_bf16_are_f32() {
    let workdir = Workdir::new();
    workdir.write("numbers.txt", "1\n0.0068359375\n");
    let ran = workdir.job("reduce numbers.txt --op sum --type bf16");
    assert_eq!(ran.out, "1.0068359\n");
}
