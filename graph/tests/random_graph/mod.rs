//! Random graphs, with the plain lists of their declarations that the model requires.

use multisplit_graph::{Access, Buffer, Graph, Groups, PassId, Scope, Stages};
use multisplit_shaders::{BindingAccess, BindingKind};
use proptest::prelude::*;

use crate::common::kernel;
use crate::model::{Declared, DeclaredBuffer, DeclaredPass, DeclaredUse, Kind};

/// Bytes per word. Buffers consist of a few words, so that views often overlap.
const WORD: u64 = 4;
const MAX_BUFFERS: usize = 9;
const MAX_PASSES: usize = 13;

/// Entry and exit scopes: one or several stages, reads and writes, specific and broad bits.
const SCOPES: [Scope; 8] = [
    Scope::COMPUTE_WRITE,
    Scope::COMPUTE_READ,
    Scope::TRANSFER_WRITE,
    Scope::TRANSFER_READ,
    Scope::HOST_READ,
    Scope::ANYTHING,
    Scope::COMPUTE_READ_WRITE.union(Scope::TRANSFER_WRITE),
    Scope::new(
        Stages::FRAGMENT_SHADER.union(Stages::VERTEX_INPUT),
        Access::SHADER_STORAGE_READ.union(Access::VERTEX_ATTRIBUTE_READ),
    ),
];

/// A random graph that may contain invalid declarations. [`Builder`] makes them valid.
#[derive(Clone, Debug)]
pub struct RandomGraph {
    buffers: Vec<RandomBuffer>,
    passes: Vec<RandomPass>,
    /// Explicit orders between two passes. They follow the declaration order unless the third
    /// field is set, because orders against it often cause cycles.
    orders: Vec<(usize, usize, bool)>,
    replayable: bool,
}

#[derive(Clone, Debug)]
struct RandomBuffer {
    kind: Kind,
    words: u64,
    entry: Option<usize>,
    exit: Option<usize>,
}

#[derive(Clone, Debug)]
struct RandomPass {
    work: RandomWork,
    kept: bool,
}

#[derive(Clone, Debug)]
enum RandomWork {
    Dispatch {
        binds: Vec<RandomBind>,
        indirect: Option<RandomView>,
    },
    /// Reads the output of the previous pass. Such chains give buffers short lifetimes.
    Step {
        to: usize,
    },
    Fill(RandomView),
    Update(RandomView),
    Copy(RandomView, RandomView),
}

#[derive(Clone, Debug)]
struct RandomBind {
    view: RandomView,
    access: BindingAccess,
    uniform: bool,
    scratch: bool,
}

/// A view that [`Builder`] clamps to the bounds of its buffer.
#[derive(Clone, Copy, Debug)]
struct RandomView {
    buffer: usize,
    first: u64,
    words: u64,
}

/// The strategy for random graphs.
pub fn random_graph() -> impl Strategy<Value = RandomGraph> {
    let buffers = prop::collection::vec(random_buffer(), 1..MAX_BUFFERS);
    let passes = prop::collection::vec(random_pass(), 1..MAX_PASSES);
    let order = (0..MAX_PASSES, 0..MAX_PASSES, prop::bool::weighted(0.1));
    let orders = prop::collection::vec(order, 0..3);
    let fields = (buffers, passes, orders, any::<bool>());
    fields.prop_map(|(buffers, passes, orders, replayable)| RandomGraph {
        buffers,
        passes,
        orders,
        replayable,
    })
}

fn random_buffer() -> impl Strategy<Value = RandomBuffer> {
    let kind = prop_oneof![
        5 => Just(Kind::Transient),
        2 => Just(Kind::Import),
        1 => Just(Kind::Persistent),
        1 => Just(Kind::Constant),
    ];
    let scope = || prop::option::weighted(0.3, 0..SCOPES.len());
    (kind, 3..13u64, scope(), scope()).prop_map(|(kind, words, entry, exit)| RandomBuffer {
        kind,
        words,
        entry,
        exit,
    })
}

fn random_view() -> impl Strategy<Value = RandomView> {
    // Views often cover the whole buffer, as in real passes.
    let words = prop_oneof![2 => Just(u64::MAX), 3 => 1..7u64];
    let first = prop_oneof![1 => Just(0), 1 => 0..12u64];
    (0..MAX_BUFFERS, first, words).prop_map(|(buffer, first, words)| RandomView {
        buffer,
        first,
        words,
    })
}

fn random_pass() -> impl Strategy<Value = RandomPass> {
    let access = prop_oneof![
        Just(BindingAccess::Read),
        Just(BindingAccess::Write),
        Just(BindingAccess::ReadWrite)
    ];
    let bind = (random_view(), access, prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    let bind = bind.prop_map(|(view, access, uniform, scratch)| RandomBind {
        view,
        access,
        uniform,
        scratch,
    });
    let binds = prop::collection::vec(bind, 1..4);
    let indirect = prop::option::weighted(0.2, random_view());
    let work = prop_oneof![
        6 => (binds, indirect).prop_map(|(binds, indirect)| RandomWork::Dispatch { binds, indirect }),
        6 => (0..MAX_BUFFERS).prop_map(|to| RandomWork::Step { to }),
        1 => random_view().prop_map(RandomWork::Fill),
        1 => random_view().prop_map(RandomWork::Update),
        1 => (random_view(), random_view()).prop_map(|(src, dst)| RandomWork::Copy(src, dst)),
    ];
    (work, prop::bool::weighted(0.2)).prop_map(|(work, kept)| RandomPass { work, kept })
}

/// Builds a graph and the list of its declarations. Invalid declarations are changed into valid
/// ones, because other tests cover their errors.
pub struct Builder {
    graph: Graph,
    declared: Declared,
    handles: Vec<Buffer>,
}

impl Builder {
    pub fn build(sample: &RandomGraph) -> (Graph, Declared) {
        let mut builder = Self {
            graph: Graph::new("random"),
            declared: Declared::default(),
            handles: Vec::new(),
        };
        for buffer in &sample.buffers {
            builder.buffer(buffer);
        }
        let passes: Vec<PassId> = sample.passes.iter().map(|pass| builder.pass(pass)).collect();
        for &(one, two, any_direction) in &sample.orders {
            let (one, two) = (one % passes.len(), two % passes.len());
            let (before, after) =
                if any_direction { (one, two) } else { (one.min(two), one.max(two)) };
            if before == after && !any_direction {
                continue;
            }
            builder.graph.order(passes[before], passes[after]);
            builder.declared.orders.push((before, after));
        }
        if sample.replayable {
            builder.graph.replayable();
            builder.declared.replayable = true;
        }
        (builder.graph, builder.declared)
    }

    fn buffer(&mut self, sample: &RandomBuffer) {
        let name = format!("b{}", self.handles.len());
        let size = sample.words * WORD;
        // Buffer 0 is never a constant, so that every graph has a writable buffer.
        let kind = match sample.kind {
            Kind::Constant if self.handles.is_empty() => Kind::Import,
            kind => kind,
        };
        let handle = match kind {
            Kind::Import => self.graph.import_bytes(name, size),
            Kind::Transient => self.graph.transient_bytes(name, size),
            Kind::Persistent => self.graph.persistent_bytes(name, size),
            Kind::Constant => self.graph.constant(name, &vec![0u8; size as usize]),
        };
        if kind == Kind::Import {
            sample.entry.into_iter().for_each(|scope| self.graph.entry(handle, SCOPES[scope]));
            sample.exit.into_iter().for_each(|scope| self.graph.exit(handle, SCOPES[scope]));
        }
        self.handles.push(handle);
        self.declared.buffers.push(DeclaredBuffer { kind, size });
    }

    fn pass(&mut self, sample: &RandomPass) -> PassId {
        let label = format!("p{}", self.declared.passes.len());
        let (id, uses) = match &sample.work {
            RandomWork::Dispatch { binds, indirect } => self.dispatch(&label, binds, *indirect),
            RandomWork::Step { to } => self.dispatch(&label, &self.step(*to), None),
            RandomWork::Fill(view) => {
                let used = self.used(*view, BindingAccess::Write, false);
                (self.graph.fill(&label, self.view(&used), 7), vec![used])
            }
            RandomWork::Update(view) => {
                let used = self.used(*view, BindingAccess::Write, false);
                let bytes = vec![0; usize::try_from(used.end - used.start).expect("small")];
                (self.graph.update(&label, self.view(&used), &bytes), vec![used])
            }
            RandomWork::Copy(src, dst) => self.copy(&label, *src, *dst),
        };
        if sample.kept {
            self.graph.keep(id);
        }
        self.declared.passes.push(DeclaredPass { label, kept: sample.kept, uses });
        id
    }

    fn dispatch(
        &mut self,
        label: &str,
        binds: &[RandomBind],
        indirect: Option<RandomView>,
    ) -> (PassId, Vec<DeclaredUse>) {
        let mut described = kernel(label);
        let mut uses: Vec<DeclaredUse> = Vec::new();
        for bind in binds {
            let access = if bind.uniform { BindingAccess::Read } else { bind.access };
            let scratch = bind.scratch && access.writes();
            let mut used = self.used(bind.view, access, scratch);
            let mut kind = if bind.uniform { BindingKind::Uniform } else { BindingKind::Storage };
            if self.unwritten(&used) {
                (used.reads, used.writes, kind) = (false, true, BindingKind::Storage);
            }
            if uses.iter().any(|other| other.conflicts(&used)) {
                continue;
            }
            let access = match (used.reads, used.writes) {
                (true, true) => BindingAccess::ReadWrite,
                (false, _) => BindingAccess::Write,
                (true, false) => BindingAccess::Read,
            };
            described = described.binding(&format!("x{}", uses.len()), kind, access);
            uses.push(used);
        }
        let views: Vec<_> = uses.iter().map(|used| (self.view(used), used.scratch)).collect();
        let groups = indirect.and_then(|view| self.indirect_parameters(view, &uses));
        let mut pass = self.graph.pass(label, described);
        for (index, (view, scratch)) in views.into_iter().enumerate() {
            let name = format!("x{index}");
            pass = if scratch { pass.scratch(name, view) } else { pass.bind(name, view) };
        }
        match groups {
            None => (pass.dispatch(Groups::linear(3)), uses),
            Some(groups) => {
                uses.push(groups);
                let view =
                    self.handles[groups.buffer].range(groups.start, groups.end - groups.start);
                (pass.dispatch_indirect(view), uses)
            }
        }
    }

    fn step(&self, to: usize) -> Vec<RandomBind> {
        let bind = |buffer: usize, first: u64, words: u64, access: BindingAccess| RandomBind {
            view: RandomView { buffer, first, words },
            access,
            uniform: false,
            scratch: false,
        };
        let last =
            self.declared.passes.last().and_then(|pass| pass.uses.iter().find(|used| used.writes));
        let read = |used: &DeclaredUse| {
            bind(
                used.buffer,
                used.start / WORD,
                (used.end - used.start) / WORD,
                BindingAccess::Read,
            )
        };
        last.map(read).into_iter().chain([bind(to, 0, u64::MAX, BindingAccess::Write)]).collect()
    }

    /// A 12-byte view that the pass can use as indirect parameters; `None` if it is unwritten or
    /// conflicts with `uses`.
    fn indirect_parameters(&self, view: RandomView, uses: &[DeclaredUse]) -> Option<DeclaredUse> {
        let whole =
            self.used(RandomView { first: 0, words: u64::MAX, ..view }, BindingAccess::Read, false);
        let start = view.first % (whole.end / WORD - 2) * WORD;
        let groups = DeclaredUse { start, end: start + 12, ..whole };
        let valid = !self.unwritten(&groups) && !uses.iter().any(|other| other.conflicts(&groups));
        valid.then_some(groups)
    }

    fn copy(
        &mut self,
        label: &str,
        src: RandomView,
        dst: RandomView,
    ) -> (PassId, Vec<DeclaredUse>) {
        let mut src = self.used(src, BindingAccess::Read, false);
        let mut dst = self.used(dst, BindingAccess::Write, false);
        let size = (src.end - src.start).min(dst.end - dst.start);
        (src.end, dst.end) = (src.start + size, dst.start + size);
        if src.conflicts(&dst) || self.unwritten(&src) {
            return (self.graph.fill(label, self.view(&dst), 1), vec![dst]);
        }
        (self.graph.copy(label, self.view(&src), self.view(&dst)), vec![src, dst])
    }

    fn used(&self, view: RandomView, access: BindingAccess, scratch: bool) -> DeclaredUse {
        let index = view.buffer % self.handles.len();
        let constant = self.declared.buffers[index].kind == Kind::Constant;
        let buffer = if constant && access.writes() { 0 } else { index };
        let words = self.handles[buffer].size() / WORD;
        let first = view.first % words;
        let count = view.words.min(words - first);
        DeclaredUse {
            buffer,
            start: first * WORD,
            end: (first + count) * WORD,
            reads: access.reads(),
            writes: access.writes(),
            scratch,
        }
    }

    /// Whether `used` reads a byte of a transient that no earlier pass writes.
    fn unwritten(&self, used: &DeclaredUse) -> bool {
        let written = |byte: u64| {
            let mut uses = self.declared.passes.iter().flat_map(|pass| &pass.uses);
            uses.any(|w| w.writes && w.buffer == used.buffer && w.start <= byte && byte < w.end)
        };
        let transient = self.declared.buffers[used.buffer].kind == Kind::Transient;
        transient && used.reads && !used.scratch && !(used.start..used.end).all(written)
    }

    fn view(&self, used: &DeclaredUse) -> multisplit_graph::View {
        self.handles[used.buffer].range(used.start, used.end - used.start)
    }
}
