//! Plots as SVG: lines over a logarithmic axis and stacked bars, to be put into a page; histograms
//! and the rounds of a search, as files of their own.
//!
//! Colours are classes (`s0`, `s1`, ...), so that the page can have them suit its background. Every
//! mark has its figures as a `title`, which browsers show where the mouse rests.

mod axis;
mod bars;
mod drawing;
mod histogram;
mod histogram_axes;
mod histogram_bars;
mod lines;
mod rounds;

pub(crate) use axis::short;
pub(crate) use bars::{Bar, Bars};
pub use drawing::escape;
pub use histogram_bars::HistogramPlot;
pub(crate) use lines::{LinePlot, Series, Style};
pub use rounds::rounds;

/// Colours that the page has.
pub(crate) const COLOURS: usize = 8;

/// Plots of a page are inside a frame of this size, in units of the drawing.
const WIDTH: f64 = 520.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
