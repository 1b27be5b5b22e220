//! What has to hold of a declaration before it can be planned, apart from single passes
//! (`resolve`): buffers, handles, and reads of what nobody wrote.

use std::collections::BTreeSet;

use crate::access::{Access, Scope, Stages};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::plan::ByteRange;
use crate::resolve::{self, CheckedPass};
use crate::resource::{Buffer, BufferDecl, Kind};

/// A declaration that is sound, with all handles resolved to indices.
pub(crate) struct Checked {
    pub buffers: Vec<BufferDecl>,
    pub passes: Vec<CheckedPass>,
    /// Explicit orders, as indices of passes.
    pub orders: Vec<(usize, usize)>,
}

pub(crate) fn check(graph: &Graph, limits: &Limits) -> Result<Checked, GraphError> {
    let buffers = buffers(graph, limits)?;
    let mut passes = Vec::with_capacity(graph.passes.len());
    for pass in &graph.passes {
        passes.push(resolve::pass(graph, pass, limits)?);
    }
    keeps(graph, &mut passes)?;
    settables(graph, &mut passes)?;
    let orders = orders(graph)?;
    carries(graph)?;
    let checked = Checked { buffers, passes, orders };
    unwritten_reads(&checked)?;
    Ok(checked)
}

/// The declaration of a buffer, if it is one of this graph's.
pub(crate) fn declared(
    graph: &Graph,
    buffer: Buffer,
    at: impl FnOnce() -> String,
) -> Result<&BufferDecl, GraphError> {
    graph
        .buffers
        .get(buffer.index)
        .filter(|_| buffer.graph == graph.id)
        .ok_or_else(|| GraphError::ForeignBuffer { at: at() })
}

fn buffers(graph: &Graph, limits: &Limits) -> Result<Vec<BufferDecl>, GraphError> {
    let mut imports = BTreeSet::new();
    for BufferDecl { name, kind, size, .. } in &graph.buffers {
        if *size == 0 {
            return Err(GraphError::EmptyBuffer { pass: None, buffer: name.clone() });
        }
        if *size > limits.max_buffer_size {
            return Err(GraphError::LimitExceeded {
                at: format!("buffer `{name}`"),
                limit: "maxBufferSize",
                value: *size,
                max: limits.max_buffer_size,
            });
        }
        if *kind == Kind::Import && !imports.insert(name) {
            return Err(GraphError::DuplicateImport { buffer: name.clone() });
        }
    }
    let mut buffers = graph.buffers.clone();
    for (buffer, scope) in &graph.entries {
        let index = scoped(graph, *buffer, *scope, "entry")?;
        add(&mut buffers[index].entry, *scope);
    }
    for (buffer, scope) in &graph.exits {
        let index = scoped(graph, *buffer, *scope, "exit")?;
        add(&mut buffers[index].exit, *scope);
    }
    Ok(buffers)
}

fn add(scopes: &mut Option<Scope>, scope: Scope) {
    *scopes = Some(scopes.unwrap_or_default().union(scope));
}

/// The index of an import with an entry or exit scope that makes sense.
fn scoped(graph: &Graph, buffer: Buffer, scope: Scope, call: &str) -> Result<usize, GraphError> {
    let decl = declared(graph, buffer, || call.to_owned())?;
    if decl.kind != Kind::Import {
        return Err(GraphError::NotAnImport { buffer: decl.name.clone() });
    }
    let parts = scope.parts();
    let idle_stage = parts.iter().any(|(_, access)| access.is_empty());
    let impossible = scope.access.difference(scope.stages.supported_access());
    let known = Stages::all().contains(scope.stages) && Access::all().contains(scope.access);
    if parts.is_empty() || idle_stage || !impossible.is_empty() || !known {
        return Err(GraphError::InvalidScope { buffer: decl.name.clone(), scope });
    }
    Ok(buffer.index)
}

fn settables(graph: &Graph, passes: &mut [CheckedPass]) -> Result<(), GraphError> {
    for pass in &graph.settables {
        let index = own_pass(graph, *pass, "settable")?;
        passes[index].settable = true;
    }
    Ok(())
}

fn keeps(graph: &Graph, passes: &mut [CheckedPass]) -> Result<(), GraphError> {
    for pass in &graph.keeps {
        let index = own_pass(graph, *pass, "keep")?;
        passes[index].kept = true;
    }
    Ok(())
}

fn orders(graph: &Graph) -> Result<Vec<(usize, usize)>, GraphError> {
    let index = |pass| own_pass(graph, pass, "order");
    graph.orders.iter().map(|(before, after)| Ok((index(*before)?, index(*after)?))).collect()
}

fn own_pass(graph: &Graph, pass: crate::pass::PassId, call: &str) -> Result<usize, GraphError> {
    if pass.graph == graph.id && pass.index < graph.passes.len() {
        Ok(pass.index)
    } else {
        Err(GraphError::ForeignPass { at: call.to_owned() })
    }
}

fn carries(graph: &Graph) -> Result<(), GraphError> {
    for pair in &graph.carries {
        let front = declared(graph, pair.front(), || "carry".to_owned())?;
        let back = declared(graph, pair.back(), || "carry".to_owned())?;
        if graph.replayable && pair.parity() {
            return Err(GraphError::OddPingPong {
                started: back.name.clone(),
                ended: front.name.clone(),
            });
        }
    }
    Ok(())
}

/// A transient begins every run undefined: each byte that is read has to be written first.
/// A write counts even if it may be partial; which bytes a shader skips is not known here.
fn unwritten_reads(checked: &Checked) -> Result<(), GraphError> {
    let mut written: Vec<Vec<ByteRange>> = vec![Vec::new(); checked.buffers.len()];
    for pass in &checked.passes {
        for used in pass.uses.iter().filter(|used| used.needs_contents()) {
            let buffer = &checked.buffers[used.buffer];
            if buffer.kind != Kind::Transient {
                continue;
            }
            if let Some(gap) = first_gap(&mut written[used.buffer], used.bytes) {
                return Err(GraphError::UnwrittenRead {
                    pass: pass.label.clone(),
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

/// The first bytes of `wanted` that none of `written` covers.
fn first_gap(written: &mut [ByteRange], wanted: ByteRange) -> Option<ByteRange> {
    written.sort_unstable();
    let mut reached = wanted.start;
    for range in written.iter().filter(|range| range.overlaps(wanted)) {
        if range.start > reached {
            return Some(ByteRange { start: reached, end: range.start });
        }
        reached = reached.max(range.end);
    }
    (reached < wanted.end).then_some(ByteRange { start: reached, end: wanted.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> ByteRange {
        ByteRange { start, end }
    }

    #[test]
    fn the_first_gap_is_found() {
        let mut written = [range(16, 32), range(0, 8), range(4, 12)];
        assert_eq!(first_gap(&mut written, range(0, 12)), None);
        assert_eq!(first_gap(&mut written, range(0, 32)), Some(range(12, 16)));
        assert_eq!(first_gap(&mut written, range(20, 40)), Some(range(32, 40)));
        assert_eq!(first_gap(&mut written, range(40, 48)), Some(range(40, 48)));
        assert_eq!(first_gap(&mut [], range(0, 4)), Some(range(0, 4)));
    }
}
