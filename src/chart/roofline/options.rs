//! This module defines the options of the chart that the user can change.
use super::axes::AxisWindow;
use super::work_group::WorkGroup;
use crate::analysis::roofline::Level;

/// The options of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartOptions {
    pub window: AxisWindow,
    /// The memory whose bytes are on the x axis.
    pub level: Level,
    /// Groups that are not drawn.
    pub hidden: Vec<WorkGroup>,
    /// Keys of the selected rows.
    pub selected: Vec<String>,
    /// Width and height, in px.
    pub size: (f64, f64),
    /// Whether rows outside of the axes are drawn at the edge; true while the chart is not zoomed.
    pub pinned: bool,
}
