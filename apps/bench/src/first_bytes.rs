//! Detects the compression of a file from its first bytes.

/// Byte order mark that some programs write before UTF-8 text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstandard,
}

/// Number of bytes to inspect at the beginning of a file.
pub const PEEKED_BYTES: usize = 4096;

/// Detects the compression format of these bytes.
pub fn compression(bytes: &[u8]) -> Option<Compression> {
    match bytes {
        // The magic number, method 8 (deflate), and three reserved flags of 0.
        [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0 => Some(Compression::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstandard),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Compression, compression};

    #[test]
    fn compression_is_detected_by_first_bytes() {
        let packed = zstd::encode_all(&b"1\n"[..], 0).expect("compression succeeds");
        assert_eq!(compression(&packed), Some(Compression::Zstandard));
        assert_eq!(compression(&[0x1f, 0x8b, 8, 0, 1]), Some(Compression::Gzip));
        for other in [&[0x1f, 0x8b, 7, 0][..], &[0x1f, 0x8b], &[0x1f, 0x8b, 8, 0xff], b""] {
            assert_eq!(compression(other), None);
        }
    }
}
