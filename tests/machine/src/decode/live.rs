//! Finds the blocks that are reachable under the current specialization, by constant propagation.

use std::ops::Range;

use crate::alu::{self, Alu, Kind};
use crate::code::{Block, Code, Edge, GroupOp, Program, Reg};
use crate::eval::eval;

/// The values of a register that the analysis has found so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// None: the register is undefined so far.
    Nothing,
    Known(u64),
    Anything,
}

impl Value {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, known) | (known, Self::Nothing) => known,
            (one, two) if one == two => one,
            _ => Self::Anything,
        }
    }
}

struct Analysis<'a> {
    code: &'a [Code],
    blocks: &'a [Block],
    values: Vec<Value>,
    /// Whether each register is scratch: a write replaces the earlier values, because no other
    /// block reads them.
    in_block: Vec<bool>,
    /// Whether each block is reachable.
    live: Vec<bool>,
    changed: bool,
    /// Whether a branch on an undefined condition may take either direction.
    undefined_is_anything: bool,
    /// Whether the current visit has found a branch on an undefined condition.
    met_undefined: bool,
}

/// Returns whether each block is reachable, and the known direction of each branch. `anything`
/// lists registers with unknown values: inputs, and variables that are accessed by computed
/// addresses. `scratch` lists registers that each block writes before it reads them.
pub(super) fn live(
    program: &Program,
    entry: u32,
    anything: &[Range<Reg>],
    scratch: &[Range<Reg>],
) -> (Vec<bool>, Vec<Option<bool>>) {
    let count = program.registers as usize;
    let mut analysis = Analysis {
        code: &program.code,
        blocks: &program.blocks,
        values: vec![Value::Nothing; count],
        in_block: vec![false; count],
        live: vec![false; program.blocks.len()],
        changed: true,
        undefined_is_anything: false,
        met_undefined: false,
    };
    for range in scratch {
        analysis.in_block[range.start as usize..range.end as usize].fill(true);
    }
    for &(register, value) in &program.constants {
        analysis.write(register, Value::Known(value));
    }
    for range in anything {
        analysis.write_all(range.clone(), Value::Anything);
    }
    analysis.reach(entry);
    loop {
        analysis.changed = false;
        analysis.met_undefined = false;
        let ways = analysis.visit_all();
        if !analysis.changed {
            if !analysis.met_undefined || analysis.undefined_is_anything {
                return (analysis.live, ways);
            }
            analysis.undefined_is_anything = true;
        }
    }
}

impl Analysis<'_> {
    fn reach(&mut self, block: u32) {
        if let Some(live) = self.live.get_mut(block as usize) {
            self.changed |= !*live;
            *live = true;
        }
    }

    fn read(&self, register: Reg) -> Value {
        self.values.get(register as usize).copied().unwrap_or(Value::Anything)
    }

    fn write(&mut self, register: Reg, value: Value) {
        let at = register as usize;
        let (Some(held), Some(&in_block)) = (self.values.get_mut(at), self.in_block.get(at)) else {
            return;
        };
        if in_block {
            *held = value;
            return;
        }
        let new = held.join(value);
        self.changed |= *held != new;
        *held = new;
    }

    fn write_all(&mut self, registers: Range<Reg>, value: Value) {
        registers.for_each(|register| self.write(register, value));
    }

    fn copy(&mut self, dst: Reg, src: Reg, n: u32) {
        let values: Vec<Value> = (src..src + n).map(|register| self.read(register)).collect();
        for (register, value) in (dst..).zip(values) {
            self.write(register, value);
        }
    }

    /// Visits all reachable blocks. Returns the known direction of each branch.
    fn visit_all(&mut self) -> Vec<Option<bool>> {
        let mut ways = vec![None; self.code.len()];
        for block in 0..self.blocks.len() {
            if self.live[block] {
                self.visit(block, &mut ways);
            }
        }
        ways
    }

    fn visit(&mut self, block: usize, ways: &mut [Option<bool>]) {
        let code = self.code;
        let first = self.blocks[block].pc as usize;
        for (at, code) in code.iter().enumerate().skip(first) {
            match code {
                Code::Copy { dst, src, n } => self.copy(*dst, *src, *n),
                Code::Alu { op, dst, args, steps, n } => {
                    for k in 0..*n {
                        let operand = |at: usize| self.read(args[at] + steps[at] * k);
                        let value = combined(*op, operand(0), operand(1), operand(2));
                        self.write(dst + k, value);
                    }
                }
                Code::Jump(edge) => return self.follow(edge),
                Code::Branch { condition, yes, no } => {
                    match self.condition(*condition) {
                        Value::Nothing => {}
                        Value::Known(value) => {
                            ways[at] = Some(value != 0);
                            self.follow(if value != 0 { yes } else { no });
                        }
                        Value::Anything => {
                            self.follow(yes);
                            self.follow(no);
                        }
                    }
                    return;
                }
                Code::Switch { selector, cases, other } => {
                    match self.condition(*selector) {
                        Value::Nothing => {}
                        Value::Known(value) => {
                            let case = cases.iter().find(|(wanted, _)| *wanted == value);
                            self.follow(case.map_or(other, |(_, edge)| edge));
                        }
                        Value::Anything => {
                            for (_, edge) in cases {
                                self.follow(edge);
                            }
                            self.follow(other);
                        }
                    }
                    return;
                }
                Code::Call { block } => self.reach(*block),
                Code::Return | Code::Unreachable => return,
                other => {
                    let (dst, n) = written(other);
                    self.write_all(dst..dst + n, Value::Anything);
                }
            }
        }
    }

    fn condition(&mut self, register: Reg) -> Value {
        match self.read(register) {
            Value::Nothing => {
                self.met_undefined = true;
                if self.undefined_is_anything { Value::Anything } else { Value::Nothing }
            }
            value => value,
        }
    }

    fn follow(&mut self, edge: &Edge) {
        for &(dst, src, n) in &edge.copies {
            self.copy(dst, src, n);
        }
        self.reach(edge.block);
    }
}

/// The result of an operation. For some operations, one known operand determines the result.
fn combined(op: Alu, a: Value, b: Value, c: Value) -> Value {
    use Value::{Anything, Known, Nothing};
    let enough = match (op.kind, a, b) {
        (Kind::LogicalAnd, Known(0), _) | (Kind::LogicalAnd, _, Known(0)) => Some(Known(0)),
        (Kind::LogicalOr, Known(1), _) | (Kind::LogicalOr, _, Known(1)) => Some(Known(1)),
        (Kind::Select, Known(chosen), _) => Some(if chosen != 0 { b } else { c }),
        _ => None,
    };
    if let Some(value) = enough {
        return value;
    }
    let needed = alu::operands(op.kind);
    let operands = [a, b, c];
    let used = operands.get(..needed).unwrap_or(&operands);
    if used.contains(&Anything) {
        return Anything;
    }
    if used.contains(&Nothing) {
        return Nothing;
    }
    let number = |at: usize| match used.get(at) {
        Some(Known(value)) => *value,
        _ => 0,
    };
    Known(eval(op, number(0), number(1), number(2)))
}

/// The registers that an instruction writes with a value that is unknown before run time.
fn written(code: &Code) -> (Reg, u32) {
    match code {
        Code::Pick { dst, .. }
        | Code::Chain { dst, .. }
        | Code::Locate { dst, .. }
        | Code::Atomic { dst: Some(dst), .. }
        | Code::ArrayLength { dst, .. } => (*dst, 1),
        Code::Insert { dst, n, .. } | Code::LoadPrivate { dst, n, .. } => (*dst, *n),
        Code::Load { dst, leaves, .. } => (*dst, leaves.len() as u32),
        Code::Group { op: GroupOp::AllEqual, dst, .. } => (*dst, 1),
        Code::Group { dst, n, .. } => (*dst, *n),
        _ => (0, 0),
    }
}

/// Replaces branches on known conditions by jumps. If the jump leads to the merge block of the
/// selection, the selection is removed as well. Other selections remain, since lanes that diverge
/// inside a selection reconverge at its end.
pub(super) fn shorten(code: &mut [Code], blocks: &[Block], ways: &[Option<bool>]) {
    for at in 0..code.len() {
        let (Some(Some(taken)), Some(Code::Branch { yes, no, .. })) = (ways.get(at), code.get(at))
        else {
            continue;
        };
        let edge = if *taken { yes.clone() } else { no.clone() };
        let begins = at > 0 && blocks.iter().all(|block| block.pc as usize != at);
        if begins
            && let Some(Code::Selection { merge }) = code.get(at - 1)
            && *merge == edge.block
        {
            code[at - 1] = Code::Jump(edge.clone());
        }
        code[at] = Code::Jump(edge);
    }
}
