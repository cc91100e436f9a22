//! This module computes the figures and the picture of a list of captures.

mod figures;
mod picture;
mod texts;

pub use figures::readout;
pub use picture::{CaptureMark, CaptureMarkKind, ChangeLine, Level, SeriesPicture, picture};
pub use texts::{
    about, change_sentence, difference, folder_name, invitation, not_compared, not_opened, progress, step_time,
};
