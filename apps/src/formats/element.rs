//! Element types and their names in each file format.

use std::fmt;

use clap::ValueEnum;
use multisplit::Key;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    F16,
    // A bfloat16: the upper half of an f32.
    Bf16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    // A date or time span as in NumPy: 64 bits; the lowest value means "not a time".
    #[value(skip)]
    Time(TimeType),
}

/// Evaluates `$body` with `$type` as the Rust type of elements of type `$element`; times are `i64`. With `wide`,
/// types of 8 and 16 bits are replaced by those of 32 bits.
macro_rules! with_type {
    (wide $element:expr, $type:ident => $body:expr) => {
        $crate::formats::with_type!(@ $element, $type => $body; U8 | U16 | U32: u32, I8 | I16 | I32: i32,
            F16 | Bf16 | F32: f32, U64: u64, F64: f64)
    };
    (@ $element:expr, $type:ident => $body:expr; $($($name:ident)|+: $rust:ty),+) => {
        match $element {
            $($($crate::formats::Element::$name)|+ => {
                type $type = $rust;
                $body
            })+
            $crate::formats::Element::I64 | $crate::formats::Element::Time(_) => {
                type $type = i64;
                $body
            }
        }
    };
    ($element:expr, $type:ident => $body:expr) => {
        $crate::formats::with_type!(@ $element, $type => $body; U8: u8, I8: i8, U16: u16, I16: i16,
            F16: multisplit::half::f16, Bf16: multisplit::half::bf16, U32: u32, I32: i32, F32: f32, U64: u64,
            F64: f64)
    };
}
pub(crate) use with_type;

impl Element {
    /// NumPy's name of the type, with the byte order.
    pub fn descr(self) -> String {
        match self {
            Self::U8 => "|u1".to_owned(),
            Self::I8 => "|i1".to_owned(),
            // NumPy does not have this type; other libraries store it as two untyped bytes.
            Self::Bf16 => "<V2".to_owned(),
            Self::Time(time) => format!("<{}8{}", time.kind(), time.unit()),
            other => format!("<{}{}", &other.to_string()[..1], other.bytes()),
        }
    }

    pub fn bytes(self) -> usize {
        with_type!(self, T => size_of::<T>())
    }

    /// Whether the elements are dates or time spans.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Time(_))
    }
}

/// Formats the name on the command line; for times, the name in NumPy.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => f.write_str(time.name()),
            number => with_type!(number, T => <T as Key>::TYPE.fmt(f)),
        }
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
    /// Maximum length of a unit such as `[25s]`, in bytes: brackets, a factor, and at most two letters.
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
        // `new` accepted only ASCII characters, so this is valid UTF-8.
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
        let time = TimeType::new(false, "[25ns]").expect("the unit is valid");
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
            assert!(TimeType::new(true, unit).is_none(), "`{unit}` was accepted");
        }
    }
}
