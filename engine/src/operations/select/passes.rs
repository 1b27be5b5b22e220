//! Passes of a selection: clearing the tile states, and the sweep.

use std::sync::Arc;

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::Kernel;
use multisplit_shaders::builtin::Builtin;
use multisplit_shaders::builtin::variants::{SELECT_PARTITION, SELECT_RUNS, SELECT_SWEEP};
use multisplit_shaders::push_constants;

use super::{By, SelectBuffers};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::execute::own_pass::OwnPasses;
use crate::operations::shared::count::{Length, Lengths};
use crate::operations::shared::fill::Filling;
use crate::operations::shared::look_back::{LookBack, LookBackCost};
use crate::operations::shared::pieces::single;
use crate::operations::shared::specialize::specialize;
use crate::policy::Policy;

push_constants! {
    struct SelectPush {
        count: u32,
        inverted: u32,
        low: [u32; 2],
        high: [u32; 2],
    }
}

push_constants! {
    struct UserPush {
        count: u32,
        inverted: u32,
        low: [u32; 2],
        high: [u32; 2],
        parameter_0: u32,
        parameter_1: u32,
        parameter_2: u32,
    }
}

const WORD: u64 = 4;

/// Parameters of the passes of one selection.
pub(super) struct SelectPasses<'j> {
    pub policy: &'j Policy,
    pub key: KeyType,
    pub by: &'j By,
    pub n: Length,
    pub buffers: &'j SelectBuffers,
}

impl By {
    /// Value of the PREDICATE constant, as in selected.glsl. Kernels with a user function do not
    /// have this constant.
    fn predicate(&self) -> u32 {
        match self {
            Self::Flags => 0,
            Self::Range { .. } => 1,
            Self::Heads => 2,
            #[cfg(feature = "glsl")]
            Self::Glsl(_) => 0,
        }
    }

    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL depends on it"))]
    fn kernel(&self, builtin: &Builtin, key: KeyType) -> Result<Arc<Kernel>> {
        #[cfg(feature = "glsl")]
        if let Self::Glsl(user) = self {
            let role = multisplit_shaders::check::UserFunction::Predicate;
            return crate::operations::shared::glsl::kernel(
                builtin,
                role,
                key.glsl(),
                &user.source,
            );
        }
        Ok(builtin.kernel()?)
    }

    /// Parameters and table of a user function.
    #[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "only GLSL has one"))]
    fn user(&self, graph: &mut Graph) -> Option<([u32; 3], Option<Buffer>)> {
        #[cfg(feature = "glsl")]
        if let Self::Glsl(user) = self {
            return Some((user.parameters, user.declare_table(graph)));
        }
        None
    }
}

impl SelectPasses<'_> {
    /// Workgroup size and look-back settings, for `items` elements per thread. The workgroup size
    /// is halved until a tile can be recomputed within the loop limit of the device.
    fn look_back(&self, items: u64) -> (u32, LookBack) {
        // Tiles with run lengths take longer and would wait for tiles that start late, so use
        // tickets (docs/performance-log.md, 52).
        let (mut threads, policy) = match self.buffers.run_lengths {
            None => (self.policy.select_threads, *self.policy),
            Some(_) => (self.policy.threads, Policy { tickets: true, ..*self.policy }),
        };
        let lanes = policy.facts.subgroup_size;
        loop {
            let steps = u64::from(threads / lanes) * items;
            let cost = LookBackCost { fixed: 0, poll: 1, recompute: steps };
            let tiles = self.n.max.div_ceil(u64::from(threads) * items);
            match policy.look_back(tiles, cost) {
                Some(settings) => return (threads, settings),
                None if threads > lanes => threads = (threads / 2).next_multiple_of(lanes),
                // A tile of one subgroup takes `items` iterations, which is within every loop
                // limit.
                None => return (threads, LookBack { spins: 0, tickets: true }),
            }
        }
    }

    pub fn add(self, graph: &mut Graph, mut lengths: Lengths) -> Result<()> {
        let &SelectBuffers { src, dst, selected, flags, rejected, run_lengths, .. } = self.buffers;
        let wide = usize::from(self.key.bits() == 64);
        let kernels = match (rejected, run_lengths) {
            (_, Some(_)) => SELECT_RUNS,
            (Some(_), None) => SELECT_PARTITION,
            (None, None) => SELECT_SWEEP,
        };
        let items = u64::from(kernels[wide].define("ITEMS").unwrap_or(1));
        let (threads, settings) = self.look_back(items);
        let tile = u64::from(threads) * items;
        // At least one workgroup, so that empty inputs still write a count of zero.
        let tiles = lengths.some_parts(self.n, tile)?;
        let words = if run_lengths.is_some() { 4 } else { 2 };
        let states = lengths.scaled(tiles, words, words)?;
        let clear = Filling::plan(self.policy, &mut lengths, states)?;
        let prepared = lengths.prepare(graph, self.policy, "select.prepare")?;
        let status = match run_lengths {
            Some(_) => graph.transient::<[u32; 4]>("select.status", 1 + tiles.max),
            None => graph.transient::<[u32; 2]>("select.status", 1 + tiles.max),
        };
        clear.add(graph, self.policy, prepared, "select.clear", status, 0)?;

        let bytes = u64::from(self.key.bytes());
        // Bindings cannot be empty. Kernels do not access elements past the count.
        let view = |buffer: Buffer, bytes: u64| {
            single(buffer.range(0, (self.n.max * bytes).max(bytes)), self.policy)
        };
        let src = view(src, bytes)?;
        let kernel = self.by.kernel(kernels[wide], self.key)?;
        let user = self.by.user(graph);
        let (low, high, inverted) = match *self.by {
            By::Range { low, high, inverted } => (low, high, inverted),
            _ => (0, 0, false),
        };
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let push = SelectPush {
            count: prepared.pushed(self.n),
            inverted: inverted.into(),
            low: halves(low),
            high: halves(high),
        };
        let pass = graph
            .own_pass(kernels[0].label(), &kernel)
            .bind("src", src)
            .bind("dst", view(dst, bytes)?)
            .bind("status", status)
            .bind("selected", selected.range(0, 4))
            .specialize("local_size_x", threads);
        let constants = [("PREDICATE", self.by.predicate()), ("KEY_KIND", self.key.kind())];
        let pass = specialize(pass, &kernel, &[constants, settings.constants()].concat());
        // Without flags or a table, the kernel does not access the binding.
        let pass = match user {
            None => {
                let flags = flags.map_or(Ok(src), |flags| view(flags, WORD))?;
                pass.bind("flags", flags).push(&push)
            }
            Some(([parameter_0, parameter_1, parameter_2], table)) => {
                let SelectPush { count, inverted, low, high } = push;
                let table = table.map_or(Ok(src), |table| single(table.into(), self.policy))?;
                pass.bind("table", table).push(&UserPush {
                    count,
                    inverted,
                    low,
                    high,
                    parameter_0,
                    parameter_1,
                    parameter_2,
                })
            }
        };
        let pass = match (rejected, run_lengths) {
            (_, Some(lengths)) => pass.bind("lengths", view(lengths, WORD)?),
            (Some(rejected), None) => pass.bind("rejected", view(rejected, bytes)?),
            (None, None) => pass,
        };
        prepared.dispatch(prepared.bind(pass, src), tiles);
        Ok(())
    }
}
