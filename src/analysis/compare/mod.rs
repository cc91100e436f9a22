//! This module compares two captures: which differences there are, and whether they are real.

pub mod statistics;
