#![allow(missing_docs, clippy::all)]
use ::multisplit::primitives::{
    HistogramBuffers, ScanBuffers, ScanMethod, SortBuffers, SplitBuffers, histogram, scan, sort,
    split,
};
use multisplit::graph::Graph;
use multisplit::network::{Direction, EdgeList, Network};
use multisplit::primitives::multisplit::{Method, TileShape, ValuesAfter};
use multisplit::primitives::sort::SortMethod;
use multisplit::{Bins, Buckets, Context, Error, Policy, Sort};
struct R(u64);
impl R {
    fn n(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn b(&mut self, n: u64) -> u64 {
        self.n() % n
    }
    fn v(&mut self) -> u32 {
        match self.b(6) {
            0 => 0,
            1 => u32::MAX,
            2 => self.n() as u32,
            3 => 1 << self.b(32),
            4 => self.b(40) as u32,
            _ => 1 + self.b(1024) as u32,
        }
    }
    fn s(&mut self) -> TileShape {
        let mut t = TileShape::new(self.v(), self.v());
        if self.b(2) == 0 {
            t = TileShape::new(1 << self.b(10), 1 + self.b(12) as u32);
        }
        t.in_turns(if self.b(3) == 0 { self.v() } else { 1 + self.b(3) as u32 })
    }
}
fn edit(p: &mut Policy, r: &mut R) {
    for _ in 0..1 + r.b(3) {
        match r.b(44) {
            0 => p.threads = r.v(),
            1 => p.spine_threads = r.v(),
            2 => p.spine_tiles = r.v(),
            3 => p.lone_tiles = r.v(),
            4 => p.spin_limit = r.v(),
            5 => p.look_back_tiles = r.v(),
            6 => p.max_storage_range = r.v() as u64,
            7 => p.max_groups = r.v(),
            8 => p.subgroup_size = r.v(),
            9 => p.shared_memory = r.v(),
            10 => p.max_threads = r.v(),
            11 => {
                p.scan = [
                    ScanMethod::LookBack,
                    ScanMethod::ReduceThenScan,
                    ScanMethod::LookBackUpTo(100),
                ][r.b(3) as usize]
            }
            12 => p.split.warp = r.s(),
            13 => {
                let s = r.s();
                p.split.block_keys = [s; 8]
            }
            14 => {
                let s = r.s();
                p.split.block_pairs = [s; 8]
            }
            15 => {
                let s = r.s();
                p.split.onesweep = [s; 8]
            }
            16 => {
                p.split.values_after =
                    [[ValuesAfter::Loading, ValuesAfter::Ranking, ValuesAfter::Ordering]
                        [r.b(3) as usize]; 8]
            }
            17 => p.split.least_keys = r.v(),
            18 => {
                let s = r.v();
                p.split.block_strips = [s; 8]
            }
            19 => p.split.abreast = r.v(),
            20 => p.split.histogram_parts = r.v(),
            21 => p.split.most_buckets_by_votes = r.v(),
            22 => p.split.counter_copies = r.v(),
            23 => p.split.most_loop_rounds = r.v(),
            24 => p.split.most_buckets_direct = r.v(),
            25 => p.split.label_user_buckets ^= true,
            26 => p.histogram.threads = r.v(),
            27 => p.histogram.loads = r.v(),
            28 => p.histogram.tiles = r.v(),
            29 => p.histogram.least_groups = r.v(),
            30 => p.histogram.copies = r.v(),
            31 => p.histogram.copies_bytes = r.v(),
            32 => p.histogram.most_bins_by_votes = r.v(),
            33 => p.histogram.most_passes = r.v(),
            34 => p.histogram.register_bins = r.v(),
            35 => p.histogram.cells_per_bin = r.v(),
            36 => p.histogram.cells = r.v(),
            37 => p.histogram.lookup_threads = r.v(),
            38 => p.sort.small = r.s(),
            39 => {
                let s = r.s();
                p.sort = p.sort.with_shape(s)
            }
            40 => p.sort.histogram = r.s(),
            41 => p.sort.histogram_groups = r.n(),
            42 => {
                p.sort.rounds = [
                    Method::Direct,
                    Method::Warp,
                    Method::Block,
                    Method::OneSweep,
                    Method::FullSort,
                    Method::Auto,
                    Method::ScanSplit,
                    Method::ReducedBitSort,
                ][r.b(8) as usize]
            }
            _ => {
                p.sort.auto = [
                    SortMethod::OneSweep,
                    SortMethod::Auto,
                    SortMethod::Small,
                    SortMethod::Multisplit { radix_bits: r.b(10) as u32 },
                ][r.b(4) as usize]
            }
        }
    }
    if r.b(6) == 0 {
        let q = &mut p.sssp;
        for _ in 0..2 {
            match r.b(20) {
                0 => q.threads = r.v(),
                1 => q.most_groups = r.v(),
                2 => q.residents.groups = r.v(),
                3 => q.residents.threads = r.v(),
                4 => q.spin_limit = r.v(),
                5 => q.resident_rounds = r.v(),
                6 => q.batch_rounds = r.v(),
                7 => q.batch_piles = r.v(),
                8 => q.stage = r.v(),
                9 => q.spread_degree = r.v(),
                10 => q.wide_degree = r.v(),
                11 => q.merge_entries = r.v(),
                12 => q.tail_entries = r.v(),
                13 => q.hub_degree = r.v(),
                14 => q.piece = r.v(),
                15 => q.local_hops = r.v(),
                16 => q.local_entries = r.v(),
                17 => q.queue_percent = r.v(),
                18 => q.delta_scale = r.v(),
                _ => q.delta_most = r.v(),
            }
        }
    }
}
fn run(gpu: &Context, p: &Policy, r: &mut R) -> Result<bool, Error> {
    let n = 1 + r.b(9000);
    let keys: Vec<u32> = (0..n).map(|_| r.n() as u32).collect();
    let mut g = Graph::new("t");
    match r.b(5) {
        0 => {
            let k = g.import::<u32>("k", n);
            let v = g.import::<u32>("v", n);
            let m =
                [SortMethod::Auto, SortMethod::OneSweep, SortMethod::Multisplit { radix_bits: 5 }]
                    [r.b(3) as usize];
            sort(&mut g, p, &Sort::ascending().method(m), &SortBuffers::keys(k).indices(v))?;
            let e = gpu.instantiate(g.compile(&gpu.limits())?)?;
            let a = gpu.upload(&keys)?;
            let o = gpu.zeroed::<u32>(n)?;
            gpu.run(&e, &[(k, &a), (v, &o)])?;
            let mut w: Vec<u32> = (0..n as u32).collect();
            w.sort_by_key(|&i| keys[i as usize]);
            Ok(gpu.download(&o)? == w)
        }
        1 => {
            let k = g.import::<u32>("k", n);
            let o = g.import::<u32>("o", n);
            scan(&mut g, p, &ScanBuffers::new(k, o))?;
            let e = gpu.instantiate(g.compile(&gpu.limits())?)?;
            let a = gpu.upload(&keys)?;
            let b = gpu.zeroed::<u32>(n)?;
            gpu.run(&e, &[(k, &a), (o, &b)])?;
            let mut s = 0u32;
            let w: Vec<u32> = keys
                .iter()
                .map(|&x| {
                    let y = s;
                    s = s.wrapping_add(x);
                    y
                })
                .collect();
            Ok(gpu.download(&b)? == w)
        }
        2 => {
            let m = 1 + r.b(600) as u32;
            let method =
                [Method::Auto, Method::Direct, Method::Warp, Method::Block, Method::OneSweep]
                    [r.b(5) as usize];
            let k = g.import::<u32>("k", n);
            let o = g.import::<u32>("o", n);
            let f = g.import::<u32>("f", m as u64 + 1);
            let b = Buckets::<u32>::delta_over_domain(m).method(method);
            split(&mut g, p, &b, &SplitBuffers::keys(k, o, f))?;
            let e = gpu.instantiate(g.compile(&gpu.limits())?)?;
            let a = gpu.upload(&keys)?;
            let b = gpu.zeroed::<u32>(n)?;
            let c = gpu.zeroed::<u32>(m as u64 + 1)?;
            gpu.run(&e, &[(k, &a), (o, &b), (f, &c)])?;
            let w = (1u64 << 32).div_ceil(m as u64);
            let mut x = keys.clone();
            x.sort_by_key(|&k| (k as u64 / w).min(m as u64 - 1));
            Ok(gpu.download(&b)? == x)
        }
        3 => {
            let m = 1 + r.b(3000) as u32;
            let k = g.import::<u32>("k", n);
            let c = g.import::<u32>("c", m as u64);
            let edges: Vec<u32> =
                (0..=m).map(|i| (i as u64 * (u32::MAX as u64) / m as u64) as u32).collect();
            let b = if r.b(2) == 0 { Bins::range(&edges) } else { Bins::even(0..u32::MAX, m) };
            histogram(&mut g, p, &b, &HistogramBuffers::new(k, c))?;
            let e = gpu.instantiate(g.compile(&gpu.limits())?)?;
            let a = gpu.upload(&keys)?;
            let o = gpu.zeroed::<u32>(m as u64)?;
            gpu.run(&e, &[(k, &a), (c, &o)])?;
            let got = gpu.download(&o)?;
            Ok(got.iter().map(|&x| x as u64).sum::<u64>() == n)
        }
        _ => {
            let v = 200;
            let mut e = EdgeList::weighted();
            for _ in 0..900 {
                e.push(r.b(v) as u32, r.b(v) as u32, r.b(50) as u32);
            }
            let net = Network::new(v, Direction::Directed, &e).unwrap();
            let d = gpu.upload_network(&net)?;
            let mut s = gpu.sssp_with(&d, &Default::default(), p)?;
            let f = s.solve(0)?;
            let mut dist = vec![u64::MAX; v as usize];
            dist[0] = 0;
            for _ in 0..v {
                for i in 0..e.from.len() {
                    let multisplit::network::EdgeWeights::U32(w) = &e.weights else { panic!() };
                    let (a, b) = (e.from[i] as usize, e.to[i] as usize);
                    if dist[a] < u64::MAX {
                        dist[b] = dist[b].min(dist[a] + w[i] as u64);
                    }
                }
            }
            Ok(f.paths
                .distances
                .iter()
                .zip(&dist)
                .all(|(&a, &b)| a as u64 == b.min(u32::MAX as u64)))
        }
    }
}
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let gpu = Context::open(&multisplit::Config {
        pipeline_cache: multisplit::PipelineCache::Off,
        ..Default::default()
    })
    .unwrap();
    let (mut ok, mut err) = (0, 0);
    for i in a[0]..a[1] {
        let mut r = R(i * 7919 + 12345);
        for _ in 0..9 {
            r.n();
        }
        let mut p = gpu.policy();
        edit(&mut p, &mut r);
        if a.len() > 2 {
            println!("{i} {p:?}");
        }
        eprintln!("{i}");
        match run(&gpu, &p, &mut r) {
            Ok(true) => ok += 1,
            Ok(false) => println!("WRONG {i} {}", diff(&p, &gpu.policy())),
            Err(e) => {
                if a.len() > 2 {
                    println!("{e}")
                }
                err += 1
            }
        }
    }
    println!("{ok} right, {err} errors");
}
fn diff(p: &Policy, q: &Policy) -> String {
    let f = |x: &Policy| format!("{x:#?}").lines().map(str::to_owned).collect::<Vec<_>>();
    f(p).iter()
        .zip(&f(q))
        .filter(|(a, b)| a != b)
        .map(|(a, _)| a.trim().to_owned())
        .collect::<Vec<_>>()
        .join(" ")
}
