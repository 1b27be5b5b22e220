//! How a plan is shown: as text for people, as DOT for Graphviz, as JSON for programs.

mod dot;
mod json;
mod text;

use crate::plan::{Hazard, HazardSide, Plan};

impl Plan {
    /// The plan for a person to read: passes by level with what they touch, barriers with their
    /// masks and reasons, the heap with lifetimes, and what callers have to know of the imports.
    pub fn to_text(&self) -> String {
        text::Text(self).to_string()
    }

    /// The plan for Graphviz: passes as boxes, buffers as ellipses, the reasons for barriers as
    /// dashed edges.
    pub fn to_dot(&self) -> String {
        dot::Dot(self).to_string()
    }

    /// The plan as JSON, for programs.
    pub fn to_json(&self) -> String {
        json::plan(self)
    }

    fn buffer_name(&self, index: usize) -> &str {
        self.buffers.get(index).map_or("?", |buffer| buffer.name.as_str())
    }
}

/// Who is on this side of a hazard.
fn who(side: &HazardSide) -> &str {
    side.pass.as_deref().unwrap_or("the caller")
}

/// What a hazard is besides its kind.
fn remarks(hazard: &Hazard) -> Vec<&'static str> {
    let remarks = [(hazard.aliased, "shared memory"), (hazard.replay, "from the run before")];
    remarks.into_iter().filter(|(holds, _)| *holds).map(|(_, remark)| remark).collect()
}
