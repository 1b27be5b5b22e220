//! Histograms of files: samples of any type, processed at once or in parts ([`count`]).

mod bin_rule;
mod chart;
mod counted;
mod direct;
mod whole;

pub use bin_rule::{Function, HistogramRequest};
pub use chart::chart;
pub use counted::{Counted, Counts};
pub use whole::count;
