//! This module holds the panel of one op and the graph around the op.

pub mod graph;
pub mod panel;
pub mod roofline;
