//! Tests of `multisplit histogram`.

use serde_json::Value;

use crate::arrays::{Keys, TYPES, bytes_of, npy, raw, words};
use crate::common::{is_full, list};
use crate::workdir::Workdir;

fn counts(object: &Value) -> Vec<u64> {
    let numbers = list(&object["counts"]);
    numbers.iter().map(|number| number.as_u64().expect("the value is a number")).collect()
}

#[track_caller]
fn json(workdir: &Workdir, line: &str) -> Value {
    workdir.job(&format!("histogram {line} --json --verify")).json()
}

/// Runs a histogram, and checks the counts and these other numbers in its output.
#[track_caller]
fn expect(workdir: &Workdir, line: &str, expected: &[u64], numbers: &[(&str, i64)]) -> Value {
    let object = json(workdir, line);
    assert_eq!(counts(&object), expected, "{line}");
    for (name, number) in numbers {
        assert_eq!(object[name], *number, "{line}: {name}");
    }
    object
}

#[test]
fn integers_and_wide_floats_are_counted() {
    let workdir = Workdir::new();
    // Numbers up to 109, some of them out of range; exact in every type.
    let numbers: Vec<u64> = (0..3000).map(|index| index * 37 % 110).collect();
    let mut expected = [0u64; 10];
    numbers.iter().filter(|&&x| x < 100).for_each(|&x| expected[x as usize / 10] += 1);
    let out_of_range = numbers.iter().filter(|&&x| x >= 100).count();
    for (name, descr) in TYPES {
        workdir.write("in.npy", npy(1, descr, numbers.len(), &raw(name, &numbers)));
        let object = json(&workdir, "in.npy --bins 10 --range 0 100");
        assert_eq!(counts(&object), expected, "{name}");
        assert_eq!(object["out_of_range"], out_of_range, "{name}");
        let edges = list(&object["edges"]).iter().map(Value::as_f64);
        assert!(edges.eq((0..11).map(|k| Some(10.0 * f64::from(k)))), "{name}: {object}");
        assert_eq!(object["type"], name);
    }
}

#[test]
fn splitters_and_glsl_functions_define_bins() {
    let workdir = Workdir::new();
    workdir.write("in.csv", "-1.5\n-1\n0\n0.25\n0.5\n7\nNaN\n");
    workdir.write("at.csv", "-1\n0\n0.5\n7\n");
    let line = "in.csv --type f64 --splitters at.csv";
    expect(&workdir, line, &[1, 2, 1], &[("out_of_range", 3)]);
    workdir.write("words.bin", words([1, 2, 3, 4, 9]));
    workdir.write("odd.glsl", "uint bucket_of(uint x) { return x > 8u ? 7u : x & 1u; }");
    let line = "words.bin --type u32 --bins 2 --glsl odd.glsl";
    expect(&workdir, line, &[2, 2], &[("out_of_range", 1)]);
}

#[test]
fn histogram_is_printed_and_written() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([0, 1, 1, 2, 9]));
    let ran = workdir.job("histogram in.bin --type u32 --bins 3 --range 0 3");
    assert_eq!(ran.out.lines().count(), 4, "{}", ran.out);
    ran.expect_out(&["[1, 2)", "█", "out of range: 1"]);
    let files = "--csv counts.csv --svg picture.svg";
    let ran = workdir.job(&format!("histogram in.bin --type u32 --bins 3 --range 0 3 {files}"));
    assert!(ran.out.is_empty() && ran.err.contains("1 out of range"), "{}{}", ran.out, ran.err);
    assert_eq!(workdir.text("counts.csv"), "lo,hi,count\n-inf,0,0\n0,1,1\n1,2,2\n2,3,1\n3,inf,1\n");
    assert!(workdir.read("picture.svg").starts_with(b"<svg"));
}

#[test]
fn memory_limit_does_not_change_counts() {
    let workdir = Workdir::new();
    let keys = Keys::of("f32", 30_000, 60);
    workdir.write("in.npy", keys.npy());
    let line = "in.npy --bins 7 --range -1000 1000";
    let whole = json(&workdir, line);
    assert_eq!(json(&workdir, &format!("{line} --memory-limit 12000")), whole);
}

#[test]
fn invalid_bins_are_reported() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1, 2]));
    workdir.write("down.bin", words([2, 1]));
    for (line, part) in [
        ("--bins 2 --range 0 x", "`x` is not a number (for integer samples"),
        ("--bins 2 --range 5 5", "range"),
        ("--splitters down.bin", "sorted"),
        ("--bins 2 --glsl none.glsl", "cannot read none.glsl"),
    ] {
        workdir.fails(&format!("histogram in.bin --type u32 {line} --csv out.csv"), part);
    }
    for line in ["--range 0 1", "--bins 2 --splitters down.bin", "--bins 0 --range 0 1"] {
        workdir.run(&format!("histogram in.bin --type u32 {line}")).expect(2);
    }
}

/// Samples are counted in the bin whose printed edges enclose them, also the maximum of a type.
#[test]
fn counts_match_printed_edges() {
    let workdir = Workdir::new();
    let hundredths: String = (0..100).map(|k| format!("{}\n", f64::from(k) / 100.0)).collect();
    workdir.write("hundredths.txt", hundredths);
    for kind in ["f64", "f32"] {
        let line = format!("hundredths.txt --type {kind} --bins 100 --range 0 1 --json --verify");
        let out = workdir.job(&format!("histogram {line}")).out;
        let object: Value = serde_json::from_str(&out).expect("the text is JSON");
        // The standard library parses the printed edges to exactly the same numbers.
        let (_, list) = out.split_once("\"edges\":[").expect("the output contains edges");
        let (list, _) = list.split_once(']').expect("the output contains edges");
        let edges: Vec<f64> =
            list.split(',').map(|edge| edge.parse().expect("the text is a number")).collect();
        let mut expected = vec![0; 100];
        for k in 0..100 {
            let sample = f64::from(k) / 100.0;
            let sample = if kind == "f32" { f64::from(sample as f32) } else { sample };
            expected[edges.partition_point(|edge| *edge <= sample) - 1] += 1;
        }
        assert_eq!(counts(&object), expected, "{kind}");
        assert_eq!(expected[29], 1, "{kind}: 0.29 is in bin 29, as in NumPy");
    }
    workdir.write("bytes.bin", [0u8, 1, 254, 255, 255, 128]);
    let object = json(&workdir, "bytes.bin --type u8 --bins 256 --range 0 256");
    let counts_found = counts(&object);
    assert_eq!((counts_found[0], counts_found[255], &object["out_of_range"]), (1, 2, &0.into()));
    let line = "bytes.bin --type u8 --bins 2 --range 0 255";
    expect(&workdir, line, &[2, 2], &[("above", 2)]);
    expect(&workdir, &format!("{line} --closed"), &[2, 4], &[("above", 0)]);
    workdir.write("wide.bin", bytes_of(&[0, 1 << 63, u64::MAX]));
    let ran = workdir.job("histogram wide.bin --type u64 --bins 2 --range 0 2^64 --json --verify");
    let edges = "\"edges\":[0,9223372036854775808,18446744073709551616]";
    ran.expect_out(&["\"counts\":[1,2]", edges]);
}

#[test]
fn automatic_ranges_log_bins_and_weights_give_correct_counts() {
    let workdir = Workdir::new();
    workdir.write("in.txt", "1\n10\n100\n1000\n1\n");
    // From the smallest to the largest sample, which is included.
    expect(&workdir, "in.txt --type f64 --bins 3", &[4, 0, 1], &[("out_of_range", 0)]);
    let object = expect(&workdir, "in.txt --type u32 --bins 3 --log", &[2, 1, 2], &[]);
    assert_eq!(object["edges"], serde_json::json!([1, 10, 100, 1000]));
    workdir.write("weights.txt", "5\n1\n2\n7\n100\n");
    let line = "in.txt --type u32 --bins 2 --range 0 20 --weights weights.txt";
    expect(&workdir, line, &[105, 1], &[("above", 2)]);
    workdir.write("small.txt", "0\n3\n3\n9\n");
    let line = "small.txt --type u8 --bins 4 --identity";
    expect(&workdir, line, &[1, 0, 0, 2], &[("out_of_range", 1)]);
    let line = "histogram small.txt --type u8 --bins 4294967295 --range 0 9";
    workdir.fails(line, "--bins 4294967295 is more than 1048576");
}

/// The maximum of a type is counted in its bin, not in the empty bins above.
#[test]
fn largest_number_of_a_type_is_counted_in_its_bin() {
    let workdir = Workdir::new();
    workdir.write("bytes.bin", [0u8, 255, 254, 255]);
    let line = "bytes.bin --type u8 --bins 512 --range 0 256";
    let found = counts(&json(&workdir, line));
    assert_eq!((found.len(), found[0], found[508], found[510], found[511]), (512, 1, 1, 2, 0));
    workdir.write("same.bin", [255u8, 255]);
    expect(&workdir, "same.bin --type u8 --bins 3", &[2, 0, 0], &[]);
    workdir.write("words.bin", bytes_of(&[u32::MAX, u32::MAX - 3]));
    let line = "words.bin --type u32 --bins 8 --range 4294967292 4294967296";
    expect(&workdir, line, &[1, 0, 0, 0, 0, 0, 1, 0], &[]);
}

/// NaT ("not a time") is out of range, like NaN.
#[test]
fn not_a_time_is_out_of_range() {
    let workdir = Workdir::new();
    let days = [18_262, 18_263, 18_264, i64::MIN];
    workdir.write("days.npy", npy(1, "<M8[D]", 4, bytes_of(&days)));
    for line in ["--bins 3", "--bins 3 --range 18262 18265"] {
        let found = json(&workdir, &format!("days.npy {line}"));
        assert_eq!(counts(&found).iter().sum::<u64>(), 3, "{found}");
        assert_eq!((&found["below"], &found["out_of_range"]), (&0.into(), &1.into()), "{found}");
    }
}

/// The samples come from a raw file and from a table column, whose integers also have type i64.
#[test]
fn identity_bins_count_i64_samples() {
    let workdir = Workdir::new();
    let numbers = [0i64, 1, 1, 2, 3, 3, 3, 7];
    workdir.write("in.bin", bytes_of(&numbers));
    let lines: String = numbers.iter().map(|x| format!("{x},a\n")).collect();
    workdir.write("in.csv", format!("n,name\n{lines}"));
    for input in ["in.bin --type i64", "in.csv --column n"] {
        let line = format!("{input} --identity --bins 8");
        let expected = [1, 2, 1, 3, 0, 0, 0, 1];
        let object = expect(&workdir, &line, &expected, &[("out_of_range", 0)]);
        assert_eq!(object["type"], "i64");
    }
    workdir.write("signs.txt", "-1\n-9223372036854775808\n2\n9223372036854775807\n");
    let line = "signs.txt --type i64 --identity --bins 3";
    expect(&workdir, line, &[0, 0, 1], &[("below", 2), ("above", 1)]);
    workdir.write("sign.glsl", "uint bucket_of(int64_t x) { return x < 0 ? 0u : 1u; }");
    expect(&workdir, "signs.txt --type i64 --bins 2 --glsl sign.glsl", &[2, 2], &[]);
}

/// Options for one kind of bins, the number of bins, and the bin of a sample.
type Kind<'a> = (&'a str, usize, &'a dyn Fn(u64) -> usize);

/// Each type with one kind of bins and weights, or with all of them in a full run.
#[test]
fn all_types_support_all_bins_and_weights_except_identity_bins_of_floats() {
    let (full, workdir) = (is_full(), Workdir::new());
    // Exact in every type, without samples whose bin depends on rounding.
    let numbers: Vec<u64> =
        (0..600u64).map(|i| i * 37 % 110).filter(|x| ![10, 100].contains(x)).collect();
    let weight = |i: usize| i as u64 % 7 + 1;
    let weights: Vec<u64> = (0..numbers.len()).map(weight).collect();
    let floats: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
    let text = |numbers: &[u64]| numbers.iter().map(|x| format!("{x}\n")).collect::<String>();
    workdir.write("in.txt", text(&numbers));
    workdir.write("words.txt", text(&weights));
    workdir.write("floats.npy", npy(1, "<f4", numbers.len(), bytes_of(&floats)));
    workdir.write("at.txt", "0\n5\n50\n101\n");
    let types = "u8 i8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64".split(' ');
    let below = |edges: &[u64], x: u64| edges.iter().filter(|edge| **edge <= x).count();
    for (row, name) in types.enumerate() {
        let glsl = match name {
            "u64" => "uint64_t",
            "i64" => "int64_t",
            "f64" => "double",
            _ if name.starts_with('u') => "uint",
            _ if name.starts_with('i') => "int",
            _ => "float",
        };
        let source = format!("uint bucket_of({glsl} x) {{ return x < {glsl}(30) ? 1u : 3u; }}");
        workdir.write("own.glsl", source);
        let kinds: [Kind<'_>; 5] = [
            ("--bins 10 --range 0 100", 10, &|x| x as usize / 10),
            ("--bins 100 --identity", 100, &|x| x as usize),
            ("--splitters at.txt", 3, &|x| below(&[5, 50, 101], x)),
            ("--bins 3 --log --range 1 1000", 3, &|x| below(&[1, 10, 100], x).wrapping_sub(1)),
            ("--bins 3 --glsl own.glsl", 3, &|x| if x < 30 { 1 } else { 3 }),
        ];
        for (column, (bins, m, bin_of)) in kinds.into_iter().enumerate() {
            for (turn, weights) in ["", "words.txt", "floats.npy"].into_iter().enumerate() {
                if !full && (column, turn) != ((row + 1) % 5, row % 3) {
                    continue;
                }
                let option = if weights.is_empty() { "" } else { "--weights " };
                let line = format!("in.txt --type {name} {bins} {option}{weights}");
                if column == 1 && glsl.starts_with(['f', 'd']) {
                    workdir.fails(
                        &format!("histogram {line}"),
                        "identity bins support only integer samples",
                    );
                    continue;
                }
                let mut expected = vec![0.0; m];
                for (i, &x) in numbers.iter().enumerate() {
                    if let Some(sum) = expected.get_mut(bin_of(x)) {
                        *sum += if weights.is_empty() { 1.0 } else { weight(i) as f64 };
                    }
                }
                let object = json(&workdir, &line);
                let found = list(&object["counts"]).iter();
                assert!(
                    found.map(Value::as_f64).eq(expected.into_iter().map(Some)),
                    "{line}: {object}"
                );
            }
        }
    }
}

/// Ranges that exceed the type at either end, or have extreme widths for floats.
#[test]
fn histogram_range_may_exceed_the_sample_type() {
    let workdir = Workdir::new();
    workdir.write("shorts.bin", bytes_of(&[0u16, 1, 65_535]));
    let line = "shorts.bin --type u16 --bins 2 --range 0 65536 --closed";
    expect(&workdir, line, &[2, 1], &[("out_of_range", 0)]);
    workdir.write("in.txt", "0\n3\n250\n");
    for kind in ["u8", "u32", "u64"] {
        let line = format!("in.txt --type {kind} --bins 4 --range -10 1000");
        let object = expect(&workdir, &line, &[2, 1, 0, 0], &[("out_of_range", 0)]);
        assert_eq!(object["edges"][0], -10);
    }
    workdir.write("bytes.bin", [0u8, 3, 250]);
    for (range, expected, below, above) in [
        ("-10 1000", [3, 0], 0, 0),
        ("-10 -5", [0, 0], 0, 3),
        ("300 400", [0, 0], 3, 0),
        ("-1 4", [1, 1], 0, 1),
    ] {
        let line = format!("bytes.bin --type u8 --bins 2 --range {range}");
        expect(&workdir, &line, &expected, &[("below", below), ("above", above)]);
    }
    workdir.write("tiny.txt", "0\n1e-40\n2e-40\n4e-40\n");
    expect(&workdir, "tiny.txt --type f32 --bins 4", &[1, 1, 1, 1], &[]);
    workdir.write("outlier.txt", "1\n2\n3\n3e38\n-3e38\n");
    for kind in ["f32", "f64"] {
        expect(&workdir, &format!("outlier.txt --type {kind} --bins 3"), &[1, 3, 1], &[]);
    }
}

/// Splitters of another type are compared with the samples numerically.
#[test]
fn splitters_may_have_another_type() {
    let workdir = Workdir::new();
    workdir.write("in.txt", "0.25\n0.5\n1\n2\n3\n");
    workdir.write("at.npy", npy(1, "<f4", 3, bytes_of(&[0.3f32, 1.0, 3.0])));
    for kind in ["f16", "bf16", "f32", "f64"] {
        let line = format!("in.txt --type {kind} --splitters at.npy");
        expect(&workdir, &line, &[1, 2], &[("out_of_range", 2)]);
    }
    workdir.write("whole.txt", "0\n1\n2\n3\n-5\n");
    workdir.write("halves.npy", npy(1, "<f8", 3, bytes_of(&[-1.5f64, 0.5, 2.5])));
    for closed in ["", "--closed"] {
        let line = format!("whole.txt --type i64 --splitters halves.npy {closed}");
        expect(&workdir, &line, &[1, 2], &[("above", 1)]);
    }
    workdir.write("f16.bin", [0x00u8, 0x3C, 0x00, 0x40]); // 1 and 2
    expect(&workdir, "in.txt --type f16 --splitters f16.bin", &[1], &[]);
    workdir.write("days.npy", npy(1, "<M8[D]", 1, &18_262i64.to_le_bytes()));
    workdir.write("numbers.npy", npy(1, "<i8", 2, &[0; 16]));
    let line = "histogram days.npy --splitters numbers.npy";
    workdir.fails(line, "the splitters in numbers.npy have type i64, but");
}
