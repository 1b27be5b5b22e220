//! Nearly right networks given to the program itself: it ends by itself, with a status of its own,
//! and where it fails it says why in one line and leaves nothing.

use crate::desk::Desk;

const SEEDS: [(&str, &str); 4] = [
    ("g.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 5\n2 3 7\n4 1 1\n"),
    ("g.gr", "c roads\np sp 4 3\na 1 2 7\na 2 3 1\na 4 1 9\n"),
    ("g.wel", "0 1 4\n1 2 0.5\n3 0 1\n"),
    ("g.el", "0 1\n1 2\n3 0\n"),
];

#[test]
fn nearly_right_networks_end_well() {
    let full = std::env::var("MULTISPLIT_FULL").is_ok_and(|v| !v.is_empty() && v != "0");
    let desk = Desk::new();
    let mut next = crate::arrays::random(77);
    for run in 0..if full { 500 } else { 10 } {
        for (name, text) in SEEDS {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + next() % 3 {
                let at = next() as usize % bytes.len();
                match next() % 4 {
                    0 => bytes[at] = next() as u8,
                    1 => bytes.truncate(at.max(1)),
                    2 => drop(bytes.splice(at..at, *b"999999999")),
                    _ => drop(bytes.remove(at)),
                }
                if bytes.is_empty() {
                    bytes.push(b'\n');
                }
            }
            desk.write(name, &bytes);
            let line = format!("sssp {name} --method dijkstra -o out.txt --force -q");
            let ran = desk.run(&line);
            let why = format!("run {run}: {:?}: {}", String::from_utf8_lossy(&bytes), ran.err);
            assert!(matches!(ran.status, Some(0 | 1)), "{why}");
            assert_eq!(ran.err.lines().count(), usize::from(ran.status == Some(1)), "{why}");
            let out = desk.path().join("out.txt");
            assert_eq!(out.exists(), ran.status == Some(0), "{why}");
            let _ = std::fs::remove_file(out);
        }
    }
}
