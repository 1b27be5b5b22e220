//! Keys of any type as words of bits, and the order of those bits that is the order of the keys.

use bytemuck::Pod;

use crate::files::Element;

/// The bits of a key.
pub trait Word: Pod + Eq + std::hash::Hash + Send + Sync {
    /// The bits, zero-extended.
    fn bits(self) -> u64;
    /// The word of these bits, less those that it has no room for.
    fn from_bits(bits: u64) -> Self;
}

impl Word for u32 {
    fn bits(self) -> u64 {
        self.into()
    }

    fn from_bits(bits: u64) -> Self {
        bits as Self
    }
}

impl Word for u64 {
    fn bits(self) -> u64 {
        self
    }

    fn from_bits(bits: u64) -> Self {
        bits
    }
}

/// An unsigned number that compares as the key of these bits does; floats in the order of
/// `total_cmp`.
pub fn ordered(element: Element, bits: u64) -> u64 {
    let width = 8 * element.bytes() as u32;
    let all = u64::MAX >> (64 - width);
    let sign = 1 << (width - 1);
    match element {
        Element::I32 | Element::I64 => bits ^ sign,
        Element::F32 | Element::F64 if bits & sign != 0 => !bits & all,
        Element::F32 | Element::F64 => bits | sign,
        _ => bits,
    }
}

/// The bits of the key that [`ordered`] gives this number for.
pub fn unordered(element: Element, number: u64) -> u64 {
    let width = 8 * element.bytes() as u32;
    let all = u64::MAX >> (64 - width);
    let sign = 1 << (width - 1);
    match element {
        // Of floats, those without a sign have it set.
        Element::F32 | Element::F64 if number & sign != 0 => number ^ sign,
        Element::F32 | Element::F64 => !number & all,
        _ => ordered(element, number),
    }
}

#[cfg(test)]
mod tests {
    use super::{ordered, unordered};
    use crate::files::Element;

    #[test]
    fn the_order_is_that_of_the_keys() {
        let ints = [i32::MIN, -1, 0, 1, i32::MAX];
        assert!(ints.map(|i| ordered(Element::I32, i.cast_unsigned().into())).is_sorted());
        let longs = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(longs.map(|i| ordered(Element::I64, i.cast_unsigned())).is_sorted());
        let floats =
            [-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN];
        let order = floats.map(|f| ordered(Element::F32, f.to_bits().into()));
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
        let doubles = [-f64::NAN, -1.0, -0.0, 0.0, 5e-324, f64::MAX, f64::NAN];
        assert!(doubles.map(|f| ordered(Element::F64, f.to_bits())).is_sorted_by(|a, b| a < b));
        assert_eq!(ordered(Element::U32, 7), 7);
    }

    #[test]
    fn the_order_can_be_undone() {
        for element in Element::KEYS {
            let all = u64::MAX >> (64 - 8 * element.bytes());
            for bits in [0, 1, all, all >> 1, (all >> 1) + 1, 0x1234_5678_9abc_def0 & all] {
                assert_eq!(unordered(element, ordered(element, bits)), bits, "{element} {bits:x}");
            }
        }
    }
}
