//! Tests of reported times. There is one time for kernels, one for transfers and host work together, and one for
//! verification.

use crate::arrays::words;
use crate::workdir::Workdir;

#[test]
fn summaries_separate_kernels_from_host_and_verification() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words(0..1000));
    for (line, phase) in [
        ("sort in.bin -o out.bin", "sorting"),
        ("sort in.bin -o out.bin --argsort order.bin", "sorting"),
        ("split in.bin -o out.bin --buckets 2 --by delta", "splitting"),
        ("histogram in.bin --bins 4 --json", "counting"),
        ("topk in.bin -k 3 -o out.bin", "selecting"),
        ("unique in.bin -o out.bin", "finding runs"),
        ("scan in.bin -o out.bin", "scanning"),
        ("reduce in.bin --op max", "reducing"),
        ("merge in.bin in.bin -o out.bin", "merging"),
        ("search in.bin in.bin -o out.bin", "searching"),
    ] {
        let ran = workdir.run(&format!("{line} --type u32 --force --verify -v")).expect(0);
        let lines: Vec<&str> = ran.err.lines().collect();
        let summary = lines.iter().find(|line| line.contains(" in total, ")).expect(line);
        assert!(summary.contains(" of device time on "), "{line}: {summary}");
        assert!(summary.ends_with(" of verification"), "{line}: {summary}");
        let phases = lines.iter().find(|line| line.starts_with("of which ")).expect(line);
        for part in [format!(" {phase} "), "(kernels ".to_owned(), ", verifying ".to_owned()] {
            assert!(phases.contains(&part), "{line}: no `{part}` in {phases}");
        }
        assert!(phases.contains(", transfers and host "), "{line}: {phases}");
    }
    let ran = workdir.run("sort in.bin -o out.bin --type u32 --force").expect(0);
    assert!(ran.error_line().ends_with(" in total"), "{}", ran.err);
}
