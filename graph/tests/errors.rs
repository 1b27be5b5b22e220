//! Tests the errors of invalid declarations, and the names that their messages must contain.
//! `limits.rs` tests device limits, `phases.rs` invalid uses of constants and status words.

// Tests report failures by panicking.
#![allow(clippy::expect_used, clippy::panic)]

mod common;

use common::{Described, Once as _, assert_names, error, kernel, limits, step};
use multisplit_graph::{
    Access, Buffer, CycleLink, Graph, GraphError, Limits, PassBuilder, PingPong, Scope, Stages,
    View,
};
use multisplit_shaders::{PushBlock, PushMember};

/// A graph with the import `keys` and the transient `work`, 256 bytes each.
fn graph() -> (Graph, Buffer, Buffer) {
    let mut g = Graph::new("wrong");
    let (a, b) = (g.import::<u32>("keys", 64), g.transient::<u32>("work", 64));
    (g, a, b)
}

/// Adds an invalid declaration to [`graph`], compiles it and returns the error.
fn declaration_error<T>(declare: impl FnOnce(&mut Graph, Buffer, Buffer) -> T) -> GraphError {
    let (mut g, a, b) = graph();
    declare(&mut g, a, b);
    error(&g)
}

/// Returns the error of a graph whose only pass, `the.pass`, binds `src` and `dst` and is completed
/// by `extend`.
fn pass_error(
    described: Described,
    extend: impl FnOnce(PassBuilder<'_>) -> PassBuilder<'_>,
) -> GraphError {
    declaration_error(|g, a, b| {
        extend(g.pass("the.pass", described).bind("src", a).bind("dst", b)).once()
    })
}

/// Returns the error of a graph whose only pass reads `view` of the import `keys`, on a device that
/// aligns storage buffers to 16 bytes.
fn view_error(view: impl FnOnce(Buffer) -> View) -> GraphError {
    let (mut g, a, _) = graph();
    g.pass("the.pass", kernel("reader").read("src")).bind("src", view(a)).once();
    g.compile(&Limits { storage_alignment: 16, ..limits() }).expect_err("invalid view")
}

fn pass() -> String {
    "the.pass".to_owned()
}

#[test]
fn buffers_of_other_graphs_are_rejected() {
    let foreign = Graph::new("other").import::<u32>("theirs", 64);
    let error = declaration_error(|g, _, b| {
        g.pass("the.pass", step()).bind("src", foreign).bind("dst", b).once()
    });
    assert!(
        matches!(error, GraphError::ForeignBuffer { .. }),
        "expected ForeignBuffer, found {error:?}"
    );
    assert_names(&error, &["the.pass", "src"]);

    let error = declaration_error(|g, _, _| g.entry(foreign, Scope::COMPUTE_WRITE));
    assert_names(&error, &["entry"]);
    let error = declaration_error(|g, a, _| g.carry(&PingPong::new(a, foreign)));
    assert_names(&error, &["carry"]);
}

#[test]
fn passes_of_other_graphs_are_rejected() {
    let (mut other, x, _) = graph();
    let foreign = other.fill("theirs", x, 0);
    let (mut g, a, _) = graph();
    let own = g.fill("ours", a, 0);
    g.order(own, foreign);
    assert_eq!(error(&g), GraphError::ForeignPass { at: "order".to_owned() });
    let error = declaration_error(|g, _, _| g.keep(foreign));
    assert_eq!(error, GraphError::ForeignPass { at: "keep".to_owned() });
}

#[test]
fn empty_buffers_and_views_are_rejected() {
    let mut g = Graph::new("empty");
    g.transient::<u32>("empty", 0);
    assert_eq!(error(&g), GraphError::EmptyBuffer { pass: None, buffer: "empty".to_owned() });
    let error = view_error(|keys| keys.range(0, 0));
    assert_eq!(error, GraphError::EmptyBuffer { pass: Some(pass()), buffer: "keys".to_owned() });
    assert_names(&error, &["the.pass", "keys"]);
}

#[test]
fn duplicate_import_names_are_rejected() {
    let (mut g, ..) = graph();
    g.transient::<u32>("work", 1);
    assert!(g.compile(&limits()).is_ok(), "transients may share a name");
    g.import::<u32>("keys", 1);
    assert_eq!(error(&g), GraphError::DuplicateImport { buffer: "keys".to_owned() });
}

#[test]
fn exit_scope_of_a_transient_is_rejected() {
    let error = declaration_error(|g, _, b| g.exit(b, Scope::HOST_READ));
    assert_eq!(error, GraphError::NotAnImport { buffer: "work".to_owned() });
}

#[test]
fn invalid_entry_scopes_are_rejected() {
    let invalid = [
        Scope::default(),
        Scope::new(Stages::TRANSFER, Access::empty()),
        Scope::new(Stages::empty(), Access::TRANSFER_READ),
        Scope::new(Stages::TRANSFER, Access::SHADER_STORAGE_READ),
        Scope::new(Stages::COMPUTE_SHADER | Stages::HOST, Access::SHADER_STORAGE_READ),
        Scope::new(Stages::ALL_COMMANDS, Access::HOST_READ),
        // The geometry shader stage, which `Stages` does not contain.
        Scope::new(Stages::from_bits_retain(0x40), Access::MEMORY_READ),
    ];
    for scope in invalid {
        let error = declaration_error(|g, a, _| g.entry(a, scope));
        assert_eq!(error, GraphError::InvalidScope { buffer: "keys".to_owned(), scope });
    }
}

#[test]
fn unknown_unbound_and_duplicate_bindings_are_rejected() {
    let error = pass_error(kernel("reader").read("src"), |pass| pass);
    let known = "src".to_owned();
    assert_eq!(
        error,
        GraphError::UnknownBinding { pass: pass(), binding: "dst".to_owned(), known }
    );
    assert_names(&error, &["the.pass", "dst", "src"]);

    let error = pass_error(step().read("sums"), |pass| pass);
    assert_eq!(error, GraphError::UnboundBinding { pass: pass(), binding: "sums".to_owned() });
    assert_names(&error, &["the.pass", "sums"]);

    let error = declaration_error(|g, a, b| {
        g.pass("the.pass", step()).bind("src", a).bind("dst", b).bind("src", a).once()
    });
    assert_eq!(error, GraphError::BoundTwice { pass: pass(), binding: "src".to_owned() });
    assert_names(&error, &["the.pass", "src"]);
}

#[test]
fn scratch_view_for_a_read_only_binding_is_rejected() {
    let error = declaration_error(|g, a, _| {
        g.pass("the.pass", kernel("reader").read("src")).scratch("src", a).once()
    });
    assert_eq!(error, GraphError::ScratchReadOnly { pass: pass(), binding: "src".to_owned() });
}

#[test]
fn unknown_specialization_constant_is_rejected() {
    let error = pass_error(step().constant("WIDTH", 0, 1), |pass| pass.specialize("HEIGHT", 2));
    assert_eq!(error, GraphError::UnknownConstant { pass: pass(), constant: "HEIGHT".to_owned() });
}

#[test]
fn missing_and_wrongly_sized_push_constants_are_rejected() {
    assert_eq!(
        pass_error(step().push(8), |pass| pass),
        GraphError::MissingPush { pass: pass(), expected: 8 }
    );
    let error = pass_error(step().push(8), |pass| pass.push_bytes(&1u32.to_ne_bytes()));
    assert_eq!(error, GraphError::PushSize { pass: pass(), expected: 8, given: 4 });
    let error = pass_error(step(), |pass| pass.push_bytes(&1u32.to_ne_bytes()));
    assert_eq!(error, GraphError::PushSize { pass: pass(), expected: 0, given: 4 });
}

multisplit_shaders::push_constants! {
    struct Constants {
        count: u32,
        shift: u32,
    }
}

#[test]
fn push_constants_with_another_layout_are_rejected() {
    let member = |name: &str, offset| PushMember { name: name.to_owned(), offset, size: 4 };
    let block = |members| {
        step().push(8).with(|i| {
            i.push_constants = Some(PushBlock { size: 8, members });
        })
    };
    let error = pass_error(block(vec![member("shift", 0), member("count", 4)]), push_struct);
    assert!(matches!(error, GraphError::PushLayout { .. }), "expected PushLayout: {error:?}");
    let text = error.to_string();
    assert!(
        text.contains(&pass()) && text.contains("shift at 0"),
        "expected the pass and `shift at 0` in: {text}"
    );
    let error = pass_error(block(vec![member("count", 0)]), push_struct);
    assert!(matches!(error, GraphError::PushLayout { .. }), "expected PushLayout: {error:?}");
}

fn push_struct(pass: PassBuilder<'_>) -> PassBuilder<'_> {
    pass.push(&Constants { count: 1, shift: 2 })
}

#[test]
fn views_past_the_end_of_a_buffer_are_rejected() {
    let out_of_bounds = |offset, size| GraphError::ViewOutOfBounds {
        pass: pass(),
        buffer: "keys".to_owned(),
        offset,
        size,
        buffer_size: 256,
    };
    assert_eq!(view_error(|keys| keys.range(0, 257)), out_of_bounds(0, 257));
    assert_eq!(view_error(|keys| keys.range(256, 4)), out_of_bounds(256, 4));
    assert_eq!(
        view_error(|keys| keys.range(u64::MAX, u64::MAX)),
        out_of_bounds(u64::MAX, u64::MAX)
    );
    assert_names(&out_of_bounds(0, 257), &["the.pass", "keys", "257", "256"]);
}

#[test]
fn misaligned_views_are_rejected() {
    let wrong = |what, value, alignment| {
        let buffer = "keys".to_owned();
        GraphError::Misaligned { pass: pass(), buffer, what, value, alignment }
    };
    assert_eq!(view_error(|keys| keys.range(8, 8)), wrong("offset", 8, 16));
    let error = declaration_error(|g, a, _| g.fill("the.pass", a.range(4, 6), 0));
    assert_eq!(error, wrong("size", 6, 4));
    let error = declaration_error(|g, a, _| g.update("the.pass", a.range(2, 4), &[0; 4]));
    assert_eq!(error, wrong("offset", 2, 4));
    let error = declaration_error(|g, a, b| {
        let pass = g.pass("the.pass", kernel("writer").write("dst")).bind("dst", b);
        pass.dispatch_indirect(a.range(2, 12))
    });
    assert_eq!(error, wrong("offset", 2, 4));
    assert_names(&wrong("offset", 2, 4), &["the.pass", "keys", "offset"]);
}

#[test]
fn too_small_views_are_rejected() {
    let header =
        kernel("reader").read("src").with(|interface| interface.bindings[0].fixed_size = 16);
    let (mut g, a, _) = graph();
    g.pass("the.pass", header).bind("src", a.range(0, 16)).once();
    let small = |binding: &str, buffer: &str, size, needed| GraphError::ViewTooSmall {
        pass: pass(),
        binding: binding.to_owned(),
        buffer: buffer.to_owned(),
        size,
        needed,
    };
    assert_eq!(error(&g), small("src", "keys", 16, 20));
    let mut other = Graph::new("indirect");
    let groups = other.import::<u32>("groups", 2);
    let dst = other.import::<u32>("dst", 2);
    other
        .pass("the.pass", kernel("writer").write("dst"))
        .bind("dst", dst)
        .dispatch_indirect(groups);
    assert_eq!(error(&other), small("indirect", "groups", 8, 12));
    assert_names(&small("src", "keys", 16, 20), &["the.pass", "src", "keys"]);
}

#[test]
fn incompatible_element_sizes_are_rejected() {
    let mut g = Graph::new("elements");
    let points = g.import::<[f32; 3]>("points", 16);
    let wide = kernel("reader")
        .read("src")
        .with(|interface| interface.bindings[0].element_stride = Some(16));
    g.pass("the.pass", wide).bind("src", points).once();
    let error = error(&g);
    let (binding, buffer) = ("src".to_owned(), "points".to_owned());
    assert_eq!(
        error,
        GraphError::ElementMismatch { pass: pass(), binding, buffer, element: 12, stride: 16 }
    );

    // 4-byte elements of the binding divide 12-byte elements of the buffer. Untyped buffers are
    // compatible with any element size.
    let mut g = Graph::new("elements");
    let points = g.import::<[f32; 3]>("points", 16);
    let bytes = g.import_bytes("bytes", 20);
    let words = g.pass("words", kernel("words").read("src")).bind("src", points).once();
    let wide = kernel("wide")
        .read("src")
        .with(|interface| interface.bindings[0].element_stride = Some(16));
    let wide = g.pass("wide", wide).bind("src", bytes).once();
    g.keep(words);
    g.keep(wide);
    assert!(g.compile(&limits()).is_ok());
}

#[test]
fn copies_and_updates_of_different_sizes_are_rejected() {
    let mismatch = |buffer: &str, size, given| {
        let buffer = buffer.to_owned();
        GraphError::SizeMismatch { pass: pass(), buffer, size, given }
    };
    let error = declaration_error(|g, a, b| g.copy("the.pass", a.range(0, 8), b.range(0, 16)));
    assert_eq!(error, mismatch("work", 16, 8));
    let error = declaration_error(|g, a, _| g.update("the.pass", a.range(0, 8), &[0; 4]));
    assert_eq!(error, mismatch("keys", 8, 4));
}

#[test]
fn overlapping_bindings_are_rejected_if_one_is_written() {
    let conflict = |buffer: &str, first: &str, second: &str| GraphError::AliasConflict {
        pass: pass(),
        buffer: buffer.to_owned(),
        first: first.to_owned(),
        second: second.to_owned(),
    };
    let bind = |src: (u64, u64), dst: (u64, u64), described: Described| {
        let (mut g, a, _) = graph();
        let (src, dst) = (a.range(src.0, src.1), a.range(dst.0, dst.1));
        g.pass("the.pass", described).bind("src", src).bind("dst", dst).once();
        g.compile(&limits()).err()
    };
    assert_eq!(bind((0, 64), (60, 64), step()), Some(conflict("keys", "src", "dst")));
    assert_eq!(
        bind((0, 64), (0, 64), kernel("w").write("src").write("dst")),
        Some(conflict("keys", "src", "dst"))
    );
    assert_eq!(bind((0, 64), (64, 64), step()), None);
    assert_eq!(bind((0, 64), (0, 64), kernel("r").read("src").read("dst")), None);

    let error = declaration_error(|g, a, _| g.copy("the.pass", a.range(0, 64), a.range(32, 64)));
    assert_eq!(error, conflict("keys", "src", "dst"));

    let error = declaration_error(|g, a, _| {
        let pass = g.pass("the.pass", kernel("w").write("dst")).bind("dst", a);
        pass.dispatch_indirect(a.range(0, 12))
    });
    assert_eq!(error, conflict("keys", "dst", "indirect"));
    assert_names(&error, &["the.pass", "keys", "dst", "indirect"]);
}

#[test]
fn reads_of_unwritten_transient_bytes_are_rejected() {
    let unwritten = |start, end| GraphError::UnwrittenRead {
        pass: pass(),
        binding: "src".to_owned(),
        buffer: "work".to_owned(),
        start,
        end,
    };
    let read = |written: Option<(u64, u64)>, described: Described| {
        let (mut g, a, b) = graph();
        if let Some((offset, size)) = written {
            g.fill("fill", b.range(offset, size), 0);
        }
        g.pass("the.pass", described).bind("src", b).bind("dst", a).once();
        g.compile(&limits()).err()
    };
    assert_eq!(read(None, step()), Some(unwritten(0, 256)));
    assert_eq!(read(Some((0, 128)), step()), Some(unwritten(128, 256)));
    assert_eq!(read(Some((64, 192)), step()), Some(unwritten(0, 64)));
    assert_eq!(read(Some((0, 256)), step()), None);
    assert_eq!(read(None, kernel("u").update("src").write("dst")), Some(unwritten(0, 256)));
    assert_eq!(read(None, kernel("w").write("src").write("dst")), None);
    assert_names(&unwritten(0, 64), &["the.pass", "work", "src", "0..64"]);
}

#[test]
fn cycles_are_rejected() {
    let link = |pass: &str, buffer: Option<&str>| CycleLink {
        pass: pass.to_owned(),
        buffer: buffer.map(str::to_owned),
    };
    // An explicit order contradicts the data flow.
    let (mut g, a, b) = graph();
    let first = g.pass("first", step()).bind("src", a).bind("dst", b).once();
    let second = g.pass("second", step()).bind("src", b).bind("dst", a).once();
    g.order(second, first);
    let mut links = match error(&g) {
        GraphError::Cycle { links } => links,
        other => panic!("expected Cycle, found {other:?}"),
    };
    links.sort_by(|one, other| one.pass.cmp(&other.pass));
    assert_eq!(links.len(), 2);
    assert!(
        links[0] == link("first", Some("work")) || links[0] == link("first", Some("keys")),
        "expected a link of `first` by `work` or `keys`, found {links:?}"
    );
    assert_eq!(links[1], link("second", None));
    assert_names(&error(&g), &["first", "second", "explicit order"]);

    // Two explicit orders contradict each other.
    let (mut g, a, b) = graph();
    let (one, two) = (g.fill("one", a, 0), g.fill("two", b, 0));
    g.order(one, two);
    g.order(two, one);
    let both = GraphError::Cycle { links: vec![link("one", None), link("two", None)] };
    assert!(
        error(&g) == both
            || error(&g) == GraphError::Cycle { links: vec![link("two", None), link("one", None)] }
    );

    // A pass is ordered after itself.
    let error = declaration_error(|g, a, _| {
        let one = g.fill("one", a, 0);
        g.order(one, one);
    });
    assert_eq!(error, GraphError::Cycle { links: vec![link("one", None)] });
}

#[test]
fn odd_number_of_swaps_is_rejected_in_replayable_graphs() {
    let mut g = Graph::new("odd");
    let mut pair = PingPong::new(g.persistent::<u32>("a", 16), g.persistent::<u32>("b", 16));
    pair.swap();
    g.carry(&pair);
    g.replayable();
    let error = error(&g);
    assert_eq!(error, GraphError::OddPingPong { started: "a".to_owned(), ended: "b".to_owned() });
    assert_names(&error, &["`a`", "`b`"]);
}
