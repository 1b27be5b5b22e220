//! Published figures of the paper, measured on a GeForce GTX 1080: S. Ashkiani, A. Davidson, U. Meyer and J.
//! D. Owens, *GPU Multisplit: an extended study of a parallel algorithm*, n = 2^25.

/// Rates in 10^9 elements per second, by number of buckets or bits; shorter if the paper has fewer.
pub type Rates = &'static [f64];

/// Figures of keys and of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Both<T> {
    pub keys: T,
    pub pairs: T,
}

/// The paper's element count.
pub const N: u64 = 1 << 25;
/// Bucket counts.
pub const BUCKETS: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// Maximum bucket count of the direct and warp-level methods.
pub const MAX_WARP: u32 = 32;
/// Bucket counts for which the paper lists stages.
pub const STAGE_BUCKETS: [u32; 3] = [2, 8, 32];
/// Bucket count for uneven key distributions.
pub const SPREAD_BUCKETS: u32 = 256;

/// CUB's 32-bit radix sort.
pub const SORT: Both<f64> = Both { keys: 3.40, pairs: 1.90 };
/// A split into two buckets with a scan.
pub const SCAN_SPLIT: Both<f64> = Both { keys: 8.44, pairs: 6.55 };

/// Delta buckets.
pub const DELTA: [(&str, Both<Rates>); 4] = [
    (
        "direct",
        Both { keys: &[17.67, 14.38, 11.00, 7.73, 5.54], pairs: &[11.17, 9.75, 7.07, 4.95, 3.51] },
    ),
    (
        "warp",
        Both {
            keys: &[18.93, 17.54, 17.98, 16.18, 12.20],
            pairs: &[11.38, 11.21, 10.81, 10.37, 8.04],
        },
    ),
    (
        "block",
        Both {
            keys: &[18.42, 17.84, 17.79, 18.01, 16.64, 14.14, 11.43, 7.05],
            pairs: &[11.67, 11.62, 11.57, 11.40, 11.04, 10.64, 9.78, 5.85],
        },
    ),
    (
        "reduced-bit-sort",
        Both {
            keys: &[8.13, 8.13, 8.09, 8.06, 7.91, 7.51, 6.43, 4.51],
            pairs: &[3.44, 3.44, 3.42, 3.40, 3.34, 3.19, 2.83, 2.31],
        },
    ),
];

/// Milliseconds of a stage, by [`STAGE_BUCKETS`].
pub type Stage = (&'static str, Both<[f64; 3]>);

/// The stages of each method; the last entry is the total.
pub const STAGES: [(&str, &[Stage]); 4] = [
    (
        "direct",
        &[
            ("prescan", Both { keys: [0.61, 0.72, 1.80], pairs: [0.61, 0.72, 1.80] }),
            ("scan", Both { keys: [0.10, 0.31, 1.16], pairs: [0.09, 0.31, 1.16] }),
            ("postscan", Both { keys: [1.19, 2.02, 3.10], pairs: [2.29, 3.71, 6.60] }),
            ("total", Both { keys: [1.90, 3.05, 6.06], pairs: [3.00, 4.74, 9.56] }),
        ],
    ),
    (
        "warp",
        &[
            ("prescan", Both { keys: [0.58, 0.60, 0.93], pairs: [0.59, 0.62, 0.93] }),
            ("scan", Both { keys: [0.04, 0.06, 0.31], pairs: [0.04, 0.10, 0.31] }),
            ("postscan", Both { keys: [1.15, 1.20, 1.51], pairs: [2.32, 2.38, 2.94] }),
            ("total", Both { keys: [1.77, 1.87, 2.75], pairs: [2.95, 3.11, 4.17] }),
        ],
    ),
    (
        "block",
        &[
            ("prescan", Both { keys: [0.57, 0.58, 0.62], pairs: [0.57, 0.58, 0.62] }),
            ("scan", Both { keys: [0.03, 0.04, 0.06], pairs: [0.03, 0.04, 0.06] }),
            ("postscan", Both { keys: [1.22, 1.27, 1.33], pairs: [2.27, 2.29, 2.36] }),
            ("total", Both { keys: [1.82, 1.89, 2.02], pairs: [2.88, 2.90, 3.04] }),
        ],
    ),
    (
        "reduced-bit-sort",
        &[
            ("labels", Both { keys: [1.16, 1.15, 1.14], pairs: [1.13, 1.15, 1.13] }),
            ("sort", Both { keys: [2.97, 3.00, 3.11], pairs: [4.11, 4.16, 4.38] }),
            ("unpack", Both { keys: [0.0, 0.0, 0.0], pairs: [4.51, 4.50, 4.52] }),
            ("total", Both { keys: [4.13, 4.15, 4.24], pairs: [9.75, 9.81, 10.04] }),
        ],
    ),
];

/// Key distributions over [`SPREAD_BUCKETS`], by their names on the command line.
pub const SPREADS: [&str; 3] = ["uniform", "quarter-uniform", "binomial"];
pub const SPREAD: [(&str, Both<Rates>); 2] = [
    ("block", Both { keys: &[7.05, 7.36, 7.89], pairs: &[5.85, 6.71, 7.28] }),
    ("reduced-bit-sort", Both { keys: &[4.51, 4.56, 4.95], pairs: &[2.31, 2.33, 2.52] }),
];

/// Identity buckets: keys of 1 to 8 bits. The last entry is CUB's sort on that number of bits.
pub const BITS: [(&str, Both<Rates>); 3] = [
    (
        "warp",
        Both {
            keys: &[18.87, 17.70, 16.76, 16.33, 12.56],
            pairs: &[11.39, 11.04, 10.73, 10.05, 8.29],
        },
    ),
    (
        "block",
        Both {
            keys: &[19.37, 19.15, 18.99, 18.61, 17.89, 16.83, 13.41, 8.17],
            pairs: &[11.68, 11.61, 11.58, 11.41, 11.18, 10.89, 10.20, 6.42],
        },
    ),
    (
        "onesweep",
        Both {
            keys: &[16.35, 16.59, 16.24, 17.05, 17.62, 18.05, 14.50, 8.65],
            pairs: &[11.30, 11.06, 11.18, 11.14, 10.88, 10.20, 8.30, 5.34],
        },
    ),
];

/// Sorts with 4 to 8 bits per round. For pairs with 4 and 5 bits, the paper prints the times of keys; the
/// rates are right.
pub const RADIX_BITS: [u32; 5] = [4, 5, 6, 7, 8];
pub const RADIX: Both<Rates> = Both {
    keys: &[2.368, 2.654, 2.933, 2.994, 2.300],
    pairs: &[1.441, 1.619, 1.852, 2.101, 1.863],
};
/// CUB's figures in the same table.
pub const RADIX_CUB: Both<f64> = Both { keys: 3.397, pairs: 1.911 };

/// Histograms of floats in [0, 1024): the paper's figures and CUB's.
pub const HISTOGRAMS: [(&str, Rates, Rates); 2] = [
    (
        "histogram_even",
        &[61.0, 61.1, 60.9, 60.7, 60.2, 45.2, 59.6, 52.7],
        &[60.5, 60.7, 60.5, 60.7, 61.1, 60.6, 60.3, 60.9],
    ),
    (
        "histogram_range",
        &[56.7, 51.4, 45.4, 39.8, 33.9, 28.4, 24.8, 20.0],
        &[42.4, 35.2, 30.9, 27.1, 24.4, 22.3, 19.3, 14.8],
    ),
];

/// Shortest paths in one network: milliseconds, and millions of arcs per second.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    pub graph: &'static str,
    /// Name prefixes of the networks that correspond to it here.
    pub stands_for: &'static [&'static str],
    pub near_far: f64,
    pub bucketing: f64,
    pub multisplit: f64,
    pub mteps: f64,
}

pub const SEARCHES: [Search; 4] = [
    Search {
        graph: "cit-Patents",
        stands_for: &["cit-Patents"],
        near_far: 444.2,
        bucketing: 3143.0,
        multisplit: 346.8,
        mteps: 95.2,
    },
    Search {
        graph: "flickr",
        stands_for: &["flickr"],
        near_far: 66.7,
        bucketing: 111.1,
        multisplit: 36.5,
        mteps: 539.0,
    },
    Search {
        graph: "belgium_osm",
        stands_for: &["belgium_osm", "grid"],
        near_far: 443.8,
        bucketing: 3014.2,
        multisplit: 427.0,
        mteps: 7.3,
    },
    Search {
        graph: "rmat",
        stands_for: &["rmat"],
        near_far: 12.17,
        bucketing: 14.9,
        multisplit: 5.8,
        mteps: 1655.2,
    },
];
