//! The graph, inputs and expected outputs of a case under construction, and lists of cases.

use anyhow::Result;
use multisplit::graph::{Buffer, ElementType, Graph};
use multisplit::operations::Count;

use super::case::{Case, Named};
use super::primitives::{Device, limits};

/// Creates a case.
pub type Maker = Box<dyn Fn() -> Result<Case> + Send + Sync>;

/// Parameters of a case.
pub trait Parameters: Send + Sync + 'static {
    fn case(&self, device: Device) -> Result<Case>;
}

/// The cases for a device.
pub struct Cases {
    pub device: Device,
    pub makers: Vec<Maker>,
}

impl Cases {
    pub fn new(device: Device) -> Self {
        Self { device, makers: Vec::new() }
    }

    pub fn add(&mut self, of: impl Parameters) {
        self.add_made(move |device| of.case(device));
    }

    pub fn add_all(&mut self, all: impl IntoIterator<Item = impl Parameters>) {
        all.into_iter().for_each(|of| self.add(of));
    }

    pub fn add_made(&mut self, make: impl Fn(Device) -> Result<Case> + Send + Sync + 'static) {
        let device = self.device;
        self.makers.push(Box::new(move || make(device)));
    }
}

/// Number of additional array elements, which a device count excludes.
const SPARE: u64 = 100;

/// The graph of a case with its inputs and expected outputs so far.
pub struct Setup {
    pub device: Device,
    pub graph: Graph,
    pub inputs: Vec<Named>,
    pub outputs: Vec<Named>,
}

impl Setup {
    pub fn new(device: Device, name: &str) -> Self {
        Self { device, graph: Graph::new(name), inputs: Vec::new(), outputs: Vec::new() }
    }

    /// Declares an import with unwritten memory.
    pub fn buffer(&mut self, name: &str, element: impl Into<ElementType>, len: u64) -> Buffer {
        self.graph.import_array(name, element.into(), len)
    }

    /// Declares an array of words with these contents.
    pub fn words(&mut self, name: &'static str, words: Vec<u32>) -> Buffer {
        let buffer = self.buffer(name, ElementType::U32, words.len() as u64);
        self.set(name, words);
        buffer
    }

    /// Declares an array of words that the passes must fill with `expected`.
    pub fn result(&mut self, name: &'static str, expected: Vec<u32>) -> Buffer {
        let buffer = self.buffer(name, ElementType::U32, expected.len() as u64);
        self.expect(name, expected);
        buffer
    }

    /// Sets the initial contents of an import.
    pub fn set(&mut self, name: &'static str, words: Vec<u32>) {
        self.inputs.push((name, words));
    }

    /// Sets the expected contents of an import.
    pub fn expect(&mut self, name: &'static str, words: Vec<u32>) {
        self.outputs.push((name, words));
    }

    /// Returns the array length for `n` counted elements, and the count to pass to the operation.
    pub fn count(&mut self, n: u64, on_device: bool) -> (u64, Count) {
        if !on_device {
            return (n, Count::Host(n));
        }
        let (max, index) = (n + SPARE, 2);
        let buffer = self.words("count", vec![7, 7, n as u32, 0]);
        (max, Count::Device { buffer, index, max })
    }

    /// Like `count`, for a second array. If `spare` is given, the count is on the device and the
    /// array has that many additional elements.
    pub fn other_count(&mut self, name: &'static str, n: u64, spare: Option<u64>) -> (u64, Count) {
        let Some(spare) = spare else { return (n, Count::Host(n)) };
        let buffer = self.words(name, vec![7, n as u32, 7]);
        (n + spare, Count::Device { buffer, index: 1, max: n + spare })
    }

    /// The case, with `what` as its name. If its plan keeps state between runs, it can be replayed,
    /// unless it changes its inputs.
    pub fn finish(self, what: impl std::fmt::Debug) -> Result<Case> {
        let Self { device, mut graph, inputs, outputs } = self;
        let mut plan = graph.compile(&limits(device))?;
        let changed = |(name, _): &Named| outputs.iter().any(|(output, _)| output == name);
        if plan.state_size() > 0 && !inputs.iter().any(changed) {
            graph.replayable();
            plan = graph.compile(&limits(device))?;
        }
        Ok(Case {
            name: format!("{what:?}, for {device:?}"),
            plan,
            inputs,
            outputs,
            lane_order: false,
            may_give_up: None,
            verify: None,
            steady: Vec::new(),
        })
    }
}

/// The bytes of push constants.
pub fn push_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
