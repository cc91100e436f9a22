//! What the page draws, before it is drawn: geometry, choices and words, as plain tested functions.
//!
//! Knows report structs, sizes in pixels and how numbers look. Knows no browser, no component and no
//! colour: `view` asks here and puts the answer on the screen.

pub mod cell;
pub mod columns;
pub mod comm;
pub mod data_movement;
pub mod devices;
pub mod empty;
pub mod figures;
pub mod file_view;
pub mod hit_test;
pub mod hlo_text;
pub mod icicle;
pub mod icicle_scene;
pub mod label;
pub mod landing;
pub mod load;
pub mod memory;
pub mod op_graph;
pub mod op_panel;
pub mod op_roof;
pub mod paint;
pub mod picker_options;
pub mod place_labels;
pub mod popover_position;
pub mod relative_time;
pub mod roofline;
pub mod rows;
pub mod scale;
pub mod scene;
pub mod scopes;
pub mod share;
pub mod stack;
pub mod step_stats;
pub mod step_text;
pub mod steps;
pub mod svg;
pub mod table;
pub mod ticks;
pub mod time_part;
pub mod tips;
pub mod virtual_rows;
