//! Cases and tests that a device refuses because it lacks a feature, such as 64-bit integers. They are counted, so that
//! the summary shows how many of them did not run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Error, Result};
use multisplit::requirements::Features;

/// Whether a device has a feature.
type Has = fn(&Features) -> bool;

/// Features that a tested device may lack. Errors contain their Vulkan names.
const OPTIONAL: [(&str, Has); 2] = [
    ("shaderInt64", |features| features.shader_int64),
    ("shaderFloat64", |features| features.shader_float64),
];

/// Refused cases and tests.
#[derive(Debug, Default)]
struct Refused {
    /// Number of refused cases for each missing feature.
    cases: BTreeMap<&'static str, usize>,
    /// Names of the tests that ended with a refusal.
    tests: Vec<String>,
}

/// Everything that was refused in this process.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<Refused>);

impl Refusals {
    /// Counts the error as a refused case if it is a correct refusal. Returns all other errors.
    pub fn accept_case(&self, error: Error, features: &Features) -> Result<()> {
        let Some(feature) = lacking(&error, features) else { return Err(error) };
        *self.lock().cases.entry(feature).or_default() += 1;
        Ok(())
    }

    /// Counts the error as a refused test if it is a correct refusal. Returns all other errors, and refusals of tests
    /// that have cases, because the cases after the refused one were not run.
    pub fn accept_test(
        &self,
        name: &str,
        has_cases: bool,
        error: Error,
        features: &Features,
    ) -> Result<()> {
        match lacking(&error, features) {
            None => Err(error),
            Some(_) if has_cases => Err(error
                .context("a refused case ended the test; run each case by `Gpu::run_or_refuse`")),
            Some(_) => {
                self.lock().tests.push(name.to_owned());
                Ok(())
            }
        }
    }

    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        let refused = self.lock();
        refused.cases.is_empty() && refused.tests.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Refused> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Refused { cases, tests } = &*self.lock();
        let cases: Vec<_> = cases.iter().map(|(name, count)| format!("{count} {name}")).collect();
        write!(f, "cases refused for lack of a feature: {}", cases.join(", "))?;
        if cases.is_empty() {
            write!(f, "0")?;
        }
        write!(f, "; whole tests: {}", tests.len())?;
        tests.iter().try_for_each(|name| write!(f, "\n    {name}"))
    }
}

/// The feature that the device lacks and that the error names.
fn lacking(error: &Error, features: &Features) -> Option<&'static str> {
    let named = missing_feature(error)?;
    let lacking = |(name, has): &(&str, Has)| named.contains(name) && !has(features);
    OPTIONAL.into_iter().find(lacking).map(|(name, _)| name)
}

/// The feature that an operation was refused for.
fn missing_feature(error: &Error) -> Option<&str> {
    error.chain().find_map(|cause| {
        let engine = cause.downcast_ref::<multisplit::Error>().or_else(|| {
            match cause.downcast_ref::<multisplit_sssp::Error>() {
                Some(multisplit_sssp::Error::Engine(error)) => Some(error),
                _ => None,
            }
        });
        match engine {
            Some(multisplit::Error::MissingFeature { feature, .. }) => Some(feature.as_str()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT64: &str = "64-bit integers (shaderInt64)";

    fn refusal(feature: &str) -> Error {
        let (operation, feature) = ("scan of u64".to_owned(), feature.to_owned());
        let device = "test".to_owned();
        let error = multisplit::Error::MissingFeature { operation, feature, device, enabled: true };
        Error::new(error).context("a case")
    }

    #[test]
    fn only_refusals_for_lacking_features_are_accepted() {
        let (refusals, mut features) = (Refusals::default(), Features::default());
        assert!(refusals.is_empty());
        for _ in 0..2 {
            assert!(refusals.accept_case(refusal(INT64), &features).is_ok());
        }
        features.shader_int64 = true;
        for error in [
            || refusal(INT64),
            || refusal("subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"),
            || anyhow::anyhow!("wrong"),
        ] {
            assert!(refusals.accept_case(error(), &features).is_err());
            assert!(refusals.accept_test("scan", false, error(), &features).is_err());
        }
        let text = "cases refused for lack of a feature: 2 shaderInt64; whole tests: 0";
        assert_eq!(refusals.to_string(), text);
    }

    #[test]
    fn one_refused_case_must_not_end_a_test_of_several_cases() {
        let (refusals, features) = (Refusals::default(), Features::default());
        let ended = refusals.accept_test("scan::all", true, refusal(INT64), &features);
        assert!(ended.is_err_and(|error| error.to_string().contains("`Gpu::run_or_refuse`")));
        assert!(refusals.is_empty());
        assert!(refusals.accept_test("scan::one", false, refusal(INT64), &features).is_ok());
        assert!(!refusals.is_empty());
        let text = "cases refused for lack of a feature: 0; whole tests: 1\n    scan::one";
        assert_eq!(refusals.to_string(), text);
    }
}
