//! Formats a plan as a DOT graph for Graphviz.

use std::fmt::{self, Display, Formatter};

use super::remarks;
use crate::plan::{BufferPlacement, Plan, PlannedPass, Work};
use crate::sync::{Hazard, HazardSide};

impl Plan {
    /// Formats the plan as a DOT graph for Graphviz: passes as boxes, buffers as ellipses, hazards
    /// as dashed edges.
    pub fn to_dot(&self) -> String {
        Dot(self).to_string()
    }
}

struct Dot<'a>(&'a Plan);

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "digraph {} {{", quoted(&self.0.name))?;
        writeln!(f, "  rankdir=TB; node [fontname=\"monospace\"]; edge [fontname=\"monospace\"];")?;
        self.buffers(f)?;
        for (index, step) in self.0.steps.iter().enumerate() {
            self.pass(f, index, &step.pass)?;
        }
        self.ranks(f)?;
        for (_, barrier) in self.0.barriers() {
            barrier.hazards.iter().try_for_each(|hazard| self.hazard(f, hazard))?;
        }
        writeln!(f, "}}")
    }
}

impl Dot<'_> {
    fn buffers(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_caller = |side: &HazardSide| side.step.is_none();
        let mut hazards = self.0.barriers().flat_map(|(_, barrier)| &barrier.hazards);
        if hazards.any(|hazard| is_caller(&hazard.from) || is_caller(&hazard.to)) {
            writeln!(f, "  caller [shape=plaintext];")?;
        }
        for (index, buffer) in self.0.buffers.iter().enumerate() {
            if buffer.first_level.is_none() {
                continue;
            }
            let (style, place) = match &buffer.placement {
                BufferPlacement::StatusWord => continue,
                BufferPlacement::Import(_) => ("filled", "import".to_owned()),
                BufferPlacement::Transient { offset } => ("solid", placed("transient", *offset)),
                BufferPlacement::Persistent { offset } => ("bold", placed("persistent", *offset)),
                BufferPlacement::State { .. } => ("bold", "state".to_owned()),
                BufferPlacement::Constant { .. } => ("dashed", "constant".to_owned()),
            };
            let label = format!("{}\n{} bytes\n{place}", buffer.name, buffer.size);
            writeln!(f, "  b{index} [shape=ellipse, style={style}, label={}];", quoted(&label))?;
        }
        Ok(())
    }

    fn pass(&self, f: &mut Formatter<'_>, index: usize, pass: &PlannedPass) -> fmt::Result {
        let label = match &pass.work {
            Work::Dispatch([x, y, z]) => format!("{}\n{x} x {y} x {z}", pass.label),
            Work::DispatchIndirect { .. } => format!("{}\nindirect", pass.label),
            Work::Fill { value, .. } => format!("{}\nfill {value:#x}", pass.label),
            Work::Copy { .. } => format!("{}\ncopy", pass.label),
            Work::Update { .. } => format!("{}\nupdate", pass.label),
        };
        writeln!(f, "  p{index} [shape=box, label={}];", quoted(&label))?;
        let is_status_word =
            |index: usize| self.0.buffers[index].placement == BufferPlacement::StatusWord;
        for binding in pass.bindings.iter().filter(|binding| !is_status_word(binding.buffer)) {
            let (buffer, name) = (binding.buffer, quoted(&binding.name));
            if binding.access.reads() && !binding.scratch {
                writeln!(f, "  b{buffer} -> p{index} [label={name}];")?;
            }
            if binding.access.writes() {
                writeln!(f, "  p{index} -> b{buffer} [label={name}];")?;
            }
        }
        match &pass.work {
            Work::Dispatch(_) => Ok(()),
            Work::DispatchIndirect { buffer, .. } => {
                writeln!(f, "  b{buffer} -> p{index} [label=\"indirect\"];")
            }
            Work::Fill { view, .. } | Work::Update { view, .. } => {
                writeln!(f, "  p{index} -> b{};", view.buffer)
            }
            Work::Copy { src, dst } => {
                writeln!(f, "  b{} -> p{index};", src.buffer)?;
                writeln!(f, "  p{index} -> b{};", dst.buffer)
            }
        }
    }

    /// Places the passes of one level side by side, and each level below the previous one.
    fn ranks(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut above = None;
        for level in 0..self.0.levels() {
            let steps = self.0.steps.iter().enumerate();
            let passes: Vec<usize> = steps
                .filter(|(_, step)| step.pass.level == level)
                .map(|(index, _)| index)
                .collect();
            let names: Vec<String> = passes.iter().map(|index| format!("p{index};")).collect();
            writeln!(f, "  {{ rank=same; {} }}", names.join(" "))?;
            if let (Some(above), Some(below)) = (above, passes.first()) {
                writeln!(f, "  p{above} -> p{below} [style=invis];")?;
            }
            above = passes.first().copied();
        }
        Ok(())
    }

    fn hazard(&self, f: &mut Formatter<'_>, hazard: &Hazard) -> fmt::Result {
        let node =
            |side: &HazardSide| side.step.map_or("caller".to_owned(), |step| format!("p{step}"));
        let mut label = hazard.kind.short_name().to_owned();
        if let Some(buffer) = hazard.to.buffer {
            label = format!("{label} {}", self.0.buffer_name(buffer));
        }
        for remark in remarks(hazard) {
            label = format!("{label}\n{remark}");
        }
        let (from, to) = (node(&hazard.from), node(&hazard.to));
        let style = "style=dashed, color=red, fontcolor=red, constraint=false";
        writeln!(f, "  {from} -> {to} [{style}, label={}];", quoted(&label))
    }
}

fn placed(what: &str, offset: Option<u64>) -> String {
    offset.map_or(what.to_owned(), |offset| format!("{what} at {offset}"))
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
