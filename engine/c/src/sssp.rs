//! The C interface of shortest paths.

use std::ffi::c_void;
use std::mem::{MaybeUninit, offset_of};
use std::sync::{Arc, Mutex, PoisonError};

use multisplit_sssp::network::{Direction, EdgeList, EdgeWeights, Network};
use multisplit_sssp::{DeviceNetwork, Method, Options, Solver};

use crate::context::{CONTEXTS, ContextObject, MultisplitContext};
use crate::handle::Registry;
use crate::read::{self, Out, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::types::choice;
use crate::vulkan::VkBool32;

/// The distance of an unreachable vertex, and the predecessor of a vertex that has no predecessor.
pub const MULTISPLIT_UNREACHED: u32 = u32::MAX;

/// Shortest path algorithm. All algorithms find the same distances.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitSsspMethod {
    /// The method that was fastest in measurements: `MULTISPLIT`.
    Auto = 0,
    /// Bellman-Ford.
    BellmanFord = 1,
    /// Near-far: vertices of a near set are expanded; vertices at larger distances wait in a far pile.
    NearFar = 2,
    /// Buckets of equal width, formed by a sort.
    Bucketing = 3,
    /// Buckets of equal width, formed by a multisplit in separate passes.
    MultisplitPasses = 4,
    /// Buckets of equal width, formed by a multisplit within the kernel that relaxes the edges.
    Multisplit = 5,
}
choice!(MultisplitSsspMethod => Method: Auto, BellmanFord, NearFar, Bucketing, MultisplitPasses, Multisplit);

/// Weights of a network's edges.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitEdgeWeight {
    /// 1 for each edge.
    Ones = 0,
    /// A `uint32_t` per edge.
    U32 = 1,
    /// A `float` per edge: finite, and not negative.
    F32 = 2,
}
choice!(MultisplitEdgeWeight: Ones, U32, F32);

/// Finds shortest paths in one network, from one source at a time.
pub struct MultisplitSssp;

/// A network, and the search parameters. Everything is copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitSsspInfo {
    /// `sizeof(MultisplitSsspInfo)`.
    pub struct_size: u32,
    /// Number of vertices: 1 to 2^30 - 1.
    pub vertices: u32,
    /// Number of edges: at most 2^30 - 1, or 2^29 - 1 if `undirected` is set.
    pub edge_count: u64,
    /// Start vertex of each edge.
    pub from: *const u32,
    /// End vertex of each edge.
    pub to: *const u32,
    /// Weight of each edge, `uint32_t` or `float`; `NULL` for `ONES`.
    pub weights: *const c_void,
    /// Type of the weights.
    pub weight: MaybeUninit<MultisplitEdgeWeight>,
    /// Whether edges can be followed in both directions.
    pub undirected: VkBool32,
    /// Algorithm.
    pub method: MaybeUninit<MultisplitSsspMethod>,
    /// Whether to compute predecessors too.
    pub predecessors: VkBool32,
    /// Bucket width, as a distance; 0: chosen from the weights and degrees.
    pub delta: f64,
    /// Number of buckets, for methods that use them; 0: 10.
    pub buckets: u32,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: satisfies the requirements of the trait.
unsafe impl Sized32 for MultisplitSsspInfo {
    const NAME: &'static str = "MultisplitSsspInfo";
    const REQUIRED: usize = offset_of!(Self, weights);
}

static SOLVERS: Registry<MultisplitSssp, SolverObject> = Registry::new("shortest-path search");

struct SolverObject {
    search: Mutex<Solver>,
    vertices: u32,
    predecessors: bool,
    /// Keeps the context alive. Declared last, so that it is dropped after everything that uses the device.
    #[expect(dead_code, reason = "held only to keep the context alive")]
    context: Arc<ContextObject>,
}

/// Uploads a network to the device and prepares the search. Submits to the context's queue.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitSsspInfo` whose pointers are `NULL` or valid. `sssp` is `NULL`
/// or writable. The context's queue is not used by anything else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sssp_create(
    context: *const MultisplitContext,
    info: *const MultisplitSsspInfo,
    sssp: *mut *mut MultisplitSssp,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        let (out, context, info) = unsafe {
            let out = Out::handle("sssp", sssp)?;
            (out, CONTEXTS.get(context)?, read::info(info)?)
        };
        read::reserved(MultisplitSsspInfo::NAME, info.reserved)?;
        let options = options(&info)?;
        // SAFETY: by the caller's contract.
        let network = unsafe { network(&info)? };
        let on_device = DeviceNetwork::upload(&context.engine, &network)?;
        let search = Mutex::new(Solver::new(&context.engine, &on_device, &options)?);
        let (vertices, predecessors) = (info.vertices, options.predecessors);
        out.set(SOLVERS.insert(SolverObject { search, vertices, predecessors, context })?);
        Ok(())
    })
}

fn options(info: &MultisplitSsspInfo) -> Outcome<Options> {
    let mut options = Options {
        method: read::choice(info.method)?.into(),
        delta: (info.delta != 0.0).then_some(info.delta),
        predecessors: info.predecessors != 0,
        ..Options::default()
    };
    if info.buckets != 0 {
        options.buckets = info.buckets;
    }
    Ok(options)
}

/// # Safety
/// The pointers of `info` are null or valid.
unsafe fn network(info: &MultisplitSsspInfo) -> Outcome<Network> {
    let count = info.edge_count;
    check_edge_count(count)?;
    // SAFETY: by the caller's contract.
    let (from, to) =
        unsafe { (read::slice("from", info.from, count)?, read::slice("to", info.to, count)?) };
    // SAFETY: by the caller's contract; all bit patterns are valid numbers.
    let weights = unsafe {
        match read::choice(info.weight)? {
            MultisplitEdgeWeight::Ones => EdgeWeights::Ones,
            MultisplitEdgeWeight::U32 => {
                EdgeWeights::U32(copied(read::slice("weights", info.weights.cast(), count)?)?)
            }
            MultisplitEdgeWeight::F32 => {
                EdgeWeights::F32(copied(read::slice("weights", info.weights.cast(), count)?)?)
            }
        }
    };
    let direction = match info.undirected {
        0 => Direction::Directed,
        _ => Direction::Undirected,
    };
    let edges = EdgeList { from: copied(from)?, to: copied(to)?, weights };
    let network = Network::new(info.vertices.into(), direction, &edges);
    Ok(network.map_err(multisplit_sssp::Error::from)?)
}

/// Maximum number of directed edges, a limit of the kernels.
const MAX_EDGES: u64 = (1 << 30) - 1;

/// Rejects edge counts that the kernels do not support, before the edges are read.
fn check_edge_count(count: u64) -> Outcome {
    if count <= MAX_EDGES {
        return Ok(());
    }
    let text = format!("edge_count is {count}; at most {MAX_EDGES} edges are supported");
    Err(Failure::new(MultisplitResult::MultisplitErrorTooLarge, text))
}

/// A copy of the caller's array. Unlike `to_vec`, it does not abort if there is not enough memory.
fn copied<T: Copy>(from: &[T]) -> Outcome<Vec<T>> {
    let mut to = Vec::new();
    to.try_reserve_exact(from.len()).map_err(|_| {
        let text = format!("not enough host memory for a copy of {} edges", from.len());
        Failure::new(MultisplitResult::MultisplitErrorOutOfMemory, text)
    })?;
    to.extend_from_slice(from);
    Ok(to)
}

/// Finds the shortest paths from `source`. Submits to the context's queue and waits.
///
/// Both arrays have `count` words, at least one per vertex. `distances` receives `uint32_t` or, if the
/// weights are floats, `float`; for unreachable vertices, the bits are `MULTISPLIT_UNREACHED`. `predecessors`
/// is `NULL`, or receives the predecessor of each vertex on a shortest path; the search must then have been
/// created with `predecessors`.
///
/// # Safety
/// The arrays are `NULL` or have `count` writable words. The context's queue is not used by anything else
/// during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sssp_solve(
    sssp: *const MultisplitSssp,
    source: u32,
    distances: *mut c_void,
    predecessors: *mut u32,
    count: u64,
) -> MultisplitResult {
    guard(|| {
        let solver = SOLVERS.get(sssp)?;
        let words = u64::from(solver.vertices);
        if distances.is_null() {
            return Err(Failure::null("distances"));
        }
        if count < words {
            let (has, needed) = (4 * count.min(1 << 60), 4 * words);
            return Err(Failure::too_small("the array of distances", has, needed));
        }
        if !predecessors.is_null() && !solver.predecessors {
            let text = "predecessors is not NULL, but the search was created without predecessors";
            return Err(Failure::invalid(text));
        }
        let mut search = solver.search.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = search.solve(source)?.paths;
        // SAFETY: the arrays have at least `vertices` words, by the caller's contract.
        unsafe {
            write(distances.cast(), &paths.distances);
            if !predecessors.is_null() {
                write(predecessors, &paths.predecessors);
            }
        }
        Ok(())
    })
}

/// # Safety
/// `to` has room for `words.len()` words, at any alignment.
unsafe fn write(to: *mut u32, words: &[u32]) {
    let bytes = size_of_val(words);
    // SAFETY: by the caller's contract; `words` is newly allocated, so the ranges do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), to.cast::<u8>(), bytes) };
}

/// Destroys a search. `NULL` is allowed and ignored.
///
/// # Safety
/// The device is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_sssp_destroy(sssp: *mut MultisplitSssp) -> MultisplitResult {
    guard(|| SOLVERS.remove(sssp, |_| Ok(())))
}
