//! Tests of `multisplit split`.

use crate::arrays::{Keys, bytes_of, in_order, npy, words};
use crate::common::is_full;
use crate::workdir::Workdir;

/// The indices of the keys, bucket after bucket, and the start of each bucket, followed by n.
fn by_bucket(n: usize, m: usize, bucket: impl Fn(usize) -> usize) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&index| bucket(index));
    let begins = (0..=m).map(|b| (0..n).filter(|&index| bucket(index) < b).count()).collect();
    (order, begins)
}

fn u32_at(raw: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(raw[4 * index..4 * index + 4].try_into().expect("the element has 4 bytes"))
}

fn u64_at(raw: &[u8], index: usize) -> u64 {
    u64::from_le_bytes(raw[8 * index..8 * index + 8].try_into().expect("the element has 8 bytes"))
}

#[test]
fn delta_splits_integers_of_32_and_64_bits() {
    let workdir = Workdir::new();
    // A plain run takes the first one of each width.
    let each = if is_full() { 1 } else { 2 };
    for (name, m) in [("u32", 10), ("i32", 256), ("i64", 10), ("u64", 3)].into_iter().step_by(each)
    {
        let keys = Keys::of(name, 3000, 20);
        let n = keys.len();
        let bits = 8 * keys.each as u32;
        // Buckets divide the domain equally. For signed keys, the domain begins at the lowest value.
        let unsigned = |index: usize| match keys.each {
            4 => u64::from(u32_at(&keys.raw, index)),
            _ => u64_at(&keys.raw, index),
        };
        let flip = if name.starts_with('i') { 1u64 << (bits - 1) } else { 0 };
        let width = (1u128 << bits).div_ceil(m as u128);
        let bucket = |index| (u128::from(unsigned(index) ^ flip) / width) as usize;
        let (order, begins) = by_bucket(n, m, bucket);
        workdir.write("in.npy", keys.npy());
        let split = format!("--buckets {m} --by delta --offsets begins.npy");
        workdir.job(&format!("split in.npy -o out.npy {split} --verify --force"));
        let (split, case) =
            (in_order(&keys.raw, keys.each, &order), format!("{name}, {m} buckets"));
        workdir.expect_npy("out.npy", (keys.descr, n), &split, &case);
        workdir.expect_npy("begins.npy", ("<u4", m + 1), &words(begins), &case);
    }
}

#[test]
fn splitters_divide_keys_of_32_and_64_bits() {
    let workdir = Workdir::new();
    for keys in Keys::of_every_type(2000, 21) {
        // Nine quantiles of the sorted keys, one of them twice, which makes an empty bucket.
        let mut chosen: Vec<usize> = (1..10).map(|tenth| keys.ascending[tenth * 200]).collect();
        chosen.insert(3, chosen[3]);
        let mut rank = vec![0; keys.len()];
        keys.ascending.iter().enumerate().for_each(|(place, &index)| rank[index] = place);
        let same = |a: usize, b: usize| {
            keys.raw[a * keys.each..(a + 1) * keys.each]
                == keys.raw[b * keys.each..(b + 1) * keys.each]
        };
        let at_or_below =
            |splitter: usize, index: usize| rank[splitter] <= rank[index] || same(splitter, index);
        let bucket = |index| chosen.iter().filter(|&&s| at_or_below(s, index)).count();
        let (order, begins) = by_bucket(keys.len(), 11, bucket);
        let splitters = in_order(&keys.raw, keys.each, &chosen);
        workdir.write("in.npy", keys.npy());
        workdir.write("splitters.npy", npy(1, keys.descr, 10, &splitters));
        let split = "--splitters splitters.npy --offsets begins.bin";
        workdir.job(&format!("split in.npy -o out.bin {split} --verify --force"));
        workdir.expect_bytes("out.bin", &in_order(&keys.raw, keys.each, &order), keys.name);
        workdir.expect_bytes("begins.bin", &words(begins), keys.name);
    }
}

#[test]
fn glsl_splits_move_values() {
    let workdir = Workdir::new();
    let keys = Keys::of("i32", 2000, 22);
    let values: Vec<u8> = (0..keys.len() * 8).map(|byte| (byte * 3 / 2) as u8).collect();
    let bucket = |index| (u32_at(&keys.raw, index) % 7) as usize;
    let (order, _) = by_bucket(keys.len(), 7, bucket);
    workdir.write("in.bin", &keys.raw);
    workdir.write("values.bin", &values);
    workdir.write("seven.glsl", "uint bucket_of(int key) { return uint(key) % 7u; }");
    let along = "--values values.bin --values-out moved.bin --value-bytes 8";
    let split = "--type i32 --buckets 7 --glsl seven.glsl --verify";
    workdir.job(&format!("split in.bin -o out.bin {split} {along}"));
    assert!(workdir.read("out.bin") == in_order(&keys.raw, 4, &order));
    assert!(workdir.read("moved.bin") == in_order(&values, 8, &order));
}

#[test]
fn glsl_functions_receive_signed_64_bit_keys() {
    let workdir = Workdir::new();
    let keys = Keys::of("i64", 500, 23);
    workdir.write("in.npy", keys.npy());
    workdir.write("sign.glsl", "uint bucket_of(int64_t key) { return key < 0 ? 0u : 1u; }");
    workdir.job("split in.npy -o out.bin --buckets 2 --glsl sign.glsl");
    let (order, _) =
        by_bucket(keys.len(), 2, |index| usize::from(u64_at(&keys.raw, index) >> 63 == 0));
    assert!(workdir.read("out.bin") == in_order(&keys.raw, 8, &order));
}

/// The program shifts dates for comparisons, but bucket functions must get the original number of days.
#[test]
fn bucket_functions_of_dates_receive_day_numbers() {
    let workdir = Workdir::new();
    workdir.write("days.npy", npy(1, "<M8[D]", 4, bytes_of(&[2i64, 0, 1, 2])));
    workdir.write("day.glsl", "uint bucket_of(int64_t day) { return uint(day); }");
    for function in ["--by identity", "--glsl day.glsl"] {
        let split = format!("--buckets 3 {function} --offsets at.bin --force");
        workdir.job(&format!("split days.npy -o out.bin {split}"));
        assert_eq!(workdir.read("out.bin"), bytes_of(&[0i64, 1, 2, 2]), "{function}");
        assert_eq!(workdir.read("at.bin"), words([0, 1, 2, 4]), "{function}");
    }
}

#[test]
fn splitters_of_another_type_divide_keys() {
    let workdir = Workdir::new();
    workdir.write("at.npy", npy(1, "<f4", 2, bytes_of(&[0.3f32, 2.5])));
    workdir.write("in.txt", "3\n0\n1\n2\n");
    for kind in ["f16", "f64", "i64", "u8"] {
        let split = format!("--type {kind} --splitters at.npy --offsets at.bin --force");
        workdir.job(&format!("split in.txt -o out.txt {split}"));
        assert_eq!(workdir.read("at.bin"), words([0, 1, 3, 4]), "{kind}");
    }
    workdir.write("far.npy", npy(1, "<f4", 1, &300f32.to_le_bytes()));
    let part = "the splitter 300.0 of type f32 is NaN or larger than any key of type u8";
    workdir.fails("split in.txt -o far.txt --type u8 --splitters far.npy", part);
}

#[test]
fn all_methods_give_the_same_result() {
    let workdir = Workdir::new();
    let small: Vec<usize> = (0..3000).map(|i| i * i % 40).collect();
    let (order, _) = by_bucket(small.len(), 40, |index| small[index]);
    let raw = words(small.iter().copied());
    workdir.write("in.bin", &raw);
    for method in ["auto", "direct", "warp", "block", "onesweep", "reduced-bit", "scan-split"] {
        let split = format!("--type u32 --buckets 40 --by identity --method {method}");
        workdir.job(&format!("split in.bin -o out.bin {split} --force"));
        assert!(workdir.read("out.bin") == in_order(&raw, 4, &order), "{method}: the keys differ");
    }
}

#[test]
fn bucket_sizes_are_printed() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1, 0, 1, 1]));
    let split = "split in.bin -o out.bin --type u32 --by identity";
    let ran = workdir.job(&format!("{split} --buckets 3"));
    let rows: Vec<Vec<&str>> = ran.out.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(
        rows[1..],
        [["0", "0", "1", "25.0%"], ["1", "1", "3", "75.0%"], ["2", "4", "0", "0.0%"]]
    );
    ran.expect_err("split 4 u32 into 3 buckets");
    let ran = workdir.job(&format!("{split} --buckets 33 --force"));
    let ran = ran.expect_out(&["first", "last", "largest", "smallest"]);
    assert_eq!(ran.out.lines().count(), 5, "{}", ran.out);
    // Only the keys are written to standard output.
    assert_eq!(
        workdir.pipe("split - -o - --type u32 --buckets 3 --by identity", &words([2, 1])),
        words([1, 2])
    );
    let ran = workdir.job(&format!("{split} --buckets 3 --force --quiet"));
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn invalid_splits_are_reported() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1, 5, 2]));
    workdir.write("f.npy", npy(1, "<f4", 2, &[0; 8]));
    workdir.write("down.bin", words([5, 1]));
    workdir.write("wrong.glsl", "uint bucket_of(uint key) { return nothing; }");
    workdir.write("past.glsl", "uint bucket_of(uint key) { return key; }");
    for (line, part) in [
        (
            "in.bin --type u32 --buckets 3 --by identity",
            "1 of the keys are 3 or more, or negative; with --by",
        ),
        (
            "f.npy --buckets 2 --by delta",
            "--by without --range supports only integer keys, but the keys have type f32",
        ),
        ("in.bin --type u32 --splitters down.bin", "the splitters in down.bin are not sorted"),
        (
            "in.bin --type u32 --splitters in.bin --buckets 7",
            "in.bin has 3 splitters, which make 4 buckets",
        ),
        ("in.bin --type u32 --buckets 2 --glsl wrong.glsl", "wrong.glsl:1: 'nothing'"),
        ("in.bin --type u32 --buckets 5 --glsl past.glsl", "an id of 5 or more for 1 of the keys"),
        ("in.bin --type u32 --buckets 2 --glsl none.glsl", "cannot read none.glsl"),
        (
            "in.bin --type u32 --buckets 10000000 --by delta",
            "--buckets 10000000 is more than 65536",
        ),
    ] {
        workdir.run(&format!("split -o out.bin {line}")).expect(1).expect_err(part);
        assert_eq!(workdir.names().len(), 5, "files are left behind");
    }
}
