//! The breakdown's figures, columns and cells, the icicle of scopes and the charts of steps.

pub mod cell;
pub mod columns;
pub mod figures;
pub mod rows;
pub mod scopes;
pub mod step_stats;
pub mod tips;

pub use cell::{ALL, Cell, Units};
pub use tips::{Tip, inner_tip, tip};
