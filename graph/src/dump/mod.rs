//! Dumps of a plan: readable text, DOT for Graphviz, and JSON.

mod dot;
mod json;
mod text;

use crate::plan::Plan;
use crate::sync::Hazard;

impl Plan {
    fn buffer_name(&self, index: usize) -> &str {
        self.buffers.get(index).map_or("?", |buffer| buffer.name.as_str())
    }
}

/// Returns remarks about a hazard: whether its buffers share memory, and whether its earlier access
/// belongs to the previous run.
fn remarks(hazard: &Hazard) -> Vec<&'static str> {
    let remarks = [(hazard.aliased, "shared memory"), (hazard.replay, "from the run before")];
    remarks.into_iter().filter(|(holds, _)| *holds).map(|(_, remark)| remark).collect()
}
