//! Runs of equal neighbours of an array of any size: in one go where it fits the device, else part by part.

use anyhow::{Result, bail};

use crate::file_key::{FileKey, rank};
use crate::parts::{Room, in_order};

/// The first of each run, and how long each is.
pub struct Runs<K> {
    pub keys: Vec<K>,
    pub counts: Vec<u32>,
}

impl<K: FileKey> Runs<K> {
    fn new() -> Self {
        Self { keys: Vec::new(), counts: Vec::new() }
    }

    /// Those of the next part, of which the first may go on with the last one here.
    fn join(&mut self, keys: &[K], counts: &[u32]) {
        let goes_on = match (self.keys.last(), keys.first()) {
            (Some(&last), Some(&first)) => rank(last) == rank(first),
            _ => false,
        };
        if let (true, Some(last), Some(more)) = (goes_on, self.counts.last_mut(), counts.first()) {
            *last += more;
        }
        let from = usize::from(goes_on);
        self.keys.extend_from_slice(&keys[from..]);
        self.counts.extend_from_slice(&counts[from..]);
    }
}

/// The runs of `keys`, which are at most 2^32 - 1.
pub fn runs<K: FileKey>(room: &Room<'_>, keys: &[K]) -> Result<Runs<K>> {
    if u32::try_from(keys.len()).is_err() {
        bail!("lengths of runs have 32 bits, and there are {} numbers", keys.len());
    }
    let bytes = size_of::<K>() as u64;
    let mut all = Runs::new();
    in_order(keys.len(), room.max_elements(2 * bytes + 4, bytes), |part| {
        let (keys, counts) = room.context.run_lengths(&keys[part])?;
        all.join(&keys, &counts);
        Ok(())
    })?;
    Ok(all)
}

/// Compares runs with the CPU's.
pub fn verify<K: FileKey>(keys: &[K], found: &Runs<K>) -> Result<()> {
    let mut expected = Runs::new();
    for &key in keys {
        expected.join(&[key], &[1]);
    }
    let ranks = |runs: &Runs<K>| runs.keys.iter().map(|&key| rank(key)).collect::<Vec<_>>();
    match ranks(&expected) == ranks(found) && expected.counts == found.counts {
        true => Ok(()),
        false => bail!("the runs are not those of the CPU"),
    }
}
