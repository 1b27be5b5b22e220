//! Ordering of keys of any type.

use multisplit::{Key, KeyType};

/// An unsigned number with the same order as the key; floats are ordered by `total_cmp`.
pub fn rank<K: Key>(key: K) -> u64 {
    let (bits, width) = (key.key_bits(), K::TYPE.bits());
    let sign = 1 << (width - 1);
    match K::TYPE {
        KeyType::U8 | KeyType::U16 | KeyType::U32 | KeyType::U64 => bits,
        key if key.is_float() && bits & sign != 0 => !bits & (u64::MAX >> (64 - width)),
        _ => bits ^ sign,
    }
}

#[cfg(test)]
mod tests {
    use multisplit::half::f16;

    use super::rank;

    #[test]
    fn rank_preserves_key_order() {
        assert!([i8::MIN, -1, 0, 1, i8::MAX].map(rank).is_sorted());
        let halves = [-f32::NAN, -2.0, -0.0, 0.0, 1e-7, f32::NAN].map(f16::from_f32);
        assert!(halves.map(rank).is_sorted_by(|a, b| a < b));
        assert!([i32::MIN, -1, 0, 1, i32::MAX].map(rank).is_sorted());
        assert!([i64::MIN, -1, 0, 1, i64::MAX].map(rank).is_sorted());
        let floats =
            [-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN];
        assert!(floats.map(rank).is_sorted_by(|a, b| a < b));
        let doubles = [-f64::NAN, -1.0, -0.0, 0.0, 5e-324, f64::MAX, f64::NAN];
        assert!(doubles.map(rank).is_sorted_by(|a, b| a < b));
        assert_eq!(rank(7u32), 7);
    }
}
