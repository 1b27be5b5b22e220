//! Sizes and methods of the [`PlanForm`]s, for drivers that cannot create the pipelines of the usual form.

use super::Policy;
use super::method::{Method, ScanMethod, SortMethod};
use crate::fallback::PlanForm;

/// Maximum workgroup size of small tiles: the smallest maximum that Vulkan allows a device to have, so every driver
/// can compile workgroups of this size.
const MAX_THREADS: u32 = 128;
/// Maximum number of elements per thread of small tiles. An element, its bucket and its position take three registers.
const MAX_ITEMS: u32 = 4;

impl Policy {
    /// The policy for plans of this form.
    pub(crate) fn in_form(self, form: PlanForm) -> Self {
        if form == PlanForm::Usual {
            return self;
        }
        let mut policy = self.lowered(|facts| {
            facts.max_threads = MAX_THREADS.max(facts.subgroup_size);
            facts.max_items = MAX_ITEMS;
            facts.form = form;
        });
        if form == PlanForm::Staged {
            policy.scan = ScanMethod::ReduceThenScan;
            policy.sort.auto = SortMethod::Multisplit { radix_bits: 8 };
            policy.sort.rounds = Method::Direct;
            policy.split.max_buckets_direct = u32::MAX;
        }
        policy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::test_policy;

    #[test]
    fn forms_have_smaller_tiles_and_then_stages() {
        for subgroup_size in [4, 32, 128] {
            let usual = test_policy(subgroup_size, 1024);
            assert_eq!(usual.in_form(PlanForm::Usual), usual);
            let small = usual.in_form(PlanForm::SmallTiles);
            assert!(small.check_all().is_ok(), "{:?}", small.check_all());
            let tiles = small.sort.keys.iter().chain(&small.sort.wide_keys).map(|(_, tile)| tile);
            for tile in tiles.chain(&small.split.block_pairs).chain([&small.sort.small]) {
                assert!(tile.threads <= MAX_THREADS && tile.items <= MAX_ITEMS, "{tile:?}");
                assert!(tile.is_sound(), "{tile:?}");
            }
            assert!(small.threads <= MAX_THREADS && small.spine_threads <= MAX_THREADS);
            assert_eq!((small.scan, small.sort.auto), (usual.scan, usual.sort.auto));
            assert_eq!(small.facts.form, PlanForm::SmallTiles);
            assert_eq!(small.in_form(PlanForm::SmallTiles), small);
            let staged = usual.in_form(PlanForm::Staged);
            assert!(staged.check_all().is_ok(), "{:?}", staged.check_all());
            assert_eq!(staged.scan, ScanMethod::ReduceThenScan);
            assert!(matches!(staged.sort.auto, SortMethod::Multisplit { .. }));
            assert_eq!(staged.in_form(PlanForm::Staged), staged);
            assert_eq!(small.in_form(PlanForm::Staged), staged);
            assert_eq!(staged.in_form(PlanForm::SmallTiles), staged);
        }
    }
}
