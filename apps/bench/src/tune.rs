//! Kernel sizes set on the command line, to compare their speed.

use std::str::FromStr;

use multisplit::operations::histogram::HistogramTuning;
use multisplit_sssp::Tuning;
use serde::Serialize;

type Field<T> = fn(&mut T) -> &mut u32;

/// Kernel sizes that can be set by name.
pub trait Sizes: Sized + 'static {
    /// All sizes by name.
    const FIELDS: &'static [(&'static str, Field<Self>)];
}

impl Sizes for HistogramTuning {
    const FIELDS: &'static [(&'static str, Field<Self>)] = &[
        ("threads", |t| &mut t.threads),
        ("loads", |t| &mut t.loads),
        ("tiles", |t| &mut t.tiles),
        ("min-groups", |t| &mut t.min_groups),
        ("copies", |t| &mut t.copies),
        ("copies-bytes", |t| &mut t.copies_bytes),
        ("passes", |t| &mut t.max_passes),
        ("registers", |t| &mut t.register_bins),
        ("cells-per-bin", |t| &mut t.cells_per_bin),
        ("cells", |t| &mut t.cells),
        ("table-threads", |t| &mut t.table_threads),
    ];
}

impl Sizes for Tuning {
    const FIELDS: &'static [(&'static str, Field<Self>)] = &[
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
}

/// Names and values of sizes, separated by commas, such as `local_hops=8,stage=4`.
#[derive(Clone, Debug, Serialize)]
pub struct Tune<T> {
    /// The text on the command line.
    pub tune: String,
    #[serde(skip)]
    values: Vec<(Field<T>, u32)>,
}

impl<T> Tune<T> {
    /// Sets the sizes.
    pub fn apply(&self, sizes: &mut T) {
        self.values.iter().for_each(|(field, value)| *field(sizes) = *value);
    }
}

impl<T> PartialEq for Tune<T> {
    fn eq(&self, other: &Self) -> bool {
        self.tune == other.tune
    }
}

impl<T: Sizes> FromStr for Tune<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let value = |pair: &str| -> Result<(Field<T>, u32), String> {
            let (name, number) = pair
                .split_once('=')
                .ok_or_else(|| format!("`{pair}` does not have the form NAME=NUMBER"))?;
            let found = T::FIELDS.iter().find(|(field, _)| *field == name);
            let (_, field) = found.ok_or_else(|| {
                let names: Vec<_> = T::FIELDS.iter().map(|(name, _)| *name).collect();
                format!("unknown size `{name}`; use one of {}", names.join(", "))
            })?;
            let number = number
                .parse()
                .map_err(|_| format!("`{number}` is not a whole number from 0 to {}", u32::MAX))?;
            Ok((*field, number))
        };
        let values = text.split(',').map(value).collect::<Result<_, _>>()?;
        Ok(Self { tune: text.to_owned(), values })
    }
}
