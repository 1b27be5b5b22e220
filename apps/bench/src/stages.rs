//! Times of the stages of a split: the paper's three, or those of the other methods.

use multisplit::PassTime;
use serde::Serialize;

use crate::figures::six_digits;

/// Milliseconds of each stage; stages that the method does not have are omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stages {
    #[serde(skip_serializing_if = "Option::is_none")]
    prescan_ms: Option<f64>,
    /// Includes clearing the state of its look-back.
    #[serde(skip_serializing_if = "Option::is_none")]
    scan_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    postscan_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep_ms: Option<f64>,
    /// Search for the start of each bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    offsets_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scatter_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpack_ms: Option<f64>,
    /// Clears before the first stage.
    clear_ms: f64,
}

impl Stages {
    /// Sums the times of passes by stage.
    pub fn of(times: &[PassTime]) -> Self {
        let mut stages = Self::default();
        for PassTime { label, nanoseconds } in times {
            let stage = match label.as_str() {
                "multisplit.prescan" => &mut stages.prescan_ms,
                "multisplit.postscan" => &mut stages.postscan_ms,
                "multisplit.histogram" => &mut stages.histogram_ms,
                "multisplit.onesweep" => &mut stages.sweep_ms,
                "multisplit.offsets" => &mut stages.offsets_ms,
                "multisplit.flags" => &mut stages.flags_ms,
                "multisplit.scatter" => &mut stages.scatter_ms,
                "multisplit.labels" => &mut stages.labels_ms,
                "multisplit.unpack" => &mut stages.unpack_ms,
                scan if scan.starts_with("scan.") => &mut stages.scan_ms,
                _ => {
                    stages.clear_ms = six_digits(stages.clear_ms + nanoseconds / 1e6);
                    continue;
                }
            };
            *stage = Some(six_digits(stage.unwrap_or(0.0) + nanoseconds / 1e6));
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::Stages;
    use crate::plans::Target;
    use crate::split::{Function, Method, Rule, SplitPlan};
    use multisplit::PassTime;

    /// The stages of a plan, with one millisecond per pass.
    fn stages(function: Function, method: Method) -> Stages {
        stages_of(function, method, 8)
    }

    fn stages_of(function: Function, method: Method, m: u32) -> Stages {
        let rule = Rule::new(function, m);
        let split =
            SplitPlan::new(&Target::any(), &rule, method, true, 1 << 20, true).expect("a plan");
        let time = |label: &str| PassTime { label: label.to_owned(), nanoseconds: 1e6 };
        let times: Vec<_> = split.plan.steps().iter().map(|step| time(&step.pass.label)).collect();
        Stages::of(&times)
    }

    #[test]
    fn every_method_has_its_stages() {
        for method in [Method::Direct, Method::Warp, Method::Block] {
            let found = stages(Function::Delta, method);
            assert!(found.scan_ms >= Some(1.0), "{found:?}");
            let expected = Stages {
                prescan_ms: Some(1.0),
                scan_ms: found.scan_ms,
                postscan_ms: Some(1.0),
                ..Stages::default()
            };
            assert_eq!(found, expected);
        }
        let sweep = Stages {
            histogram_ms: Some(1.0),
            sweep_ms: Some(1.0),
            clear_ms: 1.0,
            ..Stages::default()
        };
        assert_eq!(stages(Function::Delta, Method::Onesweep), sweep);
        // Splitters are constant, so that runs do not write them.
        assert_eq!(stages(Function::Range, Method::Onesweep), sweep);
    }

    #[test]
    fn stage_times_of_rounds_add_up() {
        let twice = stages_of(Function::Delta, Method::Block, 1000);
        assert_eq!((twice.prescan_ms, twice.postscan_ms), (Some(2.0), Some(2.0)));
        assert_eq!(twice.offsets_ms, Some(1.0));
        let by_flags = stages(Function::Delta, Method::ScanSplit);
        assert_eq!((by_flags.flags_ms, by_flags.scatter_ms), (Some(3.0), Some(3.0)));
        let by_labels = stages(Function::Delta, Method::ReducedBitSort);
        assert_eq!((by_labels.labels_ms, by_labels.unpack_ms), (Some(1.0), Some(1.0)));
        assert_eq!(by_labels.prescan_ms, Some(1.0));
    }
}
