//! First look.
mod common;
use anyhow::Result;
use common::case::*;
use common::primitives::*;
use multisplit::KeyType;
use multisplit::primitives::multisplit::Method;
use multisplit::primitives::sort::SortMethod;
use multisplit_machine::*;

#[test]
fn look() -> Result<()> {
    let mut failures = 0;
    let mut runs = 0;
    let t = std::time::Instant::now();
    for width in [32] {
        for lane_order in [false, true] {
            let device = Device { width, lane_order };
            let n = tile(device) * 3 + 5;
            let mut cases = vec![];
            for key in [KeyType::U32, KeyType::F64] {
                for along in [Along::Nothing, Along::Words(1), Along::Words(2), Along::Words(4), Along::Indices] {
                    for (method, segments) in [(SortMethod::OneSweep, false), (SortMethod::Multisplit { radix_bits: 6 }, false), (SortMethod::Small, false), (SortMethod::Small, true), (SortMethod::OneSweep, true)] {
                        let n = if method == SortMethod::Small && !segments { tile(device) - 3 } else { n };
                        let of = SortCase { key, along, method, descending: along == Along::Words(1), n, turns: 1, segments };
                        match sort_case(device, of) { Ok(c) => cases.push(c), Err(e) => eprintln!("{of:?}: {e}") }
                    }
                }
            }
            for method in Method::ALL.into_iter().chain([Method::FullSort]) {
                for gives in [Gives::Keys, Gives::Pairs(1), Gives::Pairs(2), Gives::Pairs(4), Gives::Permutation] {
                    for (key, function, buckets) in [(KeyType::U32, Function::Delta, 2), (KeyType::U32, Function::Range, 13), (KeyType::U64, Function::Delta, 40), (KeyType::U32, Function::Digit, 256), (KeyType::F32, Function::Even, 9), (KeyType::U32, Function::Glsl, 30), (KeyType::U32, Function::Delta, 300)] {
                        if method == Method::FullSort && !matches!(function, Function::Delta | Function::Range) { continue; }
                        let of = SplitCase { key, gives, method, function, buckets, n, turns: 1 };
                        match split_case(device, of) { Ok(c) => cases.push(c), Err(e) => eprintln!("{of:?}: {e}") }
                    }
                }
            }
            for case in &cases {
                for schedule in [Schedule::InOrder, Schedule::Random] {
                    runs += 1;
                    let t = std::time::Instant::now();
                    let r = check(case, &Options { schedule, ..Options::new(width) });
                    if runs % 20 == 0 { eprintln!("{:?} {:?} {:.100}", t.elapsed(), r.as_ref().map(|o| o.steps).unwrap_or(0), case.name); }
                    if let Err(e) = r { failures += 1; if failures < 40 { eprintln!("{:.1500}\n", format!("{e}")); } continue; }
                    if false { let e = "";
                        failures += 1;
                        if failures < 40 { eprintln!("{:.1500}\n", format!("{e}")); }
                    }
                }
            }
        }
    }
    eprintln!("{failures} failures in {runs} runs {:?}", t.elapsed());
    Ok(())
}
