//! Cases that a device refuses because it lacks a feature, such as 64-bit integers. They are counted, so that the summary
//! shows how much of the tests such a device runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use multisplit::Error;
use multisplit::requirements::Features;

/// Whether a device has a feature.
type Has = fn(&Features) -> bool;

/// Features that a device may lack, by their Vulkan names in errors.
const OPTIONAL: [(&str, Has); 2] = [
    ("shaderInt64", |features| features.shader_int64),
    ("shaderFloat64", |features| features.shader_float64),
];

/// Number of refused cases for each missing feature.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<BTreeMap<&'static str, usize>>);

impl Refusals {
    /// Counts the error if it is a correct refusal: the device lacks the feature that the error names. Returns all other
    /// errors.
    pub fn accept(&self, error: anyhow::Error, features: &Features) -> anyhow::Result<()> {
        let missing = missing_feature(&error).and_then(|name| {
            OPTIONAL.into_iter().find(|(known, has)| name.contains(known) && !has(features))
        });
        let Some((name, _)) = missing else { return Err(error) };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(name).or_default() += 1;
        Ok(())
    }

    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parts: Vec<_> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        write!(f, "cases refused for lack of a feature: {}", parts.join(", "))
    }
}

/// The feature that an operation was refused for.
fn missing_feature(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| {
        let engine = cause.downcast_ref::<Error>().or_else(|| {
            match cause.downcast_ref::<multisplit_sssp::Error>() {
                Some(multisplit_sssp::Error::Engine(error)) => Some(error),
                _ => None,
            }
        });
        match engine {
            Some(Error::MissingFeature { feature, .. }) => Some(feature.as_str()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(feature: &str) -> anyhow::Error {
        let (operation, feature) = ("scan of u64".to_owned(), feature.to_owned());
        Error::MissingFeature { operation, feature, device: "test".into(), enabled: true }.into()
    }

    #[test]
    fn only_refusals_for_lacking_features_are_accepted() {
        let (refusals, mut features) = (Refusals::default(), Features::default());
        assert!(refusals.is_empty());
        for _ in 0..2 {
            let error = refusal("64-bit integers (shaderInt64)").context("a case");
            assert!(refusals.accept(error, &features).is_ok());
        }
        features.shader_int64 = true;
        for error in [
            refusal("64-bit integers (shaderInt64)"),
            refusal("subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"),
            anyhow::anyhow!("wrong"),
        ] {
            assert!(refusals.accept(error, &features).is_err());
        }
        assert_eq!(refusals.to_string(), "cases refused for lack of a feature: 2 shaderInt64");
    }
}
