//! Allowed values of sizes (tuning parameters) on a device.

use std::fmt;

use super::facts::DeviceFacts;

/// Powers of two of at least this value are written as `2^N`.
const MIN_POWER: u64 = 1 << 14;

/// Formats a number in the form that profiles use.
pub(super) fn number(number: u64) -> String {
    match number.is_power_of_two() && number >= MIN_POWER {
        true => format!("2^{}", number.trailing_zeros()),
        false => number.to_string(),
    }
}

/// The set of values that a size may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Multiples of `step` from `low` to `high`.
    Numbers {
        /// Minimum; a multiple of `step`.
        low: u64,
        /// Maximum.
        high: u64,
        /// Common divisor of all values.
        step: u64,
    },
    /// Tile shapes with at least one key. The number of turns must divide the number of keys per thread.
    Tiles {
        /// Maximum number of threads.
        threads: u32,
        /// Maximum number of items (keys) per thread.
        items: u32,
        /// Maximum number of turns (steps in which the keys pass through shared memory).
        turns: u32,
        /// Maximum number of keys per tile.
        keys: u32,
    },
    /// One of these words.
    Words(Vec<&'static str>),
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers { low, high, step } => {
                if *step > 1 {
                    write!(f, "multiples of {step}, ")?;
                }
                write!(f, "from {} to {}", number(*low), number(*high))
            }
            Self::Tiles { threads, items, turns, keys } => {
                write!(f, "tiles of 1 to {keys} keys, up to {threads}x{items}/{turns} ")?;
                f.write_str("(THREADSxITEMS/TURNS), where TURNS divides ITEMS")
            }
            Self::Words(words) => f.write_str(&words.join(", ")),
        }
    }
}

pub(crate) fn any_u32(_: &DeviceFacts) -> Allowed {
    numbers(0, u32::MAX.into())
}

pub(crate) fn any_u64(_: &DeviceFacts) -> Allowed {
    numbers(0, u64::MAX)
}

pub(crate) fn numbers(low: u64, high: u64) -> Allowed {
    Allowed::Numbers { low, high, step: 1 }
}

/// Multiples of `step` up to `high`, but not 0.
pub(crate) fn multiples(step: u64, high: u64) -> Allowed {
    Allowed::Numbers { low: step, high, step }
}

/// Workgroup sizes: multiples of the subgroup size.
pub(crate) fn threads(facts: &DeviceFacts) -> Allowed {
    let size = facts.subgroup_size;
    multiples(size.into(), facts.max_threads.max(size).into())
}

/// Workgroup counts of a dispatch.
pub(crate) fn groups(facts: &DeviceFacts) -> Allowed {
    numbers(1, facts.max_groups.max(1).into())
}
