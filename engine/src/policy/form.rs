//! Sizes and methods of the [`PlanForm`]s, for drivers that cannot create the pipelines of the usual form.

use super::Policy;
use super::method::{Method, ScanMethod, SortMethod};
use crate::fallback::PlanForm;

/// Maximum workgroup size of small tiles: the smallest maximum that Vulkan allows a device to have, so every driver
/// can compile workgroups of this size.
const MAX_THREADS: u32 = 128;
/// Maximum number of elements per thread of the small tiles of sorts and splits. An element, its bucket and its
/// position take three registers.
const MAX_ITEMS: u32 = 4;

impl Policy {
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
    use multisplit_graph::{Buffer, Graph, Limits};

    use super::*;
    use crate::error::Result;
    use crate::operations::{self, ReduceByKeyBuffers, ScanBuffers, SegmentedReduceBuffers};
    use crate::operations::{SelectBuffers, SortBuffers, SplitBuffers};
    use crate::policy::test_policy;
    use crate::{Buckets, Operator, Scan, Select, Sort};

    const N: u64 = 1 << 22;

    /// Whether workgroups of the passes that `add` declares wait for other workgroups. `add` gets arrays of `N`
    /// elements.
    fn waits(form: PlanForm, add: impl Fn(&mut Graph, &Policy, [Buffer; 4]) -> Result<()>) -> bool {
        let mut policy = test_policy(32, 1024);
        (policy.scan, policy.sort.auto) = (ScanMethod::LookBack, SortMethod::OneSweep);
        let mut graph = Graph::new("form");
        let arrays = ["a", "b", "c", "d"].map(|name| graph.import::<u32>(name, N));
        add(&mut graph, &policy.in_form(form), arrays).expect("the passes can be declared");
        let limits = Limits {
            subgroup_size: 32,
            max_workgroup_invocations: 1024,
            max_workgroup_size: [1024; 3],
            ..Limits::default()
        };
        let plan = graph.compile(&limits).expect("the graph is valid");
        let mut kernels = plan.steps().iter().filter_map(|step| step.pass.kernel.as_ref());
        kernels.any(|kernel| kernel.interface().spec_constant("SPIN_LIMIT").is_some())
    }

    #[test]
    fn staged_plans_look_back_only_in_selections_and_sorts_of_long_segments() {
        type Add = fn(&mut Graph, &Policy, [Buffer; 4]) -> Result<()>;
        let with_stages: [(&str, Add); 6] = [
            ("scan", |graph, policy, [src, dst, ..]| {
                operations::scan(graph, policy, &Scan::default(), &ScanBuffers::new(src, dst))
            }),
            ("scan by key", |graph, policy, [keys, src, dst, _]| {
                let buffers = ScanBuffers::new(src, dst).keys(keys);
                operations::scan(graph, policy, &Scan::default(), &buffers)
            }),
            ("reduction by key", |graph, policy, [keys, src, keys_out, dst]| {
                let found = graph.import::<u32>("found", 1);
                let buffers = ReduceByKeyBuffers::new((keys, src), (keys_out, dst), found);
                operations::reduce_by_key(graph, policy, Operator::Sum, &buffers)
            }),
            ("reduction of long rows", |graph, policy, [src, dst, ..]| {
                let buffers = SegmentedReduceBuffers::rows(src, N / 4, dst);
                operations::reduce_segments(graph, policy, Operator::Sum, &buffers)
            }),
            ("sort", |graph, policy, [keys, ..]| {
                let buffers = SortBuffers::keys(keys);
                operations::sort(graph, policy, &Sort::ascending(), &buffers).map(drop)
            }),
            ("sort of u64", |graph, policy, _| {
                let buffers = SortBuffers::keys(graph.import::<u64>("keys", N));
                operations::sort(graph, policy, &Sort::ascending(), &buffers).map(drop)
            }),
        ];
        for (name, add) in with_stages {
            assert!(waits(PlanForm::Usual, add), "{name}: the usual form does not look back");
            assert!(!waits(PlanForm::Staged, add), "{name}: the staged form looks back");
        }
        for m in [2, 256, 1 << 16] {
            let split = |graph: &mut Graph, policy: &Policy, [keys, out, offsets, _]: [_; 4]| {
                let buckets = Buckets::<u32>::delta_over_domain(m);
                let buffers = SplitBuffers::keys(keys, out, offsets);
                operations::split(graph, policy, &buckets, &buffers).map(drop)
            };
            assert!(!waits(PlanForm::Staged, split), "a staged split into {m} buckets looks back");
        }
        let always: [(&str, Add); 2] = [
            ("selection", |graph, policy, [src, dst, selected, _]| {
                let buffers = SelectBuffers::new(src, dst, selected);
                operations::select(graph, policy, &Select::at_least(7u32), &buffers)
            }),
            ("sort of long rows", |graph, policy, [keys, ..]| {
                let sort = Sort::ascending().rows(N / 4);
                operations::sort(graph, policy, &sort, &SortBuffers::keys(keys)).map(drop)
            }),
        ];
        for (name, add) in always {
            assert!(waits(PlanForm::Staged, add), "{name}: the staged form does not look back");
        }
    }

    #[test]
    fn later_forms_have_small_tiles_and_then_methods_in_stages() {
        for subgroup_size in [4, 32, 128] {
            let usual = test_policy(subgroup_size, 1024);
            assert_eq!(usual.in_form(PlanForm::Usual), usual);
            let small = usual.in_form(PlanForm::SmallTiles);
            assert!(small.check_all().is_ok(), "invalid small tiles: {:?}", small.check_all());
            let tiles = small.sort.keys.iter().chain(&small.sort.wide_keys).map(|(_, tile)| tile);
            for tile in tiles.chain(&small.split.block_pairs).chain([&small.sort.small]) {
                let is_small = tile.threads <= MAX_THREADS && tile.items <= MAX_ITEMS;
                assert!(is_small, "expected at most {MAX_THREADS}x{MAX_ITEMS}, found {tile:?}");
                assert!(tile.is_sound(), "kernels do not support {tile:?}");
            }
            assert!(small.threads <= MAX_THREADS && small.spine_threads <= MAX_THREADS);
            assert_eq!((small.scan, small.sort.auto), (usual.scan, usual.sort.auto));
            assert_eq!(small.facts.form, PlanForm::SmallTiles);
            assert_eq!(small.in_form(PlanForm::SmallTiles), small);
            let staged = usual.in_form(PlanForm::Staged);
            assert!(staged.check_all().is_ok(), "invalid staged sizes: {:?}", staged.check_all());
            assert_eq!(staged.scan, ScanMethod::ReduceThenScan);
            assert!(matches!(staged.sort.auto, SortMethod::Multisplit { .. }));
            assert_eq!(staged.in_form(PlanForm::Staged), staged);
            assert_eq!(small.in_form(PlanForm::Staged), staged);
            assert_eq!(staged.in_form(PlanForm::SmallTiles), staged);
        }
    }
}
