//! Runs of equal adjacent elements.

use anyhow::{Result, bail};
use multisplit::Context;
use multisplit_bench::key_order::rank;

use crate::file_key::FileKey;

/// First element and length of each run.
pub struct Runs<K> {
    pub keys: Vec<K>,
    pub counts: Vec<u32>,
}

/// Finds the runs of `keys`, of which there may be at most 2^32 - 1.
pub fn runs<K: FileKey>(context: &Context, keys: &[K]) -> Result<Runs<K>> {
    if u32::try_from(keys.len()).is_err() {
        bail!("run lengths have 32 bits, but there are {} numbers", keys.len());
    }
    let (keys, counts) = context.run_lengths(keys)?;
    Ok(Runs { keys, counts })
}

/// Compares runs with the CPU's.
pub fn verify<K: FileKey>(keys: &[K], found: &Runs<K>) -> Result<()> {
    let expected = keys.chunk_by(|&a, &b| rank(a) == rank(b));
    let found = found.keys.iter().zip(&found.counts).map(|(&key, &count)| (rank(key), count));
    match expected.map(|run| (rank(run[0]), run.len() as u32)).eq(found) {
        true => Ok(()),
        false => bail!("the runs are wrong: they differ from the CPU's result"),
    }
}
