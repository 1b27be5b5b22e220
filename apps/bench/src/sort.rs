//! Sort plans, for `bench` and `graph`.

use anyhow::Result;
use clap::ValueEnum;
use multisplit::graph::{self, Graph, Plan};
use multisplit::operations::sort::SortMethod;
use multisplit::operations::{self, SortBuffers};
use multisplit::{Array, Bound, Key, KeyType, Sort};

use crate::plans::Target;

/// Kind of sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// Keys of u32
    #[default]
    #[value(name = "sort_keys_u32")]
    KeysU32,
    /// Keys of u32 with values of 4 bytes
    #[value(name = "sort_pairs_u32_u32")]
    PairsU32,
    /// Keys of u64
    #[value(name = "sort_keys_u64")]
    KeysU64,
    /// Keys of f32
    #[value(name = "sort_keys_f32")]
    KeysF32,
    /// Keys of u8
    #[value(name = "sort_keys_u8")]
    KeysU8,
    /// Keys of u16
    #[value(name = "sort_keys_u16")]
    KeysU16,
    /// Keys of u16 with values of 4 bytes
    #[value(name = "sort_pairs_u16_u32")]
    PairsU16,
}

/// Every operation.
pub(crate) const OPS: [Op; 7] =
    [Op::KeysU32, Op::PairsU32, Op::KeysU64, Op::KeysF32, Op::KeysU8, Op::KeysU16, Op::PairsU16];

impl Op {
    /// The name in figures, which other benchmark programs use too.
    pub fn name(self) -> &'static str {
        match self {
            Self::KeysU32 => "sort_keys_u32",
            Self::PairsU32 => "sort_pairs_u32_u32",
            Self::KeysU64 => "sort_keys_u64",
            Self::KeysF32 => "sort_keys_f32",
            Self::KeysU8 => "sort_keys_u8",
            Self::KeysU16 => "sort_keys_u16",
            Self::PairsU16 => "sort_pairs_u16_u32",
        }
    }

    /// Whether each key has a value.
    pub fn pairs(self) -> bool {
        matches!(self, Self::PairsU32 | Self::PairsU16)
    }

    /// Key type.
    pub fn key(self) -> KeyType {
        match self {
            Self::KeysU32 | Self::PairsU32 => KeyType::U32,
            Self::KeysU64 => KeyType::U64,
            Self::KeysF32 => KeyType::F32,
            Self::KeysU8 => KeyType::U8,
            Self::KeysU16 | Self::PairsU16 => KeyType::U16,
        }
    }
}

/// Command-line name of a sort method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Best method for the device and the number of elements
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

/// The name of a method in figures.
fn method_name(method: SortMethod) -> &'static str {
    match method {
        SortMethod::Auto => "auto",
        SortMethod::OneSweep => "onesweep",
        SortMethod::Small => "small",
        SortMethod::Counting => "counting",
        SortMethod::Multisplit { radix_bits: 4 } => "r4",
        SortMethod::Multisplit { radix_bits: 5 } => "r5",
        SortMethod::Multisplit { radix_bits: 6 } => "r6",
        SortMethod::Multisplit { radix_bits: 7 } => "r7",
        SortMethod::Multisplit { .. } => "r8",
    }
}

/// The plan of a sort and its imports.
pub struct SortPlan {
    /// The plan.
    pub plan: Plan,
    /// The method in use.
    pub method: &'static str,
    keys: graph::Buffer,
    values: Option<graph::Buffer>,
}

impl SortPlan {
    /// Plans the sort of `n` elements in place.
    pub fn new(target: &Target, op: Op, method: Method, n: u64, replayable: bool) -> Result<Self> {
        // Narrow keys are sorted as 32-bit words.
        target.check_size(n * u64::from(op.key().bytes().div_ceil(4)))?;
        let mut graph = Graph::new("sort");
        let keys = graph.import_array("keys", op.key().into(), op.key().array_len(n));
        let values = op.pairs().then(|| graph.import::<u32>("values", n));
        let mut buffers = SortBuffers::keys(keys).count(n);
        if let Some(values) = values {
            buffers = buffers.values(values);
        }
        let sort = Sort::ascending().method(method.of_library());
        let added = operations::sort(&mut graph, &target.policy, &sort, &buffers)?;
        let plan = target.plan(graph, replayable)?;
        Ok(Self { plan, method: method_name(added.method), keys, values })
    }

    /// Binds the imports to these arrays. `K` is the key type of the operation.
    pub fn bind<'b, K: Key>(
        &self,
        keys: &'b Array<K>,
        values: Option<&'b Array<u32>>,
    ) -> Vec<Bound<'b>> {
        let values = self.values.zip(values).map(Bound::from);
        [Bound::from((self.keys, keys))].into_iter().chain(values).collect()
    }
}
