//! Tests of sort, split and topk with 8-bit and 16-bit keys in files, with lengths that do not fill a word.

use crate::arrays::bytes_of;
use crate::common::is_full;
use crate::workdir::Workdir;

/// Type name, size in bytes, and a function that maps the bits to an unsigned number of the same order.
type Type = (&'static str, usize, fn(u16) -> u16);

fn float(bits: u16) -> u16 {
    if bits & 0x8000 != 0 { !bits } else { bits ^ 0x8000 }
}

const TYPES: [Type; 6] = [
    ("u8", 1, |bits| bits),
    ("i8", 1, |bits| bits ^ 0x80),
    ("u16", 2, |bits| bits),
    ("i16", 2, |bits| bits ^ 0x8000),
    ("f16", 2, float),
    ("bf16", 2, float),
];

/// All types in a full run, otherwise an unsigned, a signed and a float type.
fn sampled_types() -> impl Iterator<Item = Type> {
    TYPES.into_iter().filter(|of| is_full() || ["u8", "i16", "bf16"].contains(&of.0))
}

fn hashed_keys(n: u32, bytes: usize) -> Vec<u16> {
    let bits = |i: u32| (i.wrapping_mul(0x9E37_79B9) >> 13) as u16;
    (0..n).map(|i| if bytes == 1 { bits(i) & 0xFF } else { bits(i) }).collect()
}

fn raw(keys: &[u16], bytes: usize) -> Vec<u8> {
    keys.iter().flat_map(|key| key.to_le_bytes().into_iter().take(bytes)).collect()
}

#[test]
fn narrow_keys_are_sorted_with_and_without_values() {
    let workdir = Workdir::new();
    for (name, bytes, rank) in sampled_types() {
        let keys = hashed_keys(2_003, bytes);
        workdir.write("in.bin", raw(&keys, bytes));
        let mut order: Vec<u32> = (0..2_003).collect();
        order.sort_by_key(|&i| rank(keys[i as usize]));
        let sorted: Vec<u16> = order.iter().map(|&i| keys[i as usize]).collect();
        let words = bytes_of(&order);
        workdir.job(&format!("sort in.bin -o out.bin --type {name} --force"));
        assert!(workdir.read("out.bin") == raw(&sorted, bytes), "{name}: the keys differ");
        workdir.write("values.bin", crate::arrays::words(0..2_003));
        let values = "--values values.bin --values-out moved.bin";
        workdir.job(&format!("sort in.bin -o out.bin --type {name} --force {values}"));
        assert!(workdir.read("out.bin") == raw(&sorted, bytes), "{name}: the keys differ");
        assert!(workdir.read("moved.bin") == words, "{name}: the values differ");
        workdir.job(&format!("sort in.bin --argsort order.bin --type {name} --force --verify"));
        assert!(workdir.read("order.bin") == words, "{name}: the order differs");
    }
}

/// A sort that exceeds the memory limit sorts each bucket separately.
#[test]
fn narrow_keys_are_sorted_in_parts() {
    let workdir = Workdir::new();
    let keys = hashed_keys(70_001, 2);
    workdir.write("in.bin", raw(&keys, 2));
    workdir.job("sort in.bin -o out.bin --type i16 --memory-limit 200KiB");
    let mut sorted = keys;
    sorted.sort_by_key(|bits| bits ^ 0x8000);
    assert!(workdir.read("out.bin") == raw(&sorted, 2));
}

#[test]
fn narrow_keys_are_split_into_buckets() {
    let workdir = Workdir::new();
    for (name, bytes, rank) in sampled_types() {
        let keys = hashed_keys(1_001, bytes);
        workdir.write("in.bin", raw(&keys, bytes));
        let (by, bucket): (_, Box<dyn Fn(u16) -> u16>) = match name {
            "f16" => ("--by delta --range 0 3", Box::new(|bits: u16| third(half(bits)))),
            "bf16" => ("--by delta --range 0 3", Box::new(|bits: u16| third(brain(bits)))),
            _ => {
                let span = 1u32 << (8 * bytes);
                let begins = [span.div_ceil(3), (2 * span).div_ceil(3)];
                let rank = move |bits| u32::from(rank(bits));
                let bucket = move |bits| begins.iter().filter(|&&b| b <= rank(bits)).count() as u16;
                ("--by delta", Box::new(bucket))
            }
        };
        for checked in ["", "--verify"] {
            let line = format!("split in.bin -o out.bin --offsets at.txt --type {name} {by}");
            workdir.job(&format!("{line} --buckets 3 --force {checked}"));
            let mut expected = keys.clone();
            expected.sort_by_key(|&key| bucket(key));
            workdir.expect_bytes("out.bin", &raw(&expected, bytes), format!("{name} {checked}"));
        }
    }
}

/// The bucket of a number for `--range 0 3` with three buckets, in the total order.
fn third(number: f32) -> u16 {
    match number {
        x if x.is_nan() && x.is_sign_negative() => 0,
        x if x >= 2.0 || x.is_nan() => 2,
        x if x >= 1.0 => 1,
        _ => 0,
    }
}

fn brain(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

fn half(bits: u16) -> f32 {
    let magnitude = match (i32::from(bits >> 10 & 31), f32::from(bits & 0x3FF)) {
        (0, fraction) => fraction / 16_777_216.0,
        (31, 0.0) => f32::INFINITY,
        (31, _) => f32::NAN,
        (exponent, fraction) => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    };
    magnitude.copysign(if bits & 0x8000 != 0 { -1.0 } else { 1.0 })
}

#[test]
fn narrow_topk_is_correct_and_bf16_supports_text_and_npy() {
    let workdir = Workdir::new();
    for (name, bytes, rank) in sampled_types() {
        let keys = hashed_keys(701, bytes);
        workdir.write("in.bin", raw(&keys, bytes));
        workdir.job(&format!("topk in.bin -k 5 -o top.bin --type {name} --force --verify"));
        let mut sorted = keys;
        sorted.sort_by_key(|&key| std::cmp::Reverse(rank(key)));
        assert!(workdir.read("top.bin") == raw(&sorted[..5], bytes), "{name}: the keys differ");
    }
    workdir.write("numbers.txt", "1.5\n-2\n0.25\n3e38\n");
    workdir.job("sort numbers.txt -o sorted.npy --type bf16");
    let npy = workdir.read("sorted.npy");
    assert!(String::from_utf8_lossy(&npy[..60]).contains("'<V2'"));
    assert_eq!(npy[npy.len() - 8..npy.len() - 4], [0x00, 0xC0, 0x80, 0x3E]);
    workdir.job("sort sorted.npy -o back.txt --descending");
    assert_eq!(workdir.read("back.txt"), b"3.0040553e38\n1.5\n0.25\n-2.0\n");
}
