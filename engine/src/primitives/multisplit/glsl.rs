//! A bucket function of the user's, in GLSL: how it gets into the kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::compile::{Source, compile};
use multisplit_shaders::{Kernel, sources};

use crate::error::{Error, Result};

/// The name that messages about the user's GLSL carry.
const INCLUDE: &str = "user_bucket.glsl";

/// A bucket or bin function in GLSL: `uint bucket_of(K key)`, K being `uint`, `int`, `float`,
/// `uint64_t`, `int64_t` or `double` after the type of the keys (`double` needs a device with
/// `shaderFloat64`). It may read the words `push.parameter_a`, `_b` and `_c`, and the array of words
/// `table.at[]`; both are what is given here. It computes, and does nothing else: a function that
/// writes memory, waits at a barrier, or reads what is not its own is refused.
///
/// ```
/// use multisplit::{Buckets, Glsl};
///
/// # let gpu = multisplit::Context::new()?;
/// let nearest = Glsl::new("uint bucket_of(uint key) { return table.at[key & 3u]; }").table(&[2, 0, 1, 1]);
/// assert_eq!(gpu.split(&[0u32, 1, 2, 3], Buckets::glsl(3, nearest))?.keys, [1, 2, 3, 0]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Glsl {
    pub(in crate::primitives) source: String,
    pub(in crate::primitives) parameters: [u32; 3],
    pub(in crate::primitives) table: Table,
}

/// The words that a function reads.
#[derive(Clone, Debug)]
pub(in crate::primitives) enum Table {
    None,
    Words(Arc<[u32]>),
    Buffer(Buffer),
}

impl Glsl {
    /// The function in `source`.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), parameters: [0; 3], table: Table::None }
    }

    /// Words that the function reads as `push.parameter_a`, `_b` and `_c`.
    #[must_use]
    pub fn parameters(self, parameters: [u32; 3]) -> Self {
        Self { parameters, ..self }
    }

    /// Words that the function reads as `table.at[]`.
    #[must_use]
    pub fn table(self, words: &[u32]) -> Self {
        Self { table: Table::Words(words.into()), ..self }
    }

    /// A buffer of the graph that the function reads as `table.at[]`.
    #[must_use]
    pub fn table_buffer(self, table: Buffer) -> Self {
        Self { table: Table::Buffer(table), ..self }
    }

    /// Its table as a buffer of the graph.
    pub(in crate::primitives) fn declare_table(&self, graph: &mut Graph) -> Option<Buffer> {
        match &self.table {
            Table::None => None,
            Table::Words(words) if words.is_empty() => None,
            Table::Words(words) => Some(super::job::table(graph, "glsl.table", words)),
            Table::Buffer(buffer) => Some(*buffer),
        }
    }
}

impl From<&str> for Glsl {
    fn from(source: &str) -> Self {
        Self::new(source)
    }
}

type Cache = Mutex<HashMap<(&'static str, &'static str, String), Arc<Kernel>>>;

/// `builtin` with the user's function, of a `key_type` in GLSL, in the place of the built-in ones;
/// compiled once.
pub(in crate::primitives) fn kernel(
    builtin: &Builtin,
    key_type: &'static str,
    source: &str,
) -> Result<Arc<Kernel>> {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let cache = CACHE.get_or_init(Cache::default);
    let entry = (builtin.label(), key_type, source.to_owned());
    if let Some(kernel) = cache.lock().unwrap_or_else(PoisonError::into_inner).get(&entry) {
        return Ok(kernel.clone());
    }
    let _span = tracing::debug_span!("glsl.compile", kernel = builtin.label()).entered();
    let glsl = sources::kernel(builtin.file()).ok_or_else(|| Error::Kernel {
        kernel: builtin.label().to_owned(),
        problem: "its GLSL is not part of the library".to_owned(),
    })?;
    let mut defines: Vec<(String, String)> =
        builtin.defines().iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    defines.push(("USER_BUCKET".to_owned(), "1".to_owned()));
    defines.push(("USER_KEY_TYPE".to_owned(), key_type.to_owned()));
    if key_type == "double" {
        defines.push(("USER_DOUBLE".to_owned(), "1".to_owned()));
    }
    let includes = [(INCLUDE, source)];
    let spirv =
        compile(&Source { name: builtin.file(), glsl, defines: &defines, includes: &includes })?;
    let kernel = Kernel::new(format!("{}.user", builtin.label()), spirv)?;
    cache.lock().unwrap_or_else(PoisonError::into_inner).insert(entry, kernel.clone());
    Ok(kernel)
}
