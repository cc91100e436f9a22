//! The model: what a capture holds, as columns.
mod note;
pub use note::{Note, Severity};
