//! State of a running dispatch: its workgroups and subgroups, and their shared state.

use std::collections::HashMap;

use rspirv::spirv::BuiltIn;

use crate::code::Program;
use crate::finding::{Findings, PassInfo};
use crate::finding_kind::FindingKind;
use crate::flow::{Flow, Mask, first_lanes, lanes};
use crate::memory::{Bound, Cells, GARBAGE, Memory, Record};
use crate::options::{Options, Reconvergence};
use crate::order::Clocks;
use crate::rng::Rng;
use crate::swaps::Swaps;
use crate::timeline::Timeline;

/// State shared by all workgroups of a dispatch.
pub(crate) struct Run<'a> {
    pub program: &'a Program,
    pub memory: &'a mut Memory,
    /// The bound ranges: first those of the program's descriptors, in their order, then those that
    /// are accessed by address.
    pub bounds: &'a [Bound],
    pub push: &'a [u8],
    /// Index of this pass.
    pub pass: u32,
    pub passes: &'a [PassInfo],
    pub timeline: &'a Timeline,
    pub groups: [u32; 3],
    pub options: &'a Options,
    pub findings: &'a mut Findings,
    pub swaps: &'a mut Swaps,
    pub covered: &'a mut [bool],
    pub rng: Rng,
    /// Number of instructions so far, counted per lane.
    pub steps: u64,
    /// Whether the dispatch must stop.
    pub stopped: bool,
}

/// State shared by the subgroups of a workgroup.
pub(crate) struct Core {
    pub number: u64,
    pub shared: Cells,
    pub clocks: Clocks,
    /// For each branch instruction and visit number: the target that the first subgroup took, and
    /// whether another subgroup took a different target.
    pub branches: HashMap<(u32, u32), (u32, bool)>,
    /// Number of accesses and barriers so far.
    pub visible: u64,
    /// The workgroup is stalled until the dispatch has executed this many instructions.
    pub stalled_until: u64,
}

pub(crate) struct Subgroup {
    /// Local index of its first lane.
    pub first: usize,
    pub width: usize,
    /// Mask of all lanes of a full subgroup.
    pub whole: Mask,
    /// Register values: one row per register, one scalar per lane.
    pub registers: Vec<u64>,
    /// For each register: the lanes in which it is undefined.
    pub undefined: Vec<Mask>,
    pub flow: Flow,
    /// For each branch: how often the whole subgroup has reached it so far.
    pub visits: HashMap<u32, u32>,
    /// Scratch buffers for copies between registers, kept to avoid allocations.
    pub held: Vec<u64>,
    pub held_bits: Vec<Mask>,
}

pub(crate) struct Group {
    pub core: Core,
    pub subgroups: Vec<Subgroup>,
}

impl Subgroup {
    /// The subgroup with this index.
    fn new(program: &Program, index: usize, width: usize) -> Self {
        let count = program.registers as usize;
        let registers = vec![u64::from(GARBAGE); count * width];
        let flow = Flow::new(0, 0, Reconvergence::Maximal);
        let (first, whole) = (index * width, first_lanes(width));
        let (undefined, visits) = (Vec::new(), HashMap::new());
        let (held, held_bits) = (Vec::new(), Vec::new());
        Self { first, width, whole, registers, undefined, flow, visits, held, held_bits }
    }

    /// Resets the subgroup to the first instruction. Only constants and inputs are defined then.
    fn begin(&mut self, run: &Run<'_>, full: Mask) {
        let program = run.program;
        let entry = program.blocks[program.entry as usize].pc;
        self.flow = Flow::new(full, entry, run.options.reconvergence);
        self.visits.clear();
        self.undefined.clear();
        self.undefined.resize(program.registers as usize, Mask::MAX);
        for &(register, value) in &program.constants {
            // Constants include variables with initial values.
            let at = register as usize * self.width;
            self.registers[at..at + self.width].fill(value);
            self.undefined[register as usize] = 0;
        }
        for (_, registers) in &program.inputs {
            self.undefined[registers.start as usize..registers.end as usize].fill(0);
        }
    }

    #[inline]
    pub fn get(&self, register: u32, lane: usize) -> u64 {
        self.registers[register as usize * self.width + lane]
    }

    #[inline]
    pub fn set(&mut self, register: u32, lane: usize, value: u64) {
        self.registers[register as usize * self.width + lane] = value;
    }

    /// Sets a register of each of these lanes.
    pub fn set_each(&mut self, mask: Mask, register: u32, value: impl Fn(&Self, usize) -> u64) {
        for lane in lanes(mask) {
            self.set(register, lane, value(self, lane));
        }
    }
}

impl Group {
    /// A workgroup before its first instruction. Reuses the allocations of the finished workgroup
    /// `spare`, if given.
    pub fn new(run: &Run<'_>, number: u64, spare: Option<Self>) -> Self {
        let program = run.program;
        let count = program.local_size.iter().map(|&k| k as usize).product::<usize>();
        let width = run.options.width as usize;
        let subgroups = count.div_ceil(width);
        let (mut all, shared) = match spare {
            Some(group) => (group.subgroups, Some(group.core.shared)),
            None => ((0..subgroups).map(|k| Subgroup::new(program, k, width)).collect(), None),
        };
        for subgroup in &mut all {
            let full = first_lanes((count - subgroup.first).min(width));
            subgroup.begin(run, full);
            for lane in lanes(full) {
                for (input, registers) in &program.inputs {
                    let local = subgroup.first + lane;
                    let values = input_values(*input, run, number, local, subgroups);
                    for (register, value) in registers.clone().zip(values) {
                        subgroup.set(register, lane, u64::from(value));
                    }
                }
            }
        }
        let words = program.shared_bytes.div_ceil(4) as usize;
        let core = Core {
            number,
            shared: shared.map_or_else(|| Cells::new(words), Cells::cleared),
            clocks: Clocks::new(number, subgroups * width, width),
            branches: HashMap::new(),
            visible: 0,
            stalled_until: 0,
        };
        Self { core, subgroups: all }
    }

    pub fn is_done(&self) -> bool {
        self.subgroups.iter().all(|s| s.flow.live == 0)
    }
}

fn words(mask: Mask) -> [u32; 4] {
    [0, 1, 2, 3].map(|k| (mask >> (32 * k)) as u32)
}

/// The position of an element of a three-dimensional grid, by its index.
fn position(index: u64, grid: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = grid.map(u64::from);
    [index % x, index / x % y, index / (x * y)].map(|k| k as u32)
}

/// The values of a built-in input for lane `local` of workgroup `group`.
fn input_values(
    input: BuiltIn,
    run: &Run<'_>,
    group: u64,
    local: usize,
    subgroups: usize,
) -> [u32; 4] {
    let size = run.program.local_size;
    let (id, own) = (position(group, run.groups), position(local as u64, size));
    let width = run.options.width;
    let (subgroup, lane) = (local as u32 / width, local as u32 % width);
    let all = first_lanes(width as usize);
    let bit: Mask = 1 << lane;
    let below = bit - 1;
    let three = |[x, y, z]: [u32; 3]| [x, y, z, 0];
    let one = |x: u32| [x, 0, 0, 0];
    match input {
        BuiltIn::WorkgroupId => three(id),
        BuiltIn::NumWorkgroups => three(run.groups),
        BuiltIn::WorkgroupSize => three(size),
        BuiltIn::LocalInvocationId => three(own),
        BuiltIn::LocalInvocationIndex => one(local as u32),
        BuiltIn::GlobalInvocationId => three([0, 1, 2].map(|k| id[k] * size[k] + own[k])),
        BuiltIn::SubgroupSize => one(run.options.faults.subgroup_size.unwrap_or(width)),
        BuiltIn::NumSubgroups => one(subgroups as u32),
        BuiltIn::SubgroupId => one(subgroup),
        BuiltIn::SubgroupLocalInvocationId => one(lane),
        BuiltIn::SubgroupEqMask => words(bit),
        BuiltIn::SubgroupGeMask => words(all & !below),
        BuiltIn::SubgroupGtMask => words(all & !below & !bit),
        BuiltIn::SubgroupLeMask => words(below | bit),
        BuiltIn::SubgroupLtMask => words(below),
        // `INPUTS` contains no other built-ins.
        _ => [0; 4],
    }
}

impl Run<'_> {
    /// Reports a finding at an instruction of this dispatch.
    pub fn report(&mut self, kind: FindingKind, core: &Core, local: usize, pc: u32, what: String) {
        let (group, lane) = (core.number as u32, local as u32);
        let here = Record { pass: self.pass, group, lane, pc, ..Record::default() };
        self.report_access(kind, here, None, |_| what);
    }

    /// Reports a finding at an access, with the conflicting access, if any. `what` describes the
    /// memory location; it is called only for the first finding of its kind at these instructions.
    pub fn report_access(
        &mut self,
        kind: FindingKind,
        here: Record,
        other: Option<Record>,
        what: impl FnOnce(&Self) -> String,
    ) {
        if !self.findings.count_repeated(self.passes, kind, &here, other.as_ref()) {
            let what = what(self);
            self.findings.add(self.passes, kind, what, &here, other.as_ref());
            self.stopped |= self.options.first_only;
        }
    }
}
