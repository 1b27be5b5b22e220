//! SVG plots: line plots and stacked bars, to be embedded in a page; histograms and rounds of a search, as
//! standalone files.
//!
//! In a page, colours are CSS classes (`s0`, `s1`, ...), so that the page can adapt them to its background. Dots and
//! separate bars have a `title` with their figures, which browsers show as a tooltip.

mod axis;
mod bars;
mod drawing;
mod histogram;
mod lines;
mod rounds;

pub(crate) use axis::{ascending, short};
pub(crate) use bars::{Bar, Bars};
pub use drawing::escape;
pub use histogram::HistogramPlot;
pub(crate) use lines::{LinePlot, Series, Style};
pub use rounds::rounds;

/// Number of colours that the page defines.
pub(crate) const COLOURS: usize = 8;

/// Size and margins of plots in a page, in units of the drawing.
const WIDTH: f64 = 520.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
