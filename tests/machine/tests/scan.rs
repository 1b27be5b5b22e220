//! scan
mod common;
use anyhow::Result;
use common::*;
use multisplit_machine::*;
#[test]
fn scan() -> Result<()> {
    for width in [4, 32, 128] {
        for look_back in [false, true] {
            for schedule in [Schedule::InOrder, Schedule::Reversed, Schedule::Random] {
                let n = 128 * 16 * 3 + 5u32;
                let device = Device { width, lane_order: false };
                let plan = scan_plan(device, look_back, n.into())?;
                let mut m = Machine::new(Options { schedule, ..Options::new(width) });
                let input: Vec<u32> = (0..n).map(|i| i * 7919 % 1000).collect();
                let src = m.upload("src", &input);
                let dst = m.buffer("dst", u64::from(n) * 4);
                let t = std::time::Instant::now();
                m.run(&plan, &[("src", src), ("dst", dst)], PlanOptions::default())?;
                eprintln!("{width} {look_back} {schedule:?} steps {} {:?} {}", m.steps(), t.elapsed(), plan.steps.iter().map(|s| s.pass.label.clone()).collect::<Vec<_>>().join(" "));
                eprintln!("{}", m.findings());
                let mut sum = 0u32;
                let expected: Vec<u32> = input.iter().map(|x| { let b = sum; sum += x; b }).collect();
                assert!(m.download(dst) == expected);
            }
        }
    }
    Ok(())
}
