//! Tests of every file format, including malformed files.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::write::GzEncoder;
use multisplit_sssp::network::WeightKind;

use super::*;
use crate::network::hash_weight;

fn read_as(format: Format, text: &[u8], options: LoadOptions<'_>) -> Result<Network> {
    let options = LoadOptions { format: Some(format), ..options };
    Ok(read("test", text, &options)?.network)
}

fn plain(format: Format, text: &str) -> Network {
    read_as(format, text.as_bytes(), LoadOptions::default()).expect("the network is valid")
}

/// All arcs: from, to, weight.
fn arcs(network: &Network) -> Vec<(u32, u32, u32)> {
    let of = |v| network.arcs_of(v).iter().map(move |arc| (v, arc.target, arc.weight));
    (0..network.vertices()).flat_map(of).collect()
}

fn problem(format: Format, text: &str) -> String {
    let network = read_as(format, text.as_bytes(), LoadOptions::default());
    network.expect_err("an invalid file was accepted").to_string()
}

#[test]
fn symmetric_integer_matrix_market_is_loaded() {
    let text =
        "%%MatrixMarket matrix coordinate integer symmetric\n% why\n\n3 3 3\n2 1 5\n3 2 0\n3 3 4\n";
    let network = plain(Format::MatrixMarket, text);
    assert_eq!(arcs(&network), [(0, 1, 5), (1, 0, 5), (1, 2, 0), (2, 1, 0), (2, 2, 4)]);
    assert_eq!((network.edges(), network.kind()), (3, WeightKind::U32));
}

#[test]
fn general_real_and_pattern_matrix_market_are_loaded() {
    let text = "%%matrixmarket MATRIX Coordinate Real General\n2 2 2\n1 2 0.5\n2 1 1e3\n";
    let network = plain(Format::MatrixMarket, text);
    assert_eq!(network.kind(), WeightKind::F32);
    assert_eq!(arcs(&network), [(0, 1, 0.5f32.to_bits()), (1, 0, 1000f32.to_bits())]);
    let text = "%%MatrixMarket matrix coordinate pattern general\r\n2 2 1\r\n1 2\r\n";
    let network = plain(Format::MatrixMarket, text);
    assert_eq!(arcs(&network), [(0, 1, hash_weight(0, 1, 1000))]);
    for (weighting, weight) in [(Weighting::Ones, 1), (Weighting::Hashed(7), hash_weight(0, 1, 7))]
    {
        let options = LoadOptions { weighting, ..LoadOptions::default() };
        let network = read_as(Format::MatrixMarket, text.as_bytes(), options);
        assert_eq!(arcs(&network.expect("the network is valid")), [(0, 1, weight)]);
    }
}

#[test]
fn dimacs_and_edge_lists_are_loaded() {
    let text = "c roads\np sp 3 2\nc between\na 1 2 7\na 3 1 9";
    let network = plain(Format::Dimacs, text);
    assert_eq!(arcs(&network), [(0, 1, 7), (2, 0, 9)]);
    let network = plain(Format::WeightedEdgeList, "# who\n0 4 3\n4\t1   2\n");
    assert_eq!((network.vertices(), arcs(&network)), (5, vec![(0, 4, 3), (4, 1, 2)]));
    let network = plain(Format::WeightedEdgeList, "0 1 3\n1 0 2.5\n");
    assert_eq!(network.kind(), WeightKind::F32);
    let options = LoadOptions { weighting: Weighting::Ones, ..LoadOptions::default() };
    let network =
        read_as(Format::EdgeList, b"0 1\n\n1 2\n", options).expect("the network is valid");
    assert_eq!(arcs(&network), [(0, 1, 1), (1, 2, 1)]);
}

#[test]
fn malformed_files_are_reported() {
    use Format::{Dimacs, EdgeList, MatrixMarket, WeightedEdgeList};
    let banner = "%%MatrixMarket matrix coordinate integer general\n";
    let matrix = |lines: &str| format!("{banner}{lines}\n");
    let end = "test:3: expected a whole number, but the line ends";
    let problem_line = "test:1: expected a comment `c` or the problem `p`, found `a`";
    for (format, text, expected) in [
        (MatrixMarket, String::new(), "test:1: the line with the numbers of rows"),
        (MatrixMarket, "1 1 1\n".into(), "test:1: expected `%%MatrixMarket`, found `1`"),
        (MatrixMarket, banner.replace("integer", "complex"), "or `real`, found `complex`"),
        (MatrixMarket, banner.replace("general", "hermitian"), "or `symmetric`, found `hermitian`"),
        (MatrixMarket, banner.replace("coordinate", "array"), "found `array`"),
        (MatrixMarket, matrix("2 3 1"), "test:2: there are 2 rows and 3 columns"),
        (MatrixMarket, matrix("2 2 1\n1 3 1"), "test:3: vertex 3 does not exist"),
        (MatrixMarket, matrix("2 2 1\n0 1 1"), "test:3: vertex 0 does not exist"),
        (MatrixMarket, matrix("2 2 1\n%\n1 2 -4"), "test:4: the weight is -4"),
        (MatrixMarket, matrix("2 2 1\n1 2"), end),
        (MatrixMarket, matrix("2 2 1\n1 2 3 4"), "test:3: expected the end of the line, found `4`"),
        (MatrixMarket, matrix("2 2 1\n1 2 4294967296"), "does not fit in 32 bits"),
        (MatrixMarket, matrix("2 2 2\n1 2 3"), "announces 2 edges, but there are 1"),
        (MatrixMarket, matrix("2 2 0\n1 2 3"), "announces 0 edges, but there are 1"),
        (Dimacs, "a 1 2 3\n".into(), problem_line),
        (Dimacs, "c\np max 3 4\n".into(), "test:2: expected `sp`, found `max`"),
        (Dimacs, "p sp 3 1\nb 1 2 3\n".into(), "test:2: expected `a`, found `b`"),
        (Dimacs, "p sp 3 1\na 1 2 x\n".into(), "test:2: expected a whole number, found `x`"),
        (WeightedEdgeList, "0 1 2\n1 2 NaN\n".into(), "test:2: the weight is NaN"),
        (WeightedEdgeList, "0 1 2\n1 2 -0.5\n".into(), "test:2: the weight is -0.5"),
        (WeightedEdgeList, "0 1 2\n1 2 1e39\n".into(), "test:2: the weight is 1"),
        (WeightedEdgeList, "0 1 2\n1 2 two\n".into(), "test:2: expected a number, found `two`"),
        (EdgeList, "0 1\n0 1 2\n".into(), "test:2: expected the end of the line, found `2`"),
        (EdgeList, "0 12345678901234567890123\n".into(), "found `12345678901234567890123`"),
        (EdgeList, "0 x1\n".into(), "test:1: expected a whole number, found `x1`"),
        (EdgeList, "\n\n".into(), "the network has no vertices"),
    ] {
        let problem = problem(format, &text);
        assert!(problem.contains(expected), "{text:?}: {problem}");
    }
}

#[test]
fn first_error_of_a_long_file_is_reported() {
    let mut text = "0 1\n".repeat(2_000_000);
    text.push_str("0 first\n");
    text.push_str(&"0 1\n".repeat(1_000_000));
    text.push_str("0 second\n");
    assert!(
        problem(Format::EdgeList, &text)
            .starts_with("test:2000001: expected a whole number, found `first`")
    );
    let endless = "1".repeat(5 << 20);
    assert!(problem(Format::EdgeList, &endless).contains("test:1: the line is too long"));
}

#[test]
fn compressed_files_of_several_blocks_are_loaded() {
    let text: String = (0..600_000u32).map(|v| format!("{v} {} {}\n", v + 1, v % 17)).collect();
    let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).expect("compression succeeds");
    let packed = packer.finish().expect("compression succeeds");
    let calls = AtomicU64::new(0);
    let progress = |progress: Progress| {
        assert!(progress.bytes <= packed.len() as u64);
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let options = LoadOptions { progress: Some(&progress), ..LoadOptions::default() };
    let network =
        read_as(Format::WeightedEdgeList, &packed, options).expect("the network is valid");
    assert!(calls.load(Ordering::Relaxed) > 2);
    assert_eq!((network.vertices(), network.edges()), (600_001, 600_000));
    assert!((0..600_000).all(|v| {
        let arc = network.arcs_of(v)[0];
        (arc.target, arc.weight) == (v + 1, v % 17)
    }));
    let cut = read_as(Format::WeightedEdgeList, &packed[..packed.len() / 2], options);
    assert!(matches!(cut, Err(InputError::Io { .. })));
}

#[test]
fn file_names_determine_the_format() {
    for (name, format) in [
        ("a.mtx", Some(Format::MatrixMarket)),
        ("a.b/USA.GR.gz", Some(Format::Dimacs)),
        ("x.el", Some(Format::EdgeList)),
        ("x.wel.gz", Some(Format::WeightedEdgeList)),
        ("x.gz", None),
        ("mtx", None),
    ] {
        assert_eq!(Format::of(Path::new(name)), format, "{name}");
    }
    let unknown = read("nothing", &b"some words\n"[..], &LoadOptions::default());
    assert!(matches!(unknown, Err(InputError::UnknownFormat { .. })));
    let missing = load("nothing.mtx", &LoadOptions::default());
    assert!(matches!(missing, Err(InputError::Io { .. })));
}

#[test]
fn first_lines_determine_the_format() {
    for (text, format) in [
        ("%%MatrixMarket matrix", Some(Format::MatrixMarket)),
        ("c roads\n\np sp 3 2\n", Some(Format::Dimacs)),
        ("# who\n0 1\n", Some(Format::EdgeList)),
        ("0\t1\t2.5\r\n", Some(Format::WeightedEdgeList)),
        ("0 1 2 3\n", None),
        ("a b\n", None),
        ("", None),
    ] {
        assert_eq!(Format::recognised(text.as_bytes()), format, "{text}");
    }
    let packed = zstd::encode_all(&b"\xef\xbb\xbf0 1 7\n"[..], 0).expect("compression succeeds");
    let loaded = read("x", &packed[..], &LoadOptions::default()).expect("the network is valid");
    assert_eq!((arcs(&loaded.network), loaded.weights), (vec![(0, 1, 7)], WeightOrigin::File));
}
