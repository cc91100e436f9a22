//! This module holds the geometry that all charts use: scales, frames, ticks, marks, labels, hit tests, treemap,
//! icicle, layered graphs.

pub mod devices;
pub mod frame;
pub mod hit_test;
pub mod icicle;
pub mod icicle_scene;
pub mod label;
pub mod label_placement;
pub mod layered;
pub mod mark_shape;
pub mod paint;
pub mod popover_position;
pub mod scale;
pub mod scene;
pub mod stack;
pub mod step;
pub mod step_text;
pub mod steps;
pub mod svg;
pub mod ticks;
pub mod time_part;
pub mod treemap;
