//! Tests rules that all built-in kernels must follow.
#![allow(clippy::expect_used)]

use std::collections::{HashMap, HashSet};
use std::path::Path;

use multisplit_shaders::builtin;

#[test]
fn specialization_constant_has_the_same_id_in_all_kernels() {
    let known: HashMap<&str, u32> = builtin::CONSTANT_IDS.iter().copied().collect();
    let numbers: HashSet<u32> = known.values().copied().collect();
    assert_eq!(known.len(), builtin::CONSTANT_IDS.len(), "a constant is listed twice");
    assert_eq!(numbers.len(), known.len(), "two constants have the same id");
    let mut unused: HashSet<&str> = known.keys().copied().collect();
    for builtin in builtin::ALL {
        let kernel = builtin.kernel().expect("built-in");
        for constant in &kernel.interface().spec_constants {
            let number = known.get(constant.name.as_str());
            assert_eq!(number, Some(&constant.id), "{}: {}", builtin.label(), constant.name);
            unused.remove(constant.name.as_str());
        }
    }
    // Only kernels with a user's operator, which are compiled at run time, have these constants.
    let of_operators = HashSet::from(["IDENTITY_LOW", "IDENTITY_HIGH"]);
    assert_eq!(unused, of_operators, "constants that no built-in kernel has");
}

#[test]
fn variant_tables_contain_the_kernels_of_their_family() {
    let pairs = builtin::variants::MULTISPLIT_BLOCK_POSTSCAN[1];
    assert_eq!(pairs[0].label(), "multisplit.block.postscan.pairs");
    assert_eq!(pairs[1].label(), "multisplit.block.postscan.pairs.key64");
    assert_eq!((pairs[1].define("KEY_BITS"), pairs[1].define("PAIRS")), (Some(64), Some(1)));
}

#[test]
fn includes_have_guards_named_after_the_file() {
    let includes = Path::new(env!("CARGO_MANIFEST_DIR")).join("glsl/include");
    for file in std::fs::read_dir(includes).expect("the folder is readable") {
        let path = file.expect("the folder is readable").path();
        let text = std::fs::read_to_string(&path).expect("the file is readable UTF-8");
        let name = path.file_name().and_then(|name| name.to_str()).expect("the name is UTF-8");
        let guard = name.replace('.', "_").to_uppercase();
        let code =
            text.lines().skip_while(|line| line.starts_with("//")).collect::<Vec<_>>().join("\n");
        let begin = format!("\n#ifndef {guard}\n#define {guard}\n");
        assert!(text.starts_with("//"), "{name} must begin with a comment that describes it");
        let guarded = code.starts_with(&begin) && code.ends_with("\n#endif");
        assert!(guarded, "the code of {name} must be between `#ifndef {guard}` and `#endif`");
    }
}
