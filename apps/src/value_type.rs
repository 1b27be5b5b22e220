//! Which type values of so many bytes have where nobody looks at them.

/// Evaluates `$pairs` with `$value` as the type of values of `$bytes` bytes, or `$keys` where there
/// are no values; ends the function where values have another size.
macro_rules! by_value_bytes {
    ($bytes:expr, $keys:expr, $value:ident => $pairs:expr) => {
        match $bytes {
            0 => $keys,
            4 => {
                type $value = u32;
                $pairs
            }
            8 => {
                type $value = u64;
                $pairs
            }
            16 => {
                type $value = [u32; 4];
                $pairs
            }
            bytes => anyhow::bail!("values have 4, 8 or 16 bytes, not {bytes}"),
        }
    };
}

pub(crate) use by_value_bytes;
