//! Tuning parameters of a search, set on the command line for parameter sweeps.

use std::fmt;
use std::str::FromStr;

use multisplit_sssp::Tuning;

/// A tuning parameter and its value, such as `local_hops=8`.
#[derive(Clone, Copy, Debug)]
struct Tune {
    field: Field,
    value: u32,
}

type Field = fn(&mut Tuning) -> &mut u32;

/// All tuning parameters by name.
const FIELDS: [(&str, Field); 24] = [
    ("threads", |t| &mut t.threads),
    ("max_groups", |t| &mut t.max_groups),
    ("resident_groups", |t| &mut t.residents.groups),
    ("resident_threads", |t| &mut t.residents.threads),
    ("resident_rounds", |t| &mut t.resident_rounds),
    ("spin_limit", |t| &mut t.spin_limit),
    ("batch_rounds", |t| &mut t.batch_rounds),
    ("batch_piles", |t| &mut t.batch_piles),
    ("stage", |t| &mut t.stage),
    ("spread_degree", |t| &mut t.spread_degree),
    ("spread_degree_even", |t| &mut t.spread_degree_even),
    ("wide_degree", |t| &mut t.wide_degree),
    ("merge_entries", |t| &mut t.merge_entries),
    ("tail_entries", |t| &mut t.tail_entries),
    ("hub_degree", |t| &mut t.hub_degree),
    ("piece", |t| &mut t.piece),
    ("local_hops", |t| &mut t.local_hops),
    ("local_entries", |t| &mut t.local_entries),
    ("queue_percent", |t| &mut t.queue_percent),
    ("min_queue_entries", |t| &mut t.min_queue_entries),
    ("delta_scale", |t| &mut t.delta_scale),
    ("delta_max", |t| &mut t.max_delta),
    ("delta_thin", |t| &mut t.delta_thin),
    ("delta_even", |t| &mut t.delta_even),
];

/// Several parameters, separated by commas.
#[derive(Clone, Debug)]
pub struct Tunes {
    text: String,
    tunes: Vec<Tune>,
}

impl Tunes {
    /// Sets the parameters.
    pub fn apply(&self, tuning: &mut Tuning) {
        self.tunes.iter().for_each(|tune| tune.apply(tuning));
    }
}

impl FromStr for Tunes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let tunes = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), tunes })
    }
}

impl fmt::Display for Tunes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Tune {
    fn apply(self, tuning: &mut Tuning) {
        *(self.field)(tuning) = self.value;
    }
}

impl FromStr for Tune {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || FIELDS.map(|(name, _)| name).join(", ");
        let (name, value) = text.split_once('=').ok_or_else(|| "SIZE=NUMBER".to_owned())?;
        let found = FIELDS.iter().find(|(field, _)| *field == name);
        let (_, field) = found.ok_or_else(|| format!("unknown size; use one of {}", names()))?;
        let value = value.parse().map_err(|error| format!("{value}: {error}"))?;
        Ok(Self { field: *field, value })
    }
}
