//! This module computes the figures and the picture of a list of captures.

mod figures;
mod picture;
mod texts;

pub use figures::readout;
pub use picture::{CaptureMark, JumpLine, Level, MarkShape, SeriesPicture, picture};
pub use texts::{about, difference, folder_name, jump_sentence, progress, step_time};
