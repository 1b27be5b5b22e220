//! Which blocks of which kernels were executed.

use std::collections::BTreeMap;
use std::fmt;

use crate::code::Program;

/// Blocks of one kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelCoverage {
    /// Whether each block was executed, in the order of the module.
    pub executed: Vec<bool>,
    /// Whether control flow can get there at all.
    pub reachable: Vec<bool>,
    /// The function of each block.
    pub functions: Vec<String>,
}

impl KernelCoverage {
    /// Blocks that can be reached.
    pub fn total(&self) -> usize {
        self.reachable.iter().filter(|r| **r).count()
    }

    /// Those of them that were executed.
    pub fn hit(&self) -> usize {
        self.reachable.iter().zip(&self.executed).filter(|(r, e)| **r && **e).count()
    }

    /// Blocks that were not executed: number and function.
    pub fn missed(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.reachable.iter().zip(&self.executed).zip(&self.functions).enumerate();
        all.filter(|(_, ((reachable, executed), _))| **reachable && !**executed)
            .map(|(at, (_, function))| (at, function.as_str()))
    }
}

/// Coverage of all kernels, by label. Runs with different specializations add up.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// By the kernel's label.
    pub kernels: BTreeMap<String, KernelCoverage>,
}

impl Coverage {
    /// The flags of a program's blocks.
    pub(crate) fn of(&mut self, program: &Program) -> &mut [bool] {
        let kernel = self.kernels.entry(program.label.clone()).or_default();
        if kernel.executed.len() != program.blocks.len() {
            let name = |f: u32| program.functions.get(f as usize).cloned().unwrap_or_default();
            *kernel = KernelCoverage {
                executed: vec![false; program.blocks.len()],
                reachable: program.reachable.clone(),
                functions: program.blocks.iter().map(|b| name(b.function)).collect(),
            };
        }
        &mut kernel.executed
    }

    /// Adds what another one has.
    pub fn join(&mut self, other: &Self) {
        for (label, theirs) in &other.kernels {
            let own = self.kernels.entry(label.clone()).or_insert_with(|| theirs.clone());
            for (own, theirs) in own.executed.iter_mut().zip(&theirs.executed) {
                *own |= *theirs;
            }
        }
    }

    /// Blocks executed and blocks that can be reached, of all kernels.
    pub fn totals(&self) -> (usize, usize) {
        let sum = |of: fn(&KernelCoverage) -> usize| self.kernels.values().map(of).sum();
        (sum(KernelCoverage::hit), sum(KernelCoverage::total))
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hit, total) = self.totals();
        writeln!(f, "{hit} of {total} blocks in {} kernels", self.kernels.len())?;
        for (label, kernel) in &self.kernels {
            writeln!(f, "{label}: {} of {}", kernel.hit(), kernel.total())?;
            let mut missed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (at, function) in kernel.missed() {
                missed.entry(function).or_default().push(at);
            }
            for (function, blocks) in missed {
                writeln!(f, "  not in {function}: {blocks:?}")?;
            }
        }
        Ok(())
    }
}
