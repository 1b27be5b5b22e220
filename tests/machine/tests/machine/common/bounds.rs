//! Plans of searches in sorted arrays.

use anyhow::Result;
use multisplit::KeyType;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::{Count, Search, SearchBuffers, search};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, count_words, counted, limits, policy_of};

/// A search for `n` needles in `sorted` elements.
#[derive(Clone, Copy, Debug)]
pub struct BoundsCase {
    pub key: KeyType,
    pub upper: bool,
    /// Whether both counts are on the device.
    pub on_device: bool,
    pub sorted: u64,
    pub n: u64,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
}

fn words(key: KeyType, keys: &[u64]) -> Vec<u32> {
    let words = |&key_: &u64| match key.bits() {
        64 => vec![key_ as u32, (key_ >> 32) as u32],
        _ => vec![key_ as u32],
    };
    keys.iter().flat_map(words).collect()
}

/// The key at this position of the key order.
fn from_order(key: KeyType, number: u64) -> u64 {
    let top = 1u64 << (key.bits() - 1);
    let all = u64::MAX >> (64 - key.bits());
    match key {
        KeyType::U32 | KeyType::U64 => number,
        key if key.is_float() && number & top == 0 => number ^ all,
        _ => number ^ top,
    }
}

pub fn bounds_case(device: Device, of: BoundsCase) -> Result<Case> {
    let mut graph = Graph::new("search");
    let (max, count) = counted(&mut graph, of.n, of.on_device);
    let spare = if of.on_device { 50 } else { 0 };
    let mut rng = Rng::new(of.n + of.sorted);
    // Even numbers, some of them repeated. Needles may be odd.
    let shift = of.key.bits() - 12;
    let mut numbers: Vec<u64> = (0..of.sorted).map(|_| rng.next_u64() % 2048 * 2).collect();
    numbers.sort_unstable();
    let mut wanted: Vec<u64> = (0..max).map(|_| rng.next_u64() % 4096).collect();
    // Needles before the first element and after the last one.
    wanted[..2].copy_from_slice(&[0, 4095]);
    let find = |needle: &u64| match of.upper {
        false => numbers.partition_point(|x| x < needle) as u32,
        true => numbers.partition_point(|x| x <= needle) as u32,
    };
    let expected = wanted.iter().take(of.n as usize).map(find).collect();
    let keys = |numbers: &[u64]| -> Vec<u64> {
        numbers.iter().map(|number| from_order(of.key, number << shift)).collect()
    };
    let element = ElementType::from(of.key);
    let sorted = graph.import_array("sorted", element, of.sorted + spare);
    let needles = graph.import_array("needles", element, max);
    let positions = graph.import::<u32>("positions", max);
    let sorted_words = graph.import::<u32>("sorted_count", 3);
    let sorted_count = match of.on_device {
        false => Count::Host(of.sorted),
        true => Count::Device { buffer: sorted_words, index: 1, max: of.sorted + spare },
    };
    let buffers =
        SearchBuffers::new(sorted, needles, positions).count(count).sorted_count(sorted_count);
    let how = if of.upper { Search::UpperBound } else { Search::LowerBound };
    search(&mut graph, &policy_of(device, of.subgroups), how, &buffers)?;
    let mut elements = words(of.key, &keys(&numbers));
    elements.resize(((of.sorted + spare) * u64::from(of.key.bits() / 32)) as usize, 0);
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs: vec![Output { name: "positions", expected }],
        inputs: vec![
            ("sorted", elements),
            ("needles", words(of.key, &keys(&wanted))),
            ("sorted_count", vec![7, of.sorted as u32, 7]),
            count_words(of.n),
        ],
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Sizes around the top of the search tree, which has 1,024 elements.
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
