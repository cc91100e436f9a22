//! This module holds the figures of the breakdown, the texts of its filter, the icicle of scopes and the charts of
//! steps.

pub mod figures;
pub mod filter_text;
pub mod scopes;
pub mod spread_text;
pub mod step_stats;
