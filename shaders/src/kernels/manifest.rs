//! Parses `glsl/kernels.txt`, the list of kernels.
//!
//! A line defines an axis (a set of alternatives) or kernels: with a label, a file, and preprocessor definitions. A
//! definition may name an axis (`@KEY`). The line then describes a family of kernels, one for each combination of
//! alternatives.

/// One kernel of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Dotted lower-case label, e.g. `scan.reduce`.
    pub label: String,
    /// Path of the GLSL file, relative to `glsl/`.
    pub file: String,
    /// Preprocessor definitions, as pairs of name and value. A definition without a value has the value 1.
    pub defines: Vec<(String, String)>,
}

/// One line of the list: a kernel or its variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The label of the line, and prefix of the labels of its kernels.
    pub label: String,
    /// Number of alternatives of each axis.
    pub axes: Vec<usize>,
    /// The kernels, one for each combination of alternatives. The last axis varies fastest.
    pub kernels: Vec<Entry>,
}

/// An error in a line of the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernels.txt, line {line}: {problem}")]
pub struct ManifestError {
    /// Line number, from 1.
    pub line: usize,
    /// The problem, and what is expected instead.
    pub problem: String,
}

/// An alternative of an axis: label suffix and definitions.
type Choice = (String, Vec<(String, String)>);

/// The Rust constant for a label: `scan.reduce` is `SCAN_REDUCE`.
pub fn constant(label: &str) -> String {
    label.replace(['.', '-'], "_").to_uppercase()
}

impl Entry {
    /// Name of the kernel's Rust constant.
    pub fn constant(&self) -> String {
        constant(&self.label)
    }

    /// File name of the compiled module in `spv/`.
    pub fn spirv_file(&self) -> String {
        format!("{}.spv", self.label)
    }
}

/// The lines of the list, in order.
///
/// # Errors
/// If a line is malformed. A test verifies that every line is well-formed.
pub fn families() -> Result<Vec<Family>, ManifestError> {
    parse(include_str!("../../glsl/kernels.txt"))
}

/// The kernels of this crate, in list order. Empty if a line is malformed.
pub fn entries() -> Vec<Entry> {
    families().unwrap_or_default().into_iter().flat_map(|family| family.kernels).collect()
}

fn parse(list: &str) -> Result<Vec<Family>, ManifestError> {
    let mut axes: Vec<(String, Vec<Choice>)> = Vec::new();
    let mut families = Vec::new();
    for (index, text) in list.lines().enumerate() {
        let text = text.split('#').next().unwrap_or_default().trim();
        let refuse = |problem: String| ManifestError { line: index + 1, problem };
        match text.split_once(char::is_whitespace) {
            None if text.is_empty() => {}
            None => {
                return Err(refuse(format!(
                    "kernel `{text}` has no file; expected LABEL FILE DEFINITIONS"
                )));
            }
            Some(("axis", rest)) => axes.push(axis(rest).map_err(refuse)?),
            Some((label, rest)) => families.push(family(label, rest, &axes).map_err(refuse)?),
        }
    }
    Ok(families)
}

/// Parses the rest of an `axis` line: `NAME  suffix: DEFINITIONS | suffix: DEFINITIONS`. A suffix may be empty.
fn axis(text: &str) -> Result<(String, Vec<Choice>), String> {
    let (name, choices) = text
        .trim()
        .split_once(char::is_whitespace)
        .ok_or("expected an axis: axis NAME CHOICE | CHOICE")?;
    let choice = |text: &str| {
        let (ending, defines) =
            text.split_once(':').ok_or("expected a choice: SUFFIX : DEFINITIONS")?;
        Ok((ending.trim().to_owned(), defines.split_whitespace().map(define).collect()))
    };
    Ok((name.to_owned(), choices.split('|').map(choice).collect::<Result<_, String>>()?))
}

/// Parses the rest of a kernel line, after its label: a file, definitions and `@AXIS` references. Expands the axes.
fn family(label: &str, rest: &str, axes: &[(String, Vec<Choice>)]) -> Result<Family, String> {
    let mut words = rest.split_whitespace();
    let file =
        words.next().ok_or("the kernel has no file; expected LABEL FILE DEFINITIONS")?.to_owned();
    let single = Entry { label: label.to_owned(), file, defines: Vec::new() };
    let mut family = Family { label: label.to_owned(), axes: Vec::new(), kernels: vec![single] };
    for word in words {
        let Some(name) = word.strip_prefix('@') else {
            family.kernels.iter_mut().for_each(|kernel| kernel.defines.push(define(word)));
            continue;
        };
        let found = axes.iter().find(|(other, _)| other == name);
        let (_, choices) =
            found.ok_or_else(|| format!("axis `{name}` is not defined above this line"))?;
        family.axes.push(choices.len());
        let each = |kernel: &Entry| choices.iter().map(|c| chosen(kernel, c)).collect::<Vec<_>>();
        family.kernels = family.kernels.iter().flat_map(each).collect();
    }
    Ok(family)
}

/// Returns the kernel with the label suffix and the definitions of a choice.
fn chosen(kernel: &Entry, (ending, defines): &Choice) -> Entry {
    let mut kernel = kernel.clone();
    if !ending.is_empty() {
        kernel.label = format!("{}.{ending}", kernel.label);
    }
    kernel.defines.extend(defines.iter().cloned());
    kernel
}

fn define(word: &str) -> (String, String) {
    let (name, value) = word.split_once('=').unwrap_or((word, "1"));
    (name.to_owned(), value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defines(entry: &Entry) -> Vec<(&str, &str)> {
        entry.defines.iter().map(|(name, value)| (&**name, &**value)).collect()
    }

    #[test]
    fn line_is_parsed_into_label_file_and_definitions() {
        let list = "# comment\n\nscan.reduce scan/reduce.comp KEY=uint WIDE # why\n";
        let families = parse(list).expect("well formed");
        let [Family { label, axes, kernels }] = &families[..] else { panic!("{families:?}") };
        assert_eq!((label.as_str(), axes.len()), ("scan.reduce", 0));
        assert_eq!(kernels[0].constant(), "SCAN_REDUCE");
        assert_eq!(kernels[0].file, "scan/reduce.comp");
        assert_eq!(defines(&kernels[0]), [("KEY", "uint"), ("WIDE", "1")]);
    }

    #[test]
    fn axes_expand_to_all_combinations_with_the_last_axis_fastest() {
        let list = "axis KEY : BITS=32 | wide: BITS=64 DOUBLE\naxis OF a: A|b: B\nx.y f @OF C @KEY";
        let families = parse(list).expect("well formed");
        let family = &families[0];
        assert_eq!(family.axes, [2, 2]);
        let labels: Vec<&str> = family.kernels.iter().map(|k| k.label.as_str()).collect();
        assert_eq!(labels, ["x.y.a", "x.y.a.wide", "x.y.b", "x.y.b.wide"]);
        let last = [("B", "1"), ("C", "1"), ("BITS", "64"), ("DOUBLE", "1")];
        assert_eq!(defines(&family.kernels[3]), last);
    }

    #[test]
    fn malformed_line_is_reported_with_its_number() {
        for (list, line, part) in [
            ("\nscan.reduce", 2, "has no file"),
            ("axis KEY\n", 1, "expected an axis"),
            ("axis KEY wide", 1, "expected a choice"),
            ("a b @KEY\naxis KEY : A", 1, "`KEY`"),
        ] {
            let error = parse(list).expect_err(list);
            let expected = error.line == line && error.problem.contains(part);
            assert!(expected, "expected line {line} and `{part}`, but got: {error}");
        }
    }

    /// The engine indexes its kernel tables by the positions of the choices.
    #[test]
    fn axis_choices_are_in_the_order_of_the_engine_tables() {
        let families = families().expect("well formed");
        let has =
            |kernel: &Entry, define: &str, value: &str| defines(kernel).contains(&(define, value));
        let (wide, narrow): (Vec<_>, Vec<_>) = families
            .iter()
            .filter(|family| family.axes.last() == Some(&2))
            .partition(|family| family.kernels.iter().any(|k| has(k, "KEY_BITS", "64")));
        for family in narrow {
            for (kernel, moved) in family.kernels.iter().zip(["KEYS", "PAIRS"]) {
                assert!(has(kernel, moved, "1"), "{} lacks {moved}", kernel.label);
            }
        }
        for family in wide {
            let narrow_and_wide = family.kernels.chunks_exact(2).enumerate();
            for (index, kernels) in narrow_and_wide {
                assert!(has(&kernels[0], "KEY_BITS", "32"), "{} is not 32-bit", kernels[0].label);
                assert!(has(&kernels[1], "KEY_BITS", "64"), "{} is not 64-bit", kernels[1].label);
                let moved = ["KEYS", "PAIRS", "PERMUTATION"][index];
                let moves = family.axes.len() > 1;
                let all = !moves || kernels.iter().all(|k| has(k, moved, "1"));
                assert!(all, "a kernel of {} lacks {moved}", family.label);
            }
        }
        // The order of operators: 32-bit sums and minima, then 64-bit sums and minima, then float sums if they have
        // separate kernels.
        for family in families.iter().filter(|family| family.axes.last() > Some(&2)) {
            let operators = [
                ("32", ""),
                ("32", "ORDER"),
                ("64", ""),
                ("64", "ORDER"),
                ("32", "FLOAT"),
                ("64", "FLOAT"),
            ];
            for (kernel, (bits, kind)) in family.kernels.iter().zip(operators) {
                assert!(has(kernel, "KEY_BITS", bits), "{} is not {bits}-bit", kernel.label);
                for define in ["ORDER", "FLOAT"] {
                    assert_eq!(has(kernel, define, "1"), define == kind, "{}", kernel.label);
                }
            }
        }
    }
}
