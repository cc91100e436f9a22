//! What the page draws, before it is drawn: geometry, choices and words, as plain tested functions.
//!
//! Knows report structs, sizes in pixels and how numbers look. This module knows no browser, no component and no
//! colour: `view` asks here and puts the answer on the screen.

pub mod breakdown;
pub mod comm;
pub mod data_movement;
pub mod empty;
pub mod files;
pub mod landing;
pub mod loading;
pub mod memory;
pub mod op;
pub mod plot;
pub mod roofline;
pub mod share;
pub mod widgets;
