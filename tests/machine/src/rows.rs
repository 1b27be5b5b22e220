//! Evaluates an operation for many lanes. For frequent kinds of operations, branches on the kind
//! only once for all lanes.

use std::cell::Cell;

use crate::alu::{Alu, Kind};
use crate::eval::{eval, eval_inline};
use crate::flow::{Mask, lanes};

/// Registers of a subgroup, and the offsets of the rows that an operation reads and writes.
pub(crate) struct Rows<'r> {
    pub registers: &'r mut [u64],
    pub width: usize,
    pub mask: Mask,
    /// Whether all lanes execute the operation.
    pub whole: bool,
    pub to: usize,
    pub args: [usize; 3],
}

/// Evaluates each of the listed kinds in its own loop, in which the kind is a constant. All other
/// kinds are matched again for each lane.
macro_rules! with_constant_kind {
    ($rows:ident, $op:ident, $($kind:ident)*) => {
        match $op.kind {
            $(
                Kind::$kind if $op.wide || $op.from_wide => {
                    let op = Alu { kind: Kind::$kind, ..$op };
                    $rows.each(|a, b, c| eval_inline(op, a, b, c));
                }
                Kind::$kind => {
                    let op = Alu { kind: Kind::$kind, wide: false, from_wide: false };
                    $rows.each(|a, b, c| eval_inline(op, a, b, c));
                }
            )*
            _ => $rows.each(|a, b, c| eval($op, a, b, c)),
        }
    };
}

impl Rows<'_> {
    /// Computes the result of each lane.
    pub fn eval(self, op: Alu) {
        with_constant_kind!(
            self, op,
            IAdd ISub IMul UDiv UMod ShiftLeftLogical ShiftRightLogical BitwiseAnd BitwiseOr
            BitwiseXor Not BitCount IEqual INotEqual ULessThan ULessThanEqual UGreaterThan
            UGreaterThanEqual LogicalAnd LogicalOr LogicalNot LogicalEqual LogicalNotEqual Select
            UMin UMax UConvert Pack High CopyObject BitFieldUExtract
        );
    }

    #[inline(always)]
    fn each(self, f: impl Fn(u64, u64, u64) -> u64) {
        let cells = Cell::from_mut(self.registers).as_slice_of_cells();
        let row = |at: usize| &cells[at..at + self.width];
        let (to, [a, b, c]) = (row(self.to), self.args.map(row));
        if self.whole {
            for (((to, a), b), c) in to.iter().zip(a).zip(b).zip(c) {
                to.set(f(a.get(), b.get(), c.get()));
            }
        } else {
            for lane in lanes(self.mask) {
                to[lane].set(f(a[lane].get(), b[lane].get(), c[lane].get()));
            }
        }
    }
}
