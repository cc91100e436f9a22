//! The choices of the user that change how the chart looks.
use super::axes::AxisWindow;
use super::form::Form;
use crate::analysis::roofline::Level;

/// The options of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartOptions {
    /// The part of the axes that is seen.
    pub window: AxisWindow,
    /// The memory whose bytes are counted.
    pub level: Level,
    /// Forms that are not drawn.
    pub hidden: Vec<Form>,
    /// Rows that are selected, by key.
    pub selected: Vec<String>,
    /// Pixels across and down.
    pub size: (f64, f64),
    /// Rows beyond the axes are drawn at their edge: while nothing is zoomed.
    pub pinned: bool,
}
