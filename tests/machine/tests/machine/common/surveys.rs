//! Plans of the passes that build the predecessor tree after a shortest-path search. The first pass
//! follows arcs of nonzero weight. The second pass follows arcs of zero weight, for which several
//! trees are correct.

use std::sync::Arc;

use anyhow::Result;
use multisplit::graph::Groups;
use multisplit::shaders::builtin;
use multisplit_sssp::network::{Network, UNREACHED};

use super::case::{Case, Verify};
use super::moves::value_type;
use super::networks::{Kind, arc_words, arcs_of_reached, distances, network, sum_of};
use super::primitives::Device;
use super::setup::{Setup, push_bytes};

/// The predecessor of each vertex: the lowest-numbered vertex with a smaller distance and an arc on
/// a shortest path.
fn nearer_predecessors(network: &Network, held: &[u32], floats: bool) -> Vec<u32> {
    let mut tree = vec![UNREACHED; held.len()];
    for (from, arc) in arcs_of_reached(network, held) {
        let (so_far, target) = (held[from as usize], arc.target as usize);
        let sum = sum_of(so_far, arc.weight, floats);
        if sum == held[target] && so_far < held[target] && target != 0 {
            tree[target] = tree[target].min(from);
        }
    }
    tree
}

/// Checks the predecessors that the pass finds by zero-weight arcs. The pass may follow an arc only
/// from the source or a vertex that has a predecessor. It must follow the arcs of the source and of
/// all vertices that had a predecessor before the pass.
fn verify_parents(network: Network, held: Vec<u32>, before: Vec<u32>) -> Verify {
    Arc::new(move |words: &dyn Fn(&str) -> Vec<u32>| {
        let (parents, found) = (words("parents"), words("found"));
        let has_free_arc = |from: u32, to: usize| {
            held[from as usize] == held[to]
                && network.arcs_of(from).iter().any(|a| (a.target as usize, a.weight) == (to, 0))
        };
        let mut changed = false;
        for (vertex, &parent) in parents.iter().enumerate() {
            if before[vertex] != UNREACHED || vertex == 0 {
                if parent != before[vertex] {
                    return Some(format!(
                        "the predecessor of vertex {vertex} has changed from {} to {parent}",
                        before[vertex]
                    ));
                }
                continue;
            }
            changed |= parent != UNREACHED;
            if parent == UNREACHED {
                let settled = |v: u32| v == 0 || before[v as usize] != UNREACHED;
                let mut others = 0..network.vertices();
                if held[vertex] != UNREACHED
                    && others.any(|v| settled(v) && has_free_arc(v, vertex))
                {
                    return Some(format!(
                        "vertex {vertex} has no predecessor, but an arc of weight 0 leads to it"
                    ));
                }
            } else if !has_free_arc(parent, vertex) {
                return Some(format!(
                    "vertex {parent} is not a valid predecessor of vertex {vertex}"
                ));
            }
            // Following the predecessors must lead back to the source.
            let (mut at, mut steps) = (vertex as u32, 0);
            while at != 0 && parent != UNREACHED {
                at = parents[at as usize];
                steps += 1;
                if at == UNREACHED || steps > parents.len() {
                    return Some(format!(
                        "the predecessors of vertex {vertex} do not lead to the source"
                    ));
                }
            }
        }
        let reported = found[0] != 0;
        (reported != changed).then(|| {
            format!("predecessors have changed: {changed}, but the pass reports {reported}")
        })
    })
}

pub fn survey_case(device: Device, floats: bool, same_distance: bool) -> Result<Case> {
    let kind = if same_distance { Kind::Free } else { Kind::Random };
    let network = network(kind, 150, if same_distance { 2 } else { 3 }, floats)?;
    let vertices = network.vertices();
    let arcs = network.arcs().len() as u64;
    let held = distances(&network, floats);
    let tree = nearer_predecessors(&network, &held, floats);
    let reached = arcs_of_reached(&network, &held).count() as u32;
    let mut setup = Setup::new(device, "survey");
    setup.expect("distances", held.clone());
    if !same_distance {
        setup.expect("found", vec![0, UNREACHED, reached, 0]);
        setup.expect("parents", tree.clone());
    }
    let before = if same_distance { tree } else { vec![UNREACHED; vertices as usize] };
    let arc_buffer = setup.buffer("arcs", value_type(2), arcs);
    setup.set("arcs", arc_words(&network));
    let bound = [
        ("rows", setup.words("rows", network.rows().to_vec())),
        ("arcs", arc_buffer),
        ("distances", setup.words("distances", held.clone())),
        ("request", setup.words("request", vec![0])),
        ("parents", setup.words("parents", before.clone())),
        ("found", setup.words("found", vec![0, UNREACHED, 0, 0])),
    ];
    let pass = setup.graph.pass("sssp.survey", builtin::SSSP_SURVEY.kernel()?);
    bound
        .into_iter()
        .fold(pass, |pass, (name, buffer)| pass.bind(name, buffer))
        .push_bytes(&push_bytes(&[vertices, arcs as u32, same_distance.into()]))
        .specialize("local_size_x", device.threads())
        .specialize("FLOATS", u32::from(floats))
        .specialize("PARENTS", 1)
        .dispatch(Groups::linear(arcs.div_ceil(device.threads().into())));
    let verify = same_distance.then(|| verify_parents(network, held, before));
    let name = format_args!("survey, floats {floats}, same distance {same_distance}");
    Ok(Case { verify, ..setup.finish(name)? })
}
