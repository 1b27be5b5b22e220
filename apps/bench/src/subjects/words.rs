//! `multisplit bench copy`, `fill` and `scan`: primitives on arrays of words, with a check of every element.

use anyhow::{Context as _, Result, bail};
use multisplit::operations::ScanMethod;

use super::Subject;
use crate::measure::{Bench, Case};
use crate::output::COPY;
use crate::plans::{Planned, Target};
use crate::{data, size};

/// Initial content of the output of a checked run, so that the result of an earlier run cannot pass the check.
pub const POISON: u32 = 0x5a5a_a5a5;
const FILL_VALUE: u32 = 0x1234_5678;

/// An operation, its plan, and the check of its input and output.
struct Operation {
    op: &'static str,
    planned: Planned,
    check: fn(&[u32], &[u32]) -> Result<()>,
}

/// Measures copies, fills or scans of `n` elements.
pub fn measure(bench: &Bench<'_>, subject: Subject, n: u64) -> Result<()> {
    let context = bench.context;
    let operations = operations(subject, &bench.target, n)?;
    // Allocate device memory first, so that a size that does not fit fails before generating the input.
    let (src, dst) = (context.zeroed::<u32>(n)?, context.zeroed::<u32>(n)?);
    let input = data::random_keys(n, data::SEED)?;
    context.write(&src, 0, &input)?;
    let poison = bench.target.fill(n, POISON)?;
    let fill = context.instantiate(poison.plan.clone())?;
    for Operation { op, planned, check } in operations {
        context.run(&fill, &poison.bind(&[&dst]))?;
        // A fill has no input.
        let bound = planned.bind(&[&src, &dst][2 - planned.imports.len()..]);
        let case = Case::new(op, planned.method, n, bound);
        bench
            .measure(&case, &planned.plan, || check(&input, &context.download(&dst)?))
            .with_context(|| format!("{op} ({}), n = {}", planned.method, size::show(n)))?;
    }
    Ok(())
}

/// The operations of a subject. Both scan methods run small scans with the same kernel, so small scans are measured
/// only once.
fn operations(subject: Subject, target: &Target, n: u64) -> Result<Vec<Operation>> {
    Ok(match subject {
        Subject::Copy => vec![Operation { op: COPY, planned: target.copy(n)?, check: copied }],
        Subject::Fill => {
            vec![Operation { op: "fill_u32", planned: target.fill(n, FILL_VALUE)?, check: filled }]
        }
        _ => {
            let mut scans = Vec::new();
            for method in [ScanMethod::LookBack, ScanMethod::ReduceThenScan] {
                let planned = target.with_method(Some(method)).scan(n)?;
                scans.push(Operation { op: "scan_exclusive_u32", planned, check: scanned });
            }
            scans.dedup_by_key(|scan| scan.planned.method);
            scans
        }
    })
}

/// Checks that `output` holds the exclusive prefix sums of `input`, modulo 2^32.
fn scanned(input: &[u32], output: &[u32]) -> Result<()> {
    let mut next = 0u32;
    let sums = input.iter().map(|&value| {
        let sum = next;
        next = next.wrapping_add(value);
        sum
    });
    equal("the scan", sums, output)
}

fn copied(input: &[u32], output: &[u32]) -> Result<()> {
    equal("the copy", input.iter().copied(), output)
}

fn filled(input: &[u32], output: &[u32]) -> Result<()> {
    equal("the fill", std::iter::repeat_n(FILL_VALUE, input.len()), output)
}

fn equal(what: &str, expected: impl ExactSizeIterator<Item = u32>, output: &[u32]) -> Result<()> {
    let length = expected.len();
    if output.len() != length {
        bail!("{what} is wrong: the result has {} elements, not {length}", output.len());
    }
    let differs = |(_, (expected, got)): &(usize, (u32, &u32))| expected != *got;
    if let Some((index, (expected, got))) = expected.zip(output).enumerate().find(differs) {
        bail!("{what} is wrong: element {index} of {length} is {got}, but {expected} on the CPU");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_has_a_distinct_op_and_method() {
        let names = |subject: Subject, n| -> Vec<_> {
            let operations =
                operations(subject, &Target::any(), n).expect("the operations can be planned");
            operations.iter().map(|operation| (operation.op, operation.planned.method)).collect()
        };
        let scans =
            [("scan_exclusive_u32", "lookback"), ("scan_exclusive_u32", "reduce-then-scan")];
        assert_eq!(names(Subject::Scan, 1 << 20), scans);
        assert_eq!(names(Subject::Scan, 100), [("scan_exclusive_u32", "one-workgroup")]);
        assert_eq!(names(Subject::Copy, 100), [("copy_kernel_u32", "kernel")]);
        assert_eq!(names(Subject::Fill, 100), [("fill_u32", "kernel")]);
    }

    #[test]
    fn correct_results_pass() {
        assert!(scanned(&[3, 1, u32::MAX], &[0, 3, 4]).is_ok());
        assert!(scanned(&[u32::MAX, 2, 5], &[0, u32::MAX, 1]).is_ok());
        assert!(copied(&[1, 2], &[1, 2]).is_ok());
        assert!(filled(&[1, 2], &[FILL_VALUE; 2]).is_ok());
    }

    #[test]
    fn wrong_results_are_reported() {
        let problem =
            scanned(&[3, 1, 4], &[0, 3, 5]).expect_err("a wrong sum was accepted").to_string();
        assert!(problem.contains("element 2 of 3 is 5, but 4 on the CPU"), "{problem}");
        assert!(copied(&[1, 2], &[1, 3]).is_err());
        assert!(copied(&[1, 2], &[1]).is_err());
        assert!(filled(&[1, 2], &[FILL_VALUE, 0]).is_err());
    }
}
