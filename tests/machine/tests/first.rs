//! First look.
mod common;
use anyhow::Result;
use common::case::*;
use common::others::*;
use common::primitives::*;
use multisplit::SampleType;
use multisplit::primitives::histogram::HistogramMethod;
use multisplit::primitives::sssp::SsspMethod;
use multisplit_machine::*;

#[test]
fn look() -> Result<()> {
    let mut failures = 0;
    let mut runs = 0;
    let t = std::time::Instant::now();
    for width in [4, 32, 128] {
            let device = Device { width, lane_order: false };
            let mut cases = vec![probe_case(device)?];
            for on_device in [false, true] { cases.push(memory_case(device, 1003, on_device)?); 
                for look_back in [false, true] { cases.push(scan_case(device, look_back, on_device, 5001)?); }
            }
            for floats in [false, true] { for settle in [false, true] { cases.push(survey_case(device, floats, settle)?); } }
            for method in [HistogramMethod::Votes, HistogramMethod::Shared, HistogramMethod::Global] {
                for sample in SampleType::ALL { for range in [false, true] { for bins in [7, 100] { for on_device in [false, true] {
                    let of = HistogramCase { sample, method, range, bins, weighted: Weighted::No, wide: false, channels: false, on_device, n: 3000, cells: 64 };
                    match histogram_case(device, of) { Ok(c) => cases.push(c), Err(e) => eprintln!("{of:?}: {e}") }
                    for (weighted, wide, channels) in [(Weighted::Words, false, false), (Weighted::Floats, false, false), (Weighted::No, true, false), (Weighted::Words, true, false), (Weighted::No, false, true)] {
                        let of = HistogramCase { weighted, wide, channels, ..of };
                        if let Ok(c) = histogram_case(device, of) { cases.push(c) }
                    }
                }}}}
            }
            for method in [SsspMethod::BellmanFord, SsspMethod::NearFar, SsspMethod::Bucketing, SsspMethod::MultisplitPasses, SsspMethod::Multisplit] {
                for (resident, spread, short_queues, floats) in [(false, false, false, false), (false, true, false, true), (true, false, false, false), (true, true, false, true), (false, false, true, false)] {
                    let of = SsspCase { method, vertices: 300, degree: 4, floats, resident, spread, short_queues, rounds: 40 };
                    match sssp_case(device, of) { Ok(c) => cases.push(c), Err(e) => eprintln!("{of:?}: {e}") }
                }
            }
            for case in &cases {
                for schedule in [Schedule::InOrder, Schedule::Random] {
                    runs += 1;
                    let t = std::time::Instant::now();
                    let r = check(case, &Options { schedule, ..Options::new(width) });
                    if runs % 40 == 0 { eprintln!("{:?} {:?} {:.100}", t.elapsed(), r.as_ref().map(|o| o.steps).unwrap_or(0), case.name); }
                    if let Err(e) = r { failures += 1; if failures < 60 { eprintln!("{:.1800}\n", format!("{e}")); } }
                }
            }
    }
    eprintln!("{failures} failures in {runs} runs {:?}", t.elapsed());
    Ok(())
}
