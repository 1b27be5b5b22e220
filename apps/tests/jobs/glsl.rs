//! Tests of user-defined GLSL functions: errors name the user's file, and functions accept parameters.

use crate::arrays::words;
use crate::workdir::Workdir;

#[test]
fn glsl_errors_name_the_users_file() {
    let workdir = Workdir::new();
    workdir.write("in.bin", words([1, 2, 3]));
    for (source, part) in [
        ("\nuint bucket_of(uint key) {\n  return nothing; }", "f.glsl:3: 'nothing'"),
        (
            "uint bucket(uint key) { return 0u; }",
            "f.glsl: the GLSL has no function `uint bucket_of(uint)`",
        ),
        (
            "uint bucket_of(float key) { return 0u; }",
            "f.glsl: bucket_of takes `float`, but keys are `uint`",
        ),
        ("uint bucket_of(uint key) { barrier(); return 0u; }", "f.glsl: `bucket_of`"),
        ("uint bucket_of(uint key) { table.at[0] = 1u; return 0u; }", "f.glsl:1:"),
    ] {
        workdir.write("f.glsl", source);
        for line in
            ["split in.bin -o out.bin --buckets 2", "histogram in.bin --bins 2 --csv out.csv"]
        {
            workdir.fails(&format!("{line} --type u32 --glsl f.glsl"), part);
        }
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
    assert_eq!(workdir.text("out.txt"), "1\n3\n7\n9\n");
    ran.expect_err("only the device can run the GLSL function");
}
