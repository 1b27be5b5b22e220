//! Dumps of a plan: readable text, DOT for Graphviz, and JSON.

mod dot;
mod json;
mod text;

use crate::plan::{Hazard, HazardSide, Plan};

impl Plan {
    /// Formats the plan as readable text: passes by level with their bindings, barriers with
    /// masks and hazards, the workspace layout with buffer lifetimes, and the import contracts.
    pub fn to_text(&self) -> String {
        text::Text(self).to_string()
    }

    /// Formats the plan as a DOT graph for Graphviz: passes as boxes, buffers as ellipses, hazards
    /// as dashed edges.
    pub fn to_dot(&self) -> String {
        dot::Dot(self).to_string()
    }

    /// Formats the plan as JSON.
    pub fn to_json(&self) -> String {
        json::plan(self)
    }

    fn buffer_name(&self, index: usize) -> &str {
        self.buffers.get(index).map_or("?", |buffer| buffer.name.as_str())
    }
}

/// The pass label of one side of a hazard, or "the caller".
fn pass_or_caller(side: &HazardSide) -> &str {
    side.pass.as_deref().unwrap_or("the caller")
}

/// Notes on a hazard in addition to its kind.
fn remarks(hazard: &Hazard) -> Vec<&'static str> {
    let remarks = [(hazard.aliased, "shared memory"), (hazard.replay, "from the run before")];
    remarks.into_iter().filter(|(holds, _)| *holds).map(|(_, remark)| remark).collect()
}
