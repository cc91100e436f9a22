//! This module compares two captures.
pub mod matching;
