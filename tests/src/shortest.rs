//! A simple CPU reference for shortest paths, and known results for well-known graphs.

use std::collections::BTreeSet;

use multisplit_sssp::network::{Network, Summary, WeightKind};

/// Distance of unreachable vertices.
pub const NONE: u32 = u32::MAX;

/// Distances from `source` over arcs (from, to, weight) with integer weights.
pub fn distances(vertices: u32, arcs: &[(u32, u32, u32)], source: u32) -> Vec<u32> {
    search(vertices, arcs, source, |distance, weight| distance + weight)
}

/// Like [`distances`], but weights and distances are floats, given as bits. (Non-negative floats
/// compare like their bits.)
pub fn distances_f32(vertices: u32, arcs: &[(u32, u32, u32)], source: u32) -> Vec<u32> {
    let sum = |distance, weight| (f32::from_bits(distance) + f32::from_bits(weight)).to_bits();
    search(vertices, arcs, source, sum)
}

fn search(
    vertices: u32,
    arcs: &[(u32, u32, u32)],
    source: u32,
    sum: impl Fn(u32, u32) -> u32,
) -> Vec<u32> {
    let mut leaving: Vec<Vec<(u32, u32)>> = vec![Vec::new(); vertices as usize];
    for &(from, to, weight) in arcs {
        leaving[from as usize].push((to, weight));
    }
    let mut distances = vec![NONE; vertices as usize];
    distances[source as usize] = 0;
    let mut open = BTreeSet::from([(0, source)]);
    while let Some((distance, vertex)) = open.pop_first() {
        for &(to, weight) in &leaving[vertex as usize] {
            let through = sum(distance, weight);
            let held = distances[to as usize];
            if through < held {
                open.remove(&(held, to));
                distances[to as usize] = through;
                open.insert((through, to));
            }
        }
    }
    distances
}

/// All arcs of a network.
pub fn arcs(network: &Network) -> Vec<(u32, u32, u32)> {
    let of = |v| network.arcs_of(v).iter().map(move |arc| (v, arc.target, arc.weight));
    (0..network.vertices()).flat_map(of).collect()
}

/// Distances from `source` in a network.
pub fn distances_in(network: &Network, source: u32) -> Vec<u32> {
    match network.kind() {
        WeightKind::U32 => distances(network.vertices(), &arcs(network), source),
        WeightKind::F32 => distances_f32(network.vertices(), &arcs(network), source),
    }
}

/// A search result that another program computed and certified.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The graph's name.
    pub graph: &'static str,
    /// The source vertex.
    pub source: u32,
    /// The search's result.
    pub found: Summary,
}

const fn known(
    graph: &'static str,
    source: u32,
    reached: u64,
    sum: u64,
    max: u32,
    hash: u64,
) -> Known {
    Known { graph, source, found: Summary { reached, sum, max, hash } }
}

/// Names and file names of the graphs that are read from files. All other graphs are generated.
pub const FILES: [(&str, &str); 5] = [
    ("slashdot0902", "slashdot0902.mtx.gz"),
    ("usa_ne", "usa_ne.mtx.gz"),
    ("usa_ny", "usa_ny.gr.gz"),
    ("wave", "wave.mtx.gz"),
    ("delaunay_n20", "delaunay_n20.mtx"),
];

/// Results for well-known graphs with hashed weights from 0 to 1000. Results for generated graphs
/// were confirmed with another implementation of the generators. `rmat_slashdot` is a generated
/// graph of the size of slashdot0902.
pub const KNOWN: [Known; 32] = [
    known("rmat_slashdot", 0, 64_924, 23_338_028, 2_688, 0x00c7_4971_813d_0f96),
    known("rmat_slashdot", 34_493, 64_924, 41_032_069, 2_974, 0x6f21_f6ab_dcab_eaec),
    known("grid_30000", 0, 30_000, 2_519_585_572, 155_380, 0xe34c_f59f_f75f_5b82),
    known("grid_30000", 15_000, 30_000, 1_485_237_485, 99_103, 0xcaab_f5be_285b_e8ce),
    known("slashdot0902", 0, 82_168, 34_078_607, 2_981, 0xa6a5_bb8f_5d25_4985),
    known("slashdot0902", 34_493, 82_168, 52_858_014, 3_204, 0x0267_b7ea_80f7_4b8c),
    known("slashdot0902", 70_818, 82_168, 63_836_239, 3_334, 0x5a5f_2908_1b9f_8fb4),
    known("slashdot0902", 35_552, 82_168, 117_812_587, 4_006, 0x70ae_e854_c6c3_1b80),
    known("usa_ne", 0, 1_524_453, 420_330_257_401, 519_943, 0x2c33_9f6a_325d_ab07),
    known("usa_ne", 31_807, 1_524_453, 453_002_625_704, 598_987, 0x31f2_8811_e98f_0ea8),
    known("usa_ne", 1_425_649, 1_524_453, 569_229_335_782, 868_443, 0xa3d1_09eb_5509_b5da),
    known("usa_ne", 1_039_742, 1_524_453, 602_555_903_845, 745_109, 0x2f0d_db1e_096f_8898),
    known("usa_ny", 0, 264_346, 42_078_795_745, 291_892, 0x7d86_ce3d_fbc8_d2e9),
    known("usa_ny", 40_775, 264_346, 24_528_983_826, 199_911, 0xab7c_4276_0a82_fcab),
    known("usa_ny", 169_728, 264_346, 33_268_027_100, 245_440, 0x5518_acb1_29e1_efc6),
    known("usa_ny", 124_214, 264_346, 32_066_228_256, 242_914, 0x3634_a3b5_4f12_1c37),
    known("wave", 0, 156_317, 703_361_728, 7_067, 0xe993_c805_b5ad_8358),
    known("wave", 117_102, 156_317, 393_930_145, 4_712, 0xafd0_4aa7_ede2_cca1),
    known("wave", 65_332, 156_317, 495_963_690, 5_554, 0x93c0_4721_caba_7dca),
    known("wave", 66_672, 156_317, 508_933_503, 5_659, 0xab11_22e6_0845_c348),
    known("grid_belgium", 0, 1_441_295, 808_448_522_276, 1_017_816, 0x022a_5b04_56ec_9fc4),
    known("grid_belgium", 179_614, 1_441_295, 533_102_630_587, 745_319, 0x214e_1a60_9a99_dd0d),
    known("grid_belgium", 432_195, 1_441_295, 575_516_863_639, 815_421, 0x14f7_e828_9038_0109),
    known("grid_belgium", 951_811, 1_441_295, 464_682_222_918, 683_658, 0xe5ef_0841_1cba_3a90),
    known("rmat", 0, 519_191, 165_247_547, 2_952, 0x338e_29be_59e9_ae92),
    known("rmat", 649_276, 519_191, 326_245_257, 3_249, 0x2f72_d570_4204_2753),
    known("rmat", 689_047, 519_191, 441_452_225, 3_490, 0x401b_4584_2452_47f1),
    known("rmat", 553_487, 519_191, 401_082_488, 3_407, 0x9e1a_035c_66b6_8dae),
    known("delaunay_n20", 0, 1_048_576, 36_403_152_162, 92_948, 0x3783_756b_5125_0a05),
    known("delaunay_n20", 722_405, 1_048_576, 63_733_287_376, 104_871, 0x7d26_23b5_d898_e76d),
    known("delaunay_n20", 726_154, 1_048_576, 63_383_044_079, 103_341, 0x2d6b_129f_4bac_fc25),
    known("delaunay_n20", 272_624, 1_048_576, 47_367_118_917, 95_747, 0x177d_268b_3eed_72af),
];
