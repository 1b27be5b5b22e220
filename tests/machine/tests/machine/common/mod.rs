//! Shared test code: cases of all primitives, and their execution.

pub mod all;
pub mod bounds;
pub mod case;
pub mod driver;
pub mod edges;
pub mod few_threads;
pub mod labels;
pub mod merges;
pub mod moves;
pub mod narrow;
pub mod networks;
pub mod others;
pub mod pieces;
pub mod primitives;
pub mod progress;
pub mod sampling;
pub mod search_list;
pub mod searches;
pub mod segments;
pub mod selects;
pub mod setup;
pub mod sort_segments;
pub mod surveys;
pub mod terms;
pub mod topk;
pub mod trials;
