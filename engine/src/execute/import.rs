//! Buffers that the caller supplies for the imports and the workspace of a plan, and the location of every buffer of
//! the plan.

use std::sync::Arc;

use ash::vk;
use bytemuck::Pod;
use multisplit_graph::{self as graph, ElementType, Place, Plan, Work};
use multisplit_shaders::address::ADDRESS_ALIGNMENT;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::execute::BufferAccess;
use crate::memory::{Array, Buffer, Readback};

/// Number of imports that can be resolved without a heap allocation.
const INLINE_IMPORTS: usize = 32;

/// Location of memory that the caller supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferAt {
    /// An offset in a buffer.
    Buffer {
        /// The caller's buffer, with the usage flags of [`Executable::import_usage`](crate::Executable::import_usage).
        buffer: vk::Buffer,
        /// Offset in bytes.
        offset: u64,
    },
    /// An address (`vkGetBufferDeviceAddress`), a multiple of 16. Only for executables that access buffers by address.
    Address(vk::DeviceAddress),
}

impl BufferAt {
    /// The location of byte `offset` of `buffer`.
    pub const fn new(buffer: vk::Buffer, offset: u64) -> Self {
        Self::Buffer { buffer, offset }
    }

    const NOWHERE: Self = Self::new(vk::Buffer::null(), 0);
}

/// A graph's import, and the location of its memory.
pub type Import = (graph::Buffer, BufferAt);

/// An [`Array`] that is bound to an import of a graph. Can be created from `(import, &array)`, or from `(import,
/// &array, offset)` with an offset in bytes. Import and array must have the same element type, unless
/// [`Bound::untyped`] is used. A [`Readback`] is bound by `(import, &readback)`.
#[derive(Clone, Copy)]
pub struct Bound<'b> {
    import: graph::Buffer,
    buffer: &'b Buffer,
    offset: u64,
    element: ElementType,
}

impl<'b> Bound<'b> {
    /// Binds an array at a byte offset, regardless of the import's element type.
    pub fn untyped<T>(import: graph::Buffer, array: &'b Array<T>, offset: u64) -> Self {
        Self::new(import, array.buffer()).at(offset)
    }

    pub(crate) fn new(import: graph::Buffer, buffer: &'b Buffer) -> Self {
        Self { import, buffer, offset: 0, element: ElementType::Untyped }
    }

    /// The buffer. It must be kept alive while the recording is in use.
    pub(crate) fn buffer(&self) -> Buffer {
        self.buffer.clone()
    }

    /// The same binding, at another offset in bytes.
    pub(crate) fn at(self, offset: u64) -> Self {
        Self { offset, ..self }
    }
}

impl<'b, T: Pod> From<(graph::Buffer, &'b Array<T>)> for Bound<'b> {
    fn from((import, array): (graph::Buffer, &'b Array<T>)) -> Self {
        Self::from((import, array, 0))
    }
}

impl<'b, T: Pod> From<(graph::Buffer, &'b Array<T>, u64)> for Bound<'b> {
    fn from((import, array, offset): (graph::Buffer, &'b Array<T>, u64)) -> Self {
        let element = ElementType::of::<T>();
        Self { offset, element, ..Self::new(import, array.buffer()) }
    }
}

impl<'b, T: Pod> From<(graph::Buffer, &'b Readback<T>)> for Bound<'b> {
    fn from((import, readback): (graph::Buffer, &'b Readback<T>)) -> Self {
        Self { element: ElementType::of::<T>(), ..Self::new(import, readback.buffer()) }
    }
}

/// Resolves the imports of safe calls. Checks that the buffers belong to the device and are large enough.
pub(crate) fn imports<'b>(
    device: &Arc<Device>,
    buffers: &[impl Into<Bound<'b>> + Copy],
) -> Result<Vec<Import>> {
    let check = |bound: Bound<'b>| {
        bound.buffer.check_device(device)?;
        check_element(bound.element, bound.import.element())?;
        bound.buffer.check_range(bound.offset, bound.import.size())?;
        Ok((bound.import, BufferAt::new(bound.buffer.raw(), bound.offset)))
    };
    buffers.iter().map(|&bound| check(bound.into())).collect()
}

/// Rejects an array of numbers for an import of a different number type. Untyped bytes, vectors and structs are not
/// checked.
fn check_element(found: ElementType, expected: ElementType) -> Result<()> {
    let is_number = |element| !matches!(element, ElementType::Other(_) | ElementType::Untyped);
    if found == expected || !is_number(found) || !is_number(expected) {
        return Ok(());
    }
    Err(Error::ElementTypeMismatch { found, expected })
}

/// Locations of the workspace, constants, state and status word of a plan.
#[derive(Clone, Copy)]
pub(crate) struct PlanMemory {
    pub workspace: Option<BufferAt>,
    /// Constants of the executable; null if the plan does not contain constants.
    pub constants: vk::Buffer,
    /// State memory of the frame; null if the plan does not use state.
    pub state: vk::Buffer,
    /// The device's status word, which all status-word buffers of the plan share.
    pub status: vk::Buffer,
}

/// Locations of the plan's buffers for one recording.
pub(crate) struct Locations<'p> {
    plan: &'p Plan,
    /// The first imports. Only the first `count` entries are valid.
    imports: [Located; INLINE_IMPORTS],
    count: usize,
    /// The remaining imports.
    more_imports: Vec<Located>,
    workspace: Located,
    constants: Located,
    state: Located,
    status: Located,
}

#[derive(Clone, Copy)]
struct Located {
    /// Index among the plan's buffers; unused unless it is an import.
    index: usize,
    at: BufferAt,
    /// Device address; 0 unless kernels access buffers by address.
    address: vk::DeviceAddress,
}

impl Located {
    const NOTHING: Self = Self { index: 0, at: BufferAt::NOWHERE, address: 0 };

    fn new(device: &Device, index: usize, at: BufferAt, access: BufferAccess) -> Self {
        let address = match at {
            BufferAt::Address(address) => address,
            BufferAt::Buffer { buffer, offset }
                if access == BufferAccess::Addresses && buffer != vk::Buffer::null() =>
            {
                let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
                // SAFETY: the caller of the recording guarantees that the buffer has the required usage.
                unsafe { device.raw.get_buffer_device_address(&info) }.saturating_add(offset)
            }
            BufferAt::Buffer { .. } => 0,
        };
        Self { index, at, address }
    }

    /// Whether `size` bytes at this location overlap `other_size` bytes at the other location. An overlap is detected
    /// if both are in the same buffer, or if both addresses are known, even if different buffers share the memory.
    fn overlaps(&self, size: u64, other: &Self, other_size: u64) -> bool {
        let overlap = |at: u64, other: u64| {
            at < other.saturating_add(other_size) && other < at.saturating_add(size)
        };
        let in_one_space = match (self.at, other.at) {
            (BufferAt::Buffer { buffer, offset }, BufferAt::Buffer { buffer: b, offset: o }) => {
                buffer == b && overlap(offset, o)
            }
            (BufferAt::Address(at), BufferAt::Address(other)) => overlap(at, other),
            _ => false,
        };
        let addressed = self.address != 0 && other.address != 0;
        in_one_space || addressed && overlap(self.address, other.address)
    }

    /// Buffer and offset; null if only the address is known.
    fn buffer(&self, offset: u64) -> (vk::Buffer, u64) {
        match self.at {
            BufferAt::Buffer { buffer, offset: base } => (buffer, base + offset),
            BufferAt::Address(_) => (vk::Buffer::null(), 0),
        }
    }
}

impl<'p> Locations<'p> {
    pub fn resolve(
        device: &Device,
        plan: &'p Plan,
        imports: &[Import],
        memory: PlanMemory,
        access: BufferAccess,
    ) -> Result<Self> {
        let workspace = match memory.workspace {
            Some(given) => given,
            None if plan.workspace().size == 0 => BufferAt::NOWHERE,
            None => {
                let message =
                    "RecordOptions::workspace is not set, and the executable does not own a";
                return Err(problem(plan, message, "workspace"));
            }
        };
        check_place(device, plan, "workspace", workspace, access)?;
        let workspace = Located::new(device, 0, workspace, access);
        let [constants, state, status] = [memory.constants, memory.state, memory.status]
            .map(|buffer| Located::new(device, 0, BufferAt::new(buffer, 0), access));
        let mut this = Self {
            plan,
            imports: [Located::NOTHING; INLINE_IMPORTS],
            count: 0,
            more_imports: Vec::new(),
            workspace,
            constants,
            state,
            status,
        };
        for (index, planned, contract) in plan.imports() {
            let refuse = |message| Err(problem(plan, message, &planned.name));
            let mut given = imports.iter().filter(|(i, _)| plan.index_of(*i) == Some(index));
            let Some(&(_, at)) = given.next() else {
                if contract.first_use.is_some() {
                    return refuse("no buffer was given for import");
                }
                continue;
            };
            if given.next().is_some() {
                return refuse("more than one buffer was given for import");
            }
            check_place(device, plan, &planned.name, at, access)?;
            if matches!(at, BufferAt::Address(_)) && needs_buffer(plan, index) {
                return refuse("an address was given, but a buffer is required for import");
            }
            let given = Located::new(device, index, at, access);
            match this.imports.get_mut(this.count) {
                Some(entry) => {
                    *entry = given;
                    this.count += 1;
                }
                None => this.more_imports.push(given),
            }
        }
        let is_import = |import: graph::Buffer| {
            plan.index_of(import).is_some_and(|index| plan.buffers()[index].contract().is_some())
        };
        if let Some((unknown, _)) = imports.iter().find(|(i, _)| !is_import(*i)) {
            let name = format!("#{}", unknown.index());
            return Err(problem(plan, "the plan has no import", &name));
        }
        this.check_overlaps()?;
        Ok(this)
    }

    fn imports(&self) -> impl Iterator<Item = &Located> {
        self.imports[..self.count].iter().chain(&self.more_imports)
    }

    /// Rejects overlapping imports if one of them is written, and imports that overlap the workspace. The planner
    /// assumes that different buffers do not overlap, and does not insert barriers between accesses to them.
    fn check_overlaps(&self) -> Result<()> {
        let buffers = self.plan.buffers();
        let written = |index: usize| {
            let last_use = buffers[index].contract().and_then(|contract| contract.last_use);
            last_use.is_some_and(|scope| !scope.access.writes().is_empty())
        };
        for (count, one) in self.imports().enumerate() {
            let buffer = &buffers[one.index];
            if one.overlaps(buffer.size, &self.workspace, self.plan.workspace().size) {
                let message = "imports need memory of their own: the workspace overlaps import";
                return Err(problem(self.plan, message, &buffer.name));
            }
            let overlapped = self.imports().take(count).any(|other| {
                one.overlaps(buffer.size, other, buffers[other.index].size)
                    && (written(one.index) || written(other.index))
            });
            if overlapped {
                let message = "imports that are written need memory of their own: another import overlaps import";
                return Err(problem(self.plan, message, &buffer.name));
            }
        }
        Ok(())
    }

    /// Buffer and offset of byte `offset` of the plan's buffer `index`.
    pub fn at(&self, index: usize, offset: u64) -> (vk::Buffer, u64) {
        self.find(index, offset).map_or((vk::Buffer::null(), 0), |(given, at)| given.buffer(at))
    }

    /// Address of byte `offset` of the plan's buffer `index`.
    pub fn address(&self, index: usize, offset: u64) -> vk::DeviceAddress {
        self.find(index, offset).map_or(0, |(given, at)| given.address + at)
    }

    fn find(&self, index: usize, offset: u64) -> Option<(&Located, u64)> {
        match self.plan.place(index, offset)? {
            Place::Import { buffer, offset } => {
                let given = self.imports().find(|given| given.index == buffer);
                given.map(|given| (given, offset))
            }
            Place::Workspace { offset } => Some((&self.workspace, offset)),
            Place::Constant { offset } => Some((&self.constants, offset)),
            Place::State { offset } => Some((&self.state, offset)),
            Place::StatusWord { .. } => Some((&self.status, 0)),
        }
    }
}

/// Whether a transfer uses the buffer, or an indirect dispatch reads its workgroup counts from it. These commands do
/// not accept addresses.
fn needs_buffer(plan: &Plan, index: usize) -> bool {
    plan.steps().iter().any(|step| match &step.pass.work {
        Work::Dispatch(_) => false,
        Work::DispatchIndirect { buffer, .. } => *buffer == index,
        Work::Fill { view, .. } | Work::Update { view, .. } => view.buffer == index,
        Work::Copy { src, dst } => [src.buffer, dst.buffer].contains(&index),
    })
}

/// Checks the alignment of memory that the caller supplies, and whether addresses are allowed.
fn check_place(
    device: &Device,
    plan: &Plan,
    name: &str,
    at: BufferAt,
    access: BufferAccess,
) -> Result<()> {
    let (offset, alignment) = match (at, access) {
        (BufferAt::Buffer { offset, .. }, _) => {
            (offset, device.properties.graph_limits().heap_alignment())
        }
        (BufferAt::Address(address), BufferAccess::Addresses) => {
            (address, u64::from(ADDRESS_ALIGNMENT))
        }
        (BufferAt::Address(_), _) => {
            let message = "addresses require ExecutableOptions::by_address; give a buffer for";
            return Err(problem(plan, message, name));
        }
    };
    if offset.is_multiple_of(alignment) {
        return Ok(());
    }
    let (plan, name) = (plan.name().to_owned(), name.to_owned());
    Err(Error::Misaligned { plan, name, offset, alignment })
}

fn problem(plan: &Plan, problem: &'static str, name: &str) -> Error {
    Error::ImportBinding { plan: plan.name().to_owned(), problem, name: name.to_owned() }
}
