//! Lowers the limits of a device to those of a smaller one, to test that the engine stays within them.

use crate::device::DeviceProperties;
use crate::device::requirements::Features;
use crate::error::{Error, Result};

/// Environment variable with the lowered limits, such as `threads=128 shared=16384 int64=0`.
const VARIABLE: &str = "MULTISPLIT_LOWERED_LIMITS";

/// Lowered limits; `None` if a limit keeps its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LoweredLimits {
    /// Threads per workgroup.
    threads: Option<u32>,
    /// Bytes of shared memory.
    shared: Option<u32>,
    /// Bytes of a storage binding.
    range: Option<u32>,
    /// Bytes of push constants.
    push: Option<u32>,
    /// Subgroup size. Ignored if the device does not support it.
    subgroup: Option<u32>,
    /// 0 if there are no 64-bit integers.
    int64: Option<u32>,
}

impl LoweredLimits {
    /// The limits in the environment variable.
    pub fn of_environment() -> Result<Self> {
        std::env::var(VARIABLE).map_or(Ok(Self::default()), |given| Self::read(&given))
    }

    fn read(given: &str) -> Result<Self> {
        let mut limits = Self::default();
        for part in given.split_whitespace() {
            let wrong = || Error::Policy {
                problem: format!(
                    "`{part}` in {VARIABLE} is invalid; use NAME=NUMBER, where NAME is threads, shared, range, push, subgroup or int64"
                ),
            };
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let limit = match name {
                "threads" => &mut limits.threads,
                "shared" => &mut limits.shared,
                "range" => &mut limits.range,
                "push" => &mut limits.push,
                "subgroup" => &mut limits.subgroup,
                "int64" => &mut limits.int64,
                _ => return Err(wrong()),
            };
            *limit = Some(value.parse().map_err(|_| wrong())?);
        }
        Ok(limits)
    }

    /// Lowers the properties of a device.
    pub fn lowered(self, mut properties: DeviceProperties) -> DeviceProperties {
        fn lower(limit: &mut u32, to: Option<u32>) {
            *limit = (*limit).min(to.unwrap_or(u32::MAX));
        }
        let limits = &mut properties.limits;
        lower(&mut limits.max_compute_work_group_invocations, self.threads);
        limits.max_compute_work_group_size.iter_mut().for_each(|size| lower(size, self.threads));
        lower(&mut limits.max_compute_shared_memory_size, self.shared);
        lower(&mut limits.max_storage_buffer_range, self.range);
        lower(&mut limits.max_push_constants_size, self.push);
        lower(&mut properties.shared_memory, self.shared);
        let (min, max) = properties.subgroup_size_range;
        if let Some(size) = self.subgroup.filter(|size| (min..=max).contains(size)) {
            properties.subgroup_size = size;
        }
        properties
    }

    /// Leaves out the features that the smaller device lacks.
    pub fn leave_out(self, left_out: &mut Features) {
        left_out.shader_int64 |= self.int64 == Some(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_lowered_and_never_raised() {
        let mut properties = DeviceProperties { shared_memory: 32768, ..Default::default() };
        properties.limits.max_compute_work_group_invocations = 1024;
        properties.limits.max_push_constants_size = 128;
        let limits = LoweredLimits::read("threads=128 shared=16384 push=256 int64=0");
        let limits = limits.unwrap_or_default();
        let properties = limits.lowered(properties);
        assert_eq!(properties.limits.max_compute_work_group_invocations, 128);
        assert_eq!(properties.shared_memory, 16384);
        assert_eq!(properties.limits.max_push_constants_size, 128);
        let mut left_out = Features::default();
        limits.leave_out(&mut left_out);
        assert!(left_out.shader_int64);
        for wrong in ["threads", "threads=many", "lanes=4"] {
            assert!(LoweredLimits::read(wrong).is_err(), "`{wrong}` was accepted");
        }
    }
}
