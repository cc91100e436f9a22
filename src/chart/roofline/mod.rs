//! The roofline chart: FLOP per byte across, FLOP/s up, both by decades; the roofs of the device, and a mark for each row.
//!
//! ```text
//!  FLOP/s │        ╱╱╱╱╱ wall: no op can be beyond a roof
//!         │      ╱────────────── peak of a type
//!         │    ╱ ┆  ●  ◆ step
//!         │  ╱   ┆ ▲
//!         │╱ HBM ┆■
//!         └──────┴────────────── FLOP/byte
//!              ridge
//! ```
//!
//! Knows an answer's figures and rows; no browser, and no formula of a figure (`analysis::roofline`).

mod axes;
mod ceilings;
mod clip;
pub mod coverage;
pub mod dots;
pub mod figures;
mod form;
mod marks;
pub mod numbers;
mod options;
pub mod peaks;
mod roofs;
pub mod words;

pub use axes::{AxisWindow, full_window, initial_window, zoomed};
pub use ceilings::Ceilings;
pub use dots::{Dot, Dots, dots};
pub use form::Form;
pub use marks::{brushed, scene};
pub use options::ChartOptions;
