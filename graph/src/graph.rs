//! How a graph is declared: buffers, passes, and what the caller does around them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::access::Scope;
use crate::compile;
use crate::error::GraphError;
use crate::limits::Limits;
use crate::pass::{Action, PassBuilder, PassDecl, PassId, PassKernel};
use crate::plan::Plan;
use crate::repeat::PingPong;
use crate::resource::{Buffer, BufferDecl, Element, ElementType, Kind, View};

/// Passes were sized for two subgroup sizes: no device has this many lanes.
const NO_DEVICES_LANES: u32 = u32::MAX;

/// Passes over buffers, in the order of their data flow: a pass reads what the passes declared
/// before it wrote. [`compile`](Self::compile) turns it into a [`Plan`].
///
/// Declaring never fails; everything that is wrong with a declaration is reported by `compile`,
/// with the names of the pass and the buffer.
#[derive(Debug)]
pub struct Graph {
    /// Handles carry it, so that a handle of another graph is noticed.
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) buffers: Vec<BufferDecl>,
    pub(crate) passes: Vec<PassDecl>,
    pub(crate) entries: Vec<(Buffer, Scope)>,
    pub(crate) exits: Vec<(Buffer, Scope)>,
    pub(crate) orders: Vec<(PassId, PassId)>,
    pub(crate) keeps: Vec<PassId>,
    pub(crate) settables: Vec<PassId>,
    pub(crate) carries: Vec<PingPong>,
    pub(crate) replayable: bool,
    pub(crate) subgroup_size: Option<u32>,
}

impl Graph {
    /// An empty graph. The name appears in dumps and labels.
    pub fn new(name: impl Into<String>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            name: name.into(),
            buffers: Vec::new(),
            passes: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            orders: Vec::new(),
            keeps: Vec::new(),
            settables: Vec::new(),
            carries: Vec::new(),
            replayable: false,
            subgroup_size: None,
        }
    }

    /// A buffer of the caller's, `len` elements long, bound when the plan is recorded. Two
    /// imports of one graph never overlap in memory; their names differ.
    pub fn import<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::Import, ElementType::of::<T>(), len)
    }

    /// [`import`](Self::import) of `size` bytes of no particular element.
    pub fn import_bytes(&mut self, name: impl Into<String>, size: u64) -> Buffer {
        self.add_array(name.into(), Kind::Import, ElementType::Untyped, size)
    }

    /// [`import`](Self::import) of `len` elements whose type is known when the program runs.
    pub fn import_array(
        &mut self,
        name: impl Into<String>,
        element: ElementType,
        len: u64,
    ) -> Buffer {
        self.add_array(name.into(), Kind::Import, element, len)
    }

    /// A buffer whose contents are undefined at the start of every run. It shares memory with
    /// transients that are not in use at the same time.
    pub fn transient<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::Transient, ElementType::of::<T>(), len)
    }

    /// [`transient`](Self::transient) of `size` bytes of no particular element.
    pub fn transient_bytes(&mut self, name: impl Into<String>, size: u64) -> Buffer {
        self.add_array(name.into(), Kind::Transient, ElementType::Untyped, size)
    }

    /// A buffer whose contents survive from run to run. It lies in the workspace and never shares
    /// memory.
    pub fn persistent<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::Persistent, ElementType::of::<T>(), len)
    }

    /// [`persistent`](Self::persistent) of `size` bytes of no particular element.
    pub fn persistent_bytes(&mut self, name: impl Into<String>, size: u64) -> Buffer {
        self.add_array(name.into(), Kind::Persistent, ElementType::Untyped, size)
    }

    /// A buffer whose contents are part of the plan, and which passes only read: a table. The executor
    /// brings its memory, and writes it before the first run instead of in every run.
    pub fn constant<T: bytemuck::Pod>(
        &mut self,
        name: impl Into<String>,
        contents: &[T],
    ) -> Buffer {
        let (element, len) = (ElementType::of::<T>(), contents.len() as u64);
        let buffer = self.add_array(name.into(), Kind::Constant, element, len);
        self.buffers[buffer.index].contents = Some(bytemuck::cast_slice(contents).into());
        buffer
    }

    /// Whether the buffer is a [transient](Self::transient) of this graph.
    pub fn is_transient(&self, buffer: Buffer) -> bool {
        let declared = self.buffers.get(buffer.index).filter(|_| buffer.graph == self.id);
        declared.is_some_and(|declared| declared.kind == Kind::Transient)
    }

    /// The status word of this name: a word that the executor brings, that passes set by atomics, and
    /// that the host looks at. No pass reads it, so none waits for another because of it, and a pass
    /// that only sets it is culled. The same name gives the same word.
    pub fn status_word(&mut self, name: impl Into<String>) -> Buffer {
        let name = name.into();
        let known = self.buffers.iter().position(|b| b.kind == Kind::StatusWord && b.name == name);
        match known {
            Some(index) => {
                let (graph, element) = (self.id, ElementType::U32);
                Buffer { graph, index, size: self.buffers[index].size, element }
            }
            None => self.add_array(name, Kind::StatusWord, ElementType::U32, 1),
        }
    }

    /// What the caller did last with an import before each run. The plan then begins with the
    /// barrier that this takes. Without it the caller synchronises: the scope to synchronise with
    /// is [`ImportContract::first_use`](crate::ImportContract::first_use).
    pub fn entry(&mut self, import: Buffer, scope: Scope) {
        self.entries.push((import, scope));
    }

    /// What the caller does first with an import after each run. The plan then ends with the
    /// barrier that makes the import ready for it, the caller's own entry writes included.
    /// Without it the caller synchronises: the scope to synchronise with is
    /// [`ImportContract::last_use`](crate::ImportContract::last_use).
    pub fn exit(&mut self, import: Buffer, scope: Scope) {
        self.exits.push((import, scope));
    }

    /// Begins a pass that runs `kernel`. `label` is its dotted lower-case name (`scan.reduce`).
    pub fn pass(
        &mut self,
        label: impl Into<String>,
        kernel: impl Into<PassKernel>,
    ) -> PassBuilder<'_> {
        PassBuilder::new(self, label.into(), kernel.into())
    }

    /// Adds a pass that sets every word of `view` to `value` (`vkCmdFillBuffer`). Offset and size
    /// are multiples of 4.
    pub fn fill(&mut self, label: impl Into<String>, view: impl Into<View>, value: u32) -> PassId {
        self.add_pass(label.into(), Action::Fill { view: view.into(), value })
    }

    /// Adds a pass that copies `src` to `dst` (`vkCmdCopyBuffer`), views of the same size.
    pub fn copy(
        &mut self,
        label: impl Into<String>,
        src: impl Into<View>,
        dst: impl Into<View>,
    ) -> PassId {
        self.add_pass(label.into(), Action::Copy { src: src.into(), dst: dst.into() })
    }

    /// Adds a pass that writes `bytes` into `view` (`vkCmdUpdateBuffer`): as many as the view has,
    /// a multiple of 4, at most 65536. The bytes are part of the plan.
    pub fn update(
        &mut self,
        label: impl Into<String>,
        view: impl Into<View>,
        bytes: &[u8],
    ) -> PassId {
        self.add_pass(label.into(), Action::Update { view: view.into(), bytes: bytes.to_vec() })
    }

    /// Runs `after` when `before` has finished, whatever their data. Orders execution, makes no
    /// memory visible, and keeps neither pass alive. Where one of the passes is culled, the
    /// passes that were ordered through it stay ordered.
    pub fn order(&mut self, before: PassId, after: PassId) {
        self.orders.push((before, after));
    }

    /// Declares that a pass has effects that the graph does not see: it is never culled.
    pub fn keep(&mut self, pass: PassId) {
        self.keeps.push(pass);
    }

    /// Lets the bytes of a pass (its push constants, or what an update writes) be given anew when the
    /// plan is recorded, under the label of the pass. Those of other passes never change.
    pub fn settable(&mut self, pass: PassId) {
        self.settables.push(pass);
    }

    /// Declares that the recorded plan runs again and again, on one queue, with nothing in
    /// between: the barriers then also cover each run against the next.
    pub fn replayable(&mut self) {
        self.replayable = true;
    }

    /// Declares that passes were sized for subgroups of this many lanes. Compiling for a device
    /// with others is then an error, and so are two different sizes in one graph.
    pub fn sized_for_subgroups(&mut self, lanes: u32) {
        self.subgroup_size = match self.subgroup_size {
            Some(other) if other != lanes => Some(NO_DEVICES_LANES),
            _ => Some(lanes),
        };
    }

    /// Declares that the next run begins with the front that this ping-pong ends with. In a
    /// replayable graph an odd number of swaps is then an error, since the recording always
    /// begins with the same buffer. To be called after the last swap.
    pub fn carry(&mut self, pair: &PingPong) {
        self.carries.push(*pair);
    }

    /// Plans the graph: order, barriers, memory. Pure: the same graph and limits give the same
    /// plan.
    pub fn compile(&self, limits: &Limits) -> Result<Plan, GraphError> {
        compile::compile(self, limits)
    }

    fn add_array(&mut self, name: String, kind: Kind, element: ElementType, len: u64) -> Buffer {
        let size = len.saturating_mul(element.bytes().unwrap_or(1).into());
        let index = self.buffers.len();
        let (contents, entry, exit) = (None, None, None);
        self.buffers.push(BufferDecl { name, kind, size, element, contents, entry, exit });
        Buffer { graph: self.id, index, size, element }
    }

    pub(crate) fn add_pass(&mut self, label: String, action: Action) -> PassId {
        let index = self.passes.len();
        self.passes.push(PassDecl { label, action });
        PassId { graph: self.id, index }
    }
}
