//! This module lays out layered graphs after Sugiyama: ranking, crossing reduction, x coordinates, compound nodes.

pub mod compound;
pub mod crossing_reduction;
pub mod layer_graph;
pub mod layered_layout;
pub mod ranking;
pub mod straight;
pub mod x_coordinates;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod layered_layout_tests;
