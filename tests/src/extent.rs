//! Selects the cases of a run: a sample, all cases, or one part of all cases.
//!
//! Each process runs one test at a time. Parts let several processes share a full run.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Error, Result, ensure};

/// Environment variable: run every case of each product instead of a sample (`./x test --full`).
pub const FULL_VARIABLE: &str = "MULTISPLIT_FULL";
/// Environment variable: the part of a full run to execute, as `K/N`.
pub const PART_VARIABLE: &str = "MULTISPLIT_PART";

/// Whether [`FULL_VARIABLE`] asks for a full run: it is set, not empty, and not `0`.
pub fn is_full() -> bool {
    is_set(std::env::var(FULL_VARIABLE).ok())
}

fn is_set(value: Option<String>) -> bool {
    value.is_some_and(|value| !value.is_empty() && value != "0")
}

/// Part K of N. Each part contains about one case in N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: usize,
    of: usize,
}

impl Part {
    /// The only part of an undivided run.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// All N parts, in order.
    pub fn all(of: usize) -> impl Iterator<Item = Self> {
        (1..=of).map(move |number| Self { number, of })
    }

    /// Returns a closure that reports, for one case after another, whether it belongs to this part.
    /// Each part gets one case of each group of N. Its position varies from group to group, so that
    /// no part gets exactly every Nth case.
    pub fn turns(self) -> impl FnMut() -> bool {
        let mut cases = 0..;
        move || cases.next().is_some_and(|case| owner(case, self.of) == self.number - 1)
    }

    /// Like [`Self::turns`], but for a sample, which contains one case of each group of `THINNING`,
    /// beginning with the first case. Each case of the sample belongs to exactly one part.
    pub fn sampled_turns(self) -> impl FnMut() -> bool {
        let (mut case, mut turn) = (0, self.turns());
        move || {
            let sampled = owner(case, THINNING) == 0;
            case += 1;
            sampled && turn()
        }
    }
}

/// A sample contains one case in this many.
const THINNING: usize = 96;

/// Index (from 0) of the part that runs a case.
fn owner(case: usize, parts: usize) -> usize {
    // 2^64 divided by the golden ratio: the upper bits of its multiples are not periodic.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let row = (case / parts) as u64;
    let first = row.wrapping_mul(SPREAD) >> 24;
    (case + first as usize) % parts
}

impl FromStr for Part {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let part = text.split_once('/').and_then(|(number, of)| {
            Some(Self { number: number.parse().ok()?, of: of.parse().ok()? })
        });
        part.filter(|part| (1..=part.of).contains(&part.number))
            .with_context(|| format!("a part must be K/N with K from 1 to N, not \"{text}\""))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The selected cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Whether products are run completely instead of sampled.
    pub full: bool,
    /// The selected part of a full run.
    pub part: Part,
}

impl Extent {
    /// Removes `--full` and `--part K/N` from `arguments`. If they are missing, the environment
    /// variables apply.
    pub fn take(
        arguments: &mut Vec<OsString>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let mut full = is_set(variable(FULL_VARIABLE));
        let mut part = variable(PART_VARIABLE).filter(|value| !value.is_empty());
        let mut rest = Vec::new();
        let mut given = std::mem::take(arguments).into_iter();
        while let Some(argument) = given.next() {
            match argument.to_str() {
                Some("--full") => full = true,
                Some("--part") => {
                    let text = given.next().context("--part needs a value K/N, for example 1/4")?;
                    part = Some(text.to_string_lossy().into_owned());
                }
                Some(joined) if joined.starts_with("--part=") => {
                    part = joined.split_once('=').map(|(_, text)| text.to_owned());
                }
                _ => rest.push(argument),
            }
        }
        *arguments = rest;
        // A part of a sample could be mistaken for the whole sample.
        ensure!(
            full || part.is_none(),
            "only a full run has parts: add --full to --part, or {FULL_VARIABLE}=1 with \
             {PART_VARIABLE}"
        );
        let part = part.map_or(Ok(Part::WHOLE), |text| text.parse())?;
        Ok(Self { full, part })
    }

    /// Environment variables that pass this selection on to a child process.
    pub fn variables(self) -> impl Iterator<Item = (&'static str, String)> {
        let variables = [(FULL_VARIABLE, "1".to_owned()), (PART_VARIABLE, self.part.to_string())];
        variables.into_iter().filter(move |_| self.full)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.full, self.part) {
            (false, _) => write!(f, "a sample of the cases"),
            (true, Part::WHOLE) => write!(f, "all cases"),
            (true, part) => write!(f, "part {part} of all cases"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: Extent = Extent { full: false, part: Part::WHOLE };
    const ALL: Extent = Extent { full: true, part: Part::WHOLE };

    /// Parses a command line and an environment. Returns the selection and the remaining arguments.
    fn take(line: &str, variables: &[(&str, &str)]) -> Result<(Extent, Vec<OsString>)> {
        let mut arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let extent = Extent::take(&mut arguments, |name| {
            let found = variables.iter().find(|variable| variable.0 == name);
            found.map(|variable| variable.1.to_owned())
        })?;
        Ok((extent, arguments))
    }

    #[test]
    fn extent_options_are_not_passed_on() {
        let part = Extent { full: true, part: Part { number: 2, of: 13 } };
        for (line, extent) in [
            ("scan:: --exact", SAMPLE),
            ("scan:: --full --exact", ALL),
            ("--full --part 2/13 scan:: --exact", part),
            ("scan:: --part=2/13 --exact --full", part),
        ] {
            let (taken, rest) = take(line, &[]).unwrap();
            assert_eq!(taken, extent, "{line}");
            assert_eq!(rest, ["scan::", "--exact"], "{line}");
        }
    }

    #[test]
    fn environment_variables_replace_options() {
        for line in ["", "--full", "--full --part 2/13"] {
            let extent = take(line, &[]).unwrap().0;
            let variables: Vec<_> = extent.variables().collect();
            let variables: Vec<_> = variables.iter().map(|v| (v.0, v.1.as_str())).collect();
            assert_eq!(take("", &variables).unwrap().0, extent, "{line}");
        }
        for full in ["0", ""] {
            assert_eq!(take("", &[(FULL_VARIABLE, full), (PART_VARIABLE, "")]).unwrap().0, SAMPLE);
        }
        // The command line takes precedence.
        let variables = [(FULL_VARIABLE, "1"), (PART_VARIABLE, "1/2")];
        let part = Part { number: 3, of: 4 };
        assert_eq!(take("--part 3/4", &variables).unwrap().0.part, part);
    }

    #[test]
    fn invalid_parts_are_rejected() {
        for text in ["0/4", "5/4", "0/0", "4", "1/", "/4", "1/4/4", "-1/4", "1.5/4", "one/4", "="] {
            let error = take(&format!("--full --part {text}"), &[]).unwrap_err();
            assert!(error.to_string().contains("K/N with K from 1 to N"), "{text}: {error}");
            let error = take("", &[(FULL_VARIABLE, "1"), (PART_VARIABLE, text)]).unwrap_err();
            assert!(error.to_string().contains(text), "{text}: {error}");
        }
        assert!(take("--full --part=", &[]).is_err());
        assert!(take("--full --part", &[]).is_err());
    }

    #[test]
    fn part_without_full_is_rejected() {
        for (line, variables) in [("--part 1/1", &[][..]), ("", &[(PART_VARIABLE, "1/2")])] {
            let error = take(line, variables).unwrap_err();
            assert!(error.to_string().contains("only a full run has parts"), "{error}");
        }
    }

    #[test]
    fn every_case_is_in_exactly_one_part() {
        const CASES: usize = 100;
        for of in [1, 2, 3, 7, 13, 99, 100, 101, 400] {
            let mut owners = [0; CASES];
            for number in 1..=of {
                let mut mine = Part { number, of }.turns();
                owners.iter_mut().filter(|_| mine()).for_each(|owners| *owners += 1);
            }
            assert_eq!(owners, [1; CASES], "{of} parts");
        }
    }

    #[test]
    fn samples_contain_the_first_case_and_one_of_each_group() {
        const GROUPS: usize = 5;
        let mut owners = [0; GROUPS * THINNING];
        for part in Part::all(3) {
            let mut mine = part.sampled_turns();
            owners.iter_mut().filter(|_| mine()).for_each(|owners| *owners += 1);
        }
        assert_eq!(owners[0], 1);
        for group in owners.chunks(THINNING) {
            assert_eq!(group.iter().sum::<usize>(), 1);
        }
    }

    /// Cases that recur with any period from 2 to 9 occur in each of three parts.
    #[test]
    fn every_part_contains_all_periodic_cases() {
        for part in Part::all(3) {
            for kinds in 2..=9 {
                let mut mine = part.turns();
                let cases: Vec<usize> = (0..3 * kinds * kinds).filter(|_| mine()).collect();
                assert_eq!(cases.len(), kinds * kinds);
                for kind in 0..kinds {
                    assert!(
                        cases.iter().any(|case| case % kinds == kind),
                        "part {part} has no case of kind {kind} of {kinds}"
                    );
                    assert!(
                        cases.iter().any(|case| case / kinds % kinds == kind),
                        "part {part} has no case of group {kind} of {kinds}"
                    );
                }
            }
        }
    }
}
