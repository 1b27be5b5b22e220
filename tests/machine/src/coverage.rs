//! Block coverage of kernels. Only blocks that are reachable under the specializations that were
//! run are counted.

use std::collections::BTreeMap;
use std::fmt;

use crate::code::Program;

/// Block coverage of one kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelCoverage {
    /// Whether each block was executed, in module order.
    pub executed: Vec<bool>,
    /// Whether each block is reachable under a specialization that was run.
    pub live: Vec<bool>,
    /// The function of each block.
    pub functions: Vec<String>,
}

impl KernelCoverage {
    /// The numbers of reachable blocks that were executed, of reachable blocks, and of blocks that
    /// are unreachable under every specialization that was run.
    fn totals(&self) -> (usize, usize, usize) {
        let reachable = self.live.iter().zip(&self.executed).filter(|(live, _)| **live);
        let total = reachable.clone().count();
        (reachable.filter(|(_, done)| **done).count(), total, self.live.len() - total)
    }

    /// Whether an unreachable block was executed, which is a bug of the machine.
    pub fn contradicts(&self) -> bool {
        self.live.iter().zip(&self.executed).any(|(live, executed)| *executed && !*live)
    }
}

/// Coverage of all kernels. Runs with different specializations are merged.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Coverage by kernel label.
    pub kernels: BTreeMap<String, KernelCoverage>,
}

fn add(own: &mut [bool], theirs: &[bool]) {
    for (own, theirs) in own.iter_mut().zip(theirs) {
        *own |= *theirs;
    }
}

impl Coverage {
    /// The `executed` flags of a program's blocks.
    pub(crate) fn of(&mut self, program: &Program) -> &mut [bool] {
        let kernel = self.kernels.entry(program.label.clone()).or_default();
        if kernel.executed.len() != program.blocks.len() {
            let name = |f: u32| program.functions.get(f as usize).cloned().unwrap_or_default();
            *kernel = KernelCoverage {
                executed: vec![false; program.blocks.len()],
                live: vec![false; program.blocks.len()],
                functions: program.blocks.iter().map(|b| name(b.function)).collect(),
            };
        }
        add(&mut kernel.live, &program.live);
        &mut kernel.executed
    }

    /// Merges another coverage into this one.
    pub fn join(&mut self, other: &Self) {
        for (label, theirs) in &other.kernels {
            let own = self.kernels.entry(label.clone()).or_insert_with(|| theirs.clone());
            add(&mut own.executed, &theirs.executed);
            add(&mut own.live, &theirs.live);
        }
    }

    /// Returns the numbers of executed, reachable and unreachable blocks of all kernels.
    pub fn totals(&self) -> (usize, usize, usize) {
        let each = self.kernels.values().map(KernelCoverage::totals);
        each.fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2))
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hit, total, dead) = self.totals();
        let kernels = self.kernels.len();
        writeln!(
            f,
            "{hit} of {total} reachable blocks in {kernels} kernels executed; {dead} unreachable"
        )?;
        for (label, kernel) in &self.kernels {
            let (hit, total, dead) = kernel.totals();
            writeln!(f, "{label}: {hit} of {total}, {dead} unreachable")?;
            let mut missed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (at, function) in kernel.functions.iter().enumerate() {
                if kernel.live[at] && !kernel.executed[at] {
                    missed.entry(function).or_default().push(at);
                }
            }
            for (function, blocks) in missed {
                writeln!(f, "  not executed in {function}: blocks {blocks:?}")?;
            }
        }
        Ok(())
    }
}
