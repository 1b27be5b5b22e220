//! The benchmarks of multisplit: `multisplit bench` and `multisplit demo`, the paper's tables, plots and HTML reports.
//!
//! - [`Options`] are the arguments of `multisplit bench`; [`measure`] runs the benchmarks of one argument line.
//! - [`plans`], [`sort`], [`split`], [`histogram`] and [`sssp`] plan the operations. [`split`] and [`histogram`] also
//!   generate input and expected results.
//! - [`network`] reads and generates networks, and can be used by other programs.
//! - [`publish`] measures the published cells, compares files of them, and makes their tables.
//! - [`plot`] draws plots, [`html`] makes reports.
//!
//! The caller opens devices and writes files.
#![forbid(unsafe_code)]

pub mod choice;
mod clock;
pub mod console;
pub mod data;
pub mod figures;
pub mod first_bytes;
pub mod histogram;
pub mod host_memory;
pub mod html;
pub mod key_order;
mod measure;
pub mod network;
mod options;
mod output;
pub mod paper;
mod passes;
pub mod plans;
pub mod plot;
pub mod progress;
pub mod publish;
pub mod ranking;
pub mod size;
pub mod sort;
pub mod split;
pub mod sssp;
mod stages;
mod subjects;
mod tune;

pub use options::{FileOptions, Options, measure};
pub use output::{Output, spilled};
