//! Tests of commands that work on files, run as a process: the content of their outputs, and the files left
//! after failures.
//!
//! The tests write and read files without the program's code. `Workdir::job` enables validation, so that any message
//! of the validation layer fails the job.
#![allow(clippy::expect_used, clippy::panic, reason = "in a test a panic is the report")]

#[path = "../common/mod.rs"]
mod common;

mod arrays;
mod check;
mod common_options;
mod failures;
mod faults;
mod files;
mod formats;
mod glsl;
mod guide;
mod histogram;
mod interrupts;
mod limits;
mod malformed;
mod narrow;
mod outputs;
mod report;
mod scan_reduce;
mod sort;
mod sorted;
mod split;
mod swiftshader;
mod tables;
mod times;
mod topk;
mod unique;
mod workdir;
