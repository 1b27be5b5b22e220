//! Lists the shortest-path searches that are tested.

use multisplit_sssp::Method;

use super::networks::Kind;
use super::primitives::Device;
use super::searches::{SsspCase, has_pile};
use super::setup::Cases;
use super::surveys::survey_case;

const METHODS: [Method; 5] = [
    Method::BellmanFord,
    Method::NearFar,
    Method::Bucketing,
    Method::MultisplitPasses,
    Method::Multisplit,
];

/// A search by subgroups with one dispatch per round.
pub fn search(method: Method, network: Kind) -> SsspCase {
    let rounds = if has_pile(method) { 40 } else { 80 };
    SsspCase {
        method,
        network,
        vertices: 150,
        degree: 4,
        floats: false,
        resident: false,
        spread: false,
        short_queues: false,
        locally: true,
        alone: false,
        rounds,
        resident_rounds: rounds,
    }
}

/// Searches of random networks with every method, and passes that build predecessor trees.
pub fn searches(all: &mut Cases) {
    for method in METHODS {
        for (resident, spread, short_queues, floats) in [
            (false, false, false, false),
            (false, true, false, true),
            (true, false, false, false),
            (true, true, false, true),
            (false, false, true, false),
        ] {
            let vertices = if (resident || spread) && !has_pile(method) { 300 } else { 150 };
            let of = search(method, Kind::Random);
            all.add(SsspCase { vertices, floats, resident, spread, short_queues, ..of });
        }
    }
    for number in 0..4 {
        all.add_made(move |device| survey_case(device, number % 2 == 1, number / 2 == 1));
    }
}

/// Searches of trees, whose statistics are known as well as their distances, and of unusual
/// networks.
pub fn special_searches(device: Device) -> Vec<SsspCase> {
    let mut all = Vec::new();
    for (number, method) in METHODS.into_iter().enumerate() {
        let tree = SsspCase { vertices: 260, locally: false, ..search(method, Kind::Tree) };
        let wide = SsspCase { vertices: 561, alone: true, ..search(method, Kind::Wide) };
        let floats = number % 2 == usize::from(device.lane_order);
        all.push(tree);
        all.push(SsspCase { spread: true, floats: !floats, ..tree });
        all.push(SsspCase { locally: number % 2 == 0, ..wide });
        all.push(SsspCase { vertices: 60, floats, ..search(method, Kind::Far) });
        all.push(SsspCase { vertices: 6, floats, ..search(method, Kind::Path) });
        all.push(SsspCase { short_queues: true, vertices: 300, ..search(method, Kind::Random) });
        if has_pile(method) {
            continue;
        }
        all.push(SsspCase { resident: true, floats, ..tree });
        all.push(SsspCase { resident: true, spread: true, ..tree });
        all.push(SsspCase { resident: true, floats: true, ..wide });
        let far = search(method, Kind::Far);
        all.push(SsspCase { vertices: 60, resident: true, floats: !floats, ..far });
        let short = SsspCase { short_queues: true, resident: true, ..search(method, Kind::Random) };
        all.push(SsspCase { vertices: 300, ..short });
        // The search may take two dispatches of three rounds each. It would need more than three
        // times as many rounds, so it ends early.
        let path = SsspCase { locally: false, resident: true, ..search(method, Kind::Path) };
        all.push(SsspCase { vertices: 20, rounds: 6, resident_rounds: 3, ..path });
    }
    all
}
