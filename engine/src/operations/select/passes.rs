//! Passes of a selection.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{
    SELECT_PARTITION, SELECT_RUNS, SELECT_RUNS_SMALL, SELECT_SWEEP, SELECT_SWEEP_SMALL,
};

use super::description::{By, Select, SelectBuffers};
use crate::elements::key::{Key, KeyType};
use crate::error::Result;
use crate::operations::shared::{
    Length, Lengths, LookBack, LookBackCost, TileStatus, WORD, begin, check_limit, first_elements,
    halves, push_words, single, start_pass,
};
use crate::policy::Policy;

/// Adds the passes of a selection to the graph: one pass over the elements. A device count needs two
/// more passes before it. Each array must fit one storage binding.
pub fn select<K: Key>(
    graph: &mut Graph,
    policy: &Policy,
    select: &Select<K>,
    buffers: &SelectBuffers,
) -> Result<()> {
    select_by(graph, policy, (K::TYPE, select.condition()), buffers)
}

/// Like [`select`], for a key type that is known only at run time.
pub(crate) fn select_by(
    graph: &mut Graph,
    policy: &Policy,
    (key, by): (KeyType, &By),
    buffers: &SelectBuffers,
) -> Result<()> {
    begin(graph, policy)?;
    let what = "number of elements of a selection";
    check_limit(what, buffers.n.max(), u32::MAX)?;
    KeyType::wide_of("src", buffers.src)?;
    buffers.check(key, by)?;
    let (lengths, n) = Lengths::new(buffers.n)?;
    SelectPasses { policy, key, by, n, buffers }.add(graph, lengths)
}

/// Parameters of the passes of one selection.
struct SelectPasses<'j> {
    policy: &'j Policy,
    key: KeyType,
    by: &'j By,
    n: Length,
    buffers: &'j SelectBuffers,
}

impl By {
    /// Value of the specialization constant PREDICATE; must match `selected.glsl`. Kernels with a
    /// user function do not have this constant.
    fn predicate(&self) -> u32 {
        match self {
            Self::Flags => 0,
            Self::Range { .. } => 1,
            Self::Heads => 2,
            #[cfg(feature = "glsl")]
            Self::Glsl(_) => 0,
        }
    }

    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL uses the type"))]
    fn kernel(&self, builtin: &Builtin, key: KeyType) -> Result<Arc<Kernel>> {
        #[cfg(feature = "glsl")]
        if let Self::Glsl(user) = self {
            let role = multisplit_shaders::UserFunction::Predicate;
            let source = &user.source;
            return crate::operations::shared::glsl::kernel(builtin, role, key.glsl(), source);
        }
        Ok(builtin.kernel()?)
    }

    /// Parameters of the user function, and its table if it has one. `None` if the condition is not a user function.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL has tables"))]
    fn user(&self, graph: &mut Graph) -> Option<([u32; 3], Option<Buffer>)> {
        #[cfg(feature = "glsl")]
        if let Self::Glsl(user) = self {
            return Some((user.parameters, user.declare_table(graph)));
        }
        None
    }
}

impl SelectPasses<'_> {
    /// Whether a kernel with small tiles is used. Partitions have no such kernel.
    fn is_small(&self) -> bool {
        self.n.max <= self.policy.small_selects_up_to.into() && self.buffers.rejected.is_none()
    }

    /// Workgroup size and look-back settings, for `items` elements per thread. The workgroup size
    /// is halved until recomputing a tile stays within the device's loop limit.
    fn look_back(&self, items: u64) -> (u32, LookBack) {
        let policy = self.policy;
        let mut threads = match self.buffers.run_lengths {
            _ if self.is_small() => policy.small_threads,
            None => policy.select_threads,
            Some(_) => policy.threads,
        };
        let lanes = policy.facts.subgroup_size;
        loop {
            let steps = u64::from(threads / lanes) * items;
            let cost = LookBackCost { fixed: 0, poll: 1, recompute: steps };
            let tiles = self.n.max.div_ceil(u64::from(threads) * items);
            match policy.look_back(tiles, cost) {
                Some(settings) => return (threads, settings),
                None if threads > lanes => threads = (threads / 2).next_multiple_of(lanes),
                // Recomputing a tile of one subgroup takes `items` iterations, which is within
                // every loop limit.
                None => return (threads, LookBack { spins: 0, tickets: true }),
            }
        }
    }

    fn add(self, graph: &mut Graph, mut lengths: Lengths) -> Result<()> {
        let &SelectBuffers { src, dst, selected, flags, rejected, run_lengths, .. } = self.buffers;
        let bytes = u64::from(self.key.bytes());
        let is_small = self.is_small();
        let (kernels, other_output) = match (rejected, run_lengths) {
            (_, Some(lengths)) => {
                let kernels = if is_small { SELECT_RUNS_SMALL } else { SELECT_RUNS };
                (kernels, Some(("lengths", lengths, WORD)))
            }
            (Some(rejected), None) => (SELECT_PARTITION, Some(("rejected", rejected, bytes))),
            (None, None) if is_small => (SELECT_SWEEP_SMALL, None),
            (None, None) => (SELECT_SWEEP, None),
        };
        let builtin = kernels[usize::from(self.key.bits() == 64)];
        let items = u64::from(builtin.define("ITEMS").unwrap_or(1));
        let (threads, settings) = self.look_back(items);
        // At least one workgroup, so that an empty input still writes a count of zero.
        let tiles = lengths.at_least_one_part(self.n, u64::from(threads) * items)?;
        let words = if run_lengths.is_some() { 4 } else { 2 };
        let status = TileStatus::plan(self.policy, &mut lengths, tiles, words, true)?;
        let keeps_status = status.constant();
        let prepared = lengths.prepare(graph, self.policy, "select.prepare")?;
        let status = status.add(graph, self.policy, prepared, "select")?;

        let view = |array, bytes| first_elements(array, self.n.max, bytes, self.policy);
        let src = view(src, bytes)?;
        let kernel = self.by.kernel(builtin, self.key)?;
        let user = self.by.user(graph);
        let (low, high, inverted) = match *self.by {
            By::Range { low, high, inverted } => (low, high, inverted),
            _ => (0, 0, false),
        };
        let (low, high, inverted) = (halves(low), halves(high), u32::from(inverted));
        let count = prepared.pushed(self.n);
        let constants = [
            ("local_size_x", threads),
            ("PREDICATE", self.by.predicate()),
            ("KEY_KIND", self.key.kind()),
            keeps_status,
        ];
        let constants = [&constants[..], &settings.constants()].concat();
        let mut pass = start_pass(graph, kernels[0].label(), &kernel, &constants)
            .bind("src", src)
            .bind("dst", view(dst, bytes)?)
            .bind("status", status)
            .bind("selected", selected.range(0, WORD));
        // The kernel declares a binding for flags or a table. If there are none, `src` is bound instead.
        pass = match user {
            None => {
                let flags = flags.map_or(Ok(src), |flags| view(flags, WORD))?;
                pass.bind("flags", flags).push(&push_words! { count, inverted, low[2], high[2] })
            }
            Some(([parameter_0, parameter_1, parameter_2], table)) => {
                let table = table.map_or(Ok(src), |table| single(table.into(), self.policy))?;
                pass.bind("table", table).push(&push_words! {
                    count, inverted, low[2], high[2], parameter_0, parameter_1, parameter_2
                })
            }
        };
        if let Some((name, output, bytes)) = other_output {
            pass = pass.bind(name, view(output, bytes)?);
        }
        prepared.dispatch(prepared.bind(pass, src), tiles);
        Ok(())
    }
}
