//! What a caller has to know of an import: which of the plan's accesses come first and last.

use crate::access::Scope;
use crate::plan::ImportContract;
use crate::resource::BufferDecl;
use crate::touch::{Timeline, Touch};

pub(crate) fn contract(decl: &BufferDecl, buffer: usize, timeline: &Timeline) -> ImportContract {
    let touches: Vec<&Touch> =
        timeline.levels.iter().flatten().filter(|touch| touch.buffer == buffer).collect();
    let mut cuts: Vec<u64> =
        touches.iter().flat_map(|touch| [touch.bytes.start, touch.bytes.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let (mut first_use, mut last_use) = (None, None);
    for &byte in &cuts {
        let covers = |touch: &&&Touch| (touch.bytes.start..touch.bytes.end).contains(&byte);
        let here: Vec<&Touch> = touches.iter().filter(covers).copied().collect();
        // The first write counts in full only where nothing reads before it, for otherwise it
        // waits for those reads; what it reads itself it has to see in any case.
        let reads = here.iter().take_while(|touch| touch.writes.is_empty()).count();
        first_use = here[..reads].iter().fold(first_use, |scope, touch| union(scope, whole(touch)));
        first_use = match here.get(reads) {
            Some(write) if reads == 0 => union(first_use, whole(write)),
            Some(write) if !write.scratch && !write.reads.is_empty() => {
                union(first_use, Scope::new(write.stage, write.reads))
            }
            _ => first_use,
        };
        // The last write, and what reads after it.
        let last_write = here.iter().rposition(|touch| !touch.writes.is_empty()).unwrap_or(0);
        last_use =
            here[last_write..].iter().fold(last_use, |scope, touch| union(scope, whole(touch)));
    }
    ImportContract { entry: decl.entry, exit: decl.exit, first_use, last_use }
}

fn whole(touch: &Touch) -> Scope {
    Scope::new(touch.stage, touch.reads | touch.writes)
}

fn union(all: Option<Scope>, scope: Scope) -> Option<Scope> {
    Some(all.map_or(scope, |all| all.union(scope)))
}
