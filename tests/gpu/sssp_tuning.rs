//! Distances do not depend on the tuning: with random tunings, searches return correct distances or
//! a typed error.

use multisplit_sssp::{DeviceNetwork, Error, Options, Solver, Tuning};
use multisplit_tests::prelude::*;

use crate::policy_fields::{number, pick};
use crate::sssp_methods::{METHODS, random_network};

tests!(sssp: random_tunings_give_correct_distances_or_errors);

macro_rules! fields {
    ($($($path:ident).+),* $(,)?) => { &[$(|tuning| &mut tuning.$($path).+),*] };
}

const FIELDS: &[fn(&mut Tuning) -> &mut u32] = fields![
    threads,
    max_groups,
    residents.groups,
    residents.threads,
    spin_limit,
    resident_rounds,
    batch_rounds,
    batch_piles,
    stage,
    spread_degree,
    spread_degree_even,
    wide_degree,
    merge_entries,
    tail_entries,
    hub_degree,
    piece,
    local_hops,
    local_entries,
    queue_percent,
    min_queue_entries,
    delta_scale,
    max_delta,
    delta_thin,
    delta_even,
];

/// One or two fields of the tuning get arbitrary values. A full run tries 400 tunings.
fn random_tunings_give_correct_distances_or_errors(gpu: &Gpu) -> Result<()> {
    let device = Tuning::for_device(gpu.properties());
    // `FIELDS` contains all fields but two: `residents`, whose own fields are listed separately,
    // and the loop limit, which is a device property.
    let all = format!("{device:?}").matches(": ").count();
    expect_value("the number of listed fields", &FIELDS.len(), &(all - 2))?;
    let (mut right, mut refused) = (0, 0);
    for seed in 0..if gpu.full { 400 } else { 16 } {
        let mut rng = Rng::new(seed * 7919 + u64::from(gpu.properties().subgroup_size));
        let mut tuning = device;
        for _ in 0..=rng.below(2) {
            *pick(&mut rng, FIELDS)(&mut tuning) = number(&mut rng);
        }
        if gpu.full && !gpu.mine() {
            continue;
        }
        let network = random_network(&mut rng, 200)?;
        let on_device = DeviceNetwork::upload(gpu, &network)?;
        let method = pick(&mut rng, if gpu.full { &METHODS } else { &METHODS[4..] });
        let options = Options { method, tuning: Some(tuning), ..Options::default() };
        let solver = Solver::new(gpu, &on_device, &options);
        match solver.and_then(|mut solver| solver.solve(0)) {
            Ok(found) => {
                let expected = shortest::distances_in(&network, 0);
                let are_right = found.paths.distances == expected;
                ensure!(are_right, "seed {seed}: wrong distances with {options:?}");
                right += 1;
            }
            Err(Error::Engine(multisplit::Error::Vulkan { call, result })) => {
                bail!("seed {seed}: {call} failed: {result}");
            }
            Err(_) => refused += 1,
        }
    }
    let is_mixed = right > 0 && refused > 0;
    ensure!(
        is_mixed,
        "{right} correct results and {refused} errors; expected at least one of each"
    );
    Ok(())
}
