//! Runs the operations at several array lengths.

use std::time::{Duration, Instant};

use multisplit::ash::vk;
use multisplit::{Context, Error};

use super::operations::Operation;

/// Array lengths, from a single element to several tiles.
const SIZES: [usize; 3] = [1, 3001, 70_000];
/// Additional length for GPUs, which run it in milliseconds.
const GPU_SIZE: usize = 1 << 21;

pub enum Outcome {
    Right,
    /// The operation was refused, because the device lacks a feature.
    Unsupported(String),
    /// A result is wrong, or the operation failed.
    Wrong(String),
}

pub struct Checked {
    pub name: &'static str,
    /// Number of array lengths with correct results.
    pub cases: usize,
    pub outcome: Outcome,
    pub time: Duration,
}

impl Checked {
    pub fn is_wrong(&self) -> bool {
        matches!(self.outcome, Outcome::Wrong(_))
    }
}

pub fn sizes(gpu: &Context) -> Vec<usize> {
    let mut sizes = SIZES.to_vec();
    if gpu.properties().device_type != vk::PhysicalDeviceType::CPU {
        sizes.push(GPU_SIZE);
    }
    sizes
}

/// Runs an operation at every length, up to the first problem. An operation is not retried after a
/// wrong result, so that results that are only sometimes wrong are reported. If the driver cannot
/// create a pipeline, the engine itself plans again (`Context::with_fallback`).
pub fn check(gpu: &Context, operation: &Operation, sizes: &[usize]) -> Checked {
    let _span = tracing::info_span!("check", operation = operation.name).entered();
    let begin = Instant::now();
    let (mut cases, mut outcome) = (0, Outcome::Right);
    for &n in sizes {
        match (operation.check)(gpu, n) {
            Ok(()) => cases += 1,
            Err(error) => {
                let missing =
                    |cause: Option<&Error>| matches!(cause, Some(Error::MissingFeature { .. }));
                outcome = match error.chain().any(|cause| missing(cause.downcast_ref())) {
                    true => Outcome::Unsupported(format!("{error:#}")),
                    false => Outcome::Wrong(format!("n = {n}: {error:#}")),
                };
                break;
            }
        }
    }
    Checked { name: operation.name, cases, outcome, time: begin.elapsed() }
}
