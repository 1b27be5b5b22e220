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
        // The first write counts only where nothing reads before it: it waits for those reads.
        let first_write = here.iter().position(|touch| !touch.writes.is_empty());
        let first = first_write.map_or(here.len(), |write| write.max(1));
        first_use = here[..first].iter().fold(first_use, union);
        // The last write, and what reads after it.
        let last_write = here.iter().rposition(|touch| !touch.writes.is_empty()).unwrap_or(0);
        last_use = here[last_write..].iter().fold(last_use, union);
    }
    ImportContract { entry: decl.entry, exit: decl.exit, first_use, last_use }
}

fn union(scope: Option<Scope>, touch: &&Touch) -> Option<Scope> {
    let touch = Scope::new(touch.stage, touch.reads | touch.writes);
    Some(scope.map_or(touch, |scope| scope.union(touch)))
}
