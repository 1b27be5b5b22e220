//! Random graphs, and the plain lists of what is in them for the model.

use multisplit_graph::{Access, Buffer, Graph, Groups, PassId, Scope, Stages};
use multisplit_shaders::{BindingAccess, BindingKind};
use proptest::prelude::*;

use crate::common::kernel;
use crate::model::{Declared, DeclaredBuffer, DeclaredPass, DeclaredUse, Kind};

/// Buffers are made of words, and few of them, so that views meet often.
const WORD: u64 = 4;
const MAX_BUFFERS: usize = 9;
const MAX_PASSES: usize = 13;

/// What callers do, in ways that matter: one stage and several, reading and writing, and the
/// broad bits.
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

/// A graph as drawn, before it is made legal.
#[derive(Clone, Debug)]
pub struct Drawn {
    buffers: Vec<DrawnBuffer>,
    passes: Vec<DrawnPass>,
    /// With the declaration, unless the third says as drawn: against it many are cycles.
    orders: Vec<(usize, usize, bool)>,
    replayable: bool,
}

#[derive(Clone, Debug)]
struct DrawnBuffer {
    kind: Kind,
    words: u64,
    entry: Option<usize>,
    exit: Option<usize>,
}

#[derive(Clone, Debug)]
struct DrawnPass {
    work: DrawnWork,
    kept: bool,
}

#[derive(Clone, Debug)]
enum DrawnWork {
    Dispatch {
        binds: Vec<DrawnBind>,
        indirect: Option<DrawnView>,
    },
    /// Goes on with what the last pass wrote: chains are what makes lifetimes end.
    Step {
        to: usize,
    },
    Fill(DrawnView),
    Update(DrawnView),
    Copy(DrawnView, DrawnView),
}

#[derive(Clone, Debug)]
struct DrawnBind {
    view: DrawnView,
    access: BindingAccess,
    uniform: bool,
    scratch: bool,
}

/// Cut to size when it is used.
#[derive(Clone, Copy, Debug)]
struct DrawnView {
    buffer: usize,
    first: u64,
    words: u64,
}

/// Any graph.
pub fn drawn() -> impl Strategy<Value = Drawn> {
    let buffers = prop::collection::vec(drawn_buffer(), 1..MAX_BUFFERS);
    let passes = prop::collection::vec(drawn_pass(), 1..MAX_PASSES);
    let order = (0..MAX_PASSES, 0..MAX_PASSES, prop::bool::weighted(0.1));
    let orders = prop::collection::vec(order, 0..3);
    let fields = (buffers, passes, orders, any::<bool>());
    fields.prop_map(|(buffers, passes, orders, replayable)| Drawn {
        buffers,
        passes,
        orders,
        replayable,
    })
}

fn drawn_buffer() -> impl Strategy<Value = DrawnBuffer> {
    let kind = prop_oneof![
        5 => Just(Kind::Transient),
        2 => Just(Kind::Import),
        1 => Just(Kind::Persistent),
        1 => Just(Kind::Constant),
    ];
    let scope = || prop::option::weighted(0.3, 0..SCOPES.len());
    (kind, 3..13u64, scope(), scope()).prop_map(|(kind, words, entry, exit)| DrawnBuffer {
        kind,
        words,
        entry,
        exit,
    })
}

fn drawn_view() -> impl Strategy<Value = DrawnView> {
    // Often the whole buffer, as real passes do.
    let words = prop_oneof![2 => Just(u64::MAX), 3 => 1..7u64];
    let first = prop_oneof![1 => Just(0), 1 => 0..12u64];
    (0..MAX_BUFFERS, first, words).prop_map(|(buffer, first, words)| DrawnView {
        buffer,
        first,
        words,
    })
}

fn drawn_pass() -> impl Strategy<Value = DrawnPass> {
    let access = prop_oneof![
        Just(BindingAccess::Read),
        Just(BindingAccess::Write),
        Just(BindingAccess::ReadWrite)
    ];
    let bind = (drawn_view(), access, prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    let bind = bind.prop_map(|(view, access, uniform, scratch)| DrawnBind {
        view,
        access,
        uniform,
        scratch,
    });
    let binds = prop::collection::vec(bind, 1..4);
    let indirect = prop::option::weighted(0.2, drawn_view());
    let work = prop_oneof![
        6 => (binds, indirect).prop_map(|(binds, indirect)| DrawnWork::Dispatch { binds, indirect }),
        6 => (0..MAX_BUFFERS).prop_map(|to| DrawnWork::Step { to }),
        1 => drawn_view().prop_map(DrawnWork::Fill),
        1 => drawn_view().prop_map(DrawnWork::Update),
        1 => (drawn_view(), drawn_view()).prop_map(|(src, dst)| DrawnWork::Copy(src, dst)),
    ];
    (work, prop::bool::weighted(0.2)).prop_map(|(work, kept)| DrawnPass { work, kept })
}

/// Builds the graph and the plain list of its contents at the same time. What would be an error
/// (tested elsewhere) is bent until it is legal.
pub struct Builder {
    graph: Graph,
    declared: Declared,
    handles: Vec<Buffer>,
}

impl Builder {
    pub fn build(drawn: &Drawn) -> (Graph, Declared) {
        let mut builder = Self {
            graph: Graph::new("random"),
            declared: Declared::default(),
            handles: Vec::new(),
        };
        for buffer in &drawn.buffers {
            builder.buffer(buffer);
        }
        let passes: Vec<PassId> = drawn.passes.iter().map(|pass| builder.pass(pass)).collect();
        for &(one, two, as_drawn) in &drawn.orders {
            let (one, two) = (one % passes.len(), two % passes.len());
            let (before, after) = if as_drawn { (one, two) } else { (one.min(two), one.max(two)) };
            if before == after && !as_drawn {
                continue;
            }
            builder.graph.order(passes[before], passes[after]);
            builder.declared.orders.push((before, after));
        }
        if drawn.replayable {
            builder.graph.replayable();
            builder.declared.replayable = true;
        }
        (builder.graph, builder.declared)
    }

    fn buffer(&mut self, drawn: &DrawnBuffer) {
        let name = format!("b{}", self.handles.len());
        let size = drawn.words * WORD;
        // There is something to write to.
        let kind = match drawn.kind {
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
            drawn.entry.into_iter().for_each(|scope| self.graph.entry(handle, SCOPES[scope]));
            drawn.exit.into_iter().for_each(|scope| self.graph.exit(handle, SCOPES[scope]));
        }
        self.handles.push(handle);
        self.declared.buffers.push(DeclaredBuffer { kind, size });
    }

    fn pass(&mut self, drawn: &DrawnPass) -> PassId {
        let label = format!("p{}", self.declared.passes.len());
        let (id, uses) = match &drawn.work {
            DrawnWork::Dispatch { binds, indirect } => self.dispatch(&label, binds, *indirect),
            DrawnWork::Step { to } => self.dispatch(&label, &self.step(*to), None),
            DrawnWork::Fill(view) => {
                let used = self.used(*view, BindingAccess::Write, false);
                (self.graph.fill(&label, self.view(&used), 7), vec![used])
            }
            DrawnWork::Update(view) => {
                let used = self.used(*view, BindingAccess::Write, false);
                let bytes = vec![0; usize::try_from(used.end - used.start).expect("small")];
                (self.graph.update(&label, self.view(&used), &bytes), vec![used])
            }
            DrawnWork::Copy(src, dst) => self.copy(&label, *src, *dst),
        };
        if drawn.kept {
            self.graph.keep(id);
        }
        self.declared.passes.push(DeclaredPass { label, kept: drawn.kept, uses });
        id
    }

    fn dispatch(
        &mut self,
        label: &str,
        binds: &[DrawnBind],
        indirect: Option<DrawnView>,
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
        let groups = indirect.and_then(|view| self.parameters(view, &uses));
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

    fn step(&self, to: usize) -> Vec<DrawnBind> {
        let bind = |buffer: usize, first: u64, words: u64, access: BindingAccess| DrawnBind {
            view: DrawnView { buffer, first, words },
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

    /// Twelve bytes that the pass may take its groups from, if there are such.
    fn parameters(&self, view: DrawnView, uses: &[DeclaredUse]) -> Option<DeclaredUse> {
        let whole =
            self.used(DrawnView { first: 0, words: u64::MAX, ..view }, BindingAccess::Read, false);
        let start = view.first % (whole.end / WORD - 2) * WORD;
        let groups = DeclaredUse { start, end: start + 12, ..whole };
        let fine = !self.unwritten(&groups) && !uses.iter().any(|other| other.conflicts(&groups));
        fine.then_some(groups)
    }

    fn copy(&mut self, label: &str, src: DrawnView, dst: DrawnView) -> (PassId, Vec<DeclaredUse>) {
        let mut src = self.used(src, BindingAccess::Read, false);
        let mut dst = self.used(dst, BindingAccess::Write, false);
        let size = (src.end - src.start).min(dst.end - dst.start);
        (src.end, dst.end) = (src.start + size, dst.start + size);
        if src.conflicts(&dst) || self.unwritten(&src) {
            return (self.graph.fill(label, self.view(&dst), 1), vec![dst]);
        }
        (self.graph.copy(label, self.view(&src), self.view(&dst)), vec![src, dst])
    }

    fn used(&self, view: DrawnView, access: BindingAccess, scratch: bool) -> DeclaredUse {
        let drawn = view.buffer % self.handles.len();
        let constant = self.declared.buffers[drawn].kind == Kind::Constant;
        let buffer = if constant && access.writes() { 0 } else { drawn };
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

    /// Whether this reads a byte of a transient that no pass so far has written.
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
