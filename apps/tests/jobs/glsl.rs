//! Tests of user-defined GLSL functions: errors name the user's file and line.

use crate::arrays::words;
use crate::workdir::Workdir;

#[test]
fn glsl_errors_name_the_users_file() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1, 2, 3]));
    for (name, text, part) in [
        (
            "typo.glsl",
            "\nuint bucket_of(uint key) {\n  return nothing; }",
            "typo.glsl:3: 'nothing'",
        ),
        (
            "none.glsl",
            "uint bucket(uint key) { return 0u; }",
            "none.glsl: the GLSL has no function `uint bucket_of(uint)`",
        ),
        (
            "float.glsl",
            "uint bucket_of(float key) { return 0u; }",
            "float.glsl: bucket_of takes `float`, but keys are `uint`",
        ),
        (
            "barrier.glsl",
            "uint bucket_of(uint key) { barrier(); return 0u; }",
            "barrier.glsl: `bucket_of`",
        ),
        (
            "write.glsl",
            "uint bucket_of(uint key) { table.at[0] = 1u; return 0u; }",
            "write.glsl:1:",
        ),
    ] {
        workdir.write(name, text);
        for line in
            ["split in.bin -o out.bin --buckets 2", "histogram in.bin --bins 2 --csv out.csv"]
        {
            let ran = workdir.run(&format!("{line} --type u32 --glsl {name}")).expect(1);
            assert!(ran.error_line().contains(part), "{line}: {}", ran.err);
        }
        std::fs::remove_file(workdir.path().join(name)).expect("the function");
        assert_eq!(workdir.names(), ["in.bin"]);
    }
}

#[test]
fn glsl_functions_accept_parameters() {
    let workdir = Workdir::new();
    workdir.write("in.txt", "1\n7\n3\n9\n");
    let source =
        "uint bucket_of(int key) { return key < int(push.parameter_0) ? 0u : push.parameter_1; }";
    workdir.write("cut.glsl", source);
    let ran = workdir.job("split in.txt -o out.txt --type i32 --buckets 2^1 --glsl cut.glsl --param 4 --param 1 --verify");
    assert_eq!(workdir.read("out.txt"), b"1\n3\n7\n9\n");
    assert!(ran.err.contains("GLSL runs on the device alone"), "{}", ran.err);
}
