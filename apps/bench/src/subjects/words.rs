//! Subjects of `multisplit bench`: the plan of each figure, and the check of its result.

use anyhow::Result;
use clap::ValueEnum;

use crate::check;
use crate::plans::{Method, Target, WordPlan, scan_method};

/// Content of the output before a checked run, so that the result of an earlier run cannot pass the check.
pub const POISON: u32 = 0x5a5a_a5a5;
const FILL_VALUE: u32 = 0x1234_5678;
/// The copy kernel's name in figures.
pub const COPY: &str = "copy_kernel_u32";

/// A group of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// All of the following except paper
    All,
    /// Exclusive scan, by each method
    Scan,
    /// Copy kernel: the upper bound for operations that read and write each element once
    Copy,
    /// Fill kernel
    Fill,
    /// Multisplit, by operation, number of buckets and method
    Split,
    /// Histograms, by operation, number of bins and method
    Histogram,
    /// Radix sort, by operation and method
    Sort,
    /// The k largest elements with their indices, of an array or of rows
    Topk,
    /// Scans, reductions and selections of several types
    Family,
    /// Host arrays: transfers, and sorts with transfers, by the host's clock
    Host,
    /// Shortest paths, by network and method
    Sssp,
    /// Experiments of the paper, in its own tables
    Paper,
}

/// One figure to be measured.
pub struct Case {
    /// The name in figures, which other benchmark programs use too.
    pub op: &'static str,
    pub method: &'static str,
    pub planned: WordPlan,
    /// Compares input and output.
    pub check: fn(&[u32], &[u32]) -> Result<()>,
}

impl Subject {
    /// The subjects of `all`.
    pub const EVERY: [Self; 10] = [
        Self::Copy,
        Self::Fill,
        Self::Scan,
        Self::Sort,
        Self::Topk,
        Self::Split,
        Self::Histogram,
        Self::Family,
        Self::Host,
        Self::Sssp,
    ];

    /// The cases of copies, fills and scans of `n` elements. Other subjects have separate options and measure
    /// themselves.
    pub fn cases(self, target: &Target, n: u64) -> Result<Vec<Case>> {
        Ok(match self {
            Self::Copy => {
                let (op, method) = (COPY, "kernel");
                vec![Case { op, method, planned: target.copy(n)?, check: check::copied }]
            }
            Self::Fill => {
                let planned = target.fill(n, FILL_VALUE)?;
                let check =
                    |input: &[u32], output: &[u32]| check::filled(FILL_VALUE, input.len(), output);
                vec![Case { op: "fill_u32", method: "kernel", planned, check }]
            }
            Self::Scan => scans(target, n)?,
            _ => Vec::new(),
        })
    }
}

/// Each method once, because a small scan is carried out the same way by both.
fn scans(target: &Target, n: u64) -> Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for asked in [Method::Lookback, Method::ReduceThenScan] {
        let planned = target.with_method(asked).scan(n, true)?;
        let method = scan_method(&planned.plan);
        if cases.iter().all(|case| case.method != method) {
            cases.push(Case { op: "scan_exclusive_u32", method, planned, check: check::scanned });
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::Subject;
    use crate::plans::Target;

    #[test]
    fn every_figure_has_its_own_op_and_method() {
        let names = |subject: Subject, n| -> Vec<_> {
            let cases = subject.cases(&Target::any(), n).expect("cases");
            cases.iter().map(|case| (case.op, case.method)).collect()
        };
        let scans =
            [("scan_exclusive_u32", "lookback"), ("scan_exclusive_u32", "reduce-then-scan")];
        assert_eq!(names(Subject::Scan, 1 << 20), scans);
        assert_eq!(names(Subject::Scan, 100), [("scan_exclusive_u32", "one-workgroup")]);
        assert_eq!(names(Subject::Copy, 100), [("copy_kernel_u32", "kernel")]);
        assert_eq!(names(Subject::Fill, 100), [("fill_u32", "kernel")]);
    }
}
