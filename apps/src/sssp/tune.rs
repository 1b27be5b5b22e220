//! Sizes of a search that are set on the command line, so that they can be swept.

use std::str::FromStr;

use multisplit::primitives::sssp::SsspTuning;

/// One size of a search and its value: `local_hops=8`.
#[derive(Clone, Copy, Debug)]
pub struct Tune {
    field: Field,
    value: u32,
}

type Field = fn(&mut SsspTuning) -> &mut u32;

/// Every size by its name.
const FIELDS: [(&str, Field); 16] = [
    ("threads", |t| &mut t.threads),
    ("most_groups", |t| &mut t.most_groups),
    ("resident_groups", |t| &mut t.residents.groups),
    ("resident_threads", |t| &mut t.residents.threads),
    ("resident_rounds", |t| &mut t.resident_rounds),
    ("spin_limit", |t| &mut t.spin_limit),
    ("batch_rounds", |t| &mut t.batch_rounds),
    ("batch_piles", |t| &mut t.batch_piles),
    ("stage", |t| &mut t.stage),
    ("hub_degree", |t| &mut t.hub_degree),
    ("piece", |t| &mut t.piece),
    ("local_hops", |t| &mut t.local_hops),
    ("local_entries", |t| &mut t.local_entries),
    ("queue_percent", |t| &mut t.queue_percent),
    ("delta_scale", |t| &mut t.delta_scale),
    ("delta_most", |t| &mut t.delta_most),
];

impl Tune {
    /// Sets the size.
    pub fn apply(self, tuning: &mut SsspTuning) {
        *(self.field)(tuning) = self.value;
    }
}

impl FromStr for Tune {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || FIELDS.map(|(name, _)| name).join(", ");
        let (name, value) = text.split_once('=').ok_or_else(|| "SIZE=NUMBER".to_owned())?;
        let found = FIELDS.iter().find(|(field, _)| *field == name);
        let (_, field) = found.ok_or_else(|| format!("no such size; there are {}", names()))?;
        let value = value.parse().map_err(|error| format!("{value}: {error}"))?;
        Ok(Self { field: *field, value })
    }
}
