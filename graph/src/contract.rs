//! Import contracts: the first and last accesses of a plan to an import.

use crate::access::Scope;
use crate::plan::ImportContract;
use crate::resource::BufferDecl;
use crate::touch::{Timeline, Touch};

/// Returns the contract of an import: its declared scopes, and the plan's first and last accesses
/// to any of its bytes.
pub(crate) fn contract(decl: &BufferDecl, buffer: usize, timeline: &Timeline) -> ImportContract {
    let touches: Vec<&Touch> =
        timeline.levels.iter().flatten().filter(|touch| touch.buffer == buffer).collect();
    let mut boundaries: Vec<u64> =
        touches.iter().flat_map(|touch| [touch.bytes.start, touch.bytes.end]).collect();
    boundaries.sort_unstable();
    boundaries.dedup();
    let (mut first_use, mut last_use) = (None, None);
    for &byte in &boundaries {
        let covers = |touch: &&&Touch| (touch.bytes.start..touch.bytes.end).contains(&byte);
        let here: Vec<&Touch> = touches.iter().filter(covers).copied().collect();
        // If no read precedes the first write, `first_use` includes all accesses of the pass that
        // writes first. Otherwise it includes the preceding reads, and the write waits for them.
        // It then also includes the reads of the pass that writes first, because they must observe
        // the caller's writes, unless the pass uses the bytes as scratch memory.
        let reads = here.iter().take_while(|touch| touch.writes.is_empty()).count();
        first_use =
            here[..reads].iter().fold(first_use, |scope, touch| union(scope, full_scope(touch)));
        first_use = match here.get(reads) {
            Some(write) if reads == 0 => union(first_use, full_scope(write)),
            Some(write) if !write.scratch && !write.reads.is_empty() => {
                union(first_use, Scope::new(write.stage, write.reads))
            }
            _ => first_use,
        };
        // `last_use` includes the last write and all reads after it.
        let last_write = here.iter().rposition(|touch| !touch.writes.is_empty()).unwrap_or(0);
        last_use = here[last_write..]
            .iter()
            .fold(last_use, |scope, touch| union(scope, full_scope(touch)));
    }
    ImportContract { entry: decl.entry, exit: decl.exit, first_use, last_use }
}

fn full_scope(touch: &Touch) -> Scope {
    Scope::new(touch.stage, touch.reads | touch.writes)
}

fn union(all: Option<Scope>, scope: Scope) -> Option<Scope> {
    Some(all.map_or(scope, |all| all.union(scope)))
}
