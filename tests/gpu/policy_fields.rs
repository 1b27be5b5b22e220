//! Random edits of policies: [`edit`] sets a field to a value that its definition allows or to an
//! arbitrary value, or lowers a device limit.

use multisplit::policy::{Allowed, DeviceFacts, Field};
use multisplit_tests::prelude::*;

/// A random number: often an edge case, often small enough to be valid.
pub fn number(rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0 => 0,
        1 => u32::MAX,
        2 => rng.below(1 << 32) as u32,
        3 => 1 << rng.below(32),
        4 | 5 => 4 << rng.below(9),
        _ => 1 + rng.below(40) as u32,
    }
}

pub fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

/// Texts that no field accepts.
const WRONG_WORDS: [&str; 4] = ["", "auto", "multisplit by bits 9", "look-back up to it"];
/// Number of device limits that [`edit`] can lower.
const LIMITS: u64 = 6;

/// Draws random values for policy fields.
pub struct Draw<'r> {
    pub rng: &'r mut Rng,
    /// Whether to draw invalid values as well.
    pub anything: bool,
    /// Number of elements that the policy is used for.
    pub n: u64,
}

impl Draw<'_> {
    /// A number from `low` to `high`: often `low` or `high`, otherwise a number with a uniformly
    /// distributed bit length. Any number if `anything` is set.
    fn size(&mut self, low: u64, high: u64) -> u64 {
        if self.anything {
            return number(self.rng).into();
        }
        let bits = |x: u64| u64::from(64 - x.leading_zeros());
        match self.rng.below(6) {
            0 => low,
            1 => high,
            _ => {
                let width = (bits(low) + self.rng.below(bits(high) - bits(low) + 1)).max(1);
                let value = self.rng.next_u64() >> (64 - width) | 1 << (width - 1);
                value.clamp(low, high)
            }
        }
    }

    /// A multiple of `step` from `low` to `high`.
    fn multiple(&mut self, step: u64, low: u64, high: u64) -> u64 {
        if self.anything {
            return self.size(low, high);
        }
        self.size(low.div_ceil(step), high / step) * step
    }

    /// Threads, items per thread and turns of a tile. The arguments are their maxima and the
    /// maximum number of keys per tile.
    fn tile(&mut self, facts: &DeviceFacts, [threads, items, turns, keys]: [u32; 4]) -> [u64; 3] {
        if self.anything {
            let rng = &mut *self.rng;
            let turns = if rng.below(4) == 0 { number(rng) } else { 1 + rng.below(3) as u32 };
            let (threads, items) = match rng.below(3) {
                0 => (number(rng), number(rng)),
                _ => (4 << rng.below(8), turns.saturating_mul(1 + rng.below(4) as u32)),
            };
            return [threads, items, turns].map(u64::from);
        }
        let size = facts.subgroup_size;
        let max_threads = threads.min(facts.max_threads).max(size);
        let threads = self.multiple(size.into(), size.into(), max_threads.into());
        let turns = self.size(1, turns.into());
        let max = (u64::from(keys) / threads).min(items.into()).max(turns);
        [threads, self.multiple(turns, turns, max), turns]
    }

    /// One value, as text. It may be invalid if `anything` is set.
    fn value(&mut self, allowed: &Allowed, facts: &DeviceFacts) -> String {
        match *allowed {
            Allowed::Numbers { low, high, step } => self.multiple(step, low, high).to_string(),
            Allowed::Tiles { threads, items, turns, keys } => {
                let [threads, items, turns] = self.tile(facts, [threads, items, turns, keys]);
                format!("{threads}x{items}/{turns}")
            }
            Allowed::Words(_) if self.anything && self.rng.below(8) == 0 => {
                pick(self.rng, &WRONG_WORDS).to_owned()
            }
            Allowed::Words(ref words) => pick(self.rng, words).to_owned(),
        }
    }

    /// The text of a field: one value or a list.
    fn text(&mut self, field: &Field<Policy>, policy: &Policy) -> String {
        let mut allowed = (field.allowed)(&policy.facts);
        if let ("max_elements", Allowed::Numbers { low, .. }) = (field.name, &mut allowed) {
            // A smaller limit would divide the array into many more pieces, which takes long.
            *low = (self.n / 16).max(*low);
        }
        let given = (field.text)(policy);
        let count = given.split(',').count();
        let part = |(index, part): (usize, &str)| {
            let value = self.value(&allowed, &policy.facts);
            match (part.contains(':'), index + 1 == count) {
                (false, _) => value,
                (true, false) => format!("{}: {value}", 1 << (5 * (index + 1))),
                (true, true) => format!("more: {value}"),
            }
        };
        given.split(',').enumerate().map(part).collect::<Vec<_>>().join(", ")
    }
}

/// Sets a random field, or lowers a random device limit. Returns the error of the field if the
/// drawn text is invalid.
pub fn edit(policy: &mut Policy, draw: &mut Draw<'_>) -> Result<(), String> {
    let count = Policy::sizes().count() as u64;
    let chosen = draw.rng.below(count + LIMITS);
    if let Some(field) = Policy::sizes().nth(chosen as usize) {
        let text = draw.text(field, policy);
        return (field.read)(policy, &text);
    }
    let facts = policy.facts;
    let (low, high) = match chosen - count {
        0 => (1 << 10, facts.max_storage_range),
        1 => (1, facts.max_groups.into()),
        2 => (8 << 10, facts.shared_memory.into()),
        3 => (facts.subgroup_size.into(), facts.max_threads.into()),
        4 => (4096, facts.max_loop_rounds.into()),
        _ => (256, facts.max_samples.into()),
    };
    let limit = draw.size(low, high);
    *policy = policy.lowered(|facts| match chosen - count {
        0 => facts.max_storage_range = limit,
        1 => facts.max_groups = limit as u32,
        2 => facts.shared_memory = limit as u32,
        3 => facts.max_threads = limit as u32,
        4 => facts.max_loop_rounds = limit as u32,
        _ => facts.max_samples = limit as u32,
    });
    Ok(())
}
