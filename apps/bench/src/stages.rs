//! Times of the stages of a split: prescan, scan and postscan, as in the GPU Multisplit paper, or
//! the stages of other methods.

use multisplit::PassTime;
use serde::{Serialize, Serializer};

use crate::figures::six_digits;

/// Stages in output order: JSON key, and label of the passes of the stage. A label that ends with a dot is a prefix.
const STAGES: [(&str, &str); 10] = [
    ("prescan_ms", "multisplit.prescan"),
    // All passes of the scan, including the one that clears the look-back state.
    ("scan_ms", "scan."),
    ("postscan_ms", "multisplit.postscan"),
    ("histogram_ms", "multisplit.histogram"),
    ("sweep_ms", "multisplit.onesweep"),
    // The pass that searches for the start of each bucket.
    ("offsets_ms", "multisplit.offsets"),
    ("flags_ms", "multisplit.flags"),
    ("scatter_ms", "multisplit.scatter"),
    ("labels_ms", "multisplit.labels"),
    ("unpack_ms", "multisplit.unpack"),
];

/// Additional figures of a split.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SplitFigure {
    /// Distribution of the keys over the buckets.
    distribution: &'static str,
    #[serde(flatten)]
    stages: Stages,
}

/// Milliseconds of each stage; stages that the method does not have are omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stages {
    of: [Option<f64>; STAGES.len()],
    /// All other passes, such as clears.
    clear: f64,
}

impl SplitFigure {
    pub fn new(distribution: &'static str, passes: &[PassTime]) -> Self {
        Self { distribution, stages: Stages::new(passes) }
    }
}

impl Stages {
    /// Sums the times of passes by stage.
    fn new(passes: &[PassTime]) -> Self {
        let mut stages = Self::default();
        for PassTime { label, nanoseconds } in passes {
            let belongs = |(_, pass): &(&str, &str)| {
                label == pass || pass.ends_with('.') && label.starts_with(pass)
            };
            let stage = match STAGES.iter().position(belongs) {
                Some(stage) => stages.of[stage].get_or_insert(0.0),
                None => &mut stages.clear,
            };
            *stage = six_digits(*stage + nanoseconds / 1e6);
        }
        stages
    }
}

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stages = STAGES.iter().zip(self.of).filter_map(|((key, _), ms)| Some((*key, ms?)));
        serializer.collect_map(stages.chain([("clear_ms", self.clear)]))
    }
}

#[cfg(test)]
mod tests {
    use multisplit::PassTime;
    use multisplit::operations::split::Method;
    use serde_json::{Value, json};

    use super::Stages;
    use crate::plans::Target;
    use crate::split::{self, Function, Rule};

    /// The stages of a plan, with one millisecond per pass.
    fn stages(function: Function, method: Method, m: u32) -> Value {
        let rule = Rule::new(function, m);
        let split =
            split::plan(&Target::any(), &rule, method, true, 1 << 20).expect("the plan compiles");
        let time = |label: &str| PassTime { label: label.to_owned(), nanoseconds: 1e6 };
        let times: Vec<_> = split.plan.steps().iter().map(|step| time(&step.pass.label)).collect();
        serde_json::to_value(Stages::new(&times)).expect("the stages can be serialized")
    }

    #[test]
    fn pass_times_are_assigned_to_stages() {
        for method in [Method::Direct, Method::Warp, Method::Block] {
            let found = stages(Function::Delta, method, 8);
            let scan = found["scan_ms"].as_f64();
            assert!(scan >= Some(1.0), "the scan has less than 1 ms: {found:?}");
            let expected =
                json!({"prescan_ms": 1.0, "scan_ms": scan, "postscan_ms": 1.0, "clear_ms": 0.0});
            assert_eq!(found, expected);
        }
        let sweep = json!({"histogram_ms": 1.0, "sweep_ms": 1.0, "clear_ms": 1.0});
        assert_eq!(stages(Function::Delta, Method::OneSweep, 8), sweep);
        // Splitters are constants here, so no pass writes them.
        assert_eq!(stages(Function::Range, Method::OneSweep, 8), sweep);
    }

    #[test]
    fn stage_times_are_summed_over_rounds() {
        let twice = stages(Function::Delta, Method::Block, 1000);
        for (stage, ms) in [("prescan_ms", 2.0), ("postscan_ms", 2.0), ("offsets_ms", 1.0)] {
            assert_eq!(twice[stage], ms, "{stage} of two rounds");
        }
        let by_flags = stages(Function::Delta, Method::ScanSplit, 8);
        assert!(
            by_flags["flags_ms"] == 3.0 && by_flags["scatter_ms"] == 3.0,
            "expected 3 ms of flags and of scatter, found {by_flags:?}"
        );
        let by_labels = stages(Function::Delta, Method::ReducedBitSort, 8);
        for stage in ["labels_ms", "unpack_ms", "prescan_ms"] {
            assert_eq!(by_labels[stage], 1.0, "{stage} of a reduced-bit sort");
        }
    }
}
