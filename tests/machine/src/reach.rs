//! Conversion of device addresses, and accesses to variables and push constants.

use crate::access::address;
use crate::code::{Address, BAD_ADDRESS, OFFSET_BITS};
use crate::finding_kind::FindingKind;
use crate::flow::{Mask, lanes};
use crate::run::{Core, Run, Subgroup};
use crate::types::Leaf;

/// Converts a device address to a bound range and a byte offset in it.
pub(crate) fn locate(run: &Run<'_>, at: u64) -> u64 {
    let begin = |k: usize| {
        let bound = &run.bounds[k];
        run.memory.regions[bound.region].address + bound.offset
    };
    let count = run.bounds.len();
    // If one range ends at the address and another begins there, the address belongs to the latter.
    let exact = (0..count).find(|&k| begin(k) == at);
    let found = exact
        .or_else(|| (0..count).find(|&k| (begin(k)..begin(k) + run.bounds[k].size).contains(&at)));
    match found {
        Some(k) => (k as u64) << OFFSET_BITS | (at - begin(k)),
        None => (count as u64) << OFFSET_BITS,
    }
}

/// The register at an address in a variable, if all these lanes have the same address and it is in
/// bounds. This is the usual case, since most indices are loop counters.
pub(crate) fn same_private(sg: &Subgroup, mask: Mask, at: Address) -> Option<u32> {
    let first = address(sg, at, mask.trailing_zeros() as usize);
    let Some(register) = at.reg else { return Some(first as u32) };
    let row = register as usize * sg.width;
    let row = &sg.registers[row..row + sg.width];
    let held = row[mask.trailing_zeros() as usize];
    let same = if mask == sg.whole {
        row.iter().fold(0, |differs, other| differs | (other ^ held)) == 0
    } else {
        lanes(mask).all(|lane| row[lane] == held)
    };
    (same && first & BAD_ADDRESS == 0).then_some(first as u32)
}

/// The register at one lane's address in a variable. Reports a finding and returns `None` if it is
/// out of bounds.
pub(crate) fn private(
    run: &mut Run<'_>,
    core: &Core,
    sg: &Subgroup,
    at: Address,
    lane: usize,
    pc: u32,
) -> Option<u32> {
    let at = address(sg, at, lane);
    if at & BAD_ADDRESS == 0 {
        return Some(at as u32);
    }
    let what = format!("index {} of a private array", at as u32);
    run.report(FindingKind::OutOfBounds, core, sg.first + lane, pc, what);
    None
}

/// A scalar of the push constants. Reports a finding and returns 0 if it is out of bounds.
pub(crate) fn pushed(
    run: &mut Run<'_>,
    core: &Core,
    local: usize,
    pc: u32,
    at: u64,
    leaf: Leaf,
) -> u64 {
    let first = at as usize + leaf.offset as usize;
    let count = if leaf.wide { 8 } else { 4 };
    let bytes = (at & BAD_ADDRESS == 0).then(|| run.push.get(first..first + count)).flatten();
    match bytes {
        Some(bytes) => bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)),
        None => {
            let what =
                format!("byte {first} of push constants, of which {} are given", run.push.len());
            run.report(FindingKind::OutOfBounds, core, local, pc, what);
            0
        }
    }
}
