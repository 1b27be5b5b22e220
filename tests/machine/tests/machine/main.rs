//! Tests on the machine, which executes compute SPIR-V as the most hostile device that the
//! specification allows.

mod common;
mod faults;
mod forms;
mod held_back;
mod instructions;
mod lost_keys;
mod mutants;
mod primitives;
mod reconvergence;
