//! A sort as a plan: what `bench` measures and `graph` shows.

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use multisplit::Buffer;
use multisplit::graph::{self, Graph, Plan};
use multisplit::primitives::multisplit::KeyType;
use multisplit::primitives::sort::{self, Sort, SortBuffers, SortMethod, SortPlace, SortValues};

use crate::jobs::Target;

/// What is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// 32-bit keys
    #[default]
    #[value(name = "sort_keys_u32")]
    KeysU32,
    /// 32-bit keys with 32-bit values
    #[value(name = "sort_pairs_u32_u32")]
    PairsU32,
    /// 64-bit keys
    #[value(name = "sort_keys_u64")]
    KeysU64,
    /// Floats
    #[value(name = "sort_keys_f32")]
    KeysF32,
}
pub const OPS: [Op; 4] = [Op::KeysU32, Op::PairsU32, Op::KeysU64, Op::KeysF32];

impl Op {
    /// The name that figures of other programs go by too.
    pub fn name(self) -> &'static str {
        match self {
            Self::KeysU32 => "sort_keys_u32",
            Self::PairsU32 => "sort_pairs_u32_u32",
            Self::KeysU64 => "sort_keys_u64",
            Self::KeysF32 => "sort_keys_f32",
        }
    }

    /// What a key is.
    pub fn key(self) -> KeyType {
        match self {
            Self::KeysU32 | Self::PairsU32 => KeyType::U32,
            Self::KeysU64 => KeyType::U64,
            Self::KeysF32 => KeyType::F32,
        }
    }
}

/// How it is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// What suits the device and the number of elements
    #[default]
    Auto,
    /// One sweep
    Onesweep,
    /// Rounds of 4 bits, as in the paper
    R4,
    /// Rounds of 5 bits
    R5,
    /// Rounds of 6 bits
    R6,
    /// Rounds of 7 bits
    R7,
    /// Rounds of 8 bits
    R8,
}

impl Method {
    fn of_library(self) -> SortMethod {
        let radix = |radix_bits| SortMethod::Multisplit { radix_bits };
        match self {
            Self::Auto => SortMethod::Auto,
            Self::Onesweep => SortMethod::OneSweep,
            Self::R4 => radix(4),
            Self::R5 => radix(5),
            Self::R6 => radix(6),
            Self::R7 => radix(7),
            Self::R8 => radix(8),
        }
    }
}

/// What figures call a method.
fn method_name(method: SortMethod) -> &'static str {
    match method {
        SortMethod::Auto => "auto",
        SortMethod::OneSweep => "onesweep",
        SortMethod::Small => "small",
        SortMethod::Multisplit { radix_bits: 4 } => "r4",
        SortMethod::Multisplit { radix_bits: 5 } => "r5",
        SortMethod::Multisplit { radix_bits: 6 } => "r6",
        SortMethod::Multisplit { radix_bits: 7 } => "r7",
        SortMethod::Multisplit { .. } => "r8",
    }
}

/// A plan, and its imports.
pub struct Job {
    pub plan: Plan,
    /// How it is carried out.
    pub method: &'static str,
    keys: graph::Buffer,
    values: Option<graph::Buffer>,
}

impl Job {
    /// Plans the sort of `n` elements in place.
    pub fn new(target: &Target, op: Op, method: Method, n: u64, replay: bool) -> Result<Self> {
        let words = n * u64::from(op.key().bytes() / 4);
        target.check_size(words)?;
        let mut graph = Graph::new("sort");
        let keys = graph.import::<u32>("keys", words);
        let values = (op == Op::PairsU32).then(|| graph.import::<u32>("values", n));
        let carried = match values {
            Some(buffer) => SortValues::Values { buffer, bytes: 4 },
            None => SortValues::None,
        };
        let sort = Sort::new(op.key()).by(method.of_library());
        let place = SortPlace::InPlace;
        let buffers = SortBuffers { n: n.into(), keys, values: carried, place };
        let added = sort::add(&mut graph, &target.policy, &sort, &buffers)?;
        if replay {
            graph.replayable();
        }
        let plan = graph.compile(&target.limits).context("the graph cannot be planned")?;
        Ok(Self { plan, method: method_name(added.method), keys, values })
    }

    /// The imports, bound to these buffers.
    pub fn bind<'b>(
        &self,
        keys: &'b Buffer,
        values: Option<&'b Buffer>,
    ) -> Vec<(graph::Buffer, &'b Buffer)> {
        let mut bound = vec![(self.keys, keys)];
        bound.extend(self.values.zip(values));
        bound
    }
}
