//! Plans of selections.

use anyhow::Result;
use multisplit::graph::{ElementType, Graph};
use multisplit::operations::{SelectBuffers, select};
use multisplit::{KeyType, Select};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, count_words, counted, limits, policy_of};

/// Parameters of a selection.
#[derive(Clone, Copy, Debug)]
pub struct SelectCase {
    /// Elements of type `u64` instead of `u32`.
    pub wide: bool,
    pub by: By,
    pub also: Also,
    pub on_device: bool,
    pub n: u64,
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
    fn words(self, keys: &[u64]) -> Vec<u32> {
        let words = |&key: &u64| match self.wide {
            false => vec![key as u32],
            true => vec![key as u32, (key >> 32) as u32],
        };
        keys.iter().flat_map(words).collect()
    }

    fn add(self, graph: &mut Graph, device: Device, buffers: &SelectBuffers) -> Result<()> {
        let policy = policy_of(device, self.subgroups);
        if self.wide {
            let which = match self.by {
                By::Flags => Select::flagged(),
                By::LessThan(limit) => Select::<u64>::less_than(limit),
                By::NotEqual(key) => Select::not_equal_to(key),
                By::Heads => Select::first_of_runs(),
            };
            return Ok(select(graph, &policy, &which, buffers)?);
        }
        let which = match self.by {
            By::Flags => Select::flagged(),
            By::LessThan(limit) => Select::<u32>::less_than(limit as u32),
            By::NotEqual(key) => Select::not_equal_to(key as u32),
            By::Heads => Select::first_of_runs(),
        };
        Ok(select(graph, &policy, &which, buffers)?)
    }
}

pub fn select_case(device: Device, of: SelectCase) -> Result<Case> {
    let mut graph = Graph::new("select");
    let (max, count) = counted(&mut graph, of.n, of.on_device);
    let mut rng = Rng::new(of.n);
    // Runs of about four equal elements.
    let mut key = 9;
    let step = |_| {
        if rng.next_u64().is_multiple_of(4) {
            key = rng.next_u64() % 32 + (u64::from(of.wide) << 35);
        }
        (key, (rng.next_u64() % 2) as u32)
    };
    let (keys, flags): (Vec<u64>, Vec<u32>) = (0..max).map(step).unzip();
    let (mut selected, mut rejected, mut lengths) = (Vec::new(), Vec::new(), Vec::<u32>::new());
    for at in 0..of.n as usize {
        let head = at == 0 || keys[at] != keys[at - 1];
        let is = match of.by {
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
    let element = ElementType::from(if of.wide { KeyType::U64 } else { KeyType::U32 });
    let src = graph.import_array("src", element, max);
    let dst = graph.import_array("dst", element, max);
    let found = graph.import::<u32>("selected", 1);
    let mut buffers = SelectBuffers::new(src, dst, found).count(count);
    let mut inputs = vec![("src", of.words(&keys)), count_words(of.n)];
    let mut outputs = vec![
        Output { name: "selected", expected: vec![selected.len() as u32] },
        Output { name: "dst", expected: of.words(&selected) },
    ];
    if of.by == By::Flags {
        buffers = buffers.flags(graph.import::<u32>("flags", max));
        inputs.push(("flags", flags));
    }
    match of.also {
        Also::Nothing => {}
        Also::Rejected => {
            buffers = buffers.rejected(graph.import_array("rejected", element, max));
            outputs.push(Output { name: "rejected", expected: of.words(&rejected) });
        }
        Also::Lengths => {
            buffers = buffers.run_lengths(graph.import::<u32>("lengths", max));
            outputs.push(Output { name: "lengths", expected: lengths });
        }
    }
    of.add(&mut graph, device, &buffers)?;
    Ok(Case {
        name: format!("{of:?}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        outputs,
        inputs,
        lane_order: false,
        may_give_up: None,
        verify: None,
        steady: Vec::new(),
    })
}

/// Every condition with all optional outputs; `tile` is the larger tile size of the kernels.
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
                all.push(SelectCase { wide, by, also, on_device, n, subgroups: None });
            }
        }
    }
    // The count is written for empty inputs too.
    let (by, also) = (By::Flags, Also::Nothing);
    all.push(SelectCase { wide: false, by, also, on_device: true, n: 0, subgroups: None });
    all
}
