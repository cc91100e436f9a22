//! This module draws the roofline chart: FLOP per byte on the x axis and FLOP/s on the y axis, both logarithmic, with
//! the roofs of the device and a mark for each row.
//!
//! ```text
//!  FLOP/s │        ╱╱╱╱╱ hatched: no op can be above a roof
//!         │      ╱────────────── peak of a type
//!         │    ╱ ┆  ●  ◆ step
//!         │  ╱   ┆ ▲
//!         │╱ HBM ┆■
//!         └──────┴────────────── FLOP/byte
//!              ridge
//! ```
//!
//! This module does not depend on a browser. The formulas of the figures are in `analysis::roofline`.

mod axes;
mod ceilings;
mod clip;
pub mod coverage;
pub mod dots;
pub mod figures;
pub mod labels;
mod marks;
pub mod numbers;
mod options;
pub mod peaks;
mod roofs;
mod work_group;

pub use axes::{AxisWindow, full_window, initial_window, zoomed};
pub use ceilings::Ceilings;
pub use dots::{Dot, Dots, dots};
pub use marks::{brushed, scene};
pub use options::ChartOptions;
pub use work_group::WorkGroup;
