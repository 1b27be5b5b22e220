//! Declaration of a graph: buffers, passes, and the caller's accesses before and after a run.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::access::Scope;
use crate::error::GraphError;
use crate::pass::{Action, PassDecl, PassId};
use crate::resource::{Buffer, BufferDecl, Element, ElementType, Kind, PingPong, View};

/// Value of [`Graph::subgroup_size`] if passes require different sizes. No device has this size.
const CONFLICTING_SUBGROUP_SIZES: u32 = u32::MAX;

/// Passes over buffers, declared in data-flow order: a pass reads the data written by the passes
/// declared before it. [`compile`](Self::compile) turns the graph into a [`Plan`](crate::Plan).
///
/// Declarations never fail. `compile` returns the first error, whose message names the passes and
/// buffers involved, if any.
#[derive(Debug)]
pub struct Graph {
    /// Unique per graph and stored in every handle, to detect handles of other graphs.
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
    pub(crate) variant: Option<u32>,
}

impl Graph {
    /// Creates an empty graph. The name appears in dumps and labels.
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
            variant: None,
        }
    }

    /// Declares a buffer of `len` elements that the caller provides when it records the plan.
    /// Imports must have unique names. An import that passes write must not overlap another one.
    pub fn import<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::Import, ElementType::of::<T>(), len)
    }

    /// Declares an [`import`](Self::import) of `size` untyped bytes.
    pub fn import_bytes(&mut self, name: impl Into<String>, size: u64) -> Buffer {
        self.add_array(name.into(), Kind::Import, ElementType::Untyped, size)
    }

    /// Declares an [`import`](Self::import) of `len` elements of a type chosen at run time.
    pub fn import_array(
        &mut self,
        name: impl Into<String>,
        element: ElementType,
        len: u64,
    ) -> Buffer {
        self.add_array(name.into(), Kind::Import, element, len)
    }

    /// Declares a buffer whose contents are undefined at the start of every run. It may share
    /// memory with transients that are not in use at the same time.
    pub fn transient<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::Transient, ElementType::of::<T>(), len)
    }

    /// Declares a [`transient`](Self::transient) of `size` untyped bytes.
    pub fn transient_bytes(&mut self, name: impl Into<String>, size: u64) -> Buffer {
        self.add_array(name.into(), Kind::Transient, ElementType::Untyped, size)
    }

    /// Declares a buffer whose contents persist between runs. It is placed in the workspace and
    /// never shares memory.
    pub fn persistent<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::Persistent, ElementType::of::<T>(), len)
    }

    /// Declares a [`persistent`](Self::persistent) buffer of `size` untyped bytes.
    pub fn persistent_bytes(&mut self, name: impl Into<String>, size: u64) -> Buffer {
        self.add_array(name.into(), Kind::Persistent, ElementType::Untyped, size)
    }

    /// Declares a buffer whose contents persist between runs and are zero before the first run. The
    /// executor allocates and clears it, once for each frame in flight; it is not part of the
    /// workspace. If every run restores the contents that the next run needs, no pass has to clear
    /// the buffer. A pass that only writes state is culled.
    pub fn state<T: Element>(&mut self, name: impl Into<String>, len: u64) -> Buffer {
        self.add_array(name.into(), Kind::State, ElementType::of::<T>(), len)
    }

    /// Declares a read-only buffer, such as a lookup table, whose contents are part of the plan.
    /// The executor allocates its memory and writes the contents once, before the first run.
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
        self.declared(buffer).is_some_and(|declared| declared.kind == Kind::Transient)
    }

    /// Returns the status word called `name`. Declares it on first use.
    ///
    /// A status word is a 32-bit word that the executor allocates, passes set with atomics, and the
    /// host reads. Because passes do not read it, it causes no dependencies between passes. A pass
    /// is culled if it only sets status words.
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

    /// Declares the caller's last accesses to an import before each run. The plan then contains the
    /// barrier between these accesses and its own. Without an entry scope, the caller must record a
    /// barrier with [`ImportContract::first_use`](crate::ImportContract::first_use) as its second
    /// scope.
    pub fn entry(&mut self, import: Buffer, scope: Scope) {
        self.entries.push((import, scope));
    }

    /// Declares the caller's first accesses to an import after each run. The plan then ends with
    /// the barrier between its own accesses and those of the caller. This barrier also covers the
    /// caller's writes that [`entry`](Self::entry) declares. Without an exit scope, the caller must
    /// record a barrier with [`ImportContract::last_use`](crate::ImportContract::last_use) as its
    /// first scope.
    pub fn exit(&mut self, import: Buffer, scope: Scope) {
        self.exits.push((import, scope));
    }

    /// Adds a pass that sets every 32-bit word of `view` to `value` (`vkCmdFillBuffer`). The
    /// offset and size of the view must be multiples of 4.
    pub fn fill(&mut self, label: impl Into<String>, view: impl Into<View>, value: u32) -> PassId {
        self.add_pass(label.into(), Action::Fill { view: view.into(), value })
    }

    /// Adds a pass that copies `src` to `dst` (`vkCmdCopyBuffer`). Both must have the same size.
    pub fn copy(
        &mut self,
        label: impl Into<String>,
        src: impl Into<View>,
        dst: impl Into<View>,
    ) -> PassId {
        self.add_pass(label.into(), Action::Copy { src: src.into(), dst: dst.into() })
    }

    /// Adds a pass that writes `bytes` to `view` (`vkCmdUpdateBuffer`). The bytes become part of
    /// the plan. Both must have the same size, which must be a multiple of 4 and at most 65536.
    pub fn update(
        &mut self,
        label: impl Into<String>,
        view: impl Into<View>,
        bytes: &[u8],
    ) -> PassId {
        self.add_pass(label.into(), Action::Update { view: view.into(), bytes: bytes.to_vec() })
    }

    /// Orders two passes: `after` starts when `before` has finished. This is only an execution
    /// dependency: it does not make memory visible, and does not prevent culling. If a pass is
    /// culled, the passes ordered before it still run before the passes ordered after it.
    pub fn order(&mut self, before: PassId, after: PassId) {
        self.orders.push((before, after));
    }

    /// Prevents a pass from being culled. For passes that have effects outside the graph.
    pub fn keep(&mut self, pass: PassId) {
        self.keeps.push(pass);
    }

    /// Allows the caller to replace the push constants of a dispatch, or the bytes of an update,
    /// each time the plan is recorded. The caller identifies the pass by its label.
    pub fn settable(&mut self, pass: PassId) {
        self.settables.push(pass);
    }

    /// Makes every pass declared so far [settable](Self::settable) if its kernel has a push
    /// constant called `member`.
    pub fn settable_with(&mut self, member: &str) {
        let has_member = |pass: &PassDecl| {
            let Action::Dispatch(shader, _) = &pass.action else { return false };
            let block = shader.kernel.interface().push_constants.as_ref();
            block.is_some_and(|block| block.members.iter().any(|known| known.name == member))
        };
        let found = (0..).zip(&self.passes).filter(|(_, pass)| has_member(pass));
        let graph = self.id;
        self.settables.extend(found.map(|(index, _)| PassId { graph, index }));
    }

    /// Allows the recorded plan to be submitted repeatedly on one queue without synchronisation
    /// between the submissions. The barriers then also cover the hazards between consecutive runs.
    pub fn replayable(&mut self) {
        self.replayable = true;
    }

    /// Declares that passes require a subgroup size of `lanes`. Compiling fails if the device's
    /// subgroup size is different or unknown, or if passes of the graph require different sizes.
    pub fn sized_for_subgroups(&mut self, lanes: u32) {
        self.subgroup_size = match self.subgroup_size {
            Some(other) if other != lanes => Some(CONFLICTING_SUBGROUP_SIZES),
            _ => Some(lanes),
        };
    }

    /// Declares that passes have the sizes and methods of variant `variant` of a library, which
    /// numbers its variants in the order in which it tries them. If passes have different variants,
    /// the plan has the lowest one ([`Plan::variant`](crate::Plan::variant)).
    pub fn planned_in(&mut self, variant: u32) {
        self.variant = Some(self.variant.map_or(variant, |other| other.min(variant)));
    }

    /// Declares that the final front buffer of `pair` is the input of the next run. A replayed
    /// recording always starts with the same buffer, so compiling a replayable graph fails after
    /// an odd number of swaps. Call this after the last swap.
    pub fn carry(&mut self, pair: &PingPong) {
        self.carries.push(*pair);
    }

    fn add_array(&mut self, name: String, kind: Kind, element: ElementType, len: u64) -> Buffer {
        let size = len.saturating_mul(element.bytes().unwrap_or(1).into());
        let index = self.buffers.len();
        let (contents, entry, exit) = (None, None, None);
        self.buffers.push(BufferDecl { name, kind, size, element, contents, entry, exit });
        Buffer { graph: self.id, index, size, element }
    }

    fn declared(&self, buffer: Buffer) -> Option<&BufferDecl> {
        self.buffers.get(buffer.index).filter(|_| buffer.graph == self.id)
    }

    /// Returns the declaration of a buffer. Fails if the buffer belongs to another graph.
    pub(crate) fn buffer_decl(
        &self,
        buffer: Buffer,
        at: impl FnOnce() -> String,
    ) -> Result<&BufferDecl, GraphError> {
        self.declared(buffer).ok_or_else(|| GraphError::ForeignBuffer { at: at() })
    }

    pub(crate) fn add_pass(&mut self, label: String, action: Action) -> PassId {
        let index = self.passes.len();
        self.passes.push(PassDecl { label, action });
        PassId { graph: self.id, index }
    }
}
