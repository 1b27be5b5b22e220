//! Lists the tests that took the most processor time.
//!
//! Wall-clock time is reported as well, but it depends on other processes that share the cores.

use std::fmt;
use std::time::{Duration, Instant};

/// Number of tests in the list.
const NAMED: usize = 10;
/// `/proc` counts processor time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// The time that a test took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spent {
    /// Processor time of all threads of this process and of the child processes it waited for. Zero
    /// if the system does not report it.
    pub processor: Duration,
    /// Wall-clock time.
    pub wall: Duration,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [processor, wall] = [self.processor, self.wall].map(|time| time.as_secs_f64());
        write!(f, "{processor:6.1} s of processor time, {wall:6.1} s")
    }
}

/// Measures the time since it was started.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    processor: Duration,
    started: Instant,
}

impl Stopwatch {
    /// Starts a stopwatch.
    pub fn start() -> Self {
        Self { processor: processor_time(), started: Instant::now() }
    }

    /// The time since the start.
    pub fn spent(self) -> Spent {
        let processor = processor_time().saturating_sub(self.processor);
        Spent { processor, wall: self.started.elapsed() }
    }
}

/// Processor time of this process and of its children that have ended.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").ok();
    TICK * stat.and_then(|stat| ticks(&stat)).unwrap_or_default()
}

/// Sums `utime`, `stime`, `cutime` and `cstime`: fields 14 to 17 of `/proc/self/stat`. Field 2 is
/// the program's name in parentheses, which may contain spaces and parentheses, so fields are
/// counted from its end.
fn ticks(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u32> =
        fields.split_whitespace().skip(11).take(4).filter_map(|t| t.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum())
}

/// The times of all tests of a run. `Display` lists the slowest ones.
#[derive(Debug, Default)]
pub struct Slowest(Vec<(Spent, String)>);

impl Slowest {
    /// Adds a test that has ended.
    pub fn add(&mut self, name: &str, spent: Spent) {
        self.0.push((spent, name.to_owned()));
    }

    /// Whether no test was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Slowest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut tests: Vec<_> = self.0.iter().collect();
        tests.sort_by(|a, b| b.cmp(a));
        let of_all =
            |part: fn(&Spent) -> Duration| tests.iter().map(|(spent, _)| part(spent)).sum();
        let all = Spent { processor: of_all(|s| s.processor), wall: of_all(|s| s.wall) };
        write!(f, "{all} for {} tests, most of it for", tests.len())?;
        tests.iter().take(NAMED).try_for_each(|(spent, name)| write!(f, "\n{spent}: {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_accept_any_program_name() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 100 20 3 4000 15 16";
        assert_eq!(ticks(&format!("77 (gpu) {rest}")), Some(4123));
        assert_eq!(ticks(&format!("77 (a ) b (c) {rest}")), Some(4123));
        assert_eq!(ticks("77 (gpu) S 1 2 3 4 5 6 7 8 9 10 100 20 3"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn slowest_tests_are_listed_first() {
        let mut slowest = Slowest::default();
        for second in 1..=12 {
            let processor = Duration::from_secs(second);
            slowest.add(&format!("test {second}"), Spent { processor, wall: 2 * processor });
        }
        let list = slowest.to_string();
        let lines: Vec<&str> = list.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 1 + NAMED);
        assert_eq!(lines[0], "78.0 s of processor time,  156.0 s for 12 tests, most of it for");
        assert_eq!(lines[1], "12.0 s of processor time,   24.0 s: test 12");
        assert_eq!(lines[NAMED], "3.0 s of processor time,    6.0 s: test 3");
    }
}
