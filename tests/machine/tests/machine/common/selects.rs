//! Plans of selections.

use anyhow::Result;
use multisplit::graph::ElementType;
use multisplit::operations::{SelectBuffers, select};
use multisplit::{Key, KeyType, Policy, Select};
use multisplit_machine::Rng;

use super::case::Case;
use super::moves::words_of;
use super::primitives::{Device, policy_of};
use super::setup::{Parameters, Setup};

/// Parameters of a selection.
#[derive(Clone, Copy, Debug)]
pub struct SelectCase {
    /// Elements of type `u64` instead of `u32`.
    pub wide: bool,
    pub by: By,
    pub also: Also,
    pub on_device: bool,
    pub n: u64,
    /// Whether the tiles are small.
    pub small: bool,
    /// Number of subgroups per workgroup; `None` for the usual size.
    pub subgroups: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Flags,
    LessThan(u64),
    NotEqual(u64),
    Heads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Also {
    Nothing,
    Rejected,
    Lengths,
}

impl SelectCase {
    /// A selection from no elements.
    pub fn new(by: By, also: Also) -> Self {
        let (wide, on_device, n, small, subgroups) = (false, false, 0, false, None);
        Self { wide, by, also, on_device, n, small, subgroups }
    }

    fn add<T: Key + From<u32> + TryFrom<u64>>(
        self,
        setup: &mut Setup,
        buffers: &SelectBuffers,
    ) -> Result<()> {
        let element = |number: u64| T::try_from(number).unwrap_or(T::from(0u32));
        let which = match self.by {
            By::Flags => Select::flagged(),
            By::LessThan(limit) => Select::less_than(element(limit)),
            By::NotEqual(key) => Select::not_equal_to(element(key)),
            By::Heads => Select::first_of_runs(),
        };
        let small_selects_up_to = if self.small { u32::MAX } else { 0 };
        let policy = Policy { small_selects_up_to, ..policy_of(setup.device, self.subgroups) };
        Ok(select(&mut setup.graph, &policy, &which, buffers)?)
    }
}

impl Parameters for SelectCase {
    fn case(&self, device: Device) -> Result<Case> {
        let mut setup = Setup::new(device, "select");
        let (max, count) = setup.count(self.n, self.on_device);
        let mut rng = Rng::new(self.n);
        // Runs of about four equal elements.
        let mut key = 9;
        let step = |_| {
            if rng.next_u64().is_multiple_of(4) {
                key = rng.next_u64() % 32 + (u64::from(self.wide) << 35);
            }
            (key, (rng.next_u64() % 2) as u32)
        };
        let (keys, flags): (Vec<u64>, Vec<u32>) = (0..max).map(step).unzip();
        let (mut selected, mut rejected, mut lengths) = (Vec::new(), Vec::new(), Vec::<u32>::new());
        for at in 0..self.n as usize {
            let head = at == 0 || keys[at] != keys[at - 1];
            let is = match self.by {
                By::Flags => flags[at] != 0,
                By::LessThan(limit) => keys[at] < limit,
                By::NotEqual(key) => keys[at] != key,
                By::Heads => head,
            };
            let side = if is { &mut selected } else { &mut rejected };
            side.push(keys[at]);
            if head {
                lengths.push(0);
            }
            if let Some(last) = lengths.last_mut() {
                *last += 1;
            }
        }
        let element = if self.wide { KeyType::U64 } else { KeyType::U32 };
        let src = setup.buffer("src", element, max);
        let dst = setup.buffer("dst", element, max);
        let found = setup.result("selected", vec![selected.len() as u32]);
        let mut buffers = SelectBuffers::new(src, dst, found).count(count);
        setup.set("src", words_of(element, keys));
        setup.expect("dst", words_of(element, selected));
        if self.by == By::Flags {
            buffers = buffers.flags(setup.words("flags", flags));
        }
        match self.also {
            Also::Nothing => {}
            Also::Rejected => {
                buffers = buffers.rejected(setup.buffer("rejected", element, max));
                setup.expect("rejected", words_of(element, rejected));
            }
            Also::Lengths => {
                buffers = buffers.run_lengths(setup.buffer("lengths", ElementType::U32, max));
                setup.expect("lengths", lengths);
            }
        }
        match self.wide {
            false => self.add::<u32>(&mut setup, &buffers)?,
            true => self.add::<u64>(&mut setup, &buffers)?,
        }
        setup.finish(self)
    }
}

/// Every kind of condition with the outputs it supports. `tile` is the largest tile of the kernels.
pub fn select_cases(tile: u64) -> Vec<SelectCase> {
    let mut all = Vec::new();
    let sizes = [2 * tile + 5, tile - 3, tile + 1];
    for wide in [false, true] {
        let key = 7 + (u64::from(wide) << 35);
        for by in [By::Heads, By::Flags, By::LessThan(key + 9), By::NotEqual(key)] {
            for also in [Also::Lengths, Also::Nothing, Also::Rejected] {
                if also == Also::Lengths && by != By::Heads {
                    continue;
                }
                let number = all.len();
                let (n, on_device) = (sizes[number % sizes.len()], number % 2 == 1);
                let case = SelectCase { wide, on_device, n, ..SelectCase::new(by, also) };
                all.push(case);
                if also != Also::Rejected {
                    all.push(SelectCase { small: true, on_device: !on_device, ..case });
                }
            }
        }
    }
    // The number of selected elements is written for empty inputs, too.
    all.push(SelectCase { on_device: true, ..SelectCase::new(By::Flags, Also::Nothing) });
    all
}
