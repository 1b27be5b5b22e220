//! A graph together with the contents of its imports. For each run, the contents are uploaded
//! between guard words. Comparisons of results also check the guard words and all words that must
//! not change.

use std::fmt::Debug;

use anyhow::{Context as _, Result, bail, ensure};
use bytemuck::{Pod, cast_slice, cast_slice_mut, pod_collect_to_vec};
use multisplit::graph::{Buffer, ElementType, Graph, Limits};
use multisplit::operations::Count;
use multisplit::{Array, Bound, Context, Executable, Policy};

/// Number of guard words before and after each array; 64 satisfies any offset alignment.
const GUARD: usize = 64;
/// The guard word.
pub const GUARD_WORD: u32 = 0xDEAD_BEEF;
/// Number of array elements after those that a device count includes; they must be ignored.
pub const SPARE: usize = 77;
/// Word indices of device counts in their buffer: in the first 256 bytes, in the next 256 bytes,
/// and beyond. (No device requires binding offsets to be multiples of more than 256 bytes.)
const COUNT_INDICES: [usize; 3] = [3, 71, 150];

/// A graph and the contents of its imports.
pub struct Setup<'c> {
    context: &'c Context,
    /// The graph, for passes.
    pub graph: Graph,
    imports: Vec<Contents>,
}

/// An import and its initial contents.
struct Contents {
    name: String,
    import: Buffer,
    /// The contents, with guard words before and after.
    words: Vec<u32>,
    array: Option<Array<u32>>,
}

impl<'c> Setup<'c> {
    /// Creates an empty graph called `name`.
    pub fn new(context: &'c Context, name: &str) -> Self {
        Self { context, graph: Graph::new(name), imports: Vec::new() }
    }

    /// Imports an array with these elements. An empty array is imported as one element.
    pub fn input<T: Pod>(&mut self, name: &str, elements: &[T]) -> Buffer {
        let len = elements.len().max(1) as u64;
        self.add(name, ElementType::of::<T>(), len, cast_slice(elements))
    }

    /// Imports an output array of `len` elements, which is initialized with guard words.
    pub fn output<T: Pod>(&mut self, name: &str, len: usize) -> Buffer {
        self.add(name, ElementType::of::<T>(), len.max(1) as u64, &[])
    }

    /// Imports an array of `len` elements of a type chosen at run time, which begins with `words`.
    pub fn array(&mut self, name: &str, element: ElementType, len: u64, words: &[u32]) -> Buffer {
        self.add(name, element, len, cast_slice(words))
    }

    fn add(&mut self, name: &str, element: ElementType, len: u64, bytes: &[u8]) -> Buffer {
        let import = self.graph.import_array(name, element, len);
        let words = vec![GUARD_WORD; 2 * GUARD + import.size().div_ceil(4) as usize];
        let mut contents = Contents { name: name.into(), import, words, array: None };
        contents.set(bytes);
        self.imports.push(contents);
        import
    }

    /// A count of `n`: on the host, or among other words on the device with a capacity of `max`.
    pub fn count(&mut self, on_device: bool, n: u32, max: usize) -> Count {
        if !on_device {
            return Count::Host(n.into());
        }
        let name = format!("count.{}", self.imports.len());
        let index = COUNT_INDICES[max % COUNT_INDICES.len()] as u64;
        let buffer = self.input(&name, &count_words(n, index));
        Count::Device { buffer, index, max: max as u64 }
    }

    /// Replaces the first elements of an import, also on the device if they are uploaded.
    pub fn write<T: Pod>(&mut self, import: Buffer, elements: &[T]) -> Result<()> {
        let context = self.context;
        let contents = self.imports.iter_mut().find(|contents| contents.import == import);
        let contents = contents.context("the buffer is not an import of this graph")?;
        contents.set(cast_slice(elements));
        if let Some(array) = &contents.array {
            context.write(array, 0, &contents.words)?;
        }
        Ok(())
    }

    /// Sets a device count that [`Self::count`] returned.
    pub fn set_count(&mut self, count: Count, n: u32) -> Result<()> {
        match count {
            Count::Device { buffer, index, .. } => self.write(buffer, &count_words(n, index)),
            Count::Host(_) => bail!("only a device count can be set"),
        }
    }

    /// Plans and instantiates the graph.
    pub fn executable(&self) -> Result<Executable> {
        Ok(self.context.instantiate(self.graph.compile(&self.context.limits())?)?)
    }

    /// Runs the graph within the limits of the device.
    pub fn run(&mut self) -> Result<()> {
        self.run_within(&self.context.limits())
    }

    /// Runs the graph within the limits of the device, lowered to those of `policy`.
    pub fn run_by(&mut self, policy: &Policy) -> Result<()> {
        let max_workgroup_count = [policy.facts.max_groups, 65535, 65535];
        let max_storage_range = policy.facts.max_storage_range;
        self.run_within(&Limits { max_workgroup_count, max_storage_range, ..self.context.limits() })
    }

    /// Runs the graph within these limits.
    pub fn run_within(&mut self, limits: &Limits) -> Result<()> {
        let executable = self.context.instantiate(self.graph.compile(limits)?)?;
        self.run_on(&executable)
    }

    /// Runs an executable of the graph with the initial contents.
    pub fn run_on(&mut self, executable: &Executable) -> Result<()> {
        let context = self.context;
        let bound = self.upload()?;
        Ok(context.run(executable, &bound)?)
    }

    /// Uploads the initial contents. Returns the arrays of all imports.
    pub fn upload(&mut self) -> Result<Vec<Bound<'_>>> {
        for contents in &mut self.imports {
            contents.array = Some(self.context.upload(&contents.words)?);
        }
        let arrays =
            self.imports.iter().flat_map(|of| of.array.iter().map(move |a| (of.import, a)));
        Ok(arrays.map(|(import, array)| Bound::untyped(import, array, 4 * GUARD as u64)).collect())
    }

    /// The elements of an import. Fails if a guard word has changed.
    pub fn found<T: Pod>(&self, import: Buffer) -> Result<Vec<T>> {
        let (contents, words) = self.download(import)?;
        let end = GUARD + import.size().div_ceil(4) as usize;
        if words[..GUARD] != contents.words[..GUARD] || words[end..] != contents.words[end..] {
            bail!("`{}`: a guard word has changed", contents.name);
        }
        let bytes = &cast_slice::<u32, u8>(&words[GUARD..end])[..import.size() as usize];
        Ok(pod_collect_to_vec(bytes))
    }

    /// Fails unless an import begins with these elements, and is otherwise unchanged.
    pub fn expect<T: Pod + Debug>(&self, import: Buffer, expected: &[T]) -> Result<()> {
        let (contents, words) = self.download(import)?;
        let [found, before] = [&words, &contents.words].map(|words| cast_slice::<u32, u8>(words));
        let (begin, end) = (4 * GUARD, 4 * GUARD + size_of_val(expected));
        let (bytes, name) = (cast_slice::<T, u8>(expected), &contents.name);
        let capacity = import.size() as usize / size_of::<T>();
        ensure!(
            expected.len() <= capacity,
            "`{name}` has {capacity} elements, but {} are expected",
            expected.len()
        );
        if found[begin..end] != *bytes {
            let found: Vec<T> = pod_collect_to_vec(&found[begin..end]);
            let bytes =
                |elements: &[T], at: usize| cast_slice::<T, u8>(&elements[at..=at]).to_vec();
            let differs = |&at: &usize| bytes(&found, at) != bytes(expected, at);
            let at = (0..expected.len()).find(differs).unwrap_or_default();
            bail!("`{name}`: element {at} is {:?}, expected {:?}", found[at], expected[at]);
        }
        ensure!(
            found[..begin] == before[..begin],
            "`{name}`: a guard word before the array has changed"
        );
        if found[end..] != before[end..] {
            let at =
                found[end..].iter().zip(&before[end..]).position(|(found, word)| found != word);
            let distance = at.unwrap_or_default();
            bail!("`{name}`: byte {distance} after the expected elements has changed");
        }
        Ok(())
    }

    /// Fails if an import has changed.
    pub fn expect_unchanged(&self, import: Buffer) -> Result<()> {
        self.expect::<u8>(import, &[])
    }

    fn download(&self, import: Buffer) -> Result<(&Contents, Vec<u32>)> {
        let contents = self.imports.iter().find(|contents| contents.import == import);
        let contents = contents.context("the buffer is not an import of this graph")?;
        let array = contents.array.as_ref().context("the graph has not run yet")?;
        Ok((contents, self.context.download(array)?))
    }
}

impl Contents {
    fn set(&mut self, bytes: &[u8]) {
        let all = cast_slice_mut::<u32, u8>(&mut self.words);
        all[4 * GUARD..][..bytes.len()].copy_from_slice(bytes);
    }
}

/// The contents of a count buffer: word `index` is the count `n`, and all other words are 9.
fn count_words(n: u32, index: u64) -> [u32; 160] {
    let mut words = [9; 160];
    words[index as usize] = n;
    words
}
