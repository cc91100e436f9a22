//! This module prepares the comparison of two captures: the figures, the waterfall of the difference, the steps of both sides,
//! their scopes, a step of each, and the ops of a row beside each other. It does not depend on page elements.

mod by_hand;
mod figures;
mod ops;
mod scatter;
mod scopes;
mod steps;
mod text_diff;
mod timeline;
mod waterfall;

pub use by_hand::{CANCEL, UNDO, UNDO_ALL, UnpairedOp, remove_pairs};
pub use figures::{matched, notes, picture_text, readout, scope_differences_text, sides, verdict_class};
pub use ops::{Fact, facts, heading, pair_sentence};
pub use scatter::{dot_tip, left_out, scatter};
pub use scopes::{ScopesPicture, scope_differences, scope_tip, scopes};
pub use steps::{StepDot, StepsPicture, steps};
pub use text_diff::{DiffToken, diff};
pub use timeline::{LEFT, timeline, timeline_row, timeline_tip};
pub use waterfall::{Waterfall, WaterfallLink, WaterfallRow, WaterfallRowKind, waterfall};
