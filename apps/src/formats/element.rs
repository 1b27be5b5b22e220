//! Element types and their names in each file format.

use std::fmt;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    F16,
    /// The upper half of an f32.
    Bf16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    /// A date or time span as in NumPy: 64 bits; the lowest value means "not a time".
    Time(TimeType),
}

impl Element {
    /// Types that can be given on the command line.
    const NAMED: [Self; 12] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::F16,
        Self::Bf16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
            Self::Time(time) => time.name(),
        }
    }

    /// NumPy's name, with the byte order.
    pub fn descr(self) -> String {
        match self {
            Self::U8 => "|u1".to_owned(),
            Self::I8 => "|i1".to_owned(),
            // NumPy has unknown type; other libraries store it as two untyped bytes.
            Self::Bf16 => "<V2".to_owned(),
            Self::Time(time) => format!("<{}8{}", time.kind(), time.unit()),
            other => {
                let kind = match other.name().as_bytes()[0] {
                    b'u' => 'u',
                    b'i' => 'i',
                    _ => 'f',
                };
                format!("<{kind}{}", other.bytes())
            }
        }
    }

    /// Size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 | Self::Time(_) => 8,
        }
    }

    /// Parses `--type`.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let named = |name: String| Self::NAMED.into_iter().find(|element| element.name() == name);
        PossibleValuesParser::new(Self::NAMED.map(Self::name))
            .try_map(move |name| named(name).ok_or("unknown type"))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// NumPy's datetime64 or timedelta64, with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeType {
    span: bool,
    unit: [u8; Self::MAX_UNIT],
    unit_bytes: u8,
}

impl TimeType {
    /// Long enough for NumPy's units, such as `[25s]`: at most two letters, with a factor before them.
    const MAX_UNIT: usize = 14;

    /// The type with this unit in brackets, or without a unit if `unit` is empty; `None` if the unit is
    /// malformed.
    pub fn new(span: bool, unit: &str) -> Option<Self> {
        let inside = unit.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if unit.len() > Self::MAX_UNIT || !(unit.is_empty() || inside.is_some_and(plain)) {
            return None;
        }
        let mut bytes = [0; Self::MAX_UNIT];
        bytes[..unit.len()].copy_from_slice(unit.as_bytes());
        Some(Self { span, unit: bytes, unit_bytes: unit.len() as u8 })
    }

    fn unit(&self) -> &str {
        // `new` accepted only letters and digits, so this is valid UTF-8.
        std::str::from_utf8(&self.unit[..usize::from(self.unit_bytes)]).unwrap_or_default()
    }

    fn kind(self) -> char {
        if self.span { 'm' } else { 'M' }
    }

    fn name(self) -> &'static str {
        if self.span { "timedelta64" } else { "datetime64" }
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, TimeType};

    #[test]
    fn elements_have_numpy_names() {
        let time = TimeType::new(false, "[25ns]").expect("a unit");
        for (element, descr) in [
            (Element::U8, "|u1"),
            (Element::I8, "|i1"),
            (Element::I16, "<i2"),
            (Element::F16, "<f2"),
            (Element::Bf16, "<V2"),
            (Element::U32, "<u4"),
            (Element::F64, "<f8"),
            (Element::Time(time), "<M8[25ns]"),
        ] {
            assert_eq!(element.descr(), descr);
        }
        assert!(TimeType::new(true, "").is_some());
        for unit in ["ns", "[ns", "[n s]", "[aaaaaaaaaaaaaaaaaa]"] {
            assert!(TimeType::new(true, unit).is_none(), "{unit}");
        }
    }
}
