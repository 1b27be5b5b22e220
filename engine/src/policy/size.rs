//! Converts sizes to and from text, checks them, and clamps them to device limits.

use super::allowed::{Allowed, number};
use super::facts::DeviceFacts;
use super::method::{Method, ScanMethod, SortMethod, ValuesAfter};
use super::tile::TileShape;

/// A type that a size (tuning parameter) can have.
pub(crate) trait Size: Sized {
    /// Formats the value in the form that profiles use.
    fn text(&self) -> String;
    /// Parses a value. The error describes the expected form.
    fn read(text: &str) -> Result<Self, String>;
    /// Checks conditions between the values of a list, such as their order.
    fn check_list(_: &[Self]) -> Result<(), String> {
        Ok(())
    }
    fn is_allowed(&self, allowed: &Allowed) -> bool;
    /// Clamps the value to the device limits.
    fn fit(&mut self, _: &DeviceFacts, _: &Allowed) {}
}

impl Size for u64 {
    fn text(&self) -> String {
        number(*self)
    }

    fn read(text: &str) -> Result<Self, String> {
        let digits = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| text.parse().ok()).flatten()
        };
        let number = match text.strip_prefix("2^") {
            Some(exponent) => digits(exponent)
                .and_then(|exponent| u32::try_from(exponent).ok())
                .and_then(|exponent| 1u64.checked_shl(exponent)),
            None => digits(text),
        };
        number.ok_or_else(|| "expected a number such as 4096 or 2^12".to_owned())
    }

    fn is_allowed(&self, allowed: &Allowed) -> bool {
        let Allowed::Numbers { low, high, step } = *allowed else { return false };
        (low..=high).contains(self) && self.is_multiple_of(step)
    }

    fn fit(&mut self, _: &DeviceFacts, allowed: &Allowed) {
        if let Allowed::Numbers { low, high, step } = *allowed {
            *self = (*self).clamp(low, high) / step * step;
        }
    }
}

impl Size for u32 {
    fn text(&self) -> String {
        u64::from(*self).text()
    }

    fn read(text: &str) -> Result<Self, String> {
        u64::read(text)?.try_into().map_err(|_| "the number exceeds 2^32 - 1".to_owned())
    }

    fn is_allowed(&self, allowed: &Allowed) -> bool {
        u64::from(*self).is_allowed(allowed)
    }

    fn fit(&mut self, facts: &DeviceFacts, allowed: &Allowed) {
        let mut number = u64::from(*self);
        number.fit(facts, allowed);
        *self = number.try_into().unwrap_or(u32::MAX);
    }
}

impl Size for TileShape {
    fn text(&self) -> String {
        let Self { threads, items, turns } = self;
        match turns {
            1 => format!("{threads}x{items}"),
            _ => format!("{threads}x{items}/{turns}"),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let form = |_| "expected a tile such as 256x8 or 256x8/2 (THREADSxITEMS/TURNS)".to_owned();
        let (threads, rest) = text.split_once('x').ok_or(()).map_err(form)?;
        let (items, turns) = rest.split_once('/').unwrap_or((rest, "1"));
        let number = |text: &str| u32::read(text).map_err(|_| ()).map_err(form);
        Ok(Self { threads: number(threads)?, items: number(items)?, turns: number(turns)? })
    }

    fn is_allowed(&self, allowed: &Allowed) -> bool {
        self.is_one_of(allowed)
    }

    fn fit(&mut self, facts: &DeviceFacts, _: &Allowed) {
        *self = self.of_subgroups(facts).with_max_items(facts.max_items);
    }
}

/// Written instead of the element count in the last entry of a table of tiles, which applies to all
/// element counts above those of the other entries.
const REST: &str = "more";

/// An entry of a table of tiles: a maximum number of elements, and the tile for up to that many
/// elements.
impl Size for (u64, TileShape) {
    fn text(&self) -> String {
        let (max, shape) = self;
        let max = if *max == u64::MAX { REST.to_owned() } else { max.text() };
        format!("{max}: {}", shape.text())
    }

    fn read(text: &str) -> Result<Self, String> {
        let form = || format!("expected a list of COUNT: TILE that ends with {REST}: TILE");
        let (max, shape) = text.split_once(':').ok_or_else(form)?;
        let max = match max.trim() {
            REST => u64::MAX,
            max => u64::read(max)?,
        };
        Ok((max, TileShape::read(shape.trim())?))
    }

    fn check_list(list: &[Self]) -> Result<(), String> {
        // Several entries have the same count if a single tile is used for all numbers of elements.
        if !list.is_sorted_by_key(|(max, _)| *max) {
            return Err("the counts must be in ascending order".to_owned());
        }
        match list.last() {
            Some((u64::MAX, _)) => Ok(()),
            _ => Err(format!("the last count must be `{REST}`")),
        }
    }

    fn is_allowed(&self, allowed: &Allowed) -> bool {
        self.1.is_allowed(allowed)
    }

    fn fit(&mut self, facts: &DeviceFacts, allowed: &Allowed) {
        self.1.fit(facts, allowed);
    }
}

impl<T: Size, const N: usize> Size for [T; N] {
    fn text(&self) -> String {
        self.each_ref().map(Size::text).join(", ")
    }

    fn read(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let count = parts.len();
        let form = |_| format!("expected {N} values separated by commas, but found {count}");
        let parts: [&str; N] = parts.try_into().map_err(form)?;
        let read = parts.into_iter().map(T::read).collect::<Result<Vec<T>, _>>()?;
        T::check_list(&read)?;
        read.try_into().map_err(|_| format!("expected {N} values"))
    }

    fn is_allowed(&self, allowed: &Allowed) -> bool {
        self.iter().all(|value| value.is_allowed(allowed))
    }

    fn fit(&mut self, facts: &DeviceFacts, allowed: &Allowed) {
        self.iter_mut().for_each(|value| value.fit(facts, allowed));
    }
}

/// A size with named values.
pub(crate) trait Words: Copy + 'static {
    const WORDS: &'static [(&'static str, Self)];
}

/// The names of all values of a type.
pub(crate) fn words<T: Words>(_: &DeviceFacts) -> Allowed {
    Allowed::Words(T::WORDS.iter().map(|(word, _)| *word).collect())
}

macro_rules! words {
    ($($of:ty: [$($word:literal => $value:expr),*];)*) => {$(
        impl Words for $of {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $value)),*];
        }

        impl Size for $of {
            fn text(&self) -> String {
                let word = Self::WORDS.iter().find(|(_, value)| value == self);
                word.map_or_else(|| format!("{self:?}"), |(word, _)| (*word).to_owned())
            }

            fn read(text: &str) -> Result<Self, String> {
                named(text, Self::WORDS)
            }

            fn is_allowed(&self, _: &Allowed) -> bool {
                Self::WORDS.iter().any(|(_, value)| value == self)
            }
        }
    )*};
}

words! {
    bool: ["no" => false, "yes" => true];
    ValuesAfter: ["loading" => Self::Loading, "ranking" => Self::Ranking, "ordering" => Self::Ordering];
    Method: ["direct" => Self::Direct, "warp" => Self::Warp, "block" => Self::Block];
    SortMethod: [
        "one-sweep" => Self::OneSweep,
        "multisplit by bits 4" => Self::Multisplit { radix_bits: 4 },
        "multisplit by bits 5" => Self::Multisplit { radix_bits: 5 },
        "multisplit by bits 6" => Self::Multisplit { radix_bits: 6 },
        "multisplit by bits 7" => Self::Multisplit { radix_bits: 7 },
        "multisplit by bits 8" => Self::Multisplit { radix_bits: 8 }
    ];
}

const LOOK_BACK: &str = "look-back";
const LOOK_BACK_UP_TO: &str = "look-back up to ";
const REDUCE_THEN_SCAN: &str = "reduce-then-scan";

/// Names of the scan methods. For look-back up to a maximum length, the list contains three examples.
pub(crate) fn scan_methods(_: &DeviceFacts) -> Allowed {
    let up_to = ["look-back up to 0", "look-back up to 4096", "look-back up to 2^20"];
    Allowed::Words([&[LOOK_BACK, REDUCE_THEN_SCAN], &up_to[..]].concat())
}

impl Size for ScanMethod {
    fn text(&self) -> String {
        match self {
            Self::LookBack => LOOK_BACK.to_owned(),
            Self::ReduceThenScan => REDUCE_THEN_SCAN.to_owned(),
            Self::LookBackUpTo(max) => format!("{LOOK_BACK_UP_TO}{}", max.text()),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        match text.strip_prefix(LOOK_BACK_UP_TO) {
            Some(max) => Ok(Self::LookBackUpTo(u64::read(max)?)),
            None => {
                let all = [(LOOK_BACK, Self::LookBack), (REDUCE_THEN_SCAN, Self::ReduceThenScan)];
                named(text, &all).map_err(|error| format!("{error}, {LOOK_BACK_UP_TO}COUNT"))
            }
        }
    }

    fn is_allowed(&self, _: &Allowed) -> bool {
        true
    }
}

/// Returns the value with the name `text`.
pub(super) fn named<T: Copy>(text: &str, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(name, _)| *name == text);
    let names = || all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.map(|(_, value)| *value).ok_or_else(|| format!("expected one of: {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: Size + PartialEq + std::fmt::Debug>(value: &T) {
        assert_eq!(T::read(&value.text()).as_ref(), Ok(value), "{}", value.text());
    }

    #[test]
    fn values_written_as_text_are_read_back() {
        for number in [0, 1, 48, 4096, 1 << 14, (1 << 14) + 1, u32::MAX] {
            round_trip(&number);
        }
        for number in [0, 1 << 40, u64::MAX - 1] {
            round_trip(&number);
        }
        for shape in [TileShape::new(512, 4), TileShape::new(384, 26).in_turns(2)] {
            round_trip(&shape);
            round_trip(&[shape; 8]);
            round_trip(&[(1 << 17, TileShape::new(64, 4)), (u64::MAX, shape)]);
            round_trip(&[(u64::MAX, shape); 5]);
        }
        for method in [ScanMethod::LookBack, ScanMethod::LookBackUpTo(1 << 20)] {
            round_trip(&method);
        }
        round_trip(&SortMethod::Multisplit { radix_bits: 6 });
        round_trip(&[ValuesAfter::Ranking; 8]);
        round_trip(&[7u32; 8]);
        round_trip(&Method::Direct);
        round_trip(&true);
    }

    #[test]
    fn invalid_values_are_rejected() {
        for wrong in ["", "-1", "+1", " 1", "1_0", "2^64", "2^", "1e3", "99999999999999999999"] {
            assert!(u64::read(wrong).is_err(), "`{wrong}` was accepted");
        }
        assert!(u32::read("2^32").is_err());
        for wrong in ["", "512", "512x", "x4", "512x4/", "512 x 4", "512x4x2", "-512x4"] {
            let problem = TileShape::read(wrong).expect_err(wrong);
            assert!(problem.contains("THREADSxITEMS"), "expected the form of a tile in: {problem}");
        }
        type Two = [(u64, TileShape); 2];
        for wrong in ["more: 64x4", "8: 64x4, 16: 64x4", "more: 64x4, 8: 64x4", "64x4, 64x4"] {
            assert!(Two::read(wrong).is_err(), "`{wrong}` was accepted");
        }
        let problem = <[u32; 8]>::read("1, 2, 3").expect_err("3 values are too few");
        assert_eq!(problem, "expected 8 values separated by commas, but found 3");
        assert!(SortMethod::read("small").is_err());
        assert!(Method::read("auto").is_err());
    }
}
