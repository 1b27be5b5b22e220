//! Which kernels there are: the list in `glsl/kernels.txt`, and how a line of it is read.
//!
//! One line a kernel: its label, its file, and the preprocessor definitions that make this
//! variant of the file.

/// One kernel of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Dotted lower-case label, e.g. `scan.reduce`.
    pub label: String,
    /// Path below `glsl/`.
    pub file: String,
    /// Preprocessor definitions, `NAME` or `NAME=VALUE`.
    pub defines: Vec<(String, String)>,
}

impl Entry {
    /// The name of the Rust constant: `scan.reduce` is `SCAN_REDUCE`.
    pub fn constant(&self) -> String {
        self.label.replace(['.', '-'], "_").to_uppercase()
    }

    /// The file name of the compiled module below `spv/`.
    pub fn spirv_file(&self) -> String {
        format!("{}.spv", self.label)
    }
}

/// The kernels of this crate, in the order of the list.
pub fn entries() -> Vec<Entry> {
    parse(include_str!("../glsl/kernels.txt"))
}

fn parse(list: &str) -> Vec<Entry> {
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default().split_whitespace())
        .filter_map(|mut words| {
            let (label, file) = (words.next()?.to_owned(), words.next()?.to_owned());
            let define = |word: &str| match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => (word.to_owned(), "1".to_owned()),
            };
            Some(Entry { label, file, defines: words.map(define).collect() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_label_file_and_definitions() {
        let list = "# comment\n\nscan.reduce scan/reduce.comp KEY=uint WIDE # why\n";
        let entry = parse(list).pop().expect("one entry");
        assert_eq!(entry.constant(), "SCAN_REDUCE");
        assert_eq!(entry.file, "scan/reduce.comp");
        assert_eq!(entry.defines, [("KEY".into(), "uint".into()), ("WIDE".into(), "1".into())]);
    }
}
