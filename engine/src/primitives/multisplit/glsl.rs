//! A bucket function of the user's, in GLSL: how it gets into the kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::compile::{Source, compile};
use multisplit_shaders::{Kernel, sources};

use super::KeyType;
use crate::error::{Error, Result};

/// The name that messages about the user's GLSL carry.
const INCLUDE: &str = "user_bucket.glsl";

/// A function `uint bucket_of(K key)` in GLSL, K being `uint`, `int`, `float`, `uint64_t`, `int64_t`
/// or `double` after the type of the keys (`double` needs a device with `shaderFloat64`). It may use `push.parameter_a`, `_b` and `_c` (32-bit words) and
/// `table.at[]`, an array of words; both are what is given here.
///
/// ```
/// use multisplit::primitives::multisplit::UserBucket;
///
/// let parity = UserBucket::new("uint bucket_of(uint key) { return key & 1u; }");
/// ```
#[derive(Clone, Debug)]
pub struct UserBucket {
    pub(super) source: String,
    pub(super) parameters: [u32; 3],
    pub(super) table: Option<Buffer>,
}

impl UserBucket {
    /// The function in `source`.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), parameters: [0; 3], table: None }
    }

    /// With words that the function reads as `push.parameter_a` and so on.
    #[must_use]
    pub fn with_parameters(self, parameters: [u32; 3]) -> Self {
        Self { parameters, ..self }
    }

    /// With a buffer of the graph that the function reads as `table.at[]`.
    #[must_use]
    pub fn with_table(self, table: Buffer) -> Self {
        Self { table: Some(table), ..self }
    }
}

type Cache = Mutex<HashMap<(&'static str, KeyType, String), Arc<Kernel>>>;

/// `builtin` with the user's function in the place of the built-in ones; compiled once.
pub(super) fn kernel(builtin: &Builtin, key: KeyType, source: &str) -> Result<Arc<Kernel>> {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let cache = CACHE.get_or_init(Cache::default);
    let entry = (builtin.label(), key, source.to_owned());
    if let Some(kernel) = cache.lock().unwrap_or_else(PoisonError::into_inner).get(&entry) {
        return Ok(kernel.clone());
    }
    let _span = tracing::debug_span!("glsl.compile", kernel = builtin.label()).entered();
    let glsl = sources::kernel(builtin.file()).ok_or_else(|| Error::Kernel {
        kernel: builtin.label().to_owned(),
        problem: "its GLSL is not part of the library".to_owned(),
    })?;
    let key_type = match key {
        KeyType::U32 => "uint",
        KeyType::I32 => "int",
        KeyType::F32 => "float",
        KeyType::U64 => "uint64_t",
        KeyType::I64 => "int64_t",
        KeyType::F64 => "double",
    };
    let mut defines: Vec<(String, String)> =
        builtin.defines().iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    defines.push(("USER_BUCKET".to_owned(), "1".to_owned()));
    defines.push(("USER_KEY_TYPE".to_owned(), key_type.to_owned()));
    if key == KeyType::F64 {
        defines.push(("USER_DOUBLE".to_owned(), "1".to_owned()));
    }
    let includes = [(INCLUDE, source)];
    let spirv =
        compile(&Source { name: builtin.file(), glsl, defines: &defines, includes: &includes })?;
    let kernel = Kernel::new(format!("{}.user", builtin.label()), spirv)?;
    cache.lock().unwrap_or_else(PoisonError::into_inner).insert(entry, kernel.clone());
    Ok(kernel)
}
