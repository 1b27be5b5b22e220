//! Sorts rows of equal length that fit in a tile. The host knows all sizes, so one pass is sufficient.

use multisplit_graph::Groups;
use multisplit_shaders::builtin::variants::SORT_SEGMENTS_ROWS;

use super::description::{KeyedSort, SortValues};
use super::parameters::SortPasses;
use crate::error::Result;
use crate::operations::shared::{halves, keyed_pass, push_words, single};
use crate::policy::Policy;
use crate::policy::tile::TileShape;

/// Number of elements per lane. Must match ITEMS of the kernel. More would use more registers and reduce occupancy.
const ITEMS: u32 = 8;
/// Preferred workgroup size. A row may need more threads.
const THREADS: u32 = 128;

/// Layout of rows of equal length within tiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowTiles {
    pub shape: TileShape,
    length: u64,
    /// Number of elements that are reserved for each row: a power of two.
    row_capacity: u32,
}

impl RowTiles {
    /// Selects the layout for rows of `length` elements. `None` if a row is too long for one workgroup.
    pub fn new(policy: &Policy, sort: &KeyedSort, values: SortValues, length: u64) -> Option<Self> {
        let element = u64::from(sort.key.bytes()) + if has_sources(sort, values) { 4 } else { 0 };
        let row_capacity = u32::try_from(length.next_power_of_two()).ok()?.max(ITEMS);
        let min_threads = policy.facts.subgroup_size.max(row_capacity / ITEMS);
        // In shared memory, every 32 elements are padded by one, to avoid bank conflicts.
        let fits = |threads: u32| {
            let bytes = u64::from(threads) * u64::from(ITEMS) * element * 33 / 32;
            threads <= policy.facts.max_threads && bytes <= u64::from(policy.facts.shared_memory)
        };
        let mut threads = THREADS.max(min_threads);
        while threads > min_threads && !fits(threads) {
            threads /= 2;
        }
        let shape = TileShape::new(threads, ITEMS);
        fits(threads).then_some(Self { shape, length, row_capacity })
    }

    /// Whether rows fill the elements that are reserved for them, keys have 32 bits, and no values are read. Each lane
    /// then reads contiguous keys.
    fn full(&self, sort: &KeyedSort, values: SortValues) -> bool {
        let unread = values.is_none() || values.are_indices();
        sort.key.bits() == 32 && unread && u64::from(self.row_capacity) == self.length
    }

    pub fn add(&self, passes: SortPasses<'_>) -> Result<()> {
        let keys = single(passes.keys(), passes.policy)?;
        let SortPasses { graph, policy, sort, .. } = passes;
        let (n, values) = (passes.n.max, passes.buffers.values);
        let rows = n / self.length;
        let push = push_words! {
            rows: rows as u32,
            row_length: self.length as u32,
            mask[2]: halves(sort.mask()),
            descending: sort.descending.into(),
        };
        let sources = has_sources(sort, values);
        // If keys are sorted by some of their bits and have no values, the kernel does not access this binding.
        let is_unused = sources && values.is_none();
        let unused = is_unused.then(|| graph.transient::<u32>("sort.segments.unused", 1));
        let constants = [
            ("local_size_x", self.shape.threads),
            ("ALL_BITS", sort.by_all_bits().into()),
            ("ROW_ROOM", self.row_capacity),
            ("FULL_ROWS", self.full(sort, values).into()),
            ("VALUE_WORDS", values.bytes().unwrap_or(0) / 4),
            ("COUNTED_VALUES", values.are_indices().into()),
        ];
        let kernels = SORT_SEGMENTS_ROWS[usize::from(sources)];
        let pass = keyed_pass(graph, "sort.segments.rows", kernels, sort.key, &constants)?;
        let mut pass = values.bind(pass.push(&push).bind("keys", keys), policy, n)?;
        if let Some(unused) = unused {
            pass = pass.scratch("values", unused);
        }
        let rows_of_tile = u64::from(self.shape.tile() / self.row_capacity);
        pass.dispatch(Groups::linear(rows.div_ceil(rows_of_tile)));
        Ok(())
    }
}

/// Whether the kernel stores the original position of each element in the row. This is necessary to move the values,
/// and to keep the order of keys that agree in the sorted bits but differ in others.
fn has_sources(sort: &KeyedSort, values: SortValues) -> bool {
    !values.is_none() || !sort.by_all_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyType;
    use crate::operations::sort::Sort;
    use crate::policy::test_policy;

    #[test]
    fn rows_fit_in_their_tiles() {
        for subgroup_size in [4, 8, 16, 32, 64, 128] {
            for shared_memory in [16 << 10, 48 << 10] {
                let policy = test_policy(subgroup_size, 1024)
                    .with_facts(|facts| facts.shared_memory = shared_memory);
                for key in KeyType::WIDE {
                    let sort = Sort::ascending().keyed(key);
                    for length in [1, 2, 7, 8, 9, 16, 17, 255, 256, 257, 1000, 1024] {
                        let tiles = RowTiles::new(&policy, &sort, SortValues::None, length)
                            .unwrap_or_else(|| {
                                panic!("no tiles for rows of {length} {key} keys with {subgroup_size} lanes")
                            });
                        assert!(
                            u64::from(tiles.row_capacity) >= length,
                            "capacity too small: {tiles:?}"
                        );
                        assert!(
                            tiles.row_capacity.is_power_of_two()
                                && tiles.row_capacity >= tiles.shape.items
                        );
                        assert!(
                            tiles.shape.tile().is_multiple_of(tiles.row_capacity),
                            "the capacity does not divide the tile: {tiles:?}"
                        );
                        let bytes = tiles.shape.tile() * key.bytes() * 33 / 32;
                        assert!(
                            bytes <= shared_memory,
                            "more than {shared_memory} bytes: {tiles:?}"
                        );
                    }
                    assert!(RowTiles::new(&policy, &sort, SortValues::None, 1 << 20).is_none());
                }
            }
        }
    }
}
