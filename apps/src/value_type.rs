//! Selects a type for values of a given size.

/// Evaluates `$pairs` with `$value` as the type of values of `$bytes` bytes, or `$keys` if there are no
/// values. Returns an error from the function if the size is unsupported.
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
            bytes => anyhow::bail!("values must have 4, 8 or 16 bytes, not {bytes}"),
        }
    };
}

pub(crate) use by_value_bytes;
