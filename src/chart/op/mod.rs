//! The panel of one op, and the graph around it.

pub mod graph;
pub mod panel;
pub mod roofline;
