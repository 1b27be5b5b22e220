//! Formats a plan as readable text.

use std::fmt::{self, Display, Formatter};

use multisplit_shaders::BindingAccess;

use super::remarks;
use crate::plan::{
    BufferPlacement, ImportContract, Plan, PlannedBuffer, PlannedPass, PlannedView, Work,
};
use crate::sync::{Barrier, Hazard, HazardSide};

/// Maximum number of columns of the lifetime chart. With more levels, several levels share a
/// column.
const MAX_COLUMNS: usize = 64;

impl Plan {
    /// Formats the plan as readable text: passes by level with their bindings, barriers with
    /// masks and hazards, the workspace layout with buffer lifetimes, and the import contracts.
    pub fn to_text(&self) -> String {
        Text(self).to_string()
    }
}

struct Text<'a>(&'a Plan);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        let mut level = None;
        for step in &self.0.steps {
            if let Some(barrier) = &step.barrier {
                self.barrier(f, "barrier", barrier)?;
            }
            if level != Some(step.pass.level) {
                level = Some(step.pass.level);
                writeln!(f, "\nlevel {}", step.pass.level)?;
            }
            self.pass(f, &step.pass)?;
        }
        if let Some(barrier) = &self.0.exit {
            self.barrier(f, "exit barrier", barrier)?;
        }
        self.heap(f)?;
        self.constants(f)?;
        self.state(f)?;
        self.imports(f)?;
        if !self.0.culled.is_empty() {
            writeln!(f, "\nculled: {}", self.0.culled.join(", "))?;
        }
        Ok(())
    }
}

impl Text<'_> {
    fn head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plan = self.0;
        let replayable = if plan.replayable { ", replayable" } else { "" };
        let (passes, barriers) =
            (count(plan.steps.len(), "pass"), count(plan.barriers().count(), "barrier"));
        let levels = count(plan.levels() as usize, "level");
        writeln!(f, "graph {}: {passes} in {levels}, {barriers}{replayable}", plan.name)
    }

    fn pass(&self, f: &mut Formatter<'_>, pass: &PlannedPass) -> fmt::Result {
        let kernel = pass.kernel.as_ref().map(|kernel| kernel.label());
        let kernel = kernel.filter(|kernel| *kernel != pass.label);
        let kernel = kernel.map_or(String::new(), |kernel| format!("{kernel}, "));
        writeln!(f, "  {}: {kernel}{}", pass.label, self.work(&pass.work))?;
        let width = pass.bindings.iter().map(|binding| binding.name.len()).max().unwrap_or(0);
        for binding in &pass.bindings {
            let view =
                PlannedView { buffer: binding.buffer, offset: binding.offset, size: binding.size };
            let access = match (binding.access, binding.scratch) {
                (BindingAccess::Read, _) => "reads",
                (BindingAccess::Write, false) => "writes",
                (BindingAccess::ReadWrite, false) => "updates",
                (_, true) => "scratch",
            };
            writeln!(f, "    {:width$}  {access:7}  {}", binding.name, self.view(view))?;
        }
        if !pass.push.is_empty() {
            writeln!(f, "    push constants: {} bytes", pass.push.len())?;
        }
        for (id, value) in &pass.specialization {
            let constants =
                pass.kernel.iter().flat_map(|kernel| &kernel.interface().spec_constants);
            let name = constants.into_iter().find(|constant| constant.id == *id);
            writeln!(f, "    {} = {value}", name.map_or("?", |constant| constant.name.as_str()))?;
        }
        Ok(())
    }

    fn work(&self, work: &Work) -> String {
        match work {
            Work::Dispatch([x, y, z]) => format!("{x} x {y} x {z} groups"),
            Work::DispatchIndirect { buffer, offset } => {
                format!(
                    "groups from {}",
                    self.view(PlannedView { buffer: *buffer, offset: *offset, size: 12 })
                )
            }
            Work::Fill { view, value } => format!("fill {} with {value:#x}", self.view(*view)),
            Work::Copy { src, dst } => format!("copy {} to {}", self.view(*src), self.view(*dst)),
            Work::Update { view, .. } => format!("update {}", self.view(*view)),
        }
    }

    fn view(&self, view: PlannedView) -> String {
        let PlannedView { buffer, offset, size } = view;
        let name = self.0.buffer_name(buffer);
        if self.0.buffers.get(buffer).is_some_and(|whole| whole.size == size) {
            name.to_owned()
        } else {
            format!("{name}[{offset}..{}]", offset + size)
        }
    }

    fn barrier(&self, f: &mut Formatter<'_>, title: &str, barrier: &Barrier) -> fmt::Result {
        writeln!(f, "\n{title}")?;
        for memory in &barrier.memory {
            writeln!(f, "  {memory}")?;
        }
        let lines: Vec<[String; 4]> =
            barrier.hazards.iter().map(|hazard| self.hazard(hazard)).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        for [kind, buffers, passes, remarks] in &lines {
            let line = format!(
                "    {kind:0$}  {buffers:1$}  {passes:2$}  {remarks}",
                widths[0], widths[1], widths[2]
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn hazard(&self, hazard: &Hazard) -> [String; 4] {
        let remarks = remarks(hazard).join(", ");
        let buffers = match hazard.aliased {
            true => format!("{} -> {}", self.side(&hazard.from), self.side(&hazard.to)),
            false => self.side(&hazard.to),
        };
        let passes = format!("{} -> {}", pass_or_caller(&hazard.from), pass_or_caller(&hazard.to));
        let remarks = if remarks.is_empty() { remarks } else { format!("({remarks})") };
        [hazard.kind.short_name().to_owned(), buffers, passes, remarks]
    }

    fn side(&self, side: &HazardSide) -> String {
        let view =
            |buffer| PlannedView { buffer, offset: side.bytes.start, size: side.bytes.size() };
        side.buffer.map_or(String::new(), |buffer| self.view(view(buffer)))
    }

    fn heap(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plan = self.0;
        let mut placed: Vec<(u64, &PlannedBuffer)> = plan
            .buffers
            .iter()
            .filter_map(|buffer| Some((buffer.workspace_offset()?, buffer)))
            .collect();
        placed.sort_by_key(|(offset, buffer)| (*offset, buffer.first_level));
        if placed.is_empty() {
            return writeln!(f, "\nworkspace: none");
        }
        let workspace = plan.workspace;
        let (size, unaliased) = (workspace.size, workspace.unaliased_size);
        write!(f, "\nworkspace: {size} bytes, aligned to {}", workspace.alignment)?;
        if size < unaliased {
            let saved = u128::from(unaliased - size) * 100 / u128::from(unaliased);
            write!(f, "; {unaliased} without sharing, {saved}% saved")?;
        }
        let levels = plan.levels() as usize;
        writeln!(f, "\n  {:>12} {:>12}  levels 0..{levels}", "offset", "size")?;
        for (offset, buffer) in placed {
            let chart = chart(buffer, levels);
            writeln!(f, "  {offset:>12} {:>12}  |{chart}|  {}", buffer.size, buffer.name)?;
        }
        Ok(())
    }

    fn constants(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.region(f, "constants", self.0.constants_size, |placement| match placement {
            BufferPlacement::Constant { offset, .. } => *offset,
            _ => None,
        })
    }

    fn state(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.region(f, "state", self.0.state_size, |placement| match placement {
            BufferPlacement::State { offset } => *offset,
            _ => None,
        })
    }

    fn region(
        &self,
        f: &mut Formatter<'_>,
        name: &str,
        size: u64,
        offset: impl Fn(&BufferPlacement) -> Option<u64>,
    ) -> fmt::Result {
        if size > 0 {
            writeln!(f, "\n{name}: {size} bytes")?;
        }
        for buffer in &self.0.buffers {
            if let Some(offset) = offset(&buffer.placement) {
                writeln!(f, "  {offset:>12} {:>12}  {}", buffer.size, buffer.name)?;
            }
        }
        Ok(())
    }

    fn imports(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, (_, buffer, contract)) in self.0.imports().enumerate() {
            if index == 0 {
                writeln!(f, "\nimports")?;
            }
            writeln!(f, "  {}: {} bytes", buffer.name, buffer.size)?;
            let ImportContract { entry, exit, first_use, last_use } = contract;
            let (Some(first), Some(last)) = (first_use, last_use) else {
                writeln!(f, "    not used")?;
                continue;
            };
            let by_caller = "the caller synchronises".to_owned();
            let before =
                entry.map_or(by_caller.clone(), |entry| format!("after the caller's {entry}"));
            let after = exit.map_or(by_caller, |exit| format!("ready for the caller's {exit}"));
            writeln!(f, "    first  {first}, {before}\n    last   {last}, {after}")?;
        }
        Ok(())
    }
}

/// The pass label of one side of a hazard, or "the caller".
fn pass_or_caller(side: &HazardSide) -> &str {
    side.pass.as_deref().unwrap_or("the caller")
}

/// The lifetime chart of a buffer, with a column for every level, or for several consecutive
/// levels if there are more than [`MAX_COLUMNS`]. `#` means in use, `=` means that the contents
/// persist, and `.` means unused.
fn chart(buffer: &PlannedBuffer, levels: usize) -> String {
    let columns = levels.min(MAX_COLUMNS);
    let persistent = matches!(buffer.placement, BufferPlacement::Persistent { .. });
    let (first, last) =
        (buffer.first_level.unwrap_or(0) as usize, buffer.last_level.unwrap_or(0) as usize);
    let column = |column: usize| {
        let (start, end) = (column * levels / columns, (column + 1) * levels / columns);
        match (start <= last && first < end, persistent) {
            (true, _) => '#',
            (false, true) => '=',
            (false, false) => '.',
        }
    };
    (0..columns).map(column).collect()
}

fn count(number: usize, what: &str) -> String {
    let plural = match (number, what.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {what}{plural}")
}
