//! The breakdown's figures, columns and cells, the icicle of scopes and the charts of steps.

pub mod figures;
pub mod filter_text;
pub mod scopes;
pub mod step_stats;
