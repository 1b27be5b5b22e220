//! Histograms of files: samples of any type, processed at once or in parts ([`count`]).

mod bin_rule;
mod chart;
mod counted;
mod direct;
mod edges;
mod number;
mod verify;
mod whole;

pub use bin_rule::{Function, HistogramRequest};
pub use chart::chart;
pub use counted::{Counted, Counts};
pub use edges::Edge;
pub use number::{Number, edges_of};
pub use whole::count;
