//! User functions in GLSL, and the cache of kernels compiled with them.

use std::sync::{Arc, Mutex};

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::UserFunction;
use multisplit_shaders::builtin::Builtin;

use crate::elements::key::{Key, KeyType};
use crate::error::{Error, Result};
use crate::lock::lock;

/// A function that the user writes in GLSL: a bucket or bin function `uint bucket_of(K key)`, or the condition of a
/// selection `bool is_selected(K key)`. K is the GLSL type of the keys: `uint`, `int`, `float`, `uint64_t`, `int64_t`
/// or `double` (which requires a device with `shaderFloat64`). Keys of 8 and 16 bits are converted to 32 bits.
///
/// The function may read the words `push.parameter_0`, `_1` and `_2`, and the array of words `table.at[]`; the
/// methods below set them. It must not have side effects: a function that writes memory, waits at a barrier, or reads
/// any other resource is rejected. Undefined behaviour is prevented: an index past the end of an array reads the last
/// element (except in `table.at[]` if kernels access buffers by address), a division by zero divides by 1, a shift
/// amount is taken modulo the width, and a conversion to an integer saturates.
///
/// Compiled kernels are cached. If the cache is full, the least recently used kernel is evicted, and compiled again
/// when it is next needed.
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
#[must_use]
pub struct Glsl {
    pub(in crate::operations) source: String,
    pub(in crate::operations) parameters: [u32; 3],
    pub(in crate::operations) table: Table,
}

/// Source of the words in `table.at[]`.
#[derive(Clone, Debug)]
pub enum Table {
    None,
    Words(Arc<[u32]>),
    Buffer(Buffer),
}

impl Glsl {
    /// Creates a user function from GLSL source.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), parameters: [0; 3], table: Table::None }
    }

    /// Sets the words that the function reads as `push.parameter_0`, `_1` and `_2`.
    pub fn parameters(self, parameters: [u32; 3]) -> Self {
        Self { parameters, ..self }
    }

    /// Sets the words that the function reads as `table.at[]`.
    pub fn table(self, words: &[u32]) -> Self {
        Self { table: Table::Words(words.into()), ..self }
    }

    /// Sets the buffer of the graph that the function reads as `table.at[]`.
    pub fn table_buffer(self, table: Buffer) -> Self {
        Self { table: Table::Buffer(table), ..self }
    }

    /// Returns the table as a buffer of the graph. `None` if no table or an empty list of words was set.
    pub(in crate::operations) fn declare_table(&self, graph: &mut Graph) -> Option<Buffer> {
        match &self.table {
            Table::None => None,
            Table::Words(words) if words.is_empty() => None,
            Table::Words(words) => Some(graph.constant("glsl.table", words)),
            Table::Buffer(buffer) => Some(*buffer),
        }
    }
}

impl From<&str> for Glsl {
    fn from(source: &str) -> Self {
        Self::new(source)
    }
}

/// An operator that the user writes in GLSL: a function `K combined(K a, K b)`, and its identity element on both
/// sides. K is the GLSL type of the elements: `uint`, `int`, `float`, `uint64_t`, `int64_t` or `double` (which
/// requires a device with `shaderFloat64`).
///
/// The operator must be associative. The grouping of elements depends on the device, its policy, the count and the
/// segments, but does not vary between runs, unless the array does not fit in the device's free memory and is processed
/// in parts. The operator need not be commutative: elements are combined in order. The function must not have side
/// effects: a function that writes memory, waits at a barrier, or reads any resource is rejected. Divisions, shifts and
/// conversions are guarded as in [`Glsl`](crate::Glsl).
///
/// ```
/// use multisplit::{GlslOperator, Scan};
///
/// # let gpu = multisplit::Context::new()?;
/// let product = GlslOperator::new("uint combined(uint a, uint b) { return a * b; }", 1u32);
/// assert_eq!(gpu.reduce(&[2u32, 3, 4], &product)?, 24);
/// assert_eq!(gpu.scan_with(&[2u32, 3, 4], &Scan::inclusive(product))?, [2, 6, 24]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GlslOperator {
    source: Arc<str>,
    key: KeyType,
    identity: u64,
}

impl GlslOperator {
    /// Creates an operator from GLSL source and its identity element.
    pub fn new<K: Key>(source: impl Into<Arc<str>>, identity: K) -> Self {
        Self { source: source.into(), key: K::TYPE, identity: identity.key_bits() }
    }

    /// Like [`new`](Self::new), for elements whose type is known only at run time. `identity` contains the bits of
    /// an element, zero-extended.
    pub fn of_type(source: impl Into<Arc<str>>, key: KeyType, identity: u64) -> Self {
        let identity = identity & (u64::MAX >> (64 - key.bits()));
        Self { source: source.into(), key, identity }
    }

    /// Rejects elements whose type differs from that of the identity.
    pub(in crate::operations) fn check(&self, key: KeyType) -> Result<()> {
        if key == self.key {
            return Ok(());
        }
        let (found, expected) = (self.key.to_string(), key.to_string());
        Err(Error::KeyTypeMismatch { name: "identity", found, expected })
    }

    pub(in crate::operations) fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns the built-in kernel compiled with the function.
    pub(in crate::operations) fn kernel(&self, builtin: &Builtin) -> Result<Arc<Kernel>> {
        kernel(builtin, UserFunction::Operator, self.key.glsl(), &self.source)
    }
}

/// Maximum number of cached kernels with user functions. Beyond it, the least recently used kernel is evicted. An
/// operation uses only a few kernels, so a program can alternate between several functions without recompilation.
const MAX_CACHED: usize = 64;

/// Key of the cache: label of the built-in kernel, GLSL type of its keys, and source of the function.
type Entry = (&'static str, &'static str, String);

/// Cached kernels, least recently used first.
#[derive(Default)]
struct Cache(Vec<(Entry, Arc<Kernel>)>);

impl Cache {
    fn get(&mut self, entry: &Entry) -> Option<Arc<Kernel>> {
        let at = self.0.iter().position(|(known, _)| known == entry)?;
        let found = self.0.remove(at);
        let kernel = found.1.clone();
        self.0.push(found);
        Some(kernel)
    }

    /// Adds a kernel. If another thread has added a kernel with the same key in the meantime, returns that kernel
    /// instead.
    fn insert(&mut self, entry: Entry, kernel: Arc<Kernel>) -> Arc<Kernel> {
        if let Some(known) = self.get(&entry) {
            return known;
        }
        if self.0.len() >= MAX_CACHED {
            self.0.remove(0);
        }
        self.0.push((entry, kernel.clone()));
        kernel
    }
}

/// Returns `builtin` compiled with the user's function, whose argument has the GLSL type `key_type`.
pub fn kernel(
    builtin: &Builtin,
    role: UserFunction,
    key_type: &'static str,
    source: &str,
) -> Result<Arc<Kernel>> {
    static CACHE: Mutex<Cache> = Mutex::new(Cache(Vec::new()));
    let entry = (builtin.label(), key_type, source.to_owned());
    if let Some(kernel) = lock(&CACHE).get(&entry) {
        return Ok(kernel);
    }
    let _span = tracing::debug_span!("glsl.compile", kernel = builtin.label()).entered();
    let kernel = Kernel::with_user_function(builtin, role, key_type, source)?;
    Ok(lock(&CACHE).insert(entry, kernel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit_shaders::builtin;

    #[test]
    fn cache_evicts_the_least_recently_used_entry() {
        let some = builtin::SCAN_REDUCE.kernel().expect("built-in kernels are valid");
        let entry = |number: usize| ("kernel", "uint", number.to_string());
        let mut cache = Cache::default();
        for number in 0..MAX_CACHED {
            cache.insert(entry(number), some.clone());
        }
        assert!(cache.get(&entry(0)).is_some());
        cache.insert(entry(MAX_CACHED), some.clone());
        assert_eq!(cache.0.len(), MAX_CACHED);
        assert!(cache.get(&entry(0)).is_some(), "a recently used entry was evicted");
        assert!(cache.get(&entry(1)).is_none(), "the least recently used entry was not evicted");
    }

    #[test]
    fn functions_are_compiled_once_and_wrong_types_are_rejected() {
        let compiled = |key_type| {
            let source = "uint bucket_of(uint key) { return table.at[key]; }";
            kernel(&builtin::MULTISPLIT_LABELS, UserFunction::Bucket, key_type, source)
        };
        let [first, again] = ["uint"; 2].map(|key| compiled(key).expect("the function compiles"));
        assert!(Arc::ptr_eq(&first, &again) && !first.is_built_in());
        let wrong = compiled("float").expect_err("an argument of another type is rejected");
        assert!(
            wrong.to_string().starts_with("bucket_of takes `uint`, but keys are `float`"),
            "{wrong}"
        );
    }
}
