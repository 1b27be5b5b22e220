//! Which tests of a run took most processor time.
//!
//! Processor time, because a run shares its cores with others, of whom the wall clock tells as well.

use std::fmt;
use std::time::{Duration, Instant};

/// How many tests the list names.
const NAMED: usize = 10;
/// `/proc` counts processor time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// What a test took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spent {
    /// By all threads of this process, and by the processes that it started and waited for. Zero
    /// where the system does not tell.
    pub processor: Duration,
    /// From its beginning to its end.
    pub wall: Duration,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [processor, wall] = [self.processor, self.wall].map(|time| time.as_secs_f64());
        write!(f, "{processor:6.1} s of processor time, {wall:6.1} s")
    }
}

/// Measures what is spent from now on.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    processor: Duration,
    started: Instant,
}

impl Stopwatch {
    /// Starts one.
    pub fn start() -> Self {
        Self { processor: processor_time(), started: Instant::now() }
    }

    /// What was spent since.
    pub fn spent(self) -> Spent {
        let processor = processor_time().saturating_sub(self.processor);
        Spent { processor, wall: self.started.elapsed() }
    }
}

/// Of this process, and of its children that have ended.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").ok();
    TICK * stat.and_then(|stat| ticks(&stat)).unwrap_or_default()
}

/// `utime`, `stime`, `cutime` and `cstime`: fields 14 to 17 of such a line. Field 2 is the name of
/// the program in parentheses, and may hold anything, so that fields are counted from its end.
fn ticks(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u32> =
        fields.split_whitespace().skip(11).take(4).filter_map(|t| t.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum())
}

/// What each test of a run took. Shown, it is a list of those that took most.
#[derive(Debug, Default)]
pub struct Slowest(Vec<(Spent, String)>);

impl Slowest {
    /// A test that has ended.
    pub fn add(&mut self, name: &str, spent: Spent) {
        self.0.push((spent, name.to_owned()));
    }

    /// Whether no test has ended.
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
    fn fields_are_counted_from_the_end_of_the_name() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 100 20 3 4000 15 16";
        assert_eq!(ticks(&format!("77 (gpu) {rest}")), Some(4123));
        assert_eq!(ticks(&format!("77 (a ) b (c) {rest}")), Some(4123));
        assert_eq!(ticks("77 (gpu) S 1 2 3 4 5 6 7 8 9 10 100 20 3"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn those_that_took_most_come_first() {
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
