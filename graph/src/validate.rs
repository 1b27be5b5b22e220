//! Validates a graph before planning: buffers, handles, and reads of unwritten bytes. `resolve`
//! validates single passes.

use std::collections::BTreeSet;

use crate::access::{Access, Scope, Stages};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::resolve::{self, CheckedPass};
use crate::resource::{Buffer, BufferDecl, Kind};
use crate::sync::ByteRange;

/// A valid graph with all handles resolved to indices.
pub(crate) struct Checked {
    pub buffers: Vec<BufferDecl>,
    pub passes: Vec<CheckedPass>,
    /// Explicit orders, as pairs of pass indices.
    pub orders: Vec<(usize, usize)>,
}

pub(crate) fn check(graph: &Graph, limits: &Limits) -> Result<Checked, GraphError> {
    let buffers = check_buffers(graph, limits)?;
    let resolve = |pass| resolve::resolve_pass(graph, pass, limits);
    let mut passes = graph.passes.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    for &pass in &graph.keeps {
        passes[pass_index(graph, pass, "keep")?].kept = true;
    }
    for &pass in &graph.settables {
        passes[pass_index(graph, pass, "settable")?].planned.settable = true;
    }
    let orders = resolve_orders(graph)?;
    check_ping_pongs(graph)?;
    let checked = Checked { buffers, passes, orders };
    check_reads_are_written(&checked)?;
    Ok(checked)
}

fn check_buffers(graph: &Graph, limits: &Limits) -> Result<Vec<BufferDecl>, GraphError> {
    let mut imports = BTreeSet::new();
    for BufferDecl { name, kind, size, .. } in &graph.buffers {
        if *size == 0 {
            return Err(GraphError::EmptyBuffer { pass: None, buffer: name.clone() });
        }
        if *size > limits.max_buffer_size {
            let (at, limit, max) =
                (format!("buffer `{name}`"), "maxBufferSize", limits.max_buffer_size);
            return Err(GraphError::LimitExceeded { at, limit, value: *size, max });
        }
        if *kind == Kind::Import && !imports.insert(name) {
            return Err(GraphError::DuplicateImport { buffer: name.clone() });
        }
    }
    let mut buffers = graph.buffers.clone();
    for (buffer, scope) in &graph.entries {
        let index = scoped_import(graph, *buffer, *scope, "entry")?;
        merge_scope(&mut buffers[index].entry, *scope);
    }
    for (buffer, scope) in &graph.exits {
        let index = scoped_import(graph, *buffer, *scope, "exit")?;
        merge_scope(&mut buffers[index].exit, *scope);
    }
    Ok(buffers)
}

fn merge_scope(scopes: &mut Option<Scope>, scope: Scope) {
    *scopes = Some(scopes.unwrap_or_default().union(scope));
}

/// Returns the index of a buffer with an entry or exit scope. Fails if the buffer is not an import
/// or the scope is invalid.
fn scoped_import(
    graph: &Graph,
    buffer: Buffer,
    scope: Scope,
    call: &str,
) -> Result<usize, GraphError> {
    let decl = graph.buffer_decl(buffer, || call.to_owned())?;
    if decl.kind != Kind::Import {
        return Err(GraphError::NotAnImport { buffer: decl.name.clone() });
    }
    let parts = scope.parts();
    let stage_without_access = parts.iter().any(|(_, access)| access.is_empty());
    let unsupported = scope.access.difference(scope.stages.supported_access());
    let known = Stages::all().contains(scope.stages) && Access::all().contains(scope.access);
    if parts.is_empty() || stage_without_access || !unsupported.is_empty() || !known {
        return Err(GraphError::InvalidScope { buffer: decl.name.clone(), scope });
    }
    Ok(buffer.index)
}

fn resolve_orders(graph: &Graph) -> Result<Vec<(usize, usize)>, GraphError> {
    let index = |pass| pass_index(graph, pass, "order");
    graph.orders.iter().map(|(before, after)| Ok((index(*before)?, index(*after)?))).collect()
}

fn pass_index(graph: &Graph, pass: crate::pass::PassId, call: &str) -> Result<usize, GraphError> {
    if pass.graph == graph.id && pass.index < graph.passes.len() {
        Ok(pass.index)
    } else {
        Err(GraphError::ForeignPass { at: call.to_owned() })
    }
}

fn check_ping_pongs(graph: &Graph) -> Result<(), GraphError> {
    for pair in &graph.carries {
        let front = graph.buffer_decl(pair.front(), || "carry".to_owned())?;
        let back = graph.buffer_decl(pair.back(), || "carry".to_owned())?;
        if graph.replayable && pair.parity() {
            let (started, ended) = (back.name.clone(), front.name.clone());
            return Err(GraphError::OddPingPong { started, ended });
        }
    }
    Ok(())
}

/// Checks that every byte of a transient is written before it is read, because transients are
/// undefined at the start of a run. A written binding counts as completely written, because it is
/// unknown which bytes a shader skips.
fn check_reads_are_written(checked: &Checked) -> Result<(), GraphError> {
    let mut written: Vec<Vec<ByteRange>> = vec![Vec::new(); checked.buffers.len()];
    for pass in &checked.passes {
        for used in pass.uses.iter().filter(|used| used.needs_contents()) {
            let buffer = &checked.buffers[used.buffer];
            if buffer.kind != Kind::Transient {
                continue;
            }
            if let Some(gap) = first_gap(&mut written[used.buffer], used.bytes) {
                return Err(GraphError::UnwrittenRead {
                    pass: pass.planned.label.clone(),
                    binding: used.name.clone(),
                    buffer: buffer.name.clone(),
                    start: gap.start,
                    end: gap.end,
                });
            }
        }
        for used in pass.uses.iter().filter(|used| !used.writes.is_empty()) {
            written[used.buffer].push(used.bytes);
        }
    }
    Ok(())
}

/// Returns the first part of `read` that is not covered by `written`.
fn first_gap(written: &mut [ByteRange], read: ByteRange) -> Option<ByteRange> {
    written.sort_unstable();
    let mut covered_end = read.start;
    for range in written.iter().filter(|range| range.overlaps(read)) {
        if range.start > covered_end {
            return Some(ByteRange { start: covered_end, end: range.start });
        }
        covered_end = covered_end.max(range.end);
    }
    (covered_end < read.end).then_some(ByteRange { start: covered_end, end: read.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> ByteRange {
        ByteRange { start, end }
    }

    #[test]
    fn first_gap_returns_the_first_unwritten_range() {
        let mut written = [range(16, 32), range(0, 8), range(4, 12)];
        assert_eq!(first_gap(&mut written, range(0, 12)), None);
        assert_eq!(first_gap(&mut written, range(0, 32)), Some(range(12, 16)));
        assert_eq!(first_gap(&mut written, range(20, 40)), Some(range(32, 40)));
        assert_eq!(first_gap(&mut written, range(40, 48)), Some(range(40, 48)));
        assert_eq!(first_gap(&mut [], range(0, 4)), Some(range(0, 4)));
    }
}
