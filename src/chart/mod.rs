//! This module computes the geometry, the choices and the texts of the page as plain, tested functions.
//!
//! This module uses report structs, sizes in pixels and number formats. It does not depend on a browser or a component.
//! It holds no colour values: marks name a tone, and `view` maps tones to colours and draws.

pub mod breakdown;
pub mod captures;
pub mod comm;
pub mod compare;
pub mod data_movement;
pub mod empty;
pub mod files;
pub mod gaps;
pub mod glossary;
pub mod landing;
pub mod loading;
pub mod memory;
pub mod op;
pub mod overview;
pub mod plot;
pub mod roofline;
pub mod share;
pub mod timeline;
pub mod widgets;
