//! Plans of searches in sorted arrays.

use anyhow::Result;
use multisplit::KeyType;
use multisplit::graph::ElementType;
use multisplit::operations::{Search, SearchBuffers, search};
use multisplit_machine::Rng;

use super::case::Case;
use super::moves::words_of;
use super::primitives::{Device, policy_of};
use super::setup::{Parameters, Setup};

/// A search for `n` needles in `sorted` elements.
#[derive(Clone, Copy, Debug)]
pub struct BoundsCase {
    pub key: KeyType,
    /// Whether to search for upper bounds instead of lower bounds.
    pub upper: bool,
    /// Whether both counts are on the device.
    pub on_device: bool,
    pub sorted: u64,
    pub n: u64,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
}

/// The key with index `number` in the ascending sequence of all keys.
fn from_order(key: KeyType, number: u64) -> u64 {
    let top = 1u64 << (key.bits() - 1);
    let all = u64::MAX >> (64 - key.bits());
    match key {
        KeyType::U32 | KeyType::U64 => number,
        key if key.is_float() && number & top == 0 => number ^ all,
        _ => number ^ top,
    }
}

impl Parameters for BoundsCase {
    fn case(&self, device: Device) -> Result<Case> {
        let mut setup = Setup::new(device, "search");
        let (max, count) = setup.count(self.n, self.on_device);
        let mut rng = Rng::new(self.n + self.sorted);
        // The elements are even numbers, which may be repeated, and needles may be odd.
        let mut numbers: Vec<u64> = (0..self.sorted).map(|_| rng.next_u64() % 2048 * 2).collect();
        numbers.sort_unstable();
        let mut wanted: Vec<u64> = (0..max).map(|_| rng.next_u64() % 4096).collect();
        // The lowest number that an element can have, and a number above all elements.
        wanted[..2].copy_from_slice(&[0, 4095]);
        let find = |needle: &u64| match self.upper {
            false => numbers.partition_point(|x| x < needle) as u32,
            true => numbers.partition_point(|x| x <= needle) as u32,
        };
        setup.expect("positions", wanted.iter().take(self.n as usize).map(find).collect());
        let shift = self.key.bits() - 12;
        let keys = |numbers: &[u64]| {
            words_of(self.key, numbers.iter().map(|number| from_order(self.key, number << shift)))
        };
        let (sorted_max, sorted_count) =
            setup.other_count("sorted_count", self.sorted, self.on_device.then_some(50));
        let sorted = setup.buffer("sorted", self.key, sorted_max);
        let needles = setup.buffer("needles", self.key, max);
        let positions = setup.buffer("positions", ElementType::U32, max);
        let buffers =
            SearchBuffers::new(sorted, needles, positions).count(count).sorted_count(sorted_count);
        let how = if self.upper { Search::UpperBound } else { Search::LowerBound };
        search(&mut setup.graph, &policy_of(device, self.subgroups), how, &buffers)?;
        let mut elements = keys(&numbers);
        elements.resize((sorted_max * u64::from(self.key.bits() / 32)) as usize, 0);
        setup.set("sorted", elements);
        setup.set("needles", keys(&wanted));
        setup.finish(self)
    }
}

/// Arrays that are larger than, as large as, and smaller than the top of the search tree, which has
/// at most 1,024 elements.
pub fn bounds_cases() -> Vec<BoundsCase> {
    let mut all = Vec::new();
    for (number, key) in KeyType::WIDE.into_iter().enumerate() {
        for (sorted, n) in [(2600, 700), (1024, 300), (1, 9)] {
            let (upper, on_device) = ((number + all.len()) % 2 == 0, all.len() % 4 > 1);
            all.push(BoundsCase { key, upper, on_device, sorted, n, subgroups: None });
        }
    }
    all
}
