//! The machine: memory, the passes that have run, and the findings.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use multisplit_shaders::address::{address_offset, by_address};
use multisplit_shaders::subgroup_barriers::with_memory_barriers;
use multisplit_shaders::{Kernel, builtin};

use crate::code::Program;
use crate::coverage::Coverage;
use crate::decode::decode;
use crate::dispatch::dispatch;
use crate::error::{MachineError, Result};
use crate::finding::{Findings, PassInfo};
use crate::finding_kind::FindingKind;
use crate::memory::{Bound, Cells, Memory, Mode, Record};
use crate::options::{Options, SubgroupBarriers};
use crate::rng::Rng;
use crate::run::Run;
use crate::swaps::Swaps;
use crate::timeline::{Stage, Timeline};

/// A buffer in the machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer(pub(crate) usize);

/// A memory range bound to a kernel, with its descriptor set and binding.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub set: u32,
    pub binding: u32,
    pub bound: Bound,
}

/// Arguments of a kernel dispatch.
pub(crate) struct Launch<'a> {
    pub label: &'a str,
    pub kernel: &'a Kernel,
    pub specialization: &'a [(u32, u32)],
    pub push: &'a [u8],
    pub bindings: &'a [Binding],
    pub groups: [u32; 3],
    pub by_address: bool,
}

/// Kernel label, hash of the SPIR-V words, specialization, whether buffers are accessed by address,
/// and whether subgroup barriers are replaced.
type ProgramKey = (String, u64, Vec<(u32, u32)>, bool, bool);

/// Decoded kernels, except replacements. All machines share them, since tests run the same kernels
/// many times.
static PROGRAMS: OnceLock<Mutex<HashMap<ProgramKey, Arc<Program>>>> = OnceLock::new();

thread_local! {
    /// Decoded versions of the replacement kernel (a mutant, for example) that this thread runs.
    /// Those of earlier ones are dropped, because all mutants together would take too much memory.
    static REPLACED: RefCell<HashMap<ProgramKey, Arc<Program>>> = RefCell::default();
}

/// The names of the specialization constants of all built-in kernels.
fn constant_names() -> &'static HashSet<String> {
    static NAMES: OnceLock<HashSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let kernels = builtin::ALL.iter().filter_map(|built_in| built_in.kernel().ok());
        let names = |kernel: Arc<Kernel>| -> Vec<String> {
            kernel.interface().spec_constants.iter().map(|c| c.name.clone()).collect()
        };
        kernels.flat_map(names).collect()
    })
}

/// A simulated device.
#[derive(Default)]
pub struct Machine {
    /// The properties of the simulated device.
    pub options: Options,
    pub(crate) memory: Memory,
    pub(crate) timeline: Timeline,
    pub(crate) passes: Vec<PassInfo>,
    /// All findings so far.
    pub findings: Findings,
    /// Pairs of additions to shared memory: those that this run must swap, and those that a later
    /// run could swap.
    pub swaps: Swaps,
    /// The block coverage so far.
    pub coverage: Coverage,
    replaced: HashMap<String, Vec<u32>>,
    specialized: Vec<(String, u32)>,
    /// Number of instructions so far, counted per lane.
    pub steps: u64,
}

impl Machine {
    /// A device without any buffers.
    pub fn new(options: Options) -> Self {
        // Index 0 stands for "no pass".
        Self { options, passes: vec![PassInfo::default()], ..Self::default() }
    }

    /// Creates a buffer of `bytes` bytes, all of which are marked as unwritten.
    pub fn buffer(&mut self, name: &str, bytes: u64) -> Buffer {
        Buffer(self.memory.add(name, bytes))
    }

    /// Creates a buffer with these words.
    pub fn upload(&mut self, name: &str, words: &[u32]) -> Buffer {
        let buffer = self.buffer(name, words.len() as u64 * 4);
        self.replace_words(buffer, words);
        buffer
    }

    /// Replaces all words of a buffer, as if another buffer were bound from now on: passes are not
    /// waited for, and their accesses are forgotten.
    pub fn replace_words(&mut self, buffer: Buffer, words: &[u32]) {
        let cells = &mut self.memory.regions[buffer.0].cells;
        *cells = Cells::new(words.len());
        cells.words.copy_from_slice(words);
        cells.set_written(0..words.len(), true);
    }

    /// The contents of a buffer.
    pub fn download(&self, buffer: Buffer) -> &[u32] {
        &self.memory.regions[buffer.0].cells.words
    }

    /// Runs these SPIR-V words instead of the kernel with this label.
    pub fn replace(&mut self, label: &str, spirv: Vec<u32>) {
        self.replaced.insert(label.to_owned(), spirv);
    }

    /// Sets the specialization constant `name` in every kernel that has it. Names that no built-in
    /// kernel has are rejected.
    pub fn specialize(&mut self, name: &str, value: u32) -> Result<()> {
        if !constant_names().contains(name) {
            return Err(MachineError::constant(name));
        }
        self.specialized.push((name.to_owned(), value));
        Ok(())
    }

    /// The decoded kernel, from the cache if possible.
    pub(crate) fn program(&self, launch: &Launch<'_>) -> Result<Arc<Program>> {
        let label = launch.kernel.label();
        let words = self.replaced.get(label).map_or(launch.kernel.spirv(), Vec::as_slice);
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        let mut specialization = launch.specialization.to_vec();
        for (name, value) in &self.specialized {
            if let Some(constant) = launch.kernel.interface().spec_constant(name) {
                specialization.retain(|(id, _)| *id != constant.id);
                specialization.push((constant.id, *value));
            }
        }
        let replaced = SubgroupBarriers::OfWorkgroup { replaced: true };
        let replaces = self.options.subgroup_barriers == replaced;
        let key = (label.to_owned(), hasher.finish(), specialization, launch.by_address, replaces);
        let known = PROGRAMS.get_or_init(Mutex::default);
        let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_replaced = self.replaced.contains_key(label);
        let found = if is_replaced {
            REPLACED.with_borrow(|recent| recent.get(&key).cloned())
        } else {
            known().get(&key).cloned()
        };
        if let Some(program) = found {
            return Ok(program);
        }
        let mut words = Cow::Borrowed(words);
        if launch.by_address {
            let rewritten = by_address(&words, launch.kernel.interface());
            words = Cow::Owned(rewritten.map_err(|e| MachineError::module(label, e))?);
        }
        if let Some(rewritten) = replaces.then(|| with_memory_barriers(&words)).flatten() {
            words = Cow::Owned(rewritten);
        }
        let program = Arc::new(decode(label, &words, &key.2)?);
        if is_replaced {
            REPLACED.with_borrow_mut(|recent| {
                recent.retain(|other, _| (&other.0, other.1) == (&key.0, key.1));
                recent.insert(key, program.clone());
            });
        } else {
            known().insert(key, program.clone());
        }
        Ok(program)
    }

    /// Runs a kernel on whole buffers, and waits until it has ended. Each buffer is given with the
    /// name of its binding in the kernel.
    pub fn dispatch(
        &mut self,
        kernel: &Kernel,
        buffers: &[(&str, Buffer)],
        groups: [u32; 3],
    ) -> Result<()> {
        let mut bindings = Vec::new();
        for binding in &kernel.interface().bindings {
            let Some((_, buffer)) = buffers.iter().find(|(name, _)| *name == binding.name) else {
                let problem = format!("no buffer is bound to `{}`", binding.name);
                return Err(MachineError::plan(kernel.label(), problem));
            };
            let size = self.memory.regions[buffer.0].cells.words.len() as u64 * 4;
            let bound = Bound { name: binding.name.clone(), region: buffer.0, offset: 0, size };
            bindings.push(Binding { set: binding.set, binding: binding.binding, bound });
        }
        let (label, bindings) = (kernel.label(), &bindings);
        let (specialization, push, by_address) = (&[][..], &[][..], false);
        let launch = Launch { label, kernel, specialization, push, bindings, groups, by_address };
        let program = self.program(&launch)?;
        let pass = self.begin(label, Some(program.clone()));
        self.launch(pass, &program, &launch)?;
        self.timeline.wait();
        Ok(())
    }

    /// Runs a kernel in a pass for which [`Self::begin`] was called.
    pub(crate) fn launch(
        &mut self,
        pass: u32,
        program: &Arc<Program>,
        launch: &Launch<'_>,
    ) -> Result<()> {
        let mut bounds = Vec::new();
        for wanted in &program.descriptors {
            let is_it = |b: &&Binding| (b.set, b.binding) == (wanted.set, wanted.binding);
            let Some(binding) = launch.bindings.iter().find(is_it) else {
                let problem = format!("no buffer is bound to binding {}", wanted.binding);
                return Err(MachineError::plan(launch.label, problem));
            };
            bounds.push(binding.bound.clone());
        }
        let mut push = launch.push.to_vec();
        if launch.by_address {
            push.resize(address_offset(launch.kernel.interface()) as usize, 0);
            for binding in launch.bindings {
                let region = &self.memory.regions[binding.bound.region];
                push.extend((region.address + binding.bound.offset).to_le_bytes());
                bounds.push(binding.bound.clone());
            }
        }
        self.memory.released.clear();
        self.swaps.begin(pass);
        let mut run = Run {
            program,
            memory: &mut self.memory,
            bounds: &bounds,
            push: &push,
            pass,
            passes: &self.passes,
            timeline: &self.timeline,
            groups: launch.groups,
            options: &self.options,
            findings: &mut self.findings,
            swaps: &mut self.swaps,
            covered: self.coverage.of(program),
            rng: Rng::new(self.options.seed ^ u64::from(pass) << 32),
            steps: 0,
            stopped: false,
        };
        dispatch(&mut run);
        self.steps += run.steps;
        Ok(())
    }

    /// Begins a pass, which is a kernel or a transfer.
    pub(crate) fn begin(&mut self, label: &str, program: Option<Arc<Program>>) -> u32 {
        let pass = self.timeline.begin(program.is_none());
        self.passes.push(PassInfo { label: label.to_owned(), program });
        pass
    }

    /// Records an access by a transfer, or the read of an indirect dispatch's arguments.
    pub(crate) fn touch(&mut self, pass: u32, stage: Stage, region: usize, at: usize, write: bool) {
        let mode = Mode { write, atomic: false, coherent: true, fixed: true };
        let record = Record { pass, mode, pc: u32::MAX, ..Record::default() };
        let timeline = &self.timeline;
        let cells = &mut self.memory.regions[region].cells;
        let written = cells.is_written(at);
        let conflict = cells.touch(at, record, |old| timeline.after(old, stage, write));
        let unwritten = (!write && !written).then_some((FindingKind::Unwritten, None));
        let conflict = conflict.map(|(kind, other)| (kind, Some(other)));
        for (kind, other) in conflict.into_iter().chain(unwritten) {
            self.report(kind, &record, other, region, at);
        }
    }

    /// Reports a finding at an access to a word by a transfer or an indirect dispatch.
    pub(crate) fn report(
        &mut self,
        kind: FindingKind,
        here: &Record,
        other: Option<Record>,
        region: usize,
        at: usize,
    ) {
        if !self.findings.count_repeated(&self.passes, kind, here, other.as_ref()) {
            let what = format!("`{}` word {at}", self.memory.regions[region].name);
            self.findings.add(&self.passes, kind, what, here, other.as_ref());
        }
    }
}
