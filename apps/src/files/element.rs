//! What an element of an array is, and what each file format calls it.

use std::fmt;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    U8,
    U16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    /// Sixteen bytes that nobody looks into: values that keys take along.
    Bytes16,
}

impl Element {
    const ALL: [Self; 9] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::U64,
        Self::I64,
        Self::F64,
        Self::Bytes16,
    ];
    /// Those that are counted.
    const SAMPLES: [Self; 8] =
        [Self::U8, Self::U16, Self::U32, Self::I32, Self::F32, Self::U64, Self::I64, Self::F64];
    /// Those that are sorted and split.
    pub const KEYS: [Self; 6] = [Self::U32, Self::I32, Self::F32, Self::U64, Self::I64, Self::F64];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
            Self::Bytes16 => "16-byte values",
        }
    }

    /// NumPy's name, with the byte order.
    pub fn descr(self) -> &'static str {
        match self {
            Self::U8 => "|u1",
            Self::U16 => "<u2",
            Self::U32 => "<u4",
            Self::I32 => "<i4",
            Self::F32 => "<f4",
            Self::U64 => "<u8",
            Self::I64 => "<i8",
            Self::F64 => "<f8",
            Self::Bytes16 => "|V16",
        }
    }

    /// The element that NumPy calls so.
    pub fn from_descr(descr: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.descr() == descr)
    }

    /// Size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::Bytes16 => 16,
        }
    }

    /// Parses `--type` where keys are meant.
    pub fn key_parser() -> impl TypedValueParser<Value = Self> {
        Self::parser(&Self::KEYS)
    }

    /// Parses `--type` where samples are meant.
    pub fn sample_parser() -> impl TypedValueParser<Value = Self> {
        Self::parser(&Self::SAMPLES)
    }

    fn parser(of: &'static [Self]) -> impl TypedValueParser<Value = Self> {
        let named = |name: String| of.iter().copied().find(|element| element.name() == name);
        PossibleValuesParser::new(of.iter().map(|element| element.name()))
            .try_map(move |name| named(name).ok_or("no such type"))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
