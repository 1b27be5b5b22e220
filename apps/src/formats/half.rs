//! Conversions between 16-bit and wider floats. Unlike those of the `half` crate, they keep every bit of a NaN, and
//! convert 64-bit floats without first rounding to 32 bits.

use multisplit::half::{bf16, f16};

/// Converts an `f16` to 32 bits; keeps the payload of a NaN.
pub fn to_f32(bits: u16) -> f32 {
    let value = f16::from_bits(bits);
    if value.is_nan() {
        let (sign, fraction) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x3ff) << 13);
        return f32::from_bits(sign | 0x7f80_0000 | fraction);
    }
    value.to_f32()
}

/// Converts a value returned by [`to_f32`] back to its 16 bits.
pub fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 & 0x8000 | 0x7c00 | ((bits >> 13) as u16 & 0x3ff);
    }
    from_f64(value.into())
}

/// Returns the bits of the nearest `bf16`, ties to even. Exact for values that `bf16` can represent.
pub fn to_bf16(value: f32) -> u16 {
    let upper = (value.to_bits() >> 16) as u16;
    // Truncation must not turn a NaN into an infinity.
    let is_exact_nan = value.is_nan() && upper & 0x7f != 0;
    if is_exact_nan { upper } else { bf16::from_f32(value).to_bits() }
}

/// Returns the bits of the nearest `f16`, ties to even.
pub fn from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    // These values round to at least 65536, which is above the maximum, so the result is infinite.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The value of the last fraction bit is 2^(exponent - 10), and at least 2^-24 (subnormal
    // numbers).
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let places = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    // Rounding up to the next power of two carries into the exponent, as it should.
    sign | ((((exponent + 14) as u16) << 10) + places)
}

#[cfg(test)]
mod tests {
    use super::{from_f32, from_f64, to_f32};

    #[test]
    fn every_half_float_round_trips() {
        let mut before = f32::NEG_INFINITY;
        for bits in 0..=u16::MAX {
            assert_eq!(from_f32(to_f32(bits)), bits, "{bits:04x}");
        }
        for bits in 0..0x7c00u16 {
            let value = to_f32(bits);
            assert!(value > before);
            before = value;
        }
        assert_eq!(to_f32(0x3c00), 1.0);
        assert_eq!(to_f32(0xc000), -2.0);
        assert_eq!(to_f32(0x7bff), 65504.0);
        assert_eq!(to_f32(1), 2f32.powi(-24));
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_half_float() {
        for (value, bits) in [
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-25), 0),
            (2f64.powi(-25) * 1.1, 1),
            (2f64.powi(-14) * 0.9999, 0x0400),
            (-0.0, 0x8000),
            (f64::INFINITY, 0x7c00),
        ] {
            assert_eq!(from_f64(value), bits, "{value}");
        }
    }
}
