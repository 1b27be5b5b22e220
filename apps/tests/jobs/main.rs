//! What the commands that work on files do, seen from outside: the bytes of their outputs, and what
//! is left where they fail.
//!
//! Files are written and read here by code of the tests' own. Jobs run with validation on, so that
//! any message fails them.
#![allow(clippy::expect_used, clippy::panic, reason = "in a test a panic is the report")]

#[path = "../common/mod.rs"]
mod common;

mod arrays;
mod desk;
mod everywhere;
mod failures;
mod faults;
mod files;
mod formats;
mod glsl;
mod guide;
mod histogram;
mod interrupts;
mod limits;
mod narrow;
mod nearly;
mod report;
mod sort;
mod sorted;
mod split;
mod swiftshader;
mod tables;
mod terms;
mod times;
mod together;
mod topk;
mod unique;
