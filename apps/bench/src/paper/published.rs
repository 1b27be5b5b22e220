//! Published figures of the paper, measured on a GeForce GTX 1080: S. Ashkiani, A. Davidson, U. Meyer and J.
//! D. Owens, *GPU Multisplit: an extended study of a parallel algorithm*, n = 2^25.

/// Rates in 10^9 elements per second, one per bucket count, bit count or distribution. The paper does not list all of
/// them for every method.
pub type Rates = &'static [f64];

/// Keys or pairs, the method, and its rates.
pub type MethodRates = (&'static str, &'static str, Rates);

/// The paper's element count.
pub const N: u64 = 1 << 25;
/// Bucket counts of the experiments.
pub const BUCKETS: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// Maximum bucket count of the direct and warp-level methods.
pub const MAX_WARP: u32 = 32;
/// Bucket counts for which the paper lists the times of stages.
pub const STAGE_BUCKETS: [u32; 3] = [2, 8, 32];
/// Bucket count for uneven key distributions.
pub const SPREAD_BUCKETS: u32 = 256;

/// CUB's 32-bit radix sort, and a split into two buckets with a scan, of keys and of pairs.
pub const REFERENCE: [(&str, f64, f64); 2] = [("keys", 3.40, 8.44), ("pairs", 1.90, 6.55)];

/// Splits into delta buckets (of equal width).
pub const DELTA: [MethodRates; 8] = [
    ("keys", "direct", &[17.67, 14.38, 11.00, 7.73, 5.54]),
    ("keys", "warp", &[18.93, 17.54, 17.98, 16.18, 12.20]),
    ("keys", "block", &[18.42, 17.84, 17.79, 18.01, 16.64, 14.14, 11.43, 7.05]),
    ("keys", "reduced-bit-sort", &[8.13, 8.13, 8.09, 8.06, 7.91, 7.51, 6.43, 4.51]),
    ("pairs", "direct", &[11.17, 9.75, 7.07, 4.95, 3.51]),
    ("pairs", "warp", &[11.38, 11.21, 10.81, 10.37, 8.04]),
    ("pairs", "block", &[11.67, 11.62, 11.57, 11.40, 11.04, 10.64, 9.78, 5.85]),
    ("pairs", "reduced-bit-sort", &[3.44, 3.44, 3.42, 3.40, 3.34, 3.19, 2.83, 2.31]),
];

/// Each entry has: keys or pairs, the method, a stage or the total, and its milliseconds for each of [`STAGE_BUCKETS`].
pub const STAGES: [(&str, &str, &str, [f64; 3]); 32] = [
    ("keys", "direct", "prescan", [0.61, 0.72, 1.80]),
    ("keys", "direct", "scan", [0.10, 0.31, 1.16]),
    ("keys", "direct", "postscan", [1.19, 2.02, 3.10]),
    ("keys", "direct", "total", [1.90, 3.05, 6.06]),
    ("keys", "warp", "prescan", [0.58, 0.60, 0.93]),
    ("keys", "warp", "scan", [0.04, 0.06, 0.31]),
    ("keys", "warp", "postscan", [1.15, 1.20, 1.51]),
    ("keys", "warp", "total", [1.77, 1.87, 2.75]),
    ("keys", "block", "prescan", [0.57, 0.58, 0.62]),
    ("keys", "block", "scan", [0.03, 0.04, 0.06]),
    ("keys", "block", "postscan", [1.22, 1.27, 1.33]),
    ("keys", "block", "total", [1.82, 1.89, 2.02]),
    ("keys", "reduced-bit-sort", "labels", [1.16, 1.15, 1.14]),
    ("keys", "reduced-bit-sort", "sort", [2.97, 3.00, 3.11]),
    ("keys", "reduced-bit-sort", "unpack", [0.0, 0.0, 0.0]),
    ("keys", "reduced-bit-sort", "total", [4.13, 4.15, 4.24]),
    ("pairs", "direct", "prescan", [0.61, 0.72, 1.80]),
    ("pairs", "direct", "scan", [0.09, 0.31, 1.16]),
    ("pairs", "direct", "postscan", [2.29, 3.71, 6.60]),
    ("pairs", "direct", "total", [3.00, 4.74, 9.56]),
    ("pairs", "warp", "prescan", [0.59, 0.62, 0.93]),
    ("pairs", "warp", "scan", [0.04, 0.10, 0.31]),
    ("pairs", "warp", "postscan", [2.32, 2.38, 2.94]),
    ("pairs", "warp", "total", [2.95, 3.11, 4.17]),
    ("pairs", "block", "prescan", [0.57, 0.58, 0.62]),
    ("pairs", "block", "scan", [0.03, 0.04, 0.06]),
    ("pairs", "block", "postscan", [2.27, 2.29, 2.36]),
    ("pairs", "block", "total", [2.88, 2.90, 3.04]),
    ("pairs", "reduced-bit-sort", "labels", [1.13, 1.15, 1.13]),
    ("pairs", "reduced-bit-sort", "sort", [4.11, 4.16, 4.38]),
    ("pairs", "reduced-bit-sort", "unpack", [4.51, 4.50, 4.52]),
    ("pairs", "reduced-bit-sort", "total", [9.75, 9.81, 10.04]),
];

/// Key distributions over [`SPREAD_BUCKETS`], by their names on the command line.
pub const SPREADS: [&str; 3] = ["uniform", "quarter-uniform", "binomial"];
/// Rates for each of [`SPREADS`].
pub const SPREAD: [MethodRates; 4] = [
    ("keys", "block", &[7.05, 7.36, 7.89]),
    ("keys", "reduced-bit-sort", &[4.51, 4.56, 4.95]),
    ("pairs", "block", &[5.85, 6.71, 7.28]),
    ("pairs", "reduced-bit-sort", &[2.31, 2.33, 2.52]),
];

/// Splits into identity buckets: the key is the bucket index, and has 1 to 8 bits. The method `onesweep` stands for
/// CUB's sort on the same bits.
pub const BITS: [MethodRates; 6] = [
    ("keys", "warp", &[18.87, 17.70, 16.76, 16.33, 12.56]),
    ("keys", "block", &[19.37, 19.15, 18.99, 18.61, 17.89, 16.83, 13.41, 8.17]),
    ("keys", "onesweep", &[16.35, 16.59, 16.24, 17.05, 17.62, 18.05, 14.50, 8.65]),
    ("pairs", "warp", &[11.39, 11.04, 10.73, 10.05, 8.29]),
    ("pairs", "block", &[11.68, 11.61, 11.58, 11.41, 11.18, 10.89, 10.20, 6.42]),
    ("pairs", "onesweep", &[11.30, 11.06, 11.18, 11.14, 10.88, 10.20, 8.30, 5.34]),
];

/// Bits per round of the paper's radix sorts. For pairs with 4 and 5 bits, the paper prints the times of sorts of
/// keys; its rates are correct.
pub const RADIX_BITS: [u32; 5] = [4, 5, 6, 7, 8];
/// Each entry has: keys or pairs, the rate for each of [`RADIX_BITS`], and the rate of CUB's sort.
pub const RADIX: [(&str, [f64; 5], f64); 2] = [
    ("keys", [2.368, 2.654, 2.933, 2.994, 2.300], 3.397),
    ("pairs", [1.441, 1.619, 1.852, 2.101, 1.863], 1.911),
];

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

/// Shortest paths. Each entry has: the network, name prefixes of the benchmarked networks that are compared with it,
/// the milliseconds of near-far, bucketing and Multisplit-SSSP, and millions of arcs per second.
pub const SEARCHES: [(&str, &[&str], [f64; 3], f64); 4] = [
    ("cit-Patents", &["cit-Patents"], [444.2, 3143.0, 346.8], 95.2),
    ("flickr", &["flickr"], [66.7, 111.1, 36.5], 539.0),
    ("belgium_osm", &["belgium_osm", "grid"], [443.8, 3014.2, 427.0], 7.3),
    ("rmat", &["rmat"], [12.17, 14.9, 5.8], 1655.2),
];
