//! What the tests share: cases of all primitives, and how they are run.
#![allow(dead_code)]

pub mod all;
pub mod case;
pub mod driver;
pub mod moves;
pub mod others;
pub mod pieces;
pub mod primitives;
pub mod programs;
pub mod searches;
pub mod terms;
