//! Formats a plan as JSON. Stages and accesses have their Vulkan names, without the prefix and the
//! suffix `_BIT`.

use multisplit_shaders::{BindingAccess, BindingKind};
use serde_json::{Map, Value, json};

use crate::access::{Access, Scope, Stages};
use crate::plan::{
    BufferPlacement, Plan, PlannedBinding, PlannedBuffer, PlannedPass, PlannedView, Work,
};
use crate::sync::{Barrier, Hazard, HazardSide, MemoryBarrier};

impl Plan {
    /// Formats the plan as JSON.
    pub fn to_json(&self) -> String {
        let step = |step: &crate::plan::Step| json!({ "barrier": step.barrier.as_ref().map(barrier), "pass": pass(&step.pass) });
        let document = json!({
            "name": self.name,
            "replayable": self.replayable,
            "levels": self.levels(),
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
            "exit": self.exit.as_ref().map(barrier),
            "buffers": self.buffers.iter().map(buffer).collect::<Vec<_>>(),
            "workspace": {
                "size": self.workspace.size,
                "alignment": self.workspace.alignment,
                "unaliased_size": self.workspace.unaliased_size,
            },
            "culled": self.culled,
        });
        format!("{document:#}")
    }
}

fn pass(pass: &PlannedPass) -> Value {
    json!({
        "label": pass.label,
        "level": pass.level,
        "kernel": pass.kernel.as_ref().map(|kernel| kernel.label()),
        "work": work(&pass.work),
        "bindings": pass.bindings.iter().map(binding).collect::<Vec<_>>(),
        "push_bytes": pass.push.len(),
        "specialization": pass.specialization.iter().map(constant).collect::<Vec<_>>(),
    })
}

fn constant((id, value): &(u32, u32)) -> Value {
    json!({ "id": id, "value": value })
}

fn work(work: &Work) -> Value {
    match work {
        Work::Dispatch(groups) => json!({ "kind": "dispatch", "groups": groups }),
        Work::DispatchIndirect { buffer, offset } => {
            json!({ "kind": "dispatch_indirect", "buffer": buffer, "offset": offset })
        }
        Work::Fill { view: filled, value } => {
            json!({ "kind": "fill", "view": view(*filled), "value": value })
        }
        Work::Copy { src, dst } => json!({ "kind": "copy", "src": view(*src), "dst": view(*dst) }),
        Work::Update { view: written, .. } => json!({ "kind": "update", "view": view(*written) }),
    }
}

fn view(view: PlannedView) -> Value {
    json!({ "buffer": view.buffer, "offset": view.offset, "size": view.size })
}

fn binding(binding: &PlannedBinding) -> Value {
    json!({
        "set": binding.set,
        "binding": binding.binding,
        "kind": match binding.kind {
            BindingKind::Storage => "storage",
            BindingKind::Uniform => "uniform",
        },
        "name": binding.name,
        "buffer": binding.buffer,
        "offset": binding.offset,
        "size": binding.size,
        "access": match binding.access {
            BindingAccess::Read => "read",
            BindingAccess::Write => "write",
            BindingAccess::ReadWrite => "read_write",
        },
        "scratch": binding.scratch,
    })
}

fn barrier(barrier: &Barrier) -> Value {
    json!({
        "memory": barrier.memory.iter().map(memory).collect::<Vec<_>>(),
        "hazards": barrier.hazards.iter().map(hazard).collect::<Vec<_>>(),
    })
}

fn memory(memory: &MemoryBarrier) -> Value {
    json!({
        "src_stages": stages(memory.src_stages),
        "src_access": access(memory.src_access),
        "dst_stages": stages(memory.dst_stages),
        "dst_access": access(memory.dst_access),
    })
}

fn hazard(hazard: &Hazard) -> Value {
    json!({
        "kind": hazard.kind.short_name(),
        "aliased": hazard.aliased,
        "replay": hazard.replay,
        "from": side(&hazard.from),
        "to": side(&hazard.to),
        "masks": memory(&hazard.masks),
    })
}

fn side(side: &HazardSide) -> Value {
    let bytes = side.buffer.map(|_| [side.bytes.start, side.bytes.end]);
    json!({ "pass": side.pass, "step": side.step, "buffer": side.buffer, "bytes": bytes })
}

fn buffer(buffer: &PlannedBuffer) -> Value {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(buffer.name));
    fields.insert("size".to_owned(), json!(buffer.size));
    fields.insert("levels".to_owned(), json!(buffer.first_level.zip(buffer.last_level)));
    let (kind, offset) = match &buffer.placement {
        BufferPlacement::Import(contract) => {
            let uses = [
                ("entry", contract.entry),
                ("exit", contract.exit),
                ("first_use", contract.first_use),
                ("last_use", contract.last_use),
            ];
            fields.extend(uses.map(|(name, used)| (name.to_owned(), json!(used.map(scope)))));
            ("import", None)
        }
        BufferPlacement::Constant { offset, .. } => ("constant", Some(offset)),
        BufferPlacement::State { offset } => ("state", Some(offset)),
        BufferPlacement::StatusWord => ("status word", None),
        BufferPlacement::Transient { offset } => ("transient", Some(offset)),
        BufferPlacement::Persistent { offset } => ("persistent", Some(offset)),
    };
    fields.insert("kind".to_owned(), json!(kind));
    if let Some(offset) = offset {
        fields.insert("offset".to_owned(), json!(offset));
    }
    Value::Object(fields)
}

fn scope(scope: Scope) -> Value {
    json!({ "stages": stages(scope.stages), "access": access(scope.access) })
}

fn stages(stages: Stages) -> Vec<&'static str> {
    stages.iter_names().map(|(name, _)| name).collect()
}

fn access(access: Access) -> Vec<&'static str> {
    access.iter_names().map(|(name, _)| name).collect()
}
