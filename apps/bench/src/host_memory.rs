//! Checks whether the host has enough memory before it is allocated, because the system may kill a process
//! that allocates too much.

use crate::figures;

/// Error for insufficient host memory.
#[derive(Debug, thiserror::Error)]
#[error("{what} needs {needed} of host memory, but less is available")]
pub struct InsufficientMemory {
    what: String,
    needed: String,
}

/// Returns an error if the host cannot provide `bytes` bytes; its message says that `what` needs them.
pub fn check(what: &str, bytes: u64) -> Result<(), InsufficientMemory> {
    let enough = available().is_none_or(|available| bytes <= available) && can_allocate(bytes);
    if enough {
        return Ok(());
    }
    Err(InsufficientMemory { what: what.to_owned(), needed: figures::bytes(bytes) })
}

/// Whether an allocation of this size succeeds; it is released immediately. Detects limits that /proc does not
/// report, such as `ulimit -v`.
fn can_allocate(bytes: u64) -> bool {
    let bytes = usize::try_from(bytes).ok().filter(|&bytes| bytes <= isize::MAX as usize);
    bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Available memory in bytes; `None` if the system does not report it.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let system = (kilobytes("MemAvailable:")? + kilobytes("SwapFree:").unwrap_or(0)) * 1024;
    Some(group_limit().map_or(system, |group| group.min(system)))
}

/// Memory that the control group of this process may still use.
fn group_limit() -> Option<u64> {
    let number = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let (max, current) = (number("memory.max")?, number("memory.current")?);
    // `memory.current` includes the file cache, which can be reclaimed.
    let stat = std::fs::read_to_string("/sys/fs/cgroup/memory.stat").unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("file ")?.parse::<u64>().ok());
    Some(max.saturating_sub(current.saturating_sub(files.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn small_requests_pass_and_huge_requests_fail() {
        assert!(check("a page", 4096).is_ok());
        for bytes in [1 << 60, u64::MAX] {
            let problem =
                check("a network", bytes).expect_err("a huge request was accepted").to_string();
            assert!(problem.starts_with("a network needs "), "{problem}");
        }
    }
}
