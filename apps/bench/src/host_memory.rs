//! Whether the host has memory for what is about to be done: asked before it is taken, because what
//! cannot be had ends a program without a word.

use crate::figures;

/// Why there is not enough.
#[derive(Debug, thiserror::Error)]
#[error("{what} takes {needed} of memory, and there is not so much")]
pub struct NotEnough {
    what: String,
    needed: String,
}

/// Refuses what needs more bytes than the host can give.
pub fn check(what: &str, bytes: u64) -> Result<(), NotEnough> {
    let enough = available().is_none_or(|available| bytes <= available) && can_be_had(bytes);
    if enough {
        return Ok(());
    }
    Err(NotEnough { what: what.to_owned(), needed: figures::bytes(bytes) })
}

/// Whether the system gives so much, and takes it back at once: it has limits that it does not
/// list.
fn can_be_had(bytes: u64) -> bool {
    let bytes = usize::try_from(bytes).ok().filter(|&bytes| bytes <= isize::MAX as usize);
    bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Bytes that are free or can be made so, as far as the system says.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let system = (kilobytes("MemAvailable:")? + kilobytes("SwapFree:").unwrap_or(0)) * 1024;
    Some(group_limit().map_or(system, |group| group.min(system)))
}

/// What the control group of the program may still take.
fn group_limit() -> Option<u64> {
    let number = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let (max, current) = (number("memory.max")?, number("memory.current")?);
    // Most of what it has are files that can be read again.
    let files = std::fs::read_to_string("/sys/fs/cgroup/memory.stat").ok();
    let files = files.as_deref().unwrap_or_default().lines();
    let files = files.into_iter().find_map(|line| line.strip_prefix("file ")?.parse::<u64>().ok());
    Some(max.saturating_sub(current.saturating_sub(files.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_little_can_be_had_and_everything_cannot() {
        assert!(check("a page", 4096).is_ok());
        for bytes in [1 << 60, u64::MAX] {
            let problem = check("a network", bytes).expect_err("too much").to_string();
            assert!(problem.starts_with("a network takes "), "{problem}");
        }
    }
}
