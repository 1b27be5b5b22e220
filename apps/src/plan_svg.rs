//! Draws a plan: one row per pass and barrier, one column per buffer, and a map of the memory that buffers
//! share.

use std::fmt::Write as _;

use multisplit::graph::{Barrier, BufferPlacement, Hazard, Plan, PlannedPass, Work};
use multisplit::shaders::BindingAccess;
use multisplit_bench::figures;
use multisplit_bench::plot::escape;

// Sizes in pixels.
const MARGIN: f64 = 16.0;
const COLUMN: f64 = 22.0;
const ROW: f64 = 26.0;
const LINE: f64 = 16.0;
/// Approximate width of a character in a label.
const CHARACTER: f64 = 7.3;
/// Angle of the column names in degrees.
const SLOPE: f64 = 60.0;
const MAP_HEIGHT: f64 = 220.0;
/// Width of a level in the memory map. Passes of one level do not depend on each other.
const MAP_LEVEL: f64 = 90.0;
/// Minimum height of a buffer in the map, so that it stays visible.
const MIN_HEIGHT: f64 = 3.0;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2024;--soft:#667079;--rule:#dfe3e6;--back:#fff;--pass:#0072b2;\
--barrier:#d55e00;--map:#009e73}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e8ea;--soft:#98a2ab;--rule:#343a40;--back:#15181b;\
--pass:#56b4e9;--barrier:#ff8c42;--map:#3ccf9e}}\
svg{background:var(--back)}text{fill:var(--ink);font:12px ui-monospace,\"DejaVu Sans Mono\",monospace}\
.soft{fill:var(--soft)}.head{font-size:15px;font-weight:600}.life{stroke:var(--rule);stroke-width:6}\
.row{stroke:var(--rule)}.barrier{stroke:var(--barrier);stroke-width:2;stroke-dasharray:5 3}\
.reason{fill:var(--barrier)}.read{fill:var(--back);stroke:var(--pass);stroke-width:2}\
.write{fill:var(--pass);stroke:var(--pass);stroke-width:2}\
.map{fill:var(--map);fill-opacity:.25;stroke:var(--map)}";

/// Draws the plan as a standalone SVG file.
pub fn svg(plan: &Plan) -> String {
    let mut sheet = Sheet::new(plan);
    sheet.head();
    sheet.passes();
    sheet.map();
    sheet.legend();
    sheet.finish()
}

/// A drawing in progress, from top to bottom.
struct Sheet<'p> {
    plan: &'p Plan,
    body: String,
    /// Vertical position of the next element.
    y: f64,
    width: f64,
    /// Left edges of the columns and of the remarks after them.
    left: f64,
    right: f64,
    /// Indices of the buffers that have columns.
    columns: Vec<usize>,
}

impl<'p> Sheet<'p> {
    fn new(plan: &'p Plan) -> Self {
        let used = |index: &usize| plan.buffers()[*index].first_level.is_some();
        let columns: Vec<usize> = (0..plan.buffers().len()).filter(used).collect();
        let longest = plan.steps().iter().map(|step| step.pass.label.len()).max().unwrap_or(0);
        let left = MARGIN + CHARACTER * longest.max("exit barrier".len()) as f64 + 24.0;
        let right = left + COLUMN * columns.len() as f64 + 14.0;
        Self { plan, body: String::new(), y: MARGIN, width: right, left, right, columns }
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        self.width = self.width.max(x + CHARACTER * text.chars().count() as f64);
        let text = escape(text);
        // Writing to a string cannot fail, here and below.
        let _ =
            writeln!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    /// Horizontal centre of the column of a buffer. `None` if the buffer has no column.
    fn column(&self, buffer: usize) -> Option<f64> {
        let place = self.columns.iter().position(|&column| column == buffer)?;
        Some(self.left + COLUMN * (place as f64 + 0.5))
    }

    /// The title, and the names of the columns.
    fn head(&mut self) {
        let plan = self.plan;
        let (passes, barriers) = (plan.steps().len(), plan.barriers().count());
        let replayable = if plan.is_replayable() { ", replayable" } else { "" };
        let passes = if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") };
        let barriers =
            if barriers == 1 { "1 barrier".to_owned() } else { format!("{barriers} barriers") };
        let title = format!("{}: {passes}, {barriers}{replayable}", plan.name());
        self.y += 8.0;
        self.text("head", MARGIN, self.y + 6.0, &title);
        let names: Vec<(usize, String)> =
            self.columns.iter().map(|&b| (b, plan.buffers()[b].name.clone())).collect();
        let longest = names.iter().map(|(_, name)| name.len()).max().unwrap_or(0) as f64;
        let rise = SLOPE.to_radians();
        self.y += CHARACTER * longest * rise.sin() + 30.0;
        for (buffer, name) in names {
            let Some(x) = self.column(buffer) else { continue };
            let size = figures::bytes(plan.buffers()[buffer].size);
            let (y, name) = (self.y - 6.0, escape(&name));
            let run = x + CHARACTER * longest * rise.cos();
            self.width = self.width.max(run);
            let _ = writeln!(
                self.body,
                "<text transform=\"translate({x:.1} {y:.1}) rotate(-{SLOPE})\">{name}<title>{size}</title></text>"
            );
        }
    }

    fn passes(&mut self) {
        let plan = self.plan;
        let mut places = Vec::new();
        let begin = self.body.len();
        for step in plan.steps() {
            if let Some(barrier) = &step.barrier {
                self.barrier("barrier", barrier);
            }
            places.push((uses(&step.pass), self.y + ROW / 2.0));
            self.pass(&step.pass);
        }
        if let Some(barrier) = &plan.exit() {
            self.barrier("exit barrier", barrier);
        }
        // Draw lifetimes behind everything else.
        let drawn = self.body.split_off(begin);
        for &buffer in &self.columns.clone() {
            let mut users = places.iter().filter(|(uses, _)| uses.iter().any(|u| u.0 == buffer));
            let first = users.next().map(|place| place.1);
            let last = users.next_back().map(|place| place.1);
            if let (Some(x), Some(first), Some(last)) = (self.column(buffer), first, last) {
                self.line("life", (x, first), (x, last));
            }
        }
        self.body += &drawn;
    }

    fn pass(&mut self, pass: &PlannedPass) {
        let middle = self.y + ROW / 2.0;
        self.line("row", (MARGIN, self.y), (self.right, self.y));
        self.text("", MARGIN, middle + 4.0, &pass.label);
        for (buffer, access) in uses(pass) {
            let Some(x) = self.column(buffer) else { continue };
            let (class, what) = match access {
                BindingAccess::Read => ("read", "reads"),
                BindingAccess::Write => ("write", "writes"),
                BindingAccess::ReadWrite => ("write", "reads and writes"),
            };
            let title =
                escape(&format!("{} {what} {}", pass.label, self.plan.buffers()[buffer].name));
            let _ = writeln!(
                self.body,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"5.5\"><title>{title}</title></circle>"
            );
            if access == BindingAccess::ReadWrite {
                let _ = writeln!(
                    self.body,
                    "<circle class=\"read\" cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"2\"/>"
                );
            }
        }
        self.text("soft", self.right, middle + 4.0, &work(&pass.work));
        self.y += ROW;
    }

    /// Draws a horizontal line, with the hazards that the barrier prevents beside it.
    fn barrier(&mut self, name: &str, barrier: &Barrier) {
        let middle = self.y + LINE;
        self.line("barrier", (self.left, middle), (self.right - 10.0, middle));
        self.text("reason", MARGIN, middle + 4.0, name);
        let memory = barrier.memory.iter().map(|memory| ("reason", memory.to_string()));
        let reasons = barrier.hazards.iter().map(|hazard| ("soft", self.reason(hazard)));
        let lines: Vec<_> = memory.chain(reasons).collect();
        for (class, text) in lines {
            self.y += LINE;
            self.text(class, self.right, self.y + 4.0, &text);
        }
        self.y += LINE;
    }

    fn reason(&self, hazard: &Hazard) -> String {
        let name =
            |buffer: Option<usize>| buffer.map_or("", |b| self.plan.buffers()[b].name.as_str());
        let pass =
            |label: &Option<String>| label.clone().unwrap_or_else(|| "the caller".to_owned());
        let (from, to) = (name(hazard.from.buffer), name(hazard.to.buffer));
        let buffers = if hazard.aliased { format!("{from} = {to}") } else { to.to_owned() };
        let remark = if hazard.replay { " (from the run before)" } else { "" };
        let (before, after) = (pass(&hazard.from.pass), pass(&hazard.to.pass));
        format!("{} {buffers}: {before} -> {after}{remark}", hazard.kind.short_name())
    }

    /// Draws the position of each buffer in the workspace and the levels in which it is live.
    fn map(&mut self) {
        let plan = self.plan;
        let workspace = plan.workspace();
        if workspace.size == 0 {
            return;
        }
        let saved = workspace.unaliased_size.saturating_sub(workspace.size);
        let share = 100.0 * saved as f64 / workspace.unaliased_size.max(1) as f64;
        let title = format!(
            "workspace: {}; sharing saves {} ({share:.0}%)",
            figures::bytes(workspace.size),
            figures::bytes(saved)
        );
        self.y += 30.0;
        self.text("head", MARGIN, self.y, &title);
        let top = self.y + 28.0;
        for level in 0..plan.levels() {
            let x = MARGIN + MAP_LEVEL * f64::from(level);
            self.text("soft", x + 4.0, top - 8.0, &format!("level {level}"));
            self.line("row", (x, top), (x, top + MAP_HEIGHT));
        }
        for buffer in plan.buffers() {
            let (Some(offset), Some(first), Some(last)) =
                (buffer.workspace_offset(), buffer.first_level, buffer.last_level)
            else {
                continue;
            };
            let scale = MAP_HEIGHT / workspace.size as f64;
            let (x, y) = (MARGIN + MAP_LEVEL * f64::from(first), top + offset as f64 * scale);
            let width = MAP_LEVEL * f64::from(last - first + 1) - 2.0;
            let height = (buffer.size as f64 * scale).max(MIN_HEIGHT);
            self.width = self.width.max(x + width);
            let kept = matches!(buffer.placement, BufferPlacement::Persistent { .. });
            let kept = if kept { ", kept between runs" } else { "" };
            let size = figures::bytes(buffer.size);
            let title = escape(&format!("{}: {size} at byte {offset}{kept}", buffer.name));
            let _ = writeln!(
                self.body,
                "<rect class=\"map\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
                 height=\"{height:.1}\"><title>{title}</title></rect>"
            );
            if height >= LINE {
                self.text("", x + 6.0, y + height / 2.0 + 4.0, &buffer.name);
            }
        }
        self.y = top + MAP_HEIGHT;
    }

    fn legend(&mut self) {
        self.y += 28.0;
        let y = self.y;
        for (index, (class, what)) in
            [("read", "reads"), ("write", "writes (with a hole: reads and writes)")]
                .into_iter()
                .enumerate()
        {
            let x = MARGIN + 6.0 + 90.0 * index as f64;
            let _ = writeln!(
                self.body,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5.5\"/>",
                y - 4.0
            );
            self.text("soft", x + 12.0, y, what);
        }
    }

    fn finish(self) -> String {
        let (width, height) = (self.width + MARGIN, self.y + MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{STYLE}</style>\n{}</svg>\n",
            self.body
        )
    }
}

/// Buffers that a pass uses and their access.
fn uses(pass: &PlannedPass) -> Vec<(usize, BindingAccess)> {
    let mut uses: Vec<_> = pass.bindings.iter().map(|b| (b.buffer, b.access)).collect();
    match &pass.work {
        Work::Dispatch(_) => {}
        Work::DispatchIndirect { buffer, .. } => uses.push((*buffer, BindingAccess::Read)),
        Work::Fill { view, .. } | Work::Update { view, .. } => {
            uses.push((view.buffer, BindingAccess::Write));
        }
        Work::Copy { src, dst } => {
            uses.extend([(src.buffer, BindingAccess::Read), (dst.buffer, BindingAccess::Write)]);
        }
    }
    uses
}

/// Describes the work of a pass.
fn work(work: &Work) -> String {
    match work {
        Work::Dispatch([1, 1, 1]) => "1 group".to_owned(),
        Work::Dispatch([x, 1, 1]) => format!("{x} groups"),
        Work::Dispatch([x, y, z]) => format!("{x} x {y} x {z} groups"),
        Work::DispatchIndirect { .. } => "group count from a buffer".to_owned(),
        Work::Fill { value, .. } => format!("fill with {value:#x}"),
        Work::Copy { .. } => "copy".to_owned(),
        Work::Update { bytes, .. } => format!("update, {} bytes", bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::svg;
    use multisplit::operations::split::Method;
    use multisplit_bench::plans::Target;
    use multisplit_bench::split::{self, Function, Rule};

    #[test]
    fn passes_buffers_and_hazards_are_drawn() {
        let rule = Rule::new(Function::Range, 8);
        let split = split::plan(&Target::any(), &rule, Method::Block, true, 1 << 20);
        let plan = split.expect("the plan compiles").plan;
        let drawing = svg(&plan);
        for step in plan.steps() {
            assert!(
                drawing.contains(&format!(">{}</text>", step.pass.label)),
                "`{}` is not drawn",
                step.pass.label
            );
        }
        for buffer in plan.buffers().iter().filter(|buffer| buffer.first_level.is_some()) {
            assert!(drawing.contains(&buffer.name), "`{}` is not drawn", buffer.name);
        }
        let hazards: usize = plan.barriers().map(|(_, barrier)| barrier.hazards.len()).sum();
        let drawn = ["RAW ", "WAR ", "WAW ", "order ", "entry ", "exit "]
            .map(|kind| drawing.matches(&format!(">{kind}")).count());
        assert_eq!(drawn.iter().sum::<usize>(), hazards);
        assert!(drawing.contains("workspace: "), "{drawing}");
        assert!(!drawing.contains("NaN"));
    }
}
