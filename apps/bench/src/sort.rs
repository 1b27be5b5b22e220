//! Sort plans, for `bench` and `graph`.

use anyhow::Result;
use multisplit::graph::Graph;
use multisplit::operations::sort::SortMethod;
use multisplit::operations::{self, SortBuffers};
use multisplit::{KeyType, Sort};

use crate::choice::{Choice, Named, choice, name};
use crate::plans::{Planned, Target};

/// Elements of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorted {
    /// Key type.
    pub key: KeyType,
    /// Whether each key has a value of 4 bytes.
    pub pairs: bool,
}

/// Command-line name of a kind of sort. Other benchmark programs use the same names.
pub type Op = Choice<Sorted>;
/// Command-line name of a sort method.
pub type Method = Choice<SortMethod>;

impl Named for Sorted {
    const CHOICES: &'static [Op] = &[
        choice(keys(KeyType::U32), "sort_keys_u32").help("Keys of u32"),
        choice(pairs(KeyType::U32), "sort_pairs_u32_u32")
            .help("Keys of u32 with values of 4 bytes"),
        choice(keys(KeyType::U64), "sort_keys_u64").help("Keys of u64"),
        choice(keys(KeyType::F32), "sort_keys_f32").help("Keys of f32"),
        choice(keys(KeyType::U8), "sort_keys_u8").help("Keys of u8"),
        choice(keys(KeyType::U16), "sort_keys_u16").help("Keys of u16"),
        choice(pairs(KeyType::U16), "sort_pairs_u16_u32")
            .help("Keys of u16 with values of 4 bytes"),
    ];
}

const fn keys(key: KeyType) -> Sorted {
    Sorted { key, pairs: false }
}

const fn pairs(key: KeyType) -> Sorted {
    Sorted { key, pairs: true }
}

impl Named for SortMethod {
    const CHOICES: &'static [Method] = &[
        choice(Self::Auto, "auto").help("Best method for the device and the number of elements"),
        choice(Self::OneSweep, "onesweep").help("One pass per digit, with decoupled look-back"),
        choice(Self::Multisplit { radix_bits: 4 }, "r4")
            .help("Rounds of 4 bits, as in the GPU Multisplit paper"),
        choice(Self::Multisplit { radix_bits: 5 }, "r5").help("Rounds of 5 bits"),
        choice(Self::Multisplit { radix_bits: 6 }, "r6").help("Rounds of 6 bits"),
        choice(Self::Multisplit { radix_bits: 7 }, "r7").help("Rounds of 7 bits"),
        choice(Self::Multisplit { radix_bits: 8 }, "r8").help("Rounds of 8 bits"),
    ];
    const IN_FIGURES: &'static [(Self, &'static str)] =
        &[(Self::Small, "small"), (Self::Counting, "counting")];
}

/// Plans the sort of `n` elements in place. The imports are the keys and the values.
pub fn plan(target: &Target, op: Sorted, method: SortMethod, n: u64) -> Result<Planned> {
    // Most sorts of narrow keys need an array of 32-bit words.
    target.check_size(n * u64::from(op.key.bytes().div_ceil(4)))?;
    let mut graph = Graph::new("sort");
    let mut imports = vec![graph.import_array("keys", op.key.into(), op.key.array_len(n))];
    let mut buffers = SortBuffers::keys(imports[0]).count(n);
    if op.pairs {
        imports.push(graph.import::<u32>("values", n));
        buffers = buffers.values(imports[1]);
    }
    let sort = Sort::ascending().method(method);
    let added = operations::sort(&mut graph, &target.policy, &sort, &buffers)?;
    Ok(Planned { plan: target.plan(graph)?, method: name(added.method), imports })
}
